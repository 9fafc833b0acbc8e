//! Constraint passes of a substep: which constraints, in which order, how many passes.
//!
//! - `shake`, `xpbd`, `jakobsen`: one constraint after the other, each with the results of those before (Gauss–Seidel).
//!   Distances of chains, and all distances in `jakobsen`, in list order; other distances by color. Where the solver is not
//!   tuned, the sticks of a chain at once.
//! - `rosen`: every constraint proposes moves from the same positions. They are summed with `1/max n` over its
//!   particles, where `n` is the number of proposals of a particle. Momentum is kept, and the order does not matter
//!   (R6, R-E2). Bodies and joints, which the source does not have, follow one by one.
//!
//! Passes end when each object has had its own number (J38), or when the worst distance error, and the change of a gap
//! by contacts, are below the tolerance (J9), or, where only free bodies move, when pushes change nothing more. In modes
//! with multipliers, islands with a deformed rigid body then take further passes: joints solve a whole chain at once,
//! but they see the effect of a limit or a contact only in the next pass.
//! Specification: mathematics 3.8.

use glam::DVec3;

use super::chains;
use super::conjugate_gradients;
use super::settings::{Mode, QUIET, Solve};
use super::step::guard::{BENT, is_bent};
use super::step::substep::{Round, Substep};
use super::step::{angular, bodies};

/// Greatest number of passes for islands with deformed bodies, for those that are hit, and for stretched distances, which are
/// cheaper. With as many where nothing is hit, people who lie come to rest later.
const MOST_PASSES: u32 = 16;
const MOST_PASSES_OF_HITS: u32 = 64;
const MOST_PASSES_STRETCHED: u32 = 40;

/// Runs joint friction and drives, then all passes of a substep. In modes with multipliers, islands whose bodies are
/// still deformed take further passes. Returns whether bodies may be deformed even so.
pub(crate) fn relax(substep: &mut Substep) -> bool {
    bodies::turning(substep);
    substep.unfinished.fill(false);
    substep.struck.fill(false);
    *substep.resists = false;
    let everyones = substep.everyones_passes();
    for pass in 0..everyones {
        go_over(substep, pass);
        let push = substep.contacts.greatest_push();
        let is_quiet = substep.is_free && push <= QUIET * substep.seconds;
        if is_quiet || substep.worst.max(push) < substep.settings.tolerance {
            break;
        }
    }
    // Shorter substeps do what the passes do, and better.
    let share = substep.seconds / substep.settings.substep();
    let stretched = (f64::from(MOST_PASSES_STRETCHED) * share) as u32;
    let is_struck = mark_struck(substep);
    if !substep.has_multipliers() {
        return false;
    }
    let of_hits = if is_struck { MOST_PASSES_OF_HITS } else { 0 };
    let many = MOST_PASSES.max(everyones);
    for pass in everyones..MOST_PASSES.max(stretched).max(of_hits) {
        if !find_unfinished(substep, pass, pass < stretched) {
            *substep.resists = pass > many;
            return pass >= MOST_PASSES;
        }
        if pass == many {
            substep.struck.iter_mut().zip(&*substep.unfinished).for_each(|(own, takes)| *own &= takes);
        }
        go_over(substep, pass);
    }
    *substep.resists = true;
    true
}

/// Runs one pass.
fn go_over(substep: &mut Substep, pass: u32) {
    substep.pass = pass;
    substep.report.passes += 1;
    substep.worst = 0.0;
    match substep.settings.mode {
        Mode::Shake | Mode::Xpbd | Mode::Jakobsen => one_by_one(substep),
        Mode::Rosen => averaged(substep),
    }
}

/// Stretch above which the island of a distance takes further passes, as a share of its length: a hard hit on a cloth, a heavy load
/// on a rope. What hangs at rest in few substeps stretches by `HANGING` of a substep of a 480th of a second (J11), and must not
/// take other passes from one substep to the next.
const STRETCHED: f64 = 0.05;
const HANGING: f64 = 0.12;

/// Approach of things that strike each other, and speed at which they may go on into each other after the passes, m/s. Those of a
/// hit leave more: joints come last.
const STRIKES: f64 = 0.1;
const INTO: f64 = 0.5;

/// Marks the islands in which things strike each other; returns whether there is one.
fn mark_struck(substep: &mut Substep) -> bool {
    let mut any = false;
    for particle in substep.contacts.striking(STRIKES * substep.seconds) {
        any = true;
        substep.struck[substep.islands.island(particle)] = true;
    }
    any
}

