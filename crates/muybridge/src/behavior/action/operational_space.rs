//! Operational space of a mechanism: accelerations of points by forces at points, under the joint constraints.
//!
//! ```text
//! A = J H⁻¹ Jᵀ                     one column for each unit force or torque: the response of the tree (`rigid::tree`)
//! a₀ = J̇ u + J H⁻¹ (Q − …)         accelerations of the points by gravity, joints and gyroscopic torques without the actions
//! f = Λ (a − a₀),  Λ = A⁻¹          operational space; all actions on one tree together, so that each gets its acceleration
//! ```
//! If a mechanism cannot give the demanded acceleration (a hinge along its axis, a stretched arm), A has no inverse. A is then inverted by its
//! eigenvalues, in units in which the mobility of a free body is 1. An eigenvalue s below `STIFF` is inverted as s/(s² + λ²), λ² = STIFF² − s²,
//! after Nakamura and Hanafusa, which is continuous, and exact above. The force is never less than the free body would need, so that a stretched
//! arm can be pushed back into its elbow. Contacts and joint limits are not considered: their effect shows in the next step.
//! ```text
//! calm     −(1 − e^(−kh))/h of the momenta of a body relative to the tree moving as one rigid body (relative to rest, if it hangs)
//! braced   τ_j = −(Σ m x − a_j Σ m) × g over all beyond joint j at a_j, on its child, and −τ_j on its parent
//! ```
//! Damping (calm) removes every velocity within the mechanism at the same rate, whatever the step; it changes the total momentum only by the
//! rotation of bodies within a step. Bracing bears weights at joints, as motors do.
//! The joints hold the part of these loads that they cannot turn into motion, so both act as joint torques, and the load that actions see includes
//! them.
//! Specification: mathematics 5.5, 4.6 (Z24); Khatib 1987.

use glam::{DMat3, DQuat, DVec3};

use super::sensed::BodyPoint;
use crate::collision::tensor;
use crate::rigid::forest::Forest;
use crate::rigid::joint::{Joint, MOST_ROWS, Velocities};
use crate::rigid::motion::{halves, vector};
use crate::rigid::rattle::{Mechanism, Rattle};
use crate::rigid::{Body, Momentum, World};

/// Operational-space matrices of points of one tree, with six rows for each point: along and about the world axes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct OperationalInertia {
    /// A, row by row: m/s² and rad/s² per newton and newton meter.
    pub matrix: Vec<f64>,
    /// a₀: acceleration of the points without the actions, m/s² and rad/s².
    pub load: Vec<f64>,
    /// A of each point if its body were free, 36 numbers each.
    pub free: Vec<f64>,
}

/// Damping and bracing of a whole mechanism while an action acts on one of its points.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Upkeep {
    /// Damping rate of internal motion, per second.
    pub calm: f64,
    /// Whether joints bear the weight beyond them.
    pub is_braced: bool,
}

/// Computes operational-space matrices of a world. Keeps its buffers from step to step.
#[derive(Clone, Debug)]
pub(crate) struct Probe {
    rattle: Rattle<f64>,
    forest: Forest,
    loads: Vec<[f64; 6]>,
    asked: Vec<[f64; MOST_ROWS]>,
    accelerations: Vec<[f64; 6]>,
    /// Force (N) and torque (N m) of damping and bracing on every body.
    upkeep: Vec<[DVec3; 2]>,
    /// Mass, and mass times position, of a body and all bodies beyond it.
    beyond: Vec<(f64, DVec3)>,
    /// Whether each tree is attached to the world.
    is_hung: Vec<bool>,
}

/// Share of a free body's mobility below which a direction is stiff.
const STIFF: f64 = 0.01;
/// Maximal number of sweeps of Jacobi's eigenvalue method.
const SWEEPS: usize = 30;

