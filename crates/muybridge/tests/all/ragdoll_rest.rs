//! Tests that a falling ragdoll gains no energy when it lands, comes to rest and sleeps.

use muybridge::character::Character;
use muybridge::collision::Obstacle;
use muybridge::glam::DVec3;
use muybridge::math::rotation::exp;
use muybridge::particles::{Settings, World};
use muybridge::ragdoll::{self, RagdollSettings, RagdollStart};
use muybridge::samples;
use muybridge::simulation::scene::Solver;

/// A ragdoll released half a meter plus `by` meters above the ground, not quite upright.
fn dropped(character: &Character, by: f64, substeps: u32) -> World {
    let start =
        RagdollStart::at_rest(&character.skeleton).moved(DVec3::Y * (0.6 + by), exp(DVec3::new(0.2, 0.0, 0.14)));
    let ragdoll = ragdoll::particles(character, &start, &RagdollSettings::default()).expect("it has mass");
    let mut world = World::new(ragdoll.model, Settings { substeps, ..Settings::default() }).expect("a sound model");
    world.obstacles.push(Obstacle::ground(0.0).expect("a height"));
    world
}

/// Seconds until all sleep, the largest energy divided by the initial energy, and the largest relative error of a rigid
/// distance.
fn rest(world: &mut World) -> (f64, f64, f64) {
    let (first, mut greatest, mut bent) = (world.energy(), 0.0_f64, 0.0_f64);
    for step in 1..=600 {
        world.step();
        greatest = greatest.max(world.energy() / first);
        bent = bent.max(world.worst_deformation());
        if (0..world.model().positions.len()).all(|particle| world.is_asleep(particle)) {
            return (f64::from(step) / 60.0, greatest, bent);
        }
    }
    (f64::INFINITY, greatest, bent)
}

/// With the default substeps of scenes; with 32, a quarter to a half stays awake longer. The fall depends on the last
/// digits of the start, so several are released.
#[test]
fn r17_a_ragdoll_that_falls_gains_no_energy_and_sleeps_within_ten_seconds() {
    let substeps = Solver::default().particles.substeps;
    // Tolerances: 5 mm for a thigh; 2 mm for a paw of 30 g and 37 mm.
    let all = [
        ("humanoid", samples::humanoid(), 0.01),
        ("mannequin", samples::mannequin(), 0.01),
        ("quadruped", samples::quadruped(), 0.05),
    ];
    for (name, character, most_bent) in all {
        for micrometres in 0..6 {
            let (seconds, greatest, bent) = rest(&mut dropped(&character, 1e-6 * f64::from(micrometres), substeps));
            println!("{name}, {micrometres} µm: asleep after {seconds} s, greatest energy {greatest}, bent by {bent}");
            assert!(greatest < 1.001, "{name}, {micrometres} µm: {greatest} of the energy it had");
            assert!(bent < most_bent, "{name}, {micrometres} µm: bent by {bent}");
            assert!(seconds < 10.0, "{name}, {micrometres} µm: awake");
        }
    }
}

#[test]
fn friction_of_joints_keeps_momentum_and_takes_energy() {
    let character = samples::mannequin();
    let mut ends = Vec::new();
    for joint_friction in [0.0, 10.0] {
        let settings = RagdollSettings { joint_friction, limits: true, touches_itself: false, ..Default::default() };
        let start = RagdollStart::at_rest(&character.skeleton);
        let ragdoll = ragdoll::particles(&character, &start, &settings).expect("it has mass");
        let hand = ragdoll.bone("l_hand").expect("it has hands");
        let mut world = World::new(ragdoll.model.clone(), Settings { gravity: DVec3::ZERO, ..Settings::default() })
            .expect("a sound model");
        ragdoll.hit(&mut world, hand, DVec3::ZERO, DVec3::new(0.3, 0.1, 1.0)).unwrap();
        world.step();
        let before = (world.momentum(), world.angular_momentum());
        (0..30).for_each(|_| world.step());
        assert!((world.momentum() - before.0).length() < 1e-8, "{}", world.momentum() - before.0);
        assert!((world.angular_momentum() - before.1).length() < 1e-3, "{}", world.angular_momentum() - before.1);
        ends.push(world.energy());
    }
    assert!(ends[1] < 0.9 * ends[0], "{ends:?}");
}

/// Without gravity, ranges and contacts, only friction takes energy from a ragdoll with one limb hit.
#[test]
fn friction_brakes_joints_without_a_range_as_well() {
    let turn_left = |joint_friction: f64| {
        let settings = RagdollSettings { joint_friction, limits: false, touches_itself: false, ..Default::default() };
        let character = samples::quadruped();
        let ragdoll =
            ragdoll::particles(&character, &RagdollStart::at_rest(&character.skeleton), &settings).expect("mass");
        let limb = ragdoll.bodies.len() - 1;
        let mut world = World::new(ragdoll.model.clone(), Settings { gravity: DVec3::ZERO, ..Settings::default() })
            .expect("a sound model");
        ragdoll.hit(&mut world, ragdoll.bodies[limb].bone, DVec3::ZERO, DVec3::new(0.0, 0.0, 0.2)).unwrap();
        world.step();
        let before = world.energy();
        (0..60).for_each(|_| world.step());
        world.energy() / before
    };
    let [free, braked] = [0.0, 4.0].map(turn_left);
    println!("left of the energy: {free} without friction, {braked} with it");
    assert!((free - 1.0).abs() < 0.01, "{free}");
    assert!(braked < 0.9 * free, "{braked} of {free}");
}

/// Static friction: on a slope of 15°, with tan 15° = 0.27 below a friction of 0.6, a lying ragdoll stays. Sleep is
/// disabled here.
#[test]
fn r16_a_ragdoll_on_a_slope_within_its_friction_does_not_creep() {
    let character = samples::mannequin();
    let start = RagdollStart::at_rest(&character.skeleton).moved(DVec3::Y * 0.3, exp(DVec3::new(1.5, 0.0, 0.1)));
    let ragdoll = ragdoll::particles(&character, &start, &RagdollSettings::default()).expect("it has mass");
    let settings = Settings { rest_steps: 0, ..Settings::default() };
    let mut world = World::new(ragdoll.model, settings).expect("a sound model");
    let normal = DVec3::new(libm::sin(15_f64.to_radians()), libm::cos(15_f64.to_radians()), 0.0);
    world.obstacles.push(Obstacle::half_space(DVec3::ZERO, normal).expect("a slope").with_friction(0.6));
    (0..360).for_each(|_| world.step());
    let before = world.center_of_mass();
    (0..180).for_each(|_| world.step());
    let crept = (world.center_of_mass() - before).length();
    println!("{:.2} mm in three seconds", crept * 1e3);
    assert!(crept < 1e-3, "{crept} m in three seconds");
}
