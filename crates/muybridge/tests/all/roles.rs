//! Humanoid roles of the bones of every shared clip, compared with a person's reading of their names.

use crate::shared_motion;
use crate::test_files::here;

use muybridge::character::{Role, Side, Skeleton, roles};
use shared_motion::{bvh, gltf};

/// Expected bones: hips, spine, head, and on the left side upper arm, lower arm, hand, upper leg, lower leg, foot. An
/// empty name means no bone.
const EXPECTED: [Role; 9] = [
    Role::Hips,
    Role::Spine,
    Role::Head,
    Role::UpperArm(Side::Left),
    Role::LowerArm(Side::Left),
    Role::Hand(Side::Left),
    Role::UpperLeg(Side::Left),
    Role::LowerLeg(Side::Left),
    Role::Foot(Side::Left),
];

fn check(file: &str, skeleton: &Skeleton, expected: &str) {
    let map = roles(skeleton);
    let words: Vec<&str> = expected.split(", ").collect();
    for (role, wanted) in EXPECTED.into_iter().zip(words) {
        let found = map.bone_of(role).map_or("", |bone| skeleton.bones()[bone].name.as_str());
        assert_eq!(found, wanted, "{} of {file}", role.name());
    }
    for side in [Side::Left, Side::Right] {
        let other = if side == Side::Left { Side::Right } else { Side::Left };
        let both = |role: fn(Side) -> Role| map.bone_of(role(side)).is_some() == map.bone_of(role(other)).is_some();
        for role in [Role::Shoulder, Role::UpperArm, Role::LowerArm, Role::Hand, Role::Foot, Role::Toes] {
            assert!(both(role), "{file}: {} on one side only", role(side).name());
        }
    }
}

#[test]
fn every_shared_humanoid_bvh_is_mapped_as_a_person_reads_it() {
    let common = "LeftArm, LeftForeArm, LeftHand, LeftUpLeg, LeftLeg, LeftFoot";
    let prefixed = |prefix: &str| {
        let names = format!("Hips, Spine, Head, {common}");
        names.split(", ").map(|name| format!("{prefix}{name}")).collect::<Vec<_>>().join(", ")
    };
    let boxing = "Hips, Ab, Head, LeftShoulder, LeftElbow, LeftWrist, LeftHip, LeftKnee, LeftAnkle";
    let games = "RootJoint, pelvis_lowerback, torso_head, lShoulder, lElbow, lWrist, lHip, lKnee, lAnkle";
    let snu = "Hips, Spine, Head, LeftArm, LeftForeArm, LeftHand, LeftUpLeg, LeftLeg, LeftToe";
    let mujoco =
        "pelvis, waist_lower, head, upper_arm_left, lower_arm_left, hand_left, thigh_left, shin_left, foot_left";
    let files = [
        ("bvh/cmu_01_01_forward_hops.bvh", format!("Hips, LowerBack, Head, {common}")),
        ("bvh/cmu_12_01_walk.bvh", format!("Hips, LowerBack, Head, {common}")),
        ("bvh/boxing_knockdown_fall.bvh", boxing.into()),
        ("bvh/mass_run.bvh", prefixed("Character1_")),
        ("bvh/mass_cartwheel.bvh", prefixed("Character1_")),
        ("bvh/mass_backflip_fast.bvh", prefixed("Character1_")),
        ("bvh/snu_hjump_phase.bvh", snu.into()),
        ("bvh/snu_ljump_phase.bvh", snu.into()),
        ("bvh/snu_walk_phase.bvh", snu.into()),
        ("bvh/games105_walk_turn_left_metres.bvh", games.into()),
        ("bvh/games105_idle_metres.bvh", games.into()),
        ("bvh/freebvh_walk_55joints.bvh", prefixed("mixamorig:")),
        (
            "bvh/wisc_example_2frames.bvh",
            "Hips, , Head, LeftUpArm, LeftLowArm, LeftHand, LeftUpLeg, LeftLowLeg, LeftFoot".into(),
        ),
        ("bvh/pybvh_mixed_orders_zup.bvh", prefixed("")),
        ("bvh/pybvh_single_frame.bvh", prefixed("")),
        ("bvh/geno_bind_all_position_channels.bvh", prefixed("")),
        ("truth/mj_drop_120.bvh", mujoco.into()),
        ("truth/mj_jump_30.bvh", mujoco.into()),
        (
            "truth/cmu2020_tumble_120.bvh",
            "root, lowerback, head, lhumerus, lradius, lhand, lfemur, ltibia, lfoot".into(),
        ),
        ("truth/opencap4_DJ1.bvh", prefixed("")),
        ("truth/opencap4_walking1.bvh", prefixed("")),
    ];
    for (file, expected) in here(files, |case| case.0.into()) {
        check(file, &bvh(file).0, &expected);
    }
}

