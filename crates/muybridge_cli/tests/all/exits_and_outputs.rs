//! Tests of exit codes, standard output, and report files.

use crate::checking;

use std::path::Path;

use checking::{Folder, check, clip, clips, names_in, thrown_bvh};
use serde_json::Value;

/// A correct throw, a throw at 1.5 times gravity, and a file that is no motion.
fn three(folder: &Folder) -> [String; 3] {
    [
        folder.file("sound.bvh", thrown_bvh(60, 60.0, 9.81)),
        folder.file("heavy.bvh", thrown_bvh(60, 60.0, 1.5 * 9.81)),
        folder.file("broken.bvh", "HIERARCHY\nROOT a\n{\n"),
    ]
}

#[test]
fn the_exit_code_is_0_1_or_2_and_the_largest_of_all_files() {
    let folder = Folder::new("codes");
    let [sound, heavy, broken] = three(&folder);
    let code = |files: &[&String]| check(files).code;
    assert_eq!(code(&[&sound]), 0);
    assert_eq!(code(&[&heavy]), 1);
    assert_eq!(code(&[&broken]), 2);
    assert_eq!(code(&[&sound, &heavy]), 1);
    assert_eq!(code(&[&heavy, &sound]), 1);
    assert_eq!(code(&[&broken, &sound, &heavy]), 2);
    assert_eq!(code(&[&sound, &broken]), 2);
    let none: [&str; 0] = [];
    assert_eq!(check(none).code, 0, "the built-in jump is sound");
}

