//! The one thing a plate is about: the worst finding, and the flight whose numbers it shows.
//!
//! Errors come before warnings. Among findings of one severity those about a flight that the clip hardly tells come last:
//! one beside an unseen support, one of fewer than six frames, one whose gravity has a standard error above a quarter of
//! it. Then the finding farthest outside its limit comes first:
//! ```text
//! excess = |value - limit| / |limit|, at most 3
//! ```
//! Beyond four times its limit every value is absurd, and a change by a mean that is zero has no end: of such findings the
//! one about the longer flight comes first, of which more is seen.

use std::cmp::Ordering;

use muybridge::analysis::{Analysis, Finding, FindingSection, Flight, Severity};

/// Excesses above this are alike.
const ABSURD: f64 = 3.0;
/// A gravity whose standard error is a larger part of it is uncertain.
const UNCERTAIN: f64 = 0.25;

/// The worst error or warning of an analysis; of equals the one listed first. `None` where there is neither.
pub(super) fn headline(analysis: &Analysis) -> Option<&Finding> {
    let counted = analysis.findings.iter().filter(|finding| finding.severity != Severity::Note);
    counted.min_by(|a, b| order(analysis, a, b))
}

/// The flight to show: that of the headline, else the one whose gravity is farthest from 1 g, uncertain ones last.
pub(super) fn shown_flight(analysis: &Analysis) -> Option<&Flight> {
    let of_headline = headline(analysis).and_then(|finding| flight_of(analysis, finding));
    let rank = |flight: &Flight| (is_uncertain(analysis, flight), off_by(flight));
    let worse = |a: &&Flight, b: &&Flight| {
        let (a, b) = (rank(a), rank(b));
        a.0.cmp(&b.0).then(b.1.total_cmp(&a.1))
    };
    of_headline.or_else(|| analysis.flights.iter().min_by(worse))
}

/// The flight that a finding is about; `None` where it is about something else.
pub(super) fn flight_of<'a>(analysis: &'a Analysis, finding: &Finding) -> Option<&'a Flight> {
    let of_flight = finding.id.section() == FindingSection::Flight;
    of_flight.then(|| analysis.flight_over((finding.span.first, finding.span.last))).flatten()
}

/// Compares two findings; the worse one is less.
fn order(analysis: &Analysis, a: &Finding, b: &Finding) -> Ordering {
    let [of_a, of_b] = [a, b].map(|finding| flight_of(analysis, finding));
    let uncertain = |flight: Option<&Flight>| flight.is_some_and(|flight| is_uncertain(analysis, flight));
    let frames = |flight: Option<&Flight>| flight.map_or(0, |flight| flight.span.last - flight.span.first + 1);
    (a.severity.cmp(&b.severity))
        .then(uncertain(of_a).cmp(&uncertain(of_b)))
        .then(excess(b).total_cmp(&excess(a)))
        .then(frames(of_b).cmp(&frames(of_a)))
}

/// Distance of a value from the limit it is outside of, as a part of that limit; 0 inside.
fn excess(finding: &Finding) -> f64 {
    let by = |beyond: f64, limit: f64| if beyond > 0.0 { (beyond / limit.abs().max(1e-9)).min(ABSURD) } else { 0.0 };
    let [low, high] = finding.limit;
    let below = low.map_or(0.0, |low| by(low - finding.value, low));
    below.max(high.map_or(0.0, |high| by(finding.value - high, high)))
}

/// Whether a clip hardly tells the gravity of a flight.
fn is_uncertain(analysis: &Analysis, flight: &Flight) -> bool {
    let vague = flight.gravity_standard_error > UNCERTAIN * flight.gravity.abs();
    vague || !flight.tells_gravity() || analysis.is_beside_unseen_support(flight)
}

/// Ratio of a flight's gravity to 1 g, or of 1 g to it, whichever is larger.
fn off_by(flight: &Flight) -> f64 {
    let gravity = flight.gravity.max(1e-6);
    gravity.max(1.0 / gravity)
}

#[cfg(test)]
mod tests {
    use muybridge::analysis::{FindingId, Span};

    use super::*;
    use crate::leap;

    fn span(first: usize, last: usize) -> Span {
        Span { first, last, start: first as f64 / 30.0, end: last as f64 / 30.0 }
    }

