//! What is wanted becomes drives between the bodies of a ragdoll of particles.
//!
//! ```text
//! drive     spring and damper by the inertia of all that hangs on the joint, in the pose of the moment
//! lead      the field of the hand as a force on every particle
//! moment    known beforehand: a couple on the four particles of child and parent, f_i = m_i (J⁻¹ M) × r_i
//! ```
//! Specification: mathematics 3.14, 8.1 (R18 to R20).

use glam::{DMat3, DVec3};

use super::drive::Led;
use super::lead;
use super::{Figure, Sensed, Wanted};
use crate::particles::{Drive, World};
use crate::ragdoll::Ragdoll;

/// The drives of a ragdoll's joints in its world.
#[derive(Clone, Debug, PartialEq)]
pub struct ParticleDrives {
    /// Where its drives begin in the model.
    first: usize,
    /// Its bodies: particles, and mass of each.
    bodies: Vec<([usize; 4], f64)>,
    /// Parent and child of each joint.
    links: Vec<[usize; 2]>,
}

impl ParticleDrives {
    /// Gives every joint of `ragdoll` a drive in the model of a world it will be part of: the ragdoll's own, before it is added, or
    /// that of the whole with [`Ragdoll::first`] set.
    pub fn add(figure: &Figure, ragdoll: &Ragdoll, model: &mut crate::particles::Model) -> Self {
        let first = model.drives.len();
        for link in &figure.links {
            let [a, b] = link
                .bodies
                .map(|body| DVec3::AXES.map(|axis| ragdoll.bodies[body].body.direction(ragdoll.particle(body), axis)));
            model.drives.push(Drive::idle(a, b));
        }
        let body = |(index, body): (usize, &crate::ragdoll::BoneBody)| {
            let from = ragdoll.particle(index);
            ([from, from + 1, from + 2, from + 3], body.body.particle_mass)
        };
        let bodies = ragdoll.bodies.iter().enumerate().map(body).collect();
        Self { first, bodies, links: figure.links.iter().map(|link| link.bodies).collect() }
    }

    /// Drives the joints and leads the whole during the next step. Returns what the leading hand does.
    pub fn want(&self, figure: &Figure, wanted: &Wanted, sensed: &Sensed, world: &mut World) -> Led {
        let step = world.settings.time_step;
        let substeps = f64::from(world.settings.substeps.max(1));
        let early = 0.5 * step * (1.0 - 1.0 / substeps);
        let hanging = self.hanging(figure, sensed, &world.state.positions);
        for (index, aim) in wanted.aims.iter().enumerate() {
            let Some(drive) = world.drives().get_mut(self.first + index) else { break };
            let strength = if aim.strength.is_finite() { aim.strength.clamp(0.0, 1.0) } else { 0.0 };
            let share = libm::sqrt(strength);
            drive.target = (crate::math::rotation::exp(aim.rate * -early) * aim.turn).normalize();
            drive.rate = aim.rate;
            drive.inertia = hanging[index];
            drive.frequency = aim.frequency * share;
            drive.damping_ratio = aim.damping_ratio * share;
            drive.most = aim.most * strength;
            if strength > 0.0 {
                let [parent, child] = self.links[index];
                world.wake(self.bodies[child].0[0]);
                if aim.moment.is_finite() && aim.moment != DVec3::ZERO {
                    self.turn(world, child, aim.moment);
                    self.turn(world, parent, -aim.moment);
                }
            }
        }
        let Some(hand) = &wanted.lead else { return Led::default() };
        let field = lead::field(hand, sensed);
        let mut led = Led::default();
        for (particles, mass) in &self.bodies {
            for &particle in particles {
                let place = world.state.positions[particle];
                let force = field.at(place) * *mass;
                led.force += force;
                led.moment += (place - sensed.mass_center).cross(force);
                world.push(particle, force);
            }
        }
        led
    }

    /// Lets go of every joint.
    pub fn release(&self, world: &mut World) {
        for drive in world.drives().iter_mut().skip(self.first).take(self.links.len()) {
            drive.frequency = 0.0;
        }
    }

    /// A moment on a body, newton metres, during the next step.
    fn turn(&self, world: &mut World, body: usize, moment: DVec3) {
        let (particles, mass) = self.bodies[body];
        let places = particles.map(|particle| world.state.positions[particle]);
        let center = (places[0] + places[1] + places[2] + places[3]) * 0.25;
        let inertia = around(&places, mass, center);
        if inertia.determinant() <= 0.0 {
            return;
        }
        let turning = inertia.inverse() * moment;
        for (particle, place) in particles.into_iter().zip(places) {
            world.push(particle, turning.cross(place - center) * mass);
        }
    }

    /// Inertia about each joint of all that hangs on it, kg m², world axes.
    fn hanging(&self, figure: &Figure, sensed: &Sensed, positions: &[DVec3]) -> Vec<DMat3> {
        let mut own: Vec<bool> = vec![false; figure.bodies.len()];
        (figure.links.iter())
            .map(|link| {
                let at = sensed.pose[link.bone].0;
                own.fill(false);
                own[link.bodies[1]] = true;
                let mut sum = DMat3::ZERO;
                for other in &figure.links {
                    own[other.bodies[1]] |= own[other.bodies[0]] && other.bodies[1] != link.bodies[0];
                }
                for (_, (particles, mass)) in
                    self.bodies.iter().zip(&own).filter(|(_, own)| **own).map(|(body, _)| (0, body))
                {
                    sum += around(&particles.map(|particle| positions[particle]), *mass, at);
                }
                sum
            })
            .collect()
    }
}

/// Inertia of four equal masses about a place.
fn around(places: &[DVec3; 4], mass: f64, at: DVec3) -> DMat3 {
    places.iter().fold(DMat3::ZERO, |sum, place| {
        let r = *place - at;
        let outer = DMat3::from_cols(r * r.x, r * r.y, r * r.z);
        sum + (DMat3::from_diagonal(DVec3::splat(r.length_squared())) - outer) * mass
    })
}
