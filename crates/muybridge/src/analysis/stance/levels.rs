//! Heights at which the standing points of a body dwell, and the height of the floor under them.
//!
//! ```text
//! weight of a frame   w = exp(−(‖v‖/¼v0)²) · clip(carried share of the weight, 0, 1),   v0 = √(L / 0.9 m) m/s
//! floor peak          the lowest high peak of the histogram of y − o over all points,    o: height of the point over the sole
//! level of a kind     maximum likelihood of a Gaussian and a uniform background about floor + o; then each side alone, drawn to both
//! floor               mean of (level − o)/σ² over the points, drawn to 0 where the clip's own ground may be
//! ```
//! All stances of a clip vote together, so the levels change smoothly with the skeleton and with the motion.

use super::super::frames::Frames;
use super::Size;
use super::points::{PointKind, StandingPoint};

/// A stance counts no longer than this, seconds: stances vote, not frames.
const LONGEST_VOTE: f64 = 0.6;
/// Standard deviation of a kernel by which the dwelling height of one kind is found, in legs over 0.9.
const NARROW: f64 = 0.012;
/// Least and greatest standard deviation of a dwelling height, in legs over 0.9.
const SPREAD: [f64; 2] = [0.003, 0.018];
/// Evidence by which a side is drawn to the level of both, seconds.
const SHRINK: f64 = 0.15;
/// Share of the highest peak from which a lower one is the floor.
const FAIR_SHARE: f64 = 0.35;

/// Dwelling heights of the standing points.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Levels {
    /// Height at which each standing point dwells, meters.
    pub heights: Vec<f64>,
    /// Standard deviation of these heights, meters; one per standing point.
    pub spreads: Vec<f64>,
    /// Height of the floor under the soles, meters.
    pub floor: f64,
}

impl Levels {
    /// Lowers or raises all levels together, meters.
    pub(super) fn shift(&mut self, by: f64) {
        self.heights.iter_mut().for_each(|height| *height += by);
        self.floor += by;
    }
}

/// What the points of one kind show: one height and weight per frame and point.
struct Dwelling {
    kind: PointKind,
    points: Vec<usize>,
    samples: Vec<Vec<(f64, f64)>>,
}

/// Finds the levels of `points`; `None` if nothing ever stands. `speeds` are those of the points relative to the ground
/// (m/s), `carried` the vertical force that the motion asks for over the weight; both per frame of the clip.
pub(super) fn find(
    points: &[StandingPoint],
    speeds: &[Vec<f64>],
    carried: &[f64],
    frames: &Frames,
    size: &Size,
) -> Option<Levels> {
    let dwelling: Vec<Dwelling> = PointKind::ALL
        .into_iter()
        .filter_map(|kind| Dwelling::new(kind, points, speeds, carried, frames, size))
        .collect();
    if dwelling.is_empty() {
        return None;
    }
    let peak = floor_peak(&dwelling, frames, size);
    let mut heights = vec![0.0; points.len()];
    let mut spreads = vec![0.0; points.len()];
    for kind in &dwelling {
        let (level, spread) = kind.level(peak, size);
        for (&point, samples) in kind.points.iter().zip(&kind.samples) {
            let votes = samples.iter().map(|&(y, w)| (y, w * bell((y - level) / (1.5 * spread))));
            let (moment, weight) = votes.fold((0.0, 0.0), |(moment, sum), (y, w)| (moment + w * y, sum + w));
            let shrink = SHRINK / frames.time;
            heights[point] = (moment + shrink * level) / (weight + shrink);
            spreads[point] = spread;
        }
    }
    let floor = floor_under(points, &heights, size);
    Some(Levels { heights, spreads, floor })
}

/// e^(−x²/2).
fn bell(x: f64) -> f64 {
    libm::exp(-0.5 * x * x)
}

