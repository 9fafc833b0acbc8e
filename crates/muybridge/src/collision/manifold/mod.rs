//! Narrow phase: contact manifolds of two shapes that touch or are about to, with a normal and up to four points with
//! gaps.
//!
//! A shape is a core (point, segment, solid with flat faces) and a rounding radius. The normal is
//!
//! - the direction between the closest points of the cores if these are apart (GJK);
//! - otherwise the direction that separates the cores with the least motion (separating axes).
//!
//! The points result from clipping: corners of the part shared by the two faces that look most along the normal. A gap
//! is measured between the surfaces along the normal. It is negative for overlap and reported up to a margin for shapes
//! apart, so a solver can stop bodies about to touch (mathematics 4.10).
//!
//! Spheres, capsules, boxes and hulls are exact. A cylinder is a prism of 32 sides, except against a sphere, which
//! meets the exact cylinder. Half-spaces, rooms, meshes and height fields collide with the other shapes but not with
//! each other. Specification: mathematics 4.9 (H16, J31). Nothing is allocated.

mod clip;
mod core;
mod gjk;
pub(crate) mod seams;
mod separation;
pub mod surface;
#[cfg(test)]
mod tests;

use ::core::cmp::Ordering;

use glam::DVec3;

use self::clip::Points;
use self::core::{Core, CoreKind};
use self::surface::TriangleSurface;
use super::obstacle::{ObstacleShape, Pose};
use super::signed_distance::{to_box, to_cylinder};
use super::{segment, simplex_contact};

/// Contact point of a manifold: a pair of points on both surfaces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ManifoldPoint {
    /// Point on the surface of the first shape, meters.
    pub on_a: DVec3,
    /// Point on the surface of the second shape, meters.
    pub on_b: DVec3,
    /// Gap `normal · (on_a − on_b)`, meters; negative for overlap.
    pub gap: f64,
    /// Feature id of the corners, edges and faces in contact; constant from step to step while these stay in contact.
    pub feature: u64,
}

impl ManifoldPoint {
    const NONE: Self = Self { on_a: DVec3::ZERO, on_b: DVec3::ZERO, gap: 0.0, feature: 0 };

    fn placed(&self, pose: &Pose) -> Self {
        Self { on_a: pose.to_world(self.on_a), on_b: pose.to_world(self.on_b), ..*self }
    }

    fn swapped(&self) -> Self {
        Self { on_a: self.on_b, on_b: self.on_a, ..*self }
    }
}

/// Contact manifold: points with a common normal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Manifold {
    /// Unit vector from the second shape to the first.
    pub normal: DVec3,
    count: usize,
    points: [ManifoldPoint; 4],
}

impl Manifold {
    /// Manifold without points.
    pub const NONE: Self = Self { normal: DVec3::Y, count: 0, points: [ManifoldPoint::NONE; 4] };

    /// Contact points, none to four.
    pub fn points(&self) -> &[ManifoldPoint] {
        &self.points[..self.count]
    }

    /// The manifold with other points.
    pub(crate) fn map(&self, to: impl Fn(&ManifoldPoint) -> ManifoldPoint) -> Self {
        let points = std::array::from_fn(|i| if i < self.count { to(&self.points[i]) } else { ManifoldPoint::NONE });
        Self { points, ..*self }
    }

    /// Least gap, meters; infinite without points.
    pub fn least_gap(&self) -> f64 {
        self.points().iter().fold(f64::INFINITY, |least, c| least.min(c.gap))
    }

    /// Averages all points into one, as in Hennix et al. The torque of separate contacts is lost (H17).
    pub fn averaged(&self) -> Self {
        let share = 1.0 / self.count.max(1) as f64;
        let sum = |part: fn(&ManifoldPoint) -> DVec3| self.points().iter().map(part).sum::<DVec3>() * share;
        let gap = self.points().iter().map(|c| c.gap).sum::<f64>() * share;
        let mut one = Self { count: self.count.min(1), ..Self::NONE };
        one.normal = self.normal;
        one.points[0] = ManifoldPoint { on_a: sum(|c| c.on_a), on_b: sum(|c| c.on_b), gap, feature: 0 };
        one
    }

    /// Manifold without some of its points.
    pub(crate) fn without(&self, leaves: impl Fn(&ManifoldPoint) -> bool) -> Self {
        let mut rest = Self { count: 0, ..*self };
        for point in self.points().iter().filter(|point| !leaves(point)) {
            rest.points[rest.count] = *point;
            rest.count += 1;
        }
        rest
    }

