//! Stages for angular constraints: angles, bends, relative orientations and their friction.

use super::substep::{Round, Substep, Wanted, wanted};
use crate::particles::distance::lanes;
use crate::particles::{angle, angular_friction, bend, orientation};

/// Runs all angular constraints in this order.
pub(crate) fn angular(substep: &mut Substep, round: Round) {
    for index in 0..substep.model.angles.len() {
        let particles = substep.model.angles[index].particles;
        if substep.begin(round, &particles) {
            let wanted = substep.angle(index);
            substep.take(round, &wanted, |multipliers| &mut multipliers.angles[index]);
        }
    }
    for index in 0..substep.model.bends.len() {
        let particles = substep.model.bends[index].particles;
        if substep.begin(round, &particles) {
            let wanted = substep.bend(index);
            substep.take(round, &wanted, |multipliers| &mut multipliers.bends[index]);
        }
    }
    for index in 0..substep.model.orientations.len() {
        let particles = substep.model.orientations[index].particles();
        if substep.begin(round, &particles) {
            orientation(substep, round, index);
        }
    }
}

/// Applies friction in the first pass of a substep, then the limit of a relative orientation.
fn orientation(substep: &mut Substep, round: Round, index: usize) {
    // Friction is no constraint: it acts once, and no average over the constraints of a particle weakens it.
    let slowed = if substep.pass == 0 && round != Round::Count { substep.angular_friction(index) } else { None };
    if let Some(wanted) = slowed {
        substep.apply(&wanted);
    }
    if let Some(wanted) = substep.orientation(index) {
        substep.take(round, &wanted, |multipliers| &mut multipliers.orientations[index]);
    }
}

impl Substep<'_> {
    /// Correction by an angle constraint.
    fn angle(&self, index: usize) -> Wanted<3> {
        let it = &self.model.angles[index];
        let measured = angle::angle_at(it.particles.map(|particle| lanes(self.positions[particle])));
        let (softness, multiplier) = self.softness(it.particles[0], it.compliance, self.multipliers.angles[index]);
        let correction = measured.kept_in(it.range, self.weights(it.particles), softness, multiplier);
        wanted(it.particles, &correction, softness).in_part(multiplier, (it.compliance, it.share))
    }

    /// Correction by a bending constraint.
    fn bend(&self, index: usize) -> Wanted<4> {
        let it = &self.model.bends[index];
        let measured = bend::fold(it.particles.map(|particle| lanes(self.positions[particle])), it.rest);
        let (softness, multiplier) = self.softness(it.particles[0], it.compliance, self.multipliers.bends[index]);
        wanted(it.particles, &measured.kept_in([0.0; 2], self.weights(it.particles), softness, multiplier), softness)
    }

    /// Correction by the limit of a relative orientation; `None` inside the limit.
    fn orientation(&self, index: usize) -> Option<Wanted<6>> {
        let it = &self.model.orientations[index];
        let particles = it.particles();
        let corners = particles.map(|particle| self.positions[particle]);
        let (softness, multiplier) = self.softness(particles[0], it.compliance, self.multipliers.orientations[index]);
        let correction = orientation::limit(it, &corners, &self.weights(particles), softness, multiplier)?;
        Some(wanted(particles, &correction, softness).in_part(multiplier, (it.compliance, it.share)))
    }

    /// Correction by the friction of a relative orientation; `None` without friction.
    fn angular_friction(&self, index: usize) -> Option<Wanted<6>> {
        let it = &self.model.orientations[index];
        if it.friction <= 0.0 && it.stick <= 0.0 {
            return None;
        }
        let particles = it.particles();
        let [now, before] = [&*self.positions, self.previous].map(|at| particles.map(|particle| at[particle]));
        let correction = angular_friction::slowed(it, &now, &before, &self.weights(particles), self.seconds)?;
        Some(wanted(particles, &correction, 0.0))
    }
}
