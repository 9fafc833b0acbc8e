//! Selects the bones that become rigid bodies, and the bones that move with each of them.

use glam::{DMat3, DQuat, DVec3};

use super::{RagdollError, Ride, inside};
use crate::character::{Character, JointRange};
use crate::collision::{MassProperties, tensor};
use crate::particles::body::BodyError;

/// Least second moment of a body as a fraction of their mean: no body is thinner than a hundredth of its length.
pub(super) const LEAST_MOMENT: f64 = 1e-4;

/// Least radius of gyration as a fraction of the character's extent: 3 mm on a person. Smaller bodies (a point mass)
/// would turn faster than any step can follow.
const LEAST_GYRATION: f64 = 0.002;

/// Least radius of gyration of bodies lighter than [`LIGHT`] of the whole, whose inertia is not visible: 1.7 cm on a
/// person. A finger of one gram on a thrown hand would turn by tenths of a radian in a substep.
const LEAST_GYRATION_OF_LIGHT: f64 = 0.01;

/// Share of the whole mass below which a body counts as light.
const LIGHT: f64 = 1e-3;

/// Rigid body in the frame of its bone, with the mass of all bones that move with it.
pub(super) struct BoneMassProperties {
    pub bone: usize,
    pub properties: MassProperties,
}

/// Bodies in the order of their bones, and the body that each bone moves with.
pub(super) fn bodies(
    character: &Character,
    pose: &[(DVec3, DQuat)],
) -> Result<(Vec<BoneMassProperties>, Vec<Option<Ride>>), RagdollError> {
    let weightless = |mass: f64| mass.is_finite() && mass >= 0.0;
    if let Some(bone) = character.bodies.iter().position(|body| !weightless(body.mass)) {
        let source = BodyError::Mass { kilograms: character.bodies[bone].mass };
        return Err(RagdollError::Body { bone: character.skeleton.bones()[bone].name.clone(), source });
    }
    let owners = owners(character);
    let bones: Vec<usize> = (0..owners.len()).filter(|&bone| owners[bone] == Some(bone)).collect();
    if bones.is_empty() {
        return Err(RagdollError::NoMass);
    }
    let mut rides = Vec::with_capacity(owners.len());
    let mut parts = vec![Vec::new(); bones.len()];
    for (bone, owner) in owners.iter().enumerate() {
        let ride = owner.and_then(|owner| {
            let (position, rotation) = inside(pose[owner], pose[bone]);
            Some(Ride { body: bones.binary_search(&owner).ok()?, position, rotation })
        });
        if let Some(ride) = ride.filter(|_| character.bodies[bone].mass > 0.0) {
            parts[ride.body].push(riding_mass(character, bone, &ride));
        }
        rides.push(ride);
    }
    let (extent, mass) = (extent(pose), character.mass());
    let body = |(parts, bone): (&Vec<MassProperties>, &usize)| {
        let whole = MassProperties::sum(parts);
        let least = if is_light(whole.mass, mass) { LEAST_GYRATION_OF_LIGHT } else { LEAST_GYRATION };
        BoneMassProperties { bone: *bone, properties: no_smaller(whole, least * extent) }
    };
    Ok((parts.iter().zip(&bones).map(body).collect(), rides))
}

/// Whether a body is too light for its rotation to be visible.
pub(super) fn is_light(mass: f64, whole: f64) -> bool {
    mass < LIGHT * whole
}

/// Mass properties of a bone in the frame of the body that it moves with.
fn riding_mass(character: &Character, bone: usize, ride: &Ride) -> MassProperties {
    let body = &character.bodies[bone];
    let own = MassProperties { mass: body.mass, center: body.center, inertia: body.inertia };
    if ride.position == DVec3::ZERO && ride.rotation == DQuat::IDENTITY {
        return own;
    }
    own.placed(ride.position, ride.rotation)
}

/// Bone whose body carries each bone.
fn owners(character: &Character) -> Vec<Option<usize>> {
    let bones = character.skeleton.bones();
    let mut owners: Vec<Option<usize>> = vec![None; bones.len()];
    for bone in 0..bones.len() {
        let above = bones[bone].parent.and_then(|parent| owners[parent]);
        let turns = above.is_none() || character.ranges[bone] != JointRange::Fixed;
        owners[bone] = if character.bodies[bone].mass > 0.0 && turns { Some(bone) } else { above };
    }
    // A bone without a body above moves with the first body below; a bone with neither moves with its parent.
    let mut below: Vec<Option<usize>> = owners.clone();
    for bone in (0..bones.len()).rev() {
        if let Some(parent) = bones[bone].parent.filter(|&parent| owners[parent].is_none()) {
            below[parent] = below[bone].or(below[parent]);
        }
    }
    for bone in 0..bones.len() {
        owners[bone] = owners[bone].or(below[bone]).or(bones[bone].parent.and_then(|parent| owners[parent]));
    }
    owners
}

/// Mass properties with at least the least size about the same center.
fn no_smaller(properties: MassProperties, least: f64) -> MassProperties {
    let moments = tensor::second_moments(properties.inertia);
    let mean = (moments.x_axis.x + moments.y_axis.y + moments.z_axis.z) / 3.0;
    let missing = properties.mass * least * least - mean;
    if missing.is_nan() || missing <= 0.0 {
        return properties;
    }
    // A second moment `s` about every plane is an inertia of `2 s` about every axis.
    let inertia = properties.inertia + DMat3::from_diagonal(DVec3::splat(2.0 * missing));
    MassProperties { inertia, ..properties }
}

/// Mass properties with at least the least thickness.
pub(super) fn no_thinner(properties: MassProperties, least: f64) -> MassProperties {
    let (moments, axes) = tensor::principal(tensor::second_moments(properties.inertia));
    let least = least * moments.max(DVec3::ZERO).element_sum() / 3.0;
    if moments.min_element() >= least || least.is_nan() {
        return properties;
    }
    let thick = DMat3::from_diagonal(moments.max(DVec3::splat(least)));
    let inertia = tensor::from_second_moments(axes * thick * axes.transpose());
    MassProperties { inertia, ..properties }
}

/// Longest side of the AABB around the bones, meters.
fn extent(pose: &[(DVec3, DQuat)]) -> f64 {
    let (low, high) = pose.iter().fold((DVec3::MAX, DVec3::MIN), |(l, h), (p, _)| (l.min(*p), h.max(*p)));
    (high - low).max_element().max(0.0)
}
