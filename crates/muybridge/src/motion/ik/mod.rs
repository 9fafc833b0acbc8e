//! Inverse kinematics of a limb: turns its joints so that its end stands at a place, with an orientation.
//!
//! Only rotations of the limb's own joints and of its end change; bones between them ride along, so every length stays.
//! Two long bones are solved in closed form ([`two_bone`]), more by damped least squares ([`chain`]). With `G_i` the turn
//! of everything between joint i and the next (world), the local rotation of joint i becomes
//!
//! ```text
//! q_i ← P⁻¹ G_{i−1}⁻¹ G_i P q_i        P: world orientation of its parent before,  G_{−1} = 1
//! ```
//!
//! and that of the end the same with the turn the goal asks for in place of `G_i`.

pub mod chain;
mod limbs;
pub mod two_bone;

pub use limbs::{bend_of, limbs};

use glam::{DQuat, DVec3};

use super::Clip;
use super::kinematics::world_of;
use crate::character::Skeleton;

/// Joints that may turn and the bone they carry to its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Limb {
    /// The bones whose rotation moves the end, from the trunk outward: hip and knee, shoulder and elbow. Two or more.
    pub joints: Vec<usize>,
    /// The bone that is placed: foot, hand, paw.
    pub end: usize,
    /// Axis the second joint bends about where the limb is nearly straight, a unit vector in the frame of that joint's
    /// bone; positive angles bend the natural way. `None` where nothing is known.
    pub bend: Option<DVec3>,
}

/// Where the end of a limb should be, in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Goal {
    /// Metres.
    pub position: DVec3,
    /// Orientation; what the end has now keeps it.
    pub rotation: DQuat,
}

/// Local rotations that bring a limb to its goal.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IkSolution {
    /// Bone and its new local rotation; empty where the limb is there already.
    pub rotations: Vec<(usize, DQuat)>,
    /// How far from the goal the end stays, metres.
    pub residual: f64,
}

impl IkSolution {
    /// Writes the rotations into a frame.
    pub fn write(&self, clip: &mut Clip, frame: usize) {
        for &(bone, rotation) in &self.rotations {
            clip.set_rotation(bone, frame, rotation);
        }
    }
}

/// World poses along a limb in one frame.
#[derive(Clone, Debug)]
pub struct LimbPose {
    /// Position of every joint and of the end, metres.
    pub positions: Vec<DVec3>,
    /// World orientation of the parent of every joint and of the end's.
    pub parents: Vec<DQuat>,
    /// Local rotation of every joint and of the end.
    pub locals: Vec<DQuat>,
}

impl LimbPose {
    /// The pose of `limb` in a frame of `clip`.
    pub fn new(skeleton: &Skeleton, clip: &Clip, limb: &Limb, frame: usize) -> Self {
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
    pub fn end(&self) -> Goal {
        let last = self.locals.len() - 1;
        Goal { position: self.positions[last], rotation: self.parents[last] * self.locals[last] }
    }

    /// Length of the stretched limb, metres.
    pub fn length(&self) -> f64 {
        self.positions.windows(2).map(|pair| pair[0].distance(pair[1])).sum()
    }
}

/// Differences below this, relative to the limb and in radians, are rounding: nothing is changed for them.
const ROUNDING: f64 = 1e-12;

/// The smallest turns that bring `limb` of a frame of `clip` to `goal`.
///
/// The end is exact where the goal is within reach. The last half percent of the reach is entered softly
/// ([`two_bone::within_reach`]), so that the end moves continuously with the goal through the limit and the middle joint does
/// not snap; beyond it the end points at the goal, and the residual says how far it stays. A limb that is at its goal is
/// not touched.
pub fn solve(skeleton: &Skeleton, clip: &Clip, frame: usize, limb: &Limb, goal: &Goal) -> IkSolution {
    solve_pose(&LimbPose::new(skeleton, clip, limb, frame), limb, goal)
}

/// [`solve`] for a pose at hand.
pub fn solve_pose(pose: &LimbPose, limb: &Limb, goal: &Goal) -> IkSolution {
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
