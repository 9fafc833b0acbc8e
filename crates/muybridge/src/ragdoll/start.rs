//! Initial pose and velocity of a ragdoll: at rest, thrown, or with the velocity of a playing clip.
//!
//! ```text
//! backward   v = (X_n − X_{n−1}) / H                 the velocity half a frame before
//! central    v = (X_{n+1} − X_{n−1}) / 2H            exact for a flight
//! spin       ω = log(R R*ᵀ) / time between them
//! ```
//! The centers of mass are differentiated, not the bones, and every particle gets the velocity of its rigid body, so no
//! body starts stretched. The world's time step is not involved: the world itself derives previous positions from
//! velocities (mathematics 3.1.1, 3.16; J33).

use glam::{DQuat, DVec3};

use super::{BoneMass, RagdollError, inside};
use crate::character::{Character, Skeleton};
use crate::math::rotation::angular_velocity;
use crate::motion::{Clip, WorldMotion};
use crate::particles::body::Placement;

/// Starting pose with its motion.
#[derive(Clone, Debug, PartialEq)]
pub struct RagdollStart {
    /// World position (m) and orientation of every bone.
    pub pose: Vec<(DVec3, DQuat)>,
    /// The same pose before it was placed in the world; `None` if it was not moved.
    pub unplaced: Option<Vec<(DVec3, DQuat)>>,
    /// Poses shortly before and after, with the interval between them; `None` for a start at rest.
    pub motion: Option<PosePair>,
    /// Additional velocity of the whole, meters per second.
    pub velocity: DVec3,
    /// Additional angular velocity of the whole about its center of mass, radians per second.
    pub spin: DVec3,
}

/// Two poses of a motion around the start.
#[derive(Clone, Debug, PartialEq)]
pub struct PosePair {
    /// World transforms of every bone in the earlier pose.
    pub before: Vec<(DVec3, DQuat)>,
    /// World transforms of every bone in the later pose.
    pub after: Vec<(DVec3, DQuat)>,
    /// Interval between the two poses, seconds.
    pub seconds: f64,
}

/// Velocity that a ragdoll inherits from a clip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Inherited {
    /// Central difference: the velocity at the frame. One-sided at the ends of the clip.
    Central,
    /// Backward difference from the previous frame, as in the source: all that a game knows while a clip plays.
    Backward,
    /// None: the ragdoll starts at rest.
    Nothing,
}

impl RagdollStart {
    /// Start at rest in a pose: world position (m) and orientation of every bone.
    pub(crate) fn resting(pose: Vec<(DVec3, DQuat)>) -> Self {
        Self { pose, unplaced: None, motion: None, velocity: DVec3::ZERO, spin: DVec3::ZERO }
    }

    /// Start at rest in the pose before it was placed: ragdolls that differ in place alone have the same joints, to the bit.
    pub(crate) fn before_placing(&self) -> Self {
        Self::resting(self.unplaced.as_ref().unwrap_or(&self.pose).clone())
    }

    /// Start at rest in the skeleton's rest pose.
    pub fn at_rest(skeleton: &Skeleton) -> Self {
        Self::resting(skeleton.rest_pose())
    }

    /// Start in frame `frame` of a clip of the skeleton, with its velocity.
    pub fn from_clip(
        skeleton: &Skeleton,
        clip: &Clip,
        frame: usize,
        inherited: Inherited,
    ) -> Result<Self, RagdollError> {
        if clip.bones() != skeleton.len() {
            return Err(RagdollError::OtherSkeleton { found: clip.bones(), expected: skeleton.len() });
        }
        let last = clip.frames() - 1;
        if frame > last {
            return Err(RagdollError::NoSuchFrame { frame, last });
        }
        let before = frame.saturating_sub(1);
        let after = if inherited == Inherited::Backward && frame > 0 { frame } else { (frame + 1).min(last) };
        let world = WorldMotion::new(skeleton, &clip.cut(before, after.max(frame) + 1));
        let pose = |at: usize| -> Vec<(DVec3, DQuat)> {
            (0..skeleton.len()).map(|b| (world.position(b, at - before), world.rotation(b, at - before))).collect()
        };
        let moves = inherited != Inherited::Nothing && after > before;
        let seconds = (after - before) as f64 * clip.frame_time;
        let motion = moves.then(|| PosePair { before: pose(before), after: pose(after), seconds });
        Ok(Self { motion, ..Self::resting(pose(frame)) })
    }

