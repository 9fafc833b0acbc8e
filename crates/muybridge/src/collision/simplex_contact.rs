//! Contact of a moving point, segment or triangle with an obstacle: planes that the simplex must stay in front of.
//!
//! Everything is computed in the frame of the obstacle, so a moving obstacle counts as fixed. A contact is found in one
//! of three ways:
//!
//! - a simplex that may have reached the obstacle since `before` is swept there and held by the plane of the first
//!   contact (J37);
//! - a simplex that passes through a thin obstacle goes to the side on which its limb begins (`home`);
//! - any other simplex is held at its corners and its closest point by the gradient of the distance.
//!
//! Balls, capsules and triangles are simplices, whose distance is exact. Boxes, cylinders, hulls and height fields are
//! solids with a signed distance. Specification: mathematics 3.3, 3.16, 4.9 (J5–J7, J31, J37).

use glam::DVec3;

use super::broad_phase::Aabb;
use super::height_field::THICKNESS;
use super::obstacle::ObstacleShape;
use super::signed_distance::{Signed, least_inside, to_box, to_cylinder};
use super::simplex::{Simplex, closest, corner};
use super::sweep::first_touch;

/// Moving simplex, in the frame of the obstacle.
#[derive(Clone, Copy, Debug)]
pub struct MovingSimplex {
    /// Simplex at the start of the motion.
    pub before: Simplex,
    /// Simplex at its end.
    pub now: Simplex,
    /// Present start of the limb that the simplex belongs to: the side to which it returns if it passes through an
    /// obstacle.
    pub home: DVec3,
}

/// Contact plane: `normal · (P − point) ≥ radius` for the point `P` of the simplex with `weights`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactPlane {
    /// Weights of the corners of the simplex.
    pub weights: [f64; 3],
    /// Point of the obstacle.
    pub point: DVec3,
    /// Unit vector away from the obstacle.
    pub normal: DVec3,
    /// Distance of the weighted point from the obstacle before the motion, meters.
    pub before: f64,
    /// Distance of the whole simplex from it before the motion, meters: a flat contact is held by its corners, which may be a
    /// little farther.
    pub apart: f64,
}

/// Distance of cores below which they count as touching, meters.
pub const TOUCHING: f64 = 1e-9;
/// Distance at which a sweep ends, meters.
pub const SWEPT: f64 = 1e-6;
/// Margin in meters by which a closest point must be nearer than the corners to count. On flat contacts the closest
/// points are arbitrary; corners then keep resting contacts in place.
pub const FLAT: f64 = 1e-5;
/// Cosine of 45°: greatest angle between the directions of two corners for one plane to hold both.
pub const ALIKE: f64 = 0.7;

/// Calls `found` with every contact of `core` and a shape that is nearer than `reach`.
pub fn touches(shape: &ObstacleShape, core: &MovingSimplex, reach: f64, found: &mut dyn FnMut(ContactPlane)) {
    match shape {
        ObstacleShape::HalfSpace => plane(core, DVec3::Y, 0.0, reach, found),
        ObstacleShape::Room { least, most } => {
            for (axis, i) in DVec3::AXES.into_iter().zip(0..) {
                plane(core, axis, least[i], reach, found);
                plane(core, -axis, -most[i], reach, found);
            }
        }
        ObstacleShape::Sphere { radius } => rounded(core, &Simplex::point(DVec3::ZERO), *radius, reach, found),
        ObstacleShape::Capsule { radius, half_length } => {
            let axis = DVec3::Y * *half_length;
            rounded(core, &Simplex::segment([-axis, axis]), *radius, reach, found);
        }
        ObstacleShape::Mesh(mesh) => mesh.query_aabb(&core.bounds().grown(reach), |triangle| {
            rounded(core, triangle, 0.0, reach, found);
        }),
        ObstacleShape::Box { .. }
        | ObstacleShape::Cylinder { .. }
        | ObstacleShape::Hull(_)
        | ObstacleShape::HeightField(_) => solid(shape, core, reach, found),
    }
}

impl MovingSimplex {
    /// AABB of the simplex, now and before.
    pub fn bounds(&self) -> Aabb {
        Aabb::around(self.now.corners.into_iter().chain(self.before.corners))
    }

    fn at(&self, t: f64) -> Simplex {
        self.before.mixed(&self.now, t)
    }

