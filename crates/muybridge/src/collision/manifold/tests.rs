//! Manifolds against a second library, against theory, with shapes exchanged and moved.

use std::sync::Arc;

use glam::{DQuat, DVec3};
use parry3d_f64::math::Pose as ParryPose;
use parry3d_f64::query;
use parry3d_f64::shape::{Ball, ConvexPolyhedron, Cuboid, Segment, Shape};

use super::*;
use crate::collision::signed_distance::ConvexHull;
use crate::math::random::Random;

/// A shape, its core in the other library, and its radius.
struct Both(ObstacleShape, Box<dyn Shape>, f64);

fn sphere(radius: f64) -> Both {
    Both(ObstacleShape::Sphere { radius }, Box::new(Ball::new(radius)), 0.0)
}

fn capsule(half_length: f64, radius: f64) -> Both {
    let axis = DVec3::Y * half_length;
    Both(ObstacleShape::Capsule { radius, half_length }, Box::new(Segment::new(-axis, axis)), radius)
}

fn cuboid(half_extents: DVec3) -> Both {
    Both(ObstacleShape::Box { half_extents }, Box::new(Cuboid::new(half_extents)), 0.0)
}

fn hull(seed: u64, count: usize) -> Both {
    let mut random = Random::new(seed);
    let points: Vec<DVec3> = (0..count).map(|_| random.vector() * 0.5).collect();
    let shape = ObstacleShape::Hull(Arc::new(ConvexHull::new(&points).unwrap()));
    Both(shape, Box::new(ConvexPolyhedron::from_convex_hull(&points).unwrap()), 0.0)
}

fn shapes() -> Vec<Both> {
    vec![
        sphere(0.3),
        capsule(0.4, 0.2),
        cuboid(DVec3::new(0.5, 0.3, 0.2)),
        cuboid(DVec3::new(0.1, 0.9, 0.4)),
        hull(1, 4),
        hull(2, 20),
    ]
}

fn pose(random: &mut Random, reach: f64) -> Pose {
    Pose { position: random.vector() * reach, rotation: random.rotation() }
}

/// Distance by the other library; 0 for overlap.
fn distance(a: &Both, pose_a: &Pose, b: &Both, pose_b: &Pose) -> f64 {
    let cores = query::distance(&theirs(pose_a), a.1.as_ref(), &theirs(pose_b), b.1.as_ref()).unwrap();
    (cores - a.2 - b.2).max(0.0)
}

/// Extent of a shape along a direction, by the other library.
fn reach(shape: &Both, pose: &Pose, direction: DVec3) -> f64 {
    let farthest = shape.1.as_support_map().unwrap().support_point(&theirs(pose), direction);
    farthest.dot(direction) + shape.2
}

fn theirs(pose: &Pose) -> ParryPose {
    ParryPose::from_parts(pose.position, pose.rotation)
}

fn found(a: &ObstacleShape, pose_a: &Pose, b: &ObstacleShape, pose_b: &Pose, margin: f64) -> Manifold {
    let mut manifold_found = Manifold::NONE;
    manifold(a, pose_a, b, pose_b, margin, &mut manifold_found);
    manifold_found
}

/// Calls `check` with every pair of shapes in random poses near each other.
fn for_pairs(seed: u64, times: usize, mut check: impl FnMut(&Both, &Pose, &Both, &Pose)) {
    let (shapes, mut random) = (shapes(), Random::new(seed));
    for a in &shapes {
        for b in &shapes {
            for _ in 0..times {
                let (pose_a, pose_b) = (pose(&mut random, 0.7), pose(&mut random, 0.7));
                check(a, &pose_a, b, &pose_b);
            }
        }
    }
}

