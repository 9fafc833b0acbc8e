//! A particle on one side of a plane, or in it.
//!
//! ```text
//! C = n · x − offset ≥ 0 (or = 0),   x += max(0, −C) n
//! ```
//! Specification: mathematics 3.3, 3.13 (J29).

use crate::math::arithmetic::Arithmetic;
use crate::math::lane_rotation::LaneVector;

/// The move that puts a particle at `x` where it belongs; zero where it is.
#[inline(always)]
pub fn correction<A: Arithmetic>(
    x: LaneVector<A>,
    normal: LaneVector<A>,
    offset: A,
    both_sides: bool,
) -> LaneVector<A> {
    let depth = offset - normal.dot(x);
    let depth = if both_sides { depth } else { depth.greatest(depth.like(0.0)) };
    normal.scaled(depth)
}
