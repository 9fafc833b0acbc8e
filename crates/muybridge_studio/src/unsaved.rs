//! Dialog that asks before unsaved changes are lost: when another scene is opened, a motion is closed, or the program
//! quits.

use eframe::egui;

use crate::documents::Documents;
use crate::recovery::RecoveryKey;
use crate::workspace::{Request, Workspace};

/// Action that would lose unsaved changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    /// Open another scene in place of the present one.
    Scene,
    /// Close the motion with this index in the list of tabs.
    Motion(usize),
    /// Quit the program.
    Quit,
}

/// Answer of the user to the dialog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum UnsavedAnswer {
    Stay,
    Save,
    Discard,
}

/// Shows the dialog if an action would lose unsaved changes, and carries out the answer.
pub fn question(workspace: &mut Workspace, ctx: &egui::Context) {
    end_of_program(workspace, ctx);
    let (motions, stage) = (&workspace.motions, &workspace.stage);
    let closing = motions.closing.and_then(|number| motions.list.iter().position(|motion| motion.number == number));
    let (asked, names) = match (closing, &stage.asked) {
        _ if workspace.quitting => (Asked::Quit, workspace.unsaved()),
        (Some(index), _) => (Asked::Motion(index), vec![motions.list[index].name.clone()]),
        (None, Some(_)) => (Asked::Scene, stage.unsaved()),
        (None, None) => return,
    };
    if let Some(answer) = ask(asked, &names, ctx) {
        act(workspace, asked, answer, ctx);
    }
}

/// Keeps the window open if its close button was pressed while there are unsaved changes.
fn end_of_program(workspace: &mut Workspace, ctx: &egui::Context) {
    if ctx.input(|input| input.viewport().close_requested()) && !workspace.may_quit && !workspace.unsaved().is_empty() {
        ctx.send_viewport_cmd(egui::ViewportCommand::CancelClose);
        workspace.quitting = true;
    }
}

fn ask(asked: Asked, names: &[String], ctx: &egui::Context) -> Option<UnsavedAnswer> {
    let mut answer = None;
    let shown = egui::Modal::new(egui::Id::unique("unsaved")).show(ctx, |ui| {
        ui.set_width(380.0);
        let what = match asked {
            Asked::Scene => "This scene is not saved",
            Asked::Motion(_) => "This motion is not saved",
            Asked::Quit => "Not everything is saved",
        };
        ui.heading(what);
        ui.add_space(4.0);
        let have = if names.len() == 1 { "has changes that are" } else { "have changes that are" };
        ui.label(format!("{} {have} in no file.", names.join(", ")));
        ui.add_space(8.0);
        ui.horizontal(|ui| {
            if asked != Asked::Quit && ui.button("Save first").clicked() {
                answer = Some(UnsavedAnswer::Save);
            }
            let discard = if asked == Asked::Quit { "Quit without saving" } else { "Discard the changes" };
            if ui.button(discard).clicked() {
                answer = Some(UnsavedAnswer::Discard);
            }
            let stay = match asked {
                Asked::Scene => "Keep this scene",
                Asked::Motion(_) => "Keep it open",
                Asked::Quit => "Go back",
            };
            if ui.button(stay).clicked() {
                answer = Some(UnsavedAnswer::Stay);
            }
        });
    });
    answer.or(shown.should_close().then_some(UnsavedAnswer::Stay))
}

fn act(workspace: &mut Workspace, asked: Asked, answer: UnsavedAnswer, ctx: &egui::Context) {
    let running = workspace.running;
    match (asked, answer) {
        (Asked::Scene, UnsavedAnswer::Discard) => {
            if let Some(opening) = workspace.stage.asked.take() {
                workspace.stage.replace(opening, running, ctx);
            }
        }
        (Asked::Motion(index), UnsavedAnswer::Discard) => {
            if let (Some(recovery), Some(motion)) = (&workspace.recovery, workspace.motions.list.get(index)) {
                recovery.forget(RecoveryKey { number: motion.number, name: &motion.file_name() });
            }
            workspace.motions.close(index);
        }
        (Asked::Quit, UnsavedAnswer::Discard) => {
            workspace.may_quit = true;
            ctx.send_viewport_cmd(egui::ViewportCommand::Close);
        }
        (Asked::Motion(index), UnsavedAnswer::Save) => {
            workspace.motions.show_tab(index);
            workspace.request(Request::Save);
        }
        (_, UnsavedAnswer::Save) => workspace.request(Request::Save),
        (_, UnsavedAnswer::Stay) => {}
    }
    (workspace.stage.asked, workspace.motions.closing, workspace.quitting) = (None, None, false);
}
