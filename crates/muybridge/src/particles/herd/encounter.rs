//! Contacts between ragdolls of a batch: impulses keep capsules apart, sixteen contacts in parallel.
//!
//! ```text
//! n, gap        from the nearest points of the two predicted segments;    overlap o = −gap > 0
//! λ  = (a − n·u) / (n·K n),  at least 0                                     u: relative displacement in the substep
//! a                 firm, in short substeps: what of o the step itself made, and o at the speed of recovery; soft: a share of o
//! K             Σ c K_body: of both bodies alone, times their contact counts c; a share of it for a body on the ground
//!               that is pressed down
//! λ_t = −(u_t + a Σu_t) / K,  at most μ λ                                    Σ since the contact began: no creep
//! ```
//! Impulses change the displacements before the tree solve, which spreads them over the joints. The motion of the
//! single body is stopped at once; what the rest of the ragdoll then pushes in goes out in the next substep where substeps are
//! short, and what was inside before the step leaves slowly. In longer ones a heap of firm contacts trembles. Ragdolls that
//! start in each other move apart as wholes instead (`parting`). The impulses are equal and opposite at one point, so linear
//! and angular momentum of a pair are kept. All are computed from the state before any is applied (Jacobi; Tonge
//! 2012 for the counts c), and applied in list order: the bits depend neither on the vector width nor on threads.
//! Specification: mathematics 3.9.3, 3.11 (J21, J31).

use super::HerdSettings;
use super::block::LaneBlock;
use super::kernel::KernelPace;
use super::neighbors::{Kept, NearRagdolls, Neighbors, offset, room_for_pairs};
use super::pair_contact::nearest;
use super::parting::Parting;
use super::plan::BatchModel;
use super::rows::{BodyRows, LANES, LaneValues, Lanes, ZERO, copy_lane};
use crate::math::blocks::each;
use crate::math::lane_rotation::LaneVector;
use crate::math::lanes::Width;
use crate::math::single_lanes::{SingleKernel, SingleLanes};
use crate::particles::contact::make_room;

/// Compliance of a grounded body by that of a free one.
const GROUNDED: f32 = 0.2;

/// Share of the accumulated slip corrected per second.
const GRIP: f32 = 192.0;

/// Factor on the contact count of a body with joints, because its subtree makes it less mobile than alone. Below one
/// half contacts would push each other up.
const JOINTED: f32 = 0.7;

/// Longest substep of firm contacts, seconds.
const FIRM: f32 = 1.0 / 1200.0;

/// Share of an overlap that soft contacts correct per second; half of it in a substep of 1/480 s.
const STIFFNESS: f32 = 240.0;

/// Greatest speed at which an overlap is corrected, m/s: what was there before the step, and what the step made.
const RECOVERY: [f32; 2] = [3.0, 30.0];

/// Overlap at the start of a step, as a share of the sum of the radii, above which limbs that did not touch before started in
/// each other.
const DEEP: f32 = 0.15;

/// Distance of two axes, as a share of the sum of the radii, below which their normal says no side.
const THROUGH: f32 = 0.4;

/// Substeps between checks of all close contacts. In between, only contacts nearer than [`SOON`] plus twice their motion are
/// checked. Others are checked from the middle of the step on.
const LOOK: usize = 6;

/// Distance within which a contact is checked in every substep, meters. See [`LOOK`].
pub const SOON: f32 = 0.004;

/// Number of batches from which threads share them.
const MANY: usize = 64;

/// All contacts between ragdolls in a step.
#[derive(Clone, Debug, Default)]
pub struct Encounters {
    /// Contacts saved from the last step, in order.
    kept: Vec<Kept>,
    batches: Vec<PairBatch>,
    used: usize,
    /// Number of active contacts in the last substep, by slot and body.
    crowd: Vec<u16>,
    /// 1 if a body touched the ground in the last substep, else 0; by block and body.
    grounded: Vec<LaneValues>,
    parting: Parting,
}

