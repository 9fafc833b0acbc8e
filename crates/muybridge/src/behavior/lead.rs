//! A hand that leads a figure: the field of accelerations that would move it as one rigid piece to where it is wanted.
//!
//! ```text
//! a_root = α 2/h² (x_t − x) + β 2/h (v_t − v),   α and β critically damped with time constant T, see [`Gains`]
//! angular likewise with log(R_t Rᵀ);   a(x) = a_root + α × (x − x_root);   force on body i  m_i a(x_i), moment I_i α
//! ```
//! A field that is the acceleration of a rigid motion loads no joint, so it is as stable on a figure of many joints as on one
//! body. Specification: mathematics 5.4 (equations 13 to 16).

use glam::{DMat3, DQuat, DVec3};

use super::action::gains::Gains;
use super::sensed::{Motion, Sensed};
use super::wanted::Lead;
use crate::collision::tensor;
use crate::math::rotation::log;

/// Accelerations of a rigid motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Field {
    /// Where [`Self::linear`] holds, metres: the mass center.
    pub center: DVec3,
    /// Metres per second squared.
    pub linear: DVec3,
    /// Radians per second squared.
    pub angular: DVec3,
}

impl Field {
    /// Metres per second squared at a place.
    pub fn at(&self, place: DVec3) -> DVec3 {
        self.linear + self.angular.cross(place - self.center)
    }
}

/// The field of a hand, within its limits; that of the moment by the inertia of a ball of the figure's mass and a quarter of a metre
/// where bodies have no inertia that is known.
pub fn field(hand: &Lead, sensed: &Sensed) -> Field {
    let (Some((place, turn)), Some(motion)) = (sensed.pose.first(), sensed.motions.first()) else {
        return Field { center: sensed.mass_center, linear: DVec3::ZERO, angular: DVec3::ZERO };
    };
    field_of(hand, (*place, *turn), motion, (sensed.mass_center, sensed.mass), sensed.step)
}

/// The same by what it takes: place and turn of the bone that is led, motion of its body, mass center (metres) and mass (kg) of the figure,
/// seconds of a step.
pub fn field_of(
    hand: &Lead,
    (place, turn): (DVec3, DQuat),
    motion: &Motion,
    (mass_center, mass): (DVec3, f64),
    h: f64,
) -> Field {
    let none = Field { center: mass_center, linear: DVec3::ZERO, angular: DVec3::ZERO };
    let Ok(gains) = Gains::critical(hand.time_constant, h) else { return none };
    let (place_gain, speed_gain) = (2.0 * gains.alpha() / (h * h), 2.0 * gains.beta() / h);
    let pull = |missing: DVec3, slow: DVec3| missing * place_gain + slow * speed_gain;
    let velocity = motion.velocity + motion.angular_velocity.cross(place - motion.center);
    let linear = pull(hand.position - place, hand.velocity - velocity);
    let angular = pull(log(hand.rotation * turn.conjugate()), hand.angular_velocity - motion.angular_velocity);
    let at_center = linear + angular.cross(mass_center - place);
    let field = Field {
        center: mass_center,
        linear: at_center.clamp_length_max(hand.most_force / mass),
        angular: angular.clamp_length_max(hand.most_moment / (mass * GYRATION * GYRATION)),
    };
    if field.linear.is_finite() && field.angular.is_finite() { field } else { none }
}

/// Radius of gyration of a standing person about an axis across, metres.
const GYRATION: f64 = 0.4;

/// Inertia of a figure about its mass center, kg m²; `own` is that of a body about its own center, world axes.
pub fn inertia(sensed: &Sensed, masses: impl Iterator<Item = f64>, own: impl Fn(usize) -> DMat3) -> DMat3 {
    let mut sum = DMat3::ZERO;
    for (index, (motion, mass)) in sensed.motions.iter().zip(masses).enumerate() {
        sum += own(index) + tensor::of_point(mass, motion.center - sensed.mass_center);
    }
    sum
}
