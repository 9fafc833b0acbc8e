//! A ragdoll as behaviors see it: its skeleton, which bones are bodies, what joins them, and which bones have which part to play.
//!
//! Rigid bodies and bodies of particles give the same figure, so that one behavior serves both.

use glam::DVec3;

use crate::character::{Character, JointRange, Role, Skeleton};
use crate::motion::ik::{Limb, limbs};
use crate::ragdoll::{BoneMap, Ragdoll, RigidRagdoll};

/// What stays constant of a ragdoll.
#[derive(Clone, Debug, PartialEq)]
pub struct RagdollModel {
    /// Bones and their offsets.
    pub skeleton: Skeleton,
    /// The bodies, in the order of the ragdoll's.
    pub bodies: Vec<RagdollBody>,
    /// The joints between them, in the order of the ragdoll's.
    pub links: Vec<RagdollLink>,
    /// The body each bone rides on; `None` for bones of trees without mass.
    pub body_of: Vec<Option<usize>>,
    /// About which axis of its own a bone turns that is a hinge.
    pub hinges: Vec<Option<DVec3>>,
    /// Which bone has which part to play.
    pub roles: Vec<Option<Role>>,
    /// Two long bones and an end each.
    pub limbs: Vec<Limb>,
    /// Kilograms.
    pub mass: f64,
}

/// A body of a figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RagdollBody {
    /// The bone whose frame is the body's.
    pub bone: usize,
    /// Kilograms.
    pub mass: f64,
    /// Center of mass in the bone's frame, metres.
    pub center: DVec3,
}

/// A joint of a figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RagdollLink {
    /// Parent and child, indices of bodies.
    pub bodies: [usize; 2],
    /// The bone in whose origin the joint stands.
    pub bone: usize,
}

impl RagdollModel {
    /// Of a ragdoll of rigid bodies and the character it was made of.
    pub fn of_rigid(character: &Character, ragdoll: &RigidRagdoll) -> Self {
        let part = |(body, weight): (&crate::ragdoll::BoneFrame, &crate::rigid::Body)| RagdollBody {
            bone: body.bone,
            mass: weight.mass,
            center: body.frame.center,
        };
        let bodies = ragdoll.bodies.iter().zip(&ragdoll.model.bodies).map(part).collect();
        Self::new(character, &ragdoll.bones, bodies)
    }

    /// Of a ragdoll of particles and the character it was made of.
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

    /// The bone of a role.
    pub fn bone_of(&self, role: Role) -> Option<usize> {
        self.roles.iter().position(|&own| own == Some(role))
    }

    /// The joint by which a body hangs on its parent.
    pub fn link_of(&self, body: usize) -> Option<usize> {
        self.links.iter().position(|link| link.bodies[1] == body)
    }

    /// The limb that ends in a bone.
    pub fn limb_to(&self, end: usize) -> Option<&Limb> {
        self.limbs.iter().find(|limb| limb.end == end)
    }

    /// Whether a bone is `above` or below it.
    pub fn is_below(&self, bone: usize, above: usize) -> bool {
        let mut at = Some(bone);
        while let Some(here) = at {
            if here == above {
                return true;
            }
            at = self.skeleton.bones().get(here).and_then(|bone| bone.parent);
        }
        false
    }

    /// Center of mass of a world pose (position and orientation of every bone), metres.
    pub fn mass_center(&self, pose: &[(DVec3, glam::DQuat)]) -> DVec3 {
        let moment =
            |part: &RagdollBody| pose.get(part.bone).map_or(DVec3::ZERO, |(p, q)| (*p + *q * part.center) * part.mass);
        self.bodies.iter().map(moment).sum::<DVec3>() / self.mass
    }
}
