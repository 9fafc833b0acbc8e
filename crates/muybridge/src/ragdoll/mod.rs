//! A character that falls: one rigid body per bone with mass, joints with its ranges, surfaces of its solids.
//!
//! ```text
//! Character + Start ──► bodies (who rides on whom), joints, solids ─┬─► tetrahedra, attachments, limits, surfaces ──► Ragdoll
//!                                                                   └─► rigid bodies, joints, ranges, solids ──► RigidRagdoll
//! state of the world ──► frames of the bodies ──► poses of all bones ──► clip
//! ```
//! A bone without mass, or that does not turn, rides on the nearest bone above that has some; where there is none above,
//! on the first below. Joints stand where the starting pose has them. Specification: mathematics 3.11, 3.13, 3.16, 4.7.

mod ball_joints;
mod bodies;
mod bones;
mod impulses;
mod joints;
mod pose;
pub mod presets;
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

pub use bones::{BoneMap, Ride};
pub use rigid::{BoneFrame, RigidRagdoll, rigid};
pub use start::{Inherited, PosePair, RagdollStart};

/// What a ragdoll is like besides its character.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RagdollSettings {
    /// Coulomb friction of its skin.
    pub friction: f64,
    /// Share of the normal speed that comes back at a hit: 0 to 1.
    pub restitution: f64,
    /// Rate at which velocities decay, per second.
    pub drag: f64,
    /// Rate at which the bodies of a joint by themselves stop turning against each other, per second. Of particles, dry friction takes
    /// 0.05 of it (rad/s²) from the angular speed of whole limbs.
    pub joint_friction: f64,
    /// Whether its bodies touch each other; those joined never do.
    pub touches_itself: bool,
    /// Rolling resistance of its surface against obstacles, metres: what rolls is braked by a moment of at most this times the
    /// normal force. Limbs of particles do not roll.
    pub rolling: f64,
    /// Whether joints keep to their ranges.
    pub limits: bool,
    /// Whether joints that turn about one axis (knees, elbows) do only that; without, they are balls of no range. Recorded clips turn knees
    /// by some degrees about other axes.
    pub hinges: bool,
    /// Passes per substep; `None`: as the world, but four where a body is lighter than a thousandth of the whole, or long
    /// chains of such bodies would stretch.
    pub iterations: Option<u32>,
}

/// See [`RagdollSettings::iterations`].
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

/// A character as particles, and the way back.
#[derive(Clone, Debug, PartialEq)]
pub struct Ragdoll {
    /// One object whose particles begin at 0; four for each of [`Self::bodies`], in order.
    pub model: Model,
    /// The rigid bodies, in the order of their bones.
    pub bodies: Vec<BoneBody>,
    /// What rides on them.
    pub bones: BoneMap,
    /// Where its particles begin in the model of the world it was added to; every method takes positions of that world.
    pub first: usize,
    /// What was changed or left out, one sentence each.
    pub notes: Vec<String>,
}

/// A rigid body, in the frame of the bone it is named after.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoneBody {
    /// The bone whose frame is the body's.
    pub bone: usize,
    /// Its four particles.
    pub body: RigidBody,
}

/// What a body weighs, in the frame of the bone it is named after.
struct BoneMass {
    bone: usize,
    /// Kilograms.
    mass: f64,
    /// Center of mass, metres.
    center: DVec3,
}

/// Why a character is no ragdoll.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum RagdollError {
    /// A push on a bone that cannot be pushed, or with a number that is not finite.
    #[error(transparent)]
    Input(InputError),
    /// Nothing that could fall.
    #[error("no bone of the character has mass; give it a body (--body) or roles")]
    NoMass,
    /// A pose of another skeleton.
    #[error("the pose has {found} bones, the character {expected}; give a pose of this character")]
    OtherSkeleton {
        /// Bones of the pose.
        found: usize,
        /// Bones of the character.
        expected: usize,
    },
    /// A frame the clip does not have.
    #[error("the clip has no frame {frame}; its frames are 0 to {last}")]
    NoSuchFrame {
        /// As given.
        frame: usize,
        /// The last there is.
        last: usize,
    },
    /// A pose with values that are no numbers.
    #[error("bone “{bone}” has a position or rotation that is not a finite number in the starting pose")]
    NotFinite {
        /// The culprit.
        bone: String,
    },
    /// Mass properties that are none.
    #[error("bone “{bone}”: {source}")]
    Body {
        /// The culprit.
        bone: String,
        /// What is wrong.
        source: BodyError,
    },
    /// Moments of inertia that no rigid body has.
    #[error("bone “{bone}”: {source}")]
    Inertia {
        /// The culprit.
        bone: String,
        /// What is wrong.
        source: crate::rigid::BodyError,
    },
}

/// The ragdoll of a character from a start: bodies, joints with their ranges, surfaces. Errors name the bone.
///
/// A range the starting pose lies outside of is widened to hold it, and [`Ragdoll::notes`] says so.
pub fn particles(
    character: &Character,
    start: &RagdollStart,
    settings: &RagdollSettings,
) -> Result<Ragdoll, RagdollError> {
    start::check(character, start)?;
    let (parts, rides) = bodies::bodies(character, &start.pose)?;
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
    for (body, placement) in ragdoll.bodies.iter().zip(start.placements(&weights)) {
        body.body.add_to(&mut ragdoll.model, &placement);
    }
    let (joints, widened) = joints::joints(character, &ragdoll.bones, start, settings);
    joints.iter().for_each(|joint| ball_joints::attach(&mut ragdoll, start, joint, settings.joint_friction));
    ragdoll.notes.extend(widened);
    let solids = solids::solids(character, &ragdoll.bones, &weights);
    surfaces::cover(&mut ragdoll, &solids);
    let mass = character.mass();
    let light = weights.iter().any(|weight| bodies::is_light(weight.mass, mass));
    ragdoll.model.objects.push(Object {
        particles: 0..ragdoll.model.positions.len(),
        iterations: settings.iterations.or(light.then_some(PASSES_WITH_LIGHT_BODIES)),
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
    /// The bone of that exact name.
    pub fn bone(&self, name: &str) -> Option<usize> {
        self.bones.find(name)
    }

    /// A point fixed to `bone` (metres, its frame) as a point of the world's particles.
    pub fn point(&self, bone: usize, in_bone: DVec3) -> Option<Point> {
        let ride = self.bones.ride(bone)?;
        Some(self.of_body(ride.body, ride.position + ride.rotation * in_bone))
    }

    /// An axis fixed to `bone` (its frame).
    pub fn direction(&self, bone: usize, in_bone: DVec3) -> Option<Direction> {
        let ride = self.bones.ride(bone)?;
        Some(self.bodies[ride.body].body.direction(self.first + 4 * ride.body, ride.rotation * in_bone))
    }

    /// The center of mass of the body a bone rides on.
    pub fn center_of(&self, bone: usize) -> Option<Point> {
        let ride = self.bones.ride(bone)?;
        Some(self.of_body(ride.body, self.bodies[ride.body].body.center))
    }

    /// The first particle of a body.
    pub fn particle(&self, body: usize) -> usize {
        self.first + 4 * body
    }

    fn of_body(&self, body: usize, in_body: DVec3) -> Point {
        self.bodies[body].body.point(self.particle(body), in_body)
    }
}

/// A pose in another's frame.
fn inside((position, rotation): (DVec3, DQuat), (at, turn): (DVec3, DQuat)) -> (DVec3, DQuat) {
    let back = rotation.conjugate();
    (back * (at - position), (back * turn).normalize())
}

#[cfg(test)]
mod rigid_tests;
#[cfg(test)]
mod tests;
