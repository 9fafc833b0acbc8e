//! The paper's iteration for one frame: displaces the root until the character has the target momentum.
//!
//! ```text
//! v_0 = log(Tᵖ⁻¹ T_0)/h,   h_0 = Ĵ v_0 + a,   h_w = Ad_{T_0⁻¹}ᵀ h_0          ᵖ: the frame before, which is fixed
//! T_0 ← T_0 exp(γ x̂),   Ad_{T_0⁻¹}ᵀ (K_h + Ĵ G) x = h_w* − h_w,   K_h = −| [k] [l] |   with h_0 = (k, l)
//!                                                                         | [l]  0  |   K_h x = −ad_xᵀ h_0
//! G = ad_{v0} + 1/h                                     the paper's (equation 4): converges linearly
//!   = (1 + ½A + A²/12 − A⁴/720 + …)/h,  A = ad_{h v0}   inverse right Jacobian of the discrete step: converges quadratically
//! ```
//! `h_w*` is the target angular momentum about the present center of mass with the present linear momentum. Here the origin of the world is that
//! center, so that `h_w* = (H*, P)`.
//!
//! The linear momentum is preserved as the logarithm measures it, which is `M (c − cᵖ)/h` only in the limit of small steps: the center of mass
//! drifts, by centimeters at 24 frames per second, and [`Displaced::drift`] reports this. Specification: mathematics 7.3.1 (S16–S18) with errata
//! S-E2 and S-E6; Shapiro, Lee 2011, equations 2 to 5.

use glam::DVec3;

use super::frame_turn::mass_center;
use super::jacobian::{exp_transform, log_transform};
use super::{Jacobian, Newton};
use crate::analysis::centroidal::{BodyInRoot, BodyPose, CentroidalSplit};
use crate::math::spatial::{SpatialInertia, SpatialMomentum, Transform, Twist};

/// Two successive frames of a character: the pose is frozen in Ĵ and a, the root of the second frame is free.
#[derive(Clone, Debug, PartialEq)]
pub struct RootPair {
    /// Ĵ and a: momentum as a function of the root's velocity.
    split: CentroidalSplit,
    /// Root transforms Tᵖ and T_0, with the center of mass of the second frame at the origin.
    before: Transform,
    now: Transform,
    /// Displacement of the center of mass from the first frame to the second, meters.
    way: DVec3,
    /// Time between the frames, seconds.
    step: f64,
}

/// Result of the iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Displaced {
    /// Displacement of the second frame: `x ↦ rotation (x − c) + c + position`, c its center of mass.
    pub by: Transform,
    /// Number of iterations made.
    pub iterations: usize,
    /// Norm `‖h_w* − h_w‖` of the six numbers, kg m²/s and kg m/s.
    pub residual: f64,
    /// Whether the residual is within the tolerance.
    pub converged: bool,
    /// Displacement of the center of mass, meters.
    pub drift: f64,
}

impl RootPair {
    /// Creates a pair of the frames `before` and `now`, `step` seconds apart: world transform of the root, and the same bodies in the same order.
    pub fn new(before: (Transform, &[BodyPose]), now: (Transform, &[BodyPose]), step: f64) -> Self {
        let in_root = |root: Transform, body: &BodyPose| {
            root.inverse() * Transform { rotation: body.rotation, position: body.center }
        };
        let body = |(was, is): (&BodyPose, &BodyPose)| {
            let placement = in_root(now.0, is);
            let motion = log_transform(in_root(before.0, was).inverse() * placement) * (1.0 / step);
            BodyInRoot { placement, inertia: SpatialInertia::new(is.mass, DVec3::ZERO, is.inertia), motion }
        };
        let bodies: Vec<BodyInRoot> = before.1.iter().zip(now.1).map(body).collect();
        let center = mass_center(now.1);
        let centered = |root: Transform| Transform { position: root.position - center, ..root };
        Self {
            split: CentroidalSplit::new(&bodies),
            before: centered(before.0),
            now: centered(now.0),
            way: center - mass_center(before.1),
            step,
        }
    }

