//! Convex polytope with polygons, edges and corners: coplanar triangles are merged to one face.
//!
//! Faces and pairs of edges that can separate two solids are found from their normals (the Gauss map). An edge is the
//! arc between the normals of its two faces, and a pair of edges counts if their arcs cross (Gregorius, GDC 2013).
//! Specification: mathematics 4.9 (H16).

use glam::DVec3;

/// Corners, faces and edges of a convex solid, in its own frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Polytope {
    corners: Vec<DVec3>,
    faces: Vec<PolytopeFace>,
    loops: Vec<u32>,
    edges: Vec<Edge>,
    /// Neighbors of the corners along the sides of the triangles, corner after corner, and where those of each begin.
    neighbors: Vec<u32>,
    begins: Vec<u32>,
    center: DVec3,
    inner_radius: f64,
    extent: f64,
}

/// Face of a [`Polytope`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PolytopeFace {
    /// Outward unit normal.
    pub normal: DVec3,
    /// Offset `normal · x` of its plane, meters.
    pub offset: f64,
    start: u32,
    end: u32,
}

/// Edge between two faces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edge {
    /// Indices of the corners at both ends.
    pub ends: [u32; 2],
    /// Normals of its faces: first that of the face that runs from the first end to the second.
    pub normals: [DVec3; 2],
}

/// Half-edge of a triangle: its ends in ascending order, the triangle's index, and the side's number there.
type HalfEdge = (u32, u32, usize, usize);

/// Bound on 1 − cos of the angle between normals of triangles that are merged to one face.
const ONE_PLANE: f64 = 1e-10;
/// Greatest distance of a corner from the plane of its face, as a share of the size of the solid.
const ON_PLANE: f64 = 1e-9;

impl Polytope {
    /// Polytope inside a closed convex surface of triangles, counter-clockwise from outside.
    pub(super) fn new(corners: &[DVec3], triangles: &[[u32; 3]]) -> Self {
        let triangles: Vec<[u32; 3]> =
            triangles.iter().copied().filter(|t| normal_of(corners, t) != DVec3::ZERO).collect();
        let normals: Vec<DVec3> = triangles.iter().map(|t| normal_of(corners, t)).collect();
        let neighbors = neighbors(&triangles);
        let (around_corners, begins) = beside_corners(corners.len(), &triangles);
        let mut made = Self {
            corners: corners.to_vec(),
            faces: Vec::new(),
            loops: Vec::new(),
            edges: Vec::new(),
            neighbors: around_corners,
            begins,
            center: corners.iter().sum::<DVec3>() / corners.len().max(1) as f64,
            inner_radius: 0.0,
            extent: corners.iter().fold(0.0_f64, |far, p| far.max(p.distance(corners[0]))),
        };
        let mut face_of = vec![usize::MAX; triangles.len()];
        for seed in 0..triangles.len() {
            if face_of[seed] == usize::MAX {
                let group = in_one_plane(corners, &triangles, &normals, &neighbors, &face_of, seed);
                made.add(&triangles, &normals, &neighbors, &mut face_of, group);
            }
        }
        for (triangle, corners) in triangles.iter().enumerate() {
            for side in 0..3 {
                let own = face_of[triangle];
                let Some(other) = neighbors[triangle][side].map(|other| face_of[other]) else { continue };
                if own < other {
                    let ends = [corners[side], corners[(side + 1) % 3]];
                    made.edges.push(Edge { ends, normals: [own, other].map(|face| made.faces[face].normal) });
                }
            }
        }
        let height = |face: &PolytopeFace| face.offset - face.normal.dot(made.center);
        made.inner_radius = made.faces.iter().map(height).fold(f64::INFINITY, f64::min).max(0.0);
        made
    }

