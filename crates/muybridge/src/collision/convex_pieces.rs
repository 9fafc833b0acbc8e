//! Convex decomposition of a triangle mesh by connected pieces: one hull with few corners per piece, as colliders of a
//! body.

use glam::DVec3;

use super::signed_distance::ConvexHull;

/// Number of corners up to which a hull is kept as it is.
pub const MOST_CORNERS: usize = 128;

/// Share of its size by which points may stand out of a simplified hull.
const NEAR: f64 = 2e-3;

/// Points of each connected piece of a mesh, ordered by their first point. Triangles that share a point belong to one
/// piece.
pub fn pieces(points: &[DVec3], triangles: &[[usize; 3]]) -> Vec<Vec<DVec3>> {
    let mut parent: Vec<usize> = (0..points.len()).collect();
    for &[a, b, c] in triangles {
        for other in [b, c] {
            let (one, two) = (root(&mut parent, a), root(&mut parent, other));
            parent[one.max(two)] = one.min(two);
        }
    }
    let mut used = vec![false; points.len()];
    triangles.iter().flatten().for_each(|&corner| used[corner] = true);
    let mut slots = vec![usize::MAX; points.len()];
    let mut pieces: Vec<Vec<DVec3>> = Vec::new();
    for point in (0..points.len()).filter(|&point| used[point]) {
        let first = root(&mut parent, point);
        if slots[first] == usize::MAX {
            slots[first] = pieces.len();
            pieces.push(Vec::new());
        }
        pieces[slots[first]].push(points[point]);
    }
    pieces
}

/// First point of the piece (union-find with path halving).
fn root(parent: &mut [usize], mut point: usize) -> usize {
    while parent[point] != point {
        parent[point] = parent[parent[point]];
        point = parent[point];
    }
    point
}

/// Convex hull of points (meters), and the distance by which points stand out of it. Hulls of at most [`MOST_CORNERS`]
/// corners are exact. Otherwise corners are added until no point stands out by more than 0.2 % of the size, or the
/// limit is reached. `None` if the points have no volume.
pub fn coarse_hull(points: &[DVec3]) -> Option<(ConvexHull, f64)> {
    let whole = ConvexHull::new(points).ok()?;
    if whole.corners().len() <= MOST_CORNERS {
        return Some((whole, 0.0));
    }
    let all = whole.corners();
    let (low, high) = all.iter().fold((all[0], all[0]), |(low, high), &p| (low.min(p), high.max(p)));
    let near = NEAR * (high - low).max_element();
    let axes = [DVec3::X, DVec3::Y, DVec3::Z, DVec3::ONE, DVec3::new(-1.0, 1.0, 1.0), DVec3::new(1.0, 1.0, -1.0)];
    let mut kept: Vec<usize> =
        axes.iter().flat_map(|&axis| [axis, -axis]).filter_map(|way| farthest(all, way)).collect();
    loop {
        kept.sort_unstable();
        kept.dedup();
        let hull = ConvexHull::new(&kept.iter().map(|&corner| all[corner]).collect::<Vec<_>>()).ok()?;
        // For each face the point farthest out; the greatest distances come first.
        let mut out: Vec<(f64, usize)> = Vec::new();
        for face in hull.faces() {
            let normal = face.normal();
            let Some(corner) = farthest(all, normal) else { continue };
            out.push((normal.dot(all[corner] - face.corners[0]), corner));
        }
        out.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let most = out.first().map_or(0.0, |(out, _)| out.max(0.0));
        let room = MOST_CORNERS.saturating_sub(kept.len());
        let before = kept.len();
        // Adds at most half of the remaining corners per pass: neighboring points stand out of several faces alike.
        let added = out.iter().filter(|(out, corner)| *out > near && !kept.contains(corner)).map(|&(_, corner)| corner);
        let added: Vec<usize> = added.take(room.div_ceil(2)).collect();
        kept.extend(added);
        if kept.len() == before {
            return Some((hull, most));
        }
    }
}

/// Index of the point farthest along a direction; the first of several.
fn farthest(points: &[DVec3], direction: DVec3) -> Option<usize> {
    let mut best: Option<(f64, usize)> = None;
    for (index, point) in points.iter().enumerate() {
        let along = point.dot(direction);
        if best.is_none_or(|(most, _)| along > most) {
            best = Some((along, index));
        }
    }
    best.map(|(_, index)| index)
}

#[cfg(test)]
mod tests {
    use core::f64::consts::{PI, TAU};

    use super::*;
    use crate::collision::polyhedron::of_mesh;
    use crate::samples::meshes::{skittle, stool};

    #[test]
    fn a_stool_is_five_pieces_and_a_skittle_one() {
        let (points, triangles) = stool();
        let pieces_of_it = pieces(&points, &triangles);
        assert_eq!(pieces_of_it.iter().map(Vec::len).collect::<Vec<_>>(), [8; 5]);
        let (points, triangles) = skittle();
        assert_eq!(pieces(&points, &triangles), [points]);
    }

    #[test]
    fn a_ball_of_many_points_gets_a_hull_of_few_near_all_of_them() {
        let at = |i: usize, j: usize| {
            let (polar, around) = (PI * i as f64 / 40.0, TAU * j as f64 / 80.0);
            let radius = libm::sin(polar);
            DVec3::new(radius * libm::sin(around), libm::cos(polar), radius * libm::cos(around))
        };
        let points: Vec<DVec3> = (1..40).flat_map(|i| (0..80).map(move |j| at(i, j))).collect();
        let (hull, out) = coarse_hull(&points).expect("a hull");
        assert!(hull.corners().len() <= MOST_CORNERS);
        // Caps of 128 equal parts of a ball reach 0.2 rad: 1 − cos 0.2 = 0.02 for the best of hulls.
        assert!((0.01..0.06).contains(&out), "{out}");
        let farthest_out = points.iter().map(|&point| hull.to_point(point).distance).fold(0.0, f64::max);
        assert!(farthest_out <= out + 1e-12, "{farthest_out} {out}");
        let triangles: Vec<[usize; 3]> =
            (0..hull.faces().len()).map(|face| [3 * face, 3 * face + 1, 3 * face + 2]).collect();
        let corners: Vec<DVec3> = hull.faces().iter().flat_map(|face| face.corners).collect();
        let volume = of_mesh(&corners, &triangles, 1.0).expect("closed").mass;
        assert!((0.88..1.0).contains(&(volume / (4.0 * PI / 3.0))), "{volume}");
    }

    #[test]
    fn what_lies_in_a_plane_has_no_hull() {
        let square = [DVec3::ZERO, DVec3::X, DVec3::Z, DVec3::X + DVec3::Z];
        assert!(coarse_hull(&square).is_none());
    }
}
