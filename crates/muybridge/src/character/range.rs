//! How far a bone may turn against its parent.

use glam::{DQuat, DVec3};

/// The range of one joint: a hinge angle, or swing and twist about the bone's rest orientation. Radians.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum JointRange {
    /// Nothing known: the joint may turn anyhow.
    Free,
    /// No rotation at all.
    Fixed,
    /// Rotation about one axis of the parent's rest frame.
    Hinge {
        /// Unit axis in the bone's frame at rest.
        axis: DVec3,
        /// Least angle, radians.
        lower: f64,
        /// Greatest angle, radians.
        upper: f64,
    },
    /// Swing of the twist axis inside an ellipse, and twist about it.
    SwingTwist {
        /// Orientation whose y is the twist axis and whose x and z are the swing axes, in the bone's frame at rest.
        frame: DQuat,
        /// Lower and upper swing about x, radians.
        swing_x: [f64; 2],
        /// Lower and upper swing about z, radians.
        swing_z: [f64; 2],
        /// Lower and upper twist about y, radians.
        twist: [f64; 2],
    },
}
