//! Height field: heights on a regular grid; solid below, free above, nothing beyond its edges.
//!
//! Height `(column, row)` is at `x = column · spacing`, `z = row · spacing` from the corner of the field. A cell is two
//! triangles that share the diagonal from its least to its greatest corner.

use glam::DVec3;

use super::broad_phase::Aabb;
use super::manifold::surface::Facet;
use super::obstacle::ObstacleError;
use super::signed_distance::Signed;
use super::simplex::Simplex;

/// Height field over a regular grid.
#[derive(Clone, Debug, PartialEq)]
pub struct HeightField {
    heights: Vec<f64>,
    columns: usize,
    rows: usize,
    spacing: f64,
    least: f64,
    most: f64,
}

impl HeightField {
    /// Field of `heights` (meters, row by row, `columns` per row) with `spacing` meters between grid points. Fails for
    /// fewer than two rows or columns, an incomplete last row, or a number that is not finite.
    pub fn new(heights: &[f64], columns: usize, spacing: f64) -> Result<Self, ObstacleError> {
        let rows = heights.len().checked_div(columns).unwrap_or(0);
        if columns < 2 || rows < 2 || rows * columns != heights.len() {
            return Err(ObstacleError::BadGrid { heights: heights.len(), columns });
        }
        if let Some(point) = heights.iter().position(|h| !h.is_finite()) {
            return Err(ObstacleError::PointNotFinite { point });
        }
        if !(spacing.is_finite() && spacing > 0.0) {
            return Err(ObstacleError::NotPositive { what: "spacing of the height field" });
        }
        let least = heights.iter().copied().fold(f64::INFINITY, f64::min);
        let most = heights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Ok(Self { heights: heights.to_vec(), columns, rows, spacing, least, most })
    }

    /// AABB of the surface, in the frame of the field.
    pub fn bounds(&self) -> Aabb {
        let span = |count: usize| (count - 1) as f64 * self.spacing;
        Aabb {
            least: DVec3::new(0.0, self.least, 0.0),
            most: DVec3::new(span(self.columns), self.most, span(self.rows)),
        }
    }

    /// Triangle above or below a point; `None` if the point is not over the field.
    pub fn triangle_at(&self, p: DVec3) -> Option<Simplex> {
        let (x, z) = (p.x / self.spacing, p.z / self.spacing);
        let inside = |x: f64, count: usize| x >= 0.0 && x <= (count - 1) as f64;
        if !(inside(x, self.columns) && inside(z, self.rows)) {
            return None;
        }
        let cell = |x: f64, count: usize| (x as usize).min(count - 2);
        let (column, row) = (cell(x, self.columns), cell(z, self.rows));
        let upper = x - column as f64 > z - row as f64;
        Some(self.cell(column, row)[usize::from(upper)])
    }

    /// The two triangles of a cell, normals up.
    fn cell(&self, column: usize, row: usize) -> [Simplex; 2] {
        let point = |i: usize, j: usize| {
            DVec3::new(i as f64 * self.spacing, self.heights[j * self.columns + i], j as f64 * self.spacing)
        };
        let (a, b) = (point(column, row), point(column + 1, row + 1));
        [Simplex::triangle([a, point(column, row + 1), b]), Simplex::triangle([a, b, point(column + 1, row)])]
    }

    /// Calls `found` with every triangle of every cell that overlaps `bounds` seen from above.
    pub fn query_aabb(&self, bounds: &Aabb, mut found: impl FnMut(&Simplex)) {
        self.cells(bounds, |column, row| self.cell(column, row).iter().for_each(&mut found));
    }

