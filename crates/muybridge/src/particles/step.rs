//! One step of a world: the stages in order.
//!
//! ```text
//! begin         inverse masses, start positions; broad phase; number of substeps      contact
//! for each substep of h seconds:
//!   predict     Verlet by h; pinned particles move to their pins, obstacles move      verlet
//!   hit         free bodies hit each other on their ways                              contact
//!   touch       narrow phase                                                          contact
//!   relax       passes over the constraints and contacts                              relaxation
//!   straighten  deformed bodies; islands that the passes did not keep together        guard
//!   ceiling     energy limit of ragdolls in contact                                   ceiling
//!   bounce      restitution                                                           contact
//! ragdolls      those in lanes, by a whole step                                     herd/of_world
//! proxies       bodies of another world that met nothing, by a whole step          proxies
//! sheets        cloth in lanes, by a whole step                                     cloth_lanes
//! finish        clears forces (J3), puts islands at rest to sleep                    sleep
//! ```
//! Specification: mathematics 3.2, 3.9, 9.1.

pub(crate) mod angular;
mod begin;
pub(crate) mod bodies;
pub(crate) mod ceiling;
pub(crate) mod energy_limit;
pub(crate) mod free_cloth;
pub(crate) mod guard;
pub(crate) mod substep;

use glam::DVec3;

use super::contact::{Ahead, FlightScene, JoinedIslands, Ways};
use super::measures::Report;
use super::model::Model;
use super::relaxation;
use super::settings::Settings;
use super::sleep;
use super::state::State;
use super::verlet::Stride;
use super::world::{Constants, Scratch};
use crate::collision::Obstacle;
use substep::Substep;

/// Advances the state by `seconds`, a positive number. The lists of `state` must fit the model.
pub(crate) fn step(fixed: Fixed, obstacles: &mut [Obstacle], state: &mut State, scratch: &mut Scratch, seconds: f64) {
    let constants = fixed.constants;
    let (work, last_substep) = (scratch.work, state.last_substep);
    scratch.report = Report::default();
    let substeps = begin::begin(fixed, obstacles, state, scratch, seconds);
    let h = seconds / f64::from(substeps);
    let own = fixed.model.proxy_particles()..state.positions.len();
    let is_lane = |&it: &usize| scratch.in_lanes[it] && !sleep::is_asleep(state.rested[it], fixed.settings);
    scratch.report.in_lanes = own.filter(is_lane).count() as u64;
    if last_substep > 0.0 && h != last_substep {
        scratch.contacts.rescale((h / last_substep).powi(2));
    }
    scratch.work += scratch.ragdolls.step(fixed, state, seconds);
    if is_at_rest(state, scratch) {
        rest(obstacles, state, scratch, (h, substeps));
    } else {
        scratch.report.substeps = substeps;
        for substep in 1..=substeps {
            let [part, done] = [1, substep].map(|count| f64::from(count) / f64::from(substeps));
            scratch.proxies.push(fixed, state, [part, done]);
            take_substep(fixed, obstacles, state, scratch, (h, [part, done]));
        }
    }
    scratch.proxies.arrive(state);
    scratch.ragdolls.store(fixed, state, seconds);
    scratch.ragdolls.weigh(constants, &mut scratch.inverse_masses);
    scratch.report.corrections = scratch.work - work;
    scratch.report.substeps = scratch.report.substeps.max(scratch.ragdolls.substeps());
    let Scratch { sheets, starts, inverse_masses, proxies, report, .. } = &mut *scratch;
    let bodies = (&**starts, &**inverse_masses, &mut proxies.given[..]);
    sheets.step(fixed, obstacles, state, bodies, [seconds, last_substep], report);
    state.forces.fill(DVec3::ZERO);
    scratch.touched.copy_from_slice(&scratch.in_lanes);
    scratch.sheets.unmark_apart(&mut scratch.touched);
    scratch.contacts.mark_touched(&mut scratch.touched);
    let Scratch { starts, touched, leaning, restless, .. } = &mut *scratch;
    sleep::count(fixed, (starts, touched), seconds, state, [restless, leaning]);
    state.steps += 1;
}

