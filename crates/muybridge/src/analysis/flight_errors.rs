//! Deviations of a flight from free fall: a curved ground track, and changes of linear and angular momentum.
//!
//! ```text
//! path      distance of the ground projection of c_n to the segment from first to last, over its length       (S20)
//! momentum  |P_k,n − P̄_k| / |P̄_k| for k = x, z;   |H_k,n − H̄_k| / |H̄_k| for k = x, y, z                  (S21, S22)
//! stable    ‖P_n − P̄‖ / ‖P̄‖ (horizontal parts);  ‖H_n − H̄‖ / ‖H̄‖                                       the default score
//! ```
//! A mean below 1e-9 M√(g0 L), for H 1e-9 M L√(g0 L), counts as zero: the error is then 0 if the difference is also below this bound, else
//! infinite. Specification: mathematics 6.6; Shapiro, Lee 2011.

use glam::DVec3;

use super::report::FlightErrors;
use crate::math::hull::{distance_to_segment, on_ground};

/// Ground tracks shorter than this are judged in meters instead of relative to their length (6.6).
const SHORTEST_WAY: f64 = 0.05;

/// Distance of each row from the straight ground track between the ends of the flight.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PathError {
    /// One value per row: distance divided by the length of the ground track, or in meters.
    pub per_frame: Vec<f64>,
    /// True if the ground track is shorter than 5 cm, so that the values are meters.
    pub in_meters: bool,
}

/// Momenta below which a mean counts as zero, from the size of the body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Negligible {
    /// Linear momentum, kg m/s.
    pub linear: f64,
    /// Angular momentum, kg m²/s.
    pub angular: f64,
}

impl Negligible {
    /// Bounds for a body of `mass` kg and `length` meters (its leg or its height) under `gravity` m/s².
    pub(crate) fn of(mass: f64, length: f64, gravity: f64) -> Self {
        let linear = 1e-9 * mass * libm::sqrt((gravity * length).abs());
        Self { linear, angular: linear * length }
    }
}

/// Horizontal path error (S20) for each row of the center of mass.
pub(crate) fn horizontal_path_error(path: &[DVec3]) -> PathError {
    let (Some(&first), Some(&last)) = (path.first(), path.last()) else {
        return PathError { per_frame: Vec::new(), in_meters: true };
    };
    let (from, to) = (on_ground(first), on_ground(last));
    let length = from.distance(to);
    let in_meters = length < SHORTEST_WAY;
    let divisor = if in_meters { 1.0 } else { length };
    let per_frame = path.iter().map(|&row| distance_to_segment(on_ground(row), from, to) / divisor).collect();
    PathError { per_frame, in_meters }
}

/// Momentum errors S21 and S22 as the paper defines them: each component relative to its own mean. Infinite if the mean is zero and the component
/// is not.
pub fn momentum_error(momenta: &[DVec3], negligible: f64) -> Vec<DVec3> {
    let mean = mean(momenta);
    let error = |difference: f64, mean: f64| relative(difference.abs(), mean.abs(), negligible);
    let each = |row: &DVec3| {
        let difference = *row - mean;
        DVec3::new(error(difference.x, mean.x), error(difference.y, mean.y), error(difference.z, mean.z))
    };
    momenta.iter().map(each).collect()
}

/// Momentum errors S21 and S22 in a stable form: length of the difference over the length of the mean.
pub fn momentum_error_norm(momenta: &[DVec3], negligible: f64) -> Vec<f64> {
    let mean = mean(momenta);
    momenta.iter().map(|row| relative((*row - mean).length(), mean.length(), negligible)).collect()
}

/// Largest distance of a row from the mean of the rows.
pub(crate) fn largest_change(momenta: &[DVec3]) -> f64 {
    let mean = mean(momenta);
    momenta.iter().map(|row| (*row - mean).length()).fold(0.0, f64::max)
}

/// Horizontal part of each row: gravity changes only the vertical part.
pub(crate) fn horizontal(momenta: &[DVec3]) -> Vec<DVec3> {
    momenta.iter().map(|row| DVec3::new(row.x, 0.0, row.z)).collect()
}

/// Computes S20–S22 frame by frame, from the center of mass, linear momentum and angular momentum about it, one row per frame.
pub(crate) fn flight_errors(
    path: &[DVec3],
    linear: &[DVec3],
    angular: &[DVec3],
    negligible: Negligible,
) -> FlightErrors {
    FlightErrors {
        horizontal_path: horizontal_path_error(path).per_frame,
        linear_momentum: momentum_error(linear, negligible.linear)
            .into_iter()
            .map(|error| [Some(error.x), None, Some(error.z)])
            .collect(),
        angular_momentum: momentum_error(angular, negligible.angular)
            .into_iter()
            .map(|error| error.to_array().map(Some))
            .collect(),
    }
}

