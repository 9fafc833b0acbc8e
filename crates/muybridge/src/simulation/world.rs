//! A scene that runs, under the method its solver names.
//!
//! ```text
//! particles                    points held together by distances
//! multipliers, displacement, …  rigid bodies with joints
//! step                         what is played, led or hit at this time ─► wind ─► obstacles ─► one frame
//! ```
//! Everything that is done follows from the number of the step, but for plans, which have come as far as they have: a state is that of the
//! particles and herds, or of the bodies and what they do, and nothing else: saved, restored and continued bit for bit.

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

/// A scene that runs. Not stepping is a pause: nothing changes.
#[derive(Clone, Debug)]
pub struct World(pub(super) Inner);

#[derive(Clone, Debug)]
pub(super) enum Inner {
    Particles(Box<by_particles::World>),
    Bodies(Box<by_bodies::World>),
}

/// All that a running scene needs to go on.
#[derive(Clone, Debug, PartialEq)]
pub enum WorldState {
    /// Of a world of particles.
    Particles {
        /// Of everything but herds.
        particles: Box<particles::State>,
        /// Of each herd.
        herds: Vec<HerdState>,
        /// Of actions and plans; none where the scene has none.
        behavior: Option<Box<action::PlanState>>,
        /// Of what ragdolls are told.
        told: Box<GoalState>,
    },
    /// Of a world of rigid bodies.
    Bodies {
        /// Of the bodies.
        bodies: Box<rigid::State>,
        /// Of actions and plans.
        behavior: Box<action::PlanState>,
        /// Of what ragdolls are told.
        told: Box<GoalState>,
        /// Of each herd in lanes.
        herds: Vec<CrowdState>,
    },
}

/// Why a state is not one of a scene.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("the state is of another scene: {problem}")]
pub struct OtherScene {
    /// What does not fit.
    pub problem: String,
}

/// What a world is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Particles; four make a rigid body.
    pub particles: usize,
    /// Rigid bodies with a position and an orientation.
    pub bodies: usize,
}

impl World {
    /// Builds everything the scene says. Characters and meshes it names come from `assets`.
    ///
    /// # Errors
    /// The thing and the key that are wrong.
    pub fn new(scene: Scene, assets: &Assets) -> Result<Self, SceneError> {
        let inner = match scene.solver.method {
            Method::Particles => Inner::Particles(Box::new(by_particles::World::new(scene, assets)?)),
            Method::Multipliers | Method::Displacement | Method::Hennix => {
                Inner::Bodies(Box::new(by_bodies::World::new(scene, assets)?))
            }
        };
        Ok(Self(inner))
    }

    /// Goes on by one frame.
    pub fn step(&mut self) {
        match &mut self.0 {
            Inner::Particles(world) => world.step(),
            Inner::Bodies(world) => world.step(),
        }
    }

    /// What it was made of.
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

