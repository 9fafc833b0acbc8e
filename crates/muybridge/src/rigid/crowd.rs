//! Many instances of one mechanism, one per SIMD lane: they fly and tumble, or fall on the ground.
//!
//! ```text
//! block     16 instances: for every body x, y, z, turn and momenta, 16 numbers each
//! kernel    as many of them at once as the processor has lanes, each with RATTLE on its own tree
//! touching  contacts with planes and ranges of joints, see `touch`; instances do not touch each other
//! ```
//! None depends on its neighbors: an instance has the same bits in any crowd, at any width and on any number of threads, and one that flies
//! has those of a [`Rattle`] alone. Where all lanes take the same passes none waits; elsewhere a lane that is done waits for its neighbors, so that instances of
//! one pace are put side by side, see `pace`.
//!
//! What flies is stepped in f64. What may touch something is stepped in f32, twice as many at once, from a place of its own near its first
//! body: 1e-7 of a metre and of a momentum are lost in a step, and joints are closed to 2 µm.
//! Other obstacles, contacts between bodies, motors, beads on curves and sleep are those of a [`World`](super::World).
//! Specification: mathematics 4.5.3, 4.6, 4.10 (H13, H17, H24).

mod block;
mod bounds;
mod energy;
mod hold;
mod look;
mod pace;
mod plan;
mod rows;
mod touch;

use glam::DVec3;
use thiserror::Error;

use self::block::{InstanceBlock, LANES, LanesOf};
use self::pace::Pace;
use self::plan::{BatchColliders, Feeler};
use self::touch::LaneContactSolver;
use super::composed::{self, FOURTH_ORDER, SECOND_ORDER, step};
use super::forest::Forest;
use super::joint::{Joint, Kind};
use super::model::{Model, Start};
use super::rattle::{Mechanism, Passes, Rattle};
use super::{Body, Momentum, Pose, check};
use crate::math::lane_rotation::LaneVector;
use crate::math::lanes::{Kernel, Lanes, Width};

/// Blocks that follow each other in one memory.
const SHARE: usize = 4;

/// Calls from one order of instances to the next.
const PACKED: u32 = 8;

/// What joints of what may touch something are left open by, metres and radians.
const LEFT: f64 = 2e-6;

/// How often joints are brought back within their ranges in a step: the way back of one may pass another.
const MOST_HOLDS: u32 = 3;

/// How a crowd steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Seconds.
    pub time_step: f64,
    /// Metres per second squared.
    pub gravity: DVec3,
    /// Newton's passes over the joints in each stage: all of them always, but of what may touch something no more than close them to 2 µm.
    pub passes: u32,
    /// Seconds that what may touch something but is calm makes as one step: two or four of them, within one call of [`Crowd::step`].
    /// Less than two take each alone.
    pub longest_step: f64,
    /// Steps of fourth order, at five times the cost; not of what may touch something.
    pub is_accurate: bool,
    /// Walks around a tree to find the impulses of what touches and of ranges, at most.
    pub iterations: u32,
    /// They end where none changes a velocity by more than this, m/s (ten times as many rad/s), earlier where a hit has changed a lot or many were made.
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
            longest_step: 1.0 / 60.0,
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
    plan: BatchColliders,
    /// Where each instance is: its block times the lanes of one, and its lane.
    slots: Vec<usize>,
    blocks: Vec<InstanceBlock>,
    /// Of [`Self::step`], so far.
    calls: u32,
    width: Width,
}

/// Where all of a crowd are and how they move: all that is needed to go on.
#[derive(Clone, Debug, PartialEq)]
pub struct CrowdState {
    slots: Vec<usize>,
    blocks: Vec<InstanceBlock>,
    calls: u32,
}

impl Crowd {
    /// One instance for each list of starts, of the bodies and joints of `model`, which fly through everything; the rest of it means
    /// nothing here. Errors name the instance.
    pub fn new(model: &Model, starts: &[Vec<Start>], settings: Settings) -> Result<Self, CrowdError> {
        let model = Model { bodies: model.bodies.clone(), joints: model.joints.clone(), ..Model::default() };
        Self::of(&model, starts, settings, |_| Ok(BatchColliders::default()))
    }

    /// As [`Self::new`], of instances that stay within the ranges of `model` and whose solids touch its obstacles, which are half-spaces.
    /// Instances do not touch each other, nor themselves; motors, drag and rolling resistance mean nothing here.
    pub fn touching(model: &Model, starts: &[Vec<Start>], settings: Settings) -> Result<Self, CrowdError> {
        Self::of(model, starts, settings, |forest| match forest.closing.first() {
            Some(&joint) => Err(CrowdError::Loop { joint }),
            None => BatchColliders::new(model, forest),
        })
    }

