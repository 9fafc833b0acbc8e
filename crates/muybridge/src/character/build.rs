//! Builds a character with masses, joint ranges, shapes and contact points from a skeleton and further data of its
//! file.
//!
//! A humanoid (roles declared by the file, detected, or given) gets masses from an anthropometric table, anything else
//! from the volume of capsules along its bones (S1, S32). Shapes given with the skeleton replace shapes by role.
//! Contact points are the extremes of the skin where it covers the body, elsewhere the usual contact points of a human
//! body. Only bones of the body get contact points: IK targets, control bones, hair and capes do not.

use glam::{DQuat, DVec3};
use thiserror::Error;

use super::ancestry::Family;
use super::anthropometry::{self, Anthropometry, assumed_mass};
use super::humanoid::{RoleError, RoleMap, declared, overridden, roles_in_motion, why_no_humanoid};
use super::humanoid_names::meaning;
use super::landmarks::Landmarks;
use super::range::anatomical;
use super::reference_pose::{ReferencePose, reference_pose};
use super::skin::{self, Skin};
use super::{Body, Character, JointRange, Role, Skeleton, flat_feet, geometric, shapes_by_role};
use crate::collision::shape::PlacedShape;
use crate::motion::Clip;

/// Known data of a character besides its skeleton. Meters, y up, bone frames: as conformed.
#[derive(Clone, Copy, Debug, Default)]
pub struct CharacterEvidence<'a> {
    /// A clip of the skeleton. Its mean stance replaces a rest pose that is no pose, and soles are leveled where
    /// feet rest in the clip.
    pub clip: Option<&'a Clip>,
    /// Roles that the file declares (VRM), as bone and role; used if they make a humanoid.
    pub declared_roles: &'a [(usize, Role)],
    /// Collision shapes, each with its bone.
    pub shapes: &'a [(usize, PlacedShape)],
    /// Skin vertices, each with its bone.
    pub skin_points: &'a [(usize, DVec3)],
}

/// User settings of a body.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BodySettings {
    /// Anthropometric table for humanoids.
    pub anthropometry: Anthropometry,
    /// Total mass, kilograms; `None` assumes it from height (humanoids) or volume.
    pub mass: Option<f64>,
    /// Standing height, meters; `None` takes the skeleton's own. It affects the assumed mass only and scales nothing
    /// (the size of the skeleton follows from its unit, see [`super::units`]).
    pub height: Option<f64>,
    /// Roles by bone name, which override all others.
    pub roles: Vec<(Role, String)>,
}

/// A character, and the assumptions it was built with.
#[derive(Clone, Debug, PartialEq)]
pub struct Assembled {
    /// The character.
    pub character: Character,
    /// Humanoid role of each bone.
    pub roles: RoleMap,
    /// Standing height of a humanoid, meters.
    pub height: Option<f64>,
    /// Notes on assumptions, one sentence each.
    pub notes: Vec<String>,
}

/// Volumes from which masses are guessed where nothing else gives them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WeighedBy {
    /// One solid: of its mesh, or along its only bone.
    OneSolid,
    /// Capsules along the bones.
    Capsules,
    /// Solids of meshes, on bones without length between them.
    LooseSolids,
}

impl WeighedBy {
    pub(crate) const ALL: [Self; 3] = [Self::OneSolid, Self::Capsules, Self::LooseSolids];

    /// The source of the masses in words.
    pub(crate) fn source(self) -> &'static str {
        match self {
            Self::OneSolid => "one rigid body",
            Self::Capsules => "capsules along the bones, 1000 kg/m³",
            Self::LooseSolids => "loose solids that no bone joins",
        }
    }
}

/// Reasons why a character could not be built.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum CharacterError {
    /// A role given by the user does not fit.
    #[error(transparent)]
    Role(#[from] RoleError),
    /// A mass or height that is not a positive number.
    #[error("the {what} is {value}; it must be a positive number")]
    NotPositive {
        /// "mass" or "height".
        what: &'static str,
        /// Given value.
        value: f64,
    },
    /// A shape or skin point names a bone that the skeleton does not have.
    #[error("a shape or skin point belongs to bone {bone} of a skeleton of {bones} bones")]
    NoSuchBone {
        /// Given bone index.
        bone: usize,
        /// Number of bones of the skeleton.
        bones: usize,
    },
}

