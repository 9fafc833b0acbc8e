//! Corrections of real files: spoiled simulator motion is restored, the written file passes its check, and correcting it again
//! changes no byte.

use crate::test_files::{here, path as data};

use muybridge::analysis::Settings;
use muybridge::correction::{Bounds, FixSettings, Tools};
use muybridge::glam::DVec3;
use muybridge_files::fix::{FixedClip, fix_clip};
use muybridge_files::open::{self, Opened};
use muybridge_files::prepare::{BodyFile, Preparation};
use muybridge_files::rewrite;

/// Every change is allowed, and no flight is doubted.
const UNBOUNDED: Bounds = Bounds { shift: f64::INFINITY, turn: f64::INFINITY, least_gravity: f64::NEG_INFINITY };

fn opened(path: &str) -> Opened {
    let opened = open::open(&data(path), &Default::default()).unwrap();
    rewrite::writable(opened, false, "motion").unwrap().0
}

fn weighed(clip: &str) -> Preparation {
    let body = BodyFile::read(&data(&format!("truth/{clip}_body.csv"))).unwrap();
    Preparation { bodies: vec![body], ..Preparation::default() }
}

/// Corrects a file; returns the result, its bytes, and the bytes after correcting the result again.
fn corrected(path: &str, preparation: &Preparation, fix: &FixSettings) -> (FixedClip, [Vec<u8>; 2]) {
    let settings = Settings::default();
    let mut file = opened(path);
    let fixed = fix_clip(&mut file, 0, preparation, &settings, fix).unwrap();
    let bytes = rewrite::bytes(&file).file;
    fix_clip(&mut file, 0, preparation, &settings, fix).unwrap();
    (fixed, [bytes, rewrite::bytes(&file).file])
}

fn momenta(fixed: &FixedClip) -> Vec<DVec3> {
    fixed.found_after.per_frame.angular_momentum.iter().flatten().copied().collect()
}

/// Checks that every joint but the root keeps its rotations bit for bit.
fn joints_are_untouched(fixed: &FixedClip) {
    let (before, after) = (&fixed.before.clip, &fixed.after.clip);
    for bone in 1..before.bones() {
        for component in 0..4 {
            assert_eq!(before.rotation_track(bone, component), after.rotation_track(bone, component), "bone {bone}");
        }
        for component in 0..3 {
            assert_eq!(before.translation_track(bone, component), after.translation_track(bone, component));
        }
    }
}

#[test]
#[cfg_attr(not(muybridge_data), ignore = "set MUYBRIDGE_DATA to the shared data folder")]
fn s11_a_tumble_played_too_fast_gets_its_193_frames_its_gravity_and_its_momentum() {
    let name = "mj_tumble_speed1p5_120";
    let (fixed, [bytes, again]) = corrected(&format!("truth/{name}.bvh"), &weighed(name), &FixSettings::default());
    assert_eq!(fixed.found_before.flights[0].frames_to_add, 64);
    assert!(fixed.after.clip.frames().abs_diff(193) <= 1, "{}", fixed.after.clip.frames());
    let flight = &fixed.found_after.flights[0];
    assert!((flight.gravity - 1.0).abs() < 0.005, "{}", flight.gravity);
    for momentum in momenta(&fixed) {
        assert!((momentum.length() / 37.19 - 1.0).abs() < 0.01, "{momentum}");
    }
    assert!(fixed.found_after.findings.is_empty(), "{:?}", fixed.found_after.findings);
    assert!(bytes == again);
}

#[test]
#[cfg_attr(not(muybridge_data), ignore = "set MUYBRIDGE_DATA to the shared data folder")]
fn s10_a_tumble_without_gravity_gets_the_parabola_between_its_own_ends_and_keeps_its_joints() {
    let name = "mj_tumble_zerog_120";
    let asked = FixSettings { bounds: UNBOUNDED, ..FixSettings::default() };
    let (fixed, [bytes, again]) = corrected(&format!("truth/{name}.bvh"), &weighed(name), &asked);
    joints_are_untouched(&fixed);
    let centers = |fixed: &muybridge::analysis::Analysis| -> Vec<DVec3> {
        fixed.per_frame.mass_center.iter().map(|center| center.unwrap()).collect()
    };
    let (before, after) = (centers(&fixed.found_before), centers(&fixed.found_after));
    let last = before.len() - 1;
    let seconds = last as f64 / 120.0;
    for (frame, center) in after.iter().enumerate() {
        let s = frame as f64 / last as f64;
        let fallen = 0.5 * 9.81 * seconds * seconds * s * (1.0 - s) * DVec3::Y;
        let path = before[0].lerp(before[last], s) + fallen;
        assert!(center.distance(path) < 1e-9, "frame {frame}: {}", center.distance(path));
    }
    assert!(bytes == again);
}

#[test]
#[cfg_attr(not(muybridge_data), ignore = "set MUYBRIDGE_DATA to the shared data folder")]
fn s12_a_back_flip_played_too_fast_keeps_every_frame_outside_its_flights() {
    let tools = Tools { feet: false, path: false, ..Tools::ALL };
    let fix = FixSettings { tools, bounds: UNBOUNDED, ..FixSettings::default() };
    let (fixed, [bytes, again]) = corrected("bvh/mass_backflip_fast.bvh", &Preparation::default(), &fix);
    let flight = &fixed.found_after.flights[0];
    assert!((flight.gravity - 1.0).abs() < 0.005, "{}", flight.gravity);
    // Measured in the notes of the data: 0.37 to 0.63 s, about 2.2 times too fast.
    let seconds = flight.span.end - flight.span.start;
    assert!((seconds / 0.26 - 2.4).abs() < 0.8, "{seconds}");
    let (before, after) = (&fixed.before.clip, &fixed.after.clip);
    let changed = |frame: usize| fixed.map.spans().iter().any(|span| frame > span.new.0 && frame < span.new.1);
    let mut kept = 0_usize;
    for frame in (0..after.frames()).filter(|&frame| !changed(frame)) {
        let source = fixed.map.old_frame(frame).unwrap();
        for bone in 1..after.bones() {
            assert_eq!(after.rotation(bone, frame), before.rotation(bone, source), "frame {frame} bone {bone}");
        }
        kept += 1;
    }
    // The notes of the data give the first flight; without given soles its ends are known to 33 ms.
    let flights = &fixed.found_before.flights;
    let first = flights[0].span;
    assert!((first.start - 0.37).abs() < 0.033 && (first.end - 0.63).abs() < 0.033, "{first:?}");
    let inside: usize = flights.iter().map(|flight| flight.span.last - flight.span.first - 1).sum();
    assert_eq!(kept, before.frames() - inside);
    assert!(bytes == again);
}

#[test]
fn what_is_sound_is_written_byte_for_byte() {
    for name in here(["mj_tumble_120", "mj_jump_120", "mj_jump_30"], |name| format!("truth/{name}.bvh")) {
        let source = std::fs::read(data(&format!("truth/{name}.bvh"))).unwrap();
        let (fixed, [bytes, again]) = corrected(&format!("truth/{name}.bvh"), &weighed(name), &FixSettings::default());
        assert!(fixed.steps.is_empty() && bytes == source && again == source, "{name}");
    }
}
