//! Detection of capsule pairs of two ragdolls: each capsule of one against all capsules of the other in parallel.
//!
//! ```text
//! ‖m_a − m_b‖ < around_a + around_b       m: midpoints of the axes; around: ½ length + radius + way + ½ NEAR
//! near            the axes of two capsules are nearer than r_a + r_b + NEAR + way_a + way_b
//! way             displacement of the skin in the step: (‖Δc‖ + ½√2 ‖Δf‖ · reach) · substeps
//! ```
//! Distances of segments: Ericson 2005, 5.1.9.

use super::block::LaneBlock;
use super::neighbors::{AwakeBox, NearRagdolls, offset};
use super::pair_contact::nearest;
use super::plan::BatchModel;
use super::rows::{LANES, LaneRow, LaneValues, Lanes, ZERO};
use crate::collision::thinning::Thinning;
use crate::math::lane_rotation::LaneVector;
use crate::math::single_lanes::{SingleKernel, SingleLanes};

/// Detection margin between capsules in addition to their motion, meters.
pub const NEAR: f32 = 0.04;

/// Gap below which a moving capsule wakes another ragdoll, meters.
const TOUCH: f32 = 0.002;

/// Coordinate of a capsule that is far from every ragdoll, meters.
const NOWHERE: f32 = 1e18;

/// Sixteen capsules, one per lane: one of each ragdoll of a block, or sixteen of one ragdoll. Coordinates are relative
/// to the origins of the ragdolls, meters.
#[derive(Clone, Copy, Debug)]
pub struct CapsuleRows {
    /// Ends of the axis of each capsule, meters.
    ends: [[LaneValues; 3]; 2],
    /// Radius of a sphere about the midpoint that covers the capsule during the step, meters.
    around: LaneValues,
    /// Greatest displacement of the skin in the step, meters.
    way: LaneValues,
    radius: LaneValues,
}

impl CapsuleRows {
    /// Placeholder for a missing capsule, out of reach of everything.
    pub const NOWHERE: Self = {
        let far: LaneValues = LaneValues(LaneRow([NOWHERE; LANES]));
        Self { ends: [[far; 3]; 2], around: ZERO, way: ZERO, radius: ZERO }
    };

    /// Copies one capsule from another row.
    pub fn copy_lane(&mut self, lane: usize, (from, from_lane): (&Self, usize)) {
        for end in 0..2 {
            for axis in 0..3 {
                self.ends[end][axis].0[lane] = from.ends[end][axis].0[from_lane];
            }
        }
        self.around.0[lane] = from.around.0[from_lane];
        self.way.0[lane] = from.way.0[from_lane];
        self.radius.0[lane] = from.radius.0[from_lane];
    }

    #[inline(always)]
    fn ends<V: SingleLanes>(&self, lanes: Lanes<V>) -> [LaneVector<V>; 2] {
        [lanes.vector(&self.ends[0]), lanes.vector(&self.ends[1])]
    }

    fn end_of(&self, lane: usize, end: usize) -> [f32; 3] {
        core::array::from_fn(|axis| self.ends[end][axis].0[lane])
    }

    /// Box of a capsule in the world, by the origin of its ragdoll; a bit larger than its part of the ragdoll's box.
    fn reach_of(&self, lane: usize, origin: [i32; 3]) -> AwakeBox {
        let [one, other] = [0, 1].map(|end| self.end_of(lane, end));
        let skin = f64::from(self.radius.0[lane] + self.way.0[lane] + NEAR);
        let bound = |axis: usize, of: f32, side: f64| f64::from(origin[axis]) + f64::from(of) + side * skin;
        AwakeBox {
            least: core::array::from_fn(|axis| bound(axis, one[axis].min(other[axis]), -1.0)),
            most: core::array::from_fn(|axis| bound(axis, one[axis].max(other[axis]), 1.0)),
            is_awake: true,
        }
    }
}

