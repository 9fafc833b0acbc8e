//! RATTLE for rigid bodies: at the end of a step joints hold to a tolerance, in positions and velocities.
//!
//! ```text
//! λ so that C(drift(P + J₀ᵀ λ)) = 0:     λ −= (J₀ W₀ J₀ᵀ)⁻¹ C/h, factored once a step         positions
//! (J W Jᵀ) μ = −J u,   P += Jᵀ μ          at the new positions; the factorization serves the next step
//! ```
//! The step is symplectic and of second order. Every impulse acts on two bodies along one line, so linear and angular
//! momentum are kept to rounding with any number of iterations. λ is warm-started by linear extrapolation from the last
//! two steps, which saves an iteration. The steps keep not the energy E but, up to terms of fourth order,
//! ```text
//! E + h²/24 Fᵀ M⁻¹ F        F: forces and moments of the joints on the bodies
//! ```
//! E thus oscillates with F and does not drift. The conserved quantity follows from that of kick, drift, kick, `E +
//! h²/12 {T,{T,V}} − h²/24 ∇Vᵀ M⁻¹ ∇V`, for a V so stiff that joints hold: `{T,{T,V}} = ∇Vᵀ M⁻¹ ∇V + d/dt(u · ∇V)`, and
//! u · ∇V = −λᵀ J u is zero. Specification: mathematics 4.5.2, 4.5.3 (H5, X15); Andersen 1983 for particles.

mod closing;
mod dense;
mod driven;
mod sparse;
mod yielding;

use closing::{Closing, LoopMatrix, REPEATED, alone, rate_by, rate_of};
pub use driven::{Driven, Soft};
use sparse::JointExtras;

use super::drift::drift;
use super::forest::Forest;
use super::joint::{Guide, JointJacobian, JointSide, MOST_ROWS};
use super::motion::{Momentum, Pose};
use super::tree::{Factors, LEAST, axes, is_pivot};
use super::{Body, Joint};
use crate::math::lane_rotation::LaneMatrix;
use crate::math::lanes::Lanes;

/// Bodies and joints of a simulation, borrowed and constant during a step.
#[derive(Clone, Copy)]
pub struct Mechanism<'a> {
    /// Mass properties of the bodies.
    pub bodies: &'a [Body],
    /// Joints between the bodies.
    pub joints: &'a [Joint],
    /// Kinematic trees of the joints.
    pub forest: &'a Forest,
}

/// Factorization at the poses of the start of a step, with buffers for the step.
#[derive(Clone, Debug)]
pub struct Rattle<V> {
    /// Factorization of the joint trees.
    pub factors: Factors<V>,
    /// Rows of the joints that close loops.
    closing: Closing<V>,
    /// Principal axes of the bodies as matrices.
    pub axes: Vec<LaneMatrix<V>>,
    /// Trial poses of the bodies at the end of the step.
    trial: Vec<Pose<V>>,
    /// Rotation matrices of the trial poses.
    trial_axes: Vec<LaneMatrix<V>>,
    /// Right-hand side of each body: impulse or velocity.
    right: Vec<[V; 6]>,
    /// Right-hand side of each tree joint, indexed by the body below it.
    asked: Vec<[V; MOST_ROWS]>,
    /// What factors if joints yield, and softness Γ of their rows then.
    yields: Option<Factor<V>>,
    softness: Vec<[V; MOST_ROWS]>,
    /// Zero in lanes of the right width.
    zero: V,
    /// Newton iterations of each lane in [`Self::drift`] since the buffers were made.
    pub passes: V,
    /// Extrapolation of warm-start impulses, in time intervals between those of the last two steps; 1 for equal steps.
    pub ahead: f64,
}

/// Function that finds the nearest point on the curve of a bead; see [`Joint::guide`].
pub type Guides<'a, V> = &'a dyn Fn(&Joint, &[JointSide<V>; 2]) -> Option<Guide>;

