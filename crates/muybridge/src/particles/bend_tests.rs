//! Tests of folds: gradients against finite differences, the sign, and a rest angle that is reached.

use super::*;
use crate::math::random::Random;
use crate::particles::frame::{lane, vector};
use glam::DVec3;

/// Two triangles folded by `radians` about the edge a–b; a positive fold moves the second away from the normal.
fn folded(random: &mut Random, radians: f64) -> [DVec3; 4] {
    let (turn, place) = (random.rotation(), random.vector());
    let d = DVec3::new(0.7, -0.9 * libm::cos(radians), -0.9 * libm::sin(radians));
    [DVec3::ZERO, DVec3::X, DVec3::new(0.2, 0.8, 0.0), d].map(|x| place + turn * x)
}

#[test]
fn the_fold_is_signed_and_0_for_flat() {
    let mut random = Random::new(1);
    for step in -17..=17 {
        let radians = f64::from(step * 10).to_radians();
        let found = fold(folded(&mut random, radians).map(lane), 0.0).value;
        assert!((found - radians).abs() < 1e-13, "{found} {radians}");
        let from_rest = fold(folded(&mut random, radians).map(lane), 3.0).value;
        assert!((-PI..=PI).contains(&from_rest) && (libm::sin(from_rest) - libm::sin(radians - 3.0)).abs() < 1e-13);
    }
}

#[test]
fn the_gradient_of_a_fold_is_that_of_differences() {
    let mut random = Random::new(2);
    for step in -17..=17 {
        let places = folded(&mut random, f64::from(step * 10).to_radians());
        let gradient = fold(places.map(lane), 0.0).gradient.map(vector);
        for (particle, axis) in (0..12).map(|i| (i / 3, i % 3)) {
            let at = |by: f64| {
                let mut places = places;
                places[particle][axis] += by;
                fold(places.map(lane), 0.0).value
            };
            let h = 1e-4;
            let slope = (8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h);
            assert!((slope - gradient[particle][axis]).abs() < 1e-9, "{step} {particle}");
        }
        let total: DVec3 = gradient.iter().sum();
        let moment: DVec3 = places.iter().zip(&gradient).map(|(p, g)| p.cross(*g)).sum();
        assert!(total.length() < 1e-14 && moment.length() < 1e-14);
    }
}

#[test]
fn a_stiff_fold_reaches_its_rest_angle_and_a_soft_one_the_same_for_any_passes() {
    let mut random = Random::new(3);
    for rest in [-2.0, 0.0, 0.6, 2.9] {
        let start = folded(&mut random, rest + 0.8);
        let run = |passes: usize, softness: f64| {
            let (mut places, mut multiplier) = (start, 0.0);
            for _ in 0..passes {
                let step = fold(places.map(lane), rest).kept_in([0.0; 2], [1.0, 2.0, 0.5, 1.0], softness, multiplier);
                multiplier = step.multiplier;
                for (place, by) in places.iter_mut().zip(step.moves) {
                    *place += vector(by);
                }
            }
            fold(places.map(lane), rest).value
        };
        assert!(run(8, 0.0).abs() < 1e-9, "{}", run(8, 0.0));
        let soft = run(10, 5.0);
        assert!(soft.abs() > 0.05 && (soft - run(100, 5.0)).abs() < 1e-6, "{soft}");
    }
    let flat = fold([DVec3::ZERO, DVec3::X, 2.0 * DVec3::X, DVec3::Y].map(lane), 0.0);
    assert!(flat.value == 0.0 && flat.gradient.iter().all(|g| vector(*g) == DVec3::ZERO));
}
