//! Humanoid roles of bones, named as in VRM.
//!
//! [`roles`] finds them by name and checks each claim against the bone's chain (hips, upper leg, lower leg, foot). If
//! names give nothing, roles follow from the tree: two mirrored pairs of limbs on a trunk. The rest pose has no say.
//! Animals are not mapped, whatever their bones are called.

use thiserror::Error;

use super::Skeleton;
use super::ancestry::Family;
use super::animal::animal;
use super::humanoid_chains::by_name;
use super::humanoid_shape::by_shape;
use crate::motion::Clip;

/// Left or right from the character's view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Side {
    /// The character's left.
    Left,
    /// The character's right.
    Right,
}

/// Part of a human body that a bone moves. At most one bone has each role.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Role {
    /// Pelvis.
    Hips,
    /// First bone above the hips.
    Spine,
    /// Thorax.
    Chest,
    /// Second bone of the thorax.
    UpperChest,
    /// Neck.
    Neck,
    /// Head.
    Head,
    /// Clavicle.
    Shoulder(Side),
    /// Shoulder to elbow.
    UpperArm(Side),
    /// Elbow to wrist.
    LowerArm(Side),
    /// From the wrist on.
    Hand(Side),
    /// Hip to knee.
    UpperLeg(Side),
    /// Knee to ankle.
    LowerLeg(Side),
    /// From the ankle on.
    Foot(Side),
    /// From the ball of the foot on.
    Toes(Side),
}

impl Role {
    /// All roles, from the hips up and then the limbs, left before right.
    pub const ALL: [Self; 22] = [
        Self::Hips,
        Self::Spine,
        Self::Chest,
        Self::UpperChest,
        Self::Neck,
        Self::Head,
        Self::Shoulder(Side::Left),
        Self::Shoulder(Side::Right),
        Self::UpperArm(Side::Left),
        Self::UpperArm(Side::Right),
        Self::LowerArm(Side::Left),
        Self::LowerArm(Side::Right),
        Self::Hand(Side::Left),
        Self::Hand(Side::Right),
        Self::UpperLeg(Side::Left),
        Self::UpperLeg(Side::Right),
        Self::LowerLeg(Side::Left),
        Self::LowerLeg(Side::Right),
        Self::Foot(Side::Left),
        Self::Foot(Side::Right),
        Self::Toes(Side::Left),
        Self::Toes(Side::Right),
    ];

    /// Name of the role: "hips", "left_upper_arm".
    pub fn name(self) -> &'static str {
        use Side::{Left, Right};
        match self {
            Self::Hips => "hips",
            Self::Spine => "spine",
            Self::Chest => "chest",
            Self::UpperChest => "upper_chest",
            Self::Neck => "neck",
            Self::Head => "head",
            Self::Shoulder(Left) => "left_shoulder",
            Self::Shoulder(Right) => "right_shoulder",
            Self::UpperArm(Left) => "left_upper_arm",
            Self::UpperArm(Right) => "right_upper_arm",
            Self::LowerArm(Left) => "left_lower_arm",
            Self::LowerArm(Right) => "right_lower_arm",
            Self::Hand(Left) => "left_hand",
            Self::Hand(Right) => "right_hand",
            Self::UpperLeg(Left) => "left_upper_leg",
            Self::UpperLeg(Right) => "right_upper_leg",
            Self::LowerLeg(Left) => "left_lower_leg",
            Self::LowerLeg(Right) => "right_lower_leg",
            Self::Foot(Left) => "left_foot",
            Self::Foot(Right) => "right_foot",
            Self::Toes(Left) => "left_toes",
            Self::Toes(Right) => "right_toes",
        }
    }

    /// Finds a role by its name; also accepts VRM's spelling ("leftUpperArm").
    pub fn from_name(name: &str) -> Option<Self> {
        let plain = |text: &str| text.replace('_', "").to_ascii_lowercase();
        Self::ALL.into_iter().find(|role| plain(role.name()) == plain(name))
    }

    /// Side of a limb's role; `None` for the trunk and head.
    pub(crate) fn side(self) -> Option<Side> {
        match self {
            Self::Shoulder(side)
            | Self::UpperArm(side)
            | Self::LowerArm(side)
            | Self::Hand(side)
            | Self::UpperLeg(side)
            | Self::LowerLeg(side)
            | Self::Foot(side)
            | Self::Toes(side) => Some(side),
            _ => None,
        }
    }
}

/// Humanoid role of each bone, with the reason.
#[derive(Clone, Debug, PartialEq)]
pub struct RoleMap {
    /// Role per bone; all `None` for a skeleton that is not humanoid.
    pub roles: Vec<Option<Role>>,
    /// Reason per bone with a role, in words: "by its name", "by shape".
    pub reasons: Vec<Option<String>>,
}

/// Reasons why roles given by a user or a file do not fit.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum RoleError {
    /// The skeleton has no bone of that name.
    #[error("no bone is named “{bone}” (given as {role}); use a name from the clip")]
    UnknownBone {
        /// Given bone name.
        bone: String,
        /// Role given to the bone.
        role: &'static str,
    },
    /// A role is given to two bones.
    #[error("{role} is given to “{first}” and to “{second}”; one bone plays a role")]
    GivenTwice {
        /// Name of the role.
        role: &'static str,
        /// Name of the first bone.
        first: String,
        /// Name of the second bone.
        second: String,
    },
}

impl RoleMap {
    /// A map without roles.
    pub(crate) fn none(bones: usize) -> Self {
        Self { roles: vec![None; bones], reasons: vec![None; bones] }
    }

    /// Bone with the given role; `None` if no bone has it.
    pub fn bone_of(&self, role: Role) -> Option<usize> {
        self.roles.iter().position(|&played| played == Some(role))
    }

