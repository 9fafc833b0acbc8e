//! The start page: samples, recent files, and documents recovered from an earlier run.

use eframe::egui::{self, RichText, Ui, vec2};
use muybridge_files::formats::{self, FBX, FileFormat, listed};
use muybridge_files::scene::built_in;

use super::Room;
use crate::theme::Theme;
use crate::workspace::{FileToOpen, Request, Workspace};

/// The start page; it has no state.
pub struct StartPage;

/// Built-in scenes shown as large buttons; links below them open the others.
const SHOWN: [&str; 6] = ["drop", "heap", "cloth_on_ragdoll", "flail", "arm", "gets_up"];

/// Says which files open, and how.
fn open_about() -> String {
    let is_read = |format: &FileFormat| format.holds_motion() && !(ON_THE_WEB && *format == FBX);
    let names = listed(&formats::names(is_read), "or");
    if ON_THE_WEB {
        format!(
            "{names}; {} in the desktop program. Or drop it anywhere on this page. It stays on this machine.",
            FBX.name
        )
    } else {
        format!("{names}. Or drop it anywhere on this window.")
    }
}

/// Whether the studio is a web page, which has no reader of FBX.
const ON_THE_WEB: bool = cfg!(target_arch = "wasm32");

impl Room for StartPage {
    fn ui(&mut self, workspace: &mut Workspace, ui: &mut Ui) {
        egui::CentralPanel::default().show(ui, |ui| {
            egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
                let margin = ((ui.available_width() - 940.0) / 2.0).max(24.0);
                ui.add_space(32.0);
                ui.horizontal_top(|ui| {
                    ui.add_space(margin);
                    let wide = ui.available_width() - margin;
                    ui.vertical(|ui| {
                        ui.set_width(wide);
                        page(workspace, ui);
                    });
                });
            });
        });
    }
}

fn page(workspace: &mut Workspace, ui: &mut Ui) {
    let theme = Theme::current(ui);
    ui.label(RichText::new("Muybridge").size(34.0).color(theme.text));
    ui.label(RichText::new("Could a body of that mass move like that?").size(16.0).color(theme.quiet));
    ui.add_space(20.0);
    left(workspace, ui, &theme);
    ui.columns(2, |columns| {
        motions(workspace, &mut columns[0], &theme);
        scenes(workspace, &mut columns[1], &theme);
    });
}

fn motions(workspace: &mut Workspace, ui: &mut Ui, theme: &Theme) {
    heading(ui, "Check a motion", theme);
    if card(
        ui,
        theme,
        "Sample: a floating jump",
        "A standing jump, played so slowly that no body could hang in the air like that.",
    ) {
        workspace.request(Request::OpenSample);
    }
    if card(ui, theme, "Open a file…", &open_about()) {
        workspace.request(Request::Ask);
    }
    ui.add_space(14.0);
    heading(ui, "Recent files", theme);
    if workspace.preferences.recent.is_empty() {
        ui.weak("None yet.");
    }
    for path in workspace.preferences.recent.clone() {
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        if ui.link(name).on_hover_text(path.display().to_string()).clicked() {
            workspace.request(Request::Open(FileToOpen::file(path)));
        }
    }
}

fn scenes(workspace: &mut Workspace, ui: &mut Ui, theme: &Theme) {
    heading(ui, "Let bodies fall", theme);
    for (name, text) in built_in::SCENES.iter().filter(|(name, _)| SHOWN.contains(name)) {
        if card(ui, theme, &format!("Scene: {}", name.replace('_', " ")), built_in::about(text)) {
            workspace.request(Request::OpenScene(name));
        }
    }
    ui.horizontal_wrapped(|ui| {
        ui.weak("More:");
        for (name, text) in built_in::SCENES.iter().filter(|(name, _)| !SHOWN.contains(name)) {
            if ui.link(name.replace('_', " ")).on_hover_text(built_in::about(text)).clicked() {
                workspace.request(Request::OpenScene(name));
            }
        }
    });
}

fn left(workspace: &mut Workspace, ui: &mut Ui, theme: &Theme) {
    if workspace.left.is_empty() {
        return;
    }
    heading(ui, "Not saved when the program last ended", theme);
    for left in workspace.left.clone() {
        ui.horizontal(|ui| {
            ui.label(&left.name);
            if ui.button("Recover").on_hover_text(left.path.display().to_string()).clicked() {
                workspace.request(Request::Recover(left.clone()));
            }
            if ui.button("Discard").clicked() {
                workspace.request(Request::Discard(left));
            }
        });
    }
    ui.add_space(14.0);
}

fn heading(ui: &mut Ui, text: &str, theme: &Theme) {
    ui.label(RichText::new(text).size(17.0).color(theme.text));
    ui.add_space(4.0);
}

/// A large button with two lines, named by the first; returns whether it was clicked.
fn card(ui: &mut Ui, theme: &Theme, title: &str, about: &str) -> bool {
    let mut text = egui::text::LayoutJob::default();
    let format =
        |size, color| egui::TextFormat { font_id: egui::FontId::proportional(size), color, ..Default::default() };
    text.append(&format!("{title}\n"), 0.0, format(15.0, theme.text));
    text.append(about, 0.0, format(12.5, theme.quiet));
    let button = egui::Button::new(text).min_size(vec2(ui.available_width(), 46.0)).wrap();
    let response = ui.add(button);
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, title));
    response.clicked()
}
