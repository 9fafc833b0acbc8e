//! A plant: a stalk on its root, with branches, stiffened by support sticks. (3.10, J14)
//!
//! The stalk is a helix with three particles to a turn, and support sticks join particles that are two, three … sticks
//! apart. With support over three sticks every four particles form a tetrahedron (the helix of Boerdijk and Coxeter): a
//! truss that resists bending from the first degree on. Support sticks on a straight stalk would shorten by θ²/8 only.

use glam::{DQuat, DVec3};

use super::error::{ObjectError, not_negative, positive};
use super::{ObjectRange, Traits, particle, stick};
use crate::particles::model::{Core, Model, Surface};
use crate::particles::point::Point;

/// A plant. Its particles are three fixed ones (the root and two below), then the stalk upwards, then the branches,
/// each from the stalk outwards.
#[derive(Clone, Debug, PartialEq)]
pub struct Plant {
    /// Position of the root, meters.
    pub root: DVec3,
    /// Height above the root, meters.
    pub height: f64,
    /// Number of sticks of the stalk.
    pub segments: usize,
    /// Number of branches, placed around the stalk by the golden angle.
    pub branches: usize,
    /// Length of a branch, meters.
    pub branch: f64,
    /// Total mass, kilograms.
    pub mass: f64,
    /// Radius at the root, meters; half of it at the tip.
    pub radius: f64,
    /// Greatest span of support sticks, in sticks of the stalk; 1 for none.
    pub support: usize,
    /// Compliance of the support sticks, m/N; [`Plant::softness_of`] computes it from that of a joint.
    pub softness: f64,
    /// Friction and other properties.
    pub traits: Traits,
}

/// Number of sticks of a branch.
const BRANCH: usize = 2;

/// Radius of the helix, in stick heights.
const WINDING: f64 = 0.2;

/// Number of particles fixed in the ground.
const ROOTS: usize = 3;

impl Plant {
    /// A plant with a stalk of 1.5 m in 10 sticks and 8 branches of 40 cm, 0.5 kg.
    pub fn new(root: DVec3) -> Self {
        Self {
            root,
            height: 1.5,
            segments: 10,
            branches: 8,
            branch: 0.4,
            mass: 0.5,
            radius: 0.02,
            support: 3,
            softness: 0.0,
            traits: Traits { drag: 1.0, least_iterations: 8, ..Traits::default() },
        }
    }

    /// Compliance of the support sticks (m/N) that gives each joint of the stalk a `compliance` in radians per newton
    /// meter. It assumes a support span of three sticks.
    ///
    /// The truss is statically determinate, so its sag follows from its sticks alone. With support sticks of compliance
    /// c between segments of length s, each joint bends by 5.8 c/s² per unit of moment, for any s (method of joints, 40
    /// segments).
    pub fn softness_of(&self, compliance: f64) -> f64 {
        const SAG: f64 = 5.8;
        let segment = self.height / self.segments as f64;
        compliance * segment * segment / SAG
    }

    /// Index of a particle of the stalk, 0 at the root, when the first particle of the plant is `first`.
    pub fn stalk(&self, first: usize, at: usize) -> usize {
        if at == 0 { first } else { first + ROOTS + at - 1 }
    }

    /// Index of the outermost particle of a branch.
    pub fn branch_tip(&self, first: usize, branch: usize) -> usize {
        first + ROOTS + self.segments + BRANCH * (branch + 1) - 1
    }

    /// The visible sticks, stalk first, as particle indices relative to the first particle of the plant.
    pub fn lines(&self) -> Vec<[usize; 2]> {
        self.stalk_lines().chain((0..self.branches).flat_map(|branch| self.branch_lines(branch))).collect()
    }

    /// Pushes the plant into a model.
    ///
    /// # Errors
    /// An [`ObjectError`] if a number is out of range.
    pub fn add_to(&self, model: &mut Model) -> Result<ObjectRange, ObjectError> {
        self.check()?;
        let first = model.positions.len();
        self.grow_stalk(model, first);
        (0..self.branches).for_each(|branch| self.grow_branch(model, first, branch));
        let built = self.traits.close(model, first);
        self.cover(model, &built);
        Ok(built)
    }

    fn check(&self) -> Result<(), ObjectError> {
        if !self.root.is_finite() {
            return Err(ObjectError::NotFinite { what: "the root of plant", index: 0 });
        }
        positive("the height of a plant", self.height)?;
        positive("the mass of a plant", self.mass)?;
        positive("the length of a branch", self.branch)?;
        not_negative("the radius of a plant", self.radius)?;
        not_negative("the softness of a plant", self.softness)?;
        if self.segments < 2 {
            let value = self.segments as f64;
            return Err(ObjectError::OutOfRange {
                what: "the number of segments of a plant",
                value,
                wanted: "2 or more",
            });
        }
        self.traits.check()
    }

    fn grow_stalk(&self, model: &mut Model, first: usize) {
        let each = self.mass / (self.segments + BRANCH * self.branches) as f64;
        (0..ROOTS).for_each(|below| _ = particle(model, self.winding(-(below as i64)), DVec3::ZERO, f64::INFINITY));
        (1..=self.segments).for_each(|at| _ = particle(model, self.winding(at as i64), DVec3::ZERO, each));
        // Counts from the lowest of the roots.
        let along = |i: usize| if i < ROOTS { first + ROOTS - 1 - i } else { first + i };
        let count = ROOTS + self.segments;
        for apart in 1..=self.support.max(1) {
            for upper in ROOTS.max(apart)..count {
                let softness = if apart == 1 { 0.0 } else { self.softness };
                stick(model, [along(upper - apart), along(upper)], softness);
            }
        }
    }

