//! Tests of rest, sleep and pause.

use muybridge::collision::shape::Shape;
use muybridge::collision::{MassProperties, Obstacle};
use muybridge::glam::{DQuat, DVec3};
use muybridge::particles::contact::Other;
use muybridge::particles::objects::Box3;
use muybridge::particles::{Anchor, BallJoint, Model, Placement, RigidBody, Settings, State, World};

use super::{bits, chain, on_floor, points, steps, with_drag, world};

/// Two boxes with a ball joint between them, slightly above a floor.
fn joined() -> Model {
    let properties = MassProperties::of_shape(&Shape::Box { half_extents: DVec3::new(0.2, 0.05, 0.1) }, 500.0);
    let body = RigidBody::new(&properties).expect("a solid");
    let mut model = Model::default();
    let turn = DQuat::from_rotation_z(0.1);
    let first = body.add_to(&mut model, &Placement::at(DVec3::new(0.0, 0.2, 0.0), turn));
    let second = body.add_to(&mut model, &Placement::at(turn * DVec3::X * 0.5 + DVec3::Y * 0.2, turn));
    let end = DVec3::X * 0.25;
    model.attachments.push(BallJoint {
        a: body.point(first, end),
        b: Anchor::Point(body.point(second, -end)),
        compliance: 0.0,
    });
    with_drag(on_floor(model), 2.0)
}

#[test]
fn r17_what_settled_sleeps_within_ten_seconds_and_wakes_when_a_force_arrives() {
    for model in [joined(), with_drag(chain(12, 0.1), 2.0)] {
        let mut world = world(model, Settings::default());
        steps(&mut world, 600);
        let last = world.model().positions.len() - 1;
        assert!(world.is_asleep(last));
        let (asleep, solved) = (bits(&world), world.constraints_solved());
        steps(&mut world, 100);
        assert_eq!(bits(&world), asleep, "nothing moves");
        assert_eq!(world.constraints_solved(), solved, "and nothing is computed");
        world.push(last, DVec3::new(3.0, 40.0, 0.0)).unwrap();
        assert!(!world.is_asleep(last) && !world.is_asleep(last - 1), "the island wakes");
        let before = world.state.positions[last];
        world.step();
        assert!(world.state.positions[last].y > before.y, "in the step the force arrives");
    }
}

#[test]
fn j42_islands_sleep_by_themselves() {
    let mut model = on_floor(points(&[DVec3::ZERO, DVec3::X, DVec3::new(2.0, 30.0, 0.0)]));
    model.distances.push(muybridge::particles::Distance::rigid([0, 1], 1.0));
    let mut world = world(model, Settings::default());
    steps(&mut world, 29);
    assert!(!world.is_asleep(0));
    steps(&mut world, 1);
    assert!(world.is_asleep(0) && world.is_asleep(1), "30 steps at rest");
    assert!(!world.is_asleep(2), "it falls");
    world.hit(1, DVec3::Y).unwrap();
    assert!(!world.is_asleep(0));
    steps(&mut world, 2);
    assert!(world.state.positions[1].y > 0.0);
    world.settings.rest_steps = 0;
    steps(&mut world, 600);
    assert!(!world.is_asleep(2), "0 is never");
}

#[test]
fn j42_a_stack_that_sleeps_keeps_what_carries_it() {
    let (count, mass, side) = (6, 4.0, 0.3);
    let mut model = Model::default();
    for level in 0..count {
        let place = Placement::at(DVec3::Y * side * (f64::from(level) + 0.5), DQuat::IDENTITY);
        Box3 { mass, ..Box3::new(DVec3::splat(side), place) }.add_to(&mut model).expect("a box");
    }
    let mut world = world(model, Settings::default());
    world.obstacles.push(Obstacle::ground(0.0).expect("a floor"));
    steps(&mut world, 300);
    assert!((0..4 * count as usize).all(|particle| world.is_asleep(particle)));
    let asleep = world.save();
    assert!(asleep.held.iter().any(|held| held.other == Other::Obstacle(0)), "the floor pushes");
    let sag = |state: &State| {
        let moves = state.positions.iter().zip(&asleep.positions).map(|(now, then)| (now.y - then.y).abs());
        moves.fold(0.0, f64::max)
    };
    world.wake_all();
    steps(&mut world, 1);
    let kept = world.save();
    world.restore(asleep.clone()).expect("its own state");
    world.wake_all();
    steps(&mut world, 1);
    assert_eq!(world.save(), kept, "saved asleep and woken: the same bits");
    world.restore(State { held: Vec::new(), ..asleep.clone() }).expect("its own state");
    world.wake_all();
    steps(&mut world, 1);
    // The contacts of a box are solved together, so that a cold start sags little as well.
    let fall = 0.5 * 9.81 / 3600.0;
    for (how, sag) in [("kept", sag(&kept)), ("forgotten", sag(&world.save()))] {
        assert!(sag < 0.05 * fall, "{how}: {sag} m of a free fall of {fall} m");
    }
}

#[test]
fn r26_a_pause_changes_nothing() {
    let mut world: World = world(chain(5, 0.2), Settings::default());
    steps(&mut world, 20);
    let before = (bits(&world), world.save());
    for seconds in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        world.step_by(seconds);
    }
    assert_eq!((bits(&world), world.save()), before);
}
