//! Sleeping: islands at rest do not move and cost no time.
//!
//! An island consists of particles connected by constraints. It sleeps when each particle has stayed within a distance
//! for the number of steps in the settings: the distance of the sleep threshold times that duration, and a part of it for
//! what touches nothing, since nothing stops a pendulum at its turning point. Its displacements are then zero. So jitter
//! on the spot is rest, and creep is not. In linkages of rigid bodies, touching bodies lighter than a quarter of the mean
//! count for less: a heavy body on a limb of a hundredth of its mass is not moved by the limb's jitter. What a motor
//! turns never sleeps. Islands sleep one by one: a creeping island on a heap keeps only the islands that it touches awake,
//! not the heap.
//!
//! ```text
//! a fast island may meet a sleeper    all that touch it or each other wake: a sleeper would reflect it like a wall
//! a slow island may meet a sleeper    that sleeper wakes for a while, and for longer if it is moved
//! ```
//! Specification: mathematics 3.15 (R17, J42).

use glam::DVec3;

use super::model::{Anchor, Model, Tetrahedron};
use super::point::{Direction, Point};
use super::settings::Settings;
use super::state::State;
use super::step::Fixed;
use crate::math::rest_criterion::{SWINGS, rest_weight};

/// Union-find forest of islands: each tree is an island, and its root the least of its particles.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Islands {
    parents: Vec<u32>,
}

impl Islands {
    /// Islands of the particles that the constraints of a model connect.
    pub(crate) fn of(model: &Model) -> Self {
        let mut islands = Self { parents: (0..model.positions.len() as u32).collect() };
        let mut join = |particles: &[usize]| {
            let mut movable = particles.iter().copied().filter(|&particle| model.masses[particle].is_finite());
            if let Some(first) = movable.next() {
                movable.for_each(|particle| islands.join(first, particle));
            }
        };
        model.distances.iter().for_each(|c| join(&c.particles));
        model.tetrahedra.iter().for_each(|c| join(&c.particles));
        model.orientations.iter().for_each(|c| join(&[c.first, c.second].concat()));
        model.angles.iter().for_each(|c| join(&c.particles));
        model.bends.iter().for_each(|c| join(&c.particles));
        model.volumes.iter().for_each(|c| join(&c.particles));
        for attachment in &model.attachments {
            match &attachment.b {
                Anchor::Point(b) => join(&[used(&attachment.a), used(b)].concat()),
                Anchor::Place(_) => join(&used(&attachment.a)),
            }
        }
        let mut join_axes = |axes: [&[Direction; 3]; 2]| {
            let particles: Vec<usize> = axes.into_iter().flatten().flat_map(|axis| axis.particles).collect();
            join(&particles);
        };
        model.swing_twists.iter().for_each(|c| join_axes([&c.a, &c.b]));
        model.hinges.iter().for_each(|c| join_axes([&c.a, &c.b]));
        islands.flatten();
        islands
    }

    /// Makes each of `count` an island of its own.
    pub(crate) fn part(&mut self, count: usize) {
        self.parents.clear();
        self.parents.extend(0..count as u32);
    }

    /// Island of a particle: the index of its least particle.
    pub fn island(&self, particle: usize) -> usize {
        let mut root = particle;
        while self.parents[root] as usize != root {
            root = self.parents[root] as usize;
        }
        root
    }

    /// Merges the islands of two particles.
    pub fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.shortened(a), self.shortened(b));
        let (least, other) = (a.min(b), a.max(b));
        self.parents[other] = least as u32;
    }

    /// Copies `other`, which has as many particles.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.parents.copy_from_slice(&other.parents);
    }

    /// Like [`Self::island`], with path halving.
    fn shortened(&mut self, particle: usize) -> usize {
        let mut root = particle;
        while self.parents[root] as usize != root {
            let above = self.parents[self.parents[root] as usize];
            self.parents[root] = above;
            root = above as usize;
        }
        root
    }

    /// Makes the root the direct parent of each particle.
    fn flatten(&mut self) {
        for particle in 0..self.parents.len() {
            self.parents[particle] = self.island(particle) as u32;
        }
    }
}

