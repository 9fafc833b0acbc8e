//! Joint forces of [`Method::Hennix`], and substeps that follow the tension they put on light bodies.
//!
//! ```text
//! (J W Jᵀ) λ = −γ − J W Q − k_s C − k_d J u
//! free trees:   u += ½ h W (Q + Jᵀ λ),   x += h u,   λ at the new x,   u += ½ h W (Q + Jᵀ λ)      velocity Verlet
//! tension F in a joint at r from the center of a body:   ω² = Σ |F| |r| / I,   I: moment about an axis across r
//! explicit steps are stable below h ω = 2
//! ```
//! Joint forces act wherever loads act. With loads alone in the second half, a pulled hand would end a step with a
//! velocity ½ h F/m that its joints do not allow, and the action that pulls it would answer that. Specification:
//! mathematics 4.4, 4.5 (H9–H13).

use glam::DVec3;

use super::{Scratch, World};
use crate::rigid::Body;
use crate::rigid::integrator::Integrator;
use crate::rigid::motion::{Momentum, vector};
use crate::rigid::multipliers::{Elimination, Multipliers};
use crate::rigid::rattle::Mechanism;
use crate::rigid::row::Contact;
use crate::rigid::settings::{Method, Settings};
use crate::rigid::state::State;

/// Greatest angle h ω by which tension may swing a body in a substep, radians.
const MOST_SWING: f64 = 0.3;

/// Greatest way by which two surfaces that are about to touch may come nearer in a substep, meters.
const MOST_APPROACH: f64 = 0.005;

/// Greatest number of pieces of a substep.
const MOST_PIECES: f64 = 64.0;

impl World {
    /// Number of pieces of a substep of `h` seconds, so that the tension of the joints swings no body too far in one, and
    /// what is about to touch comes near in small ones: a hit may whirl a light limb, whose joint then drifts open. Other
    /// integrators than the default take the steps that are asked for.
    pub(super) fn pieces_by_tension(&mut self, h: f64) -> u32 {
        let Self { model, settings, state, awake, scratch, .. } = self;
        if settings.integrator != Integrator::Splitting || !matches!(settings.method, Method::Hennix(_)) {
            return 1;
        }
        let mechanism = Mechanism { bodies: &model.bodies, joints: &model.joints, forest: awake };
        scratch.solve_joints(mechanism, settings, state, [0.0, 0.5 * h]);
        let nearer = scratch.contacts.iter().map(|contact| approach(contact, &model.bodies, state)).fold(0.0, f64::max);
        let swing = scratch.fastest_swing(mechanism, state);
        let wanted = libm::ceil((swing * h / MOST_SWING).max(nearer * h / MOST_APPROACH));
        if wanted.is_finite() { wanted.clamp(1.0, MOST_PIECES) as u32 } else { 1 }
    }
}

impl Scratch {
    /// Solves for the joint forces of [`Method::Hennix`], unless they are known. The velocities of free trees and of
    /// trees in contact are behind the poses by `lags`, seconds.
    pub(super) fn solve_joints(
        &mut self,
        mechanism: Mechanism<'_>,
        settings: &Settings,
        state: &State,
        [free, touched]: [f64; 2],
    ) {
        let Method::Hennix(feedback) = settings.method else { return };
        if self.is_solved || mechanism.joints.is_empty() {
            return;
        }
        let Mechanism { bodies, joints, forest } = mechanism;
        let Self { kept: loads, wrenches, multipliers, reactions, is_touched, .. } = self;
        for (body, load) in loads.iter_mut().enumerate() {
            let [x, y, z, a, b, c] = wrenches[body];
            let weight = settings.gravity * bodies[body].mass;
            *load = Momentum::from_vectors(weight + DVec3::new(x, y, z), DVec3::new(a, b, c));
        }
        let multipliers = multipliers.get_or_insert_with(|| Multipliers::new(mechanism));
        for (lag, joint) in multipliers.lags.iter_mut().zip(joints) {
            *lag = if is_touched[forest.tree[joint.child]] { touched } else { free };
        }
        multipliers.solve(mechanism, (&state.poses, &state.momenta), loads, (Elimination::Cholesky, feedback));
        reactions.fill(Momentum::ZERO);
        multipliers.add_to(reactions);
        self.is_solved = true;
    }

    /// Greatest ω of a body between the tensions of its joints, radians per second.
    fn fastest_swing(&mut self, mechanism: Mechanism<'_>, state: &State) -> f64 {
        let Self { multipliers, sums, .. } = self;
        let Some(multipliers) = multipliers else { return 0.0 };
        let Mechanism { bodies, joints, forest } = mechanism;
        // The sum of |F| |r| / I of each body is in the first of its numbers.
        sums.fill([0.0; 6]);
        for (index, joint) in joints.iter().enumerate().filter(|(_, joint)| forest.has(joint.child)) {
            let force = multipliers.force(index).length();
            let sides = joint.sides_at(&state.poses);
            for (body, side) in [joint.parent, Some(joint.child)].into_iter().zip(&sides) {
                let Some(body) = body else { continue };
                let arm = vector(side.anchor) - vector(side.center);
                let inverse = inverse_moment_across(bodies[body].moments, state.poses[body].turn().conjugate() * arm);
                sums[body][0] += force * arm.length() * inverse;
            }
        }
        libm::sqrt(forest.order.iter().map(|&body| sums[body][0]).fold(0.0, f64::max))
    }
}

/// Speed at which the surfaces of a contact come nearer, m/s; negative if they part.
fn approach(contact: &Contact, bodies: &[Body], state: &State) -> f64 {
    let velocity = |side: usize| {
        let body = contact.bodies[side]?;
        let (velocity, spin) = state.momenta[body].velocities(&bodies[body], state.poses[body].turn());
        Some(velocity + spin.cross(contact.point - state.poses[body].place()))
    };
    let first = velocity(0).unwrap_or(DVec3::ZERO);
    (velocity(1).unwrap_or(contact.velocity) - first).dot(contact.normal)
}

/// Mean of 1/I over the axes across an arm, in the frame of the body.
fn inverse_moment_across(moments: DVec3, arm: DVec3) -> f64 {
    let inverse = moments.recip();
    let along = arm.try_normalize().map_or(0.0, |arm| (arm * arm).dot(inverse));
    0.5 * (inverse.element_sum() - along)
}
