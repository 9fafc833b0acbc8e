//! The ragdoll as a kinematic tree: Jacobians from accelerations of root and joints to bodies, and inverse dynamics.
//!
//! ```text
//! u = (v_0, ω_0, ω_j …)            of the first body, and of each joint's child relative to its parent, world axes
//! ω_b = ω_0 + Σ ω_j                v_b = v_0 + ω_0 × (x_b − x_0) + Σ ω_j × (x_b − p_j)          joints j between root and body
//! bias     a_b at u̇ = 0:  ω_0 × (v_b − v_0) + Σ ω_j × (v_b − ṗ_j)
//! A, b     rates of momentum and angular momentum about the center of mass:  A u̇ + b
//! ```
//! Specification: mathematics 4.6, 6.4.

use glam::{DMat3, DVec3};

use super::Weights;
use crate::behavior::root_assist::RigidAcceleration;
use crate::behavior::{RagdollModel, Sensed};
use crate::math::rotation::cross_matrix;

/// Block of a Jacobian: index of the first of three columns, and the 3×3 matrix.
pub(crate) type JacobianBlock = (usize, DMat3);

/// Kinematic tree of a ragdoll in its current state.
pub(crate) struct WholeBodyTree<'a> {
    pub figure: &'a RagdollModel,
    pub sensed: &'a Sensed,
    pub weights: &'a Weights,
    /// Acceleration field of the root assist; `None` without assist.
    pub led: Option<RigidAcceleration>,
    /// Inertia of each body about its center of mass, world axes, kg m².
    pub inertia: Vec<DMat3>,
    /// Angular velocity of each joint's child relative to its parent, rad/s.
    pub rates: Vec<DVec3>,
    /// Bias accelerations of the centers of mass at u̇ = 0, m/s².
    pub bias: Vec<DVec3>,
    /// Momentum matrix A (six rows of [`Self::unknowns`] numbers) and bias b.
    pub momentum: (Vec<f64>, [f64; 6]),
}

impl<'a> WholeBodyTree<'a> {
    pub(crate) fn new(
        figure: &'a RagdollModel,
        sensed: &'a Sensed,
        weights: &'a Weights,
        led: Option<RigidAcceleration>,
    ) -> Self {
        let motions = &sensed.motions;
        let turned = |(part, inertia): (&crate::behavior::figure::RagdollBody, &DMat3)| {
            let turn = DMat3::from_quat(sensed.pose[part.bone].1);
            turn * *inertia * turn.transpose()
        };
        let inertia = figure.bodies.iter().zip(&weights.inertia).map(turned).collect();
        let rate = |link: &crate::behavior::figure::RagdollLink| {
            let [parent, child] = link.bodies.map(|body| motions[body].angular_velocity);
            child - parent
        };
        let mut all = Self {
            figure,
            sensed,
            weights,
            led,
            inertia,
            rates: figure.links.iter().map(rate).collect(),
            bias: Vec::new(),
            momentum: (Vec::new(), [0.0; 6]),
        };
        let root = motions[0];
        all.bias = (0..figure.bodies.len())
            .map(|body| {
                let velocity = motions[body].velocity;
                let swung =
                    |sum: DVec3, &link: &usize| sum + all.rates[link].cross(velocity - all.joint_velocity(link));
                weights.paths[body].iter().fold(root.angular_velocity.cross(velocity - root.velocity), swung)
            })
            .collect();
        all.momentum = all.momenta();
        all
    }

    pub(crate) fn unknowns(&self) -> usize {
        6 + 3 * self.figure.links.len()
    }

    /// World position of a joint, meters.
    pub(crate) fn joint(&self, link: usize) -> DVec3 {
        self.sensed.pose[self.figure.links[link].bone].0
    }

    fn joint_velocity(&self, link: usize) -> DVec3 {
        let of = &self.sensed.motions[self.figure.links[link].bodies[0]];
        of.velocity + of.angular_velocity.cross(self.joint(link) - of.center)
    }

