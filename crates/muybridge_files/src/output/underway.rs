//! Temporary files of this program and of killed ones.
//!
//! A temporary file has an unguessable name, is created where no file and no link is, and is locked while its program
//! lives. Who writes into a folder first removes the unlocked ones there.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{Error, ErrorKind, Result};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};

use tempfile::{Builder, NamedTempFile};

const PREFIX: &str = ".muybridge-";
const SUFFIX: &str = ".part";

/// Length of the random part of a name: 36^16 names.
const LETTERS: usize = 16;

/// Temporary files of this program.
static UNDERWAY: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Folders that are known to be writable, without files of killed programs.
static READY: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Held for reading while files get their names, for writing once the program ends.
static NAMING: RwLock<()> = RwLock::new(());

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Creates a temporary file in a folder.
pub fn begin(folder: &Path) -> Result<NamedTempFile> {
    ready(folder)?;
    create(folder)
}

/// Forgets a temporary file that has its name or is gone.
pub fn end(path: &Path) {
    locked(&UNDERWAY).remove(path);
}

/// Until it is dropped, the program does not end by [`stop`].
pub fn naming() -> RwLockReadGuard<'static, ()> {
    NAMING.read().unwrap_or_else(PoisonError::into_inner)
}

/// See [`super::stop`].
pub fn stop() {
    std::mem::forget(NAMING.write().unwrap_or_else(PoisonError::into_inner));
    let underway = locked(&UNDERWAY);
    underway.iter().for_each(|path| drop(std::fs::remove_file(path)));
    // Nothing begins any more.
    std::mem::forget(underway);
}

/// Fails if nothing can be written into a folder; removes what killed programs left there.
pub fn ready(folder: &Path) -> Result<()> {
    if locked(&READY).contains(folder) {
        return Ok(());
    }
    let probe = create(folder)?;
    end(probe.path());
    probe.close()?;
    clean(folder);
    locked(&READY).insert(folder.to_path_buf());
    Ok(())
}

fn create(folder: &Path) -> Result<NamedTempFile> {
    let mut named = Builder::new();
    named.prefix(PREFIX).suffix(SUFFIX).rand_bytes(LETTERS);
    #[cfg(unix)]
    {
        // The permissions that the user's mask leaves to new files.
        use std::os::unix::fs::PermissionsExt;
        named.permissions(std::fs::Permissions::from_mode(0o666));
    }
    for _ in 0..16 {
        let mut underway = locked(&UNDERWAY);
        let file = named.tempfile_in(folder)?;
        underway.insert(file.path().to_path_buf());
        drop(underway);
        // Another program that cleans up may have found it before it was locked.
        let is_locked = !matches!(file.as_file().try_lock(), Err(std::fs::TryLockError::WouldBlock));
        if is_locked && file.path().exists() {
            return Ok(file);
        }
        end(file.path());
    }
    Err(Error::new(ErrorKind::ResourceBusy, "its temporary files are removed by another program"))
}

/// Whether a temporary file has such a name.
pub fn is_temporary(name: &str) -> bool {
    name.starts_with(PREFIX) && name.ends_with(SUFFIX)
}

/// Removes temporary files whose programs are gone.
fn clean(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        if is_file && entry.file_name().to_str().is_some_and(is_temporary) {
            let path = entry.path();
            if File::open(&path).is_ok_and(|file| file.try_lock().is_ok()) {
                let _ = std::fs::remove_file(path);
            }
        }
    }
}
