//! Acceptance of the zero-moment point and the balance through the whole analysis (S4, S5, S27, S28).

use crate::thrown;

use core::f64::consts::TAU;

use muybridge::analysis::{Analysis, VelocityDifference};
use muybridge::character::{Character, ContactPoint};
use muybridge::glam::{DMat3, DVec3};
use muybridge::motion::Clip;
use muybridge::samples;
use thrown::{GRAVITY, analysis, body, character};

/// Height of the weight above the table, and half side of the table, meters.
const HEIGHT: f64 = 1.0;
const HALF: f64 = 0.2;

/// A massless table on four corners, and a weight that moves above it without rotating.
fn table_and_weight() -> Character {
    let corner = |x: f64, z: f64| ContactPoint { bone: 0, position: DVec3::new(HALF * x, 0.0, HALF * z), radius: 0.0 };
    let corners = vec![corner(1.0, 1.0), corner(1.0, -1.0), corner(-1.0, 1.0), corner(-1.0, -1.0)];
    character(vec![body(0.0, DMat3::ZERO), body(5.0, DMat3::IDENTITY * 0.1)], corners)
}

/// Clip with the table at `floor` and the weight at `path` above it.
fn moved(frames: usize, rate: f64, floor: f64, path: impl Fn(f64) -> DVec3) -> Clip {
    let mut clip = Clip::new(2, frames, 1.0 / rate).unwrap();
    for frame in 0..frames {
        clip.set_translation(0, frame, DVec3::Y * floor);
        clip.set_translation(1, frame, path(clip.time(frame)));
    }
    clip
}

fn central(character: &Character, clip: &Clip) -> Analysis {
    analysis(character, clip, VelocityDifference::Central)
}

#[test]
fn s4_a_person_at_rest_has_it_below_the_mass_center() {
    let person = samples::humanoid();
    for floor in [0.0, 3.0, -0.7] {
        let mut clip = Clip::new(person.skeleton.len(), 30, 1.0 / 30.0).unwrap();
        for (bone, own) in person.skeleton.bones().iter().enumerate() {
            let lift = if own.parent.is_none() { DVec3::Y * floor } else { DVec3::ZERO };
            (0..30).for_each(|frame| clip.set_translation(bone, frame, own.translation + lift));
        }
        let found = central(&person, &clip);
        assert!((found.floor.unwrap() - floor).abs() < 0.01, "{:?}", found.floor);
        for frame in 0..30 {
            let center = found.per_frame.mass_center[frame].unwrap();
            let below = DVec3::new(center.x, found.floor.unwrap(), center.z);
            let point = found.per_frame.zero_moment_point[frame].unwrap();
            assert!((point - below).length() <= 1e-12, "{point} is not below {center}");
            assert!(found.per_frame.support_margin[frame].unwrap() > 0.0);
        }
    }
}

#[test]
fn s4_a_sway_at_constant_height_moves_it_against_the_acceleration() {
    let (rate, omega) = (120.0, 2.0);
    for floor in [0.0, 1.25] {
        let sway = |t: f64| DVec3::new(0.03 * libm::sin(omega * t), HEIGHT, 0.02 * libm::cos(omega * t));
        let found = central(&table_and_weight(), &moved(240, rate, floor, sway));
        assert_eq!(found.floor, Some(floor));
        // The second difference of a sine is the sine times (2 − 2 cos ωh)/h², which is ω² to second order.
        let squared = (2.0 - 2.0 * libm::cos(omega / rate)) * rate * rate;
        assert!((squared - omega * omega).abs() < 1e-3);
        for frame in 1..239 {
            let center = found.per_frame.mass_center[frame].unwrap();
            let acceleration = found.per_frame.mass_center_acceleration[frame].unwrap();
            let point = found.per_frame.zero_moment_point[frame].unwrap();
            let lagging = center - HEIGHT / GRAVITY * acceleration;
            let truth = DVec3::new(center.x, 0.0, center.z) * (1.0 + HEIGHT * squared / GRAVITY);
            for axis in [0, 2] {
                assert!((point[axis] - lagging[axis]).abs() <= 1e-12, "frame {frame}: {point}, not {lagging}");
                // Accelerations from positions carry the last bit of the positions times 4 / h².
                assert!((point[axis] - truth[axis]).abs() <= 1e-11, "frame {frame}: {point}, not {truth}");
            }
        }
    }
}

#[test]
fn s4_at_it_the_ground_exerts_no_tangential_moment() {
    for (character, clip) in [(samples::humanoid(), samples::walk()), (samples::humanoid(), samples::jump())] {
        let found = central(&character, &clip);
        let (rows, weight) = (&found.per_frame, found.mass * GRAVITY);
        let mut judged = 0;
        for frame in 0..clip.frames() {
            let Some(point) = rows.zero_moment_point[frame] else { continue };
            let (center, force) = (rows.mass_center[frame].unwrap(), rows.ground_force[frame].unwrap());
            let moment = rows.angular_momentum_rate[frame].unwrap() + (center - point).cross(force);
            let tangential = DVec3::new(moment.x, 0.0, moment.z).length() / weight;
            assert!(tangential <= 1e-12, "frame {frame}: {tangential} m");
            judged += 1;
        }
        assert!(judged > clip.frames() / 2);
    }
}

#[test]
fn s5_s27_outside_a_square_support_it_is_counted_in_mean_radii() {
    // At rest, 0.1 m beyond the edge of a square of 0.4 m: distance divided by perimeter / 2π.
    for (place, distance) in [(0.3, 0.1), (0.15, -0.05), (0.2, 0.0)] {
        let found = central(&table_and_weight(), &moved(30, 30.0, 0.0, |_| DVec3::new(place, HEIGHT, 0.05)));
        for frame in 0..30 {
            let corners = &found.per_frame.support_polygon[frame];
            assert_eq!(corners.len(), 4);
            let sides = (0..4).map(|k| (corners[(k + 1) % 4] - corners[k]).length());
            assert!((sides.sum::<f64>() - 8.0 * HALF).abs() <= 1e-12);
            let normalized = found.balance.normalized_distance[frame].unwrap();
            assert!((normalized - distance / (8.0 * HALF / TAU)).abs() <= 1e-12, "{normalized}");
            assert!((found.per_frame.support_margin[frame].unwrap() + distance).abs() <= 1e-12);
        }
    }
}

#[test]
fn s28_the_fractions_are_those_of_the_frames() {
    // The weight stands in three places for 1/2, 3/10 and 1/5 of the frames: inside, within one radius, beyond.
    let place = |frame: usize| match frame {
        0..50 => 0.0,
        50..80 => 0.35,
        _ => 0.9,
    };
    let clip = moved(100, 30.0, 0.0, |t| DVec3::new(place((30.0 * t).round() as usize), HEIGHT, 0.0));
    let found = central(&table_and_weight(), &clip);
    let near = |frame: usize| [49, 50, 79, 80].contains(&frame);
    let count = |limit: f64| {
        let within = |n: &usize| found.balance.normalized_distance[*n].is_some_and(|d| d <= limit);
        (0..100).filter(|n| !near(*n)).filter(within).count()
    };
    assert_eq!((count(0.0), count(1.0)), (49, 49 + 28));
    // The four frames beside the jumps have an acceleration and count with it.
    let all = (0..100).filter_map(|n| found.balance.normalized_distance[n]).collect::<Vec<f64>>();
    let share = |limit: f64| all.iter().filter(|d| **d <= limit).count() as f64 / all.len() as f64;
    assert_eq!(found.balance.inside_fraction, Some(share(0.0)));
    assert_eq!(found.balance.within_one_fraction, Some(share(1.0)));
}
