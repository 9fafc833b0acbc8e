//! A run of rigid bodies from its log: bit for bit, or a sentence that says where it is another run.

use muybridge::collision::Obstacle;
use muybridge::glam::{DQuat, DVec3};
use muybridge::math::random::Random;
use muybridge::math::rotation::exp;
use muybridge::ragdoll::{RagdollSettings, RagdollStart, rigid};
use muybridge::rigid::integrator::Integrator;
use muybridge::rigid::joint::Frame;
use muybridge::rigid::log::{Fingerprint, Input, InputError, Log, Recorded, ReplayError};
use muybridge::rigid::model::{self, JointLimit, Motor, Object, Range};
use muybridge::rigid::multipliers::Feedback;
use muybridge::rigid::rattle::Passes;
use muybridge::rigid::{Body, BroadPhase, Method, Model, NarrowPhase, Settings, World, displacement};
use muybridge::samples;

const HENNIX: Method = Method::Hennix(Feedback { stiffness: 1e4, damping: 200.0 });

fn methods() -> [Method; 3] {
    [Method::Multipliers, Method::Displacement(displacement::Settings::default()), HENNIX]
}

/// A humanoid thrown at a ground, and a block beside it.
fn thrown(method: Method) -> World {
    let character = samples::humanoid();
    let turn = exp(DVec3::new(0.4, 1.0, -0.7));
    let start = RagdollStart::at_rest(&character.skeleton).moved(DVec3::Y * 0.6, turn);
    let start = start.thrown(DVec3::new(2.0, 1.0, 0.5), DVec3::new(1.0, -2.0, 3.0));
    let mut ragdoll = rigid(&character, &start, &RagdollSettings::default()).unwrap();
    let block = Obstacle::cuboid(DVec3::new(-1.5, 0.3, 0.0), DQuat::IDENTITY, DVec3::new(0.2, 0.3, 1.0)).unwrap();
    ragdoll.model.obstacles = vec![Obstacle::ground(0.0).unwrap(), block];
    World::new(ragdoll.model, &ragdoll.starts, Settings { method, ..Settings::default() }).unwrap()
}

/// Pushed, hit, its parameters changed, a block dragged through it, for two and a half seconds.
fn played(method: Method) -> Recorded {
    let mut recorded = Recorded::new(thrown(method), 30);
    for step in 0..150 {
        let body = step % 14;
        let place = recorded.world().state.poses[body].place();
        let settings = recorded.world().settings;
        let object = Object { friction: 0.2, drag: 0.3, ..recorded.world().model.objects[0] };
        let motor = Motor { frequency: 3.0, target: DVec3::X * 0.4, ..recorded.world().model.motors[2] };
        let done = match step {
            10..40 if step % 7 == 0 => recorded.push(body, DVec3::new(0.0, 30.0, 7.1), place + DVec3::X * 0.1),
            45 => recorded.hit(0, DVec3::new(20.0, 40.0, -3.0), place),
            50 => recorded.act(Input::Settings(Settings { gravity: DVec3::new(0.7, -5.3, 0.1), ..settings })),
            60 => recorded.act(Input::Object { object: 0, is: object }),
            70 => recorded.act(Input::Motor { motor: 2, is: motor }),
            80..130 => {
                let position = DVec3::new(-1.5 + 0.05 * (step - 79) as f64, 0.3, 0.0);
                let rotation = DQuat::from_rotation_y(0.01 * (step - 79) as f64);
                recorded.act(Input::Drag { obstacle: 1, position, rotation, seconds: settings.time_step })
            }
            130 => recorded.act(Input::Settings(Settings { time_step: 1.0 / 90.0, substeps: 3, ..settings })),
            140 => recorded.push_and_turn(3, DVec3::Y * 100.0, DVec3::Z * 5.0),
            _ => Ok(()),
        };
        done.unwrap();
        recorded.step();
    }
    recorded
}

