//! Tests of cloth that a world steps in lanes: momentum, energy, rest, theory, and the same bits at every width.

use super::*;
use crate::collision::MassProperties;
use crate::collision::shape::Shape;
use crate::particles::objects::{Box3, Cloth, Grid, Traits};
use crate::particles::{Core, Model, Placement, RigidBody, Surface, World};
use glam::DQuat;

fn settings(gravity: DVec3) -> Settings {
    Settings { gravity, cloth_substeps: 24, rest_steps: 0, ..Settings::default() }
}

fn traits(friction: f64) -> Traits {
    Traits { friction, drag: 0.0, ..Traits::default() }
}

/// A cloth of 0.5 kg, 1.6 m × 1.6 m, 33 × 33 points, `height` above the origin.
fn sheet(height: f64, velocity: DVec3) -> Cloth {
    let grid = Grid { position: DVec3::Y * height, ..Grid::square(32, 1.6) };
    let (points, triangles) = grid.mesh().expect("a grid");
    let cloth = Cloth::new(points, triangles);
    Cloth { mass: 0.5, mass_by_area: true, thickness: 0.012, velocity, traits: traits(0.5), ..cloth }
}

fn is_in_lanes(world: &World) -> bool {
    world.scratch.in_lanes.iter().any(|&is_in_lanes| is_in_lanes)
}

/// Adds a ball at the origin.
fn ball(model: &mut Model, (mass, radius): (f64, f64), velocity: DVec3, material: Traits) -> RigidBody {
    let properties = MassProperties::of_shape(&Shape::Sphere { radius }, 1.0).with_mass(mass);
    let body = RigidBody::new(&properties).expect("a body");
    let first = body.add_to(model, &Placement { velocity, ..Placement::at(DVec3::ZERO, DQuat::IDENTITY) });
    let core = Core::Ball(body.point(first, DVec3::ZERO));
    model.surfaces.push(Surface { core, radius, object: model.objects.len(), part: 0 });
    material.close(model, first);
    body
}

/// Greatest relative stretch of a stick.
fn stretch(world: &World) -> f64 {
    let sticks = world.model().distances.iter().filter(|distance| distance.is_bilateral());
    sticks.map(|stick| stick.error(&world.state.positions) / stick.most).fold(0.0, f64::max)
}

/// The cloth of [`sheet`] that falls at 3 m/s on a free ball of 2 kg, without gravity.
fn cloth_and_ball(friction: f64, restitution: f64) -> World {
    let mut model = Model::default();
    ball(&mut model, (2.0, 0.3), DVec3::ZERO, Traits { friction, restitution, drag: 0.0, ..Traits::default() });
    sheet(0.5, DVec3::new(0.3, -3.0, 0.1)).add_to(&mut model).expect("a cloth");
    World::new(model, settings(DVec3::ZERO)).expect("a model")
}

#[test]
fn a_cloth_that_hits_a_free_ball_gives_it_momentum_and_loses_none_and_heats_nothing() {
    for (friction, restitution) in [(0.5, 0.0), (0.0, 0.2)] {
        let mut world = cloth_and_ball(friction, restitution);
        let (momentum, mut energy) = (world.momentum(), world.energy());
        let (start, given) = (energy, |world: &World| world.velocity(0).length() * 2.0);
        let turned = world.angular_momentum();
        for step in 0..90 {
            world.step();
            assert!(is_in_lanes(&world), "step {step}");
            let lost = (world.momentum() - momentum).length() / momentum.length();
            assert!(lost < 1e-5, "step {step}: {lost:e}");
            energy = world.energy();
            assert!(energy < start * 1.0001, "step {step}: {energy} of {start} J");
        }
        assert!(given(&world) > 0.5, "the ball moves: {} kg m/s", given(&world));
        assert!(energy < 0.9 * start, "it is a hit: {energy} of {start} J");
        assert!(world.worst_penetration() < 0.01);
        // Contacts act at the vertices of the cloth, a thickness from the ball.
        let turned = (world.angular_momentum() - turned).length();
        assert!(turned < 0.02, "{turned} kg m²/s");
    }
}

