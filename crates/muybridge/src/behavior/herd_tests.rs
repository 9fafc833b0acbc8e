//! Driven ragdolls of a herd: joint springs, root assist, clip tracking.

use crate::behavior::drive_herd::HerdTrack;
use crate::behavior::tracking_error::hand;
use crate::behavior::{PoseTarget, Posture, RagdollModel};
use crate::math::lanes::Width;
use crate::math::rotation::{exp, log};
use crate::motion::Clip;
use crate::particles::herd::{Acceleration, HerdJoints, HerdObstacle, InstancePlacement, JointDrive};
use crate::particles::{Herd, HerdSettings, InstanceId};
use crate::ragdoll::{Inherited, Ragdoll, RagdollSettings, RagdollStart, particles};
use crate::rigid::composite::{Piece, compliance};
use crate::samples;
use glam::{DMat3, DQuat, DVec3};

/// A ragdoll in the first pose of a clip, without ranges, and its model.
fn cast(clip: &Clip, has_limits: bool) -> (RagdollModel, Ragdoll) {
    let character = samples::humanoid();
    let start =
        RagdollStart::from_clip(&character.skeleton, clip, 0, Inherited::Central).expect("the clip has a first frame");
    let settings = RagdollSettings {
        touches_itself: false,
        limits: has_limits,
        hinges: has_limits,
        friction: 0.9,
        ..RagdollSettings::default()
    };
    let ragdoll = particles(&character, &start, &settings).expect("a ragdoll");
    (RagdollModel::of_particles(&character, &ragdoll), ragdoll)
}

fn floating() -> HerdSettings {
    HerdSettings { gravity: DVec3::ZERO, rest_steps: 0, ..HerdSettings::default() }
}

/// Pose of the walk at one frame.
fn pose_of_walk(frame: usize) -> Clip {
    let walk = samples::walk();
    Posture::of_clip(&walk, frame as f64 * walk.frame_time).as_clip().expect("a clip")
}

/// Linear and angular momentum about the center of mass.
fn momenta(figure: &RagdollModel, ragdoll: &Ragdoll, herd: &Herd, slot: InstanceId) -> [DVec3; 2] {
    let center = herd.mass_center(slot);
    let mut sums = [DVec3::ZERO; 2];
    for (index, (part, body)) in figure.bodies.iter().zip(&ragdoll.bodies).enumerate() {
        let ((place, turn), (velocity, spin)) = (herd.pose(slot, index), herd.velocity(slot, index));
        sums[0] += velocity * part.mass;
        for rest in body.body.rest {
            let arm = turn * (rest - part.center);
            let speed = velocity + spin.cross(arm);
            sums[1] += (place + turn * part.center + arm - center).cross(speed * body.body.particle_mass);
        }
    }
    sums
}

/// Largest angle of a joint from its target, radians.
fn worst(figure: &RagdollModel, wanted: &PoseTarget, herd: &Herd, slot: InstanceId) -> f64 {
    let off = figure.links.iter().zip(&wanted.aims).map(|(link, aim)| {
        let [a, b] = link.bodies.map(|body| herd.pose(slot, body).1);
        log(a.conjugate() * b * aim.turn.conjugate()).length()
    });
    off.fold(0.0, f64::max)
}

