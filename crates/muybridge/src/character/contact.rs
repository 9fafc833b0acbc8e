//! Contact points of a body.

use glam::DVec3;

/// A small sphere fixed to a bone (a point if its radius is 0): a sole corner, a fingertip, an end of a capsule.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ContactPoint {
    /// Bone that the point is fixed to.
    pub bone: usize,
    /// Center in the bone's frame, meters.
    pub position: DVec3,
    /// Radius, meters.
    pub radius: f64,
}
