//! Free rotation and translation of a body over a step. Angular momentum is kept to the bit; symmetric tops are exact.
//!
//! ```text
//! p += h P/m
//! L_b = Rᵀ L;   about x(h/2) y(h/2) z(h) y(h/2) x(h/2):   α = step · L_b[a]/I_a,   L_b ← Rot_a(−α) L_b,   R ← R Rot_a(α)
//! ```
//! Each factor is the exact motion of a body with a single moment of inertia, so the composition is symplectic,
//! symmetric and of second order, and energy does not drift. If two moments are equal (capsules, cylinders), the exact
//! motion is used instead:
//! ```text
//! R ← exp(h L/I1) R Rot_c(h (1/I3 − 1/I1) L_b[c])                     c the axis of symmetry
//! ```
//! Three equal moments take the five rotations: point masses are modeled as tiny spheres, and at a joint an impulse
//! that is wrong by a whole turn must not look right. Specification: mathematics 4.2 (H3, X4, X5); Reich 1996,
//! McLachlan 1993.

use super::{Body, Momentum, Pose};
use crate::math::lane_rotation::{LaneRotation, LaneVector};
use crate::math::lane_trigonometry::{sin_cos, sinc_cos};
use crate::math::lanes::Lanes;

/// Pose after `h` seconds without forces. World momenta do not change.
#[inline(always)]
pub fn drift<V: Lanes>(body: &Body, pose: &Pose<V>, momentum: &Momentum<V>, h: f64) -> Pose<V> {
    let back = LaneRotation { axis: -pose.rotation.axis, w: pose.rotation.w };
    let mut top = Top { rotation: pose.rotation, spin: back.rotate(momentum.angular) };
    let position = pose.position.plus(momentum.linear.times(h / body.mass));
    let moments = body.moments;
    let is_symmetric = |a: f64, b: f64| (a - b).abs() <= SYMMETRIC * a;
    let swung = if is_symmetric(moments.x, moments.z) && is_symmetric(moments.x, moments.y) {
        None
    } else if is_symmetric(moments.x, moments.z) {
        top.roll_y(h * (1.0 / moments.y - 1.0 / moments.x));
        Some(moments.x)
    } else if is_symmetric(moments.y, moments.z) {
        top.roll_x(h * (1.0 / moments.x - 1.0 / moments.y));
        Some(moments.y)
    } else if is_symmetric(moments.x, moments.y) {
        top.roll_z(h * (1.0 / moments.z - 1.0 / moments.x));
        Some(moments.x)
    } else {
        None
    };
    if let Some(moment) = swung {
        let rotation = turn(momentum.angular.times(0.5 * h / moment)).after(top.rotation);
        return Pose { position, rotation: of_unit_length(rotation) };
    }
    let half = [0.5 * h / body.moments.x, 0.5 * h / body.moments.y];
    top.about_x(half[0]);
    top.about_y(half[1]);
    top.about_z(h / body.moments.z);
    top.about_y(half[1]);
    top.about_x(half[0]);
    Pose { position, rotation: of_unit_length(top.rotation) }
}

/// Relative difference below which two moments count as equal; the error of energy stays below it.
const SYMMETRIC: f64 = 1e-13;

/// Rotation by twice the given rotation vector.
#[inline(always)]
fn turn<V: Lanes>(half: LaneVector<V>) -> LaneRotation<V> {
    let (sinc, cos) = sinc_and_cos(half.dot(half));
    LaneRotation { axis: half.scaled(sinc), w: cos }
}

/// Computes sin x / x and cos x for any `z = x²`.
#[inline(always)]
fn sinc_and_cos<V: Lanes>(z: V) -> (V, V) {
    let (sinc, cos) = sinc_cos(z);
    let is_far = z.like(NEAR).is_below(z);
    if !V::any(is_far) {
        return (sinc, cos);
    }
    let x = z.greatest(z.like(NEAR)).sqrt();
    let (far_sin, far_cos) = sin_cos(x);
    (V::select(is_far, far_sin / x, sinc), V::select(is_far, far_cos, cos))
}

/// Greatest argument of the polynomials: (π/4)², rounded down.
const NEAR: f64 = 0.61685;

/// Orientation, and angular momentum in the body frame.
struct Top<V> {
    rotation: LaneRotation<V>,
    spin: LaneVector<V>,
}

