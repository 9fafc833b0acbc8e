//! Choices of the user: tools, strength and blend of corrections, speeds, keys of things, order of plans; and
//! tooltips.

use eframe::egui::{Key, Modifiers, Role};
use egui_kittest::kittest::Queryable;
use muybridge::behavior::action::PlanStep;
use muybridge_studio::documents::Documents;
use muybridge_studio::motions::{AnalyzedMotion, MotionDocument};

use crate::runs::step;
use crate::scenes::{ask, click, document, open, run};
use crate::window::{Window, picture, window};

fn motion(window: &Window) -> &MotionDocument {
    window.state().workspace.motions.current().expect("a motion")
}

/// The sample with the cursor in its flight and the correction tools shown.
fn to_be_fixed() -> Window {
    let mut window = window(1280.0, 900.0);
    click(&mut window, "Sample: a floating jump");
    let span = motion(&window).motion.analysis.flights[0].span;
    let shown = window.state_mut().workspace.motions.current_mut().expect("a motion");
    shown.timeline.go_to((span.first + span.last) / 2);
    window.run_steps(2);
    click(&mut window, "How it is fixed");
    window.run_steps(20);
    window
}

/// Sets the number field with this name as assistive software does.
fn set(window: &mut Window, role: Role, name: &str, value: f64) {
    window.get_by_role_and_label(role, name).set_value_accesskit(value);
    window.run_steps(3);
}

fn undo(window: &mut Window) {
    window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    window.run_steps(3);
}

/// Gravity of the first flight as a fraction of g, and number of frames of the clip.
fn falls(motion: &AnalyzedMotion) -> (f64, usize) {
    (motion.analysis.flights[0].gravity, motion.prepared.clip.frames())
}

#[test]
#[cfg_attr(no_graphics, ignore = "needs a graphics adapter: install mesa-vulkan-drivers")]
fn s16_only_the_tools_that_are_chosen_work_and_strength_is_the_share_of_what_is_wrong() {
    let mut window = to_be_fixed();
    let before = falls(&motion(&window).motion);
    // With the timing tool alone, the clip gets fewer frames.
    for tool in ["Path", "Spin", "Feet"] {
        click(&mut window, tool);
    }
    click(&mut window, "Fix flight");
    let (gravity, frames) = falls(&motion(&window).motion);
    assert!((gravity - 1.0).abs() < 0.05 && frames < before.1, "{gravity} g, {frames} frames");
    undo(&mut window);
    // With the path tool alone, the number of frames stays.
    click(&mut window, "Timing");
    click(&mut window, "Path");
    click(&mut window, "Fix flight");
    let (gravity, frames) = falls(&motion(&window).motion);
    assert!((gravity - 1.0).abs() < 0.01 && frames == before.1, "{gravity} g, {frames} frames");
    undo(&mut window);
    assert_eq!(falls(&motion(&window).motion), before);
    // The path moves by its strength times the displacement to the parabola, and so does its second derivative.
    set(&mut window, Role::Slider, "strength", 0.5);
    click(&mut window, "Fix flight");
    let half = falls(&motion(&window).motion).0;
    assert!((half - 0.5 * (1.0 + before.0)).abs() < 0.01, "{half} g between {} and 1", before.0);
    picture(&mut window, "studio_choices");
}

#[test]
#[cfg_attr(no_graphics, ignore = "needs a graphics adapter: install mesa-vulkan-drivers")]
fn s35_a_change_fades_out_over_as_many_frames_as_are_chosen() {
    let mut window = to_be_fixed();
    for tool in ["Timing", "Spin", "Feet"] {
        click(&mut window, tool);
    }
    let before = motion(&window).motion.clone();
    let (first, last) = (before.analysis.flights[0].span.first, before.analysis.flights[0].span.last);
    // Greatest distance from the flight of a frame whose pose has changed, frames.
    let changed = |after: &AnalyzedMotion| {
        let (was, is) = (&before.prepared.clip, &after.prepared.clip);
        let differs = |frame: &usize| was.translation(0, *frame).distance(is.translation(0, *frame)) > 1e-9;
        let aside = |frame: usize| first.saturating_sub(frame).max(frame.saturating_sub(last));
        (0..was.frames()).filter(differs).map(aside).max().unwrap_or(0)
    };
    set(&mut window, Role::Slider, "frames of blend", 0.0);
    click(&mut window, "Fix flight");
    let hard = changed(&motion(&window).motion);
    undo(&mut window);
    set(&mut window, Role::Slider, "frames of blend", 12.0);
    click(&mut window, "Fix flight");
    let soft = changed(&motion(&window).motion);
    assert!(hard == 0 && (6..=12).contains(&soft), "{hard} and {soft} frames beside the flight");
}