    fn contact_plane(&self, weights: [f64; 3], point: DVec3, normal: DVec3) -> ContactPlane {
        let before = normal.dot(self.before.at(weights) - point);
        ContactPlane { weights, point, normal, before, apart: before }
    }

    /// Calls `found` with the corners that the plane through `point` holds.
    fn hold_corners(&self, point: DVec3, normal: DVec3, reach: f64, found: &mut dyn FnMut(ContactPlane)) {
        for i in 0..self.now.count {
            if normal.dot(self.now.corners[i] - point) < reach {
                found(self.contact_plane(corner(i), point, normal));
            }
        }
    }
}

/// Contacts of corners behind or near a plane `normal · x = offset`.
fn plane(core: &MovingSimplex, normal: DVec3, offset: f64, reach: f64, found: &mut dyn FnMut(ContactPlane)) {
    core.hold_corners(normal * offset, normal, reach, found);
}

/// Contacts with a simplex rounded by `radius`.
fn rounded(core: &MovingSimplex, target: &Simplex, radius: f64, reach: f64, found: &mut dyn FnMut(ContactPlane)) {
    let distance = closest(&core.before, target).distance();
    let (apart, greatest_move) = (distance - radius, core.now.greatest_move(&core.before));
    if distance > TOUCHING && apart > -SWEPT && greatest_move >= apart {
        let distance = |t| closest(&core.at(t), target).distance() - radius;
        if let Some(t) = first_touch(distance, greatest_move, SWEPT) {
            let (there, hit) = (core.at(t), closest(&core.at(t), target));
            let normal = hit.apart.normalize_or_zero();
            let point = there.at(hit.first) - normal * (hit.distance() - radius);
            found(core.contact_plane(hit.first, point, normal));
            // The other end of what is swept turns into the target as well.
            for i in (0..core.now.count).filter(|&i| corner(i) != hit.first) {
                let way = there.corners[i] - target.at(target.closest_to(there.corners[i]));
                if normal.dot(core.now.corners[i] - point) < reach && normal.dot(way) > ALIKE * way.length() {
                    found(core.contact_plane(corner(i), point, normal));
                }
            }
            return;
        }
    }
    let nearest = closest(&core.now, target);
    if nearest.distance() == 0.0 && target.count == 3 {
        let normal = target.normal();
        let side = 1.0_f64.copysign(normal.dot(core.home - target.corners[0]));
        core.hold_corners(target.corners[0], normal * side, reach, found);
        return;
    }
    let mut least = f64::INFINITY;
    let mut offer = |weights: [f64; 3], way: DVec3, closer: f64| {
        let distance = way.length();
        let counts = distance < least - closer;
        least = least.min(distance);
        if !counts || distance - radius >= reach || distance == 0.0 {
            return;
        }
        let normal = way / distance;
        let was = core.before.at(weights);
        // Beyond a thin sheet beside this one, which holds the simplex: this sheet must not pull it through.
        if radius == 0.0 && normal.dot(was - core.now.at(weights) + way) < 0.0 {
            return;
        }
        let before = was.distance(target.at(target.closest_to(was))) - radius;
        let point = core.now.at(weights) - normal * (distance - radius);
        found(ContactPlane { weights, point, normal, before, apart });
    };
    for i in (0..core.now.count).filter(|_| core.now.count > 1) {
        let place = core.now.corners[i];
        offer(corner(i), place - target.at(target.closest_to(place)), f64::NEG_INFINITY);
    }
    offer(nearest.first, nearest.apart, FLAT);
}

