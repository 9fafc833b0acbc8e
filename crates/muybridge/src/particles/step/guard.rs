//! Recovery of islands: straightens deformed bodies after a substep, and restores an island that its constraints did
//! not hold together as one rigid piece.
//!
//! ```text
//! straight   x, x* += δ: passes over limits, bodies and joints for the island of a body with an edge error above
//!            0.3 %; the motion of the island is kept
//! broken     a rigid body has an edge whose squared length is more than twice its rest value, or not a number;
//!            smaller deformations are left to the passes
//! nowhere    a particle would be faster than light, or its position is not finite: in every mode, and also for soft
//!            objects
//! put back   x_i = x_i° + D,   x_i* = x_i − V,   D = Σ m (x − x°) / Σ m,   V = Σ m (x − x*) / Σ m
//!            the momentum and the separation by contacts are kept; the motion within the island is lost.
//!            An implausible V is replaced by that of the last substep, or by 0 if that is implausible too. After
//!            `nowhere` contacts start cold, because their impulses were part of the failure
//! mended     if the bodies of x° were deformed already: passes over limits, bodies and joints alone, then the island
//!            is moved out of planes as a whole, so that it does not break again in the next substep
//! ```
//! For objects that start deep inside each other, or fly apart at tens of meters per second, few substeps are not
//! enough: the passes diverge, and the next substep would start from their result. Recovery adds no energy, except by
//! the lift out of a plane. `°` marks positions before the substep, `*` the same after the correction of old overlaps.
//! Pinned particles stay, and so do their islands. Specification: mathematics 3.2, 3.9.

use glam::DVec3;

use super::Fixed;
use super::bodies;
use super::substep::Substep;
use crate::math::speed_limit::SPEED_OF_LIGHT;
use crate::particles::model::Tetrahedron;
use crate::particles::state::State;
use crate::particles::world::Scratch;

/// Recovery data of an island, with sums over its particles.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Broken {
    pub(super) is: bool,
    is_pinned: bool,
    mass: f64,
    /// Momentum times the substep, kg m.
    moved: DVec3,
    /// `moved` of the previous substep, kg m.
    moved_before: DVec3,
    /// Mass times the displacement by the correction of old overlaps, kg m.
    shifted: DVec3,
}

/// Restores islands that broke in a substep of `h` seconds; returns their number.
pub(super) fn put_back(fixed: Fixed, state: &mut State, scratch: &mut Scratch, h: f64) -> u32 {
    let is_held = fixed.settings.mode.has_multipliers();
    let is_torn = is_held && mark(fixed, state, scratch, is_torn);
    let is_nowhere = mark_nowhere(fixed, state, scratch, (h, is_torn));
    if !is_torn && !is_nowhere {
        return 0;
    }
    sum(fixed, state, scratch);
    for particle in 0..state.positions.len() {
        let island = &scratch.broken[fixed.constants.islands.island(particle)];
        if island.is && scratch.inverse_masses[particle] > 0.0 {
            state.previous[particle] = scratch.unmoved[particle] + island.whole(h)[1];
            state.positions[particle] = state.previous[particle];
            state.rounding[particle] = DVec3::ZERO;
        }
    }
    mend(fixed, state, scratch, h);
    lift(fixed, state, scratch);
    for particle in 0..state.positions.len() {
        let island = &scratch.broken[fixed.constants.islands.island(particle)];
        if island.is && scratch.inverse_masses[particle] > 0.0 {
            state.previous[particle] = state.positions[particle];
            state.positions[particle] += island.whole(h)[0];
        }
    }
    if is_nowhere {
        stay(fixed, state, scratch, h);
    }
    scratch.broken.iter().filter(|island| island.is).count() as u32
}

/// Stops particles with an impossible position at their start, and clears the contacts.
fn stay(fixed: Fixed, state: &mut State, scratch: &mut Scratch, h: f64) {
    scratch.contacts.forget();
    for particle in 0..state.positions.len() {
        let island = &scratch.broken[fixed.constants.islands.island(particle)];
        if !island.is || scratch.inverse_masses[particle] <= 0.0 {
            continue;
        }
        let start = scratch.unmoved[particle];
        if !(is_possible(state.positions[particle] - start, h) && is_possible(state.previous[particle] - start, h)) {
            (state.positions[particle], state.previous[particle]) = (start, start);
        }
        if !is_possible(state.earlier[particle] - start, h) {
            state.earlier[particle] = start;
        }
    }
}

/// Whether a displacement is possible in a substep of `h` seconds: below the speed of light.
#[inline(always)]
fn is_possible(way: DVec3, h: f64) -> bool {
    // NaN compares false.
    way.length_squared() <= (SPEED_OF_LIGHT * h) * (SPEED_OF_LIGHT * h)
}

