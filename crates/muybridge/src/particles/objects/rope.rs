//! Rope and flail: a chain of sticks, with an optional heavy ball at its end. (3.10, R27)

use glam::DVec3;

use super::error::{ObjectError, not_negative, positive};
use super::{ObjectRange, Traits, particle, stick, tether};
use crate::particles::model::{Anchor, BallJoint, Core, Model, Surface};
use crate::particles::point::Point;

/// A rope. Its particles are in order from beginning to end.
#[derive(Clone, Debug, PartialEq)]
pub struct Rope {
    /// Positions of beginning and end, meters.
    pub ends: [DVec3; 2],
    /// Initial velocities of the ends, meters per second; velocities in between are interpolated.
    pub velocities: [DVec3; 2],
    /// Number of sticks.
    pub segments: usize,
    /// Total mass, kilograms.
    pub mass: f64,
    /// Mass added to the last particle, kilograms.
    pub end_mass: f64,
    /// Radius, meters.
    pub radius: f64,
    /// Whether the beginning and the end are fixed.
    pub fixed: [bool; 2],
    /// Bending stiffness, N m²; 0 bends freely.
    pub stiffness: f64,
    /// Friction and other properties.
    pub traits: Traits,
}

/// A flail: a chain that hangs from its beginning, with a ball at its end. Its particles run from the beginning to the
/// ball.
#[derive(Clone, Debug, PartialEq)]
pub struct Flail {
    /// The chain without the ball.
    pub chain: Rope,
    /// Mass of the ball, kilograms.
    pub ball_mass: f64,
    /// Radius of the ball, meters.
    pub ball_radius: f64,
}

impl Rope {
    /// A rope of 20 sticks and 1 kg, 1 cm in radius, free at both ends, four passes per substep.
    pub fn new(from: DVec3, to: DVec3) -> Self {
        Self {
            ends: [from, to],
            velocities: [DVec3::ZERO; 2],
            segments: 20,
            mass: 1.0,
            end_mass: 0.0,
            radius: 0.01,
            fixed: [false; 2],
            stiffness: 0.0,
            traits: Traits { least_iterations: 4, ..Traits::default() },
        }
    }

    /// Pushes the rope into a model.
    ///
    /// # Errors
    /// An [`ObjectError`] if the ends coincide or a number is out of range.
    pub fn add_to(&self, model: &mut Model) -> Result<ObjectRange, ObjectError> {
        self.check()?;
        let first = self.push(model);
        let built = self.traits.close(model, first);
        for i in first..first + self.segments {
            let core = Core::Segment([Point::at(i), Point::at(i + 1)]);
            model.surfaces.push(Surface { core, radius: self.radius, object: built.object, part: i - first });
        }
        Ok(built)
    }

    fn check(&self) -> Result<(), ObjectError> {
        for (index, end) in self.ends.iter().chain(&self.velocities).enumerate() {
            if !end.is_finite() {
                return Err(ObjectError::NotFinite {
                    what: "the position or velocity of the end of a rope, number",
                    index,
                });
            }
        }
        positive("the length of a rope", self.ends[0].distance(self.ends[1]))?;
        positive("the number of segments of a rope", self.segments as f64)?;
        positive("the mass of a rope", self.mass)?;
        not_negative("the end mass of a rope", self.end_mass)?;
        not_negative("the radius of a rope", self.radius)?;
        not_negative("the stiffness of a rope", self.stiffness)?;
        self.traits.check()
    }

    /// Pushes particles, sticks from the beginning on, bending springs and tethers. All bends are solved at once: one by
    /// one, a rope of many sticks would be too soft.
    fn push(&self, model: &mut Model) -> usize {
        let (first, n) = (model.positions.len(), self.segments);
        let each = self.mass / n as f64;
        for i in 0..=n {
            let share = i as f64 / n as f64;
            let fixed = i == 0 && self.fixed[0] || i == n && self.fixed[1];
            let lumped = if i == 0 || i == n { 0.5 * each } else { each };
            let mass = lumped + if i == n { self.end_mass } else { 0.0 };
            let mass = if fixed { f64::INFINITY } else { mass };
            let velocity = if fixed { DVec3::ZERO } else { self.velocities[0].lerp(self.velocities[1], share) };
            particle(model, self.ends[0].lerp(self.ends[1], share), velocity, mass);
        }
        (first..first + n).for_each(|i| stick(model, [i, i + 1], 0.0));
        let length = self.ends[0].distance(self.ends[1]) / n as f64;
        if self.stiffness > 0.0 {
            // Energy ½ EI |2 C|²/l³ of C = ½ (x_{i−1} + x_{i+1}) − x_i, where 2 C is l times the angle.
            let compliance = length * length * length / (4.0 * self.stiffness);
            let bend = |i| BallJoint {
                a: Point { particles: [i - 1, i + 1, i - 1, i + 1], weights: [0.5, 0.5, 0.0, 0.0] },
                b: Anchor::Point(Point::at(i)),
                compliance,
            };
            model.attachments.extend((first + 1..first + n).map(bend));
        }
        // Tethers carry the load directly to the fixed end: with one pass per substep they replace many passes.
        if self.fixed[0] {
            (2..=n).for_each(|i| tether(model, [first, first + i], length * i as f64));
        }
        if self.fixed[1] {
            (0..n - 1).for_each(|i| tether(model, [first + n, first + i], length * (n - i) as f64));
        }
        first
    }
}

impl Flail {
    /// A flail with a chain of 8 sticks and 1 kg that hangs from `from`, and a ball of 8 kg and 12 cm radius at `to`.
    pub fn new(from: DVec3, to: DVec3) -> Self {
        let rope = Rope::new(from, to);
        let traits = Traits { drag: 0.0, ..rope.traits };
        let chain = Rope { segments: 8, radius: 0.015, fixed: [true, false], traits, ..rope };
        Self { chain, ball_mass: 8.0, ball_radius: 0.12 }
    }

    /// Pushes the flail into a model.
    ///
    /// # Errors
    /// An [`ObjectError`] if the ends coincide or a number is out of range.
    pub fn add_to(&self, model: &mut Model) -> Result<ObjectRange, ObjectError> {
        positive("the mass of the ball of a flail", self.ball_mass)?;
        positive("the radius of the ball of a flail", self.ball_radius)?;
        let built = Rope { end_mass: self.ball_mass, ..self.chain.clone() }.add_to(model)?;
        let core = Core::Ball(Point::at(built.particles.end - 1));
        let part = self.chain.segments - 1;
        model.surfaces.push(Surface { core, radius: self.ball_radius, object: built.object, part });
        Ok(built)
    }
}
