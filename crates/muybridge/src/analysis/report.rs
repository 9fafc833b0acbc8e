//! The result of an analysis: everything a report, a picture or another program can say about a clip.
//!
//! Vectors in metres, kilograms, seconds, y up. Entry k of every per-frame list is frame k of the clip; a frame that
//! was left out, and anything undefined, is `None`.

use glam::DVec3;

use super::finding_id::FindingId;
use crate::character::Role;

/// What was found about one clip.
#[derive(Clone, Debug, PartialEq)]
pub struct Analysis {
    /// Name of the clip within its file; empty where the format has none.
    pub clip: String,
    /// Frames in the clip.
    pub frames: usize,
    /// Frames per second.
    pub frames_per_second: f64,
    /// Names of the bones, in the skeleton's order.
    pub bones: Vec<String>,
    /// Which bone plays which part, in the order of the bones.
    pub roles: Vec<(Role, usize)>,
    /// Magnitude of gravity the motion is held against, m/s².
    pub gravity: f64,
    /// Cut-off of the low-pass filter, hertz; `None` where nothing was filtered.
    pub cutoff_hz: Option<f64>,
    /// Why that cut-off, in words.
    pub cutoff_source: String,
    /// Total mass, kg.
    pub mass: f64,
    /// Where the masses are from, in words.
    pub body_source: String,
    /// Bones that carry mass: bone index and kilograms.
    pub segments: Vec<(usize, f64)>,
    /// Height of the floor, metres; `None` where nothing ever rests.
    pub floor: Option<f64>,
    /// Velocity of the ground under an in-place clip, m/s; zero for a clip that travels.
    pub treadmill: DVec3,
    /// Frames that were analysed, `first..end`; the others are `None` in [`PerFrame`].
    pub range: (usize, usize),
    /// Quantities per frame.
    pub per_frame: PerFrame,
    /// Phases without contact.
    pub flights: Vec<Flight>,
    /// Phases in which the clip does not show what carries the body.
    pub unseen_support: Vec<Span>,
    /// Artefacts of feet and of everything else that touches.
    pub feet: Feet,
    /// Zero-moment point against support.
    pub balance: Balance,
    /// Everything outside its limits, and notes; errors first, then by time.
    pub findings: Vec<Finding>,
    /// The sum of the findings.
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
    /// Seconds.
    pub time: Vec<f64>,
    /// Centre of mass, metres.
    pub mass_center: Vec<Option<DVec3>>,
    /// m/s.
    pub mass_center_velocity: Vec<Option<DVec3>>,
    /// m/s².
    pub mass_center_acceleration: Vec<Option<DVec3>>,
    /// kg m/s.
    pub linear_momentum: Vec<Option<DVec3>>,
    /// About the centre of mass, kg m²/s.
    pub angular_momentum: Vec<Option<DVec3>>,
    /// kg m²/s².
    pub angular_momentum_rate: Vec<Option<DVec3>>,
    /// Force the world must exert on the body, newtons.
    pub ground_force: Vec<Option<DVec3>>,
    /// On the floor, metres; `None` in flight.
    pub zero_moment_point: Vec<Option<DVec3>>,
    /// Distance of the zero-moment point to the edge of the support polygon, metres, positive inside.
    pub support_margin: Vec<Option<f64>>,
    /// Corners of the support polygon on the floor, counter-clockwise seen from above; empty without contact.
    pub support_polygon: Vec<Vec<DVec3>>,
    /// Indices of the bones that touch, ascending.
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

/// A phase without contact and how far it is from free fall.
#[derive(Clone, Debug, PartialEq)]
pub struct Flight {
    /// First and last airborne frame.
    pub span: Span,
    /// Gravity the centre of mass falls with, in units of the gravity it is held against (6.7).
    pub gravity: f64,
    /// Standard error of `gravity`, from the residual of the fit.
    pub gravity_standard_error: f64,
    /// `1 / gravity`: as large as this the character would be right about time (S25).
    pub size_factor: f64,
    /// Frames the flight should have more (fewer, if negative) at unchanged path (S35).
    pub frames_to_add: i64,
    /// Largest horizontal distance from the straight line, by the length of the path (S20); metres if the path is
    /// shorter than 5 cm.
    pub horizontal_path_error: f64,
    /// True where `horizontal_path_error` is in metres.
    pub path_error_in_meters: bool,
    /// Largest `|P_k − P̄_k| / |P̄_k|` per axis x, y, z (S21); y is `None`, infinite means the mean is zero and P is not.
    pub linear_momentum_error: [Option<f64>; 3],
    /// Largest `|H_k − H̄_k| / |H̄_k|` per axis (S22).
    pub angular_momentum_error: [Option<f64>; 3],
    /// Largest `‖P − P̄‖ / ‖P̄‖`, horizontal part: the stable reading that is judged.
    pub linear_momentum_error_norm: f64,
    /// Largest horizontal `‖P − P̄‖`, kg m/s.
    pub linear_momentum_change: f64,
    /// Largest `‖H − H̄‖ / ‖H̄‖`: the stable reading.
    pub angular_momentum_error_norm: f64,
    /// Largest `‖H − H̄‖`, kg m²/s.
    pub angular_momentum_change: f64,
    /// The errors frame by frame, first to last frame of the span, as S23 counts them.
    pub per_frame: FlightErrors,
    /// Centre of mass that the fit gives at the first frame, metres.
    pub fit_position: DVec3,
    /// Its velocity there, m/s.
    pub fit_velocity: DVec3,
    /// The path physics asks for: centre of mass under true gravity, one position per frame of the span, from the
    /// animated centre of mass at its first frame to that at its last.
    pub ballistic_path: Vec<DVec3>,
    /// How soon a viewer notices, by the weights of the limits (S36): 1 is a change of horizontal velocity by a fifth.
    pub noticeability: f64,
    /// True where the user marked the flight instead of the contacts.
    pub marked: bool,
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
    /// S20.
    pub horizontal_path: Vec<f64>,
    /// S21 per axis.
    pub linear_momentum: Vec<[Option<f64>; 3]>,
    /// S22 per axis.
    pub angular_momentum: Vec<[Option<f64>; 3]>,
}

/// What the motion-generation field counts about feet, over everything that touches.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Feet {
    /// Mean horizontal speed of planted contacts, m/s.
    pub skate: f64,
    /// Largest gap between floor and lowest contact while the body must be carried, metres.
    pub float: f64,
    /// Deepest point under the floor, metres.
    pub penetration: f64,
}

