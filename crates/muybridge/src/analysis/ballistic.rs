//! Ballistic free fall: the gravity that the path of the center of mass shows, and the path that physics asks for.
//!
//! ```text
//! c(t) = a + b t + ½ G t²  by least squares, vector G;  G* = G·g/‖g‖²
//! var(G) = 720 σ² / (h⁴ N (N²−1)(N²−4)),  σ² = RSS/(3N − 9)       N evenly spaced frames, noise σ per component
//! r(t) = r0 + (r1 − r0) t/T − ½ g t (T − t)                        through r0 and r1 in the time T
//! ```
//! Specification: mathematics 6.7 and 7.1 (S24, S6, S7); Shapiro, Lee 2011, equation 1 without its mass factor.
//! With τ the time from the middle in frames, 1, τ and τ² − (N²−1)/12 are orthogonal, and G is twice the coefficient
//! of the last over h².

use glam::DVec3;

/// Loss function of the gravity fit: how much a residual counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Loss {
    /// Squared residual: the best choice if the noise is normal and every frame is in flight.
    #[default]
    Squares,
    /// Squared residual up to 2.8 standard deviations (95 % of normal noise in three dimensions), linear beyond (Huber 1964). A few frames that are
    /// not in flight hardly count.
    Huber,
}

/// A parabola fitted to a path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct GravityFit {
    /// Position of the fitted parabola at the first row given, meters.
    pub position: DVec3,
    /// Velocity of the fitted parabola at the first row given, m/s.
    pub velocity: DVec3,
    /// G, m/s²: gravity as the path shows it.
    pub acceleration: DVec3,
    /// Standard error of each component of G, m/s²; infinite if only three rows were fitted, which leave no residual.
    pub acceleration_standard_error: f64,
    /// σ, the noise per component and row, meters.
    pub noise: f64,
}

impl GravityFit {
    /// Returns G* and its standard error: the gravity of the path in units of `gravity` (a vector, m/s²).
    pub(crate) fn in_units_of(&self, gravity: DVec3) -> (f64, f64) {
        let magnitude = gravity.length();
        (self.acceleration.dot(gravity) / (magnitude * magnitude), self.acceleration_standard_error / magnitude)
    }

    /// Position on the parabola `seconds` after the first row, meters.
    #[cfg(test)]
    pub(crate) fn at(&self, seconds: f64) -> DVec3 {
        self.position + seconds * (self.velocity + 0.5 * seconds * self.acceleration)
    }
}

/// Fits a parabola to the center of mass, one row per frame, `step` seconds apart. The first and the last `skipped` rows are left out (1 leaves out
/// the frames in which contact ends and begins).
///
/// `None` if fewer than three rows remain, a row is not finite, or `step` is not a positive number.
pub(crate) fn fit_gravity(path: &[DVec3], step: f64, loss: Loss, skipped: usize) -> Option<GravityFit> {
    let rows = path.get(skipped..path.len().checked_sub(skipped)?)?;
    if rows.len() < 3 || !rows.iter().all(|row| row.is_finite()) || !(step.is_finite() && step > 0.0) {
        return None;
    }
    let mut weights = vec![1.0; rows.len()];
    let mut parabola = Parabola::fit(rows, &weights);
    if loss == Loss::Huber {
        for _ in 0..50 {
            let scale = parabola.robust_scale(rows);
            if scale <= 1e-13 * rows.iter().fold(0.0, |largest: f64, row| largest.max(row.length())) {
                break;
            }
            for (frame, weight) in weights.iter_mut().enumerate() {
                *weight = (2.8 * scale / parabola.residual(rows, frame).length()).min(1.0);
            }
            parabola = Parabola::fit(rows, &weights);
        }
    }
    Some(parabola.in_seconds(rows, &weights, step, skipped))
}

/// The free fall from `from` to `to` in `frames − 1` steps of `step` seconds: one position per frame, both ends exact.
pub(crate) fn ballistic_path(from: DVec3, to: DVec3, frames: usize, step: f64, gravity: DVec3) -> Vec<DVec3> {
    let duration = frames.saturating_sub(1) as f64 * step;
    let part = |frame: usize| if frames < 2 { 0.0 } else { frame as f64 / (frames - 1) as f64 };
    (0..frames).map(|frame| between(from, to, duration, part(frame), gravity)).collect()
}

/// Position on the free fall from `from` to `to` in `duration` seconds, at the share `part` (0…1) of its time.
pub(crate) fn between(from: DVec3, to: DVec3, duration: f64, part: f64, gravity: DVec3) -> DVec3 {
    from * (1.0 - part) + to * part - 0.5 * duration * duration * part * (1.0 - part) * gravity
}

/// Velocity at the start of the free fall from `from` to `to` in `duration` seconds.
pub(crate) fn take_off_velocity(from: DVec3, to: DVec3, duration: f64, gravity: DVec3) -> DVec3 {
    (to - from) / duration - 0.5 * duration * gravity
}

