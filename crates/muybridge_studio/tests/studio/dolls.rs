//! Ragdolls made of the motion in the Motion room with one click, whether the motion is in a file or not.

use eframe::egui::Modifiers;
use muybridge::glam::DVec3;
use muybridge::samples;
use muybridge_studio::motions::MotionDocument;
use muybridge_studio::rooms::RoomName;
use muybridge_studio::workspace::{FileToOpen, Request};

use crate::documents::save_at;
use crate::scenes::{click, document, hips, run};
use crate::window::{Window, picture, window};

fn motion(window: &Window) -> &MotionDocument {
    window.state().workspace.motions.current().expect("a motion")
}

/// Moves the cursor past the take-off, into a part where everything moves.
fn into_the_flight(window: &mut Window) {
    let span = motion(window).motion.analysis.flights[0].span;
    let shown = window.state_mut().workspace.motions.current_mut().expect("a motion");
    shown.timeline.go_to(span.first + 4);
    window.run_steps(2);
}

/// Checks that the last ragdoll has the pose at the cursor. If it is the only one, its center of mass must have the
/// velocity that the analysis gives.
fn goes_on_from_the_cursor(window: &Window) {
    let shown = motion(window);
    let (frame, centers) = (shown.timeline.frame(), &shown.motion.analysis.per_frame.mass_center);
    let floor = shown.motion.analysis.floor.expect("a floor");
    let place = shown.motion.world.position(0, frame) - DVec3::Y * floor;
    let (character, clip) = run(window).seen().characters.last().map(|(_, who, clip)| (who, clip)).expect("a ragdoll");
    assert_eq!(character.skeleton.len(), shown.motion.prepared.character.skeleton.len());
    let off = clip.translation(0, 0).distance(place);
    // glTF stores `f32`: errors are one part in ten million of a meter or two.
    assert!(off < 1e-6, "{off} m");
    if run(window).seen().characters.len() > 1 {
        return;
    }
    let seconds = 2.0 * shown.motion.prepared.clip.frame_time;
    let expected = (centers[frame + 1].expect("a place") - centers[frame - 1].expect("a place")) / seconds;
    let velocity = run(window).seen().measures[0].momentum / run(window).status().mass;
    assert!(velocity.distance(expected) < 0.03 * expected.length(), "{velocity} m/s, not {expected}");
    assert!(expected.length() > 0.5, "it tells nothing where nothing moves");
}

#[test]
#[cfg_attr(no_graphics, ignore = "needs a graphics adapter: install mesa-vulkan-drivers")]
fn a_ragdoll_goes_on_from_a_motion_in_no_file_with_one_click_and_falls() {
    let mut window = window(1440.0, 900.0);
    window.run_steps(2);
    click(&mut window, "Sample: a floating jump");
    into_the_flight(&mut window);
    click(&mut window, "Make a ragdoll");
    let told = window.state().workspace.messages.latest().map(|message| message.text.clone());
    assert_eq!(window.state().shown(), RoomName::Simulate, "{told:?}");
    assert_eq!(window.state().workspace.stage.fault_sentence(), None);
    goes_on_from_the_cursor(&window);
    assert!(document(&window).is_changed(), "it is in no file of the person's");
    // The scene shows the embedded file by its name only.
    click(&mut window, "doll");
    assert!(document(&window).scene.ragdolls[0].character.starts_with("data:;name=floating_jump.glb;base64,"));
    picture(&mut window, "studio_from_motion");
    let before = hips(&window);
    click(&mut window, "Play");
    window.run_steps(60);
    assert!(hips(&window).y < before.y - 0.2, "{before} to {}", hips(&window));
    click(&mut window, "Pause");
    // The saved scene contains the motion, so it loads from any folder.
    let folder = std::env::temp_dir().join(format!("muybridge-doll-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    save_at(&mut window, RoomName::Simulate, &folder.join("fall.toml"));
    let scene = muybridge_files::scene::read(&std::fs::read(folder.join("fall.toml")).expect("it")).expect("a scene");
    assert_eq!(scene, *document(&window).scene);
    assert!(muybridge_files::scene::load(&scene, std::path::Path::new("/")).is_ok());
    std::fs::remove_dir_all(&folder).expect("its end");
}

#[test]
#[cfg_attr(no_graphics, ignore = "needs a graphics adapter: install mesa-vulkan-drivers")]
fn a_corrected_motion_that_is_not_saved_is_what_falls_and_in_build_it_is_one_click_too() {
    let mut window = window(1440.0, 900.0);
    window.run_steps(2);
    click(&mut window, "Sample: a floating jump");
    click(&mut window, "Fix all");
    window.run_steps(3);
    assert!(motion(&window).is_changed());
    into_the_flight(&mut window);
    click(&mut window, "Build & simulate");
    click(&mut window, "New");
    click(&mut window, "From Motion");
    goes_on_from_the_cursor(&window);
    // Also from the palette, and with the key.
    click(&mut window, "Add");
    click(&mut window, "Ragdoll of the motion");
    click(&mut window, "Add");
    click(&mut window, "The same at rest");
    click(&mut window, "Motion");
    window.key_press_modifiers(Modifiers::COMMAND, eframe::egui::Key::R);
    window.run_steps(4);
    assert_eq!(window.state().shown(), RoomName::Simulate);
    goes_on_from_the_cursor(&window);
    let dolls = &document(&window).scene.ragdolls;
    let clips: Vec<bool> = dolls.iter().map(|doll| doll.clip.is_empty()).collect();
    assert_eq!(clips, [false, false, true, false]);
    window.key_press_modifiers(Modifiers::COMMAND, eframe::egui::Key::Z);
    window.run_steps(3);
    assert_eq!(document(&window).scene.ragdolls.len(), 3);
}

#[test]
#[cfg_attr(no_graphics, ignore = "needs a graphics adapter: install mesa-vulkan-drivers")]
fn a_motion_that_is_in_a_file_is_named_and_not_copied() {
    let mut window = window(1440.0, 900.0);
    let folder = std::env::temp_dir().join(format!("muybridge-named-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join("jump.bvh");
    std::fs::write(&path, crate::written::bvh(samples::jump())).expect("a file");
    window.state_mut().workspace.request(Request::Open(FileToOpen::file(&path)));
    window.run_steps(4);
    into_the_flight(&mut window);
    click(&mut window, "Make a ragdoll");
    assert_eq!(std::path::Path::new(&document(&window).scene.ragdolls[0].character), path);
    goes_on_from_the_cursor(&window);
    std::fs::remove_dir_all(&folder).expect("its end");
}
