//! Fits solids to the vertices of a bone, and selects a few vertices as contact candidates.
//!
//! A skin gets a capsule along its longest principal axis, or along the bone if no axis is clearly the longest. The radius is the
//! 80th percentile of the distances from the axis, so that a few stray vertices do not inflate it. A rigid mesh gets the smaller of
//! the boxes along bone axes and principal axes, or a ball if it reaches equally far in all directions.

use muybridge::collision::shape::{PlacedShape, Shape};
use muybridge::glam::{DMat3, DQuat, DVec3};

/// The 50 directions in which the farthest vertices are kept: whole-number vectors of four kinds, with components up to 2.
fn directions() -> impl Iterator<Item = DVec3> {
    let range = || -2i32..=2;
    let all = range().flat_map(move |x| range().flat_map(move |y| range().map(move |z| [x, y, z])));
    let plain = |v: &[i32; 3]| {
        let mut sizes = v.map(i32::abs);
        sizes.sort_unstable();
        matches!(sizes, [0, 0, 1] | [0, 1, 1] | [1, 1, 1] | [0, 1, 2])
    };
    all.filter(plain).map(|v| DVec3::new(v[0].into(), v[1].into(), v[2].into()).normalize())
}

/// The points farthest out in fixed directions, each once, in input order. At most 50.
pub(super) fn farthest(points: &[DVec3]) -> Vec<DVec3> {
    let farthest_in = |d: DVec3| {
        let mut best = (0, f64::NEG_INFINITY);
        for (i, p) in points.iter().enumerate() {
            let reach = d.dot(*p);
            if reach > best.1 {
                best = (i, reach);
            }
        }
        best.0
    };
    if points.is_empty() {
        return Vec::new();
    }
    let mut kept: Vec<usize> = directions().map(farthest_in).collect();
    kept.sort_unstable();
    kept.dedup();
    kept.into_iter().map(|i| points[i]).collect()
}

/// A capsule around the points of a skin; `along` is the bone's direction, if it has one. `None` for flat or few points.
pub(super) fn capsule(points: &[DVec3], along: Option<DVec3>) -> Option<PlacedShape> {
    let (axes, spread) = principal_axes(points)?;
    let longest = axes.x_axis;
    let axis = match along.and_then(DVec3::try_normalize) {
        Some(bone) if spread.y > 0.7 * spread.x => bone,
        _ => longest,
    };
    let (side, up) = axis.any_orthonormal_pair();
    let (low, high) = extent(points, axis);
    let middle = |d: DVec3| {
        let (low, high) = extent(points, d);
        d * (0.5 * (low + high))
    };
    let center = axis * (0.5 * (low + high)) + middle(side) + middle(up);
    let mut distances: Vec<f64> = points.iter().map(|p| (*p - center).reject_from_normalized(axis).length()).collect();
    distances.sort_by(f64::total_cmp);
    let radius = distances[(distances.len() - 1) * 4 / 5];
    if !(radius > 0.0 && high > low) {
        return None;
    }
    let half_length = (0.5 * (high - low) - radius).max(0.0);
    let rotation = upright_to(axis);
    Some(PlacedShape { shape: Shape::Capsule { radius, half_length }, position: center, rotation })
}

/// A box or a ball around the points of a rigid mesh; `None` for flat or few points.
pub(super) fn solid(points: &[DVec3]) -> Option<PlacedShape> {
    let (axes, _) = principal_axes(points)?;
    let along_bone = boxed(points, DMat3::IDENTITY);
    let along_mesh = boxed(points, axes);
    let volume = |b: &(DVec3, DVec3)| b.1.x * b.1.y * b.1.z;
    let turned = volume(&along_mesh) < 0.8 * volume(&along_bone);
    let (center, half_extents) = if turned { along_mesh } else { along_bone };
    if half_extents.min_element() <= 0.0 {
        return None;
    }
    let reach = |d: DVec3| extent(points, d).1 - d.dot(center);
    let (nearest, widest) =
        directions().map(reach).fold((f64::INFINITY, 0.0f64), |(low, high), r| (low.min(r), high.max(r)));
    if nearest > 0.9 * widest {
        let shape = Shape::Sphere { radius: 0.5 * (nearest + widest) };
        return Some(PlacedShape { shape, position: center, rotation: DQuat::IDENTITY });
    }
    let rotation = if turned { DQuat::from_mat3(&axes).normalize() } else { DQuat::IDENTITY };
    Some(PlacedShape { shape: Shape::Box { half_extents }, position: center, rotation })
}

fn boxed(points: &[DVec3], axes: DMat3) -> (DVec3, DVec3) {
    let sides = [axes.x_axis, axes.y_axis, axes.z_axis].map(|axis| extent(points, axis));
    let middle = sides.map(|(low, high)| 0.5 * (low + high));
    let half = sides.map(|(low, high)| 0.5 * (high - low));
    (axes * DVec3::from_array(middle), DVec3::from_array(half))
}

fn extent(points: &[DVec3], direction: DVec3) -> (f64, f64) {
    let reach = |p: &DVec3| direction.dot(*p);
    points.iter().map(reach).fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), r| (low.min(r), high.max(r)))
}