    /// Displacement of the center of mass from the first frame to the second, meters.
    pub(crate) fn center_displacement(&self) -> DVec3 {
        self.way
    }

    /// h_w about the center of mass of the second frame, with the root displaced by `by` (as in [`Displaced`]).
    pub fn momentum(&self, by: Transform) -> SpatialMomentum {
        let root = by * self.now;
        root.momentum(self.split.momentum(self.root_velocity(root)))
    }

    fn root_velocity(&self, root: Transform) -> Twist {
        log_transform(self.before.inverse() * root) * (1.0 / self.step)
    }

    /// Newton iteration from `start`: displaces the second frame until its momentum is `target`. A target that should change only the angular part
    /// contains the present linear momentum about the present center of mass.
    pub fn solve(&self, target: SpatialMomentum, start: Transform, newton: &Newton, jacobian: Jacobian) -> Displaced {
        let tolerance = newton.tolerance * target.angular.length().max(1.0);
        let mut root = start * self.now;
        let mut iterations = 0;
        loop {
            let velocity = self.root_velocity(root);
            let carried = self.split.momentum(velocity);
            let error = target - root.momentum(carried);
            let residual = libm::sqrt(error.angular.length_squared() + error.linear.length_squared());
            let in_root = root.inverse().momentum(error);
            let x = solve_six(self.columns(velocity, carried, jacobian), in_root);
            let converged = residual <= tolerance;
            let Some(x) = x.filter(|_| !converged && iterations < newton.iterations) else {
                let by = root * self.now.inverse();
                let moved = by.point(DVec3::ZERO);
                return Displaced { by, iterations, residual, converged, drift: moved.length() };
            };
            root = root * exp_transform(x * newton.damping);
            root.rotation = root.rotation.normalize();
            iterations += 1;
        }
    }

    /// Columns of the system matrix `K_h + Ĵ G` of the Newton step: its effect on unit displacements.
    fn columns(&self, velocity: Twist, carried: SpatialMomentum, jacobian: Jacobian) -> [SpatialMomentum; 6] {
        core::array::from_fn(|column| {
            let x = unit(column);
            let rate = match jacobian {
                Jacobian::Source => velocity.bracket(x) + x * (1.0 / self.step),
                Jacobian::Exact => right_jacobian_inverse(velocity * self.step, x) * (1.0 / self.step),
            };
            x.carries(carried) + self.split.inertia.momentum(rate)
        })
    }
}

/// Twist whose component `index` is 1, all others 0; angular part first.
fn unit(index: usize) -> Twist {
    let axis = DVec3::AXES[index % 3];
    if index < 3 { Twist { angular: axis, linear: DVec3::ZERO } } else { Twist { angular: DVec3::ZERO, linear: axis } }
}

/// Inverse right Jacobian `1 + ½A + A²/12 − A⁴/720 + …` of `A = ad_twist`, applied to `x`: `B_n/n!` times Aⁿ with the opposite sign of the linear
/// term. Converges below a full turn; sixteen powers leave 1e-14 at 1 rad and 1e-5 at 3 rad.
fn right_jacobian_inverse(twist: Twist, x: Twist) -> Twist {
    const SERIES: [f64; 9] = [
        1.0,
        1.0 / 12.0,
        -1.0 / 720.0,
        1.0 / 30_240.0,
        -1.0 / 1_209_600.0,
        1.0 / 47_900_160.0,
        -691.0 / 1_307_674_368_000.0,
        1.0 / 74_724_249_600.0,
        -3_617.0 / 10_670_622_842_880_000.0,
    ];
    let horner = |total: Twist, factor: &f64| twist.bracket(twist.bracket(total)) + x * *factor;
    SERIES.iter().rev().fold(Twist::default(), horner) + twist.bracket(x) * 0.5
}

