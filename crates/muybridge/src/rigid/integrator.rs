//! Time integrators of rigid bodies, and the controller of a variable step.
//!
//! ```text
//! euler        p += h v,  q ← exp(h ω) q,  P += h F,  L += h τ                                          order 1   H19
//! heun         as Euler, with the mean of the rates at the start and at Euler's end state                     2   H20
//! ziauddin     v' = v + h F/m,  ω' = ω + h J⁻¹(τ + L × ω),  p += ½h(v + v'),  q ← exp(½h(ω + ω')) q            1   Z1, Z2
//! splitting    half kick, free top (`drift`), half kick: symplectic                                            2   default
//! rk4          the classical four stages; orientations in the algebra:  φ' = ω − ½ φ × ω + φ × (φ × ω)/12      4
//! composition  splitting over γh, γh, (1 − 4γ)h, γh, γh with γ = 1/(4 − ∛4)                                     4
//! step control h ← 0.9 h √(tolerance/error),  error: difference of Heun and Euler                                  H21
//! ```
//! The state is the angular momentum in the world, so only a moment changes it. Ziauddin's method alone works with ω,
//! as its source does. The source adds ω to Euler angles, which is right for the first step only. Of the compositions
//! of the second-order step, Suzuki's five stages have the least error at equal cost: with the same number of drifts a
//! tenth of the error of Yoshida's three (see the tests). Specification: mathematics 4.2; Hennix et al. eq. 16, 17;
//! Munthe-Kaas 1998; Suzuki 1990.

use glam::DVec3;

use super::drift::drift;
use super::motion::vector;
use super::{Body, Momentum, Pose};
use crate::math::lane_rotation::LaneVector;
use crate::math::rotation::exp;

/// Time integrator of rigid bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Integrator {
    /// Explicit Euler (Hennix et al., equation 16).
    ExplicitEuler,
    /// Trapezoid rule with Euler as predictor (Hennix et al., equation 17).
    Heun,
    /// Trapezoid rule over the velocities before and after (Ziauddin).
    Ziauddin,
    /// Half kick, free rotation of the top, half kick; symplectic.
    #[default]
    Splitting,
    /// Classical Runge–Kutta on the group of rotations.
    RungeKutta4,
    /// Suzuki's composition of the splitting.
    Composition4,
}

/// Force (newtons) and moment about the center of mass (newton meters), world axes.
pub type Wrench = Momentum<f64>;

/// Bodies with their state.
#[derive(Debug)]
pub struct Moving<'a> {
    /// Mass properties of the bodies.
    pub bodies: &'a [Body],
    /// Poses of the bodies.
    pub poses: &'a mut [Pose<f64>],
    /// Momenta of the bodies.
    pub momenta: &'a mut [Momentum<f64>],
}

/// Stages of Suzuki's composition, as shares of the step.
pub const SUZUKI: [f64; 5] = {
    // Values of 1/(4 − 4^(1/3)), and 1 − 4 times that.
    let stage = 0.414_490_771_794_375_74;
    [stage, stage, 1.0 - 4.0 * stage, stage, stage]
};

/// Rates of a body: velocity, angular velocity, force, moment; world axes.
#[derive(Clone, Copy, Debug, Default)]
struct Rates([DVec3; 4]);

/// Callback that adds external wrenches on the bodies.
trait Forces: FnMut(&[Pose<f64>], &[Momentum<f64>], &mut [Wrench]) {}
impl<F: FnMut(&[Pose<f64>], &[Momentum<f64>], &mut [Wrench])> Forces for F {}

/// Integrates bodies. Buffers are reused; only the first step, or one with more bodies, allocates.
#[derive(Clone, Debug, Default)]
pub struct Stepper {
    start: Vec<(Pose<f64>, Momentum<f64>)>,
    wrenches: Vec<Wrench>,
    rates: Vec<Rates>,
    sum: Vec<Rates>,
    turned: Vec<DVec3>,
}

