//! Rotation of one frame about its center of mass that gives the step from the frame before a target angular momentum.
//!
//! ```text
//! H(Q) = Σ −m (Qρ) × ρᵖ/h + Q I Qᵀ log(Q R Rᵖᵀ)/h,    ρ = x − c,  ᵖ: the frame before, which is fixed    Q: unknown
//! Newton: Q ← exp(γ y) Q,  D y = H* − H,  ‖y‖ ≤ 0.5 rad,
//! D = Σ m((ρ'·ρᵖ) 1 − ρ'ρᵖᵀ)/h − [I'ω] + I'[ω] + I' J_l⁻¹(hω)/h,    ρ' = Qρ,  I' = Q I Qᵀ
//! ```
//! The point masses enter only through `S = Σ m ρ ρᵖᵀ`: their part of H is `−2 axial(QS)/h`, that of D `(tr(QS) 1 − QS)/h`. For the inertias
//! everything is written in the axes before Q, where they are constant: with `ψ = log(R Rᵖᵀ Q)`, `H = Q Σ I ψ/h` and `D = Q Σ (I J_l⁻¹(−ψ) − [I ψ])
//! Qᵀ/h`.
//!
//! Specification: mathematics 7.3.2 (S16, S18). Backward differences are exact for a rotation about a fixed axis, but they follow a point mass
//! along a chord, so that a steady rotation at ω reads `sin(ωh)/h` instead of ω (6.2): 1.1 % low at one revolution per second and 24 frames per
//! second. Always measure targets by [`FramePair::momentum`], not by another scheme.

use glam::{DMat3, DQuat, DVec3};

use super::Newton;
use super::jacobian::log_and_coefficient;
use crate::analysis::centroidal::BodyPose;
use crate::math::rotation::{cross_matrix, exp};

/// Largest rotation in one iteration, radians.
const LARGEST_STEP: f64 = 0.5;

/// Two successive frames of the same bodies, reduced to the quantities that a rotation of the second frame about its center of mass needs.
#[derive(Clone, Debug, PartialEq)]
pub struct FramePair {
    /// S = Σ m ρ ρᵖᵀ, kg m².
    moments: DMat3,
    /// Inertia and rotation of each body that has inertia.
    turning: Vec<TurningBody>,
    /// Seconds between the frames.
    step: f64,
    /// Rounding error of H, kg m²/s.
    rounding: f64,
}

/// One body: inertia in world axes at the second frame, and rotation from the first frame to the second.
#[derive(Clone, Copy, Debug, PartialEq)]
struct TurningBody {
    inertia: DMat3,
    turn: DQuat,
}

/// Result of Newton's method for one frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turned {
    /// Q: rotation of the second frame about its center of mass.
    pub turn: DQuat,
    /// Number of iterations made.
    pub iterations: usize,
    /// Remaining error `‖H* − H(Q)‖`, kg m²/s.
    pub residual: f64,
    /// Whether the residual is within the tolerance.
    pub converged: bool,
}

impl FramePair {
    /// Creates a pair of the frames `before` and `now`, `step` seconds apart; the slices hold the same bodies in the same order.
    pub fn new(before: &[BodyPose], now: &[BodyPose], step: f64) -> Self {
        let (center_before, center) = (mass_center(before), mass_center(now));
        let moment = |(was, is): (&BodyPose, &BodyPose)| {
            let (arm, arm_before) = (is.mass * (is.center - center), was.center - center_before);
            DMat3::from_cols(arm * arm_before.x, arm * arm_before.y, arm * arm_before.z)
        };
        let turning = |(was, is): (&BodyPose, &BodyPose)| {
            let axes = DMat3::from_quat(is.rotation);
            TurningBody { inertia: axes * is.inertia * axes.transpose(), turn: is.rotation * was.rotation.conjugate() }
        };
        let pairs = || before.iter().zip(now);
        let has_inertia = |pair: &(&BodyPose, &BodyPose)| pair.1.inertia != DMat3::ZERO;
        let moments = pairs().map(moment).fold(DMat3::ZERO, |sum, term| sum + term);
        let turning: Vec<TurningBody> = pairs().filter(has_inertia).map(turning).collect();
        let size = |matrix: DMat3| matrix.to_cols_array().iter().map(|entry| entry.abs()).sum::<f64>();
        let amount = size(moments) + turning.iter().map(|body| size(body.inertia)).sum::<f64>();
        Self { moments, turning, step, rounding: 64.0 * f64::EPSILON * amount / step }
    }

    /// H about the center of mass, kg m²/s, after rotating the second frame by `turn`.
    pub fn momentum(&self, turn: DQuat) -> DVec3 {
        self.momentum_and_rate(turn).0
    }

