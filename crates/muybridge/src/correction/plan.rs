//! Correction plans: chooses the tools that correct a motion with the least change.
//!
//! Every suitable tool is tried on a faulty flight. Among the tools that remove its findings and bring no other, the one with the smallest
//! [cost](super::cost) wins. A flight that no tool improves is not changed, and a reason is given. One plan is one step: paths and timing first,
//! then spin, then feet; the caller applies the plan and asks for the next.

use core::ops::Range;
use std::sync::Arc;

use glam::DVec3;

use super::bounds::Baseline;
use super::compare_findings::{Comparison, compare};
use super::cost::{path_cost, time_cost};
use super::feet::FeetSettings;
use super::follow_path::mass_centers;
use super::path::BallisticPath;
use super::retime::right_intervals;
use super::settings::FixSettings;
use super::{RootBone, apply};
use crate::analysis::contacts::ContactScale;
use crate::analysis::{Analysis, Finding, FindingId, FindingSection, Flight, Settings, Severity, Tool, analyze};
use crate::character::{Character, Role};
use crate::motion::{Clip, TimeMap, WorldMotion, world_of};

/// A tool that was tried on a flight, with its cost and outcome.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCandidate {
    /// Tool that was tried.
    pub tool: Tool,
    /// Cost: how soon a viewer would notice the change, by the weights of the limits.
    pub cost: f64,
    /// Findings of the flight that the tool leaves, and those that it makes worse.
    pub outcome: Comparison,
    /// The change that it would make beyond the bounds, in words; `None` within them.
    pub beyond: Option<String>,
}

impl ToolCandidate {
    /// A tool that is not tried yet.
    pub(super) fn untried(tool: Tool, cost: f64) -> Self {
        Self { tool, cost, outcome: Comparison::default(), beyond: None }
    }
}

/// Planned correction of one flight.
#[derive(Clone, Debug, PartialEq)]
pub struct FlightPlan {
    /// First frame of the flight in the current clip.
    pub first: usize,
    /// Last frame of the flight in the current clip.
    pub last: usize,
    /// Number of frame intervals after the correction.
    pub intervals: usize,
    /// Tool to apply.
    pub tool: Tool,
    /// Reason in a sentence.
    pub reason: String,
    /// All tools that were tried.
    pub choices: Vec<ToolCandidate>,
}

/// A flight, or the feet, that no tool improved.
#[derive(Clone, Debug, PartialEq)]
pub struct Unfixed {
    /// First frame.
    pub first: usize,
    /// Last frame.
    pub last: usize,
    /// Reason in a sentence.
    pub why: String,
}

impl Unfixed {
    /// Maps the frames to those of the retimed clip.
    pub(crate) fn retime(&mut self, map: &TimeMap) {
        (self.first, self.last) = map.span((self.first, self.last));
    }
}

/// One step of a correction: flights and feet to change.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CorrectionPlan {
    /// Flights to change, in the order of time; they do not overlap.
    pub flights: Vec<FlightPlan>,
    /// Settings for planting the feet; `None` if feet are not corrected.
    pub feet: Option<FeetSettings>,
}

impl CorrectionPlan {
    /// True if there is nothing to do.
    pub(crate) fn is_empty(&self) -> bool {
        self.flights.is_empty() && self.feet.is_none()
    }

    /// Time map of the retiming in this plan, for a clip of `frames` frames.
    pub fn time_map(&self, frames: usize) -> TimeMap {
        let retimed = self.flights.iter().filter(|flight| flight.intervals != flight.last - flight.first);
        TimeMap::with_stretches(frames, retimed.map(|flight| (flight.first, flight.last, flight.intervals)))
    }
}

/// Stages in their order: first requests of the artist, then findings; paths and timing, then spin, then feet, because each can disturb the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CorrectionStage {
    /// Moves ends of flights as requested.
    Ends,
    /// Applies the requested apex or duration.
    ForcedArcs,
    /// Applies the requested angular momentum.
    ForcedSpins,
    /// Corrects faulty paths and timing.
    Arcs,
    /// Corrects faulty angular momenta.
    Spins,
    /// Corrects faulty feet.
    Feet,
}

