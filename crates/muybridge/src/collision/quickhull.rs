//! Convex hull of points in space by quickhull (Barber, Dobkin, Huhdanpaa 1996).
//!
//! ```text
//! four points ─► tetrahedron ─► while points lie outside a face: the farthest one replaces the faces that see it ─► closed surface
//! ```
//!
//! Which faces see a point is decided by exact orientation tests, so the surface stays closed and convex whatever the
//! rounding. Points closer to a face than [`ROUNDING`] of the size count as inside.

use glam::DVec3;
use robust::{Coord3D, orient3d};

/// Distance from a face within which a point counts as inside, as a share of the size of the point set.
const ROUNDING: f64 = 1e-12;
/// Least height of the first tetrahedron, as a share of the size of the point set; flatter sets have no hull.
const FLAT: f64 = 1e-6;

/// Corners and triangles of the convex hull, triangles counter-clockwise from outside; `None` if the points are
/// coplanar. Corners keep the order of `points`. All points must be finite.
pub(super) fn convex_hull(points: &[DVec3]) -> Option<(Vec<DVec3>, Vec<[u32; 3]>)> {
    let (first, size) = tetrahedron(points)?;
    let mut surface = GrowingHull { points, faces: Vec::new(), thickness: ROUNDING * size };
    surface.begin(first);
    let mut face = 0;
    while face < surface.faces.len() {
        surface.raise(face);
        face += 1;
    }
    Some(surface.compact())
}

/// Four points that span a volume, and the distance of the first two: a distant pair, the point farthest from their
/// line and the point farthest from their plane.
fn tetrahedron(points: &[DVec3]) -> Option<([usize; 4], f64)> {
    let farthest = |measure: &dyn Fn(DVec3) -> f64| {
        (0..points.len()).max_by(|&i, &j| measure(points[i]).total_cmp(&measure(points[j])))
    };
    let any = *points.first()?;
    let a = farthest(&|p| p.distance(any))?;
    let b = farthest(&|p| p.distance(points[a]))?;
    let line = (points[b] - points[a]).normalize_or_zero();
    let c = farthest(&|p| (p - points[a]).cross(line).length())?;
    let normal = line.cross(points[c] - points[a]).normalize_or_zero();
    let height = |p: DVec3| (p - points[a]).dot(normal);
    let d = farthest(&|p| height(p).abs())?;
    let size = points[a].distance(points[b]);
    if height(points[d]).abs() <= FLAT * size {
        return None;
    }
    Some((if height(points[d]) < 0.0 { [a, b, c, d] } else { [a, c, b, d] }, size))
}

/// Triangle of the surface.
struct HullFace {
    /// Points, counter-clockwise from outside.
    corners: [usize; 3],
    /// Faces across the sides that start at the corners of the same index.
    neighbors: [usize; 3],
    normal: DVec3,
    /// Points outside this face that no earlier face was given.
    outside: Vec<usize>,
    is_removed: bool,
}

/// Closed convex surface around the points handled so far.
struct GrowingHull<'a> {
    points: &'a [DVec3],
    faces: Vec<HullFace>,
    /// Distance from a face within which a point counts as inside, meters.
    thickness: f64,
}

