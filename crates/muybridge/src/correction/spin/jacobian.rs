//! Left Jacobian of rotations and its inverse, and exponential and logarithm of rigid transforms.
//!
//! ```text
//! J_l(φ)   = 1 + B [φ] + C [φ]²       exp(φ + δ) ≈ exp(J_l(φ) δ) exp(φ)      B = (1 − cos θ)/θ², C = (θ − sin θ)/θ³
//! J_l⁻¹(φ) = 1 − ½ [φ] + D [φ]²       log(exp(δ) exp(φ)) ≈ φ + J_l⁻¹(φ) δ    D = (1 − (θ/2) cot(θ/2))/θ²
//! exp(ω, υ) = (exp ω, J_l(ω) υ),  log(R, p) = (φ, J_l⁻¹(φ) p)
//! ```
//! Specification: mathematics 1.2. The form of D by half angles is exact at π, where `(1 + cos θ)/(θ sin θ)` is 0/0.

use glam::{DMat3, DQuat, DVec3};

use crate::math::rotation::{cross_matrix, exp, log};
use crate::math::spatial::{Transform, Twist};

/// Squared angle, rad², below which the series are used: there they are exact to the last bit and the closed forms are not.
const SMALL: f64 = 0.04;

/// J_l: maps a change of the rotation vector `phi` (radians) to the rotation it causes, in fixed axes.
pub(crate) fn left_jacobian(phi: DVec3) -> DMat3 {
    let squared = phi.length_squared();
    let (b, c) = if squared < SMALL {
        let b = 1.0 - squared / 12.0 * (1.0 - squared / 30.0 * (1.0 - squared / 56.0 * (1.0 - squared / 90.0)));
        let c = 1.0 - squared / 20.0 * (1.0 - squared / 42.0 * (1.0 - squared / 72.0 * (1.0 - squared / 110.0)));
        (b / 2.0, c / 6.0)
    } else {
        let theta = libm::sqrt(squared);
        let half = libm::sin(0.5 * theta);
        (2.0 * half * half / squared, (theta - libm::sin(theta)) / (theta * squared))
    };
    let cross = cross_matrix(phi);
    DMat3::IDENTITY + cross * b + cross * cross * c
}

/// J_l⁻¹: inverse of the left Jacobian, for `phi` of at most π radians.
pub(crate) fn left_jacobian_inverse(phi: DVec3) -> DMat3 {
    let theta = phi.length();
    let half = 0.5 * theta;
    let d = inverse_coefficient(theta, libm::cos(half), libm::sin(half));
    let cross = cross_matrix(phi);
    DMat3::IDENTITY - cross * 0.5 + cross * cross * d
}

/// Coefficient D of J_l⁻¹ for the angle `theta` (radians), given cosine and sine of half the angle.
pub(super) fn inverse_coefficient(theta: f64, cosine: f64, sine: f64) -> f64 {
    let squared = theta * theta;
    if squared < SMALL {
        // Bernoulli numbers: B_2k / (2k)!, k = 1 to 5.
        const SERIES: [f64; 5] = [1.0 / 12.0, 1.0 / 720.0, 1.0 / 30_240.0, 1.0 / 1_209_600.0, 1.0 / 47_900_160.0];
        SERIES.iter().rev().fold(0.0, |sum, factor| sum * squared + factor)
    } else {
        (1.0 - 0.5 * theta * cosine / sine) / squared
    }
}

/// Rotation vector of `q`, of at most π radians, and its coefficient D, at the cost of the logarithm alone.
pub(super) fn log_and_coefficient(q: DQuat) -> (DVec3, f64) {
    let q = if q.w < 0.0 { -q } else { q };
    let axis = DVec3::new(q.x, q.y, q.z);
    let sine = axis.length();
    if sine < 1e-8 {
        return (axis * (2.0 / q.w), 1.0 / 12.0);
    }
    let theta = 2.0 * libm::atan2(sine, q.w);
    (axis * (theta / sine), inverse_coefficient(theta, q.w, sine))
}

