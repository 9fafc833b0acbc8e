//! Turns measured numbers into findings: quantities outside their limits, their severity, and the verdict (S36).
//!
//! An error means that no body can move like that. A warning means that a viewer would notice, or that a body could hardly do it. Notes never
//! change the verdict. Gravity is judged as well as the data allow: the limits are first widened by the sagitta error of a short flight,
//! `8 δ / (g T²)`, and for an error by 2.5 of them and the statistical error of the fit.

use super::carriage::Carriage;
use super::contacts::{self, ContactScale, runs};
use super::continuity::{self, Continuity};
use super::finding_id::FindingId;
use super::frames::Frames;
use super::report::{Analysis, Finding, Flight, Severity, Span, Verdict};
use super::settings::Limits;
use super::stance::Stance;

/// Additional inputs of the findings, beside the analysis.
pub(crate) struct FindingContext<'a> {
    /// Limits of the findings.
    pub limits: &'a Limits,
    /// Lengths and speeds from the size of the character.
    pub scale: ContactScale,
    /// How the body is carried outside its flights.
    pub carriage: &'a Carriage,
    /// Vertical ground force over the weight, per frame; `None` if undefined.
    pub load: &'a [Option<f64>],
    /// True for flights that begin or end beside an unseen support; one per flight.
    pub beside_support: &'a [bool],
    /// Noise of joint positions from frame to frame, meters.
    pub jitter: f64,
    /// Length to which the positions of the root are rounded, meters; 0 if that is no more than noise.
    pub rounding: f64,
    /// Jumps in time, held frames.
    pub continuity: &'a Continuity,
    /// Where and when the body stands.
    pub stance: &'a Stance,
    /// Jump over the seam of the loop; `None` if the clip is not looped.
    pub loop_seam: Option<f64>,
    /// True if frame 0 was left out as a stray pose.
    pub foreign_first_frame: bool,
}

impl FindingContext<'_> {
    /// Whether a flight begins or ends beside an unseen support.
    fn is_beside(&self, flight: usize) -> bool {
        self.beside_support.get(flight).copied().unwrap_or(false)
    }
}

/// Collects all findings, errors first, then by time.
pub(crate) fn findings(analysis: &Analysis, circumstances: &FindingContext<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    for (index, flight) in analysis.flights.iter().enumerate() {
        let jumps = circumstances.continuity.jumps_in(flight.span.first, flight.span.last + 1);
        if jumps || circumstances.continuity.root_never_moves {
            continue;
        }
        if circumstances.is_beside(index) && !flight.marked {
            continue;
        }
        let frames = Frames { range: analysis.range, time: 1.0 / analysis.frames_per_second };
        let sizes = (circumstances.scale.adults(), circumstances.scale.adults().sqrt());
        let span = (flight.span.first, flight.span.last);
        let may_stand = flight.gravity < circumstances.limits.gravity_g[0]
            && circumstances.stance.may_stand(&frames, span, flight.fit_velocity, sizes);
        found.extend(gravity_finding(flight, (analysis.gravity, may_stand), circumstances));
        found.extend(shape_finding(flight, circumstances));
        // A clip in place has lost the way of its root.
        let in_place = analysis.treadmill != glam::DVec3::ZERO;
        let path = path_finding(flight, circumstances);
        let momentum = path.as_ref().and_then(|path| momentum_finding(flight, analysis, circumstances, path.severity));
        found.extend(path.into_iter().chain(momentum).map(|f| if in_place { at_most_warning(f) } else { f }));
        found.extend(spin_finding(flight, analysis, circumstances));
    }
    let time_base = time_base_finding(analysis, circumstances);
    // An error of a flight says it already.
    let is_said = found.iter().any(|f| f.id == FindingId::FlightGravity && f.severity == Severity::Error);
    found.extend(time_base.map(|f| Finding { severity: if is_said { Severity::Note } else { f.severity }, ..f }));
    found.extend(balance_findings(analysis, circumstances));
    found.extend(feet_findings(analysis, circumstances));
    found.extend(circumstances.carriage.findings(analysis, circumstances));
    found.extend(clip_findings(analysis, circumstances));
    found.extend(unseen_findings(analysis));
    found.extend(continuity::findings(analysis, circumstances.continuity, &circumstances.scale, circumstances.stance));
    if analysis.range.1 - analysis.range.0 < FEWEST_JUDGED {
        // Poses without motion between them prove nothing.
        found = found.into_iter().map(at_most_warning).collect();
    }
    found.sort_by_key(|finding| (finding.severity, finding.span.first, finding.id));
    found
}

