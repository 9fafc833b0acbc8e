//! A spring and damper that drives one body of four particles to a turn against another, implicit in time.
//!
//! ```text
//! R = A⁻¹ B        axes of b in those of a;   φ = log(B (A R_target)⁻¹),   Δφ the turn of b against a since the last substep
//! τ = −I ω² φ' − (2 ζ ω + c) I (ω_rel' − rate)                  primes: after n substeps, in the first of which Λ = τ n h² moves by K Λ
//! (1 + n (n ω²h² + (2ζω + c) h) I K) Λ = −I n (ω²h² φ + (2ζω + c) h (Δφ − rate h)),   ‖Λ‖ ≤ most n h²
//! K = J_a⁻¹ + J_b⁻¹ of the two bodies alone, I the inertia that a turn of the joint feels, c the drag;  ω n h ≤ ¼, c n h ≤ ¼
//! ```
//! A spring that is slow beside the substep acts in every n-th of them, n times as hard, joints in turn: n is 1, 2 or 4, so that the
//! angle it goes by in that time stays below 0.05.
//! Rosen's relative orientation with angle limit 0, where stiffness and damping stand for compliance. The two bodies alone are lighter
//! than with all that hangs on them, so the bound on the step is on the safe side: no stiffness makes it unstable.
//! Specification: mathematics 3.14, 4.5.1, 8.1 (R18, R20).

use glam::{DMat3, DQuat, DVec3};

use super::angular_friction::Turn;
use super::model::Drive;
use crate::math::rotation::log;

/// Greatest ω h, radians, and greatest c h: joints are taken one after the other, and what is stiffer than that in a substep they hand on to each other
/// without end.
const STIFFEST: f64 = 0.25;

/// Greatest ω n h and c n h of a drive that does not act in every substep.
const SLOW: f64 = 0.05;

impl Drive {
    /// Drives nothing: `a` and `b` are axes of the parent and of the child, right-handed.
    pub fn idle(a: [super::Direction; 3], b: [super::Direction; 3]) -> Self {
        Self {
            a,
            b,
            target: DQuat::IDENTITY,
            rate: DVec3::ZERO,
            inertia: DMat3::ZERO,
            frequency: 0.0,
            damping_ratio: 1.0,
            drag: 0.0,
            most: f64::INFINITY,
        }
    }

    /// Whether it does anything.
    pub fn is_on(&self) -> bool {
        (self.frequency > 0.0 || self.drag > 0.0) && self.most > 0.0
    }

    /// The parent's and the child's axes, right-handed.
    pub fn frames(&self, positions: &[DVec3]) -> [DMat3; 2] {
        [right_angled(&self.a, positions), right_angled(&self.b, positions)]
    }

    /// In every so many substeps of `seconds` it acts, of `substeps` that a step has.
    pub fn pace(&self, seconds: f64, substeps: u32) -> u32 {
        let fastest = (core::f64::consts::TAU * self.frequency).max(self.drag) * seconds;
        let may = |pace: u32| f64::from(pace) * fastest <= SLOW && substeps.is_multiple_of(pace);
        [4, 2].into_iter().find(|&pace| may(pace)).unwrap_or(1)
    }

    /// Λ on the child (kg m² rad), and against it on the parent, in a substep of `seconds` in which they turned so, if it acts in every
    /// `pace`-th. `None` where nothing can turn.
    #[inline(always)]
    pub fn impulse(&self, turn: &Turn<4>, frames: [DMat3; 2], (seconds, pace): (f64, u32)) -> Option<DVec3> {
        let missing = turn_between(frames[0] * DMat3::from_quat(self.target), frames[1]);
        // Of the n substeps together: n ω h and n c h.
        let pace = f64::from(pace);
        let rate = (core::f64::consts::TAU * self.frequency * pace * seconds).min(STIFFEST);
        let drag = (self.drag * pace * seconds).min(STIFFEST);
        let (spring, damper) = (rate * rate, 2.0 * self.damping_ratio * rate + drag);
        let inertia = self.inertia;
        let matrix = DMat3::IDENTITY + inertia * turn.yielding * (spring + damper);
        let wanted = missing * (spring / pace) + (turn.turned - frames[0] * self.rate * seconds) * damper;
        let impulse = (matrix.inverse() * (inertia * -wanted)).clamp_length_max(self.most * pace * seconds * seconds);
        impulse.is_finite().then_some(impulse)
    }
}

