//! Reads glTF, VRM and VRMA, compared with measured truth, formulas evaluated by hand, and known contents of the files.

use crate::test_files::{here, path as data};

use muybridge::character::{Role, Side};
use muybridge::glam::{DQuat, DVec3};
use muybridge::motion::{Clip, WorldMotion};
use muybridge_files::gltf::{self, ImportOptions};
use muybridge_files::{Axis, Error, Imported};

fn read_with(name: &str, options: &ImportOptions) -> Result<Imported, Error> {
    let path = data(name);
    let bytes = std::fs::read(&path).unwrap();
    let document = gltf::parse(&bytes, &mut |beside| std::fs::read(path.with_file_name(beside)).ok())?;
    gltf::import(&document, options)
}

fn read(name: &str) -> Imported {
    read_with(name, &ImportOptions::default()).unwrap_or_else(|e| panic!("{name}: {e}"))
}

fn clip<'a>(file: &'a Imported, name: &str) -> &'a Clip {
    file.clips.iter().find(|c| c.name == name).unwrap_or_else(|| panic!("no clip {name}"))
}

#[test]
fn every_shared_file_gives_its_clips_bones_and_rates() {
    let table = [
        ("gltf/Fox.glb", 3, 25, "Survey", 83, 24.0),
        ("gltf/Fox.glb", 3, 25, "Walk", 18, 24.0),
        ("gltf/RobotExpressive.glb", 14, 45, "Jump", 18, 24.0),
        ("gltf/cesium_man.gltf", 1, 21, "", 49, 24.0),
        ("gltf/rigged_simple.gltf", 1, 4, "", 50, 24.0),
        ("gltf/SimpleSkin.gltf", 1, 3, "", 12, 2.0),
        ("gltf/kenney_platformer_character.glb", 4, 8, "jump", 16, 30.0),
        ("gltf/kaykit_rogue.glb", 76, 42, "Jump_Full_Long", 71, 30.0),
        ("gltf/kaykit_rogue.glb", 76, 42, "T-Pose", 1, 30.0),
        ("gltf/interpolation_test.gltf", 9, 9, "Linear Rotation", 42, 24.0),
        ("gltf/interpolation_test.gltf", 9, 9, "Linear Translation", 5, 2.4),
        ("vrm/test.vrma", 1, 51, "", 7, 2.0),
    ];
    for (name, clips, bones, title, frames, rate) in here(table, |case| case.0.into()) {
        let file = read(name);
        let clip = clip(&file, title);
        assert_eq!((file.clips.len(), file.skeleton.len(), clip.frames()), (clips, bones, frames), "{name} {title}");
        assert!((clip.frames_per_second() - rate).abs() < 1e-9, "{name} {title}: {}", clip.frames_per_second());
        assert_eq!((file.up, file.meters_per_unit), (Some(Axis::Y), Some(1.0)));
        if name == "gltf/rigged_simple.gltf" {
            assert!((clip.start_time - 1.0 / 24.0).abs() < 1e-6, "{}", clip.start_time);
        }
    }
}

#[test]
fn the_fox_is_as_tall_as_its_mesh() {
    let fox = read("gltf/Fox.glb");
    let highest = fox.skin_points.iter().map(|(bone, point)| {
        let (position, rotation) = fox.skeleton.rest_pose()[*bone];
        (position + rotation * *point).y
    });
    // The mesh spans −0.12 to 78.907 (the bounds of its accessor).
    assert!((highest.fold(f64::MIN, f64::max) - 78.907).abs() < 1.0);
}

