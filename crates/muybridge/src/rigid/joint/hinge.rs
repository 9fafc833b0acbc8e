//! Hinge joint: the anchors and the x axes coincide.
//!
//! ```text
//! C4 = x0 · y1,  C5 = x0 · z1               x0 the parent's axis, y1 and z1 across the child's
//! row            child −(x0 × y1),  parent x0 × y1
//! γ4 = (ω0 × (ω0 × x0)) · y1 + 2 (ω0 × x0) · (ω1 × y1) + x0 · (ω1 × (ω1 × y1))
//! ```
//! Specification: mathematics 4.3 (H6). Hennix et al. print `â'_1 ω_2` for `â'_2 ω_2` in the last line of equation 22.

use super::{Bias, JointJacobian, JointSide, Lines, Velocities, ball};
use crate::math::lanes::Lanes;
use crate::rigid::motion::vector;

/// Angle of the child about the axis, radians, −π to π.
pub fn angle(sides: &[JointSide<f64>; 2]) -> f64 {
    let (y0, z0, y1) = (vector(sides[0].axes[1]), vector(sides[0].axes[2]), vector(sides[1].axes[1]));
    libm::atan2(z0.dot(y1), y0.dot(y1))
}

/// Angle between the two x axes, radians.
pub fn misalignment(sides: &[JointSide<f64>; 2]) -> f64 {
    let (a, b) = (vector(sides[0].axes[0]), vector(sides[1].axes[0]));
    libm::atan2(a.cross(b).length(), a.dot(b))
}

/// Adds the five constraint rows.
#[inline(always)]
pub fn rows<V: Lanes>(sides: &[JointSide<V>; 2], rows: &mut JointJacobian<V>) {
    ball::rows(sides, rows);
    across(sides, [0, 1], rows);
    across(sides, [0, 2], rows);
}

/// Adds one row that keeps an axis of the parent perpendicular to one of the child.
#[inline(always)]
pub(super) fn across<V: Lanes>(sides: &[JointSide<V>; 2], [above, below]: [usize; 2], rows: &mut JointJacobian<V>) {
    let (x0, y1) = (sides[0].axes[above], sides[1].axes[below]);
    rows.push_turn(y1.cross(x0), x0.dot(y1));
}

/// Adds the bias terms of the five rows.
pub fn bias(sides: &[JointSide<f64>; 2], velocities: &Velocities, bias: &mut Bias) {
    ball::bias(sides, velocities, bias);
    across_bias(sides, velocities, [0, 1], bias);
    across_bias(sides, velocities, [0, 2], bias);
}

/// Adds the bias term of [`across`].
pub(super) fn across_bias(
    sides: &[JointSide<f64>; 2],
    velocities: &Velocities,
    [above, below]: [usize; 2],
    bias: &mut Bias,
) {
    let (x0, y1) = (vector(sides[0].axes[above]), vector(sides[1].axes[below]));
    let [w0, w1] = velocities.angular;
    bias.push(w0.cross(w0.cross(x0)).dot(y1) + 2.0 * w0.cross(x0).dot(w1.cross(y1)) + x0.dot(w1.cross(w1.cross(y1))));
}

/// Draws the axis and the child's y direction.
pub fn draw(sides: &[JointSide<f64>; 2], size: f64, lines: &mut Lines) {
    let (at, axis, across) = (vector(sides[1].anchor), vector(sides[0].axes[0]), vector(sides[1].axes[1]));
    lines.push([at - axis * size, at + axis * size]);
    lines.push([at, at + across * (0.5 * size)]);
}
