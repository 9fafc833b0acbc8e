//! A corrected motion in the text of a BVH: unchanged parts keep every byte.

use crate::rewriting;
use crate::test_files::{here, path as data};

use muybridge::glam::DVec3;
use muybridge::math::rotation::exp;
use muybridge::motion::TimeMap;
use muybridge_files::Opened;
use muybridge_files::bvh::Channel;
use muybridge_files::open::SourceDocument;
use muybridge_files::rewrite::{bytes, corrected, retimed};
use rewriting::{distance, opened, prepared, prepared_like, same_frame, shifted, spun};

/// Files of many dialects: rotations first, every joint with positions, z up, centimeters, CMU units, meters, one row, no End Sites.
const FILES: [&str; 18] = [
    "bvh/cmu_01_01_forward_hops.bvh",
    "bvh/cmu_12_01_walk.bvh",
    "bvh/fairmotion_no_end_sites.bvh",
    "bvh/freebvh_walk_55joints.bvh",
    "bvh/games105_idle_metres.bvh",
    "bvh/games105_walk_turn_left_metres.bvh",
    "bvh/mass_backflip_fast.bvh",
    "bvh/mass_cartwheel.bvh",
    "bvh/mass_run.bvh",
    "bvh/pybvh_mixed_orders_zup.bvh",
    "bvh/snu_hjump_phase.bvh",
    "bvh/snu_walk_phase.bvh",
    "bvh/boxing_knockdown_fall.bvh",
    "truth/mj_jump_120.bvh",
    "truth/mj_tumble_30.bvh",
    "truth/mj_tumble_zerog_120.bvh",
    "truth/cmu2020_tumble_120.bvh",
    "truth/opencap4_DJ1.bvh",
];

/// Files of [`FILES`] that are there.
fn files() -> Vec<&'static str> {
    here(FILES, |file| file.to_string())
}

fn text(opened: &Opened) -> String {
    String::from_utf8(bytes(opened).file).unwrap()
}

/// The rows of numbers after the line “Frame Time”, as words.
fn rows(text: &str) -> Vec<Vec<&str>> {
    let start = text.to_ascii_lowercase().find("frame time").unwrap();
    let lines = text[start..].lines().skip(1).filter(|line| !line.trim().is_empty());
    lines.map(|line| line.split_whitespace().collect()).collect()
}

#[test]
fn a_file_that_nobody_changed_is_written_as_it_was_read() {
    for name in files() {
        let file = opened(name);
        let original = std::fs::read(data(name)).unwrap();
        assert_eq!(bytes(&file).file, original, "{name}");
        let ready = prepared(&file, 0);
        let same = corrected(&file, 0, &ready.units, &ready.clip, &ready.clip).unwrap();
        assert_eq!(bytes(&same).file, original, "{name}");
        let same = retimed(&file, 0, &TimeMap::identity(ready.clip.frames())).unwrap();
        assert_eq!(bytes(&same).file, original, "{name}");
    }
}

#[test]
fn a_root_that_moves_in_eleven_frames_changes_its_positions_in_these_and_no_other_byte() {
    for name in files() {
        let file = opened(name);
        let before = prepared(&file, 0);
        let moved = shifted(&before, (10, 20), DVec3::new(0.0, 0.05, 0.0));
        let after = corrected(&file, 0, &before.units, &before.clip, &moved).unwrap();
        let (old, new) = (text(&file), text(&after));
        let (head_of_old, head_of_new) = (old.find("MOTION").unwrap(), new.find("MOTION").unwrap());
        assert_eq!(old[..head_of_old], new[..head_of_new], "{name}");
        assert_eq!(old.lines().count(), new.lines().count(), "{name}");
        let mut changed = 0;
        for (frame, (a, b)) in rows(&old).iter().zip(rows(&new)).enumerate() {
            assert_eq!(a.len(), b.len());
            let different = a.iter().zip(&b).filter(|(a, b)| a != b).count();
            // One channel of the only root changes: the vertical one.
            assert_eq!(different, usize::from((10..=20).contains(&frame)), "{name} frame {frame}");
            changed += different;
        }
        assert_eq!(changed, 11, "{name}");
        let back = prepared_like(&after, 0, &before);
        assert!(distance(&before, &moved, &back.clip) < 1e-12, "{name}");
        for frame in (0..10).chain(21..before.clip.frames()) {
            assert!(same_frame(&before.clip, frame, &back.clip, frame), "{name} frame {frame}");
        }
    }
}