    /// Adds a velocity (m/s) of the whole and an angular velocity (rad/s) about its center of mass.
    pub fn with_velocity(self, velocity: DVec3, spin: DVec3) -> Self {
        Self { velocity, spin, ..self }
    }

    /// Rotates the start about the origin, then translates it.
    pub fn moved(mut self, position: DVec3, rotation: DQuat) -> Self {
        let place = |pose: &mut Vec<(DVec3, DQuat)>| {
            for (at, turn) in pose {
                (*at, *turn) = (position + rotation * *at, (rotation * *turn).normalize());
            }
        };
        self.unplaced.get_or_insert_with(|| self.pose.clone());
        place(&mut self.pose);
        if let Some(motion) = &mut self.motion {
            place(&mut motion.before);
            place(&mut motion.after);
        }
        self
    }

    /// Pose of each bone relative to its parent; of a root in the world.
    pub(super) fn locals(&self, character: &Character) -> Vec<(DVec3, DQuat)> {
        let local = |(bone, pose): (&crate::character::Bone, &(DVec3, DQuat))| {
            bone.parent.map_or(*pose, |parent| inside(self.pose[parent], *pose))
        };
        character.skeleton.bones().iter().zip(&self.pose).map(local).collect()
    }

    /// Placement and velocities of each body.
    pub(super) fn placements(&self, weights: &[BoneMass]) -> Vec<Placement> {
        let mut placements: Vec<Placement> = weights.iter().map(|weight| self.placement(weight)).collect();
        if self.velocity == DVec3::ZERO && self.spin == DVec3::ZERO {
            return placements;
        }
        let center_of = |(weight, placed): (&BoneMass, &Placement)| placed.position + placed.rotation * weight.center;
        let centers: Vec<DVec3> = weights.iter().zip(&placements).map(center_of).collect();
        let mass: f64 = weights.iter().map(|weight| weight.mass).sum();
        let weighted = weights.iter().zip(&centers).map(|(weight, center)| *center * weight.mass);
        let center = weighted.sum::<DVec3>() / mass;
        for (placement, at) in placements.iter_mut().zip(&centers) {
            placement.velocity += self.velocity + self.spin.cross(*at - center);
            placement.angular_velocity += self.spin;
        }
        placements
    }

    fn placement(&self, weight: &BoneMass) -> Placement {
        let (position, rotation) = self.pose[weight.bone];
        let mut placement = Placement::at(position, rotation);
        if let Some(motion) = &self.motion {
            let ((p, q), (p_after, q_after)) = (motion.before[weight.bone], motion.after[weight.bone]);
            let (from, to) = (p + q * weight.center, p_after + q_after * weight.center);
            placement.velocity = (to - from) / motion.seconds;
            placement.angular_velocity = angular_velocity(q, q_after, motion.seconds);
        }
        placement
    }
}

/// Checks that the poses belong to this character and are finite.
pub(super) fn check(character: &Character, start: &RagdollStart) -> Result<(), RagdollError> {
    let expected = character.skeleton.len();
    let motion = start.motion.iter().flat_map(|motion| [&motion.before, &motion.after]);
    for pose in motion.chain([&start.pose]) {
        if pose.len() != expected {
            return Err(RagdollError::OtherSkeleton { found: pose.len(), expected });
        }
        let unit = |q: DQuat| (q.length_squared() - 1.0).abs() < 1e-3;
        if let Some(bone) = pose.iter().position(|(p, q)| !(p.is_finite() && unit(*q))) {
            return Err(RagdollError::NotFinite { bone: character.skeleton.bones()[bone].name.clone() });
        }
    }
    Ok(())
}
