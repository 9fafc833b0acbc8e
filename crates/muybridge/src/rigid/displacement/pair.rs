//! Pulls two attached points together: the source's rotations and translations, and the exact pseudo-impulse that does
//! both.
//!
//! ```text
//! d = P1 − P0,   r_i = P_i − G_i,   μ = m0 m1/(m0 + m1)
//! (17, 18)  δR0 = J0⁻¹ (r0 × p),  δR1 = −J1⁻¹ (r1 × p),   p = μ d/(1 + ρ)
//!           ρ = μ û · (−[r0] J0⁻¹ [r0] − [r1] J1⁻¹ [r1]) û,  û = d/‖d‖
//! (19, 20)  δx0 = m1/(m0 + m1) d',  δx1 = −m0/(m0 + m1) d'     d': gap after the rotations
//! exact     K = (1/m0 + 1/m1) 1 − [r0] J0⁻¹ [r0] − [r1] J1⁻¹ [r1],   p = K⁻¹ d,   x0 += p/m0,  R0 ← exp(J0⁻¹ (r0 × p)) R0, …
//! ```
//! The source has p = μ d in (17) and (18), which ignores how far the rotation itself moves the point: a uniform rod
//! held at its end overshoots threefold (Z-E14). Rotation vectors are in radians and multiply the orientation from the
//! left (Z-E3, Z-E4). A point fixed in space has no inverse mass (Z18). Specification: mathematics 5.1 (Z17); Lamouret,
//! Gascuel, Gascuel 1995; Ziauddin 2001, listing 3.

use glam::{DMat3, DVec3};

use super::rows::Mobility;
use crate::math::rotation::cross_matrix;

/// Attached point and mobility of its body.
#[derive(Clone, Copy, Debug)]
pub struct End {
    /// Mobility of the body.
    pub mobility: Mobility,
    /// Vector from the center of mass to the point, meters, world axes.
    pub arm: DVec3,
}

/// Matrix K: separation of the points per unit pseudo-impulse, 1/kg, with the mobility and lever arms of both ends.
pub fn resistance(ends: &[End; 2]) -> DMat3 {
    ends.iter().fold(DMat3::ZERO, |sum, end| sum + end.mobility.linear + turning(end))
}

/// Pseudo-impulse K⁻¹ d that closes `gap` (meters) to second order, kg m. Zero if neither side can move.
pub fn block(ends: &[End; 2], gap: DVec3) -> DVec3 {
    let [a, b, c] = resistance(ends).to_cols_array_2d().map(DVec3::from_array);
    let determinant = a.dot(b.cross(c));
    let inverse = DMat3::from_cols(b.cross(c), c.cross(a), a.cross(b)).transpose() * (1.0 / determinant);
    let impulse = inverse * gap;
    if impulse.is_finite() { impulse } else { DVec3::ZERO }
}

/// Pseudo-impulse μ d/(1 + ρ) of the source's rotations with the corrected factor, kg m.
pub fn lamouret(ends: &[End; 2], gap: DVec3) -> DVec3 {
    let (mass, along) = (reduced_mass(ends), gap.normalize_or_zero());
    let gain = mass * ends.iter().map(|end| along.dot(turning(end) * along)).sum::<f64>();
    gap * (mass / (1.0 + gain))
}

/// Reduced mass μ, kg; 0 if neither side can move.
pub fn reduced_mass(ends: &[End; 2]) -> f64 {
    let sum = ends[0].mobility.linear.x_axis.x + ends[1].mobility.linear.x_axis.x;
    if sum > 0.0 { 1.0 / sum } else { 0.0 }
}

/// Rotational part −[r] J⁻¹ [r] of the matrix K.
fn turning(end: &End) -> DMat3 {
    let cross = cross_matrix(end.arm);
    -(cross * end.mobility.angular * cross)
}

#[cfg(test)]
mod tests {
    use glam::DQuat;

    use super::*;
    use crate::math::random::Random;
    use crate::math::rotation::exp;
    use crate::rigid::{Body, Pose};

    /// Two bodies with an attached point each.
    struct Pair {
        bodies: [Body; 2],
        poses: [(DVec3, DQuat); 2],
        points: [DVec3; 2],
        fixed: bool,
    }

    impl Pair {
        /// Random bodies whose points are `gap` meters apart.
        fn new(random: &mut Random, gap: f64) -> Self {
            let body = |random: &mut Random| {
                let moments = DVec3::new(0.1 + random.unit(), 0.1 + random.unit(), 0.1 + random.unit());
                Body::new(0.5 + random.unit(), moments).unwrap()
            };
            let (bodies, turns) = ([body(random), body(random)], [random.rotation(), random.rotation()]);
            let (at, points) = (random.vector(), [random.vector() * 0.5, random.vector() * 0.5]);
            let places = [at - turns[0] * points[0], at - turns[1] * points[1] + random.vector().normalize() * gap];
            Self { bodies, poses: [(places[0], turns[0]), (places[1], turns[1])], points, fixed: false }
        }

        fn ends(&self) -> [End; 2] {
            [0, 1].map(|side| {
                let (place, turn) = self.poses[side];
                let mobility = if self.fixed && side == 0 {
                    Mobility::NONE
                } else {
                    Mobility::of(&self.bodies[side], &Pose::new(place, turn))
                };
                End { mobility, arm: turn * self.points[side] }
            })
        }

        fn gap(&self) -> DVec3 {
            let at = |side: usize| self.poses[side].0 + self.poses[side].1 * self.points[side];
            at(1) - at(0)
        }

