//! A world of particles as one that runs scenes.

use glam::DVec3;

use super::World;
use crate::character::Character;
use crate::particles::{self, Point};
use crate::ragdoll::Ragdoll;
use crate::simulation::backend::Backend;
use crate::simulation::build::{Holder, ParticleSceneBody};
use crate::simulation::direction::GoalState;
use crate::simulation::grasp::{GraspTarget, HandError, nearest};
use crate::simulation::herds::Running;
use crate::simulation::input_log::Fingerprint;
use crate::simulation::recorder::Touched;
use crate::simulation::scene::slot::PartPath;
use crate::simulation::scene::{FilePlaces, Setting, Solver};
use crate::simulation::touches::ContactMark;
use crate::simulation::world::{Count, OtherScene, WorldState};

impl Backend for World {
    fn boxed(&self) -> Box<dyn Backend> {
        Box::new(self.clone())
    }

    fn arrange(&mut self, places: &FilePlaces, notes: Vec<String>) {
        self.order = places.cast(&self.scene, self.actors.iter().map(|actor| actor.name.as_str()));
        self.notes.splice(0..0, notes);
    }

    fn notes(&self) -> &[String] {
        &self.notes
    }

    fn step(&mut self) {
        self.begin_step();
        self.end_step();
    }

    fn steps(&self) -> u64 {
        self.particles.state.steps
    }

    fn save(&self) -> WorldState {
        let goals = self.directions.iter().map(|own| (own.direction.clone(), own.before.clone()));
        WorldState {
            particles: Some(Box::new(self.particles.save())),
            herds: self.herds.iter().map(Running::save).collect(),
            behavior: self.acting.as_ref().map(|acting| Box::new(acting.controller.state.clone())),
            goals: GoalState(goals.collect()),
            ..WorldState::default()
        }
    }

    fn restore(&mut self, state: WorldState) -> Result<(), OtherScene> {
        let controller = self.acting.as_ref().map(|acting| &acting.controller);
        state.check(false, controller, self.directions.iter().map(|own| &own.direction))?;
        let WorldState { particles: Some(particles), herds, behavior, goals, .. } = state else {
            return Err(OtherScene::method());
        };
        if herds.len() != self.herds.len() {
            let problem = format!("it has {} herds, but this scene has {}", herds.len(), self.herds.len());
            return Err(OtherScene { problem });
        }
        self.particles.restore(*particles).map_err(|error| OtherScene { problem: error.to_string() })?;
        if let (Some(acting), Some(state)) = (&mut self.acting, behavior) {
            acting.controller.state = *state;
        }
        for (running, state) in self.herds.iter_mut().zip(&herds) {
            running.herd.restore(state);
        }
        for (own, goals) in self.directions.iter_mut().zip(goals.0) {
            (own.direction, own.before) = goals;
        }
        Ok(())
    }

    fn tune(&mut self, setting: &Setting, solver: &Solver) {
        self.particles.settings = solver.in_effect(&self.scene).settings(setting);
        self.particles.settings.lanes &= self.acting.is_none();
        self.herds.iter_mut().for_each(|running| running.tune(setting, solver));
    }

    fn wake_all(&mut self) {
        self.particles.wake_all();
        self.herds.iter_mut().for_each(|running| running.herd.wake_all());
    }

    fn fingerprint(&self, sum: &mut Fingerprint) {
        sum.particles(&self.particles.state);
        self.herds.iter().for_each(|running| sum.herd(running));
    }

    fn count(&self) -> Count {
        let model = self.particles.model();
        Count {
            particles: self.particles.state.positions.len() - model.proxy_particles(),
            limited_joints: model.swing_twist_limits().count() + model.hinge_limits().count(),
            ..Count::default()
        }
    }

    fn mass(&self) -> f64 {
        let model = self.particles.model();
        let masses = model.masses[model.proxy_particles()..].iter().copied().filter(|mass| mass.is_finite());
        masses.chain(self.herds.iter().map(Running::mass)).fold(0.0, |sum, mass| sum + mass)
    }

    fn touches(&self) -> Vec<ContactMark> {
        self.particles.touches().map(|(place, normal)| ContactMark { place, normal }).collect()
    }

    fn grasp(&self, part: &PartPath, place: DVec3) -> Option<GraspTarget> {
        let positions = &self.particles.state.positions;
        let point = match self.names.get(part.thing())? {
            Holder::Actor(index) => {
                let ragdoll = &self.actors[*index].ragdoll;
                let pose = ragdoll.pose(positions);
                let bone = match part.bone() {
                    Some(_) => self.actors[*index].bone(part).ok()?,
                    None => nearest(ragdoll.bodies.iter().map(|body| body.bone), |bone| pose[bone].0, place)?,
                };
                let (position, rotation) = pose[bone];
                ragdoll.point(bone, rotation.conjugate() * (place - position))?
            }
            Holder::Solid(index) => {
                let ParticleSceneBody { body, first, .. } = &self.solids[*index];
                let (position, rotation) = body.frame(&[0, 1, 2, 3].map(|corner| positions[first + corner]));
                body.point(*first, rotation.conjugate() * (place - position))
            }
            Holder::Particles(particles) => {
                let masses = &self.particles.model().masses;
                let moves = particles.clone().filter(|&particle| masses[particle].is_finite());
                nearest(moves, |particle| positions[particle], place).map(Point::at)?
            }
        };
        Some(GraspTarget::Point(point))
    }

    fn held_place(&self, held: GraspTarget) -> Option<DVec3> {
        let GraspTarget::Point(point) = held else { return None };
        let positions = &self.particles.state.positions;
        point.particles.iter().all(|&particle| particle < positions.len()).then(|| point.position(positions))
    }

    fn pull(&mut self, held: GraspTarget, to: DVec3, most_force: f64) -> Result<(), HandError> {
        Ok(self.particles.drag(held.point()?, to, most_force)?)
    }

    fn hit(&mut self, held: GraspTarget, impulse: DVec3) -> Result<(), HandError> {
        let point = held.point()?;
        let place = point.position(&self.particles.state.positions);
        for (particle, weight) in point.particles.into_iter().zip(point.weights).filter(|part| part.1 != 0.0) {
            self.particles.hit(particle, impulse * weight)?;
        }
        let force = impulse / self.particles.settings.time_step;
        let (step, on) = (self.steps() + 1, self.holder_of(point.particles[0]).to_owned());
        Touched { step, on, force, place }.note(&mut self.touched);
        Ok(())
    }

    fn let_go(&mut self, held: GraspTarget) -> Result<(), HandError> {
        Ok(self.particles.release(&held.point()?)?)
    }

    fn particles(&self) -> Option<&particles::World> {
        Some(&self.particles)
    }

    fn particles_mut(&mut self) -> Option<&mut particles::World> {
        Some(&mut self.particles)
    }

    fn ragdoll(&self, name: &str) -> Option<(&Ragdoll, &Character)> {
        let actor = self.actors.iter().find(|actor| actor.name == name)?;
        Some((&actor.ragdoll, &actor.character))
    }
}
