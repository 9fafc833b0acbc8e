//! Built-in scenes: read, written, built, run, saved and continued.

use std::path::Path;

use muybridge::glam::DVec3;
use muybridge::rigid::motion::vector;
use muybridge::simulation::recording::{Drawn, Measures};
use muybridge::simulation::{Scene, World};
use muybridge_files::scene::{built_in, load, located, read, write};

fn scene(name: &str) -> Scene {
    read(built_in::text(name).expect(name).as_bytes()).unwrap_or_else(|error| panic!("{name}{error}"))
}

fn world(scene: Scene) -> World {
    let (assets, _) = load(&scene, Path::new("")).unwrap();
    World::new(scene, &assets).unwrap()
}

/// The bits of the state that changes from step to step.
fn bits(world: &World) -> Vec<u64> {
    let vectors: Vec<DVec3> = match (world.particles(), world.bodies()) {
        (Some(particles), _) => particles.state.positions.iter().chain(&particles.state.previous).copied().collect(),
        (None, Some(bodies)) => {
            let (poses, momenta) = (&bodies.state.poses, &bodies.state.momenta);
            let turned = poses.iter().flat_map(|pose| [pose.place(), pose.turn() * DVec3::X, pose.turn() * DVec3::Y]);
            turned.chain(momenta.iter().flat_map(|own| [vector(own.linear), vector(own.angular)])).collect()
        }
        (None, None) => panic!("a world is of particles or of bodies"),
    };
    vectors.into_iter().flat_map(|v| v.to_array()).map(f64::to_bits).collect()
}

/// Built-in scenes that are small enough to run here.
fn small() -> impl Iterator<Item = &'static str> {
    built_in::SCENES.iter().map(|(name, _)| *name).filter(|name| !["heap", "herd"].contains(name))
}

#[test]
fn r26_every_built_in_scene_is_read_back_the_same() {
    for (name, text) in built_in::SCENES {
        let scene = scene(name);
        assert_eq!(read(write(&scene).as_bytes()).unwrap(), scene, "{name}");
        assert!(!built_in::about(text).is_empty(), "{name} says what it is");
    }
}

#[test]
fn r26_a_pause_changes_nothing_and_a_saved_state_goes_on_with_the_same_bits() {
    for name in small() {
        let mut running = world(scene(name));
        (0..10).for_each(|_| running.step());
        let saved = running.save();
        (0..10).for_each(|_| running.step());
        let mut again = world(scene(name));
        again.restore(saved.clone()).unwrap();
        assert_eq!(again.save(), saved, "{name}: nothing moves while nothing steps");
        (0..10).for_each(|_| again.step());
        assert_eq!(bits(&again), bits(&running), "{name}");
    }
}

#[test]
fn x10_a_scene_has_the_same_bits_twice() {
    for name in small() {
        let run = || {
            let mut world = world(scene(name));
            (0..20).for_each(|_| world.step());
            bits(&world)
        };
        assert_eq!(run(), run(), "{name}");
    }
}

#[test]
fn a_thrown_person_keeps_momentum_and_falls_with_one_g() {
    let mut world = world(scene("throw"));
    let recording = world.record();
    let (first, last) = (recording.measures[1], recording.measures[recording.frames - 1]);
    let spin = first.angular_momentum.length();
    assert!(spin > 1.0, "{spin}");
    let drift = (last.angular_momentum - first.angular_momentum).length() / spin;
    assert!(drift < 1e-3, "{drift}");
    let (mass, seconds) = (70.0, (recording.frames - 2) as f64 * recording.frame_time);
    let fallen = (last.momentum - first.momentum) / (mass * seconds);
    assert!((fallen - DVec3::new(0.0, -9.81, 0.0)).length() < 1e-9, "{fallen}");
    // In lanes of f32: some 1e-7 of the meters from their origin.
    assert!(last.worst_gap < 1e-6 && last.worst_stretch < 1e-5, "{last:?}");
}

