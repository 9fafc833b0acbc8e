//! Solver kernel of a block of ragdolls: predict, keep bodies rigid, contacts, and an exact solve of the joint tree.
//!
//! ```text
//! f̂ = f + Δf,  ĉ = c + Δc + g h²                                           predict
//! f̂_a −= ½ C_aa f_a + Σ_b C_ab w_a/(w_a + w_b) f_b,   C_ab = f̂_a·f̂_b − δ_ab    rigid: SHAKE along the previous axes f
//! min Σ_bodies ½ m‖δ‖² + ½ ω·Jω   with joints, active limits and contacts      one direct solve on the tree
//! c = ĉ + δ,  f = f̂ + ω × f_previous                                        and Δ is the sum of all additions
//! ```
//! Constraint forces act along directions at the start of the substep, so this is a Newton step of SHAKE for all
//! constraints together: symplectic, second order, momentum to rounding, for any mass ratio. After the solve the two
//! points of a joint coincide. The remaining error is a stretch of bodies of second order in the rotation of a substep,
//! which the next one corrects.
//! Specification: mathematics 3.9.2, 4.6.

use super::algebra::{Articulated, Symmetric, elements, symmetric, three};
use super::ceiling;
use super::contact::{self, ContactRows, Obstacles};
use super::drive::DriveRows;
use super::limit;
use super::pair_contact::{self, NearPair};
use super::plan::{BatchBody, BatchModel};
use super::push::{self, PushRows};
use super::rows::{BlockWidth, BodyRows, LaneValues, Lanes, Sixteen};
use super::tree::{self, ArticulatedRows, JointRows, MotionRows};
use crate::math::lane_rotation::LaneVector;
use crate::math::single_lanes::{SingleKernel, SingleLanes};

/// Greatest number of solves per substep: one, and more if a hit activates limits and contacts that were not predicted.
const MOST_SOLVES: usize = 4;

/// Greatest violation of a joint limit in an accepted step (radians), and greatest growth of an older one (rad/s). A limit
/// that pulls and pushes in turn, as in a ragdoll at rest, holds for certain from [`limit::TOO_FAR`] on.
const MOST_EXCESS: [f32; 2] = [limit::TOO_FAR + 0.0025, 0.03];

/// Greatest penetration in an accepted step (meters), and greatest growth of an older one (m/s).
const MOST_DEPTH: [f32; 2] = [0.004, 0.03];

/// Greatest stretch of bodies at a joint in an accepted step, meters.
const MOST_STRETCH: f32 = 0.002;

/// Correction of a substep that counts as a hit: radians between the bodies of a joint, and radians per second. (In a
/// long substep gravity alone bends a light foot by more than the first.)
const JOLT: [f32; 2] = [0.003, 3.0];

/// Step constants shared by all ragdolls of a call.
#[derive(Clone, Copy, Debug)]
pub struct KernelPace {
    /// Number of substeps of this call.
    pub substeps: usize,
    /// Change of a displacement by gravity per substep, meters.
    pub fall: [f32; 3],
    /// Share of a displacement that damping leaves per substep.
    pub kept: f32,
    /// Share of an old penetration or limit violation that remains after a substep.
    pub patience: f32,
    /// Duration of a substep, seconds.
    pub substep: f32,
    /// Greatest correction of an old penetration (meters) and of an old limit violation (radians) in a substep.
    pub recovery: [f32; 2],
    /// Effective mass that holds a contact point, kilograms.
    pub hold: f32,
    /// Coulomb friction coefficient.
    pub friction: f32,
    /// Excess over the energy limit that rounding explains, as a share of the energy.
    pub rounding: f32,
    /// Whether the step is checked for errors afterwards.
    pub is_judged: bool,
}