    /// Rest position of a stalk particle, meters; `at` counts from the root.
    fn winding(&self, at: i64) -> DVec3 {
        const HALF_ROOT_3: f64 = 0.866_025_403_784_438_6;
        let segment = self.height / self.segments as f64;
        let reach = WINDING * segment;
        let aside = [DVec3::ZERO, DVec3::new(-1.5, 0.0, HALF_ROOT_3), DVec3::new(-1.5, 0.0, -HALF_ROOT_3)];
        self.root + DVec3::new(0.0, segment * at as f64, 0.0) + aside[at.rem_euclid(3) as usize] * reach
    }

    /// Index of the stalk particle that a branch grows from.
    fn fork(&self, branch: usize) -> usize {
        let span = self.segments - self.segments / 3;
        (self.segments / 3 + branch * span / self.branches).clamp(1, self.segments - 1)
    }

    /// Pushes a branch that rises by 30° from the upper two thirds of the stalk. Support sticks join it to the stalk
    /// above and below, and to the branch before it.
    fn grow_branch(&self, model: &mut Model, first: usize, branch: usize) {
        const GOLDEN_ANGLE: f64 = 2.399_963_229_728_653;
        let at = self.fork(branch);
        let out = DQuat::from_rotation_y(GOLDEN_ANGLE * branch as f64) * DVec3::new(0.75_f64.sqrt(), 0.5, 0.0);
        let base = model.positions[self.stalk(first, at)];
        let each = model.masses[self.stalk(first, 1)];
        let mut inner = [self.stalk(first, at - 1), self.stalk(first, at)];
        for step in 1..=BRANCH {
            let place = base + out * (self.branch * step as f64 / BRANCH as f64);
            let new = particle(model, place, DVec3::ZERO, each);
            stick(model, [inner[1], new], 0.0);
            stick(model, [inner[0], new], self.softness);
            stick(model, [self.stalk(first, at + 1), new], self.softness);
            let beside = if branch == 0 { first + 2 } else { self.branch_tip(first, branch - 1) };
            stick(model, [beside, new], self.softness);
            inner = [inner[1], new];
        }
    }

    /// Pushes capsules around stalk and branches, except at the ground and at forks.
    fn cover(&self, model: &mut Model, built: &ObjectRange) {
        let first = built.particles.start;
        let mut cover = |ends: [usize; 2], radius: f64| {
            let core = Core::Segment(ends.map(|end| Point::at(first + end)));
            model.surfaces.push(Surface { core, radius, object: built.object, part: 0 });
        };
        for (at, ends) in self.stalk_lines().enumerate().skip(1) {
            cover(ends, self.radius * (1.0 - 0.5 * at as f64 / self.segments as f64));
        }
        (0..self.branches).for_each(|branch| cover(self.branch_lines(branch)[1], 0.5 * self.radius));
    }

    fn stalk_lines(&self) -> impl Iterator<Item = [usize; 2]> {
        (0..self.segments).map(|at| [self.stalk(0, at), self.stalk(0, at + 1)])
    }

    fn branch_lines(&self, branch: usize) -> [[usize; 2]; BRANCH] {
        let tip = self.branch_tip(0, branch);
        [[self.stalk(0, self.fork(branch)), tip - 1], [tip - 1, tip]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::particles::{Settings, World};

    /// Displacement of the tip of a 1.5 m stalk along a force, at rest, meters.
    fn deflection(made: &Plant, force: DVec3) -> f64 {
        let mut model = Model::default();
        let built = made.add_to(&mut model).expect("a plant");
        let tip = made.stalk(built.particles.start, made.segments);
        let settings =
            Settings { substeps: 32, iterations: 4, rest_steps: 0, gravity: DVec3::ZERO, ..Settings::default() };
        let mut world = World::new(model, settings).expect("a model");
        let start = world.state.positions[tip];
        for _ in 0..8 * 60 {
            world.push(tip, force).unwrap();
            world.step();
        }
        (world.state.positions[tip] - start).dot(force.normalize())
    }

    #[test]
    fn j14_a_stalk_of_soft_joints_gives_way_like_a_cantilever() {
        let mut made = Plant { segments: 20, branches: 0, ..Plant::new(DVec3::ZERO) };
        let (joint, force) = (0.02, 0.01);
        made.softness = made.softness_of(joint);
        made.traits.drag = 4.0;
        // Every joint rotates by its compliance times the moment F·d, with d the distance to the tip, and moves the tip
        // by d times that.
        let segment = made.height / 20.0;
        let expected: f64 = (1..=20).map(|away| joint * force * (segment * f64::from(away)).powi(2)).sum();
        let sides = [DVec3::X, DVec3::Z].map(|side| deflection(&made, side * force));
        let ratio = 0.5 * (sides[0] + sides[1]) / expected;
        assert!((ratio - 1.0).abs() < 0.15, "{sides:?} m for {expected} m");
    }
}
