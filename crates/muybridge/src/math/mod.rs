//! Rotations and numerical tools of the library, independent of characters.

pub mod arithmetic;
pub(crate) mod blocks;
pub(crate) mod cholesky;
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
pub(crate) mod savitzky_golay;
pub(crate) mod single_lanes;
pub mod spatial;
pub mod speed_limit;