#[test]
fn a_clip_plays_until_it_is_released() {
    let scene = scene("clip_into_ragdoll");
    let release = scene.releases[0].time;
    let mut world = world(scene);
    let recording = world.record();
    let (_, character, clip) = &recording.characters[0];
    let jump = muybridge::samples::jump();
    let at = (release / recording.frame_time) as usize;
    for frame in 0..=at {
        for bone in 0..character.skeleton.len() {
            let apart = clip.rotation(bone, frame).angle_between(jump.rotation(bone, frame));
            assert!(apart < 1e-6, "frame {frame}, {}: {apart}", character.skeleton.bones()[bone].name);
        }
    }
    // The velocity is continuous: the hips move on as before.
    let rise = |frame: usize| (clip.translation(0, frame) - clip.translation(0, frame - 1)) * 60.0;
    assert!((rise(at + 1) - rise(at)).length() < 9.81 / 60.0 * 1.5, "{} {}", rise(at), rise(at + 1));
}

#[test]
fn what_is_missing_is_found_in_building_with_its_place() {
    let text = "[[ragdoll]]\nname = \"man\"\n\n[[hit]]\nof = \"man/LeftHnad\"\ntime = 0\nimpulse = [0, 0, 1]\n";
    let scene = read(text.as_bytes()).unwrap();
    let (assets, _) = load(&scene, Path::new("")).unwrap();
    let fault = World::new(scene, &assets).unwrap_err();
    let error = located(text.as_bytes(), &fault).to_string();
    assert!(error.starts_with(":5:6: [hit] of ") && error.contains("did you mean “LeftHand”?"), "{error}");
    let scene = read(b"[[ragdoll]]\nname = \"man\"\ncharacter = \"humanod\"\n").unwrap();
    let fault = load(&scene, Path::new("nowhere")).unwrap_err();
    assert!(fault.to_string().contains("did you mean “humanoid”?"), "{fault}");
}

/// Three boxes that turn about the y axis through their center, without gravity: by a spring, by a drag towards a speed, and by a
/// drag stronger than its greatest moment.
const DRIVEN: &str = r#"
[scene]
gravity = [0.0, 0.0, 0.0]
rate = 60

[[box]]
name = "door"
size = [0.6, 0.1, 0.2]
mass = 3.0

[[joint]]
name = "spring"
kind = "hinge"
of = "door"
at = [0.0, 0.0, 0.0]
axis = [0.0, 1.0, 0.0]
frequency = 1.0
target = [0.0, 0.8, 0.0]

[[box]]
name = "wheel"
position = [2.0, 0.0, 0.0]
size = [0.6, 0.1, 0.6]
mass = 2.0

[[joint]]
name = "engine"
kind = "hinge"
of = "wheel"
at = [2.0, 0.0, 0.0]
axis = [0.0, 1.0, 0.0]
motor_damping = 5.0
motor_speed = [0.0, 3.0, 0.0]

[[box]]
name = "drum"
position = [4.0, 0.0, 0.0]
size = [0.4, 0.4, 0.4]
mass = 6.0

[[joint]]
name = "weak engine"
kind = "hinge"
of = "drum"
at = [4.0, 0.0, 0.0]
axis = [0.0, 1.0, 0.0]
motor_damping = 50.0
motor_speed = [0.0, 100.0, 0.0]
max_torque = 0.3
"#;

#[test]
fn joints_of_a_scene_are_driven_alike_under_every_method() {
    let inertia = 6.0 * (0.4 * 0.4 + 0.4 * 0.4) / 12.0;
    let expected = |t: f64| {
        let wt = std::f64::consts::TAU * t;
        [
            0.8 * (1.0 - (1.0 + wt) * (-wt).exp()),
            3.0 * (t - (1.0 - (-5.0 * t).exp()) / 5.0),
            0.5 * 0.3 / inertia * t * t,
        ]
    };
    for method in ["particles", "multipliers", "displacement", "hennix"] {
        let text = format!("{DRIVEN}\n[solver]\nmethod = \"{method}\"\n");
        let mut world = world(read(text.as_bytes()).unwrap());
        for step in 1..=60 {
            world.step();
            let seen = world.snapshot();
            for (name, expected) in ["door", "wheel", "drum"].into_iter().zip(expected(f64::from(step) / 60.0)) {
                let track = seen.tracks.iter().find(|track| track.name == name).unwrap();
                let Drawn::Body { poses, .. } = &track.drawn else { panic!("{name} is a body") };
                let turned = poses[0].1 * DVec3::X;
                let angle = f64::atan2(-turned.z, turned.x);
                assert!((angle - expected).abs() < 0.012, "{method}: {name} at step {step}: {angle} {expected}");
            }
        }
    }
    for (bad, said) in [
        ("kind = \"fixed\"\nfrequency = 1.0", "cannot be driven"),
        ("frequency = 1.0\nmotor_speed = [0.0, 1.0, 0.0]", "cannot be combined with frequency"),
        ("motor_speed = [0.0, 1.0, 0.0]", "needs motor_damping"),
    ] {
        let text = format!("[[box]]\nname = \"b\"\n[[joint]]\nname = \"j\"\nof = \"b\"\nat = [0.0, 0.0, 0.0]\n{bad}\n");
        let told = read(text.as_bytes()).unwrap_err().to_string();
        assert!(told.contains(said), "{told}");
    }
}

