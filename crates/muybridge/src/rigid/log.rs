//! Runs that can be done again: everything that was done to a world, and before which step.
//!
//! ```text
//! Recorded  a world and its log        push, hit, change …  ──►  noted, then done
//! Log       inputs by step, fingerprints every so many steps and at the end           text: a line each, see `text`
//! replay    the same inputs into a world that starts alike  ──►  the same bits, or the step at which they differ
//! ```
//! A log does not hold the world: it knows the fingerprint of the model and of the state it begins with, and refuses others. The
//! settings are its first input. Specification: mathematics 8.4 (H22).
//!
//! ```
//! use muybridge::glam::{DQuat, DVec3};
//! use muybridge::rigid::log::{Input, Log, Recorded};
//! use muybridge::rigid::{Body, Model, Settings, World, model::Start};
//! let model = Model { bodies: vec![Body::new(2.0, DVec3::ONE)?], ..Model::default() };
//! let start = World::new(model, &[Start::at(DVec3::ZERO, DQuat::IDENTITY)], Settings::default())?;
//! let mut recorded = Recorded::new(start.clone(), 60);
//! recorded.push(0, DVec3::X * 3.0, DVec3::Y)?;
//! (0..50).for_each(|_| recorded.step());
//! recorded.act(Input::Settings(Settings { gravity: DVec3::ZERO, ..Settings::default() }))?;
//! (0..50).for_each(|_| recorded.step());
//! let report: Log = recorded.log().to_string().parse()?;
//! assert_eq!(report.replay(start)?.state, recorded.world().state);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod choices;
pub mod fingerprint;
pub mod input;
mod line;
pub mod text;

use glam::DVec3;
use thiserror::Error;

use super::World;
pub use fingerprint::Fingerprint;
pub use input::{Input, InputError};
pub use text::TextError;

/// What was done to a world, and by what it can be known that it was done again.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Log {
    /// Of the model at the beginning.
    pub model: Fingerprint,
    /// Of the state at the beginning.
    pub start: Fingerprint,
    /// What was done, each with the number of steps the world had taken; in order.
    pub inputs: Vec<(u64, Input)>,
    /// Fingerprints of states before what was done there, with the number of steps taken; in order.
    pub marks: Vec<(u64, Fingerprint)>,
    /// The state at the end, behind all inputs, and the number of steps taken.
    pub end: Option<(u64, Fingerprint)>,
}

/// A world, and a log of what is done to it.
#[derive(Clone, Debug)]
pub struct Recorded {
    world: World,
    log: Log,
    every: u64,
}

/// Why a run is not done again.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ReplayError {
    /// Another model.
    #[error("the log belongs to another model: it has the fingerprint {expected}, this one has {found}")]
    OtherModel {
        /// That of the log.
        expected: Fingerprint,
        /// That of the world.
        found: Fingerprint,
    },
    /// Another state.
    #[error("the log begins with another state: it has the fingerprint {expected}, this one has {found}")]
    OtherStart {
        /// That of the log.
        expected: Fingerprint,
        /// That of the world.
        found: Fingerprint,
    },
    /// Something that cannot be done.
    #[error("before step {step}: {source}")]
    Input {
        /// Steps taken.
        step: u64,
        /// What is wrong.
        source: InputError,
    },
    /// Other bits.
    #[error("the replay differs after {step} steps; after {agreed} it did not yet")]
    Differs {
        /// The first fingerprint that is another.
        step: u64,
        /// The last that is the same.
        agreed: u64,
    },
}

impl Recorded {
    /// Records from now on, with a fingerprint of the state every so many steps; 0: only at the end.
    pub fn new(world: World, every: u64) -> Self {
        let log = Log {
            model: Fingerprint::of_model(&world),
            start: Fingerprint::of_state(&world),
            inputs: vec![(world.state.steps, Input::Settings(world.settings))],
            ..Log::default()
        };
        Self { world, log, every }
    }

    /// The world as it is.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The world, which is recorded no more.
    pub fn into_world(self) -> World {
        self.world
    }

    /// Does something to the world and notes it. What is refused is not noted and changes nothing.
    pub fn act(&mut self, input: Input) -> Result<(), InputError> {
        input.apply(&mut self.world)?;
        self.log.inputs.push((self.world.state.steps, input));
        Ok(())
    }

    /// [`World::push`]: newtons at a place in metres, for the next step.
    pub fn push(&mut self, body: usize, force: DVec3, at: DVec3) -> Result<(), InputError> {
        self.act(Input::Push { body, force, at })
    }

    /// [`World::push_and_turn`]: newtons and newton metres, for the next step.
    pub fn push_and_turn(&mut self, body: usize, force: DVec3, moment: DVec3) -> Result<(), InputError> {
        self.act(Input::PushAndTurn { body, force, moment })
    }

    /// [`World::hit`]: newton seconds at a place in metres, now.
    pub fn hit(&mut self, body: usize, impulse: DVec3, at: DVec3) -> Result<(), InputError> {
        self.act(Input::Hit { body, impulse, at })
    }

    /// [`World::step`].
    pub fn step(&mut self) {
        self.world.step();
        let steps = self.world.state.steps;
        if steps.checked_rem(self.every) == Some(0) {
            self.log.marks.push((steps, Fingerprint::of_state(&self.world)));
        }
    }

    /// The log up to now, with the fingerprint of the state as it is.
    pub fn log(&self) -> Log {
        let end = (self.world.state.steps, Fingerprint::of_state(&self.world));
        Log { end: Some(end), ..self.log.clone() }
    }
}

impl Log {
    /// The number of the last step it speaks of: that of its end, or of its last line where it was cut off.
    pub fn last_step(&self) -> u64 {
        let inputs = self.inputs.last().map(|&(step, _)| step);
        let marks = self.marks.last().map(|&(step, _)| step);
        let end = self.end.map(|(step, _)| step);
        [inputs, marks, end].into_iter().flatten().max().unwrap_or(0)
    }

    /// Does it all again, in a world that is as the recorded one was at the beginning, but for its settings. Ends behind the last
    /// input, with the first fingerprint that is another, or with an input that cannot be done.
    pub fn replay(&self, mut world: World) -> Result<World, ReplayError> {
        let (expected, found) = (self.model, Fingerprint::of_model(&world));
        if expected != found {
            return Err(ReplayError::OtherModel { expected, found });
        }
        let (expected, found) = (self.start, Fingerprint::of_state(&world));
        if expected != found {
            return Err(ReplayError::OtherStart { expected, found });
        }
        let (mut inputs, mut marks) = (self.inputs.iter().peekable(), self.marks.iter().peekable());
        let (mut agreed, last) = (world.state.steps, self.last_step());
        loop {
            let step = world.state.steps;
            while let Some((marked, mark)) = marks.next_if(|(marked, _)| *marked <= step) {
                agreed = agree(&world, (*marked, *mark), agreed)?;
            }
            while let Some((_, input)) = inputs.next_if(|(at, _)| *at <= step) {
                input.apply(&mut world).map_err(|source| ReplayError::Input { step, source })?;
            }
            if step >= last {
                break;
            }
            world.step();
        }
        self.end.map_or(Ok(agreed), |end| agree(&world, end, agreed))?;
        Ok(world)
    }
}

/// Whether the world has a fingerprint after so many steps; the steps for which it has.
fn agree(world: &World, (step, expected): (u64, Fingerprint), agreed: u64) -> Result<u64, ReplayError> {
    if step == world.state.steps && Fingerprint::of_state(world) == expected {
        return Ok(step);
    }
    Err(ReplayError::Differs { step, agreed })
}
