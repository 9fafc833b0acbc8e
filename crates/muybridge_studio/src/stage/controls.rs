//! Controls of a run: play, step, reset, speed, recording, and export of the recording.

use eframe::egui::{self, Ui};
use muybridge_files::AllowedFiles;
use muybridge_files::formats::{FORMATS, FileFormat, GLB};
use muybridge_files::scene::{export, skins, write_log};

use super::mouse_drag::MouseDrag;
use super::recording;
use super::{PLAY, RESET, RunHandle, STEP};
use crate::icon::{self, Icon};
use crate::theme::Theme;
use crate::workspace::{Request, Workspace};

/// Playback speeds that can be chosen, as multiples of real time.
const SPEEDS: [f64; 6] = [0.05, 0.1, 0.25, 0.5, 1.0, 2.0];

/// Longest time that one frame of the window advances the run, seconds.
const LONGEST: f64 = 0.25;

/// Handles the keys of the run and advances it by the time of a frame of the window.
pub fn tick(workspace: &mut Workspace, ctx: &egui::Context) {
    let Some(run) = run_of(workspace) else { return };
    if PLAY.pressed(ctx) {
        run.play(!run.is_playing());
    }
    if STEP.pressed(ctx) {
        run.step();
    }
    if RESET.pressed(ctx) {
        run.reset();
    }
    run.advance(ctx.input(|input| f64::from(input.stable_dt).min(LONGEST)));
    if run.is_playing() {
        ctx.request_repaint();
    }
}

fn run_of(workspace: &mut Workspace) -> Option<&mut RunHandle> {
    workspace.stage.document.as_mut()?.run.as_mut()
}

/// Row of buttons under the view.
pub fn bar(workspace: &mut Workspace, ui: &mut Ui) {
    ui.add_space(3.0);
    ui.horizontal(|ui| {
        let Some(run) = run_of(workspace) else {
            ui.weak("No simulation yet: the scene is being built, or has an error.");
            return;
        };
        let (sign, name) = if run.is_playing() { (Icon::Pause, "Pause") } else { (Icon::Play, "Play") };
        if icon::button(ui, Icon::First, "Reset", "Home").clicked() {
            run.reset();
        }
        if icon::button(ui, sign, name, "Space").clicked() {
            run.play(!run.is_playing());
        }
        if icon::button(ui, Icon::On, "Step", "Right").clicked() {
            run.step();
        }
        ui.monospace(format!("{:7.3} s  [{}]", run.status().clock, run.status().steps));
        if let Some(last) = run.status().replayed {
            let hint =
                "Replays a log and compares the run with it. A drag, a push or a changed setting ends the replay";
            ui.weak(format!("replay to {last}")).on_hover_text(hint);
        }
        let speed = |speed: f64| format!("{speed} x");
        let list = egui::ComboBox::from_id_salt("run speed").width(62.0).selected_text(speed(run.speed()));
        let response = list.show_ui(ui, |ui| {
            for choice in SPEEDS {
                if ui.selectable_label(run.speed() == choice, speed(choice)).clicked() {
                    run.set_speed(choice);
                }
            }
        });
        response.response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::ComboBox, true, "Speed"));
        ui.separator();
        record(workspace, ui);
    });
    ui.add_space(2.0);
}

fn record(workspace: &mut Workspace, ui: &mut Ui) {
    let theme = Theme::current(ui);
    let Some(run) = run_of(workspace) else { return };
    match run.status().recorded {
        None => {
            let hint = "Records the run from now on, with everything you do with the mouse, and starts playing";
            if ui.button("Record").on_hover_text(hint).clicked() {
                run.record();
            }
        }
        Some(frames) => {
            let words = egui::RichText::new("Stop recording").color(theme.ballistic);
            if ui.button(words).clicked() {
                run.end_recording();
            }
            ui.weak(format!("{frames} frames"));
        }
    }
    if workspace.stage.recording.is_some() {
        let hint = "Opens the recorded motion of the first ragdoll in the Motion room";
        if ui.button("Show in Motion").on_hover_text(hint).clicked() {
            show(workspace);
        }
        if ui
            .button("Export GLB…")
            .on_hover_text("Saves the whole recorded run with all its things as a GLB file")
            .clicked()
        {
            export_as(workspace, &GLB);
        }
    }
}

