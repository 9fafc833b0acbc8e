//! Solid shapes of bodies. Each is centered at its own origin; long shapes lie along y.

use glam::{DQuat, DVec3};

/// Solid shape in its own frame; lengths in meters.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Shape {
    /// Ball around the origin.
    Sphere {
        /// Radius, meters.
        radius: f64,
    },
    /// Cylinder along y with hemispherical caps.
    Capsule {
        /// Radius, meters.
        radius: f64,
        /// Half the distance between the centers of the caps, meters.
        half_length: f64,
    },
    /// Flat-ended cylinder along y.
    Cylinder {
        /// Radius, meters.
        radius: f64,
        /// Half the height, meters.
        half_length: f64,
    },
    /// Box around the origin.
    Box {
        /// Half the sides, meters.
        half_extents: DVec3,
    },
    /// Ellipsoid along the axes.
    Ellipsoid {
        /// Semi-axes, meters.
        semi_axes: DVec3,
    },
}

/// Shape with its pose in the frame of its bone.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PlacedShape {
    /// Shape of the solid.
    pub shape: Shape,
    /// Center of the shape in the bone's frame, meters.
    pub position: DVec3,
    /// Orientation of the shape in the bone's frame.
    pub rotation: DQuat,
}

impl PlacedShape {
    /// Scales every length by `scale`, for other units of length.
    pub fn scaled(&self, scale: f64) -> Self {
        let shape = match self.shape {
            Shape::Sphere { radius } => Shape::Sphere { radius: radius * scale },
            Shape::Capsule { radius, half_length } => {
                Shape::Capsule { radius: radius * scale, half_length: half_length * scale }
            }
            Shape::Cylinder { radius, half_length } => {
                Shape::Cylinder { radius: radius * scale, half_length: half_length * scale }
            }
            Shape::Box { half_extents } => Shape::Box { half_extents: half_extents * scale },
            Shape::Ellipsoid { semi_axes } => Shape::Ellipsoid { semi_axes: semi_axes * scale },
        };
        Self { shape, position: self.position * scale, rotation: self.rotation }
    }
}
