//! Contacts, ranges and motors solved in one loop, each feeling the inertia of everything that hangs on its bodies.
//!
//! ```text
//! w = A λ + w₀,   A = J H⁻¹ Jᵀ          H⁻¹: the answer of a tree of bodies whose joints hold
//! H⁻¹ = W Wᵀ,  g = Wᵀ Jᵀ               a row by the modes of its trees, see `tree::modes`
//! q = Σ g λ,   w = g · q + w₀           so a row costs as much as there are modes, however many rows there are
//! row after row:  λ ← clamp(λ + (target − w − Γ λ)/(A_rr + Γ)),   q += g Δλ
//! ```
//! Because H⁻¹ is that of the whole tree, joints hold in every pass and the loop settles between contacts alone: a foot of a
//! kilogram carries a body of eighty as easily as one of two. Loops of joints add to what a row does: then q += (g + g of the loops) Δλ.
//! Every few passes all rows inside their bounds are solved at once (`leap`); rows of trees that do not touch are apart (`islands`).
//! From λ = 0 no pass adds energy where targets are not positive; the impulses of the last substep are where it starts.
//! Specification: mathematics 4.6 (contacts outside the tree), 4.10 (H17, H18).

mod islands;
mod leap;
mod rows;

use islands::Islands;
use leap::Leap;

use super::forest::Forest;
use super::motion::{Momentum, Velocity, halves};
use super::rattle::{Mechanism, Rattle};
use super::row::{ConstraintRow, Of};
use super::tree::modes::Modes;

/// Rows, and what they do to each other. Keeps its memory from step to step.
#[derive(Clone, Debug, Default)]
pub struct Solver {
    /// To be filled before [`Self::couple`], after [`Self::begin`].
    pub rows: Vec<ConstraintRow>,
    modes: Modes,
    /// What a row is to each of its trees.
    sides: Vec<[Option<TreeRow>; 2]>,
    /// g of all sides, and what they do where that is not the same.
    shapes: Vec<f64>,
    /// w₀.
    base: Vec<f64>,
    /// A_rr.
    compliances: Vec<f64>,
    /// What the normal of a contact does to its tangents, and these to each other; by row.
    couplings: Vec<[f64; 3]>,
    /// q of all trees that have rows.
    flow: Vec<f64>,
    /// Where that of each tree begins.
    begins: Vec<usize>,
    islands: Islands,
    /// Rows that were there when rows were solved.
    solved: usize,
    leap: Leap,
}

/// A row in one tree.
#[derive(Clone, Copy, Debug)]
struct TreeRow {
    tree: usize,
    /// Where its g begins.
    shape: usize,
    /// Where begins what it does.
    answer: usize,
    /// Length of both.
    length: usize,
}

/// Lengths are multiples of this, so that sums have as many parts that do not wait for each other.
const PARTS: usize = 4;

impl Solver {
    /// Forgets all rows.
    pub fn begin(&mut self, forest: &Forest) {
        self.rows.clear();
        self.sides.clear();
        self.shapes.clear();
        self.base.clear();
        self.compliances.clear();
        self.couplings.clear();
        self.modes.clear(forest);
        self.solved = 0;
    }

    /// What rows do and their rates for bodies with `velocities`, of all rows that are new; impulses are taken as they are, and not yet
    /// felt. The factors of `rattle` are those of the first call since [`Self::begin`].
    pub fn couple(
        &mut self,
        mechanism: Mechanism<'_>,
        rattle: &mut Rattle<f64>,
        velocity: impl Fn(usize) -> Velocity<f64>,
    ) {
        let forest = mechanism.forest;
        if self.sides.is_empty() {
            for joint in forest.closing.iter().map(|&joint| &mechanism.joints[joint]) {
                for body in [Some(joint.child), joint.parent].into_iter().flatten().filter(|&body| forest.has(body)) {
                    self.modes.add(&rattle.factors, forest, body);
                }
            }
        }
        for row in self.sides.len()..self.rows.len() {
            for body in self.rows[row].bodies.into_iter().flatten() {
                self.modes.add(&rattle.factors, forest, body);
            }
            let trees = self.rows[row].bodies.map(|body| body.map(|body| forest.tree[body]));
            let second = trees[1].filter(|_| trees[0] != trees[1]);
            let sides = [trees[0], second].map(|tree| tree.map(|tree| self.side((mechanism, rattle), row, tree)));
            self.sides.push(sides);
            let (own, alone) = (self.coupling(row, row), alone(&self.rows[row], mechanism, rattle));
            self.compliances.push(if own > IMMOVABLE * alone { own } else { 0.0 });
            self.couplings.push([0.0; 3]);
            self.base.push(rate(&self.rows[row], &velocity));
            if let Some(first) = row.checked_sub(2).filter(|&first| matches!(self.rows[first].of, Of::Contact(_))) {
                self.couplings[first] =
                    [[first, first + 1], [first, row], [first + 1, row]].map(|[a, b]| self.coupling(a, b));
            }
        }
        self.find_islands(forest);
        self.lay_out(forest);
    }

