//! Writing: a clip goes back into its file and nothing else changes; new files contain exactly their input.

use crate::test_files::{here, path as data};

use muybridge::character::{Bone, Role, Side, Skeleton};
use muybridge::glam::DVec3;
use muybridge::math::rotation::exp;
use muybridge::motion::{Clip, WorldMotion};
use muybridge_files::Imported;
use muybridge_files::gltf::{self, ExportOptions, GltfDocument, ImportOptions, WrittenGltf};
use muybridge_files::output::SideFile;
use serde_json::Value;

fn open(name: &str) -> GltfDocument {
    let path = data(name);
    gltf::parse(&std::fs::read(&path).unwrap(), &mut |n| std::fs::read(path.with_file_name(n)).ok()).unwrap()
}

fn import(document: &GltfDocument) -> Imported {
    gltf::import(document, &ImportOptions::default()).unwrap()
}

fn reopen(written: &WrittenGltf) -> GltfDocument {
    let beside = |name: &str| SideFile::find(&written.beside, name);
    gltf::parse(&written.file, &mut |name| beside(name)).unwrap()
}

/// Rotates every bone from `first` on a little, more with time.
fn bent(clip: &Clip, first: usize) -> Clip {
    let mut bent = clip.clone();
    for bone in first..clip.bones() {
        for frame in 0..clip.frames() {
            let amount = 0.01 * (1.0 + bone as f64 % 7.0) * (1.0 + frame as f64 / clip.frames() as f64);
            let turn = exp(DVec3::new(amount, -0.5 * amount, 0.3 * amount));
            bent.set_rotation(bone, frame, (clip.rotation(bone, frame) * turn).normalize());
        }
    }
    bent
}

/// Greatest distance between joints of two motions, as a fraction of the extent of the first.
fn distance(a: (&Imported, &Clip), b: (&Imported, &Clip)) -> f64 {
    assert_eq!(a.1.frames(), b.1.frames());
    let (one, two) = (WorldMotion::new(&a.0.skeleton, a.1), WorldMotion::new(&b.0.skeleton, b.1));
    let (mut worst, mut low, mut high) = (0.0f64, DVec3::MAX, DVec3::MIN);
    for (bone, entry) in a.0.skeleton.bones().iter().enumerate() {
        let same = b.0.skeleton.find(&entry.name).unwrap();
        for frame in 0..a.1.frames() {
            let position = one.position(bone, frame);
            worst = worst.max(position.distance(two.position(same, frame)));
            (low, high) = (low.min(position), high.max(position));
        }
    }
    worst / (high - low).length()
}

/// Checks that the new document contains the old one, except for the one animation and appended parts.
fn assert_nothing_else_changed(old: &GltfDocument, new: &GltfDocument, animation: usize) {
    let (a, b) = (old.json().as_object().unwrap(), new.json().as_object().unwrap());
    assert!(a.keys().eq(b.keys()), "members of the root");
    for (key, before) in a {
        let after = &b[key];
        match key.as_str() {
            "accessors" | "bufferViews" => {
                let (before, after) = (before.as_array().unwrap(), after.as_array().unwrap());
                assert_eq!(before[..], after[..before.len()], "{key}");
            }
            "buffers" => {
                for (before, after) in before.as_array().unwrap().iter().zip(after.as_array().unwrap()) {
                    let bare = |v: &Value| {
                        let mut v = v.clone();
                        v.as_object_mut().unwrap().retain(|k, _| k != "byteLength" && k != "uri");
                        v
                    };
                    assert_eq!(bare(before), bare(after));
                }
            }
            "animations" => {
                for (i, (before, after)) in before.as_array().unwrap().iter().zip(after.as_array().unwrap()).enumerate()
                {
                    if i != animation {
                        assert_eq!(before, after, "animation {i}");
                        continue;
                    }
                    let members = |v: &Value| {
                        let mut v = v.clone();
                        v.as_object_mut().unwrap().retain(|k, _| k != "channels" && k != "samplers");
                        v
                    };
                    assert_eq!(members(before), members(after));
                    let (channels, now) =
                        (before["channels"].as_array().unwrap(), after["channels"].as_array().unwrap());
                    for (channel, now) in channels.iter().zip(now) {
                        assert_eq!(channel["target"], now["target"]);
                        let kept = !matches!(channel["target"]["path"].as_str(), Some("rotation" | "translation"));
                        if kept {
                            let sampler =
                                |v: &Value, c: &Value| v["samplers"][c["sampler"].as_u64().unwrap() as usize].clone();
                            assert_eq!(sampler(before, channel), sampler(after, now));
                        }
                    }
                }
            }
            _ => assert_eq!(before, after, "{key}"),
        }
    }
    for (before, after) in old.buffers().iter().zip(new.buffers()) {
        assert!(after.starts_with(before), "the bytes of a buffer changed");
    }
}

