//! Tests of clip options and their effect on the analysis.

use crate::checking;

use checking::{Folder, check, clip, finding, severities, shared, thrown_bvh};
use serde_json::Value;

/// Checks the built-in jump with options.
fn jump(options: &[&str]) -> Value {
    clip(options)
}

fn flight_frames(clip: &Value) -> Vec<(u64, u64)> {
    let flights = clip["flights"].as_array().unwrap().iter();
    flights.map(|f| (f["first_frame"].as_u64().unwrap(), f["last_frame"].as_u64().unwrap())).collect()
}

#[test]
fn frames_outside_those_asked_for_are_null_in_every_list() {
    let whole = jump(&["--cutoff", "off"]);
    let part = jump(&["--frames", "40..120", "--cutoff", "off"]);
    assert_eq!(part["frames"], whole["frames"]);
    let frames = part["frames"].as_u64().unwrap() as usize;
    for (name, list) in part["per_frame"].as_object().unwrap() {
        let list = list.as_array().unwrap();
        assert_eq!(list.len(), frames, "{name}");
        for (frame, row) in list.iter().enumerate() {
            if !(40..=120).contains(&frame) && name != "time_s" {
                assert!(row.is_null(), "{name} of frame {frame} is {row}");
            }
        }
    }
    // Within the range values are unchanged: the center of mass does not depend on the selected frames.
    for frame in 40..=120 {
        let at = |clip: &Value| clip["per_frame"]["mass_center_m"][frame].clone();
        assert_eq!(at(&part), at(&whole));
    }
    assert_eq!(flight_frames(&part), flight_frames(&whole));
    assert_eq!(flight_frames(&jump(&["--frames", "..50"])), []);
    assert_eq!(jump(&["--frames", "100.."])["per_frame"]["mass_center_m"][99], Value::Null);
}

#[test]
fn a_marked_flight_or_support_overrides_what_touches() {
    let marked = jump(&["--flight", "10..30"]);
    assert!(flight_frames(&marked).contains(&(10, 30)), "{:?}", flight_frames(&marked));
    assert!(finding(&marked, "flight.gravity").is_some(), "standing still is no free fall");
    let carried = jump(&["--support", "60..95"]);
    assert_eq!(flight_frames(&carried), []);
    let unseen = finding(&carried, "support.unseen").unwrap();
    assert_eq!((unseen["first_frame"].as_u64(), unseen["last_frame"].as_u64()), (Some(60), Some(95)));
    assert_eq!(unseen["severity"], "note");
    assert_eq!(severities(&carried, "error"), [""; 0]);
}

#[test]
fn a_marked_support_gives_what_the_ground_could_not() {
    // The recorded jump at three times its speed: its legs push with many times the weight, and the air pulls it down.
    let folder = checking::Folder::new("marked_support");
    let text = std::fs::read_to_string(shared("bvh/snu_hjump_phase.bvh")).unwrap();
    let fast = folder.file("fast.bvh", text.replace("0.0333333", "0.0111111"));
    let bare = clip([&fast]);
    let force = finding(&bare, "force.ground").unwrap_or_else(|| panic!("{}", bare["findings"]));
    assert_eq!(force["severity"], "error");
    let carried = clip([fast.as_str(), "--support", "0..79"]);
    assert!(finding(&carried, "force.ground").is_none(), "{}", carried["findings"]);
    assert!(finding(&carried, "support.none").is_none(), "{}", carried["findings"]);
}

#[test]
fn a_stated_floor_is_the_one_that_the_body_floats_over_or_sinks_into() {
    let found = jump(&[]);
    let floor = found["floor_m"].as_f64().unwrap();
    let stated = |height: f64| jump(&["--floor", &format!("{height}")]);
    assert_eq!(stated(floor)["feet"], found["feet"]);
    let low = stated(floor - 0.05);
    assert_eq!(low["floor_m"].as_f64(), Some(floor - 0.05));
    let float = finding(&low, "feet.float").unwrap()["value"].as_f64().unwrap();
    assert!((float - 0.05).abs() < 0.01, "{float}");
    let high = stated(floor + 0.1);
    let sunk = finding(&high, "feet.penetration").unwrap()["value"].as_f64().unwrap();
    assert!((sunk - 0.1).abs() < 0.01, "{sunk}");
    let ran = check(["--floor", "low"]);
    assert!(ran.code == 2 && ran.err.contains("a number is needed"), "{ran:?}");
}

