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

use super::hips::flights;
use super::soles::{LEAVES, Soles, hann, mean};
use super::track::fade_weight;
use crate::analysis::check::ClipContacts;
use crate::character::Character;
use crate::motion::ik::Limb;

/// Time to either side over which heights on the ground are averaged, seconds.
const NEAR: f64 = 0.15;
/// Height up to which a body stands right, and height from which all of it is removed, meters.
const RIGHT: [f64; 2] = [0.003, 0.010];

/// Vertical shift of the body, meters, one per frame of the clip; `None` if it stands right as a whole.
pub(super) fn raising(
    character: &Character,
    found: &ClipContacts,
    (limbs, lies): (&[Limb], &[bool]),
    shares: &[f64],
) -> Option<Vec<f64>> {
    let frames = found.world.frames();
    let soles: Vec<Soles<'_>> = limbs.iter().filter_map(|limb| Soles::new(character, found, limb, lies)).collect();
    let mut heights: Vec<Option<f64>> = vec![None; frames];
    for sole in &soles {
        for contact in sole.contacts() {
            for frame in sole.core(contact).filter(|&frame| sole.keeps_height(frame, LEAVES)) {
                let own = sole.clearance(frame);
                let best = heights[frame].filter(|other| other.abs() <= own.abs());
                heights[frame] = best.or(Some(own));
            }
        }
    }
    let heights = interpolated(&heights)?;
    let window = libm::round(NEAR * found.points.frames_per_second()).max(1.0) as usize;
    let flights = flights(found);
    let mut shifts = vec![0.0; frames];
    for (first, end) in on_the_ground(&flights, frames) {
        for frame in first..end {
            let near = frame.saturating_sub(window).max(first)..(frame + window + 1).min(end);
            let height = mean(near, |other| (hann(other.abs_diff(frame), window), heights[other]));
            let share = (height.abs() - RIGHT[0]) / (RIGHT[1] - RIGHT[0]);
            shifts[frame] = -height * (1.0 - fade_weight(share.max(0.0)));
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
    fn gaps_are_lines_and_ends_are_held() {
        let known = [None, Some(1.0), None, None, Some(4.0), None];
        assert_eq!(interpolated(&known), Some(vec![1.0, 1.0, 2.0, 3.0, 4.0, 4.0]));
        assert_eq!(interpolated(&[None, None]), None);
        assert_eq!(on_the_ground(&[(0, 2), (5, 7)], 10), [(2, 5), (7, 10)]);
    }
}
