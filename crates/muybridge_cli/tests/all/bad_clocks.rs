//! Files with a wrong clock, stray poses at their ends, keys that are coarser than the motion, or decimal commas.

use muybridge::glam::DVec3;
use muybridge::samples;
use muybridge_files::gltf::{self, ExportOptions};
use serde_json::Value;

use crate::checking::{Folder, check, clip, finding, shared};
use crate::program::muybridge as run;

/// The recorded jump as text, its header and its rows.
fn jump() -> (String, Vec<String>) {
    let text = std::fs::read_to_string(shared("bvh/snu_hjump_phase.bvh")).unwrap().replace("\r\n", "\n");
    let end = text.find("Frame Time:").unwrap();
    let end = end + text[end..].find('\n').unwrap() + 1;
    let rows = text[end..].lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect();
    (text[..end].to_owned(), rows)
}

fn text((head, rows): &(String, Vec<String>)) -> String {
    format!("{head}{}\n", rows.join("\n"))
}

fn zeros(row: &str) -> String {
    vec!["0"; row.split_whitespace().count()].join(" ")
}

/// Asserts that two reports agree in what they say of the motion.
fn assert_same_motion(found: &Value, truth: &Value, what: &str) {
    for key in ["flights", "floor_m", "verdict", "mass_kg"] {
        assert_eq!(found[key], truth[key], "{what}: {key}");
    }
}

#[test]
fn a_rate_where_the_time_of_a_frame_belongs_is_read_as_the_rate() {
    let folder = Folder::new("rates");
    let (head, rows) = jump();
    let truth = clip([shared("bvh/snu_hjump_phase.bvh")]);
    for written in ["30", "30.0", "33.3333", "33"] {
        let wrong = text(&(head.replace("0.0333333", written), rows.clone()));
        let file = folder.file("rate.bvh", &wrong);
        let found = clip([&file]);
        assert_same_motion(&found, &truth, written);
        let said = finding(&found, "clip.time_base").unwrap();
        assert_eq!(said["severity"], "warning");
        let message = said["message"].as_str().unwrap();
        assert!(message.contains(written) && message.contains("0.0333"), "{message}");
        // What is written has the right clock.
        let out = folder.path("fixed.bvh");
        let ran = run(["fix", &file, "-o", &out, "--force"]);
        if ran.code == Some(0) && std::path::Path::new(&out).exists() {
            let fixed = std::fs::read_to_string(&out).unwrap();
            assert!(fixed.contains("0.0333333"), "{written}");
            assert!(finding(&clip([&out]), "clip.time_base").is_none());
        }
    }
    let film = clip([folder.file("film.bvh", text(&(head.replace("0.0333333", "23.976"), rows)))]);
    assert!((film["fps"].as_f64().unwrap() - 24.0 / 1.001).abs() < 1e-9, "{}", film["fps"]);
}

#[test]
fn rows_of_zeros_at_the_ends_are_left_out_and_named() {
    let folder = Folder::new("zero_rows");
    let (head, rows) = jump();
    let residual = |found: &Value| found["residual"]["worst_force_bw"].as_f64().unwrap();
    let truth = clip([shared("bvh/snu_hjump_phase.bvh")]);
    for count in [1, 2, 3, 8] {
        for at_end in [false, true] {
            let mut strange = rows.clone();
            let places = if at_end { rows.len() - count..rows.len() } else { 0..count };
            strange[places.clone()].iter_mut().for_each(|row| *row = zeros(row));
            let found = clip([folder.file("zeros.bvh", text(&(head.clone(), strange)))]);
            let what = format!("{places:?}");
            let said = finding(&found, "clip.first_frame").unwrap_or_else(|| panic!("{what}: {}", found["findings"]));
            assert_eq!(said["first_frame"], places.start, "{what}");
            assert_eq!(said["last_frame"], places.end - 1, "{what}");
            assert!(said["message"].as_str().unwrap().contains("left out"), "{what}: {said}");
            assert_eq!(found["flights"][0]["first_frame"], truth["flights"][0]["first_frame"], "{what}");
            assert!(residual(&found) < residual(&truth) + 0.05, "{what}: {} BW", residual(&found));
            assert!(found["feet"]["penetration_m"].as_f64().unwrap() < 0.02, "{what}: {}", found["feet"]);
        }
    }
}