/// Contacts with a solid.
fn solid(shape: &ObstacleShape, core: &MovingSimplex, reach: f64, found: &mut dyn FnMut(ContactPlane)) {
    let greatest_move = core.now.greatest_move(&core.before);
    let apart = least_distance(shape, &core.before, reach + greatest_move).1.distance;
    if apart > -SWEPT && greatest_move >= apart {
        let distance = |t| least_distance(shape, &core.at(t), reach + greatest_move).1.distance;
        if let Some(t) = first_touch(distance, greatest_move, SWEPT) {
            swept(shape, core, t, reach, found);
            return;
        }
    }
    if apart <= TOUCHING && passes_through(shape, &core.now, reach) {
        let home = signed(shape, core.home, f64::INFINITY);
        if home.distance > 0.0 {
            core.hold_corners(core.home - home.normal * home.distance, home.normal, reach, found);
            return;
        }
    }
    let mut least = f64::INFINITY;
    let mut offer = |weights: [f64; 3], closer: f64| {
        let place = core.now.at(weights);
        let Signed { distance, normal } = signed(shape, place, reach);
        let counts = distance < least - closer;
        least = least.min(distance);
        if counts && distance < reach && !is_far_below(shape, &core.now, distance + reach) {
            let before = signed(shape, core.before.at(weights), reach).distance;
            found(ContactPlane { weights, point: place - normal * distance, normal, before, apart });
        }
    };
    (0..core.now.count).for_each(|i| offer(corner(i), f64::NEG_INFINITY));
    if core.now.count > 1
        && let Some(weights) = least_within(shape, &core.now, reach)
    {
        offer(weights, FLAT);
    }
}

/// Whether a signed distance is far below the ground of a height field that the simplex does not cross.
fn is_far_below(shape: &ObstacleShape, core: &Simplex, distance: f64) -> bool {
    let ObstacleShape::HeightField(field) = shape else { return false };
    let mut crosses = distance > -THICKNESS;
    if !crosses {
        field.query_aabb(&Aabb::around(core.corners), |triangle| crosses |= closest(core, triangle).distance() == 0.0);
    }
    !crosses
}

/// Holds the point of first contact, and corners that come from the same side, by the plane of that contact.
fn swept(shape: &ObstacleShape, core: &MovingSimplex, t: f64, reach: f64, found: &mut dyn FnMut(ContactPlane)) {
    let there = core.at(t);
    let (weights, hit) = least_distance(shape, &there, reach);
    let point = there.at(weights) - hit.normal * hit.distance;
    found(core.contact_plane(weights, point, hit.normal));
    for i in 0..core.now.count {
        let was = signed(shape, core.before.corners[i], f64::INFINITY);
        let beyond = hit.normal.dot(core.now.corners[i] - point) < reach;
        if beyond && weights != corner(i) && was.distance > -SWEPT && was.normal.dot(hit.normal) > ALIKE {
            found(core.contact_plane(corner(i), point, hit.normal));
        }
    }
}

/// Whether two corners outside a solid are on opposite sides of it while a point between them is inside.
fn passes_through(shape: &ObstacleShape, core: &Simplex, reach: f64) -> bool {
    if core.count < 2 || least_distance(shape, core, reach).1.distance > 0.0 {
        return false;
    }
    let corners = core.corners.map(|p| signed(shape, p, f64::INFINITY));
    let opposite = |a: Signed, b: Signed| a.distance > 0.0 && b.distance > 0.0 && a.normal.dot(b.normal) < -0.5;
    opposite(corners[0], corners[1]) || opposite(corners[1], corners[2]) || opposite(corners[2], corners[0])
}

/// Signed distance of a point to a solid and its gradient; infinite if a height field or mesh has nothing within
/// `reach`.
pub fn signed(shape: &ObstacleShape, p: DVec3, reach: f64) -> Signed {
    let beyond = Signed { distance: f64::INFINITY, normal: DVec3::Y };
    match shape {
        ObstacleShape::HalfSpace => Signed { distance: p.y, normal: DVec3::Y },
        ObstacleShape::Box { half_extents } => to_box(p, *half_extents),
        ObstacleShape::Cylinder { radius, half_length } => to_cylinder(p, *radius, *half_length),
        ObstacleShape::Hull(hull) => hull.to_point(p),
        ObstacleShape::HeightField(field) => {
            let size = field.bounds();
            let reach = reach.min((size.most - size.least).length() + 1.0);
            field.to_point(p, reach).unwrap_or(beyond)
        }
        ObstacleShape::Sphere { radius } => rounded_distance(p, &Simplex::point(DVec3::ZERO), *radius),
        ObstacleShape::Capsule { radius, half_length } => {
            let axis = DVec3::Y * *half_length;
            rounded_distance(p, &Simplex::segment([-axis, axis]), *radius)
        }
        ObstacleShape::Room { least, most } => {
            let center = 0.5 * (*least + *most);
            let Signed { distance, normal } = to_box(p - center, 0.5 * (*most - *least));
            Signed { distance: -distance, normal: -normal }
        }
        ObstacleShape::Mesh(mesh) => {
            let mut nearest = beyond;
            let bounds = Aabb::around([p]).grown(reach);
            mesh.query_aabb(&bounds, |triangle| {
                let here = rounded_distance(p, triangle, 0.0);
                if here.distance < nearest.distance {
                    nearest = here;
                }
            });
            nearest
        }
    }
}

