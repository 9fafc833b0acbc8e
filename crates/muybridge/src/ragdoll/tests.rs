//! Bodies, joints, limits and surfaces of sample characters, starts from clips, and poses recovered from particles.

use super::*;
use crate::character::{Body, Bone, JointRange, Skeleton};
use crate::math::random::Random;
use crate::math::rotation::{about, exp};
use crate::motion::{Clip, WorldMotion};
use crate::particles::model::Anchor;
use crate::samples;
use glam::DMat3;

fn at_rest(character: &Character) -> Ragdoll {
    particles(character, &RagdollStart::at_rest(&character.skeleton), &RagdollSettings::default()).unwrap()
}

fn worst_gap(ragdoll: &Ragdoll) -> f64 {
    let gap = |a: &crate::particles::BallJoint| match a.b {
        Anchor::Point(b) => a.a.position(&ragdoll.model.positions).distance(b.position(&ragdoll.model.positions)),
        Anchor::Place(place) => a.a.position(&ragdoll.model.positions).distance(place),
    };
    ragdoll.model.attachments.iter().map(gap).fold(0.0, f64::max)
}

#[test]
fn the_mannequin_has_fifteen_bodies_and_all_its_joints() {
    let ragdoll = at_rest(&samples::mannequin());
    let model = &ragdoll.model;
    assert_eq!((model.tetrahedra.len(), model.positions.len()), (15, 60));
    assert_eq!((model.attachments.len(), model.hinges.len(), model.swing_twists.len()), (10 + 2 * 4, 4, 10));
    assert_eq!(model.surfaces.len(), 15);
    assert!((model.masses.iter().sum::<f64>() - 70.0).abs() < 1e-11);
    assert!(worst_gap(&ragdoll) < 1e-14, "{}", worst_gap(&ragdoll));
    assert!(ragdoll.notes.is_empty(), "{:?}", ragdoll.notes);
}

#[test]
fn h_mass_center_and_momentum_of_the_particles_are_those_of_the_character() {
    let person = samples::humanoid();
    let rest = person.skeleton.rest_pose();
    let ragdoll = at_rest(&person);
    let (mut mass, mut center) = (0.0, DVec3::ZERO);
    for (m, x) in ragdoll.model.masses.iter().zip(&ragdoll.model.positions) {
        (mass, center) = (mass + m, center + *x * *m);
    }
    let expected: DVec3 = person.bodies.iter().zip(&rest).map(|(b, (p, q))| (*p + *q * b.center) * b.mass).sum();
    assert!((mass - person.mass()).abs() < 1e-11);
    assert!((center - expected).length() < 1e-12 * mass, "{center} {expected}");
}

#[test]
fn every_bone_comes_back_where_it_was_in_any_pose_of_any_sample() {
    let mut random = Random::new(11);
    for character in [samples::mannequin(), samples::humanoid(), samples::quadruped()] {
        let skeleton = &character.skeleton;
        let mut clip = Clip::new(skeleton.len(), 3, 1.0 / 60.0).unwrap();
        for (index, bone) in skeleton.bones().iter().enumerate() {
            for frame in 0..3 {
                clip.set_rotation(index, frame, bone.rotation * exp(random.vector()));
                clip.set_translation(index, frame, bone.translation);
            }
        }
        let start = RagdollStart::from_clip(skeleton, &clip, 1, Inherited::Central).unwrap();
        let ragdoll = particles(&character, &start, &RagdollSettings::default()).unwrap();
        assert!(worst_gap(&ragdoll) < 1e-13);
        let back = ragdoll.clip(core::slice::from_ref(&ragdoll.model.positions), 1.0 / 60.0).unwrap();
        let (world, expected) = (WorldMotion::new(skeleton, &back), WorldMotion::new(skeleton, &clip));
        for bone in 0..skeleton.len() {
            assert!((world.position(bone, 0) - expected.position(bone, 1)).length() < 1e-12);
            let turn = world.rotation(bone, 0) * expected.rotation(bone, 1).conjugate();
            assert!(crate::math::rotation::log(turn).length() < 1e-10);
        }
    }
}

