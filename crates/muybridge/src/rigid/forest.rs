//! Kinematic trees of the joints: elimination order of the bodies, and joints that close loops.

use super::Joint;

/// Joint trees of a model, with the elimination order of the bodies.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Forest {
    /// Bodies, every child before its parent.
    pub order: Vec<usize>,
    /// Joint between a body and its parent or the world; `None` for a free root.
    pub hangs_by: Vec<Option<usize>>,
    /// Parent of a body; `None` for roots.
    pub parent: Vec<Option<usize>>,
    /// Whether the joint is reversed: the body is the joint's `parent`.
    pub is_turned: Vec<bool>,
    /// Joints that close loops, in order.
    pub closing: Vec<usize>,
    /// Tree of each body; trees are numbered by their first body.
    pub tree: Vec<usize>,
    /// Number of trees.
    pub trees: usize,
    /// Span of each tree in `order`.
    pub spans: Vec<core::ops::Range<usize>>,
}

impl Forest {
    /// Builds the trees of `bodies` bodies. Bodies joined to the world are roots; in other trees the first body is the
    /// root.
    pub fn new(bodies: usize, joints: &[Joint]) -> Self {
        let mut neighbors = vec![Vec::new(); bodies];
        for (index, joint) in joints.iter().enumerate() {
            neighbors[joint.child].push(index);
            if let Some(parent) = joint.parent {
                neighbors[parent].push(index);
            }
        }
        let mut forest = Self {
            hangs_by: vec![None; bodies],
            parent: vec![None; bodies],
            is_turned: vec![false; bodies],
            tree: vec![usize::MAX; bodies],
            ..Self::default()
        };
        let mut is_used = vec![false; joints.len()];
        for (index, joint) in joints.iter().enumerate() {
            if joint.parent.is_none() && forest.tree[joint.child] == usize::MAX {
                forest.hangs_by[joint.child] = Some(index);
                is_used[index] = true;
                forest.grow(joint.child, joints, &neighbors, &mut is_used);
            }
        }
        for body in 0..bodies {
            if forest.tree[body] == usize::MAX {
                forest.grow(body, joints, &neighbors, &mut is_used);
            }
        }
        forest.order.reverse();
        for span in &mut forest.spans {
            *span = bodies - span.end..bodies - span.start;
        }
        forest.closing = (0..joints.len()).filter(|&joint| !is_used[joint]).collect();
        forest
    }

    /// Copy of the forest without the trees for which `is_left_out` is true; indices stay.
    pub fn without(&self, is_left_out: impl Fn(usize) -> bool) -> Self {
        let mut rest = self.clone();
        rest.leave_out(self, is_left_out);
        rest
    }

    /// Becomes the result of [`Self::without`] on `all`, without allocation.
    pub fn leave_out(&mut self, all: &Self, is_left_out: impl Fn(usize) -> bool) {
        self.order.clear();
        for tree in 0..all.trees {
            let start = self.order.len();
            if !is_left_out(tree) {
                self.order.extend_from_slice(all.of_tree(tree));
            }
            self.spans[tree] = start..self.order.len();
        }
    }

    /// Becomes a single tree of `all`, in a time independent of the number of trees.
    pub fn take_one(&mut self, all: &Self, tree: usize) {
        for body in self.order.drain(..) {
            self.spans[self.tree[body]] = 0..0;
        }
        self.order.extend_from_slice(all.of_tree(tree));
        self.spans[tree] = 0..self.order.len();
    }

    /// Joints of this forest: tree joints in elimination order, then those that close loops.
    pub fn joints(&self, joints: &[Joint]) -> impl Iterator<Item = usize> {
        let closing = self.closing.iter().copied().filter(|&joint| self.has(joints[joint].child));
        self.order.iter().filter_map(|&body| self.hangs_by[body]).chain(closing)
    }

    /// Whether the tree of a body is in this forest; see [`Self::without`].
    pub fn has(&self, body: usize) -> bool {
        !self.spans[self.tree[body]].is_empty()
    }

    /// Whether a tree has joints: it hangs, or has several bodies.
    pub fn has_joints(&self, tree: usize) -> bool {
        self.of_tree(tree).first().is_some_and(|&leaf| self.hangs_by[leaf].is_some())
    }

    /// Bodies of a tree in the order of [`Self::order`]; empty if the tree was left out.
    pub fn of_tree(&self, tree: usize) -> &[usize] {
        &self.order[self.spans[tree].clone()]
    }

    /// Whether a body of this forest has no joints to other bodies, though one may tie it to the world.
    pub fn is_single(&self, body: usize) -> bool {
        self.of_tree(self.tree[body]).len() == 1
    }

    /// Adds the tree of a root, breadth first.
    fn grow(&mut self, root: usize, joints: &[Joint], neighbors: &[Vec<usize>], is_used: &mut [bool]) {
        let first = self.order.len();
        let mut next = first;
        self.tree[root] = self.trees;
        self.order.push(root);
        while next < self.order.len() {
            let body = self.order[next];
            next += 1;
            for &index in &neighbors[body] {
                let joint = &joints[index];
                let Some(parent) = joint.parent else { continue };
                let other = if joint.child == body { parent } else { joint.child };
                if is_used[index] || self.tree[other] != usize::MAX {
                    continue;
                }
                is_used[index] = true;
                self.tree[other] = self.trees;
                self.hangs_by[other] = Some(index);
                self.parent[other] = Some(body);
                self.is_turned[other] = joint.child == body;
                self.order.push(other);
            }
        }
        self.trees += 1;
        self.spans.push(first..self.order.len());
    }
}
