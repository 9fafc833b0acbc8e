//! Clip tracking: drives the joints along a clip, optionally with a root assist for its root, and lets a ragdoll get up from where it lies.
//!
//! ```text
//! target    the clip's pose at the end of the step, rate of the motion within the step: no lag
//! root      a root assist with the clip's position, rotation and their rates; without it the figure is on its own
//! helped    the assist gives at most  k max_{|s| < S} (1 − |s|/S) m(t + s) + e b,  m the wrench the clip's floor cannot give, b its
//!           reserve, e from 0 to 1 while the capture point c + ċ √(L/g) is 0.1 to 0.2 m from the clip's: after a push
//! get up    posture = (1 − e) lying + e clip,  e = 6u⁵ − 15u⁴ + 10u³,  u = t/T;  the clip is moved to where the figure lies
//! ```
//! Specification: mathematics 8.1 (R20).

use glam::{DQuat, DVec3};

use super::action::Ease;
use super::pose_target::{PoseTarget, RootAssist};
use super::{Posture, RagdollModel, Sensed};
use crate::analysis::feasibility::Feasibility;
use crate::math::rotation::{about, log};
use crate::motion::Clip;

/// A clip to follow, with the settings of its tracking.
#[derive(Clone, Debug, PartialEq)]
pub struct ClipTracker {
    /// Clip of the figure's skeleton.
    pub clip: Clip,
    /// World time at which the clip begins, seconds.
    pub begins: f64,
    /// Strengths, frequencies and limits of the joints. Rotations and rates come from the clip.
    pub drive: PoseTarget,
    /// Settings of the root assist; `None` for no assist. Position and velocities come from the clip.
    pub lead: Option<RootAssist>,
    /// Limits of the root assist that vary along the clip; `None` uses the limits in `lead`.
    pub helped: Option<Helped>,
    /// Transform from the clip's ground to the world: offset (meters) and rotation; the rotation is applied first.
    pub moved: (DVec3, DQuat),
    /// Getting up: start posture, start time and duration, seconds; `None` while the figure follows the clip.
    pub from: Option<(Posture, f64, f64)>,
}

/// Limits of a root assist that gives only the wrench that a clip needs beyond the ability of its floor.
#[derive(Clone, Debug, PartialEq)]
pub struct Helped {
    /// Time between frames of the clip, seconds.
    frame_time: f64,
    /// Force limit (N) and moment limit (N m) at each frame of the clip.
    most: Vec<[f64; 2]>,
    /// Additional force (N) and moment (N m) that is available when the figure deviates from the clip.
    reserve: [f64; 2],
    /// Leg length, meters.
    length: f64,
}

/// Time before and after a frame with a missing wrench over which the limits fade in and out, seconds: deviations are corrected in this time.
const RETURN: f64 = 0.4;
/// Deviation of the capture point at which the reserve begins, and at which it is complete, meters.
const OFF: [f64; 2] = [0.1, 0.2];

impl Helped {
    /// Computes limits as `times` the missing wrench at each moment, fading around it, and a reserve of force (N) and moment (N m) for recovery
    /// from pushes.
    pub(crate) fn new(missing: &Feasibility, times: f64, reserve: [f64; 2]) -> Self {
        let reach = libm::ceil(RETURN / missing.frame_time) as usize;
        let frames = missing.missing.len();
        let at = |frame: usize| {
            let mut greatest = [0.0_f64; 2];
            for other in frame.saturating_sub(reach)..(frame + reach + 1).min(frames) {
                let fade = (1.0 - other.abs_diff(frame) as f64 * missing.frame_time / RETURN).max(0.0);
                let own = &missing.missing[other];
                for (greatest, size) in greatest.iter_mut().zip([own.force.length(), own.moment.length()]) {
                    *greatest = greatest.max(fade * size);
                }
            }
            greatest.map(|greatest| times * greatest)
        };
        let most = (0..frames).map(at).collect();
        Self { frame_time: missing.frame_time, most, reserve, length: missing.length }
    }

    /// Applies the limits to a root assist, at a time in seconds from the clip's first frame and for a deviation `off` of the capture point in
    /// meters.
    fn bound(&self, lead: RootAssist, seconds: f64, off: f64) -> RootAssist {
        let frame = libm::round(seconds / self.frame_time).max(0.0) as usize;
        let most = self.most.get(frame).or(self.most.last()).copied().unwrap_or_default();
        let share = ((off - OFF[0]) / (OFF[1] - OFF[0])).clamp(0.0, 1.0);
        let with = |index: usize| most[index] + share * self.reserve[index];
        RootAssist { most_force: with(0), most_moment: with(1), ..lead }
    }
}

impl ClipTracker {
    /// Track of a figure on a clip that begins at `begins`, with all joints at `strength` (0 to 1) and `frequency` (hertz), without root assist.
    pub fn new(figure: &RagdollModel, clip: Clip, begins: f64, strength: f64, frequency: f64) -> Self {
        let drive = PoseTarget::stiff(figure, strength, frequency);
        Self { clip, begins, drive, lead: None, helped: None, moved: (DVec3::ZERO, DQuat::IDENTITY), from: None }
    }

