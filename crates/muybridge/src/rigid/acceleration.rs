//! Steps by accelerations: the source's own way with feedback, and a reference of fourth order for offline use.
//!
//! ```text
//! hennix       multipliers by dense Cholesky, k_s and k_d against drift, Euler or Heun; joints open by what the feedback allows
//! reference    multipliers along the tree, Runge–Kutta, then joints closed:
//!                  positions   Δ = −W Jᵀ (J W Jᵀ)⁻¹ C, twice or so (quadratic)
//!                  velocities  u −= W Jᵀ (J W Jᵀ)⁻¹ J u
//! ```
//! With explicit Euler a gap decays iff `h k_s < k_d < 2/h + h k_s/2`; that is stability of the gap, not of the pendulum, which gains
//! energy whatever the feedback. Specification: mathematics 4.5, 4.5.2 (H11, H19, H20, H22).

use super::Joint;
use super::integrator::{Integrator, Moving, Stepper, Wrench};
use super::motion::{Momentum, Pose};
use super::multipliers::{Elimination, Feedback, Multipliers};
use super::rattle::{Mechanism, Passes, Rattle};

/// A way to step by accelerations. All of it may change from step to step.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Method {
    /// How bodies are moved.
    pub integrator: Integrator,
    /// How the multipliers are found.
    pub elimination: Elimination,
    /// What pulls drifted joints together.
    pub feedback: Feedback,
    /// How often joints are closed after a step; 0: they are left as they are, and so are the velocities.
    pub closings: u32,
}

impl Method {
    /// As Hennix et al. have it.
    pub const HENNIX: Self = Self {
        integrator: Integrator::Heun,
        elimination: Elimination::Dense,
        feedback: Feedback { stiffness: 100.0, damping: 20.0 },
        closings: 0,
    };
    /// The most exact, for offline use.
    pub const REFERENCE: Self = Self {
        integrator: Integrator::RungeKutta4,
        elimination: Elimination::Tree,
        feedback: Feedback { stiffness: 0.0, damping: 0.0 },
        closings: 2,
    };
}

/// Takes steps of one mechanism. No step but the first allocates.
#[derive(Clone, Debug)]
pub struct Accelerator {
    /// Of the last stage of the last step.
    pub multipliers: Multipliers,
    stepper: Stepper,
    closer: Rattle<f64>,
}

impl Accelerator {
    /// Room for a mechanism.
    pub fn new(mechanism: Mechanism<'_>) -> Self {
        Self {
            multipliers: Multipliers::new(mechanism),
            stepper: Stepper::default(),
            closer: Rattle::new(0.0, mechanism),
        }
    }

    /// Moves a mechanism for `h` seconds. `forces` adds what acts on bodies to wrenches, which are zero before.
    ///
    /// Returns what Heun's and Euler's steps differ by, where Heun's is taken; see [`Stepper::step`].
    pub fn step(
        &mut self,
        mechanism: Mechanism<'_>,
        (poses, momenta): (&mut [Pose<f64>], &mut [Momentum<f64>]),
        (method, h): (Method, f64),
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
