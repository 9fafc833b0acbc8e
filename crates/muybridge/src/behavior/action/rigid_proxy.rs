//! Rigid proxies for particles: actions compute forces on rigid bodies that copy the motion of particles, and these forces are applied to the
//! particles.
//!
//! ```text
//! sense    body     R, x of the best-fitting frame;  v = Σ (x_i − x_i*)/4h,  2 tan(½hω)/h = J⁻¹ Σ m r_i × v_i,  r_i halfway from x_i*
//!          link     a stick with half its mass at either end:  moments m l²/4 across;  ω = d × (v_b − v_a)/l,  d along it
//! push     body     f_i = m_i (F/m + (J⁻¹ τ) × r_i),  r_i as in the middle of the step: the torque of forces that do not turn
//!          link     F/2 on each end, and ± (τ × d)/l
//! ```
//! x* is half a substep before the velocities; gains and torques account for this ([`super::Stepping::Verlet`]). The net force and torque equal
//! those of the actuator, so that every particle keeps its place in the body. The forces do not turn with the body, so they lose about a 24th of
//! the square of the rotation in the step, which the next step corrects. Specification: mathematics 2.4, 3.1, 3.11, 5.4, 5.5.

use glam::{DMat3, DQuat, DVec3};

use super::actuator::Stepping;
use super::controller::Controller;
use crate::collision::tensor;
use crate::math::rotation::exp;
use crate::particles::contact::Other;
use crate::particles::{self, Core, RigidBody};
use crate::rigid::body::PrincipalFrame;
use crate::rigid::{self, Momentum, Pose};

/// Particles that one rigid proxy body copies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ProxySource {
    /// Four particles that form a rigid body, from index `first` on.
    Body {
        /// Index of the first of the four particles.
        first: usize,
        /// Positions of the particles in the body's own frame.
        body: RigidBody,
        /// Principal frame of the body, in the body's own frame.
        frame: PrincipalFrame,
    },
    /// Stick of a rope, from one particle to the next.
    Link {
        /// Indices of the two particles.
        ends: [usize; 2],
        /// Direction of the stick in its principal axes, unit length.
        along: DVec3,
        /// Orientation of the principal axes at the start.
        start: DQuat,
    },
    /// Single particle that is a ball and has no rotation.
    Ball {
        /// Index of the particle.
        particle: usize,
    },
}

/// World of rigid proxies that copy the motion of particles.
#[derive(Clone, Debug)]
pub(crate) struct Likeness {
    /// World of the proxy bodies; it is never stepped.
    pub world: rigid::World,
    parts: Vec<ProxySource>,
    /// Proxy body of each particle surface; `None` if no proxy owns the surface.
    owners: Vec<Option<usize>>,
}

/// Largest rotation of a body predicted until the middle of a step, radians.
const FARTHEST: f64 = 1.0;

impl Likeness {
    /// Creates proxies, one part for each body of `world`. The inertia of links is computed from the distance of their particles.
    pub(crate) fn new(mut world: rigid::World, parts: Vec<ProxySource>, particles: &particles::World) -> Self {
        for (body, part) in world.model.bodies.iter_mut().zip(&parts) {
            if let ProxySource::Link { ends: [a, b], along, .. } = part {
                let positions = &particles.state.positions;
                let across = 0.25 * body.mass * positions[*a].distance_squared(positions[*b]);
                let axis = along.abs();
                let is_along = [axis.x, axis.y, axis.z].map(|share| share > 0.5);
                let [x, y, z] = [0, 1, 2].map(|k: usize| if is_along[k] { body.moments[k] } else { across });
                body.moments = DVec3::new(x, y, z);
            }
        }
        let owner = |core: &Core| {
            let first = core.points()[0].particles[0];
            parts.iter().position(|part| part.owns(first, matches!(core, Core::Ball(_))))
        };
        let owners = particles.model().surfaces.iter().map(|surface| owner(&surface.core)).collect();
        let mut likeness = Self { world, parts, owners };
        likeness.sense(particles);
        likeness
    }

