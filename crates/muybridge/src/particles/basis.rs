//! A rigid body as a basis of space: four particles, three sticks of one length and three right angles.
//!
//! ```text
//! a = x1 − x0,  b = x2 − x0,  c = x3 − x0:     ‖a‖ = ‖b‖ = ‖c‖ = ℓ,   a·b = b·c = c·a = 0
//! ```
//! A point of the body is `x0 + (α a + β b + γ c)/ℓ` with constant α, β, γ. Six constraints remove six degrees of
//! freedom, as six sticks of a tetrahedron do, but here the weights of a point are its coordinates. Each constraint is
//! projected along its gradient, one after the other (Gauss–Seidel), with slight over-relaxation: 20 passes reach 1e-6
//! for masses up to 1 : 3. A mirror image satisfies all six. Specification: mathematics 3.11 (J24).

use super::angle::dot_product_at;
use super::projection::{Correction, Measured};
use crate::math::arithmetic::Arithmetic;
use crate::math::lane_rotation::LaneVector;

/// Over-relaxation factor of corrections. Equal masses need none; unequal masses need half as many passes with it.
const OVER_RELAXATION: f64 = 1.15;

/// Positions after one pass over the six constraints; `length` is ℓ, meters.
#[inline(always)]
pub fn basis_pass<V: Arithmetic>(
    mut positions: [LaneVector<V>; 4],
    inverse_masses: [V; 4],
    length: V,
) -> [LaneVector<V>; 4] {
    let zero = length.like(0.0);
    for [first, second] in [[1, 2], [2, 3], [3, 1]] {
        let (at, places) = (positions, [0, first, second]);
        let corner = dot_product_at(places.map(|i| at[i]));
        add(&mut positions, places, corner.kept_in([zero; 2], places.map(|i| inverse_masses[i]), zero, zero));
    }
    for end in 1..4 {
        let places = [0, end];
        let stick = distance(positions[0], positions[end]);
        add(&mut positions, places, stick.kept_in([length; 2], places.map(|i| inverse_masses[i]), zero, zero));
    }
    positions
}

/// The six constraint errors: lengths relative to ℓ less 1, and cosines of the right angles for sticks of length ℓ.
#[inline(always)]
pub fn basis_errors<V: Arithmetic>(positions: [LaneVector<V>; 4], length: V) -> [V; 6] {
    let [a, b, c] = [1, 2, 3].map(|i| positions[i].minus(positions[0]).scaled(length.like(1.0) / length));
    let size = |v: LaneVector<V>| v.dot(v).sqrt() - 1.0;
    [size(a), size(b), size(c), a.dot(b), b.dot(c), c.dot(a)]
}

#[inline(always)]
fn distance<V: Arithmetic>(start: LaneVector<V>, end: LaneVector<V>) -> Measured<V, 2> {
    let along = end.minus(start);
    let value = along.dot(along).sqrt();
    let (zero, one) = (value.like(0.0), value.like(1.0));
    let direction = along.scaled(one / V::select(zero.is_below(value), value, one));
    Measured { value, gradient: [direction.times(-1.0), direction] }
}

#[inline(always)]
fn add<V: Arithmetic, const N: usize>(
    positions: &mut [LaneVector<V>; 4],
    places: [usize; N],
    correction: Correction<V, N>,
) {
    for (place, by) in places.into_iter().zip(correction.moves) {
        positions[place] = positions[place].plus(by.times(OVER_RELAXATION));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::random::Random;
    use crate::particles::frame::{lane, vector};
    use glam::DVec3;

    #[test]
    fn j24_lengths_and_right_angles_hold_after_20_passes() {
        let mut random = Random::new(24);
        let mut worst: f64 = 0.0;
        for _ in 0..2000 {
            let (turn, place, length) = (random.rotation(), random.vector(), 0.2 + random.unit());
            let rest = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z].map(|x| place + turn * x * length);
            let masses = [(); 4].map(|()| 0.5 + random.unit());
            let mut positions = rest.map(|x| lane(x + random.vector() * 0.1 * length));
            let center = |at: &[LaneVector<f64>; 4]| (0..4).map(|i| vector(at[i]) * masses[i]).sum::<DVec3>();
            let before = center(&positions);
            for _ in 0..20 {
                positions = basis_pass(positions, masses.map(|m| 1.0 / m), length);
            }
            assert!((center(&positions) - before).length() < 1e-14);
            worst = basis_errors(positions, length).iter().fold(worst, |worst, error| worst.max(error.abs()));
        }
        println!("worst error after 20 passes {worst:e}");
        assert!(worst <= 1e-6, "{worst}");
    }
}
