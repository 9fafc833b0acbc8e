//! The terminal report of one corrected clip: a block of lines.

use muybridge::analysis::{Analysis, Severity};
use muybridge::correction::Bounds;

use super::changes::{ChangedFlight, FindingPair, TOO_SMALL, changed_steps, pairs};
use super::{FixReport, SHOWN, count, root_words, seconds};
use crate::labels::Labels;
use crate::terminal::block::{LimitMark, header, row, text_columns};
use crate::terminal::style::{Style, TextTone, left, right, shortened, width, wrap};
use crate::terminal::{numbers, style};

/// Largest numbers of listed flights, findings and reasons; the JSON document lists all.
const FLIGHTS: usize = 8;
const FINDINGS: usize = 16;

/// The block of a corrected clip: changes, remaining problems with reasons, and last the verdict before and after.
pub fn fix_block(report: &FixReport, labels: &Labels, style: &Style) -> String {
    let mut lines = header(report.before.analysis, labels, style);
    lines.push(String::new());
    done(report, style, &mut lines);
    left_alone(report, style, &mut lines);
    lengths(report, style, &mut lines);
    largest(report, style, &mut lines);
    bounds(report, style, &mut lines);
    curves(report, style, &mut lines);
    findings(report, style, &mut lines);
    lines.push(String::new());
    for note in report.notes {
        lines.extend(wrap(&style.plain(note), 0, style.columns()));
    }
    lines.extend(written(report, style));
    lines.push(verdicts(report, style));
    lines.iter().map(|line| line.trim_end().to_owned() + "\n").collect()
}

/// Adds a line per flight: tool, times, frames, displacement; below it the reason.
fn done(report: &FixReport, style: &Style, lines: &mut Vec<String>) {
    let steps = changed_steps(report);
    let flights: Vec<&ChangedFlight> = steps.iter().flat_map(|step| &step.flights).collect();
    for flight in flights.iter().take(FLIGHTS) {
        let clip = report.before.clip;
        let (first, last) = (flight.old.0.min(clip.frames() - 1), flight.old.1.min(clip.frames() - 1));
        let cells = [
            format!("{:.2}–{:.2} s  ({}–{})", clip.time(first), clip.time(last), first, last),
            frames_of(flight),
            flight.describe_move(),
        ];
        lines.extend(row(flight.tool.name(), &cells, None, style));
        lines.extend(quiet(flight.reason, style));
        lines.extend(flight.sentences().iter().flat_map(|sentence| quiet(sentence, style)));
    }
    if flights.len() > FLIGHTS {
        lines.extend(row("", &[format!("and {} more in --json", flights.len() - FLIGHTS)], None, style));
    }
    for step in steps.iter().filter(|step| step.feet) {
        let words = step.planting().unwrap_or_else(|| vec!["planted where they touch".to_owned()]);
        lines.extend(row("feet", &words, None, style));
    }
    if report.is_unchanged() {
        let quiet = report.before.analysis.findings.iter().all(|finding| finding.severity == Severity::Note);
        let text = if quiet { "nothing to correct" } else { "nothing that the tools allowed make better" };
        lines.extend(row("changed", &[text.to_owned()], None, style));
    }
}

/// Formats the frames of a flight: "26 → 38 frames (+12)"; "26 frames".
fn frames_of(flight: &ChangedFlight) -> String {
    let [old, new] = flight.intervals.map(|intervals| intervals + 1);
    if old == new {
        return numbers::counted(old, "frame");
    }
    format!("{old} → {new} frames ({:+})", new as i64 - old as i64)
}

/// A quiet sentence, indented below a line of the table.
fn quiet(sentence: &str, style: &Style) -> Vec<String> {
    let room = text_columns(style);
    let indent = style.columns() - room - 3;
    let lines = wrap(&style.plain(sentence), 0, room);
    lines.iter().map(|line| style.paint(TextTone::Quiet, &format!("{}{line}", " ".repeat(indent)))).collect()
}

/// Adds the flights that no tool improves, each with the reason.
fn left_alone(report: &FixReport, style: &Style, lines: &mut Vec<String>) {
    let clip = report.after.clip;
    for left in report.left.iter().take(FLIGHTS) {
        let (first, last) = (left.first.min(clip.frames() - 1), left.last.min(clip.frames() - 1));
        let span = match (first, last + 1 >= clip.frames()) {
            (0, true) => "whole clip".to_owned(),
            _ => format!("{:.2}–{:.2} s  ({first}–{last})", clip.time(first), clip.time(last)),
        };
        lines.extend(row("left", &[span], None, style));
        lines.extend(quiet(&left.why, style));
    }
    if report.left.len() > FLIGHTS {
        lines.extend(row("", &[format!("and {} more in --json", report.left.len() - FLIGHTS)], None, style));
    }
}

