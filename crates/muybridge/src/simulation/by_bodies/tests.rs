//! Scenes run both as rigid bodies and as particles: starts, inputs and motion agree.

use core::f64::consts::PI;
use std::collections::BTreeMap;

use super::*;
use crate::motion::kinematics::world_of;
use crate::samples;
use crate::simulation::scene::{Ball, Block, Bomb, Capsule, Drag, Flail, Hit, Joint, JointKind, Ragdoll};
use crate::simulation::scene::{Follow, Method, Release, Rope, Stand, Tetrahedron, Waypoint, Wind, slot::PartPath};
use crate::simulation::{Cast, Measures, Recording, World as Any};

mod following;

fn assets() -> Assets {
    let cast = Cast { character: samples::humanoid(), clips: vec![samples::jump()] };
    Assets { characters: BTreeMap::from([("humanoid".into(), cast)]), ..Assets::default() }
}

fn under(method: Method, scene: &Scene) -> Any {
    let mut scene = scene.clone();
    scene.solver.method = method;
    Any::new(scene, &assets()).unwrap()
}

fn recorded(scene: &Scene) -> Recording {
    under(Method::Multipliers, scene).record()
}

fn of_seconds(seconds: f64) -> Scene {
    let mut scene = Scene::default();
    scene.setting.seconds = seconds;
    scene
}

fn weightless(seconds: f64) -> Scene {
    let mut scene = of_seconds(seconds);
    scene.setting.gravity = DVec3::ZERO;
    scene
}

fn energy(measures: &Measures) -> f64 {
    measures.kinetic_energy + measures.potential_energy
}

/// Positions of a thing, or of a bone of a ragdoll, `ragdoll/bone`, in each frame.
fn places(recording: &Recording, name: &str) -> Vec<DVec3> {
    let ragdoll = name.split_once('/').and_then(|(ragdoll, bone)| {
        let (_, character, clip) = recording.characters.iter().find(|(name, ..)| name == ragdoll)?;
        Some((character, clip, character.skeleton.find(bone)?))
    });
    if let Some((character, clip, bone)) = ragdoll {
        return (0..clip.frames()).map(|frame| world_of(&character.skeleton, clip, bone, frame).0).collect();
    }
    let track = recording.tracks.iter().find(|track| track.name == name).unwrap();
    match &track.drawn {
        crate::simulation::Drawn::Body { poses, .. } => poses.iter().map(|(position, _)| *position).collect(),
        crate::simulation::Drawn::Lines { points, .. } => {
            points.iter().map(|points| points[points.len() - 1]).collect()
        }
        crate::simulation::Drawn::Mesh { points, .. } => points.iter().map(|points| points[0]).collect(),
    }
}

fn thrown() -> Scene {
    let mut scene = of_seconds(1.0);
    scene.ragdolls.push(Ragdoll {
        name: "man".into(),
        position: DVec3::Y * 2.0,
        velocity: DVec3::new(2.0, 5.0, 0.5),
        spin: DVec3::new(3.0, 1.0, -2.0),
        ..Ragdoll::default()
    });
    scene
}

