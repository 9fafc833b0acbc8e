//! Inverse kinematics of three or more long bones, or a tail: damped least squares.
//!
//! ```text
//! e = goal − Σ v_i,   ρ_j = Σ_{i≥j} v_i,   (Σ (ρ² 1 − ρρᵀ) + λ 1) y = e,   θ_j = ρ_j × y      λ = 0.01 e² + rounding
//! ```
//!
//! θ_j is the rotation of joint j: of all rotations that move the end by e it has the smallest sum of squares (Wampler
//! 1986, IEEE Trans. Syst. Man Cybern. 16, 93–101). The number of steps is fixed, so the result is a smooth function of
//! pose and goal unless the chain is straight.

use glam::{DMat3, DQuat, DVec3};

use super::two_bone::{any_across, within_reach};
use crate::math::rotation::{about, exp};

/// Number of steps; damping decreases with the square of the error, so the last steps are Newton's.
const STEPS: usize = 64;
/// Bend of a joint in a straight chain, which gives the iteration a direction, radians.
const NUDGE: f64 = 0.05;

/// Rotations of all bone vectors `parts` (world) that bring their sum to `to`, or as near as possible.
///
/// A straight chain that must become shorter first bends its second joint by 0.05 rad about `hinge` (about some axis
/// perpendicular to the chain if that is unknown).
pub(crate) fn solve(parts: &[DVec3], to: DVec3, hinge: Option<DVec3>) -> Vec<DQuat> {
    let length: f64 = parts.iter().map(|part| part.length()).sum();
    let longest = parts.iter().map(|part| part.length()).fold(0.0, f64::max);
    let now: DVec3 = parts.iter().sum();
    let wanted = within_reach(to.length(), now.length(), length).max(2.0 * longest - length);
    let to = to.normalize_or(now.normalize_or(DVec3::NEG_Y)) * wanted;
    let mut turns = vec![DQuat::IDENTITY; parts.len()];
    if now.length() > length * (1.0 - 1e-9) && wanted < now.length() {
        let axis = hinge.map(|axis| axis - now * (axis.dot(now) / now.length_squared())).and_then(DVec3::try_normalize);
        turns[1..].fill(about(axis.unwrap_or_else(|| any_across(now)), NUDGE));
    }
    for _ in 0..STEPS {
        step(parts, to, length, &mut turns);
    }
    turns
}

fn step(parts: &[DVec3], to: DVec3, length: f64, turns: &mut [DQuat]) {
    let placed: Vec<DVec3> = parts.iter().zip(turns.iter()).map(|(part, turn)| *turn * *part).collect();
    let error = to - placed.iter().sum::<DVec3>();
    let mut levers = placed;
    for at in (0..levers.len() - 1).rev() {
        levers[at] = levers[at] + levers[at + 1];
    }
    let damping = 0.01 * error.length_squared() + 1e-15 * length * length;
    let matrix = levers.iter().fold(DMat3::from_diagonal(DVec3::splat(damping)), |sum, &lever| {
        let outer = DMat3::from_cols(lever * lever.x, lever * lever.y, lever * lever.z);
        sum + DMat3::from_diagonal(DVec3::splat(lever.length_squared())) - outer
    });
    let pull = matrix.inverse() * error;
    let mut turn = DVec3::ZERO;
    for (lever, placed) in levers.iter().zip(turns.iter_mut()) {
        turn += lever.cross(pull);
        *placed = (exp(turn) * *placed).normalize();
    }
}
