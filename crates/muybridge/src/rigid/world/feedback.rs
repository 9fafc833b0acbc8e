//! Joint forces of [`Method::Hennix`], and substeps that follow the tension of joints on light bodies.
//!
//! ```text
//! (J W Jᵀ) λ = −γ − J W Q − k_s C − k_d J u
//! free trees:   u += ½ h W (Q + Jᵀ λ),   x += h u,   λ at the new x,   u += ½ h W (Q + Jᵀ λ)      velocity Verlet
//! tension F in a joint at r from the center of a body:   ω² = Σ |F| |r| / I,   I: moment about an axis across r
//! explicit steps are stable below h ω = 2
//! otherwise F = Σ m (a − g) − f over the bodies that a joint carries, under loads f; a as in the last substep, or by rotation alone:
//! a' = a + ω × (ω × r) − ω' × (ω' × r')      of a body from that of its parent, r and r' their arms to the joint
//! ```
//! Joint forces act wherever loads act. With loads alone in the second half, a pulled hand would end a step with a
//! velocity ½ h F/m that its joints do not allow, and the action that pulls it would answer that. Specification:
//! mathematics 4.4, 4.5 (H9–H13).

use glam::DVec3;

use super::{Scratch, World};
use crate::rigid::Body;
use crate::rigid::integrator::Integrator;
use crate::rigid::joint::{Joint, JointSide};
use crate::rigid::motion::{Momentum, vector};
use crate::rigid::multipliers::{Elimination, Feedback, Multipliers};
use crate::rigid::rattle::Mechanism;
use crate::rigid::row::Contact;
use crate::rigid::settings::{Method, Settings};
use crate::rigid::state::State;
use crate::rigid::swing::Swing;

/// Greatest angle h ω by which tension may swing a body in a substep, radians, where feedback holds the joints.
const MOST_SWING: f64 = 0.15;

/// The same where joints are put together at the end of a substep.
const MOST_SWING_ENDED: f64 = 1.0;

/// The same for trees of [`Swing`], which is stable at any, but does not always converge.
const MOST_SWING_BETWEEN: f64 = 8.0;

/// Greatest way by which two surfaces that are about to touch may come nearer in a substep, meters.
const MOST_APPROACH: f64 = 0.005;

/// Share of the mass of a tree from which one body, a mouse anchor, moves as if nothing touched the others.
const ALONE: f64 = 0.99;

/// Greatest number of pieces of a substep.
const MOST_PIECES: f64 = 64.0;

impl World {
    /// Takes away what the joints do not allow of the velocities of the start, as a hit would. Feedback alone would let it open gaps
    /// as long as the limbs, along which joint forces do work. Other integrators than the default start as they are told.
    pub(super) fn join_start(&mut self) {
        let Self { model, settings, state, awake, scratch, .. } = self;
        let is_held = matches!(settings.method, Method::Hennix(_)) && settings.integrator == Integrator::Splitting;
        if is_held && state.steps == 0 && !model.joints.is_empty() {
            let mechanism = Mechanism { bodies: &model.bodies, joints: &model.joints, forest: awake };
            scratch.rattle.factor(mechanism, &state.poses, &Joint::guide, settings.time_step);
            // The second time takes away what great ratios of masses left.
            (0..2).for_each(|_| scratch.rattle.project(mechanism, &mut state.momenta));
        }
    }