/// Evaluates rows and factors them at poses.
type Factor<V> = fn(&mut Rattle<V>, Mechanism<'_>, &[Pose<V>], Guides<'_, V>);

/// Stopping rule of the Newton iterations over the joints.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Passes {
    /// Greatest number of iterations.
    pub most: u32,
    /// Iterations end once the greatest joint error is below this, meters or radians; 0 makes all of them.
    pub tolerance: f64,
    /// Whether impulses are warm-started from the last two steps. That saves an iteration. It fails for bodies of tiny
    /// inertia, which a rounding error of an impulse turns by radians.
    pub is_warm: bool,
}

impl<V: Lanes> Rattle<V> {
    /// Allocates buffers for a mechanism.
    pub fn new(zero: V, mechanism: Mechanism<'_>) -> Self {
        Self::with_soft_rows(zero, mechanism, false)
    }

    /// Allocates buffers for a mechanism; if `has_soft_rows`, for [`Self::factor_driven`] as well.
    pub fn with_soft_rows(zero: V, mechanism: Mechanism<'_>, has_soft_rows: bool) -> Self {
        let bodies = mechanism.bodies;
        let pose = Pose::like(zero);
        Self {
            factors: Factors::new(zero, bodies.len(), mechanism.joints.len()),
            closing: Closing::new(zero, mechanism, has_soft_rows),
            axes: vec![pose.rotation.matrix(); bodies.len()],
            trial: vec![pose; bodies.len()],
            trial_axes: vec![pose.rotation.matrix(); bodies.len()],
            right: vec![[zero; 6]; bodies.len()],
            asked: vec![[zero; MOST_ROWS]; bodies.len()],
            yields: None,
            softness: Vec::new(),
            zero,
            passes: zero,
            ahead: 1.0,
        }
    }

    /// From the next factorization on, loop-closing rows with a pivot ratio below `share` get no impulse. The ratio is
    /// never below the rounding limit of redundant rows, which is the initial value.
    pub fn repeats_below(&mut self, share: f64) {
        self.closing.least = share.max(REPEATED);
    }

    /// Whether the last factorization left out rows that are not exactly redundant; see [`Self::repeats_below`].
    pub fn has_left_out(&self) -> bool {
        self.closing.least > REPEATED && self.closing.has_left_out()
    }

    /// Evaluates rows and factors them at `poses`. `guide` finds the nearest point on the curve of a bead (see
    /// [`Joint::guide`]).
    pub fn factor(&mut self, mechanism: Mechanism<'_>, poses: &[Pose<V>], guide: Guides<'_, V>, step: f64) {
        let joints = mechanism.joints;
        self.factor_soft(mechanism, poses, guide, &|joint| joints[joint].compliance / (step * step));
    }

    /// Factors as [`Self::factor`] does, with `softness` returning Γ of joint `i`.
    pub fn factor_soft(
        &mut self,
        mechanism: Mechanism<'_>,
        poses: &[Pose<V>],
        guide: Guides<'_, V>,
        softness: &dyn Fn(usize) -> f64,
    ) {
        if let Some(factor) = self.yields {
            return factor(self, mechanism, poses, guide);
        }
        self.zero.within(
            #[inline(always)]
            || {
                let Mechanism { bodies, joints, forest } = mechanism;
                for &body in &forest.order {
                    self.axes[body] = axes(&poses[body]);
                    self.factors.place(body, &bodies[body], &self.axes[body]);
                }
                for &body in &forest.order {
                    let Some(index) = forest.hangs_by[body] else { continue };
                    let (joint, is_turned) = (&joints[index], forest.is_turned[body]);
                    if softness(index) == 0.0 && is_pivot(joint, &bodies[body], is_turned) {
                        self.factors.hang(body, (joint, is_turned), &sides(joint, (poses, &self.axes)));
                    } else {
                        let rows = equations(joint, (poses, &self.axes), guide);
                        self.factors.join(body, &rows, is_turned);
                    }
                }
                let zero = self.zero;
                let softness = &|joint: usize| [zero.like(softness(joint)); MOST_ROWS];
                self.factors.factor(forest, softness);
                self.factor_closing(
                    mechanism,
                    (poses, guide),
                    &JointExtras { soft: &|_, _| (), softness, brakes: &[] },
                );
            },
        )
    }

