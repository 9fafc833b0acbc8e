//! One walk over the fields of a line, which writes them or reads them.
//!
//! ```text
//! word        a name, the same in both directions
//! value       a number, or true or false: the shortest text that reads back as the same bits
//! one_of      one of several words
//! ```

use core::fmt::{Debug, Write};
use core::str::{FromStr, SplitWhitespace};

use glam::{DQuat, DVec3};

use super::text::TextError;

/// A [`TextError`] that does not know its line yet.
pub(super) struct Wrong {
    /// What should be there.
    pub expected: String,
    /// What is.
    pub found: String,
}

impl Wrong {
    /// With its line.
    pub fn on(self, line: usize) -> TextError {
        TextError { line, expected: self.expected, found: self.found }
    }
}

/// As it is shown in a complaint.
pub(super) fn quoted(text: &str) -> String {
    format!("“{}”", text.trim())
}

/// A line that is written or read.
pub(super) trait Line {
    /// A word that has to be there.
    fn word(&mut self, word: &str) -> Result<(), Wrong>;
    /// A value, and what it is called in a complaint.
    fn value<T: FromStr + Debug>(&mut self, what: &str, value: &mut T) -> Result<(), Wrong>;
    /// One of several: that which `is` the one to write, or that whose name is read.
    fn one_of<T: Clone>(&mut self, of: &[(&'static str, T)], is: &dyn Fn(&T) -> bool) -> Result<T, Wrong>;
}

/// Writes.
pub(super) struct Written(pub String);

impl Line for Written {
    fn word(&mut self, word: &str) -> Result<(), Wrong> {
        let _ = write!(self.0, " {word}");
        Ok(())
    }

    fn value<T: FromStr + Debug>(&mut self, _: &str, value: &mut T) -> Result<(), Wrong> {
        let _ = write!(self.0, " {value:?}");
        Ok(())
    }

    fn one_of<T: Clone>(&mut self, of: &[(&'static str, T)], is: &dyn Fn(&T) -> bool) -> Result<T, Wrong> {
        let (word, value) = of.iter().find(|(_, one)| is(one)).unwrap_or(&of[0]);
        self.word(word)?;
        Ok(value.clone())
    }
}

/// Reads.
pub(super) struct Read<'a>(SplitWhitespace<'a>);

impl<'a> Read<'a> {
    /// Of a line.
    pub fn new(line: &'a str) -> Self {
        Self(line.split_whitespace())
    }

    /// The next word.
    pub fn next(&mut self, expected: &str) -> Result<&'a str, Wrong> {
        self.0.next().ok_or_else(|| Wrong { expected: expected.into(), found: "the end of the line".into() })
    }

    /// The next word as what it should be.
    pub fn parsed<T: FromStr>(&mut self, expected: &str) -> Result<T, Wrong> {
        let word = self.next(expected)?;
        word.parse().map_err(|_| Wrong { expected: expected.into(), found: quoted(word) })
    }

    /// Nothing follows.
    pub fn end(&mut self) -> Result<(), Wrong> {
        let more = |word| Err(Wrong { expected: "the end of the line".into(), found: quoted(word) });
        self.0.next().map_or(Ok(()), more)
    }
}

impl Line for Read<'_> {
    fn word(&mut self, word: &str) -> Result<(), Wrong> {
        let found = self.next(&quoted(word))?;
        if found == word { Ok(()) } else { Err(Wrong { expected: quoted(word), found: quoted(found) }) }
    }

    fn value<T: FromStr + Debug>(&mut self, what: &str, value: &mut T) -> Result<(), Wrong> {
        let kind = match core::any::type_name::<T>() {
            "f64" => "a number",
            "bool" => "true or false",
            _ => "a whole number",
        };
        *value = self.parsed(&format!("{kind} for {what}"))?;
        Ok(())
    }

    fn one_of<T: Clone>(&mut self, of: &[(&'static str, T)], _: &dyn Fn(&T) -> bool) -> Result<T, Wrong> {
        let names = || of.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(" or ");
        let found = self.next(&names())?;
        let one = of.iter().find(|(name, _)| *name == found);
        one.map(|(_, one)| one.clone()).ok_or_else(|| Wrong { expected: names(), found: quoted(found) })
    }
}

/// A name and its value.
pub(super) fn field<T: FromStr + Debug>(line: &mut impl Line, name: &str, value: &mut T) -> Result<(), Wrong> {
    line.word(name)?;
    line.value(name, value)
}

/// A name and its numbers.
pub(super) fn numbers<const N: usize>(line: &mut impl Line, name: &str, values: &mut [f64; N]) -> Result<(), Wrong> {
    line.word(name)?;
    values.iter_mut().try_for_each(|value| line.value(name, value))
}

/// A name and x, y, z.
pub(super) fn vector(line: &mut impl Line, name: &str, vector: &mut DVec3) -> Result<(), Wrong> {
    let mut values = vector.to_array();
    numbers(line, name, &mut values)?;
    *vector = values.into();
    Ok(())
}

/// A name and x, y, z, w.
pub(super) fn turn(line: &mut impl Line, name: &str, turn: &mut DQuat) -> Result<(), Wrong> {
    let mut values = turn.to_array();
    numbers(line, name, &mut values)?;
    *turn = DQuat::from_array(values);
    Ok(())
}

/// A name and one of several words.
pub(super) fn choice<T: Clone + PartialEq>(
    line: &mut impl Line,
    name: &str,
    of: &[(&'static str, T)],
    value: &mut T,
) -> Result<(), Wrong> {
    line.word(name)?;
    let now = value.clone();
    *value = line.one_of(of, &|one| *one == now)?;
    Ok(())
}
