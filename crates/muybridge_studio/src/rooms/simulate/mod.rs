//! The Simulate room: builds a scene and runs it.
//!
//! ```text
//! scene, things │ tools                        │ thing, run, charts
//!               │ view of the world            │
//!               │ play, step, reset, record    │
//! ```

pub mod draft;
pub mod palette;
mod panels;

use std::sync::Arc;

use eframe::egui::{self, Key, PointerButton, Ui};
use muybridge::glam::DVec3;
use muybridge::simulation::Scene;
use muybridge_files::formats::{self, SCENE};

use self::draft::{Draft, DraftTool};
use super::Room;
use crate::documents::Documents;
use crate::shortcuts::{Shortcut, key, with_ctrl};
use crate::stage::edits::edit;
use crate::stage::gizmo::{self, Dragged};
use crate::stage::outline::{self, ThingRef};
use crate::stage::{self, Keep, MouseDrag, OpenScene, Opening, WorldDrawing, controls, pressed_ray};
use crate::stage::{PLAY, RESET, STEP};
use crate::theme::Theme;
use crate::view::{self, Drawing, Seen, ViewAxis, Viewport};
use crate::workspace::{FileToOpen, Workspace};

/// State of the Simulate room: view, selection, drawing tool and mouse drag.
pub struct SimulateRoom {
    view: Viewport,
    /// Value of [`OpenScene::changes`] when the view last framed the scene.
    framed: u64,
    tab: Tab,
    /// The thing whose keys are shown; `None` if nothing is selected.
    chosen: Option<ThingRef>,
    draft: Option<Draft>,
    /// The move gizmo being dragged, the scene before the drag, and the number of the gesture.
    dragged: Option<(Dragged, Arc<Scene>, u64)>,
    touch: MouseDrag,
    /// Whether contact points are drawn.
    shows_contacts: bool,
    /// Gesture number of the changes since the last mouse press or field change.
    gesture: u64,
    /// Whether a thing was added: once it is built, the view zooms out if needed to show it.
    has_put: bool,
}

/// Content of the panel on the right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tab {
    Thing,
    Run,
    Charts,
}

const REMOVE: Shortcut = key(Key::Delete, "Remove the chosen thing");
const COPY: Shortcut = with_ctrl(Key::D, "Copy the chosen thing");
const DRAW: Shortcut = key(Key::D, "Draw by hand, or end it");
const END: Shortcut = key(Key::Escape, "End a line; choose nothing");

impl SimulateRoom {
    /// Creates the room; `view` is the number of its 3D view.
    pub fn new(view: u64) -> Self {
        Self {
            view: Viewport::new(view),
            framed: 0,
            tab: Tab::Run,
            chosen: None,
            draft: None,
            dragged: None,
            touch: MouseDrag::default(),
            shows_contacts: false,
            gesture: 0,
            has_put: false,
        }
    }

    fn keys(&mut self, workspace: &mut Workspace, ctx: &egui::Context) {
        // Text typed into another field is a change of its own.
        let leaves = |input: &egui::InputState| [Key::Tab, Key::Enter].iter().any(|&key| input.key_pressed(key));
        if ctx.input(|input| input.pointer.any_pressed() || leaves(input)) {
            self.gesture = workspace.stage.gesture();
        }
        if COPY.pressed(ctx) {
            self.copy(workspace, ctx);
        }
        if REMOVE.pressed(ctx) {
            self.remove(workspace, ctx);
        }
        if DRAW.pressed(ctx) && workspace.stage.document.is_some() {
            self.toggle_draft(workspace);
        }
        if END.pressed(ctx) {
            match &mut self.draft {
                Some(draft) => draft.end(),
                None => self.chosen = None,
            }
        }
    }

    fn copy(&mut self, workspace: &mut Workspace, ctx: &egui::Context) {
        let Some(chosen) = self.chosen else { return };
        let copied = edit(workspace, ctx, "Copy", None, Keep::Start, |scene| {
            outline::copy(scene, chosen, DVec3::new(0.5, 0.0, 0.0))
        });
        self.chosen = copied.flatten().or(self.chosen);
    }

