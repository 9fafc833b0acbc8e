//! Joint drive: a spring and damper that drives one body to a rotation relative to another, implicit in time.
//!
//! ```text
//! R = A⁻¹ B        axes of b in those of a;   φ = log(B (A R_target)⁻¹),   Δφ the turn of b against a since the last substep
//! τ = −I ω² φ' − (2 ζ ω + c) I (ω_rel' − rate)                  primes: after n substeps, in the first of which Λ = τ n h² moves by K Λ
//! (1 + n (n ω²h² + (2ζω + c) h) I K) Λ = −I n (ω²h² φ + (2ζω + c) h (Δφ − rate h)),   ‖Λ‖ ≤ most n h²
//! K = J_a⁻¹ + J_b⁻¹ of the two bodies alone, I the inertia that a turn of the joint feels, c the drag;  ω n h ≤ ¼, c n h ≤ ¼
//! ```
//! I turns with the parent; I⁻¹ is constant in a step, and I⁻¹ + n (n ω²h² + (2ζω + c) h) K is symmetric. A spring that is slow compared to the
//! substep acts in every n-th substep, n times as strongly, joints in turn: n is 1, 2 or 4, so that its phase angle
//! over that time stays below 0.05. The drive is Rosen's relative orientation with angle limit 0, with stiffness and
//! damping in place of compliance. The two bodies alone are lighter than with their subtrees, so the estimate errs on
//! the safe side: no stiffness makes a step unstable.
//! Specification: mathematics 3.14, 4.5.1, 8.1 (R18, R20).

use glam::{DMat3, DQuat, DVec3};

use super::model::Drive;
use super::point::Direction;
use crate::math::rotation::log;

/// Greatest ω h (radians) and c h. Joints are solved one after the other, and stiffer drives would pass errors to each
/// other without end.
const STIFFEST: f64 = 0.25;

/// Greatest ω n h and c n h of a drive that acts only in every n-th substep.
const SLOW: f64 = 0.05;

impl Drive {
    /// An inactive drive. `a` and `b` are axes of the parent and of the child, right-handed.
    pub fn idle(a: [Direction; 3], b: [Direction; 3]) -> Self {
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
            angle: None,
        }
    }

    /// Greatest rate (1/s) of a spring, 2π times its frequency, and of a drag, in substeps of `seconds`; faster ones act as such.
    pub(crate) fn greatest_rate(seconds: f64) -> f64 {
        STIFFEST / seconds
    }

    /// Whether the drive is active.
    pub fn is_on(&self) -> bool {
        (self.frequency > 0.0 || self.drag > 0.0) && self.most > 0.0
    }

    /// Axes of the parent and of the child in the world, right-handed.
    #[inline(always)]
    pub fn frames(&self, positions: &[DVec3]) -> [DMat3; 2] {
        [frame(&self.a, positions), frame(&self.b, positions)]
    }

    /// Interval n at which the drive acts, in substeps of `seconds`; it divides the number of `substeps` per step.
    pub fn pace(&self, seconds: f64, substeps: u32) -> u32 {
        let fastest = (core::f64::consts::TAU * self.frequency).max(self.drag) * seconds;
        let may = |pace: u32| f64::from(pace) * fastest <= SLOW && substeps.is_multiple_of(pace);
        [4, 2].into_iter().find(|&pace| may(pace)).unwrap_or(1)
    }

    /// Constants of the drive for a step of `substeps` of `seconds` each, with the particles at `positions`. `None` if the
    /// drive is inactive or the inertia is singular.
    pub(crate) fn of_step(&self, seconds: f64, substeps: u32, positions: &[DVec3]) -> Option<OfStep> {
        self.is_on().then(|| self.with_parent(seconds, substeps, &frame(&self.a, positions))).flatten()
    }

    fn with_parent(&self, seconds: f64, substeps: u32, parent: &DMat3) -> Option<OfStep> {
        let pace = self.pace(seconds, substeps);
        // Over n substeps together: n ω h and n c h.
        let n = f64::from(pace);
        let rate = (core::f64::consts::TAU * self.frequency * n * seconds).min(STIFFEST);
        let drag = (self.drag * n * seconds).min(STIFFEST);
        let (spring, damper) = (rate * rate, 2.0 * self.damping_ratio * rate + drag);
        Some(OfStep {
            pace,
            target: DMat3::from_quat(self.target),
            turn: self.rate * seconds,
            yielding: SymmetricMatrix::of(&(*parent * self.inertia * parent.transpose())).inverse()?,
            pull: spring / n,
            damper,
            stiffness: spring + damper,
            most: self.most * n * seconds * seconds,
            angle: self.angle,
        })
    }
}

