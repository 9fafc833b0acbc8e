//! Tests of the memory of runs: what would not fit is refused at once, with its size and what to do.

use std::time::{Duration, Instant};

use crate::program::{Folder, muybridge};

/// Runs a scene or log with a limit; it must be refused within seconds.
fn refused(option: Option<&str>, text: &str, limit: &str) -> String {
    let folder = Folder::new();
    let file = folder.file("scene.toml", text);
    let mut arguments = vec!["simulate"];
    arguments.extend(option);
    arguments.extend([file.to_str().unwrap(), "--max-memory", limit]);
    let start = Instant::now();
    let said = muybridge(&arguments);
    assert_eq!(said.code, Some(2), "{text}\n{}{}", said.out, said.err);
    assert!(start.elapsed() < Duration::from_secs(10), "{text}");
    for words in ["scene.toml", "of memory, but may take", "--max-memory "] {
        assert!(said.err.contains(words), "{words} in {}", said.err);
    }
    said.err
}

fn scene(seconds: f64, things: &str) -> String {
    format!("[scene]\nseconds = {seconds:?}\nrate = 100.0\nground = 0.0\n{things}")
}

#[test]
fn scenes_of_too_many_things_are_refused_by_the_name_of_the_thing() {
    for (things, largest) in [
        ("[[ragdoll]]\nname = \"b\"\ngrid = [100, 10, 100]\nspacing = [2.0, 2.0, 2.0]", "100,000 copies"),
        ("[[herd]]\nname = \"b\"\ncount = 100000", "100,000 × 16 bodies"),
        ("[[cloth]]\nname = \"b\"\ncolumns = 4096\nrows = 4095", "16,781,312 points"),
        (
            "[[rope]]\nname = \"b\"\nfrom = [0.0, 9.0, 0.0]\nto = [9.0, 9.0, 0.0]\nsegments = 100000\n\n[solver]\nmethod = \"multipliers\"",
            "100,000 segments",
        ),
        ("[[box]]\nname = \"b\"\ngrid = [1000, 1, 1]\nspacing = [0.0, 0.0, 0.0]", "499,500 pairs"),
        ("[[ragdoll]]\nname = \"b\"\ngrid = [256, 1, 1]\nspacing = [1e-6, 1.0, 1.0]", "32,640 pairs"),
    ] {
        let said = refused(None, &scene(0.1, things), "512M");
        assert!(said.contains("“b”") && said.contains(largest), "{said}");
    }
}

#[test]
fn runs_of_too_many_frames_are_refused_as_scenes_and_as_logs() {
    let said = refused(None, &scene(100_000.0, "[[ragdoll]]\nname = \"b\"\n"), "4G");
    assert!(said.contains("recording: 10,000,001 frames"), "{said}");
    let log = "[input_log]\nversion = 3\nend = 4294967295\nsum = \"59f3bdc9093becfa\"\n\n";
    let said = refused(Some("--replay"), &format!("{log}{}", scene(1.0, "[[ball]]\nname = \"b\"\n")), "8G");
    assert!(said.contains("recording: 4,294,967,296 frames"), "{said}");
}

#[test]
fn the_limit_decides_and_is_proposed_large_enough() {
    let folder = Folder::new();
    let file = folder.file("scene.toml", &scene(0.1, "[[ragdoll]]\nname = \"b\"\n"));
    let run = |limit: &str| muybridge(["simulate", file.to_str().unwrap(), "--max-memory", limit]);
    assert_eq!(run("1G").code, Some(0));
    let said = run("1M");
    assert_eq!(said.code, Some(2));
    let proposed = said.err.rsplit("--max-memory ").next().unwrap().trim();
    assert_eq!(run(proposed).code, Some(0), "{}", said.err);
    assert!(run("much").err.contains("512M"));
}
