//! Sort and sweep: overlapping boxes from three sorted lists of endpoints that are kept from step to step.
//!
//! ```text
//! x:  B0 ── B2 ── E0 ── B1 ── E2 ── E1     insertion sort: small motions cause few swaps
//!                       B1 passes E0 ◄──   overlap along x begins: a pair if y and z overlap too
//!                       E0 passes B1 ──►   overlap ends: no pair
//! ```
//! The cost is that of the swaps, one per passing of two endpoints: next to none at rest, `O(n²)` for a pile thrown
//! apart in one step. The cost of [`BoundsTree`](super::broad_phase::BoundsTree) does not depend on motion.
//! Specification: mathematics 4.9 (H14); Baraff 1992, Cohen et al. 1995 (*I-Collide*).

use std::collections::BTreeSet;

use super::broad_phase::Aabb;

/// Overlapping pairs of boxes with the sorted endpoint lists.
#[derive(Clone, Debug, Default)]
pub struct SortAndSweep {
    /// Endpoints of the boxes along x, y and z, sorted.
    axes: [Vec<Endpoint>; 3],
    pairs: BTreeSet<[u32; 2]>,
    swaps: u64,
}

/// Endpoint of a box along an axis: its beginning or its end.
#[derive(Clone, Copy, Debug)]
struct Endpoint {
    at: f64,
    of: u32,
    is_begin: bool,
}

impl Endpoint {
    /// Beginnings come before ends at the same position: touching boxes overlap, as in [`Aabb::overlaps`].
    fn is_before(&self, other: &Self) -> bool {
        self.at < other.at || (self.at == other.at && self.is_begin && !other.is_begin)
    }
}

impl SortAndSweep {
    /// Updates the pairs to the present `boxes`. A different number of boxes rebuilds the lists. Boxes with a NaN and
    /// empty boxes overlap nothing.
    pub fn update(&mut self, boxes: &[Aabb]) {
        if self.axes[0].len() != 2 * boxes.len() {
            self.start(boxes);
            return;
        }
        self.swaps = 0;
        for axis in 0..3 {
            for end in &mut self.axes[axis] {
                end.at = place(&boxes[end.of as usize], axis, end.is_begin);
            }
            self.sort(axis, boxes);
        }
    }

    /// Overlapping pairs in order, smaller index first.
    pub fn pairs(&self) -> impl Iterator<Item = [u32; 2]> + '_ {
        self.pairs.iter().copied()
    }

    /// Number of swaps of endpoints in the last update; 0 after a rebuild.
    pub fn swaps(&self) -> u64 {
        self.swaps
    }

    /// Insertion sort of one axis; every swap of a beginning and an end adds or removes a pair.
    fn sort(&mut self, axis: usize, boxes: &[Aabb]) {
        let ends = &mut self.axes[axis];
        for i in 1..ends.len() {
            let moved = ends[i];
            let mut place = i;
            while place > 0 && moved.is_before(&ends[place - 1]) {
                let passed = ends[place - 1];
                ends[place] = passed;
                place -= 1;
                self.swaps += 1;
                if moved.is_begin != passed.is_begin {
                    let pair = [moved.of.min(passed.of), moved.of.max(passed.of)];
                    // The test uses the new boxes along all axes, so it stays valid once the last axis is sorted.
                    if moved.is_begin && overlap(boxes, pair) {
                        self.pairs.insert(pair);
                    } else if !moved.is_begin {
                        self.pairs.remove(&pair);
                    }
                }
            }
            ends[place] = moved;
        }
    }

    /// Sorts all lists anew and sweeps once along x.
    fn start(&mut self, boxes: &[Aabb]) {
        for (axis, ends) in self.axes.iter_mut().enumerate() {
            ends.clear();
            for (of, bounds) in boxes.iter().enumerate() {
                let end = |is_begin| Endpoint { at: place(bounds, axis, is_begin), of: of as u32, is_begin };
                ends.extend([end(true), end(false)]);
            }
            ends.sort_by(|a, b| a.at.total_cmp(&b.at).then(b.is_begin.cmp(&a.is_begin)));
        }
        self.swaps = 0;
        self.pairs.clear();
        let mut open: Vec<u32> = Vec::new();
        for end in &self.axes[0] {
            if !end.is_begin {
                open.retain(|&of| of != end.of);
                continue;
            }
            for &other in &open {
                let pair = [end.of.min(other), end.of.max(other)];
                if overlap(boxes, pair) {
                    self.pairs.insert(pair);
                }
            }
            open.push(end.of);
        }
    }
}