impl Dwelling {
    fn new(
        kind: PointKind,
        points: &[StandingPoint],
        speeds: &[Vec<f64>],
        carried: &[f64],
        frames: &Frames,
        size: &Size,
    ) -> Option<Self> {
        let own: Vec<usize> = (0..points.len()).filter(|&point| points[point].kind == kind).collect();
        let slow = 0.25 * size.pace;
        let slowness: Vec<Vec<f64>> = own
            .iter()
            .map(|&point| frames.all().map(|f| libm::exp(-(speeds[point][f] / slow).powi(2))).collect())
            .collect();
        let share = |frame: usize| carried[frame].clamp(0.0, 1.0);
        let height = |point: usize, frame: usize| points[point].track[frame].y;
        let first = frames.range.0;
        let mut samples: Vec<Vec<(f64, f64)>> = Vec::new();
        for (at, &point) in own.iter().enumerate() {
            let mut weights: Vec<f64> =
                frames.all().map(|f| slowness[at][f - first] * (0.05 + 0.95 * share(f))).collect();
            for (from, to) in super::runs(frames.all().map(|f| speeds[point][f] < 0.5 * slow)) {
                let most = LONGEST_VOTE / ((to - from) as f64 * frames.time);
                if most < 1.0 {
                    weights[from..to].iter_mut().for_each(|weight| *weight *= most);
                }
            }
            // What is lower while the other foot stands still higher up is a dip, not the floor.
            if let [left, right] = own[..] {
                let (other, slow) = if at == 0 { (right, &slowness[1]) } else { (left, &slowness[0]) };
                for frame in frames.all() {
                    if height(other, frame) > height(point, frame) + 0.06 * size.leg {
                        weights[frame - first] *= 1.0 - 0.9 * slow[frame - first];
                    }
                }
            }
            samples.push(frames.all().map(|f| height(point, f)).zip(weights).collect());
        }
        let total = |samples: &[Vec<(f64, f64)>]| samples.iter().flatten().map(|(_, weight)| weight).sum::<f64>();
        let least = (0.034 / frames.time).max(2.0);
        if total(&samples) < least {
            // Nothing is ever slow, as in a sprint: take what is low while the body is carried.
            let low = super::quantile(samples.iter().flatten().map(|(y, _)| *y).collect(), 0.05)?;
            for (at, &point) in own.iter().enumerate() {
                for frame in frames.all() {
                    let above = (height(point, frame) - low).max(0.0) / (0.03 * size.leg);
                    let quick = speeds[point][frame] / (4.0 * slow);
                    samples[at][frame - first].1 = share(frame) * libm::exp(-quick * quick - above);
                }
            }
            if total(&samples) < 0.5 * least {
                return None;
            }
        }
        Some(Self { kind, points: own, samples })
    }

    /// Dwelling height of the kind near the peak of the floor, and its standard deviation, meters.
    fn level(&self, peak: f64, size: &Size) -> (f64, f64) {
        let (over, spread) = size.over_sole(self.kind);
        let center = peak + over;
        let reach = 2.2 * spread + 0.05 * size.leg;
        let near = || self.samples.iter().flatten().filter(|(y, _)| (y - center).abs() < reach);
        let step = 0.002 * size.leg;
        let mut bins = LevelBins::new(center - reach, step, (2.0 * reach / step) as usize + 2);
        near().for_each(|&(y, weight)| bins.add(y, weight));
        if bins.weights.iter().sum::<f64>() < 1e-6 {
            return (center, NARROW * size.scale);
        }
        let mut smooth = bins.smoothed(NARROW * size.scale, 12);
        // An ankle dwells high over a body that crawls on its toes: heights are held against those of a sole that lies flat.
        for (at, density) in smooth.iter_mut().enumerate() {
            *density *= bell((bins.middle(at) - center) / (1.5 * spread));
        }
        let top = (0..smooth.len()).fold(0, |top, at| if smooth[at] > smooth[top] { at } else { top });
        let mut level = bins.middle(top);
        let mut spread = NARROW * size.scale;
        // Gauss and a uniform background of 15 % in 0.3 legs, by bins whose mean heights are exact.
        for _ in 0..8 {
            let background = 2.5 * 0.15 / (0.3 * size.leg);
            let mut sums = [0.0; 3];
            for (&weight, &moment) in bins.weights.iter().zip(&bins.moments).filter(|(weight, _)| **weight > 0.0) {
                let y = moment / weight;
                let density = bell((y - level) / spread) / spread;
                let share = weight * density / (density + background);
                sums = [sums[0] + share, sums[1] + share * y, sums[2] + share * (y - level) * (y - level)];
            }
            if sums[0] < 1e-9 {
                break;
            }
            let mean = sums[1] / sums[0];
            let variance = (sums[2] / sums[0] - (mean - level) * (mean - level)).max(0.0);
            level = mean;
            spread = variance.sqrt().clamp(SPREAD[0] * size.scale, SPREAD[1] * size.scale);
        }
        (level, spread)
    }
}

