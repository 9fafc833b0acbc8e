//! The steps of a clip from frame to frame: which of them jump, and which stand still. The head of [`super`] has the equations.

use core::ops::Range;

use glam::DVec3;

use super::{Examined, Jump, JumpLook};
use crate::character::Role;

/// Steps to either side over which the usual step is taken.
const BESIDE: usize = 12;
/// Noise of positions, meters of an adult.
const NOISE: f64 = 0.0006;
/// Standard gravity, the measure of accelerations, m/s².
const GRAVITY: f64 = 9.81;
/// Jumps that are no farther apart than this are one, in steps.
const JOINED: usize = 5;
/// Least ratio of a jump to the usual step.
const LEAST_RATIO: f64 = 8.0;
/// Most frames for which limbs are elsewhere if they come back.
const LONGEST_BLIP: usize = 3;
/// Frames of a block: its sums stay in the cache.
const BLOCK: usize = 2048;

/// The steps of a clip; entry k is the step from frame k of the range to the next.
pub(super) struct Steps<'a> {
    clip: &'a Examined<'a>,
    /// Size of the character: 1 for an adult.
    unit: f64,
    /// Root mean square of the step of the joints, meters.
    moved: Vec<f64>,
    /// Root mean square of the unannounced part of the step, meters.
    unannounced: Vec<f64>,
    /// Unannounced part of the step of the mass center, meters.
    of_mass_center: Vec<f64>,
}

impl<'a> Steps<'a> {
    pub(super) fn new(clip: &'a Examined<'a>) -> Self {
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
        Self { clip, unit: clip.scale.adults(), moved, unannounced, of_mass_center }
    }

    fn len(&self) -> usize {
        self.moved.len()
    }

    /// Position of a joint in a frame of the range, meters.
    fn joint(&self, bone: usize, frame: usize) -> DVec3 {
        self.clip.world.position(bone, self.clip.range.0 + frame)
    }

