//! What trees that are alike have in common: mechanism, colliders, and the planes near them.

use glam::{DQuat, DVec3};

use crate::collision::{Obstacle, ObstacleShape};
use crate::rigid::crowd::plan::BatchColliders;
use crate::rigid::forest::Forest;
use crate::rigid::model::{Collider, Model};
use crate::rigid::rattle::Mechanism;

/// A tree by itself, with the planes near it as obstacles.
#[derive(Clone, Debug)]
pub(super) struct Rig {
    pub model: Model,
    pub forest: Forest,
    pub plan: BatchColliders,
    pub planes: Vec<Plane>,
    /// Limit of the joint above each body, by its index in the model.
    pub bounds: Vec<Option<usize>>,
    /// Rolling resistance of each body, meters.
    pub rolling: Vec<f64>,
}

/// Plane of an obstacle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Plane {
    pub obstacle: usize,
    pub normal: DVec3,
    pub offset: f64,
    pub friction: f64,
    pub restitution: f64,
}

impl Rig {
    /// Rig of a model without obstacles; `None` if lanes cannot step it.
    pub fn of(model: Model, planes: Vec<Plane>) -> Option<Self> {
        let model = Model { obstacles: planes.iter().map(Plane::obstacle).collect(), ..model };
        let forest = Forest::new(model.bodies.len(), &model.joints);
        let plan = BatchColliders::new(&model, &forest).ok()?;
        let bound = |body: usize| {
            let joint = forest.hangs_by[body]?;
            model.ranges.iter().position(|range| range.joint == joint)
        };
        let bounds = (0..model.bodies.len()).map(bound).collect();
        let mut rolling = vec![0.0; model.bodies.len()];
        model.greatest(|object| object.rolling, &mut rolling);
        Some(Self { model, forest, plan, planes, bounds, rolling })
    }

    /// Bodies and joints.
    pub fn mechanism(&self) -> Mechanism<'_> {
        Mechanism { bodies: &self.model.bodies, joints: &self.model.joints, forest: &self.forest }
    }

    /// Whether a model is the same but for its obstacles and the damping of its motors.
    pub fn is_alike(&self, other: &Model) -> bool {
        let own = &self.model;
        let is_same_solid = |(a, b): (&Collider, &Collider)| (a.body, a.object) == (b.body, b.object) && is_same(a, b);
        own.bodies == other.bodies
            && own.joints == other.joints
            && own.ranges == other.ranges
            && own.objects == other.objects
            && own.motors.iter().map(|motor| motor.joint).eq(other.motors.iter().map(|motor| motor.joint))
            && own.solids.len() == other.solids.len()
            && own.solids.iter().zip(&other.solids).all(is_same_solid)
    }
}

/// Whether two colliders of lanes are at the same place of their bodies, and of the same shape.
pub(super) fn is_same(one: &Collider, other: &Collider) -> bool {
    let is_same_shape = match (&one.shape, &other.shape) {
        (ObstacleShape::Sphere { radius: a }, ObstacleShape::Sphere { radius: b }) => a == b,
        (
            ObstacleShape::Capsule { radius: a, half_length: c },
            ObstacleShape::Capsule { radius: b, half_length: d },
        ) => (a, c) == (b, d),
        (ObstacleShape::Box { half_extents: a }, ObstacleShape::Box { half_extents: b }) => a == b,
        (ObstacleShape::Hull(a), ObstacleShape::Hull(b)) => std::sync::Arc::ptr_eq(a, b),
        _ => false,
    };
    one.position == other.position && one.rotation == other.rotation && is_same_shape
}

impl Plane {
    fn obstacle(&self) -> Obstacle {
        Obstacle {
            shape: ObstacleShape::HalfSpace,
            position: self.normal * self.offset,
            rotation: DQuat::from_rotation_arc(DVec3::Y, self.normal),
            velocity: DVec3::ZERO,
            spin: DVec3::ZERO,
            friction: self.friction,
            restitution: self.restitution,
        }
    }
}
