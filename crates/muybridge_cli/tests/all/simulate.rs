//! Tests of `muybridge simulate`: scenes, characters, results, errors, and `check` of a recorded flight.

use crate::program;
use crate::simulate_contact::every;

use program::{Folder, Said, muybridge, shared};
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
    let methods = ["particles", "multipliers", "displacement", "hennix"];
    for (extension, method) in
        ["bvh", "glb"].into_iter().flat_map(|extension| methods.map(|method| (extension, method)))
    {
        let clip = folder.path(&format!("throw_{method}.{extension}"));
        let said = simulate(&["throw", "--method", method, "-o", text(&clip)]);
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
fn check_takes_what_actuators_report_from_what_the_ground_is_asked_for() {
    let folder = Folder::new();
    let (clip, run) = (folder.path("up.glb"), folder.path("up.json"));
    let json = format!("--json={}", text(&run));
    let said = simulate(&["gets_up", "-o", text(&clip), &json]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    let checked = |more: &[&str]| {
        let said = muybridge([&["check", text(&clip), "--json"], more].concat());
        let document: Value = serde_json::from_str(&said.out).unwrap_or_else(|_| panic!("{}{}", said.out, said.err));
        let findings = document["clips"][0]["findings"].as_array().unwrap();
        let ids: Vec<String> = findings.iter().map(|finding| finding["id"].as_str().unwrap().to_owned()).collect();
        (said.code, ids)
    };
    // The root assist that puts the character on its feet is no contact force.
    let (code, ids) = checked(&[]);
    assert!(code == Some(1) && ids.iter().any(|id| id == "balance.zmp"), "{ids:?}");
    let (code, ids) = checked(&["--forces", text(&run)]);
    assert_eq!(code, Some(0), "{ids:?}");
    // A file that is no run gives an error sentence.
    let wrong = folder.file("wrong.json", "{}");
    let said = muybridge(["check", text(&clip), "--forces", text(&wrong)]);
    assert!(said.code == Some(2) && said.err.contains("wrong.json") && said.err.contains("--json"), "{}", said.err);
}

#[test]
fn check_judges_each_of_several_characters_with_the_forces_on_it() {
    let folder = Folder::new();
    let (clip, run) = (folder.path("three.glb"), folder.path("three.json"));
    let said = simulate(&["own_feet", "--seconds", "0.4", "-o", text(&clip), &format!("--json={}", text(&run))]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    let checked = |more: &[&str]| {
        let said = muybridge([&["check", text(&clip), "--json", "--forces", text(&run)], more].concat());
        serde_json::from_str::<Value>(&said.out).unwrap_or_else(|_| panic!("{}{}", said.out, said.err))
    };
    let masses = |document: &Value| -> Vec<f64> {
        let clips = document["clips"].as_array().unwrap();
        clips.iter().map(|clip| clip["body"]["mass_kg"].as_f64().unwrap().round()).collect()
    };
    // Three people of 70 kg each, not one of 66 bones.
    assert_eq!(masses(&checked(&[])), [70.0; 3]);
    assert_eq!(masses(&checked(&["--character", "jumper"])), [70.0]);
    // Another clip does not belong to that run.
    let other = folder.path("drop.bvh");
    assert_eq!(simulate(&["drop", "--seconds", "0.2", "-o", text(&other)]).code, Some(0));
    let said = muybridge(["check", text(&other), "--forces", text(&run)]);
    assert!(said.code == Some(2) && said.err.contains("three.json") && said.err.contains("“walker”"), "{}", said.err);
}

#[test]
fn check_judges_each_ragdoll_of_a_herd_and_the_run_tells_of_all_that_follow() {
    let folder = Folder::new();
    let scene = "[scene]\nname = \"three\"\nseconds = 0.7\nground = 0.0\n[[herd]]\nname = \"crowd\"\ncount = 3\nspacing = 2.0\nheight = 0.0\n\
                 random_orientation = false\nmax_start_delay = 0.2\n[[follow]]\nof = \"crowd\"\nclip = \"walk\"\nassist_time = 0.05\n";
    let (file, clip, json) = (folder.file("three.toml", scene), folder.path("three.glb"), folder.path("three.json"));
    let said = simulate(&[text(&file), "-o", text(&clip), &format!("--json={}", text(&json))]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert!(said.out.contains("3 of crowd") && said.out.contains("follows walk"), "{}", said.out);
    let document: Value = serde_json::from_str(&std::fs::read_to_string(&json).unwrap()).unwrap();
    let named = |list: &Value, key: &str| -> Vec<String> {
        list.as_array().unwrap().iter().map(|one| one[key].as_str().unwrap().to_owned()).collect()
    };
    let names = ["crowd 1", "crowd 2", "crowd 3"];
    assert_eq!(named(&document["characters"], "name"), names);
    assert_eq!((&document["follows"][0]["of"], &document["follows"][0]["ragdolls"]), (&"crowd".into(), &3.into()));
    // The root assist carries about the weight, less the share of the feet.
    assert!(document["follows"][0]["hand"]["mean_weights"].as_f64().unwrap() > 0.0);
    let said = muybridge(["check", text(&clip), "--json", "--forces", text(&json)]);
    let document: Value = serde_json::from_str(&said.out).unwrap_or_else(|_| panic!("{}{}", said.out, said.err));
    let clips = document["clips"].as_array().unwrap();
    let masses: Vec<f64> = clips.iter().map(|clip| clip["body"]["mass_kg"].as_f64().unwrap().round()).collect();
    assert_eq!(masses, [70.0; 3], "{}", said.err);
}

#[test]
fn check_refuses_the_forces_of_another_run_and_says_in_what_they_differ() {
    let folder = Folder::new();
    let run = |name: &str, extension: &str, more: &[&str]| {
        let (clip, json) = (folder.path(&format!("{name}.{extension}")), folder.path(&format!("{name}.json")));
        let own = ["-o", text(&clip), &format!("--json={}", text(&json))].map(str::to_owned);
        let args: Vec<&str> = own.iter().map(String::as_str).chain(more.iter().copied()).collect();
        let said = simulate(&args);
        assert_eq!(said.code, Some(0), "{}", said.err);
        (clip, json)
    };
    let refused = |clip: &std::path::Path, json: &std::path::Path, words: &[&str]| {
        let said = muybridge(["check", text(clip), "--forces", text(json)]);
        assert_eq!(said.code, Some(2), "{}{}", said.out, said.err);
        for words in words.iter().chain(&["give the clip that this run wrote"]) {
            assert!(said.err.contains(words), "{words} in {}", said.err);
        }
    };
    let (short, of_short) = run("short", "bvh", &["throw", "--seconds", "0.5"]);
    let (_, of_long) = run("long", "bvh", &["throw", "--seconds", "0.6"]);
    let (_, of_slow) = run("slow", "bvh", &["throw", "--seconds", "1.0", "--fps", "30"]);
    let (drop, _) = run("drop", "glb", &["drop", "--seconds", "0.5"]);
    let said = muybridge(["check", text(&short), "--forces", text(&of_short)]);
    assert_ne!(said.code, Some(2), "{}", said.err);
    // Frames: 0.5 s and 0.6 s at 60 per second; the third has the same number at half the rate.
    refused(&short, &of_long, &["long.json", "tells of 37 frames", "has 31"]);
    refused(&short, &of_slow, &["tells of 30 frames per second", "has 60"]);
    refused(&drop, &of_short, &["in “throw”", "the clip is “"]);
}

#[test]
fn a_run_as_json_has_an_entry_for_every_frame_and_the_same_bytes_twice() {
    let run = || {
        let said = simulate(&["throw", "--seconds", "0.2", "--fps", "50", "--json"]);
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
    // Joints gape in f32 lanes; the clip closes them, and bodies move by at most 2 mm.
    assert!(["gap_m", "read_out_m"].iter().all(|key| document["worst"][key]["value"].as_f64().unwrap() < 0.002));
    assert_eq!(document, run(), "x10");
}

/// Whether all lines fit, but for the one with the path of the file where a long temporary folder leaves no room.
fn fits_80_columns(said: &str, file: &std::path::Path) -> bool {
    let has_long_path = |line: &str| text(file).len() > 30 && line.starts_with(text(file));
    said.lines().all(|line| line.chars().count() <= 80 || has_long_path(line))
}

#[test]
fn a_run_says_how_clips_were_followed_and_where_they_are_impossible() {
    // One ragdoll walks on its own feet, one is held half a meter above the ground.
    let folder = Folder::new();
    let scene = "[scene]\nname = \"two\"\nseconds = 1.0\nrate = 120.0\nground = 0.0\nground_friction = 0.9\n\
                 [solver]\nmethod = \"multipliers\"\n\
                 [[ragdoll]]\nname = \"walker\"\nclip = \"walk\"\nfriction = 0.9\nself_collision = false\njoint_limits = false\nhinges = false\n\
                 [[ragdoll]]\nname = \"held\"\nposition = [2.0, 0.5, 0.0]\n\
                 [[follow]]\nof = \"walker\"\nown_feet = true\n[[follow]]\nof = \"held\"\nassist_time = 0.05\n";
    let file = folder.file("two.toml", scene);
    let json = folder.path("two.json");
    let said = simulate(&[text(&file), &format!("--json={}", text(&json))]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    for words in
        ["walker       follows walk", "held         follows its pose", "possible for 100 %", "possible for 0 %"]
    {
        assert!(said.out.contains(words), "{words} in\n{}", said.out);
    }
    assert!(fits_80_columns(&said.out, &file), "{}", said.out);
    let document: Value = serde_json::from_str(&std::fs::read_to_string(&json).unwrap()).unwrap();
    let follows = document["follows"].as_array().unwrap();
    let [walker, held] = &follows[..] else { panic!("{follows:?}") };
    assert!(walker["off_where_possible"]["place_m"].as_f64().unwrap() < 0.05, "{walker}");
    assert_eq!(walker["hand"]["most_weights"], 0.0);
    let shares = walker["possible"]["missing_share"].as_array().unwrap();
    assert_eq!(shares.len(), walker["possible"]["missing_force_n"].as_array().unwrap().len());
    // A hovering ragdoll lacks its weight.
    let weight = document["characters"][1]["mass_kg"].as_f64().unwrap() * 9.81;
    let lacks = format!("lacks {weight:.0} N (1.00 weights, up), 0 N m");
    assert!(said.out.contains(&lacks), "{lacks} in\n{}", said.out);
    let up = held["possible"]["impossible"][0]["force_n"][1].as_f64().unwrap();
    assert!((up - weight).abs() < 1e-6 * weight && held["off_where_possible"].is_null(), "{held}");
}

#[test]
fn a_clip_that_runs_inside_the_ground_is_impossible_and_the_run_says_how_deep() {
    let folder = Folder::new();
    let scene = "[scene]\nname = \"sunk\"\nseconds = 0.5\nground = 0.0\n[solver]\nmethod = \"multipliers\"\n\
                 [[ragdoll]]\nname = \"m\"\nclip = \"walk\"\nposition = [0.0, -0.3, 0.0]\n[[follow]]\nof = \"m\"\nassist_time = 0.02\n";
    let file = folder.file("sunk.toml", scene);
    let json = folder.path("sunk.json");
    let said = simulate(&[text(&file), &format!("--json={}", text(&json))]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert!(said.out.contains("possible for 0 %") && said.out.contains("inside the floor by 3"), "{}", said.out);
    assert!(fits_80_columns(&said.out, &file), "{}", said.out);
    let document: Value = serde_json::from_str(&std::fs::read_to_string(&json).unwrap()).unwrap();
    let possible = &document["follows"][0]["possible"];
    let depths: Vec<f64> =
        possible["inside_m"].as_array().unwrap().iter().map(|depth| depth.as_f64().unwrap()).collect();
    // While walking one foot always stands, within the tolerance of the floor height.
    assert_eq!(depths.len(), possible["missing_share"].as_array().unwrap().len());
    assert!(depths.iter().all(|depth| (depth - 0.3).abs() < 0.05), "{depths:?}");
    let deepest = possible["impossible"][0]["inside_m"].as_f64().unwrap();
    assert_eq!(deepest, depths.into_iter().fold(0.0, f64::max));
}

#[test]
fn all_methods_are_compared_side_by_side() {
    let said = simulate(&["throw", "--seconds", "0.3", "--method", "all", "--json"]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    let document: Value = serde_json::from_str(&said.out).unwrap();
    let methods = document["methods"].as_array().unwrap();
    let names: Vec<&str> = methods.iter().filter_map(|column| column["method"].as_str()).collect();
    assert_eq!(names, ["particles", "multipliers", "displacement"]);
    let start = |column: &Value| column["energy_j"]["start"].as_f64().unwrap();
    assert!((start(&methods[0]) / start(&methods[1]) - 1.0).abs() < 1e-3, "{}", said.out);
    let rigid = &methods[1];
    assert!(rigid["bodies"].as_u64().unwrap() > 10 && rigid["particles"] == 0);
    assert!(rigid["angular_momentum_drift_kgm2ps"].as_f64().unwrap() < 1e-8, "{rigid}");
    assert!(rigid["momentum_drift_kgmps"].as_f64().unwrap() < 1e-8, "{rigid}");
    let table = simulate(&["throw", "--seconds", "0.3", "--method", "all"]);
    for words in ["particles", "multipliers", "joint gap", "spin drift", "time per frame"] {
        assert!(table.out.contains(words), "{words} in\n{}", table.out);
    }
    assert!(table.out.lines().all(|line| line.chars().count() <= 80), "{}", table.out);
}

#[test]
fn z27_a_scene_with_a_plan_runs_by_all_methods_and_they_agree_on_its_order() {
    let said = simulate(&["arm", "--seconds", "3", "--method", "all", "--json"]);
    let document: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(document["left_out"].as_array().map(Vec::len), Some(0), "{}", said.out);
    assert_eq!(document["same_order"], true, "{}", said.out);
    for column in document["methods"].as_array().unwrap() {
        let log = column["log"].as_array().unwrap();
        let ends = |event: &&serde_json::Value| event["name"] == "reach a" && event["event"] == "ends";
        assert_eq!(log.iter().find(ends).unwrap()["why"], "arrived", "{column}");
    }
    let table = simulate(&["arm", "--seconds", "0.2", "--method", "all"]);
    assert!(table.out.contains("in the same order by all"), "{}", table.out);
}

#[test]
fn h20_an_integrator_is_chosen_by_name_and_a_free_fall_is_the_same_under_all_of_second_order() {
    let height = |integrator: &str| {
        let run = ["throw", "--seconds", "0.2", "--method", "multipliers", "--json", "--integrator", integrator];
        let document: serde_json::Value = serde_json::from_str(&simulate(&run).out).unwrap();
        assert_eq!(document["integrator"], integrator);
        document["energy_j"]["end"].as_f64().unwrap()
    };
    let splitting = height("splitting");
    for integrator in ["heun", "rk4", "composition4"] {
        let relative = height(integrator) / splitting - 1.0;
        assert!(relative.abs() < 1e-3, "{integrator}: {relative}");
    }
    // Explicit Euler adds energy to a spinning, falling body.
    assert!(height("euler") > splitting);
    let said = simulate(&["throw", "--integrator", "verlet"]);
    assert!(said.err.contains("one of splitting, euler, heun, ziauddin, rk4, composition4"), "{}", said.err);
}

#[test]
fn the_method_of_a_scene_counts_unless_an_option_says_another() {
    let folder = Folder::new();
    let printed = simulate(&["throw", "--method", "multipliers", "--seconds", "0.1", "--print-scene"]).out;
    assert!(printed.contains("method = \"multipliers\""), "{printed}");
    let file = folder.file("throw.toml", &printed);
    for (arguments, method) in [(&[][..], "multipliers"), (&["--method", "particles"][..], "particles")] {
        let said = simulate(&[&[text(&file), "--json"], arguments].concat());
        let document: Value = serde_json::from_str(&said.out).unwrap();
        assert_eq!(document["method"], method, "{}", said.err);
    }
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
    let empty = folder.file("empty.toml", "[scene]\nseconds = 1.0\n");
    let inside = folder.path("");
    let cases: [(&[&str], &str); 13] = [
        (&[text(&empty)], "this scene is empty"),
        (&[text(&inside)], "this is a folder"),
        (&["--seconds", "-1"], "a number above 0 is needed"),
        (&["--png", "frame.png", "--at", "9"], "--at 9 is after the end"),
        (&["--at", "1"], "--png"),
        (&["throw", "--method", "all", "--gif", "film.gif"], "choose a single method"),
        (&[text(&bad)], "bad.toml:5:6: [hit] of names the bone “Hed”"),
        (&["ropes"], "did you mean rope?"),
        (&["--particle-mode", "shak"], "shake, xpbd, jakobsen, rosen"),
        (
            &["heap", "--seconds", "0.02", "-o", "heap.bvh"],
            "64 ragdolls, but a .bvh file holds the motion of exactly one",
        ),
        (&["-o", text(&there)], "--force"),
        (&["-o", "clip.txt"], ".bvh, .gltf, .glb, .vrma or .obj"),
        (&["--gif", "film.png"], "this result is a .gif file"),
    ];
    for (arguments, words) in cases {
        let said = simulate(arguments);
        assert_eq!(said.code, Some(2), "{arguments:?}: {}", said.out);
        assert!(said.err.contains(words), "“{words}” expected of {arguments:?}:\n{}", said.err);
    }
}

#[test]
fn h22_a_run_is_done_again_from_its_log() {
    let folder = Folder::new();
    let log = folder.path("run.toml");
    for [option, mode] in every() {
        let log = folder.path(&format!("{mode}.toml"));
        let said = simulate(&["throw", "--seconds", "0.5", option, mode, "--log", text(&log)]);
        assert_eq!(said.code, Some(0), "{mode}: {}", said.err);
        let said = simulate(&["--replay", text(&log)]);
        assert!(said.out.contains("30 steps with 0 inputs, the same bits as recorded"), "{mode}: {}", said.out);
    }
    let said = simulate(&["throw", "--seconds", "2.5", "--method", "multipliers", "--log", text(&log)]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert!(said.out.contains("wrote ") && said.out.contains("run.toml"), "{}", said.out);
    let clip = folder.path("again.bvh");
    let said = simulate(&["--replay", text(&log), "-o", text(&clip)]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert!(said.out.contains("150 steps with 0 inputs, the same bits as recorded"), "{}", said.out);
    assert!(clip.exists());
    // Without a fingerprint there is nothing to compare with.
    let bare: String = std::fs::read_to_string(&log).unwrap();
    let is_sum = |line: &&str| !["sum =", "end ="].iter().any(|key| line.starts_with(key));
    let tables = bare.split("\n[").filter(|table| !table.starts_with("[mark]]"));
    let bare = tables.map(|table| table.lines().filter(is_sum).collect::<Vec<_>>().join("\n")).collect::<Vec<_>>();
    let said = simulate(&["--replay", text(&folder.file("bare.toml", &bare.join("\n[")))]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert!(said.out.contains("the log has no fingerprint to compare them with"), "{}", said.out);
    // With another gravity the run differs from the first step, and at the first fingerprint.
    let written = std::fs::read_to_string(&log).unwrap();
    let other = folder.file("other.toml", &written.replace("[scene]\n", "[scene]\ngravity = [0.0, -9.0, 0.0]\n"));
    let said = simulate(&["--replay", text(&other), "--json"]);
    assert_eq!(said.code, Some(1), "{}", said.err);
    let document: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(document["replay"]["steps"], 150);
    let difference = document["replay"]["difference"].as_str().unwrap();
    assert_eq!(difference, "the replay differs after 60 steps; after 0 it did not yet");
    // The log names the things that a drag acts on.
    let ghost = format!("{written}\n[[input]]\nstep = 3\nkind = \"push\"\nof = \"ghost\"\nimpulse = [1.0, 0.0, 0.0]\n");
    let said = simulate(&["--replay", text(&folder.file("ghost.toml", &ghost))]);
    assert_eq!(said.code, Some(1), "{}", said.err);
    assert!(said.out.contains("before step 3: there is no “ghost” that moves"), "{}", said.out);
    // A log in another folder finds the files that its scene names.
    let said = simulate(&["throw", "--seconds", "0.1", "-o", text(&folder.path("thrown.bvh"))]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    let named = folder.file("named.toml", "[[ragdoll]]\nname = \"a\"\ncharacter = \"thrown.bvh\"\n");
    std::fs::create_dir(folder.path("logs")).unwrap();
    let elsewhere = folder.path("logs/run.toml");
    let said = simulate(&[text(&named), "--seconds", "0.2", "--log", text(&elsewhere)]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    let said = simulate(&["--replay", text(&elsewhere)]);
    assert!(said.code == Some(2) && said.err.contains("--allow-outside"), "{}{}", said.out, said.err);
    let said = simulate(&["--replay", text(&elsewhere), "--allow-outside"]);
    assert!(said.out.contains("12 steps with 0 inputs, the same bits as recorded"), "{}{}", said.out, said.err);
    let scene = folder.file("scene.toml", &simulate(&["throw", "--print-scene"]).out);
    let cases: [(&[&str], &str); 3] = [
        (&["--replay", text(&scene)], "this is not an input log"),
        (&[text(&log)], "--replay"),
        (&["--replay", text(&log), "--seconds", "1"], "cannot be used with"),
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

/// A rope and a door under both kinds of solver, in the words that keys had before.
const OLD: &str = "[scene]\nname = \"old\"\nseconds = 0.5\nground = 0.0\nair = 1.1\n\
    [solver]\nmethod = \"multipliers\"\nrigid_substeps = 3\nrigid_iterations = 5\nsubsteps = 8\niterations = 2\nrest_steps = 9\n\
    rest_speed = 0.02\nintegrator = \"heun\"\n\
    [[box]]\nname = \"crate\"\nposition = [0.0, 1.0, 0.0]\ndrag = 0.3\nrolling = 0.01\ntumble = true\ngrid = [2, 1, 1]\n\
    [[rope]]\nname = \"rope\"\nfrom = [0.0, 3.0, 0.0]\nto = [0.0, 2.0, 0.0]\nsegments = 6\nfixed = [\"start\"]\ntouches_itself = true\n\
    [[box]]\nname = \"door\"\nposition = [3.0, 1.0, 0.0]\n\
    [[joint]]\nname = \"hinge\"\nkind = \"hinge\"\nof = \"door\"\nat = [3.0, 1.0, 0.2]\naxis = [0.0, 1.0, 0.0]\ndrag = 4.0\n\
    speed = [0.0, 2.0, 0.0]\nmost = 8.0\nrange = [-1.0, 1.0]\n\
    [[bomb]]\nposition = [0.2, 0.1, 0.0]\ntime = 0.1\ncore = 0.3\n\
    [[drag]]\nof = \"crate 1\"\npath = [[0.0, 0.0, 1.0, 0.0], [0.3, 0.3, 1.2, 0.0]]\n";

#[test]
fn old_words_of_a_scene_run_the_same_with_a_note_and_the_new_ones_are_printed() {
    let folder = Folder::new();
    let old = folder.file("old.toml", OLD);
    let printed = simulate(&[text(&old), "--print-scene"]);
    assert_eq!(printed.code, Some(0), "{}", printed.err);
    for words in [
        "[solver.particles]\n",
        "constraint_iterations = 2\n",
        "[solver.rigid]\nsubsteps = 3\n",
        "[[pull]]",
        "[[explosion]]",
    ] {
        assert!(printed.out.contains(words), "{words} in\n{}", printed.out);
    }
    let note = |words: &str| printed.err.lines().any(|line| line.starts_with(text(&old)) && line.ends_with(words));
    for words in [
        ":5:1: [scene] air is called air_density now",
        ":8:1: [solver] rigid_substeps is called rigid.substeps now",
        "[box] drag is called damping now",
        "[joint] drag is called motor_damping now",
        "bomb is called explosion now",
        "drag is called pull now",
    ] {
        assert!(note(words), "{words} in\n{}", printed.err);
    }
    let new = folder.file("new.toml", &printed.out);
    let again = simulate(&[text(&new), "--print-scene"]);
    assert_eq!((again.out, again.err), (printed.out, String::new()));
    let run = |file: &std::path::Path, log: &str| -> Value {
        let log = folder.path(log);
        let said = simulate(&[text(file), "--log", text(&log), "--json"]);
        assert_eq!(said.code, Some(0), "{}", said.err);
        let mut document: Value = serde_json::from_str(&said.out).unwrap();
        assert_eq!(document["source"], text(file));
        let notes = document["notes"].as_array().unwrap().len();
        assert_eq!(notes > 12, file == old, "{}", document["notes"]);
        for key in ["source", "files", "notes", "step_us"] {
            document.as_object_mut().unwrap().remove(key);
        }
        document["per_frame"].as_object_mut().unwrap().remove("step_us");
        document
    };
    assert_eq!(run(&old, "old_log.toml"), run(&new, "new_log.toml"));
    let log = std::fs::read_to_string(folder.path("new_log.toml")).unwrap();
    assert_eq!(std::fs::read_to_string(folder.path("old_log.toml")).unwrap(), log);
    // A log of before: its scene in old words, after the head of this one.
    let head = log.split_inclusive("\n\n").take_while(|part| !part.starts_with("[scene]")).collect::<String>();
    let replayed = simulate(&["--replay", text(&folder.file("before_log.toml", &format!("{head}{OLD}")))]);
    assert!(replayed.code == Some(0) && replayed.err.contains("air is called air_density now"), "{}", replayed.err);
}

#[test]
fn a_run_tells_the_unit_of_a_character_and_takes_unit_axis_mass_and_body() {
    let folder = Folder::new();
    let json = folder.path("run.json");
    let jump = shared("bvh/snu_hjump_phase.bvh").display().to_string();
    let run = |more: &[&str]| {
        let said = simulate(
            &[&[jump.as_str(), "--seconds", "0.1", "--force", &format!("--json={}", text(&json))], more].concat(),
        );
        let document = std::fs::read_to_string(&json).ok().filter(|_| said.code == Some(0));
        let document: Value = document.map_or(Value::Null, |text| serde_json::from_str(&text).unwrap());
        (said.err, document["characters"][0]["mass_kg"].as_f64())
    };
    let (told, mass) = run(&[]);
    let checked = muybridge(["check", jump.as_str(), "--json"]);
    let checked: Value = serde_json::from_str(&checked.out).unwrap();
    let own = checked["clips"][0]["body"]["mass_kg"].as_f64().unwrap();
    assert!(
        told.contains("1 unit = 1 cm (inferred") && (mass.unwrap() / own - 1.0).abs() < 1e-9,
        "{told} {mass:?} {own}"
    );
    let (told, mass) = run(&["--unit", "0.012", "--mass", "50"]);
    assert!(
        told.contains("0.0120 m (given)") && mass.is_some_and(|mass| (mass - 50.0).abs() < 1e-9),
        "{told} {mass:?}"
    );
    let masses = folder.file("body.csv", "joint,mass_kg,com_x,com_y,com_z,Ixx,Iyy,Izz\nHips,90,0,0,0,1,1,1\n");
    let (told, mass) = run(&["--body", text(&masses)]);
    let checked = muybridge(["check", jump.as_str(), "--json", "--body", text(&masses)]);
    let checked: Value = serde_json::from_str(&checked.out).unwrap();
    assert_eq!(mass, checked["clips"][0]["body"]["mass_kg"].as_f64(), "{told}");
    let scene = format!("[scene]\nseconds = 0.1\n[[ragdoll]]\nname = \"a\"\ncharacter = {jump:?}\nunit = \"parsec\"\n");
    let said = simulate(&[text(&folder.file("wrong.toml", &scene))]);
    assert!(said.code == Some(2) && said.err.contains("wrong.toml:6") && said.err.contains("“parsec”"), "{}", said.err);
}

#[test]
fn the_header_says_how_many_substeps_there_are_or_by_which_error() {
    let folder = Folder::new();
    let told = |keys: &str, method: &str| {
        let scene = format!("[scene]\nseconds = 0.1\n[solver.rigid]\n{keys}[[box]]\nname = \"b\"\n");
        muybridge(["simulate", folder.file("s.toml", &scene).to_str().unwrap(), "--method", method]).out
    };
    for (keys, method, wanted) in [
        ("", "multipliers", "4 substeps by need   1 rigid body\n"),
        ("", "hennix", "4 substeps or more   1 rigid body\n"),
        ("substeps = 6\n", "multipliers", "6 substeps or more   1 rigid body\n"),
        ("step_tolerance = 0.001\n", "hennix", "substeps by an error of 0.001   1 rigid body\n"),
    ] {
        let told = told(keys, method);
        assert!(told.contains(&format!("{method}   {wanted}")), "{told}");
    }
}
