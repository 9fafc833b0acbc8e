//! The room's side of a run: sends commands and holds the last frame.
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

/// The room's handle of a run, which may be on another thread.
#[derive(Debug)]
pub struct RunHandle {
    place: RunHost,
    /// The last frame received.
    frame: RunFrame,
    /// Measures of the recent steps.
    pub trace: Trace,
    /// Milliseconds of steps in a frame after which no further step is begun, if the window's thread runs the engine.
    most_time: f64,
    playing: bool,
    speed: f64,
    grip: f64,
    shows_touches: bool,
    /// Number of the last command that may change what the room shows.
    sent: u64,
    told: Vec<RunMessage>,
}

/// Thread that runs the engine.
#[derive(Debug)]
enum RunHost {
    Here(Box<Engine>),
    #[cfg(not(target_arch = "wasm32"))]
    There(Worker),
    /// The thread failed, and the user was told.
    Lost,
}

/// Greatest number of steps per frame of the window if the window's thread runs the engine, so that it does not
/// freeze.
const MOST_STEPS: usize = 4;

/// Milliseconds of steps in such a frame after which no further step is begun; work done at once has no such limit, so
/// that what a test sees does not depend on the machine.
const MOST_TIME: f64 = 12.0;

impl RunHandle {
    /// Starts a run of a built world, on its own thread if there are threads and `running` asks for one.
    pub fn new(engine: Engine, running: JobMode, ctx: &egui::Context) -> Self {
        let mut run = Self {
            frame: engine.frame(),
            playing: engine.status().playing,
            place: place(engine, running, ctx),
            most_time: if running == JobMode::AtOnce { f64::INFINITY } else { MOST_TIME },
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

    /// The last frame's drawing data: a recording of one frame.
    pub fn seen(&self) -> &Recording {
        &self.frame.seen
    }

    /// The last frame received.
    pub fn frame(&self) -> &RunFrame {
        &self.frame
    }

    /// Progress and state of the run in the last frame.
    pub fn status(&self) -> &Status {
        &self.frame.status
    }

    /// Whether no step was made yet.
    pub fn is_at_start(&self) -> bool {
        self.frame.status.steps == 0
    }

    /// Whether the run plays, or will play once it receives the command.
    pub fn is_playing(&self) -> bool {
        self.playing
    }

    /// Playback speed: simulated seconds per second of real time.
    pub fn speed(&self) -> f64 {
        self.speed
    }

    /// Greatest force of the mouse, newtons.
    pub fn grip(&self) -> f64 {
        self.grip
    }

    /// Whether the run has ended because its thread failed.
    pub fn is_lost(&self) -> bool {
        matches!(self.place, RunHost::Lost)
    }

    /// Plays or pauses the run.
    pub fn play(&mut self, plays: bool) {
        self.playing = plays;
        self.send(RunCommand::Play(plays));
    }

    /// Sets the playback speed: simulated seconds per second of real time.
    pub fn set_speed(&mut self, speed: f64) {
        if std::mem::replace(&mut self.speed, speed) != speed {
            self.send(RunCommand::Speed(speed));
        }
    }

    /// Sets the greatest force of the mouse, newtons.
    pub fn set_grip(&mut self, force: f64) {
        if std::mem::replace(&mut self.grip, force) != force {
            self.send(RunCommand::Grip(force));
        }
    }

    /// Sets whether frames include contact points.
    pub fn show_touches(&mut self, shows: bool) {
        if std::mem::replace(&mut self.shows_touches, shows) != shows {
            self.send(RunCommand::Touches(shows));
        }
    }

    /// Makes one step: a frame of the scene.
    pub fn step(&mut self) {
        self.send(RunCommand::Step);
    }

    /// Advances the run by this many seconds of real time, if it plays.
    pub fn advance(&mut self, seconds: f64) {
        if !self.playing {
            return;
        }
        self.send(RunCommand::Pass(seconds));
        if let RunHost::Here(engine) = &mut self.place {
            let (mut steps, mut spent) = (0, 0.0);
            while engine.is_due() && steps < MOST_STEPS && spent < self.most_time {
                engine.step_due();
                (steps, spent) = (steps + 1, spent + engine.status().spent);
            }
            engine.forgive(0.0);
            self.poll();
        }
    }

    /// Resets the run to its start and pauses it.
    pub fn reset(&mut self) {
        self.playing = false;
        self.send(RunCommand::Reset);
    }

    /// Holds a part with the mouse at a point on it.
    pub fn grab(&mut self, part: &PartPath, spot: PickPoint) {
        self.send(RunCommand::Hold(part.clone(), spot));
    }

    /// Moves the target of the held point, meters.
    pub fn move_grab(&mut self, to: DVec3) {
        self.send(RunCommand::Hand(to));
    }

    /// Releases the held part, which keeps its velocity.
    pub fn release(&mut self) {
        self.send(RunCommand::LetGo);
    }

    /// Applies an impulse (N s) to a part at a point on it.
    pub fn push(&mut self, part: &PartPath, spot: PickPoint, impulse: DVec3) {
        self.send(RunCommand::Push(part.clone(), spot, impulse));
    }

    /// Applies the settings of a scene to the running world: gravity, time step, substeps, integrator, and the like.
    pub fn tune(&mut self, scene: &Scene) {
        self.send(RunCommand::Tune(Box::new(scene.clone())));
    }

    /// Plays, and records from now on.
    pub fn record(&mut self) {
        self.playing = true;
        self.send(RunCommand::Record);
    }

    /// Ends the recording and pauses; the recording arrives later as an event.
    pub fn end_recording(&mut self) {
        self.playing = false;
        self.send(RunCommand::EndRecording);
    }

    /// Replaces the world; `keep` says whether the run continues or restarts.
    pub fn replace(&mut self, engine: Engine, keep: Keep) {
        self.send(RunCommand::Replace(Box::new(engine), keep));
    }

    /// Input log of the run since it began, for a replay; `None` if the thread has failed.
    pub fn log(&self) -> Option<InputLog> {
        self.query(LoggedWorld::log)
    }

    /// Calls a function with the run after all commands sent so far, and waits for its result, at most until the end
    /// of a step. `None` if the thread has failed.
    pub fn query<R: Send + 'static>(&self, question: impl FnOnce(&LoggedWorld) -> R + Send + 'static) -> Option<R> {
        match &self.place {
            RunHost::Here(engine) => Some(question(engine.recorded())),
            #[cfg(not(target_arch = "wasm32"))]
            RunHost::There(worker) => {
                let (sender, answer) = std::sync::mpsc::channel();
                // The receiver waits below or is gone, so a failed send does not matter.
                let ask = move |recorded: &LoggedWorld| drop(sender.send(question(recorded)));
                worker.send(self.sent, RunCommand::Ask(Box::new(ask)));
                answer.recv().ok()
            }
            RunHost::Lost => None,
        }
    }

    /// Takes the last finished frame and the events of the run.
    pub fn poll(&mut self) {
        let before = self.frame.status;
        let heard = match &mut self.place {
            RunHost::Here(engine) => {
                engine.show(&mut self.frame);
                self.told.append(&mut engine.drain_messages());
                Some(self.sent)
            }
            #[cfg(not(target_arch = "wasm32"))]
            RunHost::There(worker) => {
                // Checked first, so that everything the thread left before it ended is taken.
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
        // Commands sent after this frame are not in it yet.
        if heard == Some(self.sent) {
            self.playing = self.frame.status.playing;
        }
        self.measure(&before);
    }

    /// Events of the run since the last call.
    pub fn drain_messages(&mut self) -> Vec<RunMessage> {
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
                // `poll` detects a thread that has ended.
                worker.send(self.sent, command);
            }
            RunHost::Lost => {}
        }
    }

    fn lose(&mut self) {
        (self.place, self.playing) = (RunHost::Lost, false);
        let sentence = "The simulation stopped because of a bug in Muybridge; please report it. To go on, change the scene or open it again.";
        self.told.push(RunMessage::Error(sentence.into()));
    }

    /// Adds the measures of a frame to the trace, if the frame is of a new step.
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