/// Largest value of each axis over the frames; `None` for an axis without values.
pub(crate) fn largest_per_axis(errors: &[[Option<f64>; 3]]) -> [Option<f64>; 3] {
    [0, 1, 2].map(|axis| errors.iter().filter_map(|error| error[axis]).reduce(f64::max))
}

fn mean(rows: &[DVec3]) -> DVec3 {
    rows.iter().sum::<DVec3>() / rows.len().max(1) as f64
}

fn relative(difference: f64, mean: f64, negligible: f64) -> f64 {
    if mean >= negligible && mean > 0.0 {
        difference / mean
    } else if difference <= negligible {
        0.0
    } else {
        f64::INFINITY
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::ballistic::ballistic_path;

    const GRAVITY: DVec3 = DVec3::new(0.0, -9.81, 0.0);

    fn jump() -> Vec<DVec3> {
        ballistic_path(DVec3::new(0.1, 1.0, 0.2), DVec3::new(1.3, 1.1, 0.7), 20, 1.0 / 24.0, GRAVITY)
    }

    #[test]
    fn s20_an_ideal_jump_goes_straight() {
        let error = horizontal_path_error(&jump());
        assert!(!error.in_meters && error.per_frame.iter().all(|e| *e <= 1e-12));
    }

    #[test]
    fn s20_a_point_d_beside_a_way_of_length_l_is_off_by_d_over_l() {
        let mut path = jump();
        let across = DVec3::new(0.5, 0.0, -1.2).normalize();
        path[7] += 0.13 * across + DVec3::Y;
        let error = horizontal_path_error(&path).per_frame;
        assert!((error[7] - 0.13 / 1.3).abs() < 1e-12 && error[8] < 1e-12);
        path[7] = path[0] - 0.26 * DVec3::new(1.2, 0.0, 0.5).normalize();
        assert!((horizontal_path_error(&path).per_frame[7] - 0.2).abs() < 1e-12, "behind the start of the segment");
    }

    #[test]
    fn s20_a_vertical_jump_is_judged_in_meters() {
        let error = horizontal_path_error(&[DVec3::ZERO, DVec3::new(0.02, 0.4, 0.0), DVec3::new(0.0, 0.1, 0.04)]);
        assert!(error.in_meters);
        assert!((error.per_frame[1] - 0.02).abs() < 1e-15);
    }

    #[test]
    fn s21_and_s22_the_momenta_of_an_ideal_jump_are_constant() {
        let (path, step) = (jump(), 1.0 / 24.0);
        let linear: Vec<DVec3> = path.windows(3).map(|x| 70.0 * (x[2] - x[0]) / (2.0 * step)).collect();
        let negligible = Negligible::of(70.0, 0.9, 9.81);
        let errors = flight_errors(&path[1..19], &linear, &[DVec3::new(3.0, -1.0, 0.5); 18], negligible);
        let [x, y, z] = largest_per_axis(&errors.linear_momentum);
        assert!(x.unwrap() <= 1e-12 && y.is_none() && z.unwrap() <= 1e-12);
        assert!(largest_per_axis(&errors.angular_momentum).iter().all(|e| e.unwrap() <= 1e-12));
        assert!(momentum_error_norm(&horizontal(&linear), negligible.linear).iter().all(|e| *e <= 1e-12));
    }

    #[test]
    fn s21_and_s22_one_doubled_of_n_equal_rows_is_off_by_n_minus_1_over_n_plus_1() {
        let mut rows = vec![DVec3::new(2.0, -1.0, 0.5); 9];
        rows[4] *= 2.0;
        let (double, single) = (8.0 / 10.0, 1.0 / 10.0);
        let errors = momentum_error(&rows, 1e-9);
        assert!((errors[4] - DVec3::splat(double)).length() < 1e-14);
        assert!((errors[0] - DVec3::splat(single)).length() < 1e-14);
        assert!((momentum_error_norm(&rows, 1e-9)[4] - double).abs() < 1e-14);
        assert!((largest_change(&rows) - 8.0 / 9.0 * rows[0].length()).abs() < 1e-14);
    }

    #[test]
    fn s21_a_mean_of_zero_gives_no_error_for_zero_and_an_infinite_one_for_anything_else() {
        let rows = [DVec3::new(1.0, 0.0, 1e-12), DVec3::new(-1.0, 0.0, -1e-12)];
        for error in momentum_error(&rows, 1e-9) {
            assert_eq!(error, DVec3::new(f64::INFINITY, 0.0, 0.0));
        }
        assert_eq!(momentum_error_norm(&[DVec3::ZERO; 3], 0.0), [0.0; 3]);
    }

    #[test]
    fn x14_no_rows_have_no_errors() {
        let errors = flight_errors(&[], &[], &[], Negligible::of(0.0, 0.0, 9.81));
        assert_eq!(errors, FlightErrors::default());
        assert_eq!(largest_per_axis(&errors.linear_momentum), [None; 3]);
        assert_eq!(largest_change(&[]), 0.0);
    }
}
