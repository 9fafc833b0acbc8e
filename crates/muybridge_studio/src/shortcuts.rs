//! Keyboard shortcuts as data, so that the keys that work and the list that is shown cannot differ.

use eframe::egui::{self, Key, KeyboardShortcut, Modifiers};

use crate::theme::Theme;

/// A key and its action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shortcut {
    /// Key with modifiers.
    pub keys: KeyboardShortcut,
    /// Description of the action, a few words.
    pub words: &'static str,
}

/// Shortcut of a key without modifiers.
pub const fn key(key: Key, words: &'static str) -> Shortcut {
    Shortcut { keys: KeyboardShortcut::new(Modifiers::NONE, key), words }
}

/// Shortcut with Ctrl (Cmd on a Mac).
pub const fn with_ctrl(key: Key, words: &'static str) -> Shortcut {
    Shortcut { keys: KeyboardShortcut::new(Modifiers::COMMAND, key), words }
}

/// Shortcut with Ctrl and Shift.
pub const fn with_ctrl_shift(key: Key, words: &'static str) -> Shortcut {
    Shortcut { keys: KeyboardShortcut::new(Modifiers::COMMAND.plus(Modifiers::SHIFT), key), words }
}

/// Opens a file.
pub const OPEN: Shortcut = with_ctrl(Key::O, "Open a file");
/// Saves the document.
pub const SAVE: Shortcut = with_ctrl(Key::S, "Save");
/// Saves the document under a new name.
pub const SAVE_AS: Shortcut = with_ctrl_shift(Key::S, "Save as");
/// Undoes the last change.
pub const UNDO: Shortcut = with_ctrl(Key::Z, "Undo");
/// Redoes the last undone change.
pub const REDO: Shortcut = with_ctrl_shift(Key::Z, "Redo");
/// Shows or hides the list of shortcuts.
pub const SHEET: Shortcut = key(Key::Questionmark, "Show or hide this sheet");
/// Switches between light and dark theme.
pub const THEME: Shortcut = with_ctrl(Key::T, "Paper or slate");

/// Quits the program.
pub const QUIT: Shortcut = with_ctrl(Key::Q, "Quit");

/// Shortcuts that work in every room.
pub const EVERYWHERE: &[Shortcut] = &[OPEN, SAVE, SAVE_AS, UNDO, REDO, THEME, SHEET, QUIT];

impl Shortcut {
    /// Whether the shortcut was pressed, which consumes the key press. Keys without Ctrl do nothing while the user
    /// types text.
    pub fn pressed(&self, ctx: &egui::Context) -> bool {
        let types = ctx.egui_wants_keyboard_input() && self.keys.modifiers == Modifiers::NONE;
        !types && ctx.input_mut(|input| input.consume_shortcut(&self.keys))
    }

    /// Name of the shortcut for display: "Ctrl+Z".
    pub fn label(&self, ctx: &egui::Context) -> String {
        ctx.format_shortcut(&self.keys)
    }
}

/// Shows the list of shortcuts, in groups side by side.
pub fn sheet(ctx: &egui::Context, open: &mut bool, groups: &[(&str, &[Shortcut])]) {
    let window = egui::Window::new("Keyboard and mouse").open(open).collapsible(false).resizable(false);
    window.anchor(egui::Align2::CENTER_CENTER, egui::Vec2::ZERO).show(ctx, |ui| {
        let theme = Theme::current(ui);
        ui.horizontal_top(|ui| {
            for (name, shortcuts) in groups.iter().filter(|(_, shortcuts)| !shortcuts.is_empty()) {
                ui.vertical(|ui| {
                    ui.strong(*name);
                    egui::Grid::new(name).num_columns(2).spacing([12.0, 3.0]).show(ui, |ui| {
                        for shortcut in *shortcuts {
                            ui.monospace(shortcut.label(ctx));
                            ui.label(shortcut.words);
                            ui.end_row();
                        }
                    });
                });
                ui.add_space(16.0);
            }
        });
        ui.separator();
        let mouse = "Left or middle drag turns the view, right or Shift drag moves it, the wheel comes nearer.";
        ui.colored_label(theme.quiet, mouse);
    });
}