/// Scratch of a step for one block.
#[derive(Clone, Debug)]
pub struct Scratch<W: BlockWidth = Sixteen> {
    pub(super) articulated: Vec<ArticulatedRows<W>>,
    pub(super) joints: Vec<JointRows<W>>,
    pub(super) motions: Vec<MotionRows<W>>,
    pub(super) contacts: Vec<ContactRows<W>>,
    /// Twice the predicted rotation of each body in the substep: the sum of axis × its displacement.
    pub(super) spins: Vec<[LaneValues<W>; 3]>,
    /// 1 in lanes that are solved again. Other lanes keep their values, so that no ragdoll depends on its neighbors.
    pub(super) solved: LaneValues<W>,
    /// Rotation of the joint of each body within which it reaches no limit, radians; negative where a limit may be reached.
    pub(super) rooms: Vec<LaneValues<W>>,
    /// Way of each body within which no end of its capsules touches an obstacle, meters; negative where one may touch.
    pub(super) gaps: Vec<LaneValues<W>>,
    /// Deepest old penetration of each ragdoll in this substep, meters.
    pub(super) deepest: LaneValues<W>,
    /// Whether limits and contacts are active by revision instead of prediction.
    pub(super) is_revised: bool,
    /// Greatest violation of a joint limit since the start of the step, radians.
    pub(super) excess: LaneValues<W>,
    /// Deepest penetration since the start of the step, meters.
    pub(super) depth: LaneValues<W>,
    /// 1 in lanes in which a deformed body was repaired since the start of the step.
    pub(super) is_mended: LaneValues<W>,
    /// 1 in lanes whose step failed the check, if it was checked.
    pub(super) is_wrong: LaneValues<W>,
}

impl<W: BlockWidth> Scratch<W> {
    /// Allocates scratch for ragdolls of this plan.
    pub fn new(plan: &BatchModel) -> Self {
        let bodies = plan.bodies.len();
        Self {
            articulated: vec![ArticulatedRows::NONE; bodies],
            joints: vec![JointRows::NONE; bodies],
            motions: vec![MotionRows::NONE; bodies],
            contacts: vec![ContactRows::NONE; plan.capsules.len() * 2],
            spins: vec![[LaneValues::ZERO; 3]; bodies],
            solved: LaneValues::ZERO,
            rooms: vec![LaneValues::ZERO; bodies],
            gaps: vec![LaneValues::ZERO; bodies],
            deepest: LaneValues::ZERO,
            is_revised: false,
            excess: LaneValues::ZERO,
            depth: LaneValues::ZERO,
            is_mended: LaneValues::ZERO,
            is_wrong: LaneValues::ZERO,
        }
    }
}

/// The state of a block that a step changes.
pub struct BlockRows<'a, W: BlockWidth = Sixteen> {
    /// State of each body.
    pub bodies: &'a mut [BodyRows<W>],
    /// Normal impulse of each end of each capsule in the last substep, times the substep: kg m; below 0 if it pulled.
    pub touches: &'a mut [LaneValues<W>],
    /// 1 if a limit pulled in the last substep, else 0: swing and angle of each body's joint.
    pub pulled: &'a mut [[LaneValues<W>; 2]],
    /// Pairs of capsules that may touch in this step.
    pub pairs: &'a [NearPair<W>],
    /// Limit of the kinetic energy times the square of the substep, kg m².
    pub ceiling: &'a mut LaneValues<W>,
    /// 1 in lanes with an awake ragdoll; results of other lanes are discarded.
    pub awake: &'a LaneValues<W>,
    /// Drive of the joint of each body; empty if no drive was ever set.
    pub drives: &'a [DriveRows<W>],
    /// Elapsed time of this step, seconds.
    pub elapsed: &'a mut LaneValues<W>,
    /// Acceleration fields: one for all bodies, or one per body; empty if there is none.
    pub push: &'a [PushRows<W>],
}

/// SIMD kernel that runs some substeps of one block.
pub struct StepBlock<'a, W: BlockWidth = Sixteen> {
    /// Constants of the topology.
    pub plan: &'a BatchModel,
    /// Constants of the step.
    pub pace: KernelPace,
    /// Obstacles relative to the origins of this block.
    pub obstacles: &'a Obstacles<W>,
    /// State of the ragdolls.
    pub block: BlockRows<'a, W>,
    /// Scratch of the step.
    pub scratch: &'a mut Scratch<W>,
}

