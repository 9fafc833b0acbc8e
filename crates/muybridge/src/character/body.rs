//! The rigid piece a bone carries.

use glam::{DMat3, DVec3};

use crate::collision::shape::PlacedShape;

/// Mass properties and shapes of one bone, in the bone's frame.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Body {
    /// Kilograms; 0 for a bone that carries nothing.
    pub mass: f64,
    /// Centre of mass in the bone's frame, metres.
    pub center: DVec3,
    /// Inertia about the centre of mass, bone axes, kg m². Symmetric; the off-diagonals are tensor elements.
    pub inertia: DMat3,
    /// The solids that stand for this bone in pictures and in collision.
    pub shapes: Vec<PlacedShape>,
}

impl Body {
    /// A bone that carries nothing.
    pub fn none() -> Self {
        Self { mass: 0.0, center: DVec3::ZERO, inertia: DMat3::ZERO, shapes: Vec::new() }
    }
}
