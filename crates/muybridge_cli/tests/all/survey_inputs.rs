//! Tests of what a survey is given and where it writes: hidden and special files, lists without end, bad names.

use std::fs::{self, File};
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::checking::{Folder, check, thrown_bvh};
use crate::surveying::{long_list, survey, surveyed};

fn reasons(out: &str) -> Vec<(String, String)> {
    let rows = fs::read_to_string(out).unwrap();
    let rows = rows.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    rows.filter(|row| row["kind"] == "clip").map(|row| (text(&row["file"]), text(&row["reason"]))).collect()
}

/// What macOS writes beside a file on other disks: its mark, its version, and a table of entries.
const APPLE_DOUBLE: &[u8] = b"\x00\x05\x16\x07\x00\x02\x00\x00Mac OS X        \x00\x02\x00\x00\x00\x09\x00\x00\x002";

#[test]
fn hidden_files_are_left_out_of_folders_and_read_when_named() {
    let folder = Folder::new("survey_hidden");
    for name in ["clips/.git", "clips/deep/.cache"] {
        fs::create_dir_all(folder.path(name)).unwrap();
    }
    let clip = thrown_bvh(30, 30.0, 9.81);
    let hidden = ["clips/.git/a.bvh", "clips/deep/.cache/b.bvh", "clips/.c.bvh"];
    for name in hidden.iter().chain(&["clips/seen.bvh", "clips/deep/seen.bvh"]) {
        folder.file(name, &clip);
    }
    let fork = folder.file("clips/._seen.glb", APPLE_DOUBLE);
    let (clips, out) = (folder.path("clips"), folder.path("out.jsonl"));
    surveyed([&clips, "--out", &out]);
    let seen: Vec<String> = reasons(&out).into_iter().map(|(file, _)| file).collect();
    assert_eq!(seen, [folder.path("clips/deep/seen.bvh"), folder.path("clips/seen.bvh")]);
    assert_eq!(crate::checking::clips([&clips]).len(), 2);
    let fixed = folder.path("fixed");
    Command::new(env!("CARGO_BIN_EXE_muybridge")).args(["fix", &clips, "-o", &fixed]).output().unwrap();
    let written = crate::checking::names_in(Path::new(&fixed));
    assert!(!written.iter().any(|name| name.starts_with('.')), "{written:?}");
    let named = [folder.path("clips/.c.bvh"), folder.path("clips/.git")];
    for name in &named {
        assert!(check([name]).code < 2, "{name}");
    }
    let refused = check([&fork]);
    assert!(
        refused.code == 2 && refused.err.contains("AppleDouble") && refused.err.contains("without ._"),
        "{refused:?}"
    );
}

#[test]
#[cfg(unix)]
fn links_pipes_and_odd_names_in_a_folder_neither_hang_nor_stop() {
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;
    let folder = Folder::new("survey_odd");
    fs::create_dir_all(folder.path("clips/deep")).unwrap();
    let clip = thrown_bvh(30, 30.0, 9.81);
    folder.file("clips/a.bvh", &clip);
    folder.file(&format!("clips/{}.bvh", "n".repeat(251)), &clip);
    let odd = std::ffi::OsStr::from_bytes(b"clips/\xff\n.bvh");
    fs::write(Path::new(&folder.path("")).join(odd), &clip).unwrap();
    symlink("..", folder.path("clips/deep/back")).unwrap();
    symlink("..", folder.path("clips/deep/back.bvh")).unwrap();
    symlink("self.bvh", folder.path("clips/self.bvh")).unwrap();
    symlink("/dev/zero", folder.path("clips/zero.bvh")).unwrap();
    for pipe in ["clips/pipe.bvh", "pipe.txt", "pipe.csv.part"] {
        assert!(Command::new("mkfifo").arg(folder.path(pipe)).status().unwrap().success());
    }
    let out = folder.path("out.jsonl");
    surveyed([&folder.path("clips"), &folder.path("pipe.txt"), "--out", &out, "--html", &folder.path("out.html")]);
    let rows = reasons(&out);
    let reason = |name: &str| rows.iter().find(|(file, _)| file.ends_with(name)).map(|(_, reason)| reason.as_str());
    assert_eq!(rows.len(), 7, "{rows:?}");
    assert_eq!(rows.iter().filter(|(_, reason)| reason.is_empty()).count(), 3, "{rows:?}");
    for name in ["/zero.bvh", "/pipe.bvh", "/pipe.txt"] {
        assert!(reason(name).unwrap().contains("this is a pipe, a socket or a device"), "{rows:?}");
    }
    assert!(reason("/self.bvh").unwrap().contains("cannot be read"), "{rows:?}");
    let merged = survey(["--merge", &folder.path("merged.csv"), &folder.path("pipe.csv.part")]);
    assert!(merged.code == 2 && merged.err.contains("this is a pipe"), "{merged:?}");
    // The part beside a complete table.
    surveyed([&folder.path("clips/a.bvh"), "--out", &folder.path("pipe.csv")]);
    let resumed = survey([&folder.path("clips/a.bvh"), "--out", &folder.path("pipe.csv"), "--resume"]);
    assert!(resumed.code == 2 && resumed.err.contains("this is a pipe"), "{resumed:?}");
}

