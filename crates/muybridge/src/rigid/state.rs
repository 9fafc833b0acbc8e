//! All that is needed to continue: where bodies are, how they move, what joints and contacts pushed last.

use glam::DVec3;

use super::Forest;
use super::joint::MOST_ROWS;
use super::model::{Model, Start};
use super::motion::{Momentum, Pose, vector};

/// The state of a world. Two worlds with equal models, settings and states go on alike, bit for bit.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Of every body.
    pub poses: Vec<Pose<f64>>,
    /// Of every body.
    pub momenta: Vec<Momentum<f64>>,
    /// Impulses of the joints' rows over the last substep and the one before, per second: newtons and newton metres.
    pub multipliers: [Vec<[f64; MOST_ROWS]>; 2],
    /// Impulses of contacts, ranges and motors over the last substep, per second, by key in rising order.
    pub impulses: Vec<(u64, f64)>,
    /// The tree of each body, as [`Forest::tree`].
    pub trees: Vec<usize>,
    /// Frames that each tree of bodies has been at rest.
    pub rest: Vec<u32>,
    /// The group a sleeping tree belongs to; those of one group wake together.
    pub asleep: Vec<Option<usize>>,
    /// Steps taken.
    pub steps: u64,
}

impl State {
    /// Bodies at their starts.
    pub fn new(model: &Model, starts: &[Start]) -> Self {
        let of = |(body, start): (&super::Body, &Start)| {
            let turn = start.rotation.normalize();
            (Pose::new(start.position, turn), Momentum::of(body, turn, start.velocity, start.angular_velocity))
        };
        let (poses, momenta) = model.bodies.iter().zip(starts).map(of).unzip();
        let none = vec![[0.0; MOST_ROWS]; model.joints.len()];
        let forest = Forest::new(model.bodies.len(), &model.joints);
        let trees = forest.trees;
        Self {
            poses,
            momenta,
            multipliers: [none.clone(), none],
            impulses: Vec::new(),
            trees: forest.tree,
            rest: vec![0; trees],
            asleep: vec![None; trees],
            steps: 0,
        }
    }
}

impl State {
    /// Newtons or newton metres that the row of a key gave in the last substep; `None` where there was no such row.
    pub fn force(&self, key: u64) -> Option<f64> {
        self.impulses.binary_search_by_key(&key, |&(key, _)| key).ok().map(|index| self.impulses[index].1)
    }
}

/// Mass (kg) and center of mass (metres) of all bodies together.
pub fn mass_center(model: &Model, state: &State) -> (f64, DVec3) {
    let mass: f64 = model.bodies.iter().map(|body| body.mass).sum();
    let moment: DVec3 = model.bodies.iter().zip(&state.poses).map(|(body, pose)| pose.place() * body.mass).sum();
    (mass, if mass > 0.0 { moment / mass } else { DVec3::ZERO })
}

/// Momentum of all bodies together, kg m/s.
pub fn momentum(state: &State) -> DVec3 {
    state.momenta.iter().map(|momentum| vector(momentum.linear)).sum()
}

/// Angular momentum of all bodies together about a place, kg m²/s.
pub fn angular_momentum(state: &State, about: DVec3) -> DVec3 {
    let of = |(pose, momentum): (&Pose<f64>, &Momentum<f64>)| {
        vector(momentum.angular) + (pose.place() - about).cross(vector(momentum.linear))
    };
    state.poses.iter().zip(&state.momenta).map(of).sum()
}

/// Kinetic energy of all bodies together, joules.
pub fn kinetic_energy(model: &Model, state: &State) -> f64 {
    let of = |((body, pose), momentum): ((&super::Body, &Pose<f64>), &Momentum<f64>)| {
        momentum.kinetic_energy(body, pose.turn())
    };
    model.bodies.iter().zip(&state.poses).zip(&state.momenta).map(of).sum()
}

/// Energy of all bodies in a field of gravity (m/s²), joules: 0 at the origin.
pub fn potential_energy(model: &Model, state: &State, gravity: DVec3) -> f64 {
    model.bodies.iter().zip(&state.poses).map(|(body, pose)| -body.mass * gravity.dot(pose.place())).sum()
}
