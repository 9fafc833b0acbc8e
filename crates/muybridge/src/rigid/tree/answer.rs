//! Response of each body of a tree to an impulse on itself: the diagonal blocks of H⁻¹, from the root to the leaves.
//!
//! ```text
//! u_i = W_i z_i,   W_i = P_i + T_i W_p T_iᵀ          P, T as in `modes`
//! at the point of a joint   v' = v + ω × a:   ⟨ω v'⟩ = ⟨ω v⟩ + ⟨ω ω⟩ × a,   ⟨v' v'⟩ = ⟨v v'⟩ + ⟨ω v'⟩ᵀ × a
//! ball                      ⟨ω v⟩ = −U ⟨v v⟩,   ⟨ω ω⟩ = U ⟨v v⟩ Uᵀ + J'⁻¹
//! ```
//! W can be read as the covariance ⟨u uᵀ⟩ of velocities due to random impulses, so it transforms to another point as
//! velocities do. With these blocks and [`Pivot::passed_on`] a change goes from body to neighbor in a hundred
//! operations. A traversal of the tree thus solves every contact with the exact velocity due to all impulses so far.
//! Specification: mathematics 4.4, 4.6, 4.10; Mirtich 1996 for the traversal.

use super::pivot::{Left, Pivot, columns, halves, symmetric};
use super::{Factors, at, backward, elements, forward, scale, six};
use crate::math::lane_rotation::LaneVector;
use crate::math::lanes::Lanes;
use crate::rigid::forest::Forest;

/// Response W of a body: velocity of the center of mass and angular velocity due to an impulse there.
#[derive(Clone, Copy, Debug)]
pub struct Answer<V> {
    /// Block ⟨v v⟩ by rows.
    linear: [V; 6],
    /// Block ⟨ω v⟩ by rows.
    both: [LaneVector<V>; 3],
    /// Block ⟨ω ω⟩ by rows.
    angular: [V; 6],
}

impl<V: Lanes> Answer<V> {
    /// Response of a fixed body: zero.
    pub fn none(zero: V) -> Self {
        let none = LaneVector { x: zero, y: zero, z: zero };
        Self { linear: [zero; 6], both: [none; 3], angular: [zero; 6] }
    }

    /// Velocity W z due to an impulse z.
    #[inline(always)]
    pub fn by(&self, z: &[V; 6]) -> [V; 6] {
        let (force, moment) = halves(z);
        let [a, b, c] = self.both;
        let v = symmetric(&self.linear, force);
        let v = v.plus(a.scaled(moment.x)).plus(b.scaled(moment.y)).plus(c.scaled(moment.z));
        let w = symmetric(&self.angular, moment);
        six(v, LaneVector { x: w.x + a.dot(force), y: w.y + b.dot(force), z: w.z + c.dot(force) })
    }

    /// Transforms the response to the velocity v + ω × arm instead of v.
    #[inline(always)]
    fn moved(&self, arm: LaneVector<V>) -> Self {
        let [k, l, m] = columns(&self.angular);
        let [a, b, c] = self.both;
        // The columns of ⟨ω v⟩ are the covariances of v with ω.
        let (x, y, z) = (
            LaneVector { x: a.x, y: b.x, z: c.x }.cross(arm),
            LaneVector { x: a.y, y: b.y, z: c.y }.cross(arm),
            LaneVector { x: a.z, y: b.z, z: c.z }.cross(arm),
        );
        let (a, b, c) = (a.plus(k.cross(arm)), b.plus(l.cross(arm)), c.plus(m.cross(arm)));
        let (u, v, w) = (
            LaneVector { x: a.x, y: b.x, z: c.x }.cross(arm),
            LaneVector { x: a.y, y: b.y, z: c.y }.cross(arm),
            LaneVector { x: a.z, y: b.z, z: c.z }.cross(arm),
        );
        let more = [x.x + u.x, y.x + u.y, y.y + v.y, z.x + u.z, z.y + v.z, z.z + w.z];
        let mut linear = self.linear;
        for place in 0..6 {
            linear[place] = linear[place] + more[place];
        }
        Self { linear, both: [a, b, c], angular: self.angular }
    }

    /// Response of a free root, from the factors of its block D.
    #[inline(always)]
    fn of_root(factor: &[V; 21]) -> Self {
        let zero = factor[0].like(0.0);
        let mut rows = [[zero; 6]; 6];
        for (k, row) in rows.iter_mut().enumerate() {
            row[k] = zero.like(1.0);
            forward::<V, 6>(factor, row);
            scale::<V, 6>(factor, row);
            backward::<V, 6>(factor, row);
        }
        let [a, b, c, d, e, f] = rows;
        Self {
            linear: [a[0], b[0], b[1], c[0], c[1], c[2]],
            both: [halves(&d).0, halves(&e).0, halves(&f).0],
            angular: [d[3], e[3], e[4], f[3], f[4], f[5]],
        }
    }
}

