//! Contact surfaces of a ragdoll of particles: its colliders as rounded points, segments and rectangles.
//!
//! Balls and capsules are exact. A box is a rectangle (two triangles) or a segment inside it, as thick as its shortest
//! side, so its edges are rounded by half of that. Long cylinders and ellipsoids become capsules, flat ones rounded
//! squares.

use core::f64::consts::PI;

use glam::DVec3;

use super::Ragdoll;
use crate::collision::shape::{PlacedShape, Shape};
use crate::particles::model::{Core, Surface};
use crate::particles::point::Point;

/// Share of the thickness below which a side counts as a point.
const SHORT: f64 = 0.05;

/// Adds the surfaces of all colliders; each body is a part of the one object.
pub(super) fn cover(ragdoll: &mut Ragdoll, solids: &[(usize, PlacedShape)]) {
    for (body, placed) in solids {
        add(ragdoll, *body, placed);
    }
}

/// Adds the surface of one collider, given in the frame of its body.
fn add(ragdoll: &mut Ragdoll, body: usize, placed: &PlacedShape) {
    let first = ragdoll.particle(body);
    let (cores, radius) = cores(placed, |local| ragdoll.bodies[body].body.point(first, local));
    let surface = |core| Surface { core, radius, object: 0, part: body };
    ragdoll.model.surfaces.extend(cores.into_iter().map(surface));
}

/// Cores of a shape given in the frame of its body, and their radius (m). `point` fixes a place of that frame to the body.
pub(crate) fn cores(placed: &PlacedShape, point: impl Fn(DVec3) -> Point) -> (Vec<Core>, f64) {
    let at = |local: DVec3| point(placed.position + placed.rotation * local);
    match placed.shape {
        Shape::Sphere { radius } => (vec![Core::Ball(at(DVec3::ZERO))], radius),
        Shape::Capsule { radius, half_length } => (vec![segment(at, DVec3::Y, half_length)], radius),
        Shape::Cylinder { radius, half_length } if half_length >= radius => {
            (vec![segment(at, DVec3::Y, half_length - radius)], radius)
        }
        // Square of the same area.
        Shape::Cylinder { radius, half_length } => {
            let side = 0.5 * libm::sqrt(PI) * radius;
            rectangle(at, DVec3::new(side, half_length, side), 1.0)
        }
        Shape::Box { half_extents } => rectangle(at, half_extents, 1.0),
        Shape::Ellipsoid { semi_axes } => rectangle(at, semi_axes, core::f64::consts::FRAC_1_SQRT_2),
    }
}

fn segment(at: impl Fn(DVec3) -> Point, along: DVec3, half_length: f64) -> Core {
    if half_length > 0.0 {
        Core::Segment([at(-along * half_length), at(along * half_length)])
    } else {
        Core::Ball(at(DVec3::ZERO))
    }
}

/// Rounded rectangle inside a box of the given half sides, with corners drawn in to `share`; a segment or a ball if it
/// has no width.
fn rectangle(at: impl Fn(DVec3) -> Point, half: DVec3, share: f64) -> (Vec<Core>, f64) {
    let mut axes = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| (half.dot(axis), axis));
    axes.sort_by(|a, b| b.0.total_cmp(&a.0));
    let [(long, u), (wide, v), (radius, _)] = axes;
    let [long, wide] = [long - radius, wide - radius].map(|side| share * side);
    if wide <= SHORT * radius {
        let core = segment(at, u, if long <= SHORT * radius { 0.0 } else { long });
        return (vec![core], radius);
    }
    let corner = |a: f64, b: f64| at(u * (a * long) + v * (b * wide));
    let [a, b, c, d] = [corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
    (vec![Core::Triangle([a, b, c]), Core::Triangle([a, c, d])], radius)
}
