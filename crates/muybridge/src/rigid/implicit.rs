//! Velocity-level time stepping with soft or rigid joints: implicit springs with dampers, or a share of the gap closed
//! per step.
//!
//! ```text
//! u* = u + h W Q;    (J W Jᵀ + Γ) λ = −J u* − (B/h) C,    u' = u* + W Jᵀ λ,    then positions with u'
//! spring k, damper d       Γ = 1/(h (h k + d)),    B = h k/(h k + d)           equal to implicit Euler of spring and damper
//! rigid                    Γ = 0,                  B from 0 to 1
//! ```
//! Dissipative and robust: this step survives cases in which RATTLE fails (long steps, joints torn apart). Bodies
//! rotate as free tops between impulses, so their energy does not depend on the step length. Specification: mathematics
//! 4.5.1 (H5), Catto 2011 for the coefficients.

use super::drift::drift;
use super::integrator::Wrench;
use super::joint::{Joint, MOST_ROWS};
use super::motion::{Momentum, Pose, vector};
use super::rattle::{Mechanism, Rattle};
use crate::math::lane_rotation::LaneVector;

/// Stiffness of a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Hold {
    /// Rigid joint; this share of the gap (0 to 1) is closed in a step.
    Rigid(f64),
    /// Joint with the compliance of a spring and damper.
    Soft {
        /// Stiffness, N/m (N m/rad).
        stiffness: f64,
        /// Damping, N s/m (N m s/rad).
        damping: f64,
    },
}

impl Hold {
    /// Coefficients Γ and B for a step of `h` seconds.
    pub fn coefficients(self, h: f64) -> (f64, f64) {
        match self {
            Self::Rigid(share) => (0.0, share),
            Self::Soft { stiffness, damping } => {
                let both = h * stiffness + damping;
                // A joint without spring and damper has no effect.
                if both > 0.0 { (1.0 / (h * both), h * stiffness / both) } else { (NOTHING, 0.0) }
            }
        }
    }
}

/// Softness Γ of a row without effect, 1/kg and 1/(kg m²): large against any body's inverse inertia.
const NOTHING: f64 = 1e60;

/// Implicit velocity-level integrator of one mechanism. Steps do not allocate.
#[derive(Clone, Debug)]
pub struct Implicit {
    rattle: Rattle<f64>,
    wrenches: Vec<Wrench>,
    /// Impulses of the joints in the last step, newton seconds and newton meter seconds along their rows.
    pub impulses: Vec<[f64; MOST_ROWS]>,
}

impl Implicit {
    /// Allocates buffers for a mechanism.
    pub fn new(mechanism: Mechanism<'_>) -> Self {
        Self {
            rattle: Rattle::new(0.0, mechanism),
            wrenches: vec![Momentum::ZERO; mechanism.bodies.len()],
            impulses: vec![[0.0; MOST_ROWS]; mechanism.joints.len()],
        }
    }

    /// Moves a mechanism by `h` seconds; `hold` returns the stiffness of joint `i`. `forces` adds external wrenches to
    /// an array that starts at zero.
    pub fn step(
        &mut self,
        mechanism: Mechanism<'_>,
        (poses, momenta): (&mut [Pose<f64>], &mut [Momentum<f64>]),
        (hold, h): (impl Fn(usize) -> Hold, f64),
        mut forces: impl FnMut(&[Pose<f64>], &[Momentum<f64>], &mut [Wrench]),
    ) {
        let Mechanism { bodies, joints, forest } = mechanism;
        self.wrenches.fill(Momentum::ZERO);
        forces(poses, momenta, &mut self.wrenches);
        for (momentum, wrench) in momenta.iter_mut().zip(&self.wrenches) {
            let kicked = |v: LaneVector<f64>, by: LaneVector<f64>| LaneVector::splat((), vector(v) + vector(by) * h);
            *momentum = Momentum {
                linear: kicked(momentum.linear, wrench.linear),
                angular: kicked(momentum.angular, wrench.angular),
            };
        }
        self.rattle.factor_soft(mechanism, poses, &Joint::guide, &|joint| hold(joint).coefficients(h).0);
        let asked = |index: usize| {
            let joint = &joints[index];
            let sides = joint.sides_at(poses);
            let share = hold(index).coefficients(h).1 / h;
            joint.equations(&sides, joint.guide(&sides).as_ref()).error.map(|error| -share * error)
        };
        let six = |body: usize| {
            let Momentum { linear: p, angular: l } = momenta[body];
            [p.x, p.y, p.z, l.x, l.y, l.z]
        };
        self.rattle.solve_for(mechanism, six, asked);
        self.rattle.multipliers(forest, &mut self.impulses);
        self.rattle.push(forest, momenta);
        for (body, pose) in poses.iter_mut().enumerate() {
            *pose = drift(&bodies[body], pose, &momenta[body], h);
        }
    }
}

#[cfg(test)]
mod tests;