/// A part of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepPart {
    /// The whole step of ragdolls that may touch no other.
    Alone,
    /// The interval between two contact solves of ragdolls that may touch others.
    Meeting,
}

/// Up to sixteen contacts, one per lane.
#[derive(Clone, Debug)]
struct PairBatch {
    count: usize,
    /// Whether they may touch before the middle of the step.
    is_close: bool,
    near: [NearRagdolls; LANES],
    sides: [SideRows; 2],
    /// Vector from the origin of the first ragdoll to that of the second, meters.
    offset: [LaneValues; 3],
    /// Slip since the contact began, meters.
    slipped: [LaneValues; 3],
    /// Overlap at the start of the step, meters.
    before: LaneValues,
    /// 1 if the limbs lay deep in each other at the start of the step, else 0.
    is_deep: LaneValues,
    /// 1 if the two ragdolls part as wholes in this step, else 0.
    parts: LaneValues,
    /// 1 if the contact is active, else 0.
    holds: LaneValues,
    /// 1 if the contact may become active before all are checked again, else 0.
    watched: LaneValues,
    is_any: bool,
    is_watched: bool,
}

/// One body of each contact.
#[derive(Clone, Debug)]
struct SideRows {
    state: BodyRows,
    ends: [[LaneValues; 3]; 2],
    radius: LaneValues,
    inverse_mass: LaneValues,
    inverse_moments: [LaneValues; 3],
    /// 1 if the body touched the ground in the last substep, else 0.
    is_grounded: LaneValues,
    /// Number of active contacts of the body.
    crowd: LaneValues,
    /// Displacement of the center by the impulse, meters; `turned` holds that of the axes.
    shift: [LaneValues; 3],
    turned: [[LaneValues; 3]; 3],
    /// Work of the impulse times the square of the substep, kg m².
    work: LaneValues,
}

impl SideRows {
    const NONE: Self = Self {
        state: BodyRows::AT_ORIGIN,
        ends: [[ZERO; 3]; 2],
        radius: ZERO,
        inverse_mass: ZERO,
        inverse_moments: [ZERO; 3],
        is_grounded: ZERO,
        crowd: ZERO,
        shift: [ZERO; 3],
        turned: [[ZERO; 3]; 3],
        work: ZERO,
    };
}

impl Encounters {
    /// Reserves memory for the contacts of `places` slots.
    pub fn reserve(&mut self, plan: &BatchModel, places: usize) {
        make_room(&mut self.crowd, places * plan.bodies.len());
        make_room(&mut self.grounded, places.div_ceil(LANES) * plan.bodies.len());
        self.parting.reserve(places);
        make_room(&mut self.kept, room_for_pairs(places));
        make_room(&mut self.batches, room_for_pairs(places).div_ceil(LANES) + 1);
    }

    /// Sets up the contacts of a step, and marks in the blocks which ragdolls have one.
    pub fn set(&mut self, plan: &BatchModel, near: &Neighbors, blocks: &mut [LaneBlock]) {
        let bodies = plan.bodies.len();
        self.crowd.clear();
        self.crowd.resize(blocks.len() * LANES * bodies, 0);
        self.used = 0;
        for (near, is_close) in near.by_distance().into_iter().zip([true, false]) {
            let mut kept = self.kept.iter().peekable();
            for chunk in near.chunks(LANES) {
                if self.batches.len() == self.used {
                    self.batches.push(PairBatch::NONE);
                }
                let batch = &mut self.batches[self.used];
                self.used += 1;
                batch.count = 0;
                for near in chunk {
                    while kept.next_if(|kept| kept.near < *near).is_some() {}
                    let kept = kept.next_if(|kept| kept.near == *near).filter(|kept| !kept.parts);
                    batch.add(plan, *near, kept, blocks);
                    for (slot, capsule) in near.sides {
                        self.crowd[slot * bodies + plan.capsules[capsule].body] += u16::from(kept.is_some());
                        blocks[slot / LANES].meets[slot % LANES] = true;
                    }
                }
                batch.is_close = is_close;
            }
        }
    }

