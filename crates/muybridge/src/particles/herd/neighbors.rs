//! Which capsules of different ragdolls may touch within a step: boxes, a sweep along x, then body by body.
//!
//! ```text
//! reach of a body = greatest distance of its skin from its center + what it moves in the step + half of NEAR
//! box             = all centers ± reaches, world axes, f64
//! near            where the axes of two capsules are nearer than r_1 + r_2 + NEAR + (‖Δv‖ + spins · lengths) · step
//! ```
//! The list is in the order of (ragdoll, capsule, ragdoll, capsule) whatever the order of the sweep was. Broad phase: sort and sweep,
//! Baraff 1992; distances of segments: Ericson 2005, 5.1.9.

use super::HerdSettings;
use super::block::Block;
use super::pair_contact::nearest;
use super::plan::Plan;
use super::rows::{LANES, Lanes};
use crate::math::arithmetic::Single;
use crate::math::lane_rotation::LaneVector;
use crate::particles::contact::make_room;

/// Distance within which capsules are looked at, metres, on top of what they move.
const NEAR: f32 = 0.04;

/// Distance at which a capsule touches, for waking: metres.
const TOUCH: f32 = 0.002;

/// Speed of a body, in rest speeds, that wakes what it touches, if its ragdoll has not stayed near one place for as long as that
/// speed would have carried it away.
const WAKING: u32 = 10;

/// Ragdolls with overlapping boxes, per ragdoll of a heap, with room to spare: in the heap of 64 they are 13.
const COUPLES: usize = 32;

/// Pairs of capsules that may touch, per ragdoll of a heap, with room to spare: in the heap of 64 they are 46.
const NEAR_ONE: usize = 64;

/// There is no more room than for so many pairs of capsules (which are half a kilobyte each): in larger heaps the lists grow.
const MOST_NEAR: usize = 1 << 16;

/// Two capsules that may touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Near {
    /// Slot and index of the capsule; the lower slot first.
    pub sides: [(usize, usize); 2],
}

/// What is found, and room to find it in.
#[derive(Clone, Debug, Default)]
pub struct Neighbors {
    /// Capsules that may touch, in order.
    pub near: Vec<Near>,
    /// Greatest distance of the skin of each body from its center, metres.
    reaches: Vec<f32>,
    /// Capsules of a ragdoll.
    capsules: usize,
    boxes: Vec<Bounds>,
    order: Vec<usize>,
    couples: Vec<[usize; 2]>,
    spots: Vec<Spot>,
    /// Ends of the axes of all capsules, metres from the origin of their ragdoll: by slot and capsule.
    ends: Vec<[[f32; 3]; 2]>,
    facing: Vec<(usize, Spot)>,
}

/// Where a body is.
#[derive(Clone, Copy, Debug, Default)]
struct Spot {
    /// Metres from the origin of its ragdoll.
    center: [f32; 3],
    /// How far it reaches in the step, metres.
    around: f32,
    /// The most that its skin moves in the step, metres.
    way: f32,
}

/// A box in the world, metres.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    least: [f64; 3],
    most: [f64; 3],
    is_awake: bool,
}

impl Bounds {
    fn overlaps(&self, other: &Self) -> bool {
        (0..3).all(|axis| self.least[axis] <= other.most[axis] && other.least[axis] <= self.most[axis])
    }
}

impl Neighbors {
    /// For ragdolls of this plan.
    pub fn new(plan: &Plan) -> Self {
        let mut reaches = vec![0.0_f32; plan.bodies.len()];
        for capsule in &plan.capsules {
            let reach = &mut reaches[capsule.body];
            *reach = capsule.ends.map(|end| length(end) + capsule.radius).into_iter().fold(*reach, f32::max);
        }
        Self { reaches, capsules: plan.capsules.len(), ..Self::default() }
    }

    /// Room for so many places: exact but for what may touch, which has no bound that would be worth its memory.
    pub fn reserve(&mut self, places: usize) {
        let bodies = self.reaches.len();
        make_room(&mut self.boxes, places);
        make_room(&mut self.order, places);
        make_room(&mut self.spots, places * bodies);
        make_room(&mut self.ends, places * self.capsules);
        make_room(&mut self.facing, bodies);
        make_room(&mut self.couples, (places * COUPLES.min(places)).min(MOST_NEAR));
        make_room(&mut self.near, room_for_pairs(places));
    }