impl CorrectionStage {
    /// Whether the stage does what the user asks for: its changes are not bounded.
    pub(crate) fn is_asked_for(self) -> bool {
        matches!(self, Self::Ends | Self::ForcedArcs | Self::ForcedSpins)
    }

    /// All stages in their order.
    pub(crate) const ALL: [Self; 6] =
        [Self::Ends, Self::ForcedArcs, Self::ForcedSpins, Self::Arcs, Self::Spins, Self::Feet];
}

/// A clip to correct, with its analysis and settings.
pub(crate) struct Task<'a> {
    /// Character that the clip moves.
    pub character: &'a Character,
    /// Clip to correct, in meters, y up.
    pub clip: &'a Clip,
    /// Analysis of the clip.
    pub analysis: &'a Analysis,
    /// Settings of the analysis.
    pub settings: &'a Settings,
    /// Settings of the correction.
    pub fix: &'a FixSettings,
    /// The clip that changes are measured from.
    pub baseline: &'a Baseline,
}

/// Number of groups into which flights are divided to find those that do harm.
const GROUPS: usize = 16;

/// Most trials to find the flights that do harm.
const MOST_TRIALS: usize = 64;

/// Displacement below which a root does not move, meters.
const STILL: f64 = 1e-6;

/// Result of a plan applied in memory.
pub(crate) struct Trial {
    /// Corrected clip.
    pub clip: Clip,
    /// Analysis of the corrected clip.
    pub analysis: Analysis,
    /// Time map of the retiming.
    pub map: TimeMap,
    /// Changes that were made.
    pub applied: apply::Applied,
}

