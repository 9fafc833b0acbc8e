//! Islands at rest sleep: nothing of them moves and nothing is computed for them.
//!
//! An island is what hangs together by constraints and contacts. It sleeps when each of its particles has stayed, for as
//! many steps as the settings say, within the way that the rest speed takes in that time; then its displacements are zero.
//! So what trembles on the spot is at rest, and what creeps is not. What cannot move joins no islands.
//! Specification: mathematics 3.15 (R17, J42).

use glam::DVec3;

use super::model::{Anchor, Model};
use super::point::{Direction, Point};
use super::settings::Settings;
use super::state::State;

/// A forest in which each tree is an island, and its root the least of its particles.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Islands {
    parents: Vec<u32>,
}

impl Islands {
    /// The islands that the constraints of a model make.
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

    /// The island of a particle: its least particle.
    pub fn island(&self, particle: usize) -> usize {
        let mut root = particle;
        while self.parents[root] as usize != root {
            root = self.parents[root] as usize;
        }
        root
    }

    /// Makes one island of those of two particles.
    pub fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.shortened(a), self.shortened(b));
        let (least, other) = (a.min(b), a.max(b));
        self.parents[other] = least as u32;
    }

    /// Becomes equal to `other`, which has as many particles.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.parents.copy_from_slice(&other.parents);
    }

    /// As [`Self::island`], and halves the way there.
    fn shortened(&mut self, particle: usize) -> usize {
        let mut root = particle;
        while self.parents[root] as usize != root {
            let above = self.parents[self.parents[root] as usize];
            self.parents[root] = above;
            root = above as usize;
        }
        root
    }

    /// Each particle straight under its root.
    fn flatten(&mut self) {
        for particle in 0..self.parents.len() {
            self.parents[particle] = self.island(particle) as u32;
        }
    }
}

/// Particles of a point that count.
fn used(point: &Point) -> Vec<usize> {
    (0..4).filter(|&i| point.weights[i] != 0.0).map(|i| point.particles[i]).collect()
}

/// Whether a particle sleeps.
pub(crate) fn is_asleep(rested: u32, settings: &Settings) -> bool {
    settings.rest_steps > 0 && rested >= settings.rest_steps
}

/// Wakes what sleeps in one island with what is not at rest, before the step in which they may meet: a sleeper cannot be moved, and
/// would throw back what hits it like a wall. Whether anything was woken.
pub(crate) fn wake_with_the_restless(
    islands: &Islands,
    settings: &Settings,
    state: &mut State,
    restless: &mut [bool],
) -> bool {
    restless.fill(false);
    for (particle, &rested) in state.rested.iter().enumerate() {
        restless[islands.island(particle)] |= rested == 0;
    }
    let mut any_woke = false;
    for (particle, rested) in state.rested.iter_mut().enumerate() {
        if is_asleep(*rested, settings) && restless[islands.island(particle)] {
            *rested = 0;
            any_woke = true;
        }
    }
    any_woke
}

/// Counts the steps at rest, and lays to rest what has had enough of them. `starts` is where the particles were when the step
/// began, `restless` scratch, one per particle.
pub(crate) fn count(
    islands: &Islands,
    starts: &[DVec3],
    settings: &Settings,
    seconds: f64,
    state: &mut State,
    restless: &mut [bool],
) {
    let farthest = settings.rest_speed * seconds * f64::from(settings.rest_steps.max(1));
    restless.fill(false);
    for (particle, start) in starts.iter().enumerate() {
        if state.rested[particle] == 0 {
            state.resting_at[particle] = *start;
        }
        let moved = (state.positions[particle] - state.resting_at[particle]).length_squared();
        // What is not a number does not rest either.
        let near = moved <= farthest * farthest;
        restless[islands.island(particle)] |= !near;
    }
    for particle in 0..starts.len() {
        let rested = &mut state.rested[particle];
        *rested = if restless[islands.island(particle)] { 0 } else { rested.saturating_add(1) };
        if settings.rest_steps > 0 && *rested == settings.rest_steps {
            state.previous[particle] = state.positions[particle];
            state.earlier[particle] = state.positions[particle];
            state.rounding[particle] = DVec3::ZERO;
        }
    }
}
