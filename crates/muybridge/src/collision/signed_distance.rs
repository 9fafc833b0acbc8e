//! Signed distance of a point to a convex solid, with its gradient.
//!
//! Outside it is the distance to the closest point of the surface, inside minus the distance to the closest face. The
//! signed distance of a convex solid is a convex function; its minimum along a segment is found by bisection on its
//! slope. Solids are in their own frame; long ones lie along y.

use glam::DVec3;

use super::broad_phase::Aabb;
use super::obstacle::ObstacleError;
use super::polytope::Polytope;
use super::quickhull::convex_hull;
use super::simplex::Simplex;

/// Signed distance with the direction in which it grows fastest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Signed {
    /// Signed distance, meters; negative inside.
    pub distance: f64,
    /// Outward unit vector: gradient of the distance.
    pub normal: DVec3,
}

/// Signed distance of `p` to a box around the origin.
pub fn to_box(p: DVec3, half_extents: DVec3) -> Signed {
    let beyond = p.abs() - half_extents;
    let sign = |i: usize| 1.0_f64.copysign(p[i]);
    if beyond.max_element() <= 0.0 {
        let axis = greatest_axis(beyond);
        let mut normal = DVec3::ZERO;
        normal[axis] = sign(axis);
        return Signed { distance: beyond[axis], normal };
    }
    let outside = beyond.max(DVec3::ZERO);
    let distance = outside.length();
    Signed { distance, normal: outside * DVec3::new(sign(0), sign(1), sign(2)) / distance }
}

/// Signed distance of `p` to a flat-ended cylinder along y around the origin.
pub fn to_cylinder(p: DVec3, radius: f64, half_length: f64) -> Signed {
    let across = DVec3::new(p.x, 0.0, p.z);
    let from_axis = across.length();
    let outward = if from_axis > 0.0 { across / from_axis } else { DVec3::X };
    let upward = DVec3::new(0.0, 1.0_f64.copysign(p.y), 0.0);
    let (sideways, along) = (from_axis - radius, p.y.abs() - half_length);
    if sideways <= 0.0 || along <= 0.0 {
        if sideways > along {
            return Signed { distance: sideways, normal: outward };
        }
        return Signed { distance: along, normal: upward };
    }
    let distance = (sideways * sideways + along * along).sqrt();
    Signed { distance, normal: (outward * sideways + upward * along) / distance }
}

fn greatest_axis(v: DVec3) -> usize {
    if v.x >= v.y && v.x >= v.z { 0 } else { 1 + usize::from(v.z > v.y) }
}

/// Convex hull of points.
#[derive(Clone, Debug, PartialEq)]
pub struct ConvexHull {
    corners: Vec<DVec3>,
    faces: Vec<Simplex>,
    /// Outward unit normal and offset of every face: `normal · x = offset`.
    planes: Vec<(DVec3, f64)>,
    polytope: Polytope,
    bounds: Aabb,
}

impl ConvexHull {
    /// Hull of at least four points that are not in one plane. Fails if the points are coplanar or one is not finite.
    pub fn new(points: &[DVec3]) -> Result<Self, ObstacleError> {
        if let Some(point) = points.iter().position(|p| !p.is_finite()) {
            return Err(ObstacleError::PointNotFinite { point });
        }
        let (corners, triangles) = convex_hull(points).ok_or(ObstacleError::FlatHull { points: points.len() })?;
        let faces = triangles.iter().map(|t| Simplex::triangle(t.map(|i| corners[i as usize])));
        let faces: Vec<Simplex> = faces.filter(|face| face.normal() != DVec3::ZERO).collect();
        let planes = faces.iter().map(|face| (face.normal(), face.normal().dot(face.corners[0]))).collect();
        let polytope = Polytope::new(&corners, &triangles);
        let bounds = Aabb::around(corners.iter().copied());
        Ok(Self { corners, faces, planes, polytope, bounds })
    }

    /// Corners, meters.
    pub fn corners(&self) -> &[DVec3] {
        &self.corners
    }

