//! Ragdolls: one rigid body per bone with mass, joints with their limits, and colliders from the character's solids.
//!
//! ```text
//! Character + Start ──► bodies (and their bones), joints, solids ─┬─► tetrahedra, attachments, limits, surfaces ──► Ragdoll
//!                                                                 └─► rigid bodies, joints, ranges, solids ──► RigidRagdoll
//! state of the world ──► frames of the bodies ──► poses of all bones ──► clip
//! ```
//! A bone without mass, or without joint freedom, moves with the nearest bone above that has a body; without one above,
//! with the first below. Joints are placed as in the starting pose. Specification: mathematics 3.11, 3.13, 3.16, 4.7.

mod ball_joints;
mod bodies;
mod bones;
mod impulses;
mod joints;
mod pose;
mod rigid;
mod solids;
mod start;
mod surfaces;

use glam::{DQuat, DVec3};
use thiserror::Error;

use crate::character::Character;
use crate::math::input_error::InputError;
use crate::particles::body::{BodyError, RigidBody};
use crate::particles::model::{Model, Object};
use crate::particles::point::{Direction, Point};

pub use bones::BoneMap;
pub(crate) use bones::Ride;
pub use rigid::{BodyOfBone, RigidRagdoll, rigid};
pub use start::{Inherited, PosePair, RagdollStart};
pub(crate) use surfaces::cores;

/// Settings of a ragdoll besides its character.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RagdollSettings {
    /// Coulomb friction coefficient of the surface.
    pub friction: f64,
    /// Coefficient of restitution, 0 to 1.
    pub restitution: f64,
    /// Damping: rate at which velocities decay, per second.
    pub drag: f64,
    /// Joint damping: rate at which two joined bodies alone stop turning relative to each other, per second. For
    /// particles, dry friction takes 0.05 times this number (rad/s²) from the angular speed of whole limbs.
    pub joint_friction: f64,
    /// Whether the ragdoll's bodies collide with each other; bodies joined to each other never do.
    pub touches_itself: bool,
    /// Rolling resistance against obstacles, meters: a rolling body feels a moment of at most this length times the
    /// normal force. Ragdolls of particles ignore it.
    pub rolling: f64,
    /// Whether joint limits apply.
    pub limits: bool,
    /// Whether joints about one axis (knees, elbows) become hinges; otherwise they are unlimited ball joints. Recorded
    /// clips turn knees by some degrees about other axes.
    pub hinges: bool,
    /// Constraint iterations per substep. `None` uses those of the world, but at least four if a body is lighter than a
    /// thousandth of the whole; otherwise long chains of such bodies would stretch.
    pub iterations: Option<u32>,
}

/// Least for ragdolls with light bodies; see [`RagdollSettings::iterations`].
const PASSES_WITH_LIGHT_BODIES: u32 = 4;

impl Default for RagdollSettings {
    fn default() -> Self {
        Self {
            friction: 0.6,
            restitution: 0.0,
            drag: 0.0,
            joint_friction: 10.0,
            touches_itself: true,
            rolling: 0.01,
            limits: true,
            hinges: true,
            iterations: None,
        }
    }
}

/// Ragdoll of particles, with the mapping back to bones.
#[derive(Clone, Debug, PartialEq)]
pub struct Ragdoll {
    /// Model with one object whose particles begin at 0: four for each of [`Self::bodies`], in order.
    pub model: Model,
    /// Rigid bodies, in the order of their bones.
    pub bodies: Vec<BoneBody>,
    /// Attachments of all bones to the bodies.
    pub bones: BoneMap,
    /// Index of the ragdoll's first particle in the world it was added to; every method takes positions of that world.
    pub first: usize,
    /// Notes about changes and omissions, one sentence each.
    pub notes: Vec<String>,
}

/// Rigid body of particles in the frame of its bone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoneBody {
    /// Index of the bone whose frame is the body's.
    pub bone: usize,
    /// Body made of four particles.
    pub body: RigidBody,
}

/// Mass and center of mass of a body, in the frame of its bone.
struct BoneMass {
    bone: usize,
    /// Mass, kilograms.
    mass: f64,
    /// Center of mass, meters.
    center: DVec3,
}

/// Reasons why a character cannot become a ragdoll.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum RagdollError {
    /// A push on a bone that cannot be pushed, or with a number that is not finite.
    #[error(transparent)]
    Input(InputError),
    /// No bone has mass.
    #[error("no bone of the character has mass; give it a body (--body) or roles")]
    NoMass,
    /// The pose belongs to another skeleton.
    #[error("the pose has {found} bones, the character {expected}; give a pose of this character")]
    OtherSkeleton {
        /// Number of bones of the pose.
        found: usize,
        /// Number of bones of the character.
        expected: usize,
    },
    /// The clip does not have the requested frame.
    #[error("the clip has no frame {frame}; its frames are 0 to {last}")]
    NoSuchFrame {
        /// Frame as given.
        frame: usize,
        /// Last frame of the clip.
        last: usize,
    },
    /// The pose has values that are not finite.
    #[error("bone “{bone}” has a position or rotation that is not a finite number in the starting pose")]
    NotFinite {
        /// Name of the bone.
        bone: String,
    },
    /// The mass properties of a bone are invalid.
    #[error("bone “{bone}”: {source}")]
    Body {
        /// Name of the bone.
        bone: String,
        /// Reason why the mass properties are invalid.
        source: BodyError,
    },
    /// No rigid body has the moments of inertia of the bone.
    #[error("bone “{bone}”: {source}")]
    Inertia {
        /// Name of the bone.
        bone: String,
        /// Reason why the mass properties are invalid.
        source: crate::rigid::BodyError,
    },
}

