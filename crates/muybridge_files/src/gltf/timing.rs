//! Chooses the frame times at which an animation is sampled, from its own key times.
//!
//! Linear interpolation has a corner at every key and none elsewhere, so second differences on a finer grid show spikes that
//! nobody animated. The frame time is therefore the greatest spacing that meets all keys, within the rounding of 32-bit floats:
//!
//! ```text
//! t_i = t_0 + k_i h + ε_i,  k_i whole,  |ε_i| ≤ h/50;  h = smallest gap / 1, 2, 3 …, refined on the whole clip
//! ```
//! A rate that is a whole number within the rounding of the times is set to that number.

use std::rc::Rc;

use super::animation::Curves;
use super::track::{Interpolation, KeyTrack, Property};
use super::tree::JsonNode;
use crate::Error;

/// The frames at which an animation is sampled.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct FrameTimes {
    /// Time of the first frame, seconds.
    pub start: f64,
    /// Seconds between frames.
    pub step: f64,
    /// Number of frames.
    pub frames: usize,
    /// Notes on the choice, one sentence each.
    pub notes: Vec<String>,
}

/// Highest rate inferred from gaps between keys; denser keys are still read at their own rate.
const HIGHEST_INFERRED_RATE: f64 = 241.0;
/// Rate at which splines with sparser keys are sampled, 1/s.
const SPLINE_RATE: f64 = 24.0;
/// Greatest number of frames of a clip.
const MOST_FRAMES: f64 = 1e6;
/// Frame rate of a clip of a single frame, 1/s.
const SINGLE_FRAME_RATE: f64 = 30.0;

/// Chooses the frames of an animation; `rate` overrides its own spacing.
pub(super) fn frame_times(curves: &Curves, rate: Option<f64>, at: &JsonNode) -> Result<FrameTimes, Error> {
    let leading = leading_tracks(&curves.tracks);
    let first = leading.iter().map(|t| t.times[0]).fold(f64::INFINITY, f64::min);
    let last = leading.iter().map(|t| t.times[t.times.len() - 1]).fold(f64::NEG_INFINITY, f64::max);
    let mut times = FrameTimes { start: first, step: 1.0 / SINGLE_FRAME_RATE, frames: 1, notes: Vec::new() };
    if let Some(rate) = rate {
        if !(rate.is_finite() && rate > 0.0) {
            return Err(at.error(format!("{rate} frames per second; the rate must be a positive number")));
        }
        times.step = 1.0 / rate;
    } else if last > first {
        times.step = own_spacing(&leading, &mut times.notes);
    }
    let spans = (last - first) / times.step;
    if spans + 1.0 > MOST_FRAMES {
        let message = format!(
            "the animation lasts {:.0} s, more than a million frames of {} s; sample it with fewer frames per second",
            last - first,
            times.step
        );
        return Err(at.error(message));
    }
    times.frames = 1 + (spans + 0.02).floor() as usize;
    if last - first - (times.frames - 1) as f64 * times.step > 0.02 * times.step {
        times.notes.push(format!("the last {:.3} s hold no whole frame and were left out", {
            last - first - (times.frames - 1) as f64 * times.step
        }));
    }
    note_sparse(&leading, &mut times);
    Ok(times)
}

/// The curves that determine the frames: those that change and have three keys or more, or else the best available.
fn leading_tracks(tracks: &[KeyTrack]) -> Vec<&KeyTrack> {
    let pick = |keys: usize, varying: bool| -> Vec<&KeyTrack> {
        tracks.iter().filter(|t| t.times.len() >= keys && (!varying || t.varies())).collect()
    };
    let choices = [(3, true), (3, false), (2, true), (2, false), (1, false)];
    let dense = choices.into_iter().map(|(keys, varying)| pick(keys, varying)).find(|found| !found.is_empty());
    let mut leading = dense.unwrap_or_default();
    if leading.first().is_some_and(|t| t.times.len() >= 3) {
        leading.extend(tracks.iter().filter(|t| t.times.len() == 2 && t.varies()));
    }
    leading
}

