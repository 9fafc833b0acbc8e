//! Rigid body of a bone: mass properties and shapes.

use glam::{DMat3, DVec3};

use crate::collision::shape::PlacedShape;

/// Mass properties and shapes of one bone, in the bone's frame.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Body {
    /// Mass, kilograms; 0 for a bone without mass.
    pub mass: f64,
    /// Center of mass in the bone's frame, meters.
    pub center: DVec3,
    /// Inertia about the center of mass, bone axes, kg m². Symmetric; the off-diagonals are tensor elements.
    pub inertia: DMat3,
    /// Collision shapes of this bone, also drawn in pictures.
    pub shapes: Vec<PlacedShape>,
}

impl Body {
    /// A body without mass or shapes.
    pub fn none() -> Self {
        Self { mass: 0.0, center: DVec3::ZERO, inertia: DMat3::ZERO, shapes: Vec::new() }
    }
}