/// Noticeability of the errors of a flight: how soon a viewer notices them. Returns the larger of the relative change of the horizontal velocity
/// and the relative error of gravity, each with its weight, divided by the weighted value of a 20 % change of the horizontal velocity (6.10).
///
/// Viewers notice horizontal errors sooner than vertical ones, and too strong a gravity sooner than too weak a one.
pub(crate) fn noticeability(flight: &Flight, limits: &Limits) -> f64 {
    let vertical_weight = if flight.gravity > 1.0 { limits.acceleration_weight } else { 1.0 };
    let horizontal = limits.horizontal_weight * flight.linear_momentum_error_norm.min(1e3);
    let vertical = vertical_weight * (flight.gravity - 1.0).abs();
    horizontal.max(vertical) / (0.2 * limits.horizontal_weight)
}

/// Derives the verdict: what has no body is undecided; errors make a motion implausible; a motion without errors that shows next to nothing is
/// undecided.
pub(crate) fn verdict(analysis: &Analysis) -> Verdict {
    let judged = analysis.range.1 - analysis.range.0;
    let unseen: usize = analysis.unseen_support.iter().map(|s| s.last - s.first + 1).sum();
    let shows_nothing = judged < FEWEST_JUDGED
        || analysis.findings.iter().any(|f| f.id == FindingId::RootNeverMoves)
        || 2 * unseen > judged
        || analysis.mass <= 0.0
        || (analysis.floor.is_none() && analysis.flights.is_empty());
    if analysis.no_body.is_some() {
        Verdict::Undecided
    } else if analysis.findings.iter().any(|f| f.severity == Severity::Error) {
        Verdict::Implausible
    } else if shows_nothing {
        Verdict::Undecided
    } else {
        Verdict::Plausible
    }
}

/// Frames below which a clip is a few poses rather than a motion.
const FEWEST_JUDGED: usize = 4;

/// Severity of a value: error above the second limit, warning above the first, else `None`.
fn grade(value: f64, limits: [f64; 2]) -> Option<Severity> {
    if value > limits[1] {
        Some(Severity::Error)
    } else if value > limits[0] {
        Some(Severity::Warning)
    } else {
        None
    }
}

/// The finding with an error lowered to a warning.
pub(crate) fn at_most_warning(finding: Finding) -> Finding {
    Finding { severity: finding.severity.max(Severity::Warning), ..finding }
}

/// A finding of a value above its limits: a warning above the first, an error above the second, `None` below both.
pub(crate) fn graded(id: FindingId, span: Span, value: f64, limits: [f64; 2], message: String) -> Option<Finding> {
    Some(Finding { id, severity: grade(value, limits)?, span, value, limit: [None, Some(limits[0])], message })
}

/// How far an error of the skeleton moves the gravity of a flight, in g: the sagitta `8 δ / (g T²)` of its arc.
fn gravity_tolerance(flight: &Flight, gravity: f64, c: &FindingContext<'_>) -> f64 {
    let steps = (flight.span.last - flight.span.first) as f64;
    let seconds = (flight.span.end - flight.span.start) * (steps + 1.0) / steps.max(1.0);
    // The mass of a body that is no human is a guess as well.
    let error = c.limits.skeleton_error_m * if c.carriage.is_human { 1.0 } else { 2.0 };
    8.0 * error * c.scale.adults() / (gravity * seconds * seconds)
}

