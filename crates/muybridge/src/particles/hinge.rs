//! Hinge limit: keeps the angle of a hinge in its range.
//!
//! ```text
//! φ = atan2(R_32 − R_23, R_22 + R_33),   R_mn = a_m·b_n
//! ```
//! The angle is the twist of [`super::swing_twist`] about the common hinge axis. Specification: mathematics 4.7.

use super::axes::AxesOfParticles;
use super::model::Hinge;
use super::swing_twist::AngleRange;
use crate::math::arithmetic::Arithmetic;
use crate::math::lane_rotation::LaneVector;

/// The limit of one hinge, prepared for solving.
#[derive(Clone, Debug, PartialEq)]
pub struct HingeLimit {
    axes: AxesOfParticles,
    range: AngleRange,
    compliance: f64,
}

impl HingeLimit {
    /// Prepares the limit. `masses` covers all particles of the model, kilograms; indices must be valid.
    pub fn new(hinge: &Hinge, masses: &[f64]) -> Self {
        let axes = AxesOfParticles::new(&hinge.a, &hinge.b, masses);
        Self { axes, range: AngleRange::new(hinge.range), compliance: hinge.compliance }
    }

    /// Corrects a violated limit once in `positions`, one per particle; `substep` in seconds.
    #[inline(always)]
    pub fn correct<V: Arithmetic>(&self, substep: f64, positions: &mut [LaneVector<V>]) {
        let axes = self.axes.axes(positions);
        if V::any(self.range.may_exceed(&axes)) {
            let softness = self.compliance / (substep * substep);
            self.axes.correct(&self.range.excess(&axes), softness, positions);
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::math::random::Random;
    use crate::math::rotation;
    use crate::particles::Direction;
    use crate::particles::axes::tests::lanes;

    /// A knee hinge of two bodies whose particles are an origin and the ends of their axes.
    fn knee() -> Hinge {
        let axis = |first: usize, axis: usize| {
            let mut weights = [-1.0, 0.0, 0.0, 0.0];
            weights[axis + 1] = 1.0;
            Direction { particles: core::array::from_fn(|k| first + k), weights }
        };
        let axes = |first| core::array::from_fn(|k| axis(first, k));
        Hinge { a: axes(0), b: axes(4), range: [0.0, 2.4], compliance: 0.0, friction: 0.0 }
    }

    #[test]
    fn a_knee_that_bends_backward_is_put_straight() {
        let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        let mut random = Random::new(1);
        let hinge = knee();
        let limit = HingeLimit::new(&hinge, &[1.0; 8]);
        for _ in 0..50 {
            let bend = rotation::exp(DVec3::X * (-0.01 - 0.3 * random.unit()));
            let positions = [corners, corners.map(|corner| bend * corner)].concat();
            let mut moved = lanes(&positions);
            for _ in 0..60 {
                limit.correct(0.001, &mut moved);
            }
            let now: Vec<DVec3> = moved.iter().map(|p| DVec3::new(p.x, p.y, p.z)).collect();
            let row = |k: usize| [hinge.a[k].vector(&now), hinge.b[k].vector(&now)];
            let ([a2, b2], [a3, b3]) = (row(1), row(2));
            let bent = libm::atan2(a3.dot(b2) - a2.dot(b3), a2.dot(b2) + a3.dot(b3));
            // The last step may end slightly inside the range.
            assert!(bent > -1e-9 && bent < 1e-3, "{bent}");
        }
    }

    #[test]
    fn inside_its_range_a_hinge_does_nothing() {
        let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        let bent = corners.map(|corner| rotation::exp(DVec3::X * 1.2) * corner);
        let hinge = knee();
        let mut moved = lanes(&[corners, bent].concat());
        let before: Vec<f64> = moved.iter().map(|p| p.x + 2.0 * p.y + 3.0 * p.z).collect();
        HingeLimit::new(&hinge, &[1.0; 8]).correct(0.001, &mut moved);
        let after: Vec<f64> = moved.iter().map(|p| p.x + 2.0 * p.y + 3.0 * p.z).collect();
        assert_eq!(before, after);
    }
}
