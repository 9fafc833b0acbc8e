//! Tests of angular friction: decay per step and per second, sticking, and the torque limit.

use super::*;
use crate::math::rotation::about;
use crate::particles::frame::vector;

const DEGREE: f64 = core::f64::consts::PI / 180.0;

/// A triangle in the plane across z about the origin, turned about z: its principal axes are x, y, z.
fn triangle(turned: f64, size: f64) -> [DVec3; 3] {
    [90.0, 210.0, 330.0].map(|at: f64| about(DVec3::Z, at * DEGREE + turned) * DVec3::X * size)
}

fn pair(turned: [f64; 2]) -> [DVec3; 6] {
    let ([a, b, c], [d, e, f]) = (triangle(turned[0], 0.3), triangle(turned[1], 0.5));
    [a, b, c, d + DVec3::Z, e + DVec3::Z, f + DVec3::Z]
}

fn joint(friction: f64, stick: f64) -> Orientation {
    let captured = Orientation::captured([0, 1, 2], [3, 4, 5], &pair([0.0, 0.0])).unwrap();
    Orientation { friction, stick, ..captured }
}

fn turn(corners: &[DVec3; 6], previous: &[DVec3; 6]) -> f64 {
    Offset::from(middle(previous).unwrap(), corners).unwrap().turn.length()
}

/// Friction rate (1/s) that removes `share` of the rotation per step of `seconds`.
fn rate(share: f64, seconds: f64) -> f64 {
    -libm::log1p(-share) / seconds
}

#[test]
fn r15_each_step_the_relative_turn_is_multiplied_by_the_rest_of_the_share() {
    let seconds = 1.0 / 60.0;
    let orientation = joint(rate(0.2, seconds), 0.0);
    let previous = pair([0.3, 0.4]);
    for degrees in [0.01, 1.0, 10.0, 40.0] {
        let corners = pair([0.3 - 0.4 * degrees * DEGREE, 0.4 + 0.6 * degrees * DEGREE]);
        assert!((turn(&corners, &previous) - degrees * DEGREE).abs() < 1e-14);
        let moves = slowed_by_rotation(&orientation, &corners, &previous, &[1.0; 6], seconds).unwrap();
        let after = turn(&core::array::from_fn(|i| corners[i] + moves[i]), &previous);
        assert!((after - 0.8 * degrees * DEGREE).abs() < 1e-13, "{}", after / DEGREE);
        let step = slowed(&orientation, &corners, &previous, &[1.0; 6], seconds).unwrap();
        let after = turn(&core::array::from_fn(|i| corners[i] + vector(step.moves[i])), &previous);
        assert!((after / (0.8 * degrees * DEGREE) - 1.0).abs() < 2e-6 * degrees * degrees + 1e-12, "{after}");
    }
}

/// Relative rotation per step of two free triangles, rigid apart from the friction between them.
fn spun(orientation: &Orientation, rate: f64, seconds: f64, steps: usize) -> Vec<f64> {
    let (mut angles, mut before) = ([0.0, 0.0], [-0.3 * rate * seconds, 0.7 * rate * seconds]);
    let mut turns = Vec::new();
    for _ in 0..steps {
        let next = [0, 1].map(|i| 2.0 * angles[i] - before[i]);
        let (corners, previous) = (pair(next), pair(angles));
        let moves = slowed_by_rotation(orientation, &corners, &previous, &[1.0; 6], seconds).unwrap_or_default();
        let after: [DVec3; 6] = core::array::from_fn(|i| corners[i] + moves[i]);
        let turned = |i: usize| {
            let (from, to) = (previous[3 * i].truncate(), after[3 * i].truncate());
            angles[i] + libm::atan2(from.perp_dot(to), from.dot(to))
        };
        (before, angles) = (angles, [turned(0), turned(1)]);
        turns.push((angles[1] - before[1]) - (angles[0] - before[0]));
    }
    turns
}

