//! Direct solver of all joints: block LDLᵀ of mass matrix and joint equations along the tree, linear in the number of
//! bodies.
//!
//! ```text
//! |  M  −Jᵀ | | u |   |  z |       u velocities or accelerations, λ impulses or forces
//! | −J  −Γ  | | λ | = | −c |       c right-hand side of the joints,  J u + Γ λ = c
//!
//! bodies from the leaves to the root, each with its joint (rows J_i) to its parent (rows J_p):
//!     D_i = M_i + Σ children J_pᵀ K⁻¹ J_p        L D Lᵀ, six by six
//!     K   = J_i D_i⁻¹ J_iᵀ + Γ                   L D Lᵀ, rows by rows
//!     y = D_i⁻¹ z_i,   w = K⁻¹ (c − J_i y),   z_p += J_pᵀ w
//! and back:
//!     λ = w − K⁻¹ J_p u_p,    u_i = y + D_i⁻¹ J_iᵀ λ
//! ```
//! This is Baraff's elimination order, with two block eliminations per body except the root. The negative definite
//! blocks of the joints are represented by their positive definite K. Two redundant rows make K singular: `Γ` then gets
//! a trace of compliance. Joints that close a loop are not included; see [`Forest::closing`]. Specification:
//! mathematics 4.4, 4.6 (H9, H10, H12, H13); Baraff 1996, *Linear-Time Dynamics using Lagrange Multipliers*.

mod answer;
pub mod modes;
mod pivot;
mod soft;

pub use answer::Answer;
pub use pivot::is_pivot;
use pivot::{Left, Pivot};

use super::Body;
use super::forest::Forest;
use super::joint::{Joint, JointJacobian, JointSide, MOST_ROWS};
use super::motion::{Momentum, Pose, Velocity};
use crate::math::lane_rotation::{LaneMatrix, LaneVector};
use crate::math::lanes::Lanes;

/// Equations of the joint above a body at one pose.
#[derive(Clone, Copy, Debug)]
pub struct Link<V> {
    /// Number of rows.
    pub count: usize,
    /// Jacobian J of the body, row by row.
    own: [[V; 6]; MOST_ROWS],
    /// Jacobian J of the parent; unused if the joint is attached to the world.
    above: [[V; 6]; MOST_ROWS],
    /// Constraint error C.
    pub error: [V; MOST_ROWS],
    /// Product D⁻¹ Jᵀ of the body, row by row.
    response: [[V; 6]; MOST_ROWS],
    /// Product K⁻¹ J of the parent, row by row.
    answer: [[V; 6]; MOST_ROWS],
    /// Factors L and D of K by rows, with reciprocals of D on the diagonal.
    factor: [V; 21],
    /// Intermediate result w.
    wanted: [V; MOST_ROWS],
}

/// One body in the factorization.
#[derive(Clone, Copy, Debug)]
pub struct Node<V> {
    /// Block D of the body, then its factors L and D by rows, with reciprocals of D on the diagonal.
    factor: [V; 21],
    /// Right-hand side z, then y.
    right: [V; 6],
    /// Solution: velocity of the body.
    pub velocity: Velocity<V>,
}

/// Factorization of a forest at one pose, with buffers for right-hand sides. After [`Self::new`] no call allocates.
#[derive(Clone, Debug)]
pub struct Factors<V> {
    /// Node of each body.
    pub nodes: Vec<Node<V>>,
    /// Link of each body; links of free roots have no rows.
    pub links: Vec<Link<V>>,
    /// Pivot of each body whose joint is eliminated without rows.
    pivots: Vec<Pivot<V>>,
    /// Multipliers λ of each joint.
    pub multipliers: Vec<[V; MOST_ROWS]>,
    /// Number of blocks eliminated by the last factorization.
    pub eliminations: usize,
    /// Number of trees factored, and solved for right-hand sides of all their bodies, since the buffers were made.
    pub count: [u64; 2],
    /// Whether a body of the subtree has received an impulse.
    is_pushed: Vec<bool>,
    /// Zero in lanes of the right width.
    zero: V,
}

/// Dispatches to code specialized for the number of rows.
macro_rules! by_count {
    ($count:expr, $rows:ident => $call:expr) => {
        match $count {
            1 => by_count!(@ 1, $rows => $call),
            2 => by_count!(@ 2, $rows => $call),
            3 => by_count!(@ 3, $rows => $call),
            4 => by_count!(@ 4, $rows => $call),
            5 => by_count!(@ 5, $rows => $call),
            6 => by_count!(@ 6, $rows => $call),
            _ => (),
        }
    };
    (@ $number:literal, $rows:ident => $call:expr) => {{
        const $rows: usize = $number;
        $call
    }};
}

