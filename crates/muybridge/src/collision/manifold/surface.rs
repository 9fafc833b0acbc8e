//! Contact of convex shapes with triangle surfaces: meshes and height fields.
//!
//! ```text
//! a triangle pushes along its normal, and beyond an edge along directions between its normal and the neighbor's:
//!
//!      ↑  ↗ →          ↑ ↑           ↑
//!    ────┐           ────────      ────────
//!        │           flat or       edge without
//!     convex         concave       neighbor: any direction in front
//! ```
//! A box that slides over a flat floor of many triangles is thus not caught by internal edges. Height fields push up
//! from any depth. Closed meshes push bodies out that have not passed through. Open meshes push to the nearer side.
//! Specification: mathematics 4.9 (J31).

use glam::DVec3;

use super::clip::{self, Points};
use super::core::{Core, CoreKind};
use super::{Manifold, ManifoldPoint, facing, gjk, separation, supported};
use crate::collision::broad_phase::Aabb;

/// Triangle of a surface with the normals of its neighbors, ordered by the edge from each corner to the next.
#[derive(Clone, Copy, Debug)]
pub struct Facet {
    /// Corners, meters; counter-clockwise from the front.
    pub corners: [DVec3; 3],
    /// Unit normals of the neighbors; `None` for an edge without a neighbor.
    pub neighbors: [Option<DVec3>; 3],
    /// Index of the triangle.
    pub index: usize,
}

/// Sides to which a surface pushes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SurfaceSides {
    /// Front side, from any depth: ground.
    Ground,
    /// Front side: a solid.
    Front,
    /// Both sides: a sheet.
    Both,
}

impl Facet {
    fn normal(&self) -> DVec3 {
        let [a, b, c] = self.corners;
        (b - a).cross(c - a).normalize_or_zero()
    }

    /// Whether the triangle may push along `m`, seen from the side of `normal` (`flip` −1 for the back).
    fn pushes(&self, m: DVec3, normal: DVec3, flip: f64) -> bool {
        let up = m.dot(normal);
        if up < 0.0 {
            return false;
        }
        (0..3).all(|edge| {
            let along = self.corners[(edge + 1) % 3] - self.corners[edge];
            let out = along.cross(normal * flip).normalize_or_zero();
            let lean = m.dot(out);
            if lean <= UPRIGHT {
                return true;
            }
            let Some(neighbor) = self.neighbors[edge] else { return true };
            let neighbor = neighbor * flip;
            let most = libm::atan2(neighbor.dot(out), neighbor.dot(normal));
            most > UPRIGHT && libm::atan2(lean, up) <= most + UPRIGHT
        })
    }
}

/// Sine below which a direction counts as upright, and an edge as flat.
const UPRIGHT: f64 = 1e-4;

/// Snaps `m` to the normal or its opposite if nearly equal.
fn upright(m: DVec3, normal: DVec3) -> DVec3 {
    let up = m.dot(normal);
    if up.abs() > 1.0 - UPRIGHT * UPRIGHT { normal * up.signum() } else { m }
}

/// AABB of a core with its radius.
fn bounds(a: &Core) -> Aabb {
    let reach = |axis: DVec3| a.corner(a.farthest(axis)).dot(axis);
    let most = DVec3::new(reach(DVec3::X), reach(DVec3::Y), reach(DVec3::Z));
    let least = -DVec3::new(reach(-DVec3::X), reach(-DVec3::Y), reach(-DVec3::Z));
    Aabb { least, most }.grown(a.radius)
}

/// Manifold of a core and one triangle, in the frame of the surface.
fn on_facet(a: &Core, facet: &Facet, sides: SurfaceSides, margin: f64) -> Manifold {
    let normal = facet.normal();
    let pushes =
        |m: DVec3| facet.pushes(m, normal, 1.0) || sides == SurfaceSides::Both && facet.pushes(m, -normal, -1.0);
    let b = Core::new(CoreKind::Triangle(facet.corners), 0.0, &super::Pose::HERE);
    let mut found = match gjk::closest_points(a, &b, margin.max(0.0) + a.radius) {
        gjk::GjkResult::Far => below(a, &b, normal, sides, margin),
        gjk::GjkResult::Near { on_a, on_b } => {
            let gap = on_a.distance(on_b);
            let m = upright((on_a - on_b) / gap, normal);
            if pushes(m) {
                facing(a, &b, m, ManifoldPoint { on_a, on_b, gap, feature: 0 }, margin)
            } else {
                below(a, &b, normal, sides, margin)
            }
        }
        gjk::GjkResult::Touching => {
            let axis = separation::greatest_gap(a, &b, &pushes);
            let axis = separation::SeparatingAxis { normal: upright(axis.normal, normal), ..axis };
            if axis.edges.is_some() {
                facing(a, &b, axis.normal, supported(a, &axis), margin)
            } else {
                // The support point may be beside the triangle; only points over the triangle count.
                over(a, &b, axis.normal, margin)
            }
        }
    };
    for point in &mut found.points[..found.count] {
        point.feature ^= (facet.index as u64 + 1).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    }
    found
}

