//! Random characters of eight bodies in two frames, for tests: they rotate as a whole, and every body moves on its own.

use glam::{DMat3, DQuat, DVec3};

use super::frame_turn::mass_center;
use crate::analysis::centroidal::BodyPose;
use crate::math::random::Random;
use crate::math::rotation::{exp, log};
use crate::math::spatial::Transform;

/// Seconds between the frames: 24 per second.
pub(crate) const STEP: f64 = 1.0 / 24.0;

/// Two frames of eight bodies and of their root.
pub(crate) struct Thrown {
    pub before: Vec<BodyPose>,
    pub now: Vec<BodyPose>,
    pub roots: [Transform; 2],
}

impl Thrown {
    pub(crate) fn new(random: &mut Random) -> Self {
        let (omega, velocity) = (4.0 * random.vector(), 3.0 * random.vector());
        let place = random.vector();
        let moved = |center: DVec3, rotation: DQuat, own: (DVec3, DVec3)| {
            let center = place + exp(omega * STEP) * (center - place) + (velocity + own.0) * STEP;
            (center, exp((omega + own.1) * STEP) * rotation)
        };
        let before: Vec<BodyPose> = (0..8).map(|_| body(random, place)).collect();
        let follow = |body: &BodyPose| {
            let (center, rotation) = moved(body.center, body.rotation, (random.vector(), 3.0 * random.vector()));
            BodyPose { center, rotation, ..*body }
        };
        let now = before.iter().map(follow).collect();
        let root = Transform { rotation: random.rotation(), position: place + 0.2 * random.vector() };
        let (position, rotation) = moved(root.position, root.rotation, (DVec3::ZERO, DVec3::ZERO));
        Self { before, now, roots: [root, Transform { rotation, position }] }
    }

    /// H about the center of mass by backward differences, summed body by body, as an independent reference.
    pub(crate) fn momentum(&self) -> DVec3 {
        momentum(&self.before, &self.now)
    }

    /// A target momentum that differs by `part` of its length.
    pub(crate) fn target(&self, part: f64, random: &mut Random) -> DVec3 {
        let momentum = self.momentum();
        momentum + part * momentum.length() * random.vector().normalize()
    }
}

/// H about the center of mass by backward differences.
pub(crate) fn momentum(before: &[BodyPose], now: &[BodyPose]) -> DVec3 {
    let (center, velocity) = (mass_center(now), (mass_center(now) - mass_center(before)) / STEP);
    let of_body = |(was, is): (&BodyPose, &BodyPose)| {
        let (arm, own) = (is.center - center, (is.center - was.center) / STEP);
        let spin = log(is.rotation * was.rotation.conjugate()) / STEP;
        arm.cross(is.mass * (own - velocity)) + is.rotation * (is.inertia * (is.rotation.conjugate() * spin))
    };
    before.iter().zip(now).map(of_body).sum()
}

fn body(random: &mut Random, place: DVec3) -> BodyPose {
    let axes = DMat3::from_quat(random.rotation());
    BodyPose {
        mass: 0.5 + random.unit(),
        inertia: axes * DMat3::from_diagonal(0.05 * (DVec3::ONE + 0.3 * random.vector())) * axes.transpose(),
        center: place + 0.6 * random.vector(),
        rotation: random.rotation(),
    }
}
