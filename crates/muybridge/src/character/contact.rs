//! Points of a body that may touch the world.

use glam::DVec3;

/// A small sphere fixed to a bone (a point if its radius is 0): a sole corner, a fingertip, an end of a capsule.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ContactPoint {
    /// The bone it moves with.
    pub bone: usize,
    /// Centre in the bone's frame, metres.
    pub position: DVec3,
    /// Metres.
    pub radius: f64,
}
