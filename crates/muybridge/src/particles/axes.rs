//! Joint limits on angles between two sets of axes fixed to particles, and the step that corrects a violation.
//!
//! ```text
//! C(a_1..a_3, b_1..b_3) ≤ 0          a, b: axes, a_m = Σ_i c_mi x_i
//! ∇_i C = Σ_m c_mi ∂C/∂a_m + …       chain rule, constant weights
//! λ = −C / (Σ_i w_i |∇_i C|² + α̃),  x_i += w_i λ ∇_i C
//! ```
//! C depends only on scalar products of axes, so a step keeps linear and angular momentum even for deformed bodies.
//! Specification: mathematics 3.9.1, 3.13, 4.7.

use super::point::Direction;
use crate::math::arithmetic::Arithmetic;
use crate::math::lane_rotation::LaneVector;

/// Joint axes in the world: three of the parent, then three of the child.
pub type Axes<V> = [[LaneVector<V>; 3]; 2];

/// Violation of a joint limit.
#[derive(Clone, Copy, Debug)]
pub struct Excess<V> {
    /// Angle beyond the limit, radians; above 0 if the limit is violated.
    pub angle: V,
    /// Derivative of `angle` by each axis.
    pub gradient: Axes<V>,
}

/// The particles that two sets of axes are fixed to.
#[derive(Clone, Debug, PartialEq)]
pub struct AxesOfParticles {
    /// Particle, inverse mass and weight in each of the six axes; one entry per particle.
    terms: Vec<Term>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Term {
    particle: usize,
    inverse_mass: f64,
    weights: [[f64; 3]; 2],
}

impl AxesOfParticles {
    /// Collects the weights of both sets of axes. `masses` covers all particles of the model, kilograms; indices must
    /// be valid.
    pub fn new(a: &[Direction; 3], b: &[Direction; 3], masses: &[f64]) -> Self {
        let mut terms: Vec<Term> = Vec::new();
        for (side, directions) in [a, b].into_iter().enumerate() {
            for (axis, direction) in directions.iter().enumerate() {
                for (&particle, &weight) in direction.particles.iter().zip(&direction.weights) {
                    let found = terms.iter().position(|term| term.particle == particle);
                    let index = found.unwrap_or(terms.len());
                    if found.is_none() {
                        let inverse_mass = 1.0 / masses[particle];
                        terms.push(Term { particle, inverse_mass, weights: [[0.0; 3]; 2] });
                    }
                    terms[index].weights[side][axis] += weight;
                }
            }
        }
        Self { terms }
    }

    /// The six axes for the given particle positions.
    #[inline(always)]
    pub fn axes<V: Arithmetic>(&self, positions: &[LaneVector<V>]) -> Axes<V> {
        let zero = positions[0].x.like(0.0);
        let mut axes = [[LaneVector { x: zero, y: zero, z: zero }; 3]; 2];
        for term in &self.terms {
            for side in 0..2 {
                for axis in 0..3 {
                    let part = positions[term.particle].times(term.weights[side][axis]);
                    axes[side][axis] = axes[side][axis].plus(part);
                }
            }
        }
        axes
    }

    /// Corrects the violation in one step, only in lanes that violate the limit. `softness` is compliance / substep²,
    /// radians per (newton meter second²).
    #[inline(always)]
    pub fn correct<V: Arithmetic>(&self, excess: &Excess<V>, softness: f64, positions: &mut [LaneVector<V>]) {
        let zero = excess.angle.like(0.0);
        let mut sum = zero.like(softness);
        for term in &self.terms {
            let gradient = term.gradient(excess);
            sum = sum + gradient.dot(gradient) * term.inverse_mass;
        }
        let is_beyond = V::both(zero.is_below(excess.angle), zero.is_below(sum));
        let multiplier = V::select(is_beyond, -excess.angle / sum, zero);
        for term in &self.terms {
            let step = term.gradient(excess).scaled(multiplier * term.inverse_mass);
            let position = positions[term.particle];
            positions[term.particle] = LaneVector::select(is_beyond, position.plus(step), position);
        }
    }
}

impl Term {
    #[inline(always)]
    fn gradient<V: Arithmetic>(&self, excess: &Excess<V>) -> LaneVector<V> {
        let mut sum = excess.gradient[0][0].times(self.weights[0][0]);
        for (side, axis) in [(0, 1), (0, 2), (1, 0), (1, 1), (1, 2)] {
            sum = sum.plus(excess.gradient[side][axis].times(self.weights[side][axis]));
        }
        sum
    }
}

#[cfg(test)]
pub(super) mod tests {
    use glam::{DQuat, DVec3};

