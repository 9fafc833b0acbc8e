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
use super::report::{Flight, Span, YawChange};
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
        shape_error: shape_error(path, (position, velocity, gravity), animated.frame_time, scale.gravity),
        sideways_error: sideways_error(path),
        yaw_change: yaw_change(
            spin,
            animated.frame_time,
            animated.mass * scale.length * (scale.gravity * scale.length).sqrt(),
        ),
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
            (fit.position, fit.velocity, value, error)
        }
        None => (path[0], DVec3::ZERO, f64::NAN, f64::INFINITY),
    }
}

/// Gravity with which the mass center falls over the frames `first..end`, in units of `true_gravity` (m/s²); NaN of fewer than three frames.
pub(crate) fn gravity(rows: &CentroidalRows, first: usize, end: usize, true_gravity: f64) -> f64 {
    let fit = ballistic::fit_gravity(&rows.mass_center[first..end], rows.frame_time, Loss::Squares, 0);
    fit.map_or(f64::NAN, |fit| fit.in_units_of(DVec3::NEG_Y * true_gravity).0)
}

/// Root mean square of the vertical distance of a path from its fitted parabola, meters. `fall` is its place and velocity at the first
/// row and its gravity in units of `gravity`.
fn shape_error(path: &[DVec3], fall: (DVec3, DVec3, f64), frame_time: f64, gravity: f64) -> f64 {
    let (position, velocity, value) = fall;
    let skipped = transition(path.len(), frame_time);
    let distance = |frame: usize| {
        let time = frame as f64 * frame_time;
        path[frame].y - (position.y + velocity.y * time - 0.5 * value * gravity * time * time)
    };
    let rows = skipped..path.len() - skipped;
    let count = rows.len().max(1) as f64;
    let mean = (rows.map(|frame| distance(frame).powi(2)).sum::<f64>() / count).sqrt();
    if mean.is_finite() { mean } else { 0.0 }
}

/// Greatest horizontal distance of a path from the uniform straight motion nearest to it, meters.
fn sideways_error(path: &[DVec3]) -> f64 {
    let count = path.len() as f64;
    let mean = path.iter().sum::<DVec3>() / count;
    let time = |frame: usize| frame as f64 - 0.5 * (count - 1.0);
    let squares: f64 = (0..path.len()).map(|frame| time(frame).powi(2)).sum();
    let slope = path.iter().enumerate().map(|(frame, row)| time(frame) * (*row - mean)).sum::<DVec3>();
    let slope = if squares > 0.0 { slope / squares } else { DVec3::ZERO };
    let distance = |(frame, row): (usize, &DVec3)| {
        let rest = *row - mean - time(frame) * slope;
        DVec3::new(rest.x, 0.0, rest.z).length()
    };
    path.iter().enumerate().map(distance).fold(0.0, f64::max)
}

/// Change of the angular momentum about the vertical within a flight, in units of `natural` (M L √(g L)), and the mean length of the whole.
/// Rows are means over 33 ms to either side.
fn yaw_change(spin: &[DVec3], frame_time: f64, natural: f64) -> YawChange {
    let half = (libm::round(0.033 / frame_time) as usize).saturating_sub(1);
    let smooth = |frame: usize| {
        let near = &spin[frame.saturating_sub(half)..(frame + half + 1).min(spin.len())];
        near.iter().sum::<DVec3>() / near.len() as f64 / natural
    };
    let rows: Vec<DVec3> = (0..spin.len()).map(smooth).collect();
    let mean = rows.iter().sum::<DVec3>() / rows.len().max(1) as f64;
    let quarter = (rows.len() / 4).max(1);
    if rows.len() < 3 || !mean.is_finite() {
        return YawChange::default();
    }
    let yaw = |rows: &[DVec3]| rows.iter().map(|row| row.y).sum::<f64>() / rows.len().max(1) as f64;
    let ends = 0.5 * (yaw(&rows[..quarter]) + yaw(&rows[rows.len() - quarter..]));
    YawChange {
        middle: (yaw(&rows[quarter..rows.len() - quarter]) - ends).abs(),
        greatest: rows.iter().map(|row| (row.y - mean.y).abs()).fold(0.0, f64::max),
        mean: mean.length(),
    }
}
