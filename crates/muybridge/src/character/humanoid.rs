//! What a bone is on a human body. The words are VRM's, which glTF authors know.
//!
//! [`roles`] finds them by name, each claim checked against the chain it must stand in (hips, upper leg, lower leg,
//! foot), and where names say nothing by shape: two mirrored pairs of limbs on a trunk. What walks on four legs is not
//! mapped, whatever its bones are called.

use thiserror::Error;

use super::Skeleton;
use super::ancestry::Family;
use super::humanoid_chains::by_name;
use super::humanoid_shape::{by_shape, walks_on_four_legs};

/// Left or right, the character's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Side {
    /// The character's left.
    Left,
    /// The character's right.
    Right,
}

/// The part of a human body a bone moves. Each role is played by one bone at most.
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
    /// Every role, from the hips up and then the limbs, left before right.
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

    /// The role in words: "hips", "left_upper_arm".
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

    /// The role of that name; VRM's spelling ("leftUpperArm") is understood too.
    pub fn from_name(name: &str) -> Option<Self> {
        let plain = |text: &str| text.replace('_', "").to_ascii_lowercase();
        Self::ALL.into_iter().find(|role| plain(role.name()) == plain(name))
    }

    /// The side of a limb's role.
    pub fn side(self) -> Option<Side> {
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

/// Which bone plays which part, and why it is thought so.
#[derive(Clone, Debug, PartialEq)]
pub struct RoleMap {
    /// One per bone; all `None` for what is not a humanoid.
    pub roles: Vec<Option<Role>>,
    /// One per bone with a role, in words: "by its name", "by shape".
    pub reasons: Vec<Option<String>>,
}

/// Why roles given by a person or a file do not fit.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum RoleError {
    /// A name the skeleton does not have.
    #[error("no bone is named “{bone}” (given as {role}); use a name from the clip")]
    UnknownBone {
        /// As given.
        bone: String,
        /// The role it should have played.
        role: &'static str,
    },
    /// A role given twice.
    #[error("{role} is given to “{first}” and to “{second}”; one bone plays a role")]
    GivenTwice {
        /// The role.
        role: &'static str,
        /// First bone.
        first: String,
        /// Second bone.
        second: String,
    },
}

impl RoleMap {
    /// No roles at all.
    pub fn none(bones: usize) -> Self {
        Self { roles: vec![None; bones], reasons: vec![None; bones] }
    }

    /// The bone that plays `role`, if one does.
    pub fn bone_of(&self, role: Role) -> Option<usize> {
        self.roles.iter().position(|&played| played == Some(role))
    }

    /// Whether hips and both upper and lower legs are known: the least that makes a humanoid.
    pub fn is_humanoid(&self) -> bool {
        let known = |role| self.bone_of(role).is_some();
        known(Role::Hips)
            && [Side::Left, Side::Right]
                .into_iter()
                .all(|side| known(Role::UpperLeg(side)) && known(Role::LowerLeg(side)))
    }

    /// Gives `role` to `bone`, taking it from whichever bone played it and ending the part `bone` played.
    pub fn give(&mut self, role: Role, bone: usize, reason: &str) {
        if let Some(before) = self.bone_of(role) {
            self.roles[before] = None;
            self.reasons[before] = None;
        }
        self.roles[bone] = Some(role);
        self.reasons[bone] = Some(reason.into());
    }
}

/// The roles of the bones of a humanoid; all `None` unless at least hips, upper and lower legs are found.
pub fn roles(skeleton: &Skeleton) -> RoleMap {
    let family = Family::new(skeleton);
    let mut map = by_name(skeleton, &family);
    if !map.is_humanoid() {
        map = by_shape(skeleton, &family);
    }
    if map.is_humanoid() && !walks_on_four_legs(skeleton, &map) { map } else { RoleMap::none(skeleton.len()) }
}

/// Roles a file declares (VRM), bone and role; of a role declared twice the first holds.
pub fn declared(skeleton: &Skeleton, pairs: &[(usize, Role)]) -> RoleMap {
    let mut map = RoleMap::none(skeleton.len());
    for &(bone, role) in pairs {
        if bone < skeleton.len() && map.bone_of(role).is_none() {
            map.give(role, bone, "declared by the file");
        }
    }
    map
}

/// The map with the roles a person gives by bone name, which win over everything found.
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