    /// Contacts saved for the next step.
    pub fn kept(&self) -> &[Kept] {
        &self.kept
    }

    /// Restores saved contacts.
    pub fn restore(&mut self, kept: &[Kept]) {
        self.kept.clear();
        self.kept.extend_from_slice(kept);
    }

    /// Drops the saved contacts of a slot.
    pub fn forget(&mut self, slot: usize) {
        self.kept.retain(|kept| kept.near.sides.iter().all(|side| side.0 != slot));
    }

    /// Advances all ragdolls by one step: ragdolls that may touch no other at once, the others from one contact solve
    /// to the next. The callback `advance` integrates a part of the step.
    pub fn alternate(
        &mut self,
        plan: &BatchModel,
        settings: &HerdSettings,
        pace: &KernelPace,
        blocks: &mut [LaneBlock],
        mut advance: impl FnMut(StepPart, &mut [LaneBlock]),
    ) {
        blocks.iter_mut().for_each(|block| block.begin(plan, settings));
        advance(StepPart::Alone, blocks);
        if self.used > 0 {
            let down = settings.gravity.normalize_or_zero().to_array().map(|value| value as f32);
            for substep in 0..pace.substeps {
                self.separate(plan, pace, (settings.width, down, substep), blocks);
                advance(StepPart::Meeting, blocks);
            }
        }
        blocks.iter_mut().for_each(|block| block.end(plan, settings));
        self.kept.clear();
        for batch in &self.batches[..self.used] {
            let held = (0..batch.count).filter(|&lane| batch.holds.0[lane] != 0.0);
            self.kept.extend(held.map(|lane| {
                let slipped = batch.slipped.map(|row| row.0[lane]);
                Kept { near: batch.near[lane], slipped, parts: batch.parts.0[lane] != 0.0 }
            }));
        }
        self.kept.sort_unstable_by_key(|kept| kept.near);
    }

    fn find_grounded(&mut self, plan: &BatchModel, blocks: &[LaneBlock]) {
        self.grounded.clear();
        for block in blocks {
            self.grounded.extend(plan.bodies.iter().map(|body| {
                let mut row = ZERO;
                for touch in &block.touches[2 * body.capsules.start..2 * body.capsules.end] {
                    for lane in 0..LANES {
                        row.0[lane] = if touch.0[lane] > 0.0 { 1.0 } else { row.0[lane] };
                    }
                }
                row
            }));
        }
    }

    /// Computes the impulses of all contacts.
    fn push(
        &mut self,
        plan: &BatchModel,
        pace: &KernelPace,
        (width, down, substep): (Width, [f32; 3], usize),
        blocks: &[LaneBlock],
    ) {
        let Self { batches, crowd, grounded, .. } = self;
        each(&mut batches[..self.used], MANY, |batch| {
            let look = if batch.is_close { LOOK } else { (pace.substeps / 2).max(1) };
            if substep % look == 0 && (batch.is_close || substep > 0) {
                batch.watched = LaneValues::ONE;
            } else if !batch.is_watched {
                return;
            }
            batch.gather(plan, blocks, (crowd, grounded));
            width.run_single(Separate { batch, pace, down, look, is_first: substep == 0 });
        });
    }

    /// Moves ragdolls apart that started in each other, and marks their contacts. Returns whether there are some.
    fn part(&mut self, pace: &KernelPace, blocks: &mut [LaneBlock]) -> bool {
        let Self { kept, batches, used, parting, .. } = self;
        let batches = &mut batches[..*used];
        let slots = |batch: &PairBatch, lane: usize| batch.near[lane].sides.map(|(slot, _)| slot);
        let deep = batches.iter().filter(|batch| batch.is_any).flat_map(|batch| {
            let deep = (0..batch.count).filter(|&lane| batch.is_deep.0[lane] != 0.0);
            deep.map(move |lane| slots(batch, lane))
        });
        let met = kept.iter().filter(|kept| !kept.parts).map(|kept| kept.near.sides.map(|(slot, _)| slot));
        if !parting.find(deep, met) {
            return false;
        }
        parting.go(pace.substep * pace.substeps as f32, blocks);
        for batch in batches {
            for lane in 0..batch.count {
                batch.parts.0[lane] = if parting.has(slots(batch, lane)) { 1.0 } else { 0.0 };
            }
        }
        true
    }

