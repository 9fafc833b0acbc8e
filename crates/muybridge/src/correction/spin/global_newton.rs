//! Solves all frames of a flight at once: every step gets the same momentum and the last frame keeps its orientation.
//!
//! ```text
//! H_n = P_{n−1} F_n(P_{n−1}ᵀ P_n),   unknown: P_1 … P_{N−1} and H*,   H_n = H* for n = 1 … N,   P_0 = P_N = 1
//! P_n → exp(q_n) P_n, H* → H* + δ:   q_n = q_{n−1} + G_n (H* + δ − H_n + H_n × q_{n−1}),   G_n = P_{n−1} D_n⁻¹ P_{n−1}ᵀ
//! q_n = a_n + B_n δ,   q_0 = q_N = 0   ⟹   δ = −B_N⁻¹ a_N
//! ```
//! F_n and D_n are momentum and derivative of [`FramePair`]: rotating both frames of a step by P rotates its momentum by P. One step of Newton's
//! method is one pass over the frames (the block bidiagonal system is solved by substitution). The step is limited to half a radian and halved
//! until the sum of squared errors decreases. The iteration starts at the clip itself and so finds a solution near it. Shooting from the first
//! frame fails there: a tumble about the middle axis of inertia is unstable within one revolution.
//! This is the boundary value problem of mathematics 7.3.3, by multiple shooting (Ascher, Mattheij, Russell 1995, chapter 4).

use glam::{DMat3, DQuat, DVec3};

use super::steps::SpinPass;
use super::{FramePair, Newton};
use crate::math::rotation::{cross_matrix, exp};
use crate::math::spatial::Transform;

/// Largest rotation of a frame in one iteration, radians.
const LARGEST_STEP: f64 = 0.5;
/// Number of step lengths that are tried, each half of the one before.
const HALVINGS: i32 = 4;

/// State of the iteration: rotation of every frame, H*, and H and D of every step.
#[derive(Clone)]
struct SpinIterate {
    turns: Vec<DQuat>,
    momentum: DVec3,
    steps: Vec<(DVec3, DMat3)>,
}

/// Newton step: q of every frame, and δ.
struct NewtonStep {
    turns: Vec<DVec3>,
    momentum: DVec3,
}

/// Iterates from `guess`, one rotation per frame of the flight, of which the first and the last are fixed; `None` if the iteration gets stuck.
pub(super) fn relax(pairs: &[FramePair], guess: Vec<DQuat>, newton: &Newton) -> Option<SpinPass> {
    let mut state = SpinIterate::new(pairs, guess, None);
    for iterations in 0..=newton.iterations {
        let tolerance = newton.tolerance * state.momentum.length().max(1.0);
        if state.within(|_| tolerance) {
            return Some(state.pass(iterations));
        }
        let change = state.newton_step()?;
        let largest = change.turns.iter().map(|turn| turn.length()).fold(0.0, f64::max);
        let part = f64::min(newton.damping, LARGEST_STEP / largest);
        let Some(better) = (0..HALVINGS)
            .map(|halvings| state.moved(pairs, &change, part * libm::ldexp(1.0, -halvings)))
            .find(|tried| tried.error() < state.error())
        else {
            let exact = state.within(|step| pairs[step].rounding());
            return exact.then(|| state.pass(iterations));
        };
        state = better;
    }
    None
}

impl SpinIterate {
    /// Creates a state; without `momentum` it uses the mean of the steps' momenta.
    fn new(pairs: &[FramePair], turns: Vec<DQuat>, momentum: Option<DVec3>) -> Self {
        let step = |(pair, turns): (&FramePair, &[DQuat])| {
            let (momentum, rate) = pair.momentum_and_rate(turns[0].conjugate() * turns[1]);
            let axes = DMat3::from_quat(turns[0]);
            (axes * momentum, axes * rate * axes.transpose())
        };
        let steps: Vec<(DVec3, DMat3)> = pairs.iter().zip(turns.windows(2)).map(step).collect();
        let mean = || steps.iter().map(|step| step.0).sum::<DVec3>() / steps.len() as f64;
        Self { momentum: momentum.unwrap_or_else(mean), turns, steps }
    }

    /// Sum of squared momentum errors of the steps.
    fn error(&self) -> f64 {
        self.steps.iter().map(|step| step.0.distance_squared(self.momentum)).sum()
    }

    fn within(&self, limit: impl Fn(usize) -> f64) -> bool {
        self.steps.iter().enumerate().all(|(n, step)| step.0.distance(self.momentum) <= limit(n))
    }

    fn newton_step(&self) -> Option<NewtonStep> {
        let (mut fixed, mut follows) = (vec![DVec3::ZERO], vec![DMat3::ZERO]);
        for (n, (momentum, rate)) in self.steps.iter().enumerate() {
            let (gain, carried) = (rate.inverse(), cross_matrix(*momentum));
            fixed.push(fixed[n] + gain * (self.momentum - *momentum + carried * fixed[n]));
            follows.push(follows[n] + gain * (DMat3::IDENTITY + carried * follows[n]));
        }
        let last = self.steps.len();
        let momentum = follows[last].inverse() * -fixed[last];
        let mut turns: Vec<DVec3> = fixed.iter().zip(&follows).map(|(a, b)| *a + *b * momentum).collect();
        turns[last] = DVec3::ZERO;
        (momentum.is_finite() && turns.iter().all(|turn| turn.is_finite())).then_some(NewtonStep { turns, momentum })
    }

    fn moved(&self, pairs: &[FramePair], change: &NewtonStep, part: f64) -> Self {
        let turn = |(turn, by): (&DQuat, &DVec3)| {
            if *by == DVec3::ZERO { *turn } else { (exp(*by * part) * *turn).normalize() }
        };
        let turns = self.turns.iter().zip(&change.turns).map(turn).collect();
        Self::new(pairs, turns, Some(self.momentum + change.momentum * part))
    }

    fn pass(&self, iterations: usize) -> SpinPass {
        let place = |&rotation: &DQuat| Transform { rotation, position: DVec3::ZERO };
        SpinPass { momentum: self.momentum, moves: self.turns.iter().map(place).collect(), iterations }
    }
}
