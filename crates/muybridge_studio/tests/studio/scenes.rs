//! Scenes built, run and handled in the interface by the names that a screen reader would read.

use std::path::Path;

use crate::mouse::{button, drag, move_to};
use crate::window::{Window, picture, save, window};
use eframe::egui::{Event, Key, Modifiers, Pos2, vec2};
use egui_kittest::kittest::Queryable;
use image::imageops::crop_imm;
use muybridge::glam::DVec3;
use muybridge::simulation::input_log::Input;
use muybridge::simulation::scene::PartPath;
use muybridge::simulation::{InputLog, LoggedWorld, Scene, World};
use muybridge_files::scene::{built_in, load, read_log, write_log};
use muybridge_studio::rooms::RoomName;
use muybridge_studio::stage::{RunHandle, SceneDocument};
use muybridge_studio::workspace::{FileToOpen, Request};

pub fn document(window: &Window) -> &SceneDocument {
    window.state().workspace.stage.document.as_ref().expect("an open scene")
}

pub fn run(window: &Window) -> &RunHandle {
    document(window).run.as_ref().expect("a world")
}

/// Calls a function with the running world and returns its result.
pub fn ask<R: Send + 'static>(window: &Window, question: impl FnOnce(&World) -> R + Send + 'static) -> R {
    run(window).query(|recorded| question(recorded.world())).expect("a run")
}

pub fn click(window: &mut Window, label: &str) {
    window.get_by_label(label).click();
    window.run_steps(3);
}

/// Screen position of a world position.
pub fn on_screen(window: &Window, place: DVec3) -> Pos2 {
    let (camera, rect) = window.state().workspace.stage.eye.expect("a view");
    camera.project(rect, place).expect("a place before the eye")
}

fn click_at(window: &mut Window, place: DVec3) {
    let at = on_screen(window, place);
    move_to(window, at);
    button(window, at, true, Modifiers::NONE);
    button(window, at, false, Modifiers::NONE);
    window.run_steps(1);
}

pub fn open(window: &mut Window, scene: &str) {
    window.run_steps(2);
    let link = window.query_by_label(scene).is_some();
    click(window, &if link { scene.to_owned() } else { format!("Scene: {scene}") });
    window.run_steps(3);
}

/// Counts the user's clicks in the test below, on buttons and in the view.
#[derive(Default)]
struct Clicks(usize);

impl Clicks {
    fn on(&mut self, window: &mut Window, label: &str) {
        self.0 += 1;
        click(window, label);
    }

    fn at(&mut self, window: &mut Window, x: f64, y: f64) {
        self.0 += 1;
        click_at(window, DVec3::new(x, y, 0.0));
    }
}

#[test]
#[cfg_attr(no_graphics, ignore = "needs a graphics adapter: install mesa-vulkan-drivers")]
fn r26_a_stick_ragdoll_is_drawn_from_nothing_and_falls() {
    let mut window = window(1440.0, 900.0);
    window.run_steps(2);
    let mut clicks = Clicks::default();
    clicks.on(&mut window, "Build & simulate");
    clicks.on(&mut window, "New");
    clicks.on(&mut window, "Draw");
    window.run_steps(2);
    // Head, neck, hip; then an arm and a leg of one side.
    for (x, y) in [(0.0, 1.75), (0.0, 1.45), (0.0, 1.45)] {
        clicks.at(&mut window, x, y);
    }
    for (x, y) in [(0.0, 1.45), (0.2, 1.4), (0.4, 1.15), (0.6, 0.95), (0.6, 0.95)] {
        clicks.at(&mut window, x, y);
    }
    for (x, y) in [(0.2, 1.4), (0.15, 0.95), (0.2, 0.5), (0.2, 0.1), (0.2, 0.1)] {
        clicks.at(&mut window, x, y);
    }
    for (x, y) in [(0.15, 0.95), (0.0, 1.45)] {
        clicks.at(&mut window, x, y);
    }
    clicks.on(&mut window, "Mirror figure");
    clicks.on(&mut window, "Stick");
    for (x, y) in [(0.15, 0.95), (-0.15, 0.95)] {
        clicks.at(&mut window, x, y);
    }
    picture(&mut window, "studio_draw");
    clicks.on(&mut window, "Triangle");
    for (x, y) in [(0.2, 1.4), (-0.2, 1.4), (0.15, 0.95)] {
        clicks.at(&mut window, x, y);
    }
    let figure = &document(&window).scene.points[0];
    assert_eq!(figure.positions.len(), 14, "{figure:?}");
    assert_eq!(figure.sticks.len(), 16, "{figure:?}");
    assert_eq!(figure.triangles.len(), 1);
    clicks.on(&mut window, "Select");
    clicks.on(&mut window, "Play");
    let before = run(&window).seen().measures[0].potential_energy;
    window.run_steps(60);
    let after = run(&window).seen().measures[0].potential_energy;
    assert!(after < 0.8 * before, "it does not fall: {before} J, then {after} J");
    eprintln!("a stick ragdoll from nothing: {} clicks", clicks.0);
    assert!(clicks.0 < 40);
    picture(&mut window, "studio_drawn_falls");
    for _ in 0..5 {
        window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
        window.run_steps(2);
    }
    assert!(document(&window).scene.points[0].triangles.is_empty());
}