    fn mirror(&mut self, workspace: &mut Workspace, ctx: &egui::Context) {
        let Some(chosen) = self.chosen else { return };
        let mirrored = edit(workspace, ctx, "Mirror", None, Keep::Start, |scene| outline::mirror(scene, chosen));
        self.chosen = mirrored.flatten().or(self.chosen);
    }

    fn remove(&mut self, workspace: &mut Workspace, ctx: &egui::Context) {
        if let Some(chosen) = self.chosen.take() {
            self.draft = None;
            edit(workspace, ctx, "Remove", None, Keep::Start, |scene| outline::remove(scene, chosen));
        }
    }

    /// Starts drawing by hand, with a front view and the run reset; or ends it.
    fn toggle_draft(&mut self, workspace: &mut Workspace) {
        if self.draft.take().is_some() {
            return;
        }
        let own = self.chosen.filter(|chosen| chosen.kind == "points").map(|chosen| chosen.index);
        self.draft = Some(Draft::new(own));
        if let Some(run) = workspace.stage.document.as_mut().and_then(|document| document.run.as_mut()) {
            run.reset();
        }
        self.view.camera.look_from(ViewAxis::Front);
        self.view.frame_next(DVec3::new(-1.0, 0.0, -0.5), DVec3::new(1.0, 2.0, 0.5));
    }

    fn central(&mut self, workspace: &mut Workspace, ui: &mut Ui) {
        let theme = Theme::current(ui);
        let stage = &mut workspace.stage;
        let mut picture = WorldDrawing::default();
        picture.drawing.floor = Some(0.0);
        let name = self.chosen_name(stage);
        if let Some(document) = &mut stage.document {
            if let Some(run) = &mut document.run {
                run.show_touches(self.shows_contacts);
                picture = stage::picture(run.seen(), name.as_deref(), &theme);
                stage::contacts(&run.frame().touches, &theme, &mut picture.drawing);
                self.touch.draw(run, &theme, &mut picture.drawing);
            }
            if std::mem::replace(&mut self.framed, stage.changes) != stage.changes {
                (self.chosen, self.draft, self.dragged) = (None, None, None);
                if let Some((low, high)) = picture.drawing.bounds() {
                    let floor = document.scene.setting.ground.unwrap_or(low.y);
                    self.view.frame_next(low.min(low.with_y(floor)), high);
                }
            }
        }
        if self.has_put && stage.building.is_none() {
            self.has_put = false;
            self.see(stage, &picture.drawing);
        }
        let anchor = self.anchor(stage);
        if let Some(at) = anchor {
            gizmo::draw(&mut picture.drawing, at, &self.view.camera, &theme);
        }
        self.draw_draft(workspace, ui, &theme, &mut picture.drawing);
        let drawing = Arc::new(std::mem::take(&mut picture.drawing));
        let seen = self.view.show(ui, drawing.clone(), None);
        workspace.stage.eye = Some((self.view.camera, seen.rect));
        if self.draft.is_some() {
            self.view.held(true);
            self.drawing_mouse(workspace, ui, &seen);
        } else {
            self.mouse(workspace, ui, &seen, (&picture, &drawing), anchor);
        }
        let tool = self.draft.as_ref().map(|draft| draft.tool);
        let about = DraftTool::ALL.iter().find(|(other, ..)| Some(*other) == tool).map(|(.., about)| *about);
        controls::caption(workspace, &self.touch, about, ui, seen.rect);
    }

    /// Frames the whole scene if part of it is out of sight.
    fn see(&mut self, stage: &OpenScene, drawing: &Drawing) {
        let (Some((low, high)), Some((camera, rect))) = (drawing.bounds(), stage.eye) else { return };
        let corner =
            |index: u8| DVec3::select(glam::BVec3::from_array([0, 1, 2].map(|axis| index >> axis & 1 == 0)), low, high);
        let seen = |place: DVec3| camera.project(rect, place).is_some_and(|at| rect.contains(at));
        if !(0..8).all(|index| seen(corner(index))) {
            self.view.frame_next(low, high);
        }
    }

