//! What is wanted of a figure: for each joint a turn and how strongly it is held, and at will a hand that leads the whole.
//!
//! ```text
//! torque of a joint   τ = −k φ − d (ω − rate) + moment,   φ = log(R Rᵀ_turn),   ‖−k φ − d (ω − rate)‖ per axis ≤ most · strength
//! k = s I (2π f)²,  d = s 2 ζ I 2π f,   s the strength, I the inertia that a turn of the joint feels while all others are locked
//! ```
//! Frequency and damping ratio mean the same at any time step. Specification: mathematics 4.5.1, 4.7, 8.1.

use glam::{DQuat, DVec3};

use super::RagdollModel;

/// What is wanted of one joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointTarget {
    /// Turn of the child's body against the parent's at the end of the coming step, both by the frames of the bones they are named
    /// after.
    pub turn: DQuat,
    /// Rate of that turn, radians per second, axes of the parent's bone.
    pub rate: DVec3,
    /// 0 limp, 1 all of it.
    pub strength: f64,
    /// Natural frequency of the joint alone, hertz.
    pub frequency: f64,
    /// 1 is critical.
    pub damping_ratio: f64,
    /// Greatest moment about each axis, newton metres.
    pub most: f64,
    /// A moment on the child that is known beforehand, the opposite of it on the parent, newton metres, world axes.
    pub moment: DVec3,
}

/// A hand that leads a figure by its first body: the pull of a field that would move it as one rigid piece, so that no joint feels it.
/// It acts on the bodies that joints with strength join to the first; limp limbs hang on those.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RootAssist {
    /// Where the first body's bone is to be now, metres.
    pub position: DVec3,
    /// How it is to be turned.
    pub rotation: DQuat,
    /// How fast that moves, metres per second.
    pub velocity: DVec3,
    /// How fast it turns, radians per second, world axes.
    pub angular_velocity: DVec3,
    /// Seconds in which what is missing falls to a third.
    pub time_constant: f64,
    /// Greatest force, newtons.
    pub most_force: f64,
    /// Greatest moment about the center of mass, newton metres.
    pub most_moment: f64,
}

/// What is wanted of a figure.
#[derive(Clone, Debug, PartialEq)]
pub struct PoseTarget {
    /// One for each of [`RagdollModel::links`].
    pub aims: Vec<JointTarget>,
    /// A hand from outside; `None`: the figure is on its own.
    pub lead: Option<RootAssist>,
}

impl JointTarget {
    /// Nothing is wanted.
    pub fn limp() -> Self {
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

    /// Whether the joint does nothing.
    pub(super) fn is_limp(&self) -> bool {
        let (strength, _) = self.shares();
        let springs = self.frequency > 0.0 && self.most > 0.0;
        strength == 0.0 || !(springs || self.moment_given().is_some())
    }

    /// Strength within 0 to 1, and the share of frequency and damping ratio that gives stiffness and damping that share.
    pub(super) fn shares(&self) -> (f64, f64) {
        let strength = if self.strength.is_finite() { self.strength.clamp(0.0, 1.0) } else { 0.0 };
        (strength, libm::sqrt(strength))
    }

    /// The moment known beforehand, where there is one and the joint is not limp.
    pub(super) fn moment_given(&self) -> Option<DVec3> {
        (self.moment.is_finite() && self.moment != DVec3::ZERO && self.strength > 0.0).then_some(self.moment)
    }
}

impl PoseTarget {
    /// Nothing is wanted of a figure.
    pub fn nothing(figure: &RagdollModel) -> Self {
        Self { aims: vec![JointTarget::limp(); figure.links.len()], lead: None }
    }

    /// All joints with one strength (0 to 1) and frequency (hertz).
    pub fn stiff(figure: &RagdollModel, strength: f64, frequency: f64) -> Self {
        Self { aims: vec![JointTarget { strength, frequency, ..JointTarget::limp() }; figure.links.len()], lead: None }
    }

    /// Gives the joint above a bone's body, and all joints below it, another strength.
    pub fn set_strength_below(&mut self, figure: &RagdollModel, bone: usize, strength: f64) {
        for (aim, link) in self.aims.iter_mut().zip(&figure.links) {
            if figure.is_below(link.bone, bone) {
                aim.strength = strength;
            }
        }
    }
}
