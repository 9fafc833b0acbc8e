//! Panels around the view: list of things, tools, keys of the selected thing, settings during a run, charts.

use eframe::egui::{self, DragValue, ScrollArea, Ui};
use muybridge::glam::DVec3;
use muybridge::simulation::scene::Limit;
use muybridge_files::scene::built_in;

use super::draft::{self, DraftTool};
use super::palette::{self, InsertPoint};
use super::{SimulateRoom, Tab};
use crate::stage::edits::{edit, fields, tune};
use crate::stage::inspector::{fault, keys, plain};
use crate::stage::outline::{self, ThingRef};
use crate::stage::{Begins, Keep, Opening, of_motion, settings};
use crate::workspace::{Request, Workspace};

/// Palette entries for ragdolls of the open motion: name, starting state, tooltip.
const OF_MOTION: [(&str, Begins, &str); 2] = [
    (
        "Ragdoll of the motion",
        Begins::AtCursor,
        "A ragdoll that starts with the pose and velocity at the cursor of the Motion room.",
    ),
    ("The same at rest", Begins::AtRest, "The character of the open motion, in its rest pose."),
];

const NO_MOTION: &str = "Open a motion in the Motion room first";

/// Kinds of things that the Behavior room shows.
const BEHAVIOR: [&str; 2] = ["action", "plan"];