    fn of(
        model: &Model,
        starts: &[Vec<Start>],
        settings: Settings,
        plan: impl FnOnce(&Forest) -> Result<BatchColliders, CrowdError>,
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
        let empty = InstanceBlock::new(model.bodies.len(), model.joints.len(), &plan);
        let mut blocks = vec![empty; starts.len().div_ceil(LANES)];
        for (slot, lane) in (0..blocks.len() * LANES).map(|slot| (slot, slot % LANES)) {
            let starts = &starts[slot.min(starts.len() - 1)];
            for (index, (body, start)) in model.bodies.iter().zip(starts).enumerate() {
                let momentum = Momentum::of(body, start.rotation, start.velocity, start.angular_velocity);
                blocks[slot / LANES].put((lane, index), &Pose::new(start.position, start.rotation), &momentum);
            }
        }
        let (slots, width) = ((0..starts.len()).collect(), Width::widest());
        let (bodies, joints) = (model.bodies.clone(), model.joints.clone());
        Ok(Self { settings, bodies, joints, forest, plan, slots, blocks, calls: 0, width })
    }

    /// With other instructions; the bits are the same.
    pub fn with_width(self, width: Width) -> Self {
        Self { width, ..self }
    }

    /// Number of instances.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Number of bodies of an instance.
    pub fn bodies(&self) -> usize {
        self.bodies.len()
    }

    /// All that is needed to go on.
    pub fn save(&self) -> CrowdState {
        CrowdState { slots: self.slots.clone(), blocks: self.blocks.clone(), calls: self.calls }
    }

    /// Whether a state is one of this crowd, or of one with as many instances of as large a mechanism.
    pub fn fits(&self, state: &CrowdState) -> bool {
        let is_alike = |(own, other): (&InstanceBlock, &InstanceBlock)| own.size() == other.size();
        self.slots.len() == state.slots.len() && self.blocks.iter().zip(&state.blocks).all(is_alike)
    }

    /// Goes on from a state that [`Self::fits`], bit for bit; does nothing with another.
    pub fn restore(&mut self, state: CrowdState) {
        if self.fits(&state) {
            (self.slots, self.blocks, self.calls) = (state.slots, state.blocks, state.calls);
        }
    }

    /// How deep an instance is in a half-space, metres; 0 where it is in none. Panics where there is no such instance.
    pub fn depth(&self, instance: usize) -> f64 {
        let depth = |feeler: &Feeler| {
            let (pose, _) = self.body(instance, feeler.body);
            let place = pose.place() + pose.turn() * feeler.point;
            feeler.radius + self.plan.planes[feeler.plane].1 - feeler.directions[0].dot(place)
        };
        self.plan.feelers.iter().map(depth).fold(0.0, f64::max)
    }

    /// Goes on by so many steps, blocks side by side on the threads there are. Several at once are cheaper: what is calm makes up to four as one.
    pub fn step(&mut self, steps: u32) {
        if !self.plan.is_empty() && self.blocks.len() > 1 {
            if self.calls.is_multiple_of(PACKED) {
                pace::pack(&mut self.blocks, &mut self.slots);
            }
            self.calls = self.calls.wrapping_add(1);
        }
        let Self { settings, bodies, joints, forest, plan, slots, blocks, width, .. } = self;
        let mechanism = Mechanism { bodies, joints, forest };
        let step = |(share, blocks): (usize, &mut [InstanceBlock])| {
            let count = slots.len() - share * SHARE * LANES;
            let kernel = StepBlocks { mechanism, settings, plan, blocks, count, steps };
            if plan.is_empty() { width.run(kernel) } else { width.for_singles(count).run_narrow(kernel) }
        };
        #[cfg(feature = "parallel")]
        {
            use rayon::prelude::*;
            blocks.par_chunks_mut(SHARE).enumerate().for_each(step);
        }
        #[cfg(not(feature = "parallel"))]
        blocks.chunks_mut(SHARE).enumerate().for_each(step);
    }

    /// Pose and momentum of a body of an instance. Panics where there is none.
    pub fn body(&self, instance: usize, body: usize) -> (Pose<f64>, Momentum<f64>) {
        let slot = self.slots[instance];
        self.blocks[slot / LANES].body((slot % LANES, body))
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

struct StepBlocks<'a> {
    mechanism: Mechanism<'a>,
    settings: &'a Settings,
    plan: &'a BatchColliders,
    blocks: &'a mut [InstanceBlock],
    /// Instances from the first of these on.
    count: usize,
    steps: u32,
}

impl Kernel for StepBlocks<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes>(self, token: V::Token) {
        let Self { mechanism, settings, plan, blocks, count, steps } = self;
        let zero = V::splat(token, 0.0);
        let mut room = BatchScratch {
            rattle: Rattle::new(zero, mechanism),
            touch: LaneContactSolver::new(zero, if plan.is_empty() { 0 } else { mechanism.bodies.len() }),
            lanes: LanesOf::new(zero, mechanism, plan),
            kept: LanesOf::new(zero, mechanism, plan),
        };
        for (index, block) in blocks.iter_mut().enumerate() {
            let lanes = (count - index * LANES).min(LANES);
            for first in (0..lanes).step_by(V::WIDTH) {
                room.lanes.load(token, plan, block, first);
                if plan.is_empty() {
                    for index in 0..steps {
                        room.fly(token, (mechanism, settings), index > 0);
                    }
                } else {
                    room.walk_on((mechanism, settings, plan), steps);
                }
                room.lanes.store(block, first);
            }
        }
    }
}

