//! Roles of one tree of 18 bones whose bones are called as in many programs and languages. The truth is the tree
//! itself, which is the same in every row.

use muybridge::character::{Bone, Role, Side, Skeleton, roles, roles_in_motion};
use muybridge::glam::{DQuat, DVec3};
use muybridge::motion::Clip;

/// Parent, place in centimeters, and end of each bone: trunk, left arm, right arm, left leg, right leg.
const TREE: [(usize, [f64; 3], [f64; 3]); 18] = [
    (0, [0.0, 0.0, 0.0], [0.0; 3]),
    (0, [0.0, 10.0, 0.0], [0.0; 3]),
    (1, [0.0, 30.0, 0.0], [0.0; 3]),
    (2, [0.0, 8.0, 0.0], [0.0, 16.0, 0.0]),
    (1, [15.0, 28.0, 0.0], [0.0; 3]),
    (4, [25.0, 0.0, 0.0], [0.0; 3]),
    (5, [24.0, 0.0, 0.0], [10.0, 0.0, 0.0]),
    (1, [-15.0, 28.0, 0.0], [0.0; 3]),
    (7, [-25.0, 0.0, 0.0], [0.0; 3]),
    (8, [-24.0, 0.0, 0.0], [-10.0, 0.0, 0.0]),
    (0, [10.0, -8.0, 0.0], [0.0; 3]),
    (10, [0.0, -38.0, 0.0], [0.0; 3]),
    (11, [0.0, -40.0, 0.0], [0.0; 3]),
    (12, [0.0, -5.0, 10.0], [0.0, 0.0, 6.0]),
    (0, [-10.0, -8.0, 0.0], [0.0; 3]),
    (14, [0.0, -38.0, 0.0], [0.0; 3]),
    (15, [0.0, -40.0, 0.0], [0.0; 3]),
    (16, [0.0, -5.0, 10.0], [0.0, 0.0, 6.0]),
];

fn truth() -> [Role; 18] {
    use Role::{Foot, Hand, Head, Hips, LowerArm, LowerLeg, Neck, Spine, Toes, UpperArm, UpperLeg};
    let arm = |side| [UpperArm(side), LowerArm(side), Hand(side)];
    let leg = |side| [UpperLeg(side), LowerLeg(side), Foot(side), Toes(side)];
    let mut roles = vec![Hips, Spine, Neck, Head];
    roles.extend([Side::Left, Side::Right].into_iter().flat_map(arm));
    roles.extend([Side::Left, Side::Right].into_iter().flat_map(leg));
    roles.try_into().unwrap()
}

