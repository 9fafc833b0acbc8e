//! Signed volume of four particles.
//!
//! ```text
//! V = (x2 − x1)·((x3 − x1) × (x4 − x1))/6,    ∇2 V = (x3 − x1) × (x4 − x1)/6  and so round,   ∇1 = −∇2 − ∇3 − ∇4
//! ```
//! The sign distinguishes a tetrahedron from its mirror image, which distances cannot. Specification: mathematics 3.11.

use crate::math::arithmetic::Arithmetic;
use crate::math::lane_rotation::LaneVector;
use crate::particles::projection::Measured;

/// Signed volume (m³) of four corners, with its gradient (m²).
#[inline(always)]
pub fn volume<A: Arithmetic>(corners: [LaneVector<A>; 4]) -> Measured<A, 4> {
    let [a, b, c] = [1, 2, 3].map(|corner| corners[corner].minus(corners[0]));
    let [by_a, by_b, by_c] = [b.cross(c), c.cross(a), a.cross(b)].map(|product| product.times(1.0 / 6.0));
    let by_first = by_a.plus(by_b).plus(by_c).times(-1.0);
    Measured { value: a.dot(by_a), gradient: [by_first, by_a, by_b, by_c] }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::math::random::Random;

    #[test]
    fn the_gradient_of_a_volume_is_that_of_finite_differences_and_a_flat_one_is_filled() {
        let mut random = Random::new(5);
        let corners: [DVec3; 4] = core::array::from_fn(|_| random.vector());
        let lanes = |corners: [DVec3; 4]| corners.map(|corner| LaneVector::<f64>::splat((), corner));
        let value = |corners: [DVec3; 4]| volume(lanes(corners)).value;
        let expected = (corners[1] - corners[0]).dot((corners[2] - corners[0]).cross(corners[3] - corners[0])) / 6.0;
        assert!((value(corners) - expected).abs() < 1e-15);
        let gradient = volume(lanes(corners)).gradient;
        for particle in 0..4 {
            for (axis, found) in
                [gradient[particle].x, gradient[particle].y, gradient[particle].z].into_iter().enumerate()
            {
                let (mut up, mut down) = (corners, corners);
                up[particle][axis] += 1e-4;
                down[particle][axis] -= 1e-4;
                assert!(((value(up) - value(down)) / 2e-4 - found).abs() < 1e-9);
            }
        }
        let inverted = volume(lanes([corners[1], corners[0], corners[2], corners[3]])).value;
        assert!((inverted + expected).abs() < 1e-15, "the mirror image has the opposite volume");
    }
}