impl Task<'_> {
    /// Returns the next step with its stage, and everything that no tool improves. An empty plan means that nothing is left to do.
    pub(crate) fn plan(&self) -> (CorrectionStage, CorrectionPlan, Vec<Unfixed>) {
        let mut left = Vec::new();
        let (mut of, mut plan) = (CorrectionStage::Feet, CorrectionPlan::default());
        for stage in CorrectionStage::ALL {
            (of, plan) = (stage, self.stage(stage, &mut left));
            if !plan.is_empty() {
                break;
            }
        }
        // Two stages may give the same reason.
        let mut told: Vec<Unfixed> = Vec::with_capacity(left.len());
        left.into_iter().for_each(|one| {
            if !told.contains(&one) {
                told.push(one)
            }
        });
        (of, plan, told)
    }

    /// Plans one stage; faults that it cannot correct are added to `left`.
    pub(crate) fn stage(&self, stage: CorrectionStage, left: &mut Vec<Unfixed>) -> CorrectionPlan {
        if !stage.is_asked_for() && self.is_nailed() {
            let (first, last) = (self.analysis.range.0, self.analysis.range.1 - 1);
            let counts = |finding: &Finding| finding.severity < Severity::Note;
            if self.analysis.findings.iter().any(counts) {
                let why =
                    "the root never moves, so the clip does not show the path of a body; there is nothing to put right";
                left.push(Unfixed { first, last, why: why.into() });
            }
            return CorrectionPlan::default();
        }
        match stage {
            CorrectionStage::Ends => self.plan_ends(left),
            CorrectionStage::ForcedArcs => self.plan_forced_arcs(left),
            CorrectionStage::ForcedSpins => self.plan_forced_spins(left),
            CorrectionStage::Arcs => self.plan_arcs(left),
            CorrectionStage::Spins => self.plan_spins(left),
            CorrectionStage::Feet => self.plan_feet(left),
        }
    }

    /// True if the hips, or the bone that carries the body, stay at one point while joints turn: a tracker gave no root.
    fn is_nailed(&self) -> bool {
        let (clip, skeleton) = (self.clip, &self.character.skeleton);
        let carrier = || RootBone::of(self.character, clip).map(|carrier| carrier.bones()[0]);
        let Some(bone) = self.character.bone_of(Role::Hips).or_else(carrier) else { return false };
        let place = |frame: usize| world_of(skeleton, clip, bone, frame).0;
        let start = place(0);
        let turns = |frame: usize| (0..clip.bones()).any(|bone| clip.rotation(bone, frame) != clip.rotation(bone, 0));
        let mut frames = 1..clip.frames();
        frames.clone().all(|frame| place(frame).distance(start) < STILL) && frames.any(turns)
    }

    /// Applies a plan in memory and analyzes the result.
    pub(crate) fn try_out(&self, plan: &CorrectionPlan) -> Trial {
        let map = plan.time_map(self.clip.frames());
        let mut clip = map.apply(self.clip);
        let settings = retimed_settings(self.settings, &map);
        let fix = self.fix.retimed(&map);
        let (character, analysis) = (self.character, self.analysis);
        let given = apply::Given { character, analysis, map: &map, settings: &settings, fix: &fix };
        let applied = apply::apply(&given, plan, &mut clip);
        let analysis = analyze(self.character, &clip, &settings);
        Trial { clip, analysis, map, applied }
    }

    /// Flights that may be changed and have a finding that `tool` mends. Adds a reason to `left` for those that may not.
    pub(super) fn faulty(&self, tool: Tool, left: &mut Vec<Unfixed>) -> Vec<&Flight> {
        let is_faulty =
            |flight: &&Flight| has_mended_by(&self.analysis.findings, tool, (flight.span.first, flight.span.last));
        let mut faulty = Vec::new();
        for flight in self.movable(is_faulty, left) {
            match self.doubt(flight) {
                Some(why) => left.push(Unfixed { first: flight.span.first, last: flight.span.last, why }),
                None => faulty.push(flight),
            }
        }
        faulty
    }

    /// The reason why a flight may be none; `None` for a flight that falls like a body, or that the user marks.
    fn doubt(&self, flight: &Flight) -> Option<String> {
        if flight.marked {
            return None;
        }
        if self.analysis.is_beside_unseen_support(flight) {
            return Some(
                "it begins or ends on something the clip does not show; tell with --flight or --support".into(),
            );
        }
        let (gravity, least) = (flight.gravity, self.fix.bounds.least_gravity);
        let (first, last) = (flight.span.first, flight.span.last);
        (gravity < least).then(|| {
            format!(
                "it falls with {gravity:.2} g, so something may carry the body; --flight {first}..{last} says that nothing does"
            )
        })
    }

    /// Flights selected by `asked` that may be changed and are long enough. For the others a reason is added to `left`.
    pub(super) fn movable(&self, asked: impl Fn(&&Flight) -> bool, left: &mut Vec<Unfixed>) -> Vec<&Flight> {
        let carrier = RootBone::of(self.character, self.clip);
        let is_free = |carrier: &RootBone| carrier.bones().iter().all(|&bone| !self.is_protected(bone));
        let free = carrier.as_ref().is_some_and(is_free);
        let covered = |flight: &&Flight| self.fix.covers(flight.span.first, flight.span.last);
        let (long, short): (Vec<&Flight>, Vec<&Flight>) = self
            .analysis
            .flights
            .iter()
            .filter(covered)
            .filter(asked)
            .partition(|f| free && f.span.last >= f.span.first + 2);
        let why = match carrier {
            None => "nothing has mass",
            Some(_) if free => "it is too short to change",
            Some(_) => "the bone that carries the body is protected, or the file has no place for its motion",
        };
        left.extend(short.iter().map(|f| Unfixed { first: f.span.first, last: f.span.last, why: why.into() }));
        long
    }

    fn is_protected(&self, bone: usize) -> bool {
        self.fix.protected.get(bone).copied().unwrap_or(false)
    }

    /// Plans corrections of flights whose path or timing is wrong.
    fn plan_arcs(&self, left: &mut Vec<Unfixed>) -> CorrectionPlan {
        let tools = self.fix.tools;
        if !tools.path && !tools.time {
            return CorrectionPlan::default();
        }
        let faulty = self.faulty(Tool::Path, left);
        if faulty.is_empty() {
            return CorrectionPlan::default();
        }
        let centers = mass_centers(self.character, self.clip);
        let kinds = [(Tool::Time, tools.time), (Tool::Path, tools.path)];
        let tried: Vec<Vec<FlightPlan>> = kinds
            .into_iter()
            .filter(|&(_, allowed)| allowed)
            .map(|(tool, _)| self.tried(tool, &faulty, &centers))
            .collect();
        let mut flights = Vec::new();
        for flight in &faulty {
            let (first, last) = (flight.span.first, flight.span.last);
            let candidates: Vec<&FlightPlan> = tried.iter().flatten().filter(|plan| plan.first == first).collect();
            match cheapest(&candidates) {
                Ok(best) => flights.push(explained(best, &candidates, flight.gravity)),
                Err(why) => left.push(Unfixed { first, last, why }),
            }
        }
        self.accepted(flights, left)
    }

    /// Tries one tool on every faulty flight and records the outcome. Flights to which the tool does not apply are left out.
    fn tried(&self, tool: Tool, faulty: &[&Flight], centers: &[DVec3]) -> Vec<FlightPlan> {
        let step = self.clip.frame_time;
        let mut flights = Vec::new();
        for flight in faulty {
            let (first, last) = (flight.span.first, flight.span.last);
            let intervals = match tool {
                Tool::Time => match right_intervals(last - first, flight.gravity) {
                    Some((_, whole)) if whole != last - first => whole,
                    _ => continue,
                },
                _ => last - first,
            };
            let part = apply::softened(last - first, intervals, self.fix.strength);
            let cost = self.arc_cost(&centers[first..=last], part, step);
            let choice = ToolCandidate::untried(tool, cost);
            let (reason, choices) = (String::new(), vec![choice]);
            flights.push(FlightPlan { first, last, intervals: part, tool, reason, choices });
        }
        let plan = CorrectionPlan { flights, feet: None };
        if plan.is_empty() {
            return Vec::new();
        }
        let trial = self.try_out(&plan);
        let mut flights = plan.flights;
        for flight in &mut flights {
            flight.choices[0].outcome = self.outcome(flight, &trial, Tool::Path);
            flight.choices[0].beyond = self.beyond_in(flight, &trial);
        }
        flights
    }

    /// The change of a trial beyond the bounds in a flight and the frames into which it is blended.
    pub(super) fn beyond_in(&self, flight: &FlightPlan, trial: &Trial) -> Option<String> {
        let (first, last) = trial.map.span((flight.first, flight.last));
        let blend = self.fix.blend.unwrap_or(0);
        self.beyond(trial, first.saturating_sub(blend)..last + 1 + blend, &[])
    }

    /// The change of a trial beyond the bounds in some of its frames; `ankles` may turn farther.
    pub(super) fn beyond(&self, trial: &Trial, frames: Range<usize>, ankles: &[usize]) -> Option<String> {
        let skeleton = &self.character.skeleton;
        self.baseline.beyond(skeleton, (&trial.clip, &trial.map), frames, (&self.fix.bounds, ankles))
    }

    /// Cost of retiming a flight and moving it to the ballistic path; `centers` are its centers of mass.
    fn arc_cost(&self, centers: &[DVec3], intervals: usize, step: f64) -> f64 {
        let limits = &self.settings.limits;
        let last = centers.len() - 1;
        let gravity = DVec3::NEG_Y * self.settings.gravity;
        let path = BallisticPath::between(centers[0], centers[last], intervals as f64 * step, gravity);
        let animated: Vec<DVec3> = (0..=intervals)
            .map(|k| {
                let at = k as f64 * last as f64 / intervals as f64;
                let before = (at.floor() as usize).min(last - 1);
                centers[before].lerp(centers[before + 1], at - before as f64)
            })
            .collect();
        time_cost(last, intervals, limits) + path_cost(&animated, &path.frames(intervals), step, self.leg(), limits)
    }

    /// Leg length, meters.
    pub(super) fn leg(&self) -> f64 {
        let world = WorldMotion::new(&self.character.skeleton, &self.clip.cut(0, 1));
        ContactScale::new(self.character, &world, self.settings.gravity).length
    }

    /// Compares the findings around a flight before and after a trial; only those that `tool` mends count as left.
    pub(super) fn outcome(&self, flight: &FlightPlan, trial: &Trial, tool: Tool) -> Comparison {
        let margin = libm::ceil(0.3 / self.clip.frame_time) as usize;
        let near = |findings: &[Finding], first: usize, last: usize| -> Vec<Finding> {
            let (first, last) = (first.saturating_sub(margin), last + margin);
            findings.iter().filter(|f| f.span.first <= last && f.span.last >= first).cloned().collect()
        };
        let (first, last) = trial.map.span((flight.first, flight.last));
        let before = near(&self.analysis.findings, flight.first, flight.last);
        let mut outcome = compare(&before, &near(&trial.analysis.findings, first, last));
        let findings = &trial.analysis.findings;
        outcome.left.retain(|&id| id.is_mended_by(tool) && has(findings, |found| found == id, (first, last)));
        outcome
    }

    /// Returns the plan of all these flights if together they make nothing worse; else adds them group by group and drops those that do harm.
    pub(super) fn accepted(&self, flights: Vec<FlightPlan>, left: &mut Vec<Unfixed>) -> CorrectionPlan {
        let plan = CorrectionPlan { flights, feet: None };
        if plan.is_empty() || self.fix.strength < 1.0 || self.harmless(&plan) {
            return plan;
        }
        let (mut kept, mut trials) = (CorrectionPlan::default(), MOST_TRIALS);
        self.add_harmless(&plan.flights, &mut kept, &mut trials, left);
        kept
    }

    /// Adds the flights that make nothing worse to `kept`, in the order of time. A group that does harm is divided until its flights stand alone; a
    /// few flights stand alone from the start. Every trial analyzes the whole clip, so that their number is bounded.
    fn add_harmless(
        &self,
        flights: &[FlightPlan],
        kept: &mut CorrectionPlan,
        trials: &mut usize,
        left: &mut Vec<Unfixed>,
    ) {
        for group in flights.chunks(flights.len().div_ceil(GROUPS)) {
            let before = kept.flights.len();
            let is_tried = *trials > 0;
            if is_tried {
                *trials -= 1;
                kept.flights.extend_from_slice(group);
                if self.harmless(kept) {
                    continue;
                }
                kept.flights.truncate(before);
            }
            if is_tried && group.len() > 1 {
                self.add_harmless(group, kept, trials, left);
                continue;
            }
            let why = match is_tried {
                true => "mending it makes something beside it worse",
                false => "too many flights make something beside them worse; correct fewer at a time, with --frames",
            };
            left.extend(group.iter().map(|f| Unfixed { first: f.first, last: f.last, why: why.into() }));
        }
    }

    fn harmless(&self, plan: &CorrectionPlan) -> bool {
        let trial = self.try_out(plan);
        let found = compare(&self.analysis.findings, &trial.analysis.findings);
        let helps = found.worse.is_empty() && !found.better.is_empty() && self.sound_flights_stay(&trial);
        helps && plan.flights.iter().all(|flight| self.beyond_in(flight, &trial).is_none())
    }

    /// True if no flight without findings has a finding in the trial.
    fn sound_flights_stay(&self, trial: &Trial) -> bool {
        let of_flight = |id: FindingId| id.section() == FindingSection::Flight;
        let sound = |findings: &[Finding], frames| !has(findings, of_flight, frames);
        let mut spans = self.analysis.flights.iter().map(|flight| (flight.span.first, flight.span.last));
        spans.all(|span| !sound(&self.analysis.findings, span) || sound(&trial.analysis.findings, trial.map.span(span)))
    }
}

