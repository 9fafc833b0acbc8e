//! Which corrections are made, which wait, and which is shown while somebody drags.
//!
//! ```text
//! a wish of a drag ─► the whole correction ─► shown                               where that is soon there
//!                  └► a sketch ─► shown; the hand rests ─► the whole ─► shown     where it is not
//! it is let go ─► what is shown, if it is the whole of the same wish, else the whole ─► a step of the history
//! ```
//! Only the newest wish waits, and what is shown is never older than what was shown before. A sketch is what is asked for of the flight and
//! no more; the whole is what `muybridge fix` makes of it, spin, feet and file, so letting go changes no bit of it.

use std::sync::Arc;

use eframe::egui;

use super::correct::{Ask, CorrectionResult, Made, answer_held, answer_sketched, run_correction};
use super::document::Motions;
use crate::job::{Job, JobMode, JobProgress};
use crate::messages::Messages;

/// What is being corrected.
#[derive(Debug, Default)]
pub struct Bench {
    /// The whole correction under way.
    pub job: Option<Job<CorrectionResult>>,
    /// The next: the newest of those that came meanwhile.
    next: Option<Ask>,
    /// The sketch under way, and the next.
    sketch: (Option<Job<CorrectionResult>>, Option<Ask>),
    /// What is to be made whole once no other wish comes, and for how many frames none came.
    resting: Option<(Ask, u32)>,
    /// The last whole correction of a drag.
    finished: Option<CorrectionResult>,
    /// Questions so far.
    count: u64,
    /// Which is shown, and whether as a whole.
    shown: (u64, bool),
    /// Milliseconds of the last whole correction of a drag, and of which document.
    spent: Option<(u64, f64)>,
}

/// Milliseconds of a whole correction up to which every wish of a drag gets one: on a thread, and in the frame of the window.
const SOON: f64 = 100.0;
const SOON_IN_FRAME: f64 = 12.0;

/// Frames without another wish after which the hand rests.
const REST: u32 = 2;

impl Bench {
    /// Whether something is under way or waits.
    pub fn is_busy(&self) -> bool {
        self.job.is_some() || self.sketch.0.is_some() || self.resting.is_some()
    }

    /// Whether a whole correction takes longer than a drag waits for; where it is not known yet, only the frame of the window is spared.
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

    /// Makes whole what no other wish came after.
    fn rest(&mut self, running: JobMode, ctx: &egui::Context) {
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
    /// Corrects a motion beside the interface. What waits already is replaced: a newer wish is the better one.
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

    /// Takes what was corrected, and begins what waits.
    pub fn poll_corrections(&mut self, messages: &mut Messages, running: JobMode, ctx: &egui::Context) {
        while let Some(answer) = self.bench.sketch.0.as_ref().and_then(Job::poll) {
            self.bench.sketch.0 = None;
            self.hear(answer, messages);
            if let Some(next) = self.bench.sketch.1.take() {
                self.bench.begin_sketch(next, running, ctx);
            }
        }
        self.bench.rest(running, ctx);
        while let Some(answer) = self.bench.job.as_ref().and_then(Job::poll) {
            self.bench.job = None;
            self.hear(answer, messages);
            if let Some(next) = self.bench.next.take() {
                self.bench.begin_whole(next, running, ctx);
            }
        }
    }

    fn hear(&mut self, answer: Result<CorrectionResult, String>, messages: &mut Messages) {
        match answer {
            Err(sentence) => {
                self.drop_sketches();
                messages.error(sentence);
            }
            Ok(answer) if answer.ask.is_held => self.show_held(answer),
            Ok(answer) => self.take(answer, messages),
        }
    }

    /// Shows what a drag has come to, unless something newer is shown.
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

    fn take(&mut self, answer: CorrectionResult, messages: &mut Messages) {
        (self.bench.shown, self.bench.finished) = ((answer.ask.number, true), None);
        let CorrectionResult { ask, motion, done, left, .. } = answer;
        let Some(document) = self.list.iter_mut().find(|document| document.number == ask.document) else { return };
        document.show_sketch(None);
        done.into_iter().chain(left).for_each(|note| messages.note(format!("{}: {note}", document.name)));
        match motion {
            // What was changed meanwhile stays: a late answer is none.
            Some(motion) if Arc::ptr_eq(&ask.base.prepared, &document.motion.prepared) => {
                document.change(&ask.name, motion);
            }
            Some(_) => messages.note(format!("{} came too late: the motion was changed meanwhile.", ask.name)),
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
        self.bench.finished = None;
        self.list.iter_mut().for_each(|document| document.show_sketch(None));
    }
}
