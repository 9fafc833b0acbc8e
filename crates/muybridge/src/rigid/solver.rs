//! Contact solver: contacts, joint limits and motors in one Gauss–Seidel loop, each row with the inertia of the whole
//! tree.
//!
//! ```text
//! w = A λ + w₀,   A = J H⁻¹ Jᵀ          H⁻¹: response of a tree of bodies with its joints
//! H⁻¹ = W Wᵀ,  g = Wᵀ Jᵀ               shape of a row in the modes of its trees, see `tree::modes`
//! q = Σ g λ,   w = g · q + w₀           cost of a row: number of modes, for any number of rows
//! row after row:  λ ← clamp(λ + (target − w − Γ λ)/(A_rr + Γ)),   q += g Δλ
//! ```
//! Because H⁻¹ belongs to the whole tree, joints hold in every iteration, and the loop converges between contacts
//! alone: a foot of one kilogram carries a body of eighty as easily as one of two. Loops of joints change the response
//! of a row: then q += (g + g of the loops) Δλ. Every few iterations all rows inside their bounds are solved at once
//! (`leap`). Trees that do not touch are solved separately (`islands`). From λ = 0 no iteration adds energy if targets
//! are not positive; the warm start uses the impulses of the last substep. Hits that follow one another come first
//! (`bounces`), and what they gain by friction is taken last (`gains`). Specification: mathematics 4.6 (contacts
//! outside the tree), 4.10 (H17, H18).

mod bounces;
mod free;
mod gains;
mod islands;
mod leap;
mod primal;
mod rows;

use bounces::Bounces;
use free::{FREE, FreeContact};
use islands::Islands;
use leap::Leap;

use super::forest::Forest;
use super::motion::{Momentum, Velocity, halves};
use super::rattle::{Mechanism, Rattle};
use super::row::{ConstraintRow, Of};
use super::tree::modes::Modes;

/// Rows and their couplings. Buffers are reused from step to step.
#[derive(Clone, Debug, Default)]
pub struct Solver {
    /// Rows to be solved: filled after [`Self::begin`] and before [`Self::couple`].
    pub rows: Vec<ConstraintRow>,
    modes: Modes,
    /// Shape of each row in its trees.
    sides: Vec<[Option<TreeRow>; 2]>,
    /// Shapes g of all sides, and responses where they differ.
    shapes: Vec<f64>,
    /// Initial rates w₀.
    base: Vec<f64>,
    /// Diagonal A_rr: rate of a row per unit of its own impulse.
    compliances: Vec<f64>,
    /// Couplings of a contact: normal to either tangent, and tangent to tangent; stored at its first row.
    couplings: Vec<[f64; 3]>,
    /// Contacts with six modes a side at most, and which one begins with each row; past the end of the list if none.
    free: Vec<FreeContact>,
    free_of: Vec<usize>,
    /// Modal velocities q of all trees with rows, and zeros for a side that does not move.
    flow: Vec<f64>,
    /// Start of each tree's part in `flow`.
    begins: Vec<usize>,
    islands: Islands,
    /// Keys and places of all rows but tangents, by key.
    order: Vec<(u64, usize)>,
    /// Number of rows at the end of the last solution.
    solved: usize,
    /// Number of corrections of single contacts, limits and motors since the solver was made.
    pub corrections: u64,
    leap: Leap,
    bounces: Bounces,
}

/// One row in one tree.
#[derive(Clone, Copy, Debug)]
struct TreeRow {
    tree: usize,
    /// Start of its shape g in `shapes`.
    shape: usize,
    /// Start of its response in `shapes`.
    answer: usize,
    /// Length of shape and response.
    length: usize,
}

/// Lengths are multiples of this, so that sums have as many independent parts.
const PARTS: usize = 4;

impl Solver {
    /// Removes all rows.
    pub fn begin(&mut self, forest: &Forest) {
        self.rows.clear();
        self.sides.clear();
        self.shapes.clear();
        self.base.clear();
        self.compliances.clear();
        self.couplings.clear();
        self.free.clear();
        self.free_of.clear();
        self.modes.clear(forest);
        self.solved = 0;
    }