/// Whether an error or a warning that `tool` mends touches the frames `first..=last`.
pub(super) fn has_mended_by(findings: &[Finding], tool: Tool, frames: (usize, usize)) -> bool {
    has(findings, |id| id.is_mended_by(tool), frames)
}

/// Whether an error or a warning of a wanted kind touches the frames `first..=last`.
fn has(findings: &[Finding], is_wanted: impl Fn(FindingId) -> bool, (first, last): (usize, usize)) -> bool {
    let counts = |f: &&Finding| f.severity < Severity::Note && is_wanted(f.id);
    findings.iter().filter(counts).any(|f| f.span.first <= last && f.span.last >= first)
}

/// Maps the frames and the contacts in analysis settings to the retimed clip.
pub fn retimed_settings(settings: &Settings, map: &TimeMap) -> Settings {
    let spans = |spans: &[(usize, usize)]| spans.iter().map(|&span| map.span(span)).collect();
    let frames = settings.frames.map(|(first, end)| {
        let (first, last) = map.span((first, end.saturating_sub(1).max(first)));
        (first, last + 1)
    });
    let contacts = settings.contacts.as_ref();
    let contacts = contacts.map(|old| if map.is_identity() { old.clone() } else { Arc::new(old.retimed(map)) });
    let (flights, supports) = (spans(&settings.flights), spans(&settings.supports));
    Settings { frames, flights, supports, contacts, ..settings.clone() }
}

