//! How bodies hang together: the order in which a tree is solved, and which joints close loops.

use super::Joint;

/// The order in which bodies are eliminated.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Forest {
    /// Bodies, every child before its parent.
    pub order: Vec<usize>,
    /// The joint by which a body hangs on another or on the world.
    pub hangs_by: Vec<Option<usize>>,
    /// The body it hangs on.
    pub parent: Vec<Option<usize>>,
    /// Whether the body is what the joint calls its parent.
    pub is_turned: Vec<bool>,
    /// Joints that close loops, in order.
    pub closing: Vec<usize>,
    /// Which tree a body belongs to, numbered by the first body of each.
    pub tree: Vec<usize>,
    /// Number of trees.
    pub trees: usize,
    /// Where the bodies of each tree stand in the order.
    pub spans: Vec<core::ops::Range<usize>>,
}

impl Forest {
    /// The forest of joints between `bodies` bodies. What hangs on the world hangs from there; else the first body is the root.
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

    /// The forest without the trees that `is_left_out`; indices stay what they are.
    pub fn without(&self, is_left_out: impl Fn(usize) -> bool) -> Self {
        let mut rest = self.clone();
        rest.leave_out(self, is_left_out);
        rest
    }

    /// Becomes what [`Self::without`] gives of a forest of the same bodies and joints, and allocates nothing.
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

    /// Becomes one tree of a forest of the same bodies and joints, in a time that does not depend on how many there are.
    pub fn take_one(&mut self, all: &Self, tree: usize) {
        for body in self.order.drain(..) {
            self.spans[self.tree[body]] = 0..0;
        }
        self.order.extend_from_slice(all.of_tree(tree));
        self.spans[tree] = 0..self.order.len();
    }

    /// Joints of this forest: those by which its bodies hang, then those that close loops.
    pub fn joints(&self, joints: &[Joint]) -> impl Iterator<Item = usize> {
        let closing = self.closing.iter().copied().filter(|&joint| self.has(joints[joint].child));
        self.order.iter().filter_map(|&body| self.hangs_by[body]).chain(closing)
    }

    /// Whether the tree of a body is in this forest; see [`Self::without`].
    pub fn has(&self, body: usize) -> bool {
        !self.spans[self.tree[body]].is_empty()
    }

    /// The bodies of a tree in the order of [`Self::order`]; none where it was left out.
    pub fn of_tree(&self, tree: usize) -> &[usize] {
        &self.order[self.spans[tree].clone()]
    }

    /// Everything that hangs on a root, breadth first.
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