/// Opens the recorded motion of a ragdoll in the Motion room.
pub fn show(workspace: &mut Workspace) {
    let Some(recording) = &workspace.stage.recording else { return };
    match recording::motion(recording, None) {
        Ok((name, prepared)) => workspace.request(Request::Show(name, Box::new(prepared))),
        Err(sentence) => workspace.messages.error(sentence),
    }
}

fn export_as(workspace: &mut Workspace, format: &FileFormat) {
    let Some(recording) = &workspace.stage.recording else { return };
    let (skins, losses) = match &workspace.stage.document {
        Some(document) if format.holds_runs() => skins(&document.scene, &document.folder, &AllowedFiles::everywhere()),
        _ => Default::default(),
    };
    match export(recording, &skins, format) {
        Ok((converted, notes)) => {
            losses.into_iter().chain(notes).for_each(|note| workspace.messages.note(note));
            let stem = if recording.name.is_empty() { "run" } else { &recording.name };
            let name = format!("{}.{}", stem.replace(' ', "_"), format.extension());
            workspace.request(Request::Export(name, converted.file));
        }
        Err(error) => workspace.messages.error(error.to_string()),
    }
}

/// Adds the exports of the last recording to the File menu.
pub fn file_menu(workspace: &mut Workspace, ui: &mut Ui) {
    ui.separator();
    for format in FORMATS.iter().filter(|format| **format == &GLB || format.holds_one_clip()) {
        let name = format!("Export {} as {}…", if format.holds_runs() { "run" } else { "ragdoll" }, format.name);
        let has = workspace.stage.recording.is_some();
        if ui.add_enabled(has, egui::Button::new(name)).on_disabled_hover_text("Record a run first").clicked() {
            export_as(workspace, format);
        }
    }
    log_item(workspace, ui);
}

/// Menu item that exports the input log of the run.
fn log_item(workspace: &mut Workspace, ui: &mut Ui) {
    let name = workspace.stage.document.as_ref().map(|document| document.name.clone()).unwrap_or_default();
    let Some(run) = run_of(workspace) else { return };
    let hint = "Saves the scene and everything you did to this run, to report a bug or to replay it. Keep the log beside the files that the scene names. \
                To replay it, open it here or run muybridge simulate --replay FILE";
    if ui.button("Export input log…").on_hover_text(hint).clicked() {
        let Some(log) = run.log() else { return };
        let text = write_log(&log);
        let name = format!("{}_log.toml", name.trim_end_matches(".toml").replace(' ', "_"));
        workspace.request(Request::Export(name, text.into_bytes()));
    }
}

/// Caption at the bottom of the view that says what the mouse does or could do.
pub fn caption(workspace: &Workspace, touch: &MouseDrag, about: Option<&str>, ui: &Ui, rect: egui::Rect) {
    let theme = Theme::current(ui);
    let run = workspace.stage.document.as_ref().and_then(|document| document.run.as_ref());
    let words = run.and_then(|run| touch.describe(run)).or(about.map(str::to_owned)).or_else(|| {
        let run = run?;
        let moves = if run.is_at_start() && !run.is_playing() {
            "Click to choose, drag its arrows (Ctrl: by tenths of a metre)"
        } else {
            "Drag to hold and throw"
        };
        Some(format!("{moves}, Shift-drag to push"))
    });
    if let Some(words) = words {
        let at = rect.left_bottom() + egui::vec2(10.0, -8.0);
        ui.painter().text(at, egui::Align2::LEFT_BOTTOM, words, egui::FontId::proportional(12.0), theme.quiet);
    }
}
