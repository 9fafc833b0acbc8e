//! Moments of joints that carry given forces: statics of a tree, from its ends to its root.
//!
//! ```text
//! joint j at x_j, B the bodies beyond it:   τ_j = − Σ_{b ∈ B} (x_b − x_j) × m_b g − Σ_{k on B} [(p_k − x_j) × F_k + M_k]
//! ```
//! τ_j is what the parent's body gives the child's, its opposite what it gets. Without forces it is gravity compensation; with the
//! ground's forces on the feet it is what legs do to carry and to push (Pratt 2001, virtual model control: Jᵀ F).
//! Specification: mathematics 4.6 (inverse dynamics), 8.2.

use glam::DVec3;

use super::{RagdollModel, Sensed};

/// A force from outside on a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Load {
    /// Index into [`RagdollModel::bodies`].
    pub body: usize,
    /// Where it acts, metres.
    pub place: DVec3,
    /// Newtons.
    pub force: DVec3,
    /// A moment besides, newton metres.
    pub moment: DVec3,
}

/// For each of [`RagdollModel::links`] the moment on its child, newton metres, world axes, that balances weights and `loads` beyond it.
pub fn moments(figure: &RagdollModel, sensed: &Sensed, loads: &[Load]) -> Vec<DVec3> {
    // Forces and moments about the origin of all that hangs on a body, and of itself.
    let mut beyond: Vec<(DVec3, DVec3)> = (figure.bodies.iter().zip(&sensed.motions))
        .map(|(part, motion)| {
            let weight = sensed.gravity * part.mass;
            (weight, motion.center.cross(weight))
        })
        .collect();
    for load in loads.iter().filter(|load| load.body < figure.bodies.len()) {
        beyond[load.body].0 += load.force;
        beyond[load.body].1 += load.place.cross(load.force) + load.moment;
    }
    let mut moments = vec![DVec3::ZERO; figure.links.len()];
    for (index, link) in figure.links.iter().enumerate().rev() {
        let [parent, child] = link.bodies;
        let (force, moment) = beyond[child];
        moments[index] = sensed.pose[link.bone].0.cross(force) - moment;
        beyond[parent].0 += force;
        beyond[parent].1 += moment;
    }
    moments
}
