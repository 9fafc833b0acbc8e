//! Postures: local transforms of all bones, and the joint targets that follow from them.
//!
//! ```text
//! world      p_b = p_parent + q_parent t_b,   q_b = q_parent r_b
//! joint      rotation of the child's body relative to the parent's:  q_a⁻¹ q_b,   rate  log(turn' turn⁻¹)/h  in the parent's axes
//! blend      translations linearly, rotations along the shortest arc:  exp(s log(b a⁻¹)) a
//! ```
//! Specification: mathematics 1.2, 8.1.

use glam::{DQuat, DVec3};

use super::RagdollModel;
use super::pose_target::PoseTarget;
use crate::character::Skeleton;
use crate::math::rotation::{exp, log};
use crate::motion::ik::{IkSolution, Limb, LimbPose};
use crate::motion::{Clip, ClipError, sample};

/// World pose: position (m) and orientation of every bone.
pub(crate) type WorldPose = Vec<(DVec3, DQuat)>;

/// Local transform of every bone: relative to its parent, for a root in the world.
#[derive(Clone, Debug, PartialEq)]
pub struct Posture {
    /// Translation of each bone in its parent's frame, meters; of a root in the world.
    pub translations: Vec<DVec3>,
    /// Rotation of each bone relative to its parent; of a root in the world.
    pub rotations: Vec<DQuat>,
}

impl Posture {
    /// Posture of the skeleton's rest pose.
    pub(crate) fn at_rest(skeleton: &Skeleton) -> Self {
        let bones = skeleton.bones();
        Self {
            translations: bones.iter().map(|bone| bone.translation).collect(),
            rotations: bones.iter().map(|bone| bone.rotation).collect(),
        }
    }

    /// Takes the rotations of these bones from the posture `ease`.
    pub(crate) fn ease(&mut self, ease: &Self, bones: impl IntoIterator<Item = usize>) {
        for bone in bones {
            self.rotations[bone] = ease.rotations[bone];
        }
    }

    /// Samples a clip `seconds` after its first frame, by splines through the frames; before and after the clip its first and last frame.
    pub(crate) fn of_clip(clip: &Clip, seconds: f64) -> Self {
        let at = if seconds.is_finite() { seconds / clip.frame_time } else { 0.0 };
        Self {
            translations: (0..clip.bones()).map(|bone| sample::translation_at(clip, bone, at)).collect(),
            rotations: (0..clip.bones()).map(|bone| sample::rotation_at(clip, bone, at)).collect(),
        }
    }

    /// Converts this posture to a clip of one frame.
    pub(crate) fn as_clip(&self) -> Result<Clip, ClipError> {
        let mut clip = Clip::new(self.rotations.len(), 1, 1.0)?;
        for (bone, (&rotation, &translation)) in self.rotations.iter().zip(&self.translations).enumerate() {
            clip.set_rotation(bone, 0, rotation);
            clip.set_translation(bone, 0, translation);
        }
        Ok(clip)
    }

    /// Converts a world pose (position in meters and orientation of every bone) to local transforms.
    pub(crate) fn of_pose(skeleton: &Skeleton, pose: &[(DVec3, DQuat)]) -> Self {
        let mut posture = Self::at_rest(skeleton);
        for (bone, (own, (position, rotation))) in skeleton.bones().iter().zip(pose).enumerate() {
            let (at, turn) = own.parent.map_or((DVec3::ZERO, DQuat::IDENTITY), |parent| pose[parent]);
            let back = turn.conjugate();
            posture.translations[bone] = back * (*position - at);
            posture.rotations[bone] = (back * *rotation).normalize();
        }
        posture
    }

    /// Computes the world pose: position (m) and orientation of every bone.
    pub(crate) fn world(&self, skeleton: &Skeleton) -> WorldPose {
        let mut pose: WorldPose = Vec::with_capacity(self.rotations.len());
        for (bone, own) in skeleton.bones().iter().enumerate() {
            let (at, turn) = own.parent.map_or((DVec3::ZERO, DQuat::IDENTITY), |parent| pose[parent]);
            pose.push((at + turn * self.translations[bone], (turn * self.rotations[bone]).normalize()));
        }
        pose
    }

