//! State of a world: poses, momenta, and warm-start impulses of joints and contacts.

use glam::DVec3;

use super::Forest;
use super::joint::MOST_ROWS;
use super::kept::KeptManifold;
use super::model::{Model, Start};
use super::motion::{Momentum, Pose, vector};

/// State of a world. Two worlds with equal models, settings and states continue alike, bit for bit.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Pose of every body.
    pub poses: Vec<Pose<f64>>,
    /// Momentum of every body.
    pub momenta: Vec<Momentum<f64>>,
    /// Impulses of the joint rows over the last two substeps, per second: newtons and newton meters.
    pub multipliers: [Vec<[f64; MOST_ROWS]>; 2],
    /// Impulses of contacts, joint limits and motors over the last substep, per second, sorted by key.
    pub impulses: Vec<(u64, f64)>,
    /// Manifolds of pairs that have hardly moved against each other.
    pub(super) manifolds: Vec<KeptManifold>,
    /// Tree of each body, as in [`Forest::tree`].
    pub trees: Vec<usize>,
    /// Steps that each tree of bodies has been at rest.
    pub rest: Vec<u32>,
    /// Pose of each body since which its tree has been at rest.
    pub resting: Vec<Pose<f64>>,
    /// Sleep group of each tree; trees of one group wake together. `None` for awake trees.
    pub asleep: Vec<Option<usize>>,
    /// Substeps that each tree in lanes joins to one next; 1 for other trees.
    pub strides: Vec<f64>,
    /// Number of steps taken.
    pub steps: u64,
}

impl State {
    /// State with the bodies at their start poses.
    pub fn new(model: &Model, starts: &[Start]) -> Self {
        let of = |(body, start): (&super::Body, &Start)| {
            let turn = start.rotation.normalize();
            (Pose::new(start.position, turn), Momentum::of(body, turn, start.velocity, start.angular_velocity))
        };
        let (poses, momenta): (Vec<Pose<f64>>, _) = model.bodies.iter().zip(starts).map(of).unzip();
        let none = vec![[0.0; MOST_ROWS]; model.joints.len()];
        let forest = Forest::new(model.bodies.len(), &model.joints);
        let trees = forest.trees;
        Self {
            resting: poses.clone(),
            poses,
            momenta,
            multipliers: [none.clone(), none],
            impulses: Vec::new(),
            manifolds: Vec::new(),
            trees: forest.tree,
            rest: vec![0; trees],
            asleep: vec![None; trees],
            strides: vec![1.0; trees],
            steps: 0,
        }
    }
}

impl State {
    /// Force of the row with a key in the last substep, newtons or newton meters; `None` if there was no such row.
    pub fn force(&self, key: u64) -> Option<f64> {
        self.forces_from(key).first().map(|&(_, force)| force)
    }

    /// Keys and forces in the last substep from the row with a key on, in order of the keys; empty if there was no such row.
    /// The two tangents of a contact follow its normal.
    pub fn forces_from(&self, key: u64) -> &[(u64, f64)] {
        let known = self.forces_at_least(key);
        if known.first().is_some_and(|force| force.0 == key) { known } else { &[] }
    }

    /// [`Self::forces_from`] the first row whose key is not less.
    pub(crate) fn forces_at_least(&self, key: u64) -> &[(u64, f64)] {
        &self.impulses[self.impulses.partition_point(|force| force.0 < key)..]
    }
}

/// Mass (kg) and center of mass (meters) of all bodies together.
pub fn mass_center(model: &Model, state: &State) -> (f64, DVec3) {
    let mass: f64 = model.bodies.iter().map(|body| body.mass).sum();
    let moment: DVec3 = model.bodies.iter().zip(&state.poses).map(|(body, pose)| pose.place() * body.mass).sum();
    (mass, if mass > 0.0 { moment / mass } else { DVec3::ZERO })
}

/// Total linear momentum, kg m/s.
pub fn momentum(state: &State) -> DVec3 {
    state.momenta.iter().map(|momentum| vector(momentum.linear)).sum()
}

/// Total angular momentum about a point, kg m²/s.
pub fn angular_momentum(state: &State, about: DVec3) -> DVec3 {
    let of = |(pose, momentum): (&Pose<f64>, &Momentum<f64>)| {
        vector(momentum.angular) + (pose.place() - about).cross(vector(momentum.linear))
    };
    state.poses.iter().zip(&state.momenta).map(of).sum()
}

/// Total kinetic energy, joules.
pub fn kinetic_energy(model: &Model, state: &State) -> f64 {
    let of = |((body, pose), momentum): ((&super::Body, &Pose<f64>), &Momentum<f64>)| {
        momentum.kinetic_energy(body, pose.turn())
    };
    model.bodies.iter().zip(&state.poses).zip(&state.momenta).map(of).sum()
}

/// Potential energy of all bodies under gravity (m/s²), joules; 0 at the origin.
pub fn potential_energy(model: &Model, state: &State, gravity: DVec3) -> f64 {
    model.bodies.iter().zip(&state.poses).map(|(body, pose)| -body.mass * gravity.dot(pose.place())).sum()
}
