//! Where obstacles are in a substep, and the contacts that bodies have there.

use super::{LONG_STEP, Mechanism, World, rules};
use crate::rigid::joint::Joint;
use crate::rigid::rest;
use crate::rigid::row::Contact;
use crate::rigid::settings::Method;

impl World {
    /// Places obstacles where they are `elapsed` seconds into the step.
    pub(super) fn place_obstacles(&mut self, elapsed: f64) {
        for (obstacle, start) in self.model.obstacles.iter_mut().zip(&self.scratch.places) {
            (obstacle.position, obstacle.rotation) = (start.position, start.rotation);
            obstacle.advance(elapsed);
        }
    }

    /// Finds the contacts of a substep of `h` seconds, `elapsed` seconds into the step, and the trees that stand by them. What is
    /// hit wakes: a sleeper would reflect it like a wall.
    pub(super) fn detect_contacts(&mut self, h: f64, elapsed: f64) {
        self.place_obstacles(elapsed);
        loop {
            self.find_contacts(h);
            let state = &mut self.state;
            if !(0..state.asleep.len()).any(|tree| state.asleep[tree].is_some() && state.rest[tree] == 0) {
                return;
            }
            rest::settle_what_woke(state);
            let (asleep, lanes) = (&self.state.asleep, &self.lanes);
            self.awake.leave_out(&self.forest, |tree| asleep[tree].is_some() || lanes.has(tree));
            let Self { model, settings, state, awake, scratch, .. } = self;
            scratch.touch.look(model, state, awake, (settings, settings.time_step));
            scratch.touch.keep_manifolds(model, state);
            let mechanism = Mechanism { bodies: &model.bodies, joints: &model.joints, forest: awake };
            scratch.drives.look(mechanism, model, &state.poses);
            (scratch.is_factored, scratch.is_solved) = (false, false);
        }
    }

    fn find_contacts(&mut self, h: f64) {
        let Self { model, settings, state, awake, scratch, .. } = self;
        let is_long = settings.time_step > LONG_STEP;
        scratch.touch.place(model, state);
        if is_long || scratch.touch.is_outrun(model, awake, h) {
            scratch.touch.look(model, state, awake, (settings, if is_long { h } else { settings.time_step }));
            scratch.touch.keep_manifolds(model, state);
        }
        scratch.contacts.clear();
        scratch.touch.contacts((model, settings), state, (awake, h), &mut scratch.contacts);
        scratch.report.pairs += scratch.touch.pairs() as u64;
        let mechanism = Mechanism { bodies: &model.bodies, joints: &model.joints, forest: awake };
        let is_jointed = |&body: &usize| awake.has(body) && awake.has_joints(awake.tree[body]);
        let may_bounce =
            |contact: &Contact| contact.restitution > 0.0 && contact.bodies.iter().flatten().any(is_jointed);
        if !matches!(settings.method, Method::Hennix(_)) && scratch.contacts.iter().any(may_bounce) {
            // What a joint holds may meet something too early if it moves off its circle.
            if !scratch.is_factored {
                scratch.rattle.factor(mechanism, &state.poses, &Joint::guide, h);
            }
            scratch.rattle.project(mechanism, &mut state.momenta);
        }
        scratch.mark_touched(mechanism, &model.motors, state, &rules(settings, h));
    }
}
