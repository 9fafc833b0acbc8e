//! Data of a clip and its analysis for the page's script, with rounded numbers.

use muybridge::analysis::{Finding, FindingCurve, FindingId, Flight};
use muybridge::analysis::{PerFrame, Residual, Span, Terrain};
use muybridge::character::Character;
use muybridge::collision::shape::{PlacedShape, Shape};
use muybridge::glam::{DQuat, DVec3};
use muybridge::motion::{Clip, WorldMotion};
use serde::Serialize;

use super::rounding::{DeltaTracks, Series, millimeters, rounded, units};
use crate::ClipReport;
use crate::contact_spans::contact_spans;
use crate::json::{severity_name, verdict_name};
use crate::labels;

/// One motion of the page: clip, character and analysis.
#[derive(Serialize)]
pub struct MotionRecord {
    file: String,
    name: String,
    frames: usize,
    fps: f64,
    start: f64,
    step: f64,
    range: (usize, usize),
    verdict: &'static str,
    mass: f64,
    body_source: String,
    meters_per_unit: f64,
    unit_source: String,
    up: String,
    gravity: f64,
    cutoff: Option<f64>,
    cutoff_source: String,
    floor: Option<f64>,
    /// Triangles of uneven ground near the motion, meters.
    terrain: Vec<[f64; 9]>,
    treadmill: [f64; 3],
    feet: [f64; 3],
    inside_fraction: Option<f64>,
    worst_outside: Option<(f64, usize)>,
    residual: Option<ResidualRecord>,
    bones: Vec<BoneRecord>,
    shapes: Vec<ShapeRecord>,
    contact_points: Vec<(usize, [f64; 3], f64)>,
    positions: DeltaTracks,
    rotations: DeltaTracks,
    series: SeriesRecord,
    polygons: Vec<Vec<i64>>,
    contacts: Vec<(usize, Vec<(usize, usize)>)>,
    flights: Vec<FlightRecord>,
    unseen: Vec<(usize, usize)>,
    findings: Vec<FindingRecord>,
    ignored: Vec<String>,
}

impl MotionRecord {
    /// Builds the record from a report and rounds its numbers.
    pub fn new(report: &ClipReport) -> Self {
        let (analysis, character, clip) = (report.analysis, report.character, report.clip);
        let world = WorldMotion::new(&character.skeleton, clip);
        Self {
            file: report.file_name().into(),
            name: labels::title(&[&analysis.clip, report.one_of_several()]),
            frames: clip.frames(),
            fps: analysis.frames_per_second,
            start: clip.start_time,
            step: clip.frame_time,
            range: analysis.range,
            verdict: verdict_name(analysis.verdict),
            mass: analysis.mass,
            body_source: analysis.body_source.clone(),
            meters_per_unit: report.meters_per_unit,
            unit_source: report.unit_source.into(),
            up: report.up.into(),
            gravity: analysis.gravity,
            cutoff: analysis.cutoff_hz,
            cutoff_source: analysis.cutoff_source.clone(),
            floor: analysis.floor,
            terrain: terrain(report, &world),
            treadmill: analysis.treadmill.to_array(),
            feet: [analysis.feet.skate, analysis.feet.float, analysis.feet.penetration],
            inside_fraction: analysis.balance.inside_fraction,
            worst_outside: analysis.balance.worst,
            residual: analysis.residual.as_ref().map(ResidualRecord::new),
            bones: bones(character),
            shapes: shapes(character),
            contact_points: character.contacts.iter().map(|c| (c.bone, millimeters(c.position), c.radius)).collect(),
            positions: positions(&world, clip),
            rotations: rotations(&world, clip),
            series: SeriesRecord::new(&analysis.per_frame),
            polygons: analysis.per_frame.support_polygon.iter().map(|corners| polygon(corners)).collect(),
            contacts: contact_spans(analysis),
            flights: analysis.flights.iter().map(FlightRecord::new).collect(),
            unseen: analysis.unseen_support.iter().map(frames_of).collect(),
            findings: analysis.findings.iter().map(FindingRecord::new).collect(),
            ignored: report.ignored.to_vec(),
        }
    }
}

