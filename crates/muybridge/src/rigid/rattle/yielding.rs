//! Drift of many loops with joints that yield a little, where rigid ones do not close: a flat net, in which loops are
//! singular.
//!
//! ```text
//! P' = P + J'ᵀ Λ,   q' = drift(q, P', h),   C(q') + h Γ Λ = 0            Γ = ε diag(J' W J'ᵀ)
//! Λ = −(J' W J'ᵀ + Γ)⁻¹ C/h                                              one Newton step from the drift without joints
//! ```
//! A link that turns by φ out of a flat net pulls its neighbors in by φ²/2, along directions that rows have only as far
//! as it has turned. Rigid joints there ask for impulses of any size, and Newton's method does not converge. This is
//! implicit Euler for springs that give way by ε h² times the acceleration that the force would give both bodies alone:
//! a tenth of a millimeter for a hundred times their weight. It takes energy from nets of ball joints.
//! Specification: mathematics 4.5.2 (H5); Macklin et al. 2016 (compliance), Levenberg 1944 (damping).

use super::closing::alone;
use super::sparse::JointExtras;
use super::{Guides, LoopMatrix, Mechanism, Rattle, equations};
use crate::rigid::joint::MOST_ROWS;
use crate::rigid::motion::{Momentum, Pose};
use crate::rigid::tree::axes;

/// Share ε of the response of the bodies alone by which a joint yields.
const YIELD: f64 = 1e-3;

/// Of single numbers alone: what is stepped in lanes does not yield, and is not compiled to.
impl Rattle<f64> {
    /// Whether there are so many loops that all joints are solved together.
    pub fn has_many_loops(&self) -> bool {
        matches!(self.closing.matrix, LoopMatrix::Sparse(_))
    }

    /// From the next factorization on, joints yield or do not. Only many loops can.
    pub fn set_yielding(&mut self, yields: bool) {
        self.yields = (yields && self.has_many_loops()).then_some(Self::factor_yielding);
    }

    /// Factors as [`Rattle::factor`] does, with joints that yield.
    fn factor_yielding(&mut self, mechanism: Mechanism<'_>, poses: &[Pose<f64>], guide: Guides<'_, f64>) {
        let Mechanism { bodies, joints, forest } = mechanism;
        for &body in &forest.order {
            self.axes[body] = axes(&poses[body]);
            self.factors.place(body, &bodies[body], &self.axes[body]);
        }
        let mut softness = core::mem::take(&mut self.softness);
        softness.resize(joints.len(), [0.0; MOST_ROWS]);
        for joint in forest.joints(joints) {
            let rows = equations(&joints[joint], (poses, &self.axes), guide);
            for row in 0..rows.count {
                softness[joint][row] = alone(&rows, row, (bodies, &self.axes)) * YIELD;
            }
        }
        for &body in &forest.order {
            if let Some(joint) = forest.hangs_by[body] {
                let rows = equations(&joints[joint], (poses, &self.axes), guide);
                self.factors.join(body, &rows, forest.is_turned[body]);
            }
        }
        let of = &|joint: usize| softness[joint];
        self.factors.factor(forest, of);
        let extras = JointExtras { soft: &|_, _| (), softness: of, brakes: &[] };
        self.factor_closing(mechanism, (poses, guide), &extras);
        self.softness = softness;
    }

    /// Drifts for `h` seconds as [`Rattle::drift`] does. Returns the greatest remaining joint error. The factorization
    /// is that of another pose afterwards.
    pub fn drift_yielding(
        &mut self,
        mechanism: Mechanism<'_>,
        (poses, momenta): (&mut [Pose<f64>], &mut [Momentum<f64>]),
        multipliers: &mut [Vec<[f64; MOST_ROWS]>; 2],
        (guide, h): (Guides<'_, f64>, f64),
    ) -> f64 {
        self.try_drift(mechanism, (poses, momenta), h);
        self.ask(mechanism, guide, -1.0 / h);
        let trial = core::mem::take(&mut self.trial);
        self.factor_yielding(mechanism, &trial, guide);
        self.trial = trial;
        self.right.fill([0.0; 6]);
        self.solve(mechanism);
        self.push(mechanism.forest, momenta);
        let [last, before] = multipliers;
        core::mem::swap(last, before);
        self.multipliers(mechanism.forest, last);
        last.iter_mut().flatten().for_each(|impulse| *impulse *= 1.0 / h);
        self.try_drift(mechanism, (poses, momenta), h);
        let worst = self.ask(mechanism, guide, 0.0);
        for &body in &mechanism.forest.order {
            poses[body] = self.trial[body];
        }
        worst
    }
}
