//! A scene as particles that are held together.
//!
//! ```text
//! step    what is played, led or hit at this time ─► wind ─► obstacles ─► particles by one frame
//! ```

mod recorded;

use std::collections::BTreeMap;

use glam::DVec3;

use super::actions;
use super::assets::Assets;
use super::build::{self, Actor, Built, Holder, Shown, Solid};
use super::herds::Running;
use super::obstacles::Standing;
use super::scene::{Fault, Scene, Setting};
use super::wind::Exposed;
use crate::particles;

/// A scene of particles.
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
    pub(super) exposed: Exposed,
    /// Scratch.
    pub(super) places: Vec<DVec3>,
    pub(super) notes: Vec<String>,
}

impl World {
    /// Builds everything the scene says. Characters and meshes it names come from `assets`.
    ///
    /// # Errors
    /// The thing and the key that are wrong.
    pub fn new(scene: Scene, assets: &Assets) -> Result<Self, Fault> {
        let Built { model, actors, solids, shown, names, sails, mut notes } = build::build(&scene, assets)?;
        let obstacles = super::obstacles::standing(&scene, assets)?;
        let (herds, unseen) = super::herds::herds(&scene, assets, &obstacles)?;
        notes.extend(unseen);
        let exposed = Exposed::new(&model, sails);
        let settings = scene.solver.settings(&scene.setting);
        let wrong = |error: particles::ModelError| {
            let message = format!("cannot be simulated: {error}");
            Fault { kind: <Setting as super::scene::Thing>::KIND, index: 0, key: "name", message }
        };
        let mut particles = particles::World::new(model, settings).map_err(wrong)?;
        particles.obstacles = obstacles.iter().map(|standing| standing.obstacle.clone()).collect();
        let places = Vec::new();
        let mut world =
            Self { scene, particles, actors, solids, shown, names, obstacles, herds, exposed, places, notes };
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

    /// Seconds since the start.
    pub fn time(&self) -> f64 {
        self.particles.state.steps as f64 * self.particles.settings.time_step
    }

    /// Steps since the start.
    pub fn steps(&self) -> u64 {
        self.particles.state.steps
    }
}
