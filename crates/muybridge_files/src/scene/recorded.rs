//! Exports a recording: the whole run as glTF, or its one character as BVH or VRMA.

use muybridge::motion::Axis;
use muybridge::simulation::Recording;

use super::Skins;
use crate::convert::{self, Conversion, Converted};
use crate::formats::FileFormat;
use crate::{Error, Imported, Location};

/// Writes a recording as one file, its characters with their skins where the format holds whole runs. Also returns notes on what is
/// left out, one sentence each.
///
/// # Errors
/// A sentence where the format is not written, or holds the motion of one character and there is none, or more than one.
pub fn export(recording: &Recording, skins: &Skins, format: &FileFormat) -> Result<(Converted, Vec<String>), Error> {
    let Some(run) = format.writer()?.run else { return character(recording, format) };
    let written = run(recording, skins)?;
    let file = Converted { clip: None, file: written.file, beside: Vec::new(), notes: Vec::new() };
    Ok((file, written.notes))
}

/// Exports the motion of the only character.
fn character(recording: &Recording, format: &FileFormat) -> Result<(Converted, Vec<String>), Error> {
    let extension = format.extension();
    let refuse = |found: String| {
        let message = format!(
            "“{}” has {found}, but a .{extension} file holds the motion of exactly one; write a .glb, which holds the whole run",
            recording.name
        );
        Err(Error::new(Location::File, message))
    };
    let (character, clip) = match &recording.characters[..] {
        [(_, character, clip)] => (character, clip),
        [] => return refuse("no ragdoll".into()),
        several => return refuse(format!("{} ragdolls", several.len())),
    };
    let roles = character.roles.iter().enumerate().filter_map(|(bone, role)| Some((bone, (*role)?))).collect();
    let imported = Imported {
        format: "simulation".into(),
        skeleton: character.skeleton.clone(),
        clips: vec![clip.clone()],
        meters_per_unit: Some(1.0),
        up: Some(Axis::Y),
        roles,
        ..Imported::default()
    };
    let how = Conversion { title: recording.name.clone(), unit: Some(1.0), up: Some(Axis::Y), ..Conversion::default() };
    let mut written = convert::write(&imported, format, &how)?;
    match written.files.pop() {
        Some(file) => {
            let mut notes = written.notes;
            if !recording.tracks.is_empty() {
                let count = recording.tracks.len();
                notes.push(format!("{count} things that are no ragdoll are left out; a .glb holds the whole run"));
            }
            Ok((file, notes))
        }
        None => Err(Error::new(Location::File, "nothing was written")),
    }
}