#[test]
fn shapes_apart_are_as_far_apart_as_a_second_library_says() {
    let mut count = 0;
    for_pairs(1, 300, |a, pose_a, b, pose_b| {
        let distance = distance(a, pose_a, b, pose_b);
        if distance > 1e-6 {
            let ours = found(&a.0, pose_a, &b.0, pose_b, 9.0);
            // The other library's search ends within a few 1e-7 of the least distance, from above.
            let gap = ours.least_gap();
            assert!(gap < distance + 1e-9 && gap > distance - 1e-5, "{:?} {:?}: {gap} {distance}", a.0, b.0);
            // Planes across the normal through the support points of both shapes give a lower bound.
            let least = reach(a, pose_a, -ours.normal) + reach(b, pose_b, ours.normal);
            assert!((gap + least).abs() < 1e-9, "{:?} {:?}: {gap} {least}", a.0, b.0);
            count += 1;
        }
    });
    assert!(count > 3000, "{count}");
}

#[test]
fn overlapping_shapes_come_apart_by_the_depth_along_the_normal_and_by_no_less_in_any_direction() {
    let mut random = Random::new(22);
    let mut count = 0;
    for_pairs(2, 200, |a, pose_a, b, pose_b| {
        let ours = found(&a.0, pose_a, &b.0, pose_b, 0.0);
        let apart = |shift: DVec3| {
            let moved = Pose { position: pose_a.position + shift, ..*pose_a };
            distance(a, &moved, b, pose_b)
        };
        assert!((ours.least_gap() < 0.0) == (apart(DVec3::ZERO) == 0.0), "{:?} {:?} {ours:?}", a.0, b.0);
        let depth = -ours.least_gap();
        if ours.points().is_empty() || depth < 1e-4 {
            return;
        }
        count += 1;
        let out = apart(ours.normal * (depth + 1e-3));
        assert!((out - 1e-3).abs() < 1e-6, "{:?} {:?} {out} {depth}", a.0, b.0);
        for _ in 0..5 {
            let other = random.vector().normalize();
            assert!(apart(other * (0.999 * depth - 1e-6)) == 0.0, "{:?} {:?} {depth} {other}", a.0, b.0);
        }
    });
    assert!(count > 2000, "{count}");
}

/// Least depth of two hulls over the normals of all faces of their difference: those of either, and of any two edges.
fn depth_by_all_axes(hulls: [&ConvexHull; 2], poses: [&Pose; 2]) -> f64 {
    let normals =
        |side: usize| hulls[side].polytope().faces().iter().map(move |face| poses[side].rotation * face.normal);
    let edges = |side: usize| {
        let solid = hulls[side].polytope();
        let along = move |ends: [u32; 2]| solid.corners()[ends[1] as usize] - solid.corners()[ends[0] as usize];
        solid.edges().iter().map(move |edge| poses[side].rotation * along(edge.ends))
    };
    let crossed = edges(0).flat_map(|d| edges(1).filter_map(move |f| d.cross(f).try_normalize()));
    let reach = |side: usize, n: DVec3| {
        let local = poses[side].rotation.inverse() * n;
        hulls[side].corners().iter().map(|p| p.dot(local)).fold(f64::NEG_INFINITY, f64::max)
            + poses[side].position.dot(n)
    };
    let depth = |n: DVec3| reach(0, -n) + reach(1, n);
    let all = normals(0).chain(normals(1)).chain(crossed);
    all.flat_map(|n| [depth(n), depth(-n)]).fold(f64::INFINITY, f64::min)
}

#[test]
fn round_hulls_overlap_by_the_least_depth_of_all_axes_however_deep() {
    let mut random = Random::new(61);
    let round = |random: &mut Random, flat: f64| {
        let points: Vec<DVec3> = (0..40).map(|_| random.vector().normalize() * DVec3::new(0.3, flat, 0.3)).collect();
        ConvexHull::new(&points).unwrap()
    };
    for case in 0..60 {
        let hulls = [round(&mut random, 0.3), round(&mut random, 0.1)];
        let shapes = hulls.clone().map(|hull| ObstacleShape::Hull(Arc::new(hull)));
        let (mut a, b) = (pose(&mut random, 1.0), pose(&mut random, 0.2));
        let apart = found(&shapes[0], &a, &shapes[1], &b, 9.0);
        let overlap = [1e-4, 3e-3, 0.03, 0.15][case % 4];
        a.position -= apart.normal * (apart.least_gap().max(0.0) + overlap);
        let ours = -found(&shapes[0], &a, &shapes[1], &b, 0.0).least_gap();
        let least = depth_by_all_axes([&hulls[0], &hulls[1]], [&a, &b]);
        // Of a face and two edges the face wins within 1e-7 of the size.
        assert!((ours - least).abs() < 1e-7 * 0.3, "{case}: {ours} {least}");
    }
}

