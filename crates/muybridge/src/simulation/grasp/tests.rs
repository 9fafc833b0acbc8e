//! Grasps under every method: held things reach the hand, thrown things fly on, and the force stays within its limit.

use std::collections::BTreeMap;

use super::*;
use crate::samples;
use crate::simulation::scene::{Block, FreeBodies, Method, Ragdoll, Rope};
use crate::simulation::{Assets, Cast, Recording, Scene};

const METHODS: [Method; 4] = [Method::Particles, Method::Multipliers, Method::Displacement, Method::Hennix];

fn world(method: Method, weight: f64) -> World {
    let mut scene = Scene::default();
    scene.solver.method = method;
    scene.solver.particles.free_bodies = FreeBodies::Particles;
    scene.setting.gravity = DVec3::NEG_Y * weight;
    scene.setting.ground = None;
    scene.ragdolls.push(Ragdoll { name: "doll".into(), position: DVec3::Y * 2.0, ..Ragdoll::default() });
    scene.boxes.push(Block { name: "box".into(), position: DVec3::X * 3.0, ..Block::default() });
    scene.ropes.push(Rope {
        name: "rope".into(),
        from: DVec3::new(-3.0, 2.0, 0.0),
        to: DVec3::new(-4.0, 2.0, 0.0),
        ..Rope::default()
    });
    let cast = Cast { character: samples::humanoid(), clips: Vec::new() };
    let assets = Assets { characters: BTreeMap::from([("humanoid".into(), cast)]), ..Assets::default() };
    World::new(scene, &assets).unwrap()
}

/// Grasps a thing at the body or particle nearest to a place above it.
fn hold(world: &World, name: &str) -> (Grasp, DVec3) {
    let grasp = world.grasp(&PartPath(name.into()), DVec3::new(0.0, 3.4, 0.0)).unwrap();
    (grasp, world.held_place(&grasp).unwrap())
}

#[test]
fn j35_what_is_held_comes_to_the_hand_and_hangs_there_under_its_weight() {
    for method in METHODS {
        let mut world = world(method, 9.81);
        let (grasp, from) = hold(&world, "doll");
        let to = from + DVec3::new(0.3, 0.2, -0.1);
        let mut far = f64::INFINITY;
        for _ in 0..480 {
            world.pull(&grasp, to, f64::INFINITY).unwrap();
            world.step();
            far = world.held_place(&grasp).unwrap().distance(to);
        }
        assert!(far < 0.02, "{method:?}: {far}");
    }
}

#[test]
fn j35_what_is_let_go_of_flies_on_as_it_was_moved() {
    for method in METHODS {
        let mut world = world(method, 0.0);
        let (grasp, from) = hold(&world, "box");
        let velocity = DVec3::new(1.0, 2.0, 0.0);
        let step = 1.0 / world.scene().setting.rate;
        let mut time = 0.0;
        for _ in 0..60 {
            time += step;
            world.pull(&grasp, from + velocity * time, f64::INFINITY).unwrap();
            world.step();
        }
        world.let_go(&grasp).unwrap();
        let before = world.snapshot().measures[0].momentum;
        for _ in 0..30 {
            world.step();
        }
        let after = world.snapshot().measures[0].momentum;
        let mass = world.mass();
        assert!(before.length() > 0.0 && (after - before).length() < 1e-3 * mass, "{method:?}: {before} {after}");
    }
}

#[test]
fn j35_a_hand_too_weak_for_the_weight_lets_it_fall() {
    for method in METHODS {
        let mut world = world(method, 9.81);
        let (grasp, from) = hold(&world, "doll");
        for _ in 0..60 {
            world.pull(&grasp, from, 50.0).unwrap();
            world.step();
        }
        let place = world.held_place(&grasp).unwrap();
        assert!(place.y < from.y - 1.0, "{method:?}: {place} {from}");
    }
}

#[test]
fn x14_nothing_is_grasped_where_nothing_is_and_a_foreign_grasp_is_refused() {
    let mut bodies = world(Method::Multipliers, 9.81);
    let particles = world(Method::Particles, 9.81);
    for name in ["nobody", "doll/no bone"] {
        let error = bodies.grasp(&PartPath(name.into()), DVec3::ZERO).unwrap_err().to_string();
        assert_eq!(error, format!("there is no “{name}” that moves"));
    }
    let (foreign, _) = hold(&particles, "rope");
    let before = bodies.save();
    assert_eq!(bodies.pull(&foreign, DVec3::ZERO, 1.0), Err(HandError::OtherWorld));
    assert_eq!(bodies.hit(&foreign, DVec3::ONE), Err(HandError::OtherWorld));
    assert_eq!(bodies.let_go(&foreign), Err(HandError::OtherWorld));
    assert_eq!((bodies.save(), bodies.held_place(&foreign)), (before, None));
    let (own, _) = hold(&bodies, "box");
    let error = bodies.pull(&own, DVec3::NAN, 1.0).unwrap_err().to_string();
    assert_eq!(error, "the place to pull to must be finite, not NaN");
    let error = bodies.pull(&own, DVec3::ONE, f64::NAN).unwrap_err().to_string();
    assert_eq!(error, "the greatest force must be finite, not NaN");
    bodies.step();
    assert!(bodies.held_place(&own).unwrap().is_finite());
}

#[test]
fn a_hit_on_a_held_point_gives_its_thing_that_momentum() {
    let impulse = DVec3::new(0.4, -1.1, 2.0);
    for method in METHODS {
        for (name, near) in [("box", DVec3::new(3.05, 0.1, 0.05)), ("doll", DVec3::new(0.05, 3.0, 0.1))] {
            let mut world = world(method, 0.0);
            let grasp = world.grasp(&PartPath(name.into()), near).unwrap();
            let at = world.held_place(&grasp).unwrap();
            let before = world.snapshot().measures[0];
            world.hit(&grasp, impulse).unwrap();
            world.hit(&grasp, DVec3::NAN).unwrap_err();
            world.step();
            let after = world.snapshot().measures[0];
            let gained = after.momentum - before.momentum;
            assert!((gained - impulse).length() < 1e-9, "{method:?}, {name}: {gained}");
            let moved = world.held_place(&grasp).unwrap() - at;
            assert!(
                moved.dot(impulse) > 0.0 && after.kinetic_energy > before.kinetic_energy,
                "{method:?}, {name}: {moved}"
            );
        }
    }
}

#[test]
fn looking_again_sees_what_a_fresh_look_sees() {
    for method in METHODS {
        let mut world = world(method, 9.81);
        let mut seen = world.snapshot();
        for _ in 0..5 {
            world.step();
            world.snapshot_into(&mut seen);
            let fresh = world.snapshot();
            assert_eq!(seen.measures, fresh.measures, "{method:?}");
            let written = |seen: &Recording| format!("{:?} {:?}", seen.tracks, seen.characters);
            assert_eq!(written(&seen), written(&fresh), "{method:?}");
        }
    }
}