    /// Calls `found` with those triangles and the normals of their neighbors.
    pub fn facets(&self, bounds: &Aabb, mut found: impl FnMut(&Facet)) {
        let normal = |column: Option<usize>, row: Option<usize>, which: usize| {
            let (column, row) = (column.filter(|&c| c + 1 < self.columns)?, row.filter(|&r| r + 1 < self.rows)?);
            Some(self.cell(column, row)[which].normal())
        };
        self.cells(bounds, |column, row| {
            let (here, there) = (Some(column), Some(row));
            let [lower, upper] = self.cell(column, row);
            let neighbors = [normal(column.checked_sub(1), there, 1), normal(here, Some(row + 1), 1)];
            let index = 2 * (row * self.columns + column);
            let neighbors = [neighbors[0], neighbors[1], Some(upper.normal())];
            found(&Facet { corners: lower.corners, neighbors, index });
            let neighbors = [normal(Some(column + 1), there, 0), normal(here, row.checked_sub(1), 0)];
            let neighbors = [Some(lower.normal()), neighbors[0], neighbors[1]];
            found(&Facet { corners: upper.corners, neighbors, index: index + 1 });
        });
    }

    /// Calls `found` with column and row of every cell that overlaps `bounds` seen from above.
    fn cells(&self, bounds: &Aabb, mut found: impl FnMut(usize, usize)) {
        let range = |least: f64, most: f64, count: usize| {
            let cell = |x: f64| (x / self.spacing).clamp(0.0, (count - 2) as f64) as usize;
            let inside = most >= 0.0 && least <= (count - 1) as f64 * self.spacing;
            if inside { cell(least)..cell(most) + 1 } else { 0..0 }
        };
        if bounds.least.y > self.most {
            return;
        }
        for row in range(bounds.least.z, bounds.most.z, self.rows) {
            for column in range(bounds.least.x, bounds.most.x, self.columns) {
                found(column, row);
            }
        }
    }

    /// Distance of `p` to the surface, negative below it; `None` beyond the edges or farther than `reach`.
    pub fn to_point(&self, p: DVec3, reach: f64) -> Option<Signed> {
        let under = self.triangle_at(p);
        let height = under.map(|t| (p - t.corners[0]).dot(t.normal()));
        let below = height.is_some_and(|h| h < 0.0);
        let mut nearest = DVec3::INFINITY;
        self.query_aabb(&Aabb::around([p]).grown(reach), |triangle| {
            let apart = p - triangle.at(triangle.closest_to(p));
            if apart.length_squared() < nearest.length_squared() {
                nearest = apart;
            }
        });
        let distance = nearest.length();
        match under {
            Some(triangle) if below && distance > reach || distance == 0.0 => {
                Some(Signed { distance: height.unwrap_or(0.0), normal: triangle.normal() })
            }
            _ if distance > reach || distance == 0.0 => None,
            _ if below => Some(Signed { distance: -distance, normal: -nearest / distance }),
            _ => Some(Signed { distance, normal: nearest / distance }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tilted_plane_of_heights_is_as_far_as_the_plane() {
        let heights: Vec<f64> = (0..25).map(|i| 0.5 * f64::from(i % 5)).collect();
        let field = HeightField::new(&heights, 5, 1.0).unwrap();
        let normal = DVec3::new(-0.5, 1.0, 0.0).normalize();
        for p in [DVec3::new(2.1, 1.3, 2.0), DVec3::new(1.9, 0.8, 1.2), DVec3::new(2.0, -7.0, 2.2)] {
            let found = field.to_point(p, 1.0).unwrap();
            assert!((found.distance - p.dot(normal)).abs() < 1e-12, "{found:?}");
            assert!((found.normal - normal).length() < 1e-9);
        }
        assert_eq!(field.to_point(DVec3::new(-3.0, 0.0, 0.0), 1.0), None);
    }

    #[test]
    fn a_field_that_is_no_grid_is_refused_in_words() {
        let message = HeightField::new(&[0.0; 5], 2, 1.0).unwrap_err().to_string();
        assert!(message.contains("5 heights"), "{message}");
        assert!(HeightField::new(&[0.0, 0.0, f64::NAN, 0.0], 2, 1.0).is_err());
        assert!(HeightField::new(&[0.0; 4], 2, 0.0).is_err());
        assert!(HeightField::new(&[], 0, 1.0).is_err());
    }
}