/// Chooses the candidate within the bounds that leaves the fewest findings, and among equals the cheapest; an error tells why there is none.
fn cheapest<'a>(candidates: &[&'a FlightPlan]) -> Result<&'a FlightPlan, String> {
    let helps = |plan: &&&FlightPlan| {
        let outcome = &plan.choices[0].outcome;
        outcome.worse.is_empty() && outcome.better.iter().any(|id| id.is_mended_by(Tool::Path))
    };
    let key = |plan: &FlightPlan| (plan.choices[0].outcome.left.len(), plan.choices[0].cost);
    let is_within = |plan: &&FlightPlan| plan.choices[0].beyond.is_none();
    let best = candidates.iter().filter(helps).copied().filter(is_within).min_by(|a, b| {
        let ((left_a, cost_a), (left_b, cost_b)) = (key(a), key(b));
        left_a.cmp(&left_b).then(cost_a.total_cmp(&cost_b))
    });
    let beyond = || candidates.iter().filter(helps).find_map(|plan| told_beyond(plan));
    best.ok_or_else(|| beyond().unwrap_or_else(|| why_none(candidates)))
}

/// The sentence about a plan that needs a change beyond the bounds; `None` within them.
pub(super) fn told_beyond(plan: &FlightPlan) -> Option<String> {
    let what = match plan.tool {
        Tool::Time => "retiming it",
        Tool::Spin => "turning it",
        _ => "moving its path",
    };
    plan.choices[0].beyond.as_ref().map(|beyond| format!("{what} {beyond}"))
}