/// Two axes as they are now, made right-angled, and the third.
fn right_angled(axes: &[super::Direction; 3], positions: &[DVec3]) -> DMat3 {
    let x = axes[0].vector(positions).normalize_or(DVec3::X);
    let y = axes[1].vector(positions);
    let y = (y - x * x.dot(y)).try_normalize().unwrap_or_else(|| x.any_orthonormal_vector());
    DMat3::from_cols(x, y, x.cross(y))
}

/// The rotation vector (radians) that turns axes `from` to axes `to`, both right-handed and right-angled.
fn turn_between(from: DMat3, to: DMat3) -> DVec3 {
    // Of R = to · fromᵀ: 2 sin θ times the axis, and 1 + 2 cos θ.
    let twice = from.x_axis.cross(to.x_axis) + from.y_axis.cross(to.y_axis) + from.z_axis.cross(to.z_axis);
    let trace = from.x_axis.dot(to.x_axis) + from.y_axis.dot(to.y_axis) + from.z_axis.dot(to.z_axis);
    if trace < 0.0 {
        // The sine says little of turns near π.
        return log(DQuat::from_mat3(&(to * from.transpose())).normalize());
    }
    let sine = 0.5 * twice.length();
    if sine < 1e-8 {
        return twice * 0.5;
    }
    twice * (0.5 * libm::atan2(sine, 0.5 * (trace - 1.0)) / sine)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collision::MassProperties;
    use crate::math::rotation::{about, exp};
    use crate::particles::{Model, Placement, RigidBody, Settings, World};

    /// Two bodies at one place with nothing between them but a drive, in no gravity, the parent of great mass.
    fn pair(frequency: f64, damping_ratio: f64, start: DVec3, time_step: f64) -> World {
        let body = |mass: f64| {
            let inertia = DMat3::from_diagonal(DVec3::splat(0.1 * mass));
            RigidBody::new(&MassProperties { mass, center: DVec3::ZERO, inertia }).unwrap()
        };
        let (parent, child) = (body(1e9), body(1.0));
        let mut model = Model::default();
        parent.add_to(&mut model, &Placement::at(DVec3::ZERO, DQuat::IDENTITY));
        child.add_to(&mut model, &Placement::at(DVec3::ZERO, exp(start)));
        let axes = |body: &RigidBody, first: usize| DVec3::AXES.map(|axis| body.direction(first, axis));
        let inertia = DMat3::from_diagonal(DVec3::splat(0.1));
        let idle = Drive::idle(axes(&parent, 0), axes(&child, 4));
        model.drives.push(Drive { inertia, frequency, damping_ratio, ..idle });
        let settings = Settings { gravity: DVec3::ZERO, time_step, substeps: 64, ..Settings::default() };
        World::new(model, settings).unwrap()
    }

    fn angle(world: &World) -> f64 {
        let [a, b] = world.model().drives[0].frames(&world.state.positions);
        turn_between(a, b).x
    }

    #[test]
    fn r20_a_critically_damped_drive_goes_the_way_of_1_plus_wt_times_e_to_the_minus_wt() {
        for steps in [60, 240] {
            let mut world = pair(1.0, 1.0, DVec3::X * 0.8, 1.0 / f64::from(steps));
            for step in 1..=steps {
                world.step();
                let wt = core::f64::consts::TAU * f64::from(step) / f64::from(steps);
                let expected = 0.8 * (1.0 + wt) * libm::exp(-wt);
                assert!((angle(&world) - expected).abs() < 0.01, "{step} {} {expected}", angle(&world));
            }
        }
    }

    #[test]
    fn the_turn_between_axes_is_the_logarithm_of_their_rotation() {
        let mut random = crate::math::random::Random::new(3);
        for size in [0.0, 1e-12, 1e-9, 1e-4, 0.3, 1.0, 2.0, 2.2, 3.0, 3.12] {
            for _ in 0..20 {
                let (turn, from) = (random.rotation() * DVec3::X * size, random.rotation());
                let to = exp(turn) * from;
                let found = turn_between(DMat3::from_quat(from), DMat3::from_quat(to));
                assert!((found - turn).length() < 1e-9, "{size}: {found} instead of {turn}");
            }
        }
    }

    #[test]
    fn a_drive_of_any_stiffness_is_stable_and_ends_at_its_target() {
        for frequency in [100.0, 1e4, 1e8] {
            let mut world = pair(frequency, 1.0, DVec3::new(0.4, -1.0, 0.3), 1.0 / 60.0);
            world.model.drives[0].target = about(DVec3::Z, 0.5);
            for _ in 0..60 {
                world.step();
            }
            let [a, b] = world.model().drives[0].frames(&world.state.positions);
            assert!(turn_between(a * DMat3::from_quat(about(DVec3::Z, 0.5)), b).length() < 1e-4, "{frequency}");
        }
    }
}