    /// Number of pieces of the last `h` of the `whole` seconds of a substep, so that the tension of the joints swings no body too
    /// far in one, and what is about to touch comes near in small ones: a hit may whirl a light limb, whose joint then drifts
    /// open. Other integrators than the default take the steps that are asked for.
    pub(super) fn pieces_by_tension(&mut self, [h, whole]: [f64; 2]) -> u32 {
        let Self { model, settings, state, awake, scratch, .. } = self;
        if settings.integrator != Integrator::Splitting || model.joints.is_empty() {
            return 1;
        }
        let mechanism = Mechanism { bodies: &model.bodies, joints: &model.joints, forest: awake };
        let wanted = match settings.method {
            Method::Hennix(_) => {
                scratch.solve_joints(mechanism, settings, state, [0.0, 0.5 * h]);
                let approaches = scratch.contacts.iter().map(|contact| approach(contact, &model.bodies, state));
                let nearer = approaches.fold(0.0, f64::max);
                (scratch.fastest_swing(mechanism, state) * h / MOST_SWING).max(nearer * h / MOST_APPROACH)
            }
            Method::Displacement(_) | Method::Multipliers => scratch.carried_swing(mechanism, (settings, state), h),
        };
        let wanted = libm::ceil(wanted);
        if wanted.is_finite() { wanted.clamp(1.0, (MOST_PIECES * h / whole).max(1.0)) as u32 } else { 1 }
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
        let Mechanism { bodies, forest, .. } = mechanism;
        let Self { kept: loads, wrenches, multipliers, reactions, is_touched, .. } = self;
        for (body, load) in loads.iter_mut().enumerate() {
            let [x, y, z, a, b, c] = wrenches[body];
            let weight = settings.gravity * bodies[body].mass;
            *load = Momentum::from_vectors(weight + DVec3::new(x, y, z), DVec3::new(a, b, c));
        }
        let multipliers = multipliers.get_or_insert_with(|| Multipliers::new(mechanism));
        for (lag, &tree) in multipliers.lags.iter_mut().zip(&forest.tree) {
            *lag = if is_touched[tree] { touched } else { free };
        }
        let how = (Elimination::Cholesky, in_substep(feedback, settings, 2.0 * touched));
        multipliers.solve(mechanism, (&state.poses, &state.momenta), loads, how);
        reactions.fill(Momentum::ZERO);
        multipliers.add_to(reactions);
        self.is_solved = true;
    }

    /// Greatest ω of a body between the tensions of its joints, radians per second.
    fn fastest_swing(&mut self, mechanism: Mechanism<'_>, state: &State) -> f64 {
        let Some(multipliers) = self.multipliers.take() else { return 0.0 };
        self.swing_between(mechanism, state, |index| multipliers.force(index).length());
        self.multipliers = Some(multipliers);
        let sums = &self.sums;
        libm::sqrt(mechanism.forest.order.iter().map(|&body| sums[body][0]).fold(0.0, f64::max))
    }

    /// Greatest ω h of a body between the tensions of its joints, which carry what is below them, as a share of the
    /// greatest that a step of the method takes.
    fn carried_swing(&mut self, mechanism: Mechanism<'_>, (settings, state): (&Settings, &State), h: f64) -> f64 {
        let Mechanism { forest, joints, bodies } = mechanism;
        let mut carried = core::mem::take(&mut self.reactions);
        // Multipliers answer a hit as it comes; displacement leaves it to later substeps.
        let last = if settings.method.is_displaced() { self.last_substep } else { 0.0 };
        self.rates(mechanism, (settings, state), last, &mut carried);
        for &body in &forest.order {
            let (rate, [x, y, z, ..]) = (vector(carried[body].linear), self.wrenches[body]);
            let force = (rate - settings.gravity) * bodies[body].mass - DVec3::new(x, y, z);
            carried[body] = Momentum::from_vectors(force, DVec3::ZERO);
        }
        for &body in &forest.order {
            if let Some(parent) = forest.parent[body] {
                carried[parent] = carried[parent].plus(carried[body]);
            }
        }
        // A joint that closes a loop carries no more than its child.
        let force = |index: usize| {
            let joint = &joints[index];
            let below = joint.parent.filter(|&parent| forest.hangs_by[parent] == Some(index)).unwrap_or(joint.child);
            vector(carried[below].linear).length()
        };
        self.swing_between(mechanism, state, force);
        carried.fill(Momentum::ZERO);
        self.reactions = carried;
        let mut single = core::mem::take(&mut self.single);
        let mut greatest = 0.0_f64;
        for tree in 0..forest.trees {
            let fastest = forest.of_tree(tree).iter().map(|&body| self.sums[body][0]).fold(0.0, f64::max);
            let mut share = h * libm::sqrt(fastest) / MOST_SWING_ENDED;
            if share > 1.0 && !settings.method.is_displaced() {
                single.take_one(forest, tree);
                if Swing::suits(Mechanism { forest: &single, ..mechanism }) {
                    // What lies on something must stay there, too: a taut rope sank into what it hangs over.
                    let touching = self.contacts.iter().flat_map(|contact| contact.bodies).flatten();
                    let own = touching.filter(|&body| forest.has(body) && forest.tree[body] == tree);
                    let fastest = own.map(|body| self.sums[body][0]).fold(0.0, f64::max);
                    let between = share * MOST_SWING_ENDED / MOST_SWING_BETWEEN;
                    share = between.max(h * libm::sqrt(fastest) / MOST_SWING_ENDED);
                }
            }
            greatest = greatest.max(share);
        }
        self.single = single;
        greatest
    }

