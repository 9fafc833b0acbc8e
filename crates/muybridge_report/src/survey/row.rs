//! Rows of the two survey tables: one per clip and one per flight.
//!
//! Every number is taken bit for bit from the analysis (S31), or is a count, median or extreme of such numbers.

use muybridge::analysis::{Analysis, Flight, Gait, Severity, gait, gravity_table, horizontal_speed};
use serde::{Deserialize, Serialize};

use crate::ClipReport;
use crate::json::verdict_name;
use crate::labels::title;

/// A row of the table of clips.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClipRow {
    /// File as given to the survey.
    pub file: String,
    /// Name of the clip within the file; empty if it has none.
    pub clip: String,
    /// Name of the character; empty if the file holds one.
    #[serde(default)]
    pub character: String,
    /// Size of the file in bytes; `None` if the file does not exist.
    pub bytes: Option<u64>,
    /// Results of the check, or a sentence that says why the clip could not be read.
    pub outcome: Result<Box<CheckedClip>, String>,
}

/// Results of checking a clip.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CheckedClip {
    /// Frames in the clip.
    pub frames: u64,
    /// First analyzed frame.
    pub first_frame: u64,
    /// Last analyzed frame.
    pub last_frame: u64,
    /// Frames per second.
    pub fps: f64,
    /// Duration from the first to the last frame of the clip, s.
    pub seconds: f64,
    /// Number of bones.
    pub bones: u64,
    /// Hash of the skeleton, 16 hexadecimal digits: equal for skeletons with the same bones in the same order.
    pub skeleton: String,
    /// Total mass, kg.
    pub mass: f64,
    /// Source of the masses, in words.
    pub body_source: String,
    /// Meters per unit of the file.
    pub meters_per_unit: f64,
    /// Reason for that unit, in words.
    pub unit_source: String,
    /// Up axis of the file: "x", "y" or "z".
    pub up: String,
    /// Height of the floor, m; `None` without a floor.
    pub floor: Option<f64>,
    /// Cutoff of the low-pass filter, Hz; `None` without a filter.
    pub cutoff: Option<f64>,
    /// Gait: "walk" or "run"; `None` for everything else.
    pub gait: Option<String>,
    /// Mean speed of the center of mass relative to the ground, m/s.
    pub speed: Option<f64>,
    /// "plausible", "implausible" or "undecided".
    pub verdict: String,
    /// Number of errors, warnings and notes.
    pub severities: [u64; 3],
    /// Ids of the errors, warnings and notes, each once, sorted, joined with `;`.
    pub ids: [String; 3],
    /// Number of flights.
    pub flights: u64,
    /// Number of airborne frames.
    pub flight_frames: u64,
    /// Median of the gravities of the flights, g.
    pub gravity_median: Option<f64>,
    /// The gravity farthest from 1 g by ratio, g.
    pub gravity_worst: Option<f64>,
    /// Largest noticeability of a flight, see [`FlightRow::noticeability`].
    pub noticeability: Option<f64>,
    /// Frames with both a zero-moment point and a support.
    pub balance_frames: u64,
    /// Fraction of the balance frames with the zero-moment point inside the support.
    pub inside_fraction: Option<f64>,
    /// Fraction of the balance frames with the zero-moment point inside or within 1 mean radius of the support.
    pub within_one_fraction: Option<f64>,
    /// Largest distance of the zero-moment point outside the support, m.
    pub balance_worst: Option<f64>,
    /// Mean horizontal speed of planted contacts (foot skating), m/s; `None` without a floor.
    pub skate: Option<f64>,
    /// Largest gap under a body that needs support, m; `None` without a floor.
    pub float: Option<f64>,
    /// Largest penetration of the floor, m; `None` without a floor.
    pub penetration: Option<f64>,
    /// Duration of unseen support: time in which something outside the clip carries the body, s.
    pub unseen_support: f64,
}

