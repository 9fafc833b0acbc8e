//! Inertia tensors: rotation, parallel axes, principal moments, and validity.
//!
//! ```text
//! rotated         I' = R I Rᵀ = Σ_a I_a r_a r_aᵀ for principal moments I_a about the columns r_a of R
//! parallel axis   I_o = I_com + m ((d·d) 1 − d dᵀ)
//! second moments  Σ = ∫ ρ x xᵀ dV,   I = tr(Σ) 1 − Σ,   Σ = ½ tr(I) 1 − I
//! valid           I symmetric and positive definite, Σ positive semidefinite: I1 + I2 ≥ I3
//! ```
//! Specification: mathematics 2.2 (H4, Z4, Z26). Off-diagonals are tensor elements, the negatives of products of inertia.

use glam::{DMat3, DQuat, DVec3};
use thiserror::Error;

/// Relative tolerance of the validity tests, for tensors printed with few digits.
const SLACK: f64 = 1e-6;

/// Reasons why a matrix is not an inertia tensor.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum TensorError {
    /// An entry is infinite or NaN.
    #[error("the inertia has an entry that is not a finite number")]
    NotFinite,
    /// Entries across the diagonal differ.
    #[error("the inertia is not symmetric")]
    NotSymmetric,
    /// A principal moment is zero or negative.
    #[error("the inertia is not positive definite: every principal moment must be greater than 0")]
    NotPositiveDefinite,
}

/// Physical realism of a valid tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Realism {
    /// Some rigid body has this inertia.
    OfABody,
    /// No rigid body has this inertia, because one principal moment exceeds the sum of the others; set by hand for
    /// effect.
    ForEffect,
}

/// Tensor of a body turned by `rotation`: `R I Rᵀ`.
pub fn rotated(inertia: DMat3, rotation: DQuat) -> DMat3 {
    let r = DMat3::from_quat(rotation);
    symmetric(r * inertia * r.transpose())
}

/// Tensor with principal moments `moments` about the axes of `rotation`.
pub fn from_principal(moments: DVec3, rotation: DQuat) -> DMat3 {
    rotated(DMat3::from_diagonal(moments), rotation)
}

/// Contribution of a point mass `mass` (kg) at `offset` (m) to the tensor about the origin.
pub fn of_point(mass: f64, offset: DVec3) -> DMat3 {
    (DMat3::from_diagonal(DVec3::splat(offset.length_squared())) - outer(offset, offset)) * mass
}

/// Second moments `∫ ρ x xᵀ dV` of a tensor, kg m².
pub fn second_moments(inertia: DMat3) -> DMat3 {
    DMat3::from_diagonal(DVec3::splat(0.5 * trace(inertia))) - inertia
}

/// Inertia tensor from second moments: the inverse of [`second_moments`].
pub fn from_second_moments(moments: DMat3) -> DMat3 {
    DMat3::from_diagonal(DVec3::splat(trace(moments))) - moments
}

/// Validates a tensor given by a user. A negative or singular tensor is an error; the result says whether a body can
/// have it.
pub fn check(inertia: DMat3) -> Result<Realism, TensorError> {
    if !inertia.is_finite() {
        return Err(TensorError::NotFinite);
    }
    let largest = inertia.to_cols_array().into_iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    let skew = inertia - inertia.transpose();
    if skew.to_cols_array().into_iter().any(|v| v.abs() > SLACK * largest) {
        return Err(TensorError::NotSymmetric);
    }
    let [least, middle, greatest] = principal_moments(inertia);
    if least <= 0.0 {
        return Err(TensorError::NotPositiveDefinite);
    }
    Ok(if least + middle >= greatest * (1.0 - SLACK) { Realism::OfABody } else { Realism::ForEffect })
}

/// Principal moments in ascending order, kg m².
pub fn principal_moments(inertia: DMat3) -> [f64; 3] {
    let mut moments = principal(inertia).0.to_array();
    moments.sort_by(f64::total_cmp);
    moments
}

