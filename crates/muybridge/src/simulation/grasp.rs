//! The user's hand in a running world: grasps, pulls and throws things with the mouse.
//!
//! ```text
//! particles   the held point reaches the hand within a frame, by no more than the force allowed     (`particles::World::drag`)
//! bodies      f = Λ (a − a₀),  a = α 2/h² (hand − x) − β 2/h v     Λ: operational-space inertia of the held point
//! ```
//! α and β are critically damped with a time constant of 0.05 s. A thing that is let go keeps its velocity. The hand is
//! no part of a scene: it is user input. Specification: mathematics 3.11.1, 5.4, 5.5 (J35).

use glam::DVec3;
use thiserror::Error;

use super::build::{Holder, ParticleSceneBody};
use super::recorder::Touched;
use super::scene::slot::PartPath;
use super::world::{Inner, World};
use super::{by_bodies, by_particles};
use crate::behavior::action::controller::motion;
use crate::behavior::action::operational_space::OperationalInertia;
use crate::behavior::action::{BodyPoint, Gains};
use crate::math::input_error::InputError;
use crate::particles::Point;

/// Seconds in which the distance to the hand falls to a third.
const HOLD: f64 = 0.05;

/// The reason why a hand cannot do something in a world. A refused action changes nothing.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum HandError {
    /// No thing or bone of that name moves.
    #[error("there is no “{part}” that moves")]
    NoPart {
        /// The name that was given.
        part: String,
    },
    /// A pull while the hand is empty.
    #[error("nothing is held")]
    NothingHeld,
    /// A grasp of a world with other things.
    #[error("what is held belongs to another world")]
    OtherWorld,
    /// A number that is not finite.
    #[error(transparent)]
    Input(#[from] InputError),
}

/// A grasp: a point fixed to a body or to particles of its world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grasp(GraspTarget);

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum GraspTarget {
    Point(Point),
    Body(BodyPoint),
}

impl World {
    /// Takes hold of a part ("box", "doll/hand") at a place (m) fixed to it. A thing that bends is held by its particle nearest to
    /// the place.
    ///
    /// # Errors
    /// If nothing of that name moves, or the place is not finite.
    pub fn grasp(&self, part: &PartPath, place: DVec3) -> Result<Grasp, HandError> {
        InputError::check_finite("the place of a hand", place)?;
        let held = match &self.0 {
            Inner::Particles(world) => world.grasp(part, place).map(GraspTarget::Point),
            Inner::Bodies(world) => match world.world_of_soft(part) {
                Some(soft) => soft.grasp(part, place).map(GraspTarget::Point),
                None => world.grasp(part, place).map(GraspTarget::Body),
            },
        };
        held.map(Grasp).ok_or_else(|| HandError::NoPart { part: part.0.clone() })
    }

    /// Position of the held point, meters; `None` for a grasp of another world.
    pub fn held_place(&self, grasp: &Grasp) -> Option<DVec3> {
        match (&self.0, grasp.0) {
            (inner, GraspTarget::Point(point)) => {
                let positions = &inner.points()?.particles.state.positions;
                point.particles.iter().all(|&particle| particle < positions.len()).then(|| point.position(positions))
            }
            (Inner::Bodies(world), GraspTarget::Body(point)) => {
                (point.body < world.bodies.model.bodies.len()).then(|| motion(&world.bodies, point).position)
            }
            _ => None,
        }
    }

    /// Pulls a held point towards a place (m) during the next step, with at most `most_force` newtons.
    ///
    /// # Errors
    /// If the grasp belongs to another world, the place is not finite, or the force is NaN.
    pub fn pull(&mut self, grasp: &Grasp, to: DVec3, most_force: f64) -> Result<(), HandError> {
        self.held_place(grasp).ok_or(HandError::OtherWorld)?;
        InputError::check_finite("the place to pull to", to)?;
        if most_force.is_nan() {
            return Err(InputError::NotFinite { what: "the greatest force", value: most_force }.into());
        }
        match (&mut self.0, grasp.0) {
            (inner, GraspTarget::Point(point)) => {
                let world = inner.points_mut().ok_or(HandError::OtherWorld)?;
                world.particles.drag(point, to, most_force)?;
            }
            (Inner::Bodies(world), GraspTarget::Body(point)) => {
                world.bodies.wake(point.body)?;
                let force = hand(&world.bodies, point, to).clamp_length_max(most_force.max(0.0));
                let at = motion(&world.bodies, point).position;
                world.bodies.push(point.body, force, at)?;
                let (step, on) = (world.bodies.state.steps + 1, world.holder_of(point.body).to_owned());
                note(&mut world.touched, Touched { step, on, force, place: at });
            }
            _ => {}
        }
        Ok(())
    }

