//! Broad phase between ragdolls: boxes, a sweep along x, then capsule by capsule.
//!
//! A box covers the motion of a ragdoll in the step, in world axes, f64. If two boxes overlap,
//! [`facing`](super::facing) compares the capsules. The result is sorted by (ragdoll, capsule, ragdoll, capsule). Sort
//! and sweep: Baraff 1992.

use super::HerdSettings;
use super::block::LaneBlock;
use super::encounter::SOON;
use super::facing::{CapsuleRows, Compare, Surround};
use super::plan::BatchModel;
use super::rows::{LANES, ZERO};
use crate::collision::thinning::Thinning;
use crate::particles::contact::make_room;

/// Least speed of a body, in sleep thresholds, that wakes a ragdoll it touches. Its own ragdoll must not have stayed
/// near one place for longer than the rest steps divided by this number.
const WAKING: u32 = 10;

/// Pairs of overlapping boxes per ragdoll of a heap, with margin: the heap of 64 has 13.
const COUPLES: usize = 32;

/// Pairs of near capsules per ragdoll of a heap, with margin: the heap of 64 has 46.
const NEAR_ONE: usize = 64;

/// Greatest number of capsule pairs with reserved memory (half a kilobyte each); in larger heaps the lists grow.
const MOST_NEAR: usize = 1 << 16;

/// Pairs of near capsules per ragdoll from which only the nearest of each two ragdolls count, so that many that start in one
/// place take little memory.
const CROWDED: usize = 4 * NEAR_ONE;

/// Two capsules of different ragdolls that may touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NearRagdolls {
    /// Slot and index of the capsule; the lower slot first.
    pub sides: [(usize, usize); 2],
}

/// A contact saved for the next step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kept {
    /// The two capsules.
    pub near: NearRagdolls,
    /// Slip since the contact began, meters.
    pub slipped: [f32; 3],
    /// Whether the two ragdolls parted as wholes in the step, so that their contacts begin anew.
    pub parts: bool,
}

/// Pairs of near capsules, and the buffers to find them.
#[derive(Clone, Debug, Default)]
pub struct Neighbors {
    /// Pairs of capsules that may touch, sorted: first those that may before the middle of the step.
    near: Vec<NearRagdolls>,
    close: usize,
    /// Those pairs and their gaps, meters.
    found: Vec<(NearRagdolls, f32)>,
    thinning: Thinning,
    boxes: Vec<AwakeBox>,
    order: Vec<usize>,
    couples: Vec<[usize; 2]>,
    /// Capsules of each block, one ragdoll per lane.
    of_blocks: Vec<CapsuleRows>,
    /// Capsules of ragdolls in overlapping boxes, sixteen of one ragdoll per row.
    faces: Vec<CapsuleRows>,
    /// Index of the first row in `faces` of each slot; [`NO_FACE`] if it has none.
    places: Vec<u32>,
    /// Sleeping slots that a moving ragdoll hits.
    hit: Vec<usize>,
}

/// Marks a slot without rows in `faces`.
const NO_FACE: u32 = u32::MAX;

/// Bounding box of a ragdoll in the world, meters.
#[derive(Clone, Copy, Debug)]
pub struct AwakeBox {
    pub least: [f64; 3],
    pub most: [f64; 3],
    pub is_awake: bool,
}

impl AwakeBox {
    /// Whether two boxes share a point.
    pub fn overlaps(&self, other: &Self) -> bool {
        (0..3).all(|axis| self.least[axis] <= other.most[axis] && other.least[axis] <= self.most[axis])
    }
}

impl Neighbors {
    /// Reserves memory for this many slots. It is exact except for the pairs, whose worst case would take too much
    /// memory.
    pub fn reserve(&mut self, plan: &BatchModel, places: usize) {
        let capsules = plan.capsules.len();
        make_room(&mut self.boxes, places);
        make_room(&mut self.order, places);
        make_room(&mut self.places, places);
        make_room(&mut self.hit, (places * COUPLES.min(places)).min(MOST_NEAR));
        make_room(&mut self.of_blocks, places.div_ceil(LANES) * capsules);
        make_room(&mut self.faces, places * capsules.div_ceil(LANES));
        make_room(&mut self.couples, (places * COUPLES.min(places)).min(MOST_NEAR));
        make_room(&mut self.near, room_for_pairs(places));
        make_room(&mut self.found, room_for_pairs(places));
    }

