//! How it moves: clips, and the world poses that follow from them.

pub mod clip;
pub mod kinematics;

pub use clip::{Clip, ClipError};
pub use kinematics::{WorldBlock, WorldMotion};