impl GrowingHull<'_> {
    /// Sets the first tetrahedron, whose last point lies below the plane of the others.
    fn begin(&mut self, [a, b, c, d]: [usize; 4]) {
        let faces = [[a, b, c], [a, d, b], [b, d, c], [c, d, a]];
        let neighbors = [[1, 2, 3], [3, 2, 0], [1, 3, 0], [2, 1, 0]];
        for (corners, neighbors) in faces.into_iter().zip(neighbors) {
            self.add(corners, neighbors);
        }
        self.share(0, (0..self.points.len()).collect());
    }

    fn add(&mut self, corners: [usize; 3], neighbors: [usize; 3]) {
        let [a, b, c] = corners.map(|corner| self.points[corner]);
        let normal = (b - a).cross(c - a).normalize_or_zero();
        self.faces.push(HullFace { corners, neighbors, normal, outside: Vec::new(), is_removed: false });
    }

    /// Gives each point to the first face from index `from` on that has it outside; the others are inside.
    fn share(&mut self, from: usize, points: Vec<usize>) {
        for point in points {
            let face = (from..self.faces.len())
                .find(|&face| self.height(face, point) > self.thickness && self.sees(face, point));
            if let Some(face) = face {
                self.faces[face].outside.push(point);
            }
        }
    }

    /// Height of a point above the plane of a face, meters.
    fn height(&self, face: usize, point: usize) -> f64 {
        let HullFace { corners, normal, .. } = &self.faces[face];
        normal.dot(self.points[point] - self.points[corners[0]])
    }

    /// Whether a point lies above the plane of a face, without rounding.
    fn sees(&self, face: usize, point: usize) -> bool {
        let at = |point: usize| {
            let DVec3 { x, y, z } = self.points[point];
            Coord3D { x, y, z }
        };
        let [a, b, c] = self.faces[face].corners.map(at);
        orient3d(a, b, c, at(point)) < 0.0
    }

    /// Replaces all faces that see the farthest point outside `face`, if there is one, by a cone of faces to that point.
    fn raise(&mut self, face: usize) {
        let above = |&i: &usize, &j: &usize| self.height(face, i).total_cmp(&self.height(face, j));
        let Some(apex) = self.faces[face].outside.iter().copied().max_by(above) else { return };
        let (horizon, orphans) = self.open(face, apex);
        let first = self.faces.len();
        for (index, &HorizonEdge { ends: [from, to], beyond }) in horizon.iter().enumerate() {
            let after = first + (index + 1) % horizon.len();
            let before = first + (index + horizon.len() - 1) % horizon.len();
            let across = self.side_from(beyond, to);
            self.faces[beyond].neighbors[across] = first + index;
            self.add([from, to, apex], [beyond, after, before]);
        }
        self.share(first, orphans);
    }

    /// Removes all faces that see `apex`, which `face` does; returns the horizon of the hole, one side after the other,
    /// and the points outside the removed faces.
    fn open(&mut self, face: usize, apex: usize) -> (Vec<HorizonEdge>, Vec<usize>) {
        let (mut horizon, mut orphans) = (Vec::new(), Vec::new());
        // Walks around every removed face from the side it was entered by, so that the horizon comes in order.
        let mut walk = vec![(face, 0, 3)];
        self.remove(face, &mut orphans);
        while let Some((face, side, left)) = walk.pop() {
            if left > 1 {
                walk.push((face, (side + 1) % 3, left - 1));
            }
            let HullFace { corners, neighbors, .. } = &self.faces[face];
            let (from, to, beyond) = (corners[side], corners[(side + 1) % 3], neighbors[side]);
            if self.faces[beyond].is_removed {
                continue;
            }
            if self.sees(beyond, apex) {
                let entry = self.side_from(beyond, to);
                self.remove(beyond, &mut orphans);
                walk.push((beyond, (entry + 1) % 3, 2));
            } else {
                horizon.push(HorizonEdge { ends: [from, to], beyond });
            }
        }
        (horizon, orphans)
    }

    /// Index of the side of a face that starts at `corner`, one of its corners.
    fn side_from(&self, face: usize, corner: usize) -> usize {
        self.faces[face].corners.iter().position(|&own| own == corner).expect("a corner of the face")
    }

    fn remove(&mut self, face: usize, orphans: &mut Vec<usize>) {
        self.faces[face].is_removed = true;
        orphans.append(&mut self.faces[face].outside);
    }

    /// Corners and triangles of the surface.
    fn compact(&self) -> (Vec<DVec3>, Vec<[u32; 3]>) {
        let left = || self.faces.iter().filter(|face| !face.is_removed);
        let mut is_corner = vec![false; self.points.len()];
        left().flat_map(|face| face.corners).for_each(|corner| is_corner[corner] = true);
        let mut number = vec![0; self.points.len()];
        let mut corners = Vec::new();
        for point in (0..self.points.len()).filter(|&point| is_corner[point]) {
            number[point] = corners.len() as u32;
            corners.push(self.points[point]);
        }
        (corners, left().map(|face| face.corners.map(|corner| number[corner])).collect())
    }
}

/// Edge of the horizon: of the border of a hole, seen from inside the hole.
struct HorizonEdge {
    ends: [usize; 2],
    /// Face that stays on the other side.
    beyond: usize,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::random::Random;

