//! Statistics over a survey, in one pass: verdicts, findings, gravities (S24), histograms (S23), balance (S28).
//!
//! Memory holds counts, the few worst clips, and the gravity of every flight (8 bytes each) for exact quartiles.

use std::collections::BTreeMap;

use muybridge::analysis::FindingId;
use muybridge::analysis::{GravityTable, InBalance, gravity_table};

use super::record::{ClipRecord, FileRecord, HistogramCounts};
use super::row::CheckedClip;
use super::worst::{First, UnreadFile, WorstClip, WorstFlight};

/// Largest numbers of listed worst clips, flights and unreadable files; all are counted and in the tables.
const WORST_CLIPS: usize = 30;
const LISTED_FLIGHTS: usize = 300;
const LISTED_UNREAD: usize = 300;

/// Largest number of skeletons told apart; later ones are counted together.
const CHARACTERS: usize = 500;

/// Statistics of a whole survey.
#[derive(Clone, Debug)]
pub struct Statistics {
    /// Number of files.
    pub files: u64,
    /// Number of clips, unreadable ones included.
    pub clips: u64,
    /// Number of clips that could not be read.
    pub unreadable: u64,
    /// Frames of all clips.
    pub frames: u64,
    /// Length of all clips, s.
    pub seconds: f64,
    /// Number of clips that are plausible, implausible, undecided.
    pub verdicts: [u64; 3],
    /// Number of findings of each kind.
    pub findings: BTreeMap<FindingId, FindingTotals>,
    /// Histogram counts over all flights (path, momenta) and all clips (zero-moment point).
    pub histograms: HistogramCounts,
    /// Balance of walking clips.
    pub walking: BalanceCounts,
    /// Balance of running clips.
    pub running: BalanceCounts,
    /// Balance of all other clips.
    pub other: BalanceCounts,
    /// Clips by skeleton; the key is the column `skeleton`, "" for skeletons beyond the first 500.
    pub characters: BTreeMap<String, CharacterCounts>,
    /// Number of flights.
    pub flights: u64,
    gravities: Vec<f64>,
    worst_clips: First<WorstClip>,
    listed_flights: First<WorstFlight>,
    unread: Vec<UnreadFile>,
}

/// Number of findings of one id.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FindingTotals {
    /// Number of clips with the finding.
    pub clips: u64,
    /// Number of errors, warnings and notes.
    pub severities: [u64; 3],
}

/// Distance of the zero-moment point from the support, counted over some clips (S28).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BalanceCounts {
    /// Number of clips.
    pub clips: u64,
    /// Frames per bin of the distance; only frames with a zero-moment point and a support count.
    pub bins: Vec<u64>,
}

/// Statistics of the clips of one character.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CharacterCounts {
    /// Number of bones.
    pub bones: u64,
    /// First file with this character.
    pub example: String,
    /// Number of clips.
    pub clips: u64,
    /// Number of clips that are plausible, implausible, undecided.
    pub verdicts: [u64; 3],
    /// Number of flights.
    pub flights: u64,
}

impl Default for Statistics {
    fn default() -> Self {
        Self {
            files: 0,
            clips: 0,
            unreadable: 0,
            frames: 0,
            seconds: 0.0,
            verdicts: [0; 3],
            findings: BTreeMap::new(),
            histograms: HistogramCounts::default(),
            walking: BalanceCounts::default(),
            running: BalanceCounts::default(),
            other: BalanceCounts::default(),
            characters: BTreeMap::new(),
            flights: 0,
            gravities: Vec::new(),
            worst_clips: First::new(WORST_CLIPS, WorstClip::order),
            listed_flights: First::new(LISTED_FLIGHTS, WorstFlight::order),
            unread: Vec::new(),
        }
    }
}

impl Statistics {
    /// Adds the record of a file.
    pub fn push(&mut self, record: &FileRecord) {
        self.files += 1;
        for clip in &record.clips {
            self.clips += 1;
            match &clip.row.outcome {
                Ok(found) => self.take_clip(clip, found),
                Err(reason) => self.take_unread(&clip.row.file, reason),
            }
        }
    }

