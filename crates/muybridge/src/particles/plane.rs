//! Plane constraint: a particle on one side of a plane, or in it.
//!
//! ```text
//! C = n · x − offset ≥ 0 (or = 0),   x += max(0, −C) n
//! ```
//! Specification: mathematics 3.3, 3.13 (J29).

use crate::math::arithmetic::Arithmetic;
use crate::math::lane_rotation::LaneVector;

/// Displacement that puts a particle at `x` on its side of the plane, or into the plane with `both_sides`.
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

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::math::random::Random;

    #[test]
    fn j29_a_particle_is_put_on_its_side_of_the_plane_or_into_it() {
        let mut random = Random::new(2);
        for _ in 0..1000 {
            let (normal, offset, x) = (random.vector().normalize(), random.signed() * 0.1, random.vector());
            let moved = |both_sides| {
                let by = correction(LaneVector::splat((), x), LaneVector::splat((), normal), offset, both_sides);
                x + DVec3::new(by.x, by.y, by.z)
            };
            assert!(normal.dot(moved(false)) - offset >= -1e-15);
            assert!((normal.dot(moved(true)) - offset).abs() <= 1e-15);
            if normal.dot(x) > offset {
                assert_eq!(moved(false), x);
            }
        }
    }
}
