//! Steps of a flight, solved one after the other: every corrected frame is the fixed predecessor of the next.
//!
//! Rotating both frames of a step by P rotates its momentum by P. So step n is solved in the axes of the clip, with the target `P_{n−1}ᵀ H*`, and
//! its rotation is accumulated: `P_n = P_{n−1} U_n`. Each step is prepared once for all targets that are tried.

use glam::{DQuat, DVec3};

use super::{FramePair, Jacobian, Newton, RootPair, SpinMethod};
use crate::analysis::centroidal::BodyPose;
use crate::character::Character;
use crate::correction::RootBone;
use crate::math::rotation::log;
use crate::math::spatial::{SpatialMomentum, Transform};
use crate::motion::{Clip, world_of};

/// World poses of the bodies that have mass, in `frame` of `clip`. Panics if the clip belongs to another skeleton or has no such frame.
pub fn body_poses(character: &Character, clip: &Clip, frame: usize) -> Vec<BodyPose> {
    let bones = character.skeleton.bones();
    let mut world = Vec::with_capacity(bones.len());
    for (index, bone) in bones.iter().enumerate() {
        let (position, rotation) = (clip.translation(index, frame), clip.rotation(index, frame));
        let local = Transform { rotation, position };
        world.push(bone.parent.map_or(local, |parent: usize| {
            let above: Transform = world[parent];
            above * local
        }));
    }
    let bodies = character.bodies.iter().zip(&world).filter(|(body, _)| body.mass > 0.0);
    let placed = bodies.map(|(body, bone)| BodyPose {
        mass: body.mass,
        inertia: body.inertia,
        center: bone.point(body.center),
        rotation: bone.rotation,
    });
    placed.collect()
}

/// Steps between the frames of a flight, prepared for one method.
pub(super) struct SpinSteps {
    /// Frame pairs for rotations about the center of mass.
    pub pairs: Vec<FramePair>,
    /// Frame pairs and Jacobian for the paper's method; `None` for the other method.
    roots: Option<(Vec<RootPair>, Jacobian)>,
    /// Newton settings for one frame.
    pub newton: Newton,
}

/// Solution for all steps of a flight with one momentum.
#[derive(Clone, Debug)]
pub(super) struct SpinPass {
    /// H*: common angular momentum of all steps, kg m²/s.
    pub momentum: DVec3,
    /// Move of each frame (the first is not moved): `x ↦ rotation (x − c) + c + position`, c its center of mass.
    pub moves: Vec<Transform>,
    /// Largest number of iterations for one frame.
    pub iterations: usize,
}

/// A step without solution, counted from 0, and the remaining momentum error.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stuck {
    pub step: usize,
    pub residual: f64,
}

impl SpinSteps {
    /// Prepares the steps between the frames `first` to `last` of `clip`.
    pub(crate) fn new(
        character: &Character,
        clip: &Clip,
        (first, last): (usize, usize),
        carrier: &RootBone,
        (method, newton): (SpinMethod, Newton),
    ) -> Self {
        let poses: Vec<Vec<BodyPose>> = (first..=last).map(|frame| body_poses(character, clip, frame)).collect();
        let root = |step: usize| {
            let (position, rotation) = world_of(&character.skeleton, clip, carrier.bones()[0], first + step);
            Transform { rotation, position }
        };
        let step = clip.frame_time;
        let root_pair = |(n, p): (usize, &[Vec<BodyPose>])| RootPair::new((root(n), &p[0]), (root(n + 1), &p[1]), step);
        let roots = match method {
            SpinMethod::Center => None,
            SpinMethod::Source(jacobian) => Some((poses.windows(2).enumerate().map(root_pair).collect(), jacobian)),
        };
        Self { pairs: poses.windows(2).map(|p| FramePair::new(&p[0], &p[1], step)).collect(), roots, newton }
    }

    /// True for the paper's method.
    pub(crate) fn by_root(&self) -> bool {
        self.roots.is_some()
    }

    /// Present angular momentum of each step.
    pub(crate) fn momenta(&self) -> Vec<DVec3> {
        match &self.roots {
            None => self.pairs.iter().map(|pair| pair.momentum(DQuat::IDENTITY)).collect(),
            Some((roots, _)) => roots.iter().map(|pair| pair.momentum(Transform::IDENTITY).angular).collect(),
        }
    }

    /// Moves all frames after the first so that every step has `momentum`.
    pub(crate) fn pass(&self, momentum: DVec3) -> Result<SpinPass, Stuck> {
        match &self.roots {
            None => self.pass_about_centers(momentum),
            Some((roots, jacobian)) => self.pass_of_roots(roots, *jacobian, momentum),
        }
    }

    fn pass_about_centers(&self, momentum: DVec3) -> Result<SpinPass, Stuck> {
        let mut moves = vec![Transform::IDENTITY];
        let (mut turn, mut iterations) = (DQuat::IDENTITY, 0);
        for (step, pair) in self.pairs.iter().enumerate() {
            let found = pair.reach(turn.conjugate() * momentum, &self.newton);
            if !found.converged {
                return Err(Stuck { step, residual: found.residual });
            }
            turn = (turn * found.turn).normalize();
            iterations = iterations.max(found.iterations);
            moves.push(Transform { rotation: turn, position: DVec3::ZERO });
        }
        Ok(SpinPass { momentum, moves, iterations })
    }

    fn pass_of_roots(&self, pairs: &[RootPair], jacobian: Jacobian, momentum: DVec3) -> Result<SpinPass, Stuck> {
        let mut moves = vec![Transform::IDENTITY];
        let (mut before, mut iterations) = (Transform::IDENTITY, 0);
        for (step, pair) in pairs.iter().enumerate() {
            // Move of the frame before, expressed about the center of mass of this frame.
            let way = pair.center_displacement();
            let carried = Transform { position: before.position + before.rotation * way - way, ..before };
            let linear = pair.momentum(Transform::IDENTITY).linear;
            let wanted = SpatialMomentum { angular: momentum + before.position.cross(linear), linear };
            let target = carried.inverse().momentum(wanted);
            let found = pair.solve(target, Transform::IDENTITY, &self.newton, jacobian);
            if !found.converged {
                return Err(Stuck { step, residual: found.residual });
            }
            iterations = iterations.max(found.iterations);
            before = carried * found.by;
            before.rotation = before.rotation.normalize();
            moves.push(before);
        }
        Ok(SpinPass { momentum, moves, iterations })
    }
}

impl SpinPass {
    /// Rotation of the last frame.
    pub(crate) fn last(&self) -> DQuat {
        self.moves.last().map_or(DQuat::IDENTITY, |by| by.rotation)
    }

    /// Sum of the squared angles of all rotations, rad².
    pub(crate) fn cost(&self) -> f64 {
        self.moves.iter().map(|by| log(by.rotation).length_squared()).sum()
    }

    /// Largest angle of a rotation, radians.
    pub(crate) fn largest_angle(&self) -> f64 {
        self.moves.iter().map(|by| log(by.rotation).length()).fold(0.0, f64::max)
    }
}
