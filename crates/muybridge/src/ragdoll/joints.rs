//! Joints of a ragdoll in the starting pose: positions and limits.
//!
//! ```text
//! range    A = R_parent rest F in the parent's body, B = R_child F in the child's; equal at rest, x the twist axis
//! middle   A ← A exp(m),  m the middle of the swings;  B ← B rot_x(−t),  t the middle of the twist or hinge angle
//! ```
//! An asymmetric limit thus becomes symmetric about its middle: exact if the swing stays in the plane of its middle.
//! Specification: mathematics 3.13, 4.7.

use core::f64::consts::PI;

use glam::{DMat3, DQuat, DVec3};

use super::{BoneMap, RagdollSettings, RagdollStart};
use crate::character::{Character, JointRange};
use crate::math::rotation::{about, exp, swing_and_twist};

/// Margin beyond the starting pose when a limit is widened to include it, radians.
const ROOM: f64 = 0.01;
/// Least half width of a limit, radians; a joint without any freedom is one body, not two.
const NARROW: f64 = 0.005;

/// Tolerance by which a pose may exceed a limit without widening, radians: many rest poses are at a limit.
const SLACK: f64 = 1e-6;

/// Joint between two bodies, in the world of the starting pose.
pub(super) struct JointDraft {
    /// Bodies of the parent and of the child.
    pub bodies: [usize; 2],
    /// Position of the joint, meters.
    pub at: DVec3,
    /// Degrees of freedom that the joint leaves.
    pub held: JointFreedom,
}

/// Degrees of freedom that a joint leaves.
pub(super) enum JointFreedom {
    /// Free rotation.
    Free,
    /// Cone limit: swing of the child's x axis within an ellipse of these half angles about the parent's, twist within
    /// ±`twist`.
    Cone { axes: Axes, swing: [f64; 2], twist: f64 },
    /// Hinge: rotation about the common x axis, within ±`half`; `None` is unlimited.
    Hinge { axes: Axes, half: Option<f64> },
}

/// World axes of a limit: on the parent and on the child.
#[derive(Clone, Copy)]
pub(super) struct Axes {
    pub a: DQuat,
    pub b: DQuat,
}

/// Bone that moves relative to its parent, with its joint limits.
struct MovableBone<'a> {
    bone: usize,
    parent: usize,
    range: &'a JointRange,
    /// Orientation of the bone at rest, in the parent's frame.
    rest: DQuat,
}

/// Creates a joint for each bone carried by another body than its parent. Also returns a note if limits had to be
/// widened.
pub(super) fn joints(
    character: &Character,
    bones: &BoneMap,
    start: &RagdollStart,
    settings: &RagdollSettings,
) -> (Vec<JointDraft>, Option<String>) {
    let (mut joints, mut widened) = (Vec::new(), Vec::new());
    for (bone, own) in character.skeleton.bones().iter().enumerate() {
        let Some(parent) = own.parent else { continue };
        let (Some(above), Some(below)) = (bones.rides[parent], bones.rides[bone]) else { continue };
        if above.body == below.body {
            continue;
        }
        let moved = MovableBone { bone, parent, range: &character.ranges[bone], rest: own.rotation };
        let (held, is_widened) = moved.joint_freedom(start, settings);
        joints.push(JointDraft { bodies: [above.body, below.body], at: start.pose[bone].0, held });
        if is_widened {
            widened.push(own.name.as_str());
        }
    }
    let note =
        (!widened.is_empty()).then(|| format!("ranges widened to hold the starting pose: {}", widened.join(", ")));
    (joints, note)
}

impl MovableBone<'_> {
    /// Degrees of freedom of the joint, and whether limits had to be widened.
    fn joint_freedom(&self, start: &RagdollStart, settings: &RagdollSettings) -> (JointFreedom, bool) {
        match *self.range {
            JointRange::Hinge { axis, lower, upper } if settings.hinges && axis.length_squared() > 0.5 => {
                let frame = DQuat::from_rotation_arc(DVec3::X, axis.normalize());
                self.hinge(start, frame, [lower, upper], settings.limits)
            }
            JointRange::SwingTwist { frame, swing_x, swing_z, twist } if settings.limits => {
                // New axes: x is the y axis of the limit's frame (the twist axis), y its z axis, z its x axis.
                let frame = frame * DQuat::from_mat3(&DMat3::from_cols(DVec3::Y, DVec3::Z, DVec3::X));
                self.cone(start, frame, [swing_z, swing_x, twist])
            }
            _ => (JointFreedom::Free, false),
        }
    }

    /// World axes of `frame` (in the bone at rest) on the parent and on the child.
    fn axes(&self, start: &RagdollStart, frame: DQuat) -> Axes {
        Axes { a: start.pose[self.parent].1 * self.rest * frame, b: start.pose[self.bone].1 * frame }
    }

    fn cone(&self, start: &RagdollStart, frame: DQuat, ranges: [[f64; 2]; 3]) -> (JointFreedom, bool) {
        let [[second, second_half], [third, third_half], [twist, mut twist_half]] = ranges.map(middle_and_half);
        if [second_half, third_half, twist_half].iter().all(|half| *half >= PI) {
            return (JointFreedom::Free, false);
        }
        let mut axes = self.axes(start, frame);
        axes.a *= exp(DVec3::new(0.0, second, third));
        axes.b *= about(DVec3::X, -twist);
        let (swing, turn) = swing_and_twist(axes.a.conjugate() * axes.b, DVec3::X);
        let mut halves = [second_half, third_half];
        let outside =
            swing.y * swing.y / (halves[0] * halves[0]) + swing.z * swing.z / (halves[1] * halves[1]) > 1.0 + SLACK;
        if outside {
            // Each half angle exceeds its swing by √2, so the pose is inside the ellipse for any value of the other.
            let room = |half: f64, s: f64| half.max(1.415 * s.abs() + ROOM).min(PI);
            halves = [room(halves[0], swing.y), room(halves[1], swing.z)];
        }
        let beyond = turn.abs() > twist_half + SLACK;
        if beyond {
            twist_half = (turn.abs() + ROOM).min(PI);
        }
        (JointFreedom::Cone { axes, swing: halves, twist: twist_half }, outside || beyond)
    }

    fn hinge(&self, start: &RagdollStart, frame: DQuat, range: [f64; 2], limits: bool) -> (JointFreedom, bool) {
        let mut axes = self.axes(start, frame);
        let (_, turn) = swing_and_twist(axes.a.conjugate() * axes.b, DVec3::X);
        // The child's axis is aligned with the parent's; rotation of the pose across the axis is kept.
        axes.b = axes.a * about(DVec3::X, turn);
        let [middle, mut half] = middle_and_half(range);
        if !limits || half >= PI {
            return (JointFreedom::Hinge { axes, half: None }, false);
        }
        axes.b *= about(DVec3::X, -middle);
        let (_, turn) = swing_and_twist(axes.a.conjugate() * axes.b, DVec3::X);
        let beyond = turn.abs() > half + SLACK;
        if beyond {
            half = (turn.abs() + ROOM).min(PI);
        }
        (JointFreedom::Hinge { axes, half: Some(half) }, beyond)
    }
}

/// Middle and half width of a limit; an invalid limit becomes unlimited.
fn middle_and_half([lower, upper]: [f64; 2]) -> [f64; 2] {
    let [middle, half] = [0.5 * (lower + upper), 0.5 * (upper - lower)];
    if middle.is_finite() && half.is_finite() && half >= 0.0 { [middle, half.clamp(NARROW, PI)] } else { [0.0, PI] }
}
