//! Sparse symmetric matrices whose lines couple where they meet at a node, and their Cholesky factors.
//!
//! ```text
//! A = C Cᵀ       items (joints) have a few lines each and meet at nodes (bodies)
//! order          eliminating an item couples all items at its nodes, as if the nodes were one
//!                next comes the item that meets the fewest lines, or that unites the fewest nodes along the most items
//! panel          items with the same lines below them: one dense block of columns
//! ```
//! The order depends on the graph alone: order and layout are found once. By fewest lines a chain of n items takes a
//! time of n; by fewest nodes a net of n × n about n³, as by nested dissection. The better of both is taken. Rose
//! 1970 (minimum degree); George 1973 (nested dissection); Ng, Peyton 1993 (panels: *supernodes*).

use core::cmp::Reverse;
use core::ops::Range;
use std::collections::BinaryHeap;

use super::envelope::{Ends, reciprocal_root};
use crate::math::lanes::Lanes;

/// A matrix by its panels, then its factor. Lines are numbered in the order of elimination.
#[derive(Clone, Debug)]
pub struct SparseCholesky<V> {
    panels: Vec<Panel>,
    /// Lines below the panels, one panel after the other, each in order.
    below: Vec<usize>,
    /// Panel of each line.
    panel_of: Vec<usize>,
    /// Scratch: row within a panel of each line, and a column of products.
    places: Vec<usize>,
    sums: Vec<V>,
    /// Entries by panels and columns; the factor has reciprocals on its diagonal.
    pub entries: Vec<V>,
    /// Right-hand side, then the solution.
    pub right: Vec<V>,
}

/// Dense columns of the factor, each with rows for all columns of the panel, then for the lines below.
#[derive(Clone, Debug)]
struct Panel {
    columns: Range<usize>,
    /// Span in `below`.
    rows: Range<usize>,
    /// First entry.
    start: usize,
}

/// Order of elimination of the items of a graph, with what each meets.
#[derive(Clone, Debug)]
pub struct EliminationOrder {
    /// Items in order.
    pub order: Vec<usize>,
    /// Items that each one meets when it is eliminated, by place in `order`.
    meets: Vec<Vec<usize>>,
    /// Number of multiplications of a factorization.
    pub work: usize,
}

/// What decides which item is next.
#[derive(Clone, Copy, Debug)]
enum Least {
    Lines,
    Nodes,
}

/// Number of lines that count as much as a node.
const A_NODE: usize = 3;

impl EliminationOrder {
    /// Orders items that join nodes below `nodes`, each with `lines`. `None` if the factorization takes more than
    /// `most` multiplications.
    pub fn new(lines: &[usize], nodes: usize, ends: impl Fn(usize) -> Ends, most: usize) -> Option<Self> {
        let ends: Vec<Ends> = (0..lines.len()).map(ends).map(|[a, b]| [a, b.filter(|_| a != b)]).collect();
        let nodes = breadth_first(nodes, &ends);
        let mut items: Vec<usize> = (0..lines.len()).collect();
        let of_nodes = |item: &usize| ends[*item].map(|end| end.map(|node| nodes[node]));
        items.sort_by_key(|item| {
            let [a, b] = of_nodes(item);
            (a.max(b), a.min(b))
        });
        let ends: Vec<Ends> = items.iter().map(of_nodes).collect();
        let lines: Vec<usize> = items.iter().map(|&item| lines[item]).collect();
        let by_lines = Self::by(Least::Lines, (&lines, nodes.len()), ends.clone(), most);
        let least = by_lines.as_ref().map_or(most, |all| all.work);
        let mut best = Self::by(Least::Nodes, (&lines, nodes.len()), ends, least).or(by_lines)?;
        best.order.iter_mut().for_each(|item| *item = items[*item]);
        Some(best)
    }

