//! What a cleanup must not do to an end: move it far, jerk it, push it into the floor or lift it off.
//!
//! ```text
//! ‖e'_k − e_k‖ ≤ most_shift;   ‖Δ²e'_k‖ ≤ 1.5 max ‖Δ²e‖ within 0.25 s + (20 m/s²) h²
//! ```
//!
//! e is the position of the end before, e' after the cleanup, h the time between frames. A step that the neighbors do not announce is a snap.

use glam::DVec3;

use super::FeetSettings;
use super::soles::{LEAVES, Soles};
use crate::analysis::clip_contacts::ClipContacts;
use crate::character::Character;
use crate::motion::ik::Limb;

/// Time within which the motion before may jerk as much, seconds.
const NEAR: f64 = 0.25;
/// Growth of the second difference that is no snap.
const GROWTH: f64 = 1.5;
/// Acceleration that is no snap even in a foot at rest, m/s².
const GENTLE: f64 = 20.0;
/// Penetration and float may grow by this, meters.
const DEEPER: f64 = 0.003;

/// Harm that a cleanup does to an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Harm {
    TooFar,
    Snaps,
    Deeper,
    Lifted,
}

impl Harm {
    /// The harm in words, behind the name of the end.
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::TooFar => "moves it too far",
            Self::Snaps => "makes it snap",
            Self::Deeper => "pushes it into the floor",
            Self::Lifted => "lifts it off the floor",
        }
    }
}

/// The harm that a cleanup did to the end of `limb`; `None` if it did none.
pub(super) fn harm_to_end(
    character: &Character,
    [old, new]: [&ClipContacts; 2],
    (limb, lies): (&Limb, &[bool]),
    feet: &FeetSettings,
) -> Option<Harm> {
    let end = |found: &ClipContacts, frame: usize| found.world.position(limb.end, frame);
    let frames = old.world.frames();
    let moved = |frame: usize| end(new, frame).distance(end(old, frame));
    if (0..frames).all(|frame| moved(frame) == 0.0) && points_are_same(character, [old, new], limb, lies) {
        return None;
    }
    if (0..frames).any(|frame| moved(frame) > feet.most_shift) {
        return Some(Harm::TooFar);
    }
    if snaps([old, new], limb.end) {
        return Some(Harm::Snaps);
    }
    let [before, after] = [old, new].map(|found| Soles::new(character, found, limb, lies));
    let (Some(before), Some(after)) = (before, after) else { return None };
    // An end that comes or leaves is not held.
    let mut held = vec![false; frames];
    for contact in before.contacts() {
        before.core(contact).filter(|&frame| before.keeps_height(frame, LEAVES)).for_each(|frame| held[frame] = true);
    }
    for frame in old.range.0..old.range.1 {
        let deeper = before.points.iter().any(|&point| is_deeper([old, new], point, frame, before.floor));
        if deeper {
            return Some(Harm::Deeper);
        }
        if held[frame] && after.clearance(frame) > before.clearance(frame).max(0.0) + DEEPER {
            return Some(Harm::Lifted);
        }
    }
    None
}

/// Whether a cleanup pushes a point of the body that belongs to none of the limbs into the floor.
pub(super) fn harms_body([old, new]: [&ClipContacts; 2]) -> bool {
    let Some(floor) = old.ground.floor else { return false };
    let points = 0..old.points.len();
    points.into_iter().any(|point| (old.range.0..old.range.1).any(|frame| is_deeper([old, new], point, frame, floor)))
}

fn is_deeper([old, new]: [&ClipContacts; 2], point: usize, frame: usize, floor: f64) -> bool {
    let [before, after] = [old, new].map(|found| found.points.spot(point, frame).y);
    after < before.min(floor) - DEEPER
}

fn points_are_same(character: &Character, clips: [&ClipContacts; 2], limb: &Limb, lies: &[bool]) -> bool {
    let Some(soles) = Soles::new(character, clips[0], limb, lies) else { return true };
    let same = |point: usize, frame: usize| clips[0].points.spot(point, frame) == clips[1].points.spot(point, frame);
    soles.points.iter().all(|&point| (0..clips[0].world.frames()).all(|frame| same(point, frame)))
}

/// True if the path of a bone has a step that nothing near it announces.
fn snaps([old, new]: [&ClipContacts; 2], bone: usize) -> bool {
    let (frames, rate) = (old.world.frames(), old.points.frames_per_second());
    let jerks = |found: &ClipContacts| -> Vec<f64> {
        let at = |frame: usize| found.world.position(bone, frame);
        let second = |frame: usize| -> DVec3 { at(frame + 1) - 2.0 * at(frame) + at(frame - 1) };
        (0..frames).map(|frame| if frame == 0 || frame + 1 == frames { 0.0 } else { second(frame).length() }).collect()
    };
    let (before, after) = (jerks(old), jerks(new));
    let window = libm::round(NEAR * rate).max(1.0) as usize;
    let near = |frame: usize| &before[frame.saturating_sub(window)..(frame + window + 1).min(frames)];
    let announced = |frame: usize| near(frame).iter().copied().fold(0.0, f64::max);
    (0..frames).any(|frame| after[frame] > GROWTH * announced(frame) + GENTLE / (rate * rate))
}
