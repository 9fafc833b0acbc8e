//! Broad phase: overlapping boxes from an AABB tree, rebuilt in `O(n log n)` and without allocation once warm.
//!
//! Leaves hold up to four boxes. A node is split at the median of the centers along its longest side. The order of
//! results depends on the boxes only. Boxes with a NaN overlap nothing. Specification: mathematics 4.9 (H14).

use glam::DVec3;

use super::obstacle::Pose;

/// Axis-aligned bounding box (AABB), meters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Least corner of the box, meters.
    pub least: DVec3,
    /// Greatest corner of the box, meters.
    pub most: DVec3,
}

impl Aabb {
    /// Empty box.
    pub const NOTHING: Self = Self { least: DVec3::INFINITY, most: DVec3::NEG_INFINITY };

    /// Smallest box around points; a NaN point gives a box that overlaps nothing.
    pub fn around(points: impl IntoIterator<Item = DVec3>) -> Self {
        points.into_iter().fold(Self::NOTHING, |bounds, p| if p.is_nan() { Self::NAN } else { bounds.with(p) })
    }

    const NAN: Self = Self { least: DVec3::NAN, most: DVec3::NAN };

    fn with(self, point: DVec3) -> Self {
        if self.least.is_nan() { self } else { Self { least: self.least.min(point), most: self.most.max(point) } }
    }

    /// Smallest box around two boxes.
    pub fn union(self, other: Self) -> Self {
        Self { least: self.least.min(other.least), most: self.most.max(other.most) }
    }

    /// Middle of the box and half its sides, meters.
    pub fn middle_and_half(&self) -> (DVec3, DVec3) {
        (0.5 * (self.least + self.most), 0.5 * (self.most - self.least))
    }

    /// Smallest box around this box of a frame at a pose of the frame.
    pub fn placed(&self, pose: &Pose) -> Self {
        let (middle, half) = self.middle_and_half();
        let axes = [DVec3::X * half.x, DVec3::Y * half.y, DVec3::Z * half.z].map(|axis| (pose.rotation * axis).abs());
        let (middle, half) = (pose.to_world(middle), axes[0] + axes[1] + axes[2]);
        Self { least: middle - half, most: middle + half }
    }

    /// Box enlarged by `margin` on every side.
    pub fn grown(self, margin: f64) -> Self {
        Self { least: self.least - margin, most: self.most + margin }
    }

    /// Whether the boxes have a point in common.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.least.cmple(other.most).all() && other.least.cmple(self.most).all()
    }

    pub(super) fn is_sound(&self) -> bool {
        self.least.cmple(self.most).all()
    }
}

/// AABB tree over a list of boxes.
#[derive(Clone, Debug, Default)]
pub struct BoundsTree {
    nodes: Vec<AabbNode>,
    order: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct AabbNode {
    bounds: Aabb,
    /// Range of `order` below this node.
    start: u32,
    end: u32,
    /// Index of the node that follows this one and all nodes below it.
    next: u32,
}

/// Greatest number of boxes per leaf. Larger leaves make building cheaper and queries dearer.
const LEAF: usize = 4;

impl BoundsTree {
    /// Reserves memory for `boxes` boxes: later trees over at most as many allocate nothing.
    pub fn reserve(&mut self, boxes: usize) {
        self.order.reserve(boxes.saturating_sub(self.order.len()));
        // Leaves from a split have two boxes or more, so there are no more nodes than boxes.
        self.nodes.reserve(boxes.saturating_sub(self.nodes.len()));
    }

    /// Rebuilds the tree over `boxes`, reusing memory.
    pub fn build(&mut self, boxes: &[Aabb]) {
        self.nodes.clear();
        self.order.clear();
        self.order.extend((0..boxes.len() as u32).filter(|&i| boxes[i as usize].is_sound()));
        if !self.order.is_empty() {
            self.split(boxes, 0, self.order.len());
        }
    }

    /// Appends the node of a range, then the nodes below it.
    fn split(&mut self, boxes: &[Aabb], start: usize, end: usize) {
        let at = self.nodes.len();
        let bounds = self.order[start..end].iter().fold(Aabb::NOTHING, |all, &i| all.union(boxes[i as usize]));
        self.nodes.push(AabbNode { bounds, start: start as u32, end: end as u32, next: 0 });
        if end - start > LEAF {
            let center = |i: u32| boxes[i as usize].least + boxes[i as usize].most;
            let size = bounds.most - bounds.least;
            let axis = if size.x >= size.y && size.x >= size.z { 0 } else { 1 + usize::from(size.z > size.y) };
            let middle = (end - start) / 2;
            self.order[start..end]
                .select_nth_unstable_by(middle, |&a, &b| center(a)[axis].total_cmp(&center(b)[axis]).then(a.cmp(&b)));
            self.split(boxes, start, start + middle);
            self.split(boxes, start + middle, end);
        }
        self.nodes[at].next = self.nodes.len() as u32;
    }

    /// Calls `found` with the index of every box that overlaps `bounds`.
    pub fn overlapping(&self, boxes: &[Aabb], bounds: &Aabb, mut found: impl FnMut(usize)) {
        let mut at = 0;
        while let Some(node) = self.nodes.get(at) {
            if !node.bounds.overlaps(bounds) {
                at = node.next as usize;
                continue;
            }
            at += 1;
            if node.next as usize == at {
                for &i in &self.order[node.start as usize..node.end as usize] {
                    if boxes[i as usize].overlaps(bounds) {
                        found(i as usize);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::random::Random;

    #[test]
    fn the_tree_finds_what_testing_every_pair_finds() {
        let mut random = Random::new(5);
        let mut tree = BoundsTree::default();
        for count in [0, 1, 2, 7, 300] {
            let boxes: Vec<Aabb> = (0..count)
                .map(|_| {
                    let center = random.vector();
                    Aabb::around([center, center + random.vector() * 0.2])
                })
                .collect();
            tree.build(&boxes);
            for a in 0..boxes.len() {
                let mut found = Vec::new();
                tree.overlapping(&boxes, &boxes[a], |b| found.push(b));
                found.sort_unstable();
                let all: Vec<usize> = (0..boxes.len()).filter(|&b| boxes[a].overlaps(&boxes[b])).collect();
                assert_eq!(found, all);
            }
        }
    }

    #[test]
    fn a_box_that_is_no_number_overlaps_nothing() {
        let boxes = [Aabb::around([DVec3::NAN, DVec3::ONE]), Aabb::around([DVec3::ZERO, DVec3::ONE])];
        let mut tree = BoundsTree::default();
        tree.build(&boxes);
        let mut found = Vec::new();
        tree.overlapping(&boxes, &Aabb { least: DVec3::splat(-9.0), most: DVec3::splat(9.0) }, |i| found.push(i));
        assert_eq!(found, [1]);
        assert!(!boxes[0].overlaps(&boxes[1]));
    }

    #[test]
    fn many_equal_boxes_still_split() {
        let boxes = vec![Aabb::around([DVec3::ZERO, DVec3::ONE]); 1000];
        let mut tree = BoundsTree::default();
        tree.build(&boxes);
        let mut count = 0;
        tree.overlapping(&boxes, &boxes[0], |_| count += 1);
        assert_eq!(count, 1000);
    }
}
