//! Settings of a world of rigid bodies.

use glam::DVec3;

use super::displacement;
use super::integrator::Integrator;
use super::multipliers::Feedback;
use super::rattle::Passes;
use crate::math::rest_criterion::steps_to_rest;

/// Settings of a world; one set of defaults serves all scenes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Length of a step (a frame), seconds.
    pub time_step: f64,
    /// Gravity, meters per second squared.
    pub gravity: DVec3,
    /// Method that enforces the joints.
    pub method: Method,
    /// Time integrator of bodies without contact, after motors, friction and limits of their joints have acted. Other
    /// bodies, and trees with a loop or a compliant joint, always use [`Integrator::Splitting`], so contacts behave the
    /// same under all. Under [`Method::Hennix`] so do trees near a joint limit. [`Method::Displacement`] drifts with
    /// this integrator.
    pub integrator: Integrator,
    /// Broad phase: how candidate pairs are found.
    pub broad_phase: BroadPhase,
    /// Narrow phase: how contact points are found.
    pub narrow_phase: NarrowPhase,
    /// Number of substeps per step. Fast rotations take more; a calm world takes a half or a quarter of the default, but none longer
    /// than 1/60 s.
    pub substeps: u32,
    /// Greatest rotation of a body in a substep, radians, of displacement half of it: faster bodies cause more substeps, up to
    /// sixteen times as many.
    pub most_turn: f64,
    /// Error of a variable step, meters and radians: each substep is as long as Euler's and Heun's step differ by that
    /// much, within [`StepControl::BOUNDS`](super::integrator::StepControl::BOUNDS); the first of a step is as the weight
    /// alone asks, and no longer than one of `substeps`. `None`: substeps are equal.
    pub step_tolerance: Option<f64>,
    /// Newton iterations over the joints in a substep.
    pub passes: Passes,
    /// Greatest number of contact iterations in a substep, over contacts, joint limits and motors.
    pub iterations: u32,
    /// Tolerance of the contact iterations, m/s: they end once no row changes a velocity by more.
    pub tolerance: f64,
    /// Penetration slop: depth that is not corrected, meters.
    pub slop: f64,
    /// Share of the depth beyond the slop that a substep removes (Baumgarte).
    pub recovery: f64,
    /// Greatest depenetration speed, m/s; ten times as many rad/s.
    pub fastest_recovery: f64,
    /// Restitution threshold: slowest approach that bounces, m/s.
    pub bounce: f64,
    /// Sleep threshold: speed (m/s; ten times as many rad/s) below which a body is at rest.
    pub rest_speed: f64,
    /// Steps at rest before a tree of bodies falls asleep; 0 means never. See [`Self::steps_to_rest`].
    pub rest_steps: u32,
    /// Whether a tree that touches nothing but itself and fixed planes, and that nothing pushes or drives, is stepped as
    /// an instance of a [`Crowd`](super::crowd::Crowd) is.
    pub lanes: bool,
}

/// Method that enforces the joints.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Method {
    /// Lagrange multipliers along the tree with RATTLE: no gap, no energy drift.
    #[default]
    Multipliers,
    /// Displacement constraints after a free drift.
    Displacement(displacement::Settings),
    /// Multipliers of accelerations from one matrix of all joints, with feedback on gaps and their rates, as in Hennix et al.
    /// Stable for `substep · √stiffness < 2` and `damping = 2 √stiffness`.
    /// With [`Integrator::Splitting`] in equal substeps, it is that of a substep as asked for, and as much faster in shorter ones.
    Hennix(Feedback),
}

impl Method {
    /// Whether bodies drift freely and are then displaced until joints hold.
    pub(super) fn is_displaced(&self) -> bool {
        matches!(self, Self::Displacement(_))
    }
}

/// Broad phase: how candidate pairs are found. All variants find the same pairs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum BroadPhase {
    /// AABB tree, rebuilt in every step.
    #[default]
    Tree,
    /// Sort and sweep: three sorted lists kept from step to step, as in Hennix et al.
    SortAndSweep,
}

/// Narrow phase: how contact points are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum NarrowPhase {
    /// Contact manifolds: up to four points with their gaps, which also stop bodies about to touch.
    #[default]
    Manifolds,
    /// The manifold averaged to one point, which carries no torque: a body resting on it rocks.
    Averaged,
    /// Box against box: corners of one inside the other and edges that cross it, averaged to one point, as in Hennix et
    /// al. Other pairs as [`Self::Averaged`].
    PointsAndEdges,
}

/// Greatest length of a substep that takes the place of several, seconds.
const LONGEST_JOINED: f64 = 1.0 / 60.0;

impl Settings {
    /// Greatest length of a substep that takes the place of several, seconds.
    pub fn longest_joined(&self) -> f64 {
        self.time_step.min(LONGEST_JOINED)
    }

    /// Steps at rest before a tree falls asleep: `rest_steps`, or as many as distinguish rest from the top of a flight.
    /// 0 if trees never sleep, as without gravity.
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
            step_tolerance: None,
            passes: Passes { most: 3, tolerance: 1e-9, is_warm: true },
            iterations: 30,
            tolerance: 1e-4,
            slop: 1e-3,
            recovery: 0.2,
            fastest_recovery: 2.0,
            bounce: 0.3,
            rest_speed: 0.05,
            rest_steps: 30,
            lanes: false,
        }
    }
}
