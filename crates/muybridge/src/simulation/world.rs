//! A running scene. The method of its solver names the world that runs it (a backend).
//!
//! ```text
//! particles                     points held together by distances; solids alone, or beside cloth, are rigid bodies
//! multipliers, displacement, …  rigid bodies with joints
//! step                         clips, drags, hits of this time ─► wind ─► obstacles ─► one frame
//! ```
//! All inputs follow from the number of the step, except plans, which keep their own progress. A [`WorldState`] holds all
//! that changes while a scene runs. It is saved, restored and continued bit for bit.

use thiserror::Error;

use super::assets::Assets;
use super::backend::{self, Backend};
use super::direction::{GoalState, Goals};
use super::recorder::{self, Recorder};
use super::recording::Recording;
use super::scene::{Scene, SceneError};
use super::touches::ContactMark;
use crate::behavior::action::{self, Controller};
use crate::character::Character;
use crate::particles::{self, HerdState};
use crate::ragdoll::{Ragdoll, RigidRagdoll};
use crate::rigid;
use crate::rigid::crowd::CrowdState;

/// A running scene. A caller that does not step it has paused it.
#[derive(Clone, Debug)]
pub struct World(pub(super) Box<dyn Backend>);

/// Complete state from which a running scene continues. A scene has some of its parts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WorldState {
    /// State of the particles.
    pub(super) particles: Option<Box<particles::State>>,
    /// State of the rigid bodies.
    pub(super) bodies: Option<Box<rigid::State>>,
    /// Progress of actions and plans.
    pub(super) behavior: Option<Box<action::PlanState>>,
    /// Progress of the goals of each ragdoll.
    pub(super) goals: GoalState,
    /// State of each herd of particles.
    pub(super) herds: Vec<HerdState>,
    /// State of each herd of rigid bodies that runs in lanes.
    pub(super) crowds: Vec<CrowdState>,
}

/// Error: the saved state belongs to another scene.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("the saved state belongs to another scene: {problem}")]
pub struct OtherScene {
    /// The difference, as a sentence.
    pub problem: String,
}

impl OtherScene {
    /// The error for a state of another solver method.
    pub(super) fn method() -> Self {
        Self { problem: "it was simulated by another solver method".into() }
    }
}

impl WorldState {
    /// Fails if the state is of another method, or the progress that of other actions, plans or goals.
    pub(super) fn check<'a>(
        &self,
        is_rigid: bool,
        controller: Option<&Controller>,
        goals: impl ExactSizeIterator<Item = &'a Goals>,
    ) -> Result<(), OtherScene> {
        let other = |problem: &str| Err(OtherScene { problem: problem.into() });
        let fits = match (controller, &self.behavior) {
            (Some(controller), Some(state)) => controller.fits(state),
            (own, state) => own.is_none() && state.is_none(),
        };
        if self.bodies.is_some() != is_rigid {
            return Err(OtherScene::method());
        }
        if !fits {
            return other("it has other actions or plans");
        }
        match self.goals.fits(goals) {
            true => Ok(()),
            false => other("its ragdolls have other goals, such as clips to follow or places to reach"),
        }
    }
}

/// Number of particles or bodies of a world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Number of particles; a rigid body of particles has four.
    pub particles: usize,
    /// Number of rigid bodies with a position and an orientation.
    pub bodies: usize,
    /// Number of joints with a limit, without those of herds in lanes.
    pub limited_joints: usize,
}

impl World {
    /// Builds the world of a scene. Its characters and meshes come from `assets`. The order of things of a kind in the scene
    /// does not matter; the world has them from low to high.
    ///
    /// # Errors
    /// Names the thing and the key that are wrong.
    pub fn new(scene: Scene, assets: &Assets) -> Result<Self, SceneError> {
        let told = super::scene::without_effect(&scene);
        let (scene, places) = scene.sorted();
        let mut world = backend::build(scene, assets).map_err(|fault| places.in_file(fault))?;
        world.arrange(&places, told);
        Ok(Self(world))
    }

    /// Advances the world by one frame.
    pub fn step(&mut self) {
        self.0.step();
    }

    /// The scene of this world.
    pub fn scene(&self) -> &Scene {
        self.0.scene()
    }

    /// Seconds since the start.
    pub fn time(&self) -> f64 {
        self.0.time()
    }

    /// Steps since the start.
    pub fn steps(&self) -> u64 {
        self.0.steps()
    }