    /// Separates overlapping capsules at the start of a substep. `down`: direction of gravity.
    fn separate(
        &mut self,
        plan: &BatchModel,
        pace: &KernelPace,
        (width, down, substep): (Width, [f32; 3], usize),
        blocks: &mut [LaneBlock],
    ) {
        self.find_grounded(plan, blocks);
        self.push(plan, pace, (width, down, substep), blocks);
        if substep == 0 && self.part(pace, blocks) {
            self.push(plan, pace, (width, down, substep), blocks);
        }
        let batches = &mut self.batches[..self.used];
        self.crowd.fill(0);
        for batch in batches.iter().filter(|batch| batch.is_any) {
            batch.give(plan, blocks, &mut self.crowd);
        }
    }
}

impl PairBatch {
    const NONE: Self = Self {
        count: 0,
        is_close: true,
        near: [NearRagdolls { sides: [(0, 0); 2] }; LANES],
        sides: [SideRows::NONE; 2],
        offset: [ZERO; 3],
        slipped: [ZERO; 3],
        before: ZERO,
        is_deep: ZERO,
        parts: ZERO,
        holds: ZERO,
        watched: ZERO,
        is_any: false,
        is_watched: false,
    };

    fn add(&mut self, plan: &BatchModel, near: NearRagdolls, kept: Option<&Kept>, blocks: &[LaneBlock]) {
        let lane = self.count;
        if lane == 0 {
            *self = Self::NONE;
        }
        self.near[lane] = near;
        self.count += 1;
        let offset = offset(blocks, near.sides.map(|(slot, _)| slot));
        (0..3).for_each(|axis| self.offset[axis].0[lane] = offset[axis]);
        let slipped = kept.map_or([0.0; 3], |kept| kept.slipped);
        (0..3).for_each(|axis| self.slipped[axis].0[lane] = slipped[axis]);
        for (rows, (slot, capsule)) in self.sides.iter_mut().zip(near.sides) {
            let capsule = &plan.capsules[capsule];
            let body = &plan.bodies[capsule.body];
            for (end, rows) in capsule.ends.iter().zip(&mut rows.ends) {
                (0..3).for_each(|axis| rows[axis].0[lane] = end[axis]);
            }
            rows.radius.0[lane] = capsule.radius;
            // A sleeping body does not yield and does not move in this step.
            let yields = if blocks[slot / LANES].is_awake(slot % LANES) { 1.0 } else { 0.0 };
            rows.inverse_mass.0[lane] = yields / body.mass;
            (0..3).for_each(|axis| rows.inverse_moments[axis].0[lane] = yields / body.moments[axis]);
        }
    }

    fn gather(&mut self, plan: &BatchModel, blocks: &[LaneBlock], (crowd, grounded): (&[u16], &[LaneValues])) {
        let bodies = plan.bodies.len();
        for (side, rows) in self.sides.iter_mut().enumerate() {
            for (lane, near) in self.near[..self.count].iter().enumerate() {
                if self.watched.0[lane] == 0.0 {
                    continue;
                }
                let (slot, capsule) = near.sides[side];
                let (block, place) = (&blocks[slot / LANES], slot % LANES);
                let body = plan.capsules[capsule].body;
                copy_lane((&mut rows.state, lane), (&block.bodies[body], place));
                rows.is_grounded.0[lane] = grounded[slot / LANES * bodies + body].0[place];
                let count = f32::from(crowd[slot * bodies + body].max(1));
                rows.crowd.0[lane] = if bodies > 1 { count * JOINTED } else { count };
            }
        }
    }