    /// All that is needed to go on.
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
            },
        }
    }

    /// Goes on from a saved state of this scene, bit for bit.
    ///
    /// # Errors
    /// If the state is of another scene, or of another method.
    pub fn restore(&mut self, state: WorldState) -> Result<(), OtherScene> {
        let other = |problem: String| Err(OtherScene { problem });
        match (&mut self.0, state) {
            (Inner::Particles(world), WorldState::Particles { particles, herds, behavior, told }) => {
                if herds.len() != world.herds.len() {
                    return other(format!("it has {} herds, but there are {}", herds.len(), world.herds.len()));
                }
                if !told.fits(world.directions.iter().map(|directed| &directed.direction)) {
                    return other("its ragdolls are told other things".into());
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
            (Inner::Bodies(world), WorldState::Bodies { bodies: state, behavior, told, herds }) => {
                let sizes = |state: &rigid::State| (state.poses.len(), state.multipliers[0].len(), state.asleep.len());
                if sizes(&state) != sizes(&world.bodies.state) {
                    let (found, wanted) = (state.poses.len(), world.bodies.state.poses.len());
                    return other(format!("it has {found} bodies, there are {wanted}, or other joints"));
                }
                if !world.controller.fits(&behavior) {
                    return other("it has other actions or plans".into());
                }
                if !told.fits(world.directions.iter().map(|directed| &directed.direction)) {
                    return other("its ragdolls are told other things".into());
                }
                if herds.len() != world.in_lanes.len()
                    || !world.in_lanes.iter().zip(&herds).all(|(own, state)| own.crowd.fits(state))
                {
                    return other("it has other herds in lanes".into());
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
            _ => other("it was simulated by another method".into()),
        }
    }

    /// What it is made of.
    pub fn count(&self) -> Count {
        match &self.0 {
            Inner::Particles(world) => Count { particles: world.particles.state.positions.len(), bodies: 0 },
            Inner::Bodies(world) => {
                let lanes: usize = world.in_lanes.iter().map(InLanes::bodies).sum();
                Count { particles: 0, bodies: world.own + lanes }
            }
        }
    }

    /// Kilograms of everything that moves.
    pub fn mass(&self) -> f64 {
        match &self.0 {
            Inner::Particles(world) => {
                let masses = world.particles.model().masses.iter().copied().filter(|mass| mass.is_finite());
                masses.chain(world.herds.iter().map(super::herds::Running::mass)).fold(0.0, |sum, mass| sum + mass)
            }
            Inner::Bodies(world) => {
                let own = world.bodies.model.bodies[..world.own].iter().map(|body| body.mass);
                own.chain(world.in_lanes.iter().map(InLanes::mass)).fold(0.0, |sum, mass| sum + mass)
            }
        }
    }

    /// The particles, to look at; `None` in a world of rigid bodies.
    pub fn particles(&self) -> Option<&particles::World> {
        match &self.0 {
            Inner::Particles(world) => Some(&world.particles),
            Inner::Bodies(_) => None,
        }
    }

    /// The same, to act on.
    pub fn particles_mut(&mut self) -> Option<&mut particles::World> {
        match &mut self.0 {
            Inner::Particles(world) => Some(&mut world.particles),
            Inner::Bodies(_) => None,
        }
    }

    /// The rigid bodies, to look at; `None` in a world of particles.
    pub fn bodies(&self) -> Option<&rigid::World> {
        match &self.0 {
            Inner::Particles(_) => None,
            Inner::Bodies(world) => Some(&world.bodies),
        }
    }

    /// The same, to act on.
    pub fn bodies_mut(&mut self) -> Option<&mut rigid::World> {
        match &mut self.0 {
            Inner::Particles(_) => None,
            Inner::Bodies(world) => Some(&mut world.bodies),
        }
    }

    /// A ragdoll of particles by its name, and its character.
    pub fn ragdoll(&self, name: &str) -> Option<(&Ragdoll, &Character)> {
        let Inner::Particles(world) = &self.0 else { return None };
        let actor = world.actors.iter().find(|actor| actor.name == name)?;
        Some((&actor.ragdoll, &actor.character))
    }

    /// A ragdoll of rigid bodies by its name, and its character.
    pub fn rigid_ragdoll(&self, name: &str) -> Option<(&RigidRagdoll, &Character)> {
        let Inner::Bodies(world) = &self.0 else { return None };
        let actor = world.actors.iter().find(|actor| actor.name == name)?;
        Some((&actor.ragdoll, &actor.character))
    }

    /// Names of the ragdolls, in the order of the scene.
    pub fn ragdolls(&self) -> impl Iterator<Item = &str> {
        self.recorded().cast().into_iter().map(|(name, _)| name)
    }

    /// What was changed or left out in building, one sentence each.
    pub fn notes(&self) -> &[String] {
        match &self.0 {
            Inner::Particles(world) => &world.notes,
            Inner::Bodies(world) => &world.notes,
        }
    }

    /// What actions and plans have begun and ended so far, and why.
    pub fn log(&self) -> Vec<action::ActionLogEntry> {
        self.recorded().log()
    }

    /// Runs the scene from where it is for as long as it says, and records it.
    pub fn record(&mut self) -> Recording {
        self.record_by(&mut World::step)
    }

    /// The same with a step of the caller's, who may watch, act, or measure time: one call of [`World::step`] each.
    pub fn record_by(&mut self, step: &mut dyn FnMut(&mut World)) -> Recording {
        self.record_steps(self.scene().steps(), step)
    }

    /// The same for so many steps.
    pub fn record_steps(&mut self, steps: usize, step: &mut dyn FnMut(&mut World)) -> Recording {
        let mut recorder = Recorder::new(self.recorded(), steps + 1);
        recorder.frame(self.recorded());
        for _ in 0..steps {
            step(self);
            recorder.frame(self.recorded());
        }
        recorder.finish(self.recorded())
    }

    /// The world as it is, as a recording of one frame: poses of its characters, everything else that is drawn, and measures.
    pub fn look(&self) -> Recording {
        let mut recorder = Recorder::new(self.recorded(), 1);
        recorder.frame(self.recorded());
        recorder.finish(self.recorded())
    }

    /// The same into what an earlier look at this world gave: who the characters are is not copied again.
    pub fn look_again(&self, seen: &mut Recording) {
        recorder::look_again(self.recorded(), seen);
    }

    fn recorded(&self) -> &dyn Observe {
        match &self.0 {
            Inner::Particles(world) => &**world,
            Inner::Bodies(world) => &**world,
        }
    }
}
