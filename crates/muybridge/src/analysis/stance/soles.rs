//! Where the soles of a body lie: its contact points follow the stances of its feet.
//!
//! Contact points guessed from proportions, or taken from a skin, lie up to centimeters over or under the level at which the foot stands.

use super::super::contacts::{ContactScale, Ground, PointTracks, median};
use super::{OTHER_PART, Stance};

impl PointTracks {
    /// How far each point is raised so that the sole of its foot lies at the height where the stances put it, whatever the rest
    /// pose says of it, meters; 0 for points that are on no foot.
    pub(in crate::analysis) fn lifts(&self, stance: &Stance, parts: &[usize], range: (usize, usize)) -> Vec<f64> {
        let mut lifts = vec![0.0; self.len()];
        let Some(floor) = stance.floor else { return lifts };
        for part in 0..OTHER_PART {
            let own: Vec<usize> = (0..self.len()).filter(|&point| parts[point] == part).collect();
            let lowest = |frame: usize| own.iter().map(|&p| self.spots[p][frame].y).min_by(f64::total_cmp);
            let stands = (range.0..range.1).filter(|&frame| stance.touches(part, frame));
            let above = median(stands.filter_map(|frame| Some(lowest(frame)? - floor)).collect());
            own.iter().for_each(|&point| lifts[point] = -above.unwrap_or(0.0));
        }
        lifts
    }

    /// Raises each point by its lift, meters.
    pub(in crate::analysis) fn lift(&mut self, lifts: &[f64]) {
        for (spots, lift) in self.spots.iter_mut().zip(lifts).filter(|(_, lift)| **lift != 0.0) {
            spots.iter_mut().for_each(|spot| spot.y += lift);
        }
    }
}

/// Finds the points that touch in each frame by the stances: `[point][frame]`. `parts` are the parts to which the points belong.
pub(in crate::analysis) fn touching_by_stance(
    stance: &Stance,
    points: &PointTracks,
    parts: &[usize],
    (scale, ground): (&ContactScale, &Ground),
    range: (usize, usize),
) -> Vec<Vec<bool>> {
    let mut touching = vec![vec![false; points.frames]; points.len()];
    let Some(floor) = ground.floor else { return touching };
    for part in 0..=OTHER_PART {
        let own: Vec<usize> = (0..points.len()).filter(|&point| parts[point] == part).collect();
        for frame in (range.0..range.1).filter(|&frame| stance.touches(part, frame)) {
            let height = |point: usize| points.spot(point, frame).y;
            let Some(nearest) = own.iter().copied().min_by(|&a, &b| height(a).total_cmp(&height(b))) else { break };
            touching[nearest][frame] = true;
            for &point in &own {
                let speed = (points.velocity(point, frame, range) - ground.treadmill).length();
                let is_low = height(point) - floor < ground.rest_height(scale);
                touching[point][frame] |= is_low && speed < 1.5 * ground.rest_speed(scale);
            }
        }
    }
    touching
}

/// How far the floor lies above the one that the joints show, where the guessed soles agree with it to a centimeter, meters: then they know it
/// better than the proportions of joints do.
pub(in crate::analysis) fn floor_of_soles(lifts: &[f64], parts: &[usize], scale: f64) -> f64 {
    let of_part = |part: usize| lifts.iter().zip(parts).find(|(_, own)| **own == part).map(|(lift, _)| -lift);
    let above: Vec<f64> = (0..OTHER_PART).filter_map(of_part).filter(|above| *above != 0.0).collect();
    if above.is_empty() {
        return 0.0;
    }
    let mean = above.iter().sum::<f64>() / above.len() as f64;
    let farthest = above.iter().map(|own| (own - mean).abs()).fold(mean.abs(), f64::max);
    mean * agreement(farthest, scale)
}

/// How far guessed soles that lie `apart` (meters) from those that the joints show agree with these: 1 where they are one, 0 beyond centimeters.
pub(super) fn agreement(apart: f64, scale: f64) -> f64 {
    libm::exp(-libm::pow(apart.abs() / (0.012 * scale), 4.0))
}
