//! Height and slip of feet that stand: how far they float over, sink under, or slide along their level.

use glam::DVec3;

use super::super::contacts::{LAGGING, median};
use super::super::frames::Frames;
use super::points::StandingPoint;
use super::{Size, Stance, runs};
use crate::motion::WorldMotion;

/// What standing feet show over a clip.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Planted {
    /// Height over the level of feet that must carry the body and rest higher, meters, and the seconds they do.
    pub float: (f64, f64),
    /// Depth under the level of feet that carry the body, meters, and the seconds they do.
    pub sink: (f64, f64),
    /// Depth under the level of feet without the tips of their toes, meters, over the same stretches.
    pub sink_of_feet: f64,
    /// Depth that the lowest foot keeps for 50 ms, on uneven ground that of the edges of its sole too, meters.
    pub depth: f64,
    /// Velocity at which stances slide in common, m/s.
    pub slip: f64,
    /// Whether the slip is sure: 2.5 times its uncertainty over the stances.
    pub slip_is_sure: bool,
}

/// Height over the level from which a resting foot floats, meters of an adult.
const FLOATS: f64 = 0.025;
/// Depth under the level from which a standing foot sinks, meters of an adult.
const SINKS: f64 = 0.033;
/// Shortest time a foot floats or sinks, seconds.
const LEAST_TIME: f64 = 0.08;
/// Shortest stance whose slip is measured, seconds.
const LEAST_STANCE: f64 = 0.25;

/// Measures standing feet outside the frames `apart` (beside flights and jumps in time). `above` is the height of the levels over the
/// floor that the user gave, meters; `scale` and `pace` turn lengths and speeds of an adult into those of the body.
pub(crate) fn measure(
    stance: &Stance,
    frames: &Frames,
    (scale, pace): (f64, f64),
    above: f64,
    apart: &[bool],
) -> Planted {
    let reach = frames.within(0.05);
    let count = stance.parts.len();
    let mut resting = vec![f64::INFINITY; count];
    for point in &stance.points {
        for frame in frames.all() {
            let velocity = frames.velocity(|f| point.track[f], frame, reach) - stance.ground_velocity;
            if velocity.length() < 0.25 * pace {
                resting[frame] = resting[frame].min(point.height[frame] + above);
            }
        }
    }
    let clearance = |frame: usize| stance.clearance[frame] + above;
    let with_edges = |frame: usize| clearance(frame).min(stance.edges.get(frame).copied().unwrap_or(f64::INFINITY));
    let carried = |frame: usize| frames.all().contains(&frame) && stance.carried[frame] > 0.5 && !apart[frame];
    let feet = |frame: usize| stance.clearance_of_feet[frame] + above;
    let spans = |holds: &dyn Fn(usize) -> bool| -> Vec<(f64, f64, f64)> {
        let long = |&(first, end): &(usize, usize)| (end - first) as f64 * frames.time >= LEAST_TIME;
        let of = |(first, end): (usize, usize)| {
            // Within the tolerance feet stand at their level, and that is over the floor by `above`.
            let over_level = |of: &dyn Fn(usize) -> f64| {
                let own = median((first..end).map(of).collect()).unwrap_or(above) - above;
                let stands = above != 0.0 && (-SINKS * scale..FLOATS * scale).contains(&own);
                above + if stands { 0.0 } else { own }
            };
            let (height, of_feet) = (over_level(&clearance), over_level(&feet));
            (height, (end - first) as f64 * frames.time, of_feet)
        };
        runs((0..count).map(|frame| carried(frame) && holds(frame))).into_iter().filter(long).map(of).collect()
    };
    let floats = spans(&|frame| resting[frame].is_finite() && clearance(frame) > FLOATS * scale);
    let sinks = spans(&|frame| resting[frame] < -SINKS * scale);
    let seconds = |spans: &[(f64, f64, f64)]| spans.iter().map(|span| span.1).sum::<f64>();
    let highest = floats.iter().map(|span| span.0).fold(0.0, f64::max);
    let deepest = sinks.iter().map(|span| -span.0).fold(0.0, f64::max);
    let slip = slip(stance, frames, reach, LEAST_STANCE.max(6.0 * frames.time));
    Planted {
        float: (highest, seconds(&floats)),
        sink: (deepest, seconds(&sinks)),
        sink_of_feet: sinks.iter().map(|span| -span.2).fold(0.0, f64::max),
        depth: kept_depth(&(frames.all().map(with_edges).collect::<Vec<f64>>()), (0.05 / frames.time) as usize),
        slip: slip.velocity.length(),
        slip_is_sure: slip.velocity.length() > 2.5 * slip.uncertainty,
    }
}

