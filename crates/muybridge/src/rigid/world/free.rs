//! Moves trees in free flight by the chosen integrator; see [`Settings::integrator`].
//!
//! ```text
//! multipliers   accelerations along the tree, then joints closed;   composition: five stages of RATTLE
//! hennix        accelerations from the matrix of all joints with feedback; no other joint correction
//! displacement  bodies without joints alone; it moves all others itself
//! ```
//! Motors, rolling resistance and joint limits change velocities before the flight, as elsewhere; limits passed in
//! flight are corrected after it. Specification: mathematics 4.2, 4.5 (H19, H20).

use glam::DVec3;

use super::hold::GOOD;
use super::ranges::{self, NEAR};
use super::{Scratch, worst_gap};
use crate::rigid::acceleration::{self, Accelerator};
use crate::rigid::composed::{self, FOURTH_ORDER, StepScheme, StepState};
use crate::rigid::forest::Forest;
use crate::rigid::integrator::{Integrator, Wrench};
use crate::rigid::joint::{Joint, MOST_ROWS};
use crate::rigid::model::Model;
use crate::rigid::motion::{Momentum, Pose, vector};
use crate::rigid::multipliers::Elimination;
use crate::rigid::rattle::Mechanism;
use crate::rigid::settings::{Method, Settings};
use crate::rigid::state::State;

/// Buffers for trees in free flight.
#[derive(Clone, Debug)]
pub(super) struct FreeFlight {
    /// Acceleration-level integrator, created on first use.
    accelerator: Option<Box<Accelerator>>,
    is_free: Vec<bool>,
    forests: Option<Forests>,
}

/// Awake trees in two parts.
#[derive(Clone, Debug)]
pub(super) struct Forests {
    pub flying: Forest,
    /// Trees that are not in free flight.
    pub rest: Forest,
}

impl FreeFlight {
    pub(super) fn new(forest: &Forest) -> Self {
        let forests = Forests { flying: forest.clone(), rest: forest.clone() };
        Self { accelerator: None, is_free: vec![false; forest.trees], forests: Some(forests) }
    }

    /// Returns the buffers taken by [`Scratch::divide`].
    pub(super) fn keep(&mut self, forests: Option<Forests>) {
        self.forests = forests.or(self.forests.take());
    }
}

impl Scratch {
    /// Splits awake trees into those in free flight and the rest; give the result back to [`FreeFlight::keep`]. `None` if
    /// the settings move all trees alike.
    pub(super) fn divide(
        &mut self,
        mechanism: Mechanism<'_>,
        (model, settings): (&Model, &Settings),
        state: &State,
    ) -> Option<Forests> {
        if settings.integrator == Integrator::Splitting {
            return None;
        }
        self.mark_free(mechanism, (model, settings), state);
        let mut forests = self.flight.forests.take()?;
        forests.flying.leave_out(mechanism.forest, |tree| !self.flight.is_free[tree]);
        forests.rest.leave_out(mechanism.forest, |tree| self.flight.is_free[tree]);
        Some(forests)
    }

    /// Marks awake trees without contacts, compliant joints or loops.
    fn mark_free(&mut self, mechanism: Mechanism<'_>, (model, settings): (&Model, &Settings), state: &State) {
        let Self { flight: FreeFlight { is_free, .. }, contacts, .. } = self;
        let Mechanism { forest, joints, .. } = mechanism;
        for (index, free) in is_free.iter_mut().enumerate() {
            *free = !forest.of_tree(index).is_empty();
        }
        let touching = contacts.iter().flat_map(|contact| contact.bodies).flatten();
        let closing = forest.closing.iter().map(|&joint| joints[joint].child);
        let soft = joints.iter().filter(|joint| joint.compliance > 0.0).map(|joint| joint.child);
        for body in touching.chain(closing).chain(soft) {
            is_free[forest.tree[body]] = false;
        }
        // Displacement moves what has joints itself.
        if settings.method.is_displaced() {
            joints.iter().for_each(|joint| is_free[forest.tree[joint.child]] = false);
        }
        // After a flight, multipliers correct joints beyond their limits; the feedback method does not.
        if let Method::Hennix(_) = settings.method {
            ranges::each(mechanism, model, state, |_| NEAR, |_, joint, _, _| is_free[forest.tree[joint.child]] = false);
        }
    }

