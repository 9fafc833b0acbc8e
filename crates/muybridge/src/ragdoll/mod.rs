//! A character as particles: one rigid body per bone with mass, joints with its ranges, surfaces of its solids.
//!
//! ```text
//! Character + Start ──► bodies (who rides on whom) ──► tetrahedra, attachments, limits, surfaces ──► Ragdoll
//! state of the world ──► frames of the bodies ──► poses of all bones ──► clip
//! ```
//! A bone without mass, or that does not turn, rides on the nearest bone above that has some; where there is none above,
//! on the first below. Joints stand where the starting pose has them. Specification: mathematics 3.11, 3.13, 3.16, 4.7.

mod act;
mod bodies;
mod joints;
mod pose;
pub mod presets;
mod start;
mod surfaces;

use glam::{DQuat, DVec3};
use thiserror::Error;

use crate::character::Character;
use crate::particles::body::{BodyError, RigidBody};
use crate::particles::model::{Model, Object};
use crate::particles::point::{Direction, Point};

pub use start::{Inherited, Motion, Start};

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
    /// Rate at which the bodies of a joint with a range stop turning against each other, per second.
    pub joint_friction: f64,
    /// Whether its bodies touch each other; those joined never do.
    pub touches_itself: bool,
    /// Whether joints keep to their ranges; hinges remain hinges.
    pub limits: bool,
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
            limits: true,
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
    /// What each bone of the skeleton rides on; `None` for bones of trees without mass, which stay where they were.
    pub rides: Vec<Option<Ride>>,
    /// Where its particles begin in the model of the world it was added to; every method takes positions of that world.
    pub first: usize,
    /// What was changed or left out, one sentence each.
    pub notes: Vec<String>,
    /// Names of the bones.
    names: Vec<String>,
    /// Parents of the bones.
    parents: Vec<Option<usize>>,
    /// Local transforms of the starting pose.
    locals: Vec<(DVec3, DQuat)>,
}

/// A rigid body, in the frame of the bone it is named after.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoneBody {
    /// The bone whose frame is the body's.
    pub bone: usize,
    /// Its four particles.
    pub body: RigidBody,
}

/// A bone fixed to a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ride {
    /// Index into [`Ragdoll::bodies`].
    pub body: usize,
    /// Origin of the bone in the frame of the body, metres.
    pub position: DVec3,
    /// Orientation of the bone in the frame of the body.
    pub rotation: DQuat,
}

/// Why a character is no ragdoll.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum RagdollError {
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
}

/// The ragdoll of a character from a start: bodies, joints with their ranges, surfaces. Errors name the bone.
///
/// A range the starting pose lies outside of is widened to hold it, and [`Ragdoll::notes`] says so.
pub fn particles(character: &Character, start: &Start, settings: &RagdollSettings) -> Result<Ragdoll, RagdollError> {
    start::check(character, start)?;
    let (bodies, rides) = bodies::bodies(character, &start.pose)?;
    let mut ragdoll = Ragdoll {
        model: Model::default(),
        bodies,
        rides,
        first: 0,
        notes: Vec::new(),
        names: character.skeleton.bones().iter().map(|bone| bone.name.clone()).collect(),
        parents: character.skeleton.bones().iter().map(|bone| bone.parent).collect(),
        locals: start.locals(character),
    };
    for (body, placement) in ragdoll.bodies.iter().zip(start.placements(&ragdoll.bodies)) {
        body.body.add_to(&mut ragdoll.model, &placement);
    }
    joints::join(&mut ragdoll, character, start, settings);
    surfaces::cover(&mut ragdoll, character);
    let mass = character.mass();
    let light = ragdoll.bodies.iter().any(|body| bodies::is_light(4.0 * body.body.particle_mass, mass));
    ragdoll.model.objects.push(Object {
        particles: 0..ragdoll.model.positions.len(),
        iterations: settings.iterations.or(light.then_some(PASSES_WITH_LIGHT_BODIES)),
        touches_itself: settings.touches_itself,
        friction: settings.friction,
        restitution: settings.restitution,
        drag: settings.drag,
    });
    Ok(ragdoll)
}

impl Ragdoll {
    /// The bone of that exact name.
    pub fn bone(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|bone| bone == name)
    }

    /// A point fixed to `bone` (metres, its frame) as a point of the world's particles.
    pub fn point(&self, bone: usize, in_bone: DVec3) -> Option<Point> {
        let ride = (*self.rides.get(bone)?)?;
        Some(self.of_body(ride.body, ride.position + ride.rotation * in_bone))
    }

    /// An axis fixed to `bone` (its frame).
    pub fn direction(&self, bone: usize, in_bone: DVec3) -> Option<Direction> {
        let ride = (*self.rides.get(bone)?)?;
        Some(self.bodies[ride.body].body.direction(self.first + 4 * ride.body, ride.rotation * in_bone))
    }

    /// The center of mass of the body a bone rides on.
    pub fn center_of(&self, bone: usize) -> Option<Point> {
        let ride = (*self.rides.get(bone)?)?;
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
mod tests;
