//! Applies a correction plan to a clip that is already retimed.

use core::ops::Range;

use glam::DVec3;

use super::Scope;
use super::blend::{BlendReport, PlantedLimb, blend, planted};
use super::feet::{FeetReport, clean_feet};
use super::follow_path::{mass_centers, move_along_path};
use super::move_ends::move_flight_ends;
use super::path::BallisticPath;
use super::plan::{CorrectionPlan, FlightPlan};
use super::settings::FixSettings;
use super::spin::{SpinReport, SpinSettings, SpinTarget, spin_flight};
use super::take_off::thrown;
use crate::analysis::{Analysis, Settings, Tool};
use crate::character::Character;
use crate::motion::{Clip, TimeMap};

/// Rotations smaller than this are ignored, radians: files hold 32-bit floats.
pub(crate) const LEAST_TURN: f64 = 1e-5;

/// Inputs for applying a plan.
#[derive(Clone, Copy)]
pub(crate) struct Given<'a> {
    /// Character that the clip moves.
    pub character: &'a Character,
    /// Analysis of the clip for which the plan was made.
    pub analysis: &'a Analysis,
    /// Map from frames of the current clip to frames of the analyzed clip.
    pub map: &'a TimeMap,
    /// Settings of the analysis, for the current frames.
    pub settings: &'a Settings,
    /// Limits and options of the correction, for the current frames.
    pub fix: &'a FixSettings,
}

/// Changes made to one flight.
#[derive(Clone, Debug, PartialEq)]
pub struct FlightChange {
    /// First frame, in the changed clip.
    pub first: usize,
    /// Last frame.
    pub last: usize,
    /// Tool that was applied.
    pub tool: Tool,
    /// Greatest displacement of the center of mass, meters.
    pub moved: f64,
    /// Result of the spin correction, or a sentence why the flight could not be turned; `None` if not tried.
    pub spin: Option<Result<SpinReport, String>>,
    /// Result of blending the flight into its surroundings; `None` if not blended.
    pub blend: Option<BlendReport>,
}

/// Changes made to a clip.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Applied {
    /// Changes of the flights, in the order of time.
    pub flights: Vec<FlightChange>,
    /// Result of the foot correction; `None` if feet were not corrected.
    pub feet: Option<FeetReport>,
}

/// Number of intervals after moving from the old to the new number by the share `strength`.
pub(crate) fn softened(old: usize, new: usize, strength: f64) -> usize {
    if strength >= 1.0 {
        return new;
    }
    libm::round(old as f64 + strength * (new as f64 - old as f64)).max(1.0) as usize
}

/// Moves, turns and blends the flights of `plan` in `clip`, which its time map has already retimed, and plants the feet.
pub(crate) fn apply(given: &Given<'_>, plan: &CorrectionPlan, clip: &mut Clip) -> Applied {
    let everywhere =
        Scope { frames: 0..clip.frames(), protected: given.fix.protected.clone(), strength: given.fix.strength };
    let before = given.fix.blend.map(|window| (clip.clone(), window, planted_now(given)));
    let centers = mass_centers(given.character, clip);
    let mut applied = Applied::default();
    for (flight, (first, last)) in plan.flights.iter().zip(spans_after(&plan.flights)) {
        let mut change = FlightChange { first, last, tool: flight.tool, moved: 0.0, spin: None, blend: None };
        match flight.tool {
            Tool::Place => {
                let ways = placed_ends(given, &centers[first..=last], clip.frame_time);
                change.moved = move_flight_ends(given.character, clip, (first, last), ways, &everywhere).unwrap_or(0.0);
            }
            Tool::Path | Tool::Time => {
                let seconds = flight.intervals as f64 * clip.frame_time;
                let gravity = DVec3::NEG_Y * given.settings.gravity;
                let path = BallisticPath::between(centers[first], centers[last], seconds, gravity);
                let rows = path.frames(flight.intervals);
                change.moved = move_along_path(given.character, clip, first, &rows, &everywhere).unwrap_or(0.0);
            }
            Tool::Spin => change.spin = Some(turned(given, clip, (first, last), &everywhere)),
            Tool::Feet => {}
        }
        // A flight whose ends were placed elsewhere already fits its surroundings.
        if let Some((before, window, planted)) = before.as_ref().filter(|_| flight.tool != Tool::Place) {
            let span = ((first, last), *window);
            let beside = everywhere.within(between_flights(given, (first, last)));
            change.blend = Some(blend(given.character, before, clip, span, planted, &beside));
        }
        applied.flights.push(change);
    }
    if let Some(feet) = &plan.feet {
        let (start, end) = given.fix.frames.unwrap_or((0, clip.frames()));
        let scope = everywhere.within(start..end);
        applied.feet = Some(clean_feet(given.character, clip, (given.settings, feet), &scope));
    }
    applied
}

/// Range of changeable frames around a flight up to its neighbor flights: a blend must not bend another flight.
fn between_flights(given: &Given<'_>, (first, last): (usize, usize)) -> Range<usize> {
    let (mut start, mut end) = given.fix.frames.unwrap_or((0, given.map.frames()));
    for flight in &given.analysis.flights {
        let (other_first, other_last) = given.map.span((flight.span.first, flight.span.last));
        if other_last < first {
            start = start.max(other_last + 1);
        }
        if other_first > last {
            end = end.min(other_first);
        }
    }
    start.min(first)..end.max(last + 1)
}

/// Limbs with their planted frames, for the current frames.
fn planted_now(given: &Given<'_>) -> Vec<PlantedLimb> {
    let mut limbs = planted(given.character, given.analysis);
    let old = given.analysis.frames - 1;
    for limb in &mut limbs {
        let source = |frame: usize| (libm::round(given.map.source(frame)) as usize).min(old);
        limb.frames = (0..given.map.frames()).map(|frame| limb.frames[source(frame)]).collect();
    }
    limbs
}

/// Displacements of the ends of a flight with these centers of mass, meters: those asked for, and that of the landing
/// which follows from the take-off velocity.
fn placed_ends(given: &Given<'_>, centers: &[DVec3], step: f64) -> [DVec3; 2] {
    let mut ways = given.fix.ends.unwrap_or_default();
    let gravity = DVec3::NEG_Y * given.settings.gravity;
    let thrown = given.fix.takeoff_velocity.and_then(|velocity| thrown(centers, velocity, gravity, step));
    if let Some((_, way)) = thrown {
        ways[1] = ways[0] + way;
    }
    ways
}

fn turned(
    given: &Given<'_>,
    clip: &mut Clip,
    (first, last): (usize, usize),
    scope: &Scope,
) -> Result<SpinReport, String> {
    let momentum = given.fix.momentum.unwrap_or(SpinTarget::Landing);
    let newton = given.fix.newton;
    let settings = SpinSettings { momentum, newton, least_angle: LEAST_TURN, ..SpinSettings::default() };
    spin_flight(given.character, clip, first..=last, &settings, scope).map_err(|error| error.to_string())
}

/// Spans of the flights after retiming of all flights before them.
pub(crate) fn spans_after(flights: &[FlightPlan]) -> Vec<(usize, usize)> {
    let mut shift = 0isize;
    let mut spans = Vec::with_capacity(flights.len());
    for flight in flights {
        let first = flight.first.saturating_add_signed(shift);
        spans.push((first, first + flight.intervals));
        shift += flight.intervals as isize - (flight.last - flight.first) as isize;
    }
    spans
}
