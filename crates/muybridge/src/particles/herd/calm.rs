//! Adaptive substeps: calm ragdolls take fewer substeps, so their displacements are per longer substep.
//!
//! ```text
//! Δx' = (Δx/h + ½ g h) h' − ½ g h'²          the same velocity at the end of the step in substeps of length h'
//! Δf' = Δf h'/h,  impulses and energies, which count in squares of a substep: times (h'/h)²
//! energies besides   + Σ m Δx h'/h · f + ½ M f²,  f = ½ g (h − h') h'
//! ```
//! The error of a substep grows with the displacement in it: at lower speed a longer substep is as accurate. Each
//! ragdoll chooses by its own motion.

use glam::DVec3;

use super::HerdSettings;
use super::block::{LaneBlock, get, set};
use super::ceiling;
use super::plan::BatchModel;
use super::rows::{BlockWidth, LaneValues};

/// Lever arm that converts a rotation to a speed, meters: length of a forearm.
const ARM: f32 = 0.25;

impl<W: BlockWidth> LaneBlock<W> {
    /// Chooses the substeps of a ragdoll: fewer if it moves slowly and may touch no other.
    pub(super) fn choose_substeps(&mut self, plan: &BatchModel, settings: &HerdSettings, lane: usize) {
        let was = self.substeps[lane];
        let calm = settings.calm_substeps.min(settings.substeps);
        // Hysteresis: a calm ragdoll may become a little faster before it counts as moving, so that it does not switch
        // at every step.
        let margin = if was > calm { 1.0 } else { 1.3 };
        let is_calm = !self.meets[lane]
            && self.speed(plan, lane) < margin * settings.calm_speed / f64::from(was) * settings.time_step;
        let moving = if self.meets[lane] { settings.meeting_substeps } else { settings.substeps };
        self.take_substeps(plan, settings, lane, if is_calm { calm } else { moving });
    }

    /// Converts the displacements of a ragdoll to another number of substeps per step.
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

    /// Converts displacements to new settings. The velocity at the end of the last step stays.
    pub(super) fn tune(&mut self, plan: &BatchModel, [before, after]: [&HerdSettings; 2], lane: usize) {
        let old = before.time_step / f64::from(self.substeps[lane]);
        let new = after.time_step / f64::from(after.substeps);
        self.recount(plan, lane, new / old, 0.5 * (before.gravity * old - after.gravity * new) * new);
        // Energy is computed from displacements, which at the same velocity depend on gravity.
        self.ceiling.0[lane] *= ceiling::LATER;
        self.substeps[lane] = after.substeps;
    }

    /// Scales displacements to a substep longer by the factor `share`, and adds the change `fall` by gravity.
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

    /// Greatest displacement of a body, or of its axes at [`ARM`], in the last substep, meters; of a ragdoll that can touch
    /// nothing, relative to its mass center.
    fn speed(&self, plan: &BatchModel, lane: usize) -> f64 {
        let mut common = [0.0_f32; 3];
        if self.flies[lane] {
            for (rows, body) in self.bodies.iter().zip(&plan.bodies) {
                (0..3).for_each(|axis| common[axis] += rows.moved[axis].0[lane] * (body.mass / plan.mass));
            }
        }
        let mut most = 0.0_f32;
        for rows in &self.bodies {
            let squared = |v: &[LaneValues<W>; 3]| {
                v[0].0[lane] * v[0].0[lane] + v[1].0[lane] * v[1].0[lane] + v[2].0[lane] * v[2].0[lane]
            };
            let turned: f32 = rows.turned.iter().map(squared).sum();
            let [x, y, z] = core::array::from_fn(|axis| rows.moved[axis].0[lane] - common[axis]);
            most = most.max(x * x + y * y + z * z).max(turned * 0.5 * ARM * ARM);
        }
        f64::from(most.sqrt())
    }

    /// Substeps per step that the displacements of a ragdoll refer to.
    pub fn substeps(&self, lane: usize) -> u32 {
        self.substeps[lane]
    }
}
