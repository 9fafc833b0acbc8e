//! A run as the room sees it: what is asked of it, and the last frame that came of it.
//!
//! ```text
//! desktop        Run ── commands ──► Worker ──► Engine on a thread       frames as they are finished
//! web, tests     Run ── commands ──► Engine                              done before the call returns
//! ```

use eframe::egui;
use muybridge::glam::DVec3;
use muybridge::simulation::scene::{PartPath, Scene};
use muybridge::simulation::{InputLog, LoggedWorld, Recording};

use super::document::Keep;
use super::engine::{Engine, GRIP, RunCommand, RunFrame, RunMessage, Status};
use super::trace::{Sample, Trace};
#[cfg(not(target_arch = "wasm32"))]
use super::worker::Worker;
use super::world_drawing::PickPoint;
use crate::job::JobMode;

/// A run in the hands of the room.
#[derive(Debug)]
pub struct RunHandle {
    place: RunHost,
    /// The last that came.
    frame: RunFrame,
    /// What was measured.
    pub trace: Trace,
    playing: bool,
    speed: f64,
    grip: f64,
    shows_touches: bool,
    /// Number of the last command that may change what the room shows of the run.
    sent: u64,
    told: Vec<RunMessage>,
}

/// Where it runs.
#[derive(Debug)]
enum RunHost {
    Here(Box<Engine>),
    #[cfg(not(target_arch = "wasm32"))]
    There(Worker),
    /// The thread broke off, and that was said.
    Lost,
}

/// Steps that are made up for at most in a frame of the window that takes them itself: it does not freeze.
const MOST_STEPS: usize = 4;

/// Milliseconds of steps in such a frame after which no further step is begun.
const MOST_TIME: f64 = 12.0;

impl RunHandle {
    /// A world as it was built; on a thread of its own where there are threads and they are wanted.
    pub fn new(engine: Engine, running: JobMode, ctx: &egui::Context) -> Self {
        let mut run = Self {
            frame: engine.frame(),
            playing: engine.status().playing,
            place: place(engine, running, ctx),
            trace: Trace::default(),
            speed: 1.0,
            grip: GRIP,
            shows_touches: false,
            sent: 0,
            told: Vec::new(),
        };
        if run.is_lost() {
            run.lose();
        }
        run
    }

    /// As it was last seen, to be drawn: a recording of one frame.
    pub fn seen(&self) -> &Recording {
        &self.frame.seen
    }

    /// The last frame.
    pub fn frame(&self) -> &RunFrame {
        &self.frame
    }

    /// How far it was in that frame.
    pub fn status(&self) -> &Status {
        &self.frame.status
    }

    /// Whether nothing has happened yet.
    pub fn is_at_start(&self) -> bool {
        self.frame.status.steps == 0
    }

    /// Whether it goes on by itself, or will as soon as it hears of it.
    pub fn is_playing(&self) -> bool {
        self.playing
    }

    /// Seconds of the world per second of the clock.
    pub fn speed(&self) -> f64 {
        self.speed
    }

    /// Greatest force of the hand, newtons.
    pub fn grip(&self) -> f64 {
        self.grip
    }

    /// Whether it runs no more, because its thread broke off.
    pub fn is_lost(&self) -> bool {
        matches!(self.place, RunHost::Lost)
    }

    /// Lets it go on by itself, or holds it.
    pub fn play(&mut self, plays: bool) {
        self.playing = plays;
        self.send(RunCommand::Play(plays));
    }

    /// Sets the seconds of the world per second of the clock.
    pub fn set_speed(&mut self, speed: f64) {
        if std::mem::replace(&mut self.speed, speed) != speed {
            self.send(RunCommand::Speed(speed));
        }
    }

    /// Sets the greatest force of the hand, newtons.
    pub fn set_grip(&mut self, force: f64) {
        if std::mem::replace(&mut self.grip, force) != force {
            self.send(RunCommand::Grip(force));
        }
    }

    /// Has frames tell where things touch, or not.
    pub fn show_touches(&mut self, shows: bool) {
        if std::mem::replace(&mut self.shows_touches, shows) != shows {
            self.send(RunCommand::Touches(shows));
        }
    }

    /// Goes on by a frame of the scene.
    pub fn step(&mut self) {
        self.send(RunCommand::Step);
    }

    /// Goes on by so many seconds of the clock, if it plays.
    pub fn advance(&mut self, seconds: f64) {
        if !self.playing {
            return;
        }
        self.send(RunCommand::Pass(seconds));
        if let RunHost::Here(engine) = &mut self.place {
            let (mut steps, mut spent) = (0, 0.0);
            while engine.is_due() && steps < MOST_STEPS && spent < MOST_TIME {
                engine.step_due();
                (steps, spent) = (steps + 1, spent + engine.status().spent);
            }
            engine.forgive(0.0);
            self.poll();
        }
    }

    /// Puts everything back to where it began, and pauses.
    pub fn reset(&mut self) {
        self.playing = false;
        self.send(RunCommand::Reset);
    }

    /// Takes hold of a part at a place on it.
    pub fn hold(&mut self, part: &PartPath, spot: PickPoint) {
        self.send(RunCommand::Hold(part.clone(), spot));
    }

