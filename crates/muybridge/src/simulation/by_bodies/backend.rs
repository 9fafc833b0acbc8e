//! A world of rigid bodies as one that runs scenes. Cloth, plants and points beside them are a world of particles, which answers
//! for itself.

use glam::DVec3;

use super::herds::InLanes;
use super::{World, actions, obstacles, rest};
use crate::behavior::action::controller::motion;
use crate::behavior::action::operational_space::OperationalInertia;
use crate::behavior::action::{BodyPoint, Gains};
use crate::character::Character;
use crate::particles;
use crate::ragdoll::RigidRagdoll;
use crate::rigid;
use crate::simulation::backend::Backend;
use crate::simulation::by_particles;
use crate::simulation::direction::GoalState;
use crate::simulation::grasp::{GraspTarget, HandError, nearest};
use crate::simulation::input_log::Fingerprint;
use crate::simulation::recorder::Touched;
use crate::simulation::scene::slot::PartPath;
use crate::simulation::scene::{FilePlaces, Method, Setting, Solver};
use crate::simulation::touches::{ContactMark, TOUCHING};
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
        actions::act(self);
        self.controller.act(&mut self.bodies);
        let (time, step) = (self.bodies.time(), self.bodies.settings.time_step);
        if obstacles::place(&mut self.bodies.model.obstacles, &self.obstacles, time, step) {
            for tree in 0..self.bodies.state.asleep.len() {
                rest::wake(&mut self.bodies.state, tree);
            }
        }
        match &mut self.soft {
            Some(soft) => soft.step(&mut self.bodies),
            None => self.bodies.step(),
        }
        actions::follow(self);
        self.controller.sense_contacts(&self.bodies);
        self.in_lanes.iter_mut().for_each(InLanes::step);
    }

    fn steps(&self) -> u64 {
        self.bodies.state.steps
    }

    fn save(&self) -> WorldState {
        let goals = self.directions.iter().map(|own| (own.direction.clone(), None));
        WorldState {
            bodies: Some(Box::new(self.bodies.state.clone())),
            behavior: Some(Box::new(self.controller.state.clone())),
            goals: GoalState(goals.collect()),
            crowds: self.in_lanes.iter().map(|herd| herd.crowd.save()).collect(),
            ..self.soft().map_or_else(WorldState::default, by_particles::World::save)
        }
    }

    fn restore(&mut self, state: WorldState) -> Result<(), OtherScene> {
        state.check(true, Some(&self.controller), self.directions.iter().map(|own| &own.direction))?;
        let other = |problem: String| Err(OtherScene { problem });
        let WorldState { particles, bodies: Some(bodies), behavior: Some(behavior), goals, crowds, .. } = state else {
            return Err(OtherScene::method());
        };
        let sizes = |state: &rigid::State| (state.poses.len(), state.multipliers[0].len(), state.asleep.len());
        if sizes(&bodies) != sizes(&self.bodies.state) {
            let (found, wanted) = (bodies.poses.len(), self.bodies.state.poses.len());
            return other(format!("it has {found} bodies and this scene has {wanted}, or their joints differ"));
        }
        let fit = self.in_lanes.iter().zip(&crowds).all(|(own, state)| own.crowd.fits(state));
        if crowds.len() != self.in_lanes.len() || !fit {
            return other("its herds have other ragdolls".into());
        }
        match (&mut self.soft, particles) {
            (Some(own), particles @ Some(_)) => own.world.restore(WorldState { particles, ..WorldState::default() })?,
            (None, None) => {}
            _ => return other("it has other cloth, plants or points".into()),
        }
        for (own, state) in self.in_lanes.iter_mut().zip(crowds) {
            own.crowd.restore(state);
        }
        (self.bodies.state, self.controller.state) = (*bodies, *behavior);
        for (own, (goals, _)) in self.directions.iter_mut().zip(goals.0) {
            own.direction = goals;
        }
        Ok(())
    }

    fn tune(&mut self, setting: &Setting, solver: &Solver) {
        let method = match solver.method {
            Method::Particles => self.scene.solver.method,
            of_bodies => of_bodies,
        };
        let solver = Solver { method, ..solver.clone() };
        self.bodies.settings = solver.rigid_settings(setting);
        self.in_lanes.iter_mut().for_each(|herd| herd.tune(setting, &solver));
        self.soft.iter_mut().for_each(|soft| soft.world.tune(setting, &solver));
    }

    fn wake_all(&mut self) {
        self.bodies.wake_all();
        self.soft.iter_mut().for_each(|soft| soft.world.wake_all());
    }

    fn fingerprint(&self, sum: &mut Fingerprint) {
        sum.rigid(&self.bodies);
        self.in_lanes.iter().for_each(|herd| sum.crowd(&herd.crowd));
        self.soft().into_iter().for_each(|soft| soft.fingerprint(sum));
    }

    fn count(&self) -> Count {
        let soft = self.soft().map(by_particles::World::count).unwrap_or_default();
        Count {
            bodies: self.own + self.in_lanes.iter().map(InLanes::bodies).sum::<usize>(),
            limited_joints: self.bodies.model.ranges.len() + soft.limited_joints,
            ..soft
        }
    }

    fn mass(&self) -> f64 {
        let own = self.bodies.model.bodies[..self.own].iter().map(|body| body.mass);
        let soft = self.soft().map(by_particles::World::mass);
        own.chain(self.in_lanes.iter().map(InLanes::mass)).chain(soft).fold(0.0, |sum, mass| sum + mass)
    }

    fn touches(&self) -> Vec<ContactMark> {
        let touching = self.bodies.contacts().iter().filter(|contact| contact.gap <= TOUCHING);
        let own = touching.map(|contact| ContactMark { place: contact.point, normal: contact.normal });
        own.chain(self.soft().into_iter().flat_map(by_particles::World::touches)).collect()
    }

    fn grasp(&self, part: &PartPath, place: DVec3) -> Option<GraspTarget> {
        if let Some(soft) = self.world_of_soft(part) {
            return soft.grasp(part, place);
        }
        let poses = &self.bodies.state.poses;
        let body = nearest(self.bodies_of(part)?, |body| poses[body].place(), place)?;
        let pose = &poses[body];
        Some(GraspTarget::Body(BodyPoint { body, in_body: pose.turn().conjugate() * (place - pose.place()) }))
    }

    fn held_place(&self, held: GraspTarget) -> Option<DVec3> {
        let GraspTarget::Body(point) = held else { return self.soft()?.held_place(held) };
        (point.body < self.bodies.model.bodies.len()).then(|| motion(&self.bodies, point).position)
    }

    fn pull(&mut self, held: GraspTarget, to: DVec3, most_force: f64) -> Result<(), HandError> {
        let GraspTarget::Body(point) = held else { return self.soft_mut()?.pull(held, to, most_force) };
        self.bodies.wake(point.body)?;
        let force = hand(&self.bodies, point, to).clamp_length_max(most_force.max(0.0));
        let place = motion(&self.bodies, point).position;
        self.bodies.push(point.body, force, place)?;
        self.note(point, force, place);
        Ok(())
    }

    fn hit(&mut self, held: GraspTarget, impulse: DVec3) -> Result<(), HandError> {
        let GraspTarget::Body(point) = held else { return self.soft_mut()?.hit(held, impulse) };
        let place = motion(&self.bodies, point).position;
        self.bodies.hit(point.body, impulse, place)?;
        self.note(point, impulse / self.bodies.settings.time_step, place);
        Ok(())
    }

    fn let_go(&mut self, held: GraspTarget) -> Result<(), HandError> {
        match held {
            GraspTarget::Body(_) => Ok(()),
            GraspTarget::Point(_) => self.soft_mut()?.let_go(held),
        }
    }

    fn particles(&self) -> Option<&particles::World> {
        self.soft()?.particles()
    }

    fn particles_mut(&mut self) -> Option<&mut particles::World> {
        self.soft.as_mut()?.world.particles_mut()
    }

    fn bodies(&self) -> Option<&rigid::World> {
        Some(&self.bodies)
    }

    fn bodies_mut(&mut self) -> Option<&mut rigid::World> {
        Some(&mut self.bodies)
    }

    fn rigid_ragdoll(&self, name: &str) -> Option<(&RigidRagdoll, &Character)> {
        let actor = self.actors.iter().find(|actor| actor.name == name)?;
        Some((&actor.ragdoll, &actor.character))
    }
}

