//! The solid shapes bodies are made of. All are centred on their own origin; long ones lie along y.

use glam::{DQuat, DVec3};

/// A solid shape in its own frame; lengths in metres.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Shape {
    /// A ball.
    Sphere {
        /// Metres.
        radius: f64,
    },
    /// A cylinder along y with hemispherical caps.
    Capsule {
        /// Metres.
        radius: f64,
        /// Half the distance between the centres of the caps, metres.
        half_length: f64,
    },
    /// A flat-ended cylinder along y.
    Cylinder {
        /// Metres.
        radius: f64,
        /// Half the height, metres.
        half_length: f64,
    },
    /// A box.
    Box {
        /// Half the sides, metres.
        half_extents: DVec3,
    },
    /// An ellipsoid along the axes.
    Ellipsoid {
        /// Semi-axes, metres.
        semi_axes: DVec3,
    },
}

/// A shape and where it stands in the frame of its bone.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PlacedShape {
    /// The solid.
    pub shape: Shape,
    /// Its centre in the bone's frame, metres.
    pub position: DVec3,
    /// Its orientation in the bone's frame.
    pub rotation: DQuat,
}

impl PlacedShape {
    /// The same solid in other units of length: every length times `scale`.
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