impl Stepper {
    /// Moves bodies by `h` seconds. `forces` adds external wrenches at given poses and momenta to an array that starts
    /// at zero.
    ///
    /// Returns the difference between Heun's and Euler's step, meters or radians, if the integrator is Heun's;
    /// otherwise 0.
    pub fn step(
        &mut self,
        integrator: Integrator,
        moving: &mut Moving<'_>,
        h: f64,
        mut forces: impl FnMut(&[Pose<f64>], &[Momentum<f64>], &mut [Wrench]),
    ) -> f64 {
        let count = moving.bodies.len();
        self.wrenches.resize(count, Momentum::ZERO);
        self.rates.resize(count, Rates::default());
        self.sum.resize(count, Rates::default());
        self.turned.resize(count, DVec3::ZERO);
        self.start.clear();
        self.start.extend(moving.poses.iter().copied().zip(moving.momenta.iter().copied()));
        match integrator {
            Integrator::ExplicitEuler => {
                self.evaluate(moving, &mut forces);
                self.advance(moving, h);
            }
            Integrator::Heun => return self.heun(moving, h, &mut forces),
            Integrator::Ziauddin => self.ziauddin(moving, h, &mut forces),
            Integrator::Splitting => self.splitting(moving, h, &mut forces),
            Integrator::RungeKutta4 => self.runge_kutta(moving, h, &mut forces),
            Integrator::Composition4 => SUZUKI.iter().for_each(|part| self.splitting(moving, h * part, &mut forces)),
        }
        0.0
    }

    /// Evaluates the rates at the present state.
    fn evaluate(&mut self, at: &Moving<'_>, forces: &mut impl Forces) {
        self.act(at, forces);
        for body in 0..at.bodies.len() {
            let (v, w) = at.momenta[body].velocities(&at.bodies[body], at.poses[body].turn());
            let wrench = self.wrenches[body];
            self.rates[body] = Rates([v, w, vector(wrench.linear), vector(wrench.angular)]);
        }
    }

    fn act(&mut self, at: &Moving<'_>, forces: &mut impl Forces) {
        self.wrenches.fill(Momentum::ZERO);
        forces(at.poses, at.momenta, &mut self.wrenches);
    }

    /// Advances from the start state by the rates for `h` seconds.
    fn advance(&self, moving: &mut Moving<'_>, h: f64) {
        for (body, (pose, momentum)) in self.start.iter().enumerate() {
            let Rates([v, w, force, moment]) = self.rates[body];
            moving.poses[body] = Pose::new(pose.place() + v * h, (exp(w * h) * pose.turn()).normalize());
            moving.momenta[body] = pushed(*momentum, (force, moment), h);
        }
    }

    fn heun(&mut self, moving: &mut Moving<'_>, h: f64, forces: &mut impl Forces) -> f64 {
        self.evaluate(moving, forces);
        self.advance(moving, h);
        self.sum.copy_from_slice(&self.rates);
        self.evaluate(moving, forces);
        let mut error = 0.0_f64;
        for (far, near) in self.rates.iter_mut().zip(&self.sum) {
            for (far, near) in far.0.iter_mut().zip(near.0) {
                *far = (*far + near) * 0.5;
            }
            let off = |of: usize| (far.0[of] - near.0[of]).length() * h;
            error = error.max(off(0)).max(off(1));
        }
        self.advance(moving, h);
        error
    }

    fn ziauddin(&mut self, moving: &mut Moving<'_>, h: f64, forces: &mut impl Forces) {
        self.evaluate(moving, forces);
        for body in 0..moving.bodies.len() {
            let properties = &moving.bodies[body];
            let Rates([v, w, force, moment]) = self.rates[body];
            let (pose, momentum) = (moving.poses[body], &moving.momenta[body]);
            let turn = pose.turn();
            let in_body = turn.conjugate() * (moment + vector(momentum.angular).cross(w));
            let (v1, w1) = (v + force * (h / properties.mass), w + turn * (in_body / properties.moments) * h);
            let turned = (exp((w + w1) * (0.5 * h)) * turn).normalize();
            moving.poses[body] = Pose::new(pose.place() + (v + v1) * (0.5 * h), turned);
            // ω' turns with the body, in whose axes J is constant.
            moving.momenta[body] = Momentum::of(properties, turned, v1, turned * (turn.conjugate() * w1));
        }
    }

