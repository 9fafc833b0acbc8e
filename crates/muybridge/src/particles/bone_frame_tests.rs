//! Tests of bone frames: an exact axis, orthonormal axes, and no flip.

use super::*;
use crate::math::random::Random;
use crate::math::rotation::about;

fn is_orthonormal(axes: &DMat3) -> bool {
    (axes.transpose() * *axes).abs_diff_eq(DMat3::IDENTITY, 1e-14) && (axes.determinant() - 1.0).abs() < 1e-14
}

/// Angle between two frames, radians.
fn apart(a: &DMat3, b: &DMat3) -> f64 {
    crate::math::rotation::log(DQuat::from_mat3(&(*a * b.transpose())).normalize()).length()
}

#[test]
fn r29_the_bone_is_an_axis_exactly_and_the_frame_is_orthonormal() {
    let mut random = Random::new(29);
    for trial in 0..2000 {
        let (start, end) = (random.vector(), random.vector());
        let along = (end - start).normalize();
        let forward = match trial % 4 {
            0 => random.vector(),
            1 => along + random.vector() * 1e-5,
            2 => along * 3.0,
            _ => DVec3::ZERO,
        };
        let last = DMat3::from_quat(random.rotation());
        let frame = BoneFrame::facing(start, end, forward, &last);
        assert!(is_orthonormal(&frame.axes), "{trial}: {}", frame.axes);
        assert!(frame.axes.y_axis == along && frame.origin == 0.5 * (start + end));
        if trial % 4 == 0 {
            let wanted = (forward - along * along.dot(forward)).normalize();
            assert!((frame.axes.z_axis - wanted).length() < 1e-12);
        }
    }
    let last = DMat3::from_quat(random.rotation());
    assert!(BoneFrame::facing(DVec3::ONE, DVec3::ONE, DVec3::Y, &last).axes.y_axis == last.y_axis);
}

#[test]
fn r29_a_bent_joint_shows_its_hinge_and_a_straight_one_keeps_what_it_had() {
    let side = DVec3::new(0.6, 0.0, 0.8);
    let down = DVec3::NEG_Y;
    let at = |degrees: f64| [DVec3::ZERO, down * 0.4, down * 0.4 + about(side, degrees * DEGREE) * down * 0.4];
    let other = (side + DVec3::new(0.05, 0.0, -0.02)).normalize();
    let started = LimbFrames::start(at(0.0), other);
    assert!((started.upper.axes.x_axis - other).length() < 1e-14);
    let off = |degrees: f64| (started.follow(at(degrees)).upper.axes.x_axis - side).length();
    assert!((started.follow(at(4.9)).upper.axes.x_axis - other).length() < 1e-14);
    assert!((off(5.1) - off(4.9)).abs() < 1e-4 && off(15.0) < off(10.0) && off(24.9) < 1e-4, "no step in between");
    for degrees in [25.1, 40.0, 150.0] {
        let bent = started.follow(at(degrees));
        assert!((bent.upper.axes.x_axis - side).length() < 1e-13 && (bent.lower.axes.x_axis - side).length() < 1e-13);
        assert!(is_orthonormal(&bent.upper.axes) && is_orthonormal(&bent.lower.axes));
        assert!((apart(&bent.lower.axes, &bent.upper.axes) - degrees * DEGREE).abs() < 1e-13);
    }
}

#[test]
fn j30_a_knee_bent_the_wrong_way_does_not_flip_its_frame() {
    let mut last = LimbFrames::start([DVec3::ZERO, DVec3::NEG_Y, DVec3::NEG_Y * 2.0], DVec3::X);
    for step in 0..200 {
        let degrees = 40.0 * libm::cos(f64::from(step) * 0.05);
        let lower = about(DVec3::X, degrees * DEGREE) * DVec3::NEG_Y;
        let now = last.follow([DVec3::ZERO, DVec3::NEG_Y, DVec3::NEG_Y + lower]);
        assert!((now.upper.axes.x_axis - DVec3::X).length() < 1e-12, "{degrees}: {}", now.upper.axes);
        assert!(apart(&now.lower.axes, &last.lower.axes) < 2.1 * DEGREE || step == 0);
        last = now;
    }
}

#[test]
fn j30_the_knee_bends_in_the_sagittal_half_plane_only() {
    let mut random = Random::new(30);
    for _ in 0..2000 {
        let lengths = [0.3 + 0.3 * random.unit(), 0.3 + 0.3 * random.unit()];
        let (hip, side) = (random.vector(), random.vector().normalize());
        let reach = (lengths[0] - lengths[1]).abs() + 2.0 * lengths[0].min(lengths[1]) * random.unit();
        let along = random.vector().normalize();
        let ankle = hip + along * reach;
        let knee = knee(hip, ankle, lengths, side);
        assert!(((knee - hip).length() - lengths[0]).abs() < 1e-14);
        assert!(((ankle - knee).length() - lengths[1]).abs() < 1e-13);
        let across = (side - along * along.dot(side)).normalize();
        assert!((knee - hip).dot(across).abs() < 1e-14, "in the plane");
        let bend = (knee - hip).cross(ankle - knee);
        assert!(bend.dot(across) >= -1e-14, "the lower bone turns about the side, by the right hand");
        let far = super::knee(hip, hip + along * 3.0, lengths, side);
        assert!((far - hip - along * lengths[0]).length() < 1e-7);
    }
    // Upright, with the left as side (y up, z forward): the knee goes forward, the heel back.
    let bent = knee(DVec3::Y * 0.8, DVec3::ZERO, [0.45, 0.45], DVec3::X);
    assert!(bent.z > 0.1 && bent.x.abs() < 1e-15);
    assert!(super::knee(DVec3::ONE, DVec3::ONE, [0.4, 0.4], DVec3::X).is_finite());
}
