//! Spin correction: rotates the whole body, frame by frame, so that a flight has constant angular momentum; no joint moves.
//!
//! [`center`] rotates one frame about its center of mass (3 unknowns, the default), [`source`] is the paper's iteration on the root (6 unknowns),
//! [`spin_flight`] corrects all frames of a flight with either. Specification: mathematics 7.3 (S14–S19, S22); Shapiro, Lee 2011.

use glam::DVec3;
use thiserror::Error;

pub(crate) mod flight;
pub(crate) mod frame_turn;
mod global_newton;
pub(crate) mod jacobian;
mod landing;
#[cfg(test)]
mod random_bodies;
pub(crate) mod root_iteration;
mod steps;

pub use flight::spin_flight;
pub use frame_turn::{FramePair, Turned};
pub use root_iteration::{Displaced, RootPair};
pub use steps::body_poses;

/// Target angular momentum of a flight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SpinTarget {
    /// The given momentum about the center of mass, in world axes, kg m²/s.
    Given(DVec3),
    /// Mean momentum over the flight.
    Mean,
    /// Momentum of the first step of the flight.
    TakeOff,
    /// Momentum with which the last frame keeps its orientation, so that the landing need not change; of several, the one whose corrections have
    /// the smallest sum of squared angles.
    Landing,
}

/// Method that solves one frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpinMethod {
    /// Rotation about the center of mass, which does not move: [`FramePair`].
    Center,
    /// The paper's method, under which the center of mass drifts: [`RootPair`].
    Source(Jacobian),
}

/// Jacobian of the root's velocity in the paper's iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Jacobian {
    /// The paper's Jacobian, for continuous motion.
    Source,
    /// Exact Jacobian of the discrete step between two frames.
    Exact,
}

/// Stopping rule and damping of Newton's method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Newton {
    /// Tolerance of the momentum, relative to the target momentum or 1 kg m²/s, whichever is larger.
    pub tolerance: f64,
    /// Maximal number of iterations for one frame.
    pub iterations: usize,
    /// Damping γ: share of each Newton step that is applied, above 0 and at most 1.
    pub damping: f64,
}

impl Default for Newton {
    fn default() -> Self {
        Self { tolerance: 1e-12, iterations: 60, damping: 1.0 }
    }
}

/// Settings of [`spin_flight`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpinSettings {
    /// The momentum of the corrected flight.
    pub momentum: SpinTarget,
    /// Method that solves one frame.
    pub method: SpinMethod,
    /// Newton settings for one frame.
    pub newton: Newton,
    /// Least rotation, radians: if no frame would rotate further, the flight is not changed, to the bit.
    pub least_angle: f64,
}

impl Default for SpinSettings {
    fn default() -> Self {
        Self { momentum: SpinTarget::Landing, method: SpinMethod::Center, newton: Newton::default(), least_angle: 1e-9 }
    }
}

/// Report of [`spin_flight`].
#[derive(Clone, Debug, PartialEq)]
pub struct SpinReport {
    /// H*, kg m²/s, world axes. Zero if the flight was not examined.
    pub momentum: DVec3,
    /// Rotation angle of each frame of the flight, radians, first to last; 0 to π.
    pub angles: Vec<f64>,
    /// Largest rotation angle, radians.
    pub largest_angle: f64,
    /// Rotation of the last frame relative to its original orientation, which the frames after the flight continue, radians.
    pub landing_error: f64,
    /// Largest number of iterations for a frame; in [`SpinTarget::Landing`] about centers of mass, the iterations of all frames together.
    pub iterations: usize,
    /// Largest `‖H − H*‖` of a step, measured by the method on the corrected clip, kg m²/s. Not small if the strength is below 1, nor with the
    /// paper's method, whose center of mass drifts.
    pub residual: f64,
    /// Largest displacement of the center of mass, meters.
    pub drift: f64,
    /// Reason why nothing has changed; `None` if the flight was changed.
    pub unchanged: Option<Unchanged>,
}

/// Reason why a flight was not changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unchanged {
    /// The bone that moves the body is protected.
    Protected,
    /// Some frames of the flight lie outside the scope.
    OutsideScope,
    /// The strength is 0.
    NoStrength,
    /// The flight already has the target momentum.
    AlreadyRight,
}

/// Error of the spin correction.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
pub enum SpinError {
    /// The flight has fewer than two frames, or frames the clip does not have.
    #[error("frames {first} to {last} of a clip of {frames} are no flight; give at least two frames of the clip")]
    Frames {
        /// First frame.
        first: usize,
        /// Last frame.
        last: usize,
        /// Number of frames of the clip.
        frames: usize,
    },
    /// A tolerance, damping, strength or momentum is not a usable number.
    #[error("{name} is {value}; it must be {must}")]
    Setting {
        /// Name of the setting.
        name: &'static str,
        /// Given value.
        value: f64,
        /// Required values, in words.
        must: &'static str,
    },
    /// The character has no mass, hence no momentum.
    #[error("the character has no mass; give its bodies masses")]
    Weightless,
    /// No rotation of this frame gives the target momentum.
    #[error(
        "no turn of frame {frame} gives the angular momentum {momentum} kg m²/s: {}; \
         {}take a momentum nearer to that of the clip, or more frames per second",
        left(*.residual, format_args!("{residual:.3e} kg m²/s")),
        more(*.damped)
    )]
    NotReached {
        /// Frame of the clip.
        frame: usize,
        /// H*: target momentum, kg m²/s.
        momentum: DVec3,
        /// Remaining momentum error, kg m²/s.
        residual: f64,
        /// Whether a damping shortened the steps.
        damped: bool,
    },
    /// No constant momentum was found that leads to the orientation of the last frame.
    #[error(
        "no constant angular momentum was found that leads to the orientation of frame {last}: {}; \
         {}keep the mean momentum instead and turn the landing, or add frames to the flight",
        left(*.angle, format_args!("{angle:.4} rad")),
        more(*.damped)
    )]
    LandingNotMet {
        /// Last frame of the flight.
        last: usize,
        /// Remaining angle with the mean momentum, radians; NaN if not even the mean can be reached.
        angle: f64,
        /// Whether a damping shortened the steps.
        damped: bool,
    },
}

/// What helps first where a damping shortened the steps.
fn more(damped: bool) -> &'static str {
    if damped { "allow more Newton iterations, whose steps the damping shortens, or " } else { "" }
}

/// What remains, in words; `amount` is it with its unit.
fn left(number: f64, amount: core::fmt::Arguments<'_>) -> String {
    if number.is_finite() { format!("{amount} are left") } else { "nothing near it was reached".into() }
}

#[cfg(test)]
mod acceptance_tests;
