//! Acceptance rows Z7 to Z16 for a box of four particles; the controller commands it like a rigid body.
//!
//! Positions match the rows at any number of substeps. Rotations about a principal axis match to third order in the
//! rotation of a step: forces that do not rotate with the body lose a 22nd of its square (from rest: half the variance
//! of the angle, 2 φ²/45). About other axes the order is the second, as in a world of rigid bodies, because a constant
//! torque rotates an asymmetric body on a curved path. The next steps remove the error.

use super::rigid_proxy::{Likeness, ProxySource};
use super::*;
use crate::collision::{MassProperties, Obstacle, shape::Shape};
use crate::math::random::Random;
use crate::math::rotation::{exp, log};
use crate::particles::{self, Core, Placement, RigidBody, Surface};
use crate::rigid::model::Start;
use crate::rigid::{self, Body, Model};
use glam::{DQuat, DVec3};

use super::random_bodies::{any_motion, turning, two_steps};

const H: f64 = 1.0 / 60.0;
const SUBSTEPS: [u32; 3] = [1, 4, 16];

/// A box of two kilograms made of particles, with its controller.
struct Soft {
    particles: particles::World,
    likeness: Likeness,
    controller: Controller,
}

fn soft(at: &PointMotion, gravity: DVec3, substeps: u32, script: Script) -> Soft {
    let shape = Shape::Box { half_extents: DVec3::new(0.1, 0.2, 0.35) };
    let properties = MassProperties::of_shape(&shape, 1.0).with_mass(2.0);
    let body = RigidBody::new(&properties).unwrap();
    let (rigid_body, frame) = Body::of(&properties).unwrap();
    let mut model = particles::Model::default();
    let rotation = at.rotation * frame.axes.conjugate();
    let placement =
        Placement { position: at.position, rotation, velocity: at.velocity, angular_velocity: at.angular_velocity };
    body.add_to(&mut model, &placement);
    model.objects.push(particles::Object::smooth(0..4));
    let settings = particles::Settings {
        time_step: H,
        gravity,
        substeps,
        iterations: 30,
        tolerance: 0.0,
        ..particles::Settings::default()
    };
    model.surfaces.push(Surface { core: Core::Ball(body.point(0, DVec3::ZERO)), radius: 0.1, object: 0, part: 0 });
    let particles = particles::World::new(model, settings).unwrap();
    let bodies = Model { bodies: vec![rigid_body], ..Model::default() };
    let start = Start::at(at.position, at.rotation);
    let world = rigid::World::new(bodies, &[start], rigid::Settings::default()).unwrap();
    let likeness = Likeness::new(world, vec![ProxySource::Body { first: 0, body, frame }], &particles);
    let controller = Controller::new(script, 1).unwrap();
    Soft { particles, likeness, controller }
}

impl Soft {
    /// A box with a behavior on a point from the start.
    fn with(
        at: &PointMotion,
        (gravity, substeps): (DVec3, u32),
        in_body: DVec3,
        behavior: impl Behavior + 'static,
    ) -> Self {
        let on = BodyPoint { body: 0, in_body };
        let action = Action::new("it", on, behavior).from(0.0).until(EndCondition::cancelled());
        soft(at, gravity, substeps, Script::default().action(action))
    }

    fn step(&mut self) {
        self.likeness.act(&mut self.controller, &mut self.particles);
        self.particles.step();
        self.likeness.sense_contacts(&mut self.controller, &self.particles);
        self.likeness.sense(&self.particles);
    }

    fn of(&self, in_body: DVec3) -> PointMotion {
        controller::motion(&self.likeness.world, BodyPoint { body: 0, in_body })
    }

    fn motion(&self) -> PointMotion {
        self.of(DVec3::ZERO)
    }

    /// Angle between the box and the wanted rotation, radians.
    fn left(&self, rotation: DQuat) -> f64 {
        log(rotation * self.motion().rotation.conjugate()).length()
    }
}

