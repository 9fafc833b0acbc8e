//! Tests of masses from files: the same body from a table and from its model, and refusals.

use crate::checking;

use checking::{Folder, check, clip, shared};
use serde_json::Value;

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

/// Checks the simulated jump with body options, unfiltered.
fn jump(options: &[&str]) -> Value {
    let file = shared("truth/mj_jump_30.bvh");
    let mut arguments = vec![file.as_str(), "--cutoff", "off"];
    arguments.extend(options);
    clip(arguments)
}

#[test]
fn a_table_and_the_model_it_was_made_of_are_the_same_body() {
    let (table, geoms) = (shared("truth/mj_jump_30_body.csv"), shared("truth/mj_geoms.csv"));
    let model = shared("models/mjcf/mujoco_humanoid.xml");
    let by_table = jump(&["--body", &table, "--contacts", &geoms]);
    let by_model = jump(&["--body", &model]);
    // MuJoCo reads 40.844 kg.
    for found in [&by_table, &by_model] {
        assert!((number(&found["body"]["mass_kg"]) - 40.844).abs() < 1e-3, "{}", found["body"]["mass_kg"]);
        assert_eq!(found["flights"].as_array().unwrap().len(), 1);
        let gravity = number(&found["flights"][0]["gravity_g"]);
        assert!((9.81 * gravity - 9.811).abs() < 0.02, "{gravity}");
    }
    assert!((number(&by_table["body"]["mass_kg"]) - number(&by_model["body"]["mass_kg"])).abs() < 1e-4);
    let gravity = |found: &Value| number(&found["flights"][0]["gravity_g"]);
    assert!((gravity(&by_table) - gravity(&by_model)).abs() < 1e-4, "{} {}", gravity(&by_table), gravity(&by_model));
    let masses = |found: &Value| {
        let segments = found["body"]["segments"].as_array().unwrap().iter();
        let mut masses: Vec<(String, f64)> =
            segments.map(|s| (s["bone"].as_str().unwrap().to_string(), number(&s["mass_kg"]))).collect();
        masses.sort_by(|a, b| a.0.cmp(&b.0));
        masses
    };
    let (a, b) = (masses(&by_table), masses(&by_model));
    assert_eq!(a.len(), b.len());
    for ((bone, kilograms), (other, more)) in a.iter().zip(&b) {
        assert_eq!(bone, other);
        assert!((kilograms - more).abs() < 1e-4, "{bone}: {kilograms} kg and {more} kg");
    }
    let centers = |found: &Value| found["per_frame"]["mass_center_m"].as_array().unwrap().clone();
    for (a, b) in centers(&by_table).iter().zip(&centers(&by_model)) {
        for axis in 0..3 {
            assert!((number(&a[axis]) - number(&b[axis])).abs() < 1e-5, "{a} and {b}");
        }
    }
}

#[test]
fn names_the_clip_has_not_are_an_error_that_lists_them() {
    let folder = Folder::new("names");
    let table = std::fs::read_to_string(shared("truth/mj_jump_30_body.csv")).unwrap();
    let wrong = table
        .replace("\nhead,", "\nHelmet,")
        .replace("\nleft_foot", "\nleft_skate")
        .replace("\nfoot_left", "\nskate_left");
    let file = folder.file("wrong_body.csv", &wrong);
    let ran = check([&shared("truth/mj_jump_30.bvh"), "--body", &file]);
    assert_eq!(ran.code, 2, "{ran:?}");
    for word in ["wrong_body.csv", "Helmet", "skate"] {
        assert!(ran.err.contains(word), "{word}: {}", ran.err);
    }
    let contacts = std::fs::read_to_string(shared("truth/mj_geoms.csv")).unwrap().replace("\nhead,", "\nHelmet,");
    let file = folder.file("wrong_geoms.csv", contacts);
    let ran = check([&shared("truth/mj_jump_30.bvh"), "--contacts", &file]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.err.contains("Helmet"), "{}", ran.err);
}

#[test]
fn a_model_is_never_turned_or_scaled_to_fit_a_clip_of_other_proportions() {
    let folder = Folder::new("proportions");
    let model = shared("models/mjcf/mujoco_humanoid.xml");
    let text = std::fs::read_to_string(shared("truth/mj_jump_30.bvh")).unwrap();
    // Offsets of every joint shuffled: names match, but no rotation of the axes does.
    let other: String = text
        .lines()
        .map(|line| match line.trim().strip_prefix("OFFSET ") {
            Some(rest) => {
                let v: Vec<f64> = rest.split_whitespace().map(|word| word.parse().unwrap()).collect();
                format!("OFFSET {} {} {}\n", 0.3 - v[1], v[0] + 0.2, 1.7 * v[2] - 0.1)
            }
            None => format!("{line}\n"),
        })
        .collect();
    let file = folder.file("other.bvh", other);
    let ran = check([&file, "--body", &model]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.err.contains("mujoco_humanoid.xml"), "{}", ran.err);
    // A skeleton without a common name.
    let ran = check([&shared("bvh/snu_hjump_phase.bvh"), "--body", &model]);
    assert_eq!(ran.code, 2, "{ran:?}");
}

#[test]
fn what_is_no_body_file_is_refused_with_what_it_is() {
    let file = shared("truth/mj_jump_30.bvh");
    for (option, wrong, word) in [
        ("--body", "truth/mj_geoms.csv", "--contacts"),
        ("--body", "bvh/snu_hjump_phase.bvh", "motion"),
        ("--contacts", "truth/mj_jump_30_body.csv", "mj_jump_30_body.csv"),
    ] {
        let ran = check([&file, option, &shared(wrong)]);
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.err.contains(word), "{wrong}: {}", ran.err);
    }
    let ran = check([shared("truth/mj_jump_30_body.csv")]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("--body"), "{}", ran.err);
}
