//! Bending angle: the fold of two triangles over their common edge.
//!
//! ```text
//! triangles (a, b, c) and (b, a, d):   e = b − a,  n1 = e × (c − a),  n2 = −e × (d − b)
//! φ = atan2((n1 × n2)·e/‖e‖, n1·n2)                     0 for flat; below 0 where c and d lie on the side of the normals
//! ∇c = −‖e‖ n1/‖n1‖²,  ∇d = −‖e‖ n2/‖n2‖²
//! ∇a = −(1 − s) ∇c − (1 − t) ∇d,  ∇b = −s ∇c − t ∇d,   s = (c − a)·e/‖e‖²,  t = (d − a)·e/‖e‖²
//! ```
//! Keeping φ with a compliance is the bending constraint of a cloth or plate. Unlike a stick across the edge, it still
//! resists bending near φ = 0. Specification: mathematics 3.10 (Grinspun et al. 2003 and Bridson, Marino, Fedkiw 2003
//! for the gradients).

use core::f64::consts::{PI, TAU};

use super::projection::Measured;
use crate::math::arithmetic::Arithmetic;
use crate::math::lane_angle::angle;
use crate::math::lane_rotation::LaneVector;

/// Degeneracy limit: a triangle lower than this share of the edge has no normal.
const FLAT: f64 = 1e-9;

/// Deviation of the fold of particles (a, b, c, d) from `rest`, −π to π radians. Kept in the range 0 to 0, it is the
/// constraint. The gradient is zero if a triangle is degenerate.
#[inline(always)]
pub fn fold<V: Arithmetic>(particles: [LaneVector<V>; 4], rest: V) -> Measured<V, 4> {
    let [a, b, c, d] = particles;
    let edge = b.minus(a);
    let square = edge.dot(edge);
    let length = square.sqrt();
    let (first, second) = (edge.cross(c.minus(a)), d.minus(b).cross(edge));
    let (first_square, second_square) = (first.dot(first), second.dot(second));
    let least = square * square * (FLAT * FLAT);
    let is_sound = V::both(least.is_below(first_square), least.is_below(second_square));
    let (zero, one) = (length.like(0.0), length.like(1.0));
    let safe = |value: V| V::select(is_sound, value, one);
    let share = |value: V| V::select(is_sound, value, zero);
    let at_c = first.scaled(share(-length / safe(first_square)));
    let at_d = second.scaled(share(-length / safe(second_square)));
    let s = c.minus(a).dot(edge) / safe(square);
    let t = d.minus(a).dot(edge) / safe(square);
    let at_a = at_c.scaled(s - 1.0).plus(at_d.scaled(t - 1.0));
    let at_b = at_c.scaled(-s).plus(at_d.scaled(-t));
    let sine = first.cross(second).dot(edge) / safe(length);
    let off = angle(sine, first.dot(second)) - rest;
    let value = off - ((off + PI) * (1.0 / TAU)).floor() * TAU;
    Measured { value: share(value), gradient: [at_a, at_b, at_c, at_d] }
}

#[cfg(test)]
#[path = "bend_tests.rs"]
mod tests;
