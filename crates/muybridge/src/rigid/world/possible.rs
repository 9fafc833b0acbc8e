//! Recovery of diverged bodies: faster than light or not finite.

use super::Scratch;
use crate::math::speed_limit::SPEED_OF_LIGHT;
use crate::rigid::forest::Forest;
use crate::rigid::motion::Momentum;
use crate::rigid::rattle::Mechanism;
use crate::rigid::state::State;

impl Scratch {
    /// Resets each tree with a diverged body to its pose before the substep, at rest, and clears the warm-start
    /// impulses of contacts.
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
                (self.is_factored, self.is_solved) = (false, false);
                if let Some(joint) = forest.hangs_by[body] {
                    for multipliers in &mut state.multipliers {
                        multipliers[joint] = [0.0; 6];
                    }
                }
            }
        }
    }

    /// Resets sleeping bodies whose pose or momentum is not finite to their pose at the start of the step.
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
