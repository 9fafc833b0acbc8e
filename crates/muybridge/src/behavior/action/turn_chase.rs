//! After an orientation that turns.
//!
//! ```text
//! τ = α (2/h²) J φ + β (2/h) J (ω_t − ω) − L × ω                                 (11–12), (16)
//! ```
//! Specification: mathematics 5.4, 5.5 (Z10).

use super::command::{Behavior, Command, Heading, Strength};
use super::path_progress::{Journey, PathOrigin};
use super::sensed::ActionInput;
use super::target::Target;

/// Keeps a body turned as a turning target is.
#[derive(Clone, Debug)]
pub struct TurnChase {
    /// What is chased.
    pub target: Target,
    /// Seconds in which it is met, evenly; left out: as fast as the strength has it.
    pub seconds: Option<f64>,
    /// How hard.
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