/// Convention; trunk; left arm and left leg; what turns left into right.
const CONVENTIONS: [[&str; 4]; 48] = [
    [
        "Mixamo",
        "mixamorig:Hips mixamorig:Spine mixamorig:Neck mixamorig:Head",
        "mixamorig:LeftArm mixamorig:LeftForeArm mixamorig:LeftHand mixamorig:LeftUpLeg mixamorig:LeftLeg mixamorig:LeftFoot mixamorig:LeftToeBase",
        "Left>Right",
    ],
    [
        "Mixamo, plain",
        "Hips Spine Neck Head",
        "LeftArm LeftForeArm LeftHand LeftUpLeg LeftLeg LeftFoot LeftToeBase",
        "Left>Right",
    ],
    [
        "Mixamo, numbered",
        "mixamorig1:Hips mixamorig1:Spine mixamorig1:Neck mixamorig1:Head",
        "mixamorig1:LeftArm mixamorig1:LeftForeArm mixamorig1:LeftHand mixamorig1:LeftUpLeg mixamorig1:LeftLeg mixamorig1:LeftFoot mixamorig1:LeftToeBase",
        "Left>Right",
    ],
    [
        "Mixamo, underscores",
        "mixamorig_Hips mixamorig_Spine mixamorig_Neck mixamorig_Head",
        "mixamorig_LeftArm mixamorig_LeftForeArm mixamorig_LeftHand mixamorig_LeftUpLeg mixamorig_LeftLeg mixamorig_LeftFoot mixamorig_LeftToeBase",
        "Left>Right",
    ],
    [
        "Sketchfab",
        "Hips_01 Spine_02 Neck_03 Head_04",
        "LeftArm_05 LeftForeArm_06 LeftHand_07 LeftUpLeg_011 LeftLeg_012 LeftFoot_013 LeftToeBase_014",
        "Left>Right",
    ],
    [
        "OptiTrack",
        "Skeleton~001:Hip Skeleton~001:Ab Skeleton~001:Neck Skeleton~001:Head",
        "Skeleton~001:LUArm Skeleton~001:LFArm Skeleton~001:LHand Skeleton~001:LThigh Skeleton~001:LShin Skeleton~001:LFoot Skeleton~001:LToe",
        ":L>:R",
    ],
    [
        "OptiTrack, underscores",
        "Skeleton~001_Hip Skeleton~001_Ab Skeleton~001_Neck Skeleton~001_Head",
        "Skeleton~001_LUArm Skeleton~001_LFArm Skeleton~001_LHand Skeleton~001_LThigh Skeleton~001_LShin Skeleton~001_LFoot Skeleton~001_LToe",
        "_L>_R",
    ],
    [
        "Daz Genesis 8",
        "pelvis abdomenLower neckLower head",
        "lShldrBend lForearmBend lHand lThighBend lShin lFoot lToe",
        "l>r",
    ],
    ["Daz Genesis 9", "pelvis spine1 neck1 head", "l_upperarm l_forearm l_hand l_thigh l_shin l_foot l_toes", "l_>r_"],
    ["Poser", "hip abdomen neck head", "lShldr lForeArm lHand lThigh lShin lFoot lToe", "l>r"],
    [
        "Character Creator",
        "CC_Base_Hip CC_Base_Waist CC_Base_NeckTwist01 CC_Base_Head",
        "CC_Base_L_Upperarm CC_Base_L_Forearm CC_Base_L_Hand CC_Base_L_Thigh CC_Base_L_Calf CC_Base_L_Foot CC_Base_L_ToeBase",
        "_L_>_R_",
    ],
    [
        "AccuRIG",
        "RL_Hip RL_Waist RL_NeckTwist01 RL_Head",
        "RL_L_Upperarm RL_L_Forearm RL_L_Hand RL_L_Thigh RL_L_Calf RL_L_Foot RL_L_ToeBase",
        "_L_>_R_",
    ],
    ["MMD", "センター 上半身 首 頭", "左腕 左ひじ 左手首 左足 左ひざ 左足首 左つま先", "左>右"],
    ["MMD, English", "center upper~body neck head", "arm_L elbow_L wrist_L leg_L knee_L ankle_L toe_L", "_L>_R"],
    [
        "Unreal, MetaHuman",
        "pelvis spine_01 neck_01 head",
        "upperarm_l lowerarm_l hand_l thigh_l calf_l foot_l ball_l",
        "_l>_r",
    ],
    [
        "VRoid",
        "J_Bip_C_Hips J_Bip_C_Spine J_Bip_C_Neck J_Bip_C_Head",
        "J_Bip_L_UpperArm J_Bip_L_LowerArm J_Bip_L_Hand J_Bip_L_UpperLeg J_Bip_L_LowerLeg J_Bip_L_Foot J_Bip_L_ToeBase",
        "_L_>_R_",
    ],
    [
        "VRM",
        "hips spine neck head",
        "leftUpperArm leftLowerArm leftHand leftUpperLeg leftLowerLeg leftFoot leftToes",
        "left>right",
    ],
    [
        "Rigify",
        "DEF-spine DEF-spine.001 DEF-neck DEF-head",
        "DEF-upper_arm.L DEF-forearm.L DEF-hand.L DEF-thigh.L DEF-shin.L DEF-foot.L DEF-toe.L",
        ".L>.R",
    ],
    [
        "Rigify, meta-rig",
        "spine spine.001 spine.004 spine.006",
        "upper_arm.L forearm.L hand.L thigh.L shin.L foot.L toe.L",
        ".L>.R",
    ],
    [
        "Auto-Rig Pro",
        "root.x spine_01.x neck.x head.x",
        "arm_stretch.l forearm_stretch.l hand.l thigh_stretch.l leg_stretch.l foot.l toes_01.l",
        ".l>.r",
    ],
    [
        "3ds Max Biped",
        "Bip01~Pelvis Bip01~Spine Bip01~Neck Bip01~Head",
        "Bip01~L~UpperArm Bip01~L~Forearm Bip01~L~Hand Bip01~L~Thigh Bip01~L~Calf Bip01~L~Foot Bip01~L~Toe0",
        "~L~>~R~",
    ],
    [
        "Source engine",
        "ValveBiped.Bip01_Pelvis ValveBiped.Bip01_Spine ValveBiped.Bip01_Neck1 ValveBiped.Bip01_Head1",
        "ValveBiped.Bip01_L_UpperArm ValveBiped.Bip01_L_Forearm ValveBiped.Bip01_L_Hand ValveBiped.Bip01_L_Thigh ValveBiped.Bip01_L_Calf ValveBiped.Bip01_L_Foot ValveBiped.Bip01_L_Toe0",
        "_L_>_R_",
    ],
    ["3ds Max CAT", "HubPelvis Spine1 Neck1 HubHead", "LArm1 LArm2 LArmPalm LLeg1 LLeg2 LLegAnkle LLegToe1", "L>R"],
    ["SMPL", "Pelvis Spine1 Neck Head", "L_Shoulder L_Elbow L_Wrist L_Hip L_Knee L_Ankle L_Foot", "L_>R_"],
    [
        "SMPL, Maya",
        "m_avg_Pelvis m_avg_Spine1 m_avg_Neck m_avg_Head",
        "m_avg_L_Shoulder m_avg_L_Elbow m_avg_L_Wrist m_avg_L_Hip m_avg_L_Knee m_avg_L_Ankle m_avg_L_Foot",
        "_L_>_R_",
    ],
    ["CMU", "root lowerback lowerneck head", "lhumerus lradius lhand lfemur ltibia lfoot ltoes", "l>r"],
    ["Vicon", "Pelvis LowerBack Neck Head", "L_Humerus L_Radius L_Hand L_Femur L_Tibia L_Foot L_Toe", "L_>R_"],
    [
        "Biovision",
        "Hips Abdomen Neck Head",
        "LeftShoulder LeftElbow LeftWrist LeftHip LeftKnee LeftAnkle LeftToe",
        "Left>Right",
    ],
    [
        "Xsens",
        "Pelvis L5 Neck Head",
        "LeftUpperArm LeftForeArm LeftHand LeftUpperLeg LeftLowerLeg LeftFoot LeftToe",
        "Left>Right",
    ],
    [
        "Kinect",
        "SpineBase SpineMid Neck Head",
        "ShoulderLeft ElbowLeft WristLeft HipLeft KneeLeft AnkleLeft FootLeft",
        "Left>Right",
    ],
    [
        "Azure Kinect",
        "PELVIS SPINE_NAVAL NECK HEAD",
        "SHOULDER_LEFT ELBOW_LEFT WRIST_LEFT HIP_LEFT KNEE_LEFT ANKLE_LEFT FOOT_LEFT",
        "LEFT>RIGHT",
    ],
    [
        "HumanIK, Qualisys, Perception Neuron",
        "Character1_Hips Character1_Spine Character1_Neck Character1_Head",
        "Character1_LeftArm Character1_LeftForeArm Character1_LeftHand Character1_LeftUpLeg Character1_LeftLeg Character1_LeftFoot Character1_LeftToeBase",
        "Left>Right",
    ],
    [
        "Rokoko",
        "Hips Spine1 Neck Head",
        "LeftArm LeftForeArm LeftHand LeftThigh LeftShin LeftFoot LeftToe",
        "Left>Right",
    ],
    [
        "DeepMotion",
        "hips_JNT spine_JNT neck_JNT head_JNT",
        "l_arm_JNT l_forearm_JNT l_hand_JNT l_upleg_JNT l_leg_JNT l_foot_JNT l_toebase_JNT",
        "l_>r_",
    ],
    ["Cascadeur", "pelvis stomach neck head", "arm_l forearm_l hand_l thigh_l calf_l foot_l toe_l", "_l>_r"],
    [
        "Advanced Skeleton",
        "Root_M Spine1_M Neck_M Head_M",
        "Shoulder_L Elbow_L Wrist_L Hip_L Knee_L Ankle_L Toes_L",
        "_L>_R",
    ],
    [
        "Roblox",
        "LowerTorso Waist Neck Head",
        "LeftUpperArm LeftLowerArm LeftHand LeftUpperLeg LeftLowerLeg LeftFoot LeftToe",
        "Left>Right",
    ],
    [
        "Second Life",
        "mPelvis mSpine mNeck mHead",
        "mShoulderLeft mElbowLeft mWristLeft mHipLeft mKneeLeft mAnkleLeft mToeLeft",
        "Left>Right",
    ],
    [
        "German",
        "Becken Wirbel Hals Kopf",
        "Oberarm_L Unterarm_L Hand_L Oberschenkel_L Unterschenkel_L Fuss_L Zehen_L",
        "_L>_R",
    ],
    [
        "German, words",
        "Hüfte Rücken Hals Kopf",
        "Oberarm~links Unterarm~links Hand~links Oberschenkel~links Knie~links Fuß~links Zehen~links",
        "links>rechts",
    ],
    ["French", "bassin colonne cou tête", "bras_G avant-bras_G main_G cuisse_G jambe_G pied_G orteils_G", "_G>_D"],
    [
        "Spanish",
        "cadera columna cuello cabeza",
        "brazo_izq antebrazo_izq mano_izq muslo_izq pierna_izq pie_izq dedos_izq",
        "izq>der",
    ],
    [
        "Italian",
        "bacino schiena collo testa",
        "braccio_sx avambraccio_sx mano_sx coscia_sx gamba_sx piede_sx dita_sx",
        "sx>dx",
    ],
    ["Portuguese", "quadril coluna pescoço cabeça", "braço_E antebraço_E mão_E coxa_E canela_E pé_E dedos_E", "_E>_D"],
    [
        "Russian",
        "таз спина шея голова",
        "плечо_лев предплечье_лев кисть_лев бедро_лев голень_лев стопа_лев носок_лев",
        "лев>прав",
    ],
    ["Chinese", "骨盆 脊柱 颈 头", "左上臂 左前臂 左手 左大腿 左小腿 左脚 左脚趾", "左>右"],
    ["Korean", "골반 척추 목 머리", "왼위팔 왼팔뚝 왼손 왼허벅지 왼종아리 왼발 왼발가락", "왼>오른"],
    ["numbers", "b0 b1 b2 b3", "b4 b5 b6 b10 b11 b12 b13", "numbers"],
];