/// Builds a character from a conformed skeleton. Errors name the bone or the setting.
pub fn assemble(
    skeleton: &Skeleton,
    evidence: &CharacterEvidence<'_>,
    settings: &BodySettings,
) -> Result<Assembled, CharacterError> {
    check(skeleton, evidence, settings)?;
    let map = overridden(skeleton, &role_map(skeleton, evidence), &settings.roles)?;
    let mut notes = Vec::new();
    let ReferencePose { world: pose, local } = reference_pose(skeleton, evidence.clip, &map);
    let measured = match local {
        None => skeleton,
        Some(local) => {
            notes.push("the rest pose is no pose; the body is measured in the mean stance of the clip".into());
            // Joint ranges count from the pose in which the body is measured.
            &skeleton.resting(&local)
        }
    };
    let marks = if map.is_humanoid() { Landmarks::new(skeleton, &map, pose.clone()) } else { None };
    let Some(mut marks) = marks else {
        if map.is_humanoid() {
            notes.push("the humanoid's joints coincide at rest; it is weighed by volume".into());
        }
        return Ok(by_volume(skeleton, evidence, settings, map, &pose, notes));
    };
    if let Some(clip) = evidence.clip {
        flat_feet::level_soles(&mut marks, skeleton, clip);
    }
    let height = settings.height.unwrap_or_else(|| marks.height());
    let mass = settings.mass.unwrap_or_else(|| assumed_mass(height));
    let table = settings.anthropometry;
    let assumed =
        if settings.mass.is_some() { String::new() } else { format!(", assumed for {height:.2} m (22 kg/m²)") };
    let mut bodies = anthropometry::bodies(&marks, table, mass);
    let shapes = shapes_by_role::shapes(&marks);
    let parents: Vec<Option<usize>> = skeleton.bones().iter().map(|bone| bone.parent).collect();
    let skin = Skin::new(evidence.skin_points, (&bones_of_body(skeleton, &map), &parents), &marks, &shapes);
    let has_skin = |bone: usize| evidence.skin_points.iter().any(|(owner, _)| *owner == bone);
    let fitted = evidence.shapes.iter().filter(|(bone, _)| !skin.misleads[*bone] || !has_skin(*bone));
    give_shapes(&mut bodies, &fitted.cloned().collect::<Vec<_>>(), &shapes);
    let mut contacts = shapes_by_role::contacts(&marks);
    contacts.retain(|contact| !skin.covers[contact.bone]);
    contacts.splice(..0, skin.contacts);
    missing_parts(&map, &marks, &mut notes);
    notes.extend(settings.height.and_then(|given| other_height(given, marks.height())));
    notes.extend(limbs_without_role(skeleton, &map, &marks));
    let character = Character {
        skeleton: measured.clone(),
        bodies,
        ranges: anatomical(&marks, &map),
        roles: map.roles.clone(),
        contacts,
        body_source: format!("{}{assumed}", table.source()),
        measured_contacts: false,
    };
    Ok(Assembled { character, roles: map, height: Some(height), notes })
}

fn check(skeleton: &Skeleton, evidence: &CharacterEvidence<'_>, settings: &BodySettings) -> Result<(), CharacterError> {
    for (what, value) in [("mass", settings.mass), ("height", settings.height)] {
        if let Some(value) = value.filter(|value| !(value.is_finite() && *value > 0.0)) {
            return Err(CharacterError::NotPositive { what, value });
        }
    }
    let bones = skeleton.len();
    let shapes = evidence.shapes.iter().map(|(bone, _)| *bone);
    let owners = shapes.chain(evidence.skin_points.iter().map(|(bone, _)| *bone));
    match owners.into_iter().find(|&bone| bone >= bones) {
        Some(bone) => Err(CharacterError::NoSuchBone { bone, bones }),
        None => Ok(()),
    }
}

