//! Hits that gain no energy: with friction, restitution by velocities may add some, up to a third of that of a tumbling box.
//!
//! ```text
//! λ₁    impulses of the hits;   λ₀  those with which nothing bounces, which only take energy
//! λ_s = λ₀ + s (λ₁ − λ₀)        within the cones of friction as both are, and rates are linear in it
//! E(s) = Σ over contacts ½ λ_s·(w₀ + w_s + fall)   the greatest s ≤ 1 with E(s) ≤ 0
//! ```
//! Rates w are relative to the surface of what moves by itself. Specification: mathematics 4.10 (H18).

use super::Solver;
use crate::rigid::row::{ConstraintRow, Of};

/// Share of the work of hits that is rounding, or a rest that iterations leave.
const ROUNDING: f64 = 1e-7;

/// A row of a contact in an island with hits.
struct HitRow {
    row: usize,
    is: ConstraintRow,
    /// Impulse and rate with the hits, and if nothing bounces.
    hit: [f64; 2],
    rest: [f64; 2],
}

impl Solver {
    /// Whether a contact of an island bounces.
    pub(super) fn has_hit(&self, island: usize) -> bool {
        let hits = |row: &ConstraintRow| row.bounce.is_some_and(|bounce| row.target > bounce.carried);
        self.islands.units[self.islands.spans[island].clone()].iter().any(|&row| hits(&self.rows[row]))
    }

    /// Rate that a hit gives up for what gravity has given too early, m/s, see `row::add_contact`; negative at a ceiling.
    fn fall(&self, index: usize, row: &ConstraintRow) -> f64 {
        let Some(bounce) = row.bounce.filter(|bounce| row.target > bounce.carried) else { return 0.0 };
        let back = bounce.restitution * (bounce.carried - self.base[index]);
        bounce.carried + back - row.target
    }

    /// Energy that a row adds by an impulse after which it has a rate, J.
    fn work(&self, index: usize, row: &ConstraintRow, [impulse, rate]: [f64; 2]) -> f64 {
        0.5 * impulse * (self.base[index] + rate - 2.0 * carried(row) + self.fall(index, row))
    }

    /// Weakens the hits of a solved island until its contacts gain no energy. `again` solves the island.
    pub(super) fn take_gain(&mut self, island: usize, again: impl FnOnce(&mut Self)) {
        let span = self.islands.spans[island].clone();
        let solution = |of: &Self, row: usize| [of.rows[row].impulse, of.rate(row)];
        let is_contact = |of: Of| matches!(of, Of::Contact(_) | Of::Tangent);
        let rows = || span.clone().flat_map(|place| self.unit(place)).filter(|&row| is_contact(self.rows[row].of));
        let size_of = |row: usize| (self.rows[row].impulse * (self.base[row] - carried(&self.rows[row]))).abs();
        let gain: f64 = rows().map(|row| self.work(row, &self.rows[row], solution(self, row))).sum();
        let size: f64 = rows().map(size_of).sum();
        if gain <= ROUNDING * size {
            return;
        }
        let mut hits: Vec<HitRow> =
            rows().map(|row| HitRow { row, is: self.rows[row], hit: solution(self, row), rest: [0.0; 2] }).collect();
        for place in span {
            for row in self.unit(place) {
                let impulse = core::mem::take(&mut self.rows[row].impulse);
                self.feel(row, -impulse);
            }
        }
        for own in hits.iter().filter(|own| own.is.of != Of::Tangent) {
            let target = own.is.target.min(carried(&own.is));
            self.rows[own.row] = ConstraintRow { target, least: 0.0, bounce: None, impulse: 0.0, ..own.is };
        }
        again(self);
        for own in &mut hits {
            own.rest = solution(self, own.row);
            self.rows[own.row] = ConstraintRow { impulse: own.rest[0], ..own.is };
        }
        // E(s) = a + b s + c s² through three points.
        let mixed = |s: f64| -> f64 {
            let at = |own: &HitRow| [0, 1].map(|i| own.rest[i] + s * (own.hit[i] - own.rest[i]));
            hits.iter().map(|own| self.work(own.row, &own.is, at(own))).sum()
        };
        let (a, half) = (mixed(0.0), mixed(0.5));
        let c = 2.0 * (a + gain - 2.0 * half);
        let b = gain - a - c;
        let root = libm::sqrt((b * b - 4.0 * a * c).max(0.0));
        let share = if b >= 0.0 { -2.0 * a / (b + root) } else { (root - b) / (2.0 * c) };
        let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
        for own in &hits {
            let more = share * (own.hit[0] - own.rest[0]);
            self.rows[own.row].impulse += more;
            self.feel(own.row, more);
        }
    }
}

/// Rate at which the surfaces of a contact stay together, m/s.
fn carried(row: &ConstraintRow) -> f64 {
    match (row.bounce, row.of) {
        (Some(bounce), _) => bounce.carried,
        // That of a gap that may close.
        (None, Of::Contact(_)) => row.target.max(0.0),
        _ => row.target,
    }
}
