//! Tests of the memory of runs: what would not fit is refused at once, with its size and what to do.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{fs, thread};

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
        ("[[ragdoll]]\nname = \"b\"\ngrid = [2048, 1, 1]\nspacing = [1e-6, 1.0, 1.0]", "2,096,128 pairs"),
    ] {
        let said = refused(None, &scene(0.1, things), "512M");
        assert!(said.contains("“b”") && said.contains(largest), "{said}");
    }
}

#[test]
fn runs_of_too_many_frames_are_refused_as_scenes_and_as_logs() {
    let said = refused(None, &scene(100_000.0, "[[ragdoll]]\nname = \"b\"\n"), "2G");
    assert!(said.contains("recording: 10,000,001 frames"), "{said}");
    let log = "[input_log]\nversion = 3\nend = 4294967295\nsum = \"59f3bdc9093becfa\"\n\n";
    let said = refused(Some("--replay"), &format!("{log}{}", scene(1.0, "[[ball]]\nname = \"b\"\n")), "8G");
    assert!(said.contains("recording: 4,294,967,296 frames"), "{said}");
}

#[test]
fn a_run_needs_memory_for_poses_only_where_it_writes_them() {
    let folder = Folder::new();
    let boxes = "[[box]]\nname = \"b\"\ngrid = [20, 1, 20]\nspacing = [3.0, 1.0, 3.0]\nposition = [0.0, 0.5, 0.0]\n";
    let text = format!("[scene]\nseconds = 500.0\nrate = 20.0\nground = 0.0\n{boxes}");
    let (file, out) = (folder.file("scene.toml", &text), folder.path("run.glb"));
    let run = ["simulate", file.to_str().unwrap(), "--method", "multipliers", "--max-memory", "128M"];
    let alone = muybridge(run);
    assert_eq!(alone.code, Some(0), "{}", alone.err);
    assert!(alone.out.contains("10001 frames"), "{}", alone.out);
    let written = muybridge(run.iter().copied().chain(["-o", out.to_str().unwrap()]));
    assert!(written.err.contains("of memory, but may take 128.0 MiB"), "{}", written.err);
}

#[test]
fn a_run_tells_the_same_whatever_it_writes() {
    let folder = Folder::new();
    let out = folder.path("run.glb");
    for (name, method) in
        [("walks", "multipliers"), ("skittles", "displacement"), ("pushed", "particles"), ("flag", "particles")]
    {
        let run = ["simulate", name, "--method", method, "--seconds", "1", "--force"];
        let [alone, written] = [muybridge(run), muybridge(run.iter().copied().chain(["-o", out.to_str().unwrap()]))];
        let told = |out: &str| -> Vec<String> {
            let differs =
                |line: &&str| !["  time ", "wrote ", "nothing written"].iter().any(|own| line.starts_with(own));
            out.lines().filter(differs).map(str::to_owned).collect()
        };
        assert_eq!(told(&alone.out), told(&written.out), "{name} {method}");
        assert_eq!(alone.err, written.err, "{name} {method}");
    }
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

/// Greatest resident memory of a run of the program so far, bytes.
fn peak(arguments: &[&str]) -> u64 {
    let mut command = Command::new(env!("CARGO_BIN_EXE_muybridge"));
    let mut run = command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let status = format!("/proc/{}/status", run.id());
    let mut peak = 0;
    loop {
        let lines = fs::read_to_string(&status).unwrap_or_default();
        let kilobytes =
            lines.lines().find_map(|line| line.strip_prefix("VmHWM:")?.strip_suffix("kB")?.trim().parse().ok());
        peak = peak.max(kilobytes.unwrap_or(0) * 1024);
        if let Some(exit) = run.try_wait().unwrap() {
            assert_eq!(exit.code(), Some(0), "{arguments:?}");
            return peak;
        }
        thread::sleep(Duration::from_millis(2));
    }
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "/proc says the greatest resident memory")]
fn ragdolls_in_one_place_take_no_more_than_a_hundred_megabytes() {
    let things =
        "[[ragdoll]]\nname = \"b\"\nposition = [0.0, 1.0, 0.0]\ngrid = [128, 1, 1]\nspacing = [0.0, 0.0, 0.0]\n";
    for (method, seconds) in [("particles", 0.03), ("multipliers", 0.03), ("displacement", 0.01), ("hennix", 0.01)] {
        let folder = Folder::new();
        let file = folder.file("scene.toml", &scene(seconds, things));
        let out = file.with_extension("glb");
        let bytes = peak(&["simulate", file.to_str().unwrap(), "--method", method, "-o", out.to_str().unwrap()]);
        assert!((15_000_000..=100_000_000).contains(&bytes), "{method}: {bytes} bytes");
    }
}
