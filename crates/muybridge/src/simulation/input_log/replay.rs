//! A log done again, step by step.

use core::ops::Deref;

use thiserror::Error;

use super::{Fingerprint, Input, InputLog, LoggedWorld};
use crate::simulation::grasp::Grasp;
use crate::simulation::scene::{Scene, SceneError};
use crate::simulation::world::World;

/// Why a run is not done again.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ReplayError {
    /// The scene, or one that it becomes, cannot be built.
    #[error("before step {step}: {} {} {}", fault.kind, fault.key, fault.message)]
    Scene {
        /// Steps taken.
        step: u64,
        /// What is wrong with it.
        fault: SceneError,
    },
    /// There is nothing to do it to.
    #[error("before step {step}: {problem}")]
    Input {
        /// Steps taken.
        step: u64,
        /// What there is not.
        problem: String,
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

/// Builds the world of a scene, with the files it names.
pub type Build<'a> = dyn FnMut(&Scene) -> Result<World, SceneError> + 'a;

/// A log that is being done again: one that is lent, or shared.
#[derive(Clone, Debug)]
pub struct Replay<L> {
    log: L,
    hand: Option<Grasp>,
    /// Inputs and marks that are over.
    done: [usize; 2],
    agreed: u64,
}

impl InputLog {
    /// A replay that has not begun, of a world built from the scene of the log.
    pub fn begin(&self) -> Replay<&Self> {
        Replay::new(self)
    }

    /// Does it all again. Ends behind the last input, with the first fingerprint that is another, or with an input that cannot be done.
    pub fn replay(&self, build: &mut Build<'_>) -> Result<World, ReplayError> {
        let mut world = build(&self.scene).map_err(|fault| ReplayError::Scene { step: 0, fault })?;
        let mut replay = self.begin();
        replay.act(&mut world, build)?;
        while world.steps() < self.last_step() {
            world.step();
            replay.act(&mut world, build)?;
        }
        Ok(world)
    }
}

impl<L: Deref<Target = InputLog> + Clone> Replay<L> {
    /// One that has not begun, of a world built from the scene of the log.
    pub fn new(log: L) -> Self {
        Self { log, hand: None, done: [0; 2], agreed: 0 }
    }

    /// One of the same log that has not begun.
    pub fn anew(&self) -> Self {
        Self::new(self.log.clone())
    }

    /// To be called before the first step of the world and after every one: compares, then does what is to be done before the next.
    pub fn act(&mut self, world: &mut World, build: &mut Build<'_>) -> Result<(), ReplayError> {
        let (step, log) = (world.steps(), self.log.clone());
        while let Some(mark) = log.marks.get(self.done[1]).filter(|(marked, _)| *marked <= step) {
            self.done[1] += 1;
            self.compare(world, *mark)?;
        }
        while let Some((_, input)) = log.inputs.get(self.done[0]).filter(|(at, _)| *at <= step) {
            self.done[0] += 1;
            self.apply(input, world, build)?;
        }
        match log.end {
            Some(end) if end.0 == step => self.compare(world, end),
            _ => Ok(()),
        }
    }

    /// The log.
    pub fn log(&self) -> &InputLog {
        &self.log
    }

    /// Steps after which the fingerprints were the same.
    pub fn agreed(&self) -> u64 {
        self.agreed
    }

    /// Inputs that are over.
    pub fn inputs_done(&self) -> usize {
        self.done[0]
    }

    fn apply(&mut self, input: &Input, world: &mut World, build: &mut Build<'_>) -> Result<(), ReplayError> {
        let step = world.steps();
        let cannot = |problem: String| Err(ReplayError::Input { step, problem });
        match input {
            Input::Change(scene) => {
                let mut next = build(scene).map_err(|fault| ReplayError::Scene { step, fault })?;
                if let Err(other) = next.follow(world) {
                    return cannot(other.to_string());
                }
                *world = next;
                Ok(())
            }
            _ => input.apply(world, &mut self.hand).or_else(|error| cannot(error.to_string())),
        }
    }

    fn compare(&mut self, world: &World, (step, expected): (u64, Fingerprint)) -> Result<(), ReplayError> {
        if step == world.steps() && world.fingerprint() == expected {
            self.agreed = step;
            return Ok(());
        }
        Err(ReplayError::Differs { step, agreed: self.agreed })
    }
}

impl LoggedWorld {
    /// [`Replay::act`] on a world whose log is kept: what is done is noted, so that the log becomes that which is done again.
    ///
    /// # Errors
    /// As [`Replay::act`]; what was done before is noted.
    pub fn redo<L: Deref<Target = InputLog> + Clone>(
        &mut self,
        replay: &mut Replay<L>,
        build: &mut Build<'_>,
    ) -> Result<(), ReplayError> {
        let from = replay.done[0];
        let result = replay.act(&mut self.world, build);
        let undone = matches!(result, Err(ReplayError::Scene { .. } | ReplayError::Input { .. }));
        let done = &replay.log.inputs[from..replay.done[0] - usize::from(undone)];
        let steps = self.world.steps();
        self.log.inputs.extend(done.iter().map(|(_, input)| (steps, input.clone())));
        self.hand = replay.hand;
        for (_, input) in done {
            if let Input::Tune(settings) = input {
                self.tuned = Some(settings.clone());
            }
        }
        result
    }
}
