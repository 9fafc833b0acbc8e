//! Where bodies are and how they move, one number or one lane of numbers per component.

use glam::{DQuat, DVec3};

use super::Body;
use crate::math::lane_rotation::{LaneMatrix, LaneRotation, LaneVector};
use crate::math::lanes::Lanes;

/// Place and orientation of the principal frame of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose<V> {
    /// Center of mass, metres.
    pub position: LaneVector<V>,
    /// Orientation.
    pub rotation: LaneRotation<V>,
}

/// Momentum of a body and angular momentum about its center of mass, world axes. Impulses are of the same kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Momentum<V> {
    /// kg m/s.
    pub linear: LaneVector<V>,
    /// kg m²/s.
    pub angular: LaneVector<V>,
}

/// Velocity of the center of mass (m/s) and angular velocity (rad/s), world axes: six numbers, the linear first.
pub type Velocity<V> = [V; 6];

impl Pose<f64> {
    /// From a place and an orientation.
    pub fn new(position: DVec3, rotation: DQuat) -> Self {
        Self { position: LaneVector::splat((), position), rotation: LaneRotation::splat((), rotation) }
    }

    /// Metres.
    pub fn place(&self) -> DVec3 {
        vector(self.position)
    }

    /// Orientation.
    pub fn turn(&self) -> DQuat {
        let LaneVector { x, y, z } = self.rotation.axis;
        DQuat::from_xyzw(x, y, z, self.rotation.w)
    }

    /// Whether all of it is finite.
    pub fn is_finite(&self) -> bool {
        self.place().is_finite() && self.turn().is_finite()
    }

    /// Whether it is an orientation at a place no farther than `most` (m) from that of another.
    pub fn is_near(&self, other: &Self, most: f64) -> bool {
        // A number that is none is not below anything.
        let is_turn = (0.5..=2.0).contains(&self.turn().length_squared());
        is_turn && (self.place() - other.place()).length_squared() <= most * most
    }

    /// A point of the body as a place in the world, metres.
    pub fn point(&self, in_body: DVec3) -> DVec3 {
        self.place() + self.turn() * in_body
    }
}

impl<V: Lanes> Pose<V> {
    /// At the origin, in lanes as wide as `zero`.
    #[inline(always)]
    pub fn like(zero: V) -> Self {
        let (zero, one) = (zero.like(0.0), zero.like(1.0));
        let nothing = LaneVector { x: zero, y: zero, z: zero };
        Self { position: nothing, rotation: LaneRotation { axis: nothing, w: one } }
    }
}

impl<V: Lanes> Pose<V> {
    /// Moved by three metres and turned by a rotation vector of three radians, world axes: exactly about its axis, by an angle whose
    /// half has the tangent of half its length.
    #[inline(always)]
    pub fn moved(&self, by: &[V; 6]) -> Self {
        let [x, y, z, a, b, c] = *by;
        let half = LaneVector { x: a, y: b, z: c }.times(0.5);
        let w = a.like(1.0) / (half.dot(half) + 1.0).sqrt();
        let turn = LaneRotation { axis: half.scaled(w), w };
        let rotation = super::drift::of_unit_length(turn.after(self.rotation));
        Self { position: self.position.plus(LaneVector { x, y, z }), rotation }
    }
}

impl Momentum<f64> {
    /// Nothing moves.
    pub const ZERO: Self =
        Self { linear: LaneVector { x: 0.0, y: 0.0, z: 0.0 }, angular: LaneVector { x: 0.0, y: 0.0, z: 0.0 } };

    /// Of a body that moves with `velocity` (m/s) and turns with `angular_velocity` (rad/s, world axes).
    pub fn of(body: &Body, turn: DQuat, velocity: DVec3, angular_velocity: DVec3) -> Self {
        let angular = turn * (body.moments * (turn.conjugate() * angular_velocity));
        Self { linear: LaneVector::splat((), velocity * body.mass), angular: LaneVector::splat((), angular) }
    }

    /// From kg m/s and kg m²/s.
    pub fn from_vectors(linear: DVec3, angular: DVec3) -> Self {
        Self { linear: LaneVector::splat((), linear), angular: LaneVector::splat((), angular) }
    }

    /// Whether all of it is finite.
    pub fn is_finite(&self) -> bool {
        vector(self.linear).is_finite() && vector(self.angular).is_finite()
    }

    /// Whether the center is no faster than `most` (m/s), nor a point a metre from its axis.
    pub fn is_slower(&self, body: &Body, turn: DQuat, most: f64) -> bool {
        let (velocity, spin) = self.velocities(body, turn);
        velocity.length_squared() <= most * most && spin.length_squared() <= most * most
    }

    /// Velocity of the center (m/s) and angular velocity (rad/s, world axes).
    pub fn velocities(&self, body: &Body, turn: DQuat) -> (DVec3, DVec3) {
        let in_body = turn.conjugate() * vector(self.angular);
        (vector(self.linear) / body.mass, turn * (in_body / body.moments))
    }

    /// Kinetic energy, joules.
    pub fn kinetic_energy(&self, body: &Body, turn: DQuat) -> f64 {
        let in_body = turn.conjugate() * vector(self.angular);
        let linear = vector(self.linear);
        0.5 * (linear.length_squared() / body.mass + in_body.dot(in_body / body.moments))
    }
}

impl<V: Lanes> Momentum<V> {
    /// Sum.
    #[inline(always)]
    pub fn plus(self, other: Self) -> Self {
        Self { linear: self.linear.plus(other.linear), angular: self.angular.plus(other.angular) }
    }

    /// Every component by the same factor.
    #[inline(always)]
    pub fn times(self, factor: f64) -> Self {
        Self { linear: self.linear.times(factor), angular: self.angular.times(factor) }
    }

    /// Difference.
    #[inline(always)]
    pub fn minus(self, other: Self) -> Self {
        Self { linear: self.linear.minus(other.linear), angular: self.angular.minus(other.angular) }
    }

    /// Velocities of a body whose axes stand as the columns of `axes`.
    #[inline(always)]
    pub fn velocity(self, body: &Body, axes: &LaneMatrix<V>) -> Velocity<V> {
        let in_body = axes.rotate_back(self.angular);
        let turned = LaneVector {
            x: in_body.x * (1.0 / body.moments.x),
            y: in_body.y * (1.0 / body.moments.y),
            z: in_body.z * (1.0 / body.moments.z),
        };
        let (v, w) = (self.linear.times(1.0 / body.mass), axes.rotate(turned));
        [v.x, v.y, v.z, w.x, w.y, w.z]
    }
}

/// The vector of one lane.
pub fn vector(v: LaneVector<f64>) -> DVec3 {
    DVec3::new(v.x, v.y, v.z)
}

/// The first and the last three of six numbers.
pub fn halves(six: &[f64; 6]) -> (DVec3, DVec3) {
    (DVec3::new(six[0], six[1], six[2]), DVec3::new(six[3], six[4], six[5]))
}
