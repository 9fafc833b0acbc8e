//! Rigid ragdolls against ragdolls of particles: equal masses, motion and limits; and poses recovered from bodies.

use super::*;
use crate::math::random::Random;
use crate::math::rotation::{exp, log};
use crate::motion::{Clip, WorldMotion};
use crate::rigid::model::JointLimit;
use crate::rigid::{Kind, Pose, Settings, World, range, state};
use crate::samples;

fn at_rest(character: &Character) -> RigidRagdoll {
    rigid(character, &RagdollStart::at_rest(&character.skeleton), &RagdollSettings::default()).unwrap()
}

fn world(ragdoll: &RigidRagdoll) -> World {
    World::new(ragdoll.model.clone(), &ragdoll.starts, Settings::default()).unwrap()
}

/// A clip of three random frames.
fn any_motion(character: &Character, random: &mut Random) -> Clip {
    let mut clip = Clip::new(character.skeleton.len(), 3, 1.0 / 60.0).unwrap();
    for (index, bone) in character.skeleton.bones().iter().enumerate() {
        for frame in 0..3 {
            clip.set_rotation(index, frame, bone.rotation * exp(random.vector()));
            clip.set_translation(index, frame, bone.translation);
        }
    }
    clip
}

fn all() -> [Character; 3] {
    [samples::mannequin(), samples::humanoid(), samples::quadruped()]
}

/// Greatest distance of two anchors of a joint, meters.
fn worst_gap(ragdoll: &RigidRagdoll, poses: &[Pose<f64>]) -> f64 {
    let gap = |joint: &crate::rigid::Joint| {
        let parent = joint.parent.map(|parent| &poses[parent]);
        let sides = joint.sides(parent, &poses[joint.child]);
        crate::rigid::motion::vector(sides[0].anchor.minus(sides[1].anchor)).length()
    };
    ragdoll.model.joints.iter().map(gap).fold(0.0, f64::max)
}

#[test]
fn the_mannequin_has_fifteen_bodies_and_all_its_joints() {
    let ragdoll = at_rest(&samples::mannequin());
    let hinges = ragdoll.model.joints.iter().filter(|joint| joint.kind == Kind::Hinge).count();
    let model = &ragdoll.model;
    assert_eq!((model.bodies.len(), model.joints.len(), hinges, model.ranges.len()), (15, 14, 4, 14));
    assert_eq!((model.solids.len(), model.motors.len(), model.objects.len()), (15, 14, 1));
    assert!((model.bodies.iter().map(|body| body.mass).sum::<f64>() - 70.0).abs() < 1e-11);
    assert!(ragdoll.notes.is_empty(), "{:?}", ragdoll.notes);
    assert!(worst_gap(&ragdoll, &world(&ragdoll).state.poses) < 1e-14);
}

#[test]
fn without_hinges_knees_and_elbows_are_balls_without_a_range() {
    let character = samples::mannequin();
    let start = RagdollStart::at_rest(&character.skeleton);
    let settings = RagdollSettings { hinges: false, ..RagdollSettings::default() };
    let model = rigid(&character, &start, &settings).unwrap().model;
    assert!(model.joints.iter().all(|joint| joint.kind == Kind::Ball));
    assert_eq!(model.ranges.len(), 10);
}

#[test]
fn mass_center_momentum_and_spin_of_any_motion_are_those_of_the_particles() {
    let mut random = Random::new(31);
    for character in all() {
        let clip = any_motion(&character, &mut random);
        let start = RagdollStart::from_clip(&character.skeleton, &clip, 1, Inherited::Central).unwrap();
        let start = start.with_velocity(random.vector() * 3.0, random.vector() * 4.0);
        let soft = particles(&character, &start, &RagdollSettings::default()).unwrap().model;
        let ragdoll = rigid(&character, &start, &RagdollSettings::default()).unwrap();
        let world = world(&ragdoll);
        let (mass, center) = state::mass_center(&world.model, &world.state);
        let all = || soft.masses.iter().zip(soft.positions.iter().zip(&soft.velocities));
        let expected: DVec3 = all().map(|(m, (x, _))| *x * *m).sum::<DVec3>() / mass;
        assert!((center - expected).length() < 1e-12, "{center} {expected}");
        let momentum: DVec3 = all().map(|(m, (_, v))| *v * *m).sum();
        assert!((state::momentum(&world.state) - momentum).length() < 1e-9 * mass);
        let spin: DVec3 = all().map(|(m, (x, v))| (*x - center).cross(*v * *m)).sum();
        let found = state::angular_momentum(&world.state, center);
        assert!((found - spin).length() < 1e-9 * spin.length(), "{found} {spin}");
    }
}