#[test]
fn r18_joints_of_a_floating_herd_reach_a_pose_and_keep_its_momentum_at_any_step_and_stiffness() {
    let (figure, ragdoll) = cast(&pose_of_walk(0), false);
    for (rate, substeps, frequency) in [(60.0, 24, 6.0), (240.0, 8, 6.0), (60.0, 24, 1e4), (30.0, 4, 1e6)] {
        let settings = HerdSettings { time_step: 1.0 / rate, substeps, ..floating() };
        let mut herd = Herd::new(&ragdoll.model, settings).expect("a herd");
        let thrown =
            InstancePlacement { velocity: DVec3::new(1.0, 2.0, 0.5), spin: DVec3::Y, ..InstancePlacement::default() };
        let slot = herd.spawn(&thrown).unwrap();
        let before = momenta(&figure, &ragdoll, &herd, slot);
        let mut wanted = PoseTarget::stiff(&figure, 1.0, frequency);
        let (from, to) = (Posture::of_clip(&samples::walk(), 0.0), Posture::of_clip(&samples::walk(), 2.3));
        to.aim(&figure, None, &mut wanted);
        let far = worst(&figure, &wanted, &herd, slot);
        // The target is reached within half a second; an instant change would need infinite force.
        let frames = (0.5 * rate) as usize + 1;
        let mut clip = Clip::new(to.rotations.len(), frames, 1.0 / rate).expect("a clip");
        for frame in 0..frames {
            let posture = from.blended(&to, frame as f64 / (frames - 1) as f64);
            for (bone, (&turn, &place)) in posture.rotations.iter().zip(&posture.translations).enumerate() {
                clip.set_rotation(bone, frame, turn);
                clip.set_translation(bone, frame, place);
            }
        }
        let track = HerdTrack::new(&figure, &ragdoll, &clip, (1.0 / rate, 1.0, frequency));
        for step in 0..rate as i64 {
            track.apply_pose_target(step, (DVec3::ZERO, DQuat::IDENTITY), &mut herd, slot).unwrap();
            herd.step();
        }
        let off = worst(&figure, &wanted, &herd, slot);
        assert!(far > 0.2 && off < 0.01, "{rate} {frequency}: from {far} to {off}");
        let after = momenta(&figure, &ragdoll, &herd, slot);
        let lost = [0, 1].map(|which: usize| after[which].distance(before[which]) / before[which].length());
        assert!(lost[0] < 1e-4 && lost[1] < 2e-3, "{rate} {frequency}: {lost:?}");
    }
}

#[test]
fn r18_a_joint_of_a_herd_swings_as_fast_as_stiffness_over_inertia_says() {
    let (figure, ragdoll) = cast(&pose_of_walk(0), false);
    // The steps are so short that joint friction and implicit damping take little energy from one swing.
    let rate = 960.0;
    let settings = HerdSettings { time_step: 1.0 / rate, substeps: 8, ..floating() };
    let mut herd = Herd::new(&ragdoll.model, settings).expect("a herd");
    // The velocities of the clip are not used.
    let still = ragdoll.model.velocities.iter().all(|velocity| velocity.length() < 1e-9);
    assert!(still, "a clip of one frame does not move");
    let slot = herd.spawn(&InstancePlacement::default()).unwrap();
    let link = figure.links.iter().position(|link| figure.skeleton.bones()[link.bone].name.contains("Leg"));
    let (joint, link) = link.map(|joint| (joint, figure.links[joint])).expect("a leg");
    // Inertia of both sides about the joint, computed from the particles.
    let mut beyond = vec![false; figure.bodies.len()];
    beyond[link.bodies[1]] = true;
    for other in &figure.links {
        beyond[other.bodies[1]] |= beyond[other.bodies[0]];
    }
    let mut pieces = [Piece::NONE; 2];
    for (body, of) in ragdoll.bodies.iter().enumerate() {
        for particle in 4 * body..4 * body + 4 {
            let piece = Piece::of_point(of.body.particle_mass, ragdoll.model.positions[particle]);
            pieces[usize::from(beyond[body])].add(&piece);
        }
    }
    let place = ragdoll.pose(&ragdoll.model.positions)[link.bone].0;
    let felt = compliance(pieces.map(Some), place).expect("two pieces").inverse();
    let (inertia, axes) = principal(felt);
    let parent = herd.pose(slot, link.bodies[0]).1;
    // The slowest mode: across the leg.
    let (about, inertia) = (axes[2], inertia[2]);
    let stiffness = 2e4;
    let period = core::f64::consts::TAU * (inertia / stiffness).sqrt();
    let now = |herd: &Herd, bodies: [usize; 2]| {
        let [a, b] = bodies.map(|body| herd.pose(slot, body).1);
        (a.conjugate() * b).normalize()
    };
    let rest: Vec<DQuat> = figure.links.iter().map(|link| now(&herd, link.bodies)).collect();
    let local = parent.conjugate() * about;
    let mut angles = Vec::new();
    for _ in 0..(0.8 * period * rate) as usize {
        for (index, other) in figure.links.iter().enumerate() {
            let drive =
                JointDrive { turn: rest[index], rate: DVec3::ZERO, stiffness: 1e6, damping: 1e4, most: f64::INFINITY };
            let swung = JointDrive { turn: exp(local * 0.1) * rest[index], stiffness, damping: 0.0, ..drive };
            herd.drive(slot, other.bodies, if index == joint { &swung } else { &drive }).unwrap();
        }
        herd.step();
        angles.push(log(now(&herd, link.bodies) * rest[joint].conjugate()).dot(local));
    }
    // From rest, past the middle after a quarter of a period, and at the other end after half.
    let at = |fraction: f64| angles[(fraction * period * rate).round() as usize - 1];
    assert!((at(0.25) - 0.1).abs() < 0.015, "{} of 0.1 after a quarter of {period} s", at(0.25));
    assert!((at(0.5) - 0.2).abs() < 0.02, "{} of 0.2 after half of {period} s", at(0.5));
}

