//! Model of a simulation, constant while stepping: bodies, joints, joint limits, motors, colliders.

use glam::{DQuat, DVec3};

use super::{Body, Joint};
use crate::collision::{Obstacle, ObstacleShape, simplex_contact};

/// Bodies, constraints and colliders of a world. [`World::new`](super::World::new) checks the indices.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// Rigid bodies.
    pub bodies: Vec<Body>,
    /// Joints between bodies, or to the world.
    pub joints: Vec<Joint>,
    /// Joint limits.
    pub ranges: Vec<Range>,
    /// Joint motors: springs, dampers and friction.
    pub motors: Vec<Motor>,
    /// Colliders: shapes attached to bodies.
    pub solids: Vec<Collider>,
    /// Obstacles: fixed or kinematic colliders.
    pub obstacles: Vec<Obstacle>,
    /// Material and self-collision of groups of colliders; see [`Collider::object`].
    pub objects: Vec<Object>,
}

impl Model {
    /// Computes for every body the greatest value of `of` over the objects of its colliders; 0 for a body without
    /// colliders.
    pub(super) fn greatest(&self, of: impl Fn(&Object) -> f64, by_body: &mut [f64]) {
        by_body.fill(0.0);
        for solid in &self.solids {
            if let Some(object) = self.objects.get(solid.object) {
                by_body[solid.body] = by_body[solid.body].max(of(object));
            }
        }
    }

    /// Distance of the farthest point of each body from its center, meters: of its colliders, or of a rod with its moments.
    pub(super) fn reaches(&self) -> Vec<f64> {
        let of_moments = |body: &Body| libm::sqrt(3.0 * body.moments.max_element() / body.mass);
        let mut reaches: Vec<f64> = self.bodies.iter().map(of_moments).collect();
        for solid in &self.solids {
            reaches[solid.body] = reaches[solid.body].max(solid.reach());
        }
        reaches
    }
}

/// One-sided limit of a joint, in the joint's own frames.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Range {
    /// Index into [`Model::joints`].
    pub joint: usize,
    /// Limited quantity and its bounds.
    pub bounds: JointLimit,
}

/// Limits of a joint, radians (meters for sliders and distances).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum JointLimit {
    /// Least and greatest angle of a hinge about x, −π to π.
    Hinge([f64; 2]),
    /// Swing of the child's x axis within an ellipse of half angles about y and z (0 to π), and twist about x between
    /// two angles (−π to π).
    SwingTwist {
        /// Greatest swing about y and about z, radians.
        swing: [f64; 2],
        /// Least and greatest twist about x, radians.
        twist: [f64; 2],
    },
    /// Least and greatest travel of a slider along x, meters.
    Slider([f64; 2]),
    /// Least and greatest distance of the anchors, meters; a rope has a least distance of 0.
    Distance([f64; 2]),
}

/// Motor on the free rotations of a joint: a spring, a damper, friction, or several. Implicit: stable at any frequency
/// and any step. That of a slider acts along x: read meters for radians and newtons for newton meters.
///
/// Frequency, damping ratio and damping refer to the inertia that a joint rotation feels while all other joints are
/// locked (mathematics 8.1). They mean the same for a wrist and a spine.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Motor {
    /// Index into [`Model::joints`].
    pub joint: usize,
    /// Target of the child's frame relative to the parent's: a rotation vector in the parent's frame, radians.
    pub target: DVec3,
    /// Rate of the target during a step, which begins at `target`; radians per second in the parent's frame. Damper and
    /// `drag` drive the joint toward this rate.
    pub rate: DVec3,
    /// Natural frequency of the spring, hertz; 0 means no spring.
    pub frequency: f64,
    /// Damping ratio of the spring; 1 is critical.
    pub damping_ratio: f64,
    /// Inertia about each axis to which frequency, damping ratio and damping refer, kg m²; `None`: that of the present
    /// pose. A spring whose stiffness changed with the pose would give and take energy.
    pub inertia: Option<DVec3>,
    /// Stiffness of a spring beside that of `frequency`, newton meters per radian: it does not depend on inertia. 0 means
    /// none.
    pub stiffness: f64,
    /// Torque limit of spring and damping about each axis, newton meters.
    pub most: f64,
    /// Moment of dry friction, newton meters; 0 means none.
    pub friction: f64,
    /// Damping: rate at which the relative angular velocity decays to `rate`, per second; 0 means none. For a ball
    /// joint without spring and torque limit the damping is isotropic; otherwise it acts about each axis of the
    /// parent's frame separately.
    pub drag: f64,
    /// Whether a hinge turns to its target through angle 0, also where the way through half a turn is shorter, because
    /// its limits lie there.
    pub is_direct: bool,
}

impl Motor {
    /// Motor without any effect.
    pub fn idle(joint: usize) -> Self {
        Self {
            joint,
            target: DVec3::ZERO,
            rate: DVec3::ZERO,
            frequency: 0.0,
            damping_ratio: 1.0,
            inertia: None,
            stiffness: 0.0,
            most: f64::INFINITY,
            friction: 0.0,
            drag: 0.0,
            is_direct: false,
        }
    }
}

/// Collider: a shape attached to a body.
#[derive(Clone, Debug)]
pub struct Collider {
    /// Index into [`Model::bodies`].
    pub body: usize,
    /// Index into [`Model::objects`].
    pub object: usize,
    /// Shape with an inside: a sphere, capsule, cylinder, box or hull.
    pub shape: ObstacleShape,
    /// Position of the shape in the body's principal frame, meters.
    pub position: DVec3,
    /// Orientation of the shape relative to the principal axes.
    pub rotation: DQuat,
}

/// Material and self-collision shared by a group of bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Object {
    /// Coulomb friction coefficient; a pair uses the geometric mean.
    pub friction: f64,
    /// Coefficient of restitution, 0 to 1; a pair uses the greater one.
    pub restitution: f64,
    /// Damping: rate at which velocities decay, per second.
    pub drag: f64,
    /// Whether bodies of the group collide with each other; bodies joined to each other never do.
    pub touches_itself: bool,
    /// Rolling resistance against obstacles: lever arm of the contact force, meters. It stops soft shapes, such as
    /// limbs, from rocking forever.
    pub rolling: f64,
}

impl Collider {
    /// Distance of its farthest point from the center of its body, meters.
    pub(super) fn reach(&self) -> f64 {
        let size = match self.shape {
            ObstacleShape::Sphere { radius } => radius,
            ObstacleShape::Capsule { radius, half_length } => half_length + radius,
            _ => {
                simplex_contact::bounds(&self.shape).map_or(0.0, |size| size.least.abs().max(size.most.abs()).length())
            }
        };
        self.position.length() + size
    }
}

impl Default for Object {
    fn default() -> Self {
        Self { friction: 0.6, restitution: 0.0, drag: 0.0, touches_itself: true, rolling: 0.0 }
    }
}

/// Initial pose and velocities of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Start {
    /// Position of the center of mass, meters.
    pub position: DVec3,
    /// Orientation of the principal axes.
    pub rotation: DQuat,
    /// Velocity of the center of mass, meters per second.
    pub velocity: DVec3,
    /// Angular velocity, radians per second, world axes.
    pub angular_velocity: DVec3,
}

impl Start {
    /// Start state at rest.
    pub fn at(position: DVec3, rotation: DQuat) -> Self {
        Self { position, rotation, velocity: DVec3::ZERO, angular_velocity: DVec3::ZERO }
    }
}
