//! A plan carried out on a clip that has its frames already.

use glam::DVec3;

use super::Scope;
use super::follow::{follow, mass_centers};
use super::path::BallisticPath;
use super::plan::{FlightPlan, Plan, Tool};
use super::settings::FixSettings;
use crate::analysis::{Analysis, Settings};
use crate::character::Character;
use crate::motion::Clip;

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
}

/// What was done to a clip.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Applied {
    /// Flight by flight, in the order of time.
    pub flights: Vec<FlightChange>,
}

/// Part of the way from the old number of intervals to the new one.
pub fn softened(old: usize, new: usize, strength: f64) -> usize {
    if strength >= 1.0 {
        return new;
    }
    libm::round(old as f64 + strength * (new as f64 - old as f64)).max(1.0) as usize
}

/// Moves and turns the flights of `plan` in `clip`, which was retimed by its time map already, and plants the feet.
/// `settings` and `fix` are those of the retimed clip, `analysis` that of the clip the plan was made for.
pub fn apply(
    character: &Character,
    clip: &mut Clip,
    plan: &Plan,
    analysis: &Analysis,
    settings: &Settings,
    fix: &FixSettings,
) -> Applied {
    let scope = Scope { frames: 0..clip.frames(), protected: fix.protected.clone(), strength: fix.strength };
    let centers = mass_centers(character, clip);
    let mut applied = Applied::default();
    for (flight, (first, last)) in plan.flights.iter().zip(spans_after(&plan.flights)) {
        let mut change = FlightChange { first, last, tool: flight.tool, moved: 0.0 };
        match flight.tool {
            Tool::Path | Tool::Time => {
                let seconds = flight.intervals as f64 * clip.frame_time;
                let gravity = DVec3::NEG_Y * settings.gravity;
                let path = BallisticPath::between(centers[first], centers[last], seconds, gravity);
                change.moved = follow(character, clip, first, &path.frames(flight.intervals), &scope).unwrap_or(0.0);
            }
            Tool::Spin | Tool::Feet => {}
        }
        applied.flights.push(change);
    }
    let _ = analysis;
    applied
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