impl<W: BlockWidth> SingleKernel for StepBlock<'_, W> {
    type Output = ();

    #[inline(always)]
    fn run<V: SingleLanes>(mut self, token: V::Token) {
        // Forces a stack frame aligned to cache lines: without an aligned variable the compiler spills vectors at
        // unaligned addresses.
        core::hint::black_box(&mut LaneValues::<W>::ZERO.clone());
        for first in (0..W::LANES).step_by(V::WIDTH) {
            let lanes = Lanes::<V> { token, first };
            if !V::any(lanes.same(0.0).is_below(lanes.load(self.block.awake))) {
                continue;
            }
            lanes.store(lanes.same(0.0), &mut self.scratch.excess);
            lanes.store(lanes.same(0.0), &mut self.scratch.depth);
            lanes.store(lanes.same(0.0), &mut self.scratch.is_mended);
            let zero = lanes.same(0.0);
            self.look_again(lanes, zero.is_below(lanes.same(1.0)));
            let mut at_start = [lanes.same(0.0); 2];
            for substep in 0..self.pace.substeps {
                self.substep(lanes);
                if substep == 0 {
                    at_start = [lanes.load(&self.scratch.excess), lanes.load(&self.scratch.depth)];
                }
            }
            if self.pace.is_judged {
                self.judge(lanes, at_start);
            }
        }
    }
}

