//! When something is at rest: how much a light part of a whole counts, and for how long what is slow must stay so.
//!
//! ```text
//! c = min(1, m / ¼ m̄)        by which squares of speeds or ways are multiplied;   m̄ the mean mass of the parts
//! T ≥ 8 v/g                  of a rest below the speed v:  in that time what nothing bears would fall by g T²/8 = v T at the least
//! ```
//! A part counts as its energy would: a heavy body that lies on a limb of a hundredth of its mass is not moved by what trembles there. What turns round
//! at the top of its flight is slow as well, and without weight all that drifts may be: there nothing is at rest. Specification: mathematics 3.15.

/// Share of the mean mass below which a part counts for less.
const LIGHT: f64 = 0.25;

/// What the square of a speed or way of a part counts. `mean` is the mean mass of all parts.
pub fn rest_weight(mass: f64, mean: f64) -> f64 {
    (mass / (LIGHT * mean)).min(1.0)
}

/// Steps of so many seconds for which something must be slower than `speed` (m/s) before it is at rest: `steps`, but as many as it takes to
/// tell it from what falls at `acceleration` (m/s²). 0: it never is, because `steps` is 0 or nothing falls.
pub fn steps_to_rest(steps: u32, speed: f64, acceleration: f64, seconds: f64) -> u32 {
    let least = libm::ceil(8.0 * speed / (acceleration * seconds));
    if steps == 0 || least.is_nan() || least >= f64::from(u32::MAX) { 0 } else { steps.max(least as u32) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r17_rest_is_told_from_the_top_of_a_flight_and_never_found_without_weight() {
        // 0.05 m/s at 9.81 m/s²: 8 · 0.05/9.81 = 0.0408 s.
        assert_eq!(steps_to_rest(30, 0.05, 9.81, 1.0 / 60.0), 30);
        assert_eq!(steps_to_rest(30, 0.05, 9.81, 1.0 / 1000.0), 41);
        assert_eq!(steps_to_rest(30, 0.05, 0.05, 1.0 / 60.0), 480);
        assert_eq!(steps_to_rest(30, 0.05, 0.0, 1.0 / 60.0), 0);
        assert_eq!(steps_to_rest(0, 0.05, 9.81, 1.0 / 60.0), 0);
        assert_eq!(steps_to_rest(30, 0.0, 9.81, 1.0 / 60.0), 30);
        assert_eq!(steps_to_rest(30, 0.0, 0.0, 1.0 / 60.0), 0);
    }
}
