//! Random bodies and motions, within bounds that suit every test.

use super::PointMotion;
use crate::math::random::Random;
use crate::math::rotation::exp;
use crate::rigid::Body;
use glam::DVec3;

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
