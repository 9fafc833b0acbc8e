//! Uneven ground: triangles on which a body stands, and the motion as it is seen from them.
//!
//! ```text
//! h(x, z)      height of the ground under a place: of its triangles there the highest that is at most [`ABOVE`] over the place
//! y' = y − h   height over the ground, by which contacts, flights, float and penetration are judged as over a floor at 0
//! ```
//! Forces need places in the world: the zero-moment point lies on the plane of the points that bear the body, and the residual asks what
//! friction cones about the normals of the ground could give. Specification: mathematics 6.5 (a), (b) (S34).

use glam::{DVec2, DVec3};

use super::zero_moment_point::SupportPlane;
use crate::math::hull::on_ground;
use crate::math::plane_fit::PlaneFit;
use crate::motion::WorldMotion;

/// How far above a place the ground may be that the place has sunk into, meters. What is higher is a ceiling.
const ABOVE: f64 = 0.5;
/// Depth under the lowest point of the ground at which a place beside it is taken to have its ground, meters: nothing touches there.
const NOWHERE: f64 = 10.0;
/// Least vertical part of the normal of a triangle that can bear something: that of 80°.
const STEEPEST: f64 = 0.17;
/// Rounding that a point on an edge may lie beside its triangle, as a share of the triangle.
const EDGE: f64 = 1e-12;

/// Ground made of triangles, found by the cells of a grid.
#[derive(Clone, Debug, PartialEq)]
pub struct Terrain {
    triangles: Vec<[DVec3; 3]>,
    /// Upward unit normal of each triangle; zero of one without area.
    normals: Vec<DVec3>,
    least: DVec2,
    cell: DVec2,
    count: usize,
    /// Triangles that bear over each cell, row by row.
    cells: Vec<Vec<u32>>,
    lowest: f64,
}

impl Terrain {
    /// Ground of triangles between `points` (meters, y up), of which those less steep than 80° bear. `None` if there is none, or a point
    /// is not finite.
    pub fn new(points: &[DVec3], triangles: &[[usize; 3]]) -> Option<Self> {
        if points.iter().any(|point| !point.is_finite()) {
            return None;
        }
        let corners = |corners: &[usize; 3]| corners.map(|corner| points[corner]);
        let triangles: Vec<[DVec3; 3]> = triangles.iter().map(corners).collect();
        let normal = |[a, b, c]: &[DVec3; 3]| {
            let normal = (*b - *a).cross(*c - *a).normalize_or_zero();
            normal * normal.y.signum()
        };
        let normals: Vec<DVec3> = triangles.iter().map(normal).collect();
        let bearing = || (0..triangles.len()).filter(|&index| normals[index].y > STEEPEST);
        let all = || bearing().flat_map(|index| triangles[index]);
        let low = all().reduce(DVec3::min)?;
        let high = all().reduce(DVec3::max)?;
        let bearing: Vec<usize> = bearing().collect();
        let count = (bearing.len() as f64).sqrt().ceil().clamp(1.0, 512.0) as usize;
        let least = on_ground(low);
        let cell = ((on_ground(high) - least) / count as f64).max(DVec2::splat(1e-9));
        let mut terrain =
            Self { triangles, normals, least, cell, count, cells: vec![Vec::new(); count * count], lowest: low.y };
        for index in bearing {
            let corners = terrain.triangles[index].map(on_ground);
            let low = terrain.cell_of(corners[0].min(corners[1]).min(corners[2]));
            let high = terrain.cell_of(corners[0].max(corners[1]).max(corners[2]));
            for row in low[1]..=high[1] {
                for column in low[0]..=high[0] {
                    terrain.cells[row * count + column].push(index as u32);
                }
            }
        }
        Some(terrain)
    }

    fn cell_of(&self, place: DVec2) -> [usize; 2] {
        let at = (place - self.least) / self.cell;
        [at.x, at.y].map(|at| (at.max(0.0) as usize).min(self.count - 1))
    }

    /// All triangles, meters.
    pub fn triangles(&self) -> &[[DVec3; 3]] {
        &self.triangles
    }

