//! Where the end of one limb should be: the shift of every frame.
//!
//! In a contact the shift undoes, step by step, the slip of the point the limb stands on: of those that touch in both frames
//! the one that moves least against the ground, so that a foot may roll from heel to toes. What is free, a constant per
//! contact, makes the median shift zero: the end stands where it stood for most of the time. Upward the lowest point is put
//! on the floor.
//!
//! ```text
//! s_{k+1} = s_k − (p_{k+1} − p_k − v h)_horizontal,   median s = 0;      s_y = floor − lowest height
//! ```
//!
//! v is the velocity of the ground (a treadmill). Between contacts a shift fades as `1 − 10 x³ + 15 x⁴ − 6 x⁵`.

use core::ops::Range;

use glam::DVec3;

use super::super::planted::below;
use super::FeetSettings;
use crate::analysis::check::Standing;
use crate::analysis::contacts::{median, runs};
use crate::character::{Character, Role};
use crate::correction::Scope;
use crate::motion::ik::{Limb, limbs};

/// Contacts of one limb that are apart by no more than this, seconds, and by less than [`SAME_PLACE`] are one.
const FLICKER: f64 = 0.05;
/// By leg length.
const SAME_PLACE: f64 = 0.03;
/// What never stands and is deeper under the floor than this, by leg length, is there for another reason.
const DEEP: f64 = 0.1;
/// Time at either end of a contact in which the end may still move, seconds: it comes and goes, and does not stop dead.
const COMING: f64 = 0.03;
/// A shift fades no faster than this, m/s, however large it is.
const FADE_SPEED: f64 = 0.75;
/// Largest rate of the fade over its mean.
const FADE: f64 = 1.875;
/// Depths below this are rounding, metres.
const ROUNDING: f64 = 1e-9;

/// A limb and what is to be done to its end.
pub(super) struct Track {
    pub(super) limb: Limb,
    /// Contacts, first and last frame.
    pub(super) contacts: Vec<(usize, usize)>,
    /// Frames in which the end is held to a place.
    pub(super) held: Vec<bool>,
    /// Shift of the end, metres, one per frame of the clip.
    pub(super) shifts: Vec<DVec3>,
    /// Whether it is shifted at all.
    pub(super) moves: bool,
}

/// The points on the end of one limb, frame by frame.
struct Soles<'a> {
    found: &'a Standing,
    floor: f64,
    /// Seconds.
    frame_time: f64,
    /// Of what hangs on the end.
    points: Vec<usize>,
    /// Whether one of them touches, and nothing of the body that is no end of a limb.
    stands: Vec<bool>,
    /// Whether something else touches: the body lies, sits or kneels.
    lies: &'a [bool],
}

impl Track {
    /// What is to be done to `limb`; `None` where its end never stands and need not move, or there is no floor.
    pub(super) fn new(
        character: &Character,
        found: &Standing,
        (limb, lies): (&Limb, &[bool]),
        feet: &FeetSettings,
        shares: &[f64],
    ) -> Option<Self> {
        let soles = Soles::new(character, found, limb, lies)?;
        let frames = soles.stands.len();
        let contacts = soles.contacts();
        if soles.is_elsewhere(&contacts) {
            return None;
        }
        let (level, upright) = soles.wanted(&contacts, feet);
        let window = |shift: DVec3| {
            libm::round(feet.fade.max(FADE * shift.length() / FADE_SPEED) / soles.frame_time).max(2.0) as usize
        };
        let (level, upright) = (soles.eased(&filled(&level, &window), &contacts), filled(&upright, &window));
        let lifts = soles.lifts(feet);
        let shift = |frame: usize| {
            let moves = upright[frame].y != 0.0 && !soles.lies[frame];
            let least = if moves { lifts[frame].max(-soles.clearance(frame)) } else { lifts[frame] };
            let up = if least == 0.0 { upright[frame].y } else { upright[frame].y.max(least) };
            shares[frame] * (level[frame] + up * DVec3::Y)
        };
        let shifts: Vec<DVec3> = (0..frames).map(shift).collect();
        let mut held = vec![false; frames];
        contacts.iter().for_each(|&(first, end)| held[first..end].fill(true));
        let contacts: Vec<_> = contacts.into_iter().map(|(first, end)| (first, end - 1)).collect();
        let moves = shifts.iter().any(|shift| shift.length() > ROUNDING);
        (moves || !contacts.is_empty()).then(|| Self { limb: limb.clone(), contacts, held, shifts, moves })
    }
}

