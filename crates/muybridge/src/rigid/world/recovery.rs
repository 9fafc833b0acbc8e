//! Bounds of the motion that removes penetration, tree by tree.
//!
//! ```text
//! speed      of every body at most five times the greatest depenetration speed, and ten times as many radians per second
//! energy     of a tree at something fixed: T after the drift ≤ T before it
//! ```
//! What cannot come out, such as an arm through a wall, would get energy from joints and contacts that displacement cannot fulfill
//! together. Specification: mathematics 4.10 (H24).

use crate::rigid::motion::Momentum;
use crate::rigid::rattle::Mechanism;
use crate::rigid::settings::Settings;
use crate::rigid::state::State;

/// Greatest speed of a body that comes out, as a multiple of the greatest depenetration speed: limbs turn faster than their ends
/// come out, but an arm through a wall whipped with 32 m/s.
const MOST: f64 = 5.0;

/// Kinetic energy of each tree before the drift, joules.
#[derive(Clone, Debug, Default)]
pub(super) struct RecoveryBound(Vec<f64>);

impl RecoveryBound {
    /// Bounds the speeds that were added to the momenta `kept`, and replaces these by what was added. Trees with impulses `closing` may
    /// be as fast as what they meet.
    pub fn bound(
        &mut self,
        (mechanism, closing): (Mechanism<'_>, &[[f64; 6]]),
        settings: &Settings,
        state: &mut State,
        kept: &mut [Momentum<f64>],
    ) {
        let forest = mechanism.forest;
        let most = MOST * settings.fastest_recovery;
        self.0.clear();
        self.0.resize(forest.trees, 0.0);
        for tree in 0..forest.trees {
            let mut fastest = 0.0_f64;
            for &body in forest.of_tree(tree) {
                let (of, turn) = (&mechanism.bodies[body], state.poses[body].turn());
                self.0[tree] += kept[body].kinetic_energy(of, turn);
                kept[body] = state.momenta[body].minus(kept[body]);
                let (v, w) = kept[body].velocities(of, turn);
                fastest = fastest.max(v.length()).max(0.1 * w.length());
            }
            if fastest > most && forest.of_tree(tree).iter().all(|&body| closing[body] == [0.0; 6]) {
                for &body in forest.of_tree(tree) {
                    let allowed = kept[body].times(most / fastest);
                    state.momenta[body] = state.momenta[body].minus(kept[body]).plus(allowed);
                    kept[body] = allowed;
                }
            }
        }
    }

    /// Takes the energy that the drift added to trees that touch something fixed: others keep their momentum.
    pub fn keep_below(&self, mechanism: Mechanism<'_>, is_touched: &[bool], state: &mut State) {
        let forest = mechanism.forest;
        for (tree, &most) in self.0.iter().enumerate().filter(|(tree, _)| is_touched[*tree]) {
            let bodies = forest.of_tree(tree);
            let energy =
                |&body: &usize| state.momenta[body].kinetic_energy(&mechanism.bodies[body], state.poses[body].turn());
            let now: f64 = bodies.iter().map(energy).sum();
            if now > most {
                let share = libm::sqrt(most / now);
                bodies.iter().for_each(|&body| state.momenta[body] = state.momenta[body].times(share));
            }
        }
    }
}
