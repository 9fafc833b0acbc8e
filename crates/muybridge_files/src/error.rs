//! Errors in files, with their place.

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// The file as a whole.
    File,
    /// Line and column, from 1.
    Text {
        /// Line number, from 1.
        line: usize,
        /// Column in characters, from 1.
        column: usize,
    },
    /// Offset in bytes.
    Byte(usize),
    /// A path into a tree: a JSON pointer (`/animations/0/channels/2`), an XML element.
    Path(String),
    /// A bone, node or column by name.
    Named(String),
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File => Ok(()),
            Self::Text { line, column } => write!(f, ":{line}:{column}"),
            Self::Byte(offset) => write!(f, ": byte {offset}"),
            Self::Path(path) => write!(f, ": {path}"),
            Self::Named(name) => write!(f, ": “{name}”"),
        }
    }
}

/// Error of a file that cannot be read or written: a sentence that names the file, the place, and the remedy.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{}{place}: {message}", file.display())]
pub struct Error {
    /// The file; empty while a reader works on bytes alone.
    pub file: PathBuf,
    /// Place in the file.
    pub place: Location,
    /// The mistake and the remedy.
    pub message: String,
}

/// What to say of a word that would be a number if its decimal comma were a point, to follow a sentence; empty for any other word.
pub fn decimal_comma(word: &str) -> String {
    let point = word.replacen(',', ".", 1);
    let is_number = word.contains(',') && point.parse::<f64>().is_ok_and(f64::is_finite);
    if is_number { format!("; it has a decimal comma: write {point}") } else { String::new() }
}

impl Error {
    /// An error at a place of a file that is not yet named.
    pub fn new(place: Location, message: impl Into<String>) -> Self {
        Self { file: PathBuf::new(), place, message: message.into() }
    }

    /// Sets the file, unless the error already names one (an included file).
    pub fn in_file(mut self, file: &Path) -> Self {
        if self.file.as_os_str().is_empty() {
            self.file = file.to_path_buf();
        }
        self
    }
}

/// Bytes of an invalid value, and a sentence about it, before line and column are known.
pub(crate) type Complaint = (Range<usize>, String);

/// Converts byte `at` of a text to line and column.
pub(crate) fn place_in(text: &str, at: usize) -> Location {
    let before = &text[..text.floor_char_boundary(at)];
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().map_or(0, |last| last.chars().count()) + 1;
    Location::Text { line, column }
}
