//! A ragdoll thrown through the air and recorded as a clip must pass the analysis of clips.

use muybridge::analysis::{Settings as Check, analyze};
use muybridge::character::Character;
use muybridge::glam::DVec3;
use muybridge::motion::{Clip, WorldMotion};
use muybridge::particles::{Settings, World};
use muybridge::ragdoll::{self, Inherited, Ragdoll, RagdollSettings, RagdollStart};
use muybridge::rigid;
use muybridge::samples;

fn world(ragdoll: &Ragdoll, settings: Settings) -> World {
    World::new(ragdoll.model.clone(), settings).unwrap()
}

/// Default settings of a scene: 64 substeps.
fn as_scenes_have_it() -> Settings {
    Settings { substeps: 64, ..Settings::default() }
}

/// The ragdoll recorded at 60 Hz.
fn recorded(ragdoll: &Ragdoll, world: &mut World, seconds: f64) -> Clip {
    let mut frames = vec![world.state.positions.clone()];
    for _ in 0..(seconds * 60.0).round() as usize {
        world.step();
        frames.push(world.state.positions.clone());
    }
    ragdoll.clip(&frames, 1.0 / 60.0).unwrap()
}

fn thrown(character: &Character) -> (Ragdoll, World) {
    let start = RagdollStart::at_rest(&character.skeleton)
        .moved(DVec3::Y * 3.0, muybridge::math::rotation::exp(DVec3::new(0.4, 0.3, 0.2)))
        .with_velocity(DVec3::new(2.0, 5.0, 0.5), DVec3::new(3.0, 1.0, -2.0));
    let ragdoll = ragdoll::particles(character, &start, &RagdollSettings::default()).unwrap();
    let world = world(&ragdoll, as_scenes_have_it());
    (ragdoll, world)
}

#[test]
fn a_thrown_ragdoll_falls_with_one_g_and_keeps_its_spin() {
    for character in [samples::humanoid(), samples::mannequin(), samples::quadruped()] {
        let (ragdoll, mut world) = thrown(&character);
        let clip = recorded(&ragdoll, &mut world, 1.0);
        let analysis = analyze(&character, &clip, &Check::default());
        let [flight] = &analysis.flights[..] else { panic!("{} flights", analysis.flights.len()) };
        assert!((flight.gravity - 1.0).abs() < 0.002, "{}", flight.gravity);
        assert!(flight.angular_momentum_error_norm < 0.01, "{}", flight.angular_momentum_error_norm);
        let bad: Vec<&str> = analysis.findings.iter().map(|finding| finding.id.name()).collect();
        assert!(!bad.iter().any(|id| id.starts_with("flight.") || *id == "clip.time_base"), "{bad:?}");
        assert!(world.worst_gap() < 1e-9, "{}", world.worst_gap());
        assert!(world.worst_deformation() < 5e-3, "{}", world.worst_deformation());
    }
}

#[test]
fn s11_a_thrown_ragdoll_of_rigid_bodies_falls_with_one_g_and_keeps_its_spin() {
    for character in [samples::humanoid(), samples::mannequin(), samples::quadruped()] {
        let start = RagdollStart::at_rest(&character.skeleton)
            .moved(DVec3::Y * 3.0, muybridge::math::rotation::exp(DVec3::new(0.4, 0.3, 0.2)))
            .with_velocity(DVec3::new(2.0, 5.0, 0.5), DVec3::new(3.0, 1.0, -2.0));
        let ragdoll = ragdoll::rigid(&character, &start, &RagdollSettings::default()).unwrap();
        let displaced = rigid::Method::Displacement(rigid::displacement::Settings::tight());
        for method in [rigid::Method::Multipliers, displaced] {
            let settings = rigid::Settings { method, ..rigid::Settings::default() };
            let mut world = rigid::World::new(ragdoll.model.clone(), &ragdoll.starts, settings).unwrap();
            let mut frames = vec![world.state.poses.clone()];
            for _ in 0..60 {
                world.step();
                frames.push(world.state.poses.clone());
            }
            let clip = ragdoll.clip(&frames, 1.0 / 60.0).unwrap();
            let analysis = analyze(&character, &clip, &Check::default());
            let [flight] = &analysis.flights[..] else { panic!("{} flights", analysis.flights.len()) };
            assert!((flight.gravity - 1.0).abs() < 0.0005, "{method:?}: {}", flight.gravity);
            assert!(flight.angular_momentum_error_norm < 0.01, "{}", flight.angular_momentum_error_norm);
            let bad: Vec<&str> = analysis.findings.iter().map(|finding| finding.id.name()).collect();
            assert!(!bad.iter().any(|id| id.starts_with("flight.") || *id == "clip.time_base"), "{bad:?}");
        }
    }
}

