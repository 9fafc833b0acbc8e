//! `muybridge simulate` run as a user runs it: scenes, characters, results, errors; and what `check` says of a recorded flight.

mod program;

use program::{Folder, Said, muybridge};
use serde_json::Value;

fn simulate(arguments: &[&str]) -> Said {
    muybridge([&["simulate"], arguments].concat())
}

fn text(path: &std::path::Path) -> &str {
    path.to_str().expect("a path in UTF-8")
}

#[test]
fn without_a_scene_a_person_is_dropped_and_measured() {
    let said = simulate(&["--seconds", "0.5"]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    for words in ["drop", "1 ragdoll", "stretch", "joint gap", "limits", "penetration", "energy", "asleep", "per frame"]
    {
        assert!(said.out.contains(words), "{words} in\n{}", said.out);
    }
    assert!(said.out.lines().all(|line| line.chars().count() <= 80), "{}", said.out);
}

#[test]
fn the_built_in_scenes_are_listed_printed_and_read_back() {
    let listed = simulate(&["--scenes"]).out;
    let names: Vec<&str> = listed.lines().filter_map(|line| line.split_whitespace().next()).collect();
    for wanted in ["drop", "throw", "rope", "flail", "cloth_on_sphere", "cloth_on_ragdoll", "plant_in_wind", "stairs"] {
        assert!(names.contains(&wanted), "{wanted} in\n{listed}");
    }
    let folder = Folder::new();
    for name in names {
        let printed = simulate(&[name, "--print-scene"]);
        assert_eq!(printed.code, Some(0), "{}", printed.err);
        let file = folder.file("scene.toml", &printed.out);
        assert_eq!(simulate(&[text(&file), "--print-scene"]).out, printed.out, "{name}");
    }
}

#[test]
fn s11_check_says_of_a_recorded_free_fall_that_it_is_one_g_with_constant_spin() {
    let folder = Folder::new();
    for extension in ["bvh", "glb"] {
        let clip = folder.path(&format!("throw.{extension}"));
        let said = simulate(&["throw", "-o", text(&clip)]);
        assert_eq!(said.code, Some(0), "{}", said.err);
        let checked = muybridge(["check", text(&clip), "--json"]);
        let document: Value = serde_json::from_str(&checked.out).unwrap();
        let flights = document["clips"][0]["flights"].as_array().unwrap();
        assert_eq!(flights.len(), 1, "{extension}: one flight\n{}", checked.out);
        let gravity = flights[0]["gravity_g"].as_f64().unwrap();
        assert_eq!(format!("{gravity:.3}"), "1.000", "{extension}");
        for error in flights[0]["angular_momentum_error"].as_array().unwrap() {
            assert!(error.as_f64().is_none_or(|error| error < 0.02), "{extension}: spin {error}");
        }
        assert_eq!(checked.code, Some(0), "{extension}: plausible");
    }
}

#[test]
fn a_run_as_json_has_an_entry_for_every_frame_and_the_same_bytes_twice() {
    let run = || {
        let said = simulate(&["throw", "--seconds", "0.2", "--rate", "50", "--json"]);
        assert_eq!(said.code, Some(0), "{}", said.err);
        let mut document: Value = serde_json::from_str(&said.out).unwrap();
        document["step_us"] = Value::Null;
        document
    };
    let document = run();
    assert_eq!(document["schema"], 1);
    assert_eq!(document["frames"], 11);
    for (key, values) in document["per_frame"].as_object().unwrap() {
        assert_eq!(values.as_array().unwrap().len(), 11, "{key}");
    }
    assert!(document["worst"]["gap_m"]["value"].as_f64().unwrap() < 1e-9);
    assert_eq!(document, run(), "x10");
}

#[test]
fn a_character_is_dropped() {
    let folder = Folder::new();
    let clip = folder.path("jumper.bvh");
    assert_eq!(simulate(&["throw", "--seconds", "0.1", "-o", text(&clip)]).code, Some(0));
    let said = simulate(&[text(&clip), "--seconds", "0.2"]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert!(said.out.contains("1 ragdoll"), "{}", said.out);
}

#[test]
fn what_is_wrong_is_said_in_a_sentence_with_its_place() {
    let folder = Folder::new();
    let bad = folder
        .file("bad.toml", "[[ragdoll]]\nname = \"man\"\n\n[[hit]]\nof = \"man/Hed\"\ntime = 0\nimpulse = [0, 0, 1]\n");
    let there = folder.file("there.glb", "");
    let cases: [(&[&str], &str); 9] = [
        (&["--method", "multipliers"], "multipliers is not there yet"),
        (&["--method", "displacement"], "displacement is not there yet"),
        (&[text(&bad)], "bad.toml:5:6: [hit] of speaks of “Hed”"),
        (&["ropes"], "did you mean rope?"),
        (&["--mode", "shak"], "shake, xpbd, jakobsen, rosen"),
        (&["heap", "--seconds", "0.02", "-o", "heap.bvh"], "64 ragdolls and a .bvh holds one"),
        (&["-o", text(&there)], "--force"),
        (&["-o", "clip.txt"], ".glb, .gltf, .bvh or .vrma"),
        (&["--gif", "film.png"], "written as .gif"),
    ];
    for (arguments, words) in cases {
        let said = simulate(arguments);
        assert_eq!(said.code, Some(2), "{arguments:?}: {}", said.out);
        assert!(said.err.contains(words), "“{words}” expected of {arguments:?}:\n{}", said.err);
    }
}

#[test]
fn film_picture_and_plate_are_written() {
    let folder = Folder::new();
    let [gif, png, plate] = ["run.gif", "run.png", "plate.png"].map(|name| folder.path(name));
    let said = simulate(&[
        "throw",
        "--seconds",
        "0.2",
        "--size",
        "160,90",
        "--gif",
        text(&gif),
        "--png",
        text(&png),
        "--plate",
        text(&plate),
    ]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert!(std::fs::read(&gif).unwrap().starts_with(b"GIF89a"));
    for picture in [&png, &plate] {
        assert!(std::fs::read(picture).unwrap().starts_with(b"\x89PNG"));
        assert!(said.out.contains(text(picture)), "{}", said.out);
    }
}