    /// Finds what may touch in the coming step, and wakes sleepers that something runs into.
    pub fn find(&mut self, plan: &Plan, settings: &HerdSettings, blocks: &mut [Block]) {
        let waking = (f64::from(WAKING) * settings.rest_speed * settings.time_step) as f32;
        self.near.clear();
        self.couples.clear();
        self.surround(blocks);
        self.sweep();
        self.stretch(plan, blocks);
        for index in 0..self.couples.len() {
            let couple = self.couples[index];
            self.compare(plan, couple, (waking, settings.rest_steps / WAKING), blocks);
        }
        self.near.sort_unstable();
    }

    /// Boxes of all ragdolls. Empty places and ragdolls that are nowhere have none.
    fn surround(&mut self, blocks: &[Block]) {
        let bodies = self.reaches.len();
        self.boxes.clear();
        self.order.clear();
        self.spots.clear();
        self.spots.resize(blocks.len() * LANES * bodies, Spot::default());
        for (index, block) in blocks.iter().enumerate() {
            let (mut least, mut most) = ([[f32::MAX; LANES]; 3], [[f32::MIN; LANES]; 3]);
            for (body, (rows, &reach)) in block.bodies.iter().zip(&self.reaches).enumerate() {
                let mut around = [0.0; LANES];
                for lane in 0..LANES {
                    let substeps = block.substeps(lane) as f32;
                    let moved = length(rows.moved.map(|row| row.0[lane]));
                    let turned: f32 = rows.turned.iter().flatten().map(|row| row.0[lane] * row.0[lane]).sum();
                    around[lane] = reach + 0.5 * NEAR + moved * substeps;
                    let way = (moved + (0.5 * turned).sqrt() * reach) * substeps;
                    let center = rows.center.map(|row| row.0[lane]);
                    self.spots[(index * LANES + lane) * bodies + body] = Spot { center, around: around[lane], way };
                }
                for axis in 0..3 {
                    for lane in 0..LANES {
                        let center = rows.center[axis].0[lane];
                        least[axis][lane] = least[axis][lane].min(center - around[lane]);
                        most[axis][lane] = most[axis][lane].max(center + around[lane]);
                    }
                }
            }
            for lane in 0..LANES {
                let origin = block.origins[lane].map(f64::from);
                let least = core::array::from_fn(|axis| origin[axis] + f64::from(least[axis][lane]));
                let most = core::array::from_fn(|axis| origin[axis] + f64::from(most[axis][lane]));
                let bounds = Bounds { least, most, is_awake: block.is_awake(lane) };
                self.boxes.push(bounds);
                let is_somewhere = least.iter().chain(&most).all(|value| value.abs() < 1e10);
                if is_somewhere && !block.is_empty(lane) {
                    self.order.push(index * LANES + lane);
                }
            }
        }
    }

    /// Ragdolls whose boxes overlap, not both asleep.
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

    /// Ends of the capsules of all that have a couple.
    fn stretch(&mut self, plan: &Plan, blocks: &[Block]) {
        self.ends.clear();
        if self.couples.is_empty() {
            return;
        }
        self.ends.resize(blocks.len() * LANES * self.capsules, [[0.0; 3]; 2]);
        for (index, block) in blocks.iter().enumerate() {
            for (capsule, data) in plan.capsules.iter().enumerate() {
                let rows = &block.bodies[data.body];
                for (side, end) in data.ends.iter().enumerate() {
                    for axis in 0..3 {
                        for lane in 0..LANES {
                            let turned = end[0] * rows.axes[0][axis].0[lane] + end[1] * rows.axes[1][axis].0[lane];
                            let arm = turned + end[2] * rows.axes[2][axis].0[lane];
                            let slot = index * LANES + lane;
                            self.ends[slot * self.capsules + capsule][side][axis] = rows.center[axis].0[lane] + arm;
                        }
                    }
                }
            }
        }
    }

