//! Closest points between points and segments.
//!
//! ```text
//! point p, segment a + t (b − a):     t = clamp((p − a)·(b − a) / ‖b − a‖², 0, 1)
//! two segments, d = b − a, e = d' − c', r = a − c':
//!     s = ((d·e)(e·r) − (d·r)(e·e)) / ((d·d)(e·e) − (d·e)²)       t = ((d·e) s + e·r) / (e·e)
//! ```
//! If the solution for the lines lies outside a segment, or the segments are parallel, the answer is the least of the
//! four distances from an end to the other segment. These four are always compared, so no tolerance is needed.
//! Specification: mathematics 4.9 (J31).

use glam::DVec3;

/// Parameter of the point of segment `a b` closest to `point`: 0 at `a`, 1 at `b`; 0 for a segment without length.
pub fn parameter(point: DVec3, [a, b]: [DVec3; 2]) -> f64 {
    let along = b - a;
    let length_squared = along.length_squared();
    if length_squared > 0.0 { ((point - a).dot(along) / length_squared).clamp(0.0, 1.0) } else { 0.0 }
}

/// Point of a segment closest to `point`.
pub fn closest_point(point: DVec3, segment: [DVec3; 2]) -> DVec3 {
    at(segment, parameter(point, segment))
}

/// Point at a parameter; exactly the ends at 0 and 1.
pub fn at([a, b]: [DVec3; 2], t: f64) -> DVec3 {
    a * (1.0 - t) + b * t
}

/// Parameters of the closest points of two segments.
pub fn parameters(first: [DVec3; 2], second: [DVec3; 2]) -> [f64; 2] {
    let mut best = ([0.0, parameter(first[0], second)], f64::INFINITY);
    let mut offer = |s: f64, t: f64| {
        let distance = at(first, s).distance_squared(at(second, t));
        if distance < best.1 {
            best = ([s, t], distance);
        }
    };
    offer(0.0, parameter(first[0], second));
    offer(1.0, parameter(first[1], second));
    offer(parameter(second[0], first), 0.0);
    offer(parameter(second[1], first), 1.0);
    if let Some([s, t]) = between_lines(first, second) {
        offer(s, t);
    }
    best.0
}

/// Parameters of the closest points of the lines through two segments if both lie inside the segments; otherwise
/// `None`, also for parallel lines.
pub fn between_lines(first: [DVec3; 2], second: [DVec3; 2]) -> Option<[f64; 2]> {
    let (d, e, r) = (first[1] - first[0], second[1] - second[0], first[0] - second[0]);
    let (dd, ee, de) = (d.length_squared(), e.length_squared(), d.dot(e));
    let determinant = dd * ee - de * de;
    if determinant <= 0.0 {
        return None;
    }
    let s = (de * e.dot(r) - ee * d.dot(r)) / determinant;
    let t = (de * s + e.dot(r)) / ee;
    let inside = |x: f64| x > 0.0 && x < 1.0;
    (inside(s) && inside(t)).then_some([s, t])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::random::Random;

    #[test]
    fn crossing_segments_are_closest_where_they_cross() {
        let first = [DVec3::new(-1.0, 0.0, 0.0), DVec3::new(1.0, 0.0, 0.0)];
        let second = [DVec3::new(0.5, 2.0, -1.0), DVec3::new(0.5, 2.0, 3.0)];
        let [s, t] = parameters(first, second);
        assert!((s - 0.75).abs() < 1e-15 && (t - 0.25).abs() < 1e-15);
    }

    #[test]
    fn no_pair_of_sampled_points_is_closer() {
        let mut random = Random::new(1);
        for _ in 0..2000 {
            let (first, second) = ([random.vector(), random.vector()], [random.vector(), random.vector()]);
            let [s, t] = parameters(first, second);
            let found = at(first, s).distance(at(second, t));
            let sampled = (0..=200)
                .map(|i| at(first, f64::from(i) / 200.0))
                .map(|p| p.distance(closest_point(p, second)))
                .fold(f64::INFINITY, f64::min);
            assert!(found <= sampled + 1e-12 && found >= sampled - 0.02, "{found} {sampled}");
        }
    }

    #[test]
    fn segments_without_length_are_points() {
        let (p, q) = (DVec3::new(1.0, 2.0, 3.0), DVec3::new(0.0, 2.0, 3.0));
        let [s, t] = parameters([p, p], [q, q]);
        assert_eq!(at([p, p], s).distance(at([q, q], t)), 1.0);
    }
}