    /// Height of the ground under a place, meters, and its upward normal; `None` beside the ground.
    pub fn under(&self, place: DVec3) -> Option<(f64, DVec3)> {
        let at = on_ground(place);
        let [column, row] = self.cell_of(at);
        let of = |&index: &u32| {
            let height = height_in(&self.triangles[index as usize], at)?;
            (height <= place.y + ABOVE).then_some((height, self.normals[index as usize]))
        };
        self.cells[row * self.count + column].iter().filter_map(of).max_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// Height of the ground under a place, meters; beside the ground far below it.
    pub(crate) fn height(&self, place: DVec3) -> f64 {
        self.under(place).map_or(self.lowest - NOWHERE, |(height, _)| height)
    }

    /// Normal of the ground under a place; straight up beside the ground.
    pub(crate) fn normal(&self, place: DVec3) -> DVec3 {
        self.under(place).map_or(DVec3::Y, |(_, normal)| normal)
    }

    /// Lowers every place of a track by the ground under it.
    pub(crate) fn lower(&self, track: &mut [DVec3]) {
        track.iter_mut().for_each(|place| place.y -= self.height(*place));
    }

    /// The poses with every bone lowered by the ground under it.
    pub(crate) fn lowered(&self, world: &WorldMotion) -> WorldMotion {
        world.raised(|place| -self.height(place))
    }

    /// Plane on which a body stands at some places of the ground, by least squares; at places in a line, or none, the plane of the ground
    /// below `center`.
    pub(crate) fn plane(&self, places: &[DVec3], center: DVec3) -> SupportPlane {
        let PlaneFit { mean, normal, squares: [xx, zz], determinant } = PlaneFit::of(places);
        if determinant > 1e-6 * (xx + zz) * (xx + zz) {
            return SupportPlane { point: mean, normal };
        }
        let below = if places.is_empty() { DVec3::new(center.x, self.height(center), center.z) } else { mean };
        SupportPlane { point: below, normal: self.normal(below) }
    }
}

/// Height of a triangle at a place seen from above; `None` beside it.
fn height_in(&[a, b, c]: &[DVec3; 3], at: DVec2) -> Option<f64> {
    let [p, q, r] = [a, b, c].map(on_ground);
    let whole = (q - p).perp_dot(r - p);
    let shares =
        [(q - at).perp_dot(r - at), (r - at).perp_dot(p - at), (p - at).perp_dot(q - at)].map(|part| part / whole);
    let is_over = shares.iter().all(|share| *share >= -EDGE);
    is_over.then(|| shares[0] * a.y + shares[1] * b.y + shares[2] * c.y)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two steps of 0.2 m, a slope of 1 : 4 behind them, and a roof above all.
    fn stairs() -> Terrain {
        let strip = |x: [f64; 2], y: [f64; 2]| {
            [
                DVec3::new(x[0], y[0], 0.0),
                DVec3::new(x[1], y[1], 0.0),
                DVec3::new(x[1], y[1], 2.0),
                DVec3::new(x[0], y[0], 2.0),
            ]
        };
        let strips = [
            strip([0.0, 1.0], [0.0, 0.0]),
            strip([1.0, 1.0], [0.0, 0.2]),
            strip([1.0, 2.0], [0.2, 0.2]),
            strip([2.0, 4.0], [0.2, 0.7]),
            strip([0.0, 4.0], [3.0, 3.0]),
        ];
        let triangles: Vec<[usize; 3]> =
            (0..strips.len()).flat_map(|k| [[4 * k, 4 * k + 2, 4 * k + 1], [4 * k, 4 * k + 3, 4 * k + 2]]).collect();
        Terrain::new(&strips.concat(), &triangles).unwrap()
    }

    #[test]
    fn the_ground_is_the_highest_triangle_that_is_no_ceiling() {
        let ground = stairs();
        let up = DVec3::new(-0.25, 1.0, 0.0).normalize();
        for (x, height, normal) in [(0.5, 0.0, DVec3::Y), (1.0, 0.2, DVec3::Y), (1.5, 0.2, DVec3::Y), (3.0, 0.45, up)] {
            for (y, z) in [(0.1, 0.3), (0.9, 1.7), (1.6, 1.0)] {
                let (found, across) = ground.under(DVec3::new(x, y, z)).unwrap();
                assert!((found - height).abs() < 1e-12 && (across - normal).length() < 1e-12, "{x} {y} {z}: {found}");
            }
        }
        assert_eq!(ground.under(DVec3::new(-0.1, 1.0, 1.0)), None);
        assert_eq!(ground.height(DVec3::new(5.0, 1.0, 1.0)), -10.0);
        assert_eq!(ground.height(DVec3::new(1.5, 2.9, 1.0)), 3.0);
    }

    #[test]
    fn the_plane_of_a_slope_is_found_from_places_on_it_and_from_the_ground_under_one() {
        let ground = stairs();
        let on = |x: f64, z: f64| DVec3::new(x, 0.2 + 0.25 * (x - 2.0), z);
        let up = DVec3::new(-0.25, 1.0, 0.0).normalize();
        for places in [
            vec![on(2.5, 0.5), on(3.0, 0.6), on(2.8, 1.5)],
            vec![on(3.0, 1.0)],
            vec![on(2.5, 0.5), on(3.0, 1.0)],
            vec![],
        ] {
            let plane = ground.plane(&places, DVec3::new(3.0, 1.4, 1.0));
            assert!(
                (plane.normal - up).length() < 1e-12 && (plane.point - on(3.0, 1.0)).dot(up).abs() < 1e-12,
                "{plane:?}"
            );
        }
    }

    #[test]
    fn x14_a_mesh_that_bears_nothing_is_no_ground() {
        let wall = [DVec3::ZERO, DVec3::Y, DVec3::Z];
        assert_eq!(Terrain::new(&wall, &[[0, 1, 2]]), None);
        assert_eq!(Terrain::new(&[], &[]), None);
        assert_eq!(Terrain::new(&[DVec3::ZERO, DVec3::X, DVec3::new(f64::NAN, 0.0, 1.0)], &[[0, 1, 2]]), None);
    }
}