    /// H and its derivative D: the change of H when `turn` becomes `exp(y) turn`, kg m²/s per radian.
    pub(crate) fn momentum_and_rate(&self, turn: DQuat) -> (DVec3, DMat3) {
        let (mut spin, mut rate) = (DVec3::ZERO, DMat3::ZERO);
        for body in &self.turning {
            let (psi, d) = log_and_coefficient(body.turn * turn);
            let own = body.inertia * psi;
            // 1 + ½ [ψ] + D [ψ]², and [ψ]² = ψψᵀ − ψ·ψ 1.
            let diagonal = 1.0 - d * psi.length_squared();
            let outer = DMat3::from_cols(psi * (d * psi.x), psi * (d * psi.y), psi * (d * psi.z));
            let jacobian = cross_matrix(0.5 * psi) + outer + DMat3::from_diagonal(DVec3::splat(diagonal));
            spin += own;
            rate += body.inertia * jacobian - cross_matrix(own);
        }
        let axes = DMat3::from_quat(turn);
        let moved = axes * self.moments;
        let points = points_momentum(moved);
        let trace = moved.x_axis.x + moved.y_axis.y + moved.z_axis.z;
        let rate = DMat3::from_diagonal(DVec3::splat(trace)) - moved + axes * rate * axes.transpose();
        ((points + axes * spin) / self.step, rate * (1.0 / self.step))
    }

    /// Rounding error of H, kg m²/s: the limit of its accuracy.
    pub(crate) fn rounding(&self) -> f64 {
        self.rounding
    }

    /// Newton's method from `start`: rotates the second frame until H is `target`.
    pub fn solve(&self, target: DVec3, start: DQuat, newton: &Newton) -> Turned {
        let tolerance = newton.tolerance * target.length().max(1.0);
        let (mut turn, mut last) = (start, f64::INFINITY);
        let mut iterations = 0;
        loop {
            let (momentum, rate) = self.momentum_and_rate(turn);
            let error = target - momentum;
            let residual = error.length();
            let converged = residual <= tolerance || (residual <= self.rounding && residual > 0.9 * last);
            let step = rate.inverse() * error * newton.damping;
            if converged || iterations >= newton.iterations || !step.is_finite() {
                return Turned { turn, iterations, residual, converged };
            }
            turn = (exp(step.clamp_length_max(LARGEST_STEP)) * turn).normalize();
            last = residual;
            iterations += 1;
        }
    }

    /// [`FramePair::solve`] from the identity. If this does not converge, it proceeds in steps along targets between the present momentum and
    /// `target`.
    pub(crate) fn reach(&self, target: DVec3, newton: &Newton) -> Turned {
        let mut found = self.solve(target, DQuat::IDENTITY, newton);
        for pieces in [4, 16, 64] {
            if found.converged {
                break;
            }
            let from = self.momentum(DQuat::IDENTITY);
            let (mut turn, mut iterations) = (DQuat::IDENTITY, found.iterations);
            for piece in 1..=pieces {
                let way = f64::from(piece) / f64::from(pieces);
                found = self.solve(from + (target - from) * way, turn, newton);
                turn = found.turn;
                iterations = iterations.max(found.iterations);
                if !found.converged {
                    break;
                }
            }
            found.iterations = iterations;
        }
        found
    }
}

/// Computes −Σ m ρ' × ρᵖ from Σ m ρ' ρᵖᵀ.
fn points_momentum(moved: DMat3) -> DVec3 {
    let (x, y, z) = (moved.x_axis, moved.y_axis, moved.z_axis);
    DVec3::new(y.z - z.y, z.x - x.z, x.y - y.x)
}

/// Center of mass, meters; NaN without mass.
pub(crate) fn mass_center(bodies: &[BodyPose]) -> DVec3 {
    let mass: f64 = bodies.iter().map(|body| body.mass).sum();
    bodies.iter().map(|body| body.mass * body.center).sum::<DVec3>() / mass
}

/// Rotates the bodies about their center of mass.
#[cfg(test)]
pub(crate) fn turned(bodies: &[BodyPose], turn: DQuat) -> Vec<BodyPose> {
    let center = mass_center(bodies);
    let turned = |body: &BodyPose| BodyPose {
        center: center + turn * (body.center - center),
        rotation: (turn * body.rotation).normalize(),
        ..*body
    };
    bodies.iter().map(turned).collect()
}

#[cfg(test)]
mod tests {
    use super::super::random_bodies::{STEP, Thrown, momentum};
    use super::*;
    use crate::math::random::Random;
    use crate::math::rotation::log;

    fn pair(thrown: &Thrown) -> FramePair {
        FramePair::new(&thrown.before, &thrown.now, STEP)
    }

    #[test]
    fn s16_the_momentum_of_a_turned_frame_is_the_sum_over_its_bodies_and_d_is_its_derivative() {
        let mut random = Random::new(1);
        for _ in 0..50 {
            let thrown = Thrown::new(&mut random);
            let (pair, turn) = (pair(&thrown), exp(random.vector()));
            let (found, rate) = pair.momentum_and_rate(turn);
            let truth = momentum(&thrown.before, &turned(&thrown.now, turn));
            assert!((found - truth).length() < 1e-12 * truth.length().max(1.0), "{found} {truth}");
            let (y, e) = (random.vector(), 1e-5);
            let change = pair.momentum(exp(y * e) * turn) - pair.momentum(exp(y * -e) * turn);
            assert!((change / (2.0 * e) - rate * y).length() < 1e-7 * (rate * y).length());
        }
    }

