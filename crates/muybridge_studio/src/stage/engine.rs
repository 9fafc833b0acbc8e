//! A world that runs, and all that is done to it: commands in the order they come, between steps, noted in the log of the run.
//!
//! ```text
//! commands ──► between two steps ──► log      steps ──► measures, recording      when asked ──► a frame to be drawn
//! ```
//! It knows no window and no thread: the room calls it where there is one thread, a worker where there are more.

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

/// What is done to a run from outside.
pub enum RunCommand {
    /// So many seconds of the clock have gone by.
    Pass(f64),
    /// It goes on by itself, or no longer.
    Play(bool),
    /// Seconds of the world per second of the clock.
    Speed(f64),
    /// Greatest force of the hand, newtons.
    Grip(f64),
    /// One step.
    Step,
    /// Back to where it began, paused.
    Reset,
    /// Other settings: gravity, time step, substeps, integrator, and the like.
    Tune(Box<Scene>),
    /// The hand takes hold of a part at a place on it.
    Hold(PartPath, PickPoint),
    /// Where the hand is, metres.
    Hand(DVec3),
    /// The hand opens; what it held keeps its velocity.
    LetGo,
    /// An impulse (N s) on a part at a place on it.
    Push(PartPath, PickPoint, DVec3),
    /// Frames tell where things touch, or no longer.
    Touches(bool),
    /// What runs from now on is recorded, and runs.
    Record,
    /// The recording ends.
    EndRecording,
    /// Another world takes its place, and goes on from its state or begins.
    Replace(Box<Engine>, Keep),
    /// Something is asked about the run as it is.
    Ask(Box<dyn FnOnce(&LoggedWorld) + Send>),
}

/// What a run tells, once.
#[derive(Clone, Debug)]
pub enum RunMessage {
    /// Something to know.
    Note(String),
    /// Something that failed.
    Error(String),
    /// What was recorded.
    Recorded(Box<Recording>),
    /// What a run that is done again has made of its scene.
    Became(Box<Scene>),
}

/// A run as it is at a moment, to be drawn and told.
#[derive(Clone, Debug)]
pub struct RunFrame {
    /// All that is drawn: a recording of one frame.
    pub seen: Recording,
    /// Where things touch, if that is asked for.
    pub touches: Vec<ContactMark>,
    /// The rest.
    pub status: Status,
}

/// How far a run is, and what it is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Status {
    /// Steps that were taken.
    pub steps: u64,
    /// Seconds that were simulated: steps may have had different lengths.
    pub clock: f64,
    /// Seconds of a step.
    pub time_step: f64,
    /// Milliseconds of the solver in the last step.
    pub spent: f64,
    /// Whether it goes on by itself.
    pub playing: bool,
    /// Where what the hand holds is to be, metres.
    pub hand: Option<DVec3>,
    /// Frames of the recording under way.
    pub recorded: Option<usize>,
    /// The last step of a run that is done again, while it is.
    pub replayed: Option<u64>,
    /// Kilograms of all that moves.
    pub mass: f64,
    /// What the world is made of.
    pub count: Count,
    /// Times that it began anew.
    pub begun: u64,
    /// Worlds that were replaced by another.
    worlds: u64,
    /// Changes of what is drawn.
    changes: u64,
}

/// A world and how it runs.
#[derive(Debug)]
pub struct Engine {
    /// The world, and a log of all that is done to it.
    recorded: LoggedWorld,
    /// As it was when something last had to be found in it.
    seen: Recording,
    status: Status,
    speed: f64,
    grip: f64,
    shows_touches: bool,
    take: Option<Take>,
    /// The log of a run that this one is to be.
    playback: Option<Playback>,
    told: Vec<RunMessage>,
    /// Seconds of the clock that the world is behind.
    owed: f64,
}

/// Steps between two fingerprints of the log.
const EVERY: u64 = 60;

/// Force of the hand at first, newtons: holds a person up.
pub const GRIP: f64 = 2500.0;

