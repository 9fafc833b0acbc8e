//! Work of the solver in the report of a run: counts per stage, which tell where time goes and never differ between runs.

use muybridge::simulation::recording::{Measures, Work};
use serde::Serialize;

/// JSON of the work of a run. Herds are counted as `in_lanes` alone.
#[derive(Serialize)]
pub struct WorkEntry {
    substeps: CountEntry,
    pairs: CountEntry,
    contacts: CountEntry,
    passes: CountEntry,
    corrections: CountEntry,
    contact_corrections: Option<CountEntry>,
    in_lanes: Option<CountEntry>,
    factorizations: Option<CountEntry>,
    tree_solves: Option<CountEntry>,
}

/// JSON of one count: of the whole run, of the frame with most, and of each frame.
#[derive(Serialize)]
struct CountEntry {
    total: u64,
    most: u64,
    per_frame: Vec<u64>,
}

impl CountEntry {
    fn new(per_frame: Vec<u64>) -> Self {
        let (total, most) = (per_frame.iter().sum(), per_frame.iter().copied().max().unwrap_or(0));
        Self { total, most, per_frame }
    }
}

impl WorkEntry {
    /// Counts of all frames.
    pub fn new(measures: &[Measures]) -> Self {
        let count = |of: fn(&Work) -> u64| CountEntry::new(measures.iter().map(|m| of(&m.work)).collect());
        // Every frame has a count, or none has.
        let maybe = |of: fn(&Work) -> Option<u64>| {
            let counts: Option<Vec<u64>> = measures.iter().map(|m| of(&m.work)).collect();
            counts.map(CountEntry::new)
        };
        Self {
            substeps: count(|work| work.substeps),
            pairs: count(|work| work.pairs),
            contacts: count(|work| work.contacts),
            passes: count(|work| work.passes),
            corrections: count(|work| work.corrections),
            contact_corrections: maybe(|work| work.contact_corrections),
            in_lanes: maybe(|work| work.in_lanes),
            factorizations: maybe(|work| work.factorizations),
            tree_solves: maybe(|work| work.tree_solves),
        }
    }

    /// Means of the steps, as text: "64 substeps, 939 pairs, 280 contacts, 73 passes per frame". `None` if nothing was
    /// counted.
    pub fn text(&self) -> Option<String> {
        let steps = self.substeps.per_frame.len().saturating_sub(1).max(1) as f64;
        let mean = |count: &CountEntry| short(count.total as f64 / steps);
        let Self { substeps, pairs, contacts, passes, .. } = self;
        let counts = [("substeps", substeps), ("pairs", pairs), ("contacts", contacts), ("passes", passes)];
        let words: Vec<String> = counts.iter().map(|(name, count)| format!("{} {name}", mean(count))).collect();
        (substeps.total > 0).then(|| format!("{} per frame", words.join(", ")))
    }
}

/// A count in at most four characters.
fn short(count: f64) -> String {
    match count.round() {
        count if count >= 9.5e5 => format!("{:.0}M", count / 1e6),
        count if count >= 9.5e3 => format!("{:.0}k", count / 1e3),
        count => format!("{count}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_summed_over_frames_and_shown_as_means_of_the_steps() {
        let frame = |pairs: u64| Measures {
            work: Work { substeps: 4, pairs, contact_corrections: None, factorizations: Some(2), ..Work::default() },
            ..Measures::default()
        };
        let work = WorkEntry::new(&[
            Measures { work: Work { factorizations: Some(0), ..Work::default() }, ..frame(0) },
            frame(10),
            frame(40_000),
        ]);
        assert_eq!((work.pairs.total, work.pairs.most), (40_010, 40_000));
        assert_eq!(work.factorizations.as_ref().map(|count| count.total), Some(4));
        assert!(work.contact_corrections.is_none());
        assert_eq!(work.text().as_deref(), Some("4 substeps, 20k pairs, 0 contacts, 0 passes per frame"));
        assert_eq!([9_499.0, 9_500.0, 2.6e6].map(short), ["9499", "10k", "3M"]);
    }
}
