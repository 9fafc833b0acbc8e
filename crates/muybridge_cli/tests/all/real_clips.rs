//! Tests of real clips whose physics are described in the notes of the shared data.

use crate::checking;
use crate::test_files::here;

use checking::{Folder, clip, clips, finding, severities, shared};
use muybridge::motion::{Axis, conform};
use muybridge_files::{bvh, gltf};
use serde_json::Value;

fn recorded(name: &str) -> Value {
    clip([shared(&format!("bvh/{name}.bvh"))])
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

#[test]
#[cfg_attr(not(muybridge_data), ignore = "set MUYBRIDGE_DATA to the shared data folder")]
fn a_back_flip_played_too_fast_falls_with_about_five_g() {
    let found = recorded("mass_backflip_fast");
    assert_eq!(found["verdict"], "implausible");
    let gravity = finding(&found, "flight.gravity").unwrap();
    assert_eq!(gravity["severity"], "error");
    assert!((4.0..6.5).contains(&number(&gravity["value"])), "{gravity}");
    // Airborne from 0.37 to 0.63 s.
    let overlaps = number(&gravity["start_s"]) < 0.63 && number(&gravity["end_s"]) > 0.37;
    assert!(overlaps, "{gravity}");
}

#[test]
#[cfg_attr(not(muybridge_data), ignore = "set MUYBRIDGE_DATA to the shared data folder")]
fn ten_hops_fall_with_one_g_in_the_unit_that_is_inferred() {
    let found = recorded("cmu_01_01_forward_hops");
    assert!((number(&found["meters_per_unit"]) - 0.0254 / 0.45).abs() < 1e-9);
    let flights = found["flights"].as_array().unwrap();
    assert_eq!(flights.len(), 10);
    for flight in flights {
        assert!((0.8..1.25).contains(&number(&flight["gravity_g"])), "{}", flight["gravity_g"]);
        let seconds = number(&flight["end_s"]) - number(&flight["start_s"]);
        // Every joint is 5 % of 1.5 m above the floor for 0.22 to 0.32 s. A body 7.5 cm high for 0.32 s rises 20 cm in
        // all and is airborne for at most 0.41 s.
        assert!((0.22..0.41).contains(&seconds), "{seconds} s");
    }
    assert_eq!(severities(&found, "error"), [""; 0]);
    assert!(found["per_frame"]["mass_center_m"][0].is_null(), "a T-pose stands before the motion");
    assert!(finding(&found, "clip.first_frame").is_some());
}

#[test]
#[cfg_attr(not(muybridge_data), ignore = "set MUYBRIDGE_DATA to the shared data folder")]
fn quiet_standing_balances() {
    let found = recorded("games105_idle_metres");
    assert_eq!(found["verdict"], "plausible");
    assert_eq!(found["findings"].as_array().unwrap().len(), 0);
    assert_eq!(found["flights"].as_array().unwrap().len(), 0);
    assert!(number(&found["balance"]["inside_fraction"]) >= 0.95);
}

#[test]
fn recorded_people_make_no_errors() {
    let names = [
        "boxing_knockdown_fall",
        "games105_walk_turn_left_metres",
        "freebvh_walk_55joints",
        "snu_hjump_phase",
        "snu_ljump_phase",
        "snu_walk_phase",
        "cmu_12_01_walk",
    ];
    for name in here(names, |name| format!("bvh/{name}.bvh")) {
        let found = recorded(name);
        assert_eq!(severities(&found, "error"), [""; 0], "{name}");
        assert_eq!(found["verdict"], "plausible", "{name}");
        let flights = found["flights"].as_array().unwrap();
        assert_eq!(flights.len(), usize::from(name.contains("jump")), "{name}");
    }
}

#[test]
fn cycles_on_the_spot_are_told_and_their_ground_moves() {
    let cases = [
        ("gltf/kaykit_rogue.glb", "Walking_A"),
        ("gltf/kaykit_rogue.glb", "Walking_B"),
        ("gltf/kaykit_rogue.glb", "Walking_C"),
        ("gltf/kaykit_rogue.glb", "Walking_Backwards"),
        ("gltf/Fox.glb", "Walk"),
        ("gltf/Fox.glb", "Run"),
        ("gltf/RobotExpressive.glb", "Walking"),
    ];
    for (file, name) in here(cases, |case| case.0.into()) {
        let found = clip([shared(file), "--clip".into(), name.into()]);
        let note = finding(&found, "clip.in_place").unwrap_or_else(|| panic!("{name}: {}", found["findings"]));
        assert_eq!(note["severity"], "note");
        let ground: Vec<f64> = found["treadmill_mps"].as_array().unwrap().iter().map(number).collect();
        let speed = ground.iter().map(|v| v * v).sum::<f64>().sqrt();
        assert!((speed - number(&note["value"])).abs() < 1e-9 && ground[1] == 0.0, "{name}: {ground:?}");
        assert!((0.2..6.0).contains(&speed), "{name}: {speed} m/s");
        // A cycle that walks backward moves its treadmill ground forward.
        let backward = name.ends_with("Backwards");
        assert_eq!(ground[2] > 0.0, backward, "{name}: the ground goes {ground:?}");
    }
}

#[test]
#[cfg_attr(not(muybridge_data), ignore = "set MUYBRIDGE_DATA to the shared data folder")]
fn a_simulated_clip_through_bvh_and_through_glb_is_the_same_motion() {
    let geoms = shared("truth/mj_geoms.csv");
    for name in ["mj_jump_120", "mj_tumble_120"] {
        let body = shared(&format!("truth/{name}_body.csv"));
        let read = |extension: &str| {
            let file = shared(&format!("truth/{name}.{extension}"));
            clip([&file, "--cutoff", "off", "--body", &body, "--contacts", &geoms])
        };
        assert_same_motion(name, &read("bvh"), &read("glb"));
    }
}

#[test]
fn a_recorded_clip_through_bvh_and_through_glb_is_the_same_motion() {
    let folder = Folder::new("through");
    let clips = [
        ("snu_hjump_phase", 0.01),
        ("games105_idle_metres", 1.0),
        ("cmu_12_01_walk", 0.0254 / 0.45),
        ("cmu_01_01_forward_hops", 0.0254 / 0.45),
    ];
    for (name, unit) in here(clips, |case| format!("bvh/{}.bvh", case.0)) {
        let path = shared(&format!("bvh/{name}.bvh"));
        let imported = bvh::import(&bvh::parse(&std::fs::read(&path).unwrap()).unwrap()).unwrap();
        let (skeleton, motion) = conform(&imported.skeleton, &imported.clips[0], unit, Axis::Y);
        let glb = gltf::export(&skeleton, &[motion], gltf::ExportOptions::default()).unwrap();
        let glb = folder.file(&format!("{name}.glb"), glb);
        for cutoff in ["off", "6"] {
            assert_same_motion(name, &clip([&path, "--cutoff", cutoff]), &clip([&glb, "--cutoff", cutoff]));
        }
    }
}

/// Asserts equal verdicts and findings, and numbers equal within 0.1 %.
fn assert_same_motion(name: &str, one: &Value, other: &Value) {
    assert_eq!((&one["verdict"], &one["frames"]), (&other["verdict"], &other["frames"]), "{name}");
    assert_eq!(findings(one), findings(other), "{name}");
    let same = |what: &str, a: &Value, b: &Value| {
        let (a, b) = (number(a), number(b));
        assert!((a - b).abs() <= 1e-3 * a.abs().max(1e-3), "{name} {what}: {a} and {b}");
    };
    let list = |clip: &Value, name: &str| clip[name].as_array().unwrap().clone();
    for (a, b) in list(one, "findings").iter().zip(&list(other, "findings")) {
        same(a["id"].as_str().unwrap(), &a["value"], &b["value"]);
    }
    assert_eq!(list(one, "flights").len(), list(other, "flights").len(), "{name}");
    for (a, b) in list(one, "flights").iter().zip(&list(other, "flights")) {
        same("gravity", &a["gravity_g"], &b["gravity_g"]);
        assert_eq!((&a["first_frame"], &a["last_frame"]), (&b["first_frame"], &b["last_frame"]), "{name}");
    }
    for field in ["skate_mps", "float_m", "penetration_m"] {
        same(field, &one["feet"][field], &other["feet"][field]);
    }
    same("mass", &one["body"]["mass_kg"], &other["body"]["mass_kg"]);
    // Rounded angles may put one frame of a contact elsewhere.
    let (a, b) = (number(&inside(one)), number(&inside(other)));
    assert!((a - b).abs() <= 1.5 / number(&one["frames"]), "{name} inside: {a} and {b}");
}

/// Ids and severities of the findings.
fn findings(clip: &Value) -> Vec<(Value, Value)> {
    clip["findings"].as_array().unwrap().iter().map(|f| (f["id"].clone(), f["severity"].clone())).collect()
}

/// Share of frames in balance; 0 if no frame is judged.
fn inside(clip: &Value) -> Value {
    let fraction = &clip["balance"]["inside_fraction"];
    if fraction.is_null() { Value::from(0.0) } else { fraction.clone() }
}

#[test]
fn the_clips_of_one_file_are_rows_and_files_of_their_own() {
    let folder = Folder::new("fox");
    let fox = shared("gltf/Fox.glb");
    let rows = folder.path("rows");
    let ran = checking::check([&fox, "--csv", &rows]);
    assert_eq!(checking::names_in(std::path::Path::new(&rows)), ["Fox_Run.csv", "Fox_Survey.csv", "Fox_Walk.csv"]);
    for name in ["Survey", "Walk", "Run"] {
        assert_eq!(ran.out.lines().filter(|line| line.contains(&format!("· {name} "))).count(), 1, "{}", ran.out);
    }
    let ids: Vec<String> = clips([&fox]).iter().map(|c| c["name"].as_str().unwrap().to_string()).collect();
    assert_eq!(ids, ["Survey", "Walk", "Run"]);
}

#[test]
#[cfg_attr(not(muybridge_data), ignore = "set MUYBRIDGE_DATA to the shared data folder")]
fn a_pose_of_one_frame_is_undecided() {
    let all = clips([shared("gltf/kaykit_rogue.glb")]);
    let poses: Vec<&Value> = all.iter().filter(|c| c["name"].as_str().unwrap().ends_with("_Pose")).collect();
    assert!(poses.len() >= 6);
    for pose in poses {
        assert_eq!(
            (&pose["frames"], &pose["verdict"]),
            (&Value::from(1), &Value::from("undecided")),
            "{}",
            pose["name"]
        );
        assert_eq!(severities(pose, "error"), [""; 0]);
    }
}

#[test]
fn s33_shared_clips_give_the_same_bytes_with_one_thread_and_two() {
    let folder = Folder::new("shared_bytes");
    let files = here(["bvh/snu_hjump_phase.bvh", "gltf/Fox.glb", "bvh/cmu_12_01_walk.bvh"], |file| file.to_string());
    let run = |threads: &str| {
        let target = folder.path(&format!("{threads}.json"));
        let mut arguments = vec![format!("--json={target}"), "--threads".into(), threads.into()];
        arguments.extend(files.iter().map(|file| shared(file)));
        let ran = checking::check(&arguments);
        assert!(ran.code < 2, "{ran:?}");
        (ran.out, std::fs::read(target).unwrap())
    };
    assert!(run("1") == run("2"));
}
