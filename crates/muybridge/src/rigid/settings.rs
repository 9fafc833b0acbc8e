//! How a world of rigid bodies steps.

use glam::DVec3;

use super::displacement;
use super::integrator::Integrator;
use super::multipliers::Feedback;
use super::rattle::Passes;
use crate::math::rest_criterion::steps_to_rest;

/// One set of defaults serves all.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Seconds of a step (a frame).
    pub time_step: f64,
    /// Metres per second squared.
    pub gravity: DVec3,
    /// What holds joints together.
    pub method: Method,
    /// How bodies are moved that touch nothing, once motors, friction and ranges of their joints have acted; the others, and trees with a
    /// loop or a joint that gives, always by [`Integrator::Splitting`], so that contact is the same under all. Under [`Method::Hennix`]
    /// so are those that are near the end of a range. [`Method::Displacement`] drifts by it.
    pub integrator: Integrator,
    /// How pairs that may touch are found.
    pub broad_phase: BroadPhase,
    /// Where two that touch do so.
    pub narrow_phase: NarrowPhase,
    /// Substeps per step, at least.
    pub substeps: u32,
    /// Greatest turn of a body in a substep, radians: where one turns faster there are more substeps, up to sixteen times as many.
    pub most_turn: f64,
    /// Newton's passes over the joints in a substep.
    pub passes: Passes,
    /// Passes over contacts, ranges and motors in a substep, at most.
    pub iterations: u32,
    /// They end where none changes a velocity by more than this, m/s.
    pub tolerance: f64,
    /// Depth that is left alone, metres.
    pub slop: f64,
    /// Share of the depth beyond that is taken away in a substep.
    pub recovery: f64,
    /// Greatest speed of that, m/s; ten times as many rad/s.
    pub fastest_recovery: f64,
    /// Slowest approach that bounces, m/s.
    pub bounce: f64,
    /// Speed (m/s; ten times as many rad/s) below which a body is at rest.
    pub rest_speed: f64,
    /// Steps at rest before a tree of bodies sleeps; 0 never. See [`Self::steps_to_rest`].
    pub rest_steps: u32,
}

/// What holds joints together.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Method {
    /// Lagrange multipliers along the tree and RATTLE: no gap, no drift of energy.
    #[default]
    Multipliers,
    /// Displacement constraints after a free drift.
    Displacement(displacement::Settings),
    /// Multipliers of accelerations from one dense matrix, with feedback on gaps and their rates, as Hennix et al. do it. Stable for
    /// `substep · √stiffness < 2` and `damping = 2 √stiffness`.
    Hennix(Feedback),
}

/// How pairs that may touch are found. All find the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum BroadPhase {
    /// A tree of boxes, built anew in every step.
    #[default]
    Tree,
    /// Three sorted lists that are kept from step to step, as Hennix et al. do it.
    SortAndSweep,
}

/// Where two that touch do so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum NarrowPhase {
    /// Up to four points with their gaps, which stop what is about to touch.
    #[default]
    Manifolds,
    /// These averaged into one, which has no torque: what rests on it rocks.
    Averaged,
    /// Of two boxes, corners of one inside the other and edges that cross it, averaged into one point, as Hennix et al. do it; other
    /// pairs as [`Self::Averaged`].
    PointsAndEdges,
}

impl Settings {
    /// Steps at rest before a tree sleeps: `rest_steps`, or as many as tell it from the top of a flight; 0 where nothing does, as without gravity.
    pub fn steps_to_rest(&self) -> u32 {
        steps_to_rest(self.rest_steps, self.rest_speed, self.gravity.length(), self.time_step)
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            time_step: 1.0 / 60.0,
            gravity: DVec3::new(0.0, -9.81, 0.0),
            method: Method::Multipliers,
            integrator: Integrator::Splitting,
            broad_phase: BroadPhase::Tree,
            narrow_phase: NarrowPhase::Manifolds,
            substeps: 4,
            most_turn: 0.3,
            passes: Passes { most: 3, tolerance: 1e-9, is_warm: true },
            iterations: 30,
            tolerance: 1e-4,
            slop: 1e-3,
            recovery: 0.2,
            fastest_recovery: 2.0,
            bounce: 0.3,
            rest_speed: 0.05,
            rest_steps: 30,
        }
    }
}
