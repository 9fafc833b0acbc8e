//! Phases of a clip: flights, and spans in which something carries the body that the clip does not show (unseen support).
//!
//! A flight is a maximal run of at least four frames without contact (mathematics 6.6, S26). Contact alone decides; implied gravity never rejects a
//! flight. A clip without a floor is one flight. If a point of the body stands still above the floor during such a run, something unseen carries
//! the body (a box, a chair, a wall): that is unseen support, not a flight at 0 g. One exception keeps a floating jump a flight: if the center of
//! mass follows one parabola, bent downward, from end to end of the run, the run is a flight even if a limb stands still at its apex.

use super::contacts::runs;

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
}

/// Input of the phase detection, one flag per frame of the clip.
pub(crate) struct PhaseEvidence<'a> {
    /// Analyzed frames `first..end`.
    pub range: (usize, usize),
    /// False if the clip has no floor.
    pub has_floor: bool,
    /// True if some point touches the ground, or grazes it at speed.
    pub touching: &'a [bool],
    /// True if some point stands still above the floor.
    pub standing_still: &'a [bool],
    /// Frames `first..=last` that the user marked as flights.
    pub marked_flights: &'a [(usize, usize)],
    /// Frames `first..=last` that the user marked as supported.
    pub marked_supports: &'a [(usize, usize)],
}

/// Splits the analyzed frames into flights and unseen support. `is_ballistic(first, end)` must tell whether the center of mass follows one parabola
/// over these frames, bent downward.
pub(crate) fn find_phases(evidence: &PhaseEvidence<'_>, is_ballistic: &dyn Fn(usize, usize) -> bool) -> Phases {
    let (first, end) = evidence.range;
    let mut airborne: Vec<bool> =
        (0..evidence.touching.len()).map(|f| f >= first && f < end && !evidence.touching[f]).collect();
    let mut unseen = vec![false; airborne.len()];
    for (run_first, run_end) in runs(airborne.clone().into_iter()) {
        let still = &evidence.standing_still[run_first..run_end];
        if evidence.has_floor && still.contains(&true) && !is_ballistic(run_first, run_end) {
            for (from, to) in closed_gaps(still) {
                unseen[run_first + from..run_first + to].fill(true);
            }
        }
    }
    mark(&mut unseen, evidence.marked_supports, true);
    mark(&mut unseen, evidence.marked_flights, false);
    mark(&mut airborne, evidence.marked_flights, true);
    for frame in 0..airborne.len() {
        airborne[frame] &= !unseen[frame];
    }
    let mut phases = Phases { unseen: runs(unseen.iter().copied()), ..Phases::default() };
    for (from, to) in runs(airborne.into_iter()) {
        let marked = evidence.marked_flights.iter().any(|&(a, b)| a < to && b >= from);
        if to - from >= LEAST_FLIGHT || marked {
            phases.flights.push((from, to));
            phases.marked.push(marked);
            phases.beside_support.push((from > 0 && unseen[from - 1]) || (to < unseen.len() && unseen[to]));
        }
    }
    phases
}

/// Returns runs of `true` after closing gaps shorter than a flight.
fn closed_gaps(flags: &[bool]) -> Vec<(usize, usize)> {
    let mut closed: Vec<(usize, usize)> = Vec::new();
    for (first, end) in runs(flags.iter().copied()) {
        match closed.last_mut() {
            Some(last) if first - last.1 < LEAST_FLIGHT => last.1 = end,
            _ => closed.push((first, end)),
        }
    }
    closed
}

fn mark(flags: &mut [bool], spans: &[(usize, usize)], value: bool) {
    for &(first, last) in spans {
        let end = (last + 1).min(flags.len());
        if first < end {
            flags[first..end].fill(value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evidence<'a>(touching: &'a [bool], standing_still: &'a [bool]) -> PhaseEvidence<'a> {
        PhaseEvidence {
            range: (0, touching.len()),
            has_floor: true,
            touching,
            standing_still,
            marked_flights: &[],
            marked_supports: &[],
        }
    }

    fn flags(pattern: &str) -> Vec<bool> {
        pattern.chars().map(|c| c == '#').collect()
    }

    #[test]
    fn s26_a_flight_is_a_run_of_four_frames_without_contact() {
        let touching = flags("###......##...##");
        let still = flags("................");
        let phases = find_phases(&evidence(&touching, &still), &|_, _| true);
        assert_eq!(phases.flights, vec![(3, 9)]);
        assert_eq!(phases.unseen, vec![]);
    }

    #[test]
    fn standing_on_a_box_is_unseen_support_and_the_fall_from_it_a_flight() {
        let touching = flags("............####");
        let still = flags("######..........");
        let phases = find_phases(&evidence(&touching, &still), &|_, _| false);
        assert_eq!(phases.unseen, vec![(0, 6)]);
        assert_eq!(phases.flights, vec![(6, 12)]);
        assert_eq!(phases.beside_support, vec![true]);
    }

    #[test]
    fn what_the_user_marks_wins() {
        let touching = flags("####......######");
        let still = flags("................");
        let marked =
            PhaseEvidence { marked_supports: &[(4, 9)], marked_flights: &[(11, 14)], ..evidence(&touching, &still) };
        let phases = find_phases(&marked, &|_, _| false);
        assert_eq!(phases.unseen, vec![(4, 10)]);
        assert_eq!(phases.flights, vec![(11, 15)]);
        assert_eq!(phases.marked, vec![true]);
    }
}
