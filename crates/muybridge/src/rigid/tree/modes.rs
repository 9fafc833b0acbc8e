//! The square root of a forest's answer to impulses: what rows do to one another as products of short vectors.
//!
//! ```text
//! u = H⁻¹ z,   H⁻¹ = W Wᵀ                         z impulses on bodies, joints hold
//!     P = D⁻¹ − D⁻¹ J_iᵀ K⁻¹ J_i D⁻¹ = N Nᵀ        what a body does where the one above stands still
//!     T = −D⁻¹ J_iᵀ K⁻¹ J_p                        what it does with the one above
//! the elimination reads   u_i = P z_i + T u_p,   z_p += Tᵀ z_i      so that
//!     W_i = [T W_p | N]                           columns: the modes of all above, then its own
//! ```
//! N has six columns less the rows of its joint: a ball has three, a hinge one. So a ragdoll of fifteen bodies has about forty modes,
//! whatever touches it. D, K, J as in [`super`]; P by Cholesky's method with pivots, each measured by what it was in D⁻¹.
//! Only bodies that are asked for have modes, and what they hang on.

use super::{Factors, Left, at, dot, forward};
use crate::rigid::forest::Forest;

/// Modes of the bodies that were asked for. Keeps its memory.
#[derive(Clone, Debug, Default)]
pub struct Modes {
    /// By body.
    of: Vec<Option<Share>>,
    /// Columns of W, body after body.
    columns: Vec<[f64; 6]>,
    /// Number of modes of each tree.
    counts: Vec<usize>,
    /// Bodies on the way to a root.
    way: Vec<usize>,
}

/// A body's part.
#[derive(Clone, Copy, Debug)]
struct Share {
    /// Behind the last of its columns.
    end: usize,
    /// Number of its columns.
    count: usize,
    /// How many of them, the last, are its own.
    own: usize,
    /// Where its own stand among the modes of its tree.
    place: usize,
}

impl Modes {
    /// Forgets all modes.
    pub fn clear(&mut self, forest: &Forest) {
        self.of.clear();
        self.of.resize(forest.tree.len(), None);
        self.columns.clear();
        self.counts.clear();
        self.counts.resize(forest.trees, 0);
    }

    /// Number of modes of a tree so far.
    pub fn count(&self, tree: usize) -> usize {
        self.counts[tree]
    }

    /// Behind the last mode of a body among those of its tree; 0 where it has none.
    pub fn end(&self, body: usize) -> usize {
        self.of[body].map_or(0, |share| share.place + share.own)
    }

    /// Makes the modes of a body and of all above it, by factors of its forest.
    pub fn add(&mut self, factors: &Factors<f64>, forest: &Forest, body: usize) {
        self.way.clear();
        let mut next = Some(body);
        while let Some(body) = next.filter(|&body| self.of[body].is_none()) {
            self.way.push(body);
            next = forest.parent[body];
        }
        while let Some(body) = self.way.pop() {
            self.grow(factors, forest, body);
        }
    }

    fn grow(&mut self, factors: &Factors<f64>, forest: &Forest, body: usize) {
        let above = forest.parent[body].and_then(|parent| self.of[parent]);
        let (end, count) = above.map_or((0, 0), |above| (above.end, above.count));
        for column in end - count..end {
            self.columns.push(factors.carried(body, &self.columns[column]));
        }
        let own = factors.alone(body, &mut self.columns);
        let place = &mut self.counts[forest.tree[body]];
        self.of[body] = Some(Share { end: self.columns.len(), count: count + own, own, place: *place });
        *place += own;
    }

    /// Adds Wᵀ z of an impulse on a body to `flow`, the modes of its tree. [`Self::add`] was called for the body.
    pub fn add_impulse(&self, forest: &Forest, (body, impulse): (usize, &[f64; 6]), flow: &mut [f64]) {
        self.each(forest, body, |mode, column| flow[mode] += dot(column, impulse));
    }

    /// Velocity of a body by the modes of its tree: W q.
    pub fn velocity(&self, forest: &Forest, body: usize, flow: &[f64]) -> [f64; 6] {
        let mut velocity = [0.0; 6];
        self.each(forest, body, |mode, column| {
            for (sum, value) in velocity.iter_mut().zip(column) {
                *sum += value * flow[mode];
            }
        });
        velocity
    }

    /// Calls `found` with place and column of every mode of a body, its own first.
    #[inline(always)]
    fn each(&self, forest: &Forest, body: usize, mut found: impl FnMut(usize, &[f64; 6])) {
        let Some(mut end) = self.of[body].map(|share| share.end) else { return };
        let mut next = Some(body);
        while let Some((body, share)) = next.and_then(|body| self.of[body].map(|share| (body, share))) {
            let columns = &self.columns[end - share.own..end];
            for (index, column) in columns.iter().enumerate() {
                found(share.place + index, column);
            }
            end -= share.own;
            next = forest.parent[body];
        }
    }
}

impl Factors<f64> {
    /// T u: the velocity of a body by that of the one it hangs on.
    fn carried(&self, body: usize, above: &[f64; 6]) -> [f64; 6] {
        if self.pivots[body].left != Left::Rows {
            return self.pivots[body].carried(above);
        }
        let link = &self.links[body];
        let mut velocity = [0.0; 6];
        for row in 0..link.count {
            let multiplier = -dot(&link.answer[row], above);
            for (sum, value) in velocity.iter_mut().zip(&link.response[row]) {
                *sum += value * multiplier;
            }
        }
        velocity
    }

