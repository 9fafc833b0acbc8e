//! Contacts, ranges and motors solved in one loop, each feeling the inertia of everything that hangs on its bodies.
//!
//! ```text
//! w = A λ + w₀,   A = J H⁻¹ Jᵀ          H⁻¹: the answer of a tree of bodies whose joints hold
//! row after row:  λ ← clamp(λ + (target − w − Γ λ)/(A_rr + Γ)),   w += A Δλ
//! ```
//! Because H⁻¹ is that of the whole tree, joints hold in every pass and the loop settles between contacts alone: a foot of a
//! kilogram carries a body of eighty as easily as one of two. A is dense within a tree and joins trees through contacts.
//! Every few passes all rows inside their bounds are solved at once (`leap`).
//! From λ = 0 no pass adds energy where targets are not positive; the impulses of the last substep are where it starts.
//! Specification: mathematics 4.6 (contacts outside the tree), 4.10 (H17, H18).

mod leap;

use leap::Leap;

use super::motion::Velocity;
use super::rattle::{Mechanism, Rattle};
use super::row::{Of, Row};

/// Rows, and what they do to each other. Keeps its memory from step to step.
#[derive(Clone, Debug, Default)]
pub struct Solver {
    /// To be filled before [`Self::couple`].
    pub rows: Vec<Row>,
    /// Where a row stands in the patches of its trees.
    places: Vec<[Option<Place>; 2]>,
    patches: Vec<Patch>,
    /// The patch of each tree.
    of_tree: Vec<Option<usize>>,
    leap: Leap,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Place {
    patch: usize,
    local: usize,
}

/// The rows of one tree.
#[derive(Clone, Debug, Default)]
struct Patch {
    tree: usize,
    /// Row, and which of its sides; both where both bodies are of this tree.
    rows: Vec<(usize, [bool; 2])>,
    /// A, row by row.
    matrix: Vec<f64>,
    /// J u of this tree's bodies.
    rate: Vec<f64>,
}

impl Solver {
    /// Matrix and rates of [`Self::rows`] for bodies with `velocities`; impulses are taken as they are, and not yet felt.
    pub fn couple(
        &mut self,
        mechanism: Mechanism<'_>,
        rattle: &mut Rattle<f64>,
        velocity: impl Fn(usize) -> Velocity<f64>,
    ) {
        self.sort_into_trees(mechanism);
        for patch in self.patches.iter_mut().filter(|patch| !patch.rows.is_empty()) {
            let count = patch.rows.len();
            patch.matrix.clear();
            patch.matrix.resize(count * count, 0.0);
            patch.rate.clear();
            for (local, &(row, sides)) in patch.rows.iter().enumerate() {
                let impulses = [0, 1].map(|side: usize| {
                    let body = self.rows[row].bodies[side].filter(|_| sides[side]);
                    body.map(|body| (body, self.rows[row].by[side]))
                });
                rattle.respond(mechanism, patch.tree, impulses);
                for (other, &(column, sides)) in patch.rows.iter().enumerate().take(local + 1) {
                    let value = rate(&self.rows[column], sides, |body| rattle.factors.nodes[body].velocity);
                    patch.matrix[local * count + other] = value;
                    patch.matrix[other * count + local] = value;
                }
                patch.rate.push(rate(&self.rows[row], sides, &velocity));
            }
        }
    }

    fn sort_into_trees(&mut self, mechanism: Mechanism<'_>) {
        self.of_tree.clear();
        self.of_tree.resize(mechanism.forest.trees, None);
        self.places.clear();
        for patch in &mut self.patches {
            patch.rows.clear();
        }
        let mut used = 0;
        for (index, row) in self.rows.iter().enumerate() {
            let trees = row.bodies.map(|body| body.map(|body| mechanism.forest.tree[body]));
            let mut places = [None; 2];
            for side in 0..2 {
                let Some(tree) = trees[side] else { continue };
                if side == 1 && trees[0] == Some(tree) {
                    continue;
                }
                let patch = *self.of_tree[tree].get_or_insert_with(|| {
                    used += 1;
                    used - 1
                });
                if patch == self.patches.len() {
                    self.patches.push(Patch::default());
                }
                let patch_of = &mut self.patches[patch];
                patch_of.tree = tree;
                let sides = [trees[0] == Some(tree), trees[1] == Some(tree)];
                places[side] = Some(Place { patch, local: patch_of.rows.len() });
                patch_of.rows.push((index, sides));
            }
            self.places.push(places);
        }
    }

