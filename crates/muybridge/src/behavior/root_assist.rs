//! Root assist: a residual wrench that accelerates a ragdoll like one rigid body toward a target pose of its root.
//!
//! ```text
//! a_root = α 2/h² (x_t − x) + β 2/h (v_t − v),   α and β critically damped with time constant T, see [`Gains`]
//! angular likewise with log(R_t Rᵀ);   a(x) = a_root + α × (x − x_root);   force on body i  s m_i a(x_i), moment s I_i α
//! held   the first body and all bodies that strong joints connect to it:  m of M;   limp bodies get no force and hang on them
//! s = max(1, min(M/m, ¾/β))                                            1 if no joint is limp
//! ```
//! The acceleration field of a rigid motion loads no joint, so the assist is as stable on a figure of many joints as on one body. Limp bodies are a
//! load: s accounts for their mass, as far as the gains stay inside their stable region even if the load swings freely and is not felt at all (s β
//! ≤ ¾, the β of the stiffest assist; then s (2β − α) < 2 holds too).
//! Specification: mathematics 5.4 (equations 13 to 16).

use glam::{DMat3, DQuat, DVec3};

use super::action::gains::Gains;
use super::pose_target::{JointTarget, RootAssist};
use super::sensed::{MassCenterMotion, Sensed};
use crate::collision::tensor;
use crate::math::rotation::log;

/// Linear and angular acceleration of a rigid motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RigidAcceleration {
    /// Point at which [`Self::linear`] holds, meters: the center of mass of the assisted bodies.
    pub center: DVec3,
    /// Linear acceleration at the center, meters per second squared.
    pub linear: DVec3,
    /// Angular acceleration, radians per second squared.
    pub angular: DVec3,
}

impl RigidAcceleration {
    /// Acceleration at a position, meters per second squared.
    pub(crate) fn at(&self, place: DVec3) -> DVec3 {
        self.linear + self.angular.cross(place - self.center)
    }
}

/// Mass and center of mass of the bodies that the root assist accelerates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct AssistedMass {
    /// Center of mass of the assisted bodies, meters.
    pub center: DVec3,
    /// Mass of the assisted bodies, kilograms.
    pub mass: f64,
    /// Mass of all bodies, including limp ones, kilograms.
    pub whole: f64,
}

impl AssistedMass {
    /// Mass properties of a figure without limp joints.
    pub(crate) fn all_bodies(sensed: &Sensed) -> Self {
        Self { center: sensed.mass_center, mass: sensed.mass, whole: sensed.mass }
    }

    /// Mass properties of the bodies flagged in `assisted_bodies`, given mass (kg) and center of mass (meters) of all bodies.
    pub(crate) fn of(held: &[bool], bodies: impl Iterator<Item = (f64, DVec3)>) -> Self {
        let (mut center, mut mass, mut whole) = (DVec3::ZERO, 0.0, 0.0);
        for (&held, (own, place)) in held.iter().zip(bodies) {
            whole += own;
            if held {
                (center, mass) = (center + place * own, mass + own);
            }
        }
        Self { center: center / mass, mass, whole }
    }
}

/// Flags the bodies on which the root assist acts: the first body, and all bodies that joints with strength connect to it. Links are parent and
/// child of each joint, parents first. `None` if the assist acts on all bodies.
pub(crate) fn assisted_bodies(
    bodies: usize,
    links: impl Iterator<Item = [usize; 2]>,
    aims: &[JointTarget],
) -> Option<Vec<bool>> {
    if aims.iter().all(|aim| !aim.is_limp()) {
        return None;
    }
    let mut held = vec![true; bodies];
    for ([parent, child], aim) in links.zip(aims) {
        held[child] = held[parent] && !aim.is_limp();
    }
    Some(held)
}

/// Acceleration field of the root assist, within its limits. The moment limit uses the inertia of the assisted mass with a radius of gyration of
/// 0.4 m, since body inertias may be unknown.
pub(crate) fn field(hand: &RootAssist, sensed: &Sensed, grip: &AssistedMass) -> RigidAcceleration {
    let (Some((place, turn)), Some(motion)) = (sensed.pose.first(), sensed.motions.first()) else {
        return RigidAcceleration { center: grip.center, linear: DVec3::ZERO, angular: DVec3::ZERO };
    };
    field_of(hand, (*place, *turn), motion, grip, sensed.step)
}

/// Acceleration field of the root assist from its inputs: position and orientation of the assisted bone, motion of its body, assisted mass, seconds
/// of a step.
pub(crate) fn field_of(
    hand: &RootAssist,
    (place, turn): (DVec3, DQuat),
    motion: &MassCenterMotion,
    grip: &AssistedMass,
    h: f64,
) -> RigidAcceleration {
    let AssistedMass { center, mass, whole } = *grip;
    let none = RigidAcceleration { center, linear: DVec3::ZERO, angular: DVec3::ZERO };
    let Ok(gains) = Gains::critical(hand.time_constant, h) else { return none };
    let (place_gain, speed_gain) = (2.0 * gains.alpha() / (h * h), 2.0 * gains.beta() / h);
    let pull = |missing: DVec3, slow: DVec3| missing * place_gain + slow * speed_gain;
    let velocity = motion.velocity + motion.angular_velocity.cross(place - motion.center);
    let linear = pull(hand.position - place, hand.velocity - velocity);
    let angular = pull(log(hand.rotation * turn.conjugate()), hand.angular_velocity - motion.angular_velocity);
    let at_center = linear + angular.cross(center - place);
    let times = (whole / mass).min(MOST_BETA / gains.beta()).max(1.0);
    let field = RigidAcceleration {
        center,
        linear: (at_center * times).clamp_length_max(hand.most_force / mass),
        angular: (angular * times).clamp_length_max(hand.most_moment / (mass * GYRATION * GYRATION)),
    };
    if field.linear.is_finite() && field.angular.is_finite() { field } else { none }
}

/// β of gains that reach the target in two steps.
const MOST_BETA: f64 = 0.75;

/// Radius of gyration of a standing person about a horizontal axis, meters.
const GYRATION: f64 = 0.4;

/// Inertia of the assisted bodies about their center of mass, kg m²; `own` gives the inertia of a body about its own center of mass, world axes.
pub(crate) fn inertia(
    sensed: &Sensed,
    (grip, held): (&AssistedMass, Option<&[bool]>),
    masses: impl Iterator<Item = f64>,
    own: impl Fn(usize) -> DMat3,
) -> DMat3 {
    let mut sum = DMat3::ZERO;
    for (index, (motion, mass)) in sensed.motions.iter().zip(masses).enumerate() {
        if held.is_none_or(|held| held[index]) {
            sum += own(index) + tensor::of_point(mass, motion.center - grip.center);
        }
    }
    sum
}