/// A chain of three bones whose middle one has no mass; a root without mass above, and a hat.
fn with_massless_bones() -> Character {
    let bone = |name: &str, parent| Bone {
        name: name.into(),
        parent,
        translation: DVec3::new(0.0, 0.4, 0.1),
        rotation: about(DVec3::X, 0.2),
        ends: vec![DVec3::Y * 0.3],
    };
    let bones = vec![
        bone("root", None),
        bone("trunk", Some(0)),
        bone("helper", Some(1)),
        bone("arm", Some(2)),
        bone("plate", Some(3)),
        bone("target", None),
    ];
    let masses = [0.0, 5.0, 0.0, 2.0, 0.5, 0.0];
    let body = |mass: f64| Body {
        mass,
        center: DVec3::Y * 0.2,
        inertia: DMat3::from_diagonal(DVec3::new(0.02, 0.01, 0.02)) * mass,
        shapes: vec![],
    };
    let mut ranges = vec![JointRange::Free; 6];
    ranges[4] = JointRange::Fixed;
    Character {
        skeleton: Skeleton::new(bones).unwrap(),
        bodies: masses.map(body).into(),
        ranges,
        roles: vec![None; 6],
        contacts: vec![],
        body_source: "stated".into(),
        measured_contacts: true,
    }
}

#[test]
fn bones_without_mass_ride_above_then_below_and_fixed_bones_are_one_body() {
    let character = with_massless_bones();
    let ragdoll = at_rest(&character);
    let bodies: Vec<usize> = ragdoll.bodies.iter().map(|body| body.bone).collect();
    assert_eq!(bodies, [1, 3]);
    let rides: Vec<Option<usize>> = ragdoll.bones.rides.iter().map(|ride| ride.map(|ride| ride.body)).collect();
    assert_eq!(rides, [Some(0), Some(0), Some(0), Some(1), Some(1), None]);
    assert_eq!(ragdoll.model.attachments.len(), 1);
    assert!((4.0 * ragdoll.bodies[1].body.particle_mass - 2.5).abs() < 1e-12);
    // Moved up by 3 m and rotated, all bones move along except the massless target.
    let turn = exp(DVec3::new(0.3, 1.2, -0.7));
    let moved: Vec<DVec3> = ragdoll.model.positions.iter().map(|x| turn * *x + DVec3::Y * 3.0).collect();
    for (bone, ((at, _), (rest, _))) in ragdoll.pose(&moved).iter().zip(character.skeleton.rest_pose()).enumerate() {
        let expected = if bone == 5 { rest } else { turn * rest + DVec3::Y * 3.0 };
        assert!((*at - expected).length() < 1e-12, "bone {bone}");
    }
}

#[test]
fn x14_characters_and_poses_that_cannot_fall_are_errors_that_name_the_bone() {
    let settings = RagdollSettings::default();
    let mut character = with_massless_bones();
    let rest = RagdollStart::at_rest(&character.skeleton);
    let mut bad = rest.clone();
    bad.pose[2].0.x = f64::NAN;
    assert_eq!(particles(&character, &bad, &settings), Err(RagdollError::NotFinite { bone: "helper".into() }));
    bad.pose.pop();
    assert!(matches!(particles(&character, &bad, &settings), Err(RagdollError::OtherSkeleton { .. })));
    character.bodies[3].mass = f64::NAN;
    let error = particles(&character, &rest, &settings).unwrap_err().to_string();
    assert!(error.contains("“arm”"), "{error}");
    character.bodies.iter_mut().for_each(|body| body.mass = 0.0);
    assert_eq!(particles(&character, &rest, &settings), Err(RagdollError::NoMass));
    let clip = Clip::new(6, 2, 0.1).unwrap();
    let start = RagdollStart::from_clip(&character.skeleton, &clip, 2, Inherited::Central);
    assert_eq!(start, Err(RagdollError::NoSuchFrame { frame: 2, last: 1 }));
}

