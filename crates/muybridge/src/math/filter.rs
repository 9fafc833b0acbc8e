//! Smoothing of measured tracks: zero-lag Butterworth filter, noise estimate, and cutoff selection.
//!
//! ```text
//! c = (√2 − 1)^¼ = 0.802243        two passes of order 2 then have the gain 1/√2 at the cutoff
//! K = tan(π fc/fs)/c,  K1 = √2 K,  K2 = K²
//! a0 = a2 = K2/(1 + K1 + K2),  a1 = 2 a0,  b1 = 2 a0 (1/K2 − 1),  b2 = 1 − 2 a0 − 2 a0/K2
//! y_n = a0 x_n + a1 x_{n−1} + a2 x_{n−2} + b1 y_{n−1} + b2 y_{n−2}
//! ```
//! Specification: mathematics 6.8 (X11); after Winter (2009), *Biomechanics and Motor Control of Human Movement*,
//! 2.2.4.4 and 3.4.4.3. A track is continued beyond its ends by odd reflection, and both passes start in the steady
//! state of the straight line through its end points, so a straight line is unchanged.

use core::f64::consts::{PI, SQRT_2};
use core::ops::{Add, Mul, Sub};

use glam::DQuat;

/// Values that can be filtered: numbers, vectors, the components of quaternions.
pub(crate) trait Linear: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<f64, Output = Self> {}

impl<T: Copy + Add<Output = T> + Sub<Output = T> + Mul<f64, Output = T>> Linear for T {}

/// A second-order low-pass filter, run forward and backward so that it has no time lag.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Butterworth {
    /// Weights of the inputs `x_n`, `x_{n−1}`, `x_{n−2}`.
    pub input: [f64; 3],
    /// Weights of the outputs `y_{n−1}`, `y_{n−2}`.
    pub output: [f64; 2],
    /// Delay of a slow signal by one pass, `1/(√2 K)` samples; the second pass undoes it.
    pub delay: f64,
    /// Samples added at each end of a track: three periods of the cutoff.
    pub padding: usize,
}

impl Butterworth {
    /// The filter with a gain of 1/√2 at `cutoff_hz` for its two passes together.
    ///
    /// Programs that leave out the correction c have the gain 1/2 there: their 6 Hz are 4.8 Hz here.
    ///
    /// `None` if there is nothing to filter, because the cutoff is not a positive number below half of `sample_hz`.
    pub(crate) fn low_pass(cutoff_hz: f64, sample_hz: f64) -> Option<Self> {
        if !(cutoff_hz > 0.0 && sample_hz.is_finite() && cutoff_hz < 0.5 * sample_hz) {
            return None;
        }
        let correction = libm::sqrt(libm::sqrt(SQRT_2 - 1.0));
        let k = libm::tan(PI * cutoff_hz / sample_hz) / correction;
        let (k1, k2) = (SQRT_2 * k, k * k);
        let a0 = k2 / (1.0 + k1 + k2);
        let k3 = 2.0 * a0 / k2;
        let output = [k3 - 2.0 * a0, 1.0 - 2.0 * a0 - k3];
        let padding = libm::ceil(3.0 * sample_hz / cutoff_hz) as usize;
        output[0].is_finite().then_some(Self { input: [a0, 2.0 * a0, a0], output, delay: 1.0 / k1, padding })
    }

    /// Filters a track in place. `scratch` is cleared and grows to at most nine times the track or 8200 values more.
    ///
    /// A track of fewer than three samples is unchanged; a value that is NaN spreads over the track.
    pub(crate) fn filter<T: Linear>(&self, track: &mut [T], scratch: &mut Vec<T>) {
        if track.len() < 3 {
            return;
        }
        let padding = self.padding.min(track.len().saturating_mul(4).max(4096));
        let slope = (track[track.len() - 1] - track[0]) * (1.0 / (track.len() - 1) as f64);
        scratch.clear();
        scratch.extend((0..track.len() + 2 * padding).map(|i| continued(track, i as isize - padding as isize)));
        self.pass(scratch.iter_mut(), slope);
        self.pass(scratch.iter_mut().rev(), slope * -1.0);
        track.copy_from_slice(&scratch[padding..padding + track.len()]);
    }

