//! The files of a survey: folders and lists spread out, in the order in which they are named.

use std::path::{Path, PathBuf};

use muybridge_files::OpenOptions;
use muybridge_files::formats::extension_of;

use crate::failure::Failure;
use crate::input_files::{expanded, opened};

/// The motion files that `paths` stand for: those in a folder by name, those in a list as they stand there, repeated ones
/// as often as they are named. Folders without any stand for themselves beside the rest; an error if there is no rest.
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

/// By its name; a motion of DeepMimic, which is a `.txt` too, begins with a brace.
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

/// The paths of a list, from the folder it is in.
fn entries(list: &Path) -> Result<Vec<PathBuf>, Failure> {
    let bytes = muybridge_files::open::read(list)?;
    let text = String::from_utf8(bytes).map_err(|_| {
        Failure::Usage(format!("{}: a list of files is UTF-8 text, one path per line; this is not", list.display()))
    })?;
    let folder = list.parent().unwrap_or(Path::new(""));
    let lines = text.trim_start_matches('\u{feff}').lines().map(str::trim);
    let paths: Vec<PathBuf> =
        lines.filter(|line| !line.is_empty() && !line.starts_with('#')).map(|line| folder.join(line)).collect();
    if paths.is_empty() {
        return Err(Failure::Usage(format!("{}: names no files; write one path per line", list.display())));
    }
    Ok(paths)
}
