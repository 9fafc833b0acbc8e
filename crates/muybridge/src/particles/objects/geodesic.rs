//! Geodesic distances: shortest paths over a triangle mesh, for tethers.
//!
//! A front spreads from the source over the triangles. If the distances `d_a`, `d_b` of two corners are known, the
//! source is unfolded into the plane of their triangle, opposite the third corner:
//! ```text
//! s = (d_a² − d_b² + e²)/(2e),  t = −√(d_a² − s²)          e = |b − a|, a at the origin, b on the first axis
//! d_c = |c − (s, t)|  if that line crosses the edge, else min(d_a + |c − a|, d_b + |c − b|)
//! ```
//! Exact on a flat convex sheet, and within the error of a circular front elsewhere. (Novotni, Klein 2002,
//! *Computing geodesic distances on triangular meshes*.)

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use glam::DVec3;

/// A mesh with its triangles listed by corner, shared by all sources.
pub(crate) struct Surroundings<'a> {
    points: &'a [DVec3],
    triangles: &'a [[usize; 3]],
    first: Vec<usize>,
    around: Vec<usize>,
}

/// Geodesic distances from some pins to every point.
pub(crate) struct Ways {
    /// Index of each pin in the list of pins, and its distances to every point, meters; ordered by pin.
    sources: Vec<(usize, Vec<f64>)>,
}

/// Greatest number of pins with computed distances. A longer list is represented by this many, far from each other.
const MOST_SOURCES: usize = 16;

/// Least relative improvement of a distance that counts.
const IMPROVED: f64 = 1e-9;

impl<'a> Surroundings<'a> {
    /// Prepares a checked mesh.
    pub(crate) fn new(points: &'a [DVec3], triangles: &'a [[usize; 3]]) -> Self {
        let mut first = vec![0; points.len() + 1];
        for corner in triangles.iter().flatten() {
            first[corner + 1] += 1;
        }
        for i in 0..points.len() {
            first[i + 1] += first[i];
        }
        let mut next = first.clone();
        let mut around = vec![0; 3 * triangles.len()];
        for (triangle, corners) in triangles.iter().enumerate() {
            for &corner in corners {
                around[next[corner]] = triangle;
                next[corner] += 1;
            }
        }
        Self { points, triangles, first, around }
    }

    /// Geodesic distances from `source` to every point, meters; infinite for points on other pieces of the mesh.
    pub(crate) fn distances(&self, source: usize) -> Vec<f64> {
        let mut distances = vec![f64::INFINITY; self.points.len()];
        let mut front = BinaryHeap::new();
        distances[source] = 0.0;
        front.push(Reverse((0_u64, source)));
        while let Some(Reverse((bits, a))) = front.pop() {
            // Bits of non-negative floats sort like their values.
            if distances[a].to_bits() != bits {
                continue;
            }
            for &triangle in &self.around[self.first[a]..self.first[a + 1]] {
                let corners = self.triangles[triangle];
                for (b, c) in others(corners, a) {
                    let found = self.through(&distances, a, b, c);
                    if found < distances[c] * (1.0 - IMPROVED) {
                        distances[c] = found;
                        front.push(Reverse((found.to_bits(), c)));
                    }
                }
            }
        }
        distances
    }

    /// Geodesic distances from the pins, at most 16 of them.
    pub(crate) fn ways_from(&self, pins: &[usize]) -> Ways {
        let mut sources: Vec<(usize, Vec<f64>)> = Vec::new();
        let mut next = 0;
        while sources.len() < pins.len().min(MOST_SOURCES) {
            sources.push((next, self.distances(pins[next])));
            let from_all = |pin: usize| sources.iter().map(|(_, way)| way[pins[pin]]).fold(f64::INFINITY, f64::min);
            // The first of the pins that are farthest from all chosen ones.
            next = (0..pins.len()).rev().max_by(|&a, &b| from_all(a).total_cmp(&from_all(b))).unwrap_or(0);
        }
        sources.sort_by_key(|(pin, _)| *pin);
        Ways { sources }
    }

