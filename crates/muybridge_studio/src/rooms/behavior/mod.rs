//! The Behavior room: actions and plans of what is in the scene.

use std::sync::Arc;

use eframe::egui::{self, Ui};

use super::{Room, Saving, simulate};
use crate::shortcuts::Shortcut;
use crate::theme::Theme;
use crate::view::{self, Drawing, View};
use crate::workspace::{Request, Workspace};

/// How the room is looked at.
pub struct BehaviorRoom {
    view: View,
    framed: u64,
}

impl BehaviorRoom {
    /// A room whose view has this number.
    pub fn new(view: u64) -> Self {
        Self { view: View::new(view), framed: 0 }
    }
}

impl Room for BehaviorRoom {
    fn ui(&mut self, workspace: &mut Workspace, ui: &mut Ui) {
        egui::Panel::right("actions").default_size(290.0).show(ui, |ui| lists(workspace, ui));
        let theme = Theme::current(ui);
        let stage = &workspace.stage;
        let mut drawing = Drawing { floor: Some(0.0), ..Drawing::default() };
        if let Some(run) = stage.document.as_ref().and_then(|document| document.run.as_ref()) {
            drawing = simulate::picture(&run.seen, None, &theme).drawing;
            if std::mem::replace(&mut self.framed, stage.changes) != stage.changes
                && let Some((low, high)) = drawing.bounds()
            {
                self.view.frame_next(low.min(low.with_y(run.seen.ground.unwrap_or(low.y))), high);
            }
        }
        egui::CentralPanel::no_frame().show(ui, |ui| self.view.show(ui, Arc::new(drawing), None));
    }

    fn shortcuts(&self) -> &'static [(&'static str, &'static [Shortcut])] {
        &[("View", view::SHORTCUTS)]
    }

    fn save(&self, workspace: &Workspace) -> Option<Saving> {
        simulate::saving(workspace)
    }

    fn saved(&mut self, workspace: &mut Workspace, path: &std::path::Path) {
        workspace.stage.saved(path);
    }
}

fn lists(workspace: &mut Workspace, ui: &mut Ui) {
    let Some(document) = &workspace.stage.document else {
        ui.label("No scene is open.");
        if ui.button("Open the scene with an arm").clicked() {
            workspace.ask(Request::OpenScene("arm"));
        }
        return;
    };
    let scene = document.scene.clone();
    ui.strong("Actions");
    for action in &scene.actions {
        ui.horizontal(|ui| {
            ui.label(&action.name);
            ui.weak(format!("on {}", action.on.0));
        });
    }
    ui.add_space(8.0);
    ui.strong("Plans");
    for plan in &scene.plans {
        ui.label(&plan.name);
    }
    if scene.actions.is_empty() && scene.plans.is_empty() {
        ui.weak("This scene has none.");
    }
}