/// Force and moment that no contact gives: forces in body weights, moments in N m.
#[derive(Serialize)]
struct ResidualRecord {
    force: [f64; 2],
    moment: [f64; 2],
    worst: Option<(usize, usize)>,
}

impl ResidualRecord {
    fn new(residual: &Residual) -> Self {
        Self {
            force: [residual.mean_force, residual.worst_force].map(|value| rounded(value, 1e-4)),
            moment: [residual.mean_moment, residual.worst_moment].map(|value| rounded(value, 1e-2)),
            worst: residual.worst.map(|found| frames_of(&found.span)),
        }
    }
}

#[derive(Serialize)]
struct BoneRecord {
    name: String,
    parent: Option<usize>,
    role: Option<String>,
    ends: Vec<[f64; 3]>,
}

fn bones(character: &Character) -> Vec<BoneRecord> {
    let record = |(index, bone): (usize, &muybridge::character::Bone)| BoneRecord {
        name: bone.name.clone(),
        parent: bone.parent,
        role: character.roles.get(index).copied().flatten().map(|role| role.name().to_owned()),
        ends: bone.ends.iter().copied().map(millimeters).collect(),
    };
    character.skeleton.bones().iter().enumerate().map(record).collect()
}

/// A collision shape: kind, three lengths, position and rotation in the frame of its bone. Lengths in meters.
#[derive(Serialize)]
struct ShapeRecord {
    bone: usize,
    kind: &'static str,
    size: [f64; 3],
    position: [f64; 3],
    rotation: [f64; 4],
}

fn shapes(character: &Character) -> Vec<ShapeRecord> {
    let of_bone = |(bone, body): (usize, &muybridge::character::Body)| {
        body.shapes.iter().map(move |placed| ShapeRecord::new(bone, placed)).collect::<Vec<_>>()
    };
    character.bodies.iter().enumerate().flat_map(of_bone).collect()
}

impl ShapeRecord {
    fn new(bone: usize, placed: &PlacedShape) -> Self {
        let (kind, size) = match placed.shape {
            Shape::Sphere { radius } => ("sphere", DVec3::splat(radius)),
            Shape::Capsule { radius, half_length } => ("capsule", DVec3::new(radius, half_length, radius)),
            Shape::Cylinder { radius, half_length } => ("cylinder", DVec3::new(radius, half_length, radius)),
            Shape::Box { half_extents } => ("box", half_extents),
            Shape::Ellipsoid { semi_axes } => ("ellipsoid", semi_axes),
        };
        Self {
            bone,
            kind,
            size: millimeters(size),
            position: millimeters(placed.position),
            rotation: placed.rotation.to_array().map(|value| rounded(value, 1e-5)),
        }
    }
}

fn positions(world: &WorldMotion, clip: &Clip) -> DeltaTracks {
    let track = |track: usize| (0..clip.frames()).map(|frame| world.position(track / 3, frame)[track % 3]).collect();
    DeltaTracks::new(1e-4, (0..3 * clip.bones()).map(track))
}

/// Quaternions per bone and frame. Signs are chosen nearest to the previous frame, so that steps stay small.
fn rotations(world: &WorldMotion, clip: &Clip) -> DeltaTracks {
    let of_bone = |bone: usize| {
        let mut before = DQuat::IDENTITY;
        let mut tracks = vec![Vec::new(); 4];
        for frame in 0..clip.frames() {
            let rotation = world.rotation(bone, frame);
            before = if rotation.dot(before) < 0.0 { -rotation } else { rotation };
            tracks.iter_mut().zip(before.to_array()).for_each(|(track, value)| track.push(value));
        }
        tracks
    };
    DeltaTracks::new(1e-4, (0..clip.bones()).flat_map(of_bone))
}

#[derive(Serialize)]
struct SeriesRecord {
    mass_center: Series,
    linear_momentum: Series,
    angular_momentum: Series,
    ground_force: Series,
    zero_moment_point: Series,
    support_margin: Series,
}

