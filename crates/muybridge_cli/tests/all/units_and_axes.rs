//! Tests that a clip in inches, centimeters, meters or CMU units, y or z up, gives the same verdict and numbers.

use crate::checking;

use checking::{Folder, clip, shared};
use muybridge::samples;
use muybridge_files::bvh;
use serde_json::Value;

/// Compared values: verdict, findings by id and severity, and numbers.
fn summary(clip: &Value) -> (String, Vec<(String, String)>, Vec<f64>) {
    let text = |value: &Value| value.as_str().unwrap().to_string();
    let findings = clip["findings"].as_array().unwrap();
    let of_units = |f: &&Value| f["id"] != "clip.units";
    let ids = findings.iter().filter(of_units).map(|f| (text(&f["id"]), text(&f["severity"]))).collect();
    let mut numbers: Vec<f64> = findings.iter().filter(of_units).map(|f| f["value"].as_f64().unwrap()).collect();
    for flight in clip["flights"].as_array().unwrap() {
        for name in ["first_frame", "last_frame", "gravity_g", "angular_momentum_change_kgm2ps"] {
            numbers.push(flight[name].as_f64().unwrap());
        }
    }
    for name in ["skate_mps", "float_m", "penetration_m"] {
        numbers.push(clip["feet"][name].as_f64().unwrap());
    }
    numbers.push(clip["balance"]["inside_fraction"].as_f64().unwrap_or(-1.0));
    numbers.push(clip["body"]["mass_kg"].as_f64().unwrap());
    (text(&clip["verdict"]), ids, numbers)
}

fn assert_same(what: &str, truth: &Value, found: &Value) {
    let ((verdict, ids, numbers), (other_verdict, other_ids, other_numbers)) = (summary(truth), summary(found));
    assert_eq!(verdict, other_verdict, "{what}");
    assert_eq!(ids, other_ids, "{what}");
    assert_eq!(numbers.len(), other_numbers.len(), "{what}");
    for (a, b) in numbers.iter().zip(&other_numbers) {
        assert!((a - b).abs() <= 1e-3 * a.abs().max(1e-3), "{what}: {b}, not {a}\n{numbers:?}\n{other_numbers:?}");
    }
}

/// The text of a BVH with every length times `factor`, rotated from y up to z up if asked.
fn rescaled(text: &[u8], factor: f64, z_up: bool) -> String {
    let document = bvh::parse(text).unwrap();
    let turn = |[x, y, z]: [f64; 3]| if z_up { [x, -z, y] } else { [x, y, z] };
    let offset = |[x, y, z]: [f64; 3]| {
        let [x, y, z] = turn([factor * x, factor * y, factor * z]);
        format!("OFFSET {x} {y} {z}\n")
    };
    // Every joint gets Z Y X rotations in the rotated axes.
    let imported = bvh::import(&document).unwrap();
    let (skeleton, clip) = (imported.skeleton, &imported.clips[0]);
    let bones = skeleton.bones();
    let mut order = Vec::new();
    let mut hierarchy = String::from("HIERARCHY\n");
    let mut open: Vec<usize> = Vec::new();
    for (index, bone) in bones.iter().enumerate() {
        while open.last().copied() != bone.parent {
            open.pop();
            hierarchy += "}\n";
        }
        let keyword = if bone.parent.is_none() { "ROOT" } else { "JOINT" };
        hierarchy += &format!("{keyword} {}\n{{\n{}", bone.name, offset(bone.translation.to_array()));
        let positions = if bone.parent.is_none() { "6 Xposition Yposition Zposition" } else { "3" };
        hierarchy += &format!("CHANNELS {positions} Zrotation Yrotation Xrotation\n");
        for end in &bone.ends {
            hierarchy += &format!("End Site\n{{\n{}}}\n", offset(end.to_array()));
        }
        order.push(index);
        open.push(index);
    }
    hierarchy += &"}\n".repeat(open.len());
    let mut motion = format!("MOTION\nFrames: {}\nFrame Time: {}\n", clip.frames(), clip.frame_time);
    for frame in 0..clip.frames() {
        let mut row = Vec::new();
        for &bone in &order {
            if bones[bone].parent.is_none() {
                let place = turn((clip.translation(bone, frame) * factor).to_array());
                row.extend(place.map(|value| value.to_string()));
            }
            let q = clip.rotation(bone, frame);
            let [x, y, z] = turn([q.x, q.y, q.z]);
            let q = muybridge::glam::DQuat::from_xyzw(x, y, z, q.w);
            let (z, y, x) = q.to_euler(muybridge::glam::EulerRot::ZYX);
            row.extend([z, y, x].map(|angle| angle.to_degrees().to_string()));
        }
        motion += &row.join(" ");
        motion.push('\n');
    }
    hierarchy + &motion
}

