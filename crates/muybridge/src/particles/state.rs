//! All that is needed to go on: saved, restored and continued bit for bit.

use glam::{DQuat, DVec3};

use super::contact::WarmContact;
use super::point::Point;

/// Where the particles are and were. Every list has one entry per particle unless it says otherwise.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct State {
    /// Metres.
    pub positions: Vec<DVec3>,
    /// Where they were one substep before, metres.
    pub previous: Vec<DVec3>,
    /// Forces of the coming step, newtons; cleared by it (J3).
    pub forces: Vec<DVec3>,
    /// Particles held in place: where, metres (J10, J35).
    pub pins: Vec<Option<DVec3>>,
    /// Steps each particle has been at rest.
    pub rested: Vec<u32>,
    /// Where it has been at rest since then, metres.
    pub resting_at: Vec<DVec3>,
    /// Steps done.
    pub steps: u64,
    /// Length of the last substep, seconds (3.1.2); before the first, of the one that the start values are made for.
    pub last_substep: f64,
    /// Where the particles were one substep before `previous`, metres: for central velocities.
    pub earlier: Vec<DVec3>,
    /// What rounding left out of the displacement `positions − previous`, metres: with it a flight stays on its parabola at any
    /// number of substeps.
    pub rounding: Vec<DVec3>,
    /// Seconds from `earlier` until now.
    pub span: f64,
    /// Points that are pulled to a place (J35); as many as there are.
    pub drags: Vec<Drag>,
    /// Position (m) and rotation of the obstacles, in a saved state; empty in a world.
    pub obstacles: Vec<(DVec3, DQuat)>,
    /// What contacts hold, in a saved state; empty in a world.
    pub held: Vec<WarmContact>,
}

/// A point that is pulled to a place.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Drag {
    /// What is pulled.
    pub point: Point,
    /// Where to, metres; reached at the end of the next step.
    pub to: DVec3,
    /// Greatest force, newtons; may be infinite.
    pub most_force: f64,
}
