//! Motion: clips and their world poses, inverse kinematics, resampling and retiming.

pub(crate) mod arrays;
pub(crate) mod clip;
pub(crate) mod conform;
pub(crate) mod ik;
pub(crate) mod kinematics;
pub(crate) mod sample;
pub(crate) mod time_map;

pub use arrays::{ArrayError, RotationArray};
pub use clip::{Clip, ClipError};
pub use conform::{Axis, conform, conform_clip, conform_skeleton};
pub use kinematics::{WorldBlock, WorldMotion, pose_of, world_of};
pub use sample::{resample, rotation_at, spline, translation_at};
pub use time_map::{RetimedSpan, TimeMap, TimeMapError};
