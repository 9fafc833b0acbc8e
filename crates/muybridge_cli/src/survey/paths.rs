//! Input files of a survey: expands folders and lists, in the given order.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use muybridge_files::OpenOptions;
use muybridge_files::formats::extension_of;
use muybridge_files::open::regular_file;

use crate::failure::Failure;
use crate::input_files::{expanded, opened};

/// Most files of a survey, and the size of a list and of a line in it, bytes.
const MOST_FILES: usize = 2_000_000;
const LARGEST_LIST: u64 = 128 << 20;
const LONGEST_LINE: u64 = 64 << 10;

/// Motion files of `paths`: files of a folder by name, files of a list in its order, repetitions included. A folder
/// without motion files stays in the list if there are other files; otherwise the function fails.
pub fn listed(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for path in paths {
        if is_list(path) {
            let folder = path.parent().unwrap_or(Path::new(""));
            for entry in entries(path)? {
                files.extend(expanded(&[folder.join(&*entry)]));
                if files.len() > MOST_FILES {
                    break;
                }
            }
        } else {
            files.extend(expanded(std::slice::from_ref(path)));
        }
        if files.len() > MOST_FILES {
            return Err(too_many(path));
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
    let mut head = Vec::new();
    regular_file(path).ok()?.take(256).read_to_end(&mut head).ok()?;
    head.into_iter().find(|byte| !byte.is_ascii_whitespace())
}

fn too_many(path: &Path) -> Failure {
    let path = path.display();
    Failure::Usage(format!("{path}: a survey takes at most {MOST_FILES} files; write several tables"))
}

/// The paths of a list as it has them, relative to its folder: a long folder would take memory for every line.
fn entries(list: &Path) -> Result<Vec<Box<str>>, Failure> {
    let file = regular_file(list)?;
    let refused = |why: String| Failure::Usage(format!("{}{why}", list.display()));
    if file.metadata().is_ok_and(|metadata| metadata.len() > LARGEST_LIST) {
        return Err(refused(format!(": a list has at most {} MB; give it as several", LARGEST_LIST >> 20)));
    }
    let mut file = BufReader::new(file.take(LARGEST_LIST));
    let mut paths = Vec::new();
    for number in 1.. {
        let mut line = Vec::new();
        let read = file.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line);
        match read.map_err(|error| refused(format!(": cannot be read: {error}")))? as u64 {
            0 => break,
            LONGEST_LINE => {
                let sentence = "this line is longer than any path; a list of files has one path per line";
                return Err(refused(format!(":{number}: {sentence}")));
            }
            _ => {}
        }
        let line = String::from_utf8(line).map_err(|_| {
            refused(format!(":{number}: is not UTF-8 text; a list of files has one path per line, in UTF-8"))
        })?;
        let line = line.trim_start_matches('\u{feff}').trim();
        if !line.is_empty() && !line.starts_with('#') {
            paths.push(line.into());
        }
        if paths.len() > MOST_FILES {
            return Err(too_many(list));
        }
    }
    if paths.is_empty() {
        return Err(refused(": the list is empty; write one path per line".into()));
    }
    Ok(paths)
}
