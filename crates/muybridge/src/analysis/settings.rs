//! How to analyse: gravity, filter, frames, what the user knows better, and the limits a motion is held against.

use glam::DVec3;

/// Everything a caller may choose. [`Settings::default`] is what `muybridge check` does without options.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Magnitude of gravity, m/s²; it points down y.
    pub gravity: f64,
    /// Low-pass filter of body positions and orientations.
    pub cutoff: Cutoff,
    /// How velocities come from frames.
    pub velocity: Velocity,
    /// Analyse only the frames `first..end` of the clip.
    pub frames: Option<(usize, usize)>,
    /// Frames `first..=last` the user says are in the air, whatever touches.
    pub flights: Vec<(usize, usize)>,
    /// Frames `first..=last` the user says are supported by something the clip does not show.
    pub supports: Vec<(usize, usize)>,
    /// What actuators report to have done, frame by frame from that of the clip's first; frames beyond its end got nothing. The ground is
    /// asked for what is left, and what is carried is no flight.
    pub actuated: Vec<Actuated>,
    /// The clip is played in a loop: judge the seam between its last and first frame.
    pub looped: bool,
    /// What counts as a finding.
    pub limits: Limits,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            gravity: 9.81,
            cutoff: Cutoff::Auto,
            velocity: Velocity::Central,
            frames: None,
            flights: Vec::new(),
            supports: Vec::new(),
            actuated: Vec::new(),
            looped: false,
            limits: Limits::default(),
        }
    }
}

/// A force and a moment on a body from outside that something accounts for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Actuated {
    /// Newtons.
    pub force: DVec3,
    /// Newton metres, about the mass center.
    pub moment: DVec3,
}

/// The low-pass filter (zero-lag second-order Butterworth, mathematics 6.8).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cutoff {
    /// Chosen from the noise of the clip; clean clips are not filtered.
    Auto,
    /// No filter.
    Off,
    /// Hertz.
    Hertz(f64),
}

/// Velocity from frames (mathematics 6.1, S37).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Velocity {
    /// `(x_{n+1} − x_{n−1}) / 2h`: second order, exact for a parabola.
    Central,
    /// `(x_n − x_{n−1}) / h`: the source's; lags half a frame.
    Backward,
}

/// Limits of the findings (S36). The numbers are this project's choice, documented one by one; all can be edited in a
/// TOML file with the same names.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default, deny_unknown_fields))]
pub struct Limits {
    /// Gravity of a flight, in g: below or above is an error. Viewers notice outside 0.8–1.25 (6.10).
    pub gravity_g: [f64; 2],
    /// Position error of a typical skeleton, metres: a flight so short that this much explains its gravity is a warning.
    pub skeleton_error_m: f64,
    /// Horizontal path error by path length: above is a warning.
    pub path_error: f64,
    /// Change of horizontal velocity in flight, by the mean: above the first a warning, above the second an error.
    pub momentum_error: [f64; 2],
    /// Changes of horizontal velocity below this are never a finding, m/s.
    pub ignore_speed_change_mps: f64,
    /// Change of angular momentum in flight, by the mean: above the first a warning, above the second an error.
    pub angular_momentum_error: [f64; 2],
    /// Changes of angular momentum below this are never a finding, by `M L √(g L)`: warning, error. What motion
    /// capture gets wrong by itself is about 0.04.
    pub angular_momentum_floor: [f64; 2],
    /// Zero-moment point outside the support by more than this many mean radii for `zmp_seconds`: warning, error.
    pub zmp_distance: [f64; 2],
    /// Seconds a loss of balance must last to count.
    pub zmp_seconds: f64,
    /// Mean horizontal speed of planted contacts, m/s: warning, error.
    pub skate_mps: [f64; 2],
    /// Gap under a body that must be carried, metres: warning, error.
    pub float_m: [f64; 2],
    /// Depth under the floor, metres: warning, error.
    pub penetration_m: [f64; 2],
    /// Noise of joint positions from frame to frame, metres: warning, error.
    pub jitter_m: [f64; 2],
    /// Jump of a joint over the seam of a loop, by the step the motion makes there: warning, error.
    pub loop_seam: [f64; 2],
    /// Weight of a horizontal velocity error against a vertical one in `noticeability` (viewers notice it sooner).
    pub horizontal_weight: f64,
    /// Weight of too strong a gravity against too weak a one there.
    pub acceleration_weight: f64,
    /// Weight, in the cost of a correction, of moving the body by a tenth of its leg against changing its horizontal speed
    /// by a fifth.
    pub distance_weight: f64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            gravity_g: [0.8, 1.25],
            skeleton_error_m: 0.004,
            path_error: 0.1,
            momentum_error: [0.2, 0.5],
            ignore_speed_change_mps: 0.3,
            angular_momentum_error: [0.3, 0.8],
            angular_momentum_floor: [0.06, 0.15],
            zmp_distance: [1.5, 5.0],
            zmp_seconds: 0.2,
            skate_mps: [0.15, 0.6],
            float_m: [0.03, 0.15],
            penetration_m: [0.04, 0.15],
            jitter_m: [0.004, 0.02],
            loop_seam: [3.0, 10.0],
            horizontal_weight: 2.0,
            acceleration_weight: 2.0,
            distance_weight: 1.0,
        }
    }
}
