//! Solves all attachments (ball joints) at once: exact joints for a whole tree of bodies.
//!
//! ```text
//! C_j = Σ_i c_ji x_i − place_j                     linear: c is constant
//! (J W Jᵀ + α̃) Δλ = −C − α̃ λ,   x_i += w_i Σ_j c_ji Δλ_j     one scalar matrix for x, y and z; λ so far in the substep
//! J W Jᵀ = L D Lᵀ                                  factored once; on a tree of bodies L fills in little
//! ```
//! Momentum is kept because the weights of an attachment between two bodies sum to 0. Redundant rows are left out: two
//! attachments along a hinge share a length. Specification: mathematics 3.11, 4.6.

use std::collections::{BTreeMap, BTreeSet};

use glam::DVec3;

use super::model::{Anchor, BallJoint};
use crate::math::arithmetic::Arithmetic;
use crate::math::lane_rotation::LaneVector;

/// Factored system of all ball joints of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct AttachedPoints {
    rows: Vec<BallJointRow>,
    /// Column of L below the diagonal for each row, in order of elimination: row and factor.
    below: Vec<Vec<(usize, f64)>>,
    /// 1/D; 0 for a redundant row.
    inverse_diagonal: Vec<f64>,
    inverse_masses: Vec<f64>,
    /// Index of the attachment of each row.
    order: Vec<usize>,
}

#[derive(Clone, Debug, PartialEq)]
struct BallJointRow {
    terms: Vec<(usize, f64)>,
    place: DVec3,
    /// Compliance over the square of the substep, α̃.
    softness: f64,
}

impl AttachedPoints {
    /// Factors the system of `attachments`. `masses` covers all particles of the model (kilograms, infinite allowed),
    /// `substep` is in seconds. Indices must be valid.
    pub fn new(attachments: &[BallJoint], masses: &[f64], substep: f64) -> Self {
        let inverse_masses: Vec<f64> = masses.iter().map(|mass| 1.0 / mass).collect();
        let softness = |it: &BallJoint| it.compliance / (substep * substep);
        let rows: Vec<BallJointRow> = attachments.iter().map(|it| row(it, softness(it))).collect();
        let mut matrix = product(&rows, &inverse_masses);
        for (index, row) in rows.iter().enumerate() {
            *matrix[index].entry(index).or_insert(0.0) += row.softness;
        }
        let order = least_fill(&matrix);
        let (below, inverse_diagonal) = factor(&matrix, &order);
        let rows = order.iter().map(|&index| rows[index].clone()).collect();
        Self { rows, below, inverse_diagonal, inverse_masses, order }
    }

    /// Whether an attachment is soft.
    pub fn is_soft(&self) -> bool {
        self.rows.iter().any(|row| row.softness > 0.0)
    }

    /// Number of attachments.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether the model has no attachments.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Moves `positions` (one per particle) so that all attachments hold. `scratch` has one place per attachment.
    #[inline(always)]
    pub fn satisfy<V: Arithmetic>(&self, positions: &mut [LaneVector<V>], scratch: &mut [LaneVector<V>]) {
        for (row, error) in self.rows.iter().zip(scratch.iter_mut()) {
            *error = row.error(positions);
        }
        self.solve(positions, scratch);
    }

    /// As [`Self::satisfy`], for soft attachments: `multipliers` are their impulses so far in the substep, one per
    /// attachment in the order in which they were given, times its length.
    pub fn satisfy_softly(
        &self,
        positions: &mut [LaneVector<f64>],
        scratch: &mut [LaneVector<f64>],
        multipliers: &mut [LaneVector<f64>],
    ) {
        for ((row, &index), error) in self.rows.iter().zip(&self.order).zip(scratch.iter_mut()) {
            *error = row.error(positions).minus(multipliers[index].times(row.softness));
        }
        self.solve(positions, scratch);
        for (&index, change) in self.order.iter().zip(scratch.iter()) {
            multipliers[index] = multipliers[index].plus(*change);
        }
    }

    #[inline(always)]
    fn solve<V: Arithmetic>(&self, positions: &mut [LaneVector<V>], scratch: &mut [LaneVector<V>]) {
        for index in 0..self.rows.len() {
            let value = scratch[index];
            for &(other, factor) in &self.below[index] {
                scratch[other] = scratch[other].minus(value.times(factor));
            }
        }
        for index in (0..self.rows.len()).rev() {
            let mut value = scratch[index].times(self.inverse_diagonal[index]);
            for &(other, factor) in &self.below[index] {
                value = value.minus(scratch[other].times(factor));
            }
            scratch[index] = value;
        }
        for (row, multiplier) in self.rows.iter().zip(scratch.iter()) {
            for &(particle, weight) in &row.terms {
                let move_by = multiplier.times(-weight * self.inverse_masses[particle]);
                positions[particle] = positions[particle].plus(move_by);
            }
        }
    }
}