/// SIMD kernel: capsules of a block in a step and bounding boxes of its ragdolls, meters from their origins.
pub struct Surround<'a> {
    /// Constants of the topology.
    pub plan: &'a BatchModel,
    /// The block of ragdolls.
    pub block: &'a LaneBlock,
    /// Output: one row per capsule of the model.
    pub capsules: &'a mut [CapsuleRows],
    /// Output: least and greatest coordinates of each ragdoll, meters.
    pub bounds: &'a mut [[LaneValues; 3]; 2],
}

impl SingleKernel for Surround<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: SingleLanes>(self, token: V::Token) {
        for first in (0..LANES).step_by(V::WIDTH) {
            let lanes = Lanes::<V> { token, first };
            let substeps = lanes.load(&<LaneValues>::of(|lane| self.block.substeps[lane] as f32));
            let mut least = lanes.same_vector([f32::MAX; 3]);
            let mut most = lanes.same_vector([f32::MIN; 3]);
            for (capsule, rows) in self.plan.capsules.iter().zip(self.capsules.iter_mut()) {
                let body = &self.block.bodies[capsule.body];
                let (axes, turned) = (lanes.vectors(&body.axes), lanes.vectors(&body.turned));
                let (center, moved) = (lanes.vector(&body.center), lanes.vector(&body.moved));
                let ends = [
                    center.plus(lanes.combined(&axes, &capsule.ends[0])),
                    center.plus(lanes.combined(&axes, &capsule.ends[1])),
                ];
                let turn = turned[0].dot(turned[0]) + turned[1].dot(turned[1]) + turned[2].dot(turned[2]);
                let reach = capsule.ends.map(length).into_iter().fold(0.0, f32::max) + capsule.radius;
                let turn = (turn * lanes.same(0.5)).sqrt() * lanes.same(reach);
                let way = (moved.dot(moved).sqrt() + turn) * substeps;
                let [a, b] = capsule.ends;
                let half = 0.5 * length([a[0] - b[0], a[1] - b[1], a[2] - b[2]]);
                let around = way + lanes.same(half + capsule.radius + 0.5 * NEAR);
                for end in 0..2 {
                    lanes.store_vector(ends[end], &mut rows.ends[end]);
                }
                lanes.store(way, &mut rows.way);
                lanes.store(around, &mut rows.around);
                lanes.store(lanes.same(capsule.radius), &mut rows.radius);
                let skin = way + lanes.same(capsule.radius + 0.5 * NEAR);
                let skin = LaneVector { x: skin, y: skin, z: skin };
                for end in ends {
                    least = least_of(least, end.minus(skin));
                    most = -least_of(-most, -(end.plus(skin)));
                }
            }
            lanes.store_vector(least, &mut self.bounds[0]);
            lanes.store_vector(most, &mut self.bounds[1]);
        }
    }
}

#[inline(always)]
fn least_of<V: SingleLanes>(a: LaneVector<V>, b: LaneVector<V>) -> LaneVector<V> {
    LaneVector { x: a.x.least(b.x), y: a.y.least(b.y), z: a.z.least(b.z) }
}

/// SIMD kernel: compares the capsules of ragdolls whose boxes overlap.
pub struct Compare<'a> {
    /// Constants of the topology.
    pub plan: &'a BatchModel,
    /// Pairs of slots whose boxes overlap.
    pub couples: &'a [[usize; 2]],
    /// Capsules of each slot in a pair, sixteen per row.
    pub faces: &'a [CapsuleRows],
    /// Index of the first row in `faces` of each slot.
    pub places: &'a [u32],
    /// The blocks of ragdolls.
    pub blocks: &'a [LaneBlock],
    /// Boxes of the ragdolls, by slot.
    pub boxes: &'a [AwakeBox],
    /// Waking condition: displacement per step (meters) of a ragdoll that has stayed near one place for at most this
    /// many steps.
    pub waking: (f32, u32),
    /// Output: capsule pairs that are near, and their gaps, meters.
    pub near: &'a mut Vec<(NearRagdolls, f32)>,
    /// What thins them, and their number from which it does.
    pub thinned: (&'a mut Thinning, usize),
    /// Output: sleeping slots that a moving ragdoll hits.
    pub hit: &'a mut Vec<usize>,
}