impl<'a> Soles<'a> {
    fn new(character: &Character, found: &'a Standing, limb: &Limb, lies: &'a [bool]) -> Option<Self> {
        let floor = found.ground.floor?;
        let carried = below(&character.skeleton, limb.end);
        let points: Vec<usize> = (0..found.points.len()).filter(|&p| carried[found.points.bones[p]]).collect();
        let touches = |frame: usize| points.iter().any(|&point| found.touching[point][frame]);
        let stands = (0..found.world.frames()).map(|frame| touches(frame) && !lies[frame]).collect();
        let frame_time = 1.0 / found.points.frames_per_second();
        (!points.is_empty()).then_some(Self { found, floor, frame_time, points, stands, lies })
    }

    /// Height of the lowest point above the floor, metres.
    fn clearance(&self, frame: usize) -> f64 {
        let heights = self.points.iter().map(|&point| self.found.points.spot(point, frame).y);
        heights.fold(f64::INFINITY, f64::min) - self.floor
    }

    /// How the point the limb stands on slips from a frame to the next, metres.
    fn slip(&self, frame: usize) -> DVec3 {
        let step = |point: usize| {
            let points = &self.found.points;
            let way = points.spot(point, frame + 1) - points.spot(point, frame);
            let slip = way - self.found.ground.treadmill * self.frame_time;
            DVec3::new(slip.x, 0.0, slip.z)
        };
        let touching = |point: usize, frame: usize| self.found.touching[point][frame];
        let least = |filter: &dyn Fn(usize) -> bool| {
            let steps = self.points.iter().copied().filter(|&point| filter(point)).map(step);
            steps.min_by(|a, b| a.length_squared().total_cmp(&b.length_squared()))
        };
        least(&|point| touching(point, frame) && touching(point, frame + 1))
            .or_else(|| least(&|point| touching(point, frame) || touching(point, frame + 1)))
            .or_else(|| least(&|_| true))
            .unwrap_or(DVec3::ZERO)
    }

    /// The shifts that put contacts right, level and upward, where they are not free.
    fn wanted(&self, contacts: &[(usize, usize)], feet: &FeetSettings) -> (Vec<Option<DVec3>>, Vec<Option<DVec3>>) {
        let range = self.found.range.0..self.found.range.1;
        let (mut level, mut upright) = (vec![None; self.stands.len()], vec![None; self.stands.len()]);
        let up = |frame: usize| -self.clearance(frame) * DVec3::Y;
        for &(first, end) in contacts {
            // Velocities are central differences: the frames beside a contact are held to its place, too.
            let around = first.saturating_sub(1).max(range.start)..(end + 1).min(range.end);
            let in_order = self.faults_of((first, end), feet) == 0.0;
            for (frame, shift) in around.clone().zip(self.unslipped(around)) {
                let shift = if in_order { DVec3::ZERO } else { shift };
                level[frame] = if (first..end).contains(&frame) { Some(shift) } else { level[frame].or(Some(shift)) };
            }
            for frame in first..end {
                upright[frame] = Some(if in_order { DVec3::ZERO } else { up(frame) });
            }
        }
        for frame in range.filter(|&frame| self.depth_fault(frame, feet) > 0.0) {
            upright[frame] = Some(up(frame));
        }
        (level, upright)
    }

    /// Contacts as `first..end`, those that flicker joined.
    fn contacts(&self) -> Vec<(usize, usize)> {
        let flicker = ((FLICKER / self.frame_time) as usize).max(1);
        let place = SAME_PLACE * self.found.scale.length;
        let stays = |from: usize, to: usize| (from..to).map(|frame| self.slip(frame)).sum::<DVec3>().length() < place;
        let mut contacts: Vec<(usize, usize)> = Vec::new();
        for (first, end) in runs(self.stands.iter().copied()) {
            match contacts.last_mut() {
                Some(last) if first - last.1 <= flicker && stays(last.1 - 1, first) => last.1 = end,
                _ => contacts.push((first, end)),
            }
        }
        contacts
    }

    /// Whether the end never stands and is deep under the floor: not what this is for.
    fn is_elsewhere(&self, contacts: &[(usize, usize)]) -> bool {
        let frames = self.found.range.0..self.found.range.1;
        let deepest = frames.map(|frame| -self.clearance(frame)).fold(0.0, f64::max);
        contacts.is_empty() && deepest > DEEP * self.found.scale.length
    }

    /// The horizontal shifts of the frames `around` a contact that undo its slip.
    fn unslipped(&self, around: Range<usize>) -> Vec<DVec3> {
        let mut shifts = vec![DVec3::ZERO];
        for (at, frame) in (around.start..around.end - 1).enumerate() {
            shifts.push(shifts[at] - self.slip(frame));
        }
        let middle = |component: usize| median(shifts.iter().map(|shift| shift[component]).collect()).unwrap_or(0.0);
        let middle = DVec3::new(middle(0), 0.0, middle(2));
        shifts.into_iter().map(|shift| shift - middle).collect()
    }

