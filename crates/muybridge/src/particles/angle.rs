//! The angle at a particle between the directions to two others.
//!
//! ```text
//! a = x1 − x0,  b = x2 − x0,  n = a × b,   θ = atan2(‖n‖, a·b)
//! ∇_a θ = (a × n)/(‖a‖² ‖n‖),   ∇_b θ = (n × b)/(‖b‖² ‖n‖)         ∇1 = ∇_a,  ∇2 = ∇_b,  ∇0 = −∇_a − ∇_b
//! dot product:  C = a·b,   ∇_a C = b,  ∇_b C = a;     for fixed lengths a·b = ‖a‖ ‖b‖ cos θ
//! ```
//! Each function returns a [`Measured`]; [`Measured::kept_in`] with the allowed range makes it a constraint. The angle
//! has no gradient for parallel directions (`‖n‖ < 1e-9 ‖a‖ ‖b‖`). The dot product has a gradient there, but its
//! stiffness depends on the angle. Specification: mathematics 3.13 (J28).

use super::projection::Measured;
use crate::math::arithmetic::Arithmetic;
use crate::math::lane_angle::angle;
use crate::math::lane_rotation::LaneVector;

/// Directions with a sine below this are parallel.
const PARALLEL: f64 = 1e-9;

/// The angle at the first particle between the directions to the other two, 0 to π radians.
#[inline(always)]
pub fn angle_at<V: Arithmetic>(particles: [LaneVector<V>; 3]) -> Measured<V, 3> {
    let [apex, first, second] = particles;
    let (value, [a, b]) = between(first.minus(apex), second.minus(apex));
    Measured { value, gradient: [opposite(a.plus(b)), a, b] }
}

/// The scalar product of the directions from the first particle to the other two, square meters.
#[inline(always)]
pub fn dot_product_at<V: Arithmetic>(particles: [LaneVector<V>; 3]) -> Measured<V, 3> {
    let [apex, first, second] = particles;
    let (a, b) = (first.minus(apex), second.minus(apex));
    Measured { value: a.dot(b), gradient: [opposite(a.plus(b)), b, a] }
}

/// The angle between two directions and its gradients with respect to them.
#[inline(always)]
fn between<V: Arithmetic>(a: LaneVector<V>, b: LaneVector<V>) -> (V, [LaneVector<V>; 2]) {
    let normal = a.cross(b);
    let (aa, bb) = (a.dot(a), b.dot(b));
    let sine = normal.dot(normal).sqrt();
    let (zero, one) = (sine.like(0.0), sine.like(1.0));
    let has_gradient = ((aa * bb).sqrt() * PARALLEL).is_below(sine);
    let scale = |square: V| V::select(has_gradient, one / V::select(has_gradient, square * sine, one), zero);
    let gradients = [a.cross(normal).scaled(scale(aa)), normal.cross(b).scaled(scale(bb))];
    (angle(sine, a.dot(b)), gradients)
}

#[inline(always)]
fn opposite<V: Arithmetic>(vector: LaneVector<V>) -> LaneVector<V> {
    LaneVector { x: -vector.x, y: -vector.y, z: -vector.z }
}

#[cfg(test)]
#[path = "angle_tests.rs"]
mod tests;