impl<W: BlockWidth> StepBlock<'_, W> {
    #[inline(always)]
    fn substep<V: SingleLanes>(&mut self, lanes: Lanes<V>) {
        if !self.block.push.is_empty() {
            push::push(lanes, (self.plan, self.pace.substep), self.block.push, self.block.bodies, self.block.ceiling);
        }
        for (body, rows) in self.plan.bodies.iter().zip(self.block.bodies.iter_mut()) {
            predict(lanes, &self.pace, body, rows);
        }
        for near in self.block.pairs {
            pair_contact::separate(lanes, self.plan, &self.pace, near, self.block.bodies);
        }
        let before = ceiling::Before::of(lanes, self.plan, &self.pace, self.block.bodies);
        for (rows, spin) in self.block.bodies.iter().zip(&mut self.scratch.spins) {
            let (axes, turned) = (lanes.vectors(&rows.axes), lanes.vectors(&rows.turned));
            let [p, q, r] = three!(|axis| axes[axis].cross(turned[axis]));
            lanes.store_vector(p.plus(q).plus(r), spin);
        }
        self.scratch.is_revised = false;
        lanes.store(lanes.same(0.0), &mut self.scratch.deepest);
        lanes.store(lanes.load(self.block.awake), &mut self.scratch.solved);
        for _ in 0..MOST_SOLVES {
            for index in (0..self.plan.bodies.len()).rev() {
                let mut articulated = self.gather(lanes, index);
                self.touch(lanes, index, &mut articulated);
                tree::hang_on_parent(
                    lanes,
                    (self.plan, &self.pace),
                    index,
                    &articulated,
                    &mut self.block,
                    self.scratch,
                );
            }
            let mut jolt = lanes.same(0.0);
            for index in 0..self.plan.bodies.len() {
                jolt = jolt.greatest(tree::follow_parent(lanes, self.plan, index, &mut self.block, self.scratch));
                self.approach(lanes, index);
            }
            let most = JOLT[0].max(JOLT[1] * self.pace.substep);
            let is_hit = lanes.same(most * most).is_below(jolt * lanes.load(&self.scratch.solved));
            if !V::any(is_hit) || !self.revise(lanes, is_hit) {
                break;
            }
        }
        for index in 0..self.plan.bodies.len() {
            self.finish(lanes, index);
        }
        let deepest = lanes.load(&self.scratch.deepest);
        lanes.store(lanes.load(&self.scratch.depth).greatest(deepest), &mut self.scratch.depth);
        let bounds = (&before, deepest);
        ceiling::keep_below(lanes, (self.plan, &self.pace), bounds, self.block.bodies, self.block.ceiling);
        let mut is_mended = lanes.same(0.0);
        for rows in self.block.bodies.iter_mut() {
            is_mended = is_mended.greatest(advance(lanes, rows));
        }
        let was_mended = lanes.same(0.5).is_below(is_mended);
        if V::any(was_mended) {
            lanes.store(lanes.load(&self.scratch.is_mended).greatest(is_mended), &mut self.scratch.is_mended);
            self.look_again(lanes, was_mended);
        }
        if !self.block.drives.is_empty() {
            let gone = lanes.load(self.block.awake) * lanes.same(self.pace.substep);
            lanes.store(lanes.load(self.block.elapsed) + gone, self.block.elapsed);
        }
    }

    /// Forgets how far limits and obstacles are, in some lanes.
    #[inline(always)]
    fn look_again<V: SingleLanes>(&mut self, lanes: Lanes<V>, is_unknown: V::Mask) {
        for row in self.scratch.rooms.iter_mut().chain(&mut self.scratch.gaps) {
            lanes.store(V::select(is_unknown, lanes.same(-1.0), lanes.load(row)), row);
        }
    }

    /// Marks lanes in which limits were violated, penetrations grew or bodies stretched: their substeps were too long.
    #[inline(always)]
    fn judge<V: SingleLanes>(&mut self, lanes: Lanes<V>, [old_excess, old_depth]: [V; 2]) {
        let (mut excess, mut depth) = (lanes.load(&self.scratch.excess), lanes.load(&self.scratch.depth));
        let mut stretch = lanes.same(0.0);
        for (index, body) in self.plan.bodies.iter().enumerate() {
            let rows = &self.block.bodies[index];
            let is_near = lanes.load(&self.scratch.gaps[index]).is_below(lanes.same(0.0));
            let near = if V::any(is_near) { body.capsules.clone() } else { 0..0 };
            for capsule in &self.plan.capsules[near] {
                for end in &capsule.ends {
                    let skin = contact::Skin { end, radius: capsule.radius };
                    let found = contact::depth(lanes, self.obstacles, skin, rows);
                    depth = V::select(is_near, depth.greatest(found), depth);
                }
            }
            let Some(joint) = &body.joint else { continue };
            let parent = &self.block.bodies[joint.parent];
            let axes = [&lanes.vectors(&parent.axes), &lanes.vectors(&rows.axes)];
            let room = lanes.load(&self.scratch.rooms[index]);
            if V::any(room.is_below(lanes.same(0.0))) {
                let found = V::select(room.is_below(lanes.same(0.0)), limit::excess(lanes, joint, axes), excess);
                excess = excess.greatest(found);
            }
            let above = deformation(lanes, axes[0]) * lanes.same(joint.half_levers[0]);
            let own = deformation(lanes, axes[1]) * lanes.same(joint.half_levers[1]);
            stretch = stretch.greatest(above + own);
        }
        let seconds = self.pace.substep * self.pace.substeps as f32;
        let bounds = [
            lanes.same(MOST_EXCESS[0]).greatest(old_excess + lanes.same(MOST_EXCESS[1] * seconds)),
            lanes.same(MOST_DEPTH[0]).greatest(old_depth + lanes.same(MOST_DEPTH[1] * seconds)),
            lanes.same(MOST_STRETCH),
        ];
        let mut is_wrong = lanes.load(&self.scratch.is_mended);
        let found = [excess, depth, stretch];
        for measure in 0..3 {
            is_wrong = V::select(bounds[measure].is_below(found[measure]), lanes.same(1.0), is_wrong);
        }
        lanes.store(is_wrong, &mut self.scratch.is_wrong);
    }

    /// Active-set update after a hit: violated limits and contacts become active, pulling ones inactive. Each is
    /// released only once, or two of them could alternate forever. Returns whether anything changed.
    #[inline(always)]
    fn revise<V: SingleLanes>(&mut self, lanes: Lanes<V>, is_hit: V::Mask) -> bool {
        let zero = lanes.same(0.0);
        let solved = lanes.load(&self.scratch.solved);
        let solved = V::select(is_hit, solved, zero);
        lanes.store(solved, &mut self.scratch.solved);
        let may_release = !self.scratch.is_revised;
        let mut changed = zero;
        for index in 0..self.plan.bodies.len() {
            changed = changed.greatest(tree::revise(lanes, self.plan, index, &self.block, self.scratch));
            let is_near = lanes.load(&self.scratch.gaps[index]).is_below(zero);
            if self.obstacles.is_empty() || !V::any(is_near) {
                continue;
            }
            let near = V::select(is_near, lanes.same(1.0), zero);
            let motion = self.scratch.motions[index];
            let motion = (lanes.vector(&motion.shift), lanes.vector(&motion.turn));
            for capsule in self.plan.bodies[index].capsules.clone() {
                let capsule_of_body = &self.plan.capsules[capsule];
                for end in 0..if capsule_of_body.is_ball { 1 } else { 2 } {
                    let contact = &mut self.scratch.contacts[2 * capsule + end];
                    let skin = contact::Skin { end: &capsule_of_body.ends[end], radius: capsule_of_body.radius };
                    let rows = &self.block.bodies[index];
                    let activity = (contact, may_release, [solved, near]);
                    let change = contact::revise(lanes, self.obstacles, skin, rows, motion, activity);
                    changed = changed.greatest(change);
                }
            }
        }
        self.scratch.is_revised = true;
        let changed = changed.least(solved);
        lanes.store(changed, &mut self.scratch.solved);
        V::any(zero.is_below(changed))
    }

    /// The articulated body of `index`: the body itself and its subtree.
    #[inline(always)]
    fn gather<V: SingleLanes>(&self, lanes: Lanes<V>, index: usize) -> Articulated<V> {
        let body = &self.plan.bodies[index];
        let axes = lanes.vectors(&self.block.bodies[index].axes);
        let own = Articulated::of_body(lanes, body.mass, inertia(lanes, &body.moments, &axes));
        if body.is_leaf { own } else { own.plus(&self.scratch.articulated[index].load(lanes)) }
    }

    #[inline(always)]
    fn touch<V: SingleLanes>(&mut self, lanes: Lanes<V>, index: usize, articulated: &mut Articulated<V>) {
        if self.obstacles.is_empty() {
            return;
        }
        let body = &self.plan.bodies[index];
        let before = lanes.load(&self.scratch.gaps[index]);
        let (moved, spin) = (&self.block.bodies[index].moved, &self.scratch.spins[index]);
        let way = contact::way(lanes, body.reach, lanes.vector(moved), lanes.times(lanes.vector(spin), 0.5));
        let near = before.is_below(if self.scratch.is_revised { lanes.same(0.0) } else { way });
        if !V::any(near) {
            // In a revision the gap has been spent already.
            let left = if self.scratch.is_revised { before } else { before - way };
            lanes.store(left, &mut self.scratch.gaps[index]);
            return;
        }
        let choice = (!self.scratch.is_revised).then_some(near);
        let mut least = lanes.same(f32::MAX);
        for capsule in body.capsules.clone() {
            let capsule_of_body = &self.plan.capsules[capsule];
            for end in 0..if capsule_of_body.is_ball { 1 } else { 2 } {
                let place = 2 * capsule + end;
                let (touch, contact) = (&self.block.touches[place], &mut self.scratch.contacts[place]);
                let skin = contact::Skin { end: &capsule_of_body.ends[end], radius: capsule_of_body.radius };
                let rows = &self.block.bodies[index];
                let rows = (rows, &self.scratch.spins[index]);
                let [depth, gap] =
                    contact::hold(lanes, &self.pace, self.obstacles, skin, rows, (touch, contact, choice), articulated);
                let deepest = lanes.load(&self.scratch.deepest).greatest(depth);
                lanes.store(deepest, &mut self.scratch.deepest);
                least = least.least(gap);
            }
        }
        if choice.is_some() {
            lanes.store(V::select(near, least, before) - way, &mut self.scratch.gaps[index]);
        }
    }

    /// Takes the way of the correction from the gap of a body.
    #[inline(always)]
    fn approach<V: SingleLanes>(&mut self, lanes: Lanes<V>, index: usize) {
        if self.obstacles.is_empty() {
            return;
        }
        let (motion, gap) = (&self.scratch.motions[index], lanes.load(&self.scratch.gaps[index]));
        let (shift, turn) = (lanes.vector(&motion.shift), lanes.vector(&motion.turn));
        let left = gap - contact::way(lanes, self.plan.bodies[index].reach, shift, turn);
        let is_solved = lanes.same(0.0).is_below(lanes.load(&self.scratch.solved));
        lanes.store(V::select(is_solved, left, gap), &mut self.scratch.gaps[index]);
    }

    /// Adds the correction to the motion of the body, and stores the impulses of its contacts.
    #[inline(always)]
    fn finish<V: SingleLanes>(&mut self, lanes: Lanes<V>, index: usize) {
        let motion = &self.scratch.motions[index];
        let (shift, turn) = (lanes.vector(&motion.shift), lanes.vector(&motion.turn));
        let spring = &self.scratch.joints[index].spring;
        if let Some(joint) = self.plan.bodies[index].joint.as_ref().filter(|_| spring.is_on) {
            let bent = turn.minus(lanes.vector(&self.scratch.motions[joint.parent].turn));
            lanes.store(lanes.load(self.block.ceiling) + spring.work(lanes, bent), self.block.ceiling);
        }
        let (shift, turn) = (bounded(lanes, shift), bounded(lanes, turn));
        for capsule in self.plan.bodies[index].capsules.clone() {
            for place in [2 * capsule, 2 * capsule + 1] {
                let contact = &mut self.scratch.contacts[place];
                let touch = &mut self.block.touches[place];
                if contact.is_active {
                    contact.is_active = false;
                    lanes.store(contact.impulse(lanes, shift, turn), touch);
                } else {
                    lanes.store(lanes.same(0.0), touch);
                }
            }
        }
        let rows = &mut self.block.bodies[index];
        let moved = lanes.vector(&rows.moved).plus(shift);
        lanes.store_vector(moved, &mut rows.moved);
        for axis in 0..3 {
            let before = lanes.vector(&rows.axes[axis]);
            let turned = lanes.vector(&rows.turned[axis]).plus(turn.cross(before));
            lanes.store_vector(turned, &mut rows.turned[axis]);
        }
    }
}

