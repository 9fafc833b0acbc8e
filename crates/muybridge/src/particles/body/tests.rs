//! Tests of a body's four particles: mass properties, embedded points, and the recovered frame.

use super::*;
use crate::collision::shape::Shape;
use crate::math::random::Random;

/// Boxes of random proportions up to 1 : 30 in random frames.
fn bodies() -> Vec<MassProperties> {
    let mut random = Random::new(23);
    (0..200)
        .map(|_| {
            let half_extents = DVec3::from_array([0; 3].map(|_| libm::exp(3.4 * random.unit() - 4.0)));
            let properties = MassProperties::of_shape(&Shape::Box { half_extents }, 1000.0 * random.unit() + 1.0);
            properties.placed(random.vector() * 0.3, random.rotation())
        })
        .collect()
}

fn placement(random: &mut Random) -> Placement {
    Placement {
        position: random.vector() * 5.0,
        rotation: random.rotation(),
        velocity: random.vector() * 8.0,
        angular_velocity: random.vector() * 9.0,
    }
}

/// Mass properties summed over the particles: the second algorithm of the test.
fn of_particles(mass: f64, at: &[DVec3; 4]) -> MassProperties {
    let center = at.iter().sum::<DVec3>() / 4.0;
    let inertia = at.iter().fold(DMat3::ZERO, |sum, x| sum + tensor::of_point(mass, *x - center));
    MassProperties { mass: 4.0 * mass, center, inertia }
}

fn largest(matrix: DMat3) -> f64 {
    matrix.to_cols_array().iter().fold(0.0, |largest, x| x.abs().max(largest))
}

#[test]
fn j23_the_particles_have_the_bodys_mass_center_and_tensor() {
    for properties in bodies() {
        let body = RigidBody::new(&properties).unwrap();
        let found = of_particles(body.particle_mass, &body.rest);
        assert!((found.mass / properties.mass - 1.0).abs() <= 1e-14);
        let size = libm::sqrt(largest(properties.inertia) / properties.mass);
        assert!((found.center - properties.center).length() <= 1e-14 * (size + properties.center.length()));
        let error = largest(found.inertia - properties.inertia) / largest(properties.inertia);
        assert!(error <= 1e-14, "{error}");
        let [a, b, c, d] = body.rest;
        assert!((b - a).dot((c - a).cross(d - a)) > 0.0, "corners are right-handed");
    }
}

#[test]
fn j23_a_plate_without_thickness_gets_the_floor_and_keeps_the_rest() {
    let plate = Shape::Box { half_extents: DVec3::new(0.3, 0.0, 0.2) };
    let mut properties = MassProperties::of_shape(&plate, 1.0);
    assert_eq!(properties.mass, 0.0);
    assert_eq!(RigidBody::new(&properties), Err(BodyError::Mass { kilograms: 0.0 }));
    let (x, z) = (2.0 * 0.2 * 0.2 / 3.0, 2.0 * 0.3 * 0.3 / 3.0);
    properties = MassProperties { mass: 2.0, center: DVec3::Y, inertia: DMat3::from_diagonal(DVec3::new(x, x + z, z)) };
    let body = RigidBody::new(&properties).unwrap();
    let found = of_particles(body.particle_mass, &body.rest);
    let error = largest(found.inertia - properties.inertia) / largest(properties.inertia);
    assert!(error < 1e-6 && error > 1e-8, "{error}");
    assert!(weights_in(&body.rest, DVec3::Y).is_some());
}

#[test]
fn x14_a_point_mass_and_impossible_tensors_are_bodies_and_numbers_that_are_none_are_errors() {
    for inertia in [DMat3::ZERO, DMat3::from_diagonal(DVec3::new(1.0, 1.0, 5.0)), DMat3::from_diagonal(-DVec3::ONE)] {
        let body = RigidBody::new(&MassProperties { mass: 1.0, center: DVec3::X, inertia }).unwrap();
        assert!(body.rest.iter().all(|x| x.is_finite()));
        assert!((body.frame(&body.rest).0).length() < 1e-12);
    }
    let bad = MassProperties { mass: 1.0, center: DVec3::NAN, inertia: DMat3::IDENTITY };
    assert_eq!(RigidBody::new(&bad), Err(BodyError::NotFinite));
    let bad = MassProperties { mass: f64::NAN, center: DVec3::ZERO, inertia: DMat3::IDENTITY };
    assert!(matches!(RigidBody::new(&bad), Err(BodyError::Mass { .. })));
}

#[test]
fn j22_embedded_points_and_axes_follow_rigid_motions() {
    let mut random = Random::new(5);
    for properties in bodies() {
        let body = RigidBody::new(&properties).unwrap();
        let to = placement(&mut random);
        let (positions, velocities) = body.placed(&to);
        let size = libm::sqrt(largest(properties.inertia) / properties.mass);
        let vertex = properties.center + random.vector() * (2.0 * size);
        let axis = random.rotation() * DVec3::X;
        let follows = body.point(0, vertex).position(&positions) - (to.position + to.rotation * vertex);
        assert!(follows.length() < 1e-12, "{}", follows.length());
        assert!((body.direction(0, axis).vector(&positions) - to.rotation * axis).length() < 1e-12);
        let arm = to.rotation * (vertex - properties.center);
        let speed = to.velocity + to.angular_velocity.cross(arm);
        assert!((body.point(0, vertex).position(&velocities) - speed).length() < 1e-11);
    }
}

