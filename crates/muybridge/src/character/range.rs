//! Joint ranges of bones relative to their parents, from a table of human joints or from a clip.

use glam::{DMat3, DQuat, DVec3};

use super::ancestry::Family;
use super::humanoid::RoleMap;
use super::landmarks::Landmarks;
use super::{Role, Side, Skeleton};
use crate::math::rotation::log;
use crate::motion::Clip;

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

/// Ranges observed in a clip, one per bone, widened by `margin` radians: no rotation is `Fixed`, rotation about one
/// axis is a hinge, all else swing and twist about the bone's length. Roots are free.
pub(crate) fn learned(skeleton: &Skeleton, clip: &Clip, margin: f64) -> Vec<JointRange> {
    let family = Family::new(skeleton);
    let one = |bone: usize| {
        let own = &skeleton.bones()[bone];
        if own.parent.is_none() {
            return JointRange::Free;
        }
        let turns: Vec<DQuat> =
            (0..clip.frames()).map(|frame| own.rotation.conjugate() * clip.rotation(bone, frame)).collect();
        let vectors: Vec<DVec3> = turns.iter().map(|&turn| log(turn)).collect();
        let widest = vectors.iter().copied().fold(DVec3::ZERO, |a, b| if b.length() > a.length() { b } else { a });
        if widest.length() < STILL {
            return JointRange::Fixed;
        }
        let axis = widest.normalize();
        let off_axis = vectors.iter().map(|v| (*v - axis * axis.dot(*v)).length()).fold(0.0, f64::max);
        if off_axis < 0.02 * widest.length() {
            let [lower, upper] = span(vectors.iter().map(|v| axis.dot(*v)), margin);
            return JointRange::Hinge { axis, lower, upper };
        }
        shown(skeleton, family.children(bone), bone, &turns, margin)
    };
    (0..skeleton.len()).map(one).collect()
}

/// Rotations below this, radians, are rounding errors of the file.
const STILL: f64 = 1e-4;

fn shown(skeleton: &Skeleton, children: &[usize], bone: usize, turns: &[DQuat], margin: f64) -> JointRange {
    let child = children.iter().map(|&child| skeleton.bones()[child].translation).find(|t| *t != DVec3::ZERO);
    let along = child.or_else(|| skeleton.bones()[bone].ends.first().copied()).unwrap_or(DVec3::Y);
    let frame = DQuat::from_rotation_arc(DVec3::Y, along.normalize_or(DVec3::Y)).normalize();
    let parts: Vec<(DVec3, f64)> =
        turns.iter().map(|&turn| swing_and_twist(frame.conjugate() * turn * frame)).collect();
    JointRange::SwingTwist {
        frame,
        swing_x: span(parts.iter().map(|(swing, _)| swing.x), margin),
        swing_z: span(parts.iter().map(|(swing, _)| swing.z), margin),
        twist: span(parts.iter().map(|(_, twist)| *twist), margin),
    }
}

/// Splits `q = swing · twist`, the twist about y: swing vector (its y is 0) and twist angle, radians.
fn swing_and_twist(q: DQuat) -> (DVec3, f64) {
    let q = if q.w < 0.0 { -q } else { q };
    let length = libm::sqrt(q.y * q.y + q.w * q.w);
    if length < 1e-12 {
        return (log(q), 0.0);
    }
    let twist = DQuat::from_xyzw(0.0, q.y / length, 0.0, q.w / length);
    (log(q * twist.conjugate()), 2.0 * libm::atan2(q.y, q.w))
}

fn span(values: impl Iterator<Item = f64>, margin: f64) -> [f64; 2] {
    let [low, high] = values.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], v| [low.min(v), high.max(v)]);
    [low - margin, high + margin]
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::character::Bone;
    use crate::math::rotation::exp;

    fn two_bones(angle: impl Fn(f64) -> DVec3) -> (Skeleton, Clip) {
        let bone = |name: &str, parent| Bone {
            name: name.into(),
            parent,
            translation: DVec3::Y,
            rotation: exp(DVec3::new(0.3, 0.2, 0.1)),
            ends: vec![DVec3::Y],
        };
        let skeleton = Skeleton::new(vec![bone("a", None), bone("b", Some(0)), bone("c", Some(1))]).unwrap();
        let mut clip = Clip::new(3, 101, 0.01).unwrap();
        for frame in 0..101 {
            let phase = core::f64::consts::TAU * frame as f64 / 100.0;
            let rest = skeleton.bones()[1].rotation;
            clip.set_rotation(1, frame, rest * exp(angle(phase)));
            clip.set_rotation(2, frame, rest);
        }
        (skeleton, clip)
    }

    #[test]
    fn a_hinge_that_swings_by_0_4_rad_is_learned_as_that_hinge() {
        let axis = DVec3::new(0.6, 0.0, 0.8);
        let (skeleton, clip) = two_bones(|phase| axis * (0.4 * libm::sin(phase)));
        let ranges = learned(&skeleton, &clip, 0.1);
        assert_eq!(ranges[0], JointRange::Free);
        assert_eq!(ranges[2], JointRange::Fixed);
        let JointRange::Hinge { axis: found, lower, upper } = ranges[1] else { panic!("{:?}", ranges[1]) };
        assert!(found.cross(axis).length() < 1e-9);
        assert!((lower + 0.5).abs() < 1e-9 && (upper - 0.5).abs() < 1e-9);
    }

    #[test]
    fn a_joint_that_turns_about_two_axes_is_learned_as_swing_and_twist() {
        let (skeleton, clip) = two_bones(|phase| DVec3::new(0.4 * libm::sin(phase), 0.0, 0.2 * libm::cos(phase)));
        let JointRange::SwingTwist { swing_x, swing_z, twist, .. } = learned(&skeleton, &clip, 0.0)[1] else {
            panic!()
        };
        for ([low, high], reach) in [(swing_x, 0.4), (swing_z, 0.2), (twist, 0.0)] {
            assert!((low + reach).abs() < 1e-9 && (high - reach).abs() < 1e-9, "{low} {high} {reach}");
        }
    }
}