impl Probe {
    /// Allocates buffers for a world.
    pub(crate) fn new(world: &World) -> Self {
        let (model, forest) = (&world.model, world.forest());
        let mechanism = Mechanism { bodies: &model.bodies, joints: &model.joints, forest };
        Self {
            rattle: Rattle::new(0.0, mechanism),
            forest: forest.clone(),
            loads: vec![[0.0; 6]; model.bodies.len()],
            asked: vec![[0.0; MOST_ROWS]; model.joints.len()],
            accelerations: vec![[0.0; 6]; model.bodies.len()],
            upkeep: vec![[DVec3::ZERO; 2]; model.bodies.len()],
            beyond: vec![(0.0, DVec3::ZERO); model.bodies.len()],
            is_hung: hung(world),
        }
    }

    /// Factors the trees that have an `upkeep`, and computes their accelerations without actions. Call before [`Self::measure`].
    pub(crate) fn factor(&mut self, world: &World, upkeep: impl Fn(usize) -> Option<Upkeep>) {
        self.forest.leave_out(world.forest(), |tree| upkeep(tree).is_none());
        self.calm(world, |tree| upkeep(tree).unwrap_or_default().calm);
        self.brace(world, |tree| upkeep(tree).unwrap_or_default().is_braced);
        self.accelerate(world);
        let model = &world.model;
        let mechanism = Mechanism { bodies: &model.bodies, joints: &model.joints, forest: &self.forest };
        let (z, c) = (&self.loads, &self.asked);
        self.rattle.factor(mechanism, &world.state.poses, &Joint::guide, world.settings.time_step);
        self.rattle.solve_for(mechanism, |body| z[body], |joint| c[joint]);
        for &body in &self.forest.order {
            self.accelerations[body] = self.rattle.factors.nodes[body].velocity;
        }
    }

    /// Loads of the tree solver: Q = (m g, −ω × L) of bodies and −γ of joints.
    fn accelerate(&mut self, world: &World) {
        let (model, state) = (&world.model, &world.state);
        let velocity = |body: usize| state.momenta[body].velocities(&model.bodies[body], state.poses[body].turn());
        for &body in &self.forest.order {
            let (_, w) = velocity(body);
            let l = state.momenta[body].angular;
            let [more, torque] = self.upkeep[body];
            let weight = world.settings.gravity * model.bodies[body].mass + more;
            let moment = vector(l).cross(w) + torque;
            self.loads[body] = [weight.x, weight.y, weight.z, moment.x, moment.y, moment.z];
        }
        for (joint, asked) in model.joints.iter().zip(&mut self.asked) {
            if !self.forest.has(joint.child) {
                continue;
            }
            let sides = joint.sides_at(&state.poses);
            let place = joint.guide(&sides);
            let (v1, w1) = velocity(joint.child);
            let (v0, w0) = joint.parent.map(velocity).unwrap_or_default();
            let velocities = Velocities { linear: [v0, v1], angular: [w0, w1] };
            *asked = joint.bias(&sides, &velocities, place.as_ref()).map(|bias| -bias);
        }
    }

    /// Forces and torques of damping and bracing, with the bodies they act on.
    pub(crate) fn upkeep(&self) -> impl Iterator<Item = (usize, [DVec3; 2])> {
        self.forest.order.iter().map(|&body| (body, self.upkeep[body]))
    }

    fn calm(&mut self, world: &World, rate: impl Fn(usize) -> f64) {
        let (model, step) = (&world.model, world.settings.time_step);
        for tree in 0..self.forest.trees {
            let bodies = self.forest.spans[tree].clone();
            let rigid = if self.is_hung[tree] {
                (DVec3::ZERO, Whole::default())
            } else {
                rigid_motion(world, &self.forest.order[bodies.clone()])
            };
            let share = (1.0 - libm::exp(-rate(tree) * step)) / step;
            for &body in &self.forest.order[bodies] {
                let (pose, own) = (&world.state.poses[body], &world.state.momenta[body]);
                let velocity = rigid.1.velocity + rigid.1.spin.cross(pose.place() - rigid.0);
                let with = Momentum::of(&model.bodies[body], pose.turn(), velocity, rigid.1.spin);
                let past = own.minus(with);
                self.upkeep[body] = [vector(past.linear) * -share, vector(past.angular) * -share];
            }
        }
    }

