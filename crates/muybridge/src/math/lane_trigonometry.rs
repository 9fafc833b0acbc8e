//! Sine, cosine and rotation angle in SIMD lanes: polynomials without branches, same bits at every width.
//!
//! ```text
//! turn(w)  = 2 atan2(s, w)/s with s² + w² = 1    = 2 + y P(y),  y = 1 − w             φ = turn(w) · (x, y, z), X12
//! sin, cos : x = k π/2 + r, |r| ≤ π/4;  sin r = r + r³ S(r²),  cos r = 1 − r²/2 + r⁴ C(r²)
//! ```
//! The factor of the logarithm is a smooth function of `w` (nearest singularity at a full turn, w = −1), so it needs
//! no arc tangent, square root or division, and is equally accurate near 0 and near a half turn. Each lane selects one
//! of two polynomials; the longer polynomial is computed only if a lane needs it.
//! Coefficients: interpolation of `P`, `S`, `C` at Chebyshev nodes, computed with 60 digits and rounded once.
//! Errors are below 1.5 ulp for `turn` and 2 ulp for `sin` and `cos`.

use super::lanes::Lanes;

/// `2 atan2(s, w)/s` for `w` from 0 to 1, where `s² + w² = 1`: the length of a rotation vector over the length of the
/// vector part of its quaternion. 2 at no rotation, π at a half turn.
#[inline(always)]
pub(crate) fn turn_factor<V: Lanes>(w: V) -> V {
    let y = w.like(1.0) - w;
    let z = y * y;
    let near = even_odd(&TURN_NEAR, y, z);
    let is_far = y.like(NEAR).is_below(y);
    if V::any(is_far) { V::select(is_far, even_odd(&TURN, y, z), near) } else { near }
}

/// Largest `1 − w` of the shorter polynomial: rotations of about one radian, which includes nearly all between frames.
const NEAR: f64 = 0.125;

/// Sine and cosine of `x` radians, for `|x|` up to 100 000; the error grows beyond.
#[inline(always)]
pub(crate) fn sin_cos<V: Lanes>(x: V) -> (V, V) {
    let k = (x * core::f64::consts::FRAC_2_PI + 0.5).floor();
    let after_first = x - k * QUARTER_TURN[0];
    let second = k * QUARTER_TURN[1];
    let after_second = after_first - second;
    let lost = (after_first - after_second) - second;
    let r = after_second + (lost - k * QUARTER_TURN[2]);
    let (sin_r, cos_r) = (sin_near_zero(r), cos_near_zero(r));
    // k mod 4: 0 (s, c), 1 (c, −s), 2 (−s, −c), 3 (−c, s).
    let quadrant = k - (k * 0.25).floor() * 4.0;
    let pair = (quadrant * 0.5).floor();
    let is_odd = quadrant.like(0.5).is_below(quadrant - pair * 2.0);
    let (sin, cos) = (V::select(is_odd, cos_r, sin_r), V::select(is_odd, -sin_r, cos_r));
    let flip = quadrant.like(1.0) - pair * 2.0;
    (sin * flip, cos * flip)
}

/// `sin x / x` and `cos x` from `z = x²`, for `x` up to π/4: enough for a rotation by a vector, without root or
/// division.
#[inline(always)]
pub(crate) fn sinc_cos<V: Lanes>(z: V) -> (V, V) {
    (z * horner(&SIN, z) + 1.0, cos_by_square(z))
}

/// π/2 in three parts; the first two have 33 bits, so that k times them is exact.
const QUARTER_TURN: [f64; 3] = [1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21];

const SIN: [f64; 6] = [
    -0.16666666666666666,
    0.008333333333330936,
    -0.00019841269836740532,
    2.7557316093198404e-06,
    -2.5051129896450185e-08,
    1.5917988979397435e-10,
];

const COS: [f64; 6] = [
    0.041666666666666664,
    -0.0013888888888887389,
    2.48015872987544e-05,
    -2.755731726587808e-07,
    2.087614504941318e-09,
    -1.138254464534925e-11,
];

const TURN_NEAR: [f64; 10] = [
    2.0,
    0.6666666666666667,
    0.2666666666666155,
    0.11428571429661606,
    0.050793649901457835,
    0.02308805958299838,
    0.010655174816259431,
    0.004983989190340198,
    0.002253840885920082,
    0.0014582481052592485,
];

const TURN: [f64; 22] = [
    2.0,
    0.6666666666666667,
    0.2666666666666432,
    0.11428571428914909,
    0.05079365059453355,
    0.023088029186380383,
    0.010655896615014704,
    0.004974224291730924,
    0.0023277089344417613,
    0.0011881725108777055,
    0.00014421960518153483,
    0.0016660279590319789,
    -0.003914005491244156,
    0.009042672744038537,
    -0.015600671524048598,
    0.021178078299819394,
    -0.02208268779490969,
    0.017443946268203968,
    -0.010088539881080726,
    0.004046178693528794,
    -0.0010084152465064157,
    0.00011912020234058284,
];

/// Polynomial in `y`, even and odd powers each by Horner's rule in `z = y²`: half the latency of one chain.
#[inline(always)]
fn even_odd<V: Lanes, const N: usize>(coefficients: &[f64; N], y: V, z: V) -> V {
    let (mut even, mut odd) = (y.like(coefficients[N - 2]), y.like(coefficients[N - 1]));
    for pair in (0..N / 2 - 1).rev() {
        even = even * z + coefficients[2 * pair];
        odd = odd * z + coefficients[2 * pair + 1];
    }
    even + y * odd
}

