//! Runs with a grasping hand and changed settings, replayed under every method.

use std::collections::BTreeMap;

use super::*;
use crate::rigid::integrator::Integrator;
use crate::samples;
use crate::simulation::scene::{Block, Method, Obstacle, Ragdoll, Rope, SceneError};
use crate::simulation::{Assets, Cast};

const METHODS: [Method; 4] = [Method::Particles, Method::Multipliers, Method::Displacement, Method::Hennix];

fn scene(method: Method) -> Scene {
    let mut scene = Scene::default();
    (scene.solver.method, scene.solver.particles.substeps) = (method, 8);
    scene.setting.ground = Some(0.0);
    scene.ragdolls.push(Ragdoll { name: "doll".into(), position: DVec3::Y * 0.3, ..Ragdoll::default() });
    scene.boxes.push(Block { name: "box".into(), position: DVec3::new(0.1, 3.0, 0.0), ..Block::default() });
    let [from, to] = [DVec3::new(-3.0, 2.0, 0.0), DVec3::new(-4.0, 2.0, 0.0)];
    scene.ropes.push(Rope { name: "rope".into(), from, to, ..Rope::default() });
    scene
}

fn build(scene: &Scene) -> Result<World, SceneError> {
    let cast = Cast { character: samples::humanoid(), clips: Vec::new() };
    let assets = Assets { characters: BTreeMap::from([("humanoid".into(), cast)]), ..Assets::default() };
    World::new(scene.clone(), &assets)
}

/// Runs a second and a half with a grasp, a push, other settings and another box.
fn run(method: Method) -> LoggedWorld {
    let scene = scene(method);
    let mut run = LoggedWorld::new(build(&scene).unwrap(), 20);
    let step = |run: &mut LoggedWorld, times: usize| (0..times).for_each(|_| run.step());
    step(&mut run, 7);
    let doll = PartPath::from("doll");
    run.hold(&doll, DVec3::new(0.0, 1.5, 0.0)).unwrap();
    let from = run.world().held_place(run.held().unwrap()).unwrap();
    for n in 0..25 {
        run.pull(from + DVec3::new(0.01, 0.02, 0.0) * f64::from(n), 2000.0).unwrap();
        run.step();
    }
    run.let_go();
    step(&mut run, 3);
    run.push(&PartPath::from("box"), DVec3::new(0.1, 3.0, 0.0), DVec3::new(0.5, 1.0, 0.0)).unwrap();
    let mut tuned = scene.clone();
    (tuned.setting.gravity, tuned.solver.particles.substeps, tuned.solver.rigid.substeps) = (DVec3::NEG_Y * 3.0, 5, 5);
    tuned.solver.rigid.integrator = Integrator::Heun;
    run.tune(&tuned);
    step(&mut run, 30);
    tuned.boxes[0].friction = 0.1;
    let mut next = LoggedWorld::new(build(&tuned).unwrap(), 20);
    next.follow(&run).unwrap();
    step(&mut next, 25);
    next
}

/// Replays a log that must fail. The world of a success is too large to print.
fn refused(log: &InputLog) -> ReplayError {
    log.replay(&mut build).map(|world| world.steps()).unwrap_err()
}

#[test]
fn h22_a_run_of_a_scene_is_done_again_from_its_log_with_the_same_bits() {
    for method in METHODS {
        let run = run(method);
        let log = run.log();
        assert_eq!((log.last_step(), log.marks.len()), (90, 4));
        let again = log.replay(&mut build).unwrap();
        assert!(again.save() == run.world().save(), "{method:?}");
        // Without its inputs the run differs.
        let idle = InputLog { inputs: Vec::new(), ..log };
        assert_eq!(refused(&idle), ReplayError::Differs { step: 20, agreed: 0 }, "{method:?}");
    }
}

#[test]
fn h22_what_is_done_again_has_the_log_it_is_done_from() {
    for method in METHODS {
        let log = run(method).log();
        let mut again = LoggedWorld::new(build(&log.scene).unwrap(), 20);
        let mut replay = Replay::new(std::sync::Arc::new(log.clone()));
        again.redo(&mut replay, &mut build).unwrap();
        while again.world().steps() < log.last_step() {
            again.step();
            again.redo(&mut replay, &mut build).unwrap();
        }
        assert_eq!((replay.inputs_done(), replay.agreed()), (log.inputs.len(), 90), "{method:?}");
        assert!(again.log() == log, "{method:?}");
    }
    // An input that cannot be applied is not logged.
    let mut log = run(Method::Multipliers).log();
    log.inputs.insert(0, (0, Input::LetGo));
    let mut again = LoggedWorld::new(build(&log.scene).unwrap(), 20);
    let error = again.redo(&mut log.begin(), &mut build).unwrap_err().to_string();
    assert_eq!((error.as_str(), again.log().inputs.len()), ("before step 0: nothing is held", 0));
}

