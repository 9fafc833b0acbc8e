//! Contacts of the end of one limb with the floor: when it touches, how it slips, its height, and its faults.

use core::ops::Range;

use glam::DVec3;

use super::super::planted_limbs::below;
use super::FeetSettings;
use crate::analysis::clip_contacts::ClipContacts;
use crate::analysis::contacts::{median, runs};
use crate::character::{Character, Role};
use crate::correction::Scope;
use crate::motion::ik::{Limb, limbs};

/// Contacts of one limb are joined if the gap is no longer than this, seconds, and the end moves by less than [`SAME_PLACE`].
const FLICKER: f64 = 0.05;
/// Largest displacement between joined contacts, in leg lengths.
const SAME_PLACE: f64 = 0.03;
/// A limb that never stands and is deeper under the floor than this, in leg lengths, is left alone.
const DEEP: f64 = 0.1;
/// Time at either end of a contact in which the end may still move, seconds, since it does not stop abruptly.
const COMING: f64 = 0.03;
/// Vertical speed from which an end leaves the floor or comes to it, m/s.
pub(super) const LEAVES: f64 = 0.2;
/// An end that goes farther than this to either side within a contact is a step, meters.
const STEP: f64 = 0.06;
/// Contact points on the end of one limb, with their contacts frame by frame.
pub(super) struct Soles<'a> {
    pub(super) found: &'a ClipContacts,
    /// Height of the floor, meters.
    pub(super) floor: f64,
    /// Time between frames, seconds.
    pub(super) frame_time: f64,
    /// Indices of the contact points on the end bone and its descendants.
    pub(super) points: Vec<usize>,
    /// Whether one of the points touches while the body does not lie, per frame.
    pub(super) stands: Vec<bool>,
    /// Whether a part of the body other than a limb end touches (the body lies, sits or kneels), per frame.
    pub(super) lies: &'a [bool],
}

impl<'a> Soles<'a> {
    pub(super) fn new(character: &Character, found: &'a ClipContacts, limb: &Limb, lies: &'a [bool]) -> Option<Self> {
        let floor = found.ground.floor?;
        let carried = below(&character.skeleton, limb.end);
        let points: Vec<usize> = (0..found.points.len()).filter(|&p| carried[found.points.bones[p]]).collect();
        let touches = |frame: usize| points.iter().any(|&point| found.touching[point][frame]);
        let stands = (0..found.world.frames()).map(|frame| touches(frame) && !lies[frame]).collect();
        let frame_time = 1.0 / found.points.frames_per_second();
        (!points.is_empty()).then_some(Self { found, floor, frame_time, points, stands, lies })
    }

    /// Height of the lowest point above the floor, meters.
    pub(super) fn clearance(&self, frame: usize) -> f64 {
        let heights = self.points.iter().map(|&point| self.found.points.spot(point, frame).y);
        heights.fold(f64::INFINITY, f64::min) - self.floor
    }

    /// Whether the lowest point rises and falls no faster than `speed` (m/s) around a frame.
    pub(super) fn keeps_height(&self, frame: usize, speed: f64) -> bool {
        let (first, last) = (frame.saturating_sub(1).max(self.found.range.0), (frame + 1).min(self.found.range.1 - 1));
        let way = self.clearance(last) - self.clearance(first);
        way.abs() <= speed * (last - first) as f64 * self.frame_time
    }

    /// Foot skating of the standing point from one frame to the next, meters.
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

    /// Target shifts that correct the contacts: horizontal and vertical, `None` in free frames.
    pub(super) fn wanted(
        &self,
        contacts: &[(usize, usize)],
        feet: &FeetSettings,
    ) -> (Vec<Option<DVec3>>, Vec<Option<DVec3>>) {
        let range = self.found.range.0..self.found.range.1;
        let (mut level, mut upright) = (vec![None; self.stands.len()], vec![None; self.stands.len()]);
        let up = |frame: usize| -self.clearance(frame) * DVec3::Y;
        for &(first, end) in contacts {
            // Velocities are central differences, so the frames beside a contact are also held at its place.
            let around = first.saturating_sub(1).max(range.start)..(end + 1).min(range.end);
            let (slides, is_off) = (self.slides((first, end), feet) > 0.0, self.is_off((first, end), feet) > 0.0);
            for (frame, shift) in around.clone().zip(self.unslipped(around)) {
                let shift = if slides { shift } else { DVec3::ZERO };
                level[frame] = if (first..end).contains(&frame) { Some(shift) } else { level[frame].or(Some(shift)) };
            }
            for frame in first..end {
                upright[frame] = Some(if is_off { up(frame) } else { DVec3::ZERO });
            }
        }
        for frame in range.filter(|&frame| self.depth_fault(frame, feet) > 0.0) {
            upright[frame] = Some(up(frame));
        }
        (level, upright)
    }

