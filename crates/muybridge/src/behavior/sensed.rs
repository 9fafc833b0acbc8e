//! Sensor reading of a ragdoll: poses and motion of its bodies, its center of mass, and its contacts.
//!
//! ```text
//! c = Σ m_i x_i / M,   ċ = Σ m_i v_i / M,   H = Σ (x_i − c) × m_i v_i + I_i ω_i
//! ```
//! Specification: mathematics 6.2.

use glam::{DQuat, DVec3};

use super::posture::WorldPose;
use crate::math::rotation::angular_velocity;
use crate::particles;
use crate::ragdoll::{Ragdoll, RigidRagdoll};
use crate::rigid;

/// State of a ragdoll as a behavior senses it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sensed {
    /// Time since the start of the run, seconds.
    pub time: f64,
    /// Time until the next reading (the step of the world), seconds.
    pub step: f64,
    /// Gravity, meters per second squared.
    pub gravity: DVec3,
    /// World position (m) and orientation of every bone.
    pub pose: WorldPose,
    /// Motion of each body, in the order of the figure.
    pub motions: Vec<MassCenterMotion>,
    /// Total mass, kilograms.
    pub mass: f64,
    /// Center of mass, meters.
    pub mass_center: DVec3,
    /// Velocity of the center of mass, meters per second.
    pub velocity: DVec3,
    /// Angular momentum about the center of mass, kg m²/s.
    pub spin: DVec3,
    /// Contacts with anything that does not belong to the ragdoll.
    pub touches: Vec<SensedContact>,
}

/// Center of mass and velocities of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MassCenterMotion {
    /// Center of mass, meters.
    pub center: DVec3,
    /// Velocity of the center of mass, meters per second.
    pub velocity: DVec3,
    /// Angular velocity, radians per second, world axes.
    pub angular_velocity: DVec3,
}

/// Contact of a body with something outside of the ragdoll.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SensedContact {
    /// Index into the figure's bodies.
    pub body: usize,
    /// Contact point, meters.
    pub place: DVec3,
    /// Unit normal that points toward the body.
    pub normal: DVec3,
    /// Normal force in the last substep, newtons; 0 if unknown.
    pub force: f64,
}

impl Sensed {
    /// Reads the state of a ragdoll of rigid bodies in its world.
    pub fn of_rigid(ragdoll: &RigidRagdoll, world: &rigid::World) -> Self {
        let state = &world.state;
        let bodies = ragdoll.first..ragdoll.first + ragdoll.bodies.len();
        let mut sensed = Self {
            time: world.time(),
            step: world.settings.time_step,
            gravity: world.settings.gravity,
            pose: ragdoll.pose(&state.poses),
            ..Self::default()
        };
        for index in bodies.clone() {
            let (pose, momentum) = (&state.poses[index], &state.momenta[index]);
            let (velocity, angular_velocity) = momentum.velocities(&world.model.bodies[index], pose.turn());
            sensed.motions.push(MassCenterMotion { center: pose.place(), velocity, angular_velocity });
            sensed.spin += rigid::motion::vector(momentum.angular);
        }
        sensed.sum(&world.model.bodies[bodies.clone()].iter().map(|body| body.mass).collect::<Vec<f64>>());
        for contact in world.contacts() {
            let own = contact.bodies.map(|body| body.filter(|body| bodies.contains(body)));
            let (body, normal) = match own {
                [Some(body), None] => (body, contact.normal),
                [None, Some(body)] => (body, -contact.normal),
                _ => continue,
            };
            let force = state.force(rigid::row::normal_key(contact)).unwrap_or(0.0);
            sensed.touches.push(SensedContact { body: body - ragdoll.first, place: contact.point, normal, force });
        }
        sensed
    }

    /// Reads the state of a ragdoll of particles in its world. `before` is the reading one step ago, from which velocities are computed; without it
    /// bodies count as at rest. Contacts are not sensed.
    pub fn of_particles(ragdoll: &Ragdoll, world: &particles::World, before: Option<&Self>) -> Self {
        let positions = &world.state.positions;
        let step = world.settings.time_step;
        let frames = ragdoll.frames(positions);
        let mut sensed = Self {
            time: world.state.steps as f64 * step,
            step,
            gravity: world.settings.acceleration(),
            pose: ragdoll.pose_of(&frames),
            ..Self::default()
        };
        for (index, (body, (place, turn))) in ragdoll.bodies.iter().zip(frames).enumerate() {
            let center = place + turn * body.body.center;
            let mut motion = MassCenterMotion { center, ..MassCenterMotion::default() };
            if let Some(before) = before {
                let old = before.pose.get(body.bone).map_or(DQuat::IDENTITY, |pose| pose.1);
                motion.velocity = (center - before.motions[index].center) / step;
                motion.angular_velocity = angular_velocity(old, turn, step);
            }
            sensed.motions.push(motion);
        }
        sensed.sum(&ragdoll.bodies.iter().map(|body| 4.0 * body.body.particle_mass).collect::<Vec<f64>>());
        sensed
    }

    fn sum(&mut self, masses: &[f64]) {
        self.mass = masses.iter().sum();
        let all = || masses.iter().zip(&self.motions);
        self.mass_center = all().map(|(mass, motion)| motion.center * *mass).sum::<DVec3>() / self.mass;
        self.velocity = all().map(|(mass, motion)| motion.velocity * *mass).sum::<DVec3>() / self.mass;
        let orbit = |(mass, motion): (&f64, &MassCenterMotion)| {
            (motion.center - self.mass_center).cross(motion.velocity - self.velocity) * *mass
        };
        self.spin += all().map(orbit).sum::<DVec3>();
    }
}