/// A clip of the mannequin in a fixed pose that moves by `at`, 30 Hz.
fn moving(character: &Character, at: impl Fn(f64) -> DVec3) -> Clip {
    let skeleton = &character.skeleton;
    let mut clip = Clip::new(skeleton.len(), 20, 1.0 / 30.0).unwrap();
    for (index, bone) in skeleton.bones().iter().enumerate() {
        for frame in 0..20 {
            let own = bone.rotation * muybridge::math::rotation::about(DVec3::X, 0.05 * index as f64);
            clip.set_rotation(index, frame, own);
            let root = if index == 0 { at(clip.time(frame)) } else { DVec3::ZERO };
            clip.set_translation(index, frame, bone.translation + root);
        }
    }
    clip
}

#[test]
fn j33_a_clip_of_constant_velocity_continues_exactly_for_any_step() {
    let character = samples::mannequin();
    let clip = moving(&character, |t| DVec3::new(1.7, 0.3, -0.9) * t);
    let expected = WorldMotion::new(&character.skeleton, &clip);
    for inherited in [Inherited::Central, Inherited::Backward] {
        for (steps, substeps) in [(1, 1), (1, 7), (2, 16), (5, 3)] {
            let start = RagdollStart::from_clip(&character.skeleton, &clip, 8, inherited).unwrap();
            let ragdoll = ragdoll::particles(&character, &start, &RagdollSettings::default()).unwrap();
            let time_step = 1.0 / 30.0 / f64::from(steps);
            let settings = Settings { gravity: DVec3::ZERO, time_step, substeps, ..Settings::default() };
            let mut world = world(&ragdoll, settings);
            for frame in 9..15 {
                (0..steps).for_each(|_| world.step());
                for (bone, (position, _)) in ragdoll.pose(&world.state.positions).into_iter().enumerate() {
                    let error = (position - expected.position(bone, frame)).length();
                    assert!(error < 1e-12, "{inherited:?}, {steps} × {substeps}, frame {frame}, bone {bone}: {error}");
                }
            }
        }
    }
}

#[test]
fn j33_a_flight_taken_over_in_the_middle_goes_on_along_its_parabola() {
    let character = samples::mannequin();
    let gravity = DVec3::new(0.0, -9.81, 0.0);
    let clip = moving(&character, |t| DVec3::new(1.0, 4.0, 0.0) * t + gravity * (0.5 * t * t));
    let expected = WorldMotion::new(&character.skeleton, &clip);
    let start = RagdollStart::from_clip(&character.skeleton, &clip, 8, Inherited::Central).unwrap();
    let ragdoll = ragdoll::particles(&character, &start, &RagdollSettings::default()).unwrap();
    let mut world = world(&ragdoll, Settings { time_step: 1.0 / 30.0, ..Settings::default() });
    for frame in 9..19 {
        world.step();
        for (bone, (position, _)) in ragdoll.pose(&world.state.positions).into_iter().enumerate() {
            assert!((position - expected.position(bone, frame)).length() < 1e-11, "frame {frame}, bone {bone}");
        }
    }
}

#[test]
fn j33_a_steady_spin_is_taken_over_as_a_spin_and_not_as_a_stretch() {
    let character = samples::mannequin();
    let spin = DVec3::new(0.0, 6.0, 0.0);
    let skeleton = &character.skeleton;
    let mut clip = Clip::new(skeleton.len(), 5, 1.0 / 30.0).unwrap();
    for (index, bone) in skeleton.bones().iter().enumerate() {
        for frame in 0..5 {
            let turn = muybridge::math::rotation::exp(spin * clip.time(frame));
            clip.set_rotation(index, frame, if index == 0 { turn * bone.rotation } else { bone.rotation });
            clip.set_translation(index, frame, bone.translation);
        }
    }
    for inherited in [Inherited::Central, Inherited::Backward] {
        let start = RagdollStart::from_clip(skeleton, &clip, 2, inherited).unwrap();
        let ragdoll = ragdoll::particles(&character, &start, &RagdollSettings::default()).unwrap();
        for (index, body) in ragdoll.bodies.iter().enumerate() {
            let four = |list: &[DVec3]| [0, 1, 2, 3].map(|k| list[4 * index + k]);
            let (x, v) = (four(&ragdoll.model.positions), four(&ragdoll.model.velocities));
            for k in 1..4 {
                let turning = v[k] - v[0] - spin.cross(x[k] - x[0]);
                assert!(turning.length() < 1e-10, "body of bone {}: {turning}", body.bone);
                assert!((v[k] - v[0]).dot(x[k] - x[0]).abs() < 1e-12, "an edge that grows");
            }
        }
    }
}