    /// Blends from this posture (`share` 0) to another (`share` 1).
    pub(crate) fn blended(&self, other: &Self, share: f64) -> Self {
        let turn = |(a, b): (&DQuat, &DQuat)| (exp(log(*b * a.conjugate()) * share) * *a).normalize();
        Self {
            translations: self.translations.iter().zip(&other.translations).map(|(a, b)| a.lerp(*b, share)).collect(),
            rotations: self.rotations.iter().zip(&other.rotations).map(turn).collect(),
        }
    }

    /// Pose of a limb in the form that `motion::ik` needs.
    pub(crate) fn limb(&self, skeleton: &Skeleton, limb: &Limb) -> LimbPose {
        let pose = self.world(skeleton);
        let bones = || limb.joints.iter().copied().chain([limb.end]);
        let above = |bone: usize| skeleton.bones()[bone].parent.map_or(DQuat::IDENTITY, |parent| pose[parent].1);
        LimbPose {
            positions: bones().map(|bone| pose[bone].0).collect(),
            parents: bones().map(above).collect(),
            locals: bones().map(|bone| self.rotations[bone]).collect(),
        }
    }

    /// Applies the joint rotations of an inverse kinematics solution.
    pub(crate) fn set_from_ik(&mut self, solution: &IkSolution) {
        for &(bone, rotation) in &solution.rotations {
            self.rotations[bone] = rotation;
        }
    }

    /// Sets the rotations of all aims to this posture, and their rates to the motion that reaches `next` within the given seconds (0 without
    /// `next`). Strength, frequency and limits are unchanged.
    pub(crate) fn aim(&self, figure: &RagdollModel, next: Option<(&Self, f64)>, wanted: &mut PoseTarget) {
        let now = self.world(&figure.skeleton);
        let then = next.map(|(posture, seconds)| (posture.world(&figure.skeleton), seconds));
        let turn = |pose: &WorldPose, link: &super::figure::RagdollLink| {
            let [parent, child] = link.bodies.map(|body| pose[figure.bodies[body].bone].1);
            (parent.conjugate() * child).normalize()
        };
        for (link, aim) in figure.links.iter().zip(&mut wanted.aims) {
            aim.turn = turn(&now, link);
            aim.rate = match &then {
                Some((pose, seconds)) if *seconds > 0.0 => log(turn(pose, link) * aim.turn.conjugate()) / *seconds,
                _ => DVec3::ZERO,
            };
        }
    }

    /// Sets the rotations of all aims to this posture, and their rates to the motion that led here from `before` in the given seconds. Strength,
    /// frequency and limits are unchanged.
    pub(crate) fn arrive(&self, figure: &RagdollModel, (before, seconds): (&Self, f64), wanted: &mut PoseTarget) {
        let (then, now) = (before.world(&figure.skeleton), self.world(&figure.skeleton));
        let turn = |pose: &WorldPose, link: &super::figure::RagdollLink| {
            let [parent, child] = link.bodies.map(|body| pose[figure.bodies[body].bone].1);
            (parent.conjugate() * child).normalize()
        };
        for (link, aim) in figure.links.iter().zip(&mut wanted.aims) {
            aim.turn = turn(&now, link);
            aim.rate = log(aim.turn * turn(&then, link).conjugate()) / seconds;
        }
    }

    /// Sets the rotations of the aims of selected bones to this posture, and their rates to 0. Strength, frequency and limits are unchanged.
    pub(crate) fn pin_targets(&self, figure: &RagdollModel, is_meant: impl Fn(usize) -> bool, wanted: &mut PoseTarget) {
        let mut aims = PoseTarget::nothing(figure);
        self.aim(figure, None, &mut aims);
        for ((link, aim), own) in figure.links.iter().zip(&mut wanted.aims).zip(&aims.aims) {
            if is_meant(link.bone) {
                (aim.turn, aim.rate) = (own.turn, DVec3::ZERO);
            }
        }
    }
}
