//! Corrections as JSON, schema 1 of `fix`: a contract that other programs read. Keys keep their order and are never missing.
//!
//! ```text
//! {"schema": 1, "fixes": [{file, name, character, error, output, before, after, findings, steps, left, time_map, loop_s, largest, curves, bounds, notes}]}
//! ```
//! Frames are those of the original clip; `new_…` frames are those of the corrected clip. `before` and `after` hold all
//! findings of either clip, `findings` every finding once with its value before and after. `time_map` lists the spans
//! that are played slower or faster. Undefined, infinite and left-out values are `null`. Fields may be added, none
//! taken away.

use std::io::{self, Write};

use muybridge::analysis::FindingId;
use muybridge::correction::{BallisticPath, BlendReport, Bounds, CurveFamily, FeetReport, ToolCandidate, Unfixed};
use serde::Serialize;
use serde_json::{Value, json};

use super::before_after::SideDocument;
use super::changes::{ChangedFlight, ChangedStep, FindingPair, changed_steps, pairs, stretches};
use super::{FixReport, STILL, loop_seconds};
use crate::UnreadClip;
use crate::json::list::{ListWriter, tree};
use crate::json::severity_name;

/// Number of the schema; it changes when a field is renamed, removed or changes its meaning.
pub const FIX_SCHEMA: u64 = 1;

/// One corrected clip as an entry of `fixes`.
pub fn fix_json(report: &FixReport) -> Value {
    tree(&FixDocument::new(report))
}

/// A clip that could not be read, corrected or written as an entry of `fixes`: the same keys, `error` is a sentence,
/// the rest is `null` or empty.
pub fn unfixed_json(unread: &UnreadClip) -> Value {
    tree(&FixDocument::unfixed(unread))
}

/// The whole document from its entries. [`FixWriter`] writes the same document without holding all entries in memory.
pub fn fix_document(fixes: Vec<Value>) -> Value {
    json!({ "schema": FIX_SCHEMA, "fixes": fixes })
}

/// Writes a document clip by clip, so that only one clip is in memory at a time.
#[derive(Debug)]
pub struct FixWriter<W: Write>(ListWriter<W>);

impl<W: Write> FixWriter<W> {
    /// Opens the document. Call [`FixWriter::finish`] to close it.
    pub fn new(out: W) -> io::Result<Self> {
        ListWriter::new(out, FIX_SCHEMA, "fixes").map(Self)
    }

    /// Appends a corrected clip.
    pub fn clip(&mut self, report: &FixReport) -> io::Result<()> {
        self.0.entry(&FixDocument::new(report))
    }

    /// Appends a clip that could not be read, corrected or written.
    pub fn unfixed(&mut self, unread: &UnreadClip) -> io::Result<()> {
        self.0.entry(&FixDocument::unfixed(unread))
    }

    /// Appends an entry made by [`fix_json`] or [`unfixed_json`].
    pub fn value(&mut self, entry: &Value) -> io::Result<()> {
        self.0.entry(entry)
    }

    /// Closes the document with a line break and returns the flushed stream.
    pub fn finish(self) -> io::Result<W> {
        self.0.finish()
    }
}

#[derive(Serialize)]
struct FixDocument<'a> {
    file: &'a str,
    name: &'a str,
    character: &'a str,
    error: Option<&'a str>,
    output: Option<&'a str>,
    before: Option<SideDocument<'a>>,
    after: Option<SideDocument<'a>>,
    findings: Vec<PairDocument>,
    steps: Vec<StepDocument<'a>>,
    left: Vec<LeftDocument<'a>>,
    time_map: Vec<StretchDocument>,
    /// Loop length in seconds before and after, from the first frame to the last; `null` if the clip is no loop.
    loop_s: Option<[f64; 2]>,
    largest: Option<LargestDocument<'a>>,
    /// Ballistic paths between two frames of the original; `null` where none are asked for.
    curves: Option<CurvesDocument>,
    /// Bounds of the change.
    bounds: Option<BoundsDocument>,
    notes: &'a [String],
}