    /// Contacts as `first..end`; flickering contacts are joined.
    pub(super) fn contacts(&self) -> Vec<(usize, usize)> {
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

    /// True if the end never stands and is deep under the floor, which this tool does not correct.
    pub(super) fn is_elsewhere(&self, contacts: &[(usize, usize)]) -> bool {
        let frames = self.found.range.0..self.found.range.1;
        let deepest = frames.map(|frame| -self.clearance(frame)).fold(0.0, f64::max);
        contacts.is_empty() && deepest > DEEP * self.found.scale.length
    }

    /// Horizontal shifts of the frames `around` a contact that undo its slip.
    fn unslipped(&self, around: Range<usize>) -> Vec<DVec3> {
        let mut shifts = vec![DVec3::ZERO];
        for (at, frame) in (around.start..around.end - 1).enumerate() {
            shifts.push(shifts[at] - self.slip(frame));
        }
        let middle = |component: usize| median(shifts.iter().map(|shift| shift[component]).collect()).unwrap_or(0.0);
        let middle = DVec3::new(middle(0), 0.0, middle(2));
        shifts.into_iter().map(|shift| shift - middle).collect()
    }

    /// Least lift of the end per frame, meters: in frames in which the end is under the floor and does not stand, its depth. The lift is smoothed
    /// over time (largest depth near a frame, averaged with Hann weights).
    pub(super) fn lifts(&self, feet: &FeetSettings) -> Vec<f64> {
        let frames = self.stands.len();
        let half = (self.coming() / 2).max(self.frames_of(feet.ease));
        let range = self.found.range.0..self.found.range.1;
        let sinks = |frame: usize| range.contains(&frame) && !self.stands[frame] && self.depth_fault(frame, feet) > 0.0;
        let deep: Vec<f64> = (0..frames).map(|frame| if sinks(frame) { -self.clearance(frame) } else { 0.0 }).collect();
        hann_mean(&largest_near(&deep, half), half)
    }

    /// Number of frames over which the end comes to rest and leaves.
    fn coming(&self) -> usize {
        self.frames_of(COMING).max(1)
    }

    /// Nearest number of frames to a time, seconds.
    fn frames_of(&self, time: f64) -> usize {
        libm::round(time / self.frame_time) as usize
    }

    /// Running mean of shifts over `ease` seconds to either side (Hann weights).
    pub(super) fn averaged(&self, shifts: Vec<DVec3>, ease: f64) -> Vec<DVec3> {
        hann_mean(&shifts, self.frames_of(ease))
    }

    /// Smooths the shifts at the ends of contacts by a running mean (Hann weights); other frames are unchanged.
    pub(super) fn eased(&self, shifts: &[DVec3], contacts: &[(usize, usize)]) -> Vec<DVec3> {
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

    /// Frames of a contact without those in which the end comes to rest and leaves.
    pub(super) fn core(&self, (first, end): (usize, usize)) -> Range<usize> {
        let coming = (self.coming() + 1).min((end - first) / 3);
        first + coming..end - coming
    }

    /// True if the end really goes somewhere in a contact: that is a step, which must not be pinned.
    fn is_step(&self, (first, end): (usize, usize)) -> bool {
        self.unslipped(first..end).iter().any(|shift| shift.length() > STEP)
    }

    /// Fault of a contact: the time (seconds) for which it slips or is off the floor, weighted by the ratio to the allowed value; 0 if it is in
    /// order.
    fn faults_of(&self, contact: (usize, usize), feet: &FeetSettings) -> f64 {
        self.slides(contact, feet) + self.is_off(contact, feet)
    }

    /// Fault of a contact that slips; 0 for a step.
    fn slides(&self, contact: (usize, usize), feet: &FeetSettings) -> f64 {
        let core = self.core(contact);
        let steps = core.start..core.end.saturating_sub(1).max(core.start);
        let slid: f64 = steps.clone().map(|frame| self.slip(frame).length()).sum();
        let slip = slid / (steps.len().max(1) as f64 * self.frame_time) / feet.slip;
        let slides = slip > 1.0 && !self.is_step(contact);
        if slides { slip * steps.len() as f64 * self.frame_time } else { 0.0 }
    }

    /// Fault of a contact that is off the floor.
    fn is_off(&self, contact: (usize, usize), feet: &FeetSettings) -> f64 {
        let off = self.core(contact).map(|frame| (self.clearance(frame).abs() / feet.height - 1.0).max(0.0));
        off.sum::<f64>() * self.frame_time
    }

    /// Fault of a frame in which the end is under the floor: seconds, weighted by the depth beyond the allowed height.
    pub(super) fn depth_fault(&self, frame: usize, feet: &FeetSettings) -> f64 {
        if self.lies[frame] { 0.0 } else { (-self.clearance(frame) / feet.height - 1.0).max(0.0) * self.frame_time }
    }
}

/// Total fault of the ends of `limbs` in the frames of `scope`: seconds, weighted by the ratio to the allowed value; 0 if nothing must be
/// corrected.
pub(super) fn faults(
    character: &Character,
    found: &ClipContacts,
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

/// The largest of the values (from 0 on) within `half` frames of each frame.
pub(super) fn largest_near(values: &[f64], half: usize) -> Vec<f64> {
    let near = |frame: usize| frame.saturating_sub(half)..(frame + half + 1).min(values.len());
    (0..values.len()).map(|frame| values[near(frame)].iter().copied().fold(0.0, f64::max)).collect()
}

/// Running mean of the values within `half` frames of each frame, with Hann weights.
pub(super) fn hann_mean<T>(values: &[T], half: usize) -> Vec<T>
where
    T: Copy + Default + core::ops::Add<Output = T> + core::ops::Mul<f64, Output = T>,
{
    let near = |frame: usize| frame.saturating_sub(half)..(frame + half + 1).min(values.len());
    let smooth = |frame: usize| mean(near(frame), |other| (hann(other.abs_diff(frame), half), values[other]));
    (0..values.len()).map(smooth).collect()
}

/// Hann weight of a frame `apart` from the middle of a window that reaches `half` frames to either side.
pub(super) fn hann(apart: usize, half: usize) -> f64 {
    0.5 + 0.5 * libm::cos(core::f64::consts::PI * apart as f64 / (half + 1) as f64)
}

/// Weighted mean of values over `frames`.
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

/// Shortest contact that counts as lying, seconds: shorter ones brush the floor (a cape, a tail).
const BRUSH: f64 = 0.15;

/// Flags the frames in which a part other than a limb end touches or is under the floor: the body lies, sits or kneels.
pub(super) fn lying(character: &Character, found: &ClipContacts, depth: f64) -> Vec<bool> {
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
