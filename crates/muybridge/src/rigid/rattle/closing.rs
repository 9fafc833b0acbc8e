//! Joints that close loops: one dense matrix of their rows, by the response of the forest to each.

use super::{Mechanism, Rattle};
use crate::math::lanes::Lanes;
use crate::rigid::forest::Forest;
use crate::rigid::joint::{Joint, MOST_ROWS, Rows};
use crate::rigid::motion::{Momentum, Velocity};

/// Rows outside the forest, with the response of the forest to each.
#[derive(Clone, Debug)]
pub(super) struct Closing<V> {
    pub rows: Vec<Rows<V>>,
    /// Whether the tree of a joint is left out: its rows ask for nothing and get nothing.
    pub is_left_out: Vec<bool>,
    /// Which joint, and which of its rows.
    pub index: Vec<(usize, usize)>,
    /// Velocities of all bodies by a unit impulse of each row.
    pub columns: Vec<[V; 6]>,
    /// Cholesky factor of the dense matrix, by rows.
    pub factor: Vec<V>,
    /// A unit impulse on the bodies of one row, and joints that ask for nothing.
    pub unit: (Vec<[V; 6]>, Vec<[V; MOST_ROWS]>),
    /// Right-hand side, then impulses.
    pub values: Vec<V>,
}

/// As the trace of a tree's rows; loops are redundant more often (four hinges in one plane), and then this is what gives.
pub(super) const LOOP_TRACE: f64 = 1e-10;

impl<V: Lanes> Closing<V> {
    pub fn factorize(&mut self) {
        let count = self.index.len();
        for j in 0..count {
            for i in j..count {
                let mut value = self.factor[i * count + j];
                for k in 0..j {
                    value = value - self.factor[i * count + k] * self.factor[j * count + k];
                }
                self.factor[i * count + j] = if i == j {
                    // A pivot that rounding left negative is one of a row that repeats others: it gets no impulse.
                    let least = self.factor[i * count + j].abs() * LOOP_TRACE * 0.1 + 1e-300;
                    value.like(1.0) / value.greatest(least).sqrt()
                } else {
                    value * self.factor[j * count + j]
                };
            }
        }
    }

    pub fn solve(&mut self) {
        let count = self.index.len();
        for (value, &(joint, _)) in self.values.iter_mut().zip(&self.index) {
            if self.is_left_out[joint] {
                *value = value.like(0.0);
            }
        }
        for i in 0..count {
            let mut value = self.values[i];
            for k in 0..i {
                value = value - self.factor[i * count + k] * self.values[k];
            }
            self.values[i] = value * self.factor[i * count + i];
        }
        for i in (0..count).rev() {
            let mut value = self.values[i];
            for k in i + 1..count {
                value = value - self.factor[k * count + i] * self.values[k];
            }
            self.values[i] = value * self.factor[i * count + i];
        }
    }

    /// Impulses that keep the loops of one tree closed where its bodies would get `velocity`. `false` where it has none.
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
pub(super) fn rate_of<V: Lanes>(rows: &Rows<V>, row: usize, joint: &Joint, velocities: &[Velocity<V>]) -> V {
    rate_by(rows, row, joint, |body| velocities[body])
}

/// J u of one row.
#[inline(always)]
pub(super) fn rate_by<V: Lanes>(
    rows: &Rows<V>,
    row: usize,
    joint: &Joint,
    velocity: impl Fn(usize) -> Velocity<V>,
) -> V {
    let [own, above] = rows.six(row);
    let dot =
        |a: [V; 6], b: [V; 6]| (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) + (a[3] * b[3] + a[4] * b[4] + a[5] * b[5]);
    let rate = dot(own, velocity(joint.child));
    match joint.parent {
        Some(parent) => rate + dot(above, velocity(parent)),
        None => rate,
    }
}

impl Rattle<f64> {
    /// Calls `found` with body and impulse of what keeps the loops of a tree closed where its bodies would get `velocity`.
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
