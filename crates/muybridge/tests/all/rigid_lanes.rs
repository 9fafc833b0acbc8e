//! Ragdolls of rigid bodies in scenes that lanes step: those that touch nothing but themselves and planes.

use std::collections::BTreeMap;

use muybridge::glam::DVec3;
use muybridge::rigid::state::{angular_momentum, mass_center, momentum};
use muybridge::rigid::{Pose, World as Rigid};
use muybridge::samples;
use muybridge::simulation::scene::{Hit, Method, Obstacle, ObstacleKind, Ragdoll, Scene};
use muybridge::simulation::{Assets, Cast, World};

/// A ragdoll that falls on ground at height 0.
fn falling(position: DVec3) -> Ragdoll {
    let rotation = DVec3::new(0.2, 0.35, -0.14);
    Ragdoll { name: format!("doll at {}", position.x), position, rotation, ..Ragdoll::default() }
}

fn scene(places: &[DVec3]) -> Scene {
    let mut scene = Scene::default();
    scene.setting.ground = Some(0.0);
    scene.solver.method = Method::Multipliers;
    scene.ragdolls = places.iter().copied().map(falling).collect();
    scene
}

fn world(scene: &Scene) -> World {
    let cast = Cast { character: samples::humanoid(), clips: Vec::new() };
    let assets = Assets { characters: BTreeMap::from([("humanoid".into(), cast)]), ..Assets::default() };
    World::new(scene.clone(), &assets).expect("a scene")
}

fn bodies(world: &World) -> &Rigid {
    world.bodies().expect("bodies")
}

fn poses(world: &World) -> &[Pose<f64>] {
    &bodies(world).state.poses
}

/// A tuned solver is stepped by the general method.
fn tuned(scene: &Scene) -> Scene {
    let mut scene = scene.clone();
    scene.solver.rigid.contact_iterations += 1;
    scene
}

#[test]
fn a_ragdoll_has_the_same_bits_alone_and_among_twenty() {
    let places: Vec<DVec3> = (0..20).map(|index| DVec3::new(8.0 * f64::from(index), 0.75, 0.0)).collect();
    let (mut alone, mut among) = (world(&scene(&places[..1])), world(&scene(&places)));
    let count = poses(&alone).len();
    for _ in 0..120 {
        alone.step();
        among.step();
        assert_eq!(poses(&alone), &poses(&among)[..count]);
    }
}

#[test]
fn a_flight_is_a_parabola_and_keeps_its_spin() {
    let mut scene = scene(&[DVec3::Y * 20.0]);
    scene.ragdolls[0].spin = DVec3::new(1.0, -2.0, 0.5);
    let mut world = world(&scene);
    let at = |world: &World| {
        let Rigid { model, state, .. } = bodies(world);
        let center = mass_center(model, state).1;
        (center, angular_momentum(state, center))
    };
    let (start, spin) = at(&world);
    for step in 1..=60 {
        world.step();
        let time = f64::from(step) / 60.0;
        let exact = start - DVec3::Y * (0.5 * 9.81 * time * time);
        let now = at(&world);
        assert!(now.0.distance(exact) < 1e-9, "step {step}: {} m", now.0.distance(exact));
        assert!((now.1 - spin).length() < 1e-9 * spin.length(), "step {step}: {} {spin}", now.1);
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
    assert_eq!(poses(&ground), poses(&floor));
}

#[test]
fn what_falls_from_a_meter_is_held() {
    let scene = scene(&[DVec3::Y * 1.0]);
    let (mut lanes, mut general) = (world(&scene), world(&tuned(&scene)));
    let (mut worst, mut energy) = ([0.0_f64; 3], f64::INFINITY);
    for step in 0..240 {
        lanes.step();
        general.step();
        let now = lanes.snapshot().measures[0];
        for (worst, now) in worst.iter_mut().zip([now.worst_gap, now.worst_limit, now.worst_penetration]) {
            *worst = worst.max(now);
        }
        let sum = now.kinetic_energy + now.potential_energy;
        // Of some 2000 J.
        assert!(sum < energy + 0.5, "step {step}: {energy} J, then {sum} J");
        energy = sum;
    }
    // Joints 0.01 mm, limits 2°, ground and limbs 5 mm.
    assert!(worst[0] < 1e-5 && worst[1] < 0.0349 && worst[2] < 0.005, "{worst:?}");
    let center = |world: &World| mass_center(&bodies(world).model, &bodies(world).state).1;
    assert!(center(&lanes).y > 0.05 && (center(&lanes).y - center(&general).y).abs() < 0.05);
}

#[test]
fn what_lies_falls_asleep() {
    let mut world = world(&scene(&[DVec3::Y * 0.1]));
    (0..900).for_each(|_| world.step());
    assert_eq!(world.snapshot().measures[0].asleep, 1.0);
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
    let Rigid { state, .. } = bodies(&world);
    let height = |range: std::ops::Range<usize>| {
        let count = range.len() as f64;
        state.poses[range].iter().map(|pose| pose.place().y).sum::<f64>() / count
    };
    let count = state.poses.len() / 2;
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
    let momentum = momentum(&bodies(&world).state);
    assert!((momentum - impulse).length() < 1e-9 * impulse.length(), "{momentum}");
}

/// Damping of joints alone slows the turns of limbs as the general method does: implicit Euler of the same rows.
#[test]
fn joints_damp_as_in_the_general_method() {
    let mut scene = scene(&[DVec3::Y * 20.0]);
    (scene.setting.gravity, scene.setting.ground) = (DVec3::ZERO, None);
    (scene.ragdolls[0].joint_limits, scene.ragdolls[0].self_collision) = (false, false);
    let impulse = DVec3::new(3.0, 1.0, -2.0);
    scene.hits = vec![Hit { of: format!("{}/LeftHand", scene.ragdolls[0].name).as_str().into(), time: 0.0, impulse }];
    let (mut lanes, mut general) = (world(&scene), world(&tuned(&scene)));
    for _ in 0..30 {
        lanes.step();
        general.step();
    }
    let energy = |world: &World| world.snapshot().measures[0].kinetic_energy;
    let (lanes, general) = (energy(&lanes), energy(&general));
    assert!((lanes - general).abs() < 0.02 * general, "{lanes} J, {general} J");
}
