//! Joints: points that coincide, and how far the bodies may turn against each other.
//!
//! ```text
//! ball     one attachment at the joint
//! hinge    two, to either side of it along the axis; the axis is the one the starting pose has
//! range    A = R_parent rest F in the parent's body, B = R_child F in the child's; equal at rest, x the twist axis
//! middle   A ← A exp(m),  m the middle of the swings;  B ← B rot_x(−t),  t the middle of the twist or hinge angle
//! ```
//! so that an asymmetric range is symmetric about its middle: exact where the swing stays in the plane of its middle.
//! Specification: mathematics 3.13, 4.7.

use glam::{DMat3, DQuat, DVec3};

use super::act::gyration_squared;
use super::{Ragdoll, RagdollSettings, Start};
use crate::character::{Character, JointRange};
use crate::math::rotation::{about, exp, log};
use crate::particles::model::{Anchor, Attachment, Hinge, SwingTwist};
use crate::particles::point::Direction;

/// Room beyond the starting pose in a range that is widened to hold it, radians.
const ROOM: f64 = 0.01;
/// The narrowest half of a range, radians; a joint that must not turn at all is one body, not two.
const NARROW: f64 = 0.005;

/// A pose this close to the end of a range is inside, radians: many a rest pose stands at the end of one.
const SLACK: f64 = 1e-6;

/// A joint: the bone it moves, and the bodies on either side.
struct Joint<'a> {
    bone: usize,
    parent: usize,
    /// Parent's body and child's.
    bodies: [usize; 2],
    at: DVec3,
    range: &'a JointRange,
    /// Orientation of the bone at rest, in the parent's frame.
    rest: DQuat,
}

/// Axes of a range in the world, in the starting pose: of the parent, and of the child.
struct Axes {
    a: DQuat,
    b: DQuat,
}

/// Adds attachments and ranges wherever a bone rides on another body than its parent.
pub(super) fn join(ragdoll: &mut Ragdoll, character: &Character, start: &Start, settings: &RagdollSettings) {
    let mut widened = Vec::new();
    for (bone, own) in character.skeleton.bones().iter().enumerate() {
        let Some(parent) = own.parent else { continue };
        let (Some(above), Some(below)) = (ragdoll.rides[parent], ragdoll.rides[bone]) else { continue };
        if above.body == below.body {
            continue;
        }
        let joint = Joint {
            bone,
            parent,
            bodies: [above.body, below.body],
            at: start.pose[bone].0,
            range: &character.ranges[bone],
            rest: own.rotation,
        };
        if joint.add(ragdoll, start, settings) {
            widened.push(own.name.as_str());
        }
    }
    if !widened.is_empty() {
        let note = format!("ranges widened to hold the starting pose: {}", widened.join(", "));
        ragdoll.notes.push(note);
    }
}