    /// Box around the corners.
    pub fn bounds(&self) -> Aabb {
        self.bounds
    }

    /// Triangular faces, corners counter-clockwise from outside.
    pub fn faces(&self) -> &[Simplex] {
        &self.faces
    }

    /// Faces of the hull as polygons, and the edges between them.
    pub fn polytope(&self) -> &Polytope {
        &self.polytope
    }

    /// Signed distance of `p` to the hull.
    pub fn to_point(&self, p: DVec3) -> Signed {
        let mut deepest = Signed { distance: f64::NEG_INFINITY, normal: DVec3::Y };
        for &(normal, offset) in &self.planes {
            let distance = normal.dot(p) - offset;
            if distance > deepest.distance {
                deepest = Signed { distance, normal };
            }
        }
        if deepest.distance <= 0.0 {
            return deepest;
        }
        let mut apart = DVec3::INFINITY;
        // Due to rounding, the point may lie in the plane of the nearest face.
        let slack = ROUNDING * p.length();
        for (face, &(normal, offset)) in self.faces.iter().zip(&self.planes) {
            if normal.dot(p) > offset - slack {
                let to_face = p - face.at(face.closest_to(p));
                if to_face.length_squared() < apart.length_squared() {
                    apart = to_face;
                }
            }
        }
        let distance = apart.length();
        if distance > 0.0 { Signed { distance, normal: apart / distance } } else { deepest }
    }
}

/// Rounding tolerance: distance of a point from a plane as a share of its distance from the origin.
const ROUNDING: f64 = 1e-12;

/// Parameter in the open interval 0..1 at which a convex function is least; `None` if the minimum is at an end. `slope`
/// is the derivative.
pub fn least_inside(slope: impl Fn(f64) -> f64) -> Option<f64> {
    // Not `slope(0.0) >= 0.0`: a NaN slope has no minimum.
    if !(slope(0.0) < 0.0 && slope(1.0) > 0.0) {
        return None;
    }
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if slope(middle) < 0.0 { low = middle } else { high = middle }
    }
    Some(0.5 * (low + high))
}

/// Bisection steps: a precision of a millionth of a segment's length.
const HALVINGS: u32 = 20;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::random::Random;

    fn cube() -> ConvexHull {
        let sides = [-1.0, 1.0];
        let corners = sides.map(|x| sides.map(|y| sides.map(|z| DVec3::new(x, y, z))));
        ConvexHull::new(corners.as_flattened().as_flattened()).unwrap()
    }

    #[test]
    fn a_hull_of_the_corners_of_a_box_is_as_far_as_the_box() {
        let (hull, mut random) = (cube(), Random::new(3));
        for _ in 0..2000 {
            let p = random.vector() * 2.0;
            let (a, b) = (hull.to_point(p), to_box(p, DVec3::ONE));
            assert!((a.distance - b.distance).abs() < 1e-12, "{p} {a:?} {b:?}");
            assert!((a.normal - b.normal).length() < 1e-9);
        }
    }

    #[test]
    fn the_normal_is_the_gradient_of_the_distance() {
        let mut random = Random::new(4);
        for _ in 0..500 {
            let p = random.vector() * 2.0;
            let step = random.vector() * 1e-6;
            let slope = (to_cylinder(p + step, 0.5, 1.0).distance - to_cylinder(p - step, 0.5, 1.0).distance) / 2.0;
            assert!((slope - to_cylinder(p, 0.5, 1.0).normal.dot(step)).abs() < 1e-9);
        }
    }

    #[test]
    fn a_hull_without_volume_is_refused_in_words() {
        let flat: Vec<DVec3> = (0..9).map(|i| DVec3::new(f64::from(i % 3), 0.0, f64::from(i / 3))).collect();
        for points in [&[][..], &[DVec3::ZERO; 5], &flat] {
            let message = ConvexHull::new(points).unwrap_err().to_string();
            assert!(message.contains("one plane"), "{message}");
        }
        assert_eq!(ConvexHull::new(&[DVec3::NAN]), Err(ObstacleError::PointNotFinite { point: 0 }));
    }
}
