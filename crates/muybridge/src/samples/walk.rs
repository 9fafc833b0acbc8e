//! A physically correct walk of five swings: the center of mass moves so that the zero-moment point stays under a foot.
//!
//! ```text
//! c − (h/g) c̈ = p    (center of mass at constant height h over a point of support p)
//! (1 + 2k) c_i − k (c_{i−1} + c_{i+1}) = p_i,   k = h/(g Δt²)
//! ```
//! `p` stays under the standing foot while the other swings and moves over while both stand. The second line is the
//! first with second differences, solved for all frames at once (a tridiagonal system), at rest at both ends.

use glam::DVec3;

use super::figures::{HALF_HIPS, LEG, humanoid};
use super::stance::{Leg, Person, SampleStance, ease};
use crate::motion::Clip;

const FRAMES_PER_SECOND: f64 = 60.0;
const GRAVITY: f64 = 9.81;
/// Numbers of frames of standing at either end, of double support, and of one swing.
const STILL: usize = 45;
const DOUBLE: usize = 14;
const SINGLE: usize = 26;
/// Distance by which each swing carries its foot, left first, meters: half at start and end.
const SWINGS: [f64; 5] = [0.18, 0.36, 0.36, 0.36, 0.18];
/// Height of a swinging foot and sink of the body for walking, meters.
const CLEARANCE: f64 = 0.06;
const SINK: f64 = 0.055;
/// Distance of the foot's middle ahead of the ankle, meters.
const MIDDLE: f64 = 0.05;
const FRAMES: usize = 2 * STILL + SWINGS.len() * (DOUBLE + SINGLE) + DOUBLE;

/// The walk of [`humanoid`] along +z by 0.72 m: five swings of 0.36 m, the first and last of 0.18 m; 60 frames per
/// second.
pub fn walk() -> Clip {
    let character = humanoid();
    let person = Person::new(&character);
    let mut clip = Clip::new(character.skeleton.len(), FRAMES, 1.0 / FRAMES_PER_SECOND).expect("a frame time");
    clip.name = "walk".into();
    let start = stance(0);
    let standing = person.posed(&start, DVec3::new(0.0, LEG.iter().sum::<f64>() - SINK, 0.0));
    let height = person.center(&standing).y;
    for (frame, center) in mass_centers(height).into_iter().enumerate() {
        person.write(&person.balanced(&stance(frame), center), &mut clip, frame);
    }
    clip
}

/// Positions of left and right ankle, and the share of weight on the left foot.
fn feet(frame: usize) -> ([DVec3; 2], f64) {
    let mut ankles = [HALF_HIPS, -HALF_HIPS].map(|x| DVec3::new(x, LEG[2], -MIDDLE));
    let mut weight = 0.5;
    let mut begin = STILL;
    for (at, length) in SWINGS.into_iter().enumerate() {
        let swinging = at % 2;
        let passed = ease((frame as f64 - begin as f64) / DOUBLE as f64);
        weight += (swinging as f64 - weight) * passed;
        begin += DOUBLE;
        let swung = (frame as f64 - begin as f64) / SINGLE as f64;
        let share = ease(swung);
        ankles[swinging] +=
            DVec3::new(0.0, CLEARANCE * 16.0 * share * share * (1.0 - share) * (1.0 - share), length * share);
        begin += SINGLE;
    }
    weight += (0.5 - weight) * ease((frame as f64 - begin as f64) / DOUBLE as f64);
    (ankles, weight)
}

fn stance(frame: usize) -> SampleStance {
    let (ankles, _) = feet(frame);
    let stride = ankles[0].z - ankles[1].z;
    SampleStance { lean: 0.04, arms: [0.7 * stride, -0.7 * stride], legs: ankles.map(Leg::Ankle), feet: [0.0; 2] }
}

/// Point of support (zero-moment point) on the ground, meters.
fn support(frame: usize) -> DVec3 {
    let (ankles, left) = feet(frame);
    let point = ankles[1].lerp(ankles[0], left);
    DVec3::new(point.x, 0.0, point.z + MIDDLE)
}

/// Center of mass in every frame, by forward elimination and back substitution.
fn mass_centers(height: f64) -> Vec<DVec3> {
    let k = height * FRAMES_PER_SECOND * FRAMES_PER_SECOND / GRAVITY;
    let mut ratios = vec![0.0];
    let mut values = vec![support(0)];
    for frame in 1..FRAMES - 1 {
        let pivot = 1.0 + 2.0 * k - k * ratios[frame - 1];
        ratios.push(k / pivot);
        values.push((support(frame) + values[frame - 1] * k) / pivot);
    }
    let mut centers = vec![support(FRAMES - 1); FRAMES];
    for frame in (0..FRAMES - 1).rev() {
        centers[frame] = values[frame] + centers[frame + 1] * ratios[frame];
    }
    centers.into_iter().map(|center| DVec3::new(center.x, height, center.z)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::character::{Role, Side};
    use crate::motion::WorldMotion;

    #[test]
    fn a_foot_that_bears_does_not_move_and_the_body_goes_four_steps_ahead() {
        let (character, clip) = (humanoid(), walk());
        let world = WorldMotion::new(&character.skeleton, &clip);
        let feet = [Side::Left, Side::Right].map(|side| character.bone_of(Role::Foot(side)).unwrap());
        let mut swings = 0;
        for frame in 1..FRAMES {
            let moved = feet.map(|foot| world.position(foot, frame).distance(world.position(foot, frame - 1)));
            assert!(moved[0].min(moved[1]) < 1e-9, "frame {frame}: both feet move");
            for (side, foot) in feet.into_iter().enumerate() {
                assert!((world.rotation(foot, frame) * DVec3::Y - DVec3::Y).length() < 1e-9, "frame {frame}");
                let planned = super::feet(frame).0[side];
                assert!(world.position(foot, frame).distance(planned) < 1e-3, "frame {frame}: the leg is too short");
            }
            let lifted = |frame: usize| feet.map(|foot| world.position(foot, frame).y > LEG[2] + 0.03);
            swings += (0..2).filter(|&side| lifted(frame)[side] && !lifted(frame - 1)[side]).count();
        }
        assert_eq!(swings, SWINGS.len());
        let hips = character.bone_of(Role::Hips).unwrap();
        let went = world.position(hips, FRAMES - 1).z - world.position(hips, 0).z;
        assert!((went - 0.72).abs() < 1e-3, "{went}");
    }

    #[test]
    fn the_support_point_that_the_mass_center_asks_for_is_under_the_feet() {
        let (character, clip) = (humanoid(), walk());
        let world = WorldMotion::new(&character.skeleton, &clip);
        let center = |frame: usize| -> DVec3 {
            let bodies = character.bodies.iter().enumerate();
            let moment: DVec3 = bodies.map(|(bone, body)| world.point(bone, frame, body.center) * body.mass).sum();
            moment / character.mass()
        };
        for frame in 1..FRAMES - 1 {
            let [before, at, after] = [center(frame - 1), center(frame), center(frame + 1)];
            let acceleration = (after - at * 2.0 + before) * FRAMES_PER_SECOND * FRAMES_PER_SECOND;
            let point = at - acceleration * (at.y / GRAVITY);
            let miss = DVec3::new(point.x, 0.0, point.z) - support(frame);
            assert!(miss.length() < 1e-6, "frame {frame}: {miss}");
        }
    }
}
