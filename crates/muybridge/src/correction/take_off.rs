//! Flights that take off with a given velocity or speed: where they land, and how long they last.
//!
//! ```text
//! T = n h,   n = round(T_v/h)        T_v: time until r0 + v t + ½ g t² comes down to the height of the landing
//! r1 = r0 + v_h T, at the height of the landing                   v_h: horizontal part of v; h: time of a frame
//! ```
//! Files hold whole frames, so the horizontal velocity is exact, and the vertical one within g h/4 of what is asked for.
//! Specification: mathematics 7.1 (S6, S9).

use glam::DVec3;

use super::path::BallisticPath;

/// The flight from the first of these centers of mass, `step` seconds apart, with the take-off velocity `velocity` (m/s)
/// down to the height of the last, and the displacement of its landing (m). `None` if it never gets that high.
pub(crate) fn thrown(centers: &[DVec3], velocity: DVec3, gravity: DVec3, step: f64) -> Option<(BallisticPath, DVec3)> {
    let (from, to) = (*centers.first()?, *centers.last()?);
    let exact = BallisticPath::from_launch(from, velocity, to, gravity)?;
    let seconds = step * libm::round(exact.duration / step).clamp(2.0, 1e6);
    let up = (-gravity).normalize();
    let level = |way: DVec3| way - up * way.dot(up);
    let landing = to - level(to - from) + level(velocity) * seconds;
    Some((BallisticPath::between(from, landing, seconds, gravity), landing - to))
}

/// The throw between two ends that takes off at `speed` (m/s): of the flat and the high one the one whose duration is nearer to `animated` seconds.
/// If the speed is too low, the least that is enough: `√(‖g‖ ‖d‖ − g·d)`, where the two are one.
pub(crate) fn at_speed(
    (from, to): (DVec3, DVec3),
    speed: f64,
    gravity: DVec3,
    animated: f64,
) -> Result<BallisticPath, f64> {
    let [flat, high] = BallisticPath::at_speed(from, to, speed, gravity)
        .ok_or_else(|| libm::sqrt(gravity.length() * from.distance(to) - gravity.dot(to - from)))?;
    let off = |path: BallisticPath| (path.duration - animated).abs();
    Ok(if off(flat) <= off(high) { flat } else { high })
}

/// Largest error of a take-off velocity that counts as none: frames of gravity upward, and the share of the horizontal
/// speed and the speed (m/s) to every side. Contacts locate the ends of a flight to some frames only.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VelocityAccuracy {
    pub frames: f64,
    pub share: f64,
    pub speed: f64,
}

/// Whether a flight between these centers of mass takes off with the velocity (m/s).
pub(crate) fn takes_off_with(
    centers: &[DVec3],
    velocity: DVec3,
    gravity: DVec3,
    step: f64,
    accuracy: VelocityAccuracy,
) -> bool {
    let last = centers.len() - 1;
    let own = BallisticPath::between(centers[0], centers[last], last as f64 * step, gravity).velocity(0.0);
    let (up, off) = ((-gravity).normalize(), own - velocity);
    let (rise, level) = (off.dot(up), off - up * off.dot(up));
    let speed = (velocity - up * velocity.dot(up)).length();
    rise.abs() <= accuracy.frames * gravity.length() * step && level.length() <= accuracy.share * speed + accuracy.speed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::{Settings, analyze};
    use crate::correction::follow_path::mass_centers;
    use crate::correction::{FixSettings, fix};
    use crate::samples;

    #[test]
    fn s9_a_jump_with_a_given_take_off_lands_where_that_throw_comes_down() {
        let (character, original) = (samples::humanoid(), samples::jump());
        let before = analyze(&character, &original, &Settings::default());
        let span = before.flights[0].span;
        let marked = Settings { flights: vec![(span.first, span.last)], ..Settings::default() };
        let velocity = DVec3::new(0.4, 3.0, 1.5);
        let asked = FixSettings { takeoff_velocity: Some(velocity), ..FixSettings::default() };
        let fixed = fix(&character, &original, &marked, &asked);
        let centers = mass_centers(&character, &fixed.clip);
        let flight = &fixed.after.flights[0];
        let (first, last) = (flight.span.first, flight.span.last);
        let seconds = (last - first) as f64 * fixed.clip.frame_time;
        // The way of a throw in that time, sideways; and the time of the rise and fall to the height of the landing.
        let way = centers[last] - centers[first];
        assert!((way.x - 0.4 * seconds).abs() < 1e-9 && (way.z - 1.5 * seconds).abs() < 1e-9, "{way} {seconds}");
        let exact = (3.0 + libm::sqrt(9.0 - 2.0 * 9.81 * way.y)) / 9.81;
        assert!((seconds - exact).abs() <= 0.5 * fixed.clip.frame_time + 1e-9, "{seconds} {exact}");
        assert!((flight.gravity - 1.0).abs() < 1e-6, "{}", flight.gravity);
        let again = fix(&character, &fixed.clip, &fixed.settings, &asked);
        assert!(again.steps.is_empty(), "it has that take-off already: {:?}", again.steps);
    }

    #[test]
    fn s9_a_take_off_that_never_gets_as_high_as_the_landing_is_refused() {
        let (character, clip) = (samples::humanoid(), samples::jump());
        let span = analyze(&character, &clip, &Settings::default()).flights[0].span;
        let marked = Settings { flights: vec![(span.first, span.last)], ..Settings::default() };
        let down = FixSettings { takeoff_velocity: Some(DVec3::new(0.0, -1.0, 0.0)), ..FixSettings::default() };
        let centers = mass_centers(&character, &clip);
        let rises = centers[span.last].y > centers[span.first].y;
        let fixed = fix(&character, &clip, &marked, &down);
        assert_eq!(fixed.left.iter().any(|left| left.why.contains("never")), rises, "{:?}", fixed.left);
    }
}
