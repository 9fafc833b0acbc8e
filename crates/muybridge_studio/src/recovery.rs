//! Backups of unsaved documents, stored beside the preferences, so that a crash loses seconds of work and not
//! documents.
//!
//! Each running program has its own folder with a lock file. If the lock of a folder is free, the program that made it
//! crashed, and the start page offers the backups in it.

use std::fs::File;
use std::path::{Path, PathBuf};

use muybridge_files::open::regular_file;

/// Recovery folder of this run of the program.
#[derive(Debug)]
pub struct Recovery {
    folder: PathBuf,
    /// Lock file, locked while the program runs.
    _lock: File,
}

/// A backup that an earlier run left behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecoverableFile {
    /// Path of the backup file.
    pub path: PathBuf,
    /// Name of the document.
    pub name: String,
}

/// Identifies a backup: documents of the same name have different numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecoveryKey<'a> {
    /// Number of the document, unique within a run of the program.
    pub number: u64,
    /// Name of the document, restored on recovery.
    pub name: &'a str,
}

const LOCK: &str = "lock";

/// Greatest number of leftover folders per process id; if all are taken, there is no recovery.
const MOST_RUNS: u32 = 1000;

/// Separates number and name in the file name of a backup; no other file of the folder contains this character.
const BEHIND_NUMBER: char = '-';

impl RecoveryKey<'_> {
    fn file(self) -> String {
        format!("{}{BEHIND_NUMBER}{}", self.number, plain(self.name))
    }
}

impl Recovery {
    /// Makes a recovery folder for this run below `base`; `None` if that fails, and then nothing is backed up.
    pub fn begin(base: &Path) -> Option<Self> {
        let all = base.join("recovery");
        std::fs::create_dir_all(&all).ok()?;
        // Process ids repeat, in a container always, so an earlier run with the same id keeps its folder.
        let own = std::process::id();
        let folders = (0..MOST_RUNS).map(|run| all.join(format!("{own}-{run}")));
        let folder = folders.into_iter().find(|folder| std::fs::create_dir(folder).is_ok())?;
        let lock = File::create(folder.join(LOCK)).ok()?;
        lock.try_lock().ok()?;
        Some(Self { folder, _lock: lock })
    }

    /// Writes a backup of a document, replacing its previous backup. It is written to a temporary file first, then
    /// renamed.
    ///
    /// # Errors
    /// Returns a message that names the document.
    pub fn save_recovery(&self, document: RecoveryKey<'_>, content: &[u8]) -> Result<(), String> {
        let (path, beside) = (self.folder.join(document.file()), self.folder.join("writing"));
        let written = std::fs::write(&beside, content).and_then(|()| std::fs::rename(&beside, &path));
        written.map_err(|error| format!("The recovery copy of {} could not be saved: {error}", document.name))
    }

    /// Removes the backup of a document that is saved or closed.
    pub fn forget(&self, document: RecoveryKey<'_>) {
        // A missing file counts as removed.
        let _ = std::fs::remove_file(self.folder.join(document.file()));
    }

    /// Backups that crashed runs left below `base`, oldest first.
    pub fn left(base: &Path) -> Vec<RecoverableFile> {
        let runs = std::fs::read_dir(base.join("recovery")).into_iter().flatten().flatten();
        let ended = |folder: &PathBuf| regular_file(&folder.join(LOCK)).is_ok_and(|lock| lock.try_lock().is_ok());
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

    /// Removes a backup that was recovered or is not wanted.
    pub fn discard(left: &RecoverableFile) {
        // If the file cannot be removed, the start page offers it again.
        let _ = std::fs::remove_file(&left.path);
    }
}

impl Drop for Recovery {
    fn drop(&mut self) {
        // A program that ends normally removes its recovery folder.
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
            running.save_recovery(document, content.as_bytes()).unwrap();
            std::fs::copy(running.folder.join(document.file()), killed.join(document.file())).unwrap();
        }
        let left = Recovery::left(&base);
        let contents = left.iter().map(|left| std::fs::read_to_string(&left.path).unwrap());
        assert_eq!(left.iter().map(|left| left.name.as_str()).collect::<Vec<_>>(), ["a-jump.bvh"; 2]);
        assert_eq!(contents.collect::<std::collections::BTreeSet<_>>().len(), 2, "one of two of a name is lost");
        running.forget(one);
        assert!(!running.folder.join(one.file()).exists() && running.folder.join(two.file()).exists());
        // A second run with the same process id gets its own folder and leaves the first one alone.
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