    /// Adds a group of triangles as one face, or one by one if their border is not a single loop.
    fn add(
        &mut self,
        triangles: &[[u32; 3]],
        normals: &[DVec3],
        neighbors: &[[Option<usize>; 3]],
        face_of: &mut [usize],
        group: Vec<usize>,
    ) {
        let mut border: Vec<[u32; 2]> = Vec::new();
        for &triangle in &group {
            for side in 0..3 {
                if neighbors[triangle][side].is_none_or(|other| !group.contains(&other)) {
                    border.push([triangles[triangle][side], triangles[triangle][(side + 1) % 3]]);
                }
            }
        }
        let Some(around) = single_loop(&border) else {
            for triangle in group {
                self.add(triangles, normals, &[[None; 3]].repeat(triangles.len()), face_of, vec![triangle]);
            }
            return;
        };
        // The largest triangle has the most accurate normal.
        let area = |t: &usize| {
            let [a, b, c] = triangles[*t].map(|i| self.corners[i as usize]);
            (b - a).cross(c - a).length_squared()
        };
        let largest = group.iter().copied().max_by(|a, b| area(a).total_cmp(&area(b)).then(b.cmp(a)));
        let normal = largest.map_or(DVec3::ZERO, |t| normals[t]);
        let at = |i: &u32| normal.dot(self.corners[*i as usize]);
        let offset = around.iter().map(at).fold(f64::NEG_INFINITY, f64::max);
        group.iter().for_each(|&triangle| face_of[triangle] = self.faces.len());
        let start = self.loops.len() as u32;
        self.loops.extend(around);
        self.faces.push(PolytopeFace { normal, offset, start, end: self.loops.len() as u32 });
    }

    /// Corners, meters.
    pub fn corners(&self) -> &[DVec3] {
        &self.corners
    }

    /// Faces of the polytope.
    pub fn faces(&self) -> &[PolytopeFace] {
        &self.faces
    }

    /// Edges between faces.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// Indices of the corners of a face, counter-clockwise from outside.
    pub fn around(&self, face: &PolytopeFace) -> &[u32] {
        &self.loops[face.start as usize..face.end as usize]
    }

    /// Mean of the corners, meters.
    pub fn center(&self) -> DVec3 {
        self.center
    }

    /// Radius of a ball about the center inside the polytope, meters.
    pub fn inner_radius(&self) -> f64 {
        self.inner_radius
    }

    /// Greatest distance of a corner from the first, meters.
    pub fn extent(&self) -> f64 {
        self.extent
    }

    /// Support function: index of a corner farthest along a direction. The search climbs along edges from corner `from`,
    /// which should be near it; where every neighbor is lower, all corners of a convex solid are.
    pub fn farthest(&self, direction: DVec3, from: usize) -> usize {
        if self.corners.len() <= FEW_CORNERS {
            let first = (0, f64::NEG_INFINITY);
            let along = self.corners.iter().map(|corner| corner.dot(direction)).enumerate();
            return along.fold(first, |best, next| if next.1 > best.1 { next } else { best }).0;
        }
        let (mut at, mut most) = (from, self.corners[from].dot(direction));
        loop {
            let before = at;
            for &next in &self.neighbors[self.begins[before] as usize..self.begins[before + 1] as usize] {
                let along = self.corners[next as usize].dot(direction);
                if along > most {
                    (at, most) = (next as usize, along);
                }
            }
            if at == before {
                return at;
            }
        }
    }
}

/// Number of corners up to which all are compared, which is faster than a search along edges.
const FEW_CORNERS: usize = 12;

/// Neighbors of each corner along the sides of triangles, corner after corner, and where those of each begin.
fn beside_corners(corners: usize, triangles: &[[u32; 3]]) -> (Vec<u32>, Vec<u32>) {
    let sides = |t: &[u32; 3]| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]], [t[1], t[0]], [t[2], t[1]], [t[0], t[2]]];
    let mut pairs: Vec<[u32; 2]> = triangles.iter().flat_map(sides).collect();
    pairs.sort_unstable();
    pairs.dedup();
    let begins = (0..=corners as u32).map(|corner| pairs.partition_point(|pair| pair[0] < corner) as u32).collect();
    (pairs.iter().map(|pair| pair[1]).collect(), begins)
}

