//! The page of a correction: both motions in one view, under one cursor.
//!
//! The script of every page draws it. Besides the motions it reads the record below, with words and numbers in the form
//! in which they are shown.

use muybridge::analysis::{FindingId, Severity};
use serde::Serialize;

use super::changes::{ChangedFlight, ChangedStep, FindingPair, TOO_SMALL, changed_steps, knots, pairs};
use super::{FixReport, SHOWN, root_words, seconds};
use crate::json::verdict_name;

/// The corrected motion over the original on one offline page, with findings before and after and all changes.
pub fn fix_html(report: &FixReport) -> String {
    crate::page::page(&[&report.after, &report.before], Some(CorrectionRecord::new(report)))
}

/// Data of a correction for the page's script; frames are those of the corrected clip unless stated otherwise.
#[derive(Serialize)]
pub(crate) struct CorrectionRecord {
    output: Option<String>,
    /// Verdict before the correction.
    verdict: &'static str,
    /// Knots of the time map: frames where the pace changes and their positions in the original.
    knots: Vec<(usize, f64)>,
    findings: Vec<FindingPairRecord>,
    steps: Vec<StepRecord>,
    left: Vec<LeftRecord>,
    /// Facts about the whole clip, one sentence each.
    facts: Vec<String>,
}

impl CorrectionRecord {
    fn new(report: &FixReport) -> Self {
        let last = report.after.clip.frames() - 1;
        let kept = |(a, b): (usize, usize)| (a.min(last), b.min(last));
        let steps = changed_steps(report);
        let flights = steps.iter().flat_map(|step| &step.flights);
        let pairs = pairs(report).into_iter().filter(FindingPair::counts);
        let left = report.left.iter();
        Self {
            output: report.output.map(str::to_owned),
            verdict: verdict_name(report.before.analysis.verdict),
            knots: knots(report.map),
            findings: pairs.map(|pair| FindingPairRecord::new(&pair, report)).collect(),
            steps: flights.map(|flight| StepRecord::new(flight, kept(flight.new))).collect(),
            left: left.map(|left| LeftRecord { span: kept((left.first, left.last)), why: left.why.clone() }).collect(),
            facts: facts(report, &steps),
        }
    }
}

/// A finding before and after, in the form in which it is shown.
#[derive(Serialize)]
struct FindingPairRecord {
    id: FindingId,
    span: (usize, usize),
    /// Frames in the original clip; for a new finding in the corrected clip.
    frames: String,
    before: Option<String>,
    after: Option<String>,
    limit: String,
    /// Whether the finding is about the whole clip.
    whole: bool,
    gone: bool,
    /// Whether the new value is outside the limit, though it is neither error nor warning.
    outside: bool,
    grave: bool,
}

impl FindingPairRecord {
    fn new(pair: &FindingPair, report: &FixReport) -> Self {
        let of = |span: &muybridge::analysis::Span| (span.first, span.last);
        let span = pair.after.map_or_else(|| report.map.span(of(&pair.either().span)), |found| of(&found.span));
        let last = report.after.clip.frames() - 1;
        let gone = pair.after.is_none_or(|found| found.severity == Severity::Note);
        let shown = |value: f64| pair.measure.text(value).replace('-', "−");
        Self {
            id: pair.either().id,
            span: (span.0.min(last), span.1.min(last)),
            frames: format!("{}–{}", pair.either().span.first, pair.either().span.last),
            before: pair.before.map(|found| shown(found.value)),
            after: pair.now.map(|value| match pair.excuse() {
                Some(TOO_SMALL) => format!("{}, {TOO_SMALL} to matter", shown(value)),
                Some(why) => format!("{}, {why}", shown(value)),
                None => shown(value),
            }),
            limit: pair.measure.limits(pair.either().limit),
            whole: pair.is_everywhere(report),
            gone,
            outside: gone && pair.is_within() == Some(false),
            grave: pair.after.is_some_and(|found| found.severity == Severity::Error),
        }
    }
}

/// A change of a flight, in the form in which it is shown.
#[derive(Serialize)]
struct StepRecord {
    tool: &'static str,
    span: (usize, usize),
    moved: String,
    reason: String,
}

impl StepRecord {
    fn new(flight: &ChangedFlight, span: (usize, usize)) -> Self {
        Self {
            tool: flight.tool.name(),
            span,
            moved: [flight.describe_move()].into_iter().chain(flight.sentences()).collect::<Vec<_>>().join("; "),
            reason: flight.reason.to_owned(),
        }
    }
}

#[derive(Serialize)]
struct LeftRecord {
    span: (usize, usize),
    why: String,
}

/// Facts about frames, loop, largest changes and notes.
fn facts(report: &FixReport, steps: &[ChangedStep]) -> Vec<String> {
    let (before, after) = (report.before.analysis, report.after.analysis);
    let mut facts = Vec::new();
    if report.is_unchanged() {
        facts.push("nothing was changed".to_owned());
    }
    for step in steps.iter().filter(|step| step.feet) {
        let words = step.planting().map_or("planted where they touch".to_owned(), |words| words.join(", "));
        facts.push(format!("feet: {words}"));
    }
    facts.push(match after.frames as i64 - before.frames as i64 {
        0 => format!("{} frames as before", after.frames),
        more => format!(
            "{} → {} frames ({more:+}), {:.2} → {:.2} s",
            before.frames,
            after.frames,
            seconds(before),
            seconds(after)
        ),
    });
    if report.looped {
        let [old, new] = super::loop_seconds(report);
        facts.push(format!("loop {old:.3} → {new:.3} s"));
    }
    if !report.is_unchanged() {
        let largest = report.largest;
        let (bone, frame) = largest.joint_at;
        facts.push(match after.bones.get(bone) {
            Some(name) if largest.joint.to_degrees() >= SHOWN => {
                format!("{name} turned by {:.1}° (frame {frame})", largest.joint.to_degrees())
            }
            _ => "no joint turned".to_owned(),
        });
        facts.extend(root_words(largest).map(|words| format!("root {words}")));
    }
    facts.extend(report.notes.iter().cloned());
    facts
}