/// Clamps a correction to one meter or radian; zero if it is not finite.
#[inline(always)]
fn bounded<V: SingleLanes>(lanes: Lanes<V>, correction: LaneVector<V>) -> LaneVector<V> {
    let (one, squared) = (lanes.same(1.0), correction.dot(correction));
    let is_small = squared.is_below(one);
    let none = LaneVector { x: lanes.same(0.0), y: lanes.same(0.0), z: lanes.same(0.0) };
    let short = correction.scaled(one / squared.sqrt());
    let short = LaneVector::select(squared.is_below(lanes.same(1e30)), short, none);
    LaneVector::select(is_small, correction, short)
}

/// Moves a body; returns 1 in lanes in which it was too deformed and was repaired.
#[inline(always)]
fn advance<V: SingleLanes, W: BlockWidth>(lanes: Lanes<V>, rows: &mut BodyRows<W>) -> V {
    lanes.store_vector(lanes.vector(&rows.center).plus(lanes.vector(&rows.moved)), &mut rows.center);
    let (before, turned) = (lanes.vectors(&rows.axes), lanes.vectors(&rows.turned));
    let now = three!(|axis| before[axis].plus(turned[axis]));
    let is_rigid = deformation(lanes, &now).is_below(lanes.same(BROKEN));
    for axis in 0..3 {
        lanes.store_vector(now[axis], &mut rows.axes[axis]);
    }
    let is_broken = V::select(is_rigid, lanes.same(0.0), lanes.same(1.0));
    if V::any(lanes.same(0.5).is_below(is_broken)) {
        mend(lanes, rows, is_rigid);
    }
    is_broken
}