/// Manifold of the points over a triangle along a normal.
fn over(a: &Core, b: &Core, normal: DVec3, margin: f64) -> Manifold {
    let mut points = Points::new();
    clip::meet(&a.facing(-normal), &b.facing(normal), normal, &mut points);
    points.rounded(normal, [a.radius, b.radius], margin);
    points.reduced(normal)
}

/// Manifold that lifts a core below the ground; empty for other surfaces.
fn below(a: &Core, b: &Core, normal: DVec3, sides: SurfaceSides, margin: f64) -> Manifold {
    if sides == SurfaceSides::Ground { over(a, b, normal, margin) } else { Manifold::NONE }
}

/// Reports the manifolds of a core with the facets that `near` finds. A triangle whose neighbors bend away may only
/// know long ways out; these are dropped if another triangle has a much shorter one.
pub(super) fn on_facets(
    a: &Core,
    sides: SurfaceSides,
    margin: f64,
    near: impl Fn(&Aabb, &mut dyn FnMut(&Facet)),
    found: &mut dyn FnMut(Manifold),
) {
    let around = bounds(a).grown(margin.max(0.0));
    let (mut shortest, mut is_deep) = (f64::INFINITY, false);
    near(&around, &mut |facet| {
        let one = on_facet(a, facet, sides, margin);
        let depth = -one.least_gap();
        if one.count > 0 && (sides == SurfaceSides::Ground || depth <= SHALLOW) {
            found(one);
        } else {
            is_deep |= one.count > 0;
        }
        if one.count > 0 && depth > 0.0 {
            shortest = shortest.min(depth);
        }
    });
    if is_deep {
        near(&around, &mut |facet| {
            let one = on_facet(a, facet, sides, margin);
            let depth = -one.least_gap();
            if one.count > 0 && depth > SHALLOW && depth <= MUCH * shortest + SHALLOW {
                found(one);
            }
        });
    }
}

