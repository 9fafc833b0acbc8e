//! The folder `OUT.parts/` of a run: its lock, its unfinished results, and its tables in the making.
//!
//! A run holds the lock of the folder from before its work until the tables have their names, so no two runs write one
//! table. The plan is written first and removed first: a folder without a plan holds no survey, and what is in it was
//! left by a killed run. Files that no survey writes are never removed.

use std::fs::DirEntry;
use std::io::Read;
use std::path::{Path, PathBuf};

use muybridge_files::open::regular_file;
use muybridge_files::output::is_temporary;

use super::plan::SurveyPlan;
use super::run_lock::{LOCK, RunLock};
use crate::failure::Failure;

/// Name of the file that identifies the survey.
pub const PLAN: &str = "plan.json";

/// A locked folder.
pub struct PartsFolder {
    path: PathBuf,
    lock: RunLock,
}

impl PartsFolder {
    /// Whether the folder holds an unfinished survey.
    pub fn is_begun(path: &Path) -> bool {
        path.join(PLAN).exists()
    }

    /// Creates the folder if needed and locks it. Fails if another run works on it, or if it holds other files.
    pub fn locked(path: &Path) -> Result<Self, Failure> {
        if path.exists() {
            holds_nothing_else(path)?;
        }
        Ok(Self { path: path.to_path_buf(), lock: RunLock::acquire(path)? })
    }

    /// The locked folder without the files of earlier runs.
    pub fn emptied(path: &Path) -> Result<Self, Failure> {
        let folder = Self::locked(path)?;
        remove_own(path)?;
        Ok(folder)
    }

    /// Where the folder is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The plan of the survey in the folder; `None` if it is not that of any version known.
    pub fn plan(&self) -> Result<Option<SurveyPlan>, Failure> {
        let path = self.path.join(PLAN);
        let mut text = String::new();
        let read = regular_file(&path)?.take(1 << 16).read_to_string(&mut text);
        read.map_err(|error| cannot_be_read(&path, error))?;
        Ok(SurveyPlan::parse(text.trim_end()))
    }

    /// The names of its files, in order.
    pub fn names(&self) -> Result<Vec<String>, Failure> {
        let mut names: Vec<String> =
            entries(&self.path)?.iter().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        Ok(names)
    }

    /// Leaves the folder as it is, but for an empty one.
    pub fn unlock(self) {
        self.lock.release();
    }

    /// Removes the files of surveys from the folder, and the folder if it is empty then.
    pub fn remove(self) -> Result<(), Failure> {
        remove_own(&self.path)?;
        holds_nothing_else(&self.path)?;
        self.unlock();
        Ok(())
    }
}

/// Whether a segment may have the name: ten digits.
pub fn is_segment(name: &str) -> bool {
    let number = name.strip_suffix(".jsonl");
    number.is_some_and(|number| number.len() == 10 && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Removes all files of surveys but the lock, the plan first, so that a kill leaves nothing that looks like a survey.
fn remove_own(folder: &Path) -> Result<(), Failure> {
    let own = entries(folder)?.into_iter().filter(|entry| is_own(folder, entry) && entry.file_name() != LOCK);
    let (plans, others): (Vec<DirEntry>, Vec<DirEntry>) = own.partition(|entry| entry.file_name() == PLAN);
    for entry in plans.iter().chain(&others) {
        let failed = |error| Failure::Usage(format!("{}: cannot be removed: {error}", entry.path().display()));
        std::fs::remove_file(entry.path()).map_err(failed)?;
    }
    Ok(())
}

/// Fails if the folder holds files that no survey of its table wrote.
fn holds_nothing_else(folder: &Path) -> Result<(), Failure> {
    let Some(other) = entries(folder)?.into_iter().find(|entry| !is_own(folder, entry)) else { return Ok(()) };
    let (folder, other) = (folder.display(), other.file_name());
    let other = other.display();
    Err(Failure::Usage(format!(
        "{folder}: holds {other}, which does not belong to a survey, so the folder is not removed; move the file away, or give another --out"
    )))
}

/// Whether a survey wrote the file: lock, plan, segment, or a temporary file, also under the names of older versions.
fn is_own(folder: &Path, entry: &DirEntry) -> bool {
    let name = entry.file_name().to_string_lossy().into_owned();
    let is_table = |name: &str| {
        let table = folder.file_stem().map(Path::new).unwrap_or(folder);
        let extension = table.extension().unwrap_or_default().to_string_lossy();
        let tables = [
            table.to_path_buf(),
            table.with_added_extension("part"),
            table.with_extension(format!("flights.{extension}")),
        ];
        tables.iter().any(|table| table.as_os_str() == name)
    };
    let is_kept = |name: &str| name == PLAN || is_segment(name);
    let in_the_making = name.strip_suffix(".tmp").is_some_and(|name| is_kept(name) || is_table(name));
    let is_named_so = name == LOCK || is_kept(&name) || in_the_making || is_temporary(&name);
    is_named_so && entry.file_type().is_ok_and(|kind| kind.is_file())
}

fn entries(folder: &Path) -> Result<Vec<DirEntry>, Failure> {
    let entries = std::fs::read_dir(folder).and_then(Iterator::collect);
    entries.map_err(|error| cannot_be_read(folder, error))
}

/// Error "FILE: cannot be read: …".
pub fn cannot_be_read(path: &Path, error: impl std::fmt::Display) -> Failure {
    Failure::Usage(format!("{}: cannot be read: {error}", path.display()))
}
