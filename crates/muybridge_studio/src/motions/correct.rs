//! Correction of the open motion in place, as `muybridge fix` does; repeated while a slider or a handle is dragged.
//!
//! ```text
//! Ask: base motion, allowed tools ─► in the background ─► Answer: corrected motion ─► an undo step
//! ```
//! All requests of a drag start from the motion before the drag, so corrections never pile up. A motion from a file is
//! corrected inside that file, so that it can be written as it is. For scheduling see [`super::correction_queue`].

use std::sync::Arc;

#[cfg(not(target_arch = "wasm32"))]
use std::time::Instant;
#[cfg(target_arch = "wasm32")]
use web_time::Instant;

use muybridge::analysis::{Finding, FindingId, FindingSection, Flight, Settings};
use muybridge::correction::{Bounds, FixSettings, FixStep, Tools, Unfixed, fix, sketch};
use muybridge_files::fix::fix_clip;
use muybridge_files::open::Opened;
use muybridge_files::prepare::{Preparation, Prepared, analyze};
use muybridge_files::rewrite;

use super::document::{AnalyzedMotion, MotionDocument};

/// A request for a correction.
#[derive(Clone, Debug)]
pub struct Ask {
    /// Name in the menu and the status line: "Fix all".
    pub name: String,
    /// Number of the document; see [`MotionDocument::number`].
    pub document: u64,
    /// Motion to correct.
    pub base: AnalyzedMotion,
    /// Index of the clip in its file.
    pub clip: usize,
    /// Settings of the correction: tools, strength, frames and goals.
    pub fix: FixSettings,
    /// Whether the user still drags; the result is then shown but not put into the undo history.
    pub is_held: bool,
    /// Running number of the request; greater is newer.
    pub number: u64,
}

/// Result of a correction: the corrected motion and messages about it.
#[derive(Debug)]
pub struct CorrectionResult {
    /// The request that this result belongs to.
    pub(super) ask: Ask,
    /// Kind of the result: preview, full correction or failure.
    pub(super) made: Made,
    /// Corrected motion; `None` if nothing changes.
    pub(super) motion: Option<AnalyzedMotion>,
    /// Changes that were made, one sentence each.
    pub(super) done: Vec<String>,
    /// Problems that no tool could correct, one sentence each.
    pub(super) left: Vec<String>,
    /// Computing time, milliseconds.
    pub(super) spent: f64,
}

/// Kind of a correction result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Made {
    /// A preview: only the requested quantities of the flights are corrected.
    Sketch,
    /// The full correction.
    Whole,
    /// The correction failed; the reason is in the messages.
    Failed,
}

/// Correction settings as chosen in the panel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CorrectionChoices {
    /// Tools that may be used.
    pub tools: Tools,
    /// Fraction of the correction that is applied, 0 to 1.
    pub strength: f64,
    /// Number of frames beside a flight over which its change fades out; 0 for none.
    pub blend: usize,
}

impl Default for CorrectionChoices {
    fn default() -> Self {
        Self { tools: Tools::ALL, strength: 1.0, blend: 0 }
    }
}

impl CorrectionChoices {
    /// Settings that mend one finding alone, in a clip of so many frames; `None` where no tool can.
    pub fn of_finding(&self, finding: &Finding, frames: usize) -> Option<FixSettings> {
        let around = self.around((finding.span.first, finding.span.last), frames);
        let facts = finding.id.facts();
        let frames = (facts.section == FindingSection::Flight).then_some(around);
        let settings = FixSettings { tools: Tools::only(facts.tools), frames, ..self.settings() };
        (!facts.tools.is_empty()).then_some(settings)
    }

    /// Settings of the library for correcting the whole clip.
    pub fn settings(&self) -> FixSettings {
        let blend = (self.blend > 0).then_some(self.blend);
        // Who clicks on a flight asks for its change and sees it.
        let bounds = Bounds { shift: f64::INFINITY, turn: f64::INFINITY, ..Bounds::default() };
        FixSettings { tools: self.tools, strength: self.strength, blend, bounds, ..FixSettings::default() }
    }

    /// Settings for correcting one flight only, in a clip with `frames` frames.
    pub fn of_flight(&self, flight: &Flight, frames: usize) -> FixSettings {
        let around = self.around((flight.span.first, flight.span.last), frames);
        FixSettings { frames: Some(around), ..self.settings() }
    }

    /// Frames that may change with a flight: its own and the blend frames on both sides.
    fn around(&self, (first, last): (usize, usize), frames: usize) -> (usize, usize) {
        (first.saturating_sub(self.blend), (last + 1 + self.blend).min(frames))
    }
}