#[test]
fn everything_starts_where_it_starts_as_particles_and_weighs_the_same() {
    let mut scene = thrown();
    let mut heap = Ragdoll { name: "heap".into(), grid: [2, 2, 1], random_orientation: true, ..Ragdoll::default() };
    heap.mass = Some(50.0);
    scene.ragdolls.push(heap);
    let spin = DVec3::new(0.3, 2.0, 1.0);
    scene.boxes.push(Block { name: "box".into(), grid: [2, 1, 2], random_orientation: true, spin, ..Block::default() });
    scene.balls.push(Ball { name: "ball".into(), velocity: DVec3::X, spin, ..Ball::default() });
    scene.capsules.push(Capsule { name: "rod".into(), inertia: vec![0.1, 0.02, 0.1], spin, ..Capsule::default() });
    scene.tetrahedra.push(Tetrahedron {
        name: "edge".into(),
        random_orientation: true,
        spin,
        ..Tetrahedron::default()
    });
    let [soft, rigid] = [Method::Particles, Method::Multipliers].map(|method| {
        let mut scene = scene.clone();
        scene.setting.seconds = 1e-3;
        under(method, &scene).record()
    });
    for ((name, character, soft), (other, _, rigid)) in soft.characters.iter().zip(&rigid.characters) {
        assert_eq!(name, other);
        for bone in 0..character.skeleton.len() {
            assert!((soft.translation(bone, 0) - rigid.translation(bone, 0)).length() < 1e-9, "{name}");
            assert!(soft.rotation(bone, 0).angle_between(rigid.rotation(bone, 0)) < 1e-6, "{name}");
        }
    }
    for (soft, rigid) in soft.tracks.iter().zip(&rigid.tracks) {
        assert_eq!(soft.name, rigid.name);
    }
    for name in ["box 1", "box 4", "ball", "rod", "edge"] {
        assert!((places(&soft, name)[0] - places(&rigid, name)[0]).length() < 1e-9, "{name}");
    }
    let [soft, rigid] = [soft.measures[0], rigid.measures[0]];
    // Particles are measured at the middle of the previous substep.
    assert!((soft.potential_energy / rigid.potential_energy - 1.0).abs() < 1e-3);
    let apart = (soft.kinetic_energy - rigid.kinetic_energy).abs();
    assert!(apart < 2e-3 * rigid.kinetic_energy, "{} {}", soft.kinetic_energy, rigid.kinetic_energy);
    assert!((soft.momentum - rigid.momentum).length() < 1e-3 * rigid.momentum.length());
    assert!((soft.angular_momentum - rigid.angular_momentum).length() < 1e-3 * rigid.angular_momentum.length());
}

#[test]
fn a_person_thrown_as_rigid_bodies_keeps_spin_and_joints_and_falls_with_one_g() {
    let recording = recorded(&thrown());
    let (first, last) = (recording.measures[0], recording.measures[recording.frames - 1]);
    let drift = (last.angular_momentum - first.angular_momentum).length() / first.angular_momentum.length();
    // Joints keep angular momentum to rounding; returning to a joint limit without momentum does not.
    assert!(drift < 1e-3, "{drift}");
    let fallen = (last.momentum - first.momentum) / (70.0 * 1.0);
    assert!((fallen + DVec3::Y * 9.81).length() < 1e-9, "{fallen}");
    let worst = recording.measures.iter().fold(0.0_f64, |worst, now| worst.max(now.worst_gap));
    assert!(worst < 1e-5, "{worst}");
}

#[test]
fn a_person_dropped_on_the_ground_lies_there_under_every_method() {
    let mut scene = of_seconds(4.0);
    scene.setting.ground = Some(0.0);
    scene.ragdolls.push(Ragdoll { name: "man".into(), position: DVec3::Y * 0.3, ..Ragdoll::default() });
    for method in [Method::Multipliers, Method::Displacement, Method::Hennix] {
        let recording = under(method, &scene).record();
        let (first, last) = (recording.measures[0], recording.measures[recording.frames - 1]);
        assert!(last.kinetic_energy < 1.0, "{method:?}: {} J", last.kinetic_energy);
        let lost = first.potential_energy - last.potential_energy;
        assert!(lost > 0.5 * first.potential_energy, "{method:?}: {lost} J of {}", first.potential_energy);
        assert!(last.worst_penetration < 0.01 && last.worst_gap < 0.01, "{method:?}: {last:?}");
    }
}

#[test]
fn a_box_on_a_ball_joint_swings_with_the_period_of_a_physical_pendulum() {
    // I = m s²/6 about the middle of a cube of side s, hung by its middle at d above: T = 2π √((s²/6 + d²)/(g d)) for small swings.
    let (side, reach, tilt) = (0.2, 1.0, 0.05_f64);
    let mut scene = of_seconds(8.0);
    let position = DVec3::new(reach * tilt.sin(), -reach * tilt.cos(), 0.0);
    scene.boxes.push(Block { name: "bob".into(), size: DVec3::splat(side), position, ..Block::default() });
    scene.joints.push(Joint { name: "pivot".into(), of: "bob".into(), ..Joint::default() });
    let recording = recorded(&scene);
    let x: Vec<f64> = places(&recording, "bob").iter().map(|place| place.x).collect();
    let crossings: Vec<f64> = (1..x.len())
        .filter(|&k| x[k - 1] > 0.0 && x[k] <= 0.0)
        .map(|k| (k as f64 - x[k] / (x[k] - x[k - 1])) / 60.0)
        .collect();
    let period = (crossings[crossings.len() - 1] - crossings[0]) / (crossings.len() - 1) as f64;
    let expected =
        2.0 * PI * ((side * side / 6.0 + reach * reach) / (9.81 * reach)).sqrt() * (1.0 + tilt * tilt / 16.0);
    assert!((period / expected - 1.0).abs() < 1e-3, "{period} {expected}");
    assert!(recording.measures.iter().all(|measures| measures.worst_gap < 1e-6));
}

