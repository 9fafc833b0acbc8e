//! The Motion room: shows, edits and corrects a motion.
//!
//! ```text
//! tabs of open motions
//! view: overlays at the cursor      │ toggles, verdict, findings
//! time line with flights and contacts, charts under it
//! ```

mod charts;
mod findings;
pub mod handles;
mod overlays;
mod panel;
mod tabs;

use std::sync::Arc;

use eframe::egui::{self, Ui};
use muybridge::analysis::Finding;
use muybridge_files::formats::{self, FileFormat};
use muybridge_files::sniff::sniff;

pub use charts::Charts;
pub use overlays::Overlays;

use findings::Clicked;
use panel::CorrectionPanel;

use super::Room;
use crate::documents::Documents;
use crate::motions::{Ask, MotionDocument};
use crate::shortcuts::{Shortcut, key};
use crate::theme::Theme;
use crate::timeline;
use crate::view::{self, Viewport};
use crate::workspace::{FileToOpen, Request, Workspace};

/// State of the Motion room: view, overlays, panels and selection.
pub struct MotionRoom {
    view: Viewport,
    overlays: Overlays,
    panel: CorrectionPanel,
    charts: Charts,
    /// Index of the finding that was clicked last; `None` if there is none.
    chosen: Option<usize>,
    /// Value of [`Motions::changes`] when the view last framed the motion.
    framed: u64,
    /// Overlays to restore while they are hidden; `None` if they are shown.
    hidden: Option<Overlays>,
}

const NEXT: Shortcut = key(egui::Key::ArrowUp, "To the next start or end of a flight or contact");
const BEFORE: Shortcut = key(egui::Key::ArrowDown, "To the previous start or end of a flight or contact");
const HIDE: Shortcut = key(egui::Key::H, "Hide all overlays, or show them again");

impl MotionRoom {
    /// Creates the room; `view` is the number of its 3D view.
    pub fn new(view: u64) -> Self {
        Self {
            view: Viewport::new(view),
            overlays: Overlays::default(),
            panel: CorrectionPanel::default(),
            charts: Charts::default(),
            chosen: None,
            framed: 0,
            hidden: None,
        }
    }

    /// Handles the keys of the motion; the time line has its own.
    fn keys(&mut self, document: &mut MotionDocument, ctx: &egui::Context) {
        if NEXT.pressed(ctx) {
            document.timeline.go_to_next(&overlays::events(document.shown()));
        }
        if BEFORE.pressed(ctx) {
            document.timeline.go_to_last(&overlays::events(document.shown()));
        }
        if HIDE.pressed(ctx) {
            self.overlays = match self.hidden.take() {
                Some(shown) => shown,
                None => {
                    self.hidden = Some(self.overlays);
                    self.overlays.without_signs()
                }
            };
        }
    }

    /// Side panel with overlay toggles, findings and corrections; returns the requested correction.
    fn side(&mut self, document: &mut MotionDocument, ui: &mut Ui) -> Option<Ask> {
        overlays::panel(ui, &mut self.overlays);
        ui.separator();
        let motion = document.shown();
        let prepared = &motion.prepared;
        let mass = format!("{:.1} kg, {}", motion.analysis.mass, motion.analysis.body_source);
        ui.weak(mass).on_hover_text(prepared.unit_in_words());
        ui.add_space(4.0);
        let analysis = motion.analysis.clone();
        // The correction panel has a fixed place below, so that sliders stay put while findings come and go.
        let correction = egui::Panel::bottom("correction").show(ui, |ui| {
            ui.add_space(4.0);
            self.panel.ui(ui, document)
        });
        let mut mended = None;
        egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            let mends = |finding: &Finding| self.panel.mending(&document.motion, finding).is_some();
            match findings::list(ui, &analysis, self.chosen, mends) {
                Some(Clicked::GoTo(index, finding)) => {
                    self.chosen = Some(index);
                    document.timeline.go_to(finding.span.first);
                }
                Some(Clicked::Fix(finding)) => {
                    let fix = self.panel.mending(&document.motion, finding);
                    mended = fix.map(|fix| document.correction_request(format!("Fix {}", finding.id), fix));
                }
                None => {}
            }
        });
        mended.or(correction.inner)
    }
}