#[test]
fn a_cloth_comes_to_rest_on_a_ball_with_little_stretch() {
    let mut model = Model::default();
    let mut cloth = sheet(1.35, DVec3::ZERO);
    cloth.traits.drag = 0.2;
    cloth.add_to(&mut model).expect("a cloth");
    let mut world = World::new(model, settings(DVec3::Y * -9.81)).expect("a model");
    world.obstacles.push(Obstacle::ground(0.0).expect("a height"));
    world.obstacles.push(Obstacle::sphere(DVec3::Y * 0.6, 0.45).expect("a ball"));
    let start = world.energy();
    for step in 0..240 {
        world.step();
        assert!(is_in_lanes(&world), "step {step}");
        assert!(world.energy() < start * 1.0001, "step {step}: {} of {start} J", world.energy());
        assert!(world.worst_penetration() < 0.005, "step {step}: {} m", world.worst_penetration());
    }
    assert!(stretch(&world) < 0.1, "{}", stretch(&world));
    for place in &world.state.positions {
        assert!(place.y > 0.0055 && place.distance(DVec3::Y * 0.6) > 0.4555, "{place}");
    }
    let middle = world.state.positions[16 * 33 + 16];
    assert!(middle.distance(DVec3::Y * 1.056) < 0.01, "its middle stays on top: {middle}");
    assert!((0..33 * 33).all(|particle| world.velocity(particle).length() < 0.5), "it lies");
    // As if all of it moved at a tenth of a meter per second; a corner may still flap.
    let own = |particle: usize| 0.5 * world.model().masses[particle] * world.velocity(particle).length_squared();
    let (kinetic, mass) = ((0..33 * 33).map(own).sum::<f64>(), world.model().masses.iter().sum::<f64>());
    assert!(kinetic < 0.5 * mass * 0.01, "it lies: {kinetic} J");
}

#[test]
fn a_free_cloth_falls_on_a_parabola() {
    let mut model = Model::default();
    let mut cloth = sheet(0.0, DVec3::new(3.0, 4.0, 0.0));
    cloth.traits.drag = 0.0;
    cloth.add_to(&mut model).expect("a cloth");
    let starts = model.positions.clone();
    let mut world = World::new(model, settings(DVec3::Y * -9.81)).expect("a model");
    (0..60).for_each(|_| world.step());
    for (now, start) in world.state.positions.iter().zip(&starts) {
        let exact = *start + DVec3::new(3.0, 4.0 - 0.5 * 9.81, 0.0);
        assert!(now.distance(exact) < 2e-5, "{now} for {exact}");
    }
    // Half a substep ago.
    let speed = world.velocity(5).y - (4.0 - 9.81 * (1.0 - 0.5 / 64.0 / 60.0));
    assert!(speed.abs() < 1e-3, "{speed}");
}

#[test]
fn a_strip_hangs_as_a_catenary() {
    // 2 m of cloth between ends 1.6 m apart: L = 2 a sinh(d/2a), sag = a (cosh(d/2a) − 1).
    let (length, span) = (2.0_f64, 1.6_f64);
    let (mut low, mut high) = (0.1, 10.0);
    for _ in 0..100 {
        let a = 0.5 * (low + high);
        if 2.0 * a * libm::sinh(span / (2.0 * a)) > length { low = a } else { high = a }
    }
    let sag = low * (libm::cosh(span / (2.0 * low)) - 1.0);
    let grid = Grid { cells: [2, 40], size: [0.1, length], ..Grid::square(2, 0.1) };
    let (points, triangles) = grid.mesh().expect("a grid");
    let ends: Vec<usize> = (0..3).chain(120..123).collect();
    let cloth = Cloth {
        pinned: ends.clone(),
        tethers: 0,
        traits: Traits { drag: 2.0, ..traits(0.0) },
        ..Cloth::new(points, triangles)
    };
    let mut model = Model::default();
    cloth.add_to(&mut model).expect("a strip");
    for &end in &ends {
        model.positions[end].z *= span / length;
    }
    let mut world = World::new(model, settings(DVec3::Y * -9.81)).expect("a model");
    (0..1200).for_each(|_| world.step());
    assert!(is_in_lanes(&world));
    let found = -world.state.positions[20 * 3 + 1].y;
    assert!((found - sag).abs() < 0.01 * sag, "{found} m for {sag} m");
    assert!(stretch(&world) < 0.03, "{}", stretch(&world));
}

