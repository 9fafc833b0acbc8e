//! Frames of triangles of particles: their rotation as the particles move, and forces on the particles.
//!
//! ```text
//! u = unit(p1 − p0),  f = unit((p2 − p0) × u),  r = u × f,   R = [r u f],  det R = +1
//! L = ‖p1 − p0‖,  p2 − p0 = w r + t u
//! ω = Σ A_i δp_i,   A_1 = (r fᵀ − f rᵀ)/L + t/(w L) u fᵀ,   A_2 = −u fᵀ/w,   A_0 = −A_1 − A_2
//! P = p0 + R X fixed to the triangle:  δP = Σ B_i δp_i,   B_i = δ_{i0} 1 − [P − p0] A_i
//! torque n at the triangle:  f_i = A_iᵀ n,    Σ f_i = 0,  Σ p_i × f_i = n
//! force F at P:              f_i = B_iᵀ F,    Σ f_i = F,  Σ p_i × f_i = P × F
//! ```
//! Rosen's order (right, up, facing) with `facing = up × (p2 − p0)` is left-handed and has no quaternion (R-E3). A
//! triangle with collinear corners has no frame: [`TriangleFrame::is_sound`] is false, and [`TriangleFrame::or_last`]
//! keeps the last valid frame. Specification: mathematics 3.12 (R7, R24).

use glam::{DMat3, DQuat, DVec3};

use crate::math::arithmetic::Arithmetic;
use crate::math::lane_rotation::{LaneMatrix, LaneVector};

/// Frame of a triangle per lane, with the lengths that its rotation depends on.
#[derive(Clone, Copy)]
pub struct TriangleFrame<V: Arithmetic> {
    /// Position of corner 0, meters.
    pub origin: LaneVector<V>,
    /// Right, up (corner 0 to corner 1) and facing, in world axes.
    pub axes: LaneMatrix<V>,
    /// Lanes whose corners are not collinear.
    pub is_sound: V::Mask,
    /// `L`: distance from corner 0 to corner 1, meters.
    length: V,
    /// `w`: distance of corner 2 from the line of corners 0 and 1, meters.
    across: V,
    /// `t`: coordinate of corner 2 along that line, meters.
    along: V,
}

/// Relative distance from the line of corners 0 and 1 below which corner 2 counts as collinear.
const IN_LINE: f64 = 1e-9;

impl<V: Arithmetic> TriangleFrame<V> {
    /// Frame of a triangle with these corners.
    #[inline(always)]
    pub fn of(corners: [LaneVector<V>; 3]) -> Self {
        let [origin, end, third] = corners;
        let (edge, side) = (end.minus(origin), third.minus(origin));
        let length = edge.dot(edge).sqrt();
        let one = length.like(1.0);
        let up = edge.scaled(one / length);
        let normal = side.cross(up);
        let across = normal.dot(normal).sqrt();
        let facing = normal.scaled(one / across);
        // A second orthogonalization: the product of nearly parallel vectors is not orthogonal to rounding.
        let facing = facing.minus(up.scaled(up.dot(facing)));
        let facing = facing.scaled(one / facing.dot(facing).sqrt());
        let axes = LaneMatrix { columns: [up.cross(facing), up, facing] };
        Self { origin, axes, is_sound: (length * IN_LINE).is_below(across), length, across, along: side.dot(up) }
    }

    /// Replaces the axes by those of `last` in lanes where this frame is not sound; the origin stays.
    #[inline(always)]
    pub fn or_last(self, last: &Self) -> Self {
        let pick = |now: V, then: V| V::select(self.is_sound, now, then);
        let axis = |i: usize| LaneVector::select(self.is_sound, self.axes.columns[i], last.axes.columns[i]);
        Self {
            origin: self.origin,
            axes: LaneMatrix { columns: [axis(0), axis(1), axis(2)] },
            is_sound: V::either(self.is_sound, last.is_sound),
            length: pick(self.length, last.length),
            across: pick(self.across, last.across),
            along: pick(self.along, last.along),
        }
    }

