//! Runs the program with a time limit, in temporary folders.

mod grid;

use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Time limit of a call; a longer call counts as hanging.
const PATIENCE: Duration = Duration::from_secs(120);

/// Result of a call.
pub struct Said {
    /// The exit code; `None` if the program was killed.
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

/// A temporary folder, removed when dropped.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("muybridge_cli_{}_{count}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Writes a file and returns its path.
    pub fn file(&self, name: &str, text: &str) -> PathBuf {
        fs::write(self.path(name), text).unwrap();
        self.path(name)
    }

    /// Names of the files in a subfolder, sorted.
    pub fn names(&self, folder: &str) -> Vec<String> {
        let entries =
            fs::read_dir(self.path(folder)).map(|entries| entries.flatten().collect()).unwrap_or_else(|_| vec![]);
        let mut names: Vec<String> =
            entries.iter().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

pub use crate::test_files::path as shared;

/// Runs the program. Panics if it hangs.
pub fn muybridge<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Said {
    let arguments: Vec<S> = arguments.into_iter().collect();
    let note = grid::note(&arguments.iter().map(|argument| argument.as_ref().to_string_lossy()).collect::<Vec<_>>());
    let folder = Folder::new();
    let [out, err] = ["out", "err"].map(|name| folder.path(name));
    let mut command = Command::new(env!("CARGO_BIN_EXE_muybridge"));
    command.args(&arguments).stdin(Stdio::null());
    command.stdout(File::create(&out).unwrap()).stderr(File::create(&err).unwrap());
    let mut child = command.spawn().unwrap();
    let start = Instant::now();
    let status = loop {
        match child.try_wait().unwrap() {
            Some(status) => break status,
            None if start.elapsed() > PATIENCE => {
                let _ = child.kill();
                panic!("{command:?} takes longer than {PATIENCE:?}");
            }
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    let read = |path: &Path| String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned();
    let said = Said { code: status.code(), out: read(&out), err: read(&err) };
    note(&said.out);
    said
}

/// All files below a folder, sorted.
pub fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    files
}