#[inline(always)]
fn sin_near_zero<V: Lanes>(r: V) -> V {
    let z = r * r;
    r + r * (z * horner(&SIN, z))
}

#[inline(always)]
fn cos_near_zero<V: Lanes>(r: V) -> V {
    cos_by_square(r * r)
}

#[inline(always)]
fn cos_by_square<V: Lanes>(z: V) -> V {
    let half = z * 0.5;
    let rough = z.like(1.0) - half;
    rough + (((z.like(1.0) - rough) - half) + z * (z * horner(&COS, z)))
}

#[inline(always)]
fn horner<V: Lanes>(coefficients: &[f64; 6], z: V) -> V {
    let mut sum = z.like(coefficients[5]);
    for power in (0..5).rev() {
        sum = sum * z + coefficients[power];
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::lanes::{Kernel, Width};

    fn ulps(value: f64, reference: f64) -> f64 {
        let spacing = f64::from_bits(reference.abs().to_bits() + 1) - reference.abs();
        (value - reference).abs() / spacing
    }

    /// `acos(w) / √((1 − w)(1 + w))` with root and quotient in double-double precision.
    fn turn_factor_by_arc_cosine(w: f64) -> f64 {
        let (a, b) = (1.0 - w, 1.0 + w);
        let b_lost = w - (b - 1.0);
        let product = a * b;
        let product_lost = libm::fma(a, b, -product) + a * b_lost;
        let root = libm::sqrt(product);
        let root_lost = (libm::fma(-root, root, product) + product_lost) / (2.0 * root);
        let angle = libm::acos(w);
        let quotient = angle / root;
        2.0 * (quotient + (libm::fma(-quotient, root, angle) - quotient * root_lost) / root)
    }

    #[test]
    fn x12_the_factor_of_the_logarithm_is_within_2_ulp_from_no_turn_to_a_half_turn() {
        let steps = 200_000;
        for step in 0..steps {
            let even = f64::from(step) / f64::from(steps);
            let near_no_turn = 1.0 - libm::exp2(-52.0 * even) / 2.0;
            for w in [even, near_no_turn] {
                let error = ulps(turn_factor(w), turn_factor_by_arc_cosine(w));
                assert!(error <= 2.0, "w = {w}: {error} ulp");
            }
        }
        assert_eq!(turn_factor(1.0), 2.0);
        assert!(ulps(turn_factor(0.0), core::f64::consts::PI) <= 1.0);
    }

    #[test]
    fn sine_and_cosine_are_within_2_ulp() {
        for step in 0..200_000 {
            let share = f64::from(step) / 200_000.0 - 0.5;
            for reach in [1.6, 14.0, 3.0e3, 2.0e5] {
                let x = share * reach;
                let (sin, cos) = sin_cos(x);
                assert!(ulps(sin, libm::sin(x)) <= 2.0, "sin {x}: {sin} != {}", libm::sin(x));
                assert!(ulps(cos, libm::cos(x)) <= 2.0, "cos {x}: {cos} != {}", libm::cos(x));
            }
        }
    }

    #[test]
    fn sine_over_angle_and_cosine_are_within_2_ulp_from_the_square() {
        for step in 0..100_000 {
            let x = f64::from(step) / 100_000.0 * core::f64::consts::FRAC_PI_4;
            let (sinc, cos) = sinc_cos(x * x);
            let expected = if x > 0.0 { libm::sin(x) / x } else { 1.0 };
            assert!(ulps(sinc, expected) <= 3.0 && ulps(cos, libm::cos(x)) <= 2.0, "{x}");
        }
    }

    #[test]
    fn sine_and_cosine_hold_next_to_every_quarter_turn() {
        for quarter in -1000..1000 {
            let x = f64::from(quarter) * core::f64::consts::FRAC_PI_2;
            let (sin, cos) = sin_cos(x);
            assert!((sin - libm::sin(x)).abs() <= 2.0 * f64::EPSILON * libm::sin(x).abs(), "{quarter}");
            assert!((cos - libm::cos(x)).abs() <= 2.0 * f64::EPSILON * libm::cos(x).abs(), "{quarter}");
        }
    }

    /// All three functions, `WIDTH` numbers at a time.
    struct Sweep<'a>(&'a [f64], &'a mut [[f64; 3]]);

    impl Kernel for Sweep<'_> {
        type Output = ();
        #[inline(always)]
        fn run<V: Lanes>(self, token: V::Token) {
            let mut lanes = [[0.0; 8]; 3];
            for (x, out) in self.0.chunks_exact(V::WIDTH).zip(self.1.chunks_exact_mut(V::WIDTH)) {
                let x = V::load(token, x);
                let (sin, cos) = sin_cos(x);
                for (value, lane) in [sin, cos, turn_factor(cos.abs())].into_iter().zip(&mut lanes) {
                    value.store(lane);
                }
                for (lane, row) in out.iter_mut().enumerate() {
                    *row = lanes.map(|values| values[lane]);
                }
            }
        }
    }

    #[test]
    fn every_width_gives_the_same_bits() {
        let x: Vec<f64> = (0..4096).map(|i| f64::from(i) * 0.37 - 700.0).collect();
        let run = |width: Width| {
            let mut out = vec![[0.0; 3]; x.len()];
            width.run(Sweep(&x, &mut out));
            out.into_iter().flatten().map(f64::to_bits).collect::<Vec<_>>()
        };
        let single = run(Width::single());
        for width in Width::all() {
            assert_eq!(run(width), single, "{width}");
        }
    }
}