/// `may_stand`: the flight shows too little gravity, and a foot stays near the floor meanwhile, so that it may be none.
fn gravity_finding(flight: &Flight, (gravity, may_stand): (f64, bool), c: &FindingContext<'_>) -> Option<Finding> {
    let [low, high] = c.limits.gravity_g;
    let value = flight.gravity;
    let tolerance = gravity_tolerance(flight, gravity, c);
    let outside = |by: f64| value < low - by || value > high + by;
    if !value.is_finite() || !outside(tolerance) {
        return None;
    }
    let seconds = flight.span.end - flight.span.start;
    let certain = outside(2.5 * tolerance + 2.0 * flight.gravity_standard_error);
    let is_sure = certain && flight.tells_gravity() && !may_stand;
    let severity = if is_sure { Severity::Error } else { Severity::Warning };
    let apex = (value - 1.0) * gravity * seconds * seconds / 8.0;
    let direction = if apex > 0.0 { "lower" } else { "raise" };
    let frames = flight.frames_to_add;
    // Advice that rounds to nothing is left out.
    let by = Some(100.0 * apex.abs()).filter(|centimeters| *centimeters >= 0.5);
    let apex = by.map(|centimeters| format!("{direction} its apex by {centimeters:.0} cm"));
    let advice = match (frames, value > 0.05) {
        (_, false) => "It hangs in the air: give the path the shape of a thrown stone.".to_string(),
        (0, _) => {
            format!("The flight is too short to tell much{}.", apex.map_or(String::new(), |apex| format!(": {apex}")))
        }
        (n, _) => format!(
            "Give the flight {} {} {}{}.",
            n.abs(),
            if n > 0 { "more" } else { "fewer" },
            if n.abs() == 1 { "frame" } else { "frames" },
            apex.map_or(String::new(), |apex| format!(", or {apex}"))
        ),
    };
    let size = if value > 0.05 {
        format!("The body falls as if it were {:.2} times its size. ", flight.size_factor)
    } else {
        String::new()
    };
    let stands = if may_stand {
        " A foot stays where it is near the floor meanwhile: perhaps it stands on its toes or on a step."
    } else {
        ""
    };
    Some(Finding {
        id: FindingId::FlightGravity,
        severity,
        span: flight.span,
        value,
        limit: [Some(low), Some(high)],
        message: format!("{value:.2} g is outside {low:.2}–{high:.2} g. {size}{advice}{stands}"),
    })
}

fn path_finding(flight: &Flight, c: &FindingContext<'_>) -> Option<Finding> {
    let limits = c.limits.path_m.map(|limit| limit * c.scale.adults());
    let value = flight.sideways_error;
    let message = format!(
        "Seen from above, the center of mass leaves its straight and even way by {:.1} cm; in the air nothing can push it aside.",
        100.0 * value
    );
    graded(FindingId::FlightPath, flight.span, value, limits, message)
}

fn shape_finding(flight: &Flight, c: &FindingContext<'_>) -> Option<Finding> {
    let limits = c.limits.shape_m.map(|limit| limit * c.scale.adults());
    let value = flight.shape_error;
    let message = format!(
        "The center of mass is {:.1} cm off the parabola nearest to it: a body in the air falls evenly.",
        100.0 * value
    );
    graded(FindingId::FlightShape, flight.span, value, limits, message)
}

/// The finding of a flight whose way has a finding of severity `way`: a speed that changes and leaves no trace in the way is noise.
fn momentum_finding(flight: &Flight, analysis: &Analysis, c: &FindingContext<'_>, way: Severity) -> Option<Finding> {
    let change = flight.linear_momentum_change / analysis.mass;
    let limits = c.limits.momentum_error;
    if change < c.limits.ignore_speed_change_mps {
        return None;
    }
    let percent = 100.0 * flight.linear_momentum_error_norm;
    let how = if percent < 1000.0 { format!(" ({percent:.0} % of the mean)") } else { String::new() };
    let message =
        format!("The horizontal speed changes by {change:.2} m/s in the air{how}; there is nothing to push against.");
    let finding = graded(FindingId::FlightMomentum, flight.span, flight.linear_momentum_error_norm, limits, message)?;
    let may_be_error = change >= 2.0 * c.limits.ignore_speed_change_mps && way == Severity::Error;
    Some(if may_be_error { finding } else { at_most_warning(finding) })
}

