//! Motion artifacts: foot skating, floating and penetrating feet, the jump at the seam of a loop, and a stray first frame that is not part of
//! the motion.

use glam::DVec3;

use super::contacts::{ContactScale, Ground, PointTracks, median};
use super::report::Feet;
use crate::motion::WorldMotion;

/// Skating, floating and penetration over the frames `range`.
///
/// Foot skating is the mean horizontal speed, against the ground, of the slowest touching point of each frame. A rolling foot has a point at rest,
/// a sliding foot has none. Floating is the largest gap between the floor and the lowest point in frames that count as contact.
pub(crate) fn feet(points: &PointTracks, touching: &[Vec<bool>], ground: &Ground, range: (usize, usize)) -> Feet {
    let Some(floor) = ground.floor else { return Feet::default() };
    let mut feet = Feet::default();
    let mut skates = Vec::new();
    for frame in range.0..range.1 {
        let slide = |p: usize| {
            let velocity = points.velocity(p, frame, range) - ground.treadmill;
            DVec3::new(velocity.x, 0.0, velocity.z).length()
        };
        let slowest = (0..points.len()).filter(|&p| touching[p][frame]).map(slide).min_by(f64::total_cmp);
        skates.extend(slowest);
        if let Some((height, _)) = points.lowest(frame) {
            feet.penetration = feet.penetration.max(floor - height);
            if slowest.is_some() {
                feet.float = feet.float.max(height - floor);
            }
        }
    }
    if !skates.is_empty() {
        feet.skate = skates.iter().sum::<f64>() / skates.len() as f64;
    }
    feet
}

/// Jump over the seam of a loop, divided by the larger of the steps at both ends of the clip: at 1 the seam cannot be seen.
/// The step of an end is the smaller of its last two, so that a stray frame there does not hide the seam that it makes.
/// The root's horizontal travel over the loop is subtracted. `None` for clips of fewer than four frames.
pub(crate) fn loop_seam(world: &WorldMotion, bones: usize, range: (usize, usize)) -> Option<f64> {
    let (first, last) = (range.0, range.1 - 1);
    if last < first + 3 {
        return None;
    }
    let travel = world.position(0, last) - world.position(0, first);
    let travel = DVec3::new(travel.x, 0.0, travel.z);
    let way = |from: usize, to: usize, shift: DVec3| {
        (0..bones).map(|b| (world.position(b, to) - world.position(b, from) - shift).length()).sum::<f64>()
            / bones as f64
    };
    let step = |from: usize| way(from, from + 1, DVec3::ZERO);
    let usual = step(first).min(step(first + 1)).max(step(last - 1).min(step(last - 2)));
    let seam = way(last, first, -travel);
    (usual > 1e-6).then(|| seam / usual)
}

/// Number of frames at the start of the range that [`first_frame_is_foreign`] examines.
pub(crate) const LOOKED_AT: usize = 61;

/// True if frame `range.0` is a stray pose (such as a T-pose that an exporter put before the motion). The step to the next frame must be ten times
/// the largest of the 59 steps after it, and more than a tenth of the leg length.
pub(crate) fn first_frame_is_foreign(
    world: &WorldMotion,
    bones: usize,
    scale: &ContactScale,
    range: (usize, usize),
) -> bool {
    if range.1 - range.0 < 8 {
        return false;
    }
    let step = |frame: usize| {
        let steps = (0..bones).map(|b| world.position(b, frame + 1).distance(world.position(b, frame))).collect();
        let turns = (0..bones).map(|b| {
            let dot = world.rotation(b, frame + 1).dot(world.rotation(b, frame)).abs().min(1.0);
            scale.length * 2.0 * (1.0 - dot * dot).sqrt()
        });
        median(steps).unwrap_or(0.0).max(median(turns.collect()).unwrap_or(0.0))
    };
    let jump = step(range.0);
    let usual = (range.0 + 1..(range.0 + LOOKED_AT - 1).min(range.1 - 1)).map(step).fold(0.0, f64::max);
    jump > 10.0 * usual && jump > 0.1 * scale.length
}
