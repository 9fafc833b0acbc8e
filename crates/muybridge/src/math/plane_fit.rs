//! Plane through points by least squares of the heights.
//!
//! ```text
//! y = a x + b z + c,    n = (−a, 1, −b)/‖·‖
//! ```

use glam::DVec3;

/// The plane y = a x + b z + c nearest to some points.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlaneFit {
    /// Mean of the points, a point of the plane.
    pub mean: DVec3,
    /// Upward unit normal; not finite if the points lie in a line as seen from above.
    pub normal: DVec3,
    /// Sums of x² and of z² about the mean.
    pub squares: [f64; 2],
    /// Determinant of the normal equations: small beside the squares if the points lie almost in a line.
    pub determinant: f64,
}

impl PlaneFit {
    /// Fits a plane to points.
    pub(crate) fn of(points: &[DVec3]) -> Self {
        let mean = points.iter().sum::<DVec3>() / points.len().max(1) as f64;
        let [mut xx, mut xz, mut zz, mut xy, mut zy] = [0.0; 5];
        for apart in points.iter().map(|point| *point - mean) {
            xx += apart.x * apart.x;
            xz += apart.x * apart.z;
            zz += apart.z * apart.z;
            xy += apart.x * apart.y;
            zy += apart.z * apart.y;
        }
        let determinant = xx * zz - xz * xz;
        let (a, b) = ((xy * zz - zy * xz) / determinant, (zy * xx - xy * xz) / determinant);
        Self { mean, normal: DVec3::new(-a, 1.0, -b).normalize(), squares: [xx, zz], determinant }
    }
}