    /// The table of gravities (S24); `None` without flights.
    pub fn gravity(&self) -> Option<GravityTable> {
        gravity_table(&self.gravities)
    }

    /// The worst clips with errors, worst first, at most 30.
    pub fn worst_clips(&self) -> &[WorstClip] {
        self.worst_clips.kept()
    }

    /// The flights farthest from 1 g, farthest first, at most 300.
    pub fn farthest_flights(&self) -> &[WorstFlight] {
        self.listed_flights.kept()
    }

    /// The first unreadable files, at most 300.
    pub fn unread(&self) -> &[UnreadFile] {
        &self.unread
    }

    fn take_unread(&mut self, file: &str, reason: &str) {
        self.unreadable += 1;
        if self.unread.len() < LISTED_UNREAD {
            let reason = reason.strip_prefix(file).map_or(reason, |rest| rest.trim_start_matches([':', ' ']));
            self.unread.push(UnreadFile { file: file.to_owned(), reason: reason.to_owned() });
        }
    }

    fn take_clip(&mut self, clip: &ClipRecord, found: &CheckedClip) {
        self.frames += found.frames;
        self.seconds += found.seconds;
        let verdict = verdict_index(&found.verdict);
        self.verdicts[verdict] += 1;
        for finding in &clip.findings {
            let totals = self.findings.entry(finding.id).or_default();
            totals.clips += 1;
            add(&mut totals.severities, &finding.severities);
        }
        self.histograms.add(&clip.histograms);
        match found.gait.as_deref() {
            Some("walk") => &mut self.walking,
            Some("run") => &mut self.running,
            _ => &mut self.other,
        }
        .push(&clip.histograms.zero_moment);
        self.take_character(clip, found, verdict);
        for flight in &clip.flights {
            self.gravities.extend(flight.gravity);
            self.listed_flights.push(WorstFlight { row: flight.clone(), position: self.flights });
            self.flights += 1;
        }
        if let Some(worst) = WorstClip::of(clip) {
            self.worst_clips.push(worst);
        }
    }

    fn take_character(&mut self, clip: &ClipRecord, found: &CheckedClip, verdict: usize) {
        let known = self.characters.contains_key(&found.skeleton) || self.characters.len() < CHARACTERS;
        let key = if known { found.skeleton.clone() } else { String::new() };
        let character = self.characters.entry(key).or_default();
        if character.clips == 0 {
            (character.bones, character.example) = (found.bones, clip.row.file.clone());
        }
        character.clips += 1;
        character.verdicts[verdict] += 1;
        character.flights += found.flights;
    }
}

impl BalanceCounts {
    /// Fractions of frames with the zero-moment point inside the support, and inside or within one mean radius.
    pub fn in_balance(&self) -> Option<InBalance> {
        let frames = self.frames();
        let part = |count: u64| count as f64 / frames as f64;
        (frames > 0).then(|| InBalance { inside: part(self.bins[0]), within_one: part(self.bins[0] + self.bins[1]) })
    }

    /// Number of frames with a zero-moment point and a support.
    pub fn frames(&self) -> u64 {
        self.bins.iter().sum()
    }

    fn push(&mut self, bins: &[u64]) {
        self.clips += 1;
        add_bins(&mut self.bins, bins);
    }
}

impl HistogramCounts {
    fn add(&mut self, other: &Self) {
        add_bins(&mut self.path, &other.path);
        self.path_in_meters += other.path_in_meters;
        let own = self.linear.iter_mut().chain(&mut self.angular);
        own.zip(other.linear.iter().chain(&other.angular)).for_each(|(sum, bins)| add_bins(sum, bins));
        add_bins(&mut self.zero_moment, &other.zero_moment);
    }
}

/// Order of all counts per verdict.
pub(crate) const VERDICTS: [&str; 3] = ["plausible", "implausible", "undecided"];

fn verdict_index(verdict: &str) -> usize {
    VERDICTS.iter().position(|&known| known == verdict).unwrap_or(2)
}

fn add_bins(sum: &mut Vec<u64>, bins: &[u64]) {
    if sum.len() < bins.len() {
        sum.resize(bins.len(), 0);
    }
    add(sum, bins);
}

