//! Runs on this thread and on another give the same bits, also when replayed from their logs.

use std::path::Path;
use std::time::{Duration, Instant};

use muybridge::simulation::World;
use muybridge_files::scene::{built_in, load, read};

use super::super::world_drawing::picture;
use super::*;
use crate::theme::Theme;
use crate::view::Ray;

fn build(scene: &Scene) -> World {
    World::new(scene.clone(), &load(scene, Path::new("")).unwrap().0).unwrap()
}

fn run(running: JobMode) -> RunHandle {
    let scene = read(built_in::text("drop").unwrap().as_bytes()).unwrap();
    RunHandle::new(Engine::new(build(&scene)), running, &egui::Context::default())
}

/// A part in the middle of the view and a point on it, found by a ray from the side.
fn spot(run: &RunHandle) -> (PartPath, PickPoint) {
    let picture = picture(run.seen(), None, &Theme::of(true));
    let (low, high) = picture.drawing.bounds().unwrap();
    let ray = Ray { origin: 0.5 * (low + high) + DVec3::X * 5.0, direction: DVec3::NEG_X };
    let under = picture.pick(&picture.drawing, run.seen(), &ray).expect("something in the middle");
    (under.part, under.spot)
}

/// Sends a run one of every kind of input: steps, mouse, push, settings, another world.
fn treat(run: &mut RunHandle) {
    let steps = |run: &mut RunHandle| (0..15).for_each(|_| run.step());
    let (part, spot) = spot(run);
    steps(run);
    run.grab(&part, spot);
    run.move_grab(DVec3::new(0.3, 2.0, 0.1));
    steps(run);
    run.release();
    run.push(&part, spot, DVec3::new(3.0, 20.0, 0.0));
    let mut scene = run.query(|recorded| recorded.world().scene().clone()).unwrap();
    scene.setting.gravity *= 0.5;
    run.tune(&scene);
    steps(run);
    run.replace(Engine::new(build(&scene)), Keep::State);
    steps(run);
}

#[test]
fn h22_the_same_commands_give_the_same_bits_here_and_on_a_thread() {
    let [here, there] = [JobMode::AtOnce, JobMode::Beside].map(|running| {
        let mut run = run(running);
        treat(&mut run);
        (run.log().unwrap(), run.query(|recorded| recorded.world().fingerprint()).unwrap())
    });
    assert!(here.0.inputs.len() > 15, "{}", here.0.inputs.len());
    assert_eq!(here, there);
}

#[test]
fn h22_what_played_on_a_thread_is_done_again_from_its_log() {
    let mut run = run(JobMode::Beside);
    let (part, spot) = spot(&run);
    run.play(true);
    run.record();
    let start = Instant::now();
    let mut held = false;
    while run.status().steps < 60 && start.elapsed() < Duration::from_secs(60) {
        run.advance(1.0 / 60.0);
        run.poll();
        if run.status().steps > 20 && !std::mem::replace(&mut held, true) {
            run.grab(&part, spot);
            run.move_grab(DVec3::Y * 1.5);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    run.end_recording();
    let log = run.log().unwrap();
    let again = log.replay(&mut |scene| Ok::<_, muybridge::simulation::SceneError>(build(scene))).unwrap();
    assert_eq!(again.fingerprint(), run.query(|recorded| recorded.world().fingerprint()).unwrap());
    let mut recorded = None;
    while recorded.is_none() && start.elapsed() < Duration::from_secs(60) {
        run.poll();
        recorded = run.drain_messages().into_iter().find_map(|told| match told {
            RunMessage::Recorded(recording) => Some(recording.frames as u64),
            _ => None,
        });
    }
    assert_eq!(recorded, Some(run.status().steps + 1));
    assert!(!run.is_playing());
}

#[test]
fn a_thread_that_breaks_off_is_a_sentence_and_the_window_goes_on() {
    let mut run = run(JobMode::Beside);
    run.play(true);
    assert_eq!(run.query(|_| -> u32 { panic!("a fault of ours") }), None);
    let start = Instant::now();
    while !run.is_lost() && start.elapsed() < Duration::from_secs(60) {
        run.poll();
    }
    assert!(
        matches!(&run.drain_messages()[..], [RunMessage::Error(sentence)] if sentence.contains("stopped because of a bug in Muybridge"))
    );
    assert!(!run.is_playing() && run.log().is_none());
    run.step();
}
