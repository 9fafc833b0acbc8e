//! Contact of convex shapes with triangle surfaces: meshes and height fields.
//!
//! ```text
//! a triangle pushes along its normal, beyond an edge along directions between its normal and the neighbor's, and at a corner along
//! those from which all edges of the corner fall away, m·(q − p) ≤ 0. Straight across an edge the other edges do not count:
//!
//!      ↑  ↗ →          ↑ ↑           ↑
//!    ────┐           ────────      ────────
//!        │           flat or       edge without
//!     convex         concave       neighbor: any direction in front
//! ```
//! A box that slides over a flat floor of many triangles is thus not caught by internal edges. Height fields push up
//! what crosses them or is not far below. Closed meshes push bodies out that have not passed through. Open meshes push
//! to the nearer side. Triangles in one plane touch with one manifold, as a single face would.
//! Specification: mathematics 4.9 (J31).

use glam::DVec3;

use super::clip::{self, Points};
use super::core::{Core, CoreKind};
use super::{Manifold, ManifoldPoint, facing_points, gjk, separation, supported};
use crate::collision::broad_phase::Aabb;
use crate::collision::height_field::{HeightField, THICKNESS};
use crate::collision::mesh::TriMesh;
use crate::collision::segment;
use crate::collision::simplex::Simplex;

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
    /// Front side, also of a shape that is less than [`THICKNESS`] behind it: ground.
    Ground,
    /// Front side: a solid.
    Front,
    /// Both sides: a sheet.
    Both,
}

/// A surface of triangles.
#[derive(Clone, Copy)]
pub(super) enum TriangleSurface<'a> {
    Mesh(&'a TriMesh),
    Field(&'a HeightField),
}

impl TriangleSurface<'_> {
    fn sides(self) -> SurfaceSides {
        match self {
            Self::Mesh(mesh) if mesh.is_closed() => SurfaceSides::Front,
            Self::Mesh(_) => SurfaceSides::Both,
            Self::Field(_) => SurfaceSides::Ground,
        }
    }

    fn facets(self, near: &Aabb, found: impl FnMut(&Facet)) {
        match self {
            Self::Mesh(mesh) => mesh.facets(near, found),
            Self::Field(field) => field.facets(near, found),
        }
    }

    fn triangles(self, near: &Aabb, found: impl FnMut(&Simplex)) {
        match self {
            Self::Mesh(mesh) => mesh.query_aabb(near, found),
            Self::Field(field) => field.query_aabb(near, found),
        }
    }

    /// Whether a point lies below the ground, and not in front of the other side of a ridge.
    fn covers(self, p: DVec3) -> bool {
        match self {
            Self::Mesh(_) => false,
            Self::Field(field) => field.triangle_at(p).is_some_and(|it| (p - it.corners[0]).dot(it.normal()) < 0.0),
        }
    }
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
        let along = |edge: usize| self.corners[(edge + 1) % 3] - self.corners[edge];
        let out = |edge: usize| along(edge).cross(normal * flip).normalize_or_zero();
        let leans = |edge: usize| m.dot(out(edge)) > UPRIGHT;
        let is_within = |edge: usize| {
            let Some(neighbor) = self.neighbors[edge].filter(|_| leans(edge)) else { return true };
            let (out, neighbor) = (out(edge), neighbor * flip);
            let most = libm::atan2(neighbor.dot(out), neighbor.dot(normal));
            most > UPRIGHT && libm::atan2(m.dot(out), up) <= most + UPRIGHT
        };
        let is_across = |edge: usize| leans(edge) && m.dot(along(edge)).abs() <= UPRIGHT * along(edge).length();
        (0..3).all(is_within) || (0..3).any(|edge| is_across(edge) && is_within(edge))
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
    let reach = |axis: DVec3| a.corner(a.farthest(axis, 0)).dot(axis);
    let most = DVec3::new(reach(DVec3::X), reach(DVec3::Y), reach(DVec3::Z));
    let least = -DVec3::new(reach(-DVec3::X), reach(-DVec3::Y), reach(-DVec3::Z));
    Aabb { least, most }.grown(a.radius)
}

/// Whether a corner of a facet is one of the farthest points along `m` of all triangles about it, and no pit seen from below.
fn is_peak(facet: &Facet, m: DVec3, surface: TriangleSurface) -> bool {
    let falls = |p: DVec3, q: DVec3| m.dot(q - p) <= UPRIGHT * p.distance(q);
    facet.corners.into_iter().any(|p| {
        let (mut is_peak, mut faces) = (facet.corners.into_iter().all(|q| falls(p, q)), 0.0);
        if is_peak {
            let near = Aabb { least: p, most: p }.grown(UPRIGHT * facet.corners[0].distance(facet.corners[1]));
            surface.triangles(&near, |other| {
                if other.corners.contains(&p) {
                    is_peak &= other.corners.into_iter().all(|q| falls(p, q));
                    faces += other.normal().dot(m);
                }
            });
        }
        is_peak && faces > 0.0
    })
}

