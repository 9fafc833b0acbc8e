//! A running world with all its inputs: commands are executed in order between steps and noted in the input log of the
//! run.
//!
//! ```text
//! commands ──► between two steps ──► log      steps ──► measures, recording      on request ──► a frame to be drawn
//! ```
//! The engine is independent of windows and threads: the room calls it directly if there is one thread, otherwise a
//! worker does.

use std::path::PathBuf;
use std::sync::Arc;
#[cfg(not(target_arch = "wasm32"))]
use std::time::Instant;
#[cfg(target_arch = "wasm32")]
use web_time::Instant;

use muybridge::glam::DVec3;
use muybridge::simulation::scene::{PartPath, Scene};
use muybridge::simulation::{ContactMark, Count, InputLog, LoggedWorld, Recording, World};

use super::document::Keep;
use super::playback::Playback;
use super::recording::Take;
use super::world_drawing::PickPoint;

/// Input to a run from outside.
pub enum RunCommand {
    /// This many seconds of real time have passed.
    Pass(f64),
    /// Play if true, pause if false.
    Play(bool),
    /// Playback speed: simulated seconds per second of real time.
    Speed(f64),
    /// Greatest force of the mouse when it holds a part, newtons.
    Grip(f64),
    /// Make one step.
    Step,
    /// Go back to the start, paused.
    Reset,
    /// Change settings: gravity, time step, substeps, integrator, and the like.
    Tune(Box<Scene>),
    /// Hold a part at a point on it with the mouse.
    Hold(PartPath, PickPoint),
    /// Move the held point's target, meters.
    Hand(DVec3),
    /// Release the held part, which keeps its velocity.
    LetGo,
    /// Apply an impulse (N s) to a part at a point on it.
    Push(PartPath, PickPoint, DVec3),
    /// Include contact points in frames, or not.
    Touches(bool),
    /// Play, and record from now on.
    Record,
    /// End the recording.
    EndRecording,
    /// Replace the world, and continue from the present state or restart.
    Replace(Box<Engine>, Keep),
    /// Call a function with the run in its present state.
    Ask(Box<dyn FnOnce(&LoggedWorld) + Send>),
}

/// Event that a run reports once.
#[derive(Clone, Debug)]
pub enum RunMessage {
    /// A note for the user.
    Note(String),
    /// An error for the user.
    Error(String),
    /// A finished recording.
    Recorded(Box<Recording>),
    /// The scene after a replayed log has changed it.
    Became(Box<Scene>),
}

/// Snapshot of a run for drawing, with its status.
#[derive(Clone, Debug)]
pub struct RunFrame {
    /// Everything that is drawn: a recording of one frame.
    pub seen: Recording,
    /// Contact points; empty unless they are asked for.
    pub touches: Vec<ContactMark>,
    /// Progress and state of the run.
    pub status: Status,
}

/// Progress and state of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Status {
    /// Number of steps made.
    pub steps: u64,
    /// Simulated time, seconds; steps may have had different lengths.
    pub clock: f64,
    /// Length of a step, seconds.
    pub time_step: f64,
    /// Solver time of the last step, milliseconds.
    pub spent: f64,
    /// Whether the run plays.
    pub playing: bool,
    /// Target of the point held by the mouse, meters; `None` if nothing is held.
    pub hand: Option<DVec3>,
    /// Number of frames recorded so far; `None` if no recording is in progress.
    pub recorded: Option<usize>,
    /// Last step of the log that is being replayed; `None` if there is no replay.
    pub replayed: Option<u64>,
    /// Mass of all moving bodies and particles, kilograms.
    pub mass: f64,
    /// Numbers of bodies and particles in the world.
    pub count: Count,
    /// Number of times that the run was restarted.
    pub begun: u64,
    /// Number of times that the world was replaced.
    worlds: u64,
    /// Number of changes to what is drawn, so that frames can be compared.
    changes: u64,
}

