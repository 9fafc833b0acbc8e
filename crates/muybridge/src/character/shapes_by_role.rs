//! Collision shapes and contact points of a human body, by role and proportion.
//!
//! Capsules run from joint to joint. Their radii are fractions of the segment's length, from circumference/2π of an
//! adult with de Leva's proportions (thigh 0.55 m around and 0.42 m long: 0.20). Contact points cover standing,
//! kneeling, sitting, lying and cartwheels: four corners of the sole and the toe tip of each foot, knees, buttocks,
//! shoulders, elbows, palms, fingertips and the head.

use glam::{DQuat, DVec3};

use super::ContactPoint;
use super::landmarks::{FootMarks, Landmarks};
use crate::collision::shape::{PlacedShape, Shape};

/// Radius divided by length of upper arm, forearm and hand.
const ARM: [f64; 3] = [0.17, 0.145, 0.16];
/// Radius divided by length of thigh and shank.
const LEG: [f64; 2] = [0.20, 0.125];
/// Radius divided by length of the foot.
const FOOT: f64 = 0.13;
/// Center height, half distance of cap centers, and radius of the trunk's thirds, as fractions of mid-hip to
/// mid-shoulder.
const TRUNK: [[f64; 3]; 3] = [[0.06, 0.13, 0.20], [0.48, 0.11, 0.19], [0.82, 0.15, 0.20]];
/// Radius of the head as a fraction of vertex to cervicale.
const HEAD: f64 = 0.36;

/// Radius of the neck as a fraction of vertex to cervicale.
const NECK: f64 = 0.24;

/// Shapes, each with its bone, in bone frames.
pub(crate) fn shapes(marks: &Landmarks) -> Vec<(usize, PlacedShape)> {
    let mut shapes = Vec::new();
    let mut add = |bone: usize, ends: [DVec3; 2], radius: f64| {
        shapes.extend(capsule(marks.pose[bone], ends, radius).map(|shape| (bone, shape)));
    };
    for (third, [height, half_width, radius]) in TRUNK.into_iter().enumerate() {
        let (center, across) = (marks.on_trunk(height), marks.left * ((half_width + radius) * marks.trunk));
        add(marks.trunk_bone(third), [center + across, center - across], radius * marks.trunk);
    }
    let head = marks.vertex - marks.cervicale;
    add(marks.head_bone, [marks.cervicale + head * 0.09, marks.vertex], HEAD * head.length());
    add(marks.head_bone, [marks.cervicale - head * 0.35, marks.cervicale + head * 0.4], NECK * head.length());
    for arm in &marks.arms {
        for (at, ratio) in ARM.into_iter().enumerate() {
            add(
                arm.bones[at],
                [arm.points[at], arm.points[at + 1]],
                ratio * arm.points[at].distance(arm.points[at + 1]),
            );
        }
    }
    for (leg, foot) in marks.legs.iter().zip(&marks.feet) {
        for (at, ratio) in LEG.into_iter().enumerate() {
            add(
                leg.bones[at],
                [leg.points[at], leg.points[at + 1]],
                ratio * leg.points[at].distance(leg.points[at + 1]),
            );
        }
        let (radius, raise) = (FOOT * foot.length, foot.up * (FOOT * foot.length));
        add(foot.bone, [foot.sole(FOOT, 0.0) + raise, foot.sole(1.0 - FOOT, 0.0) + raise], radius);
    }
    shapes
}

/// Contact points of a human body.
pub(crate) fn contacts(marks: &Landmarks) -> Vec<ContactPoint> {
    let mut points = Vec::new();
    for foot in &marks.feet {
        points.extend(sole_points(marks, foot));
    }
    let mut add = |bone: usize, at: DVec3, radius: f64| {
        points.push(contact(bone, marks.pose[bone], at, radius));
    };
    let back = marks.up.cross(marks.left);
    for leg in &marks.legs {
        let [hip, knee, ..] = leg.points;
        let thigh = hip.distance(knee);
        add(leg.bones[1], knee, 0.13 * thigh);
        add(marks.trunk_bones[0].0, hip + (back - marks.up) * (0.08 * thigh), 0.17 * thigh);
    }
    for arm in &marks.arms {
        let [shoulder, elbow, wrist, tip] = arm.points;
        let length = shoulder.distance(elbow);
        add(arm.bones[0], shoulder, 0.18 * length);
        add(arm.bones[1], elbow, 0.14 * length);
        add(arm.bones[2], wrist.lerp(tip, 0.35), 0.06 * length);
        add(arm.bones[2], tip, 0.03 * length);
    }
    let head = marks.vertex - marks.cervicale;
    add(marks.head_bone, marks.vertex - head * HEAD, HEAD * head.length());
    points
}

/// Contact points of a sole: heel corners and ball of the foot; the toe tip belongs to the toe bone if there is one.
fn sole_points(marks: &Landmarks, foot: &FootMarks) -> Vec<ContactPoint> {
    let outward = match foot.side {
        super::Side::Left => 1.0,
        super::Side::Right => -1.0,
    };
    let heel_and_ball = [[0.03, 0.10], [0.03, -0.10], [0.73, -0.17 * outward], [0.66, 0.20 * outward]];
    let toes = [[0.98, -0.06 * outward], [0.88, 0.16 * outward]];
    let on_foot = |[along, across]: [f64; 2]| contact(foot.bone, marks.pose[foot.bone], foot.sole(along, across), 0.0);
    let on_toes = |[along, across]: [f64; 2]| match foot.toes {
        Some(toes) => contact(toes, foot.toes_pose, foot.sole(along, across), 0.0),
        None => on_foot([along, across]),
    };
    heel_and_ball.into_iter().map(on_foot).chain(toes.into_iter().map(on_toes)).collect()
}

/// Converts a world point of the reference pose to a contact point of a bone.
fn contact(bone: usize, (origin, rotation): (DVec3, DQuat), at: DVec3, radius: f64) -> ContactPoint {
    ContactPoint { bone, position: rotation.inverse() * (at - origin), radius }
}

/// The capsule between two world points, caps included, in the frame of a bone; `None` between equal points.
pub(crate) fn capsule((origin, rotation): (DVec3, DQuat), [a, b]: [DVec3; 2], radius: f64) -> Option<PlacedShape> {
    let length = a.distance(b);
    if !(length > 0.0 && radius > 0.0) {
        return None;
    }
    let radius = radius.min(0.5 * length);
    let into_bone = rotation.inverse();
    let along = into_bone * ((b - a) / length);
    Some(PlacedShape {
        shape: Shape::Capsule { radius, half_length: 0.5 * length - radius },
        position: into_bone * (a.midpoint(b) - origin),
        rotation: DQuat::from_rotation_arc(DVec3::Y, along).normalize(),
    })
}
