//! Actions in worlds of rigid bodies: free, on joints, in plans (Z7, Z9, Z15, Z16, Z24, Z27).

use super::actuator::{self, Stepping, effort};
use super::controller;
use super::operational_space::OperationalInertia;
use super::*;
use crate::collision::Obstacle;
use crate::math::random::Random;
use crate::math::rotation::{exp, log};
use crate::rigid::model::{Collider, Object, Start};
use crate::rigid::motion::vector;
use crate::rigid::{Body, Joint, Kind, Model, Momentum, Pose, Settings, World, state};
use glam::{DMat3, DQuat, DVec3};

use super::random_bodies::{any_body, any_motion, two_steps};

const H: f64 = 1.0 / 60.0;

/// A free body in a world.
fn single(gravity: DVec3) -> World {
    let model = Model { bodies: vec![Body::new(2.0, DVec3::new(0.1, 0.2, 0.25)).unwrap()], ..Model::default() };
    let settings = Settings { gravity, ..Settings::default() };
    World::new(model, &[Start::at(DVec3::ZERO, DQuat::IDENTITY)], settings).unwrap()
}

/// The world with its one body as a smooth ball of 0.1 m at a given place.
fn as_a_ball(mut world: World, place: DVec3) -> World {
    let smooth = Object { friction: 0.0, restitution: 0.0, drag: 0.0, touches_itself: false, rolling: 0.0 };
    world.model.objects.push(smooth);
    let shape = crate::collision::ObstacleShape::Sphere { radius: 0.1 };
    world.model.solids.push(Collider { body: 0, object: 0, shape, position: DVec3::ZERO, rotation: DQuat::IDENTITY });
    World::new(world.model, &[Start::at(place, DQuat::IDENTITY)], world.settings).unwrap()
}

fn center(body: usize) -> BodyPoint {
    BodyPoint { body, in_body: DVec3::ZERO }
}

fn controller(world: &World, script: Script) -> Controller {
    Controller::new(script, world.model.bodies.len()).unwrap()
}

#[test]
fn z16_halted_a_body_has_no_velocity_and_nothing_waits() {
    let mut world = single(DVec3::ZERO);
    world.state.momenta[0] = Momentum::from_vectors(DVec3::ONE, DVec3::ONE);
    world.push_and_turn(0, DVec3::ONE, DVec3::ONE).unwrap();
    world.halt(0).unwrap();
    assert_eq!(world.state.momenta[0], Momentum::ZERO);
    let before = world.state.poses[0];
    world.step();
    assert_eq!(world.state.poses[0], before, "nothing was waiting");
}

#[test]
fn z7_z9_z15_in_a_world_a_free_body_under_gravity_is_there_after_one_step_and_at_rest_after_two() {
    for substeps in [1, 4, 7] {
        let to = DVec3::new(1.0, 2.0, -1.0);
        let go = |gains| MoveTo { to, journey: None, strength: Response::fixed(gains).into() };
        let mut world = single(DVec3::NEG_Y * 9.81);
        world.settings.substeps = substeps;
        let action = Action::new("go", center(0), go(Gains::one_step())).from(0.0).until(EndCondition::cancelled());
        controller(&world, Script::default().action(action)).step(&mut world);
        assert!((world.state.poses[0].place() - to).length() < 1e-12, "{substeps}");
        let mut world = single(DVec3::NEG_Y * 9.81);
        world.settings.substeps = substeps;
        let action = Action::new("go", center(0), go(two_steps())).from(0.0).until(EndCondition::cancelled());
        let mut controller = controller(&world, Script::default().action(action));
        (0..2).for_each(|_| controller.step(&mut world));
        let now = controller::motion(&world, center(0));
        assert!((now.position - to).length() < 1e-12 && now.velocity.length() < 1e-10, "{substeps}: {now:?}");
        // About a principal axis the free rotation is exact, and so is the torque; about another axis the error is of
        // second order.
        let turn = |to: DQuat| TurnTo { to, journey: None, strength: Response::fixed(two_steps()).into() };
        for (axis, most) in [(DVec3::Y, 1e-12), (DVec3::new(0.6, 0.0, 0.8), 3e-2)] {
            let mut world = single(DVec3::ZERO);
            world.settings.substeps = substeps;
            world.settings.most_turn = 100.0;
            let to = exp(axis * 0.4);
            let action = Action::new("turn", center(0), turn(to)).from(0.0).until(EndCondition::cancelled());
            let mut controller = self::controller(&world, Script::default().action(action));
            (0..2).for_each(|_| controller.step(&mut world));
            let left = log(to * world.state.poses[0].turn().conjugate()).length();
            assert!(left < most, "{substeps} {axis}: {left}");
            (0..30).for_each(|_| controller.step(&mut world));
            let left = log(to * world.state.poses[0].turn().conjugate()).length();
            assert!(left < 1e-9, "{substeps} {axis}: {left}");
        }
    }
}

