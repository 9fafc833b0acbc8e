//! Stages of a correction beside paths and timing: requests of the artist, spin, and feet.

use super::apply::{LEAST_TURN, softened};
use super::compare_findings::{Comparison, compare, jumps_more};
use super::feet::FeetSettings;
use super::follow_path::mass_centers;
use super::path::BallisticPath;
use super::plan::{CorrectionPlan, CorrectionStage, FlightPlan, Task, ToolCandidate, Trial, Unfixed};
use super::spin::SpinTarget;
use super::take_off::{self, VelocityAccuracy};
use crate::analysis::{Analysis, FindingId, Flight, Tool};
use crate::math::rotation::log;
use crate::motion::Clip;
use glam::DVec3;

/// Error in frames with which contacts locate the ends of a flight: a flight that differs by no more counts as lasting as requested.
const SAME_FRAMES: usize = 2;
/// Height difference that counts as equal, meters: the accuracy of the estimated floor.
const SAME_HEIGHT: f64 = 0.01;
/// Distance of a center of mass from its path that counts as zero, meters: files hold 32-bit floats.
const ON_PATH: f64 = 2e-5;
/// Change of angular momentum that counts as none, as a share of m L √(g L), L the leg length.
const SAME_MOMENTUM: f64 = 0.005;
/// Rotations below this do not justify another rotation of a flight to a given momentum, radians.
const SAME_TURN: f64 = 0.02;
/// Least height (meters) and slip (m/s) at which a contact counts as faulty, whatever the limits.
const LEAST_LIMIT: f64 = 1e-3;
/// Longest duration that can be requested for a flight, seconds: a jump over a house on the moon takes twenty.
pub const LONGEST_FLIGHT: f64 = 60.0;
/// Maximal number of steps that correct flights after the feet.
const MOST_FLIGHT_STEPS: usize = 4;

/// Accuracy of the take-off velocity of flights that contacts locate, and of those that the user marks.
const FOUND_TAKE_OFF: VelocityAccuracy =
    VelocityAccuracy { frames: SAME_FRAMES as f64 + 0.5, share: 0.03, speed: 0.02 };
const MARKED_TAKE_OFF: VelocityAccuracy = VelocityAccuracy { frames: 0.5, share: 1e-4, speed: 1e-4 };

/// Reason why a flight is left although it lasts not exactly as long as requested.
fn near_enough(seconds: f64, asked: f64) -> String {
    format!(
        "it lasts {seconds:.3} s, which its contacts cannot tell from the {asked:.3} s asked for; --flight A..B says where it begins \
         and ends, and has it to the frame"
    )
}