/// Whether two manifolds have the same points in any order.
fn same_points(first: &Manifold, second: &Manifold, tolerance: f64) -> bool {
    let near = |c: &ManifoldPoint, d: &ManifoldPoint| {
        c.on_a.distance(d.on_a) < tolerance && c.on_b.distance(d.on_b) < tolerance && (c.gap - d.gap).abs() < tolerance
    };
    first.points().len() == second.points().len()
        && first.points().iter().all(|c| second.points().iter().any(|d| near(c, d)))
        && (first.points().is_empty() || (first.normal - second.normal).length() < tolerance)
}

#[test]
fn exchanging_the_shapes_exchanges_what_is_found() {
    for_pairs(3, 200, |a, pose_a, b, pose_b| {
        let one = found(&a.0, pose_a, &b.0, pose_b, 0.05);
        let other = found(&b.0, pose_b, &a.0, pose_a, 0.05);
        assert!(same_points(&one, &other.swapped(), 1e-9), "{:?} {:?}\n{one:?}\n{other:?}", a.0, b.0);
    });
}

#[test]
fn moving_both_shapes_moves_what_is_found() {
    let mut random = Random::new(44);
    for_pairs(4, 200, |a, pose_a, b, pose_b| {
        let motion = pose(&mut random, 3.0);
        let moved = |pose: &Pose| Pose {
            position: motion.to_world(pose.position),
            rotation: (motion.rotation * pose.rotation).normalize(),
        };
        let one = found(&a.0, pose_a, &b.0, pose_b, 0.05).placed(&motion);
        let other = found(&a.0, &moved(pose_a), &b.0, &moved(pose_b), 0.05);
        assert!(same_points(&one, &other, 1e-9), "{:?} {:?}\n{one:?}\n{other:?}", a.0, b.0);
    });
}

#[test]
fn the_points_are_on_both_surfaces_and_the_gap_is_between_them() {
    for_pairs(5, 200, |a, pose_a, b, pose_b| {
        let ours = found(&a.0, pose_a, &b.0, pose_b, 0.02);
        for point in ours.points() {
            assert!((ours.normal.dot(point.on_a - point.on_b) - point.gap).abs() < 1e-12);
            assert!((ours.normal * point.gap).distance(point.on_a - point.on_b) < 1e-12);
            for (shape, pose, p) in [(a, pose_a, point.on_a), (b, pose_b, point.on_b)] {
                let off = crate::collision::simplex_contact::signed(&shape.0, pose.to_local(p), 9.0).distance;
                // Along a slanting normal a capsule reaches farther than its radius below its axis, but not at its end.
                let inside = matches!(shape.0, ObstacleShape::Capsule { .. }) && point.gap > ours.least_gap();
                assert!(off < 1e-7 && (inside || off > -1e-7), "{:?} {off} {point:?}", shape.0);
            }
        }
    });
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose { position: DVec3::new(x, y, z), rotation: DQuat::IDENTITY }
}

fn lying(y: f64) -> Pose {
    Pose { position: DVec3::Y * y, rotation: DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2) }
}