/// A histogram of weighted heights.
struct LevelBins {
    low: f64,
    step: f64,
    weights: Vec<f64>,
    moments: Vec<f64>,
}

impl LevelBins {
    fn new(low: f64, step: f64, count: usize) -> Self {
        Self { low, step, weights: vec![0.0; count], moments: vec![0.0; count] }
    }

    fn add(&mut self, y: f64, weight: f64) {
        let at = (((y - self.low) / self.step) as usize).min(self.weights.len() - 1);
        self.weights[at] += weight;
        self.moments[at] += weight * y;
    }

    fn middle(&self, at: usize) -> f64 {
        self.low + (at as f64 + 0.5) * self.step
    }

    /// The weights under a Gaussian kernel of `reach` bins to either side.
    fn smoothed(&self, deviation: f64, reach: usize) -> Vec<f64> {
        let kernel: Vec<f64> = (0..=reach).map(|k| bell(k as f64 * self.step / deviation)).collect();
        let mut smooth = vec![0.0; self.weights.len()];
        for (at, &weight) in self.weights.iter().enumerate().filter(|(_, weight)| **weight > 0.0) {
            for to in at.saturating_sub(reach)..(at + reach + 1).min(smooth.len()) {
                smooth[to] += weight * kernel[to.abs_diff(at)];
            }
        }
        smooth
    }
}

/// Height at which the soles dwell: the lowest high peak of the heights of all kinds, each less its height over the sole.
fn floor_peak(dwelling: &[Dwelling], frames: &Frames, size: &Size) -> f64 {
    let over = |kind: &Dwelling| size.over_sole(kind.kind).0;
    let heights = || dwelling.iter().flat_map(|kind| kind.samples.iter().flatten().map(|(y, _)| y - over(kind)));
    let (low, high) = heights().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), y| (low.min(y), high.max(y)));
    let step = (0.004 * size.leg).max((high - low) / 3000.0);
    let count = ((high - low) / step) as usize + 3;
    let mut density = vec![0.0; count];
    for kind in dwelling {
        let mut bins = LevelBins::new(low - step, step, count);
        kind.samples.iter().flatten().for_each(|&(y, weight)| bins.add(y - over(kind), weight));
        let smooth = bins.smoothed(size.over_sole(kind.kind).1, 25);
        density.iter_mut().zip(smooth).for_each(|(sum, own)| *sum += own);
    }
    let is_peak = |at: &usize| {
        let before = at.checked_sub(1).map_or(0.0, |at| density[at]);
        density[*at] >= before && density[*at] > density.get(at + 1).copied().unwrap_or(0.0)
    };
    let peaks: Vec<usize> = (0..count).filter(is_peak).collect();
    let highest = peaks.iter().map(|&at| density[at]).fold(0.0, f64::max);
    let fair = peaks.iter().copied().find(|&at| density[at] >= FAIR_SHARE * highest).unwrap_or(0);
    // Far below, a twentieth is enough: the rest stood on a box.
    let needed = |at: usize| {
        let below = (fair - at) as f64 * step / size.scale;
        let share = FAIR_SHARE + ((below - 0.13) / 0.06).clamp(0.0, 1.0) * (0.05 - FAIR_SHARE);
        (share * highest).max(0.1 / frames.time)
    };
    let lower = peaks.iter().copied().find(|&at| at < fair && density[at] >= needed(at));
    low + (lower.unwrap_or(fair) as f64 - 0.5) * step
}

/// Height of the floor under points that dwell at `heights`, meters.
fn floor_under(points: &[StandingPoint], heights: &[f64], size: &Size) -> f64 {
    let (mut sum, mut weights) = (0.0, 0.0);
    for (point, height) in points.iter().zip(heights) {
        let (over, spread) = size.over_sole(point.kind);
        sum += (height - over) / (spread * spread);
        weights += 1.0 / (spread * spread);
    }
    sum / weights
}

/// Draws the height of a floor to 0, where most clips have their ground: by the probability that a ground at 0, known to
/// a hundredth of the stature, is meant, against a floor anywhere in half a metre.
pub(super) fn drawn_to_zero(floor: f64, size: &Size) -> f64 {
    let spread = 0.010 * size.stature();
    let at_zero = bell(floor / spread) / spread;
    floor * (1.0 - at_zero / (at_zero + 2.0))
}
