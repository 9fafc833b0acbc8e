//! Closest points of two convex cores by the GJK algorithm (Gilbert, Johnson, Keerthi 1988).
//!
//! ```text
//! A ⊖ B: all differences of a point of A and a point of B. Their least distance is that of A ⊖ B to the origin.
//! v: the point of a simplex of corners of A ⊖ B that is closest to the origin;  w: its corner farthest along −v
//! v·w ≥ v·v: v is the closest point;  else w joins the simplex, and corners with zero weight leave it
//! ```
//! Cores have corners, so the search ends when a corner would join twice: the result depends on no tolerance.
//! Specification: mathematics 4.9.

use glam::DVec3;

use super::core::Core;
use crate::collision::simplex::Simplex;

/// Result of the GJK search for closest points.
#[derive(Clone, Copy, Debug)]
pub(super) enum GjkResult {
    /// The cores are farther apart than the given limit.
    Far,
    /// The closest points.
    Near { on_a: DVec3, on_b: DVec3 },
    /// The cores touch or overlap.
    Touching,
}

/// Difference of two corners: a corner of A ⊖ B.
#[derive(Clone, Copy)]
struct Corner {
    on_a: DVec3,
    on_b: DVec3,
    from: [usize; 2],
    apart: DVec3,
}

/// Share of the size below which cores count as touching: the direction between them would be rounding noise.
const TOUCHING: f64 = 1e-8;
/// Height of a tetrahedron as a share of its side, below which it counts as a triangle.
const FLAT: f64 = 1e-12;
/// Greatest number of steps; ten are already many.
const MOST_STEPS: u32 = 128;

/// Finds the closest points of two cores no farther apart than `enough`.
pub(super) fn closest_points(a: &Core, b: &Core, enough: f64) -> GjkResult {
    let corner = |direction: DVec3, near: [usize; 2]| {
        let from = [a.farthest(-direction, near[0]), b.farthest(direction, near[1])];
        let (on_a, on_b) = (a.corner(from[0]), b.corner(from[1]));
        Corner { on_a, on_b, from, apart: on_a - on_b }
    };
    let touching = TOUCHING * a.size().max(b.size()).max(1e-300);
    let start = a.center() - b.center();
    let mut simplex = [corner(if start == DVec3::ZERO { DVec3::Y } else { start }, [0; 2]); 4];
    let mut weights = [1.0, 0.0, 0.0, 0.0];
    let mut count = 1;
    let mut v = simplex[0].apart;
    for _ in 0..MOST_STEPS {
        let square = v.length_squared();
        if square <= touching * touching {
            return GjkResult::Touching;
        }
        let next = corner(v, simplex[count - 1].from);
        let ahead = v.dot(next.apart);
        if ahead > 0.0 && ahead * ahead > enough * enough * square {
            return GjkResult::Far;
        }
        let known = simplex[..count].iter().any(|c| c.from == next.from);
        if known || square - ahead <= 1e-15 * square {
            break;
        }
        simplex[count] = next;
        count += 1;
        let Some(kept) = closest(&simplex, count) else { return GjkResult::Touching };
        let nearer = (0..4).map(|i| simplex[i].apart * kept[i]).sum::<DVec3>();
        // Once the distance no longer falls, only rounding is left.
        if nearer.length_squared() >= square {
            break;
        }
        v = nearer;
        let full = count;
        count = 0;
        for i in 0..full {
            if kept[i] > 0.0 {
                (simplex[count], weights[count]) = (simplex[i], kept[i]);
                count += 1;
            }
        }
        weights[count..].fill(0.0);
    }
    let sum = |point: fn(&Corner) -> DVec3| (0..4).map(|i| point(&simplex[i]) * weights[i]).sum::<DVec3>();
    GjkResult::Near { on_a: sum(|c| c.on_a), on_b: sum(|c| c.on_b) }
}

/// Weights of the point of a simplex closest to the origin; `None` if the origin is inside.
fn closest(simplex: &[Corner; 4], count: usize) -> Option<[f64; 4]> {
    let p = |i: usize| simplex[i].apart;
    let of_three = |[i, j, k]: [usize; 3]| {
        let triangle = Simplex::triangle([p(i), p(j), p(k)]);
        (triangle.closest_to(DVec3::ZERO), triangle)
    };
    match count {
        1 => Some([1.0, 0.0, 0.0, 0.0]),
        2 => {
            let [s, t, _] = Simplex::segment([p(0), p(1)]).closest_to(DVec3::ZERO);
            Some([s, t, 0.0, 0.0])
        }
        3 => {
            let ([u, v, w], _) = of_three([0, 1, 2]);
            Some([u, v, w, 0.0])
        }
        _ => {
            let mut best = (None, f64::INFINITY);
            for ([i, j, k], l) in [([0, 1, 2], 3), ([0, 1, 3], 2), ([0, 2, 3], 1), ([1, 2, 3], 0)] {
                let normal = (p(j) - p(i)).cross(p(k) - p(i));
                let height = normal.dot(p(l) - p(i));
                // A tetrahedron without volume contains nothing, so rounding must not decide.
                let is_flat = height.abs() <= FLAT * normal.length() * p(l).distance(p(i));
                if height * -normal.dot(p(i)) > 0.0 && !is_flat {
                    continue;
                }
                let (found, triangle) = of_three([i, j, k]);
                let distance = triangle.at(found).length_squared();
                if distance < best.1 {
                    let mut weights = [0.0; 4];
                    (weights[i], weights[j], weights[k]) = (found[0], found[1], found[2]);
                    best = (Some(weights), distance);
                }
            }
            best.0
        }
    }
}
