//! Pendulums, chains and free flight against theory.

use glam::{DQuat, DVec3};

use super::*;
use crate::math::random::Random;
use crate::math::rotation::exp;
use crate::rigid::joint::{Joint, Kind, ball};
use crate::rigid::model::Motor;
use crate::rigid::rattle::Passes;
use crate::rigid::{Body, state};

const G: f64 = 9.81;

/// Uniform rod along x.
fn rod(length: f64) -> Body {
    let across = length * length / 12.0;
    Body::new(1.0, DVec3::new(1e-3 * across, across, across)).unwrap()
}

/// Rods of one meter in a row along x, each joined at its start to the one before, the first to the world.
pub(super) fn chain(count: usize, kind: Kind) -> (Model, Vec<Start>) {
    let mut model = Model { bodies: vec![rod(1.0); count], ..Model::default() };
    let starts: Vec<Start> = (0..count).map(|i| Start::at(DVec3::X * (i as f64 + 0.5), DQuat::IDENTITY)).collect();
    // The axis of hinges is z.
    let turn = DQuat::from_xyzw(0.0, -core::f64::consts::FRAC_1_SQRT_2, 0.0, core::f64::consts::FRAC_1_SQRT_2);
    for i in 0..count {
        let parent = (i > 0).then(|| (i - 1, starts[i - 1].position, DQuat::IDENTITY));
        let at = (DVec3::X * i as f64, turn);
        model.joints.push(Joint::between(parent, (i, starts[i].position, DQuat::IDENTITY), at, kind.clone()));
    }
    (model, starts)
}

fn every(substep: f64) -> Settings {
    Settings { time_step: substep, substeps: 1, rest_steps: 0, most_turn: 10.0, ..Settings::default() }
}

pub(super) fn energy(world: &World) -> f64 {
    state::kinetic_energy(&world.model, &world.state)
        + state::potential_energy(&world.model, &world.state, world.settings.gravity)
}

pub(super) fn gap(world: &World) -> f64 {
    let of = |joint: &Joint| {
        let poses = &world.state.poses;
        ball::gap(&joint.sides_at(poses))
    };
    world.model.joints.iter().map(of).fold(0.0, f64::max)
}

#[test]
fn h2_a_free_body_keeps_its_momentum_bitwise_and_falls_by_m_g_t() {
    let model = Model { bodies: vec![rod(1.0)], ..Model::default() };
    let start = Start {
        velocity: DVec3::new(1.0, 2.0, 3.0),
        angular_velocity: DVec3::ONE,
        ..Start::at(DVec3::ZERO, DQuat::IDENTITY)
    };
    let settings = Settings { gravity: DVec3::ZERO, ..Settings::default() };
    let mut world = World::new(model.clone(), &[start], settings).unwrap();
    let before = vector(world.state.momenta[0].linear);
    for _ in 0..1000 {
        world.step();
    }
    assert_eq!(vector(world.state.momenta[0].linear), before);
    let mut world = World::new(model, &[start], Settings::default()).unwrap();
    for _ in 0..60 {
        world.step();
    }
    let expected = before + DVec3::NEG_Y * G;
    assert!((vector(world.state.momenta[0].linear) - expected).length() < 1e-12);
    let fallen = world.state.poses[0].place() - (before - DVec3::Y * (0.5 * G));
    assert!(fallen.length() < 1e-12, "{fallen}");
}

#[test]
fn x15_h5_three_rods_keep_their_energy_and_their_gaps_at_1_400_with_two_passes() {
    let (model, starts) = chain(3, Kind::Ball);
    let settings = Settings { passes: Passes { most: 2, tolerance: 0.0, is_warm: true }, ..every(1.0 / 400.0) };
    let mut world = World::new(model, &starts, settings).unwrap();
    let (start, mut worst, mut open) = (energy(&world), 0.0_f64, 0.0_f64);
    for _ in 0..2000 {
        world.step();
        worst = worst.max((energy(&world) - start).abs());
        open = open.max(gap(&world));
    }
    let end = (energy(&world) - start).abs();
    assert!(worst <= 5e-3 * G && end <= 5e-4 * G && open <= 1e-5, "max {} end {} gap {open}", worst / G, end / G);
}

