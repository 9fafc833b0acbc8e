//! Output path of a clip's report: the named file, a file in the named folder, or a name with `{clip}`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// Output name of a report, and the clip it is for.
pub struct ReportTarget<'a> {
    /// Path as the user named it.
    pub name: &'a Path,
    /// Name of the clip, unique within the command, for use in file names.
    pub label: &'a str,
    /// Extension of files in a folder.
    pub extension: &'a str,
    /// Whether there are other clips, so that `name` cannot be the file.
    pub several: bool,
}

impl ReportTarget<'_> {
    /// The file to write. Fails if several clips would share one file.
    pub fn path(&self) -> Result<PathBuf, Failure> {
        let label = safe(self.label);
        let name = self.name.to_string_lossy();
        let means_a_file = self.name.is_file() || self.name.extension().is_some_and(|e| e == self.extension);
        if name.contains("{clip}") {
            Ok(PathBuf::from(name.replace("{clip}", &label)))
        } else if self.several && means_a_file {
            let extension = self.extension;
            Err(Failure::Usage(format!(
                "{name}: several clips cannot go into one file; name a folder, or a file with {{clip}} in its name, such as {{clip}}.{extension}"
            )))
        } else if self.several || self.name.is_dir() {
            Ok(self.name.join(format!("{label}.{}", self.extension)))
        } else {
            Ok(self.name.to_path_buf())
        }
    }
}

/// Whether both paths lead to the same file.
pub fn is_same(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

/// Replaces characters other than letters, digits, `-`, `_` and `.` by `_`.
fn safe(label: &str) -> String {
    let keep = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    let text: String = label.chars().map(keep).collect();
    if text.trim_matches('.').is_empty() { "clip".into() } else { text }
}

/// A unique label per file: its name without folder and extension, or the whole path if names repeat, numbered if
/// needed.
pub fn labels_of(files: &[PathBuf]) -> Vec<String> {
    let stem = |path: &PathBuf| path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let mut uses: BTreeMap<String, usize> = BTreeMap::new();
    for file in files {
        *uses.entry(stem(file)).or_default() += 1;
    }
    let mut taken: BTreeMap<String, usize> = BTreeMap::new();
    files
        .iter()
        .map(|file| {
            let short = stem(file);
            let label = if uses[&short] > 1 { file.to_string_lossy().into_owned() } else { short };
            let count = taken.entry(label.clone()).or_default();
            *count += 1;
            if *count > 1 { format!("{label}_{count}") } else { label }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_clip_goes_to_the_file_named_and_several_to_a_folder() {
        let target = |several, name: &'static str| ReportTarget {
            name: Path::new(name),
            label: "Walk/1",
            extension: "csv",
            several,
        };
        assert_eq!(target(false, "out.csv").path().unwrap(), Path::new("out.csv"));
        assert_eq!(target(true, "out").path().unwrap(), Path::new("out/Walk_1.csv"));
        assert!(target(true, "out.csv").path().unwrap_err().to_string().contains("{clip}"));
        assert_eq!(target(true, "out/{clip}_rows.csv").path().unwrap(), Path::new("out/Walk_1_rows.csv"));
    }

    #[test]
    fn files_of_one_name_keep_their_folders_apart() {
        let files = ["a/jump.bvh", "b/jump.bvh", "walk.bvh"].map(PathBuf::from);
        assert_eq!(labels_of(&files), ["a/jump.bvh", "b/jump.bvh", "walk"]);
    }
}
