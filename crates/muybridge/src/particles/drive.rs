//! A spring and damper that drives one body of four particles to a turn against another, implicit in time.
//!
//! ```text
//! R = A⁻¹ B        axes of b in those of a;   φ = log(B (A R_target)⁻¹),   Δφ the turn of b against a since the last substep
//! τ = −I ω² φ' − (2 ζ ω + c) I (ω_rel' − rate)                  primes: at the end of the substep, which Λ = τ h² moves by K Λ
//! (1 + (ω²h² + (2ζω + c) h) I K) Λ = −I (ω²h² φ + (2ζω + c) h (Δφ − rate h)),   ‖Λ‖ ≤ most h²
//! K = J_a⁻¹ + J_b⁻¹ of the two bodies alone, I the inertia that a turn of the joint feels, c the drag;  ω h ≤ ¼, c h ≤ ¼
//! ```
//! Rosen's relative orientation with angle limit 0, where stiffness and damping stand for compliance. The two bodies alone are lighter
//! than with all that hangs on them, so the bound on the step is on the safe side: no stiffness makes it unstable.
//! Specification: mathematics 3.14, 4.5.1, 8.1 (R18, R20).

use glam::{DMat3, DQuat, DVec3};

use super::angular_friction::Rotor;
use super::model::Drive;
use crate::math::rotation::log;

/// Greatest ω h, radians, and greatest c h: joints are taken one after the other, and what is stiffer than that in a substep they hand on to each other
/// without end.
const STIFFEST: f64 = 0.25;

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

    /// Orientation of the parent's and of the child's axes.
    pub fn frames(&self, positions: &[DVec3]) -> [DQuat; 2] {
        [self.a, self.b].map(|axes| {
            let [x, y, _] = axes.map(|axis| axis.vector(positions));
            let x = x.normalize_or(DVec3::X);
            let y = (y - x * x.dot(y)).normalize_or(x.any_orthonormal_vector());
            DQuat::from_mat3(&DMat3::from_cols(x, y, x.cross(y))).normalize()
        })
    }

    /// What to add to the particles of parent and child in a substep of `seconds` from `before` to `now`. `None` where nothing is to be
    /// done or nothing can turn.
    pub fn moves(
        &self,
        before: &[[DVec3; 4]; 2],
        now: &[[DVec3; 4]; 2],
        masses: &[[f64; 4]; 2],
        (frames, seconds): ([DQuat; 2], f64),
    ) -> Option<[[DVec3; 4]; 2]> {
        // What is pinned does not give way.
        let rotors = [0, 1].map(|body: usize| Rotor::new(&now[body], &masses[body]));
        let (mut turned, mut yielding) = (DVec3::ZERO, DMat3::ZERO);
        for (body, sign) in [(0, -1.0), (1, 1.0)] {
            let Some(rotor) = &rotors[body] else { continue };
            turned += rotor.turned(&before[body], &now[body]) * sign;
            yielding += rotor.yielding;
        }
        let missing = log((frames[1] * (frames[0] * self.target).conjugate()).normalize());
        let rate = (core::f64::consts::TAU * self.frequency * seconds).min(STIFFEST);
        let drag = (self.drag * seconds).min(STIFFEST);
        let (spring, damper) = (rate * rate, 2.0 * self.damping_ratio * rate + drag);
        let inertia = self.inertia;
        let matrix = DMat3::IDENTITY + inertia * yielding * (spring + damper);
        let wanted = missing * spring + (turned - frames[0] * self.rate * seconds) * damper;
        let impulse = (matrix.inverse() * (inertia * -wanted)).clamp_length_max(self.most * seconds * seconds);
        let moves = |body: usize, sign: f64| rotors[body].map_or([DVec3::ZERO; 4], |rotor| rotor.moves(impulse * sign));
        impulse.is_finite().then(|| [moves(0, -1.0), moves(1, 1.0)])
    }
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
        log(a.conjugate() * b).x
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
    fn a_drive_of_any_stiffness_is_stable_and_ends_at_its_target() {
        for frequency in [100.0, 1e4, 1e8] {
            let mut world = pair(frequency, 1.0, DVec3::new(0.4, -1.0, 0.3), 1.0 / 60.0);
            world.model.drives[0].target = about(DVec3::Z, 0.5);
            for _ in 0..60 {
                world.step();
            }
            let [a, b] = world.model().drives[0].frames(&world.state.positions);
            assert!(log(a.conjugate() * b * about(DVec3::Z, -0.5)).length() < 1e-4, "{frequency}");
        }
    }
}
