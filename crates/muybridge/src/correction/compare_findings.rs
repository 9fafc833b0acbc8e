//! Judges whether a correction improved a motion, by comparing the findings before and after.

use core::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use crate::analysis::{Finding, FindingId, FindingSection, Severity};

/// The findings of one kind: the number of errors and of warnings, and how far the worst is outside its limits.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Tally {
    /// Number of errors.
    pub errors: usize,
    /// Number of warnings.
    pub warnings: usize,
    /// Largest distance of a value to its limits, in the unit of the finding.
    pub excess: f64,
    /// Upper limit, in the unit of the finding.
    limit: f64,
}

/// The effect of a correction on the findings: kinds in the order of their names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// Kinds with fewer or less grave findings than before.
    pub better: Vec<FindingId>,
    /// Kinds with more findings, graver ones, or ones farther outside their limits than before.
    pub worse: Vec<FindingId>,
    /// Kinds that still have findings, better or not.
    pub left: Vec<FindingId>,
}

/// Counts errors and warnings of each kind; notes are left out.
pub(crate) fn tally(findings: &[Finding]) -> BTreeMap<FindingId, Tally> {
    let mut tallies: BTreeMap<FindingId, Tally> = BTreeMap::new();
    for finding in findings {
        let tally = match finding.severity {
            Severity::Note => continue,
            _ => tallies.entry(finding.id).or_default(),
        };
        match finding.severity {
            Severity::Error => tally.errors += 1,
            _ => tally.warnings += 1,
        }
        tally.excess = tally.excess.max(excess(finding));
        tally.limit = finding.limit[1].unwrap_or(0.0);
    }
    tallies
}

/// Excess of the value of a finding over its limits, in its unit.
fn excess(finding: &Finding) -> f64 {
    let [low, high] = finding.limit;
    let below = low.map_or(0.0, |low| low - finding.value);
    let above = high.map_or(0.0, |high| finding.value - high);
    below.max(above).max(0.0)
}

/// Relative difference below which excesses count as equal.
const SAME: f64 = 0.05;
/// Growth of means and maxima over a whole clip, as a share of their limit, that does not count as worse: they depend on a frame of contact more or
/// less, and feet are planted after everything else.
const WHOLE_CLIP_SLACK: f64 = 0.5;

/// Compares the findings before and after. The number of errors decides first. If it is equal, a worst value that is worse by more than a twentieth
/// decides, then the number of warnings, then a worst value that is better by as much.
pub fn compare(before: &[Finding], after: &[Finding]) -> Comparison {
    let (before, after) = (tally(before), tally(after));
    let mut comparison = Comparison::default();
    let ids: BTreeSet<FindingId> = before.keys().chain(after.keys()).copied().collect();
    for id in ids {
        let old = before.get(&id).copied().unwrap_or_default();
        let new = after.get(&id).copied().unwrap_or_default();
        match graver(id, old, new) {
            Ordering::Greater => comparison.worse.push(id),
            Ordering::Less => comparison.better.push(id),
            Ordering::Equal => {}
        }
        if new.errors + new.warnings > 0 {
            comparison.left.push(id);
        }
    }
    comparison
}

/// Whether a motion jumps more often than before. [`compare`] lets that pass, since a flight that plays slower changes the pace at its ends; feet that
/// are planted have no such excuse.
pub(crate) fn jumps_more(before: &[Finding], after: &[Finding]) -> bool {
    let jumps = |findings: &[Finding]| tally(findings).get(&FindingId::ClipJump).map_or(0, |t| t.errors + t.warnings);
    jumps(after) > jumps(before)
}

/// Compares the findings of one kind after a correction with those before; greater is graver.
fn graver(id: FindingId, old: Tally, new: Tally) -> Ordering {
    // A flight that plays slower changes the pace at its ends; that alone is no jump.
    if id == FindingId::ClipJump && new.errors <= old.errors {
        return Ordering::Equal;
    }
    let change = new.excess - old.excess;
    let whole_clip = matches!(id.section(), FindingSection::Feet | FindingSection::Clip);
    if whole_clip && change > 0.0 && change <= WHOLE_CLIP_SLACK * new.limit {
        return Ordering::Equal;
    }
    let slack = SAME * old.excess + 1e-9;
    let values = match change {
        change if change > slack => Ordering::Greater,
        change if change < -slack => Ordering::Less,
        _ => Ordering::Equal,
    };
    let count = (new.errors + new.warnings).cmp(&(old.errors + old.warnings));
    // Two findings that merge into one are no improvement if this one is farther outside its limits.
    let rest = if values == Ordering::Greater { values } else { count.then(values) };
    new.errors.cmp(&old.errors).then(rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::report::Span;

    fn finding(id: FindingId, severity: Severity, value: f64) -> Finding {
        let span = Span { first: 0, last: 1, start: 0.0, end: 1.0 };
        Finding { id, severity, span, value, limit: [Some(0.8), Some(1.25)], message: String::new() }
    }

    #[test]
    fn a_mean_over_the_whole_clip_may_tremble_but_not_grow() {
        let skate = |value| {
            let limit = [None, Some(0.15)];
            [Finding { limit, ..finding(FindingId::FeetSkate, Severity::Warning, value) }]
        };
        assert!(compare(&skate(0.22), &skate(0.24)).worse.is_empty() && compare(&[], &skate(0.2)).worse.is_empty());
        assert_eq!(compare(&skate(0.22), &skate(0.31)).worse, [FindingId::FeetSkate]);
        assert_eq!(compare(&skate(0.31), &skate(0.22)).better, [FindingId::FeetSkate]);
    }

    #[test]
    fn a_new_jump_is_no_worse_where_time_is_stretched_but_counts_where_feet_are_planted() {
        let jump = [finding(FindingId::ClipJump, Severity::Warning, 9.0)];
        assert!(compare(&[], &jump).worse.is_empty() && jumps_more(&[], &jump));
        assert!(!jumps_more(&jump, &jump) && !jumps_more(&jump, &[]));
    }

    #[test]
    fn fewer_graver_and_farther_count_and_notes_do_not() {
        let error = |value| finding(FindingId::FlightGravity, Severity::Error, value);
        let warning = |value| finding(FindingId::FlightGravity, Severity::Warning, value);
        let better = |before: &[Finding], after: &[Finding]| {
            let found = compare(before, after);
            (!found.better.is_empty(), !found.worse.is_empty(), !found.left.is_empty())
        };
        assert_eq!(better(&[error(2.25)], &[]), (true, false, false));
        assert_eq!(better(&[error(2.25)], &[warning(1.3)]), (true, false, true));
        assert_eq!(better(&[warning(1.3)], &[error(1.3)]), (false, true, true));
        assert_eq!(better(&[warning(1.3)], &[warning(1.3), warning(1.3)]), (false, true, true));
        assert_eq!(better(&[error(0.5)], &[error(0.2)]), (false, true, true));
        assert_eq!(better(&[warning(1.3), warning(1.3)], &[warning(1.3)]), (true, false, true));
        assert_eq!(better(&[warning(1.3), warning(1.3)], &[warning(1.4)]), (false, true, true));
        assert_eq!(better(&[error(0.5)], &[error(0.501)]), (false, false, true));
        assert_eq!(better(&[], &[finding(FindingId::ClipUnits, Severity::Note, 9.0)]), (false, false, false));
    }
}