/// Makes the full correction of a request.
///
/// # Errors
/// Returns a message if the file of the motion cannot be corrected.
pub fn run_correction(ask: Ask) -> Result<CorrectionResult, String> {
    let start = Instant::now();
    let (corrected, done, left) = match &ask.base.file {
        Some(file) => in_file(&ask, file).map_err(|error| format!("{}: {error}", ask.name))?,
        None => in_memory(&ask.base, &ask.fix),
    };
    let motion = corrected.map(|motion| AnalyzedMotion { skins: ask.base.skins.clone(), ..motion });
    Ok(CorrectionResult { ask, made: Made::Whole, motion, done, left, spent: start.elapsed().as_secs_f64() * 1e3 })
}

/// Makes the full correction during a drag; a failure becomes a result with its reason instead of an error.
pub(super) fn answer_held(ask: Ask) -> CorrectionResult {
    run_correction(ask.clone()).unwrap_or_else(|sentence| {
        let (motion, done, left) = (None, Vec::new(), vec![sentence]);
        CorrectionResult { ask, made: Made::Failed, motion, done, left, spent: 0.0 }
    })
}

/// Makes a preview: only the requested quantities of the flights are corrected.
pub(super) fn answer_sketched(ask: Ask) -> CorrectionResult {
    let base = &ask.base;
    let mut wanted = ask.fix.clone();
    if let Some(file) = &base.file {
        wanted.protect(&rewrite::fixed_bones(file));
    }
    let Prepared { character, clip, .. } = &*base.prepared;
    let mut fixed = sketch(character, clip, &base.analysis, &Settings::default(), &wanted);
    let left = left(&fixed.left);
    let motion = (!fixed.steps.is_empty()).then(|| {
        let of_file = base.analysis.findings.iter().filter(|finding| finding.id == FindingId::ClipUnits);
        fixed.after.findings.extend(of_file.cloned());
        let prepared = Prepared { character: fixed.character, clip: fixed.clip, ..(*base.prepared).clone() };
        AnalyzedMotion { skins: base.skins.clone(), ..AnalyzedMotion::found(prepared, fixed.after, None) }
    });
    CorrectionResult { ask, made: Made::Sketch, motion, done: Vec::new(), left, spent: 0.0 }
}

/// Corrected motion (`None` if nothing changes), changes made, and problems left.
type Corrected = (Option<AnalyzedMotion>, Vec<String>, Vec<String>);

fn in_file(ask: &Ask, file: &Arc<Opened>) -> Result<Corrected, muybridge_files::Error> {
    let (mut opened, mut notes) = rewrite::writable((**file).clone(), false, "motion")?;
    let fixed = fix_clip(&mut opened, ask.clip, &Preparation::default(), &Settings::default(), &ask.fix)?;
    let left = left(&fixed.left);
    if fixed.steps.is_empty() {
        return Ok((None, Vec::new(), left));
    }
    notes.extend(done(&fixed.steps, fixed.before.clip.frame_time));
    let map = Arc::new(ask.base.map.then(&fixed.map));
    let motion =
        AnalyzedMotion { map, ..AnalyzedMotion::found(fixed.after, fixed.found_after, Some(Arc::new(opened))) };
    Ok((Some(motion), notes, left))
}

fn in_memory(base: &AnalyzedMotion, wanted: &FixSettings) -> Corrected {
    let Prepared { character, clip, .. } = &*base.prepared;
    let fixed = fix(character, clip, &Settings::default(), wanted);
    let left = left(&fixed.left);
    if fixed.steps.is_empty() {
        return (None, Vec::new(), left);
    }
    let notes = done(&fixed.steps, clip.frame_time);
    let prepared = Prepared { character: fixed.character, clip: fixed.clip, ..(*base.prepared).clone() };
    let found = analyze(&prepared, &Settings::default());
    (Some(AnalyzedMotion::found(prepared, found, None)), notes, left)
}

/// Describes the changes that were made, flight by flight.
fn done(steps: &[FixStep], frame_time: f64) -> Vec<String> {
    let flights = steps.iter().flat_map(|step| &step.plan.flights).map(|flight| {
        let (first, last) = (flight.first as f64 * frame_time, flight.last as f64 * frame_time);
        // The font of the window has no arrow.
        format!("{first:.2}–{last:.2} s: {}: {}", flight.tool.name(), flight.reason.replace('→', "to"))
    });
    let feet = steps.iter().filter(|step| step.plan.feet.is_some()).map(|_| "feet planted".to_owned()).take(1);
    flights.chain(feet).collect()
}

/// Describes the problems that no tool could correct.
fn left(left: &[Unfixed]) -> Vec<String> {
    left.iter().map(|left| left.why.clone()).collect()
}

impl MotionDocument {
    /// Request to correct this document in its present state.
    pub fn correction_request(&self, name: impl Into<String>, fix: FixSettings) -> Ask {
        Ask {
            name: name.into(),
            document: self.number,
            base: self.motion.clone(),
            clip: self.clip,
            fix,
            is_held: false,
            number: 0,
        }
    }
}

impl Ask {
    /// Whether both requests have the same base motion, clip and settings.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        self.document == other.document
            && self.clip == other.clip
            && Arc::ptr_eq(&self.base.prepared, &other.base.prepared)
            && self.fix == other.fix
    }
}