/// Number of trees in the order of a forest.
fn trees(forest: &Forest) -> u64 {
    forest.spans.iter().filter(|span| !span.is_empty()).count() as u64
}

/// Index into a packed lower triangle.
#[inline(always)]
const fn at(row: usize, column: usize) -> usize {
    row * (row + 1) / 2 + column
}

impl<V: Lanes> Factors<V> {
    /// Allocates buffers for a forest.
    pub fn new(zero: V, bodies: usize, joints: usize) -> Self {
        let node = Node { factor: [zero; 21], right: [zero; 6], velocity: [zero; 6] };
        let link = Link {
            count: 0,
            own: [[zero; 6]; MOST_ROWS],
            above: [[zero; 6]; MOST_ROWS],
            error: [zero; MOST_ROWS],
            response: [[zero; 6]; MOST_ROWS],
            answer: [[zero; 6]; MOST_ROWS],
            factor: [zero; 21],
            wanted: [zero; MOST_ROWS],
        };
        Self {
            nodes: vec![node; bodies],
            links: vec![link; bodies],
            pivots: vec![Pivot::none(zero); bodies],
            multipliers: vec![[zero; MOST_ROWS]; joints],
            eliminations: 0,
            count: [0; 2],
            is_pushed: vec![false; bodies],
            zero,
        }
    }

    /// Sets the mass matrix of a body whose principal axes are the columns of `axes`.
    #[inline(always)]
    pub fn place(&mut self, body: usize, properties: &Body, axes: &LaneMatrix<V>) {
        let node = &mut self.nodes[body];
        let zero = axes.columns[0].x.like(0.0);
        node.factor = [zero; 21];
        let mass = zero + properties.mass;
        for i in 0..3 {
            node.factor[at(i, i)] = mass;
        }
        let [a, b, c] = axes.columns;
        let [ai, bi, ci] = [
            elements(a.times(properties.moments.x)),
            elements(b.times(properties.moments.y)),
            elements(c.times(properties.moments.z)),
        ];
        let [a, b, c] = [elements(a), elements(b), elements(c)];
        for i in 0..3 {
            for j in 0..=i {
                node.factor[at(3 + i, 3 + j)] = ai[i] * a[j] + bi[i] * b[j] + ci[i] * c[j];
            }
        }
    }

    /// Adds the inertia of an implicit rotational damper to a body, kg m².
    #[inline(always)]
    pub fn brake(&mut self, body: usize, inertia: V) {
        for i in 3..6 {
            let diagonal = &mut self.nodes[body].factor[at(i, i)];
            *diagonal = *diagonal + inertia;
        }
    }

    /// Sets the joint above `body` as a pivot (see [`is_pivot`]); `is_turned` if the body is the joint's parent.
    #[inline(always)]
    pub fn hang(&mut self, body: usize, (joint, is_turned): (&Joint, bool), sides: &[JointSide<V>; 2]) {
        self.pivots[body].place(joint, sides, is_turned);
    }

    /// Sets the rows of the joint above `body`; `is_turned` if the body is the joint's parent.
    #[inline(always)]
    pub fn join(&mut self, body: usize, rows: &JointJacobian<V>, is_turned: bool) {
        let link = &mut self.links[body];
        self.pivots[body].left = Left::Rows;
        link.count = rows.count;
        for row in 0..rows.count {
            let l = rows.linear[row];
            let child = six(l, rows.angular[1][row]);
            let parent = six(-l, rows.angular[0][row]);
            (link.own[row], link.above[row]) = if is_turned { (parent, child) } else { (child, parent) };
        }
        link.error = rows.error;
    }