fn own_spacing(leading: &[&KeyTrack], notes: &mut Vec<String>) -> f64 {
    let lists = distinct_key_times(leading);
    let all = merged(&lists);
    let usual = usual_gap(&lists);
    let common = common_spacing(&all);
    let step = match (common, usual) {
        // Nearly all keys are one gap apart and a few are not: a finer grid would only add corners.
        (Some(h), Some(gap)) if h < 0.9 * gap => {
            notes.push(format!("a few keys are not {gap:.5} s apart like the others; curves are interpolated there"));
            snapped(gap, &[], 0.0)
        }
        (Some(h), _) => h,
        (None, _) => {
            let gap = usual.unwrap_or_else(|| median_gap(&lists));
            notes.push(format!("the keys have no common spacing; sampled every {gap:.5} s, their usual one"));
            snapped(gap, &[], 0.0)
        }
    };
    let smooth = leading.iter().any(|t| t.interpolation == Interpolation::CubicSpline);
    if smooth && step > 1.01 / SPLINE_RATE {
        let parts = libm::ceil(step * SPLINE_RATE - 0.01);
        notes.push(format!("splines with keys {step:.3} s apart were sampled {parts} times as densely"));
        return snapped(step / parts, &[], 0.0);
    }
    step
}

fn distinct_key_times(tracks: &[&KeyTrack]) -> Vec<Rc<Vec<f64>>> {
    let mut lists: Vec<Rc<Vec<f64>>> = Vec::new();
    for track in tracks.iter().filter(|t| t.times.len() >= 3) {
        if !lists.iter().any(|known| Rc::ptr_eq(known, &track.times)) {
            lists.push(track.times.clone());
        }
    }
    if lists.is_empty() {
        lists.extend(tracks.iter().filter(|t| t.times.len() >= 2).map(|t| t.times.clone()));
    }
    lists
}

/// All key times in order; times within rounding of each other are merged.
fn merged(lists: &[Rc<Vec<f64>>]) -> Vec<f64> {
    let mut all: Vec<f64> = lists.iter().flat_map(|times| times.iter().copied()).collect();
    all.sort_by(f64::total_cmp);
    all.dedup_by(|b, a| *b - *a <= rounding(*b));
    all
}

/// Greatest error of a time written as a 32-bit float, or in decimals by a careless exporter, seconds.
fn rounding(time: f64) -> f64 {
    2e-5 + 2.5e-7 * time.abs()
}

/// The gap that at least three quarters of neighboring keys have, over all curves; `None` if there is none.
fn usual_gap(lists: &[Rc<Vec<f64>>]) -> Option<f64> {
    let median = median_gap(lists);
    let near = |gap: f64| (gap - median).abs() <= 0.02 * median + 1e-6;
    let (mut total, mut like, mut sum) = (0usize, 0usize, 0.0);
    for gap in gaps(lists) {
        total += 1;
        if near(gap) {
            like += 1;
            sum += gap;
        }
    }
    (4 * like >= 3 * total && like > 0).then(|| sum / like as f64)
}

fn median_gap(lists: &[Rc<Vec<f64>>]) -> f64 {
    let mut all: Vec<f64> = gaps(lists).collect();
    all.sort_by(f64::total_cmp);
    all.get(all.len() / 2).copied().unwrap_or(1.0 / SINGLE_FRAME_RATE)
}

fn gaps(lists: &[Rc<Vec<f64>>]) -> impl Iterator<Item = f64> + '_ {
    lists.iter().flat_map(|times| times.windows(2).map(|t| t[1] - t[0]))
}

/// The greatest spacing whose multiples meet all times; `None` if there is none.
fn common_spacing(times: &[f64]) -> Option<f64> {
    let smallest = times.windows(2).map(|t| t[1] - t[0]).fold(f64::INFINITY, f64::min);
    if !smallest.is_finite() {
        return None;
    }
    (1..=12).map(|parts| smallest / f64::from(parts)).find_map(|guess| {
        let within_reach = f64::from(1) / guess < HIGHEST_INFERRED_RATE || guess == smallest;
        within_reach.then(|| fitted(times, guess)).flatten()
    })
}