    /// Solves M u − Jᵀλ = z, J u + Γλ = c, where `z` is indexed by body and `c` by joint. The solution u is in the
    /// nodes of [`Self::factors`]; [`Self::multipliers`] returns λ. Call [`Self::factor`] first.
    pub fn solve_for(
        &mut self,
        mechanism: Mechanism<'_>,
        z: impl Fn(usize) -> [V; 6],
        c: impl Fn(usize) -> [V; MOST_ROWS],
    ) {
        let forest = mechanism.forest;
        for (body, right) in self.right.iter_mut().enumerate() {
            *right = z(body);
        }
        for &body in &forest.order {
            if let Some(joint) = forest.hangs_by[body] {
                self.asked[body] = c(joint);
            }
        }
        for (value, &(joint, row)) in self.closing.values.iter_mut().zip(&self.closing.index) {
            *value = c(forest.closing[joint])[row];
        }
        self.solve(mechanism);
    }

    /// Multipliers λ of every joint in the last solution, loop-closing joints included.
    pub fn multipliers(&self, forest: &Forest, multipliers: &mut [[V; MOST_ROWS]]) {
        multipliers.copy_from_slice(&self.factors.multipliers);
        let awake = |(_, (joint, _)): &(&V, &(usize, usize))| !self.closing.is_left_out[*joint];
        for (&value, &(joint, row)) in self.closing.values.iter().zip(&self.closing.index).filter(awake) {
            multipliers[forest.closing[joint]][row] = value;
        }
    }

    /// Drifts for `h` seconds so that joints hold at the end. Momenta receive the joint impulses. `multipliers` are
    /// those of the last two steps by joint, per second. Returns the greatest remaining joint error.
    pub fn drift(
        &mut self,
        mechanism: Mechanism<'_>,
        (poses, momenta): (&mut [Pose<V>], &mut [Momentum<V>]),
        multipliers: &mut [Vec<[V; MOST_ROWS]>; 2],
        guide: Guides<'_, V>,
        (h, passes): (f64, Passes),
    ) -> V {
        self.zero.within(
            #[inline(always)]
            || {
                let Mechanism { joints, forest, .. } = mechanism;
                self.begin(joints, momenta, multipliers, forest, (h, passes.is_warm));
                let mut worst = self.zero;
                for pass in 0..=passes.most {
                    self.try_drift(mechanism, (poses, momenta), h);
                    if joints.is_empty() {
                        break;
                    }
                    worst = self.ask(mechanism, guide, -1.0 / h);
                    let is_bad = worst.like(passes.tolerance).is_below(worst);
                    if pass == passes.most || !V::any(is_bad) {
                        break;
                    }
                    self.passes = self.passes + V::select(is_bad, worst.like(1.0), worst.like(0.0));
                    for &body in &forest.order {
                        self.right[body] = [worst.like(0.0); 6];
                        // Lanes that have converged stay as they are while others go on.
                        for asked in &mut self.asked[body] {
                            *asked = V::select(is_bad, *asked, worst.like(0.0));
                        }
                    }
                    self.solve(mechanism);
                    self.push(forest, momenta);
                    for joint in forest.joints(joints) {
                        let (sum, new) = (&mut multipliers[0][joint], &self.factors.multipliers[joint]);
                        for row in 0..MOST_ROWS {
                            sum[row] = sum[row] + new[row] * (1.0 / h);
                        }
                    }
                }
                for &body in &forest.order {
                    poses[body] = self.trial[body];
                }
                worst
            },
        )
    }

