//! What is wanted becomes drives between the bodies of a ragdoll of particles.
//!
//! ```text
//! drive     spring and damper by the inertia that a turn of the joint feels, in the pose of the moment
//! lead      the field of the hand as a force on every particle
//! moment    known beforehand: a couple on the four particles of child and parent, f_i = m_i (J⁻¹ M) × r_i
//! ```
//! Specification: mathematics 3.14, 8.1 (R18 to R20).

use glam::{DMat3, DVec3};

use super::drive::Led;
use super::figure::Link;
use super::lead;
use super::{Figure, Sensed, Wanted};
use crate::math::rotation::cross_matrix;
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
        let felt = self.felt(figure, sensed, world);
        for (index, aim) in wanted.aims.iter().enumerate() {
            let Some(drive) = world.drives().get_mut(self.first + index) else { break };
            let strength = if aim.strength.is_finite() { aim.strength.clamp(0.0, 1.0) } else { 0.0 };
            let share = libm::sqrt(strength);
            drive.target = (crate::math::rotation::exp(aim.rate * -early) * aim.turn).normalize();
            drive.rate = aim.rate;
            drive.inertia = felt[index];
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

    /// What a turn of each joint feels while all others are locked, kg m², world axes.
    fn felt(&self, figure: &Figure, sensed: &Sensed, world: &World) -> Vec<DMat3> {
        let mut beyond = vec![false; self.bodies.len()];
        let felt = |link: &Link| {
            beyond.fill(false);
            beyond[link.bodies[1]] = true;
            for other in &figure.links {
                beyond[other.bodies[1]] |= beyond[other.bodies[0]] && other.bodies[1] != link.bodies[0];
            }
            let pieces = [false, true].map(|side| self.piece(world, |body| beyond[body] == side));
            pieces_feel(&pieces, sensed.pose[link.bone].0)
        };
        figure.links.iter().map(felt).collect()
    }

    /// Mass, center and inverse inertia about it of some of the bodies; of no mobility where one of them is pinned.
    fn piece(&self, world: &World, is_of_it: impl Fn(usize) -> bool) -> Piece {
        let own = || self.bodies.iter().enumerate().filter(|(body, _)| is_of_it(*body)).map(|(_, own)| own);
        let places = |particles: &[usize; 4]| particles.map(|particle| world.state.positions[particle]);
        let mass: f64 = own().map(|(_, mass)| 4.0 * mass).sum();
        let moment: DVec3 = own().map(|(particles, mass)| places(particles).iter().sum::<DVec3>() * *mass).sum();
        let is_held =
            own().any(|(particles, _)| particles.iter().any(|&particle| world.state.pins[particle].is_some()));
        if is_held || mass <= 0.0 {
            return Piece { center: DVec3::ZERO, per_mass: 0.0, per_inertia: DMat3::ZERO };
        }
        let center = moment / mass;
        let inertia = own().fold(DMat3::ZERO, |sum, (particles, mass)| sum + around(&places(particles), *mass, center));
        Piece { center, per_mass: 1.0 / mass, per_inertia: inertia.inverse() }
    }
}

/// A rigid piece; zeros where it is held.
#[derive(Clone, Copy)]
struct Piece {
    center: DVec3,
    per_mass: f64,
    per_inertia: DMat3,
}

/// The inertia of a turn of two pieces against each other that are pinned at a place: the inverse of `A − Bᵀ K⁻¹ B`,
/// `A = Σ I⁻¹`, `B = −Σ [r]× I⁻¹`, `K = Σ 1/m − [r]× I⁻¹ [r]×`, r from the center to the pin.
fn pieces_feel(pieces: &[Piece; 2], at: DVec3) -> DMat3 {
    let (mut a, mut b, mut k) = (DMat3::ZERO, DMat3::ZERO, DMat3::ZERO);
    for piece in pieces {
        let arm = if piece.per_mass > 0.0 { cross_matrix(at - piece.center) } else { DMat3::ZERO };
        a += piece.per_inertia;
        b -= arm * piece.per_inertia;
        k += DMat3::from_diagonal(DVec3::splat(piece.per_mass)) - arm * piece.per_inertia * arm;
    }
    let felt = (a - b.transpose() * k.inverse() * b).inverse();
    if felt.is_finite() { felt } else { DMat3::ZERO }
}

/// Inertia of four equal masses about a place.
fn around(places: &[DVec3; 4], mass: f64, at: DVec3) -> DMat3 {
    places.iter().fold(DMat3::ZERO, |sum, place| {
        let r = *place - at;
        let outer = DMat3::from_cols(r * r.x, r * r.y, r * r.z);
        sum + (DMat3::from_diagonal(DVec3::splat(r.length_squared())) - outer) * mass
    })
}
