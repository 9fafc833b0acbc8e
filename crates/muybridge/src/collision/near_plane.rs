//! Fixed planes that something inside a box may reach: half-spaces, and the faces of boxes.

use glam::DVec3;

use super::broad_phase::Aabb;
use super::obstacle::{Obstacle, ObstacleShape};
use super::simplex_contact::bounds;

/// What a body inside a box may reach of an obstacle in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Near {
    /// Nothing of it.
    Nothing,
    /// A fixed plane: unit normal and offset, meters.
    Plane((DVec3, f64)),
    /// Anything else.
    Other,
}

/// What of an obstacle can be reached from inside `reach` within some seconds. The face of a box is a plane for what lies
/// above it, inside its borders.
pub(crate) fn plane_near(obstacle: &Obstacle, reach: &Aabb, seconds: f64) -> Near {
    let is_fixed = obstacle.velocity == DVec3::ZERO && obstacle.spin == DVec3::ZERO;
    if let ObstacleShape::HalfSpace = obstacle.shape {
        let normal = obstacle.rotation * DVec3::Y;
        let offset = normal.dot(obstacle.position);
        return match is_fixed {
            _ if lowest(reach, normal) > offset + obstacle.velocity.length() * seconds
                && obstacle.spin == DVec3::ZERO =>
            {
                Near::Nothing
            }
            true => Near::Plane((normal, offset)),
            false => Near::Other,
        };
    }
    let Some(size) = bounds(&obstacle.shape).map(|bounds| bounds.least.abs().max(bounds.most.abs()).length()) else {
        return Near::Other;
    };
    let size = size + obstacle.velocity.length() * seconds;
    let nearest = obstacle.position.clamp(reach.least, reach.most);
    // A number that is not finite is near.
    if nearest.distance(obstacle.position) > size {
        return Near::Nothing;
    }
    match obstacle.shape {
        ObstacleShape::Box { half_extents } if is_fixed => face_near(obstacle, half_extents, reach),
        _ => Near::Other,
    }
}

/// The face of a box that `reach` is above, inside its borders.
fn face_near(obstacle: &Obstacle, half: DVec3, reach: &Aabb) -> Near {
    let middle = obstacle.pose().to_local(0.5 * (reach.least + reach.most));
    let extent = 0.5 * (reach.most - reach.least);
    let axes = DVec3::AXES.map(|axis| obstacle.rotation * axis);
    let extent = DVec3::from_array(axes.map(|axis| axis.abs().dot(extent)));
    let (least, most) = (middle - extent, middle + extent);
    if least.cmpgt(half).any() || most.cmplt(-half).any() {
        return Near::Nothing;
    }
    for (axis, direction) in axes.into_iter().enumerate() {
        let is_inside = |other: usize| other == axis || (least[other] >= -half[other] && most[other] <= half[other]);
        let side = if middle[axis] > 0.0 { 1.0 } else { -1.0 };
        if (0..3).all(is_inside) && extent[axis] < side * middle[axis] {
            let normal = direction * side;
            return Near::Plane((normal, normal.dot(obstacle.position) + half[axis]));
        }
    }
    Near::Other
}

/// Least offset of a box along a direction, meters.
pub(crate) fn lowest(reach: &Aabb, normal: DVec3) -> f64 {
    let corner = DVec3::select(normal.cmpge(DVec3::ZERO), reach.least, reach.most);
    normal.dot(corner)
}
