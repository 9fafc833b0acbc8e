//! The turn of the whole body, frame by frame, that gives a flight the angular momentum physics allows; no joint moves.
//!
//! [`center`] turns one frame about its center of mass (3 unknowns, the default), [`source`] is the paper's own iteration
//! on the root (6 unknowns), [`spin_flight`] corrects all frames of a flight with either. Specification: mathematics 7.3
//! (S14–S19, S22); Shapiro, Lee 2011.

use glam::DVec3;
use thiserror::Error;

pub mod flight;
pub mod frame_turn;
mod global_newton;
pub mod jacobian;
mod landing;
#[cfg(test)]
mod random_bodies;
pub mod root_iteration;
mod steps;

pub use flight::spin_flight;
pub use frame_turn::{FramePair, Turned};
pub use root_iteration::{Displaced, RootPair};
pub use steps::body_poses;

/// Which constant momentum a flight gets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SpinTarget {
    /// This one, about the center of mass in world axes, kg m²/s.
    Given(DVec3),
    /// The mean over the flight.
    Mean,
    /// That of the first step of the flight.
    TakeOff,
    /// The one with which the last frame is as it was, so that the landing need not change; of several, the one whose
    /// corrections have the smallest sum of squared angles.
    Landing,
}

/// How one frame is solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpinMethod {
    /// About the center of mass, which stays: [`FramePair`].
    Center,
    /// The paper's, under which the center of mass drifts: [`RootPair`].
    Source(Jacobian),
}

/// What the paper's iteration takes for the change of the root's velocity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Jacobian {
    /// The paper's, of continuous motion.
    Source,
    /// That of the step between two frames.
    Exact,
}

/// When Newton's method ends, and how far it goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Newton {
    /// Of the momentum, by the wanted momentum or 1 kg m²/s, whichever is larger.
    pub tolerance: f64,
    /// The most iterations of one frame.
    pub iterations: usize,
    /// γ, above 0 and at most 1.
    pub damping: f64,
}

impl Default for Newton {
    fn default() -> Self {
        Self { tolerance: 1e-12, iterations: 60, damping: 1.0 }
    }
}

/// What [`spin_flight`] is to do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpinSettings {
    /// The momentum of the corrected flight.
    pub momentum: SpinTarget,
    /// How one frame is solved.
    pub method: SpinMethod,
    /// Of one frame.
    pub newton: Newton,
    /// A flight in which no frame would turn further, radians, is left as it is, to the bit.
    pub least_angle: f64,
}

impl Default for SpinSettings {
    fn default() -> Self {
        Self { momentum: SpinTarget::Landing, method: SpinMethod::Center, newton: Newton::default(), least_angle: 1e-9 }
    }
}

/// What [`spin_flight`] did.
#[derive(Clone, Debug, PartialEq)]
pub struct SpinReport {
    /// H*, kg m²/s, world axes. Zero where the flight was not looked at.
    pub momentum: DVec3,
    /// How far each frame of the flight is turned, radians, first to last; 0 to π.
    pub angles: Vec<f64>,
    /// The largest of them, radians.
    pub largest_angle: f64,
    /// How far the last frame is turned from where the frames after the flight expect it, radians.
    pub landing_error: f64,
    /// The most iterations of a frame; in [`SpinTarget::Landing`] about centers of mass those of all frames together.
    pub iterations: usize,
    /// Largest `‖H − H*‖` of a step, measured by the method on the clip as it is now, kg m²/s. Not small where the strength
    /// is below 1, and with the paper's method, whose center of mass is not where it was.
    pub residual: f64,
    /// How far the center of mass has moved at most, metres.
    pub drift: f64,
    /// Why nothing has changed, if so.
    pub unchanged: Option<Unchanged>,
}

/// Why a flight was left as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unchanged {
    /// The bone that carries the body is protected.
    Protected,
    /// Not all frames of the flight may change.
    OutsideScope,
    /// The strength is 0.
    NoStrength,
    /// Its momentum is the wanted one already.
    AlreadyRight,
}

/// Why a flight cannot be turned.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
pub enum SpinError {
    /// Fewer than two frames, or frames the clip does not have.
    #[error("frames {first} to {last} of a clip of {frames} are no flight; give at least two frames of the clip")]
    Frames {
        /// First frame.
        first: usize,
        /// Last frame.
        last: usize,
        /// Frames of the clip.
        frames: usize,
    },
    /// A tolerance, damping, strength or momentum that is not a usable number.
    #[error("{name} is {value}; it must be {must}")]
    Setting {
        /// What.
        name: &'static str,
        /// As given.
        value: f64,
        /// What it must be.
        must: &'static str,
    },
    /// No mass, hence no momentum.
    #[error("the character has no mass; give its bodies masses")]
    Weightless,
    /// No turn of this frame gives the wanted momentum.
    #[error(
        "no turn of frame {frame} gives the angular momentum {momentum} kg m²/s: {residual:.3e} kg m²/s are left; \
         take a momentum nearer to that of the clip, or more frames per second"
    )]
    NotReached {
        /// Frame of the clip.
        frame: usize,
        /// H*, kg m²/s.
        momentum: DVec3,
        /// kg m²/s.
        residual: f64,
    },
    /// No constant momentum was found that leads to the last frame.
    #[error(
        "no constant angular momentum was found that leads to the orientation of frame {last}: {angle:.4} rad are left; \
         keep the mean momentum instead and turn the landing, or add frames to the flight"
    )]
    LandingNotMet {
        /// Last frame of the flight.
        last: usize,
        /// With the mean momentum, radians; not a number where not even that can be reached.
        angle: f64,
    },
}
