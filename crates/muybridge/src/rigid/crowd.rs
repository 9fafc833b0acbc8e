//! Batched simulation: many instances of one mechanism, one per SIMD lane. Instances fly freely or fall onto planes.
//!
//! ```text
//! block     16 instances: position, rotation and momenta of every body, 16 lanes each
//! kernel    RATTLE on as many instances at once as a vector has lanes
//! touching  contacts with planes, and joint limits, see `touch`; no contacts between instances
//! ```
//! Instances are independent: an instance has the same bits in any batch, at any SIMD width and on any number of
//! threads. An instance in free flight has the bits of a single [`Rattle`]. If iteration counts differ, a finished lane
//! waits for its neighbors; instances of similar pace are therefore packed side by side, see `pace`.
//!
//! Instances without contacts are stepped in f64. Batches with contacts or limits are stepped in f32 with twice the
//! lanes, relative to an origin near the first body: a step loses 1e-7 of a meter and of a momentum, and joints are
//! closed to 2 µm. Other obstacles, contacts between bodies, motors, beads on curves and sleep need a
//! [`World`](super::World). Specification: mathematics 4.5.3, 4.6, 4.10 (H13, H17, H24).

mod block;
mod bounds;
mod energy;
mod extras;
mod hold;
mod look;
mod of_world;
mod pace;
mod pair;
mod plan;
mod rows;
mod touch;

use glam::DVec3;
use thiserror::Error;

use self::block::{InstanceBlock, LANES, LanesOf};
use self::extras::{Extras, Plain};
pub(super) use self::of_world::TreeLanes;
use self::pace::Pace;
use self::plan::{BatchColliders, Feeler};
use self::touch::{LaneContactSolver, LaneWork};
use super::composed::{self, FOURTH_ORDER, SECOND_ORDER, step};
use super::forest::Forest;
use super::joint::{Joint, Kind};
use super::model::{Model, Start};
use super::rattle::{Mechanism, Passes, Rattle};
use super::{Body, Momentum, Pose, check};
use crate::math::lane_rotation::LaneVector;
use crate::math::lanes::{Kernel, Lanes, Width};

/// Consecutive blocks that one thread steps as a unit.
const SHARE: usize = 4;

/// Calls of [`Crowd::step`] between two repackings of the instances.
const PACKED: u32 = 8;

/// Joint error that remains in a batch with contacts, meters or radians.
const LEFT: f64 = 2e-6;

/// Corrections of joint limits per step, at most: correcting one joint may push another beyond its limit.
const MOST_HOLDS: u32 = 3;

/// Settings of a batch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Time step, seconds.
    pub time_step: f64,
    /// Gravity, meters per second squared.
    pub gravity: DVec3,
    /// Newton iterations over the joints in each stage. In free flight all are made; with contacts they end at an error
    /// of 2 µm.
    pub passes: u32,
    /// Longest stride of a calm instance with contacts, seconds: two or four steps are joined to one within a call of
    /// [`Crowd::step`]. A value below two time steps joins none.
    pub longest_step: f64,
    /// Whether steps are of fourth order, at five times the cost; batches with contacts ignore it.
    pub is_accurate: bool,
    /// Iterations over a tree that solve impulses of contacts and joint limits, at most.
    pub iterations: u32,
    /// Tolerance of these iterations, m/s (ten times as many rad/s): they end once no impulse changes a velocity by
    /// more. They end earlier after a strong hit or after many iterations.
    pub tolerance: f64,
    /// Penetration slop: depth that is not corrected, meters.
    pub slop: f64,
    /// Share of the depth beyond the slop that a step removes (Baumgarte).
    pub recovery: f64,
    /// Greatest depenetration speed, m/s (ten times as many rad/s).
    pub fastest_recovery: f64,
    /// Restitution threshold: slowest approach that bounces, m/s.
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

/// Reasons why a model cannot be simulated as a batch.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum CrowdError {
    /// The model is invalid, or the start states do not fit it.
    #[error("instance {instance}: {source}")]
    Model {
        /// Index of the instance, from 0.
        instance: usize,
        /// Reason why the model is invalid.
        source: check::ModelError,
    },
    /// A joint is a bead on a curve; batches cannot search the nearest point of a curve.
    #[error("joint {joint} is a bead on a curve, which a batch cannot simulate; use a rigid world")]
    Bead {
        /// Index of the joint.
        joint: usize,
    },
    /// A batch with contacts supports rigid ball joints and hinges only.
    #[error(
        "joint {joint} of a batch with contacts must be a rigid ball joint or hinge, on a body that is not nearly a point mass; use a rigid world"
    )]
    Joint {
        /// Index of the joint.
        joint: usize,
    },
    /// A joint limit belongs to neither a ball joint nor a hinge between two bodies.
    #[error(
        "joint {joint} has a limit, but is not a ball joint or hinge between two bodies; a batch limits only those, so use a rigid world"
    )]
    Range {
        /// Index of the joint.
        joint: usize,
    },
    /// An obstacle is not a fixed half-space.
    #[error("obstacle {obstacle} is not a half-space at rest, the only obstacle of a batch; use a rigid world")]
    Obstacle {
        /// Index of the obstacle.
        obstacle: usize,
    },
    /// A collider is not a sphere, capsule, box or hull.
    #[error("collider {solid} is not a sphere, capsule, box or hull, the only colliders of a batch; use a rigid world")]
    Solid {
        /// Index of the collider.
        solid: usize,
    },
    /// A joint closes a kinematic loop.
    #[error("joint {joint} closes a loop, which a batch with contacts cannot simulate; use a rigid world")]
    Loop {
        /// Index of the joint.
        joint: usize,
    },
    /// The model has no bodies.
    #[error("the model has no bodies; add at least one")]
    Empty,
}