#[test]
fn z15_in_a_world_no_time_constant_runs_away_and_all_settle() {
    for seconds in [0.0, 1e-4, 0.01, 0.1, 0.5] {
        for (substeps, stands) in [(1, false), (4, false), (4, true)] {
            let mut world = single(DVec3::NEG_Y * 9.81);
            world.settings.substeps = substeps;
            if stands {
                // A body in contact gets the whole impulse of a substep before it moves.
                world.model.obstacles.push(Obstacle::ground(0.0).unwrap());
                world = as_a_ball(world, DVec3::Y * 0.1);
            }
            let to = DVec3::new(0.5, 0.1, -0.2);
            let target =
                Target::Steady(PointMotion { rotation: exp(DVec3::new(0.0, 1.0, 0.0)), ..PointMotion::at(to) });
            let strength = Response::critical(seconds).unwrap().into();
            let action = Action::new("align", center(0), Align { target, journey: None, strength });
            let mut controller =
                controller(&world, Script::default().action(action.from(0.0).until(EndCondition::cancelled())));
            for _ in 0..600 {
                controller.step(&mut world);
                assert!(world.state.poses[0].place().length() < 2.0, "{seconds} {substeps} {stands}");
            }
            let left = (world.state.poses[0].place() - to).length();
            assert!(left < 1e-3, "{seconds} {substeps} {stands}: {left}");
        }
    }
}

#[test]
fn limits_hold_the_force_and_the_torque_and_masked_axes_get_none() {
    let mut world = single(DVec3::ZERO);
    let strength = Strength {
        most_force: 3.0,
        most_torque: 0.5,
        axes: [true, false, true],
        turn_axes: [false, true, false],
        ..Strength::default()
    };
    let target =
        Target::Steady(PointMotion { rotation: exp(DVec3::ONE), ..PointMotion::at(DVec3::new(50.0, 50.0, 0.0)) });
    let action = Action::new("align", center(0), Align { target, journey: None, strength }).from(0.0);
    let mut controller = controller(&world, Script::default().action(action));
    controller.step(&mut world);
    let Effort { force, torque } = controller.efforts()[0];
    assert!((force.length() - 3.0).abs() < 1e-12 && force.y == 0.0, "{force}");
    assert!((torque.length() - 0.5).abs() < 1e-12 && torque.x == 0.0 && torque.z == 0.0, "{torque}");
    // A single masked axis gets its command: ω_y' = ε_y h, whatever the other two axes do.
    let strength = Strength { turn_axes: [false, true, false], ..strength };
    let strength = Strength { most_force: f64::INFINITY, most_torque: f64::INFINITY, ..strength };
    let heading = Heading { rotation: Some(exp(DVec3::new(0.0, 0.3, 0.0))), angular_velocity: DVec3::ZERO };
    let command = Command { heading: Some(heading), strength, ..Command::none() };
    let mut random = Random::new(3);
    let own = PointMotion { position: DVec3::ZERO, ..any_motion(&mut random) };
    let body = any_body(&mut random);
    let torque = effort(&command, (&body, &own), DVec3::ZERO, (Stepping::AngularVelocity, H)).torque;
    let inertia = crate::collision::tensor::from_principal(body.moments, own.rotation);
    let spin = inertia * own.angular_velocity;
    let faster = inertia.inverse() * (torque + spin.cross(own.angular_velocity));
    let asked = actuator::wanted(&command, &own, (Stepping::AngularVelocity, H))[4].unwrap();
    assert!((faster.y - asked).abs() < 1e-10 * asked.abs(), "{} {asked}", faster.y);
}

