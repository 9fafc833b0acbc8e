//! Distance joint: a massless rod between the anchors, with a ball joint at either end.
//!
//! ```text
//! d = x1 − x0;   C = (d·d − ℓ²)/(2ℓ)        rows: child (d/ℓ, r1 × d/ℓ), parent the opposite, each at its own anchor:
//!                                           the force acts along the rod
//! γ = (d · γ_ball + ḋ·ḋ)/ℓ
//! ```
//! The squared distance has a derivative at d = 0, unlike its root. Specification: mathematics 4.3 (H8).

use super::{Bias, JointJacobian, JointSide, Lines, Velocities, ball};
use crate::math::lanes::Lanes;
use crate::rigid::motion::vector;

/// Distance between the anchors, meters.
pub fn length(sides: &[JointSide<f64>; 2]) -> f64 {
    ball::gap(sides)
}

/// Adds the constraint row.
#[inline(always)]
pub fn rows<V: Lanes>(sides: &[JointSide<V>; 2], length: f64, rows: &mut JointJacobian<V>) {
    let offset = sides[1].anchor.minus(sides[0].anchor);
    let along = offset.times(1.0 / length);
    let arms = [sides[0].anchor.minus(sides[0].center), sides[1].anchor.minus(sides[1].center)];
    let error = (offset.dot(offset) - length * length) * (0.5 / length);
    rows.push(along, [along.cross(arms[0]), arms[1].cross(along)], error);
}

/// Adds the bias term of the row.
pub fn bias(sides: &[JointSide<f64>; 2], velocities: &Velocities, length: f64, bias: &mut Bias) {
    let offset = vector(sides[1].anchor.minus(sides[0].anchor));
    let slip = ball::slip(sides, velocities);
    bias.push((offset.dot(ball::pull(sides, velocities)) + slip.length_squared()) / length);
}

/// Draws the rod.
pub fn draw(sides: &[JointSide<f64>; 2], lines: &mut Lines) {
    lines.push([vector(sides[0].anchor), vector(sides[1].anchor)]);
}