    fn by(by: Least, (lines, nodes): (&[usize], usize), mut ends: Vec<Ends>, most: usize) -> Option<Self> {
        // Items at each node, in order, with their lines; and the number of nodes that are one.
        let (mut at, mut weights, mut sizes) = (vec![Vec::new(); nodes], vec![0; nodes], vec![1; nodes]);
        for (item, node) in
            ends.iter().enumerate().flat_map(|(item, ends)| ends.iter().flatten().map(move |&node| (item, node)))
        {
            at[node].push(item);
            weights[node] += lines[item];
        }
        let key = |ends: &Ends, at: &[Vec<usize>], weights: &[usize], sizes: &[usize]| match (*ends, by) {
            ([Some(a), Some(b)], Least::Lines) => (1, weights[a] + weights[b] - common(&at[a], &at[b], lines)),
            ([Some(a), Some(b)], Least::Nodes) => {
                (1, A_NODE * (sizes[a] + sizes[b]) + weights[a].min(weights[b]) - common(&at[a], &at[b], lines))
            }
            ([a, b], _) => (0, a.or(b).map_or(0, |node| weights[node])),
        };
        let mut queue: BinaryHeap<Reverse<((u8, usize), usize)>> =
            ends.iter().enumerate().map(|(item, ends)| Reverse((key(ends, &at, &weights, &sizes), item))).collect();
        let mut keys: Vec<(u8, usize)> = ends.iter().map(|ends| key(ends, &at, &weights, &sizes)).collect();
        let (mut place, mut order, mut meets) = (vec![usize::MAX; lines.len()], Vec::new(), Vec::new());
        let mut work = 0;
        while let Some(Reverse((known, item))) = queue.pop() {
            if place[item] != usize::MAX || known != keys[item] {
                continue;
            }
            place[item] = order.len();
            order.push(item);
            let own = ends[item];
            let mut met: Vec<usize> =
                own.into_iter().flatten().flat_map(|node| core::mem::take(&mut at[node])).collect();
            met.retain(|&other| other != item);
            met.sort_unstable();
            met.dedup();
            let rest: usize = met.iter().map(|&other| lines[other]).sum();
            work += (0..lines[item]).map(|line| (rest + line) * (rest + line + 1) / 2).sum::<usize>();
            if work > most {
                return None;
            }
            if let Some(node) = own.into_iter().flatten().next() {
                weights[node] = rest;
                sizes[node] = own.into_iter().flatten().map(|node| sizes[node]).sum();
                at[node].clone_from(&met);
                for &other in &met {
                    let [a, b] = ends[other].map(|end| if own.contains(&end) { Some(node) } else { end });
                    ends[other] = [a, b.filter(|_| a != b)];
                }
                for &other in &met {
                    let key = key(&ends[other], &at, &weights, &sizes);
                    if key != keys[other] {
                        keys[other] = key;
                        queue.push(Reverse((key, other)));
                    }
                }
            }
            meets.push(met);
        }
        let mut all = Self { order, meets, work };
        all.put_parents_behind_children(&mut place);
        Some(all)
    }

    /// Sorts the items so that those with the same lines below follow each other, which changes nothing in the factor.
    fn put_parents_behind_children(&mut self, place: &mut [usize]) {
        let count = self.order.len();
        let mut children = vec![Vec::new(); count + 1];
        for (item, met) in self.meets.iter().enumerate() {
            children[met.iter().map(|&other| place[other]).min().unwrap_or(count)].push(item);
        }
        // Depth first, last child next to its parent, from the end.
        let (mut stack, mut sorted) = (core::mem::take(&mut children[count]), Vec::with_capacity(count));
        while let Some(next) = stack.pop() {
            sorted.push(next);
            stack.append(&mut children[next]);
        }
        sorted.reverse();
        self.order = sorted.iter().map(|&before| self.order[before]).collect();
        self.meets = sorted.iter().map(|&before| core::mem::take(&mut self.meets[before])).collect();
        self.order.iter().enumerate().for_each(|(at, &item)| place[item] = at);
        for met in &mut self.meets {
            met.iter_mut().for_each(|item| *item = place[*item]);
            met.sort_unstable();
        }
    }
}