    /// Manifold in the frames of the two shapes at `poses`: each point in its own, the normal in that of the second.
    pub(crate) fn local(&self, poses: [&Pose; 2]) -> Self {
        let mut local = Self { normal: poses[1].rotation.inverse() * self.normal, ..*self };
        for point in &mut local.points[..self.count] {
            point.on_a = poses[0].to_local(point.on_a);
            point.on_b = poses[1].to_local(point.on_b);
        }
        local
    }

    /// What [`Self::local`] returned, in the world with the shapes at `poses`, with the gaps there.
    pub(crate) fn at(&self, poses: [&Pose; 2]) -> Self {
        let mut placed = Self { normal: poses[1].rotation * self.normal, ..*self };
        for point in &mut placed.points[..self.count] {
            point.on_a = poses[0].to_world(point.on_a);
            point.on_b = poses[1].to_world(point.on_b);
            point.gap = placed.normal.dot(point.on_a - point.on_b);
        }
        placed
    }

    /// Manifold with a single point.
    pub(super) fn of_one(normal: DVec3, point: ManifoldPoint) -> Self {
        Self { normal, count: 1, points: [point, ManifoldPoint::NONE, ManifoldPoint::NONE, ManifoldPoint::NONE] }
    }

    fn swapped(&self) -> Self {
        Self { normal: -self.normal, points: self.points.map(|c| c.swapped()), ..*self }
    }

    fn placed(&self, pose: &Pose) -> Self {
        Self { normal: pose.rotation * self.normal, points: self.points.map(|c| c.placed(pose)), ..*self }
    }
}

/// Finds the contact manifold of two shapes that touch or are nearer than `margin` (meters). A shape that is not convex
/// can touch with several normals; `found` gets the manifold with the least gap, and [`each_manifold`] reports all.
/// Returns whether there is any point.
pub fn manifold(
    a: &ObstacleShape,
    pose_a: &Pose,
    b: &ObstacleShape,
    pose_b: &Pose,
    margin: f64,
    found: &mut Manifold,
) -> bool {
    *found = Manifold::NONE;
    each_manifold(a, pose_a, b, pose_b, margin, &mut |one| {
        if one.least_gap() < found.least_gap() {
            *found = *one;
        }
    });
    found.count > 0
}

/// Calls `found` with every manifold of two shapes: at most one for convex shapes, one per side of a room, one per
/// triangle of a mesh or height field. Poses that are not finite touch nothing.
pub fn each_manifold(
    a: &ObstacleShape,
    pose_a: &Pose,
    b: &ObstacleShape,
    pose_b: &Pose,
    margin: f64,
    found: &mut dyn FnMut(&Manifold),
) {
    if rank(a).cmp(&rank(b)).then_with(|| compare(a, b)).is_gt() {
        return each_manifold(b, pose_b, a, pose_a, margin, &mut |one| found(&one.swapped()));
    }
    let sound = |pose: &Pose| pose.position.is_finite() && pose.rotation.is_finite();
    if !(sound(pose_a) && sound(pose_b)) || margin.is_nan() {
        return;
    }
    // Computed in the frame of the second shape, which keeps all digits far from the origin.
    let pose = pose_a.seen_from(pose_b);
    let Some(core) = core_of(a, &pose, -pose.position) else { return };
    let mut report = |one: Manifold| {
        if one.count > 0 {
            found(&one.placed(pose_b));
        }
    };
    match b {
        ObstacleShape::HalfSpace => report(on_plane(&core, DVec3::Y, 0.0, margin)),
        ObstacleShape::Room { least, most } => {
            for (axis, i) in DVec3::AXES.into_iter().zip(0..) {
                report(on_plane(&core, axis, least[i], margin));
                report(on_plane(&core, -axis, -most[i], margin));
            }
        }
        ObstacleShape::Mesh(mesh) => surface::on_facets(&core, TriangleSurface::Mesh(mesh), margin, &mut report),
        ObstacleShape::HeightField(field) => {
            surface::on_facets(&core, TriangleSurface::Field(field), margin, &mut report);
        }
        _ => {
            if let Some(other) = core_of(b, &Pose::HERE, pose.position) {
                report(between(&core, &other, b, margin));
            }
        }
    }
}

/// Manifold of two convex shapes that overlap, along the axis of least depth among those that push the first towards
/// `direction`. `None` if there is no such axis, or a shape is not convex.
pub(crate) fn manifold_towards(
    shapes: [&ObstacleShape; 2],
    poses: [&Pose; 2],
    direction: DVec3,
    margin: f64,
) -> Option<Manifold> {
    let pose = poses[0].seen_from(poses[1]);
    let a = core_of(shapes[0], &pose, -pose.position)?;
    let b = core_of(shapes[1], &Pose::HERE, pose.position)?;
    let direction = poses[1].rotation.inverse() * direction;
    let axis = separation::greatest_gap(&a, &b, Some(&|normal| normal.dot(direction) > 0.0));
    let found = facing(&a, &b, axis.normal, supported(&a, &axis), margin);
    (axis.normal.dot(direction) > 0.0 && found.count > 0).then(|| found.placed(poses[1]))
}

