//! A particle world: a model with its constants, state and scratch.
//!
//! ```
//! use muybridge::glam::DVec3;
//! use muybridge::particles::{Distance, Model, Settings, World};
//!
//! let model = Model {
//!     positions: vec![DVec3::ZERO, DVec3::X],
//!     velocities: vec![DVec3::ZERO; 2],
//!     masses: vec![f64::INFINITY, 1.0],
//!     distances: vec![Distance::rigid([0, 1], 1.0)],
//!     ..Model::default()
//! };
//! let mut pendulum = World::new(model, Settings::default())?;
//! for _ in 0..60 {
//!     pendulum.step();
//! }
//! assert!(pendulum.worst_stretch() < 1e-2);
//! # Ok::<(), muybridge::particles::ModelError>(())
//! ```

mod constants;
mod prepared;
mod scratch;

pub(crate) use constants::{Constants, PassKind};
pub(crate) use prepared::{Local, PreparedModel, Ready};
pub(crate) use scratch::{ConstraintMultipliers, Scratch};

use super::model::Model;
use super::model_error::{self, ModelError};
use super::settings::Settings;
use super::state::State;
use super::step;
use super::verlet;
use crate::collision::Obstacle;

/// A particle model that runs. Nothing changes between calls of [`World::step`].
#[derive(Clone, Debug)]
pub struct World {
    pub(crate) model: Model,
    pub(crate) constants: Constants,
    /// Settings of the steps; may change between steps. A change wakes no sleeping island: see [`World::wake_all`].
    pub settings: Settings,
    /// Obstacles. They move with their velocities during a step; a moving obstacle wakes islands near it. The removal
    /// of an obstacle wakes nothing: see [`World::wake_all`].
    pub obstacles: Vec<Obstacle>,
    /// The current state, without obstacle poses and contact impulses; [`World::save`] adds both.
    pub state: State,
    pub(crate) scratch: Scratch,
}

impl World {
    /// Checks every index and number of the model and prepares to step.
    ///
    /// # Errors
    /// The first invalid entry, with its list, index and problem. Settings without a positive time step are reported as
    /// entry 0 of the list `settings`.
    pub fn new(model: Model, settings: Settings) -> Result<Self, ModelError> {
        model_error::check(&model)?;
        if !(settings.time_step > 0.0 && settings.time_step.is_finite()) {
            let problem = format!("have a time step of {} s; it must be a positive number", settings.time_step);
            return Err(ModelError { list: "settings", index: 0, problem });
        }
        let constants = Constants::of(&model);
        let state = start(&model, &settings);
        let scratch = Scratch::of(&model, &constants);
        Ok(Self { model, constants, settings, obstacles: Vec::new(), state, scratch })
    }

    /// The model of the world.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Advances the world by the time step of the settings.
    pub fn step(&mut self) {
        self.step_by(self.settings.time_step);
    }

    /// Advances the world by `seconds` (3.1.2). Nothing changes if that is not a positive number, or if the lists of
    /// the state do not fit the model. Numbers in state or settings that are not finite give non-finite positions in
    /// the islands they act on.
    pub fn step_by(&mut self, seconds: f64) {
        if seconds > 0.0 && seconds.is_finite() && self.fits(&self.state) {
            let Self { model, constants, settings, obstacles, state, scratch } = self;
            step::step(step::Fixed { model, constants, settings }, obstacles, state, scratch, seconds);
        }
    }

    /// Saves the state that [`World::restore`] continues from.
    pub fn save(&self) -> State {
        let places = self.obstacles.iter().map(|obstacle| (obstacle.position, obstacle.rotation)).collect();
        let (held, lanes) = (self.scratch.contacts.held().collect(), self.scratch.ragdolls.save());
        State { obstacles: places, held, lanes, ..self.state.clone() }
    }

    /// Continues from a saved state, bit for bit.
    ///
    /// # Errors
    /// A [`ModelError`] if the number of particles or of obstacles differs.
    pub fn restore(&mut self, state: State) -> Result<(), ModelError> {
        if !self.fits(&state) {
            let (has, needs) = (state.positions.len(), self.model.positions.len());
            let problem = format!(
                "has {has} positions, or other lists of the wrong length, but the model has {needs} particles; restore a state of this model"
            );
            return Err(ModelError { list: "state", index: 0, problem });
        }
        if !state.obstacles.is_empty() && state.obstacles.len() != self.obstacles.len() {
            let problem = format!(
                "has {} obstacles, but the world has {}; restore a state of this world",
                state.obstacles.len(),
                self.obstacles.len()
            );
            return Err(ModelError { list: "state", index: 0, problem });
        }
        for (obstacle, (position, rotation)) in self.obstacles.iter_mut().zip(&state.obstacles) {
            (obstacle.position, obstacle.rotation) = (*position, *rotation);
        }
        self.scratch.reserve_drags(state.drags.len());
        self.scratch.contacts.hold(state.held);
        self.scratch.ragdolls.restore(&state.lanes);
        self.state = State { obstacles: Vec::new(), held: Vec::new(), lanes: Vec::new(), ..state };
        Ok(())
    }

    fn fits(&self, state: &State) -> bool {
        let count = self.model.positions.len();
        let State { positions, previous, earlier, rounding, forces, resting_at, .. } = state;
        let vectors = [positions, previous, earlier, rounding, forces, resting_at];
        let inside = |particles: &[usize; 4]| particles.iter().all(|&particle| particle < count);
        vectors.iter().all(|list| list.len() == count)
            && state.pins.len() == count
            && state.rested.len() == count
            && state.drags.iter().all(|drag| inside(&drag.point.particles))
    }
}

/// Initial state of a model (3.1.1).
fn start(model: &Model, settings: &Settings) -> State {
    let (count, seconds) = (model.positions.len(), settings.substep());
    let ago = |seconds: f64| {
        let acceleration = settings.acceleration();
        let one = |particle: usize| {
            let (position, velocity) = (model.positions[particle], model.velocities[particle]);
            let falls = model.masses[particle].is_finite();
            if falls { verlet::start(position, velocity, acceleration, seconds) } else { position }
        };
        (0..count).map(one).collect()
    };
    State {
        positions: model.positions.clone(),
        previous: ago(seconds),
        forces: vec![glam::DVec3::ZERO; count],
        pins: vec![None; count],
        rested: vec![0; count],
        resting_at: model.positions.clone(),
        steps: 0,
        last_substep: seconds,
        earlier: ago(2.0 * seconds),
        rounding: vec![glam::DVec3::ZERO; count],
        span: 2.0 * seconds,
        drags: Vec::new(),
        obstacles: Vec::new(),
        held: Vec::new(),
        lanes: Vec::new(),
        blows: Vec::new(),
        taut: Vec::new(),
    }
}
