//! Pose and momentum of bodies, with one number or one lane of numbers per component.

use glam::{DQuat, DVec3};

use super::Body;
use crate::math::lane_rotation::{LaneMatrix, LaneRotation, LaneVector};
use crate::math::lanes::Lanes;

/// Position and orientation of the principal frame of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose<V> {
    /// Position of the center of mass, meters.
    pub position: LaneVector<V>,
    /// Orientation of the principal axes.
    pub rotation: LaneRotation<V>,
}

/// Linear momentum of a body and angular momentum about its center of mass, world axes. Impulses have this type too.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Momentum<V> {
    /// Linear momentum, kg m/s.
    pub linear: LaneVector<V>,
    /// Angular momentum, kg m²/s.
    pub angular: LaneVector<V>,
}

/// Velocity of the center of mass (m/s) and angular velocity (rad/s), world axes; linear part first.
pub type Velocity<V> = [V; 6];

impl Pose<f64> {
    /// Pose from position and orientation.
    pub fn new(position: DVec3, rotation: DQuat) -> Self {
        Self { position: LaneVector::splat((), position), rotation: LaneRotation::splat((), rotation) }
    }

    /// Position of the center of mass, meters.
    pub fn place(&self) -> DVec3 {
        vector(self.position)
    }

    /// Orientation of the principal axes.
    pub fn turn(&self) -> DQuat {
        let LaneVector { x, y, z } = self.rotation.axis;
        DQuat::from_xyzw(x, y, z, self.rotation.w)
    }

    /// Whether position and orientation are finite.
    pub fn is_finite(&self) -> bool {
        self.place().is_finite() && self.turn().is_finite()
    }

    /// Whether the pose is valid and its position is within `most` meters of that of `other`.
    pub fn is_near(&self, other: &Self, most: f64) -> bool {
        // A comparison with NaN is false.
        let is_turn = (0.5..=2.0).contains(&self.turn().length_squared());
        is_turn && (self.place() - other.place()).length_squared() <= most * most
    }

    /// World position of a point of the body, meters.
    pub fn point(&self, in_body: DVec3) -> DVec3 {
        self.place() + self.turn() * in_body
    }
}

impl<V: Lanes> Pose<V> {
    /// Identity pose, in lanes as wide as `zero`.
    #[inline(always)]
    pub fn like(zero: V) -> Self {
        let (zero, one) = (zero.like(0.0), zero.like(1.0));
        let nothing = LaneVector { x: zero, y: zero, z: zero };
        Self { position: nothing, rotation: LaneRotation { axis: nothing, w: one } }
    }
}

impl<V: Lanes> Pose<V> {
    /// World position of a point of the body, meters: [`Self::point`] in lanes, with the same bits.
    #[inline(always)]
    pub fn point_in_lanes(&self, in_body: DVec3) -> LaneVector<V> {
        let LaneRotation { axis, w } = self.rotation;
        let arm = LaneVector::like(w.like(0.0), in_body);
        let turned = arm.scaled(w * w - axis.dot(axis)).plus(axis.scaled(arm.dot(axis) * 2.0));
        self.position.plus(turned.plus(axis.cross(arm).scaled(w * 2.0)))
    }

    /// Moves the pose by three meters and a rotation vector of three radians, world axes. The axis is exact; the half
    /// angle has a tangent of half the vector's length.
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
    /// Zero momentum.
    pub const ZERO: Self =
        Self { linear: LaneVector { x: 0.0, y: 0.0, z: 0.0 }, angular: LaneVector { x: 0.0, y: 0.0, z: 0.0 } };

    /// Momentum of a body with `velocity` (m/s) and `angular_velocity` (rad/s, world axes).
    pub fn of(body: &Body, turn: DQuat, velocity: DVec3, angular_velocity: DVec3) -> Self {
        let angular = turn * (body.moments * (turn.conjugate() * angular_velocity));
        Self { linear: LaneVector::splat((), velocity * body.mass), angular: LaneVector::splat((), angular) }
    }

    /// Momentum from vectors in kg m/s and kg m²/s.
    pub fn from_vectors(linear: DVec3, angular: DVec3) -> Self {
        Self { linear: LaneVector::splat((), linear), angular: LaneVector::splat((), angular) }
    }

    /// Whether all components are finite.
    pub fn is_finite(&self) -> bool {
        vector(self.linear).is_finite() && vector(self.angular).is_finite()
    }

    /// Whether speed is at most `most` m/s and angular speed at most `most` rad/s.
    pub fn is_slower(&self, body: &Body, turn: DQuat, most: f64) -> bool {
        let (velocity, spin) = self.velocities(body, turn);
        velocity.length_squared() <= most * most && spin.length_squared() <= most * most
    }

    /// Velocity of the center of mass (m/s) and angular velocity (rad/s, world axes).
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
    /// Momentum of six numbers, linear part first.
    #[inline(always)]
    pub fn of_six([x, y, z, a, b, c]: [V; 6]) -> Self {
        Self { linear: LaneVector { x, y, z }, angular: LaneVector { x: a, y: b, z: c } }
    }

    /// Sum of two momenta.
    #[inline(always)]
    pub fn plus(self, other: Self) -> Self {
        Self { linear: self.linear.plus(other.linear), angular: self.angular.plus(other.angular) }
    }

    /// Scales every component by a factor.
    #[inline(always)]
    pub fn times(self, factor: f64) -> Self {
        Self { linear: self.linear.times(factor), angular: self.angular.times(factor) }
    }

    /// Difference of two momenta.
    #[inline(always)]
    pub fn minus(self, other: Self) -> Self {
        Self { linear: self.linear.minus(other.linear), angular: self.angular.minus(other.angular) }
    }

    /// Velocity of a body whose principal axes are the columns of `axes`.
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

    /// Velocity as [`Self::velocity`], with `brake` (kg m²) added to each principal moment of inertia.
    #[inline(always)]
    pub fn braked_velocity(self, body: &Body, axes: &LaneMatrix<V>, brake: V) -> Velocity<V> {
        let (one, in_body) = (brake.like(1.0), axes.rotate_back(self.angular));
        let turned = LaneVector {
            x: in_body.x * (one / (brake + body.moments.x)),
            y: in_body.y * (one / (brake + body.moments.y)),
            z: in_body.z * (one / (brake + body.moments.z)),
        };
        let (v, w) = (self.linear.times(1.0 / body.mass), axes.rotate(turned));
        [v.x, v.y, v.z, w.x, w.y, w.z]
    }
}

/// Vector of a single lane.
pub fn vector(v: LaneVector<f64>) -> DVec3 {
    DVec3::new(v.x, v.y, v.z)
}

/// Linear and angular half of six numbers.
pub fn halves(six: &[f64; 6]) -> (DVec3, DVec3) {
    (DVec3::new(six[0], six[1], six[2]), DVec3::new(six[3], six[4], six[5]))
}
