//! Joints that close loops: their rows, with a matrix that answers them, dense for few loops and sparse for many.
//!
//! The trees answer as if the loops were open; what is left of the rates of the loops is removed by impulses along their
//! rows, and the trees answer those. Specification: mathematics 4.4 (H10, H-E7).

use super::dense::DenseLoops;
use super::sparse::SparseLoops;
use super::{Mechanism, Rattle};
use crate::math::lane_rotation::LaneMatrix;
use crate::math::lanes::Lanes;
use crate::rigid::Body;
use crate::rigid::forest::Forest;
use crate::rigid::joint::{Joint, JointJacobian, MOST_ROWS};
use crate::rigid::motion::{Momentum, Velocity};
use crate::rigid::tree::dot;

/// Loop-closing rows.
#[derive(Clone, Debug)]
pub(super) struct Closing<V> {
    pub rows: Vec<JointJacobian<V>>,
    /// Whether the tree of a joint is left out; its rows then get no impulse.
    pub is_left_out: Vec<bool>,
    /// Index of the joint, and of the row within it.
    pub index: Vec<(usize, usize)>,
    pub matrix: LoopMatrix<V>,
    /// Pivot ratio below which a row gets no impulse; see [`Rattle::repeats_below`].
    pub least: f64,
    /// Scratch: impulses of the loops on the bodies, and zero right-hand sides of the joints.
    pub unit: (Vec<[V; 6]>, Vec<[V; MOST_ROWS]>),
    /// Right-hand side, then impulses.
    pub values: Vec<V>,
}

/// Matrix of the loop-closing rows.
#[derive(Clone, Debug)]
pub(super) enum LoopMatrix<V> {
    Dense(DenseLoops<V>),
    Sparse(Box<SparseLoops<V>>),
}

/// Pivot ratio below which a row is redundant up to rounding.
pub(super) const REPEATED: f64 = 1e-10;

impl<V: Lanes> Closing<V> {
    /// Allocates buffers for a mechanism; with `has_soft_rows`, joints of its trees may have soft rows.
    pub fn new(zero: V, mechanism: Mechanism<'_>, has_soft_rows: bool) -> Self {
        let Mechanism { bodies, joints, forest } = mechanism;
        let rows = |(place, &joint): (usize, &usize)| (0..joints[joint].rows()).map(move |row| (place, row));
        let index: Vec<(usize, usize)> = forest.closing.iter().enumerate().flat_map(rows).collect();
        let closed = if index.is_empty() { 0 } else { bodies.len() };
        let matrix = SparseLoops::new(zero, mechanism, has_soft_rows).map_or_else(
            || LoopMatrix::Dense(DenseLoops::new(zero, index.len())),
            |sparse| LoopMatrix::Sparse(Box::new(sparse)),
        );
        Self {
            rows: vec![JointJacobian::none(zero); forest.closing.len()],
            is_left_out: vec![false; forest.closing.len()],
            matrix,
            least: REPEATED,
            unit: (vec![[zero; 6]; closed], vec![[zero; MOST_ROWS]; closed]),
            values: vec![zero; index.len()],
            index,
        }
    }

    /// Whether a row without impulse is not exactly redundant.
    pub fn has_left_out(&self) -> bool {
        let left = match &self.matrix {
            LoopMatrix::Dense(dense) => dense.left_out(),
            LoopMatrix::Sparse(sparse) => sparse.left_out,
        };
        left.is_some_and(|left| V::any(left.like(REPEATED).is_below(left)))
    }

    /// Solves for the impulses, from the right-hand side in `values`. Redundant rows get none.
    pub fn solve(&mut self) {
        for (value, &(joint, _)) in self.values.iter_mut().zip(&self.index) {
            if self.is_left_out[joint] {
                *value = value.like(0.0);
            }
        }
        match &mut self.matrix {
            LoopMatrix::Dense(dense) => dense.solve(&mut self.values),
            LoopMatrix::Sparse(sparse) => sparse.solve(&mut self.values),
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

    /// Impulses of the loops of one tree on its bodies, after [`Self::hold`].
    fn impulses<'a>(
        &'a self,
        (joints, forest): (&'a [Joint], &'a Forest),
        tree: usize,
    ) -> impl Iterator<Item = (usize, [V; 6])> + 'a {
        let mut place = 0;
        let closing = forest.closing.iter().zip(&self.rows).map(move |(&joint, rows)| {
            let of = &joints[joint];
            let mut sums = [[rows.error[0].like(0.0); 6]; 2];
            for row in 0..of.rows() {
                for (sum, by) in sums.iter_mut().flatten().zip(rows.six(row).iter().flatten()) {
                    *sum = *sum + *by * self.values[place + row];
                }
            }
            place += of.rows();
            (of, sums)
        });
        let is_here = move |of: &Joint| forest.tree[of.child] == tree && forest.has(of.child);
        closing.filter(move |(of, _)| is_here(of)).flat_map(|(of, [own, above])| {
            [Some((of.child, own)), of.parent.map(|parent| (parent, above))].into_iter().flatten()
        })
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
    let rate = dot(&own, &velocity(joint.child));
    match joint.parent {
        Some(parent) => rate + dot(&above, &velocity(parent)),
        None => rate,
    }
}

/// Inverse effective mass J M⁻¹ Jᵀ of one row without other joints.
pub(super) fn alone<V: Lanes>(rows: &JointJacobian<V>, row: usize, (bodies, axes): (&[Body], &[LaneMatrix<V>])) -> V {
    let (child, parent) = rows.ends;
    let [own, above] = rows.six(row);
    let gives = |body: usize, by: [V; 6]| dot(&by, &Momentum::of_six(by).velocity(&bodies[body], &axes[body]));
    let value = gives(child, own);
    parent.map_or(value, |parent| value + gives(parent, above))
}

impl<V: Lanes> Rattle<V> {
    /// Impulses, with their bodies, that keep the loops of a tree closed under `impulses` on its bodies.
    pub fn hold_loops<'a>(
        &'a mut self,
        Mechanism { joints, forest, .. }: Mechanism<'a>,
        tree: usize,
        impulses: impl Iterator<Item = (usize, [V; 6])>,
    ) -> impl Iterator<Item = (usize, [V; 6])> + 'a {
        let Self { factors, closing, .. } = self;
        factors.respond(forest, tree, impulses);
        let is_closed = closing.hold((joints, forest), tree, |body| factors.nodes[body].velocity);
        is_closed.then(|| closing.impulses((joints, forest), tree)).into_iter().flatten()
    }
}
