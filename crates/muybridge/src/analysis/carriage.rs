//! How the body is carried outside its flights: support that nothing gives, feet over or under their level, and forces of the ground
//! that no ground and no body can give.

use super::contacts::runs;
use super::continuity::Continuity;
use super::finding_id::FindingId;
use super::findings::{FindingContext, at_most_warning, graded, span};
use super::phases::{PhaseEvidence, Phases, mark};
use super::report::{Analysis, Feet, Finding, Severity};
use super::settings::Settings;
use super::stance::drift::{self, FootDrift};
use super::stance::planted::{self, Planted};

/// Measures of how a body is carried; spans are frames `first..end`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Carriage {
    /// Stretches in which what carries the body rises or sinks, the largest first.
    pub drifts: Vec<FootDrift>,
    /// Stretches of unseen support that change height although nothing rests, and the change in meters.
    pub uncarried: Vec<((usize, usize), f64)>,
    /// Stretches in which the ground would have to pull, or to push harder than a body bears: the force over the weight.
    pub forces: Vec<((usize, usize), f64)>,
    /// Height and slip of standing feet.
    pub planted: Planted,
    /// Whether the body has feet, so that `planted` was measured.
    pub has_feet: bool,
    /// Whether the body has two legs with roles.
    pub is_human: bool,
}

/// Shortest time for which a ground pulls, seconds.
const LEAST_PULL: f64 = 0.08;

impl Carriage {
    /// Measures a clip with its phases. `gravity` gives the gravity with which the mass center falls over the frames `first..end`, `weight` is
    /// in newtons.
    pub(crate) fn new(
        evidence: &PhaseEvidence<'_>,
        (phases, continuity): (&Phases, &Continuity),
        (gravity, weight): (&dyn Fn(usize, usize) -> f64, f64),
        settings: &Settings,
    ) -> Self {
        let PhaseEvidence { stance, rest, frames, size, .. } = evidence;
        let count = stance.parts.len();
        let (first, end) = frames.range;
        let pad = libm::ceil(0.07 / frames.time) as usize + 1;
        let mut beside_jumps = vec![false; count];
        for jump in &continuity.jumps {
            let begin = jump.before.saturating_sub(pad).min(count);
            beside_jumps[begin..(jump.after + pad).min(count)].fill(true);
        }
        let mut apart = beside_jumps.clone();
        let mut leave_out = |from: usize, to: usize| {
            let from = from.clamp(first, end);
            apart[from..to.clamp(from, end)].fill(true);
        };
        let ends = frames.within(0.05);
        leave_out(first, first + ends);
        leave_out(end.saturating_sub(ends), end);
        for (from, to) in runs((0..count).map(|f| frames.all().contains(&f) && stance.parts[f] == 0)) {
            let is_flight = to - from >= 3 && (to - from) as f64 * frames.time < 1.2;
            if is_flight && (0.4..3.0).contains(&gravity(from, to)) {
                leave_out(from.saturating_sub(pad), to + pad);
            }
        }
        for (marked_first, marked_last) in settings.supports.iter().chain(&settings.flights) {
            leave_out(*marked_first, marked_last.saturating_add(1));
        }
        for (frame, actuated) in settings.actuated.iter().enumerate().take(count) {
            if actuated.force.length() > 0.0 {
                leave_out(frame, frame + 1);
            }
        }
        let has_feet = stance.has_feet() && !continuity.root_never_moves;
        let above = settings.stated_floor().zip(stance.floor).map_or(0.0, |(given, own)| own - given);
        let scales = (size.scale, size.pace);
        let planted =
            if has_feet { planted::measure(stance, frames, scales, above, &apart) } else { Planted::default() };
        Self {
            drifts: if has_feet { drift::drifts(stance, rest, frames, size.pace, &apart) } else { Vec::new() },
            uncarried: phases.above_floor.iter().flat_map(|&run| evidence.uncarried(run)).collect(),
            forces: forces(evidence, phases, (&beside_jumps, weight), settings),
            planted,
            has_feet,
            is_human: size.is_human,
        }
    }

