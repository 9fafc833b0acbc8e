//! The result of an analysis, from which reports, pictures and other programs take their data about a clip.
//!
//! Units are meters, kilograms and seconds, y up. Entry k of every per-frame list is frame k of the clip; frames that were left out, and undefined
//! values, are `None`.

use glam::DVec3;

use super::finding_id::FindingId;
use super::residual::Residual;
use crate::character::Role;

/// Result of the analysis of one clip.
#[derive(Clone, Debug, PartialEq)]
pub struct Analysis {
    /// Name of the clip within its file; empty if the format has none.
    pub clip: String,
    /// Frames in the clip.
    pub frames: usize,
    /// Frames per second.
    pub frames_per_second: f64,
    /// Names of the bones, in the skeleton's order.
    pub bones: Vec<String>,
    /// Humanoid roles and the bones that have them, in the order of the bones.
    pub roles: Vec<(Role, usize)>,
    /// Magnitude of the gravity that the motion is compared with, m/s².
    pub gravity: f64,
    /// Cutoff of the low-pass filter, hertz; `None` if nothing was filtered.
    pub cutoff_hz: Option<f64>,
    /// Reason for the choice of the cutoff, in words.
    pub cutoff_source: String,
    /// Total mass, kg.
    pub mass: f64,
    /// Source of the masses, in words.
    pub body_source: String,
    /// Sentence that says why there is no body to judge, or why its numbers overflow; `None` if there is one to judge.
    pub no_body: Option<String>,
    /// Bones that carry mass: bone index and kilograms.
    pub segments: Vec<(usize, f64)>,
    /// Height of the floor, meters; `None` if nothing ever rests.
    pub floor: Option<f64>,
    /// Velocity of the ground under an in-place clip, m/s; zero for a clip that travels.
    pub treadmill: DVec3,
    /// Frames that were analyzed, `first..end`; the other frames are `None` in [`PerFrame`].
    pub range: (usize, usize),
    /// Quantities per frame.
    pub per_frame: PerFrame,
    /// Flights: phases without contact.
    pub flights: Vec<Flight>,
    /// Phases in which the clip does not show the object that carries the body.
    pub unseen_support: Vec<Span>,
    /// Foot skating, floating and penetration.
    pub feet: Feet,
    /// Position of the zero-moment point relative to the support polygon.
    pub balance: Balance,
    /// Force and moment that no contact gives, summed up; `None` without mass, or if no frame is judged.
    pub residual: Option<Residual>,
    /// Findings: everything outside its limits, and notes; errors first, then by time.
    pub findings: Vec<Finding>,
    /// Verdict that follows from the findings.
    pub verdict: Verdict,
}

impl Analysis {
    /// The flight that shares the most of the frames `first..=last`, the later one of two that share as many; `None` where
    /// none shares any.
    pub fn flight_over(&self, frames: (usize, usize)) -> Option<&Flight> {
        let shared = |flight: &&Flight| shared_frames((flight.span.first, flight.span.last), frames);
        self.flights.iter().filter(|flight| shared(flight) > 0).max_by_key(shared)
    }

    /// Whether a flight begins or ends within two frames of a support that the clip does not show, so that its ends are
    /// uncertain.
    pub fn is_beside_unseen_support(&self, flight: &Flight) -> bool {
        let (first, last) = (flight.span.first, flight.span.last);
        self.unseen_support.iter().any(|unseen| unseen.first <= last + 2 && unseen.last + 2 >= first)
    }
}

/// Number of frames that two spans `first..=last` share.
pub fn shared_frames(a: (usize, usize), b: (usize, usize)) -> usize {
    (a.1.min(b.1) + 1).saturating_sub(a.0.max(b.0))
}

