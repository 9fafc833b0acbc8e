//! Modes of a forest: a square root of its response to impulses, so that couplings of rows are products of short
//! vectors.
//!
//! ```text
//! u = H⁻¹ z,   H⁻¹ = W Wᵀ                         z impulses on bodies, joints hold
//!     P = D⁻¹ − D⁻¹ J_iᵀ K⁻¹ J_i D⁻¹ = N Nᵀ        response of a body if its parent does not move
//!     T = −D⁻¹ J_iᵀ K⁻¹ J_p                        motion of a body with its parent
//! the elimination reads   u_i = P z_i + T u_p,   z_p += Tᵀ z_i      so that
//!     W_i = [T W_p | N]                           columns: modes of all ancestors, then its own
//! ```
//! N has six columns less the rows of its joint: three for a ball joint, one for a hinge. A ragdoll of fifteen bodies
//! thus has about forty modes, with any number of contacts. D, K, J as in [`super`]; P is factored by pivoted Cholesky,
//! each pivot relative to its value in D⁻¹. Only requested bodies and their ancestors have modes.

use super::{Factors, Left, at, dot, forward};
use crate::rigid::forest::Forest;

/// Modes of the requested bodies. Buffers are reused.
#[derive(Clone, Debug, Default)]
pub struct Modes {
    /// Modes of each body; `None` if not requested.
    of: Vec<Option<Share>>,
    /// Columns of W, body after body.
    columns: Vec<[f64; 6]>,
    /// Number of modes of each tree.
    counts: Vec<usize>,
    /// Bodies on the path to a root.
    way: Vec<usize>,
}

/// Columns of one body.
#[derive(Clone, Copy, Debug)]
struct Share {
    /// End of its columns in `columns`.
    end: usize,
    /// Number of its columns.
    count: usize,
    /// Number of its own modes, which are the last columns.
    own: usize,
    /// Index of its own modes among those of its tree.
    place: usize,
}

impl Modes {
    /// Removes all modes.
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

    /// Modes of a body without joints, as columns of a lower triangle; call [`Self::add`] for it first.
    pub fn of_free(&self, body: usize) -> Option<&[[f64; 6]; 6]> {
        let share = self.of[body]?;
        self.columns[share.end - share.count..share.end].try_into().ok()
    }

    /// End of a body's modes among those of its tree; 0 if it has none.
    pub fn end(&self, body: usize) -> usize {
        self.of[body].map_or(0, |share| share.place + share.own)
    }

    /// Adds the modes of a body and its ancestors, from the factorization of its forest.
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

    /// Adds Wᵀ z of an impulse on a body to `flow`, the modes of its tree. Call [`Self::add`] for the body first.
    pub fn add_impulse(&self, forest: &Forest, (body, impulse): (usize, &[f64; 6]), flow: &mut [f64]) {
        self.each(forest, body, |mode, column| flow[mode] += dot(column, impulse));
    }

    /// Velocity W q of a body, from the modes of its tree.
    pub fn velocity(&self, forest: &Forest, body: usize, flow: &[f64]) -> [f64; 6] {
        let mut velocity = [0.0; 6];
        self.each(forest, body, |mode, column| {
            for (sum, value) in velocity.iter_mut().zip(column) {
                *sum += value * flow[mode];
            }
        });
        velocity
    }

    /// Calls `found` with index and column of every mode of a body, its own modes first.
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
    /// Velocity T u of a body that follows its parent.
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

    /// Adds the columns of N to `columns`; returns their number.
    fn alone(&self, body: usize, columns: &mut Vec<[f64; 6]>) -> usize {
        if self.pivots[body].left != Left::Rows {
            let before = columns.len();
            self.pivots[body].each_alone(|column| columns.push(column));
            return columns.len() - before;
        }
        if self.links[body].count == 0 {
            return self.unjoined(body, columns);
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

    /// Adds the columns of N of a body without a joint: D⁻¹ = L⁻ᵀ Δ⁻¹ L⁻¹ is a square already.
    fn unjoined(&self, body: usize, columns: &mut Vec<[f64; 6]>) -> usize {
        let (factor, inverse) = (&self.nodes[body].factor, self.inverse_of_factor(body));
        columns.extend((0..6).map(|k| {
            let scale = libm::sqrt(factor[at(k, k)]);
            core::array::from_fn(|i| inverse[i][k] * scale)
        }));
        6
    }

    /// L⁻¹ of the factor of D, column by column: zero above its diagonal.
    fn inverse_of_factor(&self, body: usize) -> [[f64; 6]; 6] {
        let mut inverse = [[0.0; 6]; 6];
        for (k, row) in inverse.iter_mut().enumerate() {
            row[k] = 1.0;
            forward::<f64, 6>(&self.nodes[body].factor, row);
        }
        inverse
    }

    /// Matrix P of a body, and the reciprocals of the diagonal of its D⁻¹.
    fn answer_alone(&self, body: usize) -> ([[f64; 6]; 6], [f64; 6]) {
        let (factor, link) = (&self.nodes[body].factor, &self.links[body]);
        let inverse = self.inverse_of_factor(body);
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

/// Share of its response without the joint below which a direction is locked by the joint.
const REPEATED: f64 = 1e-11;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::random::Random;
    use crate::rigid::joint::Joint;
    use crate::rigid::rattle::Rattle;
    use crate::rigid::specimens::Specimen;

    /// Modal impulse Wᵀ z of an impulse on a body, over all modes of its tree.
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
            // Some joints are compliant.
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
