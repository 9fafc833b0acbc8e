//! The menu bar at the top: menus, room tabs, and the switch between light and dark theme.

use eframe::egui::{self, Ui};

use crate::icon::{self, Icon};
use crate::rooms::{Room, RoomName};
use crate::shortcuts::{self, Shortcut};
use crate::theme::Theme;
use crate::workspace::{FileToOpen, Request, Workspace};

/// Menu entry or key that was chosen in the bar; requests to the workspace are made directly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MenuChoice {
    /// Saves to the known path; asks for a path if there is none.
    Save,
    /// Asks for a path, then saves.
    SaveAs,
    /// Undoes the last change.
    Undo,
    /// Redoes the last undone change.
    Redo,
    /// Switches between light and dark theme.
    Theme,
    /// Opens or closes the list of keyboard shortcuts.
    Sheet,
    /// Closes the program.
    Quit,
}

/// Shows the menu bar and returns the menu entry that was chosen, by mouse or by key.
pub fn show(ui: &mut Ui, workspace: &mut Workspace, shown: RoomName, room: &dyn Room) -> Option<MenuChoice> {
    let mut chosen = None;
    egui::Panel::top("bar").show(ui, |ui| {
        ui.add_space(2.0);
        egui::MenuBar::new().ui(ui, |ui| {
            ui.menu_button("File", |ui| chosen = chosen.or(file(ui, workspace, room)));
            ui.menu_button("Edit", |ui| chosen = chosen.or(edit(ui, workspace, room)));
            ui.menu_button("Help", |ui| {
                if item(ui, "Keyboard and mouse", &shortcuts::SHEET, true) {
                    chosen = Some(MenuChoice::Sheet);
                }
            });
            ui.separator();
            for name in RoomName::ALL {
                if ui.selectable_label(name == shown, name.label()).on_hover_text(name.about()).clicked() {
                    workspace.request(Request::Go(name));
                }
            }
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                if ui.button("?").on_hover_text("Keyboard and mouse").clicked() {
                    chosen = Some(MenuChoice::Sheet);
                }
                let dark = Theme::current(ui).dark;
                let (sign, name) = if dark { (Icon::Sun, "Paper") } else { (Icon::Moon, "Slate") };
                if icon::button(ui, sign, name, &shortcuts::THEME.label(ui.ctx())).clicked() {
                    chosen = Some(MenuChoice::Theme);
                }
            });
        });
        ui.add_space(1.0);
    });
    chosen.or_else(|| pressed(ui.ctx(), workspace))
}

fn file(ui: &mut Ui, workspace: &mut Workspace, room: &dyn Room) -> Option<MenuChoice> {
    let mut chosen = None;
    if item(ui, "Open…", &shortcuts::OPEN, true) {
        workspace.request(Request::Ask);
    }
    ui.menu_button("Open recent", |ui| {
        for path in workspace.preferences.recent.clone() {
            if ui.button(path.display().to_string()).clicked() {
                workspace.request(Request::Open(FileToOpen::file(path)));
            }
        }
        if workspace.preferences.recent.is_empty() {
            ui.weak("None yet");
        }
    });
    if ui.button("Open the sample").clicked() {
        workspace.request(Request::OpenSample);
    }
    ui.separator();
    let can_save = room.documents(workspace).is_some_and(|documents| documents.can_save());
    if item(ui, "Save", &shortcuts::SAVE, can_save) {
        chosen = Some(MenuChoice::Save);
    }
    if item(ui, "Save as…", &shortcuts::SAVE_AS, can_save) {
        chosen = Some(MenuChoice::SaveAs);
    }
    room.file_menu(workspace, ui);
    if cfg!(not(target_arch = "wasm32")) {
        ui.separator();
        if item(ui, "Quit", &shortcuts::QUIT, true) {
            chosen = Some(MenuChoice::Quit);
        }
    }
    chosen
}

fn edit(ui: &mut Ui, workspace: &mut Workspace, room: &dyn Room) -> Option<MenuChoice> {
    let [undo, redo] = room.documents(workspace).map_or([None; 2], |documents| documents.steps());
    let named = |word: &str, name: Option<&str>| name.map_or(word.into(), |name| format!("{word} “{name}”"));
    let mut chosen = None;
    if item(ui, &named("Undo", undo), &shortcuts::UNDO, undo.is_some()) {
        chosen = Some(MenuChoice::Undo);
    }
    if item(ui, &named("Redo", redo), &shortcuts::REDO, redo.is_some()) {
        chosen = Some(MenuChoice::Redo);
    }
    chosen
}

fn item(ui: &mut Ui, name: &str, shortcut: &Shortcut, enabled: bool) -> bool {
    let button = egui::Button::new(name).shortcut_text(shortcut.label(ui.ctx()));
    ui.add_enabled(enabled, button).clicked()
}

/// Checks the keys that work in every room. Keys with Shift come first, or the key without Shift would take them.
fn pressed(ctx: &egui::Context, workspace: &mut Workspace) -> Option<MenuChoice> {
    if shortcuts::OPEN.pressed(ctx) {
        workspace.request(Request::Ask);
    }
    let keys = [
        (shortcuts::SAVE_AS, MenuChoice::SaveAs),
        (shortcuts::SAVE, MenuChoice::Save),
        (shortcuts::REDO, MenuChoice::Redo),
        (shortcuts::UNDO, MenuChoice::Undo),
        (shortcuts::THEME, MenuChoice::Theme),
        (shortcuts::SHEET, MenuChoice::Sheet),
        (shortcuts::QUIT, MenuChoice::Quit),
    ];
    keys.into_iter().find(|(shortcut, _)| shortcut.pressed(ctx)).map(|(_, chosen)| chosen)
}