    /// Distance to `c` over a triangle whose corner `a` and perhaps `b` have been reached, meters.
    fn through(&self, distances: &[f64], a: usize, b: usize, c: usize) -> f64 {
        let (to_a, to_b) = (distances[a], distances[b]);
        let [pa, pb, pc] = [a, b, c].map(|corner| self.points[corner]);
        let along_edges = (to_a + pa.distance(pc)).min(to_b + pb.distance(pc));
        let edge = pa.distance(pb);
        let axis = (pb - pa) / edge;
        let source_along = (to_a * to_a - to_b * to_b + edge * edge) / (2.0 * edge);
        let source_below = (to_a * to_a - source_along * source_along).max(0.0).sqrt();
        let along = (pc - pa).dot(axis);
        let above = (pc - pa - along * axis).length();
        let crossing = source_along + (along - source_along) * source_below / (source_below + above);
        if !(0.0..=edge).contains(&crossing) {
            return along_edges;
        }
        let (x, y) = (along - source_along, above + source_below);
        along_edges.min((x * x + y * y).sqrt())
    }
}

impl Ways {
    /// The nearest pins of a point with their distances in meters, ordered by pin.
    pub(crate) fn nearest(&self, point: usize, most: usize) -> Vec<(usize, f64)> {
        let mut near: Vec<(usize, f64)> = self.sources.iter().map(|(pin, way)| (*pin, way[point])).collect();
        near.retain(|(_, way)| way.is_finite() && *way > 0.0);
        near.sort_by(|a, b| a.1.total_cmp(&b.1));
        near.truncate(most);
        near.sort_by_key(|(pin, _)| *pin);
        near
    }
}

/// The other two corners of a triangle, in both orders.
fn others(corners: [usize; 3], a: usize) -> [(usize, usize); 2] {
    let [p, q, r] = corners;
    let (b, c) = if p == a {
        (q, r)
    } else if q == a {
        (r, p)
    } else {
        (p, q)
    };
    [(b, c), (c, b)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(columns: usize, rows: usize, place: impl Fn(usize, usize) -> DVec3) -> (Vec<DVec3>, Vec<[usize; 3]>) {
        let points = (0..rows * columns).map(|i| place(i / columns, i % columns)).collect();
        let mut triangles = Vec::new();
        for row in 0..rows - 1 {
            for column in 0..columns - 1 {
                let i = row * columns + column;
                triangles.push([i, i + columns, i + columns + 1]);
                triangles.push([i, i + columns + 1, i + 1]);
            }
        }
        (points, triangles)
    }

    #[test]
    fn on_a_flat_sheet_it_is_the_straight_line() {
        let (points, triangles) = grid(21, 17, |row, column| DVec3::new(column as f64 * 0.1, 0.0, row as f64 * 0.13));
        let ways = Surroundings::new(&points, &triangles);
        for source in [0, 20, 5 * 21 + 11] {
            for (i, way) in ways.distances(source).into_iter().enumerate() {
                let straight = points[source].distance(points[i]);
                assert!((way - straight).abs() < 1e-9 + 1e-3 * straight, "from {source} to {i}: {way} for {straight}");
                assert!(way >= straight * (1.0 - 1e-9));
            }
        }
    }

    #[test]
    fn over_half_a_cylinder_it_is_the_arc() {
        let turn = |column: usize| core::f64::consts::PI * column as f64 / 60.0;
        let (points, triangles) =
            grid(61, 11, |row, column| DVec3::new(libm::cos(turn(column)), libm::sin(turn(column)), row as f64 * 0.1));
        let ways = Surroundings::new(&points, &triangles);
        let way = ways.distances(0)[60 + 10 * 61];
        let exact = (core::f64::consts::PI * core::f64::consts::PI + 1.0).sqrt();
        assert!((way / exact - 1.0).abs() < 2e-3, "{way} for {exact}");
    }

    #[test]
    fn no_way_leads_to_another_piece() {
        let points = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z, DVec3::Z + DVec3::X, DVec3::Z + DVec3::Y];
        let ways = Surroundings::new(&points, &[[0, 1, 2], [3, 4, 5]]).distances(0);
        assert!(ways[..3].iter().all(|way| way.is_finite()) && ways[3..].iter().all(|way| way.is_infinite()));
    }
}