#[test]
fn every_bone_comes_back_where_it_was_in_any_pose_of_any_sample() {
    let mut random = Random::new(11);
    for character in all() {
        let skeleton = &character.skeleton;
        let clip = any_motion(&character, &mut random);
        let start = RagdollStart::from_clip(skeleton, &clip, 1, Inherited::Central).unwrap();
        let ragdoll = rigid(&character, &start, &RagdollSettings::default()).unwrap();
        let poses = world(&ragdoll).state.poses;
        assert!(worst_gap(&ragdoll, &poses) < 1e-13);
        let back = ragdoll.clip(&[poses], 1.0 / 60.0).unwrap();
        let (found, expected) = (WorldMotion::new(skeleton, &back), WorldMotion::new(skeleton, &clip));
        for bone in 0..skeleton.len() {
            assert!((found.position(bone, 0) - expected.position(bone, 1)).length() < 1e-12);
            let turn = found.rotation(bone, 0) * expected.rotation(bone, 1).conjugate();
            assert!(log(turn).length() < 1e-10);
        }
    }
}

#[test]
fn how_far_a_pose_is_beyond_a_range_is_the_same_for_particles_and_rigid_bodies() {
    let mut random = Random::new(5);
    for character in all() {
        let (soft, ragdoll) = (at_rest_of_particles(&character), at_rest(&character));
        let free = RagdollSettings { limits: false, ..RagdollSettings::default() };
        for _ in 0..20 {
            let clip = any_motion(&character, &mut random);
            let start = RagdollStart::from_clip(&character.skeleton, &clip, 0, Inherited::Nothing).unwrap();
            let positions = particles(&character, &start, &free).unwrap().model.positions;
            let starts = rigid(&character, &start, &free).unwrap().starts;
            let poses: Vec<Pose<f64>> = starts.iter().map(|at| Pose::new(at.position, at.rotation)).collect();
            let mut cones = soft.model.swing_twist_limits();
            for range in &ragdoll.model.ranges {
                let JointLimit::SwingTwist { twist, swing } = range.bounds else { continue };
                let joint = &ragdoll.model.joints[range.joint];
                let sides = joint.sides_at(&poses);
                let cone = cones.next().unwrap();
                assert_eq!((cone.swing, cone.twist), (swing, twist));
                let [a, b] = [cone.a[0], cone.b[0]].map(|axis| axis.vector(&positions));
                let expected = libm::atan2(a.cross(b).length(), a.dot(b));
                let found =
                    range::SwingTwistAngles::of(&range::frame(&sides[0]), &range::frame(&sides[1])).swing.length();
                assert!((found - expected).abs() < 1e-6, "{found} {expected}");
            }
            assert!(cones.next().is_none());
        }
    }
}

fn at_rest_of_particles(character: &Character) -> Ragdoll {
    particles(character, &RagdollStart::at_rest(&character.skeleton), &RagdollSettings::default()).unwrap()
}

#[test]
fn x14_a_character_without_mass_or_with_a_pose_of_another_is_an_error() {
    let mut character = samples::mannequin();
    let start = RagdollStart::at_rest(&character.skeleton);
    character.bodies.iter_mut().for_each(|body| body.mass = 0.0);
    assert_eq!(rigid(&character, &start, &RagdollSettings::default()).unwrap_err(), RagdollError::NoMass);
    let other = RagdollStart::at_rest(&samples::quadruped().skeleton);
    let error = rigid(&character, &other, &RagdollSettings::default()).unwrap_err();
    assert!(matches!(error, RagdollError::OtherSkeleton { .. }));
}

#[test]
fn j34_a_blast_and_a_hit_give_what_they_give_the_particles() {
    let character = samples::mannequin();
    let (soft, ragdoll) = (at_rest_of_particles(&character), at_rest(&character));
    let weightless = crate::particles::Settings { gravity: DVec3::ZERO, ..Default::default() };
    let mut particles = crate::particles::World::new(soft.model.clone(), weightless).unwrap();
    let mut bodies = world(&ragdoll);
    let head = ragdoll.bone("head").unwrap();
    let impulse = DVec3::new(3.0, 1.0, -2.0);
    ragdoll.hit(&mut bodies, head, DVec3::Y * 0.1, impulse).unwrap();
    soft.hit(&mut particles, head, DVec3::Y * 0.1, impulse).unwrap();
    assert!((state::momentum(&bodies.state) - impulse).length() < 1e-12);
    let center = state::mass_center(&bodies.model, &bodies.state).1;
    let spin = state::angular_momentum(&bodies.state, center);
    let at = ragdoll.point_in_world(&bodies.state.poses, head, DVec3::Y * 0.1).unwrap();
    assert!((spin - (at - center).cross(impulse)).length() < 1e-11, "{spin}");
}
