//! What a behavior says: targets and strengths. Forces follow from it ([`super::actuator`]); velocities are never touched.

use glam::{DQuat, DVec3};

use super::ActionInput;
use super::gains::Response;

/// A function from what is sensed to targets and strengths. Closures are behaviors.
pub trait Behavior: Send + Sync {
    /// What is wanted now. Called once or more for each step, in any order: it must follow from `sensed` alone.
    fn command(&self, sensed: &ActionInput<'_>) -> Command;
}

impl<F: Fn(&ActionInput<'_>) -> Command + Send + Sync> Behavior for F {
    fn command(&self, sensed: &ActionInput<'_>) -> Command {
        self(sensed)
    }
}

/// Where something is to be, how it is to be turned, and how hard to try.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Command {
    /// Of the point; left out: it may be anywhere.
    pub place: Option<PointTarget>,
    /// Of the body; left out: it may turn as it likes.
    pub heading: Option<Heading>,
    /// How hard.
    pub strength: Strength,
    /// The target is a place on the way, so that being there is not to have arrived.
    pub is_under_way: bool,
}

/// A target of a point, where it is now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointTarget {
    /// Metres; left out: the velocity is all that matters.
    pub position: Option<DVec3>,
    /// Metres per second.
    pub velocity: DVec3,
}

/// A target of the body's principal axes, as they are now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Heading {
    /// Left out: the angular velocity is all that matters.
    pub rotation: Option<DQuat>,
    /// Radians per second, world axes.
    pub angular_velocity: DVec3,
}

/// How hard a target is pursued.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strength {
    /// How fast.
    pub response: Response,
    /// Greatest force, newtons.
    pub most_force: f64,
    /// Greatest torque, newton metres.
    pub most_torque: f64,
    /// Axes of the world along which the place matters; along the others no force acts.
    pub axes: [bool; 3],
    /// Axes of the world about which the heading matters.
    pub turn_axes: [bool; 3],
    /// What resists.
    pub inertia: AssumedInertia,
    /// Whether gravity, and what else accelerates the point without the action, is met by as much force more. Without it a target of time
    /// constant T is missed by g T².
    pub carries: bool,
    /// Rate at which motion within a mechanism decays while it is acted on with the effective mass, per second. What is not asked for
    /// would swing for ever: an elbow about the line from shoulder to hand. Within the mechanism, so it moves no mass center.
    pub calm: f64,
    /// Whether the joints of the mechanism bear the weight of what is beyond them meanwhile, as motors do. Else all but the point hangs limp.
    pub is_braced: bool,
}

/// What an actuator takes as the mass of its point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum AssumedInertia {
    /// Effective for what hangs on joints, plain for what is free.
    #[default]
    Natural,
    /// Mass and moments of the body alone; the force acts at its center.
    Plain,
    /// Λ = (J H⁻¹ Jᵀ)⁻¹: what all that hangs together resists at the point, where the force acts.
    Effective,
}

impl Default for Strength {
    fn default() -> Self {
        Self {
            response: Response::default(),
            most_force: f64::INFINITY,
            most_torque: f64::INFINITY,
            axes: [true; 3],
            turn_axes: [true; 3],
            inertia: AssumedInertia::default(),
            carries: true,
            calm: 2.0,
            is_braced: false,
        }
    }
}

impl From<Response> for Strength {
    fn from(response: Response) -> Self {
        Self { response, ..Self::default() }
    }
}

impl Command {
    /// Nothing is wanted.
    pub fn none() -> Self {
        Self { place: None, heading: None, strength: Strength::default(), is_under_way: false }
    }

    /// To be at a place that moves with a velocity.
    pub fn be_at(position: DVec3, velocity: DVec3, strength: Strength) -> Self {
        Self { place: Some(PointTarget { position: Some(position), velocity }), strength, ..Self::none() }
    }

    /// To be turned as something that turns with an angular velocity.
    pub fn be_turned(rotation: DQuat, angular_velocity: DVec3, strength: Strength) -> Self {
        Self { heading: Some(Heading { rotation: Some(rotation), angular_velocity }), strength, ..Self::none() }
    }
}
