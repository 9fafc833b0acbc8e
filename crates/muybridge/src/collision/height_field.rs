//! Height field: heights on a regular grid; solid below, free above, nothing beyond its edges and in its holes.
//!
//! Height `(column, row)` is at `x = column · spacing.x`, `z = row · spacing.z` from the corner of the field. A cell is
//! two triangles that share the diagonal from its least to its greatest corner. A triangle with a corner that has no
//! height is a hole. The upper side holds bodies: a body that is wholly below the surface by more than [`THICKNESS`]
//! touches nothing, so that nothing is drawn up from a cave.

use glam::DVec3;

use super::broad_phase::Aabb;
use super::manifold::surface::Facet;
use super::obstacle::ObstacleError;
use super::signed_distance::Signed;
use super::simplex::Simplex;

/// Depth below the surface from which a body that does not cross the surface is still lifted, meters.
pub const THICKNESS: f64 = 0.1;

/// Height field over a regular grid.
#[derive(Clone, Debug, PartialEq)]
pub struct HeightField {
    heights: Vec<f64>,
    columns: usize,
    rows: usize,
    /// Distance of neighbors along x and along z, meters.
    spacing: [f64; 2],
    least: f64,
    most: f64,
}

impl HeightField {
    /// Field of `heights` (meters, row by row, `columns` per row; −∞ or NaN in a hole), with grid points `spacing` meters
    /// apart along x and z. Fails for fewer than two rows or columns, an incomplete last row, a number that is +∞, or
    /// nothing but holes.
    pub fn new(heights: &[f64], columns: usize, spacing: [f64; 2]) -> Result<Self, ObstacleError> {
        let rows = heights.len().checked_div(columns).unwrap_or(0);
        if columns < 2 || rows < 2 || rows * columns != heights.len() {
            return Err(ObstacleError::BadGrid { heights: heights.len(), columns });
        }
        if let Some(point) = heights.iter().position(|&h| h == f64::INFINITY) {
            return Err(ObstacleError::PointNotFinite { point });
        }
        if !spacing.iter().all(|spacing| spacing.is_finite() && *spacing > 0.0) {
            return Err(ObstacleError::NotPositive { what: "spacing of the height field" });
        }
        let known = || heights.iter().copied().filter(|h| h.is_finite());
        let (least, most) = (known().fold(f64::INFINITY, f64::min), known().fold(f64::NEG_INFINITY, f64::max));
        let field = Self { heights: heights.to_vec(), columns, rows, spacing, least, most };
        let mut is_empty = true;
        field.each(|_| is_empty = false);
        if is_empty { Err(ObstacleError::NoTriangle) } else { Ok(field) }
    }

    /// AABB of the surface, in the frame of the field.
    pub fn bounds(&self) -> Aabb {
        let [x, z] = [self.columns, self.rows].map(|count| (count - 1) as f64);
        Aabb {
            least: DVec3::new(0.0, self.least, 0.0),
            most: DVec3::new(x * self.spacing[0], self.most, z * self.spacing[1]),
        }
    }

    /// Calls `found` with every triangle.
    pub fn each(&self, found: impl FnMut(&Simplex)) {
        self.query_aabb(&self.bounds(), found);
    }

    /// Triangle above or below a point; `None` if the point is not over the field, or over a hole.
    pub fn triangle_at(&self, p: DVec3) -> Option<Simplex> {
        let (x, z) = (p.x / self.spacing[0], p.z / self.spacing[1]);
        let inside = |x: f64, count: usize| x >= 0.0 && x <= (count - 1) as f64;
        if !(inside(x, self.columns) && inside(z, self.rows)) {
            return None;
        }
        let cell = |x: f64, count: usize| (x as usize).min(count - 2);
        let (column, row) = (cell(x, self.columns), cell(z, self.rows));
        let upper = x - column as f64 > z - row as f64;
        self.cell(column, row)[usize::from(upper)]
    }

    /// The two triangles of a cell, normals up; `None` in a hole.
    fn cell(&self, column: usize, row: usize) -> [Option<Simplex>; 2] {
        let point = |i: usize, j: usize| {
            let height = self.heights[j * self.columns + i];
            DVec3::new(i as f64 * self.spacing[0], height, j as f64 * self.spacing[1])
        };
        let (a, b) = (point(column, row), point(column + 1, row + 1));
        [[a, point(column, row + 1), b], [a, b, point(column + 1, row)]]
            .map(|corners| corners.iter().all(|p| p.is_finite()).then(|| Simplex::triangle(corners)))
    }

