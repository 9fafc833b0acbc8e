//! Scans words, names and numbers in the bytes of a BVH file, with line and column.

use crate::{Error, Location, decimal_comma};

/// A cursor over the bytes of a text. Every byte up to the space counts as blank.
pub(super) struct Scanner<'a> {
    pub bytes: &'a [u8],
    pub at: usize,
}

impl<'a> Scanner<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes: bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes), at: 0 }
    }

    pub fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Moves to the next byte that is not blank; returns whether a line ended on the way.
    #[inline]
    pub fn skip_blanks(&mut self) -> bool {
        let mut line_ended = false;
        while let Some(&byte) = self.bytes.get(self.at) {
            if byte > b' ' {
                break;
            }
            line_ended |= byte == b'\n' || byte == b'\r';
            self.at += 1;
        }
        line_ended
    }

    /// The next word, up to a blank or a brace; a brace is a word of its own. Empty at the end of the text.
    pub fn word(&mut self) -> &'a [u8] {
        self.skip_blanks();
        let rest = &self.bytes[self.at..];
        let length = match rest.first() {
            Some(b'{' | b'}') => 1,
            _ => rest.iter().position(|&b| b <= b' ' || b == b'{' || b == b'}').unwrap_or(rest.len()),
        };
        self.at += length;
        &rest[..length]
    }

    /// The next letters; empty if something else follows.
    pub fn letters(&mut self) -> &'a [u8] {
        self.skip_blanks();
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(|b| !b.is_ascii_alphabetic()).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    /// The rest of the line up to an opening brace, trimmed; from the next line if this line is empty.
    pub fn name(&mut self) -> &'a [u8] {
        self.skip_blanks();
        let rest = &self.bytes[self.at..];
        let mut length = rest.iter().position(|b| b"{\r\n".contains(b)).unwrap_or(rest.len());
        self.at += length;
        while length > 0 && rest[length - 1] <= b' ' {
            length -= 1;
        }
        &rest[..length]
    }

    /// The next number of the hierarchy.
    pub fn number(&mut self) -> Result<f64, Error> {
        self.skip_blanks();
        let start = self.at;
        let word = self.word();
        number(word).ok_or_else(|| self.not_a_number(start, word))
    }

    pub fn not_a_number(&self, start: usize, word: &[u8]) -> Error {
        if word.is_empty() {
            return self.error(start, "the file ends where a number should stand; it may be cut off");
        }
        let hint = decimal_comma(&String::from_utf8_lossy(word));
        self.error(start, format!("{} is not a finite number{hint}", quoted(word)))
    }

    /// An error at a byte of the text.
    pub fn error(&self, at: usize, message: impl Into<String>) -> Error {
        let (line, column) = self.line_and_column(at);
        Error::new(Location::Text { line, column }, message)
    }

    /// Line and column (in characters) of a byte of the text, from 1. `\n`, `\r\n` and a lone `\r` end a line.
    pub fn line_and_column(&self, at: usize) -> (usize, usize) {
        let before = &self.bytes[..at.min(self.bytes.len())];
        let ends = |i: &usize| before[*i] == b'\n' || (before[*i] == b'\r' && self.bytes.get(i + 1) != Some(&b'\n'));
        let lines = (0..before.len()).filter(|i| ends(i)).count();
        let line_start = (0..before.len()).rev().find(ends).map_or(0, |i| i + 1);
        (lines + 1, String::from_utf8_lossy(&before[line_start..]).chars().count() + 1)
    }
}

/// Parses a finite number; `None` if the word is none.
#[inline]
pub(super) fn number(word: &[u8]) -> Option<f64> {
    let value: f64 = std::str::from_utf8(word).ok()?.parse().ok()?;
    value.is_finite().then_some(value)
}

/// A word of the file for a message, cut to a readable length.
pub(super) fn quoted(word: &[u8]) -> String {
    const LONGEST: usize = 40;
    let text = String::from_utf8_lossy(&word[..word.len().min(LONGEST)]).into_owned();
    if word.len() > LONGEST { format!("“{text}…”") } else { format!("“{text}”") }
}