fn take_substep(
    fixed: Fixed,
    obstacles: &mut [Obstacle],
    state: &mut State,
    scratch: &mut Scratch,
    (h, [part, done]): (f64, [f64; 2]),
) {
    let Fixed { constants, settings, .. } = fixed;
    scratch.unmoved.copy_from_slice(&state.positions);
    predict(constants, settings, state, scratch, h, done);
    hit(fixed, obstacles, state, scratch, [h, h * (1.0 - done + part) / part]);
    scratch.proxies.predicted(state);
    scratch.free_cloths.predicted(fixed, state);
    ceiling::predicted(fixed, state, scratch);
    obstacles.iter_mut().for_each(|obstacle| obstacle.advance(h));
    let Scratch { contacts, inverse_masses, .. } = scratch;
    let gravity = settings.acceleration();
    contacts.prepare(obstacles, &mut state.positions, &mut state.previous, inverse_masses, (gravity, h));
    let is_recovering = scratch.contacts.deepest() > 0.0;
    scratch.report.pairs += scratch.contacts.pairs() as u64;
    scratch.report.contacts += scratch.contacts.count() as u64;
    let may_be_bent = relaxation::relax(&mut Substep::new(fixed, state, scratch, h, done));
    let put_back = guard::put_back(fixed, state, scratch, h);
    let is_bent = (may_be_bent || put_back > 0) && guard::straighten(fixed, state, scratch, h);
    scratch.report.put_back += put_back;
    ceiling::keep_below(fixed, obstacles, state, scratch);
    let is_shifted = is_recovering || is_bent || put_back > 0;
    if is_shifted {
        for particle in 0..state.previous.len() {
            let moves = scratch.inverse_masses[particle] > 0.0;
            let shift = state.previous[particle] - scratch.unmoved[particle];
            scratch.recovered[particle] = if moves { shift } else { DVec3::ZERO };
        }
    }
    let joined = JoinedIslands { islands: &constants.islands, hangs: &constants.hangs };
    scratch.contacts.restitution(joined, &state.positions, &mut state.previous, (gravity, h));
    if !fixed.model.proxies.is_empty() {
        let Scratch { contacts, touched, proxies, .. } = &mut *scratch;
        touched.fill(false);
        contacts.mark_touched(touched);
        proxies.mark_felt(touched);
    }
    scratch.free_cloths.keep_spin(fixed, &scratch.proxies, state);
    if is_bent || scratch.contacts.deepest() > energy_limit::DEEP || scratch.struck.contains(&true) {
        energy_limit::keep_below(fixed, obstacles, state, scratch, (h, is_bent, is_shifted));
    }
    if is_shifted {
        // Overlaps and bent bodies are mended without speed, also in the velocity over two substeps.
        state.earlier.iter_mut().zip(&scratch.recovered).for_each(|(earlier, shift)| *earlier += *shift);
    }
    scratch.proxies.count(fixed.model, state, (h, 1.0 - done + part));
}

/// Whether nothing moves in the substeps: every particle sleeps, is immovable, or is stepped in lanes.
pub(crate) fn is_at_rest(state: &State, scratch: &Scratch) -> bool {
    let moves = |particle: usize| {
        scratch.inverse_masses[particle] > 0.0 || (state.pins[particle].is_some() && !scratch.in_lanes[particle])
    };
    !(0..state.positions.len()).any(moves)
}

/// The substeps of a world in which nothing moves but obstacles.
fn rest(obstacles: &mut [Obstacle], state: &mut State, scratch: &mut Scratch, (h, substeps): (f64, u32)) {
    for obstacle in obstacles.iter_mut().filter(|it| it.velocity != DVec3::ZERO || it.spin != DVec3::ZERO) {
        (0..substeps).for_each(|_| obstacle.advance(h));
    }
    for particle in (0..state.positions.len()).filter(|&particle| !scratch.in_lanes[particle]) {
        state.earlier[particle] = if substeps > 1 { state.positions[particle] } else { state.previous[particle] };
        state.previous[particle] = state.positions[particle];
    }
    state.span = if substeps > 1 { h } else { state.last_substep } + h;
    state.last_substep = h;
    let Scratch { contacts, inverse_masses, .. } = scratch;
    contacts.prepare(obstacles, &mut state.positions, &mut state.previous, inverse_masses, (DVec3::ZERO, h));
}

/// Inputs that are constant during a step.
#[derive(Clone, Copy)]
pub(crate) struct Fixed<'a> {
    pub model: &'a Model,
    pub constants: &'a Constants,
    pub settings: &'a Settings,
}

/// Verlet prediction (3.1.2) of free particles. Pinned particles move to their pins in a straight line, and arrive when
/// `done` is 1.
fn predict(constants: &Constants, settings: &Settings, state: &mut State, scratch: &Scratch, h: f64, done: f64) {
    let (gravity, stride) = (settings.acceleration(), Stride::new(h, state.last_substep));
    for particle in (0..state.positions.len()).filter(|&particle| !scratch.in_lanes[particle]) {
        let (before, now) = (state.previous[particle], state.positions[particle]);
        state.earlier[particle] = before;
        state.previous[particle] = now;
        if scratch.inverse_masses[particle] > 0.0 {
            let acceleration = gravity + state.forces[particle] * constants.inverse_masses[particle];
            let last = (now - before) + state.rounding[particle];
            let displacement = stride.displacement(last, acceleration, scratch.damping[particle]);
            state.positions[particle] = now + displacement;
            state.rounding[particle] = displacement - (state.positions[particle] - now);
        } else if let Some(place) = state.pins[particle] {
            let start = scratch.starts[particle];
            state.positions[particle] = if done < 1.0 { start + (place - start) * done } else { place };
        }
    }
    state.span = state.last_substep + h;
    state.last_substep = h;
}

/// Hits between bodies without joints; `left` are the seconds until the step ends.
fn hit(fixed: Fixed, obstacles: &[Obstacle], state: &mut State, scratch: &mut Scratch, [h, left]: [f64; 2]) {
    let gravity = fixed.settings.acceleration();
    let State { earlier, previous, positions, span, .. } = state;
    let Scratch { contacts, inverse_masses, in_lanes, .. } = scratch;
    let mut ways = Ways { earlier, previous, positions, before: (*span - h) / h };
    let scene = FlightScene { is_free: &fixed.constants.is_free, inverse_masses, fall: gravity * (h * h) };
    let ahead = Ahead { seconds: left, last_substep: h, gravity };
    let hits = contacts.hit(obstacles, &mut ways, (scene, h), (&ahead, in_lanes));
    if hits > 0 {
        scratch.work += hits;
        scratch.unmoved.copy_from_slice(&state.previous);
    }
}