    /// Calls `found` with every triangle of every cell that overlaps `bounds` seen from above.
    pub fn query_aabb(&self, bounds: &Aabb, mut found: impl FnMut(&Simplex)) {
        self.cells(bounds, |column, row| self.cell(column, row).iter().flatten().for_each(&mut found));
    }

    /// Calls `found` with those triangles and the normals of their neighbors.
    pub fn facets(&self, bounds: &Aabb, mut found: impl FnMut(&Facet)) {
        let normal = |column: Option<usize>, row: Option<usize>, which: usize| {
            let (column, row) = (column.filter(|&c| c + 1 < self.columns)?, row.filter(|&r| r + 1 < self.rows)?);
            self.cell(column, row)[which].map(|triangle| triangle.normal())
        };
        self.cells(bounds, |column, row| {
            let (here, there) = (Some(column), Some(row));
            let [lower, upper] = self.cell(column, row);
            let across = [upper, lower].map(|other| other.map(|triangle| triangle.normal()));
            let index = 2 * (row * self.columns + column);
            if let Some(Simplex { corners, .. }) = lower {
                let beside = [normal(column.checked_sub(1), there, 1), normal(here, Some(row + 1), 1)];
                found(&Facet { corners, neighbors: [beside[0], beside[1], across[0]], index });
            }
            if let Some(Simplex { corners, .. }) = upper {
                let beside = [normal(Some(column + 1), there, 0), normal(here, row.checked_sub(1), 0)];
                found(&Facet { corners, neighbors: [across[1], beside[0], beside[1]], index: index + 1 });
            }
        });
    }

    /// Calls `found` with column and row of every cell that overlaps `bounds` seen from above.
    fn cells(&self, bounds: &Aabb, mut found: impl FnMut(usize, usize)) {
        let range = |least: f64, most: f64, count: usize, spacing: f64| {
            let cell = |x: f64| (x / spacing).clamp(0.0, (count - 2) as f64) as usize;
            let inside = most >= 0.0 && least <= (count - 1) as f64 * spacing;
            if inside { cell(least)..cell(most) + 1 } else { 0..0 }
        };
        if bounds.least.y > self.most {
            return;
        }
        for row in range(bounds.least.z, bounds.most.z, self.rows, self.spacing[1]) {
            for column in range(bounds.least.x, bounds.most.x, self.columns, self.spacing[0]) {
                found(column, row);
            }
        }
    }

    /// Distance of `p` to the surface, negative below it from any depth; `None` where `p` is not below it and farther than
    /// `reach`.
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
        let field = HeightField::new(&heights, 5, [1.0; 2]).unwrap();
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
        let message = HeightField::new(&[0.0; 5], 2, [1.0; 2]).unwrap_err().to_string();
        assert!(message.contains("5 heights"), "{message}");
        assert!(HeightField::new(&[0.0, 0.0, f64::INFINITY, 0.0], 2, [1.0; 2]).is_err());
        assert!(HeightField::new(&[f64::NAN, 0.0, f64::NAN, 0.0], 2, [1.0; 2]).is_err(), "nothing but holes");
        assert!(HeightField::new(&[0.0; 4], 2, [1.0, 0.0]).is_err());
        assert!(HeightField::new(&[], 0, [1.0; 2]).is_err());
    }

    #[test]
    fn a_height_that_is_none_takes_the_six_triangles_around_it() {
        for hole in [f64::NAN, f64::NEG_INFINITY] {
            let mut heights = [0.0; 25];
            heights[12] = hole;
            let field = HeightField::new(&heights, 5, [2.0, 1.0]).unwrap();
            let mut count = 0;
            field.each(|triangle| count += usize::from(triangle.corners.iter().all(|p| p.is_finite())));
            assert_eq!(count, 2 * 16 - 6);
            assert_eq!(field.triangle_at(DVec3::new(4.1, 0.0, 2.0)), None);
            assert!(field.triangle_at(DVec3::new(1.0, 0.0, 3.5)).is_some());
            let rim = field.to_point(DVec3::new(4.0, 0.0, 2.0), 3.0).unwrap();
            // The nearest edges of the hole run from (2, 2) to (4, 3) and from (4, 1) to (6, 2), at 2/√5 m.
            assert!((rim.distance - 2.0 / 5.0_f64.sqrt()).abs() < 1e-12, "{rim:?}");
            let mut open = 0;
            field.facets(&field.bounds(), |facet| open += facet.neighbors.iter().flatten().count());
            // Each of 26 triangles has three edges; 16 edges are at the border and 6 at the hole.
            assert_eq!(open, 3 * 26 - 16 - 6);
        }
    }
}
