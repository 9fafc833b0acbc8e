//! Active-set solve: all impulses inside their bounds at once, between Gauss–Seidel iterations.
//!
//! ```text
//! active: rows whose impulse is inside its bounds      (A + Γ + ε D)ₐₐ Δ = (target − w − Γ λ)ₐ,   D: diagonal of A
//!         by rows, or by velocities where these are fewer, as in piles of boxes: see `primal`
//! effect: ΔᵀAΔ as a share of Σ Δ² D                    small if impulses only cancel each other: then again with more ε
//! λ ← clamp(λ + Δ);  sliding contacts keep their direction and scale with their normal;  line search on F
//! ```
//! Rows that work against each other (a limit, the friction of its joint, a contact at the other end of the limb) need
//! hundreds of iterations, but one direct solve. The active set is taken from the iterations, which go on afterwards. F
//! falls, so no direct solve adds energy. Where rows repeat each other but ask for different rates, no impulse gives
//! both: ε leaves such a difference as it is, since the impulses that nearly give it are so large that their rounding
//! moves limbs. Specification: mathematics 4.10; Silcowitz, Niebe, Erleben 2009 (*subspace
//! minimization*).

use super::primal::{self, Primal};
use super::{FreeContact, PARTS, Solver};
use crate::rigid::envelope::Envelope;
use crate::rigid::row::{ConstraintRow, Of};

/// Buffers of the active-set solve.
#[derive(Clone, Debug, Default)]
pub(super) struct Leap {
    /// Rows of the island.
    rows: Vec<usize>,
    /// Active rows as places in `rows`; `step` is indexed likewise.
    active: Vec<usize>,
    step: Vec<f64>,
    /// Active rows by lines of the matrix.
    order: Vec<usize>,
    matrix: Envelope<f64>,
    primal: Primal,
    is_primal: bool,
    wanted: Vec<f64>,
    rates: Vec<f64>,
}

/// Greatest numbers of multiplications of assembly and factorization, by rows and by velocities: larger systems take longer than
/// the iterations that they save. By rows, a full matrix of 160 rows has that many; by velocities, a pyramid of 120 boxes.
const MOST_WORK: [usize; 2] = [160 * 160 * 160 / 6, 4_000_000];

/// Shares ε of the diagonal to try in turn; by the first, redundant rows share the load.
const REGULARIZATIONS: [f64; 4] = [1e-9, 1e-7, 1e-5, 1e-3];

/// Effect of a step below which its impulses only cancel each other, as a share of their effects alone: each is then a
/// hundred thousand times what it gives. Bending of a tower of 30 boxes has 1e-8.
const CANCELED: f64 = 1e-10;

/// Part of a step above which it is worth its while: impulses that cancel each other do not after they are clamped. Then again
/// with more ε.
const WORTH: f64 = 0.01;

/// Part of a step above which the active set is nearly right.
const FITS: f64 = 0.5;

/// Ratio of the masses that a contact meets on its two sides from which another ε is tried: iterations alone would take as many
/// passes.
const UNEVEN: f64 = 50.0;

impl Solver {
    /// Solves the active set of an island once. `friction` returns the coefficient of a contact. Returns whether it was by
    /// velocities and the active set nearly right. Where it is not, and something is still being stopped (`is_hard`), active sets
    /// of normals follow one another until one is right.
    pub(super) fn leap(&mut self, island: usize, friction: &impl Fn(usize) -> f64, is_hard: bool) -> bool {
        let mut leap = core::mem::take(&mut self.leap);
        leap.rows.clear();
        leap.rows.extend(self.islands.spans[island].clone().flat_map(|place| self.unit(place)));
        self.find_active(&mut leap, friction);
        let mut part = 0.0;
        if leap.active.len() > 1 && self.lay_out_active(&mut leap) {
            for share in REGULARIZATIONS {
                if self.solve_active(&mut leap, share) {
                    self.bound(&mut leap, friction);
                    part = self.take(&mut leap, 1.0);
                    if part > WORTH || !self.is_uneven(island, UNEVEN) {
                        break;
                    }
                }
            }
        }
        if is_hard && part < FITS {
            self.descend(&mut leap);
        }
        let fits = part > FITS && leap.is_primal;
        self.leap = leap;
        fits
    }

