//! Ready objects that are pushed into a [`Model`]: rope, flail, cloth, plant, rigid bodies.
//!
//! Each is a plain description with defaults. `add_to(&mut model)` checks it, pushes particles, constraints and
//! colliders, and returns their indices. Specification: mathematics 3.10, 3.11 (J11, J14, J17, R27).

pub mod bodies;
pub mod cloth;
pub mod error;
pub(crate) mod geodesic;
pub mod grid;
pub(crate) mod mesh;
pub mod plant;
pub mod rope;

pub use bodies::{Box3, RegularTetrahedron};
pub use cloth::{Bending, Cloth};
pub use error::ObjectError;
pub use grid::{CellShape, Grid};
pub use plant::Plant;
pub use rope::{Flail, Rope};

use core::ops::Range;

use glam::DVec3;

use super::model::{Distance, Model, Object};

/// Place of a pushed object in the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectRange {
    /// Index into [`Model::objects`].
    pub object: usize,
    /// Range of the object's particles, in the order that the description states.
    pub particles: Range<usize>,
}

/// Contact and solver properties that every object has besides its shape.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Traits {
    /// Coulomb friction coefficient of the object's colliders.
    pub friction: f64,
    /// Restitution: share of the normal speed that comes back at a hit, 0 to 1.
    pub restitution: f64,
    /// Damping rate of the object's velocities, 1/s.
    pub drag: f64,
    /// Rolling resistance of the object's bodies against obstacles, meters.
    pub rolling: f64,
    /// Whether colliders of the object touch each other.
    pub touches_itself: bool,
    /// Passes over the object's constraints per substep; `None`: those of the settings.
    pub iterations: Option<u32>,
    /// Least passes in modes with multipliers, where `iterations` says nothing.
    pub least_iterations: u32,
}

impl Default for Traits {
    fn default() -> Self {
        Self {
            friction: 0.5,
            restitution: 0.0,
            drag: 0.1,
            rolling: 0.0,
            touches_itself: false,
            iterations: None,
            least_iterations: 1,
        }
    }
}

impl Traits {
    pub(crate) fn check(&self) -> Result<(), ObjectError> {
        error::not_negative("the friction", self.friction)?;
        error::not_negative("the restitution", self.restitution)?;
        error::not_negative("the drag", self.drag)?;
        error::not_negative("the rolling resistance", self.rolling)?;
        Ok(())
    }

    /// Pushes the object that consists of all particles from `first` on.
    pub(crate) fn close(&self, model: &mut Model, first: usize) -> ObjectRange {
        let particles = first..model.positions.len();
        let object = model.objects.len();
        model.objects.push(Object {
            particles: particles.clone(),
            iterations: self.iterations,
            least_iterations: self.least_iterations,
            touches_itself: self.touches_itself,
            friction: self.friction,
            restitution: self.restitution,
            drag: self.drag,
            rolling: self.rolling,
        });
        ObjectRange { object, particles }
    }
}

/// Pushes a particle and returns its index.
pub(crate) fn particle(model: &mut Model, position: DVec3, velocity: DVec3, mass: f64) -> usize {
    model.positions.push(position);
    model.velocities.push(velocity);
    model.masses.push(mass);
    model.positions.len() - 1
}

/// Pushes a stick whose rest length is the current distance of its ends.
pub(crate) fn stick(model: &mut Model, particles: [usize; 2], compliance: f64) {
    let length = model.positions[particles[0]].distance(model.positions[particles[1]]);
    model.distances.push(Distance { compliance, ..Distance::rigid(particles, length) });
}

/// Pushes a distance constraint with an upper limit only, meters.
pub(crate) fn tether(model: &mut Model, particles: [usize; 2], most: f64) {
    model.distances.push(Distance { least: 0.0, most, ..Distance::rigid(particles, most) });
}
