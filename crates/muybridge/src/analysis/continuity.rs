//! Continuity of a clip: jumps in time, held frames, and a root that never moves.
//!
//! ```text
//! D_k = x_{k+1} − x_k                                     step k of a joint, from frame k to the next
//! R_k = rms over the joints of D_k − (D_{k−1} + D_{k+1})/2    its part that the neighbors do not announce
//! z = R_k / (median of R over k ± 12 + 0.6 mm),  a = 2/3 R_k / (g h²)
//! jump:        z > 8, a > 2 and z a > 60
//! lost frames: V = (D_{k−1} + D_{k+1})/2,  1 + n = D·D / V·D > 1.6,  |V − D/(1+n)| < 0.3 |D|/(1+n),  z > 6, R > 3 mm
//! no body:     the same R of the mass center: z > 8, a > 10, R > 8 cm
//! held frames: steps below 1/20 of the step before them, until one 20 times as long as the longest of them
//! ```
//! `h` is the time of a frame; lengths are those of a leg of 0.9 m and grow with the leg. The median adapts to fast and to noisy clips, `a` to
//! the frame rate. The limits are this project's: 782 public clips of motion capture have two steps of lost frames and none that is held, where
//! no file is known to be broken. Slower than 60 ms a frame nothing is judged.

use core::ops::Range;

use glam::DVec3;

use super::contacts::ContactScale;
use crate::character::{Character, Role, Side};
use crate::motion::WorldMotion;

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
    pub holds: Vec<Hold>,
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
    /// The first frame does not belong to the motion.
    FirstFrame,
    /// The last frame does not belong to the motion.
    LastFrame,
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
pub(crate) struct Hold {
    /// First repeated frame.
    pub first: usize,
    /// Last repeated frame.
    pub last: usize,
}

impl Hold {
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
/// Steps to either side over which the usual step is taken.
const BESIDE: usize = 12;
/// Noise of positions, meters for a leg of [`LEG`].
const NOISE: f64 = 0.0006;
/// Length of the leg to which lengths refer, meters.
pub(crate) const LEG: f64 = 0.9;
/// Standard gravity, the measure of accelerations, m/s².
const GRAVITY: f64 = 9.81;
/// Jumps that are no farther apart than this are one, in steps.
const JOINED: usize = 5;
/// Frames of a block: its sums stay in the cache.
const BLOCK: usize = 2048;

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
        let in_clip = |held: &Range<usize>| Hold { first: first + held.start + 1, last: first + held.end };
        let holds: Vec<Hold> = holds.iter().map(in_clip).collect();
        Self { jumps, padding: padding(&holds), holds, root_never_moves }
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
    /// closer to the floor than 3 cm. `airborne` and `clearance` (meters) have one entry per frame of the clip.
    pub(crate) fn hovers(&self, frame_time: f64, airborne: &[bool], clearance: &[f64], leg: f64) -> Vec<Hold> {
        let hangs = |hold: &&Hold| {
            let frames = hold.first - 1..hold.last + 1;
            let in_air = airborne[frames.clone()].iter().filter(|flag| **flag).count();
            hold.frames() as f64 * frame_time >= 0.1 - 1e-9
                && 5 * in_air > 3 * frames.len()
                && clearance[frames].iter().all(|height| *height > 0.03 * leg / LEG)
        };
        self.holds.iter().filter(hangs).copied().collect()
    }
}

/// True if the hips stay within 2 mm over the whole clip while a foot rises by 4 cm.
fn root_never_moves(clip: &Examined<'_>) -> bool {
    let unit = clip.scale.length / LEG;
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

/// The steps of a clip; entry k is the step from frame k of the range to the next.
struct Steps<'a> {
    clip: &'a Examined<'a>,
    /// Size of the character: 1 for a leg of [`LEG`].
    unit: f64,
    /// Root mean square of the step of the joints, meters.
    moved: Vec<f64>,
    /// Root mean square of the unannounced part of the step, meters.
    unannounced: Vec<f64>,
    /// Unannounced part of the step of the mass center, meters.
    of_mass_center: Vec<f64>,
}

