//! Swing-twist limit: keeps the swing of a ball joint in an elliptic cone and its twist in a range.
//!
//! ```text
//! R_mn = a_m·b_n                      axes of parent and child, the twist axis first
//! swing   θ = angle(‖a_1 × b_1‖, R_11) ≤ θ_max,   θ_max = √(p/q)
//!         p = R_21² + R_31²,  q = (R_31/s_2)² + (R_21/s_3)²        s: greatest swing about the second and third axis
//! twist   τ = atan2(R_32 − R_23, R_22 + R_33)
//! ```
//! `(−R_31, R_21)/√p` is the swing axis in the parent, so `θ_max` is the semi-diameter of the ellipse along it. τ is
//! the twist of the decomposition R = swing · twist, for any swing. The test whether a lane is near its limit needs no
//! trigonometry. Specification: mathematics 3.13, 4.7.

use super::axes::{Axes, AxesOfParticles, Excess};
use super::model::SwingTwist;
use crate::math::arithmetic::Arithmetic;
use crate::math::lane_angle::angle;
use crate::math::lane_rotation::LaneVector;

/// The limits of one ball joint, prepared for solving.
#[derive(Clone, Debug, PartialEq)]
pub struct SwingTwistLimit {
    axes: AxesOfParticles,
    cone: Cone,
    twist: AngleRange,
    compliance: f64,
}

impl SwingTwistLimit {
    /// Prepares the limits. `masses` covers all particles of the model, kilograms; indices must be valid.
    pub fn new(limit: &SwingTwist, masses: &[f64]) -> Self {
        Self {
            axes: AxesOfParticles::new(&limit.a, &limit.b, masses),
            cone: Cone::new(limit.swing),
            twist: AngleRange::new(limit.twist),
            compliance: limit.compliance,
        }
    }

    /// Corrects violated limits once in `positions`, one per particle; `substep` in seconds.
    #[inline(always)]
    pub fn correct<V: Arithmetic>(&self, substep: f64, positions: &mut [LaneVector<V>]) {
        let softness = self.compliance / (substep * substep);
        let axes = self.axes.axes(positions);
        if V::any(self.cone.may_exceed(&axes)) {
            self.axes.correct(&self.cone.excess(&axes), softness, positions);
        }
        let axes = self.axes.axes(positions);
        if V::any(self.twist.may_exceed(&axes)) {
            self.axes.correct(&self.twist.excess(&axes), softness, positions);
        }
    }
}

/// Elliptic cone for the first axis of the child about that of the parent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cone {
    inverse_squares: [f64; 2],
    cosine_of_least: f64,
}

impl Cone {
    /// Creates a cone from the greatest swing about the second and the third axis, radians (0 to π).
    pub fn new(swing: [f64; 2]) -> Self {
        let swing = swing.map(|most| most.clamp(LEAST_SWING, core::f64::consts::PI));
        let least = swing[0].min(swing[1]);
        Self { inverse_squares: swing.map(|most| 1.0 / (most * most)), cosine_of_least: libm::cos(least) }
    }

    /// Mask of lanes whose swing exceeds the smaller of the two limits.
    #[inline(always)]
    pub fn may_exceed<V: Arithmetic>(&self, axes: &Axes<V>) -> V::Mask {
        let [[a, ..], [b, ..]] = axes;
        let length = (a.dot(*a) * b.dot(*b)).sqrt();
        a.dot(*b).is_below(length * self.cosine_of_least)
    }

