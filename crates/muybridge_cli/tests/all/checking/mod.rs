//! Runs the program and returns exit code, standard output and files.
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::program::muybridge;
use crate::test_files;

/// Result of a run.
#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
}

/// Runs `muybridge check` with arguments.
pub fn check<S: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = S>) -> Ran {
    run("check", arguments)
}

/// Runs a command with arguments.
pub fn run<S: AsRef<std::ffi::OsStr>>(command: &str, arguments: impl IntoIterator<Item = S>) -> Ran {
    let words = arguments.into_iter().map(|word| word.as_ref().to_owned());
    let said = muybridge(std::iter::once(command.into()).chain(words));
    Ran { code: said.code.expect("no signal"), out: said.out, err: said.err }
}

/// The clips of `muybridge check --json` with arguments; standard output must be JSON and nothing else.
pub fn clips<S: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = S>) -> Vec<Value> {
    let mut all: Vec<std::ffi::OsString> = vec!["--json".into()];
    all.extend(arguments.into_iter().map(|a| a.as_ref().to_owned()));
    let ran = check(&all);
    let document: Value = serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {ran:?}"));
    assert_eq!(document["schema"], 1);
    document["clips"].as_array().unwrap().clone()
}

/// The only clip of a `muybridge check --json` run.
pub fn clip<S: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = S>) -> Value {
    let mut clips = clips(arguments);
    assert_eq!(clips.len(), 1);
    clips.remove(0)
}

/// A path of the shared data or the small set.
pub fn shared(path: &str) -> String {
    test_files::path(path).display().to_string()
}

/// An empty folder of a test, removed when dropped.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new(test: &str) -> Self {
        let path = std::env::temp_dir().join(format!("muybridge_{}_{test}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }

    /// Writes a file and returns its path.
    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        std::fs::write(self.0.join(name), content).unwrap();
        self.path(name)
    }

    /// Names of the files in the folder, sorted.
    pub fn names(&self) -> Vec<String> {
        names_in(&self.0)
    }
}

/// Names of the files in a folder, sorted.
pub fn names_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Ids of the findings of a clip with the given severity.
pub fn severities(clip: &Value, severity: &str) -> Vec<String> {
    let findings = clip["findings"].as_array().unwrap().iter();
    findings.filter(|f| f["severity"] == severity).map(|f| f["id"].as_str().unwrap().to_string()).collect()
}

/// The first finding with an id.
pub fn finding<'a>(clip: &'a Value, id: &str) -> Option<&'a Value> {
    clip["findings"].as_array().unwrap().iter().find(|f| f["id"] == id)
}

/// A BVH of one bone of 1 m: a body thrown from 2 m with `gravity` m/s² and (1, 4, 0) m/s, turning about the x axis
/// through its middle.
pub fn thrown_bvh(frames: usize, fps: f64, gravity: f64) -> String {
    let mut text = format!(
        "HIERARCHY\nROOT Crate\n{{\n\tOFFSET 0 0 0\n\tCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation \
         Yrotation\n\tEnd Site\n\t{{\n\t\tOFFSET 0 1 0\n\t}}\n}}\nMOTION\nFrames: {frames}\nFrame Time: {}\n",
        1.0 / fps
    );
    for frame in 0..frames {
        let t = frame as f64 / fps;
        let (center, turn) = (2.0 + 4.0 * t - 0.5 * gravity * t * t, 200.0 * t);
        let (up, ahead) = (0.5 * turn.to_radians().cos(), 0.5 * turn.to_radians().sin());
        text += &format!("{t} {} {} 0 {turn} 0\n", center - up, -ahead);
    }
    text
}
