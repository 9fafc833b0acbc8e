//! Rectangular grid of cells as a triangle mesh, numbered row by row.

use glam::{DQuat, DVec3};

use super::error::{ObjectError, positive};

/// Mesh of a grid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum CellShape {
    /// Squares of two triangles each.
    #[default]
    Squares,
    /// Triangles, six around each point: every other row has a point less, halfway between those of its neighbors.
    Hexagons,
}

/// A rectangular grid in the plane y = 0, then rotated and moved: columns along x, rows along z.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    /// Number of cells along x and along z.
    pub cells: [usize; 2],
    /// Mesh of the cells.
    pub shape: CellShape,
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
        Self {
            cells: [cells; 2],
            shape: CellShape::Squares,
            size: [side; 2],
            position: DVec3::ZERO,
            rotation: DQuat::IDENTITY,
        }
    }

    /// Index of the point at a column and row.
    pub fn point(&self, column: usize, row: usize) -> usize {
        row * (self.cells[0] + 1) + column - if self.shape == CellShape::Hexagons { row / 2 } else { 0 }
    }

    /// Number of columns of cells in a row of points: one less in every other row of hexagons.
    pub fn columns(&self, row: usize) -> usize {
        self.cells[0] - if self.shape == CellShape::Hexagons { row % 2 } else { 0 }
    }

    /// Creates the points row by row, and the triangles. In squares their diagonals alternate, so that no direction is
    /// preferred.
    ///
    /// # Errors
    /// An [`ObjectError`] if the grid has no cells or no size.
    pub fn mesh(&self) -> Result<(Vec<DVec3>, Vec<[usize; 3]>), ObjectError> {
        for axis in 0..2 {
            positive("the number of cells of a grid", self.cells[axis] as f64)?;
            positive("the size of a grid", self.size[axis])?;
        }
        let rows = self.cells[1];
        let at = |i: f64, axis: usize| (i / self.cells[axis] as f64 - 0.5) * self.size[axis];
        let place = |column: usize, row: usize| {
            let aside = 0.5 * (self.cells[0] - self.columns(row)) as f64;
            self.position + self.rotation * DVec3::new(at(column as f64 + aside, 0), 0.0, at(row as f64, 1))
        };
        let points = (0..=rows).flat_map(|row| (0..=self.columns(row)).map(move |column| place(column, row))).collect();
        let triangles = match self.shape {
            CellShape::Squares => self.squares(),
            CellShape::Hexagons => (0..rows).flat_map(|row| self.strip(row)).collect(),
        };
        Ok((points, triangles))
    }

    fn squares(&self) -> Vec<[usize; 3]> {
        let [columns, rows] = self.cells;
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
        triangles
    }

    /// Triangles between a row of points and the next, where every other row has a point less.
    fn strip(&self, row: usize) -> impl Iterator<Item = [usize; 3]> {
        let is_long = row.is_multiple_of(2);
        let [long, short] = if is_long { [row, row + 1] } else { [row + 1, row] };
        let ([long, short], columns) = ([self.point(0, long), self.point(0, short)], self.cells[0]);
        let wide = (0..columns).map(move |at| [long + at, short + at, long + at + 1]);
        let narrow = (1..columns).map(move |at| [long + at, short + at - 1, short + at]);
        wide.chain(narrow).map(move |[a, b, c]| if is_long { [a, b, c] } else { [a, c, b] })
    }
}
