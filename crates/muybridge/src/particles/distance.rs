//! Distance constraint between two particles: one correction, for any scalar type.
//!
//! ```text
//! d = x2 − x1,  ℓ = ‖d‖,  W = w1 + w2                a correction is one vector p:  x1 += w1 p,  x2 −= w2 p
//! exact     p = d (ℓ − r) / (ℓ W)                                                                    (3.5.1)
//! Taylor    p = d (d·d − r²) / ((d·d + r²) W)        one division, no root, ℓ' = 2ℓr²/(ℓ² + r²)        (3.6)
//! SHAKE     p = o (d·d − r²) / (2 W d·o)             o = x2* − x1*, the direction one substep before  (3.9.2)
//! XPBD      p = −d Δλ/ℓ,  Δλ = (−C − α̃ λ − γ d·(d − o)/ℓ) / ((1 + γ) W + α̃),  C = ℓ − r             (3.9.1)
//! ```
//! Jakobsen 2001; Ryckaert, Ciccotti, Berendsen 1977; Macklin, Müller, Chentanez 2016. Specification: mathematics 3.5 to 3.9.

use glam::DVec3;

use crate::math::arithmetic::Arithmetic;
use crate::math::lane_rotation::LaneVector;

/// Relative length below which a distance has no direction.
const NO_DIRECTION: f64 = 1e-12;

/// Exact correction (3.5.1) to the nearest length in `range`. Zero inside the range, for two immovable ends, and for
/// coincident ends.
#[inline(always)]
pub fn exact<A: Arithmetic>(d: LaneVector<A>, weights: A, range: [A; 2]) -> LaneVector<A> {
    let length = d.dot(d).sqrt();
    let target = length.greatest(range[0]).least(range[1]);
    d.scaled(quotient(length - target, length * weights))
}

/// Correction without a square root (3.6); beyond twice the rest length like [`exact`].
#[inline(always)]
pub fn taylor<A: Arithmetic>(d: LaneVector<A>, weights: A, rest: A) -> LaneVector<A> {
    let (square, rest_square) = (d.dot(d), rest * rest);
    let near = quotient(square - rest_square, (square + rest_square) * weights);
    let far = (rest_square * 4.0).is_below(square);
    if !A::any(far) {
        return d.scaled(near);
    }
    let length = square.sqrt();
    d.scaled(A::select(far, quotient(length - rest, length * weights), near))
}

/// SHAKE correction (3.9.2). It falls back to [`exact`] if the direction has turned by more than 60° or the distance is
/// below half its rest length, because the tangent is a poor guide there.
#[inline(always)]
pub fn shake<A: Arithmetic>(d: LaneVector<A>, o: LaneVector<A>, weights: A, rest: A) -> LaneVector<A> {
    let (square, along, rest_square) = (d.dot(d), d.dot(o), rest * rest);
    let turned_little = A::both((square * o.dot(o) * 0.25).is_below(along * along), d.x.like(0.0).is_below(along));
    let valid = A::both(turned_little, (rest_square * 0.25).is_below(square));
    let by_tangent = o.scaled(quotient(square - rest_square, weights * along * 2.0));
    let zero = d.x.like(0.0);
    let all = A::select(valid, zero, d.x.like(1.0));
    if !A::any(zero.is_below(all)) {
        return by_tangent;
    }
    let fallback = exact(d, weights, [rest; 2]);
    LaneVector {
        x: A::select(valid, by_tangent.x, fallback.x),
        y: A::select(valid, by_tangent.y, fallback.y),
        z: A::select(valid, by_tangent.z, fallback.z),
    }
}

/// Compliance and damping of a distance in one substep.
#[derive(Clone, Copy, Debug)]
pub struct Softness<A> {
    /// Scaled compliance `α̃ = α/h²`, kg⁻¹.
    pub compliance: A,
    /// Scaled damping `γ = α β/h`.
    pub damping: A,
}

/// XPBD correction (3.9.1): returns the correction and the new multiplier (kg m). A range pulls with `λ ≤ 0` at its
/// upper end and pushes with `λ ≥ 0` at its lower end.
#[inline(always)]
pub fn soft<A: Arithmetic>(
    d: LaneVector<A>,
    o: LaneVector<A>,
    weights: A,
    range: [A; 2],
    softness: Softness<A>,
    multiplier: A,
) -> (LaneVector<A>, A) {
    let zero = multiplier.like(0.0);
    let length = d.dot(d).sqrt();
    let share = quotient(multiplier.like(1.0), (softness.damping + 1.0) * weights + softness.compliance);
    let now = length + softness.compliance * multiplier + softness.damping * quotient(d.dot(d.minus(o)), length);
    let low = multiplier + (range[0] - now) * share;
    let high = multiplier + (range[1] - now) * share;
    let after = low.greatest(zero) + high.least(zero);
    (d.scaled(quotient(multiplier - after, length)), after)
}

/// `a / b`, or 0 if `b` is 0.
#[inline(always)]
fn quotient<A: Arithmetic>(a: A, b: A) -> A {
    let zero = b.like(0.0);
    let divisible = zero.is_below(b.abs());
    A::select(divisible, a / A::select(divisible, b, b.like(1.0)), zero)
}

/// Direction of a distance with coincident ends (J41), a hash of the particle indices: always the same for the same two
/// particles.
pub fn direction_of_coincident(particles: [usize; 2]) -> DVec3 {
    let mut bits = (particles[0] as u64) << 32 ^ particles[1] as u64 ^ 0x5DEE_CE66_D1CE_4E5B;
    let mut next = || {
        bits = bits.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    DVec3::new(next(), next(), next() + 2.0).normalize()
}

/// Vector `x2 − x1`; for coincident ends a tiny vector in a hashed direction.
pub(crate) fn between(positions: &[DVec3], particles: [usize; 2], rest: f64) -> LaneVector<f64> {
    let d = positions[particles[1]] - positions[particles[0]];
    let least = NO_DIRECTION * rest;
    if d.length_squared() < least * least {
        return lanes(direction_of_coincident(particles) * least);
    }
    lanes(d)
}

/// Converts a vector to lanes of width one.
#[inline(always)]
pub(crate) fn lanes(v: DVec3) -> LaneVector<f64> {
    LaneVector { x: v.x, y: v.y, z: v.z }
}

/// Converts lanes of width one to a vector.
#[inline(always)]
pub(crate) fn vector(v: LaneVector<f64>) -> DVec3 {
    DVec3::new(v.x, v.y, v.z)
}

#[cfg(test)]
mod tests;
