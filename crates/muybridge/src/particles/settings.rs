//! How a world steps: time, gravity, solver.

use glam::DVec3;

use crate::math::rest_criterion::steps_to_rest;

/// Every parameter of a step. All may change between steps.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Settings {
    /// Seconds of a step (a frame).
    pub time_step: f64,
    /// Gravity: metres per second squared, unless `gravity_is` says otherwise.
    pub gravity: DVec3,
    /// What `gravity` is.
    pub gravity_is: GravityIs,
    /// Solver.
    pub mode: Mode,
    /// Substeps per step. With the default of 64 ragdolls keep every bound of quality that `bench/RESULTS.md` states, as scenes have it; what
    /// hangs and swings without contact needs fewer.
    pub substeps: u32,
    /// Passes over the constraints per substep.
    pub iterations: u32,
    /// Passes end early where the worst relative error of a distance is below this; 0 never (J9).
    pub tolerance: f64,
    /// Corrections are multiplied by this: 1 to 1.8 (J40).
    pub over_relaxation: f64,
    /// Square root of the distance constraint (J12).
    pub square_root: SquareRoot,
    /// Slowest speed that is not rest, metres per second, averaged over `rest_steps`.
    pub rest_speed: f64,
    /// Steps at rest before what hangs together by constraints sleeps; 0 never (R17). See [`Self::steps_to_rest`].
    pub rest_steps: u32,
    /// How the distances are solved.
    pub solve: Solve,
}

impl Settings {
    /// Acceleration of everything that falls, m/s².
    pub fn acceleration(&self) -> DVec3 {
        match self.gravity_is {
            GravityIs::Acceleration => self.gravity,
            GravityIs::DisplacementPerStep => self.gravity / (self.time_step * self.time_step),
        }
    }

    /// Steps at rest before something sleeps: `rest_steps`, or as many as tell it from the top of a flight; 0 where nothing does, as without gravity.
    pub fn steps_to_rest(&self) -> u32 {
        steps_to_rest(self.rest_steps, self.rest_speed, self.acceleration().length(), self.time_step)
    }

    /// Substeps that are taken: one in [`Mode::Jakobsen`], and never none.
    pub fn substeps_taken(&self) -> u32 {
        if self.mode == Mode::Jakobsen { 1 } else { self.substeps.max(1) }
    }

    /// Seconds of a substep.
    pub fn substep(&self) -> f64 {
        self.time_step / f64::from(self.substeps_taken())
    }
}

/// What the vector of gravity is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum GravityIs {
    /// Metres per second squared.
    Acceleration,
    /// Metres by which the displacement of a step grows per step, as Rosen has it: it changes with the step (R-E1).
    DisplacementPerStep,
}

/// How the distances of a pass are solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Solve {
    /// One after the other.
    OneByOne,
    /// All at once, by conjugate gradients (J40).
    ConjugateGradients,
}

/// The order and kind of projection (mathematics 3.8, 3.9).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Mode {
    /// Rigid distances along the previous direction, everything else as `Xpbd`. Symplectic and of second order.
    #[default]
    Shake,
    /// Everything along the present gradient, softness by compliance.
    Xpbd,
    /// One substep, Gauss–Seidel along the present gradient, no multipliers.
    Jakobsen,
    /// Proposals averaged over the constraints of a particle, so that their order does not matter.
    Rosen,
}

impl Mode {
    /// Whether multipliers and compliance count, and what is rigid is held together.
    pub(crate) fn has_multipliers(self) -> bool {
        matches!(self, Self::Shake | Self::Xpbd)
    }
}

/// How the length of a distance is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum SquareRoot {
    /// Correctly rounded.
    Exact,
    /// First order about the rest length, exact beyond twice of it.
    Taylor,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            time_step: 1.0 / 60.0,
            gravity: DVec3::new(0.0, -9.81, 0.0),
            gravity_is: GravityIs::Acceleration,
            mode: Mode::Shake,
            substeps: 64,
            iterations: 1,
            tolerance: 0.0,
            over_relaxation: 1.0,
            square_root: SquareRoot::Exact,
            rest_speed: 0.05,
            rest_steps: 30,
            solve: Solve::OneByOne,
        }
    }
}
