//! Action that moves a point to a fixed position, directly or along a path.
//!
//! ```text
//! f = α (2m/h²)(x_t − x) − β (2m/h) v                                            (8), (13)
//! ```
//! Specification: mathematics 5.4, 5.5 (Z7, Z12, Z13).

use glam::DVec3;

use super::command::{Behavior, Command, PointTarget, Strength};
use super::path_progress::Journey;
use super::sensed::ActionInput;

/// Brings a point of a body to a position and holds it there.
#[derive(Clone, Debug)]
pub struct MoveTo {
    /// Target position, meters.
    pub to: DVec3,
    /// Timed path to the target; `None` goes straight there as fast as the strength allows.
    pub journey: Option<Journey>,
    /// Strength and response of the action.
    pub strength: Strength,
}

impl Behavior for MoveTo {
    fn command(&self, sensed: &ActionInput<'_>) -> Command {
        let there = PointTarget { position: Some(self.to), velocity: DVec3::ZERO };
        let place = self.journey.as_ref().map(|journey| journey.place(sensed, self.to, DVec3::ZERO));
        let is_under_way = self.journey.as_ref().is_some_and(|journey| !journey.is_over(sensed));
        Command { place: Some(place.unwrap_or(there)), strength: self.strength, is_under_way, ..Command::none() }
    }
}
