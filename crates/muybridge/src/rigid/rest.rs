//! Sleeping: trees of bodies in contact fall asleep together and wake together.
//!
//! A tree is at rest while none of its bodies moves faster than the sleep threshold; bodies lighter than a quarter of
//! the mean mass count for less (`rest_weight`). Contacts join trees to groups. A group falls asleep once all of its trees
//! have been at rest long enough. Its velocities become zero, and it costs nothing until one of its trees wakes.
//! Specification: mathematics 3.15 (R17, J42), 9.1.

use super::forest::Forest;
use super::model::Model;
use super::motion::Momentum;
use super::row::Contact;
use super::settings::Settings;
use super::state::State;
use crate::math::rest_criterion::rest_weight;

/// Angular sleep threshold in rad/s per linear threshold in m/s.
const TURNS: f64 = 10.0;

/// Wakes a tree and the trees that sleep with it.
pub fn wake(state: &mut State, tree: usize) {
    state.rest[tree] = 0;
    let Some(group) = state.asleep[tree] else { return };
    for other in 0..state.asleep.len() {
        if state.asleep[other] == Some(group) {
            state.asleep[other] = None;
            state.rest[other] = 0;
        }
    }
}

/// Wakes sleeping trees whose rest counter was reset by a new velocity.
pub fn settle_what_woke(state: &mut State) {
    for tree in 0..state.asleep.len() {
        if state.asleep[tree].is_some() && state.rest[tree] == 0 {
            wake(state, tree);
        }
    }
}

/// Counts steps at rest and puts groups to sleep.
pub fn look(state: &mut State, model: &Model, forest: &Forest, contacts: &[Contact], settings: &Settings) {
    let steps = settings.steps_to_rest();
    if steps == 0 {
        return;
    }
    for tree in 0..forest.trees {
        if state.asleep[tree].is_some() {
            continue;
        }
        let bodies = forest.of_tree(tree);
        let mean = bodies.iter().map(|&body| model.bodies[body].mass).sum::<f64>() / bodies.len() as f64;
        let is_slow = |&body: &usize| {
            let of = &model.bodies[body];
            let (v, w) = state.momenta[body].velocities(of, state.poses[body].turn());
            let share = libm::sqrt(rest_weight(of.mass, mean));
            v.length() * share < settings.rest_speed && w.length() * share < TURNS * settings.rest_speed
        };
        state.rest[tree] = if bodies.iter().all(is_slow) { state.rest[tree].saturating_add(1) } else { 0 };
    }
    let groups = groups(forest, contacts);
    for tree in 0..forest.trees {
        if groups[tree] != tree || state.asleep[tree].is_some() {
            continue;
        }
        let members = || (0..forest.trees).filter(|&other| groups[other] == tree);
        if members().all(|other| state.asleep[other].is_some() || state.rest[other] >= steps) {
            for other in members() {
                state.asleep[other] = Some(tree);
                state.rest[other] = steps;
                for &body in forest.of_tree(other) {
                    state.momenta[body] = Momentum::ZERO;
                }
            }
        }
    }
}

/// Group of each tree: the smallest index among the trees in contact, directly or through others.
fn groups(forest: &Forest, contacts: &[Contact]) -> Vec<usize> {
    let mut group: Vec<usize> = (0..forest.trees).collect();
    let root = |group: &[usize], mut tree: usize| {
        while group[tree] != tree {
            tree = group[tree];
        }
        tree
    };
    for contact in contacts {
        let [Some(a), Some(b)] = contact.bodies else { continue };
        let (a, b) = (root(&group, forest.tree[a]), root(&group, forest.tree[b]));
        let least = a.min(b);
        group[a.max(b)] = least;
    }
    (0..forest.trees).map(|tree| root(&group, tree)).collect()
}
