//! Contact wrench feasibility: whether contacts at any height and tilt can exert the force and moment a motion needs.
//!
//! ```text
//! find f_k in the friction cones at the contacts x_k with   Σ f_k = F,   Σ (x_k − c) × f_k = Ḣ
//! residual = ‖(Σ f_k − F)/W, (Σ (x_k − c) × f_k − Ḣ)/(W L)‖,  W = M g0, least over all f_k     (0 = feasible)
//! cone of eight edges: f_k = Σ_e λ_e (n + μ (cos(eπ/4) t1 + sin(eπ/4) t2)),  λ_e ≥ 0
//! ```
//! Specification: mathematics 6.5 (b) (S34); Bretl, Lall 2008. The eight edges lie on the round friction cone, so a demand that is feasible with
//! eight edges is feasible with the round cone; the round cone is up to 8 % wider between the edges.

use std::sync::LazyLock;

use glam::DVec3;

use crate::math::least_squares::non_negative;

/// Contact point of the body with its normal and friction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct FrictionContact {
    /// Position, meters.
    pub position: DVec3,
    /// Unit normal of the touched surface, pointing toward the body.
    pub normal: DVec3,
    /// Coefficient of friction μ.
    pub friction: f64,
}

/// Force and moment that the motion needs from its contacts at one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Demand {
    /// Center of mass c, meters.
    pub mass_center: DVec3,
    /// F = M (c̈ − g), newtons.
    pub force: DVec3,
    /// Ḣ: rate of angular momentum about the center of mass, N m.
    pub rate: DVec3,
    /// W = M g0: weight, newtons.
    pub weight: f64,
    /// L: length by which moments are divided (of a leg, or of the body), meters.
    pub length: f64,
}

/// Contact forces nearest to the demand, and the residual.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ContactForces {
    /// Norm of the missing force and moment, in units of the body's weight: 0 if the motion is feasible.
    pub residual: f64,
    /// Force at each contact, newtons.
    pub forces: Vec<DVec3>,
}

const EDGES: usize = 8;

/// Finds the contact forces in the friction cones that come nearest to the demand of the motion.
///
/// Without contacts the residual is that of zero force. A demand that is not finite cannot be met: its residual is infinite and the forces are
/// zero.
pub(crate) fn contact_forces(contacts: &[FrictionContact], demand: &Demand) -> ContactForces {
    let needed = row(demand.force, demand.rate, demand);
    if !needed.iter().all(|value| value.is_finite()) {
        return ContactForces { residual: f64::INFINITY, forces: vec![DVec3::ZERO; contacts.len()] };
    }
    let edges: Vec<DVec3> = contacts.iter().flat_map(cone).map(|edge| edge * demand.weight).collect();
    let columns: Vec<[f64; 6]> = edges
        .iter()
        .zip(contacts.iter().flat_map(|contact| [contact; EDGES]))
        .map(|(&edge, contact)| row(edge, (contact.position - demand.mass_center).cross(edge), demand))
        .collect();
    let best = non_negative(&columns, needed);
    let forces = edges
        .chunks(EDGES)
        .zip(best.coefficients.chunks(EDGES))
        .map(|(edges, shares)| edges.iter().zip(shares).map(|(&edge, &share)| edge * share).sum())
        .collect();
    ContactForces { residual: libm::sqrt(best.residual.iter().map(|value| value * value).sum()), forces }
}

fn row(force: DVec3, moment: DVec3, demand: &Demand) -> [f64; 6] {
    let (f, m) = (force / demand.weight, moment / (demand.weight * demand.length));
    [f.x, f.y, f.z, m.x, m.y, m.z]
}

fn cone(contact: &FrictionContact) -> [DVec3; EDGES] {
    let (t1, t2) = contact.normal.any_orthonormal_pair();
    DIRECTIONS.map(|[cos, sin]| contact.normal + contact.friction * (cos * t1 + sin * t2))
}