impl SingleKernel for Compare<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: SingleLanes>(mut self, token: V::Token) {
        let pair = |(near, gap): &(NearRagdolls, f32)| {
            let [a, b] = near.sides.map(|(slot, _)| slot as u64);
            Some((a << 32 | b, f64::from(*gap)))
        };
        let mut room = 2 * self.thinned.1;
        self.thinned.0.begin();
        for couple in self.couples {
            self.compare::<V>(token, *couple);
            if self.near.len() > room {
                self.thinned.0.thin(self.near, self.thinned.1, pair);
                room = 2 * self.near.len().max(self.thinned.1);
            }
        }
        self.thinned.0.thin(self.near, self.thinned.1, pair);
    }
}

impl Compare<'_> {
    #[inline(always)]
    fn compare<V: SingleLanes>(&mut self, token: V::Token, slots: [usize; 2]) {
        let offset = offset(self.blocks, slots);
        let chunks = self.plan.capsules.len().div_ceil(LANES);
        let [first, second] = slots.map(|slot| &self.faces[self.places[slot] as usize..][..chunks]);
        let (waking, recent) = self.waking;
        let is_moving = slots.map(|slot| self.blocks[slot / LANES].rested(slot % LANES) <= recent);
        let mut is_hit = [false; 2];
        let origin = self.blocks[slots[0] / LANES].origins[slots[0] % LANES];
        for one in 0..self.plan.capsules.len() {
            let (rows, lane) = (&first[one / LANES], one % LANES);
            if !self.boxes[slots[1]].overlaps(&rows.reach_of(lane, origin)) {
                continue;
            }
            let shifted = |end: [f32; 3]| core::array::from_fn(|axis| end[axis] - offset[axis]);
            let ends = [0, 1].map(|end| shifted(rows.end_of(lane, end)));
            let (around, way, radius) = (rows.around.0[lane], rows.way.0[lane], rows.radius.0[lane]);
            for (chunk, others) in second.iter().enumerate() {
                for first_lane in (0..LANES).step_by(V::WIDTH) {
                    let lanes = Lanes::<V> { token, first: first_lane };
                    let own = [lanes.same_vector(ends[0]), lanes.same_vector(ends[1])];
                    let theirs = others.ends(lanes);
                    // Twice the vector between the midpoints.
                    let apart = own[0].plus(own[1]).minus(theirs[0].plus(theirs[1]));
                    let both = lanes.same(2.0 * around) + lanes.same(2.0) * lanes.load(&others.around);
                    if !V::any(apart.dot(apart).is_below(both * both)) {
                        continue;
                    }
                    let (_, _, between) = nearest(lanes, own, theirs);
                    let skins = lanes.same(radius + way) + lanes.load(&others.radius) + lanes.load(&others.way);
                    let gap = between.dot(between).sqrt() - skins;
                    let mut near = V::bits(gap.is_below(lanes.same(NEAR)));
                    let touching = V::bits(gap.is_below(lanes.same(TOUCH)));
                    if near == 0 {
                        continue;
                    }
                    let mut gaps = ZERO;
                    lanes.store(gap, &mut gaps);
                    while near != 0 {
                        let place = near.trailing_zeros() as usize;
                        near &= near - 1;
                        let two = chunk * LANES + first_lane + place;
                        let sides = [(slots[0], one), (slots[1], two)];
                        self.near.push((NearRagdolls { sides }, gaps.0[first_lane + place]));
                        if touching >> place & 1 != 0 {
                            is_hit[1] |= is_moving[0] && way > waking;
                            is_hit[0] |= is_moving[1] && others.way.0[first_lane + place] > waking;
                        }
                    }
                }
            }
        }
        for (slot, is_hit) in slots.into_iter().zip(is_hit) {
            if is_hit && self.blocks[slot / LANES].is_asleep(slot % LANES) {
                self.hit.push(slot);
            }
        }
    }
}

fn length([x, y, z]: [f32; 3]) -> f32 {
    (x * x + y * y + z * z).sqrt()
}
