//! Runs of scenes that can be done again: what a hand did, what was changed, and before which step.
//!
//! ```text
//! Recorded   a world and its log        hold, pull, push, tune …  ──►  noted, then done
//! InputLog   the scene it began as, inputs by step, fingerprints every so many steps and at the end
//! Replay     the same inputs into the same scene  ──►  the same bits, or the step at which they differ
//! ```
//! A log holds the scene itself and names things, so that it is a whole bug report, but for the files that the scene names.
//! Specification: mathematics 8.4 (H22).
//!
//! ```
//! use muybridge::glam::DVec3;
//! use muybridge::simulation::input_log::Recorded;
//! use muybridge::simulation::scene::{Ball, Part, Scene};
//! use muybridge::simulation::{Assets, World};
//! let ball = Ball { name: "ball".into(), position: DVec3::Y, ..Ball::default() };
//! let build = |scene: &Scene| World::new(scene.clone(), &Assets::default());
//! let mut run = Recorded::new(build(&Scene { balls: vec![ball], ..Scene::default() })?, 60);
//! run.push(&Part::from("ball"), DVec3::Y, DVec3::X * 3.0)?;
//! (0..50).for_each(|_| run.step());
//! let again = run.log().replay(&mut |scene| build(scene))?;
//! assert!(again.save() == run.world().save());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod fingerprint;
mod replay;

use glam::DVec3;

use super::grasp::{Grasp, HandError};
use super::scene::slot::PartPath;
use super::scene::{Method, Scene, Solver};
use super::world::{Inner, OtherScene, World, WorldState};

pub use fingerprint::Fingerprint;
pub use replay::{Replay, ReplayError};

/// One thing that is done to a running scene.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// A hand takes hold of a part at a place, as [`World::grasp`].
    Hold {
        /// "box", "man/LeftHand".
        part: PartPath,
        /// Metres.
        place: DVec3,
    },
    /// What is held is brought towards a place during the next step, as [`World::pull`].
    Pull {
        /// Metres.
        to: DVec3,
        /// Newtons.
        most_force: f64,
    },
    /// The hand opens.
    LetGo,
    /// An impulse on a part at a place, as [`World::hit`].
    Push {
        /// "box", "man/LeftHand".
        part: PartPath,
        /// Metres.
        place: DVec3,
        /// Newton seconds.
        impulse: DVec3,
    },
    /// Other settings, as [`World::tune`].
    Tune(Box<Scene>),
    /// Things become others that a state of the run still fits: the scene is built anew and goes on from there, awake.
    Change(Box<Scene>),
}

/// Setting and solver of a scene without its things: what a run can be told while it runs.
pub fn settings_of(scene: &Scene) -> Scene {
    Scene { setting: scene.setting.clone(), solver: scene.solver.clone(), ..Scene::default() }
}

/// What was done to a running scene, and by what it can be known that it was done again.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InputLog {
    /// As it began.
    pub scene: Scene,
    /// What was done, each with the number of steps taken before it; in order.
    pub inputs: Vec<(u64, Input)>,
    /// Fingerprints before what was done there, with the number of steps taken; in order.
    pub marks: Vec<(u64, Fingerprint)>,
    /// The state at the end, behind all inputs, and the number of steps taken.
    pub end: Option<(u64, Fingerprint)>,
}

impl InputLog {
    /// The number of the last step it speaks of: that of its end, or of its last entry where it was cut off.
    pub fn last_step(&self) -> u64 {
        let inputs = self.inputs.last().map(|&(step, _)| step);
        let marks = self.marks.last().map(|&(step, _)| step);
        [inputs, marks, self.end.map(|(step, _)| step)].into_iter().flatten().max().unwrap_or(0)
    }

    /// The scene as it is at the end: with the settings and things that it was given meanwhile.
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