#[test]
fn j32_a_hit_changes_momentum_by_its_impulse_and_angular_momentum_by_its_moment() {
    let character = samples::mannequin();
    let start = RagdollStart::at_rest(&character.skeleton);
    let ragdoll = ragdoll::particles(&character, &start, &RagdollSettings::default()).unwrap();
    let mut world = world(&ragdoll, Settings { gravity: DVec3::ZERO, ..as_scenes_have_it() });
    let hand = ragdoll.bone("l_hand").unwrap();
    let (at, impulse) = (DVec3::new(0.1, 0.02, -0.01), DVec3::new(0.3, -2.0, 5.0));
    let place = ragdoll.point(hand, at).unwrap().position(&world.state.positions);
    ragdoll.hit(&mut world, hand, at, impulse).unwrap();
    assert!((world.momentum() - impulse).length() < 1e-11);
    let particles = world.state.positions.iter().zip(&ragdoll.model.masses).enumerate();
    let spin: DVec3 = particles.map(|(index, (x, m))| x.cross(world.velocity(index)) * *m).sum();
    assert!((spin - place.cross(impulse)).length() < 1e-11, "{spin}");
    for _ in 0..30 {
        world.step();
    }
    assert!((world.momentum() - impulse).length() < 1e-9, "{}", world.momentum() - impulse);
    let error = (world.angular_momentum() - spin).length() / spin.length();
    assert!(error < 0.02, "{error}");
}

#[test]
fn j34_a_blast_pushes_bodies_away_by_area_and_square_of_distance() {
    let character = samples::mannequin();
    let start = RagdollStart::at_rest(&character.skeleton);
    let ragdoll = ragdoll::particles(&character, &start, &RagdollSettings::default()).unwrap();
    let speed_at = |distance: f64| {
        let mut world = world(&ragdoll, Settings { gravity: DVec3::ZERO, ..Settings::default() });
        let body = ragdoll.bone("head").unwrap();
        let head = ragdoll.center_of(body).unwrap();
        let center = head.position(&world.state.positions) + DVec3::Y * distance;
        ragdoll.blast(&mut world, center, 50.0).unwrap();
        let before = head.position(&world.state.previous);
        head.position(&world.state.positions) - before
    };
    let (near, far) = (speed_at(1.0), speed_at(2.0));
    assert!((near.length() / far.length() - 4.0).abs() < 1e-9, "{near} {far}");
    assert!(near.y < 0.0 && near.x.abs() < 1e-12);
}

#[test]
fn j35_a_pulled_hand_gets_where_it_is_pulled_and_the_rest_follows() {
    let character = samples::mannequin();
    let start = RagdollStart::at_rest(&character.skeleton);
    let ragdoll =
        ragdoll::particles(&character, &start, &RagdollSettings { iterations: Some(8), ..Default::default() }).unwrap();
    let mut world = world(&ragdoll, Settings::default());
    let hand = ragdoll.bone("l_hand").unwrap();
    let from = ragdoll.point(hand, DVec3::ZERO).unwrap().position(&world.state.positions);
    let (mut point, to) = (None, DVec3::new(0.8, 1.9, 0.1));
    let mut farthest = 0.0_f64;
    for step in 0..420 {
        let place = from.lerp(to, (f64::from(step) / 120.0).min(1.0));
        point = Some(ragdoll.pull(&mut world, hand, DVec3::ZERO, place, 5000.0).unwrap());
        world.step();
        let error = (point.unwrap().position(&world.state.positions) - place).length();
        farthest = if step > 300 { farthest.max(error) } else { 0.0 };
        // 70 kg hang on a hand of 0.4 kg. While moving, every step ends with a jerk; held still, the ragdoll hangs
        // still.
        let most = if step > 300 { 0.02 } else { 0.5 };
        assert!(world.worst_deformation() < most, "step {step}: {}", world.worst_deformation());
        assert!(world.worst_gap() < 1e-3, "step {step}: {}", world.worst_gap());
    }
    assert!(farthest < 5e-3, "{farthest}");
    let head = ragdoll.pose(&world.state.positions)[ragdoll.bone("head").unwrap()].0;
    assert!((head - to).length() < 1.5, "the rest follows");
    world.release(&point.unwrap()).unwrap();
    (0..30).for_each(|_| world.step());
    assert!(point.unwrap().position(&world.state.positions).y < to.y - 0.5, "it falls");
}

