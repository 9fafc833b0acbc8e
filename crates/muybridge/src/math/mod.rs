//! Rotations and numerical tools of the library, independent of characters.

pub mod arithmetic;
pub(crate) mod blocks;
pub(crate) mod cholesky;
#[cfg_attr(not(test), expect(dead_code, reason = "S37: no command offers five points or Savitzky–Golay yet"))]
pub(crate) mod difference;
pub(crate) mod ellipse;
pub(crate) mod filter;
pub mod hull;
pub(crate) mod input_error;
pub(crate) mod lane_angle;
pub mod lane_rotation;
pub(crate) mod lane_trigonometry;
pub mod lanes;
mod large_stack;
pub(crate) mod least_squares;
pub mod random;
pub(crate) mod rest_criterion;
pub mod rotation;
#[cfg_attr(not(test), expect(dead_code, reason = "S37: no command offers it yet"))]
pub(crate) mod savitzky_golay;
pub(crate) mod single_lanes;
pub mod spatial;
pub mod speed_limit;
