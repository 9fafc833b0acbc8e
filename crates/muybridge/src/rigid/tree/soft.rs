//! Soft rows of a joint that is eliminated as a pivot: springs and dampers on its free rotations.
//!
//! ```text
//! λ_k = (c_k − a_k · (ω − ω_p))/Γ_k        moment on the body  b − C (ω − ω_p),   C = Σ a_k a_kᵀ/Γ_k,   b = Σ a_k c_k/Γ_k
//! ball     X = (J' + C)⁻¹,  U = X H',  W = X C        M_a = M − H'ᵀ U,   K_a = C U,   J_a = J' W
//!          up   β = (F − Uᵀ (m + b) − M_a ĉ,  Wᵀ (m + b) − b − K_a ĉ)        down  ω = X (m + b) − U v + W ω_p
//! hinge    d = sᵀ J' s + c                            otherwise as without, with s · m + b in place of s · m
//! ```
//! Symbols as in [`super::pivot`]. The joint costs hardly more than without soft rows. Specification: mathematics 4.5.1,
//! 4.6.

use super::pivot::{ArticulatedInertia, Left, Pivot, symmetric};
use super::{Factors, elements};
use crate::math::lane_rotation::LaneVector;
use crate::math::lanes::Lanes;
use crate::rigid::joint::MOST_ROWS;

/// Soft rows of a pivot, with the matrices by which a ball joint passes rotation on to its parent.
#[derive(Clone, Debug)]
pub(super) struct SoftPivot<V> {
    /// Whether the rows act in the present factorization.
    pub is_used: bool,
    /// Number of rows: 3 of a ball joint, 1 of a hinge.
    count: usize,
    /// Axes a.
    axes: [LaneVector<V>; 3],
    /// Reciprocals 1/Γ.
    stiffness: [V; 3],
    /// Right-hand sides c.
    asked: [V; 3],
    /// Matrix C by rows of its lower triangle; c of a hinge first.
    pub damping: [V; 6],
    /// Matrix W by rows.
    turned: [LaneVector<V>; 3],
    /// Matrix K_a by rows.
    both: [LaneVector<V>; 3],
}

impl<V: Lanes> SoftPivot<V> {
    /// No rows.
    fn none(zero: V) -> Self {
        let axes = [LaneVector { x: zero, y: zero, z: zero }; 3];
        Self {
            is_used: false,
            count: 0,
            axes,
            stiffness: [zero; 3],
            asked: [zero; 3],
            damping: [zero; 6],
            turned: axes,
            both: axes,
        }
    }

    /// Moment b about the pivot due to the right-hand sides in `asked`, of which the last `count` belong to soft rows
    /// behind `rigid` others.
    #[inline(always)]
    pub fn ask(&mut self, asked: &[V; MOST_ROWS], (rigid, sign): (usize, f64)) -> LaneVector<V> {
        let mut sum = self.axes[0].times(0.0);
        for row in 0..self.count {
            self.asked[row] = asked[rigid + row];
            sum = sum.plus(self.axes[row].scaled(self.stiffness[row] * self.asked[row]));
        }
        sum.times(sign)
    }

    /// Resets the right-hand sides to zero.
    pub fn rest(&mut self) {
        self.asked = [self.damping[0].like(0.0); 3];
    }

    /// Writes the multipliers behind `rigid` others, for a relative angular velocity.
    #[inline(always)]
    pub fn answer(&self, turn: LaneVector<V>, (rigid, sign): (usize, f64), multipliers: &mut [V; MOST_ROWS]) {
        for row in 0..self.count {
            let rate = self.axes[row].dot(turn) * sign;
            multipliers[rigid + row] = (self.asked[row] - rate) * self.stiffness[row];
        }
    }

    /// Writes the rates of the rows behind `rigid` others.
    #[inline(always)]
    pub fn rate(&self, turn: LaneVector<V>, rigid: usize, rates: &mut [V; MOST_ROWS]) {
        for row in 0..self.count {
            rates[rigid + row] = self.axes[row].dot(turn);
        }
    }