#[test]
fn h5_gaps_of_the_chain_by_default_and_offline() {
    for (passes, h, most) in [(3, 1.0 / 240.0, 1e-5), (8, 1.0 / 400.0, 1e-10)] {
        let (model, starts) = chain(3, Kind::Hinge);
        let settings = Settings { passes: Passes { most: passes, tolerance: 0.0, is_warm: true }, ..every(h) };
        let mut world = World::new(model, &starts, settings).unwrap();
        let mut open = 0.0_f64;
        while world.state.steps as f64 * h < 5.0 {
            world.step();
            open = open.max(gap(&world));
        }
        assert!(open <= most, "{passes} passes: {open}");
    }
}

/// Period of a pendulum released at an angle, from its passages of the lowest point.
fn period(body: Body, arm: f64, degrees: f64) -> f64 {
    let turn = exp(DVec3::Z * (degrees.to_radians() - core::f64::consts::FRAC_PI_2));
    let position = turn * (DVec3::X * arm);
    let mut model = Model { bodies: vec![body], ..Model::default() };
    model.joints.push(Joint::between(None, (0, position, turn), (DVec3::ZERO, DQuat::IDENTITY), Kind::Ball));
    let h = 1.0 / 1000.0;
    let mut world = World::new(model, &[Start::at(position, turn)], every(h)).unwrap();
    let (mut last, mut crossings) = (position.x, Vec::new());
    while crossings.len() < 9 {
        world.step();
        let x = world.state.poses[0].place().x;
        if (x > 0.0) != (last > 0.0) {
            crossings.push((world.state.steps as f64 - 1.0 + last / (last - x)) * h);
        }
        last = x;
    }
    (crossings[8] - crossings[0]) / 4.0
}

#[test]
fn x1_simple_pendulums_of_a_metre_have_the_periods_of_theory() {
    let ball = Body::new(1.0, DVec3::splat(1e-9)).unwrap();
    for (degrees, expected) in [(1.0, 2.006_066_7 * 1.000_019), (45.0, 2.086_255_9), (90.0, 2.367_841_9)] {
        let found = period(ball, 1.0, degrees);
        assert!((found - expected).abs() < 2e-5, "{degrees}° {found} {expected}");
    }
}

#[test]
fn x2_a_rod_about_its_end_swings_in_1_6379466_seconds() {
    let found = period(rod(1.0), 0.5, 1.0);
    assert!((found - 1.637_946_6 * 1.000_019).abs() < 1e-5, "{found}");
}

#[test]
fn x3_a_conical_pendulum_goes_round_in_1_8668554_seconds() {
    let ball = Body::new(1.0, DVec3::splat(1e-9)).unwrap();
    let angle = 30.0_f64.to_radians();
    let position = DVec3::new(libm::sin(angle), -libm::cos(angle), 0.0);
    let rate = core::f64::consts::TAU / 1.866_855_4;
    let mut model = Model { bodies: vec![ball], ..Model::default() };
    let turn = DQuat::IDENTITY;
    model.joints.push(Joint::between(None, (0, position, turn), (DVec3::ZERO, turn), Kind::Ball));
    let spin = DVec3::Y * rate;
    let start = Start { velocity: spin.cross(position), angular_velocity: spin, ..Start::at(position, turn) };
    let h = 1.866_855_4 / 2000.0;
    let mut world = World::new(model, &[start], every(h)).unwrap();
    for _ in 0..2000 {
        world.step();
    }
    assert!((world.state.poses[0].place() - position).length() < 1e-4, "{}", world.state.poses[0].place());
}

