//! Edges, opposite corners and areas of a triangle mesh, for the constraints of a cloth.

use glam::DVec3;

use super::ObjectError;

/// An edge of a mesh and the corners opposite to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Edge {
    /// Indices of the ends, the lesser first.
    pub ends: [usize; 2],
    /// Third corners of the first two triangles with this edge; `None` if there are fewer.
    pub opposite: [Option<usize>; 2],
}

/// Checks a mesh: every corner exists, every triangle has three corners, every point is finite.
pub(crate) fn check(points: &[DVec3], triangles: &[[usize; 3]]) -> Result<(), ObjectError> {
    if let Some(particle) = points.iter().position(|point| !point.is_finite()) {
        return Err(ObjectError::NotFinite { what: "the position of point", index: particle });
    }
    if triangles.is_empty() {
        return Err(ObjectError::NoTriangles);
    }
    for (triangle, &corners) in triangles.iter().enumerate() {
        if let Some(&corner) = corners.iter().find(|&&corner| corner >= points.len()) {
            return Err(ObjectError::NoSuchPoint {
                what: "triangle",
                index: triangle,
                point: corner,
                points: points.len(),
            });
        }
        let [a, b, c] = corners;
        if points[a] == points[b] || points[b] == points[c] || points[c] == points[a] {
            return Err(ObjectError::Collapsed { triangle });
        }
    }
    Ok(())
}

/// Lists the edges of checked triangles, ordered by their ends.
pub(crate) fn edges(triangles: &[[usize; 3]]) -> Vec<Edge> {
    let mut sides: Vec<([usize; 2], usize)> = triangles
        .iter()
        .flat_map(|&[a, b, c]| [(a, b, c), (b, c, a), (c, a, b)])
        .map(|(a, b, c)| ([a.min(b), a.max(b)], c))
        .collect();
    sides.sort_unstable();
    let mut edges: Vec<Edge> = Vec::new();
    for (ends, corner) in sides {
        match edges.last_mut() {
            Some(edge) if edge.ends == ends => {
                if edge.opposite[1].is_none() {
                    edge.opposite[1] = Some(corner);
                }
            }
            _ => edges.push(Edge { ends, opposite: [Some(corner), None] }),
        }
    }
    edges
}

/// Area of each point, m²: a third of the area of its triangles.
pub(crate) fn areas(points: &[DVec3], triangles: &[[usize; 3]]) -> Vec<f64> {
    let mut areas = vec![0.0; points.len()];
    for &[a, b, c] in triangles {
        let area = 0.5 * (points[b] - points[a]).cross(points[c] - points[a]).length();
        for corner in [a, b, c] {
            areas[corner] += area / 3.0;
        }
    }
    areas
}

/// Distance limit of two opposite corners in lengths of their edge. Nearer corners get a shear stick across the edge,
/// farther ones a bending stick. The ratio is 1 in a square, √3 in an equilateral mesh, 2 across a straight row.
const CROSSES: f64 = 1.5;

impl Edge {
    /// The two opposite corners; `None` on a border.
    pub(crate) fn wings(&self) -> Option<[usize; 2]> {
        match self.opposite {
            [Some(c), Some(d)] if c != d => Some([c, d]),
            _ => None,
        }
    }

    /// Whether the line between the opposite corners is the other diagonal of a cell, whose sides are all shorter than this edge.
    pub(crate) fn is_diagonal(&self, points: &[DVec3]) -> bool {
        let [a, b] = self.ends.map(|end| points[end]);
        let length = a.distance(b);
        self.wings().map(|wings| wings.map(|wing| points[wing])).is_some_and(|[c, d]| {
            let longest = [c, d].iter().flat_map(|wing| [a.distance(*wing), b.distance(*wing)]).fold(0.0, f64::max);
            longest < length && c.distance(d) < CROSSES * length
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_square_of_two_triangles_has_five_edges_and_one_diagonal() {
        let points = [DVec3::ZERO, DVec3::X, DVec3::X + DVec3::Y, DVec3::Y];
        let triangles = [[0, 1, 2], [0, 2, 3]];
        check(&points, &triangles).expect("a square");
        let edges = edges(&triangles);
        assert_eq!(edges.iter().map(|edge| edge.ends).collect::<Vec<_>>(), [[0, 1], [0, 2], [0, 3], [1, 2], [2, 3]]);
        let diagonals: Vec<_> = edges.iter().filter(|edge| edge.is_diagonal(&points)).collect();
        assert_eq!(diagonals.len(), 1);
        assert_eq!(diagonals[0].wings(), Some([1, 3]));
        let areas = areas(&points, &triangles);
        for (area, expected) in areas.iter().zip([1.0 / 3.0, 1.0 / 6.0, 1.0 / 3.0, 1.0 / 6.0]) {
            assert!((area - expected).abs() < 1e-15);
        }
    }

    #[test]
    fn a_bad_mesh_is_told_by_the_triangle_that_is_bad() {
        let points = [DVec3::ZERO, DVec3::X, DVec3::Y];
        assert_eq!(check(&points, &[]).expect_err("nothing").to_string(), ObjectError::NoTriangles.to_string());
        let far = check(&points, &[[0, 1, 2], [0, 1, 7]]).expect_err("no point 7").to_string();
        assert!(far.contains("triangle 1") && far.contains("point 7"), "{far}");
        assert!(check(&points, &[[0, 1, 1]]).expect_err("a line").to_string().contains("triangle 0"));
        let torn = [DVec3::ZERO, DVec3::X, DVec3::NAN];
        assert!(check(&torn, &[[0, 1, 2]]).expect_err("not a number").to_string().contains("point 2"));
    }
}
