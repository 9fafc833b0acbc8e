//! Ground force and zero-moment point (ZMP): the force the world must exert on the body, and the point of the ground where this force acts without
//! a tangential moment.
//!
//! ```text
//! F   = M (c̈ − g)
//! M_o = (c − o) × F + dH/dt
//! p   = o + (n × M_o)/(n·F)                     on the plane through o with the unit normal n
//! ```
//! Specification: mathematics 6.4 (S4), 6.5 (a) (S34); Popovic, Goswami, Herr 2005. In y-up components, on the plane y = y0, this is `p_x = c_x −
//! (c_y − y0) F_x/F_y + Ḣ_z/F_y`, `p_z = c_z − (c_y − y0) F_z/F_y − Ḣ_x/F_y`.

use glam::DVec3;

/// Share of the weight below which a body counts as in flight, and its zero-moment point is not reported.
pub(crate) const LEAST_LOAD: f64 = 0.05;

/// Plane on which the body stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SupportPlane {
    /// Any point of the plane, meters.
    pub point: DVec3,
    /// Unit normal of the plane, pointing away from the ground.
    pub normal: DVec3,
}

impl SupportPlane {
    /// Level plane at height `y`.
    pub(crate) fn level(y: f64) -> Self {
        Self { point: DVec3::new(0.0, y, 0.0), normal: DVec3::Y }
    }
}

/// Moment of the contact forces about `point`, N m; `rate` is dH/dt about the center of mass.
pub(crate) fn ground_moment(point: DVec3, mass_center: DVec3, force: DVec3, rate: DVec3) -> DVec3 {
    (mass_center - point).cross(force) + rate
}

