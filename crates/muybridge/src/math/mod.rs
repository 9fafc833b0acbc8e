//! Rotations and numerical tools of the library, independent of characters.

pub(crate) mod arithmetic;
pub(crate) mod blocks;
pub(crate) mod cholesky;
pub(crate) mod difference;
pub(crate) mod ellipse;
pub(crate) mod filter;
pub(crate) mod hull;
pub(crate) mod input_error;
pub(crate) mod lane_angle;
pub(crate) mod lane_rotation;
pub(crate) mod lane_trigonometry;
pub(crate) mod lanes;
mod large_stack;
pub(crate) mod least_squares;
pub(crate) mod plane_fit;
pub(crate) mod random;
pub(crate) mod rest_criterion;
pub mod rotation;
pub(crate) mod savitzky_golay;
pub(crate) mod single_lanes;
pub(crate) mod spatial;
pub(crate) mod speed_limit;

pub use arithmetic::Arithmetic;
pub use hull::{ConvexPolygon, on_ground};
pub use lane_rotation::{LaneMatrix, LaneRotation, LaneVector};
pub use lanes::{Kernel, Lanes, Width};
pub use random::Random;
pub use spatial::{SpatialMomentum, Transform};
pub use speed_limit::SPEED_OF_LIGHT;
