//! A stretch that stands too high or too low as a whole: the body moves up or down, and no joint bends.
//!
//! In a frame the body is as far off the floor as the best of its standing ends: if one foot is right, the body is. Between contacts the height is
//! interpolated; in a flight that is a line, which adds no acceleration, so that the flight falls as before.
//!
//! ```text
//! h_k = clearance of the standing end nearest to the floor        on the ground, averaged over 0.15 s
//! h_k = h_a + (k − a) / (b − a) (h_b − h_a)                       in flight from a to b
//! shift_k = −w(|h_k|) h_k,   w: 0 up to 3 mm, 1 from 10 mm on
//! ```
//!
//! An average must not harm a single frame: on the ground the body is lowered until its first point touches, and raised until its best standing end
//! does, both to 2 mm.
//!
//! A body that is carried, whose lowest end rests above the floor and that nothing is seen to carry, floats: it is taken to stand there if the
//! settings say so.

use super::FeetSettings;
use super::hips::flights;
use super::soles::{LEAVES, Soles, hann, hann_mean, largest_near, mean};
use super::track::fade_weight;
use crate::analysis::clip_contacts::ClipContacts;
use crate::analysis::contacts::runs;
use crate::character::Character;
use crate::correction::Scope;
use crate::motion::ik::Limb;

/// Time to either side over which heights on the ground are averaged, seconds.
const NEAR: f64 = 0.15;
/// Height up to which a body stands right, and height from which all of it is removed, meters.
const RIGHT: [f64; 2] = [0.003, 0.010];

/// Distance by which an average may miss the height of a frame, meters.
pub(super) const MISSES: f64 = 0.002;
/// Speed below which an end rests, m/s, and shortest time for which it must rest to stand above the floor, seconds.
const RESTS: (f64, f64) = (0.25, 0.3);
/// Share of the weight from which a body is carried.
const CARRIED: f64 = 0.5;

/// Vertical shift of the body, meters, one per frame of the clip; `None` if it stands right as a whole.
pub(super) fn raising(
    character: &Character,
    found: &ClipContacts,
    (limbs, lies): (&[Limb], &[bool]),
    (feet, shares): (&FeetSettings, &[f64]),
) -> Option<Vec<f64>> {
    let frames = found.world.frames();
    let soles: Vec<Soles<'_>> = limbs.iter().filter_map(|limb| Soles::new(character, found, limb, lies)).collect();
    let mut known: Vec<Option<f64>> = vec![None; frames];
    for sole in &soles {
        for contact in sole.contacts() {
            for frame in sole.core(contact).filter(|&frame| sole.keeps_height(frame, LEAVES)) {
                let own = sole.clearance(frame);
                let best = known[frame].filter(|other| other.abs() <= own.abs());
                known[frame] = best.or(Some(own));
            }
        }
    }
    let floating = if feet.floats { floating(found, &soles) } else { vec![None; frames] };
    known.iter_mut().zip(&floating).for_each(|(height, floats)| *height = height.or(*floats));
    let heights = interpolated(&known)?;
    let window = libm::round(NEAR * found.points.frames_per_second()).max(1.0) as usize;
    let flights = flights(found, |frame| floating[frame].is_some());
    let highest: Vec<f64> = known.iter().map(|h| h.map_or(f64::INFINITY, |h| (-h).max(0.0) + MISSES)).collect();
    let floor = found.ground.floor?;
    let lowest: Vec<f64> = (0..frames)
        .map(|frame| found.points.lowest(frame).map_or(0.0, |(height, _)| (height - floor).max(0.0)) + MISSES)
        .collect();
    let mut shifts = vec![0.0; frames];
    for (first, end) in on_the_ground(&flights, frames) {
        for frame in first..end {
            let near = frame.saturating_sub(window).max(first)..(frame + window + 1).min(end);
            let height = mean(near, |other| (hann(other.abs_diff(frame), window), heights[other]));
            let share = (height.abs() - RIGHT[0]) / (RIGHT[1] - RIGHT[0]);
            shifts[frame] = -height * (1.0 - fade_weight(share.max(0.0)));
        }
        for (sign, most) in [(1.0, &highest), (-1.0, &lowest)] {
            limit(&mut shifts[first..end], sign, &most[first..end], window);
        }
    }
    for (first, end) in flights {
        let before = first.checked_sub(1).map(|frame| shifts[frame]);
        let after = shifts.get(end).copied();
        let (Some(from), Some(to)) = (before.or(after), after.or(before)) else { continue };
        for frame in first..end {
            let part = (frame + 1 - first) as f64 / (end + 1 - first) as f64;
            shifts[frame] = from + part * (to - from);
        }
    }
    let off = shifts.iter().any(|shift| shift.abs() > RIGHT[1]);
    off.then(|| shifts.iter().zip(shares).map(|(shift, share)| shift * share).collect())
}

