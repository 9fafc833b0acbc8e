//! Support polygon of the contacts, and position of the zero-moment point relative to it (mathematics 6.5, S5, S27, S28).
//!
//! ```text
//! margin = −(signed distance of the zero-moment point to the hull)      positive inside, meters
//! normalized distance = distance / r_mean,  r_mean = max(perimeter/2π, ½ foot length)
//! ```

use glam::{DVec2, DVec3};

use super::contacts::{ContactScale, PointTracks};
use super::histogram::in_balance;
use super::report::Balance;
use crate::math::hull::{ConvexPolygon, from_ground, on_ground};

/// Half a foot length over leg length: least mean radius of a polygon, so that a point or a line has a finite one.
const HALF_FOOT_BY_LEG: f64 = 0.15;

/// Computes the support polygon: the convex hull of the touching points on the ground in one frame.
pub(crate) fn support_hull(points: &PointTracks, touching: &[Vec<bool>], frame: usize) -> ConvexPolygon {
    let spots: Vec<DVec2> =
        (0..points.len()).filter(|&p| touching[p][frame]).map(|p| on_ground(points.spot(p, frame))).collect();
    ConvexPolygon::new(&spots)
}

/// Corners of the support polygon at floor height.
pub(crate) fn corners_on_floor(hull: &ConvexPolygon, floor: f64) -> Vec<DVec3> {
    hull.corners().iter().map(|&corner| from_ground(corner, floor)).collect()
}

/// Corners of the support polygon at the heights of the places that they are below or above.
pub(crate) fn corners_on_places(hull: &ConvexPolygon, places: impl Iterator<Item = DVec3>) -> Vec<DVec3> {
    let places: Vec<DVec3> = places.collect();
    let place = |corner: &DVec2| {
        let apart = |place: &&DVec3| on_ground(**place).distance_squared(*corner);
        places.iter().min_by(|a, b| apart(a).total_cmp(&apart(b))).copied()
    };
    hull.corners().iter().filter_map(place).collect()
}

/// Lists the bones that touch in one frame, ascending, each once.
pub(crate) fn touching_bones(points: &PointTracks, touching: &[Vec<bool>], frame: usize) -> Vec<usize> {
    let mut bones: Vec<usize> = (0..points.len()).filter(|&p| touching[p][frame]).map(|p| points.bones[p]).collect();
    bones.sort_unstable();
    bones.dedup();
    bones
}

/// Computes distances of the zero-moment points from their support polygons, over the frames that have both. Returns the balance and the margins
/// per frame, meters.
pub(crate) fn balance(
    hulls: &[ConvexPolygon],
    zero_moment_points: &[Option<DVec3>],
    scale: &ContactScale,
) -> (Balance, Vec<Option<f64>>) {
    let least_radius = HALF_FOOT_BY_LEG * scale.length;
    let mut balance = Balance::default();
    let mut margins = Vec::with_capacity(hulls.len());
    for (hull, point) in hulls.iter().zip(zero_moment_points) {
        let point = point.filter(|_| !hull.is_empty()).map(on_ground);
        balance.normalized_distance.push(point.map(|p| hull.normalized_distance(p, least_radius)));
        margins.push(point.map(|p| -hull.signed_distance(p)));
    }
    refresh(&mut balance, &margins);
    (balance, margins)
}

/// Recomputes the fractions and the worst frame from the remaining distances and margins.
pub(crate) fn refresh(balance: &mut Balance, margins: &[Option<f64>]) {
    let fractions = in_balance(&balance.normalized_distance);
    balance.inside_fraction = fractions.map(|part| part.inside);
    balance.within_one_fraction = fractions.map(|part| part.within_one);
    balance.worst = margins
        .iter()
        .enumerate()
        .filter_map(|(frame, margin)| Some((-(*margin)?, frame)))
        .filter(|&(distance, _)| distance > 0.0)
        .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
}