/// Deviation of axes from unit length and right angles: the greatest error of the six scalar products.
#[inline(always)]
fn deformation<V: SingleLanes>(lanes: Lanes<V>, [a, b, c]: &[LaneVector<V>; 3]) -> V {
    let one = lanes.same(1.0);
    let stretch = (a.dot(*a) - one).abs().greatest((b.dot(*b) - one).abs()).greatest((c.dot(*c) - one).abs());
    stretch.greatest(a.dot(*b).abs().greatest(a.dot(*c).abs()).greatest(b.dot(*c).abs()))
}

/// Deformation of the axes above which a body is repaired instead of corrected.
const BROKEN: f32 = 0.2;

/// Orthonormalizes the axes of deformed bodies and stops their rotation.
#[inline(always)]
fn mend<V: SingleLanes, W: BlockWidth>(lanes: Lanes<V>, rows: &mut BodyRows<W>, is_rigid: V::Mask) {
    let (one, tiny, none) = (lanes.same(1.0), lanes.same(1e-20), lanes.same_vector([0.0; 3]));
    let old = lanes.vectors(&rows.axes);
    let first = old[0].scaled(one / old[0].dot(old[0]).greatest(tiny).sqrt());
    let across = old[1].minus(first.scaled(first.dot(old[1])));
    let second = across.scaled(one / across.dot(across).greatest(tiny).sqrt());
    let new = [first, second, first.cross(second)];
    for axis in 0..3 {
        lanes.store_vector(LaneVector::select(is_rigid, old[axis], new[axis]), &mut rows.axes[axis]);
        let turned = LaneVector::select(is_rigid, lanes.vector(&rows.turned[axis]), none);
        lanes.store_vector(turned, &mut rows.turned[axis]);
    }
}

