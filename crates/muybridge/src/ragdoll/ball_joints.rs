//! Joints between the particles of a ragdoll's bodies.
//!
//! ```text
//! ball     one ball joint between particles, at the joint
//! hinge    two of them on the axis, on either side of the joint; the axis is that of the starting pose
//! ```
//! Specification: mathematics 3.13.

use core::f64::consts::PI;

use glam::{DQuat, DVec3};

use super::impulses::gyration_squared;
use super::joints::{Axes, JointDraft, JointFreedom};
use super::{Ragdoll, RagdollStart};
use crate::particles::model::{Anchor, BallJoint, Hinge, SwingTwist};
use crate::particles::point::Direction;

/// Adds the ball joints of a joint, its limits, and its friction (per second).
pub(super) fn attach(ragdoll: &mut Ragdoll, start: &RagdollStart, joint: &JointDraft, friction: f64) {
    match joint.held {
        JointFreedom::Free => {
            add_ball_joint(ragdoll, start, joint, joint.at);
            let [a, b] = directions(ragdoll, start, joint, Axes { a: DQuat::IDENTITY, b: DQuat::IDENTITY });
            let (swing, twist) = ([PI; 2], [-PI, PI]);
            ragdoll.model.swing_twists.push(SwingTwist { a, b, swing, twist, compliance: 0.0, friction });
        }
        JointFreedom::Cone { axes, swing, twist } => {
            add_ball_joint(ragdoll, start, joint, joint.at);
            let [a, b] = directions(ragdoll, start, joint, axes);
            let twist = [-twist, twist];
            ragdoll.model.swing_twists.push(SwingTwist { a, b, swing, twist, compliance: 0.0, friction });
        }
        JointFreedom::Hinge { axes, half } => {
            let reach = axes.a * DVec3::X * half_axis(ragdoll, joint);
            add_ball_joint(ragdoll, start, joint, joint.at + reach);
            add_ball_joint(ragdoll, start, joint, joint.at - reach);
            let [a, b] = directions(ragdoll, start, joint, axes);
            let half = half.unwrap_or(PI);
            ragdoll.model.hinges.push(Hinge { a, b, range: [-half, half], compliance: 0.0, friction });
        }
    }
}

/// Adds a ball joint: two points of the bodies, coincident now, stay coincident.
fn add_ball_joint(ragdoll: &mut Ragdoll, start: &RagdollStart, joint: &JointDraft, at: DVec3) {
    let [a, b] = joint.bodies.map(|body| {
        let (position, rotation) = start.pose[ragdoll.bodies[body].bone];
        ragdoll.bodies[body].body.point(ragdoll.particle(body), rotation.conjugate() * (at - position))
    });
    ragdoll.model.attachments.push(BallJoint { a, b: Anchor::Point(b), compliance: 0.0 });
}

/// Axes of a joint as directions fixed to the two bodies.
fn directions(ragdoll: &Ragdoll, start: &RagdollStart, joint: &JointDraft, axes: Axes) -> [[Direction; 3]; 2] {
    let of = |body: usize, world: DQuat| {
        let in_body = start.pose[ragdoll.bodies[body].bone].1.conjugate() * world.normalize();
        let direction = |axis| ragdoll.bodies[body].body.direction(ragdoll.particle(body), in_body * axis);
        [DVec3::X, DVec3::Y, DVec3::Z].map(direction)
    };
    [of(joint.bodies[0], axes.a), of(joint.bodies[1], axes.b)]
}

/// Distance of the two points of a hinge from the joint: the radius of gyration of the smaller body.
fn half_axis(ragdoll: &Ragdoll, joint: &JointDraft) -> f64 {
    let gyration = |body: usize| libm::sqrt(gyration_squared(&ragdoll.bodies[body]));
    gyration(joint.bodies[0]).min(gyration(joint.bodies[1]))
}
