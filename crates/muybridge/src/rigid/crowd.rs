//! Many instances of one mechanism, one per SIMD lane: they fly and tumble, or fall on the ground.
//!
//! ```text
//! block     8 instances: for every body x, y, z, turn and momenta, 8 numbers each
//! kernel    as many of them at once as the processor has lanes, each with RATTLE on its own tree
//! touching  contacts with planes and ranges of joints, see `touch`; instances do not touch each other
//! ```
//! None depends on its neighbors: an instance has the same bits in any crowd, at any width and on any number of threads, and one that flies
//! has those of a [`Rattle`] alone. All take the same number of passes over joints; in walks over contacts a lane that is done waits.
//! Other obstacles, contacts between bodies, motors, beads on curves and sleep are those of a [`World`](super::World).
//! Specification: mathematics 4.5.3, 4.6, 4.10 (H13, H17, H24).

mod bounds;
mod energy;
mod hold;
mod plan;
mod rows;
mod touch;

use glam::{DQuat, DVec3};
use thiserror::Error;

use self::plan::{Feeler, Plan};
use self::touch::Touch;
use super::composed::{self, FOURTH_ORDER, Motion, SECOND_ORDER, step};
use super::forest::Forest;
use super::joint::{Joint, Kind, MOST_ROWS};
use super::model::{Model, Start};
use super::rattle::{Mechanism, Passes, Rattle};
use super::{Body, Momentum, Pose, check};
use crate::math::lane_rotation::{LaneRotation, LaneVector};
use crate::math::lanes::{Kernel, Lanes, Width};

/// Instances in a block: as many as the widest vector has lanes.
const LANES: usize = 8;

/// Blocks that follow each other in one memory.
const SHARE: usize = 8;

/// How often joints are brought back within their ranges in a step: the way back of one may pass another.
const MOST_HOLDS: u32 = 3;

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
    /// Steps of fourth order, at five times the cost; not of what may touch something.
    pub is_accurate: bool,
    /// Walks around a tree to find the impulses of what touches and of ranges, at most.
    pub iterations: u32,
    /// They end where none changes a velocity by more than this, m/s (ten times as many rad/s).
    pub tolerance: f64,
    /// Depth that is left alone, metres.
    pub slop: f64,
    /// Share of the depth beyond that is taken away in a step.
    pub recovery: f64,
    /// Greatest speed of that, m/s (ten times as many rad/s).
    pub fastest_recovery: f64,
    /// Slowest approach that bounces, m/s.
    pub bounce: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            time_step: 1.0 / 240.0,
            gravity: DVec3::new(0.0, -9.81, 0.0),
            passes: 5,
            is_accurate: false,
            iterations: 20,
            tolerance: 1e-3,
            slop: 1e-3,
            recovery: 0.1,
            fastest_recovery: 0.5,
            bounce: 0.3,
        }
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
    /// What may touch something hangs by balls and hinges.
    #[error(
        "joint {joint} of a crowd that touches must be a rigid ball or hinge, of a body that is not next to a point; use a world"
    )]
    Joint {
        /// Its index.
        joint: usize,
    },
    /// A range of something else than a ball or a hinge between two bodies.
    #[error("the range of joint {joint} is none of a ball or a hinge between two bodies; use a world")]
    Range {
        /// Its index.
        joint: usize,
    },
    /// An obstacle that a crowd does not know.
    #[error("obstacle {obstacle} is no half-space that stands still, the only obstacle of crowds; use a world")]
    Obstacle {
        /// Its index.
        obstacle: usize,
    },
    /// A solid that has no corners.
    #[error("solid {solid} is no sphere, capsule, box or hull, the only solids of crowds; use a world")]
    Solid {
        /// Its index.
        solid: usize,
    },
    /// A joint that closes a loop.
    #[error("joint {joint} closes a loop, which crowds that touch do not have; use a world")]
    Loop {
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
    plan: Plan,
    count: usize,
    blocks: Vec<Block>,
    width: Width,
}

/// Where all of a crowd are and how they move: all that is needed to go on.
#[derive(Clone, Debug, PartialEq)]
pub struct CrowdState {
    blocks: Vec<Block>,
}

/// Eight instances; places beyond the last hold copies of it.
#[derive(Clone, Debug, PartialEq)]
struct Block {
    /// By body.
    bodies: Vec<[[f64; LANES]; NUMBERS]>,
    /// Impulses of the last two stages, by joint and row.
    multipliers: [Vec<[[f64; LANES]; MOST_ROWS]>; 2],
    /// Impulses of the last step by feeler of the plan: normal and tangents.
    touching: Vec<[[f64; LANES]; 3]>,
    /// Those of ranges by body.
    bounding: Vec<[[f64; LANES]; 2]>,
}

