//! How the bodies of a clip are, move and are accelerated at a time: differences of splines through its frames.

use glam::{DQuat, DVec3};

use crate::behavior::RagdollModel;
use crate::behavior::clip_tracker::ClipTracker;
use crate::math::rotation::log;

/// A body of the clip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wished {
    /// Center of mass, metres.
    pub center: DVec3,
    /// Of the bone.
    pub turn: DQuat,
    /// Metres per second.
    pub velocity: DVec3,
    /// Radians per second.
    pub spin: DVec3,
    /// Metres per second squared.
    pub acceleration: DVec3,
    /// Radians per second squared.
    pub spinning_up: DVec3,
}

/// Half of what differences are taken over, seconds: what trembles faster in a clip is not followed.
const REACH: f64 = 0.02;

/// The bodies of a figure at a time of the world, seconds. After the clip they rest as it ended.
pub fn wished(figure: &RagdollModel, track: &ClipTracker, time: f64) -> Vec<Wished> {
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
    /// Where a place that moves with the body is and how fast, by where it is on the body as it is: from its center, axes of the bone.
    pub fn point(&self, in_bone: DVec3) -> (DVec3, DVec3) {
        let arm = self.turn * in_bone;
        (self.center + arm, self.velocity + self.spin.cross(arm))
    }
}