fn fixed(gains: Gains) -> Strength {
    Response::fixed(gains).into()
}

const EARTH: DVec3 = DVec3::new(0.0, -9.81, 0.0);

/// The motion slowed down so that the rotation of a substep is below half a turn.
fn any_start(random: &mut Random) -> PointMotion {
    let at = any_motion(random);
    PointMotion { angular_velocity: at.angular_velocity.clamp_length_max(2.0), ..at }
}

#[test]
fn z7_z8_a_place_fixed_or_moving_is_reached_in_exactly_one_step() {
    let mut random = Random::new(7);
    for (round, substeps) in (0..24).zip(SUBSTEPS.into_iter().cycle()) {
        let start = any_start(&mut random);
        let (to, velocity) = (random.vector() * 4.0, random.vector() * 5.0);
        let strength = fixed(Gains::one_step());
        let moves = round % 2 == 1;
        let target = Target::moving(to, if moves { velocity } else { DVec3::ZERO });
        let how = (EARTH, substeps);
        let mut soft = match moves {
            true => {
                let chase = Chase { target, seconds: None, most_acceleration: None, strength };
                Soft::with(&start, how, DVec3::ZERO, chase)
            }
            false => Soft::with(&start, how, DVec3::ZERO, MoveTo { to, journey: None, strength }),
        };
        soft.step();
        let expected = if moves { to + velocity * H } else { to };
        let away = (soft.motion().position - expected).length();
        assert!(away < 1e-12, "{round}, {substeps}: {away}");
    }
}

/// Remaining angle after some steps of a rotation by `angle` from rest, radians.
fn left_of(angle: f64, axis: DVec3, gains: Gains, steps: u32) -> f64 {
    let to = exp(axis * angle);
    let turn = TurnTo { to, journey: None, strength: fixed(gains) };
    let mut soft = Soft::with(&PointMotion::at(DVec3::ZERO), (DVec3::ZERO, 16), DVec3::ZERO, turn);
    (0..steps).for_each(|_| soft.step());
    soft.left(to)
}

#[test]
fn z9_an_orientation_is_reached_in_one_step_but_for_a_power_of_the_turn() {
    let mut random = Random::new(9);
    for round in 0..9 {
        let (axis, power) = match DVec3::AXES.get(round) {
            Some(&axis) => (axis, 3),
            None => (random.vector().normalize(), 2),
        };
        let angles = [0.4_f64, 0.2, 0.1];
        let left = angles.map(|angle| left_of(angle, axis, Gains::one_step(), 1));
        // At half the angle the rest is at most 20 % above the power law.
        let shrinks = 0.8 * f64::from(1 << power);
        assert!(left[0] < 0.25 * angles[0].powi(power), "{axis}: {left:?}");
        assert!(left[1] < left[0] / shrinks && left[2] < left[1] / shrinks, "{axis}: {left:?}");
    }
}

#[test]
fn z10_a_steadily_turning_target_is_tracked() {
    for axis in DVec3::AXES {
        for substeps in [4, 16] {
            let at = PointMotion { angular_velocity: axis * 2.0, ..PointMotion::at(DVec3::ZERO) };
            let target = turning(exp(axis * 0.3), axis * 5.0);
            let chase = TurnChase { target, seconds: None, strength: fixed(two_steps()) };
            let mut soft = Soft::with(&at, (DVec3::ZERO, substeps), DVec3::ZERO, chase);
            (0..8).for_each(|_| soft.step());
            for step in 8..120 {
                let left = soft.left(exp(axis * (0.3 + 5.0 * f64::from(step) * H)));
                assert!(left < 1e-9, "{axis}, {substeps} at {step}: {left}");
                soft.step();
            }
        }
    }
}

