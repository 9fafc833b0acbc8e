//! Refuses numbers that no body and no recording has, before arithmetic with them overflows.
//!
//! The bounds are generous: within them squares, products and quotients of the analysis stay far below the greatest `f64`.
//! Every clip passes here before it is analyzed, corrected or converted.

use muybridge::character::{Character, Skeleton};
use muybridge::collision::shape::{PlacedShape, Shape};
use muybridge::glam::DVec3;
use muybridge::motion::Clip;

use crate::{Error, Location};

/// Greatest distance of a bone from the origin, and greatest size of anything, meters: more than to the moon.
pub const FARTHEST: f64 = 1e9;

/// Shortest and longest time between frames, seconds.
const FRAME_TIMES: [f64; 2] = [1e-7, 1e7];

/// Greatest time of a first frame, seconds: more than 30,000 years.
const LATEST: f64 = 1e12;

/// Smallest and greatest unit that an option may give, meters: what is written in it is read again.
pub(crate) const UNITS_OF_OPTIONS: [f64; 2] = [1e-8, 1e8];

/// Smallest and greatest unit, meters.
pub const UNITS: [f64; 2] = [1e-9, 1e9];

/// Least and greatest mass of a body that has any, kilograms.
const MASSES: [f64; 2] = [1e-30, 1e30];

/// Greatest moment of inertia, kg m².
const GREATEST_INERTIA: f64 = 1e48;

pub(crate) fn is_within(value: f64, [low, high]: [f64; 2]) -> bool {
    (low..=high).contains(&value)
}

/// Whether a vector is shorter than [`FARTHEST`] along every axis.
fn is_near(vector: DVec3) -> bool {
    vector.to_array().iter().all(|value| value.abs() <= FARTHEST)
}

/// Checks the numbers of a clip as the file has them: all finite, and frames at times that a recording has.
pub(crate) fn check_clip(clip: &Clip) -> Result<(), Error> {
    clip.check_finite().map_err(|error| Error::new(Location::File, error.to_string()))?;
    let (seconds, start) = (clip.frame_time, clip.start_time);
    if !is_within(seconds, FRAME_TIMES) {
        let [least, most] = FRAME_TIMES;
        let message =
            format!("the frames are {seconds:e} s apart; a motion has from {least:e} to {most:e} s between frames");
        return Err(Error::new(Location::File, message));
    }
    if !is_within(start, [-LATEST, LATEST]) {
        return Err(Error::new(Location::File, format!("the clip begins at {start:e} s; let it begin at 0")));
    }
    Ok(())
}

/// Checks that a unit is one of lengths.
pub(crate) fn check_unit(meters: f64) -> Result<(), Error> {
    let [least, most] = UNITS;
    let message = || format!("a unit of {meters:e} m is not within {least:e} to {most:e} m; give the unit with --unit");
    is_within(meters, UNITS).then_some(()).ok_or_else(|| Error::new(Location::File, message()))
}

/// Checks that no bone of a motion in meters is ever beyond [`FARTHEST`]. The error names the bone that is farthest from
/// its parent, and the frame.
pub(crate) fn check_motion(skeleton: &Skeleton, clip: &Clip) -> Result<(), Error> {
    let bones = skeleton.bones();
    let mut reach: Vec<f64> = Vec::with_capacity(bones.len());
    let mut longest = (0.0, 0);
    for (index, bone) in bones.iter().enumerate() {
        let way = [0, 1, 2].map(|axis| greatest(clip.translation_track(index, axis)).max(bone.translation[axis].abs()));
        let own = way.iter().sum::<f64>();
        let ends = bone.ends.iter().map(|end| end.abs().element_sum()).fold(0.0, f64::max);
        if own.max(ends) > longest.0 {
            longest = (own.max(ends), index);
        }
        let here = bone.parent.map_or(0.0, |parent| reach[parent]) + own;
        reach.push(here);
        if here + ends <= FARTHEST {
            continue;
        }
        let (length, farthest) = longest;
        let tracks = [0, 1, 2].map(|axis| clip.translation_track(farthest, axis));
        let frame = (0..clip.frames()).find(|&frame| tracks.iter().any(|track| 3.0 * track[frame].abs() >= length));
        let place = frame.map_or_else(|| "at rest".to_owned(), |frame| format!("in frame {frame}"));
        let message = format!(
            "is {length:.0e} m from its parent {place}, and no bone is beyond {FARTHEST:.0e} m; mend that number, or \
             give the unit with --unit"
        );
        return Err(Error::new(Location::Named(bones[farthest].name.clone()), message));
    }
    Ok(())
}

