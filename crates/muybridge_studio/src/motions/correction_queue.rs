//! Scheduling of corrections: which run now, which wait, and which result is shown while the user drags.
//!
//! ```text
//! request of a drag ─► full correction ─► shown                                        if corrections are fast
//!                  └► preview ─► shown; the pointer rests ─► full correction ─► shown  if they are slow
//! the drag ends ─► the shown result, if it is full and of the same request, else a full correction ─► an undo step
//! ```
//! Only the newest request waits, and a result never replaces a newer one. A preview corrects only the requested
//! quantity of the flight. A full correction is exactly that of `muybridge fix`, with spin, feet and file, so ending
//! the drag changes nothing.

use std::sync::Arc;

use eframe::egui;

use super::correct::{Ask, CorrectionResult, Made, answer_held, answer_sketched, run_correction};
use super::document::Motions;
use crate::job::{Job, JobMode, JobProgress};
use crate::messages::Messages;

/// Running and waiting corrections.
#[derive(Debug, Default)]
pub struct Bench {
    /// The full correction that is running; `None` if there is none.
    pub job: Option<Job<CorrectionResult>>,
    /// Newest request for a full correction that came while another was running.
    next: Option<Ask>,
    /// The preview that is running, and the newest request for the next one.
    sketch: (Option<Job<CorrectionResult>>, Option<Ask>),
    /// Request of a drag that still needs its full correction, and the number of frames without a newer request.
    resting: Option<(Ask, u32)>,
    /// Last full correction of a drag; `None` if there is none.
    finished: Option<CorrectionResult>,
    /// Number of requests so far.
    count: u64,
    /// Number of the request whose result is shown, and whether the result is a full correction.
    shown: (u64, bool),
    /// Document number and milliseconds of the last full correction of a drag.
    spent: Option<(u64, f64)>,
}

/// Greatest time of a full correction, milliseconds, for which every request of a drag gets one: on a thread, and in
/// the frame of the window. Slower documents get previews.
const SOON: f64 = 100.0;
const SOON_IN_FRAME: f64 = 12.0;

/// Frames without a newer request after which the pointer counts as resting.
const REST: u32 = 2;

impl Bench {
    /// Whether a correction is running or waiting.
    pub fn is_busy(&self) -> bool {
        self.job.is_some() || self.sketch.0.is_some() || self.resting.is_some()
    }

    /// Whether full corrections are too slow for a drag. If their time is unknown, they count as slow only when they
    /// run in the frame of the window.
    fn is_slow(&self, document: u64, running: JobMode) -> bool {
        let in_frame = running == JobMode::AtOnce || cfg!(target_arch = "wasm32");
        let most = if in_frame { SOON_IN_FRAME } else { SOON };
        self.spent.filter(|(own, _)| *own == document).map_or(in_frame, |(_, spent)| spent > most)
    }

    fn begin_sketch(&mut self, ask: Ask, running: JobMode, ctx: &egui::Context) {
        if self.sketch.0.is_some() {
            self.sketch.1 = Some(ask);
            return;
        }
        let work = move |_: &JobProgress| Ok(answer_sketched(ask));
        self.sketch.0 = Some(Job::start(running, ctx, "A sketch", work));
    }

    fn begin_whole(&mut self, ask: Ask, running: JobMode, ctx: &egui::Context) {
        if self.job.is_some() {
            self.next = Some(ask);
            return;
        }
        let name = ask.name.clone();
        let made = self.finished.take_if(|own| !ask.is_held && own.made == Made::Whole && own.ask.is_like(&ask));
        self.job = Some(match made {
            Some(made) => {
                Job::start(JobMode::AtOnce, ctx, name, move |_: &JobProgress| Ok(CorrectionResult { ask, ..made }))
            }
            None if ask.is_held => Job::start(running, ctx, name, move |_: &JobProgress| Ok(answer_held(ask))),
            None => Job::start(running, ctx, name, move |_: &JobProgress| run_correction(ask)),
        });
    }