    /// Solves active sets of normals one after the other: each as far as the first row that reaches a bound, which leaves the next
    /// one; what lacks most joins a set that is solved. Tangents wait.
    fn descend(&mut self, leap: &mut Leap) {
        for _ in 0..MOST_SETS {
            self.find_pushing(leap);
            let is_solvable = leap.active.len() > 1 && self.lay_out_active(leap);
            if !(is_solvable && REGULARIZATIONS.into_iter().any(|share| self.solve_active(leap, share))) {
                return;
            }
            let (limit, first) = self.aim(leap);
            let part = self.take(leap, limit);
            if let Some((row, bound)) = first.filter(|_| part == limit) {
                self.feel(row, bound - self.rows[row].impulse);
                self.rows[row].impulse = bound;
                continue;
            }
            let rests = |row: usize| {
                matches!(self.rows[row].of, Of::Contact(_)) && self.rows[row].impulse <= self.rows[row].least
            };
            let lacking = leap.rows.iter().filter(|&&row| rests(row)).map(|&row| (self.missing(row), row));
            let Some((_, row)) = lacking.max_by(|a, b| a.0.total_cmp(&b.0)).filter(|most| most.0 > LACKS) else {
                return;
            };
            self.one(row);
        }
    }

    /// Active rows but for tangents.
    fn find_pushing(&self, leap: &mut Leap) {
        leap.active.clear();
        for (place, &index) in leap.rows.iter().enumerate() {
            if self.rows[index].of != Of::Tangent && self.is_within(index) && self.compliances[index] > 0.0 {
                leap.active.push(place);
            }
        }
    }

    /// Whether the impulse of a row is inside its bounds.
    fn is_within(&self, row: usize) -> bool {
        let ConstraintRow { impulse, least, most, .. } = self.rows[row];
        impulse > least && impulse < most
    }

    /// Aims at the whole step of the active rows. Returns the part of it at which the first of them reaches a bound, with that
    /// row and bound; 1 if none does.
    fn aim(&self, leap: &mut Leap) -> (f64, Option<(usize, f64)>) {
        let Leap { rows, active, step, wanted, .. } = leap;
        wanted.clear();
        wanted.extend(rows.iter().map(|&row| self.rows[row].impulse));
        let (mut limit, mut blocking) = (1.0, None);
        for (&place, &step) in active.iter().zip(step.iter()) {
            let row = &self.rows[rows[place]];
            wanted[place] += step;
            let bound = if step < 0.0 { row.least } else { row.most };
            let part = (bound - row.impulse) / step;
            if part < limit {
                (limit, blocking) = (part, Some((rows[place], bound)));
            }
        }
        (limit, blocking)
    }

    /// Whether something touches what is lighter by more than a ratio in an island.
    pub(super) fn is_uneven(&self, island: usize, ratio: f64) -> bool {
        self.islands.units[self.islands.spans[island].clone()].iter().any(|&row| {
            let [a, b] = self.free.get(self.free_of[row]).map_or_else(|| self.parts(row), FreeContact::inverse_masses);
            b > 0.0 && a > ratio * b || a > 0.0 && b > ratio * a
        })
    }

    fn find_active(&self, leap: &mut Leap, friction: &impl Fn(usize) -> f64) {
        leap.active.clear();
        for (place, &index) in leap.rows.iter().enumerate() {
            let (row, moves) = (&self.rows[index], |index: usize| self.compliances[index] > 0.0);
            match row.of {
                Of::Contact(contact) => {
                    if row.impulse <= 0.0 || !(index..index + 3).all(moves) {
                        continue;
                    }
                    leap.active.push(place);
                    let [a, b] = [1, 2].map(|i| self.rows[index + i].impulse);
                    let most = friction(contact) * row.impulse;
                    if libm::sqrt(a * a + b * b) < most * INSIDE {
                        leap.active.extend([place + 1, place + 2]);
                    }
                }
                Of::Tangent => {}
                _ if self.is_within(index) && moves(index) => leap.active.push(place),
                _ => {}
            }
        }
    }

    /// Lays out the matrix of the active rows, or of the velocities if they take less work. Returns `false` if both take too much.
    fn lay_out_active(&self, leap: &mut Leap) -> bool {
        let Leap { rows, active, order, matrix, primal, is_primal, .. } = leap;
        let trees = |place: usize| self.sides[rows[active[place]]].map(|side| side.map(|side| side.tree));
        order.clear();
        matrix.sort(0..active.len(), self.begins.len(), trees, order);
        let work = matrix.lay_out(active.len(), self.begins.len(), |line| trees(order[line]));
        let work = work + matrix.size() * PARTS;
        let of_velocities = self.lay_out_velocities(primal, order.iter().map(|&place| rows[active[place]]));
        let [by_rows, by_velocities] = MOST_WORK;
        *is_primal = of_velocities < work && of_velocities <= by_velocities;
        *is_primal || work <= by_rows
    }