    fn brace(&mut self, world: &World, is_braced: impl Fn(usize) -> bool) {
        let (model, state) = (&world.model, &world.state);
        for &body in &self.forest.order {
            let mass = model.bodies[body].mass;
            self.beyond[body] = (mass, state.poses[body].place() * mass);
        }
        // Children come before their parents in this order.
        for &body in &self.forest.order {
            let Some(hung) = self.forest.hangs_by[body].filter(|_| is_braced(self.forest.tree[body])) else { continue };
            let joint = &model.joints[hung];
            let sides = joint.sides_at(&state.poses);
            let ((mass, moment), anchor) = (self.beyond[body], vector(sides[1].anchor));
            let torque = world.settings.gravity.cross(moment - anchor * mass);
            self.upkeep[body][1] += torque;
            if let Some(parent) = self.forest.parent[body] {
                self.upkeep[parent][1] -= torque;
                self.beyond[parent].0 += mass;
                self.beyond[parent].1 += moment;
            }
        }
    }

    /// Computes the operational-space matrices of points of one tree.
    pub(crate) fn measure(&mut self, world: &World, points: &[BodyPoint], mobility: &mut OperationalInertia) {
        let (model, state) = (&world.model, &world.state);
        let count = 6 * points.len();
        let Some(tree) = points.first().map(|point| self.forest.tree[point.body]) else { return };
        let mechanism = Mechanism { bodies: &model.bodies, joints: &model.joints, forest: &self.forest };
        let arm = |point: &BodyPoint| state.poses[point.body].turn() * point.in_body;
        mobility.load.clear();
        mobility.free.clear();
        mobility.matrix.clear();
        mobility.matrix.resize(count * count, 0.0);
        for point in points {
            let (_, w) =
                state.momenta[point.body].velocities(&model.bodies[point.body], state.poses[point.body].turn());
            let (a, faster) = halves(&self.accelerations[point.body]);
            let r = arm(point);
            let at = a + faster.cross(r) + w.cross(w.cross(r));
            mobility.load.extend(at.to_array().into_iter().chain(faster.to_array()));
            mobility.free.extend(free(&model.bodies[point.body], state.poses[point.body].turn(), r));
        }
        for (column, point) in (0..count).map(|column| (column, &points[column / 6])) {
            let axis = DVec3::AXES[column % 3];
            let (force, moment) = if column % 6 < 3 { (axis, arm(point).cross(axis)) } else { (DVec3::ZERO, axis) };
            let impulse = [force.x, force.y, force.z, moment.x, moment.y, moment.z];
            self.rattle.respond(mechanism, tree, [Some((point.body, impulse)), None]);
            for (index, other) in points.iter().enumerate() {
                let (v, w) = halves(&self.rattle.factors.nodes[other.body].velocity);
                let at = v + w.cross(arm(other));
                for (row, value) in at.to_array().into_iter().chain(w.to_array()).enumerate() {
                    mobility.matrix[(6 * index + row) * count + column] = value;
                }
            }
        }
    }
}

/// Accelerations of a point at `r` from the center of a free body by unit forces and torques at this point.
fn free(body: &Body, turn: DQuat, r: DVec3) -> [f64; 36] {
    let inverse = tensor::from_principal(DVec3::ONE / body.moments, turn);
    let mut all = [0.0; 36];
    for column in 0..6 {
        let axis = DVec3::AXES[column % 3];
        let (force, moment) = if column < 3 { (axis, r.cross(axis)) } else { (DVec3::ZERO, axis) };
        let w = inverse * moment;
        let v = force / body.mass + w.cross(r);
        for (row, value) in v.to_array().into_iter().chain(w.to_array()).enumerate() {
            all[row * 6 + column] = value;
        }
    }
    all
}

fn hung(world: &World) -> Vec<bool> {
    let mut hung = vec![false; world.forest().trees];
    for joint in world.model.joints.iter().filter(|joint| joint.parent.is_none()) {
        hung[world.forest().tree[joint.child]] = true;
    }
    hung
}

/// Velocity and angular velocity of bodies that move together.
#[derive(Clone, Copy, Debug, Default)]
struct Whole {
    velocity: DVec3,
    spin: DVec3,
}