impl BallJointRow {
    #[inline(always)]
    fn error<V: Arithmetic>(&self, positions: &[LaneVector<V>]) -> LaneVector<V> {
        let (first, weight) = self.terms[0];
        let mut sum = positions[first].times(weight);
        for &(particle, weight) in &self.terms[1..] {
            sum = sum.plus(positions[particle].times(weight));
        }
        LaneVector { x: sum.x - self.place.x, y: sum.y - self.place.y, z: sum.z - self.place.z }
    }
}

/// Weights of one attachment, one entry per particle; the weights of `b` are negative.
fn row(attachment: &BallJoint, softness: f64) -> BallJointRow {
    let mut weights = BTreeMap::new();
    let mut add = |particles: &[usize; 4], factors: &[f64; 4], sign: f64| {
        for (&particle, &factor) in particles.iter().zip(factors) {
            *weights.entry(particle).or_insert(0.0) += sign * factor;
        }
    };
    add(&attachment.a.particles, &attachment.a.weights, 1.0);
    let place = match &attachment.b {
        Anchor::Point(point) => {
            add(&point.particles, &point.weights, -1.0);
            DVec3::ZERO
        }
        Anchor::Place(place) => *place,
    };
    BallJointRow { terms: weights.into_iter().collect(), place, softness }
}

/// Computes `J W Jᵀ` as a sparse matrix with both triangles.
fn product(rows: &[BallJointRow], inverse_masses: &[f64]) -> Vec<BTreeMap<usize, f64>> {
    let mut by_particle = vec![Vec::new(); inverse_masses.len()];
    for (index, row) in rows.iter().enumerate() {
        for &(particle, weight) in &row.terms {
            by_particle[particle].push((index, weight));
        }
    }
    let mut matrix = vec![BTreeMap::new(); rows.len()];
    for (users, inverse_mass) in by_particle.iter().zip(inverse_masses) {
        for &(a, weight_a) in users {
            for &(b, weight_b) in users {
                *matrix[a].entry(b).or_insert(0.0) += weight_a * weight_b * inverse_mass;
            }
        }
    }
    matrix
}

/// Elimination order of minimum degree: the row with the fewest neighbors first; of equals the later row, since leaves
/// come last in a model.
fn least_fill(matrix: &[BTreeMap<usize, f64>]) -> Vec<usize> {
    let mut neighbors: Vec<BTreeSet<usize>> = Vec::with_capacity(matrix.len());
    for (index, row) in matrix.iter().enumerate() {
        neighbors.push(row.keys().copied().filter(|&other| other != index).collect());
    }
    let mut queue: BTreeSet<(usize, core::cmp::Reverse<usize>)> =
        neighbors.iter().enumerate().map(|(index, row)| (row.len(), core::cmp::Reverse(index))).collect();
    let mut order = Vec::with_capacity(matrix.len());
    while let Some((_, core::cmp::Reverse(index))) = queue.pop_first() {
        order.push(index);
        let around = core::mem::take(&mut neighbors[index]);
        for &other in &around {
            queue.remove(&(neighbors[other].len(), core::cmp::Reverse(other)));
            neighbors[other].remove(&index);
            neighbors[other].extend(around.iter().copied().filter(|&third| third != other));
            queue.insert((neighbors[other].len(), core::cmp::Reverse(other)));
        }
    }
    order
}

/// Computes the columns of L below the diagonal and 1/D, in the new numbering.
fn factor(matrix: &[BTreeMap<usize, f64>], order: &[usize]) -> (Vec<Vec<(usize, f64)>>, Vec<f64>) {
    let mut place = vec![0; order.len()];
    for (position, &index) in order.iter().enumerate() {
        place[index] = position;
    }
    let mut rows: Vec<BTreeMap<usize, f64>> = order
        .iter()
        .map(|&index| matrix[index].iter().map(|(&other, &value)| (place[other], value)).collect())
        .collect();
    let diagonal: Vec<f64> = (0..rows.len()).map(|index| rows[index].get(&index).copied().unwrap_or(0.0)).collect();
    let (mut below, mut inverse_diagonal) = (Vec::with_capacity(rows.len()), Vec::with_capacity(rows.len()));
    for index in 0..rows.len() {
        let row = core::mem::take(&mut rows[index]);
        let pivot = row.get(&index).copied().unwrap_or(0.0);
        let inverse = if pivot > REDUNDANT * diagonal[index] { 1.0 / pivot } else { 0.0 };
        let column: Vec<(usize, f64)> = row
            .range(index + 1..)
            .map(|(&other, &value)| (other, value * inverse))
            .filter(|&(_, f)| f != 0.0)
            .collect();
        for &(a, factor) in &column {
            for &(b, other_factor) in &column {
                *rows[a].entry(b).or_insert(0.0) -= factor * other_factor * pivot;
            }
        }
        below.push(column);
        inverse_diagonal.push(inverse);
    }
    (below, inverse_diagonal)
}

