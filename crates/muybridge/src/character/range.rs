//! Joint ranges of bones relative to their parents, from a table of human joints.

use glam::{DMat3, DQuat, DVec3};

use super::humanoid::RoleMap;
use super::landmarks::Landmarks;
use super::{Role, Side};

/// Range of one joint: a hinge angle, or swing and twist about the bone's rest orientation. Radians.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum JointRange {
    /// Unlimited rotation.
    Free,
    /// No rotation.
    Fixed,
    /// Rotation about one axis of the parent's rest frame.
    Hinge {
        /// Unit axis in the bone's frame at rest.
        axis: DVec3,
        /// Smallest angle, radians.
        lower: f64,
        /// Largest angle, radians.
        upper: f64,
    },
    /// Swing of the twist axis inside an ellipse, and twist about it.
    SwingTwist {
        /// Orientation whose y is the twist axis and whose x and z are the swing axes, in the bone's frame at rest.
        frame: DQuat,
        /// Lower and upper swing about x, radians.
        swing_x: [f64; 2],
        /// Lower and upper swing about z, radians.
        swing_z: [f64; 2],
        /// Lower and upper twist about y, radians.
        twist: [f64; 2],
    },
}

/// Normal ranges of human joints, degrees: AAOS, *Joint Motion: Method of Measuring and Recording* (1965); the figures
/// for hip, knee, ankle, shoulder, elbow and wrist agree with Boone and Azen (1979), J. Bone Joint Surg. 61-A, 756–759,
/// within their standard deviations. Trunk motion is thoracolumbar and is shared among the bones of the trunk; neck
/// motion among neck and head.
///
/// Each row: flexion and extension about the axis to the left, abduction and adduction, and outward and inward twist.
/// Flexion is forward for the hip, shoulder, trunk and elbow, backward for the knee.
struct Normal {
    flexion: f64,
    extension: f64,
    away: f64,
    toward: f64,
    outward: f64,
    inward: f64,
}

const fn normal(flexion: f64, extension: f64, away: f64, toward: f64, outward: f64, inward: f64) -> Normal {
    Normal { flexion, extension, away, toward, outward, inward }
}

const HIP: Normal = normal(120.0, 30.0, 45.0, 30.0, 45.0, 45.0);
const SHOULDER: Normal = normal(180.0, 60.0, 180.0, 45.0, 90.0, 70.0);
const GIRDLE: Normal = normal(20.0, 20.0, 40.0, 10.0, 10.0, 10.0);
const WRIST: Normal = normal(80.0, 70.0, 30.0, 20.0, 80.0, 80.0);
const ANKLE: Normal = normal(20.0, 50.0, 15.0, 35.0, 20.0, 20.0);
const TOES: Normal = normal(70.0, 40.0, 5.0, 5.0, 5.0, 5.0);
const TRUNK: Normal = normal(80.0, 25.0, 35.0, 35.0, 45.0, 45.0);
const NECK: Normal = normal(45.0, 45.0, 45.0, 45.0, 60.0, 60.0);
const KNEE: f64 = 135.0;
const ELBOW: f64 = 150.0;

/// Ranges from the table above about each bone's rest orientation, one per bone; the pelvis and bones without a role
/// are free. The anatomical zero (standing, arms down, toes forward) follows from each bone's direction at rest, so
/// that arms of a T-pose start at 90° of abduction.
pub(crate) fn anatomical(marks: &Landmarks, map: &RoleMap) -> Vec<JointRange> {
    let trunk =
        [Role::Spine, Role::Chest, Role::UpperChest].iter().filter(|&&role| map.bone_of(role).is_some()).count();
    let neck = [Role::Neck, Role::Head].iter().filter(|&&role| map.bone_of(role).is_some()).count();
    let range = |(bone, role): (usize, &Option<Role>)| {
        let Some(role) = *role else { return JointRange::Free };
        let side = role.side();
        let along = direction(marks, role).unwrap_or(marks.up);
        let ball = |normal: &Normal, zero: DVec3, share: usize| {
            swing_twist(marks, bone, normal, [zero, along], side, share.max(1) as f64)
        };
        match role {
            Role::Hips => JointRange::Free,
            Role::Spine | Role::Chest | Role::UpperChest => ball(&TRUNK, marks.up, trunk),
            Role::Neck | Role::Head => ball(&NECK, marks.up, neck),
            Role::Shoulder(side) => ball(&GIRDLE, outward(marks, side), 1),
            Role::UpperArm(_) => ball(&SHOULDER, -marks.up, 1),
            Role::UpperLeg(_) => ball(&HIP, -marks.up, 1),
            Role::Hand(_) => ball(&WRIST, along, 1),
            Role::Foot(_) => ball(&ANKLE, along, 1),
            Role::Toes(_) => ball(&TOES, along, 1),
            Role::LowerLeg(side) => {
                let thigh = direction(marks, Role::UpperLeg(side)).unwrap_or(-marks.up);
                hinge(marks, bone, [-marks.up, thigh, along], [0.0, KNEE])
            }
            Role::LowerArm(side) => {
                let arm = direction(marks, Role::UpperArm(side)).unwrap_or(-marks.up);
                hinge(marks, bone, [-marks.up, arm, along], [-ELBOW, 0.0])
            }
        }
    };
    map.roles.iter().enumerate().map(range).collect()
}

