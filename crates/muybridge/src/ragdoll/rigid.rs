//! Ragdoll of rigid bodies with joints, and the mapping back to bones.
//!
//! ```text
//! body     principal frame of all mass that moves with a bone
//! joint    ball or hinge; its frames agree in the middle of its limits
//! friction a motor that damps the relative rotation of the two bodies of a joint
//! ```
//! Specification: mathematics 4.1, 4.3, 4.7, 9.1.

use glam::{DQuat, DVec3};

use super::bodies::{LEAST_MOMENT, bodies, no_thinner};
use super::joints::{Axes, JointDraft, JointFreedom, joints};
use super::solids::solids;
use super::{BoneMap, BoneMass, RagdollError, RagdollSettings, RagdollStart, start};
use crate::character::Character;
use crate::collision::shape::PlacedShape;
use crate::math::input_error::InputError;
use crate::motion::{Clip, ClipError};
use crate::particles::Placement;
use crate::rigid::body::PrincipalFrame;
use crate::rigid::joint::Frame;
use crate::rigid::model::{Collider, JointLimit, Model, Motor, Object, Range};
use crate::rigid::{self, Body, Kind, Pose, World};

/// Ragdoll of rigid bodies.
#[derive(Clone, Debug)]
pub struct RigidRagdoll {
    /// Model with one object; bodies in the order of [`Self::bodies`].
    pub model: Model,
    /// Start pose and velocities of each body.
    pub starts: Vec<rigid::model::Start>,
    /// Bones of the bodies.
    pub bodies: Vec<BodyOfBone>,
    /// Attachments of all bones to the bodies.
    pub bones: BoneMap,
    /// Index of the ragdoll's first body in the world it was added to; every method takes poses of that world.
    pub first: usize,
    /// Notes about changes and omissions, one sentence each.
    pub notes: Vec<String>,
}

/// Rigid body and its bone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyOfBone {
    /// Index of the bone.
    pub bone: usize,
    /// Principal frame of the body, in the frame of the bone.
    pub frame: PrincipalFrame,
}

/// Ragdoll of rigid bodies of a character from a start: bodies, joints with their limits, colliders. Errors name the
/// bone.
///
/// A joint limit that excludes the starting pose is widened to include it, and [`RigidRagdoll::notes`] says so.
/// [`RagdollSettings::iterations`] is ignored.
pub fn rigid(
    character: &Character,
    start: &RagdollStart,
    settings: &RagdollSettings,
) -> Result<RigidRagdoll, RagdollError> {
    start::check(character, start)?;
    let unplaced = start.before_placing();
    let (parts, rides) = bodies(character, &unplaced.pose)?;
    let mut ragdoll = RigidRagdoll {
        model: Model::default(),
        starts: Vec::new(),
        bodies: Vec::new(),
        bones: BoneMap::new(character, start, rides),
        first: 0,
        notes: Vec::new(),
    };
    let mut weights = Vec::new();
    for part in &parts {
        let bone = || character.skeleton.bones()[part.bone].name.clone();
        let body = Body::of(&no_thinner(part.properties, LEAST_MOMENT));
        let (body, frame) = body.map_err(|source| RagdollError::Inertia { bone: bone(), source })?;
        ragdoll.model.bodies.push(body);
        ragdoll.bodies.push(BodyOfBone { bone: part.bone, frame });
        weights.push(BoneMass { bone: part.bone, mass: body.mass, center: frame.center });
    }
    ragdoll.bones.masses = weights.iter().map(|it| it.mass).collect();
    let placed = start.placements(&weights);
    ragdoll.starts = ragdoll.bodies.iter().zip(&placed).map(|(body, placed)| body.start(placed)).collect();
    let at = unplaced.placements(&weights);
    let at: Vec<_> = ragdoll.bodies.iter().zip(&at).map(|(body, placed)| body.start(placed)).collect();
    let (held, widened) = joints(character, &ragdoll.bones, &unplaced, settings);
    held.iter().for_each(|joint| ragdoll.join(joint, &at, settings.joint_friction));
    ragdoll.notes.extend(widened);
    let covering = solids(character, &ragdoll.bones, &weights);
    let solid = |(body, placed): &(usize, PlacedShape)| Collider::of(*body, 0, placed, &ragdoll.bodies[*body].frame);
    ragdoll.model.solids = covering.iter().map(solid).collect();
    ragdoll.model.objects.push(Object {
        friction: settings.friction,
        restitution: settings.restitution,
        drag: settings.drag,
        touches_itself: settings.touches_itself,
        rolling: settings.rolling,
    });
    Ok(ragdoll)
}