    /// Moves the hand, metres.
    pub fn lead(&mut self, to: DVec3) {
        self.send(RunCommand::Hand(to));
    }

    /// Opens the hand; what it held keeps its velocity.
    pub fn let_go(&mut self) {
        self.send(RunCommand::LetGo);
    }

    /// Gives a part an impulse (N s) at a place on it, now.
    pub fn push(&mut self, part: &PartPath, spot: PickPoint, impulse: DVec3) {
        self.send(RunCommand::Push(part.clone(), spot, impulse));
    }

    /// Takes the settings of a scene into the running world: gravity, time step, substeps, integrator, and the like.
    pub fn tune(&mut self, scene: &Scene) {
        self.send(RunCommand::Tune(Box::new(scene.clone())));
    }

    /// Records from now on, and plays.
    pub fn record(&mut self) {
        self.playing = true;
        self.send(RunCommand::Record);
    }

    /// Ends the recording, which is told as soon as it is made, and pauses.
    pub fn end_recording(&mut self) {
        self.playing = false;
        self.send(RunCommand::EndRecording);
    }

    /// Another world takes the place of the one that runs.
    pub fn replace(&mut self, engine: Engine, keep: Keep) {
        self.send(RunCommand::Replace(Box::new(engine), keep));
    }

    /// What was done to it since it began, by which the run can be done again; `None` where it is lost.
    pub fn log(&self) -> Option<InputLog> {
        self.ask(LoggedWorld::log)
    }

    /// Asks the run as it is behind all commands up to now, and waits for the answer: at most for the end of a step. `None` where it is
    /// lost.
    pub fn ask<R: Send + 'static>(&self, question: impl FnOnce(&LoggedWorld) -> R + Send + 'static) -> Option<R> {
        match &self.place {
            RunHost::Here(engine) => Some(question(engine.recorded())),
            #[cfg(not(target_arch = "wasm32"))]
            RunHost::There(worker) => {
                let (sender, answer) = std::sync::mpsc::channel();
                // Who asks waits below, or is gone.
                let ask = move |recorded: &LoggedWorld| drop(sender.send(question(recorded)));
                worker.send(self.sent, RunCommand::Ask(Box::new(ask)));
                answer.recv().ok()
            }
            RunHost::Lost => None,
        }
    }

    /// Takes the last finished frame, and what is told.
    pub fn poll(&mut self) {
        let before = self.frame.status;
        let heard = match &mut self.place {
            RunHost::Here(engine) => {
                engine.show(&mut self.frame);
                self.told.append(&mut engine.told());
                Some(self.sent)
            }
            #[cfg(not(target_arch = "wasm32"))]
            RunHost::There(worker) => {
                // Asked first: what it left before it ended is taken.
                let has_ended = worker.has_ended();
                let (heard, mut told) = worker.take(&mut self.frame);
                self.told.append(&mut told);
                if has_ended {
                    self.lose();
                }
                heard
            }
            RunHost::Lost => None,
        };
        // What was asked for since that frame is not in it yet.
        if heard == Some(self.sent) {
            self.playing = self.frame.status.playing;
        }
        self.measure(&before);
    }

    /// What the run told since the last call.
    pub fn told(&mut self) -> Vec<RunMessage> {
        std::mem::take(&mut self.told)
    }

    fn send(&mut self, command: RunCommand) {
        self.sent += u64::from(!matches!(command, RunCommand::Pass(_)));
        match &mut self.place {
            RunHost::Here(engine) => {
                let passes = matches!(command, RunCommand::Pass(_));
                engine.obey(command);
                if !passes {
                    self.poll();
                }
            }
            #[cfg(not(target_arch = "wasm32"))]
            RunHost::There(worker) => {
                // A thread that has ended is found out by `poll`.
                worker.send(self.sent, command);
            }
            RunHost::Lost => {}
        }
    }

    fn lose(&mut self) {
        (self.place, self.playing) = (RunHost::Lost, false);
        let sentence = "The simulation broke off; this is a fault of ours. Change the scene or open it again to go on.";
        self.told.push(RunMessage::Error(sentence.into()));
    }

    /// Notes what a frame measured, if it is of another step.
    fn measure(&mut self, before: &Status) {
        let status = &self.frame.status;
        if status.begun != before.begun {
            self.trace = Trace::default();
        }
        if (status.begun, status.steps) != (before.begun, before.steps)
            && status.steps > 0
            && let Some(measures) = self.frame.seen.measures.last()
        {
            self.trace.push(Sample::new(status.clock, measures, status.spent));
        }
    }
}

#[cfg(not(target_arch = "wasm32"))]
fn place(engine: Engine, running: JobMode, ctx: &egui::Context) -> RunHost {
    match running {
        JobMode::AtOnce => RunHost::Here(Box::new(engine)),
        JobMode::Beside => Worker::start(engine, ctx).map_or(RunHost::Lost, RunHost::There),
    }
}

#[cfg(target_arch = "wasm32")]
fn place(engine: Engine, _running: JobMode, _ctx: &egui::Context) -> RunHost {
    RunHost::Here(Box::new(engine))
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
