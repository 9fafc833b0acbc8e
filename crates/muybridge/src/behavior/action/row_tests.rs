//! Acceptance rows Z7 to Z16 for one body, moved by Ziauddin's integrator and by the splitting.

use std::sync::Arc;

use super::actuator::{Stepping, effort};
use super::*;
use crate::math::random::Random;
use crate::math::rotation::{exp, log};
use crate::rigid::integrator::{Integrator, Moving, Stepper, Wrench};
use crate::rigid::{Body, Momentum, Pose};
use glam::DVec3;

use super::random_bodies::{any_body, any_motion, turning, two_steps};

const H: f64 = 1.0 / 60.0;

fn strength(gains: Gains) -> Strength {
    Strength { carries: false, ..Response::fixed(gains).into() }
}

/// A free body moved by an integrator.
struct Free {
    body: Body,
    pose: Pose<f64>,
    momentum: Momentum<f64>,
    start: PointMotion,
    step: u32,
    in_body: DVec3,
    /// Observed motion as a function of time.
    seen: fn(f64) -> PointMotion,
}

impl Free {
    fn new(body: Body, at: PointMotion) -> Self {
        let pose = Pose::new(at.position, at.rotation);
        let momentum = Momentum::of(&body, at.rotation, at.velocity, at.angular_velocity);
        Self { body, pose, momentum, start: at, step: 0, in_body: DVec3::ZERO, seen: |_| PointMotion::at(DVec3::ZERO) }
    }

    fn motion(&self) -> PointMotion {
        PointMotion::of(&self.body, &self.pose, &self.momentum, self.in_body)
    }

    fn step(&mut self, integrator: Integrator, behavior: &dyn Behavior) {
        let time = f64::from(self.step) * H;
        let (body, in_body, start, seen) = (self.body, self.in_body, self.start, [(self.seen)(time)]);
        let stepping = match integrator {
            Integrator::Ziauddin => Stepping::AngularVelocity,
            _ => Stepping::Momentum,
        };
        let mut once = None;
        let act = |poses: &[Pose<f64>], momenta: &[Momentum<f64>], wrenches: &mut [Wrench]| {
            // The behavior acts once per step, as in a world.
            let effort = *once.get_or_insert_with(|| {
                let own = PointMotion::of(&body, &poses[0], &momenta[0], in_body);
                let sensed = ActionInput { time, elapsed: time, step: H, own, start, seen: &seen };
                effort(&behavior.command(&sensed), (&body, &own), DVec3::ZERO, (stepping, H))
            });
            wrenches[0] = wrenches[0].plus(Momentum::from_vectors(effort.force, effort.torque));
        };
        let bodies = [self.body];
        let (mut poses, mut momenta) = ([self.pose], [self.momentum]);
        let mut moving = Moving { bodies: &bodies, poses: &mut poses, momenta: &mut momenta };
        Stepper::default().step(integrator, &mut moving, H, act);
        (self.pose, self.momentum, self.step) = (poses[0], momenta[0], self.step + 1);
    }
}

const BOTH: [Integrator; 2] = [Integrator::Ziauddin, Integrator::Splitting];

#[test]
fn z7_a_fixed_target_is_reached_in_exactly_one_step() {
    let mut random = Random::new(7);
    for _ in 0..20 {
        for integrator in BOTH {
            let mut free = Free::new(any_body(&mut random), any_motion(&mut random));
            let to = random.vector() * 4.0;
            let behavior = MoveTo { to, journey: None, strength: strength(Gains::one_step()) };
            free.step(integrator, &behavior);
            assert!((free.motion().position - to).length() < 1e-12);
        }
    }
}

#[test]
fn z8_a_target_of_constant_velocity_is_met_in_one_step() {
    let mut random = Random::new(8);
    for _ in 0..20 {
        for integrator in BOTH {
            let mut free = Free::new(any_body(&mut random), any_motion(&mut random));
            let (from, velocity) = (random.vector() * 4.0, random.vector() * 5.0);
            let target = Target::moving(from, velocity);
            let strength = strength(Gains::one_step());
            free.step(integrator, &Chase { target, seconds: None, most_acceleration: None, strength });
            assert!((free.motion().position - (from + velocity * H)).length() < 1e-12);
        }
    }
}

