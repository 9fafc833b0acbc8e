//! Files that another file names: buffers of a glTF, includes of a model, characters and meshes of a scene.
//!
//! They are read in the folder of the file that names them, and below it. A link counts as the file that it leads to.

use std::path::{Component, Path, PathBuf};

use crate::{Error, Location};

/// Files that may be read because another file names them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AllowedFiles {
    /// Whether files outside the folder are read, too.
    pub outside: bool,
    /// Files outside that the user has named, such as by an option.
    pub named: Vec<PathBuf>,
}

impl AllowedFiles {
    /// All files, wherever they are.
    pub fn everywhere() -> Self {
        Self { outside: true, named: Vec::new() }
    }

    /// The path of the file that a file in `folder` names.
    ///
    /// # Errors
    /// Says that the file lies outside. A file that is missing is no error yet.
    pub fn path(&self, folder: &Path, name: &str) -> Result<PathBuf, Error> {
        let path = folder.join(name);
        if self.outside || self.named.contains(&path) || is_inside(folder, &path) {
            return Ok(path);
        }
        let message = "this file is neither in the folder of the file that names it nor below; --allow-outside reads it all the same";
        Err(Error::new(Location::File, message).in_file(&path))
    }
}

/// Whether a path leads into a folder, by its name and, where it exists, by where its links lead.
fn is_inside(folder: &Path, path: &Path) -> bool {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    // The name is judged first: merely looking for a file may ask another machine.
    let (Ok(whole_folder), Ok(whole)) = (std::path::absolute(folder), std::path::absolute(path)) else { return false };
    if !without_parents(&whole).starts_with(without_parents(&whole_folder)) {
        return false;
    }
    match (folder.canonicalize(), path.canonicalize()) {
        (Ok(folder), Ok(path)) => path.starts_with(folder),
        // Nothing is there to read; the reader says so.
        _ => true,
    }
}

/// An absolute path without `..`.
fn without_parents(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => _ = plain.pop(),
            part => plain.push(part),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_outside_the_folder_are_refused_unless_they_are_named_or_allowed() {
        let folder = Path::new("/scenes");
        let own = AllowedFiles::default();
        for name in ["a.bvh", "below/a.bvh", "./a.bvh", "below/../a.bvh", "/scenes/a.bvh"] {
            assert_eq!(own.path(folder, name), Ok(folder.join(name)), "{name}");
        }
        for name in ["../a.bvh", "/etc/passwd", "below/../../a.bvh", "/scenes/../etc/passwd", "/scenes2/a.bvh"] {
            let refused = own.path(folder, name).unwrap_err();
            assert!(refused.message.contains("--allow-outside"), "{refused}");
            assert_eq!(refused.file, folder.join(name));
            assert!(AllowedFiles::everywhere().path(folder, name).is_ok(), "{name}");
        }
        let named = AllowedFiles { outside: false, named: vec!["/etc/body.xml".into()] };
        assert!(named.path(folder, "/etc/body.xml").is_ok() && named.path(folder, "/etc/passwd").is_err());
    }
}