/// Writes clips of a file and compares them. Bones before `first` do not move: their nodes have matrices, which cannot be animated.
fn write_and_compare(name: &str, titles: &[&str], first: usize) {
    let old = open(name);
    let file = import(&old);
    for title in titles {
        let clip = file.clips.iter().find(|c| c.name == *title).unwrap();
        let animations = old.json()["animations"].as_array().unwrap();
        let index = animations.iter().position(|a| a["name"].as_str().unwrap_or("") == *title).unwrap();
        for (clip, what) in [(clip.clone(), "the same"), (bent(clip, first), "another")] {
            let written = gltf::with_motion(&old, index, &file.skeleton, &clip).unwrap();
            let new = reopen(&written);
            assert_nothing_else_changed(&old, &new, index);
            let again = import(&new);
            assert_eq!(again.skeleton, file.skeleton);
            let back = again.clips.iter().find(|c| c.name == *title).unwrap();
            let off = distance((&file, &clip), (&again, back));
            assert!(off < 2e-6, "{name} {title}, {what} motion: {off}");
        }
    }
}

#[test]
fn a_clip_written_back_changes_the_animation_and_nothing_else() {
    let files = [
        ("gltf/Fox.glb", &["Survey", "Walk"][..]),
        ("gltf/RobotExpressive.glb", &["Jump", "Walking"]),
        ("gltf/kenney_platformer_character.glb", &["walk"]),
        ("vrm/test.vrma", &[""]),
        ("truth/mj_jump_120.glb", &["clip"]),
    ];
    for (name, titles) in here(files, |case| case.0.into()) {
        write_and_compare(name, titles, 0);
    }
}

#[test]
fn data_uris_grow_in_place_and_files_beside_are_handed_back() {
    let files = [("gltf/cesium_man.gltf", 1), ("gltf/rigged_simple.gltf", 3), ("gltf/SimpleSkin.gltf", 0)];
    for (name, first) in here(files, |case| case.0.into()) {
        write_and_compare(name, &[""], first);
    }
    let old = open("gltf/interpolation_test.gltf");
    let file = import(&old);
    let written = gltf::with_motion(&old, 5, &file.skeleton, &bent(&file.clips[5], 0)).unwrap();
    assert_eq!(written.beside.len(), 1);
    assert_eq!(written.beside[0].name, "interpolation_test.bin");
    assert!(written.beside[0].bytes.starts_with(&std::fs::read(data("gltf/interpolation_test.bin")).unwrap()));
    assert_nothing_else_changed(&old, &reopen(&written), 5);
}

const ODD: &str = r#"{
   "asset": {"version": "2.0", "extras": {"weight": 0.10, "Größe": 1e0}},
   "zebra": [1.0, 1e0, 0.10, 1E+2, -0.0, 123456789012345678901234567890],
   "zebra_again": [1e-08, 1E5, {"x\\": "\\u00e9"}],
   "extensionsUsed": ["ACME_thing"],
   "extensions": {"ACME_thing": {"b": 1, "a": {"nested": [null, true, "\u00e9"]}}},
   "nodes": [{"name": "ball", "scale": [2.0, 2.00, 2e0], "extras": 42, "children": [1]}, {"name": "tip", "translation": [0, 1.50, 0]}],
   "buffers": [{"uri": "data:application/gltf-buffer;base64,AAAAAAAAgD8AAABAAAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAQAAAAAAAAAAA", "byteLength": 48, "name": "numbers"}],
   "bufferViews": [{"buffer": 0, "byteLength": 12.0}, {"buffer": 0, "byteOffset": 12, "byteLength": 36}],
   "accessors": [
      {"bufferView": 0, "componentType": 5126, "count": 3, "type": "SCALAR", "min": [0.0], "max": [2.00]},
      {"bufferView": 1, "componentType": 5126, "count": 3, "type": "VEC3"}
   ],
   "animations": [{"name": "roll", "extras": {"take": 7.0}, "samplers": [{"input": 0, "output": 1, "extras": "mine"}],
      "channels": [{"sampler": 0, "target": {"node": 0, "path": "translation"}, "extras": 1.0},
                   {"sampler": 0, "target": {"node": 1, "path": "scale"}}]}]
}
"#;