    /// Moment on the joint's child of the multipliers behind `rigid` others.
    #[inline(always)]
    pub fn moment(&self, multipliers: &[V; MOST_ROWS], rigid: usize) -> LaneVector<V> {
        let mut sum = self.axes[0].times(0.0);
        for row in 0..self.count {
            sum = sum.plus(self.axes[row].scaled(multipliers[rigid + row]));
        }
        sum
    }

    /// Product W ω: rotation of a body of a ball joint with its parent.
    #[inline(always)]
    pub fn follow(&self, w: LaneVector<V>) -> LaneVector<V> {
        let [a, b, c] = self.turned;
        LaneVector { x: a.dot(w), y: b.dot(w), z: c.dot(w) }
    }

    /// Product Wᵀ m: moment that a ball joint passes on to the parent.
    #[inline(always)]
    pub fn pass(&self, m: LaneVector<V>) -> LaneVector<V> {
        let [a, b, c] = self.turned;
        a.scaled(m.x).plus(b.scaled(m.y)).plus(c.scaled(m.z))
    }

    /// Product K_a v.
    #[inline(always)]
    pub fn turn_of(&self, v: LaneVector<V>) -> LaneVector<V> {
        let [a, b, c] = self.both;
        LaneVector { x: a.dot(v), y: b.dot(v), z: c.dot(v) }
    }

    /// Product K_aᵀ ω.
    #[inline(always)]
    pub fn push_of(&self, w: LaneVector<V>) -> LaneVector<V> {
        let [a, b, c] = self.both;
        a.scaled(w.x).plus(b.scaled(w.y)).plus(c.scaled(w.z))
    }

    /// Articulated inertia of a ball joint, from its factored pivot and J' without damping. `solved` multiplies by X.
    #[inline(always)]
    pub fn eliminate(
        &mut self,
        (mass, across): (&[V; 6], &[LaneVector<V>; 3]),
        bare: &[V; 6],
        solved: impl Fn(LaneVector<V>) -> LaneVector<V>,
    ) -> ArticulatedInertia<V> {
        let c = &self.damping;
        let columns = super::pivot::columns(c).map(solved);
        let [a, b, d] = columns.map(elements);
        self.turned = [0, 1, 2].map(|i| LaneVector { x: a[i], y: b[i], z: d[i] });
        let [u, v, w] = *across;
        self.both = super::pivot::columns(c).map(|row| u.scaled(row.x).plus(v.scaled(row.y)).plus(w.scaled(row.z)));
        let [x, y, z] = columns.map(|column| symmetric(bare, column));
        let turn = [x.x, y.x, y.y, z.x, z.y, z.z];
        ArticulatedInertia { mass: *mass, both: self.both, turn }
    }
}

impl<V: Lanes> Factors<V> {
    /// Adds soft rows to the pivot above a body, after [`Self::hang`].
    #[inline(always)]
    pub fn soften(&mut self, body: usize, count: usize, axes: &[LaneVector<V>; 3], softness: &[V; 3]) {
        let pivot = &mut self.pivots[body];
        let (zero, one) = (self.zero, self.zero.like(1.0));
        let soft = pivot.soft.get_or_insert_with(|| Box::new(SoftPivot::none(zero)));
        (soft.is_used, soft.count, soft.axes) = (true, count, *axes);
        (soft.asked, soft.damping) = ([zero; 3], [zero; 6]);
        for row in 0..3 {
            soft.stiffness[row] = V::select(zero.is_below(softness[row]), one / softness[row], zero);
        }
        if pivot.left == Left::Hinge {
            // The relative rotation is about the free axis alone.
            let free = pivot.axis.free;
            let is_turned = free.dot(axes[0]).is_below(zero);
            soft.axes[0] = LaneVector::select(is_turned, -free, free);
            soft.damping[0] = soft.stiffness[0] * free.dot(free) * free.dot(free);
        } else {
            for row in 0..count {
                let a = elements(axes[row]);
                for i in 0..3 {
                    for j in 0..=i {
                        let sum = &mut soft.damping[super::at(i, j)];
                        *sum = *sum + a[i] * a[j] * soft.stiffness[row];
                    }
                }
            }
        }
    }
}

impl<V> Pivot<V> {
    /// Soft rows of the present factorization.
    #[inline(always)]
    pub(super) fn softness(&self) -> Option<&SoftPivot<V>> {
        self.soft.as_deref().filter(|soft| soft.is_used)
    }

