//! Newton step of a [`Swing`]: impulses and turns of a whole tree from the leaves to the root and back.
//!
//! ```text
//! δp = h δP̄/m,   δφ = h G δL̄      G = dexp(h L̄/I1)/I1 + (1/I3 − 1/I1) n' nᵀ of a top with the axis n, then n'
//!                                 G⁻¹ = (I + I')/2 − h/2 [L̄]×               of any other body, to second order
//! | M  K | | v |   | f + λ      |      λ = ½ δΛ,   v, ω = δp/h, δφ/h,   v + ω × a' = u of the joint
//! | H  J | | ω | = | τ + ā × λ |      J = G⁻¹ − h/4 Σ [Λ]× [a']×           stiffness of the tension
//!     K₁ = K + M [a']×,  H₁ = H − [ā]× M,  J₁ = J + H [a']× − [ā]× K₁
//!     λ = M_a u − β,     M_a = M − K₁ J₁⁻¹ H₁,   β = f − K₁ J₁⁻¹ (τ − ā × f)     seen by the parent: a mass at the joint
//! ```
//! The order is that of [`Pivot`](crate::rigid::tree), but the matrix is not symmetric: impulses act on the mean arms ā,
//! and velocities count at the arms a' of the end.

use glam::{DMat3, DVec3};

use super::{Link, Swing};
use crate::math::lane_rotation::LaneVector;
use crate::math::rotation::cross_matrix;
use crate::rigid::Body;
use crate::rigid::motion::{Momentum, vector};

/// Factors and right-hand side of a body.
#[derive(Clone, Debug)]
pub(super) struct Block {
    /// Blocks M, K, H and J of the subtree.
    inertia: [DMat3; 4],
    /// Matrices M_a, K₁, J₁⁻¹ H₁ and J₁⁻¹; of a free root M⁻¹, M⁻¹ K, H M⁻¹ and (J − H M⁻¹ K)⁻¹.
    factors: [DMat3; 4],
    /// Right-hand side f and τ, then β and J₁⁻¹ (τ − ā × f).
    right: [DVec3; 2],
    /// Velocity and angular velocity.
    velocity: [DVec3; 2],
}

impl Swing {
    /// Factors the matrix at the end of the last drift.
    pub(super) fn eliminate(&mut self, bodies: &[Body], h: f64) {
        self.count[0] += 1;
        let Self { links, blocks, .. } = self;
        blocks.iter_mut().for_each(|block| block.inertia = [DMat3::ZERO; 4]);
        for (place, link) in links.iter().enumerate() {
            let (rest, above) = blocks.split_at_mut(place + 1);
            let block = &mut rest[place];
            let body = &bodies[link.body];
            block.inertia[0] += diagonal(body.mass);
            block.inertia[3] += turn_inertia(body, link, h);
            if link.joint.is_none() {
                block.stand();
                continue;
            }
            let pull = link.impulse * (0.25 * h);
            block.inertia[3] -= cross_cross(pull, link.end[0]);
            block.hang(link);
            let Some(parent) = link.parent else { continue };
            let [m, k, n, j] = &mut above[parent - place - 1].inertia;
            let mass = block.factors[0];
            let right = times_cross(&mass, link.end[1]);
            *m += mass;
            *k -= right;
            *n += cross_times(link.mean[1], &mass);
            *j += cross_cross(pull, link.end[1]) - cross_times(link.mean[1], &right);
        }
    }

    /// Solves for the gaps and the missing angular momenta, and changes impulses and momenta of the middle.
    pub(super) fn solve(&mut self, h: f64) {
        self.count[1] += 1;
        let Self { links, blocks, .. } = self;
        for (link, block) in links.iter().zip(blocks.iter_mut()) {
            block.right = [DVec3::ZERO, link.missing];
        }
        for (place, link) in links.iter().enumerate().filter(|(_, link)| link.joint.is_some()) {
            let (rest, above) = blocks.split_at_mut(place + 1);
            let block = &mut rest[place];
            let ([f, t], [mass, push, _, inverse]) = (block.right, &block.factors);
            let turn = *inverse * (t - link.mean[0].cross(f));
            let force = f - *push * turn;
            if let Some(parent) = link.parent {
                let force = force + *mass * (link.gap / h);
                let right = &mut above[parent - place - 1].right;
                right[0] += force;
                right[1] += link.mean[1].cross(force);
            }
            block.right = [force, turn];
        }
        for place in (0..links.len()).rev() {
            let (rest, above) = links.split_at_mut(place + 1);
            let link = &mut rest[place];
            let parent = link.parent.map(|parent| (&mut above[parent - place - 1], blocks[parent].velocity));
            blocks[place].descend(link, parent, h);
        }
    }
}

impl Block {
    pub const NONE: Self = Self {
        inertia: [DMat3::ZERO; 4],
        factors: [DMat3::ZERO; 4],
        right: [DVec3::ZERO; 2],
        velocity: [DVec3::ZERO; 2],
    };

