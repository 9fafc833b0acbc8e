//! External actions on a world: hits, bombs, moving pins, pulls.

use muybridge::glam::DVec3;
use muybridge::particles::{Point, Settings};

use super::{chain, points, steps, weightless, world};

#[test]
fn j32_an_impulse_changes_the_velocity_by_itself_over_the_mass() {
    for substeps in [1, 16] {
        let mut model = points(&[DVec3::ONE]);
        model.masses[0] = 3.0;
        model.velocities[0] = DVec3::new(0.5, 0.0, 0.0);
        let mut world = world(model, Settings { substeps, ..weightless() });
        steps(&mut world, 3);
        let before = world.velocity(0);
        world.hit(0, DVec3::new(0.0, 6.0, -1.5)).unwrap();
        assert!((world.velocity(0) - before - DVec3::new(0.0, 2.0, -0.5)).length() < 1e-12);
        let from = world.state.positions[0];
        world.step();
        let moved = (world.state.positions[0] - from) * 60.0;
        assert!((moved - DVec3::new(0.5, 2.0, -0.5)).length() < 1e-12, "{moved}");
    }
}

#[test]
fn j34_a_bomb_acts_by_the_inverse_square() {
    let mut world = world(points(&[DVec3::X, DVec3::Y * -2.0, DVec3::ZERO]), weightless());
    world.bomb(DVec3::ZERO, 8.0).unwrap();
    assert!((world.velocity(0) - DVec3::X * 8.0).length() < 1e-12);
    assert!((world.velocity(1) - DVec3::Y * -2.0).length() < 1e-12);
    assert!((world.velocity(0).length() / world.velocity(1).length() - 4.0).abs() < 1e-12);
    assert!(world.velocity(2).is_finite());
}

#[test]
fn j35_a_pinned_hand_is_where_it_is_put_and_the_chain_follows() {
    let mut model = chain(20, 0.05);
    model.masses[0] = 1.0;
    model.positions.iter_mut().for_each(|x| *x = DVec3::Y * -x.x);
    let mut world = world(model, Settings::default());
    for step in 0..240 {
        let t = f64::from(step) / 60.0;
        let hand =
            DVec3::new(0.3, 0.0, 0.15) - DVec3::new(0.3 * libm::cos(2.0 * t), -0.1 * t * t, 0.15 * libm::cos(3.0 * t));
        world.pin(0, hand).unwrap();
        world.step();
        assert_eq!(world.state.positions[0], hand);
        assert!(world.worst_stretch() < 0.01, "{} in step {step}", world.worst_stretch());
    }
    let hand = world.state.positions[0];
    assert!(world.state.positions[20].distance(hand) <= 1.01);
    world.unpin(0).unwrap();
    steps(&mut world, 30);
    assert!(world.state.positions[0].y < hand.y, "what is let go falls");
}

#[test]
fn j35_pulling_with_a_limit_holds_what_it_can() {
    let held = |most_force: f64| {
        let mut world = world(points(&[DVec3::ZERO, DVec3::X]), Settings { rest_steps: 0, ..Settings::default() });
        world.pin(1, DVec3::X).unwrap();
        world.drag(Point::at(0), DVec3::ZERO, most_force).unwrap();
        steps(&mut world, 60);
        world.state.positions[0]
    };
    assert!(held(f64::INFINITY).length() < 1e-12);
    assert!(held(10.0).length() < 1e-12, "10 N hold 1 kg");
    let falls = held(9.0);
    // 0.81 N of the weight remain: ½ 0.81 t² in 1 s.
    assert!((falls.y + 0.405).abs() < 1e-3, "{falls}");
}

#[test]
fn a_pull_is_let_go() {
    let mut world = world(points(&[DVec3::ZERO]), Settings::default());
    world.drag(Point::at(0), DVec3::Y, f64::INFINITY).unwrap();
    world.step();
    assert!((world.state.positions[0] - DVec3::Y).length() < 1e-12);
    world.drag(Point::at(0), DVec3::Y * 2.0, f64::INFINITY).unwrap();
    assert_eq!(world.state.drags.len(), 1);
    steps(&mut world, 30);
    world.release(&Point::at(0)).unwrap();
    assert!(world.state.drags.is_empty());
    steps(&mut world, 300);
    assert!(world.state.positions[0].y < 0.0);
}

#[test]
fn a_velocity_that_is_set_is_the_velocity_it_goes_on_with() {
    let mut world = world(points(&[DVec3::ZERO]), Settings { rest_steps: 0, ..Settings::default() });
    steps(&mut world, 40);
    let (from, velocity) = (world.state.positions[0], DVec3::new(1.0, 5.0, -2.0));
    world.set_velocity(0, velocity).unwrap();
    steps(&mut world, 60);
    let exact = from + velocity - DVec3::Y * (0.5 * 9.81);
    assert!(world.state.positions[0].distance(exact) < 1e-10);
}
