//! Which bones are rigid bodies, and what rides on them.

use glam::{DMat3, DQuat, DVec3};

use super::{RagdollError, Ride, inside};
use crate::character::{Character, JointRange};
use crate::collision::{MassProperties, tensor};
use crate::particles::body::BodyError;

/// Least second moment of a body as a fraction of their mean: nothing is thinner than a hundredth of its length.
pub(super) const LEAST_MOMENT: f64 = 1e-4;

/// Least radius of gyration as a fraction of the character's extent: 3 mm on a person. What is smaller (a point mass) would
/// turn faster than any step can follow.
const LEAST_GYRATION: f64 = 0.002;

/// The same for bodies lighter than [`LIGHT`] of the whole, of whose inertia nobody sees anything: 1.7 cm on a person. Fingers of
/// a gram that a hand throws about would turn by tenths of a radian in a substep.
const LEAST_GYRATION_OF_LIGHT: f64 = 0.01;

/// What counts as light, by the mass of the whole.
const LIGHT: f64 = 1e-3;

/// A rigid body in the frame of the bone it is named after, with everything that rides on it.
pub(super) struct BoneMassProperties {
    pub bone: usize,
    pub properties: MassProperties,
}

/// The bodies in the order of their bones, and what each bone rides on.
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

/// Whether a body is one of those too light to be seen turning.
pub(super) fn is_light(mass: f64, whole: f64) -> bool {
    mass < LIGHT * whole
}

/// The mass properties of a bone in the frame of the body it rides on.
fn riding_mass(character: &Character, bone: usize, ride: &Ride) -> MassProperties {
    let body = &character.bodies[bone];
    let own = MassProperties { mass: body.mass, center: body.center, inertia: body.inertia };
    if ride.position == DVec3::ZERO && ride.rotation == DQuat::IDENTITY {
        return own;
    }
    own.placed(ride.position, ride.rotation)
}

/// The bone whose body carries each bone.
fn owners(character: &Character) -> Vec<Option<usize>> {
    let bones = character.skeleton.bones();
    let mut owners: Vec<Option<usize>> = vec![None; bones.len()];
    for bone in 0..bones.len() {
        let above = bones[bone].parent.and_then(|parent| owners[parent]);
        let turns = above.is_none() || character.ranges[bone] != JointRange::Fixed;
        owners[bone] = if character.bodies[bone].mass > 0.0 && turns { Some(bone) } else { above };
    }
    // What has no body above rides on the first below; what has neither rides with its parent.
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

/// The body, or one of the least size about the same center.
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

/// The body, or one with the least thickness.
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

/// The longest side of the box around the bones, metres.
fn extent(pose: &[(DVec3, DQuat)]) -> f64 {
    let (low, high) = pose.iter().fold((DVec3::MAX, DVec3::MIN), |(l, h), (p, _)| (l.min(*p), h.max(*p)));
    (high - low).max_element().max(0.0)
}
