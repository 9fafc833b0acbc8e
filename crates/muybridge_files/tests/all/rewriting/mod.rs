//! Helpers of the rewriting tests: files of the shared data, corrections, and comparison of clips.
use crate::test_files;

use muybridge::glam::DVec3;
use muybridge::math::rotation::about;
use muybridge::motion::{Clip, WorldMotion};
use muybridge_files::{OpenOptions, Opened, Preparation, Prepared, open, prepare};

/// Opens a file of the shared data.
pub fn opened(name: &str) -> Opened {
    open(&test_files::path(name), &OpenOptions::default()).unwrap_or_else(|error| panic!("{error}"))
}

/// Prepares clip `index` in meters, y up.
pub fn prepared(opened: &Opened, index: usize) -> Prepared {
    prepare(&opened.imported, index, &Preparation::default()).unwrap()
}

/// Prepares clip `index` with the units and axes of `before`.
pub fn prepared_like(opened: &Opened, index: usize, before: &Prepared) -> Prepared {
    let (unit, up) = (Some(before.units.meters_per_unit), Some(before.units.up));
    prepare(&opened.imported, index, &Preparation { unit, up, ..Preparation::default() }).unwrap()
}

/// The clip with its roots shifted by up to `meters` in the frames `first..=last`, most in the middle.
pub fn shifted(prepared: &Prepared, (first, last): (usize, usize), metres: DVec3) -> Clip {
    let mut clip = prepared.clip.clone();
    for root in prepared.character.skeleton.roots() {
        for frame in first..=last {
            let u = (frame - first + 1) as f64 / (last - first + 2) as f64;
            let moved = clip.translation(root, frame) + metres * (4.0 * u * (1.0 - u));
            clip.set_translation(root, frame, moved);
        }
    }
    clip
}

/// The clip with its roots rotated about the vertical by up to `radians` in the frames `first..=last`.
pub fn spun(prepared: &Prepared, (first, last): (usize, usize), radians: f64) -> Clip {
    let mut clip = prepared.clip.clone();
    for root in prepared.character.skeleton.roots() {
        for frame in first..=last {
            let u = (frame - first + 1) as f64 / (last - first + 2) as f64;
            let turn = about(DVec3::Y, radians * 4.0 * u * (1.0 - u));
            clip.set_rotation(root, frame, (turn * clip.rotation(root, frame)).normalize());
        }
    }
    clip
}

/// The greatest distance between the joints of two clips of one character, meters.
pub fn distance(character: &Prepared, one: &Clip, other: &Clip) -> f64 {
    assert_eq!((one.frames(), one.bones()), (other.frames(), other.bones()));
    let skeleton = &character.character.skeleton;
    let (a, b) = (WorldMotion::new(skeleton, one), WorldMotion::new(skeleton, other));
    let pairs = (0..one.bones()).flat_map(|bone| (0..one.frames()).map(move |frame| (bone, frame)));
    pairs.map(|(bone, frame)| a.position(bone, frame).distance(b.position(bone, frame))).fold(0.0, f64::max)
}

/// Whether a frame of one clip equals a frame of another bit for bit.
pub fn same_frame(one: &Clip, frame: usize, other: &Clip, there: usize) -> bool {
    (0..one.bones()).all(|bone| {
        one.rotation(bone, frame) == other.rotation(bone, there)
            && one.translation(bone, frame) == other.translation(bone, there)
    })
}