/// Center of mass of bodies, and the rigid motion that has their momentum and angular momentum.
fn rigid_motion(world: &World, bodies: &[usize]) -> (DVec3, Whole) {
    let (model, state) = (&world.model, &world.state);
    let mass: f64 = bodies.iter().map(|&body| model.bodies[body].mass).sum();
    let center = bodies.iter().map(|&body| state.poses[body].place() * model.bodies[body].mass).sum::<DVec3>() / mass;
    let (mut linear, mut angular, mut inertia) = (DVec3::ZERO, DVec3::ZERO, DMat3::ZERO);
    for &body in bodies {
        let (own, pose, momentum) = (&model.bodies[body], &state.poses[body], &state.momenta[body]);
        let arm = pose.place() - center;
        linear += vector(momentum.linear);
        angular += arm.cross(vector(momentum.linear)) + vector(momentum.angular);
        inertia += tensor::from_principal(own.moments, pose.turn()) + tensor::of_point(own.mass, arm);
    }
    (center, Whole { velocity: linear / mass, spin: inertia.inverse() * angular })
}

impl OperationalInertia {
    /// Operational-space matrices of a single point, with its whole tree and without damping or bracing.
    pub(crate) fn of_one(world: &World, point: BodyPoint) -> Self {
        let mut mobility = Self::default();
        let mut probe = Probe::new(world);
        let tree = world.forest().tree.get(point.body).copied();
        if let Some(tree) = tree {
            probe.factor(world, |other| (other == tree).then_some(Upkeep::default()));
            probe.measure(world, &[point], &mut mobility);
        }
        mobility
    }

    /// Computes forces and torques at the points, newtons and newton meters, for the accelerations `wanted`, m/s² and rad/s²; 0 for rows without
    /// demand. Points for which `carries` is false get no share of the load.
    pub(crate) fn forces(&self, wanted: &[Option<f64>], carries: impl Fn(usize) -> bool) -> Vec<f64> {
        let mut room = OperationalSpaceScratch::default();
        self.solve(wanted, carries, &mut room);
        room.forces
    }

    /// Computes the forces of [`Self::forces`] into [`OperationalSpaceScratch::forces`]; allocates nothing if the buffers are large enough.
    pub(crate) fn solve(
        &self,
        wanted: &[Option<f64>],
        carries: impl Fn(usize) -> bool,
        room: &mut OperationalSpaceScratch,
    ) {
        let whole = self.load.len();
        let OperationalSpaceScratch { rows, white, factor, half, matrix, vectors, right, solution, forces } = room;
        rows.clear();
        rows.extend((0..whole.min(wanted.len())).filter(|&row| wanted[row].is_some()));
        let count = rows.len();
        self.whiten(rows, (factor, white));
        // W A Wᵀ, symmetric but for rounding.
        product(white, count, |k, j| self.matrix[rows[k] * whole + rows[j]], half);
        product(half, count, |k, j| white[j * count + k], factor);
        let both = &*factor;
        refill(matrix, (0..count * count).map(|at| 0.5 * (both[at] + both[at % count * count + at / count])));
        let asked = |row: usize| wanted[row].unwrap_or(0.0) - if carries(row / 6) { self.load[row] } else { 0.0 };
        refill(right, (0..count).map(|i| (0..count).map(|k| white[i * count + k] * asked(rows[k])).sum()));
        solved((matrix, vectors), right, solution);
        refill(forces, (0..whole).map(|_| 0.0));
        for (i, &row) in rows.iter().enumerate() {
            forces[row] = (0..count).map(|k| white[k * count + i] * solution[k]).sum();
        }
    }

    /// W with W A_free Wᵀ = 1, point by point: the inverse of the Cholesky factor of the mobility of the free bodies.
    fn whiten(&self, rows: &[usize], (factor, white): (&mut Vec<f64>, &mut Vec<f64>)) {
        let count = rows.len();
        let free = |i: usize, j: usize| {
            let (point, other) = (rows[i] / 6, rows[j] / 6);
            if point == other { self.free[point * 36 + rows[i] % 6 * 6 + rows[j] % 6] } else { 0.0 }
        };
        refill(factor, (0..count * count).map(|_| 0.0));
        refill(white, (0..count * count).map(|_| 0.0));
        for i in 0..count {
            for j in 0..=i {
                let sum = free(i, j) - (0..j).map(|k| factor[i * count + k] * factor[j * count + k]).sum::<f64>();
                factor[i * count + j] =
                    if i == j { libm::sqrt(sum.max(f64::MIN_POSITIVE)) } else { sum / factor[j * count + j] };
            }
            for j in 0..=i {
                let unit = if i == j { 1.0 } else { 0.0 };
                let sum = unit - (j..i).map(|k| factor[i * count + k] * white[k * count + j]).sum::<f64>();
                white[i * count + j] = sum / factor[i * count + i];
            }
        }
    }
}

