//! From a skeleton and what a file tells besides to a character with masses, ranges, solids and contact points.
//!
//! A humanoid (roles declared by the file, found, or given) is weighed by a table of human segments; anything else by the
//! volume of capsules along its bones (S1, S32). Solids given with the skeleton stand in for those by role; where the
//! skin is known, contact points are its extremes, else they stand where a human body touches the world. Nothing but
//! bones of the body touches: IK targets and control bones on the floor do not.

use std::collections::BTreeMap;

use glam::{DQuat, DVec3};
use thiserror::Error;

use super::anthropometry::{self, Anthropometry, assumed_mass};
use super::family::Family;
use super::humanoid::{RoleError, RoleMap, declared, overridden, roles};
use super::humanoid_names::meaning;
use super::landmarks::Landmarks;
use super::range::anatomical;
use super::{Body, Character, ContactPoint, JointRange, Role, Skeleton, geometric, shapes_by_role};
use crate::collision::shape::PlacedShape;
use crate::motion::{Clip, WorldMotion};

/// What is known of a character besides its skeleton. Metres, y up, bone frames: as conformed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Evidence<'a> {
    /// A clip of the skeleton: its first frame stands in for a rest pose whose offsets are collapsed.
    pub clip: Option<&'a Clip>,
    /// Roles the file declares (VRM), bone and role; used where they make a humanoid.
    pub declared_roles: &'a [(usize, Role)],
    /// Solids by bone.
    pub shapes: &'a [(usize, PlacedShape)],
    /// Vertices of the skin by bone.
    pub skin_points: &'a [(usize, DVec3)],
}

/// What a person chooses about a body.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BodySettings {
    /// The table humanoids are weighed by.
    pub anthropometry: Anthropometry,
    /// Total mass, kilograms; else assumed from height (humanoids) or volume.
    pub mass: Option<f64>,
    /// Standing height, metres. It stands in for the skeleton's own in the assumed mass; it does not scale anything
    /// (the size of the skeleton follows from its unit, see [`super::units`]).
    pub height: Option<f64>,
    /// Roles by bone name, over all others.
    pub roles: Vec<(Role, String)>,
}

/// A character, and what was assumed to make it.
#[derive(Clone, Debug, PartialEq)]
pub struct Assembled {
    /// Frozen.
    pub character: Character,
    /// Who was taken for what.
    pub roles: RoleMap,
    /// Standing height of a humanoid, metres.
    pub height: Option<f64>,
    /// One sentence each.
    pub notes: Vec<String>,
}

/// Why a character could not be made.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum CharacterError {
    /// Roles given by a person do not fit.
    #[error(transparent)]
    Role(#[from] RoleError),
    /// A mass or height that is not a positive number.
    #[error("the {what} is {value}; it must be a positive number")]
    NotPositive {
        /// "mass" or "height".
        what: &'static str,
        /// As given.
        value: f64,
    },
    /// Evidence for a bone the skeleton does not have.
    #[error("a shape or skin point belongs to bone {bone} of a skeleton of {bones} bones")]
    NoSuchBone {
        /// Index as given.
        bone: usize,
        /// Bones there are.
        bones: usize,
    },
}

