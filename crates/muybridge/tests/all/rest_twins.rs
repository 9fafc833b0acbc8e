//! One motion on skeletons that rest differently: every joint and bone moves alike, only the bones' own axes differ. The
//! truth is the first of them.

use muybridge::analysis::{Analysis, Settings, analyze};
use muybridge::character::units::{Stated, infer};
use muybridge::character::{Assembled, BodySettings, Bone, CharacterEvidence, Skeleton, assemble, roles_in_motion};
use muybridge::glam::{DQuat, DVec3};
use muybridge::math::rotation::about;
use muybridge::motion::Clip;
use muybridge::samples::{humanoid, jump, walk};

/// The same motion with bone `b` turned by `turns[b]` about its own joint: a file without rest rotations rests otherwise.
fn twin(skeleton: &Skeleton, clip: &Clip, turns: &[DQuat]) -> (Skeleton, Clip) {
    let bones = skeleton.bones();
    let above = |bone: usize| bones[bone].parent.map_or(DQuat::IDENTITY, |parent| turns[parent]);
    let turned = bones.iter().enumerate().map(|(at, bone)| Bone {
        translation: above(at).inverse() * bone.translation,
        ends: bone.ends.iter().map(|&end| turns[at].inverse() * end).collect(),
        ..bone.clone()
    });
    let mut motion = clip.clone();
    for bone in 0..bones.len() {
        for frame in 0..clip.frames() {
            motion.set_translation(bone, frame, above(bone).inverse() * clip.translation(bone, frame));
            let turn = above(bone).inverse() * clip.rotation(bone, frame) * turns[bone];
            motion.set_rotation(bone, frame, turn.normalize());
        }
    }
    (Skeleton::new(turned.collect()).unwrap(), motion)
}

fn judged(skeleton: &Skeleton, clip: &Clip) -> (Assembled, Analysis) {
    let evidence = CharacterEvidence { clip: Some(clip), ..CharacterEvidence::default() };
    let built = assemble(skeleton, &evidence, &BodySettings::default()).unwrap();
    let analysis = analyze(&built.character, clip, &Settings::default());
    (built, analysis)
}

#[test]
fn twins_that_rest_differently_agree_in_roles_unit_mass_findings_and_verdict() {
    let skeleton = humanoid().skeleton;
    let bones = skeleton.bones();
    let along_x = |bone: usize| {
        let child = skeleton.children(bone).next().map(|child| bones[child].translation);
        let along = child.or(bones[bone].ends.first().copied()).unwrap_or(DVec3::X);
        DQuat::from_rotation_arc(DVec3::X, along.normalize()).normalize()
    };
    let arms_up = |bone: usize| match bones[bone].name.as_str() {
        "LeftUpperArm" | "LeftLowerArm" | "LeftHand" => about(DVec3::Z, -1.5),
        "RightUpperArm" | "RightLowerArm" | "RightHand" => about(DVec3::Z, 1.5),
        _ => DQuat::IDENTITY,
    };
    // Any turns will do: 137 and 61 degrees a bone about axes that differ.
    let any = |bone: usize| {
        let step = bone as f64;
        (about(DVec3::new(0.6, 0.8, 0.0), 2.39 * step) * about(DVec3::Z, 1.06 * step)).normalize()
    };
    let backward = |bone: usize| if bone == 0 { DQuat::IDENTITY } else { about(DVec3::Y, core::f64::consts::PI) };
    for (name, clip) in [("walk", walk()), ("jump", jump())] {
        let (own, verdict) = judged(&skeleton, &clip);
        let findings = |analysis: &Analysis| analysis.findings.iter().map(|f| (f.id, f.severity)).collect::<Vec<_>>();
        let turns: [(&str, &dyn Fn(usize) -> DQuat); 4] =
            [("along x", &along_x), ("arms up", &arms_up), ("any", &any), ("backward", &backward)];
        for (rest, turn) in turns {
            let turns: Vec<DQuat> = (0..bones.len()).map(turn).collect();
            let (twin, motion) = twin(&skeleton, &clip, &turns);
            let (other, judged) = judged(&twin, &motion);
            let case = format!("{name}, rest pose {rest}");
            assert_eq!(other.roles.roles, own.roles.roles, "{case}");
            let [a, b] = [&own, &other].map(|built| built.height.unwrap());
            assert!((a / b - 1.0).abs() < 0.005, "{case}: heights {a} and {b}");
            let [a, b] = [&own, &other].map(|built| built.character.mass());
            assert!((a / b - 1.0).abs() < 0.01, "{case}: masses {a} and {b}");
            let unit = |skeleton: &Skeleton, clip: &Clip| {
                let map = roles_in_motion(skeleton, Some(clip));
                let units = infer(skeleton, clip, &map, &Stated::default());
                (units.meters_per_unit, units.up, units.suspicious)
            };
            assert_eq!(unit(&twin, &motion), unit(&skeleton, &clip), "{case}");
            assert_eq!(findings(&judged), findings(&verdict), "{case}");
            assert_eq!(judged.verdict, verdict.verdict, "{case}");
        }
    }
}
