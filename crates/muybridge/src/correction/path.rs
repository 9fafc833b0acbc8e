//! Ballistic paths: motion of the center of mass in the air, from various given quantities.
//!
//! ```text
//! r(t) = r0 + (r1 − r0) t/T − ½ g t (T − t)              through r0 and r1 in the time T, both ends exact
//! r1 = r0 + v0 T + ½ g T²,   r0 = r1 − v1 T + ½ g T²     from the first or the last frame's velocity
//! T = √(2 (H − h0)/g0) + √(2 (H − h1)/g0)                over an apex at height H
//! T² = 2 (V² + g·d ± √((V² + g·d)² − g0² ‖d‖²)) / g0²    taking off at the speed V, d = r1 − r0
//! ```
//! Specification: mathematics 7.1 (S6–S9). Gravity may be any vector (of the moon, of a giant, of a tilted world); heights are measured against it.

use glam::DVec3;

use crate::analysis::ballistic;
use crate::analysis::similarity::fall_time;

/// Free fall between two points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BallisticPath {
    /// r0: start position, meters.
    pub from: DVec3,
    /// r1: end position, meters.
    pub to: DVec3,
    /// T: duration, seconds; above 0.
    pub duration: f64,
    /// g: gravity, m/s².
    pub gravity: DVec3,
}

impl BallisticPath {
    /// Path from `from` to `to` in `duration` seconds.
    pub(crate) fn between(from: DVec3, to: DVec3, duration: f64, gravity: DVec3) -> Self {
        Self { from, to, duration, gravity }
    }

    /// Path from `from` with the start velocity `velocity` (m/s), for `duration` seconds.
    pub(crate) fn from_start(from: DVec3, velocity: DVec3, duration: f64, gravity: DVec3) -> Self {
        let to = from + duration * (velocity + 0.5 * duration * gravity);
        Self { from, to, duration, gravity }
    }

    /// Path that arrives at `to` with the end velocity `velocity` (m/s), after `duration` seconds.
    pub(crate) fn from_end(to: DVec3, velocity: DVec3, duration: f64, gravity: DVec3) -> Self {
        let from = to - duration * (velocity - 0.5 * duration * gravity);
        Self { from, to, duration, gravity }
    }

    /// Path from `from` with the start velocity `velocity` (m/s) until it descends to the height of `level`. `None` if it never gets that high, and
    /// without gravity.
    pub(crate) fn from_launch(from: DVec3, velocity: DVec3, level: DVec3, gravity: DVec3) -> Option<Self> {
        Some(Self::from_start(from, velocity, time_down(velocity, level - from, gravity)?, gravity))
    }

    /// Path that arrives at `to` with the end velocity `velocity` (m/s) from the height of `level`: a throw computed backward in time. `None` under
    /// the conditions of [`Self::thrown`].
    pub(crate) fn arriving(to: DVec3, velocity: DVec3, level: DVec3, gravity: DVec3) -> Option<Self> {
        Some(Self::from_end(to, velocity, time_down(-velocity, level - to, gravity)?, gravity))
    }

    /// Path over an apex at `height` meters above the origin, measured against gravity. `None` if an end lies higher, if both ends and the apex
    /// have the same height, or without gravity.
    pub(crate) fn over_apex(from: DVec3, to: DVec3, height: f64, gravity: DVec3) -> Option<Self> {
        let magnitude = gravity.length();
        let duration_of_fall = |end: DVec3| fall_time(height + end.dot(gravity) / magnitude, magnitude);
        let duration = duration_of_fall(from) + duration_of_fall(to);
        (duration > 0.0).then_some(Self { from, to, duration, gravity })
    }

