//! Repeatable runs of scenes: a log of user inputs and changes, each with its step.
//!
//! ```text
//! LoggedWorld  a world and its log      hold, pull, push, tune …  ──►  applied and logged
//! InputLog     the scene it began as, inputs by step, fingerprints every so many steps and at the end
//! Replay       the same inputs into the same scene  ──►  the same bits, or the step at which they differ
//! ```
//! A log holds the scene itself and names things, so that it is a whole bug report, but for the files that the scene names.
//! Specification: mathematics 8.4 (H22).
//!
//! ```
//! use muybridge::glam::DVec3;
//! use muybridge::simulation::input_log::LoggedWorld;
//! use muybridge::simulation::scene::{Ball, PartPath, Scene};
//! use muybridge::simulation::{Assets, World};
//! let ball = Ball { name: "ball".into(), position: DVec3::Y, ..Ball::default() };
//! let build = |scene: &Scene| World::new(scene.clone(), &Assets::default());
//! let mut run = LoggedWorld::new(build(&Scene { balls: vec![ball], ..Scene::default() })?, 60);
//! run.push(&PartPath::from("ball"), DVec3::Y, DVec3::X * 3.0)?;
//! (0..50).for_each(|_| run.step());
//! let again = run.log().replay(&mut |scene| build(scene))?;
//! assert!(again.save() == run.world().save());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod fingerprint;
mod replay;

use glam::DVec3;

use super::grasp::{Grasp, HandError};
use super::scene::Scene;
use super::scene::slot::PartPath;
use super::world::{OtherScene, World, WorldState};

pub use fingerprint::Fingerprint;
pub use replay::{Replay, ReplayError};

/// One input to a running scene.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// The user's hand grasps a part at a place, as [`World::grasp`].
    Hold {
        /// Name of the thing or bone: "box", "man/LeftHand".
        part: PartPath,
        /// Point of the grasp, world, meters.
        place: DVec3,
    },
    /// The hand pulls the held point towards a place during the next step, as [`World::pull`].
    Pull {
        /// Goal of the held point, meters.
        to: DVec3,
        /// Greatest force of the hand, newtons.
        most_force: f64,
    },
    /// The hand lets go.
    LetGo,
    /// An impulse on a part at a place, as [`World::hit`].
    Push {
        /// Name of the thing or bone: "box", "man/LeftHand".
        part: PartPath,
        /// Point of the impulse, world, meters.
        place: DVec3,
        /// Impulse, newton seconds.
        impulse: DVec3,
    },
    /// Changed settings, as [`World::tune`].
    Tune(Box<Scene>),
    /// Other things that still fit the state of the run: the scene is rebuilt and continues from that state, awake.
    Change(Box<Scene>),
}

/// Copies the setting and solver of a scene without its things: all that a run can take while it runs.
pub fn settings_of(scene: &Scene) -> Scene {
    Scene { setting: scene.setting.clone(), solver: scene.solver.clone(), ..Scene::default() }
}

/// Inputs to a running scene, with fingerprints that verify a replay.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InputLog {
    /// The scene at the start.
    pub scene: Scene,
    /// Inputs, each with the number of steps taken before it; in order.
    pub inputs: Vec<(u64, Input)>,
    /// Fingerprints before the inputs of their step, with the number of steps taken; in order.
    pub marks: Vec<(u64, Fingerprint)>,
    /// Fingerprint after all inputs, and the number of steps taken; `None` if the log was cut off.
    pub end: Option<(u64, Fingerprint)>,
}

impl InputLog {
    /// Number of the last step in the log: of its end, or of its last entry if it was cut off.
    pub fn last_step(&self) -> u64 {
        let inputs = self.inputs.last().map(|&(step, _)| step);
        let marks = self.marks.last().map(|&(step, _)| step);
        [inputs, marks, self.end.map(|(step, _)| step)].into_iter().flatten().max().unwrap_or(0)
    }

    /// The scene at the end of the log, with all changed settings and things.
    pub fn last_scene(&self) -> Scene {
        let mut scene = self.scene.clone();
        for (_, input) in &self.inputs {
            match input {
                Input::Tune(settings) => {
                    (scene.setting, scene.solver) = (settings.setting.clone(), settings.solver.clone());
                }
                Input::Change(other) => scene = Scene::clone(other),
                _ => {}
            }
        }
        scene
    }

    /// Replaces each scene in the log by what `other` returns, such as the same scene with other words for its files.
    pub fn with_scenes(mut self, mut other: impl FnMut(&Scene) -> Scene) -> Self {
        self.scene = other(&self.scene);
        for (_, input) in &mut self.inputs {
            if let Input::Change(scene) = input {
                **scene = other(scene);
            }
        }
        self
    }
}

/// A running scene that logs its inputs.
#[derive(Clone, Debug)]
pub struct LoggedWorld {
    world: World,
    start: WorldState,
    log: InputLog,
    every: u64,
    hand: Option<Grasp>,
    /// Settings of the last [`Self::tune`]; `None` if they are those of the scene.
    tuned: Option<Box<Scene>>,
}

impl LoggedWorld {
    /// Logs a world that has not taken a step yet, with a fingerprint every `every` steps; 0: only at the end.
    pub fn new(world: World, every: u64) -> Self {
        let log = InputLog { scene: world.scene().clone(), ..InputLog::default() };
        Self { start: world.save(), world, log, every, hand: None, tuned: None }
    }