/// Makes a character of a conformed skeleton. Errors name the bone or the setting.
pub fn assemble(
    skeleton: &Skeleton,
    evidence: &Evidence<'_>,
    settings: &BodySettings,
) -> Result<Assembled, CharacterError> {
    check(skeleton, evidence, settings)?;
    let map = overridden(skeleton, &role_map(skeleton, evidence), &settings.roles)?;
    let mut notes = Vec::new();
    let pose = reference_pose(skeleton, evidence.clip, &map, &mut notes);
    let marks = if map.is_humanoid() { Landmarks::new(skeleton, &map, pose.clone()) } else { None };
    let Some(marks) = marks else {
        if map.is_humanoid() {
            notes.push("the humanoid's joints coincide at rest; it is weighed by volume".into());
        }
        return Ok(by_volume(skeleton, evidence, settings, map, &pose, notes));
    };
    let height = settings.height.unwrap_or_else(|| marks.height());
    let mass = settings.mass.unwrap_or_else(|| assumed_mass(height));
    let table = settings.anthropometry;
    let assumed = if settings.mass.is_some() {
        String::new()
    } else {
        format!(", {mass:.1} kg assumed for {height:.2} m (22 kg/m²)")
    };
    let mut bodies = anthropometry::bodies(&marks, table, mass);
    let shapes = shapes_by_role::shapes(&marks);
    give_shapes(&mut bodies, evidence.shapes, &shapes);
    let bones_of_body = bones_of_body(skeleton, &map);
    let skin = skin_contacts(evidence.skin_points, &bones_of_body);
    let contacts = if skin.is_empty() { shapes_by_role::contacts(&marks) } else { skin };
    missing_parts(&marks, &mut notes);
    let character = Character {
        skeleton: skeleton.clone(),
        bodies,
        ranges: anatomical(&marks, &map),
        roles: map.roles.clone(),
        contacts,
        body_source: format!("{}{assumed}", table.source()),
    };
    Ok(Assembled { character, roles: map, height: Some(height), notes })
}

