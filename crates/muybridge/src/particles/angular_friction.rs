//! Angular friction between two triangles: viscous, sticking, and Coulomb friction with a torque limit.
//!
//! ```text
//! the turn of a substep:  φ = log(R2 M R1ᵀ),   M = R2*ᵀ R1* one substep before                         3.15
//! viscous    the share k = 1 − e^{−c h} of φ is taken back; the source gives k itself, c = −ln(1 − k)/h
//! sticking   k = 1 where ‖φ‖ < ω_s h
//! Coulomb    Λ' = clamp(Λ − K⁻¹ φ),   ‖Λ'‖ ≤ τ_max h²,   K = Σ w_i G_i G_iᵀ,   x_i += w_i G_iᵀ (Λ' − Λ)
//!            G_i = −A_i for corners of triangle 1, +A_i for those of triangle 2; Λ/h² is the torque
//! ```
//! Viscous and sticking friction act once per substep. Coulomb friction accumulates Λ over the passes: it applies the
//! torque that stops the relative rotation, up to the torque limit. This is true static friction.
//! Specification: mathematics 3.15, 4.7 (R15, R16).

use glam::{DMat3, DVec3};

use super::model::Orientation;
use super::orientation::{Offset, Split, middle, turned_apart};
use super::projection::Correction;

/// Share of a relative rotation that friction removes: `turned` radians in `seconds`.
pub fn share(orientation: &Orientation, turned: f64, seconds: f64) -> f64 {
    if turned < orientation.stick * seconds { 1.0 } else { -libm::expm1(-orientation.friction * seconds) }
}

/// Viscous and sticking friction along the gradient, once per substep of `seconds`. `previous` holds the corners one
/// substep before. `None` without friction, without rotation, or if a triangle is degenerate.
pub fn slowed(
    orientation: &Orientation,
    corners: &[DVec3; 6],
    previous: &[DVec3; 6],
    inverse_masses: &[f64; 6],
    seconds: f64,
) -> Option<Correction<f64, 6>> {
    let offset = turn_since(orientation, corners, previous)?;
    let angle = offset.angle(&orientation.particles());
    let weight = angle.weight(inverse_masses);
    let share = share(orientation, angle.value, seconds);
    if weight <= 0.0 || share <= 0.0 {
        return None;
    }
    let multiplier = -share * angle.value / weight;
    Some(Correction { moves: angle.moves(multiplier, inverse_masses), multiplier })
}

/// Viscous and sticking friction by rotating the triangles, as in the source: displacement of each corner, meters.
pub fn slowed_by_rotation(
    orientation: &Orientation,
    corners: &[DVec3; 6],
    previous: &[DVec3; 6],
    masses: &[f64; 6],
    seconds: f64,
) -> Option<[DVec3; 6]> {
    let turn = turn_since(orientation, corners, previous)?.turn;
    let share = share(orientation, turn.length(), seconds);
    if share <= 0.0 {
        return None;
    }
    turned_apart(corners, masses, turn * share, Split::Axis)
}

fn turn_since(orientation: &Orientation, corners: &[DVec3; 6], previous: &[DVec3; 6]) -> Option<Offset> {
    if orientation.friction <= 0.0 && orientation.stick <= 0.0 {
        return None;
    }
    Offset::from(middle(previous)?, corners).filter(|offset| offset.turn != DVec3::ZERO)
}

/// Correction by Coulomb friction.
#[derive(Clone, Copy, Debug)]
pub struct Friction<const N: usize> {
    /// Displacement of each particle, meters.
    pub moves: [DVec3; N],
    /// Accumulated multiplier `Λ` after this correction, kg m² rad: torque times the square of the substep.
    pub multiplier: DVec3,
}