    /// Filters the orientations of a body in place: components of the unwrapped quaternions, normalized afterwards.
    ///
    /// An orientation that is filtered to almost zero (a body spinning far above the cutoff) is unchanged.
    pub(crate) fn filter_rotations(&self, rotations: &mut [DQuat], scratch: &mut Vec<DQuat>) {
        unwrap(rotations);
        let original = rotations.to_vec();
        self.filter(rotations, scratch);
        for (rotation, original) in rotations.iter_mut().zip(original) {
            let length = rotation.length();
            *rotation = if length > 1e-6 { *rotation * (1.0 / length) } else { original };
        }
    }

    fn pass<'a, T: Linear + 'a>(&self, samples: impl Iterator<Item = &'a mut T>, slope: T) {
        let ([a0, a1, a2], [b1, b2]) = (self.input, self.output);
        let delay = self.delay;
        let mut state: Option<[T; 4]> = None;
        for sample in samples {
            let x = *sample;
            let [x1, x2, y1, y2] = state
                .unwrap_or_else(|| [x - slope, x - slope * 2.0, x - slope * (1.0 + delay), x - slope * (2.0 + delay)]);
            *sample = x * a0 + x1 * a1 + x2 * a2 + y1 * b1 + y2 * b2;
            state = Some([x, x1, *sample, y1]);
        }
    }
}

/// Flips signs so that each quaternion is in the hemisphere of its predecessor; the rotations are unchanged.
pub(crate) fn unwrap(rotations: &mut [DQuat]) {
    for frame in 1..rotations.len() {
        if rotations[frame].dot(rotations[frame - 1]) < 0.0 {
            rotations[frame] = -rotations[frame];
        }
    }
}

/// Standard deviation of the white noise on a track, from its fourth differences.
///
/// `σ = median |Δ⁴x| / (0.67449 √70)`: white noise has `var Δ⁴x = 70 σ²`, a cubic has none, and the median ignores
/// corners and contacts as long as they are fewer than half of the frames. A signal of f hertz contributes its fourth
/// difference, `(2 sin(πf/fs))⁴` of its amplitude: at 30 frames per second 0.4 % for 2 Hz. Returns 0 for fewer than
/// five samples.
pub(crate) fn noise(track: &[f64]) -> f64 {
    let mut differences: Vec<f64> =
        track.windows(5).map(|x| (x[0] + x[4] - 4.0 * (x[1] + x[3]) + 6.0 * x[2]).abs()).collect();
    if differences.is_empty() {
        return 0.0;
    }
    let (even, middle) = (differences.len().is_multiple_of(2), differences.len() / 2);
    let (below, &mut upper, _) = differences.select_nth_unstable_by(middle, f64::total_cmp);
    let lower = if even { below.iter().copied().fold(0.0, f64::max) } else { upper };
    0.5 * (lower + upper) / (0.674_489_750_196_081_7 * libm::sqrt(70.0))
}

