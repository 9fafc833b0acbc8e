//! Changes of a correction: flights before and after, findings before and after, and the spans that a time map
//! stretches.

use muybridge::analysis::shared_frames;
use muybridge::analysis::{Finding, Severity};
use muybridge::correction::{BlendReport, FeetReport, SpinReport, Tool, ToolCandidate};
use muybridge::motion::TimeMap;

use super::{FixReport, SHOWN};
use crate::measure::Measure;
use crate::terminal::numbers;

/// A corrected flight.
#[derive(Clone, Debug)]
pub(super) struct ChangedFlight<'a> {
    /// First and last frame in the original clip, to the nearest frame.
    pub old: (usize, usize),
    /// First and last frame in the corrected clip.
    pub new: (usize, usize),
    /// Frame intervals of the flight before and after the step.
    pub intervals: [usize; 2],
    /// Tool that corrected the flight.
    pub tool: Tool,
    /// Reason for the choice of the tool.
    pub reason: &'a str,
    /// All tools that were tried.
    pub choices: &'a [ToolCandidate],
    /// Largest displacement of the center of mass, meters.
    pub moved: f64,
    /// Largest rotation of the body, radians; `None` if the flight was not rotated.
    pub turned: Option<f64>,
    /// Angular momentum of the turned flight (kg m²/s), Newton iterations and what is left of it; `None` if it was not
    /// rotated.
    pub spin: Option<&'a SpinReport>,
    /// Rotation between the last frame and the pose that the next frames expect, radians, before any blending; `None`
    /// if the flight was not rotated.
    pub landing_error: Option<f64>,
    /// Reason why the body could not be rotated; `None` if it could, or was not meant to be.
    pub refused: Option<&'a str>,
    /// Whether frames of the clip follow the flight.
    pub lands: bool,
    /// Report of blending the flight into its surroundings; `None` without blending.
    pub blend: Option<&'a BlendReport>,
}

impl ChangedFlight<'_> {
    /// Describes the size of the change: "moved 9.9 cm"; "turned by 12.0°".
    pub fn describe_move(&self) -> String {
        match (self.tool, self.turned) {
            (Tool::Spin, Some(angle)) => format!("turned by {:.1}°", angle.to_degrees()),
            (Tool::Spin, None) => "not turned".to_owned(),
            _ => format!("moved {}", numbers::distance(self.moved)),
        }
    }

    /// Further remarks about the flight, one sentence each.
    pub fn sentences(&self) -> Vec<String> {
        let refused = self.refused.map(|why| format!("could not be turned: {why}"));
        refused.into_iter().chain(self.solving()).chain(self.landing()).chain(self.blending()).collect()
    }

    /// Sentence about Newton's method of the spin correction.
    fn solving(&self) -> Option<String> {
        let SpinReport { iterations, residual, .. } = self.spin.filter(|spin| spin.unchanged.is_none())?;
        let steps = numbers::counted(*iterations, "Newton iteration");
        Some(format!("{steps}; angular momentum within {residual:.1e} kg m²/s of the constant one"))
    }

    /// Sentence about a jump at landing that no blending removes; `None` if the jump is too small to show.
    fn landing(&self) -> Option<String> {
        let jump = self.landing_error.filter(|_| self.lands && self.blend.is_none())?.to_degrees();
        let sentence = "--blend fades it out, --momentum landing meets it";
        (jump >= SHOWN).then(|| format!("the landing jumps by {jump:.1}°; {sentence}"))
    }

    /// Sentence about the blending of frames around the flight; `None` without blending.
    fn blending(&self) -> Option<String> {
        let blend = self.blend?;
        let [before, after] = blend.frames;
        let limbs = blend.largest_joint.to_degrees();
        let residual = 1000.0 * blend.residual;
        Some(format!(
            "blended over {before} frames before and {after} after; joints of planted limbs turn by up to {limbs:.1}°, their ends stay within {residual:.1} mm"
        ))
    }
}

/// One step of a correction: its flights and feet.
#[derive(Clone, Debug)]
pub(super) struct ChangedStep<'a> {
    /// Corrected flights in order of time.
    pub flights: Vec<ChangedFlight<'a>>,
    /// Whether the step was meant to plant the feet.
    pub feet: bool,
    /// Report of planting the feet; `None` if the step did not.
    pub planted: Option<&'a FeetReport>,
}