impl Crowd {
    /// One instance for each list of starts, of the bodies and joints of `model`, which fly through everything; the rest of it means
    /// nothing here. Errors name the instance.
    pub fn new(model: &Model, starts: &[Vec<Start>], settings: Settings) -> Result<Self, CrowdError> {
        let model = Model { bodies: model.bodies.clone(), joints: model.joints.clone(), ..Model::default() };
        Self::of(&model, starts, settings, |_| Ok(Plan::default()))
    }

    /// As [`Self::new`], of instances that stay within the ranges of `model` and whose solids touch its obstacles, which are half-spaces.
    /// Instances do not touch each other, nor themselves; motors, drag and rolling resistance mean nothing here.
    pub fn touching(model: &Model, starts: &[Vec<Start>], settings: Settings) -> Result<Self, CrowdError> {
        Self::of(model, starts, settings, |forest| match forest.closing.first() {
            Some(&joint) => Err(CrowdError::Loop { joint }),
            None => Plan::new(model, forest),
        })
    }

    fn of(
        model: &Model,
        starts: &[Vec<Start>],
        settings: Settings,
        plan: impl FnOnce(&Forest) -> Result<Plan, CrowdError>,
    ) -> Result<Self, CrowdError> {
        for (instance, starts) in starts.iter().enumerate() {
            check::model(model, starts).map_err(|source| CrowdError::Model { instance, source })?;
        }
        if let Some(joint) = model.joints.iter().position(|joint| matches!(joint.kind, Kind::Curve(_))) {
            return Err(CrowdError::Bead { joint });
        }
        if model.bodies.is_empty() {
            return Err(CrowdError::Empty);
        }
        let forest = Forest::new(model.bodies.len(), &model.joints);
        let plan = plan(&forest)?;
        let none = vec![[[0.0; LANES]; MOST_ROWS]; model.joints.len()];
        let touching = vec![[[0.0; LANES]; 3]; plan.feelers.len()];
        let bounding = vec![[[0.0; LANES]; 2]; plan.bounded.len()];
        let block = |starts: &[Vec<Start>]| {
            let mut bodies = vec![[[0.0; LANES]; NUMBERS]; model.bodies.len()];
            for (index, (body, numbers)) in model.bodies.iter().zip(&mut bodies).enumerate() {
                for lane in 0..LANES {
                    let start = &starts[lane.min(starts.len() - 1)][index];
                    let momentum = Momentum::of(body, start.rotation, start.velocity, start.angular_velocity);
                    put(numbers, lane, &Pose::new(start.position, start.rotation), &momentum);
                }
            }
            let multipliers = [none.clone(), none.clone()];
            Block { bodies, multipliers, touching: touching.clone(), bounding: bounding.clone() }
        };
        let blocks = starts.chunks(LANES).map(block).collect();
        let (count, width) = (starts.len(), Width::widest());
        let (bodies, joints) = (model.bodies.clone(), model.joints.clone());
        Ok(Self { settings, bodies, joints, forest, plan, count, blocks, width })
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

    /// Number of bodies of an instance.
    pub fn bodies(&self) -> usize {
        self.bodies.len()
    }

    /// All that is needed to go on.
    pub fn save(&self) -> CrowdState {
        CrowdState { blocks: self.blocks.clone() }
    }

    /// Whether a state is one of this crowd, or of one with as many instances of as large a mechanism.
    pub fn fits(&self, state: &CrowdState) -> bool {
        let size = |block: &Block| (block.bodies.len(), block.multipliers[0].len(), block.touching.len());
        self.blocks.len() == state.blocks.len()
            && self.blocks.iter().zip(&state.blocks).all(|(own, other)| size(own) == size(other))
    }

    /// Goes on from a state that [`Self::fits`], bit for bit; does nothing with another.
    pub fn restore(&mut self, state: CrowdState) {
        if self.fits(&state) {
            self.blocks = state.blocks;
        }
    }

    /// How deep an instance is in a half-space, metres; 0 where it is in none. Panics where there is no such instance.
    pub fn depth(&self, instance: usize) -> f64 {
        let depth = |feeler: &Feeler| {
            let (pose, _) = self.body(instance, feeler.body);
            let place = pose.place() + pose.turn() * feeler.point;
            feeler.radius + feeler.level - feeler.directions[0].dot(place)
        };
        self.plan.feelers.iter().map(depth).fold(0.0, f64::max)
    }

    /// Goes on by so many steps, blocks side by side on the threads there are. Several at once are cheaper by a factorisation for each call.
    pub fn step(&mut self, steps: u32) {
        let Self { settings, bodies, joints, forest, plan, blocks, width, .. } = self;
        let mechanism = Mechanism { bodies, joints, forest };
        let step = |blocks: &mut [Block]| width.run(StepBlocks { mechanism, settings, plan, blocks, steps });
        #[cfg(feature = "parallel")]
        rayon::iter::ParallelIterator::for_each(
            rayon::slice::ParallelSliceMut::par_chunks_mut(&mut blocks[..], SHARE),
            step,
        );
        #[cfg(not(feature = "parallel"))]
        blocks.chunks_mut(SHARE).for_each(step);
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

struct StepBlocks<'a> {
    mechanism: Mechanism<'a>,
    settings: &'a Settings,
    plan: &'a Plan,
    blocks: &'a mut [Block],
    steps: u32,
}

impl Kernel for StepBlocks<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes>(self, token: V::Token) {
        let Self { mechanism, settings, plan, blocks, steps } = self;
        let zero = V::splat(token, 0.0);
        let mut room = Room {
            rattle: Rattle::new(zero, mechanism),
            touch: Touch::new(zero, if plan.is_empty() { 0 } else { mechanism.bodies.len() }),
            lanes: LanesOf::new(zero, mechanism, plan),
        };
        for block in blocks {
            for first in (0..LANES).step_by(V::WIDTH) {
                room.lanes.load(token, block, first);
                for index in 0..steps {
                    if plan.is_empty() {
                        room.fly(token, (mechanism, settings), index > 0);
                    } else {
                        room.fall(zero, (mechanism, settings, plan), index > 0);
                    }
                }
                room.lanes.store(block, first);
            }
        }
    }
}

/// What steps instances.
struct Room<V> {
    rattle: Rattle<V>,
    touch: Touch<V>,
    lanes: LanesOf<V>,
}

impl<V: Lanes> Room<V> {
    /// A step of what touches nothing.
    #[inline(always)]
    fn fly(&mut self, token: V::Token, (mechanism, settings): (Mechanism<'_>, &Settings), is_factored: bool) {
        let stages = if settings.is_accurate { &FOURTH_ORDER[..] } else { &SECOND_ORDER[..] };
        let zero = V::splat(token, 0.0);
        let kick = &mut |_: &[Pose<V>], momenta: &mut [Momentum<V>], seconds: f64| {
            pull(zero.like(seconds), (mechanism, settings), momenta);
        };
        let plan = composed::Plan { stages, step: settings.time_step, passes: settings.passes(), is_factored };
        step(&mut self.rattle, mechanism, &mut self.lanes.motion(), plan, (&|_, _| None, kick));
    }

    /// A step of what may touch something: as one of a world.
    #[inline(always)]
    fn fall(&mut self, zero: V, (mechanism, settings, plan): (Mechanism<'_>, &Settings, &Plan), is_factored: bool) {
        let Self { rattle, touch, lanes } = self;
        let h = settings.time_step;
        if !is_factored {
            rattle.factor(mechanism, &lanes.poses, &|_, _| None, h);
            touch.measure((rattle, mechanism), plan);
        }
        let energy = energy::energy(mechanism, settings, lanes);
        touch.look((rattle, mechanism), (plan, lanes, settings));
        // What touches gets all of the forces' impulse before the drift, so that what rests has no velocity.
        let before = (touch.touched + 1.0) * (0.5 * h);
        pull(before, (mechanism, settings), &mut lanes.momenta);
        touch.act((rattle, mechanism), (plan, lanes, settings));
        let (motion, passes) = (lanes.motion(), settings.passes());
        rattle.drift(mechanism, (motion.poses, motion.momenta), motion.multipliers, &|_, _| None, (h, passes));
        pull(zero.like(h) - before, (mechanism, settings), &mut lanes.momenta);
        rattle.factor(mechanism, &lanes.poses, &|_, _| None, h);
        touch.measure((rattle, mechanism), plan);
        for _ in 0..MOST_HOLDS {
            if !touch.hold((rattle, mechanism), (plan, lanes)) {
                break;
            }
            rattle.factor(mechanism, &lanes.poses, &|_, _| None, h);
            touch.measure((rattle, mechanism), plan);
        }
        rattle.project(mechanism, &mut lanes.momenta);
        energy::bound((mechanism, settings), lanes, energy, [touch.touched, touch.held]);
    }
}

impl Settings {
    fn passes(&self) -> Passes {
        Passes { most: self.passes, tolerance: 0.0, is_warm: true }
    }
}

/// Weights act for some seconds.
#[inline(always)]
fn pull<V: Lanes>(seconds: V, (mechanism, settings): (Mechanism<'_>, &Settings), momenta: &mut [Momentum<V>]) {
    seconds.within(
        #[inline(always)]
        || {
            for (momentum, body) in momenta.iter_mut().zip(mechanism.bodies) {
                let weight = settings.gravity * body.mass;
                let p = &mut momentum.linear;
                *p = LaneVector {
                    x: p.x + seconds * weight.x,
                    y: p.y + seconds * weight.y,
                    z: p.z + seconds * weight.z,
                };
            }
        },
    );
}

/// As many instances as there are lanes.
struct LanesOf<V> {
    poses: Vec<Pose<V>>,
    momenta: Vec<Momentum<V>>,
    multipliers: [Vec<[V; MOST_ROWS]>; 2],
    touching: Vec<[V; 3]>,
    bounding: Vec<[V; 2]>,
}

impl<V: Lanes> LanesOf<V> {
    fn new(zero: V, mechanism: Mechanism<'_>, plan: &Plan) -> Self {
        let pose = Pose::like(zero);
        let none = vec![[zero; MOST_ROWS]; mechanism.joints.len()];
        let still = Momentum { linear: pose.position, angular: pose.position };
        let bodies = mechanism.bodies.len();
        Self {
            poses: vec![pose; bodies],
            momenta: vec![still; bodies],
            multipliers: [none.clone(), none],
            touching: vec![[zero; 3]; plan.feelers.len()],
            bounding: vec![[zero; 2]; plan.bounded.len()],
        }
    }

    fn motion(&mut self) -> Motion<'_, V> {
        Motion { poses: &mut self.poses, momenta: &mut self.momenta, multipliers: &mut self.multipliers }
    }

    #[inline(always)]
    fn load(&mut self, token: V::Token, block: &Block, first: usize) {
        for (body, numbers) in block.bodies.iter().enumerate() {
            let mut n = [self.poses[body].position.x; NUMBERS];
            for (value, row) in n.iter_mut().zip(numbers) {
                *value = V::load(token, &row[first..]);
            }
            let [x, y, z, a, b, c, w, ..] = n;
            let rotation = LaneRotation { axis: LaneVector { x: a, y: b, z: c }, w };
            self.poses[body] = Pose { position: LaneVector { x, y, z }, rotation };
            let [.., x, y, z, a, b, c] = n;
            self.momenta[body] = Momentum { linear: LaneVector { x, y, z }, angular: LaneVector { x: a, y: b, z: c } };
        }
        let [last, before] = &mut self.multipliers;
        load(token, last.as_flattened_mut(), block.multipliers[0].as_flattened(), first);
        load(token, before.as_flattened_mut(), block.multipliers[1].as_flattened(), first);
        load(token, self.touching.as_flattened_mut(), block.touching.as_flattened(), first);
        load(token, self.bounding.as_flattened_mut(), block.bounding.as_flattened(), first);
    }

    #[inline(always)]
    fn store(&self, block: &mut Block, first: usize) {
        for (body, numbers) in block.bodies.iter_mut().enumerate() {
            let (p, q, m) = (&self.poses[body].position, &self.poses[body].rotation, &self.momenta[body]);
            let (a, l, s) = (q.axis, m.linear, m.angular);
            let all = [p.x, p.y, p.z, a.x, a.y, a.z, q.w, l.x, l.y, l.z, s.x, s.y, s.z];
            for (row, value) in numbers.iter_mut().zip(all) {
                value.store(&mut row[first..]);
            }
        }
        let [last, before] = &mut block.multipliers;
        store(self.multipliers[0].as_flattened(), last.as_flattened_mut(), first);
        store(self.multipliers[1].as_flattened(), before.as_flattened_mut(), first);
        store(self.touching.as_flattened(), block.touching.as_flattened_mut(), first);
        store(self.bounding.as_flattened(), block.bounding.as_flattened_mut(), first);
    }
}

#[inline(always)]
fn load<V: Lanes>(token: V::Token, values: &mut [V], rows: &[[f64; LANES]], first: usize) {
    for (value, row) in values.iter_mut().zip(rows) {
        *value = V::load(token, &row[first..]);
    }
}

#[inline(always)]
fn store<V: Lanes>(values: &[V], rows: &mut [[f64; LANES]], first: usize) {
    for (value, row) in values.iter().zip(rows) {
        value.store(&mut row[first..]);
    }
}