/// Three rods of a meter in a row along x; the first hangs on the world.
fn arm(kind: &Kind) -> World {
    let across = 1.0 / 12.0;
    let rod = Body::new(1.0, DVec3::new(1e-2, across, across)).unwrap();
    let mut model = Model { bodies: vec![rod; 3], ..Model::default() };
    let bends = [0.3, -0.5, 0.7];
    let (mut at, mut starts) = (DVec3::ZERO, Vec::new());
    for (i, bend) in bends.into_iter().enumerate() {
        let turn = exp(DVec3::Z * bend + DVec3::Y * (0.1 * i as f64));
        starts.push(Start::at(at + turn * (DVec3::X * 0.5), turn));
        let parent = (i > 0).then(|| (i - 1, starts[i - 1].position, starts[i - 1].rotation));
        let axis = DQuat::from_rotation_arc(DVec3::X, DVec3::Z);
        model.joints.push(Joint::between(parent, (i, starts[i].position, turn), (at, axis), kind.clone()));
        at += turn * DVec3::X;
    }
    World::new(model, &starts, Settings { rest_steps: 0, ..Settings::default() }).unwrap()
}

const TIP: BodyPoint = BodyPoint { body: 2, in_body: DVec3::new(0.5, 0.0, 0.0) };

#[test]
fn the_effective_mass_of_a_free_body_is_that_of_theory_and_of_an_arm_what_a_force_does_to_it() {
    let mut world = single(DVec3::NEG_Y * 9.81);
    world.state.momenta[0] = Momentum::from_vectors(DVec3::X, DVec3::new(0.2, 0.3, -0.1));
    let point = BodyPoint { body: 0, in_body: DVec3::new(0.3, 0.1, -0.2) };
    let mobility = OperationalInertia::of_one(&world, point);
    // The inverse mass at the point: 1/m − [r] I⁻¹ [r].
    let cross = crate::math::rotation::cross_matrix(point.in_body);
    let inverse = DMat3::from_diagonal(DVec3::ONE / world.model.bodies[0].moments);
    let linear = DMat3::IDENTITY * 0.5 - cross * inverse * cross;
    for row in 0..3 {
        for column in 0..3 {
            let found = mobility.matrix[row * 6 + column];
            assert!((found - linear.col(column)[row]).abs() < 1e-12, "{row} {column}");
        }
    }
    // A moving arm: a substep with a force at the tip compared with a substep without.
    for kind in [Kind::Ball, Kind::Hinge] {
        let mut world = arm(&kind);
        (0..20).for_each(|_| world.step());
        world.settings = Settings { time_step: 1e-5, substeps: 1, ..world.settings };
        let mobility = OperationalInertia::of_one(&world, TIP);
        let before = controller::motion(&world, TIP);
        let after = |force: DVec3| {
            let mut world = world.clone();
            world.push(2, force, before.position).unwrap();
            world.step();
            controller::motion(&world, TIP)
        };
        let free = after(DVec3::ZERO);
        let load = (free.velocity - before.velocity) / 1e-5;
        let expected = DVec3::new(mobility.load[0], mobility.load[1], mobility.load[2]);
        assert!((load - expected).length() < 2e-3 * expected.length(), "{kind:?} {load} {expected}");
        for (column, force) in DVec3::AXES.into_iter().enumerate() {
            let faster = (after(force).velocity - free.velocity) / 1e-5;
            let expected = DVec3::from_array([0, 1, 2].map(|row: usize| mobility.matrix[row * 6 + column]));
            assert!((faster - expected).length() < 1e-3, "{kind:?} {column}: {faster} {expected}");
        }
    }
}

