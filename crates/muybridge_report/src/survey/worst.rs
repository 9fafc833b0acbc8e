//! The worst offenders: the few that come first by an order, found in one pass.

use std::cmp::Ordering;

use super::record::ClipRecord;
use super::row::{FlightRow, full_name, off_by};

/// The first few of a stream by an order; of equals the earlier ones.
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

    pub(super) fn take(&mut self, item: T) {
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

/// A clip among the worst.
#[derive(Clone, Debug, PartialEq)]
pub struct WorstClip {
    /// Its file.
    pub file: String,
    /// File and clip.
    pub name: String,
    /// Number of errors and warnings.
    pub severities: [u64; 2],
    /// Ids of its errors, each once, joined with `;`.
    pub error_ids: String,
    /// Gravity of the flight that is noticed soonest, g.
    pub gravity: Option<f64>,
    /// Largest noticeability of a flight.
    pub noticeability: f64,
}

impl WorstClip {
    /// Of a clip that has errors.
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

    /// More kinds of errors first, then what is noticed sooner, then more errors, then more warnings: a long clip that
    /// skates forty times is no worse than a flight nobody believes.
    pub(super) fn order(a: &Self, b: &Self) -> Ordering {
        let kinds = |clip: &Self| clip.error_ids.split(';').count();
        (kinds(b).cmp(&kinds(a)))
            .then(b.noticeability.total_cmp(&a.noticeability))
            .then(b.severities.cmp(&a.severities))
    }
}

/// A flight among those listed.
#[derive(Clone, Debug, PartialEq)]
pub struct WorstFlight {
    /// Its row.
    pub row: FlightRow,
    /// How many flights of the survey came before it.
    pub position: u64,
}

impl WorstFlight {
    /// File and clip.
    pub fn name(&self) -> String {
        full_name(&self.row.file, &self.row.clip)
    }

    /// Farther from 1 g by ratio first; what could not be weighed last.
    pub(super) fn order(a: &Self, b: &Self) -> Ordering {
        let off = |flight: &Self| flight.row.gravity.map_or(0.0, off_by);
        off(b).total_cmp(&off(a))
    }
}

/// A file that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadFile {
    /// The file.
    pub file: String,
    /// Why, in a sentence.
    pub reason: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_few_of_many_are_those_of_the_sorted_list_and_equals_keep_their_order() {
        let mut first = First::new(4, |a: &(u32, u32), b: &(u32, u32)| b.0.cmp(&a.0));
        let items: Vec<(u32, u32)> = (0..100).map(|k| ((k * 37) % 10, k)).collect();
        items.iter().for_each(|item| first.take(*item));
        let mut sorted = items.clone();
        sorted.sort_by_key(|item| std::cmp::Reverse(item.0));
        assert_eq!(first.kept(), &sorted[..4]);
    }
}
