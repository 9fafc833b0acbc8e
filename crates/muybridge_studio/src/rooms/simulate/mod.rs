//! The Simulate room: build a scene and let it run.
//!
//! ```text
//! view of the world      │ scene, run, measures
//! play, step, reset
//! ```

mod document;
mod drawn;

use std::sync::Arc;

use eframe::egui::{self, Key, Ui};
use muybridge_files::scene::{built_in, write};

pub use document::{Built, Run, SceneDocument, Stage};
pub use drawn::drawing;

use super::{Room, Saving};
use crate::icon::{self, Icon};
use crate::shortcuts::{Shortcut, key};
use crate::theme::Theme;
use crate::view::{self, Drawing, View};
use crate::workspace::{Request, Source, Workspace};

/// How the room is looked at.
pub struct SimulateRoom {
    view: View,
    /// The change of [`Stage::changes`] that the view framed last.
    framed: u64,
}

const PLAY: Shortcut = key(Key::Space, "Play or pause");
const STEP: Shortcut = key(Key::ArrowRight, "A step");
const RESET: Shortcut = key(Key::Home, "Back to the start");

impl SimulateRoom {
    /// A room whose view has this number.
    pub fn new(view: u64) -> Self {
        Self { view: View::new(view), framed: 0 }
    }
}

impl Room for SimulateRoom {
    fn ui(&mut self, workspace: &mut Workspace, ui: &mut Ui) {
        if let Some(run) = workspace.stage.document.as_mut().and_then(|document| document.run.as_mut()) {
            tick(run, ui.ctx());
        }
        egui::Panel::right("scene").default_size(290.0).show(ui, |ui| side(workspace, ui));
        let stage = &mut workspace.stage;
        let run = stage.document.as_mut().and_then(|document| document.run.as_mut());
        let theme = Theme::current(ui);
        let mut drawing = Drawing { floor: Some(0.0), ..Drawing::default() };
        if let Some(run) = run {
            egui::Panel::bottom("run").show(ui, |ui| controls(run, ui));
            drawing = drawn::drawing(&run.seen, &theme);
            if std::mem::replace(&mut self.framed, stage.changes) != stage.changes
                && let Some((low, high)) = drawing.bounds()
            {
                self.view.frame_next(low.min(low.with_y(run.seen.ground.unwrap_or(low.y))), high);
            }
        }
        egui::CentralPanel::no_frame().show(ui, |ui| self.view.show(ui, Arc::new(drawing), None));
    }

    fn shortcuts(&self) -> &'static [(&'static str, &'static [Shortcut])] {
        &[("Simulation", &[PLAY, STEP, RESET]), ("View", view::SHORTCUTS)]
    }

    fn takes(&self, source: &Source) -> bool {
        source.extension() == "toml"
    }

    fn open(&mut self, workspace: &mut Workspace, source: Source, ctx: &egui::Context) {
        workspace.stage.open(source, workspace.running, ctx);
    }

    fn save(&self, workspace: &Workspace) -> Option<Saving> {
        saving(workspace)
    }

    fn saved(&mut self, workspace: &mut Workspace, path: &std::path::Path) {
        workspace.stage.saved(path);
    }

    fn undo_name(&self, workspace: &Workspace) -> Option<String> {
        workspace.stage.document.as_ref()?.history.undo_name().map(str::to_owned)
    }

    fn redo_name(&self, workspace: &Workspace) -> Option<String> {
        workspace.stage.document.as_ref()?.history.redo_name().map(str::to_owned)
    }

    fn undo(&mut self, workspace: &mut Workspace, ctx: &egui::Context) {
        workspace.stage.travel(true, workspace.running, ctx);
    }

    fn redo(&mut self, workspace: &mut Workspace, ctx: &egui::Context) {
        workspace.stage.travel(false, workspace.running, ctx);
    }
}

/// The scene as a file.
pub fn saving(workspace: &Workspace) -> Option<Saving> {
    let document = workspace.stage.document.as_ref()?;
    let bytes = write(&document.scene).into_bytes();
    Some(Saving { name: document.file_name(), path: document.path.clone(), bytes })
}

fn tick(run: &mut Run, ctx: &egui::Context) {
    if PLAY.pressed(ctx) {
        run.playing = !run.playing;
    }
    if STEP.pressed(ctx) {
        run.step();
    }
    if RESET.pressed(ctx) {
        run.reset();
    }
    run.advance(ctx.input(|input| f64::from(input.stable_dt).min(0.1)));
    if run.playing {
        ctx.request_repaint();
    }
}

fn controls(run: &mut Run, ui: &mut Ui) {
    ui.add_space(3.0);
    ui.horizontal(|ui| {
        let (sign, name) = if run.playing { (Icon::Pause, "Pause") } else { (Icon::Play, "Play") };
        if icon::button(ui, Icon::First, "Reset", "Home").clicked() {
            run.reset();
        }
        if icon::button(ui, sign, name, "Space").clicked() {
            run.playing = !run.playing;
        }
        if icon::button(ui, Icon::On, "Step", "Right").clicked() {
            run.step();
        }
        ui.monospace(format!("{:7.3} s  [{}]", run.world.time(), run.world.steps()));
    });
    ui.add_space(2.0);
}

fn side(workspace: &mut Workspace, ui: &mut Ui) {
    let shown = workspace.stage.document.as_ref().map_or("none", |document| document.name.as_str()).to_owned();
    let list = egui::ComboBox::from_id_salt("scenes").width(200.0).selected_text(shown.replace('_', " "));
    ui.horizontal(|ui| {
        ui.label("Scene");
        let response = list.show_ui(ui, |ui| {
            for (name, text) in built_in::SCENES {
                if ui
                    .selectable_label(shown == name, name.replace('_', " "))
                    .on_hover_text(built_in::about(text))
                    .clicked()
                {
                    workspace.ask(Request::OpenScene(name));
                }
            }
        });
        response.response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::ComboBox, true, "Scene"));
    });
    if workspace.stage.building.is_some() {
        ui.spinner();
    }
    let Some(document) = &workspace.stage.document else {
        ui.add_space(8.0);
        ui.label("Choose a scene, or drop a scene file (.toml) here.");
        return;
    };
    ui.separator();
    let Some(run) = &document.run else { return };
    let count = run.world.count();
    let measures = run.seen.measures.last().copied().unwrap_or_default();
    egui::Grid::new("measures").num_columns(2).spacing([14.0, 4.0]).show(ui, |ui| {
        let rows = [
            ("Particles", format!("{}", count.particles)),
            ("Rigid bodies", format!("{}", count.bodies)),
            ("Mass", format!("{:.1} kg", run.world.mass())),
            ("Kinetic energy", format!("{:.1} J", measures.kinetic_energy)),
            ("Potential energy", format!("{:.1} J", measures.potential_energy)),
            ("Worst gap", format!("{:.2} mm", measures.worst_gap * 1e3)),
            ("Deepest contact", format!("{:.2} mm", measures.worst_penetration * 1e3)),
            ("Asleep", format!("{:.0} %", measures.asleep * 100.0)),
        ];
        for (name, value) in rows {
            ui.weak(name);
            ui.monospace(value);
            ui.end_row();
        }
    });
}