#[test]
fn near_a_box_a_cloth_takes_the_substeps_of_the_world_and_goes_on_as_before() {
    let mut model = Model::default();
    sheet(0.5, DVec3::ZERO).add_to(&mut model).expect("a cloth");
    let placement = Placement::at(DVec3::Y * 0.2, DQuat::IDENTITY);
    let boxed = Box3 { mass: 5.0, ..Box3::new(DVec3::splat(0.4), placement) }.add_to(&mut model).expect("a box");
    let mut world = World::new(model, settings(DVec3::Y * -9.81)).expect("a model");
    world.obstacles.push(Obstacle::ground(0.0).expect("a height"));
    world.step();
    assert!(is_in_lanes(&world), "far above it");
    let mut speed = world.velocity(0).y;
    for step in 0..40 {
        let was_in_lanes = is_in_lanes(&world);
        world.step();
        let now = world.velocity(0).y;
        if is_in_lanes(&world) != was_in_lanes {
            // A corner still falls freely.
            let gained = now - speed;
            assert!((gained + 9.81 / 60.0).abs() < 0.02, "step {step}: {gained} m/s");
        }
        speed = now;
    }
    assert!(!is_in_lanes(&world), "on the box");
    let lowest = (0..33 * 33)
        .map(|particle| world.state.positions[particle])
        .filter(|place| place.x.abs().max(place.z.abs()) < 0.15);
    assert!(lowest.map(|place| place.y).fold(f64::INFINITY, f64::min) > 0.4, "nothing passes through");
    assert!(boxed.particles.len() == 4);
}

#[test]
fn a_coarse_cloth_takes_the_substeps_that_its_weight_and_speed_ask_for() {
    let taken = |cells: usize, velocity: DVec3, (hit, ground): (bool, f64)| {
        let (points, triangles) = Grid::square(cells, 1.6).mesh().expect("a grid");
        let mut model = Model::default();
        Cloth { velocity, ..Cloth::new(points, triangles) }.add_to(&mut model).expect("a cloth");
        let mut world = World::new(model, settings(DVec3::Y * -9.81)).expect("a model");
        world.obstacles.push(Obstacle::ground(ground).expect("a height"));
        if hit {
            world.state.forces[7] = DVec3::Y;
        }
        world.step();
        assert!(is_in_lanes(&world));
        world.scratch.sheets.list[0].substeps
    };
    let (near, far) = ((false, -0.02), (false, -2.0));
    // ε = 2 g h² n / e = 9 %: h = √(0.09 · 1.6 / (2 · 9.81 · 63²)) = 1/735 s.
    assert_eq!([32, 63, 127].map(|cells| taken(cells, DVec3::ZERO, near)), [8, 13, 24]);
    assert_eq!([32, 63, 127].map(|cells| taken(cells, DVec3::ZERO, far)), [8, 8, 8], "nothing carries its weight");
    // A quarter of a cell of 5 cm in a substep.
    assert_eq!(taken(32, DVec3::X * 10.0, near), 14);
    assert_eq!(taken(32, DVec3::ZERO, (true, -0.02)), 24, "a force may be any");
}

#[test]
fn a_sheet_has_the_same_bits_at_every_width_and_from_a_saved_state() {
    let run = |width: Option<Width>, saves: bool| {
        let mut world = cloth_and_ball(0.5, 0.2);
        world.scratch.sheets.width = width;
        for step in 0..40 {
            world.step();
            if saves && step == 20 {
                let state = world.save();
                world = cloth_and_ball(0.5, 0.2);
                world.restore(state).expect("its own state");
            }
        }
        world.state.positions.iter().map(|place| place.to_array().map(f64::to_bits)).collect::<Vec<_>>()
    };
    let one = run(None, false);
    assert_eq!(run(None, true), one);
    for width in Width::all() {
        assert_eq!(run(Some(width), false), one, "{width}");
    }
}

#[test]
fn a_cloth_on_the_ground_sleeps_and_wakes() {
    let mut model = Model::default();
    sheet(0.5, DVec3::ZERO).add_to(&mut model).expect("a cloth");
    let mut world = World::new(model, Settings { rest_steps: 30, ..settings(DVec3::Y * -9.81) }).expect("a model");
    world.obstacles.push(Obstacle::ground(0.0).expect("a height"));
    (0..240).for_each(|_| world.step());
    assert!(world.is_asleep(0), "flat on the ground");
    let before = world.state.positions.clone();
    (0..10).for_each(|_| world.step());
    assert_eq!(world.state.positions, before);
    world.hit(500, DVec3::Y * 0.0002).expect("a particle");
    world.step();
    assert!(!world.is_asleep(0) && world.state.positions[500].y > before[500].y);
}

#[test]
fn numbers_that_are_none_leave_a_cloth_to_the_world() {
    let mut model = Model::default();
    sheet(0.5, DVec3::ZERO).add_to(&mut model).expect("a cloth");
    let mut world = World::new(model, settings(DVec3::Y * -9.81)).expect("a model");
    world.state.previous[7] = DVec3::NAN;
    (0..3).for_each(|_| world.step());
    assert!(world.state.positions.iter().all(|place| place.is_finite()));
}