    /// Starts the full correction once no newer drag request has come for a few frames.
    fn finish_when_idle(&mut self, running: JobMode, ctx: &egui::Context) {
        let Some((_, frames)) = &mut self.resting else { return };
        *frames += 1;
        ctx.request_repaint();
        if *frames >= REST
            && self.job.is_none()
            && let Some((ask, _)) = self.resting.take()
        {
            self.begin_whole(ask, running, ctx);
        }
    }
}

impl Motions {
    /// Requests a correction in the background. A newer request replaces a waiting one.
    pub fn correct(&mut self, ask: Ask, running: JobMode, ctx: &egui::Context) {
        let bench = &mut self.bench;
        bench.count += 1;
        let ask = Ask { number: bench.count, ..ask };
        bench.resting = None;
        if !ask.is_held {
            bench.sketch = (None, None);
            bench.begin_whole(ask, running, ctx);
        } else if bench.is_slow(ask.document, running) {
            bench.resting = Some((ask.clone(), 0));
            bench.begin_sketch(ask, running, ctx);
        } else {
            bench.begin_whole(ask, running, ctx);
        }
    }

    /// Collects finished corrections and starts the waiting ones.
    pub fn poll_corrections(&mut self, messages: &mut Messages, running: JobMode, ctx: &egui::Context) {
        while let Some(answer) = self.bench.sketch.0.as_ref().and_then(Job::poll) {
            self.bench.sketch.0 = None;
            self.poll_result(answer, messages);
            if let Some(next) = self.bench.sketch.1.take() {
                self.bench.begin_sketch(next, running, ctx);
            }
        }
        self.bench.finish_when_idle(running, ctx);
        while let Some(answer) = self.bench.job.as_ref().and_then(Job::poll) {
            self.bench.job = None;
            self.poll_result(answer, messages);
            if let Some(next) = self.bench.next.take() {
                self.bench.begin_whole(next, running, ctx);
            }
        }
    }

    fn poll_result(&mut self, answer: Result<CorrectionResult, String>, messages: &mut Messages) {
        match answer {
            Err(sentence) => {
                self.drop_sketches();
                messages.error(sentence);
            }
            Ok(answer) if answer.ask.is_held => self.show_held(answer),
            Ok(answer) => self.accept_result(answer, messages),
        }
    }

    /// Shows the result of a drag request unless a newer result is shown.
    fn show_held(&mut self, answer: CorrectionResult) {
        let (document, number, is_whole) = (answer.ask.document, answer.ask.number, answer.made != Made::Sketch);
        if answer.made == Made::Whole {
            self.bench.spent = Some((document, answer.spent));
        }
        let Some(document) = self.list.iter_mut().find(|own| own.number == document) else { return };
        if (number, is_whole) <= self.bench.shown {
            return;
        }
        self.bench.shown = (number, is_whole);
        document.show_sketch(answer.motion.clone());
        document.refusal = answer.left.first().cloned();
        self.bench.finished = Some(answer).filter(|_| is_whole);
    }

    fn accept_result(&mut self, answer: CorrectionResult, messages: &mut Messages) {
        (self.bench.shown, self.bench.finished) = ((answer.ask.number, true), None);
        let CorrectionResult { ask, motion, done, left, .. } = answer;
        let Some(document) = self.list.iter_mut().find(|document| document.number == ask.document) else { return };
        document.show_sketch(None);
        done.into_iter().chain(left).for_each(|note| messages.note(format!("{}: {note}", document.name)));
        match motion {
            // A result for an outdated motion is dropped, so later changes stay.
            Some(motion) if Arc::ptr_eq(&ask.base.prepared, &document.motion.prepared) => {
                document.change(&ask.name, motion);
            }
            Some(_) => messages.note(format!(
                "{} was dropped, because the motion changed while it was computed; try again.",
                ask.name
            )),
            None => {}
        }
    }

    /// Cancels all corrections and shows motions without previews.
    pub fn cancel_corrections(&mut self) {
        self.bench = Bench::default();
        self.drop_sketches();
    }

    /// Removes all previews, so that motions are shown as they are.
    pub fn drop_sketches(&mut self) {
        self.bench.finished = None;
        self.list.iter_mut().for_each(|document| document.show_sketch(None));
    }
}