#[test]
fn a_root_that_turns_keeps_its_positions_and_its_angles_do_not_jump() {
    for name in files() {
        let file = opened(name);
        let before = prepared(&file, 0);
        let turned = spun(&before, (10, 20), 0.8);
        let after = corrected(&file, 0, &before.units, &before.clip, &turned).unwrap();
        let back = prepared_like(&after, 0, &before);
        let off = distance(&before, &turned, &back.clip);
        assert!(off < 1e-12, "{name}: {off}");
        let (old, new) = (text(&file), text(&after));
        let (old, new) = (rows(&old), rows(&new));
        let jumps = |rows: &[Vec<&str>]| {
            let number = |frame: usize, channel: usize| -> f64 { rows[frame][channel].parse().unwrap() };
            let channels = 0..6.min(rows[0].len());
            let big = |c: usize| (9..22).filter(|&f| (number(f + 1, c) - number(f, c)).abs() > 170.0).count();
            channels.map(big).sum::<usize>()
        };
        assert!(jumps(&new) <= jumps(&old), "{name}: {} jumps, before {}", jumps(&new), jumps(&old));
        for (frame, (a, b)) in old.iter().zip(&new).enumerate() {
            let different = a.iter().zip(b).filter(|(a, b)| a != b).count();
            assert!(different <= if (10..=20).contains(&frame) { 3 } else { 0 }, "{name} frame {frame}: {different}");
        }
    }
}

#[test]
fn s12_keys_outside_the_phase_are_shifted_rigidly_in_a_bvh() {
    for name in files() {
        let file = opened(name);
        let before = &file.imported.clips[0];
        let map = TimeMap::stretched(before.frames(), 10, 20, 16).unwrap();
        let after = retimed(&file, 0, &map).unwrap();
        let clip = &after.imported.clips[0];
        assert_eq!((clip.frames(), clip.frame_time), (before.frames() + 6, before.frame_time), "{name}");
        let (old, new) = (text(&file), text(&after));
        let (old, new) = (rows(&old), rows(&new));
        for frame in (0..=10).chain(26..clip.frames()) {
            let source = if frame <= 10 { frame } else { frame - 6 };
            assert_eq!(new[frame], old[source], "{name} frame {frame}");
            assert!(same_frame(clip, frame, before, source), "{name} frame {frame}");
        }
        // Inside the span, frames follow the clip's own splines at the new times.
        let expected = map.apply(before);
        let worst = (11..26)
            .flat_map(|frame| (0..clip.bones()).map(move |bone| (frame, bone)))
            .map(|(frame, bone)| 1.0 - clip.rotation(bone, frame).dot(expected.rotation(bone, frame)).abs());
        let worst = worst.fold(0.0, f64::max);
        assert!(worst < 1e-13, "{name}: {worst}");
        let count = text(&after);
        assert!(count.contains(&clip.frames().to_string()), "{name}");
        let shorter = retimed(&after, 0, &TimeMap::stretched(clip.frames(), 10, 26, 10).unwrap()).unwrap();
        assert_eq!(shorter.imported.clips[0].frames(), before.frames(), "{name}");
    }
}

#[test]
fn a_joint_without_position_channels_that_has_to_move_is_named() {
    let file = opened("bvh/mass_run.bvh");
    let before = prepared(&file, 0);
    let mut moved = before.clip.clone();
    let bone = 3;
    moved.set_translation(bone, 5, before.clip.translation(bone, 5) + DVec3::new(0.01, 0.0, 0.0));
    let error = corrected(&file, 0, &before.units, &before.clip, &moved).unwrap_err();
    let name = &file.imported.skeleton.bones()[bone].name;
    assert!(error.to_string().contains(name.as_str()) && error.message.contains("10.000 mm"), "{error}");
}

#[test]
fn any_joint_turns_as_it_is_told_and_the_channels_of_others_keep_their_spelling() {
    for name in files() {
        let file = opened(name);
        let SourceDocument::Bvh(document) = &file.document else { panic!("no BVH") };
        let before = prepared(&file, 0);
        for bone in (0..before.clip.bones()).step_by(5) {
            let mut wanted = before.clip.clone();
            for frame in 5..=9 {
                let turn = exp(DVec3::new(0.4, -0.7, 0.2) * (frame as f64 - 4.0));
                wanted.set_rotation(bone, frame, (before.clip.rotation(bone, frame) * turn).normalize());
            }
            let turns = |bone: usize| {
                let channels = &document.joints()[bone].channels;
                channels.iter().filter(|channel| matches!(channel, Channel::Rotation(_))).count()
            };
            let after = match corrected(&file, 0, &before.units, &before.clip, &wanted) {
                Ok(after) => after,
                Err(error) => {
                    assert!(turns(bone) < 3 && error.message.contains("protect"), "{name} bone {bone}: {error}");
                    continue;
                }
            };
            let off = distance(&before, &wanted, &prepared_like(&after, 0, &before).clip);
            assert!(off < 1e-12, "{name} bone {bone}: {off}");
            let (old, new) = (text(&file), text(&after));
            for (frame, (a, b)) in rows(&old).iter().zip(rows(&new)).enumerate() {
                let different = a.iter().zip(&b).filter(|(a, b)| a != b).count();
                assert!(different <= if (5..=9).contains(&frame) { 3 } else { 0 }, "{name} bone {bone} frame {frame}");
            }
        }
    }
}
