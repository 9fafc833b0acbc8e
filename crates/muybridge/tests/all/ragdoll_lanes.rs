//! Ragdolls of scenes that lanes step: those that touch nothing but planes.

use std::collections::BTreeMap;

use muybridge::glam::DVec3;
use muybridge::samples;
use muybridge::simulation::scene::{Hit, Obstacle, ObstacleKind, Ragdoll, Scene};
use muybridge::simulation::{Assets, Cast, World};

/// A ragdoll that falls on ground at height 0.
fn falling(position: DVec3) -> Ragdoll {
    let rotation = DVec3::new(0.2, 0.35, -0.14);
    Ragdoll { name: format!("doll at {}", position.x), position, rotation, ..Ragdoll::default() }
}

fn scene(places: &[DVec3]) -> Scene {
    let mut scene = Scene::default();
    scene.setting.ground = Some(0.0);
    scene.ragdolls = places.iter().copied().map(falling).collect();
    scene
}

fn world(scene: &Scene) -> World {
    let cast = Cast { character: samples::humanoid(), clips: Vec::new() };
    let assets = Assets { characters: BTreeMap::from([("humanoid".into(), cast)]), ..Assets::default() };
    World::new(scene.clone(), &assets).expect("a scene")
}

fn positions(world: &World) -> &[DVec3] {
    &world.particles().expect("particles").state.positions
}

/// A tuned solver is stepped by the general method.
fn tuned(scene: &Scene) -> Scene {
    let mut scene = scene.clone();
    scene.solver.particles.substeps += 1;
    scene
}

#[test]
fn a_ragdoll_has_the_same_bits_alone_and_among_twenty() {
    let places: Vec<DVec3> = (0..20).map(|index| DVec3::new(8.0 * f64::from(index), 0.75, 0.0)).collect();
    let (mut alone, mut among) = (world(&scene(&places[..1])), world(&scene(&places)));
    let count = positions(&alone).len();
    for _ in 0..120 {
        alone.step();
        among.step();
        assert_eq!(positions(&alone), &positions(&among)[..count]);
    }
}

#[test]
fn a_flight_is_a_parabola() {
    let scene = scene(&[DVec3::Y * 20.0]);
    let mut world = world(&scene);
    let center = |world: &World| world.particles().expect("particles").center_of_mass();
    let start = center(&world);
    for step in 1..=60 {
        world.step();
        let time = f64::from(step) / 60.0;
        let exact = start - DVec3::Y * (0.5 * 9.81 * time * time);
        assert!(center(&world).distance(exact) < 1e-9, "step {step}: {} m", center(&world).distance(exact));
    }
}

#[test]
fn a_saved_fall_goes_on_with_the_same_bits() {
    let scene = scene(&[DVec3::Y * 0.5, DVec3::new(9.0, 0.3, 0.0)]);
    let mut first = world(&scene);
    (0..40).for_each(|_| first.step());
    let saved = first.save();
    (0..60).for_each(|_| first.step());
    let mut second = world(&scene);
    second.restore(saved).expect("the same scene");
    (0..60).for_each(|_| second.step());
    assert_eq!(first.save(), second.save());
}

#[test]
fn the_top_of_a_wide_box_is_ground() {
    let on_ground = scene(&[DVec3::Y * 0.5]);
    let mut on_box = on_ground.clone();
    on_box.setting.ground = None;
    let size = DVec3::new(12.0, 2.0, 12.0);
    on_box.obstacles.push(Obstacle {
        name: "floor".into(),
        kind: ObstacleKind::Box,
        size,
        position: DVec3::NEG_Y,
        friction: on_ground.setting.ground_friction,
        ..Obstacle::default()
    });
    let (mut ground, mut floor) = (world(&on_ground), world(&on_box));
    for _ in 0..120 {
        ground.step();
        floor.step();
    }
    assert_eq!(positions(&ground), positions(&floor));
}

#[test]
fn what_lands_is_held_as_the_general_method_holds_it() {
    let scene = scene(&[DVec3::Y * 0.6]);
    let (mut lanes, mut general) = (world(&scene), world(&tuned(&scene)));
    let mut worst = [0.0_f64; 3];
    for _ in 0..180 {
        lanes.step();
        general.step();
        let now = lanes.snapshot().measures[0];
        for (worst, now) in worst.iter_mut().zip([now.worst_gap, now.worst_limit, now.worst_penetration]) {
            *worst = worst.max(now);
        }
    }
    // Joints 2 mm, limits 3°, ground 5 mm.
    assert!(worst[0] < 0.002 && worst[1] < 0.0524 && worst[2] < 0.005, "{worst:?}");
    let center = |world: &World| world.particles().expect("particles").center_of_mass();
    assert!(center(&lanes).y > 0.05 && (center(&lanes).y - center(&general).y).abs() < 0.1);
}

#[test]
fn one_that_falls_on_another_does_not_fall_through_it() {
    let scene = scene(&[DVec3::Y * 0.2, DVec3::new(0.1, 2.5, 0.1)]);
    let mut world = world(&scene);
    let mut deepest = 0.0_f64;
    for _ in 0..240 {
        world.step();
        deepest = deepest.max(world.snapshot().measures[0].worst_penetration);
    }
    assert!(deepest < 0.05, "{deepest} m");
    let positions = positions(&world);
    let height = |range: std::ops::Range<usize>| {
        let count = range.len() as f64;
        positions[range].iter().map(|position| position.y).sum::<f64>() / count
    };
    let count = positions.len() / 2;
    assert!(height(count..2 * count) > height(0..count), "the upper one lies on the lower one");
}

#[test]
fn a_hit_on_a_hand_gives_its_momentum() {
    let impulse = DVec3::new(3.0, 1.0, -2.0);
    let mut scene = scene(&[DVec3::Y * 20.0]);
    scene.setting.gravity = DVec3::ZERO;
    scene.hits = vec![Hit { of: format!("{}/LeftHand", scene.ragdolls[0].name).as_str().into(), time: 0.0, impulse }];
    let mut world = world(&scene);
    (0..30).for_each(|_| world.step());
    let momentum = world.particles().expect("particles").momentum();
    assert!((momentum - impulse).length() < 1e-9 * impulse.length(), "{momentum}");
}
