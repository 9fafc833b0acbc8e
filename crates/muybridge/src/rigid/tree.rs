//! Joints solved at once: block LDLᵀ of mass matrix and joint equations along the tree, linear in the number of bodies.
//!
//! ```text
//! |  M  −Jᵀ | | u |   |  z |       u velocities or accelerations, λ impulses or forces
//! | −J  −Γ  | | λ | = | −c |       c what the joints ask for,  J u + Γ λ = c
//!
//! bodies from the leaves to the root, each with its joint (rows J_i) to its parent (rows J_p):
//!     D_i = M_i + Σ children J_pᵀ K⁻¹ J_p        L D Lᵀ, six by six
//!     K   = J_i D_i⁻¹ J_iᵀ + Γ                   L D Lᵀ, rows by rows
//!     y = D_i⁻¹ z_i,   w = K⁻¹ (c − J_i y),   z_p += J_pᵀ w
//! and back:
//!     λ = w − K⁻¹ J_p u_p,    u_i = y + D_i⁻¹ J_iᵀ λ
//! ```
//! That is Baraff's order of elimination, two block eliminations for every body but the root, with the negative definite blocks of the joints
//! written by their positive definite K. Two rows that say the same make K singular: `Γ` then gets a trace of compliance.
//! Joints that close a loop are left out here; see [`Forest::closing`]. Specification: mathematics 4.4, 4.6 (H9, H10, H12, H13);
//! Baraff 1996, *Linear-Time Dynamics using Lagrange Multipliers*.

mod answer;
pub mod modes;
mod pivot;

pub use answer::Answer;
pub use pivot::is_pivot;
use pivot::{Left, Pivot};

use super::Body;
use super::forest::Forest;
use super::joint::{Joint, JointJacobian, JointSide, MOST_ROWS};
use super::motion::{Momentum, Pose, Velocity};
use crate::math::lane_rotation::{LaneMatrix, LaneVector};
use crate::math::lanes::Lanes;

/// A joint's equations at a pose, as the body that hangs by it sees them.
#[derive(Clone, Copy, Debug)]
pub struct Link<V> {
    /// Number of rows.
    pub count: usize,
    /// J of the body, row by row.
    own: [[V; 6]; MOST_ROWS],
    /// J of the one it hangs on; unused where it hangs on the world.
    above: [[V; 6]; MOST_ROWS],
    /// C.
    pub error: [V; MOST_ROWS],
    /// D⁻¹ Jᵀ of the body, row by row.
    response: [[V; 6]; MOST_ROWS],
    /// K⁻¹ J of the one it hangs on, row by row.
    answer: [[V; 6]; MOST_ROWS],
    /// L and D of K by rows, D as reciprocals on the diagonal.
    factor: [V; 21],
    /// w.
    wanted: [V; MOST_ROWS],
}

/// A body in the factorisation.
#[derive(Clone, Copy, Debug)]
pub struct Node<V> {
    /// The body's D, then its own L and D by rows, the latter as reciprocals on the diagonal.
    factor: [V; 21],
    /// z, then y.
    right: [V; 6],
    /// The solution.
    pub velocity: Velocity<V>,
}

/// Factors of a forest at one pose of its bodies, and room for right-hand sides. No call allocates after [`Self::new`].
#[derive(Clone, Debug)]
pub struct Factors<V> {
    /// One for each body.
    pub nodes: Vec<Node<V>>,
    /// One for each body; those of roots in the air have no rows.
    pub links: Vec<Link<V>>,
    /// One for each body that hangs by a joint eliminated without its rows.
    pivots: Vec<Pivot<V>>,
    /// λ of each joint.
    pub multipliers: Vec<[V; MOST_ROWS]>,
    /// Blocks eliminated by the last factorisation.
    pub eliminations: usize,
    /// What hangs on it was pushed.
    is_pushed: Vec<bool>,
    /// As wide as the rest.
    zero: V,
}

/// The same code for every number of rows, which the compiler then knows.
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

/// Place in a packed lower triangle.
#[inline(always)]
const fn at(row: usize, column: usize) -> usize {
    row * (row + 1) / 2 + column
}

