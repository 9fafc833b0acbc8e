//! What is chased: something seen, or something that goes steadily.

use glam::{DQuat, DVec3};

use super::sensed::{Motion, Sensed};

/// A target, fixed or moving.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Target {
    /// A point and an orientation fixed to something seen.
    Seen {
        /// Which of [`Sensed::seen`]; one that is not there is where the action's own point is.
        index: usize,
        /// From the point seen, in its principal axes, metres.
        offset: DVec3,
        /// Of the target against the principal axes.
        turn: DQuat,
    },
    /// Goes on with the velocities it has when the action begins.
    Steady(Motion),
}

impl Target {
    /// A point seen, as it is.
    pub const fn seen(index: usize) -> Self {
        Self::Seen { index, offset: DVec3::ZERO, turn: DQuat::IDENTITY }
    }

    /// A place that moves with a velocity, metres and metres per second, from where the action begins.
    pub fn moving(position: DVec3, velocity: DVec3) -> Self {
        Self::Steady(Motion { velocity, ..Motion::at(position) })
    }

    /// An orientation that turns with an angular velocity, rad/s in world axes, from when the action begins.
    pub fn turning(rotation: DQuat, angular_velocity: DVec3) -> Self {
        Self::Steady(Motion { rotation, angular_velocity, ..Motion::at(DVec3::ZERO) })
    }

    /// Where it is now and how it moves.
    pub fn motion(&self, sensed: &Sensed<'_>) -> Motion {
        match *self {
            Self::Seen { index, offset, turn } => {
                let seen = sensed.seen.get(index).copied().unwrap_or(sensed.own);
                let arm = seen.rotation * offset;
                Motion {
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
