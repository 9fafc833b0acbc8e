//! Active-set solve in velocities: a pile of boxes has four times as many rows as its bodies have velocities.
//!
//! ```text
//! A = G Gᵀ,  E = Γ + ε D                                  G: shapes of the active rows in the modes of their trees
//! (I + Gᵀ E⁻¹ G) q = Gᵀ E⁻¹ missing,   Δ = E⁻¹ (missing − G q)          q: change of the modal velocities
//! ```
//! Both are the solution of (A + E) Δ = missing. Rounding makes Δ wrong by about 1e-15/√ε³, so ε must not be too small.
//! Specification: mathematics 4.10.

use super::Solver;
use crate::rigid::envelope::Envelope;

/// Least share ε of the diagonal: Δ is then exact to a thousandth.
pub(super) const LEAST: f64 = 1e-8;

/// Buffers of the solve.
#[derive(Clone, Debug, Default)]
pub(super) struct Primal {
    /// Trees of the active rows, in the order of the matrix.
    trees: Vec<usize>,
    /// First line of each tree, and the first column of its lines; only those of `trees` count.
    starts: Vec<[usize; 2]>,
    matrix: Envelope<f64>,
    /// Changes of the impulses Δ, by active row.
    pub steps: Vec<f64>,
}

/// Marks a tree without lines.
const NONE: [usize; 2] = [usize::MAX; 2];

impl Solver {
    /// Lays out the matrix of the velocities that these active rows change. Returns the number of multiplications of assembly and
    /// factorization; the greatest number if loops make A another matrix.
    pub(super) fn lay_out_velocities(&self, primal: &mut Primal, rows: impl Iterator<Item = usize> + Clone) -> usize {
        let Primal { trees, starts, matrix, .. } = primal;
        trees.clear();
        starts.clear();
        starts.resize(self.begins.len(), NONE);
        let (mut lines, mut work) = (0, 0);
        for row in rows.clone() {
            let mut length = 0;
            for side in self.sides[row].iter().flatten() {
                if side.shape != side.answer {
                    return usize::MAX;
                }
                if starts[side.tree] == NONE {
                    starts[side.tree] = [lines; 2];
                    trees.push(side.tree);
                    lines += self.modes.count(side.tree);
                }
                length += side.length;
            }
            work += length * length / 2;
        }
        for row in rows {
            if let [Some(a), Some(b)] = self.sides[row] {
                let [[one, _], [other, _]] = [starts[a.tree], starts[b.tree]];
                let last = if one > other { a.tree } else { b.tree };
                starts[last][1] = starts[last][1].min(one.min(other));
            }
        }
        let of_tree = |&tree: &usize| core::iter::repeat_n(starts[tree][1], self.modes.count(tree));
        work + matrix.begin_at(trees.iter().flat_map(of_tree))
    }

    /// Solves for the changes of the impulses of these active rows, with a share of the diagonal added to it. Returns `false` if
    /// the matrix is not positive definite.
    pub(super) fn solve_velocities(
        &self,
        primal: &mut Primal,
        rows: impl Iterator<Item = usize> + Clone,
        share: f64,
    ) -> bool {
        let Primal { starts, matrix, steps, .. } = primal;
        let weight = |row: usize| 1.0 / (self.compliances[row] * share + self.rows[row].softness);
        matrix.entries.clear();
        matrix.entries.resize(matrix.size(), 0.0);
        matrix.right.clear();
        matrix.right.resize(matrix.first.len(), 0.0);
        for line in 0..matrix.first.len() {
            let diagonal = matrix.at(line, line);
            matrix.entries[diagonal] = 1.0;
        }
        steps.clear();
        for row in rows.clone() {
            let (weight, missing) = (weight(row), self.missing(row));
            steps.push(missing);
            for a in self.sides[row].iter().flatten() {
                let (first, shape) = (starts[a.tree][0], self.shape_of(a));
                for (i, &value) in shape.iter().enumerate() {
                    let (line, value) = (first + i, value * weight);
                    matrix.right[line] += value * missing;
                    for b in self.sides[row].iter().flatten() {
                        let (column, shape) = (starts[b.tree][0], self.shape_of(b));
                        // What cannot move at all has no lines, and begins where the next tree does.
                        if column > first || shape.is_empty() {
                            continue;
                        }
                        let shape = if column == first { &shape[..=i] } else { shape };
                        let at = matrix.at(line, column);
                        for (entry, other) in matrix.entries[at..at + shape.len()].iter_mut().zip(shape) {
                            *entry += value * other;
                        }
                    }
                }
            }
        }
        if matrix.factor(0.0).is_some() {
            return false;
        }
        matrix.solve();
        for (row, step) in rows.zip(&mut *steps) {
            for side in self.sides[row].iter().flatten() {
                let velocities = &matrix.right[starts[side.tree][0]..];
                *step -= self.shape_of(side).iter().zip(velocities).map(|(g, q)| g * q).sum::<f64>();
            }
            *step *= weight(row);
        }
        true
    }

    /// Shape of a row in the modes that its tree has.
    fn shape_of(&self, side: &super::TreeRow) -> &[f64] {
        &self.shapes[side.shape..][..side.length.min(self.modes.count(side.tree))]
    }
}