/// Adds number of frames and duration of the clip, and of the loop.
fn lengths(report: &FixReport, style: &Style, lines: &mut Vec<String>) {
    let (before, after) = (report.before.analysis, report.after.analysis);
    let added = after.frames as i64 - before.frames as i64;
    let cells = if added == 0 {
        vec![format!("{} as before, {:.2} s", after.frames, seconds(after))]
    } else {
        vec![
            format!("{} → {} ({added:+})", before.frames, after.frames),
            format!("{:.2} → {:.2} s ({:+.2})", seconds(before), seconds(after), seconds(after) - seconds(before)),
        ]
    };
    lines.extend(row("frames", &cells, None, style));
    if report.looped {
        let [old, new] = super::loop_seconds(report);
        let text = if old == new { format!("{old:.3} s as before") } else { format!("{old:.3} → {new:.3} s") };
        lines.extend(row("loop", &[text], None, style));
    }
}

/// Adds the joint that turned most and the displacement of the root.
fn largest(report: &FixReport, style: &Style, lines: &mut Vec<String>) {
    if report.is_unchanged() {
        return;
    }
    let largest = report.largest;
    let (bone, frame) = largest.joint_at;
    let joint = match report.after.analysis.bones.get(bone) {
        Some(name) if largest.joint.to_degrees() >= SHOWN => {
            format!("{name} {} (frame {frame})", degrees(largest.joint))
        }
        _ => "no joint turned".to_owned(),
    };
    lines.extend(row("joints", &[joint], None, style));
    lines.extend(row("root", &root_words(largest), None, style));
}

/// Adds the bounds of the change.
fn bounds(report: &FixReport, style: &Style, lines: &mut Vec<String>) {
    let Bounds { shift, turn, .. } = report.bounds;
    let within = |bound: f64, text: String| if bound.is_finite() { text } else { "any".to_owned() };
    let root = format!("root {}", within(shift, format!("at most {}", numbers::distance(shift))));
    let cells = [root, format!("joints {}", within(turn, format!("at most {:.0}°", turn.to_degrees())))];
    lines.extend(row("bounds", &cells, None, style));
}

/// Adds the ballistic paths between two frames, a line each.
fn curves(report: &FixReport, style: &Style, lines: &mut Vec<String>) {
    let Some(family) = report.curves else { return };
    let floor = report.before.analysis.floor.unwrap_or_default();
    let clip = report.before.clip;
    let span =
        format!("{:.2}–{:.2} s  ({}–{})", clip.time(family.first), clip.time(family.last), family.first, family.last);
    lines.push(String::new());
    lines.extend(row("curves", &[span, "ballistic paths of the center of mass".to_owned()], None, style));
    let head = format!("{:>8}{:>12}{:>29}{:>12}", "lasts", "apex", "takes off with x, y, z", "speed");
    lines.extend(row("", &[head], None, style));
    let paths = family.paths.iter().map(|path| ("", path));
    for (name, path) in paths.chain([("nearest fall", &family.nearest)]) {
        // A component that rounds to zero has no sign.
        let off = path.velocity(0.0).map(|value| libm::round(100.0 * value) / 100.0 + 0.0);
        let vector = format!("{:.2}, {:.2}, {:.2} m/s", off.x, off.y, off.z);
        let (lasts, apex) = (format!("{:.3} s", path.duration), format!("{:.3} m", path.apex().y - floor));
        let speed = format!("{:.2} m/s", path.velocity(0.0).length());
        lines.extend(row(name, &[format!("{lasts:>8}{apex:>12}{vector:>29}{speed:>12}")], None, style));
    }
}

fn degrees(radians: f64) -> String {
    format!("{:.1}°", radians.to_degrees())
}

/// Column widths of the table of findings, as wide as their widest cell.
struct FindingColumns {
    id: usize,
    /// Index of the place format that fits, and its width.
    place: (usize, usize),
    before: usize,
    after: usize,
    /// Width of the limits; 0 if there is no room for them.
    limit: usize,
    arrow: String,
}

/// Smallest useful width of a place.
const SHORTEST_PLACE: usize = 9;

impl FindingColumns {
    fn new(rows: &[FindingLine], style: &Style) -> Self {
        let widest = |head: &str, cell: &dyn Fn(&FindingLine) -> &str| {
            rows.iter().map(|row| width(cell(row))).max().unwrap_or(0).max(width(head))
        };
        let mut columns = Self {
            id: widest("finding", &|row| row.id),
            place: (0, 0),
            before: widest("before", &|row| &row.before),
            after: widest("after", &|row| &row.after),
            limit: widest("limit", &|row| &row.limit),
            arrow: style.plain("→"),
        };
        let taken = 2 + columns.id + 4 + columns.before + 2 + width(&columns.arrow) + 1 + columns.after + 4;
        let mut room = style.columns().saturating_sub(taken + columns.limit + 2);
        if room < SHORTEST_PLACE {
            (columns.limit, room) = (0, style.columns().saturating_sub(taken));
        }
        let needed =
            |which: usize| rows.iter().map(|row| width(&row.place[which])).max().unwrap_or(0).max("where".len());
        let which = usize::from(needed(0) > room);
        columns.place = (which, needed(which).min(room.max("where".len())));
        columns
    }

