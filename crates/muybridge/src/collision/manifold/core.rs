//! Core of a convex shape: the shape without its rounding radius, as a point, segment or solid with flat faces.

use glam::{DMat3, DVec3};

use crate::collision::obstacle::Pose;
use crate::collision::polytope::{Edge, Polytope};

/// Core of a convex shape at a pose.
#[derive(Clone, Copy, Debug)]
pub(super) struct Core<'a> {
    pub kind: CoreKind<'a>,
    /// Rounding radius: distance of the surface from the core, meters.
    pub radius: f64,
    pub turn: DMat3,
    pub at: DVec3,
}

/// Kind of a core, in its own frame.
#[derive(Clone, Copy, Debug)]
pub(super) enum CoreKind<'a> {
    /// Point at the origin.
    Point,
    /// Segment from −y to y, with its half length.
    Segment(f64),
    /// Box, with half its sides.
    Box(DVec3),
    /// Prism in place of a cylinder along y; its first corner lies in the direction `(cos, 0, sin)`.
    Prism { radius: f64, half_length: f64, phase: [f64; 2] },
    /// Convex hull.
    Polytope(&'a Polytope),
    /// Triangle of a surface: two faces without an inside.
    Triangle([DVec3; 3]),
}

/// Sides of the prism in place of a cylinder: an error of 0.5 % of the radius.
pub(super) const SIDES: usize = 32;

/// Greatest number of corners of a face; of larger faces a subset is used.
pub(super) const MOST_CORNERS: usize = 32;

/// Face, edge or corner of a core, in world coordinates.
#[derive(Clone, Copy, Debug)]
pub(super) struct Polygon {
    pub corners: [DVec3; MOST_CORNERS],
    pub ids: [u32; MOST_CORNERS],
    pub count: usize,
    /// Outward unit normal; zero for an edge or a corner.
    pub normal: DVec3,
}

/// Edge of a core as the separating-axis search needs it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arc {
    pub start: DVec3,
    pub along: DVec3,
    /// Normals of its two faces; `None` if every perpendicular direction counts.
    pub normals: Option<[DVec3; 2]>,
}

impl Arc {
    pub const NONE: Self = Self { start: DVec3::ZERO, along: DVec3::ZERO, normals: None };
}

impl<'a> Core<'a> {
    pub fn new(kind: CoreKind<'a>, radius: f64, pose: &Pose) -> Self {
        Self { kind, radius, turn: DMat3::from_quat(pose.rotation), at: pose.position }
    }

    fn out(&self, local: DVec3) -> DVec3 {
        self.turn * local + self.at
    }

    fn local_direction(&self, direction: DVec3) -> DVec3 {
        self.turn.transpose() * direction
    }

    /// World position of a corner.
    pub fn corner(&self, i: usize) -> DVec3 {
        self.out(self.kind.corner(i))
    }

    /// Support function: index of the corner farthest along a direction. `near` is a corner from which to search.
    pub fn farthest(&self, direction: DVec3, near: usize) -> usize {
        self.kind.farthest(self.local_direction(direction), near)
    }

    /// Point inside the core.
    pub fn center(&self) -> DVec3 {
        match self.kind {
            CoreKind::Polytope(solid) => self.out(solid.center()),
            CoreKind::Triangle([a, b, c]) => self.out((a + b + c) / 3.0),
            _ => self.at,
        }
    }

    /// Approximately half of the greatest extent.
    pub fn size(&self) -> f64 {
        match self.kind {
            CoreKind::Point => 0.0,
            CoreKind::Segment(half) => half,
            CoreKind::Box(half) => half.max_element(),
            CoreKind::Prism { radius, half_length, .. } => radius.max(half_length),
            CoreKind::Polytope(solid) => solid.extent() * 0.5,
            CoreKind::Triangle([a, b, c]) => 0.5 * a.distance(b).max(b.distance(c)).max(c.distance(a)),
        }
    }

    /// Radius of a ball about the center inside the core, meters.
    fn inner_radius(&self) -> f64 {
        match self.kind {
            CoreKind::Box(half) => half.min_element(),
            CoreKind::Polytope(solid) => solid.inner_radius(),
            _ => 0.0,
        }
    }