impl<V: Lanes> Factors<V> {
    /// Room for a forest.
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
            is_pushed: vec![false; bodies],
            zero,
        }
    }

    /// The mass matrix of a body with the columns of `axes` as principal axes, and the rows of the joint it hangs by.
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

    /// More to turn a body: what an implicit brake adds to its inertia, kg m².
    #[inline(always)]
    pub fn brake(&mut self, body: usize, inertia: f64) {
        for i in 3..6 {
            let diagonal = &mut self.nodes[body].factor[at(i, i)];
            *diagonal = *diagonal + inertia;
        }
    }

    /// The joint `body` hangs by, which [`is_pivot`] and has no other rows; `is_turned` where the joint calls it the parent.
    #[inline(always)]
    pub fn hang(&mut self, body: usize, (joint, is_turned): (&Joint, bool), sides: &[JointSide<V>; 2]) {
        self.pivots[body].place(joint, sides, is_turned);
    }

    /// The rows of the joint `body` hangs by; `is_turned` where the joint calls it the parent.
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

    /// Factors the matrix. `softness` is Γ of a joint's rows (by index), 0 for rigid ones.
    pub fn factor(&mut self, forest: &Forest, softness: &dyn Fn(usize) -> [f64; MOST_ROWS]) {
        self.zero.within(
            #[inline(always)]
            || {
                self.eliminations = 0;
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

    /// A joint of `N` rows and the body that hangs by it, into the matrix of the one above.
    #[inline(always)]
    fn eliminate<const N: usize>(&mut self, body: usize, parent: Option<usize>, gamma: [f64; MOST_ROWS]) {
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
        // Rows solved half the way give the update of the parent; solved on, they are the answer.
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

    /// Solves for velocities and multipliers. `z` is the right-hand side of each body, `c` what the joint by which each hangs asks for.
    pub fn solve(&mut self, forest: &Forest, z: &[[V; 6]], c: &[[V; MOST_ROWS]]) {
        for &body in &forest.order {
            self.nodes[body].right = z[body];
        }
        self.sweep(forest, 0..forest.order.len(), c);
    }

    /// Velocities of the bodies of one tree by impulses on up to two of them; joints hold. They are left in [`Self::nodes`].
    pub fn respond(&mut self, forest: &Forest, tree: usize, impulses: [Option<(usize, [V; 6])>; 2]) {
        let span = forest.spans[tree].clone();
        for &body in &forest.order[span.clone()] {
            self.nodes[body].right = [self.zero; 6];
            self.links[body].wanted = [self.zero; MOST_ROWS];
            self.pivots[body].rest();
            self.is_pushed[body] = false;
        }
        for (body, impulse) in impulses.into_iter().flatten() {
            self.is_pushed[body] = true;
            let right = &mut self.nodes[body].right;
            for column in 0..6 {
                right[column] = right[column] + impulse[column];
            }
        }
        self.zero.within(
            #[inline(always)]
            || {
                // Above what is pushed alone there is something to carry up.
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

    /// From the leaves to the roots and back, for the bodies in a span of the order; `c` is what joints ask for.
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

    /// w of a joint of `N` rows, and what it adds to the right-hand side above.
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

    /// λ of a joint of `N` rows, and the velocity of the body that hangs by it.
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

    /// Adds Jᵀλ of the last solution to momenta.
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

    /// J u of the joint `body` hangs by.
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

/// Share of its own stiffness by which a row gives: enough to keep rows that repeat each other from dividing by zero.
const TRACE: f64 = 1e-14;

/// Mass matrix and axes of a body at a pose.
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
    let [x, y, z, a, b, c] = sum;
    Momentum { linear: LaneVector { x, y, z }, angular: LaneVector { x: a, y: b, z: c } }
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
fn dot<V: Lanes>(a: &[V; 6], b: &[V; 6]) -> V {
    (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) + (a[3] * b[3] + a[4] * b[4] + a[5] * b[5])
}

/// A = L D Lᵀ in place, the reciprocals of D on the diagonal. Without roots: a pivot waits for one division.
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

/// Least pivot, and least divisor of what bodies feel: what no body reaches, so that a row of zeros gives zeros. In f32 its reciprocal is a
/// number as well.
pub(super) const LEAST: f64 = 1e-37;

/// L x = b in place.
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

/// D x = b in place.
#[inline(always)]
fn scale<V: Lanes, const N: usize>(factor: &[V; 21], x: &mut [V; 6]) {
    for i in 0..N {
        x[i] = x[i] * factor[at(i, i)];
    }
}

/// Lᵀ x = b in place.
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
