//! Correction in place: what `muybridge fix` does, on the open motion, and again while a slider or a handle is dragged.
//!
//! ```text
//! Ask: a motion to begin from, what may be done ─► beside the interface ─► Answer: the corrected motion ─► a step of the history
//! ```
//! While something is dragged, what is asked for is sketched: that flight as it shall be and what is found about it then, from the motion
//! before the drag; only the newest question waits. When it is let go the whole correction is made, once, from the same motion: what is
//! shown is never a correction of a correction. A motion of a file is corrected in the file, so that it can be written as it is.

use std::sync::Arc;

use eframe::egui;
use muybridge::analysis::{Finding, Flight, Settings};
use muybridge::correction::fix::{Step, fix, sketch};
use muybridge::correction::plan::Left;
use muybridge::correction::{FixSettings, Tools};
use muybridge_files::fix::fix_clip;
use muybridge_files::open::Opened;
use muybridge_files::prepare::{Preparation, Prepared, analyze};
use muybridge_files::rewrite;

use super::document::{Motion, MotionDocument, Motions};
use crate::job::{Job, Progress, Running};
use crate::messages::Messages;

/// A correction that is wanted.
#[derive(Clone, Debug)]
pub struct Ask {
    /// For the menu and the status line: "Fix all".
    pub name: String,
    /// Which document; see [`MotionDocument::number`].
    pub document: u64,
    /// What is corrected.
    pub base: Motion,
    /// Which clip of its file.
    pub clip: usize,
    /// What may be done.
    pub fix: FixSettings,
    /// Whether it is only to be shown, for somebody still drags.
    pub is_sketch: bool,
}

/// A corrected motion, and what there is to say.
#[derive(Debug)]
pub struct Answer {
    name: String,
    document: u64,
    is_sketch: bool,
    base: Motion,
    motion: Option<Motion>,
    notes: Vec<String>,
}

/// What is being corrected.
#[derive(Debug, Default)]
pub struct Bench {
    /// Under way.
    pub job: Option<Job<Answer>>,
    /// To be done next: the newest of those that came meanwhile.
    pub next: Option<Ask>,
}

/// What may be done, as the panel has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choices {
    /// The tools allowed.
    pub tools: Tools,
    /// From 0 to 1.
    pub strength: f64,
    /// Frames over which changes fade out beside flights; 0: not.
    pub blend: usize,
}

impl Default for Choices {
    fn default() -> Self {
        Self { tools: Tools::ALL, strength: 1.0, blend: 0 }
    }
}

impl Choices {
    /// What mends a finding where it is; `None` where there is no tool for it.
    pub fn of_finding(&self, finding: &Finding) -> Option<FixSettings> {
        let (tools, frames) = match finding.id {
            "flight.gravity" | "flight.path" | "flight.momentum" => {
                (Tools { path: true, time: true, ..Tools::NONE }, Some((finding.span.first, finding.span.last + 1)))
            }
            "flight.spin" => (Tools { spin: true, ..Tools::NONE }, Some((finding.span.first, finding.span.last + 1))),
            id if id.starts_with("feet.") => (Tools { feet: true, ..Tools::NONE }, None),
            _ => return None,
        };
        Some(FixSettings { tools, frames, ..self.settings() })
    }

    /// As the library takes it, for the whole clip.
    pub fn settings(&self) -> FixSettings {
        let blend = (self.blend > 0).then_some(self.blend);
        FixSettings { tools: self.tools, strength: self.strength, blend, ..FixSettings::default() }
    }

    /// For one flight alone, with whatever is asked of it.
    pub fn of_flight(&self, flight: &Flight) -> FixSettings {
        FixSettings { frames: Some((flight.span.first, flight.span.last + 1)), ..self.settings() }
    }
}

impl Motions {
    /// Corrects a motion beside the interface. What waits already is replaced: a newer wish is the better one.
    pub fn correct(&mut self, ask: Ask, running: Running, ctx: &egui::Context) {
        if self.bench.job.is_some() {
            self.bench.next = Some(ask);
            return;
        }
        let name = ask.name.clone();
        self.bench.job = Some(Job::start(running, ctx, name, move |_: &Progress| answer(ask)));
    }

    /// Takes what was corrected, and begins what waits.
    pub fn poll_corrections(&mut self, messages: &mut Messages, running: Running, ctx: &egui::Context) {
        while let Some(answer) = self.bench.job.as_ref().and_then(Job::poll) {
            self.bench.job = None;
            match answer {
                Err(sentence) => {
                    self.drop_sketches();
                    messages.error(sentence);
                }
                Ok(answer) => self.take(answer, messages),
            }
            if let Some(next) = self.bench.next.take() {
                self.correct(next, running, ctx);
            }
        }
    }

