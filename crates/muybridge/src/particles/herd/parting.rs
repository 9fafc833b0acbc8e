//! Ragdolls that start in each other: they are moved apart as wholes, level and without speed.
//!
//! ```text
//! x_a += ½ v h d,  x_b −= ½ v h d        d level, from the root of b to that of a;  ‖Σ‖ ≤ v h for each ragdoll
//! ```
//! Contacts of limbs would throw them, or tie them together: limbs that pass through each other say no side. Only ragdolls
//! part that lie deep in each other and did not touch in the last step.

use glam::Vec3;

use super::block::LaneBlock;
use super::neighbors::{offset, room_for_pairs};
use super::rows::LANES;
use crate::particles::contact::make_room;

/// Pairs of ragdolls that part in a step.
#[derive(Clone, Debug, Default)]
pub struct Parting {
    /// Their slots, sorted.
    pairs: Vec<[usize; 2]>,
    /// Pairs that touched in the last step.
    met: Vec<[usize; 2]>,
    /// Way of each slot, meters.
    ways: Vec<Vec3>,
}

impl Parting {
    /// Reserves memory for `places` slots.
    pub fn reserve(&mut self, places: usize) {
        make_room(&mut self.ways, places);
        make_room(&mut self.pairs, room_for_pairs(places));
        make_room(&mut self.met, room_for_pairs(places));
    }

    /// Finds the pairs: those that are `deep` in each other, without those that have `met`. Returns whether there are some.
    pub fn find(&mut self, deep: impl Iterator<Item = [usize; 2]>, met: impl Iterator<Item = [usize; 2]>) -> bool {
        self.pairs.clear();
        self.pairs.extend(deep);
        if self.pairs.is_empty() {
            return false;
        }
        self.met.clear();
        self.met.extend(met);
        self.met.sort_unstable();
        self.pairs.sort_unstable();
        self.pairs.dedup();
        self.pairs.retain(|slots| self.met.binary_search(slots).is_err());
        !self.pairs.is_empty()
    }

    /// Whether these two part.
    pub fn has(&self, slots: [usize; 2]) -> bool {
        self.pairs.binary_search(&slots).is_ok()
    }

    /// Moves them apart, by the way of some seconds.
    pub fn go(&mut self, seconds: f32, blocks: &mut [LaneBlock]) {
        self.ways.clear();
        self.ways.resize(blocks.len() * LANES, Vec3::ZERO);
        for &slots in &self.pairs {
            let outward = outward(blocks, slots);
            let yields = slots.map(|slot| if blocks[slot / LANES].is_awake(slot % LANES) { 1.0 } else { 0.0 });
            let [a, b] = yields.map(|own: f32| outward * (own / (yields[0] + yields[1]).max(1.0)));
            self.ways[slots[0]] += a;
            self.ways[slots[1]] -= b;
        }
        let most = SPEED * seconds;
        for (slot, way) in self.ways.iter().enumerate().filter(|(_, way)| **way != Vec3::ZERO) {
            let way = (*way * most).clamp_length_max(most).to_array();
            for body in &mut blocks[slot / LANES].bodies {
                (0..3).for_each(|axis| body.center[axis].0[slot % LANES] += way[axis]);
            }
        }
    }
}

/// Unit vector, level, from the root of the second ragdoll to that of the first. Of ragdolls in one place, each has a
/// direction of its own.
fn outward(blocks: &[LaneBlock], slots: [usize; 2]) -> Vec3 {
    let root = |slot: usize| Vec3::from(blocks[slot / LANES].bodies[0].center.map(|row| row.0[slot % LANES]));
    let level = |way: Vec3| Vec3::new(way.x, 0.0, way.z);
    let between = level(root(slots[0]) - root(slots[1]) - Vec3::from(offset(blocks, slots)));
    if between.length() > ONE_PLACE {
        return between.normalize();
    }
    let [a, b] = slots.map(|slot| {
        let angle = GOLDEN_ANGLE * slot as f64;
        Vec3::new(libm::cos(angle) as f32, 0.0, libm::sin(angle) as f32)
    });
    (a - b).normalize_or(Vec3::X)
}

/// Distance of two roots that are in one place, meters.
const ONE_PLACE: f32 = 1e-3;

/// Speed of ragdolls that part, m/s.
const SPEED: f32 = 1.5;

/// Angle between the directions of ragdolls in one place, radians: no two are alike.
const GOLDEN_ANGLE: f64 = 2.399_963_229_728_653;
