//! Shapes as triangle meshes: rings around y from pole to pole, with normals.

use std::f64::consts::{FRAC_PI_2, TAU};

use muybridge::collision::shape::{PlacedShape, Shape};
use muybridge::glam::DVec3;
use muybridge::simulation::shell::Shell;

/// A triangle mesh with a normal at every point.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct NormalMesh {
    pub points: Vec<DVec3>,
    pub normals: Vec<DVec3>,
    /// Triangles, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

/// Number of points around a ring, and of rings from the pole to the equator.
const AROUND: u32 = 16;
const RINGS: u32 = 5;

impl NormalMesh {
    /// Triangulates shapes in one frame.
    pub(crate) fn of(shapes: &[PlacedShape]) -> Self {
        let mut all = Self::default();
        for placed in shapes {
            let one = Self::of_shape(&placed.shape);
            let first = all.points.len() as u32;
            all.points.extend(one.points.iter().map(|&point| placed.position + placed.rotation * point));
            all.normals.extend(one.normals.iter().map(|&normal| placed.rotation * normal));
            all.triangles.extend(one.triangles.iter().map(|corners| corners.map(|corner| first + corner)));
        }
        all
    }

    /// Adds the triangles of a body's mesh; corners are not shared, because edges are sharp.
    pub(super) fn add_shell(&mut self, shell: &Shell) {
        for (corners, normals) in shell.mesh.triangles.iter().zip(&shell.normals) {
            let [Some(&a), Some(&b), Some(&c)] = corners.map(|corner| shell.mesh.points.get(corner)) else { continue };
            let first = self.points.len() as u32;
            self.points.extend([a, b, c]);
            self.normals.extend(normals);
            self.triangles.push([first, first + 1, first + 2]);
        }
    }

    fn of_shape(shape: &Shape) -> Self {
        let mut surface = Self::default();
        match *shape {
            Shape::Box { half_extents } => surface.add_box(half_extents),
            Shape::Sphere { radius } => surface.add_round(radius, 0.0),
            Shape::Capsule { radius, half_length } => surface.add_round(radius, half_length),
            Shape::Ellipsoid { semi_axes } => {
                surface.add_round(1.0, 0.0);
                surface.points.iter_mut().for_each(|point| *point *= semi_axes);
                surface.normals.iter_mut().for_each(|normal| *normal = (*normal / semi_axes).normalize_or(*normal));
            }
            Shape::Cylinder { radius, half_length } => {
                let (low, high) = (-half_length, half_length);
                surface.add_rings(&[(0.0, low, -FRAC_PI_2), (radius, low, -FRAC_PI_2)]);
                surface.add_rings(&[(radius, low, 0.0), (radius, high, 0.0)]);
                surface.add_rings(&[(radius, high, FRAC_PI_2), (0.0, high, FRAC_PI_2)]);
            }
        }
        surface
    }

    /// Adds a ball, or a capsule whose cap centers are `half` from the middle.
    fn add_round(&mut self, radius: f64, half: f64) {
        let ring = |step: u32, side: f64| {
            let angle = FRAC_PI_2 * f64::from(step) / f64::from(RINGS);
            (radius * libm::cos(angle), side * (half + radius * libm::sin(angle)), side * angle)
        };
        let low = (0..=RINGS).rev().map(|step| ring(step, -1.0));
        let high = (0..=RINGS).map(|step| ring(step, 1.0));
        let rings: Vec<_> = if half > 0.0 { low.chain(high).collect() } else { low.chain(high.skip(1)).collect() };
        self.add_rings(&rings);
    }

    /// Adds a surface of revolution: radius, height and normal slope of each ring, from the lowest up.
    fn add_rings(&mut self, rings: &[(f64, f64, f64)]) {
        let first = self.points.len() as u32;
        for &(radius, height, slope) in rings {
            for step in 0..=AROUND {
                let angle = TAU * f64::from(step % AROUND) / f64::from(AROUND);
                let out = DVec3::new(libm::sin(angle), 0.0, libm::cos(angle));
                self.points.push(out * radius + DVec3::Y * height);
                self.normals.push(out * libm::cos(slope) + DVec3::Y * libm::sin(slope));
            }
        }
        let at = |ring: usize, step: u32| first + ring as u32 * (AROUND + 1) + step;
        for ring in 0..rings.len() - 1 {
            for step in 0..AROUND {
                let [a, b] = [at(ring, step), at(ring, step + 1)];
                let [c, d] = [at(ring + 1, step), at(ring + 1, step + 1)];
                if rings[ring].0 > 1e-12 {
                    self.triangles.push([a, b, d]);
                }
                if rings[ring + 1].0 > 1e-12 {
                    self.triangles.push([a, d, c]);
                }
            }
        }
    }

    fn add_box(&mut self, half: DVec3) {
        for (normal, across) in [(DVec3::X, DVec3::Y), (DVec3::Y, DVec3::Z), (DVec3::Z, DVec3::X)] {
            for side in [1.0, -1.0] {
                let (out, u) = (normal * side, across);
                let v = out.cross(u);
                let first = self.points.len() as u32;
                for (i, j) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
                    self.points.push((out + u * i + v * j) * half);
                    self.normals.push(out);
                }
                self.triangles.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use muybridge::collision::MassProperties;
    use muybridge::glam::DQuat;

    #[test]
    fn surfaces_are_closed_face_out_and_enclose_nearly_the_solid() {
        for shape in [
            Shape::Sphere { radius: 0.3 },
            Shape::Capsule { radius: 0.1, half_length: 0.3 },
            Shape::Cylinder { radius: 0.2, half_length: 0.1 },
            Shape::Box { half_extents: DVec3::new(0.1, 0.2, 0.3) },
            Shape::Ellipsoid { semi_axes: DVec3::new(0.1, 0.2, 0.3) },
        ] {
            let placed = PlacedShape { shape: shape.clone(), position: DVec3::X, rotation: DQuat::IDENTITY };
            let surface = NormalMesh::of(&[placed]);
            let triangles: Vec<[usize; 3]> =
                surface.triangles.iter().map(|corners| corners.map(|corner| corner as usize)).collect();
            let solid = muybridge::collision::polyhedron::of_mesh(&surface.points, &triangles, 1.0).unwrap();
            let ratio = solid.mass / MassProperties::of_shape(&shape, 1.0).mass;
            assert!((0.93..=1.0 + 1e-12).contains(&ratio), "{shape:?}: {ratio}");
            for ([a, b, c], corners) in triangles.iter().map(|&corners| (corners, corners)) {
                let [p, q, r] = [a, b, c].map(|corner| surface.points[corner]);
                let flat = (q - p).cross(r - p).normalize();
                assert!(corners.iter().all(|&corner| surface.normals[corner].dot(flat) > 0.8), "{shape:?}");
            }
        }
    }
}
