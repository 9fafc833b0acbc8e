//! Frames of triangles of particles, how they turn when the particles move, and how forces reach the particles.
//!
//! ```text
//! u = unit(p1 − p0),  f = unit((p2 − p0) × u),  r = u × f,   R = [r u f],  det R = +1
//! L = ‖p1 − p0‖,  p2 − p0 = w r + t u
//! ω = Σ A_i δp_i,   A_1 = (r fᵀ − f rᵀ)/L + t/(w L) u fᵀ,   A_2 = −u fᵀ/w,   A_0 = −A_1 − A_2
//! P = p0 + R X fixed to the triangle:  δP = Σ B_i δp_i,   B_i = δ_{i0} 1 − [P − p0] A_i
//! torque n at the triangle:  f_i = A_iᵀ n,    Σ f_i = 0,  Σ p_i × f_i = n
//! force F at P:              f_i = B_iᵀ F,    Σ f_i = F,  Σ p_i × f_i = P × F
//! ```
//! Rosen's order (right, up, facing) with `facing = up × (p2 − p0)` is left-handed and has no quaternion (R-E3).
//! A triangle whose corners are in line has no frame: [`TriangleFrame::is_sound`] says so, and [`TriangleFrame::or_last`]
//! keeps the last that had one. Specification: mathematics 3.12 (R7, R24).

use glam::{DMat3, DQuat, DVec3};

use crate::math::arithmetic::Arithmetic;
use crate::math::lane_rotation::{LaneMatrix, LaneVector};

/// The axes of a triangle per lane, and what its turning is computed from.
#[derive(Clone, Copy)]
pub struct TriangleFrame<V: Arithmetic> {
    /// Where corner 0 is, metres.
    pub origin: LaneVector<V>,
    /// Right, up (corner 0 to corner 1) and facing, in world axes.
    pub axes: LaneMatrix<V>,
    /// Where the corners are not in line.
    pub is_sound: V::Mask,
    /// `L`: from corner 0 to corner 1.
    length: V,
    /// `w`: from the line of corners 0 and 1 to corner 2.
    across: V,
    /// `t`: how far corner 2 is along that line.
    along: V,
}

/// Corner 2 is in line with the others if it is nearer to their line than this share of their distance.
const IN_LINE: f64 = 1e-9;

impl<V: Arithmetic> TriangleFrame<V> {
    /// The frame of three positions.
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
        // Once more orthogonal: the product of nearly parallel vectors is not, to rounding.
        let facing = facing.minus(up.scaled(up.dot(facing)));
        let facing = facing.scaled(one / facing.dot(facing).sqrt());
        let axes = LaneMatrix { columns: [up.cross(facing), up, facing] };
        Self { origin, axes, is_sound: (length * IN_LINE).is_below(across), length, across, along: side.dot(up) }
    }

    /// This frame, or the axes of `last` at this place in lanes where this one is not sound.
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

    /// `ω`: the small rotation vector, in world axes, of small moves of the corners.
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

    /// `Σ B_i δp_i`: how a point fixed to the triangle moves with small moves of the corners.
    #[inline(always)]
    pub fn point_move(&self, point: LaneVector<V>, moves: [LaneVector<V>; 3]) -> LaneVector<V> {
        moves[0].plus(self.turn(moves).cross(point.minus(self.origin)))
    }

    /// `B_iᵀ F`: forces at the corners that do what `force` does at `point`.
    #[inline(always)]
    pub fn force_shares(&self, point: LaneVector<V>, force: LaneVector<V>) -> [LaneVector<V>; 3] {
        let [first, second, third] = self.torque_shares(point.minus(self.origin).cross(force));
        [first.plus(force), second, third]
    }
}

impl TriangleFrame<f64> {
    /// The frame of three positions in world axes, metres.
    pub fn at(corners: [DVec3; 3]) -> Self {
        Self::of(corners.map(lane))
    }

    /// `R`, from the axes of the triangle to those of the world.
    pub fn matrix(&self) -> DMat3 {
        let [right, up, facing] = self.axes.columns.map(vector);
        DMat3::from_cols(right, up, facing)
    }

    /// The same as a quaternion.
    pub fn rotation(&self) -> DQuat {
        DQuat::from_mat3(&self.matrix()).normalize()
    }

    /// `A_i`, per metre.
    pub fn turn_matrices(&self) -> [DMat3; 3] {
        let rows = DVec3::AXES.map(|axis| self.torque_shares(lane(axis)).map(vector));
        [0, 1, 2].map(|corner| DMat3::from_cols(rows[0][corner], rows[1][corner], rows[2][corner]).transpose())
    }

    /// `B_i` of a point fixed to the triangle, metres in world axes.
    pub fn point_matrices(&self, point: DVec3) -> [DMat3; 3] {
        let rows = DVec3::AXES.map(|axis| self.force_shares(lane(point), lane(axis)).map(vector));
        [0, 1, 2].map(|corner| DMat3::from_cols(rows[0][corner], rows[1][corner], rows[2][corner]).transpose())
    }
}

/// One vector as a lane.
#[inline(always)]
pub(crate) fn lane(vector: DVec3) -> LaneVector<f64> {
    LaneVector { x: vector.x, y: vector.y, z: vector.z }
}

/// The vector of a lane.
#[inline(always)]
pub(crate) fn vector(lane: LaneVector<f64>) -> DVec3 {
    DVec3::new(lane.x, lane.y, lane.z)
}

#[cfg(test)]
#[path = "frame_tests.rs"]
mod tests;
