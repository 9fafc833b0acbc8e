//! Energy limit of islands whose passes contradict each other: something is deep in something else, bodies are bent, or a hit
//! asks for many or gains energy.
//!
//! ```text
//! T = ½ Σ m ‖Δx + f‖²,  f = ½ h² a,           U = −2 Σ m f · y,  y the way without what mends overlaps
//! T ≤ E = T° + U° − U, ° as predicted; else Δx = V + s (Δx − V) with T(s) = E or the least T, 0 ≤ s ≤ 1
//! V = Σ m Δx / Σ m of a free island, otherwise 0
//! ```
//! A cloth with a box through it cannot come out and keep its lengths: the passes would throw both. An exact solution never
//! exceeds the limit: contacts, distances, joints and obstacles at rest do no work, a bounce gives back no more than came, and an
//! overlap is removed without speed. Islands that something moves are left alone. Specification: mathematics 3.2, 3.9.

use glam::DVec3;

use super::Fixed;
use crate::collision::Obstacle;
use crate::particles::contact::Other;
use crate::particles::model::Anchor;
use crate::particles::state::State;
use crate::particles::verlet::Stride;
use crate::particles::world::Scratch;

/// Depth that neither rest nor a hit leaves, meters.
pub(super) const DEEP: f64 = 0.002;

/// Energy that a hit gains, as a share of the kinetic energy before, which no rounding gives: a plate of 2 mm that lands on its edge
/// at 100 m/s gets through the ground in a substep.
const GAINS: f64 = 0.05;

/// Motion of an island in a substep, by its root.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LimitedIsland {
    /// Whether its passes contradict each other.
    is_troubled: bool,
    /// Whether things of it strike each other.
    is_struck: bool,
    /// Whether something moves it that may give it energy.
    is_worked_on: bool,
    /// Whether something that stands may change its momentum.
    is_held: bool,
    mass: f64,
    /// Kinetic energy as predicted, potential energy now less that predicted, times the square of the substep, kg m².
    predicted: f64,
    lifted: f64,
    /// Σ m Δx and Σ m f, kg m; ½ Σ m Δx², Σ m Δx · f and ½ Σ m f², kg m².
    momentum: DVec3,
    fall: DVec3,
    squares: [f64; 3],
}

/// Scales down the motion of these islands where they exceed their energy. `is_bent`: the islands of bodies that were
/// straightened are marked as broken.
pub(super) fn keep_below(
    fixed: Fixed,
    obstacles: &[Obstacle],
    state: &mut State,
    scratch: &mut Scratch,
    (h, is_bent, is_shifted): (f64, bool, bool),
) {
    measure(fixed, obstacles, state, scratch, (h, is_bent, is_shifted));
    let Scratch { limited, islands, inverse_masses, .. } = scratch;
    for particle in (0..state.positions.len()).filter(|&particle| inverse_masses[particle] > 0.0) {
        let Some((whole, share)) = limited[islands.island(particle)].share() else { continue };
        let moved = state.positions[particle] - state.previous[particle];
        let slowed = (moved - whole) * (1.0 - share);
        state.previous[particle] += slowed;
        // The way that it has lost was no motion in the velocity over two substeps, either.
        state.earlier[particle] += slowed;
    }
}

fn measure(
    Fixed { model, constants, settings }: Fixed,
    obstacles: &[Obstacle],
    state: &State,
    scratch: &mut Scratch,
    (h, is_bent, is_shifted): (f64, bool, bool),
) {
    let Scratch {
        limited,
        islands,
        contacts,
        inverse_masses,
        in_lanes,
        unmoved,
        recovered,
        damping,
        broken,
        struck,
        resists,
        ..
    } = scratch;
    limited.clear();
    limited.resize(state.positions.len(), LimitedIsland::default());
    let moves = |it: &Obstacle| it.velocity != DVec3::ZERO || it.spin != DVec3::ZERO;
    let carrier = |surface: usize| constants.of_surfaces[surface];
    for (surface, other, depth) in contacts.depths() {
        let (obstacle, second) = match other {
            Other::Obstacle(index) => (Some(index), None),
            Other::Surface(surface) => (None, carrier(surface)),
        };
        for particle in carrier(surface).into_iter().chain(second) {
            let island = &mut limited[islands.island(particle)];
            island.is_troubled |= depth > DEEP;
            island.is_held |= obstacle.is_some();
            island.is_worked_on |= obstacle.is_some_and(|index| obstacles.get(index).is_none_or(moves));
        }
    }
    let (gravity, stride) = (settings.acceleration(), Stride::new(h, state.span - h));
    for particle in (0..state.positions.len()).filter(|&particle| !in_lanes[particle]) {
        let island = &mut limited[islands.island(particle)];
        let (moved, mass) = (state.positions[particle] - state.previous[particle], model.masses[particle]);
        if inverse_masses[particle] <= 0.0 {
            island.is_held = true;
            island.is_worked_on |= moved != DVec3::ZERO;
            continue;
        }
        let acceleration = gravity + state.forces[particle] * constants.inverse_masses[particle];
        let last = unmoved[particle] - state.earlier[particle];
        let predicted = stride.displacement(last, acceleration, damping[particle]);
        island.is_troubled |= is_bent && broken[constants.islands.island(particle)].is;
        island.is_struck |= struck[islands.island(particle)];
        island.is_troubled |= island.is_struck && *resists;
        let fall = 0.5 * h * h * acceleration;
        let way = state.positions[particle] - unmoved[particle];
        let way = if is_shifted { way - recovered[particle] } else { way };
        island.mass += mass;
        island.predicted += 0.5 * mass * (predicted + fall).length_squared();
        island.lifted += 2.0 * mass * fall.dot(predicted - way);
        island.momentum += moved * mass;
        island.fall += fall * mass;
        let squares = [0.5 * moved.length_squared(), moved.dot(fall), 0.5 * fall.length_squared()];
        island.squares.iter_mut().zip(squares).for_each(|(sum, square)| *sum += mass * square);
    }
    let root = |particle: usize| islands.island(particle);
    model.planes.iter().for_each(|plane| limited[root(plane.particle)].is_held = true);
    let in_world = model.attachments.iter().filter(|it| matches!(it.b, Anchor::Place(_)));
    in_world.for_each(|it| limited[root(it.a.particles[0])].is_held = true);
    state.drags.iter().for_each(|drag| limited[root(drag.point.particles[0])].is_worked_on = true);
    let driven = model.drives.iter().filter(|drive| drive.is_on());
    driven.for_each(|drive| limited[root(drive.a[0].particles[0])].is_worked_on = true);
}

impl LimitedIsland {
    /// Displacement of the whole, and the share of the rest that leaves it its energy; `None` if it has no more.
    fn share(&self) -> Option<(DVec3, f64)> {
        let [moved, both, fallen] = self.squares;
        let (most, energy) = (self.predicted - self.lifted, moved + both + fallen);
        let is_wrong = self.is_troubled || self.is_struck && energy > most + GAINS * self.predicted;
        if !is_wrong || self.is_worked_on || energy <= most {
            return None;
        }
        let whole = if self.is_held { DVec3::ZERO } else { self.momentum / self.mass };
        let [of_whole, whole_and_fall] = [0.5 * self.momentum, self.fall].map(|it| it.dot(whole));
        let (a, b, c) = (moved - of_whole, both - whole_and_fall, fallen + of_whole + whole_and_fall - most);
        let share = (-b + (b * b - 4.0 * a * c).max(0.0).sqrt()) / (2.0 * a);
        share.is_finite().then(|| (whole, share.clamp(0.0, 1.0)))
    }
}
