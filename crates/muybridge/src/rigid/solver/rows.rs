//! One row, or the three of a contact, by themselves.
//!
//! ```text
//! contact    B its three by three of A,   d = B⁻¹ (target − w)          sticks where λ_n + d_n ≥ 0 and ‖λ_t + d_t‖ ≤ μ (λ_n + d_n)
//! else       λ_n by itself, then tangents where that leaves them: two by two, or a step of the gradient back into the disc
//! ```
//! Both tangents at once, or sliding would not be straight against the motion. The gradient's step is as long as the stiffer direction allows.
//! Specification: mathematics 4.10 (H17).

use super::{PARTS, Solver, TreeRow};
use crate::rigid::row::ConstraintRow;

impl Solver {
    /// J u of a row as it is now.
    pub fn rate(&self, row: usize) -> f64 {
        let of =
            |side: &TreeRow| product(&self.shapes[side.shape..][..side.length], &self.flow[self.begins[side.tree]..]);
        self.base[row] + self.sides[row].iter().flatten().map(of).sum::<f64>()
    }

    /// The inverse of the inertia a row feels.
    pub fn compliance(&self, row: usize) -> f64 {
        self.compliances[row]
    }

    /// What an impulse of one row does to another.
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

    /// q += g Δλ.
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

    /// One row; returns by how much its rate changed.
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

    /// A contact; returns by how much its rates changed.
    pub(super) fn contact(&mut self, first: usize, friction: f64) -> f64 {
        let rows = [first, first + 1, first + 2];
        let before = rows.map(|row| self.rows[row].impulse);
        let rates = self.rates(first);
        let missing = [0, 1, 2].map(|i| self.rows[rows[i]].target - rates[i]);
        let block = ContactMatrix { diagonal: rows.map(|row| self.compliances[row]), off: self.couplings[first] };
        let after = block.stick(before, missing, friction).unwrap_or_else(|| block.slide(before, missing, friction));
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

    /// J u of the three rows of a contact, which have the same bodies.
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

    /// q += g Δλ for the three rows of a contact.
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

/// What the rows of a contact do to each other.
struct ContactMatrix {
    diagonal: [f64; 3],
    /// Normal to first tangent, normal to second, first to second.
    off: [f64; 3],
}

impl ContactMatrix {
    /// All three rates as they are to be; `None` where friction does not allow that.
    fn stick(&self, before: [f64; 3], missing: [f64; 3], friction: f64) -> Option<[f64; 3]> {
        let ([a, b, c], [d, e, f]) = (self.diagonal, self.off);
        // L D Lᵀ with L = [1; l 1; m n 1].
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
        let after = [before[0] + x, before[1] + y, before[2] + z];
        let most = friction * after[0];
        let sticks = after[0] >= 0.0 && after[1] * after[1] + after[2] * after[2] <= most * most;
        sticks.then_some(after)
    }

    /// The normal by itself, then tangents inside what it allows.
    fn slide(&self, before: [f64; 3], missing: [f64; 3], friction: f64) -> [f64; 3] {
        let ([a, b, c], [d, e, f]) = (self.diagonal, self.off);
        let normal = if a > 0.0 { (before[0] + missing[0] / a).max(0.0) } else { before[0] };
        let step = normal - before[0];
        let missing = [missing[1] - d * step, missing[2] - e * step];
        let stiffest = 0.5 * (b + c) + libm::sqrt(0.25 * (b - c) * (b - c) + f * f);
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

/// Share of its diagonal below which a pivot is what rounding left.
const REPEATED: f64 = 1e-9;

/// a · b over the length of a.
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
