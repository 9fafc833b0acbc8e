//! Fixed joint: the frames coincide.
//!
//! ```text
//! C4..6 = θ n                                the rotation between a_k and b_k, the axes of parent and child:
//! ½ Σ_k a_k × b_k = sin θ n,  ½ (Σ_k a_k · b_k − 1) = cos θ
//! row k         child e_k,  parent −e_k     the derivative at equal frames, where the joint holds
//! γ = 0                                      the rows are ω1 − ω0 itself, whose derivative has no term without acceleration
//! ```
//! With the angle instead of its sine a free body takes its orientation in one pass of displacement, from any angle below 180°.
//! Specification: mathematics 4.3 (H8), 5.3 (Z19).

use glam::DVec3;

use super::{Bias, JointJacobian, JointSide, Lines, Velocities, ball, like};
use crate::math::lane_angle::angle;
use crate::math::lane_rotation::LaneVector;
use crate::math::lanes::Lanes;

/// Adds the six constraint rows.
#[inline(always)]
pub fn rows<V: Lanes>(sides: &[JointSide<V>; 2], rows: &mut JointJacobian<V>) {
    ball::rows(sides, rows);
    turn_rows(sides, rows);
}

/// Twice the sine of an angle below which it is the angle, or 180° from it.
const LEAST_SINE: f64 = 1e-8;

/// Adds three rows that lock the rotation of the child relative to the parent.
#[inline(always)]
pub(super) fn turn_rows<V: Lanes>(sides: &[JointSide<V>; 2], rows: &mut JointJacobian<V>) {
    let ([a0, a1, a2], [b0, b1, b2]) = (sides[0].axes, sides[1].axes);
    let doubled = a0.cross(b0).plus(a1.cross(b1)).plus(a2.cross(b2));
    let sine = doubled.dot(doubled).sqrt();
    let turned = angle(sine, a0.dot(b0) + a1.dot(b1) + a2.dot(b2) - 1.0);
    let (has_axis, one) = (sine.like(LEAST_SINE).is_below(sine), sine.like(1.0));
    let LaneVector { x, y, z } =
        doubled.scaled(V::select(has_axis, turned / V::select(has_axis, sine, one), sine.like(0.5)));
    rows.push_turn(like(x, DVec3::X), x);
    rows.push_turn(like(x, DVec3::Y), y);
    rows.push_turn(like(x, DVec3::Z), z);
}

/// Adds the bias terms of the six rows.
pub fn bias(sides: &[JointSide<f64>; 2], velocities: &Velocities, bias: &mut Bias) {
    ball::bias(sides, velocities, bias);
    turn_bias(velocities, bias);
}

/// Bias of [`turn_rows`]: zero, because the rows are the difference of the angular velocities themselves.
pub(super) fn turn_bias(_velocities: &Velocities, bias: &mut Bias) {
    for _ in 0..3 {
        bias.push(0.0);
    }
}

/// Draws a cross of all axes.
pub fn draw(sides: &[JointSide<f64>; 2], size: f64, lines: &mut Lines) {
    ball::draw(sides, size, lines);
}