#[test]
fn z9_an_orientation_is_reached_in_exactly_one_step_whatever_axis_inertia_and_spin() {
    let mut random = Random::new(9);
    for _ in 0..50 {
        let mut free = Free::new(any_body(&mut random), any_motion(&mut random));
        let to = exp(random.vector() * 1.7);
        free.step(Integrator::Ziauddin, &TurnTo { to, journey: None, strength: strength(Gains::one_step()) });
        let left = log(to * free.motion().rotation.conjugate()).length();
        assert!(left < 1e-12, "{left}");
    }
}

#[test]
fn z10_a_steadily_turning_target_is_tracked() {
    let mut random = Random::new(10);
    for _ in 0..10 {
        let body = any_body(&mut random);
        let axis = random.vector().normalize();
        let at = PointMotion { angular_velocity: axis * 2.0, ..PointMotion::at(DVec3::ZERO) };
        let target = turning(exp(axis * 0.8), axis * 5.0);
        let behavior = TurnChase { target, seconds: None, strength: strength(two_steps()) };
        let mut free = Free::new(body, at);
        (0..4).for_each(|_| free.step(Integrator::Ziauddin, &behavior));
        for step in 4..200 {
            let wanted = exp(axis * (0.8 + 5.0 * f64::from(step) * H));
            let left = log(wanted * free.motion().rotation.conjugate()).length();
            assert!(left < 1e-9, "{step}: {left}");
            free.step(Integrator::Ziauddin, &behavior);
        }
    }
}

#[test]
fn z11_both_errors_are_gone_after_two_steps_from_rest_and_after_32_from_anything() {
    let mut random = Random::new(11);
    for round in 0..40 {
        let body = any_body(&mut random);
        let start = any_motion(&mut random);
        let (to, turned) = (random.vector() * 2.0, exp(random.vector() * 1.5));
        let is_at_rest = round % 2 == 0;
        let start = if is_at_rest {
            PointMotion { velocity: DVec3::ZERO, angular_velocity: DVec3::ZERO, ..start }
        } else {
            start
        };
        let target = Target::Steady(PointMotion { rotation: turned, ..PointMotion::at(to) });
        let behavior = Align { target, journey: None, strength: strength(two_steps()) };
        let mut free = Free::new(body, start);
        let steps = if is_at_rest { 2 } else { 32 };
        (0..steps).for_each(|_| free.step(Integrator::Ziauddin, &behavior));
        for _ in 0..5 {
            let left = (free.motion().position - to).length();
            let turn = log(turned * free.motion().rotation.conjugate()).length();
            assert!(left < 1e-9 && turn < 1e-9, "{round}: {left} {turn}");
            free.step(Integrator::Ziauddin, &behavior);
        }
    }
    // Start, target and the rotation between them about one axis.
    let axis = DVec3::new(2.0, -1.0, 2.0) / 3.0;
    let start = PointMotion { angular_velocity: axis * 3.0, velocity: DVec3::X, ..PointMotion::at(DVec3::ZERO) };
    let target = PointMotion {
        position: DVec3::Y,
        rotation: exp(axis * 0.5),
        velocity: DVec3::Z * 2.0,
        angular_velocity: axis * -4.0,
    };
    let behavior = Align { target: Target::Steady(target), journey: None, strength: strength(two_steps()) };
    let mut free = Free::new(Body::new(3.0, DVec3::new(1.0, 2.0, 2.5)).unwrap(), start);
    (0..2).for_each(|_| free.step(Integrator::Ziauddin, &behavior));
    let (now, wanted) = (free.motion(), target.after(2.0 * H));
    assert!((now.position - wanted.position).length() < 1e-9);
    assert!(log(wanted.rotation * now.rotation.conjugate()).length() < 1e-9);
}

