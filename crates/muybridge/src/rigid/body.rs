//! Mass properties of a rigid body: a mass and three principal moments, in the frame of its principal axes.
//!
//! ```text
//! I = Q diag(I1, I2, I3) Qᵀ          frame of the body: at its center of mass, along the columns of Q
//! I1 + I2 ≥ I3                       holds for every mass distribution; moments set by hand may violate it
//! ```
//! Specification: mathematics 2.2, 4.1 (H1, Z26). The triangle inequality is reported, not required: the equations of motion
//! need positive moments only.

use glam::{DMat3, DQuat, DVec3};
use thiserror::Error;

use crate::collision::{MassProperties, tensor};

/// Mass and principal moments of inertia of a rigid body.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Body {
    /// Mass, kilograms.
    pub mass: f64,
    /// Principal moments about x, y and z of the body's frame, kg m².
    pub moments: DVec3,
}

/// Principal frame of a body, written in a frame of the caller.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PrincipalFrame {
    /// Center of mass, meters.
    pub center: DVec3,
    /// Orientation of the principal axes.
    pub axes: DQuat,
}

/// Reasons why mass properties do not describe a rigid body.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
pub enum BodyError {
    /// The mass is not a positive number.
    #[error("the mass is {kilograms} kg; it must be a positive number")]
    Mass {
        /// Mass as given.
        kilograms: f64,
    },
    /// A principal moment is not a positive number.
    #[error("the principal moments are {} {} {} kg m²; they must be positive numbers", moments.x, moments.y, moments.z)]
    Moments {
        /// Moments as given or computed, kg m².
        moments: DVec3,
    },
    /// The center or the inertia has a component that is not finite.
    #[error("the center of mass or the inertia has a number that is not finite")]
    NotFinite,
}

impl Body {
    /// A body of `mass` (kg) with principal `moments` (kg m²), made by hand.
    pub fn new(mass: f64, moments: DVec3) -> Result<Self, BodyError> {
        if !(mass.is_finite() && mass > 0.0) {
            return Err(BodyError::Mass { kilograms: mass });
        }
        if !(moments.is_finite() && moments.min_element() > 0.0) {
            return Err(BodyError::Moments { moments });
        }
        Ok(Self { mass, moments })
    }

    /// Body with the given mass properties, and its principal frame in the frame of those properties.
    pub fn of(properties: &MassProperties) -> Result<(Self, PrincipalFrame), BodyError> {
        let &MassProperties { mass, center, inertia } = properties;
        if !(center.is_finite() && inertia.is_finite()) {
            return Err(BodyError::NotFinite);
        }
        let (moments, axes) = tensor::principal(inertia);
        let axes =
            if axes.determinant() < 0.0 { DMat3::from_cols(-axes.x_axis, axes.y_axis, axes.z_axis) } else { axes };
        let body = Self::new(mass, moments)?;
        Ok((body, PrincipalFrame { center, axes: DQuat::from_mat3(&axes).normalize() }))
    }

    /// Whether some distribution of mass has these moments: none is greater than the sum of the others.
    pub fn is_real(&self) -> bool {
        self.moments.element_sum() >= 2.0 * self.moments.max_element() * (1.0 - 1e-9)
    }
}

impl PrincipalFrame {
    /// World pose of the principal frame if the frame in which this one is written has the pose (`position`,
    /// `rotation`).
    pub fn placed(&self, position: DVec3, rotation: DQuat) -> (DVec3, DQuat) {
        (position + rotation * self.center, (rotation * self.axes).normalize())
    }

    /// World pose of the frame in which this one is written, from the pose of the principal frame.
    pub fn origin_of(&self, position: DVec3, rotation: DQuat) -> (DVec3, DQuat) {
        let turn = (rotation * self.axes.conjugate()).normalize();
        (position - turn * self.center, turn)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collision::shape::Shape;
    use crate::math::rotation::exp;

    #[test]
    fn h1_a_box_of_2_3_5_has_the_moments_85_72_5_32_5() {
        let shape = Shape::Box { half_extents: DVec3::new(1.0, 1.5, 2.5) };
        let turn = exp(DVec3::new(0.4, -1.1, 0.3));
        let properties = MassProperties::of_shape(&shape, 1.0).placed(DVec3::new(1.0, 2.0, 3.0), turn);
        let (body, frame) = Body::of(&properties).unwrap();
        assert!((body.mass - 30.0).abs() < 1e-12);
        let mut moments = body.moments.to_array();
        moments.sort_by(f64::total_cmp);
        for (found, expected) in moments.iter().zip([32.5, 72.5, 85.0]) {
            assert!((found - expected).abs() < 1e-11, "{found} {expected}");
        }
        let rotation = DMat3::from_quat(frame.axes);
        let back = rotation * DMat3::from_diagonal(body.moments) * rotation.transpose();
        assert!((back - properties.inertia).abs_diff_eq(DMat3::ZERO, 1e-10));
    }

    #[test]
    fn z26_moments_by_hand_are_taken_and_known_for_what_they_are() {
        assert!(!Body::new(1.0, DVec3::new(1.0, 1.0, 3.0)).unwrap().is_real());
        assert!(Body::new(1.0, DVec3::new(1.0, 2.0, 3.0)).unwrap().is_real());
        for (mass, moments) in [(0.0, DVec3::ONE), (f64::NAN, DVec3::ONE), (1.0, DVec3::new(1.0, 0.0, 1.0))] {
            assert!(Body::new(mass, moments).unwrap_err().to_string().contains("positive"));
        }
    }
}