impl Joint<'_> {
    /// Whether the range had to be widened.
    fn add(&self, ragdoll: &mut Ragdoll, start: &Start, settings: &RagdollSettings) -> bool {
        match *self.range {
            JointRange::Hinge { axis, lower, upper } if axis.length_squared() > 0.5 => {
                let frame = DQuat::from_rotation_arc(DVec3::X, axis.normalize());
                self.hinge(ragdoll, start, frame, [lower, upper], settings)
            }
            JointRange::SwingTwist { frame, swing_x, swing_z, twist } => {
                self.attach(ragdoll, start, self.at);
                // x along the twist axis: the range's y; then its z, then its x.
                let frame = frame * DQuat::from_mat3(&DMat3::from_cols(DVec3::Y, DVec3::Z, DVec3::X));
                settings.limits && self.cone(ragdoll, start, frame, [swing_z, swing_x, twist], settings)
            }
            _ => {
                self.attach(ragdoll, start, self.at);
                false
            }
        }
    }

    /// Two points of the bodies that are at one place now coincide.
    fn attach(&self, ragdoll: &mut Ragdoll, start: &Start, at: DVec3) {
        let [a, b] = self.bodies.map(|body| {
            let (position, rotation) = start.pose[ragdoll.bodies[body].bone];
            ragdoll.bodies[body].body.point(ragdoll.particle(body), rotation.conjugate() * (at - position))
        });
        ragdoll.model.attachments.push(Attachment { a, b: Anchor::Point(b), compliance: 0.0 });
    }

    /// The axes of `frame` (in the bone at rest) where parent and child have them.
    fn axes(&self, start: &Start, frame: DQuat) -> Axes {
        Axes { a: start.pose[self.parent].1 * self.rest * frame, b: start.pose[self.bone].1 * frame }
    }

    /// The axes as directions of the two bodies.
    fn directions(&self, ragdoll: &Ragdoll, start: &Start, axes: &Axes) -> [[Direction; 3]; 2] {
        let of = |body: usize, world: DQuat| {
            let in_body = start.pose[ragdoll.bodies[body].bone].1.conjugate() * world.normalize();
            let direction = |axis| ragdoll.bodies[body].body.direction(ragdoll.particle(body), in_body * axis);
            [DVec3::X, DVec3::Y, DVec3::Z].map(direction)
        };
        [of(self.bodies[0], axes.a), of(self.bodies[1], axes.b)]
    }

    fn cone(
        &self,
        ragdoll: &mut Ragdoll,
        start: &Start,
        frame: DQuat,
        ranges: [[f64; 2]; 3],
        settings: &RagdollSettings,
    ) -> bool {
        let [[second, second_half], [third, third_half], [twist, mut twist_half]] = ranges.map(middle_and_half);
        if [second_half, third_half, twist_half].iter().all(|half| *half >= core::f64::consts::PI) {
            return false;
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
            let room = |half: f64, s: f64| half.max(1.415 * s.abs() + ROOM).min(core::f64::consts::PI);
            halves = [room(halves[0], swing.y), room(halves[1], swing.z)];
        }
        let beyond = turn.abs() > twist_half + SLACK;
        if beyond {
            twist_half = (turn.abs() + ROOM).min(core::f64::consts::PI);
        }
        let [a, b] = self.directions(ragdoll, start, &axes);
        let twist = [-twist_half, twist_half];
        ragdoll.model.swing_twists.push(SwingTwist {
            a,
            b,
            swing: halves,
            twist,
            compliance: 0.0,
            friction: settings.joint_friction,
        });
        outside || beyond
    }

    fn hinge(
        &self,
        ragdoll: &mut Ragdoll,
        start: &Start,
        frame: DQuat,
        range: [f64; 2],
        settings: &RagdollSettings,
    ) -> bool {
        let mut axes = self.axes(start, frame);
        let (_, turn) = swing_and_twist(axes.a.conjugate() * axes.b);
        // The child's axis is where the parent's is; what the pose turns across it stays as it is.
        axes.b = axes.a * about(DVec3::X, turn);
        let reach = axes.a * DVec3::X * self.half_axis(ragdoll);
        self.attach(ragdoll, start, self.at + reach);
        self.attach(ragdoll, start, self.at - reach);
        let [middle, mut half] = middle_and_half(range);
        if !settings.limits || half >= core::f64::consts::PI {
            return false;
        }
        axes.b *= about(DVec3::X, -middle);
        let (_, turn) = swing_and_twist(axes.a.conjugate() * axes.b);
        let beyond = turn.abs() > half + SLACK;
        if beyond {
            half = (turn.abs() + ROOM).min(core::f64::consts::PI);
        }
        let [a, b] = self.directions(ragdoll, start, &axes);
        ragdoll.model.hinges.push(Hinge {
            a,
            b,
            range: [-half, half],
            compliance: 0.0,
            friction: settings.joint_friction,
        });
        beyond
    }

    /// How far from the joint the two points of a hinge are: the radius of gyration of the smaller body.
    fn half_axis(&self, ragdoll: &Ragdoll) -> f64 {
        let gyration = |body: usize| libm::sqrt(gyration_squared(&ragdoll.bodies[body]));
        gyration(self.bodies[0]).min(gyration(self.bodies[1]))
    }
}

/// Middle and half width of a range; a range that is none is all the way round.
fn middle_and_half([lower, upper]: [f64; 2]) -> [f64; 2] {
    let [middle, half] = [0.5 * (lower + upper), 0.5 * (upper - lower)];
    if middle.is_finite() && half.is_finite() && half >= 0.0 {
        [middle, half.clamp(NARROW, core::f64::consts::PI)]
    } else {
        [0.0, core::f64::consts::PI]
    }
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