#[test]
fn on_the_moon_an_earthly_jump_falls_with_six_g() {
    let found = jump(&["--gravity", "1.62"]);
    assert_eq!(found["gravity_mps2"], 1.62);
    let gravity = found["flights"][0]["gravity_g"].as_f64().unwrap();
    assert!((gravity - 9.81 / 1.62).abs() < 1e-3, "{gravity}");
    assert_eq!(finding(&found, "flight.gravity").unwrap()["severity"], "error");
    assert_eq!(found["verdict"], "implausible");
}

#[test]
fn mass_scales_forces_and_momenta_and_nothing_else() {
    let (one, two) = (jump(&["--mass", "70"]), jump(&["--mass", "140"]));
    assert_eq!(two["body"]["mass_kg"].as_f64().unwrap().round(), 140.0);
    let vector = |clip: &Value, list: &str| {
        let row = clip["per_frame"][list][80].as_array().unwrap().clone();
        row.iter().map(|v| v.as_f64().unwrap()).collect::<Vec<f64>>()
    };
    for (list, factor) in [("linear_momentum_kgmps", 2.0), ("ground_force_n", 2.0), ("mass_center_m", 1.0)] {
        for (a, b) in vector(&one, list).into_iter().zip(vector(&two, list)) {
            assert!((factor * a - b).abs() <= 1e-9 * (1.0 + b.abs()), "{list}: {a} {b}");
        }
    }
    assert_eq!(one["verdict"], two["verdict"]);
}

#[test]
fn s37_backward_velocities_of_a_flight_lag_by_half_g_h() {
    let rise = |velocity: &str| {
        let found = jump(&["--velocity-scheme", velocity, "--cutoff", "off"]);
        let rows = found["per_frame"]["mass_center_velocity_mps"].clone();
        move |frame: usize| rows[frame][1].as_f64().unwrap()
    };
    let (late, exact) = (rise("backward"), rise("central"));
    for frame in 68..90 {
        let lag = late(frame) - exact(frame);
        assert!((lag - 0.5 * 9.81 / 60.0).abs() <= 1e-10, "frame {frame}: {lag}");
    }
}

#[test]
fn a_cutoff_is_stated_and_can_be_chosen() {
    assert_eq!(jump(&["--cutoff", "off"])["cutoff_hz"], Value::Null);
    assert_eq!(jump(&["--cutoff", "9.5"])["cutoff_hz"], 9.5);
}

#[test]
fn s36_limits_in_a_file_change_what_is_a_finding() {
    let folder = Folder::new("limits");
    let file = folder.file("heavy.bvh", thrown_bvh(60, 60.0, 1.5 * 9.81));
    let judged = clip([&file]);
    assert_eq!(judged["verdict"], "implausible");
    assert_eq!(finding(&judged, "flight.gravity").unwrap()["limit"], serde_json::json!([0.8, 1.25]));
    let loose = folder.file("loose.toml", "gravity_g = [0.5, 2.0]\n");
    let allowed = clip([&file, "--limits", &loose]);
    assert_eq!(allowed["verdict"], "plausible");
    assert!(finding(&allowed, "flight.gravity").is_none());
    assert_eq!(check([&file, "--limits", &loose]).code, 0);
    // The printed limits are the limits in use.
    let printed = check(["--print-limits"]);
    assert_eq!(printed.code, 0);
    let own = folder.file("own.toml", &printed.out);
    assert_eq!(clip([&file, "--limits", &own]), judged);
    let edited = folder.file("edited.toml", printed.out.replace("[0.8, 1.25]", "[0.8, 1.6]"));
    assert_eq!(clip([&file, "--limits", &edited])["verdict"], "plausible");
    // An earlier name of a limit means the same, and a note says the present one.
    let values = [
        ("position_error_m", "skeleton_error_m", "0.01"),
        ("momentum_floor_mps", "ignore_speed_change_mps", "0.2"),
        ("spin_error", "angular_momentum_error", "[0.1, 0.2]"),
        ("spin_floor", "angular_momentum_floor", "[0.0, 0.1]"),
        ("balance_distance", "zmp_distance", "[1.0, 2.0]"),
        ("balance_seconds", "zmp_seconds", "0.1"),
    ];
    for (earlier, name, value) in values {
        assert!(printed.out.contains(&format!("\n{name} = ")) && !printed.out.contains(&format!("\n{earlier} = ")));
        let [old, new] = [earlier, name].map(|key| folder.file(&format!("{key}.toml"), format!("{key} = {value}\n")));
        let [ran, now] = [&old, &new].map(|limits| check([&file, "--json", "--limits", limits]));
        assert_eq!((ran.code, &ran.out), (now.code, &now.out), "{earlier}");
        assert!(ran.err.contains(&format!("the limit {earlier} is now called {name}")), "{}", ran.err);
        assert!(!now.err.contains("is now called"), "{}", now.err);
        let both = folder.file("both.toml", format!("{name} = {value}\n{earlier} = {value}\n"));
        let ran = check([&file, "--limits", &both]);
        assert_eq!(ran.code, 2);
        let words = ["both.toml", ":2", earlier, name, "remove one"];
        assert!(words.iter().all(|word| ran.err.contains(word)), "{}", ran.err);
    }
    let wrong = folder.file("wrong.toml", "gravity_g = [0.5, 2.0]\nbounciness = 3\n");
    let ran = check([&file, "--limits", &wrong]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("wrong.toml") && ran.err.contains('2') && ran.err.contains("bounciness"), "{}", ran.err);
}