/// Coefficients of 1, τ and τ², with τ in frames from the middle row, and the last element of the inverse normal matrix.
struct Parabola {
    coefficients: [DVec3; 3],
    variance_factor: f64,
}

impl Parabola {
    /// Weighted least squares through polynomials made orthogonal under the weights (Forsythe 1957).
    fn fit(rows: &[DVec3], weights: &[f64]) -> Self {
        let middle = 0.5 * (rows.len() - 1) as f64;
        let tau = |frame: usize| frame as f64 - middle;
        let sum = |f: &dyn Fn(f64) -> f64| (0..rows.len()).map(|n| weights[n] * f(tau(n))).sum::<f64>();
        let dot = |f: &dyn Fn(f64) -> f64| (0..rows.len()).map(|n| weights[n] * f(tau(n)) * rows[n]).sum::<DVec3>();
        let total = sum(&|_| 1.0);
        let mean = sum(&|t| t) / total;
        let first = |t: f64| t - mean;
        let first_norm = sum(&|t| first(t) * first(t));
        let slope = sum(&|t| t * first(t) * first(t)) / first_norm;
        let second = |t: f64| (t - slope) * first(t) - first_norm / total;
        let second_norm = sum(&|t| second(t) * second(t));
        let (p0, p1, p2) = (dot(&|_| 1.0) / total, dot(&first) / first_norm, dot(&second) / second_norm);
        let constant = p0 - mean * p1 + (slope * mean - first_norm / total) * p2;
        Self { coefficients: [constant, p1 - (slope + mean) * p2, p2], variance_factor: 1.0 / second_norm }
    }

    fn at(&self, tau: f64) -> DVec3 {
        let [a, b, c] = self.coefficients;
        a + tau * (b + tau * c)
    }

    fn residual(&self, rows: &[DVec3], frame: usize) -> DVec3 {
        rows[frame] - self.at(frame as f64 - 0.5 * (rows.len() - 1) as f64)
    }

    /// Robust standard deviation per component, from the median: half of normal residuals in three dimensions are shorter than 1.5382 σ.
    fn robust_scale(&self, rows: &[DVec3]) -> f64 {
        let mut lengths: Vec<f64> = (0..rows.len()).map(|n| self.residual(rows, n).length()).collect();
        lengths.sort_unstable_by(f64::total_cmp);
        lengths[lengths.len() / 2] / 1.538_172
    }

