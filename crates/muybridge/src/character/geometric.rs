//! Bodies of characters that are not humanoid: capsules along the bones, or one rigid body (S32, mathematics 2.5.3).
//!
//! ```text
//! bone of length L:  capsule of radius 0.15 L over L,  ρ = 1000 kg/m³
//! ```
//! A bone reaches from its joint to each child's joint and to each of its ends; a leaf without ends is half as long as
//! the bone before it. A chain of roots that only places the body in the scene (each with one child that carries
//! anything) gets no bodies, unless the whole skeleton is one chain. Bones named as IK targets, controls and the like,
//! and leaf bones of such a root, get no bodies. A skeleton without any length is one rigid body: its given shapes, a
//! box or ball around its skin, or a ball of 0.1 m radius.

use glam::{DQuat, DVec3};

use super::ancestry::Family;
use super::build::shapes_by_bone;
use super::humanoid_names::meaning;
use super::shapes_by_role::capsule;
use super::{Body, ContactPoint, Skeleton};
use crate::collision::MassProperties;
use crate::collision::shape::{PlacedShape, Shape};

/// Density, kg/m³: near that of water, as for animals.
const DENSITY: f64 = 1000.0;
/// Capsule radius divided by bone length.
const SLENDERNESS: f64 = 0.15;
/// Radius and mass of a body without any data, meters and kilograms.
const THING: (f64, f64) = (0.1, 1.0);

/// Bodies; given shapes replace the capsules of their bones.
pub(crate) fn bodies(
    skeleton: &Skeleton,
    pose: &[(DVec3, DQuat)],
    given: &[(usize, PlacedShape)],
    skin: &[(usize, DVec3)],
    mass: Option<f64>,
) -> Vec<Body> {
    let segments = segments(skeleton, pose);
    let mut bodies = vec![Body::none(); skeleton.len()];
    for &(bone, ends) in &segments {
        bodies[bone].shapes.extend(capsule(pose[bone], ends, SLENDERNESS * ends[0].distance(ends[1])));
    }
    for (body, own) in bodies.iter_mut().zip(shapes_by_bone(given, skeleton.len())) {
        if !own.is_empty() && (segments.is_empty() || !body.shapes.is_empty()) {
            body.shapes = own;
        }
    }
    let mut total = mass;
    if bodies.iter().all(|body| body.shapes.is_empty()) {
        let bone = skin.first().map_or(0, |(bone, _)| *bone);
        let own: Vec<DVec3> = skin.iter().filter(|(owner, _)| *owner == bone).map(|(_, point)| *point).collect();
        bodies[bone].shapes.push(around(&own));
    }
    if segments.is_empty() {
        total = total.or(Some(THING.1));
    }
    weigh(&mut bodies, total);
    bodies
}

/// Whether any bone has a length.
pub(crate) fn has_segments(skeleton: &Skeleton, pose: &[(DVec3, DQuat)]) -> bool {
    !segments(skeleton, pose).is_empty()
}

/// Contact points at the ends of shapes: both cap centers of capsules, corners of boxes, centers of balls.
pub(crate) fn of_shapes(bodies: &[Body]) -> Vec<ContactPoint> {
    let mut points = Vec::new();
    for (bone, body) in bodies.iter().enumerate() {
        for placed in &body.shapes {
            let mut add = |at: DVec3, radius: f64| {
                points.push(ContactPoint { bone, position: placed.position + placed.rotation * at, radius });
            };
            match placed.shape {
                Shape::Sphere { radius } => add(DVec3::ZERO, radius),
                Shape::Capsule { radius, half_length } => {
                    add(DVec3::Y * half_length, radius);
                    add(DVec3::Y * -half_length, radius);
                }
                Shape::Box { half_extents: h } => corners().for_each(|corner| add(corner * h, 0.0)),
                Shape::Cylinder { radius: r, half_length } => {
                    corners().for_each(|corner| add(corner * DVec3::new(r, half_length, r) * RIM, 0.0));
                }
                Shape::Ellipsoid { semi_axes } => {
                    for axis in DVec3::AXES {
                        add(axis * semi_axes, 0.0);
                        add(axis * -semi_axes, 0.0);
                    }
                }
            }
        }
    }
    points
}

/// Scales a cube's corners to points on the rims of a cylinder.
const RIM: DVec3 = DVec3::new(core::f64::consts::FRAC_1_SQRT_2, 1.0, core::f64::consts::FRAC_1_SQRT_2);

