//! The files a verb is given, and where they lie in the folders that were named.

use std::path::{Path, PathBuf};

use crate::check::expanded;

/// A file to read.
#[derive(Clone, Debug, PartialEq)]
pub struct InputFile {
    /// Where it is.
    pub path: PathBuf,
    /// Its place in the folder that was named, or its name.
    pub relative: PathBuf,
    /// A folder was named, not the file.
    pub in_folder: bool,
}

/// The files named, and the motion files in the folders named, in the order of their names.
pub fn listed(paths: &[PathBuf]) -> Vec<InputFile> {
    let mut sources = Vec::new();
    for named in paths {
        let in_folder = named.is_dir();
        for path in expanded(std::slice::from_ref(named)) {
            let name = || path.file_name().map_or_else(|| path.clone(), PathBuf::from);
            let inside = path.strip_prefix(named).ok().filter(|rest| in_folder && *rest != Path::new(""));
            let relative = inside.map_or_else(name, Path::to_path_buf);
            sources.push(InputFile { path, relative, in_folder });
        }
    }
    sources
}