    /// One line of the table without its mark; `arrow` stands between the values.
    fn text(&self, id: &str, place: &str, [before, after]: [&str; 2], limit: &str, arrow: &str) -> String {
        let (id, place) = (left(id, self.id), left(place, self.place.1));
        let arrow = left(arrow, width(&self.arrow));
        let limit = if self.limit == 0 { String::new() } else { format!("{}  ", left(limit, self.limit)) };
        format!("  {id}  {place}  {}  {arrow} {}  {limit}", right(before, self.before), left(after, self.after))
    }
}

/// Adds errors and warnings before the correction, each with its value after it, then new ones.
fn findings(report: &FixReport, style: &Style, lines: &mut Vec<String>) {
    let pairs: Vec<FindingPair> = pairs(report).into_iter().filter(FindingPair::counts).collect();
    if pairs.is_empty() {
        return;
    }
    let rows: Vec<FindingLine> =
        pairs.iter().take(FINDINGS).map(|pair| FindingLine::new(pair, report, style)).collect();
    let columns = FindingColumns::new(&rows, style);
    lines.push(String::new());
    let head = columns.text("finding", "where", ["before", "after"], "limit", "");
    lines.push(style.paint(TextTone::Quiet, head.trim_end()));
    for row in &rows {
        let place = shortened(&row.place[columns.place.0], columns.place.1, style);
        let text = columns.text(row.id, &place, [&row.before, &row.after], &row.limit, &columns.arrow);
        lines.push(text + &row.mark.map_or_else(String::new, |mark| mark.painted(style)));
    }
    if pairs.iter().any(|pair| pair.excuse() == Some(TOO_SMALL)) {
        let sentence = "too small: above its limit, but a change so small that it is never a finding";
        let told = wrap(&style.plain(sentence), 2, style.columns());
        lines.extend(told.iter().map(|line| style.paint(TextTone::Quiet, line)));
    }
    if pairs.len() > rows.len() {
        lines.push(style.paint(TextTone::Quiet, &format!("  and {} more in --json", pairs.len() - rows.len())));
    }
}

/// Cells of one row of the table of findings.
struct FindingLine {
    id: &'static str,
    /// Place of the finding: times and frames, or frames alone if that is too wide.
    place: [String; 2],
    before: String,
    after: String,
    limit: String,
    /// Mark of the row; `None` if the value is outside its limit and yet neither error nor warning.
    mark: Option<LimitMark>,
}

impl FindingLine {
    fn new(pair: &FindingPair, report: &FixReport, style: &Style) -> Self {
        let finding = pair.either();
        let span = finding.span;
        let place = match pair.is_everywhere(report) {
            true => ["whole clip".to_owned(), "whole clip".to_owned()],
            false => [numbers::span(&span), numbers::frames(&span)],
        };
        let now = pair.now.map(|value| pair.measure.text(value));
        let after = match (pair.is_gone(), now) {
            (true, Some(value)) => format!("{value}, {}", pair.excuse().unwrap_or("gone")),
            (true, None) => "gone".to_owned(),
            (false, value) => value.unwrap_or_default(),
        };
        let mark = match pair.after.map(|finding| finding.severity) {
            None | Some(Severity::Note) => (pair.is_within() != Some(false)).then_some(LimitMark::Right),
            Some(Severity::Warning) => Some(LimitMark::Doubtful),
            Some(Severity::Error) => Some(LimitMark::Wrong),
        };
        Self {
            id: finding.id.name(),
            place: place.map(|text| style.plain(&text)),
            before: style.plain(&pair.before.map_or("none".to_owned(), |old| pair.measure.text(old.value))),
            after: style.plain(&after),
            limit: style.plain(&pair.measure.limits(finding.limit)),
            mark,
        }
    }
}

/// Sentence that names the written file.
fn written(report: &FixReport, style: &Style) -> Vec<String> {
    let text = match report.output {
        Some(output) => format!("Written to {output}. See both: the same command with --html FILE."),
        None => "Nothing was written: a dry run.".to_owned(),
    };
    wrap(&style.plain(&text), 0, style.columns())
}

/// Formats the last line: "implausible → plausible: 1 → 0 errors, 0 → 0 warnings".
fn verdicts(report: &FixReport, style: &Style) -> String {
    let (before, after) = (report.before.analysis, report.after.analysis);
    let arrow = style.plain("→");
    let counted = |severity, word: &str| {
        let (old, new) = (count(before, severity), count(after, severity));
        format!("{old} {arrow} {new} {word}s")
    };
    let (errors, warnings) = (counted(Severity::Error, "error"), counted(Severity::Warning, "warning"));
    format!("{} {arrow} {}: {errors}, {warnings}", verdict_word(before, style), verdict_word(after, style))
}

/// The verdict in its color.
fn verdict_word(analysis: &Analysis, style: &Style) -> String {
    let (word, tone) = style::verdict(analysis.verdict);
    style.paint(tone, word)
}
