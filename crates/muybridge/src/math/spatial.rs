//! Spatial (six-dimensional) velocities, momenta and inertias, and their transformations between frames.
//!
//! ```text
//! T = (R, p)          Ad_T = | R     0 |      velocities:  v' = Ad_T v
//!                            | [p]R  R |      momenta:     h' = Ad_{T⁻¹}ᵀ h = (R k + p × R l, R l)
//! ad_v = | [ω] 0 ; [υ] [ω] |                  −ad_vᵀ h = v ×* h,   −ad_xᵀ h = −| [k] [l] ; [l] 0 | x      (1.4.1)
//! J = | I_com − m[r][r]  m[r] ; −m[r]  m 1 |,   h = J v,   ½ vᵀ J v,   J' = Ad_{T⁻¹}ᵀ J Ad_{T⁻¹}
//! ```
//! Angular part first. Specification: mathematics 1.4 (S14); Featherstone 2008, *Rigid Body Dynamics Algorithms*.

use core::ops::{Add, Mul, Neg, Sub};

use glam::{DMat3, DQuat, DVec3};

use super::rotation::cross_matrix;

/// A rigid transformation: `x ↦ rotation x + position`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transform {
    /// R, the rotation.
    pub rotation: DQuat,
    /// p, the translation, meters.
    pub position: DVec3,
}

/// Spatial velocity of a body: angular velocity, and velocity of the body point at the frame's origin.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Twist {
    /// ω, angular velocity, rad/s.
    pub angular: DVec3,
    /// υ, velocity at the origin, m/s.
    pub linear: DVec3,
}

/// Spatial momentum about the frame's origin; a force with its moment transforms alike.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SpatialMomentum {
    /// k, angular momentum, kg m²/s (moment, N m).
    pub angular: DVec3,
    /// l, linear momentum, kg m/s (force, N).
    pub linear: DVec3,
}

/// Spatial inertia: mass properties about the frame's origin. Inertias of bodies that move together add up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SpatialInertia {
    /// m, mass, kg.
    pub mass: f64,
    /// m r, mass times center of mass, kg m.
    pub first_moment: DVec3,
    /// `I_com − m[r][r]`, the inertia about the origin, kg m².
    pub inertia: DMat3,
}

impl Transform {
    /// The identity transformation.
    pub const IDENTITY: Self = Self { rotation: DQuat::IDENTITY, position: DVec3::ZERO };

    /// T⁻¹, the inverse.
    pub(crate) fn inverse(self) -> Self {
        let rotation = self.rotation.conjugate();
        Self { rotation, position: -(rotation * self.position) }
    }

    /// Transforms a point.
    pub(crate) fn point(self, point: DVec3) -> DVec3 {
        self.rotation * point + self.position
    }

    /// Ad_T v: transforms a velocity from this frame to the parent's.
    pub(crate) fn twist(self, twist: Twist) -> Twist {
        let angular = self.rotation * twist.angular;
        Twist { angular, linear: self.rotation * twist.linear + self.position.cross(angular) }
    }

    /// Ad_{T⁻¹}ᵀ h: transforms a momentum or wrench from this frame to the parent's.
    pub(crate) fn momentum(self, momentum: SpatialMomentum) -> SpatialMomentum {
        let linear = self.rotation * momentum.linear;
        SpatialMomentum { angular: self.rotation * momentum.angular + self.position.cross(linear), linear }
    }

    /// Ad_{T⁻¹}ᵀ J Ad_{T⁻¹}: transforms an inertia from this frame to the parent's.
    pub(crate) fn inertia(self, inertia: SpatialInertia) -> SpatialInertia {
        let SpatialInertia { mass, first_moment, inertia } = inertia;
        let rotation = DMat3::from_quat(self.rotation);
        let (p, turned) = (cross_matrix(self.position), self.rotation * first_moment);
        let q = cross_matrix(turned);
        SpatialInertia {
            mass,
            first_moment: turned + mass * self.position,
            inertia: rotation * inertia * rotation.transpose() - p * q - q * p - p * p * mass,
        }
    }
}

