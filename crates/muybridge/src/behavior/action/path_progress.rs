//! Journeys: timed motion along a path, which gives a target position and orientation at each step.
//!
//! ```text
//! from the start    x_t = c(u),  u = e(elapsed/T)             v_t = (c(u') − c(u))/h,  u' one step later
//! from here         x_t = x,  v_t = (goal − x)/(T − elapsed)     u = h/(T − elapsed) of the rest: straight, even
//! literal           x + (goal − x) u,  u = (elapsed + h)/T       after n of N steps Π(1 − k/N), k to n, is left
//! turns             exp(u log(R_goal R_start⁻¹)) R_start                                                              slerp
//! ```
//! Position and velocity are chosen so that a step with α = β = 1 ends on the path's point of that step. The literal form follows the text of the
//! paper, which arrives early and unevenly; it is kept for comparison. Specification: mathematics 5.5 (Z13, Z14, Z-E12).

use glam::{DQuat, DVec3};

use super::command::{Heading, PointTarget};
use super::path::{Ease, Path};
use super::sensed::ActionInput;
use crate::math::rotation::{exp, log};

/// Motion along a path in a given time.
#[derive(Clone, Debug)]
pub struct Journey {
    /// Path from the point where the action began to the goal.
    pub path: Path,
    /// Duration in seconds, above 0.
    pub seconds: f64,
    /// Easing of the path parameter over time.
    pub ease: Ease,
    /// Whether progress is measured by arc length instead of the path's own parameter.
    pub by_length: bool,
    /// Reference from which progress along the path is counted.
    pub progress: PathOrigin,
}

/// Reference from which progress along a path is counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum PathOrigin {
    /// Start of the action: disturbances that push the body off the path do not change the path.
    #[default]
    FromStart,
    /// Straight from the current position; path and ease are ignored.
    FromHere,
    /// From the current position, by the elapsed share of the whole time, as the paper writes it.
    Literal,
}

impl Journey {
    /// Journey on a straight line at even speed.
    pub fn straight(seconds: f64) -> Self {
        Self { path: Path::Line, seconds, ease: Ease::None, by_length: false, progress: PathOrigin::FromStart }
    }

    /// Journey along a path, otherwise as [`Self::straight`].
    pub fn along(path: Path, seconds: f64) -> Self {
        Self { path, ..Self::straight(seconds) }
    }

    /// True if the time is over, so that the goal itself is the target.
    pub(crate) fn is_over(&self, sensed: &ActionInput<'_>) -> bool {
        // Half a step of tolerance, so that rounding decides nothing.
        sensed.elapsed + 0.5 * sensed.step >= self.seconds
    }

    /// Target position and velocity for this step, on the way to a goal that moves with `velocity`.
    pub(crate) fn place(&self, sensed: &ActionInput<'_>, goal: DVec3, velocity: DVec3) -> PointTarget {
        let there = PointTarget { position: Some(goal), velocity };
        if self.is_over(sensed) {
            return there;
        }
        let (here, left) = (sensed.own.position, self.seconds - sensed.elapsed);
        match self.progress {
            PathOrigin::FromStart => {
                let ends = (sensed.start.position, goal);
                let at = |seconds: f64| {
                    let share = self.ease.of(seconds / self.seconds);
                    let u = if self.by_length { self.path.by_length(ends, share) } else { share };
                    self.path.at(ends, u)
                };
                let (now, next) = (at(sensed.elapsed), at(sensed.elapsed + sensed.step));
                PointTarget { position: Some(now), velocity: (next - now) / sensed.step }
            }
            PathOrigin::FromHere => {
                PointTarget { position: Some(here), velocity: (goal + velocity * left - here) / left.max(sensed.step) }
            }
            PathOrigin::Literal => {
                let u = ((sensed.elapsed + sensed.step) / self.seconds).min(1.0);
                PointTarget { position: Some(here + (goal - here) * u), velocity: DVec3::ZERO }
            }
        }
    }

    /// Target orientation and angular velocity for this step, on the way to a goal that turns with `angular_velocity`.
    pub(crate) fn heading(&self, sensed: &ActionInput<'_>, goal: DQuat, angular_velocity: DVec3) -> Heading {
        if self.is_over(sensed) {
            return Heading { rotation: Some(goal), angular_velocity };
        }
        let (here, left) = (sensed.own.rotation, self.seconds - sensed.elapsed);
        match self.progress {
            PathOrigin::FromStart => {
                let start = sensed.start.rotation;
                let whole = log(goal * start.conjugate());
                let share = |seconds: f64| self.ease.of(seconds / self.seconds);
                let (now, next) = (share(sensed.elapsed), share(sensed.elapsed + sensed.step));
                Heading {
                    rotation: Some((exp(whole * now) * start).normalize()),
                    angular_velocity: whole * ((next - now) / sensed.step),
                }
            }
            PathOrigin::FromHere => {
                let then = exp(angular_velocity * left) * goal;
                let turn = log(then * here.conjugate());
                Heading { rotation: Some(here), angular_velocity: turn / left.max(sensed.step) }
            }
            PathOrigin::Literal => {
                let u = ((sensed.elapsed + sensed.step) / self.seconds).min(1.0);
                let turn = log(goal * here.conjugate());
                Heading { rotation: Some((exp(turn * u) * here).normalize()), angular_velocity: DVec3::ZERO }
            }
        }
    }
}
