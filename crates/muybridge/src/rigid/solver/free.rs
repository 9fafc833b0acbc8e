//! Contacts of bodies without joints: six numbers a side, in memory one after the other.
//!
//! ```text
//! w = w₀ + Σ over sides g · q,    λ ← λ + B⁻¹ (target − w),    q += g Δλ      B = Σ g gᵀ, the 3 × 3 block of A
//! ```
//! The response of such a body is a mass and a tensor, so its modes are six at most. Rates and impulses are those of
//! [`Solver::contact`](super::Solver), which does the rest. Specification: mathematics 4.10 (H17).

use super::rows::ContactMatrix;
use super::{PARTS, Solver, TreeRow};
use crate::rigid::forest::Forest;
use crate::rigid::motion::Velocity;
use crate::rigid::row::Of;

/// Number of modes of a body without joints.
pub(super) const FREE: usize = 6;

/// A contact of two free bodies, or of one with an obstacle.
#[derive(Clone, Debug)]
pub(super) struct FreeContact {
    /// Shape g of its three rows in the modes of either side; zero for an obstacle.
    shapes: [[[f64; FREE]; 3]; 2],
    /// Start of the modes of either side in the flow.
    begins: [usize; 2],
    block: ContactMatrix,
    stiffest: f64,
    /// B⁻¹ by its upper triangle, row by row; `None` where rows repeat each other.
    inverse: Option<[f64; 6]>,
    /// Target rates less the initial ones.
    missing: [f64; 3],
    impulses: [f64; 3],
    /// Least impulse of the normal, and the coefficient of friction.
    bounds: [f64; 2],
}

impl FreeContact {
    const NONE: Self = Self {
        shapes: [[[0.0; FREE]; 3]; 2],
        begins: [0; 2],
        block: ContactMatrix { diagonal: [0.0; 3], off: [0.0; 3] },
        stiffest: 0.0,
        inverse: None,
        missing: [0.0; 3],
        impulses: [0.0; 3],
        bounds: [0.0; 2],
    };

    /// Inverse mass of either side, 1/kg: the square of the normal's shape in the modes along the axes.
    pub fn inverse_masses(&self) -> [f64; 2] {
        self.shapes.map(|[[x, y, z, ..], ..]| x * x + y * y + z * z)
    }

    /// Rates of the rows beyond the initial ones.
    #[inline(always)]
    fn rates(&self, flow: &[f64], rows: usize) -> [f64; 3] {
        let mut rates = [0.0; 3];
        for (shapes, &begin) in self.shapes.iter().zip(&self.begins) {
            let q = six(flow, begin);
            for (rate, g) in rates.iter_mut().zip(shapes).take(rows) {
                *rate += dot(g, &q);
            }
        }
        rates
    }

    /// Applies impulses of the rows: q += g Δλ.
    #[inline(always)]
    fn feel(&self, flow: &mut [f64], steps: [f64; 3]) {
        for (shapes, &begin) in self.shapes.iter().zip(&self.begins) {
            let q = &mut flow[begin..begin + FREE];
            for (k, q) in q.iter_mut().enumerate() {
                *q += (shapes[0][k] * steps[0] + shapes[1][k] * steps[1]) + shapes[2][k] * steps[2];
            }
        }
    }

    /// Solves the contact; returns the greatest change of its rates.
    #[inline(always)]
    fn solve(&mut self, flow: &mut [f64]) -> f64 {
        let rates = self.rates(flow, 3);
        let missing = [0, 1, 2].map(|i| self.missing[i] - rates[i]);
        let before = self.impulses;
        let after =
            self.stick(missing).unwrap_or_else(|| self.block.slide(before, missing, self.bounds, self.stiffest));
        let steps = [0, 1, 2].map(|i| after[i] - before[i]);
        if !steps.iter().all(|step| step.is_finite()) {
            return 0.0;
        }
        self.impulses = after;
        self.feel(flow, steps);
        let change = [0, 1, 2].map(|i| (steps[i] * self.block.diagonal[i]).abs());
        change[0].max(change[1]).max(change[2])
    }

