//! Continuous collision detection: time of impact by conservative advancement.
//!
//! ```text
//! t ← t + d(t) / v        d: distance at time t,  v: greatest change of d per unit of t
//! ```
//! No step goes past the first contact (Mirtich 1996), so no motion is too fast and no obstacle too thin. From 0 to 1
//! the corners move on straight lines. Specification: mathematics 3.16 (J37).

/// Time of impact: the first `t` in 0..=1 at which `distance(t)` is at most `tolerance`; `None` without contact.
/// `greatest_move` is the greatest change of the distance from 0 to 1, meters. A grazing path may be stopped slightly
/// early, never late.
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

/// Greatest number of steps; a straight approach needs two or three.
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
