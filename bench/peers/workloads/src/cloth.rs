//! Cloth of workload W3.

use glam::DVec3;

/// n x n particles, 2 m x 2 m, 0.2 kg/m^2 (0.8 kg in all), horizontal at y = 2 (no ground),
/// pinned at the two corners of one edge. Structural edges plus one diagonal pair per quad
/// (shear). Two triangles per quad. Each engine uses the edges its own cloth has by default for
/// bending; stretch is measured on the structural edges only.
#[derive(Clone)]
pub struct Cloth {
    pub n: usize,
    pub pos: Vec<DVec3>,
    pub mass: f64,
    pub pinned: [usize; 2],
    pub structural: Vec<[u32; 2]>,
    pub shear: Vec<[u32; 2]>,
    pub tris: Vec<[u32; 3]>,
}
pub fn cloth(n: usize) -> Cloth {
    let side = 2.0;
    let h = side / (n - 1) as f64;
    let id = |i: usize, j: usize| (i * n + j) as u32;
    let (mut pos, mut st, mut sh, mut tris) = (vec![], vec![], vec![], vec![]);
    for i in 0..n {
        for j in 0..n {
            pos.push(DVec3::new(j as f64 * h - 1.0, 2.0, i as f64 * h));
            if j + 1 < n {
                st.push([id(i, j), id(i, j + 1)]);
            }
            if i + 1 < n {
                st.push([id(i, j), id(i + 1, j)]);
            }
            if i + 1 < n && j + 1 < n {
                sh.push([id(i, j), id(i + 1, j + 1)]);
                sh.push([id(i, j + 1), id(i + 1, j)]);
                if (i + j) % 2 == 0 {
                    tris.push([id(i, j), id(i + 1, j), id(i + 1, j + 1)]);
                    tris.push([id(i, j), id(i + 1, j + 1), id(i, j + 1)]);
                } else {
                    tris.push([id(i, j), id(i + 1, j), id(i, j + 1)]);
                    tris.push([id(i, j + 1), id(i + 1, j), id(i + 1, j + 1)]);
                }
            }
        }
    }
    Cloth { n, pos, mass: 0.8, pinned: [0, n - 1], structural: st, shear: sh, tris }
}
pub trait ClothWorld {
    fn step(&mut self);
    fn positions(&mut self, out: &mut Vec<DVec3>);
}