/// Quantities per frame; every list has one entry per frame of the clip.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PerFrame {
    /// Time, seconds.
    pub time: Vec<f64>,
    /// Center of mass, meters.
    pub mass_center: Vec<Option<DVec3>>,
    /// Velocity of the center of mass, m/s.
    pub mass_center_velocity: Vec<Option<DVec3>>,
    /// Acceleration of the center of mass, m/s².
    pub mass_center_acceleration: Vec<Option<DVec3>>,
    /// Linear momentum, kg m/s.
    pub linear_momentum: Vec<Option<DVec3>>,
    /// Angular momentum about the center of mass, kg m²/s.
    pub angular_momentum: Vec<Option<DVec3>>,
    /// Rate of change of the angular momentum, kg m²/s².
    pub angular_momentum_rate: Vec<Option<DVec3>>,
    /// Force the world must exert on the body, newtons.
    pub ground_force: Vec<Option<DVec3>>,
    /// Zero-moment point on the floor, meters; `None` in flight.
    pub zero_moment_point: Vec<Option<DVec3>>,
    /// Distance of the zero-moment point to the edge of the support polygon, meters, positive inside.
    pub support_margin: Vec<Option<f64>>,
    /// Force that no contact gives, newtons; `None` where the user says that something else carries the body.
    pub residual_force: Vec<Option<DVec3>>,
    /// Moment about the center of mass that no contact gives, N m.
    pub residual_moment: Vec<Option<DVec3>>,
    /// Area of the support polygon seen from above, m²: 0 for a line or a point, `None` without contact.
    pub support_area: Vec<Option<f64>>,
    /// Corners of the support polygon on the floor, counter-clockwise seen from above; empty without contact.
    pub support_polygon: Vec<Vec<DVec3>>,
    /// Indices of the touching bones, ascending.
    pub contacts: Vec<Vec<usize>>,
}

/// A span of time, frames inclusive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// First frame.
    pub first: usize,
    /// Last frame.
    pub last: usize,
    /// Time of the first frame, seconds.
    pub start: f64,
    /// Time of the last frame, seconds.
    pub end: f64,
}

impl Span {
    /// The span of the frames `first..=last`, by the time of each frame (s).
    pub fn of_frames(time: &[f64], first: usize, last: usize) -> Self {
        Self { first, last, start: time[first], end: time[last] }
    }
}

/// A flight (phase without contact) and its deviations from free fall.
#[derive(Clone, Debug, PartialEq)]
pub struct Flight {
    /// First and last airborne frame.
    pub span: Span,
    /// Gravity with which the center of mass falls, in units of the reference gravity (6.7).
    pub gravity: f64,
    /// Standard error of `gravity`, from the residual of the fit.
    pub gravity_standard_error: f64,
    /// `1 / gravity`: scaled in size by this factor, the character would fall right at the animated times (S25).
    pub size_factor: f64,
    /// Frames to add to the flight (to remove, if negative) so that the unchanged path falls right (S35).
    pub frames_to_add: i64,
    /// Root mean square of the vertical distance of the center of mass from its fitted parabola, meters.
    pub shape_error: f64,
    /// Greatest horizontal distance of the center of mass from the uniform straight motion nearest to it, meters.
    pub sideways_error: f64,
    /// Change of the spin about the vertical.
    pub yaw_change: YawChange,
    /// Largest horizontal distance from the straight line, divided by the length of the path (S20); in meters if the path is shorter than 5 cm.
    pub horizontal_path_error: f64,
    /// True if `horizontal_path_error` is in meters.
    pub path_error_in_meters: bool,
    /// Largest `|P_k − P̄_k| / |P̄_k|` per axis x, y, z (S21); y is `None`; infinite if the mean is zero and P is not.
    pub linear_momentum_error: [Option<f64>; 3],
    /// Largest `|H_k − H̄_k| / |H̄_k|` per axis (S22).
    pub angular_momentum_error: [Option<f64>; 3],
    /// Largest `‖P − P̄‖ / ‖P̄‖` of the horizontal part: the stable form of the momentum error, which findings use.
    pub linear_momentum_error_norm: f64,
    /// Largest horizontal `‖P − P̄‖`, kg m/s.
    pub linear_momentum_change: f64,
    /// Largest `‖H − H̄‖ / ‖H̄‖`: the stable form of the angular momentum error.
    pub angular_momentum_error_norm: f64,
    /// Largest `‖H − H̄‖`, kg m²/s.
    pub angular_momentum_change: f64,
    /// Errors frame by frame, from first to last frame of the span, as S23 counts them.
    pub per_frame: FlightErrors,
    /// Center of mass of the fitted parabola at the first frame, meters.
    pub fit_position: DVec3,
    /// Velocity of the fitted parabola at the first frame, m/s.
    pub fit_velocity: DVec3,
    /// Ballistic path under true gravity: center of mass, one position per frame of the span, from the animated center of mass at the first frame
    /// to the animated one at the last.
    pub ballistic_path: Vec<DVec3>,
    /// Noticeability: how soon a viewer notices the errors, by the weights of the limits (S36). 1 corresponds to a change of horizontal velocity by
    /// a fifth.
    pub noticeability: f64,
    /// True if the user marked the flight, instead of the contacts deciding.
    pub marked: bool,
}

