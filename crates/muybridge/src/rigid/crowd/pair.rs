//! Contacts between two bodies of one tree.
//!
//! ```text
//! w = v_a(x) − v_b(x),     n · w ≥ −gap/h,   ‖λ_t‖ ≤ μ λ_n
//! λ −= (w − target)/(n·W_a n + n·W_b n)       without the part that reaches one body from the other through the tree
//! ```
//! The traversal visits both bodies in every iteration and solves the contact at each. The part of the response that is
//! left out comes with the traversal, so the impulses converge to those of the exact response. Specification:
//! mathematics 4.7, 4.9 (J31), 4.10 (H24).

use super::rows::at;
use crate::math::lane_rotation::LaneVector;
use crate::math::lanes::Lanes;
use crate::rigid::tree::{Answer, LEAST, six};

/// Contact between two bodies that is near in at least one lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct LanePair<V> {
    pub bodies: [usize; 2],
    /// 1 in lanes in which the contact is near, otherwise 0.
    pub near: V,
    /// Vectors from the centers of mass of the bodies to the contact, meters.
    pub arms: [LaneVector<V>; 2],
    /// Normal, toward the first body, and two tangents.
    pub directions: [LaneVector<V>; 3],
    pub friction: f64,
    pub target: V,
    pub impulse: [V; 3],
    /// Part of the impulse that the momenta have received.
    pub given: [V; 3],
    /// Relative normal velocity per unit normal impulse, and its reciprocal.
    normal: [V; 2],
    /// Reciprocal of the greatest tangential response to a tangential impulse.
    tangent: V,
}

impl<V: Lanes> LanePair<V> {
    /// Contact without responses; [`Self::answer`] computes them.
    #[inline(always)]
    pub fn new(
        bodies: [usize; 2],
        near: V,
        (arms, directions): ([LaneVector<V>; 2], [LaneVector<V>; 3]),
        friction: f64,
        (target, impulse): (V, [V; 3]),
    ) -> Self {
        let zero = near.like(0.0);
        let (normal, given) = ([zero; 2], [zero; 3]);
        Self { bodies, near, arms, directions, friction, target, impulse, given, normal, tangent: zero }
    }

    /// Impulse that the momenta have not received yet.
    #[inline(always)]
    pub fn not_given(&self) -> [V; 3] {
        let mut rest = self.impulse;
        for i in 0..3 {
            rest[i] = rest[i] - self.given[i];
        }
        rest
    }

    /// Impulse and angular impulse on one of the bodies.
    #[inline(always)]
    pub fn wrench(&self, side: usize, impulse: &[V; 3]) -> [V; 6] {
        let [n, s, t] = self.directions;
        let push = n.scaled(impulse[0]).plus(s.scaled(impulse[1])).plus(t.scaled(impulse[2]));
        let push = if side == 0 { push } else { -push };
        six(push, self.arms[side].cross(push))
    }

    /// Computes the responses to impulses at the contact.
    #[inline(always)]
    pub fn answer(&mut self, answers: [&Answer<V>; 2]) {
        let zero = self.near.like(0.0);
        let [n, s, t] = self.directions;
        let (mut normal, mut a, mut b, mut c) = (zero, zero, zero, zero);
        for (answer, arm) in answers.into_iter().zip(self.arms) {
            let by = |direction: LaneVector<V>| at(&answer.by(&six(direction, arm.cross(direction))), arm);
            let (by_first, by_second) = (by(s), by(t));
            normal = normal + n.dot(by(n));
            (a, b, c) = (a + s.dot(by_first), b + s.dot(by_second), c + t.dot(by_second));
        }
        let one = zero.like(1.0);
        self.normal = [normal, one / normal.greatest(zero.like(LEAST))];
        let (mean, half) = ((a + c) * 0.5, (a - c) * 0.5);
        let most = mean + (half * half + b * b).sqrt();
        self.tangent = one / most.greatest(zero.like(LEAST));
    }

    /// Solves the contact. Returns the impulse along the directions, and the change of the relative velocity.
    #[inline(always)]
    pub fn solve(&mut self, velocities: [&[V; 6]; 2], (live, beyond): (V, f64)) -> ([V; 3], V) {
        let zero = self.near.like(0.0);
        let gate = self.near * live;
        let [n, s, t] = self.directions;
        let point = at(velocities[0], self.arms[0]).minus(at(velocities[1], self.arms[1]));
        let [ln, ls, lt] = self.impulse;
        let dn = ((ln + (self.target - n.dot(point)) * (self.normal[1] * beyond)).greatest(zero) - ln) * gate;
        let pressing = ln + dn;
        let (s1, t1) = (ls - self.tangent * s.dot(point), lt - self.tangent * t.dot(point));
        let most = pressing * self.friction;
        let length = (s1 * s1 + t1 * t1).sqrt();
        let scale = V::select(most.is_below(length), most / length.greatest(zero.like(LEAST)), zero.like(1.0));
        let (ds, dt) = ((s1 * scale - ls) * gate, (t1 * scale - lt) * gate);
        self.impulse = [pressing, ls + ds, lt + dt];
        ([dn, ds, dt], (dn.abs() + ds.abs() + dt.abs()) * self.normal[0])
    }
}
