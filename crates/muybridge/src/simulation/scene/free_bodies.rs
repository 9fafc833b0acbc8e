//! Which scenes of particles have rigid bodies: those of solids, alone or beside ropes and light cloth, plants and points, and those
//! of ragdolls that meet more than planes, wide boxes and each other. A flail has a solid, its ball; ropes are chains of capsules there.
//!
//! ```text
//! Σ m of cloth, plants and points ≤ least m of a solid; beside ragdolls there are none
//! joints of the kinds that particles have; with what ropes and flails hang on, they close no more than a few loops
//! ```
//! Four particles are held rigid pass by pass. A joint far from a small body, at ten times its radius of gyration, takes a hundred
//! passes: an earring hardly swings. Nets stay particles: multipliers take a time of their loops there.
//!
//! Particles push a body within a frame as if nothing held it. Where they weigh more than it does, what lies on a body that stands on
//! the ground sinks in before the ground answers: an 80 kg frame that falls onto a box of 80 kg loses its energy as it should, on one of
//! 8 kg it gains 11 %, on one of 2 kg 69 %.
//!
//! A ragdoll of particles is stepped in lanes where nothing but planes and others can touch it. Beside a crate it takes ten times as
//! long as rigid bodies do, on stairs six times, and a hit in the air costs 0.7 % of its momentum.

use std::collections::BTreeMap;

use super::{FreeBodies, Joint, JointKind, Method, Obstacle, ObstacleKind, Scene};

/// Least size of a box along two of its edges that is ground to a ragdoll, meters.
const WIDE: f64 = 4.0;

/// Greatest number of loops that joints close between rigid bodies in a scene of particles.
const MOST_LOOPS: usize = 16;

impl Scene {
    /// Method by which the bodies of this scene are stepped: its own, but for solids of a scene of particles, which multipliers
    /// step.
    pub fn body_method(&self) -> Method {
        let is_wanted = self.solver.particles.free_bodies == FreeBodies::Rigid;
        if is_wanted && self.may_be_rigid() { Method::Multipliers } else { self.solver.method }
    }

    /// Whether `free_bodies` says if the solids of this scene of particles are rigid bodies.
    pub(super) fn may_be_rigid(&self) -> bool {
        self.solver.method == Method::Particles
            && self.solver.in_effect(self).particles.is_usual()
            && self.suits_rigid_bodies()
    }

    /// Whether rigid methods have something to do here.
    pub(super) fn has_bodies(&self) -> bool {
        let has_solids = !(self.boxes.is_empty()
            && self.balls.is_empty()
            && self.capsules.is_empty()
            && self.tetrahedra.is_empty()
            && self.carved.is_empty());
        let has_chains = !(self.ropes.is_empty() && self.flails.is_empty());
        has_solids || has_chains || !(self.ragdolls.is_empty() && self.herds.is_empty())
    }

    /// Whether there are solids, each at least as heavy as all that is soft, or ragdolls beside more than planes and without anything
    /// soft; with simple joints at most.
    fn suits_rigid_bodies(&self) -> bool {
        let boxes = self.boxes.iter().map(|own| own.mass);
        let round = self.balls.iter().map(|own| own.mass).chain(self.capsules.iter().map(|own| own.mass));
        let hulls = self.tetrahedra.iter().map(|own| own.mass).chain(self.carved.iter().map(|own| own.mass));
        let flails = self.flails.iter().map(|own| own.ball_mass);
        let lightest = boxes.chain(round).chain(hulls).chain(flails).reduce(f64::min);
        let suits = if self.ragdolls.is_empty() {
            lightest.is_some_and(|lightest| self.soft_mass() <= lightest)
        } else {
            let has_shapes = self.obstacles.iter().any(|own| !is_flat(own));
            let is_held = !(self.ropes.is_empty() && self.joints.is_empty());
            let has_soft = !(self.cloths.is_empty() && self.plants.is_empty() && self.points.is_empty());
            (lightest.is_some() || has_shapes || is_held) && !has_soft
        };
        suits && self.herds.is_empty() && self.are_joints_simple()
    }

    /// Whether joints are of the kinds that particles have, and connect solids, ropes and flails in few loops.
    fn are_joints_simple(&self) -> bool {
        let is_rigid = |thing: &str| {
            let name = Self::numbered(thing).map_or(thing, |(stem, _)| stem);
            let is = |own: &str| own == name || own == thing;
            thing.is_empty()
                || self.boxes.iter().any(|own| is(&own.name))
                || self.balls.iter().any(|own| is(&own.name))
                || self.capsules.iter().any(|own| is(&own.name))
                || self.tetrahedra.iter().any(|own| is(&own.name))
                || self.carved.iter().any(|own| is(&own.name))
                || self.ropes.iter().any(|own| is(&own.name))
                || self.flails.iter().any(|own| is(&own.name))
                || self.ragdolls.iter().any(|own| is(&own.name))
        };
        let has_kind = |joint: &Joint| {
            matches!(joint.kind, JointKind::Ball | JointKind::Hinge | JointKind::Fixed) && joint.compliance == 0.0
        };
        let connected = self.connected();
        let are_rigid = connected.iter().flatten().all(|thing| is_rigid(thing));
        are_rigid && self.joints.iter().all(has_kind) && loops(&connected) <= MOST_LOOPS
    }

    /// Things that joints, ropes and flails connect, in pairs. The world has no name.
    fn connected(&self) -> Vec<[&str; 2]> {
        let mut pairs: Vec<_> = self.joints.iter().map(|joint| [joint.of.thing(), joint.to.thing()]).collect();
        for rope in &self.ropes {
            let on = [&rope.from_attached_to, &rope.to_attached_to].into_iter().filter(|part| !part.is_none());
            pairs.extend(on.map(|part| [&rope.name[..], part.thing()]));
            pairs.extend(rope.fixed.iter().map(|_| [&rope.name[..], ""]));
        }
        pairs.extend(self.flails.iter().map(|flail| [&flail.name[..], flail.from_attached_to.thing()]));
        pairs
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

/// Whether an obstacle is a plane to a ragdoll, or the top of a box that is as good as one.
fn is_flat(obstacle: &Obstacle) -> bool {
    match obstacle.kind {
        ObstacleKind::HalfSpace => true,
        ObstacleKind::Box => {
            let is_wide = obstacle.size.to_array().into_iter().filter(|&size| size >= WIDE).count() >= 2;
            is_wide && !obstacle.moves()
        }
        _ => false,
    }
}

/// Number of pairs that close a loop.
fn loops(connected: &[[&str; 2]]) -> usize {
    let mut parents: BTreeMap<&str, &str> = BTreeMap::new();
    let mut loops = 0;
    for pair in connected {
        let [mut a, mut b] = *pair;
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
