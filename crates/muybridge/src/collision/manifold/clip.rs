//! Contact points of two facing faces by clipping: the shared part seen along the normal, and the gap at its corners.
//!
//! One face is clipped by the planes through the sides of the other, parallel to the normal (Sutherland, Hodgman 1974).
//! The gap at a remaining corner is measured along the normal between the planes of the two faces, so the method works
//! for faces and edges at any angle. Of more than four points it keeps the deepest, the farthest from that, and the two
//! that span the largest area with them. Specification: mathematics 4.9.

use glam::DVec3;

use super::core::{MOST_CORNERS, Polygon};
use super::{Manifold, ManifoldPoint};
use crate::collision::segment;

/// Greatest number of corners after clipping: those of both faces.
const MOST: usize = 2 * MOST_CORNERS;
/// Distance beside a face within which a corner counts as on it, as a share of the side length.
const BESIDE: f64 = 1e-7;
/// Sine of the viewing angle below which a face is edge-on and has no height along the normal.
const EDGE_ON: f64 = 1e-3;

/// Candidate contact points of two cores, with gaps that ignore their radii.
pub(super) struct Points {
    list: [ManifoldPoint; MOST],
    count: usize,
}

impl Points {
    pub fn new() -> Self {
        Self { list: [ManifoldPoint::NONE; MOST], count: 0 }
    }

    pub fn push(&mut self, contact: ManifoldPoint) {
        if self.count < MOST {
            self.list[self.count] = contact;
            self.count += 1;
        }
    }

    pub fn as_slice(&self) -> &[ManifoldPoint] {
        &self.list[..self.count]
    }

    /// Keeps the points that fulfill a condition, each as `to` changes it.
    pub fn map(&mut self, to: impl Fn(&ManifoldPoint) -> Option<ManifoldPoint>) {
        let mut count = 0;
        for i in 0..self.count {
            if let Some(point) = to(&self.list[i]) {
                self.list[count] = point;
                count += 1;
            }
        }
        self.count = count;
    }

    /// Least gap, meters; infinite without points.
    pub fn least_gap(&self) -> f64 {
        self.as_slice().iter().fold(f64::INFINITY, |least, point| least.min(point.gap))
    }

    /// Moves the points to the rounded surfaces and drops those whose gap exceeds `margin`.
    pub fn rounded(&mut self, normal: DVec3, [a, b]: [f64; 2], margin: f64) {
        self.map(|c| {
            let gap = c.gap - a - b;
            let moved = ManifoldPoint { on_a: c.on_a - normal * a, on_b: c.on_b + normal * b, gap, ..*c };
            (gap <= margin).then_some(moved)
        });
    }

    /// Reduces the points to at most four.
    pub fn reduced(&self, normal: DVec3) -> Manifold {
        let mut manifold = Manifold { normal, ..Manifold::NONE };
        if self.count <= 4 {
            manifold.points[..self.count].copy_from_slice(&self.list[..self.count]);
            manifold.count = self.count;
            return manifold;
        }
        let points = self.as_slice();
        // Midway between the surfaces, so that exchanging the shapes gives the same choice.
        let middle = |c: &ManifoldPoint| 0.5 * (c.on_a + c.on_b);
        let deepest = best(points, |c| -c.gap);
        let a = middle(&points[deepest]);
        let far = best(points, |c| middle(c).distance_squared(a));
        let b = middle(&points[far]);
        let area = |c: &ManifoldPoint| (b - a).cross(middle(c) - a).dot(normal);
        let (left, right) = (best(points, area), best(points, |c| -area(c)));
        for i in [deepest, left, far, right] {
            if !manifold.points[..manifold.count].iter().any(|c| *c == points[i]) {
                manifold.points[manifold.count] = points[i];
                manifold.count += 1;
            }
        }
        manifold
    }
}

/// Index of the point with the greatest `measure`; the first of those that differ by rounding.
fn best(points: &[ManifoldPoint], measure: impl Fn(&ManifoldPoint) -> f64) -> usize {
    let values = points.iter().map(&measure);
    let (least, most) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, m), v| (l.min(v), m.max(v)));
    points.iter().position(|c| measure(c) >= most - 1e-6 * (most - least).max(0.0)).unwrap_or(0)
}

/// Adds contact points of a face of A and a face of B that face each other along `normal`, a unit vector from B to A.
pub(super) fn meet(a: &Polygon, b: &Polygon, normal: DVec3, points: &mut Points) {
    match (a.count, b.count) {
        (2, 2) => segments([a, b].map(ends), normal, points),
        (2, 3..) => match side_along(a, b, normal) {
            Some(side) => segments([ends(a), side], normal, points),
            None => cut(a, b, normal, 1.0, points),
        },
        (_, 3..) => cut(a, b, normal, 1.0, points),
        (3.., _) => cut(b, a, normal, -1.0, points),
        _ => {}
    }
}

fn ends(line: &Polygon) -> [DVec3; 2] {
    [line.corners[0], line.corners[1]]
}

/// The side of a face on which a segment lies that runs along it, with the normal between the two faces that meet there.
/// Rounding would decide on which side of the plane through that side its ends are.
fn side_along(line: &Polygon, face: &Polygon, normal: DVec3) -> Option<[DVec3; 2]> {
    let along = line.corners[1] - line.corners[0];
    (0..face.count).map(|i| [face.corners[i], face.corners[(i + 1) % face.count]]).find(|[p, q]| {
        let side = *q - *p;
        let lengths = side.length() * along.length();
        normal.dot(side.cross(face.normal)) > TILTED * side.length() && side.dot(along).abs() > ALONG * lengths
    })
}

