//! Slider joint: the child moves along the parent's x axis and does not turn relative to the parent.
//!
//! ```text
//! d = x1 − x0;   C1 = d · y0,  C2 = d · z0     rows through the child's anchor: child (y0, r1 × y0), parent (−y0, −(r0 + d) × y0)
//! γ1 = y0 · γ_ball + 2 (ω0 × y0) · ḋ + (ω0 × (ω0 × y0)) · d
//! C3..5 as for a fixed joint
//! ```
//! Specification: mathematics 4.3 (H8).

use super::{Bias, JointJacobian, JointSide, Lines, Velocities, ball, fixed};
use crate::math::lanes::Lanes;
use crate::rigid::motion::vector;

/// Displacement of the child along the axis, meters.
pub fn travel(sides: &[JointSide<f64>; 2]) -> f64 {
    vector(sides[1].anchor.minus(sides[0].anchor)).dot(vector(sides[0].axes[0]))
}

/// Adds the five constraint rows.
#[inline(always)]
pub fn rows<V: Lanes>(sides: &[JointSide<V>; 2], rows: &mut JointJacobian<V>) {
    along(sides, 1, rows);
    along(sides, 2, rows);
    fixed::turn_rows(sides, rows);
}

/// Adds one row that keeps the child's anchor where it is along an axis of the parent.
#[inline(always)]
pub(super) fn along<V: Lanes>(sides: &[JointSide<V>; 2], axis: usize, rows: &mut JointJacobian<V>) {
    let (offset, axis) = (sides[1].anchor.minus(sides[0].anchor), sides[0].axes[axis]);
    rows.push_at(sides, sides[1].anchor, axis, offset.dot(axis));
}

/// Adds the bias terms of the five rows.
pub fn bias(sides: &[JointSide<f64>; 2], velocities: &Velocities, bias: &mut Bias) {
    along_bias(sides, velocities, 1, bias);
    along_bias(sides, velocities, 2, bias);
    fixed::turn_bias(velocities, bias);
}

/// Adds the bias term of [`along`].
pub(super) fn along_bias(sides: &[JointSide<f64>; 2], velocities: &Velocities, axis: usize, bias: &mut Bias) {
    let offset = vector(sides[1].anchor.minus(sides[0].anchor));
    let (slip, pull, w0) = (ball::slip(sides, velocities), ball::pull(sides, velocities), velocities.angular[0]);
    let axis = vector(sides[0].axes[axis]);
    let turned = w0.cross(axis);
    bias.push(axis.dot(pull) + 2.0 * turned.dot(slip) + w0.cross(turned).dot(offset));
}

/// Draws the rail and the child's anchor on it.
pub fn draw(sides: &[JointSide<f64>; 2], size: f64, lines: &mut Lines) {
    let (from, axis, at) = (vector(sides[0].anchor), vector(sides[0].axes[0]), vector(sides[1].anchor));
    lines.push([from - axis * size, at + axis * size]);
    lines.push([at - vector(sides[1].axes[1]) * (0.5 * size), at + vector(sides[1].axes[1]) * (0.5 * size)]);
}
