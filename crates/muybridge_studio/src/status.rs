//! The status line: work in progress and the last message; the list of all messages opens above it.

use eframe::egui::containers::menu::{MenuButton, MenuConfig};
use eframe::egui::{self, Ui, WidgetInfo};

use crate::icon::{self, Icon};
use crate::messages::{Grade, Message};
use crate::theme::Theme;
use crate::workspace::{UnderWay, WorkInProgress, Workspace};

/// Shows the status line, and the list of messages if it is open.
pub fn show(ui: &mut Ui, workspace: &mut Workspace) {
    let theme = Theme::current(ui);
    egui::Panel::bottom("status").show(ui, |ui| {
        ui.horizontal(|ui| {
            under_way(ui, workspace);
            if let Some(message) = workspace.messages.latest().cloned() {
                ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                    if ui
                        .small_button("Dismiss")
                        .on_hover_text("Hides this message; the list of messages keeps it")
                        .clicked()
                    {
                        workspace.messages.dismiss();
                    }
                    let count = workspace.messages.all().len();
                    let all = ui.small_button(format!("Messages ({count})"));
                    if all.clicked() {
                        workspace.messages.open = !workspace.messages.open;
                    }
                    ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| {
                        sentence(ui, &message, &theme);
                    });
                });
            } else if workspace.under_way().is_empty() {
                ui.weak("Ready");
            }
        });
    });
    let mut open = workspace.messages.open;
    let window = egui::Window::new("Messages").open(&mut open).default_size([520.0, 260.0]);
    window.show(ui.ctx(), |ui| {
        egui::ScrollArea::vertical().auto_shrink(false).stick_to_bottom(true).show(ui, |ui| {
            for message in workspace.messages.all() {
                ui.horizontal_wrapped(|ui| sentence(ui, message, &theme));
            }
        });
    });
    workspace.messages.open = open;
}

/// Shows the first running job, and a menu with the others if there are more.
fn under_way(ui: &mut Ui, workspace: &mut Workspace) {
    let all = workspace.under_way();
    let mut cancelled = None;
    for under_way in all.iter().take(1) {
        ui.spinner();
        cancelled = row(ui, under_way);
    }
    if all.len() > 1 {
        let stays = MenuConfig::new().close_behavior(egui::PopupCloseBehavior::CloseOnClickOutside);
        MenuButton::new(format!("Under way ({})", all.len())).config(stays).ui(ui, |ui| {
            for under_way in all.iter().skip(1) {
                ui.horizontal(|ui| cancelled = cancelled.or(row(ui, under_way)));
            }
        });
    }
    if let Some(work) = cancelled {
        workspace.cancel(work);
    }
}

/// Shows name and progress of a job; returns it if the user cancels it.
fn row(ui: &mut Ui, UnderWay { work, name, done }: &UnderWay) -> Option<WorkInProgress> {
    ui.label(name);
    if *done > 0.0 {
        ui.add(egui::ProgressBar::new(*done as f32).desired_width(120.0).show_percentage());
    }
    let button = ui.small_button("Cancel").on_hover_text("Cancels this task only; the others continue");
    button.widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, format!("Cancel: {name}")));
    button.clicked().then_some(*work)
}

fn sentence(ui: &mut Ui, message: &Message, theme: &Theme) {
    let (sign, color) = match message.grade {
        Grade::Error => (Icon::Cross, theme.ballistic),
        Grade::Note => (Icon::Note, theme.quiet),
    };
    icon::show(ui, sign, color);
    ui.add(egui::Label::new(&message.text).truncate().selectable(true));
}