fn spin_finding(flight: &Flight, analysis: &Analysis, c: &FindingContext<'_>) -> Option<Finding> {
    let length = c.scale.length;
    let natural = analysis.mass * length * (analysis.gravity * length).sqrt();
    let change = flight.angular_momentum_change / natural;
    let relative = grade(flight.angular_momentum_error_norm, c.limits.angular_momentum_error);
    let of_all = relative.zip(grade(change, c.limits.angular_momentum_floor)).map(|(a, b)| a.max(b));
    // A turn about the vertical shows best: gravity cannot cause it, and steps of other axes hide in the noise of trunk and head.
    let yaw = flight.yaw_change;
    let turns = yaw.greatest > 0.005 + 0.1 * yaw.mean || yaw.middle > 0.0025 + 0.03 * yaw.mean;
    let severity = of_all.or(turns.then_some(Severity::Warning))?;
    // Four or five frames tell no more of the spin than of gravity.
    let severity = if flight.tells_gravity() { severity } else { severity.max(Severity::Warning) };
    Some(Finding {
        id: FindingId::FlightSpin,
        severity,
        span: flight.span,
        value: flight.angular_momentum_error_norm,
        limit: [None, Some(c.limits.angular_momentum_error[0])],
        message: format!(
            "The angular momentum changes by {:.1} kg m²/s in the air{}; limbs can trade spin with the trunk, but their sum must stay.",
            flight.angular_momentum_change,
            if of_all.is_none() {
                format!(", about the vertical by {:.1}", yaw.greatest * natural)
            } else {
                String::new()
            },
        ),
    })
}

/// A finding if all flights agree on a gravity that is not 1 g: then the clock is wrong rather than the poses.
fn time_base_finding(analysis: &Analysis, c: &FindingContext<'_>) -> Option<Finding> {
    let judged =
        analysis.flights.iter().enumerate().filter(|(index, _)| !c.is_beside(*index)).map(|(_, flight)| flight);
    let certain: Vec<&Flight> = judged.filter(|f| f.gravity_standard_error < 0.1 * f.gravity.abs()).collect();
    let [low, high] = c.limits.gravity_g;
    let (least, greatest) =
        certain.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), f| (a.min(f.gravity), b.max(f.gravity)));
    let together = least > 0.05 && greatest < 1.25 * least && (greatest < low || least > high);
    if certain.is_empty() || !together {
        return None;
    }
    let factor = ((least + greatest) / 2.0).sqrt();
    let way = if factor > 1.0 { "fast" } else { "slow" };
    // What is wrong with a skeleton is wrong in every flight, so that flights together are hardly surer than one.
    let tolerance = |flight: &&Flight| gravity_tolerance(flight, analysis.gravity, c);
    let weight = |flight: &&Flight| 1.0 / (tolerance(flight).powi(2) + 0.0025);
    let weights: f64 = certain.iter().map(weight).sum();
    let mean = certain.iter().map(|flight| weight(flight) * flight.gravity).sum::<f64>() / weights;
    let typical = contacts::median(certain.iter().map(tolerance).collect()).unwrap_or(0.0);
    let doubt = 2.0 * (1.0 / weights.sqrt()).max(0.8 * typical);
    let is_sure = certain.iter().all(|flight| flight.tells_gravity()) && (mean > high + doubt || mean < low - doubt);
    Some(Finding {
        id: FindingId::ClipTimeBase,
        severity: if is_sure { Severity::Error } else { Severity::Note },
        span: Span { first: certain[0].span.first, start: certain[0].span.start, ..certain[certain.len() - 1].span },
        value: factor,
        limit: [Some(low.sqrt()), Some(high.sqrt())],
        message: format!(
            "Every flight says the same: the clip plays {:.2} × too {way}, or its unit is {:.2} × its true length.",
            if factor > 1.0 { factor } else { 1.0 / factor },
            factor * factor
        ),
    })
}

