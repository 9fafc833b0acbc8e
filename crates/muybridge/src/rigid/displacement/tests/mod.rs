//! Tests of displacement constraints: chains, loops, masks and runs. This module builds their mechanisms.

mod holds;
mod passes;
mod runs;

use glam::{DQuat, DVec3};

use super::*;
use crate::math::random::Random;
use crate::math::rotation::exp;
use crate::rigid::joint::Frame;
use crate::rigid::{Body, Forest, Joint, Kind};

/// Mechanism under test: bodies with joints, poses and momenta.
pub struct Setting {
    pub bodies: Vec<Body>,
    pub joints: Vec<Joint>,
    pub forest: Forest,
    pub poses: Vec<Pose<f64>>,
    pub momenta: Vec<Momentum<f64>>,
    pub masks: Vec<Mask>,
    pub gravity: f64,
}

/// A thin uniform rod of 1 kg and 1 m along x.
pub fn rod() -> Body {
    Body::new(1.0, DVec3::new(1e-3, 1.0 / 12.0, 1.0 / 12.0)).unwrap()
}

impl Setting {
    pub fn new(bodies: Vec<Body>, joints: Vec<Joint>, poses: Vec<(DVec3, DQuat)>) -> Self {
        let forest = Forest::new(bodies.len(), &joints);
        let momenta = vec![Momentum::ZERO; bodies.len()];
        let poses = poses.into_iter().map(|(place, turn)| Pose::new(place, turn)).collect();
        Self { bodies, joints, forest, poses, momenta, masks: Vec::new(), gravity: GRAVITY }
    }

    /// Chain of rods along x from the origin; the first rod is joined to the world if `hangs`.
    pub fn chain(rods: usize, hangs: bool, kind: &Kind) -> Self {
        let mut joints = Vec::new();
        for child in 0..rods {
            let parent = child.checked_sub(1);
            if parent.is_some() || hangs {
                let ends = [if parent.is_some() { DVec3::X * 0.5 } else { DVec3::ZERO }, DVec3::X * -0.5];
                // The joint's x axis, about which hinges turn, is z.
                let rotation = exp(DVec3::Y * -core::f64::consts::FRAC_PI_2);
                let frames = ends.map(|position| Frame { position, rotation });
                joints.push(Joint { parent, child, frames, kind: kind.clone(), compliance: 0.0 });
            }
        }
        let poses = (0..rods).map(|rod| (DVec3::X * (rod as f64 + 0.5), DQuat::IDENTITY)).collect();
        Self::new(vec![rod(); rods], joints, poses)
    }

    /// Moves every body by `shift` meters and turns it by `turn` radians, in random directions.
    pub fn disturbed(mut self, random: &mut Random, shift: f64, turn: f64) -> Self {
        for pose in &mut self.poses {
            let moved = pose.place() + random.vector().normalize() * shift;
            *pose = Pose::new(moved, exp(random.vector().normalize() * turn) * pose.turn());
        }
        self
    }

    pub fn satisfy(&mut self, settings: &Settings) -> Outcome {
        let Self { bodies, joints, forest, poses, .. } = self;
        let mechanism = Mechanism { bodies, joints, forest };
        satisfy(&Constraints::joints(mechanism), poses, (0.01, settings), &mut Scratch::new(mechanism))
    }

    /// Steps under gravity; calls `seen` with outcome and state after each step. Every step multiplies momenta by
    /// `kept`.
    pub fn run(
        &mut self,
        (h, steps, kept): (f64, usize, f64),
        settings: &Settings,
        mut seen: impl FnMut(usize, &Outcome, &[Pose<f64>], &[Momentum<f64>]),
    ) {
        let Self { bodies, joints, forest, poses, momenta, masks, gravity } = self;
        let mechanism = Mechanism { bodies, joints, forest };
        let constraints = Constraints { masks, ..Constraints::joints(mechanism) };
        let mut scratch = Scratch::new(mechanism);
        for index in 0..steps {
            let bodies = (&mut poses[..], &mut momenta[..]);
            let outcome = step(&constraints, bodies, weight(mechanism.bodies, *gravity), (h, settings), &mut scratch);
            seen(index, &outcome, poses, momenta);
            for momentum in momenta.iter_mut() {
                *momentum = momentum.times(kept);
            }
        }
    }
}

pub const GRAVITY: f64 = 9.81;

pub fn energy(bodies: &[Body], poses: &[Pose<f64>], momenta: &[Momentum<f64>]) -> f64 {
    let of = |((body, pose), momentum): ((&Body, &Pose<f64>), &Momentum<f64>)| {
        momentum.kinetic_energy(body, pose.turn()) + body.mass * GRAVITY * pose.place().y
    };
    bodies.iter().zip(poses).zip(momenta).map(of).sum()
}

/// Force of gravity on each body.
pub fn weight(bodies: &[Body], gravity: f64) -> impl Fn(usize, &Pose<f64>, &Momentum<f64>) -> Momentum<f64> + '_ {
    move |body, _, _| Momentum::of(&bodies[body], DQuat::IDENTITY, DVec3::Y * -gravity, DVec3::ZERO)
}

pub const METHODS: [Displacement; 3] = [Displacement::Lamouret, Displacement::Block, Displacement::Skeleton];
