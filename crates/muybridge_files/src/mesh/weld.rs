//! Welding: points that lie together become one, so that adjacent triangles share points.

use std::collections::BTreeMap;

use muybridge::glam::DVec3;

use super::ImportedMesh;

impl ImportedMesh {
    /// Joins points at most `distance` apart, each to the first such point that was kept; 0 joins equal points. The kept point
    /// keeps its texture coordinates. Triangles may become degenerate.
    pub fn welded(&self, distance: f64) -> Self {
        let distance = if distance > 0.0 { distance } else { 0.0 };
        let mut cells: BTreeMap<[i64; 3], Vec<usize>> = BTreeMap::new();
        let mut joined = Self { uv: self.uv.as_ref().map(|_| Vec::new()), ..Self::default() };
        let mut now = Vec::with_capacity(self.points.len());
        for (index, &point) in self.points.iter().enumerate() {
            let known = around(point, distance).find_map(|cell| {
                let kept = cells.get(&cell)?;
                kept.iter().copied().find(|&kept| joined.points[kept].distance(point) <= distance)
            });
            now.push(known.unwrap_or_else(|| {
                let new = joined.points.len();
                joined.points.push(point);
                if let (Some(uv), Some(own)) = (&mut joined.uv, &self.uv) {
                    uv.push(own.get(index).copied().unwrap_or_default());
                }
                cells.entry(cell(point, distance)).or_default().push(new);
                new
            }));
        }
        joined.triangles = self.triangles.iter().map(|corners| corners.map(|corner| now[corner])).collect();
        joined
    }
}

/// Grid cell of a point; the bits of its coordinates if only equal points are joined.
fn cell(point: DVec3, distance: f64) -> [i64; 3] {
    if distance == 0.0 {
        // −0 and 0 are equal.
        return (point + 0.0).to_array().map(|value| value.to_bits() as i64);
    }
    (point / distance).to_array().map(|value| libm::floor(value).clamp(-9e18, 9e18) as i64)
}

/// Grid cells that can hold a point within `distance`.
fn around(point: DVec3, distance: f64) -> impl Iterator<Item = [i64; 3]> {
    let middle = cell(point, distance);
    let steps = if distance == 0.0 { 0..1 } else { 0..27_i64 };
    steps.map(move |step| {
        if distance == 0.0 {
            return middle;
        }
        let offset = [step % 3 - 1, step / 3 % 3 - 1, step / 9 - 1];
        [0, 1, 2].map(|axis| middle[axis].saturating_add(offset[axis]))
    })
}
