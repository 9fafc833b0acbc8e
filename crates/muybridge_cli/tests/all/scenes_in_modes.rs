//! Built-in scenes in the modes and methods that they are for.

use serde_json::Value;

use crate::program::muybridge;

const MODES: [&str; 7] = ["shake", "xpbd", "jakobsen", "rosen", "multipliers", "displacement", "hennix"];

/// Names of the built-in scenes, with the words of what each is not for.
fn scenes() -> Vec<(String, Vec<String>)> {
    let said = muybridge(["simulate", "--scenes"]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    let scene = |line: &str| {
        let unfit = line.rsplit_once("(not for ").and_then(|(_, words)| words.strip_suffix(')'));
        let words = unfit.map_or_else(Vec::new, |words| words.split(", ").map(str::to_owned).collect());
        (line.split_whitespace().next().expect("a name").to_owned(), words)
    };
    said.out.lines().map(scene).collect()
}

/// Options that choose a mode of particles or a method.
fn options(mode: &str) -> Vec<&str> {
    let is_mode = MODES[..4].contains(&mode);
    if is_mode { vec!["--method", "particles", "--particle-mode", mode] } else { vec!["--method", mode] }
}

#[test]
fn a_scene_that_is_not_for_a_mode_says_so_in_the_list_and_in_a_run() {
    let scenes = scenes();
    let words: Vec<&String> = scenes.iter().flat_map(|(_, words)| words).collect();
    assert!(!words.is_empty() && words.iter().all(|word| MODES.contains(&word.as_str())), "{words:?}");
    let note = |mode: &str| muybridge([&["simulate", "drop", "--seconds", "0.05"], &options(mode)[..]].concat()).err;
    assert!(note("jakobsen").contains("drop is not for jakobsen"), "{}", note("jakobsen"));
    assert!(!note("multipliers").contains("is not for"), "{}", note("multipliers"));
}

#[test]
fn the_papers_scenes_hold_together_in_their_own_modes() {
    // Jakobsen's cloth may stretch as the source's does; a doll and joints may not gape.
    for (scene, key, most) in
        [("jakobsen_cloth", "stretch", 0.35), ("hennix_doll", "gap_m", 1e-3), ("ziauddin_joints", "gap_m", 1e-5)]
    {
        let said = muybridge(["simulate", scene, "--json"]);
        assert_eq!(said.code, Some(0), "{scene}: {}", said.err);
        assert_eq!(said.err, "", "{scene}");
        let run: Value = serde_json::from_str(&said.out).expect("JSON");
        let value = run["worst"][key]["value"].as_f64().expect("a number");
        assert!(value < most, "{scene}: {key} of {value}");
        let energy = &run["energy_j"];
        let [start, greatest] = ["start", "greatest"].map(|key| energy[key].as_f64().expect("a number"));
        assert!(scene == "ziauddin_joints" || greatest <= start * (1.0 + 1e-9), "{scene}: {energy}");
    }
}

#[test]
#[ignore = "minutes long"]
fn no_scene_warns_in_a_mode_that_it_is_for() {
    for (scene, unfit) in scenes() {
        for mode in MODES.into_iter().filter(|mode| !unfit.iter().any(|word| word == mode)) {
            let said = muybridge([&["simulate", &*scene, "--json"], &options(mode)[..]].concat());
            assert_eq!(said.code, Some(0), "{scene} in {mode}: {}", said.err);
            let run: Value = serde_json::from_str(&said.out).expect("JSON");
            let warnings = run["warnings"].as_array().expect("a list");
            // Of sixty-four who fall onto each other at 12 m/s, some go in by 3 cm for a frame, with a warning.
            let passes = |it: &Value| it["at_end"] == 0.0 && it["value"].as_f64().is_some_and(|depth| depth < 0.04);
            let is_allowed = |it: &Value| scene == "heap" && it["kind"] == "penetration" && passes(it);
            assert!(warnings.iter().all(is_allowed), "{scene} in {mode}: {warnings:?}");
        }
    }
}