#[test]
fn z12_a_point_off_the_center_lands_on_the_target_and_the_body_does_not_turn() {
    let mut random = Random::new(12);
    for integrator in BOTH {
        let start = PointMotion { angular_velocity: DVec3::ZERO, ..any_motion(&mut random) };
        let mut free = Free::new(any_body(&mut random), start);
        free.in_body = DVec3::new(0.3, -0.2, 0.5);
        let to = DVec3::new(1.0, 2.0, 3.0);
        free.step(integrator, &MoveTo { to, journey: None, strength: strength(Gains::one_step()) });
        assert!((free.motion().position - to).length() < 1e-9);
        assert!((free.pose.place() - to).length() > 0.5, "the center is elsewhere");
        assert!(log(free.motion().rotation * start.rotation.conjugate()).length() < 1e-12);
    }
}

#[test]
fn z13_on_a_path_every_step_ends_on_the_point_of_that_step() {
    let inner = vec![DVec3::new(1.0, 2.0, 0.0), DVec3::new(2.0, -1.0, 1.0)];
    let circle = |u: f64| DVec3::new(libm::cos(3.0 * u), libm::sin(3.0 * u), u);
    let paths = [
        Path::Line,
        Path::Bezier(inner.clone()),
        Path::CatmullRom(inner),
        Path::Hermite { leaving: DVec3::Y, arriving: DVec3::Z },
        Path::Curve(Arc::new(circle)),
    ];
    let to = DVec3::new(3.0, 0.5, 0.0);
    for path in paths {
        for (ease, by_length) in [(Ease::None, false), (Ease::Cubic, false), (Ease::Quintic, true)] {
            let journey = Journey { ease, by_length, ..Journey::along(path.clone(), 0.5) };
            let behavior = MoveTo { to, journey: Some(journey), strength: strength(Gains::one_step()) };
            let mut free = Free::new(Body::new(2.0, DVec3::ONE).unwrap(), PointMotion::at(DVec3::ZERO));
            for step in 1..=30 {
                free.step(Integrator::Ziauddin, &behavior);
                let share = ease.of(f64::from(step) / 30.0);
                let ends = (DVec3::ZERO, to);
                let u = if by_length { path.by_length(ends, share) } else { share };
                let away = (free.motion().position - path.at(ends, u)).length();
                assert!(away < 1e-12, "{path:?} {ease:?} step {step}: {away}");
            }
        }
    }
}

#[test]
fn z13_a_turn_by_slerp_is_on_the_arc_at_every_step() {
    let to = exp(DVec3::new(0.5, 1.0, -0.7));
    let behavior = TurnTo { to, journey: Some(Journey::straight(0.5)), strength: strength(Gains::one_step()) };
    let mut free = Free::new(Body::new(2.0, DVec3::new(1.0, 2.0, 2.5)).unwrap(), PointMotion::at(DVec3::ZERO));
    for step in 1..=30 {
        free.step(Integrator::Ziauddin, &behavior);
        let wanted = exp(log(to) * (f64::from(step) / 30.0));
        assert!(log(wanted * free.motion().rotation.conjugate()).length() < 1e-12, "{step}");
    }
}

#[test]
fn z14_from_here_the_way_is_even_and_read_literally_what_is_left_is_a_product() {
    let to = DVec3::new(2.0, 1.0, 0.0);
    for (progress, left) in [
        (PathOrigin::FromHere, (|n, all| 1.0 - n / all) as fn(f64, f64) -> f64),
        (PathOrigin::Literal, |n, all| (1..=n as u32).map(|k| 1.0 - f64::from(k) / all).product()),
    ] {
        let journey = Journey { progress, ..Journey::straight(0.5) };
        let behavior = MoveTo { to, journey: Some(journey), strength: strength(Gains::one_step()) };
        let mut free = Free::new(Body::new(2.0, DVec3::ONE).unwrap(), PointMotion::at(DVec3::ZERO));
        for step in 1..=30 {
            free.step(Integrator::Ziauddin, &behavior);
            let expected = to * (1.0 - left(f64::from(step), 30.0));
            let away = (free.motion().position - expected).length();
            assert!(away < 1e-12, "{progress:?} step {step}: {away}");
        }
    }
    // A moving target is reached on a straight line to its current position.
    let target = Target::moving(to, DVec3::Z * 4.0);
    let behavior = Chase { target, seconds: Some(0.5), most_acceleration: None, strength: strength(Gains::one_step()) };
    let mut free = Free::new(Body::new(2.0, DVec3::ONE).unwrap(), PointMotion::at(DVec3::ZERO));
    for step in 1..=30 {
        free.step(Integrator::Ziauddin, &behavior);
        let expected = (to + DVec3::Z * 2.0) * (f64::from(step) / 30.0);
        assert!((free.motion().position - expected).length() < 1e-11, "{step}");
    }
}