    /// Calls `found` with the normal and a point of every face along which `other` may be more than the present greatest gap
    /// away. That gap is `least` at first, and then what `found` returns.
    pub fn faces_before(&self, other: &Self, mut least: f64, found: &mut dyn FnMut(DVec3, DVec3) -> f64) {
        let (center, radius) = (other.center(), other.inner_radius());
        if let CoreKind::Polytope(solid) = self.kind {
            let center = self.local_direction(center - self.at);
            for face in solid.faces() {
                if face.normal.dot(center) - face.offset - radius > least {
                    least = found(self.turn * face.normal, self.out(face.normal * face.offset));
                }
            }
            return;
        }
        self.faces(&mut |normal, point| {
            if normal.dot(center - point) - radius > least {
                least = found(normal, point);
            }
        });
    }

    fn faces(&self, found: &mut dyn FnMut(DVec3, DVec3)) {
        match self.kind {
            CoreKind::Point | CoreKind::Segment(_) => {}
            CoreKind::Box(half) => {
                for (axis, i) in DVec3::AXES.into_iter().zip(0..) {
                    for side in [axis, -axis] {
                        found(self.turn * side, self.out(side * half[i]));
                    }
                }
            }
            CoreKind::Prism { half_length, .. } => {
                for side in [DVec3::Y, -DVec3::Y] {
                    found(self.turn * side, self.out(side * half_length));
                }
                for i in 0..SIDES {
                    let (a, b) = (self.kind.corner(i), self.kind.corner((i + 1) % SIDES));
                    let middle = 0.5 * (a + b);
                    let normal = DVec3::new(middle.x, 0.0, middle.z).normalize_or_zero();
                    found(self.turn * normal, self.out(a));
                }
            }
            CoreKind::Polytope(solid) => {
                for face in solid.faces() {
                    found(self.turn * face.normal, self.out(face.normal * face.offset));
                }
            }
            CoreKind::Triangle([a, b, c]) => {
                let normal = self.turn * (b - a).cross(c - a).normalize_or_zero();
                found(normal, self.out(a));
                found(-normal, self.out(a));
            }
        }
    }

    /// Calls `found` with every edge of which an end `x` has `direction · x` up to `most`.
    pub fn edges_within(&self, direction: DVec3, most: f64, found: &mut dyn FnMut(Arc)) {
        if let CoreKind::Polytope(solid) = self.kind {
            let (local, most) = (self.local_direction(direction), most - direction.dot(self.at));
            let is_within = |&end: &u32| solid.corners()[end as usize].dot(local) <= most;
            solid
                .edges()
                .iter()
                .filter(|edge| edge.ends.iter().any(is_within))
                .for_each(|edge| found(self.arc(solid, edge)));
            return;
        }
        self.edges(&mut |arc| {
            if direction.dot(arc.start).min(direction.dot(arc.start + arc.along)) <= most {
                found(arc);
            }
        });
    }

    fn arc(&self, solid: &Polytope, edge: &Edge) -> Arc {
        let [start, end] = edge.ends.map(|i| solid.corners()[i as usize]);
        let normals = Some(edge.normals.map(|n| self.turn * n));
        Arc { start: self.out(start), along: self.turn * (end - start), normals }
    }

