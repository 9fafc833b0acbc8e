//! What a substep broke is put back: an island goes on as one piece where its constraints did not hold it together.
//!
//! ```text
//! broken     a rigid body of it has an edge whose squared length is off by more than 0.3 of what it is at rest, or not a number
//! put back   x_i = x_i° + D,   x_i* = x_i − V,   D = Σ m (x − x°) / Σ m,   V = Σ m (x − x*) / Σ m
//!            the momentum stays, and the way that contacts took the island apart from others; what moved within it is lost.
//!            Where V is beyond belief it is that of the last substep
//! ```
//! Where things begin deep inside each other, or fly apart at tens of metres per second, few substeps are not enough: passes then
//! lead away from the solution, and the next substep begins with what they left. Energy is never gained by this.
//! `°` is where things were before the substep, `*` the same after contacts took old overlaps apart. What is pinned stays, and so does
//! its island. Specification: mathematics 3.2, 3.9.

use glam::DVec3;

use super::Fixed;
use super::bodies::FAR;
use crate::particles::settings::Mode;
use crate::particles::state::State;
use crate::particles::tetrahedron::EDGES;
use crate::particles::world::Scratch;

/// An island that may have to be put back, with sums over its particles.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Broken {
    is: bool,
    is_pinned: bool,
    mass: f64,
    /// Momentum times the length of the substep.
    moved: DVec3,
    /// The same of the last substep.
    moved_before: DVec3,
    /// Mass times the way by which contacts took it apart from others.
    shifted: DVec3,
}

/// Puts back what a substep of `h` seconds broke; the number of islands.
pub(super) fn put_back(fixed: Fixed, state: &mut State, scratch: &mut Scratch, h: f64) -> u32 {
    let Fixed { model, constants, settings } = fixed;
    if !matches!(settings.mode, Mode::Shake | Mode::Xpbd) {
        return 0;
    }
    let mut any = false;
    for body in &model.tetrahedra {
        let first = body.particles[0];
        if scratch.inverse_masses[first] > 0.0 && is_broken(body.particles, &body.rest, &state.positions) {
            if !core::mem::replace(&mut any, true) {
                scratch.broken.fill(Broken::default());
            }
            scratch.broken[constants.islands.island(first)].is = true;
        }
    }
    if !any {
        return 0;
    }
    for (particle, mass) in model.masses.iter().enumerate().filter(|(_, mass)| mass.is_finite()) {
        let island = &mut scratch.broken[constants.islands.island(particle)];
        let [now, before, earlier] = [&state.positions, &state.previous, &state.earlier].map(|list| list[particle]);
        island.is_pinned |= scratch.inverse_masses[particle] <= 0.0;
        island.mass += mass;
        island.moved += (now - before) * *mass;
        island.moved_before += (scratch.unmoved[particle] - earlier) * *mass;
        island.shifted += (before - scratch.unmoved[particle]) * *mass;
    }
    let whole = |island: &Broken| {
        if island.is_pinned {
            return [DVec3::ZERO; 2];
        }
        let [moved, before] = [island.moved, island.moved_before].map(|sum| sum / island.mass);
        // The sum of what cancels is no number to go by where its parts are without bounds.
        let is_sound = moved.is_finite() && moved.length() <= 2.0 * before.length() + SUDDEN * h;
        [if is_sound { moved } else { before }, island.shifted / island.mass]
    };
    for particle in 0..state.positions.len() {
        let island = &scratch.broken[constants.islands.island(particle)];
        if island.is && scratch.inverse_masses[particle] > 0.0 {
            let [moved, shifted] = whole(island);
            state.previous[particle] = scratch.unmoved[particle] + shifted;
            state.positions[particle] = state.previous[particle] + moved;
            state.rounding[particle] = DVec3::ZERO;
        }
    }
    scratch.broken.iter().filter(|island| island.is).count() as u32
}

/// Speed that contacts may give an island in a substep, m/s; more is not believed of what is broken.
const SUDDEN: f64 = 5.0;

fn is_broken(particles: [usize; 4], rest: &[DVec3; 4], positions: &[DVec3]) -> bool {
    EDGES.into_iter().any(|[a, b]| {
        let wanted = (rest[b] - rest[a]).length_squared();
        let is = (positions[particles[b]] - positions[particles[a]]).length_squared();
        let off = (is - wanted).abs();
        off.is_nan() || off > FAR * wanted
    })
}