/// Coulomb friction between two triangles. `greatest` is `τ_max h²`; `multiplier` is zero in the first pass of a
/// substep. `None` if a triangle is degenerate or both are immovable.
pub fn coulomb(
    particles: &[usize; 6],
    corners: &[DVec3; 6],
    previous: &[DVec3; 6],
    inverse_masses: &[f64; 6],
    greatest: f64,
    multiplier: DVec3,
) -> Option<Friction<6>> {
    let offset = Offset::from(middle(previous)?, corners)?;
    let rows = DVec3::AXES.map(|axis| offset.gradient(axis, particles));
    let levers = core::array::from_fn(|i| DMat3::from_cols(rows[0][i], rows[1][i], rows[2][i]));
    coulomb_by_levers(&levers, inverse_masses, offset.turn, greatest, multiplier)
}

/// Coulomb friction against the relative rotation `turned` (radians, world axes). `levers[i]` is `G_iᵀ`: force on
/// particle i per newton meter of torque between the bodies. `None` if the bodies cannot rotate.
pub fn coulomb_by_levers<const N: usize>(
    levers: &[DMat3; N],
    inverse_masses: &[f64; N],
    turned: DVec3,
    greatest: f64,
    multiplier: DVec3,
) -> Option<Friction<N>> {
    let mut yielding = DMat3::ZERO;
    for (lever, inverse_mass) in levers.iter().zip(inverse_masses) {
        yielding += lever.transpose() * *lever * *inverse_mass;
    }
    let size = yielding.x_axis.x + yielding.y_axis.y + yielding.z_axis.z;
    if yielding.determinant().is_nan() || yielding.determinant() <= 1e-18 * size * size * size {
        return None;
    }
    let wanted = multiplier - yielding.inverse() * turned;
    let kept = wanted.clamp_length_max(greatest.max(0.0));
    let moves = core::array::from_fn(|i| levers[i] * (kept - multiplier) * inverse_masses[i]);
    Some(Friction { moves, multiplier: kept })
}

/// Rotational inertia of a rigid body of `N` particles. Forces `f_i = m_i (J⁻¹ n) × r_i` rotate it without strain by a
/// torque `n`. As levers, `G_iᵀ = −m_i [r_i] J⁻¹` give `Σ G_i δp_i`, the rotation with the angular momentum of the
/// moves `δp`. Since `Σ G_i G_iᵀ / m_i = J⁻¹`, the levers need not be written out.
#[derive(Clone, Copy, Debug)]
pub struct Rotor<const N: usize> {
    masses: [f64; N],
    /// Offset of each particle from the center of mass, meters.
    arms: [DVec3; N],
    /// J⁻¹ about the center of mass, world axes, 1/(kg m²): rotation per torque multiplier.
    pub yielding: DMat3,
}

impl<const N: usize> Rotor<N> {
    /// Creates the rotor of particles at `positions` (meters, world) with `masses` (kg). `None` for collinear masses
    /// and for an immovable body.
    #[inline(always)]
    pub fn new(positions: &[DVec3; N], masses: &[f64; N]) -> Option<Self> {
        let mass: f64 = masses.iter().sum();
        if !mass.is_finite() || mass <= 0.0 {
            return None;
        }
        let mut center = DVec3::ZERO;
        for (position, mass) in positions.iter().zip(masses) {
            center += *position * *mass;
        }
        center /= mass;
        // A loop, because `map` takes twice as long here.
        let mut arms = *positions;
        for arm in &mut arms {
            *arm -= center;
        }
        let (mut squares, mut products) = (DVec3::ZERO, DVec3::ZERO);
        for (arm, mass) in arms.iter().zip(masses) {
            squares += *arm * *arm * *mass;
            products += DVec3::new(arm.y * arm.z, arm.z * arm.x, arm.x * arm.y) * *mass;
        }
        let size = 2.0 * (squares.x + squares.y + squares.z);
        let (xx, yy, zz) = (squares.y + squares.z, squares.z + squares.x, squares.x + squares.y);
        let DVec3 { x: yz, y: zx, z: xy } = -products;
        // The adjugate of a symmetric matrix is symmetric.
        let diagonal = DVec3::new(yy * zz - yz * yz, zz * xx - zx * zx, xx * yy - xy * xy);
        let beside = DVec3::new(zx * xy - xx * yz, xy * yz - yy * zx, yz * zx - zz * xy);
        let determinant = xx * diagonal.x + xy * beside.z + zx * beside.y;
        if determinant <= 1e-18 * size * size * size {
            return None;
        }
        let (diagonal, beside) = (diagonal / determinant, beside / determinant);
        let yielding = DMat3::from_cols(
            DVec3::new(diagonal.x, beside.z, beside.y),
            DVec3::new(beside.z, diagonal.y, beside.x),
            DVec3::new(beside.y, beside.x, diagonal.z),
        );
        Some(Self { masses: *masses, arms, yielding })
    }

