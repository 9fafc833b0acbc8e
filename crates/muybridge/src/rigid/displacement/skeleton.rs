//! Newton step that displaces all joints at once, by the factorization of the joint tree; loops are closed by a dense
//! system.
//!
//! ```text
//! Δ = −W Jᵀ (J W Jᵀ)⁻¹ C         W, J at the present poses; two or three passes for chains of any length
//! ```
//! A displacement is the motion of a body in one second with its pseudo-impulse as momentum. The drift of rigid RATTLE
//! over one second from rest, with a single iteration, is therefore this step. The step keeps both momenta to rounding.
//! Specification: mathematics 4.5.2, 4.6, 5.1 (Z22, Z25).

use super::REPEATED;
use crate::rigid::joint::MOST_ROWS;
use crate::rigid::rattle::{Mechanism, Passes, Rattle};
use crate::rigid::{Joint, Momentum, Pose};

/// Buffers and factorization of the Newton step.
#[derive(Clone, Debug)]
pub struct JointSkeleton {
    /// Factorization of the joint tree.
    pub(super) rattle: Rattle<f64>,
    /// Trial poses after the step.
    trial: Vec<Pose<f64>>,
    /// Pseudo-impulses of the step.
    impulses: Vec<Momentum<f64>>,
    /// Multipliers λ; every pass starts from zero.
    multipliers: [Vec<[f64; MOST_ROWS]>; 2],
}

impl JointSkeleton {
    /// Allocates buffers for a mechanism.
    pub fn new(mechanism: Mechanism<'_>) -> Self {
        let (bodies, joints) = (mechanism.bodies.len(), mechanism.joints.len());
        let none = vec![[0.0; MOST_ROWS]; joints];
        let mut rattle = Rattle::new(0.0, mechanism);
        rattle.repeats_below(REPEATED);
        Self {
            rattle,
            trial: vec![Pose::like(0.0); bodies],
            impulses: vec![Momentum::ZERO; bodies],
            multipliers: [none.clone(), none],
        }
    }

    /// Factors the joint tree at `poses`.
    pub fn factor(&mut self, mechanism: Mechanism<'_>, poses: &[Pose<f64>]) {
        if !(mechanism.joints.is_empty() || poses.is_empty()) {
            self.rattle.factor(mechanism, poses, &Joint::guide, 1.0);
        }
    }

    /// Moves all bodies at once with the factors of the last [`Self::factor`]. Returns false and moves nothing if the
    /// greatest joint error would not fall below `most` (meters, radians).
    pub fn pass(
        &mut self,
        mechanism: Mechanism<'_>,
        (poses, impulses): (&mut [Pose<f64>], &mut [Momentum<f64>]),
        most: f64,
    ) -> bool {
        if mechanism.joints.is_empty() || poses.is_empty() {
            return false;
        }
        self.trial.copy_from_slice(poses);
        self.impulses.fill(Momentum::ZERO);
        for multipliers in &mut self.multipliers {
            multipliers.fill([0.0; MOST_ROWS]);
        }
        let one = (1.0, Passes { most: 1, tolerance: 0.0, is_warm: true });
        let bodies = (&mut self.trial[..], &mut self.impulses[..]);
        let worst = self.rattle.drift(mechanism, bodies, &mut self.multipliers, &Joint::guide, one);
        let is_sound = |pose: &Pose<f64>| pose.place().is_finite() && pose.turn().is_finite();
        let is_better = worst < most && self.trial.iter().all(is_sound);
        if is_better {
            poses.copy_from_slice(&self.trial);
            for (sum, impulse) in impulses.iter_mut().zip(&self.impulses) {
                *sum = sum.plus(*impulse);
            }
        }
        is_better
    }
}
