//! Velocities by finite differences over frames.
//!
//! ```text
//! backward        (x_n − x_{n−1})/h                                 the velocity at t_n − h/2: the source's mode
//! central         (x_{n+1} − x_{n−1})/2h                            exact for a parabola; ends (−3x_0 + 4x_1 − x_2)/2h
//! five points     (x_{n−2} − 8x_{n−1} + 8x_{n+1} − x_{n+2})/12h     fourth order
//! angular         the same of φ_k = log(R_{n+k} R_nᵀ), whose derivative at k = 0 is ω; central log(R_{n+1} R_{n−1}ᵀ)/2h
//! ```
//! Specification: mathematics 6.1 (S37), 6.8. A backward difference of free fall lags by ½ g h, so velocities of two
//! schemes must never be compared. At frame 0 a backward difference is that of frame 1.

use core::f64::consts::PI;

use glam::{DQuat, DVec3};

use super::filter::Linear;
use super::rotation::log;
use super::savitzky_golay::{self, Window};

/// Finite differences that give velocities from frames (mathematics 6.1, S37).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VelocityDifference {
    /// `(x_{n+1} − x_{n−1}) / 2h`: second order, exact for a parabola.
    #[default]
    Central,
    /// `(x_n − x_{n−1}) / h`: backward difference of the paper; lags half a frame.
    Backward,
    /// Fourth order over five frames, for clean data; central for shorter tracks.
    FivePoint,
    /// Slope of a local quadratic over five frames (Savitzky–Golay), for noisy data. Accelerations are its curvature.
    SavitzkyGolay5,
    /// The same over seven frames.
    SavitzkyGolay7,
    /// The same over nine frames.
    SavitzkyGolay9,
}

impl VelocityDifference {
    /// Window of Savitzky and Golay; `None` for the other schemes.
    pub(crate) fn window(self) -> Option<Window> {
        match self {
            Self::SavitzkyGolay5 => Some(Window::Five),
            Self::SavitzkyGolay7 => Some(Window::Seven),
            Self::SavitzkyGolay9 => Some(Window::Nine),
            Self::Central | Self::Backward | Self::FivePoint => None,
        }
    }
}

/// First derivative of a track (numbers or vectors), one value per frame; zero for a single frame.
pub(crate) fn velocities<T: Linear>(track: &[T], step: f64, scheme: VelocityDifference) -> Vec<T> {
    if let Some(window) = scheme.window() {
        return savitzky_golay::first_derivative(track, step, window);
    }
    match scheme {
        VelocityDifference::FivePoint if track.len() >= 5 => {
            (0..track.len()).map(|n| five_point(track, n, step)).collect()
        }
        VelocityDifference::Backward => (0..track.len()).map(|n| backward(track, n, step)).collect(),
        _ => (0..track.len()).map(|n| central(track, n, step)).collect(),
    }
}

/// Angular velocities (rad/s, world axes) of a body, one per frame, from its orientations.
///
/// Steps must be less than half a turn. If the frames of a scheme turn by half a circle or more in total, the average
/// of the two steps next to the frame is used instead.
pub(crate) fn angular_velocities(rotations: &[DQuat], step: f64, scheme: VelocityDifference) -> Vec<DVec3> {
    let turns: Vec<DVec3> = rotations.windows(2).map(|pair| log(pair[1] * pair[0].conjugate())).collect();
    if turns.is_empty() {
        return vec![DVec3::ZERO; rotations.len()];
    }
    (0..rotations.len()).map(|frame| angular_velocity_at(rotations, &turns, frame, step, scheme)).collect()
}

fn backward<T: Linear>(track: &[T], n: usize, step: f64) -> T {
    match (n, track.len()) {
        (_, 1) => track[0] * 0.0,
        (0, _) => (track[1] - track[0]) * (1.0 / step),
        _ => (track[n] - track[n - 1]) * (1.0 / step),
    }
}

fn central<T: Linear>(track: &[T], n: usize, step: f64) -> T {
    let last = track.len() - 1;
    let scale = 0.5 / step;
    match (n, last) {
        (_, 0) => track[0] * 0.0,
        (_, 1) => (track[1] - track[0]) * (1.0 / step),
        (0, _) => (track[1] * 4.0 - track[0] * 3.0 - track[2]) * scale,
        _ if n == last => (track[n] * 3.0 - track[n - 1] * 4.0 + track[n - 2]) * scale,
        _ => (track[n + 1] - track[n - 1]) * scale,
    }
}

