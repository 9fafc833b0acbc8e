//! Writes a clip of a humanoid as VRMA: only the humanoid bones, named by their roles.
//!
//! A VRMA plays on any VRM model, through rotations relative to a rest pose that must be a T-pose and through the way of the
//! hips, which players scale by the height of the hips at rest. Bones hang from each other as VRM says, whatever the skeleton's
//! own root is, and bones between two humanoid bones are folded into the lower one:
//!
//! ```text
//! q = q_world(humanoid bone above)⁻¹ · q_world(bone)    at rest and in every frame
//! ```
//! Where the skeleton has a bone above the one that VRM hangs it from, such as a torso above the hips, its node stands at the
//! joint between both, so that turning it moves what it carries as before.
//!
//! Source: `VRMC_vrm_animation` 1.0 and the humanoid of `VRMC_vrm` 1.0 of the VRM Consortium.

use muybridge::character::{Bone, Role, Side, Skeleton};
use muybridge::glam::{DQuat, DVec3};
use muybridge::motion::{Clip, WorldMotion};
use serde_json::{Map, Value, json};

use super::export::{ExportOptions, NewFile};
use super::vrm::{name_of, parent_of};
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
    /// The bone that is farthest from its place in the original motion, and how far, meters.
    farthest: (Role, f64),
}

impl Folded {
    fn new(skeleton: &Skeleton, roles: &[(usize, Role)], clip: &Clip) -> Result<Self, Error> {
        let mut kept: Vec<(Role, usize)> = roles.iter().map(|&(bone, role)| (role, bone)).collect();
        kept.sort_unstable();
        kept.dedup_by_key(|(role, _)| *role);
        let place = |role: Role| kept.iter().position(|(known, _)| *known == role);
        let parents: Vec<Option<usize>> = (kept.iter())
            .map(|&(role, _)| std::iter::successors(parent_of(role), |role| parent_of(*role)).find_map(place))
            .collect();
        // Where the node of each bone stands, in the frame of the bone.
        let joints: Vec<DVec3> = (kept.iter().zip(&parents))
            .map(|(&(_, bone), parent)| parent.map_or(DVec3::ZERO, |parent| joint(skeleton, bone, kept[parent].1)))
            .collect();
        let node = |i: usize, (position, rotation): (DVec3, DQuat)| (position + rotation * joints[i], rotation);
        let mut rest = skeleton.rest_pose();
        let lift = lift_to_stand(skeleton, &rest, &kept);
        rest.iter_mut().for_each(|(position, _)| *position += lift);
        let origin = (DVec3::ZERO, DQuat::IDENTITY);
        let local = |i: usize, at: &dyn Fn(usize) -> (DVec3, DQuat)| relative(parents[i].map_or(origin, at), at(i));
        let at_rest = |i: usize| node(i, rest[kept[i].1]);
        let bones: Vec<Bone> = (kept.iter().enumerate())
            .map(|(i, &(_, bone))| {
                let (rotation, translation) = local(i, &at_rest);
                let name = skeleton.bones()[bone].name.clone();
                Bone { name, parent: parents[i], translation, rotation, ends: vec![] }
            })
            .collect();
        let world = WorldMotion::new(skeleton, clip);
        let wrong = |e: String| Error::new(Location::Named(clip.name.clone()), e);
        let mut folded = Clip::new(kept.len(), clip.frames(), clip.frame_time).map_err(|e| wrong(e.to_string()))?;
        folded.name.clone_from(&clip.name);
        folded.start_time = clip.start_time;
        let posed = |i: usize, frame: usize| {
            let bone = kept[i].1;
            node(i, (world.position(bone, frame), world.rotation(bone, frame)))
        };
        for frame in 0..clip.frames() {
            for (i, bone) in bones.iter().enumerate() {
                let (rotation, translation) = local(i, &|i| posed(i, frame));
                folded.set_rotation(i, frame, rotation);
                // Only the hips may move; other bones keep their lengths, which are those of the model that plays the clip.
                folded.set_translation(i, frame, if bone.parent.is_none() { translation } else { bone.translation });
            }
        }
        let skeleton = Skeleton::new(bones).map_err(|e| wrong(e.to_string()))?;
        let written = WorldMotion::new(&skeleton, &folded);
        let mut farthest = (kept[0].0, 0.0);
        for (i, &(role, _)) in kept.iter().enumerate() {
            for frame in 0..clip.frames() {
                let off = written.position(i, frame).distance(posed(i, frame).0);
                if off > farthest.1 {
                    farthest = (role, off);
                }
            }
        }
        let roles = kept.iter().map(|(role, _)| *role).collect();
        Ok(Self { skeleton, clip: folded, roles, farthest })
    }

    fn notes(&self, original: &Skeleton) -> Vec<String> {
        let mut notes = Vec::new();
        if original.len() > self.skeleton.len() {
            let left_out = original.len() - self.skeleton.len();
            notes.push(format!("{left_out} bones without a role were folded into the humanoid bones or left out"));
        }
        if self.farthest.1 > 1e-3 {
            let (role, off) = (name_of(self.farthest.0), 100.0 * self.farthest.1);
            notes.push(format!(
                "a VRMA holds the turns of the humanoid bones and the way of the hips alone: {role} is up to {off:.1} cm off"
            ));
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

/// The joint between a bone and the one it shall hang from, in the frame of the bone: where that one, or what leads to it,
/// hangs from the bone; the bone itself where it is not above.
fn joint(skeleton: &Skeleton, bone: usize, parent: usize) -> DVec3 {
    let bones = skeleton.bones();
    let mut up = std::iter::successors(Some(parent), |&at| bones[at].parent);
    up.find(|&at| bones[at].parent == Some(bone)).map_or(DVec3::ZERO, |child| bones[child].translation)
}

/// Greatest height of the lowest joint above the ground in a rest pose that stands, as a share of the height of the hips.
const STANDS: f64 = 0.15;

/// The shift that makes the rest pose stand on the ground, y = 0; none where it stands there, up to the height of a sole.
fn lift_to_stand(skeleton: &Skeleton, rest: &[(DVec3, DQuat)], kept: &[(Role, usize)]) -> DVec3 {
    let is_leg = |bone: usize| {
        kept.iter()
            .any(|&(role, own)| own == bone && matches!(role, Role::UpperLeg(_) | Role::LowerLeg(_) | Role::Foot(_)))
    };
    let mut in_leg: Vec<bool> = Vec::with_capacity(skeleton.len());
    let (mut ground, mut longest) = (f64::INFINITY, 0.0_f64);
    let mut length = vec![0.0; skeleton.len()];
    for (index, bone) in skeleton.bones().iter().enumerate() {
        in_leg.push(is_leg(index) || bone.parent.is_some_and(|parent| in_leg[parent]));
        if !in_leg[index] {
            continue;
        }
        length[index] = bone.parent.map_or(0.0, |parent| length[parent]) + bone.translation.length();
        longest = longest.max(length[index]);
        let (position, rotation) = rest[index];
        let ends = bone.ends.iter().map(|&end| (position + rotation * end).y);
        ground = ends.fold(ground.min(position.y), f64::min);
    }
    let Some(hips) = kept.iter().find(|(role, _)| *role == Role::Hips).map(|&(_, bone)| rest[bone].0.y) else {
        return DVec3::ZERO;
    };
    let height = hips - ground;
    if !height.is_finite() || (ground.abs() <= STANDS * height) {
        return DVec3::ZERO;
    }
    // A rest pose that lies has no height of its own: its legs have.
    let wanted = if height > 0.5 * longest { height } else { longest };
    DVec3::Y * (wanted - hips)
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
