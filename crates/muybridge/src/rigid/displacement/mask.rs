//! Masks: any subset of six degrees of freedom is locked, each at its own value, along selectable axes.
//!
//! ```text
//! C_k = a_k · (x1 − x0) − value        a_k the axes of the mask: of the world, of the parent's frame or of a curve in it
//! C_k = a_k · φ − value,               φ = log(F1 F0ᵀ): rotation of the child's frame relative to the parent's
//!       φ̇ = J_l⁻¹(φ) ω1 − J_l⁻¹(−φ) ω0  axes of the world;    J_l⁻¹(φ) (ω1 − ω0) axes that turn with the parent
//! ```
//! The selected rows are `d_c = S d`, `K_c = S K Sᵀ`: any subset works. One mask says which degrees of freedom are
//! locked. Two others say which of either body the solver may move (Z-E7): a restricted body turns by `(P J P)⁺`, with
//! P the projection on movable axes, which is not `P J⁻¹ P`. With the world as parent a mask is a point fixed in space,
//! a fixed orientation, or a bead on a wire. World axes do not turn with bodies, so such a mask may take angular
//! momentum from a pair; axes of the parent do not. Specification: mathematics 5.2, 5.3 (Z18–Z21); Ziauddin 2001.

use glam::{DMat3, DQuat, DVec3};

use super::rows::Mobility;
use crate::math::lane_rotation::LaneVector;
use crate::math::rotation::{left_jacobian_inverse, log};
use crate::rigid::joint::{Curve, Frame, Guide, JointJacobian, JointSide};
use crate::rigid::motion::vector;
use crate::rigid::{Body, Joint, Kind, Pose};

/// Locks degrees of freedom of one body relative to another, or to the world, by displacement.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Mask {
    /// Reference body; `None` is the world.
    pub parent: Option<usize>,
    /// Index of the constrained body.
    pub child: usize,
    /// Attachment frame in the parent (or the world), and in the child.
    pub frames: [Frame; 2],
    /// Axes along which the mask measures.
    pub axes: Axes,
    /// Locked degrees of freedom: translations along the three axes, then rotations about them.
    pub held: [bool; 6],
    /// Target values, meters and radians.
    pub values: [f64; 6],
    /// Which degrees of freedom of parent and child the solver may move, along the same axes.
    pub movable: [[bool; 6]; 2],
}

/// Axes along which a mask measures.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Axes {
    /// World axes x, y and z.
    World,
    /// Axes of the parent's frame.
    Parent,
    /// Tangent and two normals of a curve in the parent's frame, at the point nearest to the child's anchor.
    /// Translations are measured from that point.
    Curve(Curve),
}

impl Mask {
    /// Mask that locks nothing and lets both bodies move.
    pub fn free(parent: Option<usize>, child: usize, frames: [Frame; 2], axes: Axes) -> Self {
        Self { parent, child, frames, axes, held: [false; 6], values: [0.0; 6], movable: [[true; 6]; 2] }
    }

    /// Fixes a point of a body (meters, body frame) at a world position (Z18).
    pub fn point(child: usize, in_body: DVec3, place: DVec3) -> Self {
        let held = [true, true, true, false, false, false];
        Self { held, ..Self::free(None, child, [Frame::at(place), Frame::at(in_body)], Axes::World) }
    }

    /// Fixes the orientation of a body (Z19).
    pub fn orientation(child: usize, turn: DQuat) -> Self {
        let frames = [Frame { position: DVec3::ZERO, rotation: turn }, Frame::at(DVec3::ZERO)];
        Self { held: [false, false, false, true, true, true], ..Self::free(None, child, frames, Axes::World) }
    }

    /// Keeps a point of a body (meters, body frame) on a curve in the world, along which the point slides without
    /// friction (Z20).
    pub fn bead(child: usize, in_body: DVec3, curve: Curve) -> Self {
        let held = [false, true, true, false, false, false];
        let frames = [Frame::at(DVec3::ZERO), Frame::at(in_body)];
        Self { held, ..Self::free(None, child, frames, Axes::Curve(curve)) }
    }