#[test]
fn hinges_keep_their_axis_and_their_range_and_what_is_fixed_stays() {
    let mut scene = of_seconds(2.0);
    let arm = |name: &str, x: f64| Block {
        name: name.into(),
        size: DVec3::new(0.5, 0.1, 0.1),
        position: DVec3::X * x,
        ..Block::default()
    };
    scene.boxes.extend([arm("a", 0.25), arm("b", 0.75), arm("c", 1.25)]);
    let joint = |name: &str, kind: JointKind, x: f64, to: &str| Joint {
        name: name.into(),
        kind,
        to: to.into(),
        at: DVec3::X * x,
        axis: DVec3::Z,
        ..Joint::default()
    };
    scene.joints.push(Joint { of: "a".into(), ..joint("wall", JointKind::Hinge, 0.0, "") });
    scene.joints.push(Joint { of: "b".into(), ..joint("weld", JointKind::Fixed, 0.5, "a") });
    scene.joints.push(Joint {
        of: "c".into(),
        angle_limits: [-0.3, 0.2],
        ..joint("elbow", JointKind::Hinge, 1.0, "b")
    });
    let recording = recorded(&scene);
    let (a, b, c) = (places(&recording, "a"), places(&recording, "b"), places(&recording, "c"));
    for frame in 0..recording.frames {
        assert!((a[frame].length() - 0.25).abs() < 1e-6 && (b[frame] - 3.0 * a[frame]).length() < 1e-5);
        assert!(c[frame].z.abs() < 1e-6);
        let measures = &recording.measures[frame];
        assert!(measures.worst_limit < 0.02 && measures.worst_gap < 1e-5, "{measures:?}");
    }
    assert!(a.iter().any(|place| place.y < -0.2), "it falls");
}

#[test]
fn j32_j34_hits_and_bombs_give_the_momentum_that_particles_get() {
    let mut scene = weightless(0.1);
    scene.ragdolls.push(Ragdoll { name: "man".into(), ..Ragdoll::default() });
    scene.balls.push(Ball { name: "ball".into(), position: DVec3::X * 2.0, ..Ball::default() });
    let hit = |of: &str, time: f64| Hit { of: of.into(), time, impulse: DVec3::new(1.0, -2.0, 4.0) };
    scene.hits = vec![hit("man/Head", 0.0), hit("ball", 1.0 / 60.0)];
    let momentum = |method, scene: &Scene| {
        let recording = under(method, scene).record();
        recording.measures[recording.frames - 1].momentum
    };
    let found = momentum(Method::Multipliers, &scene);
    assert!((found - DVec3::new(2.0, -4.0, 8.0)).length() < 1e-9, "{found}");
    scene.hits.clear();
    scene.explosions.push(Bomb { position: DVec3::new(1.0, 0.2, 1.5), ..Bomb::default() });
    let [soft, rigid] = [Method::Particles, Method::Multipliers].map(|method| momentum(method, &scene));
    assert!(rigid.length() > 10.0 && (soft - rigid).length() < 0.05 * rigid.length(), "{soft} {rigid}");
}

#[test]
fn what_has_drag_ends_at_the_velocity_of_the_wind() {
    let mut scene = weightless(4.0);
    scene.balls.push(Ball { name: "leaf".into(), damping: 3.0, ..Ball::default() });
    scene.winds.push(Wind { name: "west".into(), velocity: DVec3::X * 2.0, ..Wind::default() });
    let recording = recorded(&scene);
    let last = recording.measures[recording.frames - 1];
    // Mass 1: v = u (1 − e^(−k t)).
    let expected = 2.0 * (1.0 - libm::exp(-12.0));
    assert!((last.momentum.x - expected).abs() < 0.02, "{}", last.momentum.x);
}