    /// Finds capsule pairs that may touch in the coming step, and wakes sleeping ragdolls that are hit.
    pub fn find(&mut self, plan: &BatchModel, settings: &HerdSettings, blocks: &mut [LaneBlock]) {
        let waking = (f64::from(WAKING) * settings.rest_speed * settings.time_step) as f32;
        let recent = settings.steps_to_rest() / WAKING;
        self.clear();
        self.found.clear();
        self.couples.clear();
        self.hit.clear();
        self.surround(plan, settings, blocks);
        self.sweep();
        self.turn_to_face(plan, blocks.len() * LANES);
        let Self { near, close, found, thinning, boxes, order, couples, faces, places, hit, .. } = self;
        let waking = (waking, recent);
        let most = CROWDED * order.len();
        let thinned = (&mut *thinning, most);
        settings.width.run_single(Compare {
            plan,
            couples,
            faces,
            places,
            blocks,
            boxes,
            waking,
            near: found,
            thinned,
            hit,
        });
        // Gaps are those that the motion of the whole step leaves.
        found.sort_unstable_by_key(|&(near, gap)| (gap >= SOON, near));
        *close = found.partition_point(|&(_, gap)| gap < SOON);
        near.extend(found.iter().map(|(near, _)| near));
        for &slot in hit.iter() {
            blocks[slot / LANES].disturb(slot % LANES, recent + 1);
        }
    }

    /// Pairs that may touch before the middle of the step, and the others; each sorted.
    pub fn by_distance(&self) -> [&[NearRagdolls]; 2] {
        let (close, others) = self.near.split_at(self.close);
        [close, others]
    }

    /// Forgets all pairs.
    pub fn clear(&mut self) {
        self.near.clear();
        self.close = 0;
    }

    /// Computes the boxes of all ragdolls. Empty slots and ragdolls at invalid positions are left out of the sweep.
    fn surround(&mut self, plan: &BatchModel, settings: &HerdSettings, blocks: &[LaneBlock]) {
        let capsules = plan.capsules.len();
        self.boxes.clear();
        self.order.clear();
        self.of_blocks.resize(blocks.len() * capsules, CapsuleRows::NOWHERE);
        for (index, block) in blocks.iter().enumerate() {
            let mut bounds = [[ZERO; 3]; 2];
            let capsules = &mut self.of_blocks[index * capsules..][..capsules];
            settings.width.run_single(Surround { plan, block, capsules, bounds: &mut bounds });
            for lane in 0..LANES {
                let origin = block.origins[lane].map(f64::from);
                let [least, most] = [0, 1].map(|side: usize| {
                    core::array::from_fn(|axis| origin[axis] + f64::from(bounds[side][axis].0[lane]))
                });
                self.boxes.push(AwakeBox { least, most, is_awake: block.is_awake(lane) });
                let is_somewhere = least.iter().chain(&most).all(|value: &f64| value.abs() < 1e10);
                if is_somewhere && !block.is_empty(lane) {
                    self.order.push(index * LANES + lane);
                }
            }
        }
    }

    /// Finds pairs of ragdolls with overlapping boxes, at least one of them awake.
    fn sweep(&mut self) {
        let boxes = &self.boxes;
        self.order.sort_unstable_by(|&a, &b| boxes[a].least[0].total_cmp(&boxes[b].least[0]).then(a.cmp(&b)));
        for (place, &slot) in self.order.iter().enumerate() {
            let own = &boxes[slot];
            for &other in &self.order[place + 1..] {
                let bounds = &boxes[other];
                if bounds.least[0] > own.most[0] {
                    break;
                }
                if (own.is_awake || bounds.is_awake) && own.overlaps(bounds) {
                    self.couples.push([slot.min(other), slot.max(other)]);
                }
            }
        }
        self.couples.sort_unstable();
    }

    /// Collects the capsules of all ragdolls in overlapping boxes, sixteen per row.
    fn turn_to_face(&mut self, plan: &BatchModel, places: usize) {
        let capsules = plan.capsules.len();
        self.faces.clear();
        self.places.clear();
        self.places.resize(places, NO_FACE);
        for &slot in self.couples.iter().flatten() {
            if self.places[slot] != NO_FACE {
                continue;
            }
            let first = self.faces.len();
            self.places[slot] = first as u32;
            self.faces.resize(first + capsules.div_ceil(LANES), CapsuleRows::NOWHERE);
            for (capsule, from) in self.of_blocks[slot / LANES * capsules..][..capsules].iter().enumerate() {
                self.faces[first + capsule / LANES].copy_lane(capsule % LANES, (from, slot % LANES));
            }
        }
    }
}

/// Number of capsule pairs that the lists reserve memory for.
pub fn room_for_pairs(places: usize) -> usize {
    (places * NEAR_ONE).min(MOST_NEAR)
}

/// Vector from the origin of the first ragdoll to that of the second, whole meters: exact in f32 up to 16 000 km.
pub fn offset(blocks: &[LaneBlock], slots: [usize; 2]) -> [f32; 3] {
    let [a, b] = slots.map(|slot| blocks[slot / LANES].origins[slot % LANES]);
    core::array::from_fn(|axis| (f64::from(b[axis]) - f64::from(a[axis])) as f32)
}