/// The rotation from y to a unit vector.
fn upright_to(axis: DVec3) -> DQuat {
    if axis.y < -0.999_999 {
        return DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0);
    }
    let half = DVec3::Y.cross(axis);
    DQuat::from_xyzw(half.x, half.y, half.z, 1.0 + axis.y).normalize()
}

/// Right-handed principal axes as columns, longest first, with the standard deviations along them; `None` for too few points.
fn principal_axes(points: &[DVec3]) -> Option<(DMat3, DVec3)> {
    if points.len() < 4 {
        return None;
    }
    let mean = points.iter().copied().sum::<DVec3>() / points.len() as f64;
    let mut covariance = [[0.0; 3]; 3];
    for point in points {
        let d = (*point - mean).to_array();
        for i in 0..3 {
            for j in 0..3 {
                covariance[i][j] += d[i] * d[j] / points.len() as f64;
            }
        }
    }
    let (values, vectors) = symmetric_eigen(covariance);
    let mut order = [0, 1, 2];
    order.sort_by(|&a, &b| values[b].total_cmp(&values[a]));
    let (x, y) = (vectors[order[0]], vectors[order[1]]);
    let axes = DMat3::from_cols(x, y, x.cross(y));
    let spread = DVec3::from_array(order.map(|i| libm::sqrt(values[i].max(0.0))));
    (axes.is_finite() && spread.x > 0.0).then_some((axes, spread))
}

/// Eigenvalues and unit eigenvectors of a symmetric matrix by Jacobi rotations.
fn symmetric_eigen(mut a: [[f64; 3]; 3]) -> ([f64; 3], [DVec3; 3]) {
    let mut v = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for _ in 0..30 {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            if a[p][q].abs() <= 1e-300 {
                continue;
            }
            let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
            let t = theta.signum() / (theta.abs() + libm::sqrt(theta * theta + 1.0));
            let c = 1.0 / libm::sqrt(t * t + 1.0);
            let s = t * c;
            for k in 0..3 {
                (a[k][p], a[k][q]) = (c * a[k][p] - s * a[k][q], s * a[k][p] + c * a[k][q]);
            }
            for k in 0..3 {
                (a[p][k], a[q][k]) = (c * a[p][k] - s * a[q][k], s * a[p][k] + c * a[q][k]);
                (v[p][k], v[q][k]) = (c * v[p][k] - s * v[q][k], s * v[p][k] + c * v[q][k]);
            }
        }
    }
    ([a[0][0], a[1][1], a[2][2]], v.map(|row| DVec3::from_array(row).normalize_or_zero()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use muybridge::math::rotation::exp;

    /// Points on a ball of radius 1, in the directions of whole-number vectors.
    fn ball() -> Vec<DVec3> {
        let mut points = Vec::new();
        for x in -3..=3 {
            for y in -3..=3 {
                for z in -3..=3 {
                    points.extend(DVec3::new(x.into(), y.into(), z.into()).try_normalize());
                }
            }
        }
        points
    }

    #[test]
    fn the_capsule_of_points_on_a_turned_capsule_is_that_capsule() {
        let turn = exp(DVec3::new(0.5, 0.3, -0.9));
        let shift = DVec3::new(3.0, 1.0, -2.0);
        let mut points = Vec::new();
        for end in [-0.8, 0.8] {
            points.extend(ball().iter().map(|p| shift + turn * (*p * 0.2 + DVec3::Y * end)));
        }
        let found = capsule(&points, None).unwrap();
        let Shape::Capsule { radius, half_length } = found.shape else { panic!("{found:?}") };
        assert!((found.position - shift).length() < 0.01);
        assert!((radius - 0.2).abs() < 0.02, "{radius}");
        assert!((half_length + radius - 1.0).abs() < 0.02);
        assert!((found.rotation * DVec3::Y).dot(turn * DVec3::Y).abs() > 0.999);
    }

    #[test]
    fn the_corners_of_a_brick_give_a_box_and_a_ball_gives_a_ball() {
        let half = DVec3::new(0.3, 0.1, 0.2);
        let sign = |bit: usize, i: usize| if i >> bit & 1 == 0 { -1.0 } else { 1.0 };
        let corners: Vec<DVec3> = (0..8).map(|i| DVec3::new(sign(0, i), sign(1, i), sign(2, i)) * half).collect();
        assert_eq!(solid(&corners).unwrap().shape, Shape::Box { half_extents: half });
        let Shape::Sphere { radius } = solid(&ball()).unwrap().shape else { panic!("a ball is no box") };
        assert!((radius - 1.0).abs() < 0.05);
    }

    #[test]
    fn the_farthest_points_of_a_brick_are_its_corners_and_flat_things_have_no_solid() {
        let mut points: Vec<DVec3> = ball().iter().map(|p| *p * 0.1).collect();
        points.extend([DVec3::ONE, -DVec3::ONE, DVec3::new(1.0, -1.0, 1.0)]);
        let kept = farthest(&points);
        assert!(kept.len() <= 50 && kept.contains(&DVec3::ONE) && kept.contains(&-DVec3::ONE));
        assert!(solid(&[DVec3::ZERO, DVec3::X, DVec3::Z, DVec3::ONE - DVec3::Y]).is_none());
    }
}