    fn give(&self, plan: &BatchModel, blocks: &mut [LaneBlock], crowd: &mut [u16]) {
        for (side, rows) in self.sides.iter().enumerate() {
            for (lane, near) in self.near[..self.count].iter().enumerate() {
                let (slot, capsule) = near.sides[side];
                let (block, place) = (&mut blocks[slot / LANES], slot % LANES);
                if self.holds.0[lane] == 0.0 || !block.is_awake(place) {
                    continue;
                }
                let body = plan.capsules[capsule].body;
                crowd[slot * plan.bodies.len() + body] += 1;
                let to = &mut block.bodies[body];
                for axis in 0..3 {
                    to.moved[axis].0[place] += rows.shift[axis].0[lane];
                    for component in 0..3 {
                        to.turned[axis][component].0[place] += rows.turned[axis][component].0[lane];
                    }
                }
                block.ceiling.0[place] += rows.work.0[lane];
            }
        }
    }
}

/// SIMD kernel that computes the impulses of a batch.
struct Separate<'a> {
    batch: &'a mut PairBatch,
    pace: &'a KernelPace,
    down: [f32; 3],
    /// Substeps to the next check of all.
    look: usize,
    /// Whether it is the first substep of the step.
    is_first: bool,
}

impl SingleKernel for Separate<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: SingleLanes>(self, token: V::Token) {
        self.batch.is_any = false;
        self.batch.is_watched = false;
        for first in (0..self.batch.count).step_by(V::WIDTH) {
            let lanes = Lanes::<V> { token, first };
            self.batch.is_any |= separate(lanes, self.pace, (self.down, self.look, self.is_first), self.batch);
        }
    }
}

struct PairBody<V> {
    axes: [LaneVector<V>; 3],
    turned: [LaneVector<V>; 3],
    moved: LaneVector<V>,
    /// Center relative to the origin of the first ragdoll at the start of the substep, meters.
    center: LaneVector<V>,
    ends: [LaneVector<V>; 2],
    inverse_mass: V,
    inverse_moments: [V; 3],
}

#[inline(always)]
fn body<V: SingleLanes>(lanes: Lanes<V>, rows: &SideRows, origin: LaneVector<V>) -> PairBody<V> {
    let (axes, turned) = (lanes.vectors(&rows.state.axes), lanes.vectors(&rows.state.turned));
    let moved = lanes.vector(&rows.state.moved);
    let center = lanes.vector(&rows.state.center).plus(origin);
    let predicted = center.plus(moved);
    let now = [axes[0].plus(turned[0]), axes[1].plus(turned[1]), axes[2].plus(turned[2])];
    let first = predicted.plus(combined(&now, lanes.vector(&rows.ends[0])));
    let second = predicted.plus(combined(&now, lanes.vector(&rows.ends[1])));
    let [a, b, c] = &rows.inverse_moments;
    let inverse_moments = [lanes.load(a), lanes.load(b), lanes.load(c)];
    let inverse_mass = lanes.load(&rows.inverse_mass);
    PairBody { axes, turned, moved, center, ends: [first, second], inverse_mass, inverse_moments }
}

#[inline(always)]
fn combined<V: SingleLanes>(axes: &[LaneVector<V>; 3], by: LaneVector<V>) -> LaneVector<V> {
    axes[0].scaled(by.x).plus(axes[1].scaled(by.y)).plus(axes[2].scaled(by.z))
}

impl<V: SingleLanes> PairBody<V> {
    /// Displacement of a point of the body in the substep, meters.
    #[inline(always)]
    fn way(&self, lanes: Lanes<V>, lever: LaneVector<V>) -> LaneVector<V> {
        let [a, b, c] = [
            self.axes[0].cross(self.turned[0]),
            self.axes[1].cross(self.turned[1]),
            self.axes[2].cross(self.turned[2]),
        ];
        self.moved.plus(lanes.times(a.plus(b).plus(c), 0.5).cross(lever))
    }