    /// Fails unless the surface is closed, convex and holds all points. Returns the number of corners and the volume.
    fn checked(points: &[DVec3]) -> (usize, f64) {
        let (corners, triangles) = convex_hull(points).expect("a hull");
        // Euler's formula of a closed surface of triangles without holes, and each side in both directions.
        assert_eq!(triangles.len(), 2 * corners.len() - 4);
        let mut sides: Vec<[u32; 2]> = triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).collect();
        sides.sort_unstable();
        assert!(sides.iter().all(|&[a, b]| sides.binary_search(&[b, a]).is_ok()));
        assert!(sides.windows(2).all(|pair| pair[0] != pair[1]));
        let size = points.iter().map(|p| p.distance(points[0])).fold(0.0, f64::max);
        let mut volume = 0.0;
        for triangle in &triangles {
            let [a, b, c] = triangle.map(|corner| corners[corner as usize]);
            let normal = (b - a).cross(c - a);
            volume += a.dot(b.cross(c)) / 6.0;
            for &p in points {
                let height = normal.dot(p - a);
                assert!(height <= 1e-11 * size * normal.length() + 1e-15 * size.powi(3), "{p} is {height} above");
            }
        }
        (corners.len(), volume)
    }

    #[test]
    fn a_grid_in_a_box_has_the_eight_corners_and_its_volume() {
        let points: Vec<DVec3> =
            (0..343).map(|i| DVec3::new(f64::from(i % 7), f64::from(i / 7 % 7), f64::from(i / 49)) * 0.1).collect();
        let (corners, volume) = checked(&points);
        assert_eq!(corners, 8);
        assert!((volume - 0.216).abs() < 1e-14, "{volume}");
    }

    #[test]
    fn a_turned_prism_with_repeated_points_has_its_volume() {
        let turn = glam::DQuat::from_scaled_axis(DVec3::new(0.3, -1.2, 0.7));
        for sides in [3, 5, 32, 101] {
            let rim = (0..sides).map(|i| std::f64::consts::TAU * f64::from(i) / f64::from(sides));
            let points: Vec<DVec3> = rim
                .flat_map(|angle| [-2.0, 0.0, 2.0, 2.0].map(|y| DVec3::new(libm::cos(angle), y, libm::sin(angle))))
                .map(|p| turn * p + DVec3::new(5.0, 1.0, -3.0))
                .collect();
            let (_, volume) = checked(&points);
            let area = 0.5 * f64::from(sides) * libm::sin(std::f64::consts::TAU / f64::from(sides));
            assert!((volume - 4.0 * area).abs() < 1e-9, "{sides}: {volume}");
        }
    }

    #[test]
    fn points_on_a_sphere_are_all_corners_and_points_inside_are_none() {
        let mut random = Random::new(11);
        let sphere: Vec<DVec3> = (0..500).map(|_| random.vector().normalize()).collect();
        let inside: Vec<DVec3> = (0..500).map(|_| random.vector() * 0.4).collect();
        let both: Vec<DVec3> = sphere.iter().chain(&inside).copied().collect();
        assert_eq!(checked(&both).0, 500);
        assert_eq!(convex_hull(&both), convex_hull(&sphere));
    }

    #[test]
    fn the_hull_is_that_of_a_second_algorithm() {
        let mut random = Random::new(29);
        for count in [4, 5, 8, 40, 300] {
            let points: Vec<DVec3> = (0..count).map(|_| random.vector()).collect();
            let (own, _) = convex_hull(&points).expect("a hull");
            let (mut other, _) = parry3d_f64::transformation::convex_hull(&points);
            let place = |p: &DVec3| points.iter().position(|q| q == p);
            other.sort_by_key(place);
            assert_eq!(own, other);
        }
    }

    #[test]
    fn flat_sets_have_no_hull() {
        let flat: Vec<DVec3> = (0..16).map(|i| DVec3::new(f64::from(i % 4), 1.0, f64::from(i / 4))).collect();
        assert!(convex_hull(&flat).is_none());
        assert!(convex_hull(&[]).is_none());
        assert!(convex_hull(&[DVec3::ONE; 9]).is_none());
    }
}
