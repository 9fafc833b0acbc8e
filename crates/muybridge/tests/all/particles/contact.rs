//! Worlds with obstacles: falling things land, rest and sleep.

use muybridge::collision::Obstacle;
use muybridge::glam::DVec3;
use muybridge::particles::{Core, Model, Point, Settings, Surface};

use super::{bits, points, steps, with_drag, world};

/// Balls of 5 cm, one above the other.
fn balls(count: usize) -> Model {
    let mut model = points(&(0..count).map(|i| DVec3::Y * (0.2 + 0.3 * i as f64)).collect::<Vec<_>>());
    let surface = |i| Surface { core: Core::Ball(Point::at(i)), radius: 0.05, object: 0, part: i };
    model.surfaces = (0..count).map(surface).collect();
    model = with_drag(model, 1.0);
    model.objects[0].touches_itself = true;
    model
}

#[test]
fn r3_a_ball_lands_on_the_ground_and_sleeps_there() {
    let mut world = world(balls(1), Settings::default());
    world.obstacles.push(Obstacle::ground(0.0).expect("a height"));
    for _ in 0..120 {
        world.step();
        assert!(world.state.positions[0].y > 0.05 - 1e-6, "{}", world.state.positions[0].y);
    }
    assert!(world.is_asleep(0));
    let before = bits(&world);
    steps(&mut world, 60);
    assert_eq!(bits(&world), before);
}

#[test]
fn x10_what_touches_and_was_saved_goes_on_bit_for_bit() {
    let start = || {
        let mut world = world(balls(3), Settings::default());
        world.obstacles.push(Obstacle::ground(0.0).expect("a height"));
        world.obstacles.push(Obstacle::sphere(DVec3::new(0.02, 0.05, 0.01), 0.1).expect("a ball"));
        world.obstacles[1].velocity = DVec3::X * 0.1;
        world
    };
    let mut first = start();
    steps(&mut first, 25);
    let saved = first.save();
    steps(&mut first, 50);
    let mut second = start();
    second.restore(saved).expect("a state of the same model");
    steps(&mut second, 50);
    assert_eq!(bits(&first), bits(&second));
    assert_eq!(first.save(), second.save());
    assert!(first.state.positions.iter().all(|x| x.is_finite() && x.y > 0.04));
}

#[test]
fn r17_an_obstacle_that_moves_wakes_what_it_comes_near_to_and_pushes_it() {
    let mut world = world(balls(1), Settings::default());
    world.obstacles.push(Obstacle::ground(0.0).expect("a height"));
    world.obstacles.push(Obstacle::sphere(DVec3::new(-2.0, 0.05, 0.0), 0.1).expect("a ball"));
    steps(&mut world, 120);
    assert!(world.is_asleep(0));
    world.obstacles[1].velocity = DVec3::X;
    steps(&mut world, 150);
    assert!(!world.is_asleep(0));
    assert!(world.state.positions[0].x > 0.6, "{}", world.state.positions[0]);
}
