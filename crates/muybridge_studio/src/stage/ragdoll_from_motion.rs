//! The character of an open motion as a ragdoll of a scene: in the pose of the cursor, with the velocity it has there, or from its rest pose.
//!
//! ```text
//! motion as a file has it ─► the scene names the file          motion in no file ─► the scene holds what is around the cursor
//! ```
//! What was corrected and is not saved, the sample and what was recorded are in no file. A copy in a folder of the program's would be gone
//! with it, or stay for ever; in the scene it is saved, undone and recovered with the scene, also on a web page.

use std::path::{Path, absolute};

use eframe::egui;
use muybridge::glam::DVec3;
use muybridge::simulation::Scene;
use muybridge::simulation::scene::{Ragdoll, Thing};
use muybridge_files::open::{self, OpenOptions};
use muybridge_files::scene::{embedded, write};

use super::document::{Keep, Opening};
use super::edits::edit;
use super::outline::{self, ThingRef};
use crate::motions::MotionDocument;
use crate::workspace::{FileToOpen, Workspace};

/// How the ragdoll of a motion begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begins {
    /// As the motion is at the cursor, and moves there.
    AtCursor,
    /// In its rest pose, a little above.
    AtRest,
}

/// Height from which a ragdoll in its rest pose falls, metres.
const ABOVE: f64 = 0.4;

/// Seconds of a motion around the cursor that a scene holds: pose, velocity, and what the joints do meanwhile.
const AROUND: f64 = 1.0;

/// Puts the character of the motion that is shown into the open scene, or into a new one where none is open; which thing it is. What
/// stands in the way is told.
pub fn of_motion(workspace: &mut Workspace, ctx: &egui::Context, begins: Begins) -> Option<ThingRef> {
    let motion = workspace.motions.current()?;
    let doll = match ragdoll(motion, begins) {
        Ok(doll) => doll,
        Err(sentence) => {
            workspace.messages.error(sentence);
            return None;
        }
    };
    let put = |scene: &mut Scene| {
        let ground = scene.setting.ground.unwrap_or(0.0);
        let name = outline::free_name(scene, "doll");
        scene.ragdolls.push(Ragdoll { name, position: doll.position + DVec3::Y * ground, ..doll });
        ThingRef { kind: Ragdoll::KIND, index: scene.ragdolls.len() - 1 }
    };
    if workspace.stage.document.is_some() {
        return edit(workspace, ctx, "Add a ragdoll of a motion", None, Keep::Start, put);
    }
    let mut scene = Scene::default();
    (scene.setting.name, scene.setting.ground) = ("untitled".into(), Some(0.0));
    let chosen = put(&mut scene);
    let text = write(&scene).into_bytes();
    // In no file of the person's, so that it is not lost without a question.
    let source = FileToOpen { is_recovered: true, ..FileToOpen::with("untitled.toml", text) };
    workspace.stage.begin(Opening::File(source), workspace.running, ctx);
    Some(chosen)
}

/// A ragdoll of a motion over a floor at 0; without a name.
fn ragdoll(motion: &MotionDocument, begins: Begins) -> Result<Ragdoll, String> {
    let time = motion.timeline.time;
    // As it was opened will do where only who it is counts.
    let file = motion.file_now().or(motion.path.as_deref().filter(|_| begins == Begins::AtRest));
    let (character, clip, time) = match file {
        Some(path) => (whole(path), clip_name(path, motion.clip)?, time),
        None => {
            let around = motion.motion.around(time, AROUND, &motion.name);
            let (file, clip, time) =
                around.ok_or("No format holds this motion, so that no scene can go on from it.")?;
            (embedded(&format!("{}.glb", motion.name), &file), clip, time)
        }
    };
    let doll = Ragdoll { character, ..Ragdoll::default() };
    Ok(match begins {
        Begins::AtRest => Ragdoll { position: DVec3::Y * ABOVE, ..doll },
        Begins::AtCursor => {
            let floor = motion.motion.analysis.floor.unwrap_or(0.0);
            Ragdoll { clip, time, position: DVec3::NEG_Y * floor, ..doll }
        }
    })
}

/// A path that is whole is the file itself, wherever the scene is.
fn whole(path: &Path) -> String {
    absolute(path).unwrap_or_else(|_| path.to_path_buf()).to_string_lossy().into_owned()
}

/// What scenes call a clip of a file, by its number; the only one whatever its number.
fn clip_name(file: &Path, number: usize) -> Result<String, String> {
    let opened = open::read(file).and_then(|bytes| open::decode(file, bytes, &OpenOptions::default()));
    let imported = opened.map_err(|error| error.in_file(file).to_string())?.imported;
    let clip = imported.clips.get(number).or(imported.clips.first());
    let name = clip.map(|clip| clip.name.clone()).filter(|name| !name.is_empty());
    Ok(name.or_else(|| Some(file.file_stem()?.to_string_lossy().into_owned())).unwrap_or_default())
}
