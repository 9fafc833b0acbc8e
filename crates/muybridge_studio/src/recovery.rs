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
pub struct RecoverableFile {
    /// The file with its content.
    pub path: PathBuf,
    /// Its name as the document had it.
    pub name: String,
}

/// A document as it is kept: two of one name have two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecoveryKey<'a> {
    /// Tells documents of a run apart.
    pub number: u64,
    /// As the document is called, and will be when it is recovered.
    pub name: &'a str,
}

const LOCK: &str = "lock";

/// Folders that killed runs of one process number can leave before there is no recovery.
const MOST_RUNS: u32 = 1000;

/// Between number and name of a file that is kept; no other file of the folder has it.
const BEHIND_NUMBER: char = '-';

impl RecoveryKey<'_> {
    fn file(self) -> String {
        format!("{}{BEHIND_NUMBER}{}", self.number, plain(self.name))
    }
}

impl Recovery {
    /// A folder for this run below `base`; `None` where none can be made, and there is then no recovery.
    pub fn begin(base: &Path) -> Option<Self> {
        let all = base.join("recovery");
        std::fs::create_dir_all(&all).ok()?;
        // Numbers of processes come again, in a container always: what an earlier run of this number left stays in its folder.
        let own = std::process::id();
        let folders = (0..MOST_RUNS).map(|run| all.join(format!("{own}-{run}")));
        let folder = folders.into_iter().find(|folder| std::fs::create_dir(folder).is_ok())?;
        let lock = File::create(folder.join(LOCK)).ok()?;
        lock.try_lock().ok()?;
        Some(Self { folder, _lock: lock })
    }

    /// Keeps a document under its number and name ("ragdoll.toml"), over what was kept of it before: written beside and renamed.
    ///
    /// # Errors
    /// A sentence that names the file.
    pub fn keep(&self, document: RecoveryKey<'_>, content: &[u8]) -> Result<(), String> {
        let (path, beside) = (self.folder.join(document.file()), self.folder.join("writing"));
        let written = std::fs::write(&beside, content).and_then(|()| std::fs::rename(&beside, &path));
        written.map_err(|error| format!("{} could not be kept for recovery: {error}", document.name))
    }

    /// Forgets a document: it is saved or closed.
    pub fn forget(&self, document: RecoveryKey<'_>) {
        // Not there is as good as removed.
        let _ = std::fs::remove_file(self.folder.join(document.file()));
    }

    /// What earlier runs left below `base`, oldest first.
    pub fn left(base: &Path) -> Vec<RecoverableFile> {
        let runs = std::fs::read_dir(base.join("recovery")).into_iter().flatten().flatten();
        let ended = |folder: &PathBuf| File::open(folder.join(LOCK)).is_ok_and(|lock| lock.try_lock().is_ok());
        let files = runs.map(|run| run.path()).filter(ended).filter_map(|run| std::fs::read_dir(run).ok());
        let mut left: Vec<RecoverableFile> = files
            .flatten()
            .flatten()
            .filter_map(|file| {
                let own = file.file_name().to_string_lossy().into_owned();
                let (_, name) = own.split_once(BEHIND_NUMBER)?;
                Some(RecoverableFile { path: file.path(), name: name.to_owned() })
            })
            .collect();
        left.sort_by_key(|left| {
            (std::fs::metadata(&left.path).and_then(|file| file.modified()).ok(), left.name.clone())
        });
        left
    }

    /// Removes what an earlier run left: it was recovered, or is not wanted.
    pub fn discard(left: &RecoverableFile) {
        // What cannot be removed is offered again.
        let _ = std::fs::remove_file(&left.path);
    }
}

impl Drop for Recovery {
    fn drop(&mut self) {
        // A program that ends well leaves nothing.
        if !std::thread::panicking() {
            let _ = std::fs::remove_dir_all(&self.folder);
        }
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
        let running = Recovery::begin(&base).unwrap();
        let (one, two) = (RecoveryKey { number: 1, name: "a-jump.bvh" }, RecoveryKey { number: 2, name: "a-jump.bvh" });
        for (document, content) in [(one, "first"), (two, "second")] {
            running.keep(document, content.as_bytes()).unwrap();
            std::fs::copy(running.folder.join(document.file()), killed.join(document.file())).unwrap();
        }
        let left = Recovery::left(&base);
        let contents = left.iter().map(|left| std::fs::read_to_string(&left.path).unwrap());
        assert_eq!(left.iter().map(|left| left.name.as_str()).collect::<Vec<_>>(), ["a-jump.bvh"; 2]);
        assert_eq!(contents.collect::<std::collections::BTreeSet<_>>().len(), 2, "one of two of a name is lost");
        running.forget(one);
        assert!(!running.folder.join(one.file()).exists() && running.folder.join(two.file()).exists());
        // A run of the same process number has another folder, and ends without taking it along.
        let again = Recovery::begin(&base).unwrap();
        assert!(again.folder != running.folder);
        drop(again);
        assert!(running.folder.join(two.file()).exists());
        left.iter().for_each(Recovery::discard);
        assert!(Recovery::left(&base).is_empty());
        drop(running);
        std::fs::remove_dir_all(&base).unwrap();
    }
}
