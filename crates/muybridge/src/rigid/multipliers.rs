//! Accelerations and joint forces by Lagrange multipliers on the level of accelerations, from the matrix of all rows or
//! along the joint tree.
//!
//! ```text
//! (J W Jᵀ) λ = −γ − J W Q − k_s C − k_d J u,     u̇ = W (Q + Jᵀ λ)          W = M⁻¹, blocks 1/m and R I⁻¹ Rᵀ
//! Q = (F, τ − ω × I ω)                             the source omits the gyroscopic moment
//! C̈ + k_d Ċ + k_s C = 0                            decay of a gap by feedback; critical: k_d = 2 √k_s
//! Ċ = J (u + t u̇)                                  velocities that are t behind: the right-hand side is that of u by 1 + t k_d
//! γ, ω × I ω of u + t u̇, u̇ of the last solve        of u itself joints would do work of order t: what whirls would gain it
//! ```
//! `Cholesky` is the source's method: J W Jᵀ written out and factored by Cholesky, here without its zeros. `Tree`
//! solves the same system in time linear in the number of bodies. Specification: mathematics 4.4, 4.5 (H9–H13); Hennix et al., equations 7, 12, 14, 15 with errata H-E1, H-E2, H-E7.

use glam::DVec3;

use super::joint::{Joint, JointJacobian, MOST_ROWS, Velocities};
use super::joint_matrix::JointMatrix;
use super::motion::{Momentum, Pose, Velocity, halves, vector};
use super::rattle::{Mechanism, Rattle};
use super::tree::axes;
use crate::math::lane_rotation::LaneVector;

/// Linear solver of the joint multipliers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Elimination {
    /// Cholesky factorization of the matrix of all rows.
    Cholesky,
    /// Block LDLᵀ along the joint tree.
    #[default]
    Tree,
}

/// Feedback (Baumgarte stabilization) that pulls drifted joints together.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Feedback {
    /// Stiffness k_s, 1/s².
    pub stiffness: f64,
    /// Damping k_d, 1/s.
    pub damping: f64,
}

/// Accelerations and multipliers of a mechanism, with buffers. After [`Self::new`] only the first solve by Cholesky
/// allocates.
#[derive(Clone, Debug)]
pub struct Multipliers {
    /// Acceleration of every body, m/s² and rad/s², world axes, linear part first.
    pub accelerations: Vec<Velocity<f64>>,
    /// Multipliers λ of every joint: newtons and newton meters along its rows.
    pub forces: Vec<[f64; MOST_ROWS]>,
    /// Time by which the velocities of each body are behind its pose, seconds: half a step where both alternate. What is
    /// quadratic in them is that of velocities brought forward by the `accelerations` of the last solve.
    pub lags: Vec<f64>,
    rows: Vec<JointJacobian<f64>>,
    /// Right-hand side −γ − k_s C − k_d J u.
    asked: Vec<[f64; MOST_ROWS]>,
    /// External loads Q of the bodies, with the gyroscopic moment.
    loads: Vec<[f64; 6]>,
    tree: Rattle<f64>,
    /// Made by the first solve by Cholesky.
    matrix: Option<JointMatrix<f64>>,
    /// Right-hand side by lines of the matrix.
    wanted: Vec<f64>,
}

impl Multipliers {
    /// Allocates buffers for a mechanism.
    pub fn new(mechanism: Mechanism<'_>) -> Self {
        let (bodies, joints) = (mechanism.bodies.len(), mechanism.joints.len());
        Self {
            accelerations: vec![[0.0; 6]; bodies],
            forces: vec![[0.0; MOST_ROWS]; joints],
            lags: vec![0.0; bodies],
            rows: vec![JointJacobian::none(0.0); joints],
            asked: vec![[0.0; MOST_ROWS]; joints],
            loads: vec![[0.0; 6]; bodies],
            tree: Rattle::new(0.0, mechanism),
            wanted: Vec::new(),
            matrix: None,
        }
    }

