//! Trees of bodies in contact with something fixed, which get the whole impulse of forces before the drift.

use glam::DVec3;

use super::Scratch;
use super::impulses::STEEP;
use super::slide::is_still;
use crate::rigid::model::Motor;
use crate::rigid::rattle::Mechanism;
use crate::rigid::row::{Contact, Rules};
use crate::rigid::state::State;

impl Scratch {
    /// Marks trees in contact with an obstacle, with a tree attached to the world, or with another marked tree. Trees
    /// that touch only themselves or others in the air, or are yet to bounce, fall as if free.
    pub(super) fn mark_touched(&mut self, mechanism: Mechanism<'_>, motors: &[Motor], state: &State, rules: &Rules) {
        let tree = |body: Option<usize>| body.map(|body| mechanism.forest.tree[body]);
        self.is_touched.fill(false);
        for joint in mechanism.joints.iter().filter(|joint| joint.parent.is_none()) {
            self.is_touched[mechanism.forest.tree[joint.child]] = true;
        }
        loop {
            let mut is_new = false;
            for contact in &self.contacts {
                let [a, b] = contact.bodies.map(tree);
                let stands = [a, b].map(|tree| tree.is_none_or(|tree| self.is_touched[tree]));
                for (tree, other_stands) in [(a, stands[1]), (b, stands[0])] {
                    let is_new_to = |tree: usize| other_stands && !self.is_touched[tree];
                    if let Some(tree) = tree.filter(|&tree| is_new_to(tree))
                        && (contact.restitution == 0.0 || !is_yet_to_meet(contact, mechanism, state, rules))
                    {
                        (self.is_touched[tree], is_new) = (true, true);
                    }
                }
            }
            if !is_new {
                break;
            }
        }
        // A tree attached to the world without contacts swings, and keeps its energy, unless dry friction holds it.
        for joint in mechanism.joints.iter().filter(|joint| joint.parent.is_none()) {
            let hanging = mechanism.forest.tree[joint.child];
            let touches = |contact: &Contact| contact.bodies.iter().any(|&body| tree(body) == Some(hanging));
            let is_own = |motor: &&Motor| mechanism.forest.tree[mechanism.joints[motor.joint].child] == hanging;
            let rubs = motors.iter().filter(is_own).any(|motor| motor.friction > 0.0);
            let still = |&body: &usize| is_still(&mechanism.bodies[body], &state.poses[body], &state.momenta[body]);
            let is_held = rubs && mechanism.forest.of_tree(hanging).iter().all(still);
            let meets = |contact: &&Contact| !is_yet_to_meet(contact, mechanism, state, rules);
            self.is_touched[hanging] = is_held || self.contacts.iter().filter(meets).any(touches);
        }
    }
}

/// Whether the sides of a contact do not come together in this substep. What lies on something without restitution is within the slop.
fn is_yet_to_meet(contact: &Contact, mechanism: Mechanism<'_>, state: &State, rules: &Rules) -> bool {
    let [first, second] = [0, 1].map(|side: usize| {
        contact.bodies[side].map_or(DVec3::ZERO, |body| {
            let pose = &state.poses[body];
            let (v, w) = state.momenta[body].velocities(&mechanism.bodies[body], pose.turn());
            v + w.cross(contact.point_on(side) - pose.place())
        })
    });
    let along = rules.kick.dot(contact.normal);
    let falls = match contact.bodies {
        // A ceiling, from which gravity draws it away.
        [Some(_), None] if along > STEEP * rules.kick.length() => -along,
        [None, Some(_)] if along < -STEEP * rules.kick.length() => along,
        _ => rules.kick.length(),
    };
    let approach = (contact.velocity + second - first).dot(contact.normal) + falls;
    let margin = if contact.restitution == 0.0 { rules.slop } else { 0.0 };
    contact.gap - margin > approach * rules.step
}