impl SimulateRoom {
    pub(super) fn left(&mut self, workspace: &mut Workspace, ui: &mut Ui) {
        ui.add_space(4.0);
        scenes(workspace, ui);
        let Some(document) = &workspace.stage.document else {
            ui.add_space(8.0);
            ui.label("Choose a scene, begin a new one, or drop a scene file (.toml) here.");
            return;
        };
        let entries = document.entries.clone();
        ui.horizontal(|ui| {
            ui.menu_button("Add", |ui| self.palette(workspace, ui));
            let has_motion = workspace.motions.current().is_some();
            let button = ui.add_enabled(has_motion, egui::Button::new("From Motion"));
            let hint = "Adds a ragdoll that starts with the pose and velocity at the cursor of the Motion room";
            if button.on_hover_text(hint).on_disabled_hover_text(NO_MOTION).clicked() {
                self.take_motion(workspace, ui.ctx(), Begins::AtCursor);
            }
        });
        ui.separator();
        ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| {
            let mut kind = "";
            for entry in &entries {
                if entry.chosen.kind != kind {
                    kind = entry.chosen.kind;
                    ui.add_space(3.0);
                    let count = entries.iter().filter(|entry| entry.chosen.kind == kind).count();
                    ui.weak(format!("{kind} ({count})")).on_hover_text(plain(entry.about));
                }
                let is_chosen = self.chosen == Some(entry.chosen);
                if ui.selectable_label(is_chosen, &entry.name).on_hover_text(plain(entry.about)).clicked() {
                    (self.chosen, self.tab) = (Some(entry.chosen), Tab::Thing);
                    if BEHAVIOR.contains(&kind) {
                        workspace.request(Request::Go(crate::rooms::RoomName::Behavior));
                    }
                }
            }
            if entries.is_empty() {
                ui.weak("Nothing yet. Add something, or draw a figure.");
            }
        });
    }

    fn palette(&mut self, workspace: &mut Workspace, ui: &mut Ui) {
        let mut groups: Vec<&str> = palette::ITEMS.iter().map(|item| item.group).collect();
        groups.dedup();
        ui.set_min_width(320.0);
        ui.horizontal_top(|ui| {
            for half in groups.chunks(groups.len().div_ceil(2)) {
                ui.vertical(|ui| {
                    for group in half {
                        ui.weak(*group);
                        for item in palette::ITEMS.iter().filter(|item| item.group == *group) {
                            if ui.button(item.name).on_hover_text(item.about).clicked() {
                                self.put(workspace, ui.ctx(), item);
                                ui.close();
                            }
                        }
                        if *group == "Figures" {
                            self.motions(workspace, ui);
                        }
                        ui.add_space(4.0);
                    }
                });
            }
        });
    }

    /// Shows the palette entries that take a ragdoll from the Motion room.
    fn motions(&mut self, workspace: &mut Workspace, ui: &mut Ui) {
        let has_motion = workspace.motions.current().is_some();
        for (name, begins, about) in OF_MOTION {
            let button = ui.add_enabled(has_motion, egui::Button::new(name));
            if button.on_hover_text(about).on_disabled_hover_text(NO_MOTION).clicked() {
                self.take_motion(workspace, ui.ctx(), begins);
                ui.close();
            }
        }
    }

    fn take_motion(&mut self, workspace: &mut Workspace, ctx: &egui::Context, begins: Begins) {
        if let Some(put) = of_motion(workspace, ctx, begins) {
            (self.chosen, self.tab, self.has_put) = (Some(put), Tab::Thing, true);
        }
    }

    fn put(&mut self, workspace: &mut Workspace, ctx: &egui::Context, item: &palette::Item) {
        let on = self.chosen_name(&workspace.stage).unwrap_or_default();
        let Some(document) = &workspace.stage.document else { return };
        let at = self.chosen.and_then(|chosen| outline::middle(&document.scene, chosen));
        let ground = document.scene.setting.ground.unwrap_or(0.0);
        let target = self.view.camera.target;
        // A point on the ground under the camera's target, rounded to tenths of a meter.
        let mut place = DVec3::new((target.x * 10.0).round() / 10.0, ground, (target.z * 10.0).round() / 10.0);
        let flat = |place: DVec3| place.with_y(0.0);
        let taken: Vec<DVec3> =
            document.entries.iter().filter_map(|entry| outline::middle(&document.scene, entry.chosen)).collect();
        while taken.iter().any(|other| flat(*other).distance(flat(place)) < 0.4) {
            place.x += 0.8;
        }
        let name = format!("Add {}", item.name.to_lowercase());
        let spot = InsertPoint { place, on, at };
        let put = edit(workspace, ctx, &name, None, Keep::Start, |scene| palette::put(item, scene, &spot));
        (self.chosen, self.tab, self.has_put) = (put, Tab::Thing, true);
    }

    /// Row of tools above the view.
    pub(super) fn tools(&mut self, workspace: &mut Workspace, ui: &mut Ui) {
        let ctx = ui.ctx().clone();
        ui.add_space(2.0);
        ui.horizontal(|ui| {
            let draws = self.draft.is_some();
            if ui.selectable_label(!draws, "Select").on_hover_text("Click to choose, drag handles to move").clicked()
                && draws
            {
                self.toggle_draft(workspace);
            }
            let hint = "Points, sticks and triangles by hand: a figure from nothing (D)";
            if ui.selectable_label(draws, "Draw").on_hover_text(hint).clicked() && !draws {
                self.toggle_draft(workspace);
            }
            ui.separator();
            if self.draft.is_some() {
                self.draft_tools(workspace, ui);
                return;
            }
            ui.add_enabled_ui(self.chosen.is_some(), |ui| {
                if ui.button("Copy").on_hover_text("Copies the chosen thing to a place beside it (Ctrl+D)").clicked() {
                    self.copy(workspace, &ctx);
                }
                if ui
                    .button("Mirror")
                    .on_hover_text("Adds a mirror image of the chosen thing in the plane x = 0")
                    .clicked()
                {
                    self.mirror(workspace, &ctx);
                }
                if ui
                    .button("Remove")
                    .on_hover_text("Removes the chosen thing and everything that needs it (Delete)")
                    .clicked()
                {
                    self.remove(workspace, &ctx);
                }
            });
            ui.separator();
            let hint = "Shows contact points and contact normals, except those of herds";
            ui.toggle_value(&mut self.shows_contacts, "Contacts").on_hover_text(hint);
        });
        ui.add_space(1.0);
    }

    fn draft_tools(&mut self, workspace: &mut Workspace, ui: &mut Ui) {
        let Some(draft) = &mut self.draft else { return };
        for (tool, name, about) in DraftTool::ALL {
            if ui.selectable_label(draft.tool == tool, name).on_hover_text(about).clicked() {
                draft.take(tool);
            }
        }
        ui.separator();
        let thing = draft.thing;
        if ui
            .button("End line")
            .on_hover_text("Ends the line, as do Esc, a right click, or a click on the last point")
            .clicked()
        {
            draft.end();
        }
        ui.checkbox(&mut draft.snaps, "5 cm").on_hover_text("Snaps points to multiples of 5 cm");
        ui.separator();
        let Some(index) = thing else { return };
        if ui.button("Mirror figure").on_hover_text("Adds the mirror image of the figure in the plane x = 0").clicked()
        {
            draft.end();
            edit(workspace, ui.ctx(), "Mirror the figure", None, Keep::Start, |scene| {
                draft::mirror(&mut scene.points[index])
            });
        }
        let points = workspace.stage.document.as_ref().and_then(|document| document.scene.points.get(index));
        let triangles = points.map_or(0, |points| points.triangles.len());
        let hint = "Limits how far the last two triangles turn against each other; change the limit under Thing";
        if ui.add_enabled(triangles > 1, egui::Button::new("Limit")).on_hover_text(hint).clicked() {
            let last = triangles as u32;
            let put = edit(workspace, ui.ctx(), "Limit two triangles", None, Keep::Start, |scene| {
                let (name, of) = (outline::free_name(scene, "limit"), scene.points[index].name.as_str().into());
                scene.limits.push(Limit { name, of, first: last - 2, second: last - 1, ..Limit::default() });
                ThingRef { kind: "limit", index: scene.limits.len() - 1 }
            });
            (self.chosen, self.tab) = (put, Tab::Thing);
        }
    }

    pub(super) fn right(&mut self, workspace: &mut Workspace, ui: &mut Ui) {
        ui.add_space(4.0);
        ui.horizontal(|ui| {
            for (tab, name) in [(Tab::Thing, "Thing"), (Tab::Run, "Run"), (Tab::Charts, "Charts")] {
                if ui.selectable_label(self.tab == tab, name).clicked() {
                    self.tab = tab;
                }
            }
            if workspace.stage.building.is_some() {
                ui.spinner();
            }
        });
        ui.separator();
        fault(workspace, ui);
        ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| match self.tab {
            Tab::Thing => self.thing(workspace, ui),
            Tab::Run => {
                all_settings(workspace, ui, self.gesture);
                measures(workspace, ui);
            }
            Tab::Charts => {
                if let Some(run) = workspace.stage.document.as_ref().and_then(|document| document.run.as_ref()) {
                    run.trace.charts(ui);
                }
            }
        });
    }

    fn thing(&mut self, workspace: &mut Workspace, ui: &mut Ui) {
        if !keys(workspace, ui, self.chosen, self.gesture) {
            ui.weak("Nothing is chosen. Click a thing in the view or in the list.");
        }
    }
}