    /// How far the end must be lifted at least, metres: where it is under the floor and does not stand, by its depth, and
    /// smoothly (the largest near a frame, averaged by Hann's weights) before and after.
    fn lifts(&self, feet: &FeetSettings) -> Vec<f64> {
        let frames = self.stands.len();
        let half = self.coming() / 2;
        let near = |frame: usize| frame.saturating_sub(half)..(frame + half + 1).min(frames);
        let range = self.found.range.0..self.found.range.1;
        let sinks = |frame: usize| range.contains(&frame) && !self.stands[frame] && self.depth_fault(frame, feet) > 0.0;
        let deep: Vec<f64> = (0..frames).map(|frame| if sinks(frame) { -self.clearance(frame) } else { 0.0 }).collect();
        let deepest: Vec<f64> =
            (0..frames).map(|frame| deep[near(frame)].iter().copied().fold(0.0, f64::max)).collect();
        (0..frames)
            .map(|frame| mean(near(frame), |other| (hann(other.abs_diff(frame), half), deepest[other])))
            .collect()
    }

    /// Frames over which the end comes to rest and leaves.
    fn coming(&self) -> usize {
        libm::round(COMING / self.frame_time).max(1.0) as usize
    }

    /// The shifts with the corners at the ends of contacts rounded: a running mean (Hann) there, what they were elsewhere.
    fn eased(&self, shifts: &[DVec3], contacts: &[(usize, usize)]) -> Vec<DVec3> {
        let coming = self.coming();
        let near = |frame: usize| frame.saturating_sub(coming)..(frame + coming + 1).min(shifts.len());
        let weight = |apart: usize| hann(apart, coming);
        let smooth = |frame: usize| mean(near(frame), |other| (weight(other.abs_diff(frame)), shifts[other]));
        let mut eased = shifts.to_vec();
        let corners = contacts.iter().flat_map(|&(first, end)| [first.checked_sub(1), Some(end)]).flatten();
        for corner in corners.filter(|&corner| corner < shifts.len()) {
            for frame in near(corner) {
                eased[frame] = shifts[frame].lerp(smooth(frame), weight(frame.abs_diff(corner)));
            }
        }
        eased
    }

    /// How long (seconds) and by how many times what is allowed a contact slips or is off the floor; 0 if it is in order.
    fn faults_of(&self, (first, end): (usize, usize), feet: &FeetSettings) -> f64 {
        let coming = (self.coming() + 1).min((end - first) / 3);
        let core = first + coming..end - coming;
        let steps = core.start..core.end.saturating_sub(1).max(core.start);
        let slid: f64 = steps.clone().map(|frame| self.slip(frame).length()).sum();
        let slip = slid / (steps.len().max(1) as f64 * self.frame_time) / feet.slip;
        let slides = if slip > 1.0 { slip * steps.len() as f64 } else { 0.0 };
        let off: f64 = core.map(|frame| (self.clearance(frame).abs() / feet.height - 1.0).max(0.0)).sum();
        (slides + off) * self.frame_time
    }

    /// The same for a frame in which the end is under the floor.
    fn depth_fault(&self, frame: usize, feet: &FeetSettings) -> f64 {
        if self.lies[frame] { 0.0 } else { (-self.clearance(frame) / feet.height - 1.0).max(0.0) * self.frame_time }
    }
}

/// How much is wrong with the ends of `limbs` in the frames of `scope`: seconds, times how many times too much; 0 where
/// nothing is to be done.
pub(super) fn faults(
    character: &Character,
    found: &Standing,
    (limbs, lies): (&[Limb], &[bool]),
    feet: &FeetSettings,
    scope: &Scope,
) -> f64 {
    let of_limb = |limb: &Limb| {
        let Some(soles) = Soles::new(character, found, limb, lies) else { return 0.0 };
        let clipped = |(first, end): (usize, usize)| {
            let (first, end) = (first.max(scope.frames.start), end.min(scope.frames.end));
            (first < end).then_some((first, end))
        };
        let contacts = soles.contacts();
        if soles.is_elsewhere(&contacts) {
            return 0.0;
        }
        let deep: f64 = scope.frames.clone().map(|frame| soles.depth_fault(frame, feet)).sum();
        contacts.into_iter().filter_map(clipped).map(|contact| soles.faults_of(contact, feet)).sum::<f64>() + deep
    };
    limbs.iter().map(of_limb).sum()
}