impl ChangedStep<'_> {
    /// Foot skating, float and penetration before and after, the number of planted limbs, and how far the hips came
    /// down.
    pub fn planting(&self) -> Option<Vec<String>> {
        let planted = self.planted?;
        let (old, new) = (planted.before, planted.after);
        let centimeters = |old: f64, new: f64| format!("{:.1} → {:.1} cm", 100.0 * old, 100.0 * new);
        let mut words = vec![
            format!("skate {}/s", centimeters(old.skate, new.skate)),
            format!("float {}", centimeters(old.float, new.float)),
            format!("penetration {}", centimeters(old.penetration, new.penetration)),
        ];
        words.push(match planted.limbs.len() {
            0 => "nothing was planted".to_owned(),
            1 => "1 limb planted".to_owned(),
            limbs => format!("{limbs} limbs planted"),
        });
        if planted.raised > 0.0 {
            words.push(format!("body raised or lowered by up to {:.1} cm", 100.0 * planted.raised));
        }
        let turned = planted.ankles.iter().map(|&(_, angle)| angle).fold(0.0, f64::max);
        if turned > 0.0 {
            words.push(format!("ankle turned by {:.1}°", turned.to_degrees()));
        }
        if planted.hips > 0.0 {
            words.push(format!("hips down {:.1} cm", 100.0 * planted.hips));
        }
        Some(words)
    }
}

/// The steps of a correction, with frames mapped to the original and to the corrected clip.
pub(super) fn changed_steps<'a>(report: &FixReport<'a>) -> Vec<ChangedStep<'a>> {
    let mut maps = vec![TimeMap::identity(report.before.clip.frames())];
    for step in report.steps {
        let frames = maps[maps.len() - 1].frames();
        maps.push(maps[maps.len() - 1].then(&step.plan.time_map(frames)));
    }
    let last = maps[maps.len() - 1].clone();
    let mut steps = Vec::new();
    for (step, from) in report.steps.iter().zip(&maps) {
        let old_frame = |frame: usize| libm::round(from.source(frame.min(from.frames() - 1)));
        let change = |index: usize| step.applied.flights.get(index);
        let flights = step.plan.flights.iter().enumerate().map(|(index, flight)| {
            let old = (old_frame(flight.first), old_frame(flight.last));
            let new = |position: f64| libm::round(last.inverse(position)).max(0.0) as usize;
            let spin = change(index).and_then(|change| change.spin.as_ref());
            let turned = spin.and_then(|spin| spin.as_ref().ok());
            ChangedFlight {
                old: (old.0 as usize, old.1 as usize),
                new: (new(old.0), new(old.1)),
                intervals: [flight.last - flight.first, flight.intervals],
                tool: flight.tool,
                reason: &flight.reason,
                choices: &flight.choices,
                moved: change(index).map_or(0.0, |change| change.moved),
                turned: turned.map(|spin| spin.largest_angle),
                spin: turned,
                landing_error: turned.filter(|spin| spin.unchanged.is_none()).map(|spin| spin.landing_error),
                refused: spin.and_then(|spin| spin.as_ref().err()).map(String::as_str),
                lands: new(old.1) + 1 < report.after.clip.frames(),
                blend: change(index).and_then(|change| change.blend.as_ref()),
            }
        });
        steps.push(ChangedStep {
            flights: flights.collect(),
            feet: step.plan.feet.is_some(),
            planted: step.applied.feet.as_ref(),
        });
    }
    steps
}

/// Excuse for a relative change above its limit, if the absolute change is too small for a finding.
pub(super) const TOO_SMALL: &str = "too small";

/// A finding before and after the correction; one of the two may be missing.
#[derive(Clone, Copy, Debug)]
pub(super) struct FindingPair<'a> {
    /// The finding before the correction.
    pub before: Option<&'a Finding>,
    /// The finding after the correction.
    pub after: Option<&'a Finding>,
    /// The value after the correction, also if it is no finding; `None` if it is not measured.
    pub now: Option<f64>,
    /// Unit of the value.
    pub measure: Measure,
}

impl<'a> FindingPair<'a> {
    /// The finding before the correction or, if there was none, after it.
    pub fn either(&self) -> &'a Finding {
        self.before.or(self.after).expect("a pair has a finding")
    }

    /// Whether the finding is about the whole clip.
    pub fn is_everywhere(&self, report: &FixReport) -> bool {
        let analysis = if self.before.is_some() { report.before.analysis } else { report.after.analysis };
        let (span, (first, end)) = (self.either().span, analysis.range);
        span.first <= first && span.last + 1 >= end
    }

    /// Whether the finding is gone after the correction.
    pub fn is_gone(&self) -> bool {
        self.after.is_none()
    }

    /// Whether the value after the correction is within the limit; `None` if it is not measured.
    pub fn is_within(&self) -> Option<bool> {
        let [low, high] = self.either().limit;
        self.now.map(|value| low.is_none_or(|low| value >= low) && high.is_none_or(|high| value <= high))
    }

    /// Reason why a value outside its limit is no longer a finding; `None` otherwise.
    pub fn excuse(&self) -> Option<&'static str> {
        let outside = self.is_gone() && self.is_within() == Some(false);
        outside.then(|| if self.either().id.facts().ignores_small { TOO_SMALL } else { "no finding" })
    }

    /// Whether the finding is an error or a warning, before or after.
    pub fn counts(&self) -> bool {
        [self.before, self.after].into_iter().flatten().any(|finding| finding.severity < Severity::Note)
    }
}

