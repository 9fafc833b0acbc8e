//! Rectangular grid of cells as a triangle mesh, numbered row by row.

use glam::{DQuat, DVec3};

use super::error::{ObjectError, positive};

/// A rectangular grid in the plane y = 0, then rotated and moved: columns along x, rows along z.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    /// Number of cells along x and along z.
    pub cells: [usize; 2],
    /// Size along x and along z, meters.
    pub size: [f64; 2],
    /// Center in the world, meters.
    pub position: DVec3,
    /// Rotation about the center.
    pub rotation: DQuat,
}

impl Grid {
    /// A horizontal square grid about the origin, `side` in meters.
    pub fn square(cells: usize, side: f64) -> Self {
        Self { cells: [cells; 2], size: [side; 2], position: DVec3::ZERO, rotation: DQuat::IDENTITY }
    }

    /// Index of the point at a column and row.
    pub fn point(&self, column: usize, row: usize) -> usize {
        row * (self.cells[0] + 1) + column
    }

    /// Creates the points row by row and two triangles per cell; their diagonals alternate, so that no direction is
    /// preferred.
    ///
    /// # Errors
    /// An [`ObjectError`] if the grid has no cells or no size.
    pub fn mesh(&self) -> Result<(Vec<DVec3>, Vec<[usize; 3]>), ObjectError> {
        for axis in 0..2 {
            positive("the number of cells of a grid", self.cells[axis] as f64)?;
            positive("the size of a grid", self.size[axis])?;
        }
        let [columns, rows] = self.cells;
        let at = |i: usize, axis: usize| (i as f64 / self.cells[axis] as f64 - 0.5) * self.size[axis];
        let place = |column, row| self.position + self.rotation * DVec3::new(at(column, 0), 0.0, at(row, 1));
        let points = (0..=rows).flat_map(|row| (0..=columns).map(move |column| place(column, row))).collect();
        let mut triangles = Vec::with_capacity(2 * columns * rows);
        for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))) {
            let i = self.point(column, row);
            let (right, below) = (i + 1, self.point(column, row + 1));
            let across = below + 1;
            if (row + column) % 2 == 0 {
                triangles.extend([[i, below, across], [i, across, right]]);
            } else {
                triangles.extend([[i, below, right], [right, below, across]]);
            }
        }
        Ok((points, triangles))
    }
}