impl World {
    /// The world of cloth, plants and points; `None` if the scene has none.
    fn soft(&self) -> Option<&by_particles::World> {
        self.soft.as_ref().map(|soft| &*soft.world)
    }

    /// The world of cloth, plants and points, for what is held there.
    fn soft_mut(&mut self) -> Result<&mut by_particles::World, HandError> {
        self.soft.as_mut().map(|soft| &mut *soft.world).ok_or(HandError::OtherWorld)
    }

    /// Notes a force (N) of the user on a body in the coming step.
    fn note(&mut self, point: BodyPoint, force: DVec3, place: DVec3) {
        let (step, on) = (self.bodies.state.steps + 1, self.holder_of(point.body).to_owned());
        Touched { step, on, force, place }.note(&mut self.touched);
    }
}

/// Seconds in which the distance to the hand falls to a third.
const HOLD: f64 = 0.05;

/// Force that brings a point to a place, newtons, before its limit is applied.
fn hand(world: &rigid::World, point: BodyPoint, to: DVec3) -> DVec3 {
    let h = world.settings.time_step;
    let Ok(gains) = Gains::critical(HOLD, h) else { return DVec3::ZERO };
    let now = motion(world, point);
    let wanted = (to - now.position) * (2.0 * gains.alpha() / (h * h)) - now.velocity * (2.0 * gains.beta() / h);
    let [x, y, z] = wanted.to_array().map(Some);
    let forces = OperationalInertia::of_one(world, point).forces(&[x, y, z, None, None, None], |_| true);
    let force = DVec3::new(forces[0], forces[1], forces[2]);
    if force.is_finite() { force } else { DVec3::ZERO }
}
