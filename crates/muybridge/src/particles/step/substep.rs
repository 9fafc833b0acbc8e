//! View of one substep for the constraints, and the correction by each of them.

use glam::DVec3;

use crate::math::lane_rotation::LaneVector;
use crate::particles::contact::Contacts;
use crate::particles::distance::{self, Softness, lanes, vector};
use crate::particles::drive::OfStep;
use crate::particles::measures::Report;
use crate::particles::model::{Distance, Model};
use crate::particles::plane;
use crate::particles::projection::Correction;
use crate::particles::settings::{FREE_PASSES, Mode, Settings, SquareRoot};
use crate::particles::sleep::Islands;
use crate::particles::state::{Drag, State};
use crate::particles::step::Fixed;
use crate::particles::verlet::Damping;
use crate::particles::volume;
use crate::particles::world::{Constants, ConstraintMultipliers, PassKind, Ready, Scratch};

/// Use of a constraint's correction in a round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Round {
    /// Moves the particles at once.
    Apply,
    /// Counts one more proposal for each particle.
    Count,
    /// Adds the moves to the proposals, divided by the greatest proposal count of the constraint's particles.
    Add,
}

/// All data that constraints read and write in a substep.
pub(crate) struct Substep<'a> {
    pub model: &'a Model,
    pub constants: &'a Constants,
    pub settings: &'a Settings,
    pub positions: &'a mut [DVec3],
    pub previous: &'a [DVec3],
    pub inverse_masses: &'a [f64],
    pub damping: &'a [Damping],
    pub multipliers: &'a mut ConstraintMultipliers,
    pub prepared: &'a Ready,
    pub places: &'a mut [LaneVector<f64>],
    pub rows: &'a mut [LaneVector<f64>],
    pub dragged: &'a [Drag],
    pub drags: &'a mut [[DVec3; 3]],
    pub driven: &'a [Option<OfStep>],
    pub proposals: &'a mut [(DVec3, u32)],
    pub contacts: &'a mut Contacts,
    pub chains: &'a mut crate::particles::chains::Scratch,
    pub conjugate_gradients: &'a mut crate::particles::conjugate_gradients::Scratch,
    /// Whether a particle's island takes extra passes.
    pub unfinished: &'a mut [bool],
    /// Whether the island of that index is hit.
    pub struck: &'a mut [bool],
    pub resists: &'a mut bool,
    /// Islands of particles connected by constraints or contacts.
    pub islands: &'a Islands,
    /// Number of constraints solved since the world was created.
    pub work: &'a mut u64,
    pub report: &'a mut Report,
    /// Whether nothing but free bodies moves in this step.
    pub is_free: bool,
    /// Duration of the substep, seconds.
    pub seconds: f64,
    /// Share of the step that is over at the end of the substep.
    pub done: f64,
    /// Index of the current pass, from 0.
    pub pass: u32,
    /// Worst relative error of a distance in this pass, before its correction.
    pub worst: f64,
}

/// Moves a multiplier towards its new value by the share of the correction that acts.
pub(crate) fn part_way(multiplier: &mut f64, wanted: f64, share: f64) {
    *multiplier = if share == 1.0 { wanted } else { *multiplier + share * (wanted - *multiplier) };
}

/// Correction by a constraint: moves of its particles (meters), its new multiplier, and its compliance over the square of the
/// substep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted<const N: usize> {
    pub particles: [usize; N],
    pub moves: [DVec3; N],
    pub multiplier: f64,
    pub softness: f64,
}

impl<const N: usize> Wanted<N> {
    /// Correction by a constraint without compliance.
    pub fn rigid(particles: [usize; N], moves: [DVec3; N]) -> Self {
        Self { particles, moves, multiplier: 0.0, softness: 0.0 }
    }

    /// The share of it by which a constraint without compliance acts; `multiplier` is that before.
    pub fn in_part(mut self, mut multiplier: f64, (compliance, share): (f64, f64)) -> Self {
        if compliance == 0.0 && share != 1.0 {
            part_way(&mut multiplier, self.multiplier, share);
            self.multiplier = multiplier;
            self.moves = self.moves.map(|by| by * share);
        }
        self
    }
}

/// [`Wanted`] of a correction by a constraint with that softness.
pub(super) fn wanted<const N: usize>(
    particles: [usize; N],
    correction: &Correction<f64, N>,
    softness: f64,
) -> Wanted<N> {
    Wanted { particles, moves: correction.moves.map(vector), multiplier: correction.multiplier, softness }
}