/// Particles of a point with a non-zero weight.
pub(crate) fn used(point: &Point) -> Vec<usize> {
    (0..4).filter(|&i| point.weights[i] != 0.0).map(|i| point.particles[i]).collect()
}

/// Whether a particle with this many steps at rest sleeps.
pub(crate) fn is_asleep(rested: u32, settings: &Settings) -> bool {
    is_long(rested, settings.steps_to_rest())
}

/// Whether `rested` steps at rest reach the `steps` before sleep; `steps` 0 means never.
pub(crate) fn is_long(rested: u32, steps: u32) -> bool {
    steps > 0 && rested >= steps
}

/// [`SWINGS`] for rigid bodies that touch nothing but are joined to what does: the raised arm of a ragdoll that lies down
/// trembles with it.
const LEANS: f64 = 0.16;

/// Speed in sleep thresholds above which an island wakes a whole heap, not only the islands it touches.
const FAST: f64 = 30.0;

/// Steps for which a sleeper touched by a slow island stays awake if it is not moved, and for which an island that moved
/// wakes others.
const DISTURBED: u32 = 10;

/// Weight of the squared displacement of each particle in the rest test: 1, or less for rigid bodies that are light in
/// their linkage.
pub(crate) fn counts_of(model: &Model, islands: &Islands) -> Vec<f64> {
    let mass = |body: &Tetrahedron| body.particles.iter().map(|&particle| model.masses[particle]).sum::<f64>();
    let island = |body: &Tetrahedron| islands.island(body.particles[0]);
    let mut sums = vec![(0.0, 0.0); model.positions.len()];
    for body in &model.tetrahedra {
        let (sum, bodies) = &mut sums[island(body)];
        (*sum, *bodies) = (*sum + mass(body), *bodies + 1.0);
    }
    let mut all = vec![1.0; model.positions.len()];
    for body in model.tetrahedra.iter().filter(|body| mass(body).is_finite()) {
        let (sum, bodies) = sums[island(body)];
        body.particles.iter().for_each(|&particle| all[particle] = rest_weight(mass(body), sum / bodies));
    }
    all
}

/// Islands that decide which particles wake others before a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IslandMeeting<'a> {
    /// Islands of particles connected by constraints.
    pub things: &'a Islands,
    /// Islands of particles connected by constraints or by possible contacts of the step.
    pub islands: &'a Islands,
}

/// Wakes islands that may meet moving ones in the coming step. `pairs` are particles of islands that may meet. Returns
/// whether any island woke.
pub(crate) fn wake_by_the_restless(
    IslandMeeting { things, islands }: IslandMeeting,
    pairs: impl Iterator<Item = [usize; 2]>,
    settings: &Settings,
    state: &mut State,
    is_fast: &mut [bool],
) -> bool {
    let steps = settings.steps_to_rest();
    if !state.rested.iter().any(|&rested| is_long(rested, steps)) {
        return false;
    }
    let fast = FAST * settings.rest_speed * state.last_substep;
    is_fast.fill(false);
    for particle in 0..state.rested.len() {
        // A number that is not finite counts as fast.
        let moved = (state.positions[particle] - state.previous[particle]).length_squared();
        let is_slow = state.rested[particle] > 0 || moved <= fast * fast;
        is_fast[islands.island(particle)] |= !is_slow;
    }
    let mut any_woke = false;
    for (particle, rested) in state.rested.iter_mut().enumerate() {
        if is_long(*rested, steps) && is_fast[islands.island(particle)] {
            *rested = 0;
            any_woke = true;
        }
    }
    // All particles of an island have the same count.
    let is_touched = is_fast;
    is_touched.fill(false);
    let mut any_touched = false;
    for pair in pairs {
        for [a, b] in [pair, [pair[1], pair[0]]] {
            if state.rested[a] < DISTURBED && is_long(state.rested[b], steps) {
                is_touched[things.island(b)] = true;
                any_touched = true;
            }
        }
    }
    if any_touched {
        for (particle, rested) in state.rested.iter_mut().enumerate() {
            if is_touched[things.island(particle)] {
                *rested = steps.saturating_sub(DISTURBED);
            }
        }
    }
    any_woke || any_touched
}