    /// Computes couplings and initial rates of all new rows, for bodies with `velocities`. Impulses are kept but not
    /// applied yet. `rattle` must have the factorization of the first call since [`Self::begin`].
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
        self.free_of.resize(self.rows.len(), usize::MAX);
        while self.sides.len() < self.rows.len() {
            let row = self.sides.len();
            for body in self.rows[row].bodies.into_iter().flatten() {
                self.modes.add(&rattle.factors, forest, body);
            }
            if self.couple_free(forest, row, &velocity) {
                continue;
            }
            for row in row..row + length_of_unit(self.rows[row].of) {
                let trees = self.rows[row].bodies.map(|body| body.map(|body| forest.tree[body]));
                let second = trees[1].filter(|_| trees[0] != trees[1]);
                let sides = [trees[0], second].map(|tree| tree.map(|tree| self.side((mechanism, rattle), row, tree)));
                self.sides.push(sides);
                let (own, of) = (self.coupling(row, row), &self.rows[row]);
                let moves =
                    own > IMMOVABLE * most_alone(of, mechanism) || own > IMMOVABLE * alone(of, mechanism, rattle);
                self.compliances.push(if moves { own } else { 0.0 });
                self.couplings.push([0.0; 3]);
                self.base.push(rate(&self.rows[row], &velocity));
            }
            if matches!(self.rows[row].of, Of::Contact(_)) {
                self.couplings[row] =
                    [[row, row + 1], [row, row + 2], [row + 1, row + 2]].map(|[a, b]| self.coupling(a, b));
            }
        }
        self.find_islands(forest);
        self.lay_out(forest);
    }

    /// Shape of a row in the modes of one of its trees.
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
            let answer = &mut shapes[shape + length..];
            for impulse in rattle.hold_loops(mechanism, tree, here().map(|(body, by)| (body, *by))) {
                modes.add_impulse(forest, (impulse.0, &impulse.1), answer);
            }
            side.answer += length;
        }
        side
    }

    /// Allocates the modal velocities q.
    fn lay_out(&mut self, forest: &Forest) {
        self.begins.clear();
        let mut count = 0;
        for tree in 0..forest.trees {
            self.begins.push(count);
            count += self.modes.count(tree).next_multiple_of(PARTS);
        }
        self.flow.clear();
        self.flow.resize(count + FREE, 0.0);
    }

    /// Whether a tree has unsolved rows, or belongs to an island that has.
    pub fn is_open(&self, tree: usize) -> bool {
        self.islands.of(tree).is_some_and(|island| self.has_new(island))
    }

    fn has_new(&self, island: usize) -> bool {
        self.islands.units[self.islands.spans[island].clone()].iter().any(|&row| row >= self.solved)
    }

    /// Number of islands.
    pub fn islands(&self) -> usize {
        self.islands.spans.len()
    }

    /// Island of a row; `None` if nothing that moves has a part in it.
    pub fn island(&self, forest: &Forest, row: usize) -> Option<usize> {
        let body = self.rows[row].bodies.into_iter().flatten().next()?;
        self.islands.of(forest.tree[body])
    }

    /// Number of rows at the end of the last solution.
    pub fn solved(&self) -> usize {
        self.solved
    }

    /// Applies the warm-start impulses of an island if they are better than none; impulses that stopped a fall would
    /// throw up a resting body. Iterations lower `F(λ) = ½ λ·(A + Γ) λ + λ·(w₀ − target) = ½ λ·(w₀ + w + Γ λ − 2
    /// target)`, and `F(0) = 0`. A start above 0 would add energy.
    fn start(&mut self, island: usize) {
        let mut objective = 0.0;
        for place in self.islands.spans[island].clone() {
            if self.feel_free(self.islands.units[place], 1.0).is_some() {
                continue;
            }
            for row in self.unit(place) {
                let ConstraintRow { impulse, softness, target, .. } = self.rows[row];
                objective += 0.5 * impulse * (self.base[row] + softness * impulse - 2.0 * target);
                self.feel(row, impulse);
            }
        }
        for place in self.islands.spans[island].clone() {
            let work = |row: usize| 0.5 * self.rows[row].impulse * self.rate(row);
            let of_free = self.work_of_free(self.islands.units[place]);
            objective += of_free.unwrap_or_else(|| self.unit(place).map(work).sum());
        }
        if objective > 0.0 {
            for place in self.islands.spans[island].clone() {
                self.take_back(place);
            }
        }
    }

    /// Takes back the impulses of a unit.
    fn take_back(&mut self, place: usize) {
        let first = self.islands.units[place];
        let is_free = self.feel_free(first, -1.0).is_some();
        self.forget_free(first);
        for row in self.unit(place) {
            let impulse = core::mem::take(&mut self.rows[row].impulse);
            if !is_free {
                self.feel(row, -impulse);
            }
        }
    }

    /// Rows of a unit: three of a contact, otherwise one.
    fn unit(&self, place: usize) -> core::ops::Range<usize> {
        let row = self.islands.units[place];
        row..row + length_of_unit(self.rows[row].of)
    }

    /// Iterates over the rows of each island with new rows until no rate changes by more than `tolerance` (m/s, rad/s),
    /// at most `most` times, or `LONGER` times as many where something heavy that hits is still being stopped. `friction`
    /// returns the coefficient of a contact. Returns the greatest number of iterations of an island.
    pub fn solve(&mut self, friction: impl Fn(usize) -> f64, most: u32, tolerance: f64) -> u32 {
        let mut passes = 0;
        for island in 0..self.islands.spans.len() {
            if self.has_new(island) {
                let has_hit = self.has_hit(island);
                passes = passes.max(self.solve_island(island, &friction, (most, tolerance)));
                if has_hit {
                    self.take_gain(island, |own| _ = own.solve_island(island, &friction, (most, tolerance)));
                }
            }
        }
        self.solved = self.rows.len();
        passes
    }

    fn solve_island(&mut self, island: usize, friction: &impl Fn(usize) -> f64, (most, tolerance): (u32, f64)) -> u32 {
        self.bounce_in_turn(island);
        self.gather(island, friction);
        self.start(island);
        let span = self.islands.spans[island].clone();
        let (mut tolerance, mut growth) = (tolerance, GROWTH);
        let stops =
            |&row: &usize| matches!(self.rows[row].of, Of::Contact(_)) && self.rows[row].target - self.base[row] > HIT;
        let is_hit = self.islands.units[span.clone()].iter().any(stops) && self.is_uneven(island, HEAVY);
        let longest = LONGER * most;
        for pass in 1..=longest {
            let mut change = 0.0_f64;
            self.corrections += span.len() as u64;
            for place in span.clone() {
                // Alternating direction, so that no corner of a box is always the last to carry it.
                let place = if pass % 2 == 1 { place } else { span.start + span.end - 1 - place };
                let row = self.islands.units[place];
                change = change.max(match (self.solve_free(row), self.rows[row].of) {
                    (Some(change), _) => change,
                    (None, Of::Contact(contact)) => self.contact(row, friction(contact)),
                    _ => self.one(row),
                });
            }
            let is_hard = is_hit && change > HARD;
            let is_last = pass == longest || pass >= most && !is_hard;
            if change <= tolerance || is_last {
                self.scatter(island);
                return pass;
            }
            tolerance *= growth;
            if pass % PASSES_TO_A_LEAP == 0 {
                self.scatter(island);
                growth = if self.leap(island, friction, is_hard) { 1.0 } else { GROWTH };
                self.gather(island, friction);
            }
        }
        0
    }

    /// Replaces the impulses in [`Self::rows`] by those that remove penetration without leaving a velocity: only one-sided
    /// rows take part. If bodies are displaced with the velocities `closing` already, what is not deep may come as near as its
    /// own velocity leaves it. Returns `false` if there is nothing to remove.
    pub fn recover(&mut self, closing: Option<impl Fn(usize) -> Velocity<f64>>, (most, tolerance): (u32, f64)) -> bool {
        if closing.is_none() && self.rows.iter().all(|row| row.recovery <= 0.0) {
            return false;
        }
        for index in 0..self.rows.len() {
            let left = if closing.is_some() { self.rate(index) } else { 0.0 };
            let row = &mut self.rows[index];
            (row.impulse, row.least) = (0.0, row.least.min(0.0));
            row.target = if row.recovery > 0.0 { row.recovery } else { (row.target - left).min(0.0) };
            self.base[index] = closing.as_ref().map_or(0.0, |closing| rate(row, closing));
        }
        self.flow.fill(0.0);
        for island in 0..self.islands.spans.len() {
            let is_wanted = |&unit: &usize| self.rows[unit].target > self.base[unit];
            let span = self.islands.spans[island].clone();
            if !self.islands.units[span.clone()].iter().any(is_wanted) {
                continue;
            }
            self.gather(island, |_| 0.0);
            let mut tolerance = tolerance;
            for _ in 0..most {
                let mut change = 0.0_f64;
                self.corrections += span.len() as u64;
                for place in span.clone() {
                    let row = self.islands.units[place];
                    if matches!(self.rows[row].of, Of::Contact(_) | Of::Range) {
                        change = change.max(self.solve_free_normal(row).unwrap_or_else(|| self.one(row)));
                    }
                }
                if change <= tolerance {
                    break;
                }
                tolerance *= GROWTH;
            }
            self.scatter(island);
        }
        true
    }

    /// Rows in order of their keys; the tangents of a contact follow its normal.
    pub fn sorted(&mut self) -> impl Iterator<Item = &ConstraintRow> {
        let Self { rows, order, .. } = self;
        let units = || rows.iter().enumerate().filter(|(_, row)| row.of != Of::Tangent);
        // Mostly the rows of the last substep come again, in the same order.
        let is_unit = |(key, place): &mut (u64, usize)| {
            rows.get(*place).filter(|row| row.of != Of::Tangent).map(|row| *key = row.key).is_some()
        };
        if order.len() != units().count() || !order.iter_mut().all(is_unit) || !order.is_sorted() {
            order.clear();
            order.extend(units().map(|(place, row)| (row.key, place)));
            order.sort_unstable();
        }
        order.iter().flat_map(|&(_, first)| &rows[first..first + length_of_unit(rows[first].of)])
    }

    /// Adds the impulses of rows to `sums`, for bodies with `is_wanted`.
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