    /// Impulses that reach all three target rates; `None` if they exceed the friction cone.
    #[inline(always)]
    fn stick(&self, [x, y, z]: [f64; 3]) -> Option<[f64; 3]> {
        let [a, b, c, d, e, f] = self.inverse?;
        let steps = [a * x + b * y + c * z, b * x + d * y + e * z, c * x + e * y + f * z];
        let after = [0, 1, 2].map(|i| self.impulses[i] + steps[i]);
        let [least, friction] = self.bounds;
        let most = friction * after[0];
        (after[0] >= least && after[1] * after[1] + after[2] * after[2] <= most * most).then_some(after)
    }

    /// Solves the normal row alone; returns the change of its rate.
    #[inline(always)]
    fn solve_normal(&mut self, flow: &mut [f64]) -> f64 {
        let resists = self.block.diagonal[0];
        if resists.is_nan() || resists <= 0.0 {
            return 0.0;
        }
        let step = (self.impulses[0] + (self.missing[0] - self.rates(flow, 1)[0]) / resists).max(self.bounds[0])
            - self.impulses[0];
        if step == 0.0 || !step.is_finite() {
            return 0.0;
        }
        self.impulses[0] += step;
        for (shapes, &begin) in self.shapes.iter().zip(&self.begins) {
            for (q, g) in flow[begin..begin + FREE].iter_mut().zip(&shapes[0]) {
                *q += g * step;
            }
        }
        (step * resists).abs()
    }
}

/// Length of a shape in the list of all.
const LENGTH: usize = FREE.next_multiple_of(PARTS);

#[inline(always)]
fn dot(a: &[f64; FREE], b: &[f64; FREE]) -> f64 {
    (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3]) + (a[4] * b[4] + a[5] * b[5])
}

/// Wᵀ z for the modes of a free body: three along the axes, and a triangle of three turns.
#[inline(always)]
fn of_triangle(w: &[[f64; FREE]; FREE], z: &[f64; FREE]) -> [f64; FREE] {
    let turns = [w[3][3] * z[3], w[4][3] * z[3] + w[4][4] * z[4], w[5][3] * z[3] + w[5][4] * z[4] + w[5][5] * z[5]];
    [w[0][0] * z[0], w[1][1] * z[1], w[2][2] * z[2], turns[0], turns[1], turns[2]]
}

#[inline(always)]
fn six(flow: &[f64], begin: usize) -> [f64; FREE] {
    core::array::from_fn(|k| flow[begin..begin + FREE][k])
}

impl Solver {
    /// Couples the three rows of a contact of bodies without joints. Returns `false` if they are not such rows.
    pub(super) fn couple_free(
        &mut self,
        forest: &Forest,
        first: usize,
        velocity: &impl Fn(usize) -> Velocity<f64>,
    ) -> bool {
        let (of, bodies) = (self.rows[first].of, self.rows[first].bodies);
        let is_free = |body: usize| forest.hangs_by[body].is_none() && forest.is_single(body);
        if !forest.closing.is_empty() || !matches!(of, Of::Contact(_)) || !bodies.into_iter().flatten().all(is_free) {
            return false;
        }
        let at = self.shapes.len();
        self.shapes.resize(at + 6 * LENGTH, 0.0);
        self.free_of[first] = self.free.len();
        self.free.push(FreeContact::NONE);
        let Some(free) = self.free.last_mut() else { return false };
        let (mut sides, mut base) = ([[None; 2]; 3], [0.0; 3]);
        for (side, body) in bodies.into_iter().enumerate() {
            let Some((body, columns)) = body.and_then(|body| Some((body, self.modes.of_free(body)?))) else { continue };
            let (u, tree) = (velocity(body), forest.tree[body]);
            for (i, row) in self.rows[first..first + 3].iter().enumerate() {
                base[i] += dot(&row.by[side], &u);
                free.shapes[side][i] = of_triangle(columns, &row.by[side]);
                let shape = at + (3 * side + i) * LENGTH;
                self.shapes[shape..shape + FREE].copy_from_slice(&free.shapes[side][i]);
                sides[i][side] = Some(TreeRow { tree, shape, answer: shape, length: LENGTH });
            }
        }
        let [one, other] = &free.shapes;
        let product = |i: usize, j: usize| dot(&one[i], &one[j]) + dot(&other[i], &other[j]);
        let diagonal = [product(0, 0), product(1, 1), product(2, 2)];
        free.block = ContactMatrix { diagonal, off: [product(0, 1), product(0, 2), product(1, 2)] };
        (free.inverse, free.stiffest) = (free.block.inverse(), free.block.stiffest());
        self.couplings.extend([free.block.off, [0.0; 3], [0.0; 3]]);
        self.compliances.extend(diagonal);
        self.sides.extend(sides);
        self.base.extend(base);
        true
    }