impl Task<'_> {
    /// Plans the displaced ends of flights that the artist requested.
    pub(super) fn plan_ends(&self, left: &mut Vec<Unfixed>) -> CorrectionPlan {
        let moved = self.fix.ends.filter(|ways| *ways != [DVec3::ZERO; 2]);
        if moved.is_none() && self.fix.takeoff_velocity.is_none() {
            return CorrectionPlan::default();
        }
        let centers = mass_centers(self.character, self.clip);
        let vector = |way: DVec3| format!("({:.2}, {:.2}, {:.2})", way.x, way.y, way.z);
        let plan = |flight: &&Flight| {
            let (first, last) = (flight.span.first, flight.span.last);
            let landing = self.thrown(flight, &centers[first..=last]).map(|(_, way)| way);
            let landing = landing.filter(|way| way.length() > ON_PATH);
            let reason = match (moved, self.fix.takeoff_velocity.zip(landing)) {
                (Some([from, to]), None) => {
                    format!("take-off moved by {} m and landing by {} m, as asked for", vector(from), vector(to))
                }
                (_, Some((velocity, way))) => {
                    format!(
                        "landing moved by {} m: it takes off with {} m/s, as asked for",
                        vector(way),
                        vector(velocity)
                    )
                }
                (None, None) => return None,
            };
            Some(FlightPlan { first, last, intervals: last - first, tool: Tool::Place, reason, choices: Vec::new() })
        };
        CorrectionPlan { flights: self.movable(|_| true, left).iter().filter_map(plan).collect(), feet: None }
    }

    /// The flight with the take-off velocity asked for, and the displacement of its landing; `None` where that is not
    /// asked for, where it has that take-off already, and where it would never get as high as its landing.
    fn thrown(&self, flight: &Flight, centers: &[DVec3]) -> Option<(BallisticPath, DVec3)> {
        let (velocity, step) = (self.fix.takeoff_velocity?, self.clip.frame_time);
        let gravity = DVec3::NEG_Y * self.settings.gravity;
        let thrown = take_off::thrown(centers, velocity, gravity, step)?;
        let accuracy = if flight.marked { MARKED_TAKE_OFF } else { FOUND_TAKE_OFF };
        (!take_off::takes_off_with(centers, velocity, gravity, step, accuracy)).then_some(thrown)
    }

    /// Plans flights with the apex or the duration that the artist requested.
    pub(super) fn plan_forced_arcs(&self, left: &mut Vec<Unfixed>) -> CorrectionPlan {
        if !self.fix.sets_arcs() {
            return CorrectionPlan::default();
        }
        let centers = mass_centers(self.character, self.clip);
        let mut flights = Vec::new();
        for flight in self.movable(|_| true, left) {
            let (first, last) = (flight.span.first, flight.span.last);
            let wanted = self.wanted_path(&centers[first..=last]).and_then(short_enough);
            let path = match wanted {
                Ok(path) => path,
                Err(why) => {
                    left.push(Unfixed { first, last, why });
                    continue;
                }
            };
            let whole = libm::round(path.duration / self.clip.frame_time).clamp(2.0, 1e6) as usize;
            let intervals = softened(last - first, whole, self.fix.strength);
            if self.is_as_asked(flight, &path, &centers[first..=last]) {
                let seconds = (last - first) as f64 * self.clip.frame_time;
                if (seconds - path.duration).abs() > 0.51 * self.clip.frame_time {
                    left.push(Unfixed { first, last, why: near_enough(seconds, path.duration) });
                }
                continue;
            }
            let reason = format!("{} → {} frames, as asked for", last - first + 1, intervals + 1);
            let tool = if intervals == last - first { Tool::Path } else { Tool::Time };
            flights.push(FlightPlan { first, last, intervals, tool, reason, choices: Vec::new() });
        }
        CorrectionPlan { flights, feet: None }
    }

    /// True if a flight is on the requested path, within the accuracy of its contacts; for flights marked by the user, to the frame.
    fn is_as_asked(&self, flight: &Flight, path: &BallisticPath, centers: &[DVec3]) -> bool {
        let step = self.clip.frame_time;
        if self.fix.takeoff_velocity.is_some() && !flight.marked {
            let falls =
                !super::plan::has_mended_by(&self.analysis.findings, Tool::Path, (flight.span.first, flight.span.last));
            return falls && self.thrown(flight, centers).is_none();
        }
        if flight.marked {
            let last = centers.len() - 1;
            let own = BallisticPath::between(centers[0], centers[last], last as f64 * step, path.gravity).frames(last);
            let off = own.iter().zip(centers).map(|(row, center)| row.distance(*center)).fold(0.0, f64::max);
            return libm::round(path.duration / step) as usize == last && off <= ON_PATH;
        }
        let seconds = (centers.len() - 1) as f64 * step;
        let span = (flight.span.first, flight.span.last);
        let falls = !super::plan::has_mended_by(&self.analysis.findings, Tool::Path, span);
        let lasts = (seconds - path.duration).abs() <= (SAME_FRAMES as f64 + 0.5) * step;
        let top = |heights: &mut dyn Iterator<Item = f64>| heights.fold(f64::NEG_INFINITY, f64::max);
        let reached = top(&mut centers.iter().map(|center| center.y));
        let wanted = top(&mut path.frames(centers.len() - 1).iter().map(|center| center.y));
        // Rounding to whole frames is up to half a frame off, which changes the apex by g T/4 times as much.
        let rounding = 0.125 * self.settings.gravity * path.duration * step;
        let rises = (reached - wanted).abs() <= SAME_HEIGHT + rounding;
        falls && if self.fix.apex.is_some() { rises } else { lasts }
    }

    /// Requested path between the first and the last of these centers of mass.
    fn wanted_path(&self, centers: &[DVec3]) -> Result<BallisticPath, String> {
        let (from, to) = (centers[0], centers[centers.len() - 1]);
        let gravity = DVec3::NEG_Y * self.settings.gravity;
        let floor = self.analysis.floor.unwrap_or(0.0);
        if let Some(velocity) = self.fix.takeoff_velocity {
            let thrown = take_off::thrown(centers, velocity, gravity, self.clip.frame_time);
            return thrown.map(|(path, _)| path).ok_or_else(|| {
                let rise = to.y - from.y;
                format!("a take-off with {:.2} m/s upward never gets to its landing, {rise:+.2} m higher", velocity.y)
            });
        }
        if let Some(speed) = self.fix.takeoff_speed {
            let animated = (centers.len() - 1) as f64 * self.clip.frame_time;
            return take_off::at_speed((from, to), speed, gravity, animated).map_err(|least| {
                format!("a take-off with {speed:.2} m/s does not reach its landing; that takes {least:.2} m/s")
            });
        }
        match (self.fix.duration, self.fix.apex) {
            (Some(duration), _) => Ok(BallisticPath::between(from, to, duration, gravity)),
            (None, apex) => {
                let apex = apex.unwrap_or(0.0);
                BallisticPath::over_apex(from, to, floor + apex, gravity).ok_or_else(|| {
                    let higher = from.y.max(to.y) - floor;
                    format!("an apex of {apex:.2} m lies below an end of its path, at {higher:.2} m above the floor")
                })
            }
        }
    }

    /// Plans flights with the angular momentum that the artist requested.
    pub(super) fn plan_forced_spins(&self, left: &mut Vec<Unfixed>) -> CorrectionPlan {
        if self.fix.momentum.is_none() {
            return CorrectionPlan::default();
        }
        let plan = |flight: &&Flight| {
            let (first, last) = (flight.span.first, flight.span.last);
            let reason = "the angular momentum asked for".to_string();
            FlightPlan { first, last, intervals: last - first, tool: Tool::Spin, reason, choices: Vec::new() }
        };
        let length = self.leg();
        let same = SAME_MOMENTUM * self.analysis.mass * length * libm::sqrt(self.settings.gravity * length);
        let given = matches!(self.fix.momentum, Some(SpinTarget::Given(_)));
        let changes = |flight: &&Flight| given || flight.angular_momentum_change > same;
        let mut plan = CorrectionPlan { flights: self.movable(changes, left).iter().map(plan).collect(), feet: None };
        if plan.is_empty() {
            return plan;
        }
        let turned = self.try_out(&plan).applied.flights;
        for change in turned.iter().rev() {
            if let Some(Err(why)) = &change.spin {
                left.push(Unfixed { first: change.first, last: change.last, why: why.clone() });
            }
        }
        plan.flights.retain(|flight| {
            let turned = turned.iter().find(|change| change.first == flight.first).and_then(|c| c.spin.as_ref());
            matches!(turned, Some(Ok(spin)) if spin.largest_angle > if given { SAME_TURN } else { LEAST_TURN })
        });
        plan
    }

    /// Plans rotations of flights whose angular momentum is not constant.
    pub(super) fn plan_spins(&self, left: &mut Vec<Unfixed>) -> CorrectionPlan {
        if !self.fix.tools.spin {
            return CorrectionPlan::default();
        }
        let faulty = self.faulty(Tool::Spin, left);
        let plan = |flight: &&Flight| {
            let (first, last) = (flight.span.first, flight.span.last);
            let choice = ToolCandidate::untried(Tool::Spin, 0.0);
            let (reason, choices) = (String::new(), vec![choice]);
            FlightPlan { first, last, intervals: last - first, tool: Tool::Spin, reason, choices }
        };
        let plan = CorrectionPlan { flights: faulty.iter().map(plan).collect(), feet: None };
        if plan.is_empty() {
            return plan;
        }
        let trial = self.try_out(&plan);
        let mut flights = Vec::new();
        for (mut flight, change) in plan.flights.into_iter().zip(&trial.applied.flights) {
            let (first, last) = (flight.first, flight.last);
            let outcome = self.outcome(&flight, &trial, Tool::Spin);
            flight.choices[0].beyond = self.beyond_in(&flight, &trial);
            let mut refuse = |why: String| left.push(Unfixed { first, last, why });
            match &change.spin {
                Some(Err(sentence)) => refuse(sentence.clone()),
                Some(Ok(spin)) if spin.largest_angle > LEAST_TURN => {
                    if !outcome.worse.is_empty() {
                        refuse(format!("turning it brings {}", FindingId::joined(&outcome.worse)));
                    } else if let Some(why) = super::plan::told_beyond(&flight) {
                        refuse(why);
                    } else if outcome.better.iter().any(|id| id.is_mended_by(Tool::Spin)) {
                        let limits = &self.settings.limits;
                        let cost = limits.distance_weight * spin.largest_angle / 0.1;
                        flight.reason = format!(
                            "turned by up to {:.1}° to keep its angular momentum at {:.1} kg m²/s (cost {cost:.2})",
                            spin.largest_angle.to_degrees(),
                            spin.momentum.length()
                        );
                        flight.choices[0].outcome = outcome;
                        flight.choices[0].cost = cost;
                        flights.push(flight);
                    } else {
                        refuse("turning the body does not help: its limbs make the spin".into());
                    }
                }
                _ => refuse("turning the body does not help: its limbs make the spin".into()),
            }
        }
        self.accepted(flights, left)
    }

    /// Compares the findings before with those after planting the feet, once the flights that it touches are put right again.
    fn plant(&self, trial: Trial) -> PlantedTrial {
        let feet = trial.applied.feet.clone().unwrap_or_default();
        let ankles: Vec<usize> = feet.ankles.iter().map(|&(bone, _)| bone).collect();
        let beyond = self.beyond(&trial, 0..trial.clip.frames(), &ankles);
        let name = |bone: usize| &self.character.skeleton.bones()[bone].name;
        let spared = feet.spared.first().map(|&(bone, harm)| format!("{} ({harm})", name(bone)));
        let jumps = jumps_more(&self.analysis.findings, &trial.analysis.findings);
        let settled = self.settled(trial);
        let mut found = compare(&self.analysis.findings, &settled.analysis.findings);
        if jumps {
            found.worse.push(FindingId::ClipJump);
        }
        PlantedTrial { found, snaps: snaps(self.clip, &settled.clip), beyond, spared }
    }

    /// Corrects the flights of a trial, as the next steps would.
    fn settled(&self, mut trial: Trial) -> Trial {
        for _ in 0..MOST_FLIGHT_STEPS {
            let settings = super::plan::retimed_settings(self.settings, &trial.map);
            let fix = self.fix.retimed(&trial.map);
            let mut baseline = self.baseline.clone();
            baseline.retime(&trial.map);
            let task = Task {
                character: self.character,
                clip: &trial.clip,
                analysis: &trial.analysis,
                settings: &settings,
                fix: &fix,
                baseline: &baseline,
            };
            let stages = [CorrectionStage::Arcs, CorrectionStage::Spins].into_iter();
            let plan = stages.map(|stage| task.stage(stage, &mut Vec::new())).find(|plan| !plan.is_empty());
            let Some(plan) = plan else { break };
            let next = task.try_out(&plan);
            trial = Trial { map: trial.map.then(&next.map), ..next };
        }
        trial
    }

    /// Plans planting the feet if they are faulty and planting them helps.
    pub(super) fn plan_feet(&self, left: &mut Vec<Unfixed>) -> CorrectionPlan {
        let faulty =
            |analysis: &Analysis| super::plan::has_mended_by(&analysis.findings, Tool::Feet, (0, analysis.frames));
        if !self.fix.tools.feet || !faulty(self.analysis) {
            return CorrectionPlan::default();
        }
        // Side effects are judged here: if lowering the hips causes one, the hips stay; if joints snap, the shift takes longer.
        let reaching = self.feet_to_mend();
        let standing = FeetSettings { hips: 0.0, ..reaching.clone() };
        let gentle = FeetSettings { fade: 2.0 * reaching.fade, ..reaching.clone() };
        let mut first_tried = None;
        for feet in [reaching, standing, gentle] {
            let plan = CorrectionPlan { flights: Vec::new(), feet: Some(feet) };
            let planted = self.plant(self.try_out(&plan));
            if planted.refused().is_none() {
                return plan;
            }
            first_tried.get_or_insert(planted);
        }
        let (start, end) = self.fix.frames.unwrap_or(self.analysis.range);
        let (first, last) = (start, end.min(self.analysis.range.1).saturating_sub(1));
        let why = first_tried.and_then(|planted| planted.refused()).unwrap_or_default();
        left.push(Unfixed { first, last, why });
        CorrectionPlan::default()
    }

    /// Settings that mend the findings of feet and leave what has none: contacts within a third of the limits stay as they are.
    fn feet_to_mend(&self) -> FeetSettings {
        let limits = &self.settings.limits;
        let ids: Vec<FindingId> =
            self.analysis.findings.iter().map(|f| f.id).filter(|id| id.is_mended_by(Tool::Feet)).collect();
        let is_level = |id: &FindingId| matches!(id, FindingId::FeetFloat | FindingId::FeetPenetration);
        let height =
            if ids.iter().any(is_level) { limits.float_m[0].min(limits.penetration_m[0]) / 3.0 } else { f64::INFINITY };
        let slip = if ids.iter().all(is_level) { f64::INFINITY } else { limits.skate_mps[0] / 3.0 };
        let (height, slip) = (height.max(LEAST_LIMIT), slip.max(LEAST_LIMIT));
        let most_shift = self.fix.bounds.shift;
        let floats = ids.contains(&FindingId::FeetFloat);
        FeetSettings { careful: false, raise: true, floats, slip, height, most_shift, ..FeetSettings::default() }
    }
}

