//! The worlds that run scenes, behind one trait: a new kind of world implements it, and gets an arm in [`build`].

use core::fmt;

use glam::DVec3;

use super::assets::Assets;
use super::grasp::{GraspTarget, HandError};
use super::input_log::Fingerprint;
use super::recorder::Observe;
use super::scene::slot::PartPath;
use super::scene::{FilePlaces, Method, Scene, SceneError, Setting, Solver};
use super::touches::ContactMark;
use super::world::{Count, OtherScene, WorldState};
use super::{by_bodies, by_particles};
use crate::character::Character;
use crate::particles;
use crate::ragdoll::{Ragdoll, RigidRagdoll};
use crate::rigid;

/// Builds the world that runs a sorted scene.
pub(super) fn build(scene: Scene, assets: &Assets) -> Result<Box<dyn Backend>, SceneError> {
    Ok(match scene.body_method() {
        Method::Particles => Box::new(by_particles::World::new(scene, assets)?),
        Method::Multipliers | Method::Displacement | Method::Hennix => Box::new(by_bodies::World::new(scene, assets)?),
    })
}

/// A world that runs a scene and can be recorded.
pub(super) trait Backend: Observe + fmt::Debug + Send + Sync {
    /// A copy of this world.
    fn boxed(&self) -> Box<dyn Backend>;
    /// Shows the ragdolls in the order of the file. `notes` precede those of building.
    fn arrange(&mut self, places: &FilePlaces, notes: Vec<String>);
    /// Notes on what was changed or left out while building.
    fn notes(&self) -> &[String];
    /// Advances the world by one frame.
    fn step(&mut self);
    /// Steps since the start.
    fn steps(&self) -> u64;
    /// Saves the complete state.
    fn save(&self) -> WorldState;
    /// Continues from a saved state. Nothing has changed if it does not fit.
    fn restore(&mut self, state: WorldState) -> Result<(), OtherScene>;
    /// Takes the setting and solver of another scene.
    fn tune(&mut self, setting: &Setting, solver: &Solver);
    /// Wakes everything.
    fn wake_all(&mut self);
    /// Adds the state to a fingerprint.
    fn fingerprint(&self, sum: &mut Fingerprint);
    /// Number of particles and bodies.
    fn count(&self) -> Count;
    /// Total mass of everything that moves, kilograms.
    fn mass(&self) -> f64;
    /// Contact points of the last substep.
    fn touches(&self) -> Vec<ContactMark>;

    /// Takes hold of a part at a place (m); `None` if nothing of that name moves.
    fn grasp(&self, part: &PartPath, place: DVec3) -> Option<GraspTarget>;
    /// Position of a held point, meters; `None` if it is of another world.
    fn held_place(&self, held: GraspTarget) -> Option<DVec3>;
    /// Pulls a held point towards a place (m) during the next step, with at most `most_force` newtons.
    fn pull(&mut self, held: GraspTarget, to: DVec3, most_force: f64) -> Result<(), HandError>;
    /// Gives a held point an impulse (N s).
    fn hit(&mut self, held: GraspTarget, impulse: DVec3) -> Result<(), HandError>;
    /// Lets go of a held point.
    fn let_go(&mut self, held: GraspTarget) -> Result<(), HandError>;

    /// The particles; `None` if there are none.
    fn particles(&self) -> Option<&particles::World> {
        None
    }
    /// The particles; `None` if there are none.
    fn particles_mut(&mut self) -> Option<&mut particles::World> {
        None
    }
    /// The rigid bodies; `None` if there are none.
    fn bodies(&self) -> Option<&rigid::World> {
        None
    }
    /// The rigid bodies; `None` if there are none.
    fn bodies_mut(&mut self) -> Option<&mut rigid::World> {
        None
    }
    /// A ragdoll of particles by its name, with its character.
    fn ragdoll(&self, _name: &str) -> Option<(&Ragdoll, &Character)> {
        None
    }
    /// A ragdoll of rigid bodies by its name, with its character.
    fn rigid_ragdoll(&self, _name: &str) -> Option<(&RigidRagdoll, &Character)> {
        None
    }
}

impl Clone for Box<dyn Backend> {
    fn clone(&self) -> Self {
        self.boxed()
    }
}