#[test]
fn every_shared_humanoid_gltf_is_mapped_as_a_person_reads_it() {
    let files = [
        ("gltf/kaykit_rogue.glb", "hips, spine, head, upperarm.l, lowerarm.l, wrist.l, upperleg.l, lowerleg.l, foot.l"),
        ("gltf/RobotExpressive.glb", "Body, Hips, Head, UpperArm.L, LowerArm.L, , UpperLeg.L, LowerLeg.L, "),
        ("gltf/cesium_man.gltf", "node 2, node 11, node 20, node 16, node 17, node 18, node 7, node 8, node 9"),
        (
            "vrm/vrm1_expressions_isBinary_Overrides.vrm",
            "Hips, Spine, Head, UpperArm.L, LowerArm.L, Hand.L, UpperLeg.L, LowerLeg.L, Foot.L",
        ),
        (
            "vrm/test.vrma",
            "hips, spine, head, leftUpperArm, leftLowerArm, leftHand, leftUpperLeg, leftLowerLeg, leftFoot",
        ),
    ];
    for (file, expected) in here(files, |case| case.0.into()) {
        check(file, &gltf(file), expected);
    }
}

#[test]
fn s32_what_is_no_humanoid_is_not_mapped_as_one() {
    let files =
        ["gltf/Fox.glb", "gltf/kenney_platformer_character.glb", "gltf/SimpleSkin.gltf", "gltf/rigged_simple.gltf"];
    for file in here(files, |file| file.to_string()) {
        assert!(roles(&gltf(file)).roles.iter().all(Option::is_none), "{file}");
    }
    for file in ["bvh/fairmotion_no_end_sites.bvh", "bvh/pybvh_rotation_first_root.bvh"] {
        assert!(roles(&bvh(file).0).roles.iter().all(Option::is_none), "{file}");
    }
}

/// Skeleton of bones given as (name, parent index), a bone's length apart, limbs downward and trunk upward.
fn named(names: &[(&str, usize)]) -> Skeleton {
    use muybridge::character::Bone;
    use muybridge::glam::{DQuat, DVec3};
    let of_leg = |name: &str| {
        let name = name.to_lowercase();
        ["thigh", "calf", "shin", "leg", "foot", "toe", "ball"].iter().any(|word| name.contains(word))
    };
    let bones = names.iter().enumerate().map(|(at, &(name, parent))| Bone {
        name: name.into(),
        parent: (at > 0).then_some(parent),
        translation: if of_leg(name) { -DVec3::Y } else { DVec3::Y },
        rotation: DQuat::IDENTITY,
        ends: vec![],
    });
    Skeleton::new(bones.collect()).unwrap()
}