#[test]
fn a_relative_pull_counts_from_where_the_thing_begins() {
    for method in ["particles", "multipliers", "displacement", "hennix"] {
        let text = format!(
            "[scene]\nseconds = 1.0\n[solver]\nmethod = \"{method}\"\n[[ball]]\nname = \"it\"\nposition = [2.0, 1.0, 0.0]\n\
             [[pull]]\nof = \"it\"\nrelative = true\npath = [[0.0, 0.0, 0.0, 0.0], [1.0, 0.5, 1.0, 0.0], [2.0, 0.5, 1.0, 0.0]]\n"
        );
        let mut world = world(read(text.as_bytes()).unwrap());
        (0..60).for_each(|_| world.step());
        let seen = world.snapshot();
        let Drawn::Body { poses, .. } = &seen.tracks[0].drawn else { panic!("a body") };
        assert!(poses[0].0.distance(DVec3::new(2.5, 2.0, 0.0)) < 0.01, "{method}: {}", poses[0].0);
    }
}

#[test]
fn ragdolls_that_begin_inside_one_another_come_apart_with_few_substeps() {
    // Without gravity, half a meter apart: limbs overlap by up to 15 cm.
    let scene = |substeps: u32| {
        let text = format!(
            "[scene]\ngravity = [0.0, 0.0, 0.0]\n[solver.particles]\nsubsteps = {substeps}\n[[ragdoll]]\nname = \"faller\"\n\
             character = \"mannequin\"\ngrid = [3, 3, 3]\nspacing = [0.6, 0.9, 0.6]\nrandom_orientation = true\nself_collision = false\n"
        );
        read(text.as_bytes()).unwrap()
    };
    for substeps in [2, 4, 8] {
        let mut world = world(scene(substeps));
        let deepest = |world: &World| world.particles().unwrap().worst_penetration();
        world.step();
        let at_first = deepest(&world);
        assert!(at_first > 0.05, "{at_first} m: nothing overlaps");
        for step in 1..150 {
            world.step();
            let particles = world.particles().unwrap();
            let fastest =
                (0..particles.model().masses.len()).map(|p| particles.velocity(p).length()).fold(0.0, f64::max);
            assert!(fastest < 30.0, "{substeps} substeps, step {step}: {fastest} m/s");
            // Joints stay closed, and bodies bent by the overlaps are straight after a second.
            assert!(particles.worst_gap() < 1e-6, "step {step}");
            let bent = particles.worst_deformation();
            assert!(bent < if step < 60 { 1.0 } else { 0.1 }, "{substeps} substeps, step {step}: {bent}");
            // Momentum is lost only at broken bodies: a few centimeters per second of the whole.
            let drift = particles.momentum().length() / world.mass();
            assert!(drift < 0.05, "{substeps} substeps, step {step}: {drift} m/s");
        }
        assert!(deepest(&world) < 0.5 * at_first, "{substeps} substeps: {} of {at_first} m", deepest(&world));
    }
}

