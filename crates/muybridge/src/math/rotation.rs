//! Exponential and logarithm of rotations, and the Jacobian between them.
//!
//! ```text
//! exp_q(φ) = (cos(θ/2), S φ),  S = sin(θ/2)/θ = ½ (1 − θ²/24 + θ⁴/1920 …),  θ = ‖φ‖
//! log_q(q) : w < 0 → q ← −q;  s = ‖(x,y,z)‖;  φ = 2 atan2(s, w)/s · (x,y,z);  s → 0: φ = (2/w)(1 − s²/(3w²)) (x,y,z)
//! J_l⁻¹(φ) = 1 − ½ [φ] + D [φ]²,  D = (1 − ½ θ cot ½θ)/θ² = 1/12 + θ²/720 + θ⁴/30240 …:   log(exp(δ) exp(φ)) ≈ φ + J_l⁻¹(φ) δ
//! ```
//! Specification: mathematics 1.2 (X12). `acos` appears nowhere: it loses half the digits near 0 and π.

use glam::{DMat3, DQuat, DVec3};

/// Rotation by the vector `phi` (axis × angle in radians), in the frame of `phi`.
pub fn exp(phi: DVec3) -> DQuat {
    let theta_squared = phi.length_squared();
    let (scale, w) = if theta_squared < 1e-4 {
        (
            0.5 * (1.0 - theta_squared / 24.0 * (1.0 - theta_squared / 80.0 * (1.0 - theta_squared / 168.0))),
            libm::cos(0.5 * libm::sqrt(theta_squared)),
        )
    } else {
        let theta = libm::sqrt(theta_squared);
        (libm::sin(0.5 * theta) / theta, libm::cos(0.5 * theta))
    };
    DQuat::from_xyzw(scale * phi.x, scale * phi.y, scale * phi.z, w)
}

/// The rotation vector of a unit quaternion, of length 0 to π radians: `exp(log(q)) = ±q`.
pub fn log(q: DQuat) -> DVec3 {
    let q = if q.w < 0.0 { -q } else { q };
    let axis = DVec3::new(q.x, q.y, q.z);
    let s = axis.length();
    if s < 1e-8 {
        axis * (2.0 / q.w * (1.0 - s * s / (3.0 * q.w * q.w)))
    } else {
        axis * (2.0 * libm::atan2(s, q.w) / s)
    }
}

/// Decomposes `q = swing · twist` with twist about the unit vector `axis`: swing vector, across it, and twist angle (−π to π),
/// radians.
pub(crate) fn swing_and_twist(q: DQuat, axis: DVec3) -> (DVec3, f64) {
    let q = if q.w < 0.0 { -q } else { q };
    let along = axis.dot(DVec3::new(q.x, q.y, q.z));
    let length = libm::sqrt(along * along + q.w * q.w);
    if length < 1e-12 {
        return (log(q), 0.0);
    }
    let [x, y, z] = (axis * (along / length)).to_array();
    let twist = DQuat::from_xyzw(x, y, z, q.w / length);
    (log(q * twist.conjugate()), 2.0 * libm::atan2(along, q.w))
}

/// Constant angular velocity (rad/s, world axes) that rotates orientation `from` to `to` in `seconds`.
///
/// Exact for a steady rotation of less than half a turn (mathematics 6.1).
pub fn angular_velocity(from: DQuat, to: DQuat, seconds: f64) -> DVec3 {
    log(to * from.conjugate()) / seconds
}

/// Cross-product matrix `[a]`, with `[a] b = a × b`.
pub(crate) fn cross_matrix(a: DVec3) -> DMat3 {
    DMat3::from_cols(DVec3::new(0.0, a.z, -a.y), DVec3::new(-a.z, 0.0, a.x), DVec3::new(a.y, -a.x, 0.0))
}

/// J_l⁻¹: maps a small rotation in world axes to the change of the rotation vector `phi` (radians, length below 2π).
pub(crate) fn left_jacobian_inverse(phi: DVec3) -> DMat3 {
    let theta_squared = phi.length_squared();
    let d = if theta_squared < 1e-4 {
        1.0 / 12.0 + theta_squared / 720.0 * (1.0 + theta_squared / 42.0)
    } else {
        let half = 0.5 * libm::sqrt(theta_squared);
        (1.0 - half * libm::cos(half) / libm::sin(half)) / theta_squared
    };
    let cross = cross_matrix(phi);
    DMat3::IDENTITY - cross * 0.5 + cross * cross * d
}

/// Rotation by `radians` about a unit `axis`, without the platform's trigonometry.
pub fn about(axis: DVec3, radians: f64) -> DQuat {
    let (s, c) = (libm::sin(0.5 * radians), libm::cos(0.5 * radians));
    DQuat::from_xyzw(axis.x * s, axis.y * s, axis.z * s, c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_swing_and_a_twist_are_found_again() {
        let (swing, twist) = (DVec3::new(0.4, 0.0, -0.7), 0.9);
        let turn = DQuat::from_scaled_axis(swing) * DQuat::from_rotation_y(twist);
        let (found, angle) = swing_and_twist(turn, DVec3::Y);
        assert!(found.distance(swing) < 1e-12 && (angle - twist).abs() < 1e-12, "{found} {angle}");
    }

    #[test]
    fn x12_exp_and_log_round_trip_from_1e_15_to_just_under_pi() {
        let axis = DVec3::new(0.36, -0.48, 0.8);
        for exponent in -15..=0 {
            for mantissa in [1.0, 2.2, 3.1] {
                let theta = mantissa * libm::pow(10.0, f64::from(exponent));
                let phi = axis * theta;
                let back = log(exp(phi));
                assert!((back - phi).length() <= 1e-14 * theta, "{theta}: {back} != {phi}");
            }
        }
        let phi = axis * (core::f64::consts::PI - 1e-6);
        assert!((log(exp(phi)) - phi).length() <= 1e-14 * phi.length());
    }

    #[test]
    fn the_left_jacobian_is_the_derivative_of_the_logarithm() {
        let h = 1e-5;
        for phi in [DVec3::ZERO, DVec3::new(1e-3, 2e-3, -1e-3), DVec3::new(0.3, -0.7, 1.9), DVec3::Y * 3.1] {
            for delta in [DVec3::X, DVec3::Y, DVec3::new(0.1, 0.5, -0.8)] {
                let slope = (log(exp(delta * h) * exp(phi)) - log(exp(delta * -h) * exp(phi))) / (2.0 * h);
                assert!((slope - left_jacobian_inverse(phi) * delta).length() < 1e-8, "{phi} {delta}");
            }
        }
    }

    #[test]
    fn the_angular_velocity_of_a_steady_turn_is_its_rate() {
        let rate = DVec3::new(0.3, -2.0, 1.1);
        let start = exp(DVec3::new(0.4, 0.5, -0.6));
        let end = exp(rate * 0.1) * start;
        assert!((angular_velocity(start, end, 0.1) - rate).length() < 1e-13);
    }
}