#[test]
fn z24_an_arm_reaches_three_goals_in_turn_by_every_method() {
    let goals = [DVec3::new(1.5, 1.0, 0.4), DVec3::new(0.6, -1.2, -0.5), DVec3::new(-1.0, 1.4, 0.3)];
    let methods = [
        crate::rigid::Method::Multipliers,
        crate::rigid::Method::Displacement(crate::rigid::displacement::Settings::tight()),
        crate::rigid::Method::Hennix(crate::rigid::multipliers::Feedback { stiffness: 14_400.0, damping: 240.0 }),
    ];
    for method in methods {
        let mut world = arm(&Kind::Ball);
        world.settings.method = method;
        let mut script = Script::default();
        for (index, to) in goals.into_iter().enumerate() {
            // The path leads around the shoulder, not through it.
            let around = [Path::Line, Path::Line, Path::CatmullRom(vec![DVec3::new(1.6, 0.3, 0.6)])];
            let ease =
                Journey { ease: Ease::Quintic, ..Journey::along(around[index].clone(), 1.0 + 0.5 * index as f64) };
            let behavior = MoveTo { to, journey: Some(ease), strength: Strength::default() };
            script = script.action(Action::new(&format!("goal {index}"), TIP, behavior));
        }
        let mut controller =
            controller(&world, script.plan("reach", sequence([act("goal 0"), act("goal 1"), act("goal 2")])));
        let mut reached = Vec::new();
        for _ in 0..600 {
            let there = controller::motion(&world, TIP).position;
            let ended = controller.state.log.len();
            controller.step(&mut world);
            for entry in &controller.log()[ended..] {
                if entry.kind == "action" && !entry.began {
                    assert_eq!(entry.why, "arrived");
                    reached.push(there);
                }
            }
        }
        assert_eq!(reached.len(), 3, "{method:?}: {:?}", controller.log());
        for (there, goal) in reached.iter().zip(goals) {
            assert!((*there - goal).length() <= 0.01, "{method:?}: {there} {goal}");
        }
    }
}

#[test]
fn two_hands_of_one_mechanism_each_get_what_they_ask_for() {
    // A bar held at both ends: its weight is compensated once, not twice.
    let across = 4.0 / 12.0;
    let bar = Body::new(3.0, DVec3::new(1e-2, across, across)).unwrap();
    let model = Model { bodies: vec![bar], ..Model::default() };
    let mut world = World::new(model, &[Start::at(DVec3::ZERO, DQuat::IDENTITY)], Settings::default()).unwrap();
    let ends = [DVec3::X, DVec3::NEG_X];
    let mut script = Script::default();
    for (index, end) in ends.into_iter().enumerate() {
        let strength = Strength { inertia: AssumedInertia::Effective, ..Strength::default() };
        let behavior = MoveTo { to: end + DVec3::Y * 0.5, journey: None, strength };
        let on = BodyPoint { body: 0, in_body: end };
        script =
            script.action(Action::new(&index.to_string(), on, behavior).from(0.0).until(EndCondition::cancelled()));
    }
    let mut controller = controller(&world, script);
    (0..300).for_each(|_| controller.step(&mut world));
    assert!((world.state.poses[0].place() - DVec3::Y * 0.5).length() < 1e-6, "{}", world.state.poses[0].place());
    let lift: f64 = controller.efforts().iter().map(|effort| effort.force.y).sum();
    assert!((lift - 3.0 * 9.81).abs() < 1e-6, "{lift}");
}

#[test]
fn a_braced_arm_keeps_its_posture_and_a_limp_one_falls() {
    for is_braced in [true, false] {
        let mut world = arm(&Kind::Ball);
        let none = move |_: &ActionInput<'_>| Command {
            // No axis is commanded: only the joints act.
            place: Some(PointTarget { position: None, velocity: DVec3::ZERO }),
            strength: Strength {
                axes: [false; 3],
                calm: 0.0,
                is_braced,
                inertia: AssumedInertia::Effective,
                ..Strength::default()
            },
            ..Command::none()
        };
        let action = Action::new("hold", TIP, none).from(0.0).until(EndCondition::cancelled());
        let mut controller = controller(&world, Script::default().action(action));
        let before: Vec<DVec3> = world.state.poses.iter().map(Pose::place).collect();
        (0..60).for_each(|_| controller.step(&mut world));
        let moved = world.state.poses.iter().zip(&before).map(|(pose, at)| pose.place().distance(*at));
        let moved = moved.fold(0.0, f64::max);
        assert!(if is_braced { moved < 1e-6 } else { moved > 0.5 }, "{moved}");
    }
}

