//! Large glTF files: simulated motion compared with its simulator, scaled nodes, rigs with controls and props.

use muybridge::character::{BodySettings, CharacterEvidence, assemble};
use muybridge::glam::{DQuat, DVec3};
use muybridge::motion::{Clip, WorldMotion};
use muybridge_files::Imported;
use muybridge_files::gltf::{self, ImportOptions};

use crate::test_files::path as data;

fn read(name: &str) -> Imported {
    let document = gltf::parse(&std::fs::read(data(name)).unwrap(), &mut |_| None).unwrap();
    gltf::import(&document, &ImportOptions::default()).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn clip<'a>(file: &'a Imported, name: &str) -> &'a Clip {
    file.clips.iter().find(|clip| clip.name == name).unwrap_or_else(|| panic!("no clip {name}"))
}

/// Vertical extent of all joints, median over the frames.
fn posed_height(file: &Imported, clip: &Clip) -> f64 {
    let world = WorldMotion::new(&file.skeleton, clip);
    let mut heights: Vec<f64> = (0..clip.frames())
        .map(|frame| {
            let y = |bone: usize| world.position(bone, frame).y;
            let all = (0..file.skeleton.len()).map(y);
            let (low, high) = all.fold((f64::MAX, f64::MIN), |(low, high), y| (low.min(y), high.max(y)));
            high - low
        })
        .collect();
    heights.sort_by(f64::total_cmp);
    heights[heights.len() / 2]
}

#[test]
#[cfg_attr(not(muybridge_data), ignore = "set MUYBRIDGE_DATA to the shared data folder")]
fn joints_of_the_simulated_clips_stand_where_the_simulator_had_them() {
    for name in ["mj_jump_120", "mj_tumble_120"] {
        let file = read(&format!("truth/{name}.glb"));
        let clip = &file.clips[0];
        assert!((clip.frames_per_second() - 120.0).abs() < 1e-9);
        let world = WorldMotion::new(&file.skeleton, clip);
        let table = std::fs::read_to_string(data(&format!("truth/{name}_joints.csv"))).unwrap();
        let (mut rows, mut worst) = (0, 0.0f64);
        for row in table.lines().skip(1) {
            let columns: Vec<&str> = row.split(',').collect();
            let number = |i: usize| columns[i].parse::<f64>().unwrap();
            let bone = file.skeleton.find(columns[2]).unwrap();
            let frame = columns[0].parse::<usize>().unwrap();
            assert!((clip.time(frame) - number(1)).abs() < 1e-6);
            let truth = DVec3::new(number(3), number(4), number(5));
            worst = worst.max(world.position(bone, frame).distance(truth));
            rows += 1;
        }
        assert!(rows > 300);
        // The README of the truth promises 3e-4 mm; the keys are 32-bit floats.
        assert!(worst < 6e-7, "{name}: {worst} m");
    }
}

#[test]
#[cfg_attr(not(muybridge_data), ignore = "set MUYBRIDGE_DATA to the shared data folder")]
fn scales_of_a_hundred_leave_the_robot_three_units_tall() {
    let robot = read("gltf/RobotExpressive.glb");
    assert!((posed_height(&robot, clip(&robot, "Idle")) - 3.0).abs() < 0.1);
}

#[test]
#[cfg_attr(not(muybridge_data), ignore = "set MUYBRIDGE_DATA to the shared data folder")]
fn world_positions_follow_all_scales_exactly() {
    // The same points computed otherwise: 4 × 4 matrices of the file, multiplied along the chain, in f64.
    let path = data("gltf/RobotExpressive.glb");
    let document = gltf::parse(&std::fs::read(path).unwrap(), &mut |_| None).unwrap();
    let file = gltf::import(&document, &ImportOptions::default()).unwrap();
    let nodes = document.json()["nodes"].as_array().unwrap();
    let number = |v: &serde_json::Value| v.as_f64().unwrap();
    let mut matrices = vec![muybridge::glam::DMat4::IDENTITY; nodes.len()];
    for (i, node) in nodes.iter().enumerate() {
        let v = |key: &str| DVec3::from_array([0, 1, 2].map(|c| number(&node[key][c])));
        let q = DQuat::from_array([0, 1, 2, 3].map(|c| number(&node["rotation"][c]))).normalize();
        let own = muybridge::glam::DMat4::from_scale_rotation_translation(v("scale"), q, v("translation"));
        matrices[i] *= own;
        for child in node["children"].as_array().into_iter().flatten() {
            matrices[child.as_u64().unwrap() as usize] = matrices[i];
        }
    }
    let rest = file.skeleton.rest_pose();
    let mut checked = 0;
    for (bone, entry) in file.skeleton.bones().iter().enumerate() {
        let same = |n: &&serde_json::Value| n["name"].as_str() == Some(&entry.name);
        let node = nodes.iter().position(|n| same(&n)).unwrap_or(usize::MAX);
        if nodes.iter().filter(same).count() == 1 {
            assert!((rest[bone].0 - matrices[node].w_axis.truncate()).length() < 1e-12, "{}", entry.name);
            checked += 1;
        }
    }
    assert!(checked > 30);
}

#[test]
#[cfg_attr(not(muybridge_data), ignore = "set MUYBRIDGE_DATA to the shared data folder")]
fn stylised_rigs_weigh_nothing_on_controls_and_props() {
    for file in ["gltf/kaykit_rogue.glb", "gltf/RobotExpressive.glb", "gltf/cesium_man.gltf"] {
        let skeleton = read(file).skeleton;
        let settings = BodySettings { mass: Some(50.0), ..BodySettings::default() };
        let body = assemble(&skeleton, &CharacterEvidence::default(), &settings).unwrap();
        println!("{file}: {:.2} m, {:?}", body.height.unwrap(), body.notes);
        assert!((body.character.mass() - 50.0).abs() < 1e-12, "{file}");
        for (bone, own) in skeleton.bones().iter().zip(&body.character.bodies) {
            let name = bone.name.to_lowercase();
            let control =
                ["ik", "control", "pole", "slot", "knife", "cape", "root", "_end"].iter().any(|w| name.contains(w));
            assert!(!control || own.mass == 0.0, "{file}: {} weighs {}", bone.name, own.mass);
        }
        for contact in &body.character.contacts {
            let name = skeleton.bones()[contact.bone].name.to_lowercase();
            assert!(!["ik", "control", "pole", "root"].iter().any(|word| name.contains(word)), "{file}: {name}");
        }
    }
}
