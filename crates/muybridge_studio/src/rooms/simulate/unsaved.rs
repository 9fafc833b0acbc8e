//! The question before a scene that is not saved makes room for another.

use eframe::egui;

use crate::shortcuts;
use crate::workspace::Workspace;

/// Asks, where something is to be opened over an unsaved scene, and does what is answered.
pub fn question(workspace: &mut Workspace, ctx: &egui::Context) {
    let stage = &workspace.stage;
    let (Some(asked), Some(document)) = (&stage.asked, &stage.document) else { return };
    let (asked, name) = (asked.clone(), document.name.clone());
    let mut answer = None;
    let shown = egui::Modal::new(egui::Id::unique("unsaved scene")).show(ctx, |ui| {
        ui.set_width(360.0);
        ui.heading("This scene is not saved");
        ui.add_space(4.0);
        let save = shortcuts::SAVE.label(ui.ctx());
        ui.label(format!(
            "“{name}” has changes that are on no disk. Opening another scene takes its place. {save} saves it."
        ));
        ui.add_space(8.0);
        ui.horizontal(|ui| {
            if ui.button("Keep this scene").clicked() {
                answer = Some(false);
            }
            if ui.button("Discard the changes").clicked() {
                answer = Some(true);
            }
        });
    });
    let running = workspace.running;
    match answer {
        Some(true) => workspace.stage.replace(asked, running, ctx),
        Some(false) => workspace.stage.asked = None,
        None if shown.should_close() => workspace.stage.asked = None,
        None => {}
    }
}
