//! Pose targets for a ragdoll: rotation and strength for each joint, and an optional root assist.
//!
//! ```text
//! torque of a joint   τ = −k φ − d (ω − rate) + moment,   φ = log(R Rᵀ_turn),   ‖−k φ − d (ω − rate)‖ per axis ≤ most · strength
//! k = s I (2π f)²,  d = s 2 ζ I 2π f,   s the strength, I the effective inertia of the joint while all others are locked
//! ```
//! Frequency and damping ratio have the same effect at any time step. Specification: mathematics 4.5.1, 4.7, 8.1.

use glam::{DQuat, DVec3};

use super::RagdollModel;

/// Target and strength of one joint drive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointTarget {
    /// Target rotation of the child's body relative to the parent's at the end of the next step, in the frames of their bones.
    pub turn: DQuat,
    /// Rate of the target rotation, radians per second, axes of the parent's bone.
    pub rate: DVec3,
    /// Strength of the drive, from 0 (limp) to 1 (full).
    pub strength: f64,
    /// Natural frequency of the joint alone, hertz.
    pub frequency: f64,
    /// Damping ratio; 1 is critical damping.
    pub damping_ratio: f64,
    /// Moment limit about each axis, newton meters.
    pub most: f64,
    /// Feedforward moment on the child (and its opposite on the parent), newton meters, world axes.
    pub moment: DVec3,
}

/// Root assist: accelerates the figure like one rigid body toward a target of its first body, so that no joint feels it. It acts on the bodies that
/// joints with strength connect to the first body; limp limbs hang on those.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RootAssist {
    /// Target position of the first body's bone, now, meters.
    pub position: DVec3,
    /// Target orientation of the bone.
    pub rotation: DQuat,
    /// Velocity of the target, meters per second.
    pub velocity: DVec3,
    /// Angular velocity of the target, radians per second, world axes.
    pub angular_velocity: DVec3,
    /// Time constant in which the error falls to about a third, seconds.
    pub time_constant: f64,
    /// Force limit, newtons.
    pub most_force: f64,
    /// Moment limit about the center of mass, newton meters.
    pub most_moment: f64,
}

/// Targets of all joint drives, and an optional root assist.
#[derive(Clone, Debug, PartialEq)]
pub struct PoseTarget {
    /// Joint targets, one for each of [`RagdollModel::links`].
    pub aims: Vec<JointTarget>,
    /// Root assist; `None` for a figure on its own.
    pub lead: Option<RootAssist>,
}

impl JointTarget {
    /// Aim of a limp joint.
    pub(crate) fn limp() -> Self {
        Self {
            turn: DQuat::IDENTITY,
            rate: DVec3::ZERO,
            strength: 0.0,
            frequency: 10.0,
            damping_ratio: 1.0,
            most: f64::INFINITY,
            moment: DVec3::ZERO,
        }
    }

    /// True if the drive of the joint has no effect.
    pub(super) fn is_limp(&self) -> bool {
        let (strength, _) = self.shares();
        let springs = self.frequency > 0.0 && self.most > 0.0;
        strength == 0.0 || !(springs || self.moment_given().is_some())
    }

    /// Strength limited to 0…1, and its square root: the factor of frequency and damping ratio that scales stiffness and damping by the strength.
    pub(super) fn shares(&self) -> (f64, f64) {
        let strength = if self.strength.is_finite() { self.strength.clamp(0.0, 1.0) } else { 0.0 };
        (strength, libm::sqrt(strength))
    }

    /// Feedforward moment, if there is one and the joint is not limp.
    pub(super) fn moment_given(&self) -> Option<DVec3> {
        (self.moment.is_finite() && self.moment != DVec3::ZERO && self.strength > 0.0).then_some(self.moment)
    }
}

impl PoseTarget {
    /// Targets that leave all joints of a figure limp.
    pub(crate) fn nothing(figure: &RagdollModel) -> Self {
        Self { aims: vec![JointTarget::limp(); figure.links.len()], lead: None }
    }

    /// Targets with the same strength (0 to 1) and frequency (hertz) for all joints.
    pub(crate) fn stiff(figure: &RagdollModel, strength: f64, frequency: f64) -> Self {
        Self { aims: vec![JointTarget { strength, frequency, ..JointTarget::limp() }; figure.links.len()], lead: None }
    }

    /// Sets the strength of the joint above a bone's body, and of all joints below it.
    pub(crate) fn set_strength_below(&mut self, figure: &RagdollModel, bone: usize, strength: f64) {
        for (aim, link) in self.aims.iter_mut().zip(&figure.links) {
            if figure.is_below(link.bone, bone) {
                aim.strength = strength;
            }
        }
    }
}
