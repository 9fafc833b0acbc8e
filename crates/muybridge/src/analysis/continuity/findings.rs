//! Says in words where a clip breaks: jumps, held frames, hovers, and a root that never moves.

use super::{Continuity, HeldPose, Jump, JumpLook};
use crate::analysis::contacts::ContactScale;
use crate::analysis::finding_id::FindingId;
use crate::analysis::findings::{length_in_words, span};
use crate::analysis::report::{Analysis, Finding, Severity};
use crate::analysis::stance::Stance;

/// The findings of the continuity of a clip.
pub(crate) fn findings(
    analysis: &Analysis,
    continuity: &Continuity,
    scale: &ContactScale,
    stance: &Stance,
) -> Vec<Finding> {
    let mut found: Vec<Finding> = continuity.jumps.iter().map(|jump| jump_finding(analysis, jump)).collect();
    let airborne: Vec<bool> = stance.parts.iter().map(|&parts| parts == 0).collect();
    let hovers = match stance.floor {
        Some(_) => continuity.hovers(1.0 / analysis.frames_per_second, &airborne, &stance.clearance, scale.adults()),
        None => Vec::new(),
    };
    let halts: Vec<HeldPose> = continuity.holds.iter().filter(|hold| !hovers.contains(hold)).copied().collect();
    found.extend(hovers.iter().map(|hover| hover_finding(analysis, hover)));
    found.extend(held_finding(analysis, &halts));
    found.extend(padding_finding(analysis, continuity));
    if continuity.root_never_moves {
        found.push(Finding {
            id: FindingId::RootNeverMoves,
            severity: Severity::Warning,
            span: span(analysis, analysis.range.0, analysis.range.1 - 1),
            value: 0.0,
            limit: [None, None],
            message: "The hips stay at one point while the feet move: the clip has no motion of the root, so nobody can say how the body moves \
                      in the world."
                .into(),
        });
    }
    found
}

fn jump_finding(analysis: &Analysis, jump: &Jump) -> Finding {
    let (before, after) = (jump.before, jump.after);
    let seconds = |frame: usize| format!("{:.2} s", analysis.per_frame.time[frame]);
    // Frames are left out where the whole clip is looked at.
    let first_stray = if before < analysis.range.0 { 0 } else { before };
    let last_stray = if after >= analysis.range.1 { analysis.frames - 1 } else { after };
    let (id, frames) = match jump.look {
        JumpLook::FirstFrames => (FindingId::ClipFirstFrame, (first_stray, before)),
        JumpLook::LastFrames => (FindingId::ClipFirstFrame, (after, last_stray)),
        _ if jump.comes_back => (FindingId::ClipJump, (before + 1, after - 1)),
        _ => (FindingId::ClipJump, (before, after)),
    };
    let way = match jump.look {
        JumpLook::Moves(distance) => format!("the whole body jumps by {}", length_in_words(distance)),
        JumpLook::Turns(angle) => format!("the body turns by {:.0}° at once", angle.to_degrees()),
        _ => format!("the pose jumps, the joints by {} on average", length_in_words(jump.distance)),
    };
    let message = match jump.look {
        JumpLook::FirstFrames | JumpLook::LastFrames => {
            let (end, motion) = match jump.look {
                JumpLook::FirstFrames => ("first", "that follows"),
                _ => ("last", "before"),
            };
            let (count, distance) = (frames.1 + 1 - frames.0, length_in_words(jump.distance));
            let left_out = frames.0 >= analysis.range.1 || frames.1 < analysis.range.0;
            match (count, left_out) {
                (1, false) => {
                    format!("The {end} frame lies {distance} beside the motion {motion}: it belongs to another pose.")
                }
                (1, true) => format!(
                    "The {end} frame lies {distance} beside the motion {motion}: it belongs to another pose, and is left out."
                ),
                _ => format!(
                    "The {end} {count} frames lie {distance} beside the motion {motion}: they belong to another pose, and are left out."
                ),
            }
        }
        JumpLook::LostFrames(lost) => {
            let count = lost.round().max(1.0);
            format!(
                "From frame {before} ({}) to the next the body moves {:.1} times as far as in the steps beside: {} lost there.",
                seconds(before),
                1.0 + lost,
                if count < 1.5 { "one frame is".into() } else { format!("about {count:.0} frames are") }
            )
        }
        _ if jump.comes_back => {
            let count = after - before - 1;
            let frames = if count == 1 { "one frame".into() } else { format!("{count} frames") };
            format!("In frame {} ({}) {way}; after {frames} it is back.", before + 1, seconds(before + 1))
        }
        _ => format!(
            "From frame {before} ({}) to frame {after} {way}; the steps beside do not announce it.",
            seconds(before)
        ),
    };
    Finding {
        id,
        severity: if jump.impossible { Severity::Error } else { Severity::Warning },
        span: span(analysis, frames.0, frames.1),
        value: jump.distance,
        limit: [None, None],
        message,
    }
}

fn hover_finding(analysis: &Analysis, hover: &HeldPose) -> Finding {
    let seconds = hover.frames() as f64 / analysis.frames_per_second;
    Finding {
        id: FindingId::FlightHover,
        severity: Severity::Error,
        span: span(analysis, hover.first, hover.last),
        value: seconds,
        limit: [None, None],
        message: format!("The body hangs motionless in the air for {seconds:.2} s, though it moves before and after."),
    }
}

/// All holds of a clip in one finding.
fn held_finding(analysis: &Analysis, holds: &[HeldPose]) -> Option<Finding> {
    let (first, last) = (holds.first()?, holds.last()?);
    let frames: usize = holds.iter().map(HeldPose::frames).sum();
    let seconds = frames as f64 / analysis.frames_per_second;
    let start = analysis.per_frame.time[first.first];
    let message = match (holds.len(), frames) {
        (1, 1) => format!(
            "Frame {} ({start:.2} s) repeats the one before it, though the body moves before and after.",
            first.first
        ),
        (1, _) => format!(
            "From frame {} ({start:.2} s) on {frames} frames repeat the one before them, though the body moves before and after.",
            first.first
        ),
        (places, _) => format!(
            "{frames} frames repeat the one before them though the body moves, in {places} places; the first is frame {} ({start:.2} s).",
            first.first
        ),
    };
    Some(Finding {
        id: FindingId::ClipHeld,
        severity: Severity::Warning,
        span: span(analysis, first.first, last.last),
        value: seconds,
        limit: [None, None],
        message,
    })
}

fn padding_finding(analysis: &Analysis, continuity: &Continuity) -> Option<Finding> {
    let padding = continuity.padding?;
    let (first, last) = (continuity.holds.first()?, continuity.holds.last()?);
    let factor = (padding.every - padding.repeated) as f64 / padding.every as f64;
    let rate = |hertz: f64| format!("{}", libm::round(100.0 * hertz) / 100.0);
    let ordinal = ["second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"];
    let which = match (padding.repeated, ordinal.get(padding.every.wrapping_sub(2))) {
        (1, Some(ordinal)) => format!("every {ordinal} frame"),
        (1, None) => format!("one frame in {}", padding.every),
        (repeated, _) => format!("{repeated} frames in {}", padding.every),
    };
    Some(Finding {
        id: FindingId::ClipTimeBase,
        severity: Severity::Note,
        span: span(analysis, first.first, last.last),
        value: factor,
        limit: [None, None],
        message: format!(
            "The clip repeats {which}: {} fps padded to {}.",
            rate(factor * analysis.frames_per_second),
            rate(analysis.frames_per_second)
        ),
    })
}
