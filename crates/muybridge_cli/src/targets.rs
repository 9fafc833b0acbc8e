//! The files that a call writes: none is a file that it reads, and no two are one.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use muybridge_files::gltf::renamed_beside;
use muybridge_files::output::{self, Existing, SideFile};

use crate::failure::Failure;
use crate::named_files::files_named_in;

/// Longest name of a file in bytes, on all systems in use.
const LONGEST_NAME: usize = 255;

/// Output name of a report, and the clip it is for.
pub struct ReportTarget<'a> {
    /// Path as the user named it.
    pub name: &'a Path,
    /// Name of the clip, for use in file names.
    pub label: &'a str,
    /// Extension of files in a folder.
    pub extension: &'a str,
    /// Whether there are other clips, so that `name` cannot be the file.
    pub several: bool,
}

impl ReportTarget<'_> {
    /// The file to write as `number`-th of its name. Fails if several clips would share one file.
    pub fn path(&self, number: usize) -> Result<PathBuf, Failure> {
        let label = safe(self.label);
        let name = self.name.to_string_lossy();
        if name.contains(CLIP) {
            let label = if number > 1 { format!("{label}_{number}") } else { label };
            Ok(shortened(&PathBuf::from(name.replace(CLIP, &label)), number))
        } else if self.several && self.means_a_file() {
            let extension = self.extension;
            Err(Failure::Usage(format!(
                "{name}: several clips cannot go into one file; name a folder, or a file with {{clip}} in its name, such as {{clip}}.{extension}"
            )))
        } else if self.several || self.name.is_dir() {
            Ok(numbered(&self.name.join(format!("{label}.{}", self.extension)), number))
        } else {
            Ok(self.name.to_path_buf())
        }
    }

    fn means_a_file(&self) -> bool {
        self.name.is_file() || self.name.extension().is_some_and(|extension| extension == self.extension)
    }
}

/// Stands for the name of the clip in the name of a file.
const CLIP: &str = "{clip}";

/// A motion to write, with the numbers of a glTF in files beside it.
pub struct MotionFile<'a> {
    /// The file that it was read from.
    pub source: &'a Path,
    /// Where it goes.
    pub target: &'a Path,
    /// The file.
    pub bytes: &'a mut Vec<u8>,
    /// The files that it names.
    pub beside: &'a mut Vec<SideFile>,
}

/// Files that a call reads and writes. Files are the same if the system says so, and where it does not, if their paths
/// differ in upper and lower case at most: they may be copied to a system that sees no difference.
pub struct Targets {
    existing: Existing,
    inputs: Vec<PathBuf>,
    /// What the system calls the inputs and the files that they name.
    identities: OnceCell<BTreeMap<String, PathBuf>>,
    taken: BTreeSet<String>,
    /// The one motion to write, where an option names it.
    motion: Option<String>,
}

impl Targets {
    /// For a call that reads `inputs`.
    pub fn new(existing: Existing, inputs: impl IntoIterator<Item = PathBuf>) -> Self {
        let inputs = inputs.into_iter().collect();
        Self { existing, inputs, identities: OnceCell::new(), taken: BTreeSet::new(), motion: None }
    }

    /// Takes a file that an option names, before any work. Fails if it may not be written.
    pub fn name(&mut self, path: &Path) -> Result<(), Failure> {
        self.check(path, None)?;
        self.take(path)
    }

    /// Takes the file of the one motion to write, before any work.
    pub fn name_motion(&mut self, path: &Path) -> Result<(), Failure> {
        self.motion = Some(key(path));
        self.take(path)
    }

    /// Takes what an option names for the reports of clips: a file, a folder, or a name with `{clip}`. Fails if that
    /// cannot be written, or if two options name one file.
    pub fn name_reports(&mut self, target: &ReportTarget<'_>) -> Result<(), Failure> {
        let path = target.path(1)?;
        if path == target.name {
            return self.name(&path);
        }
        if target.name.to_string_lossy().contains(CLIP) {
            return self.take(target.name);
        }
        Ok(output::check(&path, Existing::Replace)?)
    }

    /// Takes a file for the report of a clip: the one that the option names, or one that no other clip has.
    pub fn place(&mut self, target: &ReportTarget<'_>) -> Result<PathBuf, Failure> {
        let path = target.path(1)?;
        if path == target.name {
            return Ok(path);
        }
        let path = self.take_numbered(&|number| target.path(number))?;
        self.check(&path, None)?;
        Ok(path)
    }

    /// Takes a file for a motion: the first of `path(1)`, `path(2)`, … that no other motion has. It may replace the file
    /// that the motion was read from, on request.
    pub fn place_motion(
        &mut self,
        source: &Path,
        path: &dyn Fn(usize) -> Result<PathBuf, Failure>,
    ) -> Result<PathBuf, Failure> {
        let path = self.take_numbered(path)?;
        self.check(&path, Some(source))?;
        Ok(path)
    }

    /// Fails if a motion cannot be written to a file that no other motion has.
    pub fn check_motion(&self, source: &Path, target: &Path) -> Result<(), Failure> {
        let key = key(target);
        if self.taken.contains(&key) && self.motion != Some(key) { Ok(()) } else { self.check(target, Some(source)) }
    }