    /// Factors the matrix. `softness` returns Γ of the rows of joint `i`; 0 for rigid rows.
    pub fn factor(&mut self, forest: &Forest, softness: &dyn Fn(usize) -> [V; MOST_ROWS]) {
        self.zero.within(
            #[inline(always)]
            || {
                self.eliminations = 0;
                self.count[0] += trees(forest);
                for &body in &forest.order {
                    let parent = forest.parent[body];
                    if forest.hangs_by[body].is_some() {
                        self.eliminations += if parent.is_some() { 2 } else { 1 };
                    }
                    let pivot = &mut self.pivots[body];
                    if pivot.left != Left::Rows {
                        let rest = pivot.eliminate(&self.nodes[body].factor);
                        if let Some(parent) = parent {
                            rest.add_to(&mut self.nodes[parent].factor);
                        }
                        continue;
                    }
                    factored::<V, 6>(&mut self.nodes[body].factor);
                    let Some(joint) = forest.hangs_by[body] else { continue };
                    let gamma = softness(joint);
                    by_count!(self.links[body].count, N => self.eliminate::<N>(body, parent, gamma));
                }
            },
        );
    }

    /// Eliminates a joint of `N` rows with the body below it; updates the matrix of the parent.
    #[inline(always)]
    fn eliminate<const N: usize>(&mut self, body: usize, parent: Option<usize>, gamma: [V; MOST_ROWS]) {
        let factor = &self.nodes[body].factor;
        let link = &mut self.links[body];
        for row in 0..N {
            let mut response = link.own[row];
            forward::<V, 6>(factor, &mut response);
            scale::<V, 6>(factor, &mut response);
            backward::<V, 6>(factor, &mut response);
            link.response[row] = response;
        }
        for i in 0..N {
            for j in 0..=i {
                let product = dot(&link.own[i], &link.response[j]);
                link.factor[at(i, j)] = if i == j { product * (1.0 + TRACE) + gamma[i] } else { product };
            }
        }
        factored::<V, N>(&mut link.factor);
        let Some(parent) = parent else { return };
        // Rows after the forward solve update the parent; after the full solve they are K⁻¹ J.
        let (mut halfway, mut weighed) = (link.above, link.above);
        for column in 0..6 {
            let mut values = [link.above[0][column]; 6];
            for row in 0..N {
                values[row] = link.above[row][column];
            }
            forward::<V, N>(&link.factor, &mut values);
            for row in 0..N {
                halfway[row][column] = values[row];
            }
            scale::<V, N>(&link.factor, &mut values);
            for row in 0..N {
                weighed[row][column] = values[row];
            }
            backward::<V, N>(&link.factor, &mut values);
            for row in 0..N {
                link.answer[row][column] = values[row];
            }
        }
        let above = &mut self.nodes[parent].factor;
        for i in 0..6 {
            for j in 0..=i {
                let mut sum = above[at(i, j)];
                for row in 0..N {
                    sum = sum + halfway[row][i] * weighed[row][j];
                }
                above[at(i, j)] = sum;
            }
        }
    }

    /// Solves for velocities and multipliers. `z` is the right-hand side of each body, `c` that of the joint above each
    /// body.
    pub fn solve(&mut self, forest: &Forest, z: &[[V; 6]], c: &[[V; MOST_ROWS]]) {
        for &body in &forest.order {
            self.nodes[body].right = z[body];
        }
        self.count[1] += trees(forest);
        self.sweep(forest, 0..forest.order.len(), c);
    }

    /// Computes velocities of the bodies of one tree due to impulses on some of them, with joints holding. The result
    /// is in [`Self::nodes`].
    pub fn respond(&mut self, forest: &Forest, tree: usize, impulses: impl Iterator<Item = (usize, [V; 6])>) {
        let span = forest.spans[tree].clone();
        for &body in &forest.order[span.clone()] {
            self.nodes[body].right = [self.zero; 6];
            self.links[body].wanted = [self.zero; MOST_ROWS];
            self.pivots[body].rest();
            self.is_pushed[body] = false;
        }
        for (body, impulse) in impulses {
            self.is_pushed[body] = true;
            let right = &mut self.nodes[body].right;
            for column in 0..6 {
                right[column] = right[column] + impulse[column];
            }
        }
        self.zero.within(
            #[inline(always)]
            || {
                // Only ancestors of bodies with an impulse have something to carry upward.
                for &body in &forest.order[span.clone()] {
                    if self.is_pushed[body] {
                        self.up(forest, body, [self.zero; MOST_ROWS]);
                        if let Some(parent) = forest.parent[body] {
                            self.is_pushed[parent] = true;
                        }
                    }
                }
                self.down(forest, span);
            },
        );
    }