/// What steps instances.
struct BatchScratch<V> {
    rattle: Rattle<V>,
    touch: LaneContactSolver<V>,
    lanes: LanesOf<V>,
    /// Those that have made their steps.
    kept: LanesOf<V>,
}

impl<V: Lanes> BatchScratch<V> {
    /// A step of what touches nothing.
    #[inline(always)]
    fn fly(&mut self, token: V::Token, (mechanism, settings): (Mechanism<'_>, &Settings), is_factored: bool) {
        let stages = if settings.is_accurate { &FOURTH_ORDER[..] } else { &SECOND_ORDER[..] };
        let zero = V::splat(token, 0.0);
        let kick = &mut |_: &[Pose<V>], momenta: &mut [Momentum<V>], seconds: f64| {
            pull(zero.like(seconds), (mechanism, settings), momenta);
        };
        let plan = composed::StepScheme { stages, step: settings.time_step, passes: settings.passes(), is_factored };
        step(&mut self.rattle, mechanism, &mut self.lanes.motion(), plan, (&|_, _| None, kick));
    }

    /// Steps of what may touch something, as many at once as each instance is calm enough for.
    #[inline(always)]
    fn walk_on(&mut self, setting: (Mechanism<'_>, &Settings, &BatchColliders), steps: u32) {
        let mut pace = Pace::new(self.touch.zero, setting.1, steps);
        let mut is_factored = false;
        while pace.goes_on(self.lanes.pace[0]) {
            self.lanes.change(pace.change());
            let some = pace.some();
            if some.is_some() {
                self.kept.copy(&self.lanes);
            }
            self.fall(&pace, setting, is_factored);
            if let Some(is_live) = some {
                self.lanes.keep(is_live, &self.kept);
            }
            is_factored = true;
        }
        self.lanes.change(pace.back());
    }

    /// A stride of what may touch something: as one of a world.
    #[inline(always)]
    fn fall(
        &mut self,
        pace: &Pace<V>,
        (mechanism, settings, plan): (Mechanism<'_>, &Settings, &BatchColliders),
        is_factored: bool,
    ) {
        let Self { rattle, touch, lanes, .. } = self;
        let h = settings.time_step;
        if !is_factored {
            rattle.factor(mechanism, &lanes.poses, &|_, _| None, h);
            touch.measure((rattle, mechanism), plan);
        }
        let energy = energy::energy(mechanism, settings, lanes, pace);
        touch.look((rattle, mechanism), (plan, lanes, settings), pace);
        // What touches gets all of the forces' impulse before the drift, so that what rests has no velocity.
        let fall = pace.stride * pace.stride * h;
        let before = (touch.touched + 1.0) * 0.5 * fall;
        pull(before, (mechanism, settings), &mut lanes.momenta);
        touch.act((rattle, mechanism), (plan, lanes, settings), pace);
        let (motion, passes) = (lanes.motion(), Passes { tolerance: LEFT, ..settings.passes() });
        rattle.drift(mechanism, (motion.poses, motion.momenta), motion.multipliers, &|_, _| None, (h, passes));
        pull(fall - before, (mechanism, settings), &mut lanes.momenta);
        rattle.factor(mechanism, &lanes.poses, &|_, _| None, h);
        touch.measure((rattle, mechanism), plan);
        for _ in 0..MOST_HOLDS {
            if !touch.hold((rattle, mechanism), (plan, lanes), pace) {
                break;
            }
            rattle.factor(mechanism, &lanes.poses, &|_, _| None, h);
            touch.measure((rattle, mechanism), plan);
        }
        rattle.project(mechanism, &mut lanes.momenta);
        energy::bound((mechanism, settings), lanes, energy, [touch.touched, touch.held], pace);
        // The sign of a zero would tell whether a lane was passed over.
        for momentum in &mut lanes.momenta {
            for v in [&mut momentum.linear, &mut momentum.angular] {
                *v = LaneVector { x: v.x + 0.0, y: v.y + 0.0, z: v.z + 0.0 };
            }
        }
        lanes.pace = pace.judge(lanes.pace, &touch.unrest, (h, touch.held));
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
