//! Tests of the cloth in lanes: it hangs, collides, is saved and restored, and has the same bits at every width.

use glam::{DQuat, DVec3};

use super::*;
use crate::particles::objects::Grid;

/// A cloth of 2 m × 2 m, pinned at the two corners of one edge: the workload W3 of the peers.
fn hung(columns: usize, settings: ClothSettings) -> ClothLanes {
    let (points, triangles) = Grid::square(columns - 1, 2.0).mesh().expect("a grid");
    ClothLanes::new(&points, &triangles, &[0, columns - 1], settings).expect("a cloth")
}

/// A disk of triangles in rings with shuffled numbers: no particles lie side by side.
fn disk(rings: usize) -> (Vec<DVec3>, Vec<[usize; 3]>) {
    let around = 24;
    let count = 1 + rings * around;
    // 7 has no factor in common with the number of points.
    let number = |i: usize| i * 7 % count;
    let mut points = vec![DVec3::ZERO; count];
    let mut triangles = Vec::new();
    let at = |ring: usize, step: usize| 1 + (ring - 1) * around + step % around;
    for ring in 1..=rings {
        for step in 0..around {
            let turn = core::f64::consts::TAU * step as f64 / around as f64;
            let radius = ring as f64 / rings as f64;
            points[number(at(ring, step))] = DVec3::new(radius * libm::cos(turn), 0.0, radius * libm::sin(turn));
            let (a, b) = (at(ring, step), at(ring, step + 1));
            if ring == 1 {
                triangles.push([0, a, b].map(number));
            } else {
                let (c, d) = (at(ring - 1, step), at(ring - 1, step + 1));
                triangles.extend([[c, a, b].map(number), [c, b, d].map(number)]);
            }
        }
    }
    assert!(!count.is_multiple_of(7));
    (points, triangles)
}

fn bits(cloth: &ClothLanes) -> Vec<[u64; 3]> {
    cloth.positions().map(|point| point.to_array().map(f64::to_bits)).collect()
}

fn stretch(cloth: &ClothLanes, columns: usize) -> (f64, f64) {
    let points: Vec<DVec3> = cloth.positions().collect();
    let rest = 2.0 / (columns - 1) as f64;
    let across = (0..points.len()).filter(|i| i % columns + 1 < columns).map(|i| (i, i + 1));
    let down = (0..points.len() - columns).map(|i| (i, i + columns));
    let strains: Vec<f64> = across.chain(down).map(|(a, b)| points[a].distance(points[b]) / rest - 1.0).collect();
    let mean = strains.iter().map(|strain| strain.abs()).sum::<f64>() / strains.len() as f64;
    (strains.into_iter().fold(0.0, f64::max), mean)
}

#[test]
fn it_holds_the_cloth_of_the_peers() {
    let mut cloth = hung(64, ClothSettings::default());
    (0..300).for_each(|_| cloth.step());
    let (worst, mean) = stretch(&cloth, 64);
    assert!(worst < 0.03 && mean < 0.002, "{worst} {mean}");
}

#[test]
fn a_cloth_has_the_same_bits_at_every_width() {
    let (points, triangles) = disk(6);
    let makers: [&dyn Fn() -> ClothLanes; 4] = [
        &|| hung(20, ClothSettings::default()),
        &|| hung(33, ClothSettings { bend_compliance: Some(1e-3), ..ClothSettings::default() }),
        &|| hung(37, ClothSettings { bend_compliance: Some(1e-3), ..ClothSettings::default() }),
        &|| ClothLanes::new(&points, &triangles, &[3, 40, 77], ClothSettings::default()).expect("a disk"),
    ];
    for make in makers {
        let run = |width: Width| {
            let mut cloth = make();
            cloth.set_width(width);
            cloth.set_wind(DVec3::new(1.0, 0.0, 2.0)).unwrap();
            cloth.set_solids(&[
                ClothCollider::Sphere { center: DVec3::new(0.0, -0.6, 0.2), radius: 0.4 },
                ClothCollider::HalfSpace { normal: DVec3::Y, offset: -1.0 },
            ]);
            (0..40).for_each(|_| cloth.step());
            bits(&cloth)
        };
        let single = run(Width::single());
        for width in Width::all() {
            assert_eq!(run(width), single, "{width}");
        }
    }
}

#[test]
fn grids_run_without_gathers_and_disks_with_them() {
    let [alike, own, scattered] = hung(64, ClothSettings::default()).batches();
    assert_eq!(scattered, 0);
    assert!(alike > 4 * own / 2, "{alike} {own}");
    let (points, triangles) = disk(6);
    let cloth = ClothLanes::new(&points, &triangles, &[3], ClothSettings::default()).expect("a disk");
    assert!(cloth.batches()[2] > 0);
}

