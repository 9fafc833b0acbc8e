//! Relative orientation of two triangles, kept within an angle of a stored one: Rosen's constraint in two variants.
//!
//! ```text
//! at definition:  M = R2ᵀ R1, from the axes of the first triangle to those of the second
//! at each step:   Q = R2 M R1ᵀ,   φ = log Q,   θ = ‖φ‖ from 0 to π,   n = φ/θ,   ε = θ − θ_max
//! gradient:  ∇_{p of 1} θ = −A_iᵀ n,   ∇_{p of 2} θ = +A_iᵀ n                          A_i: see `frame`
//! rotation:  triangle 1 by φ1 and triangle 2 by −φ2, each about its center of mass; ε > 0 only
//!   by axis      φ_k = s_k ε n,   s1 = I2/(I1 + I2),   s2 = I1/(I1 + I2),   I_k = Σ m ‖n × (p − c_k)‖²
//!   by tensors   φ1 = (J1 + J2)⁻¹ J2 ε n,   φ2 = (J1 + J2)⁻¹ J1 ε n
//! ```
//! [`limit`] corrects along the gradient: it respects masses and particles that both triangles share, supports
//! compliance, and conserves linear and angular momentum to rounding. [`rotated`] is the source's variant: the
//! triangles rotate as rigid bodies and keep their shape. Split by axis, the angle is exact after one rotation, and the
//! component of angular momentum along n is kept. Split by tensors, all angular momentum is kept to second order in ε.
//! For softness the source scales ε by a share. The mean displacement is removed with the masses as weights.
//!
//! Errata of the source: it compares before it takes the magnitude (R-E4; θ has no sign), gives the negative angle
//! θ_max − θ that fits triangle 2 without saying so (R-E5), describes M both ways (R-E6), multiplies as for columns
//! (R-E7), has its limits in degrees (R-E8), splits by distance instead of mass × distance² (R-E9), and recenters
//! without masses (R-E10).
//! Specification: mathematics 3.14 (R9–R14).

use glam::{DMat3, DQuat, DVec3};

use super::frame::{TriangleFrame, lane, vector};
use super::model::Orientation;
use super::projection::{Correction, Measured};
use crate::math::rotation::{cross_matrix, exp, log};

/// Default limit, radians: the 60° of the source.
pub const MOST: f64 = core::f64::consts::FRAC_PI_3;

impl Orientation {
    /// Creates a constraint that keeps two triangles within 60° of their current relative orientation. `None` if a
    /// triangle is degenerate. Panics if a particle is not among `positions`.
    pub fn captured(first: [usize; 3], second: [usize; 3], positions: &[DVec3]) -> Option<Self> {
        let middle = middle(&core::array::from_fn(|i| positions[if i < 3 { first[i] } else { second[i - 3] }]))?;
        Some(Self { first, second, middle, most: MOST, compliance: 0.0, share: 1.0, friction: 0.0, stick: 0.0 })
    }

    /// The corners of the first triangle, then of the second.
    pub fn particles(&self) -> [usize; 6] {
        let ([a, b, c], [d, e, f]) = (self.first, self.second);
        [a, b, c, d, e, f]
    }
}

/// `M = R2ᵀ R1` of six positions, those of the first triangle first. `None` if a triangle is degenerate.
pub fn middle(corners: &[DVec3; 6]) -> Option<DQuat> {
    let [first, second] = frames(corners)?;
    Some((second.rotation().conjugate() * first.rotation()).normalize())
}

/// Deviation of two triangles from a relative orientation.
#[derive(Clone, Copy)]
pub struct Offset {
    /// `φ`: rotation vector that would bring triangle 1 to the stored orientation, radians, world axes.
    pub turn: DVec3,
    frames: [TriangleFrame<f64>; 2],
}

impl Offset {
    /// Deviation of six positions from `middle`. `None` if a triangle is degenerate.
    pub fn from(middle: DQuat, corners: &[DVec3; 6]) -> Option<Self> {
        let frames = frames(corners)?;
        let turn = log((frames[1].rotation() * middle * frames[0].rotation().conjugate()).normalize());
        Some(Self { turn, frames })
    }

    /// `θ` with its gradient. For a particle of both triangles the first entry holds the whole gradient, the second is
    /// zero.
    pub fn angle(&self, particles: &[usize; 6]) -> Measured<f64, 6> {
        let value = self.turn.length();
        let axis = if value > 0.0 { self.turn / value } else { DVec3::ZERO };
        Measured { value, gradient: self.gradient(axis, particles).map(lane) }
    }

    /// Gradient of `axis · φ` for small `φ`: of the rotation of triangle 2 relative to triangle 1 about `axis`.
    pub(crate) fn gradient(&self, axis: DVec3, particles: &[usize; 6]) -> [DVec3; 6] {
        let [a, b, c] = self.frames[0].torque_shares(lane(-axis)).map(vector);
        let [d, e, f] = self.frames[1].torque_shares(lane(axis)).map(vector);
        let mut gradient = [a, b, c, d, e, f];
        for (of_first, of_second) in (0..9).map(|pair| (pair / 3, 3 + pair % 3)) {
            if particles[of_first] == particles[of_second] {
                let twin = core::mem::take(&mut gradient[of_second]);
                gradient[of_first] += twin;
            }
        }
        gradient
    }
}

