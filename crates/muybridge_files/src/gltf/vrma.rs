//! Writes a clip of a humanoid as VRMA: only the humanoid bones, named by their roles.
//!
//! A VRMA plays on any VRM model, through rotations relative to a rest pose that must be a T-pose. Bones between two
//! humanoid bones are folded into the lower one:
//!
//! ```text
//! q = q_world(nearest humanoid bone above)⁻¹ · q_world(bone)    at rest and in every frame
//! ```
//! Source: `VRMC_vrm_animation` 1.0 of the VRM Consortium.

use muybridge::character::{Bone, Role, Side, Skeleton};
use muybridge::glam::{DQuat, DVec3};
use muybridge::motion::{Clip, WorldMotion};
use serde_json::{Map, Value, json};

use super::export::{ExportOptions, NewFile};
use super::vrm::name_of;
use crate::{Error, Location};

/// Writes a clip as a `.vrma` file. Also returns notes on losses and deviations from the format, one sentence each.
///
/// `roles` names the bones with a role. Lengths must be meters, y up.
pub fn export_vrma(skeleton: &Skeleton, roles: &[(usize, Role)], clip: &Clip) -> Result<(Vec<u8>, Vec<String>), Error> {
    if !roles.iter().any(|(_, role)| *role == Role::Hips) {
        let message = "no bone is known as the hips, which a VRMA cannot do without; name the roles of the bones";
        return Err(Error::new(Location::File, message));
    }
    if clip.bones() != skeleton.len() || roles.iter().any(|(bone, _)| *bone >= skeleton.len()) {
        return Err(Error::new(Location::File, "the clip or the roles are of another skeleton"));
    }
    let folded = Folded::new(skeleton, roles, clip)?;
    let notes = folded.notes(skeleton);
    let mut file = NewFile::new(&folded.skeleton);
    file.add_clip(&folded.skeleton, &folded.clip)?;
    let bones: Map<String, Value> =
        folded.roles.iter().enumerate().map(|(node, role)| (name_of(*role), json!({"node": node}))).collect();
    file.json["extensionsUsed"] = json!(["VRMC_vrm_animation"]);
    file.json["extensions"] = json!({"VRMC_vrm_animation": {"specVersion": "1.0", "humanoid": {"humanBones": bones}}});
    Ok((file.finish(ExportOptions { binary: true })?, notes))
}

/// The humanoid bones of a character and their motion.
struct Folded {
    skeleton: Skeleton,
    clip: Clip,
    roles: Vec<Role>,
}

impl Folded {
    fn new(skeleton: &Skeleton, roles: &[(usize, Role)], clip: &Clip) -> Result<Self, Error> {
        let kept: Vec<usize> = (0..skeleton.len()).filter(|b| roles.iter().any(|(bone, _)| bone == b)).collect();
        let place = |bone: usize| kept.binary_search(&bone).ok();
        let above = |bone: usize| {
            let parent = |b: usize| skeleton.bones()[b].parent;
            std::iter::successors(parent(bone), |&b| parent(b)).find_map(place)
        };
        let rest = skeleton.rest_pose();
        let mut bones = Vec::with_capacity(kept.len());
        for &bone in &kept {
            let parent = above(bone);
            let frame = parent.map_or((DVec3::ZERO, DQuat::IDENTITY), |p| rest[kept[p]]);
            let (rotation, translation) = relative(frame, rest[bone]);
            bones.push(Bone { name: skeleton.bones()[bone].name.clone(), parent, translation, rotation, ends: vec![] });
        }
        let world = WorldMotion::new(skeleton, clip);
        let wrong = |e: String| Error::new(Location::Named(clip.name.clone()), e);
        let mut folded = Clip::new(kept.len(), clip.frames(), clip.frame_time).map_err(|e| wrong(e.to_string()))?;
        folded.name.clone_from(&clip.name);
        folded.start_time = clip.start_time;
        for frame in 0..clip.frames() {
            let at = |bone: usize| (world.position(bone, frame), world.rotation(bone, frame));
            for (i, &bone) in kept.iter().enumerate() {
                let parent = bones[i].parent;
                let (rotation, translation) =
                    relative(parent.map_or((DVec3::ZERO, DQuat::IDENTITY), |p| at(kept[p])), at(bone));
                folded.set_rotation(i, frame, rotation);
                // Only the hips may move; other bones keep their lengths, which are those of the model that plays the clip.
                folded.set_translation(i, frame, if parent.is_none() { translation } else { bones[i].translation });
            }
        }
        let role_of = |bone: &usize| roles.iter().find(|(b, _)| b == bone).map(|(_, role)| *role);
        let roles = kept.iter().filter_map(role_of).collect();
        let skeleton = Skeleton::new(bones).map_err(|e| wrong(e.to_string()))?;
        Ok(Self { skeleton, clip: folded, roles })
    }

    fn notes(&self, original: &Skeleton) -> Vec<String> {
        let mut notes = Vec::new();
        if original.len() > self.skeleton.len() {
            let left_out = original.len() - self.skeleton.len();
            notes.push(format!("{left_out} bones without a role were folded into the humanoid bones or left out"));
        }
        let has = |role: &Role| self.roles.contains(role);
        let missing: Vec<String> = required().into_iter().filter(|role| !has(role)).map(name_of).collect();
        if !missing.is_empty() {
            notes.push(format!("VRM wants bones that the character lacks: {}", missing.join(", ")));
        }
        let bent = self.limbs_off_t_pose();
        if !bent.is_empty() {
            notes.push(format!(
                "the rest pose is not the T-pose that VRMA wants ({}); players will show these limbs turned",
                bent.join(", ")
            ));
        }
        notes
    }

    /// Limbs whose rest direction is more than 20° off that of a T-pose.
    fn limbs_off_t_pose(&self) -> Vec<String> {
        let rest = self.skeleton.rest_pose();
        let place = |role: Role| self.roles.iter().position(|r| *r == role).map(|bone| rest[bone].0);
        let mut bent = Vec::new();
        for side in [Side::Left, Side::Right] {
            let outward = if side == Side::Left { DVec3::X } else { DVec3::NEG_X };
            let limbs = [
                (Role::UpperArm(side), Role::Hand(side), outward),
                (Role::UpperLeg(side), Role::Foot(side), DVec3::NEG_Y),
            ];
            for (from, to, direction) in limbs {
                let (Some(start), Some(end)) = (place(from), place(to)) else { continue };
                if (end - start).normalize_or_zero().dot(direction) < 0.94 {
                    bent.push(name_of(from));
                }
            }
        }
        bent
    }
}

fn relative(parent: (DVec3, DQuat), child: (DVec3, DQuat)) -> (DQuat, DVec3) {
    let back = parent.1.conjugate();
    ((back * child.1).normalize(), back * (child.0 - parent.0))
}

/// Roles of the bones that every VRM has.
pub fn required() -> Vec<Role> {
    let mut roles = vec![Role::Hips, Role::Spine, Role::Head];
    for side in [Side::Left, Side::Right] {
        let limbs = [Role::UpperArm, Role::LowerArm, Role::Hand, Role::UpperLeg, Role::LowerLeg, Role::Foot];
        roles.extend(limbs.map(|limb| limb(side)));
    }
    roles
}
