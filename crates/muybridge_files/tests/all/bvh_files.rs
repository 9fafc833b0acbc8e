//! Every BVH file of the shared data: read, written, converted and read again.

use std::path::PathBuf;

use crate::test_files::{in_folder, whole};

use muybridge::motion::WorldMotion;
use muybridge_files::bvh::{self, BvhDocument, ExportOptions};
use muybridge_files::{Axis, Imported};

/// Every shared BVH file, in the order of their names.
fn documents() -> Vec<(String, BvhDocument)> {
    let mut paths: Vec<PathBuf> = ["bvh", "truth"].into_iter().flat_map(in_folder).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "bvh"));
    assert!(paths.len() >= if whole() { 31 } else { 11 }, "{} files", paths.len());
    let read = |path: PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let document = bvh::parse(&std::fs::read(&path).unwrap()).unwrap_or_else(|error| panic!("{name}{error}"));
        (name, document)
    };
    paths.into_iter().map(read).collect()
}

/// The greatest distance between the joints of two clips, as a share of the extent of the first.
fn difference(one: &Imported, other: &Imported) -> f64 {
    let (a, b) = (WorldMotion::new(&one.skeleton, &one.clips[0]), WorldMotion::new(&other.skeleton, &other.clips[0]));
    assert_eq!((one.skeleton.len(), a.frames()), (other.skeleton.len(), b.frames()));
    let (mut low, mut high, mut worst) = (a.position(0, 0), a.position(0, 0), 0.0_f64);
    for (bone, named) in one.skeleton.bones().iter().enumerate() {
        let there = other.skeleton.find(&named.name).unwrap();
        for frame in 0..a.frames() {
            let position = a.position(bone, frame);
            (low, high) = (low.min(position), high.max(position));
            worst = worst.max((position - b.position(there, frame)).length());
        }
    }
    worst / (high - low).length()
}

#[test]
fn every_shared_file_written_and_read_again_is_equal_bit_for_bit() {
    for (name, document) in documents() {
        let back = bvh::parse(bvh::write(&document).as_bytes()).unwrap();
        assert_eq!(document, back, "{name}");
        for frame in 0..document.frames() {
            let same = document.row(frame).iter().zip(back.row(frame)).all(|(a, b)| a.to_bits() == b.to_bits());
            assert!(same, "{name}: frame {frame}");
        }
    }
}

#[test]
fn every_shared_file_through_a_clip_and_back_keeps_its_joints_within_1e_9_of_the_extent() {
    for (name, document) in documents() {
        let before = bvh::import(&document).unwrap();
        let same_hierarchy = bvh::with_motion(&document, &before.clips[0]).unwrap();
        assert_eq!(same_hierarchy.notes(), [""; 0], "{name}");
        assert_eq!(same_hierarchy.frame_time_text(), document.frame_time_text(), "{name}");
        let options = ExportOptions { order: [Axis::Z, Axis::X, Axis::Y], scale: 1.0 };
        let new_hierarchy = bvh::export(&before.skeleton, &before.clips[0], &options).unwrap();
        for changed in [same_hierarchy, new_hierarchy] {
            let after = bvh::import(&bvh::parse(bvh::write(&changed).as_bytes()).unwrap()).unwrap();
            let worst = difference(&before, &after);
            assert!(worst < 1e-9, "{name}: {worst}");
            assert_eq!(before.clips[0].frame_time, after.clips[0].frame_time, "{name}");
        }
    }
}

#[test]
fn angles_written_from_a_clip_do_not_jump() {
    for (name, document) in documents() {
        let changed = bvh::with_motion(&document, &bvh::import(&document).unwrap().clips[0]).unwrap();
        let channels: Vec<_> = document.joints().iter().flat_map(|joint| joint.channels.clone()).collect();
        let jumps = |document: &BvhDocument| {
            let change =
                |frame: usize, channel: usize| (document.row(frame)[channel] - document.row(frame - 1)[channel]).abs();
            let frames = 1..document.frames();
            let turns = (0..channels.len()).filter(|&c| matches!(channels[c], bvh::Channel::Rotation(_)));
            turns.map(|channel| frames.clone().filter(|&frame| change(frame, channel) > 170.0).count()).sum::<usize>()
        };
        assert!(
            jumps(&changed) <= jumps(&document),
            "{name}: {} jumps, {} in the file",
            jumps(&changed),
            jumps(&document)
        );
    }
}

#[test]
fn the_shared_files_hold_the_joints_frames_and_rates_their_table_lists() {
    let table: [(&str, usize, usize, usize, usize, f64); 18] = [
        ("boxing_knockdown_fall.bvh", 21, 5, 66, 3070, 100.0),
        ("cmu_01_01_forward_hops.bvh", 31, 7, 96, 2752, 120.0),
        ("cmu_12_01_walk.bvh", 31, 7, 96, 524, 120.0),
        ("fairmotion_no_end_sites.bvh", 4, 0, 15, 120, 60.0),
        ("freebvh_walk_55joints.bvh", 55, 15, 168, 69, 30.0),
        ("games105_idle_metres.bvh", 20, 5, 63, 200, 60.0),
        ("games105_walk_turn_left_metres.bvh", 20, 5, 63, 420, 100.0),
        ("geno_bind_all_position_channels.bvh", 75, 21, 450, 2, 60.0),
        ("mass_backflip_fast.bvh", 37, 21, 114, 199, 120.0),
        ("mass_cartwheel.bvh", 37, 21, 114, 286, 120.0),
        ("mass_run.bvh", 37, 21, 114, 66, 120.0),
        ("pybvh_mixed_orders_zup.bvh", 60, 13, 183, 100, 120.0),
        ("pybvh_rotation_first_root.bvh", 4, 2, 15, 4, 25.0),
        ("pybvh_single_frame.bvh", 24, 5, 75, 1, 120.0),
        ("snu_hjump_phase.bvh", 18, 5, 57, 80, 30.0),
        ("snu_ljump_phase.bvh", 18, 5, 57, 68, 30.0),
        ("snu_walk_phase.bvh", 18, 5, 57, 34, 30.0),
        ("wisc_example_2frames.bvh", 18, 5, 57, 2, 30.0),
    ];
    let documents = documents();
    for (name, joints, ends, channels, frames, rate) in table {
        let Some((_, document)) = documents.iter().find(|(file, _)| file == name) else {
            assert!(!whole(), "{name}");
            continue;
        };
        let found_ends: usize = document.joints().iter().map(|joint| joint.ends.len()).sum();
        assert_eq!((document.joints().len(), found_ends, document.channels()), (joints, ends, channels), "{name}");
        assert_eq!((document.frames(), document.frame_time()), (frames, 1.0 / rate), "{name}");
        assert_eq!(document.notes().len(), usize::from(name.starts_with("boxing")), "{name}: {:?}", document.notes());
        let left_out = bvh::import(document).unwrap().ignored;
        let expected = usize::from(name.starts_with("boxing") || name.starts_with("mass"));
        assert_eq!(left_out.len(), expected, "{name}: {left_out:?}");
    }
}
