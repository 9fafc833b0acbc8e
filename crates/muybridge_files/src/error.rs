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

    /// The same error without the words that it quotes: of a file that another file names, whose content is not shown.
    pub(crate) fn without_quotes(mut self) -> Self {
        self.message = without_quotes(&self.message);
        if let Location::Named(_) = self.place {
            self.place = Location::File;
        }
        self
    }

    /// Sets the file, unless the error already names one (an included file).
    pub fn in_file(mut self, file: &Path) -> Self {
        if self.file.as_os_str().is_empty() {
            self.file = file.to_path_buf();
        }
        self
    }
}

/// A sentence with all that stands in quotation marks replaced by an ellipsis.
fn without_quotes(text: &str) -> String {
    let (mut kept, mut rest) = (String::new(), text);
    // An apostrophe opens a quotation only at the beginning of a word.
    while let Some((at, open)) = rest
        .char_indices()
        .find(|&(at, c)| c == '“' || c == '`' || c == '"' || c == '\'' && !rest[..at].ends_with(char::is_alphanumeric))
    {
        let inside = &rest[at + open.len_utf8()..];
        let close = if open == '“' { '”' } else { open };
        let Some(end) = inside.rfind(close).filter(|_| open == '“').or_else(|| inside.find(close)) else {
            // A quotation without an end goes on to the end of the sentence.
            return format!("{kept}{}“…”", &rest[..at]);
        };
        kept.push_str(&rest[..at]);
        kept.push_str("“…”");
        rest = &inside[end + close.len_utf8()..];
    }
    kept + rest
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_words_are_left_out() {
        for (text, bare) in [
            ("“root:x:0” is not a number", "“…” is not a number"),
            ("“a “b” c” is in the file's line", "“…” is in the file's line"),
            ("expected 'a' tag, not `b` of \"c\" at 1:2", "expected “…” tag, not “…” of “…” at 1:2"),
            ("an “open end", "an “…”"),
            ("three numbers are needed", "three numbers are needed"),
        ] {
            assert_eq!(without_quotes(text), bare);
        }
    }
}
