//! Reach behavior: inverse kinematics brings the end of a limb to a goal, from the current position of the trunk.
//!
//! ```text
//! goal ──► motion::ik on the limb, from its posture at ease ──► rotations of its joints ──► drives
//! ```
//! The solution is computed anew in every step, so motion of the trunk is compensated. If the goal is out of reach, the limb stretches toward it.
//! Specification: mathematics 8.1 (R19).

use glam::{DQuat, DVec3};

use super::pose_target::PoseTarget;
use super::{Posture, RagdollModel, Sensed};
use crate::motion::ik::{Goal, Limb, solve_pose};

/// Reach target of a limb.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Reach {
    /// Limb: two long bones and an end bone.
    pub limb: Limb,
    /// Point of the end bone that should reach the goal, in the bone's frame, meters.
    pub in_end: DVec3,
    /// Goal in the world, meters.
    pub goal: DVec3,
    /// World orientation of the end bone; `None` leaves it as the limb brings it.
    pub turn: Option<DQuat>,
}

impl Reach {
    /// Position of the limb's point while the limb is at `ease` on the current trunk, meters.
    pub(crate) fn at_ease(&self, figure: &RagdollModel, ease: &Posture, sensed: &Sensed) -> DVec3 {
        let mut posture = Posture::of_pose(&figure.skeleton, &sensed.pose);
        posture.ease(ease, self.limb.joints.iter().copied().chain([self.limb.end]));
        let (at, turn) = posture.world(&figure.skeleton)[self.limb.end];
        at + turn * self.in_end
    }

    /// Sets the aims of the limb's joints in `wanted`, starting from the posture `ease`. Strength, frequency and limits are unchanged. Returns the
    /// remaining distance from the goal, meters.
    pub(crate) fn decide(
        &self,
        figure: &RagdollModel,
        ease: &Posture,
        sensed: &Sensed,
        wanted: &mut PoseTarget,
    ) -> f64 {
        let mut posture = Posture::of_pose(&figure.skeleton, &sensed.pose);
        let bones = self.limb.joints.iter().copied().chain([self.limb.end]);
        posture.ease(ease, bones.clone());
        let mut residual = 0.0;
        // If the point lies beyond the end's joint, the orientation of the end depends on the solution, so iterate.
        for _ in 0..ROUNDS {
            let pose = posture.limb(&figure.skeleton, &self.limb);
            let rotation = self.turn.unwrap_or(pose.end().rotation);
            let goal = Goal { position: self.goal - rotation * self.in_end, rotation };
            let limb = match self.turn {
                Some(_) => solve_pose(&pose, &self.limb, &goal),
                None => solve_reach(&posture, figure, &self.limb, self.goal, self.in_end),
            };
            residual = limb.residual;
            posture.set_from_ik(&limb);
            if self.turn.is_some() || self.in_end == DVec3::ZERO {
                break;
            }
        }
        posture.pin_targets(figure, |bone| bones.clone().any(|of| of == bone), wanted);
        residual
    }
}

/// Maximal number of iterations until an end that is carried along stays in place.
const ROUNDS: usize = 20;

/// Solves the limb for a goal of the end's point; the end keeps its rotation relative to the bone above.
fn solve_reach(
    posture: &Posture,
    figure: &RagdollModel,
    limb: &Limb,
    goal: DVec3,
    in_end: DVec3,
) -> crate::motion::ik::IkSolution {
    let mut pose = posture.limb(&figure.skeleton, limb);
    // Extend the last bone to the point.
    let last = pose.positions.len() - 1;
    let end = pose.end();
    pose.positions[last] = end.position + end.rotation * in_end;
    let mut solution = solve_pose(&pose, limb, &Goal { position: goal, rotation: end.rotation });
    solution.rotations.retain(|&(bone, _)| bone != limb.end);
    solution
}
