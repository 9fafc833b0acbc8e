//! The characters of a recording as motion files.

use muybridge::character::{Bone, Skeleton};
use muybridge::motion::Clip;
use muybridge::motion::conform::Axis;
use muybridge::simulation::Recording;

use crate::convert::{self, Conversion, Converted, Format};
use crate::{Error, Imported, Place};

/// The recording in one file of a format: one skeleton for all characters in glTF, one character in the others.
///
/// # Errors
/// A sentence where there is no character, or more than the format holds.
pub fn export(recording: &Recording, format: Format) -> Result<(Converted, Vec<String>), Error> {
    let refuse = |message: String| Err(Error::new(Place::File, message));
    let count = recording.characters.len();
    if count == 0 {
        return refuse(format!(
            "“{}” has no ragdoll, and a motion file holds nothing else; give --gif or --png",
            recording.name
        ));
    }
    if count > 1 && matches!(format, Format::Bvh | Format::Vrma) {
        let extension = format.extension();
        return refuse(format!(
            "“{}” has {count} ragdolls and a .{extension} holds one; write them all into one .glb",
            recording.name
        ));
    }
    let (skeleton, clip) = together(recording)?;
    let roles = match &recording.characters[..] {
        [(_, character, _)] => {
            character.roles.iter().enumerate().filter_map(|(bone, role)| Some((bone, (*role)?))).collect()
        }
        _ => Vec::new(),
    };
    let imported = Imported {
        format: "simulation".into(),
        skeleton,
        clips: vec![clip],
        meters_per_unit: Some(1.0),
        up: Some(Axis::Y),
        roles,
        shapes: Vec::new(),
        skin_points: Vec::new(),
        ignored: Vec::new(),
    };
    let how = Conversion { title: recording.name.clone(), unit: Some(1.0), up: Some(Axis::Y), ..Conversion::default() };
    let mut written = convert::write(&imported, format, &how)?;
    written.files.truncate(1);
    match written.files.pop() {
        Some(file) => Ok((file, written.notes)),
        None => refuse("nothing was written".into()),
    }
}

/// One skeleton with a root for each character, and one clip. Names of several carry that of the character.
fn together(recording: &Recording) -> Result<(Skeleton, Clip), Error> {
    if let [(_, character, clip)] = &recording.characters[..] {
        return Ok((character.skeleton.clone(), clip.clone()));
    }
    let mut bones: Vec<Bone> = Vec::new();
    for (name, character, _) in &recording.characters {
        let first = bones.len();
        bones.extend(character.skeleton.bones().iter().map(|bone| Bone {
            name: format!("{name}/{}", bone.name),
            parent: bone.parent.map(|parent| parent + first),
            ..bone.clone()
        }));
    }
    let wrong = |error: &dyn core::fmt::Display| Error::new(Place::File, error.to_string());
    let mut all = Clip::new(bones.len(), recording.frames, recording.frame_time).map_err(|error| wrong(&error))?;
    all.name.clone_from(&recording.name);
    let mut first = 0;
    for (_, character, clip) in &recording.characters {
        for (bone, frame) in (0..character.skeleton.len()).flat_map(|bone| (0..clip.frames()).map(move |f| (bone, f))) {
            all.set_rotation(first + bone, frame, clip.rotation(bone, frame));
            all.set_translation(first + bone, frame, clip.translation(bone, frame));
        }
        first += character.skeleton.len();
    }
    Ok((Skeleton::new(bones).map_err(|error| wrong(&error))?, all))
}