/// A chain of thirty fingers of a gram each beside a trunk of 10 kg, sizes times `scale`.
fn with_fingers(scale: f64) -> Character {
    use muybridge::character::{Body, Bone, JointRange, Skeleton};
    use muybridge::collision::MassProperties;
    use muybridge::collision::shape::{PlacedShape, Shape};
    use muybridge::glam::DQuat;
    let mut bones = vec![("trunk".to_string(), None, DVec3::ZERO, 10.0, 0.3)];
    for limb in 0..5 {
        let out = DVec3::new(0.3, 0.1 * f64::from(limb), 0.05);
        bones.push((format!("arm {limb}"), Some(0), out, 1.0, 0.25));
        for finger in 0..7 {
            let first = bones.len();
            let arm = 1 + limb as usize * 29;
            for joint in 0..4 {
                let parent = if joint == 0 { arm } else { first + joint - 1 };
                let at = if joint == 0 { DVec3::new(0.25, 0.01 * f64::from(finger), 0.0) } else { DVec3::X * 0.02 };
                bones.push((format!("finger {limb} {finger} {joint}"), Some(parent), at, 0.001, 0.02));
            }
        }
    }
    let cubed = scale * scale * scale;
    let body = |mass: f64, length: f64| {
        let shape = PlacedShape {
            shape: Shape::Capsule { radius: 0.2 * length * scale, half_length: 0.3 * length * scale },
            position: DVec3::X * (0.5 * length * scale),
            rotation: DQuat::from_rotation_arc(DVec3::Y, DVec3::X),
        };
        let MassProperties { mass, center, inertia } =
            MassProperties::of_placed_shape(&shape, 1000.0).with_mass(mass * cubed);
        Body { mass, center, inertia, shapes: vec![shape] }
    };
    let hinge = JointRange::Hinge { axis: DVec3::Z, lower: -0.1, upper: 1.5 };
    Character {
        bodies: bones.iter().map(|bone| body(bone.3, bone.4)).collect(),
        ranges: bones.iter().map(|bone| if bone.3 < 0.1 { hinge.clone() } else { JointRange::Free }).collect(),
        roles: vec![None; bones.len()],
        contacts: vec![],
        body_source: "stated".into(),
        measured_contacts: true,
        skeleton: Skeleton::new(
            (bones.into_iter())
                .map(|(name, parent, at, ..)| Bone {
                    name,
                    parent,
                    translation: at * scale,
                    rotation: DQuat::IDENTITY,
                    ends: vec![],
                })
                .collect(),
        )
        .unwrap(),
    }
}

#[test]
fn x14_giants_dwarfs_and_grams_beside_kilograms_swing_for_two_seconds_without_harm() {
    for scale in [1.0, 60.0, 0.006] {
        let character = with_fingers(scale);
        assert_eq!(character.skeleton.len(), 146);
        let start =
            RagdollStart::at_rest(&character.skeleton).with_velocity(DVec3::Y * 3.0, DVec3::new(4.0, 2.0, -3.0));
        let ragdoll = ragdoll::particles(
            &character,
            &start,
            &RagdollSettings { touches_itself: false, ..RagdollSettings::default() },
        )
        .unwrap();
        let mut world = world(&ragdoll, Settings::default());
        let mass = character.mass();
        let before = world.energy();
        for step in 0..120 {
            world.step();
            assert!(world.state.positions.iter().all(|x| x.is_finite()), "scale {scale}, step {step}");
            assert!(world.worst_gap() < 1e-6 * scale, "scale {scale}, step {step}: {}", world.worst_gap());
            assert!(world.worst_deformation() < 0.1, "scale {scale}, step {step}: {}", world.worst_deformation());
        }
        assert!(world.energy() < before + 0.02 * mass * 9.81 * 20.0, "{} {before}", world.energy());
    }
}
