//! Settings of a world: time, gravity, solver.

use glam::DVec3;

use crate::math::rest_criterion::steps_to_rest;

/// All parameters of a step. They may change between steps.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Settings {
    /// Duration of a step (a frame), seconds.
    pub time_step: f64,
    /// Gravity, meters per second squared unless `gravity_is` differs.
    pub gravity: DVec3,
    /// Unit of `gravity`.
    pub gravity_is: GravityIs,
    /// Kind of constraint projection.
    pub mode: Mode,
    /// Substeps per step. With the default of 64, ragdolls meet all quality bounds of `bench/RESULTS.md`. Scenes with
    /// swinging chains and without contacts need fewer.
    pub substeps: u32,
    /// Greatest number of substeps per step of cloth in f32 lanes; 0: all cloth takes `substeps`. A free grid on which
    /// nothing but gravity and still obstacles act takes as many as its weight and speed ask for, 8 at least. A cloth of
    /// sticks and tethers that does not touch itself goes into lanes for a step in which it is near obstacles other than
    /// meshes and height fields, and near bodies of balls and capsules of at least twice its mass. Only in
    /// [`Mode::Shake`] with one iteration.
    pub cloth_substeps: u32,
    /// Passes over the constraints per substep.
    pub iterations: u32,
    /// Passes end early if the worst relative error of a distance is below this; 0 disables it (J9).
    pub tolerance: f64,
    /// Over-relaxation factor of corrections, 1 to 1.8 (J40).
    pub over_relaxation: f64,
    /// Method for the length of a distance constraint (J12).
    pub square_root: SquareRoot,
    /// Sleep threshold: greatest mean speed over `rest_steps` that counts as rest, meters per second.
    pub rest_speed: f64,
    /// Steps at rest before an island of constraints sleeps; 0 disables sleeping (R17). See [`Self::steps_to_rest`].
    pub rest_steps: u32,
    /// Solver of the distances of a pass.
    pub solve: Solve,
    /// Whether ragdolls that can touch nothing but fixed planes and each other in a step are stepped in f32 lanes, as those of a
    /// [`super::Herd`]: many times as fast, with as many substeps as they need. Scenes do, unless their solver is tuned.
    /// Likewise a step in which nothing else moves but bodies and balls without joints, under gravity alone, takes
    /// [`FREE_SUBSTEPS`] at most. In mode `shake` the sticks of a chain are solved at once, and a step in which nothing but
    /// ropes moves takes as many as their waves need.
    pub lanes: bool,
}

/// Most substeps of a step of a sixtieth of a second in which only bodies and balls without joints move; see [`Settings::lanes`]. A
/// blow of skittles leaves 0.7 mm of depth with 16, 0.06 mm with 64. Longer steps take more: ten boxes on each other would tremble.
pub const FREE_SUBSTEPS: u32 = 16;
/// Most passes of a substep of such a step. With one, ten boxes on each other would tremble.
pub const FREE_PASSES: u32 = 12;
/// Such passes end once the greatest push changes the speed of a gap by less than this, m/s.
pub const QUIET: f64 = 1e-4;

impl Settings {
    /// Gravitational acceleration, m/s².
    pub fn acceleration(&self) -> DVec3 {
        self.gravity_is.acceleration(self.gravity, self.time_step)
    }

    /// Steps at rest before an island sleeps: at least `rest_steps`, and enough to tell rest from the top of a flight.
    /// 0 if nothing ever sleeps, as without gravity.
    pub fn steps_to_rest(&self) -> u32 {
        steps_to_rest(self.rest_steps, self.rest_speed, self.acceleration().length(), self.time_step)
    }

    /// Substeps per step in use: one in [`Mode::Jakobsen`], otherwise at least one.
    pub fn substeps_taken(&self) -> u32 {
        if self.mode == Mode::Jakobsen { 1 } else { self.substeps.max(1) }
    }

    /// Substeps of a step of `seconds` in which only bodies and balls without joints move.
    pub(crate) fn free_substeps(&self, seconds: f64) -> u32 {
        let least = f64::from(FREE_SUBSTEPS) * libm::ceil(seconds * 60.0 - 1e-6).max(1.0);
        f64::from(self.substeps_taken()).min(least) as u32
    }

    /// Duration of a substep, seconds.
    pub fn substep(&self) -> f64 {
        self.time_step / f64::from(self.substeps_taken())
    }
}

/// Unit of the gravity vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum GravityIs {
    /// An acceleration, meters per second squared.
    Acceleration,
    /// Growth of the displacement per step in each step, meters, as in Rosen: the acceleration depends on the step
    /// (R-E1).
    DisplacementPerStep,
}

impl GravityIs {
    /// Acceleration (m/s²) that `gravity` in this unit is, for steps of `time_step` seconds.
    pub fn acceleration(self, gravity: DVec3, time_step: f64) -> DVec3 {
        match self {
            Self::Acceleration => gravity,
            Self::DisplacementPerStep => gravity / (time_step * time_step),
        }
    }
}

/// Solver of the distances of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Solve {
    /// One distance after the other (Gauss–Seidel).
    OneByOne,
    /// All distances at once, by conjugate gradients (J40).
    ConjugateGradients,
}

/// The order and kind of projection (mathematics 3.8, 3.9).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Mode {
    /// SHAKE: rigid distances along the previous direction, everything else like `Xpbd`. Symplectic and of second
    /// order.
    #[default]
    Shake,
    /// XPBD: all constraints along the current gradient, with compliance.
    Xpbd,
    /// One substep, Gauss–Seidel along the current gradient, without multipliers.
    Jakobsen,
    /// Averages the proposals of all constraints of a particle, so that their order does not matter.
    Rosen,
}

impl Mode {
    /// Whether the mode uses multipliers and compliance, and keeps rigid bodies and joints together.
    pub(crate) fn has_multipliers(self) -> bool {
        matches!(self, Self::Shake | Self::Xpbd)
    }
}

/// Method for the length of a distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum SquareRoot {
    /// Correctly rounded square root.
    Exact,
    /// First-order expansion about the rest length; exact beyond twice the rest length.
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
            cloth_substeps: 0,
            iterations: 1,
            tolerance: 0.0,
            over_relaxation: 1.0,
            square_root: SquareRoot::Exact,
            rest_speed: 0.05,
            rest_steps: 30,
            solve: Solve::OneByOne,
            lanes: false,
        }
    }
}
