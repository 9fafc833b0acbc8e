//! Rising and sinking that nothing carries: a body that must be carried while all that could carry it moves up or down.
//!
//! ```text
//! amount = min(∫ v dt, change of the clearance)      v: vertical velocity of the slowest touching foot point, or of the slowest joint
//! ```
//! A foot on an escalator drifts like this, and so does a body that levitates. A foot that rolls does not: its slowest
//! point changes. The clearance is asked too, because slow points ratchet upward in a walk.

use glam::DVec3;

use super::super::frames::Frames;
use super::chain::OTHER;
use super::rest::Rest;
use super::{Stance, runs};

/// A stretch of time in which what carries the body rises or sinks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct FootDrift {
    /// Frames `first..end`.
    pub frames: (usize, usize),
    /// Height gained, meters; negative for sinking.
    pub amount: f64,
    /// Whether the body rests on trunk or arms half a second before or after: then it slides on or off a seat.
    pub is_seated: bool,
    /// Whether all standing points move alike, straight up or down: no foot takes a step meanwhile.
    pub is_rigid: bool,
}

/// Vertical speed above which a support is not at rest, m/s of an adult.
const LEAST_SPEED: f64 = 0.035;
/// Shortest drift, seconds.
const LEAST_TIME: f64 = 0.1;

/// Finds drifts outside the frames `apart` (beside flights and jumps in time), the largest first.
pub(crate) fn drifts(stance: &Stance, rest: &Rest, frames: &Frames, pace: f64, apart: &[bool]) -> Vec<FootDrift> {
    let frames_count = stance.parts.len();
    let reach = frames.within(0.05);
    let rise: Vec<f64> = (0..frames_count)
        .map(|frame| if frames.all().contains(&frame) { stance.rise(frame, reach, frames, rest) } else { 0.0 })
        .collect();
    let judged: Vec<bool> = (0..frames_count)
        .map(|f| frames.all().contains(&f) && stance.carried[f] > 0.5 && stance.parts[f] != OTHER && !apart[f])
        .collect();
    let mut found = Vec::new();
    for sign in [1.0, -1.0] {
        let mut drifting: Vec<bool> =
            (0..frames_count).map(|f| judged[f] && sign * rise[f] > LEAST_SPEED * pace).collect();
        for (first, end) in runs(drifting.clone().into_iter().map(|flag| !flag)) {
            let is_gap = first > 0 && end < frames_count && (end - first) as f64 * frames.time <= 0.05;
            if is_gap && judged[first..end].iter().all(|&judged| judged) {
                drifting[first..end].fill(true);
            }
        }
        for (first, end) in runs(drifting.into_iter()) {
            if ((end - first) as f64) * frames.time < LEAST_TIME {
                continue;
            }
            let way: f64 = rise[first..end].iter().sum::<f64>() * frames.time;
            let gained = sign * (stance.clearance[end - 1] - stance.clearance[first]);
            let gained = if gained.is_nan() { 0.0 } else { gained.max(0.0) };
            let amount = sign * way.abs().min(gained);
            let near = frames.within(0.5);
            let share = |from: usize, to: usize| {
                let rests =
                    |f: &usize| stance.parts[*f] == 0 && rest.on_trunk_or_arms[*f] && rest.speed[*f] < 0.2 * pace;
                (from..to).filter(rests).count() as f64 / (to - from).max(1) as f64
            };
            let before = share(first.saturating_sub(near).max(frames.range.0), first);
            let after = share(end, (end + near).min(frames.range.1));
            found.push(FootDrift {
                frames: (first, end),
                amount,
                is_seated: before.max(after) > 0.6,
                is_rigid: stance.moves_rigidly(first, end - 1),
            });
        }
    }
    found.sort_by(|a, b| b.amount.abs().total_cmp(&a.amount.abs()).then(a.frames.cmp(&b.frames)));
    found
}

impl Stance {
    /// Whether all standing points move straight up or down by about the same length from one frame to another.
    fn moves_rigidly(&self, from: usize, to: usize) -> bool {
        let ways: Vec<DVec3> = self.points.iter().map(|point| point.track[to] - point.track[from]).collect();
        let mean = ways.iter().map(|way| way.y).sum::<f64>() / ways.len().max(1) as f64;
        ways.iter().all(|way| way.distance(DVec3::Y * mean) < 0.4 * mean.abs())
    }

    /// Vertical velocity of what carries the body: of the slowest touching foot point, else of the slowest joint, m/s.
    fn rise(&self, frame: usize, reach: usize, frames: &Frames, rest: &Rest) -> f64 {
        let touching = self.points.iter().filter(|point| self.touches(point.part, frame));
        let velocities = touching.map(|point| frames.velocity(|f| point.track[f], frame, reach) - self.ground_velocity);
        velocities.min_by(|a, b| a.length_squared().total_cmp(&b.length_squared())).map_or(rest.rise[frame], |v| v.y)
    }
}
