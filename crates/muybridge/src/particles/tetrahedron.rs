//! Rigid tetrahedron: corrects its six edges at once along their previous directions, without a division.
//!
//! ```text
//! C_e = (d_e·d_e − r_e²)/2          o_e: edge e at the start of the step, d_e: current edge
//! x_k += w_k Σ_e s_ke λ_e o_e       s_ke = ±1 at the ends of e
//! C_e + Σ_f A_ef λ_f = 0,   A_ef = (Σ_k w_k s_ke s_kf) o_e·o_f
//! ```
//! The tetrahedron was rigid at the start of the step, so `o_e·o_f` has its rest value and `A⁻¹` is constant. One pass
//! is a Newton step from `d = o`: the remaining error is of second order in the displacement of the step. Corrections
//! along `o` are SHAKE (mathematics 3.9.2): symplectic, with linear and angular momentum kept to rounding.
//! Specification: mathematics 2.4, 3.11 (J17, J23).

use glam::DVec3;

use crate::math::arithmetic::Arithmetic;
use crate::math::lane_rotation::LaneVector;

/// Indices of the two particles of each edge.
pub const EDGES: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];

/// Constants of one rigid tetrahedron.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RigidTetrahedron {
    /// Squared rest lengths of the edges, m².
    squared: [f64; 6],
    /// Response matrix `−A⁻¹` from edge errors to multipliers, kg/m².
    response: [[f64; 6]; 6],
    /// Inverse masses, 1/kg.
    inverse_masses: [f64; 4],
}

impl RigidTetrahedron {
    /// Computes the constants from rest positions (meters, any frame) and masses (kilograms, infinite allowed). `None`
    /// if the particles are coplanar or a number is invalid.
    pub fn new(rest: &[DVec3; 4], masses: &[f64; 4]) -> Option<Self> {
        let inverse_masses = masses.map(|mass| 1.0 / mass);
        let edges = EDGES.map(|[a, b]| rest[b] - rest[a]);
        let mut matrix = [[0.0; 6]; 6];
        for (row, e) in EDGES.iter().enumerate() {
            for (column, f) in EDGES.iter().enumerate() {
                let shared: f64 = (0..4).map(|k| inverse_masses[k] * side(e, k) * side(f, k)).sum();
                matrix[row][column] = shared * edges[row].dot(edges[column]);
            }
            if inverse_masses[e[0]] == 0.0 && inverse_masses[e[1]] == 0.0 {
                matrix[row][row] = 1.0;
            }
        }
        let inverse = inverse(matrix)?;
        let response = inverse.map(|row| row.map(|value| -value));
        Some(Self { squared: edges.map(DVec3::length_squared), response, inverse_masses })
    }

    /// Correction of `positions` that restores the edge lengths. `began` are the edges at the start of the step, from
    /// [`edges`]. Large displacements need repeated calls.
    #[inline(always)]
    pub fn correction<V: Arithmetic>(
        &self,
        began: &[LaneVector<V>; 6],
        positions: &[LaneVector<V>; 4],
    ) -> [LaneVector<V>; 4] {
        let now = edges(positions);
        let mut errors = [now[0].x.like(0.0); 6];
        for edge in 0..6 {
            errors[edge] = (now[edge].dot(now[edge]) - errors[edge].like(self.squared[edge])) * 0.5;
        }
        let zero = errors[0].like(0.0);
        let mut sums = [LaneVector { x: zero, y: zero, z: zero }; 4];
        for edge in 0..6 {
            let row = &self.response[edge];
            let mut multiplier = errors[0] * row[0];
            for other in 1..6 {
                multiplier = multiplier + errors[other] * row[other];
            }
            let pull = began[edge].scaled(multiplier);
            let [a, b] = EDGES[edge];
            sums[a] = sums[a].minus(pull);
            sums[b] = sums[b].plus(pull);
        }
        for (sum, inverse_mass) in sums.iter_mut().zip(self.inverse_masses) {
            *sum = sum.times(inverse_mass);
        }
        sums
    }
}

/// The six edge vectors of four points.
#[inline(always)]
pub fn edges<V: Arithmetic>(points: &[LaneVector<V>; 4]) -> [LaneVector<V>; 6] {
    EDGES.map(|[a, b]| points[b].minus(points[a]))
}

fn side(edge: &[usize; 2], particle: usize) -> f64 {
    f64::from(u8::from(edge[1] == particle)) - f64::from(u8::from(edge[0] == particle))
}

