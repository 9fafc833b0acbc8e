//! Symmetric matrices of which each line is stored from its first entry to the diagonal, and their Cholesky factors.
//!
//! ```text
//! A = C Cᵀ:  C_ij = (A_ij − Σ_k C_ik C_jk)/C_jj,  k from the later of the first entries of lines i and j to j − 1
//! ```
//! Nothing is ever filled in left of the first entry of a line. Lines join nodes (bodies or trees) as edges do, and are
//! ordered by their distance from an end of the graph, so that few entries lie between first and diagonal (Cuthill and
//! McKee 1969): n lines of a chain take a time of n.

use crate::math::lanes::Lanes;

/// A matrix by its lines, then its factor. Buffers are reused.
#[derive(Clone, Debug)]
pub struct Envelope<V> {
    /// Column of the first entry of each line.
    pub first: Vec<usize>,
    /// Place of column 0 in `entries` for each line, counted as if all columns were stored.
    begins: Vec<isize>,
    /// Entries by lines; the factor has reciprocals on its diagonal.
    pub entries: Vec<V>,
    /// Right-hand side, then the solution.
    pub right: Vec<V>,
    /// Number of items between each node and an end of the graph.
    levels: Vec<usize>,
    /// Ends of the items, without repetitions in a row.
    pairs: Vec<Ends>,
    /// Levels of the ends of each item, and the item.
    keys: Vec<(usize, usize, usize)>,
    /// First line of each node.
    firsts: Vec<usize>,
}

impl<V> Default for Envelope<V> {
    fn default() -> Self {
        Self {
            first: Vec::new(),
            begins: Vec::new(),
            entries: Vec::new(),
            right: Vec::new(),
            levels: Vec::new(),
            pairs: Vec::new(),
            keys: Vec::new(),
            firsts: Vec::new(),
        }
    }
}

/// The one or two nodes that an item joins.
pub type Ends = [Option<usize>; 2];

/// Number of independent parts of a sum.
const PARTS: usize = 4;

impl<V: Lanes> Envelope<V> {
    /// Appends the items of a connected graph to `order`, by their distance from one of its ends. The numbers of nodes
    /// are below `nodes`.
    pub fn sort(
        &mut self,
        items: core::ops::Range<usize>,
        nodes: usize,
        ends: impl Fn(usize) -> Ends,
        order: &mut Vec<usize>,
    ) {
        let Self { levels, pairs, keys, .. } = self;
        levels.resize(nodes.max(levels.len()), usize::MAX);
        pairs.clear();
        pairs.extend(items.clone().map(&ends));
        pairs.dedup();
        let nodes_of = |pair: &Ends| (*pair).into_iter().flatten();
        // The node farthest from any is at an end.
        let mut end = pairs.iter().flat_map(nodes_of).next();
        for _ in 0..2 {
            pairs.iter().flat_map(nodes_of).for_each(|node| levels[node] = usize::MAX);
            if let Some(end) = end {
                levels[end] = 0;
            }
            loop {
                let mut changes = false;
                let mut visit = |pair: &Ends| {
                    let least = nodes_of(pair).map(|node| levels[node]).min().unwrap_or(usize::MAX);
                    for node in nodes_of(pair) {
                        if levels[node] > least.saturating_add(1) {
                            levels[node] = least + 1;
                            changes = true;
                        }
                    }
                };
                pairs.iter().for_each(&mut visit);
                pairs.iter().rev().for_each(&mut visit);
                if !changes {
                    break;
                }
            }
            end = pairs.iter().flat_map(nodes_of).max_by_key(|&node| (levels[node], core::cmp::Reverse(node)));
        }
        keys.clear();
        keys.extend(items.map(|item| {
            let (least, most) = nodes_of(&ends(item))
                .fold((usize::MAX, 0), |(least, most), node| (least.min(levels[node]), most.max(levels[node])));
            (most, least, item)
        }));
        keys.sort_unstable();
        order.extend(keys.iter().map(|&(.., item)| item));
    }

    /// Lays out lines of which only those with a node in common have entries. Returns the number of multiplications of
    /// a factorization.
    pub fn lay_out(&mut self, lines: usize, nodes: usize, ends: impl Fn(usize) -> Ends) -> usize {
        let mut firsts = core::mem::take(&mut self.firsts);
        let ends = |line: usize| ends(line).into_iter().flatten();
        firsts.resize(nodes.max(firsts.len()), usize::MAX);
        let work = self.begin_at((0..lines).map(|line| {
            ends(line).for_each(|node| firsts[node] = firsts[node].min(line));
            ends(line).map(|node| firsts[node]).min().unwrap_or(line)
        }));
        (0..lines).flat_map(ends).for_each(|node| firsts[node] = usize::MAX);
        self.firsts = firsts;
        work
    }

    /// Lays out lines by the columns of their first entries. Returns the number of multiplications of a factorization.
    pub fn begin_at(&mut self, starts: impl Iterator<Item = usize>) -> usize {
        let Self { first, begins, .. } = self;
        first.clear();
        begins.clear();
        let (mut size, mut work) = (0, 0);
        for (line, start) in starts.enumerate() {
            first.push(start);
            begins.push(size - start as isize);
            size += (line - start + 1) as isize;
            work += (line - start) * (line - start) / 2;
        }
        work
    }

