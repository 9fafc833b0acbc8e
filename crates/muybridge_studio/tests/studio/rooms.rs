//! The interface clicked through by the names that a screen reader would read, and its pictures.

use crate::window::{picture, window};
use eframe::egui::Key;
use egui_kittest::kittest::Queryable;
use image::RgbaImage;
use muybridge_studio::rooms::RoomName;

/// Number of colors in the middle of a picture; one if nothing was drawn.
fn colors(picture: &RgbaImage) -> usize {
    let (width, height) = picture.dimensions();
    let middle = (width / 5..width / 2).flat_map(|x| (height / 4..height / 2).map(move |y| (x, y)));
    middle.map(|(x, y)| picture.get_pixel(x, y).0).collect::<std::collections::BTreeSet<_>>().len()
}

#[test]
#[cfg_attr(no_graphics, ignore = "needs a graphics adapter: install mesa-vulkan-drivers")]
fn the_sample_is_diagnosed_in_one_click_from_the_start_page() {
    let mut window = window(1280.0, 800.0);
    picture(&mut window, "studio_start");
    window.get_by_label("Sample: a floating jump").click();
    window.run_steps(4);
    assert_eq!(window.state().shown(), RoomName::Motion);
    let document = window.state().workspace.motions.current().expect("an open motion");
    let first = document.motion.analysis.findings.first().expect("a finding").clone();
    window.get_by_label(&format!("{} at {:.2} s", first.id, first.span.start)).click();
    window.run_steps(4);
    let timeline = window.state().workspace.motions.current().expect("an open motion").timeline;
    assert_eq!(timeline.frame(), first.span.first);
    window.key_press(Key::ArrowRight);
    window.run_steps(2);
    let timeline = window.state().workspace.motions.current().expect("an open motion").timeline;
    assert_eq!(timeline.frame(), first.span.first + 1);
    let seen = picture(&mut window, "studio_motion_dark");
    assert!(colors(&seen) > 50, "the view is empty");
    window.get_by_label("Paper").click();
    window.run_steps(4);
    picture(&mut window, "studio_motion_light");
}

#[test]
#[cfg_attr(no_graphics, ignore = "needs a graphics adapter: install mesa-vulkan-drivers")]
fn a_built_in_scene_runs() {
    let mut window = window(1280.0, 800.0);
    window.get_by_label("Scene: drop").click();
    window.run_steps(4);
    window.get_by_label("Play").click();
    window.run_steps(40);
    let stage = &window.state().workspace.stage;
    let steps = stage.document.as_ref().and_then(|document| document.run.as_ref()).expect("a world").status().steps;
    assert!(steps > 10, "{steps} steps");
    let seen = picture(&mut window, "studio_simulate");
    assert!(colors(&seen) > 50, "the view is empty");
}

#[test]
#[cfg_attr(no_graphics, ignore = "needs a graphics adapter: install mesa-vulkan-drivers")]
fn a_file_that_cannot_be_read_is_a_sentence_and_costs_nothing() {
    let mut window = window(1280.0, 800.0);
    window.get_by_label("Sample: a floating jump").click();
    window.run_steps(3);
    let source = muybridge_studio::workspace::FileToOpen::with("broken.bvh", b"HIERARCHY\nROOT".to_vec());
    window.state_mut().workspace.request(muybridge_studio::workspace::Request::Open(source));
    window.run_steps(4);
    let workspace = &window.state().workspace;
    assert!(workspace.messages.latest().is_some_and(|message| message.text.contains("broken.bvh")));
    assert_eq!(workspace.motions.list.len(), 1);
    picture(&mut window, "studio_error");
}

#[test]
#[cfg_attr(no_graphics, ignore = "needs a graphics adapter: install mesa-vulkan-drivers")]
fn the_sheet_of_keys_opens_with_a_question_mark() {
    let mut window = window(1280.0, 800.0);
    window.key_press(Key::Questionmark);
    window.run_steps(3);
    window.get_by_label("Keyboard and mouse");
    picture(&mut window, "studio_keys");
}
