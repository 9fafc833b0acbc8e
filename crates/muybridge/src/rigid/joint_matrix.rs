//! Matrix J M⁻¹ Jᵀ + Γ of joints, by lines, and its Cholesky factor.
//!
//! ```text
//! S λ = c − J M⁻¹ z         rows of all joints; two joints couple if they share a body
//! ```
//! S is scaled to a diagonal of 1 and factored within its envelope: a chain takes a time of its joints, a net not the
//! cube of its bodies. A row whose pivot vanishes follows from those before it (a loop, two hinges on one axis) and
//! gets no impulse. Specification: mathematics 4.4 (H10, H-E7); Hennix et al., equation 12.

use super::envelope::{Ends, Envelope};
use super::forest::Forest;
use super::joint::{Joint, JointJacobian, MOST_ROWS};
use super::motion::Velocity;
use super::tree::{LEAST, dot};
use crate::math::lanes::Lanes;

/// Matrix of some joints.
#[derive(Clone, Debug)]
pub(super) struct JointMatrix<V> {
    /// Joints in the order of the lines.
    pub joints: Vec<usize>,
    rows: Vec<JointJacobian<V>>,
    /// Responses M⁻¹ Jᵀ of the rows, on child and parent.
    responses: Vec<[[Velocity<V>; 2]; MOST_ROWS]>,
    /// First line of each of the joints.
    starts: Vec<usize>,
    /// Joints that share a body, each with its side of it: 0 for the child, 1 for the parent.
    couples: Vec<[(usize, usize); 2]>,
    /// Softness Γ of each line.
    softness: Vec<V>,
    /// Reciprocal root of the diagonal of each line; 0 for a line without a row.
    scales: Vec<V>,
    matrix: Envelope<V>,
    /// Number of multiplications of a factorization.
    pub work: usize,
}

impl<V: Lanes> JointMatrix<V> {
    /// Lays out the matrix of the joints with `is_wanted`. A joint has up to `most_rows` rows.
    pub fn new(
        zero: V,
        (all, forest): (&[Joint], &Forest),
        is_wanted: impl Fn(usize) -> bool,
        most_rows: impl Fn(usize) -> usize,
    ) -> Self {
        let bodies = forest.tree.len();
        let tree = |joint: usize| forest.tree[all[joint].child];
        let ends = |joint: usize| -> Ends { [Some(all[joint].child), all[joint].parent] };
        let mut joints: Vec<usize> = (0..all.len()).filter(|&joint| is_wanted(joint)).collect();
        joints.sort_by_key(|&joint| tree(joint));
        let (mut matrix, mut order) = (Envelope::default(), Vec::new());
        let mut start = 0;
        for of_tree in joints.chunk_by(|&a, &b| tree(a) == tree(b)) {
            matrix.sort(start..start + of_tree.len(), bodies, |place| ends(joints[place]), &mut order);
            start += of_tree.len();
        }
        let joints: Vec<usize> = order.iter().map(|&place| joints[place]).collect();
        let mut lines = Vec::new();
        let mut starts = Vec::with_capacity(joints.len());
        let mut sides = vec![Vec::new(); bodies];
        let mut couples = Vec::new();
        for (place, &joint) in joints.iter().enumerate() {
            starts.push(lines.len());
            lines.resize(lines.len() + most_rows(joint), joint);
            for (side, body) in ends(joint).into_iter().enumerate().filter_map(|(side, body)| Some((side, body?))) {
                sides[body].push((place, side));
                couples.extend(sides[body].iter().map(|&before| [before, (place, side)]));
            }
        }
        Self {
            rows: vec![JointJacobian::none(zero); joints.len()],
            responses: vec![[[[zero; 6]; 2]; MOST_ROWS]; joints.len()],
            work: matrix.lay_out(lines.len(), bodies, |line| ends(lines[line])),
            joints,
            starts,
            couples,
            softness: vec![zero; lines.len()],
            scales: vec![zero; lines.len()],
            matrix,
        }
    }

    /// Number of lines.
    pub fn lines(&self) -> usize {
        self.scales.len()
    }

    /// Line of each row of a joint, given by its place in [`Self::joints`].
    pub fn line(&self, place: usize, row: usize) -> usize {
        self.starts[place] + row
    }

    /// Sets the rows of a joint; `response` returns the velocity of a body due to an impulse on it alone. A joint
    /// without rows has no part in the matrix.
    pub fn set(
        &mut self,
        place: usize,
        (rows, softness): (&JointJacobian<V>, &[V]),
        response: impl Fn(usize, [V; 6]) -> Velocity<V>,
    ) {
        let lines = self.starts[place]..self.starts.get(place + 1).map_or(self.scales.len(), |&next| next);
        let (child, parent) = rows.ends;
        let zero = rows.error[0].like(0.0);
        self.rows[place] = *rows;
        self.scales[lines.clone()].fill(zero);
        for (row, line) in lines.enumerate().take(rows.count) {
            let [own, above] = rows.six(row);
            let own_response = response(child, own);
            let above_response = parent.map_or([zero; 6], |parent| response(parent, above));
            let alone = dot(&own, &own_response) + dot(&above, &above_response) + softness[row];
            self.responses[place][row] = [own_response, above_response];
            self.softness[line] = softness[row];
            self.scales[line] = zero.like(1.0) / alone.greatest(zero.like(LEAST)).sqrt();
        }
    }

    /// Factors the matrix. Rows with a pivot not above `least` are left out; returns the greatest such pivot.
    pub fn factor(&mut self, least: f64) -> Option<V> {
        let Self { rows, responses, starts, couples, softness, scales, matrix, .. } = self;
        let zero = scales.first()?.like(0.0);
        matrix.entries.clear();
        matrix.entries.resize(matrix.size(), zero);
        for (line, (&scale, &softness)) in scales.iter().zip(&*softness).enumerate() {
            let at = matrix.at(line, line);
            matrix.entries[at] = scale * scale * softness;
        }
        for &[(before, side), (place, other)] in &*couples {
            for row in 0..rows[place].count {
                let by = rows[place].six(row)[other];
                let line = starts[place] + row;
                let count = if before == place { row + 1 } else { rows[before].count };
                for (column, response) in responses[before][..count].iter().enumerate() {
                    let column = starts[before] + column;
                    let value = dot(&by, &response[side]) * scales[line] * scales[column];
                    let at = matrix.at(line, column);
                    matrix.entries[at] = matrix.entries[at] + value;
                }
            }
        }
        matrix.factor(least)
    }

    /// Solves for impulses by lines, from right-hand sides by lines.
    pub fn solve(&mut self, right: impl Fn(usize) -> V) {
        let Self { scales, matrix, .. } = self;
        matrix.right.clear();
        matrix.right.extend(scales.iter().enumerate().map(|(line, &scale)| right(line) * scale));
        matrix.solve();
        for (value, &scale) in matrix.right.iter_mut().zip(&*scales) {
            *value = *value * scale;
        }
    }

    /// Impulse of a line after [`Self::solve`].
    pub fn impulse(&self, line: usize) -> V {
        self.matrix.right[line]
    }

    /// Response of a row on child and parent.
    pub fn response(&self, place: usize, row: usize) -> &[Velocity<V>; 2] {
        &self.responses[place][row]
    }
}