#[test]
fn h22_a_run_is_reproduced_bit_for_bit_from_its_log() {
    for method in methods() {
        let recorded = played(method);
        let log = recorded.log();
        assert_eq!((log.marks.len(), log.last_step()), (5, 150));
        let read: Log = log.to_string().parse().unwrap();
        assert_eq!(read, log);
        // The settings are in the log: those of the world it begins with do not matter.
        let again = read.replay(thrown(Method::Multipliers)).unwrap();
        assert_eq!(again.state, recorded.world().state, "{method:?}");
        assert_eq!(Fingerprint::of_model(&again), Fingerprint::of_model(recorded.world()));
        assert_eq!(again.settings, recorded.world().settings);
        assert!(again.state.poses.iter().all(|pose| pose.is_finite()));
    }
}

#[test]
fn h22_the_replay_says_after_which_steps_it_differs() {
    let recorded = played(Method::Multipliers);
    let text = recorded.log().to_string();
    let line = text.lines().find(|line| line.starts_with("45 hit")).unwrap();
    let other: Log = text.replace(line, &line.replace(" 20.0 ", " 20.000001 ")).parse().unwrap();
    let error = other.replay(thrown(Method::Multipliers)).unwrap_err();
    assert_eq!(error, ReplayError::Differs { step: 60, agreed: 30 });
    assert_eq!(error.to_string(), "the replay differs after 60 steps; after 30 it did not yet");
    let log = recorded.log();
    let mut heavier = thrown(Method::Multipliers);
    heavier.model.bodies[3].mass *= 1.0 + f64::EPSILON;
    let error = log.replay(heavier).unwrap_err().to_string();
    assert!(error.contains("another model"), "{error}");
    let mut stepped = thrown(Method::Multipliers);
    stepped.push(2, DVec3::X, DVec3::ZERO);
    let error = log.replay(stepped).unwrap_err().to_string();
    assert!(error.contains("another state"), "{error}");
}

#[test]
fn h22_a_log_taken_in_the_middle_of_a_run_begins_there() {
    let mut world = thrown(Method::Multipliers);
    (0..40).for_each(|_| world.step());
    let start = world.clone();
    let mut recorded = Recorded::new(world, 7);
    recorded.hit(2, DVec3::X * 30.0, DVec3::Y).unwrap();
    (0..20).for_each(|_| recorded.step());
    recorded.push(1, DVec3::X, DVec3::ZERO).unwrap();
    assert_eq!(recorded.log().replay(start).unwrap().state, recorded.into_world().state);
}

/// One box on the ground that can be replayed at once.
fn small() -> World {
    let model = Model {
        bodies: vec![Body::new(2.0, DVec3::ONE).unwrap(); 2],
        objects: vec![Object::default()],
        obstacles: vec![Obstacle::ground(0.0).unwrap()],
        ..Model::default()
    };
    let mut model = model;
    let joint = muybridge::rigid::Joint {
        parent: Some(0),
        child: 1,
        frames: [Frame::at(DVec3::X), Frame::at(-DVec3::X)],
        kind: muybridge::rigid::Kind::Ball,
        compliance: 0.0,
    };
    model.joints.push(joint);
    model.ranges.push(Range { joint: 0, bounds: JointLimit::SwingTwist { swing: [1.0, 2.0], twist: [-1.0, 1.0] } });
    model.motors.push(Motor { drag: 1.0, ..Motor::idle(0) });
    let start = |x: f64| model::Start::at(DVec3::X * x, DQuat::IDENTITY);
    World::new(model, &[start(0.0), start(2.0)], Settings::default()).unwrap()
}

