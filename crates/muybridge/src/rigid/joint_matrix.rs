//! Matrix J M⁻¹ Jᵀ + Γ of joints, by lines, and its Cholesky factor.
//!
//! ```text
//! S λ = c − J M⁻¹ z         rows of all joints; two joints couple if they share a body
//! ```
//! S is scaled to a diagonal of 1 and factored sparsely: a chain takes a time of its joints, a net of n × n about n³. A
//! row whose pivot vanishes follows from those before it (a loop, two hinges on one axis) and gets no impulse.
//! Specification: mathematics 4.4 (H10, H-E7); Hennix et al., equation 12.

use super::envelope::Ends;
use super::joint::{Joint, JointJacobian, MOST_ROWS};
use super::motion::Velocity;
use super::sparse_cholesky::{EliminationOrder, SparseCholesky};
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
    /// First line of each of the joints, and the number of lines.
    starts: Vec<usize>,
    couples: Vec<Couple>,
    /// Softness Γ of each line.
    softness: Vec<V>,
    /// Reciprocal root of the diagonal of each line; 0 for a line without a row.
    scales: Vec<V>,
    matrix: SparseCholesky<V>,
    /// Impulses by lines, and velocities of the bodies due to them.
    impulses: Vec<V>,
    velocities: Vec<Velocity<V>>,
    zero: V,
    /// Number of multiplications of a factorization.
    pub work: usize,
}

/// Two joints that share a body, the first eliminated no later than the second.
#[derive(Clone, Copy, Debug)]
struct Couple {
    /// Places in [`JointMatrix::joints`], each with its side of the body: 0 for the child, 1 for the parent.
    sides: [(usize, usize); 2],
    /// Entry of their first rows, and the distance to that of the next row of the first.
    at: (usize, usize),
}

impl<V: Lanes> JointMatrix<V> {
    /// Lays out the matrix of the joints with `is_wanted`, between `bodies` bodies. A joint has up to `most_rows` rows.
    /// `None` if a factorization takes more than `most` multiplications.
    pub fn new(
        zero: V,
        (all, bodies): (&[Joint], usize),
        is_wanted: impl Fn(usize) -> bool,
        most_rows: impl Fn(usize) -> usize,
        most: usize,
    ) -> Option<Self> {
        let ends = |joint: usize| -> Ends { [Some(all[joint].child), all[joint].parent] };
        // A rope has a bound, but no rows.
        let has_rows = |joint: usize| is_wanted(joint) && most_rows(joint) > 0;
        let wanted: Vec<usize> = (0..all.len()).filter(|&joint| has_rows(joint)).collect();
        let lines: Vec<usize> = wanted.iter().map(|&joint| most_rows(joint)).collect();
        let elimination = EliminationOrder::new(&lines, bodies, |item| ends(wanted[item]), most)?;
        let joints: Vec<usize> = elimination.order.iter().map(|&item| wanted[item]).collect();
        let lines: Vec<usize> = elimination.order.iter().map(|&item| lines[item]).collect();
        let matrix = SparseCholesky::new(zero, &elimination, &lines);
        let starts = SparseCholesky::<V>::starts(&lines);
        let mut sides = vec![Vec::new(); bodies];
        let mut couples = Vec::new();
        for (place, &joint) in joints.iter().enumerate() {
            for (side, body) in ends(joint).into_iter().enumerate().filter_map(|(side, body)| Some((side, body?))) {
                sides[body].push((place, side));
                couples.extend(sides[body].iter().map(|&before| Couple {
                    sides: [before, (place, side)],
                    at: matrix.at(starts[place], starts[before.0]),
                }));
            }
        }
        let count = starts[joints.len()];
        Some(Self {
            rows: vec![JointJacobian::none(zero); joints.len()],
            responses: vec![[[[zero; 6]; 2]; MOST_ROWS]; joints.len()],
            work: elimination.work,
            joints,
            starts,
            couples,
            softness: vec![zero; count],
            scales: vec![zero; count],
            impulses: vec![zero; count],
            velocities: vec![[zero; 6]; bodies],
            zero,
            matrix,
        })
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
        let lines = self.starts[place]..self.starts[place + 1];
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
        matrix.entries.fill(zero);
        for (line, (&scale, &softness)) in scales.iter().zip(&*softness).enumerate() {
            let (at, _) = matrix.at(line, line);
            matrix.entries[at] = scale * scale * softness;
        }
        for &Couple { sides: [(before, side), (place, other)], at: (at, next) } in &*couples {
            for row in 0..rows[place].count {
                let by = rows[place].six(row)[other];
                let scale = scales[starts[place] + row];
                let count = if before == place { row + 1 } else { rows[before].count };
                for (column, response) in responses[before][..count].iter().enumerate() {
                    let value = dot(&by, &response[side]) * scale * scales[starts[before] + column];
                    let entry = &mut matrix.entries[at + column * next + row];
                    *entry = *entry + value;
                }
            }
        }
        matrix.factor(least)
    }

    /// Solves for impulses by lines, from right-hand sides by lines; twice, the second time for the residual: near a
    /// singular pose rounding leaves some.
    pub fn solve(&mut self, right: impl Fn(usize) -> V) {
        self.impulses.fill(self.zero);
        for _ in 0..2 {
            self.respond();
            let Self { joints, rows, starts, softness, scales, matrix, velocities, impulses, zero, .. } = self;
            matrix.right.fill(*zero);
            for place in 0..joints.len() {
                let (child, parent) = rows[place].ends;
                for row in 0..rows[place].count {
                    let line = starts[place] + row;
                    let [own, above] = rows[place].six(row);
                    let rate = dot(&own, &velocities[child]) + softness[line] * impulses[line];
                    let rate = parent.map_or(rate, |parent| rate + dot(&above, &velocities[parent]));
                    matrix.right[line] = (right(line) - rate) * scales[line];
                }
            }
            matrix.solve();
            for (line, impulse) in impulses.iter_mut().enumerate() {
                *impulse = *impulse + matrix.right[line] * scales[line];
            }
        }
    }

    /// Velocities of the bodies due to the impulses.
    fn respond(&mut self) {
        let Self { joints, rows, starts, responses, velocities, impulses, zero, .. } = self;
        velocities.fill([*zero; 6]);
        for place in 0..joints.len() {
            let (child, parent) = rows[place].ends;
            for row in 0..rows[place].count {
                let [own, above] = &responses[place][row];
                for (body, response) in [(Some(child), own), (parent, above)] {
                    let Some(body) = body else { continue };
                    for (sum, value) in velocities[body].iter_mut().zip(response) {
                        *sum = *sum + *value * impulses[starts[place] + row];
                    }
                }
            }
        }
    }

    /// Impulse of a line after [`Self::solve`].
    pub fn impulse(&self, line: usize) -> V {
        self.impulses[line]
    }

    /// Response of a row on child and parent.
    pub fn response(&self, place: usize, row: usize) -> &[Velocity<V>; 2] {
        &self.responses[place][row]
    }
}