    /// Position of the move gizmo of the selected thing; `None` unless the run is at its start, as the gizmo edits
    /// starting positions.
    fn anchor(&self, stage: &OpenScene) -> Option<DVec3> {
        let document = stage.document.as_ref().filter(|_| self.draft.is_none())?;
        let stands = document.run.as_ref().is_none_or(|run| run.is_at_start() && !run.is_playing());
        outline::middle(&document.scene, self.chosen.filter(|_| stands)?)
    }

    fn chosen_name(&self, stage: &OpenScene) -> Option<String> {
        let entries = &stage.document.as_ref()?.entries;
        entries.iter().find(|entry| Some(entry.chosen) == self.chosen && entry.named).map(|entry| entry.name.clone())
    }

    /// Handles the mouse: selection, the move gizmo at the start of a run, and holding or pushing during a run.
    fn mouse(
        &mut self,
        workspace: &mut Workspace,
        ui: &Ui,
        seen: &Seen,
        (picture, drawing): (&WorldDrawing, &Drawing),
        anchor: Option<DVec3>,
    ) {
        let ray = pressed_ray(ui, seen, &self.view.camera);
        let Some(document) = &mut workspace.stage.document else { return };
        let looked = document.run.as_mut().zip(ray);
        let under = looked.as_ref().and_then(|(run, ray)| picture.pick(drawing, run.seen(), ray));
        let under = self.touch.meant(ui, seen, under, document.run.as_ref());
        let grip = anchor.zip(seen.pointer).and_then(|(at, pointer)| {
            let pressed = ui.input(|input| input.pointer.press_origin()).filter(|_| seen.response.drag_started());
            gizmo::pick(at, &self.view.camera, seen.rect, pressed.unwrap_or(pointer))
        });
        let shift = ui.input(|input| input.modifiers.shift);
        let takes = document.run.as_ref().is_some_and(|run| MouseDrag::would(run, under.as_ref(), shift));
        self.view.held(grip.is_some() || takes || self.touch.is_busy() || self.dragged.is_some());
        if seen.response.clicked_by(PointerButton::Primary) {
            let name = under.as_ref().map(|under| under.part.thing());
            self.chosen = name.and_then(|name| outline::find(&document.entries, name));
            self.tab = if self.chosen.is_some() { Tab::Thing } else { self.tab };
        }
        if seen.response.drag_started_by(PointerButton::Primary)
            && let (Some(grip), Some(at), Some(ray)) = (grip, anchor, ray)
        {
            self.dragged = Some((Dragged::begin(grip, at, &ray), document.scene.clone(), self.gesture));
        } else if self.dragged.is_none()
            && let Some(run) = &mut document.run
        {
            self.touch.handle_pointer(ui, seen, &self.view.camera, under.as_ref(), run);
        }
        self.drag(workspace, ui, seen);
    }

    /// Moves the selected thing while its gizmo is dragged.
    fn drag(&mut self, workspace: &mut Workspace, ui: &Ui, seen: &Seen) {
        let Some((dragged, before, gesture)) = self.dragged.clone() else { return };
        let snaps = ui.input(|input| input.modifiers.command);
        if let (Some(by), Some(chosen)) = (seen.ray.and_then(|ray| dragged.by(&ray, snaps)), self.chosen)
            && !seen.response.drag_started()
        {
            edit(workspace, ui.ctx(), "Move", Some(gesture), Keep::Start, |scene| {
                scene.clone_from(&before);
                outline::shift(scene, chosen, by);
            });
        }
        if !seen.response.dragged_by(PointerButton::Primary) {
            self.dragged = None;
        }
    }

    fn draw_draft(&self, workspace: &Workspace, ui: &Ui, theme: &Theme, drawing: &mut Drawing) {
        let (Some(draft), Some(document)) = (&self.draft, &workspace.stage.document) else { return };
        let points = draft.thing.and_then(|index| document.scene.points.get(index));
        let pointer = ui.input(|input| input.pointer.hover_pos());
        let seen = workspace.stage.eye.zip(pointer).filter(|((_, rect), at)| rect.contains(*at));
        let place = seen.and_then(|((_, rect), at)| {
            let camera = &self.view.camera;
            let on = points.and_then(|points| Draft::pick(points, camera, rect, at).map(|on| points.positions[on]));
            on.or_else(|| draft.point_on_plane(points, camera, &camera.ray(rect, at)))
        });
        draft.draw(points, place, theme, drawing);
    }