/// A world and the state of its run.
#[derive(Debug)]
pub struct Engine {
    /// The world, and a log of all inputs to it.
    recorded: LoggedWorld,
    /// Snapshot of the world used for finding points on things; updated when needed.
    seen: Recording,
    status: Status,
    speed: f64,
    grip: f64,
    shows_touches: bool,
    take: Option<Take>,
    /// The log that is replayed; `None` if there is no replay.
    playback: Option<Playback>,
    told: Vec<RunMessage>,
    /// Time by which the world lags behind the clock, seconds.
    owed: f64,
}

/// Number of steps between two state hashes in the log.
const EVERY: u64 = 60;

/// Initial value of the greatest force of the mouse, newtons: enough to hold up a person.
pub const GRIP: f64 = 2500.0;

impl Engine {
    /// Engine for a newly built world.
    pub fn new(world: World) -> Self {
        let (count, mass, time_step) = (world.count(), world.mass(), time_step(&world));
        Self {
            seen: world.snapshot(),
            recorded: LoggedWorld::new(world, EVERY),
            status: Status { count, mass, time_step, ..Status::default() },
            speed: 1.0,
            grip: GRIP,
            shows_touches: false,
            take: None,
            playback: None,
            told: Vec::new(),
            owed: 0.0,
        }
    }

    /// Replays the run of a log, in a world built from the scene of that log. The engine starts playing.
    pub fn again(world: World, log: Arc<InputLog>, folder: PathBuf) -> Self {
        let mut engine = Self::new(world);
        engine.playback = Some(Playback::new(log, folder, engine.recorded.clone()));
        engine.status.playing = true;
        engine.redo();
        engine
    }

    /// Replays a log to its end, in a world built from the scene of the log, so that the run can continue from there.
    /// `goes_on` receives the fraction done and returns false to cancel.
    ///
    /// # Errors
    /// Returns the reason if the replay is canceled or differs from the log.
    pub fn resumed(
        world: World,
        log: Arc<InputLog>,
        folder: PathBuf,
        mut goes_on: impl FnMut(f64) -> bool,
    ) -> Result<Self, String> {
        let mut engine = Self::again(world, log, folder);
        while let Some(last) = engine.status.replayed {
            if !goes_on(engine.status.steps as f64 / last as f64) {
                return Err("it was cancelled".into());
            }
            engine.step();
        }
        if let Some(difference) = engine.playback.take().as_ref().and_then(Playback::difference) {
            return Err(difference.to_owned());
        }
        engine.told.clear();
        engine.recorded.let_go();
        engine.status.playing = false;
        Ok(engine)
    }

    /// The world and its input log.
    pub fn recorded(&self) -> &LoggedWorld {
        &self.recorded
    }

    /// Progress and state of the run.
    pub fn status(&self) -> &Status {
        &self.status
    }

    /// Events since the last call.
    pub fn drain_messages(&mut self) -> Vec<RunMessage> {
        std::mem::take(&mut self.told)
    }

    /// Executes a command.
    pub fn obey(&mut self, command: RunCommand) {
        if matches!(command, RunCommand::Hold(..) | RunCommand::Push(..) | RunCommand::Tune(_)) {
            self.end_playback();
        }
        match command {
            RunCommand::Pass(seconds) if self.status.playing => self.owed += seconds * self.speed,
            RunCommand::Pass(_) => {}
            RunCommand::Play(plays) => self.status.playing = plays,
            RunCommand::Speed(speed) => self.speed = speed,
            RunCommand::Grip(force) => self.grip = force,
            RunCommand::Step => self.step(),
            RunCommand::Reset => self.reset(),
            RunCommand::Tune(scene) => self.tune(&scene),
            RunCommand::Hold(part, spot) => {
                let place = self.position(&spot).filter(|&place| self.recorded.hold(&part, place).is_ok());
                self.status.hand = place;
            }
            RunCommand::Hand(to) => self.status.hand = self.status.hand.map(|_| to),
            RunCommand::LetGo => {
                self.status.hand = None;
                self.recorded.let_go();
            }
            RunCommand::Push(part, spot, impulse) => {
                if let Some(place) = self.position(&spot) {
                    if let Err(error) = self.recorded.push(&part, place, impulse) {
                        self.told.push(RunMessage::Note(error.to_string()));
                    }
                    self.status.changes += 1;
                }
            }
            RunCommand::Touches(shows) => {
                self.shows_touches = shows;
                self.status.changes += 1;
            }
            RunCommand::Record => self.record(),
            RunCommand::EndRecording => self.end_recording(),
            RunCommand::Replace(next, keep) => self.replace(*next, keep),
            RunCommand::Ask(question) => question(&self.recorded),
        }
    }

