//! Drawing tools, a push while the Behavior room is shown, and recovery after a kill.

use std::path::Path;

use crate::mouse::{self, button, drag, move_to};
use crate::scenes::{click, document, hips, on_screen, open, run};
use crate::window::{Window, picture, window, window_in};
use eframe::egui::{Key, Modifiers};
use muybridge::glam::DVec3;
use muybridge::simulation::scene::Points;
use muybridge_studio::documents::Documents;
use muybridge_studio::workspace::{FileToOpen, Request};

fn click_at(window: &mut Window, x: f64, y: f64) {
    let at = on_screen(window, DVec3::new(x, y, 0.0));
    move_to(window, at);
    button(window, at, true, Modifiers::NONE);
    button(window, at, false, Modifiers::NONE);
    window.run_steps(2);
}

fn figure(window: &Window) -> &Points {
    &document(window).scene.points[0]
}

#[test]
#[cfg_attr(no_graphics, ignore = "needs a graphics adapter: install mesa-vulkan-drivers")]
fn r26_strings_pins_limits_moved_and_erased_points_are_drawn_and_a_pinned_figure_hangs() {
    let mut window = window(1440.0, 900.0);
    window.run_steps(2);
    ["Build & simulate", "New", "Draw", "String"].into_iter().for_each(|name| click(&mut window, name));
    for (x, y) in [(0.0, 1.8), (0.0, 1.5), (0.0, 1.5)] {
        click_at(&mut window, x, y);
    }
    assert_eq!((figure(&window).strings.len(), figure(&window).sticks.len()), (1, 0));
    click(&mut window, "Stick");
    for (x, y) in [(0.0, 1.5), (0.4, 1.5), (0.4, 1.0), (0.0, 1.0), (0.0, 1.5)] {
        click_at(&mut window, x, y);
    }
    click(&mut window, "End line");
    click_at(&mut window, 0.0, 1.0);
    click_at(&mut window, -0.4, 1.0);
    click(&mut window, "Move");
    let (from, to) = (on_screen(&window, DVec3::new(0.4, 1.0, 0.0)), on_screen(&window, DVec3::new(0.5, 0.9, 0.0)));
    drag(&mut window, from, to);
    let moved = figure(&window).positions[3];
    assert!(moved.distance(DVec3::new(0.5, 0.9, 0.0)) < 0.026, "{moved}: places are multiples of 5 cm");
    let before = figure(&window).positions.len();
    click(&mut window, "Erase");
    click_at(&mut window, -0.4, 1.0);
    assert_eq!((figure(&window).positions.len(), figure(&window).sticks.len()), (before - 1, 4));
    click(&mut window, "Triangle");
    for (x, y) in [(0.0, 1.5), (0.4, 1.5), (0.0, 1.0), (0.4, 1.5), (0.5, 0.9), (0.0, 1.0)] {
        click_at(&mut window, x, y);
    }
    assert_eq!(figure(&window).triangles.len(), 2);
    click(&mut window, "Pin");
    click_at(&mut window, 0.0, 1.8);
    assert_eq!(figure(&window).fixed, [0]);
    click(&mut window, "Limit");
    let limit = &document(&window).scene.limits[0];
    assert_eq!((limit.first, limit.second), (0, 1));
    assert_eq!(window.state().workspace.stage.fault_sentence(), None);
    picture(&mut window, "studio_tools");
    click(&mut window, "Select");
    click(&mut window, "Play");
    window.run_steps(90);
    // The figure hangs: the pin stays in place, the string is at most as long as drawn, and nothing lies on the
    // ground.
    let places = |window: &Window| {
        let particles =
            crate::scenes::ask(window, |world| world.particles().expect("particles").state.positions.clone());
        [particles[0], particles[1]]
    };
    let [pin, end] = places(&window);
    assert!(pin.distance(DVec3::new(0.0, 1.8, 0.0)) < 1e-9, "{pin}");
    assert!(pin.distance(end) < 0.3 * 1.01, "{} m", pin.distance(end));
}

#[test]
#[cfg_attr(no_graphics, ignore = "needs a graphics adapter: install mesa-vulkan-drivers")]
fn what_acts_is_pushed_by_the_mouse_while_its_behavior_is_looked_at() {
    let mut window = window(1440.0, 900.0);
    open(&mut window, "drop");
    click(&mut window, "Behavior");
    click(&mut window, "Play");
    window.run_steps(10);
    click(&mut window, "Pause");
    let at = on_screen(&window, hips(&window));
    let momentum = |window: &Window| run(window).seen().measures[0].momentum;
    let before = momentum(&window);
    mouse::push(&mut window, at);
    let change = momentum(&window) - before;
    assert!(change.length() > 5.0, "{change} N s");
}

#[test]
#[cfg_attr(no_graphics, ignore = "needs a graphics adapter: install mesa-vulkan-drivers")]
fn what_a_killed_program_had_open_is_offered_on_the_start_page_and_opened_again() {
    let folder = std::env::temp_dir().join(format!("muybridge-killed-{}", std::process::id()));
    let mut window = window_in(&folder);
    click(&mut window, "Scene: drop");
    click(&mut window, "Add");
    click(&mut window, "Box");
    let scene = document(&window).scene.clone();
    // The backup is made within five seconds.
    (0..6).for_each(|_| window.run_steps(60));
    // A killed program runs no cleanup: its backup stays on disk, and nobody holds the lock.
    let runs = folder.join("recovery");
    let own = std::fs::read_dir(&runs).expect("a folder").next().expect("that of this run").expect("its name").path();
    let killed = runs.join("killed");
    std::fs::create_dir(&killed).expect("a folder");
    for file in std::fs::read_dir(own).expect("what is kept") {
        let file = file.expect("a file").path();
        std::fs::copy(&file, killed.join(file.file_name().expect("a name"))).expect("a copy");
    }
    drop(window);
    let mut again = window_in(&folder);
    assert_eq!(again.state().workspace.left.len(), 1);
    picture(&mut again, "studio_left");
    click(&mut again, "Recover");
    again.run_steps(3);
    assert_eq!(*document(&again).scene, *scene);
    assert!(document(&again).is_changed(), "it is in no file of the person's");
    again.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    again.run_steps(2);
    assert_eq!(*document(&again).scene, *scene, "there is nothing before it");
    drop(again);
    let _ = std::fs::remove_dir_all(&folder);
}

#[test]
#[cfg_attr(no_graphics, ignore = "needs a graphics adapter: install mesa-vulkan-drivers")]
fn an_fbx_is_corrected_and_comes_out_as_a_glb() {
    let mut window = window(1280.0, 800.0);
    let ball = include_bytes!("../../../muybridge_files/src/fbx/ball.fbx");
    window.state_mut().workspace.request(Request::Open(FileToOpen::with("ball.fbx", ball.to_vec())));
    window.run_steps(6);
    let motions = &window.state().workspace.motions;
    let shown = motions.current().expect("a motion");
    assert_eq!(shown.name, "ball.fbx");
    let saving = motions.save(true).expect("a file");
    assert_eq!(saving.name, "ball_fixed.glb");
    let again = muybridge_files::open::decode(Path::new(&saving.name), saving.bytes, &Default::default());
    let again = again.expect("a GLB").imported;
    assert_eq!(again.clips[0].frames(), shown.motion.prepared.clip.frames());
}
