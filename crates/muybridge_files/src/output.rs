//! Safe writing: a temporary file is renamed to the target, and existing files are replaced only on request.

mod underway;

use std::io::{BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

pub use underway::is_temporary;

use crate::{Error, Location};

/// A file that another one names, in the same folder.
#[derive(Clone, Debug, PartialEq)]
pub struct SideFile {
    /// The relative path that the other file calls it by.
    pub name: String,
    /// The content.
    pub bytes: Vec<u8>,
}

impl SideFile {
    /// The bytes of the file with this name; `None` where there is none.
    pub fn find(files: &[Self], name: &str) -> Option<Vec<u8>> {
        files.iter().find(|file| file.name == name).map(|file| file.bytes.clone())
    }
}

/// Policy for a target that already exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// Refuse with an error that names the file.
    Keep,
    /// Replace the file.
    Replace,
}

/// A file under way: written under a temporary name in the folder of its target, and renamed to it when it is whole.
/// Dropped before, it is removed.
#[derive(Debug)]
pub struct Pending {
    target: PathBuf,
    existing: Existing,
    beside: BufWriter<NamedTempFile>,
}

impl Pending {
    /// Begins the file `target`; a link is followed. Creates missing folders. Fails as [`check`] does.
    pub fn new(target: &Path, existing: Existing) -> Result<Self, Error> {
        let followed = followed(target)?;
        check(&followed, existing)?;
        let begun = std::fs::create_dir_all(folder_of(&followed)).and_then(|()| underway::begin(folder_of(&followed)));
        let beside = begun.map_err(|error| cannot(target, &error))?;
        // What is there keeps its permissions, and its owner where this one may give files away.
        if let Ok(there) = followed.metadata() {
            #[cfg(unix)]
            {
                use std::os::unix::fs::{MetadataExt, fchown};
                let _ = fchown(beside.as_file(), Some(there.uid()), Some(there.gid()));
            }
            beside.as_file().set_permissions(there.permissions()).map_err(|error| cannot(target, &error))?;
        }
        Ok(Self { target: followed, existing, beside: BufWriter::with_capacity(1 << 16, beside) })
    }

    /// Where the file goes.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Gives the file its name. A file that another program has put there meanwhile is replaced only on request.
    pub fn finish(self) -> Result<(), Error> {
        let whole = self.whole()?;
        let _naming = underway::naming();
        whole.named()
    }

    /// Waits until all bytes are on the disk.
    fn whole(mut self) -> Result<Self, Error> {
        let written = self.beside.flush().and_then(|()| self.beside.get_ref().as_file().sync_all());
        written.map_err(|error| cannot(&self.target, &error)).map(|()| self)
    }

    fn named(self) -> Result<(), Error> {
        let Self { target, existing, beside } = self;
        // The buffer is empty.
        let beside = beside.into_parts().0;
        let path = beside.path().to_path_buf();
        let named = match existing {
            Existing::Replace => beside.persist(&target),
            Existing::Keep => beside.persist_noclobber(&target),
        };
        underway::end(&path);
        named.map(drop).map_err(|failed| match failed.error.kind() {
            ErrorKind::AlreadyExists => there_already(&target),
            _ => cannot(&target, &failed.error),
        })
    }
}

impl Write for Pending {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.beside.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.beside.flush()
    }
}

/// Writes `bytes` to a temporary file beside `path` and renames it, so an interruption never leaves half a file. Creates
/// missing folders.
pub fn write(path: &Path, bytes: &[u8], existing: Existing) -> Result<(), Error> {
    write_together(&[(path.to_path_buf(), bytes)], existing)
}

/// Writes a file as [`write()`] does, by a function that writes its content piece by piece.
pub fn write_by(
    path: &Path,
    content: &dyn Fn(&mut dyn Write) -> std::io::Result<()>,
    existing: Existing,
) -> Result<(), Error> {
    let mut pending = Pending::new(path, existing)?;
    content(&mut pending).map_err(|error| cannot(path, &error))?;
    pending.finish()
}

