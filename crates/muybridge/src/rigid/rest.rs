//! Sleeping: trees of bodies in contact fall asleep together and wake together.
//!
//! A tree is at rest while no point of its bodies moves faster than the sleep threshold, and none speeds up. Bodies that
//! neither touch anything nor carry what does must also stay within a small distance: a pendulum at its turning point is
//! slow, but it does not stay. The others count for less if they are lighter than a quarter of the mean mass (`rest_weight`). What a motor turns
//! is never at rest.
//! Contacts join trees to groups. A group falls asleep once all of its trees have been at rest long enough. Its velocities
//! become zero, and it costs nothing until one of its trees wakes.
//! Specification: mathematics 3.15 (R17, J42), 9.1.

use glam::DVec3;

use super::forest::Forest;
use super::model::Model;
use super::motion::Momentum;
use super::row::Contact;
use super::settings::Settings;
use super::state::State;
use crate::math::rest_criterion::{SWINGS, rest_weight, speeds_up};

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

/// [`SWINGS`] for what touches nothing but is joined to what does: the raised arm of a ragdoll that lies down trembles.
const LEANS: f64 = 0.06;

/// Counts steps at rest and puts groups to sleep. `reaches` are the distances of their farthest points from the centers of
/// the bodies, meters.
pub fn look(
    state: &mut State,
    (model, forest): (&Model, &Forest),
    contacts: &[Contact],
    (settings, reaches): (&Settings, &[f64]),
) {
    let steps = settings.steps_to_rest();
    if steps == 0 {
        return;
    }
    let mut is_held = vec![false; model.bodies.len()];
    for body in contacts.iter().flat_map(|contact| contact.bodies).flatten() {
        // Its parents carry it, or it them.
        let mut carrier = Some(body);
        while let Some(body) = carrier.filter(|&body| !is_held[body]) {
            is_held[body] = true;
            carrier = forest.parent[body];
        }
    }
    let turning = model.motors.iter().filter(|motor| motor.drag > 0.0 && motor.rate != DVec3::ZERO);
    let mut driven: Vec<usize> = turning.map(|motor| forest.tree[model.joints[motor.joint].child]).collect();
    driven.sort_unstable();
    let farthest = settings.rest_speed * settings.time_step * f64::from(steps);
    for tree in 0..forest.trees {
        if state.asleep[tree].is_some() {
            continue;
        }
        let bodies = forest.of_tree(tree);
        let farthest = farthest * if bodies.iter().any(|&body| is_held[body]) { LEANS } else { SWINGS };
        let mean = bodies.iter().map(|&body| model.bodies[body].mass).sum::<f64>() / bodies.len() as f64;
        let rests = |&body: &usize| {
            let (of, pose, start) = (&model.bodies[body], &state.poses[body], &state.resting[body]);
            let (v, w) = state.momenta[body].velocities(of, pose.turn());
            let share = if is_held[body] { libm::sqrt(rest_weight(of.mass, mean)) } else { 1.0 };
            let reach = reaches[body];
            let turned = start.turn().conjugate() * pose.turn();
            let turned = 2.0 * DVec3::new(turned.x, turned.y, turned.z).length();
            let (speed, moved) =
                (v.length() + w.length() * reach, pose.place().distance(start.place()) + turned * reach);
            let seconds = settings.time_step * f64::from(state.rest[tree] + 1);
            let stays = if is_held[body] {
                state.rest[tree] + 1 < steps || !speeds_up(moved * share, seconds, speed * share)
            } else {
                moved < farthest
            };
            speed * share < settings.rest_speed && stays
        };
        if driven.binary_search(&tree).is_err() && bodies.iter().all(rests) {
            state.rest[tree] = state.rest[tree].saturating_add(1);
        } else {
            state.rest[tree] = 0;
            bodies.iter().for_each(|&body| state.resting[body] = state.poses[body]);
        }
    }
    let groups = groups(forest, contacts);
    let is_awake = |state: &State, tree: usize| state.asleep[tree].is_none();
    let mut falls_asleep: Vec<bool> = (0..forest.trees).map(|group| is_awake(state, group)).collect();
    for tree in 0..forest.trees {
        falls_asleep[groups[tree]] &= !is_awake(state, tree) || state.rest[tree] >= steps;
    }
    for tree in (0..forest.trees).filter(|&tree| falls_asleep[groups[tree]]) {
        state.asleep[tree] = Some(groups[tree]);
        state.rest[tree] = steps;
        for &body in forest.of_tree(tree) {
            state.momenta[body] = Momentum::ZERO;
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
