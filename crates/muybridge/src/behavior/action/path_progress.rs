//! Targets on the way: where along a path something is to be at each step, and how it is to be turned.
//!
//! ```text
//! from the start    x_t = c(u),  u = e(elapsed/T)             v_t = (c(u') − c(u))/h,  u' one step later
//! from here         x_t = x,  v_t = (goal − x)/(T − elapsed)     u = h/(T − elapsed) of what is left: straight, even
//! literal           x + (goal − x) u,  u = (elapsed + h)/T       what is left after n of N steps is Π(1 − k/N), k to n
//! turns             exp(u log(R_goal R_start⁻¹)) R_start                                                              slerp
//! ```
//! Place and velocity are so that a step of α = β = 1 ends on the path's point of that step. The literal form is how the source reads, which
//! arrives early and unevenly; it is kept to be compared with. Specification: mathematics 5.5 (Z13, Z14, Z-E12).

use glam::{DQuat, DVec3};

use super::command::{Heading, PointTarget};
use super::path::{Ease, Path};
use super::sensed::ActionInput;
use crate::math::rotation::{exp, log};

/// A way that is gone in a time.
#[derive(Clone, Debug)]
pub struct Journey {
    /// From where the action began to its goal.
    pub path: Path,
    /// Seconds it takes, above 0.
    pub seconds: f64,
    /// How fast when.
    pub ease: Ease,
    /// Whether equal times are equal lengths, whatever the parameter of the path does.
    pub by_length: bool,
    /// From where it is reckoned.
    pub progress: PathOrigin,
}

/// From where the way is reckoned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum PathOrigin {
    /// From where the action began: what pushes it off the path does not change the path.
    #[default]
    FromStart,
    /// Straight from where it is now; path and ease do not matter.
    FromHere,
    /// From where it is now by the share of the whole time, as the source has it.
    Literal,
}

impl Journey {
    /// Straight and even.
    pub fn straight(seconds: f64) -> Self {
        Self { path: Path::Line, seconds, ease: Ease::None, by_length: false, progress: PathOrigin::FromStart }
    }

    /// Along a path, otherwise as [`Self::straight`].
    pub fn along(path: Path, seconds: f64) -> Self {
        Self { path, ..Self::straight(seconds) }
    }

    /// Whether the goal itself is the target now.
    pub fn is_over(&self, sensed: &ActionInput<'_>) -> bool {
        // Half a step, so that rounding decides nothing.
        sensed.elapsed + 0.5 * sensed.step >= self.seconds
    }

    /// Where to be now on the way to a goal that moves with a velocity.
    pub fn place(&self, sensed: &ActionInput<'_>, goal: DVec3, velocity: DVec3) -> PointTarget {
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

    /// How to be turned now on the way to a goal that turns with an angular velocity.
    pub fn heading(&self, sensed: &ActionInput<'_>, goal: DQuat, angular_velocity: DVec3) -> Heading {
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