    fn take(&mut self, answer: Answer, messages: &mut Messages) {
        let Some(document) = self.list.iter_mut().find(|document| document.number == answer.document) else { return };
        if answer.is_sketch {
            document.show_sketch(answer.motion);
            document.refusal = answer.notes.into_iter().next();
            return;
        }
        document.show_sketch(None);
        answer.notes.into_iter().for_each(|note| messages.note(format!("{}: {note}", document.name)));
        match answer.motion {
            // What was changed meanwhile stays: a late answer is none.
            Some(motion) if Arc::ptr_eq(&answer.base.prepared, &document.motion.prepared) => {
                document.change(&answer.name, motion);
            }
            Some(_) => messages.note(format!("{} came too late: the motion was changed meanwhile.", answer.name)),
            None => {}
        }
    }

    /// Stops waiting for corrections; motions are shown as they are.
    pub fn cancel_corrections(&mut self) {
        self.bench = Bench::default();
        self.drop_sketches();
    }

    /// Shows motions as they are.
    pub fn drop_sketches(&mut self) {
        self.list.iter_mut().for_each(|document| document.show_sketch(None));
    }
}

/// Does what was asked.
///
/// # Errors
/// A sentence.
pub fn answer(ask: Ask) -> Result<Answer, String> {
    let Ask { name, document, base, clip, fix: wanted, is_sketch } = ask;
    if is_sketch {
        let (motion, notes) = sketched(&base, wanted);
        return Ok(Answer { name, document, is_sketch, base, motion, notes });
    }
    let (corrected, notes) = match &base.file {
        Some(file) => in_file(&base, file, clip, &wanted).map_err(|error| format!("{name}: {error}"))?,
        None => in_memory(&base, &wanted),
    };
    let motion = corrected.map(|motion| Motion { skins: base.skins.clone(), ..motion });
    Ok(Answer { name, document, is_sketch, base, motion, notes })
}

/// The motion with what is asked for of its flights, and what cannot be; `None` where nothing changes.
fn sketched(base: &Motion, mut wanted: FixSettings) -> (Option<Motion>, Vec<String>) {
    if let Some(file) = &base.file {
        wanted.protect(&rewrite::fixed_bones(file));
    }
    let Prepared { character, clip, .. } = &*base.prepared;
    let mut fixed = sketch(character, clip, &base.analysis, &Settings::default(), &wanted);
    let notes = left(&fixed.left);
    if fixed.steps.is_empty() {
        return (None, notes);
    }
    let of_file = base.analysis.findings.iter().filter(|finding| finding.id == "clip.units");
    fixed.after.findings.extend(of_file.cloned());
    let prepared = Prepared { character: fixed.character, clip: fixed.clip, ..(*base.prepared).clone() };
    (Some(Motion { skins: base.skins.clone(), ..Motion::found(prepared, fixed.after, None) }), notes)
}

fn in_file(
    base: &Motion,
    file: &Arc<Opened>,
    clip: usize,
    wanted: &FixSettings,
) -> Result<(Option<Motion>, Vec<String>), muybridge_files::Error> {
    let (mut opened, mut notes) = rewrite::writable((**file).clone(), false, "motion")?;
    let fixed = fix_clip(&mut opened, clip, &Preparation::default(), &Settings::default(), wanted)?;
    if fixed.steps.is_empty() {
        notes = left(&fixed.left);
        return Ok((None, notes));
    }
    notes.extend(done(&fixed.steps, fixed.before.clip.frame_time));
    notes.extend(left(&fixed.left));
    let map = Arc::new(base.map.then(&fixed.map));
    Ok((Some(Motion { map, ..Motion::found(fixed.after, fixed.found_after, Some(Arc::new(opened))) }), notes))
}

fn in_memory(base: &Motion, wanted: &FixSettings) -> (Option<Motion>, Vec<String>) {
    let Prepared { character, clip, .. } = &*base.prepared;
    let fixed = fix(character, clip, &Settings::default(), wanted);
    if fixed.steps.is_empty() {
        return (None, left(&fixed.left));
    }
    let mut notes = done(&fixed.steps, clip.frame_time);
    notes.extend(left(&fixed.left));
    let prepared = Prepared { character: fixed.character, clip: fixed.clip, ..(*base.prepared).clone() };
    let found = analyze(&prepared, &Settings::default());
    (Some(Motion::found(prepared, found, None)), notes)
}

/// What was done, flight by flight, in words.
fn done(steps: &[Step], frame_time: f64) -> Vec<String> {
    let flights = steps.iter().flat_map(|step| &step.plan.flights).map(|flight| {
        let (first, last) = (flight.first as f64 * frame_time, flight.last as f64 * frame_time);
        // The window's font has no arrow.
        format!("{first:.2}–{last:.2} s: {}: {}", flight.tool.name(), flight.reason.replace('→', "to"))
    });
    let feet = steps.iter().filter(|step| step.plan.feet.is_some()).map(|_| "feet planted".to_owned()).take(1);
    flights.chain(feet).collect()
}

/// What is left, in words.
fn left(left: &[Left]) -> Vec<String> {
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
            is_sketch: false,
        }
    }
}
