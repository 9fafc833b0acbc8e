//! Tests of a survey that is killed, or whose disk is full or read-only.

use crate::checking;
use crate::surveying;

use std::path::Path;
#[cfg(unix)]
use std::process::Command;
use std::time::{Duration, Instant};

use checking::Folder;
use surveying::{begun, long_list, survey, surveyed, tables};

/// Kills the survey at seeded random moments until `kills` kills have hit, and resumes each time. Every completed
/// survey must give the same tables as an uninterrupted one.
fn killed_and_resumed(kills: usize, seed: u64) {
    let folder = Folder::new(&format!("survey_kills_{kills}"));
    let list = long_list(&folder, 250);
    let (out, whole) = (folder.path("out.parquet"), folder.path("whole.parquet"));
    let start = Instant::now();
    surveyed([&list, "--out", &whole]);
    let takes = start.elapsed().as_secs_f64();
    let mut state = seed;
    // Knuth's MMIX generator; its upper bits give a number in 0..1.
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let (mut hits, mut finished) = (0, 0);
    while hits < kills || finished == 0 {
        let mut child = begun([&list, "--out", &out, "--resume"]);
        if hits < kills {
            std::thread::sleep(Duration::from_secs_f64(0.7 * takes * random()));
        }
        if hits < kills && child.try_wait().unwrap().is_none() {
            child.kill().unwrap();
            child.wait().unwrap();
            hits += 1;
            continue;
        }
        assert_eq!(child.wait().unwrap().code(), Some(0));
        finished += 1;
        assert!(tables(&out) == tables(&whole), "after {hits} kills");
        assert!(!folder.names().iter().any(|name| name.contains("part")), "{:?}", folder.names());
        std::fs::remove_file(&out).unwrap();
        std::fs::remove_file(folder.path("out.flights.parquet")).unwrap();
    }
}

#[test]
fn s33_killed_ten_times_and_resumed_the_table_is_the_same() {
    killed_and_resumed(10, 1);
}

#[test]
#[ignore = "a hundred kills take minutes; bench/survey_kill.sh does them to the release build"]
fn s33_killed_a_hundred_times_and_resumed_the_table_is_the_same() {
    killed_and_resumed(100, 2);
}

/// Runs with a limit of `blocks` times 512 or 1024 bytes (depending on the shell) on every file.
#[cfg(unix)]
fn limited(blocks: usize, arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("ulimit -f {blocks}; exec \"$@\"")).arg("sh");
    let output = command.arg(env!("CARGO_BIN_EXE_muybridge")).arg("survey").args(arguments).output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
#[cfg(unix)]
fn a_full_disk_is_told_in_a_sentence_and_leaves_no_half_written_file() {
    let folder = Folder::new("survey_full");
    let list = long_list(&folder, 60);
    let whole = folder.path("whole.csv");
    surveyed([&list, "--out", &whole, "--html", &folder.path("whole.html")]);
    let before = folder.names();
    // The limit is below the first segment, or just below the size of the table.
    let most = std::fs::metadata(&whole).unwrap().len() as usize / 512 - 4;
    for blocks in [1, most] {
        let out = folder.path("out.csv");
        let (code, err) = limited(blocks, &[&list, "--out", &out, "--html", &folder.path("out.html")]);
        assert_eq!(code, Some(2), "{err}");
        assert!(err.contains("cannot be written: File too large") && err.contains("out.csv"), "{err}");
        let mut left = folder.names();
        left.retain(|name| !before.contains(name));
        let resumable = left == ["out.csv.parts"];
        assert!(left.is_empty() || resumable && err.contains("--resume"), "{left:?}: {err}");
        if resumable {
            assert!(surveying::survey([&list, "--out", &out]).err.contains("--resume"));
            surveyed([&list, "--out", &out, "--html", &folder.path("out.html"), "--resume"]);
            assert!(tables(&out) == tables(&whole));
        }
    }
    assert!(Path::new(&folder.path("out.csv")).exists(), "the second limit was met with segments on the disk");
}

#[test]
#[cfg(unix)]
fn a_full_disk_stops_a_merge_and_leaves_nothing() {
    let folder = Folder::new("survey_full_merge");
    let list = long_list(&folder, 30);
    let part = folder.path("part.csv");
    surveyed([&list, "--out", &part, "--shard", "1/1"]);
    let before = folder.names();
    for extension in ["csv", "jsonl", "parquet"] {
        let (code, err) = limited(8, &["--merge", &folder.path(&format!("out.{extension}")), &part]);
        assert_eq!(code, Some(2), "{err}");
        assert!(err.contains("cannot be written") && err.contains("too large"), "{err}");
        assert_eq!(folder.names(), before);
    }
}

#[test]
fn a_target_that_cannot_be_written_is_told_before_the_work() {
    let folder = Folder::new("survey_read_only");
    let list = long_list(&folder, 1);
    // A folder below a file cannot be created by anyone, root included.
    let file = folder.file("file", "");
    let mut targets = vec![format!("{file}/out.csv")];
    targets.extend(Path::new("/proc/self").is_dir().then(|| "/proc/out.csv".to_owned()));
    let told = |err: &str| err.contains("cannot be written") || err.contains("is a file, not a folder");
    for target in targets {
        let ran = survey([&list, "--out", &target]);
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(told(&ran.err) && ran.err.contains(&target), "{}", ran.err);
        assert_eq!(ran.out, "");
    }
    let ran = survey([&list, "--out", &folder.path("out.csv"), "--html", &format!("{file}/page.html")]);
    assert!(ran.code == 2 && ran.err.contains("page.html: ") && told(&ran.err), "{ran:?}");
    assert!(!Path::new(&folder.path("out.csv")).exists());
}
