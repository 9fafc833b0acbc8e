//! Polygon surfaces, given as points and faces of three or more corners: triangulation and orientation.
//!
//! ```text
//! normal of a face    ½ Σ pᵢ × pᵢ₊₁ (Newell): counter-clockwise seen against the normal
//! quad                cut along the shorter diagonal, or from the smallest index if equal: independent of its first corner
//! neighbors           use their common edge in opposite directions; otherwise one is flipped
//! closed and outward  Σ a·(b × c)/6 > 0
//! ```
//! Specification: mathematics 2.3, 4.9 (H25).

use std::collections::BTreeMap;

use glam::DVec3;
use thiserror::Error;

/// Reasons why faces do not form a surface with two sides.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum PolygonError {
    /// A face has fewer than three corners.
    #[error("face {face} has {corners} corners; a face has at least three")]
    TooFewCorners {
        /// Index of the face, from 0.
        face: usize,
        /// Number of corners as given.
        corners: usize,
    },
    /// A face refers to a point that does not exist.
    #[error("face {face} names point {point}, and there are {points}")]
    MissingPoint {
        /// Index of the face, from 0.
        face: usize,
        /// Index of the point as given.
        point: usize,
        /// Number of points.
        points: usize,
    },
    /// Two faces run along an edge in the same direction.
    #[error(
        "faces {first} and {second} are turned against each other along the edge of points {from} and {to}; reverse the corners of one"
    )]
    Flipped {
        /// Index of the first face, from 0.
        first: usize,
        /// Index of the second face, from 0.
        second: usize,
        /// Point at which both faces begin the edge.
        from: usize,
        /// Point at which both faces end the edge.
        to: usize,
    },
    /// The surface is closed, and its faces look inward.
    #[error("the surface is inside out: its faces are clockwise seen from outside; reverse the corners of all")]
    InsideOut,
}

/// Triangulated surface with the face of each triangle.
#[derive(Clone, Debug, PartialEq)]
pub struct TriangulatedFaces {
    /// Triangles by point index, counter-clockwise from outside.
    pub triangles: Vec<[usize; 3]>,
    /// Face of each triangle.
    pub face: Vec<usize>,
    /// Whether every edge has two faces.
    pub is_closed: bool,
}

/// Normal of a face times its area, m² (Newell). For a face that is not flat, the area is that of its projection along
/// the normal.
pub fn area_vector(points: &[DVec3], face: &[usize]) -> DVec3 {
    let Some(&first) = face.first() else { return DVec3::ZERO };
    let origin = points[first];
    let next = |i: usize| points[face[(i + 1) % face.len()]] - origin;
    0.5 * (0..face.len()).map(|i| (points[face[i]] - origin).cross(next(i))).sum::<DVec3>()
}

/// Triangulates a face; the triangles look where the face looks. The result does not depend on the first corner of the
/// face.
pub fn cut(points: &[DVec3], face: &[usize]) -> Vec<[usize; 3]> {
    let count = face.len();
    let mut start = (0..count).min_by_key(|&i| face[i]).unwrap_or(0);
    if count == 4 {
        let diagonal = |i: usize| points[face[i % 4]].distance_squared(points[face[(i + 2) % 4]]);
        if diagonal(start + 1) < diagonal(start) {
            start += 1;
        }
    }
    let at = |i: usize| face[(start + i) % count];
    (1..count.saturating_sub(1)).map(|i| [at(0), at(i), at(i + 1)]).collect()
}

/// Triangulates a surface of polygons. Fails if the faces do not agree on their outside; an open surface may face
/// either way.
pub fn surface(points: &[DVec3], faces: &[Vec<usize>]) -> Result<TriangulatedFaces, PolygonError> {
    for (face, corners) in faces.iter().enumerate() {
        if corners.len() < 3 {
            return Err(PolygonError::TooFewCorners { face, corners: corners.len() });
        }
        if let Some(&point) = corners.iter().find(|&&point| point >= points.len()) {
            return Err(PolygonError::MissingPoint { face, point, points: points.len() });
        }
    }
    let is_closed = agree(faces)?;
    let mut made = TriangulatedFaces { triangles: Vec::new(), face: Vec::new(), is_closed };
    for (index, face) in faces.iter().enumerate() {
        let triangles = cut(points, face);
        made.face.resize(made.face.len() + triangles.len(), index);
        made.triangles.extend(triangles);
    }
    if is_closed && volume(points, &made.triangles) < 0.0 {
        return Err(PolygonError::InsideOut);
    }
    Ok(made)
}