#[test]
fn x6_a_free_chain_with_motors_keeps_momentum_and_angular_momentum() {
    let (mut model, starts) = chain(6, Kind::Ball);
    model.joints.remove(0);
    for joint in 0..model.joints.len() {
        let target = DVec3::new(0.3, 0.5, -0.4);
        model.motors.push(Motor { target, frequency: 2.0, damping_ratio: 0.5, ..Motor::idle(joint) });
    }
    let settings = Settings { gravity: DVec3::ZERO, rest_steps: 0, ..Settings::default() };
    let starts: Vec<Start> =
        starts.iter().map(|start| Start { velocity: DVec3::new(0.1, 0.0, 0.2), ..*start }).collect();
    let mut world = World::new(model, &starts, settings).unwrap();
    world.hit(0, DVec3::new(0.0, 1.0, 2.0), DVec3::ZERO).unwrap();
    let before = (state::momentum(&world.state), state::angular_momentum(&world.state, DVec3::ZERO));
    for _ in 0..600 {
        world.step();
    }
    let after = (state::momentum(&world.state), state::angular_momentum(&world.state, DVec3::ZERO));
    assert!((after.0 - before.0).length() < 1e-12);
    assert!((after.1 - before.1).length() < 1e-9 * before.1.length(), "{} {}", after.1, before.1);
    assert!(state::kinetic_energy(&world.model, &world.state) > 0.01);
}

#[test]
fn x13_rattle_is_of_second_order() {
    let at = |steps: usize| {
        let (model, starts) = chain(2, Kind::Ball);
        let settings =
            Settings { passes: Passes { most: 12, tolerance: 1e-14, is_warm: true }, ..every(0.5 / steps as f64) };
        let mut world = World::new(model, &starts, settings).unwrap();
        for _ in 0..steps {
            world.step();
        }
        world.state.poses[1].place()
    };
    let exact = at(4096);
    let order = libm::log2((at(64) - exact).length() / (at(128) - exact).length());
    assert!((order - 2.0).abs() < 0.1, "{order}");
}

#[test]
fn a_closed_loop_of_four_bars_stays_closed_and_keeps_its_energy() {
    let (mut model, starts) = chain(3, Kind::Hinge);
    // Up, along, down: a square with the ground as its fourth side.
    let quarter = exp(DVec3::Z * core::f64::consts::FRAC_PI_2);
    let places = [
        (DVec3::new(0.0, 0.5, 0.0), quarter),
        (DVec3::new(0.5, 1.0, 0.0), DQuat::IDENTITY),
        (DVec3::new(1.0, 0.5, 0.0), quarter.conjugate()),
    ];
    let axis = DQuat::from_xyzw(0.0, -core::f64::consts::FRAC_1_SQRT_2, 0.0, core::f64::consts::FRAC_1_SQRT_2);
    let corners = [DVec3::ZERO, DVec3::Y, DVec3::new(1.0, 1.0, 0.0), DVec3::X];
    model.joints.clear();
    for (i, &corner) in corners.iter().enumerate() {
        let body = |i: usize| (i, places[i].0, places[i].1);
        let joint = match i {
            3 => Joint::between(None, body(2), (corner, axis), Kind::Hinge),
            0 => Joint::between(None, body(0), (corner, axis), Kind::Hinge),
            _ => Joint::between(Some(body(i - 1)), body(i), (corner, axis), Kind::Hinge),
        };
        model.joints.push(joint);
    }
    let starts: Vec<Start> = starts.iter().zip(&places).map(|(_, place)| Start::at(place.0, place.1)).collect();
    let mut world = World::new(model, &starts, every(1.0 / 240.0)).unwrap();
    assert_eq!(world.forest().closing.len(), 1);
    world.hit(1, DVec3::X * 0.5, places[1].0).unwrap();
    let start = energy(&world);
    // Energies T = ½ (2 m l²/3 + m l²) φ'², V = 2 m g l cos φ: φ'² = φ'(0)² + 12/5 g/l (1 − cos φ), and 0.5 N s make
    // φ'(0) = 0.3 rad/s.
    let rate = |angle: f64| libm::sqrt(0.09 + 2.4 * G * (1.0 - libm::cos(angle)));
    let panels = 20_000;
    let width = core::f64::consts::PI / f64::from(panels);
    let to_bottom: f64 = (0..panels).map(|panel| width / rate((f64::from(panel) + 0.5) * width)).sum();
    let (mut open, mut tilt, mut apart, mut reached) = (0.0_f64, 0.0_f64, 0.0_f64, None);
    let mut last = 0.0;
    for step in 0..240 * 5 {
        world.step();
        open = open.max(gap(&world));
        let [crank, coupler, rocker] = [0, 1, 2].map(|body| world.state.poses[body]);
        tilt = tilt.max((coupler.turn() * DVec3::X - DVec3::X).length());
        apart = apart.max((rocker.place() - crank.place() - DVec3::X).length());
        let x = crank.place().x;
        if reached.is_none() && crank.place().y < 0.0 && x <= 0.0 {
            reached = Some((f64::from(step) + last / (last - x)) / 240.0);
        }
        last = x;
    }
    assert!(open < 1e-5, "{open}");
    assert!((energy(&world) - start).abs() < 4e-3 * G, "{} {start}", energy(&world));
    // The linkage stays a parallelogram, even with its bars in a row, and falls as one.
    assert!(tilt < 1e-3 && apart < 1e-3, "{tilt} {apart}");
    let reached = reached.expect("it falls");
    assert!((reached - to_bottom).abs() < 2e-3, "{reached} {to_bottom}");
}

