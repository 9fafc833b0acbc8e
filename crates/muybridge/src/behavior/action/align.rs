//! Action that brings position and orientation together to a fixed, moving or turning target.
//!
//! ```text
//! f and τ of move_to and turn_to, or of chase and turn_chase, at the same time
//! ```
//! With α = ½, β = ¾, both errors vanish after two steps if start and target are at rest, or turn about the axis of φ.
//! Specification: mathematics 5.4, 5.5 (Z11).

use super::command::{Behavior, Command, Heading, PointTarget, Strength};
use super::path_progress::Journey;
use super::sensed::ActionInput;
use super::target::Target;

/// Keeps a point of a body at a target position, and the body at the target's orientation.
#[derive(Clone, Debug)]
pub(crate) struct Align {
    /// Target position and orientation.
    pub target: Target,
    /// Timed path to the target; `None` moves as fast as the strength allows. The path to a moving target ends at the target's current position.
    pub journey: Option<Journey>,
    /// Strength and response of the action.
    pub strength: Strength,
}

impl Behavior for Align {
    fn command(&self, sensed: &ActionInput<'_>) -> Command {
        let target = self.target.motion(sensed);
        let (place, heading) = match &self.journey {
            Some(journey) => (
                journey.place(sensed, target.position, target.velocity),
                journey.heading(sensed, target.rotation, target.angular_velocity),
            ),
            None => (
                PointTarget { position: Some(target.position), velocity: target.velocity },
                Heading { rotation: Some(target.rotation), angular_velocity: target.angular_velocity },
            ),
        };
        Command {
            place: Some(place),
            heading: Some(heading),
            strength: self.strength,
            is_under_way: self.journey.as_ref().is_some_and(|journey| !journey.is_over(sensed)),
        }
    }
}