/// An action that only damps the internal motion of a mechanism.
fn calmed(world: &World, rate: f64) -> Controller {
    let calm = move |_: &ActionInput<'_>| Command {
        place: Some(PointTarget { position: None, velocity: DVec3::ZERO }),
        strength: Strength { axes: [false; 3], calm: rate, inertia: AssumedInertia::Effective, ..Strength::default() },
        ..Command::none()
    };
    controller(
        world,
        Script::default().action(Action::new("calm", TIP, calm).from(0.0).until(EndCondition::cancelled())),
    )
}

#[test]
fn calm_takes_the_energy_of_what_hangs_at_twice_its_rate_and_no_momentum_of_what_is_free() {
    for substeps in [4, 16] {
        let mut world = arm(&Kind::Ball);
        world.settings = Settings { gravity: DVec3::ZERO, substeps, ..world.settings };
        world.hit(2, DVec3::new(0.3, 1.0, -0.5), DVec3::new(1.5, 0.0, 0.0)).unwrap();
        let mut controller = calmed(&world, 1.5);
        let start = state::kinetic_energy(&world.model, &world.state);
        (0..60).for_each(|_| controller.step(&mut world));
        let left = state::kinetic_energy(&world.model, &world.state) / start;
        assert!((left - libm::exp(-3.0)).abs() < 0.02 * libm::exp(-3.0), "{left}");
    }
    let world = arm(&Kind::Ball);
    let mut model = world.model.clone();
    model.joints.remove(0);
    let starts: Vec<Start> = world.state.poses.iter().map(|pose| Start::at(pose.place(), pose.turn())).collect();
    let mut world = World::new(model, &starts, Settings { gravity: DVec3::ZERO, ..world.settings }).unwrap();
    world.hit(2, DVec3::new(0.3, 1.0, -0.5), DVec3::new(1.5, 0.0, 0.0)).unwrap();
    let mut controller = calmed(&world, 20.0);
    let momenta = |world: &World| (state::momentum(&world.state), state::angular_momentum(&world.state, DVec3::ZERO));
    let before = momenta(&world);
    (0..120).for_each(|_| controller.step(&mut world));
    let after = momenta(&world);
    assert!((after.0 - before.0).length() < 1e-12, "{before:?} {after:?}");
    // Lever arms of the forces change while they act, to the order of the step.
    assert!((after.1 - before.1).length() < 2e-3 * before.1.length(), "{before:?} {after:?}");
    // The remaining motion is a rigid rotation: all bodies have the same angular velocity.
    let spins = [0, 1, 2].map(|body| controller::motion(&world, center(body)).angular_velocity);
    assert!(
        spins[0].length() > 0.05 && (spins[1] - spins[0]).length() < 0.02 && (spins[2] - spins[0]).length() < 0.02,
        "{spins:?}"
    );
}

#[test]
fn a_stretched_arm_does_not_burst() {
    let mut world = arm(&Kind::Ball);
    let behavior = MoveTo { to: DVec3::X * 30.0, journey: None, strength: Strength::default() };
    let strength = Strength { most_force: 500.0, ..Strength::default() };
    let behavior = MoveTo { strength, ..behavior };
    let action = Action::new("reach", TIP, behavior).from(0.0).until(EndCondition::cancelled());
    let mut controller = controller(&world, Script::default().action(action));
    for step in 0..300 {
        controller.step(&mut world);
        assert!(controller.efforts()[0].force.length() <= 500.0 + 1e-9);
        let tip = controller::motion(&world, TIP);
        assert!(tip.position.length() < 3.01 && tip.velocity.length() < 60.0, "{step}: {tip:?}");
    }
    let tip = controller::motion(&world, TIP).position;
    assert!(tip.x > 2.9, "it points there: {tip}");
}

/// Actions on a free body that end after given durations.
fn timed(world: &World, times: &[(&str, f64)], plan: PlanStep) -> Controller {
    let mut script = Script::default();
    for &(name, seconds) in times {
        let none = |_: &ActionInput<'_>| Command::none();
        script = script.action(Action::new(name, center(0), none).until(EndCondition::over(seconds)));
    }
    controller(world, script.plan("plan", plan))
}