/// Eigenvalues in rising order and their axes, by Jacobi rotations.
fn principal(mut m: DMat3) -> ([f64; 3], [DVec3; 3]) {
    let mut axes = DMat3::IDENTITY;
    for _ in 0..20 {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            let off = m.col(q)[p];
            if off.abs() < 1e-14 {
                continue;
            }
            let angle = 0.5 * (2.0 * off).atan2(m.col(q)[q] - m.col(p)[p]);
            let mut turn = DMat3::IDENTITY;
            (turn.col_mut(p)[p], turn.col_mut(q)[q]) = (angle.cos(), angle.cos());
            (turn.col_mut(q)[p], turn.col_mut(p)[q]) = (angle.sin(), -angle.sin());
            m = turn.transpose() * m * turn;
            axes *= turn;
        }
    }
    let mut order = [0, 1, 2];
    order.sort_by(|&a, &b| m.col(a)[a].total_cmp(&m.col(b)[b]));
    (order.map(|i: usize| m.col(i)[i]), order.map(|i: usize| axes.col(i)))
}

#[test]
fn r20_a_herd_follows_a_walk_led_by_a_hand_within_three_centimetres_and_five_degrees() {
    let walk = samples::walk();
    let (figure, ragdoll) = cast(&walk, false);
    let settings = HerdSettings { time_step: 1.0 / 120.0, substeps: 12, rest_steps: 0, ..HerdSettings::default() };
    let mut track = HerdTrack::new(&figure, &ragdoll, &walk, (settings.time_step, 1.0, 30.0));
    track.lead = Some(hand(0.02));
    let mut herd = Herd::new(&ragdoll.model, settings.clone()).expect("a herd");
    herd.set_obstacles(&[HerdObstacle::HalfSpace { normal: DVec3::Y, offset: 0.0 }]);
    let turned = InstancePlacement {
        position: DVec3::new(3.0, 0.0, -2.0),
        rotation: DQuat::from_rotation_y(1.0),
        ..InstancePlacement::default()
    };
    let slots: Vec<(InstanceId, InstancePlacement)> = [InstancePlacement::default(), turned]
        .into_iter()
        .map(|placement| (herd.spawn(&placement).unwrap(), placement))
        .collect();
    let (mut place, mut angle, mut count) = (0.0, 0.0, 0.0);
    for step in 0..track.steps() {
        for (slot, placement) in &slots {
            track.apply_pose_target(step as i64, (placement.position, placement.rotation), &mut herd, *slot).unwrap();
        }
        herd.step();
        let posture = Posture::of_clip(&walk, (step + 1) as f64 * settings.time_step);
        let pose = posture.world(&figure.skeleton);
        let mut wanted = PoseTarget::stiff(&figure, 1.0, 30.0);
        posture.aim(&figure, None, &mut wanted);
        for (slot, placement) in &slots {
            for (body, part) in figure.bodies.iter().enumerate() {
                let expected = placement.rotation * pose[part.bone].0 + placement.position;
                place += herd.pose(*slot, body).0.distance_squared(expected) / figure.bodies.len() as f64;
            }
            let worst = worst(&figure, &wanted, &herd, *slot);
            angle += worst * worst;
            count += 1.0;
        }
    }
    let (place, angle) = ((place / count).sqrt(), (angle / count).sqrt().to_degrees());
    assert!(place < 0.03 && angle < 5.0, "{place} m, {angle}° of the worst joint");
}

