//! A mannequin of fifteen capsules and fourteen joints: the ragdoll for comparisons with other engines.
//!
//! 1.75 m and 70 kg in T-pose, facing +z, left on +x, soles on y = 0. Every bone is a body of one capsule of uniform
//! density. Bone frames are at the joint to the parent, with world axes. Ten joints are cones with a symmetric
//! twist limit, elbows and knees are hinges of 0° to 140°.

use glam::{DQuat, DVec3};

use crate::character::{Body, Bone, Character, ContactPoint, JointRange, Role, Side, Skeleton};
use crate::collision::MassProperties;
use crate::collision::shape::{PlacedShape, Shape};

/// A bone and its capsule; positions in the world, meters.
struct MannequinBone {
    name: String,
    role: Role,
    parent: Option<usize>,
    /// Position of the joint to the parent.
    joint: DVec3,
    /// Half distance of the cap centers in meters, radius in meters and mass in kg.
    half_length: f64,
    radius: f64,
    mass: f64,
    center: DVec3,
    /// Unit vector along the capsule's axis.
    along: DVec3,
    range: JointRange,
}

/// The mannequin.
pub fn mannequin() -> Character {
    let mut parts = trunk();
    for side in [Side::Left, Side::Right] {
        arm(&mut parts, side);
        leg(&mut parts, side);
    }
    let place = |part: &MannequinBone| PlacedShape {
        shape: Shape::Capsule { radius: part.radius, half_length: part.half_length },
        position: part.center - part.joint,
        rotation: DQuat::from_rotation_arc(DVec3::Y, part.along),
    };
    let bones = (parts.iter())
        .map(|part| Bone {
            name: part.name.clone(),
            parent: part.parent,
            translation: part.joint - part.parent.map_or(DVec3::ZERO, |parent| parts[parent].joint),
            rotation: DQuat::IDENTITY,
            ends: Vec::new(),
        })
        .collect();
    let mut contacts = Vec::new();
    for (bone, part) in parts.iter().enumerate() {
        let ends = [-part.half_length, part.half_length].map(|at| part.center - part.joint + part.along * at);
        contacts.extend(ends.map(|position| ContactPoint { bone, position, radius: part.radius }));
    }
    Character {
        skeleton: Skeleton::new(bones).expect("parents first, names unique"),
        bodies: parts.iter().map(|part| weighed(part.mass, place(part))).collect(),
        ranges: parts.iter().map(|part| part.range.clone()).collect(),
        roles: parts.iter().map(|part| Some(part.role)).collect(),
        contacts,
        body_source: "fifteen capsules".into(),
        measured_contacts: true,
    }
}

fn weighed(mass: f64, shape: PlacedShape) -> Body {
    let MassProperties { mass, center, inertia } = MassProperties::of_placed_shape(&shape, 1000.0).with_mass(mass);
    Body { mass, center, inertia, shapes: vec![shape] }
}

fn trunk() -> Vec<MannequinBone> {
    let part = |name: &str, role, parent, joint: f64, [half_length, radius, mass, height]: [f64; 4], along, range| {
        MannequinBone {
            name: name.into(),
            role,
            parent,
            joint: DVec3::Y * joint,
            half_length,
            radius,
            mass,
            center: DVec3::Y * height,
            along,
            range,
        }
    };
    vec![
        part("pelvis", Role::Hips, None, 0.98, [0.07, 0.11, 12.0, 0.98], DVec3::X, JointRange::Free),
        part("chest", Role::Chest, Some(0), 1.10, [0.06, 0.15, 20.0, 1.29], DVec3::Y, cone(DVec3::Y, 30.0, 20.0)),
        part("head", Role::Head, Some(1), 1.50, [0.025, 0.095, 5.0, 1.65], DVec3::Y, cone(DVec3::Y, 40.0, 40.0)),
    ]
}

fn arm(parts: &mut Vec<MannequinBone>, side: Side) {
    let (letter, sign) = letter_and_sign(side);
    let first = parts.len();
    let mut add = |name: &str, role, parent, joint: f64, [half_length, radius, mass, center]: [f64; 4], range| {
        let at = |x: f64| DVec3::new(sign * x, 1.43, 0.0);
        let (joint, center) = (at(joint), at(center));
        let name = format!("{letter}_{name}");
        parts.push(MannequinBone {
            name,
            role,
            parent,
            joint,
            half_length,
            radius,
            mass,
            center,
            along: DVec3::X,
            range,
        });
    };
    let out = DVec3::X * sign;
    add("upper_arm", Role::UpperArm(side), Some(1), 0.19, [0.10, 0.045, 2.0, 0.34], cone(out, 80.0, 45.0));
    add("forearm", Role::LowerArm(side), Some(first), 0.49, [0.085, 0.04, 1.2, 0.615], bend(DVec3::Y * -sign));
    add("hand", Role::Hand(side), Some(first + 1), 0.74, [0.045, 0.035, 0.4, 0.82], cone(out, 50.0, 20.0));
}