    /// Whether a step is due: the run plays and lags behind by at least one step.
    pub fn is_due(&self) -> bool {
        self.status.playing && self.owed >= self.status.time_step
    }

    /// Makes a step that is due.
    pub fn step_due(&mut self) {
        self.owed -= self.status.time_step;
        self.step();
    }

    /// Limits the lag to this many seconds, or one step if that is longer: a world that is too slow runs in slow
    /// motion.
    pub fn forgive(&mut self, most: f64) {
        self.owed = self.owed.min(most.max(self.status.time_step));
    }

    /// Updates an older frame of the run to the present state.
    pub fn show(&self, frame: &mut RunFrame) {
        let (world, now) = (self.recorded.world(), &self.status);
        let is_same = frame.status.worlds == now.worlds;
        if !is_same || frame.status.changes != now.changes {
            // Another world may have things of the same names with other shapes.
            if is_same {
                world.snapshot_into(&mut frame.seen)
            } else {
                frame.seen = world.snapshot()
            }
            frame.touches = if self.shows_touches { world.touches() } else { Vec::new() };
        }
        frame.status = *now;
    }

    /// Frame of the run in its present state.
    pub fn frame(&self) -> RunFrame {
        let mut frame = RunFrame { seen: self.seen.clone(), touches: Vec::new(), status: self.status };
        self.recorded.world().snapshot_into(&mut frame.seen);
        frame
    }

    fn step(&mut self) {
        let start = Instant::now();
        if let Some(to) = self.status.hand
            && self.recorded.pull(to, self.grip).is_err()
        {
            // What was held is gone.
            self.status.hand = None;
        }
        self.recorded.step();
        self.status.spent = start.elapsed().as_secs_f64() * 1e3;
        self.status.clock += self.status.time_step;
        (self.status.steps, self.status.changes) = (self.recorded.world().steps(), self.status.changes + 1);
        self.redo();
        if let Some(take) = &mut self.take {
            self.recorded.world().snapshot_into(&mut self.seen);
            take.add(&self.seen, self.status.time_step);
            self.status.recorded = Some(take.frames());
        }
    }

    /// Executes the logged inputs of a replay that belong to this step, and reports the results.
    fn redo(&mut self) {
        let Some(playback) = &mut self.playback else { return };
        let (became, is_other_world) = playback.redo(&mut self.recorded, &mut self.told);
        let (is_over, last) = (playback.is_over(), playback.last_step());
        if became {
            self.follow_world();
        }
        self.status.worlds += u64::from(is_other_world);
        self.status.changes += u64::from(became);
        self.status.replayed = (!is_over).then_some(last);
        // A finished replay stays paused at its end; Reset starts it again.
        self.status.playing &= !is_over;
    }

    /// Ends the replay, as the run now departs from the log.
    fn end_playback(&mut self) {
        let Some(playback) = self.playback.take() else { return };
        if self.status.replayed.take().is_some() {
            // Releases whatever the log's mouse input holds.
            self.recorded.let_go();
            self.told.push(RunMessage::Note(playback.left_at(self.status.steps)));
        }
    }