    /// A row by the modes of one of its trees.
    fn side(&mut self, (mechanism, rattle): (Mechanism<'_>, &mut Rattle<f64>), row: usize, tree: usize) -> TreeRow {
        let forest = mechanism.forest;
        let Self { rows, modes, shapes, .. } = self;
        let row = &rows[row];
        let bodies = || row.bodies.into_iter().zip(&row.by).filter_map(|(body, by)| body.map(|body| (body, by)));
        let here = || bodies().filter(|&(body, _)| forest.tree[body] == tree);
        let least = if forest.closing.is_empty() { 0 } else { modes.count(tree) };
        let length = here().map(|(body, _)| modes.end(body)).fold(least, usize::max).next_multiple_of(PARTS);
        let shape = shapes.len();
        shapes.resize(shape + length, 0.0);
        for impulse in here() {
            modes.add_impulse(forest, impulse, &mut shapes[shape..]);
        }
        let mut side = TreeRow { tree, shape, answer: shape, length };
        if !forest.closing.is_empty() {
            shapes.extend_from_within(shape..);
            let (shape, answer) = shapes[shape..].split_at_mut(length);
            let velocity = |body: usize| modes.velocity(forest, body, shape);
            rattle.each_of_loops(mechanism, (tree, velocity), |body, impulse| {
                modes.add_impulse(forest, (body, &impulse), answer);
            });
            side.answer += length;
        }
        side
    }

    /// Room for q.
    fn lay_out(&mut self, forest: &Forest) {
        self.begins.clear();
        let mut count = 0;
        for tree in 0..forest.trees {
            self.begins.push(count);
            count += self.modes.count(tree).next_multiple_of(PARTS);
        }
        self.flow.clear();
        self.flow.resize(count, 0.0);
    }

    /// Whether a tree has rows that are not yet solved, or touches one that has.
    pub fn is_open(&self, tree: usize) -> bool {
        self.islands.of(tree).is_some_and(|island| self.has_new(island))
    }

    fn has_new(&self, island: usize) -> bool {
        self.islands.units[self.islands.spans[island].clone()].iter().any(|&row| row >= self.solved)
    }

    /// Rows that were there when rows were last solved.
    pub fn solved(&self) -> usize {
        self.solved
    }

    /// Rows feel the impulses they start from, but only where these are better than none: what stopped a fall would throw up what lies.
    /// Passes lower `F(λ) = ½ λ·(A + Γ) λ + λ·(w₀ − target) = ½ λ·(w₀ + w + Γ λ − 2 target)`, and `F(0) = 0`; above that is
    /// energy from nothing.
    fn start(&mut self, island: usize) {
        let mut objective = 0.0;
        for place in self.islands.spans[island].clone() {
            for row in self.unit(place) {
                let ConstraintRow { impulse, softness, target, .. } = self.rows[row];
                objective += 0.5 * impulse * (self.base[row] + softness * impulse - 2.0 * target);
                self.feel(row, impulse);
            }
        }
        for place in self.islands.spans[island].clone() {
            for row in self.unit(place) {
                objective += 0.5 * self.rows[row].impulse * self.rate(row);
            }
        }
        if objective > 0.0 {
            for place in self.islands.spans[island].clone() {
                for row in self.unit(place) {
                    let impulse = core::mem::take(&mut self.rows[row].impulse);
                    self.feel(row, -impulse);
                }
            }
        }
    }

    /// The rows of a unit: three of a contact, one of all else.
    fn unit(&self, place: usize) -> core::ops::Range<usize> {
        let row = self.islands.units[place];
        row..row + if matches!(self.rows[row].of, Of::Contact(_)) { 3 } else { 1 }
    }

    /// Passes over the rows of each island that has new ones until none changes a rate by more than `tolerance` (m/s, rad/s) or there
    /// were `most`. `friction` is that of a contact. Returns the passes of the island that took most.
    pub fn solve(&mut self, friction: impl Fn(usize) -> f64, most: u32, tolerance: f64) -> u32 {
        let mut passes = 0;
        for island in 0..self.islands.spans.len() {
            if self.has_new(island) {
                passes = passes.max(self.solve_island(island, &friction, (most, tolerance)));
            }
        }
        self.solved = self.rows.len();
        passes
    }

    fn solve_island(&mut self, island: usize, friction: &impl Fn(usize) -> f64, (most, tolerance): (u32, f64)) -> u32 {
        self.start(island);
        let span = self.islands.spans[island].clone();
        for pass in 1..=most {
            let mut change = 0.0_f64;
            for place in span.clone() {
                // To and fro, so that no corner of a box is always the last to carry it.
                let place = if pass % 2 == 1 { place } else { span.start + span.end - 1 - place };
                let row = self.islands.units[place];
                change = change.max(match self.rows[row].of {
                    Of::Contact(contact) => self.contact(row, friction(contact)),
                    _ => self.one(row),
                });
            }
            if change <= tolerance {
                return pass;
            }
            if pass % PASSES_TO_A_LEAP == 0 && pass < most {
                self.leap(island, friction);
            }
        }
        most
    }

    /// The impulses that recover depth without leaving a velocity: rates start from rest, one-sided rows alone take part. They
    /// replace those in [`Self::rows`]. `false` where there is nothing to recover.
    pub fn recover(&mut self, most: u32, tolerance: f64) -> bool {
        if self.rows.iter().all(|row| row.recovery <= 0.0) {
            return false;
        }
        self.base.fill(0.0);
        self.flow.fill(0.0);
        for row in &mut self.rows {
            row.impulse = 0.0;
            row.target = if row.recovery > 0.0 { row.recovery } else { row.target.min(0.0) };
        }
        for island in 0..self.islands.spans.len() {
            let is_deep = |&unit: &usize| self.rows[unit].recovery > 0.0;
            let span = self.islands.spans[island].clone();
            if !self.islands.units[span.clone()].iter().any(is_deep) {
                continue;
            }
            for _ in 0..most {
                let mut change = 0.0_f64;
                for place in span.clone() {
                    let row = self.islands.units[place];
                    if matches!(self.rows[row].of, Of::Contact(_) | Of::Range) {
                        change = change.max(self.one(row));
                    }
                }
                if change <= tolerance {
                    break;
                }
            }
        }
        true
    }

    /// Adds the impulses of rows to `sums`, for the bodies that are wanted.
    pub fn impulses(&self, sums: &mut [[f64; 6]], is_wanted: impl Fn(usize) -> bool) {
        for row in self.rows.iter().filter(|row| row.impulse != 0.0) {
            for (body, by) in row.bodies.iter().zip(&row.by) {
                let Some(body) = body.filter(|&body| is_wanted(body)) else { continue };
                for (sum, by) in sums[body].iter_mut().zip(by) {
                    *sum += by * row.impulse;
                }
            }
        }
    }
}

/// Passes that find out what is active.
const PASSES_TO_A_LEAP: u32 = 5;

/// Share of what a row would do to its bodies without their joints, below which what it does is rounding: joints take all of it, as of a
/// push at the pin that a chain hangs by.
const IMMOVABLE: f64 = 1e-11;

/// The inverse of the inertia that a row would feel if its bodies had no joints.
fn alone(row: &ConstraintRow, mechanism: Mechanism<'_>, rattle: &Rattle<f64>) -> f64 {
    let of = |(body, by): (&Option<usize>, &[f64; 6])| {
        let body = (*body)?;
        let (linear, angular) = halves(by);
        let velocity = Momentum::from_vectors(linear, angular).velocity(&mechanism.bodies[body], &rattle.axes[body]);
        Some(by.iter().zip(velocity).map(|(by, velocity)| by * velocity).sum::<f64>())
    };
    row.bodies.iter().zip(&row.by).filter_map(of).sum()
}

/// J u of a row.
pub fn rate(row: &ConstraintRow, velocity: impl Fn(usize) -> Velocity<f64>) -> f64 {
    let mut sum = 0.0;
    for (body, by) in row.bodies.iter().zip(&row.by) {
        if let Some(body) = *body {
            let u = velocity(body);
            sum += (by[0] * u[0] + by[1] * u[1] + by[2] * u[2]) + (by[3] * u[3] + by[4] * u[4] + by[5] * u[5]);
        }
    }
    sum
}
