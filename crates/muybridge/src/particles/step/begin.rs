//! What a step begins with: who may move, what drag leaves, where everything was, what may meet.

use super::Fixed;
use crate::collision::Obstacle;
use crate::particles::contact::{Ahead, Motion};
use crate::particles::sleep;
use crate::particles::state::State;
use crate::particles::world::{Prepared, Scratch};

pub(super) fn begin(fixed: Fixed, obstacles: &[Obstacle], state: &mut State, scratch: &mut Scratch, seconds: f64) {
    let Fixed { model, constants, settings } = fixed;
    let h = seconds / f64::from(settings.substeps_taken());
    scratch.starts.copy_from_slice(&state.positions);
    for (particle, weight) in scratch.inverse_masses.iter_mut().enumerate() {
        let held = state.pins[particle].is_some() || sleep::is_asleep(state.rested[particle], settings);
        *weight = if held { 0.0 } else { constants.inverse_masses[particle] };
    }
    if scratch.prepared.is_outdated(&state.pins) {
        scratch.prepared = Prepared::of(model, &constants.islands, &state.pins);
    }
    for object in &model.objects {
        scratch.kept[object.particles.clone()].fill(libm::exp(-object.drag * h));
    }
    for (drag, pulled) in state.drags.iter().zip(&mut scratch.drags) {
        pulled[0] = drag.point.position(&state.positions);
    }
    find(fixed, obstacles, state, scratch, seconds);
}

/// What may meet in this step; it makes islands of what can.
fn find(fixed: Fixed, obstacles: &[Obstacle], state: &State, scratch: &mut Scratch, seconds: f64) {
    let Scratch { contacts, islands, inverse_masses, .. } = scratch;
    let motion = Motion { positions: &state.positions, previous: &state.previous, inverse_masses };
    let gravity = fixed.settings.acceleration();
    contacts.find(obstacles, &motion, &Ahead { seconds, last_substep: state.last_substep, gravity });
    islands.copy_from(&fixed.constants.islands);
    for [a, b] in contacts.may_meet() {
        if let [Some(a), Some(b)] = [a, b].map(|surface| fixed.constants.of_surfaces[surface]) {
            islands.join(a, b);
        }
    }
}