/// Orders two shapes of one kind by size. Otherwise the corners kept of a deep overlap would depend on the order of
/// arguments, as they still do for equal shapes.
fn compare(a: &ObstacleShape, b: &ObstacleShape) -> Ordering {
    let size =
        |shape: &ObstacleShape| simplex_contact::bounds(shape).map_or(DVec3::ZERO, |b| b.most - b.least).to_array();
    let pairs = size(a).into_iter().zip(size(b));
    pairs.map(|(a, b)| a.total_cmp(&b)).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

/// Rank of a shape: simple shapes come first, so each pair is treated in one order.
fn rank(shape: &ObstacleShape) -> u32 {
    match shape {
        ObstacleShape::Sphere { .. } => 0,
        ObstacleShape::Capsule { .. } => 1,
        ObstacleShape::Box { .. } => 2,
        ObstacleShape::Hull(_) => 3,
        ObstacleShape::Cylinder { .. } => 4,
        ObstacleShape::HalfSpace => 5,
        ObstacleShape::Room { .. } => 6,
        ObstacleShape::Mesh(_) => 7,
        ObstacleShape::HeightField(_) => 8,
    }
}

/// Core of a convex shape. `towards` is the direction to the other shape: a prism turns a corner there. `None` for
/// other shapes.
fn core_of<'a>(shape: &'a ObstacleShape, pose: &Pose, towards: DVec3) -> Option<Core<'a>> {
    let (kind, radius) = match shape {
        ObstacleShape::Sphere { radius } => (CoreKind::Point, *radius),
        ObstacleShape::Capsule { radius, half_length } => (CoreKind::Segment(*half_length), *radius),
        ObstacleShape::Box { half_extents } => (CoreKind::Box(*half_extents), 0.0),
        ObstacleShape::Hull(hull) => (CoreKind::Polytope(hull.polytope()), 0.0),
        ObstacleShape::Cylinder { radius, half_length } => {
            let local = pose.rotation.inverse() * towards;
            let across = DVec3::new(local.x, 0.0, local.z).try_normalize().unwrap_or(DVec3::X);
            let phase = [across.x, across.z];
            (CoreKind::Prism { radius: *radius, half_length: *half_length, phase }, 0.0)
        }
        _ => return None,
    };
    Some(Core::new(kind, radius, pose))
}

/// Manifold of a core and the plane `normal · x = offset`.
fn on_plane(a: &Core, normal: DVec3, offset: f64, margin: f64) -> Manifold {
    let facing = a.facing(-normal);
    let mut points = Points::new();
    for (corner, id) in facing.corners().iter().zip(facing.ids) {
        let gap = normal.dot(*corner) - offset;
        points.push(ManifoldPoint { on_a: *corner, on_b: *corner - normal * gap, gap, feature: 1 + u64::from(id) });
    }
    points.rounded(normal, [a.radius, 0.0], margin);
    points.reduced(normal)
}

/// Manifold of two convex cores; `shape` is that of the second, which is at the origin.
fn between(a: &Core, b: &Core, shape: &ObstacleShape, margin: f64) -> Manifold {
    let radii = a.radius + b.radius;
    if let CoreKind::Point = a.kind
        && let Some((normal, gap)) = from_point(a.at, shape)
    {
        let on_b = a.at - normal * gap;
        return only(a, b, normal, ManifoldPoint { on_a: a.at, on_b, gap, feature: 0 }, margin);
    }
    if let (CoreKind::Segment(_), CoreKind::Segment(_)) = (a.kind, b.kind) {
        return between_segments(a, b, margin);
    }
    match gjk::closest_points(a, b, margin.max(0.0) + radii) {
        gjk::GjkResult::Far => Manifold::NONE,
        gjk::GjkResult::Near { on_a, on_b } => {
            let gap = on_a.distance(on_b);
            let normal = (on_a - on_b) / gap;
            facing(a, b, normal, ManifoldPoint { on_a, on_b, gap, feature: 0 }, margin)
        }
        gjk::GjkResult::Touching => {
            let axis = separation::greatest_gap(a, b, None);
            facing(a, b, axis.normal, supported(a, &axis), margin)
        }
    }
}