        /// Applies opposite pseudo-impulses to both bodies: `shift` translates, `turn` rotates.
        fn push(&mut self, shift: DVec3, turn: DVec3) {
            for (side, end) in self.ends().into_iter().enumerate() {
                if self.fixed && side == 0 {
                    continue;
                }
                let sign = if side == 0 { 1.0 } else { -1.0 };
                let (p, q) = self.poses[side];
                let turned = exp(end.mobility.angular * end.arm.cross(turn) * sign);
                self.poses[side] = (p + end.mobility.linear * shift * sign, (turned * q).normalize());
            }
        }

        /// The source's call: rotations, then translations.
        fn lamouret(&mut self, is_literal: bool) {
            let (ends, gap) = (self.ends(), self.gap());
            let turn = if is_literal { gap * reduced_mass(&ends) } else { lamouret(&ends, gap) };
            self.push(DVec3::ZERO, turn);
            self.push(self.gap() * reduced_mass(&ends), DVec3::ZERO);
        }

        fn block(&mut self) {
            let impulse = block(&self.ends(), self.gap());
            self.push(impulse, impulse);
        }
    }

    #[test]
    fn z17_one_call_of_the_source_closes_a_pair() {
        let mut random = Random::new(1);
        for _ in 0..200 {
            for is_literal in [false, true] {
                let mut pair = Pair::new(&mut random, 1e-2);
                let at_start: DVec3 = (0..2).map(|i| pair.poses[i].0 * pair.bodies[i].mass).sum();
                pair.lamouret(is_literal);
                assert!(pair.gap().length() <= 1e-15, "{}", pair.gap().length());
                let moved: DVec3 = (0..2).map(|i| pair.poses[i].0 * pair.bodies[i].mass).sum();
                assert!((moved - at_start).length() <= 1e-15, "{}", (moved - at_start).length());
            }
        }
    }

    #[test]
    fn z17_the_exact_block_converges_by_squares_and_keeps_the_momenta() {
        let mut random = Random::new(2);
        for _ in 0..200 {
            let mut pair = Pair::new(&mut random, 1e-2);
            let ends = pair.ends();
            let (gap, impulse) = (pair.gap(), block(&ends, pair.gap()));
            // Opposite pseudo-impulses at two points at a distance d: the missing moment is d × p.
            let moment = ends[0].arm.cross(impulse) - ends[1].arm.cross(impulse)
                + (pair.poses[0].0 - pair.poses[1].0).cross(impulse);
            assert!((moment + gap.cross(impulse)).length() < 1e-15);
            assert!(moment.length() <= gap.length() * impulse.length());
            pair.block();
            let once = pair.gap().length();
            pair.block();
            let twice = pair.gap().length();
            // The rotations of two bodies of half a meter by 1e-2 rad, squared.
            assert!(once <= 2e-4 && twice <= 1e-7, "{once} {twice}");
            pair.block();
            assert!(pair.gap().length() <= 1e-12);
        }
    }

    #[test]
    fn z17_a_gap_of_one_centimetre_falls_below_2e_5_and_1e_10() {
        // Cubes of 1 kg and 1 m joined at the middle of a face: K is 5/kg across the arms, so they turn by at most J⁻¹ r d/5 = 6 mrad, and
        // the chord of an arc differs from the arc by at most ½ r θ² = 9 µm for either.
        let cube = Body::new(1.0, DVec3::splat(1.0 / 6.0)).unwrap();
        let mut random = Random::new(4);
        for _ in 0..200 {
            let (turns, points) = ([random.rotation(), random.rotation()], [DVec3::X * 0.5, DVec3::X * -0.5]);
            let place = turns[0] * points[0] - turns[1] * points[1] + random.vector().normalize() * 1e-2;
            let poses = [(DVec3::ZERO, turns[0]), (place, turns[1])];
            let mut pair = Pair { bodies: [cube; 2], poses, points, fixed: false };
            for most in [2e-5, 1e-10, 1e-15] {
                pair.block();
                assert!(pair.gap().length() <= most, "{}", pair.gap().length());
            }
        }
    }

    #[test]
    fn z18_a_fixed_side_is_the_limit_of_a_mass_of_1e12() {
        let mut random = Random::new(3);
        for _ in 0..100 {
            let heavy = Pair::new(&mut random, 1e-2);
            let mut fixed = Pair { fixed: true, ..heavy };
            let mut heavy = Pair { bodies: [Body::new(1e12, DVec3::splat(1e12)).unwrap(), fixed.bodies[1]], ..fixed };
            heavy.fixed = false;
            let before = fixed.poses[0];
            for exact in [false, true] {
                for pair in [&mut fixed, &mut heavy] {
                    if exact { pair.block() } else { pair.lamouret(false) }
                }
                assert_eq!(fixed.poses[0], before);
                let (a, b) = (fixed.poses[1], heavy.poses[1]);
                assert!((a.0 - b.0).length() < 1e-9 && (a.1 - b.1).length() < 1e-9);
            }
        }
    }

    #[test]
    fn z17_the_literal_rotation_of_a_rod_held_at_its_end_is_four_times_too_large() {
        // m r²/J = 3 for a uniform rod at its end: 1 + ρ = 4.
        let rod = Body::new(2.0, DVec3::new(1.0, 2.0 / 12.0, 2.0 / 12.0)).unwrap();
        let mobility = Mobility::of(&rod, &Pose::new(DVec3::ZERO, DQuat::IDENTITY));
        let ends = [End { mobility: Mobility::NONE, arm: DVec3::ZERO }, End { mobility, arm: DVec3::X * 0.5 }];
        let gap = DVec3::Y * 1e-3;
        let literal = gap * reduced_mass(&ends);
        assert!((literal.y / lamouret(&ends, gap).y - 4.0).abs() < 1e-12);
        // Along such a gap the corrected impulse is the exact one.
        assert!((lamouret(&ends, gap) - block(&ends, gap)).length() < 1e-18);
    }
}
