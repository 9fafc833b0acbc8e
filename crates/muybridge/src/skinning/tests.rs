//! Tests of skinning on a bent tube of two bones.

use super::*;
use crate::math::random::Random;
use crate::math::rotation::exp;

/// A tube of radius 0.2 along y, its lower half on bone 0, its upper on bone 1, blended between.
fn tube() -> (SkinnedMesh, Vec<(DVec3, DQuat)>) {
    let bind = vec![(DVec3::new(0.1, 0.0, 0.0), exp(DVec3::new(0.3, -0.2, 0.9))), (DVec3::Y, exp(DVec3::X))];
    let (mut points, mut normals, mut weights) = (Vec::new(), Vec::new(), Vec::new());
    for ring in 0..=20 {
        for corner in 0..12 {
            let angle = core::f64::consts::TAU * f64::from(corner) / 12.0;
            let (out, height) = (DVec3::new(libm::cos(angle), 0.0, libm::sin(angle)), 0.1 * f64::from(ring));
            let upper = (height - 0.5).clamp(0.0, 1.0);
            points.push(out * 0.2 + DVec3::Y * height);
            normals.push(out);
            weights.push(vec![(0, 3.0 * (1.0 - upper)), (1, 3.0 * upper)]);
        }
    }
    let skin = bound(&bind, &weights).unwrap();
    (SkinnedMesh { name: "tube".into(), points, normals, triangles: vec![], skin }, bind)
}

fn posed(mesh: &SkinnedMesh, pose: &[(DVec3, DQuat)]) -> (Vec<DVec3>, Vec<DVec3>) {
    let (mut points, mut normals) = (Vec::new(), Vec::new());
    mesh.pose_points(pose, &mut points);
    mesh.pose_normals(pose, &mut normals);
    (points, normals)
}

#[test]
fn r25_the_bind_pose_reproduces_the_mesh() {
    let (mesh, bind) = tube();
    let (points, normals) = posed(&mesh, &bind);
    assert_eq!(points.len(), mesh.points.len());
    for (found, expected) in points.iter().zip(&mesh.points).chain(normals.iter().zip(&mesh.normals)) {
        assert!((*found - *expected).length() < 1e-12);
    }
}

#[test]
fn r25_a_rigid_motion_of_all_bones_moves_the_mesh_rigidly_in_any_pose() {
    let (mesh, bind) = tube();
    let mut random = Random::new(25);
    for _ in 0..50 {
        let pose: Vec<(DVec3, DQuat)> =
            bind.iter().map(|(p, q)| (*p + random.vector() * 0.3, exp(random.vector()) * *q)).collect();
        let (turn, shift) = (random.rotation(), random.vector() * 3.0);
        let moved: Vec<(DVec3, DQuat)> = pose.iter().map(|(p, q)| (turn * *p + shift, turn * *q)).collect();
        let ((points, normals), (points_after, normals_after)) = (posed(&mesh, &pose), posed(&mesh, &moved));
        for (before, after) in points.iter().zip(&points_after) {
            assert!((turn * *before + shift - *after).length() < 1e-12);
        }
        for (before, after) in normals.iter().zip(&normals_after) {
            assert!((turn * *before - *after).length() < 1e-12);
        }
    }
}

#[test]
fn a_vertex_of_one_bone_follows_it_and_one_of_two_is_halfway() {
    let (mesh, bind) = tube();
    let mut pose = bind.clone();
    pose[1].0 += DVec3::Z;
    let (points, _) = posed(&mesh, &pose);
    assert!((points[20 * 12] - mesh.points[20 * 12] - DVec3::Z).length() < 1e-12);
    assert!((points[0] - mesh.points[0]).length() < 1e-12);
    // Vertices of the ring at height 1 have half the weight of each bone.
    assert!((points[10 * 12] - mesh.points[10 * 12] - DVec3::Z * 0.5).length() < 1e-12);
}

#[test]
fn r25_normals_of_a_stretched_bind_stand_on_the_stretched_surface() {
    // A plane through (1,0,0) and (0,1,0) stretched by 3 along x: its normal is that of the plane through (3,0,0), (0,1,0).
    let bone_from_mesh = DAffine3::from_mat3(DMat3::from_diagonal(DVec3::new(3.0, 1.0, 1.0)));
    let skin = Skin::new(vec![SkinJoint { bone: 0, bone_from_mesh }], &[vec![(0, 1.0)]]).unwrap();
    let normal = DVec3::new(1.0, 1.0, 0.0).normalize();
    let mesh =
        SkinnedMesh { name: String::new(), points: vec![DVec3::X], normals: vec![normal], triangles: vec![], skin };
    let (_, normals) = posed(&mesh, &[(DVec3::ZERO, DQuat::IDENTITY)]);
    assert!((normals[0] - DVec3::new(1.0, 3.0, 0.0).normalize()).length() < 1e-14);
    assert!(normals[0].dot(DVec3::new(-3.0, 1.0, 0.0)).abs() < 1e-14);
}

#[test]
fn x14_weights_that_are_none_and_joints_that_are_not_there_are_errors() {
    let bind = [(DVec3::ZERO, DQuat::IDENTITY)];
    let error = |weights: Vec<(usize, f64)>| bound(&bind, &[vec![(0, 1.0)], weights]).unwrap_err();
    assert_eq!(error(vec![]), SkinError::NoWeight { vertex: 1 });
    assert_eq!(error(vec![(0, 0.0)]), SkinError::NoWeight { vertex: 1 });
    assert_eq!(error(vec![(0, -1.0)]), SkinError::Weight { vertex: 1, weight: -1.0 });
    assert_eq!(error(vec![(1, 1.0)]), SkinError::NoSuchJoint { vertex: 1, joint: 1, joints: 1 });
    assert_eq!(bound(&[(DVec3::NAN, DQuat::IDENTITY)], &[]), Err(SkinError::Bind { joint: 0 }));
    // If the pose lacks the bone, the vertex stays in its bind pose.
    let skin = bound(&bind, &[vec![(0, 1.0)]]).unwrap();
    let mesh = SkinnedMesh { name: String::new(), points: vec![DVec3::X], normals: vec![], triangles: vec![], skin };
    assert_eq!(posed(&mesh, &[]).0, [DVec3::X]);
}

/// Builds a skin for a mesh in world coordinates, bound to the world pose `bind` (position and orientation of every
/// bone).
fn bound(bind: &[(DVec3, DQuat)], weights: &[Vec<(usize, f64)>]) -> Result<Skin, SkinError> {
    let joint = |(bone, (position, rotation)): (usize, &(DVec3, DQuat))| SkinJoint {
        bone,
        bone_from_mesh: DAffine3::from_rotation_translation(rotation.conjugate(), rotation.conjugate() * -*position),
    };
    Skin::new(bind.iter().enumerate().map(joint).collect(), weights)
}