/// Gaussian elimination with row pivoting; `None` if the matrix of these columns is singular or not finite.
fn solve_six(columns: [SpatialMomentum; 6], right: SpatialMomentum) -> Option<Twist> {
    let six = |of: SpatialMomentum| -> [f64; 6] {
        let (k, l) = (of.angular, of.linear);
        [k.x, k.y, k.z, l.x, l.y, l.z]
    };
    let columns = columns.map(six);
    let mut matrix: [[f64; 6]; 6] = core::array::from_fn(|row| columns.map(|column| column[row]));
    let mut right = six(right);
    for column in 0..6 {
        let pivot = (column..6).max_by(|&a, &b| matrix[a][column].abs().total_cmp(&matrix[b][column].abs()))?;
        matrix.swap(column, pivot);
        right.swap(column, pivot);
        for row in column + 1..6 {
            let factor = matrix[row][column] / matrix[column][column];
            for k in column..6 {
                matrix[row][k] -= factor * matrix[column][k];
            }
            right[row] -= factor * right[column];
        }
    }
    for row in (0..6).rev() {
        let known: f64 = (row + 1..6).map(|k| matrix[row][k] * right[k]).sum();
        right[row] = (right[row] - known) / matrix[row][row];
    }
    let [a, b, c, d, e, f] = right;
    let x = Twist { angular: DVec3::new(a, b, c), linear: DVec3::new(d, e, f) };
    (x.angular.is_finite() && x.linear.is_finite()).then_some(x)
}

#[cfg(test)]
mod tests {
    use super::super::random_bodies::{STEP, Thrown};
    use super::*;
    use crate::math::random::Random;

    /// A frame pair and the paper's target: `part` more of its angular momentum, the same linear momentum.
    fn case(random: &mut Random, part: f64) -> (RootPair, SpatialMomentum) {
        let thrown = Thrown::new(random);
        let [before, now] = thrown.roots;
        let pair = RootPair::new((before, &thrown.before), (now, &thrown.now), STEP);
        let present = pair.momentum(Transform::IDENTITY);
        let more = part * present.angular.length() * random.vector().normalize();
        (pair, SpatialMomentum { angular: present.angular + more, linear: present.linear })
    }

    fn newton(damping: f64, iterations: usize) -> Newton {
        Newton { damping, iterations, ..Newton::default() }
    }

    fn median(mut counts: Vec<usize>) -> usize {
        counts.sort_unstable();
        counts[counts.len() / 2]
    }

    #[test]
    fn s15_the_momentum_of_the_root_is_that_of_the_steady_motions_of_the_bodies_summed() {
        let mut random = Random::new(15);
        for _ in 0..40 {
            let thrown = Thrown::new(&mut random);
            let [before, now] = thrown.roots;
            let found = RootPair::new((before, &thrown.before), (now, &thrown.now), STEP).momentum(Transform::IDENTITY);
            // Body by body from matrices: v_i = Ad_{G⁻¹} v_0 + u, transformed to the world, about the center of mass.
            let root = log_transform(before.inverse() * now) * (1.0 / STEP);
            let center = mass_center(&thrown.now);
            let mut truth = SpatialMomentum::default();
            for (was, is) in thrown.before.iter().zip(&thrown.now) {
                let place = |body: &BodyPose| Transform { rotation: body.rotation, position: body.center };
                let (g_before, g) = (before.inverse() * place(was), now.inverse() * place(is));
                let motion = g.inverse().twist(root) + log_transform(g_before.inverse() * g) * (1.0 / STEP);
                let (linear, omega) = (is.mass * (is.rotation * motion.linear), motion.angular);
                let spin = is.rotation * (is.inertia * omega);
                let angular = spin + (is.center - center).cross(linear);
                truth = truth + SpatialMomentum { angular, linear };
            }
            let error = found - truth;
            let size = truth.angular.length() + truth.linear.length();
            assert!(error.angular.length() + error.linear.length() <= 1e-12 * size, "{found:?} {truth:?}");
        }
    }

