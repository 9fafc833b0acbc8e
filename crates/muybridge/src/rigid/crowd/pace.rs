//! How many steps an instance makes at once, and who shares a block with whom.
//!
//! ```text
//! stride s   1, 2 or 4 steps of h: no body turns by more than 0.05 in one, nothing that will touch comes nearer by more than 4 mm
//! within     s seconds as the unit of time: u s, λ s², g s², a drift of h       so that lanes of one block have strides of their own
//! ```
//! Most of the time a ragdoll flies without turning or lies; each of those needs a quarter of the steps of a hit. It is told in the stride before, which looks
//! ahead for as long as the longest takes. All factors are powers of two: no bit is lost on the way there and back.

use super::Settings;
use super::block::{InstanceBlock, LANES};
use crate::math::lane_rotation::LaneVector;
use crate::math::lanes::Lanes;

/// Angle by which no body turns in a stride that is not the shortest, radians.
const MOST_TURN: f64 = 0.05;

/// Distance by which nothing that will touch comes nearer in it, metres.
const MOST_WAY: f64 = 0.004;

/// Share of the walks of the last stride in what is told of them.
const NEW: f64 = 0.25;

/// How busy instances are in a stride, in its own units of time.
#[derive(Clone, Debug)]
pub(super) struct Unrest<V> {
    /// Fastest turn of a body by its square.
    spin: V,
    /// Fastest approach of what will touch.
    pub hit: V,
    /// How long that is.
    pub ahead: V,
    /// Walks to find impulses.
    pub walks: V,
}

impl<V: Lanes> Unrest<V> {
    /// Nothing moves.
    pub fn none(zero: V) -> Self {
        Self { spin: zero, hit: zero, ahead: zero, walks: zero }
    }

    /// A body turns.
    #[inline(always)]
    pub fn turns(&mut self, spin: LaneVector<V>) {
        self.spin = self.spin.greatest(spin.dot(spin));
    }
}

/// The strides of a block.
pub(super) struct Pace<V> {
    /// How many steps each lane makes now.
    pub stride: V,
    /// 1 where there are steps to be made.
    pub live: V,
    /// Longest stride.
    pub most: f64,
    last: V,
    done: V,
    steps: f64,
}

impl<V: Lanes> Pace<V> {
    pub fn new(zero: V, settings: &Settings, steps: u32) -> Self {
        let one = zero.like(1.0);
        let fits = |most: &f64| most * settings.time_step <= settings.longest_step * (1.0 + 1e-9);
        let most = [4.0, 2.0].into_iter().find(fits).unwrap_or(1.0);
        Self { stride: one, live: zero, most, last: one, done: zero, steps: f64::from(steps) }
    }

    /// Goes on to the next strides, as long as is wanted; `false` where all steps are made.
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

    /// What velocities are to be multiplied with for the units of these strides.
    #[inline(always)]
    pub fn change(&self) -> V {
        self.stride / self.last
    }

    /// What velocities are to be multiplied with for seconds.
    #[inline(always)]
    pub fn back(&self) -> V {
        self.stride.like(1.0) / self.stride
    }

    /// The longest strides that lanes want next, and their walks of late. `held` is 1 where a joint was brought back.
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

    /// Lanes that take part, if not all do.
    #[inline(always)]
    pub fn some(&self) -> Option<V::Mask> {
        let half = self.live.like(0.5);
        V::any(self.live.is_below(half)).then(|| half.is_below(self.live))
    }
}

/// Puts instances of one pace into the same blocks: what walks long keeps its neighbors waiting. Places behind the last get copies of it.
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
