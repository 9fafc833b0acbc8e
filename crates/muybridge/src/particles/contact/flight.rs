//! Motion of a rigid body without joints within a substep, and what a hit makes of it.
//!
//! ```text
//! c(t) = c* + t d,   d = c − c*          L = Σ m (x* − c*) × (x − c),   φ(t) = t φ,   φ = I⁻¹ L         t: share of the substep
//! hit at τ    d' = d + J/m,   L' = L + r × J,   φ' = I_τ⁻¹ L'
//!             c'(t) = c(t) + (t − τ) J/m,   x' − c' = exp((t − τ) φ') exp((τ − t) φ) (x − c)    of x*, x and the one before x*
//! ```
//! The body then moves as if it had always been on the way that leads from the hit on. Both momenta are those of the impulse at
//! the place and the time of the hit, to rounding: `x*` is turned by what is too much of `L`. Impulses are times the substep, kg m.
//! Specification: mathematics 3.1, 3.11 (J19, J20), 3.16 (J37).

use glam::{DMat3, DQuat, DVec3};

use super::response::TetrahedronInertia;
use super::surfaces::{Skin, SolidShape};
use crate::collision::Pose;
use crate::math::rotation::exp;

/// Motion of a free body within a substep. Times are shares of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flight {
    body: TetrahedronInertia,
    /// Center of mass at the start of the substep, meters.
    pub center: DVec3,
    /// Displacement (m) and turn (rad) within the substep.
    pub shift: DVec3,
    pub turn: DVec3,
    /// Angular momentum about the center times the substep, kg m².
    spin: DVec3,
}

/// Body in flight at the time of a hit.
#[derive(Clone, Copy, Debug)]
pub(super) struct FlyingBody {
    pub center: DVec3,
    pub inverse_mass: f64,
    pub inverse_inertia: DMat3,
    /// Momentum and angular momentum about the center, times the substep.
    pub momenta: [DVec3; 2],
}

/// Positions of all particles one substep before the start, at the start and at the end of the substep, meters.
pub(in crate::particles) struct Ways<'a> {
    pub earlier: &'a mut [DVec3],
    pub previous: &'a mut [DVec3],
    pub positions: &'a mut [DVec3],
    /// Time from `earlier` to `previous`, in substeps.
    pub before: f64,
}

/// Rounds in which the angular momentum is met; each leaves a thousandth.
const ROUNDS: u32 = 4;

impl Flight {
    /// Flight of four particles; `None` if one is immovable.
    pub fn new(particles: [usize; 4], ways: &Ways, inverse_masses: &[f64]) -> Option<Self> {
        let body = TetrahedronInertia::of(particles, ways.previous, inverse_masses)?;
        let center = body.center(ways.previous);
        let shift = body.center(ways.positions) - center;
        let spin = body.spin(ways.positions, ways.previous);
        let half = exp(0.5 * (body.inverse_inertia() * spin));
        let turn = half * (body.inverse_inertia() * (half.inverse() * spin));
        Some(Self { body, center, shift, turn, spin })
    }

    /// Pose of a collider of the body at the start, and the greatest distance of its points from the center of mass, meters.
    pub fn posed(&self, skin: &Skin, solid: Option<&SolidShape>, previous: &[DVec3]) -> (Pose, f64) {
        if let Some(solid) = solid {
            let pose = skin.pose(previous);
            return (pose, pose.to_world(solid.middle).distance(self.center) + solid.size + skin.radius);
        }
        let [a, b, _] = skin.simplex(previous).corners;
        let rotation = (b - a).try_normalize().map_or(DQuat::IDENTITY, |axis| DQuat::from_rotation_arc(DVec3::Y, axis));
        let reach = a.distance(self.center).max(b.distance(self.center)) + skin.radius;
        (Pose { position: 0.5 * (a + b), rotation }, reach)
    }

    /// The body at time `t`.
    pub fn at(&self, t: f64) -> FlyingBody {
        let turned = DMat3::from_quat(exp(self.turn * t));
        let inverse_mass = self.body.inverse_mass();
        FlyingBody {
            center: self.center + self.shift * t,
            inverse_mass,
            inverse_inertia: turned * self.body.inverse_inertia() * turned.transpose(),
            momenta: [self.shift / inverse_mass, self.spin],
        }
    }

    /// Gives the body other momenta at time `t`, by moving its particles.
    pub fn go_on(&mut self, t: f64, with: &FlyingBody, ways: &mut Ways, inverse_masses: &[f64]) {
        let [momentum, spin] = with.momenta;
        let gained = momentum * with.inverse_mass - self.shift;
        let turn = with.inverse_inertia * spin;
        let before = -ways.before;
        for (list, time) in [(&mut *ways.earlier, before), (&mut *ways.previous, 0.0), (&mut *ways.positions, 1.0)] {
            let turned = exp(turn * (time - t)) * exp(self.turn * (t - time));
            self.body.place(list, gained * (time - t), turned);
        }
        for _ in 0..ROUNDS {
            let excess = self.body.spin(ways.positions, ways.previous) - spin;
            let back = with.inverse_inertia * excess;
            self.body.place(ways.previous, DVec3::ZERO, exp(back));
            self.body.place(ways.earlier, DVec3::ZERO, exp(back * (1.0 + ways.before)));
        }
        if let Some(next) = Self::new(self.body.particles(), ways, inverse_masses) {
            *self = next;
        }
    }
}

impl FlyingBody {
    /// Displacement of the body (m), and its turn (rad), in a substep.
    pub fn velocities(&self) -> [DVec3; 2] {
        [self.momenta[0] * self.inverse_mass, self.inverse_inertia * self.momenta[1]]
    }

    /// Kinetic energy times the square of the substep, kg m².
    pub fn energy(&self) -> f64 {
        let [v, w] = self.velocities();
        0.5 * (self.momenta[0].dot(v) + self.momenta[1].dot(w))
    }

    /// Displacement of a point at `arm` from the center in a substep, meters.
    pub fn moved(&self, arm: DVec3) -> DVec3 {
        let [v, w] = self.velocities();
        v + w.cross(arm)
    }

    /// Displacement along `direction` per unit of impulse along it at `arm`, 1/kg.
    pub fn mobility(&self, arm: DVec3, direction: DVec3) -> f64 {
        let moment = arm.cross(direction);
        self.inverse_mass + moment.dot(self.inverse_inertia * moment)
    }

    pub fn push(&mut self, arm: DVec3, impulse: DVec3) {
        self.momenta[0] += impulse;
        self.momenta[1] += arm.cross(impulse);
    }
}
