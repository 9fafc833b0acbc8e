//! Worlds refuse an index that is out of range and a number that is not finite, in a sentence, and change nothing.

use muybridge::glam::{DQuat, DVec3};
use muybridge::particles::{self, Point};
use muybridge::ragdoll::{self, RagdollSettings, RagdollStart};
use muybridge::rigid::model::Start as BodyStart;
use muybridge::rigid::{Body, Model, Settings, World};
use muybridge::samples;

#[test]
fn x14_a_rigid_world_refuses_bodies_that_do_not_exist_and_numbers_that_are_not_finite() {
    let model = Model { bodies: vec![Body::new(2.0, DVec3::ONE).unwrap()], ..Model::default() };
    let mut world = World::new(model, &[BodyStart::at(DVec3::Y, DQuat::IDENTITY)], Settings::default()).unwrap();
    let (mut alone, x, nan) = (world.clone(), DVec3::X, DVec3::new(0.0, f64::NAN, 0.0));
    let cases = [
        (world.push(1, x, x), "there is no body 1; there are 1"),
        (world.push(0, nan, x), "the force must be finite, not NaN"),
        (world.push(0, x, nan), "the place of the force must be finite, not NaN"),
        (world.push_and_turn(7, x, x), "there is no body 7; there are 1"),
        (world.push_and_turn(0, x, DVec3::INFINITY), "the moment must be finite, not inf"),
        (world.hit(2, x, x), "there is no body 2; there are 1"),
        (world.hit(0, nan, x), "the impulse must be finite, not NaN"),
        (world.hit(0, x, nan), "the place of the impulse must be finite, not NaN"),
        (world.halt(3), "there is no body 3; there are 1"),
        (world.wake(4), "there is no body 4; there are 1"),
    ];
    for (refused, sentence) in cases {
        assert_eq!(refused.unwrap_err().to_string(), sentence);
    }
    world.step();
    alone.step();
    assert_eq!(world.state, alone.state);
}

#[test]
fn x14_a_world_of_particles_names_the_particle_or_the_number_that_it_refuses() {
    let model = particles::Model {
        positions: vec![DVec3::ZERO, DVec3::X],
        velocities: vec![DVec3::ZERO; 2],
        masses: vec![1.0; 2],
        ..particles::Model::default()
    };
    let mut world = particles::World::new(model, particles::Settings::default()).unwrap();
    let cases = [
        (world.push(2, DVec3::X), "there is no particle 2; there are 2"),
        (world.hit(0, DVec3::NAN), "the impulse must be finite, not NaN"),
        (world.set_velocity(9, DVec3::X), "there is no particle 9; there are 2"),
        (world.pin(1, DVec3::INFINITY), "the place of a pin must be finite, not inf"),
        (world.unpin(5), "there is no particle 5; there are 2"),
        (world.drag(Point::at(3), DVec3::X, 1.0), "there is no particle 3; there are 2"),
        (world.drag(Point::at(0), DVec3::X, f64::NAN), "the greatest force must be finite, not NaN"),
        (world.release(&Point::at(8)), "there is no particle 8; there are 2"),
        (world.bomb(DVec3::NAN, 1.0), "the center of a blast must be finite, not NaN"),
        (world.wake(2), "there is no particle 2; there are 2"),
    ];
    for (refused, sentence) in cases {
        assert_eq!(refused.unwrap_err().to_string(), sentence);
    }
}

#[test]
fn x14_a_ragdoll_refuses_bones_without_a_body() {
    let character = samples::mannequin();
    let start = RagdollStart::at_rest(&character.skeleton);
    let soft = ragdoll::particles(&character, &start, &RagdollSettings::default()).unwrap();
    let mut world = particles::World::new(soft.model.clone(), particles::Settings::default()).unwrap();
    let error = soft.hit(&mut world, 999, DVec3::ZERO, DVec3::X).unwrap_err().to_string();
    assert!(error.starts_with("there is no bone with a body 999; there are "), "{error}");
    let error = soft.pull(&mut world, 0, DVec3::NAN, DVec3::X, 1.0).unwrap_err().to_string();
    assert_eq!(error, "the place in the bone must be finite, not NaN");
    let error = soft.blast(&mut world, DVec3::ZERO, f64::INFINITY).unwrap_err().to_string();
    assert_eq!(error, "the strength of a blast must be finite, not inf");
}
