//! What is chased: something seen, or something that goes steadily.

use glam::{DQuat, DVec3};

use super::sensed::{ActionInput, PointMotion};

/// A target, fixed or moving.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Target {
    /// A point and an orientation fixed to something seen.
    Seen {
        /// Which of [`ActionInput::seen`]; one that is not there is where the action's own point is.
        index: usize,
        /// From the point seen, in its principal axes, metres.
        offset: DVec3,
        /// Of the target against the principal axes.
        turn: DQuat,
    },
    /// Goes on with the velocities it has when the action begins.
    Steady(PointMotion),
}

impl Target {
    /// A point seen, as it is.
    pub const fn seen(index: usize) -> Self {
        Self::Seen { index, offset: DVec3::ZERO, turn: DQuat::IDENTITY }
    }

    /// A place that moves with a velocity, metres and metres per second, from where the action begins.
    pub fn moving(position: DVec3, velocity: DVec3) -> Self {
        Self::Steady(PointMotion { velocity, ..PointMotion::at(position) })
    }

    /// An orientation that turns with an angular velocity, rad/s in world axes, from when the action begins.
    pub fn turning(rotation: DQuat, angular_velocity: DVec3) -> Self {
        Self::Steady(PointMotion { rotation, angular_velocity, ..PointMotion::at(DVec3::ZERO) })
    }

    /// Where it is now and how it moves.
    pub fn motion(&self, sensed: &ActionInput<'_>) -> PointMotion {
        match *self {
            Self::Seen { index, offset, turn } => {
                let seen = sensed.seen.get(index).copied().unwrap_or(sensed.own);
                let arm = seen.rotation * offset;
                PointMotion {
                    position: seen.position + arm,
                    rotation: (seen.rotation * turn).normalize(),
                    velocity: seen.velocity + seen.angular_velocity.cross(arm),
                    angular_velocity: seen.angular_velocity,
                }
            }
            Self::Steady(motion) => motion.after(sensed.elapsed),
        }
    }
}
