//! Rotations and numerical tools of the library, independent of characters.

pub mod arithmetic;
pub mod blocks;
pub mod cholesky;
pub mod difference;
pub mod ellipse;
pub mod filter;
pub mod hull;
pub mod input_error;
pub mod lane_angle;
pub mod lane_rotation;
pub mod lane_trigonometry;
pub mod lanes;
mod large_stack;
pub mod least_squares;
pub mod random;
pub mod rest_criterion;
pub mod rotation;
pub mod savitzky_golay;
pub mod single_lanes;
pub mod spatial;
pub mod speed_limit;