#[test]
fn a_herd_measures_its_gaps_limits_and_depth() {
    let measured = |height: f64| {
        let text = format!(
            "[scene]\nseconds = 1.0\nground = 0.0\n[[herd]]\nname = \"h\"\ncharacter = \"mannequin\"\ncount = 2\nspacing = 3.0\n\
             random_orientation = false\nheight = {height}\n"
        );
        world(read(text.as_bytes()).unwrap()).record().measures
    };
    // Starting 10 cm deeper, it penetrates 10 cm deeper.
    let [high, deep] = [-0.1, -0.2].map(|height| measured(height)[0].worst_penetration);
    assert!(high > 0.0 && (deep - high - 0.1).abs() < 1e-6, "{high} {deep}");
    let fallen = measured(0.3);
    assert_eq!(fallen[0].worst_penetration, 0.0);
    let worst = |of: &dyn Fn(&Measures) -> f64| fallen.iter().map(of).fold(0.0, f64::max);
    // Gaps are at most rounding of single precision: joints of a herd are solved directly.
    assert!((1e-12..1e-4).contains(&worst(&|now| now.worst_gap)), "{}", worst(&|now| now.worst_gap));
    assert!((1e-6..0.05).contains(&worst(&|now| now.worst_penetration)), "{}", worst(&|now| now.worst_penetration));
    assert!((1e-6..0.06).contains(&worst(&|now| now.worst_limit)), "{}", worst(&|now| now.worst_limit));
    assert!(fallen.iter().all(|now| now.rms_gap <= now.worst_gap));
    // In flight, without collisions, the angular momentum about the common center of mass is conserved.
    let text = "[scene]\nseconds = 0.5\n[[herd]]\nname = \"h\"\ncharacter = \"mannequin\"\ncount = 4\nspacing = 9.0\nspeed = 3.0\nspin = 4.0\n";
    let flown = world(read(text.as_bytes()).unwrap()).record().measures;
    let first = flown[1].angular_momentum;
    assert!(first.length() > 10.0, "{first}");
    for now in &flown[1..] {
        assert!((now.angular_momentum - first).length() < 1e-4 * first.length(), "{} {first}", now.angular_momentum);
    }
}

#[test]
fn x14_a_flail_whose_pin_lies_in_the_ground_comes_out_by_every_method() {
    // Contacts push against the pin, whose joint takes the whole force; only rounding is left in the equations.
    let text = "[scene]\nrate = 40.0\nground = 0.06\n[[flail]]\nname = \"flail\"\nfrom = [0.036444255835573, -0.5021554898893044, 0.5630706564279278]\n\
                to = [0.6208260669522319, -0.1726430409991236, 11.48898451110374]\nsegments = 4\nradius = 0.0886878608028666\n\
                ball_mass = 0.02017070995661807\nball_radius = 0.4925177148611477\nfriction = 0.65\n";
    let displaced = |how: &str| format!("method = \"displacement\"\nrigid.displacement = \"{how}\"");
    for how in ["method = \"multipliers\"".into(), displaced("block"), displaced("skeleton"), displaced("lamouret")] {
        let solver = format!("[solver]\nframes_before_sleep = 0\nrigid.substeps = 3\n{how}\n");
        let mut world = world(read(format!("{text}{solver}").as_bytes()).unwrap());
        let mut put_back = 0;
        let recording = world.record_steps(120, &mut |world: &mut World| {
            world.step();
            put_back += world.bodies().unwrap().report().put_back;
        });
        assert_eq!(put_back, 0, "{how}");
        // Energy of the whole mass at 2 m/s, the speed limit of depenetration.
        let most = 0.5 * world.mass() * 2.0 * 2.0;
        for (frame, now) in recording.measures.iter().enumerate() {
            assert!(now.kinetic_energy <= most, "{how}: {} J of {most} at frame {frame}", now.kinetic_energy);
        }
        // The pinned end stays with the capsule around it; it penetrates deepest in the end.
        let pinned = 0.06 + 0.502_154_889_889_304_4 + 0.088_687_860_802_866_6;
        let depth = |frame: usize| recording.measures[frame].worst_penetration;
        assert!(
            depth(1) > pinned + 0.03 && (depth(120) - pinned).abs() < 2e-3,
            "{how}: {} of {} m",
            depth(120),
            depth(1)
        );
    }
}