    #[test]
    fn s16_sixty_of_sixty_random_frames_get_half_as_much_more_momentum_in_at_most_five_iterations() {
        let (mut random, mut iterations) = (Random::new(16), Vec::new());
        for case in 0..60 {
            let thrown = Thrown::new(&mut random);
            let target = thrown.target(0.5, &mut random);
            let found = pair(&thrown).solve(target, DQuat::IDENTITY, &Newton::default());
            let truth = momentum(&thrown.before, &turned(&thrown.now, found.turn));
            assert!(found.converged && found.residual <= 1e-12 * target.length().max(1.0), "case {case}: {found:?}");
            assert!((truth - target).length() <= 2e-12 * target.length().max(1.0), "case {case}: {truth} {target}");
            assert!(found.iterations <= 5, "case {case}: {found:?}");
            iterations.push(found.iterations);
        }
        iterations.sort_unstable();
        assert!((3..=4).contains(&iterations[30]), "median of the specification 3.5: {iterations:?}");
    }

    #[test]
    fn s17_half_the_step_halves_the_residual_stops_below_the_tolerance_and_reports_the_cap() {
        let mut random = Random::new(17);
        for _ in 0..20 {
            let thrown = Thrown::new(&mut random);
            let (pair, target) = (pair(&thrown), thrown.target(0.5, &mut random));
            let after = |iterations| {
                let newton = Newton { damping: 0.5, iterations, tolerance: 1e-10 };
                pair.solve(target, DQuat::IDENTITY, &newton)
            };
            for iterations in 12..25 {
                let ratio = after(iterations + 1).residual / after(iterations).residual;
                assert!((ratio - 0.5).abs() < 1e-3, "iteration {iterations}: {ratio}");
                assert!(!after(iterations).converged && after(iterations).iterations == iterations, "the cap");
            }
            let whole = after(100);
            let limit = 1e-10 * target.length().max(1.0);
            assert!(whole.converged && whole.residual <= limit && whole.residual > 0.4 * limit, "{whole:?}");
            assert!((25..40).contains(&whole.iterations), "{whole:?}");
        }
    }

    #[test]
    fn s18_the_mass_center_moves_less_than_1e_15_m() {
        let mut random = Random::new(18);
        for _ in 0..60 {
            let mut thrown = Thrown::new(&mut random);
            let center = mass_center(&thrown.now);
            // The bodies are near the origin, so that the rotation shows and not the last bit of a coordinate.
            thrown.now.iter_mut().for_each(|body| body.center -= center);
            let target = thrown.target(0.5, &mut random);
            let found = pair(&thrown).solve(target, DQuat::IDENTITY, &Newton::default());
            let moved = mass_center(&turned(&thrown.now, found.turn)) - mass_center(&thrown.now);
            assert!(moved.length() <= 1e-15, "{moved}");
        }
    }

    #[test]
    fn the_momentum_it_has_needs_no_turn_and_one_out_of_reach_is_said() {
        let mut random = Random::new(19);
        let thrown = Thrown::new(&mut random);
        let pair = pair(&thrown);
        let now = pair.momentum(DQuat::IDENTITY);
        let found = pair.solve(now, DQuat::IDENTITY, &Newton::default());
        assert!(found.converged && found.iterations == 0 && found.turn == DQuat::IDENTITY);
        assert!(!pair.reach(now * 1e3, &Newton::default()).converged);
        let nothing = FramePair::new(&[], &[], STEP).reach(now, &Newton::default());
        assert!(!nothing.converged);
    }

    #[test]
    fn a_far_target_is_reached_in_parts() {
        let mut random = Random::new(20);
        let mut far = 0;
        for _ in 0..60 {
            let thrown = Thrown::new(&mut random);
            let pair = pair(&thrown);
            let target = pair.momentum(exp(1.5 * random.vector()));
            let found = pair.reach(target, &Newton::default());
            far += usize::from(log(found.turn).length() > 1.0);
            assert!((pair.momentum(found.turn) - target).length() <= 1e-11 * target.length(), "{found:?}");
        }
        assert!(far > 10, "{far}");
    }

    #[test]
    fn a_point_mass_is_followed_along_a_chord() {
        let ball = |angle: f64| {
            let arm = DVec3::new(libm::cos(angle), libm::sin(angle), 0.0);
            [arm, -arm].map(|center| BodyPose { mass: 1.0, inertia: DMat3::ZERO, center, rotation: DQuat::IDENTITY })
        };
        let omega = core::f64::consts::TAU;
        let found = FramePair::new(&ball(0.3), &ball(0.3 + omega * STEP), STEP).momentum(DQuat::IDENTITY);
        let truth = 2.0 * libm::sin(omega * STEP) / STEP;
        assert!((found.z - truth).abs() < 1e-12 && (found.z / (2.0 * omega) - 0.989).abs() < 1e-3);
    }
}