    /// The second kick uses the resulting momenta (by one correction), so velocity-dependent forces keep the order.
    fn splitting(&mut self, moving: &mut Moving<'_>, h: f64, forces: &mut impl Forces) {
        let kick = |wrenches: &[Wrench], from: &[(Pose<f64>, Momentum<f64>)], momenta: &mut [Momentum<f64>]| {
            for ((momentum, (_, from)), wrench) in momenta.iter_mut().zip(from).zip(wrenches) {
                *momentum = pushed(*from, (vector(wrench.linear), vector(wrench.angular)), 0.5 * h);
            }
        };
        for (start, (pose, momentum)) in self.start.iter_mut().zip(moving.poses.iter().zip(moving.momenta.iter())) {
            *start = (*pose, *momentum);
        }
        self.act(moving, forces);
        kick(&self.wrenches, &self.start, moving.momenta);
        for body in 0..moving.bodies.len() {
            moving.poses[body] = drift(&moving.bodies[body], &moving.poses[body], &moving.momenta[body], h);
            self.start[body].1 = moving.momenta[body];
        }
        for _ in 0..2 {
            self.act(moving, forces);
            kick(&self.wrenches, &self.start, moving.momenta);
        }
    }

    fn runge_kutta(&mut self, moving: &mut Moving<'_>, h: f64, forces: &mut impl Forces) {
        self.sum.fill(Rates::default());
        for (reach, next, weight) in [(0.0, 0.5, 1.0), (0.5, 0.5, 2.0), (0.5, 1.0, 2.0), (1.0, 0.0, 1.0)] {
            for (turned, rates) in self.turned.iter_mut().zip(&self.rates) {
                *turned = rates.0[1] * (h * reach);
            }
            self.evaluate(moving, forces);
            for body in 0..moving.bodies.len() {
                // Rotation since the start of the step, from the previous stage.
                let (phi, w) = (self.turned[body], self.rates[body].0[1]);
                self.rates[body].0[1] = w - phi.cross(w) * 0.5 + phi.cross(phi.cross(w)) / 12.0;
                for (sum, rate) in self.sum[body].0.iter_mut().zip(self.rates[body].0) {
                    *sum += rate * (weight / 6.0);
                }
            }
            if next > 0.0 {
                self.advance(moving, h * next);
            }
        }
        self.rates.copy_from_slice(&self.sum);
        self.advance(moving, h);
    }
}

fn pushed(momentum: Momentum<f64>, (force, moment): (DVec3, DVec3), h: f64) -> Momentum<f64> {
    let add = |v: LaneVector<f64>, by: DVec3| LaneVector::splat((), vector(v) + by * h);
    Momentum { linear: add(momentum.linear, force), angular: add(momentum.angular, moment) }
}

/// Step-size controller: chooses the next step from the error of the last.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepControl {
    /// Allowed difference between Heun's and Euler's step, meters and radians.
    pub tolerance: f64,
}

impl StepControl {
    /// Shortest and longest step, seconds.
    pub const BOUNDS: [f64; 2] = [1e-4, 0.03];

    /// Next step after one of `h` seconds with this `error` (see [`Stepper::step`]), seconds.
    pub fn next(&self, h: f64, error: f64) -> f64 {
        let factor = if error > 0.0 { 0.9 * libm::sqrt(self.tolerance / error) } else { 2.0 };
        let factor = if factor.is_finite() { factor.clamp(0.5, 2.0) } else { 0.5 };
        (h * factor).clamp(Self::BOUNDS[0], Self::BOUNDS[1])
    }
}

#[cfg(test)]
mod tests;
