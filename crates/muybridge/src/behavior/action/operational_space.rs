//! What resists at the points of a mechanism: accelerations of points by forces at points, joints held.
//!
//! ```text
//! A = J H⁻¹ Jᵀ                     one column for each unit force or torque: the answer of the tree (`rigid::tree`)
//! a₀ = J̇ u + J H⁻¹ (Q − …)         what gravity, joints and gyroscopic torques do to the points without the actions
//! f = Λ (a − a₀),  Λ = A⁻¹          operational space; all actions on one tree at once, so that each gets what it asks for
//! ```
//! Where a mechanism cannot give what is asked (a hinge along its axis, an arm that is stretched) A has no inverse. It is then taken by its
//! eigenvalues, in units in which what a body would be by itself is 1, so that they are shares of its own mobility: s below `STIFF` as
//! s/(s² + λ²), λ² = STIFF² − s², after Nakamura and Hanafusa, which is continuous, and exact above; but never less than the body by itself
//! would take, so that an arm that is stretched can be pushed back into its elbow. Contacts and ends of ranges are not seen: what they change
//! shows in the next step.
//! ```text
//! calm     −(1 − e^(−kh))/h of what the momenta of a body have over those of the tree moving as one rigid body (as none, if it hangs)
//! braced   τ_j = −(Σ m x − a_j Σ m) × g over all beyond joint j at a_j, on its child, and −τ_j on its parent
//! ```
//! The first takes away every velocity within the mechanism at the same rate, whatever the step, and no momentum but by what bodies turn in a
//! step; the second bears weights at
//! joints, as motors do. What of them joints cannot turn into motion they hold themselves, so both are torques of joints, and the load that
//! actions see has them in it.
//! Specification: mathematics 5.5, 4.6 (Z24); Khatib 1987.

use glam::{DMat3, DQuat, DVec3};

use super::sensed::BodyPoint;
use crate::collision::tensor;
use crate::rigid::forest::Forest;
use crate::rigid::joint::{Joint, MOST_ROWS, Velocities};
use crate::rigid::motion::{halves, vector};
use crate::rigid::rattle::{Mechanism, Rattle};
use crate::rigid::{Body, Momentum, World};

/// Mobilities of points of one tree, six rows each: along and about the axes of the world.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OperationalInertia {
    /// A, row by row: m/s² and rad/s² by newtons and newton metres.
    pub matrix: Vec<f64>,
    /// a₀, m/s² and rad/s².
    pub load: Vec<f64>,
    /// A of each point if its body hung on nothing, 36 numbers each.
    pub free: Vec<f64>,
}

/// What is done for a whole mechanism while one of its points is acted on.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Upkeep {
    /// Rate at which joints come to rest, per second.
    pub calm: f64,
    /// Whether joints bear the weight of what is beyond them.
    pub is_braced: bool,
}

/// Measures mobilities. Keeps its memory from step to step.
#[derive(Clone, Debug)]
pub struct Probe {
    rattle: Rattle<f64>,
    forest: Forest,
    loads: Vec<[f64; 6]>,
    asked: Vec<[f64; MOST_ROWS]>,
    accelerations: Vec<[f64; 6]>,
    /// Force (N) and torque (N m) on every body from upkeep.
    upkeep: Vec<[DVec3; 2]>,
    /// Mass, and mass times place, of a body and all beyond it.
    beyond: Vec<(f64, DVec3)>,
    /// Whether a tree hangs on the world.
    is_hung: Vec<bool>,
}

/// Share of a body's own mobility below which a direction is stiff.
const STIFF: f64 = 0.01;
/// Sweeps of Jacobi's method.
const SWEEPS: usize = 30;

impl Probe {
    /// Room for a world.
    pub fn new(world: &World) -> Self {
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

    /// Factors the trees that have an `upkeep`, and finds what accelerates them. Before [`Self::measure`].
    pub fn look(&mut self, world: &World, upkeep: impl Fn(usize) -> Option<Upkeep>) {
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

    /// Q = (m g, −ω × L) of bodies and −γ of joints.
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

    /// Forces and torques of upkeep, with the bodies they act on.
    pub fn upkeep(&self) -> impl Iterator<Item = (usize, [DVec3; 2])> {
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
        // Children come before their parents.
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

    /// Mobilities of points of one tree.
    pub fn measure(&mut self, world: &World, points: &[BodyPoint], mobility: &mut OperationalInertia) {
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

/// Accelerations of a point at `r` from the center of a body that hangs on nothing, by unit forces and torques there.
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

/// How bodies move together.
#[derive(Clone, Copy, Debug, Default)]
struct Whole {
    velocity: DVec3,
    spin: DVec3,
}

/// The mass center of bodies, and the rigid motion that has their momentum and angular momentum.
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
    /// Of one point alone, with all that hangs on its body and no upkeep.
    pub fn of_one(world: &World, point: BodyPoint) -> Self {
        let mut mobility = Self::default();
        let mut probe = Probe::new(world);
        let tree = world.forest().tree.get(point.body).copied();
        if let Some(tree) = tree {
            probe.look(world, |other| (other == tree).then_some(Upkeep::default()));
            probe.measure(world, &[point], &mut mobility);
        }
        mobility
    }

    /// Forces and torques at the points, newtons and newton metres, for the accelerations that are `wanted`, m/s² and rad/s²; 0 where
    /// nothing is. Points that are not `carries` get no share of the load.
    pub fn forces(&self, wanted: &[Option<f64>], carries: impl Fn(usize) -> bool) -> Vec<f64> {
        let mut room = OperationalSpaceScratch::default();
        self.solve(wanted, carries, &mut room);
        room.forces
    }

    /// The same into [`OperationalSpaceScratch::forces`]; allocates nothing where there was as much to solve before.
    pub fn solve(&self, wanted: &[Option<f64>], carries: impl Fn(usize) -> bool, room: &mut OperationalSpaceScratch) {
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

    /// W with W A_free Wᵀ = 1, point by point: the inverse of the Cholesky factor of what each body would be by itself.
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

/// Memory of [`OperationalInertia::solve`], kept from step to step.
#[derive(Clone, Debug, Default)]
pub struct OperationalSpaceScratch {
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

/// Other numbers in the same memory.
fn refill(all: &mut Vec<f64>, by: impl Iterator<Item = f64>) {
    all.clear();
    all.extend(by);
}

/// A B of square matrices.
fn product(a: &[f64], count: usize, b: impl Fn(usize, usize) -> f64, into: &mut Vec<f64>) {
    let at = |i: usize, j: usize| (0..count).map(|k| a[i * count + k] * b(k, j)).sum();
    refill(into, (0..count * count).map(|index| at(index / count, index % count)));
}

/// The solution of a symmetric system of which nothing is known but that no eigenvalue is negative.
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

/// Jacobi's rotations: leaves the eigenvalues on the diagonal, and the eigenvectors as columns.
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