fn rounded_distance(p: DVec3, target: &Simplex, radius: f64) -> Signed {
    let apart = p - target.at(target.closest_to(p));
    let normal = apart.try_normalize().unwrap_or(DVec3::Y);
    Signed { distance: apart.length() - radius, normal }
}

/// Point of a simplex that is nearest to a solid or deepest in it: weights, distance and direction.
fn least_distance(shape: &ObstacleShape, core: &Simplex, reach: f64) -> ([f64; 3], Signed) {
    let mut best = (corner(0), signed(shape, core.corners[0], reach));
    let mut offer = |weights: [f64; 3]| {
        let here = signed(shape, core.at(weights), reach);
        if here.distance < best.1.distance {
            best = (weights, here);
        }
    };
    (1..core.count).for_each(|i| offer(corner(i)));
    if core.count > 1
        && let Some(weights) = least_within(shape, core, reach)
    {
        offer(weights);
    }
    best
}

/// Nearest or deepest point that is not a corner; `None` if there is none inside an edge or face.
fn least_within(shape: &ObstacleShape, core: &Simplex, reach: f64) -> Option<[f64; 3]> {
    let mut best = (None, f64::INFINITY);
    let mut offer = |weights: [f64; 3]| {
        let distance = signed(shape, core.at(weights), reach).distance;
        if distance < best.1 && weights.iter().all(|&w| w < 0.999) {
            best = (Some(weights), distance);
        }
    };
    match shape {
        ObstacleShape::HeightField(field) => {
            let bounds = Aabb::around(core.corners).grown(reach);
            field.query_aabb(&bounds, |triangle| offer(closest(core, triangle).first));
        }
        _ => {
            let edges = if core.count == 2 { 1 } else { 3 };
            for (i, j) in [(0, 1), (1, 2), (2, 0)].into_iter().take(edges) {
                let along = core.corners[j] - core.corners[i];
                let at = |t: f64| signed(shape, core.corners[i] + along * t, reach);
                if let Some(t) = least_inside(|t| at(t).normal.dot(along)) {
                    let mut weights = [0.0; 3];
                    (weights[i], weights[j]) = (1.0 - t, t);
                    offer(weights);
                }
            }
            if core.count == 3 {
                for_features(shape, core, &mut offer);
            }
        }
    }
    best.0
}

/// Calls `offer` with the points of a triangle closest to features of a solid that may poke into its inside.
fn for_features(shape: &ObstacleShape, core: &Simplex, offer: &mut dyn FnMut([f64; 3])) {
    match shape {
        ObstacleShape::Box { half_extents } => {
            for i in 0..8 {
                let sign = |bit: usize| if i >> bit & 1 == 0 { 1.0 } else { -1.0 };
                offer(core.closest_to(*half_extents * DVec3::new(sign(0), sign(1), sign(2))));
            }
        }
        ObstacleShape::Hull(hull) => hull.corners().iter().for_each(|&p| offer(core.closest_to(p))),
        ObstacleShape::Cylinder { half_length, .. } => {
            let axis = DVec3::Y * *half_length;
            offer(closest(core, &Simplex::segment([-axis, axis])).first);
        }
        _ => {}
    }
}