/// Constants of a drive for one step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OfStep {
    /// Interval at which the drive acts, in substeps.
    pub pace: u32,
    /// Target axes of the child in the frame of the parent.
    target: DMat3,
    /// Target rotation per substep, radians, parent axes.
    turn: DVec3,
    /// Inverse inertia I⁻¹, world axes, 1/(kg m²).
    yielding: SymmetricMatrix,
    /// Spring coefficient n ω²h².
    pull: f64,
    /// Damping coefficient n (2ζω + c) h.
    damper: f64,
    /// Spring and damper at the end of n substeps: n²ω²h² + n (2ζω + c) h.
    stiffness: f64,
    /// Limit of Λ by the greatest torque, kg m² rad.
    most: f64,
    /// Target angle of a hinge that turns to it through angle 0, radians.
    angle: Option<f64>,
}

impl OfStep {
    /// Λ on the child (kg m² rad); the parent gets the opposite. `turned` is the rotation of the child relative to the
    /// parent in this substep, `yielding` the relative rotation per torque, `frames` the current axes. `None` if the
    /// result is not finite.
    #[inline(always)]
    pub fn impulse(&self, turned: DVec3, yielding: &DMat3, frames: [DMat3; 2]) -> Option<DVec3> {
        let mut missing = turn_between(frames[0] * self.target, frames[1]);
        if let Some(target) = self.angle {
            let beyond = angle_about_first(&(frames[0].transpose() * frames[1])) - target;
            if beyond.abs() > core::f64::consts::PI {
                missing = frames[0].x_axis * beyond;
            }
        }
        let wanted = missing * self.pull + (turned - frames[0] * self.turn) * self.damper;
        let felt = self.yielding.plus(&SymmetricMatrix::of(yielding), self.stiffness);
        let impulse = felt.solve(-wanted).clamp_length_max(self.most);
        impulse.is_finite().then_some(impulse)
    }
}

/// Angle of a rotation about the first axis, radians.
fn angle_about_first(rotation: &DMat3) -> f64 {
    libm::atan2(rotation.y_axis.z, rotation.y_axis.y)
}

/// A symmetric 3×3 matrix.
#[derive(Clone, Copy, Debug)]
struct SymmetricMatrix {
    diagonal: DVec3,
    /// Off-diagonal elements yz, zx, xy.
    beside: DVec3,
}

impl SymmetricMatrix {
    /// Takes the lower half of a matrix.
    #[inline(always)]
    fn of(matrix: &DMat3) -> Self {
        let DMat3 { x_axis: x, y_axis: y, z_axis: z } = *matrix;
        Self { diagonal: DVec3::new(x.x, y.y, z.z), beside: DVec3::new(y.z, x.z, x.y) }
    }

    #[inline(always)]
    fn plus(&self, other: &Self, times: f64) -> Self {
        Self { diagonal: self.diagonal + other.diagonal * times, beside: self.beside + other.beside * times }
    }

    /// Adjugate and determinant.
    #[inline(always)]
    fn adjugate(&self) -> (Self, f64) {
        let (DVec3 { x: xx, y: yy, z: zz }, DVec3 { x: yz, y: zx, z: xy }) = (self.diagonal, self.beside);
        let diagonal = DVec3::new(yy * zz - yz * yz, zz * xx - zx * zx, xx * yy - xy * xy);
        let beside = DVec3::new(zx * xy - xx * yz, xy * yz - yy * zx, yz * zx - zz * xy);
        (Self { diagonal, beside }, xx * diagonal.x + xy * beside.z + zx * beside.y)
    }