    /// Skating, floating and penetration: the heights by the levels of the feet where the body has feet.
    pub(crate) fn feet(&self, feet: Feet) -> Feet {
        let Planted { float, sink, depth, .. } = self.planted;
        if self.has_feet { Feet { float: float.0, penetration: sink.0.max(depth), ..feet } } else { feet }
    }

    /// Support that nothing gives, and forces that no ground gives.
    pub(crate) fn findings(&self, analysis: &Analysis, c: &FindingContext<'_>) -> Vec<Finding> {
        let limits = c.limits.drift_m.map(|limit| limit * c.scale.adults());
        let carries = "If a lift, a partner or a horse carries it, --support A..B says so.";
        let mut found = Vec::new();
        for &((first, end), change) in &self.uncarried {
            found.push(Finding {
                id: FindingId::SupportNone,
                severity: if change > 0.2 * c.scale.adults() { Severity::Error } else { Severity::Warning },
                span: span(analysis, first, end - 1),
                value: change,
                limit: [None, Some(limits[0])],
                message: format!(
                    "The body changes its height by {:.0} cm while it is carried and no part of it rests. {carries}",
                    100.0 * change
                ),
            });
        }
        if let Some(drift) = self.drifts.first() {
            let how = if drift.amount > 0.0 { "rises" } else { "sinks" };
            let amount = drift.amount.abs();
            let message =
                format!("What carries the body {how} by {:.0} cm, and no part of it rests. {carries}", 100.0 * amount);
            let span = span(analysis, drift.frames.0, drift.frames.1 - 1);
            // The slow ends of a drift are not measured; feet that stand apart from their level show all of it.
            let Planted { float, sink, sink_of_feet, .. } = self.planted;
            let apart = [(float.0, float.1), (sink_of_feet, sink.1)];
            let stands_apart = apart.into_iter().any(|(height, seconds)| height > limits[1] && seconds > 0.3);
            let finding = graded(FindingId::SupportNone, span, amount, limits, message);
            found.extend(finding.map(|f| match (drift.is_rigid && stands_apart, drift.is_seated && !drift.is_rigid) {
                (true, _) => Finding { severity: Severity::Error, ..f },
                (false, true) => at_most_warning(f),
                (false, false) => f,
            }));
        }
        let [pull, push] = c.limits.ground_force_weights;
        for &((first, end), force) in &self.forces {
            found.push(Finding {
                id: FindingId::ForceGround,
                severity: Severity::Error,
                span: span(analysis, first, end - 1),
                value: force,
                limit: [Some(pull), Some(push)],
                message: if force < 0.0 {
                    format!("The ground would have to pull the body down with {:.1} times its weight.", -force)
                } else {
                    format!(
                        "The ground would have to push the body with {force:.0} times its weight; no body bears that."
                    )
                },
            });
        }
        found
    }
}