#[test]
#[cfg_attr(no_graphics, ignore = "needs a graphics adapter: install mesa-vulkan-drivers")]
fn things_are_added_chosen_moved_copied_renamed_and_undone() {
    let mut window = window(1440.0, 900.0);
    window.run_steps(2);
    click(&mut window, "Build & simulate");
    click(&mut window, "New");
    for name in ["Box", "Ragdoll", "Rope"] {
        click(&mut window, "Add");
        if name == "Box" {
            picture(&mut window, "studio_palette");
        }
        click(&mut window, name);
    }
    click(&mut window, "box");
    picture(&mut window, "studio_build");
    let at = document(&window).scene.boxes[0].position;
    // The tip of the y arrow is a tenth of the view's height above the box.
    let (camera, _) = window.state().workspace.stage.eye.unwrap();
    let tip = at + DVec3::Y * 0.1 * camera.height_at_target();
    let (from, to) = (on_screen(&window, tip), on_screen(&window, tip + DVec3::Y * 0.5));
    drag(&mut window, from, to);
    let moved = document(&window).scene.boxes[0].position;
    assert!((moved - at - DVec3::Y * 0.5).length() < 0.02, "{at} to {moved}");
    assert!(run(&window).seen().tracks.iter().any(|track| track.name == "box"));
    click(&mut window, "Copy");
    assert_eq!(document(&window).scene.boxes[1].name, "box-2");
    click(&mut window, "Remove");
    assert_eq!(document(&window).scene.boxes.len(), 1);
    for _ in 0..3 {
        window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
        window.run_steps(2);
    }
    assert_eq!(document(&window).scene.boxes[0].position, at, "the drag is taken back at once");
}