impl<'a> Steps<'a> {
    fn new(clip: &'a Examined<'a>) -> Self {
        let (first, end) = clip.range;
        let bones = clip.character.skeleton.len();
        let steps = end - first - 1;
        let (mut moved, mut unannounced) = (vec![0.0; steps], vec![0.0; steps]);
        for start in (0..steps).step_by(BLOCK) {
            let block = start..steps.min(start + BLOCK);
            for (bone, component) in (0..bones).flat_map(|bone| (0..3).map(move |component| (bone, component))) {
                let track = &clip.world.position_track(bone, component)[first..end];
                add_squares(track, block.clone(), &mut moved, &mut unannounced);
            }
        }
        let root_mean = |sums: &mut [f64]| sums.iter_mut().for_each(|sum| *sum = (*sum / bones as f64).sqrt());
        root_mean(&mut moved);
        root_mean(&mut unannounced);
        let x = &clip.mass_centers[first..end];
        let of_mass_center = (0..steps).map(|k| third_difference(k, steps, |frame| x[frame]).length()).collect();
        Self { clip, unit: clip.scale.length / LEG, moved, unannounced, of_mass_center }
    }

    fn len(&self) -> usize {
        self.moved.len()
    }

    /// Position of a joint in a frame of the range, meters.
    fn joint(&self, bone: usize, frame: usize) -> DVec3 {
        self.clip.world.position(bone, self.clip.range.0 + frame)
    }

