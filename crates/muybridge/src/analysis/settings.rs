//! Settings of an analysis: gravity, filter, frames, flights and supports marked by the user, and the limits of the findings.

use std::sync::Arc;

use glam::DVec3;

use super::frozen_contacts::FrozenContacts;
use super::terrain::Terrain;
pub use crate::math::difference::VelocityDifference;

/// Settings of an analysis. [`Settings::default`] corresponds to `muybridge check` without options.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Magnitude of gravity, m/s²; it points down y.
    pub gravity: f64,
    /// Low-pass filter of body positions and orientations.
    pub cutoff: Cutoff,
    /// Finite differences that give velocities.
    pub velocity: VelocityDifference,
    /// Frames `first..end` of the clip to analyze; `None` analyzes all.
    pub frames: Option<(usize, usize)>,
    /// Frames `first..=last` that the user marks as airborne, whatever touches.
    pub flights: Vec<(usize, usize)>,
    /// Frames `first..=last` that the user marks as supported by something the clip does not show.
    pub supports: Vec<(usize, usize)>,
    /// Height of the floor that the user states, meters, y up; `None` finds the floor.
    pub floor: Option<f64>,
    /// Uneven ground that the user states, instead of a level floor. The corrections do not know it.
    pub terrain: Option<Arc<Terrain>>,
    /// Forces and moments that actuators report, one entry per frame of the clip; frames beyond the end of the list got none. The ground must give
    /// the rest, and frames in which actuators carry the body are no flight.
    pub actuated: Vec<Actuated>,
    /// True if the clip is played in a loop: then the seam between its last and first frame is judged.
    pub looped: bool,
    /// Contacts, ground and phases to judge by; `None` finds them in the clip.
    pub contacts: Option<Arc<FrozenContacts>>,
    /// Limits above or below which a value becomes a finding.
    pub limits: Limits,
}

impl Settings {
    /// Height of the floor that the user states, over the uneven ground where there is one, meters.
    pub(crate) fn stated_floor(&self) -> Option<f64> {
        if self.terrain.is_some() { Some(0.0) } else { self.floor }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            gravity: 9.81,
            cutoff: Cutoff::Auto,
            velocity: VelocityDifference::Central,
            frames: None,
            flights: Vec::new(),
            supports: Vec::new(),
            floor: None,
            terrain: None,
            actuated: Vec::new(),
            looped: false,
            contacts: None,
            limits: Limits::default(),
        }
    }
}

/// External force and moment on the body whose source is known (an actuator).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Actuated {
    /// Force, newtons.
    pub force: DVec3,
    /// Moment about the center of mass, newton meters.
    pub moment: DVec3,
}

/// Low-pass filter (zero-lag second-order Butterworth, mathematics 6.8).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cutoff {
    /// The cutoff is chosen from the noise of the clip; clean clips are not filtered.
    Auto,
    /// No filter.
    Off,
    /// Cutoff frequency, hertz.
    Hertz(f64),
}

/// Limits of the findings (S36). The numbers are this project's choice, documented one by one; all can be edited in a TOML file with the same
/// names. Where a pair says "warning, error", a value above the first is a warning and one above the second an error; what else a finding asks
/// for stands in [`FindingFacts::severity`](super::FindingFacts::severity). Lengths are those of an adult with legs of 0.9 m and grow with the
/// leg, except those of feet for a body without feet.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default, deny_unknown_fields))]
pub struct Limits {
    /// Lowest and highest gravity of a flight, in g. Viewers notice values outside 0.8–1.25 (6.10).
    pub gravity_g: [f64; 2],
    /// Position error δ of a typical skeleton, meters; twice that for a body that is no human. It moves the gravity of a flight of T seconds by
    /// `8 δ / (g T²)`: that far outside `gravity_g` nothing is a finding, and no error up to 2.5 times as far.
    pub skeleton_error_m: f64,
    /// Distance of a flight from a uniform straight way, seen from above, meters: warning, error.
    pub path_m: [f64; 2],
    /// Root mean square of the vertical distance of a flight from its parabola, meters: warning, error. Recorded flights stay below 0.01.
    pub shape_m: [f64; 2],
    /// Change of horizontal velocity in flight, divided by the mean: warning, error. The way must be off by `path_m` too.
    pub momentum_error: [f64; 2],
    /// Changes of horizontal velocity below this are never a finding, and below twice this never an error, m/s.
    pub ignore_speed_change_mps: f64,
    /// Change of angular momentum in flight, divided by the mean: warning, error.
    pub angular_momentum_error: [f64; 2],
    /// The same change in units of `M L √(g L)`: warning, error; the milder of the two grades counts. Errors of motion capture alone are about 0.04.
    pub angular_momentum_floor: [f64; 2],
    /// Distance of the zero-moment point outside the support, in its mean radii: warning, error.
    pub zmp_distance: [f64; 2],
    /// Seconds a loss of balance must last to count; an error must last twice as long.
    pub zmp_seconds: f64,
    /// Horizontal speed of what is planted, m/s: warning, error. A body without feet gets the warning from 2.3 times the first.
    pub skate_mps: [f64; 2],
    /// Gap between the floor and a body that must be carried, meters: warning above the first; never an error.
    pub float_m: [f64; 2],
    /// Depth under the floor, meters: warning, error; the error only for a human that rests so deep for long.
    pub penetration_m: [f64; 2],
    /// Rise or fall of what must carry the body, meters: warning, error. Feet of recorded walks ratchet by up to 0.04.
    pub drift_m: [f64; 2],
    /// Force of the ground over the weight: an error below the first for 80 ms, for a ground does not pull, and above the second, more than
    /// measured people bear over 0.1 s (gymnasts land with about 7).
    pub ground_force_weights: [f64; 2],
    /// Noise of joint positions from frame to frame, meters: warning, error.
    pub jitter_m: [f64; 2],
    /// Jump of the joints over the seam of a loop, divided by the step of the motion there: warning above the first; never an error.
    pub loop_seam: [f64; 2],
    /// Weight of a horizontal velocity error relative to a vertical one in `noticeability` (viewers notice the horizontal one sooner).
    pub horizontal_weight: f64,
    /// Weight in `noticeability` of too strong a gravity relative to too weak a one.
    pub acceleration_weight: f64,
    /// Weight in the cost of a correction: moving the body by a tenth of its leg length, relative to changing its horizontal speed by a fifth.
    pub distance_weight: f64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            gravity_g: [0.8, 1.25],
            skeleton_error_m: 0.005,
            path_m: [0.02, 0.1],
            shape_m: [0.012, 0.06],
            momentum_error: [0.2, 0.5],
            ignore_speed_change_mps: 0.3,
            angular_momentum_error: [0.3, 0.8],
            angular_momentum_floor: [0.06, 0.25],
            zmp_distance: [1.5, 5.0],
            zmp_seconds: 0.2,
            skate_mps: [0.065, 0.6],
            float_m: [0.025, 0.15],
            penetration_m: [0.033, 0.08],
            drift_m: [0.045, 0.075],
            ground_force_weights: [-0.6, 10.0],
            jitter_m: [0.002, 0.02],
            loop_seam: [3.0, 10.0],
            horizontal_weight: 2.0,
            acceleration_weight: 2.0,
            distance_weight: 1.0,
        }
    }
}