    /// Handles clicks and drags while a figure is drawn.
    fn drawing_mouse(&mut self, workspace: &mut Workspace, ui: &Ui, seen: &Seen) {
        let (Some(draft), Some(document)) = (&mut self.draft, &workspace.stage.document) else { return };
        let camera = self.view.camera;
        let points = draft.thing.and_then(|index| document.scene.points.get(index));
        let under = |at| points.and_then(|points| Draft::pick(points, &camera, seen.rect, at));
        if draft.tool == DraftTool::Move {
            if seen.response.drag_started_by(PointerButton::Primary) {
                let pressed = ui.input(|input| input.pointer.press_origin());
                draft.dragged = pressed.and_then(under).map(|point| (point, self.gesture));
            }
            let mut moved = draft.clone();
            moved.last = draft.dragged.map(|(point, _)| point);
            let place = seen.ray.and_then(|ray| moved.point_on_plane(points, &camera, &ray));
            if let (Some((point, gesture)), Some(index), Some(place)) = (draft.dragged, draft.thing, place) {
                edit(workspace, ui.ctx(), "Move a point", Some(gesture), Keep::Start, |scene| {
                    scene.points[index].positions[point] = place;
                });
            }
            if !seen.response.dragged_by(PointerButton::Primary) {
                draft.dragged = None;
            }
            return;
        }
        if seen.response.secondary_clicked() {
            draft.end();
        }
        let Some(at) = seen.response.interact_pointer_pos().filter(|_| seen.response.clicked()) else { return };
        let (on, place) = (under(at), draft.point_on_plane(points, &camera, &camera.ray(seen.rect, at)));
        let (Some(place), mut scene) = (place, (*document.scene).clone()) else { return };
        let index = draft.thing.filter(|index| *index < scene.points.len()).unwrap_or_else(|| {
            let name = outline::free_name(&scene, "figure");
            scene.points.push(muybridge::simulation::scene::Points { name, radius: 0.03, ..Default::default() });
            scene.points.len() - 1
        });
        if let Some(change) = draft.click(&mut scene.points[index], on, place) {
            draft.thing = Some(index);
            self.chosen = Some(ThingRef { kind: "points", index });
            edit(workspace, ui.ctx(), change, None, Keep::Start, |now| *now = scene);
        }
    }
}

impl Room for SimulateRoom {
    fn ui(&mut self, workspace: &mut Workspace, ui: &mut Ui) {
        let ctx = ui.ctx().clone();
        self.keys(workspace, &ctx);
        controls::tick(workspace, &ctx);
        if let (Some(draft), Some(document)) = (&mut self.draft, &workspace.stage.document) {
            draft.mend(&document.scene);
        }
        egui::Panel::left("things").default_size(210.0).show(ui, |ui| self.left(workspace, ui));
        egui::Panel::right("scene").default_size(330.0).show(ui, |ui| self.right(workspace, ui));
        if workspace.stage.document.is_some() {
            egui::Panel::top("tools").show(ui, |ui| self.tools(workspace, ui));
            egui::Panel::bottom("run").show(ui, |ui| controls::bar(workspace, ui));
        }
        egui::CentralPanel::no_frame().show(ui, |ui| self.central(workspace, ui));
    }

    fn shortcuts(&self) -> &'static [(&'static str, &'static [Shortcut])] {
        &[("Simulation", &[PLAY, STEP, RESET, DRAW, END, COPY, REMOVE]), ("View", view::SHORTCUTS)]
    }

    fn takes(&self, source: &FileToOpen) -> bool {
        formats::of_path(&source.path).any(|format| *format == SCENE)
    }

    fn open(&mut self, workspace: &mut Workspace, source: FileToOpen, ctx: &egui::Context) {
        workspace.stage.begin(Opening::File(source), workspace.running, ctx);
    }

    fn documents<'a>(&self, workspace: &'a mut Workspace) -> Option<&'a mut dyn Documents> {
        Some(&mut workspace.stage)
    }

    fn file_menu(&self, workspace: &mut Workspace, ui: &mut Ui) {
        controls::file_menu(workspace, ui);
    }
}
