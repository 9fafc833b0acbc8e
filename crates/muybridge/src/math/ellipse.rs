//! Distance of a point to an ellipse, and its direction.
//!
//! ```text
//! q(t) = (a y/(t + a²), b z/(t + b²)),   ‖q(t)‖ = 1,  t > −a²,  a ≤ b       the nearest point is (a q_y, b q_z)
//! t ← t + (‖q‖ − 1) ‖q‖²/(q_y²/(t + a²) + q_z²/(t + b²))                    from max(a y − a², b z − b²): 1/‖q‖ is concave, so never past it
//! ```
//! This iteration converges for any ellipse, however narrow. The distance along the ray from the center is far from the
//! least distance for narrow ellipses, and Newton's method on its slope oscillates.
//! Specification: mathematics 4.7; Moré and Sorensen 1983 for the equation that is solved.

use super::lanes::Lanes;

/// Number of iterations that leaves only rounding errors, for axes as 1 to 30 000.
const STEPS: u32 = 10;

/// Smallest distance from the great axis, as a share of the small axis: on the axis there are two nearest points.
const BESIDE: f64 = 1e-6;

/// Smallest half axis.
const LEAST: f64 = 1e-4;

/// Depth of `point` inside an ellipse with half axes `axes`, at least 1e-4 each (negative outside), and the outward
/// unit vector at the nearest point.
#[inline(always)]
pub(crate) fn depth_in_ellipse<V: Lanes>(point: [V; 2], axes: [f64; 2]) -> (V, [V; 2]) {
    let axes = axes.map(|axis| axis.max(LEAST));
    let is_turned = axes[0] > axes[1];
    let ([y, z], [a, b]) = if is_turned { ([point[1], point[0]], [axes[1], axes[0]]) } else { (point, axes) };
    let (depth, [out_y, out_z]) = depth_in_tall([y, z], [a, b]);
    (depth, if is_turned { [out_z, out_y] } else { [out_y, out_z] })
}

/// [`depth_in_ellipse`] for a second axis no less than the first.
#[inline(always)]
fn depth_in_tall<V: Lanes>([y, z]: [V; 2], [a, b]: [f64; 2]) -> (V, [V; 2]) {
    let (signs, beside) = ([y, z], y.like(BESIDE * a));
    let (y, z) = (y.abs().greatest(beside), z.abs());
    if a == b {
        let length = (y * y + z * z).sqrt();
        let over = y.like(1.0) / length;
        return (y.like(a) - length, [(y * over).with_sign_of(signs[0]), (z * over).with_sign_of(signs[1])]);
    }
    let apart = b * b - a * a;
    let (one, tall, wide) = (y.like(1.0), y * a, z * b);
    // t + a², which is small where the point is near the great axis.
    let mut u = tall.greatest(wide - one * apart);
    let at = |u: V| [tall / u, wide / (u + one * apart)];
    for _ in 0..STEPS {
        let [q_y, q_z] = at(u);
        let square = q_y * q_y + q_z * q_z;
        let slope = q_y * q_y / u + q_z * q_z / (u + one * apart);
        u = u + (square.sqrt() - one) * square / slope;
    }
    let [q_y, q_z] = at(u);
    let over = one / (q_y * q_y + q_z * q_z).sqrt();
    let (q_y, q_z) = (q_y * over, q_z * over);
    let (out_y, out_z) = (q_y * (1.0 / a), q_z * (1.0 / b));
    let over = one / (out_y * out_y + out_z * out_z).sqrt();
    let (out_y, out_z) = (out_y * over, out_z * over);
    let depth = out_y * (q_y * a - y) + out_z * (q_z * b - z);
    (depth, [out_y.with_sign_of(signs[0]), out_z.with_sign_of(signs[1])])
}

#[cfg(test)]
mod tests {
    use core::f64::consts::TAU;

    use super::*;
    use crate::math::random::Random;

    const AXES: [[f64; 2]; 5] = [[0.033, 0.35], [0.9, 0.4], [0.2, 3.0], [0.5, 0.5], [0.1, 0.11]];

    #[test]
    fn the_nearest_of_many_points_of_the_ellipse_is_as_far() {
        let mut random = Random::new(5);
        for axes in AXES {
            for _ in 0..200 {
                let point = [0, 1].map(|_| random.signed() * libm::exp(4.0 * random.signed() - 3.0));
                let (depth, _) = depth_in_ellipse(point, axes);
                let of = |step: u32| {
                    let angle = TAU * f64::from(step) / 20_000.0;
                    libm::hypot(axes[0] * libm::cos(angle) - point[0], axes[1] * libm::sin(angle) - point[1])
                };
                let nearest = (0..20_000).map(of).fold(f64::INFINITY, f64::min);
                assert!(
                    (depth.abs() - nearest).abs() < 2e-4 * axes[0].max(axes[1]),
                    "{point:?} {axes:?}: {depth} {nearest}"
                );
                let is_inside = libm::hypot(point[0] / axes[0], point[1] / axes[1]) < 1.0;
                assert_eq!(depth > 0.0, is_inside, "{point:?} {axes:?}");
            }
        }
    }

    #[test]
    fn a_step_along_the_way_out_ends_on_the_ellipse_and_is_as_long_as_said() {
        let mut random = Random::new(6);
        for axes in AXES {
            for _ in 0..500 {
                let point = [0, 1].map(|_| random.signed() * libm::exp(3.0 * random.signed() - 2.0));
                let (depth, out) = depth_in_ellipse(point, axes);
                let there = [0, 1].map(|axis| point[axis] + depth * out[axis]);
                // On the great axis there are two nearest points; one is chosen.
                let scale = libm::hypot(there[0] / axes[0], there[1] / axes[1]);
                assert!((scale - 1.0).abs() < 1e-5, "{point:?} {axes:?}: {scale}");
                assert!((libm::hypot(out[0], out[1]) - 1.0).abs() < 1e-12);
            }
        }
    }
}
