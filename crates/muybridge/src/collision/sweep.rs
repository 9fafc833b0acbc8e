//! Continuous collision detection: time of impact by conservative advancement.
//!
//! ```text
//! t ← t + d(t) / v        d: distance at time t,  v: greatest change of d per unit of t
//! ```
//! No step goes past the first contact (Mirtich 1996), so no motion is too fast and no obstacle too thin. From 0 to 1
//! the corners move on straight lines. Specification: mathematics 3.16 (J37).

use glam::DVec3;

use super::broad_phase::Aabb;
use super::simplex::{Simplex, closest};
use super::simplex_contact::{bounds, signed};
use super::{Obstacle, ObstacleShape};

/// Time of impact: the first `t` in 0..=1 at which `distance(t)` is at most `tolerance`; `None` without contact.
/// `greatest_move` is the greatest change of the distance from 0 to 1, meters. A grazing path may be stopped slightly
/// early, never late.
pub fn first_touch(distance: impl Fn(f64) -> f64, greatest_move: f64, tolerance: f64) -> Option<f64> {
    let mut t = 0.0;
    for _ in 0..MOST_STEPS {
        let gap = distance(t);
        if gap <= tolerance {
            return Some(t);
        }
        t += gap / greatest_move;
        if t > 1.0 || t.is_nan() {
            return None;
        }
    }
    Some(t)
}

/// Way of a ball of radius `reach` (meters) in so many seconds, in its own radii, if it goes far in them and may then meet this
/// obstacle and the obstacle is thin; otherwise 0. What has turned through it within a long substep stays behind it.
pub(crate) fn way_at_thin(
    obstacle: &Obstacle,
    (center, velocity): (DVec3, DVec3),
    (reach, margin): (f64, f64),
    seconds: f64,
) -> f64 {
    let passing = obstacle.velocity_at(center);
    let way = (velocity - passing) * seconds;
    if !(way.length() > MOST_WAY * reach && reach > 0.0 && is_thin(&obstacle.shape, THIN * reach)) {
        return 0.0;
    }
    let pose = obstacle.pose();
    let path = Simplex::segment([center, center + way].map(|p| pose.to_local(p)));
    let reached = reach + margin;
    let around = Aabb::around(path.corners).grown(reached);
    let mut is_near = false;
    let mut look = |triangle: &Simplex| is_near = is_near || closest(&path, triangle).distance() <= reached;
    match &obstacle.shape {
        ObstacleShape::Mesh(mesh) => mesh.query_aabb(&around, &mut look),
        ObstacleShape::HeightField(field) => field.query_aabb(&around, &mut look),
        shape => {
            let [start, end] = [path.corners[0], path.corners[1]];
            let gap = |t: f64| signed(shape, start.lerp(end, t), f64::INFINITY).distance - reached;
            is_near = first_touch(gap, way.length(), TOUCHED * reach).is_some();
        }
    }
    if is_near { way.length() / reach } else { 0.0 }
}

/// Whether a shape pushes out on the wrong side what is so deep in it, meters.
fn is_thin(shape: &ObstacleShape, depth: f64) -> bool {
    match shape {
        ObstacleShape::HalfSpace | ObstacleShape::Room { .. } => false,
        ObstacleShape::Mesh(_) | ObstacleShape::HeightField(_) => true,
        _ => bounds(shape).is_some_and(|it| (it.most - it.least).min_element() < 2.0 * depth),
    }
}

/// Depth that a body may reach in a substep in which it turns, and the distance at which it meets something, in its own radii.
const THIN: f64 = 2.0;
const TOUCHED: f64 = 0.01;

/// Greatest way of a body in a substep near what is thin, in its own radii.
pub(crate) const MOST_WAY: f64 = 0.5;

/// Greatest number of steps; a straight approach needs two or three.
const MOST_STEPS: u32 = 48;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_thrown_through_a_sheet_stops_at_the_sheet() {
        let hit = first_touch(|t| (1.0 - 3.0 * t).abs(), 3.0, 1e-9);
        assert!((hit.unwrap() - 1.0 / 3.0).abs() < 1e-9);
    }

    #[test]
    fn what_ends_before_the_sheet_touches_nothing() {
        assert_eq!(first_touch(|t| 1.0 - 0.9 * t, 0.9, 1e-9), None);
        assert_eq!(first_touch(|_| 1.0, 0.0, 1e-9), None);
        assert_eq!(first_touch(|_| f64::NAN, 1.0, 1e-9), None);
    }
}