    /// Soft rows of the present factorization.
    #[inline(always)]
    pub(super) fn softness_mut(&mut self) -> Option<&mut SoftPivot<V>> {
        self.soft.as_deref_mut().filter(|soft| soft.is_used)
    }
}

#[cfg(test)]
mod tests {
    use crate::math::random::Random;
    use crate::rigid::Momentum;
    use crate::rigid::joint::{Joint, Kind, MOST_ROWS};
    use crate::rigid::motion::vector;
    use crate::rigid::rattle::{Driven, Rattle, Soft};
    use crate::rigid::specimens::Specimen;

    /// The solution satisfies `M u = z + Jᵀ λ` and `J u + Γ λ = c` with the rows of the joints and the soft ones.
    #[test]
    fn soft_rows_in_a_pivot_satisfy_the_equations_of_their_rows() {
        let mut random = Random::new(17);
        for case in 0..40 {
            let mut specimen = Specimen::random_tree(2 + case % 10, &mut random);
            for (index, joint) in specimen.joints.iter_mut().enumerate() {
                joint.kind = if index % 3 == 1 { Kind::Hinge } else { Kind::Ball };
            }
            let (mechanism, forest) = (specimen.mechanism(), &specimen.forest);
            let soft: Vec<Option<Soft>> = (specimen.joints.iter().enumerate())
                .map(|(index, joint)| {
                    let axes = joint.sides_at(&specimen.poses)[0].axes;
                    let count = if joint.kind == Kind::Hinge { 1 } else { 3 };
                    // From nearly free to nearly locked.
                    let softness = [0, 1, 2].map(|_| libm::exp(8.0 * random.signed()));
                    (index % 4 != 3).then_some(Soft { count, axes, softness, wanted: [0.0; 3] })
                })
                .collect();
            let bodies = specimen.bodies.len();
            let driven = Driven { soft: &soft, brakes: &vec![0.0; bodies] };
            let mut rattle = Rattle::new(0.0, mechanism);
            rattle.factor_driven(mechanism, &specimen.poses, (&Joint::guide, 1.0), driven);
            assert!((0..bodies).all(|body| !rattle.factors.has_rows(forest, body)));
            let mut six = || -> [f64; 6] { core::array::from_fn(|_| random.signed()) };
            let z: Vec<[f64; 6]> = (0..bodies).map(|_| six()).collect();
            let mut c: Vec<[f64; MOST_ROWS]> = specimen.joints.iter().map(|_| six()).collect();
            for (index, joint) in specimen.joints.iter().enumerate() {
                let rows = joint.rows() + soft[index].map_or(0, |soft| soft.count);
                c[index][rows..].fill(0.0);
            }
            rattle.solve_for(mechanism, |body| z[body], |joint| c[joint]);
            let mut momenta = vec![Momentum::ZERO; bodies];
            rattle.push(forest, &mut momenta);
            let u: Vec<[f64; 6]> = rattle.factors.nodes.iter().map(|node| node.velocity).collect();
            for body in 0..bodies {
                let more = Momentum::from_vectors(
                    glam::DVec3::from_slice(&z[body][..3]) + vector(momenta[body].linear),
                    glam::DVec3::from_slice(&z[body][3..]) + vector(momenta[body].angular),
                );
                let expected = more.velocity(&specimen.bodies[body], &rattle.axes[body]);
                for (a, b) in u[body].iter().zip(&expected) {
                    assert!((a - b).abs() < 1e-8 * (1.0 + b.abs()), "{case}: body {body}, {a} {b}");
                }
                let Some(joint) = forest.hangs_by[body] else { continue };
                let rates = rattle.factors.rate(forest, body, |body| u[body]);
                let rigid = specimen.joints[joint].rows();
                for row in 0..rigid + soft[joint].map_or(0, |soft| soft.count) {
                    let gamma = soft[joint].filter(|_| row >= rigid).map_or(0.0, |soft| soft.softness[row - rigid]);
                    let sum = rates[row] + gamma * rattle.factors.multipliers[joint][row];
                    assert!(
                        (sum - c[joint][row]).abs() < 1e-8 * (1.0 + gamma),
                        "{case}: joint {joint}, row {row}, {sum}"
                    );
                }
            }
        }
    }
}