#[test]
fn unknown_members_and_the_spelling_of_numbers_survive() {
    let old = gltf::parse(ODD.as_bytes(), &mut |_| None).unwrap();
    let file = import(&old);
    assert_eq!(file.clips[0].frames(), 3);
    let mut clip = file.clips[0].clone();
    clip.set_translation(0, 1, DVec3::new(0.0, 5.0, 0.0));
    let written = gltf::with_motion(&old, 0, &file.skeleton, &clip).unwrap();
    let text = std::str::from_utf8(&written.file).unwrap();
    // Only lines of buffers, views, accessors and channels may differ: lines are added, or their numbers change.
    let touched = |line: &&str| {
        ["\"buffers\"", "\"bufferViews\"", "\"VEC3\"", "\"samplers\"", "\"channels\"", "\"path\""]
            .iter()
            .any(|t| line.contains(t))
    };
    for line in ODD.lines().filter(|line| !touched(line)) {
        assert!(text.lines().any(|now| now == line), "this line changed: {line}");
    }
    assert!(text.contains(r#"[{"buffer": 0, "byteLength": 12.0}, {"buffer": 0, "byteOffset": 12, "byteLength": 36},"#));
    assert!(text.contains(r#""path": "translation"}, "extras": 1.0}"#) && text.contains(r#""extras": {"take": 7.0}"#));
    let new = reopen(&written);
    assert_nothing_else_changed(&old, &new, 0);
    // Two channels read one sampler: the scale channel must still read the old keys.
    assert_eq!(new.json()["animations"][0]["samplers"][0], old.json()["animations"][0]["samplers"][0]);
    let again = import(&new);
    assert_eq!(again.clips[0].translation(0, 1), DVec3::new(0.0, 5.0, 0.0));
}

#[test]
fn a_clip_of_another_skeleton_is_refused() {
    let old = gltf::parse(ODD.as_bytes(), &mut |_| None).unwrap();
    let file = import(&old);
    let clip = Clip::new(5, 3, 0.1).unwrap();
    assert!(gltf::with_motion(&old, 0, &file.skeleton, &clip).is_err());
    assert!(gltf::with_motion(&old, 3, &file.skeleton, &file.clips[0]).unwrap_err().message.contains("no animation 3"));
}

#[test]
fn a_new_file_holds_the_bones_and_clips_it_was_given() {
    let files = ["truth/mj_jump_120.glb", "gltf/Fox.glb", "gltf/RobotExpressive.glb", "vrm/test.vrma"];
    for name in here(files, |file| file.to_string()) {
        let file = import(&open(name));
        for binary in [true, false] {
            let bytes = gltf::export(&file.skeleton, &file.clips, ExportOptions { binary }).unwrap();
            let again = import(&gltf::parse(&bytes, &mut |_| None).unwrap());
            assert_eq!(again.clips.len(), file.clips.len());
            for (a, b) in file.skeleton.bones().iter().zip(again.skeleton.bones()) {
                assert_eq!((&a.name, a.parent, a.ends.len()), (&b.name, b.parent, b.ends.len()));
            }
            for (clip, back) in file.clips.iter().zip(&again.clips) {
                assert_eq!((&clip.name, clip.frames()), (&back.name, back.frames()));
                assert!((clip.frame_time / back.frame_time - 1.0).abs() < 1e-6);
                let off = distance((&file, clip), (&again, back));
                assert!(off < 1e-6, "{name} {}: {off}", clip.name);
            }
        }
    }
}

#[test]
fn a_vrma_holds_the_humanoid_motion_and_says_what_it_lacks() {
    let file = import(&open("vrm/test.vrma"));
    let (bytes, notes) = gltf::export_vrma(&file.skeleton, &file.roles, &file.clips[0]).unwrap();
    let again = import(&gltf::parse(&bytes, &mut |_| None).unwrap());
    assert_eq!(again.format, "VRMA 1.0 (glTF 2.0 binary)");
    assert_eq!(again.roles.len(), file.roles.len());
    assert!(notes.iter().any(|n| n.contains("30 bones without a role")), "{notes:?}");
    assert!(!notes.iter().any(|n| n.contains("T-pose")), "{notes:?}");
    let motion = |f: &Imported| WorldMotion::new(&f.skeleton, &f.clips[0]);
    let (one, two) = (motion(&file), motion(&again));
    for &(bone, role) in &file.roles {
        let same = again.roles.iter().find(|(_, r)| *r == role).unwrap().0;
        for frame in 0..7 {
            assert!(one.position(bone, frame).distance(two.position(same, frame)) < 1e-6);
            assert!(one.rotation(bone, frame).dot(two.rotation(same, frame)).abs() > 1.0 - 1e-12);
        }
    }
    let no_hips: Vec<(usize, Role)> = file.roles.iter().copied().filter(|(_, r)| *r != Role::Hips).collect();
    assert!(gltf::export_vrma(&file.skeleton, &no_hips, &file.clips[0]).unwrap_err().message.contains("hips"));
    let arms_only: Vec<(usize, Role)> = file
        .roles
        .iter()
        .copied()
        .filter(|(_, r)| matches!(r, Role::Hips | Role::UpperArm(Side::Left) | Role::Hand(Side::Left)))
        .collect();
    let (_, notes) = gltf::export_vrma(&file.skeleton, &arms_only, &file.clips[0]).unwrap();
    assert!(notes.iter().any(|n| n.contains("lacks: spine, head")), "{notes:?}");
}

/// A person whose root is the torso, with the hips two bones below it and at height 0 at rest, as in a BVH: the torso goes a
/// way, the waist and the pelvis turn.
fn rooted_in_the_torso() -> (Skeleton, Vec<(usize, Role)>, Clip) {
    let legs = |side, x: f64| [(Role::UpperLeg(side), x), (Role::LowerLeg(side), 0.0), (Role::Foot(side), 0.0)];
    let mut roles = vec![Role::Chest, Role::Spine, Role::Hips, Role::Head];
    let mut places = vec![(None, 0.43), (Some(0), -0.26), (Some(1), -0.17), (Some(0), 0.25)];
    let mut across = vec![0.0; 4];
    for (side, x) in [(Side::Left, 0.1), (Side::Right, -0.1)] {
        let first = roles.len();
        for (i, (role, x)) in legs(side, x).into_iter().enumerate() {
            roles.push(role);
            across.push(x);
            places.push((Some(if i == 0 { 2 } else { first + i - 1 }), [-0.05, -0.4, -0.38][i]));
        }
    }
    let bones = places.iter().zip(&across).enumerate().map(|(i, (&(parent, y), &x))| Bone {
        name: format!("bone {i}"),
        parent,
        translation: DVec3::new(x, y, 0.0),
        rotation: muybridge::glam::DQuat::IDENTITY,
        ends: Vec::new(),
    });
    let skeleton = Skeleton::new(bones.collect()).unwrap();
    let mut clip = Clip::new(skeleton.len(), 4, 0.1).unwrap();
    for frame in 0..4 {
        for (index, bone) in skeleton.bones().iter().enumerate() {
            let way = DVec3::new(0.3 * frame as f64, 0.83, 0.0) * f64::from(u8::from(index == 0));
            clip.set_translation(index, frame, bone.translation + way);
            clip.set_rotation(index, frame, exp(DVec3::new(0.1, 0.2, -0.1 * index as f64) * frame as f64));
        }
    }
    (skeleton, roles.into_iter().enumerate().collect(), clip)
}

/// The hierarchy is that of `VRMC_vrm` 1.0; the height of the hips at rest, by which players scale their way, is what is below
/// them: 0.05 + 0.4 + 0.38 m.
#[test]
fn a_vrma_of_a_skeleton_rooted_in_the_torso_hangs_from_hips_that_stand_and_carry_the_way() {
    let (skeleton, roles, clip) = rooted_in_the_torso();
    let (bytes, notes) = gltf::export_vrma(&skeleton, &roles, &clip).unwrap();
    assert!(!notes.iter().any(|note| note.contains("cm off")), "{notes:?}");
    let document = gltf::parse(&bytes, &mut |_| None).unwrap();
    let again = import(&document);
    let bone_of = |role: Role| again.roles.iter().find(|(_, known)| *known == role).unwrap().0;
    let bones = again.skeleton.bones();
    let hips = bone_of(Role::Hips);
    assert_eq!(bones[hips].parent, None);
    assert_eq!(bones[bone_of(Role::Spine)].parent, Some(hips));
    assert_eq!(bones[bone_of(Role::Chest)].parent, Some(bone_of(Role::Spine)));
    assert_eq!(bones[bone_of(Role::Head)].parent, Some(bone_of(Role::Chest)), "there is no neck");
    assert!((bones[hips].translation - DVec3::Y * 0.83).length() < 1e-12, "{}", bones[hips].translation);
    let shifted: Vec<u64> = document.json()["animations"][0]["channels"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|channel| channel["target"]["path"] == "translation")
        .map(|channel| channel["target"]["node"].as_u64().unwrap())
        .collect();
    assert_eq!(shifted, [hips as u64]);
    let (before, after) = (WorldMotion::new(&skeleton, &clip), WorldMotion::new(&again.skeleton, &again.clips[0]));
    for &(bone, role) in &roles {
        for frame in 0..4 {
            let turned = before.rotation(bone, frame).dot(after.rotation(bone_of(role), frame)).abs();
            assert!(turned > 1.0 - 1e-12, "{role:?} {frame}");
            // The chest and the spine stand at the joints below them.
            let there = match role {
                Role::Chest => before.position(1, frame),
                Role::Spine => before.position(2, frame),
                _ => before.position(bone, frame),
            };
            let off = there.distance(after.position(bone_of(role), frame));
            assert!(off < 1e-6, "{role:?} {frame}: {off}");
        }
    }
}
