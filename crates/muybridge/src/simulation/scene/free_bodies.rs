//! Which scenes of particles have rigid bodies: those of free solids, alone or beside light cloth, plants and points.
//!
//! ```text
//! Σ m of cloth, plants and points ≤ least m of a solid
//! ```
//! Particles push a body within a frame as if nothing held it. Where they weigh more than it does, what lies on a body that stands on
//! the ground sinks in before the ground answers: an 80 kg frame that falls onto a box of 80 kg loses its energy as it should, on one of
//! 8 kg it gains 11 %, on one of 2 kg 69 %.

use super::{FreeBodies, Method, Scene};

impl Scene {
    /// Method by which the bodies of this scene are stepped: its own, but for free bodies of a scene of particles, which
    /// multipliers step.
    pub fn body_method(&self) -> Method {
        let own = &self.solver.particles;
        let is_wanted =
            self.solver.method == Method::Particles && own.free_bodies == FreeBodies::Rigid && own.is_usual();
        if is_wanted && self.are_bodies_free() { Method::Multipliers } else { self.solver.method }
    }

    /// Whether nothing is jointed, and there are solids, each at least as heavy as all that is soft.
    fn are_bodies_free(&self) -> bool {
        let has_joints = !(self.ragdolls.is_empty()
            && self.herds.is_empty()
            && self.ropes.is_empty()
            && self.flails.is_empty()
            && self.joints.is_empty());
        let boxes = self.boxes.iter().map(|own| own.mass);
        let round = self.balls.iter().map(|own| own.mass).chain(self.capsules.iter().map(|own| own.mass));
        let hulls = self.tetrahedra.iter().map(|own| own.mass).chain(self.carved.iter().map(|own| own.mass));
        let lightest = boxes.chain(round).chain(hulls).reduce(f64::min);
        !has_joints && lightest.is_some_and(|lightest| self.soft_mass() <= lightest)
    }

    /// Mass of cloth, plants and points, kilograms.
    fn soft_mass(&self) -> f64 {
        let cloths = self.cloths.iter().map(|own| own.mass);
        let plants = self.plants.iter().map(|own| own.mass);
        let points = self.points.iter().map(|own| match own.masses[..] {
            [mass] if mass.is_finite() => mass * own.positions.len() as f64,
            _ => own.masses.iter().filter(|mass| mass.is_finite()).sum(),
        });
        cloths.chain(plants).chain(points).fold(0.0, |sum, mass| sum + mass)
    }
}