/// Angle between the child's twist axis and the parent's in a pose of the character.
fn swing_of(character: &Character, ragdoll: &Ragdoll, limit: usize, pose: &[(DVec3, DQuat)]) -> f64 {
    let placed = particles(
        character,
        &RagdollStart::resting(pose.to_vec()),
        &RagdollSettings { limits: false, ..Default::default() },
    );
    let positions = placed.unwrap().model.positions;
    let it = &ragdoll.model.swing_twists[limit];
    let (a, b) = (it.a[0].vector(&positions), it.b[0].vector(&positions));
    libm::atan2(a.cross(b).length(), a.dot(b))
}

#[test]
fn an_asymmetric_range_ends_where_the_character_says_on_either_side() {
    let mut character = with_massless_bones();
    let frame = exp(DVec3::new(0.4, -0.3, 0.8));
    let (swing_x, swing_z) = ([-0.4, 1.2], [-0.2, 0.6]);
    character.ranges[3] = JointRange::SwingTwist { frame, swing_x, swing_z, twist: [-0.3, 0.5] };
    let ragdoll = at_rest(&character);
    let half = [0.5 * (swing_z[1] - swing_z[0]), 0.5 * (swing_x[1] - swing_x[0])];
    let limit = &ragdoll.model.swing_twists[0];
    assert!((limit.swing[0] - half[0]).abs() < 1e-12 && (limit.swing[1] - half[1]).abs() < 1e-12);
    assert!((limit.twist[1] - 0.4).abs() < 1e-12 && (limit.twist[0] + 0.4).abs() < 1e-12);
    let middle_z = 0.5 * (swing_z[0] + swing_z[1]);
    for (end, twist) in swing_x.into_iter().zip([0.5, -0.3]) {
        // At the end of the swing about x, in the middle of that about z, the swing is half the limit's width.
        let mut clip = Clip::new(6, 1, 1.0).unwrap();
        for (index, bone) in character.skeleton.bones().iter().enumerate() {
            clip.set_translation(index, 0, bone.translation);
            clip.set_rotation(index, 0, bone.rotation);
        }
        let middle = exp(DVec3::new(0.4, 0.0, middle_z));
        let swing = middle * exp(DVec3::new((end - 0.4).signum() * half[1], 0.0, 0.0));
        let turn = frame * swing * about(DVec3::Y, twist) * frame.conjugate();
        clip.set_rotation(3, 0, character.skeleton.bones()[3].rotation * turn);
        let start = RagdollStart::from_clip(&character.skeleton, &clip, 0, Inherited::Nothing).unwrap();
        let found = swing_of(&character, &ragdoll, 0, &start.pose);
        assert!((found - half[1]).abs() < 1e-9, "{found} {}", half[1]);
        assert!(particles(&character, &start, &RagdollSettings::default()).unwrap().notes.is_empty());
    }
}

#[test]
fn a_pose_outside_a_range_widens_it_and_is_named() {
    let character = samples::mannequin();
    let skeleton = &character.skeleton;
    let shin = skeleton.find("l_shin").unwrap();
    let mut pose = skeleton.rest_pose();
    // The knee bent forward by 30°, beyond its limit, and off its axis by 10°.
    let bent = exp(DVec3::new(-30.0_f64.to_radians(), 0.0, 0.0)) * exp(DVec3::Z * 10.0_f64.to_radians());
    let foot = skeleton.find("l_foot").unwrap();
    pose[foot].0 = pose[shin].0 + bent * (pose[foot].0 - pose[shin].0);
    pose[shin].1 = bent;
    pose[foot].1 = bent;
    let ragdoll = particles(&character, &RagdollStart::resting(pose), &RagdollSettings::default()).unwrap();
    assert_eq!(ragdoll.notes, ["ranges widened to hold the starting pose: l_shin"]);
    assert!(worst_gap(&ragdoll) < 1e-14);
    let least = ragdoll.model.hinges.iter().map(|hinge| hinge.range[1]).fold(0.0, f64::max);
    // Limits −30° to 140° about a middle of 70°: 100° to either side plus the margin.
    assert!((least - (100.0_f64.to_radians() + 0.01)).abs() < 0.02, "{}", least.to_degrees());
}