impl Broken {
    /// Displacement of the whole island in this substep, and its displacement by contacts before.
    fn whole(&self, h: f64) -> [DVec3; 2] {
        if self.is_pinned {
            return [DVec3::ZERO; 2];
        }
        let [moved, before, shifted] = [self.moved, self.moved_before, self.shifted].map(|sum| sum / self.mass);
        let [before, shifted] = [before, shifted].map(|way| if is_possible(way, h) { way } else { DVec3::ZERO });
        // The sum of large terms that cancel is meaningless, so implausible values are replaced.
        let is_sound = is_possible(moved, h) && moved.length() <= 2.0 * before.length() + SUDDEN * h;
        [if is_sound { moved } else { before }, shifted]
    }
}

/// Marks the islands with a body that `is_broken`; returns whether there is one.
fn mark(
    fixed: Fixed,
    state: &State,
    scratch: &mut Scratch,
    is_broken: impl Fn(&Tetrahedron, &[DVec3]) -> bool,
) -> bool {
    let mut any = false;
    for body in &fixed.model.tetrahedra {
        let first = body.particles[0];
        if scratch.inverse_masses[first] > 0.0 && is_broken(body, &state.positions) {
            if !core::mem::replace(&mut any, true) {
                scratch.broken.fill(Broken::default());
            }
            scratch.broken[fixed.constants.islands.island(first)].is = true;
        }
    }
    any
}

/// Marks the islands with a particle that is faster than light or not finite; returns whether there is one. An
/// immovable particle with an invalid position goes back to its start. `is_torn`: some islands are marked already.
fn mark_nowhere(fixed: Fixed, state: &mut State, scratch: &mut Scratch, (h, is_torn): (f64, bool)) -> bool {
    let mut any = false;
    for (particle, &start) in scratch.unmoved.iter().enumerate() {
        let places = [state.positions[particle], state.previous[particle]];
        let moves = scratch.inverse_masses[particle] > 0.0;
        let is_sound = |place: DVec3| if moves { is_possible(place - start, h) } else { place.is_finite() };
        if places.into_iter().all(is_sound) {
            continue;
        }
        if !core::mem::replace(&mut any, true) && !is_torn {
            scratch.broken.fill(Broken::default());
        }
        if moves {
            scratch.broken[fixed.constants.islands.island(particle)].is = true;
        } else {
            (state.positions[particle], state.previous[particle]) = (start, start);
        }
    }
    any
}

/// Sums mass and displacements of each island.
fn sum(fixed: Fixed, state: &State, scratch: &mut Scratch) {
    let Fixed { model, constants, .. } = fixed;
    let here = |(particle, mass): &(usize, &f64)| mass.is_finite() && !scratch.in_lanes[*particle];
    for (particle, mass) in model.masses.iter().enumerate().filter(here) {
        let island = &mut scratch.broken[constants.islands.island(particle)];
        let [now, before, earlier] = [&state.positions, &state.previous, &state.earlier].map(|list| list[particle]);
        island.is_pinned |= scratch.inverse_masses[particle] <= 0.0;
        island.mass += mass;
        island.moved += (now - before) * *mass;
        island.moved_before += (scratch.unmoved[particle] - earlier) * *mass;
        island.shifted += (before - scratch.unmoved[particle]) * *mass;
    }
}

/// Restores the shape of deformed bodies, in positions and previous positions alike, so that no velocity results. If
/// left to the next substep, one percent of a limb's length would add tens of meters per second. Returns whether there are any;
/// their islands are marked as broken.
pub(super) fn straighten(fixed: Fixed, state: &mut State, scratch: &mut Scratch, h: f64) -> bool {
    let is_held = fixed.settings.mode.has_multipliers();
    if !is_held || !mark(fixed, state, scratch, |body, positions| is_bent(body, positions, BENT)) {
        return false;
    }
    scratch.bent.copy_from_slice(&state.positions);
    mend(fixed, state, scratch, h);
    for (particle, bent) in scratch.bent.iter().enumerate() {
        state.previous[particle] += state.positions[particle] - *bent;
    }
    true
}

/// Restores the shape of deformed bodies of the marked islands.
fn mend(fixed: Fixed, state: &mut State, scratch: &mut Scratch, h: f64) {
    let islands = &fixed.constants.islands;
    let broken = core::mem::take(&mut scratch.broken);
    let mut substep = Substep::new(fixed, state, scratch, h, 1.0);
    for _ in 0..PASSES {
        let mut any = false;
        bodies::limits_of(&mut substep, |particle| broken[islands.island(particle)].is);
        for (index, body) in fixed.model.tetrahedra.iter().enumerate() {
            if broken[islands.island(body.particles[0])].is && is_bent(body, substep.positions, STRAIGHT) {
                any = true;
                bodies::edge_by_edge(&mut substep, index);
            }
        }
        bodies::joints(&mut substep, |particle| broken[islands.island(particle)].is);
        if !any {
            break;
        }
    }
    scratch.broken = broken;
}

