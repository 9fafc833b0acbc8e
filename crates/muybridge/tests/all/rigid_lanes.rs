//! Ragdolls of rigid bodies in scenes that lanes step: those that touch nothing but themselves and planes.

use muybridge::glam::DVec3;
use muybridge::rigid::state::{angular_momentum, mass_center, momentum};
use muybridge::rigid::{Pose, World as Rigid};
use muybridge::simulation::World;
use muybridge::simulation::scene::{Method, Scene};

use crate::lane_scenes::{self, IMPULSE, fall_beside, hit, world};

const BODIES: Method = Method::Multipliers;

fn scene(places: &[DVec3]) -> Scene {
    lane_scenes::scene(BODIES, places)
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
    lane_scenes::has_the_same_bits_alone_and_among_twenty(BODIES, poses);
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
    lane_scenes::goes_on_from_a_saved_fall_with_the_same_bits(BODIES);
}

#[test]
fn the_top_of_a_wide_box_is_ground() {
    lane_scenes::lands_on_a_wide_box_as_on_ground(BODIES, poses);
}

#[test]
fn what_falls_from_a_meter_is_held() {
    let scene = scene(&[DVec3::Y * 1.0]);
    let (mut lanes, mut general) = (world(&scene), world(&tuned(&scene)));
    let mut energy = f64::INFINITY;
    let worst = fall_beside([&mut lanes, &mut general], 240, |step, lanes| {
        let now = lanes.snapshot().measures[0];
        let sum = now.kinetic_energy + now.potential_energy;
        // Of some 2000 J.
        assert!(sum < energy + 0.5, "step {step}: {energy} J, then {sum} J");
        energy = sum;
    });
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
    let heights = |world: &World| poses(world).iter().map(|pose| pose.place().y).collect();
    lane_scenes::does_not_fall_through_another(BODIES, heights);
}

#[test]
fn a_hit_on_a_hand_gives_its_momentum() {
    let mut world = world(&hit(BODIES));
    (0..30).for_each(|_| world.step());
    let momentum = momentum(&bodies(&world).state);
    assert!((momentum - IMPULSE).length() < 1e-9 * IMPULSE.length(), "{momentum}");
}

/// Damping of joints alone slows the turns of limbs as the general method does: implicit Euler of the same rows.
#[test]
fn joints_damp_as_in_the_general_method() {
    let mut scene = hit(BODIES);
    scene.setting.ground = None;
    (scene.ragdolls[0].joint_limits, scene.ragdolls[0].self_collision) = (false, false);
    let (mut lanes, mut general) = (world(&scene), world(&tuned(&scene)));
    for _ in 0..30 {
        lanes.step();
        general.step();
    }
    let energy = |world: &World| world.snapshot().measures[0].kinetic_energy;
    let (lanes, general) = (energy(&lanes), energy(&general));
    assert!((lanes - general).abs() < 0.02 * general, "{lanes} J, {general} J");
}
