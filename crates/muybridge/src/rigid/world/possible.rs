//! What no body can do is taken back: to be faster than light, or nowhere.

use super::Scratch;
use crate::math::speed_limit::SPEED_OF_LIGHT;
use crate::rigid::forest::Forest;
use crate::rigid::motion::Momentum;
use crate::rigid::rattle::Mechanism;
use crate::rigid::state::State;

impl Scratch {
    /// A tree of which something is faster than light or nowhere stands still where it was; what touched it begins without an impulse.
    pub(super) fn put_back(&mut self, mechanism: Mechanism<'_>, state: &mut State, h: f64) {
        let forest = mechanism.forest;
        for tree in 0..forest.trees {
            let bodies = forest.of_tree(tree);
            let is_possible = |&body: &usize| {
                let (pose, start) = (&state.poses[body], &self.before.0[body]);
                pose.is_near(start, SPEED_OF_LIGHT * h)
                    && state.momenta[body].is_slower(&mechanism.bodies[body], pose.turn(), SPEED_OF_LIGHT)
            };
            if bodies.iter().all(is_possible) {
                continue;
            }
            state.impulses.clear();
            for &body in bodies {
                state.poses[body] = self.before.0[body];
                state.momenta[body] = Momentum::ZERO;
                self.report.put_back += 1;
                self.is_factored = false;
                if let Some(joint) = forest.hangs_by[body] {
                    for multipliers in &mut state.multipliers {
                        multipliers[joint] = [0.0; 6];
                    }
                }
            }
        }
    }

    /// What sleeps is where it was at the start of the step, also where something pushed it by no number.
    pub(super) fn leave_asleep(&mut self, all: &Forest, awake: &Forest, state: &mut State) {
        for body in (0..state.poses.len()).filter(|&body| !awake.has(body)) {
            if state.poses[body].is_finite() && state.momenta[body].is_finite() {
                continue;
            }
            state.poses[body] = self.before.0[body];
            state.momenta[body] = Momentum::ZERO;
            if let Some(joint) = all.hangs_by[body] {
                for multipliers in &mut state.multipliers {
                    multipliers[joint] = [0.0; 6];
                }
            }
            self.report.put_back += 1;
        }
    }
}
