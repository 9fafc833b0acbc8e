//! A surface of triangles, found by place.
//!
//! The surface is thin and has two sides; which one something is on, its past says ([`super::query`]).

use glam::DVec3;

use super::broad_phase::{Bounds, BoundsTree};
use super::obstacle::ObstacleError;
use super::simplex::Simplex;

/// Triangles with a tree over them.
#[derive(Clone, Debug)]
pub struct Mesh {
    triangles: Vec<Simplex>,
    bounds: Vec<Bounds>,
    tree: BoundsTree,
}

impl Mesh {
    /// A mesh of points (metres) and triangles of three of them. Triangles without area are left out. Errors where a
    /// point is not finite or missing, or no triangle has an area.
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
        let bounds: Vec<Bounds> = triangles.iter().map(|t| Bounds::around(t.corners)).collect();
        let mut tree = BoundsTree::default();
        tree.build(&bounds);
        Ok(Self { triangles, bounds, tree })
    }

    /// The triangles.
    pub fn triangles(&self) -> &[Simplex] {
        &self.triangles
    }

    /// The box around all of it.
    pub fn bounds(&self) -> Bounds {
        self.bounds.iter().fold(Bounds::NOTHING, |all, &b| all.union(b))
    }

    /// Calls `found` with every triangle whose box overlaps `bounds`.
    pub fn near(&self, bounds: &Bounds, mut found: impl FnMut(&Simplex)) {
        self.tree.overlapping(&self.bounds, bounds, |i| found(&self.triangles[i]));
    }
}
