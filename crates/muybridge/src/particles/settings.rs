//! How a world steps: time, gravity, solver.

use glam::DVec3;

/// Every parameter of a step. All may change between steps.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Settings {
    /// Seconds of a step (a frame).
    pub time_step: f64,
    /// Metres per second squared.
    pub gravity: DVec3,
    /// Solver.
    pub mode: Mode,
    /// Substeps per step.
    pub substeps: u32,
    /// Passes over the constraints per substep.
    pub iterations: u32,
    /// Passes end early where the worst relative error of a distance is below this; 0 never (J9).
    pub tolerance: f64,
    /// Corrections are multiplied by this: 1 to 1.8 (J40).
    pub over_relaxation: f64,
    /// Square root of the distance constraint (J12).
    pub square_root: SquareRoot,
    /// Slowest speed that is not rest, metres per second.
    pub rest_speed: f64,
    /// Steps at rest before an island sleeps; 0 never (R17).
    pub rest_steps: u32,
}

/// The order and kind of projection (mathematics 3.8, 3.9).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Mode {
    /// Rigid distances along the previous direction, everything else as `Xpbd`. Symplectic and of second order.
    Shake,
    /// Everything along the present gradient, softness by compliance.
    Xpbd,
    /// One substep, Gauss–Seidel along the present gradient, no multipliers.
    Jakobsen,
    /// Proposals averaged over the constraints of a particle, so that their order does not matter.
    Rosen,
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
            mode: Mode::Shake,
            substeps: 16,
            iterations: 1,
            tolerance: 0.0,
            over_relaxation: 1.0,
            square_root: SquareRoot::Exact,
            rest_speed: 0.01,
            rest_steps: 30,
        }
    }
}