/// Begins and ends of actions and waits, in frames.
fn frames(controller: &Controller) -> Vec<(i64, String)> {
    let told = controller.log().into_iter().filter(|entry| entry.kind != "plan");
    told.map(|entry| {
        let sign = if entry.began { '+' } else { '-' };
        (libm::round(entry.time / H) as i64, format!("{sign}{}", entry.name))
    })
    .collect()
}

fn begin(name: &str) -> PlanStep {
    PlanStep::Begin(name.into())
}

fn cancel(name: &str) -> PlanStep {
    PlanStep::Cancel(name.into())
}

/// Waits until a subject touches anything.
fn contact_of(name: &str) -> PlanStep {
    PlanStep::Wait(Wait::Contact { of: name.into(), with: String::new() })
}

fn run(world: &mut World, controller: &mut Controller, steps: u32) {
    (0..steps).for_each(|_| controller.step(world));
}

fn told(expected: &[(i64, &str)]) -> Vec<(i64, String)> {
    expected.iter().map(|&(frame, what)| (frame, what.to_owned())).collect()
}

#[test]
fn z27_a_sequence_goes_on_when_the_one_before_ends_and_parallel_waits_for_all() {
    let mut world = single(DVec3::ZERO);
    let times = [("a", 0.1), ("b", 0.2), ("c", 0.3)];
    let steps = sequence([act("a"), together([act("b"), act("c")]), wait(0.1), act("a")]);
    let mut controller = timed(&world, &times, steps);
    run(&mut world, &mut controller, 60);
    let expected = told(&[
        (0, "+a"),
        (6, "-a"),
        (6, "+b"),
        (6, "+c"),
        (18, "-b"),
        (24, "-c"),
        (24, "+0.1 s"),
        (30, "-0.1 s"),
        (30, "+a"),
        (36, "-a"),
    ]);
    assert_eq!(frames(&controller), expected);
    let log = controller.log();
    let ends = log.iter().find(|entry| entry.kind == "plan" && !entry.began).unwrap();
    assert_eq!((libm::round(ends.time / H), ends.why.as_str()), (36.0, "done"));
    assert!(log[1].to_string().contains("action “a” begins: plan plan"), "{}", log[1]);
}

#[test]
fn z27_repeat_does_it_so_many_times_a_race_ends_with_the_first_and_cancel_ends_what_runs() {
    let mut world = single(DVec3::ZERO);
    let mut controller = timed(&world, &[("a", 0.1)], repeat(3, act("a")));
    run(&mut world, &mut controller, 60);
    let rounds = [(0, "+a"), (6, "-a"), (6, "+a"), (12, "-a"), (12, "+a"), (18, "-a")];
    assert_eq!(frames(&controller), told(&rounds));

    let mut world = single(DVec3::ZERO);
    let mut controller = timed(&world, &[("a", 0.1), ("b", 9.0)], race([act("b"), act("a"), wait(5.0)]));
    run(&mut world, &mut controller, 20);
    let expected = [(0, "+b"), (0, "+a"), (0, "+5 s"), (6, "-a"), (6, "-b"), (6, "-5 s")];
    assert_eq!(frames(&controller), told(&expected));
    let why: Vec<String> = controller.log().into_iter().filter(|e| !e.began).map(|e| e.why).collect();
    assert_eq!(why, ["its time is over", "another was done first", "another was done first", "done"]);

    let mut world = single(DVec3::ZERO);
    let steps = sequence([begin("a"), wait(0.2), cancel("a"), repeat(0, wait(0.0))]);
    let mut controller = timed(&world, &[("a", 9.0)], steps);
    run(&mut world, &mut controller, 20);
    let entries = controller.log();
    let ended = entries.iter().find(|entry| entry.name == "a" && !entry.began).unwrap();
    assert_eq!((libm::round(ended.time / H), ended.why.as_str()), (12.0, "cancelled by plan plan"));
    assert!(entries.len() < 64, "what takes no time is repeated once a step: {}", entries.len());
}

