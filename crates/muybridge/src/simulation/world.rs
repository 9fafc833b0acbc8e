//! A running scene, under the method that its solver names.
//!
//! ```text
//! particles                     points held together by distances; solids alone, or beside cloth, are rigid bodies
//! multipliers, displacement, …  rigid bodies with joints
//! step                         clips, drags, hits of this time ─► wind ─► obstacles ─► one frame
//! ```
//! All inputs follow from the number of the step, except plans, which keep their own progress. A [`WorldState`] holds the
//! state of the particles and herds, or of the bodies and their actions, and nothing else. It is saved, restored and
//! continued bit for bit.

use thiserror::Error;

use super::assets::Assets;
use super::by_bodies::herds::InLanes;
use super::direction::GoalState;
use super::recorder::{self, Observe, Recorder};
use super::recording::Recording;
use super::scene::{Method, Scene, SceneError};
use super::{by_bodies, by_particles};
use crate::behavior::action;
use crate::character::Character;
use crate::particles::{self, HerdState};
use crate::ragdoll::{Ragdoll, RigidRagdoll};
use crate::rigid;
use crate::rigid::crowd::CrowdState;

/// A running scene. A caller that does not step it has paused it.
#[derive(Clone, Debug)]
pub struct World(pub(super) Inner);

#[derive(Clone, Debug)]
pub(super) enum Inner {
    Particles(Box<by_particles::World>),
    Bodies(Box<by_bodies::World>),
}

impl Inner {
    /// What runs as particles; `None` if nothing does.
    pub fn points(&self) -> Option<&by_particles::World> {
        match self {
            Self::Particles(world) => Some(world),
            Self::Bodies(world) => world.soft.as_ref().map(|soft| &*soft.world),
        }
    }

    /// What runs as particles; `None` if nothing does.
    pub fn points_mut(&mut self) -> Option<&mut by_particles::World> {
        match self {
            Self::Particles(world) => Some(world),
            Self::Bodies(world) => world.soft.as_mut().map(|soft| &mut *soft.world),
        }
    }
}

/// Complete state from which a running scene continues.
#[derive(Clone, Debug, PartialEq)]
pub enum WorldState {
    /// State of a world of particles.
    Particles {
        /// State of everything except herds.
        particles: Box<particles::State>,
        /// State of each herd.
        herds: Vec<HerdState>,
        /// Progress of actions and plans; `None` if the scene has none.
        behavior: Option<Box<action::PlanState>>,
        /// Progress of the goals of each ragdoll.
        told: Box<GoalState>,
    },
    /// State of a world of rigid bodies.
    Bodies {
        /// State of the bodies.
        bodies: Box<rigid::State>,
        /// Progress of actions and plans.
        behavior: Box<action::PlanState>,
        /// Progress of the goals of each ragdoll.
        told: Box<GoalState>,
        /// State of each herd that runs in lanes.
        herds: Vec<CrowdState>,
        /// State of cloth, plants and points; `None` if the scene has none.
        soft: Option<Box<particles::State>>,
    },
}

