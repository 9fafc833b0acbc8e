//! Characters: skeleton, bodies, joint ranges, roles and contact points, immutable once built.

mod ancestry;
mod animal;
pub(crate) mod anthropometry;
pub(crate) mod anthropometry_table;
pub(crate) mod body;
pub(crate) mod build;
pub(crate) mod contact;
mod flat_feet;
mod geometric;
pub(crate) mod humanoid;
mod humanoid_chains;
pub(crate) mod humanoid_names;
mod humanoid_shape;
mod landmarks;
mod learned_range;
pub(crate) mod range;
mod reference_pose;
mod shapes_by_role;
pub(crate) mod skeleton;
mod skin;
mod time_scale;
pub mod units;

pub use anthropometry::Anthropometry;
pub use body::Body;
pub(crate) use build::WeighedBy;
pub use build::{Assembled, BodySettings, CharacterError, CharacterEvidence, assemble};
pub use contact::ContactPoint;
pub use humanoid::{Role, RoleError, RoleMap, Side, declared, overridden, roles, roles_in_motion};
pub use range::JointRange;
pub use skeleton::{Bone, Skeleton, SkeletonError};

/// A skeleton with its physical properties. Bone `i` of the skeleton owns entry `i` of each list.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Character {
    /// The bones, parents before children.
    pub skeleton: Skeleton,
    /// Mass properties and shapes, one per bone; a bone without mass has [`Body::none`].
    pub bodies: Vec<Body>,
    /// Joint range of each bone relative to its parent, one per bone.
    pub ranges: Vec<JointRange>,
    /// Humanoid role of each bone, one per bone; `None` if unknown.
    pub roles: Vec<Option<Role>>,
    /// Points of the body that may touch the world, in bone frames. In no particular order.
    pub contacts: Vec<ContactPoint>,
    /// Source of the masses, in words for a report: "de Leva 1996 male", "jump_body.csv".
    pub body_source: String,
    /// Whether the contact points were given, so that they are where the body ends. Soles guessed from proportions or taken from a skin may lie
    /// centimeters off.
    pub measured_contacts: bool,
}

impl Character {
    /// Total mass, kg.
    pub fn mass(&self) -> f64 {
        self.bodies.iter().map(|body| body.mass).sum()
    }

    /// What the masses are the volume of; `None` if they are from a table or a file.
    pub(crate) fn weighed_by(&self) -> Option<WeighedBy> {
        WeighedBy::ALL.into_iter().find(|by| by.source() == self.body_source)
    }

    /// Bone with the given role; `None` if no bone has it.
    pub fn bone_of(&self, role: Role) -> Option<usize> {
        self.roles.iter().position(|&r| r == Some(role))
    }
}