/// Adds the reason and all tried tools to the chosen plan.
fn explained(best: &FlightPlan, candidates: &[&FlightPlan], gravity: f64) -> FlightPlan {
    let choices: Vec<ToolCandidate> = candidates.iter().flat_map(|plan| plan.choices.clone()).collect();
    let (frames, intended) = (best.last - best.first + 1, best.intervals + 1);
    let own = &best.choices[0];
    let what = match best.tool {
        Tool::Time => format!("{frames} → {intended} frames: {gravity:.2} g is a matter of timing"),
        _ => "the center of mass goes on the parabola between the ends of the flight".to_string(),
    };
    let other = choices.iter().find(|choice| choice.tool != best.tool).map(|other| {
        let name = if other.tool == Tool::Time { "retiming it" } else { "moving its path" };
        if !other.outcome.worse.is_empty() {
            format!("; {name} would bring {}", FindingId::joined(&other.outcome.worse))
        } else if other.outcome.left.len() > own.outcome.left.len() {
            format!("; {name} would leave {}", FindingId::joined(&other.outcome.left))
        } else {
            format!("; {name} would cost {:.2}", other.cost)
        }
    });
    let other = other.unwrap_or_default();
    FlightPlan { reason: format!("{what} (cost {:.2}{other})", own.cost), choices, ..best.clone() }
}

fn why_none(candidates: &[&FlightPlan]) -> String {
    let worse: Vec<FindingId> =
        candidates.iter().flat_map(|plan| plan.choices[0].outcome.worse.iter().copied()).collect();
    if candidates.is_empty() {
        "none of the tools allowed can mend it".into()
    } else if worse.is_empty() {
        "no tool makes it better".into()
    } else {
        let mut names = worse;
        names.sort_unstable();
        names.dedup();
        format!("what would mend it brings {}", FindingId::joined(&names))
    }
}
