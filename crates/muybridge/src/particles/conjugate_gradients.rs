//! Conjugate gradients: solves all two-sided distances of a pass at once (J40).
//!
//! ```text
//! (J W Jᵀ + α̃) Δλ = −C − α̃ λ,    x += W Jᵀ Δλ
//! ```
//! Solved by conjugate gradients with a diagonal preconditioner (Hestenes, Stiefel 1952), without forming the matrix.
//! In mode `shake` the rows of J are the directions one substep before, as in (3.9.2). Specification: mathematics 9.2.

use glam::DVec3;

use super::model::Distance;
use super::settings::Mode;
use super::step::substep::Substep;

/// Tolerance: the system is solved when the residual falls to this share of the initial one.
const SOLVED: f64 = 1e-13;

/// Greatest number of matrix products, whatever the size of the system.
const MOST_PRODUCTS: usize = 1000;

/// Buffers of the solver: rows, and one force per particle.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    rows: Vec<CgRow>,
    forces: Vec<DVec3>,
}

/// A row of the system: one distance.
#[derive(Clone, Copy, Debug, Default)]
struct CgRow {
    ends: [usize; 2],
    /// Unit vector from the first end to the second; zero for an inactive row.
    direction: DVec3,
    softness: f64,
    diagonal: f64,
    solution: f64,
    residual: f64,
    search: f64,
    product: f64,
}

impl Scratch {
    /// Allocates buffers for this many distances and particles.
    pub(crate) fn of(distances: usize, particles: usize) -> Self {
        Self { rows: vec![CgRow::default(); distances], forces: vec![DVec3::ZERO; particles] }
    }
}

/// Corrects every two-sided distance that takes part in this pass.
pub(crate) fn distances(substep: &mut Substep) {
    for index in 0..substep.model.distances.len() {
        substep.conjugate_gradients.rows[index] = row(substep, index);
    }
    let Scratch { rows, forces } = &mut *substep.conjugate_gradients;
    solve(rows, forces, substep.inverse_masses);
    accumulate(rows, forces, |row| row.solution);
    for (position, (force, weight)) in substep.positions.iter_mut().zip(forces.iter().zip(substep.inverse_masses)) {
        *position += *force * *weight;
    }
    for (multiplier, row) in substep.multipliers.distances.iter_mut().zip(rows.iter()) {
        *multiplier += row.solution;
    }
}

fn row(substep: &mut Substep, index: usize) -> CgRow {
    let distance = &substep.model.distances[index];
    let [a, b] = distance.particles;
    if !distance.is_bilateral() || !substep.takes_part(&distance.particles) {
        return CgRow::default();
    }
    *substep.work += 1;
    if substep.settings.tolerance > 0.0 {
        substep.worst = substep.worst.max(distance.relative_error(substep.positions));
    }
    let weights = substep.inverse_masses[a] + substep.inverse_masses[b];
    let (softness, _) = substep.softness(distance.particles[0], distance.compliance, 0.0);
    let d = super::distance::vector(super::distance::between(substep.positions, [a, b], distance.reference()));
    let o = substep.previous[b] - substep.previous[a];
    let (direction, error) = linearized(distance, substep.settings.mode, d, o);
    let residual = -error - softness * substep.multipliers.distances[index];
    CgRow { ends: [a, b], direction, softness, diagonal: weights + softness, residual, ..CgRow::default() }
}

/// Direction of the constraint row and length error (meters) of a distance.
fn linearized(distance: &Distance, mode: Mode, d: DVec3, o: DVec3) -> (DVec3, f64) {
    let (length, rest) = (d.length(), distance.least);
    let before = o.normalize_or_zero();
    let turned_little = d.dot(before) > 0.5 * length && length > 0.5 * rest;
    if mode == Mode::Shake && distance.compliance == 0.0 && turned_little {
        return (before, (length * length - rest * rest) / (2.0 * d.dot(before)));
    }
    (d / length, length - rest)
}

