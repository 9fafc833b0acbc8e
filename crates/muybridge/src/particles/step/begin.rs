//! What a step begins with: who may move, what drag leaves, where everything was, what may meet.

use glam::DVec3;

use super::Fixed;
use crate::collision::Obstacle;
use crate::collision::query::bounds;
use crate::particles::contact::{Ahead, Motion};
use crate::particles::sleep;
use crate::particles::state::State;
use crate::particles::world::{Prepared, Scratch};

pub(super) fn begin(fixed: Fixed, obstacles: &[Obstacle], state: &mut State, scratch: &mut Scratch, seconds: f64) {
    let Fixed { model, constants, settings } = fixed;
    let h = seconds / f64::from(settings.substeps_taken());
    scratch.starts.copy_from_slice(&state.positions);
    for obstacle in obstacles.iter().filter(|obstacle| obstacle.velocity != DVec3::ZERO || obstacle.spin != DVec3::ZERO)
    {
        wake_near(fixed, obstacle, state, scratch, seconds);
    }
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

/// Wakes the islands that an obstacle that moves may come near to during the step.
fn wake_near(fixed: Fixed, obstacle: &Obstacle, state: &mut State, scratch: &mut Scratch, seconds: f64) {
    let size = bounds(&obstacle.shape).map(|bounds| bounds.least.abs().max(bounds.most.abs()).length());
    let reach = size.unwrap_or(f64::INFINITY) + obstacle.velocity.length() * seconds + FARTHEST_SKIN;
    let islands = &fixed.constants.islands;
    scratch.restless.fill(false);
    for (particle, position) in state.positions.iter().enumerate() {
        let near = position.distance_squared(obstacle.position) <= reach * reach;
        scratch.restless[islands.island(particle)] |= near;
    }
    for (particle, rested) in state.rested.iter_mut().enumerate() {
        if scratch.restless[islands.island(particle)] {
            *rested = 0;
        }
    }
}

/// The skin of a surface is hardly ever farther than this from the nearest of its particles, metres.
const FARTHEST_SKIN: f64 = 0.5;

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
