//! A scene as particles that are held together.
//!
//! ```text
//! step    what is played, led or hit at this time ─► wind ─► actions and plans ─► obstacles ─► particles by one frame
//! ```

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

/// A scene of particles.
#[derive(Clone, Debug)]
pub struct World {
    pub(super) scene: Scene,
    pub(super) particles: particles::World,
    pub(super) actors: Vec<Actor>,
    pub(super) solids: Vec<ParticleSceneBody>,
    pub(super) shown: Vec<Shown>,
    pub(super) names: BTreeMap<String, Holder>,
    pub(super) obstacles: Vec<PlacedObstacle>,
    pub(super) herds: Vec<Running>,
    pub(super) exposed: Exposed,
    /// Scratch.
    pub(super) places: Vec<DVec3>,
    pub(super) notes: Vec<String>,
    /// What ragdolls are told, what drives them, and what was sensed of them last.
    pub(super) directions: Vec<Directed>,
    /// What follows actions and plans, where there are any.
    pub(super) acting: Option<Box<Acting>>,
    /// Impulses that a user gave in the last step or gives in the coming one.
    pub(super) touched: Vec<Touched>,
}

/// A ragdoll that is told something.
#[derive(Clone, Debug)]
pub(super) struct Directed {
    pub direction: Goals,
    pub drives: ParticleDrives,
    pub before: Option<Sensed>,
    /// What the hand that leads it did in the last step.
    pub led: Led,
}

impl World {
    /// Builds everything the scene says. Characters and meshes it names come from `assets`.
    ///
    /// # Errors
    /// The thing and the key that are wrong.
    pub fn new(scene: Scene, assets: &Assets) -> Result<Self, SceneError> {
        let ParticleBuild { mut model, actors, solids, shown, names, sails, mut notes } = build::build(&scene, assets)?;
        let obstacles = super::obstacles::standing(&scene, assets)?;
        let (herds, unseen) = super::herds::herds(&scene, assets, &obstacles)?;
        notes.extend(unseen);
        let exposed = Exposed::new(&model, sails);
        let settings = scene.solver.settings(&scene.setting);
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
            actors,
            solids,
            shown,
            names,
            obstacles,
            herds,
            exposed,
            places,
            notes,
            directions,
            acting: None,
            touched: Vec::new(),
        };
        actions::begin(&mut world)?;
        world.acting = Acting::new(&world, assets)?.map(Box::new);
        Ok(world)
    }

    /// Goes on by one frame.
    pub fn step(&mut self) {
        actions::act(self);
        if let Some(acting) = &mut self.acting {
            acting.act(&mut self.particles);
        }
        let (time, step) = (self.time(), self.particles.settings.time_step);
        if super::obstacles::place(&mut self.particles.obstacles, &self.obstacles, time, step) {
            self.particles.wake_all();
        }
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

    /// Steps since the start.
    pub fn steps(&self) -> u64 {
        self.particles.state.steps
    }
}

/// What the scene wants of its ragdolls; their joints get drives.
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