/// Limits the shifts of one sign to `most` (meters, one per frame). What is too much around a frame is taken off, and fades over `window` frames.
fn limit(shifts: &mut [f64], sign: f64, most: &[f64], window: usize) {
    let over: Vec<f64> = shifts.iter().zip(most).map(|(shift, most)| (sign * shift - most).max(0.0)).collect();
    if over.iter().all(|&over| over == 0.0) {
        return;
    }
    for (shift, less) in shifts.iter_mut().zip(hann_mean(&largest_near(&over, window), window)) {
        *shift -= sign * less.min((sign * *shift).max(0.0));
    }
}

/// Height above the floor of the end that rests on nothing, meters, per frame; `None` where an end stands, the body lies, flies, or does not rest.
fn floating(found: &ClipContacts, soles: &[Soles<'_>]) -> Vec<Option<f64>> {
    let rate = found.points.frames_per_second();
    let rests = |frame: usize| -> Option<f64> {
        let touched = found.touching.iter().any(|point| point[frame]);
        let range = found.range.0..found.range.1;
        if touched || !range.contains(&frame) || found.stance.carried[frame] < CARRIED {
            return None;
        }
        let lowest = soles.iter().min_by(|a, b| a.clearance(frame).total_cmp(&b.clearance(frame)))?;
        let slow = |&point: &usize| found.points.velocity(point, frame, found.range).length() < RESTS.0;
        (!lowest.lies[frame] && lowest.points.iter().any(slow)).then(|| lowest.clearance(frame))
    };
    let mut heights: Vec<Option<f64>> = (0..found.world.frames()).map(rests).collect();
    for (first, end) in runs(heights.clone().iter().map(Option::is_some)) {
        if ((end - first) as f64) < RESTS.1 * rate {
            heights[first..end].fill(None);
        }
    }
    heights
}

/// Fault of a body that floats: the time for which it does, seconds, weighted by the height over the allowed one.
pub(super) fn floating_fault(
    character: &Character,
    found: &ClipContacts,
    (limbs, lies): (&[Limb], &[bool]),
    feet: &FeetSettings,
    scope: &Scope,
) -> f64 {
    let soles: Vec<Soles<'_>> = limbs.iter().filter_map(|limb| Soles::new(character, found, limb, lies)).collect();
    let heights = floating(found, &soles);
    let off = heights[scope.frames.clone()].iter().flatten().map(|height| (height.abs() / feet.height - 1.0).max(0.0));
    off.sum::<f64>() / found.points.frames_per_second()
}

/// The runs `first..end` between the flights of a clip.
fn on_the_ground(flights: &[(usize, usize)], frames: usize) -> Vec<(usize, usize)> {
    let starts = core::iter::once(0).chain(flights.iter().map(|&(_, end)| end));
    let ends = flights.iter().map(|&(first, _)| first).chain([frames]);
    starts.zip(ends).filter(|(first, end)| first < end).collect()
}

/// Fills the gaps between known heights with lines, and the ends with the nearest height; `None` without any.
fn interpolated(known: &[Option<f64>]) -> Option<Vec<f64>> {
    let at: Vec<(usize, f64)> =
        known.iter().enumerate().filter_map(|(frame, height)| Some((frame, (*height)?))).collect();
    let (&(first, start), &(last, end)) = (at.first()?, at.last()?);
    let mut heights = vec![start; known.len()];
    heights[last..].fill(end);
    heights[first] = start;
    for pair in at.windows(2) {
        let ((a, from), (b, to)) = (pair[0], pair[1]);
        for frame in a..=b {
            heights[frame] = from + (to - from) * (frame - a) as f64 / (b - a) as f64;
        }
    }
    Some(heights)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_holds_in_every_frame_and_leaves_what_is_far_from_it() {
        let mut shifts = vec![-0.05; 60];
        let mut most = vec![0.06; 60];
        most[30] = 0.02;
        limit(&mut shifts, -1.0, &most, 6);
        assert!(shifts[30] >= -0.02 - 1e-12 && shifts[..15].iter().chain(&shifts[46..]).all(|&shift| shift == -0.05));
        limit(&mut shifts, 1.0, &[0.0; 60], 6);
        assert_eq!(shifts[0], -0.05, "a limit of what rises does not touch what sinks");
    }

    #[test]
    fn gaps_are_lines_and_ends_are_held() {
        let known = [None, Some(1.0), None, None, Some(4.0), None];
        assert_eq!(interpolated(&known), Some(vec![1.0, 1.0, 2.0, 3.0, 4.0, 4.0]));
        assert_eq!(interpolated(&[None, None]), None);
        assert_eq!(on_the_ground(&[(0, 2), (5, 7)], 10), [(2, 5), (7, 10)]);
    }
}
