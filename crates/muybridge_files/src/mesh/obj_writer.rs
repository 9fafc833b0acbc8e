//! Writes surfaces as Wavefront OBJ: meters, y up, every number with all its digits.
//!
//! ```text
//! o name        v x y z        f a b c        l a b        indices count from 1, over all objects
//! ```

use std::fmt::Write as _;

use muybridge::glam::DVec3;

/// Text of an OBJ file that is being written.
#[derive(Debug, Default)]
pub(crate) struct ObjText {
    text: String,
    /// Number of points so far.
    points: usize,
}

impl ObjText {
    /// Adds an object: its points in meters, and triangles or lines between them.
    pub(crate) fn add<const N: usize>(&mut self, name: &str, points: &[DVec3], elements: &[[usize; N]]) {
        let word = if N == 2 { 'l' } else { 'f' };
        let name: String = name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        self.line(format_args!("o {name}"));
        for DVec3 { x, y, z } in points {
            self.line(format_args!("v {x} {y} {z}"));
        }
        for corners in elements {
            self.text.push(word);
            for corner in corners {
                let _ = write!(self.text, " {}", self.points + corner + 1);
            }
            self.text.push('\n');
        }
        self.points += points.len();
    }

    /// Bytes of the file.
    pub(crate) fn finish(self) -> Vec<u8> {
        self.text.into_bytes()
    }

    fn line(&mut self, words: std::fmt::Arguments<'_>) {
        // Text takes any number of characters.
        let _ = writeln!(self.text, "{words}");
    }
}