fn role_map(skeleton: &Skeleton, evidence: &CharacterEvidence<'_>) -> RoleMap {
    let given = declared(skeleton, evidence.declared_roles);
    if given.is_humanoid() { given } else { roles_in_motion(skeleton, evidence.clip) }
}

/// Says that a given height does not make the skeleton that tall.
fn other_height(given: f64, own: f64) -> Option<String> {
    let apart = (own / given - 1.0).abs() > 0.05;
    apart.then(|| {
        format!(
            "the skeleton is {own:.2} m tall in its unit; a height of {given:.2} m changes its assumed mass only, --unit its size"
        )
    })
}

fn by_volume(
    skeleton: &Skeleton,
    evidence: &CharacterEvidence<'_>,
    settings: &BodySettings,
    map: RoleMap,
    pose: &[(DVec3, DQuat)],
    mut notes: Vec<String>,
) -> Assembled {
    let bodies = geometric::bodies(skeleton, pose, evidence.shapes, evidence.skin_points, settings.mass);
    let has_mass = |(bone, _): &(usize, DVec3)| bodies[*bone].mass > 0.0;
    let skin: Vec<(usize, DVec3)> = evidence.skin_points.iter().copied().filter(has_mass).collect();
    let bare = skin::bare_bones(skeleton, &skin);
    let mut contacts = skin::extremes(skin.into_iter());
    contacts.extend(geometric::of_shapes(&bodies).into_iter().filter(|contact| bare[contact.bone]));
    let moving = bodies.iter().filter(|body| body.mass > 0.0).count();
    let weighed_by = match moving {
        1 => WeighedBy::OneSolid,
        _ if geometric::has_segments(skeleton, pose) => WeighedBy::Capsules,
        _ => WeighedBy::LooseSolids,
    };
    match weighed_by {
        WeighedBy::Capsules if !map.is_humanoid() => {
            notes.push(format!(
                "weighed by the volume of its bones: {}",
                why_no_humanoid(skeleton, &map, evidence.clip)
            ));
        }
        WeighedBy::Capsules => {}
        WeighedBy::OneSolid | WeighedBy::LooseSolids => notes.push(weighed_by.source().into()),
    }
    if settings.height.is_some() {
        notes.push("a height says nothing about a body without humanoid roles; --roles FILE names them".into());
    }
    let character = Character {
        skeleton: skeleton.clone(),
        ranges: vec![JointRange::Free; bodies.len()],
        roles: map.roles.clone(),
        contacts,
        bodies,
        body_source: weighed_by.source().into(),
        measured_contacts: !evidence.shapes.is_empty(),
    };
    Assembled { character, roles: map, height: None, notes }
}

/// Gives each bone the shapes that came with the skeleton, or else its shapes by role.
fn give_shapes(bodies: &mut [Body], given: &[(usize, PlacedShape)], by_role: &[(usize, PlacedShape)]) {
    let given = shapes_by_bone(given, bodies.len());
    let by_role = shapes_by_bone(by_role, bodies.len());
    for (body, (given, by_role)) in bodies.iter_mut().zip(given.into_iter().zip(by_role)) {
        body.shapes = if given.is_empty() || body.mass == 0.0 { by_role } else { given };
    }
}

/// Groups shapes by bone.
pub(crate) fn shapes_by_bone(shapes: &[(usize, PlacedShape)], bones: usize) -> Vec<Vec<PlacedShape>> {
    let mut lists = vec![Vec::new(); bones];
    for (bone, shape) in shapes {
        lists[*bone].push(shape.clone());
    }
    lists
}

/// Bones that belong to the body: bones with a role, those between them, and what is below an arm or a leg, without
/// control bones. Hair and capes hang on the trunk or the head.
fn bones_of_body(skeleton: &Skeleton, map: &RoleMap) -> Vec<bool> {
    let bones = skeleton.bones();
    let mut carries_role: Vec<bool> = map.roles.iter().map(Option::is_some).collect();
    for bone in (0..bones.len()).rev() {
        if let Some(parent) = bones[bone].parent {
            carries_role[parent] |= carries_role[bone];
        }
    }
    let (mut of_body, mut of_limb) = (vec![false; bones.len()], vec![false; bones.len()]);
    for (bone, own) in bones.iter().enumerate() {
        let above = |flags: &[bool]| own.parent.is_some_and(|parent| flags[parent]);
        let role = map.roles[bone];
        of_limb[bone] = match role {
            Some(role) => role.side().is_some() && !matches!(role, Role::Shoulder(_)),
            None => above(&of_limb) && !is_control(&own.name),
        };
        of_body[bone] = role.is_some() || of_limb[bone] || (above(&of_body) && carries_role[bone]);
    }
    of_body
}