/// Numbers of the nodes in breadth-first order from an end of each part of the graph (Cuthill, McKee 1969): neighbors
/// have numbers that are near, whatever the order of the items.
fn breadth_first(nodes: usize, items: &[Ends]) -> Vec<usize> {
    let mut neighbors = vec![Vec::new(); nodes];
    for &[a, b] in items {
        if let (Some(a), Some(b)) = (a, b) {
            neighbors[a].push(b);
            neighbors[b].push(a);
        }
    }
    let degrees: Vec<usize> = neighbors.iter().map(Vec::len).collect();
    neighbors.iter_mut().for_each(|of| of.sort_by_key(|&node| (degrees[node], node)));
    let (mut numbers, mut visits, mut order) = (vec![0; nodes], vec![0; nodes], Vec::with_capacity(nodes));
    for first in 0..nodes {
        if visits[first] > 0 {
            continue;
        }
        let begin = order.len();
        let mut end = first;
        // The node farthest from any is at an end.
        for visit in 1..=3 {
            order.truncate(begin);
            order.push(end);
            visits[end] = visit;
            let mut next = begin;
            while next < order.len() {
                end = order[next];
                next += 1;
                for &node in &neighbors[end] {
                    if visits[node] < visit {
                        visits[node] = visit;
                        order.push(node);
                    }
                }
            }
        }
    }
    order.iter().enumerate().for_each(|(number, &node)| numbers[node] = number);
    numbers
}

/// Lines of the items that are in both sorted lists.
fn common(a: &[usize], b: &[usize], lines: &[usize]) -> usize {
    let (mut sum, mut rest) = (0, b);
    for &item in a {
        rest = &rest[rest.iter().take_while(|&&other| other < item).count()..];
        if rest.first() == Some(&item) {
            sum += lines[item];
        }
    }
    sum
}

impl<V: Lanes> SparseCholesky<V> {
    /// Lays out the matrix of items with `lines` each, by place in the order of elimination; see [`Self::starts`].
    pub fn new(zero: V, elimination: &EliminationOrder, lines: &[usize]) -> Self {
        let starts: Vec<usize> = Self::starts(lines);
        let span = |item: usize| starts[item]..starts[item] + lines[item];
        let mut all = Self {
            panels: Vec::<Panel>::new(),
            below: Vec::new(),
            panel_of: Vec::new(),
            places: vec![0; starts[lines.len()]],
            sums: Vec::new(),
            entries: Vec::new(),
            right: vec![zero; starts[lines.len()]],
        };
        let mut size = 0;
        // From the end, so that an item can join the panel behind it; with the zeros that its items lack.
        let mut from: Vec<(Range<usize>, Vec<usize>, usize)> = Vec::new();
        for (item, met) in elimination.meets.iter().enumerate().rev() {
            let below: Vec<usize> = met.iter().flat_map(|&other| span(other)).collect();
            if let Some((columns, rows, zeros)) = from.last_mut()
                && below.first() == Some(&columns.start)
            {
                let missing = *zeros + (columns.len() + rows.len() - below.len()) * lines[item];
                let width = columns.len() + lines[item];
                if missing * FULL <= width * (width + rows.len()) {
                    columns.start = span(item).start;
                    *zeros = missing;
                    continue;
                }
            }
            from.push((span(item), below, 0));
        }
        for (columns, rows, _) in from.into_iter().rev() {
            all.panel_of.resize(columns.end, all.panels.len());
            let begin = all.below.len();
            all.below.extend(rows);
            let panel = Panel { columns, rows: begin..all.below.len(), start: size };
            size += panel.width() * panel.height();
            all.sums.resize(panel.rows.len().max(all.sums.len()), zero);
            all.panels.push(panel);
        }
        all.entries = vec![zero; size];
        all
    }