#[test]
fn z11_both_errors_are_gone_after_two_steps_but_for_a_power_of_the_turn_and_wholly_after_32() {
    let mut random = Random::new(11);
    for round in 0..12 {
        let start = any_start(&mut random);
        let (to, turned) = (random.vector() * 2.0, (exp(random.vector() * 0.5) * start.rotation).normalize());
        let is_at_rest = round % 2 == 0;
        let still = PointMotion { velocity: DVec3::ZERO, angular_velocity: DVec3::ZERO, ..start };
        let target = Target::Steady(PointMotion { rotation: turned, ..PointMotion::at(to) });
        let align = Align { target, journey: None, strength: fixed(two_steps()) };
        let start = if is_at_rest { still } else { start };
        let mut soft = Soft::with(&start, (EARTH, 16), DVec3::ZERO, align);
        let angle = soft.left(turned);
        (0..2).for_each(|_| soft.step());
        assert!((soft.motion().position - to).length() < 1e-9, "{round}");
        let left = soft.left(turned);
        assert!(!is_at_rest || left < 0.25 * angle * angle, "{round}: {left} of {angle}");
        (2..32).for_each(|_| soft.step());
        for _ in 0..5 {
            let (away, left) = ((soft.motion().position - to).length(), soft.left(turned));
            assert!(away < 1e-9 && left < 1e-9, "{round}: {away} {left}");
            soft.step();
        }
    }
    for axis in DVec3::AXES {
        let left = [0.4, 0.2].map(|angle| left_of(angle, axis, two_steps(), 2));
        assert!(left[0] < 0.1 * 0.4_f64.powi(3) && left[1] < left[0] / 6.4, "{axis}: {left:?}");
    }
}

#[test]
fn z12_a_point_off_the_center_lands_on_the_target_and_the_body_does_not_turn() {
    let mut random = Random::new(12);
    for substeps in SUBSTEPS {
        let start = PointMotion { angular_velocity: DVec3::ZERO, ..any_start(&mut random) };
        let (to, point) = (DVec3::new(1.0, 2.0, 3.0), DVec3::new(0.3, -0.2, 0.5));
        let go = MoveTo { to, journey: None, strength: fixed(Gains::one_step()) };
        let mut soft = Soft::with(&start, (EARTH, substeps), point, go);
        soft.step();
        assert!((soft.of(point).position - to).length() < 1e-9 && (soft.motion().position - to).length() > 0.5);
        assert!(soft.left(start.rotation) < 1e-12);
    }
}

#[test]
fn z13_z14_on_a_path_every_step_ends_on_the_point_of_that_step() {
    let inner = vec![DVec3::new(1.0, 2.0, 0.0), DVec3::new(2.0, -1.0, 1.0)];
    let to = DVec3::new(3.0, 0.5, 0.0);
    let ends = (DVec3::ZERO, to);
    for path in [Path::Line, Path::Bezier(inner.clone()), Path::CatmullRom(inner)] {
        for substeps in SUBSTEPS {
            let journey = Some(Journey { ease: Ease::Cubic, ..Journey::along(path.clone(), 0.5) });
            let go = MoveTo { to, journey, strength: fixed(Gains::one_step()) };
            let mut soft = Soft::with(&PointMotion::at(DVec3::ZERO), (EARTH, substeps), DVec3::ZERO, go);
            for step in 1..=30 {
                soft.step();
                let there = path.at(ends, Ease::Cubic.of(f64::from(step) / 30.0));
                let away = (soft.motion().position - there).length();
                assert!(away < 1e-11, "{path:?}, {substeps} at {step}: {away}");
            }
        }
    }
    for (progress, left) in [
        (PathOrigin::FromHere, (|n, all| 1.0 - n / all) as fn(f64, f64) -> f64),
        (PathOrigin::Literal, |n, all| (1..=n as u32).map(|k| 1.0 - f64::from(k) / all).product()),
    ] {
        let journey = Some(Journey { progress, ..Journey::straight(0.5) });
        let go = MoveTo { to, journey, strength: fixed(Gains::one_step()) };
        let mut soft = Soft::with(&PointMotion::at(DVec3::ZERO), (EARTH, 16), DVec3::ZERO, go);
        for step in 1..=30 {
            soft.step();
            let there = to * (1.0 - left(f64::from(step), 30.0));
            assert!((soft.motion().position - there).length() < 1e-11, "{progress:?} at {step}");
        }
    }
}

