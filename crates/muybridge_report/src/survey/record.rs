//! Survey record of a file: its table rows and the counts for the statistics, as one line of JSON.
//!
//! Numbers are written as the shortest decimals that read back as the same bits, so a survey resumed from written
//! records gives the same results.

use std::collections::BTreeMap;

use muybridge::analysis::{Analysis, FindingId, Severity};
use muybridge::analysis::{Bins, counts};
use serde::{Deserialize, Serialize};

use super::row::{ClipRow, FlightRow, SEVERITIES};
use crate::ClipReport;

/// Survey record of a file: its clips in order, or one unreadable clip.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FileRecord {
    /// Position of the file in the list of the survey, from 0.
    pub position: u64,
    /// Records of the clips, at least one.
    pub clips: Vec<ClipRecord>,
}

/// Survey record of a clip: its table rows and counts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClipRecord {
    /// Row in the table of clips.
    pub row: ClipRow,
    /// Rows in the table of flights.
    pub flights: Vec<FlightRow>,
    /// Count of each finding, sorted by id.
    pub findings: Vec<FindingCount>,
    /// Histogram counts of the clip.
    pub histograms: HistogramCounts,
}

/// Count of one kind of finding in a clip.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FindingCount {
    /// Kind of the finding.
    pub id: FindingId,
    /// Number of errors, warnings and notes with that id.
    pub severities: [u64; 3],
}

/// Frames per bin of the paper's histograms (S23).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HistogramCounts {
    /// Path errors of airborne frames, 8 bins; without the flights whose error is in meters.
    pub path: Vec<u64>,
    /// Airborne frames whose path error is in meters: their flight travels less than 5 cm over the ground.
    pub path_in_meters: u64,
    /// Errors of the linear momentum along x and along z, 16 bins each (figures 6 b and c).
    pub linear: [Vec<u64>; 2],
    /// Errors of the angular momentum about x, y and z, 16 bins each (figures 6 d, e and f).
    pub angular: [Vec<u64>; 3],
    /// Normalized distances of the zero-moment point to the support, 7 bins.
    pub zero_moment: Vec<u64>,
}

impl FileRecord {
    /// The record as one line of JSON, without line break.
    pub fn line(&self) -> String {
        serde_json::to_string(self).expect("the record has string keys only and serializes without error")
    }

    /// Parses a record from its line. Fails if its counts are none that a file can have.
    pub fn parse(line: &str) -> Result<Self, serde_json::Error> {
        let record: Self = serde_json::from_str(line)?;
        if record.clips.iter().all(ClipRecord::is_possible) {
            Ok(record)
        } else {
            Err(serde::de::Error::custom("the record has counts that no file has"))
        }
    }
}

/// No file has more frames; sums over a survey stay far below what a number holds.
const MOST: u64 = 1 << 40;

impl ClipRecord {
    /// Whether the counts that are summed are small enough, and the histograms have no more bins than there are.
    fn is_possible(&self) -> bool {
        let HistogramCounts { path, path_in_meters, linear, angular, zero_moment } = &self.histograms;
        let row = self.row.outcome.as_ref().map_or([0, 0], |found| [found.frames, found.flights]);
        let severities = self.findings.iter().flat_map(|finding| finding.severities);
        let momenta = linear.iter().chain(angular).map(|counts| (counts, Bins::MomentumError));
        let others = [(path, Bins::PathError), (zero_moment, Bins::ZeroMomentDistance)];
        let histograms: Vec<_> = momenta.chain(others).collect();
        histograms.iter().all(|(counts, bins)| counts.len() <= bins.edges().len() + 1)
            && histograms.iter().flat_map(|(counts, _)| counts.iter().copied()).all(|count| count <= MOST)
            && severities.chain(row).chain([*path_in_meters]).all(|count| count <= MOST)
    }

    /// Record of an analyzed clip; `bytes` is the size of its file.
    pub fn checked(report: &ClipReport<'_>, bytes: Option<u64>) -> Self {
        let flights = report.analysis.flights.iter().enumerate();
        Self {
            row: ClipRow::checked(report, bytes),
            flights: flights.map(|(index, flight)| FlightRow::new(report, index, flight)).collect(),
            findings: finding_counts(report.analysis),
            histograms: HistogramCounts::new(report.analysis),
        }
    }

