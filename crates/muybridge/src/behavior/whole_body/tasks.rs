//! Weighted acceleration tasks as one least-squares problem, solved under the condition that the ground gives the forces.
//!
//! ```text
//! Q = Σ w Jᵀ J,  u̇₀ = Q⁻¹ Σ w Jᵀ a                                     all tasks, as if a root assist gave any wrench
//! r = G λ + (M g, 0) − b − A u̇₀,   B = A Q⁻¹ Aᵀ                       wrench error of u̇₀ with ground forces λ on rays G
//! λ = argmin ½ rᵀ B⁻¹ r + ½ Σ ε λ²,  λ ≥ 0;      u̇ = u̇₀ + Q⁻¹ Aᵀ B⁻¹ r
//! ```

use glam::DVec3;

use super::ground::FrictionConeEdge;
use super::mechanism::{JacobianBlock, WholeBodyTree};
use crate::math::cholesky;

/// Weighted sum of squared task errors.
pub(crate) struct Tasks {
    count: usize,
    matrix: Vec<f64>,
    right: Vec<f64>,
}

/// Small weight that pulls every unknown to 0, so that none is undetermined.
const LEAST: f64 = 1e-6;
/// Least square on the diagonal of a Cholesky factor.
const LEAST_SQUARE: f64 = 1e-12;
/// Regularization of ray forces, as a share of the mean stiffness of a ray: it spreads the load over all rays that can carry it.
const SOFT: f64 = 1e-3;
/// Maximal number of passes over the rays; then the force change below which the iteration ends, newtons.
const PASSES: usize = 200;
const NEAR: f64 = 1e-3;

impl Tasks {
    pub(crate) fn new(count: usize) -> Self {
        let mut matrix = vec![0.0; count * count];
        (0..count).for_each(|index| matrix[index * count + index] = LEAST);
        Self { count, matrix, right: vec![0.0; count] }
    }

    /// Adds the task w ‖J u̇ − wanted‖².
    pub(crate) fn add(&mut self, parts: impl Iterator<Item = JacobianBlock> + Clone, wanted: DVec3, weight: f64) {
        for (column, by) in parts.clone() {
            let pull = by.transpose() * wanted * weight;
            for i in 0..3 {
                self.right[column + i] += pull[i];
            }
            for (other, with) in parts.clone() {
                let both = by.transpose() * with * weight;
                for i in 0..3 {
                    for j in 0..3 {
                        self.matrix[(column + i) * self.count + other + j] += both.col(j)[i];
                    }
                }
            }
        }
    }

    /// Solves for u̇ and the force along each ray, newtons.
    pub(crate) fn solve(self, mechanism: &WholeBodyTree<'_>, rays: &[FrictionConeEdge]) -> (Vec<f64>, Vec<f64>) {
        let Self { count, mut matrix, right: mut wish } = self;
        let (rows, bias) = &mechanism.momentum;
        let row = |index: usize| &rows[index * count..(index + 1) * count];
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        cholesky::factor(&mut matrix, count, LEAST_SQUARE);
        cholesky::solve(&matrix, &mut wish);
        let eased: [Vec<f64>; 6] = core::array::from_fn(|index| {
            let mut eased = row(index).to_vec();
            cholesky::solve(&matrix, &mut eased);
            eased
        });
        let mut coupled: Vec<f64> = (0..36).map(|at| dot(row(at / 6), &eased[at % 6])).collect();
        cholesky::factor(&mut coupled, 6, LEAST_SQUARE);
        let given = mechanism.given_to_all();
        let mut rest: [f64; 6] = core::array::from_fn(|index| given[index] - bias[index] - dot(row(index), &wish));
        let forces = forces(&coupled, rays, &rest);
        for (ray, force) in rays.iter().zip(&forces) {
            rest.iter_mut().zip(ray.wrench).for_each(|(rest, own)| *rest += own * force);
        }
        cholesky::solve(&coupled, &mut rest);
        for (eased, rest) in eased.iter().zip(rest) {
            wish.iter_mut().zip(eased).for_each(|(wish, eased)| *wish += eased * rest);
        }
        (wish, forces)
    }
}

/// Ray forces λ by projected Gauss–Seidel iteration.
fn forces(coupled: &[f64], rays: &[FrictionConeEdge], rest: &[f64; 6]) -> Vec<f64> {
    let dot = |a: &[f64; 6], b: &[f64; 6]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let felt: Vec<[f64; 6]> = (rays.iter())
        .map(|ray| {
            let mut felt = ray.wrench;
            cholesky::solve(coupled, &mut felt);
            felt
        })
        .collect();
    let stiffness: Vec<f64> = rays.iter().zip(&felt).map(|(ray, felt)| dot(&ray.wrench, felt)).collect();
    let mean = stiffness.iter().sum::<f64>() / rays.len().max(1) as f64;
    let mut forces = vec![0.0; rays.len()];
    // Wrench error with the forces so far.
    let mut left = *rest;
    for _ in 0..PASSES {
        let mut most = 0.0_f64;
        for (index, ray) in rays.iter().enumerate() {
            let soft = SOFT * mean / ray.share;
            let slope = dot(&felt[index], &left) + soft * forces[index];
            let force = (forces[index] - slope / (stiffness[index] + soft)).max(0.0);
            let change = force - forces[index];
            if change != 0.0 && change.is_finite() {
                left.iter_mut().zip(ray.wrench).for_each(|(left, own)| *left += own * change);
                forces[index] = force;
                most = most.max(change.abs());
            }
        }
        if most < NEAR {
            break;
        }
    }
    forces
}
