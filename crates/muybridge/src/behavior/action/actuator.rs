//! Actuators: compute the acceleration a command asks for, and the force and torque that give a free body this acceleration.
//!
//! ```text
//! a = α (2/h²)(x_t − x) + β (2/h)(v_t − v)                    f = m (a − g)                      (8), (9), (13–14)
//! ε = α (2/h²) φ + β (2/h)(ω_t − ω),   φ = log(R_t Rᵀ)          τ = J ε − L × ω                    (10–12), (15–16)
//! masked:  S J⁻¹ Sᵀ τ_S = ε_S − (J⁻¹ (L × ω))_S                 no torque about the other axes
//! ```
//! φ is the rotation vector of the shortest rotation, not a difference of Euler angles. With Ziauddin's integrator (`x += ½h(v + v')`) this is
//! exact in one step for α = β = 1. A world whose state is the angular momentum gets the same mean over a step from
//! ```text
//! τ = (J' ω' − L)/h,   ω' = ω + h ε,   J' at  R' = exp(½h(ω + ω')) R
//! ```
//! after which the angular velocity is ω' however fast the body turns; the two forms differ by O(h). A force that is constant over a step moves a
//! free body exactly as far in any number of substeps, because half of the force comes before each drift and half behind. Particles get all of the
//! force before the drift: see [`Gains::by_verlet`]; their known rotation is that of half a substep ago, R(−½h/n) = exp(−½(h/n) ω) R.
//! Specification: mathematics 5.4.

use glam::{DMat3, DVec3};

use super::command::Command;
use super::gains::Gains;
use super::sensed::PointMotion;
use crate::collision::tensor;
use crate::math::rotation::{exp, log};
use crate::rigid::Body;

/// Force through the center of mass and torque, world axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Effort {
    /// Force, newtons.
    pub force: DVec3,
    /// Torque about the center of mass, newton meters.
    pub torque: DVec3,
}

/// Integrator of the world, which decides how a torque turns the body in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stepping {
    /// The state is the angular momentum, as in [`crate::rigid::World`].
    #[default]
    Momentum,
    /// The state is the angular velocity, as in [`crate::rigid::integrator::Integrator::Ziauddin`].
    AngularVelocity,
    /// The state is the positions now and half a substep ago, as in [`crate::particles::World`]. The number is the substeps per step.
    Verlet(u32),
}

impl Stepping {
    fn gains(self, gains: Gains) -> Gains {
        if let Self::Verlet(substeps) = self { gains.by_verlet(substeps) } else { gains }
    }

    /// Time by which velocities are older than positions, seconds, in a step of `step` seconds.
    pub(crate) fn lag(self, step: f64) -> f64 {
        if let Self::Verlet(substeps) = self { 0.5 * step / f64::from(substeps.max(1)) } else { 0.0 }
    }
}

/// Acceleration that a command asks of a point, m/s² and rad/s², along and about the world axes; `None` for an axis without demand.
pub(crate) fn wanted(command: &Command, own: &PointMotion, (stepping, step): (Stepping, f64)) -> [Option<f64>; 6] {
    let response = command.strength.response;
    let gains = stepping.gains(response.gains(step));
    let (pull, damp) = (2.0 * gains.alpha() / (step * step), 2.0 * gains.beta() / step);
    let asked = |away: Option<DVec3>, slower: DVec3| match away {
        Some(away) => away * pull + slower * damp,
        None => slower * (2.0 * response.velocity_gain(step) / step),
    };
    let linear =
        command.place.map(|place| asked(place.position.map(|to| to - own.position), place.velocity - own.velocity));
    let angular = command.heading.map(|heading| {
        let turn = heading.rotation.map(|to| log(to * own.rotation.conjugate()));
        asked(turn, heading.angular_velocity - own.angular_velocity)
    });
    let mut all = [None; 6];
    for (half, asked, mask) in [(0, linear, command.strength.axes), (3, angular, command.strength.turn_axes)] {
        for (axis, value) in asked.map_or([0.0; 3], |asked| asked.to_array()).into_iter().enumerate() {
            all[half + axis] = (asked.is_some() && mask[axis]).then_some(value);
        }
    }
    all
}

