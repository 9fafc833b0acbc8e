//! A world that runs in the room: playing, stepping, the hand that holds something, what is measured and recorded.

#[cfg(not(target_arch = "wasm32"))]
use std::time::Instant;
#[cfg(target_arch = "wasm32")]
use web_time::Instant;

use muybridge::glam::DVec3;
use muybridge::rigid;
use muybridge::rigid::multipliers::Feedback;
use muybridge::simulation::scene::{Method, Scene};
use muybridge::simulation::{Grasp, Recording, World, WorldState};

use super::take::Take;
use super::trace::{Sample, Trace};

/// A world and how it runs.
#[derive(Debug)]
pub struct Run {
    /// The world.
    pub world: World,
    /// As it was built.
    start: WorldState,
    /// As it is now, to be drawn: a recording of one frame.
    pub seen: Recording,
    /// Whether it goes on by itself.
    pub playing: bool,
    /// Seconds of the world per second of the clock.
    pub speed: f64,
    /// Seconds that have been simulated: steps may have had different lengths.
    pub clock: f64,
    /// What the mouse holds, and where it is to be, metres.
    pub hand: Option<(Grasp, DVec3)>,
    /// Greatest force of that hand, newtons.
    pub grip: f64,
    /// k_s and k_d of the method of Hennix et al., where they are not those of the scene.
    pub feedback: Option<Feedback>,
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

/// Force of the hand at first, newtons: holds a person up.
const GRIP: f64 = 2500.0;

impl Run {
    /// A world as it was built.
    pub fn new(world: World) -> Self {
        Self {
            start: world.save(),
            seen: world.look(),
            world,
            playing: false,
            speed: 1.0,
            clock: 0.0,
            hand: None,
            grip: GRIP,
            feedback: None,
            trace: Trace::default(),
            take: None,
            owed: 0.0,
        }
    }

    /// Whether nothing has happened yet.
    pub fn is_at_start(&self) -> bool {
        self.world.steps() == 0
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
        if self.world.restore(self.start.clone()).is_ok() {
            (self.playing, self.owed, self.clock, self.hand, self.take) = (false, 0.0, 0.0, None, None);
            self.trace = Trace::default();
            self.world.look_again(&mut self.seen);
        }
    }

    /// Opens the hand; what it held keeps its velocity.
    pub fn let_go(&mut self) {
        if let Some((grasp, _)) = self.hand.take() {
            self.world.let_go(&grasp);
        }
    }

    /// Takes the settings of a scene into the running world: gravity, time step, substeps, passes, and the like. Not the method.
    pub fn tune(&mut self, scene: &Scene) {
        if let Some(particles) = self.world.particles_mut() {
            particles.settings = scene.solver.settings(&scene.setting);
            particles.wake_all();
        }
        if let Some(bodies) = self.world.bodies_mut() {
            bodies.settings = scene.solver.rigid_settings(&scene.setting);
            if let (rigid::Method::Hennix(own), Some(feedback)) = (&mut bodies.settings.method, self.feedback) {
                *own = feedback;
            }
            (0..bodies.model.bodies.len()).for_each(|body| bodies.wake(body));
        }
    }

    /// k_s and k_d as they are now; `None` under other methods.
    pub fn feedback_now(&self) -> Option<Feedback> {
        match self.world.bodies()?.settings.method {
            rigid::Method::Hennix(feedback) => Some(feedback),
            _ => None,
        }
    }

    /// Goes on from where another run of the same things was, with its clock and what it measured; false where it cannot.
    pub fn follow(&mut self, before: Self, scene: &Scene) -> bool {
        (self.speed, self.grip, self.feedback) = (before.speed, before.grip, before.feedback);
        let fits = !before.is_at_start() && self.world.restore(before.world.save()).is_ok();
        if fits {
            (self.playing, self.clock, self.trace, self.take) =
                (before.playing, before.clock, before.trace, before.take);
            self.world.look_again(&mut self.seen);
        }
        if self.feedback.is_some() && scene.solver.method == Method::Hennix {
            self.tune(scene);
        }
        fits
    }

    /// Seconds of a step.
    pub fn time_step(&self) -> f64 {
        let particles = self.world.particles().map(|particles| particles.settings.time_step);
        particles.or(self.world.bodies().map(|bodies| bodies.settings.time_step)).unwrap_or(1.0 / 60.0)
    }

    /// Takes a step without looking; milliseconds that it took.
    fn step_blind(&mut self) -> f64 {
        let start = Moment::now();
        if let Some((grasp, to)) = &self.hand {
            self.world.pull(grasp, *to, self.grip);
        }
        self.world.step();
        self.clock += self.time_step();
        let spent = start.milliseconds();
        if let Some(take) = &mut self.take {
            self.world.look_again(&mut self.seen);
            take.add(&self.seen);
        }
        spent
    }

    fn look(&mut self, spent: f64) {
        self.world.look_again(&mut self.seen);
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
