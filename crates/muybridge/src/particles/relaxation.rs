//! Passes over the constraints: which, in which order, how often.
//!
//! - `shake`, `xpbd`, `jakobsen`: one after the other, each sees what those before it did (Gauss–Seidel). Distances by
//!   color, in `jakobsen` as they are listed.
//! - `rosen`: every constraint proposes moves from the same positions, and they are added up with `1/max n` over its
//!   particles, `n` being the proposals a particle has. Momentum is kept, and the order does not matter (R6, R-E2). Bodies
//!   and joints, which the source does not have, follow one by one.
//!
//! Passes end when each object has had its own (J38), or when no distance was further off than the tolerance (J9).
//! Specification: mathematics 3.8.

use glam::DVec3;

use super::conjugate_gradients;
use super::settings::{Mode, Solve};
use super::step::bodies;
use super::step::substep::{Substep, Wanted};

/// All passes of a substep.
pub(crate) fn relax(substep: &mut Substep) {
    let passes = substep.settings.iterations.max(1).max(substep.constants.most_passes);
    for pass in 0..passes {
        substep.pass = pass;
        substep.worst = 0.0;
        match substep.settings.mode {
            Mode::Shake | Mode::Xpbd | Mode::Jakobsen => one_by_one(substep),
            Mode::Rosen => averaged(substep),
        }
        if substep.worst < substep.settings.tolerance {
            break;
        }
    }
}

/// The stages of a pass.
fn one_by_one(substep: &mut Substep) {
    distances(substep);
    bodies::tetrahedra(substep);
    bodies::limits(substep);
    volumes(substep);
    planes(substep);
    drags(substep);
    bodies::attachments(substep);
}

fn distances(substep: &mut Substep) {
    let together = substep.settings.solve == Solve::ConjugateGradients && substep.has_multipliers();
    if together {
        conjugate_gradients::distances(substep);
    }
    let constants = substep.constants;
    let listed = substep.settings.mode == Mode::Jakobsen;
    for place in 0..constants.distances.len() {
        let index = if listed { place } else { constants.distances[place] };
        if together && substep.model.distances[index].is_bilateral() {
            continue;
        }
        if begin_distance(substep, index) {
            let wanted = substep.distance(index);
            substep.apply(&wanted);
            substep.multipliers.distances[index] = wanted.multiplier;
        }
    }
}

/// Counts and measures a distance that takes part.
fn begin_distance(substep: &mut Substep, index: usize) -> bool {
    let distance = &substep.model.distances[index];
    let takes_part = substep.takes_part(&distance.particles);
    if takes_part {
        *substep.work += 1;
        if substep.settings.tolerance > 0.0 {
            substep.worst = substep.worst.max(distance.relative_error(substep.positions));
        }
    }
    takes_part
}

fn volumes(substep: &mut Substep) {
    for index in 0..substep.model.volumes.len() {
        if substep.takes_part(&substep.model.volumes[index].particles) {
            *substep.work += 1;
            let wanted = substep.volume(index);
            substep.apply(&wanted);
            substep.multipliers.volumes[index] = wanted.multiplier;
        }
    }
}

fn planes(substep: &mut Substep) {
    for index in 0..substep.model.planes.len() {
        let wanted = substep.plane(index);
        *substep.work += u64::from(substep.inverse_masses[wanted.particles[0]] > 0.0);
        substep.apply(&wanted);
    }
}

fn drags(substep: &mut Substep) {
    for index in 0..substep.dragged.len().min(substep.drags.len()) {
        let (wanted, impulse) = substep.drag(index);
        substep.apply(&wanted);
        substep.drags[index][1] = impulse;
    }
}

/// What a constraint does with its proposal.
#[derive(Clone, Copy, PartialEq)]
enum Round {
    /// Says that it has one.
    Count,
    /// Adds it to the others.
    Add,
}

/// A pass of mode `rosen`.
fn averaged(substep: &mut Substep) {
    substep.proposals.fill((DVec3::ZERO, 0));
    planes(substep);
    for round in [Round::Count, Round::Add] {
        for index in 0..substep.model.distances.len() {
            let takes_part = match round {
                Round::Count => begin_distance(substep, index),
                Round::Add => substep.takes_part(&substep.model.distances[index].particles),
            };
            if takes_part {
                let wanted = substep.distance(index);
                propose(substep, round, &wanted);
            }
        }
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

fn propose<const N: usize>(substep: &mut Substep, round: Round, wanted: &Wanted<N>) {
    if wanted.moves == [DVec3::ZERO; N] {
        return;
    }
    let most = wanted.particles.iter().map(|&particle| substep.proposals[particle].1).max().unwrap_or(1);
    for (&particle, &by) in wanted.particles.iter().zip(&wanted.moves) {
        let (sum, count) = &mut substep.proposals[particle];
        match round {
            Round::Count => *count += 1,
            Round::Add => *sum += by / f64::from(most),
        }
    }
}