    /// First line of each item in order, and the number of lines.
    pub fn starts(lines: &[usize]) -> Vec<usize> {
        let mut starts = vec![0];
        for &lines in lines {
            starts.push(starts[starts.len() - 1] + lines);
        }
        starts
    }

    /// Place of an entry on or below the diagonal, and the distance to that of the next column of the same item. The
    /// next line of the same item is next to it.
    pub fn at(&self, line: usize, column: usize) -> (usize, usize) {
        let panel = &self.panels[self.panel_of[column]];
        let row = if line < panel.columns.end {
            line - panel.columns.start
        } else {
            panel.width() + self.below[panel.rows.clone()].partition_point(|&below| below < line)
        };
        (panel.start + (column - panel.columns.start) * panel.height() + row, panel.height())
    }

    /// Factors the matrix. A line whose pivot is not above `least` follows from those before it: it is left out, and
    /// its part of a solution is 0. Returns the greatest pivot left out; `None` if there is none.
    pub fn factor(&mut self, least: f64) -> Option<V> {
        let Self { panels, below, panel_of, places, sums, entries, .. } = self;
        let zero = entries.first()?.like(0.0);
        zero.within(
            #[inline(always)]
            || {
                let mut left_out = None;
                for panel in &*panels {
                    let (width, height) = (panel.width(), panel.height());
                    let end = panel.start + width * height;
                    let (before, behind) = entries.split_at_mut(end);
                    let own = &mut before[panel.start..];
                    factor_panel(own, (width, height), least, &mut left_out);
                    let rows = &below[panel.rows.clone()];
                    let mut target: Option<&Panel> = None;
                    for (j, &column) in rows.iter().enumerate() {
                        let to = match target {
                            Some(to) if column < to.columns.end => to,
                            _ => {
                                let to = &panels[panel_of[column]];
                                let all = to.columns.clone().chain(below[to.rows.clone()].iter().copied());
                                all.enumerate().for_each(|(row, line)| places[line] = row);
                                to
                            }
                        };
                        target = Some(to);
                        let sums = &mut sums[..rows.len() - j];
                        sums.fill(zero);
                        for own in own.chunks_exact(height) {
                            let own = &own[width + j..];
                            add(sums, own, own[0]);
                        }
                        let start = to.start - end + (column - to.columns.start) * to.height();
                        for (&line, &sum) in rows[j..].iter().zip(&*sums) {
                            let entry = &mut behind[start + places[line]];
                            *entry = *entry - sum;
                        }
                    }
                }
                left_out
            },
        )
    }

    /// Solves for the right-hand side in [`Self::right`].
    pub fn solve(&mut self) {
        let Self { panels, below, entries, right, .. } = self;
        let Some(zero) = entries.first().map(|entry| entry.like(0.0)) else { return };
        zero.within(
            #[inline(always)]
            || {
                for panel in &*panels {
                    let (width, height) = (panel.width(), panel.height());
                    let (known, behind) = right.split_at_mut(panel.columns.end);
                    let known = &mut known[panel.columns.start..];
                    for (i, own) in entries[panel.start..][..width * height].chunks_exact(height).enumerate() {
                        let value = known[i] * own[i];
                        known[i] = value;
                        for (known, &entry) in known[i + 1..].iter_mut().zip(&own[i + 1..width]) {
                            *known = *known - entry * value;
                        }
                        for (&line, &entry) in below[panel.rows.clone()].iter().zip(&own[width..]) {
                            let right = &mut behind[line - panel.columns.end];
                            *right = *right - entry * value;
                        }
                    }
                }
                for panel in panels.iter().rev() {
                    let (width, height) = (panel.width(), panel.height());
                    let (known, behind) = right.split_at_mut(panel.columns.end);
                    let known = &mut known[panel.columns.start..];
                    for (i, own) in entries[panel.start..][..width * height].chunks_exact(height).enumerate().rev() {
                        let mut value = known[i];
                        for (&known, &entry) in known[i + 1..].iter().zip(&own[i + 1..width]) {
                            value = value - entry * known;
                        }
                        for (&line, &entry) in below[panel.rows.clone()].iter().zip(&own[width..]) {
                            value = value - entry * behind[line - panel.columns.end];
                        }
                        known[i] = value * own[i];
                    }
                }
            },
        );
    }
}