    /// Writes a motion to a file that it has taken, with what belongs beside it. Numbers of a glTF get other names where
    /// other files have theirs.
    pub fn write(&mut self, motion: MotionFile<'_>) -> Result<(), Failure> {
        let MotionFile { source, target, bytes, beside } = motion;
        if let Some(SideFile { name, .. }) = beside.iter().find(|file| !is_inside(&file.name)) {
            return Err(Failure::Usage(format!(
                "{}: refers to “{name}”, a file outside its folder; move that file beside it, or convert to .glb",
                source.display()
            )));
        }
        // What a file that is replaced has named goes with it.
        let replaced = if beside.is_empty() { Vec::new() } else { files_named_in(target) };
        let own: BTreeSet<String> = replaced.iter().map(|path| key(path)).collect();
        let is_taken = |this: &Self, file: &SideFile| {
            let path = target.with_file_name(&file.name);
            let there = muybridge_files::open::read(&path);
            let is_equal = there.as_ref().is_ok_and(|there| *there == file.bytes);
            !is_equal && (this.taken.contains(&key(&path)) || there.is_ok() && !own.contains(&key(&path)))
        };
        let stem = target.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let is_any_taken = |this: &Self, beside: &[SideFile]| beside.iter().any(|file| is_taken(this, file));
        if is_any_taken(self, beside) {
            let named = (bytes.clone(), beside.clone());
            for number in 1.. {
                let stem = if number == 1 { stem.clone() } else { format!("{stem}_{number}") };
                (*bytes, *beside) = renamed_beside(&named.0, &named.1, &stem).map_err(|error| error.in_file(source))?;
                if !is_any_taken(self, beside) {
                    break;
                }
            }
        }
        let mut files = Vec::new();
        for file in beside.iter() {
            let path = target.with_file_name(&file.name);
            self.taken.insert(key(&path));
            if !muybridge_files::open::read(&path).is_ok_and(|there| there == file.bytes) {
                files.push((path, file.bytes.as_slice()));
            }
        }
        files.push((target.to_path_buf(), bytes.as_slice()));
        Ok(output::write_together(&files, self.existing)?)
    }

    /// Fails if a file cannot be written, exists and may not be replaced, or is read by this call and not by `source`.
    fn check(&self, path: &Path, source: Option<&Path>) -> Result<(), Failure> {
        if let Some(there) = identity(path) {
            if source.and_then(identity).is_some_and(|source| source == there) {
                if self.existing == Existing::Keep {
                    let path = path.display();
                    return Err(Failure::Usage(format!(
                        "{path}: input and output are the same file; name another output, or give --force to replace it"
                    )));
                }
            } else if let Some(input) = self.identities().get(&there) {
                let (path, input) = (path.display(), input.display());
                return Err(Failure::Usage(format!(
                    "{path}: is {input}, which this call reads; name another file to write"
                )));
            }
        }
        Ok(output::check(path, self.existing)?)
    }

    fn identities(&self) -> &BTreeMap<String, PathBuf> {
        self.identities.get_or_init(|| {
            let named = self.inputs.iter().flat_map(|input| files_named_in(input));
            let all = named.chain(self.inputs.iter().cloned());
            all.filter_map(|input| Some((identity(&input)?, input))).collect()
        })
    }

    fn take(&mut self, path: &Path) -> Result<(), Failure> {
        if self.taken.insert(key(path)) {
            return Ok(());
        }
        Err(Failure::Usage(format!("{}: is the output of two options; give each its own file", path.display())))
    }

    fn take_numbered(&mut self, path: &dyn Fn(usize) -> Result<PathBuf, Failure>) -> Result<PathBuf, Failure> {
        let mut number = 1;
        loop {
            let path = path(number)?;
            let key = key(&path);
            if self.motion.as_ref() == Some(&key) || self.taken.insert(key) {
                return Ok(path);
            }
            number += 1;
        }
    }
}

/// What the system calls the file: device and number, or the path without links; `None` if there is none.
fn identity(path: &Path) -> Option<String> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        path.metadata().ok().map(|there| format!("{}:{}", there.dev(), there.ino()))
    }
    #[cfg(not(unix))]
    path.canonicalize().ok().map(|path| path.to_string_lossy().into_owned())
}

/// A text that is the same for all spellings of a path, upper and lower case included.
fn key(path: &Path) -> String {
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let there = whole.ancestors().find_map(|above| Some((above, above.canonicalize().ok()?)));
    let resolved = match there {
        Some((above, real)) if above == whole => real,
        Some((above, real)) => real.join(whole.strip_prefix(above).unwrap_or(Path::new(""))),
        None => whole,
    };
    resolved.to_string_lossy().to_lowercase()
}

fn is_inside(name: &str) -> bool {
    Path::new(name).components().all(|part| matches!(part, Component::Normal(_)))
}

