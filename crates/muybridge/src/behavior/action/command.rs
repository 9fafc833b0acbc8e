//! Commands of behaviors: targets and strengths. Forces follow from them ([`super::actuator`]); velocities are never changed directly.

use glam::{DQuat, DVec3};

use super::ActionInput;
use super::gains::Response;

/// A function from sensed motion to targets and strengths. Closures implement it.
pub trait Behavior: Send + Sync {
    /// Returns the current command. Called once or more per step, in any order: the command must depend on `sensed` alone.
    fn command(&self, sensed: &ActionInput<'_>) -> Command;
}

impl<F: Fn(&ActionInput<'_>) -> Command + Send + Sync> Behavior for F {
    fn command(&self, sensed: &ActionInput<'_>) -> Command {
        self(sensed)
    }
}

/// Target position, target orientation and strength that a behavior asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Command {
    /// Target of the point; `None` leaves its position free.
    pub place: Option<PointTarget>,
    /// Target orientation of the body; `None` leaves its rotation free.
    pub heading: Option<Heading>,
    /// Response, limits and axes with which the targets are pursued.
    pub strength: Strength,
    /// True if the target is an intermediate position, so that reaching it does not count as arrival.
    pub is_under_way: bool,
}

/// Target position and velocity of a point, at the current time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointTarget {
    /// Position, meters; `None` controls the velocity alone.
    pub position: Option<DVec3>,
    /// Velocity, meters per second.
    pub velocity: DVec3,
}

/// Target orientation and angular velocity of the body's principal axes, at the current time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Heading {
    /// Orientation; `None` controls the angular velocity alone.
    pub rotation: Option<DQuat>,
    /// Angular velocity, radians per second, world axes.
    pub angular_velocity: DVec3,
}

/// Strength with which a target is pursued: response, limits, axes and inertia.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strength {
    /// Response: time constant or gains of the controller.
    pub response: Response,
    /// Force limit, newtons.
    pub most_force: f64,
    /// Torque limit, newton meters.
    pub most_torque: f64,
    /// World axes along which the position is controlled; along the others no force acts.
    pub axes: [bool; 3],
    /// World axes about which the orientation is controlled.
    pub turn_axes: [bool; 3],
    /// Inertia that the actuator assumes at its point.
    pub inertia: AssumedInertia,
    /// Whether the force also compensates gravity and other accelerations of the point that the action does not cause. Without compensation a
    /// target with time constant T is missed by g T².
    pub carries: bool,
    /// Damping rate of internal motion of a mechanism, per second, while an action uses its effective mass. Directions without command would swing
    /// forever: an elbow about the line from shoulder to hand. The damping is internal, so it moves no center of mass.
    pub calm: f64,
    /// Whether the joints of the mechanism meanwhile bear the weight beyond them, as motors do. Otherwise everything but the point hangs limp.
    pub is_braced: bool,
}

/// Inertia that an actuator assumes at its point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum AssumedInertia {
    /// Effective inertia for jointed bodies, plain inertia for free bodies.
    #[default]
    Natural,
    /// Mass and moments of inertia of the body alone; the force acts at its center of mass.
    Plain,
    /// Operational-space inertia Λ = (J H⁻¹ Jᵀ)⁻¹: the resistance of the whole mechanism at the point, where the force acts.
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
    /// Command without any target.
    pub fn none() -> Self {
        Self { place: None, heading: None, strength: Strength::default(), is_under_way: false }
    }

    /// Command to be at a position that moves with a velocity.
    pub fn be_at(position: DVec3, velocity: DVec3, strength: Strength) -> Self {
        Self { place: Some(PointTarget { position: Some(position), velocity }), strength, ..Self::none() }
    }
}