/// Predicts the motion of a body: gravity, damping and rigidity.
#[inline(always)]
fn predict<V: SingleLanes, W: BlockWidth>(
    lanes: Lanes<V>,
    pace: &KernelPace,
    body: &BatchBody,
    rows: &mut BodyRows<W>,
) {
    let before = lanes.vectors(&rows.axes);
    let mut turned = lanes.vectors(&rows.turned);
    let mut moved = lanes.vector(&rows.moved);
    if pace.kept != 1.0 {
        moved = lanes.times(moved, pace.kept);
        turned = three!(|axis| lanes.times(turned[axis], pace.kept));
    }
    lanes.store_vector(moved.plus(lanes.same_vector(pace.fall)), &mut rows.moved);
    let turned = rigid(lanes, &body.yields, &before, turned);
    for axis in 0..3 {
        lanes.store_vector(turned[axis], &mut rows.turned[axis]);
    }
}

/// Corrects displacements of the axes so that axes keep unit length and right angles.
#[inline(always)]
fn rigid<V: SingleLanes>(
    lanes: Lanes<V>,
    yields: &[f32; 3],
    before: &[LaneVector<V>; 3],
    turned: [LaneVector<V>; 3],
) -> [LaneVector<V>; 3] {
    let [a, b, c] = [before[0].plus(turned[0]), before[1].plus(turned[1]), before[2].plus(turned[2])];
    let half = lanes.same(0.5);
    let stretch = [half - a.dot(a) * half, half - b.dot(b) * half, half - c.dot(c) * half];
    let stretch = three!(|axis| stretch[axis].greatest(-half));
    let skew = [a.dot(b), a.dot(c), b.dot(c)];
    let skew = three!(|pair| skew[pair].greatest(-half).least(half));
    let [ab, ac, bc] = three!(|pair| skew[pair] * lanes.same(-yields[pair]));
    let [ba, ca, cb] = three!(|pair| skew[pair] * lanes.same(yields[pair] - 1.0));
    let [p, q, r] = *before;
    [
        turned[0].plus(p.scaled(stretch[0])).plus(q.scaled(ab)).plus(r.scaled(ac)),
        turned[1].plus(q.scaled(stretch[1])).plus(p.scaled(ba)).plus(r.scaled(bc)),
        turned[2].plus(r.scaled(stretch[2])).plus(p.scaled(ca)).plus(q.scaled(cb)),
    ]
}

/// Inertia tensor `Σ I_a f_a f_aᵀ`. With `Σ f_a f_aᵀ = 1` one axis is saved, or two if two moments are equal.
#[inline(always)]
pub fn inertia<V: SingleLanes>(lanes: Lanes<V>, moments: &[f32; 3], axes: &[LaneVector<V>; 3]) -> Symmetric<V> {
    let [_, second, third] = *moments;
    let base = if second == third { second } else { third };
    let zero = lanes.same(0.0);
    let mut sum = Symmetric { diagonal: [lanes.same(base); 3], off: [zero; 3] };
    for axis in 0..3 {
        if moments[axis] != base {
            let (s, a) = (elements(lanes.times(axes[axis], moments[axis] - base)), elements(axes[axis]));
            sum = symmetric!(|i, j| sum.at(i, j) + s[i] * a[j]);
        }
    }
    sum
}