fn normal_of(corners: &[DVec3], triangle: &[u32; 3]) -> DVec3 {
    let [a, b, c] = triangle.map(|i| corners[i as usize]);
    (b - a).cross(c - a).normalize_or_zero()
}

/// Neighboring triangle beyond every side; `None` unless exactly one other triangle has that side.
pub(super) fn neighbors(triangles: &[[u32; 3]]) -> Vec<[Option<usize>; 3]> {
    let mut sides: Vec<HalfEdge> = Vec::with_capacity(3 * triangles.len());
    for (triangle, corners) in triangles.iter().enumerate() {
        for side in 0..3 {
            let (a, b) = (corners[side], corners[(side + 1) % 3]);
            sides.push((a.min(b), a.max(b), triangle, side));
        }
    }
    sides.sort_unstable();
    let mut found = vec![[None; 3]; triangles.len()];
    for same in sides.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        if let [first, second] = same {
            found[first.2][first.3] = Some(second.2);
            found[second.2][second.3] = Some(first.2);
        }
    }
    found
}

/// Triangles without a face that are connected to `seed` within its plane.
fn in_one_plane(
    corners: &[DVec3],
    triangles: &[[u32; 3]],
    normals: &[DVec3],
    neighbors: &[[Option<usize>; 3]],
    face_of: &[usize],
    seed: usize,
) -> Vec<usize> {
    let size = corners.iter().fold(0.0_f64, |size, p| size.max(p.distance(corners[0])));
    let origin = corners[triangles[seed][0] as usize];
    let in_plane = |t: usize| {
        let near = |i: &u32| normals[seed].dot(corners[*i as usize] - origin).abs() < ON_PLANE * size;
        normals[seed].dot(normals[t]) > 1.0 - ONE_PLANE && triangles[t].iter().all(near)
    };
    let mut group = vec![seed];
    let mut next = 0;
    while let Some(&triangle) = group.get(next) {
        next += 1;
        for other in neighbors[triangle].into_iter().flatten() {
            if face_of[other] == usize::MAX && !group.contains(&other) && in_plane(other) {
                group.push(other);
            }
        }
    }
    group
}

/// Corners along a border that closes on itself once; `None` for any other.
fn single_loop(border: &[[u32; 2]]) -> Option<Vec<u32>> {
    let first = border.first()?[0];
    let (mut around, mut at) = (Vec::with_capacity(border.len()), first);
    for _ in 0..border.len() {
        around.push(at);
        at = border.iter().find(|side| side[0] == at)?[1];
        if at == first {
            break;
        }
    }
    (at == first && around.len() == border.len()).then_some(around)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collision::signed_distance::ConvexHull;
    use crate::math::random::Random;

    #[test]
    fn the_hull_of_a_cube_has_six_faces_of_four_corners_and_twelve_edges() {
        let corners: Vec<DVec3> =
            (0..8).map(|i| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2))).collect();
        let cube = ConvexHull::new(&corners).unwrap();
        let cube = cube.polytope();
        assert_eq!((cube.faces().len(), cube.edges().len(), cube.corners().len()), (6, 12, 8));
        assert!(cube.faces().iter().all(|face| cube.around(face).len() == 4));
    }

    #[test]
    fn corners_edges_and_faces_of_hulls_are_counted_as_euler_says_and_edges_are_convex() {
        let mut random = Random::new(8);
        for count in [4, 5, 9, 40] {
            let points: Vec<DVec3> = (0..count).map(|_| random.vector()).collect();
            let hull = ConvexHull::new(&points).unwrap();
            let solid = hull.polytope();
            assert_eq!(solid.corners().len() + solid.faces().len(), solid.edges().len() + 2);
            for edge in solid.edges() {
                let along = solid.corners()[edge.ends[1] as usize] - solid.corners()[edge.ends[0] as usize];
                assert!(edge.normals[0].cross(edge.normals[1]).dot(along) > 0.0);
            }
        }
    }
}
