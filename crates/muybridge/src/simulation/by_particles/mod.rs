//! A scene simulated as particles that constraints hold together.
//!
//! ```text
//! step    clips, drags, hits of this time ─► wind ─► actions and plans ─► obstacles ─► particles by one frame
//! ```

mod backend;
pub(in crate::simulation) mod recorded;

use std::collections::BTreeMap;

use glam::DVec3;

use super::actions;
use super::assets::Assets;
use super::build::{self, Actor, Holder, ParticleBuild, ParticleSceneBody, Shown};
use super::by_bodies::likeness::Acting;
use super::direction::{self, Goals, Player};
use super::herds::Running;
use super::obstacles::PlacedObstacle;
use super::recorder::Touched;
use super::scene::{Scene, SceneError, Setting};
use super::wind::Exposed;
use crate::behavior::drive::Led;
use crate::behavior::drive_particles::ParticleDrives;
use crate::behavior::{RagdollModel, Sensed};
use crate::particles;

/// A running scene of particles.
#[derive(Clone, Debug)]
pub struct World {
    pub(super) scene: Scene,
    pub(super) particles: particles::World,
    pub(super) actors: Vec<Actor>,
    /// Indices of the actors in the order in which they are shown.
    pub(super) order: Vec<usize>,
    pub(super) solids: Vec<ParticleSceneBody>,
    pub(super) shown: Vec<Shown>,
    pub(super) names: BTreeMap<String, Holder>,
    pub(super) obstacles: Vec<PlacedObstacle>,
    pub(super) herds: Vec<Running>,
    pub(super) exposed: Exposed,
    /// Scratch for particle positions.
    pub(super) places: Vec<DVec3>,
    /// Place from which the path of each pull counts, meters.
    pub(super) origins: Vec<DVec3>,
    pub(super) notes: Vec<String>,
    /// Goals, drives and last sensor reading of each ragdoll that is driven.
    pub(super) directions: Vec<Directed>,
    /// Executes actions and plans; `None` if the scene has none.
    pub(super) acting: Option<Box<Acting>>,
    /// Impulses of the user, of the last step or for the coming one.
    pub(super) touched: Vec<Touched>,
}

/// A ragdoll that is driven by the scene's goals.
#[derive(Clone, Debug)]
pub(super) struct Directed {
    pub direction: Goals,
    pub drives: ParticleDrives,
    pub before: Option<Sensed>,
    /// Wrench of the root assist in the last step.
    pub led: Led,
}

impl World {
    /// Builds the world of a scene. Its characters and meshes come from `assets`.
    ///
    /// # Errors
    /// Names the thing and the key that are wrong.
    pub fn new(scene: Scene, assets: &Assets) -> Result<Self, SceneError> {
        let built = build::build(&scene, assets)?;
        Self::of(scene, assets, built)
    }

    /// The world of a scene whose things have been built.
    pub(super) fn of(scene: Scene, assets: &Assets, built: ParticleBuild) -> Result<Self, SceneError> {
        let ParticleBuild { mut model, actors, solids, shown, names, sails, mut notes } = built;
        let obstacles = super::obstacles::standing(&scene, assets)?;
        let (herds, told) = super::herds::herds(&scene, assets, &obstacles)?;
        notes.extend(told);
        let exposed = Exposed::new(&model, sails);
        let settings = scene.solver.in_effect(&scene).settings(&scene.setting);
        let directions = directions(&scene, assets, &actors, &mut model)?;
        let wrong = |error: particles::ModelError| {
            let message = format!("cannot be simulated: {error}");
            SceneError { kind: <Setting as super::scene::Thing>::KIND, index: 0, key: "name", message }
        };
        let mut particles = particles::World::new(model, settings).map_err(wrong)?;
        particles.obstacles = obstacles.iter().map(|standing| standing.obstacle.clone()).collect();
        let places = Vec::new();
        let mut world = Self {
            scene,
            particles,
            order: (0..actors.len()).collect(),
            actors,
            solids,
            shown,
            names,
            obstacles,
            herds,
            exposed,
            places,
            origins: Vec::new(),
            notes,
            directions,
            acting: None,
            touched: Vec::new(),
        };
        actions::begin(&mut world)?;
        world.acting = Acting::new(&world, assets)?.map(Box::new);
        // Plans ask the solver for contacts, which lanes do not list.
        world.particles.settings.lanes &= world.acting.is_none();
        Ok(world)
    }

    /// Applies the inputs of the coming step.
    pub(super) fn begin_step(&mut self) {
        actions::act(self);
        if let Some(acting) = &mut self.acting {
            acting.act(&mut self.particles);
        }
        let (time, step) = (self.time(), self.particles.settings.time_step);
        if super::obstacles::place(&mut self.particles.obstacles, &self.obstacles, time, step) {
            self.particles.wake_all();
        }
    }

    /// Advances what moves by one frame, once the inputs are applied.
    pub(super) fn end_step(&mut self) {
        let time = self.time();
        self.particles.step();
        if let Some(acting) = &mut self.acting {
            acting.look(&self.particles);
        }
        self.herds.iter_mut().for_each(|running| running.step(time));
    }

    /// Seconds since the start.
    pub fn time(&self) -> f64 {
        self.particles.state.steps as f64 * self.particles.settings.time_step
    }
}

/// Goals of each driven ragdoll; adds drives to the ragdoll's joints.
fn directions(
    scene: &Scene,
    assets: &Assets,
    actors: &[Actor],
    model: &mut particles::Model,
) -> Result<Vec<Directed>, SceneError> {
    let mut directions = Vec::new();
    for (index, actor) in
        actors.iter().enumerate().filter(|(_, actor)| direction::is_directed(scene, &actor.name, None))
    {
        let Actor { name, character, ragdoll, pose, .. } = actor;
        let figure = RagdollModel::of_particles(character, ragdoll);
        let drives = ParticleDrives::add(&figure, ragdoll, model);
        let player = Player { index, name, herd: None, character, figure, pose: pose.clone(), rigid: None };
        let direction = direction::direction(scene, assets, player)?;
        directions.push(Directed { direction, drives, before: None, led: Led::default() });
    }
    Ok(directions)
}