impl Mul for Transform {
    type Output = Self;

    fn mul(self, inner: Self) -> Self {
        Self { rotation: self.rotation * inner.rotation, position: self.point(inner.position) }
    }
}

impl Twist {
    /// ad_self other: the Lie bracket of two velocities.
    pub(crate) fn bracket(self, other: Self) -> Self {
        Self {
            angular: self.angular.cross(other.angular),
            linear: self.linear.cross(other.angular) + self.angular.cross(other.linear),
        }
    }

    /// −ad_selfᵀ h: rate of a momentum that moves rigidly with this velocity.
    pub(crate) fn carries(self, momentum: SpatialMomentum) -> SpatialMomentum {
        SpatialMomentum {
            angular: self.angular.cross(momentum.angular) + self.linear.cross(momentum.linear),
            linear: self.angular.cross(momentum.linear),
        }
    }
}

impl SpatialInertia {
    /// Zero inertia, the start of a sum.
    pub(crate) const ZERO: Self = Self { mass: 0.0, first_moment: DVec3::ZERO, inertia: DMat3::ZERO };

    /// Inertia of a body of `mass` kg with its center at `center` (m) and the inertia `about_center` (kg m²).
    pub(crate) fn new(mass: f64, center: DVec3, about_center: DMat3) -> Self {
        let r = cross_matrix(center);
        Self { mass, first_moment: mass * center, inertia: about_center - r * r * mass }
    }

    /// J v, the momentum of a body with velocity `twist`.
    pub(crate) fn momentum(self, twist: Twist) -> SpatialMomentum {
        SpatialMomentum {
            angular: self.inertia * twist.angular + self.first_moment.cross(twist.linear),
            linear: self.mass * twist.linear - self.first_moment.cross(twist.angular),
        }
    }
}

impl Add for SpatialInertia {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            mass: self.mass + other.mass,
            first_moment: self.first_moment + other.first_moment,
            inertia: self.inertia + other.inertia,
        }
    }
}

