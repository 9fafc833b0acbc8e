//! Tests of free flight, gravity, drag and forces.

use muybridge::glam::DVec3;
use muybridge::particles::{GravityIs, Mode, Settings};

use super::{G, plain, points, steps, with_drag, world};

fn thrown(velocity: DVec3) -> muybridge::particles::Model {
    let mut model = points(&[DVec3::new(0.5, 1.0, -2.0)]);
    model.velocities[0] = velocity;
    model
}

#[test]
fn r1_free_fall_is_the_parabola_after_600_steps() {
    for settings in [plain(), Settings::default()] {
        let velocity = DVec3::new(3.0, 4.0, -1.0);
        let mut world = world(thrown(velocity), Settings { rest_steps: 0, ..settings });
        steps(&mut world, 600);
        let exact = DVec3::new(0.5, 1.0, -2.0) + velocity * 10.0 - DVec3::Y * (0.5 * G * 100.0);
        assert!(world.state.positions[0].distance(exact) <= 1e-9, "{}", world.state.positions[0].distance(exact));
    }
}

#[test]
fn r1_the_usual_start_is_off_by_half_g_t_h() {
    let mut world = world(thrown(DVec3::ZERO), plain());
    world.state.previous[0] = world.state.positions[0];
    steps(&mut world, 600);
    let error = (1.0 - 0.5 * G * 100.0) - world.state.positions[0].y;
    assert!((error - 0.8175).abs() < 1e-9, "{error}");
}

/// Second difference of the displacement, divided by the square of the step.
fn acceleration(settings: Settings) -> f64 {
    let h = settings.time_step;
    let mut world = world(points(&[DVec3::ZERO]), settings);
    let mut heights = vec![0.0];
    for _ in 0..2 {
        world.step();
        heights.push(world.state.positions[0].y);
    }
    (heights[2] - 2.0 * heights[1] + heights[0]) / (h * h)
}

#[test]
fn r2_gravity_per_step_changes_with_the_rate_and_gravity_does_not() {
    let per_step = |rate: f64| Settings {
        gravity: DVec3::Y * -0.01,
        gravity_is: GravityIs::DisplacementPerStep,
        time_step: 1.0 / rate,
        ..plain()
    };
    assert!((acceleration(per_step(60.0)) + 36.0).abs() < 1e-9);
    assert!((acceleration(per_step(120.0)) + 144.0).abs() < 1e-9);
    for rate in [30.0, 60.0, 240.0] {
        let found = acceleration(Settings { time_step: 1.0 / rate, ..Settings::default() });
        assert!((found + G).abs() < 1e-9, "{found}");
    }
}

#[test]
fn j2_drag_has_its_terminal_speed_and_does_not_depend_on_the_rate() {
    let rate = -60.0 * libm::log(0.99);
    let mut falling = world(with_drag(points(&[DVec3::ZERO]), rate), Settings { mode: Mode::Jakobsen, ..plain() });
    steps(&mut falling, 6000);
    let displacement = falling.state.positions[0].y - falling.state.previous[0].y;
    let terminal = -100.0 * G / 3600.0;
    assert!((displacement / terminal - 1.0).abs() < 1e-10, "{displacement} {terminal}");
    for rate in [30.0, 60.0, 240.0] {
        let mut model = with_drag(points(&[DVec3::ZERO]), 0.6);
        model.velocities[0] = DVec3::X;
        let settings = Settings { gravity: DVec3::ZERO, time_step: 1.0 / rate, ..plain() };
        let mut world = world(model, settings);
        steps(&mut world, rate as usize);
        let expected = libm::exp(-0.6);
        assert!((world.velocity(0).x - expected).abs() < 1e-12, "{}", world.velocity(0).x - expected);
    }
}

#[test]
fn j3_forces_act_for_one_step_and_not_on_what_is_pinned() {
    let mut world = world(points(&[DVec3::ZERO, DVec3::X]), Settings { gravity: DVec3::ZERO, ..Settings::default() });
    world.pin(1, DVec3::X).unwrap();
    world.push(0, DVec3::Y * 6.0).unwrap();
    world.push(0, DVec3::Y * 6.0).unwrap();
    world.push(1, DVec3::Y * 1e9).unwrap();
    world.step();
    let gained = world.velocity(0);
    assert!((gained.y - 12.0 / 60.0).abs() < 1e-12, "12 N on 1 kg for a step, {}", gained.y);
    assert_eq!(world.state.forces, [DVec3::ZERO; 2]);
    world.step();
    assert!((world.velocity(0) - gained).length() < 1e-12);
    assert_eq!(world.state.positions[1], DVec3::X);
}

#[test]
fn j4_the_numbers_of_the_exercise() {
    let mut model = points(&[DVec3::X]);
    // By (3.1.1) the previous position becomes (0, 0, 0).
    model.velocities[0] = DVec3::new(1.0, 0.0, 0.5);
    let settings = Settings { gravity: DVec3::Z, time_step: 1.0, ..plain() };
    let mut world = world(model, settings);
    assert_eq!(world.state.previous[0], DVec3::ZERO);
    for (x, z) in [(2.0, 1.0), (3.0, 3.0), (4.0, 6.0), (5.0, 10.0)] {
        world.step();
        assert_eq!(world.state.positions[0], DVec3::new(x, 0.0, z));
    }
}

#[test]
fn steps_of_changing_length_stay_on_the_parabola() {
    let mut world = world(thrown(DVec3::new(1.0, 8.0, 0.0)), Settings { rest_steps: 0, ..Settings::default() });
    let mut time = 0.0;
    for step in 0..600 {
        let seconds = (1.0 + 0.5 * libm::sin(f64::from(step))) / 60.0;
        world.step_by(seconds);
        time += seconds;
    }
    let exact = 1.0 + 8.0 * time - 0.5 * G * time * time;
    assert!((world.state.positions[0].y - exact).abs() < 1e-9);
}

#[test]
fn energy_and_momentum_of_a_flight_are_those_of_the_start() {
    let mut model = thrown(DVec3::new(3.0, 4.0, -1.0));
    model.masses[0] = 2.5;
    let mut world = world(model, Settings { rest_steps: 0, ..Settings::default() });
    let start = 2.5 * (0.5 * 26.0 + G * 1.0);
    assert!((world.energy() - start).abs() < 1e-9);
    steps(&mut world, 120);
    assert!((world.energy() - start).abs() < 1e-9);
    let half_a_substep_ago = 2.0 - 0.5 * world.settings.substep();
    let expected = DVec3::new(3.0, 4.0 - G * half_a_substep_ago, -1.0) * 2.5;
    assert!((world.momentum() - expected).length() < 1e-9);
}