    #[inline(always)]
    fn times(&self, v: DVec3) -> DVec3 {
        let (d, b) = (self.diagonal, self.beside);
        DVec3::new(
            d.x * v.x + b.z * v.y + b.y * v.z,
            b.z * v.x + d.y * v.y + b.x * v.z,
            b.y * v.x + b.x * v.y + d.z * v.z,
        )
    }

    /// Inverse times `v`.
    #[inline(always)]
    fn solve(&self, v: DVec3) -> DVec3 {
        let (adjugate, determinant) = self.adjugate();
        adjugate.times(v) * (1.0 / determinant)
    }

    /// Inverse; `None` if the matrix is singular to rounding.
    fn inverse(&self) -> Option<Self> {
        let (adjugate, determinant) = self.adjugate();
        let size = self.diagonal.element_sum();
        let inverse = Self { diagonal: adjugate.diagonal / determinant, beside: adjugate.beside / determinant };
        let is_sound = determinant.abs() > 1e-18 * (size * size * size).abs();
        (is_sound && inverse.diagonal.is_finite() && inverse.beside.is_finite()).then_some(inverse)
    }
}

/// Current axes, orthonormalized. The particles of a body are loaded once, without a call, to avoid data dependencies.
#[inline(always)]
fn frame([x, y, _]: &[Direction; 3], positions: &[DVec3]) -> DMat3 {
    if x.particles != y.particles {
        return right_angled(x.vector(positions), y.vector(positions));
    }
    let [a, b, c, d] = x.particles;
    let (a, b, c, d) = (positions[a], positions[b], positions[c], positions[d]);
    let axis = |weights: &[f64; 4]| a * weights[0] + b * weights[1] + c * weights[2] + d * weights[3];
    right_angled(axis(&x.weights), axis(&y.weights))
}

/// Orthonormalizes two axes and adds the third.
#[inline(always)]
fn right_angled(x: DVec3, y: DVec3) -> DMat3 {
    let z = x.cross(y);
    let (of_x, of_z) = (1.0 / libm::sqrt(x.dot(x)), 1.0 / libm::sqrt(z.dot(z)));
    if !(of_x.is_finite() && of_z.is_finite()) {
        return any_right_angled(x, y);
    }
    let (x, z) = (x * of_x, z * of_z);
    DMat3::from_cols(x, z.cross(x), z)
}

/// Fallback of [`right_angled`] for an axis of zero length or parallel axes.
#[cold]
fn any_right_angled(x: DVec3, y: DVec3) -> DMat3 {
    let x = x.normalize_or(DVec3::X);
    let y = (y - x * x.dot(y)).try_normalize().unwrap_or_else(|| x.any_orthonormal_vector());
    DMat3::from_cols(x, y, x.cross(y))
}

/// Rotation vector (radians) from axes `from` to axes `to`, both orthonormal and right-handed.
#[inline(always)]
fn turn_between(from: DMat3, to: DMat3) -> DVec3 {
    // For R = to · fromᵀ: 2 sin θ times the axis, and 1 + 2 cos θ. Their quotient is t n, t = tan ½θ.
    let twice = from.x_axis.cross(to.x_axis) + from.y_axis.cross(to.y_axis) + from.z_axis.cross(to.z_axis);
    let trace = from.x_axis.dot(to.x_axis) + from.y_axis.dot(to.y_axis) + from.z_axis.dot(to.z_axis);
    let tangent = twice * (1.0 / (1.0 + trace));
    let square = tangent.dot(tangent);
    if trace > 0.0 && square < SMALL * SMALL {
        tangent * twice_arctangent(square)
    } else {
        wide_turn(from, to, twice, trace)
    }
}

/// Greatest tangent of half the rotation angle for which [`twice_arctangent`] is exact to rounding: 14°.
const SMALL: f64 = 0.125;

/// `2 atan(t)/t` from `t²`: the series up to t¹⁶. Its terms alternate and decrease, so the error is less than the next
/// term, `2 t¹⁸/19`: below 6e-18 up to [`SMALL`].
#[inline(always)]
fn twice_arctangent(square: f64) -> f64 {
    // Even and odd terms in parallel.
    let fourth = square * square;
    let even = 2.0 + fourth * (2.0 / 5.0 + fourth * (2.0 / 9.0 + fourth * (2.0 / 13.0 + fourth * (2.0 / 17.0))));
    let odd = 2.0 / 3.0 + fourth * (2.0 / 7.0 + fourth * (2.0 / 11.0 + fourth * (2.0 / 15.0)));
    even - square * odd
}