/// Counts the steps at rest and puts islands to sleep. `starts` holds the positions at the start of the step,
/// `restless` and `leaning` are scratch, one per particle.
pub(crate) fn count(
    Fixed { model, constants, settings }: Fixed,
    (starts, touched): (&[DVec3], &[bool]),
    seconds: f64,
    state: &mut State,
    [restless, leaning]: [&mut [bool]; 2],
) {
    let things = &constants.islands;
    leaning.fill(false);
    if !touched.iter().all(|&is_touched| is_touched) {
        for particle in (0..touched.len()).filter(|&particle| touched[particle]) {
            leaning[things.island(particle)] = true;
        }
    }
    let steps = settings.steps_to_rest();
    let farthest = settings.rest_speed * seconds * f64::from(steps.max(1));
    restless.fill(false);
    for drive in model.drives.iter().filter(|drive| drive.drag > 0.0 && drive.rate != DVec3::ZERO) {
        drive.b.iter().flat_map(|axis| axis.particles).for_each(|particle| restless[things.island(particle)] = true);
    }
    for (particle, start) in starts.iter().enumerate() {
        if state.rested[particle] == 0 {
            state.resting_at[particle] = *start;
        }
        let moved = (state.positions[particle] - state.resting_at[particle]).length_squared();
        // A number that is not finite is not at rest.
        let near = match touched[particle] {
            true => constants.counts[particle] * moved <= farthest * farthest,
            false => {
                let share =
                    if leaning[things.island(particle)] && constants.is_body[particle] { LEANS } else { SWINGS };
                moved <= (share * farthest) * (share * farthest)
            }
        };
        if !near {
            restless[things.island(particle)] = true;
        }
    }
    for particle in 0..starts.len() {
        let rested = &mut state.rested[particle];
        *rested = if restless[things.island(particle)] { 0 } else { rested.saturating_add(1) };
        if steps > 0 && *rested == steps {
            state.previous[particle] = state.positions[particle];
            state.earlier[particle] = state.positions[particle];
            state.rounding[particle] = DVec3::ZERO;
            // It stays here. A sleeper has no contacts, so it counts as touching nothing from now on.
            state.resting_at[particle] = state.positions[particle];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::particles::Placement;
    use crate::particles::objects::Box3;
    use glam::DQuat;

    #[test]
    fn bodies_below_a_quarter_of_the_mean_count_by_their_mass() {
        let mut model = Model::default();
        for (place, mass) in [(0.0, 9.0), (1.0, 2.4), (2.0, 0.6), (5.0, 0.1)] {
            let placement = Placement::at(DVec3::X * place, DQuat::IDENTITY);
            Box3 { mass, ..Box3::new(DVec3::splat(0.2), placement) }.add_to(&mut model).expect("a box");
        }
        for [a, b] in [[0, 4], [4, 8]] {
            let b = Anchor::Point(Point::at(b));
            model.attachments.push(crate::particles::BallJoint { a: Point::at(a), b, compliance: 0.0 });
        }
        let counts = counts_of(&model, &Islands::of(&model));
        // The mean of the three connected bodies is 4 kg: 0.6 kg of 1 kg. The fourth body is alone.
        for (body, exact) in [1.0, 1.0, 0.6, 1.0].into_iter().enumerate() {
            assert!((counts[4 * body] - exact).abs() < 1e-12, "{counts:?}");
        }
    }
}