/// Direction of a bone in the reference pose; `None` if unknown.
fn direction(marks: &Landmarks, role: Role) -> Option<DVec3> {
    let (limbs, at) = match role {
        Role::UpperArm(_) => (&marks.arms, 0),
        Role::LowerArm(_) => (&marks.arms, 1),
        Role::Hand(_) => (&marks.arms, 2),
        Role::UpperLeg(_) => (&marks.legs, 0),
        Role::LowerLeg(_) => (&marks.legs, 1),
        Role::Shoulder(side) => return Some(outward(marks, side)),
        Role::Foot(side) | Role::Toes(side) => {
            return marks.feet.iter().find(|foot| foot.side == side).map(|foot| foot.forward);
        }
        _ => return Some(marks.up),
    };
    let side = role.side()?;
    let limb = limbs.iter().find(|limb| limb.side == side)?;
    (limb.points[at + 1] - limb.points[at]).try_normalize()
}

fn outward(marks: &Landmarks, side: Side) -> DVec3 {
    match side {
        Side::Left => marks.left,
        Side::Right => -marks.left,
    }
}

/// Swing and twist range about a bone's direction at rest; `zero` is its direction in the anatomical position.
fn swing_twist(
    marks: &Landmarks,
    bone: usize,
    normal: &Normal,
    [zero, along]: [DVec3; 2],
    side: Option<Side>,
    share: f64,
) -> JointRange {
    let forward = marks.left.cross(marks.up);
    // x to the left (moved with the bone from the anatomical position), y along the bone, z across: swing about x is
    // flexion, swing about z is lateral.
    let carried = DQuat::from_rotation_arc(zero, along) * marks.left;
    let x = (carried - along * along.dot(carried)).normalize_or(forward);
    let world = DQuat::from_mat3(&DMat3::from_cols(x, along, x.cross(along)));
    let down = zero.dot(marks.up) < -0.5;
    let lean = libm::atan2(along.dot(marks.left), along.dot(zero).max(0.0));
    let rest_lean = if down { lean } else { 0.0 };
    let ahead = zero.dot(forward) > 0.5;
    let flexion_sign = if down || ahead { -1.0 } else { 1.0 };
    let bend = ordered(flexion_sign * normal.flexion, -flexion_sign * normal.extension);
    let (left, right) = match side {
        Some(Side::Right) => (normal.toward, normal.away),
        _ => (normal.away, normal.toward),
    };
    // About z = left × along, a bone leans left by a negative angle, whether it points down or up.
    let sideways = ordered(rest_lean.to_degrees() - left, right + rest_lean.to_degrees());
    let turn = match side {
        Some(Side::Right) => [-normal.inward, normal.outward],
        _ => [-normal.outward, normal.inward],
    };
    let radians = |range: [f64; 2]| range.map(|degrees| degrees.to_radians() / share);
    JointRange::SwingTwist {
        frame: (marks.pose[bone].1.inverse() * world).normalize(),
        swing_x: radians(bend),
        swing_z: radians(sideways),
        twist: radians(turn),
    }
}

fn ordered(a: f64, b: f64) -> [f64; 2] {
    [a.min(b), a.max(b)]
}

/// Hinge about the axis to the left, moved from the anatomical position to the rest pose with the bone above. The
/// joint's angle at rest is subtracted.
fn hinge(marks: &Landmarks, bone: usize, [zero, above, along]: [DVec3; 3], degrees: [f64; 2]) -> JointRange {
    let axis = DQuat::from_rotation_arc(zero, above) * marks.left;
    let bent = libm::atan2(axis.dot(above.cross(along)), above.dot(along));
    let [lower, upper] = degrees.map(|degrees| degrees.to_radians() - bent);
    JointRange::Hinge { axis: (marks.pose[bone].1.inverse() * axis).normalize(), lower, upper }
}