/// Contact points of a core and one triangle, with their normal, in the frame of the surface.
fn on_facet(a: &Core, facet: &Facet, surface: TriangleSurface, margin: f64) -> (DVec3, Points) {
    let (normal, sides) = (facet.normal(), surface.sides());
    let pushes = |m: DVec3| {
        facet.pushes(m, normal, 1.0)
            || sides == SurfaceSides::Both && facet.pushes(m, -normal, -1.0)
            || m.dot(normal) >= 0.0 && is_peak(facet, m, surface)
    };
    let b = Core::new(CoreKind::Triangle(facet.corners), 0.0, &super::Pose::HERE);
    let reach = if sides == SurfaceSides::Ground { margin.max(THICKNESS) } else { margin.max(0.0) };
    let (normal, mut found) = match gjk::closest_points(a, &b, reach + a.radius) {
        gjk::GjkResult::Far => (normal, Points::new()),
        gjk::GjkResult::Near { on_a, on_b } => {
            let gap = on_a.distance(on_b);
            let m = upright((on_a - on_b) / gap, normal);
            let up = m.dot(normal);
            if pushes(m) {
                (m, facing_points(a, &b, m, ManifoldPoint { on_a, on_b, gap, feature: 0 }, margin))
            } else if sides == SurfaceSides::Ground
                && (up > 0.0 || up < UNDER && gap < THICKNESS + a.radius && surface.covers(on_a))
            {
                (normal, over(a, &b, normal, margin))
            } else if sides != SurfaceSides::Ground && (up > 0.0 || sides == SurfaceSides::Both) {
                // What is nearest lies beyond an edge, but other parts may fall or turn into this triangle.
                let normal = normal * up.signum();
                let mut points = over(a, &b, normal, margin);
                points.map(|point| Some(*point).filter(|point| point.gap >= 0.0));
                (normal, points)
            } else {
                (normal, Points::new())
            }
        }
        gjk::GjkResult::Touching => {
            let axis = separation::greatest_gap(a, &b, Some(&pushes));
            let axis = separation::SeparatingAxis { normal: upright(axis.normal, normal), ..axis };
            if !cross(&axis) {
                // What lies beyond the ends of an edge is the matter of other triangles.
                (normal, over(a, &b, normal, margin))
            } else if axis.edges.is_some() {
                (axis.normal, facing_points(a, &b, axis.normal, supported(a, &axis), margin))
            } else {
                // The support point may be beside the triangle; only points over the triangle count.
                (axis.normal, over(a, &b, axis.normal, margin))
            }
        }
    };
    let own = (facet.index as u64 + 1).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    found.map(|point| Some(ManifoldPoint { feature: point.feature ^ own, ..*point }));
    (normal, found)
}

/// Whether two edges are as far from each other as the axis across them says: they meet between their ends.
fn cross(axis: &separation::SeparatingAxis) -> bool {
    axis.edges.is_none_or(|[first, second]| {
        let [s, t] = segment::parameters(first, second);
        let apart = segment::at(first, s) - segment::at(second, t);
        apart.distance(axis.normal * axis.gap) <= UPRIGHT * first[0].distance(first[1])
    })
}

/// Points over a triangle along a normal.
fn over(a: &Core, b: &Core, normal: DVec3, margin: f64) -> Points {
    let mut points = Points::new();
    clip::meet(&a.facing(-normal), &b.facing(normal), normal, &mut points);
    points.rounded(normal, [a.radius, b.radius], margin);
    points
}

/// Cosine to the normal below which a core is under a triangle, and not beside it.
const UNDER: f64 = -0.3;

