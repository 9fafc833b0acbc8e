//! Few loops: one dense matrix of their rows, from the response of the joint trees to each row.
//!
//! ```text
//! A = J W_f Jᵀ + Γ            W_f: response of the bodies with the joints of the forest
//! S A S = C Cᵀ,               S = (J M⁻¹ Jᵀ + Γ)^−½ scales the diagonal: 1 for a row independent of all others, in meters or radians
//! ```
//! Rows of loops are usually redundant (two hinges in line, four parallel ones), and A is singular. C is a pivoted
//! Cholesky factor: the row with the greatest remaining diagonal is the next pivot, until only rounding is left.
//! Remaining rows are redundant and get no impulse. Specification: mathematics 4.4 (H10, H-E7).

use crate::math::lanes::Lanes;

/// Matrix of the loop-closing rows.
#[derive(Clone, Debug)]
pub(super) struct DenseLoops<V> {
    /// Matrix J W Jᵀ by rows, then the remainder of its factorization.
    pub matrix: Vec<V>,
    /// Scale 1/√(J M⁻¹ Jᵀ + Γ) of each row, which makes rows in meters and radians comparable.
    pub scales: Vec<V>,
    /// Columns of the factor, one after the other.
    factor: Vec<V>,
    /// Pivot row of each column: 1 there, 0 elsewhere.
    pivots: Vec<V>,
    /// Reciprocals of the pivots; 0 for a missing pivot.
    reciprocals: Vec<V>,
    /// Rank: number of columns of the factor.
    rank: usize,
    /// Pivot below which a row gets no impulse.
    pub least: f64,
    /// Intermediate result of the triangular solves.
    halfway: Vec<V>,
}

impl<V: Lanes> DenseLoops<V> {
    /// Allocates buffers for a number of rows.
    pub fn new(zero: V, rows: usize) -> Self {
        let (line, square) = (vec![zero; rows], vec![zero; rows * rows]);
        Self {
            matrix: square.clone(),
            scales: line.clone(),
            factor: square.clone(),
            pivots: square,
            reciprocals: line.clone(),
            rank: 0,
            least: 0.0,
            halfway: line,
        }
    }

    /// Factors S A S = C Cᵀ from the lower triangle of `matrix`, with S in `scales`.
    pub fn factorize(&mut self) {
        let count = self.scales.len();
        self.rank = 0;
        for i in 0..count {
            for j in 0..=i {
                let value = self.matrix[i * count + j] * self.scales[i] * self.scales[j];
                (self.matrix[i * count + j], self.matrix[j * count + i]) = (value, value);
            }
        }
        while self.rank < count && self.next_column() {
            self.rank += 1;
        }
    }

    /// Greatest remainder of a row without impulse.
    pub fn left_out(&self) -> Option<V> {
        let count = self.scales.len();
        (0..count).map(|i| self.matrix[i * count + i]).reduce(V::greatest)
    }

    /// Computes the next column of the factor from the row with the greatest remainder. Returns `false` if no lane has
    /// a pivot.
    fn next_column(&mut self) -> bool {
        let Self { matrix, factor, pivots, rank, least, .. } = self;
        let (count, start) = (self.scales.len(), *rank * self.scales.len());
        let zero = matrix[0].like(0.0);
        let best = (0..count).fold(zero, |best, i| matrix[i * count + i].greatest(best));
        let is_there = zero.like(*least).is_below(best);
        if !V::any(is_there) {
            return false;
        }
        let one = zero.like(1.0);
        let (pivot, column) = (&mut pivots[start..start + count], &mut factor[start..start + count]);
        let mut left = V::select(is_there, one, zero);
        for i in 0..count {
            pivot[i] = V::select(matrix[i * count + i].is_below(best), zero, left);
            left = left - pivot[i];
        }
        let reciprocal = V::select(is_there, one / best.greatest(zero.like(*least)).sqrt(), zero);
        self.reciprocals[*rank] = reciprocal;
        for i in 0..count {
            // Rows that were pivots have a remainder below −0.5.
            let is_spent = matrix[i * count + i].is_below(zero.like(-0.5));
            let value = (0..count).fold(zero, |sum, j| sum + pivot[j] * matrix[i * count + j]) * reciprocal;
            column[i] = V::select(is_spent, zero, value);
        }
        for i in 0..count {
            for j in 0..count {
                matrix[i * count + j] = matrix[i * count + j] - column[i] * column[j];
            }
            matrix[i * count + i] = matrix[i * count + i] - pivot[i];
        }
        true
    }

    /// Solves for the impulses, from the right-hand side in `values`. Redundant rows get none.
    pub fn solve(&mut self, values: &mut [V]) {
        let Self { halfway, scales, factor, pivots, reciprocals, .. } = self;
        let count = scales.len();
        for (value, &scale) in values.iter_mut().zip(&*scales) {
            *value = *value * scale;
        }
        let zero = scales[0].like(0.0);
        let columns = || factor.chunks_exact(count).zip(pivots.chunks_exact(count)).zip(&*reciprocals).take(self.rank);
        for (((column, pivot), &reciprocal), half) in columns().zip(&mut *halfway) {
            let value = pivot.iter().zip(&*values).fold(zero, |sum, (&pivot, &value)| sum + pivot * value);
            *half = value * reciprocal;
            for (value, &column) in values.iter_mut().zip(column) {
                *value = *value - column * *half;
            }
        }
        values.fill(zero);
        for (((column, pivot), &reciprocal), &half) in columns().zip(&*halfway).rev() {
            let known = column.iter().zip(&*values).fold(zero, |sum, (&column, &value)| sum + column * value);
            let own = (half - known) * reciprocal;
            for (value, &pivot) in values.iter_mut().zip(pivot) {
                *value = *value + pivot * own;
            }
        }
        for (value, &scale) in values.iter_mut().zip(&*scales) {
            *value = *value * scale;
        }
    }
}
