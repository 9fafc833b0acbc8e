//! Measurement of one flight: the gravity it shows, its deviations from free fall, and the ballistic path between its ends.
//!
//! The fit works on the center of mass as animated, never on filtered rows: a filter would bend the ends of the flight toward the contacts beside
//! it (mathematics 6.8). For the same reason the momenta are computed over the flight alone.
//! Contact ends and begins somewhere between frames. The frames of the first and the last 0.03 s, but no more than an eighth of the flight on
//! either side, are left out of the fit and of the judged errors (6.7, robust version). The maxima per axis and the errors per frame cover all
//! frames.

use glam::DVec3;

use super::ballistic::{self, Loss};
use super::centroidal_rows::CentroidalRows;
use super::contacts::ContactScale;
use super::flight_errors::{self, Negligible};
use super::report::{Flight, Span};
use super::similarity;

/// Measures the flight `span`. `animated` holds the center of mass as it is in the clip, `flying` the momenta computed over the flight alone;
/// gravity is in m/s² and points down.
pub(crate) fn measure(
    animated: &CentroidalRows,
    flying: &CentroidalRows,
    span: Span,
    marked: bool,
    scale: &ContactScale,
) -> Flight {
    let frames = span.first..span.last + 1;
    let path = &animated.mass_center[frames.clone()];
    let (position, velocity, gravity, gravity_standard_error) = fall(path, animated.frame_time, scale.gravity);
    let linear: Vec<DVec3> = flying.velocity[frames.clone()].iter().map(|v| animated.mass * *v).collect();
    let angular = &flying.angular_momentum[frames];
    let negligible = Negligible::of(animated.mass, scale.length, scale.gravity);
    let horizontal = flight_errors::horizontal(&linear);
    let path_error = flight_errors::horizontal_path_error(path);
    let errors = flight_errors::flight_errors(path, &linear, angular, negligible);
    let largest = |values: Vec<f64>| values.into_iter().fold(0.0, f64::max);
    let inner = transition(path.len(), animated.frame_time);
    let (judged, spin) = (&horizontal[inner..path.len() - inner], &angular[inner..path.len() - inner]);
    Flight {
        span,
        gravity,
        gravity_standard_error,
        size_factor: similarity::size_factor(gravity),
        frames_to_add: similarity::frames_to_add(gravity, path.len()),
        horizontal_path_error: largest(path_error.per_frame),
        path_error_in_meters: path_error.in_meters,
        linear_momentum_error: flight_errors::largest_per_axis(&errors.linear_momentum),
        angular_momentum_error: flight_errors::largest_per_axis(&errors.angular_momentum),
        linear_momentum_error_norm: largest(flight_errors::momentum_error_norm(judged, negligible.linear)),
        linear_momentum_change: flight_errors::largest_change(judged),
        angular_momentum_error_norm: largest(flight_errors::momentum_error_norm(spin, negligible.angular)),
        angular_momentum_change: flight_errors::largest_change(spin),
        per_frame: errors,
        fit_position: position,
        fit_velocity: velocity,
        ballistic_path: ballistic::ballistic_path(
            path[0],
            path[path.len() - 1],
            path.len(),
            animated.frame_time,
            DVec3::NEG_Y * scale.gravity,
        ),
        noticeability: 0.0,
        marked,
    }
}

/// Number of frames at either end of a flight of `frames` frames in which contact ends or begins.
fn transition(frames: usize, frame_time: f64) -> usize {
    ((0.03 / frame_time).ceil() as usize).min(frames / 8)
}

/// Returns position and velocity of the fitted parabola at the first frame, gravity in g and its standard error.
fn fall(path: &[DVec3], frame_time: f64, gravity: f64) -> (DVec3, DVec3, f64, f64) {
    let skipped = transition(path.len(), frame_time);
    match ballistic::fit_gravity(path, frame_time, Loss::Squares, skipped) {
        Some(fit) => {
            let (value, error) = fit.in_units_of(DVec3::NEG_Y * gravity);
            let back = skipped as f64 * frame_time;
            (fit.at(-back), fit.velocity - back * fit.acceleration, value, error)
        }
        None => (path[0], DVec3::ZERO, f64::NAN, f64::INFINITY),
    }
}

/// True if the center of mass follows one parabola over the frames `first..end`, bent downward by at least a tenth of
/// gravity: the residual is below a hundredth of the leg and a tenth of the arc's height.
pub(crate) fn is_ballistic(rows: &CentroidalRows, first: usize, end: usize, scale: &ContactScale) -> bool {
    let path = &rows.mass_center[first..end];
    let Some(fit) = ballistic::fit_gravity(path, rows.frame_time, Loss::Squares, 0) else { return false };
    let (value, _) = fit.in_units_of(DVec3::NEG_Y * scale.gravity);
    let seconds = (path.len() - 1) as f64 * rows.frame_time;
    let arc = value * scale.gravity * seconds * seconds / 8.0;
    value > 0.1 && fit.noise < 0.01 * scale.length && fit.noise < 0.1 * arc
}
