//! Cost of a correction: how soon a viewer would notice the change, by the weights of S36.
//!
//! ```text
//! path:  ( w_h ‖Δv_h‖ + w_a |Δv_v| ) / (0.2 w_h ‖v‖) + w_d max‖Δc‖ / 0.1 L
//! time:  w_a |T_old/T − 1| / (0.2 w_h)
//! ```
//! Δc and Δv are the changes of position and velocity of the center of mass (velocities as root mean squares), L is the leg length; a change of the
//! horizontal velocity by a fifth costs 1. Retiming changes every speed by the same factor. `w_h` is the weight of the horizontal part, `w_d` that
//! of a distance, `w_a` that of acceleration if the change makes the motion faster, else 1 (mathematics 6.10; the weights are fields of
//! [`Limits`]).

use glam::DVec3;

use crate::analysis::Limits;

/// Cost of moving the center of mass from one path to another, one row per frame, `step` seconds apart; `leg` is the leg length, meters. 0 for
/// fewer than two rows.
pub(crate) fn path_cost(before: &[DVec3], after: &[DVec3], step: f64, leg: f64, limits: &Limits) -> f64 {
    let pairs = || before.windows(2).zip(after.windows(2));
    let count = pairs().count();
    if count == 0 {
        return 0.0;
    }
    let velocity = |rows: &[DVec3]| (rows[1] - rows[0]) / step;
    let rms = |sum: f64| libm::sqrt(sum / count as f64);
    let speed = |rows: &[DVec3]| rms(rows.windows(2).map(|w| velocity(w).length_squared()).sum());
    let (slow, fast) = (speed(before), speed(after));
    // A body that hangs still has no speed for comparison, so half of the new speed is the least reference.
    let usual = slow.max(0.5 * fast).max(1e-9);
    let changes = || pairs().map(|(old, new)| velocity(new) - velocity(old));
    let horizontal = rms(changes().map(|change| change.x * change.x + change.z * change.z).sum());
    let vertical = rms(changes().map(|change| change.y * change.y).sum());
    let vertical_weight = if fast > slow { limits.acceleration_weight } else { 1.0 };
    let way = before.iter().zip(after).map(|(old, new)| old.distance(*new)).fold(0.0, f64::max);
    (limits.horizontal_weight * horizontal + vertical_weight * vertical) / usual / unit(limits)
        + limits.distance_weight * way / (0.1 * leg).max(1e-9)
}

/// Cost of playing `old` intervals in `new` intervals.
pub(crate) fn time_cost(old: usize, new: usize, limits: &Limits) -> f64 {
    let pace = old as f64 / new.max(1) as f64;
    let weight = if pace > 1.0 { limits.acceleration_weight } else { 1.0 };
    weight * (pace - 1.0).abs() / unit(limits)
}

fn unit(limits: &Limits) -> f64 {
    (0.2 * limits.horizontal_weight).max(1e-9)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn throw(frames: usize, gravity: f64, across: f64) -> Vec<DVec3> {
        let t = |n: usize| n as f64 * 0.01;
        let span = t(frames - 1);
        (0..frames).map(|n| DVec3::new(across * t(n), 0.5 * gravity * t(n) * (span - t(n)), 0.0)).collect()
    }

    #[test]
    fn a_fifth_more_horizontal_speed_costs_1_and_the_weights_are_the_users() {
        let (slow, fast) = (throw(20, 0.0, 1.0), throw(20, 0.0, 1.2));
        let plain = Limits::default();
        let light = Limits { distance_weight: 0.0, ..plain.clone() };
        assert!((path_cost(&slow, &fast, 0.01, 0.9, &light) - 1.0).abs() < 1e-12);
        let way = 0.2 * 0.19;
        assert!((path_cost(&slow, &fast, 0.01, 0.9, &plain) - 1.0 - way / 0.09).abs() < 1e-12);
        assert!((time_cost(12, 10, &plain) - 1.0).abs() < 1e-12);
        assert!((time_cost(10, 12, &plain) - (1.0 - 10.0 / 12.0) / 0.4).abs() < 1e-12);
        let careless = Limits { acceleration_weight: 1.0, ..plain };
        assert!((time_cost(12, 10, &careless) - 0.5).abs() < 1e-12);
        assert_eq!(path_cost(&slow, &slow, 0.01, 0.9, &plain), 0.0);
        assert_eq!(path_cost(&slow[..1], &slow[..1], 0.01, 0.9, &plain), 0.0);
    }

    #[test]
    fn for_a_jump_told_in_two_thirds_of_its_time_the_time_is_cheaper_than_the_path() {
        // Straight up at 2.25 g: every velocity becomes 1/2.25 of its value.
        let (fast, right) = (throw(41, 2.25 * 9.81, 0.0), throw(41, 9.81, 0.0));
        let limits = Limits { distance_weight: 0.0, ..Limits::default() };
        let path = path_cost(&fast, &right, 0.01, 0.9, &limits);
        assert!((path - (1.0 - 1.0 / 2.25) / 0.4).abs() < 1e-9, "{path}");
        assert!((time_cost(40, 60, &limits) - (1.0 / 3.0) / 0.4).abs() < 1e-12);
    }
}