    /// Saves the complete state.
    pub fn save(&self) -> WorldState {
        self.0.save()
    }

    /// Continues from a saved state of this scene, bit for bit.
    ///
    /// # Errors
    /// Fails if the state is of another scene or of another method.
    pub fn restore(&mut self, state: WorldState) -> Result<(), OtherScene> {
        self.0.restore(state)
    }

    /// Counts the particles or bodies of this world, herds in lanes included.
    pub fn count(&self) -> Count {
        self.0.count()
    }

    /// Total mass of everything that moves, kilograms.
    pub fn mass(&self) -> f64 {
        self.0.mass()
    }

    /// Contact points of the last substep, in the order of the solver. Herds and sleeping particles report none.
    pub fn touches(&self) -> Vec<ContactMark> {
        self.0.touches()
    }

    /// Read access to the particles; `None` in a world of rigid bodies alone. Beside rigid bodies, the first particles are
    /// those of [`particles::Model::proxies`].
    pub fn particles(&self) -> Option<&particles::World> {
        self.0.particles()
    }

    /// Write access to the particles; `None` in a world of rigid bodies alone.
    pub fn particles_mut(&mut self) -> Option<&mut particles::World> {
        self.0.particles_mut()
    }

    /// Read access to the rigid bodies; `None` in a world of particles.
    pub fn bodies(&self) -> Option<&rigid::World> {
        self.0.bodies()
    }

    /// Write access to the rigid bodies; `None` in a world of particles.
    pub fn bodies_mut(&mut self) -> Option<&mut rigid::World> {
        self.0.bodies_mut()
    }

    /// Finds a ragdoll of particles by its name, with its character.
    pub fn ragdoll(&self, name: &str) -> Option<(&Ragdoll, &Character)> {
        self.0.ragdoll(name)
    }

    /// Finds a ragdoll of rigid bodies by its name, with its character.
    pub fn rigid_ragdoll(&self, name: &str) -> Option<(&RigidRagdoll, &Character)> {
        self.0.rigid_ragdoll(name)
    }

    /// Names of the ragdolls, in the order of the scene.
    pub fn ragdolls(&self) -> impl Iterator<Item = &str> {
        self.0.cast().into_iter().map(|(name, _)| name)
    }

    /// Notes on what was changed or left out while building, one sentence each.
    pub fn notes(&self) -> &[String] {
        self.0.notes()
    }

    /// Log of actions and plans so far: when each began and ended, and why.
    pub fn log(&self) -> Vec<action::ActionLogEntry> {
        self.0.log()
    }

    /// Runs the scene from its present state for the scene's duration and records it.
    pub fn record(&mut self) -> Recording {
        self.record_by(&mut World::step)
    }

    /// As [`World::record`], with the caller's own step, which may watch, act or measure time. Each call must call
    /// [`World::step`] once.
    pub fn record_by(&mut self, step: &mut dyn FnMut(&mut World)) -> Recording {
        self.record_steps(self.scene().steps(), step)
    }

    /// As [`World::record_by`], for `steps` steps.
    pub fn record_steps(&mut self, steps: usize, step: &mut dyn FnMut(&mut World)) -> Recording {
        self.record_with(Recorder::new(&*self.0, steps + 1, true), steps, step)
    }

    /// As [`World::record_steps`], without poses, tracks and forces: the memory of a long run does not grow with its things.
    pub fn record_measures(&mut self, steps: usize, step: &mut dyn FnMut(&mut World)) -> Recording {
        self.record_with(Recorder::new(&*self.0, steps + 1, false), steps, step)
    }

    fn record_with(&mut self, mut recorder: Recorder, steps: usize, step: &mut dyn FnMut(&mut World)) -> Recording {
        recorder.frame(&*self.0);
        for _ in 0..steps {
            step(self);
            recorder.frame(&*self.0);
        }
        recorder.finish(&*self.0)
    }

    /// The present frame as a recording: poses of characters, all else that is drawn, and measures.
    pub fn snapshot(&self) -> Recording {
        let mut recorder = Recorder::new(&*self.0, 1, true);
        recorder.frame(&*self.0);
        recorder.finish(&*self.0)
    }

    /// Updates a recording that an earlier [`World::snapshot`] of this world returned, without copying the characters again.
    pub fn snapshot_into(&self, seen: &mut Recording) {
        recorder::snapshot_into(&*self.0, seen);
    }
}
