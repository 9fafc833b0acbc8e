//! Action that turns a body to a fixed orientation, directly or by slerp.
//!
//! ```text
//! τ = α (2/h²) J φ − β (2/h) J ω − L × ω,      φ = log(R_t Rᵀ)                    (10), (15)
//! ```
//! Specification: mathematics 5.4, 5.5 (Z9).

use glam::{DQuat, DVec3};

use super::command::{Behavior, Command, Heading, Strength};
use super::path_progress::Journey;
use super::sensed::ActionInput;

/// Turns a body to an orientation and holds it there.
#[derive(Clone, Debug)]
pub struct TurnTo {
    /// Target orientation of the body's principal axes.
    pub to: DQuat,
    /// Timed rotation to the target; `None` takes the shortest rotation as fast as the strength allows.
    pub journey: Option<Journey>,
    /// Strength and response of the action.
    pub strength: Strength,
}

impl Behavior for TurnTo {
    fn command(&self, sensed: &ActionInput<'_>) -> Command {
        let there = Heading { rotation: Some(self.to), angular_velocity: DVec3::ZERO };
        let heading = self.journey.as_ref().map(|journey| journey.heading(sensed, self.to, DVec3::ZERO));
        let is_under_way = self.journey.as_ref().is_some_and(|journey| !journey.is_over(sensed));
        Command { heading: Some(heading.unwrap_or(there)), strength: self.strength, is_under_way, ..Command::none() }
    }
}
