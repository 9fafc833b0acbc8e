//! JSON of one side of a correction: the clip before it, or the clip after it.

use muybridge::analysis::{Analysis, Finding, FindingId, Flight};
use serde::Serialize;

use super::seconds;
use crate::contact_spans;
use crate::json::{FeetDocument, severity_name, verdict_name};

/// JSON of the analysis of one of the two clips.
#[derive(Serialize)]
pub(super) struct SideDocument<'a> {
    verdict: &'static str,
    frames: usize,
    seconds: f64,
    floor_m: Option<f64>,
    flights: Vec<SideFlightDocument>,
    contacts: Vec<ContactDocument<'a>>,
    feet: FeetDocument,
    findings: Vec<SideFindingDocument<'a>>,
}

impl<'a> SideDocument<'a> {
    /// Borrows the analysis.
    pub fn new(analysis: &'a Analysis) -> Self {
        let contacts = contact_spans::contact_spans(analysis).into_iter();
        let contacts = contacts.map(|(bone, spans)| ContactDocument { bone: &analysis.bones[bone], spans });
        let feet = analysis.feet;
        Self {
            verdict: verdict_name(analysis.verdict),
            frames: analysis.frames,
            seconds: seconds(analysis),
            floor_m: analysis.floor,
            flights: analysis.flights.iter().map(SideFlightDocument::new).collect(),
            contacts: contacts.collect(),
            feet: FeetDocument::new(&feet),
            findings: analysis.findings.iter().map(SideFindingDocument::new).collect(),
        }
    }
}

#[derive(Serialize)]
struct SideFlightDocument {
    first_frame: usize,
    last_frame: usize,
    start_s: f64,
    end_s: f64,
    gravity_g: f64,
    gravity_se_g: f64,
    frames_to_add: i64,
    horizontal_path_error: f64,
    /// "1" if the error is a fraction of the path's length, "m" if the path is too short to divide by.
    horizontal_path_error_unit: &'static str,
    linear_momentum_error_norm: f64,
    angular_momentum_error_norm: f64,
    angular_momentum_change_kgm2ps: f64,
}

impl SideFlightDocument {
    fn new(flight: &Flight) -> Self {
        Self {
            first_frame: flight.span.first,
            last_frame: flight.span.last,
            start_s: flight.span.start,
            end_s: flight.span.end,
            gravity_g: flight.gravity,
            gravity_se_g: flight.gravity_standard_error,
            frames_to_add: flight.frames_to_add,
            horizontal_path_error: flight.horizontal_path_error,
            horizontal_path_error_unit: if flight.path_error_in_meters { "m" } else { "1" },
            linear_momentum_error_norm: flight.linear_momentum_error_norm,
            angular_momentum_error_norm: flight.angular_momentum_error_norm,
            angular_momentum_change_kgm2ps: flight.angular_momentum_change,
        }
    }
}

/// JSON of the contacts of a bone: first and last frame of each span.
#[derive(Serialize)]
struct ContactDocument<'a> {
    bone: &'a str,
    spans: Vec<(usize, usize)>,
}

/// JSON of a finding, with frames of its own clip.
#[derive(Serialize)]
pub(super) struct SideFindingDocument<'a> {
    id: FindingId,
    severity: &'static str,
    first_frame: usize,
    last_frame: usize,
    start_s: f64,
    end_s: f64,
    value: f64,
    limit: [Option<f64>; 2],
    message: &'a str,
}

impl<'a> SideFindingDocument<'a> {
    /// Borrows a finding.
    pub fn new(finding: &'a Finding) -> Self {
        Self {
            id: finding.id,
            severity: severity_name(finding.severity),
            first_frame: finding.span.first,
            last_frame: finding.span.last,
            start_s: finding.span.start,
            end_s: finding.span.end,
            value: finding.value,
            limit: finding.limit,
            message: &finding.message,
        }
    }
}
