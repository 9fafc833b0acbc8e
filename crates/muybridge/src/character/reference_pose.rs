//! The pose in which a body is measured: the rest pose, or the mean stance of a clip whose rest pose is no pose.
//!
//! Files from tools whose bones lie along one axis have a rest pose that nobody can stand in: it says little but
//! lengths. The mean stance takes the frames in which hips and head are farthest apart, and of each bone the chordal
//! mean of its rotations against its parent:
//!
//! ```text
//! q = Σ ±qᵢ / |Σ ±qᵢ|      (signs so that all qᵢ are on the half sphere of q₀)
//! ```
//! It turns along with any change of the bones' own axes, so it does not depend on how the file rests.

use glam::{DQuat, DVec3};

use super::ancestry::Family;
use super::humanoid::{Role, RoleMap, Side};
use super::{Bone, Skeleton};
use crate::motion::{Clip, pose_of};

/// Number of frames looked at.
const SAMPLES: usize = 96;
/// Share of them that counts as stance.
const STANCES: usize = 4;

/// The pose in which a body is measured.
pub(crate) struct ReferencePose {
    /// World position and rotation of each bone.
    pub(crate) world: Vec<(DVec3, DQuat)>,
    /// Rotation of each bone against its parent; `None` if the pose is the rest pose.
    pub(crate) local: Option<Vec<DQuat>>,
}

/// The rest pose. If its limbs are no limbs of a person who stands, they are taken from the mean stance of the clip,
/// and so are all bones if the trunk is not straight either, or if all bones rest in one place.
pub(crate) fn reference_pose(skeleton: &Skeleton, clip: Option<&Clip>, map: &RoleMap) -> ReferencePose {
    let rest = skeleton.rest_pose();
    let joints = Joints { map, pose: &rest };
    let apart = skeleton.len() == 1 || rest.iter().any(|(position, _)| position.distance(rest[0].0) >= 1e-6);
    let (trunk, limbs) =
        if map.is_humanoid() { (joints.has_straight_trunk(), joints.has_standing_limbs()) } else { (apart, apart) };
    match clip.filter(|_| !(trunk && limbs)) {
        None => ReferencePose { world: rest, local: None },
        Some(clip) => mean_stance(skeleton, clip, map, trunk),
    }
}

/// Positions of joints by role in one pose.
struct Joints<'a> {
    map: &'a RoleMap,
    pose: &'a [(DVec3, DQuat)],
}

impl Joints<'_> {
    fn at(&self, role: Role) -> Option<DVec3> {
        self.map.bone_of(role).map(|bone| self.pose[bone].0)
    }

    fn middle(&self, of: fn(Side) -> Role) -> Option<DVec3> {
        Some(self.at(of(Side::Left))?.midpoint(self.at(of(Side::Right))?))
    }

    /// Unit vector from the right joint to the left.
    fn across(&self, of: fn(Side) -> Role) -> Option<DVec3> {
        let (left, right) = (self.at(of(Side::Left))?, self.at(of(Side::Right))?);
        // Joints of bones that all lie along one axis coincide but for rounding.
        let apart = left.distance(right) > 0.02 * self.top()?.distance(self.middle(Role::UpperLeg)?);
        (left - right).try_normalize().filter(|_| apart)
    }

    /// Neck, head or shoulders.
    fn top(&self) -> Option<DVec3> {
        self.at(Role::Neck).or_else(|| self.at(Role::Head)).or_else(|| self.middle(Role::UpperArm))
    }

    /// Unit vector from one joint to another.
    fn along(&self, from: Role, to: Role) -> Option<DVec3> {
        (self.at(to)? - self.at(from)?).try_normalize()
    }

    /// Unit vector from the right to the left: of the hip joints, or of the shoulders if those coincide.
    fn left(&self) -> Option<DVec3> {
        self.across(Role::UpperLeg).or_else(|| self.across(Role::Shoulder)).or_else(|| self.across(Role::UpperArm))
    }

    /// Unit vector from the hip joints to the neck, head or shoulders.
    fn up(&self) -> Option<DVec3> {
        (self.top()? - self.middle(Role::UpperLeg)?).try_normalize()
    }

    /// Whether the trunk goes one way from the hips to the head, and shoulders lie as the hips do.
    fn has_straight_trunk(&self) -> bool {
        let Some(up) = self.up() else { return self.at(Role::Head).is_none() };
        let bones = [Role::Spine, Role::Chest, Role::UpperChest, Role::Neck, Role::Head];
        let bones: Vec<DVec3> = bones.into_iter().filter_map(|role| self.at(role)).collect();
        let straight = bones.windows(2).all(|pair| up.dot(pair[1] - pair[0]) >= 0.4 * pair[0].distance(pair[1]));
        let shoulders = self.across(Role::Shoulder).or_else(|| self.across(Role::UpperArm));
        let across = |left: DVec3| left.dot(up).abs() < 0.5 && shoulders.is_none_or(|own| own.dot(left) > 0.5);
        straight && self.left().is_none_or(across)
    }

    /// Whether the legs point down and their toes not backward, and the right limbs mirror the left. Arms may point
    /// anywhere.
    fn has_standing_limbs(&self) -> bool {
        use Side::{Left, Right};
        let thigh = |side| self.along(Role::UpperLeg(side), Role::LowerLeg(side));
        let (Some(up), Some(left)) = (self.up(), self.left()) else {
            return thigh(Left).is_some() && thigh(Right).is_some();
        };
        let stands = |side| {
            let shank = self.along(Role::LowerLeg(side), Role::Foot(side));
            let toes = self.along(Role::Foot(side), Role::Toes(side));
            thigh(side).is_some_and(|thigh| up.dot(thigh) < -0.5)
                && shank.is_none_or(|shank| up.dot(shank) < -0.3)
                && toes.is_none_or(|toes| toes.dot(left.cross(up)) > -0.5)
        };
        let mirrored = |from: fn(Side) -> Role, to: fn(Side) -> Role| {
            let [on_left, on_right] = [Left, Right].map(|side| self.along(from(side), to(side)));
            let (Some(on_left), Some(on_right)) = (on_left, on_right) else { return true };
            (on_left - left * (2.0 * left.dot(on_left))).dot(on_right) > 0.5
        };
        stands(Left)
            && stands(Right)
            && mirrored(Role::Shoulder, Role::UpperArm)
            && mirrored(Role::UpperArm, Role::LowerArm)
            && mirrored(Role::LowerArm, Role::Hand)
            && mirrored(Role::UpperLeg, Role::LowerLeg)
    }
}