#[test]
fn a_hand_is_led_along_its_path_and_let_go() {
    let mut scene = of_seconds(2.0);
    scene.ragdolls.push(Ragdoll { name: "man".into(), ..Ragdoll::default() });
    let start = {
        let world = under(Method::Multipliers, &scene);
        let (ragdoll, _) = world.rigid_ragdoll("man").unwrap();
        let body = ragdoll.body(ragdoll.bone("LeftHand").unwrap()).unwrap();
        world.bodies().unwrap().state.poses[body].place()
    };
    let way = |time: f64, up: f64| Waypoint { time, place: start + DVec3::Y * up };
    scene.pulls.push(Drag { of: "man/LeftHand".into(), path: vec![way(0.0, 0.0), way(1.0, 0.8)], ..Drag::default() });
    let mut world = under(Method::Multipliers, &scene);
    let mut apart = Vec::new();
    for step in 1..=90 {
        world.step();
        let (ragdoll, _) = world.rigid_ragdoll("man").unwrap();
        let body = ragdoll.body(ragdoll.bone("LeftHand").unwrap()).unwrap();
        let place = world.bodies().unwrap().state.poses[body].place();
        let wanted = start + DVec3::Y * 0.8 * (f64::from(step) / 60.0).min(1.0);
        apart.push(place.distance(wanted));
    }
    let worst = apart[10..60].iter().copied().fold(0.0, f64::max);
    assert!(worst < 0.02, "{worst}");
    assert!(apart[89] > 0.5, "let go it falls: {}", apart[89]);
}

#[test]
fn a_clip_plays_until_it_is_released_and_goes_on_with_its_velocity() {
    let mut scene = of_seconds(0.6);
    scene.ragdolls.push(Ragdoll { name: "man".into(), clip: samples::jump().name, ..Ragdoll::default() });
    scene.releases.push(Release { of: "man".into(), time: 0.4 });
    let recording = recorded(&scene);
    let (_, character, clip) = &recording.characters[0];
    let jump = samples::jump();
    for (frame, bone) in (0..=24).flat_map(|frame| (0..character.skeleton.len()).map(move |bone| (frame, bone))) {
        let wanted = crate::motion::sample::rotation_at(&jump, bone, frame as f64 / 60.0 / jump.frame_time);
        let apart = clip.rotation(bone, frame).angle_between(wanted);
        assert!(apart < 1e-6, "frame {frame}, bone {bone}: {apart}");
    }
    let rise = |frame: usize| (clip.translation(0, frame) - clip.translation(0, frame - 1)) * 60.0;
    assert!((rise(25) - rise(24)).length() < 0.3, "{} {}", rise(24), rise(25));
}

#[test]
fn a_rope_and_a_flail_keep_their_length_and_their_energy() {
    let mut scene = of_seconds(2.0);
    scene.ropes.push(Rope {
        name: "rope".into(),
        to: DVec3::X,
        fixed: vec![crate::simulation::scene::End::Start],
        damping: 0.0,
        ..Rope::default()
    });
    scene.flails.push(Flail {
        name: "flail".into(),
        from: DVec3::Z * 3.0,
        to: DVec3::new(1.5, 0.0, 3.0),
        ..Flail::default()
    });
    let recording = recorded(&scene);
    let first = energy(&recording.measures[0]);
    let scale = recording.measures.iter().map(|measures| measures.kinetic_energy).fold(0.0, f64::max);
    for measures in &recording.measures {
        assert!(measures.worst_gap < 1e-4, "{}", measures.worst_gap);
        assert!((energy(measures) - first).abs() < 0.02 * scale, "{} {first} of {scale}", energy(measures));
    }
    let ends = places(&recording, "rope");
    assert!(ends.iter().all(|end| end.length() < 1.0 + 1e-3));
    assert!(ends.iter().any(|end| end.y < -0.9), "it swings down");
}

#[test]
fn a_rope_between_two_places_closes_a_loop_with_the_world() {
    let mut scene = of_seconds(1.0);
    let both = vec![crate::simulation::scene::End::Start, crate::simulation::scene::End::Finish];
    let to = DVec3::new(0.6, 0.0, 0.0);
    scene.ropes.push(Rope { name: "line".into(), to, segments: 6, fixed: both, damping: 2.0, ..Rope::default() });
    let recording = recorded(&scene);
    for measures in &recording.measures {
        assert!(measures.worst_gap < 1e-4, "{}", measures.worst_gap);
    }
}