#[test]
fn a_field_accelerates_a_ragdoll_as_one_rigid_piece() {
    let (figure, ragdoll) = cast(&pose_of_walk(0), true);
    let mut herd = Herd::new(&ragdoll.model, floating()).expect("a herd");
    let slot = herd
        .spawn(&InstancePlacement { position: DVec3::new(40.0, 3.0, 0.0), ..InstancePlacement::default() })
        .unwrap();
    let start = herd.mass_center(slot);
    let turns = |herd: &Herd| {
        let joint = |link: &crate::behavior::figure::RagdollLink| {
            let [a, b] = link.bodies.map(|body| herd.pose(slot, body).1);
            (a.conjugate() * b).normalize()
        };
        figure.links.iter().map(joint).collect::<Vec<_>>()
    };
    let before = turns(&herd);
    let linear = DVec3::new(1.0, -2.0, 0.5);
    let angular = DVec3::Z * 0.2;
    for _ in 0..60 {
        herd.accelerate(slot, &Acceleration { center: herd.mass_center(slot), linear, angular }).unwrap();
        herd.step();
    }
    let way = herd.mass_center(slot) - start;
    assert!(way.distance(0.5 * linear) < 0.01 * way.length(), "{way}");
    let spin = herd.velocity(slot, 0).1;
    assert!(spin.distance(angular) < 0.01, "{spin}");
    let bent = turns(&herd).iter().zip(&before).map(|(a, b)| log(*a * b.conjugate()).length()).fold(0.0, f64::max);
    assert!(bent < 0.02, "{bent} rad in the worst joint");
}

/// All state values of a ragdoll.
fn bits(herd: &Herd, slot: InstanceId) -> Vec<u64> {
    let of = |body: usize| {
        let ((place, turn), (velocity, spin)) = (herd.pose(slot, body), herd.velocity(slot, body));
        let vectors = [place, velocity, spin].into_iter().flat_map(|v| v.to_array());
        vectors.chain(turn.to_array()).map(f64::to_bits).collect::<Vec<_>>()
    };
    (0..herd.bodies()).flat_map(of).collect()
}

#[test]
fn x10_driven_ragdolls_have_the_same_bits_at_every_width_and_do_not_change_their_neighbors() {
    let walk = samples::walk();
    let (figure, ragdoll) = cast(&walk, true);
    let run = |width: Width, drives_first: bool, saves: bool| {
        let settings = HerdSettings { width, rest_steps: 0, ..HerdSettings::default() };
        let mut track = HerdTrack::new(&figure, &ragdoll, &walk, (settings.time_step, 1.0, 12.0));
        track.lead = Some(hand(0.1));
        let mut herd = Herd::new(&ragdoll.model, settings).expect("a herd");
        herd.set_obstacles(&[HerdObstacle::HalfSpace { normal: DVec3::Y, offset: -0.2 }]);
        let slots: Vec<InstanceId> = (0..20)
            .map(|index| {
                herd.spawn(&InstancePlacement {
                    position: DVec3::X * 3.0 * f64::from(index),
                    ..InstancePlacement::default()
                })
                .unwrap()
            })
            .collect();
        for step in 0..40 {
            for (index, &slot) in slots.iter().enumerate().filter(|(index, _)| drives_first || index % 2 == 1) {
                track
                    .apply_pose_target(step as i64, (DVec3::X * 3.0 * index as f64, DQuat::IDENTITY), &mut herd, slot)
                    .unwrap();
            }
            if saves && step == 20 {
                let state = herd.save();
                (0..5).for_each(|_| herd.step());
                herd.restore(&state);
            }
            herd.step();
        }
        slots.iter().map(|&slot| bits(&herd, slot)).collect::<Vec<_>>()
    };
    let all = run(Width::widest(), true, false);
    for width in Width::all() {
        assert_eq!(run(width, true, false), all, "{width:?}");
    }
    assert_eq!(run(Width::widest(), true, true), all, "saved and restored");
    let half = run(Width::widest(), false, false);
    assert!((0..20).all(|index| (half[index] == all[index]) == (index % 2 == 1)), "what others do is felt");
}