#[test]
#[cfg_attr(no_graphics, ignore = "needs a graphics adapter: install mesa-vulkan-drivers")]
fn a_motion_plays_at_the_speed_that_is_chosen() {
    let mut window = window(1280.0, 800.0);
    click(&mut window, "Sample: a floating jump");
    for (speed, expected) in [("0.25×", 0.125), ("2×", 1.0)] {
        window.key_press(Key::Home);
        window.run_steps(1);
        click(&mut window, "Speed");
        click(&mut window, speed);
        click(&mut window, "Play");
        window.run_steps(27);
        click(&mut window, "Pause");
        let time = motion(&window).timeline.time;
        // Half a second of real time, and the time that the clicks take.
        assert!((time - expected).abs() < 0.2 * expected, "{speed}: {time} s");
    }
}

#[test]
#[cfg_attr(no_graphics, ignore = "needs a graphics adapter: install mesa-vulkan-drivers")]
fn a_run_goes_at_the_speed_that_is_chosen() {
    let mut window = window(1280.0, 800.0);
    open(&mut window, "drop");
    click(&mut window, "Speed");
    click(&mut window, "0.25 x");
    click(&mut window, "Play");
    window.run_steps(57);
    let clock = run(&window).status().clock;
    assert!((clock - 0.25).abs() < 0.05, "{clock} s after a second");
}

#[test]
#[cfg_attr(no_graphics, ignore = "needs a graphics adapter: install mesa-vulkan-drivers")]
fn r26_ranges_and_friction_are_set_by_hand_and_obeyed() {
    let mut window = window(1440.0, 900.0);
    window.run_steps(2);
    for name in ["Build & simulate", "New", "Add", "Box"] {
        click(&mut window, name);
    }
    // Moved up to a place where the slope, which descends toward x, is above the ground.
    set(&mut window, Role::SpinButton, "position x", -1.5);
    set(&mut window, Role::SpinButton, "position y", 1.2);
    for name in ["Add", "Slope"] {
        click(&mut window, name);
    }
    // The box stays at rest: its friction of 0.6 exceeds the slope's tangent of 0.35.
    click(&mut window, "Play");
    window.run_steps(150);
    click(&mut window, "Pause");
    step(&mut window, 60);
    let place = |window: &Window| ask(window, |world| world.bodies().expect("bodies").state.poses[0].place());
    let (before, steps) = (place(&window), run(&window).status().steps);
    step(&mut window, 30);
    let creep = place(&window).distance(before);
    assert!(creep < 0.01, "{creep} m");
    click(&mut window, "box");
    set(&mut window, Role::SpinButton, "friction", 0.0);
    assert_eq!(document(&window).scene.boxes[0].friction, 0.0);
    let before = place(&window);
    step(&mut window, 30);
    assert_eq!(run(&window).status().steps, steps + 60, "it began again");
    // Without friction the distance is half of g sin θ t².
    let (slid, theory) = (place(&window).distance(before), 0.5 * 9.81 * 0.35_f64.atan().sin() * 0.25);
    assert!((slid / theory - 1.0).abs() < 0.1, "{slid} m, not {theory} m");

    // A box hanging from a joint swings up to the joint limit.
    let hung = |degrees: f64| {
        let mut window = self::window(1440.0, 900.0);
        for name in ["Build & simulate", "New", "Add", "Box", "Add", "Ball joint"] {
            click(&mut window, name);
        }
        set(&mut window, Role::SpinButton, "swing limit", degrees);
        assert!((document(&window).scene.joints[0].swing_limit.to_degrees() - degrees).abs() < 1e-9);
        assert_eq!(window.state().workspace.stage.fault_sentence(), None);
        let pose = |window: &Window| match &run(window).seen().tracks[0].drawn {
            muybridge::simulation::recording::Drawn::Body { poses, .. } => poses[0].1,
            other => panic!("{other:?}"),
        };
        let start = pose(&window);
        click(&mut window, "Play");
        window.run_steps(2);
        let at = crate::scenes::on_screen(&window, document(&window).scene.boxes[0].position);
        crate::mouse::push(&mut window, at);
        let mut most: f64 = 0.0;
        for _ in 0..60 {
            window.run_steps(1);
            let axis = muybridge::glam::DVec3::X;
            most = most.max((start * axis).angle_between(pose(&window) * axis));
        }
        most.to_degrees()
    };
    let (free, held) = (hung(180.0), hung(10.0));
    assert!(held < 12.0 && free > 20.0, "{free}° free, {held}° within 10°");
}