    /// Begins to get up from the current pose: turns and moves the clip so that its root starts above the figure, and blends to the clip within
    /// `seconds`.
    pub(crate) fn get_up(&mut self, figure: &RagdollModel, sensed: &Sensed, seconds: f64) {
        let lying = Posture::of_pose(&figure.skeleton, &sensed.pose);
        self.begins = sensed.time + seconds;
        self.moved = (DVec3::ZERO, DQuat::IDENTITY);
        let (first, now) = (Posture::of_clip(&self.clip, 0.0), &lying);
        let turn = heading(now.rotations[0] * first.rotations[0].conjugate());
        let offset = now.translations[0] - turn * first.translations[0];
        self.moved = (DVec3::new(offset.x, 0.0, offset.z), turn);
        self.from = Some((lying, sensed.time, seconds.max(1e-9)));
    }

    /// The clip transformed to its place in the world.
    pub(crate) fn in_world(&self) -> Clip {
        let mut clip = self.clip.clone();
        for frame in 0..clip.frames() {
            let (place, turn) = self.moved(clip.translation(0, frame), clip.rotation(0, frame));
            clip.set_translation(0, frame, place);
            clip.set_rotation(0, frame, turn);
        }
        clip
    }

    /// Transforms a root pose from the clip to the world.
    fn moved(&self, place: DVec3, rotation: DQuat) -> (DVec3, DQuat) {
        let (offset, turn) = self.moved;
        (turn * place + offset, (turn * rotation).normalize())
    }

    /// Target posture at a world time in seconds.
    pub(crate) fn posture(&self, time: f64) -> Posture {
        let mut posture = Posture::of_clip(&self.clip, time - self.begins);
        let root = self.moved(posture.translations[0], posture.rotations[0]);
        (posture.translations[0], posture.rotations[0]) = root;
        match &self.from {
            Some((lying, began, seconds)) => lying.blended(&posture, Ease::Quintic.of((time - began) / seconds)),
            None => posture,
        }
    }

    /// Computes joint targets and root assist for the next step.
    pub fn decide(&self, figure: &RagdollModel, sensed: &Sensed) -> PoseTarget {
        let h = sensed.step;
        let (now, next) = (self.posture(sensed.time), self.posture(sensed.time + h));
        let mut wanted = self.drive.clone();
        next.arrive(figure, (&now, h), &mut wanted);
        let bound = |lead: RootAssist| match &self.helped {
            Some(helped) => {
                let off = capture_off(figure, sensed, [&now, &next], helped.length);
                helped.bound(lead, sensed.time - self.begins, off)
            }
            None => lead,
        };
        let lead = self.lead.map(bound);
        wanted.lead = lead.map(|lead| RootAssist {
            position: now.translations[0],
            rotation: now.rotations[0],
            velocity: (next.translations[0] - now.translations[0]) / h,
            angular_velocity: log(next.rotations[0] * now.rotations[0].conjugate()) / h,
            ..lead
        });
        wanted
    }
}

/// Horizontal deviation of the capture point from the clip's, meters. `postures` are those at the start and the end of the step, `length` is the
/// leg length.
fn capture_off(figure: &RagdollModel, sensed: &Sensed, postures: [&Posture; 2], length: f64) -> f64 {
    let [now, next] = postures.map(|posture| figure.mass_center(&posture.world(&figure.skeleton)));
    let slower = sensed.velocity - (next - now) / sensed.step;
    let off = sensed.mass_center - now + slower * libm::sqrt(length / sensed.gravity.length().max(0.1));
    libm::hypot(off.x, off.z)
}

/// Part of a rotation about the vertical.
fn heading(turn: DQuat) -> DQuat {
    let forward = turn * DVec3::Z;
    about(DVec3::Y, libm::atan2(forward.x, forward.z))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::feasibility::Missing;
    use crate::behavior::tracking_error::hand;

    #[test]
    fn a_hand_that_helps_gives_so_many_times_what_is_missing_and_fades_around_it() {
        let mut missing = vec![Missing::default(); 101];
        missing[50] = Missing { force: DVec3::Y * 100.0, moment: DVec3::X * 20.0, share: 1.0 };
        let inside = vec![0.0; missing.len()];
        let found = Feasibility { frame_time: 0.02, weight: 700.0, length: 0.9, floor: Some(0.0), missing, inside };
        let helped = Helped::new(&found, 1.5, [70.0, 35.0]);
        let most = |seconds: f64, off: f64| {
            let lead = helped.bound(hand(0.1), seconds, off);
            [lead.most_force, lead.most_moment]
        };
        let near = |found: [f64; 2], expected: [f64; 2]| {
            assert!(
                (found[0] - expected[0]).abs() < 1e-9 && (found[1] - expected[1]).abs() < 1e-9,
                "{found:?} {expected:?}"
            );
        };
        near(most(1.0, 0.0), [150.0, 30.0]);
        // Halfway through the return time of 0.4 s the limit is half, before and after; beyond it is zero.
        near(most(0.8, 0.0), [75.0, 15.0]);
        near(most(1.2, 0.05), [75.0, 15.0]);
        near(most(0.5, 0.0), [0.0, 0.0]);
        near(most(9.0, 0.0), [0.0, 0.0]);
        // The reserve depends on the deviation: none at 0.1 m, half at 0.15 m, all from 0.2 m on.
        near(most(0.0, 0.1), [0.0, 0.0]);
        near(most(0.0, 0.15), [35.0, 17.5]);
        near(most(1.0, 0.5), [220.0, 65.0]);
    }
}
