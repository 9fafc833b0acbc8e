//! Hits that follow one another within a substep: along a row of balls, from ball to ball, or at the ends of a rod.
//!
//! ```text
//! round    rows that approach fast enough to close in the substep:   w' ≥ −e w,  λ ≥ 0
//! next     the rows that approach after it
//! end      the sum of a row's λ is the least of its impulse; its target is that of a row that is not hit
//! ```
//! Solved at once, a row of balls would throw back the one that hits it like a single heavy ball, and a rod that lands on
//! one end would not bounce on the other. What takes no second round is left to the passes over all rows. A round adds no
//! energy: Δ = ½ Σ λ (w + w') ≤ 0. Specification: mathematics 4.10 (H18).

use super::Solver;

/// Most rounds of a substep; where more follow, all rows are solved at once.
const MOST_ROUNDS: usize = 64;
/// Least and greatest bound of the passes over the rows of a round, and the corrections that they may take. Corners near each
/// other take many passes.
const PASSES: [usize; 2] = [64, 1000];
const CORRECTIONS: usize = 4000;
/// Change of a rate that ends the passes, m/s.
const TOLERANCE: f64 = 1e-7;

/// Buffers of the rounds.
#[derive(Clone, Debug, Default)]
pub(super) struct Bounces {
    /// Rows of the round.
    hits: Vec<BouncingRow>,
    /// Rows of all rounds.
    given: Vec<BouncingRow>,
}

/// First row of a contact that bounces in a round.
#[derive(Clone, Copy, Debug)]
struct BouncingRow {
    row: usize,
    impulse: f64,
    /// Rate that it should have after the round, m/s.
    wanted: f64,
}

impl Solver {
    /// Lets the hits of an island follow one another, if any does.
    pub(super) fn bounce_in_turn(&mut self, island: usize) {
        let mut bounces = core::mem::take(&mut self.bounces);
        bounces.given.clear();
        self.find_approaching(island, &mut bounces.hits);
        let mut rounds = 0;
        while !bounces.hits.is_empty() && rounds < MOST_ROUNDS {
            self.round(&mut bounces.hits, rounds == 0);
            bounces.given.extend(&bounces.hits);
            self.find_approaching(island, &mut bounces.hits);
            rounds += 1;
        }
        bounces.given.iter().for_each(|own| self.feel(own.row, -own.impulse));
        match rounds {
            1 => self.begin_with(island, &bounces.given),
            2..MOST_ROUNDS => bounces.given.iter().for_each(|own| self.keep(own)),
            _ => {}
        }
        self.bounces = bounces;
    }

    /// Lets the passes over all rows begin with a round. What goes apart already keeps no impulse of its last hit.
    fn begin_with(&mut self, island: usize, given: &[BouncingRow]) {
        for place in self.islands.spans[island].clone() {
            let first = self.islands.units[place];
            if self.rows[first].bounce.is_some_and(|bounce| self.base[first] > bounce.carried) {
                self.unit(place).for_each(|row| self.rows[row].impulse = 0.0);
            }
        }
        given.iter().for_each(|own| self.rows[own.row].impulse = own.impulse);
    }

    /// Gives a row at least the impulse of a round.
    fn keep(&mut self, given: &BouncingRow) {
        let row = &mut self.rows[given.row];
        if let Some(bounce) = row.bounce.take() {
            (row.target, row.impulse) = (bounce.least, 0.0);
        }
        row.impulse += given.impulse;
        row.least = row.impulse;
    }

    /// Finds the contacts that would meet and bounce.
    fn find_approaching(&self, island: usize, hits: &mut Vec<BouncingRow>) {
        let units = &self.islands.units[self.islands.spans[island].clone()];
        let hit = |&row: &usize| {
            let bounce = self.rows[row].bounce?;
            let approach = bounce.carried - self.rate(row);
            let wanted = bounce.wanted(approach);
            (approach > bounce.least_approach).then_some(BouncingRow { row, impulse: 0.0, wanted })
        };
        hits.clear();
        hits.extend(units.iter().filter_map(hit));
    }

    /// Solves the rows of a round. The targets of the first are those of the rows, which know of gravity.
    fn round(&mut self, hits: &mut [BouncingRow], is_first: bool) {
        let [least, most] = PASSES;
        for _ in 0..(CORRECTIONS / hits.len().max(1)).clamp(least, most) {
            let mut change = 0.0_f64;
            for own in hits.iter_mut() {
                let resists = self.compliances[own.row];
                if resists > 0.0 {
                    let target = if is_first { self.rows[own.row].target } else { own.wanted };
                    let step = ((target - self.rate(own.row)) / resists).max(-own.impulse);
                    own.impulse += step;
                    self.feel(own.row, step);
                    change = change.max(step.abs() * resists);
                }
            }
            if change <= TOLERANCE {
                break;
            }
        }
    }
}
