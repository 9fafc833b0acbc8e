//! Blends a corrected flight into the frames around it, so that take-off and landing have no jerk.
//!
//! A tool that moved the body in a flight leaves an offset Δ and a rotation Q (rotation vector φ) relative to the original clip. Offset and
//! rotation end with the flight, but their rates do not vanish there. Over the w frames before and after the flight, a polynomial fades them to
//! zero: it starts with their value and rate at the flight, ends at zero with zero rate, and has no acceleration at either end:
//!
//! ```text
//! Δ(s) = Δ_e (1 − 10 s³ + 15 s⁴ − 6 s⁵) + Δ'_e W s (1 − s)³ (1 + 3 s)       s: 0 at the flight, 1 at its end,  W = w + 1
//! Δ'_e = (−3 Δ_e + 4 Δ_{e±1} − Δ_{e±2}) / 2                                  inside the flight, per frame
//! ```
//!
//! so Δ is continuous with its velocity: over a window of fixed duration the second differences at the seam shrink with h², those of a corner with
//! h. Specification: mathematics 7.2 (S13). The body turns about its center of mass. Planted limbs keep position and orientation of their ends, by
//! inverse kinematics.

use core::ops::Range;

use glam::{DQuat, DVec3};

use super::RootBone;
use super::Scope;
use super::follow_path::mass_centers_in;
use crate::character::Character;
use crate::math::rotation::{exp, log};
use crate::motion::ik::{self, Goal, Limb};
use crate::motion::{Clip, WorldMotion, world_of};

pub(crate) use super::planted_limbs::{PlantedLimb, planted};

/// Offsets (meters) and rotations (radians) below this count as rounding errors.
const ROUNDING: f64 = 1e-12;

/// Report of a blend.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BlendReport {
    /// Number of changed frames before and after the flight.
    pub frames: [usize; 2],
    /// Largest offset of the body in these frames, meters.
    pub largest_shift: f64,
    /// Largest rotation of the body in these frames, radians.
    pub largest_turn: f64,
    /// Largest rotation of a joint that keeps a limb planted, radians.
    pub largest_joint: f64,
    /// Greatest distance of a planted end from its original position, meters.
    pub residual: f64,
    /// End bones of planted limbs with a protected bone: these limbs moved with the body.
    pub left: Vec<usize>,
}

/// Fades the difference between `clip` and `before` at the ends of the flight `first..=last` to zero over `window` frames on either side, within
/// the scope. If the scope cuts a side short, the blend uses the remaining frames. The flight, frames outside the window, and scales are not
/// changed; the strength of the correction is already in the offsets.
///
/// A limb that is planted somewhere in a window stays through the window as in `before`. Nothing happens if the bone that moves the body is
/// protected or nothing has mass. Panics if the clips differ in bones or frames.
pub(crate) fn blend(
    character: &Character,
    before: &Clip,
    clip: &mut Clip,
    (flight, window): ((usize, usize), usize),
    planted: &[PlantedLimb],
    scope: &Scope,
) -> BlendReport {
    assert_eq!(
        (before.bones(), before.frames()),
        (clip.bones(), clip.frames()),
        "a clip of another skeleton or length"
    );
    let mut report = BlendReport::default();
    let carrier = RootBone::of(character, before).filter(|c| c.bones().iter().all(|&bone| scope.allows(bone)));
    let Some(carrier) = carrier else { return report };
    let (first, last) = (flight.0, flight.1.min(clip.frames() - 1));
    let around = first.saturating_sub(window)..(last + 1 + window).min(clip.frames());
    let offsets = Offsets::new(character, (before, &*clip), &carrier, around);
    let early = scope.within(first.saturating_sub(window)..first).frames;
    let late = scope.within(last + 1..(last + 1 + window).min(clip.frames())).frames;
    let inside = last.saturating_sub(first);
    for (side, frames) in [early, late].into_iter().enumerate() {
        // If the scope excludes the frames next to the flight, there is nothing to blend.
        let joins = if side == 0 { frames.end == first } else { frames.start == last + 1 };
        if !joins || frames.is_empty() {
            continue;
        }
        let fade = offsets.fade(if side == 0 { (first, 1) } else { (last, -1) }, inside, frames.len());
        let frame_at = |step: usize| if side == 0 { first - step } else { last + step };
        let mut changed = 0;
        for step in 1..=frames.len() {
            let (shift, turn) = fade.at(step);
            if shift.length() > ROUNDING || turn.length() > ROUNDING {
                let frame = frame_at(step);
                carry(character, clip, &carrier, frame, (offsets.centers[frame - offsets.first], shift, turn));
                report.largest_shift = report.largest_shift.max(shift.length());
                report.largest_turn = report.largest_turn.max(turn.length());
                changed += 1;
            }
        }
        report.frames[side] = changed;
        if changed > 0 {
            pin(character, before, clip, (frames, planted), scope, &mut report);
        }
    }
    report
}

fn carry(
    character: &Character,
    clip: &mut Clip,
    carrier: &RootBone,
    frame: usize,
    (center, shift, turn): (DVec3, DVec3, DVec3),
) {
    if turn.length() > ROUNDING {
        carrier.turn(&character.skeleton, clip, frame, center, exp(turn));
    }
    if shift.length() > ROUNDING {
        carrier.translate(&character.skeleton, clip, frame, shift);
    }
}