    /// J u of a row as it is now.
    pub fn rate(&self, row: usize) -> f64 {
        self.places[row].iter().flatten().map(|place| self.patches[place.patch].rate[place.local]).sum()
    }

    /// The inverse of the inertia a row feels.
    pub fn compliance(&self, row: usize) -> f64 {
        let of = |place: &Place| {
            let patch = &self.patches[place.patch];
            patch.matrix[place.local * patch.rows.len() + place.local]
        };
        self.places[row].iter().flatten().map(of).sum()
    }

    /// Rows feel the impulses they start from, but only where these are better than none: what stopped a fall would throw up what lies.
    /// Passes lower `F(λ) = ½ λ·(A + Γ) λ + λ·(w₀ − target) = ½ λ·(w₀ + w + Γ λ − 2 target)`, and `F(0) = 0`; above that is
    /// energy from nothing.
    fn start(&mut self) {
        let mut objective = 0.0;
        for index in 0..self.rows.len() {
            let row = &self.rows[index];
            objective += 0.5 * row.impulse * (self.rate(index) + row.softness * row.impulse - 2.0 * row.target);
        }
        for index in 0..self.rows.len() {
            self.feel(index, self.rows[index].impulse);
        }
        for (index, row) in self.rows.iter().enumerate() {
            objective += 0.5 * row.impulse * self.rate(index);
        }
        if objective > 0.0 {
            for index in 0..self.rows.len() {
                let impulse = core::mem::take(&mut self.rows[index].impulse);
                self.feel(index, -impulse);
            }
        }
    }