    /// The log with another scene in the place of each that it holds: the same ones, with other words for the files they name.
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

/// A running scene, and a log of what is done to it.
#[derive(Clone, Debug)]
pub struct LoggedWorld {
    world: World,
    start: WorldState,
    log: InputLog,
    every: u64,
    hand: Option<Grasp>,
    /// Other settings than those of the scene, if it has any.
    tuned: Option<Box<Scene>>,
}

impl LoggedWorld {
    /// Records a world that has not taken a step yet, with a fingerprint every so many steps; 0: only at the end.
    pub fn new(world: World, every: u64) -> Self {
        let log = InputLog { scene: world.scene().clone(), ..InputLog::default() };
        Self { start: world.save(), world, log, every, hand: None, tuned: None }
    }

    /// The world as it is.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// What is held.
    pub fn held(&self) -> Option<&Grasp> {
        self.hand.as_ref()
    }

    /// [`World::step`].
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

    /// [`World::tune`].
    pub fn tune(&mut self, scene: &Scene) {
        let settings = Box::new(settings_of(scene));
        self.tuned = Some(settings.clone());
        // Settings of a scene can always be taken.
        let _ = self.act(Input::Tune(settings));
    }

    /// Goes on, in this world that has not taken a step yet, from where another run was, awake; the log becomes that of the whole.
    ///
    /// # Errors
    /// If the state of the other does not fit; nothing has changed then.
    pub fn follow(&mut self, before: &Self) -> Result<(), OtherScene> {
        self.world.follow(&before.world)?;
        let change = Input::Change(Box::new(self.world.scene().clone()));
        self.log = before.log.clone();
        self.log.inputs.push((self.world.steps(), change));
        self.hand = before.hand;
        Ok(())
    }

    /// Everything as it began, with the settings it has now; nothing of before is in the log.
    ///
    /// # Errors
    /// If the world has become another since.
    pub fn reset(&mut self) -> Result<(), OtherScene> {
        self.world.restore(self.start.clone())?;
        self.log = InputLog { scene: self.world.scene().clone(), ..InputLog::default() };
        self.hand = None;
        if let Some(settings) = self.tuned.take() {
            self.tune(&settings);
        }
        Ok(())
    }

    /// The log up to now, with the fingerprint of the state as it is.
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
    /// Takes the setting and the solver of a scene, such as gravity, time step, substeps and integrator, and wakes all. A method of rigid
    /// bodies becomes another of rigid bodies; what is made of particles stays so, and what is not does.
    pub fn tune(&mut self, scene: &Scene) {
        match &mut self.0 {
            Inner::Particles(world) => {
                world.particles.settings = scene.solver.settings(&scene.setting);
                world.herds.iter_mut().for_each(|running| running.tune(&scene.setting, &scene.solver));
            }
            Inner::Bodies(world) => {
                let method = match scene.solver.method {
                    Method::Particles => world.scene.solver.method,
                    of_bodies => of_bodies,
                };
                let solver = Solver { method, ..scene.solver.clone() };
                world.bodies.settings = solver.rigid_settings(&scene.setting);
                world.in_lanes.iter_mut().for_each(|herd| herd.tune(&scene.setting, &solver));
            }
        }
        self.wake();
    }

    /// Goes on, in this world that has not taken a step yet, from the state of another run, awake and with contacts that hold nothing yet:
    /// what lay still may slide now.
    fn follow(&mut self, before: &Self) -> Result<(), OtherScene> {
        let mut state = before.save();
        if let WorldState::Particles { particles, .. } = &mut state {
            particles.held.clear();
        }
        self.restore(state)?;
        self.wake();
        Ok(())
    }

    fn wake(&mut self) {
        match &mut self.0 {
            Inner::Particles(world) => {
                world.particles.wake_all();
                world.herds.iter_mut().for_each(|running| running.herd.wake_all());
            }
            Inner::Bodies(world) => world.bodies.wake_all(),
        }
    }
}

#[cfg(test)]
mod tests;
