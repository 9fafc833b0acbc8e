//! Targets of actions: a point that the behavior senses, or steady motion.

use glam::{DQuat, DVec3};

use super::sensed::{ActionInput, PointMotion};

/// Target of an action, fixed or moving.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Target {
    /// A point and an orientation fixed to a sensed point.
    Seen {
        /// Index into [`ActionInput::seen`]; if it is out of range, the action's own point is used.
        index: usize,
        /// Offset from the sensed point, in its principal axes, meters.
        offset: DVec3,
        /// Orientation of the target relative to the principal axes.
        turn: DQuat,
    },
    /// Steady motion: continues with the velocities it has when the action begins.
    Steady(PointMotion),
}

impl Target {
    /// Target at a sensed point and its orientation.
    pub const fn seen(index: usize) -> Self {
        Self::Seen { index, offset: DVec3::ZERO, turn: DQuat::IDENTITY }
    }

    /// Target at a position that moves with a velocity, meters and meters per second, from the begin of the action.
    pub fn moving(position: DVec3, velocity: DVec3) -> Self {
        Self::Steady(PointMotion { velocity, ..PointMotion::at(position) })
    }

    /// Current position, orientation and velocities of the target.
    pub(crate) fn motion(&self, sensed: &ActionInput<'_>) -> PointMotion {
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