    /// Moves bodies until joints hold, weighted by mass so that the center of mass stays; momenta do not change.
    /// Returns the greatest remaining joint error.
    pub fn pull_together(
        &mut self,
        mechanism: Mechanism<'_>,
        poses: &mut [Pose<V>],
        guide: Guides<'_, V>,
        passes: Passes,
    ) -> V {
        self.zero.within(
            #[inline(always)]
            || {
                let forest = mechanism.forest;
                let mut worst = self.zero;
                for pass in 0..=passes.most {
                    for &body in &forest.order {
                        self.trial[body] = poses[body];
                        self.trial_axes[body] = axes(&poses[body]);
                    }
                    worst = self.ask(mechanism, guide, -1.0);
                    let is_bad = worst.like(passes.tolerance).is_below(worst);
                    if pass == passes.most || !V::any(is_bad) {
                        break;
                    }
                    self.factor(mechanism, poses, guide, 1.0);
                    for &body in &forest.order {
                        self.right[body] = [worst.like(0.0); 6];
                    }
                    self.solve(mechanism);
                    for &body in &forest.order {
                        poses[body] = poses[body].moved(&self.factors.nodes[body].velocity);
                    }
                }
                worst
            },
        )
    }

    /// Projects momenta onto velocities that satisfy the joints: J u = 0 afterwards. Call [`Self::factor`] at these
    /// poses first.
    pub fn project(&mut self, mechanism: Mechanism<'_>, momenta: &mut [Momentum<V>]) {
        self.zero.within(
            #[inline(always)]
            || {
                let Mechanism { bodies, joints, forest } = mechanism;
                if joints.is_empty() {
                    return;
                }
                for &body in &forest.order {
                    self.right[body] = momenta[body].velocity(&bodies[body], &self.axes[body]);
                }
                let right = &self.right;
                for &body in &forest.order {
                    if forest.hangs_by[body].is_some() {
                        let rate = self.factors.rate(forest, body, |body| right[body]);
                        for row in 0..MOST_ROWS {
                            self.asked[body][row] = -rate[row];
                        }
                    }
                }
                for (place, &(joint, row)) in self.closing.index.iter().enumerate() {
                    let rows = &self.closing.rows[joint];
                    self.closing.values[place] = -rate_of(rows, row, &joints[forest.closing[joint]], right);
                }
                let zero = self.zero;
                for &body in &forest.order {
                    self.right[body] = [zero; 6];
                }
                self.solve(mechanism);
                self.push(forest, momenta);
            },
        )
    }

    /// Adds impulses on bodies and the reactions of the joints to momenta; J u does not change.
    pub fn absorb(&mut self, mechanism: Mechanism<'_>, momenta: &mut [Momentum<V>], impulses: &[[V; 6]]) {
        let zero = self.zero;
        zero.within(
            #[inline(always)]
            || {
                self.closing.values.fill(zero);
                for &body in &mechanism.forest.order {
                    self.right[body] = impulses[body];
                    self.asked[body] = [zero; MOST_ROWS];
                    momenta[body] = momenta[body].plus(Momentum::of_six(impulses[body]));
                }
                self.solve(mechanism);
                self.push(mechanism.forest, momenta);
            },
        );
    }

    /// Computes velocities of the bodies of one tree due to impulses on up to two of them, with joints and loops
    /// holding. The result is in [`Factors::nodes`].
    pub fn respond(&mut self, mechanism: Mechanism<'_>, tree: usize, impulses: [Option<(usize, [V; 6])>; 2]) {
        let impulses = || impulses.into_iter().flatten();
        let loops: Vec<_> = self.hold_loops(mechanism, tree, impulses()).collect();
        if !loops.is_empty() {
            self.factors.respond(mechanism.forest, tree, impulses().chain(loops));
        }
    }