#[test]
fn h22_a_log_says_where_another_run_begins_to_differ() {
    let log = run(Method::Multipliers).log();
    let mut other = log.clone();
    let push = other.inputs.iter_mut().find(|(_, input)| matches!(input, Input::Push { .. })).unwrap();
    assert_eq!(push.0, 35);
    if let Input::Push { impulse, .. } = &mut push.1 {
        impulse.x += 1e-9;
    }
    assert_eq!(refused(&other), ReplayError::Differs { step: 40, agreed: 20 });
    let mut other = log.clone();
    other.inputs.retain(|(_, input)| !matches!(input, Input::Hold { .. }));
    let error = refused(&other).to_string();
    assert_eq!(error, "before step 7: nothing is held");
    let mut other = log.clone();
    other.inputs.insert(0, (3, Input::Push { part: "ball".into(), place: DVec3::ZERO, impulse: DVec3::X }));
    let error = refused(&other).to_string();
    assert_eq!(error, "before step 3: there is no “ball” that moves");
    // A log that was cut off has no end and agrees as far as it goes.
    let cut = InputLog { end: None, ..log };
    assert_eq!(cut.replay(&mut build).unwrap().steps(), cut.last_step());
}

#[test]
fn h22_what_begins_again_has_a_log_of_its_own_and_keeps_its_settings() {
    let mut run = run(Method::Particles);
    let mut tuned = scene(Method::Particles);
    tuned.setting.gravity = DVec3::NEG_Y;
    run.tune(&tuned);
    run.reset().unwrap();
    (0..30).for_each(|_| run.step());
    let log = run.log();
    assert_eq!((log.inputs.len(), log.last_step()), (1, 30));
    assert!(log.replay(&mut build).unwrap().save() == run.world().save());
}

#[test]
fn h22_method_and_integrator_change_while_it_runs_and_the_log_knows() {
    let mut run = LoggedWorld::new(build(&scene(Method::Multipliers)).unwrap(), 10);
    let mut told = scene(Method::Multipliers);
    for (method, integrator) in [
        (Method::Multipliers, Integrator::RungeKutta4),
        (Method::Displacement, Integrator::Ziauddin),
        (Method::Hennix, Integrator::Heun),
        (Method::Multipliers, Integrator::Composition4),
    ] {
        (told.solver.method, told.solver.rigid.integrator) = (method, integrator);
        run.tune(&told);
        let settings = run.world().bodies().unwrap().settings;
        assert_eq!(settings, told.solver.rigid_settings(&told.setting), "{method:?}");
        let before = run.world().bodies().unwrap().state.poses.clone();
        run.step();
        let after = &run.world().bodies().unwrap().state.poses;
        let way = before.iter().zip(after).map(|(a, b)| (a.place() - b.place()).length()).fold(0.0, f64::max);
        assert!(way < 0.2, "{method:?}: it goes on from where it was, but {way} m in a step");
        (0..9).for_each(|_| run.step());
    }
    assert!(run.log().replay(&mut build).unwrap().save() == run.world().save());
    // A world of bodies does not become one of particles.
    told.solver.method = Method::Particles;
    run.tune(&told);
    assert!(run.world().bodies().is_some_and(|bodies| bodies.settings.method == crate::rigid::Method::Multipliers));
}

#[test]
fn h22_what_sleeps_on_a_slope_slides_as_soon_as_its_friction_is_gone() {
    for method in METHODS {
        let normal = DVec3::new(0.3, 1.0, 0.0);
        let slope = Obstacle { name: "slope".into(), normal, ..Obstacle::default() };
        let block = Block { name: "box".into(), position: DVec3::Y * 0.3, ..Block::default() };
        let mut scene = Scene { obstacles: vec![slope], boxes: vec![block], ..Scene::default() };
        scene.solver.method = method;
        let place = |run: &LoggedWorld| match &run.world().snapshot().tracks[0].drawn {
            crate::simulation::recording::Drawn::Body { poses, .. } => poses[0].0,
            other => panic!("{other:?}"),
        };
        let mut run = LoggedWorld::new(build(&scene).unwrap(), 20);
        (0..240).for_each(|_| run.step());
        assert!(run.world().snapshot().measures[0].asleep == 1.0, "{method:?}: it does not rest");
        scene.boxes[0].friction = 0.0;
        let mut smooth = LoggedWorld::new(build(&scene).unwrap(), 20);
        smooth.follow(&run).unwrap();
        let before = place(&smooth);
        (0..30).for_each(|_| smooth.step());
        // Half of g sin θ t², θ = atan 0.3.
        let (way, theory) = (place(&smooth).distance(before), 0.5 * 9.81 * 0.3 / 1.09_f64.sqrt() * 0.25);
        assert!((way / theory - 1.0).abs() < 0.1, "{method:?}: {way} m, not {theory} m");
        assert!(smooth.log().replay(&mut build).unwrap().save() == smooth.world().save(), "{method:?}");
    }
}