#[test]
#[cfg_attr(no_graphics, ignore = "needs a graphics adapter: install mesa-vulkan-drivers")]
fn h22_what_runs_is_thrown_pushed_and_tuned_without_beginning_again() {
    let mut window = window(1440.0, 900.0);
    open(&mut window, "drop");
    click(&mut window, "Play");
    // The ragdoll is still falling, and no arm covers its hips.
    window.run_steps(15);
    let name = run(&window).seen().characters[0].0.clone();
    let hips = hips(&window);
    let (from, to) = (on_screen(&window, hips), on_screen(&window, hips + DVec3::Y * 1.0));
    move_to(&mut window, from);
    window.run_steps(2);
    button(&mut window, from, true, Modifiers::NONE);
    for share in 1..=10 {
        move_to(&mut window, from + (to - from) * (share as f32 / 10.0));
    }
    window.run_steps(30);
    assert!(run(&window).status().hand.is_some(), "{name} is held");
    picture(&mut window, "studio_hold");
    let up = self::hips(&window).y - hips.y;
    assert!(up > 0.3, "{up} m");
    button(&mut window, to, false, Modifiers::NONE);
    assert!(run(&window).status().hand.is_none());
    let clock = run(&window).status().clock;
    click(&mut window, "Moon");
    assert!(run(&window).status().clock > clock, "it begins again");
    let gravity = ask(&window, |world| world.particles().expect("particles").settings.gravity);
    assert_eq!(gravity.y, -1.62);
    window.run_steps(20);
    click(&mut window, "Pause");
    let hips = self::hips(&window);
    let (from, to) = (on_screen(&window, hips), on_screen(&window, hips) + vec2(80.0, 0.0));
    let before = run(&window).seen().measures[0].momentum;
    window.event(Event::PointerMoved(from));
    window.event(Event::ModifiersChanged(Modifiers::SHIFT));
    window.run_steps(1);
    button(&mut window, from, true, Modifiers::SHIFT);
    for share in 1..=4 {
        move_to(&mut window, from + (to - from) * (share as f32 / 4.0));
    }
    picture(&mut window, "studio_push");
    button(&mut window, to, false, Modifiers::SHIFT);
    window.event(Event::ModifiersChanged(Modifiers::NONE));
    let change = (run(&window).seen().measures[0].momentum - before).length();
    assert!(change > 5.0, "{change} N s");
    click(&mut window, "Play");
    click(&mut window, "Charts");
    window.run_steps(30);
    picture(&mut window, "studio_charts");
    click(&mut window, "Paper");
    window.run_steps(2);
    picture(&mut window, "studio_charts_light");
    done_again(&window);
}

/// Checks that the log contains every kind of input, and that the exported file replays to the same bits.
pub fn done_again(window: &Window) {
    let log = read_log(write_log(&run(window).log().expect("a run")).as_bytes()).expect("a log");
    let has = |is: fn(&Input) -> bool| log.inputs.iter().any(|(_, input)| is(input));
    assert!(has(|input| matches!(input, Input::Hold { .. })) && has(|input| matches!(input, Input::Pull { .. })));
    assert!(has(|input| matches!(input, Input::LetGo)) && has(|input| matches!(input, Input::Push { .. })));
    assert!(has(|input| matches!(input, Input::Tune(_))) && !log.marks.is_empty());
    replayed(window);
}

/// Checks that the run's log, replayed without a window, ends in the same state.
pub fn replayed(window: &Window) {
    let log = read_log(write_log(&run(window).log().expect("a run")).as_bytes()).expect("a log");
    let mut build =
        |scene: &Scene| load(scene, Path::new("")).and_then(|(assets, _)| World::new(scene.clone(), &assets));
    let again = log.replay(&mut build).map(|world| world.fingerprint()).expect("the same run");
    assert_eq!(again, ask(window, World::fingerprint));
}

#[test]
#[cfg_attr(no_graphics, ignore = "needs a graphics adapter: install mesa-vulkan-drivers")]
fn contacts_are_drawn_where_things_touch() {
    let mut window = window(1440.0, 900.0);
    open(&mut window, "drop");
    click(&mut window, "Contacts");
    click(&mut window, "Play");
    window.run_steps(70);
    click(&mut window, "Pause");
    let touches = ask(&window, World::touches);
    assert!(!touches.is_empty());
    assert_eq!(run(&window).frame().touches, touches);
    picture(&mut window, "studio_contacts");
}

pub fn hips(window: &Window) -> DVec3 {
    run(window).seen().characters[0].2.translation(0, 0)
}

#[test]
#[cfg_attr(no_graphics, ignore = "needs a graphics adapter: install mesa-vulkan-drivers")]
fn a_run_is_recorded_and_shown_as_a_motion() {
    let mut window = window(1440.0, 900.0);
    open(&mut window, "drop");
    click(&mut window, "Record");
    window.run_steps(60);
    click(&mut window, "Stop recording");
    click(&mut window, "Show in Motion");
    window.run_steps(3);
    assert_eq!(window.state().shown(), RoomName::Motion);
    let motion = window.state().workspace.motions.current().expect("a motion");
    assert!(motion.motion.prepared.clip.frames() > 50, "{}", motion.motion.prepared.clip.frames());
    picture(&mut window, "studio_recorded");
}

