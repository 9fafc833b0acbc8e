//! Constant model of a ragdoll for behaviors: skeleton, bodies, joints and humanoid roles.
//!
//! Ragdolls of rigid bodies and of particles give the same figure, so that one behavior serves both.

use glam::DVec3;

use crate::character::{Character, JointRange, Role, Skeleton};
use crate::motion::ik::{Limb, limbs};
use crate::ragdoll::{BoneMap, Ragdoll, RigidRagdoll};

/// Constant properties of a ragdoll: skeleton, bodies, joints and roles.
#[derive(Clone, Debug, PartialEq)]
pub struct RagdollModel {
    /// Skeleton: bones and their offsets.
    pub skeleton: Skeleton,
    /// Bodies, in the order of the ragdoll.
    pub bodies: Vec<RagdollBody>,
    /// Joints between the bodies, in the order of the ragdoll.
    pub links: Vec<RagdollLink>,
    /// Body with which each bone moves; `None` for bones of trees without mass.
    pub body_of: Vec<Option<usize>>,
    /// Hinge axis of each bone in its own frame; `None` for bones without a hinge.
    pub hinges: Vec<Option<DVec3>>,
    /// Humanoid role of each bone.
    pub roles: Vec<Option<Role>>,
    /// Limbs for inverse kinematics: two long bones and an end bone each.
    pub limbs: Vec<Limb>,
    /// Total mass, kilograms.
    pub mass: f64,
}

/// Bone, mass and center of mass of one ragdoll body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RagdollBody {
    /// Bone whose frame is the body's frame.
    pub bone: usize,
    /// Mass, kilograms.
    pub mass: f64,
    /// Center of mass in the bone's frame, meters.
    pub center: DVec3,
}

/// Joint between two bodies of a ragdoll.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RagdollLink {
    /// Indices of the parent and child body.
    pub bodies: [usize; 2],
    /// Bone whose origin is the position of the joint.
    pub bone: usize,
}

impl RagdollModel {
    /// Creates the figure of a ragdoll of rigid bodies and its character.
    pub fn of_rigid(character: &Character, ragdoll: &RigidRagdoll) -> Self {
        let part = |(body, weight): (&crate::ragdoll::BodyOfBone, &crate::rigid::Body)| RagdollBody {
            bone: body.bone,
            mass: weight.mass,
            center: body.frame.center,
        };
        let bodies = ragdoll.bodies.iter().zip(&ragdoll.model.bodies).map(part).collect();
        Self::new(character, &ragdoll.bones, bodies)
    }

    /// Creates the figure of a ragdoll of particles and its character.
    pub fn of_particles(character: &Character, ragdoll: &Ragdoll) -> Self {
        let part = |body: &crate::ragdoll::BoneBody| RagdollBody {
            bone: body.bone,
            mass: 4.0 * body.body.particle_mass,
            center: body.body.center,
        };
        Self::new(character, &ragdoll.bones, ragdoll.bodies.iter().map(part).collect())
    }

    fn new(character: &Character, bones: &BoneMap, bodies: Vec<RagdollBody>) -> Self {
        let skeleton = character.skeleton.clone();
        let body_of: Vec<Option<usize>> = bones.rides.iter().map(|ride| ride.map(|ride| ride.body)).collect();
        let link = |(bone, own): (usize, &crate::character::Bone)| {
            let bodies = [body_of[own.parent?]?, body_of[bone]?];
            (bodies[0] != bodies[1]).then_some(RagdollLink { bodies, bone })
        };
        let links = skeleton.bones().iter().enumerate().filter_map(link).collect();
        let hinge = |range: &JointRange| match *range {
            JointRange::Hinge { axis, .. } => axis.try_normalize(),
            _ => None,
        };
        Self {
            links,
            hinges: character.ranges.iter().map(hinge).collect(),
            roles: character.roles.clone(),
            limbs: limbs(character),
            mass: bodies.iter().map(|part: &RagdollBody| part.mass).sum(),
            skeleton,
            body_of,
            bodies,
        }
    }

    /// Bone with a humanoid role; `None` if no bone has it.
    pub fn bone_of(&self, role: Role) -> Option<usize> {
        self.roles.iter().position(|&own| own == Some(role))
    }

    /// Joint that connects a body to its parent; `None` for a root body.
    pub(crate) fn link_of(&self, body: usize) -> Option<usize> {
        self.links.iter().position(|link| link.bodies[1] == body)
    }

    /// Limb whose end bone is `end`.
    pub(crate) fn limb_to(&self, end: usize) -> Option<&Limb> {
        self.limbs.iter().find(|limb| limb.end == end)
    }

    /// True if `bone` is the bone `above` or one of its descendants.
    pub(crate) fn is_below(&self, bone: usize, above: usize) -> bool {
        let mut at = Some(bone);
        while let Some(here) = at {
            if here == above {
                return true;
            }
            at = self.skeleton.bones().get(here).and_then(|bone| bone.parent);
        }
        false
    }

    /// Center of mass of a world pose (position and orientation of every bone), meters.
    pub(crate) fn mass_center(&self, pose: &[(DVec3, glam::DQuat)]) -> DVec3 {
        let moment =
            |part: &RagdollBody| pose.get(part.bone).map_or(DVec3::ZERO, |(p, q)| (*p + *q * part.center) * part.mass);
        self.bodies.iter().map(moment).sum::<DVec3>() / self.mass
    }
}
