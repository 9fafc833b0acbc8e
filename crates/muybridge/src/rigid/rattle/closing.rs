//! Loop-closing joints: one dense matrix of their rows, from the response of the joint trees to each row.
//!
//! ```text
//! A = J W_f Jᵀ + Γ            W_f: response of the bodies with the joints of the forest
//! S A S = C Cᵀ,               S = (J M⁻¹ Jᵀ + Γ)^−½ scales the diagonal: 1 for a row independent of all others, in meters or radians
//! ```
//! Rows of loops are usually redundant (two hinges in line, four parallel ones), and A is singular. C is a pivoted
//! Cholesky factor: the row with the greatest remaining diagonal is the next pivot, until only rounding is left.
//! Remaining rows are redundant and get no impulse. Specification: mathematics 4.4 (H10, H-E7).

use super::{Mechanism, Rattle};
use crate::math::lane_rotation::{LaneMatrix, LaneVector};
use crate::math::lanes::Lanes;
use crate::rigid::Body;
use crate::rigid::forest::Forest;
use crate::rigid::joint::{Joint, JointJacobian, MOST_ROWS};
use crate::rigid::motion::{Momentum, Velocity};

/// Loop-closing rows, with the response of the joint trees to each.
#[derive(Clone, Debug)]
pub(super) struct Closing<V> {
    pub rows: Vec<JointJacobian<V>>,
    /// Whether the tree of a joint is left out; its rows then get no impulse.
    pub is_left_out: Vec<bool>,
    /// Index of the joint, and of the row within it.
    pub index: Vec<(usize, usize)>,
    /// Velocities of all bodies per unit impulse of each row.
    pub columns: Vec<[V; 6]>,
    /// Matrix J W Jᵀ by rows, then the remainder of its factorization.
    pub matrix: Vec<V>,
    /// Scale 1/√(J M⁻¹ Jᵀ + Γ) of each row, which makes rows in meters and radians comparable.
    pub scales: Vec<V>,
    /// Columns of the factor, one after the other.
    pub factor: Vec<V>,
    /// Pivot row of each column: 1 there, 0 elsewhere.
    pub pivots: Vec<V>,
    /// Reciprocals of the pivots; 0 for a missing pivot.
    pub reciprocals: Vec<V>,
    /// Rank: number of columns of the factor.
    pub rank: usize,
    /// Pivot ratio below which a row gets no impulse; see [`Rattle::repeats_below`].
    pub least: f64,
    /// Scratch: unit impulse of one row on the bodies, and zero right-hand sides of the joints.
    pub unit: (Vec<[V; 6]>, Vec<[V; MOST_ROWS]>),
    /// Right-hand side, then impulses.
    pub values: Vec<V>,
    /// Intermediate result of the triangular solves.
    pub halfway: Vec<V>,
}

/// Pivot ratio below which a row is redundant up to rounding.
pub(super) const REPEATED: f64 = 1e-10;

impl<V: Lanes> Closing<V> {
    /// Allocates buffers for the rows `index` of `joints` joints on `bodies` bodies.
    pub fn new(zero: V, index: Vec<(usize, usize)>, (joints, bodies): (usize, usize)) -> Self {
        let count = index.len();
        let closed = if count > 0 { bodies } else { 0 };
        let (line, square) = (vec![zero; count], vec![zero; count * count]);
        Self {
            rows: vec![JointJacobian::none(zero); joints],
            is_left_out: vec![false; joints],
            index,
            columns: vec![[zero; 6]; count * bodies],
            matrix: square.clone(),
            scales: line.clone(),
            factor: square.clone(),
            pivots: square,
            reciprocals: line.clone(),
            rank: 0,
            least: REPEATED,
            unit: (vec![[zero; 6]; closed], vec![[zero; MOST_ROWS]; closed]),
            values: line.clone(),
            halfway: line,
        }
    }