/// [`turn_between`] for large rotations.
#[cold]
fn wide_turn(from: DMat3, to: DMat3, twice: DVec3, trace: f64) -> DVec3 {
    if trace < 0.0 {
        // The sine is inaccurate for rotations near π.
        return log(DQuat::from_mat3(&(to * from.transpose())).normalize());
    }
    let sine = 0.5 * twice.length();
    twice * (0.5 * libm::atan2(sine, 0.5 * (trace - 1.0)) / sine)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collision::MassProperties;
    use crate::math::rotation::{about, exp};
    use crate::particles::angular_friction::Turn;
    use crate::particles::{Model, Placement, RigidBody, Settings, World};

    /// Two bodies at one place with only a drive between them, without gravity; the parent has a great mass.
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
    fn the_series_of_a_small_turn_is_its_arctangent() {
        for step in 0..=10_000 {
            let tangent = SMALL * f64::from(step) / 10_000.0;
            let (found, angle) = (tangent * twice_arctangent(tangent * tangent), 2.0 * libm::atan(tangent));
            assert!((found - angle).abs() <= 3.0 * f64::EPSILON * angle, "{tangent}: {found} instead of {angle}");
        }
    }

    #[test]
    fn the_impulse_of_a_drive_solves_its_equation() {
        let mut random = crate::math::random::Random::new(7);
        let none = Direction { particles: [0; 4], weights: [0.0; 4] };
        let idle = Drive::idle([none; 3], [none; 3]);
        for _ in 0..200 {
            let positive = |random: &mut crate::math::random::Random, size: f64| {
                let turn = DMat3::from_quat(random.rotation());
                let moments = [0; 3].map(|_| size * libm::exp(2.0 * random.signed()));
                turn * DMat3::from_diagonal(DVec3::from_array(moments)) * turn.transpose()
            };
            let drive = Drive {
                target: random.rotation(),
                rate: random.vector(),
                inertia: positive(&mut random, 0.1),
                frequency: 3.0 * random.unit(),
                damping_ratio: random.unit(),
                drag: random.unit(),
                ..idle
            };
            let corners = |at: DVec3| [DVec3::X, DVec3::Y, DVec3::Z, -DVec3::ONE].map(|corner| at + corner * 0.1);
            let now = [corners(DVec3::ZERO), corners(DVec3::X)];
            let before = now.map(|body| body.map(|corner| corner + random.vector() * 1e-3));
            let turn = Turn::new(&before, &now, &[[0.5; 4], [0.2; 4]]);
            let frames = [0; 2].map(|_| DMat3::from_quat(random.rotation()));
            let (h, substeps) = (1e-3, 16);
            let of_step = drive.with_parent(h, substeps, &frames[0]).unwrap();
            let impulse = of_step.impulse(turn.turned, &turn.yielding, frames).unwrap();
            let inertia = frames[0] * drive.inertia * frames[0].transpose();
            // The equation at the head of this file.
            let n = f64::from(drive.pace(h, substeps));
            let rate = core::f64::consts::TAU * drive.frequency;
            let (spring, damper) = (rate * rate * h * h, (2.0 * drive.damping_ratio * rate + drive.drag) * h);
            let angle = turn_between(frames[0] * DMat3::from_quat(drive.target), frames[1]);
            let wanted = (angle * spring + (turn.turned - frames[0] * drive.rate * h) * damper) * n;
            let left = impulse + inertia * (turn.yielding * impulse * (n * (n * spring + damper)) + wanted);
            assert!(left.length() <= 1e-12 * impulse.length(), "{left} of {impulse}");
        }
    }

    #[test]
    fn axes_without_length_or_of_one_direction_are_made_right_angled_all_the_same() {
        let (none, x) = (DVec3::ZERO, DVec3::X * 2.0);
        for [first, second] in [[none, none], [none, x], [x, none], [x, x]] {
            let found = right_angled(first, second);
            assert!((found.transpose() * found).abs_diff_eq(DMat3::IDENTITY, 1e-14) && found.determinant() > 0.0);
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