impl<'a> FixDocument<'a> {
    fn new(report: &FixReport<'a>) -> Self {
        let (before, after) = (report.before.analysis, report.after.analysis);
        let steps: Vec<ChangedStep> = changed_steps(report);
        let spans = stretches(report.map).into_iter();
        Self {
            file: report.before.file,
            name: &before.clip,
            character: report.before.character_name,
            error: None,
            output: report.output,
            before: Some(SideDocument::new(before)),
            after: Some(SideDocument::new(after)),
            findings: pairs(report).iter().map(PairDocument::new).collect(),
            steps: steps.into_iter().map(StepDocument::new).collect(),
            left: report.left.iter().map(|left| LeftDocument::new(left, report)).collect(),
            time_map: spans.map(|span| StretchDocument::new(span.old, span.new)).collect(),
            loop_s: report.looped.then(|| loop_seconds(report)),
            largest: Some(LargestDocument::new(report)),
            curves: report.curves.and_then(CurvesDocument::new),
            bounds: Some(BoundsDocument::new(report.bounds)),
            notes: report.notes,
        }
    }

    fn unfixed(unread: &UnreadClip<'a>) -> Self {
        Self {
            file: unread.file,
            name: "",
            character: "",
            error: Some(unread.error),
            output: None,
            before: None,
            after: None,
            findings: Vec::new(),
            steps: Vec::new(),
            left: Vec::new(),
            time_map: Vec::new(),
            loop_s: None,
            largest: None,
            curves: None,
            bounds: None,
            notes: &[],
        }
    }
}

/// JSON of a finding before and after the correction.
#[derive(Serialize)]
struct PairDocument {
    id: FindingId,
    /// Unit of value and limit; "1" for fractions and factors.
    unit: &'static str,
    first_frame: Option<usize>,
    last_frame: Option<usize>,
    new_first_frame: Option<usize>,
    new_last_frame: Option<usize>,
    /// Severity before; `null` for a new finding.
    severity: Option<&'static str>,
    value: Option<f64>,
    limit: [Option<f64>; 2],
    /// Severity after; `null` if the finding is gone.
    new_severity: Option<&'static str>,
    /// Value after the correction, also of a finding that is gone, if it is measured.
    new_value: Option<f64>,
    /// Whether the new value is within its limit; can be false for a finding that is gone because its change is too
    /// small. `null` if the value is not measured.
    new_within_limit: Option<bool>,
}

impl PairDocument {
    fn new(pair: &FindingPair) -> Self {
        let (before, after) = (pair.before, pair.after);
        Self {
            id: pair.either().id,
            unit: pair.measure.unit.kept,
            first_frame: before.map(|finding| finding.span.first),
            last_frame: before.map(|finding| finding.span.last),
            new_first_frame: after.map(|finding| finding.span.first),
            new_last_frame: after.map(|finding| finding.span.last),
            severity: before.map(|finding| severity_name(finding.severity)),
            value: before.map(|finding| finding.value),
            limit: pair.either().limit,
            new_severity: after.map(|finding| severity_name(finding.severity)),
            new_value: pair.now,
            new_within_limit: pair.is_within(),
        }
    }
}

/// JSON of a family of ballistic paths, meters, seconds, y up.
#[derive(Serialize)]
struct CurvesDocument {
    first_frame: usize,
    last_frame: usize,
    from_m: [f64; 3],
    to_m: [f64; 3],
    paths: Vec<CurveDocument>,
    /// The free fall nearest to the motion between the frames.
    nearest: FallDocument,
}

/// JSON of a path with ends of its own.
#[derive(Serialize)]
struct FallDocument {
    from_m: [f64; 3],
    to_m: [f64; 3],
    #[serde(flatten)]
    path: CurveDocument,
}

/// JSON of one path: its time, its highest point and the time until then, and the velocity at its start.
#[derive(Serialize)]
struct CurveDocument {
    duration_s: f64,
    apex_m: [f64; 3],
    apex_s: f64,
    takeoff_mps: [f64; 3],
}