    use super::*;
    use crate::math::random::Random;

    /// Two bodies of four particles with axes x, y, z; the second is rotated by `turn` relative to the first.
    pub fn bodies(random: &mut Random, turn: DQuat) -> (AxesOfParticles, Vec<DVec3>, Vec<f64>) {
        let world = random.rotation();
        let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        let first = corners.map(|corner| world * corner + DVec3::new(0.3, -0.2, 0.5));
        let second = corners.map(|corner| world * (turn * corner) + DVec3::new(-1.0, 0.4, 0.1));
        let masses: Vec<f64> = (0..8).map(|_| libm::exp(random.signed())).collect();
        let axis = |first: usize, axis: usize| {
            let mut weights = [-1.0, 0.0, 0.0, 0.0];
            weights[axis + 1] = 1.0;
            Direction { particles: core::array::from_fn(|k| first + k), weights }
        };
        let axes = |first| core::array::from_fn(|k| axis(first, k));
        (AxesOfParticles::new(&axes(0), &axes(4), &masses), [first, second].concat(), masses)
    }

    pub fn lanes(positions: &[DVec3]) -> Vec<LaneVector<f64>> {
        positions.iter().map(|&position| LaneVector::splat((), position)).collect()
    }

    /// Checks the gradient against finite differences, for motions that also shear the axes.
    pub fn check_gradient(limit: impl Fn(&Axes<f64>) -> Excess<f64>, axes: &Axes<f64>, random: &mut Random) {
        let moves: [[DVec3; 3]; 2] = core::array::from_fn(|_| core::array::from_fn(|_| random.vector()));
        let moved = |size: f64| -> Axes<f64> {
            core::array::from_fn(|s| {
                core::array::from_fn(|k| axes[s][k].plus(LaneVector::splat((), moves[s][k] * size)))
            })
        };
        let gradient = limit(axes).gradient;
        let step = 1e-6;
        let expected = (limit(&moved(step)).angle - limit(&moved(-step)).angle) / (2.0 * step);
        let mut found = 0.0;
        for side in 0..2 {
            for axis in 0..3 {
                found += gradient[side][axis].dot(LaneVector::splat((), moves[side][axis]));
            }
        }
        assert!((found - expected).abs() < 1e-7 * (1.0 + expected.abs()), "{found} != {expected}");
    }

    /// Corrects until the limit holds and checks that each step keeps momentum.
    pub fn check_correction(
        limit: impl Fn(&Axes<f64>) -> Excess<f64>,
        (weights, began, masses): (AxesOfParticles, Vec<DVec3>, Vec<f64>),
    ) {
        let mut positions = lanes(&began);
        assert!(limit(&weights.axes(&positions)).angle > 1e-3, "nothing to correct");
        for _ in 0..60 {
            let before: Vec<DVec3> = positions.iter().map(|p| DVec3::new(p.x, p.y, p.z)).collect();
            let excess = limit(&weights.axes(&positions));
            weights.correct(&excess, 0.0, &mut positions);
            let moved = |i: usize| DVec3::new(positions[i].x, positions[i].y, positions[i].z) - before[i];
            let impulse: DVec3 = (0..8).map(|i| moved(i) * masses[i]).sum();
            let twist: DVec3 = (0..8).map(|i| before[i].cross(moved(i) * masses[i])).sum();
            assert!(impulse.length() < 1e-13 && twist.length() < 1e-13, "{impulse} {twist}");
        }
        let left = limit(&weights.axes(&positions)).angle;
        assert!(left < 1e-9, "{left}");
    }
}