/// Units by name, in meters; CMU's is an inch divided by 0.45.
const UNITS: [(&str, f64); 5] =
    [("meters", 1.0), ("centimeters", 0.01), ("millimeters", 0.001), ("inches", 0.0254), ("cmu", 0.0254 / 0.45)];

/// Compares the clip in every unit, y and z up, inferred and given, with itself in meters and y up.
fn assert_same_in_every_unit(name: &str, text: &[u8], unit: f64) {
    let folder = Folder::new(&format!("units_{name}"));
    let truth = clip([folder.file("truth.bvh", rescaled(text, unit, false)), "--unit".into(), "m".into()]);
    for (word, meters) in UNITS {
        for z_up in [false, true] {
            let what = format!("{name} in {word}, z up: {z_up}");
            let file = folder.file(&format!("{word}.bvh"), rescaled(text, unit / meters, z_up));
            let found = clip([&file]);
            let inferred = found["meters_per_unit"].as_f64().unwrap();
            assert!((inferred / meters - 1.0).abs() < 1e-9, "{what}: {inferred}, {}", found["unit_source"]);
            assert_eq!(found["up"], if z_up { "z" } else { "y" }, "{what}");
            assert_same(&what, &truth, &found);
            let stated =
                [file, "--unit".into(), meters.to_string(), "--up".into(), if z_up { "z" } else { "y" }.into()];
            assert_same(&format!("{what}, stated"), &truth, &clip(stated));
        }
    }
}

#[test]
fn the_built_in_jump_is_the_same_in_every_unit() {
    let (character, clip) = (samples::humanoid(), samples::jump());
    let document = bvh::export(&character.skeleton, &clip, &bvh::ExportOptions::default()).unwrap();
    assert_same_in_every_unit("jump", bvh::write(&document).as_bytes(), 1.0);
}

#[test]
fn a_recorded_jump_is_the_same_in_every_unit() {
    assert_same_in_every_unit("snu", &std::fs::read(shared("bvh/snu_hjump_phase.bvh")).unwrap(), 0.01);
}

#[test]
#[cfg_attr(not(muybridge_data), ignore = "set MUYBRIDGE_DATA to the shared data folder")]
fn recorded_hops_are_the_same_in_every_unit() {
    assert_same_in_every_unit("cmu", &std::fs::read(shared("bvh/cmu_01_01_forward_hops.bvh")).unwrap(), 0.0254 / 0.45);
}

/// A BVH with other lengths, and played so that bodies fall with the same gravity.
fn grown(text: &[u8], factor: f64) -> Vec<u8> {
    let text = rescaled(text, factor, false);
    let line = text.lines().find(|line| line.starts_with("Frame Time:")).unwrap();
    let time: f64 = line.split_whitespace().last().unwrap().parse().unwrap();
    text.replace(line, &format!("Frame Time: {}", time * factor.sqrt())).into_bytes()
}

#[test]
fn gravity_tells_a_child_in_centimeters_from_a_giant_in_inches() {
    let folder = Folder::new("children");
    let adult = std::fs::read(shared("bvh/snu_hjump_phase.bvh")).unwrap();
    let gravity = |clip: &Value| clip["flights"][0]["gravity_g"].as_f64().unwrap();
    let truth = clip([folder.file("adult.bvh", &adult)]);
    // 0.75 to 1.01 m in centimeters; in inches the same numbers are 1.9 to 2.6 m.
    for factor in [0.52, 0.55, 0.6, 0.65, 0.7] {
        let child = clip([folder.file("child.bvh", grown(&adult, factor))]);
        assert_eq!((&child["meters_per_unit"], &child["verdict"]), (&0.01.into(), &"plausible".into()), "{factor}");
        assert!((gravity(&child) / gravity(&truth) - 1.0).abs() < 0.05, "{factor}: {} g", gravity(&child));
    }
    // The same adult in inches falls too slowly for centimeters.
    let inches = clip([folder.file("inches.bvh", rescaled(&adult, 1.0 / 2.54, false))]);
    assert_eq!(inches["meters_per_unit"], 0.0254);
}

#[test]
fn an_unusual_figure_without_a_fall_is_a_doubt() {
    let folder = Folder::new("doubts");
    let walk = std::fs::read(shared("bvh/snu_walk_phase.bvh")).unwrap();
    let doubt = |factor: f64| {
        let clip = clip([folder.file("walk.bvh", rescaled(&walk, factor, false))]);
        let findings = clip["findings"].as_array().unwrap();
        let sentence = findings.iter().find(|found| found["id"] == "clip.units");
        sentence.map(|found| found["message"].as_str().unwrap().to_owned())
    };
    assert_eq!(doubt(1.0), None);
    let told = doubt(0.6).unwrap();
    assert!(told.contains("centimetres") && told.contains("--height"), "{told}");
}
