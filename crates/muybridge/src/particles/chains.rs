//! Chains of sticks, solved at once.
//!
//! ```text
//! chain     x₀ ─ x₁ ─ … ─ xₙ,   dᵢ = xᵢ₊₁ − xᵢ,   Cᵢ = ½ (dᵢ·dᵢ − rᵢ²),   impulses λᵢ along oᵢ
//! Newton    (wᵢ + wᵢ₊₁)(dᵢ·oᵢ) λᵢ − wᵢ (dᵢ·oᵢ₋₁) λᵢ₋₁ − wᵢ₊₁ (dᵢ·oᵢ₊₁) λᵢ₊₁ = Cᵢ      one line of a tridiagonal system
//! move      xᵢ += wᵢ (λᵢ oᵢ − λᵢ₋₁ oᵢ₋₁)
//! ```
//! o is the direction one substep before, as in (3.9.2), or d where a stick has turned far. One after
//! the other, n sticks take in the order of n² passes until a load at one end is felt at the other; solved together,
//! they take two or three iterations, for any load. A distance of two particles of a chain that its sticks imply, as a
//! rope's tethers, is met then. Specification: mathematics 3.9, 9.2.

use glam::DVec3;

use super::model::Model;
use super::settings::FREE_SUBSTEPS;
use super::sleep::Islands;
use super::state::State;
use super::step::Fixed;
use super::step::substep::Substep;

/// Least number of sticks of a chain.
const LEAST_STICKS: usize = 2;

/// Relative error at which a stick is met, of its length squared.
const MET: f64 = 1e-8;

/// Relative error beyond which sticks are solved one by one: Newton's method may not find a solution from there.
const FAR: f64 = 0.25;

/// Most iterations.
const MOST: u32 = 8;

/// Sticks from one end to the other.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Chain {
    /// Its particles, one more than sticks.
    pub particles: Vec<usize>,
    /// Indices of its sticks among the distances.
    pub sticks: Vec<usize>,
    /// Lengths of the sticks, meters.
    lengths: Vec<f64>,
    /// Distances that hold if the sticks do.
    pub implied: Vec<usize>,
    /// Whether it is long, does not touch itself, and nothing but its distances acts on its particles.
    is_alone: bool,
}

/// Chains of a model.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Chains {
    pub all: Vec<Chain>,
    /// Distances of no chain, in solving order.
    pub others: Vec<usize>,
}

/// Buffers of the solver.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    lines: Vec<Line>,
    kept: Vec<DVec3>,
}

/// A line of the system.
#[derive(Clone, Copy, Debug, Default)]
struct Line {
    /// Direction of the impulse.
    along: DVec3,
    stick: DVec3,
    error: f64,
    /// Coefficient of the next unknown, over the pivot.
    upper: f64,
    impulse: f64,
}

impl Chains {
    /// Finds the chains of a model, whose distances are to be solved in `order`: paths of rigid two-sided distances, of
    /// which no particle between the ends has another. Objects with a number of passes of their own have none.
    pub fn of(model: &Model, islands: &Islands, order: &[usize]) -> Self {
        let mut is_usual = vec![true; model.positions.len()];
        for object in model.objects.iter().filter(|object| object.iterations.is_some()) {
            is_usual[object.particles.clone()].fill(false);
        }
        let is_stick = |index: usize| {
            let distance = &model.distances[index];
            let is_rigid = distance.compliance == 0.0 && distance.share == 1.0 && distance.is_bilateral();
            is_rigid && distance.most > 0.0 && distance.particles.iter().all(|&particle| is_usual[particle])
        };
        let mut degrees = vec![0_u32; model.positions.len()];
        let mut of = vec![[usize::MAX; 2]; model.positions.len()];
        for index in (0..model.distances.len()).filter(|&index| is_stick(index)) {
            for particle in model.distances[index].particles {
                if let Some(place) = of[particle].get_mut(degrees[particle] as usize) {
                    *place = index;
                }
                degrees[particle] += 1;
            }
        }
        let mut is_taken = vec![false; model.distances.len()];
        let mut all = Vec::new();
        for start in 0..degrees.len() {
            for first in of[start].into_iter().take(degrees[start] as usize) {
                if degrees[start] != 2 && !is_taken[first] {
                    let chain = Chain::from(model, start, first, (&degrees, &of));
                    if chain.sticks.len() >= LEAST_STICKS {
                        chain.sticks.iter().for_each(|&stick| is_taken[stick] = true);
                        all.push(chain);
                    }
                }
            }
        }
        let mut place_of = vec![(usize::MAX, 0); degrees.len()];
        for (index, chain) in all.iter().enumerate() {
            for (place, &particle) in chain.particles.iter().enumerate() {
                place_of[particle] = (index, place);
            }
        }
        let ways: Vec<Vec<f64>> = all.iter().map(Chain::ways).collect();
        for (index, distance) in model.distances.iter().enumerate().filter(|(index, _)| !is_taken[*index]) {
            let [(one, from), (other, to)] = distance.particles.map(|particle| place_of[particle]);
            if one == other
                && let Some(chain) = all.get_mut(one)
            {
                let length = (ways[one][to] - ways[one][from]).abs();
                if distance.least == 0.0 && distance.most >= length * (1.0 - 1e-9) && distance.compliance == 0.0 {
                    chain.implied.push(index);
                }
            }
        }
        all.iter().flat_map(|chain| &chain.implied).for_each(|&index| is_taken[index] = true);
        let mut coils = vec![false; degrees.len()];
        for object in model.objects.iter().filter(|object| object.touches_itself) {
            coils[object.particles.clone()].fill(true);
        }
        let mut sizes = vec![0_usize; degrees.len()];
        (0..sizes.len()).for_each(|particle| sizes[islands.island(particle)] += 1);
        let Model { attachments, angles, bends, volumes, planes, .. } = model;
        let are_bare = attachments.is_empty() && [angles.len(), bends.len(), volumes.len(), planes.len()] == [0; 4];
        for chain in all.iter_mut().filter(|_| are_bare) {
            let movable = || chain.particles.iter().filter(|&&particle| model.masses[particle].is_finite());
            let is_island = movable().next().is_some_and(|&first| sizes[islands.island(first)] == movable().count());
            chain.is_alone = chain.sticks.len() >= LONG && is_island && !coils[chain.particles[0]];
        }
        let others = order.iter().copied().filter(|&index| !is_taken[index]).collect();
        Self { all, others }
    }
}