fn named(row: [&str; 4]) -> Skeleton {
    let [_, trunk, left, mirror] = row;
    let right: Vec<String> = match mirror.split_once('>') {
        Some((from, to)) if from.len() == 1 && from.is_ascii() => {
            left.split(' ').map(|name| format!("{to}{}", &name[1..])).collect()
        }
        Some((from, to)) => left.split(' ').map(|name| name.replacen(from, to, 1)).collect(),
        None => ["b7", "b8", "b9", "b14", "b15", "b16", "b17"].map(String::from).into(),
    };
    let left: Vec<String> = left.split(' ').map(String::from).collect();
    let mut names: Vec<String> = trunk.split(' ').map(String::from).collect();
    for part in [&left[..3], &right[..3], &left[3..], &right[3..]] {
        names.extend_from_slice(part);
    }
    let bones = names.iter().zip(TREE).enumerate().map(|(at, (name, (parent, place, end)))| Bone {
        name: name.replace('~', " "),
        parent: (at > 0).then_some(parent),
        translation: DVec3::from(place),
        rotation: DQuat::IDENTITY,
        ends: if end == [0.0; 3] { vec![] } else { vec![DVec3::from(end)] },
    });
    Skeleton::new(bones.collect()).unwrap()
}

#[test]
fn roles_are_those_of_the_tree_in_every_convention_of_names() {
    let wanted = truth();
    let mut wrong = Vec::new();
    for row in CONVENTIONS {
        let skeleton = named(row);
        let found = roles(&skeleton).roles;
        for (bone, (found, wanted)) in found.iter().zip(wanted).enumerate() {
            if *found != Some(wanted) {
                let name = &skeleton.bones()[bone].name;
                wrong.push(format!("{}: “{name}” is {} and not {found:?}", row[0], wanted.name()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The skeleton with every bone lying along x at rest, and a clip in which its joints stand as in `skeleton`.
fn lying_along_x(skeleton: &Skeleton) -> (Skeleton, Clip) {
    let bones = skeleton.bones();
    let turns: Vec<DQuat> = (0..bones.len())
        .map(|bone| {
            let child = skeleton.children(bone).next().map(|child| bones[child].translation);
            let along = child.or(bones[bone].ends.first().copied()).filter(|along| *along != DVec3::ZERO);
            DQuat::from_rotation_arc(DVec3::X, along.unwrap_or(DVec3::X).normalize()).normalize()
        })
        .collect();
    let above = |bone: usize| bones[bone].parent.map_or(DQuat::IDENTITY, |parent| turns[parent]);
    let lying = bones.iter().enumerate().map(|(at, bone)| Bone {
        translation: above(at).inverse() * bone.translation,
        ends: bone.ends.iter().map(|&end| turns[at].inverse() * end).collect(),
        ..bone.clone()
    });
    let lying = Skeleton::new(lying.collect()).unwrap();
    let mut clip = Clip::new(bones.len(), 1, 0.1).unwrap();
    for (at, bone) in lying.bones().iter().enumerate() {
        clip.set_translation(at, 0, bone.translation);
        clip.set_rotation(at, 0, (above(at).inverse() * turns[at]).normalize());
    }
    (lying, clip)
}

#[test]
fn roles_do_not_depend_on_the_rest_pose() {
    for row in CONVENTIONS {
        let (skeleton, clip) = lying_along_x(&named(row));
        let found = roles_in_motion(&skeleton, Some(&clip)).roles;
        assert_eq!(found, truth().map(Some), "{}", row[0]);
    }
}

#[test]
fn birds_and_dogs_are_no_people() {
    let bird = ["bird", "Pelvis Spine Neck Head", "Wing1_L Wing2_L Wing3_L Thigh_L Calf_L Foot_L Toe_L", "_L>_R"];
    let horse = [
        "horse",
        "Hips Spine Neck Head",
        "LeftFrontUpper LeftFrontLower LeftFrontHoof LeftUpLeg LeftLeg LeftFoot LeftToe",
        "Left>Right",
    ];
    let dog = [
        "dog",
        "Hips Spine Neck Head",
        "LeftArm LeftForeArm LeftHand LeftUpLeg LeftLeg LeftFoot LeftToe",
        "Left>Right",
    ];
    // A dog's trunk lies, its limbs are of one length, and it may have a person's names.
    let dog_like = |skeleton: Skeleton| {
        let mut bones = skeleton.bones().to_vec();
        for bone in &mut bones {
            let [x, y, z] = bone.translation.to_array();
            bone.translation = match bone.name.as_str() {
                "Spine" | "Neck" => DVec3::new(0.0, 0.0, 40.0),
                "LeftArm" | "RightArm" => DVec3::new(0.5 * x, -5.0, 35.0),
                "LeftForeArm" | "RightForeArm" | "LeftHand" | "RightHand" => DVec3::new(0.0, -20.0, 0.0),
                "LeftLeg" | "RightLeg" | "LeftFoot" | "RightFoot" => DVec3::new(0.0, -20.0, 0.0),
                _ => DVec3::new(x, y, z),
            };
        }
        Skeleton::new(bones).unwrap()
    };
    for skeleton in [named(bird), named(horse), dog_like(named(dog))] {
        assert_eq!(roles(&skeleton).roles, [None; 18], "{}", skeleton.bones()[4].name);
    }
    assert_eq!(roles(&named(dog)).roles, truth().map(Some), "the same names on a person's bones");
}