#[test]
fn a_turn_that_is_known_beforehand_drives_as_one_that_is_told() {
    let (figure, ragdoll) = cast(&pose_of_walk(0), true);
    let joints = HerdJoints::of(&ragdoll.model).expect("a herd");
    let run = |is_known: bool, is_turned: bool| {
        let mut herd = Herd::new(&ragdoll.model, HerdSettings::default()).expect("a herd");
        let slot = herd.spawn(&InstancePlacement::default()).unwrap();
        for step in 0..20 {
            for (index, link) in figure.links.iter().enumerate() {
                let mut bodies = link.bodies;
                if is_turned {
                    bodies.reverse();
                }
                let turn = exp(DVec3::new(0.02, -0.01, 0.03) * f64::from(step) * index as f64);
                let rate = DVec3::new(0.3, 0.1, -0.2);
                let drive = JointDrive { turn, rate, stiffness: 20.0, damping: 1.0, most: 50.0 };
                if is_known {
                    let turn = joints.turn(bodies, turn, rate).expect("a joint");
                    herd.drive_to(slot, &turn, &drive.strength()).unwrap();
                } else {
                    herd.drive(slot, bodies, &drive).unwrap();
                }
            }
            herd.step();
        }
        bits(&herd, slot)
    };
    assert_eq!(run(true, false), run(false, false));
    assert_eq!(run(true, true), run(false, true));
    assert_ne!(run(true, true), run(true, false));
    let (still, moving) = (joints.turn([0, 0], DQuat::IDENTITY, DVec3::ZERO), DVec3::splat(f64::NAN));
    assert!(still.is_none() && joints.turn(figure.links[0].bodies, DQuat::IDENTITY, moving).is_none());
}

#[test]
fn a_drive_that_cannot_be_used_drives_nothing() {
    let (figure, ragdoll) = cast(&pose_of_walk(0), true);
    let run = |drive: Option<JointDrive>| {
        let mut herd = Herd::new(&ragdoll.model, HerdSettings::default()).expect("a herd");
        let slot = herd.spawn(&InstancePlacement::default()).unwrap();
        for _ in 0..10 {
            if let Some(drive) = &drive {
                let _ = herd.drive(slot, figure.links[0].bodies, drive);
                herd.drive(slot, [0, 99], drive).unwrap_err();
                herd.drive(slot, [0, 0], drive).unwrap_err();
                herd.drive(InstanceId(999), figure.links[0].bodies, drive).unwrap_err();
            }
            herd.step();
        }
        bits(&herd, slot)
    };
    let good = JointDrive {
        turn: DQuat::from_rotation_x(1.0),
        rate: DVec3::ZERO,
        stiffness: 10.0,
        damping: 1.0,
        most: f64::INFINITY,
    };
    let limp = run(None);
    assert_ne!(run(Some(good)), limp);
    for bad in [
        JointDrive { stiffness: f64::NAN, ..good },
        JointDrive { damping: -1.0, ..good },
        JointDrive { turn: DQuat::from_xyzw(f64::NAN, 0.0, 0.0, 1.0), ..good },
        JointDrive { most: 0.0, ..good },
    ] {
        assert_eq!(run(Some(bad)), limp, "{bad:?}");
    }
}