#[test]
fn h17_a_box_on_a_box_stands_on_the_four_corners_of_what_they_share() {
    let (small, large) = (cuboid(DVec3::new(0.5, 0.5, 0.5)).0, cuboid(DVec3::new(2.0, 0.5, 2.0)).0);
    for gap in [-0.01, 0.0, 0.01] {
        let ours = found(&small, &at(0.3, 1.0 + gap, 0.0), &large, &at(0.0, 0.0, 0.0), 0.02);
        assert_eq!(ours.points().len(), 4, "{ours:?}");
        assert!((ours.normal - DVec3::Y).length() < 1e-12);
        for (x, z) in [(-0.2, -0.5), (0.8, -0.5), (-0.2, 0.5), (0.8, 0.5)] {
            let corner = DVec3::new(x, 0.5, z);
            assert!(ours.points().iter().any(|c| c.on_b.distance(corner) < 1e-9 && (c.gap - gap).abs() < 1e-12));
        }
    }
    let (same, turned) =
        (found(&small, &at(0.0, 0.999, 0.0), &small, &at(0.0, 0.0, 0.0), 0.0), DQuat::from_rotation_y(0.7));
    assert_eq!(same.points().len(), 4, "{same:?}");
    let turned = Pose { rotation: turned, ..at(0.0, 0.999, 0.0) };
    let eight = found(&small, &turned, &small, &at(0.0, 0.0, 0.0), 0.0);
    assert!(eight.points().len() == 4 && (eight.normal - DVec3::Y).length() < 1e-9, "{eight:?}");
}

#[test]
fn capsules_side_by_side_touch_in_two_points_and_crossed_ones_in_one() {
    let shape = capsule(0.5, 0.1).0;
    let side = found(&shape, &at(0.19, 0.3, 0.0), &shape, &at(0.0, 0.0, 0.0), 0.01);
    assert_eq!(side.points().len(), 2);
    let mut heights: Vec<f64> = side.points().iter().map(|c| c.on_a.y).collect();
    heights.sort_by(f64::total_cmp);
    assert!((heights[0] + 0.2).abs() < 1e-12 && (heights[1] - 0.5).abs() < 1e-12, "{heights:?}");
    assert!(side.points().iter().all(|c| (c.gap + 0.01).abs() < 1e-12));
    let crossed = found(&shape, &lying(0.0), &shape, &at(0.0, 0.0, 0.19), 0.01);
    assert_eq!(crossed.points().len(), 1);
    let through = found(&shape, &lying(0.0), &shape, &at(0.0, 0.0, 0.0), 0.01);
    assert!((through.least_gap() + 0.2).abs() < 1e-12 && (through.normal.z.abs() - 1.0).abs() < 1e-12);
    let end_on = found(&shape, &at(0.0, 1.19, 0.0), &shape, &at(0.0, 0.0, 0.0), 0.01);
    assert_eq!(end_on.points().len(), 1);
}

#[test]
fn a_lying_capsule_rests_on_two_points_of_boxes_hulls_and_planes() {
    let (shape, block) = (capsule(0.3, 0.1).0, DVec3::new(1.0, 0.5, 1.0));
    let corners: Vec<DVec3> = (0..8)
        .map(|i| {
            block * DVec3::new(f64::from(i & 1) * 2.0 - 1.0, f64::from(i & 2) - 1.0, f64::from(i >> 2) * 2.0 - 1.0)
        })
        .collect();
    let hull = ObstacleShape::Hull(Arc::new(ConvexHull::new(&corners).unwrap()));
    for (ground, height) in [(cuboid(block).0, 0.5), (hull, 0.5), (ObstacleShape::HalfSpace, 0.0)] {
        for gap in [-0.15, -0.01, 0.005] {
            let ours = found(&shape, &lying(height + 0.1 + gap), &ground, &at(0.0, 0.0, 0.0), 0.01);
            assert_eq!(ours.points().len(), 2, "{ground:?} {ours:?}");
            for c in ours.points() {
                assert!(
                    (c.gap - gap).abs() < 1e-12
                        && (c.on_b.x.abs() - 0.3).abs() < 1e-12
                        && (c.on_b.y - height).abs() < 1e-12
                );
            }
        }
    }
}

