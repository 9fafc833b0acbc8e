//! Phases of a clip: flights, and spans in which something carries the body that the clip does not show (unseen support).
//!
//! A run without contact whose feet leave the ground is a flight (mathematics 6.6, S26), whatever the gravity it shows, with three exceptions:
//! - what is carried while some part of the body rests is unseen support: a box, a chair, a wall. Inside it, a stretch in
//!   which nothing rests and the body falls is a flight whose ends are uncertain;
//! - a run that hardly leaves the ground and hardly falls is a contact that was not seen, rather than a flight;
//! - what the user marks.
//!
//! A clip without a floor is one flight.

use super::contacts::runs;
use super::frames::Frames;
use super::stance::rest::Rest;
use super::stance::{Size, Stance};

/// Fewest frames of a flight (6.6).
pub(crate) const LEAST_FLIGHT: usize = 4;

/// Phases as half-open runs of frames `first..end`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Phases {
    /// Flights: runs in which the body is in the air.
    pub flights: Vec<(usize, usize)>,
    /// True for flights that begin or end beside an unseen support, so that their ends are uncertain; one per entry of `flights`.
    pub beside_support: Vec<bool>,
    /// True for flights that the user marked; one per entry of `flights`.
    pub marked: Vec<bool>,
    /// Runs of unseen support: something that the clip does not show carries the body.
    pub unseen: Vec<(usize, usize)>,
    /// Runs of unseen support that the clip shows, together with the falls inside them, without the frames that the user marked.
    pub above_floor: Vec<(usize, usize)>,
}

/// What the phases follow from.
pub(crate) struct PhaseEvidence<'a> {
    pub stance: &'a Stance,
    pub rest: &'a Rest,
    pub frames: Frames,
    pub size: Size,
    /// Frames `first..=last` that the user marked as flights.
    pub marked_flights: &'a [(usize, usize)],
    /// Frames `first..=last` that the user marked as supported.
    pub marked_supports: &'a [(usize, usize)],
}

/// Splits the frames without contact into flights and unseen support. `gravity` must give the gravity with which the
/// mass center falls over the frames `first..end`, in units of true gravity.
pub(crate) fn find_phases(evidence: &PhaseEvidence<'_>, gravity: &dyn Fn(usize, usize) -> f64) -> Phases {
    let PhaseEvidence { stance, frames, .. } = evidence;
    let count = stance.parts.len();
    let mut airborne: Vec<bool> = (0..count).map(|f| frames.all().contains(&f) && stance.parts[f] == 0).collect();
    let mut unseen = vec![false; count];
    let mut beside = vec![false; count];
    let mut above_floor = Vec::new();
    for (first, end) in runs(airborne.clone().into_iter()) {
        let (from, to) = evidence.in_air(first, end);
        airborne[first..from].fill(false);
        airborne[to..end].fill(false);
        let (first, end) = (from, to);
        match evidence.kind(first, end, gravity) {
            PhaseRun::Flight => {}
            PhaseRun::Contact => airborne[first..end].fill(false),
            PhaseRun::UnseenSupport => {
                unseen[first..end].fill(true);
                let is_marked = |f: usize| evidence.marked_supports.iter().any(|&(a, b)| (a..=b).contains(&f));
                let unmarked = runs((first..end).map(|f| !is_marked(f)));
                above_floor.extend(unmarked.into_iter().map(|(from, to)| (first + from, first + to)));
                for (from, to) in evidence.falls(first, end) {
                    unseen[from..to].fill(false);
                    beside[from..to].fill(true);
                }
            }
        }
    }
    mark(&mut unseen, evidence.marked_supports, true);
    mark(&mut unseen, evidence.marked_flights, false);
    mark(&mut airborne, evidence.marked_flights, true);
    for frame in 0..count {
        airborne[frame] &= !unseen[frame];
    }
    let mut phases = Phases { unseen: runs(unseen.iter().copied()), above_floor, ..Phases::default() };
    for (from, to) in runs(airborne.into_iter()) {
        let marked = evidence.marked_flights.iter().any(|&(a, b)| a < to && b >= from);
        if to - from >= LEAST_FLIGHT || marked {
            phases.flights.push((from, to));
            phases.marked.push(marked);
            let is_beside = (from > 0 && unseen[from - 1]) || (to < count && unseen[to]) || beside[from];
            phases.beside_support.push(is_beside);
        }
    }
    phases
}

/// What a run of frames without contact is.
enum PhaseRun {
    Flight,
    UnseenSupport,
    Contact,
}

