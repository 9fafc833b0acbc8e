//! What the ground's side of a flight says of the flight: how long it lasts and where its other end is, if it goes on as it takes off, or
//! comes as it lands.
//!
//! ```text
//! v(k) = (3 r_k − 4 r_{k±1} + r_{k±2}) / 2h     one-sided, of second order: exact for a steady push
//! v    = the v(k) with the greatest v_y − g h k   k frames before take-off, within 0.1 s: the ground only pushes
//! ```
//! A landing is a take-off with the time turned. Specification: mathematics 7.1 (S9).

use glam::DVec3;

use super::BallisticPath;
use crate::analysis::{Analysis, Flight};

/// An end of a flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlightEnd {
    /// Its first frame.
    TakeOff,
    /// Its last.
    Landing,
}

/// How long before a take-off, or after a landing, the ground's side is asked for its velocity, s.
const PUSH: f64 = 0.1;

/// How long a flight lasts (s), and the ways of its ends (m), if it goes on as it takes off or comes as it lands: the velocity is that of the
/// ground's side of that end, the other end keeps its height. `frame_time` is that of the clip. `None` where the clip does not show it, or
/// nothing goes that high.
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
            let path = BallisticPath::thrown(from, velocity, to, gravity)?;
            (path, [DVec3::ZERO, path.to - to])
        }
        FlightEnd::Landing => {
            let path = BallisticPath::arriving(to, velocity, from, gravity)?;
            (path, [path.from - from, DVec3::ZERO])
        }
    };
    Some((path.duration, ends))
}

/// The velocity with which a flight leaves the ground, or meets it, as the frames on the ground say. The ground only pushes: the
/// character rises at take-off at least as fast as at any moment before, less what gravity took since; the most of these is the answer.
/// (A flight played too slow hides its first frames in the last on the ground; the frame of take-off alone would know nothing.)
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
            // The true moment of take-off is between two frames, and so is that of landing.
            assert!((duration - lasts).abs() < 2.0 * jump.frame_time, "{end:?}: {duration} s instead of {lasts} s");
            let [own, other] = if end == FlightEnd::TakeOff { ways } else { [ways[1], ways[0]] };
            assert!(own == DVec3::ZERO && other.y.abs() < 1e-12 && other.length() < 0.1, "{end:?}: {ways:?}");
        }
    }
}