    /// Moves trees in free flight by `h` seconds; all other bodies stay.
    pub(super) fn fly(
        &mut self,
        flying: Mechanism<'_>,
        (model, settings): (&Model, &Settings),
        state: &mut State,
        h: f64,
    ) {
        if flying.forest.order.is_empty() {
            return;
        }
        self.trial.0.copy_from_slice(&state.poses);
        self.trial.1.copy_from_slice(&state.momenta);
        self.move_free(flying, (model, settings), state, h);
        for body in 0..flying.bodies.len() {
            if !flying.forest.has(body) {
                (state.poses[body], state.momenta[body]) = (self.trial.0[body], self.trial.1[body]);
            }
        }
        let joints = flying.joints.iter().filter(|joint| flying.forest.has(joint.child));
        let worst = worst_gap(joints, &state.poses);
        self.report.worst_joint = self.report.worst_joint.max(worst);
        self.is_factored = false;
    }

    /// Moves the trees of a mechanism; other bodies may be anywhere afterwards.
    fn move_free(
        &mut self,
        mechanism: Mechanism<'_>,
        (model, settings): (&Model, &Settings),
        state: &mut State,
        h: f64,
    ) {
        let Self { flight, rattle, wrenches, drags, trial, .. } = self;
        let force = |body: usize, momentum: &Momentum<f64>, share: f64| {
            let [x, y, z, a, b, c] = wrenches[body];
            let weight = settings.gravity * model.bodies[body].mass;
            let brake = drags[body] * share;
            let linear = weight + DVec3::new(x, y, z) - vector(momentum.linear) * brake;
            Momentum::from_vectors(linear, DVec3::new(a, b, c) - vector(momentum.angular) * brake)
        };
        let feedback = match settings.method {
            Method::Hennix(feedback) => Some(feedback),
            Method::Multipliers | Method::Displacement(_) => None,
        };
        let State { poses, momenta, multipliers, .. } = state;
        if feedback.is_none() && settings.integrator == Integrator::Composition4 {
            let mut kick = |_: &[Pose<f64>], momenta: &mut [Momentum<f64>], seconds: f64| {
                for &body in &mechanism.forest.order {
                    // Damping by the trapezoid rule: the mean of its values before and after the kick.
                    let damped = 0.5 * drags[body] * seconds;
                    let force = force(body, &Momentum::ZERO, 0.0).times(seconds);
                    momenta[body] = momenta[body].times(1.0 - damped).plus(force).times(1.0 / (1.0 + damped));
                }
            };
            let plan = StepScheme { stages: &FOURTH_ORDER, step: h, passes: settings.passes, is_factored: false };
            let mut motion = StepState { poses, momenta, multipliers };
            if composed::step(rattle, mechanism, &mut motion, plan, (&Joint::guide, &mut kick)) <= GOOD {
                return;
            }
            // The composition does not close these joints; the acceleration-level method does.
            motion.poses.copy_from_slice(&trial.0);
            motion.momenta.copy_from_slice(&trial.1);
        }
        let State { poses, momenta, multipliers, .. } = state;
        let method = acceleration::AccelerationMethod {
            integrator: settings.integrator,
            elimination: if feedback.is_some() { Elimination::Cholesky } else { Elimination::Tree },
            feedback: feedback.unwrap_or_default(),
            closings: if feedback.is_some() { 0 } else { settings.passes.most },
        };
        let accelerator = flight.accelerator.get_or_insert_with(|| Box::new(Accelerator::new(mechanism)));
        accelerator.step(mechanism, (poses, momenta), (method, h), |_, momenta, wrenches: &mut [Wrench]| {
            for (body, (wrench, momentum)) in wrenches.iter_mut().zip(momenta).enumerate() {
                *wrench = wrench.plus(force(body, momentum, 1.0));
            }
        });
        for joint in mechanism.forest.order.iter().filter_map(|&body| mechanism.forest.hangs_by[body]) {
            for multipliers in multipliers.iter_mut() {
                multipliers[joint] = [0.0; MOST_ROWS];
            }
        }
    }
}

#[cfg(test)]
mod tests;