    /// Eliminates the body with the joint above it.
    fn hang(&mut self, link: &Link) {
        let [m, k, h, j] = self.inertia;
        let (a0, a1) = (link.mean[0], link.end[0]);
        let push = k + times_cross(&m, a1);
        let pull = h - cross_times(a0, &m);
        let inverse = (j + times_cross(&h, a1) - cross_times(a0, &push)).inverse();
        let turned = inverse * pull;
        self.factors = [m - push * turned, push, turned, inverse];
    }

    /// Eliminates a free root.
    fn stand(&mut self) {
        let [m, k, h, j] = self.inertia;
        let inverse = m.inverse();
        let carried = inverse * k;
        self.factors = [inverse, carried, h * inverse, (j - h * carried).inverse()];
    }

    /// Computes the velocity of the body from that of its parent, and applies the impulses of the joint between them.
    fn descend(&mut self, link: &mut Link, parent: Option<(&mut Link, [DVec3; 2])>, h: f64) {
        let turn = |link: &mut Link, by: DVec3| link.middle.angular = link.middle.angular.plus(lane(by));
        turn(link, link.missing);
        let [mass, push, turned, inverse] = &self.factors;
        if link.joint.is_none() {
            let [f, t] = self.right;
            let w = *inverse * (t - *turned * f);
            self.velocity = [*mass * f - *push * w, w];
            return;
        }
        let mut joint = -link.gap / h;
        if let Some((_, [v, w])) = &parent {
            joint += *v + w.cross(link.end[1]);
        }
        let w = self.right[1] - *turned * joint;
        self.velocity = [joint - w.cross(link.end[0]), w];
        let half = *mass * joint - self.right[0];
        // The arms turn as well.
        let moment = |side: usize, w: DVec3| {
            link.mean[side].cross(half) + (w * (0.25 * h)).cross(link.end[side]).cross(link.impulse)
        };
        if let Some((parent, [_, w])) = parent {
            parent.middle = parent.middle.minus(Momentum::from_vectors(half, moment(1, w)));
        }
        link.middle = link.middle.plus(Momentum::from_vectors(half, moment(0, w)));
        link.impulse += half * 2.0;
    }
}

/// The inertia G⁻¹ of a body for a turn over the step.
fn turn_inertia(body: &Body, link: &Link, h: f64) -> DMat3 {
    let spin = vector(link.middle.angular);
    let [before, after] = &link.turns;
    let [a, b, c] = body.moments.to_array();
    let is_equal = |a: f64, b: f64| (a - b).abs() <= SYMMETRIC * a;
    let axis = [(a, b, c, 2), (b, c, a, 0), (c, a, b, 1)].into_iter().find(|&(a, b, ..)| is_equal(a, b));
    let Some((across, _, along, axis)) = axis else {
        let tensor = |axes: &DMat3| *axes * DMat3::from_diagonal(body.moments) * axes.transpose();
        return (tensor(before) + tensor(after)) * 0.5 - cross_matrix(spin * (0.5 * h));
    };
    // Series of dexp⁻¹, and the inverse of a matrix changed by one product of two vectors.
    let turn = spin * (h / across);
    let z = turn.length_squared();
    let second = 1.0 / 12.0 + z * (1.0 / 720.0 + z / 30_240.0);
    let swung = (cross_matrix(turn * -0.5) + product(turn * second, turn) + diagonal(1.0 - z * second)) * across;
    let (n0, n1) = (before.col(axis), after.col(axis));
    let rolled = 1.0 / along - 1.0 / across;
    let (right, left) = (swung * n1, swung.transpose() * n0);
    swung - product(right * (rolled / (1.0 + rolled * n0.dot(right))), left)
}

/// Relative difference below which two moments count as equal.
const SYMMETRIC: f64 = 1e-9;

fn lane(v: DVec3) -> LaneVector<f64> {
    LaneVector::splat((), v)
}

fn diagonal(value: f64) -> DMat3 {
    DMat3::from_diagonal(DVec3::splat(value))
}

/// Product a bᵀ.
fn product(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

/// Product [a]× [b]×.
fn cross_cross(a: DVec3, b: DVec3) -> DMat3 {
    product(b, a) - diagonal(a.dot(b))
}

/// Product M [a]×.
fn times_cross(m: &DMat3, a: DVec3) -> DMat3 {
    let (x, y, z) = (m.x_axis, m.y_axis, m.z_axis);
    DMat3::from_cols(y * a.z - z * a.y, z * a.x - x * a.z, x * a.y - y * a.x)
}

/// Product [a]× M.
fn cross_times(a: DVec3, m: &DMat3) -> DMat3 {
    DMat3::from_cols(a.cross(m.x_axis), a.cross(m.y_axis), a.cross(m.z_axis))
}
