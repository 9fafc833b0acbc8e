//! The lock of a parts folder: one run at a time works on a table.
//!
//! The running program holds a lock on the file `lock` of the folder, which the system releases when the program ends for
//! any reason. The file holds the number of its process. A run that begins creates the file: it never writes into one
//! that is there, which might be a link to another. A file that nobody locks is left of a killed run, and is removed.

use std::fs::{File, TryLockError};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use muybridge_files::open::regular_file;

use super::table_file::cannot;
use crate::failure::Failure;

/// Name of the file that is locked.
pub const LOCK: &str = "lock";

/// Attempts before two runs that begin at once are given up.
const ATTEMPTS: usize = 1000;

/// A locked folder.
pub struct RunLock {
    path: PathBuf,
    file: File,
}

impl RunLock {
    /// Creates the folder if needed and locks it. Fails if another run holds the lock. On file systems without locks
    /// this always succeeds.
    pub fn acquire(folder: &Path) -> Result<Self, Failure> {
        let path = folder.join(LOCK);
        for _ in 0..ATTEMPTS {
            create_folder(folder)?;
            match File::create_new(&path) {
                Ok(mut file) => {
                    let is_other = matches!(file.try_lock(), Err(TryLockError::WouldBlock));
                    if !is_other && is_at(&file, &path) {
                        // The number only serves the sentence of another run.
                        let _ = write!(file, "{}", std::process::id());
                        return Ok(Self { path, file });
                    }
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => remove_if_dead(folder, &path)?,
                // The run before removes its folder.
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(cannot(&path, error)),
            }
        }
        Err(in_use(folder, None))
    }

    /// Removes the file of the lock, and the folder if it is empty then.
    pub fn release(self) {
        let Self { path, file } = self;
        // Another run may begin as soon as the name is free, and not before.
        if std::fs::remove_file(&path).is_err() {
            drop(file);
            let _ = std::fs::remove_file(&path);
        }
        if let Some(folder) = path.parent() {
            let _ = std::fs::remove_dir(folder);
        }
    }
}

fn create_folder(folder: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(folder).map_err(|error| cannot(folder, error))?;
    match folder.symlink_metadata() {
        Ok(metadata) if metadata.is_symlink() => {
            let sentence = "is a link, where a survey keeps its unfinished results; remove it, or give another table";
            Err(Failure::Usage(format!("{}: {sentence}", folder.display())))
        }
        _ => Ok(()),
    }
}

/// Removes the file of a lock that nobody holds. Fails if another run holds it.
fn remove_if_dead(folder: &Path, path: &Path) -> Result<(), Failure> {
    if path.symlink_metadata().is_ok_and(|metadata| !metadata.is_file()) {
        return Err(Failure::Usage(format!("{}: is no lock of a survey; remove it", path.display())));
    }
    let mut file = match regular_file(path) {
        Ok(file) => file,
        Err(_) if !path.exists() => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(in_use(folder, Some(&mut file))),
        _ if is_at(&file, path) => std::fs::remove_file(path).map_err(|error| cannot(path, error)),
        _ => Ok(()),
    }
}

/// The sentence for a folder that another run has locked. It names the process if the lock can be read.
fn in_use(folder: &Path, lock: Option<&mut File>) -> Failure {
    let mut number = String::new();
    let read = lock.and_then(|lock| lock.take(20).read_to_string(&mut number).ok());
    let is_number = read.is_some() && !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    let process =
        if is_number { format!("another muybridge process ({number})") } else { "another muybridge process".into() };
    let table = folder.with_extension("");
    Failure::Usage(format!(
        "{}: {process} is writing this table; wait until it ends, or give another one",
        table.display()
    ))
}

/// Whether the open file is the one that has this name now.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let of = |metadata: &std::fs::Metadata| (metadata.dev(), metadata.ino());
    matches!((file.metadata(), path.symlink_metadata()), (Ok(a), Ok(b)) if of(&a) == of(&b))
}

/// Whether the open file is the one that has this name now. The standard library has no identity of files here.
#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> bool {
    path.exists()
}