/// Error: the saved state belongs to another scene.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("the saved state belongs to another scene: {problem}")]
pub struct OtherScene {
    /// The difference, as a sentence.
    pub problem: String,
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
        let built = match scene.body_method() {
            Method::Particles => by_particles::World::new(scene, assets).map(|world| Inner::Particles(Box::new(world))),
            Method::Multipliers | Method::Displacement | Method::Hennix => {
                by_bodies::World::new(scene, assets).map(|world| Inner::Bodies(Box::new(world)))
            }
        };
        let mut inner = built.map_err(|fault| places.in_file(fault))?;
        let notes = match &mut inner {
            Inner::Particles(world) => {
                world.order = places.cast(&world.scene, world.actors.iter().map(|actor| actor.name.as_str()));
                &mut world.notes
            }
            Inner::Bodies(world) => {
                world.order = places.cast(&world.scene, world.actors.iter().map(|actor| actor.name.as_str()));
                &mut world.notes
            }
        };
        notes.splice(0..0, told);
        Ok(Self(inner))
    }

    /// Advances the world by one frame.
    pub fn step(&mut self) {
        match &mut self.0 {
            Inner::Particles(world) => world.step(),
            Inner::Bodies(world) => world.step(),
        }
    }

    /// The scene of this world.
    pub fn scene(&self) -> &Scene {
        self.recorded().scene()
    }

    /// Seconds since the start.
    pub fn time(&self) -> f64 {
        self.recorded().time()
    }

    /// Steps since the start.
    pub fn steps(&self) -> u64 {
        match &self.0 {
            Inner::Particles(world) => world.particles.state.steps,
            Inner::Bodies(world) => world.bodies.state.steps,
        }
    }

    /// Saves the complete state.
    pub fn save(&self) -> WorldState {
        match &self.0 {
            Inner::Particles(world) => {
                let herds = world.herds.iter().map(super::herds::Running::save).collect();
                let of = |directed: &by_particles::Directed| (directed.direction.clone(), directed.before.clone());
                let told = Box::new(GoalState(world.directions.iter().map(of).collect()));
                let behavior = world.acting.as_ref().map(|acting| Box::new(acting.controller.state.clone()));
                WorldState::Particles { particles: Box::new(world.particles.save()), herds, behavior, told }
            }
            Inner::Bodies(world) => WorldState::Bodies {
                bodies: Box::new(world.bodies.state.clone()),
                behavior: Box::new(world.controller.state.clone()),
                told: Box::new(GoalState(world.directions.iter().map(|told| (told.direction.clone(), None)).collect())),
                herds: world.in_lanes.iter().map(|herd| herd.crowd.save()).collect(),
                soft: world.soft.as_ref().map(|soft| Box::new(soft.world.particles.save())),
            },
        }
    }

    /// Continues from a saved state of this scene, bit for bit.
    ///
    /// # Errors
    /// Fails if the state is of another scene or of another method.
    pub fn restore(&mut self, state: WorldState) -> Result<(), OtherScene> {
        let other = |problem: String| Err(OtherScene { problem });
        match (&mut self.0, state) {
            (Inner::Particles(world), WorldState::Particles { particles, herds, behavior, told }) => {
                if herds.len() != world.herds.len() {
                    return other(format!("it has {} herds, but this scene has {}", herds.len(), world.herds.len()));
                }
                if !told.fits(world.directions.iter().map(|directed| &directed.direction)) {
                    return other("its ragdolls have other goals, such as clips to follow or places to reach".into());
                }
                let fits = match (&world.acting, &behavior) {
                    (Some(acting), Some(state)) => acting.controller.fits(state),
                    (acting, state) => acting.is_none() && state.is_none(),
                };
                if !fits {
                    return other("it has other actions or plans".into());
                }
                world.particles.restore(*particles).or_else(|error| other(error.to_string()))?;
                if let (Some(acting), Some(state)) = (&mut world.acting, behavior) {
                    acting.controller.state = *state;
                }
                for (running, state) in world.herds.iter_mut().zip(&herds) {
                    running.herd.restore(state);
                }
                for (directed, (direction, before)) in world.directions.iter_mut().zip(told.0) {
                    (directed.direction, directed.before) = (direction, before);
                }
                Ok(())
            }
            (Inner::Bodies(world), WorldState::Bodies { bodies: state, behavior, told, herds, soft }) => {
                let sizes = |state: &rigid::State| (state.poses.len(), state.multipliers[0].len(), state.asleep.len());
                if sizes(&state) != sizes(&world.bodies.state) {
                    let (found, wanted) = (state.poses.len(), world.bodies.state.poses.len());
                    return other(format!("it has {found} bodies and this scene has {wanted}, or their joints differ"));
                }
                if !world.controller.fits(&behavior) {
                    return other("it has other actions or plans".into());
                }
                if !told.fits(world.directions.iter().map(|directed| &directed.direction)) {
                    return other("its ragdolls have other goals, such as clips to follow or places to reach".into());
                }
                if herds.len() != world.in_lanes.len()
                    || !world.in_lanes.iter().zip(&herds).all(|(own, state)| own.crowd.fits(state))
                {
                    return other("its herds have other ragdolls".into());
                }
                match (&mut world.soft, soft) {
                    (Some(own), Some(state)) => {
                        own.world.particles.restore(*state).or_else(|error| other(error.to_string()))?;
                    }
                    (None, None) => {}
                    _ => return other("it has other cloth, plants or points".into()),
                }
                for (own, state) in world.in_lanes.iter_mut().zip(herds) {
                    own.crowd.restore(state);
                }
                world.bodies.state = *state;
                world.controller.state = *behavior;
                for (directed, (direction, _)) in world.directions.iter_mut().zip(told.0) {
                    directed.direction = direction;
                }
                Ok(())
            }
            _ => other("it was simulated by another solver method".into()),
        }
    }

    /// Counts the particles or bodies of this world, herds in lanes included.
    pub fn count(&self) -> Count {
        let own = |world: &particles::World| world.state.positions.len() - world.model().proxy_particles();
        let limits = |world: &particles::World| {
            world.model().swing_twist_limits().count() + world.model().hinge_limits().count()
        };
        let (bodies, limited) = match &self.0 {
            Inner::Particles(_) => (0, 0),
            Inner::Bodies(world) => {
                let bodies = world.own + world.in_lanes.iter().map(InLanes::bodies).sum::<usize>();
                (bodies, world.bodies.model.ranges.len())
            }
        };
        let particles = self.particles().map_or(0, own);
        Count { particles, bodies, limited_joints: limited + self.particles().map_or(0, limits) }
    }

    /// Total mass of everything that moves, kilograms.
    pub fn mass(&self) -> f64 {
        match &self.0 {
            Inner::Particles(world) => world.mass(),
            Inner::Bodies(world) => {
                let own = world.bodies.model.bodies[..world.own].iter().map(|body| body.mass);
                let soft = world.soft.iter().map(|soft| soft.world.mass());
                own.chain(world.in_lanes.iter().map(InLanes::mass)).chain(soft).fold(0.0, |sum, mass| sum + mass)
            }
        }
    }

    /// Read access to the particles; `None` in a world of rigid bodies alone. Beside rigid bodies, the first particles are
    /// those of [`particles::Model::proxies`].
    pub fn particles(&self) -> Option<&particles::World> {
        self.0.points().map(|world| &world.particles)
    }

    /// Write access to the particles; `None` in a world of rigid bodies alone.
    pub fn particles_mut(&mut self) -> Option<&mut particles::World> {
        self.0.points_mut().map(|world| &mut world.particles)
    }

    /// Read access to the rigid bodies; `None` in a world of particles.
    pub fn bodies(&self) -> Option<&rigid::World> {
        match &self.0 {
            Inner::Particles(_) => None,
            Inner::Bodies(world) => Some(&world.bodies),
        }
    }

    /// Write access to the rigid bodies; `None` in a world of particles.
    pub fn bodies_mut(&mut self) -> Option<&mut rigid::World> {
        match &mut self.0 {
            Inner::Particles(_) => None,
            Inner::Bodies(world) => Some(&mut world.bodies),
        }
    }

    /// Finds a ragdoll of particles by its name, with its character.
    pub fn ragdoll(&self, name: &str) -> Option<(&Ragdoll, &Character)> {
        let Inner::Particles(world) = &self.0 else { return None };
        let actor = world.actors.iter().find(|actor| actor.name == name)?;
        Some((&actor.ragdoll, &actor.character))
    }

    /// Finds a ragdoll of rigid bodies by its name, with its character.
    pub fn rigid_ragdoll(&self, name: &str) -> Option<(&RigidRagdoll, &Character)> {
        let Inner::Bodies(world) = &self.0 else { return None };
        let actor = world.actors.iter().find(|actor| actor.name == name)?;
        Some((&actor.ragdoll, &actor.character))
    }

    /// Names of the ragdolls, in the order of the scene.
    pub fn ragdolls(&self) -> impl Iterator<Item = &str> {
        self.recorded().cast().into_iter().map(|(name, _)| name)
    }

    /// Notes on what was changed or left out while building, one sentence each.
    pub fn notes(&self) -> &[String] {
        match &self.0 {
            Inner::Particles(world) => &world.notes,
            Inner::Bodies(world) => &world.notes,
        }
    }

    /// Log of actions and plans so far: when each began and ended, and why.
    pub fn log(&self) -> Vec<action::ActionLogEntry> {
        self.recorded().log()
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
        let mut recorder = Recorder::new(self.recorded(), steps + 1);
        recorder.frame(self.recorded());
        for _ in 0..steps {
            step(self);
            recorder.frame(self.recorded());
        }
        recorder.finish(self.recorded())
    }

    /// The present frame as a recording: poses of characters, all else that is drawn, and measures.
    pub fn snapshot(&self) -> Recording {
        let mut recorder = Recorder::new(self.recorded(), 1);
        recorder.frame(self.recorded());
        recorder.finish(self.recorded())
    }

    /// Updates a recording that an earlier [`World::snapshot`] of this world returned, without copying the characters again.
    pub fn snapshot_into(&self, seen: &mut Recording) {
        recorder::snapshot_into(self.recorded(), seen);
    }

    fn recorded(&self) -> &dyn Observe {
        match &self.0 {
            Inner::Particles(world) => &**world,
            Inner::Bodies(world) => &**world,
        }
    }
}