    /// Solves for the step of the active rows with a share of the diagonal added to it. Returns `false` if the matrix is
    /// not positive definite, or if the impulses only cancel each other.
    fn solve_active(&self, leap: &mut Leap, share: f64) -> bool {
        let Leap { rows, active, step, order, matrix, primal, is_primal, .. } = leap;
        let rows_in_order = || order.iter().map(|&place| rows[active[place]]);
        let (share, steps) = if *is_primal {
            let share = share.max(primal::LEAST);
            if !self.solve_velocities(primal, rows_in_order(), share) {
                return false;
            }
            (share, &primal.steps)
        } else {
            matrix.entries.clear();
            matrix.right.clear();
            for (i, row) in rows_in_order().enumerate() {
                let line = &order[matrix.first[i]..i];
                matrix.entries.extend(line.iter().map(|&place| self.coupling(row, rows[active[place]])));
                matrix.entries.push(self.compliances[row] * (1.0 + share) + self.rows[row].softness);
                matrix.right.push(self.missing(row));
            }
            if matrix.factor(0.0).is_some() {
                return false;
            }
            matrix.solve();
            (share, &matrix.right)
        };
        step.clear();
        step.resize(active.len(), 0.0);
        let (mut work, mut alone) = (0.0, 0.0);
        for (&place, &value) in order.iter().zip(steps) {
            let row = rows[active[place]];
            step[place] = value;
            work += value * self.missing(row);
            alone += value * value * (self.compliances[row] + self.rows[row].softness);
        }
        // With (A + Γ + ε D) Δ = missing, Δᵀ(A + Γ)Δ is Δ · missing − ε Σ Δ² D.
        work.is_finite() && work - share * alone >= CANCELED * alone
    }

    /// Rate that a row lacks.
    pub(super) fn missing(&self, row: usize) -> f64 {
        let ConstraintRow { target, softness, impulse, .. } = self.rows[row];
        target - self.rate(row) - softness * impulse
    }

    /// Clamps the impulses after the step to their bounds.
    fn bound(&self, leap: &mut Leap, friction: &impl Fn(usize) -> f64) {
        let Leap { rows, active, step, wanted, .. } = leap;
        wanted.clear();
        wanted.extend(rows.iter().map(|&row| self.rows[row].impulse));
        for (&place, step) in active.iter().zip(step.iter()) {
            let bounds = &self.rows[rows[place]];
            wanted[place] = (wanted[place] + step).clamp(bounds.least, bounds.most.max(bounds.least));
        }
        for (place, row) in rows.iter().map(|&row| &self.rows[row]).enumerate() {
            let Of::Contact(contact) = row.of else { continue };
            let [a, b] = [wanted[place + 1], wanted[place + 2]];
            let (length, most) = (libm::sqrt(a * a + b * b), friction(contact) * wanted[place]);
            let slides = active.binary_search(&(place + 1)).is_err() && row.impulse > 0.0;
            let factor = match (slides, length > most) {
                (true, _) => wanted[place] / row.impulse,
                (false, true) => most / length,
                (false, false) => 1.0,
            };
            (wanted[place + 1], wanted[place + 2]) = (a * factor, b * factor);
        }
    }

    /// Applies the part of the step, up to `limit`, that lowers F most: F(λ + t Δ) = F(λ) + t g + ½ t² q with g = Σ Δ (w + Γ λ −
    /// target) and q = Σ Δ (w' − w + Γ Δ). A point between two sets of impulses within their bounds is within them too.
    /// Returns that part.
    fn take(&mut self, leap: &mut Leap, limit: f64) -> f64 {
        let Leap { rows, wanted, rates, .. } = leap;
        rates.clear();
        rates.extend(rows.iter().map(|&row| self.rate(row)));
        let (mut slope, mut curve) = (0.0, 0.0);
        for (place, &row) in rows.iter().enumerate() {
            let of = &self.rows[row];
            wanted[place] -= of.impulse;
            slope += wanted[place] * (rates[place] + of.softness * of.impulse - of.target);
            curve += of.softness * wanted[place] * wanted[place];
            self.feel(row, wanted[place]);
        }
        let bend = |(place, &row): (usize, &usize)| wanted[place] * (self.rate(row) - rates[place]);
        curve += rows.iter().enumerate().map(bend).sum::<f64>();
        let part = if slope < 0.0 { (-slope / curve.max(1e-300)).min(limit) } else { 0.0 };
        for (place, &row) in rows.iter().enumerate() {
            self.feel(row, (part - 1.0) * wanted[place]);
            self.rows[row].impulse += part * wanted[place];
        }
        part
    }
}

/// Greatest number of active sets of normals.
const MOST_SETS: u32 = 20;

/// Rate that a contact lacks from which it joins a set, m/s.
const LACKS: f64 = 1e-3;

/// Tangential impulses shorter than this share of the friction limit stick.
const INSIDE: f64 = 1.0 - 1e-9;
