//! The interface with long work and the simulation on threads, as on the desktop.

use std::sync::{Arc, Mutex};

use crate::correction::{lead, let_go};
use crate::mouse::{self, button, move_to};
use crate::scenes::{ask, click, done_again, hips, on_screen, run};
use crate::window::{Window, drawn, wait_until, window_with_threads};
use eframe::egui::{Key, Modifiers};
use egui_kittest::kittest::Queryable;
use muybridge::glam::DVec3;
use muybridge::simulation::World;
use muybridge_studio::job::{Job, JobMode, JobProgress};
use muybridge_studio::motions::AnalyzedMotion;
use muybridge_studio::rooms::motion::handles::Handle;
use muybridge_studio::workspace::{FileToOpen, Request};

#[test]
#[cfg_attr(no_graphics, ignore = "needs a graphics adapter: install mesa-vulkan-drivers")]
fn h22_what_runs_on_a_thread_is_thrown_pushed_tuned_and_recorded_by_mouse_and_done_again() {
    let mut window = window_with_threads(1440.0, 900.0);
    click(&mut window, "Scene: drop");
    wait_until(&mut window, "a world", |window| {
        window.state().workspace.stage.document.as_ref().is_some_and(|document| document.run.is_some())
    });
    click(&mut window, "Record");
    wait_until(&mut window, "steps", |window| run(window).status().steps > 20);
    // A falling body moves in each frame: the button is pressed where it was seen, and the mouse holds it where it is
    // by then. The run is slow, so that the body is still under the pointer.
    set_speed(&mut window, 0.25);
    window.run_steps(2);
    let hips = hips(&window);
    let (from, to) = (on_screen(&window, hips), on_screen(&window, hips + DVec3::Y));
    move_to(&mut window, from);
    button(&mut window, from, true, Modifiers::NONE);
    for share in 1..=10 {
        move_to(&mut window, from + (to - from) * (share as f32 / 10.0));
    }
    wait_until(&mut window, "the hand", |window| run(window).status().hand.is_some());
    set_speed(&mut window, 1.0);
    // The log has a state hash every 60 steps.
    wait_until(&mut window, "steps with the hand", |window| run(window).status().steps > 65);
    button(&mut window, to, false, Modifiers::NONE);
    click(&mut window, "Moon");
    let gravity = ask(&window, |world| world.particles().expect("particles").settings.gravity);
    assert_eq!(gravity.y, -1.62);
    click(&mut window, "Stop recording");
    wait_until(&mut window, "a recording", |window| window.state().workspace.stage.recording.is_some());
    assert!(!run(&window).is_playing());
    let at = on_screen(&window, self::hips(&window));
    mouse::push(&mut window, at);
    done_again(&window);
    window.key_press(Key::ArrowRight);
    window.run_steps(1);
    let steps = ask(&window, World::steps);
    wait_until(&mut window, "the step", |window| run(window).status().steps == steps);
    click(&mut window, "Reset");
    wait_until(&mut window, "the start", |window| run(window).is_at_start());
    window.get_by_label("Play");
}

fn set_speed(window: &mut Window, speed: f64) {
    let document = window.state_mut().workspace.stage.document.as_mut().expect("a scene");
    document.run.as_mut().expect("a run").set_speed(speed);
}

#[test]
#[cfg_attr(no_graphics, ignore = "needs a graphics adapter: install mesa-vulkan-drivers")]
fn long_work_is_listed_with_its_progress_and_cancelled_one_by_one() {
    let mut window = window_with_threads(1280.0, 800.0);
    let ended = Arc::new(Mutex::new(Vec::new()));
    for (name, done) in [("Opening a.bvh", 0.25), ("Opening b.bvh", 0.5), ("Opening c.bvh", 0.75)] {
        let (ended, ctx) = (ended.clone(), window.ctx.clone());
        let work = move |progress: &JobProgress| {
            progress.set(done);
            while !progress.cancelled() {
                std::thread::yield_now();
            }
            ended.lock().expect("a list").push(name);
            Ok(Vec::new())
        };
        window.state_mut().workspace.motions.opening.push(Job::start(JobMode::Beside, &ctx, name, work));
    }
    let is_told = |window: &Window| window.state().workspace.under_way().iter().all(|under_way| under_way.done > 0.0);
    wait_until(&mut window, "progress", is_told);
    // After this the progress is drawn, and the button no longer moves.
    window.run_steps(3);
    click(&mut window, "Under way (3)");
    drawn(&mut window, "studio_under_way");
    click(&mut window, "Cancel: Opening b.bvh");
    wait_until(&mut window, "the end of b", |_| !ended.lock().expect("a list").is_empty());
    let names: Vec<String> = window.state().workspace.under_way().into_iter().map(|under_way| under_way.name).collect();
    assert_eq!(
        (names, ended.lock().expect("a list").as_slice()),
        (vec!["Opening a.bvh".into(), "Opening c.bvh".into()], &["Opening b.bvh"][..])
    );
    click(&mut window, "Cancel: Opening a.bvh");
    click(&mut window, "Cancel: Opening c.bvh");
    wait_until(&mut window, "the end of all", |_| ended.lock().expect("a list").len() == 3);
    assert!(window.state().workspace.under_way().is_empty());
}

#[test]
#[cfg_attr(no_graphics, ignore = "needs a graphics adapter: install mesa-vulkan-drivers")]
fn s19_a_drag_shows_the_newest_that_a_thread_has_made_and_letting_go_changes_no_bit_of_it() {
    let mut window = window_with_threads(1280.0, 800.0);
    let jump = crate::written::bvh(muybridge::samples::jump());
    window.state_mut().workspace.request(Request::Open(FileToOpen::with("jump.bvh", jump)));
    wait_until(&mut window, "a motion", |window| window.state().workspace.motions.current().is_some());
    let document = |window: &Window| -> (AnalyzedMotion, bool, u64) {
        let document = window.state().workspace.motions.current().expect("an open motion");
        (document.shown().clone(), document.is_sketched(), document.history.revision())
    };
    let before = document(&window).0;
    let span = before.analysis.flights[0].span;
    let motions = &mut window.state_mut().workspace.motions;
    motions.current_mut().expect("an open motion").timeline.go_to((span.first + span.last) / 2);
    window.run_steps(3);
    let at = lead(&mut window, Handle::Top, DVec3::Y * 0.3, Modifiers::NONE);
    wait_until(&mut window, "what it comes to", |window| !window.state().workspace.motions.bench.is_busy());
    let (held, is_sketched, revision) = document(&window);
    assert!(is_sketched && revision == 0);
    let top = |motion: &AnalyzedMotion| Handle::Top.position(motion, &motion.analysis.flights[0]).expect("a top").y;
    assert!((top(&held) - top(&before) - 0.3).abs() < 0.05, "the newest wish is shown: {} m", top(&held));
    let_go(&mut window, at, Modifiers::NONE);
    wait_until(&mut window, "its end", |window| !window.state().workspace.motions.bench.is_busy());
    let (after, is_sketched, revision) = document(&window);
    assert!(!is_sketched && revision > 0);
    assert!(held.prepared.clip == after.prepared.clip && held.analysis == after.analysis);
}