/// Speed of a foot that no step needs while the other foot stands, m/s of an adult: a kick.
const FASTEST_STEP: f64 = 6.0;

fn balance_findings(analysis: &Analysis, c: &FindingContext<'_>) -> Vec<Finding> {
    let seconds_per_frame = 1.0 / analysis.frames_per_second;
    let settle = (0.05 * analysis.frames_per_second).ceil() as usize;
    let mut near_flight = vec![false; analysis.frames];
    for Span { first, last, .. } in analysis.flights.iter().map(|flight| flight.span) {
        near_flight[first.saturating_sub(settle)..(last + settle + 1).min(analysis.frames)].fill(true);
    }
    let distance = |frame: usize| {
        let firm = c.load[frame].is_some_and(|load| load > 0.3);
        analysis.balance.normalized_distance[frame].filter(|_| firm && !near_flight[frame]).unwrap_or(0.0)
    };
    let [warning, _] = c.limits.zmp_distance;
    let frames = Frames { range: analysis.range, time: seconds_per_frame };
    runs((0..analysis.frames).map(|frame| distance(frame) > warning))
        .into_iter()
        .filter(|&(first, end)| (end - first) as f64 * seconds_per_frame >= c.limits.zmp_seconds)
        .map(|(first, end)| {
            let mut inside: Vec<f64> = (first..end).map(distance).collect();
            inside.sort_by(f64::total_cmp);
            let lasting = inside[inside.len() / 2];
            let margin = (first..end).filter_map(|f| analysis.per_frame.support_margin[f]).fold(0.0, f64::min);
            let still = (first..end).all(|f| c.load[f].is_some_and(|load| (load - 1.0).abs() < 0.1));
            let severity = grade(lasting, c.limits.zmp_distance).unwrap_or(Severity::Warning);
            let lasts = (end - first) as f64 * seconds_per_frame >= 2.0 * c.limits.zmp_seconds;
            // The acceleration of a limb that kicks is less sure than the support is small.
            let kicks = || c.stance.fastest_foot(&frames, (first, end)) > FASTEST_STEP * c.scale.adults().sqrt();
            Finding {
                id: FindingId::BalanceZmp,
                // A body that stands still does not tip over: then something unseen more probably carries it. A kick is over soon.
                severity: if still || !lasts || kicks() { Severity::Warning } else { severity },
                span: span(analysis, first, end - 1),
                value: lasting,
                limit: [None, Some(warning)],
                message: format!(
                    "The zero-moment point lies up to {} outside the support: with these contacts the body would tip over.",
                    length_in_words(-margin)
                ),
            }
        })
        .collect()
}