#[test]
fn z15_a_half_and_three_quarters_stop_in_two_steps_and_one_and_one_is_braked_by_the_substeps() {
    for substeps in SUBSTEPS {
        let mut random = Random::new(15);
        let to = random.vector();
        let go = MoveTo { to, journey: None, strength: fixed(two_steps()) };
        let mut soft = Soft::with(&any_start(&mut random), (EARTH, substeps), DVec3::ZERO, go);
        (0..2).for_each(|_| soft.step());
        let now = soft.motion();
        assert!((now.position - to).length() < 1e-12 && now.velocity.length() < 1e-10, "{substeps}: {now:?}");
        let go = MoveTo { to: DVec3::X, journey: None, strength: fixed(Gains::one_step()) };
        let mut soft = Soft::with(&PointMotion::at(DVec3::ZERO), (DVec3::ZERO, substeps), DVec3::ZERO, go);
        soft.step();
        // The start is half a substep early: x = c ½ a H², v = a H. Each step keeps (n − 1)/(n + 1) of it, all of it
        // for n → ∞.
        let n = f64::from(substeps);
        let mut speed = 2.0 / H / (1.0 + 1.0 / n);
        for step in 0..20 {
            assert!((soft.motion().velocity.length() - speed).abs() < 1e-9, "{substeps} at {step}");
            speed *= (n - 1.0) / (n + 1.0);
            soft.step();
        }
    }
}

#[test]
fn z15_no_time_constant_runs_away_and_an_error_falls_to_what_theory_says() {
    for seconds in [0.0, 1e-4, 0.01, 0.1, 0.5] {
        for substeps in SUBSTEPS {
            let to = DVec3::new(0.5, 0.1, -0.2);
            let response = Response::critical(seconds).unwrap();
            let go = MoveTo { to, journey: None, strength: response.into() };
            let mut soft = Soft::with(&PointMotion::at(DVec3::ZERO), (DVec3::ZERO, substeps), DVec3::ZERO, go);
            // e(k) = (1 + k b) r^k e(0) of a double eigenvalue r = e^(−H/T); b from the first step, 1 − c α = (1 + b)
            // r.
            let r = if seconds > 0.0 { libm::exp(-H / seconds) } else { 0.0 };
            let first = 1.0 - (1.0 + 1.0 / f64::from(substeps)) * response.gains(H).alpha();
            for step in 1..=240 {
                soft.step();
                let k = f64::from(step);
                let left = libm::pow(r, k) + k * (first - r) * libm::pow(r, k - 1.0);
                let expected = if seconds > 0.0 || step > 1 { left } else { first };
                let found = (soft.motion().position - to).length() / to.length();
                assert!((found - expected.abs()).abs() < 1e-9, "{seconds}, {substeps} at {step}: {found} {expected}");
            }
            let turn = TurnTo { to: exp(DVec3::Y), journey: None, strength: response.into() };
            let mut soft = Soft::with(&PointMotion::at(DVec3::ZERO), (EARTH, substeps), DVec3::ZERO, turn);
            (0..240).for_each(|_| soft.step());
            let left = soft.left(exp(DVec3::Y));
            let most = (1.0 + 4.0 / seconds) * libm::exp(-4.0 / seconds) * 1.1;
            assert!(left < 1e-8_f64.max(most), "{seconds}, {substeps}: {left} of {most}");
        }
    }
}