/// Inverse by Gauss–Jordan elimination with pivoting. `None` for a singular matrix.
fn inverse(mut matrix: [[f64; 6]; 6]) -> Option<[[f64; 6]; 6]> {
    let scale = matrix.iter().flatten().fold(0.0, |most: f64, value| most.max(value.abs()));
    let mut inverse = [[0.0; 6]; 6];
    for (index, row) in inverse.iter_mut().enumerate() {
        row[index] = 1.0;
    }
    for column in 0..6 {
        let pivot = (column..6).max_by(|&a, &b| matrix[a][column].abs().total_cmp(&matrix[b][column].abs()))?;
        let largest = matrix[pivot][column];
        if largest.abs() <= 1e-13 * scale || !largest.is_finite() {
            return None;
        }
        matrix.swap(column, pivot);
        inverse.swap(column, pivot);
        for rows in [&mut matrix, &mut inverse] {
            rows[column] = rows[column].map(|value| value / largest);
        }
        for row in (0..6).filter(|&row| row != column) {
            let factor = matrix[row][column];
            for k in 0..6 {
                matrix[row][k] -= factor * matrix[column][k];
                inverse[row][k] -= factor * inverse[column][k];
            }
        }
    }
    Some(inverse)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::random::Random;

    const REST: [DVec3; 4] =
        [DVec3::new(0.1, 0.0, 0.0), DVec3::new(0.4, 0.1, 0.0), DVec3::new(0.0, 0.5, 0.1), DVec3::new(0.1, 0.1, 0.7)];
    const MASSES: [f64; 4] = [1.0, 0.3, 20.0, 4.0];

    fn lanes(points: &[DVec3; 4]) -> [LaneVector<f64>; 4] {
        points.map(|point| LaneVector::splat((), point))
    }

    fn worst_stretch(points: &[DVec3; 4]) -> f64 {
        let lengths = EDGES.map(|[a, b]| (points[a].distance(points[b]) - REST[a].distance(REST[b])).abs());
        lengths.into_iter().fold(0.0, f64::max)
    }

    fn corrected(began: &[DVec3; 4], moved: [DVec3; 4]) -> [DVec3; 4] {
        let rigid = RigidTetrahedron::new(&REST, &MASSES).expect("a tetrahedron");
        let correction = rigid.correction(&edges(&lanes(began)), &lanes(&moved));
        core::array::from_fn(|k| moved[k] + DVec3::new(correction[k].x, correction[k].y, correction[k].z))
    }

    #[test]
    fn one_pass_leaves_an_error_of_second_order() {
        let mut random = Random::new(1);
        for _ in 0..200 {
            let turn = random.rotation();
            let began = REST.map(|point| turn * point);
            let push: [DVec3; 4] = core::array::from_fn(|_| random.vector());
            let left =
                |size: f64| worst_stretch(&corrected(&began, core::array::from_fn(|k| began[k] + push[k] * size)));
            let (coarse, fine) = (left(2e-4), left(1e-4));
            assert!(coarse < 3e-6, "{coarse}");
            assert!(fine < 0.3 * coarse, "{fine} of {coarse}");
        }
    }

    #[test]
    fn a_correction_keeps_linear_and_angular_momentum() {
        let mut random = Random::new(2);
        for _ in 0..200 {
            let turn = random.rotation();
            let began = REST.map(|point| turn * point);
            let moved = began.map(|point| point + random.vector() * 0.05);
            let after = corrected(&began, moved);
            let impulse: DVec3 = (0..4).map(|k| (after[k] - moved[k]) * MASSES[k]).sum();
            let twist: DVec3 = (0..4).map(|k| began[k].cross((after[k] - moved[k]) * MASSES[k])).sum();
            assert!(impulse.length() < 1e-14 && twist.length() < 1e-14, "{impulse} {twist}");
        }
    }

    #[test]
    fn corners_of_infinite_mass_stay() {
        let masses = [f64::INFINITY, f64::INFINITY, 1.0, 2.0];
        let rigid = RigidTetrahedron::new(&REST, &masses).expect("a tetrahedron");
        let mut moved = REST;
        moved[3] += DVec3::new(1e-4, -2e-4, 1e-4);
        let correction = rigid.correction(&edges(&lanes(&REST)), &lanes(&moved));
        assert_eq!((correction[0].x, correction[1].y), (0.0, 0.0));
        let after: [DVec3; 4] =
            core::array::from_fn(|k| moved[k] + DVec3::new(correction[k].x, correction[k].y, correction[k].z));
        assert!(worst_stretch(&after) < 1e-6);
    }

    #[test]
    fn x14_a_flat_tetrahedron_is_refused() {
        let flat = REST.map(|point| DVec3::new(point.x, point.y, 0.0));
        assert_eq!(RigidTetrahedron::new(&flat, &MASSES), None);
        assert_eq!(RigidTetrahedron::new(&[DVec3::NAN; 4], &MASSES), None);
        assert_eq!(RigidTetrahedron::new(&[DVec3::ZERO; 4], &MASSES), None);
    }
}
