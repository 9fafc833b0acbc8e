//! Correction in place: what `muybridge fix` does, on the open motion, and again while a slider or a handle is dragged.
//!
//! ```text
//! Ask: a motion to begin from, what may be done ─► beside the interface ─► Answer: the corrected motion ─► a step of the history
//! ```
//! All questions of a drag are about the motion before it: what is shown is never a correction of a correction. A motion of a file is
//! corrected in the file, so that it can be written as it is. When what is made, and how: see [`super::correction_queue`].

use std::sync::Arc;

#[cfg(not(target_arch = "wasm32"))]
use std::time::Instant;
#[cfg(target_arch = "wasm32")]
use web_time::Instant;

use muybridge::analysis::{Finding, FindingId, FindingSection, Flight, Settings};
use muybridge::correction::fix::{FixStep, fix, sketch};
use muybridge::correction::plan::Unfixed;
use muybridge::correction::{FixSettings, Tools};
use muybridge_files::fix::fix_clip;
use muybridge_files::open::Opened;
use muybridge_files::prepare::{Preparation, Prepared, analyze};
use muybridge_files::rewrite;

use super::document::{AnalyzedMotion, MotionDocument};

/// A correction that is wanted.
#[derive(Clone, Debug)]
pub struct Ask {
    /// For the menu and the status line: "Fix all".
    pub name: String,
    /// Which document; see [`MotionDocument::number`].
    pub document: u64,
    /// What is corrected.
    pub base: AnalyzedMotion,
    /// Which clip of its file.
    pub clip: usize,
    /// What may be done.
    pub fix: FixSettings,
    /// Whether it is only to be shown, for somebody still drags.
    pub is_held: bool,
    /// Of the questions there were, which: the later, the better.
    pub number: u64,
}

/// A corrected motion, and what there is to say.
#[derive(Debug)]
pub struct CorrectionResult {
    /// The question.
    pub(super) ask: Ask,
    /// How it was answered.
    pub(super) made: Made,
    /// The motion; `None` where nothing changes.
    pub(super) motion: Option<AnalyzedMotion>,
    /// What was done, in words.
    pub(super) done: Vec<String>,
    /// What cannot be, in words.
    pub(super) left: Vec<String>,
    /// Milliseconds that it took.
    pub(super) spent: f64,
}

/// How a question was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Made {
    /// What is asked for of the flights and no more.
    Sketch,
    /// The whole correction.
    Whole,
    /// Not, for the reason that is left.
    Failed,
}

/// What may be done, as the panel has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CorrectionChoices {
    /// The tools allowed.
    pub tools: Tools,
    /// From 0 to 1.
    pub strength: f64,
    /// Frames over which changes fade out beside flights; 0: not.
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

    /// As the library takes it, for the whole clip.
    pub fn settings(&self) -> FixSettings {
        let blend = (self.blend > 0).then_some(self.blend);
        FixSettings { tools: self.tools, strength: self.strength, blend, ..FixSettings::default() }
    }

    /// For one flight alone of a clip of so many frames, with whatever is asked of it.
    pub fn of_flight(&self, flight: &Flight, frames: usize) -> FixSettings {
        let around = self.around((flight.span.first, flight.span.last), frames);
        FixSettings { frames: Some(around), ..self.settings() }
    }

    /// The frames that may change with a flight: its own, and those over which that fades out.
    fn around(&self, (first, last): (usize, usize), frames: usize) -> (usize, usize) {
        (first.saturating_sub(self.blend), (last + 1 + self.blend).min(frames))
    }
}

/// Does what was asked, as a whole.
///
/// # Errors
/// A sentence.
pub fn run_correction(ask: Ask) -> Result<CorrectionResult, String> {
    let start = Instant::now();
    let (corrected, done, left) = match &ask.base.file {
        Some(file) => in_file(&ask, file).map_err(|error| format!("{}: {error}", ask.name))?,
        None => in_memory(&ask.base, &ask.fix),
    };
    let motion = corrected.map(|motion| AnalyzedMotion { skins: ask.base.skins.clone(), ..motion });
    Ok(CorrectionResult { ask, made: Made::Whole, motion, done, left, spent: start.elapsed().as_secs_f64() * 1e3 })
}

/// The same while somebody drags: what cannot be done is no error yet.
pub(super) fn answer_held(ask: Ask) -> CorrectionResult {
    run_correction(ask.clone()).unwrap_or_else(|sentence| {
        let (motion, done, left) = (None, Vec::new(), vec![sentence]);
        CorrectionResult { ask, made: Made::Failed, motion, done, left, spent: 0.0 }
    })
}

/// The motion with what is asked for of its flights, and no more.
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

/// A motion, what was done, and what cannot be.
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

/// What was done, flight by flight, in words.
fn done(steps: &[FixStep], frame_time: f64) -> Vec<String> {
    let flights = steps.iter().flat_map(|step| &step.plan.flights).map(|flight| {
        let (first, last) = (flight.first as f64 * frame_time, flight.last as f64 * frame_time);
        // The window's font has no arrow.
        format!("{first:.2}–{last:.2} s: {}: {}", flight.tool.name(), flight.reason.replace('→', "to"))
    });
    let feet = steps.iter().filter(|step| step.plan.feet.is_some()).map(|_| "feet planted".to_owned()).take(1);
    flights.chain(feet).collect()
}

/// What is left, in words.
fn left(left: &[Unfixed]) -> Vec<String> {
    left.iter().map(|left| left.why.clone()).collect()
}

impl MotionDocument {
    /// A question about this document as it is.
    pub fn ask(&self, name: impl Into<String>, fix: FixSettings) -> Ask {
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
    /// Whether it is about the same motion and asks for the same.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        self.document == other.document
            && self.clip == other.clip
            && Arc::ptr_eq(&self.base.prepared, &other.base.prepared)
            && self.fix == other.fix
    }
}
