//! What rooms show of the scene in words: the keys of the thing that is chosen, and what is wrong with the scene.

use eframe::egui::{self, Ui};

use super::edits::fields;
use super::outline::ThingRef;
use crate::theme::Theme;
use crate::workspace::Workspace;

/// Name, kind and keys of what is chosen; false where nothing is.
pub fn keys(workspace: &mut Workspace, ui: &mut Ui, chosen: Option<ThingRef>, gesture: u64) -> bool {
    let entry = |chosen: ThingRef| {
        let document = workspace.stage.document.as_ref()?;
        document.entries.iter().find(|entry| entry.chosen == chosen).cloned()
    };
    let Some(entry) = chosen.and_then(entry) else { return false };
    ui.label(egui::RichText::new(&entry.name).heading());
    ui.weak(format!("{}: {}", entry.chosen.kind, plain(entry.about)));
    ui.add_space(4.0);
    fields(workspace, ui, entry.chosen, &[], gesture);
    true
}

/// The first sentence of a documentation, without its marks.
pub fn plain(about: &str) -> String {
    let first = about.split_inclusive(". ").next().unwrap_or(about);
    first.trim().chars().filter(|c| !matches!(c, '`' | '[' | ']')).collect()
}

/// What is wrong with the scene, where something is.
pub fn fault(workspace: &Workspace, ui: &mut Ui) {
    let theme = Theme::current(ui);
    if let Some(sentence) = workspace.stage.fault_sentence() {
        egui::Frame::new().stroke(egui::Stroke::new(1.0, theme.ballistic)).inner_margin(6.0).corner_radius(4.0).show(
            ui,
            |ui| {
                ui.label(egui::RichText::new(sentence).color(theme.ballistic));
                ui.weak("The world is that of the scene before; change the key, or undo.");
            },
        );
        ui.add_space(4.0);
    }
}
