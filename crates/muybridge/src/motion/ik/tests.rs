//! Tests of inverse kinematics against forward kinematics.

use glam::{DQuat, DVec3};

use super::*;
use crate::character::{Bone, Role, Side};
use crate::math::random::Random;
use crate::math::rotation::{about, exp};
use crate::motion::WorldMotion;
use crate::samples;

/// A chain of bones below two others, all rotated at random: `(skeleton, clip of one frame, bones of the chain)`.
fn chain_of(random: &mut Random, lengths: &[f64]) -> (Skeleton, Clip, Vec<usize>) {
    let count = lengths.len() + 2;
    let bones = (0..count).map(|at| Bone {
        name: format!("bone {at}"),
        parent: at.checked_sub(1),
        translation: DVec3::ZERO,
        rotation: DQuat::IDENTITY,
        ends: vec![],
    });
    let skeleton = Skeleton::new(bones.collect()).unwrap();
    let mut clip = Clip::new(count, 1, 0.01).unwrap();
    for bone in 0..count {
        let length = bone.checked_sub(2).map_or(1.0, |at| lengths[at]);
        clip.set_translation(bone, 0, random.vector().normalize() * length);
        clip.set_rotation(bone, 0, random.rotation());
    }
    (skeleton, clip, (1..count).collect())
}

/// A limb of two long bones with a short bone between them and one above its end.
fn any_limb(random: &mut Random) -> (Skeleton, Clip, Limb) {
    let lengths = [0.3 + random.unit(), 0.1, 0.3 + random.unit(), 0.05];
    let (skeleton, clip, bones) = chain_of(random, &lengths);
    (skeleton, clip, Limb { joints: vec![bones[0], bones[2]], end: bones[4], bend: None })
}