impl Engine {
    /// A world as it was built.
    pub fn new(world: World) -> Self {
        let (count, mass, time_step) = (world.count(), world.mass(), time_step(&world));
        Self {
            seen: world.look(),
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

    /// A world built from the scene of a log, in which the run of that log is done again; it plays.
    pub fn again(world: World, log: Arc<InputLog>, folder: PathBuf) -> Self {
        let mut engine = Self::new(world);
        engine.playback = Some(Playback::new(log, folder, engine.recorded.clone()));
        engine.status.playing = true;
        engine.redo();
        engine
    }

    /// A run that stands where its log ends, to go on from there, out of a world built from the scene of the log. `goes_on` is told the share
    /// that is done and says whether to go on.
    ///
    /// # Errors
    /// Why it does not come to stand there.
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

    /// The world and its log.
    pub fn recorded(&self) -> &LoggedWorld {
        &self.recorded
    }

    /// How far it is.
    pub fn status(&self) -> &Status {
        &self.status
    }

    /// What there is to tell since the last call.
    pub fn told(&mut self) -> Vec<RunMessage> {
        std::mem::take(&mut self.told)
    }

    /// Does what is asked for.
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
                let place = self.place(&spot).filter(|&place| self.recorded.hold(&part, place).is_ok());
                self.status.hand = place;
            }
            RunCommand::Hand(to) => self.status.hand = self.status.hand.map(|_| to),
            RunCommand::LetGo => {
                self.status.hand = None;
                self.recorded.let_go();
            }
            RunCommand::Push(part, spot, impulse) => {
                if let Some(place) = self.place(&spot) {
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

    /// Whether a step is due.
    pub fn is_due(&self) -> bool {
        self.status.playing && self.owed >= self.status.time_step
    }

    /// Takes a step that is due.
    pub fn step_due(&mut self) {
        self.owed -= self.status.time_step;
        self.step();
    }

    /// Gives up what it is behind by more than so many seconds: a world that is too slow runs slower.
    pub fn forgive(&mut self, most: f64) {
        self.owed = self.owed.min(most.max(self.status.time_step));
    }

    /// Brings a frame of the run, of whatever moment, to this one.
    pub fn show(&self, frame: &mut RunFrame) {
        let (world, now) = (self.recorded.world(), &self.status);
        let is_same = frame.status.worlds == now.worlds;
        if !is_same || frame.status.changes != now.changes {
            // Names may be the same in another world, and shapes others.
            if is_same {
                world.look_again(&mut frame.seen)
            } else {
                frame.seen = world.look()
            }
            frame.touches = if self.shows_touches { world.touches() } else { Vec::new() };
        }
        frame.status = *now;
    }

    /// A frame of it as it is.
    pub fn frame(&self) -> RunFrame {
        let mut frame = RunFrame { seen: self.seen.clone(), touches: Vec::new(), status: self.status };
        self.recorded.world().look_again(&mut frame.seen);
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
            self.recorded.world().look_again(&mut self.seen);
            take.add(&self.seen, self.status.time_step);
            self.status.recorded = Some(take.frames());
        }
    }

    /// Does what the log of a run that is done again says, and tells what came of it.
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
        // What is over can be begun again, and is where it ended.
        self.status.playing &= !is_over;
    }

    /// From here on it is another run than that of the log.
    fn end_playback(&mut self) {
        let Some(playback) = self.playback.take() else { return };
        if self.status.replayed.take().is_some() {
            // Whatever the log's own hand holds.
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
        // The state is of this world, so it fits.
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

    /// Takes what the world is made of now, and its time step.
    fn follow_world(&mut self) {
        let world = self.recorded.world();
        (self.status.count, self.status.mass) = (world.count(), world.mass());
        self.follow_rate();
    }

    /// Takes the time step that the world has now.
    fn follow_rate(&mut self) {
        let before = std::mem::replace(&mut self.status.time_step, time_step(self.recorded.world()));
        if before != self.status.time_step && self.take.is_some() {
            self.end_recording();
            let sentence = "A recording has one length of its frames: it ended where the rate changed.";
            self.told.push(RunMessage::Note(sentence.into()));
        }
    }

    /// Where a place on a thing is now, metres.
    fn place(&mut self, spot: &PickPoint) -> Option<DVec3> {
        self.recorded.world().look_again(&mut self.seen);
        spot.place(&self.seen)
    }

    fn record(&mut self) {
        self.recorded.world().look_again(&mut self.seen);
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
            Err(sentence) => self.told.push(RunMessage::Error(format!("The recording is no clip: {sentence}."))),
        }
    }

    /// Goes on in another world from where this one is, with its clock and what is recorded, or begins in it.
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
            let sentence = "The run began again: with this change its state is that of another scene.";
            self.told.push(RunMessage::Note(sentence.into()));
        }
        if was_recorded {
            let sentence = "The recording is lost: the scene changed, and what runs now is another world.";
            self.told.push(RunMessage::Note(sentence.into()));
        }
    }
}

/// Seconds of a step of a world.
fn time_step(world: &World) -> f64 {
    let particles = world.particles().map(|particles| particles.settings.time_step);
    particles.or(world.bodies().map(|bodies| bodies.settings.time_step)).unwrap_or(1.0 / 60.0)
}