    /// Passes over the rows until none changes a rate by more than `tolerance` (m/s, rad/s) or there were `most`. `friction` is
    /// that of a contact. Returns the passes.
    pub fn solve(&mut self, friction: impl Fn(usize) -> f64, most: u32, tolerance: f64) -> u32 {
        self.start();
        for pass in 1..=most {
            let mut change = 0.0_f64;
            for place in 0..self.rows.len() {
                // To and fro, so that no corner of a box is always the last to carry it.
                let row = if pass % 2 == 1 { place } else { self.rows.len() - 1 - place };
                match self.rows[row].of {
                    Of::Contact(contact) => {
                        change = change.max(self.one(row));
                        let most = friction(contact) * self.rows[row].impulse;
                        change = change.max(self.tangents(row + 1, most));
                    }
                    Of::Tangent => {}
                    _ => change = change.max(self.one(row)),
                }
            }
            if change <= tolerance {
                return pass;
            }
            if pass % PASSES_TO_A_LEAP == 0 && pass < most {
                self.leap(&friction);
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
        for patch in &mut self.patches {
            patch.rate.fill(0.0);
        }
        for row in &mut self.rows {
            row.impulse = 0.0;
            let is_one_sided = matches!(row.of, Of::Contact(_) | Of::Range);
            row.target = if !is_one_sided {
                f64::NEG_INFINITY
            } else if row.recovery > 0.0 {
                row.recovery
            } else {
                row.target.min(0.0)
            };
        }
        for _ in 0..most {
            let mut change = 0.0_f64;
            for row in 0..self.rows.len() {
                if self.rows[row].target > f64::NEG_INFINITY {
                    change = change.max(self.one(row));
                }
            }
            if change <= tolerance {
                break;
            }
        }
        true
    }

    /// One row by itself; returns by how much its rate changed.
    fn one(&mut self, row: usize) -> f64 {
        let resists = self.compliance(row) + self.rows[row].softness;
        if resists.is_nan() || resists <= 0.0 {
            return 0.0;
        }
        let Row { impulse, target, softness, least, most, .. } = self.rows[row];
        let wanted = impulse + (target - self.rate(row) - softness * impulse) / resists;
        let change = wanted.clamp(least, most.max(least)) - impulse;
        if change == 0.0 || !change.is_finite() {
            return 0.0;
        }
        self.rows[row].impulse += change;
        self.feel(row, change);
        (change * resists).abs()
    }

    /// Two tangents inside a disc: a step of the gradient, as long as the stiffer direction allows, then back into the disc. Both at
    /// once, or sliding would not be straight against the motion.
    fn tangents(&mut self, first: usize, most: f64) -> f64 {
        let [a, b] = [self.compliance(first), self.compliance(first + 1)];
        let c = self.coupling(first, first + 1);
        let stiffest = 0.5 * (a + b) + libm::sqrt(0.25 * (a - b) * (a - b) + c * c);
        if stiffest.is_nan() || stiffest <= 0.0 {
            return 0.0;
        }
        let before = [first, first + 1].map(|row| self.rows[row].impulse);
        let mut after = [0, 1].map(|i: usize| {
            let row = first + i;
            before[i] + (self.rows[row].target - self.rate(row)) / stiffest
        });
        let length = libm::sqrt(after[0] * after[0] + after[1] * after[1]);
        if length > most {
            after = after.map(|impulse| impulse * (most / length));
        }
        let mut change = 0.0_f64;
        for i in 0..2 {
            let step = after[i] - before[i];
            if step.is_finite() {
                self.rows[first + i].impulse = after[i];
                self.feel(first + i, step);
                change = change.max((step * stiffest).abs());
            }
        }
        change
    }

    /// What an impulse of one row does to another of the same bodies.
    fn coupling(&self, row: usize, other: usize) -> f64 {
        let of = |(a, b): (&Option<Place>, &Option<Place>)| match (a, b) {
            (Some(a), Some(b)) if a.patch == b.patch => {
                let patch = &self.patches[a.patch];
                patch.matrix[a.local * patch.rows.len() + b.local]
            }
            _ => 0.0,
        };
        self.places[row].iter().zip(&self.places[other]).map(of).sum()
    }

    /// w += A Δλ.
    fn feel(&mut self, row: usize, impulse: f64) {
        if impulse == 0.0 {
            return;
        }
        for place in self.places[row].iter().flatten() {
            let Patch { rows, matrix, rate, .. } = &mut self.patches[place.patch];
            let count = rows.len();
            for (rate, answer) in rate.iter_mut().zip(&matrix[place.local * count..(place.local + 1) * count]) {
                *rate += answer * impulse;
            }
        }
    }

    /// Adds the impulses of all rows to `sums`, body by body.
    pub fn impulses(&self, sums: &mut [[f64; 6]]) {
        for row in &self.rows {
            for (body, by) in row.bodies.iter().zip(&row.by) {
                let Some(body) = *body else { continue };
                for (sum, by) in sums[body].iter_mut().zip(by) {
                    *sum += by * row.impulse;
                }
            }
        }
    }
}

/// Passes that find out what is active.
const PASSES_TO_A_LEAP: u32 = 5;

/// J u of the sides of a row that are meant.
fn rate(row: &Row, sides: [bool; 2], velocity: impl Fn(usize) -> Velocity<f64>) -> f64 {
    let mut sum = 0.0;
    for side in 0..2 {
        if let Some(body) = row.bodies[side].filter(|_| sides[side]) {
            let (by, u) = (&row.by[side], velocity(body));
            sum += (by[0] * u[0] + by[1] * u[1] + by[2] * u[2]) + (by[3] * u[3] + by[4] * u[4] + by[5] * u[5]);
        }
    }
    sum
}