    fn edges(&self, found: &mut dyn FnMut(Arc)) {
        let free = |start: DVec3, along: DVec3| Arc { start: self.out(start), along: self.turn * along, normals: None };
        match self.kind {
            CoreKind::Point => {}
            CoreKind::Segment(half) => found(free(DVec3::Y * -half, DVec3::Y * (2.0 * half))),
            CoreKind::Box(half) => {
                for i in 0..3 {
                    let (j, k) = ((i + 1) % 3, (i + 2) % 3);
                    for (u, v) in [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)] {
                        let mut start = -half;
                        (start[j], start[k]) = (u * half[j], v * half[k]);
                        let along = self.turn.col(i) * (2.0 * half[i]);
                        let normals = Some([self.turn.col(j) * u, self.turn.col(k) * v]);
                        found(Arc { start: self.out(start), along, normals });
                    }
                }
            }
            CoreKind::Prism { .. } => {
                let step = libm::sincos(core::f64::consts::PI / SIDES as f64);
                for i in 0..SIDES {
                    let next = (i + 1) % SIDES;
                    let [a, b, c] = [i, next, i + SIDES].map(|i| self.kind.corner(i));
                    let d = self.kind.corner(next + SIDES);
                    let across = |p: DVec3, back: f64| {
                        let out = DVec3::new(p.x, 0.0, p.z).normalize_or_zero();
                        out * step.1 + DVec3::new(-out.z, 0.0, out.x) * (back * step.0)
                    };
                    let (before, after) = (self.turn * across(a, -1.0), self.turn * across(a, 1.0));
                    let edge = |p: DVec3, q: DVec3, normals| Arc {
                        start: self.out(p),
                        along: self.turn * (q - p),
                        normals: Some(normals),
                    };
                    found(edge(a, c, [before, after]));
                    found(edge(a, b, [after, self.turn.y_axis]));
                    found(edge(c, d, [after, -self.turn.y_axis]));
                }
            }
            CoreKind::Polytope(solid) => solid.edges().iter().for_each(|edge| found(self.arc(solid, edge))),
            CoreKind::Triangle(corners) => {
                (0..3).for_each(|i| found(free(corners[i], corners[(i + 1) % 3] - corners[i])));
            }
        }
    }

    /// Face with the normal closest to a direction; for cores without faces the edge or corner.
    pub fn facing(&self, direction: DVec3) -> Polygon {
        let local = self.local_direction(direction);
        let mut found =
            Polygon { corners: [DVec3::ZERO; MOST_CORNERS], ids: [0; MOST_CORNERS], count: 0, normal: DVec3::ZERO };
        match self.kind {
            CoreKind::Point => found.push(self.at, 0),
            CoreKind::Segment(half) => {
                for i in 0..2 {
                    found.push(self.corner(i), i);
                }
                if local.y.abs() > ALONG * local.length() || half == 0.0 {
                    let end = self.kind.farthest(local, 0);
                    found.count = 0;
                    found.push(self.corner(end), end);
                }
            }
            CoreKind::Box(_) => {
                let size = local.abs();
                let axis = if size.x >= size.y && size.x >= size.z { 0 } else { 1 + usize::from(size.z > size.y) };
                let (j, k) = ((axis + 1) % 3, (axis + 2) % 3);
                let up = local[axis] >= 0.0;
                found.normal = if up { self.turn.col(axis) } else { -self.turn.col(axis) };
                for (u, v) in [(false, false), (true, false), (true, true), (false, true)] {
                    let (u, v) = if up { (u, v) } else { (v, u) };
                    let i = usize::from(up) << axis | usize::from(u) << j | usize::from(v) << k;
                    found.push(self.corner(i), i);
                }
            }
            CoreKind::Prism { radius, .. } => self.facing_of_prism(local, radius, &mut found),
            CoreKind::Polytope(solid) => {
                let mut best = f64::NEG_INFINITY;
                let mut facing = None;
                for face in solid.faces() {
                    let along = face.normal.dot(local);
                    if along > best {
                        (best, facing) = (along, Some(face));
                    }
                }
                if let Some(face) = facing {
                    let around = solid.around(face);
                    let stride = around.len().div_ceil(MOST_CORNERS);
                    around.iter().step_by(stride).for_each(|&i| found.push(self.corner(i as usize), i as usize));
                    found.normal = self.turn * face.normal;
                }
            }
            CoreKind::Triangle([a, b, c]) => {
                let normal = (b - a).cross(c - a).normalize_or_zero();
                let is_front = normal.dot(local) >= 0.0;
                for i in if is_front { [0, 1, 2] } else { [0, 2, 1] } {
                    found.push(self.corner(i), i);
                }
                found.normal = self.turn * if is_front { normal } else { -normal };
            }
        }
        found
    }

    fn facing_of_prism(&self, local: DVec3, radius: f64, found: &mut Polygon) {
        let across = DVec3::new(local.x, 0.0, local.z);
        if local.y.abs() >= across.length() {
            let up = local.y >= 0.0;
            found.normal = if up { self.turn.y_axis } else { -self.turn.y_axis };
            for i in 0..SIDES {
                let corner = if up { SIDES - 1 - i } else { i + SIDES };
                found.push(self.corner(corner), corner);
            }
            return;
        }
        let i = self.kind.farthest(DVec3::new(local.x, 1.0, local.z), 0) % SIDES;
        let beside = |j: usize| self.kind.corner(j % SIDES).dot(across);
        let first = if beside(i + 1) >= beside(i + SIDES - 1) { i } else { i + SIDES - 1 } % SIDES;
        let next = (first + 1) % SIDES;
        for corner in [first, next, next + SIDES, first + SIDES] {
            found.push(self.corner(corner), corner);
        }
        let middle = self.kind.corner(first) + self.kind.corner(next);
        found.normal = self.turn * (DVec3::new(middle.x, 0.0, middle.z) / (2.0 * radius)).normalize_or_zero();
        // Counter-clockwise from outside: sides run from x to z, which is clockwise about y.
        found.corners[..4].reverse();
        found.ids[..4].reverse();
    }
}

