//! Exact solution of the block of a joint's rows, and the displacement that follows: works for every kind of joint.
//!
//! ```text
//! (J W Jᵀ + α̃) λ = −(C + α̃ λ_before)          up to six rows, Cholesky
//! δx = W Jᵀ λ:   p += δp,  R ← exp(δθ) R          pseudo-impulse Jᵀ λ: kg m and kg m²
//! K_r = J0⁻¹ + J1⁻¹                                J W Jᵀ of purely rotational rows
//! ```
//! A row that repeats others, or along which neither body can move, has no pivot and is left out. Rotation by one block
//! is bounded, or a gap of meters would spin a small body. Specification: mathematics 5.1, 5.2, 4.5.2 (Z17, Z21).

use core::ops::Range;

use glam::{DMat3, DVec3};

use crate::math::lane_rotation::{LaneRotation, LaneVector};
use crate::math::rotation::exp;
use crate::rigid::joint::{JointJacobian, MOST_ROWS};
use crate::rigid::motion::vector;
use crate::rigid::{Body, Momentum, Pose};

/// Mobility: response of a body to a pseudo-impulse, as inverse mass and inverse inertia, world axes.
#[derive(Clone, Copy, Debug)]
pub struct Mobility {
    /// Inverse mass, 1/kg.
    pub linear: DMat3,
    /// Inverse inertia, 1/(kg m²).
    pub angular: DMat3,
}

/// A pseudo-impulse (kg m, kg m²) or a displacement (meters, radians), world axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Screw {
    /// Linear part of the impulse, or translation of the center of mass.
    pub linear: DVec3,
    /// Moment about the center of mass, or rotation vector.
    pub angular: DVec3,
}

/// Solution of a block for its two bodies, parent first.
#[derive(Clone, Copy, Debug)]
pub struct Solution {
    /// Multiplier λ of each row.
    pub multipliers: [f64; MOST_ROWS],
    /// Pseudo-impulses Jᵀ λ.
    pub impulses: [Screw; 2],
    /// Displacements W Jᵀ λ.
    pub moves: [Screw; 2],
}

impl Mobility {
    /// Mobility of a fixed body: zero.
    pub const NONE: Self = Self { linear: DMat3::ZERO, angular: DMat3::ZERO };

    /// Mobility of a body at a pose.
    pub fn of(body: &Body, pose: &Pose<f64>) -> Self {
        let axes = pose.rotation.matrix().columns.map(vector);
        let scaled = DMat3::from_cols(axes[0] / body.moments.x, axes[1] / body.moments.y, axes[2] / body.moments.z);
        let angular = scaled * DMat3::from_cols(axes[0], axes[1], axes[2]).transpose();
        Self { linear: DMat3::from_diagonal(DVec3::splat(1.0 / body.mass)), angular }
    }

    /// Displacement by a pseudo-impulse.
    pub fn response(&self, impulse: Screw) -> Screw {
        Screw { linear: self.linear * impulse.linear, angular: self.angular * impulse.angular }
    }
}

impl Screw {
    pub(super) fn dot(self, other: Self) -> f64 {
        self.linear.dot(other.linear) + self.angular.dot(other.angular)
    }

    pub(super) fn plus(self, other: Self, factor: f64) -> Self {
        Self { linear: self.linear + other.linear * factor, angular: self.angular + other.angular * factor }
    }

    pub(super) fn is_finite(self) -> bool {
        self.linear.is_finite() && self.angular.is_finite()
    }
}

