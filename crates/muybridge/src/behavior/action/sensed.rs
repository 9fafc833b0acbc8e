//! Input of an action's behavior: motion of its own point, start motion, motion of observed points, and the time. A behavior depends on nothing
//! else.

use glam::{DQuat, DVec3};

use crate::math::rotation::exp;
use crate::rigid::{Body, Momentum, Pose};

/// Motion of a point of a body, and of the body with it, in world axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointMotion {
    /// Position of the point, meters.
    pub position: DVec3,
    /// Orientation of the body's principal axes.
    pub rotation: DQuat,
    /// Velocity of the point, meters per second.
    pub velocity: DVec3,
    /// Angular velocity of the body, radians per second.
    pub angular_velocity: DVec3,
}

/// A point of a rigid body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BodyPoint {
    /// Index of the body.
    pub body: usize,
    /// Position in the body's principal axes from its center of mass, meters.
    pub in_body: DVec3,
}

/// Everything that a behavior may depend on.
#[derive(Clone, Copy, Debug)]
pub struct ActionInput<'a> {
    /// Seconds since the start of the run.
    pub time: f64,
    /// Seconds since the action began.
    pub elapsed: f64,
    /// Duration of the coming step, seconds.
    pub step: f64,
    /// Motion of the point on which the action acts.
    pub own: PointMotion,
    /// Motion of this point when the action began.
    pub start: PointMotion,
    /// Motions of the observed points, in the order of [`super::Action::sees`].
    pub seen: &'a [PointMotion],
}

impl PointMotion {
    /// Motion of a point at rest at `position`.
    pub const fn at(position: DVec3) -> Self {
        Self { position, rotation: DQuat::IDENTITY, velocity: DVec3::ZERO, angular_velocity: DVec3::ZERO }
    }

    /// Motion of a point of a body, `in_body` from its center of mass in its principal axes.
    pub(crate) fn of(body: &Body, pose: &Pose<f64>, momentum: &Momentum<f64>, in_body: DVec3) -> Self {
        let (rotation, arm) = (pose.turn(), pose.turn() * in_body);
        let (velocity, angular_velocity) = momentum.velocities(body, rotation);
        Self {
            position: pose.place() + arm,
            rotation,
            velocity: velocity + angular_velocity.cross(arm),
            angular_velocity,
        }
    }

    /// Extrapolates the motion by some seconds with constant velocity and angular velocity.
    pub(crate) fn after(&self, seconds: f64) -> Self {
        Self {
            position: self.position + self.velocity * seconds,
            rotation: (exp(self.angular_velocity * seconds) * self.rotation).normalize(),
            ..*self
        }
    }
}

impl ActionInput<'_> {
    /// Input of a new action on a point at rest without observed points, to test a behavior without a world.
    pub const fn alone(own: PointMotion, step: f64) -> Self {
        Self { time: 0.0, elapsed: 0.0, step, own, start: own, seen: &[] }
    }
}
