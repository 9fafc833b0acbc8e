//! Place and orientation together, of a fixed, moving or turning target.
//!
//! ```text
//! f and τ of move_to and turn_to, or of chase and turn_chase, at once
//! ```
//! Both errors are gone after two steps of α = ½, β = ¾ if start and target are at rest, or turn about the axis of φ.
//! Specification: mathematics 5.4, 5.5 (Z11).

use super::command::{Behavior, Command, Heading, PointTarget, Strength};
use super::path_progress::{Journey, PathOrigin};
use super::sensed::ActionInput;
use super::target::Target;

/// Keeps a point at a target and the body turned as the target is.
#[derive(Clone, Debug)]
pub struct Align {
    /// With what.
    pub target: Target,
    /// On the way; left out: as fast as the strength has it. The path of one that moves ends where the target is now.
    pub journey: Option<Journey>,
    /// How hard.
    pub strength: Strength,
}

impl Align {
    /// With a target that moves, in so many seconds, straight from here to where it will be.
    pub fn in_time(target: Target, seconds: f64, strength: Strength) -> Self {
        let journey = Journey { progress: PathOrigin::FromHere, ..Journey::straight(seconds) };
        Self { target, journey: Some(journey), strength }
    }
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
