//! A plan carried out on a clip that has its frames already.

use core::ops::Range;

use glam::DVec3;

use super::Scope;
use super::blend::{BlendReport, Planted, blend, planted};
use super::feet::{FeetReport, clean_feet};
use super::follow_path::{mass_centers, move_along_path};
use super::move_ends::move_flight_ends;
use super::path::BallisticPath;
use super::plan::{CorrectionPlan, FlightPlan};
use super::settings::FixSettings;
use super::spin::{SpinReport, SpinSettings, SpinTarget, spin_flight};
use crate::analysis::{Analysis, Settings, Tool};
use crate::character::Character;
use crate::motion::{Clip, TimeMap};

/// Turns smaller than this are none, radians: files hold 32-bit floats.
pub const LEAST_TURN: f64 = 1e-5;

/// What a plan is carried out with.
#[derive(Clone, Copy)]
pub struct Given<'a> {
    /// Who moves.
    pub character: &'a Character,
    /// What was found about the clip that the plan was made for.
    pub analysis: &'a Analysis,
    /// Where the frames of the clip come from in that one.
    pub map: &'a TimeMap,
    /// How the clip is analysed, for its frames as they are now.
    pub settings: &'a Settings,
    /// What may be done, for its frames as they are now.
    pub fix: &'a FixSettings,
}

/// What was done to a flight.
#[derive(Clone, Debug, PartialEq)]
pub struct FlightChange {
    /// First frame, in the changed clip.
    pub first: usize,
    /// Last frame.
    pub last: usize,
    /// The tool.
    pub tool: Tool,
    /// Longest way of the center of mass, metres.
    pub moved: f64,
    /// What turning it came to; the sentence says why it could not be turned.
    pub spin: Option<Result<SpinReport, String>>,
    /// What blending it into its surroundings came to.
    pub blend: Option<BlendReport>,
}

/// What was done to a clip.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Applied {
    /// Flight by flight, in the order of time.
    pub flights: Vec<FlightChange>,
    /// What planting the feet came to.
    pub feet: Option<FeetReport>,
}

/// Part of the way from the old number of intervals to the new one.
pub fn softened(old: usize, new: usize, strength: f64) -> usize {
    if strength >= 1.0 {
        return new;
    }
    libm::round(old as f64 + strength * (new as f64 - old as f64)).max(1.0) as usize
}

/// Moves, turns and blends the flights of `plan` in `clip`, which was retimed by its time map already, and plants the feet.
pub fn apply(given: &Given<'_>, plan: &CorrectionPlan, clip: &mut Clip) -> Applied {
    let everywhere =
        Scope { frames: 0..clip.frames(), protected: given.fix.protected.clone(), strength: given.fix.strength };
    let before = given.fix.blend.map(|window| (clip.clone(), window, planted_now(given)));
    let centers = mass_centers(given.character, clip);
    let mut applied = Applied::default();
    for (flight, (first, last)) in plan.flights.iter().zip(spans_after(&plan.flights)) {
        let mut change = FlightChange { first, last, tool: flight.tool, moved: 0.0, spin: None, blend: None };
        match flight.tool {
            Tool::Place => {
                let ways = given.fix.ends.unwrap_or_default();
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
        // What is placed elsewhere fits what is beside it already.
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

/// The frames around a flight that are no other flight's and may change: a blend must not bend the flight beside.
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

/// Limbs that stand on something, over the frames as they are now.
fn planted_now(given: &Given<'_>) -> Vec<Planted> {
    let mut limbs = planted(given.character, given.analysis);
    let old = given.analysis.frames - 1;
    for limb in &mut limbs {
        let source = |frame: usize| (libm::round(given.map.source(frame)) as usize).min(old);
        limb.frames = (0..given.map.frames()).map(|frame| limb.frames[source(frame)]).collect();
    }
    limbs
}

fn turned(
    given: &Given<'_>,
    clip: &mut Clip,
    (first, last): (usize, usize),
    scope: &Scope,
) -> Result<SpinReport, String> {
    let momentum = given.fix.momentum.unwrap_or(SpinTarget::Landing);
    let settings = SpinSettings { momentum, least_angle: LEAST_TURN, ..SpinSettings::default() };
    spin_flight(given.character, clip, first..=last, &settings, scope).map_err(|error| error.to_string())
}

/// Where the flights are once those before them are retimed.
pub fn spans_after(flights: &[FlightPlan]) -> Vec<(usize, usize)> {
    let mut shift = 0isize;
    let mut spans = Vec::with_capacity(flights.len());
    for flight in flights {
        let first = flight.first.saturating_add_signed(shift);
        spans.push((first, first + flight.intervals));
        shift += flight.intervals as isize - (flight.last - flight.first) as isize;
    }
    spans
}