impl SeriesRecord {
    fn new(rows: &PerFrame) -> Self {
        Self {
            mass_center: Series::of_vectors(&rows.mass_center),
            linear_momentum: Series::of_vectors(&rows.linear_momentum),
            angular_momentum: Series::of_vectors(&rows.angular_momentum),
            ground_force: Series::of_vectors(&rows.ground_force),
            zero_moment_point: Series::of_vectors(&rows.zero_moment_point),
            support_margin: Series::new(&rows.support_margin),
        }
    }
}

#[derive(Serialize)]
struct FlightRecord {
    span: (usize, usize),
    gravity: Option<f64>,
    gravity_standard_error: Option<f64>,
    size_factor: Option<f64>,
    frames_to_add: i64,
    path_error: f64,
    path_error_in_meters: bool,
    linear_error: f64,
    angular_error: f64,
    marked: bool,
    path: Vec<[f64; 3]>,
}

impl FlightRecord {
    fn new(flight: &Flight) -> Self {
        let finite = |value: f64| value.is_finite().then_some(value);
        Self {
            span: frames_of(&flight.span),
            gravity: finite(flight.gravity),
            gravity_standard_error: finite(flight.gravity_standard_error),
            size_factor: finite(flight.size_factor),
            frames_to_add: flight.frames_to_add,
            path_error: flight.horizontal_path_error,
            path_error_in_meters: flight.path_error_in_meters,
            linear_error: flight.linear_momentum_error_norm,
            angular_error: flight.angular_momentum_error_norm,
            marked: flight.marked,
            path: flight.ballistic_path.iter().copied().map(millimeters).collect(),
        }
    }
}

#[derive(Serialize)]
struct FindingRecord {
    id: FindingId,
    /// Part of the analysis that made the finding.
    section: &'static str,
    /// The part of the id after its dot.
    quantity: &'static str,
    /// Curve that shows the finding; `null` where none does.
    curve: Option<&'static str>,
    severity: &'static str,
    span: (usize, usize),
    value: f64,
    limit: [Option<f64>; 2],
    message: String,
}

impl FindingRecord {
    fn new(finding: &Finding) -> Self {
        Self {
            id: finding.id,
            section: finding.id.section().name(),
            quantity: finding.id.short_name(),
            curve: finding.id.facts().curve.map(FindingCurve::name),
            severity: severity_name(finding.severity),
            span: frames_of(&finding.span),
            value: finding.value,
            limit: finding.limit,
            message: finding.message.clone(),
        }
    }
}

/// Distance around the motion within which its ground is shown, meters.
const AROUND: f64 = 2.0;

/// Triangles of the ground near the motion, in millimeters' precision.
fn terrain(report: &ClipReport, world: &WorldMotion) -> Vec<[f64; 9]> {
    let count = report.character.skeleton.len();
    let (first, end) = report.analysis.range;
    let places = (first..end).flat_map(|frame| (0..count).map(move |bone| world.position(bone, frame)));
    let (low, high) =
        places.fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), place| (low.min(place), high.max(place)));
    let (low, high) = (low - AROUND, high + AROUND);
    let is_near = |corners: &&[DVec3; 3]| {
        let (least, most) = (corners[0].min(corners[1]).min(corners[2]), corners[0].max(corners[1]).max(corners[2]));
        least.x <= high.x && most.x >= low.x && least.z <= high.z && most.z >= low.z
    };
    let numbers = |corners: &[DVec3; 3]| {
        let [a, b, c] = corners.map(millimeters);
        [a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2]]
    };
    let triangles = report.ground.map_or(&[][..], Terrain::triangles);
    triangles.iter().filter(is_near).map(numbers).collect()
}

/// Corners of a support polygon as x, z, x, z … in tenths of a millimeter.
fn polygon(corners: &[DVec3]) -> Vec<i64> {
    corners.iter().flat_map(|corner| [units(corner.x, 1e-4), units(corner.z, 1e-4)]).collect()
}

fn frames_of(span: &Span) -> (usize, usize) {
    (span.first, span.last)
}