/// Solves the rows of `range` for the displacement that removes their errors. `softness` is α̃, m/(kg m) or rad/(kg
/// m²); errors of compliant rows include α̃ λ. `None` if the result is not finite.
pub fn solve(
    rows: &JointJacobian<f64>,
    range: Range<usize>,
    mobility: &[Mobility; 2],
    softness: f64,
) -> Option<Solution> {
    let count = range.len().min(MOST_ROWS);
    let mut by = [[Screw::default(); 2]; MOST_ROWS];
    let mut response = by;
    let mut multipliers = [0.0; MOST_ROWS];
    for (place, row) in range.clone().enumerate().take(count) {
        let linear = vector(rows.linear[row]);
        by[place] = [
            Screw { linear: -linear, angular: vector(rows.angular[0][row]) },
            Screw { linear, angular: vector(rows.angular[1][row]) },
        ];
        response[place] = [0, 1].map(|side| mobility[side].response(by[place][side]));
        multipliers[place] = -rows.error[row];
    }
    let mut matrix = [[0.0; MOST_ROWS]; MOST_ROWS];
    for i in 0..count {
        for j in 0..=i {
            matrix[i][j] = by[i][0].dot(response[j][0]) + by[i][1].dot(response[j][1]);
        }
        matrix[i][i] += softness;
    }
    cholesky(&mut matrix, &mut multipliers, count);
    let mut solution =
        Solution { multipliers: [0.0; MOST_ROWS], impulses: [Screw::default(); 2], moves: [Screw::default(); 2] };
    for (place, row) in range.enumerate().take(count) {
        solution.multipliers[row] = multipliers[place];
        for side in 0..2 {
            solution.impulses[side] = solution.impulses[side].plus(by[place][side], multipliers[place]);
            solution.moves[side] = solution.moves[side].plus(response[place][side], multipliers[place]);
        }
    }
    let is_finite = solution.moves.iter().chain(&solution.impulses).all(|screw| screw.is_finite());
    is_finite.then_some(solution)
}

/// Solves A x = b in place by Cholesky L Lᵀ; redundant rows get 0.
fn cholesky(a: &mut [[f64; MOST_ROWS]; MOST_ROWS], x: &mut [f64; MOST_ROWS], count: usize) {
    for j in 0..count {
        let whole = a[j][j];
        let pivot = (0..j).fold(whole, |pivot, k| pivot - a[j][k] * a[j][k]);
        // The diagonal stores reciprocals.
        let reciprocal = if pivot > whole * LEAST_PIVOT { 1.0 / libm::sqrt(pivot) } else { 0.0 };
        a[j][j] = reciprocal;
        for i in j + 1..count {
            let value = (0..j).fold(a[i][j], |value, k| value - a[i][k] * a[j][k]);
            a[i][j] = value * reciprocal;
        }
        x[j] = (0..j).fold(x[j], |value, k| value - a[j][k] * x[k]) * reciprocal;
    }
    for i in (0..count).rev() {
        x[i] = (i + 1..count).fold(x[i], |value, k| value - a[k][i] * x[k]) * a[i][i];
    }
}

/// Pivot ratio below which a row is redundant.
const LEAST_PIVOT: f64 = 1e-13;

/// Bodies moved by blocks, with the sum of the pseudo-impulses.
pub struct Moved<'a> {
    /// Mass properties of the bodies.
    pub bodies: &'a [Body],
    /// Poses of the bodies.
    pub poses: &'a mut [Pose<f64>],
    /// Pseudo-impulses on each body, kg m and kg m².
    pub impulses: &'a mut [Momentum<f64>],
}

impl Moved<'_> {
    /// Mobility of a body; zero for the world.
    pub fn mobility(&self, body: Option<usize>) -> Mobility {
        body.map_or(Mobility::NONE, |body| Mobility::of(&self.bodies[body], &self.poses[body]))
    }

    /// Moves both bodies, parent first; neither turns by more than `most` radians. Returns the share of the solution
    /// that was applied.
    pub fn apply(&mut self, ends: [Option<usize>; 2], solution: &Solution, most: f64) -> f64 {
        let turn = solution.moves[0].angular.length().max(solution.moves[1].angular.length());
        let share = if turn > most { most / turn } else { 1.0 };
        for (side, body) in ends.into_iter().enumerate() {
            let Some(body) = body else { continue };
            let (moved, impulse) = (solution.moves[side], solution.impulses[side]);
            displace(&mut self.poses[body], moved, share);
            let sum = &mut self.impulses[body];
            let like = |v: DVec3| LaneVector::splat((), v * share);
            *sum = sum.plus(Momentum { linear: like(impulse.linear), angular: like(impulse.angular) });
        }
        share
    }
}

/// Translates and rotates a pose. Components without motion keep their bits.
fn displace(pose: &mut Pose<f64>, moved: Screw, share: f64) {
    let mut place = pose.place();
    for axis in 0..3 {
        if moved.linear[axis] != 0.0 {
            place[axis] += moved.linear[axis] * share;
        }
    }
    pose.position = LaneVector::splat((), place);
    if moved.angular != DVec3::ZERO {
        pose.rotation = LaneRotation::splat((), (exp(moved.angular * share) * pose.turn()).normalize());
    }
}
