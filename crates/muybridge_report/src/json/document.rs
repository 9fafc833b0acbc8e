//! Serde structs of an entry of `clips`. Fields stand in the order in which they are written and borrow from the
//! report.

use muybridge::analysis::{Analysis, Finding, FindingId, Flight, Severity, Verdict};
use muybridge::analysis::{Feet, FlightErrors, PerFrame, Residual, ResidualSpan, Span};
use muybridge::glam::DVec3;
use serde::ser::{Serialize, Serializer};

use super::rows::{PerFrameDocument, Vector};
use crate::{ClipReport, UnreadClip};

/// JSON entry of an analyzed clip.
#[derive(serde::Serialize)]
pub struct ClipDocument<'a> {
    file: &'a str,
    name: &'a str,
    character: &'a str,
    error: Option<&'a str>,
    frames: usize,
    fps: f64,
    bones: usize,
    meters_per_unit: f64,
    unit_source: &'a str,
    up: &'a str,
    gravity_mps2: f64,
    cutoff_hz: Option<f64>,
    cutoff_source: &'a str,
    body: BodyDocument<'a>,
    no_body: Option<&'a str>,
    roles: Vec<RoleDocument<'a>>,
    floor_m: Option<f64>,
    treadmill_mps: Vector,
    /// First analyzed frame and the frame after the last analyzed frame.
    range: (usize, usize),
    per_frame: PerFrameDocument<'a>,
    flights: Vec<FlightDocument<'a>>,
    unseen_support: Vec<SpanDocument>,
    feet: FeetDocument,
    balance: BalanceDocument<'a>,
    residual: ResidualDocument,
    findings: Vec<FindingDocument<'a>>,
    ignored: &'a [String],
    verdict: &'static str,
}

impl<'a> ClipDocument<'a> {
    /// Borrows all values from the report.
    pub fn new(report: &ClipReport<'a>) -> Self {
        let analysis = report.analysis;
        Self {
            file: report.file,
            name: &analysis.clip,
            character: report.character_name,
            error: None,
            frames: analysis.frames,
            fps: analysis.frames_per_second,
            bones: analysis.bones.len(),
            meters_per_unit: report.meters_per_unit,
            unit_source: report.unit_source,
            up: report.up,
            gravity_mps2: analysis.gravity,
            cutoff_hz: analysis.cutoff_hz,
            cutoff_source: &analysis.cutoff_source,
            body: BodyDocument::new(analysis),
            no_body: analysis.no_body.as_deref(),
            roles: roles(analysis),
            floor_m: analysis.floor,
            treadmill_mps: Vector(analysis.treadmill),
            range: analysis.range,
            per_frame: PerFrameDocument::new(analysis),
            flights: analysis.flights.iter().map(FlightDocument::new).collect(),
            unseen_support: analysis.unseen_support.iter().map(SpanDocument::new).collect(),
            feet: FeetDocument::new(&analysis.feet),
            balance: BalanceDocument::new(analysis),
            residual: ResidualDocument::new(analysis.residual.as_ref()),
            findings: analysis.findings.iter().map(FindingDocument::new).collect(),
            ignored: report.ignored,
            verdict: verdict_name(analysis.verdict),
        }
    }
}

/// JSON entry of a file that could not be read: all keys of a clip, without values.
pub struct UnreadDocument<'a>(&'a UnreadClip<'a>);

impl<'a> UnreadDocument<'a> {
    /// Borrows the file's name and error.
    pub fn new(unread: &'a UnreadClip<'a>) -> Self {
        Self(unread)
    }
}

impl Serialize for UnreadDocument<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let none = PerFrame::default();
        ClipDocument {
            file: self.0.file,
            name: "",
            character: "",
            error: Some(self.0.error),
            frames: 0,
            fps: f64::NAN,
            bones: 0,
            meters_per_unit: f64::NAN,
            unit_source: "",
            up: "",
            gravity_mps2: f64::NAN,
            cutoff_hz: None,
            cutoff_source: "",
            body: BodyDocument { mass_kg: f64::NAN, source: "", segments: Vec::new() },
            no_body: None,
            roles: Vec::new(),
            floor_m: None,
            treadmill_mps: Vector(DVec3::ZERO),
            range: (0, 0),
            per_frame: PerFrameDocument::none(&none),
            flights: Vec::new(),
            unseen_support: Vec::new(),
            feet: FeetDocument { skate_mps: f64::NAN, float_m: f64::NAN, penetration_m: f64::NAN },
            balance: BalanceDocument {
                inside_fraction: None,
                normalized_distance: &[],
                within_one_fraction: None,
                worst_m: None,
                worst_frame: None,
            },
            residual: ResidualDocument::new(None),
            findings: Vec::new(),
            ignored: &[],
            verdict: verdict_name(Verdict::Undecided),
        }
        .serialize(serializer)
    }
}

