//! State of a world: saved, restored and continued bit for bit.

use glam::{DQuat, DVec3};

use super::contact::WarmContact;
use super::herd::LaneMemory;
use super::point::Point;

/// Positions of the particles and the rest of the state. Lists have one entry per particle unless stated otherwise.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct State {
    /// Current positions, meters.
    pub positions: Vec<DVec3>,
    /// Positions one substep before, meters.
    pub previous: Vec<DVec3>,
    /// Forces for the coming step, newtons; the step clears them (J3).
    pub forces: Vec<DVec3>,
    /// Places of pinned particles, meters; `None` for a free particle (J10, J35).
    pub pins: Vec<Option<DVec3>>,
    /// Number of steps that each particle has been at rest.
    pub rested: Vec<u32>,
    /// Positions when the current rest began, meters.
    pub resting_at: Vec<DVec3>,
    /// Number of steps done.
    pub steps: u64,
    /// Duration of the last substep, seconds (3.1.2); initially that of the substep for which the start values are
    /// computed.
    pub last_substep: f64,
    /// Positions one substep before `previous`, meters: for central velocities.
    pub earlier: Vec<DVec3>,
    /// Displacement that the next substep goes on with, less `positions − previous`, meters: the rounding error, which
    /// keeps a flight on its parabola for any number of substeps. For cloth in lanes also what sticks held back.
    pub rounding: Vec<DVec3>,
    /// Time from `earlier` until now, seconds.
    pub span: f64,
    /// Dragged points (J35), one entry each.
    pub drags: Vec<Drag>,
    /// Position (m) and rotation of the obstacles in a saved state; empty in a world.
    pub obstacles: Vec<(DVec3, DQuat)>,
    /// Contact impulses in a saved state, for the warm start; empty in a world.
    pub held: Vec<WarmContact>,
    /// What lanes remember of ragdolls in a saved state; empty in a world.
    #[cfg_attr(feature = "serde", serde(default))]
    pub lanes: Vec<LaneMemory>,
    /// The last blow to each cloth.
    #[cfg_attr(feature = "serde", serde(default))]
    pub blows: Vec<Blow>,
    /// The strain of each cloth in lanes in the last step.
    #[cfg_attr(feature = "serde", serde(default))]
    pub taut: Vec<Taut>,
}

/// A blow to a cloth. The substeps that it asks for go on for a while: a cloth that was stiffer when it throws a body back than when
/// it stopped it would give it energy.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Blow {
    /// Substeps per second; 0 without a blow.
    pub rate: f64,
    /// Time for which they go on, seconds.
    pub left: f64,
    /// Whether the cloth took substeps of the world in it: shorter ones in lanes would make speed of the stretch that those left.
    pub is_of_world: bool,
}

/// Substeps that the strain of a cloth in lanes asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Taut {
    /// Substeps per second; 0 if those for its weight and speed are enough.
    pub rate: f64,
    /// Strain that more substeps do not mend; 0 if there is none.
    pub lasting: f64,
    /// Duration of its last substep in lanes, seconds; 0 if it took none.
    pub substep: f64,
}

/// A point that is dragged to a place (mouse joint).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Drag {
    /// The dragged point.
    pub point: Point,
    /// Target place, meters; reached at the end of the next step.
    pub to: DVec3,
    /// Greatest force, newtons; may be infinite.
    pub most_force: f64,
}
