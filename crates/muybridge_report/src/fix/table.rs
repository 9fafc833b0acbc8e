//! Terminal table of several corrected clips, one row each.

use muybridge::analysis::{Severity, Verdict};
use muybridge::correction::Tool;

use super::{FixReport, count};
use crate::labels::Labels;
use crate::terminal::numbers;
use crate::terminal::style::{Style, TextTone, left, right, shortened, verdict, width, wrap};

/// One clip in the table over several files.
#[derive(Clone, Debug, PartialEq)]
pub struct FixRow {
    /// File name, followed by the clip's name if it has one.
    pub name: String,
    /// Results of the correction, or the reason why the clip was not corrected.
    pub outcome: Result<FixSummary, String>,
}

/// Numbers in a row of the table; pairs are before and after.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FixSummary {
    /// Verdicts before and after.
    pub verdict: [Verdict; 2],
    /// Number of flights moved onto their ballistic path.
    pub path: usize,
    /// Number of retimed flights.
    pub time: usize,
    /// Number of rotated flights.
    pub spin: usize,
    /// Whether the feet were planted.
    pub feet: bool,
    /// Number of errors before and after.
    pub errors: [usize; 2],
    /// Number of warnings before and after.
    pub warnings: [usize; 2],
    /// Number of frames before and after.
    pub frames: [usize; 2],
    /// Largest rotation of a joint other than the root, degrees.
    pub joint_deg: f64,
    /// Largest displacement of the root, millimeters.
    pub root_mm: f64,
    /// Whether nothing was changed.
    pub unchanged: bool,
}

impl FixRow {
    /// The row of a corrected clip.
    pub fn new(report: &FixReport, labels: &Labels) -> Self {
        let (before, after) = (report.before.analysis, report.after.analysis);
        let flights = || report.steps.iter().flat_map(|step| &step.plan.flights);
        let with = |tool: Tool| flights().filter(|flight| flight.tool == tool).count();
        let both = |severity| [count(before, severity), count(after, severity)];
        let summary = FixSummary {
            verdict: [before.verdict, after.verdict],
            path: with(Tool::Path),
            time: with(Tool::Time),
            spin: with(Tool::Spin),
            feet: report.steps.iter().any(|step| step.plan.feet.is_some()),
            errors: both(Severity::Error),
            warnings: both(Severity::Warning),
            frames: [before.frames, after.frames],
            joint_deg: report.largest.joint.to_degrees(),
            root_mm: 1000.0 * report.largest.root_moved.0,
            unchanged: report.is_unchanged(),
        };
        Self { name: labels.title(&before.clip), outcome: Ok(summary) }
    }

    /// The row of a clip that could not be read, corrected or written, with the reason.
    pub fn unfixed(file: &str, reason: &str) -> Self {
        Self { name: file.to_owned(), outcome: Err(reason.to_owned()) }
    }
}

/// Column headers of the numbers of a row.
const HEADS: [&str; 9] = ["path", "time", "spin", "feet", "err", "warn", "frames", "joint°", "root mm"];

/// Table with one row per clip: number of flights corrected with each tool, errors, warnings and frames before and
/// after, largest rotation of a joint and displacement of the root. The last line counts changed, uncorrected and
/// plausible clips.
pub fn fix_table(rows: &[FixRow], style: &Style) -> String {
    let heads = HEADS.map(|head| style.plain(head));
    let cells: Vec<Option<[String; 9]>> =
        rows.iter().map(|row| row.outcome.as_ref().ok().map(|summary| summary_cells(summary, style))).collect();
    let columns: Vec<usize> = (0..HEADS.len())
        .map(|index| {
            cells.iter().flatten().map(|cells| width(&cells[index])).max().unwrap_or(0).max(width(&heads[index]))
        })
        .collect();
    let numbers: usize = columns.iter().map(|columns| columns + 2).sum();
    let longest = rows.iter().map(|row| width(&style.plain(&row.name))).max().unwrap_or(0).max(4);
    let room = longest.min(style.columns().saturating_sub(numbers).max(8));
    let line = |cells: &[String; 9]| {
        cells.iter().zip(&columns).map(|(cell, &columns)| format!("  {}", right(cell, columns))).collect::<String>()
    };
    let mut table = style.paint(TextTone::Quiet, (left("clip", room) + &line(&heads)).trim_end()) + "\n";
    for (row, cells) in rows.iter().zip(&cells) {
        let name = left(&shortened(&style.plain(&row.name), room, style), room);
        let text = match (cells, &row.outcome) {
            (Some(cells), Ok(summary)) => style.paint(verdict(summary.verdict[1]).1, line(cells).trim_end()),
            (_, Err(reason)) => refused(reason, room, style),
            _ => String::new(),
        };
        table += &format!("{name}{text}\n");
    }
    table + &totals(rows, style) + "\n"
}

fn summary_cells(summary: &FixSummary, style: &Style) -> [String; 9] {
    let many = |count: usize| if count == 0 { "-".to_owned() } else { count.to_string() };
    let both = |[old, new]: [usize; 2]| {
        if old == new { old.to_string() } else { style.plain(&format!("{old}→{new}")) }
    };
    [
        many(summary.path),
        many(summary.time),
        many(summary.spin),
        if summary.feet { "yes".to_owned() } else { "-".to_owned() },
        both(summary.errors),
        both(summary.warnings),
        both(summary.frames),
        if summary.joint_deg < 0.05 { "0".to_owned() } else { format!("{:.1}", summary.joint_deg) },
        if summary.root_mm < 0.05 { "0".to_owned() } else { format!("{:.0}", summary.root_mm.max(1.0)) },
    ]
}

/// Reason why a clip was not corrected, beside its name, with later lines indented below.
fn refused(reason: &str, room: usize, style: &Style) -> String {
    let lines = wrap(&style.plain(&format!("not corrected: {reason}")), 0, style.columns() - room - 2);
    let painted = lines.iter().map(|line| style.paint(TextTone::Bad, line));
    format!("  {}", painted.collect::<Vec<_>>().join(&format!("\n{}", " ".repeat(room + 2))))
}

/// Summary line: "12 clips: 9 changed, 1 not corrected; plausible 3 → 11".
fn totals(rows: &[FixRow], style: &Style) -> String {
    let summaries = || rows.iter().filter_map(|row| row.outcome.as_ref().ok());
    let changed = summaries().filter(|summary| !summary.unchanged).count();
    let refused = rows.iter().filter(|row| row.outcome.is_err()).count();
    let plausible = |side: usize| summaries().filter(|s| s.verdict[side] == Verdict::Plausible).count();
    let mut text = format!("{}: {changed} changed", numbers::counted(rows.len(), "clip"));
    if refused > 0 {
        text += &format!(", {refused} not corrected");
    }
    style.plain(&format!("{text}; plausible {} → {}", plausible(0), plausible(1)))
}