/// A row of the table of flights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FlightRow {
    /// File as given to the survey.
    pub file: String,
    /// Name of the clip within the file.
    pub clip: String,
    /// Name of the character; empty if the file holds one.
    #[serde(default)]
    pub character: String,
    /// Number of the flight within the clip, from 0.
    pub flight: u64,
    /// First airborne frame.
    pub first_frame: u64,
    /// Last airborne frame.
    pub last_frame: u64,
    /// Time of the first airborne frame, s.
    pub start: f64,
    /// Time of the last airborne frame, s.
    pub end: f64,
    /// Apparent gravity of the flight, g.
    pub gravity: Option<f64>,
    /// Standard error of the gravity, g.
    pub gravity_standard_error: Option<f64>,
    /// Factor on the character's size at which the flight's duration would be right.
    pub size_factor: Option<f64>,
    /// Frames to add for 1 g; negative to remove frames.
    pub frames_to_add: i64,
    /// Largest horizontal distance from the straight path, divided by the path's length, or in m.
    pub path_error: Option<f64>,
    /// Whether `path_error` is in m.
    pub path_error_in_meters: bool,
    /// Largest relative error of the linear momentum along x, y, z; y has none.
    pub linear_momentum_error: [Option<f64>; 3],
    /// Largest error of the linear momentum divided by the length of its mean, which is more stable than per axis.
    pub linear_momentum_error_norm: Option<f64>,
    /// Largest change of the horizontal linear momentum, kg m/s.
    pub linear_momentum_change: Option<f64>,
    /// Largest relative error of the angular momentum about x, y, z.
    pub angular_momentum_error: [Option<f64>; 3],
    /// Largest error of the angular momentum divided by the length of its mean, which is more stable than per axis.
    pub angular_momentum_error_norm: Option<f64>,
    /// Largest change of the angular momentum, kg m²/s.
    pub angular_momentum_change: Option<f64>,
    /// Noticeability to a viewer: 1 is a change of the horizontal velocity by a fifth.
    pub noticeability: Option<f64>,
    /// Whether the user marked the flight.
    pub marked: bool,
}

impl ClipRow {
    /// The row of an analyzed clip; `bytes` is the size of its file.
    pub fn checked(report: &ClipReport<'_>, bytes: Option<u64>) -> Self {
        let (clip, character) = (report.analysis.clip.clone(), report.one_of_several().to_owned());
        let outcome = Ok(Box::new(CheckedClip::new(report)));
        Self { file: report.file.to_owned(), clip, character, bytes, outcome }
    }

    /// The row of a clip, or of a whole file, that could not be read, with the reason.
    pub fn unreadable(file: &str, bytes: Option<u64>, reason: &str) -> Self {
        let (clip, character) = (String::new(), String::new());
        Self { file: file.to_owned(), clip, character, bytes, outcome: Err(reason.to_owned()) }
    }

    /// Results of the check; `None` if the clip could not be read.
    pub fn found(&self) -> Option<&CheckedClip> {
        self.outcome.as_deref().ok()
    }

    /// File name, followed by the names of clip and character if they have one: "hero.glb · Run".
    pub fn name(&self) -> String {
        title(&[&self.file, &self.clip, &self.character])
    }
}

impl CheckedClip {
    fn new(report: &ClipReport<'_>) -> Self {
        let analysis = report.analysis;
        let gravities: Vec<f64> = analysis.flights.iter().map(|flight| flight.gravity).collect();
        let noticed = analysis.flights.iter().map(|flight| flight.noticeability).filter(|value| value.is_finite());
        let feet = analysis.floor.map(|_| analysis.feet);
        Self {
            frames: analysis.frames as u64,
            first_frame: analysis.range.0 as u64,
            last_frame: analysis.range.1 as u64 - 1,
            fps: analysis.frames_per_second,
            seconds: (analysis.frames - 1) as f64 / analysis.frames_per_second,
            bones: analysis.bones.len() as u64,
            skeleton: skeleton_id(report),
            mass: analysis.mass,
            body_source: analysis.body_source.clone(),
            meters_per_unit: report.meters_per_unit,
            unit_source: report.unit_source.to_owned(),
            up: report.up.to_owned(),
            floor: finite(analysis.floor),
            cutoff: finite(analysis.cutoff_hz),
            gait: gait(analysis).map(|gait| gait_name(gait).to_owned()),
            speed: finite(horizontal_speed(analysis)),
            verdict: verdict_name(analysis.verdict).to_owned(),
            severities: SEVERITIES.map(|severity| count(analysis, severity)),
            ids: SEVERITIES.map(|severity| ids(analysis, severity)),
            flights: analysis.flights.len() as u64,
            flight_frames: analysis
                .flights
                .iter()
                .map(|flight| (flight.span.last - flight.span.first + 1) as u64)
                .sum(),
            gravity_median: gravity_table(&gravities).map(|table| table.median),
            gravity_worst: farthest_from_one(&gravities),
            noticeability: noticed.reduce(f64::max),
            balance_frames: analysis.balance.normalized_distance.iter().flatten().count() as u64,
            inside_fraction: finite(analysis.balance.inside_fraction),
            within_one_fraction: finite(analysis.balance.within_one_fraction),
            balance_worst: finite(analysis.balance.worst.map(|(distance, _)| distance)),
            skate: finite(feet.map(|feet| feet.skate)),
            float: finite(feet.map(|feet| feet.float)),
            penetration: finite(feet.map(|feet| feet.penetration)),
            unseen_support: analysis.unseen_support.iter().map(|span| span.end - span.start).sum(),
        }
    }
}