/// Rotation about one principal axis `$a`; `$b` and `$c` follow it cyclically.
macro_rules! plane_rotation {
    ($name:ident, $roll:ident, $a:ident, $b:ident, $c:ident) => {
        /// Turns the body about its axis without changing its angular momentum in the body frame. Returns sine and
        /// cosine of half the angle.
        #[inline(always)]
        fn $roll(&mut self, step_over_moment: f64) -> (V, V) {
            let half = self.spin.$a * (0.5 * step_over_moment);
            let (sinc, c) = sinc_and_cos(half * half);
            let s = half * sinc;
            let q = self.rotation;
            self.rotation.w = q.w * c - q.axis.$a * s;
            self.rotation.axis.$a = q.axis.$a * c + q.w * s;
            self.rotation.axis.$b = q.axis.$b * c + q.axis.$c * s;
            self.rotation.axis.$c = q.axis.$c * c - q.axis.$b * s;
            (s, c)
        }

        #[inline(always)]
        fn $name(&mut self, step_over_moment: f64) {
            let (s, c) = self.$roll(step_over_moment);
            let (sine, cosine) = (s * c * 2.0, c * c - s * s);
            let spin = self.spin;
            self.spin.$b = spin.$b * cosine + spin.$c * sine;
            self.spin.$c = spin.$c * cosine - spin.$b * sine;
        }
    };
}

impl<V: Lanes> Top<V> {
    plane_rotation!(about_x, roll_x, x, y, z);
    plane_rotation!(about_y, roll_y, y, z, x);
    plane_rotation!(about_z, roll_z, z, x, y);
}

/// Normalizes a quaternion of nearly unit length by one Newton step.
#[inline(always)]
pub fn of_unit_length<V: Lanes>(q: LaneRotation<V>) -> LaneRotation<V> {
    let scale = q.w.like(1.5) - q.dot(q) * 0.5;
    LaneRotation { axis: q.axis.scaled(scale), w: q.w * scale }
}

#[cfg(test)]
mod tests {
    use core::f64::consts::TAU;

    use glam::{DQuat, DVec3};

    use super::*;
    use crate::math::rotation::exp;
    use crate::rigid::motion::vector;

    /// Steps a freely spinning body; calls `seen` with its angular velocity in the body frame.
    fn spun(
        body: &Body,
        in_body: DVec3,
        h: f64,
        steps: usize,
        mut seen: impl FnMut(usize, DVec3),
    ) -> (Pose<f64>, Momentum<f64>) {
        let turn = exp(DVec3::new(0.3, -0.8, 0.5));
        let momentum = Momentum::of(body, turn, DVec3::new(0.1, 0.2, -0.3), turn * in_body);
        let mut pose = Pose::new(DVec3::ZERO, turn);
        for step in 0..steps {
            pose = drift(body, &pose, &momentum, h);
            let spin = pose.turn().conjugate() * vector(momentum.angular);
            seen(step, spin / body.moments);
        }
        (pose, momentum)
    }

    #[test]
    fn x4_the_middle_axis_flips_after_10_97757_seconds_and_keeps_its_energy() {
        let body = Body::new(1.0, DVec3::new(1.0, 2.0, 3.0)).unwrap();
        let start = DVec3::new(0.01, 2.0, 0.01);
        let energy = |w: DVec3| 0.5 * w.dot(w * body.moments);
        let (mut worst, mut crossings, mut last) = (0.0_f64, Vec::new(), start.y);
        let h = 0.01;
        spun(&body, start, h, 20_000, |step, w| {
            worst = worst.max((energy(w) / energy(start) - 1.0).abs());
            if (w.y > 0.0) != (last > 0.0) {
                crossings.push(h * (step as f64 + last / (last - w.y)));
            }
            last = w.y;
        });
        assert!(worst <= 5e-6, "energy {worst}");
        // Two flips are one period, 21.9551459 s; at h = 0.01 the splitting has 21.955547 s.
        let period = (crossings[16] - crossings[0]) / 8.0;
        assert!((period - 21.955_145_9).abs() < 6e-4, "{period}");
    }