#[test]
fn z27_waits_end_with_arrival_contact_nearness_and_conditions() {
    let mut world = single(DVec3::ZERO);
    world.model.obstacles.push(Obstacle::ground(-1.0).unwrap());
    let mut world = as_a_ball(world, DVec3::ZERO);
    let to = |y: f64, seconds: f64| MoveTo {
        to: DVec3::Y * y,
        journey: Some(Journey::straight(seconds)),
        strength: Response::fixed(two_steps()).into(),
    };
    let mut script = Script::default()
        .action(Action::new("up", center(0), to(1.0, 0.5)).until(EndCondition::cancelled()))
        .action(Action::new("down", center(0), to(-2.0, 1.0)).until(EndCondition::cancelled()))
        .condition("late", |world| world.state.steps >= 45);
    for name in ["ball", "also the ball"] {
        script.subjects.insert(name.into(), PlanSubject { bodies: 0..1, point: center(0) });
    }
    let near = Wait::Near { of: "ball".into(), to: "also the ball".into(), within: 0.01 };
    let steps = sequence([
        begin("up"),
        PlanStep::Wait(Wait::Arrival("up".into())),
        wait_until("late"),
        cancel("up"),
        PlanStep::Wait(near),
        begin("down"),
        contact_of("ball"),
        cancel("down"),
    ]);
    let mut controller = controller(&world, script.plan("plan", steps));
    run(&mut world, &mut controller, 200);
    let frames: Vec<i64> = frames(&controller).into_iter().map(|(frame, _)| frame).collect();
    // The body moves straight and evenly for 30 frames and stops in two; then 45; it falls 3 m in 60 frames, and
    // touches after 1.9 m.
    let touch = frames[10];
    assert!((31..=33).contains(&frames[2]) && frames[4] == 45, "{:?}", controller.log());
    assert!((82..=86).contains(&touch), "{:?}", controller.log());
}

#[test]
fn scripts_that_make_no_sense_are_refused_by_name() {
    let action = || Action::new("a", center(0), Stop::default());
    let refuse = |script: Script| Controller::new(script, 1).unwrap_err().to_string();
    let plan = |steps| Script::default().action(action()).plan("p", steps);
    assert!(refuse(plan(act("b"))).contains("plan “p” names “b”, but there is no action of that name"));
    assert!(refuse(plan(cancel("q"))).contains("cancels “q”, but there is no action or plan of that name"));
    assert!(refuse(plan(wait(f64::NAN))).contains("waits for a time in seconds of"));
    assert!(refuse(plan(contact_of("x"))).contains("“x”, but there is no thing of that name"));
    assert!(refuse(plan(wait_until("x"))).contains("there is no condition of that name"));
    let deep = (0..40).fold(act("a"), |inside, _| sequence([inside]));
    assert!(refuse(plan(deep)).contains("is nested 41 levels deep"));
    assert!(refuse(Script::default().action(action()).action(action())).contains("is defined twice"));
    let elsewhere = Action::new("a", center(7), Stop::default());
    assert!(refuse(Script::default().action(elsewhere)).contains("refers to body 7, but the world has 1 bodies"));
}

#[test]
fn saved_in_the_middle_of_a_plan_it_goes_on_bit_for_bit() {
    let make = || {
        let world = arm(&Kind::Ball);
        let go = |to: DVec3| MoveTo { to, journey: Some(Journey::straight(0.5)), strength: Strength::default() };
        let script = Script::default()
            .action(Action::new("a", TIP, go(DVec3::new(1.5, 1.0, 0.4))))
            .action(Action::new("b", TIP, go(DVec3::new(0.6, -1.2, -0.5))));
        let controller = controller(&world, script.plan("p", repeat(0, sequence([act("a"), wait(0.1), act("b")]))));
        (world, controller)
    };
    let (mut world, mut controller) = make();
    run(&mut world, &mut controller, 47);
    let (mut other, mut again) = make();
    (other.state, again.state) = (world.state.clone(), controller.state.clone());
    run(&mut world, &mut controller, 60);
    run(&mut other, &mut again, 60);
    assert_eq!((&world.state, &controller.state), (&other.state, &again.state));
    assert!(vector(world.state.momenta[2].linear).length() > 0.0);
}
