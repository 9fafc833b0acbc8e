//! Inverse kinematics of a limb: rotates its joints so that its end reaches a position and orientation.
//!
//! Only rotations of the limb's joints and of its end change; bones between them move along, so all lengths are kept.
//! Two long bones are solved in closed form ([`two_bone`]), more by damped least squares ([`chain`]). With `G_i` the
//! world rotation applied to everything between joint i and the next, the local rotation of joint i becomes
//! ```text
//! q_i ← P⁻¹ G_{i−1}⁻¹ G_i P q_i        P: world orientation of its parent before,  G_{−1} = 1
//! ```
//!
//! The local rotation of the end changes likewise, with the rotation that the goal demands in place of `G_i`.

pub(crate) mod chain;
mod limbs;
pub(crate) mod two_bone;

pub(crate) use limbs::{bend_of, limbs};

use glam::{DQuat, DVec3};

use super::Clip;
use super::kinematics::world_of;
use crate::character::Skeleton;

/// Rotating joints of a limb and the end bone that they move.
#[derive(Clone, Debug, PartialEq)]
pub struct Limb {
    /// Bones whose rotation moves the end, from the trunk outward: hip and knee, shoulder and elbow. Two or more.
    pub joints: Vec<usize>,
    /// Bone to be placed: foot, hand, paw.
    pub end: usize,
    /// Bend axis of the second joint for a nearly straight limb, a unit vector in the frame of that joint's bone;
    /// positive angles bend the natural way. `None` if unknown.
    pub bend: Option<DVec3>,
}

/// Target pose of a limb's end, in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Goal {
    /// Target position, meters.
    pub position: DVec3,
    /// Target orientation; the current orientation of the end leaves it unchanged.
    pub rotation: DQuat,
}

/// Local rotations that move a limb to its goal.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct IkSolution {
    /// Bones and their new local rotations; empty if the limb is at its goal already.
    pub rotations: Vec<(usize, DQuat)>,
    /// Remaining distance of the end from the goal, meters.
    pub residual: f64,
}

impl IkSolution {
    /// Writes the rotations into a frame of a clip.
    pub(crate) fn write(&self, clip: &mut Clip, frame: usize) {
        for &(bone, rotation) in &self.rotations {
            clip.set_rotation(bone, frame, rotation);
        }
    }
}

/// World poses along a limb in one frame.
#[derive(Clone, Debug)]
pub(crate) struct LimbPose {
    /// Position of every joint and of the end, meters.
    pub positions: Vec<DVec3>,
    /// World orientation of the parent of every joint and of the end.
    pub parents: Vec<DQuat>,
    /// Local rotation of every joint and of the end.
    pub locals: Vec<DQuat>,
}

impl LimbPose {
    /// The pose of `limb` in a frame of `clip`.
    pub(crate) fn new(skeleton: &Skeleton, clip: &Clip, limb: &Limb, frame: usize) -> Self {
        let bones = || limb.joints.iter().copied().chain([limb.end]);
        let above = |bone: usize| skeleton.bones()[bone].parent.map(|parent| world_of(skeleton, clip, parent, frame));
        let parents: Vec<(DVec3, DQuat)> =
            bones().map(|b| above(b).unwrap_or((DVec3::ZERO, DQuat::IDENTITY))).collect();
        Self {
            positions: bones().zip(&parents).map(|(b, (p, q))| *p + *q * clip.translation(b, frame)).collect(),
            parents: parents.iter().map(|(_, q)| *q).collect(),
            locals: bones().map(|bone| clip.rotation(bone, frame)).collect(),
        }
    }

    /// Position and orientation of the end.
    pub(crate) fn end(&self) -> Goal {
        let last = self.locals.len() - 1;
        Goal { position: self.positions[last], rotation: self.parents[last] * self.locals[last] }
    }

    /// Length of the straightened limb, meters.
    pub(crate) fn length(&self) -> f64 {
        self.positions.windows(2).map(|pair| pair[0].distance(pair[1])).sum()
    }
}

/// Relative size (of the limb's length, and in radians) below which differences are rounding errors and ignored.
const ROUNDING: f64 = 1e-12;

/// Smallest rotations that bring `limb` of a frame of `clip` to `goal`.
///
/// The end is exact if the goal is within reach. The last half percent of the reach is approached world_of_soft
/// ([`two_bone::within_reach`]), so that the end moves continuously with the goal through the limit and the middle
/// joint does not snap. Beyond the reach the end points at the goal, and the residual is the remaining distance. A limb
/// at its goal is unchanged.
pub(crate) fn solve(skeleton: &Skeleton, clip: &Clip, frame: usize, limb: &Limb, goal: &Goal) -> IkSolution {
    solve_pose(&LimbPose::new(skeleton, clip, limb, frame), limb, goal)
}

/// [`solve`] for a given pose.
pub(crate) fn solve_pose(pose: &LimbPose, limb: &Limb, goal: &Goal) -> IkSolution {
    let end = pose.end();
    let asked = (goal.rotation * end.rotation.conjugate()).normalize();
    let moved = goal.position.distance(end.position);
    let turned = DVec3::new(asked.x, asked.y, asked.z).length();
    if moved <= ROUNDING * pose.length() && turned <= ROUNDING {
        return IkSolution { rotations: Vec::new(), residual: moved };
    }
    let parts: Vec<DVec3> = pose.positions.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let to = goal.position - pose.positions[0];
    let hinge = limb.bend.map(|axis| pose.parents[1] * pose.locals[1] * axis);
    let mut turns = match parts.as_slice() {
        _ if moved <= ROUNDING * pose.length() => vec![DQuat::IDENTITY; parts.len()],
        &[upper, lower] => two_bone::solve(upper, lower, to, hinge).to_vec(),
        parts => chain::solve(parts, to, hinge),
    };
    let reached: DVec3 = parts.iter().zip(&turns).map(|(part, turn)| *turn * *part).sum();
    turns.push(asked);
    let bones = limb.joints.iter().copied().chain([limb.end]);
    let mut before = DQuat::IDENTITY;
    let mut rotations = Vec::with_capacity(turns.len());
    for (at, (bone, turn)) in bones.zip(turns).enumerate() {
        let parent = pose.parents[at];
        let local = parent.conjugate() * before.conjugate() * turn * parent * pose.locals[at];
        rotations.push((bone, local.normalize()));
        before = turn;
    }
    IkSolution { rotations, residual: reached.distance(to) }
}

#[cfg(test)]
mod tests;