/// An item joins a panel if no more than one in this many of the panel's entries are zeros that its items lack.
const FULL: usize = 5;

/// Factors the columns of a panel.
#[inline(always)]
fn factor_panel<V: Lanes>(own: &mut [V], (width, height): (usize, usize), least: f64, left_out: &mut Option<V>) {
    for j in 0..width {
        let (before, column) = own.split_at_mut(j * height);
        let column = &mut column[j..height];
        for before in before.chunks_exact(height) {
            add(column, &before[j..], -before[j]);
        }
        let reciprocal = reciprocal_root(column[0], least, left_out);
        column[0] = reciprocal;
        for entry in &mut column[1..] {
            *entry = *entry * reciprocal;
        }
    }
}

/// Adds a multiple of a column to sums.
#[inline(always)]
fn add<V: Lanes>(sums: &mut [V], column: &[V], factor: V) {
    for (sum, &entry) in sums.iter_mut().zip(column) {
        *sum = *sum + entry * factor;
    }
}

impl Panel {
    fn width(&self) -> usize {
        self.columns.len()
    }

    fn height(&self) -> usize {
        self.columns.len() + self.rows.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rigid::specimens::{Laplacian, net};

    #[test]
    fn a_net_of_edges_is_solved_with_one_row_left_out_for_each_cycle() {
        let (across, edges) = (12, net(12));
        let nodes = across * across;
        let lines = vec![1; edges.len()];
        let elimination = EliminationOrder::new(&lines, nodes, |edge| edges[edge], usize::MAX).unwrap();
        let mut matrix = SparseCholesky::new(0.0, &elimination, &lines);
        let laplacian = Laplacian::of(elimination.order.iter().map(|&edge| edges[edge]).collect());
        for i in 0..edges.len() {
            for j in (0..=i).filter(|&j| laplacian.value(i, j) != 0.0) {
                let (at, _) = matrix.at(i, j);
                matrix.entries[at] = laplacian.value(i, j);
            }
        }
        matrix.right.clone_from(&laplacian.right);
        let left_out = matrix.factor(1e-10);
        assert!(left_out.is_some_and(|left| left.abs() < 1e-12), "{left_out:?}");
        matrix.solve();
        laplacian.check(&matrix.right, nodes);
    }

    #[test]
    fn the_work_of_a_chain_grows_with_its_length_and_that_of_a_net_with_the_cube_of_its_side() {
        // Multiplications of the factorization, and of that of the panels as they are stored.
        let work = |nodes: usize, edges: &[Ends]| {
            let lines = vec![3; edges.len()];
            let elimination = EliminationOrder::new(&lines, nodes, |edge| edges[edge], usize::MAX).unwrap();
            let panels = SparseCholesky::new(0.0, &elimination, &lines).panels;
            let heights = panels.iter().flat_map(|panel| (0..panel.width()).map(|column| panel.height() - column));
            [elimination.work as f64, heights.map(|height| height * height / 2).sum::<usize>() as f64]
        };
        let chain: Vec<Ends> = (1..1000).map(|node| [Some(node - 1), Some(node)]).collect();
        let chain = work(1000, &chain);
        assert!(chain[0] < 1000.0 * 3.0 * 20.0, "{chain:?}");
        let [small, middle, large] = [16, 32, 64].map(|across| work(across * across, &net(across)));
        assert!(middle[0] < 9.0 * small[0] && large[0] < 9.0 * middle[0], "{small:?} {middle:?} {large:?}");
        for [least, stored] in [chain, small, middle, large] {
            assert!(stored < 3.0 * least, "{least} {stored}");
        }
    }
}