impl Chain {
    /// Length of the chain from its start to each of its particles, meters.
    fn ways(&self) -> Vec<f64> {
        let sums = self.lengths.iter().scan(0.0, |sum, length| {
            *sum += length;
            Some(*sum)
        });
        core::iter::once(0.0).chain(sums).collect()
    }

    /// The path from `start` along `stick`, to the first particle with other than two sticks.
    fn from(model: &Model, start: usize, mut stick: usize, (degrees, of): (&[u32], &[[usize; 2]])) -> Self {
        let (mut particles, mut sticks, mut lengths) = (vec![start], Vec::new(), Vec::new());
        let mut here = start;
        loop {
            let distance = &model.distances[stick];
            let [a, b] = distance.particles;
            here = if here == a { b } else { a };
            particles.push(here);
            sticks.push(stick);
            lengths.push(distance.most);
            if degrees[here] != 2 || here == start {
                return Self { particles, sticks, lengths, implied: Vec::new(), is_alone: false };
            }
            let [one, other] = of[here];
            stick = if stick == one { other } else { one };
        }
    }
}

/// Number of substeps of a step in which nothing moves but long chains of their own, under gravity alone; see
/// [`super::Settings::lanes`]. `None` if something else does.
///
/// A wave of the length of two sticks has the greatest angular frequency, ω² = 2 T (wᵢ + wᵢ₊₁)/r. The tension T is that of the
/// weight, and of a bend that runs along the chain, m v²/r.
pub(crate) fn substeps(fixed: Fixed, state: &State, inverse_masses: &[f64], seconds: f64) -> Option<u32> {
    let Fixed { model, constants, settings } = fixed;
    let moves = |&particle: &usize| inverse_masses[particle] > 0.0;
    let is_pushed = |particle: usize| state.forces[particle] != DVec3::ZERO;
    let mut alone = constants.chains.all.iter().filter(|chain| chain.is_alone).peekable();
    if alone.peek().is_none() || !settings.lanes || !state.drags.is_empty() {
        return None;
    }
    if (0..model.positions.len()).filter(moves).any(is_pushed) {
        return None;
    }
    let velocity = |particle: usize| (state.positions[particle] - state.previous[particle]) / state.last_substep;
    let gravity = settings.acceleration().length();
    let (mut count, mut fastest) = (0, 0.0_f64);
    for chain in alone {
        let moving = || chain.particles.iter().copied().filter(moves);
        let mass: f64 = moving().map(|particle| model.masses[particle]).sum();
        let mean = moving().map(|particle| velocity(particle) * model.masses[particle]).sum::<DVec3>() / mass;
        let (mut bend, mut softest) = (0.0_f64, 0.0_f64);
        for (ends, length) in chain.particles.windows(2).zip(&chain.lengths) {
            softest = softest.max((inverse_masses[ends[0]] + inverse_masses[ends[1]]) / length);
            for particle in ends.iter().copied().filter(moves) {
                bend = bend.max(model.masses[particle] * (velocity(particle) - mean).length_squared() / length);
            }
        }
        count += moving().count();
        fastest = fastest.max(2.0 * TENSION * (mass * gravity + bend) * softest);
    }
    let usual = f64::from(settings.substeps_taken());
    let wanted =
        libm::ceil(seconds * libm::sqrt(fastest)).clamp(usual.min(f64::from(FREE_SUBSTEPS)), MOST_TIMES * usual);
    (count > 0 && count == (0..model.positions.len()).filter(moves).count()).then_some(wanted as u32)
}