#[test]
#[cfg_attr(no_graphics, ignore = "needs a graphics adapter: install mesa-vulkan-drivers")]
fn h22_feedback_is_tuned_while_it_runs_and_a_fault_is_a_sentence() {
    let mut window = window(1440.0, 900.0);
    open(&mut window, "chain");
    let mut scene = (*document(&window).scene).clone();
    scene.solver.method = muybridge::simulation::scene::Method::Hennix;
    let stage = &mut window.state_mut().workspace.stage;
    let edit = muybridge_studio::stage::SceneEdit {
        name: "Change method",
        gesture: None,
        keep: muybridge_studio::stage::Keep::Start,
    };
    stage.edit(edit, scene.clone(), muybridge_studio::job::JobMode::AtOnce, &eframe::egui::Context::default());
    window.run_steps(3);
    assert!(window.query_all_by_label("k_s given").count() > 0);
    click(&mut window, "Play");
    window.run_steps(30);
    let studio = picture(&mut window, "studio_hennix");
    // The chapter on Hennix et al. shows its window of inputs.
    save(&crop_imm(&studio, 1112, 33, 328, 572).to_image(), "hennix_inputs");
    scene.setting.rate = -1.0;
    let stage = &mut window.state_mut().workspace.stage;
    stage.edit(edit, scene, muybridge_studio::job::JobMode::AtOnce, &eframe::egui::Context::default());
    window.run_steps(3);
    let sentence = window.state().workspace.stage.fault_sentence().expect("a fault");
    assert!(sentence.contains("rate"), "{sentence}");
    picture(&mut window, "studio_fault");
    click(&mut window, "New");
    picture(&mut window, "studio_unsaved_scene");
    click(&mut window, "Keep this scene");
    assert!(document(&window).is_changed());
}

#[test]
#[cfg_attr(no_graphics, ignore = "needs a graphics adapter: install mesa-vulkan-drivers")]
fn a_target_is_dragged_and_a_plan_is_changed_while_the_log_tells_what_happens() {
    let mut window = window(1440.0, 900.0);
    open(&mut window, "arm");
    click(&mut window, "Behavior");
    click(&mut window, "reach b");
    picture(&mut window, "studio_behavior");
    let at = document(&window).scene.actions[1].to.expect("a goal");
    let (from, to) = (on_screen(&window, at), on_screen(&window, at) + vec2(60.0, -40.0));
    drag(&mut window, from, to);
    let moved = document(&window).scene.actions[1].to.expect("a goal");
    let seen = on_screen(&window, moved);
    assert!(seen.distance(to) < 3.0, "{at} to {moved}: {seen:?}, not {to:?}");
    window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    window.run_steps(2);
    assert_eq!(document(&window).scene.actions[1].to, Some(at));
    click(&mut window, "reach");
    click(&mut window, "+ step");
    assert_eq!(document(&window).scene.plans[0].steps.len(), 5);
    click(&mut window, "Play");
    window.run_steps(120);
    window.run_steps(120);
    assert!(run(&window).seen().log.iter().any(|entry| entry.name == "reach b"), "{:?}", run(&window).seen().log);
    picture(&mut window, "studio_behavior_log");
    click(&mut window, "Paper");
    window.run_steps(2);
    picture(&mut window, "studio_behavior_light");
    click(&mut window, "Add action");
    assert_eq!(document(&window).scene.actions.len(), 5);
}

/// All messages so far, oldest first.
fn told(window: &Window) -> Vec<String> {
    window.state().workspace.messages.all().iter().map(|message| message.text.clone()).collect()
}

/// Log of a falling ragdoll that is pushed after half a second, then under the moon's gravity, up to step 90.
fn log_of_a_run() -> InputLog {
    let scene = muybridge_files::scene::read(built_in::text("drop").expect("a scene").as_bytes()).expect("a scene");
    let (assets, _) = load(&scene, Path::new("")).expect("its files");
    let mut run = LoggedWorld::new(World::new(scene.clone(), &assets).expect("a world"), 20);
    (0..30).for_each(|_| run.step());
    let part = PartPath::from(scene.ragdolls[0].name.as_str());
    run.push(&part, DVec3::Y, DVec3::new(60.0, 80.0, 0.0)).unwrap();
    (0..30).for_each(|_| run.step());
    let mut moon = scene;
    moon.setting.gravity = DVec3::NEG_Y * 1.62;
    run.tune(&moon);
    (0..30).for_each(|_| run.step());
    run.log()
}