#[test]
fn r26_a_saved_state_goes_on_with_the_same_bits_and_another_method_does_not_take_it() {
    let mut scene = thrown();
    scene.setting.ground = Some(0.0);
    let mut running = under(Method::Multipliers, &scene);
    (0..40).for_each(|_| running.step());
    let saved = running.save();
    (0..10).for_each(|_| running.step());
    let mut again = under(Method::Multipliers, &scene);
    again.restore(saved.clone()).unwrap();
    (0..10).for_each(|_| again.step());
    assert_eq!(again.save(), running.save());
    let error = under(Method::Particles, &scene).restore(saved.clone()).unwrap_err();
    assert!(error.to_string().contains("another solver method"), "{error}");
    let error = under(Method::Multipliers, &of_seconds(1.0)).restore(saved).unwrap_err();
    assert!(error.to_string().contains("belongs to another scene"), "{error}");
}

#[test]
fn a_joint_within_one_rigid_body_is_refused() {
    let mut scene = thrown();
    let world = under(Method::Multipliers, &scene);
    let (ragdoll, character) = world.rigid_ragdoll("man").unwrap();
    let rides = |bone: usize| ragdoll.bones.ride(bone).map(|ride| ride.body);
    let bones = character.skeleton.bones();
    let name = |bone: usize| PartPath(format!("man/{}", bones[bone].name));
    let pairs = (0..bones.len()).filter_map(|bone| Some((bone, bones[bone].parent?)));
    let (child, parent) = pairs.into_iter().find(|&(child, parent)| rides(child) == rides(parent)).unwrap();
    let joint = Joint { name: "j".into(), of: name(child), to: name(parent), ..Joint::default() };
    scene.joints.push(joint);
    scene.solver.method = Method::Multipliers;
    let fault = Any::new(scene, &assets()).unwrap_err();
    assert!(fault.to_string().contains("one rigid body"), "{fault}");
}

fn standing(seconds: f64) -> Scene {
    let mut scene = of_seconds(seconds);
    (scene.setting.rate, scene.setting.ground, scene.setting.ground_friction) = (240.0, Some(0.0), 0.8);
    scene.solver.frames_before_sleep = 0;
    scene.ragdolls.push(Ragdoll { name: "man".into(), friction: 0.8, ..Ragdoll::default() });
    scene
}

/// A scene with a person who jumps along a clip.
fn jumping(seconds: f64) -> Scene {
    let mut scene = standing(seconds);
    scene.setting.ground_friction = 0.9;
    scene.solver.method = Method::Multipliers;
    scene.ragdolls[0] = Ragdoll {
        clip: "jump".into(),
        friction: 0.9,
        self_collision: false,
        joint_limits: false,
        hinges: false,
        ..scene.ragdolls[0].clone()
    };
    scene.follows.push(Follow { of: "man".into(), own_feet: true, ..Follow::default() });
    scene
}

/// Final position of the hips of the only ragdoll, meters.
fn end_of(scene: &Scene, method: Method) -> DVec3 {
    let mut scene = scene.clone();
    scene.solver.method = method;
    let recording = Any::new(scene, &assets()).unwrap().record();
    let hips = places(&recording, "man/Hips");
    hips[hips.len() - 1]
}

#[test]
fn r22_a_person_of_a_scene_stands_is_pushed_and_stands_where_a_limp_one_lies() {
    let mut scene = standing(4.0);
    scene.hits.push(Hit { of: "man/Chest".into(), time: 1.5, impulse: DVec3::Z * 40.0 });
    assert!(end_of(&scene, Method::Multipliers).y < 0.4);
    scene.stands.push(Stand { of: "man".into(), ..Stand::default() });
    let hips = end_of(&scene, Method::Multipliers);
    assert!(hips.y > 0.8 && hips.z > 0.05, "{hips}");
}

#[test]
fn r20_a_ragdoll_that_follows_holds_the_pose_it_starts_in_of_bodies_and_of_particles() {
    for method in [Method::Multipliers, Method::Particles] {
        let mut scene = weightless(1.0);
        scene.ragdolls.push(Ragdoll { name: "man".into(), joint_friction: 0.0, ..Ragdoll::default() });
        scene.hits.push(Hit { of: "man/LeftHand".into(), time: 0.0, impulse: DVec3::new(0.0, 0.4, 0.3) });
        let bent = |scene: &Scene| {
            let mut scene = scene.clone();
            scene.solver.method = method;
            let recording = Any::new(scene, &assets()).unwrap().record();
            let at = |name: &str| *places(&recording, name).last().unwrap();
            at("man/LeftHand").distance(at("man/RightHand"))
        };
        let loose = bent(&scene);
        scene.follows.push(Follow { of: "man".into(), ..Follow::default() });
        let held = bent(&scene);
        scene.follows[0].strength = 0.0;
        let limp = bent(&scene);
        scene.hits.clear();
        let still = bent(&scene);
        assert!((held - still).abs() < 0.01 && (loose - still).abs() > 0.05, "{held} {loose} {still}");
        assert!((limp - still).abs() > 0.05, "{limp}");
    }
}