#[derive(serde::Serialize)]
struct BodyDocument<'a> {
    mass_kg: f64,
    source: &'a str,
    segments: Vec<SegmentDocument<'a>>,
}

#[derive(serde::Serialize)]
struct SegmentDocument<'a> {
    bone: &'a str,
    mass_kg: f64,
}

impl<'a> BodyDocument<'a> {
    fn new(analysis: &'a Analysis) -> Self {
        let segment = |&(bone, mass_kg): &(usize, f64)| SegmentDocument { bone: &analysis.bones[bone], mass_kg };
        Self {
            mass_kg: analysis.mass,
            source: &analysis.body_source,
            segments: analysis.segments.iter().map(segment).collect(),
        }
    }
}

#[derive(serde::Serialize)]
struct RoleDocument<'a> {
    bone: &'a str,
    role: String,
}

fn roles(analysis: &Analysis) -> Vec<RoleDocument<'_>> {
    analysis
        .roles
        .iter()
        .map(|&(role, bone)| RoleDocument { bone: &analysis.bones[bone], role: role.name().to_owned() })
        .collect()
}

#[derive(serde::Serialize)]
struct FlightDocument<'a> {
    start_s: f64,
    end_s: f64,
    first_frame: usize,
    last_frame: usize,
    gravity_g: f64,
    gravity_se_g: f64,
    size_factor: f64,
    noticeability: f64,
    shape_error_m: f64,
    sideways_error_m: f64,
    horizontal_path_error: f64,
    /// "1" if the error is a fraction of the path's length, "m" if the path is too short to divide by.
    horizontal_path_error_unit: &'static str,
    linear_momentum_error: [Option<f64>; 3],
    angular_momentum_error: [Option<f64>; 3],
    frames_to_add: i64,
    linear_momentum_error_norm: f64,
    angular_momentum_error_norm: f64,
    angular_momentum_change_kgm2ps: f64,
    /// The three errors at every frame, first to last, under the names of their maxima.
    per_frame: FlightErrorsDocument<'a>,
    fit_position_m: Vector,
    fit_velocity_mps: Vector,
    ballistic_path_m: Vec<Vector>,
    marked: bool,
}

#[derive(serde::Serialize)]
struct FlightErrorsDocument<'a> {
    horizontal_path_error: &'a [f64],
    linear_momentum_error: &'a [[Option<f64>; 3]],
    angular_momentum_error: &'a [[Option<f64>; 3]],
}

impl<'a> FlightDocument<'a> {
    fn new(flight: &'a Flight) -> Self {
        let FlightErrors { horizontal_path, linear_momentum, angular_momentum } = &flight.per_frame;
        Self {
            start_s: flight.span.start,
            end_s: flight.span.end,
            first_frame: flight.span.first,
            last_frame: flight.span.last,
            gravity_g: flight.gravity,
            gravity_se_g: flight.gravity_standard_error,
            size_factor: flight.size_factor,
            noticeability: flight.noticeability,
            shape_error_m: flight.shape_error,
            sideways_error_m: flight.sideways_error,
            horizontal_path_error: flight.horizontal_path_error,
            horizontal_path_error_unit: if flight.path_error_in_meters { "m" } else { "1" },
            linear_momentum_error: flight.linear_momentum_error,
            angular_momentum_error: flight.angular_momentum_error,
            frames_to_add: flight.frames_to_add,
            linear_momentum_error_norm: flight.linear_momentum_error_norm,
            angular_momentum_error_norm: flight.angular_momentum_error_norm,
            angular_momentum_change_kgm2ps: flight.angular_momentum_change,
            per_frame: FlightErrorsDocument {
                horizontal_path_error: horizontal_path,
                linear_momentum_error: linear_momentum,
                angular_momentum_error: angular_momentum,
            },
            fit_position_m: Vector(flight.fit_position),
            fit_velocity_mps: Vector(flight.fit_velocity),
            ballistic_path_m: flight.ballistic_path.iter().copied().map(Vector).collect(),
            marked: flight.marked,
        }
    }
}