/// Cosine of 2.6°: a segment this close to the contact direction touches with its end only.
const ALONG: f64 = 0.999;

impl Polygon {
    pub fn push(&mut self, corner: DVec3, id: usize) {
        if self.count < MOST_CORNERS {
            (self.corners[self.count], self.ids[self.count]) = (corner, id as u32);
            self.count += 1;
        }
    }

    pub fn corners(&self) -> &[DVec3] {
        &self.corners[..self.count]
    }
}

impl CoreKind<'_> {
    fn corner(&self, i: usize) -> DVec3 {
        let sign = |bit: usize| if i >> bit & 1 == 0 { -1.0 } else { 1.0 };
        match *self {
            CoreKind::Point => DVec3::ZERO,
            CoreKind::Segment(half) => DVec3::new(0.0, half * sign(0), 0.0),
            CoreKind::Box(half) => half * DVec3::new(sign(0), sign(1), sign(2)),
            CoreKind::Prism { radius, half_length, phase: [cosine, sine] } => {
                let (s, c) = AROUND[i % SIDES];
                let y = if i < SIDES { half_length } else { -half_length };
                DVec3::new(radius * (c * cosine - s * sine), y, radius * (s * cosine + c * sine))
            }
            CoreKind::Polytope(solid) => solid.corners().get(i).copied().unwrap_or(DVec3::ZERO),
            CoreKind::Triangle(corners) => corners[i.min(2)],
        }
    }

    fn farthest(&self, d: DVec3, near: usize) -> usize {
        match *self {
            CoreKind::Point => 0,
            CoreKind::Segment(_) => usize::from(d.y >= 0.0),
            CoreKind::Box(_) => usize::from(d.x >= 0.0) | usize::from(d.y >= 0.0) << 1 | usize::from(d.z >= 0.0) << 2,
            CoreKind::Prism { .. } => {
                let top = if d.y >= 0.0 { 0 } else { SIDES };
                (0..SIDES)
                    .map(|i| (i + top, self.corner(i + top).dot(d)))
                    .fold((top, f64::NEG_INFINITY), |a, b| if b.1 > a.1 { b } else { a })
                    .0
            }
            CoreKind::Polytope(solid) => solid.farthest(d, near),
            CoreKind::Triangle(corners) => {
                (1..3).fold(0, |best, i| if corners[i].dot(d) > corners[best].dot(d) { i } else { best })
            }
        }
    }
}

/// Sines and cosines of the corners of the prism.
static AROUND: std::sync::LazyLock<[(f64, f64); SIDES]> = std::sync::LazyLock::new(|| {
    core::array::from_fn(|i| libm::sincos(i as f64 * (2.0 * core::f64::consts::PI / SIDES as f64)))
});