#[test]
fn r15_the_decay_per_second_does_not_depend_on_the_frame_rate() {
    for frames in [30_u32, 60, 240] {
        let seconds = 1.0 / f64::from(frames);
        let turns = spun(&joint(1.5, 0.0), -2.0, seconds, frames as usize);
        let speed = turns.last().unwrap().abs() / seconds;
        assert!((speed / (2.0 * libm::exp(-1.5)) - 1.0).abs() < 0.01, "{frames}: {speed}");
    }
}

#[test]
fn r16_ten_degrees_a_step_are_0_0472_after_24_passes_and_0_after_the_25th() {
    let seconds = 1.0 / 60.0;
    let orientation = joint(rate(0.2, seconds), 0.05 * DEGREE / seconds);
    let turns = spun(&orientation, -10.0 * DEGREE / seconds, seconds, 26);
    for (pass, turned) in turns.iter().take(24).enumerate() {
        assert!((turned.abs() / DEGREE - 10.0 * 0.8_f64.powi(pass as i32 + 1)).abs() < 1e-9, "{pass}");
    }
    assert!((turns[22].abs() / DEGREE - 0.0590).abs() < 5e-5 && (turns[23].abs() / DEGREE - 0.0472).abs() < 5e-5);
    assert!(turns[23].abs() < orientation.stick * seconds && turns[22].abs() > orientation.stick * seconds);
    assert_eq!(share(&orientation, turns[23].abs(), seconds), 1.0);
    assert_eq!(turns[24], 0.0, "the 25th pass stops it");
    // From then on both rotate together. The rotation is a difference of angles of some radians: rounding allows their
    // last digit.
    assert!(turns[25].abs() <= 2.0 * f64::EPSILON, "{:e}", turns[25]);
}

#[test]
fn r16_sticking_along_the_gradient_stops_the_turn_and_keeps_momentum() {
    let orientation = joint(0.0, 1.0);
    let masses = [1.0, 2.0, 0.7, 1.5, 1.0, 3.0];
    let (previous, corners) = (pair([0.0, 0.0]), pair([0.003, -0.006]));
    let step = slowed(&orientation, &corners, &previous, &masses.map(|m| 1.0 / m), 0.1).unwrap();
    let moves = step.moves.map(vector);
    assert!(turn(&core::array::from_fn(|i| corners[i] + moves[i]), &previous) < 1e-6);
    let spin: DVec3 = (0..6).map(|i| corners[i].cross(moves[i]) * masses[i]).sum();
    let drift: DVec3 = (0..6).map(|i| moves[i] * masses[i]).sum();
    assert!(spin.length() < 1e-15 && drift.length() < 1e-15);
    assert!(slowed(&joint(0.0, 0.0), &corners, &previous, &[1.0; 6], 0.1).is_none());
    assert!(slowed(&orientation, &previous, &previous, &[1.0; 6], 0.1).is_none_or(|s| s.multiplier.abs() < 1e-14));
}

/// Two triangles about the z axis, each of three particles held by sticks. `drive` turns triangle 2 against the first.
/// Returns the relative angular speed after every step.
fn with_coulomb(torque: f64, drive: f64, speed: f64, steps: usize) -> Vec<f64> {
    let seconds = 0.002;
    let masses = [1.0, 1.0, 1.0, 0.5, 0.5, 0.5];
    let weights = masses.map(|m: f64| 1.0 / m);
    let lengths = [0.3, 0.5].map(|r| r * libm::sqrt(3.0));
    let mut previous = pair([0.0, 0.0]);
    let mut corners = pair([0.0, speed * seconds]);
    let mut speeds = Vec::new();
    for _ in 0..steps {
        let mut next: [DVec3; 6] = core::array::from_fn(|i| 2.0 * corners[i] - previous[i]);
        for i in 0..6 {
            let flat = DVec3::new(corners[i].x, corners[i].y, 0.0);
            let sign = if i < 3 { -1.0 } else { 1.0 };
            let arms = if i < 3 { 3.0 * 0.09 } else { 3.0 * 0.25 };
            next[i] += DVec3::Z.cross(flat) * (sign * drive / arms * weights[i] * seconds * seconds);
        }
        let mut multiplier = DVec3::ZERO;
        for _ in 0..20 {
            for (a, b, body) in [(0, 1, 0), (1, 2, 0), (2, 0, 0), (3, 4, 1), (4, 5, 1), (5, 3, 1)] {
                let along = next[b] - next[a];
                let by = along * (0.5 * (1.0 - lengths[body] / along.length()));
                next[a] += by;
                next[b] -= by;
            }
            let greatest = torque * seconds * seconds;
            let step = coulomb(&[0, 1, 2, 3, 4, 5], &next, &corners, &weights, greatest, multiplier).unwrap();
            multiplier = step.multiplier;
            assert!(multiplier.length() <= greatest * (1.0 + 1e-14));
            for (place, by) in next.iter_mut().zip(step.moves) {
                *place += by;
            }
        }
        (previous, corners) = (corners, next);
        speeds.push(turn(&corners, &previous) / seconds);
    }
    speeds
}

