//! How fast a body falls and steps, in the units of its file: both tell how long a unit is, because gravity is the same
//! for a child and a giant.
//!
//! ```text
//! fall    greatest downward acceleration of the mass center that lasts 0.2 s along a parabola; at most 1 g
//! step    period of the rise and fall of the mass center while walking; natural walks have  f √(L/g) ≈ 0.55
//! ```
//! The mass center is that of de Leva's segments between the joints that the roles name. Source for the step: walks of
//! people of all sizes are dynamically similar (Alexander 1989); 1.8 steps a second on legs of 0.92 m.

use glam::DVec3;

use super::Skeleton;
use super::anthropometry::Anthropometry;
use super::anthropometry_table::{BodySegment, row};
use super::humanoid::{Role, RoleMap, Side};
use crate::motion::{Clip, WorldMotion};

/// How fast a body falls and steps, in the units of its file.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct TimeScale {
    /// Greatest downward acceleration, units/s²; 0 if the body never falls along a parabola.
    pub(crate) fall: f64,
    /// Seconds of a step; `None` without a walk.
    pub(crate) step: Option<f64>,
}

/// Gravity on Earth, m/s².
pub(crate) const GRAVITY: f64 = 9.81;
/// Duration of the parabola, seconds, and least number of its intervals.
const FALL_SECONDS: f64 = 0.2;
const FALL_INTERVALS: usize = 4;
/// Greatest distance from the parabola, root mean square, as a fraction of its height.
const ROUGHNESS: f64 = 0.1;
/// Shortest and longest step, seconds, and the least correlation of the height with itself one step later.
const STEPS: [f64; 2] = [0.2, 0.9];
const CORRELATION: f64 = 0.5;
/// Frequency of natural steps times √(leg/g).
const NATURAL_STEP: f64 = 0.55;

impl TimeScale {
    /// The time scale of a motion with an upward direction.
    pub(crate) fn new(skeleton: &Skeleton, clip: &Clip, map: &RoleMap, up: DVec3) -> Self {
        let heights = mass_center_heights(skeleton, clip, map, up);
        Self { fall: fall(&heights, clip.frame_time), step: step(&heights, clip.frame_time) }
    }

    /// How natural the steps of legs of `leg` meters are: the logarithm of their frequency over the natural one. 0
    /// without a walk.
    pub(crate) fn haste(&self, leg: f64) -> f64 {
        self.step.map_or(0.0, |step| libm::log(libm::sqrt(leg / GRAVITY) / (step * NATURAL_STEP)))
    }
}

/// Heights of the mass center in each frame, file units.
fn mass_center_heights(skeleton: &Skeleton, clip: &Clip, map: &RoleMap, up: DVec3) -> Vec<f64> {
    let bone = |role: Role| map.bone_of(role);
    let mut parts: Vec<(usize, f64)> = Vec::new();
    let mut segment = |segments: &[BodySegment], from: Option<usize>, to: Option<usize>| {
        let (Some(from), Some(to)) = (from.or(to), to.or(from)) else { return };
        for own in segments.iter().map(|&segment| row(Anthropometry::default(), segment)) {
            parts.extend([(from, own.mass * (1.0 - own.center)), (to, own.mass * own.center)]);
        }
    };
    let top = bone(Role::Neck).or(bone(Role::Head));
    segment(&[BodySegment::Head], bone(Role::Head).or(top), None);
    segment(&[BodySegment::UpperTrunk, BodySegment::MiddleTrunk, BodySegment::LowerTrunk], top, bone(Role::Hips));
    for side in [Side::Left, Side::Right] {
        let (elbow, wrist) = (bone(Role::LowerArm(side)), bone(Role::Hand(side)));
        let (knee, ankle) = (bone(Role::LowerLeg(side)), bone(Role::Foot(side)));
        segment(&[BodySegment::UpperArm], bone(Role::UpperArm(side)), elbow);
        segment(&[BodySegment::Forearm], elbow, wrist);
        segment(&[BodySegment::Hand], wrist, None);
        segment(&[BodySegment::Thigh], bone(Role::UpperLeg(side)), knee);
        segment(&[BodySegment::Shank], knee, ankle);
        segment(&[BodySegment::Foot], ankle, None);
    }
    let total: f64 = parts.iter().map(|(_, mass)| mass).sum();
    let world = WorldMotion::new(skeleton, clip);
    let height = |frame: usize| parts.iter().map(|&(bone, mass)| mass * up.dot(world.position(bone, frame))).sum();
    (0..clip.frames()).map(height).map(|sum: f64| sum / total.max(f64::MIN_POSITIVE)).collect()
}

