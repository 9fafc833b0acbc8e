//! A plant: a stalk that stands on its root, with branches, held up by support sticks. (3.10, J14)
//!
//! The stalk winds about its axis, three particles to a turn, and support sticks join particles that are two, three … apart.
//! With those three apart every four particles are a tetrahedron (the helix of Boerdijk and Coxeter): a truss that resists
//! bending from the first degree on. Support sticks over a straight stalk would not: they shorten by θ²/8 only.

use glam::{DQuat, DVec3};

use super::error::{ObjectError, not_negative, positive};
use super::{Built, Traits, particle, stick};
use crate::particles::angle::angle_at;
use crate::particles::distance::lanes;
use crate::particles::model::{Angle, Core, Model, Surface};
use crate::particles::point::Point;

/// A plant. Its particles are three that the ground holds (the root and two below), the stalk upwards, then the branches, each
/// from the stalk outwards.
#[derive(Clone, Debug, PartialEq)]
pub struct Plant {
    /// Where the root is, metres.
    pub root: DVec3,
    /// Metres above the root.
    pub height: f64,
    /// Sticks of the stalk.
    pub segments: usize,
    /// Branches, around the stalk by the golden angle.
    pub branches: usize,
    /// Length of a branch, metres.
    pub branch: f64,
    /// Kilograms in all.
    pub mass: f64,
    /// Metres at the root; half of that at the tip.
    pub radius: f64,
    /// Support sticks join particles up to so many sticks apart; 1 for none.
    pub support: usize,
    /// Softness of the support sticks, m/N.
    pub softness: f64,
    /// Softness of each joint of the stalk, radians per newton metre; `None`: only the support sticks resist bending.
    pub bend: Option<f64>,
    /// What it is like.
    pub traits: Traits,
}

/// Sticks of a branch.
const BRANCH: usize = 2;

/// Radius of the winding in heights of a stick.
const WINDING: f64 = 0.2;

/// Particles held by the ground.
const ROOTS: usize = 3;

impl Plant {
    /// A stalk of 1.5 m in 10 sticks with 8 branches of 40 cm, 0.5 kg.
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
            bend: None,
            traits: Traits { drag: 1.0, iterations: Some(8), ..Traits::default() },
        }
    }

    /// Index of a particle of the stalk, 0 at the root, when the first particle of the plant is `first`.
    pub fn stalk(&self, first: usize, at: usize) -> usize {
        if at == 0 { first } else { first + ROOTS + at - 1 }
    }

    /// Index of the outermost particle of a branch.
    pub fn branch_tip(&self, first: usize, branch: usize) -> usize {
        first + ROOTS + self.segments + BRANCH * (branch + 1) - 1
    }

    /// Pushes it into a model.
    ///
    /// # Errors
    /// A sentence, if a number is not possible.
    pub fn add_to(&self, model: &mut Model) -> Result<Built, ObjectError> {
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
        not_negative("the bending compliance of a plant", self.bend.unwrap_or(0.0))?;
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
        // Counted from the lowest of the roots.
        let along = |i: usize| if i < ROOTS { first + ROOTS - 1 - i } else { first + i };
        let count = ROOTS + self.segments;
        for apart in 1..=self.support.max(1) {
            for upper in ROOTS.max(apart)..count {
                let softness = if apart == 1 { 0.0 } else { self.softness };
                stick(model, [along(upper - apart), along(upper)], softness);
            }
        }
        if let Some(compliance) = self.bend {
            for i in ROOTS - 1..count - 1 {
                let particles = [along(i), along(i - 1), along(i + 1)];
                let [apex, below, above] = particles.map(|particle| model.positions[particle]);
                let rest = angle_at([apex, below, above].map(lanes)).value;
                model.angles.push(Angle { particles, range: [rest; 2], compliance });
            }
        }
    }

    /// Where the stalk is at rest, counted from the root.
    fn winding(&self, at: i64) -> DVec3 {
        const HALF_ROOT_3: f64 = 0.866_025_403_784_438_6;
        let segment = self.height / self.segments as f64;
        let reach = WINDING * segment;
        let aside = [DVec3::ZERO, DVec3::new(-1.5, 0.0, HALF_ROOT_3), DVec3::new(-1.5, 0.0, -HALF_ROOT_3)];
        self.root + DVec3::new(0.0, segment * at as f64, 0.0) + aside[at.rem_euclid(3) as usize] * reach
    }

    /// A branch rises by 30° from the upper two thirds of the stalk; it leans on the stalk above and below, and on the branch
    /// before it.
    fn grow_branch(&self, model: &mut Model, first: usize, branch: usize) {
        const GOLDEN_ANGLE: f64 = 2.399_963_229_728_653;
        let span = self.segments - self.segments / 3;
        let at = (self.segments / 3 + branch * span / self.branches).clamp(1, self.segments - 1);
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

    /// Capsules around stalk and branches.
    fn cover(&self, model: &mut Model, built: &Built) {
        let first = built.particles.start;
        let mut cover = |ends: [usize; 2], radius: f64| {
            let (core, part) = (Core::Segment(ends.map(Point::at)), 0);
            model.surfaces.push(Surface { core, radius, object: built.object, part });
        };
        for at in 0..self.segments {
            let taper = 1.0 - 0.5 * at as f64 / self.segments as f64;
            cover([self.stalk(first, at), self.stalk(first, at + 1)], self.radius * taper);
        }
        for branch in 0..self.branches {
            let tip = self.branch_tip(first, branch);
            cover([tip - 1, tip], 0.5 * self.radius);
        }
    }
}