    /// Sweeps from the leaves to the roots and back over a span of the order; `c` is the right-hand side of the joints.
    fn sweep(&mut self, forest: &Forest, span: core::ops::Range<usize>, c: &[[V; MOST_ROWS]]) {
        self.zero.within(
            #[inline(always)]
            || {
                for &body in &forest.order[span.clone()] {
                    self.up(forest, body, c[body]);
                }
                self.down(forest, span);
            },
        );
    }

    #[inline(always)]
    fn up(&mut self, forest: &Forest, body: usize, asked: [V; MOST_ROWS]) {
        let pivot = &mut self.pivots[body];
        if pivot.left != Left::Rows {
            let more = pivot.rise(&self.nodes[body].right, &asked);
            if let Some(parent) = forest.parent[body] {
                let right = &mut self.nodes[parent].right;
                for column in 0..6 {
                    right[column] = right[column] + more[column];
                }
            }
            return;
        }
        let node = &mut self.nodes[body];
        forward::<V, 6>(&node.factor, &mut node.right);
        scale::<V, 6>(&node.factor, &mut node.right);
        backward::<V, 6>(&node.factor, &mut node.right);
        if forest.hangs_by[body].is_some() {
            by_count!(self.links[body].count, N => self.rise::<N>(body, forest.parent[body], &asked));
        }
    }

    #[inline(always)]
    fn down(&mut self, forest: &Forest, span: core::ops::Range<usize>) {
        for &body in forest.order[span].iter().rev() {
            let Some(joint) = forest.hangs_by[body] else {
                self.nodes[body].velocity = self.nodes[body].right;
                continue;
            };
            let pivot = &self.pivots[body];
            if pivot.left != Left::Rows {
                let above = match forest.parent[body] {
                    Some(parent) => self.nodes[parent].velocity,
                    None => [self.zero; 6],
                };
                (self.nodes[body].velocity, self.multipliers[joint]) = pivot.descend(&above);
            } else {
                self.nodes[body].velocity = self.nodes[body].right;
                by_count!(self.links[body].count, N => self.descend::<N>(body, forest.parent[body], joint));
            }
        }
    }

    /// Computes w of a joint of `N` rows and adds its part to the parent's right-hand side.
    #[inline(always)]
    fn rise<const N: usize>(&mut self, body: usize, parent: Option<usize>, asked: &[V; MOST_ROWS]) {
        let (y, link) = (&self.nodes[body].right, &mut self.links[body]);
        let mut wanted = *asked;
        for row in 0..N {
            wanted[row] = asked[row] - dot(&link.own[row], y);
        }
        forward::<V, N>(&link.factor, &mut wanted);
        scale::<V, N>(&link.factor, &mut wanted);
        backward::<V, N>(&link.factor, &mut wanted);
        link.wanted = wanted;
        let Some(parent) = parent else { return };
        let right = &mut self.nodes[parent].right;
        for column in 0..6 {
            for row in 0..N {
                right[column] = right[column] + link.above[row][column] * wanted[row];
            }
        }
    }

    /// Computes λ of a joint of `N` rows and the velocity of the body below it.
    #[inline(always)]
    fn descend<const N: usize>(&mut self, body: usize, parent: Option<usize>, joint: usize) {
        let link = &self.links[body];
        let mut multipliers = link.wanted;
        if let Some(parent) = parent {
            let above = &self.nodes[parent].velocity;
            for row in 0..N {
                multipliers[row] = multipliers[row] - dot(&link.answer[row], above);
            }
        }
        let velocity = &mut self.nodes[body].velocity;
        for column in 0..6 {
            for row in 0..N {
                velocity[column] = velocity[column] + link.response[row][column] * multipliers[row];
            }
        }
        self.multipliers[joint] = multipliers;
    }

    /// Adds the joint impulses Jᵀλ of the last solution to momenta.
    pub fn push(&self, forest: &Forest, momenta: &mut [Momentum<V>]) {
        self.zero.within(
            #[inline(always)]
            || {
                for &body in &forest.order {
                    let Some(joint) = forest.hangs_by[body] else { continue };
                    let (link, multipliers) = (&self.links[body], &self.multipliers[joint]);
                    let pivot = &self.pivots[body];
                    let [own, above] = if pivot.left == Left::Rows {
                        let count = link.count;
                        [impulse(&link.own, multipliers, count), impulse(&link.above, multipliers, count)]
                    } else {
                        pivot.impulses(multipliers)
                    };
                    momenta[body] = momenta[body].plus(own);
                    if let Some(parent) = forest.parent[body] {
                        momenta[parent] = momenta[parent].plus(above);
                    }
                }
            },
        );
    }