    /// Upper bound of twice the squared displacement of the capsule ends by rotation, square meters.
    #[inline(always)]
    fn furthest_turn(&self) -> V {
        let [a, b, c] = &self.turned;
        let arm = self.ends[0].minus(self.center);
        let other = self.ends[1].minus(self.center);
        (a.dot(*a) + b.dot(*b) + c.dot(*c)) * arm.dot(arm).greatest(other.dot(other))
    }

    /// Rotation of the body by an impulse at `lever`, radians.
    #[inline(always)]
    fn turn(&self, lever: LaneVector<V>, impulse: LaneVector<V>) -> LaneVector<V> {
        let about = lever.cross(impulse);
        let [a, b, c] = &self.axes;
        let [p, q, r] = self.inverse_moments;
        a.scaled(a.dot(about) * p).plus(b.scaled(b.dot(about) * q)).plus(c.scaled(c.dot(about) * r))
    }

    /// Displacement of the point at `lever` per unit impulse along `direction`, 1/kg.
    #[inline(always)]
    fn yields(&self, lever: LaneVector<V>, direction: LaneVector<V>) -> V {
        self.inverse_mass + self.turn(lever, direction).dot(lever.cross(direction))
    }

    /// Stores the displacements of the body by an impulse, and its work.
    #[inline(always)]
    fn take(&self, lanes: Lanes<V>, rows: &mut SideRows, lever: LaneVector<V>, impulse: LaneVector<V>) {
        let (shift, turn) = (impulse.scaled(self.inverse_mass), self.turn(lever, impulse));
        let half = lanes.times(shift.plus(turn.cross(lever)), 0.5);
        lanes.store(self.way(lanes, lever).plus(half).dot(impulse), &mut rows.work);
        lanes.store_vector(shift, &mut rows.shift);
        for axis in 0..3 {
            lanes.store_vector(turn.cross(self.axes[axis]), &mut rows.turned[axis]);
        }
    }
}