#[test]
fn s32_a_thrown_crate_falls_with_one_g_and_keeps_its_spin() {
    let folder = Folder::new("crate");
    let file = folder.file("crate.bvh", thrown_bvh(60, 60.0, 9.81));
    let found = clip([&file, "--mass", "2", "--unit", "m"]);
    assert_eq!(found["body"]["segments"].as_array().unwrap().len(), 1);
    assert_eq!(flight_frames(&found), [(0, 59)]);
    let flight = &found["flights"][0];
    assert!((flight["gravity_g"].as_f64().unwrap() - 1.0).abs() < 1e-9, "{}", flight["gravity_g"]);
    assert!(flight["angular_momentum_error_norm"].as_f64().unwrap() < 1e-9, "{flight}");
    assert_eq!(found["floor_m"], Value::Null);
}

#[test]
fn x14_a_number_that_is_none_is_refused_with_its_place() {
    let folder = Folder::new("nan");
    for word in ["nan", "inf", "1e400"] {
        let text = thrown_bvh(10, 30.0, 9.81).replacen("\n0 1.5 -0", &format!("\n0 {word} 0"), 1);
        assert!(text.contains(word));
        let ran = check([folder.file("nan.bvh", text)]);
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.err.contains("nan.bvh"), "{}", ran.err);
    }
}

#[test]
fn a_clip_is_chosen_by_name_and_a_wrong_name_lists_those_there_are() {
    let fox = shared("gltf/Fox.glb");
    assert_eq!(clip([&fox, "--clip", "Walk"])["name"], "Walk");
    let ran = check([&fox, "--clip", "Gallop"]);
    assert_eq!(ran.code, 2);
    for name in ["Gallop", "Survey", "Walk", "Run", "Fox.glb"] {
        assert!(ran.err.contains(name), "{}", ran.err);
    }
}

#[test]
fn a_value_of_another_unit_is_refused_with_what_was_meant() {
    for (option, value, meant) in [
        ("--height", "175", "height 175 m: did you mean 1.75?"),
        ("--height", "69", "did you mean 1.753?"),
        ("--height", "1750", "did you mean 1.75?"),
        ("--mass", "6500", "mass 6500 kg: did you mean 65?"),
        ("--mass", "70000", "did you mean 70?"),
        ("--gravity", "981", "gravity 981 m/s²: did you mean 9.81?"),
        ("--cutoff", "0.01", "cutoff 0.01 Hz is not within 0.5 to 500 Hz"),
    ] {
        let refused = check([option, value]);
        assert!(refused.code == 2 && refused.err.contains(meant), "{option} {value}: {}", refused.err);
    }
    for (option, value) in [("--height", "0.9"), ("--mass", "16"), ("--gravity", "1.62"), ("--cutoff", "2")] {
        assert_ne!(check([option, value]).code, 2, "{option} {value}");
    }
}