fn scenes(workspace: &mut Workspace, ui: &mut Ui) {
    let document = workspace.stage.document.as_ref();
    let shown = document.map_or("none", |document| document.name.as_str()).to_owned();
    let mark = if document.is_some_and(crate::stage::SceneDocument::is_changed) { " *" } else { "" };
    ui.horizontal(|ui| {
        let title = format!("{}{mark}", shown.replace('_', " "));
        let list = egui::ComboBox::from_id_salt("scenes").width(136.0).height(420.0).selected_text(title);
        let response = list.show_ui(ui, |ui| {
            for (name, text) in built_in::SCENES {
                let label = ui.selectable_label(shown == name, name.replace('_', " "));
                if label.on_hover_text(built_in::about(text)).clicked() {
                    workspace.request(Request::OpenScene(name));
                }
            }
        });
        response.response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::ComboBox, true, "Scene"));
        if ui.button("New").on_hover_text("An empty scene with a ground").clicked() {
            let running = workspace.running;
            workspace.stage.begin(Opening::Empty, running, ui.ctx());
        }
    });
}

/// Shows the settings of the scene and of the solver, which can be changed during a run.
fn all_settings(workspace: &mut Workspace, ui: &mut Ui, gesture: u64) {
    let Some(document) = &workspace.stage.document else { return };
    let scene = document.scene.clone();
    ui.horizontal(|ui| {
        ui.weak("Gravity of");
        for (name, gravity) in [("Earth", 9.81), ("Mars", 3.72), ("Moon", 1.62), ("none", 0.0)] {
            let is_so = scene.setting.gravity == DVec3::new(0.0, -gravity, 0.0);
            if ui.selectable_label(is_so, name).clicked() {
                let mut changed = (*scene).clone();
                changed.setting.gravity = DVec3::new(0.0, -gravity, 0.0);
                tune(workspace, "Change gravity", gesture, changed);
            }
        }
    });
    fields(workspace, ui, ThingRef { kind: "scene", index: 0 }, &settings::of_whole(), gesture);
    ui.separator();
    let only = settings::of_solver(scene.solver.method);
    fields(workspace, ui, ThingRef { kind: "solver", index: 0 }, &only, gesture);
    grip(workspace, ui);
}

/// Field for the greatest force of the mouse, which is not part of the scene.
fn grip(workspace: &mut Workspace, ui: &mut Ui) {
    let Some(run) = workspace.stage.document.as_mut().and_then(|document| document.run.as_mut()) else { return };
    ui.horizontal(|ui| {
        let hint = "Greatest force of the mouse, newtons";
        ui.label("grip").on_hover_text(hint);
        let mut force = run.grip();
        let drag = DragValue::new(&mut force).range(1.0..=1e7).speed(20.0).suffix(" N");
        let response = ui.add(drag).on_hover_text(hint);
        run.set_grip(force);
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::SpinButton, true, "grip"));
    });
}

fn measures(workspace: &Workspace, ui: &mut Ui) {
    let run = workspace.stage.document.as_ref().and_then(|document| document.run.as_ref());
    let Some(run) = run else { return };
    ui.separator();
    let count = run.status().count;
    let measures = run.seen().measures.last().copied().unwrap_or_default();
    let spent = run.status().spent;
    egui::Grid::new("measures").num_columns(2).spacing([14.0, 4.0]).show(ui, |ui| {
        let rows = [
            ("Particles", format!("{}", count.particles)),
            ("Rigid bodies", format!("{}", count.bodies)),
            ("Mass", format!("{:.1} kg", run.status().mass)),
            ("Kinetic energy", format!("{:.1} J", measures.kinetic_energy)),
            ("Potential energy", format!("{:.1} J", measures.potential_energy)),
            ("Worst gap", format!("{:.2} mm", measures.worst_gap * 1e3)),
            ("Deepest contact", format!("{:.2} mm", measures.worst_penetration * 1e3)),
            ("Asleep", format!("{:.0} %", measures.asleep * 100.0)),
            ("Step", format!("{spent:.2} ms")),
        ];
        for (name, value) in rows {
            ui.weak(name);
            ui.monospace(value);
            ui.end_row();
        }
    });
}
