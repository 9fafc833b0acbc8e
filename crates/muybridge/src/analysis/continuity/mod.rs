//! Continuity of a clip: jumps in time, held frames, and a root that never moves.
//!
//! ```text
//! D_k = x_{k+1} − x_k                                     step k of a joint, from frame k to the next
//! V = (D_{k−1} + D_{k+1})/2,  U = (D_{k−2} + D_{k+2})/2
//! R_k = rms over the joints of D_k − V                    its part that the neighbors do not announce
//! z = R_k / (median of R over k ± 12 + 0.6 mm),  a = 2/3 R_k / (g h²)
//! jump:        z > 8, a > 2 and z a > 60; 0.7 R remain of D_k − (2 V − U), so that the steps beside do not lead up to it
//! limbs:       the same with a from the root of Σ r⁴ / Σ r² over the joints (r: their parts of R), if the pose comes back within 3 frames
//! lost frames: 1 + n = D·D / V·D > 1.6,  |V − D/(1+n)| < 0.3 |D|/(1+n),
//!              D·D > 1.5 (2 V − U)·D,  z > 6 and R > 3 mm, or z > 3 and R > 2 cm
//! other pace:  one R beside above 0.75 R_k, the other below 0.25 R_k: no jump
//! no body:     the same R of the mass center: z > 8, a > 10, R > 8 cm
//! stray pose:  a jump in the first or last step, or beside frames at the same end that stand still
//! held frames: steps below 1/20 of the step before them, until one 20 times as long as the longest of them
//! ```
//! `h` is the time of a frame; lengths are those of a leg of 0.9 m and grow with the leg. The median adapts to fast and to noisy clips, `a` to
//! the frame rate. The limits are this project's: of 801 public clips 20 have a jump. Slower than 60 ms a frame nothing is judged.

mod findings;
mod jitter;
mod rounding;
mod steps;
#[cfg(test)]
mod tests;

use core::ops::Range;

use glam::DVec3;

use self::steps::Steps;
use super::contacts::ContactScale;
use crate::character::{Character, Role, Side};
use crate::motion::WorldMotion;

pub(crate) use self::findings::findings;
pub(crate) use self::jitter::jitter;
pub(crate) use self::rounding::rounding;

/// The motion whose continuity is examined.
#[derive(Clone, Copy)]
pub(crate) struct Examined<'a> {
    /// The character that moves.
    pub character: &'a Character,
    /// World poses of the whole clip.
    pub world: &'a WorldMotion,
    /// Mass center by frame of the clip, meters.
    pub mass_centers: &'a [DVec3],
    /// Seconds from frame to frame.
    pub frame_time: f64,
    /// Lengths and speeds from the size of the character.
    pub scale: &'a ContactScale,
    /// Analyzed frames `first..end`.
    pub range: (usize, usize),
}

/// Breaks in the continuity of a clip.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Continuity {
    /// Steps that their neighbors do not announce, by time.
    pub jumps: Vec<Jump>,
    /// Runs of frames that repeat the frame before them while the body moves, by time.
    pub holds: Vec<HeldPose>,
    /// Rhythm of the holds; `None` if they have none.
    pub padding: Option<Padding>,
    /// True if the hips stay at one point while the feet move: the clip has no motion of the root.
    pub root_never_moves: bool,
}

/// A step that its neighbors do not announce, or a few of them side by side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Jump {
    /// Last frame before the jump.
    pub before: usize,
    /// First frame after the jump. Frames between the two are those that belong to neither side.
    pub after: usize,
    /// Root mean square over the joints of the step that was not announced, meters.
    pub distance: f64,
    /// True if the motion goes on after the jump as if nothing had been: only the frames between are strange.
    pub comes_back: bool,
    /// True if the mass center jumps too, farther than any force could move it.
    pub impossible: bool,
    /// What the jump looks like.
    pub look: JumpLook,
}

/// What a jump looks like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum JumpLook {
    /// The frames before it do not belong to the motion.
    FirstFrames,
    /// The frames after it do not belong to the motion.
    LastFrames,
    /// About that many frames are missing.
    LostFrames(f64),
    /// The whole body moves by that many meters.
    Moves(f64),
    /// The root turns by that angle, radians.
    Turns(f64),
    /// The joints move in different ways.
    Pose,
}

/// Frames `first..=last` that repeat the frame before them, though the body moves before and after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HeldPose {
    /// First repeated frame.
    pub first: usize,
    /// Last repeated frame.
    pub last: usize,
}

impl HeldPose {
    /// Number of repeated frames.
    pub(crate) fn frames(&self) -> usize {
        self.last - self.first + 1
    }
}