    /// Runs of steps that stand still between two steps that do not.
    fn holds(&self) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        let mut k = 1;
        while k + 1 < self.len() {
            let before = self.moved[k - 1];
            if before > 0.001 * self.unit && self.moved[k] < 0.05 * before {
                let still = self.moved[k..].iter().take_while(|step| **step < 0.05 * before).count();
                let longest = self.moved[k..k + still].iter().copied().fold(0.0, f64::max);
                let goes_on = |step: &f64| *step > 20.0 * longest && *step > 0.001 * self.unit;
                if self.moved.get(k + still).is_some_and(goes_on) {
                    found.push(k..k + still);
                }
                k += still;
            }
            k += 1;
        }
        found
    }

    /// The jumps of the clip; a step beside a hold is one only if it is much longer than the steps around.
    fn jumps(&self, holds: &[Range<usize>]) -> Vec<Jump> {
        let mut found = Vec::new();
        let mut group: Option<Range<usize>> = None;
        let mut holds = holds.iter().peekable();
        for k in 0..self.len() {
            while holds.next_if(|held| held.end < k).is_some() {}
            let beside_hold = holds.peek().is_some_and(|held| k + 1 >= held.start);
            if beside_hold && self.unannounced[k] < 2.0 * self.moved_beside(k) || !self.is_jump(k) {
                continue;
            }
            group = Some(match group {
                Some(group) if k - (group.end - 1) <= JOINED => group.start..k + 1,
                ended => {
                    found.extend(ended.map(|group| self.jump(group)));
                    k..k + 1
                }
            });
        }
        found.extend(group.map(|group| self.jump(group)));
        found
    }

    /// The longest of the steps k - 2 to k + 2 but k itself, meters.
    fn moved_beside(&self, k: usize) -> f64 {
        let near = k.saturating_sub(2)..self.len().min(k + 3);
        near.filter(|&near| near != k).map(|near| self.moved[near]).fold(0.0, f64::max)
    }

    /// Acceleration that the unannounced part of a step needs, in g.
    fn gravities(&self, unannounced: f64) -> f64 {
        unannounced / (1.5 * GRAVITY * self.clip.frame_time * self.clip.frame_time)
    }

    fn is_jump(&self, k: usize) -> bool {
        let step = self.unannounced[k];
        let gravities = self.gravities(step);
        let least = 6.0 * NOISE * self.unit;
        let may_be_lost = step > 0.003 * self.unit && step > 0.3 * self.moved[k] && k > 0 && k + 1 < self.len();
        if step < least || !(gravities > 2.0 || may_be_lost) {
            return false;
        }
        let ratio = self.prominence(&self.unannounced, k);
        (gravities > 2.0 && ratio > 8.0 && ratio * gravities > 60.0)
            || (may_be_lost && ratio > 6.0 && self.lost_frames(k).is_some_and(|lost| lost > 0.6))
            || self.is_impossible(k)
    }

    /// Whether the mass center jumps in a step as no force could make it.
    fn is_impossible(&self, k: usize) -> bool {
        let step = self.of_mass_center[k];
        step > 0.08 * self.unit && self.gravities(step) > 10.0 && self.prominence(&self.of_mass_center, k) > 8.0
    }

    /// A value by the median of those around it.
    fn prominence(&self, values: &[f64], k: usize) -> f64 {
        let near = k.saturating_sub(BESIDE)..values.len().min(k + BESIDE + 1);
        let mut window = [0.0; 2 * BESIDE + 1];
        let window = &mut window[..near.len()];
        window.copy_from_slice(&values[near]);
        let middle = window.len() / 2;
        let (_, &mut usual, _) = window.select_nth_unstable_by(middle, f64::total_cmp);
        values[k] / (usual + NOISE * self.unit)
    }

    /// Step of a joint from frame k, and the mean of the steps before and after it.
    fn step_and_usual(&self, bone: usize, k: usize) -> (DVec3, DVec3) {
        let [x0, x1, x2, x3] = [k - 1, k, k + 1, k + 2].map(|frame| self.joint(bone, frame));
        (x2 - x1, 0.5 * (x1 - x0 + (x3 - x2)))
    }

    /// Number of frames that are missing in step k, if missing frames explain its length and direction in all joints.
    fn lost_frames(&self, k: usize) -> Option<f64> {
        if k == 0 || k + 1 >= self.len() {
            return None;
        }
        let (mut length, mut along, mut usual_length) = (0.0, 0.0, 0.0);
        for bone in 0..self.clip.character.skeleton.len() {
            let (step, usual) = self.step_and_usual(bone, k);
            length += step.length_squared();
            along += step.dot(usual);
            usual_length += usual.length_squared();
        }
        let intervals = length / along;
        let rest = usual_length - 2.0 * along / intervals + length / (intervals * intervals);
        let explains = along > 0.0 && rest < 0.09 * length / (intervals * intervals);
        explains.then_some(intervals - 1.0)
    }

    /// Describes the jump in a group of steps.
    fn jump(&self, group: Range<usize>) -> Jump {
        let last_step = self.len() - 1;
        // The first step has a neighbor on one side only, so that a jump of the second step looks as long there.
        let weight = |k: usize| self.unannounced[k] * if k == 0 || k == last_step { 0.75 } else { 1.0 };
        let peak = group.clone().max_by(|&a, &b| weight(a).total_cmp(&weight(b))).unwrap_or(group.start);
        let sharp = |k: &usize| weight(*k) >= 0.6 * weight(peak);
        let first = group.clone().find(sharp).unwrap_or(peak);
        let last = group.clone().rev().find(sharp).unwrap_or(peak);
        let distance = self.unannounced[peak];
        let comes_back = self.comes_back(first, last + 1, distance);
        let look = match peak {
            0 => JumpLook::FirstFrame,
            _ if peak == last_step => JumpLook::LastFrame,
            _ => self.look(if comes_back { first } else { peak }, comes_back, distance),
        };
        let at_end = matches!(look, JumpLook::FirstFrame | JumpLook::LastFrame);
        let mut near = group.start.saturating_sub(1)..self.len().min(group.end + 1);
        let begin = self.clip.range.0;
        Jump {
            before: begin + first,
            after: begin + last + 1,
            distance,
            comes_back,
            impossible: !at_end && near.any(|k| self.is_impossible(k)),
            look,
        }
    }

    /// Whether frame `after` of the range goes on where `before` would have led: frames between them, but no step, are strange.
    fn comes_back(&self, before: usize, after: usize, distance: f64) -> bool {
        if after - before < 2 || before == 0 || after > self.len() - 1 {
            return false;
        }
        let bones = self.clip.character.skeleton.len();
        let missed = |bone: usize| {
            let [x0, x1, x2, x3] = [before - 1, before, after, after + 1].map(|frame| self.joint(bone, frame));
            let usual = 0.5 * (x1 - x0 + (x3 - x2));
            (x2 - x1 - usual * (after - before) as f64).length_squared()
        };
        (0..bones).map(missed).sum::<f64>() < (0.35 * distance).powi(2) * bones as f64
    }

    /// What a step looks like that has a step on either side.
    fn look(&self, k: usize, comes_back: bool, distance: f64) -> JumpLook {
        if let Some(lost) = self.lost_frames(k).filter(|lost| *lost > 0.6 && !comes_back) {
            return JumpLook::LostFrames(lost);
        }
        let bones = self.clip.character.skeleton.len();
        let leap = |bone| {
            let (step, usual) = self.step_and_usual(bone, k);
            step - usual
        };
        let mean = (0..bones).map(leap).sum::<DVec3>() / bones as f64;
        let root = self.clip.character.bone_of(Role::Hips).unwrap_or(0);
        let rotation = |frame: usize| self.clip.world.rotation(root, self.clip.range.0 + frame);
        let angle = 2.0 * libm::acos(rotation(k).dot(rotation(k + 1)).abs().min(1.0));
        if mean.length() > 0.85 * distance {
            JumpLook::Moves(mean.length())
        } else if angle > core::f64::consts::FRAC_PI_4 {
            JumpLook::Turns(angle)
        } else {
            JumpLook::Pose
        }
    }
}