/// Refines a guess of the spacing along the times; `None` as soon as one is off the grid.
fn fitted(times: &[f64], guess: f64) -> Option<f64> {
    let start = times[0];
    let mut step = guess;
    for &time in &times[1..] {
        let k = libm::round((time - start) / step);
        if !(1.0..=MOST_FRAMES).contains(&k) || (time - start - k * step).abs() > 0.02 * step + rounding(time) {
            return None;
        }
        step = (time - start) / k;
    }
    let residual = largest_residual(times, step);
    (residual <= 0.02 * step + rounding(times[times.len() - 1])).then(|| snapped(step, times, residual))
}

/// Rounds a spacing to a whole number of frames per second (or steps of 1/120 or 1/100 s) if the times allow it.
fn snapped(step: f64, times: &[f64], residual: f64) -> f64 {
    let rate = 1.0 / step;
    let candidates = [
        1.0 / libm::round(rate),
        1.001 / libm::round(rate * 1.001),
        libm::round(step * 120.0) / 120.0,
        libm::round(step * 100.0) / 100.0,
    ];
    let fits = |h: f64| {
        let close = h.is_finite() && h > 0.0 && (h / step - 1.0).abs() < 2e-3;
        let off = largest_residual(times, h);
        close && off <= (1.5 * residual).max(rounding(times.last().copied().unwrap_or(0.0)))
    };
    candidates.into_iter().find(|&h| fits(h)).unwrap_or(step)
}

fn largest_residual(times: &[f64], step: f64) -> f64 {
    let Some(&start) = times.first() else { return 0.0 };
    let off = |time: f64| {
        let spans = (time - start) / step;
        (spans - libm::round(spans)).abs() * step
    };
    times.iter().map(|&time| off(time)).fold(0.0, f64::max)
}

/// Notes how many curves are interpolated between keys, because accelerations show that.
fn note_sparse(leading: &[&KeyTrack], times: &mut FrameTimes) {
    let moving =
        |t: &&&KeyTrack| t.property != Property::Scale && t.interpolation == Interpolation::Linear && t.varies();
    let sparse = leading.iter().filter(moving).filter(|t| 5 * t.times.len() < 4 * times.frames).count();
    if sparse > 0 {
        let all = leading.iter().filter(moving).count();
        times.notes.push(format!(
            "{sparse} of {all} moving curves have fewer keys than the clip has frames and are interpolated between \
             keys: accelerations show corners there"
        ));
    }
    let stepped = leading.iter().filter(|t| t.interpolation == Interpolation::Step && t.varies()).count();
    if stepped > 0 {
        times.notes.push(format!("{stepped} curves hold and jump (STEP): velocities are meaningless at the jumps"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn as_f32(count: usize, rate: f64) -> Vec<f64> {
        (0..count).map(|k| f64::from((k as f64 / rate) as f32)).collect()
    }

    #[test]
    fn times_written_as_32_bit_floats_give_exactly_the_rate_they_were_written_at() {
        for rate in [5.0, 12.0, 24.0, 25.0, 30.0, 48.0, 50.0, 60.0, 100.0, 120.0, 240.0] {
            for count in [3, 20, 5000] {
                assert_eq!(common_spacing(&as_f32(count, rate)), Some(1.0 / rate), "{rate} fps, {count} keys");
            }
        }
    }

    #[test]
    fn the_rates_of_television_are_not_rounded_once_the_clip_is_long_enough_to_tell() {
        let step = common_spacing(&as_f32(300, 30.0 / 1.001)).unwrap();
        assert!((step - 1.001 / 30.0).abs() < 1e-12);
    }

    #[test]
    fn gaps_of_two_and_three_frames_have_one_frame_in_common() {
        let times: Vec<f64> = [0.0, 2.0, 5.0, 7.0, 10.0].iter().map(|k| f64::from((k / 30.0) as f32)).collect();
        assert_eq!(common_spacing(&times), Some(1.0 / 30.0));
    }

    #[test]
    fn keys_at_random_times_have_no_common_spacing() {
        assert_eq!(common_spacing(&[0.0, 0.1, 0.217_17, 0.291_31, 0.402_97, 0.531_73]), None);
    }
}