    /// Gives a held point an impulse (N s), at once.
    ///
    /// # Errors
    /// If the grasp belongs to another world, or the impulse is not finite.
    pub fn hit(&mut self, grasp: &Grasp, impulse: DVec3) -> Result<(), HandError> {
        let place = self.held_place(grasp).ok_or(HandError::OtherWorld)?;
        InputError::check_finite("the impulse", impulse)?;
        match (&mut self.0, grasp.0) {
            (inner, GraspTarget::Point(point)) => {
                let world = inner.points_mut().ok_or(HandError::OtherWorld)?;
                for (particle, weight) in point.particles.into_iter().zip(point.weights).filter(|part| part.1 != 0.0) {
                    world.particles.hit(particle, impulse * weight)?;
                }
                let force = impulse / world.particles.settings.time_step;
                let (step, on) = (world.steps() + 1, world.holder_of(point.particles[0]).to_owned());
                note(&mut world.touched, Touched { step, on, force, place });
            }
            (Inner::Bodies(world), GraspTarget::Body(point)) => {
                world.bodies.hit(point.body, impulse, place)?;
                let force = impulse / world.bodies.settings.time_step;
                let (step, on) = (world.bodies.state.steps + 1, world.holder_of(point.body).to_owned());
                note(&mut world.touched, Touched { step, on, force, place });
            }
            _ => {}
        }
        Ok(())
    }

    /// Lets go of the held point.
    ///
    /// # Errors
    /// If the grasp belongs to another world.
    pub fn let_go(&mut self, grasp: &Grasp) -> Result<(), HandError> {
        self.held_place(grasp).ok_or(HandError::OtherWorld)?;
        if let (Some(world), GraspTarget::Point(point)) = (self.0.points_mut(), grasp.0) {
            world.particles.release(&point)?;
        }
        Ok(())
    }
}

/// Notes a user's force of the coming step and drops those of earlier steps.
fn note(touched: &mut Vec<Touched>, now: Touched) {
    touched.retain(|own| own.step == now.step);
    touched.push(now);
}

/// Force that brings a point to a place, newtons, before its limit is applied.
fn hand(world: &crate::rigid::World, point: BodyPoint, to: DVec3) -> DVec3 {
    let h = world.settings.time_step;
    let Ok(gains) = Gains::critical(HOLD, h) else { return DVec3::ZERO };
    let now = motion(world, point);
    let wanted = (to - now.position) * (2.0 * gains.alpha() / (h * h)) - now.velocity * (2.0 * gains.beta() / h);
    let [x, y, z] = wanted.to_array().map(Some);
    let forces = OperationalInertia::of_one(world, point).forces(&[x, y, z, None, None, None], |_| true);
    let force = DVec3::new(forces[0], forces[1], forces[2]);
    if force.is_finite() { force } else { DVec3::ZERO }
}

/// The index nearest to a place, the first if several are.
fn nearest(of: impl Iterator<Item = usize>, at: impl Fn(usize) -> DVec3, place: DVec3) -> Option<usize> {
    of.map(|index| (index, at(index).distance_squared(place)))
        .min_by(|a, b| a.1.total_cmp(&b.1))
        .map(|(index, _)| index)
}

impl by_bodies::World {
    fn grasp(&self, part: &PartPath, place: DVec3) -> Option<BodyPoint> {
        let bodies = self.bodies_of(part)?;
        let poses = &self.bodies.state.poses;
        let body = nearest(bodies, |body| poses[body].place(), place)?;
        let pose = &poses[body];
        Some(BodyPoint { body, in_body: pose.turn().conjugate() * (place - pose.place()) })
    }
}

impl by_particles::World {
    fn grasp(&self, part: &PartPath, place: DVec3) -> Option<Point> {
        match self.names.get(part.thing())? {
            Holder::Actor(index) => {
                let ragdoll = &self.actors[*index].ragdoll;
                let pose = ragdoll.pose(&self.particles.state.positions);
                let bone = match part.bone() {
                    Some(_) => self.actors[*index].bone(part).ok()?,
                    None => nearest(ragdoll.bodies.iter().map(|body| body.bone), |bone| pose[bone].0, place)?,
                };
                let (position, rotation) = pose[bone];
                ragdoll.point(bone, rotation.conjugate() * (place - position))
            }
            Holder::Solid(index) => {
                let ParticleSceneBody { body, first, .. } = &self.solids[*index];
                let corners = core::array::from_fn(|corner| self.particles.state.positions[first + corner]);
                let (position, rotation) = body.frame(&corners);
                Some(body.point(*first, rotation.conjugate() * (place - position)))
            }
            Holder::Particles(particles) => {
                let masses = &self.particles.model().masses;
                let moves = particles.clone().filter(|&particle| masses[particle].is_finite());
                nearest(moves, |particle| self.particles.state.positions[particle], place).map(Point::at)
            }
        }
    }
}

#[cfg(test)]
mod tests;
