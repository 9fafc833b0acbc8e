//! A correction told: what was done to which flight and why, what was found before and what is found now.
//!
//! The same report on a terminal (a block per clip, a row per clip of several), as JSON and as a page in which both motions
//! are seen at once. Frames are those of the clip as it was, unless they are called new.

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
use muybridge::correction::fix::{FixStep, Largest};
use muybridge::correction::plan::Unfixed;
use muybridge::motion::TimeMap;

use crate::ClipReport;

/// One corrected clip, with everything a table, a document or a page says about it.
#[derive(Clone, Copy, Debug)]
pub struct FixReport<'a> {
    /// The clip as it was; `file` is the file it was read from.
    pub before: ClipReport<'a>,
    /// The clip as it is now, with its own character and analysis.
    pub after: ClipReport<'a>,
    /// The file written; `None` where nothing was written.
    pub output: Option<&'a str>,
    /// What was done, step by step.
    pub steps: &'a [FixStep],
    /// What no tool makes better; frames of the new clip.
    pub left: &'a [Unfixed],
    /// Where the frames of the new clip come from.
    pub map: &'a TimeMap,
    /// How far the new clip is from the old one.
    pub largest: &'a Largest,
    /// True if the clip repeats, so that the length of the loop is to be told.
    pub looped: bool,
    /// What else is to be said about the file written, one sentence each.
    pub notes: &'a [String],
}

impl FixReport<'_> {
    /// True if nothing was changed.
    pub fn is_unchanged(&self) -> bool {
        self.steps.is_empty()
    }
}

/// A joint that turns by less, in radians, did not turn: rounding leaves as much.
const STILL: f64 = 1e-7;

/// The least that is not 0 as it is shown, in degrees and in millimetres.
const SHOWN: f64 = 0.05;

/// "moved 3.1 mm (frame 12)", "turned 2.0° (frame 9)"; "not moved", "not turned".
fn root_words(largest: &Largest) -> [String; 2] {
    let millimeters = 1000.0 * largest.root_moved.0;
    let degrees = largest.root_turned.0.to_degrees();
    let words = |word: &str, value: f64, unit: &str, frame: usize| {
        if value < SHOWN { format!("not {word}") } else { format!("{word} {value:.1}{unit} (frame {frame})") }
    };
    [words("moved", millimeters, " mm", largest.root_moved.1), words("turned", degrees, "°", largest.root_turned.1)]
}

/// How many findings of a severity an analysis has.
fn count(analysis: &Analysis, severity: Severity) -> usize {
    analysis.findings.iter().filter(|finding| finding.severity == severity).count()
}

/// Seconds from the first frame to the last.
fn seconds(analysis: &Analysis) -> f64 {
    analysis.frames.saturating_sub(1) as f64 / analysis.frames_per_second
}

/// Seconds of the loop before and after, from the first frame to the last.
fn loop_seconds(report: &FixReport) -> [f64; 2] {
    [seconds(report.before.analysis), seconds(report.after.analysis)]
}