    /// Copies poses and velocities from the particles to the proxy bodies.
    pub(crate) fn sense(&mut self, particles: &particles::World) {
        let world = &mut self.world;
        world.settings.gravity = particles.settings.acceleration();
        world.settings.time_step = particles.settings.time_step;
        world.state.steps = particles.state.steps;
        for (index, part) in self.parts.iter().enumerate() {
            let (place, turn, velocity, spin) = part.motion(particles);
            world.state.poses[index] = Pose::new(place, turn);
            world.state.momenta[index] = Momentum::of(&world.model.bodies[index], turn, velocity, spin);
        }
    }

    /// Advances plans and actions, and applies their forces to the particles for the coming step.
    pub(crate) fn act(&mut self, controller: &mut Controller, particles: &mut particles::World) {
        self.sense(particles);
        controller.stepping = Stepping::Verlet(particles.settings.substeps_taken());
        self.world.forget_pushes();
        controller.act(&mut self.world);
        for (body, &[x, y, z, a, b, c]) in self.world.pushed().iter().enumerate() {
            let (force, torque) = (DVec3::new(x, y, z), DVec3::new(a, b, c));
            if force != DVec3::ZERO || torque != DVec3::ZERO {
                self.push(body, (force, torque), particles);
            }
        }
    }

    /// Center of mass of a body, computed from its particles, meters.
    pub(crate) fn center(&self, body: usize, particles: &particles::World) -> DVec3 {
        self.parts[body].motion(particles).0
    }

    /// Records the contacts of the particles after a step, for plans that wait for them.
    pub(crate) fn sense_contacts(&self, controller: &mut Controller, particles: &particles::World) {
        let owner = |surface: usize| self.owners.get(surface).copied().flatten();
        let touching = particles.scratch.contacts.touching().map(|touching| match touching.other {
            Other::Surface(other) => [owner(touching.surface), owner(other)],
            Other::Obstacle(_) => [owner(touching.surface), None],
        });
        let by_cloth = particles.scratch.sheets.touched.iter().map(|&surface| [owner(surface), None]);
        let by_hits = particles.scratch.contacts.hits().map(|surfaces| surfaces.map(owner));
        controller.look_at(touching.chain(by_cloth).chain(by_hits));
    }

    fn push(&self, body: usize, (force, torque): (DVec3, DVec3), particles: &mut particles::World) {
        match self.parts[body] {
            ProxySource::Ball { particle } => particles.add_force(particle, force),
            ProxySource::Link { ends: [a, b], .. } => {
                let along = particles.state.positions[b] - particles.state.positions[a];
                let couple = torque.cross(along) / along.length_squared();
                if couple.is_finite() {
                    particles.add_force(a, force * 0.5 - couple);
                    particles.add_force(b, force * 0.5 + couple);
                }
            }
            ProxySource::Body { first, body: made, .. } => {
                let own = Four::of(first, &made, particles);
                let mut turning = DVec3::ZERO;
                let mut ahead = DQuat::IDENTITY;
                if torque != DVec3::ZERO {
                    let spin = own.turning(particles);
                    let step = particles.settings.time_step;
                    let later = 0.5 * (step - particles.state.last_substep);
                    // Predict the rotation at the middle of the step: the mean of ω t + ½ ε t². Joints may hold against all of the torque, so
                    // jointed bodies get no ε.
                    let faster = if self.is_free(body) { own.inverse * torque * (step / 3.0) } else { DVec3::ZERO };
                    ahead = exp(((spin + faster) * later).clamp_length_max(FARTHEST));
                    let inverse = inertia(&own.arms, &made).inverse();
                    turning = ahead * (inverse * (ahead.conjugate() * torque));
                }
                let push = force * 0.25;
                if !(turning.is_finite() && ahead.is_finite()) {
                    return;
                }
                for (k, arm) in own.arms.into_iter().enumerate() {
                    particles.add_force(first + k, push + turning.cross(ahead * arm) * made.particle_mass);
                }
            }
        }
    }

