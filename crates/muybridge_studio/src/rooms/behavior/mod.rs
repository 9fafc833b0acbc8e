//! The Behavior room: actions and plans of the scene.
//!
//! ```text
//! actions, plans │ view: draggable targets and curves      │ keys of an action or plan
//!                │ play, step, reset, record              │ log
//! ```

mod targets;

use std::sync::Arc;

use eframe::egui::{self, PointerButton, ScrollArea, Ui};
use muybridge::glam::DVec3;
use muybridge::simulation::Scene;
use muybridge::simulation::scene::{Action, Plan};

use super::Room;
use crate::documents::Documents;
use crate::icon::Labelled;
use crate::shortcuts::{Shortcut, key};
use crate::stage::edits::edit;
use crate::stage::gizmo::{self, Dragged};
use crate::stage::inspector::{fault, keys};
use crate::stage::outline::{self, ThingRef};
use crate::stage::{self, Keep, MouseDrag, WorldDrawing, controls, pressed_ray};
use crate::theme::Theme;
use crate::view::{self, Drawing, Ray, Seen, Viewport};
use crate::workspace::{Request, Workspace};
use targets::{TargetHandle, TargetTool};

/// State of the Behavior room: camera, selection and mouse drag.
pub struct BehaviorRoom {
    view: Viewport,
    framed: u64,
    /// The action or plan whose keys are shown; `None` if nothing is selected.
    chosen: Option<ThingRef>,
    /// The target being dragged: its handle, the scene before the drag, and the number of the gesture.
    dragged: Option<(TargetHandle, Dragged, Arc<Scene>, u64)>,
    touch: MouseDrag,
    tool: TargetTool,
    gesture: u64,
}

const REMOVE: Shortcut = key(egui::Key::Delete, "Remove the action or plan");
const SHORTEN: Shortcut = key(egui::Key::Backspace, "Remove the last point of the curve");

impl BehaviorRoom {
    /// Creates the room; `view` is the number of its 3D view.
    pub fn new(view: u64) -> Self {
        let (touch, tool) = (MouseDrag::default(), TargetTool::default());
        Self { view: Viewport::new(view), framed: 0, chosen: None, dragged: None, touch, tool, gesture: 0 }
    }

    fn lists(&mut self, workspace: &mut Workspace, ui: &mut Ui) {
        let Some(document) = &workspace.stage.document else {
            ui.label("No scene is open.");
            if ui.button("Open the scene with an arm").clicked() {
                workspace.request(Request::OpenScene("arm"));
            }
            return;
        };
        let scene = document.scene.clone();
        ui.add_space(4.0);
        ui.strong(document.name.replace('_', " "));
        ui.separator();
        let actions: Vec<&str> = scene.actions.iter().map(|action| action.name.as_str()).collect();
        self.list(workspace, ui, ("action", "Actions"), &actions);
        ui.add_space(8.0);
        let plans: Vec<&str> = scene.plans.iter().map(|plan| plan.name.as_str()).collect();
        self.list(workspace, ui, ("plan", "Plans"), &plans);
    }

