//! Tests of building characters from shapes, skin, garbage and empty input.

use super::*;
use crate::character::Bone;
use crate::collision::shape::Shape;
use crate::samples::humanoid;

fn alone(name: &str) -> Skeleton {
    let bone =
        Bone { name: name.into(), parent: None, translation: DVec3::ZERO, rotation: DQuat::IDENTITY, ends: vec![] };
    Skeleton::new(vec![bone]).unwrap()
}

#[test]
fn s32_one_rigid_node_is_one_body_of_its_own_solid() {
    let ball = PlacedShape {
        shape: Shape::Sphere { radius: 0.11 },
        position: DVec3::new(0.0, 0.5, 0.0),
        rotation: DQuat::IDENTITY,
    };
    let skeleton = alone("ball");
    let evidence = CharacterEvidence { shapes: &[(0, ball)], ..CharacterEvidence::default() };
    let settings = BodySettings { mass: Some(0.43), ..BodySettings::default() };
    let body = assemble(&skeleton, &evidence, &settings).unwrap().character.bodies.remove(0);
    assert!((body.mass - 0.43).abs() < 1e-15);
    assert_eq!(body.center, DVec3::new(0.0, 0.5, 0.0));
    assert!((body.inertia.x_axis.x - 0.4 * 0.43 * 0.11 * 0.11).abs() < 1e-15);
    let unknown = assemble(&skeleton, &CharacterEvidence::default(), &BodySettings::default()).unwrap().character;
    assert_eq!(unknown.bodies[0].shapes[0].shape, Shape::Sphere { radius: 0.1 });
    assert!((unknown.mass() - 1.0).abs() < 1e-15);
}

#[test]
fn solids_on_bones_without_length_are_loose() {
    let cube = PlacedShape {
        shape: Shape::Box { half_extents: DVec3::splat(0.5) },
        position: DVec3::ZERO,
        rotation: DQuat::IDENTITY,
    };
    let cubes = ["a", "b"].map(|name| alone(name).bones()[0].clone()).to_vec();
    let skeleton = Skeleton::new(cubes).unwrap();
    let shapes = [(0, cube.clone()), (1, cube)];
    let evidence = CharacterEvidence { shapes: &shapes, ..CharacterEvidence::default() };
    let built = assemble(&skeleton, &evidence, &BodySettings::default()).unwrap();
    assert_eq!(built.character.weighed_by(), Some(WeighedBy::LooseSolids));
    assert_eq!(built.notes, ["loose solids that no bone joins"]);
}

#[test]
fn s32_a_box_of_skin_weighs_and_touches_like_a_box() {
    let corners: Vec<(usize, DVec3)> = (0..8)
        .map(|at: usize| {
            let sign = |bit: usize| if at >> bit & 1 == 0 { -1.0 } else { 1.0 };
            (0, DVec3::new(0.1 * sign(0), 0.2 * sign(1), 0.3 * sign(2)))
        })
        .collect();
    let evidence = CharacterEvidence { skin_points: &corners, ..CharacterEvidence::default() };
    let settings = BodySettings { mass: Some(12.0), ..BodySettings::default() };
    let crate_ = assemble(&alone("crate"), &evidence, &settings).unwrap().character;
    // Full sides 0.2, 0.4, 0.6: Ix = m (b² + c²)/12.
    assert!((crate_.bodies[0].inertia.x_axis.x - (0.16 + 0.36)).abs() < 1e-12);
    assert_eq!(crate_.contacts.len(), 8);
}

#[test]
fn garbage_ends_move_no_mass() {
    let person = humanoid();
    let mut bones = person.skeleton.bones().to_vec();
    for name in ["RightHand", "LeftToes", "Head"] {
        let bone = person.skeleton.find(name).unwrap();
        bones[bone].ends = vec![DVec3::new(1.618, 0.001, 0.009), DVec3::ZERO];
    }
    let garbage = Skeleton::new(bones).unwrap();
    let settings = BodySettings { mass: Some(70.0), ..BodySettings::default() };
    let body = assemble(&garbage, &CharacterEvidence::default(), &settings).unwrap().character;
    for (bone, (own, clean)) in body.bodies.iter().zip(&person.bodies).enumerate() {
        let name = &garbage.bones()[bone].name;
        assert!((own.mass - clean.mass).abs() < 1e-12, "{name}");
        assert!(own.center.distance(clean.center) < 0.03, "{name}: {} and {}", own.center, clean.center);
    }
    let reach = body.contacts.iter().map(|contact| contact.position.length()).fold(0.0, f64::max);
    assert!(reach < 0.4, "no contact point far from its bone: {reach}");
}

