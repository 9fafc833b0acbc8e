//! Mass properties of a closed triangle mesh, as a sum of signed tetrahedra from the origin.
//!
//! ```text
//! triangle (a,b,c), s = a+b+c:   v = a·(b×c)/6,   V = Σ v,   M1 = Σ v s/4,   c = M1 / V
//! Σ = Σ (v/20)(a aᵀ + b bᵀ + c cᵀ + s sᵀ),   Σ_com = Σ − V c cᵀ,   I = ρ (tr Σ_com 1 − Σ_com)
//! ```
//! Specification: mathematics 2.3 (Z26, after Mirtich 1996). A mesh counts as closed if volume and first moments about
//! a shifted origin behave as those of a solid: V is unchanged, and M1 changes by V times the shift.

use glam::{DMat3, DVec3};
use thiserror::Error;

use super::MassProperties;
use super::tensor::{from_second_moments, outer};

/// Relative tolerance of the test for holes.
const CLOSED: f64 = 1e-9;

/// Reasons why triangles do not bound a solid.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum MeshError {
    /// A triangle refers to a point that does not exist.
    #[error("triangle {triangle} names a point the mesh does not have")]
    MissingPoint {
        /// Index of the triangle, from 0.
        triangle: usize,
    },
    /// A coordinate is infinite or NaN.
    #[error("the mesh has a coordinate that is not a finite number")]
    NotFinite,
    /// The mesh has a hole, or triangles are oriented against each other.
    #[error("the mesh is open or its triangles are turned against each other; close it and make all of them face out")]
    Open,
    /// The triangles face inward or enclose no volume.
    #[error("the mesh encloses no volume; its triangles must face out")]
    NoVolume,
}

/// Mass properties of the solid inside a closed mesh of uniform density (kg/m³). Triangles index `points` (m) and are
/// counter-clockwise seen from outside.
pub fn of_mesh(points: &[DVec3], triangles: &[[usize; 3]], density: f64) -> Result<MassProperties, MeshError> {
    if points.iter().any(|point| !point.is_finite()) {
        return Err(MeshError::NotFinite);
    }
    if let Some(triangle) = triangles.iter().position(|corners| corners.iter().any(|&at| at >= points.len())) {
        return Err(MeshError::MissingPoint { triangle });
    }
    let (low, high) = points.iter().fold((DVec3::MAX, DVec3::MIN), |(l, h), p| (l.min(*p), h.max(*p)));
    let (middle, extent) = (0.5 * (low + high), (high - low).max_element());
    let near = Moments::about(points, triangles, middle);
    check_closed(points, triangles, middle, extent, &near)?;
    if near.volume <= CLOSED * near.unsigned {
        return Err(MeshError::NoVolume);
    }
    let center = near.first / near.volume;
    let second = near.second - outer(center, center) * near.volume;
    Ok(MassProperties {
        mass: density * near.volume,
        center: middle + center,
        inertia: from_second_moments(second) * density,
    })
}

/// Integrals over the signed tetrahedra from one origin.
struct Moments {
    volume: f64,
    unsigned: f64,
    first: DVec3,
    second: DMat3,
}

impl Moments {
    fn about(points: &[DVec3], triangles: &[[usize; 3]], origin: DVec3) -> Self {
        let mut sum = Self { volume: 0.0, unsigned: 0.0, first: DVec3::ZERO, second: DMat3::ZERO };
        for &corners in triangles {
            let [a, b, c] = corners.map(|at| points[at] - origin);
            let (s, v) = (a + b + c, a.dot(b.cross(c)) / 6.0);
            sum.volume += v;
            sum.unsigned += v.abs();
            sum.first += s * (0.25 * v);
            sum.second += (outer(a, a) + outer(b, b) + outer(c, c) + outer(s, s)) * (v / 20.0);
        }
        sum
    }
}

fn check_closed(
    points: &[DVec3],
    triangles: &[[usize; 3]],
    middle: DVec3,
    extent: f64,
    near: &Moments,
) -> Result<(), MeshError> {
    for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
        let shift = axis * extent;
        let far = Moments::about(points, triangles, middle - shift);
        let volume_gap = (far.volume - near.volume).abs();
        let first_gap = (far.first - near.first - shift * near.volume).length();
        let scale = CLOSED * far.unsigned;
        if volume_gap > scale || first_gap > scale * extent {
            return Err(MeshError::Open);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collision::shape::Shape;

    const TETRAHEDRON: [[usize; 3]; 4] = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];

    /// Box from the origin to `(a, b, c)`; sides in the order −x +x −y +y −z +z.
    fn cuboid(size: DVec3) -> (Vec<DVec3>, Vec<[usize; 3]>) {
        let points =
            (0..8).map(|i| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2 & 1)) * size).collect();
        let sides = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        (points, sides.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect())
    }

    #[test]
    fn z26_the_unit_tetrahedron_has_a_480th_off_the_diagonal() {
        let points = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        let found = of_mesh(&points, &TETRAHEDRON, 1.0).unwrap();
        assert!((found.mass - 1.0 / 6.0).abs() < 1e-15);
        assert!((found.center - DVec3::splat(0.25)).length() < 1e-15);
        let expected = DMat3::from_diagonal(DVec3::splat(1.0 / 80.0 - 1.0 / 480.0))
            + outer(DVec3::ONE, DVec3::ONE) * (1.0 / 480.0);
        assert!(found.inertia.abs_diff_eq(expected, 1e-15), "{}", found.inertia);
    }

    #[test]
    fn z26_a_box_off_the_origin_has_the_moments_of_a_box() {
        let (points, triangles) = cuboid(DVec3::new(2.0, 3.0, 5.0));
        let found = of_mesh(&points, &triangles, 1.0).unwrap();
        assert!((found.mass - 30.0).abs() < 1e-12);
        assert!((found.center - DVec3::new(1.0, 1.5, 2.5)).length() < 1e-13);
        assert!(found.inertia.abs_diff_eq(DMat3::from_diagonal(DVec3::new(85.0, 72.5, 32.5)), 1e-11));
        let solid = MassProperties::of_shape(&Shape::Box { half_extents: DVec3::new(1.0, 1.5, 2.5) }, 1.0);
        assert!(found.inertia.abs_diff_eq(solid.inertia, 1e-11));
    }

    #[test]
    fn z26_an_open_mesh_is_refused_even_a_tube_whose_area_vectors_cancel() {
        let (points, triangles) = cuboid(DVec3::new(2.0, 3.0, 5.0));
        assert_eq!(of_mesh(&points, &triangles[..11], 1.0), Err(MeshError::Open));
        assert_eq!(of_mesh(&points, &triangles[..8], 1.0), Err(MeshError::Open));
    }

    #[test]
    fn x14_meshes_turned_inside_out_or_of_nothing_are_errors() {
        let (points, mut triangles) = cuboid(DVec3::ONE);
        triangles.iter_mut().for_each(|t| t.swap(1, 2));
        assert_eq!(of_mesh(&points, &triangles, 1.0), Err(MeshError::NoVolume));
        assert_eq!(of_mesh(&[], &[], 1.0), Err(MeshError::NoVolume));
        assert_eq!(of_mesh(&[DVec3::ZERO], &[[0, 0, 1]], 1.0), Err(MeshError::MissingPoint { triangle: 0 }));
        assert_eq!(of_mesh(&[DVec3::NAN], &[[0, 0, 0]], 1.0), Err(MeshError::NotFinite));
    }
}