/// Stretches outside flights and marked supports in which the ground would have to pull, or push beyond what measured people bear. Actuators
/// give their part.
fn forces(
    evidence: &PhaseEvidence<'_>,
    phases: &Phases,
    (apart, weight): (&[bool], f64),
    settings: &Settings,
) -> Vec<((usize, usize), f64)> {
    let PhaseEvidence { stance, frames, .. } = evidence;
    let mut of_ground = stance.carried.clone();
    if weight > 0.0 {
        let given = settings.actuated.iter().map(|actuated| actuated.force.y / weight);
        of_ground.iter_mut().zip(given).for_each(|(force, given)| *force -= given);
    }
    let [pull, push] = settings.limits.ground_force_weights;
    let mut flies = apart.to_vec();
    // A fall beside an unseen support is judged by its force alone.
    let judged = phases.flights.iter().zip(&phases.beside_support).filter(|(_, beside)| !**beside);
    judged.for_each(|(&(first, end), _)| flies[first..end].fill(true));
    mark(&mut flies, &settings.supports, true);
    let of = |holds: &dyn Fn(f64) -> bool, least: f64, worse: fn(f64, f64) -> f64| {
        // Accelerations are not known at the ends of the clip.
        let known = frames.range.0 + frames.within(0.05)..frames.range.1.saturating_sub(frames.within(0.05));
        let flags = (0..flies.len()).map(|f| known.contains(&f) && !flies[f] && holds(of_ground[f]));
        let is_long = move |run: &(usize, usize)| (run.1 - run.0) as f64 * frames.time >= least && run.1 - run.0 >= 2;
        let long = runs(flags).into_iter().filter(is_long);
        let measured =
            long.map(|(first, end)| ((first, end), of_ground[first..end].iter().copied().reduce(worse).unwrap_or(1.0)));
        measured.collect::<Vec<_>>()
    };
    if stance.floor.is_none() {
        return Vec::new();
    }
    [of(&|force| force < pull, LEAST_PULL, f64::min), of(&|force| force > push, 0.0, f64::max)].concat()
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::analysis::analyze;
    use crate::character::Character;
    use crate::motion::Clip;
    use crate::samples;

    #[test]
    fn a_body_that_stands_and_sinks_by_ten_centimeters_as_a_whole_is_carried_by_nothing() {
        let character = Character { measured_contacts: false, ..samples::humanoid() };
        let (jump, frames) = (samples::jump(), 240);
        let mut clip = Clip::new(jump.bones(), frames, jump.frame_time).unwrap();
        for frame in 0..frames {
            for bone in 0..jump.bones() {
                clip.set_rotation(bone, frame, jump.rotation(bone, 0));
                clip.set_translation(bone, frame, jump.translation(bone, 0));
            }
            // It breathes, sinks over half a second after a third of the clip, and rises after the second.
            let time = frame as f64 * jump.frame_time;
            let ramp = |begin: f64| {
                let share = ((time - begin) / 0.5).clamp(0.0, 1.0);
                share * share * (3.0 - 2.0 * share)
            };
            let height = 0.002 * libm::sin(4.0 * time) - 0.1 * (ramp(1.2) - ramp(2.5));
            clip.set_translation(0, frame, jump.translation(0, 0) + DVec3::Y * height);
        }
        let found = analyze(&character, &clip, &Settings::default()).findings;
        let is_carried_by_nothing = |f: &Finding| f.id == FindingId::SupportNone && f.severity == Severity::Error;
        let told: Vec<_> = found.iter().map(|f| (f.severity, &f.message)).collect();
        assert!(found.iter().any(is_carried_by_nothing), "{told:#?}");
    }

    #[test]
    fn a_walker_who_hangs_higher_for_a_moment_is_carried_by_nothing() {
        let (character, walk) = (samples::humanoid(), samples::walk());
        let mut clip = walk.clone();
        let frames = walk.frames() as f64;
        for frame in 0..walk.frames() {
            // Up by 30 cm and down again over a tenth of the clip each, as a body on strings.
            let ramp = |begin: f64| {
                let share = ((frame as f64 / frames - begin) / 0.1).clamp(0.0, 1.0);
                share * share * (3.0 - 2.0 * share)
            };
            let height = 0.3 * (ramp(1.0 / 3.0) - ramp(2.0 / 3.0 - 0.1));
            clip.set_translation(0, frame, walk.translation(0, frame) + DVec3::Y * height);
        }
        let is_carried_by_nothing = |f: &Finding| f.id == FindingId::SupportNone && f.severity == Severity::Error;
        let errors = |clip: &Clip| {
            let found = analyze(&character, clip, &Settings::default()).findings;
            found.iter().filter(|f| is_carried_by_nothing(f)).count()
        };
        assert_eq!(errors(&walk), 0);
        assert!(errors(&clip) > 0);
    }
}