fn open_log(window: &mut Window, name: &str, log: &InputLog) {
    window.state_mut().workspace.request(Request::Open(FileToOpen::with(name, write_log(log).into_bytes())));
    window.run_steps(4);
}

#[test]
#[cfg_attr(no_graphics, ignore = "needs a graphics adapter: install mesa-vulkan-drivers")]
fn h22_a_log_that_is_opened_is_done_again_and_the_window_says_whether_the_bits_agree() {
    let mut window = window(1440.0, 900.0);
    let log = log_of_a_run();
    open_log(&mut window, "drop_log.toml", &log);
    assert_eq!((window.state().shown(), document(&window).path.clone()), (RoomName::Simulate, None));
    assert!(run(&window).is_playing() && run(&window).status().replayed == Some(90));
    window.get_by_label("replay to 90");
    picture(&mut window, "studio_replay");
    window.run_steps(100);
    let done = "The log was replayed, 90 steps with 2 inputs; the state has the same bits up to step 90.";
    assert_eq!(told(&window).last().map(String::as_str), Some(done));
    assert!(!run(&window).is_playing() && run(&window).status().replayed.is_none());
    assert_eq!(ask(&window, World::fingerprint), log.end.expect("an end").1);
    // The panels show the replayed settings, and the run's log has the inputs of the opened log.
    assert_eq!(document(&window).scene.setting.gravity.y, -1.62);
    assert_eq!(run(&window).log().expect("a run").inputs, log.inputs);
    assert!(!document(&window).is_changed());
    // A reset replays it from the start, with the settings of that time.
    click(&mut window, "Reset");
    assert_eq!(
        (run(&window).status().steps, document(&window).scene.setting.gravity.y),
        (0, log.scene.setting.gravity.y)
    );
    click(&mut window, "Play");
    window.run_steps(100);
    assert_eq!(told(&window).iter().filter(|told| *told == done).count(), 2);
}

#[test]
#[cfg_attr(no_graphics, ignore = "needs a graphics adapter: install mesa-vulkan-drivers")]
fn h22_a_log_of_another_run_says_where_it_first_differs_and_one_without_its_scene_asks_for_it() {
    let mut window = window(1440.0, 900.0);
    let mut other = log_of_a_run();
    if let Input::Push { impulse, .. } = &mut other.inputs[0].1 {
        impulse.x += 1e-3;
    }
    open_log(&mut window, "other_log.toml", &other);
    window.run_steps(50);
    // The push comes before step 30, so the state hash after step 40 is the first to differ.
    let differs = "the replay differs after 40 steps; after 20 it did not yet";
    assert_eq!(told(&window).last(), Some(&format!("The replay differs from the logged run: {differs}.")));
    window.run_steps(60);
    let verdict =
        format!("The log was replayed, 90 steps with 2 inputs, but the result differs from the logged run: {differs}.");
    assert_eq!(told(&window).last(), Some(&verdict));
    // An input by the user ends the replay.
    click(&mut window, "Reset");
    window.run_steps(1);
    let scene = document(&window).scene.clone();
    let document = window.state_mut().workspace.stage.document.as_mut().expect("a scene");
    document.run.as_mut().expect("a run").tune(&scene);
    window.run_steps(2);
    assert!(told(&window).last().is_some_and(|told| told.starts_with("The replay ended at step 0 of 90")));
    open_log(&mut window, "bare_log.toml", &InputLog { scene: Scene::default(), ..other });
    let told = told(&window).pop().expect("a sentence");
    assert!(told.starts_with("bare_log.toml: this log holds the inputs of a run, but not its scene"), "{told}");
    assert_eq!(self::document(&window).name, "other_log_scene.toml", "what was open stays");
}