/// Least number of sticks of a chain that may take fewer substeps.
const LONG: usize = 8;

/// Greatest number of substeps, in those of the settings.
const MOST_TIMES: f64 = 4.0;

/// Tension over that of the weight and of a bend: both at once, and a swing.
const TENSION: f64 = 2.0;

/// Solves the sticks of a chain. Returns `false` if they are to be solved one by one.
pub(crate) fn solve(substep: &mut Substep, chain: &Chain) -> bool {
    if !substep.takes_part(&chain.particles) {
        return true;
    }
    let Substep { chains: Scratch { lines, kept }, positions, previous, inverse_masses, settings, .. } = substep;
    lines.clear();
    lines.resize(chain.sticks.len(), Line::default());
    let mut worst = measure(lines, chain, positions, inverse_masses);
    if worst > FAR {
        return false;
    }
    if settings.tolerance > 0.0 {
        substep.worst = substep.worst.max(worst);
    }
    kept.clear();
    kept.extend(chain.particles.iter().map(|&particle| positions[particle]));
    for (line, ends) in lines.iter_mut().zip(chain.particles.windows(2)) {
        let before = previous[ends[1]] - previous[ends[0]];
        let along = line.stick.dot(before);
        let has_turned = along <= 0.5 * (line.stick.length_squared() * before.length_squared()).sqrt();
        line.along = if has_turned { line.stick } else { before };
    }
    for _ in 0..MOST {
        if worst <= MET {
            return true;
        }
        *substep.work += lines.len() as u64;
        eliminate(lines, &chain.particles, inverse_masses);
        let mut before = DVec3::ZERO;
        for (line, &particle) in lines.iter().zip(&chain.particles) {
            let by = line.along * line.impulse;
            positions[particle] += (by - before) * inverse_masses[particle];
            before = by;
        }
        if let Some(&end) = chain.particles.last() {
            positions[end] -= before * inverse_masses[end];
        }
        let last = core::mem::replace(&mut worst, measure(lines, chain, positions, inverse_masses));
        if worst > MET && worst >= last {
            break;
        }
    }
    if worst > MET {
        for (&particle, &place) in chain.particles.iter().zip(kept.iter()) {
            positions[particle] = place;
        }
    }
    worst <= MET
}

/// Measures the sticks. Returns the greatest error of one that can move, as a share of its length squared.
fn measure(lines: &mut [Line], chain: &Chain, positions: &[DVec3], inverse_masses: &[f64]) -> f64 {
    let mut worst = 0.0_f64;
    for ((line, ends), &length) in lines.iter_mut().zip(chain.particles.windows(2)).zip(&chain.lengths) {
        line.stick = positions[ends[1]] - positions[ends[0]];
        line.error = 0.5 * (line.stick.length_squared() - length * length);
        if inverse_masses[ends[0]] + inverse_masses[ends[1]] > 0.0 {
            worst = worst.max(line.error.abs() / (length * length));
        }
    }
    worst
}

/// Finds the impulses of the tridiagonal system.
fn eliminate(lines: &mut [Line], particles: &[usize], inverse_masses: &[f64]) {
    let mut before = Line::default();
    for index in 0..lines.len() {
        let next = lines.get(index + 1).map_or(DVec3::ZERO, |line| line.along);
        let [here, ahead] = [inverse_masses[particles[index]], inverse_masses[particles[index + 1]]];
        let line = &mut lines[index];
        let lower = -here * line.stick.dot(before.along);
        let pivot = (here + ahead) * line.stick.dot(line.along) - lower * before.upper;
        let is_held = pivot.is_nan() || pivot <= NO_PIVOT * (here + ahead) * line.stick.length_squared();
        let share = if is_held { 0.0 } else { 1.0 / pivot };
        line.upper = -ahead * line.stick.dot(next) * share;
        line.impulse = (line.error - lower * before.impulse) * share;
        before = *line;
    }
    let mut ahead = 0.0;
    for line in lines.iter_mut().rev() {
        line.impulse -= line.upper * ahead;
        ahead = line.impulse;
    }
}

/// Share of a stick's own resistance below which a pivot is rounding noise: of a stick between two fixed particles.
const NO_PIVOT: f64 = 1e-12;
