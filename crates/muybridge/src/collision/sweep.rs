//! When something that moves first touches: conservative advancement.
//!
//! ```text
//! t ← t + d(t) / v        d: distance at time t,  v: the most it can change per unit of t
//! ```
//! No step goes past the first touch (Mirtich 1996), so nothing is too fast or too thin. From 0 to 1 the corners move on
//! straight lines.
//! Specification: mathematics 3.16 (J37).

/// The first `t` in 0..=1 at which `distance(t)` is at most `tolerance`, if there is one. `greatest_move` is the most that
/// distance can change from 0 to 1, metres. A path that only grazes may be stopped a little early, never late.
pub fn first_touch(distance: impl Fn(f64) -> f64, greatest_move: f64, tolerance: f64) -> Option<f64> {
    let mut t = 0.0;
    for _ in 0..MOST_STEPS {
        let gap = distance(t);
        if gap <= tolerance {
            return Some(t);
        }
        t += gap / greatest_move;
        if t > 1.0 || t.is_nan() {
            return None;
        }
    }
    Some(t)
}

/// Steps towards a touch; a straight approach needs two or three.
const MOST_STEPS: u32 = 48;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_thrown_through_a_sheet_stops_at_the_sheet() {
        let hit = first_touch(|t| (1.0 - 3.0 * t).abs(), 3.0, 1e-9);
        assert!((hit.unwrap() - 1.0 / 3.0).abs() < 1e-9);
    }

    #[test]
    fn what_ends_before_the_sheet_touches_nothing() {
        assert_eq!(first_touch(|t| 1.0 - 0.9 * t, 0.9, 1e-9), None);
        assert_eq!(first_touch(|_| 1.0, 0.0, 1e-9), None);
        assert_eq!(first_touch(|_| f64::NAN, 1.0, 1e-9), None);
    }
}