    /// Swing beyond the cone, and its derivatives.
    #[inline(always)]
    pub fn excess<V: Arithmetic>(&self, axes: &Axes<V>) -> Excess<V> {
        let [[a, second, third], [b, ..]] = *axes;
        let [about_second, about_third] = self.inverse_squares;
        let tiny = a.x.like(TINY);
        let (along_second, along_third) = (second.dot(b), third.dot(b));
        let p = (along_second * along_second + along_third * along_third).greatest(tiny);
        let q = (along_third * along_third * about_second + along_second * along_second * about_third).greatest(tiny);
        let most = (p / q).sqrt();
        let normal = a.cross(b);
        let sine = normal.dot(normal).sqrt();
        let swing = angle(sine, a.dot(b));
        let (one, guarded) = (a.x.like(1.0), sine.greatest(tiny));
        let by_a = a.cross(normal).scaled(one / (a.dot(a) * guarded));
        let by_b = normal.cross(b).scaled(one / (b.dot(b) * guarded));
        let by_second = -(most * along_second) * (one / p - one / q * about_third);
        let by_third = -(most * along_third) * (one / p - one / q * about_second);
        let zero = LaneVector { x: a.x.like(0.0), y: a.x.like(0.0), z: a.x.like(0.0) };
        let by_b = by_b.plus(second.scaled(by_second)).plus(third.scaled(by_third));
        Excess { angle: swing - most, gradient: [[by_a, b.scaled(by_second), b.scaled(by_third)], [by_b, zero, zero]] }
    }
}

/// Least cone angle, radians: below it the direction of a violation is rounding.
const LEAST_SWING: f64 = 1e-3;

/// Guard of divisions: below every relevant squared component, and above the smallest f32.
const TINY: f64 = 1e-24;

/// Range of the twist about the first axis, or of the angle of a hinge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AngleRange {
    /// Sine and cosine of the middle of the range.
    middle: [f64; 2],
    half: f64,
    cosine_of_half: f64,
}

impl AngleRange {
    /// Creates a range from the least and greatest angle, radians (−π to π).
    pub fn new([least, most]: [f64; 2]) -> Self {
        let (middle, half) = (0.5 * (least + most), (0.5 * (most - least)).clamp(0.0, core::f64::consts::PI));
        let cosine_of_half = if half < core::f64::consts::PI { libm::cos(half) } else { -2.0 };
        Self { middle: [libm::sin(middle), libm::cos(middle)], half, cosine_of_half }
    }

    /// Mask of lanes whose angle is out of its range.
    #[inline(always)]
    pub fn may_exceed<V: Arithmetic>(&self, axes: &Axes<V>) -> V::Mask {
        let [sine, cosine] = self.measured_from_middle(axes);
        cosine.is_below((sine * sine + cosine * cosine).sqrt() * self.cosine_of_half)
    }

    /// Angle beyond its range, and its derivatives.
    #[inline(always)]
    pub fn excess<V: Arithmetic>(&self, axes: &Axes<V>) -> Excess<V> {
        let [sine, cosine] = self.measured_from_middle(axes);
        let one = sine.like(1.0);
        let side = one.with_sign_of(sine);
        let [[_, a_second, a_third], [_, b_second, b_third]] = *axes;
        // d angle = (cosine d sine − sine d cosine)/(sine² + cosine²), and both are turned by the middle from (N, D).
        let [sine_of_middle, cosine_of_middle] = self.middle;
        let scale = side / (sine * sine + cosine * cosine).greatest(sine.like(TINY));
        let by_n = (cosine * cosine_of_middle - sine * sine_of_middle) * scale;
        let by_d = -(cosine * sine_of_middle + sine * cosine_of_middle) * scale;
        let zero = LaneVector { x: sine.like(0.0), y: sine.like(0.0), z: sine.like(0.0) };
        Excess {
            angle: angle(sine, cosine).abs() - self.half,
            gradient: [
                [
                    zero,
                    b_second.scaled(by_d).minus(b_third.scaled(by_n)),
                    b_second.scaled(by_n).plus(b_third.scaled(by_d)),
                ],
                [
                    zero,
                    a_second.scaled(by_d).plus(a_third.scaled(by_n)),
                    a_third.scaled(by_d).minus(a_second.scaled(by_n)),
                ],
            ],
        }
    }

