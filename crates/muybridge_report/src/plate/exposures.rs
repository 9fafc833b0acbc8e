//! Which frames a plate shows: evenly spaced in time, around the flights where there are any.

use std::ops::RangeInclusive;

use muybridge::analysis::{Analysis, Flight, Severity};

/// Frames for at most `count` exposures, evenly spaced, ascending; at least one.
pub(super) fn frames(analysis: &Analysis, count: usize) -> Vec<usize> {
    let (first, last) = range(analysis);
    let window = window(analysis);
    let length = window.end() - window.start();
    let step = ((length + (count - 1) / 2) / (count - 1)).max(1);
    let count = count.min((last - first) / step + 1);
    let span = step * (count - 1);
    let start = (window.start() + length / 2).saturating_sub(span / 2).clamp(first, last - span);
    (0..count).map(|index| start + index * step).collect()
}

/// First and last frame that were analyzed.
fn range(analysis: &Analysis) -> (usize, usize) {
    let end = analysis.range.1.min(analysis.frames).max(1);
    (analysis.range.0.min(end - 1), end - 1)
}

/// The frames worth showing: all flights if they are close together, else the worst of them, else the first thing
/// found, else everything.
fn window(analysis: &Analysis) -> RangeInclusive<usize> {
    let (first, last) = range(analysis);
    let frames = |seconds: f64| (seconds * analysis.frames_per_second) as usize;
    let around = |from: usize, to: usize, margin: usize| {
        from.saturating_sub(margin).clamp(first, last)..=to.saturating_add(margin).clamp(first, last)
    };
    if let (Some(opening), Some(closing)) = (analysis.flights.first(), analysis.flights.last()) {
        if closing.span.last.saturating_sub(opening.span.first) <= frames(2.6) {
            return around(opening.span.first, closing.span.last, frames(0.55));
        }
        let worst = analysis.flights.iter().fold(opening, |a, b| if badness(b) > badness(a) { b } else { a });
        return around(worst.span.first, worst.span.last, frames(0.6));
    }
    let local = |first: usize, end: usize| end.saturating_sub(first) <= (last - range(analysis).0) / 2;
    let finding = analysis
        .findings
        .iter()
        .find(|finding| finding.severity != Severity::Note && local(finding.span.first, finding.span.last));
    match finding {
        Some(finding) => around(finding.span.first, finding.span.last, frames(1.0)),
        None => first..=last,
    }
}

/// How far the gravity of a flight is from 1 g, the same for twice and for half.
pub(super) fn badness(flight: &Flight) -> f64 {
    let gravity = flight.gravity.max(1e-6);
    gravity.max(1.0 / gravity)
}