/// Ragdoll of particles of a character from a start: bodies, joints with their limits, surfaces. Errors name the bone.
///
/// A joint limit that excludes the starting pose is widened to include it, and [`Ragdoll::notes`] says so.
pub fn particles(
    character: &Character,
    start: &RagdollStart,
    settings: &RagdollSettings,
) -> Result<Ragdoll, RagdollError> {
    start::check(character, start)?;
    let unplaced = start.before_placing();
    let (parts, rides) = bodies::bodies(character, &unplaced.pose)?;
    let body = |part: &bodies::BoneMassProperties| {
        let bone = || character.skeleton.bones()[part.bone].name.clone();
        let body = RigidBody::with_least_moment(&part.properties, bodies::LEAST_MOMENT);
        Ok(BoneBody { bone: part.bone, body: body.map_err(|source| RagdollError::Body { bone: bone(), source })? })
    };
    let mut ragdoll = Ragdoll {
        model: Model::default(),
        bodies: parts.iter().map(body).collect::<Result<_, _>>()?,
        bones: BoneMap::new(character, start, rides),
        first: 0,
        notes: Vec::new(),
    };
    let weights: Vec<BoneMass> = ragdoll.bodies.iter().map(BoneBody::weight).collect();
    ragdoll.bones.masses = weights.iter().map(|it| it.mass).collect();
    for (body, placement) in ragdoll.bodies.iter().zip(start.placements(&weights)) {
        body.body.add_to(&mut ragdoll.model, &placement);
    }
    let (joints, widened) = joints::joints(character, &ragdoll.bones, &unplaced, settings);
    joints.iter().for_each(|joint| ball_joints::attach(&mut ragdoll, &unplaced, joint, settings.joint_friction));
    ragdoll.notes.extend(widened);
    let solids = solids::solids(character, &ragdoll.bones, &weights);
    surfaces::cover(&mut ragdoll, &solids);
    let mass = character.mass();
    let light = weights.iter().any(|weight| bodies::is_light(weight.mass, mass));
    ragdoll.model.objects.push(Object {
        particles: 0..ragdoll.model.positions.len(),
        iterations: settings.iterations,
        least_iterations: if light { PASSES_WITH_LIGHT_BODIES } else { 1 },
        touches_itself: settings.touches_itself,
        friction: settings.friction,
        restitution: settings.restitution,
        drag: settings.drag,
        rolling: settings.rolling,
    });
    Ok(ragdoll)
}

impl BoneBody {
    fn weight(&self) -> BoneMass {
        BoneMass { bone: self.bone, mass: 4.0 * self.body.particle_mass, center: self.body.center }
    }
}

impl Ragdoll {
    /// Index of the bone with exactly that name.
    pub fn bone(&self, name: &str) -> Option<usize> {
        self.bones.find(name)
    }

    /// Point fixed to `bone` (meters, its frame), expressed by the world's particles. `None` if the bone has no body.
    pub fn point(&self, bone: usize, in_bone: DVec3) -> Option<Point> {
        let ride = self.bones.ride(bone)?;
        Some(self.of_body(ride.body, ride.position + ride.rotation * in_bone))
    }

    /// Direction fixed to `bone` (its frame), expressed by the world's particles. `None` if the bone has no body.
    pub(crate) fn direction(&self, bone: usize, in_bone: DVec3) -> Option<Direction> {
        let ride = self.bones.ride(bone)?;
        Some(self.bodies[ride.body].body.direction(self.first + 4 * ride.body, ride.rotation * in_bone))
    }

    /// Center of mass of the body that carries a bone.
    pub fn center_of(&self, bone: usize) -> Option<Point> {
        let ride = self.bones.ride(bone)?;
        Some(self.of_body(ride.body, self.bodies[ride.body].body.center))
    }

    /// Index of the first particle of a body.
    pub(crate) fn particle(&self, body: usize) -> usize {
        self.first + 4 * body
    }

    fn of_body(&self, body: usize, in_body: DVec3) -> Point {
        self.bodies[body].body.point(self.particle(body), in_body)
    }
}

/// Expresses a pose in the frame of another.
fn inside((position, rotation): (DVec3, DQuat), (at, turn): (DVec3, DQuat)) -> (DVec3, DQuat) {
    let back = rotation.conjugate();
    (back * (at - position), (back * turn).normalize())
}

#[cfg(test)]
mod rigid_tests;
#[cfg(test)]
mod tests;
