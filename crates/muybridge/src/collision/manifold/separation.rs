//! Separating-axis test: the direction that separates two overlapping cores with the least motion.
//!
//! ```text
//! s(n) = min over A of n·x − max over B of n·x       the gap along n (from B to A), negative for overlap
//! ```
//! The greatest s is at the normal of a face of either, or at `n = ± d × f` for an edge `d` of A between faces with normals
//! `a b` and an edge `f` of B between faces with normals `c e`, where n lies on the arc from a to b and −n on that from c to e:
//!
//! ```text
//! (a·f)(b·f) < 0,   (c·d)(e·d) < 0,   n·(a + b) > 0 > n·(c + e)
//! ```
//! (Gregorius, GDC 2013). A face is left out if a ball inside the other core is too near along its normal. Where the least
//! depth is across two edges, these lie in the overlap, so along the axis of the faces both have an end within twice its depth
//! of the farthest corner; other edges are left out. Specification: mathematics 4.9 (H16).

use glam::DVec3;

use super::core::{Arc, Core};

/// Separating axis with the gap along it.
#[derive(Clone, Copy, Debug)]
pub(super) struct SeparatingAxis {
    /// Unit vector from B to A.
    pub normal: DVec3,
    /// Gap along the axis, meters; negative for overlap.
    pub gap: f64,
    /// Contacting edges of A and B; `None` if the axis is a face normal.
    pub edges: Option<[[DVec3; 2]; 2]>,
}

/// Share of the size by which a pair of edges must beat the faces, so that a body at rest on a face stays on it.
const EDGE_BIAS: f64 = 1e-7;
/// Angle in radians below which two edges count as parallel, because their cross product is rounding noise.
const PARALLEL: f64 = 1e-6;

/// Axis of the greatest gap, among those that `allows` accepts.
pub(super) fn greatest_gap(a: &Core, b: &Core, allows: Option<&dyn Fn(DVec3) -> bool>) -> SeparatingAxis {
    let is_allowed = |normal: DVec3| allows.is_none_or(|allows| allows(normal));
    let best = greatest_gap_of_faces(a, b, &is_allowed);
    // The two edges of the greatest gap meet, so they lie within the overlap along any axis.
    let overlap = if allows.is_none() && best.gap.is_finite() { (-best.gap).max(0.0) } else { f64::INFINITY };
    let size = a.size().max(b.size());
    let edges = greatest_gap_of_edges((a, b), &best, 2.0 * overlap + ROUNDING * size, &is_allowed);
    if edges.gap > best.gap + EDGE_BIAS * size {
        edges
    } else if best.gap.is_finite() {
        best
    } else {
        SeparatingAxis { normal: DVec3::Y, gap: gap_along(a, b, DVec3::Y), edges: None }
    }
}

fn greatest_gap_of_faces(a: &Core, b: &Core, is_allowed: &dyn Fn(DVec3) -> bool) -> SeparatingAxis {
    let mut best = SeparatingAxis { normal: DVec3::Y, gap: f64::NEG_INFINITY, edges: None };
    let mut offer = |normal: DVec3, gap: f64| {
        // A face without area has no normal.
        if gap > best.gap && normal != DVec3::ZERO && is_allowed(normal) {
            best = SeparatingAxis { normal, gap, edges: None };
        }
        best.gap
    };
    let mut near = 0;
    a.faces_before(b, f64::NEG_INFINITY, &mut |normal, point| {
        near = b.farthest(-normal, near);
        offer(-normal, normal.dot(b.corner(near) - point))
    });
    let least = offer(DVec3::ZERO, f64::NEG_INFINITY);
    let mut near = 0;
    b.faces_before(a, least, &mut |normal, point| {
        near = a.farthest(-normal, near);
        offer(normal, normal.dot(a.corner(near) - point))
    });
    best
}

/// Axis of the greatest gap across two edges, of which each has an end within `overlap` of the farthest corner along the axis
/// of `faces`.
fn greatest_gap_of_edges(
    (a, b): (&Core, &Core),
    faces: &SeparatingAxis,
    overlap: f64,
    is_allowed: &dyn Fn(DVec3) -> bool,
) -> SeparatingAxis {
    let mut best = SeparatingAxis { normal: DVec3::Y, gap: f64::NEG_INFINITY, edges: None };
    let out = faces.normal;
    let low = out.dot(a.corner(a.farthest(-out, 0))) + overlap;
    let high = out.dot(b.corner(b.farthest(out, 0))) - overlap;
    let mut meet = |first: &Arc, second: &Arc| {
        let Some(normal) = crossing(first, second) else { return };
        let mut offer = |normal: DVec3, gap: f64| {
            if gap > best.gap && is_allowed(normal) {
                let edges = Some([first, second].map(|edge| [edge.start, edge.start + edge.along]));
                best = SeparatingAxis { normal, gap, edges };
            }
        };
        if first.normals.is_some() && second.normals.is_some() {
            offer(normal, normal.dot(first.start - second.start));
        } else {
            [normal, -normal].into_iter().for_each(|n| offer(n, gap_along(a, b, n)));
        }
    };
    let (mut some, mut count) = ([Arc::NONE; BLOCK], 0);
    let mut meet_all = |some: &[Arc]| {
        if !some.is_empty() {
            a.edges_within(out, low, &mut |first| some.iter().for_each(|second| meet(&first, second)));
        }
    };
    b.edges_within(-out, -high, &mut |second| {
        some[count] = second;
        count += 1;
        if count == BLOCK {
            meet_all(&some);
            count = 0;
        }
    });
    meet_all(&some[..count]);
    best
}

/// Number of edges of the second core that are held while those of the first pass by.
const BLOCK: usize = 16;

/// Rounding of the place of a corner, as a share of the size.
const ROUNDING: f64 = 1e-6;

fn gap_along(a: &Core, b: &Core, normal: DVec3) -> f64 {
    normal.dot(a.corner(a.farthest(-normal, 0)) - b.corner(b.farthest(normal, 0)))
}

/// Unit normal of two edges if they form a separating-axis candidate; from B to A if face normals determine the sign.
fn crossing(first: &Arc, second: &Arc) -> Option<DVec3> {
    let (d, f) = (first.along, second.along);
    let across = d.cross(f);
    if across.length_squared() <= PARALLEL * PARALLEL * d.length_squared() * f.length_squared() {
        return None;
    }
    let splits =
        |normals: Option<[DVec3; 2]>, along: DVec3| normals.is_none_or(|[a, b]| a.dot(along) * b.dot(along) < 0.0);
    if !(splits(first.normals, f) && splits(second.normals, d)) {
        return None;
    }
    let normal = across.normalize();
    match (first.normals, second.normals) {
        (Some([a, b]), Some([c, e])) => {
            // Seen out of A, the normal on the arc of A must lie on the negated arc of B.
            let out_of_a = if normal.dot(a + b) > 0.0 { normal } else { -normal };
            (out_of_a.dot(c + e) < 0.0).then_some(-out_of_a)
        }
        _ => Some(normal),
    }
}
