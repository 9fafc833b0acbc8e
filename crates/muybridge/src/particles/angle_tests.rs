//! Tests of angles: gradients against finite differences, and limits that are reached.

use super::*;
use crate::math::random::Random;
use crate::particles::frame::{lane, vector};
use crate::particles::projection::Correction;
use glam::DVec3;

/// Largest relative error of the gradient of `measure` at `places` against differences of fourth order.
pub(super) fn gradient_error<const N: usize>(
    places: [DVec3; N],
    measure: impl Fn([LaneVector<f64>; N]) -> Measured<f64, N>,
) -> f64 {
    let gradient = measure(places.map(lane)).gradient.map(vector);
    let mut worst: f64 = 0.0;
    for (particle, axis) in (0..3 * N).map(|i| (i / 3, i % 3)) {
        let at = |by: f64| {
            let mut places = places;
            places[particle][axis] += by;
            measure(places.map(lane)).value
        };
        let h = 2e-5;
        let slope = (8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h);
        worst = worst.max((slope - gradient[particle][axis]).abs() / (1.0 + slope.abs()));
    }
    worst
}

fn add<const N: usize>(places: &mut [DVec3; N], correction: &Correction<f64, N>) {
    for (place, by) in places.iter_mut().zip(correction.moves) {
        *place += vector(by);
    }
}

/// An elbow with edges of 0.3 m and 0.5 m at an angle of `degrees`.
fn elbow(random: &mut Random, degrees: f64) -> [DVec3; 3] {
    let (turn, place) = (random.rotation(), random.vector());
    let radians = degrees.to_radians();
    let other = DVec3::new(libm::cos(radians), libm::sin(radians), 0.0);
    [place, place + turn * DVec3::X * 0.3, place + turn * other * 0.5]
}

#[test]
fn j28_gradients_match_differences() {
    let mut random = Random::new(28);
    for step in 1..180 {
        let places = elbow(&mut random, f64::from(step));
        assert!(gradient_error(places, angle_at) < 1e-7, "{step}°: {}", gradient_error(places, angle_at));
        assert!(gradient_error(places, dot_product_at) < 1e-7);
        assert!((angle_at(places.map(lane)).value - f64::from(step).to_radians()).abs() < 1e-14);
    }
}

/// Angle after ten passes over a lower angle limit and two sticks of fixed length, degrees.
fn relaxed(mut places: [DVec3; 3], masses: [f64; 3], degrees: f64, by_dot_product: bool) -> f64 {
    let lengths = [(places[1] - places[0]).length(), (places[2] - places[0]).length()];
    let weights = masses.map(|m| 1.0 / m);
    for _ in 0..10 {
        let least = degrees.to_radians();
        let step = if by_dot_product {
            let most = lengths[0] * lengths[1] * libm::cos(least);
            dot_product_at(places.map(lane)).kept_in([f64::NEG_INFINITY, most], weights, 0.0, 0.0)
        } else {
            angle_at(places.map(lane)).kept_in([least, f64::INFINITY], weights, 0.0, 0.0)
        };
        add(&mut places, &step);
        for end in [1, 2] {
            let along = places[end] - places[0];
            let length = along.length();
            let by = along * ((length - lengths[end - 1]) / length / (weights[0] + weights[end]));
            places[0] += by * weights[0];
            places[end] -= by * weights[end];
        }
    }
    angle_at(places.map(lane)).value.to_degrees()
}

#[test]
fn j28_the_angle_is_within_a_tenth_of_a_degree_of_its_limit_after_10_passes() {
    let mut random = Random::new(280);
    for (start, limit) in [(20.0, 60.0), (5.0, 90.0), (70.0, 100.0), (100.0, 150.0)] {
        let by_angle = relaxed(elbow(&mut random, start), [1.0; 3], limit, false);
        assert!((by_angle - limit).abs() < 0.1, "{start}° to {limit}°: {by_angle}");
    }
    for limit in [60.0, 90.0, 120.0, 140.0] {
        for _ in 0..50 {
            let places = elbow(&mut random, limit - 10.0);
            let masses = [(); 3].map(|()| 0.5 + random.unit());
            let by_angle = relaxed(places, masses, limit, false);
            assert!((by_angle - limit).abs() < 0.1, "{limit}°: {by_angle} by the angle");
            let by_dot_product = relaxed(places, [1.0; 3], limit, true);
            assert!((by_dot_product - limit).abs() < 0.1, "{limit}°: {by_dot_product} by the dot product");
        }
    }
}

#[test]
fn j28_inside_the_range_nothing_moves_and_parallel_edges_have_no_gradient() {
    let mut random = Random::new(281);
    let places = elbow(&mut random, 50.0);
    let idle = angle_at(places.map(lane)).kept_in([0.2, 2.0], [1.0; 3], 0.0, 0.0);
    assert!(idle.moves.iter().all(|by| vector(*by) == DVec3::ZERO) && idle.multiplier == 0.0);
    for places in [[DVec3::ZERO, DVec3::X, 2.0 * DVec3::X], [DVec3::ZERO, DVec3::Y, -DVec3::Y], [DVec3::ONE; 3]] {
        let angle = angle_at(places.map(lane));
        assert!(angle.gradient.iter().all(|g| vector(*g) == DVec3::ZERO));
        let step = angle.kept_in([0.5, 1.0], [1.0; 3], 0.0, 0.0);
        assert!(step.moves.iter().all(|by| vector(*by) == DVec3::ZERO));
    }
}
