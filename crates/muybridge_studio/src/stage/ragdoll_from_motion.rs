//! Adds the character of an open motion to a scene as a ragdoll: in the pose and with the velocity at the cursor, or
//! in its rest pose.
//!
//! ```text
//! motion stored in a file ─► the scene names the file          motion in no file ─► the scene embeds the part around the cursor
//! ```
//! Unsaved corrections, the sample and recorded runs are in no file. A copy in a folder of the program could get lost
//! or stay for ever. Embedded in the scene, the motion is saved, undone and recovered with it, also on a web page.

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

/// Starting state of a ragdoll made from a motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begins {
    /// In the pose and with the velocity at the cursor.
    AtCursor,
    /// In the rest pose, somewhat above the ground.
    AtRest,
}

/// Height from which a ragdoll in its rest pose falls, meters.
const ABOVE: f64 = 0.4;

/// Seconds of motion around the cursor that a scene embeds: enough for pose, velocity and joint targets.
const AROUND: f64 = 1.0;

/// Adds the character of the shown motion to the open scene, or to a new scene if none is open. Returns the added
/// thing. An obstacle is reported as a message, and nothing is added.
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
    // The scene is marked as recovered, so that it is not discarded without asking.
    let source = FileToOpen { is_recovered: true, ..FileToOpen::with("untitled.toml", text) };
    workspace.stage.begin(Opening::File(source), workspace.running, ctx);
    Some(chosen)
}

/// Makes a ragdoll of a motion over a floor at height 0, without a name.
fn ragdoll(motion: &MotionDocument, begins: Begins) -> Result<Ragdoll, String> {
    let time = motion.timeline.time;
    // For the rest pose, the file as opened will do.
    let file = motion.file_now().or(motion.path.as_deref().filter(|_| begins == Begins::AtRest));
    let (character, clip, time) = match file {
        Some(path) => (whole(path), clip_name(path, motion.clip)?, time),
        None => {
            let around = motion.motion.around(time, AROUND, &motion.name);
            let (file, clip, time) =
                around.ok_or("No file format can hold this motion, so it cannot become a ragdoll of a scene.")?;
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

/// Absolute path of a file, valid wherever the scene is stored.
fn whole(path: &Path) -> String {
    absolute(path).unwrap_or_else(|_| path.to_path_buf()).to_string_lossy().into_owned()
}

/// Name by which scenes refer to a clip of a file, by the clip's number; the first clip if there is no such number.
fn clip_name(file: &Path, number: usize) -> Result<String, String> {
    let opened = open::read(file).and_then(|bytes| open::decode(file, bytes, &OpenOptions::default()));
    let imported = opened.map_err(|error| error.in_file(file).to_string())?.imported;
    let clip = imported.clips.get(number).or(imported.clips.first());
    let name = clip.map(|clip| clip.name.clone()).filter(|name| !name.is_empty());
    Ok(name.or_else(|| Some(file.file_stem()?.to_string_lossy().into_owned())).unwrap_or_default())
}