impl FlightRow {
    /// The row of flight `index` of a clip.
    pub fn new(report: &ClipReport<'_>, index: usize, flight: &Flight) -> Self {
        let axes = |errors: [Option<f64>; 3]| errors.map(finite);
        Self {
            file: report.file.to_owned(),
            clip: report.analysis.clip.clone(),
            character: report.one_of_several().to_owned(),
            flight: index as u64,
            first_frame: flight.span.first as u64,
            last_frame: flight.span.last as u64,
            start: flight.span.start,
            end: flight.span.end,
            gravity: finite(Some(flight.gravity)),
            gravity_standard_error: finite(Some(flight.gravity_standard_error)),
            size_factor: finite(Some(flight.size_factor)),
            frames_to_add: flight.frames_to_add,
            path_error: finite(Some(flight.horizontal_path_error)),
            path_error_in_meters: flight.path_error_in_meters,
            linear_momentum_error: axes(flight.linear_momentum_error),
            linear_momentum_error_norm: finite(Some(flight.linear_momentum_error_norm)),
            linear_momentum_change: finite(Some(flight.linear_momentum_change)),
            angular_momentum_error: axes(flight.angular_momentum_error),
            angular_momentum_error_norm: finite(Some(flight.angular_momentum_error_norm)),
            angular_momentum_change: finite(Some(flight.angular_momentum_change)),
            noticeability: finite(Some(flight.noticeability)),
            marked: flight.marked,
        }
    }
}

/// Order of all counts per severity.
pub(super) const SEVERITIES: [Severity; 3] = [Severity::Error, Severity::Warning, Severity::Note];

/// Name of a gait in the tables.
fn gait_name(gait: Gait) -> &'static str {
    match gait {
        Gait::Walk => "walk",
        Gait::Run => "run",
    }
}

/// Ratio of a gravity to 1 g, 2 for half and for twice; zero gravity has the largest ratio.
pub(super) fn off_by(gravity: f64) -> f64 {
    let gravity = gravity.max(1e-6);
    gravity.max(1.0 / gravity)
}

fn farthest_from_one(gravities: &[f64]) -> Option<f64> {
    let finite = gravities.iter().copied().filter(|gravity| gravity.is_finite());
    finite.reduce(|worst, gravity| if off_by(gravity) > off_by(worst) { gravity } else { worst })
}

fn count(analysis: &Analysis, severity: Severity) -> u64 {
    analysis.findings.iter().filter(|finding| finding.severity == severity).count() as u64
}

fn ids(analysis: &Analysis, severity: Severity) -> String {
    let found = analysis.findings.iter().filter(|finding| finding.severity == severity);
    let mut ids: Vec<&str> = found.map(|finding| finding.id.name()).collect();
    ids.sort_unstable();
    ids.dedup();
    ids.join(";")
}

fn finite(value: Option<f64>) -> Option<f64> {
    value.filter(|value| value.is_finite())
}

/// FNV-1a hash of the names and parents of the bones.
fn skeleton_id(report: &ClipReport<'_>) -> String {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut eat = |bytes: &[u8]| {
        for &byte in bytes {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    };
    for bone in report.character.skeleton.bones() {
        eat(bone.name.as_bytes());
        eat(&[0]);
        eat(&bone.parent.map_or(u64::MAX, |parent| parent as u64).to_le_bytes());
    }
    format!("{hash:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s24_half_and_twice_are_equally_far_from_one_g_and_what_hangs_is_farthest() {
        assert_eq!(off_by(0.5), off_by(2.0));
        assert_eq!(farthest_from_one(&[1.1, 0.4, 2.0, f64::NAN]), Some(0.4));
        assert_eq!(farthest_from_one(&[5.0, -0.1]), Some(-0.1));
        assert_eq!(farthest_from_one(&[]), None);
    }
}
