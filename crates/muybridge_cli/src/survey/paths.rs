//! Input files of a survey: expands folders and lists, in the given order.

use std::path::{Path, PathBuf};

use muybridge_files::OpenOptions;
use muybridge_files::formats::extension_of;

use crate::failure::Failure;
use crate::input_files::{expanded, opened};

/// Motion files of `paths`: files of a folder by name, files of a list in its order, repetitions included. A folder
/// without motion files stays in the list if there are other files; otherwise the function fails.
pub fn listed(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for path in paths {
        if is_list(path) {
            for entry in entries(path)? {
                files.extend(expanded(&[entry]));
            }
        } else {
            files.extend(expanded(std::slice::from_ref(path)));
        }
    }
    match files.first().filter(|_| files.iter().all(|file| file.is_dir())) {
        Some(folder) => Err(opened(folder, &OpenOptions::default()).err().map_or_else(
            || Failure::Usage(format!("{}: no motion files in this folder", folder.display())),
            Failure::from,
        )),
        None => Ok(files),
    }
}

/// Whether a path is a list by its extension. DeepMimic motions are `.txt` too, but begin with a brace.
fn is_list(path: &Path) -> bool {
    let is_called_so = ["txt", "list", "lst"].contains(&extension_of(path).as_str());
    is_called_so && path.is_file() && first_letter(path) != Some(b'{')
}

fn first_letter(path: &Path) -> Option<u8> {
    use std::io::Read;
    let mut head = Vec::new();
    std::fs::File::open(path).ok()?.take(256).read_to_end(&mut head).ok()?;
    head.into_iter().find(|byte| !byte.is_ascii_whitespace())
}

/// The paths of a list, relative to the list's folder.
fn entries(list: &Path) -> Result<Vec<PathBuf>, Failure> {
    let bytes = muybridge_files::open::read(list)?;
    let text = String::from_utf8(bytes).map_err(|_| {
        Failure::Usage(format!(
            "{}: is not UTF-8 text; a list of files has one path per line, in UTF-8",
            list.display()
        ))
    })?;
    let folder = list.parent().unwrap_or(Path::new(""));
    let lines = text.trim_start_matches('\u{feff}').lines().map(str::trim);
    let paths: Vec<PathBuf> =
        lines.filter(|line| !line.is_empty() && !line.starts_with('#')).map(|line| folder.join(line)).collect();
    if paths.is_empty() {
        return Err(Failure::Usage(format!("{}: the list is empty; write one path per line", list.display())));
    }
    Ok(paths)
}
