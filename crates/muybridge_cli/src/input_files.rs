//! The motion files that a verb is given: those named, and those in the folders named.

use std::path::{Path, PathBuf};

use muybridge_files::formats::{self, FileFormat};
use muybridge_files::open::{self, Opened};
use muybridge_files::{Error, Location, OpenOptions};

/// A motion file to read.
#[derive(Clone, Debug, PartialEq)]
pub struct InputFile {
    /// Where the file is.
    pub path: PathBuf,
    /// The path of the file from the folder that was named; the bare name of a file that was named itself.
    pub relative: PathBuf,
    /// Whether a folder was named, not the file.
    pub in_folder: bool,
}

/// The files of [`expanded`], each with its place in the folder that was named.
pub fn listed(paths: &[PathBuf]) -> Vec<InputFile> {
    let mut files = Vec::new();
    for named in paths {
        let in_folder = named.is_dir();
        for path in expanded(std::slice::from_ref(named)) {
            let name = || path.file_name().map_or_else(|| path.clone(), PathBuf::from);
            let inside = path.strip_prefix(named).ok().filter(|rest| in_folder && *rest != Path::new(""));
            let relative = inside.map_or_else(name, Path::to_path_buf);
            files.push(InputFile { path, relative, in_folder });
        }
    }
    files
}

/// The files named, and the motion files in the folders named, in the order of their names; hidden files and folders in
/// them are left out. A folder that cannot be listed or holds no motion file stands for itself, so that [`opened`] says
/// why and the other files go on.
pub fn expanded(paths: &[PathBuf]) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let before = files.len();
        let mut folders = vec![path.clone()];
        while let Some(folder) = folders.pop() {
            let entries: Vec<_> = std::fs::read_dir(&folder).map_or_else(|error| vec![Err(error)], Iterator::collect);
            if entries.iter().any(Result::is_err) {
                files.push(folder);
            }
            for entry in entries.into_iter().flatten() {
                let path = entry.path();
                if is_hidden(&path) {
                    continue;
                }
                // A link to a folder is not followed: it may lead back.
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    folders.push(path);
                } else if names_a_motion(&path) && !path.is_dir() {
                    files.push(path);
                }
            }
        }
        files[before..].sort();
        if files.len() == before {
            files.push(path.clone());
        }
    }
    files
}

/// The names of the formats that motions are read from, for help texts.
pub fn motion_formats() -> String {
    formats::names(FileFormat::holds_motion).join(", ")
}

/// Whether a path has an extension of a motion format.
pub fn names_a_motion(path: &Path) -> bool {
    formats::of_path(path).any(FileFormat::holds_motion)
}

/// Whether a name begins with a dot: what version control keeps, and what macOS leaves beside files on other disks.
fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}

/// Reads a file of [`expanded`]. The error for a folder says why none of its files is read.
pub fn opened(path: &Path, options: &OpenOptions) -> Result<Opened, Error> {
    if !path.is_dir() {
        return open::open(path, options);
    }
    let listed = std::fs::read_dir(path).and_then(|mut entries| entries.try_for_each(|entry| entry.map(drop)));
    let why =
        listed.map_or_else(|error| format!("cannot be listed: {error}"), |()| "no motion files in this folder".into());
    Err(Error::new(Location::File, why).in_file(path))
}
