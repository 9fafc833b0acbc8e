//! The mouse of a test: a button that goes down and up at a place, and drags.

use eframe::egui::{Event, Modifiers, PointerButton, Pos2, vec2};

use crate::window::Window;

/// Presses the primary button or lets it go.
pub fn button(window: &mut Window, at: Pos2, pressed: bool, modifiers: Modifiers) {
    window.event(Event::PointerButton { pos: at, button: PointerButton::Primary, pressed, modifiers });
    window.run_steps(1);
}

/// Moves the pointer.
pub fn move_to(window: &mut Window, at: Pos2) {
    window.event(Event::PointerMoved(at));
    window.run_steps(1);
}

/// Pushes what is at a place, Shift held down: to the right, by 80 points.
pub fn push(window: &mut Window, at: Pos2) {
    window.event(Event::ModifiersChanged(Modifiers::SHIFT));
    move_to(window, at);
    button(window, at, true, Modifiers::SHIFT);
    (1..=4).for_each(|share| move_to(window, at + vec2(20.0, 0.0) * share as f32));
    button(window, at + vec2(80.0, 0.0), false, Modifiers::SHIFT);
    window.event(Event::ModifiersChanged(Modifiers::NONE));
}

/// Drags from one place to another in steps.
pub fn drag(window: &mut Window, from: Pos2, to: Pos2) {
    move_to(window, from);
    button(window, from, true, Modifiers::NONE);
    for part in 1..=6 {
        move_to(window, from + (to - from) * (part as f32 / 6.0));
    }
    button(window, to, false, Modifiers::NONE);
    window.run_steps(3);
}
