//! Several RATTLE steps with other lengths as one: a step of fourth order for the mode that asks for accuracy.
//!
//! ```text
//! Φ_h = R_{γ1 h} ∘ R_{γ2 h} ∘ … ∘ R_{γ1 h},    Σ γ = 1,  Σ γ³ = 0,   the same from either end;   R a step of RATTLE
//! ```
//! R is symmetric and symplectic, so Φ is, and of fourth order; impulses act on two bodies along one line in every stage, so momentum
//! and angular momentum are kept to rounding. Stages are not alike, and one runs backwards: impulses are extrapolated in the time
//! they stand for, a third into their stage (λ/h = ½ f(t) + h/6 f'(t) + …). The factors at the end of a stage serve the next.
//! Specification: mathematics 4.5.3; Suzuki 1990, Yoshida 1990 for the stages, Reich 1996 for composing RATTLE.

use super::integrator::SUZUKI;
use super::joint::MOST_ROWS;
use super::motion::{Momentum, Pose};
use super::rattle::{Guides, Mechanism, Passes, Rattle};
use crate::math::lanes::Lanes;

/// One stage: RATTLE itself, of second order.
pub const SECOND_ORDER: [f64; 1] = [1.0];

/// Five stages of fourth order.
pub const FOURTH_ORDER: [f64; 5] = SUZUKI;

/// What a step changes.
#[derive(Debug)]
pub struct StepState<'a, V> {
    /// Where bodies are.
    pub poses: &'a mut [Pose<V>],
    /// How they move.
    pub momenta: &'a mut [Momentum<V>],
    /// Impulses of the last two stages by joint, per second; see [`Rattle::drift`].
    pub multipliers: &'a mut [Vec<[V; MOST_ROWS]>; 2],
}

/// How a step is made.
#[derive(Clone, Copy, Debug)]
pub struct StepScheme<'a> {
    /// Parts of the step, the same from either end.
    pub stages: &'a [f64],
    /// Seconds.
    pub step: f64,
    /// Passes over the joints in each stage.
    pub passes: Passes,
    /// Whether `rattle` was factored at these poses, as it is after a step that nothing moved bodies since.
    pub is_factored: bool,
}

/// Adds to momenta what forces at given poses do in so many seconds.
pub type Kick<'a, V> = &'a mut dyn FnMut(&[Pose<V>], &mut [Momentum<V>], f64);

/// Moves a mechanism by a plan. `kick` is that of the forces. Returns the worst row of all
/// stages, metres and radians. Velocities satisfy the joints before and after.
pub fn step<V: Lanes>(
    rattle: &mut Rattle<V>,
    mechanism: Mechanism<'_>,
    motion: &mut StepState<'_, V>,
    plan: StepScheme<'_>,
    (guide, kick): (Guides<'_, V>, Kick<'_, V>),
) -> V {
    let StepScheme { stages, step, passes, is_factored } = plan;
    // Softness goes with the length of a step, so that soft joints have other factors in every stage.
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

/// How far the impulses of a stage are from those before, in distances between those before. Steps follow steps of the same stages.
fn ahead(stages: &[f64], index: usize) -> f64 {
    let count = stages.len();
    // The time a stage's impulses stand for, counted back over earlier steps of length 1.
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