#[test]
#[cfg_attr(no_graphics, ignore = "needs a graphics adapter: install mesa-vulkan-drivers")]
fn steps_of_a_plan_and_plans_are_put_in_another_order_and_taken_out() {
    let mut window = window(1440.0, 900.0);
    open(&mut window, "arm");
    click(&mut window, "Behavior");
    click(&mut window, "reach");
    let steps = |window: &Window| -> Vec<PlanStep> { document(window).scene.plans[0].steps.clone() };
    let before = steps(&window);
    click(&mut window, "Move step 1 down");
    let mut expected = before.clone();
    expected.swap(0, 1);
    assert_eq!(steps(&window), expected);
    click(&mut window, "Take step 1 out");
    expected.remove(0);
    assert_eq!(steps(&window), expected);
    click(&mut window, "Move step 2 up");
    expected.swap(0, 1);
    assert_eq!(steps(&window), expected);
    (0..3).for_each(|_| undo(&mut window));
    assert_eq!(steps(&window), before);
    let names = |window: &Window| -> Vec<String> {
        document(window).scene.actions.iter().map(|action| action.name.clone()).collect()
    };
    let all = names(&window);
    click(&mut window, &all[1]);
    click(&mut window, &format!("Move {} up", all[1]));
    assert_eq!(names(&window)[..2], [all[1].clone(), all[0].clone()]);
    click(&mut window, &format!("Move {} down", all[1]));
    assert_eq!(names(&window), all);
    click(&mut window, "Remove");
    assert_eq!(names(&window).len(), all.len() - 1);
    assert_eq!(window.state().workspace.stage.steps()[0], Some("Remove"));
}

#[test]
#[cfg_attr(no_graphics, ignore = "needs a graphics adapter: install mesa-vulkan-drivers")]
fn what_the_pointer_rests_on_tells_what_it_is_for_with_its_unit() {
    let mut window = window(1440.0, 900.0);
    open(&mut window, "drop");
    let hints = [
        (Role::SpinButton, "gravity y", "Gravity, meters per second squared"),
        (Role::SpinButton, "rate", "Frames per second of the run"),
        (Role::SpinButton, "grip", "Greatest force of the mouse, newtons"),
        (Role::Button, "Play", "Space"),
        (Role::Button, "From Motion", "Open a motion in the Motion room first"),
    ];
    for (role, name, words) in hints {
        assert!(window.query_by_label_contains(words).is_none(), "{name} says so unasked");
        window.get_by_role_and_label(role, name).hover();
        // Tooltips appear after half a second.
        window.run_steps(45);
        assert!(window.query_by_label_contains(words).is_some(), "{name} does not say {words}");
        window.hover_at(eframe::egui::pos2(700.0, 450.0));
        window.run_steps(45);
    }
}

#[test]
#[cfg_attr(no_graphics, ignore = "needs a graphics adapter: install mesa-vulkan-drivers")]
fn the_cursor_goes_from_where_a_flight_or_contact_begins_or_ends_to_the_next_and_overlays_hide() {
    let mut window = window(1280.0, 800.0);
    click(&mut window, "Sample: a floating jump");
    let flight = motion(&window).motion.analysis.flights[0].span;
    let frame = |window: &Window| motion(window).timeline.frame();
    let mut seen = vec![frame(&window)];
    for _ in 0..8 {
        window.key_press(Key::ArrowUp);
        window.run_steps(2);
        seen.push(frame(&window));
    }
    assert!(seen.contains(&flight.first) && seen.contains(&flight.last), "{seen:?}: {flight:?}");
    assert_eq!(seen.last(), Some(&(motion(&window).timeline.frames - 1)), "contact lasts to the end");
    let stops: std::collections::BTreeSet<usize> = seen.iter().copied().collect();
    let back: Vec<usize> = stops.iter().rev().skip(1).copied().collect();
    for stop in back {
        window.key_press(Key::ArrowDown);
        window.run_steps(2);
        assert_eq!(frame(&window), stop);
    }
    let with = crate::window::drawn(&mut window, "overlays_shown");
    window.key_press(Key::H);
    window.run_steps(2);
    let without = crate::window::drawn(&mut window, "overlays_hidden");
    let differs = with.pixels().zip(without.pixels()).filter(|(a, b)| a != b).count();
    assert!(differs > 1000, "{differs} points");
    window.key_press(Key::H);
    window.run_steps(2);
    let again = crate::window::drawn(&mut window, "overlays_shown");
    assert!(again == with, "they come back as they were");
}

#[test]
#[cfg_attr(no_graphics, ignore = "needs a graphics adapter: install mesa-vulkan-drivers")]
fn a_heap_of_two_hundred_is_two_clicks_and_falls() {
    let mut window = window(1440.0, 900.0);
    window.run_steps(2);
    for name in ["Build & simulate", "New", "Add", "Heap of two hundred"] {
        click(&mut window, name);
    }
    assert_eq!(window.state().workspace.stage.fault_sentence(), None);
    let person = muybridge::samples::mannequin().mass();
    let mass = run(&window).status().mass;
    assert!((mass / (200.0 * person) - 1.0).abs() < 1e-9, "{mass} kg");
    let before = run(&window).seen().measures[0].potential_energy;
    step(&mut window, 24);
    // They fall 0.78 m in 0.4 s if nothing holds them.
    let fallen = (before - run(&window).seen().measures[0].potential_energy) / (mass * 9.81);
    assert!((0.5..0.8).contains(&fallen), "{fallen} m");
    picture(&mut window, "studio_heap");
    click(&mut window, "Charts");
    step(&mut window, 90);
    crate::window::drawn(&mut window, "heap_charts");
}
