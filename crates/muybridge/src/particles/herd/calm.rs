//! Ragdolls that are calm take fewer substeps: displacements are counted in longer ones.
//!
//! ```text
//! Δx' = (Δx/h + ½ g h) h' − ½ g h'²          the same velocity at the end of the step in substeps of length h'
//! Δf' = Δf h'/h,  impulses and energies, which count in squares of a substep: times (h'/h)²
//! energies besides   + Σ m Δx h'/h · f + ½ M f²,  f = ½ g (h − h') h'
//! ```
//! What a substep gets wrong grows with what moves in it: at a part of a speed a longer substep is as good. Each ragdoll chooses by its
//! own motion.

use glam::DVec3;

use super::HerdSettings;
use super::block::{LaneBlock, get, set};
use super::ceiling;
use super::plan::BatchModel;
use super::rows::LaneValues;

/// Length at which a turn counts as a speed, metres: that of a forearm.
const ARM: f32 = 0.25;

impl LaneBlock {
    /// A ragdoll that moves slowly and meets nobody is calm: it takes fewer substeps.
    pub(super) fn choose_substeps(&mut self, plan: &BatchModel, settings: &HerdSettings, lane: usize) {
        let was = self.substeps[lane];
        let calm = settings.calm_substeps.min(settings.substeps);
        // What is calm may become a little faster before it is calm no more, so that it does not change at every step.
        let margin = if was > calm { 1.0 } else { 1.3 };
        let is_calm =
            !self.meets[lane] && self.speed(lane) < margin * settings.calm_speed / f64::from(was) * settings.time_step;
        let moving = if self.meets[lane] { settings.meeting_substeps } else { settings.substeps };
        self.take_substeps(plan, settings, lane, if is_calm { calm } else { moving });
    }

    /// Counts the displacements of a ragdoll in other substeps.
    pub(super) fn take_substeps(&mut self, plan: &BatchModel, settings: &HerdSettings, lane: usize, now: u32) {
        let was = self.substeps[lane];
        if now == was {
            return;
        }
        let share = f64::from(was) / f64::from(now);
        let (old, new) = (settings.time_step / f64::from(was), settings.time_step / f64::from(now));
        self.recount(plan, lane, share, 0.5 * settings.gravity * (old - new) * new);
        self.substeps[lane] = now;
    }

    /// Counts what moves as other settings do. The velocity at the end of the last step stays.
    pub(super) fn tune(&mut self, plan: &BatchModel, [before, after]: [&HerdSettings; 2], lane: usize) {
        let old = before.time_step / f64::from(self.substeps[lane]);
        let new = after.time_step / f64::from(after.substeps);
        self.recount(plan, lane, new / old, 0.5 * (before.gravity * old - after.gravity * new) * new);
        // Energy counts displacements, which another gravity makes others at the same velocity.
        self.ceiling.0[lane] *= ceiling::LATER;
        self.substeps[lane] = after.substeps;
    }

    /// Displacements in substeps that are longer by a factor, in which gravity does less.
    fn recount(&mut self, plan: &BatchModel, lane: usize, share: f64, fall: DVec3) {
        let mut momentum = DVec3::ZERO;
        for (body, rows) in plan.bodies.iter().zip(&mut self.bodies) {
            let moved = get(&rows.moved, lane) * share;
            momentum += f64::from(body.mass) * moved;
            set(&mut rows.moved, lane, moved + fall);
            for turned in rows.turned.iter_mut().flatten() {
                turned.0[lane] *= share as f32;
            }
        }
        let squared = (share * share) as f32;
        self.touches[..2 * plan.capsules.len()].iter_mut().for_each(|touch| touch.0[lane] *= squared);
        let gained = (momentum + 0.5 * f64::from(plan.mass) * fall).dot(fall);
        self.ceiling.0[lane] = (self.ceiling.0[lane] * squared + gained as f32).max(0.0);
    }

    /// The most that a body, or an axis of [`ARM`] of one, has moved in the last substep, metres.
    fn speed(&self, lane: usize) -> f64 {
        let mut most = 0.0_f32;
        for rows in &self.bodies {
            let squared = |v: &[LaneValues; 3]| {
                v[0].0[lane] * v[0].0[lane] + v[1].0[lane] * v[1].0[lane] + v[2].0[lane] * v[2].0[lane]
            };
            let turned: f32 = rows.turned.iter().map(squared).sum();
            most = most.max(squared(&rows.moved)).max(turned * 0.5 * ARM * ARM);
        }
        f64::from(most.sqrt())
    }

    /// Substeps that the displacements of a ragdoll count in.
    pub fn substeps(&self, lane: usize) -> u32 {
        self.substeps[lane]
    }
}