    /// Adds the columns of N to `columns`; returns how many.
    fn alone(&self, body: usize, columns: &mut Vec<[f64; 6]>) -> usize {
        if self.pivots[body].left != Left::Rows {
            let before = columns.len();
            self.pivots[body].each_alone(|column| columns.push(column));
            return columns.len() - before;
        }
        let (mut rest, free) = self.answer_alone(body);
        for number in 0..6 {
            let share = |&i: &usize| rest[i][i] * free[i];
            let best = (1..6).fold(0, |best, i| if share(&i) > share(&best) { i } else { best });
            let pivot = rest[best][best];
            if pivot.is_nan() || share(&best) <= REPEATED {
                return number;
            }
            let scale = 1.0 / libm::sqrt(pivot);
            let column = rest[best].map(|value| value * scale);
            for i in 0..6 {
                for j in 0..6 {
                    rest[i][j] -= column[i] * column[j];
                }
            }
            columns.push(column);
        }
        6
    }

    /// P of a body, and the reciprocals of the diagonal of its D⁻¹.
    fn answer_alone(&self, body: usize) -> ([[f64; 6]; 6], [f64; 6]) {
        let (factor, link) = (&self.nodes[body].factor, &self.links[body]);
        let mut inverse = [[0.0; 6]; 6];
        for (k, row) in inverse.iter_mut().enumerate() {
            row[k] = 1.0;
            forward::<f64, 6>(factor, row);
        }
        // inverse[j] is column j of L⁻¹: zero above its diagonal.
        let mut answer = [[0.0; 6]; 6];
        for i in 0..6 {
            for j in 0..=i {
                answer[i][j] = (i..6).map(|k| inverse[i][k] * inverse[j][k] * factor[at(k, k)]).sum();
            }
        }
        let free = core::array::from_fn(|i| 1.0 / answer[i][i]);
        let mut halfway = link.response;
        for row in 1..link.count {
            for before in 0..row {
                let (known, value) = (halfway[before], link.factor[at(row, before)]);
                for column in 0..6 {
                    halfway[row][column] -= value * known[column];
                }
            }
        }
        for (row, halfway) in halfway.iter().enumerate().take(link.count) {
            let scale = link.factor[at(row, row)];
            for i in 0..6 {
                for j in 0..=i {
                    answer[i][j] -= halfway[i] * halfway[j] * scale;
                }
            }
        }
        for i in 0..6 {
            for j in 0..i {
                answer[j][i] = answer[i][j];
            }
        }
        (answer, free)
    }
}

/// Share of what a body would do without its joint below which a direction is one that the joint holds.
const REPEATED: f64 = 1e-11;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::random::Random;
    use crate::rigid::joint::Joint;
    use crate::rigid::rattle::Rattle;
    use crate::rigid::specimens::Specimen;

    /// Wᵀ z of an impulse on a body, among all modes of its tree.
    fn flow(modes: &Modes, forest: &Forest, impulse: (usize, &[f64; 6])) -> Vec<f64> {
        let mut flow = vec![0.0; modes.count(forest.tree[impulse.0])];
        modes.add_impulse(forest, impulse, &mut flow);
        flow
    }

    #[test]
    fn modes_answer_an_impulse_as_the_tree_does() {
        let mut random = Random::new(31);
        for case in 0..40 {
            let specimen = Specimen::random_tree(2 + case % 12, &mut random);
            let (mechanism, forest) = (specimen.mechanism(), &specimen.forest);
            let mut rattle = Rattle::new(0.0, mechanism);
            // Some joints give.
            let softness = |joint: usize| if joint.is_multiple_of(3) { 0.1 * (case % 2) as f64 } else { 0.0 };
            rattle.factor_soft(mechanism, &specimen.poses, &Joint::guide, &softness);
            let mut modes = Modes::default();
            modes.clear(forest);
            (0..specimen.bodies.len()).for_each(|body| modes.add(&rattle.factors, forest, body));
            for body in 0..specimen.bodies.len() {
                let impulse = core::array::from_fn(|_| random.unit() - 0.5);
                rattle.respond(mechanism, 0, [Some((body, impulse)), None]);
                let flow = flow(&modes, forest, (body, &impulse));
                for (other, node) in rattle.factors.nodes.iter().enumerate() {
                    for (a, b) in modes.velocity(forest, other, &flow).iter().zip(&node.velocity) {
                        assert!((a - b).abs() < 1e-9 * (1.0 + b.abs()), "{case}: {body} on {other}, {a} {b}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_tree_has_as_many_modes_as_ways_to_move() {
        let mut random = Random::new(32);
        for _ in 0..20 {
            let specimen = Specimen::random_tree(15, &mut random);
            let mut rattle = Rattle::new(0.0, specimen.mechanism());
            rattle.factor(specimen.mechanism(), &specimen.poses, &Joint::guide, 1.0);
            let mut modes = Modes::default();
            modes.clear(&specimen.forest);
            (0..15).for_each(|body| modes.add(&rattle.factors, &specimen.forest, body));
            let held: usize = specimen.joints.iter().map(Joint::rows).sum();
            assert_eq!(modes.count(0), 6 * 15 - held);
        }
    }
}