/// Batch of instances of one mechanism.
#[derive(Clone, Debug)]
pub struct Crowd {
    /// Settings; they may change between steps.
    pub settings: Settings,
    bodies: Vec<Body>,
    joints: Vec<Joint>,
    forest: Forest,
    plan: BatchColliders,
    /// Place of each instance: index of its block times [`LANES`], plus its lane.
    slots: Vec<usize>,
    blocks: Vec<InstanceBlock>,
    /// Number of calls of [`Self::step`] so far.
    calls: u32,
    width: Width,
}

/// Saved state of a batch: poses, velocities and warm-start impulses of all instances.
#[derive(Clone, Debug, PartialEq)]
pub struct CrowdState {
    slots: Vec<usize>,
    blocks: Vec<InstanceBlock>,
    calls: u32,
}

impl Crowd {
    /// Creates a batch with one instance per list of start states. Only bodies and joints of `model` are used;
    /// instances collide with nothing. Errors name the instance.
    pub fn new(model: &Model, starts: &[Vec<Start>], settings: Settings) -> Result<Self, CrowdError> {
        let model = Model { bodies: model.bodies.clone(), joints: model.joints.clone(), ..Model::default() };
        Self::of(&model, starts, settings, |_| Ok(BatchColliders::default()))
    }

    /// Creates a batch like [`Self::new`] with the joint limits of `model` and contacts with its obstacles, which must
    /// be half-spaces. Instances collide neither with each other nor with themselves. Motors, damping and rolling
    /// resistance are ignored.
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

    /// Uses another SIMD width; results have the same bits.
    pub fn with_width(self, width: Width) -> Self {
        Self { width, ..self }
    }

    /// Number of instances.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether the batch has no instances.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Number of bodies of an instance.
    pub fn bodies(&self) -> usize {
        self.bodies.len()
    }

    /// Saves the state of all instances.
    pub fn save(&self) -> CrowdState {
        CrowdState { slots: self.slots.clone(), blocks: self.blocks.clone(), calls: self.calls }
    }

    /// Whether a state has as many instances, bodies and joints as this batch.
    pub fn fits(&self, state: &CrowdState) -> bool {
        let is_alike = |(own, other): (&InstanceBlock, &InstanceBlock)| own.size() == other.size();
        self.slots.len() == state.slots.len() && self.blocks.iter().zip(&state.blocks).all(is_alike)
    }

    /// Restores a state, bit for bit. A state that does not pass [`Self::fits`] is ignored.
    pub fn restore(&mut self, state: CrowdState) {
        if self.fits(&state) {
            (self.slots, self.blocks, self.calls) = (state.slots, state.blocks, state.calls);
        }
    }

    /// Greatest penetration of an instance into a half-space, meters; 0 without penetration. Panics if the instance
    /// does not exist.
    pub fn depth(&self, instance: usize) -> f64 {
        let depth = |feeler: &Feeler| {
            let (pose, _) = self.body(instance, feeler.body);
            let place = pose.place() + pose.turn() * feeler.point;
            feeler.radius + self.plan.planes[feeler.plane].1 - feeler.directions[0].dot(place)
        };
        self.plan.feelers.iter().map(depth).fold(0.0, f64::max)
    }

    /// Advances by `steps` steps, with blocks spread over the available threads. Several steps per call are cheaper:
    /// calm instances join up to four steps to one.
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
            if plan.is_empty() {
                width.run(StepBlocks::<false> { mechanism, settings, plan, blocks, count, steps });
            } else {
                let width = width.for_singles(count);
                width.run_narrow(StepBlocks::<true> { mechanism, settings, plan, blocks, count, steps });
            }
        };
        #[cfg(feature = "parallel")]
        {
            use rayon::prelude::*;
            blocks.par_chunks_mut(SHARE).enumerate().for_each(step);
        }
        #[cfg(not(feature = "parallel"))]
        blocks.chunks_mut(SHARE).enumerate().for_each(step);
    }

    /// Pose and momentum of a body of an instance. Panics if either does not exist.
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

