//! Rotations and the numerical tools the rest is written in. Knows nothing of characters.

pub mod blocks;
pub mod lane_rotation;
pub mod lane_trigonometry;
pub mod lanes;
pub mod rotation;