    fn in_seconds(&self, rows: &[DVec3], weights: &[f64], step: f64, skipped: usize) -> GravityFit {
        let count = rows.len();
        let squares: f64 = (0..count).map(|n| weights[n] * self.residual(rows, n).length_squared()).sum();
        let (noise, error) = if count > 3 {
            let variance = squares / (3 * count - 9) as f64;
            (libm::sqrt(variance), 2.0 * libm::sqrt(variance * self.variance_factor) / (step * step))
        } else {
            (0.0, f64::INFINITY)
        };
        let first = -0.5 * (count - 1) as f64 - skipped as f64;
        GravityFit {
            position: self.at(first),
            velocity: (self.coefficients[1] + 2.0 * first * self.coefficients[2]) / step,
            acceleration: self.coefficients[2] * (2.0 / (step * step)),
            acceleration_standard_error: error,
            noise,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::random::Random;

    const GRAVITY: DVec3 = DVec3::new(0.0, -9.81, 0.0);

    fn jump(frames: usize, step: f64) -> Vec<DVec3> {
        let at = |t: f64| DVec3::new(0.4 + 1.5 * t, 1.0 + 2.4 * t, -0.3 * t) + 0.5 * t * t * GRAVITY;
        (0..frames).map(|n| at(n as f64 * step)).collect()
    }

    #[test]
    fn s24_an_ideal_jump_falls_with_one_g() {
        for loss in [Loss::Squares, Loss::Huber] {
            let fit = fit_gravity(&jump(13, 1.0 / 24.0), 1.0 / 24.0, loss, 0).unwrap();
            let (gravity, error) = fit.in_units_of(GRAVITY);
            assert!((gravity - 1.0).abs() < 1e-12 && error < 1e-12, "{gravity} ± {error}");
            assert!((fit.position - DVec3::new(0.4, 1.0, 0.0)).length() < 1e-13);
            assert!((fit.velocity - DVec3::new(1.5, 2.4, -0.3)).length() < 1e-12);
            assert!(fit.acceleration.x.abs() < 1e-12 && fit.acceleration.z.abs() < 1e-12);
        }
    }

    #[test]
    fn s24_the_standard_error_agrees_with_monte_carlo_within_3_percent() {
        let (step, sigma, runs) = (1.0 / 24.0, 1e-3, 20_000);
        let mut random = Random::new(24);
        for (frames, specified) in [(4, 0.58), (12, 0.03), (27, 0.004)] {
            let n = f64::from(frames);
            let formula = libm::sqrt(720.0 / (n * (n * n - 1.0) * (n * n - 4.0))) * sigma / (step * step);
            assert!((formula - specified).abs() < 0.1 * specified, "{frames}: {formula}");
            let (mut squares, mut variances) = (0.0, 0.0);
            for _ in 0..runs {
                let mut path = jump(frames as usize, step);
                for row in &mut path {
                    *row += sigma * DVec3::new(random.normal(), random.normal(), random.normal());
                }
                let fit = fit_gravity(&path, step, Loss::Squares, 0).unwrap();
                squares += (fit.acceleration - GRAVITY).length_squared() / 3.0;
                variances += fit.acceleration_standard_error * fit.acceleration_standard_error;
            }
            let (spread, estimate) = (libm::sqrt(squares / f64::from(runs)), libm::sqrt(variances / f64::from(runs)));
            assert!((spread / formula - 1.0).abs() < 0.03, "{frames}: {spread} against {formula}");
            assert!((estimate / formula - 1.0).abs() < 0.03, "{frames}: {estimate} against {formula}");
        }
    }

    #[test]
    fn s24_huber_and_left_out_ends_resist_frames_that_are_not_in_flight() {
        let step = 1.0 / 60.0;
        let mut random = Random::new(7);
        let mut path = jump(30, step);
        path[0].y += 0.03;
        let exact = fit_gravity(&path, step, Loss::Huber, 0).unwrap().in_units_of(GRAVITY).0;
        assert!((exact - 1.0).abs() < 1e-6, "without noise nothing is left of one bad frame: {exact}");
        path[0].y -= 0.03;
        for row in &mut path {
            *row += 2e-4 * DVec3::new(random.normal(), random.normal(), random.normal());
        }
        path[0].y += 0.03;
        path[29].y += 0.04;
        let off = |fit: Option<GravityFit>| (fit.unwrap().in_units_of(GRAVITY).0 - 1.0).abs();
        assert!(off(fit_gravity(&path, step, Loss::Squares, 0)) > 0.04);
        assert!(off(fit_gravity(&path, step, Loss::Huber, 0)) < 0.01);
        assert!(off(fit_gravity(&path, step, Loss::Squares, 1)) < 0.01);
    }

    #[test]
    fn a_fit_without_the_ends_still_starts_at_the_first_row() {
        let path = jump(10, 0.02);
        let fit = fit_gravity(&path, 0.02, Loss::Squares, 2).unwrap();
        assert!((fit.at(0.0) - path[0]).length() < 1e-12);
        assert!((fit.at(9.0 * 0.02) - path[9]).length() < 1e-12);
    }

    #[test]
    fn s6_second_differences_of_the_ballistic_path_are_gravity() {
        let step = 1.0 / 24.0;
        let path = ballistic_path(DVec3::new(1.0, 2.0, 3.0), DVec3::new(2.0, 1.0, 5.0), 20, step, GRAVITY);
        for rows in path.windows(3) {
            assert!(((rows[0] - 2.0 * rows[1] + rows[2]) / (step * step) - GRAVITY).length() < 1e-10);
        }
    }

    #[test]
    fn s7_the_ends_are_exact_and_the_example_takes_off_at_3_75_3_299_1_25() {
        let (from, to) = (DVec3::Y, DVec3::new(3.0, 0.5, 1.0));
        let velocity = take_off_velocity(from, to, 0.8, GRAVITY);
        assert!((velocity - DVec3::new(3.75, 3.299, 1.25)).length() < 1e-12);
        assert!((velocity.y * velocity.y / (2.0 * 9.81) - 0.5547).abs() < 1e-4);
        let path = ballistic_path(from, to, 9, 0.1, GRAVITY);
        assert_eq!((path[0], path[8]), (from, to));
        for (n, row) in path.iter().enumerate() {
            let t = 0.1 * n as f64;
            assert!((*row - (from + t * velocity + 0.5 * t * t * GRAVITY)).length() < 1e-14);
        }
    }

    #[test]
    fn x14_too_few_rows_and_values_that_are_no_numbers_have_no_fit() {
        let path = jump(3, 0.1);
        assert_eq!(fit_gravity(&path, 0.1, Loss::Huber, 0).unwrap().acceleration_standard_error, f64::INFINITY);
        for rows in [&path[..0], &path[..1], &path[..2], &[DVec3::NAN; 5][..]] {
            assert!(fit_gravity(rows, 0.1, Loss::Squares, 0).is_none());
        }
        assert!(fit_gravity(&path, 0.1, Loss::Squares, 1).is_none());
        assert!(fit_gravity(&path, 0.1, Loss::Squares, 9).is_none());
        assert!(fit_gravity(&path, 0.0, Loss::Squares, 0).is_none());
        assert!(fit_gravity(&[DVec3::ONE; 6], 0.1, Loss::Huber, 0).is_some());
        assert!(ballistic_path(DVec3::ZERO, DVec3::ONE, 0, 0.1, GRAVITY).is_empty());
        assert_eq!(ballistic_path(DVec3::ZERO, DVec3::ONE, 1, 0.1, GRAVITY), [DVec3::ZERO]);
    }
}