    /// Reads targets and impulses of the free contacts of an island from its rows.
    pub(super) fn gather(&mut self, island: usize, friction: impl Fn(usize) -> f64) {
        let nothing = self.flow.len() - FREE;
        for &row in &self.islands.units[self.islands.spans[island].clone()] {
            let Some(free) = self.free.get_mut(self.free_of[row]) else { continue };
            let begin = |side: &Option<TreeRow>| side.map_or(nothing, |side| self.begins[side.tree]);
            free.begins = [begin(&self.sides[row][0]), begin(&self.sides[row][1])];
            free.missing = [0, 1, 2].map(|i| self.rows[row + i].target - self.base[row + i]);
            free.impulses = [0, 1, 2].map(|i| self.rows[row + i].impulse);
            if let Of::Contact(contact) = self.rows[row].of {
                free.bounds = [self.rows[row].least, friction(contact)];
            }
        }
    }

    /// Writes the impulses of the free contacts of an island to its rows.
    pub(super) fn scatter(&mut self, island: usize) {
        for &row in &self.islands.units[self.islands.spans[island].clone()] {
            let Some(free) = self.free.get(self.free_of[row]) else { continue };
            for (row, impulse) in self.rows[row..row + 3].iter_mut().zip(free.impulses) {
                row.impulse = impulse;
            }
        }
    }

    /// Solves a contact if it is free; returns the greatest change of its rates.
    #[inline(always)]
    pub(super) fn solve_free(&mut self, row: usize) -> Option<f64> {
        self.free.get_mut(self.free_of[row]).map(|free| free.solve(&mut self.flow))
    }

    /// Solves the normal row of a contact if it is free; returns the change of its rate.
    #[inline(always)]
    pub(super) fn solve_free_normal(&mut self, row: usize) -> Option<f64> {
        self.free.get_mut(self.free_of[row]).map(|free| free.solve_normal(&mut self.flow))
    }

    /// Applies the impulses of a free contact, times `factor`; returns `None` if it is not free.
    pub(super) fn feel_free(&mut self, row: usize, factor: f64) -> Option<()> {
        let free = self.free.get(self.free_of[row])?;
        free.feel(&mut self.flow, free.impulses.map(|impulse| impulse * factor));
        Some(())
    }

    /// Sum of impulse times rate beyond target of a free contact, as far as impulses are applied.
    pub(super) fn work_of_free(&self, row: usize) -> Option<f64> {
        let free = self.free.get(self.free_of[row])?;
        let rates = free.rates(&self.flow, 3);
        Some((0..3).map(|i| free.impulses[i] * (0.5 * rates[i] - free.missing[i])).sum())
    }

    /// Forgets the impulses of a free contact.
    pub(super) fn forget_free(&mut self, row: usize) {
        if let Some(free) = self.free.get_mut(self.free_of[row]) {
            free.impulses = [0.0; 3];
        }
    }
}
