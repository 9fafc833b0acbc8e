//! The Motion room by mouse and keys: camera, time line, skins, several open files, and saving.

use std::path::Path;

use eframe::egui::{Event, Key, Modifiers, MouseWheelSource, MouseWheelUnit, Pos2, TouchPhase, vec2};
use muybridge::glam::DVec3;
use muybridge_files::open::{self, OpenOptions, SourceDocument};
use muybridge_studio::documents::Documents;
use muybridge_studio::timeline::Timeline;
use muybridge_studio::view::OrbitCamera;
use muybridge_studio::workspace::{FileToOpen, Request};

use crate::mouse::{drag, move_to};
use crate::scenes::click;
use crate::test_files;
use crate::window::{Window, drawn, window};

/// A window with the sample's motion.
fn sample() -> Window {
    let mut window = window(1280.0, 800.0);
    click(&mut window, "Sample: a floating jump");
    window.run_steps(3);
    window
}

fn camera(window: &Window) -> OrbitCamera {
    window.state().workspace.motions.eye.expect("a view").0
}

fn middle(window: &Window) -> Pos2 {
    window.state().workspace.motions.eye.expect("a view").1.center()
}

fn press(window: &mut Window, key: Key, modifiers: Modifiers) {
    window.key_press_modifiers(modifiers, key);
    window.run_steps(2);
}

#[test]
#[cfg_attr(no_graphics, ignore = "needs a graphics adapter: install mesa-vulkan-drivers")]
fn the_eye_turns_slides_and_nears_by_mouse_and_looks_from_all_sides_by_keys() {
    let mut window = sample();
    let start = camera(&window);
    // A point beside the figure, away from handles.
    let empty = middle(&window) + vec2(-250.0, -150.0);
    drag(&mut window, empty, empty + vec2(90.0, 0.0));
    let turned = camera(&window);
    assert!(turned.yaw != start.yaw && turned.target == start.target && turned.distance == start.distance);
    window.event(Event::ModifiersChanged(Modifiers::SHIFT));
    drag(&mut window, empty, empty + vec2(60.0, 30.0));
    window.event(Event::ModifiersChanged(Modifiers::NONE));
    let slid = camera(&window);
    assert!(slid.target.distance(turned.target) > 0.05 && slid.yaw == turned.yaw, "{slid:?}");
    move_to(&mut window, empty);
    for _ in 0..10 {
        let delta = vec2(0.0, 30.0);
        let wheel = Event::MouseWheel {
            unit: MouseWheelUnit::Point,
            delta,
            phase: TouchPhase::Move,
            source: MouseWheelSource::Wheel,
            modifiers: Modifiers::NONE,
        };
        window.event(wheel);
        window.run_steps(2);
    }
    assert!(camera(&window).distance < 0.9 * slid.distance, "{:?}", camera(&window));
    press(&mut window, Key::F, Modifiers::NONE);
    assert!((camera(&window).distance - start.distance).abs() < 0.3 * start.distance);
    // As on Blender's numpad: the key sets the side of the eye, and Ctrl the opposite side.
    let sides = [
        (Key::Num1, Modifiers::NONE, DVec3::Z),
        (Key::Num1, Modifiers::COMMAND, -DVec3::Z),
        (Key::Num7, Modifiers::NONE, DVec3::Y),
        (Key::Num7, Modifiers::COMMAND, -DVec3::Y),
    ];
    for (key, modifiers, side) in sides {
        press(&mut window, key, modifiers);
        let eye = camera(&window);
        let toward = DVec3::new(eye.yaw.sin() * eye.pitch.cos(), eye.pitch.sin(), eye.yaw.cos() * eye.pitch.cos());
        assert!(toward.dot(side) > 0.99, "{key:?} {modifiers:?}: {eye:?}");
    }
    press(&mut window, Key::Num5, Modifiers::NONE);
    assert!(camera(&window).orthographic != start.orthographic);
}

