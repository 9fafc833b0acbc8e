//! Angle of a vector in the plane (atan2) in SIMD lanes: one division and a polynomial, no branches, same bits at every
//! width.
//!
//! ```text
//! angle(y, x) = atan2(y, x)
//! t = least(|x|, |y|)/greatest(|x|, |y|);   t > tan π/8:  atan t = π/4 + atan((t − 1)/(t + 1));   atan t = t + t³ P(t²)
//! ```
//! Coefficients: interpolation of `P` at Chebyshev nodes, computed with 70 digits and rounded once. Within 2 ulp of the
//! truth in f64 and f32.

use core::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

use super::arithmetic::Arithmetic;

/// Angle from the x axis to the vector (x, y), −π to π radians; 0 for the zero vector.
#[inline(always)]
pub(crate) fn angle<V: Arithmetic>(y: V, x: V) -> V {
    let (zero, one) = (y.like(0.0), y.like(1.0));
    let (height, width) = (y.abs(), x.abs());
    let is_steep = width.is_below(height);
    let (least, most) = (V::select(is_steep, width, height), V::select(is_steep, height, width));
    let is_far = (most * TAN_OF_AN_EIGHTH_OF_PI).is_below(least);
    let (over, under) = (V::select(is_far, least - most, least), V::select(is_far, most + least, most));
    let t = over / V::select(zero.is_below(under), under, one);
    let z = t * t;
    let mut sum = t.like(ARC_TANGENT[10]);
    for power in (0..10).rev() {
        sum = sum * z + ARC_TANGENT[power];
    }
    let first = t + t * (z * sum) + V::select(is_far, t.like(FRAC_PI_4), zero);
    let quarter = V::select(is_steep, -first + FRAC_PI_2, first);
    V::select(x.is_below(zero), -quarter + PI, quarter).with_sign_of(y)
}

const TAN_OF_AN_EIGHTH_OF_PI: f64 = core::f64::consts::SQRT_2 - 1.0;

const ARC_TANGENT: [f64; 11] = [
    -0.3333333333333333,
    0.1999999999999552,
    -0.14285714284666542,
    0.11111111015256292,
    -0.09090904578121085,
    0.07692183190760651,
    -0.0666451144646022,
    0.05858148904795124,
    -0.050854496960392584,
    0.039231657085083686,
    -0.019176885636589053,
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::arithmetic::Single;

    #[test]
    fn the_angle_is_that_of_the_library_all_the_way_round() {
        for step in 0..100_000 {
            let turn = (f64::from(step) / 50_000.0 - 1.0) * PI;
            for length in [1e-12, 0.7, 3.0e8] {
                let (y, x) = (length * libm::sin(turn), length * libm::cos(turn));
                let truth = libm::atan2(y, x);
                assert!((angle(y, x) - truth).abs() <= 2.0 * f64::EPSILON * truth.abs(), "{y} {x}");
                let single = angle(Single(y as f32), Single(x as f32)).0;
                let truth = libm::atan2f(y as f32, x as f32);
                assert!((single - truth).abs() <= 2.0 * f32::EPSILON * truth.abs(), "{y} {x}: {single} {truth}");
            }
        }
    }

    #[test]
    fn the_axes_are_exact_and_no_direction_is_no_angle() {
        assert_eq!([angle(0.0, 1.0), angle(1.0, 0.0), angle(-1.0, 0.0)], [0.0, FRAC_PI_2, -FRAC_PI_2]);
        assert_eq!([angle(0.0, -1.0), angle(1.0, 1.0), angle(0.0, 0.0)], [PI, FRAC_PI_4, 0.0]);
        assert!(angle(1e-300, -1.0) == PI);
    }
}