/// Force and torque that give a free body the commanded acceleration. The point may be off the center of mass: the force acts at the center as if
/// the body did not turn.
pub(crate) fn effort(
    command: &Command,
    (body, own): (&Body, &PointMotion),
    gravity: DVec3,
    (stepping, step): (Stepping, f64),
) -> Effort {
    let wanted = wanted(command, own, (stepping, step));
    let weight = if command.strength.carries { gravity } else { DVec3::ZERO };
    let along = |axis: usize| wanted[axis].map_or(0.0, |a| body.mass * (a - weight[axis]));
    let force = DVec3::new(along(0), along(1), along(2));
    let turn = [wanted[3], wanted[4], wanted[5]];
    let kept = wanted.map(|wanted| wanted.map_or(0.0, |_| -body.mass));
    let kept = DVec3::new(kept[0], kept[1], kept[2]) * weight;
    let effort = Effort { force, torque: torque(body, own, turn, (stepping, step)) };
    effort.within(command, &Effort { force: kept, torque: DVec3::ZERO })
}

fn torque(body: &Body, own: &PointMotion, wanted: [Option<f64>; 3], (stepping, step): (Stepping, f64)) -> DVec3 {
    let rotation = match stepping.lag(step) {
        0.0 => own.rotation,
        lag => (exp(own.angular_velocity * -lag) * own.rotation).normalize(),
    };
    let inertia = tensor::from_principal(body.moments, rotation);
    let spin = inertia * own.angular_velocity;
    let gyroscopic = spin.cross(own.angular_velocity);
    match wanted {
        [None, None, None] => DVec3::ZERO,
        [Some(x), Some(y), Some(z)] => {
            let faster = DVec3::new(x, y, z);
            match stepping {
                Stepping::AngularVelocity => inertia * faster - gyroscopic,
                Stepping::Momentum | Stepping::Verlet(_) => {
                    let now = own.angular_velocity;
                    let then = now + faster * step;
                    let turned = (exp((now + then) * (0.5 * step)) * rotation).normalize();
                    (tensor::from_principal(body.moments, turned) * then - spin) / step
                }
            }
        }
        some => {
            let inverse = inertia.inverse();
            let free = inverse * gyroscopic;
            // Rows of unconstrained axes become τ = 0.
            let (mut matrix, mut right) = (DMat3::IDENTITY, DVec3::ZERO);
            for (row, wanted) in some.into_iter().enumerate() {
                let Some(wanted) = wanted else { continue };
                right[row] = wanted - free[row];
                for (column, kept) in some.iter().enumerate() {
                    matrix.col_mut(column)[row] = if kept.is_some() { inverse.col(column)[row] } else { 0.0 };
                }
            }
            matrix.inverse() * right
        }
    }
}

impl Effort {
    /// Limits force and torque to the command's strength. The part `kept`, which carries the weight, is given up last, since the body would fall
    /// without it.
    pub(crate) fn within(self, command: &Command, kept: &Self) -> Self {
        let strength = &command.strength;
        Self {
            force: at_most(self.force, kept.force, strength.most_force),
            torque: at_most(self.torque, kept.torque, strength.most_torque),
        }
    }
}

/// Longest vector `kept + s (whole − kept)`, with s from 0 to 1, that is no longer than `most`; if there is none, `kept` cut to this length.
fn at_most(whole: DVec3, kept: DVec3, most: f64) -> DVec3 {
    if whole.length() <= most {
        return whole;
    }
    let more = whole - kept;
    let (a, b, c) = (more.length_squared(), kept.dot(more), kept.length_squared() - most * most);
    if c > 0.0 || a <= 0.0 {
        let length = kept.length();
        return if length > most { kept * (most / length) } else { kept };
    }
    let share = (libm::sqrt((b * b - a * c).max(0.0)) - b) / a;
    kept + more * share.clamp(0.0, 1.0)
}