/// Solves for `solution`; `residual` holds the right-hand side at the start.
fn solve(rows: &mut [CgRow], forces: &mut [DVec3], inverse_masses: &[f64]) {
    let preconditioned = |row: &CgRow| if row.diagonal > 0.0 { row.residual / row.diagonal } else { 0.0 };
    rows.iter_mut().for_each(|row| row.search = preconditioned(row));
    let mut size: f64 = rows.iter().map(|row| row.residual * preconditioned(row)).sum();
    let enough = size * SOLVED * SOLVED;
    for _ in 0..MOST_PRODUCTS.min(4 * rows.len()) {
        // Solved, or not a number.
        if size.is_nan() || size <= enough {
            return;
        }
        multiply(rows, forces, inverse_masses);
        let length = size / rows.iter().map(|row| row.search * row.product).sum::<f64>();
        for row in rows.iter_mut() {
            row.solution += length * row.search;
            row.residual -= length * row.product;
        }
        let smaller: f64 = rows.iter().map(|row| row.residual * preconditioned(row)).sum();
        let turn = smaller / size;
        rows.iter_mut().for_each(|row| row.search = preconditioned(row) + turn * row.search);
        size = smaller;
    }
}

/// Computes `product = (J W Jᵀ + α̃) search`.
fn multiply(rows: &mut [CgRow], forces: &mut [DVec3], inverse_masses: &[f64]) {
    accumulate(rows, forces, |row| row.search);
    for row in rows {
        let [a, b] = row.ends;
        let opening = forces[b] * inverse_masses[b] - forces[a] * inverse_masses[a];
        row.product = row.direction.dot(opening) + row.softness * row.search;
    }
}

/// Computes `forces = Jᵀ value`.
fn accumulate(rows: &[CgRow], forces: &mut [DVec3], value: impl Fn(&CgRow) -> f64) {
    forces.fill(DVec3::ZERO);
    for row in rows {
        let along = row.direction * value(row);
        forces[row.ends[0]] -= along;
        forces[row.ends[1]] += along;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::random::Random;

    /// Reference solution by Gaussian elimination with the full matrix.
    fn direct(rows: &[CgRow], inverse_masses: &[f64]) -> Vec<f64> {
        let n = rows.len();
        let gradient = |row: &CgRow, particle: usize| {
            row.direction
                * (f64::from(u8::from(row.ends[1] == particle)) - f64::from(u8::from(row.ends[0] == particle)))
        };
        let mut a = vec![vec![0.0; n + 1]; n];
        for i in 0..n {
            for j in 0..n {
                let coupling =
                    |(particle, w): (usize, &f64)| w * gradient(&rows[i], particle).dot(gradient(&rows[j], particle));
                a[i][j] = inverse_masses.iter().enumerate().map(coupling).sum();
            }
            a[i][i] += rows[i].softness;
            a[i][n] = rows[i].residual;
        }
        for k in 0..n {
            let pivot = a[k].clone();
            for row in a.iter_mut().skip(k + 1) {
                let factor = row[k] / pivot[k];
                row.iter_mut().zip(&pivot).for_each(|(x, p)| *x -= factor * p);
            }
        }
        let mut x = vec![0.0; n];
        for k in (0..n).rev() {
            let known: f64 = (k + 1..n).map(|j| a[k][j] * x[j]).sum();
            x[k] = (a[k][n] - known) / a[k][k];
        }
        x
    }

    #[test]
    fn j40_conjugate_gradients_find_what_elimination_finds() {
        let mut random = Random::new(3);
        let particles = 21;
        let mut inverse_masses: Vec<f64> = (0..particles).map(|_| 0.2 + random.unit()).collect();
        inverse_masses[0] = 0.0;
        let mut rows: Vec<CgRow> = (0..20)
            .map(|i| {
                let softness = if i % 5 == 0 { 0.1 } else { 0.0 };
                let diagonal = inverse_masses[i] + inverse_masses[i + 1] + softness;
                let direction = random.vector().normalize();
                CgRow { ends: [i, i + 1], direction, softness, diagonal, residual: random.signed(), ..CgRow::default() }
            })
            .collect();
        let expected = direct(&rows, &inverse_masses);
        solve(&mut rows, &mut vec![DVec3::ZERO; particles], &inverse_masses);
        for (row, expected) in rows.iter().zip(expected) {
            assert!((row.solution - expected).abs() < 1e-10, "{} != {expected}", row.solution);
        }
    }
}