fn parts(skeleton: &Skeleton, clip: &Clip, limb: &Limb) -> Vec<DVec3> {
    let pose = LimbPose::new(skeleton, clip, limb, 0);
    pose.positions.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

#[test]
fn the_end_stands_at_its_goal_to_rounding_and_every_bone_keeps_its_length() {
    let mut random = Random::new(7);
    for trial in 0..500 {
        let (skeleton, mut clip, limb) = any_limb(&mut random);
        let before = clip.clone();
        let pose = LimbPose::new(&skeleton, &clip, &limb, 0);
        let old = parts(&skeleton, &clip, &limb);
        let (a, b) = (old[0].length(), old[1].length());
        let distance = (a - b).abs() + (0.02 + 0.95 * random.unit()) * (a + b - (a - b).abs());
        let goal = Goal {
            position: pose.positions[0] + random.vector().normalize() * distance,
            rotation: if trial % 2 == 0 { pose.end().rotation } else { random.rotation() },
        };
        let solution = solve(&skeleton, &clip, 0, &limb, &goal);
        solution.write(&mut clip, 0);
        let world = WorldMotion::new(&skeleton, &clip);
        assert!(solution.residual < 1e-12, "trial {trial}: {}", solution.residual);
        let miss = world.position(limb.end, 0).distance(goal.position);
        assert!(miss < 1e-12, "trial {trial}: the end misses by {miss}");
        let turned = world.rotation(limb.end, 0).dot(goal.rotation).abs();
        assert!(turned > 1.0 - 1e-14, "trial {trial}: orientation {turned}");
        for bone in 0..clip.bones() {
            assert_eq!(clip.translation(bone, 0), before.translation(bone, 0));
            let rides = !limb.joints.contains(&bone) && bone != limb.end;
            assert!(!rides || clip.rotation(bone, 0) == before.rotation(bone, 0), "bone {bone} turned");
        }
        // The limb bends about the normal of its plane, and no smaller rotation of the upper bone reaches the goal.
        let new = parts(&skeleton, &clip, &limb);
        let upper = (world.rotation(limb.joints[0], 0) * (pose.parents[0] * pose.locals[0]).conjugate()).normalize();
        let plane = upper * old[0].cross(old[1]).normalize();
        assert!(plane.cross(new[0].cross(new[1]).normalize()).length() < 1e-6, "trial {trial}: another plane");
    }
}

#[test]
fn a_limb_at_its_goal_keeps_every_bit() {
    let mut random = Random::new(3);
    for _ in 0..200 {
        let (skeleton, mut clip, limb) = any_limb(&mut random);
        let before = clip.clone();
        let world = WorldMotion::new(&skeleton, &clip);
        let goal = Goal { position: world.position(limb.end, 0), rotation: world.rotation(limb.end, 0) };
        let solution = solve(&skeleton, &clip, 0, &limb, &goal);
        assert!(solution.residual < 1e-14);
        solution.write(&mut clip, 0);
        assert_eq!(clip, before);
    }
}

/// A leg of two bones of 0.4 m hanging from the origin, knee bent by `degrees` the natural way (about +x).
fn leg(degrees: f64) -> (Skeleton, Clip, Limb) {
    let bone = |name: &str, parent: Option<usize>| Bone {
        name: name.into(),
        parent,
        translation: if parent.is_some() { DVec3::new(0.0, -0.4, 0.0) } else { DVec3::ZERO },
        rotation: DQuat::IDENTITY,
        ends: vec![],
    };
    let bones = vec![bone("thigh", None), bone("shank", Some(0)), bone("foot", Some(1))];
    let skeleton = Skeleton::new(bones).unwrap();
    let mut clip = Clip::new(3, 1, 0.01).unwrap();
    for bone in 1..3 {
        clip.set_translation(bone, 0, DVec3::new(0.0, -0.4, 0.0));
    }
    clip.set_rotation(0, 0, about(DVec3::X, -0.5 * degrees.to_radians()));
    clip.set_rotation(1, 0, about(DVec3::X, degrees.to_radians()));
    (skeleton, clip, Limb { joints: vec![0, 1], end: 2, bend: Some(DVec3::X) })
}

/// Position of the end, signed knee angle about x (degrees) and residual, with the foot sent to `position`.
fn reached((skeleton, clip, limb): &(Skeleton, Clip, Limb), position: DVec3) -> (DVec3, f64, f64) {
    let mut clip = clip.clone();
    let rotation = LimbPose::new(skeleton, &clip, limb, 0).end().rotation;
    let solution = solve(skeleton, &clip, 0, limb, &Goal { position, rotation });
    solution.write(&mut clip, 0);
    let parts = parts(skeleton, &clip, limb);
    let angle = libm::atan2(parts[0].cross(parts[1]).x, parts[0].dot(parts[1]));
    (parts[0] + parts[1], angle.to_degrees(), solution.residual)
}

#[test]
fn the_end_follows_a_goal_through_the_limit_of_reach_without_a_jump_and_the_knee_does_not_snap() {
    let leg = leg(30.0);
    let mut last = reached(&leg, DVec3::new(0.0, -0.76, 0.0));
    for step in 1..=1200 {
        let y = -0.76 - f64::from(step) * 1e-4;
        let (end, knee, residual) = reached(&leg, DVec3::new(0.0, y, 0.0));
        assert!(end.distance(last.0) < 1.01e-4, "{y}: the end jumps from {} to {end}", last.0);
        // Without the soft limit the last 0.1 mm before it would straighten the knee by 1.8°.
        assert!((knee - last.1).abs() < 0.35, "{y}: the knee snaps from {} to {knee}", last.1);
        let start = 0.8 * (1.0 - two_bone::SOFTNESS);
        assert!(y < -start || residual < 1e-12, "{y} is within reach but missed by {residual}");
        assert!(end.length() <= 0.8 + 1e-15 && residual <= (-y - start).max(0.0) + 1e-12);
        last = (end, knee, residual);
    }
    let far = reached(&leg, DVec3::new(0.0, -3.0, 4.0));
    assert!(far.0.distance(DVec3::new(0.0, -0.48, 0.64)) < 1e-6 && (far.2 - 4.2).abs() < 1e-6, "{far:?}");
    let near = reached(&leg, DVec3::ZERO);
    assert!(near.0.length() < 1e-9, "{near:?}");
}

#[test]
fn a_straight_leg_bends_at_the_knee_and_not_the_other_way() {
    let goal = DVec3::new(0.0, -0.75, 0.0);
    let bend = 2.0 * libm::acos(0.75 / 0.8).to_degrees();
    let straight = reached(&leg(0.0), goal);
    assert!((straight.1 - bend).abs() < 1e-9 && straight.2 < 1e-12, "{straight:?}");
    // A knee overextended by up to five degrees of noise returns to the natural side, without a jump from frame to
    // frame.
    let mut last = straight.1;
    for tenth in 1..=50 {
        let (_, knee, residual) = reached(&leg(-0.1 * f64::from(tenth)), goal);
        assert!(knee > 0.0 && (knee - last).abs() < 0.01 && residual < 1e-12, "{tenth}: {knee} {residual}");
        last = knee;
    }
    // As the goal moves outward, the knee passes through straight and misses by up to 3 times the shortening that the
    // overextension caused.
    let leg = leg(-3.0);
    let now = 0.8 * libm::cos(1.5_f64.to_radians());
    let mut last = -3.0;
    for step in 0..2000 {
        let y = -now + f64::from(step) * 2e-6;
        let (_, knee, residual) = reached(&leg, DVec3::new(0.0, y, 0.0));
        assert!((knee - last).abs() < 0.2 && residual < 3.01 * (0.8 - now), "{y}: {knee} {residual}");
        last = knee;
    }
    assert!(last > 9.0, "{last}");
}

#[test]
fn a_straight_limb_of_unknown_joint_still_reaches() {
    let (skeleton, clip, limb) = leg(0.0);
    let limb = Limb { bend: None, ..limb };
    let (end, _, residual) = reached(&(skeleton, clip, limb), DVec3::new(0.1, -0.6, 0.2));
    assert!(residual < 1e-12 && end.distance(DVec3::new(0.1, -0.6, 0.2)) < 1e-12);
}

#[test]
fn bones_of_no_length_point_at_the_goal_and_nothing_is_not_a_number() {
    for parts in [[DVec3::Y, DVec3::ZERO], [DVec3::ZERO, DVec3::Y], [DVec3::ZERO; 2]] {
        for to in [DVec3::X * 2.0, DVec3::X * 0.5, DVec3::ZERO, DVec3::NEG_Y] {
            let turns = two_bone::solve(parts[0], parts[1], to, Some(DVec3::Z));
            let end = turns[0] * parts[0] + turns[1] * parts[1];
            let expected = to.normalize_or(DVec3::Y) * (parts[0] + parts[1]).length();
            assert!((end - expected).length() < 1e-12, "{parts:?} {to}: {end}");
        }
    }
}

#[test]
fn three_long_bones_reach_too() {
    let mut random = Random::new(11);
    for trial in 0..200 {
        let (skeleton, mut clip, bones) = chain_of(&mut random, &[0.5, 0.4, 0.3]);
        let limb = Limb { joints: bones[..3].to_vec(), end: bones[3], bend: None };
        let pose = LimbPose::new(&skeleton, &clip, &limb, 0);
        let end = pose.end();
        let shift = random.vector() * 0.1;
        let to = end.position + shift - pose.positions[0];
        let to = to * (to.length().clamp(0.1, 1.15) / to.length());
        let goal = Goal { position: pose.positions[0] + to, ..end };
        let solution = solve(&skeleton, &clip, 0, &limb, &goal);
        solution.write(&mut clip, 0);
        let world = WorldMotion::new(&skeleton, &clip);
        assert!(world.position(limb.end, 0).distance(goal.position) < 1e-9, "trial {trial}: {}", solution.residual);
        assert!(world.rotation(limb.end, 0).dot(goal.rotation).abs() > 1.0 - 1e-14);
    }
    let straight = [DVec3::NEG_Y * 0.3; 3];
    let turns = chain::solve(&straight, DVec3::new(0.0, -0.7, 0.0), Some(DVec3::X));
    let end: DVec3 = straight.iter().zip(&turns).map(|(part, turn)| *turn * *part).sum();
    assert!(end.distance(DVec3::new(0.0, -0.7, 0.0)) < 1e-9, "{end}");
    let turns = chain::solve(&straight, DVec3::new(0.0, -2.0, 0.0), None);
    let end: DVec3 = straight.iter().zip(&turns).map(|(part, turn)| *turn * *part).sum();
    assert!(end.distance(DVec3::new(0.0, -0.9, 0.0)) < 1e-6, "{end}");
}

#[test]
fn the_smallest_turn_is_exact_for_tiny_angles_and_for_half_turns() {
    let mut random = Random::new(5);
    for exponent in -14..=0 {
        let from = random.vector();
        let axis = from.cross(random.vector()).normalize();
        let angle = libm::pow(10.0, f64::from(exponent));
        let to = exp(axis * angle) * from;
        let turn = two_bone::shortest_arc(from, to, DVec3::ZERO);
        assert!((turn * from - to).length() < 1e-15 * 4.0, "{exponent}");
    }
    let half = two_bone::shortest_arc(DVec3::Y, -DVec3::Y, DVec3::Z);
    assert!((half * DVec3::Y + DVec3::Y).length() < 1e-15 && (half * DVec3::Z - DVec3::Z).length() < 1e-15);
}

#[test]
fn a_person_has_two_legs_and_two_arms_and_a_dog_four_legs() {
    let person = samples::humanoid();
    let found = limbs(&person);
    assert_eq!(found.len(), 4);
    for (limb, end) in found.iter().zip([
        Role::Foot(Side::Left),
        Role::Hand(Side::Left),
        Role::Foot(Side::Right),
        Role::Hand(Side::Right),
    ]) {
        assert_eq!(person.roles[limb.end], Some(end));
        assert!(limb.bend.is_some_and(|axis| (axis.length() - 1.0).abs() < 1e-12), "{limb:?}");
    }
    // Knees bend backward about the axis to the left.
    assert!((found[0].bend.unwrap() - DVec3::X).length() < 1e-9);
    let learned = bend_of(&person.skeleton, &samples::walk(), &found[0]).unwrap();
    assert!((learned - DVec3::X).length() < 1e-6, "{learned}");
    let dog = samples::quadruped();
    let names: Vec<&str> = limbs(&dog).iter().map(|limb| dog.skeleton.bones()[limb.end].name.as_str()).collect();
    for paw in ["LeftForePaw", "LeftHindPaw", "RightForePaw", "RightHindPaw"] {
        assert!(names.contains(&paw), "{names:?}");
    }
    for limb in limbs(&dog) {
        assert!(limb.joints.len() >= 2 && !limb.joints.contains(&limb.end));
    }
}