/// AABB of a shape in its own frame; `None` for half-spaces and rooms. That of a height field reaches [`THICKNESS`] below it.
pub fn bounds(shape: &ObstacleShape) -> Option<Aabb> {
    let around = |half: DVec3| Some(Aabb { least: -half, most: half });
    match shape {
        ObstacleShape::HalfSpace | ObstacleShape::Room { .. } => None,
        ObstacleShape::Sphere { radius } => around(DVec3::splat(*radius)),
        ObstacleShape::Capsule { radius, half_length } => around(DVec3::new(*radius, radius + half_length, *radius)),
        ObstacleShape::Cylinder { radius, half_length } => around(DVec3::new(*radius, *half_length, *radius)),
        ObstacleShape::Box { half_extents } => around(*half_extents),
        ObstacleShape::Hull(hull) => Some(hull.bounds()),
        ObstacleShape::Mesh(mesh) => Some(mesh.bounds()),
        ObstacleShape::HeightField(field) => {
            let Aabb { least, most } = field.bounds();
            Some(Aabb { least: least - DVec3::Y * THICKNESS, most })
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use parry3d_f64::math::Pose;
    use parry3d_f64::query::distance;
    use parry3d_f64::shape::{ConvexPolyhedron, Cuboid, Cylinder, Segment, Shape, Triangle};

    use super::*;
    use crate::collision::signed_distance::ConvexHull;
    use crate::math::random::Random;

    /// Least distance among the contacts of a simplex at rest.
    fn least(shape: &ObstacleShape, core: Simplex) -> f64 {
        let mut least = f64::INFINITY;
        touches(shape, &MovingSimplex { before: core, now: core, home: core.corners[0] }, 9.0, &mut |touch| {
            least = least.min(touch.normal.dot(core.at(touch.weights) - touch.point));
        });
        least
    }

    #[test]
    fn segments_and_triangles_are_as_far_from_solids_as_a_second_library_says() {
        let mut random = Random::new(41);
        let points: Vec<DVec3> = (0..12).map(|_| random.vector()).collect();
        let half = DVec3::new(0.5, 0.8, 0.3);
        let shapes: [(ObstacleShape, Box<dyn Shape>); 3] = [
            (ObstacleShape::Box { half_extents: half }, Box::new(Cuboid::new(half))),
            (ObstacleShape::Cylinder { radius: 0.5, half_length: 0.7 }, Box::new(Cylinder::new(0.7, 0.5))),
            (
                ObstacleShape::Hull(Arc::new(ConvexHull::new(&points).unwrap())),
                Box::new(ConvexPolyhedron::from_convex_hull(&points).unwrap()),
            ),
        ];
        for (shape, other) in &shapes {
            for _ in 0..1000 {
                let center = random.vector() * 2.0;
                let [a, b, c] = [random.vector(), random.vector(), random.vector()].map(|p| center + p);
                let apart =
                    |core: &dyn Shape| distance(&Pose::IDENTITY, core, &Pose::IDENTITY, other.as_ref()).unwrap();
                let (segment, triangle) = (apart(&Segment::new(a, b)), apart(&Triangle::new(a, b, c)));
                let (ours, theirs) = (least(shape, Simplex::segment([a, b])), segment);
                assert!(theirs == 0.0 && ours < 1e-6 || (ours - theirs).abs() < 1e-5, "{shape:?} {ours} {theirs}");
                // Contacts of a cylinder's rim with the inside of a triangle are searched only approximately.
                let (ours, theirs) = (least(shape, Simplex::triangle([a, b, c])), triangle);
                let far = if matches!(shape, ObstacleShape::Cylinder { .. }) { 0.05 } else { 1e-5 };
                assert!(theirs == 0.0 || (ours - theirs).abs() < far, "{shape:?} {ours} {theirs}");
            }
        }
    }

    #[test]
    fn j37_a_limb_through_a_wall_goes_to_the_side_on_which_it_begins() {
        let wall = ObstacleShape::Box { half_extents: DVec3::new(0.01, 2.0, 2.0) };
        let sheet = crate::collision::mesh::TriMesh::new(
            &[DVec3::new(0.0, -2.0, -2.0), DVec3::new(0.0, 4.0, -2.0), DVec3::new(0.0, -2.0, 4.0)],
            &[[0, 1, 2]],
        );
        let limb = Simplex::segment([DVec3::new(0.1, 0.0, 0.0), DVec3::new(-0.3, 0.1, 0.0)]);
        for shape in [wall, ObstacleShape::Mesh(Arc::new(sheet.unwrap()))] {
            for side in [-1.0, 1.0] {
                let home = DVec3::new(0.5 * side, 0.0, 0.0);
                let mut count = 0;
                touches(&shape, &MovingSimplex { before: limb, now: limb, home }, 0.05, &mut |touch| {
                    assert!(touch.normal.x * side > 0.99, "{touch:?}");
                    count += 1;
                });
                assert!(count > 0);
            }
        }
    }
}
