//! Joint forces of [`Method::Hennix`], and substeps that follow the tension they put on light bodies.
//!
//! ```text
//! (J W Jᵀ) λ = −γ − J W Q − k_s C − k_d J u,   u: velocities of the last drift, before the impulse h Q of the kick
//! tension F in a joint at r from the center of a body:   ω² = Σ |F| |r| / I,   I: moment about an axis across r
//! explicit steps are stable below h ω = 2
//! ```
//! With the kick in u, feedback would answer weight twice, and a held body would rise by g h k_d/k_s. Specification:
//! mathematics 4.4, 4.5 (H9–H13).

use glam::DVec3;

use super::{Scratch, World};
use crate::rigid::Body;
use crate::rigid::integrator::Integrator;
use crate::rigid::motion::{Momentum, vector};
use crate::rigid::multipliers::{Elimination, Feedback, Multipliers};
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
    /// what is about to touch comes near in small ones: a hit may whirl a light limb, whose joint then drifts open. The
    /// first substep of a step, and one with a contact, solve for the tension; others go by that of the substep before.
    /// Other integrators than the default take the steps that are asked for.
    pub(super) fn pieces_by_tension(&mut self, h: f64, is_first: bool) -> u32 {
        let Self { model, settings, state, awake, scratch, .. } = self;
        let Method::Hennix(feedback) = settings.method else { return 1 };
        if settings.integrator != Integrator::Splitting {
            return 1;
        }
        let mechanism = Mechanism { bodies: &model.bodies, joints: &model.joints, forest: awake };
        scratch.contacts.clear();
        scratch.touch.contacts((&*model, &*settings), state, (awake, h), &mut scratch.contacts);
        if is_first || !scratch.contacts.is_empty() {
            scratch.solve_joints(mechanism, (settings, feedback), state, 0.0);
        }
        let nearer = scratch.contacts.iter().map(|contact| approach(contact, &model.bodies, state)).fold(0.0, f64::max);
        let swing = scratch.fastest_swing(mechanism, state);
        let wanted = libm::ceil((swing * h / MOST_SWING).max(nearer * h / MOST_APPROACH));
        if wanted.is_finite() { wanted.clamp(1.0, MOST_PIECES) as u32 } else { 1 }
    }
}

impl Scratch {
    /// Applies the joint forces of the acceleration solver for `h` seconds, after the kick of that substep.
    pub(super) fn accelerate(
        &mut self,
        mechanism: Mechanism<'_>,
        (settings, feedback): (&Settings, Feedback),
        state: &mut State,
        h: f64,
    ) {
        self.solve_joints(mechanism, (settings, feedback), state, h);
        self.loads.fill(Momentum::ZERO);
        let Self { multipliers, loads, .. } = self;
        multipliers.iter().for_each(|multipliers| multipliers.add_to(loads));
        for &body in &mechanism.forest.order {
            state.momenta[body] = state.momenta[body].plus(self.loads[body].times(h));
        }
    }

    /// Solves for the joint forces of bodies whose momenta have had the impulse of their loads for `kicked` seconds.
    fn solve_joints(
        &mut self,
        mechanism: Mechanism<'_>,
        (settings, feedback): (&Settings, Feedback),
        state: &State,
        kicked: f64,
    ) {
        let Self { loads, kept, wrenches, multipliers, .. } = self;
        for (body, load) in loads.iter_mut().enumerate() {
            let [x, y, z, a, b, c] = wrenches[body];
            let weight = settings.gravity * mechanism.bodies[body].mass;
            *load = Momentum::from_vectors(weight + DVec3::new(x, y, z), DVec3::new(a, b, c));
            kept[body] = state.momenta[body].minus(load.times(kicked));
        }
        let multipliers = multipliers.get_or_insert_with(|| Multipliers::new(mechanism));
        multipliers.lag = 0.5 * kicked;
        multipliers.solve(mechanism, (&state.poses, kept), loads, (Elimination::Cholesky, feedback));
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
