//! Rigid proxies of a scene of particles, on which its actions and plans are computed.
//!
//! ```text
//! scene ──► without soft things and external inputs ──► rigid bodies, joints, script ──► source particles of each body
//! ```

use glam::DVec3;

use super::{RigidHolder, World, behavior};
use crate::behavior::action::Controller;
use crate::behavior::action::rigid_proxy::{Likeness, ProxySource};
use crate::particles;
use crate::simulation::assets::Assets;
use crate::simulation::build;
use crate::simulation::by_particles;
use crate::simulation::scene::{Method, Scene, SceneError};

/// Controller of actions in a scene of particles, with the rigid proxies it works on.
#[derive(Clone, Debug)]
pub(in crate::simulation) struct Acting {
    likeness: Likeness,
    pub controller: Controller,
}

impl Acting {
    /// Prepares the actions and plans of a world of particles; `None` if the scene has none.
    pub fn new(of: &by_particles::World, assets: &Assets) -> Result<Option<Self>, SceneError> {
        if of.scene.actions.is_empty() && of.scene.plans.is_empty() {
            return Ok(None);
        }
        let mut world = World::new(likened(&of.scene), assets)?;
        let parts = parts(&world, of);
        let likeness = Likeness::new(world.bodies.clone(), parts, &of.particles);
        // Points of bodies are found from their present places.
        world.bodies = likeness.world.clone();
        let controller = behavior::controller(&world)?;
        Ok(Some(Self { likeness, controller }))
    }

    /// Applies plans and actions for the coming step.
    pub fn act(&mut self, particles: &mut particles::World) {
        self.likeness.act(&mut self.controller, particles);
    }

    /// Force and torque of each action in the last step, and the center of its body, meters.
    pub fn efforts<'a>(&'a self, of: &'a particles::World) -> impl Iterator<Item = ((DVec3, DVec3), DVec3)> + 'a {
        let centers = self.controller.actions().iter().map(|action| self.likeness.center(action.on.body, of));
        self.controller.efforts().iter().map(|effort| (effort.force, effort.torque)).zip(centers)
    }

    /// Reads contacts after the step.
    pub fn look(&mut self, particles: &particles::World) {
        self.likeness.sense_contacts(&mut self.controller, particles);
    }
}

/// Copy of a scene for multipliers, without inputs and without things that no joint can name: cloth, plants, points, obstacles.
fn likened(scene: &Scene) -> Scene {
    let mut own = scene.clone();
    own.solver.method = Method::Multipliers;
    own.herds.clear();
    own.cloths.clear();
    own.plants.clear();
    own.points.clear();
    own.limits.clear();
    own.obstacles.clear();
    own.winds.clear();
    own.follows.clear();
    own.stands.clear();
    own.looks.clear();
    own.reaches.clear();
    own.hits.clear();
    own.explosions.clear();
    own.pulls.clear();
    own
}

/// Source particles of each rigid proxy, matched by the names of things and bones.
fn parts(world: &World, of: &by_particles::World) -> Vec<ProxySource> {
    let mut parts = vec![ProxySource::Ball { particle: 0 }; world.bodies.model.bodies.len()];
    for (name, holder) in &world.names {
        match (holder, of.names.get(name)) {
            (RigidHolder::Actor(actor), Some(build::Holder::Actor(other))) => {
                let (own, other) = (&world.actors[*actor].ragdoll, &of.actors[*other].ragdoll);
                for (index, bone) in own.bodies.iter().enumerate() {
                    let Some(like) = other.bodies.iter().position(|body| body.bone == bone.bone) else { continue };
                    let (first, body) = (other.particle(like), other.bodies[like].body);
                    parts[own.first + index] = ProxySource::Body { first, body, frame: bone.frame };
                }
            }
            (RigidHolder::Solid(solid), Some(build::Holder::Solid(other))) => {
                let (own, other) = (&world.solids[*solid], &of.solids[*other]);
                parts[own.body] = ProxySource::Body { first: other.first, body: other.body, frame: own.frame };
            }
            (RigidHolder::Bodies(bodies), Some(build::Holder::Particles(particles))) => {
                for (link, body) in bodies.clone().enumerate() {
                    let first = particles.start + link;
                    parts[body] = if first + 1 < particles.end {
                        let pose = &world.bodies.state.poses[body];
                        let positions = &of.particles.state.positions;
                        let along = positions[first + 1] - positions[first];
                        let along = pose.turn().conjugate() * along.normalize_or_zero();
                        ProxySource::Link { ends: [first, first + 1], along, start: pose.turn() }
                    } else {
                        ProxySource::Ball { particle: first }
                    };
                }
            }
            _ => {}
        }
    }
    parts
}