/// A rhythm of repeated frames: so a slower clip is padded to a faster frame rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Padding {
    /// Frames from one repeated frame to the next.
    pub every: usize,
    /// Repeated frames among them.
    pub repeated: usize,
}

/// Longest time of a frame for which steps are judged, seconds: at 16 frames per second a person may cross a stride in a frame.
pub(crate) const SLOWEST: f64 = 0.06;
/// Fewest frames that are judged.
const FEWEST: usize = 6;

impl Continuity {
    /// Examines the frames of a clip.
    pub(crate) fn new(clip: &Examined<'_>) -> Self {
        let root_never_moves = root_never_moves(clip);
        if clip.range.1 - clip.range.0 < FEWEST || clip.frame_time >= SLOWEST || clip.character.skeleton.len() == 0 {
            return Self { root_never_moves, ..Self::default() };
        }
        let steps = Steps::new(clip);
        let holds = steps.holds();
        let jumps = steps.jumps(&holds);
        let first = clip.range.0;
        let in_clip = |held: &Range<usize>| HeldPose { first: first + held.start + 1, last: first + held.end };
        let holds: Vec<HeldPose> = holds.iter().map(in_clip).collect();
        Self { jumps, padding: padding(&holds), holds, root_never_moves }
    }

    /// The frames `first..end` of a range without the stray poses at its ends.
    pub(crate) fn without_strays(&self, range: (usize, usize)) -> (usize, usize) {
        let of = |look: JumpLook| self.jumps.iter().filter(move |jump| jump.look == look);
        let first = of(JumpLook::FirstFrames).map(|jump| jump.after).max().unwrap_or(range.0);
        let end = of(JumpLook::LastFrames).map(|jump| jump.before + 1).min().unwrap_or(range.1);
        if end >= first + FEWEST { (first, end) } else { range }
    }

    /// Whether the body jumps within the frames `first..end`, or on the way in or out of them.
    pub(crate) fn jumps_in(&self, first: usize, end: usize) -> bool {
        self.jumps.iter().any(|jump| jump.after >= first && jump.before <= end)
    }

    /// The first frames after jumps that no body could make, ascending.
    pub(crate) fn cuts(&self) -> Vec<usize> {
        self.jumps.iter().filter(|jump| jump.impossible).map(|jump| jump.after).collect()
    }

    /// The holds of at least a tenth of a second that hang in the air: nothing touches in most of their frames, and the lowest point is never
    /// closer to the floor than 3 cm times `adults`. `airborne` and `clearance` (meters) have one entry per frame of the clip.
    pub(crate) fn hovers(&self, frame_time: f64, airborne: &[bool], clearance: &[f64], adults: f64) -> Vec<HeldPose> {
        let hangs = |hold: &&HeldPose| {
            let frames = hold.first - 1..hold.last + 1;
            let in_air = airborne[frames.clone()].iter().filter(|flag| **flag).count();
            hold.frames() as f64 * frame_time >= 0.1 - 1e-9
                && 5 * in_air > 3 * frames.len()
                && clearance[frames].iter().all(|height| *height > 0.03 * adults)
        };
        self.holds.iter().filter(hangs).copied().collect()
    }
}

/// True if the hips stay within 2 mm over the whole clip while a foot rises by 4 cm.
fn root_never_moves(clip: &Examined<'_>) -> bool {
    let unit = clip.scale.adults();
    let extent = |role, component: usize| {
        let bone = clip.character.bone_of(role)?;
        let track = &clip.world.position_track(bone, component)[clip.range.0..clip.range.1];
        let ends = track.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(*x), b.max(*x)));
        Some(ends.1 - ends.0)
    };
    let nailed = (0..3).all(|component| extent(Role::Hips, component).is_some_and(|e| e < 0.002 * unit));
    let moves = |side| extent(Role::Foot(side), 1).is_some_and(|e| e > 0.04 * unit);
    nailed && (moves(Side::Left) || moves(Side::Right))
}

/// The rhythm of the holds: at least four, four fifths of them equally long and at the same place of a period of up to twelve frames.
fn padding(holds: &[HeldPose]) -> Option<Padding> {
    if holds.len() < 4 {
        return None;
    }
    let repeated = holds[holds.len() / 2].frames();
    let most = |every: usize| {
        let mut counts = [0_usize; 12];
        for hold in holds.iter().filter(|hold| hold.frames() == repeated) {
            counts[hold.first % every] += 1;
        }
        counts.into_iter().max().unwrap_or(0)
    };
    // The longest period that holds all but a fifth: a period's divisors hold the same frames, and more.
    let every = (repeated + 1..=12).rev().find(|&every| 5 * most(every) >= 4 * holds.len())?;
    Some(Padding { every, repeated })
}