/// The greatest depth that is kept for a window of frames.
fn kept_depth(clearance: &[f64], window: usize) -> f64 {
    let highest = |window: &[f64]| window.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let deepest = clearance.windows(window.max(2)).map(highest).fold(f64::INFINITY, f64::min);
    if deepest.is_finite() { (-deepest).max(0.0) } else { 0.0 }
}

impl Stance {
    /// Speed of the fastest standing point over the frames `first..end`, m/s; zero for a body without feet.
    pub(in crate::analysis) fn fastest_foot(&self, frames: &Frames, (first, end): (usize, usize)) -> f64 {
        let reach = frames.within(0.017);
        let speeds = (first..end).flat_map(|frame| {
            self.points.iter().map(move |point| frames.velocity(|f| point.track[f], frame, reach).length())
        });
        speeds.fold(0.0, f64::max)
    }

    /// Whether a foot stays near its level in two fifths of the frames `first..=last` while the body, at the horizontal `velocity` (m/s), leaves
    /// it behind: it may stand, on the tips of its toes or on a step. `scale` and `pace` are those of the body.
    pub(in crate::analysis) fn may_stand(
        &self,
        frames: &Frames,
        (first, last): (usize, usize),
        velocity: DVec3,
        (scale, pace): (f64, f64),
    ) -> bool {
        let over_ground = velocity - self.ground_velocity;
        let body = glam::DVec2::new(over_ground.x, over_ground.z).length();
        let most = (0.5 * body).min(0.6 * pace);
        let reach = frames.within(0.017);
        let stays = |point: &StandingPoint, frame: usize| {
            let speed = (frames.velocity(|f| point.track[f], frame, reach) - self.ground_velocity).length();
            point.height[frame] < 0.13 * scale && speed < most
        };
        let staying = (first..=last).filter(|&frame| self.points.iter().any(|point| stays(point, frame))).count();
        body > 0.3 * pace && 5 * staying >= 2 * (last + 1 - first)
    }
}

/// Velocity of the ground along its known way, m/s, by the points of the soles under the joints that stand: the joints themselves roll forward
/// over them.
pub(super) fn ground_under(stance: &Stance, world: &WorldMotion, frames: &Frames, size: &Size) -> DVec3 {
    let (way, known) = (stance.ground_velocity.normalize_or_zero(), stance.ground_velocity.length());
    let reach = frames.within(0.008);
    let of_sole = |point: &StandingPoint, frame: usize| {
        let over_sole = point.height[frame].max(0.0) + size.over_sole(point.kind).0;
        let down = world.rotation(point.bone, frame).conjugate() * DVec3::new(0.0, -over_sole, 0.0);
        frames.velocity(|f| world.point(point.bone, f, point.offset + down), frame, reach).dot(way)
    };
    let along = |frame: usize| {
        let stands =
            |point: &&StandingPoint| stance.touches(point.part, frame) && point.height[frame] < FLOATS * size.scale;
        let speeds = stance.points.iter().filter(stands).map(|point| of_sole(point, frame));
        speeds.max_by(f64::total_cmp).filter(|speed| *speed > 0.4 * known)
    };
    way * super::quantile(frames.all().filter_map(along).collect(), LAGGING).unwrap_or(0.0)
}

/// How the stances slide over their ground in common.
pub(super) struct Slip {
    /// Their common velocity, m/s.
    pub velocity: DVec3,
    /// Its uncertainty, m/s.
    pub uncertainty: f64,
    /// Number of stances.
    pub stances: usize,
}

