//! The angle of a direction in a plane, for any kind of number.
//!
//! ```text
//! tan(φ/2) = sin φ / (1 + cos φ),   tan(φ/2) = t/(1 + √(1 + t²)) with t = tan φ
//! atan t = t − t³/3 + t⁵/5 − …      |t| ≤ tan(π/16): twelve terms reach the last bit of an f64
//! ```

use core::f64::consts::PI;

use super::arithmetic::Arithmetic;

/// The angle whose sine and cosine are in the ratio of `sine` to `cosine`, in (−π, π]; 0 where both are 0.
#[inline(always)]
pub fn angle<V: Arithmetic>(sine: V, cosine: V) -> V {
    let one = sine.like(1.0);
    let length = (sine * sine + cosine * cosine).sqrt();
    let half = sine.abs() / (length + cosine.abs()).greatest(sine.like(1e-30));
    let quarter = half / (one + (one + half * half).sqrt());
    let eighth = quarter / (one + (one + quarter * quarter).sqrt());
    let acute = arc_tangent_near_zero(eighth) * 8.0;
    let obtuse = -acute + PI;
    V::select(cosine.is_below(sine.like(0.0)), obtuse, acute).with_sign_of(sine)
}

#[inline(always)]
fn arc_tangent_near_zero<V: Arithmetic>(t: V) -> V {
    let z = t * t;
    let mut sum = t.like(-1.0 / 23.0);
    for term in (0..11).rev() {
        let sign = if term % 2 == 0 { 1.0 } else { -1.0 };
        sum = sum * z + sign / f64::from(2 * term + 1);
    }
    t * sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::arithmetic::Single;

    #[test]
    fn the_angle_of_a_direction_is_that_of_libm() {
        for step in -2000..=2000 {
            let phi = f64::from(step) * PI / 2000.0;
            let (sine, cosine) = (2.5 * libm::sin(phi), 2.5 * libm::cos(phi));
            assert!((angle(sine, cosine) - libm::atan2(sine, cosine)).abs() < 1.5e-15, "{phi}");
            let single = angle(Single(sine as f32), Single(cosine as f32)).0;
            assert!((f64::from(single) - libm::atan2(sine, cosine)).abs() < 6e-7, "{phi}");
        }
        assert_eq!(angle(0.0, 0.0), 0.0);
    }
}
