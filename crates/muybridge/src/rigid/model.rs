//! What is simulated and stays constant while stepping: bodies, joints, ranges, motors, shapes.

use glam::{DQuat, DVec3};

use super::{Body, Joint};
use crate::collision::{Obstacle, ObstacleShape};

/// Bodies and what holds between them. Indices are checked by [`World::new`](super::World::new).
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// Rigid bodies.
    pub bodies: Vec<Body>,
    /// Joints between them.
    pub joints: Vec<Joint>,
    /// How far joints may turn.
    pub ranges: Vec<Range>,
    /// What drives or brakes joints.
    pub motors: Vec<Motor>,
    /// What may touch something.
    pub solids: Vec<Collider>,
    /// What stands still or moves as it is told.
    pub obstacles: Vec<Obstacle>,
    /// What bodies are like that belong together; see [`Collider::object`].
    pub objects: Vec<Object>,
}

impl Model {
    /// For every body the greatest that `of` says of the objects it belongs to; 0 where there is none.
    pub(super) fn greatest(&self, of: impl Fn(&Object) -> f64, by_body: &mut [f64]) {
        by_body.fill(0.0);
        for solid in &self.solids {
            if let Some(object) = self.objects.get(solid.object) {
                by_body[solid.body] = by_body[solid.body].max(of(object));
            }
        }
    }
}

/// A one-sided bound of what a joint leaves free. The frames are the joint's own.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Range {
    /// Index into [`Model::joints`].
    pub joint: usize,
    /// What is bounded.
    pub bounds: JointLimit,
}

/// Bounds of a joint, radians (metres for a slider).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum JointLimit {
    /// Angle of a hinge about x: least and greatest, −π to π.
    Hinge([f64; 2]),
    /// Swing of the child's x axis about y and about z inside an ellipse of these half angles (0 to π), and twist about x between
    /// a least and a greatest angle (−π to π).
    SwingTwist {
        /// Greatest swing about y and about z.
        swing: [f64; 2],
        /// Least and greatest twist about x.
        twist: [f64; 2],
    },
    /// Travel of a slider along x: least and greatest, metres.
    Slider([f64; 2]),
    /// Distance of the anchors: least and greatest, metres; a rope has a least of 0.
    Distance([f64; 2]),
}

/// A spring, a brake or both on what a joint leaves free to turn. Implicit: stable at any frequency and any step.
///
/// Frequency, damping ratio and drag refer to the inertia that a turn of the joint feels while all other joints are locked
/// (mathematics 8.1), so they mean the same for a wrist and a spine.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Motor {
    /// Index into [`Model::joints`].
    pub joint: usize,
    /// Where it drives the child's frame, against the parent's: a rotation vector in the parent's frame, radians.
    pub target: DVec3,
    /// How fast the target turns during a step, which begins at `target`, radians per second in the parent's frame: the damper and
    /// the drag bring the joint to this rate.
    pub rate: DVec3,
    /// Natural frequency of the spring, hertz; 0: no spring.
    pub frequency: f64,
    /// Damping ratio of the spring, 1 is critical.
    pub damping_ratio: f64,
    /// Greatest moment of spring and drag about each axis, newton metres.
    pub most: f64,
    /// Moment of dry friction, newton metres; 0: none.
    pub friction: f64,
    /// Rate at which the two bodies take on `rate` against each other, per second; 0: none. Without a spring and a bound it is the same for
    /// every turn of a ball; else it is measured about each axis of the parent's frame by itself.
    pub drag: f64,
}

impl Motor {
    /// Nothing drives and nothing brakes.
    pub fn idle(joint: usize) -> Self {
        Self {
            joint,
            target: DVec3::ZERO,
            rate: DVec3::ZERO,
            frequency: 0.0,
            damping_ratio: 1.0,
            most: f64::INFINITY,
            friction: 0.0,
            drag: 0.0,
        }
    }
}

/// A shape fixed to a body.
#[derive(Clone, Debug)]
pub struct Collider {
    /// Index into [`Model::bodies`].
    pub body: usize,
    /// Index into [`Model::objects`].
    pub object: usize,
    /// A shape that has an inside: a sphere, capsule, cylinder, box or hull.
    pub shape: ObstacleShape,
    /// Where its frame stands in the body's principal frame, metres.
    pub position: DVec3,
    /// How its frame is turned against the principal axes.
    pub rotation: DQuat,
}

/// What the bodies of one thing have in common.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Object {
    /// Coulomb friction; that of a pair is the geometric mean.
    pub friction: f64,
    /// Share of the normal speed that comes back at a hit, 0 to 1; of a pair the greater.
    pub restitution: f64,
    /// Rate at which velocities decay, per second.
    pub drag: f64,
    /// Whether its bodies touch each other; those joined never do.
    pub touches_itself: bool,
    /// Rolling resistance against obstacles: the lever arm of the force that presses, metres. What is soft, such as flesh, does
    /// not rock on for ever.
    pub rolling: f64,
}

impl Default for Object {
    fn default() -> Self {
        Self { friction: 0.6, restitution: 0.0, drag: 0.0, touches_itself: true, rolling: 0.0 }
    }
}

/// Where a body starts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Start {
    /// Center of mass, metres.
    pub position: DVec3,
    /// Orientation of the principal axes.
    pub rotation: DQuat,
    /// Velocity of the center, metres per second.
    pub velocity: DVec3,
    /// Radians per second, world axes.
    pub angular_velocity: DVec3,
}

impl Start {
    /// At rest.
    pub fn at(position: DVec3, rotation: DQuat) -> Self {
        Self { position, rotation, velocity: DVec3::ZERO, angular_velocity: DVec3::ZERO }
    }
}