#[test]
fn curves_between_keys_are_those_of_the_specification() {
    // Hermite form of the glTF specification, appendix C.4, evaluated here on the raw numbers of the file.
    let json: serde_json::Value =
        serde_json::from_slice(&std::fs::read(data("gltf/interpolation_test.gltf")).unwrap()).unwrap();
    let bin = std::fs::read(data("gltf/interpolation_test.bin")).unwrap();
    let floats = |accessor: &serde_json::Value| -> Vec<f64> {
        let accessor = &json["accessors"][accessor.as_u64().unwrap() as usize];
        let view = &json["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
        let width = if accessor["type"] == "SCALAR" { 1 } else { if accessor["type"] == "VEC3" { 3 } else { 4 } };
        let start = view["byteOffset"].as_u64().unwrap_or(0) + accessor["byteOffset"].as_u64().unwrap_or(0);
        let count = accessor["count"].as_u64().unwrap() as usize * width;
        let at = |i: usize| bin[start as usize + 4 * i..][..4].try_into().unwrap();
        (0..count).map(|i| f64::from(f32::from_le_bytes(at(i)))).collect()
    };
    let file = read("gltf/interpolation_test.gltf");
    for (index, title) in
        [(5, "Linear Rotation"), (4, "CubicSpline Rotation"), (7, "CubicSpline Translation"), (6, "Step Translation")]
    {
        let animation = &json["animations"][index];
        assert_eq!(animation["name"], title);
        let (times, values) = (floats(&animation["samplers"][0]["input"]), floats(&animation["samplers"][0]["output"]));
        let node = animation["channels"][0]["target"]["node"].as_u64().unwrap() as usize;
        let bone = file.skeleton.find(json["nodes"][node]["name"].as_str().unwrap()).unwrap();
        let clip = clip(&file, title);
        for frame in 0..clip.frames() {
            let t = clip.time(frame);
            let k = times.iter().rposition(|key| *key <= t + 1e-4).unwrap().min(times.len() - 2);
            let (d, u) = (times[k + 1] - times[k], ((t - times[k]) / (times[k + 1] - times[k])).clamp(0.0, 1.0));
            let hermite = |width: usize| -> Vec<f64> {
                let (u2, u3) = (u * u, u * u * u);
                let one = |c: usize| {
                    let (v0, b0) = (values[(3 * k + 1) * width + c], values[(3 * k + 2) * width + c]);
                    let (a1, v1) = (values[(3 * k + 3) * width + c], values[(3 * k + 4) * width + c]);
                    (2.0 * u3 - 3.0 * u2 + 1.0) * v0
                        + d * (u3 - 2.0 * u2 + u) * b0
                        + (3.0 * u2 - 2.0 * u3) * v1
                        + d * (u3 - u2) * a1
                };
                (0..width).map(one).collect()
            };
            let key = |k: usize, width: usize| &values[k * width..][..width];
            match title {
                "CubicSpline Translation" => {
                    assert!(clip.translation(bone, frame).distance(DVec3::from_slice(&hermite(3))) < 1e-5);
                }
                "CubicSpline Rotation" => {
                    let expected = DQuat::from_slice(&hermite(4)).normalize();
                    assert!(clip.rotation(bone, frame).dot(expected).abs() > 1.0 - 1e-9);
                }
                "Linear Rotation" => {
                    // The angle grows at a constant rate on the great circle: from the first key it is u times the whole.
                    let (a, b) = (DQuat::from_slice(key(k, 4)), DQuat::from_slice(key(k + 1, 4)));
                    let whole = 2.0 * a.dot(b).abs().min(1.0).acos();
                    let part = 2.0 * a.dot(clip.rotation(bone, frame)).abs().min(1.0).acos();
                    assert!((part - u * whole).abs() < 1e-3, "frame {frame}: {part} of {whole} at {u}");
                }
                _ => {
                    let held = if u > 0.999 { k + 1 } else { k };
                    assert!(clip.translation(bone, frame).distance(DVec3::from_slice(key(held, 3))) < 1e-6);
                }
            }
        }
    }
}

#[test]
fn frames_on_keys_hold_the_numbers_of_the_file_and_a_rate_can_be_asked_for() {
    let files = [("truth/mj_jump_120.glb", 30.0, 88, 4), ("gltf/Fox.glb", 12.0, 42, 2)];
    for (name, fps, frames, every) in here(files, |case| case.0.into()) {
        let (file, own) = (read_with(name, &ImportOptions { fps: Some(fps) }).unwrap(), read(name));
        assert_eq!(file.clips[0].frames(), frames, "{name}");
        for bone in 0..file.skeleton.len() {
            assert_eq!(file.clips[0].translation(bone, 20), own.clips[0].translation(bone, 20 * every));
            let turn = own.clips[0].rotation(bone, 20 * every);
            assert!(file.clips[0].rotation(bone, 20).dot(turn).abs() > 1.0 - 1e-15, "{name}: bone {bone}");
        }
    }
    for bad in [0.0, -1.0, f64::NAN, 1e300] {
        assert!(read_with("gltf/Fox.glb", &ImportOptions { fps: Some(bad) }).is_err());
    }
}

#[test]
fn vrm_files_say_which_bone_is_which() {
    let table = [
        ("vrm/vrm0_EmissionMigration.vrm", "VRM 0.x (glTF 2.0 binary)", 22, "Character1_LeftUpLeg"),
        ("vrm/vrm1_expressions_isBinary_Overrides.vrm", "VRM 1.0 (glTF 2.0 binary)", 22, "UpperLeg.L"),
        ("vrm/test.vrma", "VRMA 1.0 (glTF 2.0 binary)", 21, "leftUpperLeg"),
    ];
    for (name, format, roles, left_thigh) in here(table, |case| case.0.into()) {
        let file = read(name);
        assert_eq!((file.format.as_str(), file.roles.len()), (format, roles));
        let bone = file.roles.iter().find(|(_, role)| *role == Role::UpperLeg(Side::Left)).unwrap().0;
        assert_eq!(file.skeleton.bones()[bone].name, left_thigh);
        let rest = file.skeleton.rest_pose();
        let place = |role: Role| rest[file.roles.iter().find(|(_, r)| *r == role).unwrap().0].0;
        assert!(place(Role::Head).y > place(Role::Hips).y && place(Role::Hips).y > place(Role::Foot(Side::Left)).y);
        assert!(!name.contains("vrm0") || file.ignored.iter().any(|note| note.contains("rest pose")));
    }
}

#[test]
fn bodies_wrap_the_skin_they_are_fitted_to() {
    let files = [("gltf/cesium_man.gltf", 15), ("gltf/kenney_platformer_character.glb", 6), ("gltf/Fox.glb", 15)];
    for (name, least) in here(files, |case| case.0.into()) {
        let file = read(name);
        assert!(file.shapes.len() >= least, "{name}: {}", file.shapes.len());
        let per_bone = |bone: usize| file.skin_points.iter().filter(|(b, _)| *b == bone).count();
        assert!((0..file.skeleton.len()).all(|bone| per_bone(bone) <= 60));
        for (bone, shape) in &file.shapes {
            let points = file.skin_points.iter().filter(|(b, _)| b == bone).map(|(_, p)| *p);
            let (low, high) = points.fold((DVec3::MAX, DVec3::MIN), |(low, high), p| (low.min(p), high.max(p)));
            let margin = 0.3 * (high - low).length();
            let inside = shape.position.cmpge(low - margin).all() && shape.position.cmple(high + margin).all();
            assert!(inside, "{name}: the solid of {} is not where its skin is", file.skeleton.bones()[*bone].name);
        }
    }
}

/// Compares bones with those of the `gltf` crate: nodes that are joints or ancestors of joints, in file order.
#[test]
fn a_second_reader_multiplying_matrices_puts_every_joint_in_the_same_place() {
    use ::gltf::animation::util::ReadOutputs;
    use muybridge::glam::{DMat4, Mat4};
    let files = [("gltf/RobotExpressive.glb", "Jump"), ("gltf/RobotExpressive.glb", "Wave"), ("gltf/Fox.glb", "Walk")];
    for (name, title) in here(files, |case| case.0.into()) {
        let second = ::gltf::Gltf::open(data(name)).unwrap();
        let blob = second.blob.clone().unwrap();
        let nodes: Vec<::gltf::Node> = second.nodes().collect();
        let mut parent = vec![None; nodes.len()];
        for node in &nodes {
            for child in node.children() {
                parent[child.index()] = Some(node.index());
            }
        }
        let mut is_bone = vec![false; nodes.len()];
        for joint in second.skins().flat_map(|s| s.joints().collect::<Vec<_>>()) {
            let mut at = Some(joint.index());
            while let Some(node) = at {
                is_bone[node] = true;
                at = parent[node];
            }
        }
        let bones: Vec<usize> = (0..nodes.len()).filter(|n| is_bone[*n]).collect();
        let file = read(name);
        assert_eq!(file.skeleton.len(), bones.len());
        let clip = clip(&file, title);
        let world = WorldMotion::new(&file.skeleton, clip);
        let animation = second.animations().find(|a| a.name() == Some(title)).unwrap();
        for frame in 0..clip.frames() {
            let mut parts: Vec<_> = nodes.iter().map(|n| n.transform().decomposed()).collect();
            for channel in animation.channels() {
                let part = &mut parts[channel.target().node().index()];
                match channel.reader(|_| Some(&blob)).read_outputs().unwrap() {
                    ReadOutputs::Translations(mut all) => part.0 = all.nth(frame).unwrap(),
                    ReadOutputs::Rotations(all) => part.1 = all.into_f32().nth(frame).unwrap(),
                    ReadOutputs::Scales(mut all) => part.2 = all.nth(frame).unwrap(),
                    ReadOutputs::MorphTargetWeights(_) => {}
                }
            }
            let matrix = |node: usize| {
                let (t, r, s) = parts[node];
                let rotation = muybridge::glam::Quat::from_array(r).as_dquat().normalize();
                let three = |v: [f32; 3]| Mat4::from_translation(v.into()).w_axis.truncate().as_dvec3();
                DMat4::from_scale_rotation_translation(three(s), rotation, three(t))
            };
            for (bone, &node) in bones.iter().enumerate() {
                let chain = std::iter::successors(Some(node), |n| parent[*n]);
                let whole = chain.fold(DMat4::IDENTITY, |below, n| matrix(n) * below);
                let there = whole.w_axis.truncate();
                let off = world.position(bone, frame).distance(there);
                assert!(off < 1e-6 * there.length().max(1.0), "{name} {title} frame {frame} bone {bone}: {off}");
            }
        }
    }
}
