//! Whether a correction made a motion better: the findings before against the findings after.

use core::cmp::Ordering;
use std::collections::BTreeMap;

use crate::analysis::{Finding, Severity};

/// The findings of one name: how many errors and warnings, and how far the worst is outside its limits.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tally {
    /// Errors.
    pub errors: usize,
    /// Warnings.
    pub warnings: usize,
    /// Largest distance of a value to its limits, in the unit of the finding.
    pub excess: f64,
    /// The upper limit, in that unit.
    limit: f64,
}

/// What a correction did to the findings, by their names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// Fewer or less grave than before.
    pub better: Vec<&'static str>,
    /// More, graver, or farther outside the limits than before.
    pub worse: Vec<&'static str>,
    /// Still there, better or not.
    pub left: Vec<&'static str>,
}

/// Errors and warnings by name; notes are left out.
pub fn tally(findings: &[Finding]) -> BTreeMap<&'static str, Tally> {
    let mut tallies: BTreeMap<&'static str, Tally> = BTreeMap::new();
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

/// How far the value of a finding is outside its limits.
fn excess(finding: &Finding) -> f64 {
    let [low, high] = finding.limit;
    let below = low.map_or(0.0, |low| low - finding.value);
    let above = high.map_or(0.0, |high| finding.value - high);
    below.max(above).max(0.0)
}

/// Excesses that differ by less than this part are the same.
const SAME: f64 = 0.05;
/// Means and maxima over a whole clip grow by less than this part of their limit without counting as worse: they hang on a
/// frame of contact more or less, and planting the feet comes after everything else.
const WHOLE_CLIP_SLACK: f64 = 0.5;

/// Compares the findings before and after. With as many errors as before a worst value that is worse by more than a
/// twentieth decides, then the number of warnings, then a worst value that is better by as much.
pub fn compare(before: &[Finding], after: &[Finding]) -> Comparison {
    let (before, after) = (tally(before), tally(after));
    let mut comparison = Comparison::default();
    let names: std::collections::BTreeSet<&'static str> = before.keys().chain(after.keys()).copied().collect();
    for name in names {
        let old = before.get(name).copied().unwrap_or_default();
        let new = after.get(name).copied().unwrap_or_default();
        match graver(name, old, new) {
            Ordering::Greater => comparison.worse.push(name),
            Ordering::Less => comparison.better.push(name),
            Ordering::Equal => {}
        }
        if new.errors + new.warnings > 0 {
            comparison.left.push(name);
        }
    }
    comparison
}

/// Whether the new findings of a name are graver than the old ones.
fn graver(name: &str, old: Tally, new: Tally) -> Ordering {
    let change = new.excess - old.excess;
    let whole_clip = name.starts_with("feet.") || name.starts_with("clip.");
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
    // Two findings that become one are no better if the one is farther outside.
    let rest = if values == Ordering::Greater { values } else { count.then(values) };
    new.errors.cmp(&old.errors).then(rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::report::Span;

    fn finding(id: &'static str, severity: Severity, value: f64) -> Finding {
        let span = Span { first: 0, last: 1, start: 0.0, end: 1.0 };
        Finding { id, severity, span, value, limit: [Some(0.8), Some(1.25)], message: String::new() }
    }

    #[test]
    fn a_mean_over_the_whole_clip_may_tremble_but_not_grow() {
        let skate = |value| {
            let limit = [None, Some(0.15)];
            [Finding { limit, ..finding("feet.skate", Severity::Warning, value) }]
        };
        assert!(compare(&skate(0.22), &skate(0.24)).worse.is_empty() && compare(&[], &skate(0.2)).worse.is_empty());
        assert_eq!(compare(&skate(0.22), &skate(0.31)).worse, ["feet.skate"]);
        assert_eq!(compare(&skate(0.31), &skate(0.22)).better, ["feet.skate"]);
    }

    #[test]
    fn fewer_graver_and_farther_count_and_notes_do_not() {
        let error = |value| finding("a", Severity::Error, value);
        let warning = |value| finding("a", Severity::Warning, value);
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
        assert_eq!(better(&[], &[finding("b", Severity::Note, 9.0)]), (false, false, false));
    }
}