    fn reset(&mut self) {
        if let Some(playback) = &mut self.playback {
            self.recorded = playback.begin_again(&mut self.told);
            self.status.worlds += 1;
            self.begin_anew();
            self.follow_world();
            return self.redo();
        }
        // The start state belongs to this world, so it always fits.
        if self.recorded.reset().is_ok() {
            self.begin_anew();
        }
    }

    fn begin_anew(&mut self) {
        (self.owed, self.take) = (0.0, None);
        let Status { time_step, mass, count, begun, worlds, changes, .. } = self.status;
        let begun = begun + 1;
        self.status = Status { time_step, mass, count, begun, worlds, changes: changes + 1, ..Status::default() };
    }

    fn tune(&mut self, scene: &Scene) {
        self.recorded.tune(scene);
        self.follow_rate();
    }

    /// Updates counts, mass and time step from the world.
    fn follow_world(&mut self) {
        let world = self.recorded.world();
        (self.status.count, self.status.mass) = (world.count(), world.mass());
        self.follow_rate();
    }

    /// Updates the time step from the world; a change ends the recording.
    fn follow_rate(&mut self) {
        let before = std::mem::replace(&mut self.status.time_step, time_step(self.recorded.world()));
        if before != self.status.time_step && self.take.is_some() {
            self.end_recording();
            let sentence = "The recording ended, because the frame rate changed and a recording has a constant rate.";
            self.told.push(RunMessage::Note(sentence.into()));
        }
    }

    /// World position of a point fixed to a thing, meters; `None` if the thing is missing.
    fn position(&mut self, spot: &PickPoint) -> Option<DVec3> {
        self.recorded.world().snapshot_into(&mut self.seen);
        spot.position(&self.seen)
    }

    fn record(&mut self) {
        self.recorded.world().snapshot_into(&mut self.seen);
        let take = Take::begin(&self.seen, self.status.time_step);
        (self.status.recorded, self.status.playing) = (Some(take.frames()), true);
        self.take = Some(take);
    }

    fn end_recording(&mut self) {
        (self.status.playing, self.status.recorded) = (false, None);
        let Some(take) = self.take.take() else { return };
        let time_step = take.time_step();
        match take.finish() {
            Ok(recording) => {
                let (frames, seconds) = (recording.frames, (recording.frames.max(1) - 1) as f64 * time_step);
                self.told.push(RunMessage::Note(format!("Recorded {frames} frames, {seconds:.2} s.")));
                self.told.push(RunMessage::Recorded(Box::new(recording)));
            }
            Err(sentence) => {
                self.told.push(RunMessage::Error(format!("The recording could not be made into a clip: {sentence}.")))
            }
        }
    }

    /// Replaces the world. If `keep` asks for it and the state fits, the run continues from there, with its clock and
    /// recording; otherwise it restarts.
    fn replace(&mut self, next: Self, keep: Keep) {
        let ran = self.status.steps > 0;
        let Self { mut recorded, seen, status, .. } = next;
        self.end_playback();
        let goes_on = ran && keep == Keep::State && recorded.follow(&self.recorded).is_ok();
        let was_recorded = self.take.is_some();
        (self.recorded, self.seen) = (recorded, seen);
        (self.status.time_step, self.status.mass, self.status.count) = (status.time_step, status.mass, status.count);
        (self.status.worlds, self.status.changes) = (self.status.worlds + 1, self.status.changes + 1);
        if goes_on {
            return;
        }
        self.begin_anew();
        if ran && keep == Keep::State {
            let sentence = "The run restarted, because its state does not fit the changed scene.";
            self.told.push(RunMessage::Note(sentence.into()));
        }
        if was_recorded {
            let sentence = "The recording was discarded, because the run restarted with the changed scene.";
            self.told.push(RunMessage::Note(sentence.into()));
        }
    }
}

/// Length of a step of a world, seconds.
fn time_step(world: &World) -> f64 {
    let particles = world.particles().map(|particles| particles.settings.time_step);
    particles.or(world.bodies().map(|bodies| bodies.settings.time_step)).unwrap_or(1.0 / 60.0)
}
