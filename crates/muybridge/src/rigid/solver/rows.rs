//! Gauss–Seidel update of one row, or of the three rows of a contact.
//!
//! ```text
//! contact    B: its 3 × 3 block of A,    d = B⁻¹ (target − w)          sticks if λ_n + d_n ≥ 0 and ‖λ_t + d_t‖ ≤ μ (λ_n + d_n)
//! else       λ_n alone, then the tangents: 2 × 2 solve, or a gradient step projected to the friction disc
//! ```
//! Both tangents are solved at once; otherwise friction would not oppose the sliding exactly. The gradient step is
//! limited by the stiffer direction. Specification: mathematics 4.10 (H17).

use super::{PARTS, Solver, TreeRow};
use crate::rigid::row::ConstraintRow;

impl Solver {
    /// Present rate J u of a row.
    pub fn rate(&self, row: usize) -> f64 {
        let of =
            |side: &TreeRow| product(&self.shapes[side.shape..][..side.length], &self.flow[self.begins[side.tree]..]);
        self.base[row] + self.sides[row].iter().flatten().map(of).sum::<f64>()
    }

    /// Inverse effective mass of a row.
    pub fn compliance(&self, row: usize) -> f64 {
        self.compliances[row]
    }

    /// Inverse effective masses of a row's two sides, 0 for one that does not move.
    pub(super) fn parts(&self, row: usize) -> [f64; 2] {
        let part = |side: &Option<TreeRow>| {
            side.as_ref()
                .map_or(0.0, |side| product(&self.shapes[side.shape..][..side.length], &self.shapes[side.answer..]))
        };
        [0, 1].map(|side| part(&self.sides[row][side]))
    }

    /// Rate of `row` per unit impulse of `other`.
    pub(super) fn coupling(&self, row: usize, other: usize) -> f64 {
        let mut sum = 0.0;
        for a in self.sides[row].iter().flatten() {
            for b in self.sides[other].iter().flatten().filter(|b| b.tree == a.tree) {
                let length = a.length.min(b.length);
                sum += product(&self.shapes[a.shape..][..length], &self.shapes[b.answer..]);
            }
        }
        sum
    }

    /// Applies an impulse of a row to the modal velocities: q += g Δλ.
    pub(super) fn feel(&mut self, row: usize, impulse: f64) {
        if impulse == 0.0 {
            return;
        }
        for side in self.sides[row].iter().flatten() {
            let flow = &mut self.flow[self.begins[side.tree]..][..side.length];
            for (flow, answer) in flow.iter_mut().zip(&self.shapes[side.answer..][..side.length]) {
                *flow += answer * impulse;
            }
        }
    }

    /// Solves one row; returns the change of its rate.
    pub(super) fn one(&mut self, row: usize) -> f64 {
        let resists = self.compliances[row] + self.rows[row].softness;
        if resists.is_nan() || resists <= 0.0 {
            return 0.0;
        }
        let ConstraintRow { impulse, target, softness, least, most, .. } = self.rows[row];
        let wanted = impulse + (target - self.rate(row) - softness * impulse) / resists;
        let change = wanted.clamp(least, most.max(least)) - impulse;
        if change == 0.0 || !change.is_finite() {
            return 0.0;
        }
        self.rows[row].impulse += change;
        self.feel(row, change);
        (change * resists).abs()
    }

    /// Solves a contact; returns the greatest change of its rates.
    pub(super) fn contact(&mut self, first: usize, friction: f64) -> f64 {
        let rows = [first, first + 1, first + 2];
        let before = rows.map(|row| self.rows[row].impulse);
        let rates = self.rates(first);
        let missing = [0, 1, 2].map(|i| self.rows[rows[i]].target - rates[i]);
        let block = ContactMatrix { diagonal: rows.map(|row| self.compliances[row]), off: self.couplings[first] };
        let bounds = [self.rows[first].least, friction];
        let after = block
            .stick(before, missing, bounds)
            .unwrap_or_else(|| block.slide(before, missing, bounds, block.stiffest()));
        let (mut change, mut steps) = (0.0_f64, [0.0; 3]);
        for (i, row) in rows.into_iter().enumerate() {
            let step = after[i] - before[i];
            if step.is_finite() {
                self.rows[row].impulse = after[i];
                steps[i] = step;
                change = change.max((step * block.diagonal[i]).abs());
            }
        }
        if steps != [0.0; 3] {
            self.feel_all(first, steps);
        }
        change
    }