    /// Sine and cosine of the angle from the middle of the range, times a common length.
    #[inline(always)]
    fn measured_from_middle<V: Arithmetic>(&self, axes: &Axes<V>) -> [V; 2] {
        let [[_, a_second, a_third], [_, b_second, b_third]] = axes;
        let n = a_third.dot(*b_second) - a_second.dot(*b_third);
        let d = a_second.dot(*b_second) + a_third.dot(*b_third);
        let [sine, cosine] = self.middle;
        [n * cosine - d * sine, d * cosine + n * sine]
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::math::random::Random;
    use crate::math::rotation;
    use crate::particles::axes::tests::{bodies, check_correction, check_gradient, lanes};

    /// Rotation by a swing vector across the first axis after a twist about it.
    fn turn(swing: [f64; 2], twist: f64) -> glam::DQuat {
        rotation::exp(DVec3::new(0.0, swing[0], swing[1])) * rotation::exp(DVec3::X * twist)
    }

    #[test]
    fn swing_and_twist_are_measured_exactly() {
        let mut random = Random::new(3);
        for _ in 0..500 {
            let swing = [random.signed() * 1.9, random.signed() * 1.9];
            let twist = random.signed() * 3.0;
            let (weights, positions, _) = bodies(&mut random, turn(swing, twist));
            let axes = weights.axes(&lanes(&positions));
            let (a, b) = (0.7, 0.4);
            let size = swing[0].hypot(swing[1]);
            let most = size / (swing[0] / a).hypot(swing[1] / b);
            let found = Cone::new([a, b]).excess(&axes).angle;
            assert!((found - (size - most)).abs() < 1e-12, "{found} != {}", size - most);
            let found = AngleRange::new([-0.5, 0.7]).excess(&axes).angle;
            let from_middle =
                (twist - 0.1 + core::f64::consts::PI).rem_euclid(core::f64::consts::TAU) - core::f64::consts::PI;
            assert!((found - (from_middle.abs() - 0.6)).abs() < 1e-12, "{found}");
        }
    }

    #[test]
    fn derivatives_are_those_of_differences() {
        let mut random = Random::new(4);
        for _ in 0..300 {
            let swing = [0.2 + random.unit(), random.signed()];
            let turned = turn(swing, random.signed() * 2.5);
            let (weights, positions, _) = bodies(&mut random, turned);
            let axes = weights.axes(&lanes(&positions));
            check_gradient(|axes| Cone::new([0.8, 0.3]).excess(axes), &axes, &mut random);
            check_gradient(|axes| AngleRange::new([-0.2, 0.3]).excess(axes), &axes, &mut random);
        }
    }

    #[test]
    fn a_correction_reaches_the_limit_and_keeps_momentum() {
        let mut random = Random::new(5);
        for _ in 0..50 {
            let swing = [0.9 + random.unit(), 0.8 * random.signed()];
            let pair = bodies(&mut random, turn(swing, 0.3));
            check_correction(|axes| Cone::new([0.8, 0.5]).excess(axes), pair);
            let turned = turn([0.3, 0.4], 0.5 + 2.0 * random.unit());
            let pair = bodies(&mut random, turned);
            check_correction(|axes| AngleRange::new([-0.2, 0.3]).excess(axes), pair);
        }
    }

    #[test]
    fn the_question_whether_a_limit_is_near_never_misses_an_excess() {
        let mut random = Random::new(6);
        for _ in 0..2000 {
            let swing = [random.signed() * 2.0, random.signed() * 2.0];
            let turned = turn(swing, random.signed() * 3.1);
            let (weights, positions, _) = bodies(&mut random, turned);
            let axes = weights.axes(&lanes(&positions));
            let (cone, range) = (Cone::new([0.8, 0.5]), AngleRange::new([-1.0, 2.0]));
            assert!(cone.may_exceed(&axes) || cone.excess(&axes).angle < 1e-12);
            assert!(range.may_exceed(&axes) == (range.excess(&axes).angle > 0.0));
        }
    }

    #[test]
    fn x14_no_swing_and_a_half_turn_give_numbers() {
        let mut random = Random::new(8);
        for swing in [0.0, core::f64::consts::PI] {
            let (weights, positions, masses) = bodies(&mut random, turn([swing, 0.0], 0.0));
            let mut moved = lanes(&positions);
            let axes = weights.axes(&moved);
            weights.correct(&Cone::new([0.5, 0.3]).excess(&axes), 0.0, &mut moved);
            assert!(moved.iter().all(|p| p.dot(*p).is_finite()) && masses.len() == 8);
        }
    }
}