fn overlap(boxes: &[Aabb], [a, b]: [u32; 2]) -> bool {
    let (a, b) = (&boxes[a as usize], &boxes[b as usize]);
    a.is_sound() && b.is_sound() && a.overlaps(b)
}

/// Position of a box endpoint along an axis. Invalid boxes are placed beyond all others, where they pass nothing.
fn place(bounds: &Aabb, axis: usize, is_begin: bool) -> f64 {
    match (bounds.is_sound(), is_begin) {
        (false, _) => f64::INFINITY,
        (true, true) => bounds.least[axis],
        (true, false) => bounds.most[axis],
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::math::random::Random;

    fn brute(boxes: &[Aabb]) -> Vec<[u32; 2]> {
        let mut pairs = Vec::new();
        for a in 0..boxes.len() {
            for b in a + 1..boxes.len() {
                if boxes[a].overlaps(&boxes[b]) {
                    pairs.push([a as u32, b as u32]);
                }
            }
        }
        pairs
    }

    struct Swarm {
        centers: Vec<DVec3>,
        speeds: Vec<DVec3>,
        halves: Vec<DVec3>,
    }

    impl Swarm {
        fn new(count: usize, seed: u64) -> Self {
            let mut random = Random::new(seed);
            Self {
                centers: (0..count).map(|_| random.vector() * 10.0).collect(),
                speeds: (0..count).map(|_| random.vector()).collect(),
                halves: (0..count).map(|_| random.vector().abs() * 0.9 + 0.1).collect(),
            }
        }

        fn boxes(&self) -> Vec<Aabb> {
            let of = |(&center, &half): (&DVec3, &DVec3)| Aabb { least: center - half, most: center + half };
            self.centers.iter().zip(&self.halves).map(of).collect()
        }

        fn step(&mut self, seconds: f64) {
            for (center, speed) in self.centers.iter_mut().zip(&mut self.speeds) {
                *center += *speed * seconds;
                for axis in 0..3 {
                    if center[axis].abs() > 10.0 {
                        speed[axis] = -center[axis].signum() * speed[axis].abs();
                    }
                }
            }
        }
    }

    #[test]
    fn h14_pairs_are_those_of_brute_force_for_1000_boxes_over_100_steps() {
        let mut swarm = Swarm::new(1000, 14);
        let mut sweep = SortAndSweep::default();
        let mut changes = 0;
        let mut before = Vec::new();
        for step in 0..100 {
            let boxes = swarm.boxes();
            sweep.update(&boxes);
            let pairs: Vec<_> = sweep.pairs().collect();
            assert_eq!(pairs, brute(&boxes), "step {step}");
            changes += usize::from(pairs != before);
            before = pairs;
            swarm.step(1.0 / 60.0);
        }
        assert!(changes > 50 && before.len() > 500, "{changes} {}", before.len());
    }

    #[test]
    fn h14_swaps_grow_with_the_motion_and_there_are_none_at_rest() {
        let swaps = |seconds: f64| {
            let mut swarm = Swarm::new(1000, 15);
            let mut sweep = SortAndSweep::default();
            sweep.update(&swarm.boxes());
            let mut swaps = 0;
            for _ in 0..20 {
                swarm.step(seconds);
                sweep.update(&swarm.boxes());
                swaps += sweep.swaps();
            }
            swaps
        };
        let slow = swaps(1e-3) as f64;
        assert_eq!(swaps(0.0), 0);
        for factor in [2.0, 4.0, 8.0] {
            let ratio = swaps(1e-3 * factor) as f64 / slow;
            assert!((ratio / factor - 1.0).abs() < 0.1, "{factor} times as fast: {ratio} times the swaps");
        }
    }

    #[test]
    fn boxes_that_come_jump_and_are_no_boxes_are_as_brute_force_has_them() {
        let mut random = Random::new(16);
        let mut swarm = Swarm::new(60, 17);
        let mut sweep = SortAndSweep::default();
        for step in 0..200 {
            let which = (random.unit() * 60.0) as usize;
            swarm.centers[which] = random.vector() * 6.0;
            let mut boxes = swarm.boxes();
            if step % 3 == 0 {
                boxes[which] = Aabb::NOTHING;
                boxes[(which + 1) % 60] = Aabb::around([DVec3::NAN]);
            }
            // Endpoints on a lattice coincide exactly.
            for bounds in &mut boxes {
                (bounds.least, bounds.most) = (bounds.least.round(), bounds.most.round());
            }
            boxes.truncate(if step % 50 < 25 { 60 } else { 40 });
            sweep.update(&boxes);
            assert_eq!(sweep.pairs().collect::<Vec<_>>(), brute(&boxes), "step {step}");
        }
    }
}