/// Moves broken islands as a whole out of their particles' planes, because lifting single particles may have broken
/// them.
fn lift(fixed: Fixed, state: &mut State, scratch: &Scratch) {
    let islands = &fixed.constants.islands;
    for plane in &fixed.model.planes {
        let island = islands.island(plane.particle);
        let depth = plane.offset - plane.normal.dot(state.positions[plane.particle]);
        if scratch.broken[island].is && !scratch.broken[island].is_pinned && depth > 0.0 {
            let lifted = (0..state.positions.len()).filter(|&particle| islands.island(particle) == island);
            lifted.for_each(|particle| state.positions[particle] += plane.normal * depth);
        }
    }
}

/// Relative edge error above which a body's island takes further passes and the body is straightened after the last.
pub(crate) const BENT: f64 = 0.003;

/// Greatest number of repair passes, and the relative edge error at which they end.
const PASSES: u32 = 20;
const STRAIGHT: f64 = 0.0005;

/// Greatest change of an island's speed by contacts in a substep, m/s; a broken island with more is implausible.
const SUDDEN: f64 = 5.0;

/// Whether an edge is longer than √2 times its rest length, or not a number.
fn is_torn(body: &Tetrahedron, positions: &[DVec3]) -> bool {
    let [now, rest] = squared_edges(body, positions);
    // NaN compares false.
    !(0..6).all(|edge| now[edge] <= 2.0 * rest[edge])
}

/// Whether an edge is off by more than `share` of its length (to first order), or not a number.
pub(crate) fn is_bent(body: &Tetrahedron, positions: &[DVec3], share: f64) -> bool {
    let [now, rest] = squared_edges(body, positions);
    !(0..6).all(|edge| (now[edge] - rest[edge]).abs() <= 2.0 * share * rest[edge])
}

/// Current and rest squared lengths of the six edges. Called for every body in every substep.
#[inline(always)]
fn squared_edges(body: &Tetrahedron, positions: &[DVec3]) -> [[f64; 6]; 2] {
    let squared = |[a, b, c, d]: [DVec3; 4]| [a - b, a - c, a - d, b - c, b - d, c - d].map(DVec3::length_squared);
    let [a, b, c, d] = body.particles;
    [squared([positions[a], positions[b], positions[c], positions[d]]), squared(body.rest)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::particles::objects::{Box3, Traits, particle};
    use crate::particles::settings::Mode;
    use crate::particles::{Model, Placement, Settings, World};
    use glam::DQuat;

    #[test]
    fn what_is_straightened_keeps_its_motion() {
        let placement = Placement::at(DVec3::Y, DQuat::IDENTITY);
        let mut model = Model::default();
        Box3 { mass: 3.0, ..Box3::new(DVec3::new(0.3, 0.1, 0.1), placement) }.add_to(&mut model).expect("a box");
        let mut world = World::new(model, Settings::default()).expect("a model");
        world.step();
        let World { model, constants, settings, state, scratch, .. } = &mut world;
        for (share, is_moved) in [(0.002, false), (0.02, true)] {
            for list in [&mut state.positions, &mut state.previous] {
                let away = (list[1] - list[0]) * share;
                list[1] += away;
            }
            let before = state.clone();
            let fixed = Fixed { model, constants, settings };
            straighten(fixed, state, scratch, settings.substep());
            assert_eq!(state.positions != before.positions, is_moved, "{share}");
            for particle in 0..4 {
                let way = |state: &State| state.positions[particle] - state.previous[particle];
                assert!((way(state) - way(&before)).length() < 1e-15, "{share}");
            }
            assert_eq!(is_bent(&model.tetrahedra[0], &state.positions, 0.0005), !is_moved);
        }
    }

    #[test]
    fn x14_what_would_be_faster_than_light_stays_where_it_was_and_all_else_goes_on() {
        for mode in [Mode::Shake, Mode::Xpbd, Mode::Jakobsen, Mode::Rosen] {
            let mut model = Model::default();
            particle(&mut model, DVec3::ZERO, DVec3::X * 1e12, 1.0);
            particle(&mut model, DVec3::Y, DVec3::X, 1.0);
            Traits::default().close(&mut model, 0);
            let settings = Settings { gravity: DVec3::ZERO, mode, ..Settings::default() };
            let mut world = World::new(model, settings).expect("a model");
            world.step();
            assert_eq!((world.state.positions[0], world.velocity(0)), (DVec3::ZERO, DVec3::ZERO), "{mode:?}");
            assert_eq!(world.report().put_back, 1, "it is told");
            assert!((world.state.positions[1].x * 60.0 - 1.0).abs() < 0.05, "{mode:?}: {}", world.state.positions[1]);
        }
    }
}