/// Adds the squares of the steps of a track, and of half their third differences, over a block of steps.
fn add_squares(track: &[f64], block: Range<usize>, moved: &mut [f64], unannounced: &mut [f64]) {
    let steps = moved.len();
    let (here, next) = (&track[block.clone()], &track[block.start + 1..block.end + 1]);
    for ((sum, here), next) in moved[block.clone()].iter_mut().zip(here).zip(next) {
        *sum += (next - here) * (next - here);
    }
    let inner = block.start.max(1)..block.end.min(steps - 1);
    let at = |shift: usize| &track[inner.start + shift - 1..inner.end + shift - 1];
    let (a, b, c, d) = (at(0), at(1), at(2), at(3));
    let sums = &mut unannounced[inner.clone()];
    for (i, sum) in sums.iter_mut().enumerate() {
        let half = 0.5 * (d[i] - a[i]) - 1.5 * (c[i] - b[i]);
        *sum += half * half;
    }
    for k in [0, steps - 1] {
        if block.contains(&k) {
            let half = third_difference(k, steps, |frame| track[frame]);
            unannounced[k] += half * half;
        }
    }
}

/// Half the third difference around step k, with its sign turned: the step without the mean of its neighbors, or of the one that exists.
fn third_difference<T>(k: usize, steps: usize, x: impl Fn(usize) -> T) -> T
where
    T: core::ops::Sub<Output = T> + core::ops::Add<Output = T> + core::ops::Mul<f64, Output = T>,
{
    let step = |k: usize| x(k + 1) - x(k);
    match k {
        0 => step(0) - step(1),
        k if k + 1 == steps => step(k) - step(k - 1),
        k => step(k) - (step(k - 1) + step(k + 1)) * 0.5,
    }
}

/// The rhythm of the holds: at least four, four fifths of them equally long and at the same place of a period of up to twelve frames.
fn padding(holds: &[Hold]) -> Option<Padding> {
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
