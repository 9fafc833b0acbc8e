//! Ragdolls of scenes that lanes step: those that touch nothing but planes.

use muybridge::glam::DVec3;
use muybridge::simulation::World;
use muybridge::simulation::scene::{Method, Scene};

use crate::lane_scenes::{self, IMPULSE, fall_beside, hit, world};

const PARTICLES: Method = Method::Particles;

fn scene(places: &[DVec3]) -> Scene {
    lane_scenes::scene(PARTICLES, places)
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
    lane_scenes::has_the_same_bits_alone_and_among_twenty(PARTICLES, positions);
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
    lane_scenes::goes_on_from_a_saved_fall_with_the_same_bits(PARTICLES);
}

#[test]
fn the_top_of_a_wide_box_is_ground() {
    lane_scenes::lands_on_a_wide_box_as_on_ground(PARTICLES, positions);
}

#[test]
fn what_lands_is_held_as_the_general_method_holds_it() {
    let scene = scene(&[DVec3::Y * 0.6]);
    let (mut lanes, mut general) = (world(&scene), world(&tuned(&scene)));
    let worst = fall_beside([&mut lanes, &mut general], 180, |_, _| ());
    // Joints 2 mm, limits 3°, ground 5 mm.
    assert!(worst[0] < 0.002 && worst[1] < 0.0524 && worst[2] < 0.005, "{worst:?}");
    let center = |world: &World| world.particles().expect("particles").center_of_mass();
    assert!(center(&lanes).y > 0.05 && (center(&lanes).y - center(&general).y).abs() < 0.1);
}

#[test]
fn one_that_falls_on_another_does_not_fall_through_it() {
    let heights = |world: &World| positions(world).iter().map(|position| position.y).collect();
    lane_scenes::does_not_fall_through_another(PARTICLES, heights);
}

#[test]
fn a_hit_on_a_hand_gives_its_momentum() {
    let mut world = world(&hit(PARTICLES));
    (0..30).for_each(|_| world.step());
    let momentum = world.particles().expect("particles").momentum();
    assert!((momentum - IMPULSE).length() < 1e-9 * IMPULSE.length(), "{momentum}");
}