    fn is_free(&self, body: usize) -> bool {
        let forest = self.world.forest();
        forest.spans[forest.tree[body]].len() == 1 && forest.hangs_by[body].is_none()
    }
}

impl ProxySource {
    fn owns(&self, particle: usize, is_ball: bool) -> bool {
        match self {
            Self::Body { first, .. } => (*first..first + 4).contains(&particle),
            Self::Link { ends: [a, _], .. } => *a == particle && !is_ball,
            Self::Ball { particle: own } => *own == particle && is_ball,
        }
    }

    /// Position of the center of mass, orientation of the principal axes, velocity and angular velocity.
    fn motion(&self, particles: &particles::World) -> (DVec3, DQuat, DVec3, DVec3) {
        let positions = &particles.state.positions;
        match *self {
            Self::Ball { particle } => {
                (positions[particle], DQuat::IDENTITY, particles.velocity(particle), DVec3::ZERO)
            }
            Self::Link { ends: [a, b], along, start } => {
                let stick = positions[b] - positions[a];
                let swing = DQuat::from_rotation_arc(start * along, stick.normalize_or(start * along));
                let [v, w] = [a, b].map(|end| particles.velocity(end));
                let spin = stick.cross(w - v) / stick.length_squared().max(f64::MIN_POSITIVE);
                ((positions[a] + positions[b]) * 0.5, (swing * start).normalize(), (v + w) * 0.5, spin)
            }
            Self::Body { first, body, frame } => {
                let own = Four::of(first, &body, particles);
                let (position, rotation) = body.frame(&[0, 1, 2, 3].map(|k| positions[first + k]));
                let (place, turn) = frame.placed(position, rotation);
                (place, turn, own.velocity, own.turning(particles))
            }
        }
    }
}

/// State of four particles of equal mass, half a substep ago.
struct Four {
    /// Current positions relative to their center, meters.
    arms: [DVec3; 4],
    velocity: DVec3,
    /// Angular momentum about their center, kg m²/s.
    spin: DVec3,
    /// Inverse of the inertia tensor half a substep ago.
    inverse: DMat3,
}

impl Four {
    fn of(first: usize, body: &RigidBody, particles: &particles::World) -> Self {
        let state = &particles.state;
        let now = [0, 1, 2, 3].map(|k| state.positions[first + k]);
        let halfway = [0, 1, 2, 3].map(|k| (state.positions[first + k] + state.previous[first + k]) * 0.5);
        let velocities = [0, 1, 2, 3].map(|k| particles.velocity(first + k));
        let mean = |all: &[DVec3; 4]| all.iter().sum::<DVec3>() * 0.25;
        let (center, middle, velocity) = (mean(&now), mean(&halfway), mean(&velocities));
        let arms = halfway.map(|place| place - middle);
        let spin = arms.iter().zip(velocities).map(|(arm, v)| arm.cross(v - velocity) * body.particle_mass).sum();
        Self { arms: now.map(|place| place - center), velocity, spin, inverse: inertia(&arms, body).inverse() }
    }

    /// Angular velocity, rad/s; zero if it is not finite. A rotation by θ in a substep of h appears as 2 tan(θ/2)/h when chords and halfway arms
    /// are used.
    fn turning(&self, particles: &particles::World) -> DVec3 {
        let (chord, half) = (self.inverse * self.spin, 0.5 * particles.state.last_substep);
        let across = chord.length() * half;
        let spin = if across > 0.0 { chord * (libm::atan(across) / across) } else { chord };
        if spin.is_finite() { spin } else { DVec3::ZERO }
    }
}

fn inertia(arms: &[DVec3; 4], body: &RigidBody) -> DMat3 {
    arms.iter().map(|arm| tensor::of_point(body.particle_mass, *arm)).sum()
}