/// Zero-moment point: the point of the plane about which the contact forces have a moment only along the plane's normal.
///
/// `None` if the plane presses with no more than [`LEAST_LOAD`] of `weight` (newtons), or if a value is not finite.
pub(crate) fn zero_moment_point(
    mass_center: DVec3,
    force: DVec3,
    rate: DVec3,
    weight: f64,
    plane: SupportPlane,
) -> Option<DVec3> {
    let pressure = plane.normal.dot(force);
    if pressure.is_nan() || pressure <= LEAST_LOAD * weight || pressure <= 0.0 {
        return None;
    }
    let moment = ground_moment(plane.point, mass_center, force, rate);
    let point = plane.point + plane.normal.cross(moment) / pressure;
    point.is_finite().then_some(point)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::random::Random;

    const GRAVITY: DVec3 = DVec3::new(0.0, -9.81, 0.0);
    const MASS: f64 = 70.0;

    /// Force that the world must exert besides gravity, newtons: `mass` in kg, accelerations in m/s².
    fn ground_force(mass: f64, acceleration: DVec3, gravity: DVec3) -> DVec3 {
        mass * (acceleration - gravity)
    }

    fn point(center: DVec3, acceleration: DVec3, rate: DVec3, plane: SupportPlane) -> Option<DVec3> {
        zero_moment_point(center, ground_force(MASS, acceleration, GRAVITY), rate, MASS * 9.81, plane)
    }

    #[test]
    fn s4_at_rest_it_lies_below_the_center_of_mass() {
        let center = DVec3::new(0.3, 1.1, -0.7);
        let found = point(center, DVec3::ZERO, DVec3::ZERO, SupportPlane::level(0.1)).unwrap();
        assert!((found - DVec3::new(0.3, 0.1, -0.7)).length() < 1e-12);
    }

    #[test]
    fn s4_at_constant_height_h_it_lags_by_h_over_g_times_the_acceleration() {
        let center = DVec3::new(0.3, 1.1, -0.7);
        let found = point(center, DVec3::new(2.0, 0.0, -1.0), DVec3::ZERO, SupportPlane::level(0.1)).unwrap();
        let truth = DVec3::new(0.3 - 2.0 / 9.81, 0.1, -0.7 + 1.0 / 9.81);
        assert!((found - truth).length() < 1e-12);
    }

    #[test]
    fn s4_a_sway_a_sin_omega_t_moves_it_by_a_times_1_plus_h_omega_squared_over_g() {
        let (amplitude, omega, height) = (0.05, 3.0, 0.95);
        for n in 0..50 {
            let s = amplitude * libm::sin(omega * 0.04 * f64::from(n));
            let (center, acceleration) = (DVec3::new(s, height, 0.0), DVec3::X * (-omega * omega * s));
            let found = point(center, acceleration, DVec3::ZERO, SupportPlane::level(0.0)).unwrap();
            assert!((found.x - s * (1.0 + height * omega * omega / 9.81)).abs() < 1e-12);
        }
    }

    #[test]
    fn s4_the_vector_form_is_the_component_form() {
        let mut random = Random::new(4);
        for _ in 0..100 {
            let (center, acceleration, rate) = (random.vector(), 3.0 * random.vector(), 20.0 * random.vector());
            let force = ground_force(MASS, acceleration, GRAVITY);
            let arm = center.y + 0.4;
            let x = center.x - arm * force.x / force.y + rate.z / force.y;
            let z = center.z - arm * force.z / force.y - rate.x / force.y;
            let found = point(center, acceleration, rate, SupportPlane::level(-0.4)).unwrap();
            assert!((found - DVec3::new(x, -0.4, z)).length() < 1e-12);
        }
    }

    #[test]
    fn s4_and_s34_at_it_the_tangential_moment_vanishes_on_planes_of_any_tilt() {
        let mut random = Random::new(34);
        for _ in 0..100 {
            let normal = (DVec3::Y + 0.7 * random.vector()).normalize();
            let plane = SupportPlane { point: random.vector(), normal };
            let (center, rate) = (random.vector() + DVec3::Y, 10.0 * random.vector());
            let force = ground_force(MASS, random.vector(), GRAVITY);
            let found = zero_moment_point(center, force, rate, MASS * 9.81, plane).unwrap();
            let moment = ground_moment(found, center, force, rate);
            let tangential = (moment - moment.dot(normal) * normal).length();
            assert!(tangential / (MASS * 9.81) <= 1e-12, "{tangential}");
            assert!((found - plane.point).dot(normal).abs() < 1e-12);
        }
    }

    #[test]
    fn s4_it_does_not_depend_on_which_point_of_the_plane_is_named() {
        let (center, rate) = (DVec3::new(0.1, 1.0, 0.2), DVec3::new(4.0, 1.0, -3.0));
        let normal = DVec3::new(0.2, 1.0, -0.1).normalize();
        let along = normal.cross(DVec3::X);
        let found = |shift: f64| point(center, DVec3::X, rate, SupportPlane { point: shift * along, normal }).unwrap();
        assert!((found(0.0) - found(5.0)).length() < 1e-12);
    }

    #[test]
    fn s4_it_is_the_center_of_pressure_of_forces_applied_on_the_plane() {
        let mut random = Random::new(44);
        let contacts: Vec<(DVec3, DVec3)> = (0..6)
            .map(|_| (random.vector() * DVec3::new(1.0, 0.0, 1.0), 100.0 * random.vector() + 150.0 * DVec3::Y))
            .collect();
        let force: DVec3 = contacts.iter().map(|(_, f)| *f).sum();
        let pressure: DVec3 = contacts.iter().map(|(x, f)| *x * f.y).sum::<DVec3>() / force.y;
        let center = DVec3::new(0.2, 0.9, 0.1);
        let rate: DVec3 = contacts.iter().map(|(x, f)| (*x - center).cross(*f)).sum();
        let found = zero_moment_point(center, force, rate, 700.0, SupportPlane::level(0.0)).unwrap();
        assert!((found - pressure).length() < 1e-12);
    }

    #[test]
    fn x14_in_flight_and_for_values_that_are_no_numbers_there_is_none() {
        assert_eq!(point(DVec3::Y, GRAVITY, DVec3::ONE, SupportPlane::level(0.0)), None);
        assert_eq!(point(DVec3::Y, 0.96 * GRAVITY, DVec3::ZERO, SupportPlane::level(0.0)), None);
        assert_eq!(point(DVec3::Y, DVec3::NAN, DVec3::ZERO, SupportPlane::level(0.0)), None);
        assert_eq!(zero_moment_point(DVec3::Y, DVec3::ZERO, DVec3::ZERO, 0.0, SupportPlane::level(0.0)), None);
    }
}
