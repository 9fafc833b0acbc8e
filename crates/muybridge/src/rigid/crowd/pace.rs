//! Adaptive substeps: how many steps an instance joins to one stride, and lane packing by pace.
//!
//! ```text
//! stride s   1, 2 or 4 steps of h: per stride a body turns by at most 0.05, and a coming contact nears by at most 4 mm
//! within     s seconds as the unit of time: u s, λ s², g s², a drift of h       so that each lane of a block has its own stride
//! ```
//! A ragdoll that flies without turning, or lies still, needs a quarter of the steps of one that hits. The stride
//! before a hit detects it: its prediction spans the longest stride. All factors are powers of two, so conversion of
//! units loses no bits.

use super::Settings;
use super::block::{InstanceBlock, LANES};
use crate::math::lane_rotation::LaneVector;
use crate::math::lanes::Lanes;

/// Greatest rotation of a body in a stride of more than one step, radians.
const MOST_TURN: f64 = 0.05;

/// Greatest approach to a contact in such a stride, meters.
pub(super) const MOST_WAY: f64 = 0.004;

/// Greatest number of steps per stride.
pub(super) const LONGEST: f64 = 4.0;

/// Weight of the last stride in the running mean of solver iterations.
const NEW: f64 = 0.25;

/// Activity of the instances during a stride, in time units of that stride.
#[derive(Clone, Debug)]
pub(super) struct Unrest<V> {
    /// Square of the greatest angular speed of a body.
    spin: V,
    /// Greatest speed of approach of a coming contact.
    pub hit: V,
    /// Prediction horizon for coming contacts.
    pub ahead: V,
    /// Solver iterations used to find impulses.
    pub walks: V,
}

impl<V: Lanes> Unrest<V> {
    /// State without motion.
    pub fn none(zero: V) -> Self {
        Self { spin: zero, hit: zero, ahead: zero, walks: zero }
    }

    /// Includes the angular velocity of a body.
    #[inline(always)]
    pub fn turns(&mut self, spin: LaneVector<V>) {
        self.spin = self.spin.greatest(spin.dot(spin));
    }
}

/// Stride lengths of the lanes of one vector.
pub(super) struct Pace<V> {
    /// Steps per stride of each lane now.
    pub stride: V,
    /// 1 in lanes with steps left to make.
    pub live: V,
    /// Greatest number of steps per stride.
    pub most: f64,
    last: V,
    done: V,
    steps: f64,
}

impl<V: Lanes> Pace<V> {
    /// Paces of lanes that make `steps` steps; lanes where `present` is 0 make none.
    pub fn new(present: V, settings: &Settings, steps: u32) -> Self {
        let (zero, one) = (present.like(0.0), present.like(1.0));
        let fits = |most: &f64| most * settings.time_step <= settings.longest_step * (1.0 + 1e-9);
        let most = [LONGEST, 2.0].into_iter().find(fits).unwrap_or(1.0);
        let done = (one - present) * f64::from(steps);
        Self { stride: one, live: zero, most, last: one, done, steps: f64::from(steps) }
    }

    /// Chooses the next strides, at most `wanted` steps long. Returns `false` once all steps are made.
    #[inline(always)]
    pub fn goes_on(&mut self, wanted: V) -> bool {
        let one = self.live.like(1.0);
        self.done = self.done + self.stride * self.live;
        let left = one.like(self.steps) - self.done;
        let is_live = one.like(0.5).is_below(left);
        self.live = V::select(is_live, one, one.like(0.0));
        self.last = self.stride;
        let mut stride = one;
        let mut size = 2.0;
        while size <= self.most {
            let rest = self.done - (self.done * (1.0 / size)).floor() * size;
            let fits = V::both(one.like(size - 0.5).is_below(left), rest.is_below(one.like(0.5)));
            let is_wanted = one.like(size - 0.5).is_below(wanted);
            stride = V::select(V::both(fits, is_wanted), one.like(size), stride);
            size *= 2.0;
        }
        self.stride = V::select(is_live, stride, self.stride);
        V::any(is_live)
    }

    /// Factor of velocities from the time unit of the last strides to that of these.
    #[inline(always)]
    pub fn change(&self) -> V {
        self.stride / self.last
    }

    /// Factor of velocities from the time unit of these strides to seconds.
    #[inline(always)]
    pub fn back(&self) -> V {
        self.stride.like(1.0) / self.stride
    }

    /// Longest strides that lanes want next, and their recent solver iterations. `held` is 1 if a joint limit was
    /// corrected.
    #[inline(always)]
    pub fn judge(&self, [_, walks]: [V; 2], unrest: &Unrest<V>, (h, held): (f64, V)) -> [V; 2] {
        let one = self.live.like(1.0);
        let is_held = one.like(0.5).is_below(held);
        let mut wanted = one;
        let mut size = 2.0;
        while size <= self.most {
            let turn = one.like(MOST_TURN / (size * h)) * self.stride;
            let way = one.like(MOST_WAY / (size * h)) * self.stride;
            let is_calm = V::both(unrest.spin.is_below(turn * turn), unrest.hit.is_below(way));
            wanted = V::select(is_calm, one.like(size), wanted);
            size *= 2.0;
        }
        let wanted = V::select(is_held, one, wanted).least(self.stride * 2.0);
        [wanted, walks * (1.0 - NEW) + unrest.walks * NEW]
    }

    /// Mask of live lanes, or `None` if all lanes are live.
    #[inline(always)]
    pub fn some(&self) -> Option<V::Mask> {
        let half = self.live.like(0.5);
        V::any(self.live.is_below(half)).then(|| half.is_below(self.live))
    }
}

/// Repacks instances so that blocks hold instances of similar pace: one with many iterations keeps its neighbors
/// waiting. Unused lanes after the last instance get copies of it.
pub(super) fn pack(blocks: &mut Vec<InstanceBlock>, slots: &mut [usize]) {
    let pace = |slot: usize, which: usize| blocks[slot / LANES].pace[which][slot % LANES];
    let mut order: Vec<usize> = (0..slots.len()).collect();
    order.sort_by(|&a, &b| pace(b, 0).total_cmp(&pace(a, 0)).then(pace(a, 1).total_cmp(&pace(b, 1))));
    let mut place = vec![0; order.len()];
    for (slot, &from) in order.iter().enumerate() {
        place[from] = slot;
    }
    let mut packed = blocks.clone();
    for slot in 0..blocks.len() * LANES {
        let from = order[slot.min(order.len() - 1)];
        packed[slot / LANES].take(slot % LANES, (&blocks[from / LANES], from % LANES));
    }
    for slot in slots {
        *slot = place[*slot];
    }
    *blocks = packed;
}