    /// The flat and the high throw from `from` to `to` with take-off speed `speed` m/s, the faster one first; both are equal if there is only one.
    /// `None` if `speed` is too low, and without gravity.
    pub(crate) fn at_speed(from: DVec3, to: DVec3, speed: f64, gravity: DVec3) -> Option<[Self; 2]> {
        let way = to - from;
        let (g2, sum) = (gravity.length_squared(), speed * speed + gravity.dot(way));
        let root = sum * sum - g2 * way.length_squared();
        if !(g2 > 0.0 && sum > 0.0 && root >= 0.0) {
            return None;
        }
        // Compute the smaller root from the product of both, ‖d‖²/(¼ g0²): their difference would cancel.
        let slow = 2.0 * (sum + libm::sqrt(root)) / g2;
        // Between ends that coincide there is the high one alone.
        let fast = if way == DVec3::ZERO { slow } else { 4.0 * way.length_squared() / (g2 * slow) };
        Some([fast, slow].map(|squared| Self { from, to, duration: libm::sqrt(squared), gravity }))
    }

    /// Free fall nearest to a path of rows `step` seconds apart, by least squares with given gravity: start and velocity are fitted. `None` for
    /// fewer than two rows, or if a row or the step is not finite.
    pub(crate) fn fitted(rows: &[DVec3], step: f64, gravity: DVec3) -> Option<Self> {
        let finite = step.is_finite() && step > 0.0 && rows.iter().all(|row| row.is_finite());
        if rows.len() < 2 || !finite {
            return None;
        }
        let (count, middle) = (rows.len() as f64, 0.5 * (rows.len() - 1) as f64);
        let time = |row: usize| (row as f64 - middle) * step;
        let fallen = |row: usize| rows[row] - 0.5 * time(row) * time(row) * gravity;
        let mean = (0..rows.len()).map(fallen).sum::<DVec3>() / count;
        let spread: f64 = (0..rows.len()).map(|row| time(row) * time(row)).sum();
        let slope = (0..rows.len()).map(|row| time(row) * fallen(row)).sum::<DVec3>() / spread;
        let at = |t: f64| mean + t * slope + 0.5 * t * t * gravity;
        let half = middle * step;
        Some(Self { from: at(-half), to: at(half), duration: 2.0 * half, gravity })
    }

    /// `count` paths between the same ends, with durations evenly spaced from `shortest` to `longest` seconds (the two values of `span`).
    /// A `count` of 1 gives the shortest alone.
    pub fn family(from: DVec3, to: DVec3, span: (f64, f64), count: usize, gravity: DVec3) -> Vec<Self> {
        let (shortest, longest) = span;
        let share = |k: usize| if count < 2 { 0.0 } else { k as f64 / (count - 1) as f64 };
        let duration = |k: usize| shortest * (1.0 - share(k)) + longest * share(k);
        (0..count).map(|k| Self { from, to, duration: duration(k), gravity }).collect()
    }

    /// Position after `seconds`, meters.
    pub(crate) fn at(&self, seconds: f64) -> DVec3 {
        let part = seconds / self.duration;
        ballistic::between(self.from, self.to, self.duration, part, self.gravity)
    }

    /// Velocity after `seconds`, m/s.
    pub fn velocity(&self, seconds: f64) -> DVec3 {
        ballistic::take_off_velocity(self.from, self.to, self.duration, self.gravity) + seconds * self.gravity
    }

    /// Positions of `intervals + 1` frames over the whole duration; both ends are exact.
    pub fn frames(&self, intervals: usize) -> Vec<DVec3> {
        let step = self.duration / intervals.max(1) as f64;
        ballistic::ballistic_path(self.from, self.to, intervals + 1, step, self.gravity)
    }

    /// Time at which the path is highest against gravity, seconds, within its duration.
    pub fn apex_time(&self) -> f64 {
        let g2 = self.gravity.length_squared();
        if g2 == 0.0 { 0.0 } else { (-self.velocity(0.0).dot(self.gravity) / g2).clamp(0.0, self.duration) }
    }

    /// Highest point of the path against gravity, meters.
    pub fn apex(&self) -> DVec3 {
        self.at(self.apex_time())
    }
}