#[test]
fn x14_a_person_cannot_stand_on_particles_nor_follow_a_clip_it_has_not_nor_with_double_strength() {
    let mut scene = standing(1.0);
    scene.stands.push(Stand { of: "man".into(), ..Stand::default() });
    let fault = Any::new(scene.clone(), &assets()).unwrap_err();
    assert!(fault.key == "of" && fault.message.contains("multipliers"), "{fault:?}");
    scene.stands.clear();
    scene.follows.push(Follow { of: "man".into(), clip: "flight".into(), ..Follow::default() });
    let fault = Any::new(scene.clone(), &assets()).unwrap_err();
    assert!(fault.key == "clip" && fault.message.contains("flight"), "{fault:?}");
    scene.follows[0] = Follow { of: "man/Tail".into(), ..Follow::default() };
    assert_eq!(Any::new(scene.clone(), &assets()).unwrap_err().key, "of");
    scene.follows[0] = Follow { of: "man".into(), strength: 2.0, ..Follow::default() };
    assert_eq!(Any::new(scene, &assets()).unwrap_err().key, "strength");
}

#[test]
fn the_hand_of_a_follow_says_what_it_does_and_that_is_what_changes_momentum() {
    for method in [Method::Multipliers, Method::Particles] {
        let mut scene = weightless(0.5);
        scene.ragdolls.push(Ragdoll { name: "man".into(), clip: "jump".into(), ..Ragdoll::default() });
        scene.follows.push(Follow { of: "man".into(), assist_time: 0.1, ..Follow::default() });
        let recording = under(method, &scene).record();
        let [hand] = &recording.exertions[..] else { panic!("{:?}", recording.exertions.len()) };
        assert_eq!((hand.on.as_str(), hand.efforts.len()), ("man", recording.frames));
        let (mut most, mut before) = (0.0_f64, recording.measures[0].momentum);
        for (measures, &(force, _)) in recording.measures.iter().zip(&hand.efforts).skip(1) {
            let missing = measures.momentum - before - force * recording.frame_time;
            before = measures.momentum;
            most = most.max(force.length());
            // Momenta of particles are those of their last substep.
            let near =
                if method == Method::Particles { 0.02 * force.length() * recording.frame_time + 1e-9 } else { 1e-9 };
            assert!(missing.length() < near, "{method:?}: {missing} of {force}");
        }
        assert!(most > 1.0, "{method:?}: {most}");
    }
}

#[test]
fn x13_what_ragdolls_are_told_is_part_of_a_state() {
    for (method, stands, own_feet) in [
        (Method::Multipliers, false, false),
        (Method::Multipliers, true, false),
        (Method::Multipliers, false, true),
        (Method::Particles, false, false),
    ] {
        let mut scene = standing(1.0);
        if stands {
            scene.stands.push(Stand { of: "man".into(), ..Stand::default() });
        } else if own_feet {
            scene = jumping(1.0);
        } else {
            scene.follows.push(Follow { of: "man".into(), assist_time: 0.1, get_up_time: 0.5, ..Follow::default() });
        }
        let step = |world: &mut Any, steps: usize| (0..steps).for_each(|_| world.step());
        let mut running = under(method, &scene);
        step(&mut running, 20);
        let saved = running.save();
        step(&mut running, 20);
        let mut again = under(method, &scene);
        again.restore(saved.clone()).unwrap();
        step(&mut again, 20);
        assert!(again.save() == running.save(), "{method:?}, {stands}");
        let mut free = scene.clone();
        free.follows.clear();
        free.stands.clear();
        let told = under(method, &free).restore(saved).unwrap_err();
        assert!(told.problem.contains("other goals") || told.problem.contains("joints"), "{told}");
    }
}