fn is_control(name: &str) -> bool {
    let name = name.to_lowercase();
    meaning(&name).helper && ["ik", "target", "ctrl", "control", "pole", "slot"].iter().any(|word| name.contains(word))
}

/// Says which parts of a person have no bone.
fn missing_parts(map: &RoleMap, marks: &Landmarks, notes: &mut Vec<String>) {
    use super::Side::{Left, Right};
    let has = |role: Role| map.bone_of(role).is_some();
    let missing: Vec<&str> = [("left", Left), ("right", Right)]
        .into_iter()
        .filter_map(|(name, side)| (!marks.arms.iter().any(|arm| arm.side == side)).then_some(name))
        .collect();
    if !missing.is_empty() {
        let arms = missing.join(" arm and the ");
        notes.push(format!(
            "no bone was found for the {arms} arm; its mass is spread over the rest of the body; --roles FILE names it"
        ));
    }
    let lacks = |of: fn(super::Side) -> Role, end: fn(super::Side) -> Role| {
        [Left, Right].into_iter().any(|side| has(of(side)) && !has(end(side)))
    };
    if lacks(Role::UpperArm, Role::LowerArm) {
        notes.push("the arms have no lower bone; forearm and hand ride on the upper arm".into());
    } else if lacks(Role::LowerArm, Role::Hand) {
        notes.push("the arms have no hand bone of their own; the hand rides on the forearm".into());
    }
    if lacks(Role::LowerLeg, Role::Foot) {
        notes.push("the legs have no foot bone of their own; the foot rides on the shin".into());
    }
    if !has(Role::Head) {
        notes.push("no bone was found for the head; its mass is on the bone below".into());
    }
}

/// Chains of at least three bones on the trunk, as long as half of it, of which no bone has a role: one sentence each.
fn limbs_without_role(skeleton: &Skeleton, map: &RoleMap, marks: &Landmarks) -> Vec<String> {
    let (family, bones) = (Family::new(skeleton), skeleton.bones());
    let mut has_role: Vec<bool> = map.roles.iter().map(Option::is_some).collect();
    for bone in (0..bones.len()).rev() {
        if let Some(parent) = family.parent(bone) {
            has_role[parent] |= has_role[bone];
        }
    }
    let is_trunk = |bone: usize| match map.roles[bone] {
        Some(Role::Shoulder(_)) => true,
        Some(role) => role.side().is_none() && role != Role::Head,
        None => has_role[bone],
    };
    let is_free = |bone: usize| !has_role[bone] && !meaning(&bones[bone].name).helper;
    let limb = |start: usize| {
        let (mut chain, mut length) = (vec![start], 0.0);
        while let Some(next) = family
            .children(chain[chain.len() - 1])
            .iter()
            .copied()
            .filter(|&child| is_free(child))
            .max_by_key(|&c| family.size(c))
        {
            length += marks.pose[chain[chain.len() - 1]].0.distance(marks.pose[next].0);
            chain.push(next);
        }
        (chain.len() >= 3 && length >= 0.5 * marks.trunk).then_some(chain)
    };
    let starts = (0..bones.len()).filter(|&bone| is_free(bone) && family.parent(bone).is_some_and(is_trunk));
    let told = |chain: Vec<usize>| {
        let [first, last] = [chain[0], chain[chain.len() - 1]].map(|bone| &bones[bone].name);
        format!("the limb from “{first}” to “{last}” has no role and no mass of its own; --roles FILE names its bones")
    };
    starts.filter_map(limb).map(told).collect()
}

#[cfg(test)]
mod tests;