    /// Rates J u of the three rows of a contact, which have the same bodies.
    fn rates(&self, first: usize) -> [f64; 3] {
        let mut rates = [0, 1, 2].map(|i| self.base[first + i]);
        let [a, b, c] = [0, 1, 2].map(|i| &self.sides[first + i]);
        for ((a, b), c) in a.iter().zip(b).zip(c) {
            let (Some(a), Some(b), Some(c)) = (a, b, c) else { continue };
            let flow = &self.flow[self.begins[a.tree]..][..a.length];
            let [a, b, c] = [a, b, c].map(|side| &self.shapes[side.shape..][..side.length]);
            let mut sums = [[0.0; PARTS]; 3];
            let shapes = a.chunks_exact(PARTS).zip(b.chunks_exact(PARTS)).zip(c.chunks_exact(PARTS));
            for (((a, b), c), flow) in shapes.zip(flow.chunks_exact(PARTS)) {
                for i in 0..PARTS {
                    sums[0][i] += a[i] * flow[i];
                    sums[1][i] += b[i] * flow[i];
                    sums[2][i] += c[i] * flow[i];
                }
            }
            for (rate, [a, b, c, d]) in rates.iter_mut().zip(sums) {
                *rate += (a + b) + (c + d);
            }
        }
        rates
    }

    /// Applies impulses of the three rows of a contact: q += g Δλ.
    fn feel_all(&mut self, first: usize, steps: [f64; 3]) {
        let [a, b, c] = [0, 1, 2].map(|i| self.sides[first + i]);
        for ((a, b), c) in a.into_iter().zip(b).zip(c) {
            let (Some(a), Some(b), Some(c)) = (a, b, c) else { continue };
            let flow = &mut self.flow[self.begins[a.tree]..][..a.length];
            let [a, b, c] = [a, b, c].map(|side| &self.shapes[side.answer..][..side.length]);
            for (((flow, a), b), c) in flow.iter_mut().zip(a).zip(b).zip(c) {
                *flow += (a * steps[0] + b * steps[1]) + c * steps[2];
            }
        }
    }
}

/// Coupling matrix of the three rows of a contact.
#[derive(Clone, Copy, Debug)]
pub(super) struct ContactMatrix {
    pub diagonal: [f64; 3],
    /// Off-diagonal entries: normal to first tangent, normal to second, first to second.
    pub off: [f64; 3],
}

impl ContactMatrix {
    /// Upper triangle of the inverse, row by row; `None` where rows repeat each other.
    pub fn inverse(&self) -> Option<[f64; 6]> {
        let ([a, b, c], [d, e, f]) = (self.diagonal, self.off);
        let (second, minor) = (a * b - d * d, a * f - d * e);
        let determinant = second * (a * c - e * e) - minor * minor;
        if !(a > 0.0 && second > REPEATED * a * b && determinant > REPEATED * a * c * second) {
            return None;
        }
        // The determinant of the three rows is that of the two pivots over the first.
        let scale = a / determinant;
        let cofactors = [b * c - f * f, e * f - c * d, d * f - b * e, a * c - e * e, d * e - a * f, second];
        Some(cofactors.map(|cofactor| cofactor * scale))
    }

    /// Impulses that change the rates by `missing`; `None` where rows repeat each other.
    fn solve(&self, missing: [f64; 3]) -> Option<[f64; 3]> {
        let ([a, b, c], [d, e, f]) = (self.diagonal, self.off);
        // Factorization L D Lᵀ with L = [1; l 1; m n 1].
        let (l, m) = (d / a, e / a);
        let second = b - l * d;
        let n = (f - l * e) / second;
        let third = c - m * e - n * n * second;
        if !(a > 0.0 && second > REPEATED * b && third > REPEATED * c) {
            return None;
        }
        let y1 = missing[1] - l * missing[0];
        let y2 = missing[2] - m * missing[0] - n * y1;
        let z = y2 / third;
        let y = y1 / second - n * z;
        let x = missing[0] / a - l * y - m * z;
        Some([x, y, z])
    }