fn feet_findings(analysis: &Analysis, c: &FindingContext<'_>) -> Vec<Finding> {
    let feet = analysis.feet;
    let whole = span(analysis, analysis.range.0, analysis.range.1 - 1);
    let centimeters = |metres: f64| 100.0 * metres;
    let planted = c.carriage.planted;
    let scaled =
        |limits: [f64; 2]| if c.carriage.has_feet { limits.map(|limit| limit * c.scale.adults()) } else { limits };
    let lasts = |lasts: bool| if c.carriage.has_feet { lasts } else { true };
    let slides = planted.slip_is_sure && planted.slip > c.limits.skate_mps[0];
    let skate = match c.carriage.has_feet {
        true if slides => planted.slip,
        true => 0.0,
        false => feet.skate,
    };
    // Points of a body without feet roll and turn on their ground: their mean speed counts from about twice the limit.
    let [least, most] = c.limits.skate_mps;
    let skate = graded(
        FindingId::FeetSkate,
        whole,
        skate,
        [if c.carriage.has_feet { least } else { 2.3 * least }, most],
        format!("What should be planted slides at {:.0} cm/s on average.", centimeters(skate)),
    );
    let float = graded(
        FindingId::FeetFloat,
        whole,
        feet.float,
        scaled(c.limits.float_m),
        format!("The body stands {:.1} cm above the floor.", centimeters(feet.float)),
    );
    let penetration = graded(
        FindingId::FeetPenetration,
        whole,
        feet.penetration,
        scaled(c.limits.penetration_m),
        format!("The body sinks up to {:.1} cm into the floor.", centimeters(feet.penetration)),
    );
    // Soles of a skeleton are a guess. Only a body that stands far too deep for long is sure to be wrong.
    let stands_deep = c.carriage.is_human
        && planted.sink_of_feet > c.limits.penetration_m[1] * c.scale.adults()
        && planted.sink.1 > 0.3;
    let float = float.filter(|_| lasts(planted.float.1 > 0.1)).map(at_most_warning);
    let sinks = planted.sink.1 > if planted.sink.0 > 0.035 * c.scale.adults() { 0.1 } else { 0.2 };
    let deep = planted.depth > 1.15 * c.limits.penetration_m[0] * c.scale.adults();
    let penetration = penetration.filter(|_| lasts(sinks || (deep && c.carriage.is_human)));
    let penetration = penetration.map(|f| if stands_deep { f } else { at_most_warning(f) });
    [skate, float, penetration].into_iter().flatten().collect()
}

fn clip_findings(analysis: &Analysis, c: &FindingContext<'_>) -> Vec<Finding> {
    let whole = span(analysis, analysis.range.0, analysis.range.1 - 1);
    let mut found = Vec::new();
    let limits = c.limits.jitter_m.map(|limit| limit * c.scale.adults());
    // Frames that repeat in a rhythm alternate like noise, and are said to repeat.
    let jitter = if c.continuity.padding.is_some() { 0.0 } else { c.jitter };
    let message = format!("Joints tremble by {:.1} mm from frame to frame; smooth the curves.", 1000.0 * jitter);
    let rounding = c.rounding;
    if rounding > 0.0 {
        let message = format!(
            "The positions of the root are rounded to {}, which is coarser than the motion; move the clip to the origin, or write more digits.",
            length_in_words(rounding)
        );
        let deviation = rounding / libm::sqrt(12.0);
        found.extend(graded(FindingId::ClipJitter, whole, deviation, limits, message).map(at_most_warning));
    } else {
        found.extend(graded(FindingId::ClipJitter, whole, jitter, limits, message));
    }
    found.extend(c.loop_seam.and_then(|seam| {
        let message =
            format!("From the last frame to the first the body jumps {seam:.1} times as far as between frames.");
        graded(FindingId::ClipLoopSeam, whole, seam, c.limits.loop_seam, message).map(at_most_warning)
    }));
    if c.foreign_first_frame {
        found.push(Finding {
            id: FindingId::ClipFirstFrame,
            severity: Severity::Note,
            span: span(analysis, 0, 0),
            value: 0.0,
            limit: [None, None],
            message: "The first frame is a pose that does not belong to the motion; it is left out.".into(),
        });
    }
    if analysis.treadmill != glam::DVec3::ZERO {
        found.push(Finding {
            id: FindingId::ClipInPlace,
            severity: Severity::Note,
            span: whole,
            value: analysis.treadmill.length(),
            limit: [None, None],
            message: format!(
                "The clip moves on the spot; its feet say {:.2} m/s. It is judged on ground that moves with them.",
                analysis.treadmill.length()
            ),
        });
    }
    found
}

fn unseen_findings(analysis: &Analysis) -> Vec<Finding> {
    analysis
        .unseen_support
        .iter()
        .map(|&unseen| Finding {
            id: FindingId::SupportUnseen,
            severity: Severity::Note,
            span: unseen,
            value: unseen.end - unseen.start,
            limit: [None, None],
            message: "Something the clip does not show carries the body (a box, a chair, a wall). If nothing does, mark a flight with --flight."
                .into(),
        })
        .collect()
}

