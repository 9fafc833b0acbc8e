//! Finds the motions, models and tables that tests read: in the shared data folder that `MUYBRIDGE_DATA` names, or, where it is
//! not set, in the small set beside this file, under the same names.
#![allow(dead_code, reason = "each test program uses a part")]

use std::path::{Path, PathBuf};

/// Folder of the shared data, if it is there.
fn shared() -> Option<PathBuf> {
    std::env::var_os("MUYBRIDGE_DATA").filter(|folder| !folder.is_empty()).map(PathBuf::from)
}

/// Whether tests read the whole shared data.
pub fn whole() -> bool {
    shared().is_some()
}

/// Path of a file or folder.
pub fn path(name: &str) -> PathBuf {
    shared().unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data")).join(name)
}

/// Cases whose file is in the small set, at least one; of the whole shared data every case.
pub fn here<T>(cases: impl IntoIterator<Item = T>, file: impl Fn(&T) -> String) -> Vec<T> {
    let there: Vec<T> = cases.into_iter().filter(|case| whole() || path(&file(case)).is_file()).collect();
    assert!(!there.is_empty(), "the small set has none of the files");
    there
}

/// Files of a folder, sorted; the small set has not every folder.
pub fn in_folder(name: &str) -> Vec<PathBuf> {
    let folder = path(name);
    if !whole() && !folder.is_dir() {
        return Vec::new();
    }
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_file()).collect();
    files.sort();
    files
}