/// Principal moments, and the principal axes as columns of a rotation matrix. Cyclic Jacobi rotations keep the relative
/// precision of small moments.
pub fn principal(inertia: DMat3) -> (DVec3, DMat3) {
    let mut a = symmetric(inertia);
    let mut axes = DMat3::IDENTITY;
    for _ in 0..16 {
        let off = a.y_axis.x.abs() + a.z_axis.x.abs() + a.z_axis.y.abs();
        if off == 0.0 || !off.is_finite() {
            break;
        }
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            let turn = jacobi_rotation(a.col(p)[p], a.col(q)[q], a.col(q)[p], p, q);
            a = symmetric(turn.transpose() * a * turn);
            a.col_mut(q)[p] = 0.0;
            a.col_mut(p)[q] = 0.0;
            axes *= turn;
        }
    }
    (DVec3::new(a.x_axis.x, a.y_axis.y, a.z_axis.z), axes)
}

/// Rotation in the plane of axes `p` and `q` that zeroes the off-diagonal `apq` (Golub & Van Loan 8.5.2).
fn jacobi_rotation(app: f64, aqq: f64, apq: f64, p: usize, q: usize) -> DMat3 {
    let mut turn = DMat3::IDENTITY;
    if apq != 0.0 {
        let tau = (aqq - app) / (2.0 * apq);
        let t = tau.signum() / (tau.abs() + (1.0 + tau * tau).sqrt());
        let c = 1.0 / (1.0 + t * t).sqrt();
        turn.col_mut(p)[p] = c;
        turn.col_mut(q)[q] = c;
        turn.col_mut(q)[p] = t * c;
        turn.col_mut(p)[q] = -t * c;
    }
    turn
}

/// Outer product `a bᵀ`.
pub(crate) fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

fn trace(m: DMat3) -> f64 {
    m.x_axis.x + m.y_axis.y + m.z_axis.z
}

fn symmetric(m: DMat3) -> DMat3 {
    (m + m.transpose()) * 0.5
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::rotation::exp;

    #[test]
    fn h4_turning_a_body_leaves_its_principal_moments() {
        let moments = DVec3::new(0.3, 1.1, 1.2);
        let turned = from_principal(moments, exp(DVec3::new(0.4, -1.3, 0.8)));
        for (found, expected) in principal_moments(turned).into_iter().zip(moments.to_array()) {
            assert!((found - expected).abs() < 1e-13, "{found} {expected}");
        }
    }

    #[test]
    fn z4_the_rotated_tensor_is_the_sum_over_principal_axes() {
        let (moments, rotation) = (DVec3::new(0.3, 1.1, 1.2), exp(DVec3::new(-1.0, 0.3, 2.0)));
        let r = DMat3::from_quat(rotation);
        let sum = outer(r.x_axis, r.x_axis) * moments.x
            + outer(r.y_axis, r.y_axis) * moments.y
            + outer(r.z_axis, r.z_axis) * moments.z;
        assert!(from_principal(moments, rotation).abs_diff_eq(sum, 1e-14));
    }

    #[test]
    fn principal_axes_diagonalise_the_tensor() {
        let inertia = from_principal(DVec3::new(1e-6, 2.0, 2.0), exp(DVec3::new(0.1, 0.2, 0.3)));
        let (moments, axes) = principal(inertia);
        assert!((axes * DMat3::from_diagonal(moments) * axes.transpose()).abs_diff_eq(inertia, 1e-14));
        assert!((axes.determinant() - 1.0).abs() < 1e-14);
    }

    #[test]
    fn second_moments_and_inertia_say_the_same() {
        let inertia = from_principal(DVec3::new(0.3, 1.1, 1.2), exp(DVec3::new(-1.0, 0.3, 2.0)));
        assert!(from_second_moments(second_moments(inertia)).abs_diff_eq(inertia, 1e-15));
    }

    #[test]
    fn z26_a_tensor_no_body_has_is_accepted_and_named_so() {
        assert_eq!(check(DMat3::from_diagonal(DVec3::new(1.0, 1.0, 3.0))), Ok(Realism::ForEffect));
        assert_eq!(check(DMat3::from_diagonal(DVec3::new(1.0, 1.0, 2.0))), Ok(Realism::OfABody));
    }

    #[test]
    fn x14_singular_skew_and_infinite_tensors_are_errors() {
        assert_eq!(check(DMat3::from_diagonal(DVec3::new(0.0, 1.0, 1.0))), Err(TensorError::NotPositiveDefinite));
        assert_eq!(check(DMat3::from_diagonal(DVec3::new(1.0, f64::NAN, 1.0))), Err(TensorError::NotFinite));
        let mut skew = DMat3::IDENTITY;
        skew.y_axis.x = 0.1;
        assert_eq!(check(skew), Err(TensorError::NotSymmetric));
    }
}
