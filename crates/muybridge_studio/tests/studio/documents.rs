//! Documents: saving, undo, recovery, dropped files, and files with errors.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use eframe::egui::{DroppedFile, Key, Modifiers};
use muybridge::motion::TimeMap;
use muybridge::samples;
use muybridge::simulation::scene::{Points, Scene};
use muybridge_studio::documents::Documents;
use muybridge_studio::rooms::RoomName;
use muybridge_studio::workspace::{FileToOpen, Request};

use crate::scenes::{ask, click, document, open, run};
use crate::window::{Window, picture, window};

/// Saves the document of a room to `path`, as the file dialog would.
pub fn save_at(window: &mut Window, room: RoomName, path: &Path) {
    let workspace = &mut window.state_mut().workspace;
    let documents: &mut dyn Documents =
        if room == RoomName::Motion { &mut workspace.motions } else { &mut workspace.stage };
    let saving = documents.save(true).expect("a document");
    muybridge_studio::files::save(path, &saving).expect("a file");
    documents.saved(path, &saving.tickets);
    window.run_steps(3);
}

/// A file dropped on the window.
#[derive(Debug)]
struct OnDisk(PathBuf);

impl DroppedFile for OnDisk {
    fn path(&self) -> &Path {
        &self.0
    }

    fn bytes(&self) -> Result<Vec<u8>, String> {
        std::fs::read(&self.0).map_err(|error| error.to_string())
    }
}

fn recovered(name: &str, bytes: &[u8]) -> FileToOpen {
    FileToOpen { is_recovered: true, ..FileToOpen::with(name, bytes.to_vec()) }
}

#[test]
#[cfg_attr(no_graphics, ignore = "needs a graphics adapter: install mesa-vulkan-drivers")]
fn what_is_saved_is_what_was_asked_for_whatever_is_shown_when_the_dialog_is_answered() {
    let mut window = window(1280.0, 800.0);
    open(&mut window, "drop");
    click(&mut window, "Add");
    click(&mut window, "Box");
    let saving = window.state().workspace.stage.save(true).expect("a scene");
    click(&mut window, "Add");
    click(&mut window, "Box");
    let folder = std::env::temp_dir().join(format!("muybridge-saved-{}", std::process::id()));
    let path = folder.join("mine.toml");
    window.state_mut().workspace.stage.saved(&path, &saving.tickets);
    assert!(document(&window).is_changed(), "the second box is in no file");
    // If another scene is open by now, it does not take the name that the first was saved under.
    let text = muybridge_files::scene::built_in::text("rope").expect("a scene");
    window.state_mut().workspace.stage.document = None;
    window.state_mut().workspace.request(Request::Open(FileToOpen::with("other.toml", text.into())));
    window.run_steps(4);
    window.state_mut().workspace.stage.saved(&path, &saving.tickets);
    assert_eq!((document(&window).name.as_str(), &document(&window).path), ("other.toml", &None));
}

#[test]
#[cfg_attr(no_graphics, ignore = "needs a graphics adapter: install mesa-vulkan-drivers")]
fn what_was_recovered_is_in_no_file_until_it_is_saved() {
    let mut window = window(1280.0, 800.0);
    let text = muybridge_files::scene::built_in::text("drop").expect("a scene");
    window.state_mut().workspace.request(Request::Open(recovered("drop.toml", text.as_bytes())));
    window.run_steps(4);
    assert!(document(&window).is_changed());
    let jump = crate::written::bvh(samples::jump());
    window.state_mut().workspace.request(Request::Open(recovered("jump.bvh", &jump)));
    window.run_steps(4);
    let motions = &window.state().workspace.motions;
    assert!(motions.current().is_some_and(|motion| motion.is_changed() && motion.file_now().is_none()));
    assert_eq!(window.state().workspace.unsaved().len(), 2);
}

#[test]
#[cfg_attr(no_graphics, ignore = "needs a graphics adapter: install mesa-vulkan-drivers")]
fn a_scene_with_a_fault_is_opened_to_be_mended() {
    let mut window = window(1280.0, 800.0);
    let text = b"[scene]\nground = 0.0\n[[box]]\nname = \"crate\"\nsize = [0.0, 1.0, 1.0]\n";
    window.state_mut().workspace.request(Request::Open(FileToOpen::with("crate.toml", text.to_vec())));
    window.run_steps(4);
    let stage = &window.state().workspace.stage;
    let told = window.state().workspace.messages.latest().map(|message| message.text.clone()).unwrap_or_default();
    assert!(told.contains("crate.toml:5") && stage.fault_sentence().is_some(), "{told}");
    assert_eq!(document(&window).scene.boxes.len(), 1);
    picture(&mut window, "studio_fault_opened");
}