/// Greatest downward acceleration along a parabola.
fn fall(heights: &[f64], frame_time: f64) -> f64 {
    let intervals = (libm::round(FALL_SECONDS / frame_time) as usize).max(FALL_INTERVALS);
    let count = intervals as f64 + 1.0;
    let middle = 0.5 * intervals as f64;
    let square = |k: usize| (k as f64 - middle) * (k as f64 - middle);
    let mean_square = (0..=intervals).map(square).sum::<f64>() / count;
    let spread: f64 = (0..=intervals).map(|k| (square(k) - mean_square) * (square(k) - mean_square)).sum();
    let sum_square = mean_square * count;
    let mut greatest = 0.0_f64;
    for window in heights.windows(intervals + 1) {
        let mean = window.iter().sum::<f64>() / count;
        let slope = window.iter().enumerate().map(|(k, h)| (k as f64 - middle) * h).sum::<f64>() / sum_square;
        let curve = window.iter().enumerate().map(|(k, h)| (square(k) - mean_square) * h).sum::<f64>() / spread;
        let apart = |(k, h): (usize, &f64)| {
            let miss = h - (mean + slope * (k as f64 - middle) + curve * (square(k) - mean_square));
            miss * miss
        };
        let miss = libm::sqrt(window.iter().enumerate().map(apart).sum::<f64>() / count);
        if miss <= ROUGHNESS * curve.abs() * middle * middle {
            greatest = greatest.max(-2.0 * curve / (frame_time * frame_time));
        }
    }
    greatest
}

/// Period of the rise and fall: the first lag at which the height is most like itself.
fn step(heights: &[f64], frame_time: f64) -> Option<f64> {
    let [least, most] = STEPS.map(|seconds| libm::round(seconds / frame_time) as usize);
    if heights.len() < 3 * most.max(1) || least < 2 {
        return None;
    }
    // What is slower than a step is no part of it.
    let around = |frame: usize| &heights[frame.saturating_sub(most / 2)..(frame + most / 2 + 1).min(heights.len())];
    let swing = |frame: usize| heights[frame] - around(frame).iter().sum::<f64>() / around(frame).len() as f64;
    let swings: Vec<f64> = (0..heights.len()).map(swing).collect();
    let product = |lag: usize| swings.iter().zip(&swings[lag..]).map(|(a, b)| a * b).sum::<f64>();
    let own = product(0);
    let alike = |lag: usize| product(lag) / own * swings.len() as f64 / (swings.len() - lag) as f64;
    let likeness: Vec<f64> = (least - 1..=most + 1).map(alike).collect();
    let peak = (1..likeness.len() - 1)
        .find(|&k| likeness[k] >= CORRELATION && likeness[k] >= likeness[k - 1] && likeness[k] >= likeness[k + 1])?;
    Some((peak + least - 1) as f64 * frame_time)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_that_is_thrown_falls_with_the_gravity_of_its_units() {
        // 0.5 s of flight at 386 in/s², between standing.
        let thrown = |frame: usize| {
            let time = (frame as f64 - 30.0) / 30.0;
            if (0.0..0.5).contains(&time) { 40.0 + 96.5 * time - 193.0 * time * time } else { 40.0 }
        };
        let heights: Vec<f64> = (0..90).map(thrown).collect();
        assert!((fall(&heights, 1.0 / 30.0) / 386.0 - 1.0).abs() < 0.02, "{}", fall(&heights, 1.0 / 30.0));
        // A jump of the whole body in one frame is no fall.
        let torn: Vec<f64> = (0..90).map(|frame| if frame < 45 { 80.0 } else { 40.0 }).collect();
        assert_eq!(fall(&torn, 1.0 / 30.0), 0.0);
    }

    #[test]
    fn the_period_of_a_walk_is_that_of_its_steps() {
        let heights: Vec<f64> = (0..120).map(|frame| 90.0 + 2.0 * libm::sin(TAU * frame as f64 / 16.0)).collect();
        assert_eq!(step(&heights, 1.0 / 30.0), Some(16.0 / 30.0));
        let idle: Vec<f64> = (0..120).map(|frame| 90.0 + libm::sin(TAU * frame as f64 / 90.0)).collect();
        assert_eq!(step(&idle, 1.0 / 30.0), None);
    }

    const TAU: f64 = core::f64::consts::TAU;
}