/// Volume enclosed by a closed surface of triangles, m³; negative if it is inside out.
pub fn volume(points: &[DVec3], triangles: &[[usize; 3]]) -> f64 {
    let Some(&origin) = points.first() else { return 0.0 };
    let of = |corners: &[usize; 3]| {
        let [a, b, c] = corners.map(|at| points[at] - origin);
        a.dot(b.cross(c)) / 6.0
    };
    triangles.iter().map(of).sum()
}

/// Whether every edge has two faces that run along it in opposite directions. Fails if two faces run along it in the
/// same direction.
fn agree(faces: &[Vec<usize>]) -> Result<bool, PolygonError> {
    let mut directed: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for (second, face) in faces.iter().enumerate() {
        for i in 0..face.len() {
            let (from, to) = (face[i], face[(i + 1) % face.len()]);
            if let Some(first) = directed.insert((from, to), second) {
                return Err(PolygonError::Flipped { first, second, from, to });
            }
        }
    }
    Ok(directed.keys().all(|&(from, to)| directed.contains_key(&(to, from))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collision::polyhedron;

    fn cube() -> (Vec<DVec3>, Vec<Vec<usize>>) {
        let points = (0..8).map(|i| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2 & 1)));
        let faces = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        (points.collect(), faces.iter().map(|face| face.to_vec()).collect())
    }

    #[test]
    fn h25_a_quad_is_cut_the_same_way_wherever_it_starts_and_along_its_shorter_diagonal() {
        let points = [DVec3::ZERO, DVec3::new(3.0, 0.2, 0.0), DVec3::new(4.0, 1.0, 0.0), DVec3::Y];
        for quad in [points, [DVec3::ZERO, DVec3::X, DVec3::X + DVec3::Y, DVec3::Y]] {
            let sorted = |start: usize| {
                let face: Vec<usize> = (0..4).map(|i| (start + i) % 4).collect();
                let mut triangles: Vec<Vec<usize>> = cut(&quad, &face)
                    .into_iter()
                    .map(|t| {
                        let least = (0..3).min_by_key(|&i| t[i]).unwrap();
                        (0..3).map(|i| t[(least + i) % 3]).collect()
                    })
                    .collect();
                triangles.sort();
                triangles
            };
            for start in 1..4 {
                assert_eq!(sorted(start), sorted(0));
            }
        }
        // Diagonal 0–2 is √17 long, 1–3 √9.64.
        assert!(cut(&points, &[0, 1, 2, 3]).iter().all(|t| t.contains(&1) && t.contains(&3)));
    }

    #[test]
    fn h25_normals_of_a_closed_cube_point_out_and_its_volume_is_positive() {
        let (points, faces) = cube();
        for face in &faces {
            let middle = face.iter().map(|&i| points[i]).sum::<DVec3>() / 4.0 - DVec3::splat(0.5);
            let normal = area_vector(&points, face);
            assert!((normal - 2.0 * middle).length() < 1e-15, "{normal} {middle}");
        }
        let surface = surface(&points, &faces).unwrap();
        assert!(surface.is_closed);
        assert_eq!(surface.triangles.len(), 12);
        assert!((volume(&points, &surface.triangles) - 1.0).abs() < 1e-15);
        let solid = polyhedron::of_mesh(&points, &surface.triangles, 1.0).unwrap();
        assert!((solid.mass - 1.0).abs() < 1e-14);
        for (triangle, &face) in surface.triangles.iter().zip(&surface.face) {
            assert!(area_vector(&points, triangle).dot(area_vector(&points, &faces[face])) > 0.0);
        }
    }

    #[test]
    fn h25_a_flipped_face_is_named_and_a_surface_that_is_inside_out_is_too() {
        let (points, mut faces) = cube();
        faces[3].reverse();
        let error = surface(&points, &faces).unwrap_err();
        let PolygonError::Flipped { first, second, .. } = error else { panic!("{error}") };
        assert!(first == 3 || second == 3, "{error}");
        faces.iter_mut().enumerate().filter(|(face, _)| *face != 3).for_each(|(_, face)| face.reverse());
        assert_eq!(surface(&points, &faces), Err(PolygonError::InsideOut));
    }

    #[test]
    fn x14_faces_without_corners_or_with_points_that_are_not_there_are_sentences() {
        let (points, mut faces) = cube();
        faces.push(vec![1, 2]);
        let error = surface(&points, &faces).unwrap_err().to_string();
        assert_eq!(error, "face 6 has 2 corners; a face has at least three");
        faces[6] = vec![1, 2, 8];
        let error = surface(&points, &faces).unwrap_err().to_string();
        assert_eq!(error, "face 6 names point 8, and there are 8");
        assert!(!surface(&points, &faces[..5]).unwrap().is_closed);
        assert_eq!(surface(&[], &[]).unwrap().triangles.len(), 0);
    }
}