#[test]
fn a_disk_hangs_from_its_pins_without_stretch() {
    let (points, triangles) = disk(8);
    let pins = [5, 90];
    let settings = ClothSettings { drag: 1.0, ..ClothSettings::default() };
    let mut cloth = ClothLanes::new(&points, &triangles, &pins, settings).expect("a disk");
    (0..600).for_each(|_| cloth.step());
    let now: Vec<DVec3> = cloth.positions().collect();
    for pin in pins {
        assert!(now[pin].distance(points[pin]) < 1e-6);
    }
    for edge in mesh::edges(&triangles) {
        let [a, b] = edge.ends;
        let strain = now[a].distance(now[b]) / points[a].distance(points[b]) - 1.0;
        assert!(strain < 0.03, "{a}-{b}: {strain}");
    }
    let center: DVec3 = now.iter().sum::<DVec3>() / now.len() as f64;
    assert!(center.y < -0.3, "it hangs: {center}");
}

#[test]
fn free_fall_is_that_of_a_point() {
    let (points, triangles) = Grid::square(7, 1.0).mesh().expect("a grid");
    let settings = ClothSettings { drag: 0.0, ..ClothSettings::default() };
    let mut cloth = ClothLanes::new(&points, &triangles, &[], settings.clone()).expect("a cloth");
    (0..60).for_each(|_| cloth.step());
    // ½ g t (t + h) from rest with x* = x (3.1.1).
    let h = settings.time_step / f64::from(settings.substeps);
    let fall = 0.5 * 9.81 * (1.0 + h);
    for (now, start) in cloth.positions().zip(&points) {
        // 0.2 %: the velocity that a substep adds is some twenty times the last bit of a position.
        assert!((start.y - now.y - fall).abs() < 0.01, "{} for {fall}", start.y - now.y);
    }
    for velocity in cloth.velocities() {
        assert!((velocity.y + 9.81).abs() < 0.05, "{velocity}");
    }
}

#[test]
fn far_from_the_origin_it_moves_as_near_to_it() {
    let far = DVec3::new(1000.0, 0.0, -2000.0);
    let (points, triangles) = Grid::square(19, 1.0).mesh().expect("a grid");
    let there: Vec<DVec3> = points.iter().map(|point| *point + far).collect();
    let settings = ClothSettings { drag: 2.0, ..ClothSettings::default() };
    let run = |points: &[DVec3]| {
        let mut cloth = ClothLanes::new(points, &triangles, &[0, 19], settings.clone()).expect("a cloth");
        (0..300).for_each(|_| cloth.step());
        cloth.positions().collect::<Vec<_>>()
    };
    for (near, moved) in run(&points).iter().zip(run(&there)) {
        assert!((moved - far).distance(*near) < 0.05, "{near} {moved}");
    }
}

#[test]
fn what_is_carried_away_keeps_its_accuracy() {
    let mut cloth = hung(20, ClothSettings::default());
    let start = [cloth.position(0), cloth.position(19)];
    for step in 1..=600 {
        let shift = DVec3::X * (0.1 * f64::from(step));
        cloth.move_pin(0, start[0] + shift).unwrap();
        cloth.move_pin(19, start[1] + shift).unwrap();
        cloth.step();
    }
    let error = cloth.move_pin(5, DVec3::ZERO).unwrap_err().to_string();
    assert_eq!(error, "there is no pinned particle 5; there are 2");
    assert!((cloth.position(0).x - start[0].x - 60.0).abs() < 1e-5);
    let (worst, mean) = stretch(&cloth, 20);
    assert!(worst < 0.05 && mean < 0.01, "{worst} {mean}");
}

#[test]
fn it_lies_on_a_ball_and_on_the_ground() {
    let (points, triangles) = Grid { position: DVec3::Y, ..Grid::square(30, 1.5) }.mesh().expect("a grid");
    let settings = ClothSettings { drag: 1.0, friction: 1.0, ..ClothSettings::default() };
    let mut cloth = ClothLanes::new(&points, &triangles, &[], settings).expect("a cloth");
    let ball = ClothCollider::Sphere { center: DVec3::new(0.0, 0.4, 0.0), radius: 0.4 };
    cloth.set_solids(&[ball, ClothCollider::HalfSpace { normal: DVec3::Y, offset: 0.0 }]);
    (0..600).for_each(|_| cloth.step());
    for point in cloth.positions() {
        assert!(point.y > 0.005 - 1e-4, "{point}");
        assert!(point.distance(DVec3::new(0.0, 0.4, 0.0)) > 0.405 - 1e-4, "{point}");
    }
    let middle = cloth.position(15 * 31 + 15);
    assert!((middle.y - 0.805).abs() < 0.01, "the middle stays on top: {middle}");
}