/// Every kind of input, with no number as it is by default.
fn every_input(random: &mut Random) -> Vec<Input> {
    let v = |random: &mut Random| random.vector() * 1e3_f64.powf(random.signed());
    let settings = Settings {
        time_step: 1.0 / 77.0,
        gravity: v(random),
        broad_phase: BroadPhase::SortAndSweep,
        narrow_phase: NarrowPhase::PointsAndEdges,
        substeps: 3,
        most_turn: 0.21,
        passes: Passes { most: 5, tolerance: 3e-10, is_warm: false },
        iterations: 17,
        tolerance: 3e-6,
        slop: 2.1e-3,
        recovery: 0.13,
        fastest_recovery: 1.7,
        bounce: 0.4,
        rest_speed: 0.07,
        rest_steps: 12,
        method: HENNIX,
        integrator: Integrator::Composition4,
    };
    let how = displacement::Settings {
        method: displacement::Displacement::Skeleton,
        gap: 2e-4,
        angle: 2e-3,
        passes: 7,
        velocities: displacement::Velocities::LeftAlone,
        directions: displacement::Directions::AtEnd,
    };
    let motor = Motor {
        joint: 0,
        target: v(random),
        rate: DVec3::new(0.1, -0.2, 1.0 / 3.0),
        frequency: 2.5,
        damping_ratio: 0.3,
        most: f64::INFINITY,
        friction: 0.1,
        drag: 0.2,
    };
    let start = model::Start {
        position: v(random),
        rotation: random.rotation(),
        velocity: v(random),
        angular_velocity: v(random),
    };
    let (position, rotation) = (v(random), random.rotation());
    let range = |bounds: JointLimit| Input::Range { range: 0, is: Range { joint: 0, bounds } };
    vec![
        Input::Settings(settings),
        Input::Settings(Settings { method: Method::Displacement(how), ..settings }),
        Input::Push { body: 1, force: v(random), at: v(random) },
        Input::PushAndTurn { body: 1, force: v(random), moment: v(random) },
        Input::Hit { body: 1, impulse: v(random), at: v(random) },
        Input::Wake { body: 1 },
        Input::Place { body: 1, start },
        Input::Body { body: 1, is: Body { mass: 2.3, moments: DVec3::new(0.4, 0.5, 0.6) } },
        Input::Anchor { joint: 0, side: 1, frame: Frame { position, rotation } },
        range(JointLimit::SwingTwist { swing: [0.3, 0.4], twist: [-0.2, 0.5] }),
        range(JointLimit::Hinge([-0.3, 0.2])),
        range(JointLimit::Slider([-0.1, 0.7])),
        range(JointLimit::Distance([0.1, 0.2])),
        Input::Motor { motor: 0, is: motor },
        Input::Object {
            object: 0,
            is: Object { friction: 0.7, restitution: 0.2, drag: 0.1, touches_itself: false, rolling: 0.01 },
        },
        Input::Drag { obstacle: 0, position, rotation, seconds: 0.3 },
        Input::Obstacle {
            obstacle: 0,
            position,
            rotation,
            velocity: v(random),
            spin: v(random),
            friction: 0.2,
            restitution: 0.3,
        },
    ]
}

#[test]
fn h22_every_kind_of_input_reads_back_as_it_was_written() {
    for seed in 0..20 {
        let mut random = Random::new(seed);
        let mut recorded = Recorded::new(small(), 2);
        for input in every_input(&mut random) {
            recorded.act(input).unwrap();
            recorded.step();
        }
        let log = recorded.log();
        let text = log.to_string();
        assert_eq!(text.parse::<Log>().as_ref(), Ok(&log));
        assert_eq!(text.parse::<Log>().unwrap().to_string(), text);
        assert_eq!(log.replay(small()).unwrap().state, recorded.world().state);
    }
}

#[test]
fn h22_what_cannot_be_done_is_refused_and_changes_nothing() {
    let mut recorded = Recorded::new(small(), 0);
    let before = recorded.log();
    let settings = recorded.world().settings;
    let cases = [
        (recorded.push(7, DVec3::X, DVec3::ZERO), "there is no body 7; there are 2"),
        (recorded.hit(0, DVec3::NAN, DVec3::ZERO), "a push or its place cannot be NaN"),
        (recorded.act(Input::Settings(Settings { time_step: 0.0, ..settings })), "time_step cannot be 0"),
        (recorded.act(Input::Motor { motor: 0, is: Motor::idle(3) }), "motor 0 speaks of joint 3, but there are 1"),
        (
            recorded.act(Input::Range { range: 0, is: Range { joint: 0, bounds: JointLimit::Hinge([1.0, 0.0]) } }),
            "range 0: least cannot be 1",
        ),
        (
            recorded.act(Input::Body { body: 0, is: Body { mass: -1.0, moments: DVec3::ONE } }),
            "body 0: the mass is -1 kg; it must be a positive number",
        ),
    ];
    for (done, expected) in cases {
        assert_eq!(done.unwrap_err().to_string(), expected);
    }
    assert_eq!(recorded.log(), before);
    let nothing = Input::Wake { body: 9 }.apply(&mut small()).unwrap_err();
    assert_eq!(nothing, InputError::NoSuch { what: "body", index: 9, count: 2 });
}

