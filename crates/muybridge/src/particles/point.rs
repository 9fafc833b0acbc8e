//! Embedded points and axes: weighted sums of up to four particle positions.
//!
//! ```text
//! point       P = Σ c_i x_i,   Σ c_i = 1
//! direction   d = Σ c_i x_i,   Σ c_i = 0
//! to move P by Δ:   x_i += λ w_i c_i Δ,   λ = 1 / Σ w_i c_i²                                 (3.11.1)
//! ```
//! Specification: mathematics 3.11 (J19–J21).

use glam::DVec3;

/// A point fixed to up to four particles. Unused entries have weight 0 and repeat a used particle.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Point {
    /// Indices into the particles of the model.
    pub particles: [usize; 4],
    /// Weights of the particles; their sum is 1. Negative for points outside the particles.
    pub weights: [f64; 4],
}

/// An axis fixed to up to four particles: like [`Point`], but the weights sum to 0. It has unit length while the
/// particles keep their rest shape.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Direction {
    /// Indices into the particles of the model.
    pub particles: [usize; 4],
    /// Weights of the particles; their sum is 0.
    pub weights: [f64; 4],
}

impl Point {
    /// The point at a single particle.
    pub fn at(particle: usize) -> Self {
        Self { particles: [particle; 4], weights: [1.0, 0.0, 0.0, 0.0] }
    }

    /// Position of the point in the world, meters.
    pub fn position(&self, positions: &[DVec3]) -> DVec3 {
        sum(&self.particles, &self.weights, positions)
    }
}

impl Direction {
    /// The axis vector in world axes.
    pub fn vector(&self, positions: &[DVec3]) -> DVec3 {
        sum(&self.particles, &self.weights, positions)
    }
}

fn sum(particles: &[usize; 4], weights: &[f64; 4], positions: &[DVec3]) -> DVec3 {
    let at = |i: usize| positions[particles[i]] * weights[i];
    at(0) + at(1) + at(2) + at(3)
}
