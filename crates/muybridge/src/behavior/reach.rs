//! Reaching: a limb's end is brought to a place by inverse kinematics from where the trunk is now.
//!
//! ```text
//! goal ──► motion::ik on the limb, from the posture it is at ease in ──► turns of its joints ──► drives
//! ```
//! The answer is found anew in every step, so what the trunk gives way is made up for. Beyond the reach the limb is stretched toward
//! the goal. Specification: mathematics 8.1 (R19).

use glam::{DQuat, DVec3};

use super::pose_target::PoseTarget;
use super::{Posture, RagdollModel, Sensed};
use crate::motion::ik::{Goal, Limb, solve_pose};

/// A limb that reaches.
#[derive(Clone, Debug, PartialEq)]
pub struct Reach {
    /// Two long bones and an end.
    pub limb: Limb,
    /// The place of the end's bone that is brought to the goal, metres, its frame.
    pub in_end: DVec3,
    /// The goal, metres.
    pub goal: DVec3,
    /// How the end is to be turned in the world; `None`: as the limb brings it.
    pub turn: Option<DQuat>,
}

impl Reach {
    /// Where its end is while the limb is at `ease`, from the trunk as it is now, metres.
    pub fn at_ease(&self, figure: &RagdollModel, ease: &Posture, sensed: &Sensed) -> DVec3 {
        let mut posture = Posture::of_pose(&figure.skeleton, &sensed.pose);
        for bone in self.limb.joints.iter().copied().chain([self.limb.end]) {
            posture.rotations[bone] = ease.rotations[bone];
        }
        let (at, turn) = posture.world(&figure.skeleton)[self.limb.end];
        at + turn * self.in_end
    }

    /// Sets the aims of the limb's joints in `wanted`, from the posture it is at `ease` in. Strength, frequency and limits stay. Returns how
    /// far from the goal the end stays, metres.
    pub fn decide(&self, figure: &RagdollModel, ease: &Posture, sensed: &Sensed, wanted: &mut PoseTarget) -> f64 {
        let mut posture = Posture::of_pose(&figure.skeleton, &sensed.pose);
        let bones = self.limb.joints.iter().copied().chain([self.limb.end]);
        for bone in bones.clone() {
            posture.rotations[bone] = ease.rotations[bone];
        }
        let mut residual = 0.0;
        // Where the place lies beyond the end's joint, the end's turn depends on the answer.
        for _ in 0..ROUNDS {
            let pose = posture.limb(&figure.skeleton, &self.limb);
            let rotation = self.turn.unwrap_or(pose.end().rotation);
            let goal = Goal { position: self.goal - rotation * self.in_end, rotation };
            let limb = match self.turn {
                Some(_) => solve_pose(&pose, &self.limb, &goal),
                None => solve_reach(&posture, figure, &self.limb, self.goal, self.in_end),
            };
            residual = limb.residual;
            posture.take(&limb);
            if self.turn.is_some() || self.in_end == DVec3::ZERO {
                break;
            }
        }
        posture.hold(figure, |bone| bones.clone().any(|of| of == bone), wanted);
        residual
    }
}

/// Rounds until an end that is carried along stays where it is.
const ROUNDS: usize = 20;

/// The limb's joints bring the end's bone so that the end, which keeps its turn against the bone above, has its place at the goal.
fn solve_reach(
    posture: &Posture,
    figure: &RagdollModel,
    limb: &Limb,
    goal: DVec3,
    in_end: DVec3,
) -> crate::motion::ik::IkSolution {
    let mut pose = posture.limb(&figure.skeleton, limb);
    // The last bone is taken as long as to the place.
    let last = pose.positions.len() - 1;
    let end = pose.end();
    pose.positions[last] = end.position + end.rotation * in_end;
    let mut solution = solve_pose(&pose, limb, &Goal { position: goal, rotation: end.rotation });
    solution.rotations.retain(|&(bone, _)| bone != limb.end);
    solution
}
