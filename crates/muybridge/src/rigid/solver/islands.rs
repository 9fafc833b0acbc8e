//! Which rows act on each other: rows of trees that touch, directly or through others.
//!
//! Rows of one island are solved without those of another, so that each takes the passes it needs itself, whatever else is in the world.

use super::Solver;
use crate::rigid::forest::Forest;
use crate::rigid::row::Of;

/// Rows by island. Keeps its memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Islands {
    /// First rows of contacts, and all other rows but tangents: island after island, in the order of rows.
    pub units: Vec<usize>,
    /// Where those of each island stand.
    pub spans: Vec<core::ops::Range<usize>>,
    /// The least tree of the island of each tree.
    of_tree: Vec<usize>,
    /// The number of each tree's island.
    numbers: Vec<usize>,
    sizes: Vec<usize>,
}

impl Solver {
    /// Sorts rows into islands, numbered by their first rows.
    pub(super) fn find_islands(&mut self, forest: &Forest) {
        let Self { rows, islands, .. } = self;
        islands.join(forest, rows.iter().map(|row| row.bodies));
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
    /// Joins trees that a row joins.
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

    /// The number of the island of a tree; none where it has no rows.
    pub fn of(&self, tree: usize) -> Option<usize> {
        Some(self.numbers[self.of_tree[tree]]).filter(|&number| number != usize::MAX)
    }
}
