//! Render mesh of a body of triangles: its mesh with normals.

use std::collections::BTreeMap;

use glam::DVec3;

use super::assets::TriangleMesh;

/// Triangle mesh with normals in the frame of its body, drawn instead of the body's shapes.
#[derive(Clone, Debug, PartialEq)]
pub struct Shell {
    /// Mesh in the body frame, meters.
    pub mesh: TriangleMesh,
    /// Unit normals at the corners of each triangle, from [`creased_normals`].
    pub normals: Vec<[DVec3; 3]>,
}

impl Shell {
    /// Computes the normals of a mesh.
    pub fn new(mesh: TriangleMesh) -> Self {
        let normals = creased_normals(&mesh.points, &mesh.triangles);
        Self { mesh, normals }
    }
}

/// Cosine of the crease angle: triangles turned further against each other are shaded with an edge.
const CREASE: f64 = 0.766;

/// Most triangles around a corner over which normals are averaged; with more, the triangle's own normal is used.
const MOST_AROUND: usize = 64;

/// Normals at the corners of each triangle of a surface with edges: area-weighted means over the triangles that share the
/// corner's position and are turned by less than 40° against this one. A triangle with a missing corner has zero normals.
pub fn creased_normals(points: &[DVec3], triangles: &[[usize; 3]]) -> Vec<[DVec3; 3]> {
    let flat = |corners: &[usize; 3]| {
        let [Some(&a), Some(&b), Some(&c)] = corners.map(|corner| points.get(corner)) else { return DVec3::ZERO };
        (b - a).cross(c - a)
    };
    let own: Vec<DVec3> = triangles.iter().map(flat).collect();
    let mut around: BTreeMap<[u64; 3], Vec<usize>> = BTreeMap::new();
    let key = |corner: usize| points.get(corner).map(|&point| (point + 0.0).to_array().map(f64::to_bits));
    for (index, corners) in triangles.iter().enumerate() {
        for key in corners.iter().filter_map(|&corner| key(corner)) {
            around.entry(key).or_default().push(index);
        }
    }
    let mean = |corner: usize, triangle: usize| {
        let flat = own[triangle].normalize_or_zero();
        let near = key(corner).and_then(|key| around.get(&key)).filter(|near| near.len() <= MOST_AROUND);
        let alike = near.into_iter().flatten().filter(|&&other| own[other].normalize_or_zero().dot(flat) > CREASE);
        alike.map(|&other| own[other]).sum::<DVec3>().normalize_or(flat)
    };
    triangles.iter().enumerate().map(|(index, corners)| corners.map(|corner| mean(corner, index))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::meshes::{skittle, stool};

    #[test]
    fn a_box_is_shaded_flat_and_a_skittle_round() {
        let (points, triangles) = stool();
        for (corners, normals) in triangles.iter().zip(creased_normals(&points, &triangles)) {
            let [a, b, c] = corners.map(|corner| points[corner]);
            let flat = (b - a).cross(c - a).normalize();
            assert!(normals.iter().all(|normal| (*normal - flat).length() < 1e-12));
        }
        let (points, triangles) = skittle();
        for (corners, normals) in triangles.iter().zip(creased_normals(&points, &triangles)) {
            for (corner, normal) in corners.iter().zip(normals) {
                let point = points[*corner];
                let side = DVec3::new(point.x, 0.0, point.z);
                // Along the belly, normals follow the position and not the triangle.
                if (0.09..0.2).contains(&point.y) {
                    let across = DVec3::new(normal.x, 0.0, normal.z).normalize();
                    assert!(across.dot(side.normalize()) > 0.998, "{point} {normal}");
                }
            }
        }
    }
}
