//! Contact candidates and joint limits of a batch: points of colliders with a radius, above planes.
//!
//! A sphere has one candidate point, a capsule two, a box or hull all its corners. No other point of these shapes can
//! be the first to touch a half-space.

use glam::{DMat3, DVec3};

use super::CrowdError;
use crate::collision::ObstacleShape;
use crate::rigid::forest::Forest;
use crate::rigid::joint::Kind;
use crate::rigid::model::{Collider, JointLimit, Model};
use crate::rigid::row;
use crate::rigid::tree::is_pivot;

/// Candidate contact: a point of a body and a plane.
#[derive(Clone, Copy, Debug)]
pub(super) struct Feeler {
    pub body: usize,
    /// Index of the collider, and of the point among its own.
    pub of: [usize; 2],
    /// Position of the point in the principal frame of the body, meters.
    pub point: DVec3,
    /// Radius of the collider around the point, meters.
    pub radius: f64,
    /// Normal of the plane and two tangents, world axes.
    pub directions: [DVec3; 3],
    /// Index into [`BatchColliders::planes`].
    pub plane: usize,
    pub friction: f64,
    pub restitution: f64,
}

/// Joint limit of a body against its parent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounded {
    pub bounds: JointLimit,
    /// Rotation of the joint's frame in the parent and in the child.
    pub frames: [DMat3; 2],
    /// Whether the joint is reversed: its `parent` is the body below it in the tree.
    pub is_turned: bool,
}

/// One step of a traversal of the tree by the contact solver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Move {
    /// Solves the contacts of a body.
    Meet(usize),
    /// Goes from the parent to a body.
    Down(usize),
    /// Goes from a body to its parent.
    Up(usize),
}

/// Contact candidates and joint limits, shared by all instances.
#[derive(Clone, Debug, Default)]
pub(super) struct BatchColliders {
    /// Normal of every plane, and its height along that normal, meters.
    pub planes: Vec<(DVec3, f64)>,
    /// Candidate contacts, sorted by body.
    pub feelers: Vec<Feeler>,
    /// Limit of the joint above each body; `None` if that joint has none.
    pub bounded: Vec<Option<Bounded>>,
    /// Traversal of all trees, forward and reversed.
    pub walks: [Vec<Move>; 2],
    /// Whether no joint is attached to the world: positions may then be measured from any origin.
    pub has_origins: bool,
}

impl BatchColliders {
    /// Collects candidates and limits of a model whose obstacles are all fixed half-spaces.
    pub fn new(model: &Model, forest: &Forest) -> Result<Self, CrowdError> {
        let mut plan = Self { bounded: vec![None; model.bodies.len()], ..Self::default() };
        for body in 0..model.bodies.len() {
            let Some(joint) = forest.hangs_by[body] else { continue };
            if !is_pivot(&model.joints[joint], &model.bodies[body], forest.is_turned[body]) {
                return Err(CrowdError::Joint { joint });
            }
        }
        for (index, obstacle) in model.obstacles.iter().enumerate() {
            let is_still = obstacle.velocity == DVec3::ZERO && obstacle.spin == DVec3::ZERO;
            if !(matches!(obstacle.shape, ObstacleShape::HalfSpace) && is_still) {
                return Err(CrowdError::Obstacle { obstacle: index });
            }
            let normal = obstacle.rotation * DVec3::Y;
            let tangent = normal.any_orthonormal_vector();
            let directions = [normal, tangent, normal.cross(tangent)];
            plan.planes.push((normal, normal.dot(obstacle.position)));
            for (index, solid) in model.solids.iter().enumerate() {
                let (points, radius) = points(solid).ok_or(CrowdError::Solid { solid: index })?;
                let other = (obstacle.friction, obstacle.restitution);
                let (friction, restitution) = row::surface(model, [Some(solid.object), None], other);
                plan.feelers.extend(points.into_iter().enumerate().map(|(number, point)| Feeler {
                    body: solid.body,
                    of: [index, number],
                    point: solid.position + solid.rotation * point,
                    radius,
                    directions,
                    plane: plan.planes.len() - 1,
                    friction,
                    restitution,
                }));
            }
        }
        plan.feelers.sort_by_key(|feeler| feeler.body);
        for range in &model.ranges {
            let joint = &model.joints[range.joint];
            let hangs = |&body: &usize| forest.hangs_by[body] == Some(range.joint);
            let ends = [Some(joint.child), joint.parent];
            let is_bound = matches!(
                (&joint.kind, &range.bounds),
                (Kind::Ball, JointLimit::SwingTwist { .. }) | (Kind::Hinge, JointLimit::Hinge(_))
            );
            let (Some(body), true, Some(_)) = (ends.into_iter().flatten().find(hangs), is_bound, joint.parent) else {
                return Err(CrowdError::Range { joint: range.joint });
            };
            let frames = joint.frames.map(|frame| DMat3::from_quat(frame.rotation));
            let is_turned = forest.is_turned[body];
            plan.bounded[body] = Some(Bounded { bounds: range.bounds, frames, is_turned });
        }
        plan.has_origins = model.joints.iter().all(|joint| joint.parent.is_some());
        plan.walks = [false, true].map(|is_reversed| walk(forest, is_reversed));
        Ok(plan)
    }

    /// Whether there are neither contact candidates nor joint limits.
    pub fn is_empty(&self) -> bool {
        self.feelers.is_empty() && self.bounded.iter().all(Option::is_none)
    }
}

/// Whether a collider has a shape that batches know.
pub(super) fn is_known(solid: &Collider) -> bool {
    points(solid).is_some()
}

/// Candidate points of a collider, and the radius around them. `None` for an unsupported shape.
fn points(solid: &Collider) -> Option<(Vec<DVec3>, f64)> {
    Some(match &solid.shape {
        &ObstacleShape::Sphere { radius } => (vec![DVec3::ZERO], radius),
        &ObstacleShape::Capsule { radius, half_length } => {
            (vec![DVec3::NEG_Y * half_length, DVec3::Y * half_length], radius)
        }
        &ObstacleShape::Box { half_extents } => {
            let sign = |corner: usize, bit: usize| if corner & bit == 0 { -1.0 } else { 1.0 };
            let corner = |corner| half_extents * DVec3::new(sign(corner, 1), sign(corner, 2), sign(corner, 4));
            ((0..8).map(corner).collect(), 0.0)
        }
        ObstacleShape::Hull(hull) => (hull.corners().to_vec(), 0.0),
        _ => return None,
    })
}

/// Depth-first traversal of all trees. Contacts of a body come before its children, or after them if reversed.
fn walk(forest: &Forest, is_reversed: bool) -> Vec<Move> {
    let mut below = vec![Vec::new(); forest.parent.len()];
    for &body in forest.order.iter().rev() {
        if let Some(parent) = forest.parent[body] {
            below[parent].push(body);
        }
    }
    let mut moves = Vec::new();
    let mut next: Vec<Move> = Vec::new();
    for &root in forest.order.iter().filter(|&&body| forest.parent[body].is_none()) {
        next.push(Move::Down(root));
        while let Some(step) = next.pop() {
            match step {
                Move::Down(body) => {
                    if body != root {
                        moves.push(step);
                        next.push(Move::Up(body));
                    }
                    if is_reversed {
                        next.push(Move::Meet(body));
                        next.extend(below[body].iter().map(|&body| Move::Down(body)));
                    } else {
                        next.extend(below[body].iter().rev().map(|&body| Move::Down(body)));
                        next.push(Move::Meet(body));
                    }
                }
                _ => moves.push(step),
            }
        }
    }
    moves
}
