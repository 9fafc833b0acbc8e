//! Joint drives of a ragdoll made of particles: pose targets become springs between the bodies.
//!
//! ```text
//! drive     spring and damper scaled by the effective inertia of the joint, in the current pose
//! lead      the acceleration field of the root assist as a force on every particle of the assisted bodies
//! moment    feedforward: a couple on the four particles of child and parent, f_i = m_i (J⁻¹ M) × r_i
//! ```
//! Specification: mathematics 3.14, 8.1 (R18 to R20).

use glam::{DMat3, DVec3};

use super::drive::Led;
use super::figure::RagdollLink;
use super::root_assist::{self, AssistedMass};
use super::{PoseTarget, RagdollModel, Sensed};
use crate::collision::tensor;
use crate::math::rotation::exp;
use crate::particles::{Drive, World};
use crate::ragdoll::Ragdoll;
use crate::rigid::composite::{Piece, compliance};

/// Joint drives of a ragdoll in its world.
#[derive(Clone, Debug, PartialEq)]
pub struct ParticleDrives {
    /// Index of the ragdoll's first drive in the model.
    first: usize,
    /// Four particles of each body, and the mass of one particle, kilograms.
    bodies: Vec<([usize; 4], f64)>,
    /// Parent and child body of each joint.
    links: Vec<[usize; 2]>,
}

impl ParticleDrives {
    /// Gives every joint of `ragdoll` a drive in the model of its future world: the ragdoll's own model before it is added, or the model of the
    /// whole world with [`Ragdoll::first`] set.
    pub fn add(figure: &RagdollModel, ragdoll: &Ragdoll, model: &mut crate::particles::Model) -> Self {
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

    /// Drives the joints and applies the root assist for the next step. Returns the wrench of the root assist.
    pub fn apply_pose_target(
        &self,
        figure: &RagdollModel,
        wanted: &PoseTarget,
        sensed: &Sensed,
        world: &mut World,
    ) -> Led {
        let step = world.settings.time_step;
        let substeps = f64::from(world.settings.substeps.max(1));
        let early = 0.5 * step * (1.0 - 1.0 / substeps);
        let felt = self.felt(figure, sensed, world);
        for (index, aim) in wanted.aims.iter().enumerate() {
            let Some([axes, _]) =
                world.model().drives.get(self.first + index).map(|it| it.frames(&world.state.positions))
            else {
                break;
            };
            let drive = &mut world.drives()[self.first + index];
            let (strength, share) = aim.shares();
            drive.target = (exp(aim.rate * -early) * aim.turn).normalize();
            drive.rate = aim.rate;
            drive.inertia = axes.transpose() * felt[index] * axes;
            drive.frequency = aim.frequency * share;
            drive.damping_ratio = aim.damping_ratio * share;
            drive.most = if strength > 0.0 { aim.most * strength } else { 0.0 };
            if strength > 0.0 {
                let [parent, child] = self.links[index];
                world.wake_island(self.bodies[child].0[0]);
                if let Some(moment) = aim.moment_given() {
                    self.turn(world, child, moment);
                    self.turn(world, parent, -moment);
                }
            }
        }
        let Some(hand) = &wanted.lead else { return Led::default() };
        let held = root_assist::assisted_bodies(self.bodies.len(), self.links.iter().copied(), &wanted.aims);
        let all = || self.bodies.iter().zip(&sensed.motions).map(|((_, mass), motion)| (4.0 * mass, motion.center));
        let grip = held.as_ref().map_or_else(|| AssistedMass::all_bodies(sensed), |held| AssistedMass::of(held, all()));
        let field = root_assist::field(hand, sensed, &grip);
        let mut led = Led::default();
        for (index, (particles, mass)) in self.bodies.iter().enumerate() {
            if held.as_ref().is_some_and(|held| !held[index]) {
                continue;
            }
            for &particle in particles {
                let place = world.state.positions[particle];
                let force = field.at(place) * *mass;
                led.force += force;
                led.moment += (place - sensed.mass_center).cross(force);
                world.add_force(particle, force);
            }
        }
        led
    }

    /// Releases every joint.
    pub(crate) fn release(&self, world: &mut World) {
        for drive in world.drives().iter_mut().skip(self.first).take(self.links.len()) {
            drive.frequency = 0.0;
        }
    }

    /// Applies a moment to a body during the next step, newton meters.
    fn turn(&self, world: &mut World, body: usize, moment: DVec3) {
        let (particles, mass) = self.bodies[body];
        let places = particles.map(|particle| world.state.positions[particle]);
        let center = places.iter().sum::<DVec3>() * 0.25;
        let inertia: DMat3 = places.iter().map(|place| tensor::of_point(mass, *place - center)).sum();
        if inertia.determinant() <= 0.0 {
            return;
        }
        let turning = inertia.inverse() * moment;
        for (particle, place) in particles.into_iter().zip(places) {
            world.add_force(particle, turning.cross(place - center) * mass);
        }
    }

    /// Effective inertia of each joint with all other joints locked, kg m², world axes; zero if it is not finite.
    fn felt(&self, figure: &RagdollModel, sensed: &Sensed, world: &World) -> Vec<DMat3> {
        let origin = sensed.mass_center;
        let bodies: Vec<Option<Piece>> = (0..self.bodies.len()).map(|body| self.piece(world, body, origin)).collect();
        felt(figure, &bodies, |link| sensed.pose[link.bone].0 - origin)
    }

    /// Inertia of a body about an origin; `None` if a particle of the body is pinned.
    fn piece(&self, world: &World, body: usize, origin: DVec3) -> Option<Piece> {
        let (particles, mass) = self.bodies[body];
        let mut piece = Piece::NONE;
        for particle in particles {
            if world.state.pins[particle].is_some() {
                return None;
            }
            piece.add(&Piece::of_point(mass, world.state.positions[particle] - origin));
        }
        Some(piece)
    }
}

/// Effective inertia of each joint with all other joints locked, kg m², world axes; zero if it is not finite. `bodies` are the inertias of the
/// bodies about an origin, `place` gives the position of a joint from there (meters).
pub(super) fn felt(
    figure: &RagdollModel,
    bodies: &[Option<Piece>],
    place: impl Fn(&RagdollLink) -> DVec3,
) -> Vec<DMat3> {
    // Sum each body with all bodies beyond it, and count the pinned ones. Joints come after their parent joints.
    let mut beyond: Vec<(Piece, usize)> =
        bodies.iter().map(|body| (body.unwrap_or(Piece::NONE), usize::from(body.is_none()))).collect();
    let whole = beyond.iter().fold((Piece::NONE, 0), |mut sum, (piece, pinned)| {
        sum.0.add(piece);
        (sum.0, sum.1 + pinned)
    });
    for &RagdollLink { bodies: [parent, child], .. } in figure.links.iter().rev() {
        let (piece, pinned) = beyond[child];
        beyond[parent].0.add(&piece);
        beyond[parent].1 += pinned;
    }
    let felt = |link: &RagdollLink| {
        let (piece, pinned) = beyond[link.bodies[1]];
        let pieces = [(pinned == 0).then_some(piece), (pinned == whole.1).then(|| whole.0.less(&piece))];
        let felt = compliance(pieces, place(link)).map(|felt| felt.inverse());
        felt.filter(|felt| felt.is_finite()).unwrap_or(DMat3::ZERO)
    };
    figure.links.iter().map(felt).collect()
}
