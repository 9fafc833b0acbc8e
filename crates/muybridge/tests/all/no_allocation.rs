//! Tests that a step allocates nothing (J1), except possibly the first, which makes room for later steps.

use muybridge::behavior::action::{
    Action, BodyPoint, Chase, Controller, EndCondition, Journey, MoveTo, Path, Script, Strength, Target, TurnTo,
};
use muybridge::collision::Obstacle;
use muybridge::glam::{DQuat, DVec3};
use muybridge::math::rotation::exp;
use muybridge::particles::objects::{Cloth, Grid, Traits};
use muybridge::particles::{
    ClothCollider, ClothLanes, ClothSettings, Distance, HerdSettings, Mode, Model, Plane, Point, Settings, Solve,
    Volume, World,
};
use muybridge::ragdoll::{self, RagdollSettings, RagdollStart};
use muybridge::rigid::displacement::{self, Constraints, Displacement, Mask, Scratch};
use muybridge::rigid::joint::Frame;
use muybridge::rigid::rattle::Mechanism;
use muybridge::rigid::{Body, Forest, Joint, Kind, Momentum, Pose};
use muybridge::samples;

use crate::workload;

/// Indices of the steps that allocate.
fn allocating(steps: usize, mut step: impl FnMut(usize)) -> Vec<usize> {
    (0..steps).filter(|&at| allocation_counter::measure(|| step(at)).count_total > 0).collect()
}

/// The result of some work on one thread: the queue of several has memory of its own.
fn on_one_thread<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    #[cfg(feature = "parallel")]
    return rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread").install(work);
    #[cfg(not(feature = "parallel"))]
    work()
}

/// A ragdoll above the ground, not quite upright.
fn dropped(substeps: u32) -> World {
    let character = samples::humanoid();
    let start = RagdollStart::at_rest(&character.skeleton).moved(DVec3::Y * 0.6, exp(DVec3::new(0.2, 0.0, 0.14)));
    let ragdoll = ragdoll::particles(&character, &start, &RagdollSettings::default()).expect("it has mass");
    let mut world = World::new(ragdoll.model, Settings { substeps, ..Settings::default() }).expect("a sound model");
    world.obstacles.push(Obstacle::ground(0.0).expect("a height"));
    world
}

#[test]
fn j1_a_ragdoll_that_falls_comes_to_rest_and_is_hit_allocates_nothing() {
    for substeps in [16, 64] {
        let mut world = dropped(substeps);
        world.step();
        let steps = allocating(600, |_| world.step());
        assert!(steps.is_empty(), "{substeps} substeps: {steps:?}");
        // With fewer substeps the ragdoll may tremble longer.
        let is_asleep = (0..world.model().positions.len()).all(|particle| world.is_asleep(particle));
        assert!(is_asleep || substeps < 64, "it lies");
        let state = world.save();
        let mut again = world.clone();
        again.restore(state).expect("its own state");
        for world in [&mut world, &mut again] {
            world.step();
            let steps = allocating(300, |at| {
                if at % 100 == 0 {
                    world.hit(0, DVec3::new(30.0, 100.0, -20.0)).unwrap();
                }
                world.step();
            });
            assert!(steps.is_empty(), "{substeps} substeps, hit: {steps:?}");
        }
    }
}

#[test]
fn j1_a_cloth_that_falls_on_a_ragdoll_allocates_nothing() {
    let character = samples::humanoid();
    let turned = exp(DVec3::X * -1.5);
    let start = RagdollStart::at_rest(&character.skeleton).moved(DVec3::Y * 0.4, turned);
    let mut model = ragdoll::particles(&character, &start, &RagdollSettings::default()).expect("it has mass").model;
    let (points, triangles) = Grid { position: DVec3::Y * 1.2, ..Grid::square(20, 1.2) }.mesh().expect("a grid");
    let traits = Traits { touches_itself: true, ..Traits::default() };
    let cloth = Cloth { thickness: 0.02, traits, ..Cloth::new(points, triangles) };
    cloth.add_to(&mut model).expect("a cloth");
    let mut world = World::new(model, Settings::default()).expect("a sound model");
    world.obstacles.push(Obstacle::ground(0.0).expect("a height"));
    world.step();
    let mut touched = 0;
    let steps = allocating(100, |_| {
        world.step();
        touched = touched.max(world.touches().count());
    });
    assert!(touched > 100, "{touched} contacts");
    assert!(steps.is_empty(), "{steps:?}");
}

