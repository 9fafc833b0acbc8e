//! Edits of the open scene: made on a copy, added to the undo history, and built into a new world.

use eframe::egui;
use muybridge::simulation::Scene;

use super::document::{Keep, SceneEdit};
use super::outline::{self, ThingRef};
use super::properties::{Fields, KeyChange, effect_on_run, spoken};
use super::settings::{self, Taken};
use super::steps::Known;
use crate::workspace::Workspace;

/// Edits the scene and returns the result of `change`, or `None` if no scene is open. An edit that changes nothing
/// adds no undo step.
pub fn edit<R>(
    workspace: &mut Workspace,
    ctx: &egui::Context,
    name: &str,
    gesture: Option<u64>,
    keep: Keep,
    change: impl FnOnce(&mut Scene) -> R,
) -> Option<R> {
    let document = workspace.stage.document.as_ref()?;
    let mut scene = (*document.scene).clone();
    let answer = change(&mut scene);
    if scene != *document.scene {
        workspace.stage.edit(SceneEdit { name, gesture, keep }, scene, workspace.running, ctx);
    }
    Some(answer)
}

/// Shows the key fields of a thing and applies the user's changes.
pub fn fields(workspace: &mut Workspace, ui: &mut egui::Ui, chosen: ThingRef, only: &[&str], gesture: u64) {
    let (parts, doings) = (parts(workspace), doings(workspace));
    let Some(document) = &workspace.stage.document else { return };
    let wrong = workspace.stage.fault.as_ref();
    let wrong = wrong.filter(|fault| fault.kind == chosen.kind && fault.index == chosen.index).map(|fault| fault.key);
    let mut scene = (*document.scene).clone();
    let change = Fields { chosen, only, wrong, known: Known { parts: &parts, doings: &doings } }.show(&mut scene, ui);
    let running = workspace.running;
    match change {
        None => {}
        Some(KeyChange::Name(name)) => {
            edit(workspace, ui.ctx(), "Rename", None, Keep::Start, |scene| outline::rename(scene, chosen, &name));
        }
        Some(KeyChange::Value(key)) => {
            let title = format!("Change {}", spoken(key));
            let is_whole = matches!(chosen.kind, "scene" | "solver");
            settings::begin(key, &document.scene, &mut scene);
            let taken = is_whole.then(|| settings::taken_between(key, &document.scene, &scene));
            if taken == Some(Taken::AtOnce) {
                tune(workspace, &title, gesture, scene);
            } else {
                let restarts = taken == Some(Taken::Restarted);
                let keep = if restarts { Keep::Start } else { effect_on_run(chosen.kind, key) };
                workspace.stage.edit(
                    SceneEdit { name: &title, gesture: Some(gesture), keep },
                    scene,
                    running,
                    ui.ctx(),
                );
            }
        }
    }
}

/// Applies a change of settings that the running world accepts without being rebuilt.
pub fn tune(workspace: &mut Workspace, title: &str, gesture: u64, scene: Scene) {
    let Some(document) = &mut workspace.stage.document else { return };
    document.change_joined(title, gesture, scene);
    workspace.stage.fault = document.scene.check().err();
    if workspace.stage.fault.is_none()
        && let Some(run) = &mut document.run
    {
        run.tune(&document.scene);
    }
}

/// Names of actions and plans.
fn doings(workspace: &Workspace) -> Vec<String> {
    let entries = workspace.stage.document.iter().flat_map(|document| &document.entries);
    entries.filter(|entry| matches!(entry.chosen.kind, "action" | "plan")).map(|entry| entry.name.clone()).collect()
}

/// Names of everything that a key of type `part` can refer to: things, and bones of ragdolls.
fn parts(workspace: &Workspace) -> Vec<String> {
    let Some(document) = &workspace.stage.document else { return Vec::new() };
    let bodies = |kind: &str| !matches!(kind, "joint" | "limit" | "wind" | "action" | "plan" | "herd");
    let things = document.entries.iter().filter(|entry| entry.named && bodies(entry.chosen.kind));
    let mut parts: Vec<String> = things.map(|entry| entry.name.clone()).collect();
    let characters = document.run.iter().flat_map(|run| run.seen().characters.iter().take(4));
    for (name, character, _) in characters {
        let with_mass = character.skeleton.bones().iter().zip(&character.bodies).filter(|(_, body)| body.mass > 0.0);
        parts.extend(with_mass.map(|(bone, _)| format!("{name}/{}", bone.name)));
    }
    parts
}
