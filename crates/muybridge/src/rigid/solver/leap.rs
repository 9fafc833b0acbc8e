//! Active-set solve: all impulses inside their bounds at once, between Gauss–Seidel iterations.
//!
//! ```text
//! active: rows whose impulse is inside its bounds      (A + Γ)ₐₐ Δ = (target − w − Γ λ)ₐ
//! λ ← clamp(λ + Δ);  sliding contacts keep their direction and scale with their normal;  line search on F
//! ```
//! Rows that work against each other (a limit, the friction of its joint, a contact at the other end of the limb) need
//! hundreds of iterations, but one direct solve. The active set is taken from the iterations, which go on afterwards. F
//! falls, so no direct solve adds energy. Specification: mathematics 4.10; Silcowitz, Niebe, Erleben 2009 (*subspace
//! minimization*).

use super::Solver;
use crate::rigid::row::Of;

/// Buffers of the active-set solve.
#[derive(Clone, Debug, Default)]
pub(super) struct Leap {
    /// Rows of the island.
    rows: Vec<usize>,
    /// Active rows as places in `rows`; `step` is indexed likewise.
    active: Vec<usize>,
    step: Vec<f64>,
    envelope: Envelope,
    wanted: Vec<f64>,
    rates: Vec<f64>,
}

/// A matrix of which each line is stored from its first entry to the diagonal.
#[derive(Clone, Debug, Default)]
struct Envelope {
    /// Active rows, ordered by their distance from an end of the island.
    order: Vec<usize>,
    /// Column of the first entry of each line.
    first: Vec<usize>,
    /// Place of column 0 in `entries` for each line, counted as if all columns were stored.
    begins: Vec<isize>,
    entries: Vec<f64>,
    right: Vec<f64>,
    /// Number of rows between each tree and an end of the island; the first line with each tree.
    levels: Vec<usize>,
    firsts: Vec<usize>,
}

/// Greatest number of multiplications of the factorization: larger systems take longer than the iterations that they
/// save. Full, it is one of 160 rows; of a tower, one of a thousand.
const MOST_WORK: usize = 160 * 160 * 160 / 6;

/// Relative regularization of the diagonal, by which redundant rows share the load.
const TRACE: f64 = 1e-9;

impl Solver {
    /// Solves the active set of an island once. `friction` returns the coefficient of a contact.
    pub(super) fn leap(&mut self, island: usize, friction: &impl Fn(usize) -> f64) {
        let mut leap = core::mem::take(&mut self.leap);
        leap.rows.clear();
        leap.rows.extend(self.islands.spans[island].clone().flat_map(|place| self.unit(place)));
        self.find_active(&mut leap, friction);
        if leap.active.len() > 1 && self.lay_out_active(&mut leap) && self.solve_active(&mut leap) {
            self.bound(&mut leap, friction);
            self.take(&mut leap);
        }
        self.leap = leap;
    }