    fn finding(id: FindingId, severity: Severity, frames: (usize, usize), value: f64) -> Finding {
        let limit = if id == FindingId::FlightGravity { [Some(0.8), Some(1.25)] } else { [None, Some(0.2)] };
        Finding { id, severity, span: span(frames.0, frames.1), value, limit, message: String::new() }
    }

    /// Flights over these frames with these gravities and standard errors, each with a finding of that severity.
    fn analysis(flights: &[((usize, usize), f64, f64, Severity)]) -> Analysis {
        let mut analysis = leap::leap(1.0, 1.0).2;
        let model = analysis.flights.remove(0);
        for &((first, last), gravity, gravity_standard_error, severity) in flights {
            let span = span(first, last);
            analysis.flights.push(Flight { span, gravity, gravity_standard_error, ..model.clone() });
            analysis.findings.push(finding(FindingId::FlightGravity, severity, (first, last), gravity));
        }
        analysis
    }

    fn shown(analysis: &Analysis) -> (f64, f64) {
        (headline(analysis).unwrap().value, shown_flight(analysis).unwrap().gravity)
    }

    #[test]
    fn an_error_comes_before_a_flight_that_rises_of_which_the_clip_tells_little() {
        let short = ((4, 8), -0.07, 0.4, Severity::Warning);
        let fast = ((20, 30), 5.8, 0.05, Severity::Error);
        assert_eq!(shown(&analysis(&[short, fast])), (5.8, 5.8));
        assert_eq!(shown(&analysis(&[fast, short])), (5.8, 5.8));
    }

    #[test]
    fn among_warnings_an_uncertain_flight_comes_last_and_then_the_one_farthest_outside() {
        let mild = |frames| (frames, 1.4, 0.02, Severity::Warning);
        for uncertain in [((30, 34), 0.1, 0.01), ((30, 40), 0.1, 0.2)] {
            let (frames, gravity, error) = uncertain;
            assert_eq!(shown(&analysis(&[mild((10, 20)), (frames, gravity, error, Severity::Warning)])).0, 1.4);
        }
        let mut beside = analysis(&[((10, 20), 0.1, 0.01, Severity::Warning), mild((30, 40))]);
        assert_eq!(shown(&beside).0, 0.1, "0.7 of the lower limit below it, the other 0.12 of the upper one above");
        beside.unseen_support.push(span(21, 24));
        assert_eq!(shown(&beside).0, 1.4);
    }

    #[test]
    fn of_what_is_absurd_the_longer_flight_comes_first() {
        let hop = ((10, 20), 6.1, 0.1, Severity::Error);
        let flip = ((30, 50), 5.8, 0.1, Severity::Error);
        assert_eq!(shown(&analysis(&[hop, flip])), (5.8, 5.8));
        // Below four times the limit the farther one is worse, however short.
        let slow = |flight: ((usize, usize), f64, f64, Severity)| (flight.0, flight.1 - 2.0, flight.2, flight.3);
        assert_eq!(shown(&analysis(&[slow(hop), slow(flip)])), (6.1 - 2.0, 6.1 - 2.0));
    }

    #[test]
    fn what_has_no_end_is_no_worse_than_what_is_absurd_and_notes_are_no_headline() {
        let mut found = analysis(&[((10, 20), 14.0, 0.1, Severity::Error)]);
        found.findings.push(finding(FindingId::FlightMomentum, Severity::Error, (10, 20), f64::INFINITY));
        assert_eq!(headline(&found).unwrap().id, FindingId::FlightGravity);
        found.findings.iter_mut().for_each(|finding| finding.severity = Severity::Note);
        assert!(headline(&found).is_none() && shown_flight(&found).is_some());
    }

    #[test]
    fn a_sliding_foot_is_the_headline_of_a_sound_flight() {
        let mut found = leap::leap(1.0, 1.0).2;
        found.findings.push(finding(FindingId::FeetSkate, Severity::Warning, (0, 57), 0.4));
        assert_eq!(headline(&found).unwrap().id, FindingId::FeetSkate);
        assert_eq!(shown_flight(&found).unwrap().gravity, 1.0);
    }
}
