//! Mouse input for tests: button presses and drags.

use eframe::egui::{Event, Modifiers, PointerButton, Pos2, vec2};

use crate::window::Window;

/// Presses or releases the primary button.
pub fn button(window: &mut Window, at: Pos2, pressed: bool, modifiers: Modifiers) {
    window.event(Event::PointerButton { pos: at, button: PointerButton::Primary, pressed, modifiers });
    window.run_steps(1);
}

/// Moves the pointer to a position.
pub fn move_to(window: &mut Window, at: Pos2) {
    window.event(Event::PointerMoved(at));
    window.run_steps(1);
}

/// Pushes the body at a position by a Shift drag 80 points to the right.
pub fn push(window: &mut Window, at: Pos2) {
    window.event(Event::ModifiersChanged(Modifiers::SHIFT));
    move_to(window, at);
    button(window, at, true, Modifiers::SHIFT);
    (1..=4).for_each(|share| move_to(window, at + vec2(20.0, 0.0) * share as f32));
    button(window, at + vec2(80.0, 0.0), false, Modifiers::SHIFT);
    window.event(Event::ModifiersChanged(Modifiers::NONE));
}

/// Drags from one position to another in steps.
pub fn drag(window: &mut Window, from: Pos2, to: Pos2) {
    move_to(window, from);
    button(window, from, true, Modifiers::NONE);
    for part in 1..=6 {
        move_to(window, from + (to - from) * (part as f32 / 6.0));
    }
    button(window, to, false, Modifiers::NONE);
    window.run_steps(3);
}
