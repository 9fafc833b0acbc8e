//! What of a ragdoll may touch something: its solids as rounded points, segments and rectangles.
//!
//! Balls and capsules are exact. A box is a rectangle (two triangles) or a segment inside it, as thick as its shortest
//! side, so that its edges are rounded by half of that; cylinders and ellipsoids are capsules where they are long and
//! rounded squares where they are flat. A body without a solid gets a capsule of its own weight along its bone.

use core::f64::consts::PI;

use glam::{DQuat, DVec3};

use super::Ragdoll;
use crate::character::Character;
use crate::collision::shape::{PlacedShape, Shape};
use crate::particles::model::{Core, Surface};

/// Weight of a body that says nothing of its size, kg/m³.
const DENSITY: f64 = 1000.0;
/// Below this many thicknesses a side counts as a point.
const SHORT: f64 = 0.05;

/// Adds the surfaces of all bodies; each body is a part of the one object.
pub(super) fn cover(ragdoll: &mut Ragdoll, character: &Character) {
    let mut covered = vec![false; ragdoll.bodies.len()];
    for (bone, body) in character.bodies.iter().enumerate() {
        let Some(ride) = ragdoll.rides[bone] else { continue };
        for shape in &body.shapes {
            let placed = PlacedShape {
                shape: shape.shape.clone(),
                position: ride.position + ride.rotation * shape.position,
                rotation: ride.rotation * shape.rotation,
            };
            covered[ride.body] |= add(ragdoll, ride.body, &placed);
        }
    }
    let bare = (0..covered.len()).filter(|&body| !covered[body]);
    for body in bare.collect::<Vec<_>>() {
        let stand_in = along_bone(ragdoll, character, body);
        add(ragdoll, body, &stand_in);
    }
}

/// A solid in the frame of a body. Whether it has a size.
fn add(ragdoll: &mut Ragdoll, body: usize, placed: &PlacedShape) -> bool {
    let first = ragdoll.particle(body);
    let at = |local: DVec3| ragdoll.bodies[body].body.point(first, placed.position + placed.rotation * local);
    let (cores, radius) = match placed.shape {
        Shape::Sphere { radius } => (vec![Core::Ball(at(DVec3::ZERO))], radius),
        Shape::Capsule { radius, half_length } => (vec![segment(at, DVec3::Y, half_length)], radius),
        Shape::Cylinder { radius, half_length } if half_length >= radius => {
            (vec![segment(at, DVec3::Y, half_length - radius)], radius)
        }
        // The square of the same area.
        Shape::Cylinder { radius, half_length } => {
            let side = 0.5 * libm::sqrt(PI) * radius;
            rectangle(at, DVec3::new(side, half_length, side), 1.0)
        }
        Shape::Box { half_extents } => rectangle(at, half_extents, 1.0),
        Shape::Ellipsoid { semi_axes } => rectangle(at, semi_axes, core::f64::consts::FRAC_1_SQRT_2),
    };
    if !(radius > 0.0 && radius.is_finite()) {
        return false;
    }
    let surface = |core| Surface { core, radius, object: 0, part: body };
    ragdoll.model.surfaces.extend(cores.into_iter().map(surface));
    true
}

fn segment(at: impl Fn(DVec3) -> crate::particles::Point, along: DVec3, half_length: f64) -> Core {
    if half_length > 0.0 {
        Core::Segment([at(-along * half_length), at(along * half_length)])
    } else {
        Core::Ball(at(DVec3::ZERO))
    }
}

/// The rounded rectangle inside a box of these half sides, its corners drawn in to `share`; a segment or a ball where it
/// has no width.
fn rectangle(at: impl Fn(DVec3) -> crate::particles::Point, half: DVec3, share: f64) -> (Vec<Core>, f64) {
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

/// A capsule of the body's weight from its origin to the farthest end of its bone, or a ball about its center.
fn along_bone(ragdoll: &Ragdoll, character: &Character, body: usize) -> PlacedShape {
    let own = &ragdoll.bodies[body];
    let bone = &character.skeleton.bones()[own.bone];
    let children = character.skeleton.children(own.bone).map(|child| ragdoll.locals[child].0);
    let ends = children.chain(bone.ends.iter().copied());
    let end = ends.fold(DVec3::ZERO, |far, end| if end.length() > far.length() { end } else { far });
    let (mass, length) = (4.0 * own.body.particle_mass, end.length());
    let ball = libm::cbrt(0.75 * mass / (PI * DENSITY));
    if length <= 2.0 * ball {
        let shape = Shape::Sphere { radius: ball };
        return PlacedShape { shape, position: own.body.center, rotation: DQuat::IDENTITY };
    }
    let radius = libm::sqrt(mass / (PI * DENSITY * length)).min(0.5 * length);
    PlacedShape {
        shape: Shape::Capsule { radius, half_length: (0.5 * length - radius).max(0.0) },
        position: 0.5 * end,
        rotation: DQuat::from_rotation_arc(DVec3::Y, end / length),
    }
}
