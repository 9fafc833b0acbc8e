//! Reference motion of a clip: poses, velocities and accelerations of its bodies, by differences of splines through its frames.

use glam::{DQuat, DVec3};

use crate::behavior::RagdollModel;
use crate::behavior::clip_tracker::ClipTracker;
use crate::math::rotation::log;

/// Pose, velocities and accelerations of a body in the clip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Wished {
    /// Center of mass, meters.
    pub center: DVec3,
    /// Orientation of the bone.
    pub turn: DQuat,
    /// Velocity of the center of mass, meters per second.
    pub velocity: DVec3,
    /// Angular velocity, radians per second.
    pub spin: DVec3,
    /// Acceleration of the center of mass, meters per second squared.
    pub acceleration: DVec3,
    /// Angular acceleration, radians per second squared.
    pub spinning_up: DVec3,
}

/// Half of the time over which differences are computed, seconds: faster trembling of a clip is not followed.
const REACH: f64 = 0.02;

/// Reference motion of the bodies of a figure at a world time in seconds. After the clip the bodies rest in its last pose.
pub(crate) fn wished(figure: &RagdollModel, track: &ClipTracker, time: f64) -> Vec<Wished> {
    let end = track.begins + track.clip.duration();
    let time = if time < end { time.min(end - REACH) } else { end + REACH }.max(track.begins + REACH);
    let [before, now, behind] = [-REACH, 0.0, REACH].map(|by| track.posture(time + by).world(&figure.skeleton));
    let of = |bone: usize, center: DVec3| {
        let [x0, x1, x2] = [&before, &now, &behind].map(|pose| pose[bone].0 + pose[bone].1 * center);
        let [q0, q1, q2] = [&before, &now, &behind].map(|pose| pose[bone].1);
        let [in_turn, out_turn] = [(q0, q1), (q1, q2)].map(|(a, b)| log(b * a.conjugate()) / REACH);
        Wished {
            center: x1,
            turn: q1,
            velocity: (x2 - x0) / (2.0 * REACH),
            spin: 0.5 * (in_turn + out_turn),
            acceleration: (x2 - 2.0 * x1 + x0) / (REACH * REACH),
            spinning_up: (out_turn - in_turn) / REACH,
        }
    };
    figure.bodies.iter().map(|part| of(part.bone, part.center)).collect()
}

impl Wished {
    /// Position and velocity of a point of the body, given relative to its center of mass in the axes of the bone.
    pub(crate) fn point(&self, in_bone: DVec3) -> (DVec3, DVec3) {
        let arm = self.turn * in_bone;
        (self.center + arm, self.velocity + self.spin.cross(arm))
    }
}