/// Redundancy limit: a row whose pivot falls below this share of its diagonal is implied by the other rows.
const REDUNDANT: f64 = 1e-10;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::random::Random;
    use crate::particles::Point;

    fn vectors(positions: &[DVec3]) -> Vec<LaneVector<f64>> {
        positions.iter().map(|&position| LaneVector::splat((), position)).collect()
    }

    fn back(positions: &[LaneVector<f64>]) -> Vec<DVec3> {
        positions.iter().map(|p| DVec3::new(p.x, p.y, p.z)).collect()
    }

    /// Six bodies of four particles: a chain of four and two branches from the second.
    fn tree() -> (Vec<DVec3>, Vec<f64>, Vec<BallJoint>) {
        let mut random = Random::new(7);
        let positions = (0..24).map(|_| random.vector()).collect();
        let masses = (0..24).map(|_| libm::exp(3.0 * random.signed())).collect();
        let mut point = |body: usize| {
            let [a, b, c] = [random.signed(), random.signed(), random.signed()];
            Point { particles: core::array::from_fn(|k| 4 * body + k), weights: [a, b, c, 1.0 - a - b - c] }
        };
        let attachments = [[0, 1], [1, 2], [2, 3], [1, 4], [1, 5]].map(|[a, b]| BallJoint {
            a: point(a),
            b: Anchor::Point(point(b)),
            compliance: 0.0,
        });
        (positions, masses, attachments.to_vec())
    }

    fn gap(attachment: &BallJoint, positions: &[DVec3]) -> DVec3 {
        let other = match attachment.b {
            Anchor::Point(point) => point.position(positions),
            Anchor::Place(place) => place,
        };
        attachment.a.position(positions) - other
    }

    #[test]
    fn a_tree_of_bodies_is_joined_exactly_and_keeps_its_momentum() {
        let (positions, masses, attachments) = tree();
        let solver = AttachedPoints::new(&attachments, &masses, 0.001);
        let mut moved = vectors(&positions);
        solver.satisfy(&mut moved, &mut vectors(&[DVec3::ZERO; 5]));
        let moved = back(&moved);
        for attachment in &attachments {
            assert!(gap(attachment, &positions).length() > 0.1);
            assert!(gap(attachment, &moved).length() < 1e-13);
        }
        let impulse: DVec3 = (0..24).map(|i| (moved[i] - positions[i]) * masses[i]).sum();
        assert!(impulse.length() < 1e-13);
    }

    #[test]
    fn corrections_are_the_least_in_the_metric_of_the_masses() {
        // The least correction lies in the span of W Jᵀ: it is orthogonal (in masses) to every motion that keeps the joints.
        let (positions, masses, attachments) = tree();
        let solver = AttachedPoints::new(&attachments, &masses, 0.001);
        let mut moved = vectors(&positions);
        solver.satisfy(&mut moved, &mut vectors(&[DVec3::ZERO; 5]));
        let correction: Vec<DVec3> = back(&moved).iter().zip(&positions).map(|(a, b)| *a - *b).collect();
        let mut random = Random::new(9);
        let mut free = vectors(&(0..24).map(|_| random.vector()).collect::<Vec<_>>());
        solver.satisfy(&mut free, &mut vectors(&[DVec3::ZERO; 5]));
        let work: f64 = back(&free).iter().zip(&correction).zip(&masses).map(|((f, c), m)| f.dot(*c) * m).sum();
        assert!(work.abs() < 1e-12, "{work}");
    }

    #[test]
    fn attachments_along_a_hinge_and_to_a_place_agree() {
        let positions = vec![DVec3::ZERO, DVec3::X, DVec3::new(0.1, 0.1, 0.0), DVec3::new(1.1, 0.0, 0.1)];
        let place = DVec3::new(0.0, 2.0, 0.0);
        let to = |a, b| BallJoint { a: Point::at(a), b: Anchor::Point(Point::at(b)), compliance: 0.0 };
        let twice = to(0, 2);
        let attachments =
            [to(0, 2), to(1, 3), twice, BallJoint { a: Point::at(0), b: Anchor::Place(place), compliance: 0.0 }];
        let solver = AttachedPoints::new(&attachments, &[1.0, 2.0, 3.0, 4.0], 0.001);
        let mut moved = vectors(&positions);
        solver.satisfy(&mut moved, &mut vectors(&[DVec3::ZERO; 4]));
        let moved = back(&moved);
        assert!(attachments.iter().all(|attachment| gap(attachment, &moved).length() < 1e-13));
    }

    #[test]
    fn x7_a_soft_attachment_is_a_spring() {
        // (w + α̃) λ = −C: α̃/(w + α̃) of a gap of 1 m remains.
        let soft = BallJoint { a: Point::at(0), b: Anchor::Place(DVec3::ZERO), compliance: 1e-3 };
        let solver = AttachedPoints::new(&[soft], &[2.0], 0.1);
        let mut moved = vectors(&[DVec3::Y]);
        solver.satisfy(&mut moved, &mut vectors(&[DVec3::ZERO]));
        assert!((moved[0].y - 0.1 / 0.6).abs() < 1e-15);
    }
}
