//! Tests of every kind of obstacle in the smallest loop: balls come to rest on it, moving ones carry, nothing is
//! allocated after the first step.

use glam::{DQuat, DVec3};

use super::tests::{GRAVITY, Loop, balls};
use crate::collision::Obstacle;
use crate::math::random::Random;

#[test]
fn a_ball_dropped_on_any_obstacle_comes_to_lie_on_it() {
    let square = [[-1.0, -1.0], [-1.0, 1.0], [1.0, 1.0], [1.0, -1.0]].map(|[x, z]| DVec3::new(x, 1.0, z));
    let corners: Vec<DVec3> = square.iter().copied().chain([DVec3::ZERO]).collect();
    let half = DVec3::new(1.0, 0.5, 1.0);
    let obstacles = [
        Obstacle::ground(1.0),
        Obstacle::room(DVec3::new(-2.0, 1.0, -2.0), DVec3::splat(9.0)),
        Obstacle::sphere(DVec3::ZERO, 1.0),
        Obstacle::capsule([DVec3::new(-1.0, 0.5, 0.0), DVec3::new(1.0, 0.5, 0.0)], 0.5),
        Obstacle::cylinder([DVec3::ZERO, DVec3::Y], 0.7),
        Obstacle::cuboid(DVec3::Y * 0.5, DQuat::from_rotation_y(0.3), half),
        Obstacle::hull(&corners),
        Obstacle::mesh(&square, &[[0, 1, 2], [0, 2, 3]]),
        Obstacle::height_field(DVec3::new(-1.0, 0.0, -1.0), &[1.0; 9], 3, [1.0; 2]),
    ];
    for obstacle in obstacles {
        let obstacle = obstacle.unwrap();
        let model = balls(&[DVec3::new(0.0, 1.7, 0.0)], DVec3::ZERO, 0.1);
        let mut run = Loop::new(&model, vec![obstacle.clone()], 1.0 / 240.0);
        (0..480).for_each(|_| run.step());
        let height = run.positions[0].y;
        assert!((height - 1.1).abs() < 1e-9, "{:?}: {height}", obstacle.shape);
        assert!(run.displacement(0).length() < 1e-12);
    }
}

#[test]
fn a_lift_carries_what_stands_on_it() {
    let mut lift = Obstacle::cuboid(DVec3::ZERO, DQuat::IDENTITY, DVec3::new(1.0, 0.1, 1.0)).unwrap();
    lift.velocity = DVec3::new(0.5, 1.0, 0.0);
    let mut model = balls(&[DVec3::new(0.2, 0.1, 0.0)], DVec3::ZERO, 0.0);
    model.objects[0].friction = 1.0;
    let mut run = Loop::new(&model, vec![lift.with_friction(1.0)], 1.0 / 600.0);
    (0..1200).for_each(|_| run.step());
    assert!((run.positions[0].y - 2.1).abs() < 1e-9, "{}", run.positions[0]);
    // The lift starts with a jump to 1 m/s upward. Its friction impulse of up to μ · 1 m/s accelerates the ball at
    // once.
    assert!((run.positions[0].x - 1.2).abs() < 1e-9, "{}", run.positions[0]);
}

#[test]
fn a_turntable_carries_a_ball_around() {
    let mut table = Obstacle::cylinder([-DVec3::Y, DVec3::ZERO], 1.0).unwrap().with_friction(1.0);
    table.spin = DVec3::Y;
    let mut model = balls(&[DVec3::new(0.3, 0.0, 0.0)], DVec3::new(0.0, 0.0, -0.3), 0.0);
    model.objects[0].friction = 1.0;
    let mut run = Loop::new(&model, vec![table], 1.0 / 960.0);
    (0..1920).for_each(|_| run.step());
    let place = run.positions[0];
    let expected = DQuat::from_rotation_y(2.0) * DVec3::new(0.3, 0.0, 0.0);
    assert!((place - expected).length() < 2e-3, "{place} {expected}");
}

#[test]
fn a_ball_on_a_hilly_field_never_sinks_in() {
    let mut random = Random::new(12);
    let heights: Vec<f64> = (0..400).map(|_| 0.3 * random.unit()).collect();
    let field = Obstacle::height_field(DVec3::new(-5.0, 0.0, -5.0), &heights, 20, [0.5; 2]).unwrap().with_friction(0.2);
    let places: Vec<DVec3> = (0..20).map(|_| random.vector() * 3.0 + DVec3::Y * 5.0).collect();
    let mut model = balls(&places, DVec3::ZERO, 0.05);
    model.objects[0].touches_itself = false;
    model.velocities = places.iter().map(|_| random.vector() * 4.0).collect();
    let mut run = Loop::new(&model, vec![field.clone()], 1.0 / 480.0);
    let crate::collision::ObstacleShape::HeightField(surface) = &field.shape else { panic!("a field") };
    let depth = |p: DVec3| surface.to_point(field.pose().to_local(p), 0.2).map_or(0.0, |found| 0.05 - found.distance);
    let (mut deepest, mut longest): (f64, f64) = (0.0, 0.0);
    for _ in 0..1920 {
        let before = run.positions.clone();
        run.step();
        longest = before.iter().zip(&run.positions).map(|(a, b)| a.distance(*b)).fold(longest, f64::max);
        deepest = run.positions.iter().map(|&p| depth(p)).fold(deepest, f64::max);
    }
    // In a steep valley one pass leaves part of the overlap of the fastest ball, and the next step removes it.
    assert!(deepest < longest, "{deepest} {longest}");
    let left = run.positions.iter().map(|&p| depth(p)).fold(0.0, f64::max);
    assert!(left < 1e-3, "{left}");
}

#[test]
fn no_list_grows_after_the_first_step() {
    let mut random = Random::new(13);
    let places: Vec<DVec3> = (0..200).map(|_| (random.vector() + DVec3::Y) * 0.5).collect();
    let mut model = balls(&places, DVec3::ZERO, 0.06);
    model.velocities = places.iter().map(|_| random.vector()).collect();
    let room = Obstacle::room(DVec3::splat(-1.0), DVec3::splat(1.0)).unwrap();
    let mut run = Loop::new(&model, vec![room], 1.0 / 240.0);
    run.step();
    let before = run.contacts.capacities();
    assert_eq!(GRAVITY, run.gravity);
    for _ in 0..720 {
        run.step();
        assert_eq!(run.contacts.capacities(), before);
    }
}

#[test]
fn two_runs_have_the_same_bits_and_so_has_one_that_goes_on_from_what_was_saved() {
    let mut random = Random::new(14);
    let places: Vec<DVec3> = (0..60).map(|_| (random.vector() + DVec3::Y) * 0.3).collect();
    let model = balls(&places, DVec3::ZERO, 0.06);
    let start = || Loop::new(&model, vec![Obstacle::ground(0.0).unwrap()], 1.0 / 240.0);
    let (mut one, mut two) = (start(), start());
    (0..200).for_each(|_| one.step());
    (0..100).for_each(|_| two.step());
    let mut third = start();
    third.positions.clone_from(&two.positions);
    third.previous.clone_from(&two.previous);
    third.contacts.hold(two.contacts.held());
    (0..100).for_each(|_| third.step());
    assert_eq!(one.positions, third.positions);
}