    fn begin(
        &mut self,
        joints: &[Joint],
        momenta: &mut [Momentum<V>],
        multipliers: &mut [Vec<[V; MOST_ROWS]>; 2],
        forest: &Forest,
        (h, is_warm): (f64, bool),
    ) {
        self.zero.within(
            #[inline(always)]
            || {
                let [last, before] = multipliers;
                for joint in forest.joints(joints) {
                    for row in 0..MOST_ROWS {
                        let (far, near) = (last[joint][row] * (1.0 + self.ahead), before[joint][row] * self.ahead);
                        let ahead = if is_warm { far - near } else { far.like(0.0) };
                        (before[joint][row], last[joint][row]) = (last[joint][row], ahead);
                        self.factors.multipliers[joint][row] = ahead * h;
                    }
                }
                for (place, &(joint, row)) in self.closing.index.iter().enumerate() {
                    self.closing.values[place] = last[forest.closing[joint]][row] * h;
                }
                self.push(forest, momenta);
            },
        )
    }

    /// Sets the trial poses to those after a drift of `h` seconds.
    #[inline(always)]
    fn try_drift(
        &mut self,
        Mechanism { bodies, forest, .. }: Mechanism<'_>,
        (poses, momenta): (&[Pose<V>], &[Momentum<V>]),
        h: f64,
    ) {
        for &body in &forest.order {
            self.trial[body] = drift(&bodies[body], &poses[body], &momenta[body], h);
            self.trial_axes[body] = axes(&self.trial[body]);
        }
    }

    /// Sets the right-hand sides of the joints at the trial poses to `factor` times C. Returns the greatest joint
    /// error.
    fn ask(&mut self, mechanism: Mechanism<'_>, guide: Guides<'_, V>, factor: f64) -> V {
        self.zero.within(
            #[inline(always)]
            || {
                let Mechanism { joints, forest, .. } = mechanism;
                let mut worst = self.zero;
                for &body in &forest.order {
                    let Some(joint) = forest.hangs_by[body] else { continue };
                    let error = errors(&joints[joint], (&self.trial, &self.trial_axes), guide);
                    for row in 0..joints[joint].rows() {
                        worst = worst.greatest(error[row].abs());
                        self.asked[body][row] = error[row] * factor;
                    }
                }
                let mut place = 0;
                for &joint in &forest.closing {
                    if !forest.has(joints[joint].child) {
                        place += joints[joint].rows();
                        continue;
                    }
                    let error = errors(&joints[joint], (&self.trial, &self.trial_axes), guide);
                    for &value in error.iter().take(joints[joint].rows()) {
                        worst = worst.greatest(value.abs());
                        self.closing.values[place] = value * factor;
                        place += 1;
                    }
                }
                worst
            },
        )
    }

    /// Solves trees and loops for the right-hand sides `right`, `asked` and `closing.values`; the last become the
    /// impulses of the loops.
    fn solve(&mut self, mechanism: Mechanism<'_>) {
        let Mechanism { joints, forest, .. } = mechanism;
        let Self { factors, closing, right, asked, .. } = self;
        factors.solve(forest, right, asked);
        if closing.index.is_empty() {
            return;
        }
        for place in 0..closing.index.len() {
            let (joint, row) = closing.index[place];
            let rate =
                rate_by(&closing.rows[joint], row, &joints[forest.closing[joint]], |body| factors.nodes[body].velocity);
            closing.values[place] = closing.values[place] - rate;
        }
        closing.solve();
        for place in 0..closing.index.len() {
            let (joint, row) = closing.index[place];
            let [own, above] = closing.rows[joint].six(row);
            let of = &joints[forest.closing[joint]];
            for column in 0..6 {
                let value = closing.values[place];
                right[of.child][column] = right[of.child][column] + own[column] * value;
                if let Some(parent) = of.parent {
                    right[parent][column] = right[parent][column] + above[column] * value;
                }
            }
        }
        factors.solve(forest, right, asked);
    }

    /// Adds the impulses of the last solution to momenta.
    pub fn push(&self, forest: &Forest, momenta: &mut [Momentum<V>]) {
        self.factors.push(forest, momenta);
        for place in 0..self.closing.index.len() {
            self.closing.push(place, momenta);
        }
    }