#[test]
fn a_pose_at_the_place_of_the_clip_before_it_is_left_out_in_gltf_too() {
    let folder = Folder::new("pose_first");
    let (person, mut posed) = (samples::humanoid(), samples::jump());
    for bone in 0..posed.bones() {
        posed.set_rotation(bone, 0, person.skeleton.bones()[bone].rotation);
    }
    posed.set_translation(0, 0, posed.translation(0, 0) + DVec3::new(0.3, 0.0, 0.0));
    let written = gltf::export(&person.skeleton, &[posed], ExportOptions { binary: true }).unwrap();
    let found = clip([folder.file("posed.glb", written)]);
    let said = finding(&found, "clip.first_frame").unwrap_or_else(|| panic!("{}", found["findings"]));
    assert_eq!((&said["first_frame"], &said["last_frame"]), (&Value::from(0), &Value::from(0)));
    assert!(found["residual"]["worst_force_bw"].as_f64().unwrap() < 0.1, "{}", found["residual"]);
}

#[test]
fn keys_that_are_coarser_than_the_motion_are_named() {
    let folder = Folder::new("coarse_keys");
    let person = samples::humanoid();
    for (distance, step) in [(0.0, None), (1e3, None), (1e5, Some("8 mm")), (1e6, Some("6 cm"))] {
        let mut far = samples::jump();
        for frame in 0..far.frames() {
            far.set_translation(0, frame, far.translation(0, frame) + DVec3::X * distance);
        }
        let written = gltf::export(&person.skeleton, &[far], ExportOptions { binary: true }).unwrap();
        let found = clip([folder.file("far.glb", written)]);
        let said = finding(&found, "clip.jitter").map(|f| f["message"].as_str().unwrap().to_owned());
        assert_eq!(said.is_some(), step.is_some(), "{distance} m: {said:?}");
        assert!(said.is_none_or(|said| said.contains(&format!("rounded to {},", step.unwrap()))), "{distance} m");
    }
    let (head, mut rows) = jump();
    for row in &mut rows {
        let numbers = row.split_whitespace().enumerate();
        let whole = |(at, number): (usize, &str)| match at {
            0..3 => format!("{:.0}", number.parse::<f64>().unwrap()),
            _ => number.to_owned(),
        };
        *row = numbers.map(whole).collect::<Vec<_>>().join(" ");
    }
    let found = clip([folder.file("whole.bvh", text(&(head, rows)))]);
    let said = finding(&found, "clip.jitter").unwrap_or_else(|| panic!("{}", found["findings"]));
    assert!(said["message"].as_str().unwrap().contains("rounded to 10 mm"), "{said}");
    assert_eq!(said["severity"], "warning");
}

#[test]
fn a_decimal_comma_is_named_wherever_a_number_is_read() {
    let folder = Folder::new("commas");
    let (head, rows) = jump();
    let first = rows[0].split_whitespace().find(|number| number.contains('.')).unwrap();
    let offset = head.split_whitespace().find(|word| word.contains('.') && word.parse::<f64>().is_ok()).unwrap();
    let comma = |number: &str| number.replace('.', ",");
    let whole = text(&(head.clone(), rows.clone()));
    let files = [
        ("time.bvh", whole.replace("0.0333333", "0,0333333"), "0.0333333"),
        ("offset.bvh", whole.replacen(offset, &comma(offset), 1), offset),
        ("row.bvh", format!("{head}{}\n", rows.join("\n").replacen(first, &comma(first), 1)), first),
    ];
    for (name, content, right) in files {
        let ran = check([folder.file(name, content)]);
        assert!(ran.code != 0 && ran.err.contains(&format!("decimal comma: write {right}")), "{name}: {ran:?}");
    }
    let body = folder.file("body.csv", "joint;mass_kg;com_x;com_y;com_z;Ixx;Iyy;Izz\nHips;10,5;0;0;0;1;1;1\n");
    for (arguments, right) in [
        (vec!["--body", body.as_str()], "10.5"),
        (vec!["--mass", "70,5"], "70.5"),
        (vec!["--fps", "29,97"], "29.97"),
        (vec!["--floor", "0,1"], "0.1"),
    ] {
        let ran = check([&[shared("bvh/snu_hjump_phase.bvh").as_str()], arguments.as_slice()].concat());
        assert!(ran.code != 0 && ran.err.contains(&format!("decimal comma: write {right}")), "{arguments:?}: {ran:?}");
    }
}
