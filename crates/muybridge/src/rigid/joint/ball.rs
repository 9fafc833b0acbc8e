//! Ball joint: the anchors coincide.
//!
//! ```text
//! C = x1 − x0,   x_i = p_i + r_i            Ċ = v1 + ω1 × r1 − v0 − ω0 × r0
//! row k          child (e_k, r1 × e_k),  parent (−e_k, −r0 × e_k);  r: vector to the middle of the two anchors
//! γ = ω1 × (ω1 × r1) − ω0 × (ω0 × r0)
//! ```
//! Specification: mathematics 4.3 (H5, H8). Hennix et al. print `a_z` twice in equation 24 where `a_x` and `a_y` belong.

use glam::DVec3;

use super::{Bias, JointJacobian, JointSide, Lines, Velocities, like};
use crate::math::lane_rotation::LaneVector;
use crate::math::lanes::Lanes;
use crate::math::rotation::log;
use crate::rigid::motion::vector;

/// Distance between the anchors, meters.
pub fn gap(sides: &[JointSide<f64>; 2]) -> f64 {
    vector(sides[1].anchor).distance(vector(sides[0].anchor))
}

/// Rotation vector of the child's frame relative to the parent's, in the parent's axes, radians.
pub fn turn(sides: &[JointSide<f64>; 2]) -> DVec3 {
    let [parent, child] = sides.map(|side| glam::DMat3::from_cols_array_2d(&side.axes.map(|a| [a.x, a.y, a.z])));
    log(glam::DQuat::from_mat3(&(parent.transpose() * child)).normalize())
}

/// Adds the three constraint rows.
#[inline(always)]
pub fn rows<V: Lanes>(sides: &[JointSide<V>; 2], rows: &mut JointJacobian<V>) {
    let gap = sides[1].anchor.minus(sides[0].anchor);
    let middle = sides[0].anchor.plus(gap.times(0.5));
    rows.push_at(sides, middle, like(gap.x, DVec3::X), gap.x);
    rows.push_at(sides, middle, like(gap.x, DVec3::Y), gap.y);
    rows.push_at(sides, middle, like(gap.x, DVec3::Z), gap.z);
}

/// Adds the bias terms of the three rows.
pub fn bias(sides: &[JointSide<f64>; 2], velocities: &Velocities, bias: &mut Bias) {
    let difference = pull(sides, velocities);
    bias.push(difference.x);
    bias.push(difference.y);
    bias.push(difference.z);
}

/// Relative acceleration of the anchors if neither body accelerates, m/s².
pub(super) fn pull(sides: &[JointSide<f64>; 2], velocities: &Velocities) -> DVec3 {
    let toward_center = |side: usize| {
        let (w, arm) = (velocities.angular[side], arm(&sides[side]));
        w.cross(w.cross(arm))
    };
    toward_center(1) - toward_center(0)
}

/// Velocity of the child's anchor relative to the parent's, m/s.
pub(super) fn slip(sides: &[JointSide<f64>; 2], velocities: &Velocities) -> DVec3 {
    let of = |side: usize| velocities.linear[side] + velocities.angular[side].cross(arm(&sides[side]));
    of(1) - of(0)
}

/// Vector from the center of mass to the anchor.
pub(super) fn arm(side: &JointSide<f64>) -> DVec3 {
    let LaneVector { x, y, z } = side.anchor.minus(side.center);
    DVec3::new(x, y, z)
}

/// Draws the axes of the child's frame.
pub fn draw(sides: &[JointSide<f64>; 2], size: f64, lines: &mut Lines) {
    let at = vector(sides[1].anchor);
    for axis in sides[1].axes {
        lines.push([at - vector(axis) * (0.5 * size), at + vector(axis) * (0.5 * size)]);
    }
}