/// The path with `_2`, `_3`, … at the end of its stem from the second on, and a name that is not too long.
pub fn numbered(path: &Path, number: usize) -> PathBuf {
    if number < 2 {
        return shortened(path, number);
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let extension = path.extension().map(|extension| format!(".{}", extension.to_string_lossy())).unwrap_or_default();
    shortened(&path.with_file_name(format!("{stem}_{number}{extension}")), number)
}

/// The path with as much of the stem of its name as fits; what tells the `number`-th of that name stays.
fn shortened(path: &Path, number: usize) -> PathBuf {
    let name = path.file_name().unwrap_or_default();
    if name.len() <= LONGEST_NAME {
        return path.to_path_buf();
    }
    let extension = path.extension().map(|extension| format!(".{}", extension.to_string_lossy())).unwrap_or_default();
    let end = if number > 1 { format!("_{number}{extension}") } else { extension };
    let mut stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    while stem.len() + end.len() > LONGEST_NAME && stem.pop().is_some() {}
    path.with_file_name(stem + &end)
}

/// Replaces characters other than letters, digits, `-`, `_` and `.` by `_`.
fn safe(label: &str) -> String {
    let keep = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    let text: String = label.chars().map(keep).collect();
    if text.trim_matches('.').is_empty() { "clip".into() } else { text }
}

/// A label per file: its name without folder and extension, or the whole path if names repeat.
pub fn labels_of(files: &[PathBuf]) -> Vec<String> {
    let stem = |path: &PathBuf| path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let mut uses: BTreeMap<String, usize> = BTreeMap::new();
    for file in files {
        *uses.entry(stem(file)).or_default() += 1;
    }
    let label = |file: &PathBuf| match stem(file) {
        short if uses[&short] > 1 => file.to_string_lossy().into_owned(),
        short => short,
    };
    files.iter().map(label).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target<'a>(several: bool, name: &'a str, label: &'a str) -> ReportTarget<'a> {
        ReportTarget { name: Path::new(name), label, extension: "csv", several }
    }

    #[test]
    fn one_clip_goes_to_the_file_named_and_several_to_a_folder() {
        let path = |several, name| target(several, name, "Walk/1").path(1);
        assert_eq!(path(false, "out.csv").unwrap(), Path::new("out.csv"));
        assert_eq!(path(true, "out").unwrap(), Path::new("out/Walk_1.csv"));
        assert!(path(true, "out.csv").unwrap_err().to_string().contains("{clip}"));
        assert_eq!(path(true, "out/{clip}_rows.csv").unwrap(), Path::new("out/Walk_1_rows.csv"));
    }

    #[test]
    fn files_of_one_name_keep_their_folders_apart() {
        let files = ["a/jump.bvh", "b/jump.bvh", "walk.bvh"].map(PathBuf::from);
        assert_eq!(labels_of(&files), ["a/jump.bvh", "b/jump.bvh", "walk"]);
    }

    #[test]
    fn names_that_are_equal_after_cleaning_get_numbers() {
        let mut targets = Targets::new(Existing::Replace, []);
        let mut placed = |label: &str| targets.place(&target(true, "out", label)).unwrap();
        let labels = ["Jump (1)", "Jump [1]", "Walk", "walk", "Walk_2"];
        let names = ["Jump__1_.csv", "Jump__1__2.csv", "Walk.csv", "walk_2.csv", "Walk_2_2.csv"];
        assert_eq!(labels.map(&mut placed), names.map(|name| Path::new("out").join(name)));
        let mut in_name = |label: &str| targets.place(&target(true, "{clip}_rows.csv", label)).unwrap();
        let names = ["a_b_rows.csv", "a_b_2_rows.csv"];
        assert_eq!(["a b", "a_b"].map(&mut in_name), names.map(PathBuf::from));
    }

    #[test]
    fn long_names_are_cut_and_told_apart() {
        let label = "é".repeat(300);
        let mut targets = Targets::new(Existing::Replace, []);
        let mut placed = || targets.place(&target(true, "out", &label)).unwrap();
        for path in [placed(), placed()] {
            let name = path.file_name().unwrap().len();
            assert!((LONGEST_NAME - 1..=LONGEST_NAME).contains(&name), "{name} bytes");
            assert!(path.extension().is_some_and(|extension| extension == "csv"));
        }
    }

    #[test]
    fn an_output_is_no_input_and_no_other_output() {
        let folder = std::env::temp_dir().join(format!("muybridge_targets_{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let input = folder.join("a.bvh");
        std::fs::write(&input, "").unwrap();
        let mut targets = Targets::new(Existing::Replace, [input.clone()]);
        let spelled = folder.join("../").join(folder.file_name().unwrap()).join("a.bvh");
        let refused = targets.name(&spelled).unwrap_err().to_string();
        assert!(refused.contains("which this call reads"), "{refused}");
        targets.name(&folder.join("out.json")).unwrap();
        let refused = targets.name(&folder.join("./OUT.json")).unwrap_err().to_string();
        assert!(refused.contains("two options"), "{refused}");
        assert_eq!(
            targets.place_motion(&input, &|_| Ok(input.clone())).unwrap(),
            input,
            "a motion may replace its own file"
        );
        std::fs::remove_dir_all(folder).unwrap();
    }
}
