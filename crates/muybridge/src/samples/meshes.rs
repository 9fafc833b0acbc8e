//! Built-in triangle meshes: closed, in meters, y up, triangles counter-clockwise as seen from outside.

use core::f64::consts::TAU;

use glam::DVec3;

/// Points and triangles of a mesh.
pub(crate) type Triangles = (Vec<DVec3>, Vec<[usize; 3]>);

/// Radius and height of each ring of a skittle, bottom up, meters.
const SKITTLE: [(f64, f64); 10] = [
    (0.028, 0.0),
    (0.034, 0.02),
    (0.058, 0.10),
    (0.060, 0.13),
    (0.050, 0.18),
    (0.026, 0.245),
    (0.023, 0.27),
    (0.032, 0.33),
    (0.028, 0.36),
    (0.014, 0.38),
];

/// Points around a ring of a skittle.
const AROUND: usize = 12;

/// A skittle of 38 cm standing on the origin: a surface of revolution.
pub fn skittle() -> Triangles {
    let ring = |&(radius, height): &(f64, f64)| {
        (0..AROUND).map(move |step| {
            let (sin, cos) = libm::sincos(TAU * step as f64 / AROUND as f64);
            DVec3::new(radius * sin, height, radius * cos)
        })
    };
    let mut points: Vec<DVec3> = SKITTLE.iter().flat_map(ring).collect();
    let (foot, top) = (points.len(), points.len() + 1);
    points.extend([SKITTLE[0], SKITTLE[SKITTLE.len() - 1]].map(|(_, height)| DVec3::Y * height));
    let mut triangles = Vec::new();
    let last = AROUND * (SKITTLE.len() - 1);
    for step in 0..AROUND {
        let next = (step + 1) % AROUND;
        triangles.extend([[foot, next, step], [top, last + step, last + next]]);
        for below in (0..last).step_by(AROUND) {
            let above = below + AROUND;
            triangles.extend([[below + step, below + next, above + next], [below + step, above + next, above + step]]);
        }
    }
    (points, triangles)
}

/// A stool of 45 cm: a seat and four legs, each a separate box.
pub fn stool() -> Triangles {
    let mut whole = (Vec::new(), Vec::new());
    add_box(&mut whole, DVec3::new(0.0, 0.43, 0.0), DVec3::new(0.18, 0.02, 0.18));
    for (x, z) in [(-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0), (1.0, 1.0)] {
        add_box(&mut whole, DVec3::new(0.15 * x, 0.205, 0.15 * z), DVec3::new(0.02, 0.205, 0.02));
    }
    whole
}

/// Adds a box around `middle`.
fn add_box((points, triangles): &mut Triangles, middle: DVec3, half: DVec3) {
    let first = points.len();
    let side = |bit: usize, corner: usize| if corner >> bit & 1 == 1 { 1.0 } else { -1.0 };
    points.extend((0..8).map(|corner| middle + half * DVec3::new(side(0, corner), side(1, corner), side(2, corner))));
    let sides = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let cut = |[a, b, c, d]: [usize; 4]| [[a, b, c], [a, c, d]];
    triangles.extend(sides.into_iter().flat_map(cut).map(|corners| corners.map(|corner| first + corner)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collision::polyhedron::of_mesh;

    #[test]
    fn z26_a_stool_weighs_what_its_five_boxes_do() {
        let (points, triangles) = stool();
        let solid = of_mesh(&points, &triangles, 1.0).expect("closed");
        let [seat, leg] = [0.36 * 0.04 * 0.36, 0.04 * 0.41 * 0.04];
        assert!((solid.mass - (seat + 4.0 * leg)).abs() < 1e-15);
        let height = (seat * 0.43 + 4.0 * leg * 0.205) / (seat + 4.0 * leg);
        assert!((solid.center - DVec3::Y * height).length() < 1e-14);
    }

    #[test]
    fn a_skittle_is_closed_and_of_the_volume_of_its_cones() {
        let (points, triangles) = skittle();
        let solid = of_mesh(&points, &triangles, 1.0).expect("closed");
        // The sides are frustums of a regular polygon with AROUND sides instead of a circle.
        let polygon = 0.5 * AROUND as f64 * libm::sin(TAU / AROUND as f64);
        let frustum = |pair: &[(f64, f64)]| {
            let [(a, low), (b, high)] = [pair[0], pair[1]];
            polygon * (high - low) * (a * a + a * b + b * b) / 3.0
        };
        let volume: f64 = SKITTLE.windows(2).map(frustum).sum();
        assert!((solid.mass / volume - 1.0).abs() < 1e-12, "{} {volume}", solid.mass);
        assert!(solid.center.x.abs() < 1e-15 && solid.center.z.abs() < 1e-15);
    }
}
