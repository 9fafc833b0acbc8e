//! Look-at behavior: the bones from the chest to the head share the rotation that points the face at a position.
//!
//! ```text
//! q = the shortest rotation from the face's direction at ease to the position, limited to a greatest angle
//! bone i of the chain turns by q^{s_i} in the world, Σ s_i = 1: all about one axis, so that the last has turned by q
//! ```

use glam::{DQuat, DVec3};

use super::pose_target::PoseTarget;
use super::{Posture, RagdollModel, Sensed};
use crate::character::Role;
use crate::math::rotation::{exp, log};

/// Look-at target and limits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LookAt {
    /// World position to look at, meters.
    pub place: DVec3,
    /// World direction of the face in the rest pose: +z for a character that faces +z.
    pub forward: DVec3,
    /// Greatest rotation of the head relative to the trunk, radians.
    pub most: f64,
}

/// Shares of chest, neck and head in the rotation.
const SHARES: [(Role, f64); 3] = [(Role::Chest, 0.2), (Role::Neck, 0.3), (Role::Head, 0.5)];

impl LookAt {
    /// Sets the aims of chest, neck and head in `wanted`, starting from the posture `ease`; shares of missing bones go to the others. Returns the
    /// angle by which the face misses the target, radians; `None` without a head.
    pub(crate) fn decide(
        &self,
        figure: &RagdollModel,
        ease: &Posture,
        sensed: &Sensed,
        wanted: &mut PoseTarget,
    ) -> Option<f64> {
        let head = figure.bone_of(Role::Head)?;
        let turns = |bone: usize| figure.links.iter().any(|link| link.bone == bone);
        let chain: Vec<(usize, f64)> = (SHARES.iter())
            .filter_map(|&(role, share)| Some((figure.bone_of(role)?, share)))
            .filter(|&(bone, _)| figure.is_below(head, bone) && turns(bone))
            .collect();
        let sum: f64 = chain.iter().map(|(_, share)| share).sum();
        let mut posture = Posture::of_pose(&figure.skeleton, &sensed.pose);
        posture.ease(ease, chain.iter().map(|&(bone, _)| bone));
        let face = figure.skeleton.rest_pose()[head].1.conjugate() * self.forward.normalize_or(DVec3::Z);
        // The rotation moves the head a little; a few iterations account for that.
        let mut total = DVec3::ZERO;
        let mut turned = posture.clone();
        let mut missing = 0.0;
        for _ in 0..8 {
            let (at, turn) = turned.world(&figure.skeleton)[head];
            let way = (self.place - at).normalize_or(turn * face);
            let more = log(DQuat::from_rotation_arc((turn * face).normalize(), way));
            missing = more.length();
            let next = log(exp(more) * exp(total)).clamp_length_max(self.most);
            if (next - total).length() < 1e-12 || sum <= 0.0 {
                break;
            }
            total = next;
            turned = posture.clone();
            for &(bone, share) in &chain {
                let parent = figure.skeleton.bones()[bone].parent;
                let above = turned.world(&figure.skeleton)[parent.unwrap_or(bone)].1;
                let by = exp(above.conjugate() * total * (share / sum));
                turned.rotations[bone] = (by * turned.rotations[bone]).normalize();
            }
        }
        turned.pin_targets(figure, |bone| chain.iter().any(|&(of, _)| of == bone), wanted);
        Some(missing)
    }
}
