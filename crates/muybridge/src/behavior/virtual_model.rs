//! Virtual model control: joint moments that balance given forces, by statics of a tree from its ends to its root.
//!
//! ```text
//! joint j at x_j, B the bodies beyond it:   τ_j = − Σ_{b ∈ B} (x_b − x_j) × m_b g − Σ_{k on B} [(p_k − x_j) × F_k + M_k]
//! ```
//! τ_j acts from the parent's body on the child's; the parent's body gets the opposite. Without forces τ_j is gravity compensation; with the
//! ground's forces on the feet it lets the legs carry and push (Pratt 2001, virtual model control: Jᵀ F).
//! Specification: mathematics 4.6 (inverse dynamics), 8.2.

use glam::DVec3;

use super::{RagdollModel, Sensed};

/// External force and moment on a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Load {
    /// Index into [`RagdollModel::bodies`].
    pub body: usize,
    /// Point of application, meters.
    pub place: DVec3,
    /// Force, newtons.
    pub force: DVec3,
    /// Additional moment, newton meters.
    pub moment: DVec3,
}

/// Computes for each of [`RagdollModel::links`] the moment on its child, newton meters, world axes, that balances weights and `loads` beyond the joint.
pub(crate) fn moments(figure: &RagdollModel, sensed: &Sensed, loads: &[Load]) -> Vec<DVec3> {
    // Sum of forces and moments about the origin, for each body and all bodies beyond it.
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
