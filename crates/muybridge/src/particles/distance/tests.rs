//! Tests of single corrections of a distance.

use super::*;
use crate::math::random::Random;

/// Positions of both ends after the correction `of`, for ends at `x` with inverse masses `w`.
fn after(x: [DVec3; 2], w: [f64; 2], of: impl Fn(LaneVector<f64>, f64) -> LaneVector<f64>) -> [DVec3; 2] {
    let pull = vector(of(lanes(x[1] - x[0]), w[0] + w[1]));
    [x[0] + pull * w[0], x[1] - pull * w[1]]
}

fn ulps(value: f64, expected: f64) -> f64 {
    (value - expected).abs() / (f64::EPSILON * expected)
}

#[test]
fn j8_one_application_makes_a_stick_exact_from_shorter_and_longer() {
    for length in [37.0, 99.0, 100.0, 101.0, 480.0] {
        let x = [DVec3::ZERO, DVec3::new(0.0, length, 0.0)];
        let [a, b] = after(x, [1.0, 1.0], |d, w| exact(d, w, [100.0; 2]));
        assert!(ulps(b.distance(a), 100.0) <= 2.0, "{}", b.distance(a));
    }
}

#[test]
fn r4_an_isolated_stick_is_exact_and_its_center_stays() {
    let mut random = Random::new(1);
    for _ in 0..20_000 {
        let x = [random.vector(), random.vector()];
        let w = [1.0 / (0.1 + random.unit()), 1.0 / (0.1 + random.unit())];
        let [a, b] = after(x, w, |d, w| exact(d, w, [1.0; 2]));
        assert!(ulps(b.distance(a), 1.0) <= 2.0, "{:e}", b.distance(a) - 1.0);
        // Relative to the stick and to coordinates, which are of size 1.
        let center = |[a, b]: [DVec3; 2]| (a / w[0] + b / w[1]) / (1.0 / w[0] + 1.0 / w[1]);
        assert!(center([a, b]).distance(center(x)) <= 1e-15);
    }
}

#[test]
fn r5_inside_its_range_a_distance_changes_nothing_and_outside_it_takes_the_nearer_bound() {
    let apart =
        |length: f64| [DVec3::new(0.3, -0.1, 0.2), DVec3::new(0.3, -0.1, 0.2) + DVec3::new(0.6, 0.0, 0.8) * length];
    let limited = |length: f64, most: f64| after(apart(length), [1.0, 3.0], |d, w| exact(d, w, [0.5, most]));
    for length in [0.51, 0.7, 1.0, 1.19] {
        assert_eq!(limited(length, 1.2), apart(length));
    }
    for (length, most, bound) in [(0.2, 1.2, 0.5), (1.3, 1.2, 1.2), (9.0, 1.2, 1.2), (0.2, f64::INFINITY, 0.5)] {
        let [a, b] = limited(length, most);
        assert!((a.distance(b) - bound).abs() <= 1e-14);
    }
}

#[test]
fn j27_knees_are_kept_apart_and_left_alone_when_they_are() {
    let at_least =
        |length: f64| after([DVec3::ZERO, DVec3::X * length], [1.0; 2], |d, w| exact(d, w, [0.1, f64::INFINITY]));
    let [a, b] = at_least(0.04);
    assert!((a.distance(b) - 0.1).abs() <= 1e-14);
    assert_eq!(at_least(7.0), [DVec3::ZERO, DVec3::X * 7.0]);
}

#[test]
fn j12_the_square_root_by_taylor_expansion_has_the_lengths_of_its_formula() {
    let once = |length: f64| {
        let [a, b] = after([DVec3::ZERO, DVec3::X * length], [1.0, 1.0], |d, w| taylor(d, w, 1.0));
        a.distance(b)
    };
    assert!((once(1.1) - 0.995475).abs() < 5e-7);
    assert!((once(2.0) - 0.8).abs() < 1e-15);
    let (mut length, mut errors) = (1.5, Vec::new());
    for _ in 0..4 {
        length = once(length);
        errors.push(length - 1.0);
    }
    for (error, expected) in errors.iter().zip([-7.7e-2, -3.2e-3, -5.1e-6, -1.3e-11]) {
        assert!((error / expected - 1.0).abs() < 0.02, "{error} for {expected}");
    }
    assert!((once(10.0) - 1.0).abs() < 1e-15, "far off it is exact");
}