impl Room for MotionRoom {
    fn ui(&mut self, workspace: &mut Workspace, ui: &mut Ui) {
        tabs::show(workspace, ui);
        // Without a drag or a running correction, previews are outdated.
        if !self.panel.drags() && !workspace.motions.bench.is_busy() {
            workspace.motions.drop_sketches();
        }
        let changes = workspace.motions.changes;
        let compared = workspace.motions.ghost().map(|other| other.motion.clone());
        let Some(document) = workspace.motions.current_mut() else {
            egui::CentralPanel::default().show(ui, |ui| nothing(workspace, ui));
            return;
        };
        if std::mem::replace(&mut self.framed, changes) != changes {
            self.chosen = None;
            if let Some((low, high)) = document.motion.extent() {
                self.view.frame_next(low, high);
            }
        }
        document.timeline.tick(ui.ctx());
        self.keys(document, ui.ctx());
        let theme = Theme::current(ui);
        let side = egui::Panel::right("findings").default_size(310.0).show(ui, |ui| self.side(document, ui));
        let (mut wanted, mut eye) = (side.inner, None);
        egui::Panel::bottom("time").show(ui, |ui| {
            ui.add_space(3.0);
            let bars = overlays::bars(document.shown(), &theme);
            document.timeline.ui(ui, &overlays::ROWS, &bars);
            let shown = document.shown().clone();
            self.charts.ui(ui, &shown, &mut document.timeline);
            ui.add_space(2.0);
        });
        egui::CentralPanel::no_frame().show(ui, |ui| {
            let frame = document.timeline.frame();
            let mut drawing = overlays::drawing(document.shown(), frame, &self.overlays, &theme);
            if self.panel.original {
                overlays::ghost(&mut drawing, &document.original, document.timeline.time, &theme);
            }
            if let Some(other) = &compared {
                overlays::ghost(&mut drawing, other, document.timeline.time, &theme);
            }
            self.panel.draw(document, &mut drawing, &theme);
            let seen = self.view.show(ui, Arc::new(drawing), document.shown().extent());
            overlays::labels(ui, seen.rect, &self.view.camera, document.shown(), &self.overlays);
            eye = Some((self.view.camera, seen.rect));
            let (camera, upright) = (self.view.camera, ui.input(|input| input.modifiers.shift));
            let (near, ask) =
                self.panel.handle_pointer(document, &seen, upright, |point| camera.project(seen.rect, point));
            self.view.held(near || self.panel.holds());
            wanted = ask.or(wanted.take());
        });
        workspace.motions.eye = eye;
        if let Some(ask) = wanted {
            workspace.motions.correct(ask, workspace.running, ui.ctx());
        }
    }

    fn documents<'a>(&self, workspace: &'a mut Workspace) -> Option<&'a mut dyn Documents> {
        Some(&mut workspace.motions)
    }

    fn shortcuts(&self) -> &'static [(&'static str, &'static [Shortcut])] {
        &[
            ("Time line", timeline::SHORTCUTS),
            ("Motion", &[NEXT, BEFORE, HIDE, tabs::RAGDOLL]),
            ("View", view::SHORTCUTS),
        ]
    }

    fn takes(&self, source: &FileToOpen) -> bool {
        let by_content = || source.bytes.as_deref().and_then(|bytes| sniff(&source.path, bytes).ok());
        formats::of_path(&source.path).any(FileFormat::holds_motion)
            || by_content().is_some_and(FileFormat::holds_motion)
    }

    fn open(&mut self, workspace: &mut Workspace, source: FileToOpen, ctx: &egui::Context) {
        workspace.motions.open(source, workspace.running, ctx);
    }
}

fn nothing(workspace: &mut Workspace, ui: &mut Ui) {
    ui.vertical_centered(|ui| {
        ui.add_space(ui.available_height() * 0.35);
        if !workspace.motions.opening.is_empty() {
            ui.spinner();
            return;
        }
        ui.label("No motion is open. Drop a file here, or");
        if ui.button("Open a file…").clicked() {
            workspace.request(Request::Ask);
        }
        if ui.button("Open the sample").clicked() {
            workspace.request(Request::OpenSample);
        }
    });
}