/// Runs `muybridge survey` with at most 300 MB of address space.
#[cfg(unix)]
fn in_little_memory(arguments: &[&str]) -> String {
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -v 300000; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_muybridge"), "survey"]);
    let output = command.args(arguments).output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{err}");
    err
}

#[test]
#[cfg(unix)]
fn lists_and_parts_of_endless_lines_are_a_sentence() {
    let folder = Folder::new("survey_endless");
    let out = folder.path("out.csv");
    // Sparse files of 5 GB of zeros, which take no space.
    let sparse = |name: &str, head: &str| {
        let path = folder.file(name, head);
        File::options().append(true).open(&path).unwrap().set_len(5 << 30).unwrap();
        path
    };
    let plan =
        r#"{"muybridge_survey":3,"version":"0.1.0","options":"x","list":"y","files":9,"shard":{"number":1,"of":1}}"#;
    let part = sparse("a.csv.part", "");
    assert!(in_little_memory(&["--merge", &out, &part]).contains("this is not a .part file"));
    let part = sparse("b.csv.part", &format!("{plan}\n"));
    assert!(in_little_memory(&["--merge", &out, &part]).contains("b.csv.part:2: this .part file is damaged"));
    let list = sparse("list.txt", "");
    assert!(in_little_memory(&[&list, "--out", &out]).contains("list.txt: a list has at most 128 MB"));
    let list = folder.file("long.txt", "clips\n".to_owned() + &"x".repeat(1 << 20));
    assert!(in_little_memory(&[&list, "--out", &out]).contains("long.txt:2: this line is longer than any path"));
    let list = folder.file("many.txt", "a\n".repeat(3_000_000));
    assert!(in_little_memory(&[&list, "--out", &out]).contains("many.txt: a survey takes at most 2000000 files"));
    // The same memory however long the path of the folder is.
    let far = ["far".repeat(80).as_str(); 8].join("/");
    fs::create_dir_all(folder.path(&far)).unwrap();
    let list = folder.file(&format!("{far}/many.txt"), "a\n".repeat(3_000_000));
    assert!(in_little_memory(&[&list, "--out", &out]).contains("many.txt: a survey takes at most 2000000 files"));
    let list = folder.file("bytes.txt", b"clips\n\xff\xfe\n");
    assert!(in_little_memory(&[&list, "--out", &out]).contains("bytes.txt:2: is not UTF-8 text"));
}

#[test]
fn outputs_that_cannot_be_are_refused_before_the_work() {
    let folder = Folder::new("survey_outputs");
    // So long that the work would be noticed.
    let list = long_list(&folder, 1000);
    fs::create_dir(folder.path("folder.csv")).unwrap();
    fs::create_dir(folder.path("page.html")).unwrap();
    let before = folder.names();
    let out = folder.path("out.csv");
    let long = |length: usize, extension: &str| folder.path(&("n".repeat(length - extension.len()) + extension));
    let cases: [(&[&str], &str); 8] = [
        (&["--out", &folder.path("folder.csv")], "is a folder"),
        (&["--out", &out, "--html", &folder.path("page.html")], "is a folder"),
        (&["--out", &long(256, ".csv")], "cannot be written"),
        // The flights, the part and the folder of the parts have longer names.
        (&["--out", &long(250, ".csv")], "cannot be written"),
        (&["--out", &long(252, ".jsonl"), "--shard", "1/2"], "cannot be written"),
        (&["--out", &out, "--html", &long(256, ".html")], "cannot be written"),
        (&["--out", &out, "--html", &format!("{list}/page.html")], "is a file, not a folder"),
        (&["--out", &out, "--html", &out], "two options"),
    ];
    for (options, why) in cases {
        let start = std::time::Instant::now();
        let ran = survey([&list as &str].iter().chain(options));
        assert!(ran.code == 2 && ran.err.contains(why) && ran.out.is_empty(), "{options:?}: {ran:?}");
        assert!(start.elapsed().as_secs_f64() < 2.0, "{options:?}");
        assert_eq!(folder.names(), before, "{options:?}");
    }
    let input = folder.path("clips/thrown_0.bvh");
    for (options, file) in [(["--html", &input], &input), (["--html", &list], &list)] {
        let ran = survey([&list as &str, "--out", &out, "--force"].iter().chain(&options.map(|option| option as &str)));
        assert!(ran.code == 2 && ran.err.contains("which this call reads"), "{file}: {ran:?}");
        assert_eq!(folder.names(), before);
    }
}