/// Checks the moves themselves, because positions of some meters have larger rounding errors.
#[test]
fn j15_moves_are_in_the_ratio_of_the_inverse_masses_and_give_no_momentum() {
    let mut random = Random::new(15);
    for _ in 0..1000 {
        let d = random.vector() * 2.0;
        for w in [[1.0, 1.0], [2.0, 1.0], [1.0, 0.001], [1.0 / (0.1 + random.unit()), 1.0 / (0.1 + random.unit())]] {
            let pull = vector(exact(lanes(d), w[0] + w[1], [1.0; 2]));
            let moves = [pull * w[0], pull * -w[1]];
            assert!((moves[0] / w[0] + moves[1] / w[1]).length() <= 1e-15, "{w:?}: {moves:?}");
            let ratio = moves[0].length() / moves[1].length();
            assert!(ulps(ratio, w[0] / w[1]) <= 4.0, "{ratio} {w:?}");
        }
    }
    let x = [DVec3::new(0.3, 0.1, -0.2), DVec3::new(1.3, 2.1, -0.7)];
    for w in [[1.0, 1.0], [2.0, 1.0], [1.0, 0.001]] {
        let moved = after(x, w, |d, w| exact(d, w, [1.0; 2]));
        let by = [moved[0] - x[0], moved[1] - x[1]];
        assert!((by[0].length() / by[1].length() - w[0] / w[1]).abs() <= 1e-12 * w[0] / w[1]);
    }
}

#[test]
fn j16_what_cannot_move_does_not_and_two_such_ends_are_no_trouble() {
    let x = [DVec3::new(0.1, 0.2, 0.3), DVec3::new(1.7, -0.3, 0.2)];
    for of in [
        (|d, w| exact(d, w, [1.0; 2])) as fn(LaneVector<f64>, f64) -> LaneVector<f64>,
        |d, w| taylor(d, w, 1.0),
        |d, w| shake(d, d, w, 1.0),
    ] {
        let one = after(x, [0.0, 1.0], of);
        assert_eq!(one[0], x[0]);
        assert!(one[1] != x[1]);
        assert_eq!(after(x, [0.0, 0.0], of), x);
    }
}

#[test]
fn j39_half_of_the_error_goes_per_pass() {
    let (mut x, mut lengths) = ([DVec3::ZERO, DVec3::X * 60.0], Vec::new());
    for _ in 0..4 {
        x = after(x, [1.0, 1.0], |d, w| exact(d, w, [100.0; 2]).times(0.5));
        lengths.push(x[1].x - x[0].x);
    }
    assert_eq!(lengths, [80.0, 90.0, 95.0, 97.5]);
}

#[test]
fn j41_coincident_ends_part_in_a_direction_that_is_theirs() {
    let mut directions = Vec::new();
    for particles in [[0, 1], [1, 0], [0, 2], [5, 9]] {
        let d = between(&[DVec3::ONE; 10], particles, 2.0);
        let pull = vector(exact(d, 2.0, [2.0; 2]));
        assert!((pull.length() - 1.0).abs() < 1e-9);
        assert_eq!(d.x, between(&[DVec3::ONE; 10], particles, 2.0).x);
        directions.push(pull);
    }
    for (index, direction) in directions.iter().enumerate() {
        assert!(directions[..index].iter().all(|other| other.distance(*direction) > 1e-2));
    }
    let none = shake(lanes(DVec3::ZERO), lanes(DVec3::ZERO), 2.0, 1.0);
    assert_eq!(vector(none), DVec3::ZERO);
}

#[test]
fn along_the_direction_before_shake_converges_quadratically_and_falls_back_where_it_would_not() {
    let before = DVec3::new(0.0, 1.0, 0.0);
    let mut x = [DVec3::ZERO, DVec3::new(0.3, 1.0, 0.0)];
    let mut error = x[1].length() - 1.0;
    for _ in 0..3 {
        x = after(x, [1.0, 2.0], |d, w| shake(d, lanes(before), w, 1.0));
        let now = x[1].distance(x[0]) - 1.0;
        assert!(now.abs() < error * error);
        error = now.abs().max(1e-7);
    }
    assert!((x[0].x, x[1].x) == (0.0, 0.3), "moves are along the direction before");
    for far in [DVec3::new(1.0, -0.2, 0.0), DVec3::new(1.5, 0.5, 0.0), DVec3::new(0.0, 0.2, 0.0)] {
        let [a, b] = after([DVec3::ZERO, far], [1.0, 2.0], |d, w| shake(d, lanes(before), w, 1.0));
        assert!((a.distance(b) - 1.0).abs() < 1e-15);
    }
}

#[test]
fn lanes_of_f32_do_what_one_number_does() {
    use crate::math::arithmetic::Single;
    let narrow = |v: DVec3| LaneVector { x: Single(v.x as f32), y: Single(v.y as f32), z: Single(v.z as f32) };
    let (d, o) = (DVec3::new(0.5, 1.0, 0.25), DVec3::new(0.25, 1.0, 0.25));
    let found = shake(narrow(d), narrow(o), Single(2.0), Single(1.0));
    let expected = vector(shake(lanes(d), lanes(o), 2.0, 1.0));
    assert!((f64::from(found.y.0) - expected.y).abs() < 1e-7);
}