#[test]
fn z15_a_half_and_three_quarters_stop_in_two_steps_and_one_and_one_never() {
    let mut random = Random::new(15);
    for integrator in BOTH {
        let mut free = Free::new(any_body(&mut random), any_motion(&mut random));
        let to = random.vector();
        let behavior = MoveTo { to, journey: None, strength: strength(two_steps()) };
        (0..2).for_each(|_| free.step(integrator, &behavior));
        let now = free.motion();
        assert!((now.position - to).length() < 1e-12 && now.velocity.length() < 1e-10, "{}", now.velocity);
        let behavior = MoveTo { to, journey: None, strength: strength(Gains::one_step()) };
        let mut free = Free::new(Body::new(2.0, DVec3::ONE).unwrap(), PointMotion::at(to - DVec3::X));
        free.step(integrator, &behavior);
        let speed = free.motion().velocity.length();
        assert!((speed - 2.0 / H).abs() < 1e-9);
        for _ in 0..100 {
            free.step(integrator, &behavior);
            assert!((free.motion().velocity.length() - speed).abs() < 1e-9 * speed);
        }
    }
}

#[test]
fn z16_stop_leaves_no_velocity_and_nothing_that_waits() {
    let mut random = Random::new(16);
    for integrator in BOTH {
        let mut free = Free::new(any_body(&mut random), any_motion(&mut random));
        let stop = Stop { strength: Strength { carries: false, ..Response::critical(0.0).unwrap().into() } };
        free.step(integrator, &stop);
        let now = free.motion();
        let tolerance = if integrator == Integrator::Ziauddin { 1e-13 } else { 0.05 };
        assert!(now.velocity.length() < 1e-12 && now.angular_velocity.length() < tolerance, "{now:?}");
        // After one time constant 1/e of the velocity is left.
        let start = PointMotion { velocity: DVec3::X, ..PointMotion::at(DVec3::ZERO) };
        let mut free = Free::new(Body::new(2.0, DVec3::ONE).unwrap(), start);
        let stop = Stop { strength: Response::critical(0.5).unwrap().into() };
        (0..30).for_each(|_| free.step(integrator, &stop));
        assert!((free.motion().velocity.x - libm::exp(-1.0)).abs() < 1e-12);
    }
}

#[test]
fn a_bounded_acceleration_meets_what_moves() {
    let target = Target::moving(DVec3::new(5.0, 0.0, 0.0), DVec3::new(0.0, 0.0, 1.0));
    let chase = Chase { target, seconds: None, most_acceleration: Some(4.0), strength: strength(two_steps()) };
    let mut free = Free::new(Body::new(2.0, DVec3::ONE).unwrap(), PointMotion::at(DVec3::ZERO));
    let mut met = None;
    for step in 0..240 {
        let before = free.motion().velocity;
        free.step(Integrator::Ziauddin, &chase);
        let faster = (free.motion().velocity - before).length() / H;
        let there = DVec3::new(5.0, 0.0, f64::from(step + 1) * H);
        let away = (free.motion().position - there).length();
        if met.is_none() {
            assert!(faster <= 4.0 * (1.0 + 1e-6) || away < 0.6, "{step}: {faster} at {away}");
        }
        if away < 0.01 && met.is_none() {
            met = Some(step);
        }
    }
    // At 4 m/s² throughout: 2 ‖Δx/T² + Δv/T‖ = 4 gives T = 1.61 s.
    let t = f64::from(met.unwrap()) * H;
    assert!((t - 1.61).abs() < 0.15, "{t}");
}