/// Zero-moment point against the support polygon over the frames that have both.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Balance {
    /// Fraction of those frames in which it lies inside; `None` without such frames.
    pub inside_fraction: Option<f64>,
    /// Fraction of those frames in which it lies inside or within 1 of it, normalised (S28).
    pub within_one_fraction: Option<f64>,
    /// Distance by the mean radius of the polygon per frame of the clip, negative inside (S27).
    pub normalized_distance: Vec<Option<f64>>,
    /// Largest distance outside, metres, and its frame.
    pub worst: Option<(f64, usize)>,
}

/// How grave a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// No body can do this.
    Error,
    /// A viewer would notice, or it hardly can be.
    Warning,
    /// Worth knowing; never changes the verdict.
    Note,
}

/// One thing outside its limits, or a note.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Kind of the finding.
    pub id: FindingId,
    /// Error, warning or note.
    pub severity: Severity,
    /// Where in the clip.
    pub span: Span,
    /// The measured value, in the unit that [`FindingId::unit`] says.
    pub value: f64,
    /// Lower and upper limit of `value`, where there is one.
    pub limit: [Option<f64>; 2],
    /// One or two sentences for a person: what is wrong and what to do.
    pub message: String,
}

/// The sum of the findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No errors: a body of that mass could move like that.
    Plausible,
    /// At least one error.
    Implausible,
    /// The clip does not show enough to decide.
    Undecided,
}
