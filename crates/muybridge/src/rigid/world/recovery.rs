//! Bounds of the motion that removes penetration, tree by tree, and of that after a bounce of what has joints.
//!
//! ```text
//! speed      of every body at most five times the greatest depenetration speed, and ten times as many radians per second;
//!            where so many are in one place that only some contacts count, as fast as that
//! energy     of a tree at something fixed: T after the drift ≤ T before it; of one with joints that bounces: T + U in a substep
//! ```
//! What cannot come out, such as an arm through a wall, would get energy from joints and contacts that displacement cannot fulfill
//! together. What a joint holds turns, where a bounce takes it to fall along the normal: a thousandth a hit at 24 frames a second.
//! Specification: mathematics 4.10 (H18, H24).

use glam::DVec3;

use super::Scratch;
use crate::rigid::joint::Joint;
use crate::rigid::model::Model;
use crate::rigid::motion::{Momentum, Pose};
use crate::rigid::rattle::Mechanism;
use crate::rigid::row::{Contact, Rules};
use crate::rigid::state::State;

/// Greatest speed of a body that comes out, as a multiple of the greatest depenetration speed: limbs turn faster than their ends
/// come out, but an arm through a wall whipped with 32 m/s.
pub(super) const MOST: f64 = 5.0;

/// Depth that no hit leaves, meters.
const DEEP: f64 = 0.02;

/// What is known of each tree before the drift.
#[derive(Clone, Debug, Default)]
pub(super) struct RecoveryBound {
    /// Kinetic energy, joules.
    energies: Vec<f64>,
    /// Whether it is deep in something.
    is_deep: Vec<bool>,
    /// Trees with joints that may bounce, and their energies before, joules.
    bounces: Vec<(usize, f64)>,
}

impl RecoveryBound {
    /// Bounds the speeds that were added to the momenta `kept` by `most` (m/s), and replaces these by what was added. Trees with
    /// impulses `closing` may be as fast as what they meet.
    pub fn bound(
        &mut self,
        (mechanism, closing): (Mechanism<'_>, &[[f64; 6]]),
        most: f64,
        state: &mut State,
        kept: &mut [Momentum<f64>],
    ) {
        let forest = mechanism.forest;
        self.energies.clear();
        self.energies.resize(forest.trees, 0.0);
        for tree in 0..forest.trees {
            let mut fastest = 0.0_f64;
            for &body in forest.of_tree(tree) {
                let (of, turn) = (&mechanism.bodies[body], state.poses[body].turn());
                self.energies[tree] += kept[body].kinetic_energy(of, turn);
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

    /// Takes the energy that the drift added to trees that touch something fixed and are deep in something: others keep their
    /// momentum.
    pub fn keep_below(
        &mut self,
        mechanism: Mechanism<'_>,
        (is_touched, contacts): (&[bool], &[Contact]),
        state: &mut State,
    ) {
        let forest = mechanism.forest;
        let Self { energies, is_deep, .. } = self;
        is_deep.clear();
        is_deep.resize(forest.trees, false);
        for body in contacts.iter().filter(|contact| contact.gap < -DEEP).flat_map(|contact| contact.bodies).flatten() {
            is_deep[forest.tree[body]] = true;
        }
        for (tree, &most) in energies.iter().enumerate().filter(|(tree, _)| is_touched[*tree] && is_deep[*tree]) {
            slow_to(most, (mechanism, tree), state);
        }
    }
}

impl Scratch {
    /// Notes the energy of trees with joints that may bounce on what stands still, and that nothing drives. Call it before the drift.
    pub(super) fn find_bounces(&mut self, mechanism: Mechanism<'_>, model: &Model, rules: &Rules) {
        let Self { solver, contacts, recovery, wrenches, before, kept, rattle, is_touched, .. } = self;
        let forest = mechanism.forest;
        recovery.bounces.clear();
        for row in solver.rows.iter().filter(|row| row.bounce.is_some()) {
            let ([Some(body), None] | [None, Some(body)]) = row.bodies else { continue };
            let tree = forest.tree[body];
            let is_known = recovery.bounces.iter().any(|&(known, _)| known == tree);
            if is_known || !is_touched[tree] || !forest.has_joints(tree) {
                continue;
            }
            let is_own = |body: Option<usize>| body.is_some_and(|body| forest.tree[body] == tree);
            let stands = |contact: &Contact| {
                contact.bodies.contains(&None) && contact.velocity == DVec3::ZERO && contact.gap >= -rules.slop
            };
            let mut own = contacts.iter().filter(|contact| contact.bodies.into_iter().any(is_own));
            let bodies = forest.of_tree(tree);
            let is_driven = model.motors.iter().any(|motor| is_own(Some(model.joints[motor.joint].child)))
                || bodies.iter().any(|&body| wrenches[body] != [0.0; 6]);
            if !is_driven && own.all(stands) {
                recovery.bounces.push((tree, 0.0));
            }
        }
        if !recovery.bounces.is_empty() {
            mechanism.forest.order.iter().for_each(|&body| kept[body] = before.1[body]);
            rattle.project(mechanism, kept);
            for (tree, energy) in &mut recovery.bounces {
                *energy = kinetic_energy((mechanism, *tree), (&before.0, kept));
            }
        }
    }

    /// Takes the energy that these trees have got in the substep. `projects`: momenta are yet to be projected onto the joints, which
    /// may be factored at these poses.
    pub(super) fn keep_bounces_below(
        &mut self,
        mechanism: Mechanism<'_>,
        state: &mut State,
        rules: &Rules,
        [projects, is_factored]: [bool; 2],
    ) {
        if projects && !self.recovery.bounces.is_empty() {
            if !is_factored {
                self.rattle.factor(mechanism, &state.poses, &Joint::guide, rules.step);
            }
            self.rattle.project(mechanism, &mut state.momenta);
        }
        let gravity = rules.kick / rules.step;
        for &(tree, before) in &self.recovery.bounces {
            let fallen = |&body: &usize| {
                let way = state.poses[body].place() - self.before.0[body].place();
                mechanism.bodies[body].mass * gravity.dot(way)
            };
            let most = before + mechanism.forest.of_tree(tree).iter().map(fallen).sum::<f64>();
            slow_to(most.max(0.0), (mechanism, tree), state);
        }
    }
}

/// Kinetic energy of a tree, joules.
pub(super) fn kinetic_energy(
    (mechanism, tree): (Mechanism<'_>, usize),
    (poses, momenta): (&[Pose<f64>], &[Momentum<f64>]),
) -> f64 {
    let of = |&body: &usize| momenta[body].kinetic_energy(&mechanism.bodies[body], poses[body].turn());
    mechanism.forest.of_tree(tree).iter().map(of).sum()
}

/// Slows a tree down to a kinetic energy, joules.
pub(super) fn slow_to(most: f64, (mechanism, tree): (Mechanism<'_>, usize), state: &mut State) {
    let now = kinetic_energy((mechanism, tree), (&state.poses, &state.momenta));
    if now > most {
        let share = libm::sqrt(most / now);
        for &body in mechanism.forest.of_tree(tree) {
            state.momenta[body] = state.momenta[body].times(share);
        }
    }
}