/// Differences between the clips in some frames: shift and rotation of the body.
struct Offsets {
    /// The frame of the first entry.
    first: usize,
    /// Center of mass of the original clip, meters.
    centers: Vec<DVec3>,
    shifts: Vec<DVec3>,
    turns: Vec<DQuat>,
}

impl Offsets {
    fn new(character: &Character, (before, clip): (&Clip, &Clip), carrier: &RootBone, frames: Range<usize>) -> Self {
        let [centers, moved] = [before, clip].map(|clip| mass_centers_in(character, clip, frames.clone()));
        let bone = carrier.bones()[0];
        let rotation = |clip: &Clip, frame: usize| world_of(&character.skeleton, clip, bone, frame).1;
        let turn = |frame: usize| match (rotation(before, frame), rotation(clip, frame)) {
            (old, new) if old == new => DQuat::IDENTITY,
            (old, new) => (new * old.conjugate()).normalize(),
        };
        Self {
            first: frames.start,
            shifts: centers.iter().zip(&moved).map(|(old, new)| *new - *old).collect(),
            turns: frames.map(turn).collect(),
            centers,
        }
    }

    /// Value and rate of the offsets at the frame `edge`; the flight lies in the direction `way` over `inside` intervals.
    fn fade(&self, (edge, way): (usize, isize), inside: usize, window: usize) -> Fade {
        let at = |step: usize| edge.saturating_add_signed(way * step.min(inside) as isize) - self.first;
        let turn = log(self.turns[edge - self.first]);
        let near = |step: usize| log_near(self.turns[at(step)], turn);
        let outward = |values: [DVec3; 3]| match inside {
            0 => DVec3::ZERO,
            1 => values[0] - values[1],
            _ => 0.5 * (3.0 * values[0] - 4.0 * values[1] + values[2]),
        };
        Fade {
            shift: self.shifts[edge - self.first],
            shift_rate: outward([0, 1, 2].map(|step| self.shifts[at(step)])),
            turn,
            turn_rate: outward([0, 1, 2].map(near)),
            length: (window + 1) as f64,
        }
    }
}

/// The rotation vector of `q` that is nearest to `to`.
fn log_near(q: DQuat, to: DVec3) -> DVec3 {
    let short = log(q);
    let Some(axis) = short.try_normalize() else { return short };
    let long = short - axis * core::f64::consts::TAU;
    if long.distance(to) < short.distance(to) { long } else { short }
}

/// Offset and rotation that fade with the distance from the flight.
struct Fade {
    shift: DVec3,
    /// Rate of the shift per frame, away from the flight.
    shift_rate: DVec3,
    turn: DVec3,
    turn_rate: DVec3,
    /// Number of frames after which the offset is zero.
    length: f64,
}

impl Fade {
    /// Offset (meters) and rotation vector `step` frames away from the flight.
    fn at(&self, step: usize) -> (DVec3, DVec3) {
        let s = step as f64 / self.length;
        let value = 1.0 - s * s * s * (10.0 - s * (15.0 - 6.0 * s));
        let rate = self.length * s * (1.0 - s) * (1.0 - s) * (1.0 - s) * (1.0 + 3.0 * s);
        (value * self.shift + rate * self.shift_rate, value * self.turn + rate * self.turn_rate)
    }
}

/// Moves the ends of limbs that are planted somewhere in `frames` back to their original poses in all of these frames.
fn pin(
    character: &Character,
    before: &Clip,
    clip: &mut Clip,
    (frames, planted): (Range<usize>, &[PlantedLimb]),
    scope: &Scope,
    report: &mut BlendReport,
) {
    let old = WorldMotion::new(&character.skeleton, &before.cut(frames.start, frames.end));
    for PlantedLimb { limb, frames: stands } in planted {
        if !frames.clone().any(|frame| stands.get(frame) == Some(&true)) {
            continue;
        }
        if !may_turn(limb, scope) {
            if !report.left.contains(&limb.end) {
                report.left.push(limb.end);
            }
            continue;
        }
        let limb = Limb { bend: ik::bend_of(&character.skeleton, before, limb), ..limb.clone() };
        for frame in frames.clone() {
            let at = frame - frames.start;
            let goal = Goal { position: old.position(limb.end, at), rotation: old.rotation(limb.end, at) };
            let solution = ik::solve(&character.skeleton, clip, frame, &limb, &goal);
            for &(bone, rotation) in solution.rotations.iter().filter(|(bone, _)| limb.joints.contains(bone)) {
                let turned = log(rotation * clip.rotation(bone, frame).conjugate()).length();
                report.largest_joint = report.largest_joint.max(turned);
            }
            report.residual = report.residual.max(solution.residual);
            solution.write(clip, frame);
        }
    }
}

/// True if no bone of the limb is protected.
pub(super) fn may_turn(limb: &Limb, scope: &Scope) -> bool {
    limb.joints.iter().chain([&limb.end]).all(|&bone| scope.allows(bone))
}

#[cfg(test)]
mod tests;