/// Reports the manifolds of a core with the facets of a surface. A triangle whose neighbors bend away may only
/// know long ways out; these are dropped if another triangle has a much shorter one, on ground if it is the other side of a ridge.
pub(super) fn on_facets(a: &Core, surface: TriangleSurface, margin: f64, found: &mut dyn FnMut(Manifold)) {
    let sides = surface.sides();
    let around = bounds(a).grown(margin.max(0.0));
    let (mut shortest, mut is_deep) = (f64::INFINITY, false);
    // Normals and depths of the triangles with the shortest ways out.
    let (mut ways, mut count) = ([(DVec3::ZERO, f64::INFINITY); MOST_PLANES], 0);
    let mut planes = Planes { list: [FacetPlane::NONE; MOST_PLANES], count: 0, nearness: ONE * (a.size() + a.radius) };
    surface.facets(&around, |facet| {
        let (normal, one) = on_facet(a, facet, surface, margin);
        let depth = -one.least_gap();
        let touches = !one.as_slice().is_empty();
        if touches && depth <= SHALLOW {
            planes.add(normal, &one, found);
        } else {
            is_deep |= touches;
        }
        if touches && depth > 0.0 {
            shortest = shortest.min(depth);
        }
        if touches && sides == SurfaceSides::Ground {
            let at = if count < MOST_PLANES { count } else { deepest(&ways) };
            if depth < ways[at].1 {
                (ways[at], count) = ((normal, depth), (count + 1).min(MOST_PLANES));
            }
        }
    });
    if is_deep {
        let ways = &ways[..count];
        surface.facets(&around, |facet| {
            let (normal, one) = on_facet(a, facet, surface, margin);
            let depth = -one.least_gap();
            let is_way_out = if sides == SurfaceSides::Ground {
                ways.iter().all(|&(other, shorter)| other.dot(normal) >= 0.0 || !is_long(depth, shorter.max(0.0)))
            } else {
                !is_long(depth, shortest)
            };
            if !one.as_slice().is_empty() && depth > SHALLOW && is_way_out {
                planes.add(normal, &one, found);
            }
        });
    }
    planes.list[..planes.count].iter().for_each(|plane| found(plane.manifold()));
}

/// Whether a way out is much longer than another.
fn is_long(depth: f64, shortest: f64) -> bool {
    depth > MUCH * shortest + SHALLOW
}

/// Index of the longest way out.
fn deepest(ways: &[(DVec3, f64)]) -> usize {
    (1..ways.len()).fold(0, |deepest, index| if ways[index].1 > ways[deepest].1 { index } else { deepest })
}

/// Manifolds of facets, joined where their planes have one direction.
struct Planes {
    list: [FacetPlane; MOST_PLANES],
    count: usize,
    /// Distance below which two points are one, meters.
    nearness: f64,
}

/// Contact points with a common normal.
#[derive(Clone, Copy)]
struct FacetPlane {
    normal: DVec3,
    points: [ManifoldPoint; MOST_POINTS],
    count: usize,
}

impl Planes {
    /// Adds the points of a facet; reports them at once if there is no room.
    fn add(&mut self, normal: DVec3, one: &Points, found: &mut dyn FnMut(Manifold)) {
        let is_same = |known: &FacetPlane| known.normal.distance_squared(normal) < ALIKE * ALIKE;
        let at = self.list[..self.count].iter().position(is_same).unwrap_or(self.count);
        if at == MOST_PLANES {
            return found(one.reduced(normal));
        }
        if at == self.count {
            self.list[at] = FacetPlane { normal, ..FacetPlane::NONE };
            self.count += 1;
        }
        one.as_slice().iter().for_each(|&point| self.list[at].add(point, self.nearness));
    }
}

impl FacetPlane {
    const NONE: Self = Self { normal: DVec3::Y, points: [ManifoldPoint::NONE; MOST_POINTS], count: 0 };

    fn add(&mut self, point: ManifoldPoint, nearness: f64) {
        if self.points[..self.count].iter().any(|known| known.on_a.distance(point.on_a) < nearness) {
            return;
        }
        if self.count == MOST_POINTS {
            let kept = self.manifold();
            self.points[..4].copy_from_slice(&kept.points);
            self.count = kept.count;
        }
        self.points[self.count] = point;
        self.count += 1;
    }

    /// At most four of the points: of the deepest the outermost, the farthest from it, and the two that span the largest
    /// area with them. A face that stands on many triangles so keeps its corners.
    fn manifold(&self) -> Manifold {
        let points = &self.points[..self.count];
        let mut order = Points::new();
        let least = points.iter().fold(f64::INFINITY, |least, c| least.min(c.gap));
        let middle = points.iter().map(|c| c.on_a).sum::<DVec3>() / points.len() as f64;
        let out = |c: &ManifoldPoint| if c.gap < least + ROUNDING { c.on_a.distance_squared(middle) } else { -1.0 };
        let first = points.iter().map(out).fold(-1.0, f64::max);
        let first = points.iter().position(|c| out(c) == first).unwrap_or(0);
        order.push(points[first]);
        points.iter().enumerate().filter(|(index, _)| *index != first).for_each(|(_, c)| order.push(*c));
        order.reduced(self.normal)
    }
}

/// Number of planes in which facets are joined; a body rarely touches more.
const MOST_PLANES: usize = 8;
/// Number of points of a plane that are kept before they are reduced to four.
const MOST_POINTS: usize = 16;
/// Angle below which two planes have one direction, radians.
const ALIKE: f64 = 1e-6;
/// Share of the size below which two points of a plane are one.
const ONE: f64 = 1e-6;
/// Difference of depths that is due to rounding, meters.
const ROUNDING: f64 = 1e-9;

