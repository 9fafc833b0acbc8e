//! Integrators on the level of accelerations: the method of Hennix et al. with drift feedback, and a fourth-order
//! reference for offline use.
//!
//! ```text
//! hennix       multipliers by Cholesky, k_s and k_d against drift, Euler or Heun; gaps depend on the feedback
//! reference    multipliers along the tree, Runge–Kutta, then joints closed:
//!                  positions   Δ = −W Jᵀ (J W Jᵀ)⁻¹ C, about two iterations (quadratic)
//!                  velocities  u −= W Jᵀ (J W Jᵀ)⁻¹ J u
//! ```
//! With explicit Euler a joint gap decays iff `h k_s < k_d < 2/h + h k_s/2`. That bounds the gap, not the energy: a
//! pendulum gains energy with any feedback. Specification: mathematics 4.5, 4.5.2 (H11, H19, H20, H22).

use super::Joint;
use super::integrator::{Integrator, Moving, Stepper, Wrench};
use super::motion::{Momentum, Pose};
use super::multipliers::{Elimination, Feedback, Multipliers};
use super::rattle::{Mechanism, Passes, Rattle};

/// Options of an integrator on the level of accelerations. All of them may change from step to step.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AccelerationMethod {
    /// Time integrator of the bodies.
    pub integrator: Integrator,
    /// Linear solver for the joint multipliers.
    pub elimination: Elimination,
    /// Feedback (Baumgarte stabilization) that pulls drifted joints together.
    pub feedback: Feedback,
    /// Newton iterations that close joints after a step. 0 leaves positions and velocities of joints as integrated.
    pub closings: u32,
}

impl AccelerationMethod {
    /// Method of Hennix et al.: Heun's integrator, Cholesky, feedback against drift.
    pub const HENNIX: Self = Self {
        integrator: Integrator::Heun,
        elimination: Elimination::Cholesky,
        feedback: Feedback { stiffness: 100.0, damping: 20.0 },
        closings: 0,
    };
    /// Most exact method, for offline use: Runge–Kutta, then two closing iterations.
    pub const REFERENCE: Self = Self {
        integrator: Integrator::RungeKutta4,
        elimination: Elimination::Tree,
        feedback: Feedback { stiffness: 0.0, damping: 0.0 },
        closings: 2,
    };
}

/// Integrates one mechanism on the level of accelerations. Only the first step allocates.
#[derive(Clone, Debug)]
pub struct Accelerator {
    /// Joint multipliers of the last integrator stage.
    pub multipliers: Multipliers,
    stepper: Stepper,
    closer: Rattle<f64>,
}

impl Accelerator {
    /// Allocates buffers for a mechanism.
    pub fn new(mechanism: Mechanism<'_>) -> Self {
        Self {
            multipliers: Multipliers::new(mechanism),
            stepper: Stepper::default(),
            closer: Rattle::new(0.0, mechanism),
        }
    }

    /// Moves a mechanism by `h` seconds. `forces` adds external wrenches to an array that starts at zero.
    ///
    /// Returns the difference between Heun's and Euler's step if the integrator is Heun's; see [`Stepper::step`].
    pub fn step(
        &mut self,
        mechanism: Mechanism<'_>,
        (poses, momenta): (&mut [Pose<f64>], &mut [Momentum<f64>]),
        (method, h): (AccelerationMethod, f64),
        mut forces: impl FnMut(&[Pose<f64>], &[Momentum<f64>], &mut [Wrench]),
    ) -> f64 {
        let Self { multipliers, stepper, closer } = self;
        let mut moving = Moving { bodies: mechanism.bodies, poses, momenta };
        let error = stepper.step(method.integrator, &mut moving, h, |poses, momenta, wrenches| {
            forces(poses, momenta, wrenches);
            let how = (method.elimination, method.feedback);
            multipliers.solve(mechanism, (poses, momenta), wrenches, how);
            multipliers.add_to(wrenches);
        });
        if method.closings > 0 {
            let passes = Passes { most: method.closings, tolerance: 0.0, is_warm: false };
            closer.pull_together(mechanism, moving.poses, &Joint::guide, passes);
            closer.factor_soft(mechanism, moving.poses, &Joint::guide, &|_| 0.0);
            closer.project(mechanism, moving.momenta);
        }
        error
    }
}

#[cfg(test)]
mod tests;
