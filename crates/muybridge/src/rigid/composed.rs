//! Composition of several RATTLE substeps of different lengths: a fourth-order step for the accurate mode.
//!
//! ```text
//! Φ_h = R_{γ1 h} ∘ R_{γ2 h} ∘ … ∘ R_{γ1 h},    Σ γ = 1,  Σ γ³ = 0,   stages symmetric;   R: one RATTLE step
//! ```
//! R is symmetric and symplectic. Φ has both properties and order four. In every stage an impulse acts on two bodies
//! along one line, so linear and angular momentum are kept to rounding. Stages differ in length, and one runs
//! backwards. Impulses are extrapolated in the time they stand for, a third into their stage
//! (λ/h = ½ f(t) + h/6 f'(t) + …). The factorization at the end of a stage serves the next stage.
//! Specification: mathematics 4.5.3; Suzuki 1990, Yoshida 1990 for the stages, Reich 1996 for composing RATTLE.

use super::integrator::SUZUKI;
use super::joint::MOST_ROWS;
use super::motion::{Momentum, Pose};
use super::rattle::{Guides, Mechanism, Passes, Rattle};
use crate::math::lanes::Lanes;

/// One stage: plain RATTLE, second order.
pub const SECOND_ORDER: [f64; 1] = [1.0];

/// Five stages of Suzuki's composition, fourth order.
pub const FOURTH_ORDER: [f64; 5] = SUZUKI;

/// State of a mechanism that a step changes.
#[derive(Debug)]
pub struct StepState<'a, V> {
    /// Poses of the bodies.
    pub poses: &'a mut [Pose<V>],
    /// Momenta of the bodies.
    pub momenta: &'a mut [Momentum<V>],
    /// Impulses of the last two stages by joint, per second; see [`Rattle::drift`].
    pub multipliers: &'a mut [Vec<[V; MOST_ROWS]>; 2],
}

/// Parameters of a step.
#[derive(Clone, Copy, Debug)]
pub struct StepScheme<'a> {
    /// Lengths of the stages as shares of the step, symmetric.
    pub stages: &'a [f64],
    /// Length of the step, seconds.
    pub step: f64,
    /// Newton iterations over the joints in each stage.
    pub passes: Passes,
    /// Whether `rattle` is already factored at these poses: true after a step if nothing has moved bodies since.
    pub is_factored: bool,
}

/// Callback that adds the impulse of external forces at given poses over a number of seconds to the momenta.
pub type Kick<'a, V> = &'a mut dyn FnMut(&[Pose<V>], &mut [Momentum<V>], f64);

/// Moves a mechanism by one step. `kick` applies the external forces. Returns the greatest joint error of all stages,
/// meters or radians. Velocities satisfy the joints before and after.
pub fn step<V: Lanes>(
    rattle: &mut Rattle<V>,
    mechanism: Mechanism<'_>,
    motion: &mut StepState<'_, V>,
    plan: StepScheme<'_>,
    (guide, kick): (Guides<'_, V>, Kick<'_, V>),
) -> V {
    let StepScheme { stages, step, passes, is_factored } = plan;
    // Softness depends on the length of a step, so soft joints need another factorization in every stage.
    let is_soft = mechanism.joints.iter().any(|joint| joint.compliance > 0.0);
    if !is_factored || is_soft {
        rattle.factor(mechanism, motion.poses, guide, step * stages[0]);
    }
    let mut worst = motion.poses[0].position.x.like(0.0);
    for (index, part) in stages.iter().enumerate() {
        let h = step * part;
        if is_soft && index > 0 {
            rattle.factor(mechanism, motion.poses, guide, h);
        }
        rattle.ahead = ahead(stages, index);
        kick(motion.poses, motion.momenta, 0.5 * h);
        let of_stage = rattle.drift(mechanism, (motion.poses, motion.momenta), motion.multipliers, guide, (h, passes));
        worst = worst.greatest(of_stage);
        kick(motion.poses, motion.momenta, 0.5 * h);
        rattle.factor(mechanism, motion.poses, guide, h);
        rattle.project(mechanism, motion.momenta);
    }
    rattle.ahead = 1.0;
    worst
}

/// Ratio that extrapolates joint impulses: time from the last stage to this one, divided by the time between the two
/// stages before. Assumes that earlier steps had the same stages.
fn ahead(stages: &[f64], index: usize) -> f64 {
    let count = stages.len();
    // Time that the impulse of a stage stands for, counted back over earlier steps of length 1.
    let time = |back: usize| {
        let steps_back = (back + count - 1 - index) / count;
        let stage = (index + count * steps_back) - back;
        stages[..stage].iter().sum::<f64>() + stages[stage] / 3.0 - steps_back as f64
    };
    let (now, last, before) = (time(0), time(1), time(2));
    (now - last) / (last - before)
}

#[cfg(test)]
mod tests;
