//! The base meshes of solids; every solid is drawn as an instance of one.
//!
//! A vertex has a position on a unit shape, a normal, and an `end` (−1, 0 or 1), the side to which it moves along y
//! when the shape is stretched: a capsule is a ball cut in two and pulled apart.

use glam::Vec3;

/// A vertex: position, normal, end.
pub(super) type Vertex = [f32; 7];

/// Vertices of all base meshes in one list, and the range of each mesh.
pub(super) struct Forms {
    pub vertices: Vec<Vertex>,
    /// Vertex ranges of ball, box, cylinder and cone.
    pub ranges: [std::ops::Range<u32>; KINDS],
}

/// Number of base meshes.
pub(super) const KINDS: usize = 4;
/// Index of the ball mesh, also used for ellipsoids and capsules.
pub(super) const BALL: usize = 0;
/// Index of the box mesh.
pub(super) const BOX: usize = 1;
/// Index of the cylinder mesh.
pub(super) const CYLINDER: usize = 2;
/// Index of the cone mesh.
pub(super) const CONE: usize = 3;

/// Number of sides of round meshes, and number of rings from equator to pole.
const SIDES: usize = 20;
const RINGS: usize = 5;

impl Forms {
    pub(super) fn new() -> Self {
        let mut vertices = Vec::new();
        let mut ranges = [const { 0..0 }; KINDS];
        for (kind, add) in [ball, cube, cylinder, cone].into_iter().enumerate() {
            let first = vertices.len() as u32;
            add(&mut vertices);
            ranges[kind] = first..vertices.len() as u32;
        }
        Self { vertices, ranges }
    }
}

fn vertex(position: Vec3, normal: Vec3, end: f32) -> Vertex {
    [position.x, position.y, position.z, normal.x, normal.y, normal.z, end]
}

fn quad(vertices: &mut Vec<Vertex>, [a, b, c, d]: [Vertex; 4]) {
    vertices.extend([a, b, c, a, c, d]);
}

/// Point of the unit circle around y at a side: x and z.
fn around(side: usize) -> (f32, f32) {
    let angle = std::f32::consts::TAU * (side % SIDES) as f32 / SIDES as f32;
    (angle.sin(), angle.cos())
}

fn ball(vertices: &mut Vec<Vertex>) {
    let at = |ring: usize, side: usize, end: f32| {
        let (rise, flat) = (std::f32::consts::FRAC_PI_2 * ring as f32 / RINGS as f32).sin_cos();
        let (x, z) = around(side);
        let point = Vec3::new(x * flat, rise * end, z * flat);
        vertex(point, point, end)
    };
    for side in 0..SIDES {
        // The strip between the halves has no height on a ball; on a capsule it is the shaft.
        quad(vertices, [at(0, side, -1.0), at(0, side + 1, -1.0), at(0, side + 1, 1.0), at(0, side, 1.0)]);
        for ring in 0..RINGS {
            let up = [(ring, side), (ring, side + 1), (ring + 1, side + 1), (ring + 1, side)];
            quad(vertices, up.map(|(ring, side)| at(ring, side, 1.0)));
            quad(vertices, [up[1], up[0], up[3], up[2]].map(|(ring, side)| at(ring, side, -1.0)));
        }
    }
}

fn cube(vertices: &mut Vec<Vertex>) {
    for axis in 0..3 {
        for sign in [-1.0_f32, 1.0] {
            let mut normal = Vec3::ZERO;
            normal[axis] = sign;
            let (mut u, mut v) = (Vec3::ZERO, Vec3::ZERO);
            u[(axis + 1) % 3] = sign;
            v[(axis + 2) % 3] = 1.0;
            let corners = [-u - v, u - v, u + v, v - u].map(|corner| vertex(normal + corner, normal, 0.0));
            quad(vertices, corners);
        }
    }
}

fn cylinder(vertices: &mut Vec<Vertex>) {
    for side in 0..SIDES {
        let (a, b) = (around(side), around(side + 1));
        let wall = |(x, z): (f32, f32), y: f32| vertex(Vec3::new(x, y, z), Vec3::new(x, 0.0, z), 0.0);
        quad(vertices, [wall(a, -1.0), wall(b, -1.0), wall(b, 1.0), wall(a, 1.0)]);
        let lid = |(x, z): (f32, f32), y: f32| vertex(Vec3::new(x, y, z), Vec3::Y * y, 0.0);
        vertices.extend([lid(a, 1.0), lid(b, 1.0), lid((0.0, 0.0), 1.0)]);
        vertices.extend([lid(b, -1.0), lid(a, -1.0), lid((0.0, 0.0), -1.0)]);
    }
}

fn cone(vertices: &mut Vec<Vertex>) {
    for side in 0..SIDES {
        let (a, b) = (around(side), around(side + 1));
        let rim = |(x, z): (f32, f32)| vertex(Vec3::new(x, -1.0, z), Vec3::new(2.0 * x, 1.0, 2.0 * z).normalize(), 0.0);
        let tip = Vec3::new(a.0 + b.0, 1.0, a.1 + b.1).normalize();
        vertices.extend([rim(a), rim(b), vertex(Vec3::Y, tip, 0.0)]);
        let foot = |(x, z): (f32, f32)| vertex(Vec3::new(x, -1.0, z), Vec3::NEG_Y, 0.0);
        vertices.extend([foot(b), foot(a), foot((0.0, 0.0))]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_triangle_faces_where_its_normals_point() {
        let forms = Forms::new();
        let part = |vertex: &Vertex, from: usize| Vec3::new(vertex[from], vertex[from + 1], vertex[from + 2]);
        for triangle in forms.vertices.chunks_exact(3) {
            let stretched = |vertex: &Vertex| part(vertex, 0) + Vec3::Y * vertex[6];
            let [a, b, c] = [0, 1, 2].map(|i| stretched(&triangle[i]));
            let facing = (b - a).cross(c - a);
            let normal: Vec3 = triangle.iter().map(|vertex| part(vertex, 3)).sum();
            assert!(facing.length() < 1e-6 || facing.dot(normal) > 0.0, "{triangle:?}");
        }
        assert_eq!(forms.ranges[CONE].end as usize, forms.vertices.len());
    }
}