    fn find_active(&self, leap: &mut Leap, friction: &impl Fn(usize) -> f64) {
        leap.active.clear();
        for (place, &index) in leap.rows.iter().enumerate() {
            let row = &self.rows[index];
            match row.of {
                Of::Contact(contact) => {
                    if row.impulse <= 0.0 {
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
                _ if row.impulse > row.least && row.impulse < row.most => leap.active.push(place),
                _ => {}
            }
        }
    }

    /// Orders the active rows so that few entries lie between the first of each line and the diagonal (Cuthill and McKee
    /// 1969). Returns `false` if they are too many.
    fn lay_out_active(&self, leap: &mut Leap) -> bool {
        let Leap { rows, active, envelope, .. } = leap;
        let Envelope { order, first, begins, levels, firsts, .. } = envelope;
        let trees = |place: usize| self.sides[rows[active[place]]].iter().flatten().map(|side| side.tree);
        order.clear();
        order.extend(0..active.len());
        levels.resize(self.begins.len(), usize::MAX);
        firsts.resize(self.begins.len(), usize::MAX);
        // The tree farthest from any is at an end.
        let mut end = trees(0).next();
        for _ in 0..2 {
            (0..active.len()).flat_map(trees).for_each(|tree| levels[tree] = usize::MAX);
            if let Some(end) = end {
                levels[end] = 0;
            }
            loop {
                let mut changes = false;
                let mut visit = |place: usize| {
                    let least = trees(place).map(|tree| levels[tree]).min().unwrap_or(usize::MAX);
                    for tree in trees(place) {
                        if levels[tree] > least.saturating_add(1) {
                            levels[tree] = least + 1;
                            changes = true;
                        }
                    }
                };
                (0..active.len()).for_each(&mut visit);
                (0..active.len()).rev().for_each(&mut visit);
                if !changes {
                    break;
                }
            }
            end = (0..active.len()).flat_map(trees).max_by_key(|&tree| (levels[tree], core::cmp::Reverse(tree)));
        }
        order.sort_unstable_by_key(|&place| {
            let (least, most) = trees(place)
                .fold((usize::MAX, 0), |(least, most), tree| (least.min(levels[tree]), most.max(levels[tree])));
            (most, least, place)
        });
        first.clear();
        begins.clear();
        let (mut size, mut work) = (0, 0);
        for (line, &place) in order.iter().enumerate() {
            trees(place).for_each(|tree| firsts[tree] = firsts[tree].min(line));
            let start = trees(place).map(|tree| firsts[tree]).min().unwrap_or(line);
            first.push(start);
            begins.push(size - start as isize);
            size += (line - start + 1) as isize;
            work += (line - start) * (line - start) / 2;
        }
        (0..active.len()).flat_map(trees).for_each(|tree| firsts[tree] = usize::MAX);
        work <= MOST_WORK
    }

    /// Solves for the step of the active rows. Returns `false` if the matrix is not positive definite.
    fn solve_active(&self, leap: &mut Leap) -> bool {
        let Leap { rows, active, step, envelope, .. } = leap;
        let Envelope { order, first, begins, entries, right, .. } = envelope;
        let count = active.len();
        let at = |line: usize, column: usize| (begins[line] + column as isize) as usize;
        entries.clear();
        right.clear();
        for (i, row) in order.iter().map(|&place| rows[active[place]]).enumerate() {
            entries.extend(order[first[i]..=i].iter().map(|&place| self.coupling(row, rows[active[place]])));
            let softness = self.rows[row].softness;
            entries[at(i, i)] = entries[at(i, i)] * (1.0 + TRACE) + softness;
            right.push(self.rows[row].target - self.rate(row) - softness * self.rows[row].impulse);
        }
        for i in 0..count {
            for j in first[i]..=i {
                let start = first[i].max(first[j]);
                let (a, b) = (&entries[at(i, start)..at(i, j)], &entries[at(j, start)..at(j, j)]);
                let value = entries[at(i, j)] - a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
                if i > j {
                    entries[at(i, j)] = value * entries[at(j, j)];
                } else if value > 0.0 && value.is_finite() {
                    entries[at(i, i)] = 1.0 / libm::sqrt(value);
                } else {
                    return false;
                }
            }
        }
        for i in 0..count {
            let known: f64 = (first[i]..i).map(|k| entries[at(i, k)] * right[k]).sum();
            right[i] = (right[i] - known) * entries[at(i, i)];
        }
        for i in (0..count).rev() {
            right[i] *= entries[at(i, i)];
            for k in first[i]..i {
                right[k] -= entries[at(i, k)] * right[i];
            }
        }
        step.clear();
        step.resize(count, 0.0);
        for (&place, &value) in order.iter().zip(&*right) {
            step[place] = value;
        }
        right.iter().all(|value| value.is_finite())
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

    /// Applies the part of the step that lowers F most: F(λ + t Δ) = F(λ) + t g + ½ t² q with g = Σ Δ (w + Γ λ −
    /// target) and q = Σ Δ (w' − w + Γ Δ). A point between two sets of impulses within their bounds is within them too.
    fn take(&mut self, leap: &mut Leap) {
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
        let part = if slope < 0.0 { (-slope / curve.max(1e-300)).min(1.0) } else { 0.0 };
        for (place, &row) in rows.iter().enumerate() {
            self.feel(row, (part - 1.0) * wanted[place]);
            self.rows[row].impulse += part * wanted[place];
        }
    }
}

/// Tangential impulses shorter than this share of the friction limit stick.
const INSIDE: f64 = 1.0 - 1e-9;