fn leg(parts: &mut Vec<MannequinBone>, side: Side) {
    let (letter, sign) = letter_and_sign(side);
    let first = parts.len();
    let mut add = |name: &str, role, parent, joint: f64, [half_length, radius, mass, center]: [f64; 4], range| {
        let at = |y: f64| DVec3::new(sign * 0.10, y, 0.0);
        let foot = matches!(role, Role::Foot(_));
        let center = at(center) + if foot { DVec3::Z * 0.05 } else { DVec3::ZERO };
        let (joint, along) = (at(joint), if foot { DVec3::Z } else { DVec3::Y });
        let name = format!("{letter}_{name}");
        parts.push(MannequinBone { name, role, parent, joint, half_length, radius, mass, center, along, range });
    };
    let down = DVec3::NEG_Y;
    add("thigh", Role::UpperLeg(side), Some(0), 0.92, [0.13, 0.07, 8.6, 0.71], cone(down, 60.0, 25.0));
    add("shin", Role::LowerLeg(side), Some(first), 0.50, [0.14, 0.05, 3.3, 0.30], bend(DVec3::X));
    add("foot", Role::Foot(side), Some(first + 1), 0.09, [0.08, 0.04, 1.0, 0.04], cone(down, 30.0, 15.0));
}

fn letter_and_sign(side: Side) -> (&'static str, f64) {
    match side {
        Side::Left => ("l", 1.0),
        Side::Right => ("r", -1.0),
    }
}

/// Swing of `axis` inside a circular cone and twist about it, degrees to either side.
fn cone(axis: DVec3, swing: f64, twist: f64) -> JointRange {
    let (swing, twist) = (f64::to_radians(swing), f64::to_radians(twist));
    let frame = DQuat::from_rotation_arc(DVec3::Y, axis);
    JointRange::SwingTwist { frame, swing_x: [-swing, swing], swing_z: [-swing, swing], twist: [-twist, twist] }
}

fn bend(axis: DVec3) -> JointRange {
    JointRange::Hinge { axis, lower: 0.0, upper: f64::to_radians(140.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mannequin_has_the_bodies_joints_and_weight_of_the_workload() {
        let character = mannequin();
        assert_eq!(character.skeleton.len(), 15);
        assert!((character.mass() - 70.0).abs() < 1e-12, "{}", character.mass());
        let hinges = character.ranges.iter().filter(|range| matches!(range, JointRange::Hinge { .. })).count();
        let cones = character.ranges.iter().filter(|range| matches!(range, JointRange::SwingTwist { .. })).count();
        assert_eq!((hinges, cones), (4, 10));
    }

    #[test]
    fn it_stands_on_the_floor_and_is_as_tall_as_a_person() {
        let character = mannequin();
        let rest = character.skeleton.rest_pose();
        let ends =
            character.contacts.iter().map(|contact| (rest[contact.bone].0.y + contact.position.y, contact.radius));
        let (low, high) = ends.fold((f64::MAX, f64::MIN), |(l, h), (y, r)| (l.min(y - r), h.max(y + r)));
        assert!(low.abs() < 1e-12 && (high - 1.77).abs() < 0.03, "{low} {high}");
        let hand = character.bone_of(Role::Hand(Side::Left)).unwrap();
        assert!((rest[hand].0 - DVec3::new(0.74, 1.43, 0.0)).length() < 1e-12);
    }

    #[test]
    fn h1_each_body_weighs_like_its_capsule() {
        let character = mannequin();
        let thigh = &character.bodies[character.skeleton.find("l_thigh").unwrap()];
        assert!((thigh.center - DVec3::new(0.0, -0.21, 0.0)).length() < 1e-12);
        // mc r²/2 + 2 ms r²/5 with mc : ms = πr²h : 4πr³/3.
        let (r, h) = (0.07, 0.26);
        let caps = 8.6 * (4.0 * r / 3.0) / (h + 4.0 * r / 3.0);
        let along = (8.6 - caps) * r * r / 2.0 + caps * 0.4 * r * r;
        assert!((thigh.inertia.y_axis.y / along - 1.0).abs() < 1e-12);
    }
}
