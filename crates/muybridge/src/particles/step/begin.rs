//! What a step begins with: who may move, what drag leaves, where everything was.

use crate::particles::model::Model;
use crate::particles::settings::Settings;
use crate::particles::sleep;
use crate::particles::state::State;
use crate::particles::world::{Constants, Prepared, Scratch};

pub(super) fn begin(
    model: &Model,
    constants: &Constants,
    settings: &Settings,
    state: &State,
    scratch: &mut Scratch,
    h: f64,
) {
    scratch.starts.copy_from_slice(&state.positions);
    scratch.islands.copy_from(&constants.islands);
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
}