    /// Impulses that reach all three target rates; `None` if they exceed the friction cone.
    fn stick(&self, before: [f64; 3], missing: [f64; 3], [least, friction]: [f64; 2]) -> Option<[f64; 3]> {
        let [x, y, z] = self.solve(missing)?;
        let after = [before[0] + x, before[1] + y, before[2] + z];
        let most = friction * after[0];
        let sticks = after[0] >= least && after[1] * after[1] + after[2] * after[2] <= most * most;
        sticks.then_some(after)
    }

    /// Rate along the stiffer direction of the tangents per unit impulse.
    pub fn stiffest(&self) -> f64 {
        let ([_, b, c], [_, _, f]) = (self.diagonal, self.off);
        0.5 * (b + c) + libm::sqrt(0.25 * (b - c) * (b - c) + f * f)
    }

    /// Solves the normal row alone, then the tangents within the friction limit.
    #[inline(always)]
    pub fn slide(&self, before: [f64; 3], missing: [f64; 3], [least, friction]: [f64; 2], stiffest: f64) -> [f64; 3] {
        let ([a, b, c], [d, e, f]) = (self.diagonal, self.off);
        let normal = if a > 0.0 { (before[0] + missing[0] / a).max(least) } else { before[0] };
        let step = normal - before[0];
        let missing = [missing[1] - d * step, missing[2] - e * step];
        if stiffest.is_nan() || stiffest <= 0.0 {
            return [normal, before[1], before[2]];
        }
        let most = friction * normal;
        let determinant = b * c - f * f;
        if determinant > REPEATED * b * c {
            let x = before[1] + (c * missing[0] - f * missing[1]) / determinant;
            let y = before[2] + (b * missing[1] - f * missing[0]) / determinant;
            if x * x + y * y <= most * most {
                return [normal, x, y];
            }
        }
        let (x, y) = (before[1] + missing[0] / stiffest, before[2] + missing[1] / stiffest);
        let length = libm::sqrt(x * x + y * y);
        let part = if length > most { most / length } else { 1.0 };
        [normal, x * part, y * part]
    }
}

/// Share of its diagonal below which a pivot is rounding noise.
const REPEATED: f64 = 1e-9;

/// Dot product a · b over the length of a.
#[inline(always)]
fn product(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; PARTS];
    for (a, b) in a.chunks_exact(PARTS).zip(b.chunks_exact(PARTS)) {
        for i in 0..PARTS {
            sums[i] += a[i] * b[i];
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::random::Random;

    #[test]
    fn the_inverse_of_a_contact_gives_what_elimination_gives_and_none_where_rows_repeat() {
        let mut random = Random::new(5);
        for _ in 0..200 {
            let g: [[f64; 6]; 3] = core::array::from_fn(|_| core::array::from_fn(|_| random.unit() - 0.5));
            let dot = |i: usize, j: usize| -> f64 { g[i].iter().zip(&g[j]).map(|(a, b)| a * b).sum() };
            let diagonal = [dot(0, 0), dot(1, 1), dot(2, 2)];
            let block = ContactMatrix { diagonal, off: [dot(0, 1), dot(0, 2), dot(1, 2)] };
            let [a, b, c, d, e, f] = block.inverse().unwrap();
            let missing = [0.3, -0.2, 0.5];
            let found = [[a, b, c], [b, d, e], [c, e, f]].map(|row| (0..3).map(|i| row[i] * missing[i]).sum::<f64>());
            let eliminated = block.solve(missing).unwrap();
            let size = eliminated.iter().fold(1.0, |size: f64, x| size.max(x.abs()));
            assert!((0..3).all(|i| (found[i] - eliminated[i]).abs() < 1e-8 * size), "{found:?} {eliminated:?}");
        }
        let twice = ContactMatrix { diagonal: [1.0, 4.0, 1.0], off: [2.0, 0.0, 0.0] };
        assert!(twice.inverse().is_none() && twice.solve([1.0; 3]).is_none());
    }
}