#[inline(always)]
fn separate<V: SingleLanes>(
    lanes: Lanes<V>,
    pace: &KernelPace,
    (down, look, is_first): ([f32; 3], usize, bool),
    batch: &mut PairBatch,
) -> bool {
    let (zero, one) = (lanes.same(0.0), lanes.same(1.0));
    let none = lanes.same_vector([0.0; 3]);
    let a = body(lanes, &batch.sides[0], none);
    let b = body(lanes, &batch.sides[1], lanes.vector(&batch.offset));
    let radii = [lanes.load(&batch.sides[0].radius), lanes.load(&batch.sides[1].radius)];
    let (s, t, between) = nearest(lanes, a.ends, b.ends);
    let (squared, reach) = (between.dot(between), radii[0] + radii[1]);
    let is_near = squared.is_below(reach * reach);
    lanes.store(V::select(is_near, one, zero), &mut batch.holds);
    let moved = a.moved.minus(b.moved);
    let turned = (a.furthest_turn() + b.furthest_turn()).sqrt();
    let way = (moved.dot(moved).sqrt() + turned) * lanes.same(2.0 * look as f32) + reach + lanes.same(SOON);
    let is_watched = squared.is_below(way * way);
    lanes.store(V::select(is_watched, one, zero), &mut batch.watched);
    batch.is_watched |= V::any(is_watched);
    if !V::any(is_near) {
        lanes.store_vector(none, &mut batch.slipped);
        return false;
    }
    let distance = squared.sqrt();
    let is_apart = lanes.same(1e-5).is_below(distance);
    let is_through = distance.is_below(reach * lanes.same(THROUGH));
    let parts = lanes.same(0.5).is_below(lanes.load(&batch.parts));
    let along = between.scaled(one / distance.greatest(lanes.same(1e-5)));
    let normal = LaneVector::select(is_apart, along, lanes.same_vector([0.0, 1.0, 0.0]));
    // Both bodies are pushed at one point, in the middle of the overlap: impulse and reaction act at the same place.
    let on_a = a.ends[0].plus(a.ends[1].minus(a.ends[0]).scaled(s)).minus(normal.scaled(radii[0]));
    let on_b = b.ends[0].plus(b.ends[1].minus(b.ends[0]).scaled(t)).plus(normal.scaled(radii[1]));
    // Levers are measured at the start of the substep, like all impulses in it; otherwise angular momentum would drift.
    let at = lanes.times(on_a.plus(on_b).minus(a.moved).minus(b.moved), 0.5);
    let levers = [at.minus(a.center), at.minus(b.center)];
    let slip = a.way(lanes, levers[0]).minus(b.way(lanes, levers[1]));
    let approach = slip.dot(normal);
    // A body that lies on the ground does not yield towards it.
    let press = normal.dot(lanes.same_vector(down));
    let (on_first, on_second) = (press.greatest(zero), (-press).greatest(zero));
    let grounded = lanes.same(1.0 - GROUNDED);
    let share_a = one - on_first * on_first * lanes.load(&batch.sides[0].is_grounded) * grounded;
    let share_b = one - on_second * on_second * lanes.load(&batch.sides[1].is_grounded) * grounded;
    let tiny = lanes.same(1e-12);
    let (crowd_a, crowd_b) = (lanes.load(&batch.sides[0].crowd), lanes.load(&batch.sides[1].crowd));
    let grip = (GRIP * pace.substep).min(1.0);
    let (share_a, share_b) = (share_a * crowd_a, share_b * crowd_b);
    let weight = a.yields(levers[0], normal) * share_a + b.yields(levers[1], normal) * share_b;
    let overlap = reach - distance;
    if is_first {
        let before = (overlap + approach.least(zero)).greatest(zero);
        lanes.store(V::select(is_near, before, zero), &mut batch.before);
        // What came together in a step whose search did not expect it has met, and not started, there.
        let came = (-approach).greatest(zero) * lanes.same(pace.substeps as f32);
        let is_deep = V::both(is_near, (reach * lanes.same(DEEP) + came).is_below(before));
        lanes.store(V::select(is_deep, one, zero), &mut batch.is_deep);
    }
    let [slowly, fast] = RECOVERY.map(|speed| lanes.same(pace.substep * speed));
    let made = (overlap - lanes.load(&batch.before)).greatest(zero);
    let recovered = if pace.substep <= FIRM {
        made.least(fast) + overlap.least(slowly)
    } else {
        (overlap * lanes.same((STIFFNESS * pace.substep).min(1.0))).least(slowly)
    };
    let recovered = V::select(parts, zero, recovered);
    let stop = (recovered - approach).least(overlap).greatest(zero);
    let pressed = V::select(V::both(is_through, parts), zero, stop / weight.greatest(tiny));
    let slide = slip.minus(normal.scaled(approach));
    let slipped = lanes.vector(&batch.slipped);
    let slipped = slipped.minus(normal.scaled(slipped.dot(normal))).plus(slide);
    let wanted = slide.plus(lanes.times(slipped, grip));
    let size = wanted.dot(wanted).sqrt().greatest(lanes.same(1e-9));
    let tangent = wanted.scaled(one / size);
    let weight = a.yields(levers[0], tangent) * crowd_a + b.yields(levers[1], tangent) * crowd_b;
    let most = pressed * lanes.same(pace.friction);
    let rubbed = (size / weight.greatest(tiny)).least(most);
    // The saved slip of a sliding contact is limited to what friction can hold.
    let bent = slipped.dot(slipped).sqrt().greatest(lanes.same(1e-9));
    let slipped = slipped.scaled((most * weight / (bent * lanes.same(grip))).least(one));
    lanes.store_vector(LaneVector::select(is_near, slipped, none), &mut batch.slipped);
    let impulse = normal.scaled(pressed).minus(tangent.scaled(rubbed));
    let impulse = LaneVector::select(is_near, impulse, none);
    let [first, second] = &mut batch.sides;
    a.take(lanes, first, levers[0], impulse);
    b.take(lanes, second, levers[1], -impulse);
    true
}
