//! Action that brakes a body to a standstill, wherever that is.
//!
//! ```text
//! f = −β (2m/h) v,   β = (1 − r)/2,  r = e^(−h/T);       T = 0: v = 0 after one step
//! ```
//! The action brakes with a force, like every action. To bring a body to rest at once, as after a cut, use
//! [`crate::rigid::World::halt`]. Specification: mathematics 5.5 (Z16).

use glam::DVec3;

use super::command::{Behavior, Command, Heading, PointTarget, Strength};
use super::sensed::ActionInput;

/// Brakes the velocity and the angular velocity of a body to zero.
#[derive(Clone, Debug, Default)]
pub struct Stop {
    /// Strength and response of the action.
    pub strength: Strength,
}

impl Behavior for Stop {
    fn command(&self, _sensed: &ActionInput<'_>) -> Command {
        Command {
            place: Some(PointTarget { position: None, velocity: DVec3::ZERO }),
            heading: Some(Heading { rotation: None, angular_velocity: DVec3::ZERO }),
            strength: self.strength,
            is_under_way: false,
        }
    }
}
