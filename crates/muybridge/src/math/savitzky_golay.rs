//! Savitzky–Golay filters: local quadratics through evenly spaced samples, for first and second derivatives.
//!
//! ```text
//! window of W samples, j = −m … m from its middle, s2 = Σ j²/W = (W² − 1)/12
//! p0 = Σ x_j / W,   p1 = Σ j x_j / Σ j²,   p2 = Σ (j² − s2) x_j / Σ (j² − s2)²
//! x(t) = p0 + p1 t + p2 (t² − s2),   x'(t) = (p1 + 2 p2 t)/h,   x'' = 2 p2/h²
//! ```
//! Specification: mathematics 6.8; Savitzky, Golay 1964. In the middle (t = 0) these are the tabulated weights. The
//! first and last m samples take the quadratic of the outermost window at their own t, so parabolas are exact all
//! the way.

use super::filter::Linear;

/// Width of the window. A shorter track is fitted by one quadratic, or by a lower polynomial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Window {
    /// Five samples: noise of the second derivative 0.535/h².
    Five,
    /// Seven samples: noise of the second derivative 0.218/h².
    Seven,
    /// Nine samples: noise of the second derivative 0.114/h².
    Nine,
}

impl Window {
    /// Number of samples.
    pub(crate) fn samples(self) -> usize {
        match self {
            Self::Five => 5,
            Self::Seven => 7,
            Self::Nine => 9,
        }
    }
}

/// First derivative of a track; samples are `step` seconds apart.
pub(crate) fn first_derivative<T: Linear>(track: &[T], step: f64, window: Window) -> Vec<T> {
    fitted(track, window, |[p1, p2], t| (p1 + p2 * (2.0 * t)) * (1.0 / step))
}

/// Second derivative of a track; samples are `step` seconds apart.
pub(crate) fn second_derivative<T: Linear>(track: &[T], step: f64, window: Window) -> Vec<T> {
    fitted(track, window, |[_, p2], _| p2 * (2.0 / (step * step)))
}

/// Applies `value` (p1 and p2, position in the window) to the window around each sample.
fn fitted<T: Linear>(track: &[T], window: Window, value: impl Fn([T; 2], f64) -> T) -> Vec<T> {
    let width = window.samples().min(track.len());
    let at = |index: usize| {
        let first = index.saturating_sub(width / 2).min(track.len() - width);
        let place = (index - first) as f64 - 0.5 * (width - 1) as f64;
        value(coefficients(&track[first..first + width]), place)
    };
    (0..track.len()).map(at).collect()
}

/// Coefficients of the orthogonal polynomials j, j² − s2 over the samples; undetermined coefficients are zero.
fn coefficients<T: Linear>(samples: &[T]) -> [T; 2] {
    let width = samples.len() as f64;
    let square = width * width;
    let spread = (square - 1.0) / 12.0;
    let weighted = |weight: &dyn Fn(f64) -> f64, norm: f64| {
        let scale = if norm > 0.0 { 1.0 / norm } else { 0.0 };
        let place = |index: usize| index as f64 - 0.5 * (width - 1.0);
        let terms = samples.iter().enumerate().map(|(index, &x)| x * (weight(place(index)) * scale));
        terms.reduce(|sum, term| sum + term)
    };
    let zero = samples[0] * 0.0;
    [
        weighted(&|j| j, width * spread).unwrap_or(zero),
        weighted(&|j| j * j - spread, width * (square - 1.0) * (square - 4.0) / 180.0).unwrap_or(zero),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Weights of an operator in the middle of a long track: its impulse response.
    fn weights(operator: impl Fn(&[f64]) -> Vec<f64>, width: usize) -> Vec<f64> {
        let mut impulse = vec![0.0; 41];
        impulse[20] = 1.0;
        let response = operator(&impulse);
        (0..width).map(|k| response[20 + width / 2 - k]).collect()
    }

    fn assert_weights(found: &[f64], numerators: &[i32], denominator: i32) {
        assert_eq!(found.len(), numerators.len());
        for (value, numerator) in found.iter().zip(numerators) {
            assert!((value - f64::from(*numerator) / f64::from(denominator)).abs() < 1e-15, "{found:?}");
        }
    }

    #[test]
    fn in_the_middle_the_weights_are_those_of_the_tables() {
        let second = |window| move |x: &[f64]| second_derivative(x, 1.0, window);
        assert_weights(&weights(second(Window::Five), 5), &[2, -1, -2, -1, 2], 7);
        assert_weights(&weights(second(Window::Seven), 7), &[5, 0, -3, -4, -3, 0, 5], 42);
        assert_weights(&weights(second(Window::Nine), 9), &[28, 7, -8, -17, -20, -17, -8, 7, 28], 462);
        let first = |window| move |x: &[f64]| first_derivative(x, 1.0, window);
        assert_weights(&weights(first(Window::Five), 5), &[-2, -1, 0, 1, 2], 10);
        assert_weights(&weights(first(Window::Seven), 7), &[-3, -2, -1, 0, 1, 2, 3], 28);
    }

    #[test]
    fn the_noise_gains_of_the_second_derivative_are_0_535_0_218_0_114() {
        for (window, gain) in [(Window::Five, 0.535), (Window::Seven, 0.218), (Window::Nine, 0.114)] {
            let weights = weights(|x| second_derivative(x, 1.0, window), window.samples());
            let found = libm::sqrt(weights.iter().map(|w| w * w).sum());
            assert!((found - gain).abs() < 5e-4, "{found}");
        }
    }

    #[test]
    fn a_parabola_is_exact_from_the_first_sample_to_the_last() {
        let (step, at) = (0.1, |t: f64| 1.0 - 2.0 * t + 3.0 * t * t);
        for samples in [3, 4, 5, 8, 9, 20] {
            let track: Vec<f64> = (0..samples).map(|n| at(f64::from(n) * step)).collect();
            for window in [Window::Five, Window::Seven, Window::Nine] {
                let (first, second) = (first_derivative(&track, step, window), second_derivative(&track, step, window));
                for n in 0..samples as usize {
                    let t = n as f64 * step;
                    assert!((first[n] - (6.0 * t - 2.0)).abs() < 1e-11);
                    assert!((second[n] - 6.0).abs() < 1e-10);
                }
            }
        }
    }

    #[test]
    fn x14_two_samples_make_a_line_one_a_constant_none_nothing() {
        assert!(first_derivative::<f64>(&[], 0.5, Window::Five).is_empty());
        assert_eq!(first_derivative(&[3.0], 0.5, Window::Nine), [0.0]);
        assert_eq!(first_derivative(&[3.0, 4.0], 0.5, Window::Nine), [2.0, 2.0]);
        assert_eq!(second_derivative(&[3.0, 4.0], 0.5, Window::Nine), [0.0, 0.0]);
    }
}