fn frames(corners: &[DVec3; 6]) -> Option<[TriangleFrame<f64>; 2]> {
    let [a, b, c, d, e, f] = *corners;
    let frames = [TriangleFrame::at([a, b, c]), TriangleFrame::at([d, e, f])];
    (frames[0].is_sound && frames[1].is_sound).then_some(frames)
}

/// Corrects the limit along its gradient. `inverse_masses` are in the order of [`Orientation::particles`], `softness`
/// is the compliance over the square of the substep, `multiplier` is 0 in the first pass of a substep. `None` inside
/// the limit, or if a triangle is degenerate.
pub fn limit(
    orientation: &Orientation,
    corners: &[DVec3; 6],
    inverse_masses: &[f64; 6],
    softness: f64,
    multiplier: f64,
) -> Option<Correction<f64, 6>> {
    let offset = Offset::from(orientation.middle, corners)?;
    if offset.turn.length() <= orientation.most && multiplier == 0.0 {
        return None;
    }
    let angle = offset.angle(&orientation.particles());
    Some(angle.kept_in([f64::NEG_INFINITY, orientation.most], *inverse_masses, softness, multiplier))
}

/// Division of a violation between the two triangles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Split {
    /// By the moments of inertia about the axis of the violation.
    Axis,
    /// By the inertia tensors.
    Tensor,
}

/// Corrects the limit by rotating the triangles: displacement of each corner, meters. `share` of the violation is
/// removed (1: all). `None` as in [`limit`]. A triangle with a corner of infinite mass stays.
pub fn rotated(
    orientation: &Orientation,
    corners: &[DVec3; 6],
    masses: &[f64; 6],
    share: f64,
    split: Split,
) -> Option<[DVec3; 6]> {
    let turn = Offset::from(orientation.middle, corners)?.turn;
    let angle = turn.length();
    if angle <= orientation.most {
        return None;
    }
    turned_apart(corners, masses, turn * ((angle - orientation.most) * share / angle), split)
}

/// Displacements that rotate triangle 1 relative to triangle 2 by `turn` (radians, world axes); triangle 2 takes the
/// reaction.
pub(crate) fn turned_apart(corners: &[DVec3; 6], masses: &[f64; 6], turn: DVec3, split: Split) -> Option<[DVec3; 6]> {
    let bodies =
        [0, 3].map(|at| TriangleInertia::of([0, 1, 2].map(|i| corners[at + i]), [0, 1, 2].map(|i| masses[at + i])));
    let turns = match bodies {
        [None, None] => return None,
        [Some(_), None] => [turn, DVec3::ZERO],
        [None, Some(_)] => [DVec3::ZERO, -turn],
        [Some(first), Some(second)] => match split {
            Split::Axis => {
                let (first, second) = (turn.dot(first.inertia * turn), turn.dot(second.inertia * turn));
                [turn * (second / (first + second)), turn * (-first / (first + second))]
            }
            Split::Tensor => {
                let inverse = (first.inertia + second.inertia).inverse();
                [inverse * (second.inertia * turn), -(inverse * (first.inertia * turn))]
            }
        },
    };
    Some(moves_of(corners, masses, &bodies, turns))
}

/// A triangle of three masses that rotates about its center of mass.
#[derive(Clone, Copy)]
struct TriangleInertia {
    center: DVec3,
    inertia: DMat3,
}

impl TriangleInertia {
    /// Mass properties of a triangle; `None` if it is immovable.
    fn of(corners: [DVec3; 3], masses: [f64; 3]) -> Option<Self> {
        let mass: f64 = masses.iter().sum();
        if !mass.is_finite() {
            return None;
        }
        let center = (0..3).map(|i| corners[i] * masses[i]).sum::<DVec3>() / mass;
        let mut inertia = DMat3::ZERO;
        for i in 0..3 {
            let arm = cross_matrix(corners[i] - center);
            inertia -= arm * arm * masses[i];
        }
        Some(Self { center, inertia })
    }
}

fn moves_of(
    corners: &[DVec3; 6],
    masses: &[f64; 6],
    bodies: &[Option<TriangleInertia>; 2],
    turns: [DVec3; 2],
) -> [DVec3; 6] {
    let mut moves = [DVec3::ZERO; 6];
    for (triangle, body) in bodies.iter().enumerate() {
        let (Some(body), rotation) = (body, exp(turns[triangle])) else { continue };
        let places = 3 * triangle..3 * triangle + 3;
        let (mut drift, mut mass) = (DVec3::ZERO, 0.0);
        for i in places.clone() {
            let arm = corners[i] - body.center;
            moves[i] = rotation * arm - arm;
            drift += moves[i] * masses[i];
            mass += masses[i];
        }
        for i in places {
            moves[i] -= drift / mass;
        }
    }
    moves
}

#[cfg(test)]
#[path = "orientation_tests.rs"]
mod tests;
