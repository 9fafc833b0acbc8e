//! Motion of a free particle by one substep.
//!
//! ```text
//! x' = x + e^{−c h} (x − x*) h/h* + a h (h + h*)/2           h* the substep before                      (3.1.2)
//! x* = x − v h + ½ a h²                                    the start, exact for constant a            (3.1.1)
//! ```
//! With one length of the substep this is `2x − x* + a h²`. The displacement `x − x*` is the velocity half a substep ago;
//! `(x' − x*)/(h + h*)` is the velocity at `x`, to second order. Specification: mathematics 3.1 (R1, J1, J2, J4, J43).

use glam::DVec3;

/// What a substep does to the displacement of every particle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stride {
    /// `h/h*`.
    pub ratio: f64,
    /// `h (h + h*)/2`, s².
    pub square: f64,
}

impl Stride {
    /// From a substep of `last` seconds to one of `seconds`.
    pub fn new(seconds: f64, last: f64) -> Self {
        if last > 0.0 {
            Self { ratio: seconds / last, square: 0.5 * seconds * (seconds + last) }
        } else {
            Self { ratio: 1.0, square: seconds * seconds }
        }
    }

    /// (3.1.2): the displacement that comes after `displacement`; `kept` is `e^{−c h}`.
    #[inline(always)]
    pub fn displacement(&self, displacement: DVec3, acceleration: DVec3, kept: f64) -> DVec3 {
        displacement * (self.ratio * kept) + acceleration * self.square
    }
}

/// (3.1.1): where a particle was `seconds` ago.
pub fn start(position: DVec3, velocity: DVec3, acceleration: DVec3, seconds: f64) -> DVec3 {
    position - velocity * seconds + acceleration * (0.5 * seconds * seconds)
}

/// Velocity Verlet: position and velocity after `seconds`, the acceleration being a function of the position. The same
/// trajectory as (3.1.2), with the velocity at the same time as the position (J43).
pub fn velocity_verlet(
    position: DVec3,
    velocity: DVec3,
    acceleration: impl Fn(DVec3) -> DVec3,
    seconds: f64,
) -> (DVec3, DVec3) {
    let half = velocity + acceleration(position) * (0.5 * seconds);
    let position = position + half * seconds;
    (position, half + acceleration(position) * (0.5 * seconds))
}
