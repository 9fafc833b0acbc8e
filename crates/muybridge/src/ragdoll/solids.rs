//! Colliders of a character in the frames of its bodies; a body without any gets a capsule of its own mass.

use core::f64::consts::PI;

use glam::{DQuat, DVec3};

use super::{BoneMap, BoneMass};
use crate::character::Character;
use crate::collision::shape::{PlacedShape, Shape};

/// Density assumed for a body without a known size, kg/m³.
const DENSITY: f64 = 1000.0;

/// Colliders with the index of their body, each in the frame of its body.
pub(super) fn solids(character: &Character, bones: &BoneMap, weights: &[BoneMass]) -> Vec<(usize, PlacedShape)> {
    let mut solids = Vec::new();
    let mut covered = vec![false; weights.len()];
    for (bone, body) in character.bodies.iter().enumerate() {
        let Some(ride) = bones.rides[bone] else { continue };
        for shape in body.shapes.iter().filter(|placed| has_size(&placed.shape)) {
            let placed = PlacedShape {
                shape: shape.shape.clone(),
                position: ride.position + ride.rotation * shape.position,
                rotation: ride.rotation * shape.rotation,
            };
            covered[ride.body] = true;
            solids.push((ride.body, placed));
        }
    }
    let bare = (0..weights.len()).filter(|&body| !covered[body]);
    solids.extend(bare.map(|body| (body, along_bone(character, bones, &weights[body]))));
    solids
}

/// Whether a shape has a positive and finite size.
fn has_size(shape: &Shape) -> bool {
    let (least, most) = match *shape {
        Shape::Sphere { radius } => (radius, radius),
        Shape::Capsule { radius, half_length } => (radius, radius.max(half_length)),
        Shape::Cylinder { radius, half_length } => (radius.min(half_length), radius.max(half_length)),
        Shape::Box { half_extents: sides } | Shape::Ellipsoid { semi_axes: sides } => {
            (sides.min_element(), sides.max_element())
        }
    };
    least > 0.0 && most.is_finite()
}

/// Capsule of the body's mass from its origin to the farthest end of its bone, or a ball about its center of mass.
fn along_bone(character: &Character, bones: &BoneMap, weight: &BoneMass) -> PlacedShape {
    let bone = &character.skeleton.bones()[weight.bone];
    let children = character.skeleton.children(weight.bone).map(|child| bones.offset(child));
    let ends = children.chain(bone.ends.iter().copied());
    let end = ends.fold(DVec3::ZERO, |far, end| if end.length() > far.length() { end } else { far });
    let (mass, length) = (weight.mass, end.length());
    let ball = libm::cbrt(0.75 * mass / (PI * DENSITY));
    if length <= 2.0 * ball {
        let shape = Shape::Sphere { radius: ball };
        return PlacedShape { shape, position: weight.center, rotation: DQuat::IDENTITY };
    }
    let radius = libm::sqrt(mass / (PI * DENSITY * length)).min(0.5 * length);
    PlacedShape {
        shape: Shape::Capsule { radius, half_length: (0.5 * length - radius).max(0.0) },
        position: 0.5 * end,
        rotation: DQuat::from_rotation_arc(DVec3::Y, end / length),
    }
}