    /// Record of a clip, or of a whole file, that could not be read.
    pub fn unreadable(file: &str, bytes: Option<u64>, reason: &str) -> Self {
        Self {
            row: ClipRow::unreadable(file, bytes, reason),
            flights: Vec::new(),
            findings: Vec::new(),
            histograms: HistogramCounts::default(),
        }
    }
}

impl HistogramCounts {
    fn new(analysis: &Analysis) -> Self {
        let flights = || analysis.flights.iter();
        let path = flights().filter(|flight| !flight.path_error_in_meters).flat_map(|f| &f.per_frame.horizontal_path);
        let in_meters = flights().filter(|flight| flight.path_error_in_meters);
        let linear = |axis: usize| {
            let errors = flights().flat_map(|flight| &flight.per_frame.linear_momentum);
            counts(errors.filter_map(|error| error[axis]), Bins::MomentumError)
        };
        let angular = |axis: usize| {
            let errors = flights().flat_map(|flight| &flight.per_frame.angular_momentum);
            counts(errors.filter_map(|error| error[axis]), Bins::MomentumError)
        };
        let distances = analysis.balance.normalized_distance.iter().flatten();
        Self {
            path: counts(path.copied(), Bins::PathError),
            path_in_meters: in_meters.map(|flight| flight.per_frame.horizontal_path.len() as u64).sum(),
            linear: [0, 2].map(linear),
            angular: [0, 1, 2].map(angular),
            zero_moment: counts(distances.copied(), Bins::ZeroMomentDistance),
        }
    }
}

fn finding_counts(analysis: &Analysis) -> Vec<FindingCount> {
    let mut counts: BTreeMap<FindingId, [u64; 3]> = BTreeMap::new();
    for finding in &analysis.findings {
        counts.entry(finding.id).or_default()[place(finding.severity)] += 1;
    }
    counts.into_iter().map(|(id, severities)| FindingCount { id, severities }).collect()
}

fn place(severity: Severity) -> usize {
    SEVERITIES.iter().position(|&known| known == severity).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Sample;

    #[test]
    fn s31_a_record_that_was_written_down_reads_back_as_the_same_bits() {
        let mut sample = Sample::new();
        sample.analysis.feet.skate = 0.1 + 0.2;
        sample.analysis.flights[0].gravity = 2.2 / 3.0;
        sample.analysis.flights[0].gravity_standard_error = f64::INFINITY;
        let clips = vec![
            ClipRecord::checked(&sample.report(), Some(12)),
            ClipRecord::unreadable("b \"quoted\"\n.bvh", None, "b.bvh:3:1: no such channel"),
        ];
        let record = FileRecord { position: 7, clips };
        let line = record.line();
        assert!(!line.contains('\n'));
        assert_eq!(FileRecord::parse(&line).unwrap(), record);
        assert_eq!(record.clips[0].flights[0].gravity, Some(2.2 / 3.0));
        assert_eq!(record.clips[0].flights[0].gravity_standard_error, None, "what is infinite is empty");
    }

    #[test]
    fn a_record_with_counts_that_no_file_has_is_refused() {
        let record = FileRecord { position: 0, clips: vec![ClipRecord::checked(&Sample::new().report(), None)] };
        let mut more_bins = record.clone();
        more_bins.clips[0].histograms.zero_moment = vec![1; 8];
        let mut more_frames = record.clone();
        more_frames.clips[0].histograms.path[0] = u64::MAX;
        let mut more_findings = record.clone();
        more_findings.clips[0].findings.push(FindingCount { id: FindingId::ALL[0], severities: [0, u64::MAX, 0] });
        for wrong in [more_bins, more_frames, more_findings] {
            assert!(FileRecord::parse(&wrong.line()).is_err(), "{}", wrong.line());
        }
        assert!(FileRecord::parse(&record.line()).is_ok());
    }

    #[test]
    fn s23_every_frame_in_flight_is_in_one_bin_of_each_histogram() {
        let sample = Sample::new();
        let histograms = HistogramCounts::new(&sample.analysis);
        let frames: u64 = sample.analysis.flights.iter().map(|f| f.per_frame.horizontal_path.len() as u64).sum();
        assert!(frames > 0);
        assert_eq!(histograms.path.iter().sum::<u64>() + histograms.path_in_meters, frames);
        for axis in histograms.linear.iter().chain(&histograms.angular) {
            assert_eq!(axis.iter().sum::<u64>(), frames);
        }
        let balanced = sample.analysis.balance.normalized_distance.iter().flatten().count() as u64;
        assert_eq!(histograms.zero_moment.iter().sum::<u64>(), balanced);
    }
}
