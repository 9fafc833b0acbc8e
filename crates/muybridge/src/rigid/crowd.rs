//! Many instances of one mechanism that fly and tumble, one per SIMD lane.
//!
//! ```text
//! block     8 instances: for every body x, y, z, turn and momenta, 8 numbers each
//! kernel    as many of them at once as the processor has lanes, each with RATTLE on its own tree
//! ```
//! All instances take the same number of passes, so that none depends on its neighbors: an instance has the same bits in any crowd, at
//! any width and on any number of threads, and those of a [`Rattle`] alone. Joints hold; ranges, motors, contacts and beads on curves,
//! which ask each instance for something else, are those of a [`World`](super::World).
//! Specification: mathematics 4.5.3, 4.6 (H13).

use glam::{DQuat, DVec3};
use thiserror::Error;

use super::composed::{FOURTH_ORDER, Motion, Plan, SECOND_ORDER, step};
use super::forest::Forest;
use super::joint::{Joint, Kind, MOST_ROWS};
use super::model::{Model, Start};
use super::rattle::{Mechanism, Passes, Rattle};
use super::{Body, Momentum, Pose, check};
use crate::math::lane_rotation::{LaneRotation, LaneVector};
use crate::math::lanes::{Kernel, Lanes, Width};

/// Instances in a block: as many as the widest vector has lanes.
const LANES: usize = 8;

/// Numbers of a body: place, turn, momentum, angular momentum.
const NUMBERS: usize = 13;

/// How a crowd steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Seconds.
    pub time_step: f64,
    /// Metres per second squared.
    pub gravity: DVec3,
    /// Newton's passes over the joints in each stage, all of them always.
    pub passes: u32,
    /// Steps of fourth order, at five times the cost.
    pub is_accurate: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self { time_step: 1.0 / 240.0, gravity: DVec3::new(0.0, -9.81, 0.0), passes: 3, is_accurate: false }
    }
}

/// Why a model cannot be a crowd.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum CrowdError {
    /// The model is none, or a start is not its own.
    #[error("instance {instance}: {source}")]
    Model {
        /// From 0.
        instance: usize,
        /// What is wrong.
        source: check::ModelError,
    },
    /// A bead looks for its place on the curve by itself.
    #[error("joint {joint} is a bead on a curve, which crowds do not have; use a world")]
    Bead {
        /// Its index.
        joint: usize,
    },
    /// There is nothing to move.
    #[error("the model has no body")]
    Empty,
}

/// Instances of one mechanism.
#[derive(Clone, Debug)]
pub struct Crowd {
    /// May be changed between steps.
    pub settings: Settings,
    bodies: Vec<Body>,
    joints: Vec<Joint>,
    forest: Forest,
    count: usize,
    blocks: Vec<Block>,
    width: Width,
}

/// Eight instances; places beyond the last hold copies of it.
#[derive(Clone, Debug)]
struct Block {
    /// By body.
    bodies: Vec<[[f64; LANES]; NUMBERS]>,
    /// Impulses of the last two stages, by joint and row.
    multipliers: [Vec<[[f64; LANES]; MOST_ROWS]>; 2],
}

impl Crowd {
    /// One instance for each list of starts, of the bodies and joints of `model`; the rest of it means nothing here. Errors name the
    /// instance.
    pub fn new(model: &Model, starts: &[Vec<Start>], settings: Settings) -> Result<Self, CrowdError> {
        let model = Model { bodies: model.bodies.clone(), joints: model.joints.clone(), ..Model::default() };
        for (instance, starts) in starts.iter().enumerate() {
            check::model(&model, starts).map_err(|source| CrowdError::Model { instance, source })?;
        }
        if let Some(joint) = model.joints.iter().position(|joint| matches!(joint.kind, Kind::Curve(_))) {
            return Err(CrowdError::Bead { joint });
        }
        if model.bodies.is_empty() {
            return Err(CrowdError::Empty);
        }
        let forest = Forest::new(model.bodies.len(), &model.joints);
        let none = vec![[[0.0; LANES]; MOST_ROWS]; model.joints.len()];
        let block = |starts: &[Vec<Start>]| {
            let mut bodies = vec![[[0.0; LANES]; NUMBERS]; model.bodies.len()];
            for (index, (body, numbers)) in model.bodies.iter().zip(&mut bodies).enumerate() {
                for lane in 0..LANES {
                    let start = &starts[lane.min(starts.len() - 1)][index];
                    let momentum = Momentum::of(body, start.rotation, start.velocity, start.angular_velocity);
                    put(numbers, lane, &Pose::new(start.position, start.rotation), &momentum);
                }
            }
            Block { bodies, multipliers: [none.clone(), none.clone()] }
        };
        let blocks = starts.chunks(LANES).map(block).collect();
        let (count, width) = (starts.len(), Width::widest());
        Ok(Self { settings, bodies: model.bodies, joints: model.joints, forest, count, blocks, width })
    }

    /// With other instructions; the bits are the same.
    pub fn with_width(self, width: Width) -> Self {
        Self { width, ..self }
    }