    /// Solves for accelerations and multipliers of bodies at `poses` with `momenta` under external `wrenches`.
    pub fn solve(
        &mut self,
        mechanism: Mechanism<'_>,
        (poses, momenta): (&[Pose<f64>], &[Momentum<f64>]),
        wrenches: &[Momentum<f64>],
        (elimination, feedback): (Elimination, Feedback),
    ) {
        self.equations(mechanism, (poses, momenta), wrenches, feedback);
        match elimination {
            Elimination::Cholesky => self.solve_all(mechanism, poses),
            Elimination::Tree => self.solve_tree(mechanism, poses),
        }
    }

    /// Adds the joint forces Jᵀλ to wrenches.
    pub fn add_to(&self, wrenches: &mut [Momentum<f64>]) {
        for (rows, forces) in self.rows.iter().zip(&self.forces) {
            let (child, parent) = rows.ends;
            for row in 0..rows.count {
                let [own, above] = rows.six(row).map(|six| Momentum::of_six(six).times(forces[row]));
                wrenches[child] = wrenches[child].plus(own);
                if let Some(parent) = parent {
                    wrenches[parent] = wrenches[parent].plus(above);
                }
            }
        }
    }

    /// Force of a joint on its child, newtons, world axes.
    pub fn force(&self, joint: usize) -> DVec3 {
        let rows = &self.rows[joint];
        (0..rows.count).map(|row| vector(rows.linear[row]) * self.forces[joint][row]).sum()
    }

    /// Power of the joint forces at given velocities, watts; 0 for admissible velocities.
    pub fn power(&self, velocities: impl Fn(usize) -> Velocity<f64>) -> f64 {
        let of = |(rows, forces): (&JointJacobian<f64>, &[f64; MOST_ROWS])| -> f64 {
            (0..rows.count).map(|row| forces[row] * rate(rows, row, &velocities)).sum()
        };
        self.rows.iter().zip(&self.forces).map(of).sum()
    }

    /// Evaluates J, γ, C and Q.
    fn equations(
        &mut self,
        mechanism: Mechanism<'_>,
        (poses, momenta): (&[Pose<f64>], &[Momentum<f64>]),
        wrenches: &[Momentum<f64>],
        feedback: Feedback,
    ) {
        let Mechanism { bodies, joints, .. } = mechanism;
        let velocity = |body: usize| momenta[body].velocities(&bodies[body], poses[body].turn());
        let Self { accelerations, lags, .. } = self;
        let forward = |body: usize| {
            let ((v, w), (along, about)) = (velocity(body), halves(&accelerations[body]));
            (v + along * lags[body], w + about * lags[body])
        };
        for body in 0..bodies.len() {
            let ((v, w), turn) = (forward(body), poses[body].turn());
            let momentum = if lags[body] == 0.0 { momenta[body] } else { Momentum::of(&bodies[body], turn, v, w) };
            let moment = vector(wrenches[body].angular) - w.cross(vector(momentum.angular));
            self.loads[body] = six(Momentum { linear: wrenches[body].linear, angular: LaneVector::splat((), moment) });
        }
        for (index, joint) in joints.iter().enumerate() {
            let sides = joint.sides_at(poses);
            let place = joint.guide(&sides);
            let velocities = |of: &dyn Fn(usize) -> (DVec3, DVec3)| {
                let ((v1, w1), (v0, w0)) = (of(joint.child), joint.parent.map(of).unwrap_or_default());
                Velocities { linear: [v0, v1], angular: [w0, w1] }
            };
            let rows = joint.equations(&sides, place.as_ref());
            let bias = joint.bias(&sides, &velocities(&forward), place.as_ref());
            let rate = rows.rate(&velocities(&velocity));
            let share = 1.0 / (1.0 + lags[joint.child] * feedback.damping);
            for row in 0..rows.count {
                self.asked[index][row] =
                    share * (-bias[row] - feedback.stiffness * rows.error[row] - feedback.damping * rate[row]);
            }
            self.rows[index] = rows;
        }
    }