#[test]
fn j1_a_heap_of_a_herd_allocates_nothing() {
    let humanoid = workload::humanoid();
    let settings = HerdSettings { touch_each_other: true, ..HerdSettings::default() };
    let model = workload::model(&humanoid, true);
    let (mut herd, slots) = workload::herd(&model, settings, &workload::heap(&humanoid));
    herd.step();
    let steps = on_one_thread(|| {
        allocating(240, |at| {
            // Slots become free one after the other.
            if at >= 200 && at % 5 == 0 {
                herd.despawn(slots[(at - 200) / 5]).unwrap();
            }
            herd.step();
        })
    });
    assert!(steps.is_empty(), "{steps:?}");
    // A restored copy has its own lists.
    let mut again = herd.clone();
    again.restore(&herd.save());
    again.step();
    let steps = on_one_thread(|| allocating(60, |_| again.step()));
    assert!(steps.is_empty(), "{steps:?}");
}

#[test]
fn j1_a_cloth_in_lanes_allocates_nothing() {
    let (points, triangles) = Grid { position: DVec3::Y, ..Grid::square(40, 1.5) }.mesh().expect("a grid");
    let mut cloth = ClothLanes::new(&points, &triangles, &[0, 40], ClothSettings::default()).expect("a cloth");
    let start = [points[0], points[40]];
    let ball = |step: usize| ClothCollider::Sphere { center: DVec3::new(0.0, 0.4, 0.002 * step as f64), radius: 0.4 };
    let ground = ClothCollider::HalfSpace { normal: DVec3::Y, offset: 0.0 };
    cloth.set_solids(&[ball(0), ground]);
    cloth.step();
    let steps = allocating(240, |step| {
        let carried = DVec3::X * (0.1 * step as f64);
        cloth.move_pin(0, start[0] + carried).unwrap();
        cloth.move_pin(40, start[1] + carried).unwrap();
        cloth.set_wind(DVec3::Z * step as f64 * 0.01).unwrap();
        cloth.set_solids(&[ball(step), ground]);
        cloth.step();
    });
    assert!(steps.is_empty(), "{steps:?}");
}

/// A net with a fixed corner, a floor and a volume.
fn net() -> Model {
    let side = 8;
    let mut model = Model::default();
    for i in 0..side {
        for j in 0..side {
            let particle = i * side + j;
            model.positions.push(DVec3::new(i as f64, 1.0, j as f64) * 0.1);
            model.velocities.push(DVec3::ZERO);
            model.masses.push(0.1);
            model.planes.push(Plane { particle, normal: DVec3::Y, offset: 0.0, both_sides: false });
            if i > 0 {
                model.distances.push(Distance::rigid([particle - side, particle], 0.1));
            }
            if j > 0 {
                model.distances.push(Distance { compliance: 1e-4, ..Distance::rigid([particle - 1, particle], 0.1) });
            }
        }
    }
    model.volumes.push(Volume { particles: [0, 1, 8, 20], rest: 0.0, compliance: 1.0 });
    model
}

#[test]
fn j1_a_step_allocates_nothing() {
    for mode in [Mode::Shake, Mode::Xpbd, Mode::Jakobsen, Mode::Rosen] {
        for solve in [Solve::OneByOne, Solve::ConjugateGradients] {
            let settings = Settings { mode, solve, substeps: 4, ..Settings::default() };
            let mut world = World::new(net(), settings).expect("a sound net");
            world.pin(0, world.state.positions[0]).unwrap();
            world.drag(Point::at(63), DVec3::ONE, 10.0).unwrap();
            world.step();
            let counted = allocation_counter::measure(|| (0..60).for_each(|_| world.step()));
            assert_eq!(counted.count_total, 0, "{mode:?} {solve:?}");
        }
    }
    let counted = allocation_counter::measure(|| drop(net()));
    assert!(counted.count_total > 0, "the counter counts");
}