#[test]
#[cfg_attr(no_graphics, ignore = "needs a graphics adapter: install mesa-vulkan-drivers")]
fn a_motion_plays_at_a_speed_loops_or_stops_and_goes_to_its_ends() {
    let mut window = sample();
    let line = |window: &Window| -> Timeline { window.state().workspace.motions.current().expect("a motion").timeline };
    press(&mut window, Key::End, Modifiers::NONE);
    assert_eq!(line(&window).frame(), line(&window).frames - 1);
    press(&mut window, Key::Home, Modifiers::NONE);
    assert_eq!(line(&window).frame(), 0);
    press(&mut window, Key::Space, Modifiers::NONE);
    window.run_steps(30);
    let played = line(&window).time;
    // Test windows have frames of 1/60 s.
    assert!((played - 0.52).abs() < 0.06, "{played} s after half a second");
    press(&mut window, Key::Space, Modifiers::NONE);
    let stopped = line(&window).time;
    window.run_steps(10);
    assert_eq!(line(&window).time, stopped);
    press(&mut window, Key::ArrowLeft, Modifiers::NONE);
    assert!(line(&window).time < stopped);
    // Without looping, playback stops at the last frame.
    press(&mut window, Key::L, Modifiers::NONE);
    assert!(!line(&window).looping);
    press(&mut window, Key::Space, Modifiers::NONE);
    let steps = (line(&window).duration() * 60.0) as usize;
    for _ in 0..steps.div_ceil(60) + 1 {
        window.run_steps(60);
    }
    let end = line(&window);
    assert!(!end.playing && end.frame() == end.frames - 1, "{end:?}");
}

#[test]
#[cfg_attr(no_graphics, ignore = "needs a graphics adapter: install mesa-vulkan-drivers")]
fn a_mesh_moves_with_its_bones_and_a_file_in_parts_is_saved_whole() {
    // File, name of its first tab, name as saved, clips and vertices of the file.
    let files = [
        ("gltf/Fox.glb", "Fox.glb Survey", "Fox_fixed.glb", 3, 1728),
        ("gltf/cesium_man.gltf", "cesium_man.gltf", "cesium_man_fixed.gltf", 1, 3273),
    ];
    for (file, tab, saved, clips, vertices) in test_files::here(files, |case| case.0.into()) {
        let mut window = window(1280.0, 800.0);
        let jump = crate::written::bvh(muybridge::samples::jump());
        window.state_mut().workspace.request(Request::Open(FileToOpen::with("jump.bvh", jump)));
        window.state_mut().workspace.request(Request::Open(FileToOpen::file(test_files::path(file))));
        window.run_steps(6);
        assert_eq!(window.state().workspace.motions.list.len(), 1 + clips, "two files at once, a tab for each clip");
        let shown = window.state().workspace.motions.current().expect("a motion");
        assert_eq!(shown.name, tab);
        assert!(!shown.motion.skins.is_empty(), "the file has a mesh");
        let with = drawn(&mut window, "skin");
        click(&mut window, "Skin");
        window.run_steps(2);
        let without = drawn(&mut window, "skin_off");
        let differing = with.pixels().zip(without.pixels()).filter(|(a, b)| a != b).count();
        assert!(differing > 3000, "{differing} points show the mesh");
        let saving = window.state().workspace.motions.save(true).expect("a file");
        assert_eq!(saving.name, saved);
        let again = open::decode(Path::new(&saving.name), saving.bytes, &OpenOptions::default()).expect("a glTF");
        let SourceDocument::Gltf(document) = &again.document else { panic!("not a glTF") };
        assert_eq!(again.imported.clips.len(), clips);
        let meshes = muybridge_files::gltf::skinned_meshes(document).expect("meshes");
        let left: usize = meshes.iter().map(|mesh| mesh.points.len()).sum();
        assert_eq!(left, vertices, "the mesh is in what is saved");
        // Nine clips in a file of two parts: each clip gets a tab, and they are saved together as one file.
        let parts = test_files::path("gltf/interpolation_test.gltf");
        window.state_mut().workspace.request(Request::Open(FileToOpen::file(&parts)));
        window.run_steps(6);
        assert_eq!(window.state().workspace.motions.list.len(), 1 + clips + 9);
        let saving = window.state().workspace.motions.save(true).expect("a file");
        assert_eq!(saving.name, "interpolation_test_fixed.glb");
        let again = open::decode(Path::new(&saving.name), saving.bytes, &OpenOptions::default()).expect("a GLB");
        assert_eq!(again.imported.clips.len(), 9);
    }
}