    /// The running world.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The grasp of the user's hand; `None` if it is open.
    pub fn held(&self) -> Option<&Grasp> {
        self.hand.as_ref()
    }

    /// Takes a step, as [`World::step`], and adds a fingerprint when one is due.
    pub fn step(&mut self) {
        self.world.step();
        let steps = self.world.steps();
        if steps.checked_rem(self.every) == Some(0) {
            self.log.marks.push((steps, self.world.fingerprint()));
        }
    }

    /// Takes hold of a part at a place (m), after it has let go of what it held.
    ///
    /// # Errors
    /// As [`World::grasp`].
    pub fn hold(&mut self, part: &PartPath, place: DVec3) -> Result<(), HandError> {
        self.let_go();
        self.act(Input::Hold { part: part.clone(), place })
    }

    /// Pulls what is held towards a place (m) during the next step, with at most `most_force` newtons.
    ///
    /// # Errors
    /// If nothing is held, and as [`World::pull`].
    pub fn pull(&mut self, to: DVec3, most_force: f64) -> Result<(), HandError> {
        self.act(Input::Pull { to, most_force })
    }

    /// Opens the hand, if it holds anything.
    pub fn let_go(&mut self) {
        if self.hand.is_some() {
            // A hand that holds something can always open.
            let _ = self.act(Input::LetGo);
        }
    }

    /// Gives a part an impulse (N s) at a place (m), at once.
    ///
    /// # Errors
    /// As [`World::grasp`] and [`World::hit`].
    pub fn push(&mut self, part: &PartPath, place: DVec3, impulse: DVec3) -> Result<(), HandError> {
        self.act(Input::Push { part: part.clone(), place, impulse })
    }

    /// Changes the settings, as [`World::tune`].
    pub fn tune(&mut self, scene: &Scene) {
        let settings = Box::new(settings_of(scene));
        self.tuned = Some(settings.clone());
        // Settings of a scene can always be taken.
        let _ = self.act(Input::Tune(settings));
    }

    /// Continues another run in this world, which must not have taken a step yet. The bodies are awake, and the log becomes
    /// that of the whole run.
    ///
    /// # Errors
    /// Fails if the other run's state does not fit; nothing has changed then.
    pub fn follow(&mut self, before: &Self) -> Result<(), OtherScene> {
        self.world.follow(&before.world)?;
        let change = Input::Change(Box::new(self.world.scene().clone()));
        self.log = before.log.clone();
        self.log.inputs.push((self.world.steps(), change));
        self.hand = before.hand;
        Ok(())
    }

    /// Restarts the run with its present settings and an empty log.
    ///
    /// # Errors
    /// Fails if the world has become another since.
    pub fn reset(&mut self) -> Result<(), OtherScene> {
        self.world.restore(self.start.clone())?;
        self.log = InputLog { scene: self.world.scene().clone(), ..InputLog::default() };
        self.hand = None;
        if let Some(settings) = self.tuned.take() {
            self.tune(&settings);
        }
        Ok(())
    }

    /// The log up to now, with the fingerprint of the present state.
    pub fn log(&self) -> InputLog {
        let end = (self.world.steps(), self.world.fingerprint());
        InputLog { end: Some(end), ..self.log.clone() }
    }

    /// Applies an input to the world and notes it. A refused input is not noted.
    fn act(&mut self, input: Input) -> Result<(), HandError> {
        input.apply(&mut self.world, &mut self.hand)?;
        self.log.inputs.push((self.world.steps(), input));
        Ok(())
    }
}

impl Input {
    /// Applies the input to a world with the hand that is in it. A change of things is up to the caller, who builds the world.
    fn apply(&self, world: &mut World, hand: &mut Option<Grasp>) -> Result<(), HandError> {
        match self {
            Self::Hold { part, place } => {
                *hand = None;
                *hand = Some(world.grasp(part, *place)?);
            }
            Self::Pull { to, most_force } => {
                world.pull(hand.as_ref().ok_or(HandError::NothingHeld)?, *to, *most_force)?;
            }
            Self::LetGo => {
                let grasp = hand.take().ok_or(HandError::NothingHeld)?;
                // A thing that is gone since it was taken hold of is let go of by opening the hand.
                match world.let_go(&grasp) {
                    Err(HandError::OtherWorld) => {}
                    other => other?,
                }
            }
            Self::Push { part, place, impulse } => world.hit(&world.grasp(part, *place)?, *impulse)?,
            Self::Tune(settings) => world.tune(settings),
            Self::Change(_) => {}
        }
        Ok(())
    }
}

impl World {
    /// Takes the setting and the solver of a scene, such as gravity, time step, substeps and integrator, and wakes everything.
    /// One method for rigid bodies can replace another, but particles stay particles and bodies stay bodies.
    pub fn tune(&mut self, scene: &Scene) {
        self.0.tune(&scene.setting, &scene.solver);
        self.0.wake_all();
    }

    /// Continues, in this world that has not taken a step yet, from the state of another run. Bodies are awake and contacts
    /// carry no friction anchors yet, so bodies that lay still may slide.
    fn follow(&mut self, before: &Self) -> Result<(), OtherScene> {
        // The state has things in this order.
        if self.scene().movers() != before.scene().movers() {
            return Err(OtherScene { problem: "its things have other names or another order".into() });
        }
        let mut state = before.save();
        state.particles.iter_mut().for_each(|particles| particles.held.clear());
        self.restore(state)?;
        self.0.wake_all();
        Ok(())
    }
}

#[cfg(test)]
mod tests;