#[test]
fn a_moving_capsule_takes_the_cloth_along() {
    let (points, triangles) = Grid { position: DVec3::Y * 0.7, ..Grid::square(20, 1.0) }.mesh().expect("a grid");
    let settings = ClothSettings { drag: 1.0, friction: 2.0, ..ClothSettings::default() };
    let mut cloth = ClothLanes::new(&points, &triangles, &[], settings).expect("a cloth");
    let capsule =
        |x: f64| ClothCollider::Capsule { ends: [DVec3::new(x, 0.3, -1.0), DVec3::new(x, 0.3, 1.0)], radius: 0.35 };
    cloth.set_solids(&[capsule(0.0)]);
    (0..60).for_each(|_| cloth.step());
    for step in 1..=120 {
        cloth.set_solids(&[capsule(0.01 * f64::from(step))]);
        cloth.step();
    }
    let center: DVec3 = cloth.positions().sum::<DVec3>() / points.len() as f64;
    assert!(center.x > 0.8, "carried by friction: {center}");
}

#[test]
fn wind_blows_it_to_the_speed_of_the_air() {
    let (points, triangles) = Grid::square(5, 1.0).mesh().expect("a grid");
    let settings = ClothSettings { drag: 3.0, gravity: DVec3::ZERO, ..ClothSettings::default() };
    let mut cloth = ClothLanes::new(&points, &triangles, &[], settings).expect("a cloth");
    cloth.set_wind(DVec3::new(2.0, 0.0, 1.0)).unwrap();
    (0..60).for_each(|_| cloth.step());
    let share = 1.0 - libm::exp(-3.0);
    for velocity in cloth.velocities() {
        assert!((velocity - DVec3::new(2.0, 0.0, 1.0) * share).length() < 0.01, "{velocity}");
    }
}

#[test]
fn it_goes_on_from_a_saved_state_bit_for_bit() {
    let mut cloth = hung(20, ClothSettings::default());
    (0..30).for_each(|_| cloth.step());
    let saved = cloth.save();
    (0..30).for_each(|_| cloth.step());
    let mut again = hung(20, ClothSettings::default());
    again.restore(&saved).expect("the same cloth");
    (0..30).for_each(|_| again.step());
    assert_eq!(bits(&again), bits(&cloth));
    let error = hung(24, ClothSettings::default()).restore(&saved).expect_err("another cloth").to_string();
    assert!(error.contains("restore it into the cloth it was saved from"), "{error}");
}

#[test]
fn numbers_that_are_none_do_not_stop_it() {
    let mut cloth = hung(20, ClothSettings::default());
    let error = cloth.move_pin(0, DVec3::NAN).unwrap_err().to_string();
    assert_eq!(error, "the place of a pin must be finite, not NaN");
    let error = cloth.set_wind(DVec3::INFINITY).unwrap_err().to_string();
    assert_eq!(error, "the velocity of the air must be finite, not inf");
    cloth.set_solids(&[ClothCollider::Sphere { center: DVec3::NAN, radius: -1.0 }]);
    (0..3).for_each(|_| cloth.step());
    cloth.set_solids(&[]);
    cloth.step();
}

#[test]
fn a_wrong_description_is_a_sentence() {
    let (points, triangles) = Grid::square(4, 1.0).mesh().expect("a grid");
    let make = |pins: &[usize], settings| {
        ClothLanes::new(&points, &triangles, pins, settings).map(|_| ()).map_err(|e| e.to_string())
    };
    let pin = make(&[99], ClothSettings::default()).expect_err("no such point");
    assert!(pin.contains("point 99") && pin.contains("25 points"), "{pin}");
    let none = make(&[], ClothSettings { substeps: 0, ..ClothSettings::default() }).expect_err("no substeps");
    assert!(none.contains("substeps"), "{none}");
    let tight = make(&[], ClothSettings { tether_slack: 0.9, ..ClothSettings::default() }).expect_err("too tight");
    assert!(tight.contains("1 or greater"), "{tight}");
    let mut loose = points.clone();
    loose.push(DVec3::ONE);
    let error =
        ClothLanes::new(&loose, &triangles, &[], ClothSettings::default()).expect_err("a loose point").to_string();
    assert!(error.contains("point 25"), "{error}");
}

#[test]
fn a_turned_cloth_falls_as_one_that_is_not() {
    // Gravity along x instead of −y: the same motion, turned.
    let run = |rotation: DQuat| {
        let (points, triangles) = Grid { rotation, ..Grid::square(19, 1.0) }.mesh().expect("a grid");
        let gravity = rotation * DVec3::new(0.0, -9.81, 0.0);
        let settings = ClothSettings { gravity, drag: 3.0, ..ClothSettings::default() };
        let mut cloth = ClothLanes::new(&points, &triangles, &[0, 19], settings).expect("a cloth");
        (0..120).for_each(|_| cloth.step());
        let back = rotation.inverse();
        cloth.positions().map(|point| back * point).collect::<Vec<_>>()
    };
    let turned = run(DQuat::from_rotation_z(core::f64::consts::FRAC_PI_2));
    let mean: f64 = run(DQuat::IDENTITY).iter().zip(&turned).map(|(a, b)| a.distance(*b)).sum::<f64>() / 400.0;
    assert!(mean < 0.02, "{mean}");
}