    fn solve_all(&mut self, mechanism: Mechanism<'_>, poses: &[Pose<f64>]) {
        let Mechanism { bodies, joints, .. } = mechanism;
        let response =
            |body: usize, load: [f64; 6]| Momentum::of_six(load).velocity(&bodies[body], &axes(&poses[body]));
        for body in 0..bodies.len() {
            self.accelerations[body] = response(body, self.loads[body]);
        }
        let Self { matrix, wanted, rows, asked, accelerations, forces, .. } = self;
        if matrix.is_none() {
            *matrix = JointMatrix::new(0.0, (joints, bodies.len()), |_| true, |joint| joints[joint].rows(), usize::MAX);
        }
        let Some(matrix) = matrix else { return };
        wanted.resize(matrix.lines(), 0.0);
        for place in 0..matrix.joints.len() {
            let joint = matrix.joints[place];
            let rows = &rows[joint];
            matrix.set(place, (rows, &[0.0; MOST_ROWS]), response);
            for row in 0..rows.count {
                let rate = rate(rows, row, &|body: usize| accelerations[body]);
                wanted[matrix.line(place, row)] = asked[joint][row] - rate;
            }
        }
        matrix.factor(REPEATED);
        matrix.solve(|line| wanted[line]);
        for (place, &joint) in matrix.joints.iter().enumerate() {
            let (child, parent) = rows[joint].ends;
            for row in 0..rows[joint].count {
                let force = matrix.impulse(matrix.line(place, row));
                let [own, above] = matrix.response(place, row);
                forces[joint][row] = force;
                add(&mut accelerations[child], own, force);
                if let Some(parent) = parent {
                    add(&mut accelerations[parent], above, force);
                }
            }
        }
    }

    fn solve_tree(&mut self, mechanism: Mechanism<'_>, poses: &[Pose<f64>]) {
        let Self { tree, rows, asked, loads, accelerations, forces, .. } = self;
        tree.factor_soft(mechanism, poses, &Joint::guide, &|_| 0.0);
        tree.solve_for(mechanism, |body| loads[body], |joint| asked[joint]);
        tree.multipliers(mechanism.forest, forces);
        for (acceleration, node) in accelerations.iter_mut().zip(&tree.factors.nodes) {
            *acceleration = node.velocity;
        }
        if mechanism.forest.closing.is_empty() {
            return;
        }
        // Solves again for the residual that rounding left in loops.
        for (asked, rows) in asked.iter_mut().zip(rows.iter()) {
            for row in 0..rows.count {
                asked[row] -= rate(rows, row, &|body: usize| accelerations[body]);
            }
        }
        tree.solve_for(mechanism, |_| [0.0; 6], |joint| asked[joint]);
        for (acceleration, node) in accelerations.iter_mut().zip(&tree.factors.nodes) {
            add(acceleration, &node.velocity, 1.0);
        }
        tree.multipliers(mechanism.forest, asked);
        for (force, more) in forces.iter_mut().zip(asked.iter()) {
            for (force, more) in force.iter_mut().zip(more) {
                *force += more;
            }
        }
    }
}

/// Share of its diagonal below which a pivot is rounding noise of a redundant row.
const REPEATED: f64 = 1e-11;

fn six(momentum: Momentum<f64>) -> [f64; 6] {
    let Momentum { linear: l, angular: a } = momentum;
    [l.x, l.y, l.z, a.x, a.y, a.z]
}

fn add(sum: &mut [f64; 6], six: &[f64; 6], scale: f64) {
    for (sum, value) in sum.iter_mut().zip(six) {
        *sum += value * scale;
    }
}

/// Rate J u of one row.
fn rate(rows: &JointJacobian<f64>, row: usize, velocity: &impl Fn(usize) -> Velocity<f64>) -> f64 {
    let dot = |a: &[f64; 6], b: &[f64; 6]| {
        let ((a, b), (c, d)) = (halves(a), halves(b));
        a.dot(c) + b.dot(d)
    };
    let ([own, above], (child, parent)) = (rows.six(row), rows.ends);
    dot(&own, &velocity(child)) + parent.map_or(0.0, |parent| dot(&above, &velocity(parent)))
}

#[cfg(test)]
mod articulated;
#[cfg(test)]
mod tests;
