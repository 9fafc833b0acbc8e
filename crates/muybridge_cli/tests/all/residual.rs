//! Tests of the force and moment that no contact gives, as `check` reports them.

use serde_json::Value;

use crate::checking::{Folder, check, clip, thrown_bvh};

/// Checks a body of 2 kg, thrown with so many g, and returns its entry.
fn thrown(folder: &Folder, gravities: f64, options: &[&str]) -> Value {
    let file = folder.file("thrown.bvh", thrown_bvh(60, 60.0, gravities * 9.81));
    clip([&[file.as_str(), "--mass", "2", "--unit", "m", "--cutoff", "off"], options].concat())
}

fn number(clip: &Value, key: &str) -> f64 {
    clip["residual"][key].as_f64().unwrap_or_else(|| panic!("{key}: {}", clip["residual"]))
}

#[test]
fn s34_in_the_air_the_residual_is_the_weight_that_the_fall_leaves() {
    let folder = Folder::new("residual_air");
    for (gravities, missing) in [(1.0, 0.0), (1.5, 0.5), (0.25, 0.75), (0.0, 1.0)] {
        let found = thrown(&folder, gravities, &["--flight", "0..59"]);
        for key in ["mean_force_bw", "worst_force_bw"] {
            assert!((number(&found, key) - missing).abs() < 1e-6, "{gravities} g: {}", found["residual"]);
        }
        assert!(number(&found, "worst_moment_nm") < 1e-6, "a steady turn about a principal axis needs no moment");
        let spans = found["residual"]["spans"].as_array().unwrap();
        assert_eq!(spans.len(), usize::from(missing > 0.1), "{spans:?}");
        let force = found["per_frame"]["residual_force_n"][30][1].as_f64().unwrap();
        assert!((force - (1.0 - gravities) * 2.0 * 9.81).abs() < 1e-5, "{force}");
    }
}

#[test]
fn s34_the_built_in_jump_needs_no_more_than_its_feet_can_give() {
    let found = clip([""; 0]);
    assert!(number(&found, "mean_force_bw") < 0.01 && number(&found, "mean_moment_nm") < 1.0, "{}", found["residual"]);
    assert_eq!(found["residual"]["spans"], serde_json::json!([]));
    let line = |out: &str| out.lines().find(|line| line.starts_with("  residual ")).map(str::to_owned);
    let line = line(&check([""; 0]).out).unwrap();
    assert!(line.contains("mean 0.00 BW, 0 N m") && line.ends_with('\u{2713}'), "{line}");
}

#[test]
fn a_marked_support_gives_what_the_contacts_do_not() {
    let folder = Folder::new("residual_support");
    let found = thrown(&folder, 0.0, &["--support", "0..59"]);
    assert_eq!(found["residual"]["mean_force_bw"], Value::Null);
    assert!(found["per_frame"]["residual_force_n"].as_array().unwrap().iter().all(Value::is_null));
    let half = thrown(&folder, 0.0, &["--support", "0..29", "--flight", "30..59"]);
    assert!((number(&half, "mean_force_bw") - 1.0).abs() < 1e-6);
    assert_eq!(half["residual"]["spans"][0]["first_frame"], 30);
}

#[test]
fn the_option_lists_the_spans_and_several_clips_are_a_table() {
    let folder = Folder::new("residual_list");
    let [sound, heavy] = [("sound", 1.0), ("heavy", 1.5)]
        .map(|(name, g)| folder.file(&format!("{name}.bvh"), thrown_bvh(60, 60.0, g * 9.81)));
    let ran = check([&heavy, "--residual", "--cutoff", "off"]);
    let list: Vec<&str> = ran.out.lines().skip_while(|line| !line.starts_with("residual: ")).collect();
    assert!(list[0].starts_with("residual: mean 0.50 BW, "), "{}", ran.out);
    assert!(list[1].starts_with("  0.00\u{2013}0.98 s  (0\u{2013}59)   0.50 BW, "), "{}", ran.out);
    let ran = check([&sound, &heavy, "--residual", "--cutoff", "off"]);
    let table: Vec<&str> = ran.out.lines().skip_while(|line| !line.starts_with("residual ")).collect();
    assert!(table.len() == 3 && table[1].contains("sound.bvh") && table[1].contains("0.00 BW"), "{}", ran.out);
    assert!(table[2].contains("heavy.bvh") && table[2].contains("0.50 BW"), "{}", ran.out);
    assert!(ran.out.lines().all(|line| line.chars().count() <= 80), "{}", ran.out);
}

#[test]
fn the_table_of_frames_has_the_residual_in_newtons() {
    let folder = Folder::new("residual_csv");
    let (file, csv) = (folder.file("heavy.bvh", thrown_bvh(60, 60.0, 1.5 * 9.81)), folder.path("rows.csv"));
    check([&file, "--csv", &csv, "--mass", "2", "--unit", "m", "--cutoff", "off"]);
    let text = std::fs::read_to_string(&csv).unwrap();
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    let column = |name: &str| rows[0].iter().position(|cell| *cell == name).unwrap();
    let force: f64 = rows[31][column("residual_force_y [N]")].parse().unwrap();
    assert!((force + 9.81).abs() < 1e-5, "{force}");
    assert_eq!(column("residual_moment_x [N m]"), column("residual_force_z [N]") + 1);
}