fn check(skeleton: &Skeleton, evidence: &Evidence<'_>, settings: &BodySettings) -> Result<(), CharacterError> {
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

fn role_map(skeleton: &Skeleton, evidence: &Evidence<'_>) -> RoleMap {
    let given = declared(skeleton, evidence.declared_roles);
    if given.is_humanoid() { given } else { roles(skeleton) }
}

/// The rest pose; the first frame of the clip where the legs of a humanoid, or all bones of anything else, have no length
/// at rest.
pub(crate) fn reference_pose(
    skeleton: &Skeleton,
    clip: Option<&Clip>,
    map: &RoleMap,
    notes: &mut Vec<String>,
) -> Vec<(DVec3, DQuat)> {
    let rest = skeleton.rest_pose();
    let legs = [super::Side::Left, super::Side::Right].map(|side| {
        Some(rest[map.bone_of(Role::UpperLeg(side))?].0.distance(rest[map.bone_of(Role::LowerLeg(side))?].0))
    });
    let collapsed = match legs {
        [Some(left), Some(right)] => left.min(right) < 1e-6,
        _ => rest.iter().all(|(position, _)| position.distance(rest[0].0) < 1e-6),
    };
    match clip.filter(|_| collapsed && skeleton.len() > 1) {
        None => rest,
        Some(clip) => {
            notes.push("the rest pose is collapsed; the body is measured in the first frame of the clip".into());
            let world = WorldMotion::new(skeleton, &clip.cut(0, 1));
            (0..skeleton.len()).map(|bone| (world.position(bone, 0), world.rotation(bone, 0))).collect()
        }
    }
}

fn by_volume(
    skeleton: &Skeleton,
    evidence: &Evidence<'_>,
    settings: &BodySettings,
    map: RoleMap,
    pose: &[(DVec3, DQuat)],
    mut notes: Vec<String>,
) -> Assembled {
    let (bodies, contacts) = geometric::bodies(skeleton, pose, evidence.shapes, evidence.skin_points, settings.mass);
    let carried: Vec<bool> = bodies.iter().map(|body| body.mass > 0.0).collect();
    let skin = skin_contacts(evidence.skin_points, &carried);
    let moving = carried.iter().filter(|&&carried| carried).count();
    let body_source = if moving == 1 {
        notes.push("one rigid body".into());
        String::from("one rigid body")
    } else {
        notes.push("no humanoid: weighed by the volume of its bones".into());
        String::from("capsules along the bones, 1000 kg/m³")
    };
    let contacts =
        if skin.is_empty() && contacts.is_empty() { geometric::of_shapes(&bodies) } else { [skin, contacts].concat() };
    let character = Character {
        skeleton: skeleton.clone(),
        ranges: vec![JointRange::Free; bodies.len()],
        roles: map.roles.clone(),
        contacts,
        bodies,
        body_source,
    };
    Assembled { character, roles: map, height: None, notes }
}

/// Solids that came with the skeleton where a bone has any, else those by role.
fn give_shapes(bodies: &mut [Body], given: &[(usize, PlacedShape)], by_role: &[(usize, PlacedShape)]) {
    for (bone, body) in bodies.iter_mut().enumerate() {
        let of = |list: &[(usize, PlacedShape)]| -> Vec<PlacedShape> {
            list.iter().filter(|(owner, _)| *owner == bone).map(|(_, shape)| shape.clone()).collect()
        };
        let own = of(given);
        body.shapes = if own.is_empty() || body.mass == 0.0 { of(by_role) } else { own };
    }
}

/// Bones that move with a part of the body: those with a role and what hangs on them, helpers excepted.
fn bones_of_body(skeleton: &Skeleton, map: &RoleMap) -> Vec<bool> {
    let family = Family::new(skeleton);
    let mut of_body = vec![false; skeleton.len()];
    for bone in 0..skeleton.len() {
        let carried = family.parent(bone).is_some_and(|parent| of_body[parent]);
        of_body[bone] = map.roles[bone].is_some() || (carried && !is_control(&skeleton.bones()[bone].name));
    }
    of_body
}

fn is_control(name: &str) -> bool {
    let name = name.to_lowercase();
    meaning(&name).helper && ["ik", "target", "ctrl", "control", "pole", "slot"].iter().any(|word| name.contains(word))
}

/// The extremes of each bone's skin in the directions to the faces, edges and corners of a cube.
fn skin_contacts(skin: &[(usize, DVec3)], of_body: &[bool]) -> Vec<ContactPoint> {
    let mut by_bone: BTreeMap<usize, Vec<DVec3>> = BTreeMap::new();
    for &(bone, point) in skin.iter().filter(|(bone, _)| of_body[*bone]) {
        by_bone.entry(bone).or_default().push(point);
    }
    let mut contacts = Vec::new();
    for (bone, points) in by_bone {
        let mut chosen: Vec<usize> = (0..27).filter(|&at| at != 13).map(|at| extreme(&points, direction(at))).collect();
        chosen.sort_unstable();
        chosen.dedup();
        contacts.extend(chosen.into_iter().map(|at| ContactPoint { bone, position: points[at], radius: 0.0 }));
    }
    contacts
}

fn direction(at: usize) -> DVec3 {
    let step = |digit: usize| (at / digit % 3) as f64 - 1.0;
    DVec3::new(step(1), step(3), step(9))
}

fn extreme(points: &[DVec3], along: DVec3) -> usize {
    let reach = |at: &usize| along.dot(points[*at]);
    (0..points.len()).max_by(|a, b| reach(a).total_cmp(&reach(b)).then(b.cmp(a))).expect("a bone with skin has points")
}

fn missing_parts(marks: &Landmarks, notes: &mut Vec<String>) {
    if marks.arms.len() < 2 {
        notes.push("an arm is missing; its mass is spread over the rest of the body".into());
    }
    if marks.feet.iter().any(|foot| marks.legs.iter().any(|leg| leg.bones[1] == foot.bone)) {
        notes.push("the legs have no foot bone of their own; the foot rides on the shin".into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::character::Bone;
    use crate::collision::shape::Shape;
    use crate::samples::humanoid;

    fn alone(name: &str) -> Skeleton {
        let bone =
            Bone { name: name.into(), parent: None, translation: DVec3::ZERO, rotation: DQuat::IDENTITY, ends: vec![] };
        Skeleton::new(vec![bone]).unwrap()
    }

    #[test]
    fn s32_one_rigid_node_is_one_body_of_its_own_solid() {
        let ball = PlacedShape {
            shape: Shape::Sphere { radius: 0.11 },
            position: DVec3::new(0.0, 0.5, 0.0),
            rotation: DQuat::IDENTITY,
        };
        let skeleton = alone("ball");
        let evidence = Evidence { shapes: &[(0, ball)], ..Evidence::default() };
        let settings = BodySettings { mass: Some(0.43), ..BodySettings::default() };
        let body = assemble(&skeleton, &evidence, &settings).unwrap().character.bodies.remove(0);
        assert!((body.mass - 0.43).abs() < 1e-15);
        assert_eq!(body.center, DVec3::new(0.0, 0.5, 0.0));
        assert!((body.inertia.x_axis.x - 0.4 * 0.43 * 0.11 * 0.11).abs() < 1e-15);
        let unknown = assemble(&skeleton, &Evidence::default(), &BodySettings::default()).unwrap().character;
        assert_eq!(unknown.bodies[0].shapes[0].shape, Shape::Sphere { radius: 0.1 });
        assert!((unknown.mass() - 1.0).abs() < 1e-15);
    }

    #[test]
    fn s32_a_box_of_skin_weighs_and_touches_like_a_box() {
        let corners: Vec<(usize, DVec3)> = (0..8)
            .map(|at: usize| {
                let sign = |bit: usize| if at >> bit & 1 == 0 { -1.0 } else { 1.0 };
                (0, DVec3::new(0.1 * sign(0), 0.2 * sign(1), 0.3 * sign(2)))
            })
            .collect();
        let evidence = Evidence { skin_points: &corners, ..Evidence::default() };
        let settings = BodySettings { mass: Some(12.0), ..BodySettings::default() };
        let crate_ = assemble(&alone("crate"), &evidence, &settings).unwrap().character;
        // Full sides 0.2, 0.4, 0.6: Ix = m (b² + c²)/12.
        assert!((crate_.bodies[0].inertia.x_axis.x - (0.16 + 0.36)).abs() < 1e-12);
        assert_eq!(crate_.contacts.len(), 8);
    }

    #[test]
    fn garbage_ends_move_no_mass() {
        let person = humanoid();
        let mut bones = person.skeleton.bones().to_vec();
        for name in ["RightHand", "LeftToes", "Head"] {
            let bone = person.skeleton.find(name).unwrap();
            bones[bone].ends = vec![DVec3::new(1.618, 0.001, 0.009), DVec3::ZERO];
        }
        let garbage = Skeleton::new(bones).unwrap();
        let settings = BodySettings { mass: Some(70.0), ..BodySettings::default() };
        let body = assemble(&garbage, &Evidence::default(), &settings).unwrap().character;
        for (bone, (own, clean)) in body.bodies.iter().zip(&person.bodies).enumerate() {
            let name = &garbage.bones()[bone].name;
            assert!((own.mass - clean.mass).abs() < 1e-12, "{name}");
            assert!(own.center.distance(clean.center) < 0.03, "{name}: {} and {}", own.center, clean.center);
        }
        let reach = body.contacts.iter().map(|contact| contact.position.length()).fold(0.0, f64::max);
        assert!(reach < 0.4, "no contact point far from its bone: {reach}");
    }

    #[test]
    fn skin_on_control_bones_never_touches_the_floor() {
        let person = humanoid();
        let mut bones = person.skeleton.bones().to_vec();
        for (name, parent) in [("IK-foot.l", None), ("footIK_target", Some(0))] {
            bones.push(Bone { name: name.into(), parent, ends: vec![], ..bones[0].clone() });
        }
        let skeleton = Skeleton::new(bones).unwrap();
        let foot = skeleton.find("LeftFoot").unwrap();
        let skin: Vec<(usize, DVec3)> =
            [foot, skeleton.len() - 2, skeleton.len() - 1].map(|bone| (bone, DVec3::new(0.0, -0.07, 0.1))).to_vec();
        let evidence = Evidence { skin_points: &skin, ..Evidence::default() };
        let body = assemble(&skeleton, &evidence, &BodySettings::default()).unwrap().character;
        assert!(body.contacts.iter().all(|contact| contact.bone == foot) && !body.contacts.is_empty());
        let bare = assemble(&skeleton, &Evidence::default(), &BodySettings::default()).unwrap().character;
        assert!(bare.contacts.iter().all(|contact| contact.bone < skeleton.len() - 2));
        assert_eq!(bare.bodies[skeleton.len() - 2].mass, 0.0);
    }

    #[test]
    fn the_source_of_the_mass_says_what_was_assumed() {
        let person = humanoid().skeleton;
        let settings = BodySettings { height: Some(1.7), ..BodySettings::default() };
        let assumed = assemble(&person, &Evidence::default(), &settings).unwrap().character;
        assert_eq!(assumed.body_source, "de Leva 1996 mean, 63.6 kg assumed for 1.70 m (22 kg/m²)");
        assert!((assumed.mass() - 22.0 * 1.7 * 1.7).abs() < 1e-12);
    }

    #[test]
    fn x14_collapsed_skeletons_and_senseless_settings_are_no_panic() {
        let person = humanoid().skeleton;
        let collapsed: Vec<Bone> =
            person.bones().iter().map(|bone| Bone { translation: DVec3::ZERO, ends: vec![], ..bone.clone() }).collect();
        let collapsed = Skeleton::new(collapsed).unwrap();
        let body = assemble(&collapsed, &Evidence::default(), &BodySettings::default()).unwrap();
        assert!(body.character.mass() > 0.0 && body.character.mass().is_finite());
        for mass in [0.0, -1.0, f64::NAN] {
            let settings = BodySettings { mass: Some(mass), ..BodySettings::default() };
            let error = assemble(&person, &Evidence::default(), &settings).unwrap_err();
            assert!(error.to_string().starts_with("the mass is"), "{error}");
        }
        let evidence = Evidence { skin_points: &[(99, DVec3::ZERO)], ..Evidence::default() };
        assert!(assemble(&person, &evidence, &BodySettings::default()).is_err());
    }

    #[test]
    fn knees_and_elbows_bend_one_way_and_arms_of_a_t_pose_start_at_ninety_degrees() {
        use crate::character::Side::{Left, Right};
        use core::f64::consts::FRAC_PI_2;
        let person = humanoid();
        let range = |role| &person.ranges[person.bone_of(role).unwrap()];
        for side in [Left, Right] {
            let JointRange::Hinge { axis, lower, upper } = *range(Role::LowerLeg(side)) else { panic!() };
            // Heel to the back: the shank's −y turns to −z about +x.
            assert!(
                (axis - DVec3::X).length() < 1e-9 && lower.abs() < 1e-9 && (upper - 135f64.to_radians()).abs() < 1e-9
            );
            let JointRange::Hinge { axis, lower, upper } = *range(Role::LowerArm(side)) else { panic!() };
            let outward = if side == Left { DVec3::X } else { -DVec3::X };
            let bent = crate::math::rotation::about(axis, 0.5 * (lower + upper)) * outward;
            assert!(bent.z > 0.9, "the forearm bends forward: {bent}");
            let JointRange::SwingTwist { frame, swing_z, .. } = *range(Role::UpperArm(side)) else { panic!() };
            assert!((frame * DVec3::Y - outward).length() < 1e-9);
            let reach = |angle: f64| crate::math::rotation::about(frame * DVec3::Z, angle) * outward;
            let [low, high] = swing_z.map(reach);
            assert!(low.y.max(high.y) > 0.99, "up to the ear");
            assert!((swing_z[1] - swing_z[0] - 225f64.to_radians()).abs() < 1e-9);
            assert!(swing_z[0] <= -FRAC_PI_2 && swing_z[1] >= FRAC_PI_2);
        }
    }
}