    /// Jacobian blocks from u̇ to the acceleration of a point of a body.
    pub(crate) fn moves(&self, body: usize, place: DVec3) -> impl Iterator<Item = JacobianBlock> + Clone + '_ {
        let about = move |center: DVec3| -cross_matrix(place - center);
        let root = [(0, DMat3::IDENTITY), (3, about(self.sensed.motions[0].center))];
        let links = self.weights.paths[body].iter().map(move |&link| (6 + 3 * link, about(self.joint(link))));
        root.into_iter().chain(links)
    }

    /// Jacobian blocks from u̇ to the angular acceleration of a body.
    pub(crate) fn turns(&self, body: usize) -> impl Iterator<Item = JacobianBlock> + Clone + '_ {
        let links = self.weights.paths[body].iter().map(|&link| (6 + 3 * link, DMat3::IDENTITY));
        core::iter::once((3, DMat3::IDENTITY)).chain(links)
    }

    fn momenta(&self) -> (Vec<f64>, [f64; 6]) {
        let count = self.unknowns();
        let (mut rows, mut bias) = (vec![0.0; 6 * count], [DVec3::ZERO; 2]);
        let mut add = |half: usize, (column, by): JacobianBlock| {
            for i in 0..3 {
                for j in 0..3 {
                    rows[(3 * half + i) * count + column + j] += by.col(j)[i];
                }
            }
        };
        for (body, motion) in self.sensed.motions.iter().enumerate() {
            let (mass, arm) = (self.weights.masses[body], motion.center - self.sensed.mass_center);
            for (column, by) in self.moves(body, motion.center) {
                add(0, (column, by * mass));
                add(1, (column, cross_matrix(arm) * by * mass));
            }
            for (column, by) in self.turns(body) {
                add(1, (column, self.inertia[body] * by));
            }
            bias[0] += self.bias[body] * mass;
            bias[1] += arm.cross(self.bias[body] * mass) + self.gyroscopic(body);
        }
        let [force, moment] = bias.map(|bias| bias.to_array());
        (rows, core::array::from_fn(|row| if row < 3 { force[row] } else { moment[row - 3] }))
    }

    /// Weight of a body plus the force of the root assist, newtons, and the moment about its center of mass, newton meters.
    fn given(&self, body: usize) -> (DVec3, DVec3) {
        let (mass, center) = (self.weights.masses[body], self.sensed.motions[body].center);
        let led = |field: &RigidAcceleration| (field.at(center) * mass, self.inertia[body] * field.angular);
        let (force, moment) = self.led.as_ref().map_or((DVec3::ZERO, DVec3::ZERO), led);
        (self.sensed.gravity * mass + force, moment)
    }

    /// Weight and root assist summed over all bodies: force, and moment about the center of mass.
    pub(crate) fn given_to_all(&self) -> [f64; 6] {
        let (mut force, mut moment) = (DVec3::ZERO, DVec3::ZERO);
        for (body, motion) in self.sensed.motions.iter().enumerate() {
            let (own, turned) = self.given(body);
            force += own;
            moment += (motion.center - self.sensed.mass_center).cross(own) + turned;
        }
        let (force, moment) = (force.to_array(), moment.to_array());
        core::array::from_fn(|row| if row < 3 { force[row] } else { moment[row - 3] })
    }

    /// Gyroscopic moment ω × I ω of a body, newton meters.
    fn gyroscopic(&self, body: usize) -> DVec3 {
        let spin = self.sensed.motions[body].angular_velocity;
        spin.cross(self.inertia[body] * spin)
    }

    /// Inverse dynamics: joint moments on the child bodies for accelerations u̇ under external forces (body, position, newtons).
    pub(crate) fn moments(
        &self,
        accelerations: &[f64],
        forces: impl Iterator<Item = (usize, DVec3, DVec3)>,
    ) -> Vec<DVec3> {
        let along = |sum: DVec3, (column, by): JacobianBlock| sum + by * DVec3::from_slice(&accelerations[column..]);
        // Force and moment about the origin, for each body and all bodies beyond it.
        let mut beyond: Vec<(DVec3, DVec3)> = (0..self.figure.bodies.len())
            .map(|body| {
                let center = self.sensed.motions[body].center;
                let acceleration = self.moves(body, center).fold(self.bias[body], along);
                let faster = self.turns(body).fold(DVec3::ZERO, along);
                let (given, turned) = self.given(body);
                let force = acceleration * self.weights.masses[body] - given;
                (force, self.inertia[body] * faster - turned + self.gyroscopic(body) + center.cross(force))
            })
            .collect();
        for (body, place, force) in forces {
            beyond[body].0 -= force;
            beyond[body].1 -= place.cross(force);
        }
        let mut moments = vec![DVec3::ZERO; self.figure.links.len()];
        for (index, link) in self.figure.links.iter().enumerate().rev() {
            let [parent, child] = link.bodies;
            let (force, moment) = beyond[child];
            moments[index] = moment - self.joint(index).cross(force);
            beyond[parent].0 += force;
            beyond[parent].1 += moment;
        }
        moments
    }
}