impl<'a> Substep<'a> {
    pub fn new(fixed: Fixed<'a>, state: &'a mut State, scratch: &'a mut Scratch, seconds: f64, done: f64) -> Self {
        let Fixed { model, constants, settings } = fixed;
        scratch.multipliers.clear();
        for pulled in &mut scratch.drags {
            pulled[2] += pulled[1];
            pulled[1] = DVec3::ZERO;
        }
        Self {
            model,
            constants,
            settings,
            positions: &mut state.positions,
            previous: &state.previous,
            inverse_masses: &scratch.inverse_masses,
            damping: &scratch.damping,
            multipliers: &mut scratch.multipliers,
            prepared: &scratch.prepared.ready,
            places: &mut scratch.prepared.places,
            rows: &mut scratch.prepared.rows,
            dragged: &state.drags,
            drags: &mut scratch.drags,
            driven: &scratch.driven,
            proposals: &mut scratch.proposals,
            contacts: &mut scratch.contacts,
            chains: &mut scratch.chains,
            conjugate_gradients: &mut scratch.conjugate_gradients,
            unfinished: &mut scratch.unfinished,
            struck: &mut scratch.struck,
            resists: &mut scratch.resists,
            islands: &scratch.islands,
            work: &mut scratch.work,
            report: &mut scratch.report,
            is_free: scratch.is_free,
            seconds,
            done,
            pass: 0,
            worst: 0.0,
        }
    }

    /// Number of passes over the constraints of `particle` (J38).
    pub fn passes(&self, particle: usize) -> u32 {
        self.count(self.constants.passes[particle])
    }

    /// Number of passes for contacts and planes: that of the object with the most passes.
    pub fn everyones_passes(&self) -> u32 {
        self.constants.own_passes.iter().map(|&own| self.count(own)).fold(self.usual_passes(), u32::max)
    }

    fn count(&self, passes: PassKind) -> u32 {
        match passes {
            PassKind::AtLeast(least) if self.has_multipliers() => self.usual_passes().max(least),
            PassKind::AtLeast(_) => self.usual_passes(),
            PassKind::Exactly(own) => own,
        }
    }

    fn usual_passes(&self) -> u32 {
        if self.is_free { FREE_PASSES } else { self.settings.iterations.max(1) }
    }

    /// Whether a constraint of these particles takes part in this pass: a particle is movable, and a particle has
    /// passes left or its island needs extra passes.
    pub fn takes_part(&self, particles: &[usize]) -> bool {
        particles.iter().any(|&particle| self.inverse_masses[particle] > 0.0)
            && particles.iter().any(|&particle| self.pass < self.passes(particle) || self.unfinished[particle])
    }

    /// Whether the mode uses multipliers and compliance.
    pub fn has_multipliers(&self) -> bool {
        self.settings.mode.has_multipliers()
    }

    /// Whether a constraint of these particles takes part in this pass; if so, counts it.
    pub fn begin(&mut self, round: Round, particles: &[usize]) -> bool {
        let takes_part = self.takes_part(particles);
        *self.work += u64::from(takes_part && round != Round::Add);
        takes_part
    }

    /// Applies, counts or averages a constraint's correction, and moves its multiplier `of` all as far.
    pub fn take<const N: usize>(
        &mut self,
        round: Round,
        wanted: &Wanted<N>,
        of: impl Fn(&mut ConstraintMultipliers) -> &mut f64,
    ) {
        match round {
            Round::Apply => {
                self.apply(wanted);
                *of(self.multipliers) = wanted.multiplier;
            }
            _ if wanted.moves == [DVec3::ZERO; N] => {}
            Round::Count => wanted.particles.iter().for_each(|&particle| self.proposals[particle].1 += 1),
            Round::Add => {
                let count = wanted.particles.map(|particle| self.proposals[particle].1).into_iter().fold(1, u32::max);
                let change = wanted.multiplier - *of(self.multipliers);
                let share = 1.0 / self.divisor(wanted, change, f64::from(count));
                for (&particle, &by) in wanted.particles.iter().zip(&wanted.moves) {
                    self.proposals[particle].0 += by * share;
                }
                part_way(of(self.multipliers), wanted.multiplier, share);
            }
        }
    }

    /// What divides a correction that changes its multiplier by `change` and is one of `count`: they share the masses of the
    /// particles, but what yields to each is its own.
    fn divisor<const N: usize>(&self, wanted: &Wanted<N>, change: f64, count: f64) -> f64 {
        if wanted.softness == 0.0 || change == 0.0 {
            return count;
        }
        let moves = wanted.particles.iter().zip(&wanted.moves).filter(|&(_, by)| *by != DVec3::ZERO);
        let work: f64 = moves.map(|(&particle, by)| by.length_squared() / self.inverse_masses[particle]).sum();
        let yields = wanted.softness / (work / (change * change) + wanted.softness);
        count - (count - 1.0) * yields
    }

    pub fn apply<const N: usize>(&mut self, wanted: &Wanted<N>) {
        for (&particle, &by) in wanted.particles.iter().zip(&wanted.moves) {
            self.positions[particle] += by;
        }
    }

    /// Inverse masses of particles.
    pub fn weights<const N: usize>(&self, particles: [usize; N]) -> [f64; N] {
        particles.map(|particle| self.inverse_masses[particle])
    }

