//! Selects the frames that a plate shows: evenly spaced in time, around the flights if there are any.

use std::ops::RangeInclusive;

use muybridge::analysis::Span;
use muybridge::analysis::{Analysis, Finding};
use muybridge::glam::DVec3;

use super::headline;

/// Returns at most `count` frames, evenly spaced, ascending; at least one. The body travels at most `reach` meters
/// within them, unless a single flight is longer.
pub(super) fn frames(analysis: &Analysis, count: usize, reach: f64) -> Vec<usize> {
    let (first, last) = range(analysis);
    let window = window(analysis, reach);
    let length = window.end() - window.start();
    let step = ((length + (count - 1) / 2) / (count - 1)).max(1);
    let count = count.min((last - first) / step + 1);
    let span = step * (count - 1);
    let start = (window.start() + length / 2).saturating_sub(span / 2).clamp(first, last - span);
    (0..count).map(|index| start + index * step).collect()
}

/// First and last analyzed frame.
fn range(analysis: &Analysis) -> (usize, usize) {
    let end = analysis.range.1.min(analysis.frames).max(1);
    (analysis.range.0.min(end - 1), end - 1)
}

/// The frames worth showing: all flights if they are close together and the headline lies among them, else those around the
/// headline, else those around the flight to show, else everything.
fn window(analysis: &Analysis, reach: f64) -> RangeInclusive<usize> {
    let (first, last) = range(analysis);
    let frames = |seconds: f64| (seconds * analysis.frames_per_second) as usize;
    let around = |span: &Span, margin: usize| {
        span.first.saturating_sub(margin).clamp(first, last)..=span.last.saturating_add(margin).clamp(first, last)
    };
    let is_local = |span: &Span| span.last.saturating_sub(span.first) <= (last - first) / 2;
    let headline = headline::headline(analysis);
    let aside = headline.filter(|found| headline::flight_of(analysis, found).is_none() && is_local(&found.span));
    if let (Some(opening), Some(closing)) = (analysis.flights.first(), analysis.flights.last()) {
        let all = around(&Span { last: closing.span.last, ..opening.span }, frames(0.55));
        let brief = closing.span.last.saturating_sub(opening.span.first) <= frames(2.6);
        let holds = |found: &Finding| all.contains(&found.span.first) && all.contains(&found.span.last);
        if brief && travel(analysis, &all) <= reach && aside.is_none_or(holds) {
            return all;
        }
        if let (None, Some(flight)) = (aside, headline::shown_flight(analysis)) {
            return around(&flight.span, frames(0.6));
        }
    }
    let window = aside.map_or(first..=last, |found| around(&found.span, frames(1.0)));
    shortened(analysis, window, reach)
}

/// Shortens a window around its middle until the body travels at most `reach` meters in it.
fn shortened(analysis: &Analysis, mut window: RangeInclusive<usize>, reach: f64) -> RangeInclusive<usize> {
    while travel(analysis, &window) > reach && window.end() - window.start() > 12 {
        let cut = ((window.end() - window.start()) / 16).max(1);
        window = window.start() + cut..=window.end() - cut;
    }
    window
}

/// Horizontal distance between the centers of mass at the ends of a window, meters; 0 if unknown.
fn travel(analysis: &Analysis, window: &RangeInclusive<usize>) -> f64 {
    let place = |frame: usize| analysis.per_frame.mass_center.get(frame).copied().flatten();
    let ends = place(*window.start()).zip(place(*window.end()));
    ends.map_or(0.0, |(from, to)| ((to - from) * DVec3::new(1.0, 0.0, 1.0)).length())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::leap;

    /// Half a minute of standing at 30 fps with the flight of a leap at frames 600 to 614.
    fn late_jump() -> Analysis {
        let mut analysis = leap::leap(2.2, 1.2).2;
        analysis.frames = 900;
        analysis.range = (0, 900);
        let span = &mut analysis.flights[0].span;
        (span.first, span.last, span.start, span.end) = (600, 614, 20.0, 614.0 / 30.0);
        analysis.findings[0].span = *span;
        analysis.per_frame.mass_center = vec![None; 900];
        analysis
    }

    #[test]
    fn exposures_are_evenly_spaced_and_within_the_clip() {
        for count in 6..=12 {
            for analysis in [late_jump(), leap::leap(1.0, 0.0).2] {
                let frames = frames(&analysis, count, 10.0);
                let steps: Vec<usize> = frames.windows(2).map(|pair| pair[1] - pair[0]).collect();
                assert!(steps.iter().all(|step| *step == steps[0]), "{frames:?}");
                assert!(frames.len() <= count && *frames.last().unwrap() < analysis.frames);
            }
        }
    }

    #[test]
    fn a_long_clip_is_shown_around_its_flight() {
        let frames = frames(&late_jump(), 12, 10.0);
        assert!(frames[0] >= 560 && frames[11] <= 660, "{frames:?}");
        assert!(frames.iter().filter(|frame| (600..=614).contains(*frame)).count() >= 3, "{frames:?}");
    }

    #[test]
    fn a_clip_of_one_frame_has_one_exposure() {
        let mut analysis = late_jump();
        (analysis.frames, analysis.range) = (1, (0, 1));
        analysis.flights.clear();
        analysis.findings.clear();
        assert_eq!(frames(&analysis, 12, 10.0), [0]);
    }

    #[test]
    fn a_long_walk_is_cut_to_what_can_be_drawn() {
        let mut walk = late_jump();
        walk.flights.clear();
        walk.findings.clear();
        walk.per_frame.mass_center = (0..900).map(|frame| Some(DVec3::new(0.0, 1.0, 0.05 * frame as f64))).collect();
        let frames = frames(&walk, 12, 8.0);
        assert!(0.05 * (frames[11] - frames[0]) as f64 <= 8.5, "{frames:?}");
    }
}
