//! Criteria of rest: weights of light parts, and the time for which a slow thing must stay slow.
//!
//! ```text
//! c = min(1, m / ¼ m̄)    factor on squares of speeds or displacements;   m̄ the mean mass of the parts
//! T ≥ 8 v/g              rest below the speed v:  meanwhile an unsupported thing falls at least g T²/8 = v T
//! ```
//! A part is weighted like its energy: a heavy body on a limb of a hundredth of its mass does not move when the limb
//! trembles. A thing at the top of its flight is slow too, and without gravity any drifting thing may be: there nothing
//! is at rest. Specification: mathematics 3.15.

/// Share of the mean mass below which a part has less weight.
const LIGHT: f64 = 0.25;

/// Share of `v T` that a thing at rest may move if it touches nothing. In half a second at its turning point, a pendulum
/// of amplitude A and period P moves `A (1 − cos (π/2 s/P))`: twenty times as far if it is a meter long and swings by a degree.
pub(crate) const SWINGS: f64 = 0.01;

/// Whether a thing speeds up that has `moved` so far (meters) in `seconds`, to `speed` (m/s): a ball on a slope is slow at first.
/// What creeps to rest is slower at the end than in the mean, and what trembles stays where it is.
pub(crate) fn speeds_up(moved: f64, seconds: f64, speed: f64) -> bool {
    moved > CREEPS && speed * seconds > SOONER * moved
}

/// Greatest way of what trembles, meters.
const CREEPS: f64 = 1e-3;

/// Ratio of last and mean speed above which a thing speeds up; 2 from rest at a constant acceleration.
const SOONER: f64 = 1.15;

/// Weight of a squared speed or displacement of a part, 0 to 1. `mean` is the mean mass of all parts, kg.
pub(crate) fn rest_weight(mass: f64, mean: f64) -> f64 {
    (mass / (LIGHT * mean)).min(1.0)
}

/// Number of steps (of `seconds` each) below `speed` (m/s) before a thing is at rest: `steps`, or more if needed to
/// distinguish it from a thing that falls at `acceleration` (m/s²). 0 means never at rest, because `steps` is 0 or
/// nothing falls.
pub(crate) fn steps_to_rest(steps: u32, speed: f64, acceleration: f64, seconds: f64) -> u32 {
    let least = libm::ceil(8.0 * speed / (acceleration * seconds));
    if steps == 0 || least.is_nan() || least >= f64::from(u32::MAX) { 0 } else { steps.max(least as u32) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_starts_to_roll_speeds_up_and_what_trembles_or_creeps_to_rest_does_not() {
        // s = ½ a t², v = a t; then 3 v₀ (1 − e^(−t/3)) of a decay.
        let (a, t) = (0.03, 0.5_f64);
        assert!(speeds_up(0.5 * a * t * t, t, a * t));
        assert!(!speeds_up(5e-4, t, 0.04));
        assert!(!speeds_up(0.03 * (1.0 - libm::exp(-t / 3.0)), t, 0.01 * libm::exp(-t / 3.0)));
    }

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
