//! Replay of an input log, step by step.

use core::ops::Deref;

use thiserror::Error;

use super::{Fingerprint, Input, InputLog, LoggedWorld};
use crate::simulation::grasp::Grasp;
use crate::simulation::scene::{Scene, SceneError};
use crate::simulation::world::World;

/// Error of a replay.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ReplayError {
    /// The scene, or a later version of it, cannot be built.
    #[error("before step {step}: {} {} {}", fault.kind, fault.key, fault.message)]
    Scene {
        /// Steps taken before.
        step: u64,
        /// The error in the scene.
        fault: SceneError,
    },
    /// An input has nothing to act on.
    #[error("before step {step}: {problem}")]
    Input {
        /// Steps taken before.
        step: u64,
        /// The missing part, as a sentence.
        problem: String,
    },
    /// The state of the replay has other bits than the logged run.
    #[error("the replay differs after {step} steps; after {agreed} it did not yet")]
    Differs {
        /// Step of the first fingerprint that differs.
        step: u64,
        /// Step of the last fingerprint that agrees.
        agreed: u64,
    },
}

/// Builds the world of a scene, with the files it names.
pub type Build<'a> = dyn FnMut(&Scene) -> Result<World, SceneError> + 'a;

/// A replay in progress; the log is borrowed or shared.
#[derive(Clone, Debug)]
pub struct Replay<L> {
    log: L,
    hand: Option<Grasp>,
    /// Number of inputs and of fingerprints already passed.
    done: [usize; 2],
    agreed: u64,
}

impl InputLog {
    /// Begins a replay; its world is built from the scene of the log.
    pub fn begin(&self) -> Replay<&Self> {
        Replay::new(self)
    }

    /// Replays the whole log. Fails at the first fingerprint that differs or at an input that cannot be applied.
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
    /// Begins a replay; its world is built from the scene of the log.
    pub fn new(log: L) -> Self {
        Self { log, hand: None, done: [0; 2], agreed: 0 }
    }

    /// Begins another replay of the same log.
    pub fn anew(&self) -> Self {
        Self::new(self.log.clone())
    }

    /// Compares fingerprints and applies the inputs of the present step. Call it before the first step and after every step.
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

    /// The log that is replayed.
    pub fn log(&self) -> &InputLog {
        &self.log
    }

    /// Steps up to which the fingerprints agree.
    pub fn agreed(&self) -> u64 {
        self.agreed
    }

    /// Number of inputs already applied.
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
    /// [`Replay::act`] on a logged world: applied inputs are logged, so that the new log becomes the replayed one.
    ///
    /// # Errors
    /// As [`Replay::act`]; inputs applied before the error are logged.
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
