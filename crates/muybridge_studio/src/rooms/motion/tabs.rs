//! Tabs of the open motions: select, close, and compare with a ghost.

use eframe::egui::{self, Key, Ui};

use crate::icon::{self, Icon};
use crate::motions::{MotionDocument, Motions};
use crate::shortcuts::{Shortcut, with_ctrl};
use crate::workspace::{Request, Workspace};

/// Key that makes a ragdoll of the motion that is shown.
pub const RAGDOLL: Shortcut =
    with_ctrl(Key::R, "Adds a ragdoll in Build & simulate that starts with the pose and velocity at the cursor");

/// Shows the tabs if a motion is open.
pub fn show(workspace: &mut Workspace, ui: &mut Ui) {
    if workspace.motions.list.is_empty() {
        return;
    }
    egui::Panel::top("motions").show(ui, |ui| {
        ui.horizontal_wrapped(|ui| {
            let motions = &mut workspace.motions;
            let (mut shown, mut closed) = (None, None);
            for (index, document) in motions.list.iter().enumerate() {
                let mark = if document.is_changed() { " *" } else { "" };
                let tab = ui.selectable_label(index == motions.shown, format!("{}{mark}", document.name));
                if tab.clicked() {
                    shown = Some(index);
                }
                let cross = icon::small(ui, Icon::Cross, &format!("Close {}", document.name));
                if tab.middle_clicked() || cross.clicked() {
                    closed = Some(index);
                }
                ui.add_space(4.0);
            }
            if let Some(index) = shown {
                motions.show_tab(index);
            }
            if let Some(index) = closed {
                motions.ask_to_close(index);
            }
            if ui.button("+").on_hover_text("Open another motion").clicked() {
                workspace.request(Request::Ask);
            }
            let words = format!("{} ({})", RAGDOLL.words, RAGDOLL.label(ui.ctx()));
            if ui.button("Make a ragdoll").on_hover_text(words).clicked() || RAGDOLL.pressed(ui.ctx()) {
                workspace.request(Request::Fall);
            }
            compare(&mut workspace.motions, ui);
        });
    });
}

/// Shows the selector of the motion that is drawn as a ghost for comparison.
fn compare(motions: &mut Motions, ui: &mut Ui) {
    let Some(own) = motions.current().map(|document| document.number).filter(|_| motions.list.len() > 1) else {
        return;
    };
    let others = |document: &&MotionDocument| document.number != own;
    let mut compared = motions.compared;
    ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
        let name = motions.ghost().map_or("nothing", |other| other.name.as_str());
        let list = egui::ComboBox::from_id_salt("compare").width(190.0).selected_text(format!("Compared with {name}"));
        let response = list.show_ui(ui, |ui| {
            ui.selectable_value(&mut compared, None, "nothing");
            for other in motions.list.iter().filter(others) {
                ui.selectable_value(&mut compared, Some(other.number), format!("Ghost of {}", other.name));
            }
        });
        response.response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::ComboBox, true, "Compare with"));
        response.response.on_hover_text("Shows another open motion at the same time, as a ghost");
    });
    motions.compared = compared;
}