    /// Runs of steps that stand still between two steps that do not.
    pub(super) fn holds(&self) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        let mut k = 1;
        while k + 1 < self.len() {
            let before = self.moved[k - 1];
            if before > 0.001 * self.unit && self.moved[k] < 0.05 * before {
                let still = self.moved[k..].iter().take_while(|step| **step < 0.05 * before).count();
                let longest = self.moved[k..k + still].iter().copied().fold(0.0, f64::max);
                let goes_on = |step: &f64| *step > 20.0 * longest && *step > 0.001 * self.unit;
                if self.moved.get(k + still).is_some_and(goes_on) && !self.lies_between_jumps(k..k + still) {
                    found.push(k..k + still);
                }
                k += still;
            }
            k += 1;
        }
        found
    }

    /// Whether the steps on both sides of a run are far longer than those beyond them: then these jump, and the run is the usual motion.
    fn lies_between_jumps(&self, still: Range<usize>) -> bool {
        let beyond =
            (still.start.saturating_sub(4)..still.start - 1).chain(still.end + 1..self.len().min(still.end + 4));
        let usual = beyond.map(|k| self.moved[k]).fold(0.0, f64::max);
        self.moved[still.start - 1].min(self.moved[still.end]) > 3.0 * usual
    }

    /// The jumps of the clip; a step beside a hold is one only if it is much longer than the steps around.
    pub(super) fn jumps(&self, holds: &[Range<usize>]) -> Vec<Jump> {
        let mut found = Vec::new();
        // Steps side by side, and whether one of them is a jump whatever follows.
        let mut group: Option<(Range<usize>, bool)> = None;
        let described = |(group, sure): (Range<usize>, bool)| {
            let jump = self.jump(group);
            let is_blip = jump.comes_back && jump.after - jump.before <= LONGEST_BLIP + 1;
            (sure || is_blip).then_some(jump)
        };
        let mut holds = holds.iter().peekable();
        for k in 0..self.len() {
            while holds.next_if(|held| held.end + 1 < k).is_some() {}
            let beside_hold = holds.peek().is_some_and(|held| k + 1 >= held.start);
            let is_of_hold = beside_hold && self.unannounced[k] < 2.0 * self.moved_beside(k);
            if is_of_hold {
                continue;
            }
            let is_sure = self.is_jump(k);
            if !is_sure && !self.is_jump_of_limbs(k) {
                continue;
            }
            group = Some(match group {
                Some((steps, sure)) if k - (steps.end - 1) <= JOINED => (steps.start..k + 1, sure || is_sure),
                ended => {
                    found.extend(ended.and_then(described));
                    (k..k + 1, is_sure)
                }
            });
        }
        found.extend(group.and_then(described));
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
        if self.is_kink(k) && !self.is_impossible(k) {
            return false;
        }
        let ratio = self.prominence(&self.unannounced, k);
        let lost_stands_out = ratio > 6.0 || (ratio > 3.0 && step > 0.02 * self.unit);
        (stands_out(ratio, gravities) && self.is_abrupt(k))
            || (may_be_lost && lost_stands_out && self.lost_frames(k).is_some())
            || self.is_impossible(k)
    }

    /// Whether step k jumps if only the joints that move in it are asked: a quick hand does as much, so it is a jump only if the pose comes back.
    fn is_jump_of_limbs(&self, k: usize) -> bool {
        let step = self.unannounced[k];
        if step < 6.0 * NOISE * self.unit || k == 0 || k + 1 >= self.len() || self.is_kink(k) {
            return false;
        }
        let ratio = self.prominence(&self.unannounced, k);
        if ratio <= LEAST_RATIO {
            return false;
        }
        let squares = (0..self.clip.character.skeleton.len()).map(|bone| {
            let (step, usual) = self.step_and_usual(bone, k);
            (step - usual).length_squared()
        });
        let (sum, of_squares) = squares.fold((0.0, 0.0), |(sum, of_squares), x| (sum + x, of_squares + x * x));
        let gravities = self.gravities((of_squares / sum).sqrt());
        stands_out(ratio, gravities) && self.is_abrupt(k)
    }

    /// Whether step k only begins another pace: a change of velocity, as of a hit, leaves two steps alike unannounced and none beside them; a
    /// jump leaves half of its own on either side.
    fn is_kink(&self, k: usize) -> bool {
        if k == 0 || k + 1 >= self.len() {
            return false;
        }
        let [before, here, after] = [k - 1, k, k + 1].map(|k| self.unannounced[k]);
        before.max(after) > 0.75 * here && before.min(after) < 0.25 * here
    }

    /// Whether the steps on either side of step k do not lead up to it: extrapolated by their differences they leave 0.7 of its unannounced part.
    /// The first and the last step have one side. A side whose outer step is twice its inner one, or hardly less unannounced than step k, holds
    /// another jump, and is not extrapolated.
    fn is_abrupt(&self, k: usize) -> bool {
        let beside = match k {
            0 => [(1, 2); 2],
            k if k == self.len() - 1 => [(k - 1, k - 2); 2],
            k if k < 2 || k + 2 >= self.len() => return true,
            k => [(k - 1, k - 2), (k + 1, k + 2)],
        };
        let is_jump_too = |outer: usize| self.unannounced[outer] > 0.75 * self.unannounced[k];
        let leads = beside
            .map(|(inner, outer)| (inner, outer, self.moved[outer] < 2.0 * self.moved[inner] && !is_jump_too(outer)));
        let missed = |bone: usize| {
            let announced = leads.map(|(inner, outer, extrapolates)| {
                let step = self.step(bone, inner);
                if extrapolates { 2.0 * step - self.step(bone, outer) } else { step }
            });
            (self.step(bone, k) - 0.5 * (announced[0] + announced[1])).length_squared()
        };
        let bones = self.clip.character.skeleton.len();
        (0..bones).map(missed).sum::<f64>() > (0.7 * self.unannounced[k]).powi(2) * bones as f64
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

    /// Step of a joint from frame k, meters.
    fn step(&self, bone: usize, k: usize) -> DVec3 {
        self.joint(bone, k + 1) - self.joint(bone, k)
    }

    /// Step of a joint from frame k, and the mean of the steps before and after it.
    fn step_and_usual(&self, bone: usize, k: usize) -> (DVec3, DVec3) {
        (self.step(bone, k), 0.5 * (self.step(bone, k - 1) + self.step(bone, k + 1)))
    }

    /// Number of frames that are missing in step k, if missing frames explain its length and direction in all joints, and the steps on either side
    /// do not lead up to it as in a quick but smooth motion.
    fn lost_frames(&self, k: usize) -> Option<f64> {
        if k < 2 || k + 2 >= self.len() {
            return None;
        }
        let (mut length, mut along, mut along_extrapolated, mut usual_length) = (0.0, 0.0, 0.0, 0.0);
        for bone in 0..self.clip.character.skeleton.len() {
            let (step, usual) = self.step_and_usual(bone, k);
            let beyond = 0.5 * (self.step(bone, k - 2) + self.step(bone, k + 2));
            length += step.length_squared();
            along += step.dot(usual);
            along_extrapolated += step.dot(2.0 * usual - beyond);
            usual_length += usual.length_squared();
        }
        let intervals = length / along;
        let rest = usual_length - 2.0 * along / intervals + length / (intervals * intervals);
        let explains = intervals > 1.6 && rest < 0.09 * length / (intervals * intervals);
        (explains && 1.5 * along_extrapolated < length).then_some(intervals - 1.0)
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
        let (first, last) = if comes_back { (first, last) } else { (peak, peak) };
        let look = match peak {
            0 => JumpLook::FirstFrames,
            _ if peak == last_step => JumpLook::LastFrames,
            _ => self.look(first, comes_back, distance),
        };
        let look = match look {
            JumpLook::LostFrames(_) => look,
            _ if comes_back => look,
            _ if self.is_pose(0..peak) => JumpLook::FirstFrames,
            _ if self.is_pose(peak + 1..self.len()) => JumpLook::LastFrames,
            _ => look,
        };
        let at_end = matches!(look, JumpLook::FirstFrames | JumpLook::LastFrames);
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

    /// Whether some steps stand still, while most of the others, which are at least as many, do not: one pose before or after the motion.
    fn is_pose(&self, steps: Range<usize>) -> bool {
        let stands = |k: usize| self.moved[k] < 1e-5 * self.unit;
        let others = (0..self.len()).filter(|k| !steps.contains(k));
        let moving = others.filter(|&k| !stands(k)).count();
        !steps.is_empty()
            && 2 * steps.len() <= self.len()
            && 2 * moving > self.len() - steps.len()
            && steps.clone().all(stands)
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
        if let Some(lost) = self.lost_frames(k).filter(|_| !comes_back) {
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

/// Whether a step that is `ratio` times the usual one and asks for an acceleration in g is a jump.
fn stands_out(ratio: f64, gravities: f64) -> bool {
    ratio > LEAST_RATIO && gravities > 2.0 && ratio * gravities > 60.0
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