fn add(sum: &mut [u64], bins: &[u64]) {
    for (sum, bin) in sum.iter_mut().zip(bins) {
        *sum += bin;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Sample;

    fn clip() -> ClipRecord {
        ClipRecord::checked(&Sample::new().report(), None)
    }

    fn over(clips: Vec<ClipRecord>) -> Statistics {
        let mut statistics = Statistics::default();
        for (position, clip) in clips.into_iter().enumerate() {
            statistics.push(&FileRecord { position: position as u64, clips: vec![clip] });
        }
        statistics
    }

    fn with_gait(gait: Option<&str>, bins: [u64; 7]) -> ClipRecord {
        let mut clip = clip();
        if let Ok(found) = &mut clip.row.outcome {
            found.gait = gait.map(str::to_owned);
        }
        clip.histograms.zero_moment = bins.to_vec();
        clip
    }

    #[test]
    fn s24_thirteen_scenes_with_the_gravities_of_the_paper_have_its_median_and_range() {
        let paper = [1.02, 0.89, 2.20, 0.47, 0.50, 1.52, 1.41, 0.77, 3.35, 1.81, 0.43, 0.56, 2.51];
        let scene = |gravity: f64| {
            let mut clip = clip();
            clip.flights[0].gravity = Some(gravity);
            clip
        };
        let statistics = over(paper.iter().copied().map(scene).collect());
        let table = statistics.gravity().unwrap();
        assert_eq!((table.count, table.median, table.least, table.greatest, table.off), (13, 1.02, 0.43, 3.35, 11));
        // The five farthest by ratio: 3.35, 2.51, 1/0.43 = 2.33, 2.20 and 1/0.47 = 2.13.
        let farthest: Vec<f64> = statistics.farthest_flights()[..5].iter().map(|f| f.row.gravity.unwrap()).collect();
        assert_eq!(farthest, [3.35, 2.51, 0.43, 2.20, 0.47]);
    }

    #[test]
    fn s28_the_fractions_of_walks_and_runs_are_those_of_their_frames_together() {
        let statistics = over(vec![
            with_gait(Some("walk"), [6, 2, 1, 0, 0, 0, 1]),
            with_gait(Some("run"), [1, 0, 0, 2, 0, 0, 1]),
            with_gait(None, [9; 7]),
            with_gait(Some("walk"), [0, 0, 0, 0, 0, 10, 0]),
        ]);
        assert_eq!((statistics.walking.clips, statistics.walking.frames()), (2, 20));
        assert_eq!(statistics.walking.in_balance(), Some(InBalance { inside: 0.3, within_one: 0.4 }));
        assert_eq!(statistics.running.in_balance(), Some(InBalance { inside: 0.25, within_one: 0.25 }));
        assert_eq!(statistics.other.frames(), 63);
        assert_eq!(BalanceCounts::default().in_balance(), None);
    }

    #[test]
    fn s23_histograms_of_many_clips_are_the_sums_of_theirs() {
        let (one, three) = (over(vec![clip()]), over(vec![clip(), clip(), clip()]));
        let triple = |bins: &[u64]| bins.iter().map(|bin| 3 * bin).collect::<Vec<_>>();
        assert!(one.histograms.linear.iter().flatten().sum::<u64>() > 0);
        assert_eq!(three.histograms.linear, one.histograms.linear.each_ref().map(|bins| triple(bins)));
        assert_eq!(three.histograms.angular, one.histograms.angular.each_ref().map(|bins| triple(bins)));
        assert_eq!(three.histograms.zero_moment, triple(&one.histograms.zero_moment));
    }

    #[test]
    fn s33_scenes_are_counted_by_character() {
        let mut other = clip();
        if let Ok(found) = &mut other.row.outcome {
            found.skeleton = "0123456789abcdef".into();
        }
        let statistics = over(vec![clip(), other, clip(), ClipRecord::unreadable("b.bvh", None, "no")]);
        let clips: Vec<u64> = statistics.characters.values().map(|character| character.clips).collect();
        assert_eq!((statistics.clips, statistics.unreadable, clips.iter().sum::<u64>()), (4, 1, 3));
        assert_eq!(statistics.characters["0123456789abcdef"].clips, 1);
    }
}
