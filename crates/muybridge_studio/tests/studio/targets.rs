//! Targets and curves of actions, placed by clicks in the view.

use crate::mouse::{button, move_to};
use crate::scenes::{click, document, on_screen, open};
use crate::window::{Window, picture, window};
use eframe::egui::{Key, Modifiers, Pos2, Rect, vec2};
use muybridge::glam::DVec3;
use muybridge::simulation::scene::PathWord;
use muybridge_studio::view::OrbitCamera;

fn click_on(window: &mut Window, at: Pos2) {
    move_to(window, at);
    button(window, at, true, Modifiers::NONE);
    button(window, at, false, Modifiers::NONE);
    window.run_steps(3);
}

/// Camera and rectangle of the view at the time of a click; the panels may later make the view narrower.
fn eye(window: &Window) -> (OrbitCamera, Rect) {
    window.state().workspace.stage.eye.expect("a view")
}

fn is_there((camera, rect): (OrbitCamera, Rect), place: DVec3, at: Pos2) {
    let seen = camera.project(rect, place).expect("a place before the eye");
    assert!(seen.distance(at) < 1.0, "{place} is seen at {seen:?}, not {at:?}");
}

#[test]
#[cfg_attr(no_graphics, ignore = "needs a graphics adapter: install mesa-vulkan-drivers")]
fn a_curve_is_drawn_by_clicks_and_shortened_by_a_key() {
    let mut window = window(1440.0, 900.0);
    open(&mut window, "arm");
    click(&mut window, "Behavior");
    click(&mut window, "reach a");
    let of = |window: &Window| document(window).scene.actions[0].clone();
    let goal = of(&window).to.expect("a goal");
    click(&mut window, "Draw curve");
    let by: Vec<Pos2> =
        [vec2(-120.0, -90.0), vec2(60.0, -130.0)].iter().map(|way| on_screen(&window, goal) + *way).collect();
    for (count, &at) in by.iter().enumerate() {
        let eye = eye(&window);
        click_on(&mut window, at);
        assert_eq!(of(&window).control_points.len(), count + 1);
        is_there(eye, of(&window).control_points[count], at);
    }
    let action = of(&window);
    assert_eq!((action.path, action.to), (PathWord::CatmullRom, Some(goal)));
    picture(&mut window, "studio_curve");
    window.key_press(Key::Backspace);
    window.run_steps(2);
    assert_eq!(of(&window).control_points, action.control_points[..1]);
    window.key_press(Key::Backspace);
    window.run_steps(2);
    assert_eq!(
        (of(&window).path, of(&window).control_points.len()),
        (PathWord::Line, 0),
        "without points it is straight"
    );
    window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    window.run_steps(2);
    assert_eq!(of(&window).control_points, action.control_points[..1]);
}

#[test]
#[cfg_attr(no_graphics, ignore = "needs a graphics adapter: install mesa-vulkan-drivers")]
fn a_target_is_placed_by_a_click_for_the_chosen_action_or_a_new_one() {
    let mut window = window(1440.0, 900.0);
    open(&mut window, "arm");
    click(&mut window, "Behavior");
    click(&mut window, "reach a");
    click(&mut window, "Place target");
    let at = on_screen(&window, document(&window).scene.actions[0].to.expect("a goal")) + vec2(-50.0, 40.0);
    let from = eye(&window);
    click_on(&mut window, at);
    is_there(from, document(&window).scene.actions[0].to.expect("a goal"), at);
    // With a plan selected, a click starts a new action.
    let count = document(&window).scene.actions.len();
    click(&mut window, "reach");
    let from = eye(&window);
    click_on(&mut window, at + vec2(80.0, 0.0));
    assert_eq!(document(&window).scene.actions.len(), count + 1);
    is_there(from, document(&window).scene.actions[count].to.expect("a goal"), at + vec2(80.0, 0.0));
    assert!(window.state().workspace.stage.fault.is_none(), "{:?}", window.state().workspace.stage.fault);
}