#[test]
#[cfg_attr(no_graphics, ignore = "needs a graphics adapter: install mesa-vulkan-drivers")]
fn r26_what_is_undone_is_done_again_and_gravity_is_undone_while_it_runs() {
    let mut window = window(1280.0, 800.0);
    open(&mut window, "drop");
    click(&mut window, "Play");
    window.run_steps(30);
    click(&mut window, "Pause");
    let before = (document(&window).scene.clone(), run(&window).status().steps);
    let mut moon = Scene::clone(&before.0);
    moon.setting.gravity *= 0.1;
    let context = window.ctx.clone();
    let edit = muybridge_studio::stage::SceneEdit {
        name: "Gravity",
        gesture: None,
        keep: muybridge_studio::stage::Keep::State,
    };
    let running = window.state().workspace.running;
    window.state_mut().workspace.stage.edit(edit, moon.clone(), running, &context);
    window.run_steps(3);
    window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    window.run_steps(3);
    assert_eq!(document(&window).scene, before.0);
    assert_eq!(run(&window).status().steps, before.1, "the run began again");
    window.key_press_modifiers(Modifiers::COMMAND | Modifiers::SHIFT, Key::Z);
    window.run_steps(3);
    assert_eq!(*document(&window).scene, moon);
    assert_eq!(ask(&window, |world| world.scene().setting.gravity), moon.setting.gravity);
}

#[test]
#[cfg_attr(no_graphics, ignore = "needs a graphics adapter: install mesa-vulkan-drivers")]
fn files_dropped_on_the_window_are_opened() {
    let mut window = window(1280.0, 800.0);
    let folder = std::env::temp_dir().join(format!("muybridge-dropped-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join("jump.bvh");
    std::fs::write(&path, crate::written::bvh(samples::jump())).expect("a file");
    window.input_mut().dropped_files.push(Arc::new(OnDisk(path.clone())));
    window.run_steps(4);
    let motion = window.state().workspace.motions.current().expect("an open motion");
    assert_eq!((motion.name.as_str(), motion.file_now()), ("jump.bvh", Some(path.as_path())));
    std::fs::remove_dir_all(&folder).expect("its end");
}

#[test]
#[cfg_attr(no_graphics, ignore = "needs a graphics adapter: install mesa-vulkan-drivers")]
fn s11_a_flight_beyond_the_sliders_is_not_changed_by_the_cursor_that_comes_into_it() {
    let mut window = window(1280.0, 800.0);
    // The flight of the jump compressed to four intervals of 1/60 s.
    let jump = samples::jump();
    let short = TimeMap::stretched(jump.frames(), 66, 91, 4).expect("a map").apply(&jump);
    window.state_mut().workspace.request(Request::Open(FileToOpen::with("short.bvh", crate::written::bvh(short))));
    window.run_steps(4);
    let motions = |window: &Window| window.state().workspace.motions.current().expect("a motion").history.revision();
    for frame in 60..80 {
        let list = &mut window.state_mut().workspace.motions;
        list.current_mut().expect("a motion").timeline.go_to(frame);
        window.run_steps(2);
    }
    assert_eq!(motions(&window), 0);
}

#[test]
fn points_with_velocities_of_some_are_mirrored() {
    let mut scene = Scene::default();
    let points = Points {
        name: "figure".into(),
        positions: vec![muybridge::glam::DVec3::X, muybridge::glam::DVec3::Y],
        velocities: vec![muybridge::glam::DVec3::X],
        masses: vec![1.0, 2.0, 3.0],
        ..Points::default()
    };
    scene.points.push(points);
    muybridge_studio::rooms::simulate::draft::mirror(&mut scene.points[0]);
    assert_eq!(scene.points[0].positions.len(), 3);
}

#[test]
#[cfg_attr(no_graphics, ignore = "needs a graphics adapter: install mesa-vulkan-drivers")]
fn a_scene_that_names_files_beside_it_means_the_same_where_it_is_saved() {
    let mut window = window(1280.0, 800.0);
    let folder = std::env::temp_dir().join(format!("muybridge-beside-{}", std::process::id()));
    let other = folder.join("other");
    std::fs::create_dir_all(&other).expect("folders");
    std::fs::write(folder.join("hero.bvh"), crate::written::bvh(samples::jump())).expect("a file");
    let text = "[scene]\nground = 0.0\n[[ragdoll]]\nname = \"hero\"\ncharacter = \"hero.bvh\"\n";
    let path = folder.join("scene.toml");
    std::fs::write(&path, text).expect("a file");
    window.state_mut().workspace.request(Request::Open(FileToOpen::file(&path)));
    window.run_steps(4);
    assert_eq!(run(&window).seen().characters.len(), 1);
    // Saved in the same folder, the relative path stays.
    let saving = window.state().workspace.stage.save(false).expect("a scene");
    assert!(String::from_utf8_lossy(&saving.bytes).contains("\"hero.bvh\""));
    let elsewhere = other.join("moved.toml");
    save_at(&mut window, RoomName::Simulate, &elsewhere);
    let again = window.state().workspace.stage.save(false).expect("a scene");
    for bytes in [std::fs::read(&elsewhere).expect("it"), again.bytes] {
        let scene = muybridge_files::scene::read(&bytes).expect("a scene");
        assert!(
            muybridge_files::scene::load_with(&scene, &other, &muybridge_files::AllowedFiles::everywhere()).is_ok(),
            "{}",
            scene.ragdolls[0].character
        );
    }
    std::fs::remove_dir_all(&folder).expect("its end");
}