/// Depth up to which a way out is always accepted, meters.
const SHALLOW: f64 = 5e-3;
/// Greatest ratio of a way out to the shortest one.
const MUCH: f64 = 2.0;

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use glam::DQuat;

    use super::*;
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
        let field = ObstacleShape::HeightField(Arc::new(HeightField::new(&[0.0; 900], 30, [0.2; 2]).unwrap()));
        let mut random = Random::new(1);
        let (mut touching, mut beside) = (0, 0);
        for _ in 0..2000 {
            let place = DVec3::new(2.9, 0.3, 2.9) + random.vector() * DVec3::new(1.5, 0.4, 1.5);
            let pose = Pose { position: place, rotation: random.rotation() };
            for (index, shape) in shapes().iter().enumerate() {
                let plane = all(shape, &pose, &ObstacleShape::HalfSpace, 0.05);
                let found = all(shape, &pose, &field, 0.05);
                let gaps = [least(&plane), least(&found)];
                let is_same = (gaps[0] - gaps[1]).abs() < 1e-9 || gaps[0] == gaps[1];
                // Of a part far below, only the triangles that the shape crosses know; rarely of one that is beside a triangle.
                let is_less = gaps[1] < 0.0 && gaps[1] > gaps[0];
                assert!(is_same || is_less, "{index} {pose:?} {gaps:?}");
                beside += usize::from(!is_same && gaps[0] > -THICKNESS);
                for manifold in &found {
                    assert!((manifold.normal - DVec3::Y).length() < 1e-9, "{index} {pose:?} {manifold:?}");
                    touching += 1;
                }
            }
        }
        assert!(touching > 2000 && beside < 40, "{touching} {beside}");
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
        let field = ObstacleShape::HeightField(Arc::new(HeightField::new(&[0.0; 16], 4, [2.0; 2]).unwrap()));
        let ball = |y: f64| {
            let pose = Pose { position: DVec3::new(2.9, y, 3.0), rotation: DQuat::IDENTITY };
            all(&ObstacleShape::Sphere { radius: 0.5 }, &pose, &field, 0.01)
        };
        let found = ball(-0.05);
        assert!((least(&found) + 0.55).abs() < 1e-9 && found.iter().all(|m| m.normal == DVec3::Y), "{found:?}");
        assert_eq!(ball(-0.7), []);
        let pose = Pose { position: DVec3::new(2.9, -0.3, 3.0), rotation: DQuat::IDENTITY };
        let half_extents = DVec3::new(0.2, 0.5, 0.2);
        let found = all(&ObstacleShape::Box { half_extents }, &pose, &field, 0.01);
        assert!((least(&found) + 0.8).abs() < 1e-9, "a box that crosses the ground is lifted whole: {found:?}");
    }

    #[test]
    fn a_box_on_a_flat_field_of_many_triangles_stands_on_its_four_corners() {
        let field = ObstacleShape::HeightField(Arc::new(HeightField::new(&[0.0; 900], 30, [0.1; 2]).unwrap()));
        let pose = Pose { position: DVec3::new(1.42, 0.2, 1.37), rotation: DQuat::from_rotation_y(0.3) };
        let found = all(&shapes()[2], &pose, &field, 0.01);
        assert_eq!(found.len(), 1);
        let mut corners: Vec<DVec3> = found[0].points().iter().map(|c| pose.to_local(c.on_a)).collect();
        corners.sort_by(|a, b| a.x.total_cmp(&b.x));
        assert!(corners.len() == 4 && corners.iter().all(|c| (c.abs() - DVec3::new(0.4, 0.2, 0.3)).length() < 1e-9));
    }

    #[test]
    fn a_rod_in_a_hole_is_not_lifted_by_the_rim_above_its_foot() {
        let mut heights = [0.0; 64];
        heights[27] = f64::NAN;
        let field = ObstacleShape::HeightField(Arc::new(HeightField::new(&heights, 8, [1.0; 2]).unwrap()));
        let rod = ObstacleShape::Box { half_extents: DVec3::new(0.1, 1.0, 0.1) };
        let pose = Pose { position: DVec3::new(3.0, -0.2, 3.0), rotation: DQuat::from_rotation_z(-0.8) };
        assert_eq!(all(&rod, &pose, &field, 0.2), []);
        let pose = Pose { position: DVec3::new(3.0, -3.0, 3.0), ..pose };
        assert_eq!(all(&rod, &pose, &field, 0.2), []);
    }
}
