//! Triangle mesh with an AABB tree.
//!
//! The surface is thin and has two sides; the past motion of a body tells on which side it is ([`super::simplex_contact`]).

use std::collections::BTreeMap;

use glam::DVec3;

use super::broad_phase::{Aabb, BoundsTree};
use super::manifold::surface::Facet;
use super::obstacle::ObstacleError;
use super::simplex::Simplex;

/// Triangle mesh collider with a tree over its triangles.
#[derive(Clone, Debug)]
pub struct TriMesh {
    triangles: Vec<Simplex>,
    /// Normals of the neighbors beyond the edge from each corner to the next; `None` without a neighbor.
    neighbors: Vec<[Option<DVec3>; 3]>,
    is_closed: bool,
    bounds: Vec<Aabb>,
    tree: BoundsTree,
}

impl TriMesh {
    /// Mesh of points (meters) and triangles of three point indices. Triangles without area are dropped. Fails if a
    /// point is not finite or missing, or if no triangle has an area.
    pub fn new(points: &[DVec3], triangles: &[[usize; 3]]) -> Result<Self, ObstacleError> {
        if let Some(point) = points.iter().position(|p| !p.is_finite()) {
            return Err(ObstacleError::PointNotFinite { point });
        }
        if let Some(triangle) = triangles.iter().position(|t| t.iter().any(|&i| i >= points.len())) {
            return Err(ObstacleError::MissingPoint { triangle, points: points.len() });
        }
        let triangles: Vec<Simplex> = triangles
            .iter()
            .map(|t| Simplex::triangle(t.map(|i| points[i])))
            .filter(|triangle| triangle.normal() != DVec3::ZERO)
            .collect();
        if triangles.is_empty() {
            return Err(ObstacleError::NoTriangle);
        }
        let bounds: Vec<Aabb> = triangles.iter().map(|t| Aabb::around(t.corners)).collect();
        let mut tree = BoundsTree::default();
        tree.build(&bounds);
        let neighbors = neighbors(&triangles);
        let volume: f64 = triangles.iter().map(|t| t.corners[0].dot(t.corners[1].cross(t.corners[2]))).sum();
        let is_closed = volume > 0.0 && neighbors.iter().flatten().all(Option::is_some);
        Ok(Self { triangles, neighbors, is_closed, bounds, tree })
    }

    /// Whether the mesh is the surface of a solid: every edge has two triangles, and these face outward.
    pub fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// Triangles of the mesh.
    pub fn triangles(&self) -> &[Simplex] {
        &self.triangles
    }

    /// AABB of the whole mesh.
    pub fn bounds(&self) -> Aabb {
        self.bounds.iter().fold(Aabb::NOTHING, |all, &b| all.union(b))
    }

    /// Calls `found` with every triangle whose AABB overlaps `bounds`.
    pub fn query_aabb(&self, bounds: &Aabb, mut found: impl FnMut(&Simplex)) {
        self.tree.overlapping(&self.bounds, bounds, |i| found(&self.triangles[i]));
    }

    /// Calls `found` with those triangles and the normals of their neighbors.
    pub fn facets(&self, bounds: &Aabb, mut found: impl FnMut(&Facet)) {
        self.tree.overlapping(&self.bounds, bounds, |index| {
            found(&Facet { corners: self.triangles[index].corners, neighbors: self.neighbors[index], index });
        });
    }
}

/// Normals of the neighbors beyond every edge. Points with equal coordinates are one point; a neighbor with opposite
/// orientation does not count.
fn neighbors(triangles: &[Simplex]) -> Vec<[Option<DVec3>; 3]> {
    // Treats −0 and 0 as equal.
    let bits = |p: DVec3| (p + 0.0).to_array().map(f64::to_bits);
    let edge = |t: &Simplex, i: usize| (bits(t.corners[i]), bits(t.corners[(i + 1) % 3]));
    let edges = triangles.iter().flat_map(|t| (0..3).map(move |i| (edge(t, i), t.normal())));
    let by_edge: BTreeMap<_, DVec3> = edges.collect();
    let beyond = |t: &Simplex, i: usize| {
        let (from, to) = edge(t, i);
        by_edge.get(&(to, from)).copied()
    };
    triangles.iter().map(|t| [0, 1, 2].map(|i| beyond(t, i))).collect()
}