/// Writes a length for people: "7 mm", "7 cm", "1.4 m".
pub(crate) fn length_in_words(meters: f64) -> String {
    match meters {
        m if m < 0.01 => format!("{:.0} mm", 1000.0 * m),
        m if m < 1.0 => format!("{:.0} cm", 100.0 * m),
        m => format!("{m:.1} m"),
    }
}

/// Span of the frames `first..=last` with their times.
pub(crate) fn span(analysis: &Analysis, first: usize, last: usize) -> Span {
    Span::of_frames(&analysis.per_frame.time, first, last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::report::{FlightErrors, YawChange};

    fn flight(gravity: f64, momentum_error: f64) -> Flight {
        Flight {
            span: Span { first: 0, last: 20, start: 0.0, end: 0.5 },
            gravity,
            gravity_standard_error: 0.0,
            size_factor: 1.0 / gravity,
            frames_to_add: 0,
            shape_error: 0.002,
            sideways_error: 0.004,
            yaw_change: YawChange::default(),
            horizontal_path_error: 0.0,
            path_error_in_meters: false,
            linear_momentum_error: [None; 3],
            angular_momentum_error: [None; 3],
            linear_momentum_error_norm: momentum_error,
            linear_momentum_change: 0.0,
            angular_momentum_error_norm: 0.0,
            angular_momentum_change: 0.0,
            per_frame: FlightErrors::default(),
            fit_position: glam::DVec3::ZERO,
            fit_velocity: glam::DVec3::ZERO,
            ballistic_path: Vec::new(),
            noticeability: 0.0,
            marked: false,
        }
    }

    #[test]
    fn advice_that_rounds_to_nothing_is_left_out() {
        let limits = Limits::default();
        let scale = ContactScale { length: 0.9, height: 0.018, touch: 0.0045, speed: 0.3, gravity: 9.81 };
        let (carriage, continuity, stance) =
            (Carriage { is_human: true, ..Carriage::default() }, Continuity::default(), Stance::default());
        let context = FindingContext {
            carriage: &carriage,
            continuity: &continuity,
            stance: &stance,
            limits: &limits,
            scale,
            load: &[],
            beside_support: &[],
            jitter: 0.0,
            rounding: 0.0,
            loop_seam: None,
            foreign_first_frame: false,
        };
        let told = |gravity: f64, seconds: f64, frames_to_add: i64| {
            let span = Span { first: 0, last: 5, start: 0.0, end: seconds };
            let flight = Flight { span, frames_to_add, ..flight(gravity, 0.0) };
            gravity_finding(&flight, (9.81, false), &context).unwrap().message
        };
        assert!(told(2.4, 0.05, 2).ends_with("Give the flight 2 more frames."), "{}", told(2.4, 0.05, 2));
        assert!(told(2.4, 0.05, 0).ends_with("too short to tell much."), "{}", told(2.4, 0.05, 0));
        assert!(
            told(1.4, 0.5, 2).ends_with("Give the flight 2 more frames, or lower its apex by 12 cm."),
            "{}",
            told(1.4, 0.5, 2)
        );
    }

    #[test]
    fn s36_a_fifth_of_the_horizontal_velocity_is_noticed_as_soon_as_two_fifths_of_gravity_too_few() {
        let limits = Limits::default();
        assert!((noticeability(&flight(1.0, 0.2), &limits) - 1.0).abs() < 1e-12);
        assert!((noticeability(&flight(0.6, 0.0), &limits) - 1.0).abs() < 1e-12);
        assert!((noticeability(&flight(1.2, 0.0), &limits) - 1.0).abs() < 1e-12, "too strong is noticed sooner");
        let even = Limits { horizontal_weight: 1.0, acceleration_weight: 1.0, ..limits };
        assert!((noticeability(&flight(1.2, 0.0), &even) - 1.0).abs() < 1e-12);
        assert!((noticeability(&flight(1.0, 0.4), &even) - 2.0).abs() < 1e-12);
    }
}
