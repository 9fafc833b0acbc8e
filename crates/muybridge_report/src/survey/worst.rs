//! The worst clips and flights: the first few of a stream by an order, found in one pass.

use std::cmp::Ordering;

use super::record::ClipRecord;
use super::row::{FlightRow, off_by};
use crate::labels::title;

/// The first few items of a stream by an order; of equal items the earlier ones.
#[derive(Clone, Debug)]
pub(super) struct First<T> {
    most: usize,
    order: fn(&T, &T) -> Ordering,
    kept: Vec<T>,
}

impl<T> First<T> {
    pub(super) fn new(most: usize, order: fn(&T, &T) -> Ordering) -> Self {
        Self { most, order, kept: Vec::new() }
    }

    pub(super) fn push(&mut self, item: T) {
        let at = self.kept.partition_point(|kept| (self.order)(kept, &item) != Ordering::Greater);
        if at < self.most {
            self.kept.truncate(self.most - 1);
            self.kept.insert(at, item);
        }
    }

    pub(super) fn kept(&self) -> &[T] {
        &self.kept
    }
}

/// A clip among the worst of a survey.
#[derive(Clone, Debug, PartialEq)]
pub struct WorstClip {
    /// File of the clip.
    pub file: String,
    /// File name, followed by the clip's name if it has one.
    pub name: String,
    /// Number of errors and of warnings.
    pub severities: [u64; 2],
    /// Ids of the clip's errors, each once, joined with `;`.
    pub error_ids: String,
    /// Gravity of the most noticeable flight, g.
    pub gravity: Option<f64>,
    /// Largest noticeability of a flight.
    pub noticeability: f64,
}

impl WorstClip {
    /// The entry of a clip; `None` without errors.
    pub(super) fn of(clip: &ClipRecord) -> Option<Self> {
        let found = clip.row.found().filter(|found| found.severities[0] > 0)?;
        let noticed = |flight: &&FlightRow| flight.noticeability.unwrap_or(0.0);
        let soonest = clip.flights.iter().max_by(|a, b| noticed(a).total_cmp(&noticed(b)));
        Some(Self {
            file: clip.row.file.clone(),
            name: clip.row.name(),
            severities: [found.severities[0], found.severities[1]],
            error_ids: found.ids[0].clone(),
            gravity: soonest.and_then(|flight| flight.gravity),
            noticeability: found.noticeability.unwrap_or(0.0),
        })
    }

    /// Order of the worst clips: more kinds of errors first, then larger noticeability, then more errors, then more
    /// warnings. A long clip with forty skating feet is no worse than an implausible flight.
    pub(super) fn order(a: &Self, b: &Self) -> Ordering {
        let kinds = |clip: &Self| clip.error_ids.split(';').count();
        (kinds(b).cmp(&kinds(a)))
            .then(b.noticeability.total_cmp(&a.noticeability))
            .then(b.severities.cmp(&a.severities))
    }
}

/// A flight listed among those farthest from 1 g.
#[derive(Clone, Debug, PartialEq)]
pub struct WorstFlight {
    /// Row of the flight in the table of flights.
    pub row: FlightRow,
    /// Number of flights of the survey before this one.
    pub position: u64,
}

impl WorstFlight {
    /// File name, followed by the clip's name if it has one.
    pub fn name(&self) -> String {
        title(&[&self.row.file, &self.row.clip, &self.row.character])
    }

    /// Order of the flights: farther from 1 g by ratio first, unknown gravity last.
    pub(super) fn order(a: &Self, b: &Self) -> Ordering {
        let off = |flight: &Self| flight.row.gravity.map_or(0.0, off_by);
        off(b).total_cmp(&off(a))
    }
}

/// A file that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadFile {
    /// File as given to the survey.
    pub file: String,
    /// Reason, in a sentence.
    pub reason: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_few_of_many_are_those_of_the_sorted_list_and_equals_keep_their_order() {
        let mut first = First::new(4, |a: &(u32, u32), b: &(u32, u32)| b.0.cmp(&a.0));
        let items: Vec<(u32, u32)> = (0..100).map(|k| ((k * 37) % 10, k)).collect();
        items.iter().for_each(|item| first.push(*item));
        let mut sorted = items.clone();
        sorted.sort_by_key(|item| std::cmp::Reverse(item.0));
        assert_eq!(first.kept(), &sorted[..4]);
    }
}
