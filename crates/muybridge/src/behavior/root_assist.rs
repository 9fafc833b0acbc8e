//! A hand that leads a figure: the field of accelerations that would move it as one rigid piece to where it is wanted.
//!
//! ```text
//! a_root = α 2/h² (x_t − x) + β 2/h (v_t − v),   α and β critically damped with time constant T, see [`Gains`]
//! angular likewise with log(R_t Rᵀ);   a(x) = a_root + α × (x − x_root);   force on body i  s m_i a(x_i), moment s I_i α
//! held   the first body and all that joints with strength join to it:  m of M;   limp bodies are not acted on and hang on them
//! s = max(1, min(M/m, ¾/β))                                            1 where nothing is limp
//! ```
//! A field that is the acceleration of a rigid motion loads no joint, so it is as stable on a figure of many joints as on one
//! body. What is limp is a load: s counts on all of its mass, as far as the gains stay inside their stable region even if the load
//! swings freely and is not felt at all (s β ≤ ¾, that of the hardest hand there is; s (2β − α) < 2 then holds too).
//! Specification: mathematics 5.4 (equations 13 to 16).

use glam::{DMat3, DQuat, DVec3};

use super::action::gains::Gains;
use super::pose_target::{JointTarget, RootAssist};
use super::sensed::{MassCenterMotion, Sensed};
use crate::collision::tensor;
use crate::math::rotation::log;

/// Accelerations of a rigid motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RigidAcceleration {
    /// Where [`Self::linear`] holds, metres: the mass center of what is held.
    pub center: DVec3,
    /// Metres per second squared.
    pub linear: DVec3,
    /// Radians per second squared.
    pub angular: DVec3,
}

impl RigidAcceleration {
    /// Metres per second squared at a place.
    pub fn at(&self, place: DVec3) -> DVec3 {
        self.linear + self.angular.cross(place - self.center)
    }
}

/// What a hand has hold of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AssistedMass {
    /// Mass center of the bodies that it acts on, metres.
    pub center: DVec3,
    /// Their mass, kilograms.
    pub mass: f64,
    /// That of all bodies, those that hang limp on them too.
    pub whole: f64,
}

impl AssistedMass {
    /// Of a figure without a limp joint.
    pub fn whole(sensed: &Sensed) -> Self {
        Self { center: sensed.mass_center, mass: sensed.mass, whole: sensed.mass }
    }

    /// Of the bodies that are `assisted_bodies`, by mass (kg) and center (metres) of all.
    pub fn of(held: &[bool], bodies: impl Iterator<Item = (f64, DVec3)>) -> Self {
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

/// Which bodies a hand acts on: the first, and those that joints with strength join to it. Links are parent and child of each joint, after
/// those they hang on. `None`: all of them.
pub fn assisted_bodies(
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

/// The field of a hand, within its limits; that of the moment by the inertia of a ball of the figure's mass and a quarter of a metre
/// where bodies have no inertia that is known.
pub fn field(hand: &RootAssist, sensed: &Sensed, grip: &AssistedMass) -> RigidAcceleration {
    let (Some((place, turn)), Some(motion)) = (sensed.pose.first(), sensed.motions.first()) else {
        return RigidAcceleration { center: grip.center, linear: DVec3::ZERO, angular: DVec3::ZERO };
    };
    field_of(hand, (*place, *turn), motion, grip, sensed.step)
}

/// The same by what it takes: place and turn of the bone that is led, motion of its body, what is held, seconds of a step.
pub fn field_of(
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

/// β of a hand that is there in two steps.
const MOST_BETA: f64 = 0.75;

/// Radius of gyration of a standing person about an axis across, metres.
const GYRATION: f64 = 0.4;

/// Inertia of what is held about its mass center, kg m²; `own` is that of a body about its own center, world axes.
pub fn inertia(
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
