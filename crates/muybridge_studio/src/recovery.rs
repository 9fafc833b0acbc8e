//! What is not saved yet, kept on disk beside the program's preferences, so that a kill loses seconds and not documents.
//!
//! Each running program has a folder of its own with a file it holds locked; a folder whose lock can be taken was left by a
//! program that did not end well, and what is in it is offered on the start page.

use std::fs::File;
use std::path::{Path, PathBuf};

/// The folder of this run.
#[derive(Debug)]
pub struct Recovery {
    folder: PathBuf,
    /// Held while the program runs.
    _lock: File,
}

/// A document that an earlier run left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Left {
    /// The file with its content.
    pub path: PathBuf,
    /// Its name as the document had it.
    pub name: String,
}

const LOCK: &str = "lock";

impl Recovery {
    /// A folder for this run below `base`; `None` where none can be made, and there is then no recovery.
    pub fn begin(base: &Path) -> Option<Self> {
        let folder = base.join("recovery").join(std::process::id().to_string());
        std::fs::create_dir_all(&folder).ok()?;
        let lock = File::create(folder.join(LOCK)).ok()?;
        lock.try_lock().ok()?;
        Some(Self { folder, _lock: lock })
    }

    /// Keeps a document under its name ("ragdoll.toml"), over what was kept before: written beside and renamed.
    ///
    /// # Errors
    /// A sentence that names the file.
    pub fn keep(&self, name: &str, content: &[u8]) -> Result<(), String> {
        let (path, beside) = (self.folder.join(plain(name)), self.folder.join("writing"));
        let written = std::fs::write(&beside, content).and_then(|()| std::fs::rename(&beside, &path));
        written.map_err(|error| format!("{name} could not be kept for recovery: {error}"))
    }

    /// Forgets a document: it is saved or closed.
    pub fn forget(&self, name: &str) {
        // Not there is as good as removed.
        let _ = std::fs::remove_file(self.folder.join(plain(name)));
    }

    /// What earlier runs left below `base`, oldest first.
    pub fn left(base: &Path) -> Vec<Left> {
        let runs = std::fs::read_dir(base.join("recovery")).into_iter().flatten().flatten();
        let ended = |folder: &PathBuf| File::open(folder.join(LOCK)).is_ok_and(|lock| lock.try_lock().is_ok());
        let files = runs.map(|run| run.path()).filter(ended).filter_map(|run| std::fs::read_dir(run).ok());
        let mut left: Vec<Left> = files
            .flatten()
            .flatten()
            .map(|file| Left { path: file.path(), name: file.file_name().to_string_lossy().into_owned() })
            .filter(|left| left.name != LOCK && left.name != "writing")
            .collect();
        left.sort_by_key(|left| {
            (std::fs::metadata(&left.path).and_then(|file| file.modified()).ok(), left.name.clone())
        });
        left
    }

    /// Removes what an earlier run left: it was recovered, or is not wanted.
    pub fn discard(left: &Left) {
        // What cannot be removed is offered again.
        let _ = std::fs::remove_file(&left.path);
    }
}

impl Drop for Recovery {
    fn drop(&mut self) {
        // A program that ends well leaves nothing.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn plain(name: &str) -> String {
    name.chars().map(|c| if c.is_alphanumeric() || "._- ".contains(c) { c } else { '_' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_run_left_is_found_and_what_runs_is_not() {
        let base = std::env::temp_dir().join(format!("muybridge-recovery-{}", std::process::id()));
        let killed = base.join("recovery").join("0");
        std::fs::create_dir_all(&killed).unwrap();
        std::fs::write(killed.join(LOCK), "").unwrap();
        std::fs::write(killed.join("heap.toml"), "[scene]").unwrap();
        let running = Recovery::begin(&base).unwrap();
        running.keep("other.toml", b"[scene]").unwrap();
        let left = Recovery::left(&base);
        assert_eq!(left.iter().map(|left| left.name.as_str()).collect::<Vec<_>>(), ["heap.toml"]);
        Recovery::discard(&left[0]);
        assert!(Recovery::left(&base).is_empty());
        drop(running);
        std::fs::remove_dir_all(&base).unwrap();
    }
}