#[test]
fn skin_on_control_bones_never_touches_the_floor() {
    let person = humanoid();
    let mut bones = person.skeleton.bones().to_vec();
    for (name, parent) in [("IK-foot.l", None), ("footIK_target", Some(0))] {
        bones.push(Bone { name: name.into(), parent, ends: vec![], ..bones[0].clone() });
    }
    let skeleton = Skeleton::new(bones).unwrap();
    let foot = skeleton.find("LeftFoot").unwrap();
    let skin: Vec<(usize, DVec3)> =
        [foot, skeleton.len() - 2, skeleton.len() - 1].map(|bone| (bone, DVec3::new(0.0, -0.07, 0.1))).to_vec();
    let evidence = CharacterEvidence { skin_points: &skin, ..CharacterEvidence::default() };
    let body = assemble(&skeleton, &evidence, &BodySettings::default()).unwrap().character;
    assert!(body.contacts.iter().all(|contact| contact.bone < skeleton.len() - 2));
    let bare = assemble(&skeleton, &CharacterEvidence::default(), &BodySettings::default()).unwrap().character;
    assert_eq!(body.contacts, bare.contacts, "a vertex covers nothing");
    assert_eq!(bare.bodies[skeleton.len() - 2].mass, 0.0);
}

#[test]
fn the_source_of_the_mass_says_what_was_assumed() {
    let person = humanoid().skeleton;
    let settings = BodySettings { height: Some(1.7), ..BodySettings::default() };
    let assumed = assemble(&person, &CharacterEvidence::default(), &settings).unwrap().character;
    assert_eq!(assumed.body_source, "de Leva 1996 mean, assumed for 1.70 m (22 kg/m²)");
    assert!((assumed.mass() - 22.0 * 1.7 * 1.7).abs() < 1e-12);
}

#[test]
fn x14_collapsed_skeletons_and_senseless_settings_are_no_panic() {
    let person = humanoid().skeleton;
    let collapsed: Vec<Bone> =
        person.bones().iter().map(|bone| Bone { translation: DVec3::ZERO, ends: vec![], ..bone.clone() }).collect();
    let collapsed = Skeleton::new(collapsed).unwrap();
    let body = assemble(&collapsed, &CharacterEvidence::default(), &BodySettings::default()).unwrap();
    assert!(body.character.mass() > 0.0 && body.character.mass().is_finite());
    for mass in [0.0, -1.0, f64::NAN] {
        let settings = BodySettings { mass: Some(mass), ..BodySettings::default() };
        let error = assemble(&person, &CharacterEvidence::default(), &settings).unwrap_err();
        assert!(error.to_string().starts_with("the mass is"), "{error}");
    }
    let evidence = CharacterEvidence { skin_points: &[(99, DVec3::ZERO)], ..CharacterEvidence::default() };
    assert!(assemble(&person, &evidence, &BodySettings::default()).is_err());
}

#[test]
fn x14_a_chain_of_20000_bones_that_all_claim_to_be_a_leg_is_no_hang() {
    let sides = ["LeftLeg", "RightLeg", "LeftArm", "Head", "Spine"];
    let bones = (0..20_000).map(|at: usize| Bone {
        name: format!("{}{at}", sides[at % 5]),
        parent: at.checked_sub(if at.is_multiple_of(3) { 7 } else { 1 }),
        translation: DVec3::Y,
        rotation: DQuat::IDENTITY,
        ends: vec![],
    });
    let skeleton = Skeleton::new(bones.collect()).unwrap();
    let clip = Clip::new(20_000, 1, 0.1).unwrap();
    let evidence = CharacterEvidence { clip: Some(&clip), ..CharacterEvidence::default() };
    assert!(assemble(&skeleton, &evidence, &BodySettings::default()).unwrap().character.mass() > 0.0);
}

#[test]
fn knees_and_elbows_bend_one_way_and_arms_of_a_t_pose_start_at_ninety_degrees() {
    use crate::character::Side::{Left, Right};
    use core::f64::consts::FRAC_PI_2;
    let person = humanoid();
    let range = |role| &person.ranges[person.bone_of(role).unwrap()];
    for side in [Left, Right] {
        let JointRange::Hinge { axis, lower, upper } = *range(Role::LowerLeg(side)) else { panic!() };
        // With the heel toward the back, the shank's −y turns to −z about +x.
        assert!((axis - DVec3::X).length() < 1e-9 && lower.abs() < 1e-9 && (upper - 135f64.to_radians()).abs() < 1e-9);
        let JointRange::Hinge { axis, lower, upper } = *range(Role::LowerArm(side)) else { panic!() };
        let outward = if side == Left { DVec3::X } else { -DVec3::X };
        let bent = crate::math::rotation::about(axis, 0.5 * (lower + upper)) * outward;
        assert!(bent.z > 0.9, "the forearm bends forward: {bent}");
        let JointRange::SwingTwist { frame, swing_z, .. } = *range(Role::UpperArm(side)) else { panic!() };
        assert!((frame * DVec3::Y - outward).length() < 1e-9);
        let reach = |angle: f64| crate::math::rotation::about(frame * DVec3::Z, angle) * outward;
        let [low, high] = swing_z.map(reach);
        assert!(low.y.max(high.y) > 0.99, "up to the ear");
        assert!((swing_z[1] - swing_z[0] - 225f64.to_radians()).abs() < 1e-9);
        assert!(swing_z[0] <= -FRAC_PI_2 && swing_z[1] >= FRAC_PI_2);
    }
}