impl CurvesDocument {
    fn new(family: &CurveFamily) -> Option<Self> {
        let path = |path: &BallisticPath| CurveDocument {
            duration_s: path.duration,
            apex_m: path.apex().to_array(),
            apex_s: path.apex_time(),
            takeoff_mps: path.velocity(0.0).to_array(),
        };
        let (first, nearest) = (family.paths.first()?, &family.nearest);
        let [from_m, to_m] = [nearest.from, nearest.to].map(|end| end.to_array());
        Some(Self {
            first_frame: family.first,
            last_frame: family.last,
            from_m: first.from.to_array(),
            to_m: first.to.to_array(),
            paths: family.paths.iter().map(path).collect(),
            nearest: FallDocument { from_m, to_m, path: path(nearest) },
        })
    }
}

#[derive(Serialize)]
struct StepDocument<'a> {
    flights: Vec<FixFlightDocument<'a>>,
    /// Whether the step was meant to plant the feet.
    feet: bool,
    /// Result of planting the feet; `null` if the step did not.
    planted: Option<PlantedDocument<'a>>,
}

/// JSON of planting the feet, pairs are before and after.
#[derive(Serialize)]
struct PlantedDocument<'a> {
    skate_mps: [f64; 2],
    float_m: [f64; 2],
    penetration_m: [f64; 2],
    limbs: usize,
    /// Distance that the hips came down, meters.
    hips_m: f64,
    /// Greatest vertical shift of the whole body, meters.
    raised_m: f64,
    /// Id of the finding that planting would have caused, if nothing was planted because of it.
    refused: Option<&'a str>,
}

impl<'a> PlantedDocument<'a> {
    fn new(planted: &'a FeetReport) -> Self {
        let (old, new) = (planted.before, planted.after);
        Self {
            skate_mps: [old.skate, new.skate],
            float_m: [old.float, new.float],
            penetration_m: [old.penetration, new.penetration],
            limbs: planted.limbs.len(),
            hips_m: planted.hips,
            raised_m: planted.raised,
            refused: planted.refused,
        }
    }
}

impl<'a> StepDocument<'a> {
    fn new(step: ChangedStep<'a>) -> Self {
        Self {
            flights: step.flights.into_iter().map(FixFlightDocument::new).collect(),
            feet: step.feet,
            planted: step.planted.map(PlantedDocument::new),
        }
    }
}

#[derive(Serialize)]
struct FixFlightDocument<'a> {
    first_frame: usize,
    last_frame: usize,
    new_first_frame: usize,
    new_last_frame: usize,
    intervals: usize,
    new_intervals: usize,
    tool: &'static str,
    reason: &'a str,
    choices: Vec<ChoiceDocument<'a>>,
    /// Largest displacement of the center of mass, meters.
    moved_m: f64,
    /// Largest rotation of the body, degrees; `null` if the flight was not rotated.
    turned_deg: Option<f64>,
    /// Newton iterations of the spin correction; `null` if the flight was not rotated.
    newton_iterations: Option<usize>,
    /// Greatest distance of the angular momentum from the constant one, kg m²/s; `null` if the flight was not rotated.
    newton_residual_kgm2ps: Option<f64>,
    /// The constant angular momentum, kg m²/s; `null` if the flight was not rotated.
    angular_momentum_kgm2ps: Option<[f64; 3]>,
    /// Rotation between the last frame and the pose that the next frames expect, degrees, before blending; `null` if
    /// the flight was not rotated.
    landing_error_deg: Option<f64>,
    /// Reason why the body could not be rotated; `null` if it could, or was not meant to be.
    not_turned: Option<&'a str>,
    /// Result of blending; `null` if the flight was not blended into its surroundings.
    blend: Option<BlendDocument>,
}

/// JSON of a blending; see [`BlendReport`].
#[derive(Serialize)]
struct BlendDocument {
    frames_before: usize,
    frames_after: usize,
    shift_m: f64,
    turn_deg: f64,
    joint_deg: f64,
    residual_m: f64,
}

impl BlendDocument {
    fn new(blend: &BlendReport) -> Self {
        Self {
            frames_before: blend.frames[0],
            frames_after: blend.frames[1],
            shift_m: blend.largest_shift,
            turn_deg: blend.largest_turn.to_degrees(),
            joint_deg: blend.largest_joint.to_degrees(),
            residual_m: blend.residual,
        }
    }
}