/// The values given, with fades between them: out and in over a window of frames that depends on the value, from one to the
/// next where both do not fit between them.
fn filled(given: &[Option<DVec3>], window: &dyn Fn(DVec3) -> usize) -> Vec<DVec3> {
    let mut values: Vec<DVec3> = given.iter().map(|value| value.unwrap_or(DVec3::ZERO)).collect();
    for (first, end) in runs(given.iter().map(Option::is_none)) {
        let before = first.checked_sub(1).and_then(|frame| given[frame]);
        let after = given.get(end).copied().flatten();
        let (out, back) = (before.map_or(0, window), after.map_or(0, window));
        let gap = end - first;
        let close = before.is_some() && after.is_some() && gap < out + back;
        for frame in first..end {
            let (past, left) = (frame + 1 - first, end - frame);
            let (out, back) = if close { (gap, gap) } else { (out, back) };
            let share = |value: Option<DVec3>, step: usize, length: usize| {
                value.map_or(DVec3::ZERO, |value| value * rest(step as f64 / (length + 1) as f64))
            };
            values[frame] = share(before, past, out) + share(after, left, back);
        }
    }
    values
}

/// How much of a shift every frame of the clip gets: the strength inside the scope, fading to 0 towards its borders where the
/// motion goes on beyond them.
pub(super) fn shares(found: &Standing, feet: &FeetSettings, scope: &Scope) -> Vec<f64> {
    let frames = found.world.frames();
    let window = libm::round(feet.fade * found.points.frames_per_second()).max(2.0);
    let ease = |steps: usize| 1.0 - rest(steps as f64 / (window + 1.0));
    let share = |frame: usize| {
        if !scope.frames.contains(&frame) {
            return 0.0;
        }
        let goes_on = [scope.frames.start > usize::from(found.foreign), scope.frames.end < frames];
        let start = if goes_on[0] { ease(frame + 1 - scope.frames.start) } else { 1.0 };
        let end = if goes_on[1] { ease(scope.frames.end - frame) } else { 1.0 };
        scope.strength * start * end
    };
    (0..frames).map(share).collect()
}

/// Hann's weight of a frame `apart` from the middle of a window that reaches `half` frames to either side.
pub(super) fn hann(apart: usize, half: usize) -> f64 {
    0.5 + 0.5 * libm::cos(core::f64::consts::PI * apart as f64 / (half + 1) as f64)
}

/// The mean over `frames` of values with their weights.
pub(super) fn mean<T>(frames: Range<usize>, weighed: impl Fn(usize) -> (f64, T)) -> T
where
    T: Default + core::ops::Add<Output = T> + core::ops::Mul<f64, Output = T>,
{
    let mut total = 0.0;
    let mut sum = T::default();
    for frame in frames {
        let (weight, value) = weighed(frame);
        total += weight;
        sum = sum + value * weight;
    }
    sum * (1.0 / total)
}

/// What is left of a fade after the part `x` of it.
pub(super) fn rest(x: f64) -> f64 {
    let x = x.min(1.0);
    1.0 - x * x * x * (10.0 - x * (15.0 - 6.0 * x))
}

/// Something that touches for a shorter time, seconds, brushes the floor: a cape, a tail.
const BRUSH: f64 = 0.15;

/// Frames in which something touches, or is under the floor, that is no end of a limb: the body lies, sits or kneels.
pub(super) fn lying(character: &Character, found: &Standing, depth: f64) -> Vec<bool> {
    let by_role = character.roles.iter().enumerate();
    let ends = by_role.filter(|(_, role)| matches!(role, Some(Role::Foot(_) | Role::Hand(_)))).map(|(bone, _)| bone);
    let mut carried = vec![false; character.skeleton.len()];
    for end in limbs(character).into_iter().map(|limb| limb.end).chain(ends) {
        below(&character.skeleton, end).into_iter().zip(&mut carried).for_each(|(below, any)| *any |= below);
    }
    let rest: Vec<usize> = (0..found.points.len()).filter(|&point| !carried[found.points.bones[point]]).collect();
    let floor = found.ground.floor.unwrap_or(f64::NEG_INFINITY);
    let down =
        |point: usize, frame: usize| found.touching[point][frame] || found.points.spot(point, frame).y < floor - depth;
    let mut lies: Vec<bool> =
        (0..found.world.frames()).map(|frame| rest.iter().any(|&point| down(point, frame))).collect();
    let least = libm::ceil(BRUSH * found.points.frames_per_second()) as usize;
    for (first, end) in runs(lies.clone().into_iter()) {
        if end - first < least.min(found.world.frames()) {
            lies[first..end].fill(false);
        }
    }
    lies
}
