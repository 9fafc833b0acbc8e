//! Verlet integration of a free particle by one substep.
//!
//! ```text
//! x' = x + k (x − x*) h/h* + g a h (h + h*)/2               h* the substep before                      (3.1.2)
//! k = e^{−c h},  g = (1 − k)/(c h)                         damping c: a constant force ends at the speed a/c
//! x* = x − v h + ½ a h²                                    the start, exact for constant a            (3.1.1)
//! ```
//! With constant substeps this is `2x − x* + a h²`. The displacement `x − x*` is the velocity half a substep ago; `(x'
//! − x*)/(h + h*)` is the velocity at `x`, to second order. Specification: mathematics 3.1 (R1, J1, J2, J4).

use glam::DVec3;

/// Coefficients of the Verlet step, the same for every particle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stride {
    /// Ratio `h/h*` of this substep to the last.
    pub ratio: f64,
    /// Factor `h (h + h*)/2` of the acceleration, s².
    pub square: f64,
}

impl Stride {
    /// Coefficients for a substep of `seconds` after one of `last` seconds.
    pub fn new(seconds: f64, last: f64) -> Self {
        if last > 0.0 {
            Self { ratio: seconds / last, square: 0.5 * seconds * (seconds + last) }
        } else {
            Self { ratio: 1.0, square: seconds * seconds }
        }
    }

    /// Displacement (3.1.2) that follows `displacement`.
    #[inline(always)]
    pub fn displacement(&self, displacement: DVec3, acceleration: DVec3, damping: Damping) -> DVec3 {
        displacement * (self.ratio * damping.kept) + acceleration * (self.square * damping.given)
    }
}

/// Shares of a velocity and of a force that damping leaves over a substep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Damping {
    /// `k`.
    pub kept: f64,
    /// `g`.
    pub given: f64,
}

impl Damping {
    /// No damping.
    pub const NONE: Self = Self { kept: 1.0, given: 1.0 };

    /// Damping at a `rate` (1/s) over a substep of `seconds`.
    pub fn new(rate: f64, seconds: f64) -> Self {
        let exponent = rate * seconds;
        if exponent == 0.0 {
            return Self::NONE;
        }
        Self { kept: libm::exp(-exponent), given: -libm::expm1(-exponent) / exponent }
    }

    /// The same in the sources' form `x' = (1 + k) x − k x* + a h²` (J2): a fall ends at `a h/(1 − k)`.
    pub fn of_sources(rate: f64, seconds: f64) -> Self {
        Self { given: 1.0, ..Self::new(rate, seconds) }
    }
}

/// Position of a particle `seconds` ago (3.1.1).
pub fn start(position: DVec3, velocity: DVec3, acceleration: DVec3, seconds: f64) -> DVec3 {
    position - velocity * seconds + acceleration * (0.5 * seconds * seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_that_changes_stays_on_the_parabola() {
        let (a, v) = (DVec3::new(0.0, -9.81, 0.0), DVec3::new(3.0, 40.0, 0.0));
        let (mut h, mut t) = (1.0 / 60.0, 0.0);
        let (mut x, mut before) = (DVec3::ZERO, start(DVec3::ZERO, v, a, h));
        for step in 0..600 {
            let next_h = (1.0 + 0.5 * libm::sin(f64::from(step))) / 60.0;
            let next = x + Stride::new(next_h, h).displacement(x - before, a, Damping::NONE);
            (before, x, h, t) = (x, next, next_h, t + next_h);
            let exact = v * t + a * (0.5 * t * t);
            assert!(x.distance(exact) < 1e-9, "{}", x.distance(exact));
        }
    }
}