/// Whether the roles make a person who stands upright at rest.
pub(crate) fn stands_at_rest(skeleton: &Skeleton, map: &RoleMap) -> bool {
    let joints = Joints { map, pose: &skeleton.rest_pose() };
    joints.left().is_some() && joints.has_straight_trunk() && joints.has_standing_limbs()
}

/// Mean of the poses in which hips and head are farthest apart; with `limbs_only`, trunk and head stay as they rest.
fn mean_stance(skeleton: &Skeleton, clip: &Clip, map: &RoleMap, limbs_only: bool) -> ReferencePose {
    let last = clip.frames() - 1;
    let count = last.min(SAMPLES - 1);
    let mut pose = Vec::new();
    let mut frames: Vec<(f64, usize)> = (0..=count)
        .map(|at| {
            let frame = (at * last).checked_div(count).unwrap_or(0);
            pose_of(skeleton, clip, frame, &mut pose);
            (stretch(&Joints { map, pose: &pose }), frame)
        })
        .collect();
    frames.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    frames.truncate(frames.len().div_ceil(STANCES));
    let first = frames[0].1;
    let mut bones = skeleton.bones().to_vec();
    let family = Family::new(skeleton);
    let trunk: Vec<usize> = (0..bones.len()).filter(|&b| map.roles[b].is_some_and(|r| r.side().is_none())).collect();
    let head = map.bone_of(Role::Head);
    let of_trunk = |bone: usize| {
        trunk.iter().any(|&part| part == bone || family.is_below(part, bone))
            || head.is_some_and(|head| family.is_below(bone, head))
    };
    for (index, bone) in bones.iter_mut().enumerate() {
        if limbs_only && of_trunk(index) {
            continue;
        }
        if bone.parent.is_none() {
            (bone.rotation, bone.translation) = (clip.rotation(index, first), clip.translation(index, first));
            continue;
        }
        let start = clip.rotation(index, first);
        let (mut turn, mut place) = (DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0), DVec3::ZERO);
        for &(_, frame) in &frames {
            let rotation = clip.rotation(index, frame);
            turn = if rotation.dot(start) < 0.0 { turn - rotation } else { turn + rotation };
            place += clip.translation(index, frame);
        }
        bone.rotation = if turn.length() > 0.0 { turn.normalize() } else { start };
        bone.translation = place / frames.len() as f64;
    }
    let mut world: Vec<(DVec3, DQuat)> = Vec::with_capacity(bones.len());
    for Bone { parent, translation, rotation, .. } in &bones {
        let (position, turn) = parent.map_or((DVec3::ZERO, DQuat::IDENTITY), |parent| world[parent]);
        world.push((position + turn * *translation, (turn * *rotation).normalize()));
    }
    ReferencePose { world, local: Some(bones.iter().map(|bone| bone.rotation).collect()) }
}

/// Distance from the hips to the head, or to the shoulders of a body without head.
fn stretch(joints: &Joints<'_>) -> f64 {
    let top = joints.at(Role::Head).or_else(|| joints.top());
    joints.middle(Role::UpperLeg).zip(top).map_or(0.0, |(hips, top)| hips.distance(top))
}