/// Fourth-order weights of the derivative at the first, the second and the middle of five samples, times 12 h.
const FIVE_POINT: [[f64; 5]; 3] =
    [[-25.0, 48.0, -36.0, 16.0, -3.0], [-3.0, -10.0, 18.0, -6.0, 1.0], [1.0, -8.0, 0.0, 8.0, -1.0]];

fn five_point<T: Linear>(track: &[T], n: usize, step: f64) -> T {
    let last = track.len() - 1;
    let from_end = last - n;
    let sum = |weights: [f64; 5], at: &dyn Fn(usize) -> T| {
        at(0) * weights[0] + at(1) * weights[1] + at(2) * weights[2] + at(3) * weights[3] + at(4) * weights[4]
    };
    let scale = 1.0 / (12.0 * step);
    if from_end < 2 {
        sum(FIVE_POINT[from_end], &|k| track[last - k]) * -scale
    } else {
        let row = n.min(2);
        sum(FIVE_POINT[row], &|k| track[n - row + k]) * scale
    }
}

fn angular_velocity_at(rotations: &[DQuat], turns: &[DVec3], n: usize, step: f64, scheme: VelocityDifference) -> DVec3 {
    let last = rotations.len() - 1;
    let reach = match scheme {
        VelocityDifference::Backward => return turns[n.max(1) - 1] / step,
        VelocityDifference::Central => 1,
        VelocityDifference::FivePoint => 2,
        _ => scheme.window().map_or(1, |window| window.samples() / 2),
    };
    // The window of whole frames around n, shifted inward at the ends.
    let width = (2 * reach + 1).min(rotations.len());
    let first = n.saturating_sub(width / 2).min(rotations.len() - width);
    let (before, after) = (turns[n.saturating_sub(1)], turns[n.min(last - 1)]);
    let straight: f64 = turns[first..first + width - 1].iter().map(|turn| turn.length()).sum();
    if straight >= PI {
        // Large rotations are ambiguous: use only the steps next to the frame.
        return 0.5 * (before + after) / step;
    }
    if scheme == VelocityDifference::Central && n > 0 && n < last {
        return log(rotations[n + 1] * rotations[n - 1].conjugate()) / (2.0 * step);
    }
    let inverse = rotations[n].conjugate();
    let relative: Vec<DVec3> = rotations[first..first + width].iter().map(|&r| log(r * inverse)).collect();
    velocities(&relative, step, scheme)[n - first]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::rotation::{about, exp};

    const SCHEMES: [VelocityDifference; 6] = [
        VelocityDifference::Backward,
        VelocityDifference::Central,
        VelocityDifference::FivePoint,
        VelocityDifference::SavitzkyGolay5,
        VelocityDifference::SavitzkyGolay7,
        VelocityDifference::SavitzkyGolay9,
    ];

    #[test]
    fn s37_backward_differences_of_a_fall_lag_by_half_g_h_and_all_others_are_exact() {
        let (step, gravity) = (1.0 / 24.0, DVec3::new(0.0, -9.81, 0.0));
        let start = DVec3::new(1.0, 3.0, -0.5);
        let fall: Vec<DVec3> =
            (0..20).map(|n| f64::from(n) * step).map(|t| start * t + 0.5 * t * t * gravity).collect();
        for scheme in SCHEMES {
            let lag = if scheme == VelocityDifference::Backward { -0.5 * step * gravity } else { DVec3::ZERO };
            let skipped = usize::from(scheme == VelocityDifference::Backward);
            for (n, velocity) in velocities(&fall, step, scheme).into_iter().enumerate().skip(skipped) {
                let truth = start + n as f64 * step * gravity;
                assert!((velocity - truth - lag).length() < 1e-10, "{scheme:?}, frame {n}");
            }
        }
        assert!((0.5 * 9.81 * step - 0.204).abs() < 5e-4);
    }

    #[test]
    fn s37_five_points_are_exact_for_a_quartic_to_its_ends_and_central_ones_of_second_order() {
        let at = |t: f64| 1.0 - t + 2.0 * t * t - 3.0 * t * t * t + 0.5 * t * t * t * t;
        let rate = |t: f64| -1.0 + 4.0 * t - 9.0 * t * t + 2.0 * t * t * t;
        let track: Vec<f64> = (0..12).map(|n| at(0.1 * f64::from(n))).collect();
        for (n, v) in velocities(&track, 0.1, VelocityDifference::FivePoint).into_iter().enumerate() {
            assert!((v - rate(0.1 * n as f64)).abs() < 1e-11, "frame {n}");
        }
        let error = |step: f64, n: usize| {
            let track: Vec<f64> = (0..9).map(|k| libm::sin(1.0 + (f64::from(k) - n as f64) * step)).collect();
            (velocities(&track, step, VelocityDifference::Central)[n] - libm::cos(1.0)).abs()
        };
        for n in [0, 4, 8] {
            let order = libm::log2(error(0.02, n) / error(0.01, n));
            assert!((order - 2.0).abs() < 0.1, "frame {n}: order {order}");
        }
    }

    #[test]
    fn s37_a_steady_turn_has_its_rate_in_every_scheme_at_every_frame() {
        let (rate, step) = (DVec3::new(1.0, -2.0, 0.5), 1.0 / 30.0);
        let start = exp(DVec3::new(0.3, 0.2, -1.0));
        let turn: Vec<DQuat> = (0..15).map(|n| exp(rate * (f64::from(n) * step)) * start).collect();
        for scheme in SCHEMES {
            for omega in angular_velocities(&turn, step, scheme) {
                assert!((omega - rate).length() < 1e-12, "{scheme:?}: {omega}");
            }
        }
    }

    #[test]
    fn s37_the_schemes_keep_their_order_for_a_tumbling_body() {
        // R = exp(a(t)) exp(b(t)): ω = a' + exp(a) b' for rotations about fixed axes.
        let rotation = |t: f64| about(DVec3::Y, 2.0 * t) * about(DVec3::X, libm::sin(3.0 * t));
        let truth = |t: f64| 2.0 * DVec3::Y + about(DVec3::Y, 2.0 * t) * DVec3::X * (3.0 * libm::cos(3.0 * t));
        let error = |step: f64, scheme: VelocityDifference, n: usize| {
            let turn: Vec<DQuat> = (0..9).map(|k| rotation(0.7 + (f64::from(k) - n as f64) * step)).collect();
            (angular_velocities(&turn, step, scheme)[n] - truth(0.7)).length()
        };
        for n in [0, 4, 8] {
            for (scheme, order) in [(VelocityDifference::Central, 2.0), (VelocityDifference::FivePoint, 4.0)] {
                let found = libm::log2(error(0.01, scheme, n) / error(0.005, scheme, n));
                assert!((found - order).abs() < 0.25, "{scheme:?}, frame {n}: order {found}");
            }
        }
    }

    #[test]
    fn s37_a_turn_of_more_than_half_a_circle_in_two_frames_keeps_its_direction() {
        let rate = DVec3::new(0.0, 0.0, 100.0);
        let turn: Vec<DQuat> = (0..6).map(|n| exp(DVec3::Z * (100.0 / 40.0 * f64::from(n)))).collect();
        for scheme in SCHEMES {
            for omega in angular_velocities(&turn, 1.0 / 40.0, scheme) {
                assert!((omega - rate).length() < 1e-10, "{scheme:?}: {omega}");
            }
        }
    }

    #[test]
    fn x14_no_frame_one_frame_and_two_frames_have_documented_derivatives() {
        for scheme in SCHEMES {
            assert!(velocities::<DVec3>(&[], 0.1, scheme).is_empty());
            assert_eq!(velocities(&[DVec3::ONE], 0.1, scheme), [DVec3::ZERO]);
            let pair = velocities(&[0.0, 0.5], 0.5, scheme);
            assert!(pair.iter().all(|v| (v - 1.0).abs() < 1e-15));
            assert!(angular_velocities(&[], 0.1, scheme).is_empty());
            assert_eq!(angular_velocities(&[DQuat::IDENTITY], 0.1, scheme), [DVec3::ZERO]);
            assert_eq!(angular_velocities(&[DQuat::IDENTITY; 2], 0.1, scheme), [DVec3::ZERO; 2]);
            angular_velocities(&[DQuat::NAN; 7], 0.1, scheme);
        }
    }
}
