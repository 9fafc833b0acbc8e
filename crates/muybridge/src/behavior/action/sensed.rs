//! What a behavior senses: its own point, where it was when it began, what it looks at, and the time. Nothing else decides.

use glam::{DQuat, DVec3};

use crate::math::rotation::exp;
use crate::rigid::{Body, Momentum, Pose};

/// How a point of a body moves, and the body with it. World axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointMotion {
    /// Of the point, metres.
    pub position: DVec3,
    /// Of the body's principal axes.
    pub rotation: DQuat,
    /// Of the point, metres per second.
    pub velocity: DVec3,
    /// Radians per second.
    pub angular_velocity: DVec3,
}

/// A point of a rigid body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BodyPoint {
    /// Index of the body.
    pub body: usize,
    /// In its principal axes from its center of mass, metres.
    pub in_body: DVec3,
}

/// What a behavior is a function of.
#[derive(Clone, Copy, Debug)]
pub struct ActionInput<'a> {
    /// Seconds since the start of the run.
    pub time: f64,
    /// Seconds since the action began.
    pub elapsed: f64,
    /// Seconds of the coming step.
    pub step: f64,
    /// The point it acts on.
    pub own: PointMotion,
    /// The same when the action began.
    pub start: PointMotion,
    /// The points it looks at, in the order in which it asked for them.
    pub seen: &'a [PointMotion],
}

impl PointMotion {
    /// At rest at a place.
    pub const fn at(position: DVec3) -> Self {
        Self { position, rotation: DQuat::IDENTITY, velocity: DVec3::ZERO, angular_velocity: DVec3::ZERO }
    }

    /// Of a point of a body, `in_body` from its center in its principal axes.
    pub fn of(body: &Body, pose: &Pose<f64>, momentum: &Momentum<f64>, in_body: DVec3) -> Self {
        let (rotation, arm) = (pose.turn(), pose.turn() * in_body);
        let (velocity, angular_velocity) = momentum.velocities(body, rotation);
        Self {
            position: pose.place() + arm,
            rotation,
            velocity: velocity + angular_velocity.cross(arm),
            angular_velocity,
        }
    }

    /// Where it is after some seconds if both velocities stay.
    pub fn after(&self, seconds: f64) -> Self {
        Self {
            position: self.position + self.velocity * seconds,
            rotation: (exp(self.angular_velocity * seconds) * self.rotation).normalize(),
            ..*self
        }
    }
}

impl ActionInput<'_> {
    /// A point at rest at the beginning of an action that sees nothing: to try a behavior without a world.
    pub const fn alone(own: PointMotion, step: f64) -> Self {
        Self { time: 0.0, elapsed: 0.0, step, own, start: own, seen: &[] }
    }
}
