//! Safe writing: a temporary file is renamed to the target, and existing files are replaced only on request.

use std::io::Write;
use std::path::{Path, PathBuf};

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

/// Writes `bytes` to a temporary file beside `path` and renames it, so an interruption never leaves half a file. Creates
/// missing folders.
pub fn write(path: &Path, bytes: &[u8], existing: Existing) -> Result<(), Error> {
    check(path, existing)?;
    let failed =
        |error: std::io::Error| Error::new(Location::File, format!("cannot be written: {error}")).in_file(path);
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    let beside = temporary_path(path);
    let written = std::fs::File::create(&beside).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    written.and_then(|()| std::fs::rename(&beside, path)).map_err(|error| {
        let _ = std::fs::remove_file(&beside);
        failed(error)
    })
}

/// Fails if `path` exists and may not be replaced. Call it before long work.
pub fn check(path: &Path, existing: Existing) -> Result<(), Error> {
    if path.is_dir() {
        return Err(Error::new(Location::File, "is a folder, not a file to write").in_file(path));
    }
    if let Some(file) = path.ancestors().skip(1).find(|above| above.is_file()) {
        let message = format!("cannot be written: {} is a file, not a folder", file.display());
        return Err(Error::new(Location::File, message).in_file(path));
    }
    if existing == Existing::Keep && path.exists() {
        return Err(
            Error::new(Location::File, "exists already; give --force to replace it, or another name").in_file(path)
        );
    }
    Ok(())
}

/// A temporary name in the same folder that no other process uses.
fn temporary_path(path: &Path) -> PathBuf {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    path.with_file_name(format!(".{name}.{}.part", std::process::id()))
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