#[test]
fn x14_a_closed_loop_that_sleeps_is_left_alone_while_others_move() {
    // A bar on two hinges with the ground between them: a loop. A body falls beside it.
    let (mut model, starts) = chain(2, Kind::Hinge);
    model.joints.truncate(1);
    let bar = (0, DVec3::ZERO, DQuat::IDENTITY);
    let hinge = |x: f64| Joint::between(None, bar, (DVec3::X * x, DQuat::IDENTITY), Kind::Hinge);
    model.joints = vec![hinge(-0.4), hinge(0.4)];
    let starts = vec![Start::at(DVec3::ZERO, DQuat::IDENTITY), Start { position: DVec3::Y * 9.0, ..starts[1] }];
    let mut world = World::new(model, &starts, Settings { rest_steps: 5, ..Settings::default() }).unwrap();
    assert_eq!(world.forest().closing.len(), 1);
    for step in 0..30 {
        world.step();
        let asleep = world.state.asleep[world.forest().tree[0]].is_some();
        assert!(step < 10 || asleep, "step {step}");
        let of = world.state.momenta[0];
        assert!(of.is_finite() && (!asleep || vector(of.linear) == DVec3::ZERO), "step {step}: {of:?}");
    }
    assert!(world.state.poses[0].place().length() < 1e-6);
    let fallen = 9.0 - world.state.poses[1].place().y;
    assert!((fallen - 0.5 * 9.81 * 0.25).abs() < 0.05, "{fallen}");
}

#[test]
fn a_chain_of_ten_whose_last_weighs_a_thousand_times_the_first_has_no_gap() {
    let (mut model, starts) = chain(10, Kind::Ball);
    model.bodies[9] = Body::new(1000.0, model.bodies[9].moments * 1000.0).unwrap();
    let mut world = World::new(model, &starts, Settings { rest_steps: 0, ..Settings::default() }).unwrap();
    let mut open = 0.0_f64;
    for _ in 0..300 {
        world.step();
        open = open.max(gap(&world));
    }
    assert!(open <= 1e-4, "{open}");
}

#[test]
fn saved_and_restored_it_goes_on_bit_for_bit() {
    let (model, starts) = chain(5, Kind::Ball);
    let mut world = World::new(model, &starts, Settings::default()).unwrap();
    for _ in 0..30 {
        world.step();
    }
    let mut other = World::new(world.model.clone(), &starts, world.settings).unwrap();
    other.state = world.state.clone();
    let mut random = Random::new(3);
    for _ in 0..30 {
        let force = random.vector() * 5.0;
        for world in [&mut world, &mut other] {
            world.push(4, force, DVec3::ZERO).unwrap();
            world.step();
        }
    }
    for (a, b) in world.state.poses.iter().zip(&other.state.poses) {
        assert_eq!((a.place(), a.turn()), (b.place(), b.turn()));
    }
}