/// Depth up to which a way out is always accepted, meters.
const SHALLOW: f64 = 5e-3;
/// Greatest ratio of a way out to the shortest one.
const MUCH: f64 = 2.0;

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use glam::DQuat;

    use super::*;
    use crate::collision::height_field::HeightField;
    use crate::collision::mesh::TriMesh;
    use crate::collision::signed_distance::ConvexHull;
    use crate::collision::{ObstacleShape, Pose, each_manifold};
    use crate::math::random::Random;

    fn shapes() -> Vec<ObstacleShape> {
        let mut random = Random::new(3);
        let points: Vec<DVec3> = (0..16).map(|_| random.vector() * 0.4).collect();
        vec![
            ObstacleShape::Sphere { radius: 0.3 },
            ObstacleShape::Capsule { radius: 0.15, half_length: 0.3 },
            ObstacleShape::Box { half_extents: DVec3::new(0.4, 0.2, 0.3) },
            ObstacleShape::Hull(Arc::new(ConvexHull::new(&points).unwrap())),
        ]
    }

    fn all(a: &ObstacleShape, pose: &Pose, b: &ObstacleShape, margin: f64) -> Vec<Manifold> {
        let mut found = Vec::new();
        each_manifold(a, pose, b, &Pose::HERE, margin, &mut |one| found.push(*one));
        found
    }

    fn least(manifolds: &[Manifold]) -> f64 {
        manifolds.iter().map(Manifold::least_gap).fold(f64::INFINITY, f64::min)
    }

    /// Surface of the cube from −1 to 1.
    fn cube() -> ObstacleShape {
        let points: Vec<DVec3> = (0..8)
            .map(|i| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2 & 1)) * 2.0 - 1.0)
            .collect();
        let sides = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        let triangles: Vec<[usize; 3]> = sides.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
        let mesh = TriMesh::new(&points, &triangles).unwrap();
        assert!(mesh.is_closed());
        ObstacleShape::Mesh(Arc::new(mesh))
    }

    #[test]
    fn a_flat_field_of_many_triangles_is_a_plane_and_its_edges_catch_nothing() {
        let field = ObstacleShape::HeightField(Arc::new(HeightField::new(&[0.0; 900], 30, 0.2).unwrap()));
        let mut random = Random::new(1);
        let mut touching = 0;
        for _ in 0..2000 {
            let place = DVec3::new(2.9, 0.2, 2.9) + random.vector() * DVec3::new(1.5, 0.4, 1.5);
            let pose = Pose { position: place, rotation: random.rotation() };
            for (index, shape) in shapes().iter().enumerate() {
                let plane = all(shape, &pose, &ObstacleShape::HalfSpace, 0.05);
                let found = all(shape, &pose, &field, 0.05);
                let gaps = [least(&plane), least(&found)];
                assert!((gaps[0] - gaps[1]).abs() < 1e-9 || gaps[0] == gaps[1], "{index} {pose:?} {gaps:?}");
                for manifold in &found {
                    assert!((manifold.normal - DVec3::Y).length() < 1e-9, "{index} {pose:?} {manifold:?}");
                    touching += 1;
                }
            }
        }
        assert!(touching > 5000, "{touching}");
    }

    #[test]
    fn the_mesh_of_a_cube_touches_as_the_cube() {
        let (mesh, solid) = (cube(), ObstacleShape::Box { half_extents: DVec3::ONE });
        let mut random = Random::new(2);
        let (mut apart, mut overlapping, mut missed) = (0, 0, 0);
        for _ in 0..20_000 {
            let pose = Pose { position: random.vector() * 1.6, rotation: random.rotation() };
            for (index, shape) in shapes().iter().enumerate() {
                let (expected, found) = (least(&all(shape, &pose, &solid, 0.2)), all(shape, &pose, &mesh, 0.2));
                if expected > 1e-9 && expected < 0.2 {
                    assert!((least(&found) - expected).abs() < 1e-9, "{index} {pose:?}: {} {expected}", least(&found));
                    apart += 1;
                } else if expected > -0.1 && expected < -1e-9 {
                    let shortest =
                        found.iter().map(|m| -m.least_gap()).filter(|&d| d > 0.0).fold(f64::INFINITY, f64::min);
                    missed += usize::from((shortest + expected).abs() > 0.1 * -expected + 1e-3);
                    assert!(-least(&found) <= MUCH * shortest + SHALLOW, "{index} {pose:?}");
                    overlapping += 1;
                }
            }
        }
        assert!(apart > 3000 && overlapping > 3000, "{apart} {overlapping}");
        // Under an edge of two faces the triangle with the shorter way out may not be the one in contact.
        assert!(missed < overlapping / 20, "{missed} of {overlapping}");
    }

    #[test]
    fn a_sheet_pushes_to_either_side_and_the_ground_pushes_up_from_any_depth() {
        let corners = [DVec3::new(-3.0, 0.0, -3.0), DVec3::new(0.0, 0.0, 4.0), DVec3::new(4.0, 0.0, -2.0)];
        let sheet = ObstacleShape::Mesh(Arc::new(TriMesh::new(&corners, &[[0, 1, 2]]).unwrap()));
        let half_extents = DVec3::new(0.5, 0.2, 0.5);
        for side in [1.0, -1.0] {
            let pose = Pose { position: DVec3::Y * (0.15 * side), rotation: DQuat::IDENTITY };
            let found = all(&ObstacleShape::Box { half_extents }, &pose, &sheet, 0.01);
            assert_eq!(found.len(), 1);
            assert!((found[0].normal - DVec3::Y * side).length() < 1e-12);
            assert_eq!(found[0].points().len(), 4);
            assert!((found[0].least_gap() + 0.05).abs() < 1e-12);
        }
        let field = ObstacleShape::HeightField(Arc::new(HeightField::new(&[0.0; 16], 4, 2.0).unwrap()));
        let pose = Pose { position: DVec3::new(2.9, -5.0, 3.0), rotation: DQuat::IDENTITY };
        let found = all(&ObstacleShape::Sphere { radius: 0.5 }, &pose, &field, 0.01);
        assert!((least(&found) + 5.5).abs() < 1e-9 && found.iter().all(|m| m.normal == DVec3::Y), "{found:?}");
    }
}