/// Transform that a motion with `twist` makes in one unit of time.
pub(crate) fn exp_transform(twist: Twist) -> Transform {
    Transform { rotation: exp(twist.angular), position: left_jacobian(twist.angular) * twist.linear }
}

/// Steady motion that makes `transform` in one unit of time, with a rotation of at most π.
pub(crate) fn log_transform(transform: Transform) -> Twist {
    let angular = log(transform.rotation);
    Twist { angular, linear: left_jacobian_inverse(angular) * transform.position }
}

#[cfg(test)]
mod tests {
    use core::f64::consts::PI;

    use super::*;
    use crate::math::random::Random;

    fn largest(matrix: DMat3) -> f64 {
        matrix.to_cols_array().into_iter().map(f64::abs).fold(0.0, f64::max)
    }

    /// Rotation vectors from 0 to π, on both sides of the limit of the series.
    fn vectors(random: &mut Random) -> Vec<DVec3> {
        let angles = [0.0, 1e-12, 1e-5, 0.01, 0.1, 0.199_999, 0.200_001, 0.3, 1.0, 2.0, 3.0, PI - 1e-9, PI];
        angles.iter().map(|&angle| angle * random.vector().normalize()).collect()
    }

    #[test]
    fn s14_the_jacobian_and_its_inverse_are_inverse() {
        let mut random = Random::new(20);
        for phi in (0..20).flat_map(|_| vectors(&mut random)) {
            let one = left_jacobian(phi) * left_jacobian_inverse(phi);
            assert!(largest(one - DMat3::IDENTITY) < 1e-13, "{phi} {one}");
            let (same, d) = log_and_coefficient(exp(phi));
            assert!((same.cross(phi)).length() < 1e-13 && (same.length() - phi.length()).abs() < 1e-8);
            let cross = cross_matrix(phi);
            let other = DMat3::IDENTITY - cross * 0.5 + cross * cross * d;
            assert!(largest(other - left_jacobian_inverse(phi)) < 1e-13, "{phi}");
        }
    }

    #[test]
    fn s14_the_jacobian_is_the_integral_of_the_rotation_and_its_inverse_the_change_of_the_logarithm() {
        let mut random = Random::new(21);
        for phi in vectors(&mut random) {
            // J_l(φ) = ∫ exp(s φ) ds over 0..1, by Simpson's rule.
            let steps = 400;
            let weight = |k: usize| if k == 0 || k == steps { 1.0 } else { 2.0 + 2.0 * (k % 2) as f64 };
            let integral = (0..=steps).fold(DMat3::ZERO, |sum, k| {
                sum + DMat3::from_quat(exp(phi * (k as f64 / steps as f64))) * (weight(k) / (3 * steps) as f64)
            });
            assert!(largest(integral - left_jacobian(phi)) < 1e-10, "{phi}");
            if phi.length() < 3.1 {
                let (delta, e) = (random.vector(), 1e-5);
                let rate = (log(exp(delta * e) * exp(phi)) - log(exp(delta * -e) * exp(phi))) / (2.0 * e);
                assert!((rate - left_jacobian_inverse(phi) * delta).length() < 1e-8, "{phi}");
            }
        }
    }

    #[test]
    fn s14_displacements_round_trip_and_a_steady_screw_repeated_is_the_whole() {
        let mut random = Random::new(22);
        for _ in 0..100 {
            let twist = Twist { angular: random.vector() * 1.7, linear: random.vector() };
            let back = log_transform(exp_transform(twist)) - twist;
            assert!(back.angular.length() + back.linear.length() < 1e-13);
            let fifth = exp_transform(twist * 0.2);
            let whole = fifth * fifth * fifth * fifth * fifth;
            let truth = exp_transform(twist);
            assert!((whole.position - truth.position).length() < 1e-13);
            assert!((whole.rotation.dot(truth.rotation).abs() - 1.0).abs() < 1e-14);
        }
    }
}
