//! What is wrong with a file, and where.

use std::fmt;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Where in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// The file as a whole.
    File,
    /// Line and column, from 1.
    Text {
        /// From 1.
        line: usize,
        /// From 1, in characters.
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

/// A file that could not be read or written, in a sentence that names it, the place, and what to do.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{}{place}: {message}", file.display())]
pub struct Error {
    /// The file; empty while a reader works on bytes alone.
    pub file: PathBuf,
    /// Where in it.
    pub place: Location,
    /// What is wrong and what to do.
    pub message: String,
}

impl Error {
    /// An error at a place, of a file not yet named.
    pub fn new(place: Location, message: impl Into<String>) -> Self {
        Self { file: PathBuf::new(), place, message: message.into() }
    }

    /// Names the file, unless the error already names one (a file that this one includes).
    pub fn in_file(mut self, file: &Path) -> Self {
        if self.file.as_os_str().is_empty() {
            self.file = file.to_path_buf();
        }
        self
    }
}

/// The place of byte `at` of a text, as line and column.
pub(crate) fn place_in(text: &str, at: usize) -> Location {
    let before = &text[..text.floor_char_boundary(at)];
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().map_or(0, |last| last.chars().count()) + 1;
    Location::Text { line, column }
}