#[derive(serde::Serialize)]
struct SpanDocument {
    start_s: f64,
    end_s: f64,
    first_frame: usize,
    last_frame: usize,
}

impl SpanDocument {
    fn new(span: &Span) -> Self {
        Self { start_s: span.start, end_s: span.end, first_frame: span.first, last_frame: span.last }
    }
}

/// JSON of the feet: skating, floating and penetration.
#[derive(serde::Serialize)]
pub(crate) struct FeetDocument {
    skate_mps: f64,
    float_m: f64,
    penetration_m: f64,
}

impl FeetDocument {
    pub(crate) fn new(feet: &Feet) -> Self {
        Self { skate_mps: feet.skate, float_m: feet.float, penetration_m: feet.penetration }
    }
}

#[derive(serde::Serialize)]
struct BalanceDocument<'a> {
    inside_fraction: Option<f64>,
    normalized_distance: &'a [Option<f64>],
    within_one_fraction: Option<f64>,
    worst_m: Option<f64>,
    worst_frame: Option<usize>,
}

impl<'a> BalanceDocument<'a> {
    fn new(analysis: &'a Analysis) -> Self {
        let balance = &analysis.balance;
        Self {
            inside_fraction: balance.inside_fraction,
            normalized_distance: &balance.normalized_distance,
            within_one_fraction: balance.within_one_fraction,
            worst_m: balance.worst.map(|(distance, _)| distance),
            worst_frame: balance.worst.map(|(_, frame)| frame),
        }
    }
}

/// Force and moment that no contact gives.
#[derive(serde::Serialize)]
struct ResidualDocument {
    mean_force_bw: Option<f64>,
    worst_force_bw: Option<f64>,
    mean_moment_nm: Option<f64>,
    worst_moment_nm: Option<f64>,
    spans: Vec<ResidualSpanDocument>,
}

#[derive(serde::Serialize)]
struct ResidualSpanDocument {
    #[serde(flatten)]
    span: SpanDocument,
    force_bw: f64,
    moment_nm: f64,
    at_s: f64,
}

impl ResidualDocument {
    fn new(residual: Option<&Residual>) -> Self {
        let number = |of: fn(&Residual) -> f64| residual.map(of);
        let span = |found: &ResidualSpan| ResidualSpanDocument {
            span: SpanDocument::new(&found.span),
            force_bw: found.force,
            moment_nm: found.moment,
            at_s: found.at,
        };
        Self {
            mean_force_bw: number(|residual| residual.mean_force),
            worst_force_bw: number(|residual| residual.worst_force),
            mean_moment_nm: number(|residual| residual.mean_moment),
            worst_moment_nm: number(|residual| residual.worst_moment),
            spans: residual.map_or(&[][..], |residual| &residual.spans).iter().map(span).collect(),
        }
    }
}

#[derive(serde::Serialize)]
struct FindingDocument<'a> {
    id: FindingId,
    severity: &'static str,
    start_s: f64,
    end_s: f64,
    value: f64,
    limit: [Option<f64>; 2],
    message: &'a str,
    first_frame: usize,
    last_frame: usize,
}

impl<'a> FindingDocument<'a> {
    fn new(finding: &'a Finding) -> Self {
        Self {
            id: finding.id,
            severity: severity_name(finding.severity),
            start_s: finding.span.start,
            end_s: finding.span.end,
            value: finding.value,
            limit: finding.limit,
            message: &finding.message,
            first_frame: finding.span.first,
            last_frame: finding.span.last,
        }
    }
}

/// Name of a severity in the JSON schema.
pub fn severity_name(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

/// Name of a verdict in the JSON schema.
pub fn verdict_name(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Plausible => "plausible",
        Verdict::Implausible => "implausible",
        Verdict::Undecided => "undecided",
    }
}