impl<'a> FixFlightDocument<'a> {
    fn new(flight: ChangedFlight<'a>) -> Self {
        Self {
            first_frame: flight.old.0,
            last_frame: flight.old.1,
            new_first_frame: flight.new.0,
            new_last_frame: flight.new.1,
            intervals: flight.intervals[0],
            new_intervals: flight.intervals[1],
            tool: flight.tool.name(),
            reason: flight.reason,
            choices: flight.choices.iter().map(ChoiceDocument::new).collect(),
            moved_m: flight.moved,
            turned_deg: flight.turned.map(f64::to_degrees),
            newton_iterations: flight.spin.map(|spin| spin.iterations),
            newton_residual_kgm2ps: flight.spin.map(|spin| spin.residual),
            angular_momentum_kgm2ps: flight.spin.map(|spin| spin.momentum.to_array()),
            landing_error_deg: flight.landing_error.map(f64::to_degrees),
            not_turned: flight.refused,
            blend: flight.blend.map(BlendDocument::new),
        }
    }
}

/// JSON of a tool that was tried: its cost, and the ids of findings it improves, leaves, or makes worse.
#[derive(Serialize)]
struct ChoiceDocument<'a> {
    tool: &'static str,
    cost: f64,
    better: &'a [FindingId],
    left: &'a [FindingId],
    worse: &'a [FindingId],
    /// The change that it would make beyond the bounds, in words; `null` within them.
    beyond: Option<&'a str>,
}

impl<'a> ChoiceDocument<'a> {
    fn new(choice: &'a ToolCandidate) -> Self {
        let outcome = &choice.outcome;
        Self {
            tool: choice.tool.name(),
            cost: choice.cost,
            better: &outcome.better,
            left: &outcome.left,
            worse: &outcome.worse,
            beyond: choice.beyond.as_deref(),
        }
    }
}

#[derive(Serialize)]
struct LeftDocument<'a> {
    new_first_frame: usize,
    new_last_frame: usize,
    start_s: f64,
    end_s: f64,
    why: &'a str,
}

impl<'a> LeftDocument<'a> {
    fn new(left: &'a Unfixed, report: &FixReport<'a>) -> Self {
        let clip = report.after.clip;
        Self {
            new_first_frame: left.first,
            new_last_frame: left.last,
            start_s: clip.time(left.first),
            end_s: clip.time(left.last),
            why: &left.why,
        }
    }
}

#[derive(Serialize)]
struct StretchDocument {
    first_frame: f64,
    last_frame: f64,
    new_first_frame: usize,
    new_last_frame: usize,
}

impl StretchDocument {
    fn new(old: (f64, f64), new: (usize, usize)) -> Self {
        Self { first_frame: old.0, last_frame: old.1, new_first_frame: new.0, new_last_frame: new.1 }
    }
}

/// JSON of the bounds of the change; `null` for a bound that is infinite.
#[derive(Serialize)]
struct BoundsDocument {
    root_mm: f64,
    joint_deg: f64,
    gravity_g: f64,
}

impl BoundsDocument {
    fn new(bounds: Bounds) -> Self {
        let Bounds { shift, turn, least_gravity } = bounds;
        Self { root_mm: 1000.0 * shift, joint_deg: turn.to_degrees(), gravity_g: least_gravity }
    }
}

/// JSON of the largest changes, each with its frame in the corrected clip.
#[derive(Serialize)]
struct LargestDocument<'a> {
    joint_deg: f64,
    /// Name of the joint that turned most; `null` if none turned.
    joint: Option<&'a str>,
    joint_new_frame: usize,
    root_mm: f64,
    root_mm_new_frame: usize,
    root_deg: f64,
    root_deg_new_frame: usize,
}

impl<'a> LargestDocument<'a> {
    fn new(report: &FixReport<'a>) -> Self {
        let largest = report.largest;
        let (bone, frame) = largest.joint_at;
        let name = report.after.analysis.bones.get(bone).map(String::as_str);
        Self {
            joint_deg: largest.joint.to_degrees(),
            joint: name.filter(|_| largest.joint > STILL),
            joint_new_frame: frame,
            root_mm: 1000.0 * largest.root_moved.0,
            root_mm_new_frame: largest.root_moved.1,
            root_deg: largest.root_turned.0.to_degrees(),
            root_deg_new_frame: largest.root_turned.1,
        }
    }
}