#[test]
fn a_resting_box_keeps_the_names_of_its_points_while_it_slides() {
    let (small, large) = (cuboid(DVec3::new(0.5, 0.5, 0.5)).0, cuboid(DVec3::new(2.0, 0.5, 2.0)).0);
    let names = |x: f64, turn: f64| {
        let pose = Pose { position: DVec3::new(x, 0.999, 0.0), rotation: DQuat::from_rotation_y(turn) };
        let mut names: Vec<u64> =
            found(&small, &pose, &large, &at(0.0, 0.0, 0.0), 0.01).points().iter().map(|c| c.feature).collect();
        names.sort_unstable();
        names
    };
    let first = names(0.0, 0.0);
    assert_eq!(first.len(), 4);
    assert!(first.windows(2).all(|pair| pair[0] != pair[1]));
    for (x, turn) in [(0.01, 0.0), (0.3, 0.02), (1.8, 1e-9)] {
        assert_eq!(names(x, turn).len(), 4);
        if x < 1.0 {
            assert_eq!(names(x, turn), first);
        }
    }
}

#[test]
fn a_box_in_the_corner_of_a_room_is_held_by_three_walls() {
    let room = ObstacleShape::Room { least: DVec3::ZERO, most: DVec3::splat(5.0) };
    let mut normals = Vec::new();
    let pose = at(0.5, 0.51, 0.49);
    each_manifold(&cuboid(DVec3::splat(0.5)).0, &pose, &room, &at(0.0, 0.0, 0.0), 0.02, &mut |one| {
        assert_eq!(one.points().len(), 4);
        normals.push(one.normal);
    });
    assert_eq!(normals, DVec3::AXES);
}

#[test]
fn cylinders_are_exact_for_spheres_and_within_a_percent_of_the_radius_for_others() {
    let cylinder = ObstacleShape::Cylinder { radius: 0.4, half_length: 0.6 };
    let other = parry3d_f64::shape::Cylinder::new(0.6, 0.4);
    let mut random = Random::new(6);
    for shape in shapes() {
        let tolerance = if matches!(shape.0, ObstacleShape::Sphere { .. }) { 1e-7 } else { 0.004 };
        for _ in 0..500 {
            let (pose_a, pose_b) = (pose(&mut random, 1.0), pose(&mut random, 1.0));
            let cores = query::distance(&theirs(&pose_a), shape.1.as_ref(), &theirs(&pose_b), &other).unwrap();
            let distance = (cores - shape.2).max(0.0);
            let ours = found(&shape.0, &pose_a, &cylinder, &pose_b, 9.0).least_gap();
            assert!(
                distance <= 1e-6 && ours < tolerance || (ours - distance).abs() < tolerance,
                "{:?} {ours} {distance}",
                shape.0
            );
        }
    }
}

#[test]
fn x14_shapes_of_no_size_and_poses_that_are_no_numbers_touch_nothing_or_something_finite() {
    let mut shapes: Vec<ObstacleShape> = shapes().into_iter().map(|both| both.0).collect();
    shapes.extend([
        ObstacleShape::Sphere { radius: 0.0 },
        ObstacleShape::Capsule { radius: 0.0, half_length: 0.0 },
        ObstacleShape::Box { half_extents: DVec3::ZERO },
        ObstacleShape::Cylinder { radius: 0.0, half_length: 0.0 },
        ObstacleShape::HalfSpace,
        ObstacleShape::Room { least: DVec3::splat(-1.0), most: DVec3::ONE },
    ]);
    let nowhere = Pose { position: DVec3::NAN, rotation: DQuat::IDENTITY };
    for a in &shapes {
        for b in &shapes {
            for place in [at(0.0, 0.0, 0.0), at(1e-12, 0.0, 0.0), at(0.0, 1e9, 0.0), lying(1e-9)] {
                each_manifold(a, &place, b, &at(0.0, 0.0, 0.0), 0.1, &mut |one| {
                    assert!((one.normal.length() - 1.0).abs() < 1e-9, "{a:?} {b:?} {one:?}");
                    assert!(one.points().iter().all(|c| c.on_a.is_finite() && c.on_b.is_finite() && c.gap.is_finite()));
                });
            }
            each_manifold(a, &nowhere, b, &at(0.0, 0.0, 0.0), 0.1, &mut |one| panic!("{one:?}"));
        }
    }
}