    /// Number of instances.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Goes on by so many steps, blocks side by side on the threads there are. Several at once are cheaper by what a step's start costs.
    pub fn step(&mut self, steps: u32) {
        let Self { settings, bodies, joints, forest, blocks, width, .. } = self;
        let mechanism = Mechanism { bodies, joints, forest };
        let step = |block| width.run(StepBlock { mechanism, settings, block, steps });
        #[cfg(feature = "parallel")]
        rayon::iter::ParallelIterator::for_each(rayon::iter::IntoParallelRefMutIterator::par_iter_mut(blocks), step);
        #[cfg(not(feature = "parallel"))]
        blocks.iter_mut().for_each(step);
    }

    /// Pose and momentum of a body of an instance. Panics where there is none.
    pub fn body(&self, instance: usize, body: usize) -> (Pose<f64>, Momentum<f64>) {
        assert!(instance < self.count, "instance {instance} of {}", self.count);
        let n = self.blocks[instance / LANES].bodies[body].map(|lanes| lanes[instance % LANES]);
        let rotation = DQuat::from_xyzw(n[3], n[4], n[5], n[6]);
        let [place, linear, angular] = [0, 7, 10].map(|at| DVec3::new(n[at], n[at + 1], n[at + 2]));
        (Pose::new(place, rotation), Momentum::from_vectors(linear, angular))
    }

    /// Kinetic energy of an instance, joules.
    pub fn kinetic_energy(&self, instance: usize) -> f64 {
        let of = |(index, body): (usize, &Body)| {
            let (pose, momentum) = self.body(instance, index);
            momentum.kinetic_energy(body, pose.turn())
        };
        self.bodies.iter().enumerate().map(of).sum()
    }
}

fn put(numbers: &mut [[f64; LANES]; NUMBERS], lane: usize, pose: &Pose<f64>, momentum: &Momentum<f64>) {
    let (p, q, m, l) = (pose.position, pose.rotation, momentum.linear, momentum.angular);
    let all = [p.x, p.y, p.z, q.axis.x, q.axis.y, q.axis.z, q.w, m.x, m.y, m.z, l.x, l.y, l.z];
    for (row, value) in numbers.iter_mut().zip(all) {
        row[lane] = value;
    }
}

struct StepBlock<'a> {
    mechanism: Mechanism<'a>,
    settings: &'a Settings,
    block: &'a mut Block,
    steps: u32,
}

impl Kernel for StepBlock<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes>(self, token: V::Token) {
        let Self { mechanism, settings, block, steps } = self;
        let zero = V::splat(token, 0.0);
        let mut rattle = Rattle::new(zero, mechanism);
        let pose = Pose::like(zero);
        let none = vec![[zero; MOST_ROWS]; mechanism.joints.len()];
        let still = Momentum { linear: pose.position, angular: pose.position };
        let (mut poses, mut momenta) = (vec![pose; mechanism.bodies.len()], vec![still; mechanism.bodies.len()]);
        let mut multipliers = [none.clone(), none];
        for first in (0..LANES).step_by(V::WIDTH) {
            let load = |row: &[f64; LANES]| V::load(token, &row[first..]);
            for (body, numbers) in block.bodies.iter().enumerate() {
                let vector = |at: usize| LaneVector {
                    x: load(&numbers[at]),
                    y: load(&numbers[at + 1]),
                    z: load(&numbers[at + 2]),
                };
                poses[body] =
                    Pose { position: vector(0), rotation: LaneRotation { axis: vector(3), w: load(&numbers[6]) } };
                momenta[body] = Momentum { linear: vector(7), angular: vector(10) };
            }
            for (list, from) in multipliers.iter_mut().zip(&block.multipliers) {
                for (rows, from) in list.iter_mut().zip(from) {
                    *rows = from.map(|row| load(&row));
                }
            }
            for index in 0..steps {
                let mut motion = Motion { poses: &mut poses, momenta: &mut momenta, multipliers: &mut multipliers };
                let passes = Passes { most: settings.passes, tolerance: 0.0, is_warm: true };
                let stages = if settings.is_accurate { &FOURTH_ORDER[..] } else { &SECOND_ORDER[..] };
                let plan = Plan { stages, step: settings.time_step, passes, is_factored: index > 0 };
                let kick = &mut |_: &[Pose<V>], momenta: &mut [Momentum<V>], seconds: f64| {
                    for (momentum, body) in momenta.iter_mut().zip(mechanism.bodies) {
                        let push = settings.gravity * (body.mass * seconds);
                        momentum.linear = momentum.linear.plus(LaneVector::splat(token, push));
                    }
                };
                step(&mut rattle, mechanism, &mut motion, plan, (&|_, _| None, kick));
            }
            let store = |value: V, row: &mut [f64; LANES]| value.store(&mut row[first..first + V::WIDTH]);
            for (body, numbers) in block.bodies.iter_mut().enumerate() {
                let (p, q, m) = (&poses[body].position, &poses[body].rotation, &momenta[body]);
                let all = [p.x, p.y, p.z, q.axis.x, q.axis.y, q.axis.z, q.w];
                let rest = [m.linear.x, m.linear.y, m.linear.z, m.angular.x, m.angular.y, m.angular.z];
                for (row, value) in numbers.iter_mut().zip(all.into_iter().chain(rest)) {
                    store(value, row);
                }
            }
            for (list, to) in multipliers.iter().zip(&mut block.multipliers) {
                for (rows, to) in list.iter().zip(to) {
                    for (&value, row) in rows.iter().zip(to) {
                        store(value, row);
                    }
                }
            }
        }
    }
}