#[test]
fn z22_a_step_by_displacement_allocates_nothing() {
    let bodies = vec![Body::new(1.0, DVec3::ONE).expect("a body"); 4];
    let frames = [Frame::at(DVec3::X * 0.5), Frame::at(DVec3::X * -0.5)];
    let ball = |parent: Option<usize>, child| Joint { parent, child, frames, kind: Kind::Ball, compliance: 0.0 };
    let joints = [ball(None, 0), ball(Some(0), 1), ball(Some(1), 2), ball(Some(2), 3), ball(None, 3)];
    let forest = Forest::new(bodies.len(), &joints);
    let mechanism = Mechanism { bodies: &bodies, joints: &joints, forest: &forest };
    let masks = [Mask::orientation(1, DQuat::IDENTITY)];
    let constraints = Constraints { masks: &masks, ..Constraints::joints(mechanism) };
    for method in [Displacement::Lamouret, Displacement::Block, Displacement::Skeleton] {
        let settings = displacement::Settings { method, ..Default::default() };
        let mut poses: Vec<_> = (0..4).map(|i| Pose::new(DVec3::X * f64::from(i), DQuat::IDENTITY)).collect();
        let mut momenta = [Momentum::ZERO; 4];
        let mut scratch = Scratch::new(mechanism);
        let counted = allocation_counter::measure(|| {
            for _ in 0..20 {
                let bodies = (&mut poses[..], &mut momenta[..]);
                displacement::step(&constraints, bodies, |_, _, _| Momentum::ZERO, (0.01, &settings), &mut scratch);
            }
        });
        assert_eq!(counted.count_total, 0, "{method:?}");
    }
}

#[test]
fn j1_actions_on_a_ragdoll_and_on_free_bodies_allocate_nothing() {
    let character = samples::humanoid();
    let start = RagdollStart::at_rest(&character.skeleton);
    let ragdoll = ragdoll::rigid(&character, &start, &RagdollSettings::default()).expect("it has mass");
    let hand = |name: &str| ragdoll.body(ragdoll.bone(name).expect(name)).expect("a hand has mass");
    let hands = [hand("LeftHand"), hand("RightHand")];
    let (mut model, mut starts) = (ragdoll.model.clone(), ragdoll.starts.clone());
    let loose = model.bodies.len();
    model.bodies.push(Body::new(2.0, DVec3::splat(0.1)).expect("a body"));
    starts.push(muybridge::rigid::model::Start::at(DVec3::X * 2.0, DQuat::IDENTITY));
    let mut world = muybridge::rigid::World::new(model, &starts, Default::default()).expect("a sound model");
    let point = |body: usize| BodyPoint { body, in_body: DVec3::ZERO };
    let through = Journey::along(Path::CatmullRom(vec![DVec3::ONE, DVec3::Y * 2.0]), 2.0);
    let bezier = Journey { by_length: true, ..Journey::along(Path::Bezier(vec![DVec3::ONE; 3]), 2.0) };
    let (strength, target) = (Strength::default(), Target::seen(0));
    let chase = Chase { target, seconds: None, most_acceleration: Some(50.0), strength };
    let turn = TurnTo { to: exp(DVec3::X), journey: Some(Journey::straight(2.0)), strength };
    let always = |action: Action| action.until(EndCondition::cancelled()).from(0.0);
    let to = |journey: Journey| MoveTo { to: DVec3::Y, journey: Some(journey), strength };
    let script = Script::default()
        .action(always(Action::new("left", point(hands[0]), to(bezier))))
        .action(always(Action::new("right", point(hands[1]), to(through))))
        .action(always(Action::new("turn", point(loose), turn)))
        .action(always(Action::new("follow", point(loose), chase).seeing([point(hands[0])])));
    let mut controller = Controller::new(script, loose + 1).expect("a sound script");
    controller.step(&mut world);
    // The world's own step is not measured.
    let acting = |_: &usize| {
        let count = allocation_counter::measure(|| controller.act(&mut world)).count_total;
        world.step();
        controller.sense_contacts(&world);
        count > 0
    };
    let steps: Vec<usize> = (0..120).filter(acting).collect();
    assert!(steps.is_empty(), "{steps:?}");
    assert!(controller.efforts().iter().all(|effort| effort.force != DVec3::ZERO || effort.torque != DVec3::ZERO));
}
