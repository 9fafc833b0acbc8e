//! Paused runs are saved and continued in another window.

use std::path::{Path, PathBuf};

use eframe::egui::Key;
use muybridge::simulation::World;
use muybridge_studio::rooms::RoomName;
use muybridge_studio::workspace::{FileToOpen, Request};

use crate::documents::save_at;
use crate::mouse;
use crate::scenes::{ask, click, document, hips, on_screen, open, run};
use crate::window::{Window, picture, window};

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("muybridge-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// A window with a file open.
fn opened(path: &Path) -> Window {
    let mut window = window(1440.0, 900.0);
    window.state_mut().workspace.request(Request::Open(FileToOpen::file(path)));
    window.run_steps(4);
    window
}

fn latest(window: &Window) -> String {
    window.state().workspace.messages.latest().map(|message| message.text.clone()).unwrap_or_default()
}

/// Presses the step key a number of times.
pub fn step(window: &mut Window, times: usize) {
    for _ in 0..times {
        window.key_press(Key::ArrowRight);
        window.run_steps(1);
    }
}

#[test]
#[cfg_attr(no_graphics, ignore = "needs a graphics adapter: install mesa-vulkan-drivers")]
fn h22_a_paused_run_that_is_saved_comes_back_as_it_stood_and_goes_on_with_the_same_bits() {
    let mut window = window(1440.0, 900.0);
    let folder = folder("paused");
    let path = folder.join("fall.toml");
    open(&mut window, "drop");
    step(&mut window, 20);
    let at = on_screen(&window, hips(&window));
    mouse::push(&mut window, at);
    click(&mut window, "Moon");
    step(&mut window, 25);
    save_at(&mut window, RoomName::Simulate, &path);
    let (saved, status) = (ask(&window, World::save), *run(&window).status());
    step(&mut window, 8);
    let later = ask(&window, World::save);
    assert!(saved != later);
    drop(window);

    let mut again = opened(&path);
    assert!(ask(&again, World::save) == saved, "it stands elsewhere");
    let now = *run(&again).status();
    assert_eq!((now.steps, now.clock, now.playing), (status.steps, status.clock, false));
    assert!(!document(&again).is_changed());
    assert!(latest(&again).contains(&format!("step {}, as it was saved", status.steps)), "{}", latest(&again));
    picture(&mut again, "studio_resumed");
    step(&mut again, 8);
    assert!(ask(&again, World::save) == later, "it goes on as another run");
    // The log still holds all inputs since the start, so a reset repeats the same run.
    crate::scenes::replayed(&again);
    click(&mut again, "Reset");
    assert_eq!(run(&again).status().steps, 0);
    // A run saved at its start also opens at its start.
    save_at(&mut again, RoomName::Simulate, &path);
    let again = opened(&path);
    assert_eq!(run(&again).status().steps, 0);
    std::fs::remove_dir_all(&folder).expect("its end");
}

#[test]
#[cfg_attr(no_graphics, ignore = "needs a graphics adapter: install mesa-vulkan-drivers")]
fn h22_runs_of_bodies_plans_cloth_and_herds_come_back_as_they_stood() {
    for scene in ["arm", "cloth_on_ragdoll", "herd"] {
        let mut window = window(1440.0, 900.0);
        let folder = folder(scene);
        let path = folder.join("scene.toml");
        open(&mut window, &scene.replace('_', " "));
        step(&mut window, 12);
        save_at(&mut window, RoomName::Simulate, &path);
        let saved = ask(&window, World::save);
        step(&mut window, 3);
        let later = ask(&window, World::save);
        let mut again = opened(&path);
        assert!(ask(&again, World::save) == saved, "{scene} stands elsewhere");
        step(&mut again, 3);
        assert!(ask(&again, World::save) == later, "{scene} goes on as another run");
        std::fs::remove_dir_all(&folder).expect("its end");
    }
}

#[test]
#[cfg_attr(no_graphics, ignore = "needs a graphics adapter: install mesa-vulkan-drivers")]
fn a_scene_that_was_changed_outside_begins_at_its_start_and_says_so() {
    let mut window = window(1440.0, 900.0);
    let folder = folder("changed");
    let path = folder.join("fall.toml");
    open(&mut window, "drop");
    step(&mut window, 5);
    save_at(&mut window, RoomName::Simulate, &path);
    let text = std::fs::read_to_string(&path).expect("a scene");
    std::fs::write(&path, format!("{text}\n[[ball]]\nname = \"new\"\n")).expect("a scene");
    let again = opened(&path);
    assert_eq!(run(&again).status().steps, 0);
    assert!(latest(&again).contains("fall.run.toml: belongs to another scene"), "{}", latest(&again));
    std::fs::remove_dir_all(&folder).expect("its end");
}