/// Writes files that belong together: none of them has its name before all are on the disk, and [`stop`] waits until all
/// have. If one cannot be written, those that were not there before are removed.
pub fn write_together(files: &[(PathBuf, &[u8])], existing: Existing) -> Result<(), Error> {
    let mut whole = Vec::new();
    for (path, bytes) in files {
        let mut pending = Pending::new(path, existing)?;
        pending.write_all(bytes).map_err(|error| cannot(path, &error))?;
        whole.push(pending.whole()?);
    }
    let naming = underway::naming();
    let mut new: Vec<PathBuf> = Vec::new();
    for pending in whole {
        let target = (!pending.target.exists()).then(|| pending.target.clone());
        if let Err(error) = pending.named() {
            new.iter().for_each(|path| drop(std::fs::remove_file(path)));
            return Err(error);
        }
        new.extend(target);
    }
    drop(naming);
    Ok(())
}

/// Prepares the end of the program at any moment: waits until files that belong together have their names, lets no other
/// file have its name, and removes what is under way. For the end by a signal, after which nothing is dropped.
pub fn stop() {
    underway::stop();
}

/// Fails if `path` cannot be written, or exists and may not be replaced. Call it before long work.
pub fn check(path: &Path, existing: Existing) -> Result<(), Error> {
    let refused = |message: String| Err(Error::new(Location::File, message).in_file(path));
    let followed = followed(path)?;
    match followed.metadata() {
        Ok(there) if there.is_dir() => return refused("is a folder, not a file to write".into()),
        Ok(there) if !there.is_file() => {
            return refused("is a device, a pipe or a socket, not a file to write".into());
        }
        Ok(_) if existing == Existing::Keep => return Err(there_already(path)),
        Ok(there) if there.permissions().readonly() => {
            return refused("is read-only; make it writable, or give another name".into());
        }
        // Renaming would replace a file that its owner lets nobody else change.
        Ok(_) => drop(std::fs::OpenOptions::new().write(true).open(&followed).map_err(|error| cannot(path, &error))?),
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => {
            if let Some(file) = followed.ancestors().skip(1).find(|above| above.is_file()) {
                return refused(format!("cannot be written: {} is a file, not a folder", file.display()));
            }
            return Err(cannot(path, &error));
        }
    }
    let above = folder_of(&followed).ancestors().find(|above| above.as_os_str().is_empty() || above.exists());
    let above = above.filter(|above| !above.as_os_str().is_empty()).unwrap_or(Path::new("."));
    underway::ready(above).map_err(|error| cannot(path, &error))
}

/// The file that a link leads to; the path itself where it is none. Fails if the link leads to no file.
pub fn followed(path: &Path) -> Result<PathBuf, Error> {
    let is_link = path.symlink_metadata().is_ok_and(|there| there.is_symlink());
    if !is_link {
        return Ok(path.to_path_buf());
    }
    path.canonicalize().map_err(|error| {
        let leads = std::fs::read_link(path).map(|to| format!(" to {}", to.display())).unwrap_or_default();
        let message = format!("is a link{leads} and leads to no file ({error}); remove it, or give another name");
        Error::new(Location::File, message).in_file(path)
    })
}

/// The folder of a file; `.` for a bare name.
fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn cannot(path: &Path, error: &std::io::Error) -> Error {
    Error::new(Location::File, format!("cannot be written: {error}")).in_file(path)
}

fn there_already(path: &Path) -> Error {
    Error::new(Location::File, "exists already; give --force to replace it, or another name").in_file(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_existing_file_is_kept_unless_replacing_is_asked_for() {
        let folder = std::env::temp_dir().join(format!("muybridge_output_{}", std::process::id()));
        let path = folder.join("deep/out.txt");
        write(&path, b"first", Existing::Keep).unwrap();
        let error = write(&path, b"second", Existing::Keep).unwrap_err();
        assert!(error.to_string().contains("--force"), "{error}");
        assert_eq!(std::fs::read(&path).unwrap(), b"first");
        write(&path, b"second", Existing::Replace).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"second");
        assert_eq!(std::fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "nothing is left beside it");
        let error = write(&path.join("below/out.txt"), b"", Existing::Keep).unwrap_err();
        assert!(error.to_string().contains("is a file, not a folder"), "{error}");
        std::fs::remove_dir_all(folder).unwrap();
    }
}
