//! Input of every report of one clip: the clip, its character and its analysis.

use muybridge::analysis::{Analysis, Terrain};
use muybridge::character::Character;
use muybridge::glam::DVec3;
use muybridge::motion::Clip;

/// Input of all reports about one analyzed clip.
#[derive(Clone, Copy, Debug)]
pub struct ClipReport<'a> {
    /// The file as the user named it.
    pub file: &'a str,
    /// Meters per unit of length of the file.
    pub meters_per_unit: f64,
    /// Reason for the unit, in words: "inferred: height 1.71 m".
    pub unit_source: &'a str,
    /// Up axis of the file: "x", "y" or "z".
    pub up: &'a str,
    /// Analysis of the clip.
    pub analysis: &'a Analysis,
    /// Messages of the reader about parts of the file that were skipped, one sentence each.
    pub ignored: &'a [String],
    /// Name of the character: that of its root bone, with `#2` and so on where characters of the file have the same.
    pub character_name: &'a str,
    /// Whether the file holds other characters.
    pub has_companions: bool,
    /// The character, in meters, y up.
    pub character: &'a Character,
    /// The motion, in meters, y up.
    pub clip: &'a Clip,
    /// Uneven ground that the motion was judged against; `None` where the floor is level.
    pub ground: Option<&'a Terrain>,
}

/// A file that could not be read. Reports list it among the analyzed clips.
#[derive(Clone, Copy, Debug)]
pub struct UnreadClip<'a> {
    /// The file as the user named it.
    pub file: &'a str,
    /// Error message of the reader, one sentence.
    pub error: &'a str,
}

impl ClipReport<'_> {
    /// Name of the character where the file holds several; else empty.
    pub fn one_of_several(&self) -> &str {
        if self.has_companions { self.character_name } else { "" }
    }

    /// Height of the ground under a place, meters; `None` where there is none.
    pub(crate) fn ground_under(&self, place: DVec3) -> Option<f64> {
        self.ground.map_or(self.analysis.floor, |terrain| terrain.under(place).map(|(height, _)| height))
    }

    /// File name without its folders.
    pub fn file_name(&self) -> &str {
        self.file.rsplit(['/', '\\']).next().unwrap_or(self.file)
    }
}