    /// Locked rows, number of translational rows among them, and mobility of parent and child. `None` if the mask does
    /// not name two different bodies of `bodies`.
    pub fn rows(&self, bodies: &[Body], poses: &[Pose<f64>]) -> Option<(JointJacobian<f64>, usize, [Mobility; 2])> {
        let is_there = |body: usize| body < bodies.len().min(poses.len());
        if !is_there(self.child) || self.parent.is_some_and(|parent| !is_there(parent) || parent == self.child) {
            return None;
        }
        let sides = self.sides(poses);
        let guide = match &self.axes {
            Axes::Curve(curve) => Some(curve.guide(&sides)),
            _ => None,
        };
        let axes = self.directions(&sides, guide.as_ref());
        let mut rows = JointJacobian::none(0.0);
        rows.ends = (self.child, self.parent);
        let from = guide.map_or(vector(sides[0].anchor), |guide| guide.place);
        self.shift_rows(&sides, &axes, from, &mut rows);
        let shifts = rows.count;
        self.turn_rows(&sides, &axes, &mut rows);
        let mobility = |side: usize, body: Option<usize>| {
            body.map_or(Mobility::NONE, |body| locked(&bodies[body], &poses[body], &axes, &self.movable[side]))
        };
        Some((rows, shifts, [mobility(0, self.parent), mobility(1, Some(self.child))]))
    }

    fn sides(&self, poses: &[Pose<f64>]) -> [JointSide<f64>; 2] {
        let joint =
            Joint { parent: self.parent, child: self.child, frames: self.frames, kind: Kind::Fixed, compliance: 0.0 };
        joint.sides(self.parent.map(|parent| &poses[parent]), &poses[self.child])
    }

    /// Axes of the mask as matrix columns.
    fn directions(&self, sides: &[JointSide<f64>; 2], guide: Option<&Guide>) -> DMat3 {
        match (&self.axes, guide) {
            (_, Some(guide)) => DMat3::from_cols(guide.tangent, guide.normals[0], guide.normals[1]),
            (Axes::Parent, None) => frame(&sides[0]),
            _ => DMat3::IDENTITY,
        }
    }

    fn shift_rows(&self, sides: &[JointSide<f64>; 2], axes: &DMat3, from: DVec3, rows: &mut JointJacobian<f64>) {
        let [parent, child] = [vector(sides[0].anchor), vector(sides[1].anchor)];
        // Rows along axes that turn with the parent push both bodies at the child's anchor.
        let pushed = if self.axes == Axes::World { parent } else { child };
        let arms = [pushed - vector(sides[0].center), child - vector(sides[1].center)];
        for axis in (0..3).filter(|&axis| self.held[axis]) {
            let a = axes.col(axis);
            push(rows, a, [a.cross(arms[0]), arms[1].cross(a)], a.dot(child - from) - self.values[axis]);
        }
    }

    fn turn_rows(&self, sides: &[JointSide<f64>; 2], axes: &DMat3, rows: &mut JointJacobian<f64>) {
        let turned = frame(&sides[1]) * frame(&sides[0]).transpose();
        let phi = log(DQuat::from_mat3(&turned).normalize());
        let jacobian = left_jacobian_inverse(phi);
        for axis in (0..3).filter(|&axis| self.held[3 + axis]) {
            let a = axes.col(axis);
            let child = jacobian.transpose() * a;
            let parent = if self.axes == Axes::World { -(jacobian * a) } else { -child };
            push(rows, DVec3::ZERO, [parent, child], a.dot(phi) - self.values[3 + axis]);
        }
    }
}

fn frame(side: &JointSide<f64>) -> DMat3 {
    let [x, y, z] = side.axes.map(vector);
    DMat3::from_cols(x, y, z)
}

fn push(rows: &mut JointJacobian<f64>, linear: DVec3, angular: [DVec3; 2], error: f64) {
    let row = rows.count;
    rows.linear[row] = LaneVector::splat((), linear);
    for (side, moment) in angular.into_iter().enumerate() {
        rows.angular[side][row] = LaneVector::splat((), moment);
    }
    rows.error[row] = error;
    rows.count += 1;
}

/// Mobility of a body that may move along some axes only: S/m and (P J P)⁺.
fn locked(body: &Body, pose: &Pose<f64>, axes: &DMat3, movable: &[bool; 6]) -> Mobility {
    if movable.iter().all(|&free| free) {
        return Mobility::of(body, pose);
    }
    let weight = |free: bool| if free { 1.0 } else { 0.0 };
    let [x, y, z, a, b, c] = movable.map(weight);
    let principal = DMat3::from_quat(pose.turn());
    let inertia = principal * DMat3::from_diagonal(body.moments) * principal.transpose();
    let in_axes = axes.transpose() * inertia * *axes;
    // Ones on the diagonal of locked axes make the matrix invertible; they are removed afterwards.
    let select = DMat3::from_diagonal(DVec3::new(a, b, c));
    let filled = select * in_axes * select + (DMat3::IDENTITY - select);
    let angular = select * filled.inverse() * select;
    let linear = DMat3::from_diagonal(DVec3::new(x, y, z) / body.mass);
    Mobility { linear: *axes * linear * axes.transpose(), angular: *axes * angular * axes.transpose() }
}