    /// Factors S A S = C Cᵀ from the lower triangle of `matrix`, with S in `scales`.
    pub fn factorize(&mut self) {
        let count = self.index.len();
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

    /// Whether a row without impulse is not exactly redundant.
    pub fn has_left_out(&self) -> bool {
        let count = self.index.len();
        let left = |i: usize| self.matrix[i * count + i];
        (0..count).any(|i| V::any(left(i).like(REPEATED).is_below(left(i))))
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
    pub fn solve(&mut self) {
        let Self { values, halfway, scales, factor, pivots, reciprocals, .. } = self;
        let count = scales.len();
        for ((value, &scale), &(joint, _)) in values.iter_mut().zip(&*scales).zip(&self.index) {
            *value = if self.is_left_out[joint] { value.like(0.0) } else { *value * scale };
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

    /// Computes impulses that keep the loops of one tree closed for body velocities `velocity`. Returns `false` if the
    /// tree has no loops.
    pub fn hold(
        &mut self,
        (joints, forest): (&[Joint], &Forest),
        tree: usize,
        velocity: impl Fn(usize) -> Velocity<V>,
    ) -> bool {
        let mut is_closed = false;
        for (value, &(joint, row)) in self.values.iter_mut().zip(&self.index) {
            let of = &joints[forest.closing[joint]];
            let is_here = forest.tree[of.child] == tree;
            is_closed |= is_here;
            *value = if is_here { -rate_by(&self.rows[joint], row, of, &velocity) } else { value.like(0.0) };
        }
        if is_closed {
            self.solve();
        }
        is_closed
    }

    /// Adds the impulse of the row at `place` to momenta.
    pub fn push(&self, place: usize, momenta: &mut [Momentum<V>]) {
        let (joint, row) = self.index[place];
        if self.is_left_out[joint] {
            return;
        }
        let rows = &self.rows[joint];
        let value = self.values[place];
        let (child, parent) = rows.ends;
        let own = Momentum { linear: rows.linear[row].scaled(value), angular: rows.angular[1][row].scaled(value) };
        momenta[child] = momenta[child].plus(own);
        if let Some(parent) = parent {
            let above =
                Momentum { linear: -rows.linear[row].scaled(value), angular: rows.angular[0][row].scaled(value) };
            momenta[parent] = momenta[parent].plus(above);
        }
    }
}

#[inline(always)]
pub(super) fn rate_of<V: Lanes>(rows: &JointJacobian<V>, row: usize, joint: &Joint, velocities: &[Velocity<V>]) -> V {
    rate_by(rows, row, joint, |body| velocities[body])
}

/// Rate J u of one row.
#[inline(always)]
pub(super) fn rate_by<V: Lanes>(
    rows: &JointJacobian<V>,
    row: usize,
    joint: &Joint,
    velocity: impl Fn(usize) -> Velocity<V>,
) -> V {
    let [own, above] = rows.six(row);
    let rate = dot(own, velocity(joint.child));
    match joint.parent {
        Some(parent) => rate + dot(above, velocity(parent)),
        None => rate,
    }
}

/// Inverse effective mass J M⁻¹ Jᵀ of one row without other joints.
pub(super) fn alone<V: Lanes>(rows: &JointJacobian<V>, row: usize, (bodies, axes): (&[Body], &[LaneMatrix<V>])) -> V {
    let (child, parent) = rows.ends;
    let [own, above] = rows.six(row);
    let gives = |body: usize, by: [V; 6]| {
        let [x, y, z, a, b, c] = by;
        let push = Momentum { linear: LaneVector { x, y, z }, angular: LaneVector { x: a, y: b, z: c } };
        dot(by, push.velocity(&bodies[body], &axes[body]))
    };
    let value = gives(child, own);
    parent.map_or(value, |parent| value + gives(parent, above))
}

#[inline(always)]
fn dot<V: Lanes>(a: [V; 6], b: [V; 6]) -> V {
    (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) + (a[3] * b[3] + a[4] * b[4] + a[5] * b[5])
}

impl Rattle<f64> {
    /// Calls `found` with body and impulse for the impulses that keep the loops of a tree closed for body velocities
    /// `velocity`.
    pub fn each_of_loops(
        &mut self,
        mechanism: Mechanism<'_>,
        (tree, velocity): (usize, impl Fn(usize) -> Velocity<f64>),
        mut found: impl FnMut(usize, [f64; 6]),
    ) {
        let Mechanism { joints, forest, .. } = mechanism;
        if !self.closing.hold((joints, forest), tree, velocity) {
            return;
        }
        for (&value, &(joint, row)) in self.closing.values.iter().zip(&self.closing.index) {
            let of = &joints[forest.closing[joint]];
            if forest.tree[of.child] == tree && forest.has(of.child) {
                let [own, above] = self.closing.rows[joint].six(row).map(|six| six.map(|by| by * value));
                found(of.child, own);
                of.parent.into_iter().for_each(|parent| found(parent, above));
            }
        }
    }
}
