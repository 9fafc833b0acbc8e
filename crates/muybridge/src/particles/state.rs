//! All that is needed to go on: saved, restored and continued bit for bit.

use glam::DVec3;

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
    /// Steps done.
    pub steps: u64,
    /// Length of the last substep, seconds; 0 before the first (3.1.2).
    pub last_substep: f64,
}
