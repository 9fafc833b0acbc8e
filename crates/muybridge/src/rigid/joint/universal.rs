//! Universal joint: the anchors coincide, and the parent's x axis stays perpendicular to the child's y axis.
//!
//! ```text
//! C4 = x0 · y1         row and bias as for a hinge
//! ```
//! Specification: mathematics 4.3 (H7).

use super::{Bias, JointJacobian, JointSide, Lines, Velocities, ball, hinge};
use crate::math::lanes::Lanes;
use crate::rigid::motion::vector;

/// Cosine of the angle between the two axes; 0 if the joint holds.
pub fn skew(sides: &[JointSide<f64>; 2]) -> f64 {
    vector(sides[0].axes[0]).dot(vector(sides[1].axes[1]))
}

/// Adds the four constraint rows.
#[inline(always)]
pub fn rows<V: Lanes>(sides: &[JointSide<V>; 2], rows: &mut JointJacobian<V>) {
    ball::rows(sides, rows);
    hinge::across(sides, [0, 1], rows);
}

/// Adds the bias terms of the four rows.
pub fn bias(sides: &[JointSide<f64>; 2], velocities: &Velocities, bias: &mut Bias) {
    ball::bias(sides, velocities, bias);
    hinge::across_bias(sides, velocities, [0, 1], bias);
}

/// Draws the two axes.
pub fn draw(sides: &[JointSide<f64>; 2], size: f64, lines: &mut Lines) {
    let at = vector(sides[1].anchor);
    for axis in [vector(sides[0].axes[0]), vector(sides[1].axes[1])] {
        lines.push([at - axis * size, at + axis * size]);
    }
}
