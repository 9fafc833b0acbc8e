//! Scenes of ragdolls that lanes step, and what holds of them under any method.

use std::collections::BTreeMap;
use std::fmt::Debug;

use muybridge::glam::DVec3;
use muybridge::samples;
use muybridge::simulation::scene::{Hit, Method, Obstacle, ObstacleKind, Ragdoll, Scene};
use muybridge::simulation::{Assets, Cast, World};

/// Impulse of [`hit`], N s.
pub const IMPULSE: DVec3 = DVec3::new(3.0, 1.0, -2.0);

/// A ragdoll that falls on ground at height 0.
fn falling(position: DVec3) -> Ragdoll {
    let rotation = DVec3::new(0.2, 0.35, -0.14);
    Ragdoll { name: format!("doll at {}", position.x), position, rotation, ..Ragdoll::default() }
}

/// Ragdolls that fall from some places.
pub fn scene(method: Method, places: &[DVec3]) -> Scene {
    let mut scene = Scene::default();
    scene.setting.ground = Some(0.0);
    scene.solver.method = method;
    scene.ragdolls = places.iter().copied().map(falling).collect();
    scene
}

/// A ragdoll high above the ground without gravity, whose hand is hit.
pub fn hit(method: Method) -> Scene {
    let mut scene = scene(method, &[DVec3::Y * 20.0]);
    scene.setting.gravity = DVec3::ZERO;
    let of = format!("{}/LeftHand", scene.ragdolls[0].name).as_str().into();
    scene.hits = vec![Hit { of, time: 0.0, impulse: IMPULSE }];
    scene
}

pub fn world(scene: &Scene) -> World {
    let cast = Cast { character: samples::humanoid(), clips: Vec::new() };
    let assets = Assets { characters: BTreeMap::from([("humanoid".into(), cast)]), ..Assets::default() };
    World::new(scene.clone(), &assets).expect("a scene")
}

/// `motion` holds what moves, in the order of the ragdolls.
pub fn has_the_same_bits_alone_and_among_twenty<T: Debug + PartialEq>(method: Method, motion: fn(&World) -> &[T]) {
    let place = |index: u32| DVec3::new(8.0 * f64::from(index), 0.75 + 0.07 * f64::from(index % 5), 0.0);
    let places: Vec<DVec3> = (0..20).map(place).collect();
    let (mut alone, mut among) = (world(&scene(method, &places[..1])), world(&scene(method, &places)));
    let count = motion(&alone).len();
    for _ in 0..120 {
        alone.step();
        among.step();
        assert_eq!(motion(&alone), &motion(&among)[..count]);
    }
}

pub fn goes_on_from_a_saved_fall_with_the_same_bits(method: Method) {
    let scene = scene(method, &[DVec3::Y * 0.5, DVec3::new(9.0, 0.3, 0.0)]);
    let mut first = world(&scene);
    (0..40).for_each(|_| first.step());
    let saved = first.save();
    (0..60).for_each(|_| first.step());
    let mut second = world(&scene);
    second.restore(saved).expect("the same scene");
    (0..60).for_each(|_| second.step());
    assert_eq!(first.save(), second.save());
}

pub fn lands_on_a_wide_box_as_on_ground<T: Debug + PartialEq>(method: Method, motion: fn(&World) -> &[T]) {
    let on_ground = scene(method, &[DVec3::Y * 0.5]);
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
    assert_eq!(motion(&ground), motion(&floor));
}

/// `heights` are those of all that moves, those of the lower ragdoll first.
pub fn does_not_fall_through_another(method: Method, heights: fn(&World) -> Vec<f64>) {
    let scene = scene(method, &[DVec3::Y * 0.2, DVec3::new(0.1, 2.5, 0.1)]);
    let mut world = world(&scene);
    let mut deepest = 0.0_f64;
    for _ in 0..240 {
        world.step();
        deepest = deepest.max(world.snapshot().measures[0].worst_penetration);
    }
    assert!(deepest < 0.05, "{deepest} m");
    let heights = heights(&world);
    let (lower, upper) = heights.split_at(heights.len() / 2);
    let mean = |of: &[f64]| of.iter().sum::<f64>() / of.len() as f64;
    assert!(mean(upper) > mean(lower), "the upper one lies on the lower one");
}

/// Steps two worlds of a scene until `steps`, one in lanes and one by the general method. Returns the greatest gap (m), violation of
/// a limit (rad) and depth (m) in lanes; `watch` sees that world after every step.
pub fn fall_beside([lanes, general]: [&mut World; 2], steps: usize, mut watch: impl FnMut(usize, &World)) -> [f64; 3] {
    let mut worst = [0.0_f64; 3];
    for step in 0..steps {
        lanes.step();
        general.step();
        let now = lanes.snapshot().measures[0];
        for (worst, now) in worst.iter_mut().zip([now.worst_gap, now.worst_limit, now.worst_penetration]) {
            *worst = worst.max(now);
        }
        watch(step, lanes);
    }
    worst
}
