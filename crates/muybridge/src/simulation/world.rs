//! A scene that runs.
//!
//! ```text
//! step    what is played, led or hit at this time ─► wind ─► obstacles ─► particles by one frame
//! ```
//! Everything that is done follows from the number of the step, so a state is that of the particles and of the herds, and
//! nothing else: saved, restored and continued bit for bit.

use std::collections::BTreeMap;

use glam::DVec3;

use super::actions;
use super::assets::Assets;
use super::build::{self, Actor, Built, Holder, Shown, Solid};
use super::herds::Running;
use super::obstacles::Standing;
use super::recorder::Recorder;
use super::recording::Recording;
use super::scene::{Fault, Scene, Setting};
use crate::character::Character;
use crate::particles::{self, HerdState, State};
use crate::ragdoll::Ragdoll;

/// All that a running scene needs to go on.
#[derive(Clone, Debug, PartialEq)]
pub struct WorldState {
    /// Of everything but herds.
    pub particles: State,
    /// Of each herd.
    pub herds: Vec<HerdState>,
}

/// A scene that runs. Not stepping is a pause: nothing changes.
#[derive(Clone, Debug)]
pub struct World {
    pub(super) scene: Scene,
    pub(super) particles: particles::World,
    pub(super) actors: Vec<Actor>,
    pub(super) solids: Vec<Solid>,
    pub(super) shown: Vec<Shown>,
    pub(super) names: BTreeMap<String, Holder>,
    pub(super) obstacles: Vec<Standing>,
    pub(super) herds: Vec<Running>,
    /// Particles whose object has drag, and their masses times it: what wind carries.
    pub(super) carried: Vec<(usize, f64)>,
    /// Scratch.
    pub(super) places: Vec<DVec3>,
    notes: Vec<String>,
}

impl World {
    /// Builds everything the scene says. Characters and meshes it names come from `assets`.
    ///
    /// # Errors
    /// The thing and the key that are wrong.
    pub fn new(scene: Scene, assets: &Assets) -> Result<Self, Fault> {
        let Built { model, actors, solids, shown, names, mut notes } = build::build(&scene, assets)?;
        let obstacles = super::obstacles::standing(&scene, assets)?;
        let (herds, unseen) = super::herds::herds(&scene, assets, &obstacles)?;
        notes.extend(unseen);
        let carried = carried(&model);
        let settings = scene.solver.settings(&scene.setting);
        let wrong = |error: particles::ModelError| {
            let message = format!("cannot be simulated: {error}");
            Fault { kind: <Setting as super::scene::Thing>::KIND, index: 0, key: "name", message }
        };
        let mut particles = particles::World::new(model, settings).map_err(wrong)?;
        particles.obstacles = obstacles.iter().map(|standing| standing.obstacle.clone()).collect();
        let places = Vec::new();
        let mut world =
            Self { scene, particles, actors, solids, shown, names, obstacles, herds, carried, places, notes };
        actions::begin(&mut world)?;
        Ok(world)
    }

    /// Goes on by one frame.
    pub fn step(&mut self) {
        actions::act(self);
        let (time, step) = (self.time(), self.particles.settings.time_step);
        if super::obstacles::place(&mut self.particles.obstacles, &self.obstacles, time, step) {
            self.particles.wake_all();
        }
        self.particles.step();
        self.herds.iter_mut().for_each(|running| running.herd.step());
    }

    /// What it was made of.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// Seconds since the start.
    pub fn time(&self) -> f64 {
        self.particles.state.steps as f64 * self.particles.settings.time_step
    }

    /// Steps since the start.
    pub fn steps(&self) -> u64 {
        self.particles.state.steps
    }

    /// All that is needed to go on.
    pub fn save(&self) -> WorldState {
        let herds = self.herds.iter().map(Running::save).collect();
        WorldState { particles: self.particles.save(), herds }
    }

    /// Goes on from a saved state of this scene, bit for bit.
    ///
    /// # Errors
    /// If the state is of another scene.
    pub fn restore(&mut self, state: WorldState) -> Result<(), particles::ModelError> {
        if state.herds.len() != self.herds.len() {
            let problem = format!("has {} herds, but there are {}", state.herds.len(), self.herds.len());
            return Err(particles::ModelError { list: "state", index: 0, problem });
        }
        self.particles.restore(state.particles)?;
        for (running, state) in self.herds.iter_mut().zip(&state.herds) {
            running.herd.restore(state);
        }
        Ok(())
    }

    /// The particles, to look at and to act on.
    pub fn particles(&self) -> &particles::World {
        &self.particles
    }

    /// The same, to act on.
    pub fn particles_mut(&mut self) -> &mut particles::World {
        &mut self.particles
    }

    /// A ragdoll by its name, and its character.
    pub fn ragdoll(&self, name: &str) -> Option<(&Ragdoll, &Character)> {
        let actor = self.actors.iter().find(|actor| actor.name == name)?;
        Some((&actor.ragdoll, &actor.character))
    }

    /// Names of the ragdolls, in the order of the scene.
    pub fn ragdolls(&self) -> impl Iterator<Item = &str> {
        self.actors.iter().map(|actor| actor.name.as_str())
    }

    /// What was changed or left out in building, one sentence each.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Runs the scene from where it is for as long as it says, and records it.
    pub fn record(&mut self) -> Recording {
        self.record_by(&mut World::step)
    }

    /// The same with a step of the caller's, who may watch, act, or measure time: one call of [`World::step`] each.
    pub fn record_by(&mut self, step: &mut dyn FnMut(&mut World)) -> Recording {
        let steps = self.scene.steps();
        let mut recorder = Recorder::new(self, steps + 1);
        recorder.frame(self);
        for _ in 0..steps {
            step(self);
            recorder.frame(self);
        }
        recorder.finish(self)
    }
}

fn carried(model: &particles::Model) -> Vec<(usize, f64)> {
    let dragged = model.objects.iter().filter(|object| object.drag > 0.0);
    let all = dragged.flat_map(|object| object.particles.clone().map(move |particle| (particle, object.drag)));
    let weighed = all.map(|(particle, drag)| (particle, drag * model.masses[particle]));
    weighed.filter(|(_, rate)| rate.is_finite()).collect()
}