    fn list(&mut self, workspace: &mut Workspace, ui: &mut Ui, (kind, title): (&'static str, &str), names: &[&str]) {
        ui.horizontal(|ui| {
            ui.strong(title);
            let word = format!("Add {kind}");
            if ui.small_button("+").on_hover_text(&word).labelled(&word).clicked() {
                self.add(workspace, ui.ctx(), kind);
            }
        });
        let mut swapped = None;
        for (index, name) in names.iter().enumerate() {
            let chosen = ThingRef { kind, index };
            ui.horizontal(|ui| {
                let is_chosen = self.chosen == Some(chosen);
                if ui.selectable_label(is_chosen, *name).clicked() {
                    self.chosen = Some(chosen);
                }
                if is_chosen {
                    let up = ui.add_enabled(index > 0, egui::Button::new("up").small());
                    if up.labelled(&format!("Move {name} up")).clicked() {
                        swapped = Some((index, index - 1));
                    }
                    let down = ui.add_enabled(index + 1 < names.len(), egui::Button::new("down").small());
                    if down.labelled(&format!("Move {name} down")).clicked() {
                        swapped = Some((index, index + 1));
                    }
                    if ui.small_button("-").on_hover_text("Remove").labelled("Remove").clicked() {
                        self.remove(workspace, ui.ctx());
                    }
                }
            });
        }
        if names.is_empty() {
            ui.weak("None yet.");
        }
        if let Some((from, to)) = swapped {
            edit(workspace, ui.ctx(), "Change the order", None, Keep::Start, |scene| match kind {
                "action" => scene.actions.swap(from, to),
                _ => scene.plans.swap(from, to),
            });
            self.chosen = Some(ThingRef { kind, index: to });
        }
    }

    fn remove(&mut self, workspace: &mut Workspace, ctx: &egui::Context) {
        if let Some(chosen) = self.chosen.take() {
            edit(workspace, ctx, "Remove", None, Keep::Start, |scene| outline::remove(scene, chosen));
        }
    }

    /// Adds an action for the first thing that can act, or a plan of all actions.
    fn add(&mut self, workspace: &mut Workspace, ctx: &egui::Context, kind: &'static str) {
        let Some(document) = &workspace.stage.document else { return };
        let moves = |kind: &str| matches!(kind, "ball" | "box" | "capsule" | "tetrahedron" | "body" | "ragdoll");
        let on = document.entries.iter().find(|entry| moves(entry.chosen.kind)).cloned();
        let Some(on) = on else {
            workspace.messages.error("Nothing in the scene can act; add a body or a ragdoll first.");
            return;
        };
        let at = outline::middle(&document.scene, on.chosen).unwrap_or_default();
        let added = edit(workspace, ctx, &format!("Add {kind}"), None, Keep::Start, |scene| {
            let name = outline::free_name(scene, if kind == "plan" { "plan" } else { "reach" });
            if kind == "plan" {
                let steps = scene.actions.iter().map(|action| action.name.clone());
                let steps = steps.map(muybridge::behavior::action::PlanStep::Act).collect();
                scene.plans.push(Plan { name, steps, ..Plan::default() });
                return ThingRef { kind, index: scene.plans.len() - 1 };
            }
            let to = Some(at + DVec3::new(0.4, 0.3, 0.0));
            let on = on.name.as_str().into();
            scene.actions.push(Action { name, on, to, seconds: Some(1.0), ..Action::default() });
            ThingRef { kind, index: scene.actions.len() - 1 }
        });
        self.chosen = added.or(self.chosen);
    }

    fn side(&mut self, workspace: &mut Workspace, ui: &mut Ui) {
        fault(workspace, ui);
        let height = (ui.available_height() * 0.68).max(120.0);
        ScrollArea::vertical().id_salt("keys").auto_shrink([false, false]).max_height(height).show(ui, |ui| {
            ui.add_space(4.0);
            if !keys(workspace, ui, self.chosen, self.gesture) {
                ui.weak("Choose an action or a plan, or click a target in the view.");
            }
        });
        ui.separator();
        ui.strong("Log");
        ScrollArea::vertical().id_salt("log").auto_shrink([false, false]).stick_to_bottom(true).show(ui, |ui| {
            let run = workspace.stage.document.as_ref().and_then(|document| document.run.as_ref());
            let log = run.map_or(&[][..], |run| &run.seen().log[..]);
            for entry in log {
                let verb = if entry.began { "begins" } else { "ends" };
                let line = format!("{:7.3} s  {} {verb}", entry.time, entry.name);
                ui.label(egui::RichText::new(line).monospace().size(11.5)).on_hover_text(&entry.why);
                if !entry.began {
                    ui.label(egui::RichText::new(format!("           {}", entry.why)).weak().size(11.0));
                }
            }
            if log.is_empty() {
                ui.weak("Nothing has begun yet.");
            }
        });
    }

    fn tools(&mut self, ui: &mut Ui) {
        ui.horizontal(|ui| {
            for (tool, name, about) in TargetTool::ALL {
                if ui.selectable_label(self.tool == tool, name).on_hover_text(about).clicked() {
                    self.tool = tool;
                }
            }
        });
    }

    /// Index of the selected action; `None` if a plan or nothing is selected.
    fn action(&self) -> Option<usize> {
        self.chosen.filter(|chosen| chosen.kind == "action").map(|chosen| chosen.index)
    }

    /// Sets the goal of the action, or adds a point to its curve, at the clicked position.
    fn set(&mut self, workspace: &mut Workspace, ctx: &egui::Context, ray: &Ray) {
        let (tool, camera) = (self.tool, self.view.camera);
        if self.action().is_none() {
            self.add(workspace, ctx, "action");
        }
        let (Some(document), Some(index)) = (&workspace.stage.document, self.action()) else { return };
        let Some(place) = tool.place(&document.scene, Some(index), &camera, ray) else { return };
        let name = if tool == TargetTool::Target { "Place a target" } else { "Add a point to a curve" };
        edit(workspace, ctx, name, None, Keep::State, |scene| {
            scene.actions.get_mut(index).map(|action| tool.set(action, place))
        });
    }

    /// Removes the last point of the selected action's curve.
    fn shorten(&mut self, workspace: &mut Workspace, ctx: &egui::Context) {
        let Some(index) = self.action() else { return };
        edit(workspace, ctx, "Take a point away", None, Keep::State, |scene| {
            scene.actions.get_mut(index).map(targets::shorten)
        });
    }

    fn central(&mut self, workspace: &mut Workspace, ui: &mut Ui) {
        let theme = Theme::current(ui);
        let stage = &mut workspace.stage;
        let mut picture = WorldDrawing::default();
        picture.drawing.floor = Some(0.0);
        let mut at = None;
        if let Some(document) = &stage.document {
            if let Some(run) = &document.run {
                picture = stage::picture(run.seen(), None, &theme);
                if std::mem::replace(&mut self.framed, stage.changes) != stage.changes
                    && let Some((low, high)) = picture.drawing.bounds()
                {
                    self.chosen = None;
                    self.view.frame_next(low.min(low.with_y(run.seen().ground.unwrap_or(low.y))), high);
                }
                self.touch.draw(run, &theme, &mut picture.drawing);
            }
            let index = self.action();
            targets::draw(&document.scene, index, &theme, &mut picture.drawing);
            let target = self.dragged.as_ref().map(|dragged| dragged.0);
            at = target.or(index.map(TargetHandle::goal)).and_then(|target| target.place(&document.scene));
        }
        if let Some(at) = at {
            gizmo::draw(&mut picture.drawing, at, &self.view.camera, &theme);
        }
        let drawing = Arc::new(std::mem::take(&mut picture.drawing));
        let seen = self.view.show(ui, drawing.clone(), None);
        workspace.stage.eye = Some((self.view.camera, seen.rect));
        self.mouse(workspace, ui, &seen, (&picture, &drawing), at);
        let about = TargetTool::ALL.iter().find(|(tool, ..)| *tool == self.tool).map(|(.., about)| *about);
        controls::caption(workspace, &self.touch, about, ui, seen.rect);
    }

    fn mouse(
        &mut self,
        workspace: &mut Workspace,
        ui: &Ui,
        seen: &Seen,
        (picture, drawing): (&WorldDrawing, &Drawing),
        handle_at: Option<DVec3>,
    ) {
        let camera = self.view.camera;
        let Some(document) = &mut workspace.stage.document else { return };
        let started = seen.response.drag_started_by(PointerButton::Primary);
        let pressed = ui.input(|input| input.pointer.press_origin()).filter(|_| started);
        let (ray, pointer) = (pressed_ray(ui, seen, &camera), pressed.or(seen.pointer));
        let target = pointer.and_then(|at| targets::pick(&document.scene, &camera, seen.rect, at));
        let index = self.action();
        let grip = handle_at.zip(pointer).and_then(|(at, pointer)| gizmo::pick(at, &camera, seen.rect, pointer));
        let under = document.run.as_ref().zip(ray).and_then(|(run, ray)| picture.pick(drawing, run.seen(), &ray));
        let under = self.touch.meant(ui, seen, under, document.run.as_ref());
        let shift = ui.input(|input| input.modifiers.shift);
        let takes = document.run.as_ref().is_some_and(|run| MouseDrag::would(run, under.as_ref(), shift));
        let busy = self.touch.is_busy() || self.dragged.is_some();
        self.view.held(grip.is_some() || target.is_some() || takes || busy);
        if seen.response.clicked_by(PointerButton::Primary) {
            if self.tool != TargetTool::Select
                && let Some(ray) = seen.ray
            {
                self.set(workspace, ui.ctx(), &ray);
                return;
            }
            if let Some(target) = target {
                self.chosen = Some(ThingRef { kind: "action", index: target.action });
            }
        }
        if started && let Some(ray) = ray {
            let by_grip = grip.zip(index).map(|(grip, index)| (TargetHandle::goal(index), grip));
            let free = gizmo::GizmoPart::Plane(camera.axes().z_axis);
            let taken = by_grip.or(target.map(|target| (target, free)));
            if let Some((target, grip)) = taken
                && let Some(place) = target.place(&document.scene)
            {
                self.chosen = Some(ThingRef { kind: "action", index: target.action });
                let dragged = Dragged::begin(grip, place, &ray);
                self.dragged = Some((target, dragged, document.scene.clone(), self.gesture));
            }
        }
        if self.dragged.is_none()
            && let Some(run) = &mut document.run
        {
            self.touch.handle_pointer(ui, seen, &camera, under.as_ref(), run);
        }
        self.drag(workspace, ui, seen);
    }

    /// Moves the dragged target; the edit keeps the state of the run.
    fn drag(&mut self, workspace: &mut Workspace, ui: &Ui, seen: &Seen) {
        let Some((target, dragged, before, gesture)) = self.dragged.clone() else { return };
        let snaps = ui.input(|input| input.modifiers.command);
        if let Some(by) = seen.ray.and_then(|ray| dragged.by(&ray, snaps))
            && !seen.response.drag_started()
        {
            edit(workspace, ui.ctx(), "Move a target", Some(gesture), Keep::State, |scene| {
                scene.clone_from(&before);
                target.shift(scene, by);
            });
        }
        if !seen.response.dragged_by(PointerButton::Primary) {
            self.dragged = None;
        }
    }
}

impl Room for BehaviorRoom {
    fn ui(&mut self, workspace: &mut Workspace, ui: &mut Ui) {
        let ctx = ui.ctx().clone();
        if ctx.input(|input| input.pointer.any_pressed()) {
            self.gesture = workspace.stage.gesture();
        }
        if REMOVE.pressed(&ctx) {
            self.remove(workspace, &ctx);
        }
        if SHORTEN.pressed(&ctx) {
            self.shorten(workspace, &ctx);
        }
        controls::tick(workspace, &ctx);
        egui::Panel::left("actions and plans").default_size(210.0).show(ui, |ui| self.lists(workspace, ui));
        egui::Panel::right("action").default_size(360.0).show(ui, |ui| self.side(workspace, ui));
        if workspace.stage.document.is_some() {
            egui::Panel::top("tools").show(ui, |ui| self.tools(ui));
            egui::Panel::bottom("run").show(ui, |ui| controls::bar(workspace, ui));
        }
        egui::CentralPanel::no_frame().show(ui, |ui| self.central(workspace, ui));
    }

    fn shortcuts(&self) -> &'static [(&'static str, &'static [Shortcut])] {
        &[("Behavior", &[stage::PLAY, stage::STEP, stage::RESET, REMOVE, SHORTEN]), ("View", view::SHORTCUTS)]
    }

    fn documents<'a>(&self, workspace: &'a mut Workspace) -> Option<&'a mut dyn Documents> {
        Some(&mut workspace.stage)
    }

    fn file_menu(&self, workspace: &mut Workspace, ui: &mut Ui) {
        controls::file_menu(workspace, ui);
    }
}