#[test]
fn warnings_are_findings_and_notes_are_not() {
    let folder = Folder::new("warnings");
    let [sound, ..] = three(&folder);
    // Gravity is 0.1 % off. An error of the skeleton of half a millimeter, doubled for a body that is no human, explains 0.04 %; an error needs
    // two and a half times as much.
    let strict = folder.file("strict.toml", "gravity_g = [1.001, 2.0]\nskeleton_error_m = 0.0005\n");
    let ran = check([&sound, "--limits", &strict]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let judged = clip([&sound, "--limits", &strict]);
    assert_eq!(judged["findings"][0]["severity"], "warning");
    assert_eq!(judged["verdict"], "plausible");
}

#[test]
fn wrong_use_is_exit_2_with_a_sentence() {
    let folder = Folder::new("usage");
    let [sound, ..] = three(&folder);
    for arguments in [
        vec!["--no-such-option"],
        vec!["--gravity", "-3", &sound],
        vec!["--gravity", "heavy", &sound],
        vec!["--up", "w", &sound],
        vec!["--frames", "9..3", &sound],
        vec!["--cutoff", "-1", &sound],
        vec!["--velocity-scheme", "sideways", &sound],
        vec!["--limits", "/no/such/limits.toml", &sound],
        vec!["--body", "/no/such/body.csv", &sound],
        vec!["/no/such/clip.bvh"],
    ] {
        let ran = check(&arguments);
        assert_eq!(ran.code, 2, "{arguments:?}: {ran:?}");
        assert!(ran.err.lines().next().is_some_and(|line| line.len() > 10), "{arguments:?}: {ran:?}");
        assert!(!ran.err.contains("panicked"), "{arguments:?}: {ran:?}");
    }
}

#[test]
fn json_alone_is_all_that_goes_to_standard_output() {
    let folder = Folder::new("json");
    let [sound, heavy, broken] = three(&folder);
    let ran = check(["--json", &sound, &heavy, &broken]);
    assert_eq!(ran.code, 2);
    let document: Value = serde_json::from_str(&ran.out).unwrap();
    let clips = document["clips"].as_array().unwrap();
    assert_eq!(clips.len(), 3, "one entry per scene, in the order given");
    for (clip, file) in clips.iter().zip([&sound, &heavy, &broken]) {
        assert_eq!(clip["file"], Value::String(file.clone()));
    }
    assert!(clips[0]["error"].is_null() && clips[1]["error"].is_null());
    assert!(clips[2]["error"].as_str().unwrap().contains("broken.bvh"));
    assert!(ran.err.contains("broken.bvh"), "messages go to standard error: {}", ran.err);
    // The built-in sample too: `--json` does not take a clip as its file.
    let none: [&str; 0] = [];
    assert_eq!(clip(none)["verdict"], "plausible");
}

#[test]
fn json_to_a_file_leaves_the_table_on_standard_output() {
    let folder = Folder::new("json_file");
    let [sound, heavy, _] = three(&folder);
    let target = folder.path("out.json");
    let ran = check([&format!("--json={target}"), &sound, &heavy]);
    assert_eq!(ran.code, 1);
    assert!(ran.out.contains("sound.bvh") && ran.out.contains("heavy.bvh") && !ran.out.contains("schema"), "{ran:?}");
    let written: Value = serde_json::from_slice(&std::fs::read(&target).unwrap()).unwrap();
    assert_eq!(written["clips"], Value::Array(clips([&sound, &heavy])));
}

#[test]
fn s33_several_files_are_one_row_each() {
    let folder = Folder::new("rows");
    let [sound, heavy, broken] = three(&folder);
    let ran = check([&sound, &heavy, &broken]);
    for name in ["sound.bvh", "heavy.bvh", "broken.bvh"] {
        let rows = ran.out.lines().filter(|line| line.contains(name)).count();
        assert_eq!(rows, 1, "{name}: {}", ran.out);
    }
    assert!(ran.out.lines().all(|line| line.chars().count() <= 80), "{}", ran.out);
    assert!(!ran.out.contains('\u{1b}'), "no colors without a terminal");
}

#[test]
fn reports_of_several_clips_go_to_a_folder_or_where_clip_stands() {
    let folder = Folder::new("targets");
    let [sound, heavy, _] = three(&folder);
    let rows = folder.path("rows");
    let pages = folder.path("{clip}_page.html");
    let plates = folder.path("plates/{clip}.png");
    let ran = check(["--csv", &rows, "--html", &pages, "--plate", &plates, &sound, &heavy]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert_eq!(names_in(Path::new(&rows)), ["heavy.csv", "sound.csv"]);
    assert_eq!(names_in(Path::new(&folder.path("plates"))), ["heavy.png", "sound.png"]);
    assert!(
        folder.names().iter().filter(|name| name.ends_with("_page.html")).eq(["heavy_page.html", "sound_page.html"])
    );
}

#[test]
fn one_clip_goes_to_the_file_named() {
    let folder = Folder::new("one");
    let [sound, ..] = three(&folder);
    let (csv, html, plate) = (folder.path("a.csv"), folder.path("a.html"), folder.path("a.png"));
    assert_eq!(check(["--csv", &csv, "--html", &html, "--plate", &plate, &sound]).code, 0);
    assert!(std::fs::read_to_string(csv).unwrap().starts_with("frame,time [s],"));
    assert!(std::fs::read_to_string(html).unwrap().starts_with("<!"));
    assert!(std::fs::read(plate).unwrap().starts_with(b"\x89PNG"));
}

#[test]
fn nothing_is_overwritten_without_force() {
    let folder = Folder::new("force");
    let [sound, ..] = three(&folder);
    let targets = [("--csv", "old.csv"), ("--html", "old.html"), ("--plate", "old.png"), ("--json=", "old.json")];
    for (option, name) in targets {
        let target = folder.file(name, "precious");
        let arguments = |force: bool| {
            let mut all = vec![sound.clone()];
            match option.strip_suffix('=') {
                Some(_) => all.push(format!("{option}{target}")),
                None => all.extend([option.to_string(), target.clone()]),
            }
            all.extend(force.then(|| "--force".to_string()));
            all
        };
        let ran = check(arguments(false));
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.err.contains(name) && ran.err.contains("--force"), "{}", ran.err);
        assert_eq!(std::fs::read(&target).unwrap(), b"precious");
        assert_eq!(check(arguments(true)).code, 0);
        assert_ne!(std::fs::read(&target).unwrap(), b"precious", "{name}");
    }
}

#[test]
fn s33_the_same_input_gives_the_same_bytes_on_every_run_and_with_any_number_of_threads() {
    let folder = Folder::new("bytes");
    let [sound, heavy, _] = three(&folder);
    let run = |name: &str, threads: &str| {
        let target = |extension: &str| folder.path(&format!("{name}_{{clip}}.{extension}"));
        let json = format!("--json={}", folder.path(&format!("{name}.json")));
        let (csv, html, plate) = (target("csv"), target("html"), target("png"));
        let ran =
            check(["--threads", threads, &json, "--csv", &csv, "--html", &html, "--plate", &plate, &sound, &heavy]);
        assert_eq!(ran.code, 1, "{ran:?}");
        let read = |file: String| std::fs::read(folder.path(&file)).unwrap();
        let mut written = vec![ran.out.into_bytes(), read(format!("{name}.json"))];
        for clip in ["sound", "heavy"] {
            written.extend(["csv", "html", "png"].map(|extension| read(format!("{name}_{clip}.{extension}"))));
        }
        written
    };
    let first = run("first", "1");
    for (name, threads) in [("again", "1"), ("two", "2"), ("many", "7")] {
        assert!(run(name, threads) == first, "{threads} threads");
    }
}

#[test]
fn s33_the_built_in_jump_gives_the_same_bytes_with_one_thread_and_two() {
    let folder = Folder::new("sample_bytes");
    let run = |name: &str, threads: &str| {
        let target = |extension: &str| folder.path(&format!("{name}.{extension}"));
        let json = format!("--json={}", target("json"));
        let (csv, html) = (target("csv"), target("html"));
        let ran = check(["--threads", threads, &json, "--csv", &csv, "--html", &html]);
        assert_eq!(ran.code, 0, "{ran:?}");
        [target("json"), csv, html].map(|file| std::fs::read(file).unwrap())
    };
    assert!(run("one", "1") == run("two", "2"));
}
