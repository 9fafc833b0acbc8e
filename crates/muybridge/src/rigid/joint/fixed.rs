//! A fixed joint: the frames coincide.
//!
//! ```text
//! C4..6 = ½ Σ_k a_k × b_k = sin θ n         a_k, b_k the axes of parent and child, θ n the turn between them
//! row k         child e_k,  parent −e_k     the derivative where the frames agree, which is where it is held
//! γ = 0                                      the rows are ω1 − ω0 itself, whose derivative has no term without acceleration
//! ```
//! The sine of the angle instead of the angle needs neither quaternion nor arc tangent and has the same derivative at 0; Newton's method
//! does not see the difference. Specification: mathematics 4.3 (H8).

use glam::DVec3;

use super::{Bias, JointJacobian, JointSide, Lines, Velocities, ball, like};
use crate::math::lane_rotation::LaneVector;
use crate::math::lanes::Lanes;

/// Six rows.
#[inline(always)]
pub fn rows<V: Lanes>(sides: &[JointSide<V>; 2], rows: &mut JointJacobian<V>) {
    ball::rows(sides, rows);
    turn_rows(sides, rows);
}

/// Three rows: the child does not turn against the parent.
#[inline(always)]
pub(super) fn turn_rows<V: Lanes>(sides: &[JointSide<V>; 2], rows: &mut JointJacobian<V>) {
    let ([a0, a1, a2], [b0, b1, b2]) = (sides[0].axes, sides[1].axes);
    let LaneVector { x, y, z } = a0.cross(b0).plus(a1.cross(b1)).plus(a2.cross(b2)).times(0.5);
    rows.push_turn(like(x, DVec3::X), x);
    rows.push_turn(like(x, DVec3::Y), y);
    rows.push_turn(like(x, DVec3::Z), z);
}

/// Their bias.
pub fn bias(sides: &[JointSide<f64>; 2], velocities: &Velocities, bias: &mut Bias) {
    ball::bias(sides, velocities, bias);
    turn_bias(velocities, bias);
}

/// Bias of [`turn_rows`]: none, because the rows are the difference of the angular velocities themselves.
pub(super) fn turn_bias(_velocities: &Velocities, bias: &mut Bias) {
    for _ in 0..3 {
        bias.push(0.0);
    }
}

/// A cross of all axes.
pub fn draw(sides: &[JointSide<f64>; 2], size: f64, lines: &mut Lines) {
    ball::draw(sides, size, lines);
}