#[test]
fn biped_unreal_rigify_and_khronos_names_are_understood() {
    let biped = named(&[
        ("Bip01", 0),
        ("Bip01 Pelvis", 0),
        ("Bip01 Spine", 1),
        ("Bip01 Spine1", 2),
        ("Bip01 Neck", 3),
        ("Bip01 Head", 4),
        ("Bip01 L Clavicle", 4),
        ("Bip01 L UpperArm", 6),
        ("Bip01 L Forearm", 7),
        ("Bip01 L Hand", 8),
        ("Bip01 R Clavicle", 4),
        ("Bip01 R UpperArm", 10),
        ("Bip01 R Forearm", 11),
        ("Bip01 R Hand", 12),
        ("Bip01 L Thigh", 1),
        ("Bip01 L Calf", 14),
        ("Bip01 L Foot", 15),
        ("Bip01 L Toe0", 16),
        ("Bip01 R Thigh", 1),
        ("Bip01 R Calf", 18),
        ("Bip01 R Foot", 19),
        ("Bip01 R Toe0", 20),
        ("Bip01 R Toe0Nub", 21),
    ]);
    check(
        "Biped",
        &biped,
        "Bip01 Pelvis, Bip01 Spine, Bip01 Head, Bip01 L UpperArm, Bip01 L Forearm, Bip01 L Hand, Bip01 L Thigh, \
         Bip01 L Calf, Bip01 L Foot",
    );
    assert_eq!(roles(&biped).bone_of(Role::Neck), Some(4));
    let unreal = named(&[
        ("root", 0),
        ("pelvis", 0),
        ("spine_01", 1),
        ("spine_02", 2),
        ("clavicle_l", 3),
        ("upperarm_l", 4),
        ("upperarm_twist_01_l", 5),
        ("lowerarm_l", 5),
        ("hand_l", 7),
        ("clavicle_r", 3),
        ("upperarm_r", 9),
        ("lowerarm_r", 10),
        ("hand_r", 11),
        ("neck_01", 3),
        ("head", 13),
        ("thigh_l", 1),
        ("calf_l", 15),
        ("foot_l", 16),
        ("ball_l", 17),
        ("thigh_r", 1),
        ("calf_r", 19),
        ("foot_r", 20),
        ("ball_r", 21),
        ("ik_foot_root", 0),
        ("ik_foot_l", 23),
        ("ik_foot_r", 23),
    ]);
    check("Unreal", &unreal, "pelvis, spine_01, head, upperarm_l, lowerarm_l, hand_l, thigh_l, calf_l, foot_l");
    assert_eq!(roles(&unreal).bone_of(Role::Toes(Side::Left)), Some(18));
    let rigify = named(&[
        ("DEF-spine", 0),
        ("DEF-spine.001", 0),
        ("DEF-spine.002", 1),
        ("DEF-spine.003", 2),
        ("DEF-spine.004", 3),
        ("DEF-spine.005", 4),
        ("DEF-spine.006", 5),
        ("DEF-shoulder.L", 3),
        ("DEF-upper_arm.L", 7),
        ("DEF-upper_arm.L.001", 8),
        ("DEF-forearm.L", 9),
        ("DEF-hand.L", 10),
        ("DEF-shoulder.R", 3),
        ("DEF-upper_arm.R", 12),
        ("DEF-upper_arm.R.001", 13),
        ("DEF-forearm.R", 14),
        ("DEF-hand.R", 15),
        ("DEF-thigh.L", 0),
        ("DEF-thigh.L.001", 17),
        ("DEF-shin.L", 18),
        ("DEF-foot.L", 19),
        ("DEF-toe.L", 20),
        ("DEF-thigh.R", 0),
        ("DEF-thigh.R.001", 22),
        ("DEF-shin.R", 23),
        ("DEF-foot.R", 24),
        ("DEF-toe.R", 25),
        ("thigh_ik.L", 0),
        ("ORG-thigh.L", 0),
        ("ORG-shin.L", 28),
    ]);
    check(
        "Rigify",
        &rigify,
        "DEF-spine, DEF-spine.001, DEF-spine.006, DEF-upper_arm.L, DEF-forearm.L, DEF-hand.L, DEF-thigh.L, DEF-shin.L, \
         DEF-foot.L",
    );
    let khronos = named(&[
        ("Skeleton_torso_joint_1", 0),
        ("Skeleton_torso_joint_2", 0),
        ("torso_joint_3", 1),
        ("Skeleton_neck_joint_1", 2),
        ("Skeleton_neck_joint_2", 3),
        ("Skeleton_arm_joint_L__4_", 2),
        ("Skeleton_arm_joint_L__3_", 5),
        ("Skeleton_arm_joint_L__2_", 6),
        ("Skeleton_arm_joint_R", 2),
        ("Skeleton_arm_joint_R__2_", 8),
        ("Skeleton_arm_joint_R__3_", 9),
        ("leg_joint_L_1", 0),
        ("leg_joint_L_2", 11),
        ("leg_joint_L_3", 12),
        ("leg_joint_L_5", 13),
        ("leg_joint_R_1", 0),
        ("leg_joint_R_2", 15),
        ("leg_joint_R_3", 16),
        ("leg_joint_R_5", 17),
    ]);
    check(
        "CesiumMan",
        &khronos,
        "Skeleton_torso_joint_1, Skeleton_torso_joint_2, Skeleton_neck_joint_2, Skeleton_arm_joint_L__4_, Skeleton_arm_joint_L__3_, \
         Skeleton_arm_joint_L__2_, leg_joint_L_1, leg_joint_L_2, leg_joint_L_3",
    );
}