    #[test]
    fn x5_a_symmetric_top_precesses_at_2_5_in_the_body_and_2_5179357_in_space() {
        let body = Body::new(1.0, DVec3::new(1.0, 1.0, 0.5)).unwrap();
        let start = DVec3::new(0.3, 0.0, 5.0);
        // Ω = (I3 − I1)/I1 ω3 = −2.5 rad/s: after 2π/2.5 s ω has returned in the body frame.
        let steps = 10_000;
        let h = TAU / 2.5 / steps as f64;
        let mut last = DVec3::ZERO;
        let (pose, momentum) = spun(&body, start, h, steps, |_, w| last = w);
        assert!((last - start).length() < 1e-5, "{last}");
        // In that time the axis has turned about L by ‖L‖/I1 · T.
        let spin = vector(momentum.angular);
        let turn = exp(DVec3::new(0.3, -0.8, 0.5));
        assert!((spin.length() - 2.517_935_7).abs() < 1e-7);
        let axis = DQuat::from_axis_angle(spin.normalize(), spin.length() * TAU / 2.5) * (turn * DVec3::Z);
        assert!((pose.turn() * DVec3::Z - axis).length() < 1e-5);
    }

    #[test]
    fn x5_a_symmetric_top_is_exact_at_any_step_and_agrees_with_the_five_rotations() {
        for moments in [DVec3::new(1.0, 1.0, 0.5), DVec3::new(0.3, 1.0, 1.0), DVec3::new(2.0, 2.5, 2.0)] {
            let body = Body::new(1.0, moments).unwrap();
            let spin = DVec3::new(0.9, -0.4, 1.3);
            let at = |body: &Body, steps: usize| spun(body, spin, 1.0 / steps as f64, steps, |_, _| {}).0.turn();
            let exact = at(&body, 1000);
            assert!((at(&body, 1) - exact).length() < 1e-13, "{moments}");
            // Nearly symmetric bodies take the five rotations.
            let nearly = Body::new(1.0, moments * DVec3::new(1.0 + 2e-13, 1.0, 1.0 - 1e-12)).unwrap();
            assert!((at(&nearly, 4000) - exact).length() < 1e-7, "{moments}");
            // Fast enough to leave the range of the polynomials.
            let fast = |steps: usize| spun(&body, spin * 9.0, 1.0 / steps as f64, steps, |_, _| {}).0.turn();
            assert!((fast(1) - fast(1000)).length().min((fast(1) + fast(1000)).length()) < 1e-12, "{moments}");
        }
    }

    #[test]
    fn h3_the_angular_momentum_of_the_world_is_the_state_and_the_turn_stays_a_turn() {
        let body = Body::new(2.0, DVec3::new(0.2, 1.0, 1.1)).unwrap();
        let (pose, momentum) = spun(&body, DVec3::new(3.0, -2.0, 1.0), 0.01, 20_000, |_, _| {});
        assert!((pose.turn().length() - 1.0).abs() < 1e-15);
        // Angular momentum recomputed from velocities and the world inertia tensor.
        let (_, w) = momentum.velocities(&body, pose.turn());
        let rotation = glam::DMat3::from_quat(pose.turn());
        let tensor = rotation * glam::DMat3::from_diagonal(body.moments) * rotation.transpose();
        let turn = exp(DVec3::new(0.3, -0.8, 0.5));
        let at_start = turn * (body.moments * DVec3::new(3.0, -2.0, 1.0));
        assert!((tensor * w - at_start).length() <= 1e-13 * at_start.length());
    }

    #[test]
    fn h2_a_free_body_goes_straight() {
        let body = Body::new(2.0, DVec3::ONE).unwrap();
        let (pose, _) = spun(&body, DVec3::X, 0.01, 1000, |_, _| {});
        assert!((pose.place() - DVec3::new(1.0, 2.0, -3.0)).length() < 1e-12);
    }

    #[test]
    fn x13_splitting_is_of_second_order() {
        let body = Body::new(1.0, DVec3::new(1.0, 2.0, 3.0)).unwrap();
        let at = |steps: usize| spun(&body, DVec3::new(1.0, 2.0, -1.0), 1.0 / steps as f64, steps, |_, _| {}).0.turn();
        let exact = at(16_384);
        let error = |steps: usize| {
            let q = at(steps);
            (q - exact).length().min((q + exact).length())
        };
        let order = libm::log2(error(64) / error(128));
        assert!((order - 2.0).abs() < 0.1, "{order}");
    }
}
