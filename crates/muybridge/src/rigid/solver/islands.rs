//! Islands of rows: rows of trees in contact, directly or through others.
//!
//! Islands are solved separately, so the iterations of one do not depend on the rest of the world.

use super::Solver;
use crate::rigid::forest::Forest;
use crate::rigid::row::Of;

/// Rows by island. Buffers are reused.
#[derive(Clone, Debug, Default)]
pub(super) struct Islands {
    /// Units, island after island, in the order of rows: first rows of contacts, and all other rows except tangents.
    pub units: Vec<usize>,
    /// Span of each island in `units`.
    pub spans: Vec<core::ops::Range<usize>>,
    /// Representative of each tree's island: its smallest tree.
    of_tree: Vec<usize>,
    /// Number of the island with that representative.
    numbers: Vec<usize>,
    sizes: Vec<usize>,
}

impl Solver {
    /// Sorts rows into islands, numbered by their first rows.
    pub(super) fn find_islands(&mut self, forest: &Forest) {
        let Self { rows, islands, .. } = self;
        islands.join(forest, rows.iter().filter(|row| row.of != Of::Tangent).map(|row| row.bodies));
        islands.numbers.clear();
        islands.numbers.resize(forest.trees, usize::MAX);
        islands.sizes.clear();
        let units = || rows.iter().enumerate().filter(|(_, row)| row.of != Of::Tangent);
        let tree = |bodies: [Option<usize>; 2]| bodies.into_iter().flatten().next().map(|body| forest.tree[body]);
        for (_, row) in units() {
            let Some(tree) = tree(row.bodies) else { continue };
            let number = &mut islands.numbers[islands.of_tree[tree]];
            if *number == usize::MAX {
                *number = islands.sizes.len();
                islands.sizes.push(0);
            }
            islands.sizes[*number] += 1;
        }
        islands.spans.clear();
        let mut count = 0;
        for size in &islands.sizes {
            islands.spans.push(count..count);
            count += size;
        }
        islands.units.clear();
        islands.units.resize(count, 0);
        for (index, row) in units() {
            let Some(tree) = tree(row.bodies) else { continue };
            let span = &mut islands.spans[islands.numbers[islands.of_tree[tree]]];
            islands.units[span.end] = index;
            span.end += 1;
        }
    }
}

impl Islands {
    /// Joins trees that share a row.
    fn join(&mut self, forest: &Forest, rows: impl Iterator<Item = [Option<usize>; 2]>) {
        self.of_tree.clear();
        self.of_tree.extend(0..forest.trees);
        for bodies in rows {
            let [Some(a), Some(b)] = bodies.map(|body| body.map(|body| self.root(forest.tree[body]))) else { continue };
            self.of_tree[a.max(b)] = a.min(b);
        }
        for tree in 0..forest.trees {
            self.of_tree[tree] = self.root(tree);
        }
    }

    fn root(&self, mut tree: usize) -> usize {
        while self.of_tree[tree] != tree {
            tree = self.of_tree[tree];
        }
        tree
    }

    /// Number of a tree's island; `None` if the tree has no rows.
    pub fn of(&self, tree: usize) -> Option<usize> {
        Some(self.numbers[self.of_tree[tree]]).filter(|&number| number != usize::MAX)
    }
}