/// The effect of planting the feet, tried out.
#[derive(Default)]
struct PlantedTrial {
    /// Findings before against findings after.
    found: Comparison,
    /// True if a joint turns far faster than before.
    snaps: bool,
    /// The change beyond the bounds, in words; `None` within them.
    beyond: Option<String>,
    /// The first limb that planting would harm, in words; `None` without one.
    spared: Option<String>,
}

impl PlantedTrial {
    /// Whether a finding of the feet is better.
    fn helps(&self) -> bool {
        self.found.better.iter().any(|id| id.is_mended_by(Tool::Feet))
    }

    /// The reason why the feet are not planted; `None` if planting helps and does no harm.
    fn refused(&self) -> Option<String> {
        let harms = self.harms();
        match (self.helps(), &self.beyond, &self.spared) {
            (true, _, _) if !harms.is_empty() => Some(format!("planting the feet brings {harms}")),
            (true, Some(beyond), _) => Some(format!("planting the feet {beyond}")),
            (true, None, _) => None,
            (false, _, Some(spared)) => Some(format!("planting the feet would harm {spared}")),
            (false, _, None) => Some("planting the feet does not help".into()),
        }
    }

    /// Names of what is worse, joined with commas; empty if nothing is.
    fn harms(&self) -> String {
        let findings = Some(FindingId::joined(&self.found.worse)).filter(|names| !names.is_empty());
        let joints = self.snaps.then(|| "joints that snap".to_owned());
        findings.into_iter().chain(joints).collect::<Vec<_>>().join(", ")
    }
}

/// Returns the path, or the reason why it is too long.
fn short_enough(path: BallisticPath) -> Result<BallisticPath, String> {
    if path.duration <= LONGEST_FLIGHT {
        return Ok(path);
    }
    Err(format!("that takes {:.0} s in the air; at most {LONGEST_FLIGHT:.0} s are made", path.duration))
}

/// Speed above which a joint may snap, rad/s; then the factor by which it must exceed its largest speed before.
const SNAP_SPEED: f64 = 12.0;
const SNAP_RATIO: f64 = 2.5;

/// True if a joint snaps in the corrected clip.
fn snaps(before: &Clip, after: &Clip) -> bool {
    let fastest = |clip: &Clip, bone: usize| {
        let step = |frame: usize| {
            log(clip.rotation(bone, frame) * clip.rotation(bone, frame - 1).conjugate()).length() / clip.frame_time
        };
        (1..clip.frames()).map(step).fold(0.0, f64::max)
    };
    (0..after.bones()).any(|bone| {
        let speed = fastest(after, bone);
        speed > SNAP_SPEED && speed > SNAP_RATIO * fastest(before, bone)
    })
}