    /// Accelerations of the bodies, m/s², in place of linear momenta: those of the `last` seconds, or by rotation alone.
    fn rates(
        &self,
        mechanism: Mechanism<'_>,
        (settings, state): (&Settings, &State),
        last: f64,
        rates: &mut [Momentum<f64>],
    ) {
        let Mechanism { forest, joints, bodies } = mechanism;
        if last > 0.0 {
            for &body in &forest.order {
                let changed = state.momenta[body].minus(self.before.1[body]);
                rates[body] = changed.times(1.0 / (bodies[body].mass * last));
            }
            return;
        }
        let to_center = |body: usize, side: &JointSide<f64>| {
            let (_, spin) = state.momenta[body].velocities(&bodies[body], state.poses[body].turn());
            spin.cross(spin.cross(vector(side.anchor) - vector(side.center)))
        };
        for &body in forest.order.iter().rev() {
            let mut rate = DVec3::ZERO;
            if let Some(joint) = forest.hangs_by[body] {
                let [above, below] = joints[joint].sides_at(&state.poses);
                let [above, below] = if forest.is_turned[body] { [below, above] } else { [above, below] };
                rate -= to_center(body, &below);
                if let Some(parent) = forest.parent[body] {
                    rate += vector(rates[parent].linear) + to_center(parent, &above);
                }
            }
            rates[body] = Momentum::from_vectors(rate, DVec3::ZERO);
        }
        for tree in 0..forest.trees {
            let all = forest.of_tree(tree);
            let mass: f64 = all.iter().map(|&body| bodies[body].mass).sum();
            let heaviest = all.iter().map(|&body| bodies[body].mass).fold(0.0, f64::max);
            let is_held = self.is_touched[tree] && heaviest < ALONE * mass;
            if is_held || all.last().is_none_or(|&root| forest.hangs_by[root].is_some()) {
                continue;
            }
            let pushed = |&body: &usize| {
                let [x, y, z, ..] = self.wrenches[body];
                DVec3::new(x, y, z) - vector(rates[body].linear) * bodies[body].mass
            };
            let sum = all.iter().map(pushed).sum::<DVec3>();
            let falling = Momentum::from_vectors(settings.gravity + sum / mass, DVec3::ZERO);
            all.iter().for_each(|&body| rates[body] = rates[body].plus(falling));
        }
    }

    /// Writes Σ |F| |r| / I of each body between joints of given forces (newtons) as the first of its sums, 1/s².
    fn swing_between(&mut self, mechanism: Mechanism<'_>, state: &State, force: impl Fn(usize) -> f64) {
        let Mechanism { bodies, joints, forest } = mechanism;
        let sums = &mut self.sums;
        sums.fill([0.0; 6]);
        for (index, joint) in joints.iter().enumerate().filter(|(_, joint)| forest.has(joint.child)) {
            let force = force(index);
            let sides = joint.sides_at(&state.poses);
            for (body, side) in [joint.parent, Some(joint.child)].into_iter().zip(&sides) {
                let Some(body) = body else { continue };
                let arm = vector(side.anchor) - vector(side.center);
                let inverse = inverse_moment_across(bodies[body].moments, state.poses[body].turn().conjugate() * arm);
                sums[body][0] += force * arm.length() * inverse;
            }
        }
    }
}

/// Feedback in a substep of `h` seconds: a gap fades in as many short substeps as in those that are asked for. Where a body turned
/// faster than √k_s, in radians per second, gaps would grow.
fn in_substep(feedback: Feedback, settings: &Settings, h: f64) -> Feedback {
    if settings.integrator != Integrator::Splitting || settings.step_tolerance.is_some() {
        return feedback;
    }
    let faster = settings.time_step / (f64::from(settings.substeps.max(1)) * h);
    Feedback { stiffness: feedback.stiffness * faster * faster, damping: feedback.damping * faster }
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
