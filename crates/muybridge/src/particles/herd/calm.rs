//! Ragdolls that are calm take fewer substeps: displacements are counted in longer ones.
//!
//! ```text
//! Δx' = (Δx/h + ½ g h) h' − ½ g h'²          the same velocity at the end of the step in substeps of length h'
//! Δf' = Δf h'/h,  impulses and energies, which count in squares of a substep: times (h'/h)²
//! ```
//! What a substep gets wrong grows with what moves in it: at the third part of a speed three times the substep is as good. Each ragdoll
//! chooses by its own motion; a block goes through the substeps of both kinds, and those of the other kind go back to what they were.

use glam::DVec3;

use super::HerdSettings;
use super::block::{Block, Obstacle, copy_lane, get, set};
use super::ceiling;
use super::contact::Obstacles;
use super::kernel::{Pace, Scratch};
use super::plan::Plan;
use super::rows::{BodyRows, LANES, Row};

/// Length at which a turn counts as a speed, metres: that of a forearm.
const ARM: f32 = 0.25;

/// What a step changes, kept.
#[derive(Clone, Debug, PartialEq)]
pub struct Others {
    pub(super) bodies: Vec<BodyRows>,
    /// Touches, pulls, ceiling.
    pub(super) rows: Vec<Row>,
}

impl Others {
    fn keep(&mut self, bodies: &Vec<BodyRows>, touches: &[Row], pulled: &[[Row; 2]], ceiling: &Row) {
        self.bodies.clone_from(bodies);
        self.rows.clear();
        self.rows.reserve(touches.len() + 2 * pulled.len() + 1);
        self.rows.extend(touches.iter().chain(pulled.iter().flatten()).chain([ceiling]));
    }
}

impl Block {
    /// A ragdoll that moves slowly and meets nobody is calm: it takes fewer substeps.
    pub(super) fn choose_substeps(&mut self, plan: &Plan, settings: &HerdSettings, lane: usize) {
        let was = self.substeps[lane];
        let calm = settings.calm_substeps.min(settings.substeps);
        // What is calm may become a little faster before it is calm no more, so that it does not change at every step.
        let margin = if was == settings.substeps { 1.0 } else { 1.3 };
        let is_calm =
            !self.meets_others && self.speed(lane) < margin * settings.calm_speed / f64::from(was) * settings.time_step;
        let now = if is_calm { calm } else { settings.substeps };
        if now == was {
            return;
        }
        let share = f64::from(was) / f64::from(now);
        let (old, new) = (settings.time_step / f64::from(was), settings.time_step / f64::from(now));
        self.recount(plan, lane, share, 0.5 * settings.gravity * (old - new) * new);
        self.substeps[lane] = now;
    }

    /// Counts what moves as other settings do. The velocity at the end of the last step stays.
    pub(super) fn tune(&mut self, plan: &Plan, [before, after]: [&HerdSettings; 2], lane: usize) {
        let old = before.time_step / f64::from(self.substeps[lane]);
        let new = after.time_step / f64::from(after.substeps);
        self.recount(plan, lane, new / old, 0.5 * (before.gravity * old - after.gravity * new) * new);
        // Energy counts displacements, which another gravity makes others at the same velocity.
        self.ceiling.0[lane] *= ceiling::LATER;
        self.substeps[lane] = after.substeps;
    }

    /// Displacements in substeps that are longer by a factor, in which gravity does less.
    fn recount(&mut self, plan: &Plan, lane: usize, share: f64, fall: DVec3) {
        for rows in &mut self.bodies {
            let moved = get(&rows.moved, lane) * share + fall;
            set(&mut rows.moved, lane, moved);
            for turned in rows.turned.iter_mut().flatten() {
                turned.0[lane] *= share as f32;
            }
        }
        let squared = (share * share) as f32;
        self.touches[..2 * plan.capsules.len()].iter_mut().for_each(|touch| touch.0[lane] *= squared);
        self.ceiling.0[lane] *= squared;
    }

    /// The most that a body, or an axis of [`ARM`] of one, has moved in the last substep, metres.
    fn speed(&self, lane: usize) -> f64 {
        let mut most = 0.0_f32;
        for rows in &self.bodies {
            let squared =
                |v: &[Row; 3]| v[0].0[lane] * v[0].0[lane] + v[1].0[lane] * v[1].0[lane] + v[2].0[lane] * v[2].0[lane];
            let turned: f32 = rows.turned.iter().map(squared).sum();
            most = most.max(squared(&rows.moved)).max(turned * 0.5 * ARM * ARM);
        }
        f64::from(most.sqrt())
    }

    /// Substeps that the displacements of a ragdoll count in.
    pub fn substeps(&self, lane: usize) -> u32 {
        self.substeps[lane]
    }

    /// A whole step, of a block that meets nobody: as many substeps as each ragdoll takes.
    pub fn step(
        &mut self,
        plan: &Plan,
        settings: &HerdSettings,
        paces: &[Pace; 2],
        (obstacles, rows): (&[Obstacle], &mut Obstacles),
        scratch: &mut Scratch,
    ) {
        for (index, pace) in paces.iter().enumerate() {
            let chosen = |lane: usize| self.is_awake(lane) && self.substeps[lane] == pace.substeps as u32;
            let is_chosen: [bool; LANES] = core::array::from_fn(chosen);
            if !is_chosen.contains(&true) || (index == 1 && pace.substeps == paces[0].substeps) {
                continue;
            }
            let are_others_awake = (0..LANES).any(|lane| self.is_awake(lane) && !is_chosen[lane]);
            if are_others_awake {
                self.others.keep(&self.bodies, &self.touches, &self.pulled, &self.ceiling);
            }
            self.advance(plan, settings, pace, (obstacles, &mut *rows), scratch, &is_chosen);
            if are_others_awake {
                for lane in 0..LANES {
                    if self.is_awake(lane) && !is_chosen[lane] {
                        self.go_back(lane);
                    }
                }
            }
        }
    }

    /// What a lane was before others took their substeps.
    fn go_back(&mut self, lane: usize) {
        for (to, from) in self.bodies.iter_mut().zip(&self.others.bodies) {
            copy_lane((to, lane), (from, lane));
        }
        let to = self.touches.iter_mut().chain(self.pulled.iter_mut().flatten()).chain([&mut self.ceiling]);
        to.zip(&self.others.rows).for_each(|(to, from)| to.0[lane] = from.0[lane]);
    }
}