    /// Whether the map has hips and both upper and lower legs, the minimum of a humanoid.
    pub(crate) fn is_humanoid(&self) -> bool {
        let known = |role| self.bone_of(role).is_some();
        known(Role::Hips)
            && [Side::Left, Side::Right]
                .into_iter()
                .all(|side| known(Role::UpperLeg(side)) && known(Role::LowerLeg(side)))
    }

    /// Gives `role` to `bone`, removing it from any other bone and removing any other role of `bone`.
    pub(crate) fn give(&mut self, role: Role, bone: usize, reason: &str) {
        if let Some(before) = self.bone_of(role) {
            self.roles[before] = None;
            self.reasons[before] = None;
        }
        self.roles[bone] = Some(role);
        self.reasons[bone] = Some(reason.into());
    }
}

/// Detects the humanoid roles of bones; all `None` unless at least hips, upper and lower legs are found.
pub fn roles(skeleton: &Skeleton) -> RoleMap {
    roles_in_motion(skeleton, None)
}

/// [`roles`] of a skeleton that moves as in `clip`, which tells people from animals, and left from right where names do
/// not.
pub fn roles_in_motion(skeleton: &Skeleton, clip: Option<&Clip>) -> RoleMap {
    let family = Family::new(skeleton);
    let map = by_name_or_shape(skeleton, &family, clip);
    let person = map.is_humanoid() && animal(skeleton, &family, &map, clip).is_none();
    if person { map } else { RoleMap::none(skeleton.len()) }
}

/// Roles by name. Where names give no humanoid, or no arm, the shape does if it agrees about the hips.
fn by_name_or_shape(skeleton: &Skeleton, family: &Family, clip: Option<&Clip>) -> RoleMap {
    let named = by_name(skeleton, family);
    let arms = Role::ALL.iter().any(|&role| matches!(role, Role::UpperArm(_)) && named.bone_of(role).is_some());
    if named.is_humanoid() && arms {
        return named;
    }
    let shaped = by_shape(skeleton, family, clip);
    let agree = !named.is_humanoid() || named.bone_of(Role::Hips) == shaped.bone_of(Role::Hips);
    if shaped.is_humanoid() && agree { shaped } else { named }
}

/// Why a skeleton that moves as in `clip` is no humanoid, in words. `map` has the roles that it was given, if any.
pub(crate) fn why_no_humanoid(skeleton: &Skeleton, map: &RoleMap, clip: Option<&Clip>) -> String {
    let family = Family::new(skeleton);
    let given = map.roles.iter().any(Option::is_some);
    let found = if given { map.clone() } else { by_name_or_shape(skeleton, &family, clip) };
    if found.is_humanoid() {
        let why = animal(skeleton, &family, &found, clip);
        return why.unwrap_or_else(|| "its joints coincide".into());
    }
    let needed = [Side::Left, Side::Right].map(|side| [Role::UpperLeg(side), Role::LowerLeg(side)]).concat();
    let missing: Vec<Role> =
        core::iter::once(Role::Hips).chain(needed).filter(|&role| found.bone_of(role).is_none()).collect();
    if missing.len() == 5 {
        return "no hips and legs were found among them, by name or by shape; --roles FILE names them".into();
    }
    let names: Vec<String> = missing.iter().map(|role| role.name().replace('_', " ")).collect();
    format!("no bone was found for the {}; --roles FILE names it", names.join(", the "))
}

/// Role map from declared pairs of bone and role (VRM); if a role is declared twice, the first counts.
pub fn declared(skeleton: &Skeleton, pairs: &[(usize, Role)]) -> RoleMap {
    let mut map = RoleMap::none(skeleton.len());
    for &(bone, role) in pairs {
        if bone < skeleton.len() && map.bone_of(role).is_none() {
            map.give(role, bone, "declared by the file");
        }
    }
    map
}

/// The map with roles that the user gives by bone name; they override detected roles.
pub fn overridden(skeleton: &Skeleton, map: &RoleMap, pairs: &[(Role, String)]) -> Result<RoleMap, RoleError> {
    let mut result = map.clone();
    for (at, (role, name)) in pairs.iter().enumerate() {
        if let Some((_, first)) = pairs[..at].iter().find(|(earlier, _)| earlier == role) {
            return Err(RoleError::GivenTwice { role: role.name(), first: first.clone(), second: name.clone() });
        }
        let bone =
            skeleton.find(name).ok_or_else(|| RoleError::UnknownBone { bone: name.clone(), role: role.name() })?;
        result.give(*role, bone, "given");
    }
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_role_has_a_name_that_names_it() {
        for role in Role::ALL {
            assert_eq!(Role::from_name(role.name()), Some(role));
        }
        assert_eq!(Role::from_name("leftUpperArm"), Some(Role::UpperArm(Side::Left)));
        assert_eq!(Role::from_name("third_arm"), None);
    }

    #[test]
    fn a_role_given_to_an_unknown_bone_is_an_error_that_names_it() {
        let bone = super::super::Bone {
            name: "a".into(),
            parent: None,
            translation: glam::DVec3::ZERO,
            rotation: glam::DQuat::IDENTITY,
            ends: vec![],
        };
        let skeleton = Skeleton::new(vec![bone]).unwrap();
        let map = RoleMap::none(1);
        let error = overridden(&skeleton, &map, &[(Role::Hips, "b".into())]).unwrap_err();
        assert!(error.to_string().contains("“b”") && error.to_string().contains("hips"));
        let given = overridden(&skeleton, &map, &[(Role::Hips, "a".into())]).unwrap();
        assert_eq!(given.bone_of(Role::Hips), Some(0));
    }
}