macro_rules! vector_space {
    ($name:ident) => {
        impl Add for $name {
            type Output = Self;
            fn add(self, other: Self) -> Self {
                Self { angular: self.angular + other.angular, linear: self.linear + other.linear }
            }
        }
        impl Sub for $name {
            type Output = Self;
            fn sub(self, other: Self) -> Self {
                Self { angular: self.angular - other.angular, linear: self.linear - other.linear }
            }
        }
        impl Neg for $name {
            type Output = Self;
            fn neg(self) -> Self {
                Self { angular: -self.angular, linear: -self.linear }
            }
        }
        impl Mul<f64> for $name {
            type Output = Self;
            fn mul(self, factor: f64) -> Self {
                Self { angular: self.angular * factor, linear: self.linear * factor }
            }
        }
    };
}
vector_space!(Twist);
vector_space!(SpatialMomentum);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::random::Random;
    use crate::math::rotation::exp;

    type Six = [[f64; 6]; 6];

    fn transform(random: &mut Random) -> Transform {
        Transform { rotation: random.rotation(), position: random.vector() }
    }

    fn twist(random: &mut Random) -> Twist {
        Twist { angular: random.vector(), linear: random.vector() }
    }

    fn momentum(random: &mut Random) -> SpatialMomentum {
        SpatialMomentum { angular: random.vector(), linear: random.vector() }
    }

    fn inertia(random: &mut Random) -> SpatialInertia {
        let axes = DMat3::from_quat(random.rotation());
        let principal = DMat3::from_diagonal(DVec3::ONE + 0.4 * random.vector());
        SpatialInertia::new(1.0 + random.unit(), random.vector(), axes * principal * axes.transpose())
    }

    /// vᵀ h: power of a wrench, or twice the kinetic energy for the momentum of this velocity.
    fn power(v: Twist, h: SpatialMomentum) -> f64 {
        v.angular.dot(h.angular) + v.linear.dot(h.linear)
    }

    /// ½ vᵀ J v, joules.
    fn kinetic_energy(j: SpatialInertia, v: Twist) -> f64 {
        0.5 * power(v, j.momentum(v))
    }

    fn center(j: SpatialInertia) -> DVec3 {
        j.first_moment / j.mass
    }

    /// The 6 × 6 matrix of four blocks.
    fn blocks(a: DMat3, b: DMat3, c: DMat3, d: DMat3) -> Six {
        core::array::from_fn(|i| {
            core::array::from_fn(|j| {
                let block = [[a, b], [c, d]][i / 3][j / 3];
                block.col(j % 3)[i % 3]
            })
        })
    }

    fn adjoint(t: Transform) -> Six {
        let r = DMat3::from_quat(t.rotation);
        blocks(r, DMat3::ZERO, cross_matrix(t.position) * r, r)
    }

    fn little_adjoint(v: Twist) -> Six {
        let (omega, upsilon) = (cross_matrix(v.angular), cross_matrix(v.linear));
        blocks(omega, DMat3::ZERO, upsilon, omega)
    }

    fn matrix(j: SpatialInertia) -> Six {
        let r = cross_matrix(j.first_moment);
        blocks(j.inertia, r, -r, DMat3::from_diagonal(DVec3::splat(j.mass)))
    }

    fn product(a: &Six, b: &Six) -> Six {
        core::array::from_fn(|i| core::array::from_fn(|j| (0..6).map(|k| a[i][k] * b[k][j]).sum()))
    }

    fn transpose(a: &Six) -> Six {
        core::array::from_fn(|i| core::array::from_fn(|j| a[j][i]))
    }

    fn apply(a: &Six, angular: DVec3, linear: DVec3) -> [f64; 6] {
        let x = [angular.x, angular.y, angular.z, linear.x, linear.y, linear.z];
        core::array::from_fn(|i| (0..6).map(|k| a[i][k] * x[k]).sum())
    }

    fn assert_six(found: (DVec3, DVec3), truth: [f64; 6]) {
        let found = [found.0.to_array(), found.1.to_array()].concat();
        assert!(found.iter().zip(truth).all(|(a, b)| (a - b).abs() < 1e-13), "{found:?} {truth:?}");
    }

    fn assert_matrix(a: &Six, b: &Six) {
        assert!(a.iter().flatten().zip(b.iter().flatten()).all(|(a, b)| (a - b).abs() < 1e-13), "{a:?} {b:?}");
    }

    #[test]
    fn s14_the_operations_are_those_of_the_six_by_six_matrices() {
        let mut random = Random::new(14);
        for _ in 0..100 {
            let (t, v, u, h) = (transform(&mut random), twist(&mut random), twist(&mut random), momentum(&mut random));
            let j = inertia(&mut random);
            let dual = transpose(&adjoint(t.inverse()));
            let Twist { angular, linear } = t.twist(v);
            assert_six((angular, linear), apply(&adjoint(t), v.angular, v.linear));
            let SpatialMomentum { angular, linear } = t.momentum(h);
            assert_six((angular, linear), apply(&dual, h.angular, h.linear));
            let Twist { angular, linear } = v.bracket(u);
            assert_six((angular, linear), apply(&little_adjoint(v), u.angular, u.linear));
            let SpatialMomentum { angular, linear } = -v.carries(h);
            assert_six((angular, linear), apply(&transpose(&little_adjoint(v)), h.angular, h.linear));
            let SpatialMomentum { angular, linear } = j.momentum(v);
            assert_six((angular, linear), apply(&matrix(j), v.angular, v.linear));
            assert_matrix(&matrix(t.inertia(j)), &product(&product(&dual, &matrix(j)), &adjoint(t.inverse())));
        }
    }

    #[test]
    fn s14_adjoints_of_inverses_and_products_are_inverses_and_products_of_adjoints() {
        let mut random = Random::new(15);
        let one: Six = core::array::from_fn(|i| core::array::from_fn(|j| f64::from(i == j)));
        for _ in 0..100 {
            let (a, b) = (transform(&mut random), transform(&mut random));
            assert_matrix(&product(&adjoint(a), &adjoint(a.inverse())), &one);
            assert_matrix(&adjoint(a * b), &product(&adjoint(a), &adjoint(b)));
        }
    }

    #[test]
    fn s14_the_bracket_is_antisymmetric_and_1_4_1_swaps_velocity_and_momentum() {
        let mut random = Random::new(16);
        for _ in 0..100 {
            let (u, v, h) = (twist(&mut random), twist(&mut random), momentum(&mut random));
            let sum = u.bracket(v) + v.bracket(u);
            assert!(sum.angular.length() + sum.linear.length() < 1e-13);
            let (k, l) = (cross_matrix(h.angular), cross_matrix(h.linear));
            let swapped = blocks(-k, -l, -l, DMat3::ZERO);
            let SpatialMomentum { angular, linear } = v.carries(h);
            assert_six((angular, linear), apply(&swapped, v.angular, v.linear));
        }
    }

    #[test]
    fn s14_power_and_energy_do_not_depend_on_the_frame() {
        let mut random = Random::new(17);
        for _ in 0..100 {
            let (t, v, h) = (transform(&mut random), twist(&mut random), momentum(&mut random));
            let j = inertia(&mut random);
            assert!((power(t.twist(v), t.momentum(h)) - power(v, h)).abs() < 1e-13);
            let energy = kinetic_energy(j, v);
            assert!((kinetic_energy(t.inertia(j), t.twist(v)) - energy).abs() < 1e-13 * energy.max(1.0));
            assert!((center(t.inertia(j)) - t.point(center(j))).length() < 1e-13);
        }
    }

    #[test]
    fn s14_the_rate_of_the_adjoint_is_the_adjoint_of_the_bracket_with_the_body_velocity() {
        let mut random = Random::new(18);
        let (t, v, u) = (transform(&mut random), twist(&mut random), twist(&mut random));
        // T(ε) = T exp(ε v) to first order, so that the central difference is exact to O(ε²).
        let moved = |e: f64| t * Transform { rotation: exp(v.angular * e), position: v.linear * e };
        let (after, before) = (moved(1e-5).twist(u), moved(-1e-5).twist(u));
        let rate = (after - before) * (1.0 / 2e-5);
        let truth = t.twist(v.bracket(u));
        let error = rate - truth;
        assert!(error.angular.length() + error.linear.length() < 1e-8);
        // The same by hand, dR = R [ω] and dp = R υ in (R a, p × R a + R l).
        let turned = t.rotation * v.angular.cross(u.angular);
        let linear = (t.rotation * v.linear).cross(t.rotation * u.angular)
            + t.position.cross(turned)
            + t.rotation * v.angular.cross(u.linear);
        assert!((truth.angular - turned).length() < 1e-13 && (truth.linear - linear).length() < 1e-13);
    }

    #[test]
    fn s14_energy_is_that_of_the_mass_center_and_of_the_turn_about_it() {
        let (center, omega, velocity) =
            (DVec3::new(0.1, 0.5, -0.2), DVec3::new(1.0, 2.0, 3.0), DVec3::new(0.4, 0.0, -1.0));
        let about_center = DMat3::from_diagonal(DVec3::new(0.3, 0.2, 0.1));
        let j = SpatialInertia::new(2.0, center, about_center);
        let speed = velocity + omega.cross(center);
        let truth = 0.5 * 2.0 * speed.length_squared() + 0.5 * omega.dot(about_center * omega);
        assert!((kinetic_energy(j, Twist { angular: omega, linear: velocity }) - truth).abs() < 1e-13);
    }

    #[test]
    fn x14_a_body_without_mass_has_no_momentum() {
        let turning = Twist { angular: DVec3::ONE, linear: DVec3::X };
        assert_eq!(SpatialInertia::ZERO.momentum(turning), SpatialMomentum::default());
    }
}