#[test]
fn z16_stop_leaves_no_velocity() {
    let mut random = Random::new(16);
    for substeps in SUBSTEPS {
        let stop = |seconds| Stop { strength: Response::critical(seconds).unwrap().into() };
        let mut soft = Soft::with(&any_start(&mut random), (EARTH, substeps), DVec3::ZERO, stop(0.0));
        soft.step();
        assert!(soft.motion().velocity.length() < 1e-12, "{substeps}");
        // A hundredth of the rotation of a step; the next step removes the rest.
        assert!(soft.motion().angular_velocity.length() < 0.02, "{substeps}: {}", soft.motion().angular_velocity);
        (0..8).for_each(|_| soft.step());
        assert!(soft.motion().angular_velocity.length() < 1e-9, "{substeps}: {}", soft.motion().angular_velocity);
        let start = PointMotion { velocity: DVec3::X, ..PointMotion::at(DVec3::ZERO) };
        let mut soft = Soft::with(&start, (DVec3::ZERO, substeps), DVec3::ZERO, stop(0.5));
        (0..30).for_each(|_| soft.step());
        assert!((soft.motion().velocity.x - libm::exp(-1.0)).abs() < 1e-12, "{substeps}");
    }
}

#[test]
fn limits_hold_the_force_and_the_torque_and_masked_axes_get_none() {
    let strength = Strength {
        most_force: 3.0,
        most_torque: 0.05,
        axes: [true, false, true],
        turn_axes: [false, true, false],
        ..Strength::default()
    };
    let target =
        Target::Steady(PointMotion { rotation: exp(DVec3::ONE), ..PointMotion::at(DVec3::new(50.0, 50.0, 0.0)) });
    let align = Align { target, journey: None, strength };
    let mut soft = Soft::with(&PointMotion::at(DVec3::ZERO), (DVec3::ZERO, 16), DVec3::ZERO, align);
    soft.step();
    let now = soft.motion();
    // v = F H/m, ω = τ H/I.
    assert!((now.velocity - DVec3::X * (3.0 * H / 2.0)).length() < 1e-12, "{}", now.velocity);
    let inertia = 2.0 / 3.0 * (0.1 * 0.1 + 0.35 * 0.35);
    assert!((now.angular_velocity - DVec3::Y * (0.05 * H / inertia)).length() < 1e-8, "{}", now.angular_velocity);
}

#[test]
fn z27_a_plan_waits_for_what_touches() {
    let down = MoveTo { to: DVec3::Y * 0.05, journey: Some(Journey::straight(1.0)), strength: Strength::default() };
    let up = MoveTo { to: DVec3::Y * 0.5, journey: Some(Journey::straight(0.5)), strength: Strength::default() };
    let on = BodyPoint { body: 0, in_body: DVec3::ZERO };
    let touch = PlanStep::Wait(Wait::Contact { of: "box".into(), with: String::new() });
    let knock = [PlanStep::Begin("down".into()), touch, PlanStep::Cancel("down".into()), act("up"), wait(0.1)];
    let mut script = Script::default()
        .action(Action::new("down", on, down))
        .action(Action::new("up", on, up))
        .plan("knock", sequence(knock));
    script.subjects.insert("box".into(), PlanSubject { bodies: 0..1, point: on });
    let mut soft = soft(&PointMotion::at(DVec3::Y * 0.5), EARTH, 16, script);
    soft.particles.obstacles.push(Obstacle::ground(0.0).unwrap());
    let mut highest = 0.0_f64;
    for _ in 0..150 {
        soft.step();
        highest = highest.max(soft.motion().position.y);
    }
    let log = soft.controller.log();
    let ended = |name: &str| log.iter().find(|entry| entry.name.contains(name) && !entry.began).expect(name).time;
    // From 0.5 m to the skin of 0.1 m at 0.45 m/s, with a lag of 0.1 s.
    assert!((ended("down") - 0.4 / 0.45).abs() < 0.2, "{log:#?}");
    // The motion overshoots its end by v T/e, with 0.9 m/s and T = 0.1 s.
    assert!(ended("up") > ended("down") && (0.49..0.535).contains(&highest), "{highest} {log:#?}");
    assert!((ended("knock") - ended("up") - 0.1).abs() < 1e-9, "{log:#?}");
}