impl PhaseEvidence<'_> {
    /// A run without stances less the frames at its ends in which a foot grazes the floor: too fast to stand, but carried.
    fn in_air(&self, first: usize, end: usize) -> (usize, usize) {
        let from = (first..end).find(|&frame| !self.grazes(frame)).unwrap_or(end);
        let to = (from..end).rfind(|&frame| !self.grazes(frame)).map_or(from, |last| last + 1);
        (from, to)
    }

    /// Whether the ground carries a foot that is too fast to stand.
    fn grazes(&self, frame: usize) -> bool {
        let Self { stance, size, .. } = self;
        stance.has_feet() && stance.clearance[frame] < 0.01 * size.scale && stance.carried[frame] > 0.5
    }

    fn kind(&self, first: usize, end: usize, gravity: &dyn Fn(usize, usize) -> f64) -> PhaseRun {
        if self.stance.floor.is_none() {
            return PhaseRun::Flight;
        }
        let (scale, time) = (self.size.scale, self.frames.time);
        // The levels of feet are known to centimeters; contacts that were given are exact.
        let clearance = match self.stance.has_feet() {
            true => self.stance.clearance[first..end].iter().copied().fold(0.0, f64::max),
            false => f64::INFINITY,
        };
        if clearance < 0.03 * scale || end - first < LEAST_FLIGHT {
            return PhaseRun::Contact;
        }
        // The ends of the run are known to 50 ms.
        let apart = self.frames.within(0.05);
        let inner = first + apart..end.saturating_sub(apart).max(first + apart);
        let carried = inner.clone().filter(|&f| self.stance.carried[f] > 0.5).count();
        let rests = |&f: &usize| self.stance.carried[f] > 0.5 && self.rest.speed[f] < 0.2 * self.size.pace;
        let resting = inner.filter(rests).count();
        if carried as f64 * time >= 0.12 && resting as f64 >= 0.4 * carried as f64 {
            PhaseRun::UnseenSupport
        } else if clearance < 0.08 * scale && gravity(first, end) < 0.5 {
            PhaseRun::Contact
        } else {
            PhaseRun::Flight
        }
    }

    /// Stretches of unseen support in which nothing rests and the body falls.
    fn falls(&self, first: usize, end: usize) -> Vec<(usize, usize)> {
        let falls = |f: usize| self.rest.speed[f] >= 0.12 * self.size.pace && self.stance.carried[f] < 0.5;
        let stretches = runs((first..end).map(falls)).into_iter().map(|(from, to)| (first + from, first + to));
        stretches.filter(|(from, to)| (to - from) as f64 * self.frames.time >= 0.1).collect()
    }

    /// Stretches of unseen support in which nothing rests although the body is carried, and its height changes: frames and
    /// the change, meters.
    pub(crate) fn uncarried(&self, (first, end): (usize, usize)) -> Vec<((usize, usize), f64)> {
        let time = self.frames.time;
        let rests = |f: usize| self.rest.speed[f] < 0.12 * self.size.pace;
        let mut found = Vec::new();
        for (from, to) in runs((first..end).map(|f| !rests(f))) {
            let (from, to) = (first + from, first + to);
            if to - from < 3 || (to - from) as f64 * time < 0.1 {
                continue;
            }
            let (from, to) = (from.saturating_sub(1).max(first), (to + 1).min(end));
            let heights = &self.stance.clearance[from..to];
            let change = heights.iter().copied().fold(f64::NEG_INFINITY, f64::max)
                - heights.iter().copied().fold(f64::INFINITY, f64::min);
            let pushed = |f: usize| self.stance.carried[f].abs() > 0.5 && self.rest.speed[f] > 0.5 * self.size.pace;
            let longest = runs((from..to).map(pushed)).iter().map(|(a, b)| b - a).max().unwrap_or(0);
            let way = |f: usize| (self.stance.clearance[f] - self.stance.clearance[f - 1]).abs();
            let whole: f64 = (from + 1..to).map(way).sum();
            let carried: f64 = (from + 1..to).filter(|&f| pushed(f)).map(way).sum();
            // Who jumps on to a box falls freely on the way.
            let is_long = longest as f64 * time > 0.065 && 3 * longest >= to - from;
            let is_far = carried > 0.15 * self.size.scale && 2.0 * carried >= whole;
            let is_pushed = is_long || is_far;
            if change > 0.15 * self.size.scale && is_pushed {
                found.push(((from, to), change));
            }
        }
        found
    }
}

/// Sets the flags of the frames `first..=last` of some spans.
pub(super) fn mark(flags: &mut [bool], spans: &[(usize, usize)], value: bool) {
    for &(first, last) in spans {
        let end = (last + 1).min(flags.len());
        if first < end {
            flags[first..end].fill(value);
        }
    }
}