impl BodyOfBone {
    /// Start state of the body, from the placement of its bone.
    pub(crate) fn start(&self, placed: &Placement) -> rigid::model::Start {
        let (position, rotation) = self.frame.placed(placed.position, placed.rotation);
        let (velocity, angular_velocity) = (placed.velocity, placed.angular_velocity);
        rigid::model::Start { position, rotation, velocity, angular_velocity }
    }
}

impl RigidRagdoll {
    /// Adds a joint between bodies that start as in `starts`.
    fn join(&mut self, joint: &JointDraft, starts: &[rigid::model::Start], friction: f64) {
        let (kind, axes, bounds) = match joint.held {
            JointFreedom::Free => (Kind::Ball, Axes { a: DQuat::IDENTITY, b: DQuat::IDENTITY }, None),
            JointFreedom::Cone { axes, swing, twist } => {
                (Kind::Ball, axes, Some(JointLimit::SwingTwist { swing, twist: [-twist, twist] }))
            }
            JointFreedom::Hinge { axes, half } => {
                (Kind::Hinge, axes, half.map(|half| JointLimit::Hinge([-half, half])))
            }
        };
        let frame = |body: usize, axes: DQuat| {
            let start = &starts[body];
            let back = start.rotation.conjugate();
            Frame { position: back * (joint.at - start.position), rotation: (back * axes).normalize() }
        };
        let [parent, child] = joint.bodies;
        let frames = [frame(parent, axes.a), frame(child, axes.b)];
        let index = self.model.joints.len();
        self.model.joints.push(rigid::Joint { parent: Some(parent), child, frames, kind, compliance: 0.0 });
        if let Some(bounds) = bounds {
            self.model.ranges.push(Range { joint: index, bounds });
        }
        if friction > 0.0 {
            self.model.motors.push(Motor { drag: friction, ..Motor::idle(index) });
        }
    }

    /// Index of the bone with exactly that name.
    pub fn bone(&self, name: &str) -> Option<usize> {
        self.bones.find(name)
    }

    /// Index in the world of the body that carries a bone; `None` if the bone has no body.
    pub fn body(&self, bone: usize) -> Option<usize> {
        Some(self.first + self.bones.ride(bone)?.body)
    }

    /// World position of a point of a bone (meters, its frame); `None` if the bone has no body.
    pub(crate) fn point_in_world(&self, poses: &[Pose<f64>], bone: usize, in_bone: DVec3) -> Option<DVec3> {
        let ride = self.bones.ride(bone)?;
        let (position, rotation) = self.body_frame(ride.body, poses);
        Some(position + rotation * (ride.position + ride.rotation * in_bone))
    }

    /// Gives a bone an impulse (N s) at a place of it (meters, the bone's frame).
    ///
    /// # Errors
    /// If there is no such bone, or impulse or place is not finite.
    pub(crate) fn hit(&self, world: &mut World, bone: usize, in_bone: DVec3, impulse: DVec3) -> Result<(), InputError> {
        let place = self.point_in_world(&world.state.poses, bone, in_bone);
        let (body, place) = self.body(bone).zip(place).ok_or(self.bones.unknown(bone))?;
        world.hit(body, impulse, place)
    }

    /// World position (m) and orientation of every bone; `poses` are those of the world's bodies.
    pub fn pose(&self, poses: &[Pose<f64>]) -> Vec<(DVec3, DQuat)> {
        self.bones.pose(&self.frames(poses))
    }

    /// Position (m) and orientation of a body's bone.
    pub(crate) fn body_frame(&self, body: usize, poses: &[Pose<f64>]) -> (DVec3, DQuat) {
        let pose = &poses[self.first + body];
        self.bodies[body].frame.origin_of(pose.place(), pose.turn())
    }

    /// Writes the pose into a frame of a clip of the skeleton. Quaternions stay in the hemisphere of the previous
    /// frame. Returns how far the farthest body was moved to close the joints, meters.
    pub(crate) fn write_frame(&self, poses: &[Pose<f64>], clip: &mut Clip, frame: usize) -> f64 {
        self.bones.write_frame(&self.frames(poses), clip, frame)
    }

    /// Clip of recorded poses of the world's bodies, one list per frame, `frame_time` seconds apart.
    pub fn clip(&self, recorded: &[Vec<Pose<f64>>], frame_time: f64) -> Result<Clip, ClipError> {
        self.bones.clip(recorded.iter().map(|poses| self.frames(poses)), frame_time)
    }

    fn frames(&self, poses: &[Pose<f64>]) -> Vec<(DVec3, DQuat)> {
        (0..self.bodies.len()).map(|body| self.body_frame(body, poses)).collect()
    }
}
