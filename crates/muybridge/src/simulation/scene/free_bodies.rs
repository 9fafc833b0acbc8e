//! Which scenes of particles have rigid bodies: those of solids, alone or beside light cloth, plants and points.
//!
//! ```text
//! Σ m of cloth, plants and points ≤ least m of a solid
//! joints of the kinds that particles have, which close no more than a few loops
//! ```
//! Four particles are held rigid pass by pass. A joint far from a small body, at ten times its radius of gyration, takes a hundred
//! passes: an earring hardly swings. Nets stay particles: multipliers take a time of their loops there.
//!
//! Particles push a body within a frame as if nothing held it. Where they weigh more than it does, what lies on a body that stands on
//! the ground sinks in before the ground answers: an 80 kg frame that falls onto a box of 80 kg loses its energy as it should, on one of
//! 8 kg it gains 11 %, on one of 2 kg 69 %.

use std::collections::BTreeMap;

use super::{FreeBodies, Joint, JointKind, Method, PartPath, Scene};

/// Greatest number of loops that joints close between rigid bodies in a scene of particles.
const MOST_LOOPS: usize = 16;

impl Scene {
    /// Method by which the bodies of this scene are stepped: its own, but for solids of a scene of particles, which multipliers
    /// step.
    pub fn body_method(&self) -> Method {
        let own = &self.solver.particles;
        let is_wanted =
            self.solver.method == Method::Particles && own.free_bodies == FreeBodies::Rigid && own.is_usual();
        if is_wanted && self.are_solids_alone() { Method::Multipliers } else { self.solver.method }
    }

    /// Whether there are solids, each at least as heavy as all that is soft, with simple joints at most.
    fn are_solids_alone(&self) -> bool {
        let others = [self.ragdolls.len(), self.herds.len(), self.ropes.len(), self.flails.len()];
        let boxes = self.boxes.iter().map(|own| own.mass);
        let round = self.balls.iter().map(|own| own.mass).chain(self.capsules.iter().map(|own| own.mass));
        let hulls = self.tetrahedra.iter().map(|own| own.mass).chain(self.carved.iter().map(|own| own.mass));
        let lightest = boxes.chain(round).chain(hulls).reduce(f64::min);
        others == [0; 4] && lightest.is_some_and(|lightest| self.soft_mass() <= lightest) && self.are_joints_simple()
    }

    /// Whether joints are between solids, of the kinds that particles have, and close few loops.
    fn are_joints_simple(&self) -> bool {
        let is_solid = |part: &PartPath| {
            let name = Self::numbered(part.thing()).map_or(part.thing(), |(stem, _)| stem);
            let is = |own: &str| own == name || own == part.thing();
            self.boxes.iter().any(|own| is(&own.name))
                || self.balls.iter().any(|own| is(&own.name))
                || self.capsules.iter().any(|own| is(&own.name))
                || self.tetrahedra.iter().any(|own| is(&own.name))
                || self.carved.iter().any(|own| is(&own.name))
        };
        let has_kind = |joint: &Joint| {
            matches!(joint.kind, JointKind::Ball | JointKind::Hinge | JointKind::Fixed) && joint.compliance == 0.0
        };
        let is_between_solids = |joint: &Joint| is_solid(&joint.of) && (joint.to.is_none() || is_solid(&joint.to));
        self.joints.iter().all(|joint| has_kind(joint) && is_between_solids(joint)) && self.loops() <= MOST_LOOPS
    }

    /// Number of joints that close a loop; the world is one of the things.
    fn loops(&self) -> usize {
        let mut parents: BTreeMap<&str, &str> = BTreeMap::new();
        let mut loops = 0;
        for joint in &self.joints {
            let [mut a, mut b] = [joint.of.thing(), joint.to.thing()];
            while let Some(&above) = parents.get(a) {
                a = above;
            }
            while let Some(&above) = parents.get(b) {
                b = above;
            }
            if a == b {
                loops += 1;
            } else {
                parents.insert(a, b);
            }
        }
        loops
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