/// Steps blocks of instances: in f32 if they may touch something (`TOUCHES`), else in f64.
struct StepBlocks<'a, const TOUCHES: bool> {
    mechanism: Mechanism<'a>,
    settings: &'a Settings,
    plan: &'a BatchColliders,
    blocks: &'a mut [InstanceBlock],
    /// Number of instances from the first of these blocks on.
    count: usize,
    steps: u32,
}

impl<const TOUCHES: bool> Kernel for StepBlocks<'_, TOUCHES> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes>(self, token: V::Token) {
        let Self { mechanism, settings, plan, blocks, count, steps } = self;
        let zero = V::splat(token, 0.0);
        let mut room = BatchScratch::new(zero, mechanism, plan);
        for (index, block) in blocks.iter_mut().enumerate() {
            let lanes = (count - index * LANES).min(LANES);
            for first in (0..lanes).step_by(V::WIDTH) {
                room.lanes.load(token, plan, block, first);
                if TOUCHES {
                    room.walk_on((mechanism, settings, plan), (zero.like(1.0), steps), &mut Plain);
                } else {
                    for index in 0..steps {
                        room.fly(token, (mechanism, settings), index > 0);
                    }
                }
                room.lanes.store(block, first);
            }
        }
    }
}

/// Buffers and solvers of one thread.
#[derive(Clone, Debug)]
struct BatchScratch<V> {
    rattle: Rattle<V>,
    touch: LaneContactSolver<V>,
    lanes: LanesOf<V>,
    /// State of lanes that have already made all steps.
    kept: LanesOf<V>,
}

impl<V: Lanes> BatchScratch<V> {
    fn new(zero: V, mechanism: Mechanism<'_>, plan: &BatchColliders) -> Self {
        let lanes = LanesOf::new(zero, mechanism, plan);
        Self {
            rattle: Rattle::new(zero, mechanism),
            touch: LaneContactSolver::new(zero, mechanism.bodies.len()),
            kept: lanes.clone(),
            lanes,
        }
    }

    /// Makes a step without contacts.
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

    /// Makes `steps` steps with contacts in lanes where `present` is 1; each lane joins as many to a stride as its motion
    /// allows.
    #[inline(always)]
    fn walk_on(
        &mut self,
        setting: (Mechanism<'_>, &Settings, &BatchColliders),
        (present, steps): (V, u32),
        extras: &mut impl Extras<V>,
    ) {
        self.touch.work = LaneWork::none(self.touch.zero);
        let mut pace = Pace::new(present, setting.1, steps);
        let mut is_factored = false;
        while pace.goes_on(self.lanes.pace[0]) {
            self.lanes.change(pace.change());
            let some = pace.some();
            if some.is_some() {
                self.kept.copy(&self.lanes);
            }
            self.fall(&pace, setting, is_factored, extras);
            if let Some(is_live) = some {
                self.lanes.keep(is_live, &self.kept);
            }
            is_factored = true;
        }
        self.lanes.change(pace.back());
    }

    /// Makes one stride with contacts, like a step of a `World`.
    #[inline(always)]
    fn fall(
        &mut self,
        pace: &Pace<V>,
        (mechanism, settings, plan): (Mechanism<'_>, &Settings, &BatchColliders),
        is_factored: bool,
        extras: &mut impl Extras<V>,
    ) {
        let Self { rattle, touch, lanes, .. } = self;
        let h = settings.time_step;
        if !is_factored {
            rattle.factor(mechanism, &lanes.poses, &|_, _| None, h);
            touch.measure((rattle, mechanism), plan);
            touch.work.count(pace.live, [1.0, 0.0]);
        }
        touch.work.strides = touch.work.strides + pace.live;
        let energy = energy::energy(mechanism, settings, lanes, pace);
        touch.look((rattle, mechanism), (plan, lanes, settings), pace);
        extras.touch(touch, (rattle, lanes), (settings, pace));
        // Lanes in contact get the whole force impulse before the drift, so that resting bodies have no velocity.
        let fall = pace.stride * pace.stride * h;
        let before = (touch.touched + 1.0) * 0.5 * fall;
        pull(before, (mechanism, settings), &mut lanes.momenta);
        touch.act((rattle, mechanism), (plan, lanes, settings), pace);
        let tried = rattle.passes;
        let (motion, passes) = (lanes.motion(), Passes { tolerance: LEFT, ..settings.passes() });
        let worst =
            rattle.drift(mechanism, (motion.poses, motion.momenta), motion.multipliers, &|_, _| None, (h, passes));
        let is_live = worst.like(0.5).is_below(pace.live);
        touch.worst = V::select(is_live, touch.worst.greatest(worst), touch.worst);
        touch.work.count(pace.live, [1.0, 1.0]);
        touch.work.tree_solves = touch.work.tree_solves + pace.live * (rattle.passes - tried);
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
        extras.project(touch, (rattle, mechanism), lanes, (settings, pace));
        energy::bound((mechanism, settings), lanes, energy, [touch.touched, touch.held.greatest(touch.paired)], pace);
        // Removes negative zeros: the sign of a zero would reveal whether a lane was skipped.
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

/// Adds the impulse of gravity over some seconds.
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