/// Marks the particles of islands with a deformed body, or things that go into each other, if the pass counts for them, or with a
/// stretched distance, if those count; returns whether there is one.
fn find_unfinished(substep: &mut Substep, pass: u32, distances: bool) -> bool {
    let mut any = false;
    substep.unfinished.fill(false);
    let into = INTO * substep.seconds;
    let Substep { model, positions, inverse_masses, contacts, islands, unfinished, struck, .. } = &mut *substep;
    let most = |island: usize| if struck[island] { MOST_PASSES_OF_HITS } else { MOST_PASSES };
    let counts = |particle: usize| inverse_masses[particle] > 0.0 && pass < most(islands.island(particle));
    let bent = model.tetrahedra.iter().filter(|body| counts(body.particles[0]) && is_bent(body, positions, BENT));
    let entering = contacts.entering(positions, into).filter(|&particle| counts(particle));
    for particle in bent.map(|body| body.particles[0]).chain(entering) {
        any = true;
        unfinished[islands.island(particle)] = true;
    }
    let longest = 1.0 + STRETCHED + HANGING * (480.0 * substep.seconds).powi(2);
    for distance in substep.model.distances.iter().filter(|distance| distances && distance.compliance == 0.0) {
        let [a, b] = distance.particles;
        let moves = substep.inverse_masses[a] > 0.0 || substep.inverse_masses[b] > 0.0;
        let most = longest * distance.most;
        if moves && (substep.positions[a] - substep.positions[b]).length_squared() > most * most {
            any = true;
            for particle in distance.particles {
                substep.unfinished[substep.islands.island(particle)] = true;
            }
        }
    }
    if any {
        // The index of an island is its least particle, so its mark is set before its other particles read it.
        for particle in 0..substep.unfinished.len() {
            substep.unfinished[particle] = substep.unfinished[substep.islands.island(particle)];
        }
    }
    any
}

/// Stages of a Gauss–Seidel pass.
fn one_by_one(substep: &mut Substep) {
    distances(substep);
    bodies::tetrahedra(substep);
    angular::angular(substep, Round::Apply);
    bodies::limits(substep);
    volumes(substep);
    planes(substep);
    contacts(substep);
    drags(substep);
    bodies::attachments(substep);
}

/// A pass of mode `rosen`, with averaged proposals.
fn averaged(substep: &mut Substep) {
    substep.proposals.fill((DVec3::ZERO, 0));
    planes(substep);
    contacts(substep);
    for round in [Round::Count, Round::Add] {
        for index in 0..substep.model.distances.len() {
            if begin_distance(substep, round, index) {
                let wanted = substep.distance(index);
                substep.take(round, &wanted, |multipliers| &mut multipliers.distances[index]);
            }
        }
        angular::angular(substep, round);
    }
    for (position, (sum, _)) in substep.positions.iter_mut().zip(substep.proposals.iter()) {
        *position += *sum;
    }
    bodies::tetrahedra(substep);
    bodies::limits(substep);
    volumes(substep);
    drags(substep);
    bodies::attachments(substep);
}

fn distances(substep: &mut Substep) {
    let together = substep.settings.solve == Solve::ConjugateGradients && substep.has_multipliers();
    if together {
        conjugate_gradients::distances(substep);
    }
    let constants = substep.constants;
    if substep.settings.mode == Mode::Jakobsen {
        (0..constants.distances.len()).for_each(|index| one_distance(substep, index));
    } else if together {
        let others = constants.distances.iter().filter(|&&index| !substep.model.distances[index].is_bilateral());
        others.for_each(|&index| one_distance(substep, index));
    } else if substep.settings.mode != Mode::Shake || !substep.settings.lanes {
        constants.distances.iter().for_each(|&index| one_distance(substep, index));
    } else {
        for chain in &constants.chains.all {
            if !chains::solve(substep, chain) {
                chain.sticks.iter().chain(&chain.implied).for_each(|&index| one_distance(substep, index));
            }
        }
        constants.chains.others.iter().for_each(|&index| one_distance(substep, index));
    }
}

fn one_distance(substep: &mut Substep, index: usize) {
    if begin_distance(substep, Round::Apply, index) {
        let wanted = substep.distance(index);
        substep.apply(&wanted);
        substep.multipliers.distances[index] = wanted.multiplier;
    }
}

/// Counts a distance and updates the worst error, if it takes part.
fn begin_distance(substep: &mut Substep, round: Round, index: usize) -> bool {
    let distance = &substep.model.distances[index];
    let takes_part = substep.begin(round, &distance.particles);
    if takes_part && round != Round::Add && substep.settings.tolerance > 0.0 {
        substep.worst = substep.worst.max(distance.relative_error(substep.positions));
    }
    takes_part
}

fn volumes(substep: &mut Substep) {
    for index in 0..substep.model.volumes.len() {
        let particles = substep.model.volumes[index].particles;
        if substep.begin(Round::Apply, &particles) {
            let wanted = substep.volume(index);
            substep.apply(&wanted);
            substep.multipliers.volumes[index] = wanted.multiplier;
        }
    }
}

fn planes(substep: &mut Substep) {
    for index in 0..substep.model.planes.len() {
        let wanted = substep.plane(index);
        let [particle] = wanted.particles;
        if substep.pass < substep.everyones_passes() || substep.unfinished[particle] {
            *substep.work += u64::from(substep.inverse_masses[particle] > 0.0);
            substep.apply(&wanted);
        }
    }
}

fn contacts(substep: &mut Substep) {
    let (everyones, of_surfaces) = (substep.everyones_passes(), &substep.constants.of_surfaces);
    let Substep { pass, ref unfinished, .. } = *substep;
    let is_wanted =
        |surface: usize| pass < everyones || of_surfaces[surface].is_some_and(|particle| unfinished[particle]);
    substep.report.contact_corrections += substep.contacts.project(substep.positions, substep.previous, is_wanted);
}

fn drags(substep: &mut Substep) {
    for index in 0..substep.dragged.len().min(substep.drags.len()) {
        let (wanted, impulse) = substep.drag(index);
        substep.apply(&wanted);
        substep.drags[index][1] = impulse;
    }
}
