//! Herds of a scene that follow clips.

use std::collections::BTreeMap;

use super::*;
use crate::samples;
use crate::simulation::backend::Backend;
use crate::simulation::by_particles::World;
use crate::simulation::scene::Herd as Said;
use crate::simulation::{Assets, Cast, World as Any};

fn assets() -> Assets {
    let cast = Cast { character: samples::humanoid(), clips: vec![samples::walk()] };
    Assets { characters: BTreeMap::from([("humanoid".into(), cast)]), ..Assets::default() }
}

fn scene(follows: &[Follow]) -> Scene {
    let crowd = Said {
        name: "crowd".into(),
        count: 9,
        height: 0.0,
        spacing: 2.0,
        random_orientation: false,
        max_start_delay: 0.7,
        ..Said::default()
    };
    Scene { herds: vec![crowd], follows: follows.to_vec(), ..Scene::default() }
}

fn walk() -> Follow {
    Follow { of: "crowd".into(), clip: samples::walk().name, assist_time: 0.05, ends: Some(2.0), ..Follow::default() }
}

fn go(world: &mut World, seconds: f64) {
    let until = world.time() + seconds;
    while world.time() < until - 1e-9 {
        world.step();
    }
}

/// Height of the first bone of each ragdoll above the ground, meters.
fn heights(world: &World) -> Vec<f64> {
    let running = &world.herds[0];
    running.slots.iter().map(|&slot| running.herd.pose(slot, 0).0.y).collect()
}

#[test]
fn r20_each_of_a_herd_follows_the_clip_after_its_delay_and_falls_when_it_ends() {
    let mut world = World::new(scene(&[walk()]), &assets()).unwrap();
    go(&mut world, 1.8);
    let running = &world.herds[0];
    let told = running.told.as_deref().unwrap();
    let delays: Vec<f64> = told.places.iter().map(|place| place.2).collect();
    assert!(delays.iter().all(|&delay| (0.0..0.7).contains(&delay)) && delays[0] != delays[1], "{delays:?}");
    let clip = samples::walk();
    for (&slot, &(offset, turn, delay)) in running.slots.iter().zip(&told.places) {
        let expected = Posture::of_clip(&clip, world.time() - delay).world(&told.figure.skeleton);
        for (body, part) in told.figure.bodies.iter().enumerate() {
            let expected = turn * expected[part.bone].0 + offset;
            let off = running.herd.pose(slot, body).0.distance(expected);
            assert!(off < 0.06, "{off} m from the clip");
        }
    }
    let upright = heights(&world);
    go(&mut world, 2.5);
    let lying = heights(&world);
    assert!(upright.iter().zip(&lying).all(|(up, down)| *up > 0.7 && *down < 0.45), "{upright:?} {lying:?}");
}

#[test]
fn a_limb_of_a_herd_is_let_go_and_a_state_is_continued_bit_for_bit() {
    let limp = Follow { of: "crowd/LeftUpperArm".into(), strength: 0.0, ..Follow::default() };
    let all = [walk(), limp];
    let mut world = World::new(scene(&all), &assets()).unwrap();
    go(&mut world, 1.9);
    let mut held = World::new(scene(&all[..1]), &assets()).unwrap();
    go(&mut held, 1.9);
    let off = |bone: &str| {
        let figure = &world.herds[0].told.as_deref().unwrap().figure;
        let body = figure.body_of[figure.skeleton.find(bone).unwrap()].unwrap();
        let of = |world: &World| world.herds[0].herd.pose(world.herds[0].slots[3], body).0;
        of(&world).distance(of(&held))
    };
    assert!(off("LeftHand") > 0.01 && off("RightHand") < 0.02, "{} {}", off("LeftHand"), off("RightHand"));
    let mut any = Any::new(scene(&all), &assets()).unwrap();
    (0..30).for_each(|_| any.step());
    let state = any.save();
    (0..20).for_each(|_| any.step());
    let expected = any.fingerprint();
    any.restore(state).unwrap();
    (0..20).for_each(|_| any.step());
    assert_eq!(any.fingerprint(), expected);
}

#[test]
fn a_limp_arm_of_a_herd_that_a_hand_leads_hangs() {
    // Arms are stretched out level in the held pose. A limp arm falls until dry friction holds it.
    let held = Follow { of: "crowd".into(), assist_time: 0.02, ..Follow::default() };
    let limp = Follow { of: "crowd/LeftUpperArm".into(), strength: 0.0, ..Follow::default() };
    let mut world = World::new(scene(&[held, limp]), &assets()).unwrap();
    go(&mut world, 4.0);
    let running = &world.herds[0];
    let figure = &running.told.as_deref().unwrap().figure;
    let place = |bone: &str| {
        let body = figure.body_of[figure.skeleton.find(bone).unwrap()].unwrap();
        running.herd.pose(running.slots[2], body).0
    };
    let down = |side: &str| {
        let [shoulder, wrist] = ["UpperArm", "Hand"].map(|bone| place(&format!("{side}{bone}")));
        (wrist - shoulder).angle_between(DVec3::NEG_Y).to_degrees()
    };
    assert!(down("Left") < 45.0 && (down("Right") - 90.0).abs() < 5.0, "{}° {}°", down("Left"), down("Right"));
}

#[test]
fn what_a_herd_cannot_be_told_is_a_sentence() {
    let faults = [
        (Follow { clip: "flight".into(), ..walk() }, "names “flight”, but “humanoid” has no clip of that name"),
        (Follow { of: "crowd/Tail".into(), ..walk() }, "“crowd” has no bone “Tail”"),
        (Follow { get_up_time: 1.0, ..walk() }, "works for a single ragdoll only, and “crowd” is a herd"),
        (Follow { of: "crowd 3".into(), ..walk() }, "follows a clip only as a whole; name “crowd”"),
    ];
    for (follow, message) in faults {
        let scene = scene(&[follow]);
        let told = scene.check().and_then(|()| World::new(scene.clone(), &assets()).map(drop));
        let told = told.unwrap_err().message;
        assert!(told.contains(message), "{told}");
    }
}
