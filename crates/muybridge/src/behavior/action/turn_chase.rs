//! Action that follows a turning orientation.
//!
//! ```text
//! τ = α (2/h²) J φ + β (2/h) J (ω_t − ω) − L × ω                                 (11–12), (16)
//! ```
//! Specification: mathematics 5.4, 5.5 (Z10).

use super::command::{Behavior, Command, Heading, Strength};
use super::path_progress::{Journey, PathOrigin};
use super::sensed::ActionInput;
use super::target::Target;

/// Keeps a body at the orientation of a turning target.
#[derive(Clone, Debug)]
pub(crate) struct TurnChase {
    /// Target whose orientation the body follows.
    pub target: Target,
    /// Time in which the orientation is met at even speed, seconds; `None` turns as fast as the strength allows.
    pub seconds: Option<f64>,
    /// Strength and response of the action.
    pub strength: Strength,
}

impl Behavior for TurnChase {
    fn command(&self, sensed: &ActionInput<'_>) -> Command {
        let target = self.target.motion(sensed);
        let there = Heading { rotation: Some(target.rotation), angular_velocity: target.angular_velocity };
        let journey =
            self.seconds.map(|seconds| Journey { progress: PathOrigin::FromHere, ..Journey::straight(seconds) });
        let heading = journey.as_ref().map(|journey| journey.heading(sensed, target.rotation, target.angular_velocity));
        let is_under_way = journey.is_some_and(|journey| !journey.is_over(sensed));
        Command { heading: Some(heading.unwrap_or(there)), strength: self.strength, is_under_way, ..Command::none() }
    }
}