/// Value of a track at any index, continued by odd reflection at both ends (repeatedly).
fn continued<T: Linear>(track: &[T], index: isize) -> T {
    let last = track.len() - 1;
    let (lap, within) = (index.div_euclid(2 * last as isize), index.rem_euclid(2 * last as isize) as usize);
    let base = if within <= last { track[within] } else { track[last] * 2.0 - track[2 * last - within] };
    if lap == 0 { base } else { base + (track[last] - track[0]) * (2 * lap) as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::random::Random;
    use crate::math::rotation;
    use glam::DVec3;

    fn sine(hz: f64, sample_hz: f64, samples: usize) -> Vec<f64> {
        (0..samples).map(|n| libm::sin(2.0 * PI * hz * n as f64 / sample_hz)).collect()
    }

    #[test]
    fn x11_the_butterworth_filter_at_6_hz_of_120_has_the_specified_coefficients() {
        let filter = Butterworth::low_pass(6.0, 120.0).unwrap();
        for (value, truth) in filter.input.into_iter().zip([0.029_569_07, 0.059_138_14, 0.029_569_07]) {
            assert!((value - truth).abs() < 1e-8);
        }
        for (value, truth) in filter.output.into_iter().zip([1.458_103_86, -0.576_380_16]) {
            assert!((value - truth).abs() < 1e-8);
        }
        assert!(filter.padding >= 60);
    }

    #[test]
    fn x11_two_passes_leave_a_sine_at_the_cutoff_with_1_over_sqrt_2_and_no_delay() {
        let (mut track, mut scratch) = (sine(6.0, 120.0, 2401), Vec::new());
        Butterworth::low_pass(6.0, 120.0).unwrap().filter(&mut track, &mut scratch);
        let truth = sine(6.0, 120.0, 2401);
        for n in 200..2200 {
            assert!((track[n] - core::f64::consts::FRAC_1_SQRT_2 * truth[n]).abs() < 1e-7, "{n}");
        }
    }

    #[test]
    fn the_gain_at_any_frequency_is_that_of_the_pole_pair_squared() {
        let filter = Butterworth::low_pass(10.0, 120.0).unwrap();
        let c = libm::sqrt(libm::sqrt(SQRT_2 - 1.0));
        for hz in [1.0, 5.0, 10.0, 20.0, 40.0] {
            let ratio = libm::tan(PI * hz / 120.0) / (libm::tan(PI * 10.0 / 120.0) / c);
            let gain = 1.0 / (1.0 + libm::pow(ratio, 4.0));
            let (mut track, truth) = (sine(hz, 120.0, 1201), sine(hz, 120.0, 1201));
            filter.filter(&mut track, &mut Vec::new());
            assert!((300..900).all(|n| (track[n] - gain * truth[n]).abs() < 1e-6), "{hz}");
        }
    }

    #[test]
    fn a_straight_line_passes_unchanged_however_short_and_whatever_the_cutoff() {
        for cutoff in [0.05, 0.5, 6.0, 14.9] {
            for samples in [1, 2, 3, 4, 30] {
                let line: Vec<f64> = (0..samples).map(|n| 2.0 - 0.3 * f64::from(n)).collect();
                let mut track = line.clone();
                Butterworth::low_pass(cutoff, 30.0).unwrap().filter(&mut track, &mut Vec::new());
                for (a, b) in line.iter().zip(&track) {
                    assert!((a - b).abs() < 1e-9, "{cutoff} Hz, {samples} samples: {a} {b}");
                }
            }
        }
    }

    #[test]
    fn six_hertz_leave_0_38_mps2_of_the_acceleration_noise_of_one_millimeter_at_120_hz() {
        let mut random = Random::new(1);
        let mut track: Vec<f64> = (0..60_000).map(|_| 1e-3 * random.normal()).collect();
        Butterworth::low_pass(6.0, 120.0).unwrap().filter(&mut track, &mut Vec::new());
        let squares: f64 =
            track.windows(3).map(|x| (x[0] - 2.0 * x[1] + x[2]) * 14_400.0).map(|a| a * a).sum::<f64>() / 59_998.0;
        assert!((libm::sqrt(squares) - 0.38).abs() < 0.02, "{}", libm::sqrt(squares));
    }

    #[test]
    fn a_slow_turn_keeps_its_rotations_whatever_the_signs_of_its_quaternions() {
        let axis = DVec3::new(0.6, 0.0, 0.8);
        let truth: Vec<DQuat> = (0..600).map(|n| rotation::about(axis, 0.01 * f64::from(n))).collect();
        let mut track: Vec<DQuat> = truth.iter().enumerate().map(|(n, q)| if n % 3 == 0 { -*q } else { *q }).collect();
        Butterworth::low_pass(6.0, 120.0).unwrap().filter_rotations(&mut track, &mut Vec::new());
        for (a, b) in truth.iter().zip(&track).skip(60).take(480) {
            assert!(rotation::log(a.conjugate() * *b).length() < 1e-5);
            assert!((b.length() - 1.0).abs() < 1e-14);
        }
    }

    #[test]
    fn the_noise_of_a_moving_track_is_found_within_five_percent() {
        let mut random = Random::new(2);
        for sigma in [1e-4, 2e-3] {
            let track: Vec<f64> =
                sine(1.0, 120.0, 6000).into_iter().map(|x| 0.5 * x + sigma * random.normal()).collect();
            assert!((noise(&track) / sigma - 1.0).abs() < 0.05, "{}", noise(&track));
        }
        assert_eq!(noise(&[1.0, 2.0]), 0.0);
    }

    #[test]
    fn x14_impossible_cutoffs_filter_nothing_and_empty_or_broken_tracks_do_no_harm() {
        for cutoff in [0.0, -1.0, 60.0, f64::NAN, f64::INFINITY] {
            assert!(Butterworth::low_pass(cutoff, 120.0).is_none());
        }
        assert!(Butterworth::low_pass(6.0, f64::NAN).is_none());
        let filter = Butterworth::low_pass(6.0, 120.0).unwrap();
        filter.filter::<f64>(&mut [], &mut Vec::new());
        let mut broken = [0.0, f64::NAN, 0.0, 1.0];
        filter.filter(&mut broken, &mut Vec::new());
        filter.filter_rotations(&mut [], &mut Vec::new());
        noise(&[f64::NAN; 9]);
    }
}
