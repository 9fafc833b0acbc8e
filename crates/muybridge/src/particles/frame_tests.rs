//! Tests of triangle frames: proper rotations, rotation with the particles, and equivalent forces.

use super::*;
use crate::math::random::Random;
use crate::math::rotation::{cross_matrix, exp, log};

fn triangle(random: &mut Random) -> [DVec3; 3] {
    loop {
        let corners = [random.vector(), random.vector(), random.vector()];
        let (edge, side) = (corners[1] - corners[0], corners[2] - corners[0]);
        if edge.length() > 0.4 && edge.cross(side).length() > 0.4 {
            return corners;
        }
    }
}

/// Frame in Rosen's order (R-E3), which is left-handed.
fn frame_of_the_source([p0, p1, p2]: [DVec3; 3]) -> DMat3 {
    let up = (p1 - p0).normalize();
    let facing = up.cross(p2 - p0).normalize();
    DMat3::from_cols(facing.cross(up), up, facing)
}

#[test]
fn r7_the_frame_is_proper_and_that_of_the_source_is_left_handed() {
    let mut random = Random::new(7);
    for _ in 0..2000 {
        let corners = [random.vector(), random.vector(), random.vector()];
        let frame = TriangleFrame::at(corners);
        let axes = frame.matrix();
        assert!(frame.is_sound && (axes.determinant() - 1.0).abs() < 1e-14);
        assert!((axes.transpose() * axes).abs_diff_eq(DMat3::IDENTITY, 1e-14));
        assert!((DMat3::from_quat(frame.rotation()) - axes).abs_diff_eq(DMat3::ZERO, 1e-14));
        assert!((frame_of_the_source(corners).determinant() + 1.0).abs() < 1e-14);
    }
}

#[test]
fn r7_the_frame_is_proper_down_to_where_it_is_given_up() {
    let corners =
        |height: f64| [DVec3::ZERO, DVec3::new(0.3, 0.4, 1.2), DVec3::new(0.6 - 4.0 * height, 0.8 + 3.0 * height, 2.4)];
    for height in [1e-3, 1e-6, 2e-9] {
        let frame = TriangleFrame::at(corners(height));
        let axes = frame.matrix();
        assert!(frame.is_sound && (axes.transpose() * axes).abs_diff_eq(DMat3::IDENTITY, 1e-14), "{height}");
    }
    let last = TriangleFrame::at(corners(0.1));
    for flat in [corners(1e-11), [DVec3::ONE; 3], [DVec3::ZERO, DVec3::ZERO, DVec3::X]] {
        let frame = TriangleFrame::at(flat);
        assert!(!frame.is_sound);
        let kept = frame.or_last(&last);
        assert!(kept.is_sound && kept.matrix() == last.matrix() && vector(kept.origin) == flat[0]);
    }
    assert_eq!(last.or_last(&TriangleFrame::at([DVec3::ONE; 3])).matrix(), last.matrix());
}

/// Derivative at 0 by differences of fourth order.
fn slope(f: impl Fn(f64) -> DVec3) -> DVec3 {
    let h = 2e-4;
    (8.0 * (f(h) - f(-h)) - (f(2.0 * h) - f(-2.0 * h))) / (12.0 * h)
}

#[test]
fn r24_the_frame_turns_and_its_points_move_as_differences_say() {
    let mut random = Random::new(11);
    for _ in 0..300 {
        let corners = triangle(&mut random);
        let frame = TriangleFrame::at(corners);
        let point = random.vector();
        let in_frame = frame.matrix().transpose() * (point - corners[0]);
        for corner in 0..3 {
            for axis in 0..3 {
                let moved = |by: f64| {
                    let mut corners = corners;
                    corners[corner][axis] += by;
                    corners
                };
                let turn = slope(|by| log(TriangleFrame::at(moved(by)).rotation() * frame.rotation().conjugate()));
                let shift = slope(|by| moved(by)[0] + TriangleFrame::at(moved(by)).matrix() * in_frame);
                let (a, b) = (frame.turn_matrices()[corner].col(axis), frame.point_matrices(point)[corner].col(axis));
                assert!((turn - a).length() < 1e-10 * (1.0 + a.length()), "{turn} {a}");
                assert!((shift - b).length() < 1e-10 * (1.0 + b.length()), "{shift} {b}");
            }
        }
    }
}

#[test]
fn r24_force_and_moment_reach_the_particles_to_rounding() {
    let mut random = Random::new(24);
    for _ in 0..2000 {
        let corners = triangle(&mut random);
        let frame = TriangleFrame::at(corners);
        let (point, force) = (random.vector(), random.vector());
        let shares = frame.force_shares(lane(point), lane(force)).map(vector);
        let total: DVec3 = shares.iter().sum();
        let moment: DVec3 = corners.iter().zip(&shares).map(|(p, f)| p.cross(*f)).sum();
        assert!((total - force).length() <= 1e-14, "{}", (total - force).length());
        assert!((moment - point.cross(force)).length() <= 1e-14, "{}", (moment - point.cross(force)).length());
        let by_matrix = frame.point_matrices(point).map(|b| b.transpose() * force);
        assert!((0..3).all(|i| (by_matrix[i] - shares[i]).length() < 1e-14));
    }
}

#[test]
fn r24_a_hull_point_moves_with_the_velocity_the_map_predicts() {
    let mut random = Random::new(25);
    for _ in 0..200 {
        let corners = triangle(&mut random);
        let frame = TriangleFrame::at(corners);
        let (point, rate, speed) = (random.vector(), random.vector(), random.vector());
        // A rigid motion: the map must give its velocity field.
        let velocity = |at: DVec3| speed + rate.cross(at);
        let predicted = frame.point_move(lane(point), corners.map(|p| lane(velocity(p))));
        assert!((vector(predicted) - velocity(point)).length() < 1e-13);
        // A finite, arbitrary motion of the particles.
        let moves = [random.vector(), random.vector(), random.vector()];
        let in_frame = frame.matrix().transpose() * (point - corners[0]);
        let place = |t: f64| {
            let now = [0, 1, 2].map(|i| corners[i] + moves[i] * t);
            now[0] + TriangleFrame::at(now).matrix() * in_frame
        };
        let predicted = vector(frame.point_move(lane(point), moves.map(lane)));
        assert!((slope(|t| place(0.3 * t)) / 0.3 - predicted).length() < 1e-9);
    }
}

#[test]
fn a_turn_as_a_whole_is_the_turn_of_the_frame() {
    let mut random = Random::new(12);
    for _ in 0..100 {
        let corners = triangle(&mut random);
        let frame = TriangleFrame::at(corners);
        let phi = random.vector();
        let small = vector(frame.turn(corners.map(|p| lane(cross_matrix(phi) * p))));
        assert!((small - phi).length() < 1e-13);
        let turned = TriangleFrame::at(corners.map(|p| exp(phi) * p));
        assert!((turned.matrix() - DMat3::from_quat(exp(phi)) * frame.matrix()).abs_diff_eq(DMat3::ZERO, 1e-14));
    }
}