/// Every finding once. Findings before come first, in order, each paired with the finding of the same id that shares
/// the most frames after the correction. New findings follow.
pub(super) fn pairs<'a>(report: &FixReport<'a>) -> Vec<FindingPair<'a>> {
    let (before, after) = (report.before.analysis, report.after.analysis);
    let partners = partners(&before.findings, &after.findings, report.map);
    let mut pairs = Vec::new();
    for (finding, partner) in before.findings.iter().zip(&partners) {
        let partner = partner.map(|index| &after.findings[index]);
        let span = report.map.span((finding.span.first, finding.span.last));
        let now = partner.map(|found| found.value).or_else(|| finding.id.value_in(after, span));
        pairs.push(FindingPair { before: Some(finding), after: partner, now, measure: Measure::of(finding) });
    }
    for (index, finding) in after.findings.iter().enumerate() {
        if !partners.contains(&Some(index)) {
            let now = Some(finding.value);
            pairs.push(FindingPair { before: None, after: Some(finding), now, measure: Measure::of(finding) });
        }
    }
    pairs
}

/// Per finding before the correction: index of the finding after it with the same id that shares the most frames. No
/// index is used twice.
fn partners(before: &[Finding], after: &[Finding], map: &TimeMap) -> Vec<Option<usize>> {
    let mut candidates = Vec::new();
    for (i, old) in before.iter().enumerate() {
        let span = map.span((old.span.first, old.span.last));
        for (k, new) in after.iter().enumerate().filter(|(_, new)| new.id == old.id) {
            let shared = shared_frames(span, (new.span.first, new.span.last));
            if shared > 0 {
                candidates.push((std::cmp::Reverse(shared), i, k));
            }
        }
    }
    candidates.sort_unstable();
    let mut partners = vec![None; before.len()];
    for (_, i, k) in candidates {
        if partners[i].is_none() && !partners.contains(&Some(k)) {
            partners[i] = Some(k);
        }
    }
    partners
}

/// Knots of a piecewise linear time map: new frames at which its slope changes and their positions in the original
/// clip, first and last frame included.
pub(super) fn knots(map: &TimeMap) -> Vec<(usize, f64)> {
    let pace = |frame: usize| map.source(frame + 1) - map.source(frame);
    let bends = |frame: usize| (pace(frame) - pace(frame - 1)).abs() > 1e-9;
    let last = map.frames() - 1;
    let within = (1..last.max(1)).filter(|&frame| bends(frame));
    let mut knots = vec![(0, map.source(0))];
    knots.extend(within.map(|frame| (frame, map.source(frame))));
    if last > 0 {
        knots.push((last, map.source(last)));
    }
    knots
}

/// A span of the original clip and its place in the new one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Stretch {
    /// First and last frame of the original clip; fractional only where several retimings meet.
    pub old: (f64, f64),
    /// First and last frame of the new clip.
    pub new: (usize, usize),
}

/// Spans that a time map plays slower or faster.
pub(super) fn stretches(map: &TimeMap) -> Vec<Stretch> {
    let knots = knots(map);
    let spans = knots.windows(2).map(|ends| Stretch { old: (ends[0].1, ends[1].1), new: (ends[0].0, ends[1].0) });
    spans.filter(|span| ((span.old.1 - span.old.0) - (span.new.1 - span.new.0) as f64).abs() > 1e-9).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn straight_lines_between_the_knots_are_the_map() {
        let map = TimeMap::stretched(40, 20, 30, 7).unwrap().then(&TimeMap::stretched(37, 3, 6, 5).unwrap());
        let knots = knots(&map);
        assert_eq!(knots.len(), 6);
        for frame in 0..map.frames() {
            let after = knots.iter().position(|knot| knot.0 >= frame).unwrap().max(1);
            let ((a, from), (b, to)) = (knots[after - 1], knots[after]);
            let line = from + (to - from) * (frame - a) as f64 / (b - a) as f64;
            assert!((line - map.source(frame)).abs() < 1e-9, "frame {frame}");
        }
        let spans = stretches(&map);
        assert_eq!((spans[0].old, spans[0].new), ((3.0, 6.0), (3, 8)));
        assert_eq!((spans[1].old, spans[1].new), ((20.0, 30.0), (22, 29)));
        assert_eq!(spans.len(), 2);
    }

    #[test]
    fn a_map_that_changes_nothing_has_no_stretches() {
        for frames in [1, 2, 30] {
            assert!(stretches(&TimeMap::identity(frames)).is_empty());
        }
        assert_eq!(knots(&TimeMap::identity(1)), [(0, 0.0)]);
    }
}