/// Velocity at which the stances of `least` seconds and more slide over their ground in common, by the middle half of each, and its
/// uncertainty, m/s.
pub(super) fn slip(stance: &Stance, frames: &Frames, reach: usize, least: f64) -> Slip {
    let mut stances: Vec<(f64, DVec3)> = Vec::new();
    for parts in [0b0011_u8, 0b1100] {
        let points: Vec<&[DVec3]> =
            stance.points.iter().filter(|p| parts >> p.part & 1 == 1).map(|p| p.track.as_slice()).collect();
        for (first, end) in runs(stance.parts.iter().map(|touching| touching & parts != 0)) {
            if (end - first) as f64 * frames.time < least || end - first < 3 || points.is_empty() {
                continue;
            }
            let inner = (end - first) / 4;
            let along = |track: &&[DVec3], frame: usize| {
                let velocity = frames.velocity(|f| track[f], frame, reach) - stance.ground_velocity;
                DVec3::new(velocity.x, 0.0, velocity.z)
            };
            let slowest = |frame: usize| {
                let velocities = points.iter().map(|track| along(track, frame));
                velocities.min_by(|a, b| a.length_squared().total_cmp(&b.length_squared())).unwrap_or(DVec3::ZERO)
            };
            let (first, end) = (first + inner, end - inner);
            let mean = (first..end).map(slowest).sum::<DVec3>() / (end - first) as f64;
            stances.push(((end - first) as f64 * frames.time, mean));
        }
    }
    let middle = |of: &dyn Fn(&DVec3) -> f64| {
        super::weighted_quantile(stances.iter().map(|(weight, velocity)| (of(velocity), *weight)).collect(), 0.5)
    };
    let (Some(x), Some(z)) = (middle(&|v| v.x), middle(&|v| v.z)) else {
        return Slip { velocity: DVec3::ZERO, uncertainty: f64::INFINITY, stances: 0 };
    };
    let common = DVec3::new(x, 0.0, z);
    let spread = middle(&|v| v.distance(common)).unwrap_or(0.0);
    let uncertainty = spread / (stances.len() as f64).sqrt() + 0.004;
    Slip { velocity: common, uncertainty, stances: stances.len() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Settings;
    use crate::analysis::clip_contacts::standing;
    use crate::character::Character;
    use crate::motion::Clip;
    use crate::samples;

    fn stance(clip: &Clip) -> (Stance, Frames) {
        let character = Character { measured_contacts: false, ..samples::humanoid() };
        let found = standing(&character, clip, &Settings::default());
        (found.stance, Frames { range: (0, clip.frames()), time: clip.frame_time })
    }

    #[test]
    fn the_ground_of_a_walk_in_place_has_the_velocity_that_was_taken_from_the_root() {
        let mut walk = samples::walk();
        // The sample walks slowly, at 0.27 m/s.
        walk.frame_time /= 4.0;
        let (first, end) = (walk.frames() / 5, walk.frames() - walk.frames() / 5);
        let mut walk = walk.cut(first, end);
        let seconds = (walk.frames() - 1) as f64 * walk.frame_time;
        let way = walk.translation(0, walk.frames() - 1) - walk.translation(0, 0);
        let removed = DVec3::new(way.x, 0.0, way.z) / seconds;
        for frame in 0..walk.frames() {
            let back = removed * (frame as f64 * walk.frame_time);
            walk.set_translation(0, frame, walk.translation(0, frame) - back);
        }
        let ground = stance(&walk).0.ground_velocity;
        assert!((ground + removed).length() < 0.02 * removed.length(), "{ground} and {removed}");
    }

    #[test]
    fn a_foot_that_the_body_leaves_behind_may_stand() {
        // The sample walks slowly, at 0.27 m/s.
        let mut walk = samples::walk();
        walk.frame_time /= 3.0;
        let (stance, frames) = stance(&walk);
        let middle = (walk.frames() / 2 - 20, walk.frames() / 2 + 20);
        let seconds = (middle.1 - middle.0) as f64 * walk.frame_time;
        let velocity = (walk.translation(0, middle.1) - walk.translation(0, middle.0)) / seconds;
        assert!(stance.may_stand(&frames, middle, velocity, (1.0, 1.0)), "{velocity}");
        // Feet that stay with the body tell nothing.
        assert!(!stance.may_stand(&frames, middle, DVec3::ZERO, (1.0, 1.0)));
    }

    #[test]
    fn feet_that_fly_with_the_body_do_not_stand() {
        let jump = samples::jump();
        let (stance, frames) = stance(&jump);
        let flight = (samples::jump::TAKE_OFF + 1, samples::jump::LANDING - 1);
        let seconds = (flight.1 - flight.0) as f64 * jump.frame_time;
        let velocity = (jump.translation(0, flight.1) - jump.translation(0, flight.0)) / seconds;
        assert!(!stance.may_stand(&frames, flight, velocity, (1.0, 1.0)), "{velocity}");
        assert!(stance.fastest_foot(&frames, flight) < 6.0);
    }
}