    /// `ω`: small rotation vector, in world axes, for small moves of the corners.
    #[inline(always)]
    pub fn turn(&self, moves: [LaneVector<V>; 3]) -> LaneVector<V> {
        let [right, up, facing] = self.axes.columns;
        let (end, third) = (moves[1].minus(moves[0]), moves[2].minus(moves[0]));
        let (sideways, outwards) = (right.dot(end) / self.length, facing.dot(end) / self.length);
        let roll = (self.along * outwards - facing.dot(third)) / self.across;
        right.scaled(outwards).minus(facing.scaled(sideways)).plus(up.scaled(roll))
    }

    /// `A_iᵀ n`: forces at the corners that sum to zero and have the moment `torque`.
    #[inline(always)]
    pub fn torque_shares(&self, torque: LaneVector<V>) -> [LaneVector<V>; 3] {
        let [right, up, facing] = self.axes.columns;
        let roll = up.dot(torque) / self.across;
        let outwards = (right.dot(torque) + self.along * roll) / self.length;
        let end = facing.scaled(outwards).minus(right.scaled(facing.dot(torque) / self.length));
        let third = facing.scaled(-roll);
        let zero = LaneVector { x: roll.like(0.0), y: roll.like(0.0), z: roll.like(0.0) };
        [zero.minus(end).minus(third), end, third]
    }

    /// `Σ B_i δp_i`: displacement of a point fixed to the triangle for small moves of the corners.
    #[inline(always)]
    pub fn point_move(&self, point: LaneVector<V>, moves: [LaneVector<V>; 3]) -> LaneVector<V> {
        moves[0].plus(self.turn(moves).cross(point.minus(self.origin)))
    }

    /// `B_iᵀ F`: forces at the corners equivalent to `force` at `point`.
    #[inline(always)]
    pub fn force_shares(&self, point: LaneVector<V>, force: LaneVector<V>) -> [LaneVector<V>; 3] {
        let [first, second, third] = self.torque_shares(point.minus(self.origin).cross(force));
        [first.plus(force), second, third]
    }
}

impl TriangleFrame<f64> {
    /// Frame of a triangle with these corners in world axes, meters.
    pub fn at(corners: [DVec3; 3]) -> Self {
        Self::of(corners.map(lane))
    }

    /// Rotation matrix `R` from triangle axes to world axes.
    pub fn matrix(&self) -> DMat3 {
        let [right, up, facing] = self.axes.columns.map(vector);
        DMat3::from_cols(right, up, facing)
    }

    /// Rotation `R` from triangle axes to world axes, as a quaternion.
    pub fn rotation(&self) -> DQuat {
        DQuat::from_mat3(&self.matrix()).normalize()
    }

    /// Matrices `A_i` from corner moves to rotation, 1/m.
    pub fn turn_matrices(&self) -> [DMat3; 3] {
        let rows = DVec3::AXES.map(|axis| self.torque_shares(lane(axis)).map(vector));
        [0, 1, 2].map(|corner| DMat3::from_cols(rows[0][corner], rows[1][corner], rows[2][corner]).transpose())
    }

    /// Matrices `B_i` from corner moves to the displacement of `point` (meters, world axes), which is fixed to the
    /// triangle.
    pub fn point_matrices(&self, point: DVec3) -> [DMat3; 3] {
        let rows = DVec3::AXES.map(|axis| self.force_shares(lane(point), lane(axis)).map(vector));
        [0, 1, 2].map(|corner| DMat3::from_cols(rows[0][corner], rows[1][corner], rows[2][corner]).transpose())
    }
}

/// Converts a vector to one lane.
#[inline(always)]
pub(crate) fn lane(vector: DVec3) -> LaneVector<f64> {
    LaneVector { x: vector.x, y: vector.y, z: vector.z }
}

/// Converts one lane to a vector.
#[inline(always)]
pub(crate) fn vector(lane: LaneVector<f64>) -> DVec3 {
    DVec3::new(lane.x, lane.y, lane.z)
}

#[cfg(test)]
#[path = "frame_tests.rs"]
mod tests;
