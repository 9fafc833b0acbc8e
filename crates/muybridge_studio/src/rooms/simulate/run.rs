//! A world that runs in the room: playing, stepping, the hand that holds something, what is measured and recorded.

#[cfg(not(target_arch = "wasm32"))]
use std::time::Instant;
#[cfg(target_arch = "wasm32")]
use web_time::Instant;

use muybridge::glam::DVec3;
use muybridge::simulation::scene::{Part, Scene};
use muybridge::simulation::{Grasp, InputLog, Recorded, Recording, World};

use super::take::Take;
use super::trace::{Sample, Trace};

/// A world and how it runs.
#[derive(Debug)]
pub struct Run {
    /// The world, and a log of all that is done to it.
    recorded: Recorded,
    /// As it is now, to be drawn: a recording of one frame.
    pub seen: Recording,
    /// Whether it goes on by itself.
    pub playing: bool,
    /// Seconds of the world per second of the clock.
    pub speed: f64,
    /// Seconds that have been simulated: steps may have had different lengths.
    pub clock: f64,
    /// Where what the mouse holds is to be, metres.
    pub hand: Option<DVec3>,
    /// Greatest force of that hand, newtons.
    pub grip: f64,
    /// What was measured.
    pub trace: Trace,
    /// What is being recorded.
    pub take: Option<Take>,
    /// Seconds of the clock that the world is behind.
    owed: f64,
}

/// Steps that are made up for at most in a frame of the window: a world that is too slow runs slower, it does not freeze.
const MOST_STEPS: usize = 4;

/// Milliseconds of steps in a frame of the window after which no further step is begun.
const MOST_TIME: f64 = 12.0;

/// Steps between two fingerprints of the log.
const EVERY: u64 = 60;

/// Force of the hand at first, newtons: holds a person up.
const GRIP: f64 = 2500.0;

impl Run {
    /// A world as it was built.
    pub fn new(world: World) -> Self {
        Self {
            seen: world.look(),
            recorded: Recorded::new(world, EVERY),
            playing: false,
            speed: 1.0,
            clock: 0.0,
            hand: None,
            grip: GRIP,
            trace: Trace::default(),
            take: None,
            owed: 0.0,
        }
    }

    /// The world as it is.
    pub fn world(&self) -> &World {
        self.recorded.world()
    }

    /// What was done to it since it began, by which the run can be done again.
    pub fn log(&self) -> InputLog {
        self.recorded.log()
    }

    /// Whether nothing has happened yet.
    pub fn is_at_start(&self) -> bool {
        self.world().steps() == 0
    }

    /// Goes on by a frame of the scene, and looks at it.
    pub fn step(&mut self) {
        let spent = self.step_blind();
        self.look(spent);
    }

    /// Goes on by so many seconds of the clock, if it plays.
    pub fn advance(&mut self, seconds: f64) {
        if !self.playing {
            return;
        }
        self.owed += seconds * self.speed;
        let frame_time = self.time_step();
        let (mut steps, mut spent, mut last) = (0, 0.0, 0.0);
        while self.owed >= frame_time && steps < MOST_STEPS && spent < MOST_TIME {
            last = self.step_blind();
            (steps, spent) = (steps + 1, spent + last);
            self.owed -= frame_time;
        }
        self.owed = self.owed.min(frame_time);
        if steps > 0 {
            self.look(last);
        }
    }

    /// Puts everything back to where it began, and pauses.
    pub fn reset(&mut self) {
        // The state is of this world, so it fits.
        if self.recorded.reset().is_ok() {
            (self.playing, self.owed, self.clock, self.hand, self.take) = (false, 0.0, 0.0, None, None);
            self.trace = Trace::default();
            self.look_again();
        }
    }

    /// Takes hold of a part at a place, metres.
    pub fn hold(&mut self, part: &Part, place: DVec3) -> Option<&Grasp> {
        self.hand = self.recorded.hold(part, place).then_some(place);
        self.recorded.held()
    }

    /// Opens the hand; what it held keeps its velocity.
    pub fn let_go(&mut self) {
        self.hand = None;
        self.recorded.let_go();
    }

    /// Gives a part an impulse (N s) at a place (m), now.
    pub fn push(&mut self, part: &Part, place: DVec3, impulse: DVec3) {
        self.recorded.push(part, place, impulse);
        self.look_again();
    }

    /// Takes the settings of a scene into the running world: gravity, time step, substeps, integrator, and the like.
    pub fn tune(&mut self, scene: &Scene) {
        self.recorded.tune(scene);
    }

    /// Goes on from where another run of the same things was, with its clock and what it measured; false where it cannot.
    pub fn follow(&mut self, before: Self) -> bool {
        (self.speed, self.grip) = (before.speed, before.grip);
        let fits = !before.is_at_start() && self.recorded.follow(&before.recorded).is_ok();
        if fits {
            (self.playing, self.clock, self.trace, self.take) =
                (before.playing, before.clock, before.trace, before.take);
            self.hand = before.hand;
            self.look_again();
        }
        fits
    }

    /// Seconds of a step.
    pub fn time_step(&self) -> f64 {
        let particles = self.world().particles().map(|particles| particles.settings.time_step);
        particles.or(self.world().bodies().map(|bodies| bodies.settings.time_step)).unwrap_or(1.0 / 60.0)
    }

    /// Takes a step without looking; milliseconds that it took.
    fn step_blind(&mut self) -> f64 {
        let start = Moment::now();
        if let Some(to) = self.hand {
            self.recorded.pull(to, self.grip);
        }
        self.recorded.step();
        self.clock += self.time_step();
        let spent = start.milliseconds();
        let time_step = self.time_step();
        if let Some(take) = &mut self.take {
            self.recorded.world().look_again(&mut self.seen);
            take.add(&self.seen, time_step);
        }
        spent
    }

    fn look_again(&mut self) {
        self.recorded.world().look_again(&mut self.seen);
    }

    fn look(&mut self, spent: f64) {
        self.look_again();
        if let Some(measures) = self.seen.measures.last() {
            self.trace.push(Sample::new(self.clock, measures, spent));
        }
    }
}

/// A moment of the machine's clock.
struct Moment(Instant);

impl Moment {
    fn now() -> Self {
        Self(Instant::now())
    }

    fn milliseconds(&self) -> f64 {
        self.0.elapsed().as_secs_f64() * 1e3
    }
}