#[test]
fn j22_weights_interpolated_over_a_face_are_the_weights_solved_for() {
    let mut random = Random::new(6);
    for _ in 0..200 {
        let corners = CORNERS.map(|corner| corner + random.vector() * 0.4);
        let face = [random.vector(), random.vector(), random.vector()];
        let known = face.map(|vertex| weights_in(&corners, vertex).unwrap());
        let (u, v) = (random.unit(), random.unit());
        let share = [1.0 - u, u * (1.0 - v), u * v];
        let at = face[0] * share[0] + face[1] * share[1] + face[2] * share[2];
        let solved = weights_in(&corners, at).unwrap();
        for k in 0..4 {
            let interpolated: f64 = (0..3).map(|i| share[i] * known[i][k]).sum();
            assert!((interpolated - solved[k]).abs() <= 1e-13, "{interpolated} {}", solved[k]);
        }
        assert!((solved.iter().sum::<f64>() - 1.0).abs() < 1e-14);
    }
    assert_eq!(weights_in(&[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::ONE - DVec3::Z], DVec3::X), None);
}

#[test]
fn the_closed_form_of_the_weights_is_the_solution_of_the_linear_system() {
    let mut random = Random::new(7);
    for properties in bodies() {
        let body = RigidBody::new(&properties).unwrap();
        let vertex = properties.center + body.rest[1] * 0.3 - body.rest[2] * 0.2 + random.vector() * 0.01;
        let (closed, solved) = (body.weights_of_point(vertex), weights_in(&body.rest, vertex).unwrap());
        let size = closed.iter().fold(1.0, |size: f64, c| size.max(c.abs()));
        for k in 0..4 {
            assert!((closed[k] - solved[k]).abs() < 1e-11 * size, "{closed:?} {solved:?}");
        }
    }
}

#[test]
fn the_frame_comes_back_from_the_particles_and_a_stretch_does_not_turn_it() {
    let mut random = Random::new(8);
    for properties in bodies() {
        let body = RigidBody::new(&properties).unwrap();
        let to = placement(&mut random);
        let (positions, _) = body.placed(&to);
        let (position, rotation) = body.frame(&positions);
        assert!((position - to.position).length() < 1e-12, "{}", (position - to.position).length());
        assert!(rotation.dot(to.rotation).abs() > 1.0 - 1e-14);
        assert!((DMat3::from_quat(rotation) - DMat3::from_quat(to.rotation)).abs_diff_eq(DMat3::ZERO, 1e-9));
        // A symmetric stretch along the body's principal axes has no rotation in it.
        let (_, axes) = tensor::principal(properties.inertia);
        let stretch = axes * DMat3::from_diagonal(DVec3::new(1.1, 0.95, 1.02)) * axes.transpose();
        let stretched = body.rest.map(|x| to.rotation * (stretch * (x - body.center)));
        let (_, turned) = body.frame(&stretched);
        assert!(DMat3::from_quat(turned).abs_diff_eq(DMat3::from_quat(to.rotation), 1e-9));
    }
}

#[test]
fn the_frame_of_bent_particles_fits_better_than_any_near_it() {
    let mut random = Random::new(9);
    for properties in bodies().iter().take(60) {
        let body = RigidBody::new(properties).unwrap();
        let size = libm::sqrt(largest(properties.inertia) / properties.mass);
        let bent = body.rest.map(|x| x + random.vector() * (0.1 * size));
        let (position, rotation) = body.frame(&bent);
        let misfit = |turn: DQuat| -> f64 {
            let at = position + rotation * body.center - turn * body.center;
            body.rest.iter().zip(&bent).map(|(rest, x)| (at + turn * *rest - *x).length_squared()).sum()
        };
        let least = misfit(rotation);
        for _ in 0..20 {
            assert!(misfit(exp(random.vector() * 0.02) * rotation) >= least * (1.0 - 1e-12));
        }
    }
}

#[test]
fn the_frame_of_bent_particles_is_at_the_top_of_the_trace_to_rounding() {
    let mut random = Random::new(31);
    for properties in bodies() {
        let body = RigidBody::new(&properties).unwrap();
        let (to, size) = (placement(&mut random), body.rest[0].distance(body.rest[1]));
        for bend in [0.0, 1e-9, 1e-6, 1e-3, 3e-2] {
            let positions = body.placed(&to).0.map(|place| place + random.vector() * (bend * size));
            let turn = DMat3::from_quat(body.frame(&positions).1);
            let center = |at: &[DVec3; 4]| at.iter().sum::<DVec3>() * 0.25;
            let (in_rest, in_world) = (center(&body.rest), center(&positions));
            // At the maximum Σ R X × x is zero. The remainder as an angle is the remaining rotation.
            let (mut left, mut inertia) = (DVec3::ZERO, DMat3::ZERO);
            for (rest, place) in body.rest.iter().zip(&positions) {
                let (fitted, place) = (turn * (*rest - in_rest), *place - in_world);
                left += fitted.cross(place);
                inertia += tensor::of_point(1.0, place);
            }
            // A thin body at a few meters has larger rounding errors about its long axis.
            let angle = inertia.inverse() * left;
            assert!(angle.length() < 1e-12, "{bend}: {angle}");
        }
    }
}

#[test]
fn x14_particles_that_coincide_or_are_no_numbers_give_a_unit_rotation() {
    let body = RigidBody::new(&bodies()[0]).unwrap();
    for positions in [[DVec3::ONE; 4], [DVec3::NAN; 4], [DVec3::ZERO, DVec3::X, DVec3::X * 2.0, DVec3::X * 3.0]] {
        let (_, rotation) = body.frame(&positions);
        assert!((rotation.length() - 1.0).abs() < 1e-12);
    }
    let mirrored = body.rest.map(|x| DVec3::new(-x.x, x.y, x.z));
    assert!((body.frame(&mirrored).1.length() - 1.0).abs() < 1e-12);
}