    /// Rate J u of the joint above `body`.
    #[inline(always)]
    pub fn rate(&self, forest: &Forest, body: usize, velocity: impl Fn(usize) -> Velocity<V>) -> [V; MOST_ROWS] {
        let link = &self.links[body];
        let own = velocity(body);
        if self.pivots[body].left != Left::Rows {
            return match forest.parent[body] {
                Some(parent) => self.pivots[body].rate(&own, Some(&velocity(parent))),
                None => self.pivots[body].rate(&own, None),
            };
        }
        let mut rate = link.error;
        for row in 0..link.count {
            rate[row] = dot(&link.own[row], &own);
        }
        if let Some(parent) = forest.parent[body] {
            let above = velocity(parent);
            for row in 0..link.count {
                rate[row] = rate[row] + dot(&link.above[row], &above);
            }
        }
        rate
    }
}

/// Relative compliance of every row, which keeps redundant rows from dividing by zero.
const TRACE: f64 = 1e-14;

/// Rotation matrix of a body at a pose.
#[inline(always)]
pub fn axes<V: Lanes>(pose: &Pose<V>) -> LaneMatrix<V> {
    pose.rotation.matrix()
}

#[inline(always)]
fn impulse<V: Lanes>(rows: &[[V; 6]; MOST_ROWS], multipliers: &[V; MOST_ROWS], count: usize) -> Momentum<V> {
    let zero = multipliers[0].like(0.0);
    let mut sum = [zero; 6];
    for row in 0..count {
        for column in 0..6 {
            sum[column] = sum[column] + rows[row][column] * multipliers[row];
        }
    }
    Momentum::of_six(sum)
}

#[inline(always)]
pub(super) fn six<V: Lanes>(linear: LaneVector<V>, angular: LaneVector<V>) -> [V; 6] {
    [linear.x, linear.y, linear.z, angular.x, angular.y, angular.z]
}

#[inline(always)]
fn elements<V: Copy>(v: LaneVector<V>) -> [V; 3] {
    [v.x, v.y, v.z]
}

#[inline(always)]
pub(super) fn dot<V: Lanes>(a: &[V; 6], b: &[V; 6]) -> V {
    (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) + (a[3] * b[3] + a[4] * b[4] + a[5] * b[5])
}

/// Factors A = L D Lᵀ in place, with reciprocals of D on the diagonal. No square roots: each pivot costs one division.
#[inline(always)]
fn factored<V: Lanes, const N: usize>(a: &mut [V; 21]) {
    let mut unscaled = [a[0]; 6];
    for i in 0..N {
        let mut diagonal = a[at(i, i)];
        for j in 0..i {
            let mut value = a[at(i, j)];
            for k in 0..j {
                value = value - unscaled[k] * a[at(j, k)];
            }
            unscaled[j] = value;
        }
        for j in 0..i {
            let scaled = unscaled[j] * a[at(j, j)];
            a[at(i, j)] = scaled;
            diagonal = diagonal - unscaled[j] * scaled;
        }
        a[at(i, i)] = diagonal.like(1.0) / diagonal.greatest(diagonal.like(LEAST));
    }
}

/// Least pivot and least effective inverse mass, below any real value, so that a row of zeros gives zeros. Its
/// reciprocal is finite in f32 too.
pub(super) const LEAST: f64 = 1e-37;

/// Solves L x = b in place.
#[inline(always)]
fn forward<V: Lanes, const N: usize>(factor: &[V; 21], x: &mut [V; 6]) {
    for i in 1..N {
        let mut value = x[i];
        for k in 0..i {
            value = value - factor[at(i, k)] * x[k];
        }
        x[i] = value;
    }
}

/// Solves D x = b in place.
#[inline(always)]
fn scale<V: Lanes, const N: usize>(factor: &[V; 21], x: &mut [V; 6]) {
    for i in 0..N {
        x[i] = x[i] * factor[at(i, i)];
    }
}

/// Solves Lᵀ x = b in place.
#[inline(always)]
fn backward<V: Lanes, const N: usize>(factor: &[V; 21], x: &mut [V; 6]) {
    for i in (0..N).rev() {
        let mut value = x[i];
        for k in i + 1..N {
            value = value - factor[at(k, i)] * x[k];
        }
        x[i] = value;
    }
}