/// Cosine and sine of the direction of each edge.
static DIRECTIONS: LazyLock<[[f64; 2]; EDGES]> = LazyLock::new(|| {
    core::array::from_fn(|edge| {
        let angle = core::f64::consts::FRAC_PI_4 * edge as f64;
        [libm::cos(angle), libm::sin(angle)]
    })
});

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::hull::{ConvexPolygon, on_ground};
    use crate::math::random::Random;
    use crate::math::rotation::about;

    const WEIGHT: f64 = 70.0 * 9.81;

    /// Corners of a sole of 10 × 25 cm on top of a block.
    fn sole(x: f64, height: f64, friction: f64) -> [FrictionContact; 4] {
        [(-0.05, -0.1), (0.05, -0.1), (0.05, 0.15), (-0.05, 0.15)].map(|(dx, z)| FrictionContact {
            position: DVec3::new(x + dx, height, z),
            normal: DVec3::Y,
            friction,
        })
    }

    fn standing(mass_center: DVec3) -> Demand {
        Demand { mass_center, force: WEIGHT * DVec3::Y, rate: DVec3::ZERO, weight: WEIGHT, length: 0.9 }
    }

    #[test]
    fn s34_standing_on_two_blocks_of_different_height_is_feasible_and_leaning_out_is_not() {
        let contacts = [sole(-0.2, 0.0, 0.6), sole(0.2, 0.3, 0.6)].concat();
        for x in [-0.22, -0.1, 0.0, 0.17, 0.22] {
            let found = contact_forces(&contacts, &standing(DVec3::new(x, 1.1, 0.05)));
            assert!(found.residual <= 1e-9, "{x}: {}", found.residual);
            let sum: DVec3 = found.forces.iter().sum();
            assert!((sum - WEIGHT * DVec3::Y).length() < 1e-6);
        }
        let mut last = 1e-3;
        for z in [0.2, 0.3, 0.5, 1.0] {
            let residual = contact_forces(&contacts, &standing(DVec3::new(0.0, 1.1, z))).residual;
            assert!(residual > last, "{z}: {residual}");
            last = residual;
        }
    }

    #[test]
    fn s34_without_friction_the_region_of_support_is_the_hull_of_the_contacts_seen_from_above() {
        let contacts = [sole(-0.2, 0.0, 0.0), sole(0.2, 0.3, 0.0)].concat();
        let hull = ConvexPolygon::new(&contacts.iter().map(|contact| on_ground(contact.position)).collect::<Vec<_>>());
        let mut random = Random::new(34);
        for _ in 0..300 {
            let center = DVec3::new(0.4, 0.2, 0.3) * random.vector() + DVec3::Y;
            let residual = contact_forces(&contacts, &standing(center)).residual;
            let distance = hull.signed_distance(on_ground(center));
            assert!(
                if distance < -1e-6 { residual <= 1e-9 } else { residual > 0.3 * distance },
                "{center}: {residual}"
            );
        }
    }

    #[test]
    fn s34_on_one_slippery_point_the_residual_is_what_geometry_says() {
        // min over f of (1 − f)² + (f d/L)²  =  (d/L)²/(1 + (d/L)²)
        let contact = FrictionContact { position: DVec3::ZERO, normal: DVec3::Y, friction: 0.0 };
        for d in [0.0, 0.1, 0.7] {
            let found = contact_forces(&[contact], &standing(DVec3::new(d, 1.0, 0.0)));
            let ratio = d / 0.9;
            assert!((found.residual - ratio / libm::sqrt(1.0 + ratio * ratio)).abs() < 1e-12);
        }
    }

    #[test]
    fn s34_a_slope_holds_as_long_as_its_tangent_is_below_the_friction() {
        let turn = about(DVec3::X, 0.35);
        let on_slope = |friction: f64| {
            let contacts = sole(0.0, 0.0, friction).map(|contact| FrictionContact {
                position: turn * contact.position,
                normal: turn * DVec3::Y,
                friction,
            });
            contact_forces(&contacts, &standing(DVec3::new(0.0, 0.2, 0.0))).residual
        };
        let tangent = libm::tan(0.35);
        assert!(on_slope(1.09 * tangent) <= 1e-9);
        assert!(on_slope(0.99 * tangent) > 1e-3);
    }

    #[test]
    fn s34_a_wall_on_each_side_can_carry_a_climber_if_it_is_rough_enough() {
        let walls = |friction: f64| {
            [-1.0, 1.0].map(|side| FrictionContact {
                position: DVec3::new(0.5 * side, 1.0, 0.0),
                normal: DVec3::new(-side, 0.0, 0.0),
                friction,
            })
        };
        let climber = standing(DVec3::new(0.0, 1.0, 0.0));
        assert!(contact_forces(&walls(0.5), &climber).residual <= 1e-9);
        assert!((contact_forces(&walls(0.0), &climber).residual - 1.0).abs() < 1e-12);
    }

    #[test]
    fn x14_no_contacts_leave_the_demand_and_demands_that_are_no_numbers_are_never_met() {
        assert!((contact_forces(&[], &standing(DVec3::Y)).residual - 1.0).abs() < 1e-15);
        let weightless = Demand { weight: 0.0, ..standing(DVec3::Y) };
        assert_eq!(contact_forces(&sole(0.0, 0.0, 1.0), &weightless).residual, f64::INFINITY);
        let broken = FrictionContact { position: DVec3::NAN, normal: DVec3::Y, friction: 0.5 };
        assert!((contact_forces(&[broken], &standing(DVec3::Y)).residual - 1.0).abs() < 1e-15);
    }
}
