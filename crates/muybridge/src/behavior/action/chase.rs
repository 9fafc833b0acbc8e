//! Action that follows a moving position.
//!
//! ```text
//! f = α (2m/h²)(x_t − x) + β (2m/h)(v_t − v)                                     (9), (14)
//! in a time T      straight from here to the target's position at that time       u = h/(T − elapsed)
//! to be met        the least T_go ≥ h with ‖2 (x_t − x)/T_go² + 2 (v_t − v)/T_go‖ ≤ a:     (9) with h → T_go
//! ```
//! The last case respects a bounded acceleration: its gains are (h/T_go)², h/T_go, which are inside the stable region for T_go > h.
//! Specification: mathematics 5.4, 5.5 (Z8, Z14).

use glam::DVec3;

use super::command::{Behavior, Command, PointTarget, Strength};
use super::gains::{Gains, Response};
use super::path_progress::{Journey, PathOrigin};
use super::sensed::{ActionInput, PointMotion};
use super::target::Target;

/// Keeps a point of a body at a moving position.
#[derive(Clone, Debug)]
pub struct Chase {
    /// Target to follow.
    pub target: Target,
    /// Time in which the target is met on a straight line, seconds; `None` moves as fast as the strength allows.
    pub seconds: Option<f64>,
    /// Greatest acceleration on the way to the meeting, m/s²; `None` for no limit.
    pub most_acceleration: Option<f64>,
    /// Strength and response of the action.
    pub strength: Strength,
}

impl Behavior for Chase {
    fn command(&self, sensed: &ActionInput<'_>) -> Command {
        let target = self.target.motion(sensed);
        let there = PointTarget { position: Some(target.position), velocity: target.velocity };
        let mut command = Command { place: Some(there), strength: self.strength, ..Command::none() };
        if let Some(seconds) = self.seconds {
            let journey = Journey { progress: PathOrigin::FromHere, ..Journey::straight(seconds) };
            command.place = Some(journey.place(sensed, target.position, target.velocity));
            command.is_under_way = !journey.is_over(sensed);
        } else if let Some(gains) = self.most_acceleration.and_then(|most| meeting(sensed, &target, most)) {
            command.strength.response = Response::fixed(gains);
            command.is_under_way = true;
        }
        command
    }
}

/// Gains with which the target is met under a bounded acceleration; `None` if the target is near enough to go straight.
fn meeting(sensed: &ActionInput<'_>, target: &PointMotion, most: f64) -> Option<Gains> {
    let (away, faster) = (target.position - sensed.own.position, target.velocity - sensed.own.velocity);
    let needed = |seconds: f64| needed(away, faster, seconds);
    let (mut low, mut high) = (NEAR * sensed.step, NEAR * sensed.step);
    let is_near = away.length() <= low * faster.length();
    if is_near || needed(low) <= most {
        return None;
    }
    // The search does not double the time: at speed the feasible times are a narrow window.
    while needed(high) > most && high < LONGEST {
        (low, high) = (high, FINER * high);
    }
    for _ in 0..50 {
        let middle = 0.5 * (low + high);
        if needed(middle) > most {
            low = middle;
        } else {
            high = middle;
        }
    }
    let share = sensed.step / high;
    Gains::new(share * share, share).ok()
}

/// The acceleration that meets a target in a time, m/s².
fn needed(away: DVec3, faster: DVec3, seconds: f64) -> f64 {
    (away * (2.0 / (seconds * seconds)) + faster * (2.0 / seconds)).length()
}

/// Number of steps before the meeting from which the strength alone decides.
const NEAR: f64 = 4.0;
/// Ratio of successive times to go that the search tries.
const FINER: f64 = 1.01;
/// Longest time to go that the search tries, seconds.
const LONGEST: f64 = 1e6;
