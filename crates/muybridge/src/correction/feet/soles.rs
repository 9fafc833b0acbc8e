//! What the end of one limb does on the floor: where it touches, how it slips, how high it is, and what is wrong with that.

use core::ops::Range;

use glam::DVec3;

use super::super::planted_limbs::below;
use super::FeetSettings;
use crate::analysis::check::ClipContacts;
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
/// The points on the end of one limb, frame by frame.
pub(super) struct Soles<'a> {
    pub(super) found: &'a ClipContacts,
    floor: f64,
    /// Seconds.
    pub(super) frame_time: f64,
    /// Of what hangs on the end.
    points: Vec<usize>,
    /// Whether one of them touches, and nothing of the body that is no end of a limb.
    pub(super) stands: Vec<bool>,
    /// Whether something else touches: the body lies, sits or kneels.
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

    /// Height of the lowest point above the floor, metres.
    pub(super) fn clearance(&self, frame: usize) -> f64 {
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
    pub(super) fn wanted(
        &self,
        contacts: &[(usize, usize)],
        feet: &FeetSettings,
    ) -> (Vec<Option<DVec3>>, Vec<Option<DVec3>>) {
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

    /// Whether the end never stands and is deep under the floor: not what this is for.
    pub(super) fn is_elsewhere(&self, contacts: &[(usize, usize)]) -> bool {
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
    pub(super) fn lifts(&self, feet: &FeetSettings) -> Vec<f64> {
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

/// Something that touches for a shorter time, seconds, brushes the floor: a cape, a tail.
const BRUSH: f64 = 0.15;

/// Frames in which something touches, or is under the floor, that is no end of a limb: the body lies, sits or kneels.
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