    /// The capsules of two ragdolls. `waking`: metres in a step.
    fn compare(&mut self, plan: &Plan, slots: [usize; 2], (waking, recent): (f32, u32), blocks: &mut [Block]) {
        let (offset, bodies) = (offset(blocks, slots), plan.bodies.len());
        let [a, b] = slots.map(|slot| (&blocks[slot / LANES], slot % LANES));
        let origin = a.0.origins[a.1].map(f64::from);
        let from_first = |value: &[f64; 3]| -> [f32; 3] { core::array::from_fn(|k| (value[k] - origin[k]) as f32) };
        let bounds = slots.map(|slot| [from_first(&self.boxes[slot].least), from_first(&self.boxes[slot].most)]);
        let is_inside = |spot: &Spot, [least, most]: &[[f32; 3]; 2]| {
            (0..3).all(|k| spot.center[k] + spot.around >= least[k] && spot.center[k] - spot.around <= most[k])
        };
        let facing = &mut self.facing;
        facing.clear();
        for (body, spot) in self.spots[slots[1] * bodies..][..bodies].iter().enumerate() {
            let center = core::array::from_fn(|k| spot.center[k] + offset[k]);
            let spot = Spot { center, ..*spot };
            if is_inside(&spot, &bounds[0]) {
                facing.push((body, spot));
            }
        }
        let mut is_hit = [false; 2];
        let is_moving = [a, b].map(|(block, lane)| block.rested(lane) <= recent);
        for (first, spot) in self.spots[slots[0] * bodies..][..bodies].iter().enumerate() {
            if !is_inside(spot, &bounds[1]) {
                continue;
            }
            for (second, other) in facing.iter() {
                let [x, y, z] = core::array::from_fn(|k| spot.center[k] - other.center[k]);
                let both = spot.around + other.around;
                if x * x + y * y + z * z >= both * both {
                    continue;
                }
                for one in plan.bodies[first].capsules.clone() {
                    for two in plan.bodies[*second].capsules.clone() {
                        let ends = [(0, one), (1, two)].map(|(side, one)| self.ends[slots[side] * self.capsules + one]);
                        let radii = plan.capsules[one].radius + plan.capsules[two].radius;
                        let gap = distance(ends, offset) - radii - spot.way - other.way;
                        if gap < NEAR {
                            self.near.push(Near { sides: [(slots[0], one), (slots[1], two)] });
                        }
                        is_hit[1] |= gap < TOUCH && is_moving[0] && spot.way > waking;
                        is_hit[0] |= gap < TOUCH && is_moving[1] && other.way > waking;
                    }
                }
            }
        }
        for (slot, is_hit) in slots.into_iter().zip(is_hit) {
            if is_hit && blocks[slot / LANES].is_asleep(slot % LANES) {
                blocks[slot / LANES].disturb(slot % LANES, recent + 1);
            }
        }
    }
}

/// How many pairs of capsules lists have room for.
pub fn room_for_pairs(places: usize) -> usize {
    (places * NEAR_ONE).min(MOST_NEAR)
}

/// From the origin of the first ragdoll to that of the second, metres: whole numbers, which an f32 has up to sixteen kilometres of thousands.
pub fn offset(blocks: &[Block], slots: [usize; 2]) -> [f32; 3] {
    let [a, b] = slots.map(|slot| blocks[slot / LANES].origins[slot % LANES]);
    core::array::from_fn(|axis| (f64::from(b[axis]) - f64::from(a[axis])) as f32)
}

/// Distance of two segments, metres, the second moved by `offset`.
fn distance([first, second]: [[[f32; 3]; 2]; 2], offset: [f32; 3]) -> f32 {
    let lanes = Lanes::<Single> { token: (), first: 0 };
    let vector = |[x, y, z]: [f32; 3]| LaneVector { x: Single(x), y: Single(y), z: Single(z) };
    let moved = |end: [f32; 3]| core::array::from_fn(|axis| end[axis] + offset[axis]);
    let (_, _, between) = nearest(lanes, first.map(vector), second.map(|end| vector(moved(end))));
    between.dot(between).0.sqrt()
}

fn length([x, y, z]: [f32; 3]) -> f32 {
    (x * x + y * y + z * z).sqrt()
}