/// Number of rows of a unit: a contact has two tangents beside its normal.
pub fn length_of_unit(of: Of) -> usize {
    if matches!(of, Of::Contact(_)) { 3 } else { 1 }
}

/// Growth of the tolerance per iteration. Late iterations only redistribute load among a few rows; the next substep
/// continues that from the warm start, like a spring without damper: a thin wall would sway and fall. So the tolerance of piles
/// grows no more where direct solves do it.
const GROWTH: f64 = 1.2;

/// Rate that a contact must stop from which something heavy hits something light, m/s, and the least ratio of their masses.
const HIT: f64 = 0.5;
const HEAVY: f64 = 4.0;

/// Change of a rate in an iteration above which something is still being stopped there, m/s or rad/s, and how many times as many
/// iterations that may take: what falls on light things that lie on each other is stopped through all of them.
const HARD: f64 = 0.1;
const LONGER: u32 = 4;

/// Iterations between two direct solves of the active set.
const PASSES_TO_A_LEAP: u32 = 5;

/// Share of its free response below which a row's response is rounding noise: the joints take the whole impulse, as of
/// a push at the pin of a hanging chain.
const IMMOVABLE: f64 = 1e-11;

/// Upper bound of [`alone`].
fn most_alone(row: &ConstraintRow, mechanism: Mechanism<'_>) -> f64 {
    let of = |(body, by): (&Option<usize>, &[f64; 6])| {
        let body = &mechanism.bodies[(*body)?];
        let (linear, angular) = halves(by);
        Some(linear.length_squared() / body.mass + angular.length_squared() / body.moments.min_element())
    };
    row.bodies.iter().zip(&row.by).filter_map(of).sum()
}

/// Inverse effective mass of a row if its bodies had no joints.
fn alone(row: &ConstraintRow, mechanism: Mechanism<'_>, rattle: &Rattle<f64>) -> f64 {
    let of = |(body, by): (&Option<usize>, &[f64; 6])| {
        let body = (*body)?;
        let (linear, angular) = halves(by);
        let velocity = Momentum::from_vectors(linear, angular).velocity(&mechanism.bodies[body], &rattle.axes[body]);
        Some(by.iter().zip(velocity).map(|(by, velocity)| by * velocity).sum::<f64>())
    };
    row.bodies.iter().zip(&row.by).filter_map(of).sum()
}

/// Rate J u of a row.
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