    /// Number of entries.
    pub fn size(&self) -> usize {
        self.first.iter().enumerate().map(|(line, first)| line - first + 1).sum()
    }

    /// Place of an entry between the first of its line and the diagonal.
    #[inline(always)]
    pub fn at(&self, line: usize, column: usize) -> usize {
        (self.begins[line] + column as isize) as usize
    }

    /// Factors the matrix. A line whose pivot is not above `least` follows from those before it: it is left out, and
    /// its part of a solution is 0. Returns the greatest pivot left out; `None` if there is none.
    pub fn factor(&mut self, least: f64) -> Option<V> {
        let Self { first, begins, entries, .. } = self;
        let zero = entries.first()?.like(0.0);
        zero.within(
            #[inline(always)]
            || {
                let at = |line: usize, column: usize| (begins[line] + column as isize) as usize;
                let mut left_out = None;
                for i in 0..first.len() {
                    for j in first[i]..i {
                        let start = first[i].max(first[j]);
                        let (a, b) = (&entries[at(i, start)..at(i, j)], &entries[at(j, start)..at(j, j)]);
                        entries[at(i, j)] = (entries[at(i, j)] - product(a, b, zero)) * entries[at(j, j)];
                    }
                    let line = &entries[at(i, first[i])..at(i, i)];
                    let pivot = entries[at(i, i)] - product(line, line, zero);
                    entries[at(i, i)] = reciprocal_root(pivot, least, &mut left_out);
                }
                left_out
            },
        )
    }

    /// Solves for the right-hand side in [`Self::right`].
    pub fn solve(&mut self) {
        let Self { first, begins, entries, right, .. } = self;
        let Some(zero) = entries.first().map(|entry| entry.like(0.0)) else { return };
        zero.within(
            #[inline(always)]
            || {
                let line = |i: usize| {
                    let end = (begins[i] + i as isize) as usize;
                    (&entries[end + first[i] - i..end], entries[end])
                };
                for i in 0..first.len() {
                    let (line, reciprocal) = line(i);
                    right[i] = (right[i] - product(line, &right[first[i]..i], zero)) * reciprocal;
                }
                for i in (0..first.len()).rev() {
                    let (line, reciprocal) = line(i);
                    let value = right[i] * reciprocal;
                    for (right, &entry) in right[first[i]..i].iter_mut().zip(line) {
                        *right = *right - entry * value;
                    }
                    right[i] = value;
                }
            },
        );
    }
}

/// Reciprocal of the diagonal entry of a factor; 0 for a pivot that is not above `least`, of which `left_out` keeps the greatest.
#[inline(always)]
pub(super) fn reciprocal_root<V: Lanes>(pivot: V, least: f64, left_out: &mut Option<V>) -> V {
    let (least, one, zero) = (pivot.like(least), pivot.like(1.0), pivot.like(0.0));
    let is_there = least.is_below(pivot);
    let missing = V::select(is_there, zero, one);
    if V::any(zero.is_below(missing)) {
        let value = V::select(is_there, zero, pivot);
        *left_out = Some(left_out.map_or(value, |worst| value.greatest(worst)));
    }
    V::select(is_there, one / pivot.greatest(least).sqrt(), zero)
}

/// Dot product of vectors of equal length.
#[inline(always)]
fn product<V: Lanes>(a: &[V], b: &[V], zero: V) -> V {
    let mut sums = [zero; PARTS];
    let (a, b) = (a.chunks_exact(PARTS), b.chunks_exact(PARTS));
    let mut rest = zero;
    for (a, b) in a.remainder().iter().zip(b.remainder()) {
        rest = rest + *a * *b;
    }
    for (a, b) in a.zip(b) {
        for part in 0..PARTS {
            sums[part] = sums[part] + a[part] * b[part];
        }
    }
    ((sums[0] + sums[1]) + (sums[2] + sums[3])) + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rigid::specimens::{Laplacian, net};

    #[test]
    fn a_net_of_edges_is_solved_and_its_lines_are_short() {
        // Any order of the edges gives short lines.
        let (across, edges) = (12, net(12));
        let nodes = across * across;
        let (mut matrix, mut order) = (Envelope::default(), Vec::new());
        matrix.sort(0..edges.len(), nodes, |edge| edges[edge], &mut order);
        let work = matrix.lay_out(edges.len(), nodes, |line| edges[order[line]]);
        assert!(work < 2 * edges.len() * (2 * across) * (2 * across), "{work}");
        let laplacian = Laplacian::of(order.iter().map(|&edge| edges[edge]).collect());
        for i in 0..edges.len() {
            matrix.entries.extend((matrix.first[i]..=i).map(|j| laplacian.value(i, j)));
        }
        matrix.right.clone_from(&laplacian.right);
        let left_out = matrix.factor(1e-10);
        assert!(left_out.is_some_and(|left| left.abs() < 1e-12), "{left_out:?}");
        matrix.solve();
        laplacian.check(&matrix.right, nodes);
    }
}
