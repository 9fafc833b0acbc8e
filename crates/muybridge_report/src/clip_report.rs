//! What a report is written from: one clip, who moves in it, and what was found about it.

use muybridge::analysis::Analysis;
use muybridge::character::Character;
use muybridge::motion::Clip;

/// One analyzed clip, with everything a table, a picture or a page says about it.
#[derive(Clone, Copy, Debug)]
pub struct ClipReport<'a> {
    /// The file as the user named it.
    pub file: &'a str,
    /// Meters per unit of length of the file.
    pub meters_per_unit: f64,
    /// Why that unit, in words: "inferred: height 1.71 m".
    pub unit_source: &'a str,
    /// The axis of the file that points up: "x", "y" or "z".
    pub up: &'a str,
    /// What was found.
    pub analysis: &'a Analysis,
    /// What the reader left out, one sentence each.
    pub ignored: &'a [String],
    /// Who moves, in meters, y up.
    pub character: &'a Character,
    /// How it moves, in meters, y up.
    pub clip: &'a Clip,
}

/// A file that could not be read, as it appears among the clips.
#[derive(Clone, Copy, Debug)]
pub struct UnreadClip<'a> {
    /// The file as the user named it.
    pub file: &'a str,
    /// Why it could not be read, in a sentence.
    pub error: &'a str,
}

impl ClipReport<'_> {
    /// The file without its folders.
    pub fn file_name(&self) -> &str {
        self.file.rsplit(['/', '\\']).next().unwrap_or(self.file)
    }
}