/// Time after which a throw is for the second time at the height of `way` relative to its start, seconds; `None` if not above 0.
fn time_down(velocity: DVec3, way: DVec3, gravity: DVec3) -> Option<f64> {
    let magnitude = gravity.length();
    let (rises, height) = (-velocity.dot(gravity) / magnitude, -way.dot(gravity) / magnitude);
    let seconds = (rises + libm::sqrt(rises * rises - 2.0 * magnitude * height)) / magnitude;
    (seconds > 0.0 && seconds.is_finite()).then_some(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::random::Random;

    const GRAVITY: DVec3 = DVec3::new(0.0, -9.81, 0.0);

    #[test]
    fn s6_second_differences_are_gravity_on_earth_on_the_moon_and_on_a_slope() {
        for gravity in [GRAVITY, DVec3::new(0.0, -1.62, 0.0), DVec3::new(1.0, -9.0, 2.0)] {
            let rows = BallisticPath::between(DVec3::ONE, DVec3::new(2.0, 1.0, 5.0), 0.8, gravity).frames(24);
            let step: f64 = 0.8 / 24.0;
            for row in rows.windows(3) {
                assert!(((row[0] - 2.0 * row[1] + row[2]) / (step * step) - gravity).length() < 1e-10);
            }
        }
    }

    #[test]
    fn s7_the_example_takes_off_at_3_75_3_299_1_25_and_rises_0_5547() {
        let path = BallisticPath::between(DVec3::Y, DVec3::new(3.0, 0.5, 1.0), 0.8, GRAVITY);
        assert!((path.velocity(0.0) - DVec3::new(3.75, 3.299, 1.25)).length() < 1e-12);
        assert!((path.apex().y - 1.5547).abs() < 5e-5 && (path.apex_time() - 3.299 / 9.81).abs() < 1e-12);
        assert_eq!((path.at(0.0), path.at(0.8)), (path.from, path.to));
        let rows = path.frames(20);
        assert_eq!((rows[0], rows[20]), (path.from, path.to));
    }

    #[test]
    fn s7_over_an_apex_of_1_5_m_it_takes_0_770799_s() {
        let (from, to) = (DVec3::Y, DVec3::new(3.0, 0.5, 1.0));
        let path = BallisticPath::over_apex(from, to, 1.5, GRAVITY).unwrap();
        assert!((path.duration - 0.770_799).abs() < 5e-7, "{}", path.duration);
        assert!((path.velocity(0.0).y - 3.132_092).abs() < 5e-7);
        assert!((path.apex().y - 1.5).abs() < 1e-12);
        assert!(BallisticPath::over_apex(from, to, 0.9, GRAVITY).is_none());
        assert!(BallisticPath::over_apex(from, to, 1.5, DVec3::ZERO).is_none());
    }

    #[test]
    fn s7_both_throws_at_a_speed_take_off_at_it_and_too_slow_a_throw_falls_short() {
        let (from, to) = (DVec3::new(0.2, 1.0, 0.0), DVec3::new(3.0, 1.4, 1.0));
        let [flat, high] = BallisticPath::at_speed(from, to, 7.0, GRAVITY).unwrap();
        assert!(flat.duration < high.duration);
        for path in [flat, high] {
            assert!((path.velocity(0.0).length() - 7.0).abs() < 1e-12, "{path:?}");
            assert!((path.at(path.duration) - to).length() < 1e-14);
        }
        // The least speed is √(g (d_y + ‖d‖)).
        let least = libm::sqrt(9.81 * ((to - from).y + (to - from).length()));
        assert!(BallisticPath::at_speed(from, to, least * 1.0001, GRAVITY).is_some());
        assert!(BallisticPath::at_speed(from, to, least * 0.9999, GRAVITY).is_none());
    }

    #[test]
    fn s8_a_family_has_even_durations_exact_ends_and_an_apex_that_never_falls() {
        let (from, to) = (DVec3::Y, DVec3::new(2.0, 0.4, 0.0));
        let level = BallisticPath::over_apex(from, to, 1.0, GRAVITY).unwrap().duration;
        let family = BallisticPath::family(from, to, (0.1, 1.5), 15, GRAVITY);
        assert_eq!(family.len(), 15);
        let mut highest = f64::NEG_INFINITY;
        for (k, path) in family.iter().enumerate() {
            assert!((path.duration - (0.1 + 0.1 * k as f64)).abs() < 1e-14);
            assert_eq!((path.at(0.0), path.at(path.duration)), (from, to));
            if path.duration > level {
                assert!(path.apex().y >= highest);
                highest = path.apex().y;
            }
        }
        assert!(BallisticPath::family(from, to, (0.1, 1.0), 0, GRAVITY).is_empty());
        assert_eq!(BallisticPath::family(from, to, (0.1, 1.0), 1, GRAVITY)[0].duration, 0.1);
    }

    #[test]
    fn s9_forward_and_backward_forms_are_one_curve() {
        let mut random = Random::new(9);
        for _ in 0..100 {
            let (from, velocity, gravity) = (random.vector(), 3.0 * random.vector(), 10.0 * random.vector());
            let forward = BallisticPath::from_start(from, velocity, 0.7, gravity);
            let backward = BallisticPath::from_end(forward.to, forward.velocity(0.7), 0.7, gravity);
            for t in [0.0, 0.1, 0.35, 0.6, 0.7] {
                assert!((forward.at(t) - backward.at(t)).length() < 1e-12);
                assert!((forward.at(t) - (from + t * velocity + 0.5 * t * t * gravity)).length() < 1e-12);
            }
        }
    }

    #[test]
    fn s9_a_throw_comes_down_where_its_end_says_it_came_from() {
        let mut random = Random::new(99);
        for _ in 0..100 {
            let (from, velocity, gravity) = (random.vector(), 3.0 * random.vector(), 10.0 * random.vector());
            let level = from + 0.3 * random.vector();
            let Some(thrown) = BallisticPath::from_launch(from, velocity, level, gravity) else {
                // The level is too high, 2 g h > v², or the throw starts below it and descends.
                let (v, h) = (velocity.dot(gravity), (from - level).dot(gravity));
                assert!(v * v < 2.0 * gravity.length_squared() * h || v > 0.0);
                continue;
            };
            assert!((thrown.to - level).dot(gravity).abs() < 1e-10 * gravity.length(), "it ends at that height");
            assert!(thrown.velocity(thrown.duration).dot(gravity) >= -1e-9, "coming down");
            let back = BallisticPath::arriving(thrown.to, thrown.velocity(thrown.duration), from, gravity);
            // If the throw starts in descent, the backward path comes from the other side of its apex.
            if velocity.dot(gravity) < 0.0 {
                let back = back.expect("where it came from");
                assert!((back.from - from).length() < 1e-9 && (back.duration - thrown.duration).abs() < 1e-9);
            }
        }
        assert_eq!(BallisticPath::from_launch(DVec3::ZERO, DVec3::Y, DVec3::Y * 2.0, GRAVITY), None);
        assert_eq!(BallisticPath::from_launch(DVec3::ZERO, DVec3::Y, DVec3::ZERO, DVec3::ZERO), None);
    }

    #[test]
    fn a_fall_is_fitted_through_noise_and_an_exact_one_exactly() {
        let exact = BallisticPath::from_start(DVec3::ONE, DVec3::new(1.0, 2.0, -0.5), 0.5, GRAVITY);
        let mut rows = exact.frames(30);
        let fitted = BallisticPath::fitted(&rows, 0.5 / 30.0, GRAVITY).unwrap();
        assert!((fitted.from - exact.from).length() < 1e-13 && (fitted.to - exact.to).length() < 1e-13);
        let mut random = Random::new(1);
        rows.iter_mut().for_each(|row| *row += 1e-3 * DVec3::new(random.normal(), random.normal(), random.normal()));
        let fitted = BallisticPath::fitted(&rows, 0.5 / 30.0, GRAVITY).unwrap();
        assert!((fitted.from - exact.from).length() < 2e-3);
        assert!(BallisticPath::fitted(&rows[..1], 0.1, GRAVITY).is_none());
        assert!(BallisticPath::fitted(&[DVec3::NAN; 3], 0.1, GRAVITY).is_none());
    }
}