    /// Masses of four particles, kilograms; infinite for immovable ones.
    pub fn masses(&self, [a, b, c, d]: [usize; 4]) -> [f64; 4] {
        let of = |particle: usize| 1.0 / self.inverse_masses[particle];
        [of(a), of(b), of(c), of(d)]
    }

    /// Correction by a distance constraint.
    pub fn distance(&self, index: usize) -> Wanted<2> {
        let distance = &self.model.distances[index];
        let [a, b] = distance.particles;
        let weights = [self.inverse_masses[a], self.inverse_masses[b]];
        let multiplier = self.multipliers.distances[index];
        let (pull, multiplier, softness) = self.pull(distance, weights[0] + weights[1], multiplier);
        Wanted { particles: [a, b], moves: [pull * weights[0], pull * -weights[1]], multiplier, softness }
    }

    /// The vector `p` of [`distance`], the new multiplier, and the compliance over the square of the substep.
    fn pull(&self, distance: &Distance, weights: f64, multiplier: f64) -> (DVec3, f64, f64) {
        let settings = self.settings;
        let d = distance::between(self.positions, distance.particles, distance.reference());
        let o = || {
            let [a, b] = distance.particles;
            lanes(self.previous[b] - self.previous[a])
        };
        let range = [distance.least, distance.most];
        if distance.compliance > 0.0 {
            let (compliance, _) = self.softness(distance.particles[0], distance.compliance, multiplier);
            let softness = Softness { compliance, damping: distance.compliance * distance.damping / self.seconds };
            let (pull, multiplier) = distance::soft(d, o(), weights, range, softness, multiplier);
            return (vector(pull), multiplier, compliance);
        }
        let rigid = distance.least == distance.most;
        // Far from its length, a distance along its previous direction may not be met at all.
        let is_extra = self.pass >= self.everyones_passes();
        let pull = match (settings.mode, settings.square_root) {
            (Mode::Shake, _) if rigid && !is_extra => distance::shake(d, o(), weights, distance.least),
            (Mode::Xpbd | Mode::Jakobsen | Mode::Rosen, SquareRoot::Taylor) if rigid => {
                distance::taylor(d, weights, distance.least)
            }
            _ => distance::exact(d, weights, range),
        };
        (vector(pull) * (distance.share * settings.over_relaxation), multiplier, 0.0)
    }

    /// Correction by a plane constraint.
    pub fn plane(&self, index: usize) -> Wanted<1> {
        let it = &self.model.planes[index];
        let by = plane::correction(lanes(self.positions[it.particle]), lanes(it.normal), it.offset, it.both_sides);
        let by = if self.inverse_masses[it.particle] > 0.0 { vector(by) } else { DVec3::ZERO };
        Wanted::rigid([it.particle], [by])
    }

    /// Correction by a volume constraint.
    pub fn volume(&self, index: usize) -> Wanted<4> {
        let it = &self.model.volumes[index];
        let measured = volume::volume(it.particles.map(|particle| lanes(self.positions[particle])));
        let weights = it.particles.map(|particle| self.inverse_masses[particle]);
        let (softness, multiplier) = self.softness(it.particles[0], it.compliance, self.multipliers.volumes[index]);
        let correction = measured.kept_in([it.rest; 2], weights, softness, multiplier);
        wanted(it.particles, &correction, softness)
    }

    /// Compliance of a constraint of `particle` over the square of the substep, and the multiplier. Damping weakens all
    /// forces alike, so that what hangs still hangs as far. Without multipliers both are 0 for a rigid constraint; the
    /// sources have no compliance, and what is soft is as soft in every mode.
    pub fn softness(&self, particle: usize, compliance: f64, multiplier: f64) -> (f64, f64) {
        if compliance > 0.0 || self.has_multipliers() {
            (compliance / (self.seconds * self.seconds * self.damping[particle].given), multiplier)
        } else {
            (0.0, 0.0)
        }
    }

    /// Correction that moves a dragged point to its place in this substep (3.11.1), and the total impulse, N s².
    pub fn drag(&self, index: usize) -> (Wanted<4>, DVec3) {
        let drag = &self.dragged[index];
        let [start, so_far, _] = self.drags[index];
        let Drag { point, to, most_force } = drag;
        let weight = |i: usize| self.inverse_masses[point.particles[i]] * point.weights[i];
        let effective: f64 = (0..4).map(|i| weight(i) * point.weights[i]).sum();
        let gap = start + (*to - start) * self.done - point.position(self.positions);
        let most = most_force * self.seconds * self.seconds;
        let mut impulse = if effective > 0.0 { so_far + gap / effective } else { so_far };
        if impulse.length() > most {
            impulse *= most / impulse.length();
        }
        let moves = core::array::from_fn(|i| (impulse - so_far) * weight(i));
        (Wanted::rigid(point.particles, moves), impulse)
    }
}