impl<V: Lanes> Pivot<V> {
    /// Response of the body, from that of its parent.
    #[inline(always)]
    fn answer(&self, above: &Answer<V>) -> Answer<V> {
        let mut answer = above.moved(self.above);
        if self.left == Left::Ball {
            let (k, l, m) = (
                symmetric(&answer.linear, self.turn[0]),
                symmetric(&answer.linear, self.turn[1]),
                symmetric(&answer.linear, self.turn[2]),
            );
            let [d0, l10, d1, l20, l21, d2] = self.inertia;
            let (p, q) = (l10 * l21 - l20, l10 * d1);
            let [u0, u1, u2] = self.turn;
            answer.both = [-k, -l, -m];
            answer.angular = [
                k.dot(u0) + (d0 + l10 * q + p * p * d2),
                l.dot(u0) - (q + l21 * p * d2),
                l.dot(u1) + (d1 + l21 * l21 * d2),
                m.dot(u0) + p * d2,
                m.dot(u1) - l21 * d2,
                m.dot(u2) + d2,
            ];
        } else {
            let (free, factor) = (self.axis.free, self.axis.factor);
            let [v, w] = self.axis.response;
            let [a, b, c] = answer.both;
            let felt = symmetric(&answer.linear, v).plus(a.scaled(w.x)).plus(b.scaled(w.y)).plus(c.scaled(w.z));
            let turned = symmetric(&answer.angular, w);
            let turned = LaneVector { x: turned.x + a.dot(v), y: turned.y + b.dot(v), z: turned.z + c.dot(v) };
            let spread = factor * factor * (v.dot(felt) + w.dot(turned)) + factor;
            let (felt, turned) = (felt.scaled(factor), elements(turned.scaled(factor)));
            answer.both = [a.minus(felt.scaled(free.x)), b.minus(felt.scaled(free.y)), c.minus(felt.scaled(free.z))];
            let s = elements(free);
            for i in 0..3 {
                for j in 0..=i {
                    let more = spread * s[i] * s[j] - (s[i] * turned[j] + turned[i] * s[j]);
                    answer.angular[at(i, j)] = answer.angular[at(i, j)] + more;
                }
            }
        }
        answer.moved(-self.own)
    }
}

impl<V: Lanes> Factors<V> {
    /// Responses of every body of a forest whose joints are all pivots.
    #[inline(always)]
    pub fn answers(&self, forest: &Forest, answers: &mut [Answer<V>]) {
        self.zero.within(
            #[inline(always)]
            || {
                for &body in forest.order.iter().rev() {
                    answers[body] = match (forest.hangs_by[body], forest.parent[body]) {
                        (None, _) => Answer::of_root(&self.nodes[body].factor),
                        (_, Some(parent)) => self.pivots[body].answer(&answers[parent]),
                        (_, None) => self.pivots[body].answer(&Answer::none(self.zero)),
                    };
                }
            },
        );
    }

    /// Impulse on the parent due to an impulse on `body`, and the velocity of `body` if the parent does not move.
    #[inline(always)]
    pub fn passed_on(&self, body: usize, z: &[V; 6]) -> ([V; 6], [V; 6]) {
        self.pivots[body].passed_on(z)
    }

    /// Velocity of a body that follows its parent, with no impulse on the body.
    #[inline(always)]
    pub fn follows(&self, body: usize, above: &[V; 6]) -> [V; 6] {
        self.pivots[body].carried(above)
    }

    /// Whether the joint above a body is solved by its rows.
    pub fn has_rows(&self, forest: &Forest, body: usize) -> bool {
        forest.hangs_by[body].is_some() && self.pivots[body].left == Left::Rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::random::Random;
    use crate::rigid::joint::{Joint, Kind};
    use crate::rigid::rattle::Rattle;
    use crate::rigid::specimens::Specimen;

    #[test]
    fn a_walk_of_the_tree_answers_an_impulse_as_the_tree_does() {
        let mut random = Random::new(41);
        for case in 0..40 {
            let mut specimen = Specimen::random_tree(2 + case % 12, &mut random);
            for (index, joint) in specimen.joints.iter_mut().enumerate() {
                joint.kind = if index % 3 == 1 { Kind::Hinge } else { Kind::Ball };
            }
            let (mechanism, forest) = (specimen.mechanism(), &specimen.forest);
            let mut rattle = Rattle::new(0.0, mechanism);
            rattle.factor(mechanism, &specimen.poses, &Joint::guide, 1.0);
            let bodies = specimen.bodies.len();
            assert!((0..bodies).all(|body| !rattle.factors.has_rows(forest, body)));
            let mut answers = vec![Answer::none(0.0); bodies];
            rattle.factors.answers(forest, &mut answers);
            for body in 0..bodies {
                let impulse: [f64; 6] = core::array::from_fn(|_| random.unit() - 0.5);
                rattle.respond(mechanism, 0, [Some((body, impulse)), None]);
                let close = |a: &[f64; 6], b: &[f64; 6]| {
                    for (a, b) in a.iter().zip(b) {
                        assert!((a - b).abs() < 1e-9 * (1.0 + b.abs()), "{case}: {body}, {a} {b}");
                    }
                };
                close(&answers[body].by(&impulse), &rattle.factors.nodes[body].velocity);
                // To the parent, and back to its other child.
                let Some(parent) = forest.parent[body] else { continue };
                let (above, alone) = rattle.factors.passed_on(body, &impulse);
                let felt = answers[parent].by(&above);
                close(&felt, &rattle.factors.nodes[parent].velocity);
                let follows = rattle.factors.follows(body, &felt);
                let back = core::array::from_fn(|i| follows[i] + alone[i]);
                close(&back, &rattle.factors.nodes[body].velocity);
                for other in (0..bodies).filter(|&other| forest.parent[other] == Some(parent) && other != body) {
                    close(&rattle.factors.follows(other, &felt), &rattle.factors.nodes[other].velocity);
                }
            }
        }
    }
}