#[test]
fn h22_a_log_that_is_wrong_names_the_line_and_what_is_expected_there() {
    let head = "muybridge rigid log 1\nmodel 0\nstart 0\n";
    let cases = [
        ("", "line 1: expected muybridge rigid log 1, found the end of the log"),
        ("something else", "line 1: expected “muybridge rigid log 1”, found “something else”"),
        ("muybridge rigid log 1\nmodel xyz", "line 2: expected sixteen hexadecimal digits, found “xyz”"),
        ("muybridge rigid log 1\n# why\nmodel 0", "line 4: expected start, found the end of the log"),
        (&format!("{head}3 wake bodi 1"), "line 4: expected “body”, found “bodi”"),
        (&format!("{head}3 wake body one"), "line 4: expected a whole number for body, found “one”"),
        (&format!("{head}3 wake body"), "line 4: expected a whole number for body, found the end of the line"),
        (&format!("{head}3 wake body 1 2"), "line 4: expected the end of the line, found “2”"),
        (&format!("{head}\n3 wake body 1\n2 wake body 1"), "line 6: expected a step not before 3, found 2"),
        (
            &format!("{head}3 end 0\n4 wake body 1"),
            "line 5: expected nothing after the end at step 3, found “4 wake body 1”",
        ),
        (&format!("{head}0 push body 1 force 1 2 x"), "line 4: expected a number for force, found “x”"),
    ];
    for (text, expected) in cases {
        assert_eq!(text.parse::<Log>().unwrap_err().to_string(), expected);
    }
    let unknown = format!("{head}3 jump 1").parse::<Log>().unwrap_err().to_string();
    assert!(unknown.starts_with("line 4: expected mark, end, settings, push, ") && unknown.ends_with("found “jump”"));
}

#[test]
fn h22_a_log_that_is_cut_or_changed_anywhere_never_panics() {
    let mut random = Random::new(77);
    let mut recorded = Recorded::new(small(), 3);
    for input in every_input(&mut random) {
        recorded.act(input).unwrap();
        recorded.step();
    }
    let whole = recorded.log().to_string();
    let words = ["", "-1", "NaN", "1e999", "-0.0", "x", "99999999999999999999", "settings", "0", "“", "true", "1e-320"];
    let (mut read, mut done_again) = (0, 0);
    for _ in 0..400 {
        let mut lines: Vec<String> = whole.lines().map(String::from).collect();
        let any = |random: &mut Random, count: usize| (random.unit() * count as f64) as usize;
        let line = any(&mut random, lines.len());
        match any(&mut random, 5) {
            0 => drop(lines.remove(line)),
            1 => lines.truncate(line),
            2 => {
                let cut = any(&mut random, lines[line].len());
                lines[line].truncate(cut);
                lines.truncate(line + 1);
            }
            3 => lines.insert(any(&mut random, whole.lines().count()), whole.lines().nth(line).unwrap().into()),
            _ => {
                let mut parts: Vec<&str> = whole.lines().nth(line).unwrap().split(' ').collect();
                let part = any(&mut random, parts.len());
                parts[part] = words[any(&mut random, words.len())];
                lines[line] = parts.join(" ");
            }
        }
        let text = lines.join("\n");
        match text.parse::<Log>() {
            Ok(log) => {
                read += 1;
                assert!(log.last_step() <= 17);
                done_again += usize::from(log.replay(small()).is_ok());
            }
            Err(error) => assert!(error.line >= 1 && error.line <= lines.len() + 1, "{error}\n{text}"),
        }
    }
    // A log that was cut is good up to there; one that was changed is another run.
    assert!(read > 100 && done_again > 50 && done_again < read, "{read} {done_again}");
}
