//! Random bodies and motions within bounds that suit every test, and what the tests of several files command.

use super::{Gains, PointMotion, Target};
use crate::math::random::Random;
use crate::math::rotation::exp;
use crate::rigid::Body;
use glam::{DQuat, DVec3};

/// A body of 1 to 3 kg with physically possible moments of inertia.
pub(super) fn any_body(random: &mut Random) -> Body {
    let moments = DVec3::new(1.0, 2.0, 2.5) + random.vector() * 0.4;
    Body::new(2.0 + random.vector().x, moments).unwrap()
}

/// A motion within a meter and a turn of the origin, up to 3 m/s and 3 rad/s along each axis.
pub(super) fn any_motion(random: &mut Random) -> PointMotion {
    PointMotion {
        position: random.vector(),
        rotation: exp(random.vector() * 1.5),
        velocity: random.vector() * 3.0,
        angular_velocity: random.vector() * 3.0,
    }
}

/// α = ½, β = ¾: arrives and stops in two steps.
pub(super) fn two_steps() -> Gains {
    Gains::new(0.5, 0.75).unwrap()
}

/// Target orientation that turns with an angular velocity, rad/s in world axes, from the begin of the action.
pub(super) fn turning(rotation: DQuat, angular_velocity: DVec3) -> Target {
    Target::Steady(PointMotion { rotation, angular_velocity, ..PointMotion::at(DVec3::ZERO) })
}