fn corners() -> impl Iterator<Item = DVec3> {
    (0..8).map(|at| {
        let sign = |bit: usize| if at >> bit & 1 == 0 { 1.0 } else { -1.0 };
        DVec3::new(sign(0), sign(1), sign(2))
    })
}

/// Box around points, or a ball if the box's sides agree within a tenth.
fn around(points: &[DVec3]) -> PlacedShape {
    let (low, high) = points.iter().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(l, h), p| (l.min(*p), h.max(*p)));
    let half = (high - low) * 0.5;
    let placed = |shape, position| PlacedShape { shape, position, rotation: DQuat::IDENTITY };
    if points.is_empty() || half.min_element() <= 0.0 {
        return placed(Shape::Sphere { radius: THING.0 }, DVec3::ZERO);
    }
    let center = low.midpoint(high);
    if half.min_element() > 0.9 * half.max_element() {
        return placed(Shape::Sphere { radius: half.element_sum() / 3.0 }, center);
    }
    placed(Shape::Box { half_extents: half }, center)
}

/// Sets masses from volumes, scaled to a total if one is given.
fn weigh(bodies: &mut [Body], total: Option<f64>) {
    let weighed: Vec<MassProperties> = bodies
        .iter()
        .map(|body| {
            let parts: Vec<_> = body.shapes.iter().map(|s| MassProperties::of_placed_shape(s, DENSITY)).collect();
            if parts.is_empty() { MassProperties::NONE } else { MassProperties::sum(&parts) }
        })
        .collect();
    let sum: f64 = weighed.iter().map(|own| own.mass).sum();
    let scale = total.map_or(1.0, |total| total / sum);
    for (body, own) in bodies.iter_mut().zip(weighed) {
        let own = own.with_mass(own.mass * scale);
        (body.mass, body.center, body.inertia) = (own.mass, own.center, own.inertia);
    }
}

/// Segments of the body, each with its bone, in world coordinates of the reference pose.
fn segments(skeleton: &Skeleton, pose: &[(DVec3, DQuat)]) -> Vec<(usize, [DVec3; 2])> {
    let family = Family::new(skeleton);
    let bones = skeleton.bones();
    let helper: Vec<bool> = bones.iter().map(|bone| meaning(&bone.name).helper && !is_limb(&bone.name)).collect();
    let mut segments = Vec::new();
    for root in skeleton.roots() {
        let start = body_start(skeleton, &family, &helper, root);
        let mut open = vec![start];
        while let Some(bone) = open.pop() {
            let (joint, rotation) = pose[bone];
            segments.extend(bones[bone].ends.iter().map(|&end| (bone, [joint, joint + rotation * end])));
            let children = family.children(bone);
            for &child in children.iter().filter(|&&child| !helper[child]) {
                if bone != start || start != root || family.size(child) > 1 || !bones[child].ends.is_empty() {
                    segments.push((bone, [joint, pose[child].0]));
                }
                open.push(child);
            }
            if children.is_empty() && bones[bone].ends.is_empty() && bone != start {
                let before = family.parent(bone).map_or(joint, |parent| pose[parent].0);
                segments.push((bone, [joint, joint + (joint - before) * 0.5]));
            }
        }
    }
    let longest = segments.iter().map(|(_, [a, b])| a.distance(*b)).fold(0.0, f64::max);
    segments.retain(|(_, [a, b])| a.distance(*b) > 1e-3 * longest);
    segments
}

/// Whether a name is a limb of an animal, although its kind (tail, ear …) is a helper of a humanoid.
fn is_limb(name: &str) -> bool {
    let name = name.to_lowercase();
    ["tail", "ear", "finger", "heel", "jaw", "thumb"].iter().any(|word| name.contains(word))
        && !["ik", "target", "ctrl", "control", "pole"].iter().any(|word| name.contains(word))
}

/// First bone of a tree with more than one limb below it; the root itself if the tree is one chain.
fn body_start(skeleton: &Skeleton, family: &Family, helper: &[bool], root: usize) -> usize {
    let carries = |bone: usize| !helper[bone] && (family.size(bone) > 1 || !skeleton.bones()[bone].ends.is_empty());
    let mut at = root;
    loop {
        let mut carrying = family.children(at).iter().copied().filter(|&child| carries(child));
        match (carrying.next(), carrying.next()) {
            (Some(only), None) => at = only,
            (Some(_), Some(_)) => return at,
            (None, _) => return if family.children(at).len() > 1 && at != root { at } else { root },
        }
    }
}
