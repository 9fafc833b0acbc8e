//! Report of a correction: changes of each flight and their reasons, and findings before and after.
//!
//! The same report is written on a terminal (a block per clip, or a row per clip of several), as JSON, and as a page
//! that shows both motions at once. Frames are those of the original clip, unless they are called new.

mod before_after;
mod changes;
mod json;
mod page;
mod table;
mod terminal;
#[cfg(test)]
mod tests;

pub use json::{FIX_SCHEMA, FixWriter, fix_document, fix_json, unfixed_json};
pub(crate) use page::CorrectionRecord;
pub use page::fix_html;
pub use table::{FixRow, FixSummary, fix_table};
pub use terminal::fix_block;

use muybridge::analysis::{Analysis, Severity};
use muybridge::correction::{Bounds, CurveFamily, FixStep, Largest, Unfixed};
use muybridge::motion::TimeMap;

use crate::ClipReport;

/// Input of every report of one corrected clip.
#[derive(Clone, Copy, Debug)]
pub struct FixReport<'a> {
    /// The original clip; `file` is the file it was read from.
    pub before: ClipReport<'a>,
    /// The corrected clip, with its own character and analysis.
    pub after: ClipReport<'a>,
    /// File that was written; `None` if nothing was written.
    pub output: Option<&'a str>,
    /// The steps of the correction.
    pub steps: &'a [FixStep],
    /// Flights that no tool improves; frames of the corrected clip.
    pub left: &'a [Unfixed],
    /// Maps frames of the corrected clip to frames of the original.
    pub map: &'a TimeMap,
    /// Largest differences between the corrected clip and the original.
    pub largest: &'a Largest,
    /// Bounds of the change.
    pub bounds: Bounds,
    /// Ballistic paths between two frames of the original; `None` where none are asked for.
    pub curves: Option<&'a CurveFamily>,
    /// Whether the clip is a loop, whose length is then reported.
    pub looped: bool,
    /// Further notes about the written file, one sentence each.
    pub notes: &'a [String],
}

impl FixReport<'_> {
    /// Whether nothing was changed.
    pub fn is_unchanged(&self) -> bool {
        self.steps.is_empty()
    }
}

/// Joint rotations below this are rounding errors, radians.
const STILL: f64 = 1e-7;

/// Smallest value that is not shown as 0, in degrees and in millimeters.
const SHOWN: f64 = 0.05;

/// Describes the root's change: "moved 3.1 mm (frame 12)", "turned 2.0° (frame 9)"; "not moved", "not turned".
fn root_words(largest: &Largest) -> [String; 2] {
    let millimeters = 1000.0 * largest.root_moved.0;
    let degrees = largest.root_turned.0.to_degrees();
    let words = |word: &str, value: f64, unit: &str, frame: usize| {
        if value < SHOWN { format!("not {word}") } else { format!("{word} {value:.1}{unit} (frame {frame})") }
    };
    [words("moved", millimeters, " mm", largest.root_moved.1), words("turned", degrees, "°", largest.root_turned.1)]
}

/// Number of findings of a severity in an analysis.
fn count(analysis: &Analysis, severity: Severity) -> usize {
    analysis.findings.iter().filter(|finding| finding.severity == severity).count()
}

/// Duration from the first frame to the last, seconds.
fn seconds(analysis: &Analysis) -> f64 {
    analysis.frames.saturating_sub(1) as f64 / analysis.frames_per_second
}

/// Duration of the loop before and after, from the first frame to the last, seconds.
fn loop_seconds(report: &FixReport) -> [f64; 2] {
    [seconds(report.before.analysis), seconds(report.after.analysis)]
}