    /// Rotation (radians) with the angular momentum of the motion from `before` to `now`, meters.
    #[inline(always)]
    pub fn turned(&self, before: &[DVec3; N], now: &[DVec3; N]) -> DVec3 {
        let mut momentum = DVec3::ZERO;
        for i in 0..N {
            momentum += self.arms[i].cross(now[i] - before[i]) * self.masses[i];
        }
        self.yielding * momentum
    }

    /// Displacement of each particle when a torque multiplier (kg m² rad) rotates the body, meters.
    #[inline(always)]
    pub fn moves(&self, torque: DVec3) -> [DVec3; N] {
        let turn = self.yielding * torque;
        let mut moves = self.arms;
        for by in &mut moves {
            *by = turn.cross(*by);
        }
        moves
    }
}

/// Relative rotation of two rigid bodies in a substep.
#[derive(Clone, Copy, Debug)]
pub struct Turn<const N: usize> {
    /// Rotors of parent and child; `None` for collinear masses and for an immovable body.
    rotors: [Option<Rotor<N>>; 2],
    /// Rotation of the child relative to the parent since the last substep, radians, world axes.
    pub turned: DVec3,
    /// Relative rotation per torque multiplier between the bodies, 1/(kg m²), world axes.
    pub yielding: DMat3,
}

impl<const N: usize> Turn<N> {
    /// Computes the relative rotation of bodies whose particles moved from `before` to `now` (meters, world), with
    /// `masses` in kg.
    #[inline(always)]
    pub fn new(before: &[[DVec3; N]; 2], now: &[[DVec3; N]; 2], masses: &[[f64; N]; 2]) -> Self {
        let rotors = [Rotor::new(&now[0], &masses[0]), Rotor::new(&now[1], &masses[1])];
        let (mut turned, mut yielding) = (DVec3::ZERO, DMat3::ZERO);
        if let Some(rotor) = &rotors[0] {
            turned -= rotor.turned(&before[0], &now[0]);
            yielding += rotor.yielding;
        }
        if let Some(rotor) = &rotors[1] {
            turned += rotor.turned(&before[1], &now[1]);
            yielding += rotor.yielding;
        }
        Self { rotors, turned, yielding }
    }

    /// Torque multiplier on the child (kg m² rad) that removes `share` of the relative rotation. It keeps linear and
    /// angular momentum and adds no kinetic energy. `None` if one of the bodies cannot rotate.
    #[inline(always)]
    pub fn slowed(&self, share: f64) -> Option<DVec3> {
        if share <= 0.0 || self.rotors.iter().any(Option::is_none) {
            return None;
        }
        let torque = self.yielding.inverse() * self.turned * -share;
        torque.is_finite().then_some(torque)
    }

    /// Displacement of all particles by a torque multiplier on the child and its reaction on the parent, meters.
    #[inline(always)]
    pub fn moves(&self, torque: DVec3) -> [[DVec3; N]; 2] {
        let of =
            |rotor: &Option<Rotor<N>>, torque| rotor.as_ref().map_or([DVec3::ZERO; N], |rotor| rotor.moves(torque));
        [of(&self.rotors[0], -torque), of(&self.rotors[1], torque)]
    }
}

#[cfg(test)]
#[path = "angular_friction_tests.rs"]
mod tests;