/// Buffers of [`OperationalInertia::solve`], reused from step to step.
#[derive(Clone, Debug, Default)]
pub(crate) struct OperationalSpaceScratch {
    /// Forces and torques at the points, six each.
    pub forces: Vec<f64>,
    rows: Vec<usize>,
    white: Vec<f64>,
    factor: Vec<f64>,
    half: Vec<f64>,
    matrix: Vec<f64>,
    vectors: Vec<f64>,
    right: Vec<f64>,
    solution: Vec<f64>,
}

/// Replaces the contents of a buffer by other numbers.
fn refill(all: &mut Vec<f64>, by: impl Iterator<Item = f64>) {
    all.clear();
    all.extend(by);
}

/// Computes the product A B of square matrices.
fn product(a: &[f64], count: usize, b: impl Fn(usize, usize) -> f64, into: &mut Vec<f64>) {
    let at = |i: usize, j: usize| (0..count).map(|k| a[i * count + k] * b(k, j)).sum();
    refill(into, (0..count * count).map(|index| at(index / count, index % count)));
}

/// Solves a symmetric positive semidefinite system; small eigenvalues are inverted as the file comment describes.
fn solved((matrix, vectors): (&mut [f64], &mut Vec<f64>), right: &[f64], solution: &mut Vec<f64>) {
    let count = right.len();
    diagonal(matrix, count, vectors);
    refill(solution, (0..count).map(|_| 0.0));
    for k in 0..count {
        let value = matrix[k * count + k];
        let softened = if value >= STIFF { 1.0 / value } else { (value / (STIFF * STIFF)).max(1.0) };
        let along: f64 = (0..count).map(|i| vectors[i * count + k] * right[i]).sum();
        for i in 0..count {
            solution[i] += vectors[i * count + k] * (along * softened);
        }
    }
}

/// Jacobi's eigenvalue method: leaves the eigenvalues on the diagonal of `matrix`, and the eigenvectors as columns of `vectors`.
fn diagonal(matrix: &mut [f64], count: usize, vectors: &mut Vec<f64>) {
    refill(vectors, (0..count * count).map(|_| 0.0));
    for i in 0..count {
        vectors[i * count + i] = 1.0;
    }
    for _ in 0..SWEEPS {
        let mut off = 0.0;
        for p in 0..count {
            for q in p + 1..count {
                let value = matrix[p * count + q];
                off += value * value;
                if value == 0.0 {
                    continue;
                }
                let theta = (matrix[q * count + q] - matrix[p * count + p]) / (2.0 * value);
                let sign = if theta >= 0.0 { 1.0 } else { -1.0 };
                let t = sign / (theta.abs() + libm::sqrt(theta * theta + 1.0));
                let c = 1.0 / libm::sqrt(t * t + 1.0);
                let s = t * c;
                for k in 0..count {
                    let (a, b) = (matrix[k * count + p], matrix[k * count + q]);
                    (matrix[k * count + p], matrix[k * count + q]) = (c * a - s * b, s * a + c * b);
                }
                for k in 0..count {
                    let (a, b) = (matrix[p * count + k], matrix[q * count + k]);
                    (matrix[p * count + k], matrix[q * count + k]) = (c * a - s * b, s * a + c * b);
                    let (a, b) = (vectors[k * count + p], vectors[k * count + q]);
                    (vectors[k * count + p], vectors[k * count + q]) = (c * a - s * b, s * a + c * b);
                }
            }
        }
        if off <= 1e-30 || !off.is_finite() {
            break;
        }
    }
}