    /// Builds and factors the matrix of the loop-closing rows.
    fn factor_closing(
        &mut self,
        mechanism: Mechanism<'_>,
        (poses, guide): (&[Pose<V>], Guides<'_, V>),
        extras: &JointExtras<'_, V>,
    ) {
        let Mechanism { joints, forest, .. } = mechanism;
        let Self { closing, axes, .. } = self;
        if forest.closing.is_empty() {
            return;
        }
        for (place, &joint) in forest.closing.iter().enumerate() {
            closing.is_left_out[place] = !forest.has(joints[joint].child);
            if !closing.is_left_out[place] {
                closing.rows[place] = equations(&joints[joint], (poses, axes), guide);
            }
        }
        match &mut closing.matrix {
            LoopMatrix::Dense(_) => self.factor_dense(mechanism, extras),
            LoopMatrix::Sparse(sparse) => {
                sparse.factor(mechanism, (poses, axes), guide, extras, (self.zero, closing.least));
            }
        }
    }

    /// Builds and factors the dense matrix of few loop-closing rows.
    fn factor_dense(&mut self, Mechanism { bodies, joints, forest }: Mechanism<'_>, extras: &JointExtras<'_, V>) {
        let Closing { matrix, rows, is_left_out, index, unit, least, .. } = &mut self.closing;
        let LoopMatrix::Dense(dense) = matrix else { return };
        let (zero, count) = (self.zero, index.len());
        dense.matrix.fill(zero);
        dense.scales.fill(zero);
        for (j, &(joint, row)) in index.iter().enumerate().filter(|(_, (joint, _))| !is_left_out[*joint]) {
            let [own, above] = rows[joint].six(row);
            let of = &joints[forest.closing[joint]];
            let (unit, nothing) = &mut *unit;
            unit.fill([zero; 6]);
            unit[of.child] = own;
            if let Some(parent) = of.parent {
                unit[parent] = above;
            }
            self.factors.solve(forest, unit, nothing);
            for (i, &(joint, row)) in index.iter().enumerate().skip(j).filter(|(_, (joint, _))| !is_left_out[*joint]) {
                let of = &joints[forest.closing[joint]];
                let nodes = &self.factors.nodes;
                dense.matrix[i * count + j] = rate_by(&rows[joint], row, of, |body| nodes[body].velocity);
            }
            let gamma = (extras.softness)(forest.closing[joint])[row];
            dense.matrix[j * count + j] = dense.matrix[j * count + j] + gamma;
            let alone = alone(&rows[joint], row, (bodies, &self.axes)) + gamma;
            dense.scales[j] = zero.like(1.0) / alone.greatest(zero.like(LEAST)).sqrt();
        }
        dense.least = *least;
        dense.factorize();
    }
}

/// Constraint rows of a joint at poses with known matrices.
#[inline(always)]
fn equations<V: Lanes>(joint: &Joint, at: (&[Pose<V>], &[LaneMatrix<V>]), guide: Guides<'_, V>) -> JointJacobian<V> {
    let sides = sides(joint, at);
    joint.equations(&sides, guide(joint, &sides).as_ref())
}

/// Constraint errors C of a joint.
#[inline(always)]
fn errors<V: Lanes>(joint: &Joint, at: (&[Pose<V>], &[LaneMatrix<V>]), guide: Guides<'_, V>) -> [V; MOST_ROWS] {
    let sides = sides(joint, at);
    joint.errors(&sides, guide(joint, &sides).as_ref())
}

#[inline(always)]
fn sides<V: Lanes>(joint: &Joint, (poses, axes): (&[Pose<V>], &[LaneMatrix<V>])) -> [JointSide<V>; 2] {
    let of = |body: usize| (&poses[body], &axes[body]);
    joint.sides_of(joint.parent.map(of), of(joint.child))
}