#[test]
fn coulomb_friction_is_a_constant_torque_that_stops_the_turn_and_holds_up_to_its_limit() {
    // Both inertias about z: 3 · 1 · 0.09 and 3 · 0.5 · 0.25.
    let yielding = 1.0 / 0.27 + 1.0 / 0.375;
    let (torque, start) = (0.05, 0.5);
    let slowing = with_coulomb(torque, 0.0, start, 1200);
    for step in [20, 100, 600] {
        let expected = (start - torque * yielding * 0.002 * (step + 1) as f64).max(0.0);
        assert!((slowing[step] - expected).abs() < 2e-4, "{step}: {} {expected}", slowing[step]);
    }
    let stop = (start / (torque * yielding) / 0.002) as usize;
    assert!(slowing[stop + 5..].iter().all(|speed| *speed < 1e-9), "{:?}", &slowing[stop..stop + 8]);
    let held = with_coulomb(torque, 0.049, 0.0, 300);
    assert!(held.iter().all(|speed| *speed < 1e-9), "{:?}", &held[..5]);
    let driven = with_coulomb(torque, 0.075, 0.0, 300);
    let expected = 0.025 * yielding * 0.002 * 300.0;
    assert!((driven[299] - expected).abs() < 0.01 * expected, "{} {expected}", driven[299]);
}

#[test]
fn a_rigid_body_is_turned_without_strain() {
    let corners: [DVec3; 4] =
        [DVec3::ZERO, DVec3::new(0.3, 0.1, 0.0), DVec3::new(0.0, 0.4, 0.1), DVec3::new(0.1, 0.0, 0.5)];
    let masses = [1.0, 2.0, 0.5, 1.5];
    let rotor = Rotor::new(&corners, &masses).unwrap();
    let phi = DVec3::new(0.2, -0.3, 0.1);
    // A rotation about any point is recovered exactly. A torque gives no net force and its own moment.
    let turned = corners.map(|corner| corner + phi.cross(corner) + DVec3::new(3.0, -1.0, 2.0));
    assert!((rotor.turned(&corners, &turned) - phi).length() < 1e-14);
    let moves = rotor.moves(phi);
    let forces: [DVec3; 4] = core::array::from_fn(|i| moves[i] * masses[i]);
    let moment: DVec3 = (0..4).map(|i| corners[i].cross(forces[i])).sum();
    assert!(forces.iter().sum::<DVec3>().length() < 1e-15 && (moment - phi).length() < 1e-14);
    // The body gives way by J⁻¹, and the moves are a rigid turn: no edge changes length to first order.
    assert!(
        (rotor.turned(&corners, &core::array::from_fn(|i| corners[i] + moves[i])) - rotor.yielding * phi).length()
            < 1e-14
    );
    for (i, j) in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)] {
        assert!((corners[j] - corners[i]).dot(moves[j] - moves[i]).abs() < 1e-14);
    }
    assert!(Rotor::new(&[DVec3::ZERO, DVec3::X, 2.0 * DVec3::X], &[1.0; 3]).is_none());
    assert!(Rotor::new(&corners, &[f64::INFINITY; 4]).is_none());
}