/// Sine of the angle from the normal of a face to that of the contact from which it is on a side of the face.
const TILTED: f64 = 1e-6;
/// Cosine of 6°: a segment runs along a side of a face if it differs from it by less.
const ALONG: f64 = 0.995;

/// Adds the points of face `cut` clipped over `base`. `side` is 1 if `cut` belongs to A, −1 if to B.
fn cut(cut: &Polygon, base: &Polygon, normal: DVec3, side: f64, points: &mut Points) {
    let slope = base.normal.dot(normal);
    if slope.abs() < EDGE_ON || cut.count > 2 && cut.normal.dot(normal).abs() < EDGE_ON {
        return;
    }
    let mut left = Ring { list: [(DVec3::ZERO, 0); MOST], count: 0, open: cut.count == 2 };
    for (corner, id) in cut.corners().iter().zip(cut.ids) {
        left.push(*corner, 1 + u64::from(id));
    }
    let axis = normal * 1.0_f64.copysign(slope);
    for i in 0..base.count {
        let (p, q) = (base.corners[i], base.corners[(i + 1) % base.count]);
        let outward = (q - p).cross(axis);
        let size = outward.length();
        if size > 0.0 {
            left = left.behind(outward / size, p, BESIDE * size, u64::from(base.ids[i]));
        }
    }
    let extent = extent(base).min(extent(cut));
    for (i, &(p, id)) in left.list[..left.count].iter().enumerate() {
        // Clipping at an existing corner leaves two points in one position.
        if left.list[..i].iter().any(|known| known.0.distance(p) < ONE * extent) {
            continue;
        }
        let height = base.normal.dot(p - base.corners[0]) / slope;
        let foot = p - normal * height;
        let (on_a, on_b) = if side > 0.0 { (p, foot) } else { (foot, p) };
        let feature = if side > 0.0 { id } else { id ^ (1 << 63) };
        points.push(ManifoldPoint { on_a, on_b, gap: side * height, feature });
    }
}

/// Greatest distance of a corner from the first.
fn extent(polygon: &Polygon) -> f64 {
    polygon.corners().iter().fold(0.0_f64, |far, q| far.max(q.distance(polygon.corners[0])))
}

/// Corners of a polygon or of an open line, with feature ids.
struct Ring {
    list: [(DVec3, u64); MOST],
    count: usize,
    open: bool,
}

impl Ring {
    fn push(&mut self, corner: DVec3, id: u64) {
        if self.count < MOST {
            self.list[self.count] = (corner, id);
            self.count += 1;
        }
    }

    /// Clips the polygon by a plane; corners up to `beside` in front of the plane are kept.
    fn behind(&self, outward: DVec3, origin: DVec3, beside: f64, plane: u64) -> Self {
        let mut left = Self { list: [(DVec3::ZERO, 0); MOST], count: 0, open: self.open };
        let height = |p: DVec3| outward.dot(p - origin);
        for i in 0..self.count {
            let (p, id) = self.list[i];
            let here = height(p);
            if here <= beside {
                left.push(p, id);
            }
            let last = i + 1 == self.count;
            if last && (self.open || self.count < 2) {
                break;
            }
            let (q, next) = self.list[(i + 1) % self.count];
            let there = height(q);
            // A corner on the plane replaces the crossing beside it.
            if here < 0.0 && there > beside || here > beside && there < 0.0 {
                left.push(p + (q - p) * (here / (here - there)), crossed(id, next, plane));
            }
        }
        left
    }
}

/// Feature id of the point where a side crosses a plane; independent of the direction of the side.
fn crossed(a: u64, b: u64, plane: u64) -> u64 {
    let side = a.min(b).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ a.max(b).wrapping_mul(0xC2B2_AE3D_27D4_EB4F);
    (side ^ (plane + 1).wrapping_mul(0x1656_67B1_9E37_79F9)) & !(1 << 63)
}

/// Adds contact points of two segments: their ends, each over the closest point of the other; coincident ends count
/// once. Each gap is the distance there. Of crossing segments only the crossing, which the caller adds, remains within
/// the margin.
fn segments([first, second]: [[DVec3; 2]; 2], normal: DVec3, points: &mut Points) {
    let mut offer = |on_a: DVec3, on_b: DVec3, feature: u64| {
        let (middle, gap) = (0.5 * (on_a + on_b), on_a.distance(on_b));
        let half = normal * (0.5 * gap);
        let known = points.as_slice().iter().any(|c| (0.5 * (c.on_a + c.on_b)).distance(middle) < ONE * length(first));
        if !known {
            points.push(ManifoldPoint { on_a: middle + half, on_b: middle - half, gap, feature });
        }
    };
    for i in 0..2 {
        if let Some(t) = beside(first[i], second) {
            offer(first[i], segment::at(second, t), 1 + i as u64);
        }
    }
    for i in 0..2 {
        if let Some(t) = beside(second[i], first) {
            offer(segment::at(first, t), second[i], 3 + i as u64);
        }
    }
}

/// Share of the segment's length below which two points count as one.
const ONE: f64 = 1e-6;

fn length([a, b]: [DVec3; 2]) -> f64 {
    a.distance(b)
}

/// Parameter of the closest point on a segment, 0 to 1; `None` if the point is beyond its ends.
fn beside(p: DVec3, [a, b]: [DVec3; 2]) -> Option<f64> {
    let t = (p - a).dot(b - a) / (b - a).length_squared();
    (-BESIDE..=1.0 + BESIDE).contains(&t).then_some(t)
}
