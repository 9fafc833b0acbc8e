//! Joints of a starting pose: where they stand, and how far they may turn.
//!
//! ```text
//! range    A = R_parent rest F in the parent's body, B = R_child F in the child's; equal at rest, x the twist axis
//! middle   A ← A exp(m),  m the middle of the swings;  B ← B rot_x(−t),  t the middle of the twist or hinge angle
//! ```
//! so that an asymmetric range is symmetric about its middle: exact where the swing stays in the plane of its middle.
//! Specification: mathematics 3.13, 4.7.

use core::f64::consts::PI;

use glam::{DMat3, DQuat, DVec3};

use super::{BoneMap, RagdollSettings, RagdollStart};
use crate::character::{Character, JointRange};
use crate::math::rotation::{about, exp, log};

/// Room beyond the starting pose in a range that is widened to hold it, radians.
const ROOM: f64 = 0.01;
/// The narrowest half of a range, radians; a joint that must not turn at all is one body, not two.
const NARROW: f64 = 0.005;

/// A pose this close to the end of a range is inside, radians: many a rest pose stands at the end of one.
const SLACK: f64 = 1e-6;

/// A joint between two bodies, in the world of the starting pose.
pub(super) struct JointDraft {
    /// Parent's body and child's.
    pub bodies: [usize; 2],
    /// Metres.
    pub at: DVec3,
    /// What it leaves free.
    pub held: JointFreedom,
}

/// What a joint leaves free.
pub(super) enum JointFreedom {
    /// Turns every way.
    Free,
    /// The swing of the child's x axis stays inside an ellipse of these half angles about the parent's, the twist within ± that.
    Cone { axes: Axes, swing: [f64; 2], twist: f64 },
    /// Turns about x, which both share, within ± that.
    Hinge { axes: Axes, half: Option<f64> },
}

/// Axes of a range in the world: of the parent, and of the child.
#[derive(Clone, Copy)]
pub(super) struct Axes {
    pub a: DQuat,
    pub b: DQuat,
}

/// A bone that moves against its parent, and how far it may.
struct MovableBone<'a> {
    bone: usize,
    parent: usize,
    range: &'a JointRange,
    /// Orientation of the bone at rest, in the parent's frame.
    rest: DQuat,
}

/// A joint wherever a bone rides on another body than its parent; and a note if ranges had to be widened.
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
        let (held, is_widened) = moved.held(start, settings);
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
    /// What is left free, and whether the range had to be widened.
    fn held(&self, start: &RagdollStart, settings: &RagdollSettings) -> (JointFreedom, bool) {
        match *self.range {
            JointRange::Hinge { axis, lower, upper } if settings.hinges && axis.length_squared() > 0.5 => {
                let frame = DQuat::from_rotation_arc(DVec3::X, axis.normalize());
                self.hinge(start, frame, [lower, upper], settings.limits)
            }
            JointRange::SwingTwist { frame, swing_x, swing_z, twist } if settings.limits => {
                // x along the twist axis: the range's y; then its z, then its x.
                let frame = frame * DQuat::from_mat3(&DMat3::from_cols(DVec3::Y, DVec3::Z, DVec3::X));
                self.cone(start, frame, [swing_z, swing_x, twist])
            }
            _ => (JointFreedom::Free, false),
        }
    }

    /// The axes of `frame` (in the bone at rest) where parent and child have them.
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
        let (swing, turn) = swing_and_twist(axes.a.conjugate() * axes.b);
        let mut halves = [second_half, third_half];
        let outside =
            swing.y * swing.y / (halves[0] * halves[0]) + swing.z * swing.z / (halves[1] * halves[1]) > 1.0 + SLACK;
        if outside {
            // Each by √2, so that the pose is inside the ellipse whatever the other is.
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
        let (_, turn) = swing_and_twist(axes.a.conjugate() * axes.b);
        // The child's axis is where the parent's is; what the pose turns across it stays as it is.
        axes.b = axes.a * about(DVec3::X, turn);
        let [middle, mut half] = middle_and_half(range);
        if !limits || half >= PI {
            return (JointFreedom::Hinge { axes, half: None }, false);
        }
        axes.b *= about(DVec3::X, -middle);
        let (_, turn) = swing_and_twist(axes.a.conjugate() * axes.b);
        let beyond = turn.abs() > half + SLACK;
        if beyond {
            half = (turn.abs() + ROOM).min(PI);
        }
        (JointFreedom::Hinge { axes, half: Some(half) }, beyond)
    }
}

/// Middle and half width of a range; a range that is none is all the way round.
fn middle_and_half([lower, upper]: [f64; 2]) -> [f64; 2] {
    let [middle, half] = [0.5 * (lower + upper), 0.5 * (upper - lower)];
    if middle.is_finite() && half.is_finite() && half >= 0.0 { [middle, half.clamp(NARROW, PI)] } else { [0.0, PI] }
}

/// `q = swing · twist`, the twist about x: swing vector (its x is 0) and twist angle (−π to π), radians.
fn swing_and_twist(q: DQuat) -> (DVec3, f64) {
    let q = if q.w < 0.0 { -q } else { q };
    let length = libm::sqrt(q.x * q.x + q.w * q.w);
    if length < 1e-12 {
        return (log(q), 0.0);
    }
    let twist = DQuat::from_xyzw(q.x / length, 0.0, 0.0, q.w / length);
    (log(q * twist.conjugate()), 2.0 * libm::atan2(q.x, q.w))
}