/// Greatest absolute value.
fn greatest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |most, value| value.abs().max(most))
}

/// Checks masses, inertias, shapes and contact points. The error names the bone.
pub(crate) fn check_character(character: &Character) -> Result<(), Error> {
    let bones = character.skeleton.bones();
    let wrong = |bone: usize, message: String| Err(Error::new(Location::Named(bones[bone].name.clone()), message));
    for (bone, body) in character.bodies.iter().enumerate() {
        if body.mass != 0.0 && !is_within(body.mass, MASSES) {
            let [least, most] = MASSES;
            return wrong(bone, format!("a mass of {:e} kg is not within {least:e} to {most:e} kg", body.mass));
        }
        if !is_near(body.center) {
            return wrong(bone, format!("its center of mass is beyond {FARTHEST:.0e} m"));
        }
        if !body.inertia.to_cols_array().iter().all(|moment| moment.abs() <= GREATEST_INERTIA) {
            return wrong(bone, format!("its inertia is beyond {GREATEST_INERTIA:.0e} kg m²"));
        }
        if !body.shapes.iter().all(is_small) {
            return wrong(bone, format!("one of its shapes is larger than {FARTHEST:.0e} m, or farther away"));
        }
    }
    match character.contacts.iter().find(|point| !(is_near(point.position) && point.radius.abs() <= FARTHEST)) {
        Some(point) => wrong(point.bone, format!("one of its contact points is beyond {FARTHEST:.0e} m")),
        None => Ok(()),
    }
}

/// Whether a point of a mesh can belong to a body: a tenth of [`FARTHEST`] leaves room for the bones it hangs on.
pub(crate) fn is_of_a_body(point: DVec3) -> bool {
    is_near(10.0 * point)
}

/// Whether a shape and its place are below [`FARTHEST`].
pub(crate) fn is_small(placed: &PlacedShape) -> bool {
    let size = match placed.shape {
        Shape::Sphere { radius } => DVec3::splat(radius),
        Shape::Capsule { radius, half_length } | Shape::Cylinder { radius, half_length } => {
            DVec3::new(radius, half_length, 0.0)
        }
        Shape::Box { half_extents } => half_extents,
        Shape::Ellipsoid { semi_axes } => semi_axes,
    };
    is_near(size) && is_near(placed.position)
}

#[cfg(test)]
mod tests {
    use muybridge::glam::DVec3;
    use muybridge::samples;

    use super::*;

    #[test]
    fn a_bone_beyond_the_moon_is_named_with_its_frame() {
        let (character, mut clip) = (samples::humanoid(), samples::jump());
        assert_eq!(check_motion(&character.skeleton, &clip), Ok(()));
        clip.set_translation(3, 7, DVec3::new(0.0, 1e300, 0.0));
        let error = check_motion(&character.skeleton, &clip).unwrap_err();
        assert_eq!(error.place, Location::Named(character.skeleton.bones()[3].name.clone()));
        assert!(error.message.contains("1e300 m from its parent in frame 7"), "{error}");
    }

    #[test]
    fn bones_that_reach_too_far_together_are_refused() {
        let (character, mut clip) = (samples::humanoid(), samples::jump());
        for bone in 0..clip.bones() {
            clip.set_translation(bone, 0, DVec3::new(3e8, 0.0, 0.0));
        }
        assert!(check_motion(&character.skeleton, &clip).is_err());
    }

    #[test]
    fn a_mass_no_body_has_is_refused() {
        let mut character = samples::humanoid();
        assert_eq!(check_character(&character), Ok(()));
        for mass in [1e300, 1e-300, f64::NAN, -1.0] {
            character.bodies[2].mass = mass;
            assert!(check_character(&character).is_err(), "{mass} kg");
        }
    }
}