    #[test]
    fn s16_the_papers_jacobian_takes_at_most_30_iterations_and_the_exact_one_at_most_6() {
        let mut random = Random::new(26);
        let (mut source, mut exact) = (Vec::new(), Vec::new());
        for _ in 0..60 {
            let (pair, target) = case(&mut random, 0.5);
            for (jacobian, most, counts) in [(Jacobian::Source, 30, &mut source), (Jacobian::Exact, 6, &mut exact)] {
                let found = pair.solve(target, Transform::IDENTITY, &newton(1.0, 60), jacobian);
                let error = pair.momentum(found.by) - target;
                let limit = 1e-12 * target.angular.length().max(1.0);
                assert!(found.converged && found.iterations <= most, "{jacobian:?}: {found:?}");
                assert!(error.angular.length() + error.linear.length() < 4.0 * limit, "{jacobian:?}: {found:?}");
                counts.push(found.iterations);
            }
        }
        assert!(median(exact.clone()) <= 4 && median(source.clone()) > 2 * median(exact), "{source:?}");
    }

    #[test]
    fn s17_half_the_step_converges_linearly_stops_below_the_tolerance_and_reports_the_cap() {
        let mut random = Random::new(27);
        for _ in 0..20 {
            let (pair, target) = case(&mut random, 0.5);
            for jacobian in [Jacobian::Source, Jacobian::Exact] {
                let after = |cap| pair.solve(target, Transform::IDENTITY, &newton(0.5, cap), jacobian);
                for cap in 12..25 {
                    let ratio = after(cap + 1).residual / after(cap).residual;
                    let spread = if jacobian == Jacobian::Exact { 1e-3 } else { 0.25 };
                    assert!((ratio - 0.5).abs() < spread, "{jacobian:?} {cap}: {ratio}");
                    assert!(!after(cap).converged && after(cap).iterations == cap, "the cap is reported");
                }
                let whole = after(200);
                assert!(whole.converged && whole.residual <= 1e-12 * target.angular.length().max(1.0));
            }
        }
    }

    #[test]
    fn s18_the_mass_center_drifts_and_the_drift_is_reported() {
        let (mut random, mut largest) = (Random::new(28), 0.0);
        for _ in 0..60 {
            let thrown = Thrown::new(&mut random);
            let [before, now] = thrown.roots;
            let pair = RootPair::new((before, &thrown.before), (now, &thrown.now), STEP);
            let present = pair.momentum(Transform::IDENTITY);
            let target = SpatialMomentum { angular: present.angular * 1.5, ..present };
            let found = pair.solve(target, Transform::IDENTITY, &newton(1.0, 60), Jacobian::Exact);
            let center = mass_center(&thrown.now);
            let moved: Vec<BodyPose> = thrown
                .now
                .iter()
                .map(|body| BodyPose { center: found.by.point(body.center - center) + center, ..*body })
                .collect();
            assert!(((mass_center(&moved) - center).length() - found.drift).abs() < 1e-14);
            largest = f64::max(largest, found.drift);
        }
        assert!(largest > 1e-3 && largest < 0.3, "the specification measured up to 0.11 m: {largest}");
    }

    #[test]
    fn the_series_is_the_inverse_of_the_right_jacobian_of_displacements() {
        let mut random = Random::new(29);
        for _ in 0..50 {
            let twist = Twist { angular: 0.8 * random.vector(), linear: random.vector() };
            let x = Twist { angular: random.vector(), linear: random.vector() };
            let moved = |e: f64| log_transform(exp_transform(twist) * exp_transform(x * e));
            let rate = (moved(1e-5) - moved(-1e-5)) * (1.0 / 2e-5);
            let off = right_jacobian_inverse(twist, x) - rate;
            assert!(off.angular.length() + off.linear.length() < 1e-8, "{off:?}");
        }
    }
}