/// Contact along a separating axis: closest points of the two edges, or the support point of A against the normal.
fn supported(a: &Core, axis: &separation::SeparatingAxis) -> ManifoldPoint {
    let along = axis.normal * axis.gap;
    if let Some([first, second]) = axis.edges {
        let [s, t] = segment::parameters(first, second);
        let middle = 0.5 * (segment::at(first, s) + segment::at(second, t));
        return ManifoldPoint { on_a: middle + 0.5 * along, on_b: middle - 0.5 * along, gap: axis.gap, feature: 0 };
    }
    let on_a = a.corner(a.farthest(-axis.normal, 0));
    ManifoldPoint { on_a, on_b: on_a - along, gap: axis.gap, feature: 0 }
}

/// Manifold of a single contact, if within `margin`.
fn only(a: &Core, b: &Core, normal: DVec3, contact: ManifoldPoint, margin: f64) -> Manifold {
    let mut points = Points::new();
    points.push(contact);
    points.rounded(normal, [a.radius, b.radius], margin);
    points.reduced(normal)
}

/// Manifold of two faces along a normal. Adds `nearest`, the closest points, if no clipped point is as near.
fn facing(a: &Core, b: &Core, normal: DVec3, nearest: ManifoldPoint, margin: f64) -> Manifold {
    facing_points(a, b, normal, nearest, margin).reduced(normal)
}

/// The same with all points.
fn facing_points(a: &Core, b: &Core, normal: DVec3, nearest: ManifoldPoint, margin: f64) -> Points {
    let mut points = Points::new();
    clip::meet(&a.facing(-normal), &b.facing(normal), normal, &mut points);
    let least = points.least_gap();
    if least > nearest.gap + NEARER * a.size().max(b.size()) {
        points.push(nearest);
    }
    points.rounded(normal, [a.radius, b.radius], margin);
    points
}

/// Share of the size by which the closest points must be nearer than the clipped points to be added.
const NEARER: f64 = 1e-6;

/// Normal from a shape at the origin to a point, and the distance to its core, negative inside. `None` for other
/// shapes.
fn from_point(p: DVec3, shape: &ObstacleShape) -> Option<(DVec3, f64)> {
    let signed = match shape {
        ObstacleShape::Sphere { .. } => return Some(away(p)),
        ObstacleShape::Capsule { half_length, .. } => {
            let axis = DVec3::Y * *half_length;
            let apart = p - segment::closest_point(p, [-axis, axis]);
            // For a point on the axis any perpendicular direction is equally good.
            return Some(if apart == DVec3::ZERO { (DVec3::X, 0.0) } else { away(apart) });
        }
        ObstacleShape::Box { half_extents } => to_box(p, *half_extents),
        ObstacleShape::Hull(hull) => hull.to_point(p),
        ObstacleShape::Cylinder { radius, half_length } => to_cylinder(p, *radius, *half_length),
        _ => return None,
    };
    Some((signed.normal, signed.distance))
}

/// Direction and length of a vector; up for a zero vector.
fn away(apart: DVec3) -> (DVec3, f64) {
    apart.try_normalize().map_or((DVec3::Y, 0.0), |normal| (normal, apart.length()))
}

/// Manifold of two capsules: the closest points of their axes, and ends that lie side by side.
fn between_segments(a: &Core, b: &Core, margin: f64) -> Manifold {
    let (first, second) = ([a.corner(0), a.corner(1)], [b.corner(0), b.corner(1)]);
    let [s, t] = segment::parameters(first, second);
    let (on_a, on_b) = (segment::at(first, s), segment::at(second, t));
    let gap = on_a.distance(on_b);
    let (along_a, along_b) = (first[1] - first[0], second[1] - second[0]);
    let across = along_a.cross(along_b).normalize_or_zero();
    let (normal, gap) = if gap > CROSSING * a.size().max(b.size()) {
        ((on_a - on_b) / gap, gap)
    } else if across != DVec3::ZERO {
        (if across.dot(a.at - b.at) >= 0.0 { across } else { -across }, gap)
    } else {
        (along_a.try_normalize().map_or(DVec3::Y, |axis| axis.any_orthonormal_vector()), gap)
    };
    let nearest = ManifoldPoint { on_a, on_b, gap, feature: 0 };
    let along = normal.dot(along_a).abs() < SIDE_BY_SIDE * along_a.length();
    let alike = along_a.dot(along_b).abs() > ALIKE * along_a.length() * along_b.length();
    if !(along && alike && along_a != DVec3::ZERO && along_b != DVec3::ZERO) {
        return only(a, b, normal, nearest, margin);
    }
    facing(a, b, normal, nearest, margin)
}

/// Share of their length below which the distance of two axes counts as crossing.
const CROSSING: f64 = 1e-8;
/// Cosine of 18°: capsules whose axes differ by more touch in one point.
const ALIKE: f64 = 0.95;
/// Sine of 18°: capsules touch side by side if the normal is this close to perpendicular.
const SIDE_BY_SIDE: f64 = 0.3;
