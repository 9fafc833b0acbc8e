//! Motion: clips and their world poses, inverse kinematics, resampling and retiming.

pub(crate) mod arrays;
pub(crate) mod clip;
pub mod conform;
pub mod ik;
pub mod kinematics;
pub mod sample;
pub mod time_map;

pub use arrays::{ArrayError, RotationArray};
pub use clip::{Clip, ClipError};
pub use conform::{Axis, conform};
pub use kinematics::{WorldBlock, WorldMotion, world_of};
pub use time_map::{TimeMap, TimeMapError};