/// Change of the angular momentum about the vertical within a flight, in units of `M L √(g L)`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct YawChange {
    /// Mean of the middle half minus the mean of the outer quarters, without sign.
    pub middle: f64,
    /// Greatest distance from the mean.
    pub greatest: f64,
    /// Length of the mean of the whole angular momentum.
    pub mean: f64,
}

impl Flight {
    /// Whether the flight has frames enough to tell its gravity: four or five follow almost any parabola.
    pub fn tells_gravity(&self) -> bool {
        self.span.last - self.span.first + 1 >= 6
    }
}

/// Errors of a flight frame by frame (6.6).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FlightErrors {
    /// Horizontal path error (S20).
    pub horizontal_path: Vec<f64>,
    /// Linear momentum error per axis (S21).
    pub linear_momentum: Vec<[Option<f64>; 3]>,
    /// Angular momentum error per axis (S22).
    pub angular_momentum: Vec<[Option<f64>; 3]>,
}

/// Foot artifacts as the motion-generation field measures them: heights by the levels of the feet, of a body without feet by all touching points.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Feet {
    /// Mean horizontal speed of the slowest touching point, m/s.
    pub skate: f64,
    /// Largest gap between the floor and the lowest foot or point while the body must be carried, meters.
    pub float: f64,
    /// Greatest depth of the lowest foot or point under the floor, meters.
    pub penetration: f64,
}

/// Position of the zero-moment point relative to the support polygon, over the frames that have both.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Balance {
    /// Fraction of those frames in which the zero-moment point lies inside; `None` without such frames.
    pub inside_fraction: Option<f64>,
    /// Fraction of those frames in which the zero-moment point lies inside or within the normalized distance 1 (S28); `None` without such frames.
    pub within_one_fraction: Option<f64>,
    /// Distance of the zero-moment point from the polygon over the polygon's mean radius, per frame of the clip, negative inside (S27).
    pub normalized_distance: Vec<Option<f64>>,
    /// Largest distance of the zero-moment point outside the polygon, meters, and its frame; `None` if always inside.
    pub worst: Option<(f64, usize)>,
}

/// Severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Physically impossible: no body can do this.
    Error,
    /// A viewer would notice it, or a body could hardly do it.
    Warning,
    /// Information that never changes the verdict.
    Note,
}

/// A quantity outside its limits, or a note.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Kind of the finding.
    pub id: FindingId,
    /// Error, warning or note.
    pub severity: Severity,
    /// Span of the clip that the finding is about.
    pub span: Span,
    /// The measured value, in the [unit](super::FindingFacts::unit) of its kind.
    pub value: f64,
    /// Lower and upper limit of `value`; `None` for a side without limit.
    pub limit: [Option<f64>; 2],
    /// One or two sentences for a person: what is wrong and what to do.
    pub message: String,
}

/// Verdict that follows from all findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No errors: a body of that mass could move like that.
    Plausible,
    /// At least one error.
    Implausible,
    /// The clip does not show enough to decide.
    Undecided,
}
