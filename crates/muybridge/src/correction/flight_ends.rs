//! Extrapolates a flight from the motion on the ground: its duration and its other end, if it continues as it takes off, or comes as it lands.
//!
//! ```text
//! v(k) = (3 r_k − 4 r_{k±1} + r_{k±2}) / 2h     one-sided, second order: exact for a steady push
//! v    = the v(k) with the greatest v_y − g h k   k frames before take-off, within 0.1 s: the ground can only push
//! ```
//! A landing is a take-off with reversed time. Specification: mathematics 7.1 (S9).

use glam::DVec3;

use super::BallisticPath;
use crate::analysis::{Analysis, Flight};

/// End of a flight: take-off or landing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlightEnd {
    /// Take-off: the first frame of the flight.
    TakeOff,
    /// Landing: the last frame of the flight.
    Landing,
}

/// Time before a take-off, or after a landing, in which the velocity is measured, seconds.
const PUSH: f64 = 0.1;

/// Duration (s) and displacements of the ends (m) of a flight that continues as it takes off or comes as it lands. The velocity comes from the
/// ground side of that end; the other end keeps its height. `frame_time` is that of the clip. `None` if the clip does not show the velocity, or the
/// flight would never get that high.
pub fn extrapolate_flight(
    analysis: &Analysis,
    flight: &Flight,
    frame_time: f64,
    end: FlightEnd,
) -> Option<(f64, [DVec3; 2])> {
    let (from, to) = (*flight.ballistic_path.first()?, *flight.ballistic_path.last()?);
    let gravity = DVec3::NEG_Y * analysis.gravity;
    let velocity = velocity_on_the_ground(analysis, flight, frame_time, end)?;
    let (path, ends) = match end {
        FlightEnd::TakeOff => {
            let path = BallisticPath::from_launch(from, velocity, to, gravity)?;
            (path, [DVec3::ZERO, path.to - to])
        }
        FlightEnd::Landing => {
            let path = BallisticPath::arriving(to, velocity, from, gravity)?;
            (path, [path.from - from, DVec3::ZERO])
        }
    };
    Some((path.duration, ends))
}

/// Velocity with which a flight leaves or meets the ground, measured on the ground. The ground can only push, so the character rises at take-off at
/// least as fast as at any moment before, less the effect of gravity since; the largest of these velocities is returned.
/// (A flight that is played too slowly hides its first frames among the last on the ground; the take-off frame alone would be too late.)
fn velocity_on_the_ground(analysis: &Analysis, flight: &Flight, step: f64, end: FlightEnd) -> Option<DVec3> {
    let centers = &analysis.per_frame.mass_center;
    let (edge, time) = match end {
        FlightEnd::TakeOff => (flight.span.first, -1),
        FlightEnd::Landing => (flight.span.last, 1),
    };
    let center = |away: usize| {
        let frame = edge.checked_add_signed(time * away as isize)?;
        centers.get(frame).copied().flatten()
    };
    let leaving = |away: usize| {
        let velocity = (center(away)? * 3.0 - center(away + 1)? * 4.0 + center(away + 2)?) / (2.0 * step);
        Some(velocity - DVec3::Y * (analysis.gravity * step * away as f64))
    };
    let frames = 0..=(PUSH / step) as usize;
    let fastest = frames.filter_map(leaving).max_by(|a, b| a.y.total_cmp(&b.y))?;
    Some(fastest * -time as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::{Settings, analyze};
    use crate::samples;

    #[test]
    fn s9_a_jump_that_falls_with_one_g_says_at_both_ends_how_long_it_lasts() {
        let (character, jump) = (samples::humanoid(), samples::jump());
        let analysis = analyze(&character, &jump, &Settings::default());
        let flight = &analysis.flights[0];
        let lasts = (flight.ballistic_path.len() - 1) as f64 * jump.frame_time;
        for end in [FlightEnd::TakeOff, FlightEnd::Landing] {
            let (duration, ways) = extrapolate_flight(&analysis, flight, jump.frame_time, end).unwrap();
            // The true moments of take-off and landing lie between two frames.
            assert!((duration - lasts).abs() < 2.0 * jump.frame_time, "{end:?}: {duration} s instead of {lasts} s");
            let [own, other] = if end == FlightEnd::TakeOff { ways } else { [ways[1], ways[0]] };
            assert!(own == DVec3::ZERO && other.y.abs() < 1e-12 && other.length() < 0.1, "{end:?}: {ways:?}");
        }
    }
}
