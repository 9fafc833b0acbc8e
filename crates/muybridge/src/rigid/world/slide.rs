//! Where a free body that slides ends a substep.
//!
//! ```text
//! x' = x + h v' + ½ h P (v − v'),   v before and v' after the contacts,   P: across the normals of all contacts of the body
//! ```
//! Contacts act before the drift, which goes on with the velocity of the end: right along a normal, where a body that is
//! stopped must not go deeper. Along a surface friction acts throughout the substep, so that the mean of both velocities is
//! the exact way under a constant force. Otherwise a body that slides to rest lags by ½ h v. Bodies that do not slip on what moves
//! are left out: it carries them along the chord of its own motion.

use glam::DVec3;

use super::Scratch;
use crate::math::lane_rotation::LaneVector;
use crate::rigid::body::Body;
use crate::rigid::motion::{Momentum, Pose, vector};
use crate::rigid::rattle::Mechanism;
use crate::rigid::row::Contact;
use crate::rigid::state::State;

/// Least change of the velocity in a substep that counts as sliding, as a share of what the weight gives in it: below, it is
/// rounding of the solver, in piles that rest.
const SLIDES: f64 = 0.01;

/// Greatest velocity of a body that stands still, m/s and rad/s.
const STILL: f64 = 1e-6;

/// Greatest part of the change along a normal, as a share of the change.
const ACROSS: f64 = 1e-6;

/// Whether a body stands still.
pub(super) fn is_still(body: &Body, pose: &Pose<f64>, momentum: &Momentum<f64>) -> bool {
    let (v, w) = momentum.velocities(body, pose.turn());
    v.length() <= STILL && w.length() <= STILL
}

impl Scratch {
    /// Moves bodies without joints that touch nothing but what stands still, or what they slip on, by what they lag, after a drift
    /// of `h` seconds. `weight` is the acceleration of gravity, m/s².
    pub(super) fn slide(&mut self, mechanism: Mechanism<'_>, state: &mut State, (h, weight): (f64, f64)) {
        let Self { slides, contacts, before, is_touched, .. } = self;
        let Mechanism { bodies, forest, .. } = mechanism;
        if contacts.is_empty() {
            return;
        }
        slides.clear();
        slides.resize(bodies.len(), DVec3::ZERO);
        let (least, mut any) = (SLIDES * weight * h, false);
        for &body in &forest.order {
            let tree = forest.tree[body];
            if is_touched[tree] && forest.is_single(body) && forest.hangs_by[body].is_none() {
                let change = vector(before.1[body].linear) - vector(state.momenta[body].linear);
                let change = change / bodies[body].mass;
                // What is left across normals is no more.
                if change.length() > least {
                    (slides[body], any) = (change, true);
                }
            }
        }
        if !any {
            return;
        }
        let stays = |body: usize| {
            [&before.1, &state.momenta]
                .into_iter()
                .all(|momenta| is_still(&bodies[body], &state.poses[body], &momenta[body]))
        };
        // More than the contacts change in a substep: what turns under a body differs from it by half of that.
        let slips = |contact: &Contact, (body, side): (usize, usize), change: f64| {
            let (v, w) = state.momenta[body].velocities(&bodies[body], state.poses[body].turn());
            let point = v + w.cross(contact.point_on(side) - before.0[body].place());
            (point - contact.velocity).reject_from_normalized(contact.normal).length() > change
        };
        // Twice, for normals that are not at right angles.
        for contact in contacts.iter().chain(contacts.iter()) {
            let stands = contact.bodies.map(|body| body.is_none_or(stays));
            for (side, body) in contact.bodies.into_iter().enumerate() {
                let Some(body) = body else { continue };
                let is_ground = stands[1 - side]
                    && (contact.velocity == DVec3::ZERO || slips(contact, (body, side), slides[body].length()));
                let along = slides[body].reject_from_normalized(contact.normal);
                slides[body] = if is_ground { along } else { DVec3::ZERO };
            }
        }
        for contact in contacts.iter() {
            for body in contact.bodies.into_iter().flatten() {
                let slide = slides[body];
                if slide.dot(contact.normal).abs() > ACROSS * slide.length() {
                    slides[body] = DVec3::ZERO;
                }
            }
        }
        for &body in &forest.order {
            if slides[body].length() > least {
                let place = state.poses[body].place() + slides[body] * (0.5 * h);
                state.poses[body].position = LaneVector::splat((), place);
            }
        }
    }
}
