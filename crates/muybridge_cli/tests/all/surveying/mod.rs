//! Runs `muybridge survey` on clips made here.
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::checking::{Folder, Ran, thrown_bvh};

/// Runs `muybridge survey` with arguments.
pub fn survey<S: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = S>) -> Ran {
    let output = command().args(arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Ran { code: output.status.code().expect("no signal"), out: text(output.stdout), err: text(output.stderr) }
}

/// Runs `muybridge survey` with arguments; it must succeed.
pub fn surveyed<S: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = S>) -> Ran {
    let ran = survey(arguments);
    assert_eq!(ran.code, 0, "{ran:?}");
    ran
}

/// Starts `muybridge survey` with arguments, without waiting for it.
pub fn begun<S: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = S>) -> Child {
    command().args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

pub fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_muybridge"));
    command.arg("survey");
    command
}

/// A folder of clips in `folder`: nine thrown bodies at different gravities, and one file that is no motion.
pub fn library(folder: &Folder) -> String {
    std::fs::create_dir_all(folder.path("clips/deep")).unwrap();
    for k in 0..9 {
        let name = if k % 2 == 0 { format!("clips/thrown_{k}.bvh") } else { format!("clips/deep/thrown_{k}.bvh") };
        folder.file(&name, thrown_bvh(40 + k, 30.0, 4.0 + 1.5 * k as f64));
    }
    folder.file("clips/broken.bvh", "HIERARCHY\nROOT Hips\n{\n\tOFFSET 0 0\n");
    folder.path("clips")
}

/// A list that names the files of [`library`] `times` times.
pub fn long_list(folder: &Folder, times: usize) -> String {
    let clips = library(folder);
    let mut files: Vec<PathBuf> = below(Path::new(&clips));
    files.sort();
    let names: Vec<String> = files.iter().map(|file| file.display().to_string() + "\n").collect();
    folder.file("list.txt", format!("# every clip {times} times\n\n{}", names.concat().repeat(times)))
}

fn below(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().flatten().map(|entry| entry.path());
    entries.flat_map(|path| if path.is_dir() { below(&path) } else { vec![path] }).collect()
}

/// The bytes of a table and of the flight table beside it.
pub fn tables(out: &str) -> (Vec<u8>, Vec<u8>) {
    let (stem, extension) = out.rsplit_once('.').unwrap();
    let flights = format!("{stem}.flights.{extension}");
    (std::fs::read(out).unwrap(), std::fs::read(flights).unwrap_or_default())
}

/// Recreates the state after a kill: the segments of a finished survey without the last two, and no tables.
pub fn interrupted(folder: &Folder, list: &str, out: &str) {
    let mut child = begun([list, "--out", out, "--threads", "1"]);
    let parts = std::path::PathBuf::from(format!("{out}.parts"));
    while !parts.join("0000000000.jsonl").exists() {
        assert!(child.try_wait().unwrap().is_none(), "the survey is over before it was killed");
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!std::path::Path::new(out).exists() && folder.names().len() > 1);
}
